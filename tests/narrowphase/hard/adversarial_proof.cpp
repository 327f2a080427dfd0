#include "tests/narrowphase/hard/adversarial_proof.h"

#include <glm/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::test {

using oracle::dvec3;

namespace {

constexpr double relative_tolerance = 1e-4;
constexpr double coordinate_tolerance = 16.0 * 0x1p-24;

std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

bool all_finite(const SeparationResult& r) {
    return is_finite(r.separation) && is_finite(r.normal) && is_finite(r.point_a) && is_finite(r.point_b);
}

}  // namespace

double largest_coordinate(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose) {
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (const double sign : {-1.0, 1.0}) {
            dvec3 axis(0.0);
            axis[i] = sign;
            const dvec3 in_b = axis * pose.rotation;
            const double of_a = glm::dot(axis, oracle::core_support(a, axis)) + a.radius;
            const double of_b = sign * pose.position[i] + glm::dot(in_b, oracle::core_support(b, in_b)) + b.radius;
            most = std::max({most, std::abs(of_a), std::abs(of_b)});
        }
    }
    return most;
}

double allowed_error(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose) {
    return std::max(relative_tolerance * std::min(a.size, b.size),
                    coordinate_tolerance * largest_coordinate(a, b, pose));
}

bool cores_overlap(const oracle::Solid& a, const oracle::Solid& b, const SeparationResult& answer) {
    return answer.used_epa || double{answer.separation} + a.radius + b.radius < 0.0;
}

Proof prove(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose, const SeparationResult& answer,
            double allowed) {
    Proof proof;
    const auto add = [](std::string& list, const std::string& what) { list += (list.empty() ? "" : "; ") + what; };
    const auto complain = [&](const std::string& what) { add(proof.complaint, what); };
    const auto complain_of_witness = [&](const std::string& what) { add(proof.witness_complaint, what); };
    if (!all_finite(answer)) {
        complain("a number is not finite");
        return proof;
    }
    const double separation = answer.separation;
    const dvec3 n(answer.normal), on_a(answer.point_a), on_b(answer.point_b);
    if (!(std::abs(glm::length(n) - 1.0) <= 1e-5)) {
        complain("the normal's length is " + number(glm::length(n)));
        return proof;
    }

    const double low = oracle::separation_along(a, b, pose, n);
    proof.error = std::abs(separation - low);
    if (proof.error > allowed)
        complain("separation " + number(separation) + ", but along its own normal it is " + number(low));

    // The matrix is taken as it is, and floats are no exact rotation: kilometres from B's origin its transpose would be
    // an inverse that is millimetres off.
    const glm::dmat3 back = glm::inverse(pose.rotation);
    const dvec3 in_b = back * (on_b - pose.position), n_in_b = n * pose.rotation;
    const double outside_a = oracle::distance_outside(a, on_a), outside_b = oracle::distance_outside(b, in_b);
    if (outside_a > allowed) complain_of_witness("witness on A is " + number(outside_a) + " outside");
    if (outside_b > allowed) complain_of_witness("witness on B is " + number(outside_b) + " outside");
    const double short_a = glm::dot(n, oracle::core_support(a, n) - on_a) + a.radius;
    const double short_b = glm::dot(n_in_b, in_b - oracle::core_support(b, -n_in_b)) + b.radius;
    if (std::abs(short_a) > allowed)
        complain_of_witness("witness on A is " + number(short_a) + " off its support plane");
    if (std::abs(short_b) > allowed)
        complain_of_witness("witness on B is " + number(short_b) + " off its support plane");
    const double apart = glm::length(on_b - on_a - separation * n);
    if (apart > allowed) complain_of_witness("witnesses differ by " + number(apart) + " from separation * normal");

    if (answer.beyond_limit) complain("beyond a limit that was not set");
    if (answer.used_epa != (answer.gjk.status == GjkStatus::overlapping)) complain("EPA ran where GJK saw no overlap");

    // The cores' points under the witnesses bound the cores' distance from above, and no separation exceeds that minus
    // the radii.
    const double radii = a.radius + b.radius;
    const dvec3 core_a = on_a - a.radius * n, core_b = on_b + b.radius * n;
    const dvec3 core_b_in_b = back * (core_b - pose.position);
    const double high = glm::length(core_b - core_a) - radii +
                        std::max(0.0, oracle::distance_outside(a, core_a) + a.radius) +
                        std::max(0.0, oracle::distance_outside(b, core_b_in_b) + b.radius);
    if (!cores_overlap(a, b, answer)) {
        proof.error = std::max(proof.error, std::abs(high - separation));
        proof.proved = proof.error <= allowed;
    } else {
        proof.proved = low + radii >= 0.0 && std::abs(high - separation) <= allowed;  // cores that just touch
    }
    return proof;
}

Rival rival(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose, double bound, double allowed) {
    Rival r;
    r.best = oracle::signed_distance(a, b, pose, 0.25 * allowed);
    r.found = r.best.separation > bound + allowed;
    r.searched_all = r.best.error <= allowed;
    return r;
}

}  // namespace talus::test
