#include "engine/joint_solver/batches/joint_batches.h"

#include "engine/joint_solver/articulations.h"
#include "engine/joint_solver/batches/batch_layout.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/passes/relax_pass.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/joint_solver/rows/row_setup.h"
#include "engine/joint_solver/rows/spring_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus {

namespace {

using LinkRecord = BatchLink<JointLane>;
using JointRecord = BatchJoint<JointLane>;
using RowRecord = BatchRow<JointLane>;
using MotionRecord = BatchMotion<JointLane>;

/// The records of a batch.
struct Records {
    LinkRecord* links;
    JointRecord* joints;
    RowRecord* rows;
    JointLane *impulses, *noted_impulses, *slacks, *inverse_pivots, *values;
};

constexpr std::size_t lanes_in(std::size_t bytes) { return bytes / sizeof(JointLane); }

std::size_t record_size(const BatchLayout& layout) {
    return lanes_in(layout.dynamic.size() * sizeof(LinkRecord) + layout.joints.size() * sizeof(JointRecord) +
                    layout.record_count * sizeof(RowRecord)) +
           4 * layout.rows.size() + layout.value_count;
}

std::size_t workspace_size(const BatchLayout& layout) {
    return lanes_in(layout.dynamic.size() * sizeof(MotionRecord) +
                    layout.joints.size() * (sizeof(BatchPose<JointLane>) + batch_member_bytes)) +
           batch_numbers * layout.rows.size();
}

Records records_of(Articulations& s, const JointBatch& batch) {
    const BatchLayout& layout = *batch.layout;
    JointLane* const first = s.batches.records.data() + batch.records;
    Records r;
    r.links = reinterpret_cast<LinkRecord*>(first);
    r.joints = reinterpret_cast<JointRecord*>(r.links + layout.dynamic.size());
    r.rows = reinterpret_cast<RowRecord*>(r.joints + layout.joints.size());
    r.impulses = reinterpret_cast<JointLane*>(r.rows + layout.record_count);
    r.noted_impulses = r.impulses + layout.rows.size();
    r.slacks = r.noted_impulses + layout.rows.size();
    r.inverse_pivots = r.slacks + layout.rows.size();
    r.values = r.inverse_pivots + layout.rows.size();
    return r;
}

void set(LaneVec<JointLane>& out, std::uint32_t lane, const dvec3& v) {
    out.x.at[lane] = v.x, out.y.at[lane] = v.y, out.z.at[lane] = v.z;
}
void set(LaneQuat<JointLane>& out, std::uint32_t lane, const dquat& q) {
    out.w.at[lane] = q.w, out.x.at[lane] = q.x, out.y.at[lane] = q.y, out.z.at[lane] = q.z;
}
void set(LaneMat<JointLane>& out, std::uint32_t lane, const dmat3& m) {
    set(out.x, lane, m[0]);
    set(out.y, lane, m[1]);
    set(out.z, lane, m[2]);
}
dvec3 get(const LaneVec<JointLane>& v, std::uint32_t lane) { return {v.x.at[lane], v.y.at[lane], v.z.at[lane]}; }

BatchLayoutView view_of(const BatchLayout& layout) {
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

dquat get(const LaneQuat<JointLane>& q, std::uint32_t lane) {
    return {q.w.at[lane], q.x.at[lane], q.y.at[lane], q.z.at[lane]};
}

/// The rotation of bodies that do not move in the step: x, y, z, w.
constexpr float no_turn[] = {0.0f, 0.0f, 0.0f, 1.0f};

void pack_link(Articulations& s, const Link& link, std::uint32_t lane, LinkRecord& out) {
    out.inverse_mass.at[lane] = link.dynamic ? link.inverse_mass[0] : 0.0;
    out.mass.at[lane] = link.mass;
    out.max_inertia.at[lane] = link.max_inertia;
    if (!link.dynamic) return;
    const dvec3& moments = (*s.motions.store)[link.slot].principal.moments;
    set(out.moments, lane, moments);
    set(out.inverse_moments, lane, 1.0 / moments);
}

void pack_joint(const SolverJoint& joint, std::uint32_t lane, JointRecord& out) {
    set(out.frame_arm[0], lane, joint.frame_a.arm);
    set(out.frame_arm[1], lane, joint.frame_b.arm);
    set(out.frame_axes[0], lane, joint.frame_a.orientation.axes);
    set(out.frame_axes[1], lane, joint.frame_b.orientation.axes);
    set(out.frame_rotation[0], lane, joint.frame_a.orientation.rotation);
    set(out.frame_rotation[1], lane, joint.frame_b.orientation.rotation);
    // A body that cannot be pushed keeps these.
    for (LaneMat<JointLane>& response : out.point_response) set(response, lane, dmat3(0.0));
}

void pack_row(const JointRow& row, double substep, std::uint32_t lane, RowRecord& out) {
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
        out.cosine[i].at[lane] = std::cos(0.5 * row.limits[i]);
        out.sine[i].at[lane] = std::sin(0.5 * row.limits[i]);
    }
    if (row.axis != RowAxis::twist) return;
    const double middle = 0.5 * (row.limits[0] + row.limits[1]);
    out.middle_cosine.at[lane] = std::cos(0.5 * middle);
    out.middle_sine.at[lane] = std::sin(0.5 * middle);
}

/// Writes what a lane takes from the definitions of its joints and bodies.
void pack(Articulations& s, const JointBatch& batch, const Articulation& a, std::uint32_t lane) {
    const Records r = records_of(s, batch);
    for (std::uint32_t l = 0; l < a.link_count; ++l) pack_link(s, s.links[a.first_link + l], lane, r.links[l]);
    RowRecord* record = r.rows;
    for (std::uint32_t j = 0; j < a.joint_count; ++j) {
        const SolverJoint& joint = s.joints[a.first_joint + j];
        pack_joint(joint, lane, r.joints[j]);
        for (const JointRow& row : s.rows_of(joint)) {
            if (row.axis != RowAxis::point) pack_row(row, s.substep, lane, *record++);
        }
    }
}

/// Writes the state of a link at the step's start.
void begin_link(Articulations& s, const Link& link, std::uint32_t lane, LinkRecord& out, BatchBodies& bodies) {
    const Body& body = (*s.motions.store)[link.slot];
    const bool moves = link.solver != 0;
    const dquat start = moves ? body.exact_rotation : unit(body.rotation);
    set(out.start_center, lane, dvec3(body.center));
    set(out.start_rotation, lane, start);
    if (link.dynamic) set(out.start_axes, lane, principal_rotation(body, start));
    bodies.body[lane] = &s.motions.bodies[link.solver];
    // The kernel writes only to bodies that joints move.
    bodies.turn[lane] = moves ? s.motions.motions->turn_at(link.solver) : const_cast<float*>(no_turn);
    bodies.stride[lane] = moves ? s.motions.motions->turn_stride() : 1;
}

/// Writes the state of a joint at the step's start.
void begin_joint(Articulations& s, const JointState& state, const SolverJoint& joint, std::uint32_t lane,
                 JointRecord& out) {
    const BodyStore& bodies = *s.motions.store;
    set(out.center_offset, lane,
        dvec3(bodies[s.links[joint.link[1]].slot].center) - dvec3(bodies[s.links[joint.link[0]].slot].center));
    set(out.next_load, lane, static_cast<double>(s.substep) * dvec3(state.load));
    for (LaneVec<JointLane>* const v : {&out.new_load, &out.demand, &out.force, &out.torque}) set(*v, lane, dvec3(0.0));
    out.angle.at[lane] = state.angle;
}

/// Writes the state of a row that is not along RowAxis::point at the step's start.
void begin_row(const JointState& state, const BatchRowLayout& layout, std::uint32_t lane, RowRecord& out) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
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

/// Writes the state of an articulation at the step's start to a lane.
void begin_lane(Articulations& s, const JointBatch& batch, const Articulation& a, std::uint32_t lane) {
    const Records r = records_of(s, batch);
    const BatchLayout& layout = *batch.layout;
    for (std::uint32_t l = 0; l < a.link_count; ++l)
        begin_link(s, s.links[a.first_link + l], lane, r.links[l], s.batches.bodies[batch.first_body + l]);
    for (std::uint32_t j = 0; j < a.joint_count; ++j) {
        const SolverJoint& joint = s.joints[a.first_joint + j];
        const JointState& state = (*s.user_joints)[joint.slot].state;
        const BatchJointLayout& joint_layout = layout.joints[j];
        begin_joint(s, state, joint, lane, r.joints[j]);
        for (int side = 0; side < 2; ++side)
            set(r.links[joint_layout.link[side]].mean_spin, lane, dvec3(state.mean_angular_velocities[side]));
        for (std::uint32_t i = joint_layout.first_row; i < joint_layout.first_row + joint_layout.row_count; ++i) {
            const BatchRowLayout& row = layout.rows[i];
            r.impulses[i].at[lane] = static_cast<double>(state.forces[row.number]) * s.substep;
            if (row.axis != RowAxis::point) begin_row(state, row, lane, r.rows[row.record]);
        }
    }
}

/// Writes the results of a joint in a lane for the next step and for the user.
void store_joint(const Articulations& s, const JointBatch& batch, const Records& r, std::uint32_t j, std::uint32_t lane,
                 int shift, float step, JointState& state) {
    const double per_step = 1.0 / static_cast<double>(step), per_substep = 1.0 / static_cast<double>(s.substep);
    const BatchLayout& layout = *batch.layout;
    const BatchJointLayout& joint = layout.joints[j];
    const JointRecord& record = r.joints[j];
    state.angle = record.angle.at[lane];
    state.load = to_floats(per_substep * get(record.next_load, lane));
    for (int side = 0; side < 2; ++side)
        state.mean_angular_velocities[side] = to_floats(get(r.links[joint.link[side]].mean_spin, lane));
    state.force = to_floats(per_step * get(record.force, lane));
    state.torque = to_floats(per_step * get(record.torque, lane));
    state.forces.fill(0.0f);
    state.stiffness.fill(0.0f);
    state.motor_forces.fill(0.0f);
    state.pressed = state.at_upper = 0;
    for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
        const BatchRowLayout& row = layout.rows[i];
        state.forces[row.number] = to_float(per_substep * r.impulses[i].at[lane]);
        const RowRecord* const own = row.axis == RowAxis::point ? nullptr : &r.rows[row.record];
        const bool free = row.kind == RowKind::lock || own->free.at[lane] != 0.0;
        state.pressed |= (free ? 1u : 0u) << row.number;
        if (own == nullptr) continue;
        state.at_upper |= (own->upper.at[lane] != 0.0 ? 1u : 0u) << row.number;
        const auto axis = static_cast<std::size_t>(shifted_axis(row.axis_index, shift));
        if (row.kind == RowKind::motor) state.motor_forces[axis] = to_float(per_step * own->motor_impulse.at[lane]);
        const double softness = r.slacks[i].at[lane];
        if (row.kind == RowKind::spring && softness > 0.0)
            state.stiffness[axis] = to_float(per_substep * own->bias_rate.at[lane] / softness);
    }
}

