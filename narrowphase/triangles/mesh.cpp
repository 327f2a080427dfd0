#include <talus/narrowphase/triangles/mesh.h>

#include "common/number_text.h"
#include "narrowphase/shapes/moments.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/triangles/clean_triangles.h"
#include "narrowphase/triangles/moving_box.h"
#include "narrowphase/triangles/triangle_bytes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace talus {

namespace {

using namespace detail;

Aabb box_of(const vec3& a, const vec3& b, const vec3& c) {
    return {glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))};
}

class Mesh final : public TriangleSet {
public:
    Mesh(std::vector<vec3> vertices, std::vector<Corners> corners, std::vector<std::uint32_t> sources,
         std::vector<std::uint8_t> materials, bool two_sided)
        : vertices_(std::move(vertices)),
          corners_(std::move(corners)),
          sources_(std::move(sources)),
          materials_(std::move(materials)) {
        two_sided_ = two_sided;
        size_ = static_cast<std::uint32_t>(corners_.size());
        for (const std::uint8_t m : materials_) material_count_ = std::max(material_count_, m + 1u);
        build_tree();
        bounds_ = nodes_[0].box();
        find_neighbours();
    }
    /// Reads a mesh; if the bytes fail, it must not be used.
    explicit Mesh(ByteReader& bytes) { read(bytes); }

    void write(ByteWriter& bytes) const {
        bytes(vertices_, corners_, sources_, materials_, two_sided_);
        bytes(static_cast<std::uint32_t>(nodes_.size()));
        for (const Node& node : nodes_) bytes(node.first, node.count);
    }

    SetTriangle triangle(std::uint32_t t) const override {
        SetTriangle s;
        for (std::size_t i = 0; i < 3; ++i) {
            s.points[i] = vertices_[corners_[t][i]];
            s.beyond[i] = vertices_[sides_[t].beyond[i]];
        }
        s.normal = vec3(normal_of(t));
        s.material = materials_.empty() ? 0u : materials_[t];
        return s;
    }
    std::uint32_t source(std::uint32_t t) const override { return sources_[t]; }

    void find(const Aabb& box, std::vector<std::uint32_t>& found) const override {
        std::uint32_t stack[most_depth];
        std::size_t top = 0;
        stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes_[stack[--top]];
            if (!overlaps(node.box(), box)) continue;
            if (node.count == 0) {  // the left child is next, because triangles are numbered from left to right
                stack[top++] = node.first + 1;
                stack[top++] = node.first;
                continue;
            }
            for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
                if (overlaps(box_of(t), box)) found.push_back(t);
            }
        }
    }

    void cast(const vec3& origin, const vec3& translation, const vec3& half, CastVisitor visit) const override {
        const detail::MovingBox moving(origin, translation, half);
        struct Entry {
            std::uint32_t node;
            double enter;
        };
        Entry stack[most_depth];
        std::size_t top = 0;
        float most = 1.0f;
        const double at_root = moving.enter(nodes_[0].box(), 1.0);
        if (at_root < 0.0) return;
        stack[top++] = {0, at_root};
        while (top > 0) {
            const Entry entry = stack[--top];
            if (entry.enter > static_cast<double>(most)) continue;
            const Node& node = nodes_[entry.node];
            if (node.count != 0) {
                for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
                    if (moving.enter(box_of(t), static_cast<double>(most)) < 0.0) continue;
                    most = visit(t, most);
                    if (!(most >= 0.0f)) return;
                }
                continue;
            }
            const double left = moving.enter(nodes_[node.first].box(), static_cast<double>(most));
            const double right = moving.enter(nodes_[node.first + 1].box(), static_cast<double>(most));
            const bool left_first = right < 0.0 || (left >= 0.0 && left <= right);
            const Entry near{left_first ? node.first : node.first + 1, left_first ? left : right};
            const Entry far{left_first ? node.first + 1 : node.first, left_first ? right : left};
            if (far.enter >= 0.0) stack[top++] = far;
            if (near.enter >= 0.0) stack[top++] = near;
        }
    }

    void around(std::uint32_t t, int corner, PointVisitor visit) const override {
        constexpr int most_steps = 4096;  // a limit, for links that do not lead around the corner
        const auto c = static_cast<std::size_t>(corner);
        const std::uint32_t v = corners_[t][c];
        for (const std::size_t side : {(c + 1) % 3, (c + 2) % 3}) visit(vertices_[corners_[t][side]]);
        for (const std::size_t side : {(c + 1) % 3, (c + 2) % 3}) {
            std::uint32_t at = t, edge_end = corners_[t][side];
            for (int k = 0; k < most_steps; ++k) {
                const std::uint32_t next = across(at, v, edge_end);
                if (next == nobody) break;  // the sheet ends here: go around in the opposite direction
                if (next == t) return;
                at = next;
                for (const std::uint32_t u : corners_[at]) {
                    if (u == v || u == edge_end) continue;
                    edge_end = u;
                    break;
                }
                visit(vertices_[edge_end]);
            }
        }
    }

    std::size_t bytes() const override {
        return vertices_.capacity() * sizeof(vec3) + corners_.capacity() * sizeof(Corners) +
               sides_.capacity() * sizeof(Sides) + sources_.capacity() * sizeof(std::uint32_t) + materials_.capacity() +
               nodes_.capacity() * sizeof(Node);
    }

