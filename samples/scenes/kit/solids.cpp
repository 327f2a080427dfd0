#include "samples/scenes/kit/solids.h"

#include "samples/scenes/kit/parts.h"

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace talus::samples {

namespace {

using Index = std::uint32_t;

using std::numbers::pi;

/// A corner on a circle.
OutlinePoint corner_on_circle(double radius, double turns) {
    return {static_cast<float>(radius * std::cos(2.0 * pi * turns)),
            static_cast<float>(radius * std::sin(2.0 * pi * turns))};
}

double doubled_area(const OutlinePoint& a, const OutlinePoint& b, const OutlinePoint& c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
}

void add_triangle(MeshFile& mesh, Index a, Index b, Index c) { mesh.triangles.insert(mesh.triangles.end(), {a, b, c}); }

void add_quad(MeshFile& mesh, Index a, Index b, Index c, Index d) {
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, c, d);
}

/// Cuts off one ear after the other.
std::vector<std::array<Index, 3>> triangulate(std::span<const OutlinePoint> outline) {
    std::vector<Index> left;
    for (Index i = 0; i < outline.size(); ++i) left.push_back(i);
    std::vector<std::array<Index, 3>> out;
    const auto is_ear = [&](std::size_t k) {
        const Index a = left[(k + left.size() - 1) % left.size()], b = left[k], c = left[(k + 1) % left.size()];
        if (doubled_area(outline[a], outline[b], outline[c]) <= 0.0) return false;
        for (const Index i : left) {
            if (i == a || i == b || i == c) continue;
            const OutlinePoint& p = outline[i];
            if (doubled_area(outline[a], outline[b], p) >= 0.0 && doubled_area(outline[b], outline[c], p) >= 0.0 &&
                doubled_area(outline[c], outline[a], p) >= 0.0) {
                return false;
            }
        }
        return true;
    };
    while (left.size() > 3) {
        std::size_t k = 0;
        while (k < left.size() && !is_ear(k)) ++k;
        if (k == left.size()) break;  // no simple outline
        out.push_back({left[(k + left.size() - 1) % left.size()], left[k], left[(k + 1) % left.size()]});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (left.size() == 3) out.push_back({left[0], left[1], left[2]});
    return out;
}

/// Adds an outline at -h and at h; the first vertex.
Index add_rings(MeshFile& mesh, std::span<const OutlinePoint> outline, float h) {
    const auto first = static_cast<Index>(mesh.vertices.size());
    for (const float z : {-h, h}) {
        for (const OutlinePoint& p : outline) mesh.vertices.emplace_back(p.x, p.y, z);
    }
    return first;
}

void append(MeshFile& to, const MeshFile& mesh, const vec3& offset, bool turned_over = false) {
    const auto first = static_cast<Index>(to.vertices.size());
    for (const vec3& v : mesh.vertices) to.vertices.push_back(v + offset);
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        const Index a = first + mesh.triangles[i], b = first + mesh.triangles[i + 1], c = first + mesh.triangles[i + 2];
        turned_over ? add_triangle(to, a, c, b) : add_triangle(to, a, b, c);
    }
}

}  // namespace

