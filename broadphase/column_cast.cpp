/// Rays through a grid of columns: a walk over the cells that the ray crosses, u slab by u slab, and in each over the
/// cells along v; in a cell's column only the run beside the ray's piece is looked at.
///
/// A box stands in up to four columns but is reported once: in the column of the cell where the ray enters it. All
/// positions along the ray are computed in double, from floats, and each piece is widened by far more than double's
/// rounding; the cell of a point is found by the same monotone function that placed the boxes. So that cell is always
/// on the walk.

#include <talus/broadphase/column_grid.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double fraction_slack = 1e-14;  // relative rounding allowed to a ray that grazes a box
constexpr double cell_slack = 1e-6;   // relative rounding of cells_of, in cells per cell of distance from the origin
constexpr double bound_slack = 1e-6;  // widening of a piece's box, relative to its coordinates

struct Interval {
    double enter, exit;
    bool empty() const { return !(enter <= exit); }
};

// The part of [t.enter, t.exit] in which origin + t * translation lies within [lower, upper].
Interval clip(Interval t, double origin, double translation, double lower, double upper) {
    if (translation == 0.0) return lower <= origin && origin <= upper ? t : Interval{1.0, 0.0};
    const double a = (lower - origin) / translation, b = (upper - origin) / translation;
    return {std::max(t.enter, std::min(a, b) - fraction_slack * std::abs(a)),
            std::min(t.exit, std::max(a, b) + fraction_slack * std::abs(b))};
}

float clamp_to_float(double x) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(x, -limit, limit));
}

}  // namespace

double enter_fraction(const Ray& ray, const Aabb& box) {
    Interval t{0.0, double{ray.max_fraction}};
    for (int axis = 0; axis < 3; ++axis) {
        t = clip(t, double{ray.origin[axis]}, double{ray.translation[axis]}, double{box.lower[axis]},
                 double{box.upper[axis]});
        if (t.empty()) return -1.0;
    }
    return t.enter;
}

struct ColumnGrid::Walk {
    const Level& level;
    Ray& ray;
    std::span<const Aabb> boxes;
    RayVisit visit;
    void* context;
    FoundPairs found;

    double at(int axis, double t) const { return double{ray.origin[axis]} + t * double{ray.translation[axis]}; }

    std::int32_t cell_at(int axis, float per_cell, double t) const {
        return cells_of(Float4{clamp_to_float(at(axis, t))}, Float4{per_cell})[0];
    }

    // The cells along an axis that the ray crosses in [t.enter, t.exit], in its direction.
    struct Steps {
        std::int32_t first, last, step;
    };
    Steps steps(int axis, float per_cell, Interval t) const {
        const std::int32_t a = cell_at(axis, per_cell, t.enter);
        const std::int32_t b = cell_at(axis, per_cell, t.exit);
        return {a, b, a <= b ? 1 : -1};
    }
    // The part of t in which the ray may be in that cell. The first and the last are open to their ends.
    Interval within(int axis, std::int32_t cell, const Steps& steps, Interval t) const {
        if (steps.first == steps.last) return t;
        const double slack = cell_slack * (std::abs(double(cell)) + 1.0);
        const double size = double{level.cell};
        const Interval inside = clip(t, double{ray.origin[axis]}, double{ray.translation[axis]}, (cell - slack) * size,
                                     (cell + 1 + slack) * size);
        return {cell == steps.first ? t.enter : inside.enter, cell == steps.last ? t.exit : inside.exit};
    }
};

void ColumnGrid::cast_cell(Walk& walk, std::int32_t u, std::int32_t v, double enter, double exit) const {
    const Level& level = walk.level;
    Aabb piece;
    for (int axis = 0; axis < 3; ++axis) {
        const double a = walk.at(axis, enter), b = walk.at(axis, exit);
        const double slack = bound_slack * (std::abs(a) + std::abs(b)) + double{std::numeric_limits<float>::min()};
        piece.lower[axis] = clamp_to_float(std::min(a, b) - slack);
        piece.upper[axis] = clamp_to_float(std::max(a, b) + slack);
    }
    walk.found.count = 0;
    find_in_column(level, level.first_column + column_at(level, u, v), entry_of(level, piece), 0, walk.found);
    for (std::size_t i = 0; i < walk.found.count; ++i) {
        const ProxyIndex member = walk.found.slots[i].b;
        const Aabb& box = walk.boxes[member];
        const double t = enter_fraction(walk.ray, box);
        if (t < 0.0) continue;
        const Cells c = cells(level, entry_of(level, box));
        const std::int32_t at_u = walk.cell_at(level.u, level.per_cell_u, t);
        const std::int32_t at_v = walk.cell_at(level.v, level.per_cell_v, t);
        if (std::clamp(at_u, c.u0, c.u1) != u || std::clamp(at_v, c.v0, c.v1) != v) continue;
        const float left = walk.visit(walk.context, member, walk.ray.max_fraction);
        walk.ray.max_fraction = std::min(walk.ray.max_fraction, left);
    }
}

void ColumnGrid::cast(Ray& ray, std::span<const Aabb> boxes, RayVisit visit, void* context) const {
    FoundPairs found;
    for (const Level& level : levels_) {
        Interval t{0.0, double{ray.max_fraction}};
        for (int axis = 0; axis < 3 && !t.empty(); ++axis) {
            t = clip(t, double{ray.origin[axis]}, double{ray.translation[axis]}, double{level.bounds.lower[axis]},
                     double{level.bounds.upper[axis]});
        }
        if (t.empty()) continue;
        Walk walk{level, ray, boxes, visit, context, std::move(found)};
        const Walk::Steps along_u = walk.steps(level.u, level.per_cell_u, t);
        for (std::int32_t u = along_u.first;; u += along_u.step) {
            const Interval slab = walk.within(level.u, u, along_u, t);
            if (slab.enter > double{ray.max_fraction}) break;
            if (!slab.empty()) {
                const Walk::Steps along_v = walk.steps(level.v, level.per_cell_v, slab);
                for (std::int32_t v = along_v.first;; v += along_v.step) {
                    const Interval cell = walk.within(level.v, v, along_v, slab);
                    if (cell.enter > double{ray.max_fraction}) break;
                    if (!cell.empty()) cast_cell(walk, u, v, cell.enter, cell.exit);
                    if (v == along_v.last) break;
                }
            }
            if (u == along_u.last) break;
        }
        found = std::move(walk.found);
    }
}

}  // namespace talus
