#include "engine/contact_solver/contact_solver.h"

#include "common/assert.h"
#include "common/lanes/processor.h"
#include "engine/contact_solver/contact_lanes.h"
#include "engine/contact_solver/contact_source.h"
#include "engine/contact_solver/motion_lanes.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace talus {

namespace {

constexpr float pi = 3.14159265358979f;

/// Returns an implicit spring-damper as factors of a velocity constraint over a sub-step of h seconds (Catto 2014).
ContactSpring spring_of(float hertz, float damping_ratio, float h) {
    const float omega = 2.0f * pi * hertz;
    const float a1 = 2.0f * damping_ratio + h * omega;
    const float a2 = h * omega * a1;
    const float a3 = 1.0f / (1.0f + a2);
    return {omega / a1, a2 * a3, a3};
}

/// Scales carried impulses to this sub-step. They are loads times the sub-step in which they were found, which may have
/// had another length, and may be long ago if the bodies slept. The impulse of a blow is no load and does not grow with
/// the sub-step: scaled up after a very short step, it would throw resting bodies about. So the factor is limited.
void take_over_impulses(ContactState& state, float substep) {
    const float longer = state.substep > 0.0f ? substep / state.substep : 1.0f;
    state.substep = substep;
    state.scale_impulses(std::min(longer, settings::most_load_growth));
}

/// Reduces the impulses of a contact that has left its stiff group to the largest load of a contact outside of groups.
/// The load that it carried may be gone, and one iteration cannot take back thousands of times the body's weight. A
/// plate of 250 g between the ground and 260 kg, which had left it, got 650 N s from the ground and moved 5 m within a
/// step.
void leave_group(ContactState& state, const SolverMass& a, const SolverMass& b, float substep) {
    const auto weight = [](const SolverMass& mass) {
        const vec3 inverse = load3(mass.inverse_mass);
        const float most = std::max(inverse.x, std::max(inverse.y, inverse.z));
        return most > 0.0f ? glm::length(load3(mass.gravity)) / most : std::numeric_limits<float>::infinity();
    };
    const float most = settings::stiff_load_wide * substep * std::min(weight(a), weight(b));
    float sum = 0.0f;
    for (int i = 0; i < state.point_count; ++i) sum += state.impulses[i];
    if (sum > most) state.scale_impulses(most / sum);
}

}  // namespace

const SolverKernel& best_solver_kernel() {
#ifdef TALUS_AVX2
    static const SolverKernel& best = detail::has_avx2() ? solver_kernel_avx2 : solver_kernel_base;
    return best;
#else
    return solver_kernel_base;
#endif
}

float ContactSolver::usual_hertz(float usual_substep, float contact_rate) {
    return std::min(contact_rate / usual_substep, settings::max_contact_hertz);
}

