#pragma once
/// Contact constraints, as many manifolds wide as the processor has lanes.
///
/// Sequential impulses with sub-steps and soft contacts (Catto 2014, "Soft Constraints"; 2024, "Solver2D"). For each
/// point
///
///     velocity constraint   J v = n . (v_b + w_b x r_b - v_a - w_a x r_a)   >=  0
///     position              s   = s0 + J q,   q = displacement and turn since the start of the step
///
/// The position is linear in the motion of the step, with the very Jacobian that the velocity uses: no anchor has to
/// be rotated, and a rolling sphere, whose anchor lies on the normal, keeps its separation exactly.
///
/// One sub-step:  warm_start -> solve (normal, soft: overlap is a damped spring) -> [positions] -> relax (normal again,
/// rigid, then friction, twist and rolling: takes out the velocity that the spring put in) -> restitution. Friction
/// acts at the manifold's centre as a true cone in the tangent plane, with a twist row about the normal; it is solved
/// in the relax pass only, where the spring cannot pump it.
///
/// Contacts of one colour share no body that can be pushed, so they can be solved in any order and in lanes of any
/// width, and fields of contacts (constraint_graph.h) on any threads, to the same bits. The loops are in
/// solver_kernel_contacts.h, what they read in contact_lanes.h.

#include "engine/constraints/constraint_graph.h"
#include "engine/constraints/crowded_contacts.h"
#include "engine/contact_solver/solver_kernel.h"
#include "engine/contacts/contact_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The widest kernel that this processor can run.
const SolverKernel& best_solver_kernel();

/// A contact as stiff_groups.h and joints read it; 64-bit copies of a lane but for the impulses, which are where the
/// kernels have them.
struct ContactLane {
    std::uint32_t a, b;              ///< solver bodies, 0 for one that can't be pushed
    std::uint32_t reads_a, reads_b;  ///< the same, for their velocities
    glm::dvec3 normal, inverse_mass_a, inverse_mass_b;
    glm::dvec3 tangent, center_a, center_b;
    double friction;
    bool special;  ///< has a SurfaceLanes
    double slop, bias_rate;
    double restitution;
    int count;
    struct Point {
        glm::dvec3 angular_a, angular_b, turn_a, turn_b;
        double separation;
        double gamma;  ///< softness of its spring, 1/kg; 0: there is no such point
        double mass;   ///< 0: there is no such point
        double arm;
        float* impulse;
        float* bounce;
    } points[4];
    float *friction_1, *friction_2, *twist;
};

/// A soft contact's factors (contact_lanes.h).
struct ContactSpring {
    float bias_rate, mass_scale, impulse_scale;
};

class ContactSolver {
public:
    explicit ContactSolver(const SolverKernel& kernel = best_solver_kernel()) : kernel_(&kernel) {}

    /// The records of a field, colour after colour.
    struct Field {
        std::uint32_t first = 0, count = 0;
    };

    /// What is read of the world. `surfaces` by collider, `masses` by solver body.
    struct Input {
        std::span<const ConstraintGraph::Edge> edges;
        ContactTable& contacts;
        const Colliders& colliders;
        std::span<const Surface> surfaces;
        std::span<const SolverMass> masses;
    };

    /// Lays out records for the graph's edges, in its order. Contacts are as stiff as suits sub-steps of the usual
    /// length, s; this one may be shorter. Contact slots below `renewable` may be renewed in this step. `hardness`, by
    /// solver index, says how many times stiffer contacts are (slender_islands.h); if it is empty, none are. Those of
    /// `crowded` are softer. Both are read by prepare().
    void begin(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges, float substep,
               float usual_substep, std::size_t renewable = 0, std::span<const float> hardness = {},
               const CrowdedContacts* crowded = nullptr);
    /// Of soft contacts where sub-steps are usually as long as that, s.
    static float usual_hertz(float usual_substep);
    /// Fills a field's records from the contacts' manifolds.
    void prepare(const Field& field, const Input& input);

    const Field& field(ContactPhase phase, std::size_t i) const { return fields_[static_cast<std::size_t>(phase)][i]; }
    bool has(ContactPhase phase) const;
    bool any_bounce() const { return any_bounce_; }
    /// Approach speed below which nothing bounces, m/s.
    float least_bounce() const;

    /// A pass over a field's records.
    using Pass = SolverKernel::ContactPass* SolverKernel::*;
    void run(Pass pass, const Field& field, std::span<SolverBody> bodies);

