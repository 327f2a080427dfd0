#include "narrowphase/support/mapping_feature.h"

#include "narrowphase/support/core_support.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

dvec3 unit(const dvec3& v) { return v / std::sqrt(glm::dot(v, v)); }

/// Two unit vectors across the unit vector n. They depend on n alone and turn with it, so that the directions of a ring
/// keep their numbers from step to step.
struct Across {
    dvec3 u, v;
    explicit Across(const dvec3& n) {
        const dvec3 a = absolute(n);
        dvec3 e(0.0);
        e[a.x <= a.y && a.x <= a.z ? 0 : a.y <= a.z ? 1 : 2] = 1.0;
        u = unit(glm::cross(n, e));
        v = glm::cross(n, u);
    }
};

/// The directions of a ring, as (cosine, sine) of angles that are no multiples of 45 degrees: facets with corners or
/// edges along the axes are common, and a direction between two corners would find either by turns.
constexpr double ring_x[4] = {0.96592583, 0.79335334, 0.5, 0.13052619};
constexpr double ring_y[4] = {0.25881905, 0.60876143, 0.8660254, 0.99144486};

glm::dvec2 ring_direction(int i) {
    const double x = ring_x[i % 4], y = ring_y[i % 4];
    switch (i / 4) {
        case 0:
            return {x, y};
        case 1:
            return {-y, x};
        case 2:
            return {-x, -y};
        default:
            return {y, -x};
    }
}

/// One look for a facet or line, at one tilt.
class Look {
public:
    Look(const MappingSolid& solid, const dvec3& d, const dvec3& top, double tilt)
        : mapping_(*solid.mapping),
          d_(d),
          top_(top),
          tilt_(tilt),
          size_(
              double(std::max({solid.bounds.upper.x - solid.bounds.lower.x, solid.bounds.upper.y - solid.bounds.lower.y,
                               solid.bounds.upper.z - solid.bounds.lower.z})) *
              0.5) {
        const Across across(d);
        for (int i = 0; i < count_; ++i) {
            const glm::dvec2 at = ring_direction(i * (mapping_ring / count_));
            point_[i] = mapping_.support(d + tilt * (at.x * across.u + at.y * across.v));
        }
    }

    /// Returns whether the tilted directions lead no farther than on a curved surface.
    bool is_curved() const {
        double most = 0.0;
        for (const dvec3& p : point_) most = std::max(most, glm::dot(p - top_, p - top_));
        return most <= far() * far();
    }

    /// Finds a support plane through three of the points.
    bool find_plane(dvec3& normal, double& height) const {
        int i = 0, j = 0, k = 0;
        farthest_pair(i, j);
        const dvec3 along = unit(point_[j] - point_[i]);
        double most = 0.0;
        dvec3 n(0.0);
        for (int m = 0; m < count_; ++m) {
            const dvec3 across = glm::cross(along, point_[m] - point_[i]);
            const double distance2 = glm::dot(across, across);
            if (distance2 > most) most = distance2, k = m, n = across;
        }
        // A strip that is no wider than the ring is on a curved surface is one: the side of a cylinder.
        if (!(most > 4.0 * far() * far())) return false;
        n = unit(n);
        if (glm::dot(n, d_) < 0.0) n = -n;
        const dvec3 highest = mapping_.support(n);
        height = glm::dot(n, highest);
        normal = n;
        return height - glm::dot(n, point_[k]) <= tolerance::mapping_flatness * size_ &&
               glm::dot(n, d_) >= double(tolerance::steepest_face);
    }

    /// Finds the direction across d in which the surface is the flattest, and the one at right angles to it. Returns false
    /// if it is curved along the latter.
    bool find_flat_directions(dvec3& along, dvec3& across) const {
        int i = 0, j = 0;
        farthest_pair(i, j);
        along = point_[j] - point_[i];
        along = unit(along - glm::dot(along, d_) * d_);
        across = glm::cross(d_, along);
        double least = 0.0, most = 0.0;
        for (const dvec3& p : point_) {
            const double place = glm::dot(p - top_, across);
            least = std::min(least, place);
            most = std::max(most, place);
        }
        return most - least > 2.0 * far();
    }

