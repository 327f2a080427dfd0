/// Where a grid's boxes stand, for those who want to look.

#include <talus/broadphase/broadphase.h>

#include <algorithm>

namespace talus {

std::vector<CellRun> ColumnGrid::cell_runs(FunctionRef<bool(ProxyIndex)> counts) const {
    struct Place {
        int u, v, s;
        auto operator<=>(const Place&) const = default;
    };
    std::vector<CellRun> runs;
    std::vector<Place> places;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const Level& level = levels_[l];
        places.clear();
        const detail::BoxEntry* const first = entries_.data() + cell_first_[level.first_cell];
        for (const detail::BoxEntry* entry = first; entry != first + level.members; ++entry) {
            if (!counts(entry->id)) continue;
            const Int4 cell = cells_of(lanes_of(vec3(entry->low[0], entry->low[1], entry->low[2])), level.per_cell);
            places.push_back({cell[level.u], cell[level.v], cell[level.s]});
        }
        std::sort(places.begin(), places.end());
        for (std::size_t i = 0, j = 0; i < places.size(); i = j) {
            for (j = i + 1; j < places.size(); ++j) {
                const Place &last = places[j - 1], &next = places[j];
                if (next.u != last.u || next.v != last.v || next.s > last.s + 1) break;
            }
            CellRun run;
            run.level = static_cast<std::uint32_t>(l);
            run.sweep_axis = level.s;
            run.boxes = static_cast<std::uint32_t>(j - i);
            const auto extend = [&](std::uint32_t axis, int lowest, int highest) {
                const auto k = static_cast<int>(axis);
                const float per_cell = level.per_cell[k], limit = cell_limit;
                const auto from = static_cast<float>(lowest), to = static_cast<float>(highest);
                run.box.lower[k] = per_cell > 0.0f && from > -limit ? from / per_cell : level.bounds.lower[k];
                run.box.upper[k] = per_cell > 0.0f && to < limit ? (to + 1.0f) / per_cell : level.bounds.upper[k];
            };
            extend(level.u, places[i].u, places[i].u);
            extend(level.v, places[i].v, places[i].v);
            extend(level.s, places[i].s, places[j - 1].s);
            runs.push_back(run);
        }
    }
    return runs;
}

std::vector<CellRun> Broadphase::cell_runs(bool settled) const {
    const Home home = settled ? Home::settled : Home::restless;
    return (settled ? settled_ : restless_).cell_runs([&](ProxyIndex proxy) {
        return proxy < flags_.size() && flags_[proxy].home == home;
    });
}

}  // namespace talus
