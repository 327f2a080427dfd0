/// The mass of the solid inside a closed mesh.

#include <talus/narrowphase/triangles/mesh.h>

#include "common/number_text.h"
#include "narrowphase/shapes/moments.h"
#include "narrowphase/triangles/clean_triangles.h"

#include <algorithm>
#include <string>
#include <vector>

namespace talus {

using namespace detail;

Result<MassProperties> mesh_mass_properties(std::span<const vec3> vertices, std::span<const std::uint32_t> indices,
                                            float density) {
    if (!(density > 0.0f) || !is_finite(density))
        return mesh_refused(is_finite(density) ? ErrorCode::bad_size : ErrorCode::not_finite,
                            "its density is " + text(density) + "; it must be positive and finite (kg/m^3)");
    CleanTriangles cleaned;
    if (Error error = clean_triangles(vertices, indices, false, cleaned))
        return error;  // thin triangles are kept, because they may close the mesh
    // Each edge must be there as often in one direction as in the other. Else there is a hole, or a triangle faces the
    // wrong way.
    struct Edge {
        std::uint32_t low, high;
        int sign;
    };
    std::vector<Edge> edges;
    glm::dvec3 middle(0.0);
    for (const Corners& c : cleaned.corners) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t p = c[i], q = c[(i + 1) % 3];
            edges.push_back({std::min(p, q), std::max(p, q), p < q ? 1 : -1});
            middle += glm::dvec3(vertices[p]);
        }
    }
    middle /= static_cast<double>(edges.size());
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
    for (std::size_t first = 0; first < edges.size();) {
        std::size_t last = first;
        int sum = 0;
        for (; last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high;
             ++last)
            sum += edges[last].sign;
        if (sum != 0) {
            return mesh_refused(ErrorCode::degenerate_shape,
                                "it is not closed, or a triangle faces inward, at the edge between vertices " +
                                    std::to_string(edges[first].low) + " and " + std::to_string(edges[first].high));
        }
        first = last;
    }
    Moments moments;  // about the middle: far from the origin they would be differences of large numbers
    for (const Corners& c : cleaned.corners) {
        moments.add_tetrahedron(glm::dvec3(vertices[c[0]]) - middle, glm::dvec3(vertices[c[1]]) - middle,
                                glm::dvec3(vertices[c[2]]) - middle);
    }
    if (!(moments.volume > 0.0))
        return mesh_refused(ErrorCode::degenerate_shape, "it has no volume, or all its triangles face inward");
    const auto mass = static_cast<double>(density);
    const MassProperties result{static_cast<float>(mass * moments.volume), vec3(moments.center() + middle),
                                round_inertia(mass * moments.inertia())};
    const mat3& m = result.inertia;
    if (!is_finite(result.mass) || !is_finite(m[0]) || !is_finite(m[1]) || !is_finite(m[2]))
        return mesh_refused(ErrorCode::bad_size, "its density is " + text(density) + " kg/m^3 and its volume about " +
                                                     text(static_cast<float>(moments.volume)) +
                                                     " m^3; mass and inertia must be within the range of float");
    return result;
}

}  // namespace talus