private:
    static constexpr std::size_t most_depth = 64;
    static constexpr std::uint32_t leaf_size = 4;
    static constexpr int bins = 12;

    /// Inner nodes have no triangles: their children are `first` and `first + 1`.
    struct Node {
        vec3 lower;
        std::uint32_t first;
        vec3 upper;
        std::uint32_t count;
        Aabb box() const { return {lower, upper}; }
    };
    /// Across the edge from corner i to the next: the neighbour and its own corner; if there is none, `nobody` and the
    /// triangle's own third corner.
    struct Sides {
        Corners neighbour, beyond;
    };

    std::vector<vec3> vertices_;
    std::vector<Corners> corners_;
    std::vector<Sides> sides_;
    std::vector<std::uint32_t> sources_;
    std::vector<std::uint8_t> materials_;
    std::vector<Node> nodes_;

    Aabb box_of(std::uint32_t t) const {
        const Corners& c = corners_[t];
        return talus::box_of(vertices_[c[0]], vertices_[c[1]], vertices_[c[2]]);
    }
    glm::dvec3 normal_of(std::uint32_t t) const {
        const glm::dvec3 a(vertices_[corners_[t][0]]), b(vertices_[corners_[t][1]]), c(vertices_[corners_[t][2]]);
        const glm::dvec3 n = glm::cross(b - a, c - a);
        return n / std::sqrt(glm::dot(n, n));
    }
    /// Returns the neighbour across the edge between two corners.
    std::uint32_t across(std::uint32_t t, std::uint32_t u, std::uint32_t v) const {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t p = corners_[t][i], q = corners_[t][(i + 1) % 3];
            if ((p == u && q == v) || (p == v && q == u)) return sides_[t].neighbour[i];
        }
        return nobody;
    }

    /// Reads what write() has written. The bytes fail if it is no mesh.
    void read(ByteReader& bytes) {
        std::uint32_t node_count = 0;
        bytes(vertices_, corners_, sources_, materials_, two_sided_, node_count);
        if (bytes.failed()) return;
        size_ = static_cast<std::uint32_t>(corners_.size());
        const bool fits = size_ > 0 && corners_.size() < nobody && vertices_.size() < nobody &&
                          sources_.size() == size_ && (materials_.empty() || materials_.size() == size_);
        if (!bytes.expect(fits, "the lists of a mesh differ in length")) return;
        if (!bytes.expect(node_count > 0 && node_count <= bytes.left() / 8, "the tree of a mesh has a wrong size"))
            return;
        for (const vec3& v : vertices_) {
            const vec3 far = glm::abs(v);
            if (!bytes.expect(std::max({far.x, far.y, far.z}) <= largest_size, "a vertex of a mesh is too far out"))
                return;
        }
        for (const Corners& c : corners_) {
            const auto last = static_cast<std::uint32_t>(vertices_.size());
            if (!bytes.expect(c[0] < last && c[1] < last && c[2] < last, "a mesh has no such vertex")) return;
            const vec3& p = vertices_[c[0]];
            if (!bytes.expect(!check(talus::triangle(vec3(0.0f), vertices_[c[1]] - p, vertices_[c[2]] - p)),
                              "a triangle of a mesh has no area"))
                return;
        }
        for (const std::uint8_t m : materials_) material_count_ = std::max(material_count_, m + 1u);
        nodes_.resize(node_count);
        for (Node& node : nodes_) bytes(node.first, node.count);
        if (bytes.failed() || !bytes.expect(fit_tree(), "the tree of a mesh is wrong")) return;
        bounds_ = nodes_[0].box();
        find_neighbours();
    }

    /// Finds the boxes of the tree's nodes. Returns false if it is not a tree over all triangles, from left to right.
    bool fit_tree() {
        std::vector<std::uint8_t> depth(nodes_.size(), 0);
        std::size_t children = 1;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            if (node.count != 0) continue;
            if (node.first <= i || node.first + std::size_t{1} >= nodes_.size()) return false;
            for (const std::size_t child : {node.first + std::size_t{0}, node.first + std::size_t{1}}) {
                if (depth[child] != 0 || depth[i] + 2u >= most_depth) return false;
                depth[child] = static_cast<std::uint8_t>(depth[i] + 1);
                ++children;
            }
        }
        if (children != nodes_.size()) return false;
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            Node& node = nodes_[i];
            Aabb box;
            if (node.count == 0) {
                box = merge(nodes_[node.first].box(), nodes_[node.first + 1].box());
            } else {
                if (node.first >= size_ || node.count > size_ - node.first) return false;
                box = box_of(node.first);
                for (std::uint32_t t = node.first + 1; t < node.first + node.count; ++t) box = merge(box, box_of(t));
            }
            node.lower = box.lower;
            node.upper = box.upper;
        }
        // The leaves, from left to right.
        std::uint32_t next = 0, stack[most_depth];
        std::size_t top = 0;
        stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes_[stack[--top]];
            if (node.count == 0) {
                stack[top++] = node.first + 1;
                stack[top++] = node.first;
            } else {
                if (node.first != next) return false;
                next += node.count;
            }
        }
        return next == size_;
    }

    /// Builds the tree from the root down, by the surface area heuristic over bins of the boxes' middles (Wald 2007).
    /// If there is only one bin, or the tree has become deep, it divides into equal halves.
    void build_tree() {
        struct Item {
            Aabb box;
            vec3 middle;
            std::uint32_t triangle;
        };
        struct Range {
            std::uint32_t node, first, last;
            int depth;
        };
        std::vector<Item> items(size_);
        for (std::uint32_t t = 0; t < size_; ++t) {
            const Aabb box = box_of(t);
            items[t] = {box, center(box), t};
        }
        nodes_.reserve(size_);
        nodes_.push_back({});
        std::vector<Range> ranges{{0, 0, size_, 0}};
        while (!ranges.empty()) {
            const Range range = ranges.back();
            ranges.pop_back();
            const auto begin = items.begin() + range.first, end = items.begin() + range.last;
            Aabb box = begin->box, middles{begin->middle, begin->middle};
            for (auto item = begin; item != end; ++item) {
                box = merge(box, item->box);
                middles = merge(middles, {item->middle, item->middle});
            }
            const std::uint32_t count = range.last - range.first;
            nodes_[range.node] = {box.lower, range.first, box.upper, count};
            if (count <= leaf_size) continue;
            const vec3 extent = middles.upper - middles.lower;
            const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
            auto cut = begin;
            const float low = middles.lower[axis], scale = static_cast<float>(bins) / extent[axis];
            if (extent[axis] > 0.0f && is_finite(scale) && range.depth < 32) {
                const auto bin_of = [&](const Item& item) {
                    return std::min(static_cast<int>((item.middle[axis] - low) * scale), bins - 1);
                };
                const int best = best_cut(begin, end, bin_of);
                cut = std::partition(begin, end, [&](const Item& item) { return bin_of(item) < best; });
            }
            if (cut == begin || cut == end) {
                cut = begin + count / 2;
                std::nth_element(begin, cut, end, [&](const Item& a, const Item& b) {
                    return a.middle[axis] != b.middle[axis] ? a.middle[axis] < b.middle[axis] : a.triangle < b.triangle;
                });
            }
            const auto child = static_cast<std::uint32_t>(nodes_.size());
            const std::uint32_t middle = range.first + static_cast<std::uint32_t>(cut - begin);
            nodes_.push_back({});
            nodes_.push_back({});
            nodes_[range.node].first = child;
            nodes_[range.node].count = 0;
            ranges.push_back({child, range.first, middle, range.depth + 1});
            ranges.push_back({child + 1, middle, range.last, range.depth + 1});
        }
        nodes_.shrink_to_fit();
        const auto arrange = [&](auto& list) {
            auto sorted = list;
            for (std::uint32_t t = 0; t < size_; ++t) sorted[t] = list[items[t].triangle];
            list = std::move(sorted);
        };
        arrange(corners_);
        arrange(sources_);
        if (!materials_.empty()) arrange(materials_);
    }

    /// Returns the first bin of the right half.
    template <class Iterator, class BinOf>
    static int best_cut(Iterator begin, Iterator end, const BinOf& bin_of) {
        std::array<Aabb, bins> boxes{};
        std::array<std::uint32_t, bins> counts{};
        for (auto item = begin; item != end; ++item) {
            const auto k = static_cast<std::size_t>(bin_of(*item));
            boxes[k] = counts[k]++ == 0 ? item->box : merge(boxes[k], item->box);
        }
        // The cost of all triangles from a bin on, from the right.
        const auto area = [](const Aabb& box) {
            const vec3 e = box.upper - box.lower;
            return e.x * e.y + e.y * e.z + e.z * e.x;
        };
        std::array<float, bins> right{};
        const auto sweep = [&](int from, int to, int step, const auto& visit) {
            Aabb box{};
            std::uint32_t count = 0;
            for (int k = from; k != to; k += step) {
                const auto i = static_cast<std::size_t>(k);
                if (counts[i] != 0) box = count == 0 ? boxes[i] : merge(box, boxes[i]);
                count += counts[i];
                visit(k, count == 0 ? 0.0f : area(box) * static_cast<float>(count));
            }
        };
        sweep(bins - 1, 0, -1, [&](int k, float cost) { right[static_cast<std::size_t>(k)] = cost; });
        int best = bins / 2;
        float least = std::numeric_limits<float>::infinity();
        sweep(0, bins - 1, 1, [&](int k, float cost) {
            const float both = cost + right[static_cast<std::size_t>(k) + 1];
            if (both < least) least = both, best = k + 1;
        });
        return best;
    }

    void find_neighbours() {
        struct Edge {
            std::uint32_t low, high;  ///< corners
            std::uint32_t triangle;
            std::uint8_t side;
            bool rising;  ///< from low to high
        };
        std::vector<Edge> edges;
        edges.reserve(3 * static_cast<std::size_t>(size_));
        for (std::uint32_t t = 0; t < size_; ++t) {
            for (std::size_t i = 0; i < 3; ++i) {
                const std::uint32_t p = corners_[t][i], q = corners_[t][(i + 1) % 3];
                edges.push_back({std::min(p, q), std::max(p, q), t, static_cast<std::uint8_t>(i), p < q});
            }
        }
        std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
            return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
        });
        sides_.resize(size_);
        for (std::size_t first = 0; first < edges.size();) {
            std::size_t last = first + 1;
            while (last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high)
                ++last;
            for (std::size_t i = first; i < last; ++i) {
                const Edge& own = edges[i];
                Sides& sides = sides_[own.triangle];
                sides.neighbour[own.side] = nobody;
                sides.beyond[own.side] = third_corner(own.triangle, own.side);
                double most = -std::numeric_limits<double>::infinity();
                for (std::size_t k = first; k < last; ++k) {
                    const Edge& other = edges[k];
                    if (k == i || (!two_sided_ && other.rising == own.rising)) continue;
                    const std::uint32_t corner = third_corner(other.triangle, other.side);
                    const double rise = rise_of(own.triangle, own.side, corner);
                    if (rise <= most) continue;
                    most = rise;
                    sides.neighbour[own.side] = other.triangle;
                    sides.beyond[own.side] = corner;
                }
            }
            first = last;
        }
    }

    std::uint32_t third_corner(std::uint32_t t, std::size_t side) const { return corners_[t][(side + 2) % 3]; }

    /// Returns a number that increases with the angle by which a neighbour with that corner rises: from -2 (folded back
    /// under the triangle) to 2 (folded onto its front).
    double rise_of(std::uint32_t t, std::size_t side, std::uint32_t corner) const {
        const glm::dvec3 p(vertices_[corners_[t][side]]), q(vertices_[corners_[t][(side + 1) % 3]]);
        const glm::dvec3 n = normal_of(t), out = glm::normalize(glm::cross(q - p, n));
        const glm::dvec3 to_corner = glm::dvec3(vertices_[corner]) - p;
        const double up = glm::dot(to_corner, n), along = glm::dot(to_corner, out);
        const double size = std::sqrt(up * up + along * along);
        if (!(size > 0.0)) return -2.0;
        const double c = along / size;
        constexpr double folded = 1e-4;  // for rounding: the back of a sheet is under it, not above
        if (up < 0.0 || (c < 0.0 && up < folded * size)) return c - 1.0;
        return 1.0 - c;
    }
};

}  // namespace