/// Calls visit(a number of an articulation, the same number in its lane) for all state that continues from pass to pass.
/// `Visit` also accepts vectors.
template <class Visit>
void for_each_state(Articulations& s, const JointBatch& batch, const Articulation& a, Visit&& visit) {
    const Records r = records_of(s, batch);
    for (std::uint32_t l = 0; l < a.link_count; ++l)
        visit(s.links[a.first_link + l].mean_angular_velocity, r.links[l].mean_spin);
    RowRecord* record = r.rows;
    JointLane *impulse = r.impulses, *noted = r.noted_impulses;
    for (std::uint32_t j = 0; j < a.joint_count; ++j) {
        SolverJoint& joint = s.joints[a.first_joint + j];
        JointRecord& lanes = r.joints[j];
        visit(joint.center_offset, lanes.center_offset);
        visit(joint.angle, lanes.angle);
        visit(joint.load, lanes.load);
        visit(joint.next_load, lanes.next_load);
        visit(joint.new_load, lanes.new_load);
        visit(joint.demand, lanes.demand);
        visit(joint.force, lanes.force);
        visit(joint.torque, lanes.torque);
        visit(joint.old_force, lanes.old_force);
        visit(joint.old_torque, lanes.old_torque);
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
    void operator()(double from, JointLane& to) const { to.at[lane] = from; }
    void operator()(bool from, JointLane& to) const { to.at[lane] = from ? 1.0 : 0.0; }
    void operator()(const dvec3& from, LaneVec<JointLane>& to) const { set(to, lane, from); }
};

/// Reads the state from a lane.
struct FromLane {
    std::uint32_t lane;
    void operator()(double& to, const JointLane& from) const { to = from.at[lane]; }
    void operator()(bool& to, const JointLane& from) const { to = from.at[lane] != 0.0; }
    void operator()(dvec3& to, const LaneVec<JointLane>& from) const { to = get(from, lane); }
};

JointBatchView view_of(Articulations& s, JointBatch& batch, JointLane* workspace) {
    const Records r = records_of(s, batch);
    JointBatchView view{};
    view.layout = view_of(*batch.layout);
    view.bodies = s.batches.bodies.data() + batch.first_body;
    view.links = r.links;
    view.joints = r.joints;
    view.rows = r.rows;
    view.impulses = r.impulses;
    view.slacks = r.slacks;
    view.values = r.values;
    view.inverse_pivots = r.inverse_pivots;
    view.motions = workspace;
    view.poses = reinterpret_cast<MotionRecord*>(workspace) + batch.layout->dynamic.size();
    view.numbers = reinterpret_cast<BatchPose<JointLane>*>(view.poses) + batch.layout->joints.size();
    view.masks = static_cast<JointLane*>(view.numbers) + (batch_numbers - 1) * batch.layout->rows.size();
    view.members = static_cast<JointLane*>(view.masks) + batch.layout->rows.size();
    const BodyMotions::SpinPlaces places = s.motions.motions->spin_places();
    view.momentum = places.momentum;
    view.handed_out = places.handed_out;
    view.in_matrix = s.batches.in_matrix.data() + batch.first_in_matrix;
    view.sizes = view.in_matrix + batch.layout->joints.size();
    view.substep = s.substep;
    view.max_speed = s.motions.max_speed;
    view.factored = batch.factored;
    view.refused = batch.refused;
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        if (batch.places[lane] == BatchPlace::batch) view.used |= 1u << lane;
        if (s.articulations[batch.articulations[lane]].floating) view.floating |= 1u << lane;
    }
    return view;
}

