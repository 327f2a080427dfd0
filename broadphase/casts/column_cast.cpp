#include "broadphase/casts/column_cast.h"

#include "broadphase/casts/cast_ray.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative rounding of cells_of, in cells per cell of distance from the origin. A cell ends half a cell from its
// number.
constexpr double cell_slack = 1e-6, half_cell = 0.5;
// A slab is as thick as the longest box times this, or as a cell. Larger: fewer slabs, more boxes tested in vain.
constexpr double slab_reach = 1.5;
// A ray with more slabs than most_slabs plus one per members_per_slab tests all members instead: empty slabs cost time
// too.
constexpr double most_slabs = 64.0, members_per_slab = 16.0;
// In a level with at most so many boxes, each is tested in double at once: that costs less than to look for the cells.
constexpr std::uint32_t few_members = 8;

// The cells that a cast crosses in one level along its main axis, divided into slabs. Slab i begins at the cell
// first + i * cells.
struct Slabs {
    int first, last, cells, count;
    double cell;  // edge of a cell along the main axis, m
};

Slabs divide(const ColumnLevel& level, int first, int last, int main) {
    const double cell = level.per_cell[main] > 0.0f ? 1.0 / double{level.per_cell[main]} : infinity,
                 reach = double{level.reach[main]};
    const double most = most_slabs + static_cast<double>(level.members) / members_per_slab;
    const int number = last - first + 1;
    int cells =
        static_cast<int>(std::min(std::max(1.0, std::ceil(slab_reach * reach / cell)), static_cast<double>(number)));
    if (number / cells > most) cells = number;
    return {first, last, cells, (number - 1) / cells + 1, cell};
}

}  // namespace

void cast_through(const ColumnGrid& grid, BoxCast& cast, std::span<const WorldAabb> boxes,
                  FunctionRef<float(ProxyIndex, float)> visit, CastScratch& scratch) {
    static RayScan* const ray_scan = best_ray_scan();
    const CastRay ray(cast);
    const vec3 length = talus::absolute(cast.translation);
    const int main = length.x >= length.y && length.x >= length.z ? 0 : length.y >= length.z ? 1 : 2;
    const bool forwards = cast.translation[main] >= 0.0f;
    const auto visit_in_order = [&] {
        std::sort(scratch.hits.begin(), scratch.hits.end());
        const CastScratch::Hit* before = nullptr;  // a scan may find a box twice
        for (const CastScratch::Hit& hit : scratch.hits) {
            if (hit.fraction > double{cast.max_fraction}) break;
            if (before != nullptr && hit == *before) continue;
            before = &hit;
            cast.max_fraction = std::min(cast.max_fraction, visit(hit.id, cast.max_fraction));
        }
    };
    for (const ColumnLevel& level : grid.levels()) {
        if (level.members == 0) continue;
        const Interval whole = ray.clip({0.0, double{cast.max_fraction}}, level.world_bounds);
        if (whole.empty()) continue;
        if (level.members <= few_members) {
            scratch.hits.clear();
            for (const BoxEntry& entry : grid.entries(level)) {
                const Interval inside = ray.clip(whole, boxes[entry.id]);
                if (!inside.empty()) scratch.hits.push_back({inside.enter, entry.id});
            }
            visit_in_order();
            continue;
        }
        NearbyCast nearby = ray.seen_from(level.origin);
        const BoxLanes all = nearby.part(whole, cast.max_fraction);
        if (!overlaps(all, level.bounds)) continue;
        const double center = ray.from(level.origin, main);
        const bool level_ends = level.bounds.upper[main] < far_limit;
        const Slabs slabs = divide(level, first_cell(level, all)[main], last_cell(level, all)[main], main);
        for (int i = 0; i < slabs.count; ++i) {
            const int begin = slabs.first + (forwards ? i : slabs.count - 1 - i) * slabs.cells,
                      end = std::min(begin + slabs.cells, slabs.last + 1);
            Interval t = whole;
            if (slabs.count > 1) {  // the outermost slabs have no outer bound, nor do boxes beyond float
                const double low = begin == slabs.first ? -infinity : (begin - half_cell) * slabs.cell,
                             high = end == slabs.last + 1 || !level_ends ? infinity : (end - half_cell) * slabs.cell;
                const double slack = cell_slack * slabs.cell * (std::abs(begin) + std::abs(end) + 1.0);
                t = ray.clip(whole, main, low - slack - center, high + double{level.reach[main]} + slack - center);
            }
            if (t.enter > double{cast.max_fraction}) break;
            if (t.empty()) continue;
            const BoxLanes part = nearby.part(t, cast.max_fraction);
            if (!overlaps(part, level.bounds)) continue;
            Int4 from = first_cell(level, part), to = last_cell(level, part);
            from[main] = std::max(from[main], begin);
            to[main] = std::min(to[main], end - 1);
            if (from[main] > to[main]) continue;
            const CellWindow window = grid.window(level, from, to);
            nearby.probe.max_fraction = cast.max_fraction;
            scratch.found.count = 0;
            scratch.found.count = ray_scan(window, nearby.probe, scratch.found.room_for(grid.room_for(window)));
            scratch.hits.clear();
            for (const ProxyIndex id : scratch.found.ids()) {
                const Interval inside = ray.clip({0.0, double{cast.max_fraction}}, boxes[id]);
                if (inside.empty()) continue;
                const int at = cells_of(seen_from(level.origin, lanes_of(boxes[id])).lower, level.per_cell)[main];
                if (begin <= at && at < end) scratch.hits.push_back({inside.enter, id});
            }
            visit_in_order();
        }
    }
}

}  // namespace talus::detail