Result<std::shared_ptr<const TriangleSet>> make_mesh(const MeshDef& def) {
    if (!def.materials.empty() && 3 * def.materials.size() != def.indices.size())
        return mesh_refused(ErrorCode::bad_argument, "there are " + std::to_string(def.materials.size()) +
                                                         " materials and " + std::to_string(def.indices.size()) +
                                                         " indices; give one material for each three indices, or none");
    CleanTriangles cleaned;
    if (Error error = clean_triangles(def.vertices, def.indices, true, cleaned)) return error;
    std::vector<std::uint8_t> materials;
    if (!def.materials.empty()) {
        for (const std::uint32_t source : cleaned.sources) materials.push_back(def.materials[source]);
    }
    return std::shared_ptr<const TriangleSet>(
        std::make_shared<const Mesh>(std::move(cleaned.vertices), std::move(cleaned.corners),
                                     std::move(cleaned.sources), std::move(materials), def.two_sided));
}

namespace detail {

bool write_mesh(ByteWriter& bytes, const TriangleSet& set) {
    const auto* const mesh = dynamic_cast<const Mesh*>(&set);
    if (mesh != nullptr) mesh->write(bytes);
    return mesh != nullptr;
}

std::shared_ptr<const TriangleSet> read_mesh(ByteReader& bytes) {
    auto mesh = std::make_shared<const Mesh>(bytes);
    return bytes.failed() ? nullptr : std::move(mesh);
}

}  // namespace detail

