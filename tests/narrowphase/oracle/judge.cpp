#include "tests/narrowphase/oracle/judge.h"

#include <talus/narrowphase/mapping_solid.h>

#include <glm/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::test {

using oracle::dvec3;

namespace {

std::string hex(float x) {
    char text[40];
    std::snprintf(text, sizeof text, "%af", static_cast<double>(x));
    return text;
}

std::string hex(const vec3& v) {
    char text[120];
    std::snprintf(text, sizeof text, "{%af, %af, %af}", static_cast<double>(v.x), static_cast<double>(v.y),
                  static_cast<double>(v.z));
    return text;
}

std::string code_for(const Shape& s) {
    switch (s.type) {
        case ShapeType::sphere:
            return "sphere(" + hex(s.radius) + ")";
        case ShapeType::capsule:
            return "capsule(" + hex(s.half_extents.y) + ", " + hex(s.radius) + ")";
        case ShapeType::segment:
            return "segment(" + hex(s.points[0]) + ", " + hex(s.points[1]) + ", " + hex(s.radius) + ")";
        case ShapeType::triangle:
            return "triangle(" + hex(s.points[0]) + ", " + hex(s.points[1]) + ", " + hex(s.points[2]) + ", " +
                   hex(s.radius) + ")";
        case ShapeType::box:
            return s.radius > 0.0f ? "rounded(box(" + hex(s.half_extents) + "), " + hex(s.radius) + ")"
                                   : "box(" + hex(s.half_extents) + ")";
        case ShapeType::cylinder:
            return "cylinder(" + hex(s.half_extents.y) + ", " + hex(s.half_extents.x) + ")";
        case ShapeType::cone:
            return "cone(" + hex(s.half_extents.y) + ", " + hex(s.half_extents.x) + ")";
        case ShapeType::hull: {
            std::string points;
            for (const vec3& p : s.hull->vertices) points += (points.empty() ? "" : ", ") + ("vec3" + hex(p));
            const std::string sharp = "hull(*make_hull(std::vector<vec3>{" + points + "}))";
            return s.radius > 0.0f ? "rounded(" + sharp + ", " + hex(s.radius) + ")" : sharp;
        }
        case ShapeType::mapping:
            if (s.mapping->kind == MappingKind::ellipsoid) return "*ellipsoid(" + hex(s.mapping->radii) + ")";
            return "a mapping";
    }
    return "?";
}

/// The error of rounding three coordinates to float, relative to the largest: three halves of an ulp, and some
/// arithmetic.
constexpr double float_rounding = 3e-7;

bool all_finite(const SeparationResult& r) {
    return is_finite(r.separation) && is_finite(r.normal) && is_finite(r.point_a) && is_finite(r.point_b);
}

}  // namespace

std::string reproduce(const Shape& a, const Shape& b, const MatrixTransform& f) {
    return "const Shape a = " + code_for(a) + ";\nconst Shape b = " + code_for(b) + ";\nconst MatrixTransform f{" +
           hex(f.position) + ", mat3(vec3" + hex(f.rotation[0]) + ", vec3" + hex(f.rotation[1]) + ", vec3" +
           hex(f.rotation[2]) + ")};\n";
}

Verdict judge(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose,
              const oracle::SignedDistance& truth, const SeparationResult& answer) {
    Verdict v;
    const auto complain = [&](const std::string& what) { v.complaint += (v.complaint.empty() ? "" : "; ") + what; };
    if (!all_finite(answer)) {
        complain("a number is not finite");
        return v;
    }
    const double size = std::min(a.size, b.size);
    const dvec3 n(answer.normal), pa(answer.point_a), pb(answer.point_b);
    const auto number = [](double x) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3e", x);
        return std::string(text);
    };
    const double slack = separation_tolerance + truth.error / size;
    // A float normal tilts by its rounding, which moves the far end of a large face; a float witness rounds where it
    // stands.
    const double reach =
        std::max({a.size, b.size, glm::length(a.center), glm::length(b.center), glm::length(pose.position)});
    const double rounding = float_rounding * reach / size;

    v.error = std::abs(answer.separation - truth.separation) / size;
    if (v.error > slack + float_rounding * std::abs(truth.separation) / size) {
        complain("separation " + number(answer.separation) + " should be " + number(truth.separation) + ", off by " +
                 number(v.error) + " radii");
    }
    if (std::abs(glm::length(n) - 1.0) > 1e-5) complain("normal has length " + number(glm::length(n)));
    if (glm::length(n) < 0.5) return v;

    v.normal_loss = (truth.separation - oracle::separation_along(a, b, pose, n)) / size;
    const double angle = std::atan2(glm::length(glm::cross(n, truth.normal)), glm::dot(n, truth.normal));
    if (v.normal_loss > slack + rounding) {
        complain("normal loses " + number(v.normal_loss) + " radii, " + number(angle) + " rad from the best");
    }
    const double cores = truth.separation + a.radius + b.radius;
    if (cores > normal_distance * size) {
        v.angle = angle;
        const bool curved = a.is_curved() || b.is_curved();
        if (angle > (curved ? curved_normal_tolerance : normal_tolerance) + float_rounding * reach / cores) {
            complain("normal is " + number(angle) + " rad off, cores " + number(cores) + " apart");
        }
    }

    // A witness is a point of its shape (not outside) that lies on the supporting plane (nothing of the shape is
    // farther).
    // The inverse, not the transpose: the matrix is taken as it is, and floats are no exact rotation.
    const dvec3 in_b = glm::inverse(pose.rotation) * (pb - pose.position), n_in_b = n * pose.rotation;
    const double outside_a = oracle::distance_outside(a, pa), outside_b = oracle::distance_outside(b, in_b);
    const double short_a = glm::dot(n, oracle::core_support(a, n) - pa) + a.radius;
    const double short_b = glm::dot(n_in_b, in_b - oracle::core_support(b, -n_in_b)) + b.radius;
    const double apart = glm::length(pb - pa - static_cast<double>(answer.separation) * n);
    v.witness_error = std::max({outside_a, outside_b, short_a, short_b, apart}) / size;
    if (v.witness_error > slack + rounding) {
        complain("witnesses: outside " + number(outside_a / size) + ", " + number(outside_b / size) +
                 ", short of the plane " + number(short_a / size) + ", " + number(short_b / size) +
                 ", offset from separation * normal " + number(apart / size));
    }

    if (answer.beyond_limit) complain("beyond a limit that was not set");
    if (answer.used_epa && answer.gjk.status != GjkStatus::overlapping) complain("EPA without GJK overlap");
    if (!answer.used_epa && answer.gjk.status == GjkStatus::overlapping) complain("GJK overlap without EPA");
    if (answer.used_epa && answer.epa.status == EpaStatus::out_of_memory) complain("EPA ran out of memory");
    if (answer.gjk.status == GjkStatus::iteration_cap) complain("GJK hit its iteration cap");
    return v;
}

}  // namespace talus::test
