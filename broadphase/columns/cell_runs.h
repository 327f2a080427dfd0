#pragma once
/// The occupied cells of a grid, for debug drawing.

#include <talus/broadphase/broadphase.h>
#include "broadphase/columns/column_grid.h"

namespace talus::detail {

/// Returns the runs of cells that hold the members for which `counts` is true, level by level and column by column.
/// Sorts all of these members.
std::vector<CellRun> cell_runs(const ColumnGrid& grid, FunctionRef<bool(ProxyIndex)> counts);

}  // namespace talus::detail
