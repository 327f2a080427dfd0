#include "engine/joint_solver/joint_solver.h"

#include "common/stopwatch.h"
#include "engine/joint_solver/batches/joint_batches.h"
#include "engine/joint_solver/contacts/contact_bounces.h"
#include "engine/joint_solver/contacts/contact_sweeps.h"
#include "engine/joint_solver/passes/joint_energy.h"
#include "engine/joint_solver/passes/joint_passes.h"
#include "engine/joint_solver/passes/joint_reports.h"
#include "engine/joint_solver/passes/relax_pass.h"
#include "engine/joint_solver/rows/row_evaluation.h"
#include "engine/joint_solver/rows/row_setup.h"

#include <algorithm>
#include <atomic>

namespace talus {

/// The least number of articulations whose preparation is worth a task of its own.
static constexpr std::size_t least_articulations = 16;

JointSolver& JointSolver::operator=(const JointSolver& other) {
    if (this == &other) return *this;
    if (unfinished_ || !topology_.matches(other.topology_)) {
        unfinished_ = true;
        s_ = other.s_;
        topology_ = other.topology_;
        alone_ = other.alone_;  // prepare() does not run if the other world has never had a joint
        contacts_ = other.contacts_;
        unfinished_ = false;
        return *this;
    }
    for (std::size_t i = 0; i < s_.articulations.size(); ++i)
        s_.articulations[i].closings = other.s_.articulations[i].closings;
    return *this;
}

void JointSolver::prepare(const JointStore& joints, const BodyStore& bodies,
                          std::span<const std::uint32_t> solver_index, std::span<const SolverMass> masses,
                          const JointMotions& motions, float substep, const Options& options) {
    unfinished_ = true;
    timing_ = options.timing;
    s_.motions = motions;
    s_.user_joints = &joints;
    s_.masses = masses;
    s_.substep = substep;
    s_.active.clear();
    if (topology_.has_changed(joints, bodies)) topology_.build(s_, joints, bodies);
    s_.layouts.resize(s_.joints.size());
    s_.nodes.resize(s_.joints.size());
    s_.velocities.assign(2 * s_.links.size(), JointLane{});
    const Jobs& jobs = options.jobs;
    std::atomic<bool> in_place{true};
    jobs.for_each_run(s_.articulations.size(), least_articulations, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (!begin_step(s_.articulations[i], solver_index)) in_place.store(false, std::memory_order_relaxed);
        }
    });
    for (std::uint32_t i = 0; i < s_.articulations.size(); ++i) {
        if (s_.articulations[i].awake) s_.active.push_back(i);
    }
    if (!in_place) make_all_rows();
    form_batches(s_, options.batches, jobs);
    alone_.clear();
    for (const std::uint32_t i : s_.active) {
        if (s_.articulations[i].batch == null_index) alone_.push_back(i);
    }
    jobs.for_each_run(alone_.size(), least_articulations, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Articulation& a = s_.articulations[alone_[i]];
            prepare_once(s_, a);
            begin_rows(s_, a);
            evaluate(s_, a);
            a.open = opening_of(s_, a);
        }
    });
    for (const std::uint32_t i : s_.active) s_.articulations[i].open_before = s_.articulations[i].open;
}

/// Notes whether an articulation is awake, and makes its rows if they have changed. Returns false if that needs
/// make_all_rows().
bool JointSolver::begin_step(Articulation& a, std::span<const std::uint32_t> solver_index) {
    a.awake = false;
    for (Link& link : s_.links_of(a)) {
        link.solver = solver_index[link.slot];
        // Otherwise a kinematic body that has stopped would keep its velocity here, and a loaded world has forgotten it.
        if (link.solver == 0) link.velocity_before = link.angular_velocity_before = dvec3(0.0);
        a.awake = a.awake || (link.dynamic && link.solver != 0);
    }
    if (!a.awake) return true;
    a.cost = {};
    a.pushed = a.bent = a.weak = a.prepared = false;
    a.changed = has_changed(s_, a);
    a.begun = a.begun && !a.changed;
    const bool in_place = !(a.changed || a.layout == nullptr) || prepare_articulation(s_, a);
    a.floating = a.may_float;
    return in_place;
}

/// Makes the rows of all awake articulations, after the number of rows of one of them has changed.
void JointSolver::make_all_rows() {
    lay_out_rows(s_);
    // Rows of articulations that are asleep have moved, too, and are made again when these wake up.
    for (Articulation& a : s_.articulations) a.substep = 0.0f;
    for (const std::uint32_t index : s_.active) {
        prepare_articulation(s_, s_.articulations[index]);
        s_.articulations[index].changed = true;
        s_.articulations[index].begun = false;
    }
}

template <class ItemAt, class Run>
void JointSolver::run_timed(std::uint32_t first, std::uint32_t last, ItemAt&& item_at, Run&& run) {
    if (first >= last) return;
    Stopwatch watch(timing_ != Timing::off);
    for (std::uint32_t i = first; i < last; ++i) {
        run(item_at(i));
        if (timing_ == Timing::pairs || i + 1 == last) item_at(i).cost.microseconds += watch.lap();
    }
    item_at(first).cost.clock_reads += watch.reads();
}

