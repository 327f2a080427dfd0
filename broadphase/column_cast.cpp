/// Rays and swept boxes through a grid of columns.
///
/// A swept box meets a box when the ray of its centre meets that box, grown by its half edges. The ray is cut into
/// slabs of cells across its main direction, each about as thick as boxes are long; in a slab those boxes are looked at
/// whose lower corner stands in it and near enough to the part of the ray that can reach them. So a box belongs to one
/// slab and is reported once.
///
/// First a test in float, grown by more than float's rounding, sieves many boxes at a time; what is left is tested in
/// double.

#include "broadphase/cast_way.h"

namespace talus {

namespace {

constexpr double cell_slack = 1e-6;  // relative rounding of cells_of, in cells per cell of distance from the origin
// A slab is this part of the longest box thick, or as a cell is. Larger: fewer slabs, more strangers in each.
constexpr double slab_reach = 1.5;
// A ray that would be cut into more slabs than this, and one for so many members, looks at all members instead:
// emptiness costs, too.
constexpr double most_slabs = 64.0, members_per_slab = 16.0;

}  // namespace

double enter_fraction(const BoxCast& cast, const Aabb& box) {
    const Interval t = Way(cast).clip({0.0, double{cast.max_fraction}}, box);
    return t.empty() ? -1.0 : t.enter;
}

void ColumnGrid::cast(BoxCast& cast, std::span<const Aabb> boxes, FunctionRef<float(ProxyIndex, float)> visit,
                      CastScratch& scratch) const {
    static detail::RayScan* const ray_scan = detail::best_ray_scan();
    const Way way(cast);
    const vec3 length = glm::abs(cast.translation);
    const int main = length.x >= length.y && length.x >= length.z ? 0 : length.y >= length.z ? 1 : 2;
    const bool forwards = cast.translation[main] >= 0.0f;
    const Float4 center = lanes_of(cast.center), translation = lanes_of(cast.translation);
    const Float4 grown = lanes_of(cast.half) + lanes_of(vec3(way.slack(0), way.slack(1), way.slack(2)));
    // The box around the part of the cast in t, as far as there is something left of it.
    const auto part_of = [&](Interval t) {
        const Float4 a = center + splat<Float4>(static_cast<float>(t.enter)) * translation;
        const Float4 b = center + splat<Float4>(std::min(static_cast<float>(t.exit), cast.max_fraction)) * translation;
        return BoxLanes{min(a, b) - grown, max(a, b) + grown};
    };
    detail::RayProbe probe = way.probe();
    for (const Level& level : levels_) {
        if (level.members == 0) continue;
        const Interval whole = way.clip({0.0, double{cast.max_fraction}}, level.bounds);
        if (whole.empty()) continue;
        const BoxLanes all = part_of(whole), bounds = lanes_of(level.bounds);
        if (!overlaps(all, bounds)) continue;
        // Slab i holds the cells from first + i * cells on, and the boxes that have their lower corners there.
        const int first = first_cell(level, all)[main], last = last_cell(level, all)[main];
        const double cell = level.per_cell[main] > 0.0f ? 1.0 / double{level.per_cell[main]} : infinity,
                     reach = double{level.reach[main]};
        const double most = most_slabs + static_cast<double>(level.members) / members_per_slab;
        const int number = last - first + 1;
        int cells = static_cast<int>(
            std::min(std::max(1.0, std::ceil(slab_reach * reach / cell)), static_cast<double>(number)));
        if (number / cells > most) cells = number;
        const int slabs = (number - 1) / cells + 1;
        for (int i = 0; i < slabs; ++i) {
            const int begin = first + (forwards ? i : slabs - 1 - i) * cells, end = std::min(begin + cells, last + 1);
            Interval t = whole;
            if (slabs > 1) {  // the outermost are open to their ends
                const double low = begin == first ? -infinity : begin * cell,
                             high = end == last + 1 ? infinity : end * cell;
                const double slack = cell_slack * cell * (std::abs(begin) + std::abs(end) + 1.0);
                t = way.clip(whole, main, low - slack, high + reach + slack);
            }
            if (t.enter > double{cast.max_fraction}) break;
            if (t.empty()) continue;
            const BoxLanes part = part_of(t);
            if (!overlaps(part, bounds)) continue;
            Int4 from = first_cell(level, part), to = last_cell(level, part);
            from[main] = std::max(from[main], begin);
            to[main] = std::min(to[main], end - 1);
            if (from[main] > to[main]) continue;
            const detail::CellWindow cell_window = window(level, from, to);
            probe.max_fraction = cast.max_fraction;
            scratch.found.count = 0;
            scratch.found.count = ray_scan(cell_window, probe, scratch.found.room_for(room_for(cell_window)));
            scratch.hits.clear();
            for (const ProxyIndex id : scratch.found.ids()) {
                const Interval inside = way.clip({0.0, double{cast.max_fraction}}, boxes[id]);
                if (inside.empty()) continue;
                const int at = cells_of(lanes_of(boxes[id]).lower, level.per_cell)[main];
                if (begin <= at && at < end) scratch.hits.push_back({inside.enter, id});
            }
            std::sort(scratch.hits.begin(), scratch.hits.end());
            const CastScratch::Hit* before = nullptr;  // a scan may find a box twice
            for (const CastScratch::Hit& hit : scratch.hits) {
                if (hit.fraction > double{cast.max_fraction}) break;
                if (before != nullptr && hit == *before) continue;
                before = &hit;
                cast.max_fraction = std::min(cast.max_fraction, visit(hit.id, cast.max_fraction));
            }
        }
    }
}

}  // namespace talus