Result<MassProperties> mesh_mass_properties(std::span<const vec3> vertices, std::span<const std::uint32_t> indices,
                                            float density) {
    if (!(density > 0.0f) || !is_finite(density))
        return mesh_refused(is_finite(density) ? ErrorCode::bad_size : ErrorCode::not_finite,
                            "its density is " + text(density) + "; it must be positive and finite (kg/m^3)");
    CleanTriangles cleaned;
    if (Error error = clean_triangles(vertices, indices, false, cleaned))
        return error;  // thin triangles are kept, because they may close the mesh
    // Each edge must be there as often in one direction as in the other. Else there is a hole, or a triangle faces the
    // wrong way.
    struct Edge {
        std::uint32_t low, high;
        int sign;
    };
    std::vector<Edge> edges;
    glm::dvec3 middle(0.0);
    for (const Corners& c : cleaned.corners) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t p = c[i], q = c[(i + 1) % 3];
            edges.push_back({std::min(p, q), std::max(p, q), p < q ? 1 : -1});
            middle += glm::dvec3(vertices[p]);
        }
    }
    middle /= static_cast<double>(edges.size());
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
    for (std::size_t first = 0; first < edges.size();) {
        std::size_t last = first;
        int sum = 0;
        for (; last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high;
             ++last)
            sum += edges[last].sign;
        if (sum != 0) {
            return mesh_refused(ErrorCode::degenerate_shape,
                                "it is not closed, or a triangle faces inward, at the edge between vertices " +
                                    std::to_string(edges[first].low) + " and " + std::to_string(edges[first].high));
        }
        first = last;
    }
    Moments moments;  // about the middle: far from the origin they would be differences of large numbers
    for (const Corners& c : cleaned.corners) {
        moments.add_tetrahedron(glm::dvec3(vertices[c[0]]) - middle, glm::dvec3(vertices[c[1]]) - middle,
                                glm::dvec3(vertices[c[2]]) - middle);
    }
    if (!(moments.volume > 0.0))
        return mesh_refused(ErrorCode::degenerate_shape, "it has no volume, or all its triangles face inward");
    const auto mass = static_cast<double>(density);
    const MassProperties result{static_cast<float>(mass * moments.volume), vec3(moments.center() + middle),
                                round_inertia(mass * moments.inertia())};
    const mat3& m = result.inertia;
    if (!is_finite(result.mass) || !is_finite(m[0]) || !is_finite(m[1]) || !is_finite(m[2]))
        return mesh_refused(ErrorCode::bad_size, "its density is " + text(density) + " kg/m^3 and its volume about " +
                                                     text(static_cast<float>(moments.volume)) +
                                                     " m^3; mass and inertia must be within the range of float");
    return result;
}

}  // namespace talus