    /// Finds a line of the surface: ends (the first one higher along d), the normal across it, and how far the surface
    /// is bent across the line (radius, m).
    bool find_line(dvec3& first, dvec3& second, dvec3& normal, double& bend) const {
        int i = 0, j = 0;
        farthest_pair(i, j);
        dvec3 along = point_[j] - point_[i];
        for (int round = 0; round < 2; ++round) {
            along -= glm::dot(along, d_) * d_;
            if (!(glm::dot(along, along) > 0.0)) return false;
            along = unit(along);
            first = mapping_.support(d_ - tilt_ * along);
            second = mapping_.support(d_ + tilt_ * along);
            along = second - first;
        }
        if (!(glm::dot(along, along) > far() * far())) return false;
        along = unit(along);
        normal = unit(d_ - glm::dot(d_, along) * along);
        const double height = glm::dot(normal, mapping_.support(normal));
        const dvec3 side = glm::cross(normal, along);
        const dvec3 left = mapping_.support(normal - tilt_ * side), right = mapping_.support(normal + tilt_ * side);
        bend = std::max(glm::dot(right - left, side) / (2.0 * tilt_), 0.0);
        // What is round across the line rolls, and must touch where it does; the ends of an edge may be lower.
        const bool is_edge = bend <= tolerance::mapping_edge * size_;
        const double off = is_edge ? tolerance::mapping_flatness : tolerance::mapping_straightness;
        if (height - glm::dot(normal, first) > off * size_) return false;
        if (glm::dot(second, d_) > glm::dot(first, d_)) std::swap(first, second);
        return true;
    }

private:
    static constexpr int count_ = 8;

    /// Support points farther from each other than this lie on a facet or line: a curved surface of the least radius
    /// that counts as flat has them at half of it on either side of the top.
    double far() const { return tolerance::mapping_radius * tilt_ * size_; }

    void farthest_pair(int& i, int& j) const {
        double most = -1.0;
        for (int a = 0; a < count_; ++a) {
            for (int b = a + 1; b < count_; ++b) {
                const dvec3 way = point_[b] - point_[a];
                if (glm::dot(way, way) > most) most = glm::dot(way, way), i = a, j = b;
            }
        }
    }

    const SupportMapping& mapping_;
    const dvec3 d_, top_;
    const double tilt_, size_;
    dvec3 point_[count_];
};

}  // namespace

/// The points of mapping_points_around() on a gently curved dome, at a third of a turn from each other.
static int points_of_dome(const MappingSolid& solid, const dvec3& d, const dvec3& along, const dvec3& across,
                          vec3 (&points)[most_points_around]) {
    constexpr double third_x[] = {1.0, -0.5, -0.5}, third_y[] = {0.0, 0.8660254, -0.8660254};
    for (int i = 0; i < 3; ++i) {
        const dvec3 tilted = unit(d + tolerance::mapping_tilt * (third_x[i] * along + third_y[i] * across));
        points[i] = vec3(solid.mapping->support(tilted) + double(solid.radius) * tilted);
    }
    return 3;
}

int mapping_points_around(const MappingSolid& solid, const vec3& direction, vec3 (&points)[most_points_around]) {
    if (solid.kind == MappingKind::ellipsoid) return 0;
    const dvec3 d = unit(dvec3(direction)), top = solid.mapping->support(d);
    const Look look(solid, d, top, tolerance::mapping_tilt);
    dvec3 along, across;
    if (!look.is_curved() && look.find_flat_directions(along, across))
        return points_of_dome(solid, d, along, across, points);
    const vec3 half = half_extents(solid.bounds);
    const double far = tolerance::mapping_far * double(std::max({half.x, half.y, half.z}));
    const Across sides(d);
    int count = 0;
    for (int i = 0; i < most_points_around; ++i) {
        const glm::dvec2 at = ring_direction(mapping_ring / most_points_around * i + 1);
        const dvec3 tilted = unit(d + tolerance::mapping_far_tilt * (at.x * sides.u + at.y * sides.v));
        const dvec3 p = solid.mapping->support(tilted);
        if (glm::dot(p - top, p - top) > far * far) points[count++] = vec3(p + double(solid.radius) * tilted);
    }
    return count;
}

