#include <talus/narrowphase/triangles/height_field.h>

#include <talus/narrowphase/shape.h>
#include "common/number_text.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/triangles/box_way.h"
#include "narrowphase/triangles/moving_box.h"
#include "narrowphase/triangles/ray_on_triangles.h"
#include "narrowphase/triangles/triangle_bytes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace talus {

namespace {

using detail::BoxWay;
using detail::FirstHit;
using detail::magnitude;
using detail::max_lanes;
using detail::min_lanes;
using detail::ShearedRay;
using detail::text;

class HeightField final : public TriangleSet {
public:
    explicit HeightField(const HeightFieldDef& def)
        : columns_(def.columns),
          cells_x_(def.columns - 1),
          cells_z_(def.rows - 1),
          spacing_x_(def.spacing_x),
          spacing_z_(def.spacing_z),
          heights_(def.heights.begin(), def.heights.end()),
          materials_(def.materials.begin(), def.materials.end()) {
        two_sided_ = def.two_sided;
        size_ = 2 * cells_x_ * cells_z_;
        const auto is_set = [](std::uint8_t hole) { return hole != 0; };
        if (std::any_of(def.holes.begin(), def.holes.end(), is_set)) {
            holes_.resize(def.holes.size());
            std::transform(def.holes.begin(), def.holes.end(), holes_.begin(), is_set);
        }
        for (const std::uint8_t m : materials_) material_count_ = std::max(material_count_, m + 1u);
        build_pyramid();
        bounds_ = box_of(levels_.size() - 1, 0, 0);
        if (!holes_.empty()) leave_out_border_holes();
    }

    /// Without the holes.
    HeightFieldDef definition() const {
        return {columns_, cells_z_ + 1, heights_, spacing_x_, spacing_z_, materials_, two_sided_, {}};
    }
    const std::vector<bool>& holes() const { return holes_; }  ///< by cell; empty without holes

    SetTriangle triangle(std::uint32_t t) const override {
        const Cell cell = cell_of(t);
        const bool upper = t % 2 != 0;
        SetTriangle s;
        // Corners of the cell: 0 the first, 1 along x, 2 along z, 3 the last.
        const auto corner = [&](std::uint32_t k) { return point(cell.i + (k & 1u), cell.j + (k >> 1)); };
        const vec3 first = corner(0), last = corner(3), third = corner(upper ? 1 : 2);
        if (upper) {  // on the side of x
            set(s, first, last, third);
            s.beyond[0] = corner(2);
            s.beyond[1] = has_cell(cell.i + 1, cell.j) ? point(cell.i + 2, cell.j + 1) : first;
            s.beyond[2] = has_cell(cell.i, cell.j - 1) ? point(cell.i, cell.j - 1) : last;
        } else {
            set(s, first, third, last);
            s.beyond[0] = has_cell(cell.i - 1, cell.j) ? point(cell.i - 1, cell.j) : last;
            s.beyond[1] = has_cell(cell.i, cell.j + 1) ? point(cell.i + 1, cell.j + 2) : first;
            s.beyond[2] = corner(1);
        }
        const vec3 n = glm::cross(s.points[1] - s.points[0], s.points[2] - s.points[0]);
        s.normal = n / std::sqrt(length_squared(n));
        s.material = materials_.empty() ? 0u : materials_[t / 2];
        return s;
    }
    bool is_hole(std::uint32_t t) const override { return !holes_.empty() && holes_[t / 2]; }
    std::uint32_t source(std::uint32_t t) const override { return t; }

