/// Limits the loads of islands that kinematic bodies push.
///
/// A kinematic body that presses a body against a wall cannot be stopped by any impulse. In each sub-step, both contacts find
/// that they still approach, and add to the impulses that they carry over. These grew in balance without end: a box of
/// 280 kg bore 700,000 N s per sub-step. When the box got past an edge, one of the two contacts was replaced by a new one,
/// which begins without impulses, and the other one threw the box off at 160 m/s.
///
/// So before each step the carried impulses of such an island are limited to what its own bodies can make use of: enough to
/// stop all of them, and to bear their weights several times, because wedges and levers multiply a weight. A body that
/// cannot give way overlaps more.

#include "engine/settings.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

void World::State::bound_driven_loads(float substep) {
    bool any = false;
    const auto speed_of = [](const Body& body) {
        return std::sqrt(length_squared(body.linear_velocity)) +
               body.radius * std::sqrt(length_squared(body.angular_velocity));
    };
    const auto drive = [&](std::uint32_t driver, std::uint32_t driven) {
        if (solver_slots[driver] == null_index) return;  // it stays where it is
        const Body& body = bodies[solver_slots[driver]];
        const float speed = speed_of(body);
        if (!(speed > 0.0f)) return;
        if (!any) driven_islands.assign(held_end, {});
        any = true;
        DrivenIsland& island = driven_islands[islands.root(driven)];
        island.speed = std::max(island.speed, speed);
    };
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.pushes_a && edge.pushes_b) continue;
        if (edge.pushes_a || edge.pushes_b) drive(edge.pushes_a ? edge.b : edge.a, edge.pushes_a ? edge.a : edge.b);
    }
    if (!any) return;
    for (std::uint32_t i = group_size; i < held_end; ++i) {
        if (solver_slots[i] == null_index) continue;
        const Body& body = bodies[solver_slots[i]];
        DrivenIsland& island = driven_islands[islands.root(i)];
        if (!(island.speed > 0.0f) || !body.is_dynamic()) continue;
        island.mass += 1.0f / body.inverse_mass;
        island.fastest = std::max(island.fastest, speed_of(body));
    }
    const float falling = substep * std::sqrt(length_squared(def.gravity));
    for (const ConstraintGraph::Edge& edge : edges) {
        const DrivenIsland& island = driven_islands[islands.root(edge.pushes_a ? edge.a : edge.b)];
        if (!(island.speed > 0.0f)) continue;
        ContactState& state = contacts.states[edge.contact];
        float sum = 0.0f;
        for (int i = 0; i < state.point_count; ++i) sum += state.impulses[i];
        const float most = island.mass * (settings::driven_load * std::max(island.speed, island.fastest) +
                                          settings::driven_weight * falling);
        if (sum > most) state.scale_impulses(most / sum);
    }
}

}  // namespace talus
