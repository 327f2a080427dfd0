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
            const Int4 cell = cells_of(lanes_of(vec3(entry.low[0], entry.low[1], entry.low[2])), level.per_cell);
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
                const float per_cell = level.per_cell[k];
                const auto from = static_cast<float>(lowest), to = static_cast<float>(highest);
                run.box.lower[k] = per_cell > 0.0f && from > -cell_limit ? from / per_cell : level.bounds.lower[k];
                run.box.upper[k] = per_cell > 0.0f && to < cell_limit ? (to + 1.0f) / per_cell : level.bounds.upper[k];
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
