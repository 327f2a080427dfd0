#pragma once
/// Rays and moving boxes through a grid of columns.
///
/// A moving box touches a box if the ray of its centre touches that box grown by the half edges of the moving one. The
/// ray is divided into slabs of cells across its main axis, each about as thick as boxes are long. In each slab, the
/// boxes are tested whose lower corners are in the slab and near enough to the part of the ray that can reach them. So
/// each box belongs to one slab and is reported once.
///
/// First a test in float, with boxes grown by more than float's rounding, excludes most boxes, several at a time. The
/// rest is tested in double.

#include <talus/broadphase/box_cast.h>
#include <talus/function_ref.h>
#include "broadphase/columns/column_grid.h"

#include <compare>

namespace talus::detail {

/// Working memory of a cast.
struct CastScratch {
    FoundProxies found;
    struct Hit {
        double fraction;
        ProxyIndex id;
        friend auto operator<=>(const Hit&, const Hit&) = default;
    };
    std::vector<Hit> hits;
};

/// Calls visit(proxy, max_fraction) once for each member that the cast touches, roughly in the order along it: level by
/// level, slab by slab, and in each slab in order. What `visit` returns becomes the cast's max_fraction if it is
/// smaller. `boxes` are those from which the grid was built; a member whose box there has changed since may or may not
/// be visited.
void cast_through(const ColumnGrid& grid, BoxCast& cast, std::span<const WorldAabb> boxes,
                  FunctionRef<float(ProxyIndex, float)> visit, CastScratch& scratch);

}  // namespace talus::detail