MeshFile pentahedron() {
    MeshFile mesh;
    mesh.vertices = {{-1, -0.8f, -0.6f}, {1, 0, -0.6f}, {-1, 0.8f, -0.6f}, {-0.3f, 0, -0.6f}, {-0.1f, 0, 1}};
    mesh.triangles = {0, 3, 1, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    return mesh;
}

MeshFile hourglass(int sides) {
    MeshFile mesh;
    const auto n = static_cast<Index>(sides);
    const float z[] = {-1, 0, 1};
    const double radius[] = {0.9, 0.3, 0.9};
    for (int ring = 0; ring < 3; ++ring) {
        for (int i = 0; i < sides; ++i) {
            const OutlinePoint p = corner_on_circle(radius[ring], double(i) / sides);
            mesh.vertices.emplace_back(p.x, p.y, z[ring]);
        }
    }
    for (Index i = 0; i < n; ++i) {
        const Index j = (i + 1) % n;
        add_quad(mesh, i, j, n + j, n + i);
        add_quad(mesh, n + i, n + j, 2 * n + j, 2 * n + i);
        if (i + 2 < n) {
            add_triangle(mesh, 0, i + 2, i + 1);
            add_triangle(mesh, 2 * n, 2 * n + i + 1, 2 * n + i + 2);
        }
    }
    return mesh;
}

MeshFile prism(std::span<const OutlinePoint> outline, float height) {
    MeshFile mesh;
    const auto n = static_cast<Index>(outline.size());
    add_rings(mesh, outline, 0.5f * height);
    for (Index i = 0; i < n; ++i) add_quad(mesh, i, (i + 1) % n, n + (i + 1) % n, n + i);
    for (const auto& [a, b, c] : triangulate(outline)) {
        add_triangle(mesh, c, b, a);
        add_triangle(mesh, n + a, n + b, n + c);
    }
    return mesh;
}

MeshFile l_prism() {
    const OutlinePoint outline[] = {{-1, -1}, {1, -1}, {1, -0.25f}, {-0.25f, -0.25f}, {-0.25f, 1}, {-1, 1}};
    return prism(outline, 0.75f);
}

MeshFile u_prism() {
    const OutlinePoint outline[] = {{-1, -1},      {1, -1},        {1, 1},     {0.5f, 1},
                                    {0.5f, -0.5f}, {-0.5f, -0.5f}, {-0.5f, 1}, {-1, 1}};
    return prism(outline, 0.75f);
}

MeshFile star_prism(int points) {
    std::vector<OutlinePoint> outline;
    for (int i = 0; i < 2 * points; ++i) outline.push_back(corner_on_circle(i % 2 == 0 ? 1.0 : 0.45, 0.5 * i / points));
    return prism(outline, 0.6f);
}

MeshFile ring_prism(std::span<const OutlinePoint> outer, std::span<const OutlinePoint> inner, float height) {
    MeshFile mesh;
    const auto n = static_cast<Index>(outer.size());
    const Index o = add_rings(mesh, outer, 0.5f * height), h = add_rings(mesh, inner, 0.5f * height);
    for (Index i = 0; i < n; ++i) {
        const Index j = (i + 1) % n;
        add_quad(mesh, o + i, o + j, o + n + j, o + n + i);
        add_quad(mesh, h + j, h + i, h + n + i, h + n + j);
        add_quad(mesh, o + j, o + i, h + i, h + j);
        add_quad(mesh, o + n + i, o + n + j, h + n + j, h + n + i);
    }
    return mesh;
}

MeshFile square_frame() {
    const OutlinePoint outer[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const OutlinePoint inner[] = {{-0.6f, -0.6f}, {0.6f, -0.6f}, {0.6f, 0.6f}, {-0.6f, 0.6f}};
    return ring_prism(outer, inner, 0.5f);
}

MeshFile gear(int teeth) {
    std::vector<OutlinePoint> outer, inner;
    for (int i = 0; i < teeth; ++i) {
        // Root, root, tip, tip.
        const double at[] = {0.0, 0.4, 0.52, 0.88}, radius[] = {0.75, 0.75, 1.0, 1.0};
        for (int k = 0; k < 4; ++k) {
            outer.push_back(corner_on_circle(radius[k], (i + at[k]) / teeth));
            inner.push_back(corner_on_circle(0.35, (i + at[k]) / teeth));
        }
    }
    return ring_prism(outer, inner, 0.5f);
}

MeshFile ring(float radius, float tube, int around, int across) {
    const auto part = [](int k, int count) {
        return 2.0f * std::numbers::pi_v<float> * static_cast<float>(k) / static_cast<float>(count);
    };
    MeshFile mesh;
    for (int i = 0; i < around; ++i) {
        const vec3 along = on_circle(1.0f, part(i, around));
        for (int j = 0; j < across; ++j) {
            const vec3 p = on_circle(tube, part(j, across));
            mesh.vertices.push_back({(radius + p.x) * along.x, p.y, (radius + p.x) * along.y});
        }
    }
    const auto at = [&](int i, int j) { return static_cast<Index>(i % around * across + j % across); };
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            add_triangle(mesh, at(i, j), at(i, j + 1), at(i + 1, j + 1));
            add_triangle(mesh, at(i, j), at(i + 1, j + 1), at(i + 1, j));
        }
    }
    return mesh;
}