    void find(const Aabb& box, std::vector<std::uint32_t>& found) const override {
        if (!is_finite(box.lower) || !is_finite(box.upper) || !overlaps(box, bounds_)) return;
        const auto column = [](float x, float spacing, std::uint32_t cells, double room) {
            const double at = std::floor(static_cast<double>(x) / static_cast<double>(spacing) + room);
            return static_cast<std::uint32_t>(std::clamp(at, 0.0, static_cast<double>(cells) - 1.0));
        };
        // A cell whose border coincides with that of the box counts, however the division is rounded.
        constexpr double room = 1e-6;
        const std::uint32_t i0 = column(box.lower.x, spacing_x_, cells_x_, -room);
        const std::uint32_t i1 = column(box.upper.x, spacing_x_, cells_x_, room);
        const std::uint32_t j0 = column(box.lower.z, spacing_z_, cells_z_, -room);
        const std::uint32_t j1 = column(box.upper.z, spacing_z_, cells_z_, room);
        for (std::uint32_t j = j0; j <= j1; ++j) {
            for (std::uint32_t i = i0; i <= i1; ++i) {
                const std::uint32_t first = 2 * (j * cells_x_ + i);
                if (is_hole(first)) continue;
                for (const std::uint32_t t : {first, first + 1}) {
                    if (overlaps(box_of_triangle(t), box)) found.push_back(t);
                }
            }
        }
    }

    void cast(const vec3& origin, const vec3& translation, const vec3& half, CastVisitor visit) const override {
        // Down the pyramid, nearest block first.
        const detail::MovingBox moving(origin, translation, half);
        struct Block {
            std::size_t level;
            std::uint32_t i, j;
            double enter;
        };
        Block stack[4 * 18];
        std::size_t top = 0;
        float most = 1.0f;
        const double at_root = moving.enter(bounds_, 1.0);
        if (at_root < 0.0) return;
        stack[top++] = {levels_.size() - 1, 0, 0, at_root};
        while (top > 0) {
            const Block block = stack[--top];
            if (block.enter > static_cast<double>(most)) continue;
            if (block.level == 0) {
                const std::uint32_t first = 2 * (block.j * cells_x_ + block.i);
                for (const std::uint32_t t : {first, first + 1}) {
                    if (moving.enter(box_of_triangle(t), static_cast<double>(most)) < 0.0) continue;
                    most = visit(t, most);
                    if (!(most >= 0.0f)) return;
                }
                continue;
            }
            const Level& below = levels_[block.level - 1];
            const std::size_t base = top;
            for (std::uint32_t k = 0; k < 4; ++k) {
                const std::uint32_t i = 2 * block.i + (k & 1u), j = 2 * block.j + (k >> 1);
                if (i >= below.columns || j >= below.rows) continue;
                const Aabb box = box_of(block.level - 1, i, j);
                if (!(box.lower.y <= box.upper.y)) continue;  // nothing but holes
                const double enter = moving.enter(box, static_cast<double>(most));
                if (enter >= 0.0) stack[top++] = {block.level - 1, i, j, enter};
            }
            std::sort(stack + base, stack + top, [](const Block& a, const Block& b) {
                return a.enter != b.enter ? a.enter > b.enter : a.j != b.j ? a.j > b.j : a.i > b.i;
            });
        }
    }

    TriangleRayHit first_hit(const vec3& origin, const vec3& translation) const override {
        FirstHit first(origin, translation, two_sided_);
        const BoxWay way(origin, translation, vec3(0.0f), bounds_);
        const auto touched = [&](const Parts& parts, float most, Float4& enter) {
            Float4 leave = splat<Float4>(most);
            enter = Float4{};
            for (int axis = 0; axis < 3; ++axis) {
                const Float4 a = (parts.low[axis] - way.origin[axis]) * way.inverse[axis];
                const Float4 b = (parts.high[axis] - way.origin[axis]) * way.inverse[axis];
                const Float4 slack = BoxWay::rounding * (magnitude(a) + magnitude(b)) + way.reach[axis];
                enter = max_lanes(enter, min_lanes(a, b) - slack);
                leave = min_lanes(leave, max_lanes(a, b) + slack);
            }
            return lane_bits(enter <= leave);
        };
        nearest_first(1.0f, touched, [&](std::uint32_t i, std::uint32_t j, float most) {
            const vec3 p = point(i, j), along_x = point(i + 1, j), along_z = point(i, j + 1), q = point(i + 1, j + 1);
            const ShearedRay::Hits hits = first.ray.meet({&p.x, &along_z.x, &q.x}, {&p.x, &q.x, &along_x.x});
            for (unsigned lanes = hits.lanes; lanes != 0; lanes &= lanes - 1) {
                const unsigned k = (lanes & 1u) != 0 ? 0 : 1;
                const std::uint32_t t = 2 * (j * cells_x_ + i) + k;
                most = first.offer(t, hits.fractions[k], most, [&] { return triangle(t).normal; });
            }
            return most;
        });
        return first.hit;
    }

