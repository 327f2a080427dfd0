#include <talus/engine/contact_solver.h>

#include <talus/engine/contact_lanes.h>
#include <talus/engine/motion_lanes.h>
#include <talus/engine/settings.h>
#include <talus/narrowphase/hull_view.h>

#include <algorithm>
#include <cstddef>

namespace talus {

namespace {

constexpr float pi = 3.14159265358979f;

// What the kernels read as rows of floats.
static_assert(offsetof(Transform, rotation) == 12 && sizeof(Transform) == 28);
static_assert(offsetof(quat, x) == 0 && offsetof(quat, w) == 12);
static_assert(sizeof(ManifoldPoint) == 32 && offsetof(ManifoldPoint, on_b) == 12 && offsetof(ManifoldPoint, separation) == 24);
static_assert(sizeof(Manifold) >= offsetof(Manifold, normal) + 16);
static_assert(offsetof(ContactState, friction) == 16 && offsetof(ContactState, twist_impulse) == 28 &&
              offsetof(ContactState, friction_impulse) == 32 && offsetof(ContactState, slop) == 44);

/// Implicit spring-damper of `hertz` and damping ratio as factors of a velocity constraint over a sub-step of h seconds (Catto 2014).
Softness softness(float hertz, float damping_ratio, float h) {
    const float omega = 2.0f * pi * hertz;
    const float a1 = 2.0f * damping_ratio + h * omega;
    const float a2 = h * omega * a1;
    const float a3 = 1.0f / (1.0f + a2);
    return {omega / a1, a2 * a3, a3};
}

/// Carries the impulses of points whose feature pair was there in the last step over to the new manifold.
void match_impulses(ContactState& state, const Manifold& manifold) {
    bool same = state.point_count == manifold.count;
    for (int i = 0; i < manifold.count; ++i) same = same && state.ids[i] == manifold.points[i].id;
    if (same) return;
    float carried[max_manifold_points] = {};
    for (int i = 0; i < manifold.count; ++i) {
        for (int k = 0; k < state.point_count; ++k) {
            if (state.ids[k] == manifold.points[i].id) carried[i] = state.impulses[k];
        }
    }
    for (int i = 0; i < manifold.count; ++i) {
        state.impulses[i] = carried[i];
        state.ids[i] = manifold.points[i].id;
    }
    state.point_count = manifold.count;
}

/// The velocity of B's surface against A's, the tangent, the rolling impulse, the grips and the rolling arm of a contact, as the
/// kernel's prepare_surface reads them.
void put_surface(float* row, const ContactState& state, const Surface& a, const Transform& pose_a, const Surface& b,
                 const Transform& pose_b) {
    const bool axis_of_a = a.grip_across < b.grip_across;
    const vec3 velocity = rotate(pose_b.rotation, b.velocity) - rotate(pose_a.rotation, a.velocity);
    const vec3 axis = axis_of_a ? rotate(pose_a.rotation, a.grip_axis) : rotate(pose_b.rotation, b.grip_axis);
    const vec3 rows[3] = {velocity, axis, state.rolling_impulse};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) row[4 * k + i] = rows[k][i];
    }
    row[12] = 1.0f;
    row[13] = axis_of_a ? a.grip_across : b.grip_across;
    row[14] = state.rolling_arm;
}

/// Items that are worth a task of their own.
constexpr std::size_t least_records = 16;

}  // namespace

const SolverKernel& best_solver_kernel() {
#ifdef TALUS_AVX2
    static const SolverKernel& best = detail::has_avx2() ? solver_kernel_avx2 : solver_kernel_sse2;
    return best;
#else
    return solver_kernel_sse2;
#endif
}

