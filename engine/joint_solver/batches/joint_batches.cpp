#include "engine/joint_solver/batches/joint_batches.h"

#include "engine/joint_solver/articulations.h"
#include "engine/joint_solver/batches/batch_layout.h"
#include "engine/joint_solver/batches/batch_records.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/passes/relax_pass.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/joint_solver/rows/row_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus {

namespace {

JointBatchView view_of(Articulations& s, const JointBatch& batch, BatchChunk* workspace) {
    return with_records(s, batch, [&](const auto& records) { return records.view(workspace); });
}

/// Notes what a pass has changed beside the records.
void take_over(JointBatch& batch, const JointBatchView& view, bool opened) {
    batch.factored = view.factored;
    batch.refused = static_cast<std::uint8_t>(view.refused);
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        batch.rounds[lane] += view.rounds[lane];
        batch.factorizations[lane] += view.factorizations[lane];
        if (opened) batch.open[lane] = view.open[lane];
    }
}

/// Adds to an articulation what passes over its batch have noted since the last call. So a pass does not touch the
/// articulations, which are far apart in memory.
void hand_over(Articulations& s, JointBatch& batch, std::uint32_t lane) {
    Articulation& a = s.articulations[batch.articulations[lane]];
    a.cost.rounds += std::exchange(batch.rounds[lane], 0u);
    a.cost.factorizations += std::exchange(batch.factorizations[lane], 0u);
    if (batch.places[lane] == BatchPlace::batch) a.open = batch.open[lane];
}

/// Puts an articulation back into its batch. Its rows are not evaluated.
void come_back(Articulations& s, JointBatch& batch, std::uint32_t lane) {
    Articulation& a = s.articulations[batch.articulations[lane]];
    a.batch = static_cast<std::uint32_t>(&batch - s.batches.batches.data());
    batch.places[lane] = BatchPlace::batch;
    for (SolverJoint& joint : s.joints_of(a)) joint.next_load = joint.load;
    with_records(s, batch, [&](auto records) { records.put(a, lane); });
}

template <class RunAlone>
void run_batch(Articulations& s, JointBatch& batch, bool solving, RunAlone&& run_alone) {
    std::array<bool, most_batch_lanes> alone{};
    bool any = false;
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
        if (!solving && batch.places[lane] == BatchPlace::away) come_back(s, batch, lane);
        alone[lane] = batch.places[lane] != BatchPlace::batch;
        any = any || !alone[lane];
    }
    const auto run_lanes = [&](BatchChunk* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        const unsigned refused = solving ? batch.kernel->solve(view) : batch.kernel->relax(view);
        take_over(batch, view, !solving);
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
    for (std::size_t i = 0; i < count_; ++i) spaces_[i].chunks.resize(std::max(size, spaces_[i].chunks.size()));
}

std::size_t BatchWorkspaces::bytes() const {
    std::size_t sum = count_ * sizeof(Workspace);
    for (std::size_t i = 0; i < count_; ++i) sum += spaces_[i].chunks.capacity() * sizeof(BatchChunk);
    return sum;
}

std::size_t JointBatches::bytes() const {
    std::size_t sum = batches.capacity() * sizeof(JointBatch) + bodies.capacity() * sizeof(BatchBodies) +
                      in_matrix.capacity() * sizeof(std::uint32_t) + records.capacity() * sizeof(BatchChunk) +
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
        // The end of the next articulations with this layout, as far as it matters.
        std::size_t end = i + 1;
        while (end < b.members.size() && end < i + most_batch_lanes && b.members[end].layout == batch.layout) ++end;
        batch.kernel = &best_batch_kernel(static_cast<unsigned>(end - i));
        batch.records = records;
        batch.first_body = bodies;
        batch.first_in_matrix = joints;
        records += record_chunks(batch);
        bodies += static_cast<std::uint32_t>(batch.layout->dynamic.size());
        joints += 2 * static_cast<std::uint32_t>(batch.layout->joints.size());
        for (; batch.count < batch.kernel->lanes && i < end; ++i) {
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

/// Fills in the records of a batch at the step's start, and evaluates its rows. `packed` says that the records hold the
/// definitions of its joints.
static void begin_batch(Articulations& s, JointBatch& batch, bool packed) {
    // Idle lanes repeat the first articulation; what they compute is not used.
    with_records(s, batch, [&](auto records) {
        for (std::uint32_t lane = 0; lane < batch.kernel->lanes; ++lane) {
            const Articulation& a = s.articulations[batch.articulations[lane < batch.count ? lane : 0]];
            if (!packed || a.changed) records.pack(a, lane);
            records.begin(a, lane);
        }
    });
    s.batches.workspaces.with_one([&](BatchChunk* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        batch.kernel->evaluate(view);
        take_over(batch, view, true);
    });
    for (std::uint32_t lane = 0; lane < batch.count; ++lane) hand_over(s, batch, lane);
}

/// Calls run(batch) for all batches.
template <class Run>
static void for_each_batch(Articulations& s, const Jobs& jobs, Run&& run) {
    constexpr std::size_t least_batches = 2;
    std::vector<JointBatch>& batches = s.batches.batches;
    jobs.for_each_run(batches.size(), least_batches, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) run(batches[i]);
    });
}

