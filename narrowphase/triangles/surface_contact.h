#pragma once
/// Internal: whether a contact with one triangle is a contact with the surface that it is part of.
///
/// Taken alone, a triangle of a level floor has edges: a box that slides onto it is nearest to an edge, along a normal
/// that points back, and is stopped by nothing (a "ghost collision"). The surface has no such normal there. A normal is
/// valid for a surface at a point if no neighbour rises above the plane through that point across the normal. If a
/// neighbour does, and the shape is over the triangle, its contact is along the triangle's face. Otherwise the contact
/// belongs to the neighbours.
///
/// A one-sided surface stops shapes that come from its front. A shape whose centre is behind a triangle's plane has
/// no contact with it, unless the two touched at the last test: a shape that was pressed in that far must still be
/// pushed out.

#include <talus/narrowphase/collide.h>
#include <talus/narrowphase/triangles/triangle_set.h>
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// To which triangle a contact normal belongs.
enum class NormalOf : std::uint8_t {
    surface,          ///< valid for the surface: no neighbour rises above the contact plane
    level_neighbour,  ///< a neighbour that is level or rises does: the contact is along the triangle's face
    neighbour,        ///< a neighbour that falls away does: the contact is with that one
};

/// Returns to which triangle the normal `d` belongs (unit, from the triangle to the other shape, triangle's frame).
inline NormalOf owner_of_normal(const Shape& triangle, const SurfaceTriangle& surface, const vec3& d) {
    const float along = glm::dot(d, surface.normal);
    if ((surface.two_sided ? std::abs(along) : along) >= tolerance::surface_face) return NormalOf::surface;
    // At a very sharp fold, or from behind. An edge that is hit from its side is hit.
    if (!surface.two_sided && along < -tolerance::surface_edge_on) return NormalOf::neighbour;
    const auto size = [](const vec3& v) { return std::sqrt(length_squared(v)); };
    float height[3];
    for (int i = 0; i < 3; ++i) height[i] = glm::dot(d, triangle.points[i]);
    const float top = std::max({height[0], height[1], height[2]});
    bool at_top[3];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const float edge = std::max(size(triangle.points[(i + 1) % 3] - triangle.points[i]),
                                    size(triangle.points[(i + 2) % 3] - triangle.points[i]));
        at_top[i] = height[i] >= top - tolerance::surface_rise * edge;
        count += at_top[i] ? 1 : 0;
    }
    if (count == 3) return NormalOf::surface;
    const vec3 up = along < 0.0f ? -surface.normal : surface.normal;
    NormalOf owner = NormalOf::surface;
    const auto ask = [&](const vec3& beyond) {
        if (!(glm::dot(d, beyond) > tolerance::surface_rise * size(beyond))) return;
        const bool level = glm::dot(up, beyond) >= -tolerance::surface_level * size(beyond);
        owner = std::max(owner, level ? NormalOf::level_neighbour : NormalOf::neighbour);
    };
    // At an edge the neighbour across it counts, at a corner all triangles around it.
    for (int i = 0; i < 3; ++i) {
        if (count == 2) {
            if (at_top[i] && at_top[(i + 1) % 3]) ask(surface.beyond[i] - triangle.points[i]);
        } else if (at_top[i]) {
            const SetTriangle own = surface.set->triangle(surface.index);
            surface.set->around(surface.index, i, [&](const vec3& point) { ask(point - own.points[i]); });
        }
    }
    return owner;
}

inline bool is_surface_normal(const Shape& triangle, const SurfaceTriangle& surface, const vec3& d) {
    return owner_of_normal(triangle, surface, d) == NormalOf::surface;
}

/// A triangle of a set as a collider, in a frame around its middle, in which floats are most accurate.
struct PlacedTriangle {
    Shape shape;
    SurfaceTriangle surface;
    vec3 middle{0.0f};  ///< of the triangle, the set's frame
    std::uint32_t material = 0;
};

/// Returns the middle of a triangle's box.
inline vec3 middle_of(const vec3& a, const vec3& b, const vec3& c) {
    const vec3 low = glm::min(a, glm::min(b, c)), high = glm::max(a, glm::max(b, c));
    return low + 0.5f * (high - low);
}

