#pragma once
/// The pairs and poses of `talus-profile gjk`: hulls of random points on a unit ball (Liu et al., section 4.4),
/// placed or walked so that their separation stays in a given range.
///
/// Poses are made once, before anything is timed, and everybody is asked about the same ones. A pair's first pose is
/// there only to warm caches.

#include "samples/scenes/kit/random.h"

#include <talus/narrowphase/shape.h>

#include <cstdint>
#include <vector>

namespace talus::profiling {

/// How the second hull of a pair comes by its poses. Lengths in radii of the ball.
struct Motion {
    /// Translation of a step, along a random direction; 0: poses have nothing to do with each other.
    float step = 0.0f;
    float degrees = 0.0f;  ///< rotation of a step, about a random axis
    float least = 0.0f;    ///< separation of the hulls, from `least` to `most`; negative: overlap
    float most = 0.0f;
    int path = 0;        ///< steps of a walk; 0: all poses of a pair
    float start = 0.0f;  ///< distance of the centres where walks start; 0: at separations spread over the range
    bool tracked() const { return step > 0.0f; }
};

/// The hull of so many random points on a unit ball, all of them vertices.
Shape ball_hull(samples::Random& random, int vertices);

/// Two hulls, the first at the origin, and the poses of the second.
struct PosedPair {
    Shape a, b;
    std::vector<MatrixTransform> poses;
};

/// `pairs` pairs of hulls with vertices_a and vertices_b vertices and poses + 1 poses each; where the motion has a
/// shorter path, as many entries with the same hulls as it takes for as many poses. The same arguments give the same
/// poses as long as Talus gives the same separations.
std::vector<PosedPair> make_pairs(int vertices_a, int vertices_b, const Motion& motion, int pairs, int poses,
                                  std::uint64_t seed);

}  // namespace talus::profiling