void form_batches(Articulations& s, bool enabled, const Jobs& jobs) {
    JointBatches& b = s.batches;
    const bool same = find_members(s, enabled);
    make_batches(s);
    std::size_t workspace = 0;
    for (const JointBatch& batch : b.batches) workspace = std::max(workspace, workspace_chunks(batch));
    b.workspaces.reserve(static_cast<std::size_t>(jobs.tasks_for(b.batches.size(), 1)), workspace);
    for_each_batch(s, jobs, [&](JointBatch& batch) { begin_batch(s, batch, same); });
    b.packed = true;
}

void note_floating(Articulations& s) {
    for (JointBatch& batch : s.batches.batches) {
        batch.floating = 0;
        for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
            const bool floats = s.articulations[batch.articulations[lane]].floating;
            batch.floating |= static_cast<std::uint8_t>((floats ? 1u : 0u) << lane);
        }
    }
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
    hand_over(s, batch, a.lane);
    batch.places[a.lane] = place;
    a.batch = null_index;
    prepare_once(s, a);
    // The rows are evaluated at the poses and with the loads with which they were evaluated in the batch. After the step
    // the bodies may have been moved.
    with_records(s, batch, [&](auto records) { records.take(a, a.lane); });
    if (!batch.impulses_noted) {
        for (JointRow& row : s.rows_of(a)) row.kept_impulse = 0.0;
    }
    begin_rows(s, a);
    for (SolverJoint& joint : s.joints_of(a)) joint.kept_new_load = std::exchange(joint.new_load, dvec3(0.0));
    evaluate_at_poses(s, a);
    for (SolverJoint& joint : s.joints_of(a)) {
        joint.load = joint.next_load;
        joint.new_load = joint.kept_new_load;
    }
}

double batch_drive_work(Articulations& s, const Articulation& a) {
    return with_records(s, s.batches.batches[a.batch], [&](const auto& records) { return records.drive_work(a); });
}

void freeze_batch_drives(Articulations& s, const Articulation& a) {
    JointBatch& batch = s.batches.batches[a.batch];
    if (!batch.layout->bounded || !a.driven) return;
    if (with_records(s, batch, [&](auto records) { return records.freeze_drives(a.lane); }))
        batch.factored = JointPass::none;
}

void respond_in_batch(Articulations& s, const Articulation& a, std::span<const BatchPush> pushes) {
    JointBatch& batch = s.batches.batches[a.batch];
    s.batches.workspaces.with_one([&](BatchChunk* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        batch.kernel->respond(view, pushes.data(), static_cast<unsigned>(pushes.size()));
        take_over(batch, view, false);
        with_records(s, batch, [&](const auto& records) { records.read_motions(a, view); });
    });
}

void push_batch(Articulations& s, JointBatch& batch, std::span<const BatchPush> pushes) {
    s.batches.workspaces.with_one([&](BatchChunk* workspace) {
        JointBatchView view = view_of(s, batch, workspace);
        view.used = 0;
        for (const BatchPush& push : pushes) view.used |= 1u << push.lane;
        batch.kernel->solve_again(view, pushes.data(), static_cast<unsigned>(pushes.size()));
        take_over(batch, view, false);
    });
}

void store_batches(Articulations& s, JointStore& joints, float step, const Jobs& jobs) {
    for_each_batch(s, jobs, [&](JointBatch& batch) {
        for (std::uint32_t lane = 0; lane < batch.count; ++lane) {
            Articulation& a = s.articulations[batch.articulations[lane]];
            a.cost.microseconds += batch.cost.microseconds / batch.count;
            a.cost.clock_reads += lane == 0 ? batch.cost.clock_reads : 0;
            hand_over(s, batch, lane);
            if (batch.places[lane] != BatchPlace::batch) continue;
            with_records(s, batch, [&](const auto& records) { records.store(a, lane, step, joints); });
        }
    });
}

void note_batch_impulses(Articulations& s) {
    for (JointBatch& batch : s.batches.batches) {
        with_records(s, batch, [](auto records) { records.note_impulses(); });
        batch.impulses_noted = true;
    }
}

}  // namespace talus
