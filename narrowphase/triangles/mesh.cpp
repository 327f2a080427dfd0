#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/height_field.h>

#include <talus/narrowphase/shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace talus {

namespace {

class Mesh final : public TriangleSet {
public:
    std::vector<vec3> points;
    std::vector<std::array<std::uint32_t, 3>> corners;
    std::vector<std::array<std::uint32_t, 3>> next;  // neighbour across edge i, or own
    std::vector<std::uint32_t> sources;
    std::vector<std::uint8_t> materials;
    struct Node {
        Aabb box;
        std::uint32_t first, count;  // count 0: inner, children at first and first + 1
    };
    std::vector<Node> nodes;

    Aabb box_of(std::uint32_t t) const {
        const vec3 &a = points[corners[t][0]], &b = points[corners[t][1]], &c = points[corners[t][2]];
        return {glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c))};
    }
    SetTriangle triangle(std::uint32_t t) const override {
        SetTriangle s;
        for (int i = 0; i < 3; ++i) s.points[i] = points[corners[t][static_cast<std::size_t>(i)]];
        s.normal = glm::normalize(glm::cross(s.points[1] - s.points[0], s.points[2] - s.points[0]));
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t n = next[t][i];
            s.beyond[i] = s.points[(i + 2) % 3];
            if (n == t) continue;
            for (const std::uint32_t v : corners[n]) {
                if (v != corners[t][i] && v != corners[t][(i + 1) % 3]) s.beyond[i] = points[v];
            }
        }
        s.material = materials.empty() ? 0 : materials[t];
        return s;
    }
    std::uint32_t source(std::uint32_t t) const override { return sources[t]; }
    void find(const Aabb& box, std::vector<std::uint32_t>& found) const override {
        const std::size_t begin = found.size();
        std::uint32_t stack[64];
        int top = 0;
        stack[top++] = 0;
        while (top > 0) {
            const Node& node = nodes[stack[--top]];
            if (!overlaps(node.box, box)) continue;
            if (node.count == 0) {
                stack[top++] = node.first;
                stack[top++] = node.first + 1;
                continue;
            }
            for (std::uint32_t t = node.first; t < node.first + node.count; ++t)
                if (overlaps(box_of(t), box)) found.push_back(t);
        }
        std::sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end());
    }
    void cast(const vec3&, const vec3&, const vec3&, CastVisitor) const override {}
    void around(std::uint32_t t, int corner, PointVisitor visit) const override {
        const std::uint32_t v = corners[t][static_cast<std::size_t>(corner)];
        // Both ways round, as far as neighbours go.
        for (const int way : {0, 1}) {
            std::uint32_t at = t;
            for (int k = 0; k < 64; ++k) {
                const auto& c = corners[at];
                const std::size_t i = c[0] == v ? 0 : c[1] == v ? 1 : 2;
                visit(points[c[(i + 1) % 3]]);
                visit(points[c[(i + 2) % 3]]);
                const std::uint32_t n = way == 0 ? next[at][i] : next[at][(i + 2) % 3];
                if (n == at || n == t) break;
                at = n;
            }
        }
    }
    std::size_t bytes() const override { return nodes.capacity() * sizeof(Node) + corners.capacity() * 28; }

    void finish(bool two_sided, std::span<const std::uint8_t> given) {
        two_sided_ = two_sided;
        size_ = static_cast<std::uint32_t>(corners.size());
        sources.resize(size_);
        for (std::uint32_t t = 0; t < size_; ++t) sources[t] = t;
        nodes.push_back({});
        build(0, 0, size_);
        bounds_ = nodes[0].box;
        std::vector<std::array<std::uint32_t, 3>> sorted(size_);
        for (std::uint32_t t = 0; t < size_; ++t) sorted[t] = corners[sources[t]];
        corners = sorted;
        if (!given.empty())
            for (std::uint32_t t = 0; t < size_; ++t) materials.push_back(given[sources[t]]);
        for (const std::uint8_t m : materials) material_count_ = std::max(material_count_, m + 1u);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> owner;
        for (std::uint32_t t = 0; t < size_; ++t)
            for (std::size_t i = 0; i < 3; ++i) owner[{corners[t][i], corners[t][(i + 1) % 3]}] = t;
        next.resize(size_);
        for (std::uint32_t t = 0; t < size_; ++t)
            for (std::size_t i = 0; i < 3; ++i) {
                const auto other = owner.find({corners[t][(i + 1) % 3], corners[t][i]});
                next[t][i] = other == owner.end() ? t : other->second;
            }
    }

