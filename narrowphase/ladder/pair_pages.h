#pragma once
/// Internal: collide for records and caches that lie in blocks (common/paged_array.h), as those of the engine do.

#include <talus/narrowphase/collide.h>
#include "common/paged_array.h"

namespace talus::detail {

struct PairPages {
    using Records = PagedArray<PairRecord>;
    using Caches = PagedArray<PairCache>;

    const std::uintptr_t* records;  ///< Records::starts()
    const std::uintptr_t* caches;   ///< Caches::starts()

    PairRecord& record(std::uint32_t pair) const { return Records::element(records, pair); }
    PairCache& cache(std::uint32_t pair) const { return Caches::element(caches, pair); }
};

/// The same as talus::collide.
void collide(const Colliders& colliders, const PairPages& pairs, std::span<const std::uint32_t> active,
             const CollideSettings& settings, CollideScratch& scratch, NarrowphaseProfile& profile);

}  // namespace talus::detail
