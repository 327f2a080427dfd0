/// Rays and swept boxes through a grid of columns.
///
/// A swept box meets a box when the ray of its centre meets that box, grown by its half edges. The ray is cut into slabs across its main
/// direction, each as thick as boxes are long; in a slab the boxes whose lower corner stands in it are looked at that meet the box around
/// the part of the ray that can reach them. So a box belongs to one slab and is reported once.
///
/// All positions along the ray are computed in double, from floats, and each part is widened by far more than double's rounding.

#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double fraction_slack = 1e-14;  // relative rounding allowed to a ray that grazes a box
constexpr double bound_slack = 1e-6;      // widening of a part's box, relative to its coordinates
// A slab is this part of the longest box thick, or as a cell is. Larger: fewer slabs, more strangers in each.
constexpr double slab_reach = 0.75;
// A ray is cut into at most so many slabs, and one more for so many members: emptiness must not cost more than looking at all of them.
constexpr double most_slabs = 64.0, members_per_slab = 4.0;

struct Interval {
    double enter, exit;
    bool empty() const { return !(enter <= exit); }
};

// The part of [t.enter, t.exit] in which origin + t * translation lies within [lower, upper].
Interval clip(Interval t, double origin, double translation, double lower, double upper) {
    if (translation == 0.0) return lower <= origin && origin <= upper ? t : Interval{1.0, 0.0};
    const double inverse = 1.0 / translation;
    const double a = (lower - origin) * inverse, b = (upper - origin) * inverse;
    return {std::max(t.enter, std::min(a, b) - fraction_slack * std::abs(a)),
            std::min(t.exit, std::max(a, b) + fraction_slack * std::abs(b))};
}

float clamp_to_float(double x) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -limit, limit));
}

}  // namespace

double enter_fraction(const BoxCast& cast, const Aabb& box) {
    Interval t{0.0, double{cast.max_fraction}};
    for (int axis = 0; axis < 3; ++axis) {
        t = clip(t, double{cast.center[axis]}, double{cast.translation[axis]},
                 double{box.lower[axis]} - double{cast.half[axis]}, double{box.upper[axis]} + double{cast.half[axis]});
        if (t.empty()) return -1.0;
    }
    return t.enter;
}

void ColumnGrid::cast(BoxCast& cast, std::span<const Aabb> boxes, FunctionRef<float(ProxyIndex, float)> visit,
                      CastScratch& scratch) const {
    const auto at = [&](int axis, double t) { return double{cast.center[axis]} + t * double{cast.translation[axis]}; };
    const vec3 way = glm::abs(cast.translation);
    const int main = way.x >= way.y && way.x >= way.z ? 0 : way.y >= way.z ? 1 : 2;
    const double direction = cast.translation[main] < 0.0f ? -1.0 : 1.0;
    for (const Level& level : levels_) {
        if (level.members == 0) continue;
        Interval whole{0.0, double{cast.max_fraction}};
        for (int axis = 0; axis < 3 && !whole.empty(); ++axis) {
            whole = clip(whole, double{cast.center[axis]}, double{cast.translation[axis]},
                         double{level.bounds.lower[axis]} - double{cast.half[axis]},
                         double{level.bounds.upper[axis]} + double{cast.half[axis]});
        }
        if (whole.empty()) continue;
        // Where lower corners may stand that matter; slab k holds those from base + k * thickness on, their boxes reach this much further.
        const double reach = double{level.reach[main]}, half = double{cast.half[main]};
        const double begin = at(main, whole.enter), end = at(main, whole.exit);
        const double low =
            std::max(std::min(begin, end) - half - reach * (1.0 + bound_slack), double{level.bounds.lower[main]});
        const double high = std::min(std::max(begin, end) + half, double{level.bounds.upper[main]});
        const double slack = bound_slack * (std::abs(low) + std::abs(high)) + double{std::numeric_limits<float>::min()};
        const double base = low - slack, span = high + slack - base;
        const double most = most_slabs + static_cast<double>(level.members) / members_per_slab;
        double thickness = std::max(slab_reach * reach, span / most);
        if (level.per_cell[main] > 0.0f) thickness = std::max(thickness, 1.0 / double{level.per_cell[main]});
        const auto slab_of = [&](double x) {
            return static_cast<int>(std::clamp((x - base) / thickness, 0.0, span / thickness));
        };
        const int slabs = slab_of(high + slack) + 1;
        for (int i = 0; i < slabs; ++i) {
            const int slab = direction > 0.0 ? i : slabs - 1 - i;
            const double slab_low = base + slab * thickness, slab_high = slab_low + thickness;
            const Interval t = slabs == 1 ? whole
                                          : clip(whole, double{cast.center[main]}, double{cast.translation[main]},
                                                 slab_low - half - slack, slab_high + reach + half + slack);
            if (t.enter > double{cast.max_fraction}) break;
            if (t.empty()) continue;
            Aabb part;
            for (int axis = 0; axis < 3; ++axis) {
                const double a = at(axis, t.enter), b = at(axis, std::min(t.exit, double{cast.max_fraction}));
                const double widening = double{cast.half[axis]} + bound_slack * (std::abs(a) + std::abs(b)) +
                                        double{std::numeric_limits<float>::min()};
                part.lower[axis] = clamp_to_float(std::min(a, b) - widening);
                part.upper[axis] = clamp_to_float(std::max(a, b) + widening);
            }
            const BoxLanes lanes = lanes_of(part);
            if (!overlaps(lanes, lanes_of(level.bounds))) continue;
            Float4 from = least_corner(level, lanes), to = lanes.upper;
            from[main] = std::max(from[main], clamp_to_float(slab_low - slack));
            to[main] = std::min(to[main], clamp_to_float(slab_high + slack));
            if (!(from[main] <= level.bounds.upper[main] && to[main] >= level.bounds.lower[main] &&
                  from[main] <= to[main]))
                continue;
            scratch.found.count = 0;
            scan(level, lanes, from, to, scratch.found);
            scratch.hits.clear();
            for (const ProxyIndex id : scratch.found.ids()) {
                const Aabb& box = boxes[id];
                const double fraction = enter_fraction(cast, box);
                if (fraction >= 0.0 && slab_of(double{box.lower[main]}) == slab) scratch.hits.push_back({fraction, id});
            }
            std::sort(scratch.hits.begin(), scratch.hits.end());
            const CastScratch::Hit* last = nullptr;  // a scan may find a box twice
            for (const CastScratch::Hit& hit : scratch.hits) {
                if (hit.fraction > double{cast.max_fraction}) break;
                if (last != nullptr && hit == *last) continue;
                last = &hit;
                cast.max_fraction = std::min(cast.max_fraction, visit(hit.id, cast.max_fraction));
            }
        }
    }
}

}  // namespace talus
