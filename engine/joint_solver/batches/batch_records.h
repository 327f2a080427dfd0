#pragma once
/// Internal: reads and writes single lanes of the records of a batch, whose numbers of lanes is a parameter.

#include "engine/joint_solver/articulations.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/rows/spring_rows.h"
#include "narrowphase/casts/double_rotation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace talus {

// One lane of a vector.
template <class D>
void set(LaneVec<D>& out, std::uint32_t lane, const dvec3& v) {
    out.x.at[lane] = v.x, out.y.at[lane] = v.y, out.z.at[lane] = v.z;
}
template <class D>
void set(LaneQuat<D>& out, std::uint32_t lane, const dquat& q) {
    out.w.at[lane] = q.w, out.x.at[lane] = q.x, out.y.at[lane] = q.y, out.z.at[lane] = q.z;
}
template <class D>
void set(LaneMat<D>& out, std::uint32_t lane, const dmat3& m) {
    set(out.x, lane, m[0]);
    set(out.y, lane, m[1]);
    set(out.z, lane, m[2]);
}
template <class D>
dvec3 get(const LaneVec<D>& v, std::uint32_t lane) {
    return {v.x.at[lane], v.y.at[lane], v.z.at[lane]};
}
template <class D>
dquat get(const LaneQuat<D>& q, std::uint32_t lane) {
    return {q.w.at[lane], q.x.at[lane], q.y.at[lane], q.z.at[lane]};
}

/// The rotation of bodies that do not move in the step: x, y, z, w.
inline constexpr float no_turn[] = {0.0f, 0.0f, 0.0f, 1.0f};

/// The records of a batch.
template <unsigned lanes>
class BatchRecords {
public:
    using Lane = BatchLanes<lanes>;
    using LinkRecord = BatchLink<Lane>;
    using JointRecord = BatchJoint<Lane>;
    using RowRecord = BatchRow<Lane>;
    using MotionRecord = BatchMotion<Lane>;
    using PoseRecord = BatchPose<Lane>;

    BatchRecords(Articulations& articulations, const JointBatch& of)
        : s(articulations),
          batch(of),
          layout(*of.layout),
          links(reinterpret_cast<LinkRecord*>(s.batches.records.data() + of.records)),
          joints(reinterpret_cast<JointRecord*>(links + layout.dynamic.size())),
          rows(reinterpret_cast<RowRecord*>(joints + layout.joints.size())),
          impulses(reinterpret_cast<Lane*>(rows + layout.record_count)),
          noted_impulses(impulses + layout.rows.size()),
          slacks(noted_impulses + layout.rows.size()),
          inverse_pivots(slacks + layout.rows.size()),
          values(inverse_pivots + layout.rows.size()) {}

    /// Returns the number of chunks that the records need.
    static std::size_t size_of(const BatchLayout& layout) {
        return chunks(layout.dynamic.size() * sizeof(LinkRecord) + layout.joints.size() * sizeof(JointRecord) +
                      layout.record_count * sizeof(RowRecord) +
                      (4 * layout.rows.size() + layout.value_count) * sizeof(Lane));
    }
    /// Returns the number of chunks that a pass needs in its workspace.
    static std::size_t workspace_of(const BatchLayout& layout) {
        return chunks(layout.dynamic.size() * sizeof(MotionRecord) +
                      layout.joints.size() * (sizeof(PoseRecord) + batch_member_bytes) +
                      batch_numbers * layout.rows.size() * sizeof(Lane));
    }

    /// Writes what a lane takes from the definitions of its joints and bodies.
    void pack(const Articulation& a, std::uint32_t lane) {
        for (std::uint32_t l = 0; l < a.link_count; ++l) pack_link(s.links[a.first_link + l], lane, links[l]);
        RowRecord* record = rows;
        for (std::uint32_t j = 0; j < a.joint_count; ++j) {
            const SolverJoint& joint = s.joints[a.first_joint + j];
            pack_joint(joint, lane, joints[j]);
            for (const JointRow& row : s.rows_of(joint)) {
                if (row.axis != RowAxis::point) pack_row(row, s.substep, lane, *record++);
            }
        }
    }

