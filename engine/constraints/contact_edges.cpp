#include "engine/constraints/contact_edges.h"
#include "common/lanes/processor.h"

namespace talus {

void find_edges(const ContactView& world, std::span<const std::uint32_t> touching,
                std::vector<ConstraintGraph::Edge>& edges, const Jobs& jobs) {
    const ContactTable& contacts = world.contacts;
    const BodyStore& bodies = world.bodies;
    constexpr std::size_t least_contacts = 256;
    edges.resize(touching.size());
    jobs.for_each_run(touching.size(), least_contacts, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            constexpr std::size_t ahead = 8;
            if (i + ahead < last) {
                const std::uint32_t next = touching[i + ahead];
                detail::prefetch(&contacts.caches[next].manifold.count);
                detail::prefetch(&contacts.states[next].restitution);
                detail::prefetch(&contacts.states[next].color);
                detail::prefetch(&bodies[contacts.bodies[next].a].inverse_mass);
                detail::prefetch(&bodies[contacts.bodies[next].b].inverse_mass);
            }
            const std::uint32_t c = touching[i];
            const ContactState& state = contacts.states[c];
            const ContactBodies& pair = contacts.bodies[c];
            const int count = state.sensor ? 0 : contacts.manifold(c).count;
            edges[i] = {c,
                        pair.a,
                        pair.b,
                        static_cast<std::uint32_t>(count),
                        bodies[pair.a].inverse_mass > 0.0f,
                        bodies[pair.b].inverse_mass > 0.0f,
                        state.special_surface,
                        state.restitution > 0.0f,
                        state.color};
            if (state.of_compound) edges[i].pair = state.pair;
        }
    });
    std::erase_if(edges, [](const ConstraintGraph::Edge& edge) { return edge.point_count == 0; });
}

}  // namespace talus
