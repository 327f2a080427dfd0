#include <talus/narrowphase/colliders.h>

namespace talus {

void Colliders::resize(std::size_t count) {
    shapes.resize(count);
    poses.resize(count);
    versions.resize(count, 0);
    motions.resize(count);
}

std::size_t Colliders::bytes() const {
    return shapes.capacity() * sizeof(Shape) + poses.capacity() * sizeof(WorldTransform) +
           versions.capacity() * sizeof(std::uint32_t) + motions.capacity() * sizeof(PredictedMotion) +
           surface_triangles.capacity() * sizeof(SurfaceTriangle);
}

}  // namespace talus