    /// A contact in a stiff group, once it is prepared; valid until the next begin().
    ContactLane read_link(std::uint32_t link);
    /// The contacts of bodies that joints hold, in the order of the edges, and the same of them.
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
    /// Whether the contact in that lane pushes, or has done so in this step.
    bool has_pushed(std::uint32_t record, std::uint32_t lane) const;

    /// Whether the step solves this renewable contact by sweeps alone, not through joints or in a stiff group.
    bool sweeps(std::uint32_t contact) const { return place_of(contact) != nullptr; }
    /// The edges, of those that sweep, to which a blow comes in what is left of the sub-step or in the next one, after
    /// their surfaces have moved along each other by more than their slide_limit since they were written into their
    /// lanes. In ascending order.
    void find_struck_after_sliding(std::span<SolverBody> bodies, std::vector<std::uint32_t>& out);
    /// A contact whose manifold was found anew within a step.
    struct Renewed {
        std::uint32_t contact;
        bool alone;  ///< its body touches nothing that can be pushed
        bool apart;  ///< by now; it gives nothing until it is renewed again
    };
    /// Within a step: writes the manifold of each contact that sweeps, at the poses that its colliders have by now, into
    /// the lane that it has. Impulses go on by feature ids; of points beyond those that the lane began with the deepest
    /// are taken.
    void renew(std::span<const Renewed> renewed, const Input& input, std::span<const SolverBody> bodies);
    /// Of those that bounce alone, `renew` takes back what they have given in this sub-step: the speed of an impact has
    /// to be seen along the levers along which the bounce will act. Once the bodies are without these impulses,
    /// begin_bounces() notes it.
    struct TakenBack {
        std::uint32_t body;    ///< solver index
        vec3 impulse, moment;  ///< on it, N s and N m s about its centre, to be undone
    };
    std::span<TakenBack> taken_back() { return taken_back_; }
    void begin_bounces(std::span<const SolverBody> bodies);

    /// Scales what each contact has given in this sub-step, which its bodies have lost already, by the part that stands
    /// at the solver index of a body that it pushes.
    void scale_impulses(std::span<const float> kept);

    /// Work (J) on a body by friction on a surface that runs, in this sub-step.
    struct BeltWork {
        std::uint32_t body;  ///< a solver index that the contact pushes
        double joules;
    };
    std::span<const BeltWork> find_belt_work();

    /// Notes what contacts that bounce have given before they do...
    void note_calm(const Field& field);
    /// ... and scales what they gave since, by the same parts.
    void scale_bounces(std::span<const float> kept);

    /// Writes impulses back to the contacts.
    void store(const Field& field, ContactTable& contacts);

    /// After the last pass: adds up the statistics.
    void end();

    /// All of them, one after the other.
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
    template <int width>
    void fill(std::uint32_t record, const Input& input);
    struct LinkPlace {
        std::uint32_t record = no_record, lane = 0;
        int points = 0;  ///< that the lane has when it is prepared; known in places_ alone
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
    std::vector<float> calm_;  ///< by point and lane: note_calm, N s
    /// Where the lanes and the points of a record are; one more than there are records.
    struct Layout {
        std::uint32_t first_edge, first_point, first_surface;  ///< in `order_`; the next record's are the ends
    };
    std::vector<Layout> layout_;
    std::vector<std::uint32_t> order_;                        ///< edges
    std::vector<float> penetration_sums_, max_penetrations_;  ///< by record
    float substep_ = 0.0f;                                    ///< s; 0 before the first step
    float hertz_ = 0.0f;                                      ///< of springs of contacts that are alone
    ContactSpring springs_[3][2] = {};          ///< [alone, in a stiff group, jointed][with an immovable body]
    std::span<const float> hardness_;           ///< by solver index; empty: 1
    const CrowdedContacts* crowded_ = nullptr;  ///< null if none are
    std::vector<LinkPlace> link_places_;
    /// By contact slot. The place of a contact that this step doesn't have is one of an earlier step (place_of knows).
    std::vector<LinkPlace> places_;
    std::size_t renewable_ = 0;           ///< contact slots below this have their places here
    std::vector<unsigned> struck_lanes_;  ///< by record
    std::vector<TakenBack> taken_back_;
    std::vector<BeltWork> belt_work_;
    std::vector<LinkPlace> renewed_;
    std::vector<JointedContact> jointed_;
    bool any_bounce_ = false;
    float max_penetration_ = 0.0f, mean_penetration_ = 0.0f;
    std::uint32_t real_points_ = 0;
};

}  // namespace talus
