/// The discard-and-add simplex of Liu, Chien, Shiang and Lee, section 3.2: always three vertices, even if the closest
/// point lies between fewer of them.
///
/// If two faces of the tetrahedron separate the origin from it, the paper discards the farthest vertex. That may be the
/// vertex just added, and then nothing changes any more. The closer the shapes, the more often this happens. Failures
/// among pairs of hulls of 8 to 67 random points on the unit sphere, by the gap between them (24,000 pairs, linear
/// search, stop on the bound):
///
///                                  below 0.5     0.5 to 2     above 2
///     arbitrary vertices              37.6%        16.4%         1.5%
///     three points by centroids       23.3%         9.0%         0.7%
///
/// Nine in ten are cycles, the others are four vertices in a plane. If the new vertex were never discarded, the numbers
/// would be 3.3%, 2.5%, 0.3% and 2.7%, 1.9%, 0.2%; but the paper does not say so.
///
/// In the plane (section 3.1) it is two vertices and the edges of a triangle instead. The form in space cannot replace
/// that: four vertices in a plane make no tetrahedron, so none of its faces separates anything.

#include "narrowphase/papers/simplex.h"

namespace talus::papers {

namespace {

/// Weights of X1 and X2 for the point of their line closest to the origin (the paper's equation 5 and what leads to
/// it). Only the signs matter until they are divided by their sum, which is never negative.
struct LineWeights {
    double first, second;
    LineWeights(const dvec3& x1, const dvec3& x2)
        : first(glm::dot(x2, x2) - glm::dot(x2, x1)), second(glm::dot(x1, x1) - glm::dot(x2, x1)) {}
};

/// Sets the weights for a closest point on the edge between slots i and j, or at its end.
void on_edge(Simplex& s, int i, int j) {
    const LineWeights w(s.vertex[i].w, s.vertex[j].w);
    s.weight[0] = s.weight[1] = s.weight[2] = 0.0;
    if (!(w.second > 0.0)) {
        s.weight[i] = 1.0;
    } else if (!(w.first > 0.0)) {
        s.weight[j] = 1.0;
    } else {
        s.weight[i] = w.first / (w.first + w.second);
        s.weight[j] = w.second / (w.first + w.second);
    }
}

/// Situation (B) of Table 1: only the weight of slot k is negative. The edge between the other two, or an end of it:
/// sub-cases (i) to (iii).
void beyond_one_edge(Simplex& s, int k) { on_edge(s, k == 0 ? 1 : 0, k == 2 ? 1 : 2); }

/// Situation (C): only the weight of slot p3 is positive. The origin lies behind that vertex, outside both its edges.
/// Sub-cases (i) and (ii) are the edge P1 P3 with its end P1, (iv) and (v) the edge P2 P3 with its end P2, and (iii) is
/// P3 itself. The two edges exclude each other.
void behind_vertex(Simplex& s, int p3) {
    const int p1 = p3 == 0 ? 1 : 0, p2 = p3 == 2 ? 1 : 2;
    const bool towards_p1 = LineWeights(s.vertex[p1].w, s.vertex[p3].w).first > 0.0;
    on_edge(s, towards_p1 ? p1 : p2, p3);
}

/// The vertex to discard: of those that a face or edge separates from the origin, the one farthest from the origin.
struct Discard {
    int vertex = -1;  ///< its slot; -1: none
    double distance2 = -1.0;

