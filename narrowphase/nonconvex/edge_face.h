#pragma once
/// Internal: an edge against a face that may be nonconvex and have holes (Thomas and Torras 1994; Jimenez and Torras
/// 1999, section 2): from two basic contact functions, both distances with a sign,
///
///     A(v, f)    vertex v to the plane of face f
///     B(e, g)    the line of edge e to the line of edge g
///
/// comes a predicate by logic, and a lower bound of the distance by the same formula with other operators:
///
///     meets = (A(e0, f) xor A(e1, f))  and  xor over the edges g of f:
///                                               (A(g0, fe) xor A(g1, fe)) and (A(g0, fe) xor B(e, g))
///     value =             and -> min,   a xor b -> the smaller magnitude; positive where the signs differ
///
/// The first part says that e has an end on either side of f's plane. The second counts which edges of f cross one half
/// of the auxiliary plane fe, cut in two by the line of e: an odd number where that line meets f. Here fe stands at
/// right angles to f, which is where rounding hurts least.
///
///            fe, seen along its normal             value: of two polyhedra that are apart all values are negative.
///          +-----|-----+                           Moving e by d without turning it changes each A and each B by |d|
///          |  f  |e    |  g crosses fe on          at most, hence also the value, and where e touches f the value is
///          |     o-----|--> this side: 1,          not negative: -value is a lower bound of the distance, and the
///          |           |  odd: e meets f           least one over all pairs that of the distance of the polyhedra.
///          +-----------+
///
/// The value jumps where lines are parallel, and is zero where an edge of f happens to end in fe though e and f are
/// apart. There the plain distance of edge and face is taken instead, by which also the predicate decides whatever is
/// within a band of a tie: so it is closed (touching is meeting), and right for all that is farther apart than the
/// band.

#include <talus/narrowphase/nonconvex/polyhedron.h>

#include <limits>

namespace talus {

/// An edge in the frame of the polyhedron it is tested against.
struct Segment {
    std::array<glm::dvec3, 2> ends;
    glm::dvec3 direction;  ///< unit, first end to second
};

inline Segment segment_of(const Polyhedron& p, std::uint32_t edge) {
    const PolyhedronEdge& e = p.edges[edge];
    return {{p.vertices[e.vertices[0]], p.vertices[e.vertices[1]]}, e.direction};
}

/// A(v, f): positive outside, m.
inline double vertex_face_distance(const glm::dvec3& vertex, const PolyhedronFace& face) {
    return glm::dot(face.normal, vertex) - face.offset;
}

/// Whether a face and an edge have a point in common, or are nearer than `band` (m).
bool edge_meets_face(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face, double band);

/// The distance of an edge and a face, m; 0 where they meet.
double edge_face_distance(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face);

/// A lower bound of it by the functional form of the predicate, m. Once it is known to be at least `enough` (m), that
/// will do: most edges that are far from a face are so by their ends' distances to its plane.
double edge_face_bound(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face, double band,
                       double enough = std::numeric_limits<double>::infinity());

}  // namespace talus
