#include "narrowphase/triangles/clean_triangles.h"

#include <talus/aabb.h>
#include <talus/narrowphase/shape.h>
#include "common/number_text.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/triangles/by_vertex.h"
#include "narrowphase/triangles/triangle_tree.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Gives each vertex the number of the first vertex at the same place. A hash table of cells that are a few roundings
/// wide.
class Welder {
public:
    explicit Welder(std::span<const vec3> vertices) {
        Aabb box{vertices[0], vertices[0]};
        for (const vec3& v : vertices) box = merge(box, {v, v});
        const vec3 far = glm::max(absolute(box.lower), absolute(box.upper));
        near_ = static_cast<double>(std::max({far.x, far.y, far.z})) * 0x1p-22;
        cell_ = std::max(8.0 * near_, 1e-30);
        lower_ = glm::dvec3(box.lower);
        std::size_t slots = 16;
        while (slots < 2 * vertices.size()) slots *= 2;
        first_.assign(slots, nobody);
        next_.assign(vertices.size(), nobody);
        number_.resize(vertices.size());
        for (std::uint32_t i = 0; i < vertices.size(); ++i) number_[i] = place(vertices, i);
    }
    std::uint32_t operator[](std::uint32_t vertex) const { return number_[vertex]; }

private:
    std::int64_t cell(double x, int axis) const {
        return static_cast<std::int64_t>(std::floor((x - lower_[axis]) / cell_));
    }
    std::size_t slot(std::int64_t x, std::int64_t y, std::int64_t z) const {
        std::uint64_t h = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u;
        h = (h ^ static_cast<std::uint64_t>(y)) * 0xbf58476d1ce4e5b9u;
        h = (h ^ static_cast<std::uint64_t>(z)) * 0x94d049bb133111ebu;
        return static_cast<std::size_t>(h >> 20) & (first_.size() - 1);
    }
    std::uint32_t place(std::span<const vec3> vertices, std::uint32_t i) {
        const glm::dvec3 p(vertices[i]);
        std::int64_t low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = cell(p[axis] - near_, axis);
            high[axis] = cell(p[axis] + near_, axis);
        }
        std::uint32_t found = nobody;
        for (std::int64_t x = low[0]; x <= high[0]; ++x) {
            for (std::int64_t y = low[1]; y <= high[1]; ++y) {
                for (std::int64_t z = low[2]; z <= high[2]; ++z) {
                    for (std::uint32_t k = first_[slot(x, y, z)]; k != nobody; k = next_[k]) {
                        const glm::dvec3 d = absolute(glm::dvec3(vertices[k]) - p);
                        if (std::max({d.x, d.y, d.z}) <= near_) found = std::min(found, k);
                    }
                }
            }
        }
        if (found != nobody) return found;
        std::uint32_t& head = first_[slot(cell(p.x, 0), cell(p.y, 1), cell(p.z, 2))];
        next_[i] = head;
        head = i;
        return i;
    }

    double near_ = 0.0, cell_ = 1.0;
    glm::dvec3 lower_{0.0};
    std::vector<std::uint32_t> first_, next_, number_;
};

/// Keeps the first of triangles with the same corners.
void drop_repeated(std::size_t vertices, CleanTriangles& triangles) {
    std::vector<Corners>& corners = triangles.corners;
    std::vector<std::uint32_t>& sources = triangles.sources;
    const auto count = static_cast<std::uint32_t>(corners.size());
    ByVertex at(vertices, count, [&](std::uint32_t t) { return corners[t][0]; });
    std::vector<std::uint32_t> repeated;
    for (std::size_t v = 0; v < at.vertices(); ++v) {
        const std::span<std::uint32_t> here = at[v];
        std::sort(here.begin(), here.end(), [&](std::uint32_t a, std::uint32_t b) {
            return corners[a] != corners[b] ? corners[a] < corners[b] : a < b;
        });
        for (std::size_t k = 1; k < here.size(); ++k) {
            if (corners[here[k]] == corners[here[k - 1]]) repeated.push_back(here[k]);
        }
    }
    if (repeated.empty()) return;
    std::vector<bool> drops(count, false);
    for (const std::uint32_t t : repeated) drops[t] = true;
    std::uint32_t kept = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
        if (drops[t]) continue;
        corners[kept] = corners[t];
        sources[kept++] = sources[t];
    }
    corners.resize(kept);
    sources.resize(kept);
}

}  // namespace

Error mesh_refused(ErrorCode code, std::string message) { return {code, "mesh: " + std::move(message)}; }

Error clean_triangles(std::span<const vec3> vertices, std::span<const std::uint32_t> indices, bool drop_thin,
                      CleanTriangles& out) {
    if (indices.empty() || indices.size() % 3 != 0)
        return mesh_refused(ErrorCode::bad_argument,
                            "there are " + std::to_string(indices.size()) +
                                " indices; there must be three for each triangle, and at least one triangle");
    if (vertices.size() >= nobody || indices.size() / 3 > TriangleTree::most_triangles)
        return mesh_refused(ErrorCode::too_complex, "it has " + std::to_string(vertices.size()) + " vertices and " +
                                                        std::to_string(indices.size() / 3) +
                                                        " triangles; there must be less than " +
                                                        std::to_string(nobody) + " and at most " +
                                                        std::to_string(TriangleTree::most_triangles));
    for (std::size_t k = 0; k < indices.size(); ++k) {
        if (indices[k] >= vertices.size())
            return mesh_refused(ErrorCode::bad_argument, "index " + std::to_string(indices[k]) + " is beyond the " +
                                                             std::to_string(vertices.size()) +
                                                             " vertices, in triangle " + std::to_string(k / 3));
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const vec3& v = vertices[i];
        const auto which = [&] { return "vertex " + std::to_string(i) + " is " + text(v); };
        if (!is_finite(v))
            return mesh_refused(ErrorCode::not_finite, which() + "; its coordinates must be finite numbers of metres");
        const vec3 far = absolute(v);
        if (std::max({far.x, far.y, far.z}) > largest_size)
            return mesh_refused(ErrorCode::bad_size,
                                which() + " m; no coordinate may be beyond 1e6 m: move or scale the mesh");
    }
    out.vertices.assign(vertices.begin(), vertices.end());
    const Welder weld(vertices);
    for (std::uint32_t t = 0; 3 * static_cast<std::size_t>(t) < indices.size(); ++t) {
        Corners c{};
        for (std::size_t i = 0; i < 3; ++i) c[i] = weld[indices[3 * static_cast<std::size_t>(t) + i]];
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        const vec3 &p = vertices[c[0]], &q = vertices[c[1]], &r = vertices[c[2]];
        if (drop_thin && check(triangle(vec3(0.0f), q - p, r - p))) continue;
        while (c[0] > c[1] || c[0] > c[2]) c = {c[1], c[2], c[0]};
        out.corners.push_back(c);
        out.sources.push_back(t);
    }
    if (out.corners.empty())
        return mesh_refused(ErrorCode::degenerate_shape,
                            "none of its triangles can be used: each has no area, is too thin, or is larger than 1e6 "
                            "m; are its indices right?");
    drop_repeated(vertices.size(), out);
    return {};
}

}  // namespace talus::detail
