#pragma once
/// The joints of a world, in arrays that are addressed by index.
///
/// Input: joints that World::add_joint has checked; changes of their definitions by the World's setters; their state
/// after each step from the joint solver. Output: joints by slot, and the joints of a body. Everything here is kept
/// across steps. Each body has a linked list of its joints. The heads of the lists are stored here, so that bodies
/// without joints cost nothing.

#include <talus/engine/joints/joint.h>
#include "common/assert.h"
#include "common/bytes.h"
#include "engine/bodies/body_store.h"
#include "engine/handles.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

inline constexpr int joint_axes = 6;  ///< translations along x, y, z, rotations about x, y, z

/// Numbers of the rows that a joint may have: for each axis its limit (or lock), motor and spring; then the cone and
/// the two drives. The number identifies the row from step to step.
inline constexpr int cone_row = 3 * joint_axes;
inline constexpr int linear_drive_row = cone_row + 1;   ///< and the next two
inline constexpr int angular_drive_row = cone_row + 4;  ///< and the next two
inline constexpr int joint_rows = cone_row + 7;
inline constexpr int limit_row(int axis) { return 3 * axis; }
inline constexpr int motor_row(int axis) { return 3 * axis + 1; }
inline constexpr int spring_row(int axis) { return 3 * axis + 2; }

/// The state of a joint that continues from step to step. The joint solver writes it at the end of a step.
struct JointState {
    double angle = 0.0;  ///< about the main axis, with whole turns, rad
    /// By row, in the last sub-step, N or N m. A row at a bound starts from its force.
    std::array<float, joint_rows> forces{};
    std::uint32_t pressed =
        0;  ///< one bit per row: it acts within its bounds (an active limit, a motor that keeps its speed)
    std::uint32_t at_upper = 0;  ///< one bit per row: the row stands for the upper limit
    vec3 load{0.0f};             ///< largest force on B in the last sub-steps, world axes, N
    vec3 mean_angular_velocities[2] = {vec3(0.0f), vec3(0.0f)};  ///< of its bodies, over the last sub-steps, rad/s
    vec3 force{0.0f}, torque{0.0f};                              ///< on B, world axes, mean of the last step
    std::array<float, joint_axes> motor_forces{};                ///< mean of the last step
    std::array<float, joint_axes> stiffness{};  ///< of springs and drives, in the last sub-step, N/m or N m/rad
};

struct Joint {
    JointKind kind = JointKind::ball;
    bool in_use = false;
    std::uint8_t settable = 0;  ///< one bit per axis: the user may set its limit, motor and spring
    std::uint32_t generation = 0;
    /// Neighbours in the lists of its two bodies.
    std::uint32_t next[2] = {null_index, null_index}, previous[2] = {null_index, null_index};
    Transform frame_a, frame_b;  ///< in the bodies' frames
    /// A distance joint uses only the first. The rotations of a wheel are rolling, steering and camber.
    std::array<AxisDef, joint_axes> axes;
    float cone = unlimited;
    JointDrive drive;
    JointOptions options;

    std::uint32_t geared[2] = {null_index, null_index};  ///< joints that a gear connects
    double ratio = 1.0, offset = 0.0;  ///< coordinate of the second = ratio * that of the first + offset

    JointState state;
};

/// The bodies of a joint; null_index in a free slot. They are stored separately, because the search for joints of awake
/// bodies reads nothing else. A gear has one body of each joint that it connects; the second is null_index if both are
/// the same.
struct JointBodies {
    std::uint32_t a = null_index, b = null_index;
};

class JointStore {
public:
    /// To be called before the first joint is added, with WorldDef::handle_tag.
    void set_tag(std::uint32_t tag) { tag_ = tag; }
    /// Returns the slot of the new joint.
    std::uint32_t add(Joint joint, JointBodies bodies);
    void remove(std::uint32_t slot);

    bool is_valid(JointId id) const {
        return id.slot < joints_.size() && joints_[id.slot].in_use && joints_[id.slot].generation == id.generation;
    }
    JointId id_of(std::uint32_t slot) const { return {slot, joints_[slot].generation}; }
    /// For changes by the user of axes, cone, drive and options.
    Joint& definition(std::uint32_t slot) {
        revisions_[slot] = next_stamp();
        return joints_[slot];
    }
    /// Changes whenever the joint is added, or definition() is called for it. No two changes in any store have the same
    /// number, so equal numbers mean equal definitions, also in a copy that has changed since. Never 0.
    std::uint64_t revision(std::uint32_t slot) const { return revisions_[slot]; }
    /// For the joint solver's results.
    JointState& state(std::uint32_t slot) { return joints_[slot].state; }
    const Joint& operator[](std::uint32_t slot) const {
        TALUS_ASSERT(slot < joints_.size());
        return joints_[slot];
    }
    JointBodies bodies(std::uint32_t slot) const { return bodies_[slot]; }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(joints_.size()); }
    std::uint32_t live_count() const { return live_count_; }
    /// Changes whenever a joint is added or removed, to a number that no store has had before.
    std::uint64_t version() const { return version_; }
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(joints_);
        visit_parallel(bytes, joints_.size(), bodies_);
        bytes(first_, free_, live_count_);
        if constexpr (Bytes::reads) {
            revisions_.resize(joints_.size());
            for (std::uint64_t& revision : revisions_) revision = next_stamp();
            version_ = next_stamp();
        }
    }
    /// Returns what is wrong with what was read, or null.
    const char* problem(const BodyStore& bodies) const;
    std::size_t bytes() const;

    /// Calls visit(joint slot, slot of the other body or null_index) for each joint of a body. `visit` may remove that
    /// joint.
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
    /// Whether a joint between the two bodies disables their collision.
    bool disables_collision(std::uint32_t body_a, std::uint32_t body_b) const {
        bool disabled = false;
        for_each(body_a, [&](std::uint32_t j, std::uint32_t other) {
            disabled = disabled || (other == body_b && !joints_[j].options.collide_connected);
        });
        return disabled;
    }

private:
    static std::uint64_t next_stamp();
    void link(std::uint32_t slot, int side, std::uint32_t body);
    void unlink(std::uint32_t slot, int side, std::uint32_t body);

    std::vector<Joint> joints_;
    std::vector<JointBodies> bodies_;
    std::vector<std::uint64_t> revisions_;
    std::vector<std::uint32_t> first_;  ///< head of a body's list, by body slot
    std::vector<std::uint32_t> free_;
    std::uint32_t live_count_ = 0;
    std::uint32_t tag_ = 0;  ///< WorldDef::handle_tag
    std::uint64_t version_ = 0;
};

}  // namespace talus