/// Notes what a pass has changed beside the records.
void take_over(Articulations& s, JointBatch& batch, const JointBatchView& view, bool opened) {
    batch.factored = view.factored;
    batch.refused = static_cast<std::uint8_t>(view.refused);
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        Articulation& a = s.articulations[batch.articulations[lane]];
        if (batch.places[lane] != BatchPlace::batch) continue;
        a.cost.rounds += view.rounds[lane];
        a.cost.factorizations += view.factorizations[lane];
        if (opened) a.open = view.open[lane];
    }
}

/// Puts an articulation back into its batch. Its rows are not evaluated.
void come_back(Articulations& s, JointBatch& batch, std::uint32_t lane) {
    Articulation& a = s.articulations[batch.articulations[lane]];
    a.batch = static_cast<std::uint32_t>(&batch - s.batches.batches.data());
    batch.places[lane] = BatchPlace::batch;
    for (SolverJoint& joint : s.joints_of(a)) joint.next_load = joint.load;
    for_each_state(s, batch, a, ToLane{lane});
}

template <class RunAlone>
void run_batch(Articulations& s, JointBatch& batch, bool solving, RunAlone&& run_alone) {
    std::array<bool, batch_lanes> alone{};
    bool any = false;
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        if (!solving && batch.places[lane] == BatchPlace::away) come_back(s, batch, lane);
        alone[lane] = batch.places[lane] != BatchPlace::batch;
        any = any || !alone[lane];
    }
    const auto run_lanes = [&](JointLane* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        const unsigned refused = solving ? s.batches.kernel->solve(view) : s.batches.kernel->relax(view);
        take_over(s, batch, view, !solving);
        for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
            if ((refused >> lane & 1u) == 0) continue;
            leave_batch(s, s.articulations[batch.articulations[lane]], BatchPlace::left);
            alone[lane] = true;
        }
    };
    if (solving) batch.impulses_noted = false;
    if (any) s.batches.workspaces.with_one(run_lanes);
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        if (alone[lane]) run_alone(s.articulations[batch.articulations[lane]]);
    }
}

}  // namespace

