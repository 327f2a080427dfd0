#pragma once
/// Pairs for the tests of `collide`, with their records and caches.

#include <talus/narrowphase/collide.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus::test {

/// Colliders, all pairs of neighbours among them, and what collide keeps: pair i is of colliders 2 i and 2 i + 1.
struct Batch {
    Colliders colliders;
    std::vector<PairRecord> records;
    std::vector<PairCache> caches;
    std::vector<std::uint32_t> active;
    CollideSettings settings;
    NarrowphaseProfile profile;  ///< of the last call

    void add(const Shape& a, const Shape& b, const WorldTransform& pose_b = {}, const WorldTransform& pose_a = {}) {
        const auto i = static_cast<std::uint32_t>(colliders.shapes.size());
        colliders.resize(i + 2);
        colliders.shapes[i] = a;
        colliders.shapes[i + 1] = b;
        colliders.poses[i] = pose_a;
        colliders.poses[i + 1] = pose_b;
        records.push_back(make_pair(colliders, i, i + 1));
        caches.emplace_back();
        active.push_back(i / 2);
    }

    void collide() {
        CollideScratch scratch;
        profile = {};
        talus::collide(colliders, records, caches, active, settings, scratch, profile);
    }

    std::uint64_t settled(Rung rung) const { return profile.pairs[static_cast<std::size_t>(rung)]; }

    /// The same pairs with new records and empty caches.
    Batch fresh() const {
        Batch cold = *this;
        for (PairRecord& r : cold.records) r = make_pair(colliders, r.a, r.b);
        cold.caches.assign(caches.size(), {});
        return cold;
    }
};

/// Separation of the deepest point, m; infinite without points.
inline float deepest(const Manifold& manifold) {
    float least = std::numeric_limits<float>::infinity();
    for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.points[i].separation);
    return least;
}

}  // namespace talus::test
