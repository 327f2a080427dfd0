#include <talus/narrowphase/colliders.h>

namespace talus {

void Colliders::resize(std::size_t count) {
    shapes.resize(count);
    poses.resize(count);
    versions.resize(count, 0);
    sweeps.resize(count);
}

std::size_t Colliders::bytes() const {
    return shapes.capacity() * sizeof(Shape) + poses.capacity() * sizeof(Transform) +
           versions.capacity() * sizeof(std::uint32_t) + sweeps.capacity() * sizeof(Sweep) +
           surface_triangles.capacity() * sizeof(SurfaceTriangle);
}

}  // namespace talus
