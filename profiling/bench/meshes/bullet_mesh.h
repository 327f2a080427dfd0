#pragma once
/// A mesh in Bullet, for `talus-profile meshes`: its btBvhTriangleMeshShape, quantized.

#include <talus/aabb.h>
#include <talus/math.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace talus::profiling {

struct Ray {
    vec3 origin, translation;
};

class BulletMesh {
public:
    virtual ~BulletMesh() = default;
    virtual void build() = 0;                        ///< to be called first; builds it anew each time
    virtual std::size_t count(const Aabb& box) = 0;  ///< triangles that it finds in the box
    virtual std::size_t hits(const Ray& ray) = 0;    ///< 1 if the ray hits a triangle
};

#ifdef TALUS_WITH_BULLET
/// Copies vertices and indices (three per triangle).
std::unique_ptr<BulletMesh> make_bullet_mesh(std::span<const vec3> vertices, std::span<const std::uint32_t> indices);
#else
inline std::unique_ptr<BulletMesh> make_bullet_mesh(std::span<const vec3>, std::span<const std::uint32_t>) {
    return nullptr;
}
#endif

}  // namespace talus::profiling
