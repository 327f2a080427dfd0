#pragma once
/// Internal: the overlap of two projections on the contact plane.
///
/// This is not Sutherland-Hodgman clipping. The overlap of two convex regions has three kinds of corners, and each kind
/// is found by itself, four at a time: corners of P inside Q, corners of Q inside P, and crossings of an edge of P with
/// the boundary of Q (each edge of P is clipped against all lines of Q at once, Cyrus and Beck 1978). The points are in
/// no order, which the reduction to four points does not need, and the two features that made each point are known.
///
/// Coincident edges are the usual case in stacks. So "inside" has a tolerance (tolerance::contact_boundary), and the
/// kinds are ranked in the order above. If a corner and a crossing coincide, the reduction takes the corner, in this
/// frame and the next.

#include "narrowphase/manifold/projected_feature.h"

#include <cstdint>

namespace talus::detail {

/// The feature of one shape that made a point: the inside of a face or line, a vertex, or an edge. A code has 16 bits;
/// the codes of both shapes make the point's id.
inline constexpr std::uint16_t inside_code = 0;
inline constexpr std::uint16_t vertex_code(std::uint32_t vertex) {
    return static_cast<std::uint16_t>(1 + vertex % 0x7fffu);
}
/// The same for both directions of the edge. Hulls with many edges share codes (a hash): make_manifold keeps ids
/// distinct.
inline constexpr std::uint16_t edge_code(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t low = from < to ? from : to, high = from < to ? to : from;
    return static_cast<std::uint16_t>(0x8000u | ((low * 131u + high) & 0x7fffu));
}
inline constexpr std::uint32_t point_id(std::uint16_t a, std::uint16_t b) { return (std::uint32_t{a} << 16) | b; }

struct Candidate {
    float x, y;        ///< on the contact plane, m
    float separation;  ///< m
    std::uint32_t id;
};

/// Candidates in order of rank. The capacity suffices for all corners and crossings of two projections of the largest
/// size.
struct Candidates {
    static constexpr int capacity = 4 * max_projected_corners;
    int count = 0;
    Candidate items[capacity];
};

/// Appends the corners of the overlap of a's and b's projections whose separation is at most `margin` (m). A point
/// counts as inside up to `tolerance` (m) outside. Two points never overlap here, nor a point and a line: for those the
/// witness pair is the contact.
void overlap(const ProjectedFeature& a, const ProjectedFeature& b, float tolerance, float margin, Candidates& out);

/// Appends the contact of the edges of a and b that lie nearest to the other shape. It is for edge contacts of two
/// faces whose projections miss each other by rounding.
void overlap_of_nearest_edges(const ProjectedFeature& a, const ProjectedFeature& b, float tolerance, float margin,
                              Candidates& out);

}  // namespace talus::detail
