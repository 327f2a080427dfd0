#include "engine/debug_draw/parts.h"
#include "engine/joints/joint_geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::debug_draw {

namespace {

bool holds(const Joint& joint, int row) { return (joint.state.pressed >> row & 1u) != 0; }

/// Draws a joint of any kind except a gear. Its points are relative to the origin of frame A.
struct JointFigure {
    const Joint& joint;
    const Body &body_a, &body_b;
    JointPose pose;
    Pen pen;
    Coordinates at;
    vec3 anchor_a, anchor_b;
    vec3 a[3], b[3];  ///< axes of the frames
    float size;       ///< size of the drawing, m

    JointFigure(DebugDraw& out, const Joint& j, const Body& first, const Body& second)
        : joint(j),
          body_a(first),
          body_b(second),
          pose(joint_pose(j, first, second)),
          pen(out, displaced(first.center, vec3(pose.arm_a))),
          at(coordinates(j.kind, pose, j.state.angle)),
          anchor_a(0.0f),
          anchor_b(pose.apart),
          size(0.6f * std::min(first.radius, second.radius)) {
        for (int i = 0; i < 3; ++i) a[i] = vec3(pose.a[i]), b[i] = vec3(pose.b[i]);
    }

    const AxisDef& axis(int i) const { return joint.axes[static_cast<std::size_t>(i)]; }
    double coordinate(int i) const { return at[static_cast<std::size_t>(i)]; }

    bool is_held(int i, bool upper) const {
        return holds(joint, limit_row(i)) && ((joint.state.at_upper >> limit_row(i) & 1u) != 0) == upper;
    }
    Color limit_color(int i, bool upper) const { return is_held(i, upper) ? colors::limit_held : colors::limit; }

    void frames() const {
        const auto draw_frame = [&](const vec3& origin, const vec3(&axes)[3], float length) {
            pen.line(origin, origin + length * axes[0], colors::axis_x);
            pen.line(origin, origin + length * axes[1], colors::axis_y);
            pen.line(origin, origin + length * axes[2], colors::axis_z);
            pen.point(origin, 6.0f, colors::joint);
        };
        draw_frame(anchor_a, a, 0.5f * size);
        draw_frame(anchor_b, b, 0.35f * size);
        if (body_a.type != BodyType::fixed) pen.line(anchor_a - vec3(pose.arm_a), anchor_a, colors::arm);
        if (body_b.type != BodyType::fixed) pen.line(anchor_b - vec3(pose.arm_b), anchor_b, colors::arm);
    }

    /// Draws the range of a rotation, with angles from u towards v, and a line at the joint's coordinate.
    void turn(int i, const vec3& center, const vec3& u, const vec3& v) const {
        const JointLimit& limit = axis(i).limit;
        const auto towards = [&](double angle) {
            return static_cast<float>(std::cos(angle)) * u + static_cast<float>(std::sin(angle)) * v;
        };
        const auto ray = [&](double angle, float length, Color color) {
            pen.line(center, center + length * towards(angle), color);
        };
        const bool has_lower = std::isfinite(limit.lower), has_upper = std::isfinite(limit.upper);
        const double lower = double{limit.lower}, upper = double{limit.upper};
        if (has_lower && has_upper && upper - lower < 2.0 * pi) {
            pen.arc(center, u, v, size, lower, upper, colors::limit);
        } else {
            pen.circle(center, u, v, size, faded(colors::limit, 120));
        }
        if (has_lower) ray(lower, size, limit_color(i, false));
        if (has_upper && upper != lower) ray(upper, size, limit_color(i, true));
        if (axis(i).spring.hertz > 0.0f) ray(double{axis(i).spring.target}, 0.8f * size, colors::target);
        const double now = coordinate(i);
        ray(now, 1.1f * size, colors::joint);
        const JointMotor& motor = axis(i).motor;
        if (motor.max_force > 0.0f && motor.speed != 0.0f) {
            const double ahead = now + (motor.speed > 0.0f ? 0.5 : -0.5) * pi;
            const vec3 tip = center + 1.1f * size * towards(now);
            pen.arrow(tip, tip + 0.6f * size * towards(ahead), colors::target);
        }
    }