inline PlacedTriangle place_triangle(const TriangleSet& set, std::uint32_t index) {
    const SetTriangle t = set.triangle(index);
    const bool two_sided = set.is_two_sided();
    PlacedTriangle placed;
    placed.material = t.material;
    placed.surface.set = &set;
    placed.surface.index = index;
    placed.middle = middle_of(t.points[0], t.points[1], t.points[2]);
    placed.shape = triangle(t.points[0] - placed.middle, t.points[1] - placed.middle, t.points[2] - placed.middle);
    placed.surface.normal = t.normal;
    placed.surface.two_sided = two_sided;
    placed.surface.face_only = true;
    for (int i = 0; i < 3; ++i) {
        placed.surface.beyond[i] = t.beyond[i] - placed.middle;
        const vec3 &p = placed.shape.points[i], &q = placed.shape.points[(i + 1) % 3];
        const vec3 to_beyond = placed.surface.beyond[i] - p;
        const float rise = glm::dot(t.normal, to_beyond);
        // False if the surface ends at the edge or folds back there.
        const bool goes_on = glm::dot(to_beyond, glm::cross(q - p, t.normal)) > 0.0f;
        const float level = tolerance::surface_rise * std::sqrt(length_squared(to_beyond));
        const bool flat = std::abs(rise) <= level, hollow = rise > level && !two_sided;
        if (!(goes_on && flat) && !hollow) placed.surface.face_only = false;
    }
    return placed;
}

/// Returns the facet around `middle` (m, in the plane of the triangle) as a collider: an equilateral triangle around a
/// circle of radius `reach` (m). Its surface goes on in the plane on all sides.
inline PlacedTriangle place_facet(const TriangleSet& set, std::uint32_t index, const vec3& middle, float reach) {
    const SetTriangle t = set.triangle(index);
    const vec3 edge = t.points[1] - t.points[0];
    const vec3 u = edge / std::sqrt(length_squared(edge)), v = glm::cross(t.normal, u);
    const vec3 across = std::sqrt(3.0f) * reach * v;
    PlacedTriangle placed;
    placed.material = t.material;
    placed.middle = middle;
    placed.shape = triangle(2.0f * reach * u, across - reach * u, -across - reach * u);
    placed.surface.set = &set;
    placed.surface.index = index;
    placed.surface.normal = t.normal;
    placed.surface.two_sided = set.is_two_sided();
    placed.surface.face_only = true;
    const vec3(&p)[3] = placed.shape.points;
    for (int i = 0; i < 3; ++i) placed.surface.beyond[i] = p[i] + p[(i + 1) % 3] - p[(i + 2) % 3];
    return placed;
}

/// Returns the triangle with its edges moved outward by `move` (m). No corner moves farther than twice `most`, because
/// the surface may turn away beyond a corner.
inline Shape with_edges_moved(const Shape& shape, const SurfaceTriangle& surface, const float (&move)[3], float most) {
    vec3 out[3];
    for (int i = 0; i < 3; ++i) {
        const vec3 across = glm::cross(shape.points[(i + 1) % 3] - shape.points[i], surface.normal);
        out[i] = across / std::sqrt(length_squared(across));
    }
    Shape grown = shape;
    for (int i = 0; i < 3; ++i) {
        const int before = (i + 2) % 3;  // the corner moves to where the two moved edges meet
        const float c = glm::dot(out[i], out[before]), determinant = 1.0f - c * c;
        vec3 shift = move[i] * out[i];
        if (determinant > 1e-3f) {
            const float u = (move[i] - c * move[before]) / determinant, v = (move[before] - c * move[i]) / determinant;
            shift = u * out[i] + v * out[before];
        }
        const float far = std::sqrt(length_squared(shift));
        grown.points[i] += far > 2.0f * most ? (2.0f * most / far) * shift : shift;
    }
    return grown;
}