MappingFacet mapping_facet(const MappingSolid& solid, const vec3& normal, float tilt) {
    const SupportMapping& mapping = *solid.mapping;
    const dvec3 n(normal);
    const Across across(n);
    const vec3 half = half_extents(solid.bounds);
    const double size = double(std::max({half.x, half.y, half.z}));
    const double least = glm::dot(n, mapping.support(n)) - tolerance::mapping_flatness * size;
    const double apart = 1e-3 * tolerance::mapping_tilt * size;
    MappingFacet facet;
    for (int i = 0; i < mapping_ring; ++i) {
        const glm::dvec2 at = ring_direction(i);
        const dvec3 p = mapping.support(n + double(tilt) * (at.x * across.u + at.y * across.v));
        if (!(glm::dot(n, p) >= least)) continue;
        const vec3 point(p);
        const auto same = [&](int k) {
            return length_squared(point - facet.points[k]) <= static_cast<float>(apart * apart);
        };
        if (facet.count > 0 && (same(facet.count - 1) || same(0))) continue;
        facet.points[facet.count] = point;
        facet.ids[facet.count++] = static_cast<std::uint16_t>(i);
    }
    return facet;
}

SupportingFeature mapping_feature(const MappingSolid& solid, const vec3& direction, const vec3& top) {
    SupportingFeature f;
    f.points[0] = top + solid.radius * direction;
    if (solid.kind == MappingKind::ellipsoid) return f;
    const dvec3 d = unit(dvec3(direction)), core_top(top);
    const Look wide(solid, d, core_top, tolerance::mapping_tilt);
    if (wide.is_curved()) return f;  // a smaller tilt leads even less far
    dvec3 normal, first, second;
    double height = 0.0, bend = 0.0, tilt = tolerance::mapping_tilt;
    bool has_plane = wide.find_plane(normal, height);
    while (!has_plane && tilt > 1.5 * tolerance::mapping_small_tilt) {
        tilt *= 0.5;
        const Look narrow(solid, d, core_top, tilt);
        if (narrow.is_curved()) break;
        has_plane = narrow.find_plane(normal, height);
    }
    if (has_plane) {
        f.kind = SupportingFeatureKind::polygon;
        f.face = direction_code(normal);
        f.normal = vec3(normal);
        f.offset = static_cast<float>(height) + solid.radius;
        f.height = glm::dot(top, direction) + solid.radius;
        f.curvature[0] = static_cast<float>(tilt);
        return f;
    }
    if (!wide.find_line(first, second, normal, bend)) return f;
    const dvec3 way = second - first, a = absolute(way);
    const float along = glm::dot(vec3(unit(way)), direction);
    const float steepest =
        solid.radius > 0.0f || bend > 0.0 ? tolerance::steepest_round_edge : tolerance::steepest_edge;
    if (!(std::abs(along) <= steepest)) return f;
    // The ends are numbered along the axis that the line follows most.
    const int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    f.kind = SupportingFeatureKind::segment;
    f.ids[0] = way[axis] < 0.0;
    f.ids[1] = way[axis] >= 0.0;
    f.points[0] = vec3(first) + solid.radius * vec3(normal);
    f.points[1] = vec3(second) + solid.radius * vec3(normal);
    f.curvature[0] = f.curvature[1] = static_cast<float>(bend) + solid.radius;
    return f;
}

}  // namespace talus::detail