void ContactSolver::begin(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges, float substep,
                          int substeps, float hertz, std::size_t renewable, std::span<const float> hardness,
                          const CrowdedContacts* crowded) {
    substep_ = substep;
    lever_step_ = {0.5f * static_cast<float>(substeps - 1) * substep, static_cast<float>(substeps),
                   settings::blow_rate * substep};
    hardness_ = hardness;
    crowded_ = crowded != nullptr && crowded->any() ? crowded : nullptr;
    hertz_ = hertz;
    for (int k = 0; k < 2; ++k) {
        const float stiffer = k == 0 ? 1.0f : settings::fixed_contact_stiffening;
        springs_[0][k] = spring_of(stiffer * hertz, settings::contact_damping_ratio, substep);
        springs_[1][k] = {settings::stiff_push / substep, 1.0f, 0.0f};
        springs_[2][k] =
            spring_of(settings::jointed_contact_stiffening * stiffer * hertz, settings::contact_damping_ratio, substep);
    }
    renewed_.clear();  // there are some only if the last step ran out of memory
    taken_back_.clear();
    link_places_.clear();
    renewable_ = renewable;
    if (places_.size() < renewable) places_.resize(renewable);
    jointed_.clear();
    order_.assign(graph.order().begin(), graph.order().end());
    fields_ = {};
    layout_.clear();
    any_bounce_ = false;
    real_points_ = 0;
    Layout next{0, 0, 0};
    for (const ContactColor& color : graph.colors()) {
        const auto first_record = static_cast<std::uint32_t>(layout_.size());
        const std::uint32_t most = color.parallel ? kernel_->lanes : 1, color_end = color.first + color.count;
        while (next.first_edge < color_end) {
            layout_.push_back(next);
            const ConstraintGraph::Edge& first = edges[order_[next.first_edge]];
            const std::uint32_t end = std::min(next.first_edge + most, color_end);
            std::uint32_t points = 0;
            for (; next.first_edge < end; ++next.first_edge) {
                const ConstraintGraph::Edge& edge = edges[order_[next.first_edge]];
                if (edge.pushes_a != first.pushes_a || edge.pushes_b != first.pushes_b || edge.special != first.special)
                    break;
                points = std::max(points, edge.room());
                real_points_ += edge.point_count;
                any_bounce_ = any_bounce_ || edge.bounces;
                if (!edge.jointed && edge.link == no_link) continue;
                const LinkPlace place{static_cast<std::uint32_t>(layout_.size() - 1),
                                      next.first_edge - layout_.back().first_edge, 0};
                if (edge.jointed) jointed_.push_back({order_[next.first_edge], place.record, place.lane});
                if (edge.link == no_link) continue;
                if (link_places_.size() <= edge.link) link_places_.resize(edge.link + 1);
                link_places_[edge.link] = place;
            }
            next.first_point += points;
            next.first_surface += first.special ? 1 : 0;
        }
        Field& field = fields_[static_cast<std::size_t>(color.phase)][color.field];
        if (field.count == 0) field.first = first_record;
        field.count += static_cast<std::uint32_t>(layout_.size()) - first_record;
    }
    std::sort(jointed_.begin(), jointed_.end(),
              [](const JointedContact& x, const JointedContact& y) { return x.edge < y.edge; });
    const std::size_t records = layout_.size();
    layout_.push_back(next);
    struck_lanes_.resize(records);
    const auto lines = [](std::size_t count, std::size_t bytes) {
        return (count * bytes + sizeof(Line) - 1) / sizeof(Line);
    };
    records_.resize(lines(records, kernel_->record_bytes));
    points_.resize(lines(next.first_point, kernel_->point_bytes));
    if (any_bounce_) calm_.resize(std::size_t{next.first_point} * kernel_->lanes);
    surfaces_.resize(lines(next.first_surface, kernel_->surface_bytes));
    penetration_sums_.resize(records);
    max_penetrations_.resize(records);
}

/// Returns the spring of one of many contacts between two bodies, which together are as stiff as
/// `full_stiffness_contacts` of them. If each were as stiff as a single contact (nested bowls have a hundred points),
/// the sum would be too stiff for the sub-step, and iterations that have not converged would feed energy into resting
/// bodies.
ContactSpring ContactSolver::shared_spring(std::uint32_t contacts, bool immovable) const {
    const float share = static_cast<float>(settings::full_stiffness_contacts) / static_cast<float>(contacts);
    const float hertz = (immovable ? settings::fixed_contact_stiffening : 1.0f) * hertz_ * std::sqrt(share);
    return spring_of(hertz, settings::contact_damping_ratio, substep_);
}

/// Returns the factor by which a contact is stiffer than usual.
float ContactSolver::hardness_of(const ConstraintGraph::Edge& edge) const {
    const float share = crowded_ != nullptr ? crowded_->share(edge) : 1.0f;
    if (hardness_.empty()) return share;
    const float a = edge.pushes_a ? hardness_[edge.a] : hardness_[edge.b];
    return share * (edge.pushes_b ? std::min(a, hardness_[edge.b]) : a);
}

