#pragma once
/// Internal: a pair of which one shape is a triangle of a surface (surface_contact.h): its contact along the face.

#include "narrowphase/ladder/collide_call.h"
#include "narrowphase/support/core_support.h"
#include "narrowphase/triangles/surface_contact.h"

namespace talus::detail {

/// A surface triangle and another shape, with functions that take directions and points from one frame to another.
struct SurfacePair {
    const SurfaceTriangle* triangle = nullptr;
    const Shape* shape = nullptr;  ///< the triangle's
    const Shape* other = nullptr;  ///< the other shape
    const MatrixTransform* b_in_a = nullptr;
    bool is_a = false;  ///< the triangle is shape a of the pair

    explicit operator bool() const { return triangle != nullptr; }
    /// Turns a direction from a to b (a's frame) into one from the triangle to the other shape (triangle's frame).
    vec3 from_ab(const vec3& d) const { return is_a ? d : transpose_mul(b_in_a->rotation, -d); }
    /// The inverse of `from_ab`.
    vec3 to_ab(const vec3& d) const { return is_a ? d : -(b_in_a->rotation * d); }
    /// Takes a point of the other shape's frame to the triangle's frame.
    vec3 to_triangle(const vec3& p) const {
        return is_a ? transform_point(*b_in_a, p) : transpose_mul(b_in_a->rotation, p - b_in_a->position);
    }
    /// Takes a direction of the triangle's frame to the other shape's frame.
    vec3 direction_to_other(const vec3& d) const {
        return is_a ? transpose_mul(b_in_a->rotation, d) : b_in_a->rotation * d;
    }
    /// Takes a point of the triangle's frame to a's frame.
    vec3 point_to_a(const vec3& p) const { return is_a ? p : transform_point(*b_in_a, p); }
    /// True if a contact normal (from a to b, a's frame) is one of the surface's own.
    bool has_normal(const vec3& ab) const { return is_surface_normal(*shape, *triangle, from_ab(ab)); }
    /// Returns the other shape's point that is farthest against `n`. Both in the triangle's frame.
    vec3 lowest(const vec3& n) const {
        return to_triangle(farthest_point(*other, direction_to_other(-n), 0)) - other->radius * n;
    }
};

/// Returns the pair as a surface triangle and another shape; its `triangle` is null if neither shape is one.
inline SurfacePair surface_of(const CollideCall& call, const PairTest& test) {
    const PairRecord& record = *test.record;
    SurfacePair s;
    for (const bool is_a : {true, false}) {
        const std::uint32_t collider = is_a ? record.a : record.b;
        if (call.colliders.shapes[collider].type != ShapeType::triangle) continue;
        s.triangle = call.colliders.surface_triangle(collider);
        if (s.triangle == nullptr) continue;
        s.shape = &call.colliders.shapes[collider];
        s.other = &call.colliders.shapes[is_a ? record.b : record.a];
        s.b_in_a = &test.b_in_a;
        s.is_a = is_a;
        break;
    }
    return s;
}

/// True if a contact along `normal` (unit, from a to b, a's frame) is a contact of the whole surface, not of one
/// triangle looked at alone. On a two-sided surface it is false, too, for a normal that pushes the shape out on the
/// wrong side.
bool is_surface_contact(const PairTest& test, const SurfacePair& s, const vec3& normal);

/// Settles the pair along the triangle's face: a contact if the other shape is over the triangle, else none. `apart`: a
/// lower bound of the distance of the two shapes, m.
void touch_by_face(const CollideCall& call, const PairTest& test, const SurfacePair& s, float apart);

}  // namespace talus::detail
