#pragma once
/// The broadphase's queries: overlaps, casts, the nearest boxes. Broadphase documents what each of them does.

#include <talus/broadphase/box_cast.h>
#include <talus/function_ref.h>
#include "broadphase/columns/proxy_grids.h"
#include "broadphase/proxies.h"

#include <span>

namespace talus::detail {

/// The boxes of all proxies, for reading. Each query looks into both grids and tests the pending boxes one by one.
struct Queries {
    const Proxies& proxies;
    const ProxyGrids& grids;

    void overlaps(const WorldAabb& box, FunctionRef<void(std::uint32_t)> visit) const;
    void cast(const BoxCast& cast, FunctionRef<float(std::uint32_t, float)> visit) const;
    void cast(std::span<const BoxCast> casts, FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const;
    void nearest(const dvec3& point, float max_distance, FunctionRef<float(std::uint32_t, float, float)> visit) const;

private:
    void find_all(const WorldAabb& box, FoundProxies& found, std::vector<ProxyIndex>& ids) const;
};

}  // namespace talus::detail
