#pragma once
/// Internal: an edge against a face that may be nonconvex and have holes (Thomas and Torras 1994; Jimenez and Torras
/// 1999, section 2). There are two basic contact functions, both signed distances:
///
///     A(v, f)    vertex v to the plane of face f
///     B(e, g)    the line of edge e to the line of edge g
///
/// Their signs make a logical predicate. The same formula with other operators makes a lower bound of the distance:
///
///     meets = (A(e0, f) xor A(e1, f))  and  xor over the edges g of f:
///                                               (A(g0, fe) xor A(g1, fe)) and (A(g0, fe) xor B(e, g))
///     value =             and -> min,   a xor b -> the smaller magnitude; positive where the signs differ
///
/// The first part means that e has an end on either side of f's plane. The second part counts the edges of f that cross
/// one half of the auxiliary plane fe, which the line of e divides in two. The number is odd if that line meets f. Here
/// fe is at right angles to f, where rounding has the least effect.
///
///            fe, seen along its normal             If two polyhedra are apart, all values are negative. A displacement
///          +-----|-----+                           of e by d changes each A and each B by |d| at most, and so the
///          |  f  |e    |  g crosses fe on          value. If e touches f, the value is not negative. So -value is a
///          |     o-----|--> this side: 1,          lower bound of the distance of e and f, and the least -value of all
///          |           |  odd: e meets f           pairs is a lower bound of the distance of the polyhedra.
///          +-----------+
///
/// The value jumps if lines are parallel. It is zero if an edge of f happens to end in fe although e and f are apart.
/// In these cases the plain distance of edge and face is used instead. The predicate, too, uses it for whatever is
/// within a band of a tie. So touching counts as meeting, and the result is right for all pairs that are farther apart
/// than the band.

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

/// Returns A(v, f), m: positive outside.
inline double vertex_face_distance(const glm::dvec3& vertex, const PolyhedronFace& face) {
    return glm::dot(face.normal, vertex) - face.offset;
}

/// Returns whether a face and an edge have a point in common, or are nearer than `band` (m).
bool edge_meets_face(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face, double band);

/// Returns the distance of an edge and a face, m; 0 if they meet.
double edge_face_distance(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face);

/// Returns the distance of a point and a face, m.
double point_face_distance(const glm::dvec3& point, const Polyhedron& polyhedron, std::uint32_t face);

/// Returns the point of a face nearest to a point.
glm::dvec3 nearest_on_face(const glm::dvec3& point, const Polyhedron& polyhedron, std::uint32_t face);

/// Returns the nearest points of two segments of positive length, p's first.
std::array<glm::dvec3, 2> nearest_on_segments(const glm::dvec3& p0, const glm::dvec3& p1, const glm::dvec3& q0,
                                              const glm::dvec3& q1);

/// Returns a lower bound of the distance of an edge and a face by the functional form of the predicate, m. The
/// computation ends early once the bound is known to be at least `enough` (m): for most edges far from a face the
/// distances of their ends to its plane prove that.
double edge_face_bound(const Segment& edge, const Polyhedron& polyhedron, std::uint32_t face, double band,
                       double enough = std::numeric_limits<double>::infinity());

}  // namespace talus
