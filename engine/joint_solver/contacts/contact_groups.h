#pragma once
/// Contacts of jointed bodies, as rows that are solved through the joints.
///
/// The iterations of the contact solver see only the two bodies of a contact: the foot of 1 kg of a person of 75 kg. At
/// an impact they stop the foot and leave the rest of the person to the joint. The joint pulls the foot on again, and
/// each round brings the two nearer only by that ratio of masses. The constraint that is solved last is satisfied, and
/// the other one is violated by metres per second. So if joints have left too much speed in the contacts of an island,
/// its normal rows are solved with the masses of all bodies that joints connect. Let A be the matrix of the joints'
/// rows, J those rows and n the row of a contact. Then
///
///     c = M^-1 (n^T - J^T A^-1 J M^-1 n^T)      the response of all bodies to a unit of the contact's impulse
///
/// takes one more solve with the existing factors. Projected Gauss-Seidel on these responses finds impulses that stop
/// the approach without opening a joint (contact_sweeps.h) or that bounce (contact_bounces.h). They are applied to the
/// bodies that they push, and a last pass of the joints transmits them to the others. Until then, only the velocities
/// of bodies that contacts push are computed. The reaction of limits and motors to the impulses is taken into account
/// in the next round.

#include "engine/contact_solver/contact_solver.h"
#include "engine/joint_solver/articulations.h"
#include "engine/sleeping/islands.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace talus {

/// A link that contacts of the group push, or such a body without joints.
struct PushedBody {
    std::uint32_t solver = 0, link = null_index, assembly = 0;
    dvec3 velocity{0.0}, angular_velocity{0.0};
};

/// The pushed bodies of one articulation, or one pushed body without joints.
struct PushedAssembly {
    std::uint32_t articulation = null_index;
    std::uint32_t first_body = 0, body_count = 0;
    std::uint32_t first_row = 0, row_count = 0;  ///< in JointContactGroups::rows_by_assembly
    bool ready = false;                          ///< its capped drives have constant impulses in this round
    bool pushed = false;                         ///< an impulse on it has changed in this round
};

struct JointedContact {
    ContactLane lane;
    // For body A and body B; null_index for a body that cannot be pushed.
    std::uint32_t body[2] = {null_index, null_index};
    std::uint32_t assembly[2] = {null_index, null_index};
};

/// The normal row of a point of a contact.
struct JointedContactRow {
    std::uint32_t contact = 0, point = 0;
    /// Index in `responses` of the responses of the bodies of A's assembly. The responses of B's assembly follow.
    std::uint32_t first_response = 0;
    double alone = 0.0;              ///< J M^-1 J^T of its two bodies without their joints
    double bias = 0.0, gamma = 0.0;  ///< of the present pass
    double gap = 0.0;                ///< between the surfaces, m
    double drift = 0.0;              ///< speed of bodies that cannot be pushed, along the row, m/s
    double response = 0.0;           ///< J M^-1 J^T of its two bodies with their joints; negative: not computed yet
    double impulse_before = 0.0;     ///< when the round began
    double impulse = 0.0;
};

/// The motion of the bodies of a contact, A and B.
struct ContactMotion {
    double moved[2] = {};  ///< distance by which the body's centre has moved away from the other body in this step, m
    double speed[2] = {};  ///< speed at which it does so now, m/s
    dvec3 turned[2] = {};  ///< rotation since the step's start, rad
    dvec3 spin[2] = {};    ///< angular velocity, rad/s
};

/// The contacts of an island.
struct JointContactGroup {
    std::uint32_t first_contact = 0, contact_count = 0;
    std::uint32_t first_row = 0, row_count = 0;
    std::uint32_t first_assembly = 0, assembly_count = 0;
    bool in_stiff_group = false;  ///< a stiff group solves them (stiff_groups.h)
};

/// Groups that must not be solved at the same time, because articulations of theirs share a batch.
struct JointContactPart {
    std::uint32_t first_group = 0, group_count = 0;
    JointCost cost;
};

