#pragma once
/// Internal: vectors, matrices and quaternions of lanes for batch_kernel_impl.h.

#include "common/lanes/lane_bits.h"
#include "common/lanes/load_splat.h"
#include "engine/joint_solver/batches/batch_data.h"

namespace talus::TALUS_LANES {

constexpr unsigned lane_count = TALUS_LANE_COUNT;

typedef double D __attribute__((vector_size(8 * lane_count)));
using I = decltype(D{} < D{});  // masks: all bits of a lane, or none
using V3 = LaneVec<D>;
using M3 = LaneMat<D>;
using S3 = LaneSym<D>;
using Q4 = LaneQuat<D>;
using Link = BatchLink<D>;
using Joint = BatchJoint<D>;
using Row = BatchRow<D>;
using Motion = BatchMotion<D>;
using Pose = BatchPose<D>;

/// Whether batch_records.h packs the records as this file reads them. (g++ for ARM64 aligns long vectors to 16 bytes.)
template <template <class> class Record>
constexpr bool same_layout = sizeof(Record<D>) == sizeof(Record<BatchLanes<lane_count>>) &&
                             alignof(Record<D>) == alignof(Record<BatchLanes<lane_count>>);
static_assert(same_layout<BatchLink> && same_layout<BatchJoint> && same_layout<BatchRow> && same_layout<BatchMotion> &&
              same_layout<BatchPose>);

#define TALUS_INLINE [[gnu::always_inline]] static inline

TALUS_INLINE D splat(double x) { return D{} + detail::in_register(x); }
TALUS_INLINE D zero() { return D{}; }
TALUS_INLINE D one() { return splat(1.0); }
TALUS_INLINE D min(D a, D b) { return a < b ? a : b; }
TALUS_INLINE D max(D a, D b) { return a > b ? a : b; }
TALUS_INLINE D abs(D x) {
    return reinterpret_cast<D>(reinterpret_cast<I>(x) & (I{} + static_cast<long long>(0x7fffffffffffffffLL)));
}
TALUS_INLINE D sqrt(D x) {
    D r = x;
    for (unsigned i = 0; i < lane_count; ++i) r[i] = __builtin_sqrt(x[i]);
    return r;
}

// Masks.
TALUS_INLINE I none() { return I{}; }
TALUS_INLINE I is_set(D flag) { return flag != D{}; }
TALUS_INLINE D flag(I mask) { return mask ? one() : zero(); }
/// Returns x where the mask is set, else 0.
TALUS_INLINE D where(I mask, D x) { return reinterpret_cast<D>(mask & reinterpret_cast<I>(x)); }
TALUS_INLINE bool any(I mask) { return lane_bits(mask) != 0; }
TALUS_INLINE I mask_of(unsigned bits) {
    I mask{};
    for (unsigned i = 0; i < lane_count; ++i) mask[i] = (bits >> i & 1u) != 0 ? -1 : 0;
    return mask;
}

TALUS_INLINE D floor(D x) {
    constexpr double whole = 4503599627370496.0;  // doubles of this size and more have no fraction
    const D shift = splat(1.5 * whole), rounded = (x + shift) - shift;
    const D below = rounded > x ? rounded - 1.0 : rounded;
    return abs(x) < 0.5 * whole ? below : x;
}

// Vectors.
TALUS_INLINE V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
TALUS_INLINE V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
TALUS_INLINE V3 operator-(const V3& a) { return {-a.x, -a.y, -a.z}; }
TALUS_INLINE V3 operator*(D s, const V3& a) { return {s * a.x, s * a.y, s * a.z}; }
TALUS_INLINE void operator+=(V3& a, const V3& b) { a = a + b; }
TALUS_INLINE D dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TALUS_INLINE V3 cross(const V3& a, const V3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TALUS_INLINE V3 select(I mask, const V3& a, const V3& b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
TALUS_INLINE V3 no_vector() { return {D{}, D{}, D{}}; }
/// An upper bound of the length.
TALUS_INLINE D bound_of(const V3& v) { return abs(v.x) + abs(v.y) + abs(v.z); }

// Matrices.
TALUS_INLINE V3 operator*(const M3& m, const V3& v) { return v.x * m.x + v.y * m.y + v.z * m.z; }
TALUS_INLINE M3 operator*(const M3& a, const M3& b) { return {a * b.x, a * b.y, a * b.z}; }
/// Returns the product of m's transpose and v.
TALUS_INLINE V3 transpose_mul(const M3& m, const V3& v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
TALUS_INLINE const V3& column(const M3& m, unsigned i) { return i == 0 ? m.x : i == 1 ? m.y : m.z; }
TALUS_INLINE D component(const V3& v, unsigned i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
TALUS_INLINE V3 operator*(const S3& m, const V3& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
TALUS_INLINE S3 operator+(const S3& a, const S3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
TALUS_INLINE S3 operator*(D s, const S3& m) { return {s * m.xx, s * m.yy, s * m.zz, s * m.xy, s * m.xz, s * m.yz}; }
TALUS_INLINE S3 select(I mask, const S3& a, const S3& b) {
    return {mask ? a.xx : b.xx, mask ? a.yy : b.yy, mask ? a.zz : b.zz,
            mask ? a.xy : b.xy, mask ? a.xz : b.xz, mask ? a.yz : b.yz};
}
/// Returns v v^T.
TALUS_INLINE S3 outer(const V3& v) { return {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z}; }
TALUS_INLINE S3 scaled_identity(D s) { return {s, s, s, D{}, D{}, D{}}; }
TALUS_INLINE M3 full(const S3& m) { return {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}}; }
/// Returns the symmetric matrix with these principal axes and values.
TALUS_INLINE S3 with_principal(const M3& axes, const V3& values) {
    const V3 x = values.x * axes.x, y = values.y * axes.y, z = values.z * axes.z;
    const auto entry = [](D x0, D x1, D y0, D y1, D z0, D z1) { return x0 * x1 + y0 * y1 + z0 * z1; };
    return {entry(x.x, axes.x.x, y.x, axes.y.x, z.x, axes.z.x), entry(x.y, axes.x.y, y.y, axes.y.y, z.y, axes.z.y),
            entry(x.z, axes.x.z, y.z, axes.y.z, z.z, axes.z.z), entry(x.x, axes.x.y, y.x, axes.y.y, z.x, axes.z.y),
            entry(x.x, axes.x.z, y.x, axes.y.z, z.x, axes.z.z), entry(x.y, axes.x.z, y.y, axes.y.z, z.y, axes.z.z)};
}
TALUS_INLINE M3 inverse(const M3& m) {
    const V3 yz = cross(m.y, m.z), zx = cross(m.z, m.x), xy = cross(m.x, m.y);
    const D scale = one() / dot(m.x, yz);
    const V3 a = scale * yz, b = scale * zx, c = scale * xy;  // rows of the inverse
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
}

// Quaternions.
TALUS_INLINE Q4 operator*(const Q4& a, const Q4& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
TALUS_INLINE Q4 conjugate(const Q4& q) { return {q.w, -q.x, -q.y, -q.z}; }
TALUS_INLINE Q4 select(I mask, const Q4& a, const Q4& b) {
    return {mask ? a.w : b.w, mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
TALUS_INLINE M3 to_matrix(const Q4& q) {
    const D x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const D xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const D wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return {
        {1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}
/// Returns q rotated by the rotation vector w, normalised. See integrate_rotation() in talus/math.h.
TALUS_INLINE Q4 rotated_by(const Q4& q, const V3& w) {
    const D h2 = 0.25 * dot(w, w);
    const D cosine =
        1.0 + h2 * (-1.0 / 2 + h2 * (1.0 / 24 + h2 * (-1.0 / 720 + h2 * (1.0 / 40320 + h2 * (-1.0 / 3628800)))));
    const D sine_over_angle =
        1.0 + h2 * (-1.0 / 6 + h2 * (1.0 / 120 + h2 * (-1.0 / 5040 + h2 * (1.0 / 362880 + h2 * (-1.0 / 39916800)))));
    const D s = 0.5 * sine_over_angle;
    const Q4 r = Q4{cosine, s * w.x, s * w.y, s * w.z} * q;
    const D scale = 1.0 / sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
    return {scale * r.w, scale * r.x, scale * r.y, scale * r.z};
}

}  // namespace talus::TALUS_LANES
