#include "engine/solve/solve_plan.h"

#include "engine/settings.h"

#include <algorithm>

namespace talus {

namespace {

constexpr std::uint32_t group_size = SolverIndices::group_size;
constexpr std::uint32_t group_block = 24;       ///< groups of lanes that a thread takes at a time
constexpr std::uint32_t unsupported_block = 8;  ///< unsupported islands that a thread takes at a time

static_assert(most_slabs <= StageTeam::most_local_items);

std::uint32_t field_count(const SolverIndices& indices) { return 2 * indices.slab_group_count() - 1; }

}  // namespace

/// The costs give threads equal shares of the records.
void SolvePlan::begin(const Input& in) {
    drop_done();
    std::uint32_t inside = 0, even = 0, odd = 0;
    for (std::size_t i = 0; i < most_fields; ++i) {
        const auto records = [&](ContactPhase phase) { return in.contacts.field(phase, i).count; };
        inside_costs_[i] = inside +=
            (i % 2 == 0 ? 1 : 0) + records(ContactPhase::inner) + records(ContactPhase::immovable);
        even_costs_[i] = even += records(ContactPhase::even);
        odd_costs_[i] = odd += records(ContactPhase::odd);
    }
}

void SolvePlan::drop_done() {
    stages_.clear();
    works_.clear();
    field_works_.clear();
}

void SolvePlan::add(const Stage& stage, const Work& work) {
    if (stage.items == 0) return;
    stages_.push_back(stage);
    works_.push_back(work);
}

/// Adds work on the bodies or contacts of each group. Extends the last stage if that one is of this kind, too.
void SolvePlan::add_in_groups(const Input& in, const FieldWork& work) {
    const bool continues = !works_.empty() && works_.back().kind == Work::Kind::fields &&
                           field_works_[works_.back().first].is_inside_groups();
    if (!continues) {
        add({field_count(in.indices), 1, inside_costs_.data(), true},
            {.kind = Work::Kind::fields, .first = static_cast<std::uint32_t>(field_works_.size())});
    }
    field_works_.push_back(work);
    ++works_.back().count;
}

/// Adds work on the contacts between groups of slabs, if there are any.
void SolvePlan::add_across(const Input& in, const FieldWork& work) {
    if (!in.contacts.has(work.phase)) return;
    const std::uint32_t* const costs = work.phase == ContactPhase::even ? even_costs_.data() : odd_costs_.data();
    add(work.phase == ContactPhase::far ? Stage{1, 1} : Stage{field_count(in.indices), 1, costs, true},
        {.kind = Work::Kind::fields, .first = static_cast<std::uint32_t>(field_works_.size()), .count = 1});
    field_works_.push_back(work);
}

void SolvePlan::add_bodies(Work::Kind kind, std::uint32_t first, std::uint32_t last, BodyMotions::Pass motion) {
    add({(last - first) / group_size, group_block}, {.kind = kind, .first = first, .motion = motion});
}

/// Adds a pass over all movable and kinematic bodies. Kinematic bodies are in a stage of their own, because contacts of
/// many slabs read them.
void SolvePlan::add_motion(const Input& in, BodyMotions::Pass motion) {
    add_bodies(Work::Kind::bodies, in.indices.movable_end(), in.indices.constrained_end(), motion);
    add_in_groups(in, {.kind = FieldWork::Kind::bodies, .motion = motion});
}

/// Adds a pass over all contacts, phase by phase.
void SolvePlan::add_contacts(const Input& in, FieldWork work) {
    work.phase = ContactPhase::inner;
    add_in_groups(in, work);
    for (const ContactPhase phase : {ContactPhase::even, ContactPhase::odd, ContactPhase::far}) {
        work.phase = phase;
        add_across(in, work);
    }
    work.phase = ContactPhase::immovable;
    add_in_groups(in, work);
}

void SolvePlan::add_joints(std::uint32_t count, Work::JointPass pass) {
    add({count, 1}, {.kind = Work::Kind::joints, .joint_pass = pass});
}

void SolvePlan::add_momentum(const Input& in, Work::Kind kind) {
    add({in.unsupported_islands, unsupported_block}, {.kind = kind});
}

void SolvePlan::plan_begin(const Input& in) {
    const SolverIndices& indices = in.indices;
    add_in_groups(in, {.kind = FieldWork::Kind::begin_bodies});
    // Index 0, and bodies beyond the slabs. These are stages of their own, so all bodies are ready before contacts are
    // prepared.
    add_bodies(Work::Kind::begin_bodies, 0, group_size);
    add_bodies(Work::Kind::begin_bodies, indices.movable_end(), indices.constrained_end());
    add_bodies(Work::Kind::free_bodies, indices.constrained_end(), indices.size());
    add_in_groups(in, {.kind = FieldWork::Kind::begin_contacts});
    add({in.stiff_groups, 1}, {.kind = Work::Kind::begin_stiff});
}

void SolvePlan::plan_substeps(const Input& in) {
    for (int i = 0; i < in.substeps && (in.any_contact || in.joints.articulation_count() != 0); ++i) {
        add_motion(in, &SolverKernel::integrate_velocities);
        add_momentum(in, Work::Kind::note_momentum);
        if (in.contacts.any_bounce()) add_contacts(in, &SolverKernel::begin_restitution);
        add_contacts(in, &SolverKernel::warm_start);
        add({in.stiff_groups, 1}, {.kind = Work::Kind::stiff});
        add_joints(in.joints.part_count(), &JointSolver::solve);
        add_joints(in.joints.contact_part_count(), &JointSolver::solve_contacts);
        add_contacts(in, &SolverKernel::solve);
        add_motion(in, &SolverKernel::integrate_positions);
        if (in.renews_contacts) add_renewal();
        add_joints(in.joints.part_count(), &JointSolver::relax);
        add({in.stiff_groups, 1}, {.kind = Work::Kind::relax_stiff});
        add_contacts(in, &SolverKernel::relax);
        add_in_groups(in, {.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::find_gains});
        add({1, 1}, {.kind = Work::Kind::bound_iterations});
        if (in.contacts.any_bounce()) add_bounces(in);
        add_momentum(in, Work::Kind::restore_momentum);
        if (in.contacts.any_bounce()) add_contacts(in, &SolverKernel::end_restitution);
    }
    add_motion(in, &SolverKernel::end_spins);
    add_in_groups(in, {.kind = FieldWork::Kind::end_contacts});
    add_in_groups(in, {.kind = FieldWork::Kind::end_bodies});
    add_bodies(Work::Kind::end_bodies, in.indices.movable_end(), in.indices.constrained_end());
}

void SolvePlan::add_renewal() {
    constexpr std::uint32_t parts = SubstepContacts::renewal_parts;
    constexpr Stage serial{1, 1}, in_parts{parts, parts / 8};
    const auto add_pass = [&](const Stage& stage, SubstepContacts::Pass pass) {
        add(stage, {.kind = Work::Kind::renew_contacts, .renewal = pass});
    };
    add_pass(in_parts, &SubstepContacts::find_sliding);
    add_pass(serial, &SubstepContacts::list);
    add_pass(in_parts, &SubstepContacts::collide_again);
    add_pass(serial, &SubstepContacts::take_results);
    add_pass(in_parts, &SubstepContacts::write);
    add_pass(serial, &SubstepContacts::take_back_impulses);
}

void SolvePlan::add_bounces(const Input& in) {
    add_in_groups(in, {.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::note_calm});
    add_in_groups(in, {.kind = FieldWork::Kind::note_calm});
    for (int k = 0; k < settings::restitution_passes; ++k)
        add_contacts(in, {.kind = FieldWork::Kind::bounces, .bounce = k});
    for (int k = 0; k < settings::joint_bounces && in.joints.contact_group_count() != 0; ++k) {
        add_joints(in.joints.contact_group_count(), &JointSolver::transmit_bounces);
        add_contacts(in, {.kind = FieldWork::Kind::bounces, .bounce = 0});
    }
    add_joints(in.joints.contact_group_count(), &JointSolver::pass_bounces_on);
    add_in_groups(in, {.kind = FieldWork::Kind::bodies, .motion = &SolverKernel::find_bounce_gains});
    add({1, 1}, {.kind = Work::Kind::bound_bounces});
}

std::size_t SolvePlan::bytes() const {
    return stages_.capacity() * sizeof(Stage) + works_.capacity() * sizeof(Work) +
           field_works_.capacity() * sizeof(FieldWork);
}

}  // namespace talus
