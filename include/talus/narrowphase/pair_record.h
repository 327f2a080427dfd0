#pragma once
/// The data that a pair of colliders keeps from one `collide` to the next: a record that each call reads, and a cache
/// that is read only if the pair must be tested.

#include <talus/narrowphase/colliders.h>
#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>

namespace talus {

/// The half of a pair that every `collide` reads, in one cache line. `b` is the smaller shape. The pair's motion is
/// measured as the motion of b in a's frame, because a rotation moves the points of a small shape little.
struct alignas(64) PairRecord {
    std::uint32_t a = 0;     ///< collider of the larger shape
    std::uint32_t b = 0;     ///< collider of the smaller shape
    Transform reference;     ///< pose of b in a when last tested
    float radius_a = 0.0f;   ///< of the bounding sphere of a around a's origin, m
    float radius_b = 0.0f;   ///< of the bounding sphere of b around b's origin, m
    float size = 0.0f;       ///< of the smaller shape: the scale of this pair's tolerances, m
    float thickness = 0.0f;  ///< of the thinner shape, at most `size`, m
    union {
        float distance = 0.0f;  ///< while separated: a lower bound of the separation at the reference pose, m
        float reuse_motion;     ///< while touching: motion up to which the manifold is reused, m
    };
    std::uint32_t stamp = 0;               ///< versions[a] + versions[b] when last tested
    PairState state = PairState::unknown;  ///< result of the last test
    Rung rung = Rung::cold_gjk;            ///< that settled the pair in the last collide
    std::uint16_t cost = 0;                ///< time of its last test, if pairs were timed one by one: `microseconds_of`
};

/// Returns the time (microseconds) of the tests in the last collide that tested the pair; 0 unless pairs were timed one
/// by one.
double microseconds_of(const PairRecord& record);

/// The result of EPA while the cores overlap: the face that gives the depth, and a lower bound of the depth in all
/// other directions. If points of b move by at most m in a's frame, every other depth is at least `other_depth` - m,
/// and the depth through this face is at most `depth` + m. While the former is more, the face still gives the least
/// depth.
struct EpaCache {
    SimplexCache face;         ///< three vertices of the Minkowski difference; count 0: nothing known
    float depth = 0.0f;        ///< through that face at the reference pose, m
    float other_depth = 0.0f;  ///< lower bound of the depth in other directions at the reference pose, m
    Transform reference;       ///< pose of b in a when EPA ran or, of a cylinder or cone, the cores were apart
};

/// The shape over whose round surface the contact points move as it rolls on a face of the other one; both: on each
/// other.
enum class RollingShape : std::uint8_t { none, a, b, both };

/// The half that is read only if the pair must be tested, four cache lines: what the tests start from, and the contact.
struct alignas(64) PairCache {
    SimplexCache simplex;                       ///< of the last GJK query
    FaceHints hints;                            ///< faces of the last manifold
    bool axis_in_b = false;                     ///< the axis is fixed in b's frame (b owns the face), else in a's
    bool axis_is_face = false;                  ///< the axis is the normal of a face
    RollingShape rolling = RollingShape::none;  ///< of the manifold; a: the axis is its normal, in b's frame
    vec3 axis{0.0f};                            ///< unit, from a to b; zero: none
    EpaCache epa;                               ///< of the last EPA query
    Manifold manifold;                          ///< count 0 unless touching
};
static_assert(sizeof(PairRecord) == 64 && sizeof(PairCache) == 256);

/// Returns the record of a new pair of colliders i and j (either order).
PairRecord make_pair(const Colliders& colliders, std::uint32_t i, std::uint32_t j);

}  // namespace talus
