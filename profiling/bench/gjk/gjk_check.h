#pragma once
/// What the separation of two polytopes really is: proved by plain, slow scans in double.

#include "profiling/bench/gjk/gjk_poses.h"

#include <talus/narrowphase/papers/polytope_graph.h>

namespace talus::profiling {

/// Bounds that enclose the true distance of two separated polytopes.
struct DistanceBounds {
    double lower = 0.0, upper = 0.0;
    double error(double distance) const;  ///< the largest that `distance` may be wrong by
};

/// Finds the closest points by GJK in double and believes nothing of it: support planes between the points, over all
/// vertices, prove the lower bound, the points themselves the upper one, plus what they are off the vertices' hulls.
class DistanceOracle {
public:
    explicit DistanceOracle(const PosedPair& pair);
    DistanceBounds operator()(const MatrixTransform& pose) const;

private:
    PolytopeGraph a_, b_;
};

/// The exact depth of two overlapping hulls: the least over the normals of all faces, and of all edge pairs that make
/// a face of the Minkowski difference. Its cost grows with the product of the edge counts.
double exact_depth(const PosedPair& pair, const MatrixTransform& pose);

}  // namespace talus::profiling
