#include "engine/bodies/body_motions.h"

#include "engine/bodies/free_turn.h"
#include "engine/contact_solver/motion_lanes.h"
#include "engine/settings.h"

#include <algorithm>
#include <type_traits>

namespace talus {

namespace {

template <class F>
void put(Vec3Lanes<F>& field, int lane, const vec3& v) {
    field.x[lane] = v.x, field.y[lane] = v.y, field.z[lane] = v.z;
}

template <class F>
vec3 get(const Vec3Lanes<F>& field, int lane) {
    return vec3(field.x[lane], field.y[lane], field.z[lane]);
}

template <class F>
quat turn_of(const MotionLanes<F>& m, int lane) {
    return quat(m.turn_w[lane], m.turn_x[lane], m.turn_y[lane], m.turn_z[lane]);
}

/// Returns the present principal axes.
template <class F>
quat axes_of(const MotionLanes<F>& m, int lane) {
    return multiply(turn_of(m, lane), quat(m.axes_w[lane], m.axes_x[lane], m.axes_y[lane], m.axes_z[lane]));
}

}  // namespace

template <class F>
decltype(auto) BodyMotions::at(std::size_t body, F&& f) {
    return kernel_->lanes == 8
               ? f(*static_cast<MotionLanes<LaneArray<8>>*>(group(body / 8)), static_cast<int>(body % 8))
               : f(*static_cast<MotionLanes<LaneArray<4>>*>(group(body / 4)), static_cast<int>(body % 4));
}

template <class F>
decltype(auto) BodyMotions::at(std::size_t body, F&& f) const {
    return kernel_->lanes == 8
               ? f(*static_cast<const MotionLanes<LaneArray<8>>*>(group(body / 8)), static_cast<int>(body % 8))
               : f(*static_cast<const MotionLanes<LaneArray<4>>*>(group(body / 4)), static_cast<int>(body % 4));
}

void BodyMotions::reset(std::size_t bodies, bool finds_stale) {
    finds_stale_ = finds_stale;
    const std::size_t groups = (bodies + kernel_->lanes - 1) / kernel_->lanes;
    lines_.resize((groups * kernel_->motion_bytes + sizeof(Line) - 1) / sizeof(Line));
}

void BodyMotions::set(std::size_t body, const BodyMotion& motion) {
    at(body, [&](auto& m, int lane) {
        put(m.acceleration, lane, motion.acceleration);
        put(m.angular_acceleration, lane, motion.angular_acceleration);
        m.linear_damping[lane] = motion.linear_damping;
        m.angular_damping[lane] = motion.angular_damping;
        m.max_spin[lane] = motion.max_spin;
        m.turn_x[lane] = m.turn_y[lane] = m.turn_z[lane] = 0.0f;
        m.turn_w[lane] = 1.0f;
        if (finds_stale_) {
            put(m.first_own_axis, lane, motion.own_axis);
            put(m.own_axis, lane, motion.own_axis);
            put(m.turn_then, lane, vec3(0.0f));
            m.stale_by_spin2[lane] = motion.stale_by_spin * motion.stale_by_spin;
            m.stale_by_tilt2[lane] = motion.stale_by_tilt * motion.stale_by_tilt;
            m.stale[lane] = 0.0f;
        }
        m.jointed[lane] = motion.jointed ? 1.0f : 0.0f;
        m.gyroscopic[lane] = motion.gyroscopic ? 1.0f : 0.0f;
        m.mass[lane] = motion.mass;
        put(m.torque, lane, motion.torque);
        put(m.moments, lane, motion.moments);
        m.axes_x[lane] = m.then_x[lane] = motion.axes.x;
        m.axes_y[lane] = m.then_y[lane] = motion.axes.y;
        m.axes_z[lane] = m.then_z[lane] = motion.axes.z;
        m.axes_w[lane] = m.then_w[lane] = motion.axes.w;
        if (!motion.gyroscopic) return;
        put(m.inverse_moments, lane, motion.inverse_moments);
        put(m.momentum, lane, motion.momentum);
        put(m.handed_out, lane, motion.spin);
    });
}

quat BodyMotions::turn(std::size_t body) const {
    return at(body, [](const auto& m, int lane) { return turn_of(m, lane); });
}

float* BodyMotions::turn_at(std::size_t body) {
    return at(body, [](auto& m, int lane) { return &m.turn_x.at[lane]; });
}

BodyMotions::SpinPlaces BodyMotions::spin_places() const {
    const auto places = []<class F>(std::type_identity<F>) {
        const MotionLanes<F> m{};
        return SpinPlaces{static_cast<int>(m.momentum.x.at - m.turn_x.at),
                          static_cast<int>(m.handed_out.x.at - m.turn_x.at)};
    };
    return turn_stride() == 8 ? places(std::type_identity<LaneArray<8>>()) : places(std::type_identity<LaneArray<4>>());
}

bool BodyMotions::is_gyroscopic(std::size_t body) const {
    return at(body, [](const auto& m, int lane) { return m.gyroscopic[lane] > 0.0f; });
}

bool BodyMotions::any_stale(std::size_t body) const {
    return at(body, [](const auto& m, int) { return m.any_stale != 0; });
}

bool BodyMotions::is_stale(std::size_t body) const {
    return at(body, [](const auto& m, int lane) { return m.stale[lane] > 0.0f; });
}

vec3 BodyMotions::momentum(std::size_t body, const vec3& spin) const {
    return at(body, [&](const auto& m, int lane) {
        const quat axes(m.then_w[lane], m.then_x[lane], m.then_y[lane], m.then_z[lane]);
        return get(m.momentum, lane) +
               rotate(axes, get(m.moments, lane) * inverse_rotate(axes, spin - get(m.handed_out, lane)));
    });
}

vec3 BodyMotions::moments(std::size_t body) const {
    return at(body, [](const auto& m, int lane) { return get(m.moments, lane); });
}

static glm::dmat3 columns(const quat& rotation) { return glm::mat3_cast(glm::normalize(glm::dquat(rotation))); }

glm::dmat3 BodyMotions::solver_inertia(std::size_t body, bool now) const {
    return at(body, [&](const auto& m, int lane) {
        const glm::dvec3 moments(get(m.moments, lane));
        if (moments.x == moments.y && moments.y == moments.z) return glm::dmat3(moments.x);
        const quat then(m.then_w[lane], m.then_x[lane], m.then_y[lane], m.then_z[lane]);
        return with_eigenvalues(moments, columns(now ? axes_of(m, lane) : then));
    });
}

glm::dmat3 BodyMotions::inverse_solver_inertia(std::size_t body) const {
    return at(body, [&](const auto& m, int lane) {
        const glm::dvec3 inverse = 1.0 / glm::dvec3(get(m.moments, lane));
        if (inverse.x == inverse.y && inverse.y == inverse.z) return glm::dmat3(inverse.x);
        const quat then(m.then_w[lane], m.then_x[lane], m.then_y[lane], m.then_z[lane]);
        return with_eigenvalues(inverse, columns(then));
    });
}

void BodyMotions::set_spin(std::size_t body, const vec3& spin) {
    at(body, [&](auto& m, int lane) {
        if (m.gyroscopic[lane] == 0.0f) return;
        const quat axes = axes_of(m, lane);
        put(m.handed_out, lane, spin);
        put(m.momentum, lane, rotate(axes, get(m.moments, lane) * inverse_rotate(axes, spin)));
    });
}

void BodyMotions::renew(std::size_t body, const vec3& turn) {
    at(body, [&](auto& m, int lane) {
        put(m.own_axis, lane, rotate(turn_of(m, lane), get(m.first_own_axis, lane)));
        put(m.turn_then, lane, turn);
        m.stale[lane] = 0.0f;
        if (m.gyroscopic[lane] == 0.0f) return;
        const quat axes = axes_of(m, lane);
        m.then_x[lane] = axes.x, m.then_y[lane] = axes.y, m.then_z[lane] = axes.z, m.then_w[lane] = axes.w;
    });
}

bool BodyMotions::any_gain(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t i = first; i < last; i += kernel_->lanes) {
        if (at(i, [](const auto& m, int) { return m.any_gain != 0; })) return true;
    }
    return false;
}

