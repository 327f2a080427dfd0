#include "samples/runner/outputs/feature_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <set>
#include <string>

namespace talus::samples {

namespace {

using Index = std::uint32_t;

bool is_event(OverlayStepKind kind) {
    return kind == OverlayStepKind::node_passed || kind == OverlayStepKind::arc_begins ||
           kind == OverlayStepKind::arc_ends || kind == OverlayStepKind::second_round;
}

/// Begins a stop at each event, and where the meridian has moved on to a region.
void find_stops(FeatureSteps& out) {
    constexpr double west = -std::numbers::pi;
    const std::vector<OverlayStep>& steps = out.trace.steps;
    std::vector<SweepStop> stops{{0, 0, west, false}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool event = is_event(steps[i].kind), has_begun = stops.size() > 1;
        if (event || (has_begun && steps[i].longitude != steps[stops.back().first].longitude)) {
            const double longitude = steps[i].kind == OverlayStepKind::second_round ? west : steps[i].longitude;
            stops.push_back({i, i, longitude, event});
        }
        stops.back().last = i + 1;
    }
    bool again = false;
    for (const SweepStop& stop : stops) {
        const bool turns = stop.has_event && steps[stop.first].kind == OverlayStepKind::second_round;
        if (turns) out.second_round = out.stops.size();
        again |= turns;
        const bool tests = stop.last > stop.first + (stop.has_event ? 1 : 0);
        if (!again || turns || tests) out.stops.push_back(stop);
    }
    out.stops.push_back({steps.size(), steps.size(), std::numbers::pi, false});
}

void find_pairs(FeatureSteps& out) {
    std::set<std::array<Index, 2>> edges, a_vertices, b_vertices;
    for (std::size_t s = 0; s < out.stops.size(); ++s) {
        for (std::size_t i = out.stops[s].first; i < out.stops[s].last; ++i) {
            const OverlayStep& step = out.trace.steps[i];
            if (step.kind == OverlayStepKind::arcs_cross) {
                if (edges.insert({step.index, step.other}).second) out.edges.push_back({step.index, step.other, s});
            } else if (step.kind == OverlayStepKind::node_in_region && step.of_b) {
                if (a_vertices.insert({step.other, step.index}).second)
                    out.a_vertices.push_back({step.other, step.index, s});
            } else if (step.kind == OverlayStepKind::node_in_region) {
                if (b_vertices.insert({step.index, step.other}).second)
                    out.b_vertices.push_back({step.index, step.other, s});
            }
        }
    }
}

std::size_t count_up_to(const std::vector<FeatureSteps::Found>& found, std::size_t stop) {
    const auto end = std::upper_bound(found.begin(), found.end(), stop,
                                      [](std::size_t s, const FeatureSteps::Found& each) { return s < each.stop; });
    return static_cast<std::size_t>(end - found.begin());
}

}  // namespace

Result<SolidShape> solid_of(const ShapeDef& shape) {
    const bool is_polyhedron =
        (shape.shape.type == ShapeType::box || shape.shape.type == ShapeType::hull) && shape.shape.radius == 0.0f;
    if (shape.mesh ? !shape.mesh->is_solid() : !is_polyhedron)
        return Error{ErrorCode::bad_argument, "it is no solid with flat faces"};
    SolidShape solid;
    solid.surface = triangulate(shape);
    // Triangles for drawing have corners of their own. Those of a solid are shared by position.
    const auto before = [](const vec3& p, const vec3& q) {
        return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
    };
    std::map<vec3, Index, decltype(before)> numbers(before);
    std::vector<vec3> vertices;
    std::vector<Index> triangles;
    for (const DrawTriangle& t : solid.surface.triangles) {
        for (const Index corner : t.v) {
            const vec3& at = solid.surface.positions[corner];
            const auto [entry, is_new] = numbers.emplace(at, static_cast<Index>(vertices.size()));
            if (is_new) vertices.push_back(at);
            triangles.push_back(entry->second);
        }
    }
    Result<NonconvexShape> made = make_nonconvex(vertices, triangles);
    if (!made) return made.error();
    solid.shape = std::move(*made);
    solid.graph = make_face_orientation_graph(solid.shape.polyhedron);
    return solid;
}

FeaturePairs FeatureSteps::found_up_to(std::size_t stop) const {
    return {count_up_to(edges, stop), count_up_to(a_vertices, stop) + count_up_to(b_vertices, stop), 0};
}

FeatureSteps sweep_features(const SolidShape& a, const SolidShape& b, const quat& rotation) {
    FeatureSteps out;
    const Polyhedron &pa = a.shape.polyhedron, &pb = b.shape.polyhedron;
    out.all = {pa.edges.size() * pb.edges.size(),
               pa.vertices.size() * pb.faces.size() + pa.faces.size() * pb.vertices.size(),
               pa.edges.size() * pb.faces.size() + pa.faces.size() * pb.edges.size()};
    out.trace = trace_overlay(a.shape, b.shape, glm::dquat(rotation), OverlayMethod::sweep);
    if (out.trace.steps.empty()) return out;
    find_stops(out);
    find_pairs(out);
    out.applicable = out.found_up_to(out.stops.size());
    ContactScratch scratch;
    find_candidates(a.shape, Transform{}, b.shape, Transform{vec3(0.0f), rotation}, scratch);
    out.applicable.edge_faces = scratch.candidates.size();
    return out;
}

}  // namespace talus::samples
