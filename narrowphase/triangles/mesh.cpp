#include <talus/narrowphase/triangles/mesh.h>

#include "narrowphase/nonconvex/feature_contacts.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/triangles/by_vertex.h"
#include "narrowphase/triangles/clean_triangles.h"
#include "narrowphase/triangles/edge_links.h"
#include "narrowphase/triangles/ray_on_triangles.h"
#include "narrowphase/triangles/triangle_bytes.h"
#include "narrowphase/triangles/triangle_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

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
        const std::vector<std::uint32_t> order = build_tree();
        const auto arrange = [&](auto& list) {
            auto sorted = list;
            for (std::uint32_t t = 0; t < size_; ++t) sorted[t] = list[order[t]];
            list = std::move(sorted);
        };
        arrange(corners_);
        arrange(sources_);
        if (!materials_.empty()) arrange(materials_);
        find_neighbours();
    }
    /// Reads a mesh; if the bytes fail, it must not be used.
    explicit Mesh(ByteReader& bytes) { read(bytes); }

    /// Makes it the boundary of a solid. `mass`: at a density of 1 kg/m^3.
    void set_solid(const MassProperties& mass) {
        double area = 0.0;
        for (std::uint32_t t = 0; t < size_; ++t) {
            const glm::dvec3 n = across_of(t);
            area += 0.5 * std::sqrt(glm::dot(n, n));
        }
        solid_mass_ = mass;
        solid_thickness_ = static_cast<float>(2.0 * static_cast<double>(mass.mass) / area);
        const auto features = std::make_shared<SurfaceFeatures>();
        std::vector<std::uint32_t> all(size_);
        for (std::uint32_t t = 0; t < size_; ++t) all[t] = t;
        features->collect(*this, all);
        features->find_depths(*this);
        features->fit_tree();
        solid_features_ = features;
    }

    void write(ByteWriter& bytes) const {
        bytes(vertices_, corners_, sources_, materials_, two_sided_, solid_mass_.mass, solid_mass_.center,
              solid_mass_.inertia);
    }

    SetTriangle triangle(std::uint32_t t) const override {
        SetTriangle s;
        for (std::size_t i = 0; i < 3; ++i) {
            s.points[i] = vertices_[corners_[t][i]];
            s.beyond[i] = vertices_[corner_beyond(t, i)];
        }
        s.normal = vec3(normal_of(t));
        s.material = materials_.empty() ? 0u : materials_[t];
        return s;
    }
    std::array<vec3, 3> points(std::uint32_t t) const override {
        const Corners& c = corners_[t];
        return {vertices_[c[0]], vertices_[c[1]], vertices_[c[2]]};
    }
    std::uint32_t source(std::uint32_t t) const override { return sources_[t]; }

    void find(const Aabb& box, std::vector<std::uint32_t>& found) const override {
        if (!is_finite(box.lower) || !is_finite(box.upper)) return;
        const Float4 lower = xyz0(box.lower), upper = xyz0(box.upper);
        tree_.find(box, [&](std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t t = first; t < last; ++t) {
                const BoxCorners c = corners_of_box(t);
                if (lane_bits((c.low <= upper) & (c.high >= lower)) == 15) found.push_back(t);
            }
        });
    }

    void cast(const vec3& origin, const vec3& translation, const vec3& half, CastVisitor visit) const override {
        const BoxWay way(origin, translation, half, bounds_);
        tree_.cast(way, [&](std::uint32_t first, std::uint32_t last, float most) {
            for (std::uint32_t t = first; t < last && most >= 0.0f; ++t) {
                const BoxCorners c = corners_of_box(t);
                if (way.touches(c.low, c.high, most)) most = visit(t, most);
            }
            return most;
        });
    }

    TriangleRayHit first_hit(const vec3& origin, const vec3& translation) const override {
        FirstHit first(origin, translation, two_sided_);
        const BoxWay way(origin, translation, vec3(0.0f), bounds_);
        tree_.cast(way, [&, vertices = vertices_.data(), corners = corners_.data()](std::uint32_t begin,
                                                                                    std::uint32_t end, float most) {
            const auto corners_of = [&](std::uint32_t t) -> ShearedRay::Corners {
                const Corners& c = corners[t];
                return {&vertices[c[0]].x, &vertices[c[1]].x, &vertices[c[2]].x};
            };
            // Two at a time. Where there is no second one, the first one is tested again.
            for (std::uint32_t t = begin; t < end; t += 2) {
                const bool two = t + 1 < end;
                const ShearedRay::Hits hits = first.ray.meet(corners_of(t), corners_of(two ? t + 1 : t));
                for (unsigned lanes = hits.lanes & (two ? 3u : 1u); lanes != 0; lanes &= lanes - 1) {
                    const unsigned k = (lanes & 1u) != 0 ? 0 : 1;
                    most = first.offer(t + k, hits.fractions[k], most, [&] { return vec3(normal_of(t + k)); });
                }
            }
            return most;
        });
        return first.hit;
    }

    void approach(const vec3& point, float max_distance, ApproachVisitor visit) const override {
        const Float4 p = xyz0(point);
        // A little more than the square, so that rounding leaves out none. It may be infinite.
        const auto square = [](float distance) { return (1.0f + 1e-5f) * distance * distance; };
        tree_.approach(point, square(max_distance), [&](std::uint32_t first, std::uint32_t last, float most2) {
            for (std::uint32_t t = first; t < last; ++t) {
                const BoxCorners c = corners_of_box(t);
                const Float4 gap = max_lanes(max_lanes(c.low - p, p - c.high), Float4{}), square_gap = gap * gap;
                if (square_gap[0] + square_gap[1] + square_gap[2] > most2) continue;
                max_distance = visit(t, max_distance);
                most2 = square(max_distance);
            }
            return most2;
        });
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
        return vertices_.capacity() * sizeof(vec3) + corners_.capacity() * sizeof(Corners) + links_.bytes() +
               sources_.capacity() * sizeof(std::uint32_t) + materials_.capacity() + tree_.bytes() +
               (solid_features_ ? solid_features_->bytes() : 0);
    }

