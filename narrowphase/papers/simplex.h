#pragma once
/// Internal: the simplex that the papers' subalgorithms work on.

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

#include <cstdint>

namespace talus::papers {

using glm::dvec3;

/// A vertex of A - B.
struct Vertex {
    dvec3 w;  ///< a - b, in A's frame
    dvec3 a;  ///< the point of A that it comes from
    std::uint16_t index_a;
    std::uint16_t index_b;
};

/// Up to four vertices and the point v of their hull that is closest to the origin.
struct Simplex {
    Vertex vertex[4];
    double weight[4] = {};  ///< v = sum of weight[i] * vertex[i].w; not negative except by rounding, sum 1
    int count = 0;
    bool encloses = false;  ///< the four vertices enclose the origin; v is 0
    dvec3 v{0.0};
    dvec3 y{0.0};     ///< v, or a positive multiple of it that is more accurate: the search direction is -y
    double vv = 0.0;  ///< dot(v, v)
};

/// The vertices of a simplex between which its closest point lies, and their weights.
struct Part {
    int count = 0;
    int slot[4] = {};  ///< ascending
    double weight[4] = {};
};

/// Returns the weights of the origin inside a tetrahedron that is not flat: the volumes of the four tetrahedra that the
/// origin makes with the faces.
inline Part inside(const Simplex& s) {
    Part part{4, {0, 1, 2, 3}, {}};
    const dvec3& d = s.vertex[3].w;
    const dvec3 da = s.vertex[0].w - d, db = s.vertex[1].w - d, dc = s.vertex[2].w - d;
    const double volume = glm::dot(da, glm::cross(db, dc));
    part.weight[0] = -glm::dot(d, glm::cross(db, dc)) / volume;
    part.weight[1] = -glm::dot(d, glm::cross(dc, da)) / volume;
    part.weight[2] = -glm::dot(d, glm::cross(da, db)) / volume;
    part.weight[3] = 1.0 - part.weight[0] - part.weight[1] - part.weight[2];
    return part;
}

/// Keeps only the part's vertices, and sets v and y by its weights.
inline void keep(Simplex& s, const Part& part) {
    s.v = dvec3(0.0);
    for (int i = 0; i < part.count; ++i) {
        if (part.slot[i] != i) s.vertex[i] = s.vertex[part.slot[i]];
        s.weight[i] = part.weight[i];
        s.v += part.weight[i] * s.vertex[i].w;
    }
    s.count = part.count;
    s.encloses = part.count == 4;
    if (s.encloses) s.v = dvec3(0.0);
    s.y = s.v;
    s.vv = glm::dot(s.v, s.v);
}

/// Triangles whose smallest sine is below this, and tetrahedra whose volume is below this times the product of three
/// edges, count as flat: their normals and determinants are rounding.
inline constexpr double flatness = 1e-10;

inline bool is_flat(const dvec3& ab, const dvec3& ac) {
    const dvec3 n = glm::cross(ab, ac);
    return !(glm::dot(n, n) > flatness * flatness * glm::dot(ab, ab) * glm::dot(ac, ac));
}

inline bool is_flat(const Simplex& s) {
    const dvec3 a = s.vertex[0].w - s.vertex[3].w, b = s.vertex[1].w - s.vertex[3].w, c = s.vertex[2].w - s.vertex[3].w;
    const double volume = glm::dot(glm::cross(a, b), c);
    return !(volume * volume > flatness * flatness * glm::dot(a, a) * glm::dot(b, b) * glm::dot(c, c));
}

// The subalgorithms. Each sets v to the closest point of the 1 to 4 vertices, and drops the vertices that v does not
// need.

/// johnson.cpp
void johnson(Simplex& simplex);

/// voronoi.cpp
void voronoi(Simplex& simplex);

/// production.cpp. `previous` is the number of vertices before the last one was added, or 0. If the new vertex does not
/// bring v nearer, returns false and leaves the simplex as it was before.
bool production(Simplex& simplex, int previous);

/// discard_and_add.cpp. Unlike the others it always keeps three vertices, even with weight 0.
enum class Refined : std::uint8_t {
    face,      ///< three vertices are left
    encloses,  ///< the origin lies within the four
    flat,      ///< the four lie in a plane: none of its faces separates the origin from the fourth
};
Refined refine_set(Simplex& simplex);  ///< four vertices
void nu_compute(Simplex& simplex);     ///< three vertices

/// The same in the plane z = 0: always two vertices. `Refined::face` then means an edge of the triangle.
Refined refine_set_in_plane(Simplex& simplex);  ///< three vertices
void nu_compute_in_plane(Simplex& simplex);     ///< two vertices

}  // namespace talus::papers
