#pragma once
/// Internal: the rung `reuse`. How far a touching pair may move and keep its manifold, and how the manifold follows.
///
/// The contact points of flat shapes stay fixed in their bodies. Those of a sphere, capsule or cylinder that rolls do
/// not: the normal force would get a lever that drives the rolling. So the point of a round shape moves over its surface
/// to where it is nearest to the other one. On a face, the normal is the face's, and the face's point follows. Between a
/// sphere and a round shape, the normal is along the line from axis to axis. Other pairs of round shapes, and round
/// shapes on edges and corners, are tested again each time, or, where that needs EPA, keep their points a little.

#include "narrowphase/ladder/collide_call.h"

namespace talus::detail {

/// Stores how far the pair may move until it must be tested again, after a test that gave it its manifold. `exact`: the
/// manifold is the whole contact, and will be so at poses nearby.
void set_reuse(const CollideCall& call, const PairTest& test, bool exact);

/// Moves a pair's manifold to a pose nearby.
void reuse_manifold(const CollideCall& call, const PairRecord& record, PairCache& cache, const Transform& b_in_a);

}  // namespace talus::detail