template <int width>
void ContactSolver::lay_out(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges,
                            const ContactTable& contacts) {
    using Record = ContactLanes<LaneArray<width>>;
    const auto order = graph.order();
    colors_.clear();
    record_edges_.clear();
    for (const ContactColor& color : graph.colors()) {
        const auto first_record = static_cast<std::uint32_t>(record_edges_.size());
        const std::uint32_t most = color.parallel ? width : 1;
        for (std::uint32_t i = 0; i < color.count;) {
            record_edges_.push_back(color.first + i);
            const ConstraintGraph::Edge& first = edges[order[color.first + i]];
            const std::uint32_t end = std::min(i + most, color.count);
            for (++i; i < end; ++i) {
                const ConstraintGraph::Edge& next = edges[order[color.first + i]];
                if (next.pushes_a != first.pushes_a || next.pushes_b != first.pushes_b || next.special != first.special) break;
            }
        }
        colors_.push_back({first_record, static_cast<std::uint32_t>(record_edges_.size()) - first_record, color.parallel,
                           !color.immovable});
    }
    record_count_ = static_cast<std::uint32_t>(record_edges_.size());
    record_edges_.push_back(static_cast<std::uint32_t>(order.size()));
    records_.resize((record_count_ * sizeof(Record) + sizeof(Line) - 1) / sizeof(Line));

    any_bounce_ = false;
    std::uint32_t points = 0, surfaces = 0;
    for (std::uint32_t k = 0; k < record_count_; ++k) {
        Record& r = *static_cast<Record*>(record(k));
        r.used = record_edges_[k + 1] - record_edges_[k];
        r.first_point = points;
        r.point_count = edges[order[record_edges_[k]]].point_count;
        const ConstraintGraph::Edge& first = edges[order[record_edges_[k]]];
        r.pushes_a = first.pushes_a;
        r.pushes_b = first.pushes_b;
        r.moves_a = r.moves_b = r.bounces = false;
        for (std::uint32_t i = 0; i < r.used; ++i) {
            const ConstraintGraph::Edge& edge = edges[order[record_edges_[k] + i]];
            const ContactState& state = contacts.states[edge.contact];
            r.moves_a = r.moves_a || edge.a != 0;
            r.moves_b = r.moves_b || edge.b != 0;
            r.bounces = r.bounces || state.restitution > 0.0f;
        }
        r.surface = first.special ? surfaces++ : no_surface;
        any_bounce_ = any_bounce_ || r.bounces;
        points += r.point_count;
    }
    points_.resize((points * kernel_->point_bytes + sizeof(Line) - 1) / sizeof(Line));
    surfaces_.resize((surfaces * kernel_->surface_bytes + sizeof(Line) - 1) / sizeof(Line));
}

template <int width>
void ContactSolver::fill(std::uint32_t k, const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges,
                         ContactTable& contacts, const Colliders& colliders, std::span<const Surface> surfaces,
                         std::span<const SolverMass> masses) {
    auto& r = *static_cast<ContactLanes<LaneArray<width>>*>(record(k));
    ContactSource sources[width];
    float surface_rows[width][16];
    float deepest = 0.0f, sum = 0.0f;
    for (std::uint32_t i = 0; i < r.used; ++i) {
        const ConstraintGraph::Edge& edge = edges[graph.order()[record_edges_[k] + i]];
        ContactState& state = contacts.states[edge.contact];
        const PairRecord& pair = contacts.records[edge.contact];
        const Manifold& manifold = contacts.caches[edge.contact].manifold;
        match_impulses(state, manifold);
        const Transform &pose_a = colliders.poses[pair.a], &pose_b = colliders.poses[pair.b];
        sources[i] = {edge.a,
                      edge.b,
                      edge.contact,
                      &pose_a.position.x,
                      &pose_b.position.x,
                      &manifold.normal.x,
                      &manifold.points[0].on_a.x,
                      state.impulses,
                      static_cast<unsigned>(manifold.count),
                      manifold.face_owner == FaceOwner::a ? 1.0f : 0.0f,
                      manifold.face_owner == FaceOwner::b ? 1.0f : 0.0f};
        if (r.surface != no_surface) {
            put_surface(surface_rows[i], state, surfaces[pair.a], pose_a, surfaces[pair.b], pose_b);
        }
        for (int p = 0; p < manifold.count; ++p) {
            const float depth = std::max(0.0f, -manifold.points[p].separation);
            deepest = std::max(deepest, depth);
            sum += depth;
        }
    }
    max_penetrations_[k] = deepest;
    penetration_sums_[k] = sum;
    kernel_->prepare(&r, point(r.first_point), sources, r.used, masses.data());
    if (r.surface != no_surface) kernel_->prepare_surface(&r, surface(r.surface), surface_rows[0], r.used);
}

