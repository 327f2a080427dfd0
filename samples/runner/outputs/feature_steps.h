#pragma once
/// Which features of two solids can touch first at an orientation, and how the papers' sweep finds them, arc by arc
/// (Jimenez and Torras 1999, section 3).
///
///     const auto a = solid_of(shape_a), b = solid_of(shape_b);     // or an Error that says why there is no graph
///     const FeatureSteps steps = sweep_features(*a, *b, b_in_a.rotation);

#include "samples/render/mesh.h"

#include <talus/narrowphase/nonconvex/face_orientation_graph.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus::samples {

/// A solid, its orientation graph, and its triangles for drawing.
struct SolidShape {
    NonconvexShape shape;
    FaceOrientationGraph graph;
    DrawMesh surface;
};

/// Returns the solid of a closed mesh, a box or a hull, in the shape's own frame. An Error for other shapes, rounded
/// ones, and meshes that make_polyhedron refuses.
Result<SolidShape> solid_of(const ShapeDef& shape);

/// Numbers of pairs of features of two solids.
struct FeaturePairs {
    std::size_t edges = 0;       ///< an edge of each
    std::size_t vertices = 0;    ///< a vertex of one and a face of the other
    std::size_t edge_faces = 0;  ///< an edge of one and a face of the other, as the interference tests take them
};

/// A stop of the sweeping meridian: an event, and what it makes the sweep test.
struct SweepStop {
    std::size_t first, last;  ///< its steps in OverlayTrace::steps: first to last - 1
    double longitude;         ///< of the meridian, rad
    /// Whether steps[first] is an event of the sweep: a node, an end of an arc, or the second round. Otherwise the
    /// sweep comes to a region; or it starts or ends, at the first and the last stop.
    bool has_event;
};

/// An overlay of the graphs of two solids, as the naive sweep makes it.
struct FeatureSteps {
    /// Features that can touch first.
    struct Found {
        std::uint32_t of_a, of_b;  ///< edge, vertex or face
        std::size_t stop;          ///< index of the stop that found them first
    };

    OverlayTrace trace;
    std::vector<SweepStop> stops;   ///< in order; those of the second round only if they test something
    std::size_t second_round = 0;   ///< index of the stop that begins the second round
    std::vector<Found> edges;       ///< edges of both, in the order in which they are found; each pair once
    std::vector<Found> a_vertices;  ///< vertices of A and faces of B
    std::vector<Found> b_vertices;  ///< faces of A and vertices of B
    FeaturePairs all;               ///< without pruning
    FeaturePairs applicable;        ///< that can touch first; of edges and faces: that are left to test

    /// Returns how many pairs of edges, and of vertices and faces, are found up to a stop. `edge_faces` is 0.
    FeaturePairs found_up_to(std::size_t stop) const;
};

/// Sweeps over the graphs of two solids, with B rotated by a unit quaternion in A's frame. There are no stops if the
/// quaternion is not unit.
FeatureSteps sweep_features(const SolidShape& a, const SolidShape& b, const quat& rotation);

}  // namespace talus::samples
