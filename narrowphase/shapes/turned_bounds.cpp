#include "narrowphase/shapes/turned_bounds.h"

#include <talus/narrowphase/mapping_solid.h>
#include "common/lanes/float4.h"
#include "narrowphase/shapes/hull_data.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Returns how far a disc of radius 1 in the local xz plane reaches along each axis of the world.
vec3 disc_reach(const mat3& m) {
    const auto reach = [&](int k) { return std::sqrt(m[0][k] * m[0][k] + m[2][k] * m[2][k]); };
    return {reach(0), reach(1), reach(2)};
}

float least_of(const Float4& v) { return std::min(std::min(v[0], v[1]), std::min(v[2], v[3])); }
float most_of(const Float4& v) { return std::max(std::max(v[0], v[1]), std::max(v[2], v[3])); }

Aabb vertex_bounds(const HullData& hull, const mat3& m) {
    Aabb box;
    const std::size_t padded = hull.x.size();
    for (int k = 0; k < 3; ++k) {
        const Float4 x = splat<Float4>(m[0][k]), y = splat<Float4>(m[1][k]), z = splat<Float4>(m[2][k]);
        const auto along = [&](std::size_t i) {
            return x * load_lanes(hull.x.data() + i) + y * load_lanes(hull.y.data() + i) +
                   z * load_lanes(hull.z.data() + i);
        };
        Float4 least = along(0), most = least;
        for (std::size_t i = 4; i < padded; i += 4) {
            const Float4 v = along(i);
            least = min_lanes(least, v);
            most = max_lanes(most, v);
        }
        box.lower[k] = least_of(least);
        box.upper[k] = most_of(most);
    }
    return box;
}

Aabb points_bounds(const vec3* points, int count, const quat& rotation) {
    const vec3 first = rotate(rotation, points[0]);
    Aabb box{first, first};
    for (int i = 1; i < count; ++i) {
        const vec3 p = rotate(rotation, points[i]);
        box = {glm::min(box.lower, p), glm::max(box.upper, p)};
    }
    return box;
}

Aabb hull_bounds(const Hull* hull, const quat& rotation) {
    if (hull == nullptr) return {};
    const HullData& data = data_of(*hull);
    if (hull->vertices.size() <= most_bounds_vertices) return vertex_bounds(data, to_matrix(rotation));
    const Aabb box = turned_box(rotation, hull->bounds);
    const vec3 ball(hull->bounding_radius);
    return {glm::max(box.lower, -ball), glm::min(box.upper, ball)};
}

/// A few units of rounding more than the support points say, because they were rounded from double.
[[gnu::noinline]] Aabb mapping_bounds(const MappingSolid& solid, const quat& rotation) {
    const dmat3 m(to_matrix(rotation));
    Aabb box;
    for (int k = 0; k < 3; ++k) {
        const dvec3 d(m[0][k], m[1][k], m[2][k]);
        box.upper[k] = static_cast<float>(glm::dot(d, solid.mapping->support(d)));
        box.lower[k] = static_cast<float>(glm::dot(d, solid.mapping->support(-d)));
    }
    return expand(box, 4e-7f * solid.bounding_radius);
}

/// Returns the box around the shape's core.
Aabb core_bounds(const Shape& shape, const quat& rotation) {
    switch (shape.type) {
        case ShapeType::sphere:
            return {vec3(0.0f), vec3(0.0f)};
        case ShapeType::capsule:
        case ShapeType::box: {
            const vec3 h = absolute(to_matrix(rotation)) * shape.half_extents;
            return {-h, h};
        }
        case ShapeType::cylinder: {
            const mat3 m = to_matrix(rotation);
            const vec3 h = absolute(m[1]) * shape.half_extents.y + disc_reach(m) * shape.half_extents.x;
            return {-h, h};
        }
        case ShapeType::cone: {
            const mat3 m = to_matrix(rotation);
            const vec3 apex = m[1] * shape.half_extents.y, disc = disc_reach(m) * shape.half_extents.x;
            return {glm::min(apex, -apex - disc), glm::max(apex, disc - apex)};
        }
        case ShapeType::segment:
            return points_bounds(shape.points, 2, rotation);
        case ShapeType::triangle:
            return points_bounds(shape.points, 3, rotation);
        case ShapeType::hull:
            return hull_bounds(shape.hull.get(), rotation);
        case ShapeType::mapping:
            return shape.mapping ? mapping_bounds(*shape.mapping, rotation) : Aabb{};
    }
    return {};
}

}  // namespace

Aabb turned_bounds(const Shape& shape, const quat& rotation) {
    return expand(core_bounds(shape, rotation), shape.radius);
}

}  // namespace talus::detail