    void approach(const vec3& point, float max_distance, ApproachVisitor visit) const override {
        // A little more than the square, so that rounding leaves out none. It may be infinite.
        const auto square = [](float distance) { return (1.0f + 1e-5f) * distance * distance; };
        const auto near = [&](const Parts& parts, float most2, Float4& distance2) {
            distance2 = Float4{};
            for (int axis = 0; axis < 3; ++axis) {
                const Float4 p = splat<Float4>(point[axis]);
                const Float4 gap = max_lanes(max_lanes(parts.low[axis] - p, p - parts.high[axis]), Float4{});
                distance2 += gap * gap;
            }
            return lane_bits(distance2 <= splat<Float4>(most2));
        };
        nearest_first(square(max_distance), near, [&](std::uint32_t i, std::uint32_t j, float) {
            const std::uint32_t first = 2 * (j * cells_x_ + i);
            max_distance = visit(first + 1, visit(first, max_distance));
            return square(max_distance);
        });
    }

    void around(std::uint32_t t, int corner, PointVisitor visit) const override {
        const Cell cell = cell_of(t);
        const bool upper = t % 2 != 0;
        const std::uint32_t at_lower[3] = {0, 2, 3}, at_upper[3] = {0, 3, 1};
        const std::uint32_t k = (upper ? at_upper : at_lower)[corner];
        const std::uint32_t i = cell.i + (k & 1u), j = cell.j + (k >> 1);
        // All eight neighbours of a sample, except the two to which no diagonal leads, and those between holes. (A
        // number below 0 is one above those of all cells.)
        const bool before = has_cell(i - 1, j - 1), beside_x = has_cell(i, j - 1), beside_z = has_cell(i - 1, j),
                   behind = has_cell(i, j);
        if (before) visit(point(i - 1, j - 1));
        if (before || beside_x) visit(point(i, j - 1));
        if (before || beside_z) visit(point(i - 1, j));
        if (behind || beside_x) visit(point(i + 1, j));
        if (behind || beside_z) visit(point(i, j + 1));
        if (behind) visit(point(i + 1, j + 1));
    }

    std::size_t bytes() const override {
        std::size_t sum = heights_.capacity() * sizeof(float) + materials_.capacity() + holes_.capacity() / 8;
        for (const Level& level : levels_) sum += level.spans.capacity() * sizeof(Span);
        return sum;
    }

private:
    struct Cell {
        std::uint32_t i, j;
    };
    struct Span {
        float low, high;
    };
    /// Blocks of 2^level by 2^level cells; level 0 is the cells themselves, whose spans are not stored.
    struct Level {
        std::uint32_t columns, rows;
        std::vector<Span> spans;
    };

    std::uint32_t columns_, cells_x_, cells_z_;
    float spacing_x_, spacing_z_;
    std::vector<float> heights_;
    std::vector<std::uint8_t> materials_;
    std::vector<bool> holes_;  ///< by cell; empty without holes
    std::vector<Level> levels_;

