#include "engine/constraints/slender_islands.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

void SlenderIslands::find(const Input& in, Islands& islands) {
    const bool looks_at_all = ++looks_ % settings::slender_look_every == 0;
    hardness_.clear();
    most_hardness_ = 1.0f;
    states_.resize(in.bodies.slot_count());
    bool any_fresh = false, any_wanted = false;
    for (std::uint32_t i = 1; i < in.movable_end; ++i) {
        if (in.slots[i] == null_index) continue;
        State& state = states_[in.slots[i]];
        state.fresh = state.seen + 1 != looks_;
        state.seen = looks_;
        if (state.fresh) {
            state.hardness = state.wanted = 1.0f;
            any_fresh = true;
        }
        any_wanted = any_wanted || state.hardness > 1.0f || state.wanted > 1.0f;
    }
    if (!looks_at_all && !any_fresh && !any_wanted) return;

    islands_.assign(in.movable_end, Island{});
    for (std::uint32_t i = 1; i < in.movable_end; ++i) {
        if (in.slots[i] == null_index) continue;
        const State& state = states_[in.slots[i]];
        Island& island = islands_[islands.find(i)];
        ++island.bodies;
        island.fresh += state.fresh ? 1 : 0;
        island.wanted = std::max(island.wanted, state.wanted);
    }
    bool any_judged = false;
    for (Island& island : islands_) {
        island.judged =
            island.bodies >= settings::slender_least_bodies && (looks_at_all || 2 * island.fresh > island.bodies);
        if (island.bodies < settings::slender_least_bodies) island.wanted = 1.0f;
        any_judged = any_judged || island.judged;
    }
    if (any_judged) judge(in, islands);
    if (!any_wanted && !any_judged) return;

    bool any_hard = false;
    for (std::uint32_t i = 1; i < in.movable_end; ++i) {
        if (in.slots[i] == null_index) continue;
        State& state = states_[in.slots[i]];
        state.wanted = islands_[islands.find(i)].wanted;
        if (state.fresh) {
            state.hardness = state.wanted;
        } else if (state.hardness < state.wanted) {
            state.hardness = std::min(state.wanted, state.hardness * (1.0f + settings::slender_harden * in.dt));
        } else {
            const float less = state.hardness * std::max(0.0f, 1.0f - settings::slender_soften * in.dt);
            state.hardness = std::max(state.wanted, less);
        }
        any_hard = any_hard || state.hardness > 1.0f;
    }
    if (!any_hard) return;
    hardness_.assign(in.movable_end, 1.0f);
    for (std::uint32_t i = 1; i < in.movable_end; ++i) {
        if (in.slots[i] == null_index) continue;
        hardness_[i] = states_[in.slots[i]].hardness;
        most_hardness_ = std::max(most_hardness_, hardness_[i]);
    }
}

/// Finds the factor of stiffness that each judged island needs.
void SlenderIslands::judge(const Input& in, Islands& islands) {
    const float strength = std::sqrt(glm::dot(in.gravity, in.gravity));
    const auto island_of = [&](const ConstraintGraph::Edge& e) -> Island& {
        return islands_[islands.find(e.pushes_a ? e.a : e.b)];
    };
    const auto velocity_of = [&](std::uint32_t i) {
        return i != 0 ? in.bodies[in.slots[i]].linear_velocity : vec3(0.0f);
    };
    for (const ConstraintGraph::Edge& e : in.edges) {
        Island& island = island_of(e);
        if (!island.judged) continue;
        island.excluded = island.excluded || e.jointed || e.link != no_link;
        island.stands = island.stands || !e.pushes_a || !e.pushes_b;
        const vec3 speed = velocity_of(e.b) - velocity_of(e.a);
        island.calm = island.calm && glm::dot(speed, speed) < settings::stiff_calm * settings::stiff_calm;
    }
    bool any = false;
    for (Island& island : islands_) {
        if (!island.judged) continue;
        // Tumbling bodies have no levels. An island that was slender and has been hit still has them.
        const bool may_be = island.stands && !island.excluded && strength > 0.0f;
        island.judged = may_be && (island.calm || island.wanted > 1.0f);
        if (!may_be) island.wanted = 1.0f;
        any = any || island.judged;
    }
    if (!any) return;

    up_ = in.gravity * (-1.0f / strength);
    const vec3 aside = std::abs(up_.x) < 0.7f ? vec3(1.0f, 0.0f, 0.0f) : vec3(0.0f, 1.0f, 0.0f);
    const vec3 across = glm::cross(up_, aside);
    across_[0] = across / std::sqrt(glm::dot(across, across));
    across_[1] = glm::cross(up_, across_[0]);
    // The edges of each body, and the bodies of each island.
    first_of_.assign(in.movable_end + 1, 0);
    for (const ConstraintGraph::Edge& e : in.edges) {
        if (!island_of(e).judged) continue;
        if (e.pushes_a) ++first_of_[e.a + 1];
        if (e.pushes_b) ++first_of_[e.b + 1];
    }
    for (std::uint32_t i = 0; i < in.movable_end; ++i) first_of_[i + 1] += first_of_[i];
    contact_of_.resize(first_of_[in.movable_end]);
    queue_.assign(first_of_.begin(), first_of_.end() - 1);
    for (std::uint32_t k = 0; k < in.edges.size(); ++k) {
        const ConstraintGraph::Edge& e = in.edges[k];
        if (!island_of(e).judged) continue;
        if (e.pushes_a) contact_of_[queue_[e.a]++] = k;
        if (e.pushes_b) contact_of_[queue_[e.b]++] = k;
    }
    next_.resize(in.movable_end);
    for (std::uint32_t i = in.movable_end; i-- > 1;) {
        if (in.slots[i] == null_index) continue;
        Island& island = islands_[islands.find(i)];
        next_[i] = island.first;
        island.first = i;
    }
    level_of_.assign(in.movable_end, 0);
    borne_.resize(in.movable_end);
    for (Island& island : islands_) {
        if (!island.judged) continue;
        const double found = sway(in, island);
        if (island.wanted <= 1.0f && found <= static_cast<double>(settings::slender_sway)) continue;
        const double wanted = found / static_cast<double>(settings::slender_kept_sway);
        island.wanted = static_cast<float>(std::clamp(wanted, 1.0, static_cast<double>(settings::slender_most)));
    }
}

