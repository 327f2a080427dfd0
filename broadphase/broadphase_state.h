#pragma once
/// The state of a Broadphase: three parts, each of which owns its data.
///
///     proxies  the boxes, filters and flags by index                        proxies.h
///     grids    the two grids in which the boxes are stored                  columns/proxy_grids.h
///     pairs    each proxy's partners, and the events of the last update     pairs/pair_finder.h
///
/// update() is: refresh the grids, find the pairs, end the update of the proxies. Queries (casts/queries.h) only read.

#include <talus/broadphase/broadphase.h>
#include "broadphase/casts/queries.h"
#include "broadphase/columns/proxy_grids.h"
#include "broadphase/pairs/pair_finder.h"
#include "broadphase/proxies.h"

#include <string>

namespace talus {

struct Broadphase::State {
    detail::Proxies proxies;
    detail::ProxyGrids grids;
    detail::PairFinder pairs;
    Error last_error;  ///< of the last refused call

    // These set last_error and return false. `call` is the name of the refused function.
    bool refuse_proxy(const std::string& call, ProxyIndex proxy);
    bool refuse_box(const std::string& call, const WorldAabb& box);

    detail::Queries queries() const { return {proxies, grids}; }
};

}  // namespace talus
