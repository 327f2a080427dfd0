#include "narrowphase/triangles/facets.h"

#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/triangle_meets_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

namespace {

/// True if a triangle faces along the normal, with its corners in the plane, to `flatness` (m).
bool lies_in(const SetTriangle& triangle, const vec3& normal, const vec3& on_plane, float flatness) {
    if (!(glm::dot(triangle.normal, normal) > 0.0f)) return false;
    for (const vec3& p : triangle.points) {
        if (!(std::abs(glm::dot(p - on_plane, normal)) <= flatness)) return false;
    }
    return true;
}

}  // namespace

float facet_flatness(const Aabb& box, float size) {
    const vec3 far = glm::max(absolute(box.lower), absolute(box.upper));
    return tolerance::facet_flatness * size + tolerance::facet_rounding * std::max({far.x, far.y, far.z});
}

std::uint32_t triangle_at(const TriangleSet& set, std::uint32_t triangle, const vec3& point, float flatness) {
    const SetTriangle own = set.triangle(triangle);
    std::vector<std::uint32_t> near;
    set.find(expand(Aabb{point, point}, flatness), near);
    std::uint32_t best = triangle;
    float most = -2.0f * flatness;
    for (const std::uint32_t t : near) {
        const SetTriangle each = set.triangle(t);
        if (!lies_in(each, own.normal, own.points[0], 2.0f * flatness)) continue;
        float inside = std::numeric_limits<float>::infinity();  // by how much the point is inside of all edges, m
        for (int i = 0; i < 3; ++i) {
            const vec3 &p = each.points[i], &q = each.points[(i + 1) % 3];
            const vec3 in = glm::cross(each.normal, q - p);
            inside = std::min(inside, glm::dot(point - p, in) / std::sqrt(length_squared(in)));
        }
        if (inside > most) most = inside, best = t;
    }
    return best;
}

/// True if the surface goes on in the plane beyond an edge, or the edge does not come into the box.
bool FacetSearch::leads_on(const SetTriangle& triangle, int edge, const vec3& normal, const vec3& on_plane) const {
    const vec3 &p = triangle.points[edge], &q = triangle.points[(edge + 1) % 3], &beyond = triangle.beyond[edge];
    const bool goes_on = glm::dot(beyond - p, glm::cross(q - p, triangle.normal)) > 0.0f;
    if (goes_on && std::abs(glm::dot(beyond - on_plane, normal)) <= flatness_) return true;
    const vec3 line[3] = {p, q, q};
    return !triangle_meets_box(line, triangle.normal, box_);
}

/// Lists the triangles in the plane of `first`. Returns whether they are a facet: at least two, that cover the plane in
/// the box, of one material.
bool FacetSearch::is_facet(const Near& first) {
    const vec3 &normal = first.triangle.normal, &on_plane = first.triangle.points[0];
    members_.clear();
    for (std::uint32_t i = 0; i < near_.size(); ++i) {
        const Near& other = near_[i];
        if (!lies_in(other.triangle, normal, on_plane, flatness_)) continue;
        if (other.ends || other.triangle.material != first.triangle.material) return false;
        for (int edge = 0; edge < 3; ++edge) {
            if (!leads_on(other.triangle, edge, normal, on_plane)) return false;
        }
        members_.push_back(i);
    }
    return members_.size() > 1;
}

void FacetSearch::find(const TriangleSet& set, const Aabb& box, float flatness, std::vector<std::uint32_t>& triangles) {
    facets_.clear();
    near_.clear();
    box_ = box;
    flatness_ = flatness;
    // On a slope, the boxes of many triangles overlap the box though the triangles themselves do not.
    for (const std::uint32_t t : triangles) {
        const SetTriangle triangle = set.triangle(t);
        if (triangle_meets_box(triangle.points, triangle.normal, box)) near_.push_back({t, triangle});
    }
    triangles.clear();
    for (Near& each : near_) {
        for (int edge = 0; edge < 3 && !each.ends; ++edge)
            each.ends = !leads_on(each.triangle, edge, each.triangle.normal, each.triangle.points[0]);
    }
    const vec3 middle = center(box);
    for (Near& each : near_) {
        if (each.ends || each.in_facet || !is_facet(each)) continue;
        const vec3& n = each.triangle.normal;
        facets_.push_back({each.index, n, middle - glm::dot(middle - each.triangle.points[0], n) * n});
        for (const std::uint32_t i : members_) near_[i].in_facet = true;
    }
    for (const Near& each : near_) {
        if (!each.in_facet) triangles.push_back(each.index);
    }
}

}  // namespace talus::detail
