#pragma once
/// One hard case: two convex bodies and the exact answer. A body is a list of points (their convex hull, which may be a
/// solid, a polygon, a segment or a single point) or a shape. Each case is asked in every way that Talus offers for it:
/// as shapes of the closed set, cold, warm, both orders, in shifted frames, and as support mappings.

#include "tests/narrowphase/oracle.h"

#include <talus/narrowphase/shape.h>

#include <optional>
#include <string>
#include <vector>

namespace talus::test {

struct Body {
    std::vector<vec3> points;    ///< empty: it is the shape
    std::optional<Shape> shape;  ///< with its pose in `HardCase::pose_a`, `pose_b`
    Body(std::vector<vec3> p) : points(std::move(p)) {}
    Body(const Shape& s) : shape(s) {}
};

struct HardCase {
    std::string name;
    Body a, b;
    std::optional<double> exact;         ///< separation, negative: depth, m; none: the oracle is the judge
    std::optional<glm::dvec3> normal{};  ///< from A to B, where it is unique
    Frame pose_a{}, pose_b{};            ///< in the world
};

/// Asks the case in all ways, at its own size and a thousand times smaller and larger; one doctest failure a complaint.
void check(const HardCase& hard_case);
void check(const std::vector<HardCase>& cases);

/// Corners of the box from `low` to `high`.
std::vector<vec3> corners(const vec3& low, const vec3& high);
/// The same about a centre, by half extents.
std::vector<vec3> brick(const vec3& half, const vec3& center = vec3(0.0f));
std::vector<vec3> moved(std::vector<vec3> points, const vec3& by);
std::vector<vec3> scaled(std::vector<vec3> points, float by);

}  // namespace talus::test
