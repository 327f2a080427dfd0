#include <talus/narrowphase/papers/polytope_graph.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus {

namespace {

using glm::vec2;

constexpr std::size_t most_points = 65535;

Error polygon_refusal(ErrorCode code, const std::string& what) { return {code, "make_polygon_graph: " + what}; }

/// Whether a, b, c turn left.
bool turns_left(const vec2& a, const vec2& b, const vec2& c) {
    const glm::dvec2 ab = glm::dvec2(b) - glm::dvec2(a), ac = glm::dvec2(c) - glm::dvec2(a);
    return ab.x * ac.y - ab.y * ac.x > 0.0;
}

/// Appends to `chain` the lower or upper half of the hull of sorted points, without its last point.
template <class Iterator>
void add_half(Iterator from, Iterator to, std::vector<vec2>& chain) {
    const std::size_t begin = chain.size();
    for (; from != to; ++from) {
        while (chain.size() >= begin + 2 && !turns_left(chain[chain.size() - 2], chain.back(), *from)) chain.pop_back();
        chain.push_back(*from);
    }
    chain.pop_back();
}

}  // namespace

Result<PolytopeGraph> make_polygon_graph(std::span<const vec2> points) {
    if (points.size() > most_points)
        return polygon_refusal(ErrorCode::too_complex,
                               "there are " + std::to_string(points.size()) + " points; there may be at most 65,535.");
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!std::isfinite(points[i].x) || !std::isfinite(points[i].y))
            return polygon_refusal(ErrorCode::not_finite,
                                   "point " + std::to_string(i) + " is not finite; leave it out or mend it.");
    }
    std::vector<vec2> sorted(points.begin(), points.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const vec2& p, const vec2& q) { return p.x != q.x ? p.x < q.x : p.y < q.y; });
    std::vector<vec2> corners;
    if (sorted.size() >= 3) {
        add_half(sorted.begin(), sorted.end(), corners);
        add_half(sorted.rbegin(), sorted.rend(), corners);
    }
    if (corners.size() < 3)
        return polygon_refusal(ErrorCode::degenerate_shape,
                               "the " + std::to_string(points.size()) +
                                   " points span no area; give three or more that are not on one line.");

    PolytopeGraph graph;
    const std::size_t count = corners.size();
    for (std::size_t i = 0; i < count; ++i) {
        graph.vertices.push_back({corners[i].x, corners[i].y, 0.0f});
        graph.first.push_back(static_cast<std::uint32_t>(2 * i));
        graph.neighbours.push_back(static_cast<std::uint16_t>(i == 0 ? count - 1 : i - 1));
        graph.neighbours.push_back(static_cast<std::uint16_t>(i + 1 == count ? 0 : i + 1));
        graph.centroid += glm::dvec3(graph.vertices.back());
    }
    graph.first.push_back(static_cast<std::uint32_t>(2 * count));
    graph.centroid /= static_cast<double>(count);
    graph.hierarchy = VertexHierarchy(count);
    graph.planar = true;
    return graph;
}

}  // namespace talus