    /// Writes the state of an articulation at the step's start to a lane.
    void begin(const Articulation& a, std::uint32_t lane) {
        for (std::uint32_t l = 0; l < a.link_count; ++l)
            begin_link(a, s.links[a.first_link + l], lane, links[l], s.batches.bodies[batch.first_body + l]);
        for (std::uint32_t j = 0; j < a.joint_count; ++j) {
            const SolverJoint& joint = s.joints[a.first_joint + j];
            const JointState& state = (*s.user_joints)[joint.slot].state;
            const BatchJointLayout& joint_layout = layout.joints[j];
            begin_joint(state, joint, lane, joints[j]);
            for (int side = 0; side < 2; ++side)
                set(links[joint_layout.link[side]].mean_spin, lane, dvec3(state.mean_angular_velocities[side]));
            for (std::uint32_t i = joint_layout.first_row; i < joint_layout.first_row + joint_layout.row_count; ++i) {
                const BatchRowLayout& row = layout.rows[i];
                impulses[i].at[lane] = static_cast<double>(state.forces[row.number]) * s.substep;
                if (row.axis != RowAxis::point) begin_row(state, row, lane, rows[row.record]);
            }
        }
    }

    /// Writes the results of an articulation for the next step and for the user.
    void store(const Articulation& a, std::uint32_t lane, float step, JointStore& store) const {
        for (std::uint32_t j = 0; j < a.joint_count; ++j) {
            const SolverJoint& joint = s.joints[a.first_joint + j];
            store_joint(j, lane, joint.shift, step, store.state(joint.slot));
        }
    }

    /// Writes to a lane all state that continues from pass to pass.
    void put(const Articulation& a, std::uint32_t lane) { for_each_state(a, ToLane{lane}); }

    /// Reads it. Also reads the poses at which the rows were evaluated.
    void take(const Articulation& a, std::uint32_t lane) {
        for_each_state(a, FromLane{lane});
        for (std::uint32_t l = 0; l < a.link_count; ++l) {
            Link& link = s.links[a.first_link + l];
            link.displacement = get(links[l].displacement, lane);
            link.orientation = Orientation(get(links[l].rotation, lane));
        }
    }

    /// See note_impulses() in joint_reports.h.
    void note_impulses() {
        for (std::size_t j = 0; j < layout.joints.size(); ++j) {
            joints[j].old_force = joints[j].force;
            joints[j].old_torque = joints[j].torque;
        }
        std::copy_n(impulses, layout.rows.size(), noted_impulses);
    }

