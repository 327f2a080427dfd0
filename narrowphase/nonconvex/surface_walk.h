#pragma once
/// Internal: walks over the faces of a surface.

#include "narrowphase/nonconvex/surface_features.h"

#include <cstdint>
#include <optional>

namespace talus::detail {

/// A place on a surface from which it is climbed: at first a point of a face, then the corners that were found.
class SurfaceWalk {
public:
    /// Finds the face that holds a point, to `room` (m); none if it is not on the surface.
    SurfaceWalk(const SurfaceFeatures& surface, const vec3& point, float room);

    bool is_on_surface() const { return face_ != SurfaceFeatures::none; }
    /// Goes from corner to corner, as long as the next one is farther along a direction, and returns the last one: that of
    /// the surface around, not of all of it, is farthest. It must be on the surface.
    vec3 farthest(const vec3& direction);

private:
    const SurfaceFeatures& surface_;
    std::uint32_t face_ = SurfaceFeatures::none;
    int corner_ = 0;
};

}  // namespace talus::detail