BodyMotions::Unpushed BodyMotions::unpushed(std::size_t body, float substep, float max_speed) const {
    return at(body, [&](const auto& m, int lane) {
        const auto after = [&](const auto& before, const auto& gain, float damping) {
            return damping * (get(before, lane) + substep * get(gain, lane));
        };
        Unpushed u;
        u.max_spin = m.max_spin[lane];
        u.velocity = limited(after(m.old_velocity, m.acceleration, m.linear_damping[lane]), max_speed);
        u.spin = limited(after(m.old_spin, m.angular_acceleration, m.angular_damping[lane]), u.max_spin);
        u.turn = quat(m.old_turn_w[lane], m.old_turn_x[lane], m.old_turn_y[lane], m.old_turn_z[lane]);
        u.acceleration = get(m.acceleration, lane);
        u.torque = get(m.torque, lane);
        return u;
    });
}

BodyMotions::Unpushed BodyMotions::calm(std::size_t body) const {
    return at(body, [&](const auto& m, int lane) {
        return Unpushed{get(m.calm_velocity, lane), get(m.calm_spin, lane), turn_of(m, lane),
                        get(m.acceleration, lane),  get(m.torque, lane),    m.max_spin[lane]};
    });
}

void BodyMotions::run(Pass pass, std::uint32_t first, std::uint32_t last, std::span<SolverBody> bodies, float substep,
                      float max_speed) {
    MotionPassInput in;
    in.bodies = bodies.data() + first;
    in.motions = group(first / kernel_->lanes);
    in.count = (last - first) / kernel_->lanes;
    in.substep = substep;
    in.max_speed = max_speed;
    in.finds_stale = finds_stale_;
    (kernel_->*pass)(in);
}

}  // namespace talus