private:
    void build(std::uint32_t node, std::uint32_t first, std::uint32_t last) {
        const auto old = [&](std::uint32_t k) { return box_of(sources[k]); };
        Aabb box = old(first);
        for (std::uint32_t k = first; k < last; ++k) box = merge(box, old(k));
        nodes[node] = {box, first, last - first};
        if (last - first <= 4) return;
        const vec3 h = half_extents(box);
        const int axis = h.x > h.y ? (h.x > h.z ? 0 : 2) : (h.y > h.z ? 1 : 2);
        const std::uint32_t middle = (first + last) / 2;
        std::nth_element(sources.begin() + first, sources.begin() + middle, sources.begin() + last,
                         [&](std::uint32_t a, std::uint32_t b) { return center(box_of(a))[axis] < center(box_of(b))[axis]; });
        const auto child = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({});
        nodes.push_back({});
        nodes[node].first = child;
        nodes[node].count = 0;
        build(child, first, middle);
        build(child + 1, middle, last);
    }
};

}  // namespace

Result<std::shared_ptr<const TriangleSet>> make_mesh(const MeshDef& def) {
    auto mesh = std::make_shared<Mesh>();
    std::map<std::array<float, 3>, std::uint32_t> number;
    std::vector<std::uint32_t> weld;
    for (const vec3& p : def.vertices) {
        const auto [at, fresh] = number.try_emplace({p.x, p.y, p.z}, static_cast<std::uint32_t>(mesh->points.size()));
        if (fresh) mesh->points.push_back(p);
        weld.push_back(at->second);
    }
    std::vector<std::uint8_t> materials;
    for (std::size_t i = 0; i + 2 < def.indices.size(); i += 3) {
        const std::array<std::uint32_t, 3> c{weld[def.indices[i]], weld[def.indices[i + 1]], weld[def.indices[i + 2]]};
        const vec3 n = glm::cross(mesh->points[c[1]] - mesh->points[c[0]], mesh->points[c[2]] - mesh->points[c[0]]);
        if (!(length_squared(n) > 1e-20f)) continue;
        mesh->corners.push_back(c);
        if (!def.materials.empty()) materials.push_back(def.materials[i / 3]);
    }
    if (mesh->corners.empty()) return Error{ErrorCode::degenerate_shape, "mesh: no triangle has an area"};
    mesh->finish(def.two_sided, materials);
    return std::shared_ptr<const TriangleSet>(mesh);
}

Result<std::shared_ptr<const TriangleSet>> make_height_field(const HeightFieldDef& def) {
    std::vector<vec3> v;
    std::vector<std::uint32_t> index;
    for (std::uint32_t j = 0; j < def.rows; ++j)
        for (std::uint32_t i = 0; i < def.columns; ++i)
            v.push_back({static_cast<float>(i) * def.spacing_x, def.heights[j * def.columns + i], static_cast<float>(j) * def.spacing_z});
    for (std::uint32_t j = 0; j + 1 < def.rows; ++j)
        for (std::uint32_t i = 0; i + 1 < def.columns; ++i) {
            const std::uint32_t a = j * def.columns + i, b = a + 1, c = a + def.columns, d = c + 1;
            for (const std::uint32_t k : {a, c, d, a, d, b}) index.push_back(k);
        }
    return make_mesh({.vertices = v, .indices = index});
}

Result<MassProperties> mesh_mass_properties(std::span<const vec3> v, std::span<const std::uint32_t> f, float density) {
    double volume = 0; glm::dvec3 m(0); glm::dmat3 c(0);
    for (std::size_t i = 0; i + 2 < f.size(); i += 3) {
        const glm::dvec3 p(v[f[i]]), q(v[f[i+1]]), r(v[f[i+2]]);
        const double d = glm::dot(p, glm::cross(q, r));
        volume += d / 6; m += d / 24 * (p + q + r);
        const glm::dvec3 s = p + q + r;
        c += d / 120 * (glm::outerProduct(p, p) + glm::outerProduct(q, q) + glm::outerProduct(r, r) + glm::outerProduct(s, s));
    }
    const glm::dvec3 center = m / volume;
    const glm::dmat3 at = c - volume * glm::outerProduct(center, center);
    const double trace = at[0][0] + at[1][1] + at[2][2];
    MassProperties out;
    out.mass = static_cast<float>(density * volume); out.center = vec3(center);
    out.inertia = mat3(double(density) * (glm::dmat3(trace) - at));
    return out;
}

}  // namespace talus
