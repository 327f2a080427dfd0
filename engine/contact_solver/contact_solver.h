#pragma once
/// Contact constraints, solved for as many manifolds at a time as the processor has SIMD lanes.
///
/// The method is sequential impulses with sub-steps and soft contacts (Catto 2014, "Soft Constraints"; 2024,
/// "Solver2D"). The constraints of each point are
///
///     velocity constraint   J v = n . (v_b + w_b x r_b - v_a - w_a x r_a)   >=  0
///     position              s   = s0 + J q,   q = displacement and rotation since the start of the step
///
/// The separation s is linear in the motion of the step, and has the same Jacobian as the velocity. No anchor has to be
/// rotated. A rolling sphere, whose anchor lies on the normal, keeps its separation exactly. The lever arms and normals
/// are those of the middle of the step (lever_motion.h).
///
/// One sub-step consists of these passes:
///
///     warm_start     applies the impulses of the last sub-step
///     solve          normal rows as soft constraints: overlap is a damped spring
///                    (then the integrator updates the positions)
///     relax          normal rows as rigid constraints, which removes the velocity that the springs have added;
///                    then friction, twist and rolling
///     restitution    bounces
///
/// Friction acts at the manifold's centre, as a true cone in the tangent plane, together with a twist row about the
/// normal. It is solved in the relax pass only, where it cannot interact with the springs and gain energy.
///
/// Contacts of one colour share no movable body. So they can be solved in any order, in lanes of any width, and fields
/// of contacts (constraint_graph.h) on any threads: the result has the same bits. The loops are in
/// solver_kernel_contacts.h, and their data in contact_lanes.h.

#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/crowded_contacts.h"
#include "engine/contact_solver/lever_motion.h"
#include "engine/contact_solver/solver_kernel.h"
#include "engine/contacts/contact_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Returns the widest kernel that this processor can run.
const SolverKernel& best_solver_kernel();

/// A contact as stiff groups (stiff_groups.h) and joints read it: a copy of one lane in double. The pointers lead to
/// the impulses in the kernel's records.
struct ContactLane {
    std::uint32_t a, b;  ///< solver indices; 0 for a body that can't be pushed
    /// Solver indices from which to read velocities, also those of bodies that can't be pushed.
    std::uint32_t reads_a, reads_b;
    glm::dvec3 normal, inverse_mass_a, inverse_mass_b;
    glm::dvec3 tangent, center_a, center_b;
    double friction;
    bool special;  ///< has SurfaceLanes
    double slop, bias_rate;
    double restitution;
    int count;
    struct Point {
        glm::dvec3 angular_a, angular_b, turn_a, turn_b;
        double separation;
        double gamma;  ///< softness of its spring, 1/kg; 0 if there is no such point
        double mass;   ///< effective mass, kg; 0 if there is no such point
        double arm;
        float* impulse;
        float* bounce;
    } points[4];
    float *friction_1, *friction_2, *twist;
};

/// The factors of a soft contact's spring (contact_lanes.h).
struct ContactSpring {
    float bias_rate, mass_scale, impulse_scale;
};

class ContactSolver {
public:
    explicit ContactSolver(const SolverKernel& kernel = best_solver_kernel()) : kernel_(&kernel) {}

    /// The records of a field of the constraint graph, ordered by colour.
    struct Field {
        std::uint32_t first = 0, count = 0;
    };

    /// The world's data that the solver reads. `surfaces` is indexed by collider, `masses` by solver index.
    struct Input {
        std::span<const ConstraintGraph::Edge> edges;
        ContactTable& contacts;
        const Colliders& colliders;
        const ShapePool& shapes;
        std::span<const SolverMass> masses;
        std::span<const StartVelocity> velocities;  ///< by solver index
        std::span<const dvec3> centers;             ///< of mass, by solver index, where the contacts were found
    };

    /// Lays out records for the graph's edges, in its order.
    ///
    /// `substep` is this step's, s, and `substeps` their number. `hertz` is the frequency of contact springs of usual
    /// stiffness. Contact slots below `renewable` may be renewed in this step. `hardness` is the factor of stiffness by
    /// solver index (slender_islands.h); if it is empty, all factors are 1. The contacts in `crowded` are softer.
    /// prepare() still reads `hardness` and `crowded`.
    void begin(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges, float substep, int substeps,
               float hertz, std::size_t renewable = 0, std::span<const float> hardness = {},
               const CrowdedContacts* crowded = nullptr);
    /// Returns that frequency if sub-steps usually have this length, s. For `contact_rate` see WorldDef.
    static float usual_hertz(float usual_substep, float contact_rate);
    /// Fills the records of a field from the contacts' manifolds.
    void prepare(const Field& field, const Input& input);

    const Field& field(ContactPhase phase, std::size_t i) const { return fields_[static_cast<std::size_t>(phase)][i]; }
    bool has(ContactPhase phase) const;
    bool any_bounce() const { return any_bounce_; }
    /// The approach speed below which nothing bounces, m/s.
    float least_bounce() const;

