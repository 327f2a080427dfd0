#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"
#include "tests/narrowphase/shapes/hull_checker.h"

#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::fuzz {

namespace {

using glm::dvec3;

constexpr int most_points = 64;

/// Clouds thicker than this, relative to their extent and to their distance from the origin, must be accepted, and the
/// hull be right. Thinner ones may be refused: beyond the aspect ratios that Talus promises, and where the rounding of
/// coordinates is a part of the shape, the builder's tolerance along one axis is more than the whole shape along
/// another, and a hull is asked for no more than numbers that are numbers.
constexpr double surely_solid = 1e-4, surely_exact = 1e-5;

/// Faces of fewer tolerances are the builder's grid, and no more.
constexpr double sliver_width = 1e-2;

/// Extent, and thickness in the third direction, found greedily: the true thickness is between half of it and it.
struct Spread {
    double extent = 0.0, thickness = 0.0;
};
Spread spread(const std::vector<vec3>& points) {
    Spread s;
    const dvec3 p(points[0]);
    dvec3 along(0.0), normal(0.0);
    for (const vec3& q : points) {
        const dvec3 d = dvec3(q) - p;
        if (glm::length(d) > s.extent) s.extent = glm::length(d), along = d;
    }
    if (!(s.extent > 0.0)) return s;
    for (const vec3& q : points) {
        const dvec3 c = glm::cross(along, dvec3(q) - p);
        if (glm::dot(c, c) > glm::dot(normal, normal)) normal = c;
    }
    const double length = glm::length(normal);
    if (!(length > 0.0)) return s;
    for (const vec3& q : points) s.thickness = std::max(s.thickness, std::abs(glm::dot(normal, dvec3(q) - p)) / length);
    // Its width in the plane counts too: a needle is thin in two directions.
    s.thickness = std::min(s.thickness, length / s.extent);
    return s;
}

std::string listing(const std::vector<vec3>& points) {
    std::string text;
    for (const vec3& p : points) {
        char line[120];
        std::snprintf(line, sizeof line, "{%af, %af, %af},\n", static_cast<double>(p.x), static_cast<double>(p.y),
                      static_cast<double>(p.z));
        text += line;
    }
    return text;
}

}  // namespace

std::string fuzz_hull(Input input) {
    Bytes bytes(input);
    const std::vector<vec3> points = read_cloud(bytes, most_points);
    const auto built = make_hull(points);
    double reach = 0.0;
    bool finite = true;
    for (const vec3& p : points) {
        finite = finite && is_finite(p);
        for (int i = 0; i < 3; ++i) reach = std::max(reach, std::abs(static_cast<double>(p[i])));
    }
    const Spread s = finite ? spread(points) : Spread{};
    const bool solid = s.thickness > surely_solid * s.extent && s.thickness > surely_exact * reach &&
                       s.thickness > 4.0 * static_cast<double>(smallest_size);
    if (!built) {
        if (built.error().code == ErrorCode::none || built.error().message.empty())
            return listing(points) + "refused without a reason";
        if (!finite || reach > static_cast<double>(largest_size)) return {};
        return solid ? listing(points) + "refused: " + built.error().message : std::string();
    }
    if (!finite) return listing(points) + "accepted points that are not finite";
    const Hull& hull = **built;
    if (!(hull.volume > 0.0f) || !is_finite(hull.centroid) || !(hull.bounding_radius < 2.0f * largest_size))
        return listing(points) + "numbers that are none";
    const hull_checker::Report report = hull_checker::check(points, hull, sliver_width);
    if (solid && !report.problem.empty()) return listing(points) + report.problem;
    const auto again = make_hull(points);
    if (!again || again->get()->vertices != built->get()->vertices ||
        again->get()->face_vertices != built->get()->face_vertices)
        return listing(points) + "the same points make another hull";
    return {};
}

}  // namespace talus::fuzz