    /// Draws the range of a displacement from `origin` along a unit axis.
    void move(int i, const vec3& origin, const vec3& along) const {
        const JointLimit& limit = axis(i).limit;
        const auto now = static_cast<float>(coordinate(i));
        const bool has_lower = std::isfinite(limit.lower), has_upper = std::isfinite(limit.upper);
        const float from = has_lower ? limit.lower : std::min(0.0f, now) - 2.0f * size;
        const float to = has_upper ? limit.upper : std::max(0.0f, now) + 2.0f * size;
        pen.line(origin + from * along, origin + to * along, colors::limit);
        if (has_lower) pen.tick(origin + from * along, along, 0.3f * size, limit_color(i, false));
        if (has_upper && to != from) pen.tick(origin + to * along, along, 0.3f * size, limit_color(i, true));
        const AxisDef& def = axis(i);
        if (def.spring.hertz > 0.0f) pen.tick(origin + def.spring.target * along, along, 0.2f * size, colors::target);
        pen.point(origin + now * along, 8.0f, colors::joint);
        if (def.motor.max_force > 0.0f && def.motor.speed != 0.0f) {
            const vec3 tip = origin + now * along;
            pen.arrow(tip, tip + (def.motor.speed > 0.0f ? 1.0f : -1.0f) * size * along, colors::target);
        }
    }

    bool is_locked(int i) const { return axis(i).limit.lower == axis(i).limit.upper; }

    /// Draws the range of the twist about x in frame B. The twist is the rotation of B that remains after the swing of
    /// its x axis.
    void twist() const {
        const auto c = static_cast<float>(std::cos(at[3])), s = static_cast<float>(std::sin(at[3]));
        turn(3, anchor_b, c * b[1] - s * b[2], s * b[1] + c * b[2]);
    }

    void ball() const {
        const JointLimit& limit = axis(3).limit;
        if (std::isfinite(limit.lower) || std::isfinite(limit.upper)) twist();
        if (!(joint.cone < static_cast<float>(pi))) return;
        const float length = 1.5f * size;
        const Color color = holds(joint, cone_row) ? colors::limit_held : colors::limit;
        const float reach = length * std::cos(joint.cone), radius = length * std::sin(joint.cone);
        pen.circle(anchor_a + reach * a[0], a[1], a[2], radius, color);
        constexpr int lines = 8;
        for (int i = 0; i < lines; ++i) {
            const double angle = 2.0 * pi * i / lines;
            const vec3 side = static_cast<float>(std::cos(angle)) * a[1] + static_cast<float>(std::sin(angle)) * a[2];
            pen.line(anchor_a, anchor_a + reach * a[0] + radius * side, faded(color, 140));
        }
        pen.line(anchor_a, anchor_a + length * b[0], colors::joint);
    }

    void fixed() const {
        pen.line(anchor_a, anchor_b, colors::joint);
        pen.box({anchor_a, multiply(body_a.rotation, joint.frame_a.rotation)}, vec3(0.25f * size), colors::joint);
    }

    void distance() const {
        const JointLimit& limit = axis(0).limit;
        const auto length = static_cast<float>(at[0]);
        const vec3 along = length > 1e-6f * size ? (anchor_b - anchor_a) / length : a[0];
        const bool at_end = length <= 1.001f * limit.lower || length >= 0.999f * limit.upper;
        const bool coil = axis(0).spring.hertz > 0.0f && !is_locked(0);
        const Color color = at_end || coil ? colors::joint : colors::slack;
        if (coil) {
            const vec3 side = any_perpendicular(along);
            constexpr int turns = 12;
            vec3 last = anchor_a;
            for (int i = 0; i < turns; ++i) {
                const float part = (static_cast<float>(i) + 0.5f) / turns;
                const vec3 next = anchor_a + part * length * along + (i % 2 == 0 ? 0.15f : -0.15f) * size * side;
                pen.line(last, next, color);
                last = next;
            }
            pen.line(last, anchor_b, color);
            pen.tick(anchor_a + axis(0).spring.target * along, along, 0.15f * size, colors::target);
        } else {
            pen.line(anchor_a, anchor_b, color);
        }
        if (is_locked(0)) return;
        if (limit.lower > 0.0f) pen.tick(anchor_a + limit.lower * along, along, 0.2f * size, limit_color(0, false));
        if (std::isfinite(limit.upper))
            pen.tick(anchor_a + limit.upper * along, along, 0.2f * size, limit_color(0, true));
    }

    void six_dof() const {
        pen.line(anchor_a, anchor_b, colors::joint);
        for (int i = 0; i < 3; ++i) {
            if (!is_locked(i)) move(i, anchor_a, a[i]);
        }
        if (!is_locked(3)) twist();
        if (!is_locked(4)) turn(4, anchor_a, a[0], -a[2]);
        if (!is_locked(5)) turn(5, anchor_a, a[0], a[1]);
    }

