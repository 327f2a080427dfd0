#include "broadphase/columns/cell_runs.h"

#include <algorithm>
#include <compare>

namespace talus::detail {

std::vector<CellRun> cell_runs(const ColumnGrid& grid, FunctionRef<bool(ProxyIndex)> counts) {
    struct Cell {
        int u, v, s;
        auto operator<=>(const Cell&) const = default;
    };
    std::vector<CellRun> runs;
    std::vector<Cell> cells;
    const std::span<const ColumnLevel> levels = grid.levels();
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const ColumnLevel& level = levels[l];
        cells.clear();
        for (const BoxEntry& entry : grid.entries(level)) {
            if (!counts(entry.id)) continue;
            const Int4 cell = cells_of(lanes_of(load3(entry.low)), level.per_cell);
            cells.push_back({cell[level.u], cell[level.v], cell[level.s]});
        }
        std::sort(cells.begin(), cells.end());
        for (std::size_t i = 0, j = 0; i < cells.size(); i = j) {
            for (j = i + 1; j < cells.size(); ++j) {
                const Cell &last = cells[j - 1], &next = cells[j];
                if (next.u != last.u || next.v != last.v || next.s > last.s + 1) break;
            }
            CellRun run;
            run.level = static_cast<std::uint32_t>(l);
            run.sweep_axis = level.s;
            run.boxes = static_cast<std::uint32_t>(j - i);
            const auto extend = [&](std::uint32_t axis, int lowest, int highest) {
                const auto k = static_cast<int>(axis);
                // A cell ends half a cell from its number. The outermost cells stand for everything beyond.
                const float per_cell = level.per_cell[k];
                const float first = static_cast<float>(lowest), last = static_cast<float>(highest);
                const float from = (first - 0.5f) / per_cell, to = (last + 0.5f) / per_cell;
                const double origin = coordinate(level.origin, k);
                const bool bounded_below = per_cell > 0.0f && first > -cell_limit && from > -far_limit,
                           bounded_above = per_cell > 0.0f && last < cell_limit && to < far_limit;
                run.box.lower[k] = bounded_below ? origin + double{from} : level.world_bounds.lower[k];
                run.box.upper[k] = bounded_above ? origin + double{to} : level.world_bounds.upper[k];
            };
            extend(level.u, cells[i].u, cells[i].u);
            extend(level.v, cells[i].v, cells[i].v);
            extend(level.s, cells[i].s, cells[j - 1].s);
            runs.push_back(run);
        }
    }
    return runs;
}

}  // namespace talus::detail