    Cell cell_of(std::uint32_t t) const { return {t / 2 % cells_x_, t / 2 / cells_x_}; }
    bool has_cell(std::uint32_t i, std::uint32_t j) const {
        return i < cells_x_ && j < cells_z_ && !is_hole(2 * (j * cells_x_ + i));
    }
    float height(std::uint32_t i, std::uint32_t j) const {
        return heights_[static_cast<std::size_t>(j) * columns_ + i];
    }
    vec3 point(std::uint32_t i, std::uint32_t j) const {
        return {static_cast<float>(i) * spacing_x_, height(i, j), static_cast<float>(j) * spacing_z_};
    }
    static void set(SetTriangle& s, const vec3& a, const vec3& b, const vec3& c) {
        s.points[0] = a;
        s.points[1] = b;
        s.points[2] = c;
    }
    Aabb box_of_triangle(std::uint32_t t) const {
        const Cell c = cell_of(t);
        const vec3 first = point(c.i, c.j), last = point(c.i + 1, c.j + 1);
        const vec3 third = t % 2 != 0 ? point(c.i + 1, c.j) : point(c.i, c.j + 1);
        return {glm::min(first, glm::min(last, third)), glm::max(first, glm::max(last, third))};
    }
    Span span_of(std::size_t level, std::uint32_t i, std::uint32_t j) const {
        if (level != 0) return levels_[level].spans[static_cast<std::size_t>(j) * levels_[level].columns + i];
        if (!has_cell(i, j)) return {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
        const float a = height(i, j), b = height(i + 1, j), c = height(i, j + 1), d = height(i + 1, j + 1);
        return {std::min({a, b, c, d}), std::max({a, b, c, d})};
    }
    Aabb box_of(std::size_t level, std::uint32_t i, std::uint32_t j) const {
        const Span span = span_of(level, i, j);
        const auto low = [&](std::uint32_t k, float spacing) { return static_cast<float>(k << level) * spacing; };
        const auto high = [&](std::uint32_t k, std::uint32_t cells, float spacing) {
            return static_cast<float>(std::min((k + 1) << level, cells)) * spacing;
        };
        return {{low(i, spacing_x_), span.low, low(j, spacing_z_)},
                {high(i, cells_x_, spacing_x_), span.high, high(j, cells_z_, spacing_z_)}};
    }
    /// The boxes of the four parts of a block, a lane each.
    struct Parts {
        Float4 low[3], high[3];
        unsigned real = 0;  ///< a bit for each part that is there, and not a hole
    };
    Parts parts_of(std::size_t level, std::uint32_t i, std::uint32_t j) const {
        const std::size_t below = level - 1;
        const auto border = [&](std::uint32_t k, std::uint32_t cells, float spacing) {
            return static_cast<float>(std::min(k << below, cells)) * spacing;
        };
        float x[3], z[3], low[4] = {}, high[4] = {};
        for (std::uint32_t k = 0; k < 3; ++k) {
            x[k] = border(2 * i + k, cells_x_, spacing_x_);
            z[k] = border(2 * j + k, cells_z_, spacing_z_);
        }
        Parts parts;
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::uint32_t column = 2 * i + (k & 1u), row = 2 * j + (k >> 1);
            if (column >= levels_[below].columns || row >= levels_[below].rows) continue;
            const Span span = span_of(below, column, row);
            low[k] = span.low, high[k] = span.high;
            parts.real |= span.low <= span.high ? 1u << k : 0u;
        }
        parts.low[0] = Float4{x[0], x[1], x[0], x[1]}, parts.high[0] = Float4{x[1], x[2], x[1], x[2]};
        parts.low[1] = Float4{low[0], low[1], low[2], low[3]},
        parts.high[1] = Float4{high[0], high[1], high[2], high[3]};
        parts.low[2] = Float4{z[0], z[0], z[1], z[1]}, parts.high[2] = Float4{z[1], z[1], z[2], z[2]};
        return parts;
    }