/// All groups of a step.
struct JointContactGroups {
    std::vector<JointContactGroup> groups;
    std::vector<JointContactPart> parts;
    std::vector<JointedContact> contacts;
    std::vector<JointedContactRow> rows;
    std::vector<std::uint8_t> changed;            ///< by row: 1 if next_changed() must return it
    std::vector<std::uint32_t> rows_by_assembly;  ///< of each assembly: the rows of its contacts
    std::vector<PushedAssembly> assemblies;
    std::vector<PushedBody> bodies;
    std::vector<dvec3> responses;   ///< velocity and angular velocity, for a unit of impulse
    std::vector<BatchPush> pushes;  ///< room for two by row: on A and on B
    float least_bounce = 0.0f;      ///< approach speed below which nothing bounces, m/s
    // Scratch.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys, links_and_bodies;
    std::vector<std::uint32_t> group_of_batch, first_groups;
    std::vector<JointContactGroup> unsorted_groups;

    std::span<JointedContactRow> rows_of(const JointContactGroup& group) {
        return {rows.data() + group.first_row, group.row_count};
    }
    std::span<PushedAssembly> assemblies_of(const JointContactGroup& group) {
        return {assemblies.data() + group.first_assembly, group.assembly_count};
    }
    std::span<PushedBody> bodies_of(const PushedAssembly& assembly) {
        return {bodies.data() + assembly.first_body, assembly.body_count};
    }
    std::size_t bytes() const;
};

inline dvec3 to_double(const float* v) { return {v[0], v[1], v[2]}; }

/// Finds the groups of a step: the contacts of the solver that push links, by island. Articulations that touch a body
/// that cannot be pushed are marked as not floating.
void find_contact_groups(JointContactGroups& g, Articulations& s, ContactSolver& solver,
                         std::span<const ConstraintGraph::Edge> edges, Islands& islands);

/// Reads the motion of a contact's bodies.
ContactMotion motion_of(const JointContactGroups& g, const Articulations& s, std::uint32_t contact);

/// Reads a row's impulse and gap. Returns the speed at which its bodies separate, m/s.
double begin_row(const JointContactGroups& g, JointedContactRow& row, const ContactMotion& motion);

/// Calls visit(row, the speed at which its bodies separate, m/s) for the group's rows, after begin_row().
template <class Visit>
void begin_rows(JointContactGroups& g, const Articulations& s, const JointContactGroup& group, Visit&& visit) {
    std::uint32_t contact = null_index;
    ContactMotion motion;
    for (JointedContactRow& row : g.rows_of(group)) {
        if (row.contact != contact) motion = motion_of(g, s, contact = row.contact);
        visit(row, begin_row(g, row, motion));
    }
}

/// Reads the velocities of the group's bodies.
void read_bodies(JointContactGroups& g, const Articulations& s, const JointContactGroup& group);

/// Returns the next row, from `row` on, whose bodies have changed their velocities in `bodies` since this function
/// returned it last; the end of the group's rows if there is none. After read_bodies() all rows count as changed.
std::uint32_t next_changed(JointContactGroups& g, const JointContactGroup& group, std::uint32_t row);

/// Returns the speed at which a row's bodies separate, by their velocities in `bodies`, m/s.
double separating_speed(const JointContactGroups& g, const JointedContactRow& row);

/// Finds the responses of the bodies to the row's impulse.
void find_responses(JointContactGroups& g, Articulations& s, JointedContactRow& row, JointPass pass);

/// Adds the effect of an impulse of the row to the velocities in `bodies`, by the responses.
void add_impulse(JointContactGroups& g, const JointedContactRow& row, double impulse);

/// Whether the rows' impulses fit into floats. Where masses differ by more than doubles resolve, responses are rounding,
/// and iterations over them may diverge.
bool impulses_fit(JointContactGroups& g, const JointContactGroup& group);

/// Applies the changed impulses to the solver bodies, and lets the joints transmit them.
void apply_impulses(JointContactGroups& g, Articulations& s, const JointContactGroup& group, JointPass pass);

}  // namespace talus
