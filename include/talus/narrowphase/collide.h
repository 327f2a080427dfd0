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

#include <talus/narrowphase/pair_record.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>
#include <memory>
#include <span>

namespace talus {

struct CollideSettings {
    bool skip = true, reuse = true, closed_form = true, axis = true, warm_gjk = true, warm_epa = true;
    /// Contacts of two faces along a strip that is narrow and shallow (tolerances.h, `sliver_contact`) are left out:
    /// for worlds whose floors are tiled, where bodies would stumble over the seams.
    bool drop_slivers = false;
    Timing timing = Timing::stages;
};

/// The memory that collide works in. Keep one per thread between calls, so that nothing is allocated.
class CollideScratch {
public:
    CollideScratch();
    ~CollideScratch();
    CollideScratch(const CollideScratch&);  ///< a new, empty one: there is nothing in it that a copy would need
    CollideScratch& operator=(const CollideScratch&);

    std::size_t bytes() const;  ///< heap memory held

private:
    friend void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
                        std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
                        NarrowphaseProfile& profile);
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

/// Brings the manifolds of the `active` pairs (indices into `records` and `caches`, each at most once) up to date with
/// the colliders' poses. Reads the colliders and touches no pair that is not active: calls with disjoint `active` may
/// run in several threads, each with its own `scratch` and `profile`, and give the bits of one call.
void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
             std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
             NarrowphaseProfile& profile);

}  // namespace talus