/// Makes the contacts of slender islands stiffer and those of crowded bodies softer. Contacts with springs of their own
/// are left out: those of joints, those of stiff groups, and those that share a stiffness.
template <int width>
void ContactSolver::change_stiffness(std::uint32_t k, const Input& in) {
    auto& r = *static_cast<ContactLanes<LaneArray<width>>*>(record(k));
    for (std::uint32_t i = 0; i < r.used; ++i) {
        const ConstraintGraph::Edge& edge = in.edges[order_[layout_[k].first_edge + i]];
        if (edge.link != no_link || edge.jointed) continue;
        if (edge.pair != null_index && in.contacts.pairs[edge.pair].edges > settings::full_stiffness_contacts) continue;
        const float hard = hardness_of(edge);
        if (hard == 1.0f) continue;
        const auto lane = static_cast<int>(i);
        const float stiffer = edge.pushes_a && edge.pushes_b ? 1.0f : settings::fixed_contact_stiffening;
        const ContactSpring spring =
            spring_of(stiffer * hertz_ * std::sqrt(hard), settings::contact_damping_ratio, substep_);
        r.bias_rate[lane] = spring.bias_rate;
        r.mass_scale[lane] = spring.mass_scale;
        r.impulse_scale[lane] = spring.impulse_scale;
        if (r.tilt_rate[lane] > 0.0f) r.tilt_rate[lane] = settings::tilt_stiffening * spring.bias_rate;
        r.slop[lane] *= std::clamp(1.0f / hard, settings::slender_slop, 1.0f);
    }
}

/// Begins a record: what all of its contacts have in common, and the spring of a contact that is alone between its two
/// bodies in every lane.
template <class Lanes>
void ContactSolver::begin_record(Lanes& r, std::uint32_t k, const Input& in) const {
    const Layout &here = layout_[k], &next = layout_[k + 1];
    const ConstraintGraph::Edge& first = in.edges[order_[here.first_edge]];
    r.used = next.first_edge - here.first_edge;
    r.first_point = here.first_point;
    r.point_count = next.first_point - here.first_point;
    r.surface = first.special ? here.first_surface : no_surface;
    r.pushes_a = first.pushes_a;
    r.pushes_b = first.pushes_b;
    r.moves_a = r.moves_b = r.bounces = r.tilts = r.slides = r.forgets = r.struck = false;
    const ContactSpring& usual = springs_[0][!first.pushes_a || !first.pushes_b];
    const int width = static_cast<int>(std::size(r.a));
    for (int i = 0; i < width; ++i) {
        r.bias_rate[i] = usual.bias_rate;
        r.mass_scale[i] = usual.mass_scale;
        r.impulse_scale[i] = usual.impulse_scale;
        r.kept[i] = 1.0f;
        r.stiffer_from[i] = settings::stiffer_depth;
        r.tilt_rate[i] = 0.0f;
    }
    for (int i = static_cast<int>(r.used); i < width; ++i) r.stiffer_from[i] = std::numeric_limits<float>::max();
}

/// Gives a lane of a record the spring of its contact.
template <class Lanes>
inline void ContactSolver::set_spring(Lanes& r, int lane, const ConstraintGraph::Edge& edge, const Input& in) const {
    const bool immovable = !edge.pushes_a || !edge.pushes_b, in_group = edge.link != no_link;
    const std::uint32_t pair_edges = edge.pair != null_index && !in_group ? in.contacts.pairs[edge.pair].edges : 0;
    // A shared stiffness does not grow with depth.
    const bool shares = pair_edges > settings::full_stiffness_contacts;
    ContactSpring spring = springs_[0][immovable];
    if (in_group || edge.jointed || shares) {
        spring = shares     ? shared_spring(pair_edges, immovable)
                 : in_group ? springs_[1][immovable]
                            : springs_[2][immovable];
        r.bias_rate[lane] = spring.bias_rate;
        r.mass_scale[lane] = spring.mass_scale;
        r.impulse_scale[lane] = spring.impulse_scale;
        // Joints and groups use the spring without that growth.
        r.stiffer_from[lane] =
            in_group || edge.jointed ? std::numeric_limits<float>::max() : settings::stiffer_face_depth;
    }
    // Shared springs are not stiffer against tilting either: if each of a hundred contacts were three times as stiff,
    // nested bowls would vibrate for ever.
    if (edge.point_count == max_manifold_points && !in_group && !shares) {
        const float thickness = in.contacts.records[edge.contact].thickness;
        r.stiffer_face[lane] = edge.jointed
                                   ? r.stiffer_from[lane]
                                   : std::min(settings::stiffer_face_depth, settings::stiffer_face_share * thickness);
        r.tilt_rate[lane] = settings::tilt_stiffening * spring.bias_rate;
        r.tilts = true;
    }
}

