#pragma once
/// Internal: the pose of b in a's frame and how far b has moved there, for four pairs at once, one lane per pair.

#include <talus/math.h>
#include "common/lanes/lanes.h"

#include <cmath>
#include <cstddef>
#include <cstring>

namespace talus::detail {

/// Four rotations or poses, as lanes.
struct QuatLanes {
    Float4 x, y, z, w;
};
struct TransformLanes {
    Vec3Lanes<Float4> position;
    QuatLanes rotation;
};

inline TransformLanes load_transforms(const Transform* const (&from)[4]) {
    static_assert(sizeof(Transform) == 7 * sizeof(float) && offsetof(Transform, rotation) == 3 * sizeof(float));
    Float4 low[4], high[4];  // position and the rotation's first number; the rotation
    for (int i = 0; i < 4; ++i) {
        std::memcpy(&low[i], &from[i]->position, sizeof low[i]);
        std::memcpy(&high[i], &from[i]->rotation, sizeof high[i]);
    }
    transpose(low[0], low[1], low[2], low[3]);
    transpose(high[0], high[1], high[2], high[3]);
    static_assert(offsetof(quat, x) == 0 && offsetof(quat, w) == 3 * sizeof(float));
    return {{low[0], low[1], low[2]}, {high[0], high[1], high[2], high[3]}};
}

inline QuatLanes load_rotations(const WorldTransform* const (&from)[4]) {
    static_assert(offsetof(quat, x) == 0 && offsetof(quat, w) == 3 * sizeof(float));
    Float4 rows[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&rows[i], &from[i]->rotation, sizeof rows[i]);
    transpose(rows[0], rows[1], rows[2], rows[3]);
    return {rows[0], rows[1], rows[2], rows[3]};
}

/// Returns the poses as seen from other places: `from` less `origins`. The differences are exact before they are rounded.
inline TransformLanes load_transforms(const WorldTransform* const (&from)[4],
                                      const WorldTransform* const (&origins)[4]) {
    static_assert(offsetof(WorldTransform, rotation) == 3 * sizeof(double));
    using Double4 = double __attribute__((vector_size(32)));
    Float4 place[4], rotation[4];
    for (int i = 0; i < 4; ++i) {
        Double4 to, origin;  // the last number is half of the rotation, and not used
        std::memcpy(&to, from[i], sizeof to);
        std::memcpy(&origin, origins[i], sizeof origin);
        to[3] = origin[3] = 0.0;
        place[i] = __builtin_convertvector(to - origin, Float4);
        std::memcpy(&rotation[i], &from[i]->rotation, sizeof rotation[i]);
    }
    transpose(place[0], place[1], place[2], place[3]);
    transpose(rotation[0], rotation[1], rotation[2], rotation[3]);
    static_assert(offsetof(quat, x) == 0 && offsetof(quat, w) == 3 * sizeof(float));
    return {{place[0], place[1], place[2]}, {rotation[0], rotation[1], rotation[2], rotation[3]}};
}

inline void store_transforms(const TransformLanes& t, Transform (&to)[4]) {
    Float4 low[4] = {t.position.x, t.position.y, t.position.z, t.rotation.x};
    Float4 high[4] = {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
    transpose(low[0], low[1], low[2], low[3]);
    transpose(high[0], high[1], high[2], high[3]);
    for (int i = 0; i < 4; ++i) {
        std::memcpy(&to[i].position, &low[i], sizeof low[i]);
        std::memcpy(&to[i].rotation, &high[i], sizeof high[i]);
    }
}

/// Returns b's pose in a's frame, with the same bits as `relative` (math.h). b's position is that seen from a's.
inline TransformLanes relative(const QuatLanes& a, const TransformLanes& b) {
    const QuatLanes p{-a.x, -a.y, -a.z, a.w}, &q = b.rotation;
    const Vec3Lanes<Float4> u{p.x, p.y, p.z}, &v = b.position;
    const Vec3Lanes<Float4> t = splat<Float4>(2.0f) * cross(u, v);
    return {v + p.w * t + cross(u, t),
            {p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
             p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z}};
}

/// Returns a bound on how far any point within `radius` of b's origin has moved in a's frame between two poses:
/// translation plus 2 r |dq|, where |dq| is the distance of the two unit quaternions (of either sign), 2 sin(angle /
/// 4).
inline float motion_bound(const Transform& from, const Transform& to, float radius) {
    const vec3 d = to.position - from.position;
    const quat &p = from.rotation, &q = to.rotation;
    const float sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0f ? -1.0f : 1.0f;
    const float w = q.w - sign * p.w, x = q.x - sign * p.x, y = q.y - sign * p.y, z = q.z - sign * p.z;
    return std::sqrt(glm::dot(d, d)) + 2.0f * radius * std::sqrt(w * w + x * x + y * y + z * z);
}

/// The same for four pairs, with the same bits.
inline Float4 motion_bound(const TransformLanes& from, const TransformLanes& to, Float4 radius) {
    const Vec3Lanes<Float4> d = to.position - from.position;
    const QuatLanes &p = from.rotation, &q = to.rotation;
    const Float4 cosine = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
    const Float4 sign = cosine < 0.0f ? splat<Float4>(-1.0f) : splat<Float4>(1.0f);
    const Float4 w = q.w - sign * p.w, x = q.x - sign * p.x, y = q.y - sign * p.y, z = q.z - sign * p.z;
    return sqrt_lanes(dot(d, d)) + 2.0f * radius * sqrt_lanes(w * w + x * x + y * y + z * z);
}

}  // namespace talus::detail