MeshFile box_solid(const vec3& half) {
    const OutlinePoint outline[] = {{-half.x, -half.y}, {half.x, -half.y}, {half.x, half.y}, {-half.x, half.y}};
    return prism(outline, 2.0f * half.z);
}

MeshFile hollow_box() {
    MeshFile mesh = box_solid({1, 1, 1});
    append(mesh, box_solid({0.7f, 0.7f, 0.7f}), vec3(0.0f), true);
    return mesh;
}

MeshFile two_boxes() {
    MeshFile mesh;
    append(mesh, box_solid({0.3f, 0.6f, 0.6f}), {-0.7f, 0, 0});
    append(mesh, box_solid({0.3f, 0.6f, 0.6f}), {0.7f, 0, 0});
    return mesh;
}

MeshFile cubes(std::span<const bool> filled, int n, float edge, float inset) {
    // Cells between the planes `inset` before and behind each plane of the lattice: an even cell lies about such a plane,
    // an odd one within a cube. A cell is solid if all cubes are there that it touches.
    const auto is_filled = [&](const std::array<int, 3>& at) {
        for (const int k : at) {
            if (k < 0 || k >= n) return false;
        }
        return filled[static_cast<std::size_t>((at[2] * n + at[1]) * n + at[0])];
    };
    const auto is_solid = [&](const std::array<int, 3>& cell) {
        for (int corner = 0; corner < 8; ++corner) {
            std::array<int, 3> at{};
            for (std::size_t k = 0; k < 3; ++k) {
                const bool low = cell[k] % 2 == 0 && (corner >> k & 1) == 0;
                at[k] = cell[k] / 2 - (low ? 1 : 0);
            }
            if (!is_filled(at)) return false;
        }
        return true;
    };
    const auto plane = [&](int k) {  // below cell k
        const float at = edge * static_cast<float>(k / 2) + (k % 2 == 0 ? -inset : inset);
        return at - 0.5f * edge * static_cast<float>(n);
    };
    MeshFile mesh;
    std::map<std::array<int, 3>, Index> corners;
    const auto corner = [&](const std::array<int, 3>& at) {
        const auto [place, is_new] = corners.try_emplace(at, static_cast<Index>(mesh.vertices.size()));
        if (is_new) mesh.vertices.push_back({plane(at[0]), plane(at[1]), plane(at[2])});
        return place->second;
    };
    for (int z = 0; z <= 2 * n; ++z) {
        for (int y = 0; y <= 2 * n; ++y) {
            for (int x = 0; x <= 2 * n; ++x) {
                const std::array<int, 3> cell{x, y, z};
                if (!is_solid(cell)) continue;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
                    for (const int side : {0, 1}) {
                        std::array<int, 3> beyond = cell, at = cell;
                        beyond[axis] += side == 0 ? -1 : 1;
                        if (beyond[axis] >= 0 && is_solid(beyond)) continue;
                        at[axis] += side;
                        Index face[4];
                        for (int k = 0; k < 4; ++k) {
                            std::array<int, 3> place = at;
                            place[u] += k == 1 || k == 2 ? 1 : 0;
                            place[v] += k >= 2 ? 1 : 0;
                            face[side == 1 ? k : 3 - k] = corner(place);
                        }
                        add_quad(mesh, face[0], face[1], face[2], face[3]);
                    }
                }
            }
        }
    }
    return mesh;
}

}  // namespace talus::samples