/// Returns the triangle with those edges moved outward by `by` (m) beyond which the surface is level or rises. For a
/// corner of the other shape that penetrates at such an edge, the depth is measured from the face, not from the edge.
inline Shape grown_over_level_edges(const Shape& shape, const SurfaceTriangle& surface, float by) {
    float move[3];
    for (int i = 0; i < 3; ++i) {
        const vec3 &p = shape.points[i], &q = shape.points[(i + 1) % 3];
        const vec3 across = glm::cross(q - p, surface.normal), to_beyond = surface.beyond[i] - p;
        const bool goes_on = glm::dot(to_beyond, across) > 0.0f || glm::dot(to_beyond, surface.normal) > 0.0f;
        const bool falls =
            glm::dot(to_beyond, surface.normal) < -tolerance::surface_level * std::sqrt(length_squared(to_beyond));
        move[i] = goes_on && !falls ? by : 0.0f;
    }
    return with_edges_moved(shape, surface, move, by);
}

/// Makes the triangle with edges moved outward by up to `most` (m), for a shape that is beyond an edge only because it
/// penetrates the neighbour there. These edges are moved: edges from which the surface rises, if `middle` (a point on
/// the side where the shape belongs, triangle's frame) is in front of the neighbour, too; and level edges, as far as
/// the moved triangle is above its neighbour by no more than `depth` (m). Returns false, and makes no triangle, if
/// there are no such edges.
inline bool grow_where_sunk(const Shape& shape, const SurfaceTriangle& surface, const vec3& middle, float depth,
                            float most, Shape& grown) {
    float move[3] = {};
    bool any = false;
    const float side = glm::dot(surface.normal, middle - shape.points[0]) < 0.0f ? -1.0f : 1.0f;
    for (int i = 0; i < 3; ++i) {
        const vec3 &p = shape.points[i], &q = shape.points[(i + 1) % 3];
        const vec3 across = glm::cross(q - p, surface.normal), to_beyond = surface.beyond[i] - p;
        const float size = std::sqrt(length_squared(to_beyond)),
                    rise = side * glm::dot(to_beyond, surface.normal) / size;
        const bool goes_on = glm::dot(to_beyond, across) > 0.0f;
        if (rise > tolerance::surface_rise) {
            const vec3 front = glm::cross(p - q, surface.beyond[i] - q);
            move[i] = side * glm::dot(front, middle - p) > 0.0f ? most : 0.0f;
        } else if (goes_on && rise >= -tolerance::surface_level) {
            move[i] = std::min(most, depth / std::max(-rise, tolerance::surface_rise));
        }
        any = any || move[i] > 0.0f;
    }
    if (any) grown = with_edges_moved(shape, surface, move, most);
    return any;
}

/// Makes the triangle with those edges moved outward to `low`, the lowest point of a shape, from which the surface
/// rises, as a floor does to a wall. A shape that penetrates the wall a little is not above the floor any more, but
/// nothing else supports it. Edges are moved only if the shape's `middle` is on the triangle's side of them. (Points
/// are in the triangle's frame; `n` is the face's normal on the side of the shape; edges move by at most `most`, m.)
/// Returns false, and makes no triangle, if such edges are not the reason why the shape is not over the triangle.
inline bool grow_to_hollow_edges(const Shape& shape, const SurfaceTriangle& surface, const vec3& n, const vec3& low,
                                 const vec3& middle, float most, Shape& grown) {
    float move[3] = {};
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        const vec3 &p = shape.points[i], &q = shape.points[(i + 1) % 3];
        const vec3 across = glm::cross(q - p, surface.normal), to_beyond = surface.beyond[i] - p;
        const vec3 out = across / std::sqrt(length_squared(across));
        const float beyond = glm::dot(out, low - p);
        if (!(beyond > 0.0f)) continue;
        const bool rises = glm::dot(n, to_beyond) > tolerance::surface_rise * std::sqrt(length_squared(to_beyond));
        if (!rises || !(beyond < most) || !(glm::dot(out, middle - p) < 0.0f)) return false;
        move[i] = 1.01f * beyond;
        any = true;
    }
    if (any) grown = with_edges_moved(shape, surface, move, most);
    return any;
}

}  // namespace talus::detail
