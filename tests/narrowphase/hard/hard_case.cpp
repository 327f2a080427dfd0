#include "tests/narrowphase/hard/hard_case.h"

#include "tests/narrowphase/hard/adversarial_proof.h"
#include "tests/narrowphase/oracle/judge.h"

#include <talus/narrowphase/support_mapping.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::test {

using oracle::dmat3;
using oracle::dvec3;
using oracle::Solid;

namespace {

/// Polytopes are exact to rounding, rims are searched: errors as fractions of the smaller shape's radius, and of the
/// largest coordinate. Both are far below what Talus promises (adversarial_proof.h).
constexpr double exact_polytope = 1e-6, exact_curved = 1e-5, float_rounding = 4.0 * 0x1p-24;
constexpr double normal_slack_polytope = 1e-3, normal_slack_curved = 2e-3;

/// The shape of the closed set that is the hull of these points, where there is one.
std::optional<Shape> closed_shape(const std::vector<vec3>& points) {
    if (points.size() == 2) {
        const Shape s = segment(points[0], points[1]);
        if (!talus::check(s)) return s;
    }
    if (points.size() == 3) {
        const Shape s = triangle(points[0], points[1], points[2]);
        if (!talus::check(s)) return s;
    }
    const auto built = make_hull(points);
    if (built) return hull(*built);
    return std::nullopt;
}

/// The pair as the oracle sees it, in A's frame.
struct Seen {
    Solid a, b;
    oracle::Pose pose;
};

std::vector<dvec3> widen(const std::vector<vec3>& points) { return {points.begin(), points.end()}; }

Solid solid_of(const Body& body) {
    return body.shape ? oracle::make_solid(*body.shape) : oracle::make_solid(widen(body.points));
}

MatrixTransform relative_frame(const MatrixTransform& a, const MatrixTransform& b) {
    const mat3 back = glm::transpose(a.rotation);
    return {back * (b.position - a.position), back * b.rotation};
}

class Run {
public:
    explicit Run(const HardCase& c) : case_(c) {
        const MatrixTransform between = relative_frame(c.pose_a, c.pose_b);
        seen_.a = solid_of(c.a), seen_.b = solid_of(c.b);
        seen_.pose = oracle::Pose(between);
        const bool curved = seen_.a.is_curved() || seen_.b.is_curved();
        const double size = std::min(seen_.a.size, seen_.b.size);
        slack_ = (curved ? exact_curved : exact_polytope) * size +
                 float_rounding * largest_coordinate(seen_.a, seen_.b, seen_.pose);
        normal_slack_ = curved ? normal_slack_curved : normal_slack_polytope;
        truth_ = oracle::signed_distance(seen_.a, seen_.b, seen_.pose, std::max(0.1 * slack_, 1e-12 * size));
        exact_ = c.exact.value_or(truth_.separation);
    }

    void all() {
        if (std::abs(truth_.separation - exact_) > slack_ + truth_.error)
            fail("the case itself", "the oracle says " + text(truth_.separation));
        as_shapes();
        as_mappings();
        CHECK_MESSAGE(complaints_.empty(), case_.name, ", exact ", text(exact_), ", allowed error ", text(slack_), ":",
                      complaints_);
    }

private:
    void as_shapes() {
        const std::optional<Shape> a = case_.a.shape ? case_.a.shape : closed_shape(case_.a.points);
        const std::optional<Shape> b = case_.b.shape ? case_.b.shape : closed_shape(case_.b.points);
        if (!a || !b) return;
        const MatrixTransform f = relative_frame(case_.pose_a, case_.pose_b);
        SimplexCache cache, back_cache;
        judge("shapes, cold", separation(*a, *b, f, cache), 1.0);
        judge("shapes, warm", separation(*a, *b, f, cache), 1.0);
        // The same pair seen from B, where rounding does not make it another pair.
        const mat3 turned = glm::transpose(f.rotation);
        const dmat3 exactly(f.rotation);
        const vec3 back = -(turned * f.position);
        if (glm::transpose(exactly) * exactly == dmat3(1.0) &&
            dvec3(back) == -(glm::transpose(exactly) * dvec3(f.position))) {
            flipped_ = exactly;
            judge("shapes, swapped", separation(*b, *a, {back, turned}, back_cache), -1.0);
            judge("shapes, swapped and warm", separation(*b, *a, {back, turned}, back_cache), -1.0);
            flipped_ = dmat3(1.0);
        }
        // B's points about another origin, where that can be done without rounding.
        if (case_.b.shape || f.rotation != mat3(1.0f)) return;
        const vec3 shift = case_.b.points[0];
        std::vector<vec3> shifted = moved(case_.b.points, -shift);
        for (std::size_t i = 0; i < shifted.size(); ++i) {
            if (dvec3(shifted[i]) + dvec3(shift) != dvec3(case_.b.points[i])) return;
        }
        const std::optional<Shape> other = closed_shape(shifted);
        const vec3 position = f.position + shift;
        if (!other || dvec3(position) != dvec3(f.position) + dvec3(shift)) return;
        SimplexCache third;
        judge("shapes, B about another origin", separation(*a, *other, {position, mat3(1.0f)}, third), 1.0);
    }

