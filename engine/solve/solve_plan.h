#pragma once
/// The list of everything that the solve does, as stages for threads (stage_team.h).
///
/// Reading bodies and contacts and writing them back are in the list, too, so that a thread solves the data that it has
/// read into its cache. Consecutive work on the bodies of one group of slabs (solver_indices.h) forms one *local*
/// stage, however long it is. So threads wait for each other only at contacts between groups.
///
///     plan_begin      bodies -> lanes, contacts -> lanes, stiff groups
///     plan_substeps   the sub-steps; impulses -> contacts, lanes -> bodies
///
/// Within a sub-step, each pass solves joints first and contacts last; joint_solver.h says why.

#include "engine/bodies/body_motions.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/contacts/substep_contacts.h"
#include "engine/joint_solver/joint_solver.h"
#include "engine/solve/solver_indices.h"
#include "engine/threads/stage_team.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SolvePlan {
public:
    /// Work on the bodies of one group of slabs, or on the contacts of one field (constraint_graph.h).
    struct FieldWork {
        enum class Kind : std::uint8_t {
            begin_bodies,
            bodies,
            end_bodies,
            begin_contacts,
            contacts,
            bounces,
            note_calm,
            end_contacts
        };
        Kind kind;
        BodyMotions::Pass motion = nullptr;        ///< for `bodies`
        ContactSolver::Pass pass = nullptr;        ///< for `contacts`
        ContactPhase phase = ContactPhase::inner;  ///< for `contacts` and `bounces`
        int bounce = 0;                            ///< for `bounces`: number of the pass in its series

        /// Returns whether the work needs only the bodies of one group.
        bool is_inside_groups() const { return phase == ContactPhase::inner || phase == ContactPhase::immovable; }
    };
    /// The work of a stage on its items.
    struct Work {
        enum class Kind : std::uint8_t {
            fields,        ///< items are fields; each does all field works of the stage, in order
            begin_bodies,  ///< this and the next three: items are groups of lanes, from the solver index `first` on
            bodies,
            free_bodies,
            end_bodies,
            begin_stiff,  ///< this and the next two: items are stiff groups
            stiff,
            relax_stiff,
            joints,            ///< items are articulations, or groups of contacts of jointed bodies
            renew_contacts,    ///< one item, or SubstepContacts::renewal_parts
            bound_iterations,  ///< this and the next: one item
            bound_bounces,
            note_momentum,  ///< this and the next: items are unsupported islands
            restore_momentum
        };
        using JointPass = void (JointSolver::*)(std::uint32_t first, std::uint32_t last);
        Kind kind;
        std::uint32_t first = 0, count = 0;       ///< for `fields`: a range of the field works
        BodyMotions::Pass motion = nullptr;       ///< for `bodies`
        JointPass joint_pass = nullptr;           ///< for `joints`
        SubstepContacts::Pass renewal = nullptr;  ///< for `renew_contacts`
    };
    /// The things to solve.
    struct Input {
        const SolverIndices& indices;
        const ContactSolver& contacts;
        const JointSolver& joints;
        std::uint32_t stiff_groups = 0;
        std::uint32_t unsupported_islands = 0;
        bool any_contact = false;
        bool renews_contacts = false;
        int substeps = 1;
    };

    /// Empties the list and finds the cost of each field. The contact solver must have its records.
    void begin(const Input& in);
    void plan_begin(const Input& in);     ///< adds the stages before the sub-steps
    void plan_substeps(const Input& in);  ///< adds the sub-steps and the stages after them
    /// Empties the list after its stages were run.
    void drop_done();

    std::span<const Stage> stages() const { return stages_; }
    const Work& work(std::size_t stage) const { return works_[stage]; }
    std::span<const FieldWork> field_works(const Work& work) const {
        return std::span(field_works_).subspan(work.first, work.count);
    }

    std::size_t bytes() const;

private:
    void add(const Stage& stage, const Work& work);
    void add_in_groups(const Input& in, const FieldWork& work);
    void add_across(const Input& in, const FieldWork& work);
    void add_bodies(Work::Kind kind, std::uint32_t first, std::uint32_t last, BodyMotions::Pass motion = nullptr);
    void add_motion(const Input& in, BodyMotions::Pass motion);
    void add_contacts(const Input& in, FieldWork work);
    void add_contacts(const Input& in, ContactSolver::Pass pass) {
        add_contacts(in, {.kind = FieldWork::Kind::contacts, .pass = pass});
    }
    void add_joints(std::uint32_t count, Work::JointPass pass);
    void add_renewal();
    void add_momentum(const Input& in, Work::Kind kind);
    void add_bounces(const Input& in);

    /// Cumulative numbers of records, up to and including each field: Stage::costs.
    std::array<std::uint32_t, most_fields> inside_costs_{}, even_costs_{}, odd_costs_{};
    std::vector<Stage> stages_;
    std::vector<Work> works_;  ///< parallel to stages_
    std::vector<FieldWork> field_works_;
};

}  // namespace talus
