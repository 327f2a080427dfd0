#pragma once
/// Internal: the support mappings of the cores, inlined into the loops of GJK, EPA and ray casts.
///
/// They take directions and give points in double (see tolerances.h for why). Two differences to the public `support`:
/// a rim point is the exact one, not the nearest indexed one, because quantised rims would bend the normals of curved
/// shapes by up to 2.5e-4 rad (and an exact rim point is cheaper, too: one square root and one division); its index is
/// asked for afterwards, with `index_of`, and only for the vertices that go into a cache.

#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/support.h>
#include <talus/narrowphase/tolerances.h>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace talus {
class SupportMapping;
}

namespace talus::detail {

using glm::dmat3;
using glm::dvec3;

// Four floats, a 16-byte GCC/clang vector; the two operations that the vector extensions lack (or that compilers don't
// find in them) come from SSE2, which every x86-64 has, or are spelled out.
typedef float Float4 __attribute__((vector_size(16)));
typedef std::int32_t Int4 __attribute__((vector_size(16)));

inline Float4 load4(const float* p) {
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

#ifdef __SSE2__
inline Float4 max4(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
inline std::uint32_t equal_lanes(Float4 a, Float4 b) { return static_cast<std::uint32_t>(_mm_movemask_ps(a == b)); }
#else
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
inline std::uint32_t equal_lanes(Float4 a, Float4 b) {
    const Int4 e = a == b;
    return (e[0] & 1u) | (e[1] & 2u) | (e[2] & 4u) | (e[3] & 8u);
}
#endif

/// True where `support_point` gives points that have no exact index.
inline bool has_rim(ShapeType type) { return type == ShapeType::cylinder || type == ShapeType::cone; }

/// A core with what its support mapping reads laid open: made once a query, not once a support call.
struct Core {
    ShapeType type = ShapeType::sphere;
    bool curved = false;           ///< no polytope: EPA ends at a tolerance
    bool float_scan = true;        ///< hull: float is precise enough to tell its vertices apart for this pair
    dvec3 half{0.0};               ///< half extents of box, cylinder, cone and capsule
    const vec3* points = nullptr;  ///< of segment and triangle; of a hull: its vertices
    const Hull* hull = nullptr;
    const SupportMapping* mapping = nullptr;  ///< of `open_core`
};

/// The type of a core that is a user's support mapping: one more than the closed set knows.
inline constexpr ShapeType open_core = static_cast<ShapeType>(shape_type_count);

/// Virtual, and out of line: the hot path never asks.
dvec3 open_support(const SupportMapping& mapping, const dvec3& d);

inline Core make_core(const Shape& shape) {
    Core core;
    core.type = shape.type;
    core.curved = has_rim(shape.type);
    core.half = dvec3(shape.half_extents);
    core.points = shape.points;
    if (shape.type == ShapeType::hull) {
        core.hull = shape.hull.get();
        core.points = core.hull->vertices.data();
    }
    return core;
}

/// Farthest vertex by a float SIMD scan over the first `count` (a multiple of 8) of the hull's padded arrays. Two
/// passes: the greatest dot product, then the first vertex that has it. Ties go to the lowest index.
inline std::uint16_t scan_hull(const Hull& hull, const vec3& d, std::size_t count) {
    const float *x = hull.x.data(), *y = hull.y.data(), *z = hull.z.data();
    const Float4 dx = {d.x, d.x, d.x, d.x}, dy = {d.y, d.y, d.y, d.y}, dz = {d.z, d.z, d.z, d.z};
    Float4 dots[hull_scan_limit / 4 + 2];
    const auto dot = [&](std::size_t i) { return load4(x + i) * dx + load4(y + i) * dy + load4(z + i) * dz; };
    Float4 most0 = dots[0] = dot(0), most1 = dots[1] = dot(4);
    for (std::size_t i = 8; i < count; i += 8) {
        most0 = max4(most0, dots[i / 4] = dot(i));
        most1 = max4(most1, dots[i / 4 + 1] = dot(i + 4));
    }
    Float4 most = max4(most0, most1);
    most = max4(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    most = max4(most, __builtin_shufflevector(most, most, 1, 0, 3, 2));
    for (std::size_t i = 0; i < count; i += 32) {  // 32 vertices to a mask: one branch that is hard to guess, not eight
        std::uint32_t mask = 0;
        const std::size_t end = std::min<std::size_t>(count - i, 32);
        for (std::size_t j = 0; j < end; j += 4) mask |= equal_lanes(dots[(i + j) / 4], most) << j;
        if (mask != 0) return static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(mask)));
    }
    return 0;  // a direction that is not a number
}

std::uint16_t scan_hull_double(const Hull& hull, const dvec3& d);
std::uint16_t climb_hull(const Hull& hull, const dvec3& d, std::uint16_t hint);

/// Fills the hull's view, and its table of climb starts if it is large enough to be climbed.
void set_view(Hull& hull);

inline std::uint16_t hull_support(const Core& core, const dvec3& d, std::uint16_t hint) {
    const Hull& hull = *core.hull;
    if (hull.view.cells > 0) return climb_hull(hull, d, hint);
    return core.float_scan ? scan_hull(hull, vec3(d), hull.x.size()) : scan_hull_double(hull, d);
}

/// The rim point of radius r in the direction (x, z); where the direction names none, the one at x = r.
inline dvec3 rim_point(const dvec3& d, double r, double y) {
    const double sigma2 = d.x * d.x + d.z * d.z;
    if (!(sigma2 > 0.0)) return dvec3(r, y, 0.0);
    const double s = r / std::sqrt(sigma2);
    return dvec3(d.x * s, y, d.z * s);
}

/// The core's point farthest along d (not zero). `index` is a hint on the way in (any value is safe) and the point's
/// index on the way out, except on rims, where it is left to `index_of`.
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
            // The apex is farther than the rim when 2 n y > r sigma (Jovanoski's angle test without the angle).
            const double sigma2 = d.x * d.x + d.z * d.z, apex = 2.0 * core.half.y * d.y;
            if (apex > 0.0 && apex * apex > core.half.x * core.half.x * sigma2) return dvec3(0.0, core.half.y, 0.0);
            return rim_point(d, core.half.x, -core.half.y);
        }
        case ShapeType::hull:
            index = hull_support(core, d, index);
            return dvec3(core.points[index]);
    }
    index = 0;  // an open core
    return open_support(*core.mapping, d);
}

/// The index of the indexed point nearest to the rim (or apex) point p.
std::uint16_t index_of(const Core& core, const dvec3& p);

}  // namespace talus::detail
