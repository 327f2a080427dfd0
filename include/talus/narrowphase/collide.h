#pragma once
/// The coherence ladder: finds out whether each convex pair of a frame touches, and where, at the lowest cost that its
/// motion allows.
///
/// A rigid world changes little from one frame to the next. So each pair keeps what its last test has found, and the
/// cost of a test depends on how much has changed. `collide` settles each pair on the first of these rungs that can
/// prove its result:
///
///   skip            bounding spheres apart; or separated, and moved by less than the gap since it was measured
///   reuse           touching, and moved by less than a tolerance scaled to its size: the manifold follows the bodies
///   closed form     pairs of shapes that need no iteration: spheres, capsules, boxes that overlap
///   axis            the last axis, which may follow a rim, gives the signed separation: apart, or shallow
///   warm GJK        GJK from the simplex of the last test, whose vertices are looked up at the new pose
///   cold GJK        GJK from nothing: a new pair, or one whose cache does not match
///   warm EPA        overlapping cores: the last EPA's face at the new pose, if a bound proves it nearest
///   cold EPA        EPA, after GJK has found that the cores overlap
///
/// A first pass runs over the records of all active pairs, four at a time, and settles skip and reuse. The other pairs
/// go to worklists, one per rung. A second pass works through these in batches, and time is measured per batch.
/// (Sorting the lists by shape types as well makes the pass 0% to 3% slower, in piles of one type and of many.)
///
/// Warm EPA is tried before the axis, because its pairs are too deep for that. Boxes are tested by their separating
/// axes before a cold GJK and instead of EPA; this counts as a closed form.
///
/// A cache is never trusted: separation is proved by a support plane, motion bounds are true bounds, and records carry
/// the version stamps of their shapes, so that a changed shape or a teleport does not match.

#include <talus/narrowphase/pair_record.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>
#include <memory>
#include <span>

namespace talus {

class CollideScratch;
struct CollideSettings;
namespace detail {
struct PairPages;
void collide(const Colliders& colliders, const PairPages& pairs, std::span<const std::uint32_t> active,
             const CollideSettings& settings, CollideScratch& scratch, NarrowphaseProfile& profile);
}  // namespace detail

/// Which rungs `collide` may use, and what it measures. Rungs are turned off to compare them: their pairs go to the
/// next rung that can settle them. Cold GJK and cold EPA are always on.
struct CollideSettings {
    bool skip = true;         ///< use Rung::skip
    bool reuse = true;        ///< use Rung::reuse
    bool closed_form = true;  ///< use Rung::closed_form
    bool axis = true;         ///< use Rung::axis_separated and Rung::axis_touching
    bool warm_gjk = true;     ///< use Rung::warm_gjk
    bool warm_epa = true;     ///< use Rung::warm_epa
    /// Leaves out contacts of two faces along a narrow and shallow strip. For worlds with tiled floors, where bodies
    /// would catch on the seams.
    bool drop_slivers = false;
    Timing timing = Timing::stages;  ///< how much is timed
};

/// The memory that collide works in. Keep one per thread between calls, so that nothing is allocated.
class CollideScratch {
public:
    CollideScratch();
    ~CollideScratch();
    CollideScratch(const CollideScratch&);             ///< makes an empty one: the contents need no copy
    CollideScratch& operator=(const CollideScratch&);  ///< does nothing: the contents need no copy

    std::size_t bytes() const;  ///< heap memory held

private:
    friend void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
                        std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
                        NarrowphaseProfile& profile);
    friend void detail::collide(const Colliders& colliders, const detail::PairPages& pairs,
                                std::span<const std::uint32_t> active, const CollideSettings& settings,
                                CollideScratch& scratch, NarrowphaseProfile& profile);
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

/// Updates the manifolds of the `active` pairs (indices into `records` and `caches`, each at most once) to the
/// colliders' poses. It only reads the colliders and does not access other pairs. So calls with disjoint `active` may
/// run on several threads, each with its own `scratch` and `profile`, and give the same bits as one call.
void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
             std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
             NarrowphaseProfile& profile);

}  // namespace talus
