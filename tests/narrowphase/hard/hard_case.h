#pragma once
/// One hard case: two convex bodies and the exact result. A body is a list of points (their convex hull, which may be a
/// solid, a polygon, a segment or a single point) or a shape. Each case is tested with every query that Talus has for
/// it: as shapes of the closed set, cold, warm, in both orders, in shifted frames, and as support mappings.

#include "tests/narrowphase/oracle/oracle.h"

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
    MatrixTransform pose_a{}, pose_b{};  ///< in the world
};

/// B's pose in A's frame, A at the origin.
HardCase make(std::string name, const Body& a, const Body& b, const MatrixTransform& f, std::optional<double> exact,
              std::optional<glm::dvec3> normal = std::nullopt);

/// Tests the case by all queries, at its own size and a thousand times smaller and larger. Each error is one doctest
/// failure.
void check(const HardCase& hard_case);
void check(const std::vector<HardCase>& cases);

/// Checks an answer for the case cold by what proves itself (adversarial_proof.h); `both_ways`: the lower bound, too.
void check_proof(const HardCase& hard_case, bool both_ways = false);

inline constexpr double pi = 3.14159265358979323846;
inline constexpr glm::dvec3 ex(1, 0, 0), ey(0, 1, 0), ez(0, 0, 1);
/// Axis y turned onto x, onto z, and upside down; exact.
inline const mat3 onto_x(0, -1, 0, 1, 0, 0, 0, 0, 1), onto_z(1, 0, 0, 0, 0, 1, 0, -1, 0),
    over(1, 0, 0, 0, -1, 0, 0, 0, -1);

inline double wide(float x) { return static_cast<double>(x); }
inline glm::dvec3 unit(double x, double y, double z) { return glm::normalize(glm::dvec3(x, y, z)); }
inline MatrixTransform at(const vec3& position, const mat3& rotation = mat3(1.0f)) { return {position, rotation}; }

/// The hull of the points, which must have one.
Shape cloud(const std::vector<vec3>& points);

/// Corners of the box from `low` to `high`.
std::vector<vec3> corners(const vec3& low, const vec3& high);
/// The same about a centre, by half extents.
std::vector<vec3> brick(const vec3& half, const vec3& center = vec3(0.0f));
std::vector<vec3> moved(std::vector<vec3> points, const vec3& by);
std::vector<vec3> scaled(std::vector<vec3> points, float by);

}  // namespace talus::test
