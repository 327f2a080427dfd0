#include <talus/engine/body_motions.h>

#include <talus/engine/motion_lanes.h>
#include <talus/engine/settings.h>

#include <algorithm>

namespace talus {

namespace {

template <int width>
void put(Vec3Lanes<LaneArray<width>>& field, int lane, const vec3& v) {
    field.x[lane] = v.x, field.y[lane] = v.y, field.z[lane] = v.z;
}

template <int width>
void put(SymmetricLanes<LaneArray<width>>& field, int lane, const mat3& m) {
    field.xx[lane] = m[0][0], field.yy[lane] = m[1][1], field.zz[lane] = m[2][2];
    field.xy[lane] = m[0][1], field.xz[lane] = m[0][2], field.yz[lane] = m[1][2];
}

template <int width>
void put(MotionLanes<LaneArray<width>>& m, int lane, const BodyMotion& motion) {
    put<width>(m.acceleration, lane, motion.acceleration);
    put<width>(m.angular_acceleration, lane, motion.angular_acceleration);
    m.linear_damping[lane] = motion.linear_damping;
    m.angular_damping[lane] = motion.angular_damping;
    m.turn_x[lane] = m.turn_y[lane] = m.turn_z[lane] = 0.0f;
    m.turn_w[lane] = 1.0f;
    m.gyroscopic[lane] = motion.gyroscopic ? 1.0f : 0.0f;
    if (!motion.gyroscopic) return;
    put<width>(m.inertia, lane, motion.inertia);
    put<width>(m.inverse_inertia, lane, motion.inverse_inertia);
    put<width>(m.momentum, lane, motion.inertia * motion.spin);
    put<width>(m.handed_out, lane, motion.spin);
}

template <int width>
quat turn_of(const MotionLanes<LaneArray<width>>& m, int lane) {
    return quat(m.turn_w[lane], m.turn_x[lane], m.turn_y[lane], m.turn_z[lane]);
}

template <int width>
void set_spin(MotionLanes<LaneArray<width>>& m, int lane, const vec3& spin) {
    if (m.gyroscopic[lane] == 0.0f) return;
    const mat3 inertia(m.inertia.xx[lane], m.inertia.xy[lane], m.inertia.xz[lane], m.inertia.xy[lane],
                       m.inertia.yy[lane], m.inertia.yz[lane], m.inertia.xz[lane], m.inertia.yz[lane],
                       m.inertia.zz[lane]);
    const quat turn = turn_of<width>(m, lane);
    put<width>(m.handed_out, lane, spin);
    put<width>(m.momentum, lane, rotate(turn, inertia * inverse_rotate(turn, spin)));
}

}  // namespace

void BodyMotions::reset(std::size_t bodies) {
    const std::size_t groups = (bodies + kernel_->lanes - 1) / kernel_->lanes;
    lines_.resize((groups * kernel_->motion_bytes + sizeof(Line) - 1) / sizeof(Line));
}

void BodyMotions::set(std::size_t body, const BodyMotion& motion) {
    const int lane = static_cast<int>(body % kernel_->lanes);
    void* const at = group(body / kernel_->lanes);
    if (kernel_->lanes == 8) {
        put<8>(*static_cast<MotionLanes<LaneArray<8>>*>(at), lane, motion);
    } else {
        put<4>(*static_cast<MotionLanes<LaneArray<4>>*>(at), lane, motion);
    }
}

quat BodyMotions::turn(std::size_t body) const {
    const int lane = static_cast<int>(body % kernel_->lanes);
    const void* const at = const_cast<BodyMotions*>(this)->group(body / kernel_->lanes);
    return kernel_->lanes == 8 ? turn_of<8>(*static_cast<const MotionLanes<LaneArray<8>>*>(at), lane)
                               : turn_of<4>(*static_cast<const MotionLanes<LaneArray<4>>*>(at), lane);
}

void BodyMotions::set_spin(std::size_t body, const vec3& spin) {
    const int lane = static_cast<int>(body % kernel_->lanes);
    void* const at = group(body / kernel_->lanes);
    if (kernel_->lanes == 8) {
        talus::set_spin<8>(*static_cast<MotionLanes<LaneArray<8>>*>(at), lane, spin);
    } else {
        talus::set_spin<4>(*static_cast<MotionLanes<LaneArray<4>>*>(at), lane, spin);
    }
}

void BodyMotions::run(Pass pass, std::uint32_t first, std::uint32_t last, std::span<SolverBody> bodies, float substep,
                      int substeps, float max_speed) {
    MotionPassInput in;
    in.bodies = bodies.data() + first;
    in.motions = group(first / kernel_->lanes);
    in.count = (last - first) / kernel_->lanes;
    in.substep = substep;
    in.max_speed = max_speed;
    in.max_spin = settings::max_rotation_per_substep / substep;
    in.substeps = static_cast<unsigned>(substeps);
    (kernel_->*pass)(in);
}

}  // namespace talus