/// Calls visit(edge, body below or no_body) for each contact by which a body stands on the level below its own.
template <class Visit>
void SlenderIslands::for_each_support(const Input& in, std::uint32_t body, Visit&& visit) const {
    for (std::uint32_t k = first_of_[body]; k < first_of_[body + 1]; ++k) {
        const ConstraintGraph::Edge& e = in.edges[contact_of_[k]];
        const bool alone = !e.pushes_a || !e.pushes_b;
        const std::uint32_t below = alone ? no_body : e.a == body ? e.b : e.a;
        if (level_of_[body] == (alone ? 0 : level_of_[below]) + 1) visit(e, below);
    }
}

double SlenderIslands::sway(const Input& in, const Island& island) {
    const double strength = std::sqrt(static_cast<double>(glm::dot(in.gravity, in.gravity)));
    queue_.clear();
    for (std::uint32_t i = island.first; i != no_body; i = next_[i]) {
        for (std::uint32_t k = first_of_[i]; k < first_of_[i + 1]; ++k) {
            const ConstraintGraph::Edge& e = in.edges[contact_of_[k]];
            if (e.pushes_a && e.pushes_b) continue;
            level_of_[i] = 1;
            queue_.push_back(i);
            break;
        }
        const Body& body = in.bodies[in.slots[i]];
        borne_[i] = strength * static_cast<double>(body.mass) * std::max(static_cast<double>(body.gravity_scale), 0.0);
    }
    for (std::size_t next = 0; next < queue_.size(); ++next) {
        const std::uint32_t body = queue_[next];
        for (std::uint32_t k = first_of_[body]; k < first_of_[body + 1]; ++k) {
            const ConstraintGraph::Edge& e = in.edges[contact_of_[k]];
            if (!e.pushes_a || !e.pushes_b) continue;
            const std::uint32_t above = e.a == body ? e.b : e.a;
            if (level_of_[above] != 0) continue;
            level_of_[above] = level_of_[body] + 1;
            queue_.push_back(above);
        }
    }
    levels_.assign(level_of_[queue_.back()], Level{});
    origin_ = in.bodies[in.slots[queue_.front()]].center;
    for (std::size_t next = queue_.size(); next-- > 0;) {
        const std::uint32_t body = queue_[next];
        int supports = 0;
        for_each_support(in, body, [&](const ConstraintGraph::Edge&, std::uint32_t) { ++supports; });
        for_each_support(in, body, [&](const ConstraintGraph::Edge&, std::uint32_t below) {
            if (below != no_body) borne_[below] += borne_[body] / supports;
        });
        Level& level = levels_[level_of_[body] - 1];
        level.load += borne_[body];
        add_support(in, body, level);
    }
    Moments all;
    for (const Level& level : levels_) {
        all.xx += level.own.xx;
        all.zz += level.own.zz;
        all.xz += level.own.xz;
    }
    // (x, z) is one eigenvector of the sum. It has two formulas; the one with the longer result is used, since the
    // other may be rounding.
    const double half = 0.5 * (all.xx - all.zz), root = std::sqrt(half * half + all.xz * all.xz);
    double x = half + root, z = all.xz;
    if (half < 0.0) x = all.xz, z = root - half;
    const double size = std::sqrt(x * x + z * z);
    x = size > 0.0 ? x / size : 1.0;
    z = size > 0.0 ? z / size : 0.0;
    return std::max(sway_along(x, z), sway_along(-z, x));
}

