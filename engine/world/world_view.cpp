#include <talus/engine/world_view.h>

#include "engine/world/world_state.h"

namespace talus {

void WorldView::update(const World& world) {
    const World::State& from = *world.state_;
    World::State& to = *world_.state_;
    to.def = from.def;  // with the tag of the handles
    to.bodies = from.bodies;
    to.shapes = from.shapes;
    to.colliders = from.colliders;
    to.proxies = from.proxies;
    to.sleeping = from.sleeping;
}

void WorldViewBuffer::update(const World& world) {
    views_.publish([&](WorldView& next, const WorldView&) { next.update(world); });
}

}  // namespace talus