/// Returns a row of floats in `out`, or null if the levers of the contact stay as they are in the step.
inline const float* ContactSolver::lever_motion_of(const ConstraintGraph::Edge& edge, const Input& in,
                                                   LeverMotion& out) const {
    const vec3 spin_a = load3(in.velocities[edge.a].angular), spin_b = load3(in.velocities[edge.b].angular);
    const PairRecord& pair = in.contacts.records[edge.contact];
    const float spin2 = std::max(length_squared(spin_a), length_squared(spin_b));
    constexpr float least = settings::lever_speed, most = settings::lever_turn;
    const bool moves =
        spin2 * pair.size * pair.size > least * least && spin2 * lever_step_.time * lever_step_.time < most * most;
    if (!moves) return nullptr;
    const auto side = [&](std::uint32_t collider, std::uint32_t body) -> LeverSide {
        const WorldTransform& pose = in.colliders.poses[collider];
        const TriangleSet* const mesh =
            collider < in.shapes.defs.size() ? in.shapes.defs[collider].mesh.get() : nullptr;
        return {in.colliders.shapes[collider],
                pose,
                body != 0 ? in.centers[body] : pose.position,
                in.velocities[body],
                in.masses[body],
                mesh != nullptr ? mesh->solid_features() : nullptr};
    };
    const ContactState& state = in.contacts.states[edge.contact];
    return find_lever_motion(in.contacts.manifold(edge.contact), state.impulses, side(pair.a, edge.a),
                             side(pair.b, edge.b), lever_step_, out)
               ? out.turn
               : nullptr;
}

template <int width>
void ContactSolver::fill(std::uint32_t k, const Input& in) {
    auto& r = *static_cast<ContactLanes<LaneArray<width>>*>(record(k));
    begin_record(r, k, in);
    const std::uint32_t first_edge = layout_[k].first_edge;
    ContactSource sources[width];
    float surface_rows[width][16];
    LeverMotion lever_motions[width];
    float deepest = 0.0f, sum = 0.0f;
    for (std::uint32_t i = 0; i < r.used; ++i) {
        const ConstraintGraph::Edge& edge = in.edges[order_[first_edge + i]];
        ContactState& state = in.contacts.states[edge.contact];
        const PairRecord& pair = in.contacts.records[edge.contact];
        const Manifold& manifold = in.contacts.manifold(edge.contact);
        match_impulses(state, manifold);
        if (state.substep != substep_) take_over_impulses(state, substep_);
        TALUS_ASSERT(std::abs(length_squared(manifold.normal) - 1.0f) < 1e-3f);
        TALUS_ASSERT(std::all_of(state.impulses, state.impulses + manifold.count,
                                 [](float impulse) { return impulse >= 0.0f && std::isfinite(impulse); }));
        const bool in_group = edge.link != no_link;
        if (state.in_group && !in_group) leave_group(state, in.masses[edge.a], in.masses[edge.b], substep_);
        state.in_group = in_group;
        set_spring(r, static_cast<int>(i), edge, in);
        r.moves_a = r.moves_a || edge.a != 0;
        r.moves_b = r.moves_b || edge.b != 0;
        r.bounces = r.bounces || edge.bounces;
        r.slides = r.slides || edge.slide_limit > 0.0f;
        if (edge.contact < renewable_) places_[edge.contact] = {k, i, static_cast<int>(edge.room())};
        const WorldTransform &pose_a = in.colliders.poses[pair.a], &pose_b = in.colliders.poses[pair.b];
        sources[i] = contact_source(edge.a, edge.b, edge.contact, pose_a, pose_b, in.centers, manifold, state);
        sources[i].lever_motion = lever_motion_of(edge, in, lever_motions[i]);
        if (edge.special) {
            put_surface(surface_rows[i], state, in.shapes.surface(pair.a, state.triangle_a), pose_a.rotation,
                        in.shapes.surface(pair.b, state.triangle_b), pose_b.rotation);
        }
        for (int p = 0; p < manifold.count; ++p) {
            const float depth = std::max(0.0f, -manifold.points[p].separation);
            deepest = std::max(deepest, depth);
            sum += depth;
        }
    }
    if (r.slides) {
        r.slide_limit = {};
        for (std::uint32_t i = 0; i < r.used; ++i) {
            const auto lane = static_cast<int>(i);
            const bool sweeps = r.stiffer_from[lane] != std::numeric_limits<float>::max();
            if (sweeps) r.slide_limit[lane] = in.edges[order_[first_edge + i]].slide_limit;
        }
    }
    max_penetrations_[k] = deepest;
    penetration_sums_[k] = sum;
    kernel_->prepare(&r, point(r.first_point), sources, r.used, in.masses.data());
    for (std::uint32_t i = 0; i < r.used; ++i) {
        if (in.edges[order_[first_edge + i]].link != no_link) r.slop[static_cast<int>(i)] *= settings::stiff_slop;
    }
    if (!hardness_.empty() || crowded_ != nullptr) change_stiffness<width>(k, in);
    if (r.surface != no_surface) kernel_->prepare_surface(&r, surface(r.surface), surface_rows[0], r.used);
}