double SlenderIslands::sway_along(double x, double z) const {
    double tilt = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        const Level& level = levels_[i];
        const double own = level.own.along(x, z);
        const double lever = static_cast<double>(settings::slender_least_lever) * level.radius / level.bodies;
        // Bodies on such small levers, such as balls and edges, are not kept upright by the stiffness of their own
        // contacts.
        if (own > level.stiffness * lever * lever)
            tilt = std::clamp(level.below.along(x, z) / own, 0.0, 1.0) * tilt + level.load / own;
        if (i + 1 == levels_.size()) break;
        sum += tilt * std::max(levels_[i + 1].height / levels_[i + 1].bodies - level.height / level.bodies, 0.0);
    }
    return sum;
}

/// Adds the stiffness of a body's supports. A contact counts as stiff as a soft contact with the effective mass of two
/// balls of these masses. A contact at a box's corner is softer, but a box has four corners.
void SlenderIslands::add_support(const Input& in, std::uint32_t i, Level& level) const {
    constexpr double two_pi = 6.283185307179586;
    const Body& body = in.bodies[in.slots[i]];
    double sum = 0.0, x = 0.0, z = 0.0, below_x = 0.0, below_z = 0.0;
    Moments own, with_below;
    for_each_support(in, i, [&](const ConstraintGraph::Edge& e, std::uint32_t below) {
        const double inverse_below =
            below == no_body ? 0.0 : static_cast<double>(in.bodies[in.slots[below]].inverse_mass);
        const double stiffer = below == no_body ? static_cast<double>(settings::fixed_contact_stiffening) : 1.0;
        const double rate = two_pi * stiffer * static_cast<double>(in.hertz);
        const double share = in.crowded.any() ? static_cast<double>(in.crowded.share(e)) : 1.0;
        const Manifold& manifold = in.contacts.manifold(e.contact);
        const double stiffness =
            share * rate * rate /
            ((static_cast<double>(body.inverse_mass) + inverse_below) * std::max(manifold.count, 1));
        const WorldTransform& pose = in.colliders.poses[in.contacts.records[e.contact].a];
        const vec3 way = below == no_body ? vec3(0.0f) : vec3(in.bodies[in.slots[below]].center - body.center);
        const double bx = static_cast<double>(glm::dot(way, across_[0])),
                     bz = static_cast<double>(glm::dot(way, across_[1]));
        for (int p = 0; p < manifold.count; ++p) {
            const vec3 at = vec3(pose.position - body.center) + rotate(pose.rotation, manifold.points[p].on_a);
            const double px = static_cast<double>(glm::dot(at, across_[0])),
                         pz = static_cast<double>(glm::dot(at, across_[1]));
            sum += stiffness;
            x += stiffness * px;
            z += stiffness * pz;
            own.xx += stiffness * px * px;
            own.zz += stiffness * pz * pz;
            own.xz += stiffness * px * pz;
            if (below == no_body) continue;  // an immovable body does not rotate
            const double dx = stiffness * (px - bx), dz = stiffness * (pz - bz);
            below_x += dx;
            below_z += dz;
            with_below.xx += dx * px;
            with_below.zz += dz * pz;
            with_below.xz += 0.5 * (dx * pz + dz * px);
        }
    });
    level.height += glm::dot(body.center - origin_, dvec3(up_));
    level.radius += static_cast<double>(body.radius);
    ++level.bodies;
    if (sum <= 0.0) return;
    level.stiffness += sum;
    level.own.xx += own.xx - x * x / sum;
    level.own.zz += own.zz - z * z / sum;
    level.own.xz += own.xz - x * z / sum;
    level.below.xx += with_below.xx - below_x * x / sum;
    level.below.zz += with_below.zz - below_z * z / sum;
    level.below.xz += with_below.xz - 0.5 * (below_x * z + below_z * x) / sum;
}

bool SlenderIslands::fit() const {
    return std::all_of(states_.begin(), states_.end(), [](const State& state) {
        const auto in_range = [](float hardness) { return hardness >= 1.0f && hardness <= settings::slender_most; };
        return in_range(state.hardness) && in_range(state.wanted);
    });
}

std::size_t SlenderIslands::bytes() const {
    return states_.capacity() * sizeof(State) + hardness_.capacity() * sizeof(float) +
           islands_.capacity() * sizeof(Island) + levels_.capacity() * sizeof(Level) +
           borne_.capacity() * sizeof(double) +
           (next_.capacity() + level_of_.capacity() + first_of_.capacity() + contact_of_.capacity() +
            queue_.capacity()) *
               sizeof(std::uint32_t);
}

}  // namespace talus