    void consider(const Simplex& s, int slot) {
        const double other = glm::dot(s.vertex[slot].w, s.vertex[slot].w);
        if (other > distance2) distance2 = other, vertex = slot;
    }
};

/// Twice the area of the triangle a b c in the plane z = 0, positive if counter-clockwise.
double area2(const dvec3& a, const dvec3& b, const dvec3& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

void nu_compute_in_plane(Simplex& s) {
    on_edge(s, 0, 1);
    s.count = 2;
    s.encloses = false;
    s.v = s.weight[0] * s.vertex[0].w + s.weight[1] * s.vertex[1].w;
    s.y = s.v;
    s.vv = glm::dot(s.v, s.v);
}

Refined refine_set_in_plane(Simplex& s) {
    const dvec3 origin(0.0), &a = s.vertex[0].w, &b = s.vertex[1].w, &c = s.vertex[2].w;
    if (is_flat(b - a, c - a)) return Refined::flat;
    // Each edge with the vertex it would discard, as in space: the line through the edge separates the origin from
    // that vertex.
    Discard discard;
    for (int rest = 0; rest < 3; ++rest) {
        const dvec3 &p = s.vertex[(rest + 1) % 3].w, &q = s.vertex[(rest + 2) % 3].w;
        const double z = area2(p, q, origin), n = area2(p, q, s.vertex[rest].w);
        if (!(z * n < 0.0)) continue;
        discard.consider(s, rest);
    }
    if (discard.vertex < 0) {
        const double all = area2(a, b, c);
        s.weight[0] = area2(origin, b, c) / all;
        s.weight[1] = area2(a, origin, c) / all;
        s.weight[2] = 1.0 - s.weight[0] - s.weight[1];
        s.encloses = true;
        s.v = s.y = dvec3(0.0);
        s.vv = 0.0;
        return Refined::encloses;
    }
    for (int i = discard.vertex; i < 2; ++i) s.vertex[i] = s.vertex[i + 1];
    s.count = 2;
    return Refined::face;
}

void nu_compute(Simplex& s) {
    const dvec3 &p1 = s.vertex[0].w, &p2 = s.vertex[1].w, &p3 = s.vertex[2].w;
    const double d11 = glm::dot(p1, p1), d22 = glm::dot(p2, p2), d33 = glm::dot(p3, p3);
    const double d12 = glm::dot(p1, p2), d13 = glm::dot(p1, p3), d23 = glm::dot(p2, p3);
    // The paper's equation 4: Delta_i of three vertices from those of two.
    const double delta[3] = {(d33 - d23) * (d22 - d12) + (d22 - d23) * (d23 - d13),
                             (d33 - d13) * (d11 - d12) + (d11 - d13) * (d13 - d23),
                             (d22 - d12) * (d11 - d13) + (d11 - d12) * (d12 - d23)};
    const double sum = delta[0] + delta[1] + delta[2];
    const int negative = (delta[0] < 0.0) + (delta[1] < 0.0) + (delta[2] < 0.0);

    // Table 1. (D), all negative, does not exist; nor does a sum that is not positive, except by rounding.
    if (negative == 0 && sum > 0.0) {  // (A)
        for (int i = 0; i < 3; ++i) s.weight[i] = delta[i] / sum;
    } else if (negative == 1) {
        beyond_one_edge(s, delta[0] < 0.0 ? 0 : delta[1] < 0.0 ? 1 : 2);
    } else {
        behind_vertex(s, delta[0] > 0.0 ? 0 : delta[1] > 0.0 ? 1 : 2);
    }
    s.count = 3;
    s.encloses = false;
    s.v = s.weight[0] * p1 + s.weight[1] * p2 + s.weight[2] * p3;
    s.y = s.v;
    s.vv = glm::dot(s.v, s.v);
}

Refined refine_set(Simplex& s) {
    if (is_flat(s)) return Refined::flat;
    // Each face with the vertex it would discard. The plane f(x) = normal . x + K through the face separates the
    // origin from that vertex when Z * N < 0, with Z = f(0) = K and N = f of the vertex.
    Discard discard;
    for (int rest = 0; rest < 4; ++rest) {
        const dvec3 &a = s.vertex[(rest + 1) % 4].w, &b = s.vertex[(rest + 2) % 4].w, &c = s.vertex[(rest + 3) % 4].w;
        const dvec3 normal = glm::cross(b - a, c - a);
        const double z = -glm::dot(normal, a), n = glm::dot(normal, s.vertex[rest].w) + z;
        if (!(z * n < 0.0)) continue;
        discard.consider(s, rest);
    }
    if (discard.vertex < 0) {
        keep(s, inside(s));
        return Refined::encloses;
    }
    for (int i = discard.vertex; i < 3; ++i) s.vertex[i] = s.vertex[i + 1];
    s.count = 3;
    return Refined::face;
}

}  // namespace talus::papers
