#pragma once
/// Internal: the parts from which the loops in solver_kernel_contacts.h and solver_kernel_motion.h are made: lanes to
/// and from memory, vectors of lanes, velocities of bodies.
///
/// Functions with always_inline are those that the compiler would otherwise call from such large loops, with vectors
/// passed in memory. That would cost 1% of a scene with a box of tumbling hulls.

#include "common/lanes/lane_bits.h"
#include "engine/contact_solver/contact_lanes.h"
#include "engine/contact_solver/motion_lanes.h"
#include "engine/contact_solver/solver_kernel.h"
#include "engine/settings.h"

namespace talus::TALUS_LANES {

constexpr int width = TALUS_WIDTH;
typedef float F4 __attribute__((vector_size(16)));
typedef float F __attribute__((vector_size(4 * TALUS_WIDTH)));
typedef int I __attribute__((vector_size(4 * TALUS_WIDTH)));
using V3 = Vec3Lanes<F>;
using S3 = SymmetricLanes<F>;
using Record = ContactLanes<F>;
using Point = ContactPointLanes<F>;
using Surface = SurfaceLanes<F>;
using Motion = MotionLanes<F>;

// ---- Rows and columns -----------------------------------------------------------------------------------------------

static inline F4 load_row(const float* p) {
    F4 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

static inline F4 load_row(F4 v) { return v; }

/// Returns a - b of world positions, three doubles each. The fourth float is undefined.
static inline F4 difference(const double* a, const double* b) {
    typedef double D4 __attribute__((vector_size(32)));
    D4 x, y;
    __builtin_memcpy(&x, a, sizeof x);
    __builtin_memcpy(&y, b, sizeof y);
    return __builtin_convertvector(x - y, F4);
}

static inline void store_row(float* p, F4 v) { __builtin_memcpy(p, &v, sizeof v); }

/// Four floats per lane, as four lane fields. The functions below load and store them.
struct Rows {
    F x, y, z, w;
};

#if TALUS_WIDTH == 8

static inline F join(F4 low, F4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

static inline Rows transposed(F a, F b, F c, F d) {
    const F ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const F ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const F cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const F cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15)};
}

template <class At>
[[gnu::always_inline]] static inline Rows load_rows(At&& at) {
    return transposed(join(load_row(at(0)), load_row(at(4))), join(load_row(at(1)), load_row(at(5))),
                      join(load_row(at(2)), load_row(at(6))), join(load_row(at(3)), load_row(at(7))));
}

/// Each of `pairs` holds the rows of two lanes: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
static inline void store_rows(F4* rows, const Rows& r) {
    const Rows t = transposed(r.x, r.y, r.z, r.w);
    const F pairs[4] = {t.x, t.y, t.z, t.w};
    for (int i = 0; i < 4; ++i) {
        rows[i] = __builtin_shufflevector(pairs[i], pairs[i], 0, 1, 2, 3);
        rows[i + 4] = __builtin_shufflevector(pairs[i], pairs[i], 4, 5, 6, 7);
    }
}

#else

static inline Rows transposed(F a, F b, F c, F d) {
    const F ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const F ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const F cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const F cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
            __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
            __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

template <class At>
[[gnu::always_inline]] static inline Rows load_rows(At&& at) {
    return transposed(load_row(at(0)), load_row(at(1)), load_row(at(2)), load_row(at(3)));
}

static inline void store_rows(F4* rows, const Rows& r) {
    const Rows t = transposed(r.x, r.y, r.z, r.w);
    rows[0] = t.x, rows[1] = t.y, rows[2] = t.z, rows[3] = t.w;
}

#endif

static inline bool all(I mask) { return lane_bits(mask) == (1u << width) - 1; }
static inline V3 xyz(const Rows& r) { return {r.x, r.y, r.z}; }
static inline V3 chosen(I mask, const V3& a, const V3& b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
static inline V3 by_axes(const V3& a, const V3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

static inline S3 operator+(const S3& a, const S3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// Returns 1 / x where x > 0, else 0.
static inline F inverse_or_zero(F x) {
    const F zero = {}, one = splat<F>(1.0f);
    const I positive = x > zero;
    return positive ? one / (positive ? x : one) : zero;
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

struct Velocity {
    V3 linear, angular;
};

enum class Part { velocity, motion };

/// Returns the velocities, or displacement and rotation, of the bodies in the lanes. If `moves` is false they are
/// zeros, and no memory is read.
template <Part part>
[[gnu::always_inline]] static inline Velocity gather(const SolverBody* bodies, const unsigned* index, bool moves) {
    const F zero = {};
    if (!moves) return {{zero, zero, zero}, {zero, zero, zero}};
    const auto linear = [&](int i) {
        return part == Part::velocity ? bodies[index[i]].velocity : bodies[index[i]].displacement;
    };
    const auto angular = [&](int i) {
        return part == Part::velocity ? bodies[index[i]].angular_velocity : bodies[index[i]].turn;
    };
    return {xyz(load_rows(linear)), xyz(load_rows(angular))};
}

[[gnu::always_inline]] static inline void scatter(SolverBody* bodies, const unsigned* index, unsigned used,
                                                  const Velocity& v) {
    F4 linear[width], angular[width];
    store_rows(linear, {v.linear.x, v.linear.y, v.linear.z, F{}});
    store_rows(angular, {v.angular.x, v.angular.y, v.angular.z, F{}});
    if (used == static_cast<unsigned>(width)) {
        for (int i = 0; i < width; ++i) {
            store_row(bodies[index[i]].velocity, linear[i]);
            store_row(bodies[index[i]].angular_velocity, angular[i]);
        }
        return;
    }
    for (unsigned i = 0; i < used; ++i) {
        store_row(bodies[index[i]].velocity, linear[i]);
        store_row(bodies[index[i]].angular_velocity, angular[i]);
    }
}

/// The two sides of a record.
struct Sides {
    Velocity a, b;
};

template <Part part>
[[gnu::always_inline]] static inline Sides gather(const Record& r, const SolverBody* bodies) {
    return {gather<part>(bodies, r.a, r.moves_a), gather<part>(bodies, r.b, r.moves_b)};
}

[[gnu::always_inline]] static inline void scatter(const Record& r, SolverBody* bodies, const Sides& v) {
    if (r.pushes_a) scatter(bodies, r.a, r.used, v.a);
    if (r.pushes_b) scatter(bodies, r.b, r.used, v.b);
}

}  // namespace talus::TALUS_LANES