    void wheel() const {
        move(1, anchor_a, a[1]);
        if (!is_locked(4)) turn(4, anchor_a, a[0], -a[2]);
        pen.line(anchor_b - size * b[0], anchor_b + size * b[0], colors::joint);
        pen.circle(anchor_b, b[1], b[2], size, colors::joint);
        pen.line(anchor_b, anchor_b + size * b[1], colors::joint);
        const JointMotor& motor = axis(3).motor;
        if (motor.max_force > 0.0f && motor.speed != 0.0f) {
            const vec3 top = anchor_b + size * b[1];
            pen.arrow(top, top + (motor.speed > 0.0f ? 0.6f : -0.6f) * size * b[2], colors::target);
        }
    }

    void motor(float velocity_scale) const {
        const JointDrive& drive = joint.drive;
        const Transform frame{anchor_a, multiply(body_a.rotation, joint.frame_a.rotation)};
        const vec3 velocity = rotate(frame.rotation, drive.velocity);
        const vec3 spin = rotate(frame.rotation, drive.angular_velocity);
        if (velocity != vec3(0.0f)) pen.arrow(anchor_b, anchor_b + velocity_scale * velocity, colors::target);
        if (spin != vec3(0.0f)) pen.arrow(anchor_b, anchor_b + velocity_scale * spin, colors::spin);
        if (drive.linear_hertz <= 0.0f && drive.angular_hertz <= 0.0f) return;
        Transform target = multiply(frame, drive.target);
        if (drive.linear_hertz <= 0.0f) target.position = anchor_b;
        pen.axes(target, 0.7f * size);
        pen.line(anchor_b, target.position, colors::target);
    }
};

/// Draws a line between the anchors of the two joints that the gear couples, and its ratio.
void draw_gear(DebugDraw& out, const DebugDrawOptions& options, const JointStore& joints, const BodyStore& bodies,
               const Joint& gear) {
    dvec3 anchors[2];
    for (int i = 0; i < 2; ++i) {
        const JointBodies ends = joints.bodies(gear.geared[i]);
        const Joint& tied = joints[gear.geared[i]];
        anchors[i] = transform_point(bodies[ends.b].pose(), tied.frame_b.position);
    }
    if (!overlaps(WorldAabb{glm::min(anchors[0], anchors[1]), glm::max(anchors[0], anchors[1])}, options.region))
        return;
    const Pen pen(out, anchors[0]);
    const vec3 from(0.0f), to(anchors[1] - anchors[0]);
    for (const vec3& anchor : {from, to}) pen.point(anchor, 8.0f, colors::joint);
    pen.line(from, to, colors::joint);
    char text[32];
    std::snprintf(text, sizeof text, "x %.4g", gear.ratio);
    pen.text(0.5f * to, text, colors::text);
}

}  // namespace

void draw_joint(DebugDraw& out, const DebugDrawOptions& options, const JointStore& joints, const BodyStore& bodies,
                std::uint32_t slot) {
    const Joint& joint = joints[slot];
    if (joint.kind == JointKind::gear) {
        draw_gear(out, options, joints, bodies, joint);
        return;
    }
    const JointBodies ends = joints.bodies(slot);
    const JointFigure figure(out, joint, bodies[ends.a], bodies[ends.b]);
    const Aabb box{glm::min(figure.anchor_a, figure.anchor_b), glm::max(figure.anchor_a, figure.anchor_b)};
    if (!overlaps(translated(box, figure.pen.origin()), options.region)) return;
    figure.frames();
    switch (joint.kind) {
        case JointKind::ball:
            figure.ball();
            break;
        case JointKind::hinge:
            figure.turn(3, figure.anchor_a, figure.a[1], figure.a[2]);
            break;
        case JointKind::slider:
            figure.move(0, figure.anchor_a, figure.a[0]);
            break;
        case JointKind::fixed:
            figure.fixed();
            break;
        case JointKind::distance:
            figure.distance();
            break;
        case JointKind::six_dof:
            figure.six_dof();
            break;
        case JointKind::wheel:
            figure.wheel();
            break;
        case JointKind::motor:
            figure.motor(options.velocity_scale);
            break;
        case JointKind::gear:
            break;
    }
}

}  // namespace talus::debug_draw