bool ContactSolver::has(ContactPhase phase) const {
    const auto& fields = fields_[static_cast<std::size_t>(phase)];
    return std::any_of(fields.begin(), fields.end(), [](const Field& field) { return field.count != 0; });
}

void ContactSolver::prepare(const Field& field, const Input& input) {
    for (std::uint32_t k = field.first; k < field.first + field.count; ++k) {
        if (kernel_->lanes == 8) {
            fill<8>(k, input);
        } else {
            fill<4>(k, input);
        }
    }
}

float ContactSolver::least_bounce() const {
    return std::min(settings::restitution_rate * substep_, settings::restitution_threshold);
}

ContactPassInput ContactSolver::pass_input(const Field& field, std::span<SolverBody> bodies) {
    ContactPassInput in;
    in.bodies = bodies.data();
    in.records = record(field.first);
    in.points = points_.data();
    in.surfaces = surfaces_.data();
    in.count = field.count;
    in.substep = substep_;
    in.least_blow = settings::blow_rate * substep_;
    in.least_bounce = least_bounce();
    return in;
}

void ContactSolver::run(Pass pass, const Field& field, std::span<SolverBody> bodies) {
    if (field.count != 0) (kernel_->*pass)(pass_input(field, bodies));
}

/// A group's entry in last_bounces_ is used by its own contacts and by those with other groups. The plan never runs
/// these at the same time.
bool ContactSolver::bounce(ContactPhase phase, std::uint32_t i, int pass, std::span<SolverBody> bodies) {
    const std::uint32_t first = phase == ContactPhase::far ? 0 : i / 2;
    const std::uint32_t count = phase == ContactPhase::far ? most_slabs : 1 + i % 2;
    const auto groups = std::span(last_bounces_).subspan(first, count);
    if (pass == 0 && phase == ContactPhase::inner && i % 2 == 0) groups[0] = -1;
    const Field& own = field(phase, i);
    const auto is_quiet = [&](int last) { return last + 1 < pass; };
    if (own.count == 0 || (pass != 0 && std::all_of(groups.begin(), groups.end(), is_quiet))) return false;
    if (kernel_->bounce(pass_input(own, bodies))) std::fill(groups.begin(), groups.end(), pass);
    return true;
}

template <int width>
void ContactSolver::store_lane(const void* record, std::uint32_t at, ContactTable& contacts) const {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record);
    const auto lane = static_cast<int>(at);
    const auto vector = [&](const Vec3Lanes<F>& v) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
    ContactState& state = contacts.states[r.contact[lane]];
    for (int i = 0; i < state.point_count; ++i) {
        const auto& p = *static_cast<const ContactPointLanes<F>*>(point(r.first_point + static_cast<std::uint32_t>(i)));
        state.impulses[i] = p.impulse[lane];
        state.step_impulses[i] = p.step_impulse[lane];
    }
    const vec3 tangent_1 = vector(r.tangent), tangent_2 = glm::cross(vector(r.normal), tangent_1);
    state.friction_impulse = r.friction_1[lane] * tangent_1 + r.friction_2[lane] * tangent_2;
    state.step_friction_impulse = r.step_friction_1[lane] * tangent_1 + r.step_friction_2[lane] * tangent_2;
    state.twist_impulse = r.twist[lane];
    if (r.surface != no_surface)
        state.rolling_impulse = vector(static_cast<const SurfaceLanes<F>*>(surface(r.surface))->rolling);
}
// contact_renewal.cpp stores lanes, too.
template void ContactSolver::store_lane<4>(const void*, std::uint32_t, ContactTable&) const;
template void ContactSolver::store_lane<8>(const void*, std::uint32_t, ContactTable&) const;