    /// See drive_work() in joint_energy.h; by the articulation's velocities.
    double drive_work(const Articulation& a) const {
        double sum = 0.0;
        for (const BatchJointLayout& joint : layout.joints) {
            const double* const v[2] = {s.velocity_of(a.first_link + joint.link[0]),
                                        s.velocity_of(a.first_link + joint.link[1])};
            for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
                if (!drives(layout.rows[i])) continue;
                const RowRecord& row = rows[layout.rows[i].record];
                const dvec3 axis = get(row.axis, a.lane);
                double speed = 0.0;
                if (is_along_axis(layout.rows[i].axis)) {
                    speed = glm::dot(axis, linear_part(v[1]) - linear_part(v[0]));
                    for (int side = 0; side < 2; ++side)
                        speed += glm::dot(get(row.turn[side], a.lane), angular_part(v[side]));
                } else {
                    speed = glm::dot(axis, angular_part(v[1]) - angular_part(v[0]));
                }
                sum += impulses[i].at[a.lane] * speed;
            }
        }
        return sum;
    }

    /// See freeze_capped_drives() in active_rows.h; limits stay as they are. Returns whether a row was frozen.
    bool freeze_drives(std::uint32_t lane) {
        bool any = false;
        for (const BatchRowLayout& row_layout : layout.rows) {
            if (!drives(row_layout)) continue;
            RowRecord& row = rows[row_layout.record];
            const bool bounded = row.low.at[lane] != -infinite || row.high.at[lane] != infinite;
            if (!bounded || row.free.at[lane] == 0.0) continue;
            row.free.at[lane] = 0.0;
            any = true;
        }
        return any;
    }

    /// Returns what the kernel needs.
    JointBatchView view(BatchChunk* workspace) const {
        JointBatchView view{};
        view.layout = view_of(layout);
        view.bodies = s.batches.bodies.data() + batch.first_body;
        view.links = links;
        view.joints = joints;
        view.rows = rows;
        view.impulses = impulses;
        view.slacks = slacks;
        view.values = values;
        view.inverse_pivots = inverse_pivots;
        view.motions = workspace;
        view.poses = reinterpret_cast<MotionRecord*>(workspace) + layout.dynamic.size();
        view.numbers = reinterpret_cast<PoseRecord*>(view.poses) + layout.joints.size();
        view.masks = static_cast<Lane*>(view.numbers) + (batch_numbers - 1) * layout.rows.size();
        view.members = static_cast<Lane*>(view.masks) + layout.rows.size();
        const BodyMotions::SpinPlaces places = s.motions.motions->spin_places();
        view.momentum = places.momentum;
        view.handed_out = places.handed_out;
        view.in_matrix = s.batches.in_matrix.data() + batch.first_in_matrix;
        view.sizes = view.in_matrix + layout.joints.size();
        view.substep = s.substep;
        view.max_speed = s.motions.max_speed;
        view.factored = batch.factored;
        view.refused = batch.refused;
        view.floating = batch.floating;
        for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
            if (batch.places[lane] == BatchPlace::batch) view.used |= 1u << lane;
        }
        return view;
    }

    /// Sets the articulation's velocities to those in a workspace.
    void read_motions(const Articulation& a, const JointBatchView& view) const {
        const MotionRecord* const motions = static_cast<const MotionRecord*>(view.motions);
        for (std::uint32_t l = 0; l < a.link_count; ++l)
            set_velocity(s.velocity_of(a.first_link + l), get(motions[l].velocity, a.lane),
                         get(motions[l].spin, a.lane));
    }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();

    static std::size_t chunks(std::size_t bytes) { return (bytes + sizeof(BatchChunk) - 1) / sizeof(BatchChunk); }
    static bool drives(const BatchRowLayout& row) { return row.kind == RowKind::motor || row.kind == RowKind::spring; }

    static BatchLayoutView view_of(const BatchLayout& layout) {
        return {layout.dynamic.data(),
                layout.joints.data(),
                layout.rows.data(),
                layout.blocks.data(),
                layout.updates.data(),
                layout.order.data(),
                static_cast<unsigned>(layout.dynamic.size()),
                static_cast<unsigned>(layout.joints.size()),
                static_cast<unsigned>(layout.rows.size()),
                layout.bounded,
                layout.springs};
    }

    void pack_link(const Link& link, std::uint32_t lane, LinkRecord& out) {
        out.inverse_mass.at[lane] = link.dynamic ? link.inverse_mass[0] : 0.0;
        out.mass.at[lane] = link.mass;
        out.max_inertia.at[lane] = link.max_inertia;
        if (!link.dynamic) return;
        const dvec3& moments = (*s.motions.store)[link.slot].principal.moments;
        set(out.moments, lane, moments);
        set(out.inverse_moments, lane, 1.0 / moments);
    }

    static void pack_joint(const SolverJoint& joint, std::uint32_t lane, JointRecord& out) {
        set(out.frame_arm[0], lane, joint.frame_a.arm);
        set(out.frame_arm[1], lane, joint.frame_b.arm);
        set(out.frame_axes[0], lane, joint.frame_a.orientation.axes);
        set(out.frame_axes[1], lane, joint.frame_b.orientation.axes);
        set(out.frame_rotation[0], lane, joint.frame_a.orientation.rotation);
        set(out.frame_rotation[1], lane, joint.frame_b.orientation.rotation);
        // A body that cannot be pushed keeps these.
        for (LaneMat<Lane>& response : out.point_response) set(response, lane, dmat3(0.0));
    }

    static void pack_row(const JointRow& row, double substep, std::uint32_t lane, RowRecord& out) {
        out.target.at[lane] = row.kind == RowKind::spring ? row.target : row.speed;
        if (row.kind == RowKind::spring) {
            const SpringFactors factors = spring_factors(row, substep);
            out.bias_rate.at[lane] = factors.bias_rate;
            out.softness.at[lane] = factors.softness;
        }
        out.low.at[lane] = row.low;
        out.high.at[lane] = row.high;
        for (int i = 0; i < 2; ++i) {
            out.limit[i].at[lane] = row.limits[i];
            set(out.turn_response[i], lane, dvec3(0.0));  // a body that cannot be pushed keeps this
            if (row.axis != RowAxis::twist) continue;
            const auto [sine, cosine] = detail::sin_cos(0.5 * row.limits[i]);
            out.cosine[i].at[lane] = cosine;
            out.sine[i].at[lane] = sine;
        }
        if (row.axis != RowAxis::twist) return;
        const double middle = 0.5 * (row.limits[0] + row.limits[1]);
        const auto [sine, cosine] = detail::sin_cos(0.5 * middle);
        out.middle_cosine.at[lane] = cosine;
        out.middle_sine.at[lane] = sine;
    }

    /// Writes the state of a link at the step's start.
    void begin_link(const Articulation& a, const Link& link, std::uint32_t lane, LinkRecord& out, BatchBodies& bodies) {
        const Body& body = (*s.motions.store)[link.slot];
        const bool moves = link.solver != 0;
        const dquat start = moves ? body.exact_rotation : unit(body.rotation);
        set(out.start_center, lane, body.center - s.origin_of(a));
        set(out.start_rotation, lane, start);
        if (link.dynamic) set(out.start_axes, lane, principal_rotation(body, start));
        bodies.body[lane] = &s.motions.bodies[link.solver];
        // The kernel writes only to bodies that joints move.
        bodies.turn[lane] = moves ? s.motions.motions->turn_at(link.solver) : const_cast<float*>(no_turn);
        bodies.stride[lane] = moves ? s.motions.motions->turn_stride() : 1;
    }

    /// Writes the state of a joint at the step's start.
    void begin_joint(const JointState& state, const SolverJoint& joint, std::uint32_t lane, JointRecord& out) {
        const BodyStore& bodies = *s.motions.store;
        set(out.center_offset, lane,
            bodies[s.links[joint.link[1]].slot].center - bodies[s.links[joint.link[0]].slot].center);
        set(out.next_load, lane, static_cast<double>(s.substep) * dvec3(state.load));
        for (LaneVec<Lane>* const v : {&out.new_load, &out.demand, &out.force, &out.torque}) set(*v, lane, dvec3(0.0));
        out.angle.at[lane] = state.angle;
    }

    /// Writes the state of a row that is not along RowAxis::point at the step's start.
    static void begin_row(const JointState& state, const BatchRowLayout& layout, std::uint32_t lane, RowRecord& out) {
        const bool upper = state.at_upper >> layout.number & 1u;
        out.upper.at[lane] = upper ? 1.0 : 0.0;
        if (layout.kind == RowKind::limit) {
            out.low.at[lane] = upper ? -infinite : 0.0;
            out.high.at[lane] = upper ? 0.0 : infinite;
        }
        const bool unbounded = out.low.at[lane] == -infinite && out.high.at[lane] == infinite;
        out.free.at[lane] = unbounded || (state.pressed >> layout.number & 1u) ? 1.0 : 0.0;
        out.motor_impulse.at[lane] = 0.0;
    }

    /// Writes the results of a joint in a lane for the next step and for the user.
    void store_joint(std::uint32_t j, std::uint32_t lane, int shift, float step, JointState& state) const {
        const double per_step = 1.0 / static_cast<double>(step), per_substep = 1.0 / static_cast<double>(s.substep);
        const BatchJointLayout& joint = layout.joints[j];
        const JointRecord& record = joints[j];
        state.angle = record.angle.at[lane];
        state.load = to_floats(per_substep * get(record.next_load, lane));
        for (int side = 0; side < 2; ++side)
            state.mean_angular_velocities[side] = to_floats(get(links[joint.link[side]].mean_spin, lane));
        state.force = to_floats(per_step * get(record.force, lane));
        state.torque = to_floats(per_step * get(record.torque, lane));
        state.forces.fill(0.0f);
        state.stiffness.fill(0.0f);
        state.motor_forces.fill(0.0f);
        state.pressed = state.at_upper = 0;
        for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
            const BatchRowLayout& row = layout.rows[i];
            state.forces[row.number] = to_float(per_substep * impulses[i].at[lane]);
            const RowRecord* const own = row.axis == RowAxis::point ? nullptr : &rows[row.record];
            const bool free = row.kind == RowKind::lock || own->free.at[lane] != 0.0;
            state.pressed |= (free ? 1u : 0u) << row.number;
            if (own == nullptr) continue;
            state.at_upper |= (own->upper.at[lane] != 0.0 ? 1u : 0u) << row.number;
            const auto axis = static_cast<std::size_t>(shifted_axis(row.axis_index, shift));
            if (row.kind == RowKind::motor) state.motor_forces[axis] = to_float(per_step * own->motor_impulse.at[lane]);
            const double softness = slacks[i].at[lane];
            if (row.kind == RowKind::spring && softness > 0.0)
                state.stiffness[axis] = to_float(per_substep * own->bias_rate.at[lane] / softness);
        }
    }

    /// Calls visit(a number of an articulation, the same number in its lane) for all state that continues from pass to pass.
    /// `Visit` also accepts vectors.
    template <class Visit>
    void for_each_state(const Articulation& a, Visit&& visit) {
        for (std::uint32_t l = 0; l < a.link_count; ++l)
            visit(s.links[a.first_link + l].mean_angular_velocity, links[l].mean_spin);
        RowRecord* record = rows;
        Lane *impulse = impulses, *noted = noted_impulses;
        for (std::uint32_t j = 0; j < a.joint_count; ++j) {
            SolverJoint& joint = s.joints[a.first_joint + j];
            JointRecord& own = joints[j];
            visit(joint.center_offset, own.center_offset);
            visit(joint.angle, own.angle);
            visit(joint.load, own.load);
            visit(joint.next_load, own.next_load);
            visit(joint.new_load, own.new_load);
            visit(joint.demand, own.demand);
            visit(joint.force, own.force);
            visit(joint.torque, own.torque);
            visit(joint.old_force, own.old_force);
            visit(joint.old_torque, own.old_torque);
            for (JointRow& row : s.rows_of(joint)) {
                visit(row.impulse, *impulse++);
                if (batch.impulses_noted) visit(row.kept_impulse, *noted);
                ++noted;
                if (row.axis == RowAxis::point) continue;
                visit(row.free, record->free);
                visit(row.upper, record->upper);
                visit(row.low, record->low);
                visit(row.high, record->high);
                if (row.kind == RowKind::motor) visit(joint.motor_impulses[row.axis_index], record->motor_impulse);
                ++record;
            }
        }
    }

    /// Writes the state to a lane.
    struct ToLane {
        std::uint32_t lane;
        void operator()(double from, Lane& to) const { to.at[lane] = from; }
        void operator()(bool from, Lane& to) const { to.at[lane] = from ? 1.0 : 0.0; }
        void operator()(const dvec3& from, LaneVec<Lane>& to) const { set(to, lane, from); }
    };

    /// Reads the state from a lane.
    struct FromLane {
        std::uint32_t lane;
        void operator()(double& to, const Lane& from) const { to = from.at[lane]; }
        void operator()(bool& to, const Lane& from) const { to = from.at[lane] != 0.0; }
        void operator()(dvec3& to, const LaneVec<Lane>& from) const { to = get(from, lane); }
    };

    Articulations& s;
    const JointBatch& batch;
    const BatchLayout& layout;
    LinkRecord* const links;
    JointRecord* const joints;
    RowRecord* const rows;
    Lane *const impulses, *const noted_impulses, *const slacks, *const inverse_pivots, *const values;
};

/// Returns the numbers of chunks that the records of a batch need, and a pass over it in its workspace.
inline std::size_t record_chunks(const JointBatch& batch) {
    return batch.kernel->lanes == most_batch_lanes ? BatchRecords<most_batch_lanes>::size_of(*batch.layout)
                                                   : BatchRecords<least_batch_lanes>::size_of(*batch.layout);
}
inline std::size_t workspace_chunks(const JointBatch& batch) {
    return batch.kernel->lanes == most_batch_lanes ? BatchRecords<most_batch_lanes>::workspace_of(*batch.layout)
                                                   : BatchRecords<least_batch_lanes>::workspace_of(*batch.layout);
}

/// Calls visit(records of a batch).
template <class Visit>
decltype(auto) with_records(Articulations& s, const JointBatch& batch, Visit&& visit) {
    if (batch.kernel->lanes == most_batch_lanes) return visit(BatchRecords<most_batch_lanes>(s, batch));
    return visit(BatchRecords<least_batch_lanes>(s, batch));
}

}  // namespace talus
