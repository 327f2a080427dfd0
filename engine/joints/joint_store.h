#pragma once
/// Joints as index-only arrays. Bodies know their joints through linked lists, whose heads are kept here, so that
/// bodies without joints pay nothing.

#include <talus/engine/joints/joint.h>
#include "engine/bodies/body_store.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

inline constexpr int joint_axes = 6;  ///< moves along x, y, z, turns about x, y, z

/// Rows that a joint may have, by number: for each axis its limit (or lock), motor and spring, then the cone and the
/// two drives. The number names the row from step to step.
inline constexpr int cone_row = 3 * joint_axes;
inline constexpr int linear_drive_row = cone_row + 1;   ///< and the next two
inline constexpr int angular_drive_row = cone_row + 4;  ///< and the next two
inline constexpr int joint_rows = cone_row + 7;
inline constexpr int limit_row(int axis) { return 3 * axis; }
inline constexpr int motor_row(int axis) { return 3 * axis + 1; }
inline constexpr int spring_row(int axis) { return 3 * axis + 2; }

struct Joint {
    JointKind kind = JointKind::ball;
    bool in_use = false;
    std::uint8_t settable = 0;  ///< a bit an axis: whose limit, motor and spring are the user's
    std::uint32_t generation = 0;
    /// In the lists of its bodies.
    std::uint32_t next[2] = {null_index, null_index}, previous[2] = {null_index, null_index};
    Transform frame_a, frame_b;  ///< in the bodies' frames
    /// A distance joint's is the first; a wheel's turns are spin, steering, camber.
    std::array<AxisDef, joint_axes> axes;
    float cone = unlimited;
    JointDrive drive;
    JointOptions options;

    std::uint32_t geared[2] = {null_index, null_index};  ///< joints that a gear ties
    double ratio = 1.0, offset = 0.0;  ///< coordinate of the second = ratio * that of the first + offset

    // What lives from step to step.
    double turn = 0.0;  ///< the main angle, whole turns included, rad
    /// By row, of the last sub-step, N or N m: what rows at a bound go on with.
    std::array<float, joint_rows> forces{};
    /// A bit a row: it acts below its bounds (a limit that holds, a motor that keeps its speed).
    std::uint32_t pressed = 0;
    std::uint32_t at_upper = 0;                      ///< a bit a row: the limit that it stands for is the upper one
    vec3 load{0.0f};                                 ///< force on B, world, in the last sub-step, N
    vec3 usual_spins[2] = {vec3(0.0f), vec3(0.0f)};  ///< of its bodies, averaged over the last sub-steps, rad/s
    vec3 force{0.0f}, torque{0.0f};                  ///< on B, world, mean over the last step
    std::array<float, joint_axes> motor_forces{};    ///< mean over the last step
    std::array<float, joint_axes> stiffness{};       ///< of springs and drives, in the last sub-step, N/m or N m/rad
};

/// The bodies of a joint, kept apart because finding the joints of awake bodies reads nothing else. Null in a free
/// slot. For a gear one body of each joint that it ties: the second is null if that is the same one.
struct JointBodies {
    std::uint32_t a = null_index, b = null_index;
};

class JointStore {
public:
    std::uint32_t add(Joint joint, JointBodies bodies);
    void remove(std::uint32_t slot);

    bool is_valid(JointId id) const {
        return id.slot < joints_.size() && joints_[id.slot].in_use && joints_[id.slot].generation == id.generation;
    }
    JointId id_of(std::uint32_t slot) const { return {slot, joints_[slot].generation}; }
    Joint& operator[](std::uint32_t slot) { return joints_[slot]; }
    const Joint& operator[](std::uint32_t slot) const { return joints_[slot]; }
    JointBodies bodies(std::uint32_t slot) const { return bodies_[slot]; }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(joints_.size()); }
    std::uint32_t live_count() const { return live_count_; }
    /// Another number whenever a joint came or went.
    std::uint64_t version() const { return version_; }
    std::size_t bytes() const;

    /// Calls visit(joint slot, slot of the other body or null_index) for each joint of a body. The joint visited may be
    /// removed.
    template <class Visit>
    void for_each(std::uint32_t body, Visit&& visit) const {
        if (body >= first_.size()) return;
        for (std::uint32_t j = first_[body]; j != null_index;) {
            const bool is_a = bodies_[j].a == body;
            const std::uint32_t next = joints_[j].next[is_a ? 0 : 1];
            visit(j, is_a ? bodies_[j].b : bodies_[j].a);
            j = next;
        }
    }

    bool has_any(std::uint32_t body) const { return body < first_.size() && first_[body] != null_index; }
    /// Whether a joint between the two bodies keeps them from colliding.
    bool keeps_apart(std::uint32_t body_a, std::uint32_t body_b) const {
        bool apart = false;
        for_each(body_a, [&](std::uint32_t j, std::uint32_t other) {
            apart = apart || (other == body_b && !joints_[j].options.collide_connected);
        });
        return apart;
    }

private:
    void link(std::uint32_t slot, int side, std::uint32_t body);
    void unlink(std::uint32_t slot, int side, std::uint32_t body);

    std::vector<Joint> joints_;
    std::vector<JointBodies> bodies_;
    std::vector<std::uint32_t> first_;  ///< head of a body's list, by body slot
    std::vector<std::uint32_t> free_;
    std::uint32_t live_count_ = 0;
    std::uint64_t version_ = 0;
};

}  // namespace talus
