#pragma once
/// Internal: facets, triangles of a surface that lie in one plane near a shape.
///
/// A floor of 100 triangles is one plane. If no edge of that plane is near a shape, the shape cannot tell it from a
/// larger triangle. So it has one contact with such a triangle, the facet, instead of 100. The facet is made where the
/// shape is, and moves with it.
///
/// The triangles must cover the plane wherever it is inside of the shape's box: each edge that comes into the box must
/// lead to a triangle in the same plane. Where the surface ends, has a hole or folds, they remain single triangles.

#include <talus/narrowphase/triangles/triangle_set.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

struct Facet {
    std::uint32_t triangle = 0;  ///< the first one, which gives the plane
    vec3 normal{0.0f};           ///< of that triangle, unit
    vec3 middle{0.0f};           ///< the place of the plane that is nearest to the middle of the box, m
};

/// Returns by how much the corners of a facet's triangles may be off its plane, m. `size`: of the shape.
float facet_flatness(const Aabb& box, float size);

/// Returns the triangle that contains a point of a facet (m, the set's frame), or that is nearest to it of those within
/// `flatness` (m). If there is none, returns the facet's own `triangle`.
std::uint32_t triangle_at(const TriangleSet& set, std::uint32_t triangle, const vec3& point, float flatness);

class FacetSearch {
public:
    /// Finds the facets in a box. Removes from `triangles`, which the set found in the box, those that do not come into
    /// it and those that the facets stand for.
    void find(const TriangleSet& set, const Aabb& box, float flatness, std::vector<std::uint32_t>& triangles);
    std::span<const Facet> facets() const { return facets_; }

private:
    struct Near {
        std::uint32_t index;
        SetTriangle triangle;
        bool ends = false;  ///< an edge that comes into the box does not lead on in the plane
        bool in_facet = false;
    };
    bool leads_on(const SetTriangle& triangle, int edge, const vec3& normal, const vec3& on_plane) const;
    bool is_facet(const Near& first);

    Aabb box_{};
    float flatness_ = 0.0f;
    std::vector<Facet> facets_;
    // Scratch.
    std::vector<Near> near_;
    std::vector<std::uint32_t> members_;  ///< indices in near_
};

}  // namespace talus::detail
