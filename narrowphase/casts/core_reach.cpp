#include "narrowphase/casts/core_reach.h"

#include <talus/narrowphase/mapping_solid.h>

namespace talus::detail {

namespace {

/// The reach of hulls with up to this many vertices is that of their vertices; for larger ones, of the corners of their
/// box.
constexpr std::size_t hull_reach_limit = 32;

}  // namespace

Reach reach_of(const Shape& shape, const dvec3& center, const dvec3& axis) {
    Reach reach;
    const dvec3 half(shape.half_extents);
    switch (shape.type) {
        case ShapeType::sphere:
            reach.add(-center, axis);
            break;
        case ShapeType::capsule:
            reach.add(dvec3(0.0, half.y, 0.0) - center, axis);
            reach.add(dvec3(0.0, -half.y, 0.0) - center, axis);
            break;
        case ShapeType::segment:
        case ShapeType::triangle:
            for (int i = 0; i < (shape.type == ShapeType::segment ? 2 : 3); ++i) {
                reach.add(dvec3(shape.points[i]) - center, axis);
            }
            break;
        case ShapeType::box:
            reach.add_box(-center, half, axis);
            break;
        case ShapeType::cylinder:
        case ShapeType::cone: {
            const double lean = std::sqrt(std::max(1.0 - axis.y * axis.y, 0.0));
            reach.add(dvec3(0.0, half.y, 0.0) - center, axis, shape.type == ShapeType::cone ? 0.0 : half.x, lean);
            reach.add(dvec3(0.0, -half.y, 0.0) - center, axis, half.x, lean);
            break;
        }
        case ShapeType::hull: {
            const Hull& hull = *shape.hull;
            if (hull.vertices.size() <= hull_reach_limit) {
                for (const vec3& v : hull.vertices) reach.add(dvec3(v) - center, axis);
                break;
            }
            reach.add_box(dvec3(talus::center(hull.bounds)) - center, dvec3(half_extents(hull.bounds)), axis);
            const double sphere = length(center) + double(hull.bounding_radius);
            reach.ring = std::min(reach.ring, sphere);
            reach.sphere = std::min(reach.sphere, sphere);
            break;
        }
        case ShapeType::mapping: {
            // The box and the ball are those of the solid: too large by its radius.
            const MappingSolid& solid = *shape.mapping;
            reach.add_box(dvec3(talus::center(solid.bounds)) - center, dvec3(half_extents(solid.bounds)), axis);
            const double sphere = length(center) + double(solid.bounding_radius);
            reach.ring = std::min(reach.ring, sphere);
            reach.sphere = std::min(reach.sphere, sphere);
            break;
        }
    }
    return reach;
}

}  // namespace talus::detail
