#pragma once
/// What a pair of colliders keeps from one `collide` to the next: a record that each collide reads, and a cache that is read
/// only when the pair must be tested.

#include <talus/narrowphase/colliders.h>
#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>

namespace talus {

/// The hot half of a pair: all that pass A reads, in one cache line. `b` is the smaller shape: motion is measured as
/// its motion in the frame of `a`, where a small shape's rotation moves its points little.
struct alignas(64) PairRecord {
    std::uint32_t a = 0, b = 0;  ///< colliders
    Transform reference;         ///< pose of b in a when last tested
    float radius_a = 0.0f;       ///< of a ball around a's origin that holds a, m
    float radius_b = 0.0f;       ///< and of one around b's, m
    float size = 0.0f;           ///< radius of the smaller shape: the scale of this pair's tolerances, m
    float thin = 0.0f;           ///< the same, or the thickness of the thinner shape where that is less, m
    union {
        float distance = 0.0f;  ///< while separated: a lower bound of the separation at the reference pose, m
        float reuse_motion;     ///< while touching: motion up to which the manifold is reused, m; 0 on round contacts
    };
    std::uint32_t stamp = 0;  ///< versions[a] + versions[b] when last tested
    PairState state = PairState::unknown;
    Rung rung = Rung::cold_gjk;  ///< how the last collide settled it
    std::uint16_t cost = 0;      ///< what its tests took then, where they were timed singly: see `microseconds_of`
};

/// What the tests of the last collide that tested the pair took, if they were timed singly; else 0.
double microseconds_of(const PairRecord& record);

/// What EPA found out, as long as the cores overlap: its face, and how much deeper any way out but through that face
/// was. Points of b move by at most m in a's frame, so every other depth is at least `other_depth` - m, and this face's
/// at most `depth` + m: while the former is more, the face still gives the least.
struct Deep {
    SimplexCache face;         ///< count 3, or 0: nothing known
    float depth = 0.0f;        ///< through that face then, m
    float other_depth = 0.0f;  ///< m
    Transform reference;       ///< pose of b in a then
};

/// The cold half, four cache lines: what the rungs above reuse start from, and the answer.
struct alignas(64) PairCache {
    SimplexCache simplex;
    FaceHints hints;
    bool axis_in_b = false;  ///< the axis is fixed in b's frame (b owns the face), else in a's
    bool axis_is_face = false;
    vec3 axis{0.0f};  ///< unit, from a to b
    Deep deep;
    Manifold manifold;  ///< count 0 unless touching
};
static_assert(sizeof(PairRecord) == 64 && sizeof(PairCache) == 256);

/// A fresh pair of colliders i and j (either order).
PairRecord make_pair(const Colliders& colliders, std::uint32_t i, std::uint32_t j);

}  // namespace talus