void BatchWorkspaces::reserve(std::size_t count, std::size_t size) {
    if (count > count_) {
        spaces_ = std::make_unique<Workspace[]>(count);
        count_ = count;
    }
    for (std::size_t i = 0; i < count_; ++i) spaces_[i].lanes.resize(std::max(size, spaces_[i].lanes.size()));
}

std::size_t BatchWorkspaces::bytes() const {
    std::size_t sum = count_ * sizeof(Workspace);
    for (std::size_t i = 0; i < count_; ++i) sum += spaces_[i].lanes.capacity() * sizeof(JointLane);
    return sum;
}

std::size_t JointBatches::bytes() const {
    std::size_t sum = batches.capacity() * sizeof(JointBatch) + bodies.capacity() * sizeof(BatchBodies) +
                      in_matrix.capacity() * sizeof(std::uint32_t) + records.capacity() * sizeof(JointLane) +
                      (members.capacity() + last_members.capacity()) * sizeof(Member) + workspaces.bytes();
    for (const auto& [signature_of, layout] : layouts) {
        sum += signature_of.capacity() * sizeof(std::uint32_t) + sizeof(BatchLayout) + layout->dynamic.capacity() +
               layout->joints.capacity() * sizeof(BatchJointLayout) + layout->rows.capacity() * sizeof(BatchRowLayout) +
               layout->blocks.capacity() * sizeof(BatchBlock) +
               (layout->updates.capacity() + layout->order.capacity()) * sizeof(std::uint32_t);
    }
    return sum;
}

