#pragma once
/// Internal: the support mappings of the cores, inlined into the loops of GJK, EPA and ray casts.
///
/// They take directions and return points in double (see tolerances.h for why). They differ from the public `support`
/// in this: a rim point is the exact one, not the nearest indexed one. Quantised rims would change the normals of
/// curved shapes by up to 2.5e-4 rad, and an exact rim point is cheaper, too: one square root and one division.
/// `index_of` returns its index afterwards, and is called only for the vertices that go into a cache.

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/support.h>
#include "narrowphase/shapes/hull_data.h"
#include "narrowphase/tolerances.h"

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <cmath>

namespace talus::detail {

using glm::dmat3;
using glm::dvec3;

/// True for the types whose `support_point` may have no exact index.
inline bool has_rim(ShapeType type) { return type == ShapeType::cylinder || type == ShapeType::cone; }

/// A core with all data that its support mapping reads. It is made once per query, not once per support call.
struct Core {
    ShapeType type = ShapeType::sphere;
    bool curved = false;           ///< no polytope: EPA ends at a tolerance
    bool float_scan = true;        ///< hull: a scan in float is accurate enough for this pair
    dvec3 half{0.0};               ///< half extents of box, cylinder, cone and capsule
    const vec3* points = nullptr;  ///< of segment and triangle; of a hull: its vertices
    const HullData* hull = nullptr;
    const SupportMapping* mapping = nullptr;  ///< of a mapping
};

/// Calls the mapping, and sets `index` to the code of the direction. Out of line, to keep the other types' code small.
dvec3 open_support(const SupportMapping& mapping, const dvec3& d, std::uint16_t& index);

/// The code of a direction (any length, not zero): the cell of a cube's side through which it goes. `coded_direction`
/// returns the direction through the middle of the cell, at most 0.014 rad off. The point of a mapping that is farthest
/// along it is the one that has the code as its index.
inline constexpr std::uint32_t direction_cells = 104;  ///< along the edge of the cube: 6 x 104 x 104 = 64,896 codes
std::uint16_t direction_code(const dvec3& d);
dvec3 coded_direction(std::uint16_t code);

/// True for the cores whose contacts may be followed by a descent (epa_along): EPA has no exact last face on them.
inline bool is_curved(const Shape& shape) {
    constexpr unsigned types =
        1u << unsigned(ShapeType::cylinder) | 1u << unsigned(ShapeType::cone) | 1u << unsigned(ShapeType::mapping);
    if ((types >> unsigned(shape.type) & 1u) == 0) return false;
    return shape.type != ShapeType::mapping || !shape.mapping->is_polytope;
}

inline Core make_core(const Shape& shape) {
    Core core;
    core.type = shape.type;
    core.curved = has_rim(shape.type);
    core.half = dvec3(shape.half_extents);
    core.points = shape.points;
    if (shape.type == ShapeType::hull) {
        core.hull = &data_of(*shape.hull);
        core.points = core.hull->vertices.data();
    } else if (shape.type == ShapeType::mapping) {
        core.mapping = shape.mapping->mapping.get();
        core.curved = !shape.mapping->is_polytope;
    }
    return core;
}

std::uint16_t scan_hull_double(const HullData& hull, const dvec3& d);
std::uint16_t climb_hull(const HullData& hull, const dvec3& d, std::uint16_t hint);

/// Fills the hull's view, and its table of climb starts if it is large enough to be climbed.
void set_view(HullData& hull);

inline std::uint16_t hull_support(const Core& core, const dvec3& d, std::uint16_t hint) {
    const HullData& hull = *core.hull;
    if (hull.view.cells > 0) return climb_hull(hull, d, hint);
    if (!core.float_scan) return scan_hull_double(hull, d);
    const vec3 f(d);
    return static_cast<std::uint16_t>(scan_hull(hull.view, &f.x));
}

/// Returns the rim point of radius r in the direction (x, z). If the direction is along the axis, it is the point at
/// x = r.
inline dvec3 rim_point(const dvec3& d, double r, double y) {
    const double sigma2 = d.x * d.x + d.z * d.z;
    if (!(sigma2 > 0.0)) return dvec3(r, y, 0.0);
    const double s = r / std::sqrt(sigma2);
    return dvec3(d.x * s, y, d.z * s);
}

/// Returns the core's point farthest along d (not zero). `index` is a hint before the call (any value is safe) and the
/// point's index after it, except on rims, whose points get their index from `index_of`.
inline dvec3 support_point(const Core& core, const dvec3& d, std::uint16_t& index) {
    switch (core.type) {
        case ShapeType::sphere:
            index = 0;
            return dvec3(0.0);
        case ShapeType::capsule:
            index = d.y < 0.0;
            return dvec3(0.0, index ? -core.half.y : core.half.y, 0.0);
        case ShapeType::segment:
            index = glm::dot(d, dvec3(core.points[1])) > glm::dot(d, dvec3(core.points[0]));
            return dvec3(core.points[index]);
        case ShapeType::triangle: {
            const double d0 = glm::dot(d, dvec3(core.points[0]));
            const double d1 = glm::dot(d, dvec3(core.points[1]));
            const double d2 = glm::dot(d, dvec3(core.points[2]));
            index = d2 > d0 && d2 > d1 ? 2 : d1 > d0 ? 1 : 0;
            return dvec3(core.points[index]);
        }
        case ShapeType::box: {
            const bool nx = d.x < 0.0, ny = d.y < 0.0, nz = d.z < 0.0;
            index = static_cast<std::uint16_t>(nx | (ny << 1) | (nz << 2));
            return dvec3(nx ? -core.half.x : core.half.x, ny ? -core.half.y : core.half.y,
                         nz ? -core.half.z : core.half.z);
        }
        case ShapeType::cylinder:
            return rim_point(d, core.half.x, d.y < 0.0 ? -core.half.y : core.half.y);
        case ShapeType::cone: {
            // The apex is farther than the rim if 2 n y > r sigma (Jovanoski's angle test without the angle).
            const double sigma2 = d.x * d.x + d.z * d.z, apex = 2.0 * core.half.y * d.y;
            if (apex > 0.0 && apex * apex > core.half.x * core.half.x * sigma2) return dvec3(0.0, core.half.y, 0.0);
            return rim_point(d, core.half.x, -core.half.y);
        }
        case ShapeType::hull:
            index = hull_support(core, d, index);
            return dvec3(core.points[index]);
        case ShapeType::mapping:
            return open_support(*core.mapping, d, index);
    }
    return dvec3(0.0);
}

/// Returns the index of the indexed point nearest to the rim (or apex) point p.
std::uint16_t index_of(const Core& core, const dvec3& p);

/// The same as `support` for a usable shape (usable.h) and a finite direction.
SupportVertex support_unchecked(const Shape& shape, const vec3& direction, std::uint16_t hint);

/// Returns the core's farthest point along d in floats, shape frame. Unlike `support`, without the index that GJK
/// needs.
inline vec3 farthest_point(const Shape& shape, const vec3& d, std::uint16_t hint) {
    if (shape.type == ShapeType::hull && data_of(*shape.hull).view.cells == 0) {
        const HullData& hull = data_of(*shape.hull);
        return hull.vertices[static_cast<std::size_t>(scan_hull(hull.view, &d.x))];
    }
    if (shape.type == ShapeType::box) {
        const vec3& h = shape.half_extents;
        return {d.x < 0.0f ? -h.x : h.x, d.y < 0.0f ? -h.y : h.y, d.z < 0.0f ? -h.z : h.z};
    }
    return support_unchecked(shape, d, hint).point;
}

}  // namespace talus::detail
