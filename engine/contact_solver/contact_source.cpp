#include "engine/contact_solver/contact_source.h"

#include <cstddef>

namespace talus {

// The kernels read these as rows of floats.
static_assert(offsetof(WorldTransform, position) == 0 && sizeof(WorldTransform) >= 4 * sizeof(double));
static_assert(offsetof(quat, x) == 0 && offsetof(quat, w) == 12);
static_assert(sizeof(ManifoldPoint) == 32 && offsetof(ManifoldPoint, on_b) == 12 &&
              offsetof(ManifoldPoint, separation) == 24);
static_assert(sizeof(Manifold) >= offsetof(Manifold, normal) + 16);
static_assert(offsetof(ContactState, friction) == 16 && offsetof(ContactState, twist_impulse) == 28 &&
              offsetof(ContactState, friction_impulse) == 32 && offsetof(ContactState, slop) == 44);

void match_impulses(ContactState& state, const Manifold& manifold) {
    bool same = state.point_count == manifold.count;
    for (int i = 0; i < manifold.count; ++i) same = same && state.ids[i] == manifold.points[i].id;
    if (same) {
        state.continued = static_cast<std::uint8_t>((1u << manifold.count) - 1u);
        return;
    }
    float carried[max_manifold_points] = {};
    unsigned continued = 0;
    for (int i = 0; i < manifold.count; ++i) {
        for (int k = 0; k < state.point_count; ++k) {
            if (state.ids[k] != manifold.points[i].id) continue;
            carried[i] = state.impulses[k];
            continued |= 1u << i;
        }
    }
    state.continued = static_cast<std::uint8_t>(continued);
    for (int i = 0; i < manifold.count; ++i) {
        state.impulses[i] = carried[i];
        state.ids[i] = manifold.points[i].id;
    }
    state.point_count = manifold.count;
}

void put_surface(float* row, const ContactState& state, const Surface& a, const quat& rotation_a, const Surface& b,
                 const quat& rotation_b) {
    const bool axis_of_a = a.grip_across < b.grip_across;
    const vec3 velocity = rotate(rotation_b, b.velocity) - rotate(rotation_a, a.velocity);
    const vec3 axis = axis_of_a ? rotate(rotation_a, a.grip_axis) : rotate(rotation_b, b.grip_axis);
    const vec3 rows[3] = {velocity, axis, state.rolling_impulse};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) row[4 * k + i] = rows[k][i];
    }
    row[12] = 1.0f;
    row[13] = axis_of_a ? a.grip_across : b.grip_across;
    row[14] = state.rolling_arm;
}

}  // namespace talus
