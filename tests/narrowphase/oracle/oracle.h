#pragma once
/// A slow and simple oracle for the narrowphase's distances, depths and normals. It works in double, and shares neither
/// code nor algorithms with GJK or EPA, so that a mistake would have to be made twice, in two ways.
///
/// Everything follows from one function. For a unit direction n let
///
///     s(n) = min over B of n.x - max over A of n.x            A |####|   s(n)   |#####| B   --> n
///
/// be the gap between the projections of the two on the line along n, negative if they overlap. Then
///
///     signed distance = max over all unit n of s(n)           (its direction is the contact normal, from A to B)
///
/// for separated pairs (the plane that separates best) and for penetrating ones (the least depth) alike. So *each*
/// direction gives a proved lower bound, too many candidate directions do no harm, and s(n) of another algorithm's
/// normal measures how good that normal is, even if the best one is not unique. There are two searches for the maximum:
///
/// - `signed_distance_by_features`: polytope cores only, exact to rounding. Overlapping: the maximum is at a facet of
///   the Minkowski difference A - B, so all face normals and all edge x edge directions are tried. Separated: all pairs
///   of (vertex, face) and (edge, edge). O(edges^2 * vertices).
/// - `signed_distance_by_bounds`: any cores. Branch and bound over the sphere of directions: over a triangle of
///   directions s is at most the value of a 3 x 3 matrix game, so triangles that cannot win are dropped, and the rest
///   is cut until the winner is proved to within a tolerance.
///
/// Radii are swept around cores: s of the shapes is s of the cores minus both radii, so the radii are subtracted at the
/// end.

#include <talus/narrowphase/shape.h>

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <array>
#include <vector>

namespace talus::oracle {

using glm::dmat3;
using glm::dvec3;

/// A shape's core with its features in double, plus the radius. Points and segments are polytopes without faces.
struct Solid {
    struct Face {
        dvec3 normal;              ///< unit; a triangle core has two faces, one each way
        std::vector<int> corners;  ///< convex polygon, in order around the normal
    };

    ShapeType type = ShapeType::sphere;
    double radius = 0.0;  ///< swept around the core, m
    std::vector<dvec3> vertices;
    std::vector<std::array<int, 2>> edges;  ///< a point is one edge from itself to itself
    std::vector<Face> faces;
    double rim_radius = 0.0;   ///< cylinder and cone, m
    double half_height = 0.0;  ///< cylinder and cone, m
    dvec3 center{0.0};         ///< of the core's vertices' box
    double size = 0.0;         ///< radius of a sphere around `center` that contains the shape, m

    dvec3 ellipsoid{0.0};  ///< its half axes, m; zero for other shapes

    bool is_curved() const { return rim_radius > 0.0 || ellipsoid.x > 0.0; }
};

/// Reads the shape's numbers, and of a hull only its vertices: faces are found again here, by trying all triples. Of
/// mappings only ellipsoids, by their radii.
Solid make_solid(const Shape& shape);

/// The convex hull of points, which may be a solid, a polygon, a segment or one point.
Solid make_solid(std::vector<dvec3> points);

/// The pose of B in A's frame. The matrix is taken as it is: both sides must mean the same B, rounding included.
struct Pose {
    dvec3 position{0.0};
    dmat3 rotation{1.0};

    Pose() = default;
    explicit Pose(const MatrixTransform& f) : position(f.position), rotation(f.rotation) {}
};

/// The core's farthest point along `direction`, in the solid's own frame.
dvec3 core_support(const Solid& solid, const dvec3& direction);

/// s(n), radii included; n is normalised here.
double separation_along(const Solid& a, const Solid& b, const Pose& b_in_a, const dvec3& n);

struct SignedDistance {
    double separation = 0.0;  ///< negative when penetrating, radii included, m
    dvec3 normal{0.0};        ///< unit, from A to B, in A's frame
    double error = 0.0;       ///< the truth lies in [separation, separation + error], m
    /// Best s(n) met at more than `distinct_angle` from the normal, if within `contender_margin` sizes.
    double runner_up = 0.0;
    bool has_runner_up = false;
    int evaluations = 0;
};

/// Directions closer than this (rad) count as one.
inline constexpr double distinct_angle = 0.02;
/// Directions that lose by more than this (in sizes of the smaller solid) are not remembered as runner-up.
inline constexpr double contender_margin = 2e-3;

SignedDistance signed_distance_by_features(const Solid& a, const Solid& b, const Pose& b_in_a);
SignedDistance signed_distance_by_bounds(const Solid& a, const Solid& b, const Pose& b_in_a, double tolerance);

/// Features for polytopes, bounds where a core is curved.
SignedDistance signed_distance(const Solid& a, const Solid& b, const Pose& b_in_a, double tolerance);
SignedDistance signed_distance(const Shape& a, const Shape& b, const MatrixTransform& b_in_a);

/// Distance from p to the shape, radius included; zero or negative inside (there it is only a bound).
double distance_outside(const Solid& solid, const dvec3& p);

/// The best direction so far and those that nearly equal it.
class Contest {
public:
    explicit Contest(double margin) : margin_(margin) {}
    void enter(const dvec3& n, double s);
    double best() const { return best_; }
    /// Fills normal, separation and runner-up of the answer; `radii` come off.
    SignedDistance result(double radii) const;

private:
    struct Entry {
        dvec3 n;
        double s;
    };
    double margin_;
    double best_ = -1e300;
    dvec3 normal_{0.0, 1.0, 0.0};
    int evaluations_ = 0;
    std::vector<Entry> contenders_;
};

}  // namespace talus::oracle
