#include "profiling/bench/meshes/bullet_mesh.h"

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

#include <vector>

namespace talus::profiling {

namespace {

struct CountTriangles final : btTriangleCallback {
    std::size_t count = 0;
    void processTriangle(btVector3*, int, int) override { ++count; }
};

struct NearestHit final : btTriangleRaycastCallback {
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    btScalar reportHit(const btVector3&, btScalar fraction, int, int) override { return m_hitFraction = fraction; }
};

btVector3 to_bullet(const vec3& v) { return {v.x, v.y, v.z}; }

class BvhMesh final : public BulletMesh {
public:
    BvhMesh(std::span<const vec3> vertices, std::span<const std::uint32_t> indices)
        : vertices_(vertices.begin(), vertices.end()),
          indices_(indices.begin(), indices.end()),
          array_(static_cast<int>(indices_.size() / 3), indices_.data(), 3 * sizeof(int),
                 static_cast<int>(vertices_.size()), &vertices_[0].x, sizeof(vec3)) {}

    void build() override { shape_ = std::make_unique<btBvhTriangleMeshShape>(&array_, true); }

    std::size_t count(const Aabb& box) override {
        CountTriangles counter;
        shape_->processAllTriangles(&counter, to_bullet(box.lower), to_bullet(box.upper));
        return counter.count;
    }

    std::size_t hits(const Ray& ray) override {
        const btVector3 start = to_bullet(ray.origin), end = to_bullet(ray.origin + ray.translation);
        NearestHit hit(start, end);
        shape_->performRaycast(&hit, start, end);
        return hit.m_hitFraction < 1.0f ? 1 : 0;
    }

private:
    std::vector<vec3> vertices_;
    std::vector<int> indices_;
    btTriangleIndexVertexArray array_;
    std::unique_ptr<btBvhTriangleMeshShape> shape_;
};

}  // namespace

std::unique_ptr<BulletMesh> make_bullet_mesh(std::span<const vec3> vertices, std::span<const std::uint32_t> indices) {
    return std::make_unique<BvhMesh>(vertices, indices);
}

}  // namespace talus::profiling