    void as_mappings() {
        const auto ask = [&](const SupportMapping& a, const SupportMapping& b) {
            judge("mappings", separation(a, b), 1.0);
            judge("mappings, swapped", separation(b, a), -1.0);
        };
        const MatrixTransform f = relative_frame(case_.pose_a, case_.pose_b);
        const auto place = [](auto mapping, const MatrixTransform& frame) {
            return AffineImage(std::move(mapping), dmat3(frame.rotation), dvec3(frame.position));
        };
        const MatrixTransform here;
        const PointCloud cloud_a(case_.a.points), cloud_b(case_.b.points);
        const ShapeSupport shape_a(case_.a.shape.value_or(sphere(1.0f))), shape_b(case_.b.shape.value_or(sphere(1.0f)));
        if (case_.a.shape && case_.b.shape)
            ask(place(shape_a, here), place(shape_b, f));
        else if (case_.a.shape)
            ask(place(shape_a, here), place(cloud_b, f));
        else if (case_.b.shape)
            ask(place(cloud_a, here), place(shape_b, f));
        else
            ask(cloud_a, place(cloud_b, f));
    }

    /// `side` -1: the pair was given in the opposite order.
    void judge(const std::string& how, const SeparationResult& r, double side) {
        if (!is_finite(r.separation) || !is_finite(r.normal) || !is_finite(r.point_a) || !is_finite(r.point_b))
            return fail(how, "a number is not finite");
        if (std::abs(r.separation - exact_) > slack_) fail(how, "separation " + text(r.separation));
        if (std::abs(glm::length(dvec3(r.normal)) - 1.0) > 1e-5)
            return fail(how, "normal of length " + text(glm::length(dvec3(r.normal))));
        const dvec3 apart = dvec3(r.point_b) - dvec3(r.point_a) - double(r.separation) * dvec3(r.normal);
        if (glm::length(apart) > 2.0 * slack_) fail(how, "witnesses off by " + text(glm::length(apart)));
        dvec3 n = side * (side < 0.0 ? flipped_ * dvec3(r.normal) : dvec3(r.normal));
        if (case_.normal && glm::length(n - *case_.normal) > normal_slack_)
            fail(how, "normal " + text(n.x) + " " + text(n.y) + " " + text(n.z));
        const double along = oracle::separation_along(seen_.a, seen_.b, seen_.pose, n);
        if (exact_ - along > 2.0 * slack_) fail(how, "along its normal the separation is " + text(along));
    }

    static std::string text(double x) {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.9g", x);
        return buffer;
    }

    void fail(const std::string& how, const std::string& what) { complaints_ += "\n    " + how + ": " + what; }

    const HardCase& case_;
    Seen seen_;
    oracle::SignedDistance truth_;
    double exact_ = 0.0, slack_ = 0.0, normal_slack_ = 0.0;  ///< slack of the separation, m
    dmat3 flipped_{1.0};                                     ///< takes directions of B's frame to A's
    std::string complaints_;
};

Shape resized(Shape s, float by) {
    if (s.type == ShapeType::hull) {
        std::vector<vec3> points;
        for (const vec3& v : s.hull->vertices) points.push_back(by * v);
        const auto built = make_hull(points);
        return built ? hull(*built) : s;
    }
    s.radius *= by;
    s.half_extents *= by;
    for (vec3& p : s.points) p *= by;
    return s;
}

Body resized(const Body& body, float by) {
    return body.shape ? Body(resized(*body.shape, by)) : Body(scaled(body.points, by));
}

}  // namespace

void check(const HardCase& hard_case) {
    Run(hard_case).all();
    // Powers of two change no digit: an answer that changes by more than they do has an absolute tolerance somewhere.
    for (const float by : {0x1p-10f, 0x1p10f}) {
        const auto fits = [&](const Body& b) {
            for (const vec3& p : b.points) {
                if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) * by > 1e6f) return false;
            }
            return !b.shape || !talus::check(resized(*b.shape, by));
        };
        if (!fits(hard_case.a) || !fits(hard_case.b)) continue;
        HardCase c = hard_case;
        c.name += by < 1.0f ? " (a thousand times smaller)" : " (a thousand times larger)";
        c.a = resized(c.a, by), c.b = resized(c.b, by);
        if (c.exact) *c.exact *= static_cast<double>(by);
        c.pose_a.position *= by, c.pose_b.position *= by;
        Run(c).all();
    }
}

void check(const std::vector<HardCase>& cases) {
    for (const HardCase& c : cases) check(c);
}

HardCase make(std::string name, const Body& a, const Body& b, const MatrixTransform& f, std::optional<double> exact,
              std::optional<dvec3> normal) {
    return {std::move(name), a, b, exact, normal, {}, f};
}

void check_proof(const HardCase& c, bool both_ways) {
    const Solid a = oracle::make_solid(*c.a.shape), b = oracle::make_solid(*c.b.shape);
    const oracle::Pose pose(c.pose_b);
    SimplexCache cache;
    const SeparationResult r = separation(*c.a.shape, *c.b.shape, c.pose_b, cache);
    const Proof proof = prove(a, b, pose, r, allowed_error(a, b, pose));
    CHECK_MESSAGE(proof.complaint.empty(), c.name, ": ", proof.complaint);
    CHECK_MESSAGE(proof.witness_complaint.empty(), c.name, ": ", proof.witness_complaint);
    if (both_ways) CHECK_MESSAGE(proof.proved, c.name, ": ", r.separation);
}

Shape cloud(const std::vector<vec3>& points) {
    const auto built = make_hull(points);
    REQUIRE_MESSAGE(bool(built), built.error().message);
    return hull(*built);
}

std::vector<vec3> corners(const vec3& low, const vec3& high) {
    std::vector<vec3> p;
    for (int i = 0; i < 8; ++i)
        p.emplace_back((i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z);
    return p;
}

std::vector<vec3> brick(const vec3& half, const vec3& center) { return corners(center - half, center + half); }

std::vector<vec3> moved(std::vector<vec3> points, const vec3& by) {
    for (vec3& p : points) p += by;
    return points;
}

std::vector<vec3> scaled(std::vector<vec3> points, float by) {
    for (vec3& p : points) p *= by;
    return points;
}

}  // namespace talus::test