    /// Runs a pass over the records of a field.
    using Pass = SolverKernel::ContactPass* SolverKernel::*;
    void run(Pass pass, const Field& field, std::span<SolverBody> bodies);
    /// Runs pass number `pass` (0, 1, ...) of a series of restitution passes over the field `i` of a phase. Leaves it
    /// out if the pass before has changed no impulse in the groups of the field, since it would do nothing then.
    /// Returns whether it ran.
    bool bounce(ContactPhase phase, std::uint32_t i, int pass, std::span<SolverBody> bodies);

    /// Returns a contact of a stiff group, after prepare(). It is valid until the next begin().
    ContactLane read_link(std::uint32_t link);
    /// The contacts of jointed bodies, in the order of the edges.
    struct JointedContact {
        std::uint32_t edge, record, lane;
    };
    std::span<const JointedContact> jointed_contacts() const { return jointed_; }
    ContactLane read(const JointedContact& contact);

    /// Calls visit(edge, record, lane) for each edge of the graph, once begin() has laid them out.
    template <class Visit>
    void for_each_edge(Visit&& visit) const {
        for (std::size_t k = 0; k + 1 < layout_.size(); ++k) {
            for (std::uint32_t i = layout_[k].first_edge; i < layout_[k + 1].first_edge; ++i)
                visit(order_[i], static_cast<std::uint32_t>(k), i - layout_[k].first_edge);
        }
    }
    /// Whether the contact in this lane pushes or has pushed in this step, be it only by its spring.
    bool has_pushed(std::uint32_t record, std::uint32_t lane) const;

    /// Whether iterations alone solve this renewable contact. The others are solved through joints or in a stiff group.
    bool sweeps(std::uint32_t contact) const { return place_of(contact) != nullptr; }
    /// Finds edges whose contacts must be tested again before a blow, among those that iterations solve, in ascending
    /// order. Their surfaces have been displaced along each other by more than their slide_limit since the lane was
    /// written, and a blow will come in the rest of this sub-step or in the next one.
    /// The search is done in parts, on any threads: this call does the parts `first` up to `last` of `parts`. Afterwards
    /// list_struck_after_sliding() lists what they found.
    void find_struck_after_sliding(std::span<SolverBody> bodies, std::uint32_t first, std::uint32_t last,
                                   std::uint32_t parts);
    void list_struck_after_sliding(std::vector<std::uint32_t>& out) const;
    /// A contact that was tested again within a step.
    struct Renewed {
        std::uint32_t contact;
        bool alone;  ///< its body touches no other movable body
        bool apart;  ///< its shapes are apart now; it gives no impulses until it is renewed again
    };
    /// Writes the new manifolds of contacts into their lanes, within a step. Contacts that iterations do not solve are
    /// ignored. The manifolds must hold at the present poses of the colliders. Impulses continue by feature ids. If a
    /// manifold has more points than its lane had at the start, the deepest are used. (contact_renewal.cpp)
    /// begin_renewals() gets all of them; then renew() may be called for any parts of the list, on any threads.
    void begin_renewals(std::span<const Renewed> renewed, const ContactTable& contacts);
    void renew(std::span<const Renewed> renewed, const Input& input, std::span<const SolverBody> bodies);
    /// Impulses that begin_renewals() takes back: those of this sub-step by contacts that are `alone` and bounce. The speed
    /// of an impact must be measured along the levers along which the bounce will act. So the caller undoes these
    /// impulses, and begin_bounces() then notes the speeds.
    struct TakenBack {
        std::uint32_t body;    ///< solver index
        vec3 impulse, moment;  ///< to be undone on it, N s and, about its centre, N m s
    };
    std::span<TakenBack> taken_back() { return taken_back_; }
    void begin_bounces(std::span<const SolverBody> bodies);

    /// Scales the impulses of each contact in this sub-step, after the caller has scaled their effect on the bodies.
    /// `kept` is the factor by solver index, read at a body that the contact pushes.
    void scale_impulses(std::span<const float> kept);

    /// The work of friction with a moving surface on a body in this sub-step, J.
    struct BeltWork {
        std::uint32_t body;  ///< solver index of a body that the contact pushes
        double joules;
    };
    std::span<const BeltWork> find_belt_work();

    /// Notes the impulses of contacts that bounce, before the restitution passes.
    void note_calm(const Field& field);
    /// Scales what these passes have added, with factors as in scale_impulses().
    void scale_bounces(std::span<const float> kept);

    /// Writes impulses back to the contacts.
    void store(const Field& field, ContactTable& contacts);

    /// Adds up the statistics, after the last pass.
    void end();

    /// The same for all fields, one after the other.
    void prepare(const Input& input);
    void run(Pass pass, std::span<SolverBody> bodies);
    void store(ContactTable& contacts);

