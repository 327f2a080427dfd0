#include "engine/solve/driven_loads.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

void DrivenLoads::limit(const SolveInput& in, const vec3& gravity, float substep, PagedArray<ContactState>& states) {
    bool any = false;
    const auto speed_of = [](const Body& body) {
        return std::sqrt(length_squared(body.linear_velocity)) +
               body.radius * std::sqrt(length_squared(body.angular_velocity));
    };
    const auto drive = [&](std::uint32_t driver, std::uint32_t driven) {
        if (!in.indices.is_body(driver)) return;  // a fixed body, or one that does not move
        const Body& body = in.body(driver);
        const float speed = speed_of(body);
        if (!(speed > 0.0f)) return;
        if (!any) islands_.assign(in.indices.movable_end(), {});
        any = true;
        Island& island = islands_[in.islands.root(driven)];
        island.speed = std::max(island.speed, speed);
    };
    for (const ConstraintGraph::Edge& edge : in.edges) {
        if (edge.pushes_a && edge.pushes_b) continue;
        if (edge.pushes_a || edge.pushes_b) drive(edge.pushes_a ? edge.b : edge.a, edge.pushes_a ? edge.a : edge.b);
    }
    if (!any) return;
    in.indices.for_each_movable([&](std::uint32_t i) {
        const Body& body = in.body(i);
        Island& island = islands_[in.islands.root(i)];
        if (!(island.speed > 0.0f)) return;
        island.mass += 1.0f / body.inverse_mass;
        island.fastest = std::max(island.fastest, speed_of(body));
    });
    const float falling = substep * std::sqrt(length_squared(gravity));
    for (const ConstraintGraph::Edge& edge : in.edges) {
        const Island& island = islands_[in.islands.root(edge.pushes_a ? edge.a : edge.b)];
        if (!(island.speed > 0.0f)) continue;
        ContactState& state = states[edge.contact];
        float sum = 0.0f;
        for (int i = 0; i < state.point_count; ++i) sum += state.impulses[i];
        const float most = island.mass * (settings::driven_load * std::max(island.speed, island.fastest) +
                                          settings::driven_weight * falling);
        if (sum > most) state.scale_impulses(most / sum);
    }
}

}  // namespace talus
