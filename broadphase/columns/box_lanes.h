#pragma once
/// A box as vectors of lanes: tests and arithmetic on all three axes at once, without unpredictable branches.
///
/// Boxes in the world are double. Boxes that are searched for are stored in float, as seen from an origin nearby
/// (origins.h). Rounding keeps the order of numbers: boxes that overlap in the world overlap in float, too. The
/// opposite is nearly always true, and to be tested.

#include <talus/aabb.h>
#include "common/lanes/double2.h"
#include "common/lanes/float4.h"

#include <cstdint>
#include <cstring>
#include <limits>

namespace talus::detail {

/// Returns whether a comparison is true in all lanes. Comparisons of floats are vectors of int, or of long with clang
/// for 32 bits.
template <class Mask>
inline bool all_lanes(Mask mask) {
    return lane_bits(mask) == (1u << sizeof(Mask) / sizeof(mask[0])) - 1;
}

inline Float4 absolute(Float4 a) { return max(a, -a); }

/// The largest lane, in all lanes.
inline Float4 largest(Float4 a) {
    a = max(a, __builtin_shufflevector(a, a, 1, 0, 3, 2));
    return max(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
}

/// The lanes x, y, z and z again: all_lanes() and largest() of such lanes are those of the three axes.
inline Float4 lanes_of(const vec3& v) { return Float4{v.x, v.y, v.z, v.z}; }

inline void store(Float4 a, float* to) { std::memcpy(to, &a, sizeof a); }

/// Four doubles in the order of lanes_of().
struct Double4 {
    Double2 xy, zz;

    friend Double4 operator+(const Double4& a, const Double4& b) { return {a.xy + b.xy, a.zz + b.zz}; }
    friend Double4 operator-(const Double4& a, const Double4& b) { return {a.xy - b.xy, a.zz - b.zz}; }
};

inline double coordinate(const Double4& a, int axis) { return axis == 2 ? a.zz[0] : a.xy[axis]; }

inline Double4 lanes_of(const dvec3& v) { return {Double2{v.x, v.y}, Double2{v.z, v.z}}; }

/// Each lane rounded to float.
inline Float4 to_float(const Double4& a) { return to_float(a.xy, a.zz); }
inline Double4 to_double(Float4 a) { return {low_double(a), high_double(a)}; }

/// A box in float, as seen from an origin, or a box in the world.
struct BoxLanes {
    Float4 lower, upper;
};
struct WorldLanes {
    Double4 lower, upper;
};

/// With wide loads. Right after a box was written number by number, such a load would wait for the stores.
inline WorldLanes lanes_of(const WorldAabb& box) {
    return {{load_lanes(&box.lower.x), Double2{box.lower.z, box.lower.z}},
            {load_lanes(&box.upper.x), Double2{box.upper.z, box.upper.z}}};
}

inline WorldAabb aabb_of(const WorldLanes& box) {
    return {{box.lower.xy[0], box.lower.xy[1], box.lower.zz[0]}, {box.upper.xy[0], box.upper.xy[1], box.upper.zz[0]}};
}

/// The same as contains() of the boxes, with wide loads.
inline bool contains_wide(const WorldAabb& outer, const WorldAabb& inner) {
    static_assert(sizeof(WorldAabb) == 6 * sizeof(double));
    const Double2 a = load_lanes(&outer.lower.z), b = load_lanes(&inner.lower.z);  // lower z, upper x
    return all_lanes(at_most(load_lanes(&outer.lower.x), load_lanes(&inner.lower.x)) &
                     at_most(load_lanes(&inner.upper.y), load_lanes(&outer.upper.y)) &
                     at_most(__builtin_shufflevector(a, b, 0, 3), __builtin_shufflevector(b, a, 0, 3)));
}

inline bool overlaps(const WorldLanes& a, const WorldAabb& b) {
    return all_lanes(at_most(load_lanes(&b.lower.x), a.upper.xy) & at_most(a.lower.xy, load_lanes(&b.upper.x)) &
                     at_most(Double2{b.lower.z, a.lower.zz[1]}, Double2{a.upper.zz[0], b.upper.z}));
}
inline bool overlaps(const BoxLanes& a, const BoxLanes& b) {
    return all_lanes((a.lower <= b.upper) & (b.lower <= a.upper));
}

/// Coordinates beyond this, as seen from an origin, count as this, m. So sums of two are finite.
inline constexpr float far_limit = 0x1p126f;

/// The box in float, as seen from an origin.
inline BoxLanes seen_from(const Double4& origin, const WorldLanes& box) {
    return {within(to_float(box.lower - origin), far_limit), within(to_float(box.upper - origin), far_limit)};
}

}  // namespace talus::detail
