#pragma once
/// The coherence ladder: settles every convex pair of a frame at the lowest cost that its motion allows.
///
/// A rigid world changes little from one frame to the next, so each pair keeps what its last test learned and pays for
/// what changed. `collide` climbs only as far as it must:
///
///   skip            the balls around the two are apart; or separated, and the pair moved less than its gap since it was measured
///   reuse           touching, and moved less than a tolerance scaled to its size: anchors stay fixed in the bodies
///   closed form     shapes that need no iteration: spheres, capsules, boxes that overlap
///   axis            last test's axis, re-posed, gives a signed separation from one support pair: apart, or a shallow contact
///   warm GJK        from last test's simplex, re-posed from its vertex indices
///   cold GJK        a new pair, or one whose cache does not match
///   warm EPA        overlapping cores: the last EPA's face slides to where it belongs now, while a bound proves it the nearest
///   cold EPA        when GJK found the cores overlapping
///
/// Pass A runs over the small hot records of all active pairs, four at a time, and settles skip and reuse. What is left
/// goes to worklists, one a rung, and pass B works through them in batches, which is also how time is measured. (Sorted
/// by shape types as well, they take as long or 3% longer, in piles of one kind and of many.)
///
/// Warm EPA is tried before the axis: its pairs are too deep for that. Boxes that GJK would see cold, or EPA at all,
/// are asked by their separating axes first (box_axes.h), which counts as a closed form.
///
/// A cache is never trusted: separation is proved by a support plane, motion bounds are true bounds, and records carry
/// the version stamps of their shapes, so that a changed shape or a teleport does not match.

#include <talus/narrowphase/gjk.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class TriangleSet;

/// How a shape is expected to move before the next collide: its velocity times the step. All zero: it does not.
struct Sweep {
    vec3 way{0.0f};        ///< of the shape's origin, m, world axes
    vec3 turn{0.0f};       ///< rotation vector, rad, world axes
    float turning = 0.0f;  ///< how far that turn may take points of the shape from where `way` takes them, m
    float reach = 0.0f;    ///< length of `way` and `turning`
};

/// What a collider that is one triangle of a surface knows of the rest of it, in the collider's own frame: see
/// SetTriangle. Its contacts are the surface's (surface_contact.h).
struct SurfaceTriangle {
    vec3 normal{0.0f};  ///< unit; zero: the collider is no such triangle
    vec3 beyond[3] = {};
    const TriangleSet* set = nullptr;  ///< that it is part of, as number `index`
    std::uint32_t index = 0;
    bool two_sided = false;
    bool face_only = false;  ///< no edge sticks out or ends: contacts are along the face, or the neighbours'
    bool through = false;    ///< the middle of the other of its pair was pressed through the surface from ...
    vec3 place{0.0f};        ///< here, where it belongs; m
};

/// The shapes that pairs refer to by index, with their world poses. The caller moves `poses` and raises `versions[i]`
/// whenever shape i changes or jumps.
struct Colliders {
    std::vector<Shape> shapes;
    std::vector<Transform> poses;
    std::vector<std::uint32_t> versions;
    std::vector<Sweep> sweeps;
    std::vector<SurfaceTriangle> surface_triangles;  ///< shorter than the others where the rest are none

    /// Of a collider that is one triangle of a surface, else nullptr.
    const SurfaceTriangle* surface_triangle(std::uint32_t i) const {
        const bool is_one = i < surface_triangles.size() && surface_triangles[i].normal != vec3(0.0f);
        return is_one ? &surface_triangles[i] : nullptr;
    }

    void resize(std::size_t count);
    std::size_t bytes() const;
};

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

struct CollideSettings {
    bool skip = true, reuse = true, closed_form = true, axis = true, warm_gjk = true, warm_epa = true;
    /// Contacts of two faces along a strip that is narrow and shallow (tolerances.h, `sliver_contact`) are left out:
    /// for worlds whose floors are tiled, where bodies would stumble over the seams.
    bool drop_slivers = false;
    Timing timing = Timing::stages;
};

/// Pairs on their way up the ladder. Kept between frames only so that nothing is allocated.
struct CollideScratch {
    struct Work {
        std::uint32_t pair;
        Transform pose;  ///< of b in a
        Frame b_in_a;    ///< the same with its rotation as a matrix
    };
    std::vector<Work> closed, slide, axis, warm, cold, deep;
    std::size_t bytes() const;
};

/// A fresh pair of colliders i and j (either order).
PairRecord make_pair(const Colliders& colliders, std::uint32_t i, std::uint32_t j);

/// Brings the manifolds of the `active` pairs (indices into `records` and `caches`, each at most once) up to date with
/// the colliders' poses. Reads the colliders and touches no pair that is not active: calls with disjoint `active` may
/// run in several threads, each with its own `scratch` and `profile`, and give the bits of one call.
void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
             std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
             NarrowphaseProfile& profile);

/// Contact margin of a pair along a direction (unit, from a to b, a's frame): points closer than this are part of the
/// manifold, m. It is as much as points of the two may come nearer until the next collide, though something stops one
/// of the two on its way.
float contact_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal);

/// Shapes that are apart by more along such a direction are left alone, m. It is as much as the planes that hold them
/// apart may come nearer: at most `contact_margin`, and less where the shapes are round. `height_a`, `height_b`: how
/// far they reach towards each other from their origins, m.
float separation_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal, float height_a,
                        float height_b);

/// The greatest that they may be along any direction, m.
float contact_margin(const Colliders& colliders, const PairRecord& record);

}  // namespace talus
