#pragma once
/// Internal: the size and the middle of a shape, as tolerances and searches use them.

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/shape.h>
#include "narrowphase/shapes/hull_data.h"

#include <glm/vec3.hpp>

#include <algorithm>

namespace talus::detail {

using glm::dvec3;

/// Returns half the longest side of the box around the shape, m. This is what "size" means in tolerances.
inline double size_of(const Shape& shape) {
    vec3 h = shape.half_extents;
    switch (shape.type) {
        case ShapeType::sphere:
            return shape.radius;
        case ShapeType::segment:
            h = 0.5f * absolute(shape.points[1] - shape.points[0]);
            break;
        case ShapeType::triangle:
            h = glm::max(absolute(shape.points[1] - shape.points[0]), absolute(shape.points[2] - shape.points[0])) *
                0.5f;
            break;
        case ShapeType::hull:
            return data_of(*shape.hull).view.half_size + shape.radius;
        case ShapeType::mapping:
            h = half_extents(shape.mapping->bounds);
            return std::max(std::max(h.x, h.y), h.z);
        default:
            break;
    }
    return std::max(std::max(h.x, h.y), h.z) + shape.radius;
}

/// Returns a point near the middle of the core (shape frame).
inline dvec3 middle_of(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::segment:
            return dvec3(0.5f * (shape.points[0] + shape.points[1]));
        case ShapeType::triangle:
            return dvec3((shape.points[0] + shape.points[1] + shape.points[2]) * (1.0f / 3.0f));
        case ShapeType::hull:
            return dvec3(center(shape.hull->bounds));
        case ShapeType::mapping:
            return dvec3(center(shape.mapping->bounds));
        default:
            return dvec3(0.0);
    }
}

/// Returns a point inside the core (shape frame). For a hull that is the centroid: the middle of its box may lie
/// outside a flat hull, and behind a surface that the hull only touches.
inline dvec3 inside_of(const Shape& shape) {
    if (shape.type == ShapeType::mapping) return dvec3(shape.mapping->centroid);
    return shape.type == ShapeType::hull ? dvec3(shape.hull->centroid) : middle_of(shape);
}

}  // namespace talus::detail