/// Layouts are kept, because users switch limits and motors on and off again. This many may be without an articulation.
static constexpr std::size_t most_unused_layouts = 64;

/// Drops all layouts. Those that are needed are made again.
static void forget_layouts(Articulations& s) {
    for (Articulation& a : s.articulations) a.layout = nullptr;
    s.batches.layouts.clear();
    s.batches.packed = false;
}

/// Lists the articulations that fit into batches, in the order of the lanes. Returns whether they are those of the last
/// step.
static bool find_members(Articulations& s, bool enabled) {
    JointBatches& b = s.batches;
    std::swap(b.members, b.last_members);
    b.members.clear();
    if (b.layouts.size() > most_unused_layouts + 2 * s.articulations.size()) forget_layouts(s);
    for (const std::uint32_t index : s.active) {
        Articulation& a = s.articulations[index];
        a.batch = null_index;
        if (a.changed || a.layout == nullptr) a.layout = fits_into_batch(s, a) ? layout_of(s, a) : nullptr;
        if (enabled && a.layout != nullptr && is_awake(s, a)) b.members.push_back({a.layout, index});
    }
    std::sort(b.members.begin(), b.members.end(), [](const auto& x, const auto& y) {
        return x.layout != y.layout ? x.layout->number < y.layout->number : x.articulation < y.articulation;
    });
    return b.packed && b.members == b.last_members;
}