template <int width>
void ContactSolver::store_rolling(std::uint32_t k, ContactTable& contacts) const {
    const auto& r = *static_cast<const ContactLanes<LaneArray<width>>*>(record(k));
    if (r.surface == no_surface) return;
    const auto& rolling = static_cast<const SurfaceLanes<LaneArray<width>>*>(surface(r.surface))->rolling;
    for (int lane = 0; lane < static_cast<int>(r.used); ++lane)
        contacts.states[r.contact[lane]].rolling_impulse =
            vec3(rolling.x[lane], rolling.y[lane], rolling.z[lane]) + vec3(0.0f);  // as in the kernel's store()
}

void ContactSolver::store(const Field& field, ContactTable& contacts) {
    if (field.count == 0) return;
    static_assert(offsetof(ContactState, step_friction_impulse) == offsetof(ContactState, step_impulses) + 16);
    kernel_->store(pass_input(field, {}),
                   {contacts.states.starts(), PagedArray<ContactState>::page_bits, sizeof(ContactState),
                    offsetof(ContactState, impulses), offsetof(ContactState, step_impulses),
                    offsetof(ContactState, twist_impulse), offsetof(ContactState, step_friction_impulse)});
    if (surfaces_.empty()) return;
    for (std::uint32_t k = field.first; k < field.first + field.count; ++k) {
        if (kernel_->lanes == 8) {
            store_rolling<8>(k, contacts);
        } else {
            store_rolling<4>(k, contacts);
        }
    }
}

void ContactSolver::prepare(const Input& input) { prepare(all_records(), input); }

void ContactSolver::run(Pass pass, std::span<SolverBody> bodies) { run(pass, all_records(), bodies); }

void ContactSolver::store(ContactTable& contacts) {
    store(all_records(), contacts);
    end();
}

template <int width>
void ContactSolver::begin_bounce(const LinkPlace& place, std::span<const SolverBody> bodies) {
    using F = LaneArray<width>;
    auto& r = *static_cast<ContactLanes<F>*>(record(place.record));
    const auto lane = static_cast<int>(place.lane);
    if (!(r.restitution[lane] > 0.0f)) return;
    const auto vector = [&](const Vec3Lanes<F>& v) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
    const SolverBody &a = bodies[r.a[lane]], &b = bodies[r.b[lane]];
    const float least = std::min(settings::restitution_rate * substep_, settings::restitution_threshold);
    for (std::uint32_t i = 0; i < r.point_count; ++i) {
        auto& p = *static_cast<ContactPointLanes<F>*>(point(r.first_point + i));
        if (!(p.mass[lane] > 0.0f)) continue;
        const auto along = [&](const float* la, const float* aa, const float* lb, const float* ab) {
            return glm::dot(vector(r.normal), load3(lb) - load3(la)) + glm::dot(vector(p.angular_b), load3(ab)) -
                   glm::dot(vector(p.angular_a), load3(aa));
        };
        const float speed = along(a.velocity, a.angular_velocity, b.velocity, b.angular_velocity);
        const float s = p.separation[lane] + along(a.displacement, a.turn, b.displacement, b.turn);
        const float true_speed = speed - 0.5f * substep_ * r.gravity[lane];
        const float squared = std::max(true_speed * true_speed - 2.0f * s * r.gravity[lane], 0.0f);
        p.bounce[lane] = speed < -least ? r.restitution[lane] * std::sqrt(squared)
                                        : -(p.impulse[lane] + p.mass[lane] * std::max(-speed, 0.0f));
    }
}

template <int width>
void ContactSolver::scale_impulses(std::uint32_t k, std::span<const float> kept) {
    using F = LaneArray<width>;
    auto& r = *static_cast<ContactLanes<F>*>(record(k));
    for (unsigned lane = 0; lane < r.used; ++lane) {
        const float part = kept[r.pushes_a ? r.a[lane] : r.b[lane]], less = part - 1.0f;
        if (part == 1.0f) continue;
        const auto scale = [&](F& now, F& sum) {
            sum[lane] += less * now[lane];
            now[lane] *= part;
        };
        for (unsigned i = 0; i < r.point_count; ++i) {
            auto& p = *static_cast<ContactPointLanes<F>*>(point(r.first_point + i));
            // Impulses of contacts that bounce are added to the sum after the bounce.
            if (!(r.restitution[lane] > 0.0f)) p.step_impulse[lane] += less * p.impulse[lane];
            p.impulse[lane] *= part;
        }
        scale(r.friction_1, r.step_friction_1);
        scale(r.friction_2, r.step_friction_2);
        r.twist[lane] *= part;
        if (r.surface != no_surface) {
            auto& rolling = static_cast<SurfaceLanes<F>*>(surface(r.surface))->rolling;
            rolling.x[lane] *= part, rolling.y[lane] *= part, rolling.z[lane] *= part;
        }
    }
}