private:
    std::vector<vec3> vertices_;
    std::vector<Corners> corners_;
    EdgeLinks links_;  ///< edge i leads from corner i to the next
    std::vector<std::uint32_t> sources_;
    std::vector<std::uint8_t> materials_;
    TriangleTree tree_;

    Aabb box_of(std::uint32_t t) const {
        const Corners& c = corners_[t];
        return talus::box_of(vertices_[c[0]], vertices_[c[1]], vertices_[c[2]]);
    }
    /// The same as lanes.
    struct BoxCorners {
        Float4 low, high;
    };
    BoxCorners corners_of_box(std::uint32_t t) const {
        const Corners& c = corners_[t];
        const Float4 p = xyz0(vertices_[c[0]]), q = xyz0(vertices_[c[1]]), r = xyz0(vertices_[c[2]]);
        return {min_lanes(p, min_lanes(q, r)), max_lanes(p, max_lanes(q, r))};
    }
    glm::dvec3 normal_of(std::uint32_t t) const {
        const glm::dvec3 n = across_of(t);
        return n / std::sqrt(glm::dot(n, n));
    }
    /// Returns the normal, as long as twice the area.
    glm::dvec3 across_of(std::uint32_t t) const {
        const glm::dvec3 a(vertices_[corners_[t][0]]), b(vertices_[corners_[t][1]]), c(vertices_[corners_[t][2]]);
        return glm::cross(b - a, c - a);
    }
    /// Returns the neighbour across the edge between two corners.
    std::uint32_t across(std::uint32_t t, std::uint32_t u, std::uint32_t v) const {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t p = corners_[t][i], q = corners_[t][(i + 1) % 3];
            if (!((p == u && q == v) || (p == v && q == u))) continue;
            return links_.get(t, i).triangle;
        }
        return nobody;
    }

    /// Reads what write() has written. The bytes fail if it is no mesh.
    void read(ByteReader& bytes) {
        MassProperties mass;
        bytes(vertices_, corners_, sources_, materials_, two_sided_, mass.mass, mass.center, mass.inertia);
        if (bytes.failed()) return;
        size_ = static_cast<std::uint32_t>(corners_.size());
        const bool fits = size_ > 0 && corners_.size() <= TriangleTree::most_triangles && vertices_.size() < nobody &&
                          sources_.size() == size_ && (materials_.empty() || materials_.size() == size_);
        if (!bytes.expect(fits, "the lists of a mesh differ in length")) return;
        for (const vec3& v : vertices_) {
            const vec3 far = absolute(v);
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
        const std::vector<std::uint32_t> order = build_tree();
        const bool in_order = std::is_sorted(order.begin(), order.end());
        if (!bytes.expect(in_order, "the triangles of a mesh are not in the order of its tree")) return;
        find_neighbours();
        if (mass.mass == 0.0f) return;
        const mat3& m = mass.inertia;
        const bool is_usable = mass.mass > 0.0f && is_finite(mass.mass) && is_finite(mass.center) && is_finite(m[0]) &&
                               is_finite(m[1]) && is_finite(m[2]) && !two_sided_;
        if (bytes.expect(is_usable, "the mass of a solid is wrong")) set_solid(mass);
    }

    /// Returns the order that the triangles must get.
    std::vector<std::uint32_t> build_tree() {
        std::vector<Aabb> boxes(size_);
        for (std::uint32_t t = 0; t < size_; ++t) boxes[t] = box_of(t);
        std::vector<std::uint32_t> order = tree_.build(boxes);
        bounds_ = tree_.bounds();
        return order;
    }

    /// Edges, 3 per triangle, are collected by their lower vertex; then the few at each vertex are compared.
    void find_neighbours() {
        links_.reset(size_);
        const auto from = [&](std::uint32_t edge) { return corners_[edge / 3][edge % 3]; };
        const auto to = [&](std::uint32_t edge) { return corners_[edge / 3][(edge % 3 + 1) % 3]; };
        const auto low = [&](std::uint32_t edge) { return std::min(from(edge), to(edge)); };
        const auto high = [&](std::uint32_t edge) { return std::max(from(edge), to(edge)); };
        ByVertex edges(vertices_.size(), 3 * size_, low);
        for (std::size_t v = 0; v < edges.vertices(); ++v) {
            const std::span<std::uint32_t> here = edges[v];
            std::sort(here.begin(), here.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return high(a) != high(b) ? high(a) < high(b) : a < b; });
            for (std::size_t first = 0; first < here.size();) {
                std::size_t last = first + 1;
                while (last < here.size() && high(here[last]) == high(here[first])) ++last;
                const std::span<const std::uint32_t> same = here.subspan(first, last - first);
                if (same.size() <= EdgeFan::few) {
                    for (const std::uint32_t own : same) set_neighbour(own, same, from);
                } else {
                    const EdgeFan fan(*this, same);
                    for (const std::uint32_t own : same) set_neighbour(own, fan.candidates(own), from);
                }
                first = last;
            }
        }
        links_.finish();
    }

    /// Many triangles at one edge, by their angles around it. The one that rises most from a triangle is the next one
    /// on its front's side, so not each must be compared with each.
    class EdgeFan {
    public:
        static constexpr std::size_t few = 16;

        EdgeFan(const Mesh& mesh, std::span<const std::uint32_t> edges) : mesh_(mesh) {
            const auto [p, q] = ends(edges[0]);
            axis_ = glm::normalize(q - p);
            first_ = glm::normalize(across(edges[0]));
            for (const std::uint32_t edge : edges) {
                const double at = angle(edge);
                if (mesh.two_sided_ || !rises(edge)) of_falling_.push_back({at, edge});
                if (mesh.two_sided_ || rises(edge)) of_rising_.push_back({at, edge});
            }
            std::sort(of_falling_.begin(), of_falling_.end());
            std::sort(of_rising_.begin(), of_rising_.end());
        }

        /// Returns a few triangles, of which one is the neighbour: the next ones from its own angle on, and from the
        /// angle on from which a triangle counts as above its front (rise_of).
        std::span<const std::uint32_t> candidates(std::uint32_t own) const {
            const auto& others = rises(own) ? of_falling_ : of_rising_;
            candidates_.clear();
            if (others.empty()) return candidates_;
            const double side = rises(own) ? 1.0 : -1.0;
            for (const double beyond : {0.0, 1.1e-4}) {
                double from = angle(own) + side * beyond;
                from -= 4.0 * std::floor(0.25 * from);
                const std::size_t n = others.size();
                auto at = static_cast<std::size_t>(std::lower_bound(others.begin(), others.end(), At{from, 0}) -
                                                   others.begin());
                for (std::size_t k = 0; k < std::min<std::size_t>(n, 6); ++k) {
                    // To the other side, the first one is the one before.
                    const std::size_t i = side > 0.0 ? at + k : at + 2 * n - 1 - k;
                    candidates_.push_back(others[i % n].edge);
                }
            }
            std::sort(candidates_.begin(), candidates_.end());
            candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
            return candidates_;
        }

    private:
        struct At {
            double angle;
            std::uint32_t edge;
            bool operator<(const At& b) const { return angle != b.angle ? angle < b.angle : edge < b.edge; }
        };

        std::pair<glm::dvec3, glm::dvec3> ends(std::uint32_t edge) const {
            const Corners& c = mesh_.corners_[edge / 3];
            const std::uint32_t p = c[edge % 3], q = c[(edge % 3 + 1) % 3];
            return {glm::dvec3(mesh_.vertices_[std::min(p, q)]), glm::dvec3(mesh_.vertices_[std::max(p, q)])};
        }
        bool rises(std::uint32_t edge) const {
            const Corners& c = mesh_.corners_[edge / 3];
            return c[edge % 3] < c[(edge % 3 + 1) % 3];
        }
        /// Returns the way from the edge to the third corner.
        glm::dvec3 across(std::uint32_t edge) const {
            const glm::dvec3 to(mesh_.vertices_[mesh_.third_corner(edge / 3, edge % 3)]);
            const glm::dvec3 v = to - ends(edge).first;
            return v - glm::dot(v, axis_) * axis_;
        }
        /// Returns a number from 0 to 4 that increases with the angle, a quarter turn for each 1.
        double angle(std::uint32_t edge) const {
            const glm::dvec3 v = across(edge);
            const double x = glm::dot(v, first_), y = glm::dot(v, glm::cross(axis_, first_));
            const double size = std::abs(x) + std::abs(y), part = size > 0.0 ? y / size : 0.0;
            return x < 0.0 ? 2.0 - part : y < 0.0 ? 4.0 + part : part;
        }

        const Mesh& mesh_;
        glm::dvec3 axis_{0.0}, first_{0.0};
        std::vector<At> of_rising_, of_falling_;
        mutable std::vector<std::uint32_t> candidates_;
    };

    /// Chooses the neighbour across an edge: of the triangles at it, the one that rises most. On a one-sided mesh,
    /// neighbours have the edge in the opposite direction.
    template <class From>
    void set_neighbour(std::uint32_t own, std::span<const std::uint32_t> same, const From& from) {
        const auto rise = [&](std::uint32_t other) {
            return rise_of(own / 3, own % 3, third_corner(other / 3, other % 3));
        };
        std::uint32_t best = nobody;
        for (const std::uint32_t other : same) {
            if (other == own || (!two_sided_ && from(other) == from(own))) continue;
            if (best == nobody || rise(other) > rise(best)) best = other;
        }
        if (best != nobody) links_.set(own / 3, own % 3, {best / 3, best % 3});
    }

    /// Returns the corner beyond an edge: the neighbour's; if there is none, the triangle's own third corner.
    std::uint32_t corner_beyond(std::uint32_t t, std::size_t side) const {
        const EdgeLink link = links_.get(t, side);
        return link.triangle == nobody ? third_corner(t, side) : third_corner(link.triangle, link.edge);
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
    if (def.solid && def.two_sided)
        return mesh_refused(ErrorCode::bad_argument, "solid and two_sided are both set; a solid is one-sided");
    CleanTriangles cleaned;
    if (Error error = clean_triangles(def.vertices, def.indices, true, cleaned)) return error;
    MassProperties mass;
    if (def.solid) {
        const Result<MassProperties> of_solid = mesh_mass_properties(def.vertices, def.indices, 1.0f);
        if (!of_solid) return of_solid.error();
        mass = *of_solid;
    }
    std::vector<std::uint8_t> materials;
    if (!def.materials.empty()) {
        for (const std::uint32_t source : cleaned.sources) materials.push_back(def.materials[source]);
    }
    auto mesh = std::make_shared<Mesh>(std::move(cleaned.vertices), std::move(cleaned.corners),
                                       std::move(cleaned.sources), std::move(materials), def.two_sided);
    if (def.solid) mesh->set_solid(mass);
    return std::shared_ptr<const TriangleSet>(std::move(mesh));
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

}  // namespace talus