/// Makes the batches of `members`, and room for their records.
static void make_batches(Articulations& s) {
    JointBatches& b = s.batches;
    b.batches.clear();
    std::size_t records = 0;
    std::uint32_t bodies = 0, joints = 0;
    for (std::size_t i = 0; i < b.members.size();) {
        JointBatch batch;
        batch.layout = b.members[i].layout;
        batch.records = records;
        batch.first_body = bodies;
        batch.first_in_matrix = joints;
        records += record_size(*batch.layout);
        bodies += static_cast<std::uint32_t>(batch.layout->dynamic.size());
        joints += 2 * static_cast<std::uint32_t>(batch.layout->joints.size());
        for (; batch.count < batch_lanes && i < b.members.size() && b.members[i].layout == batch.layout; ++i) {
            Articulation& a = s.articulations[b.members[i].articulation];
            a.batch = static_cast<std::uint32_t>(b.batches.size());
            a.lane = batch.count;
            batch.articulations[batch.count++] = b.members[i].articulation;
        }
        b.batches.push_back(batch);
    }
    b.records.resize(records);
    b.bodies.resize(bodies);
    b.in_matrix.resize(joints);
}

void form_batches(Articulations& s, bool enabled, std::size_t threads) {
    JointBatches& b = s.batches;
    const bool same = find_members(s, enabled);
    make_batches(s);
    std::size_t workspace = 0;
    for (const JointBatch& batch : b.batches) workspace = std::max(workspace, workspace_size(*batch.layout));
    b.workspaces.reserve(std::min(threads, b.batches.size()), workspace);
    for (JointBatch& batch : b.batches) {
        // Idle lanes repeat the first articulation; what they compute is not used.
        for (std::uint32_t lane = 0; lane < batch_lanes; ++lane) {
            const Articulation& a = s.articulations[batch.articulations[lane < batch.count ? lane : 0]];
            if (!same || a.changed) pack(s, batch, a, lane);
            begin_lane(s, batch, a, lane);
        }
        b.workspaces.with_one([&](JointLane* lanes) {
            JointBatchView view = view_of(s, batch, lanes);
            b.kernel->evaluate(view);
            take_over(s, batch, view, true);
        });
    }
    b.packed = true;
}

void solve_batch(Articulations& s, JointBatch& batch) {
    run_batch(s, batch, true, [&](Articulation& a) { solve_articulation(s, a); });
}

void relax_batch(Articulations& s, JointBatch& batch) {
    run_batch(s, batch, false, [&](Articulation& a) { relax_articulation(s, a); });
}

void leave_batch(Articulations& s, Articulation& a, BatchPlace place) {
    if (a.batch == null_index) return;
    JointBatch& batch = s.batches.batches[a.batch];
    batch.places[a.lane] = place;
    a.batch = null_index;
    prepare_once(s, a);
    for_each_state(s, batch, a, FromLane{a.lane});
    if (!batch.impulses_noted) {
        for (JointRow& row : s.rows_of(a)) row.kept_impulse = 0.0;
    }
    begin_rows(s, a);
    // The rows are evaluated at the poses and with the loads with which they were evaluated in the batch. After the step
    // the bodies may have been moved.
    const Records r = records_of(s, batch);
    for (std::uint32_t l = 0; l < a.link_count; ++l) {
        Link& link = s.links[a.first_link + l];
        link.displacement = get(r.links[l].displacement, a.lane);
        link.orientation = Orientation(get(r.links[l].rotation, a.lane));
    }
    for (SolverJoint& joint : s.joints_of(a)) joint.kept_new_load = std::exchange(joint.new_load, dvec3(0.0));
    evaluate_at_poses(s, a);
    for (SolverJoint& joint : s.joints_of(a)) {
        joint.load = joint.next_load;
        joint.new_load = joint.kept_new_load;
    }
}