    /// Calls most = visit(i, j, most) for the cells up to `most` that are not holes, those in the nearest block first.
    /// test(parts, most, from) returns a bit per part, and sets where each begins.
    template <class Test, class Visit>
    void nearest_first(float most, const Test& test, const Visit& visit) const {
        struct Block {
            float from;
            std::uint32_t level, i, j;
        };
        Block stack[3 * 17];
        std::size_t waiting = 0;
        Block block{0.0f, static_cast<std::uint32_t>(levels_.size() - 1), 0, 0};
        for (;;) {
            if (block.level == 0) {
                if (has_cell(block.i, block.j)) most = visit(block.i, block.j, most);
            } else {
                const Parts parts = parts_of(block.level, block.i, block.j);
                Float4 from;
                const unsigned touched = test(parts, most, from) & parts.real;
                const auto part = [&](int k) {
                    const auto n = static_cast<std::uint32_t>(k);
                    return Block{from[k], block.level - 1, 2 * block.i + (n & 1u), 2 * block.j + (n >> 1)};
                };
                if (touched != 0) {
                    // Goes on with the nearest part. The others wait.
                    int nearest = std::countr_zero(touched);
                    for (unsigned others = touched & (touched - 1); others != 0; others &= others - 1) {
                        const int k = std::countr_zero(others);
                        const bool nearer = from[k] < from[nearest];
                        stack[waiting++] = part(nearer ? nearest : k);
                        nearest = nearer ? k : nearest;
                    }
                    block = part(nearest);
                    continue;
                }
            }
            do {
                if (waiting == 0) return;
                block = stack[--waiting];
            } while (!(block.from <= most));
        }
    }
    void leave_out_border_holes() {
        std::uint32_t i0 = cells_x_, i1 = 0, j0 = cells_z_, j1 = 0;
        for (std::uint32_t j = 0; j < cells_z_; ++j) {
            for (std::uint32_t i = 0; i < cells_x_; ++i) {
                if (!has_cell(i, j)) continue;
                i0 = std::min(i0, i);
                i1 = std::max(i1, i + 1);
                j0 = std::min(j0, j);
                j1 = std::max(j1, j + 1);
            }
        }
        bounds_.lower.x = static_cast<float>(i0) * spacing_x_;
        bounds_.lower.z = static_cast<float>(j0) * spacing_z_;
        bounds_.upper.x = static_cast<float>(i1) * spacing_x_;
        bounds_.upper.z = static_cast<float>(j1) * spacing_z_;
    }
    void build_pyramid() {
        levels_.push_back({cells_x_, cells_z_, {}});
        while (levels_.back().columns > 1 || levels_.back().rows > 1) {
            const std::size_t below = levels_.size() - 1;
            const std::uint32_t columns = levels_[below].columns, rows = levels_[below].rows;
            Level level{(columns + 1) / 2, (rows + 1) / 2, {}};
            level.spans.reserve(static_cast<std::size_t>(level.columns) * level.rows);
            for (std::uint32_t j = 0; j < level.rows; ++j) {
                for (std::uint32_t i = 0; i < level.columns; ++i) {
                    Span span = span_of(below, 2 * i, 2 * j);
                    for (std::uint32_t k = 1; k < 4; ++k) {
                        const std::uint32_t x = 2 * i + (k & 1u), z = 2 * j + (k >> 1);
                        if (x >= columns || z >= rows) continue;
                        const Span more = span_of(below, x, z);
                        span = {std::min(span.low, more.low), std::max(span.high, more.high)};
                    }
                    level.spans.push_back(span);
                }
            }
            levels_.push_back(std::move(level));
        }
    }
};

Error refused(ErrorCode code, const std::string& sentence) { return {code, "height field: " + sentence}; }

}  // namespace