void ContactSolver::scale_impulses(std::span<const float> kept) {
    for (std::uint32_t k = 0; k + 1 < layout_.size(); ++k)
        kernel_->lanes == 8 ? scale_impulses<8>(k, kept) : scale_impulses<4>(k, kept);
}

/// Adds the work of a moving surface: friction times the surface's velocity. Relative to that surface, the contact only
/// takes energy.
template <int width>
void ContactSolver::find_belt_work(std::uint32_t k) {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(k));
    if (r.surface == no_surface) return;
    const auto& runs = *static_cast<const SurfaceLanes<F>*>(surface(r.surface));
    for (unsigned lane = 0; lane < r.used; ++lane) {
        const auto vector = [&](const Vec3Lanes<F>& v) { return glm::dvec3(v.x[lane], v.y[lane], v.z[lane]); };
        const glm::dvec3 normal = vector(r.normal), tangent = vector(r.tangent);
        const glm::dvec3 friction = static_cast<double>(r.friction_1[lane]) * tangent +
                                    static_cast<double>(r.friction_2[lane]) * glm::cross(normal, tangent);
        const double work = -glm::dot(friction, vector(runs.velocity));
        if (work != 0.0) belt_work_.push_back({r.pushes_a ? r.a[lane] : r.b[lane], work});
    }
}

std::span<const ContactSolver::BeltWork> ContactSolver::find_belt_work() {
    belt_work_.clear();
    for (std::uint32_t k = 0; k + 1 < layout_.size(); ++k)
        kernel_->lanes == 8 ? find_belt_work<8>(k) : find_belt_work<4>(k);
    return belt_work_;
}

template <int width>
void ContactSolver::note_calm(std::uint32_t k) {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(k));
    if (!r.bounces) return;
    for (std::uint32_t i = r.first_point; i < r.first_point + r.point_count; ++i) {
        const auto& p = *static_cast<const ContactPointLanes<F>*>(point(i));
        std::copy_n(p.impulse.at, width, calm_.data() + std::size_t{i} * width);
    }
}

void ContactSolver::note_calm(const Field& field) {
    for (std::uint32_t k = field.first; k < field.first + field.count; ++k)
        kernel_->lanes == 8 ? note_calm<8>(k) : note_calm<4>(k);
}

template <int width>
void ContactSolver::scale_bounces(std::uint32_t k, std::span<const float> kept) {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(k));
    if (!r.bounces) return;
    for (unsigned lane = 0; lane < r.used; ++lane) {
        const float part = kept[r.pushes_a ? r.a[lane] : r.b[lane]];
        if (part == 1.0f) continue;
        for (std::uint32_t i = r.first_point; i < r.first_point + r.point_count; ++i) {
            auto& p = *static_cast<ContactPointLanes<F>*>(point(i));
            const float calm = calm_[std::size_t{i} * width + lane];
            p.impulse[lane] = calm + part * (p.impulse[lane] - calm);
        }
    }
}

void ContactSolver::scale_bounces(std::span<const float> kept) {
    for (std::uint32_t k = 0; k + 1 < layout_.size(); ++k)
        kernel_->lanes == 8 ? scale_bounces<8>(k, kept) : scale_bounces<4>(k, kept);
}

void ContactSolver::begin_bounces(std::span<const SolverBody> bodies) {
    for (const LinkPlace& place : renewed_) {
        if (kernel_->lanes == 8) {
            begin_bounce<8>(place, bodies);
        } else {
            begin_bounce<4>(place, bodies);
        }
    }
    renewed_.clear();
    taken_back_.clear();
}

