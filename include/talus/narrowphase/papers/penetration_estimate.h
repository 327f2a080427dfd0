#pragma once
/// Cameron's estimate of the penetration depth (Cameron 1997, "Enhancing GJK", as Jovanoski 2008, section 5, describes
/// it): bounds of the depth from the simplex at which GJK ends, without expanding it as EPA does.
///
///     ---------------------------   support plane of A - B along n:  upper = its distance from the origin
///              A - B
///          .------------.           a face of GJK's tetrahedron with outward normal n:  lower = its distance;
///           '.   O    .'            the ball of that radius lies in the tetrahedron, so in A - B
///             '.    .'
///               '.'
///
/// Both bounds are proved, whatever the simplex holds. They meet if the nearest face is a facet of A - B. Otherwise the
/// depth lies between them. `talus-profile papers --depth` prints how far apart they are, and what both methods cost.
/// The engine itself needs the depth, so it runs EPA.

#include <talus/narrowphase/epa.h>

namespace talus {

/// The faces of the simplex whose support planes are computed.
enum class EstimateFaces : std::uint8_t {
    nearest,  ///< the one nearest to the origin: one support point of each shape
    all,      ///< those that may still lower the upper bound: up to four. The lower bound is the same.
};

/// The result of an estimate.
enum class EstimateStatus : std::uint8_t {
    bounded,    ///< the depth of the cores lies between the bounds
    apart,      ///< a support plane has the origin outside: the cores do not overlap; both bounds are 0
    bad_input,  ///< a null hull, a negative size, or a number that is not finite; both bounds are 0
};

/// Bounds of the penetration of two cores.
struct PenetrationEstimate {
    EstimateStatus status = EstimateStatus::bounded;  ///< how the query ended
    /// No translation shorter than this separates the cores, m, to rounding in double. 0 if the simplex has fewer than
    /// four vertices, is flat, or does not enclose the origin.
    double lower = 0.0;
    double upper = 0.0;           ///< moving B by upper * normal separates the cores, m, to the rounding of floats
    glm::dvec3 normal{0.0};       ///< unit, from A to B, in A's frame; zero only on bad_input
    int support_evaluations = 0;  ///< support points computed, of A and of B
};

/// Returns bounds of the depth of two cores that GJK found overlapping, from the simplex that it left. With fewer than
/// four vertices (GJK then ended on touching the origin) the support planes are those of directions at right angles to
/// the simplex. Any simplex is safe: its vertices are looked up at this pose, and the bounds hold for it.
PenetrationEstimate penetration_estimate(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
                                         const SimplexCache& simplex, EstimateFaces faces = EstimateFaces::all);

}  // namespace talus