double batch_drive_work(Articulations& s, const Articulation& a) {
    const JointBatch& batch = s.batches.batches[a.batch];
    const Records r = records_of(s, batch);
    double sum = 0.0;
    for (const BatchJointLayout& joint : batch.layout->joints) {
        const double* const v[2] = {s.velocity_of(a.first_link + joint.link[0]),
                                    s.velocity_of(a.first_link + joint.link[1])};
        for (std::uint32_t i = joint.first_row; i < joint.first_row + joint.row_count; ++i) {
            const BatchRowLayout& layout = batch.layout->rows[i];
            if (layout.kind != RowKind::motor && layout.kind != RowKind::spring) continue;
            const RowRecord& row = r.rows[layout.record];
            const dvec3 axis = get(row.axis, a.lane);
            double speed = 0.0;
            if (is_along_axis(layout.axis)) {
                speed = glm::dot(axis, linear_part(v[1]) - linear_part(v[0]));
                for (int side = 0; side < 2; ++side)
                    speed += glm::dot(get(row.turn[side], a.lane), angular_part(v[side]));
            } else {
                speed = glm::dot(axis, angular_part(v[1]) - angular_part(v[0]));
            }
            sum += r.impulses[i].at[a.lane] * speed;
        }
    }
    return sum;
}

void freeze_batch_drives(Articulations& s, const Articulation& a) {
    JointBatch& batch = s.batches.batches[a.batch];
    if (!batch.layout->bounded || !a.driven) return;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Records r = records_of(s, batch);
    for (const BatchRowLayout& layout : batch.layout->rows) {
        if (layout.kind != RowKind::motor && layout.kind != RowKind::spring) continue;
        RowRecord& row = r.rows[layout.record];
        const bool bounded = row.low.at[a.lane] != -infinite || row.high.at[a.lane] != infinite;
        if (!bounded || row.free.at[a.lane] == 0.0) continue;
        row.free.at[a.lane] = 0.0;
        batch.factored = JointPass::none;
    }
}

void respond_in_batch(Articulations& s, const Articulation& a, std::span<const BatchPush> pushes) {
    JointBatch& batch = s.batches.batches[a.batch];
    s.batches.workspaces.with_one([&](JointLane* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        s.batches.kernel->respond(view, pushes.data(), static_cast<unsigned>(pushes.size()));
        take_over(s, batch, view, false);
        const MotionRecord* const motions = static_cast<const MotionRecord*>(view.motions);
        for (std::uint32_t l = 0; l < a.link_count; ++l)
            set_velocity(s.velocity_of(a.first_link + l), get(motions[l].velocity, a.lane),
                         get(motions[l].spin, a.lane));
    });
}

void push_batch(Articulations& s, JointBatch& batch, std::span<const BatchPush> pushes) {
    s.batches.workspaces.with_one([&](JointLane* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        view.used = 0;
        for (const BatchPush& push : pushes) view.used |= 1u << push.lane;
        s.batches.kernel->solve_again(view, pushes.data(), static_cast<unsigned>(pushes.size()));
        take_over(s, batch, view, false);
    });
}

void store_batches(Articulations& s, JointStore& joints, float step) {
    for (const JointBatch& batch : s.batches.batches) {
        const Records r = records_of(s, batch);
        for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
            Articulation& a = s.articulations[batch.articulations[lane]];
            a.cost.microseconds += batch.cost.microseconds / batch.count;
            a.cost.clock_reads += lane == 0 ? batch.cost.clock_reads : 0;
            if (batch.places[lane] != BatchPlace::batch) continue;
            for (std::uint32_t j = 0; j < a.joint_count; ++j) {
                const SolverJoint& joint = s.joints[a.first_joint + j];
                store_joint(s, batch, r, j, lane, joint.shift, step, joints.state(joint.slot));
            }
        }
    }
}

void note_batch_impulses(Articulations& s) {
    for (JointBatch& batch : s.batches.batches) {
        const Records r = records_of(s, batch);
        for (std::size_t j = 0; j < batch.layout->joints.size(); ++j) {
            r.joints[j].old_force = r.joints[j].force;
            r.joints[j].old_torque = r.joints[j].torque;
        }
        std::copy_n(r.impulses, batch.layout->rows.size(), r.noted_impulses);
        batch.impulses_noted = true;
    }
}

}  // namespace talus