Result<std::shared_ptr<const TriangleSet>> make_height_field(const HeightFieldDef& def) {
    constexpr std::uint32_t most = 32769;
    if (def.columns < 2 || def.rows < 2 || def.columns > most || def.rows > most)
        return refused(ErrorCode::bad_size, "columns is " + std::to_string(def.columns) + " and rows is " +
                                                std::to_string(def.rows) + "; both must be 2 to 32,769");
    if (def.heights.size() != static_cast<std::size_t>(def.columns) * def.rows)
        return refused(ErrorCode::bad_argument, "there are " + std::to_string(def.heights.size()) +
                                                    " heights; there must be columns * rows, " +
                                                    std::to_string(static_cast<std::size_t>(def.columns) * def.rows));
    const std::size_t cells = static_cast<std::size_t>(def.columns - 1) * (def.rows - 1);
    if (!def.materials.empty() && def.materials.size() != cells)
        return refused(ErrorCode::bad_argument, "there are " + std::to_string(def.materials.size()) +
                                                    " materials; there must be (columns - 1) * (rows - 1), " +
                                                    std::to_string(cells) + ", or none");
    if (!def.holes.empty() && def.holes.size() != cells)
        return refused(ErrorCode::bad_argument, "there are " + std::to_string(def.holes.size()) +
                                                    " holes; there must be (columns - 1) * (rows - 1), " +
                                                    std::to_string(cells) + ", or none");
    if (!def.holes.empty() && std::find(def.holes.begin(), def.holes.end(), std::uint8_t{0}) == def.holes.end())
        return refused(ErrorCode::bad_argument, "all its cells are holes; at least one must not be");
    const std::string spacing = "spacing_x is " + text(def.spacing_x) + " and spacing_z is " + text(def.spacing_z);
    if (!is_finite(def.spacing_x) || !is_finite(def.spacing_z))
        return refused(ErrorCode::not_finite, spacing + "; both must be finite numbers of metres");
    const float width = static_cast<float>(def.columns - 1) * def.spacing_x;
    const float depth = static_cast<float>(def.rows - 1) * def.spacing_z;
    if (!(def.spacing_x >= smallest_size) || !(def.spacing_z >= smallest_size))
        return refused(ErrorCode::bad_size, spacing + " m; both must be at least 1e-6 m");
    if (width > largest_size || depth > largest_size)
        return refused(ErrorCode::bad_size, spacing + " m, which makes a field of " + text(width) + " by " +
                                                text(depth) + " m; it may be at most 1e6 m long in each direction");
    for (std::size_t i = 0; i < def.heights.size(); ++i) {
        const float h = def.heights[i];
        if (!is_finite(h))
            return refused(ErrorCode::not_finite,
                           "heights[" + std::to_string(i) + "] is " + text(h) + "; it must be finite (m)");
        if (std::abs(h) > largest_size)
            return refused(ErrorCode::bad_size,
                           "heights[" + std::to_string(i) + "] is " + text(h) + " m; it must be within 1e6 m of 0");
    }
    auto field = std::make_shared<const HeightField>(def);
    // The steepest cells make the thinnest triangles. The triangles that are checked are those of the contacts.
    for (std::uint32_t t = 0; t < field->size(); ++t) {
        if (field->is_hole(t)) continue;
        const SetTriangle s = field->triangle(t);
        if (!is_finite(s.normal) || check(triangle(vec3(0.0f), s.points[1] - s.points[0], s.points[2] - s.points[0])))
            return refused(ErrorCode::degenerate_shape,
                           "it is so steep that triangle " + std::to_string(t) + " has no area; smooth the heights");
    }
    return std::shared_ptr<const TriangleSet>(std::move(field));
}

namespace detail {

bool write_height_field(ByteWriter& bytes, const TriangleSet& set) {
    const auto* const field = dynamic_cast<const HeightField*>(&set);
    if (field == nullptr) return false;
    const HeightFieldDef def = field->definition();
    bytes(def.columns, def.rows, def.spacing_x, def.spacing_z, def.two_sided);
    bytes(std::vector<float>(def.heights.begin(), def.heights.end()));
    bytes(std::vector<std::uint8_t>(def.materials.begin(), def.materials.end()));
    bytes(std::vector<std::uint8_t>(field->holes().begin(), field->holes().end()));
    return true;
}

std::shared_ptr<const TriangleSet> read_height_field(ByteReader& bytes) {
    HeightFieldDef def;
    std::vector<float> heights;
    std::vector<std::uint8_t> materials, holes;
    bytes(def.columns, def.rows, def.spacing_x, def.spacing_z, def.two_sided, heights, materials, holes);
    if (bytes.failed()) return nullptr;
    def.heights = heights;
    def.materials = materials;
    def.holes = holes;
    const Result<std::shared_ptr<const TriangleSet>> field = make_height_field(def);
    if (bytes.expect(static_cast<bool>(field), "a height field is refused")) return *field;
    return nullptr;
}

}  // namespace detail

}  // namespace talus
