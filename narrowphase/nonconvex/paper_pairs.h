#pragma once
/// Internal: the paper's rule for the edge-face pairs that detect a contact. candidates.h needs fewer.

#include <talus/narrowphase/nonconvex/motion.h>
#include "narrowphase/nonconvex/orientation_graph.h"

namespace talus {

/// Calls add(of_a, pair) for the edge-face pairs of one contact as the paper's section 3 takes them: the first edge of
/// the vertex with the face; of two edges, each with both faces of the other. of_a: whether the edge is A's.
template <class Add>
void paper_edge_faces(const OrientationGraph& a, const OrientationGraph& b, const Polyhedron& solid_a,
                      const Polyhedron& solid_b, const FeaturePair& p, Add&& add) {
    const auto edge_at = [](const OrientationGraph& graph, std::uint32_t vertex) {
        return graph.edge_of[graph.regions[graph.region_of_vertex[vertex]].first];
    };
    switch (p.kind) {
        case FeaturePairKind::a_vertex:
            add(true, EdgeFacePair{edge_at(a, p.a), p.b});
            break;
        case FeaturePairKind::b_vertex:
            add(false, EdgeFacePair{edge_at(b, p.b), p.a});
            break;
        case FeaturePairKind::edges:
            for (const std::uint32_t f : solid_b.edges[p.b].faces) add(true, EdgeFacePair{p.a, f});
            for (const std::uint32_t f : solid_a.edges[p.a].faces) add(false, EdgeFacePair{p.b, f});
            break;
    }
}

}  // namespace talus
