/// Rays and swept boxes through a grid of columns.
///
/// A swept box meets a box when the ray of its centre meets that box, grown by its half edges. The ray is cut into slabs of cells across
/// its main direction, each about as thick as boxes are long; in a slab those boxes are looked at whose lower corner stands in it and near
/// enough to the part of the ray that can reach them. So a box belongs to one slab and is reported once.
///
/// First a test in float, grown by more than float's rounding, sieves many boxes at a time; what is left is tested in double.

#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double fraction_slack = 1e-14;  // relative rounding allowed to a ray that grazes a box
constexpr double bound_slack = 1e-6;      // widening of what is computed in float, relative to its coordinates, ...
constexpr double least_slack = double{std::numeric_limits<float>::min()};  // ... and at least this, m
constexpr double cell_slack = 1e-6;       // relative rounding of cells_of, in cells per cell of distance from the origin
// A slab is this part of the longest box thick, or as a cell is. Larger: fewer slabs, more strangers in each.
constexpr double slab_reach = 0.75;
// A ray is cut into at most so many slabs, and one more for so many members: emptiness must not cost more than looking at all of them.
constexpr double most_slabs = 64.0, members_per_slab = 4.0;

struct Interval {
    double enter, exit;
    bool empty() const { return !(enter <= exit); }
};

// A cast in double, with what each test of it needs.
struct Way {
    double center[3], translation[3], inverse[3], half[3];

    explicit Way(const BoxCast& cast) {
        for (int axis = 0; axis < 3; ++axis) {
            center[axis] = double{cast.center[axis]};
            translation[axis] = double{cast.translation[axis]};
            inverse[axis] = 1.0 / translation[axis];
            half[axis] = double{cast.half[axis]};
        }
    }
    double at(int axis, double t) const { return center[axis] + t * translation[axis]; }

    // The part of t in which the swept box touches [lower, upper] along the axis.
    Interval clip(Interval t, int axis, double lower, double upper) const {
        lower -= half[axis];
        upper += half[axis];
        if (translation[axis] == 0.0) return lower <= center[axis] && center[axis] <= upper ? t : Interval{1.0, 0.0};
        const double a = (lower - center[axis]) * inverse[axis], b = (upper - center[axis]) * inverse[axis];
        return {std::max(t.enter, std::min(a, b) - fraction_slack * std::abs(a)),
                std::min(t.exit, std::max(a, b) + fraction_slack * std::abs(b))};
    }
    Interval clip(Interval t, const Aabb& box) const {
        for (int axis = 0; axis < 3; ++axis) t = clip(t, axis, double{box.lower[axis]}, double{box.upper[axis]});
        return t;
    }
};

float clamp_to_float(double x) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -limit, limit));
}

// In float, so it is grown by more than float's rounding where members of these bounds are.
detail::RayProbe probe_of(const Way& way, const Aabb& bounds) {
    detail::RayProbe probe;
    for (int axis = 0; axis < 3; ++axis) {
        const double c = way.center[axis], half = way.half[axis], length = std::abs(way.translation[axis]);
        const double furthest = std::max(std::abs(double{bounds.lower[axis]}), std::abs(double{bounds.upper[axis]}));
        const double slack = bound_slack * (std::abs(c) + length + half + furthest) + least_slack;
        // Where it hardly moves it is outside from before its begin to behind its end, or inside for as long.
        const float inverse = clamp_to_float(length > slack ? way.inverse[axis] : 4.0 / slack);
        probe.to_low[axis] = clamp_to_float(-c - half - slack);
        probe.to_high[axis] = clamp_to_float(c - half - slack);
        probe.inverse[axis] = inverse;
        probe.minus_inverse[axis] = -inverse;
    }
    return probe;
}

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
    // The box around the part of the cast in t, as far as there is something left of it.
    const auto part_of = [&](Interval t) {
        Aabb part;
        for (int axis = 0; axis < 3; ++axis) {
            const double a = way.at(axis, t.enter), b = way.at(axis, std::min(t.exit, double{cast.max_fraction}));
            const double widening = way.half[axis] + bound_slack * (std::abs(a) + std::abs(b)) + least_slack;
            part.lower[axis] = clamp_to_float(std::min(a, b) - widening);
            part.upper[axis] = clamp_to_float(std::max(a, b) + widening);
        }
        return part;
    };
    for (const Level& level : levels_) {
        if (level.members == 0) continue;
        const Interval whole = way.clip({0.0, double{cast.max_fraction}}, level.bounds);
        if (whole.empty()) continue;
        detail::RayProbe probe = probe_of(way, level.bounds);
        const BoxLanes all = lanes_of(part_of(whole)), bounds = lanes_of(level.bounds);
        if (!overlaps(all, bounds)) continue;
        // Slab i holds the cells from first + i * cells on, and the boxes that have their lower corners there.
        const int first = first_cell(level, all)[main], last = last_cell(level, all)[main];
        const double cell = level.per_cell[main] > 0.0f ? 1.0 / double{level.per_cell[main]} : infinity, reach = double{level.reach[main]};
        const double most = most_slabs + static_cast<double>(level.members) / members_per_slab;
        const int cells = static_cast<int>(std::ceil(std::max({slab_reach * reach / cell, (last - first) / most, 1.0})));
        const int slabs = (last - first) / cells + 1;
        for (int i = 0; i < slabs; ++i) {
            const int begin = first + (forwards ? i : slabs - 1 - i) * cells, end = std::min(begin + cells, last + 1);
            Interval t = whole;
            if (slabs > 1) {  // the outermost are open to their ends
                const double low = begin == first ? -infinity : begin * cell, high = end == last + 1 ? infinity : end * cell;
                const double slack = cell_slack * cell * (std::abs(begin) + std::abs(end) + 1.0);
                t = way.clip(whole, main, low - slack, high + reach + slack);
            }
            if (t.enter > double{cast.max_fraction}) break;
            if (t.empty()) continue;
            const BoxLanes part = lanes_of(part_of(t));
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
