/// The closest point of a simplex by Voronoi regions (Ericson 2005, section 3.1): the origin P lies in the region of
/// exactly one feature, and each region is bounded by the planes at right angles to its neighbours' edges.
///
/// The section leaves one thing open: above an obtuse dihedral angle P can lie on the outer side of two faces, and only
/// one of them is the nearest feature. If P is in no vertex's and no edge's region, it projects into the nearest face.
/// So the plane of that face is as far away as the tetrahedron itself, and all other planes are nearer. Therefore the
/// face with the farthest plane is taken.

#include "narrowphase/papers/simplex.h"

#include <limits>

namespace talus::papers {

namespace {

/// Returns whether P lies in the region of vertex i among the `count` vertices: (P - Qi) . (Qj - Qi) <= 0 for all
/// others.
bool in_vertex_region(const Simplex& s, const int* slots, int count, int i) {
    const dvec3& q = s.vertex[slots[i]].w;
    for (int j = 0; j < count; ++j) {
        if (j != i && -glm::dot(q, s.vertex[slots[j]].w - q) > 0.0) return false;
    }
    return true;
}

Part on_vertex(int i) { return {1, {i}, {1.0}}; }

/// P's projection onto the line Qi Qj, in the weights of Qi and Qj. i < j.
Part on_edge(const Simplex& s, int i, int j) {
    const dvec3 &a = s.vertex[i].w, ab = s.vertex[j].w - a;
    const double t = -glm::dot(a, ab) / glm::dot(ab, ab);
    return {2, {i, j}, {1.0 - t, t}};
}

/// P's projection onto the plane of Qi, Qj, Qk with its normal n, inside the triangle. i < j < k.
Part on_face(const Simplex& s, int i, int j, int k, const dvec3& n) {
    const dvec3 &a = s.vertex[i].w, ab = s.vertex[j].w - a, ac = s.vertex[k].w - a;
    const double nn = glm::dot(n, n);
    const double wj = glm::dot(glm::cross(n, ac), a) / nn, wk = glm::dot(glm::cross(ab, n), a) / nn;
    return {3, {i, j, k}, {1.0 - wj - wk, wj, wk}};
}

/// Between the two planes at the ends of the edge Qi Qj, across it: the first two inequalities of an edge's region.
bool between_ends(const Simplex& s, int i, int j) {
    const dvec3 &a = s.vertex[i].w, &b = s.vertex[j].w, ab = b - a;
    return -glm::dot(a, ab) >= 0.0 && glm::dot(b, ab) >= 0.0;
}

/// On the outer side of the edge Qi Qj of triangle Qi Qj Qk, seen along its plane: one of the other two inequalities,
/// (P - Qi) . ((Qj - Qi) x n) >= 0 with n = (Qj - Qi) x (Qk - Qi).
bool beyond_edge(const Simplex& s, int i, int j, int k) {
    const dvec3 &a = s.vertex[i].w, ab = s.vertex[j].w - a, ac = s.vertex[k].w - a;
    return -glm::dot(a, glm::cross(ab, glm::cross(ab, ac))) >= 0.0;
}

Part nearest_on_segment(const Simplex& s, int i, int j) {
    const int slots[] = {i, j};
    if (in_vertex_region(s, slots, 2, 0)) return on_vertex(i);
    if (in_vertex_region(s, slots, 2, 1)) return on_vertex(j);
    return on_edge(s, i, j);
}

double squared_length(const Simplex& s, const Part& part) {
    dvec3 v(0.0);
    for (int i = 0; i < part.count; ++i) v += part.weight[i] * s.vertex[part.slot[i]].w;
    return glm::dot(v, v);
}

/// Replaces `best` if `part` is nearer. NaN never is.
void take_nearer(const Simplex& s, const Part& part, Part& best, double& least) {
    const double vv = squared_length(s, part);
    if (vv < least) {
        least = vv;
        best = part;
    }
}

Part nearest_on_triangle(const Simplex& s, int i, int j, int k) {
    const dvec3 ij = s.vertex[j].w - s.vertex[i].w, ik = s.vertex[k].w - s.vertex[i].w;
    if (is_flat(ij, ik)) {  // it has no normal, so its edges are tried
        Part best = on_vertex(i);
        double least = std::numeric_limits<double>::infinity();
        take_nearer(s, nearest_on_segment(s, i, j), best, least);
        take_nearer(s, nearest_on_segment(s, i, k), best, least);
        take_nearer(s, nearest_on_segment(s, j, k), best, least);
        return best;
    }
    const int slots[] = {i, j, k};
    for (int v = 0; v < 3; ++v) {
        if (in_vertex_region(s, slots, 3, v)) return on_vertex(slots[v]);
    }
    if (between_ends(s, i, j) && beyond_edge(s, i, j, k)) return on_edge(s, i, j);
    if (between_ends(s, i, k) && beyond_edge(s, i, k, j)) return on_edge(s, i, k);
    if (between_ends(s, j, k) && beyond_edge(s, j, k, i)) return on_edge(s, j, k);
    return on_face(s, i, j, k, glm::cross(ij, ik));
}

/// The faces of a tetrahedron, each with the vertex that is left over.
constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};

Part nearest_on_tetrahedron(const Simplex& s) {
    if (is_flat(s)) {  // it has no interior, so its faces are tried
        Part best = on_vertex(0);
        double least = std::numeric_limits<double>::infinity();
        for (const int* f : faces) take_nearer(s, nearest_on_triangle(s, f[0], f[1], f[2]), best, least);
        return best;
    }
    constexpr int slots[] = {0, 1, 2, 3};
    for (int v = 0; v < 4; ++v) {
        if (in_vertex_region(s, slots, 4, v)) return on_vertex(v);
    }
    constexpr int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    for (const auto& [i, j, k, l] : edges) {
        if (between_ends(s, i, j) && beyond_edge(s, i, j, k) && beyond_edge(s, i, j, l)) return on_edge(s, i, j);
    }
    Part best = inside(s);
    double farthest = 0.0;
    for (const int* f : faces) {
        const dvec3 &a = s.vertex[f[0]].w, n = glm::cross(s.vertex[f[1]].w - a, s.vertex[f[2]].w - a);
        const double p = -glm::dot(a, n), rest = glm::dot(s.vertex[f[3]].w - a, n);
        if (p * rest < 0.0 && p * p > farthest * glm::dot(n, n)) {
            farthest = p * p / glm::dot(n, n);
            best = on_face(s, f[0], f[1], f[2], n);
        }
    }
    return best;
}

}  // namespace

void voronoi(Simplex& s) {
    switch (s.count) {
        case 1:
            return keep(s, on_vertex(0));
        case 2:
            return keep(s, nearest_on_segment(s, 0, 1));
        case 3:
            return keep(s, nearest_on_triangle(s, 0, 1, 2));
        default:
            return keep(s, nearest_on_tetrahedron(s));
    }
}

}  // namespace talus::papers