void ContactSolver::prepare(const ConstraintGraph& graph, std::span<const ConstraintGraph::Edge> edges,
                            ContactTable& contacts, const Colliders& colliders, std::span<const Surface> surfaces,
                            std::span<const SolverMass> masses, float substep, const Jobs& jobs) {
    substep_ = substep;
    const float hertz = std::min(settings::contact_hertz, 0.25f / substep);
    soft_ = softness(hertz, settings::contact_damping_ratio, substep);
    soft_immovable_ = softness(settings::fixed_contact_stiffening * hertz, settings::contact_damping_ratio, substep);

    const bool wide = kernel_->lanes == 8;
    if (wide) {
        lay_out<8>(graph, edges, contacts);
    } else {
        lay_out<4>(graph, edges, contacts);
    }
    penetration_sums_.resize(record_count_);
    max_penetrations_.resize(record_count_);
    jobs.for_each_run(record_count_, least_records, [&](std::size_t first, std::size_t last) {
        for (auto k = static_cast<std::uint32_t>(first); k < last; ++k) {
            if (wide) {
                fill<8>(k, graph, edges, contacts, colliders, surfaces, masses);
            } else {
                fill<4>(k, graph, edges, contacts, colliders, surfaces, masses);
            }
        }
    });

    max_penetration_ = 0.0f;
    double sum = 0.0;
    for (std::uint32_t k = 0; k < record_count_; ++k) {
        max_penetration_ = std::max(max_penetration_, max_penetrations_[k]);
        sum += static_cast<double>(penetration_sums_[k]);
    }
    real_points_ = 0;
    for (const ConstraintGraph::Edge& edge : edges) real_points_ += edge.point_count;
    mean_penetration_ = real_points_ != 0 ? static_cast<float>(sum / static_cast<double>(real_points_)) : 0.0f;
}

void ContactSolver::run(Pass pass, const Color& color, std::uint32_t first, std::uint32_t count,
                        std::span<SolverBody> bodies) {
    ContactPassInput in;
    in.bodies = bodies.data();
    in.records = record(color.first + first);
    in.points = points_.data();
    in.surfaces = surfaces_.data();
    in.count = count;
    in.softness = color.soft ? soft_ : soft_immovable_;
    in.substep = substep_;
    (kernel_->*pass)(in);
}

void ContactSolver::run(Pass pass, std::span<SolverBody> bodies) {
    for (const Color& color : colors_) run(pass, color, 0, color.count, bodies);
}

template <int width>
void ContactSolver::store_record(std::uint32_t k, ContactTable& contacts) const {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(k));
    const auto vector = [](const Vec3Lanes<F>& v, int lane) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
    for (int lane = 0; lane < static_cast<int>(r.used); ++lane) {
        ContactState& state = contacts.states[r.contact[lane]];
        for (int i = 0; i < state.point_count; ++i) {
            const auto& p = *static_cast<const ContactPointLanes<F>*>(point(r.first_point + static_cast<std::uint32_t>(i)));
            state.impulses[i] = p.impulse[lane];
            state.step_impulses[i] = p.step_impulse[lane];
        }
        const vec3 tangent_1 = vector(r.tangent, lane), tangent_2 = glm::cross(vector(r.normal, lane), tangent_1);
        state.friction_impulse = r.friction_1[lane] * tangent_1 + r.friction_2[lane] * tangent_2;
        state.step_friction_impulse = r.step_friction_1[lane] * tangent_1 + r.step_friction_2[lane] * tangent_2;
        state.twist_impulse = r.twist[lane];
        if (r.surface != no_surface) {
            state.rolling_impulse = vector(static_cast<const SurfaceLanes<F>*>(surface(r.surface))->rolling, lane);
        }
    }
}

void ContactSolver::store(ContactTable& contacts, const Jobs& jobs) const {
    jobs.for_each_run(record_count_, least_records, [&](std::size_t first, std::size_t last) {
        for (auto k = static_cast<std::uint32_t>(first); k < last; ++k) {
            if (kernel_->lanes == 8) {
                store_record<8>(k, contacts);
            } else {
                store_record<4>(k, contacts);
            }
        }
    });
}

std::size_t ContactSolver::bytes() const {
    return (records_.capacity() + points_.capacity() + surfaces_.capacity()) * sizeof(Line) +
           record_edges_.capacity() * sizeof(std::uint32_t) +
           (penetration_sums_.capacity() + max_penetrations_.capacity()) * sizeof(float);
}

}  // namespace talus
