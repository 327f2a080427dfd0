#pragma once
/// Internal: all edges of each polyhedron with all faces of the other, at a place in double.

#include <talus/narrowphase/nonconvex/motion.h>

namespace talus {

/// Returns what `interference` returns, for B at a place in A's frame.
InterferenceResult interference_at(const Polyhedron& a, const Polyhedron& b, const RelativePlace& place,
                                   DistanceKind distance);

}  // namespace talus
