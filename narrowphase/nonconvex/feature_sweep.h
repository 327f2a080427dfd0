#pragma once
/// Internal: when two surfaces that move get into each other, by their features.
///
/// Two surfaces that start apart touch first at a vertex and a face, or at two edges, whose orientation allows that
/// (feature_contacts.h). Each such pair has a basic contact function, its signed separation along the normal (Jimenez
/// and Torras 1999, section 6). A hit is where this function falls to minus a depth while the place of the contact is
/// on both features.
///
/// Features that overlap at the start are a contact, which the solver has seen: they hit only if they are deeper at the
/// end. In between the solver has moved them in sub-steps, along a path that is not known here. (A bar that turns by 0.3
/// rad in a step about one of its ends, which lies on the floor, would seem to go 2 mm into the floor.)
///
///     far apart    advance by the distance of the trees' boxes over the speed
///     near         a window of time: the pairs that can come to touch in it -> the first of their roots
///
/// Windows are so short that a function is nearly straight in them: its values at both ends tell whether it has a root.

#include <talus/function_ref.h>
#include "narrowphase/nonconvex/feature_contacts.h"

namespace talus::detail {

/// How two surfaces move relative to each other over a time from 0 to `end`.
struct SurfaceMotion {
    FunctionRef<Transform(float)> b_in_a;  ///< by the time, s
    float end;                             ///< s
    float speed;   ///< the greatest relative speed of two points, one per surface, that are near each other, m/s
    float turn;    ///< the greatest relative angular speed, rad/s
    float window;  ///< the longest time in which the paths of points count as straight, s
};

/// How deep features get into each other until that counts as a hit, m. Half of SurfaceFeatures::Face::depth is another
/// limit, except for features that were pressed deeper before the motion.
struct HitDepths {
    float depth;  ///< the depth of a hit, if the surfaces are apart at the start; else, by how much they may get deeper
    float deepest;  ///< the greatest depth to which they may get in this way
    float drop;     ///< by how much they may get deeper if they are at that depth already
};

class FeatureSweep {
public:
    /// Returns the time of the first hit, s, or `until` if there is none before. Cost: a search for candidates per window.
    float first_hit(const SurfaceFeatures& a, const SurfaceFeatures& b, const SurfaceMotion& motion,
                    const HitDepths& depths, float until);

    /// How many windows and pairs of features the last call looked at.
    std::size_t windows() const { return windows_; }
    std::size_t pairs() const { return pairs_; }

private:
    struct Window;
    FeatureCandidates candidates_;
    std::vector<FeaturePoint> contacts_;  ///< at the start
    std::size_t windows_ = 0, pairs_ = 0;
};

}  // namespace talus::detail