    float max_penetration() const { return max_penetration_; }
    float mean_penetration() const { return mean_penetration_; }
    std::uint32_t point_count() const { return real_points_; }
    std::size_t bytes() const;

private:
    template <int width>
    void change_stiffness(std::uint32_t record, const Input& input);
    float hardness_of(const ConstraintGraph::Edge& edge) const;
    ContactSpring shared_spring(std::uint32_t contacts, bool immovable) const;
    template <class Lanes>
    void begin_record(Lanes& r, std::uint32_t k, const Input& in) const;
    template <class Lanes>
    void set_spring(Lanes& r, int lane, const ConstraintGraph::Edge& edge, const Input& in) const;
    const float* lever_motion_of(const ConstraintGraph::Edge& edge, const Input& in, LeverMotion& out) const;
    template <int width>
    void fill(std::uint32_t record, const Input& input);
    struct LinkPlace {
        std::uint32_t record = no_record, lane = 0;
        int points = 0;  ///< points that the lane has room for; set in places_ only
    };
    static constexpr std::uint32_t no_record = ~0u;
    template <int width>
    ContactLane read_lane(const LinkPlace& place) const;
    template <int width>
    void store_lane(const void* record, std::uint32_t lane, ContactTable& contacts) const;
    const LinkPlace* place_of(std::uint32_t contact) const;
    template <int width>
    bool is_place_of(const LinkPlace& place, std::uint32_t contact) const;
    struct Renewal;
    template <int width>
    void renew_lanes(std::span<const Renewed> renewed, const Input& input, std::span<const SolverBody> bodies);
    template <int width>
    bool begin_renewal(const Renewed& renewed, Renewal& renewal, const Input& input);
    template <int width>
    void end_renewal(const Renewal& renewal, const void* fresh, const void* fresh_points, int from_lane,
                     const Input& input, std::span<const SolverBody> bodies);
    template <int width>
    void take_back(const LinkPlace& place);
    template <int width>
    void scale_impulses(std::uint32_t record, std::span<const float> kept);
    template <int width>
    void find_belt_work(std::uint32_t record);
    template <int width>
    void note_calm(std::uint32_t record);
    template <int width>
    void scale_bounces(std::uint32_t record, std::span<const float> kept);
    template <int width>
    void begin_bounce(const LinkPlace& place, std::span<const SolverBody> bodies);
    template <int width>
    void store_rolling(std::uint32_t record, ContactTable& contacts) const;

    ContactPassInput pass_input(const Field& field, std::span<SolverBody> bodies);
    Field all_records() const { return {0, static_cast<std::uint32_t>(layout_.size() - 1)}; }

    struct alignas(64) Line {
        std::byte bytes[64];
    };
    void* record(std::size_t i) { return reinterpret_cast<std::byte*>(records_.data()) + i * kernel_->record_bytes; }
    const void* record(std::size_t i) const { return const_cast<ContactSolver*>(this)->record(i); }
    void* point(std::size_t i) { return reinterpret_cast<std::byte*>(points_.data()) + i * kernel_->point_bytes; }
    const void* point(std::size_t i) const { return const_cast<ContactSolver*>(this)->point(i); }
    void* surface(std::size_t i) { return reinterpret_cast<std::byte*>(surfaces_.data()) + i * kernel_->surface_bytes; }
    const void* surface(std::size_t i) const { return const_cast<ContactSolver*>(this)->surface(i); }

    const SolverKernel* kernel_;
    std::array<std::array<Field, most_fields>, contact_phases> fields_{};
    std::vector<Line> records_, points_, surfaces_;
    std::vector<float> calm_;  ///< impulses that note_calm() has noted, by point and lane, N s
    /// Where the edges, points and surfaces of a record begin. There is one more entry than there are records: the next
    /// record's values are the ends.
    struct Layout {
        std::uint32_t first_edge, first_point, first_surface;  ///< `first_edge` is an index into `order_`
    };
    std::vector<Layout> layout_;
    std::vector<std::uint32_t> order_;                        ///< edges
    std::vector<float> penetration_sums_, max_penetrations_;  ///< by record
    float substep_ = 0.0f;                                    ///< s; 0 before the first step
    LeverStep lever_step_;
    float hertz_ = 0.0f;                        ///< frequency of the usual springs, Hz
    ContactSpring springs_[3][2] = {};          ///< [usual, in a stiff group, jointed][with an immovable body]
    std::span<const float> hardness_;           ///< by solver index; if empty, all are 1
    const CrowdedContacts* crowded_ = nullptr;  ///< null if there are none
    std::vector<LinkPlace> link_places_;
    /// By contact slot. The entry of a contact that this step does not solve may be from an earlier step; place_of()
    /// finds out.
    std::vector<LinkPlace> places_;
    std::size_t renewable_ = 0;           ///< contact slots below this have their places in places_
    std::vector<unsigned> struck_lanes_;  ///< by record
    std::vector<TakenBack> taken_back_;
    std::vector<BeltWork> belt_work_;
    std::vector<LinkPlace> renewed_;
    std::vector<JointedContact> jointed_;
    bool any_bounce_ = false;
    std::array<int, most_slabs> last_bounces_{};  ///< by group: the last pass that changed impulses, or -1
    float max_penetration_ = 0.0f, mean_penetration_ = 0.0f;
    std::uint32_t real_points_ = 0;
};

}  // namespace talus