template <int width>
ContactLane ContactSolver::read_lane(const LinkPlace& place) const {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(place.record));
    const auto lane = static_cast<int>(place.lane);
    const auto vector = [&](const Vec3Lanes<F>& v) { return glm::dvec3(v.x[lane], v.y[lane], v.z[lane]); };
    ContactLane c;
    c.a = r.pushes_a ? r.a[lane] : 0;
    c.b = r.pushes_b ? r.b[lane] : 0;
    c.reads_a = r.a[lane];
    c.reads_b = r.b[lane];
    c.normal = vector(r.normal);
    c.inverse_mass_a = vector(r.inverse_mass_a);
    c.inverse_mass_b = vector(r.inverse_mass_b);
    c.tangent = vector(r.tangent);
    c.center_a = vector(r.center_a);
    c.center_b = vector(r.center_b);
    c.friction = static_cast<double>(r.friction[lane]);
    c.special = r.surface != no_surface;
    const auto address = [&](const F& field) { return const_cast<float*>(&field.at[lane]); };
    c.friction_1 = address(r.friction_1);
    c.friction_2 = address(r.friction_2);
    c.twist = address(r.twist);
    c.slop = r.slop[lane];
    c.bias_rate = r.bias_rate[lane];
    c.restitution = r.restitution[lane];
    c.count = static_cast<int>(r.point_count);
    for (int i = 0; i < c.count; ++i) {
        auto& p = *static_cast<const ContactPointLanes<F>*>(point(r.first_point + static_cast<std::uint32_t>(i)));
        const double stiffness = static_cast<double>(p.mass[lane]) * r.mass_scale[lane];
        c.points[i] = {vector(p.angular_a),
                       vector(p.angular_b),
                       vector(p.turn_a),
                       vector(p.turn_b),
                       p.separation[lane],
                       stiffness > 0.0 ? r.impulse_scale[lane] / stiffness : 0.0,
                       static_cast<double>(p.mass[lane]),
                       static_cast<double>(p.arm[lane]),
                       address(p.impulse),
                       address(p.bounce)};
    }
    return c;
}

bool ContactSolver::has_pushed(std::uint32_t at, std::uint32_t lane) const {
    const auto look = [&]<int width>(std::integral_constant<int, width>) {
        using F = LaneArray<width>;
        const auto& r = *static_cast<const ContactLanes<F>*>(record(at));
        for (std::uint32_t i = 0; i < r.point_count; ++i) {
            const auto& p = *static_cast<const ContactPointLanes<F>*>(point(r.first_point + i));
            if (p.impulse.at[lane] != 0.0f || p.step_impulse.at[lane] != 0.0f) return true;
            // Its spring may have moved the bodies, although nothing is left of its impulse after the relax pass.
            if (p.mass.at[lane] > 0.0f && p.separation.at[lane] < -r.slop.at[lane]) return true;
        }
        return false;
    };
    return kernel_->lanes == 8 ? look(std::integral_constant<int, 8>()) : look(std::integral_constant<int, 4>());
}

ContactLane ContactSolver::read_link(std::uint32_t link) {
    return kernel_->lanes == 8 ? read_lane<8>(link_places_[link]) : read_lane<4>(link_places_[link]);
}

ContactLane ContactSolver::read(const JointedContact& contact) {
    const LinkPlace place{contact.record, contact.lane, 0};
    return kernel_->lanes == 8 ? read_lane<8>(place) : read_lane<4>(place);
}

void ContactSolver::end() {
    max_penetration_ = 0.0f;
    double sum = 0.0;
    for (std::size_t k = 0; k < penetration_sums_.size(); ++k) {
        max_penetration_ = std::max(max_penetration_, max_penetrations_[k]);
        sum += static_cast<double>(penetration_sums_[k]);
    }
    mean_penetration_ = real_points_ != 0 ? static_cast<float>(sum / static_cast<double>(real_points_)) : 0.0f;
}

std::size_t ContactSolver::bytes() const {
    return (records_.capacity() + points_.capacity() + surfaces_.capacity()) * sizeof(Line) +
           layout_.capacity() * sizeof(Layout) + jointed_.capacity() * sizeof(JointedContact) +
           order_.capacity() * sizeof(std::uint32_t) +
           (penetration_sums_.capacity() + max_penetrations_.capacity()) * sizeof(float);
}

}  // namespace talus