void JointSolver::run_parts(std::uint32_t first, std::uint32_t last, void (*run_batch)(Articulations&, JointBatch&),
                            void (*run_alone)(Articulations&, Articulation&)) {
    const auto batch_count = static_cast<std::uint32_t>(s_.batches.batches.size());
    run_timed(
        first, std::min(last, batch_count), [&](std::uint32_t i) -> JointBatch& { return s_.batches.batches[i]; },
        [&](JointBatch& batch) { run_batch(s_, batch); });
    run_timed(
        std::max(first, batch_count), last,
        [&](std::uint32_t i) -> Articulation& { return s_.articulations[alone_[i - batch_count]]; },
        [&](Articulation& a) { run_alone(s_, a); });
}

void JointSolver::solve(std::uint32_t first, std::uint32_t last) {
    run_parts(first, last, &solve_batch, &solve_articulation);
}

void JointSolver::relax(std::uint32_t first, std::uint32_t last) {
    run_parts(first, last, &relax_batch, &relax_articulation);
}

void JointSolver::solve_contacts(std::uint32_t first, std::uint32_t last) {
    run_timed(
        first, last, [&](std::uint32_t i) -> JointContactPart& { return contacts_.parts[i]; },
        [&](JointContactPart& part) {
            for (std::uint32_t g = part.first_group; g < part.first_group + part.group_count; ++g) {
                const JointContactGroup& group = contacts_.groups[g];
                if (!group.in_stiff_group) solve_contact_group(contacts_, s_, group);
            }
        });
}

void JointSolver::transmit_bounces(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) talus::transmit_bounces(contacts_, s_, contacts_.groups[g]);
}

void JointSolver::pass_bounces_on(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) talus::pass_bounces_on(contacts_, s_, contacts_.groups[g]);
}

void JointSolver::relax_again(std::uint32_t articulation) { talus::relax_again(s_, s_.articulations[articulation]); }

/// By the velocities that the articulation's links hold.
static double work_of(Articulations& s, const Articulation& a) {
    return a.batch == null_index ? drive_work(s, a) : batch_drive_work(s, a);
}

double JointSolver::drive_work(std::uint32_t at) {
    Articulation& a = active(at);
    if (!a.driven) return 0.0;
    read_velocities(s_, a);
    return work_of(s_, a);
}

JointSolver::Work JointSolver::work(std::uint32_t at, std::span<const BodyMotions::Unpushed> unpushed) {
    Articulation& a = active(at);
    Work work;
    if (!a.driven) return work;
    const double whole = drive_work(at);
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (!s_.links[l].dynamic || s_.links[l].solver == 0) continue;
        const BodyMotions::Unpushed& alone = unpushed[s_.links[l].solver];
        set_velocity(s_.velocity_of(l), dvec3(alone.velocity), dvec3(alone.spin));
    }
    work.unpushed = work_of(s_, a);
    work.pushed = whole - work.unpushed;
    return work;
}

std::uint32_t JointSolver::body_of(std::uint32_t at) const { return s_.first_awake_link(active(at)).solver; }

void JointSolver::note_impulses() { talus::note_impulses(s_); }

void JointSolver::scale_impulses(std::uint32_t at, double kept) {
    leave_batch(s_, active(at));
    talus::scale_impulses(s_, active(at), kept);
}

void JointSolver::store(JointStore& joints, float step, const Jobs& jobs) {
    store_batches(s_, joints, step, jobs);
    store_results(s_, joints, step);
    unfinished_ = false;
}

JointProfile JointSolver::profile(const BodyStore& bodies, std::uint64_t& clock_reads) const {
    JointProfile profile;
    profile.articulations = articulation_count();
    for (const std::uint32_t index : s_.active) {
        const Articulation& a = s_.articulations[index];
        profile.joints += a.joint_count;
        profile.factorizations += a.cost.factorizations;
        profile.rounds += a.cost.rounds;
        profile.passes_alone += a.cost.passes_alone;
        profile.rows += static_cast<std::uint32_t>(s_.rows_of(a).size());
        profile.microseconds += a.cost.microseconds;
        clock_reads += a.cost.clock_reads;
        if (timing_ != Timing::pairs || !(a.cost.microseconds > profile.slowest_microseconds)) continue;
        profile.slowest_microseconds = a.cost.microseconds;
        profile.slowest_body = bodies.id_of(s_.first_awake_link(a).slot);
    }
    for (const JointContactPart& part : contacts_.parts) {
        profile.coupled_microseconds += part.cost.microseconds;
        clock_reads += part.cost.clock_reads;
    }
    return profile;
}

std::size_t JointSolver::bytes() const { return s_.bytes() + topology_.bytes() + contacts_.bytes() + closing_.bytes(); }

}  // namespace talus
