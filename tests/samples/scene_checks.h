#pragma once
/// What several tests of scenes need: the digest of a scene, and meshes in files.

#include "samples/scenes/scene.h"
#include "tests/support/scratch_folder.h"

#include <bit>
#include <cstdint>
#include <string>

namespace talus::samples {

using test::ScratchFolder;

/// FNV-1a over the bits of numbers: equal digests, equal data.
class Digest {
public:
    void add(float value) { add_bits(std::bit_cast<std::uint32_t>(value), 32); }
    void add(double value) { add_bits(std::bit_cast<std::uint64_t>(value), 64); }
    void add(const vec3& v) { add(v.x), add(v.y), add(v.z); }
    void add(const dvec3& v) { add(v.x), add(v.y), add(v.z); }
    void add(const quat& q) { add(q.w), add(q.x), add(q.y), add(q.z); }
    void add(const Shape& shape) {
        add(static_cast<float>(shape.type));
        add(shape.radius);
        add(shape.half_extents);
        for (const vec3& p : shape.points) add(p);
        if (shape.hull) {
            for (const vec3& v : shape.hull->vertices) add(v);
        }
    }
    std::uint64_t value() const { return hash_; }

private:
    void add_bits(std::uint64_t bits, int count) {
        for (int i = 0; i < count; i += 8) hash_ = (hash_ ^ ((bits >> i) & 255u)) * 1099511628211ull;
    }
    std::uint64_t hash_ = 14695981039346656037ull;
};

inline std::uint64_t digest(const SceneData& scene) {
    Digest d;
    d.add(scene.gravity);
    for (const BodyDef& body : scene.bodies) {
        d.add(static_cast<float>(body.type));
        d.add(body.position);
        d.add(body.rotation);
        d.add(body.linear_velocity);
        d.add(body.angular_velocity);
        d.add(body.material.friction);
        d.add(body.material.restitution);
        d.add(body.density);
        d.add(body.shape);
        for (const ShapeDef& part : body.shapes) {
            d.add(part.shape);
            d.add(part.pose.position);
            d.add(part.pose.rotation);
        }
    }
    return d.value();
}

/// A closed mesh: a box with these sides, away from the origin.
inline std::string box_mesh(float x, float y, float z) {
    std::string text = "OFF\n8 6 0\n";
    for (int i = 0; i < 8; ++i) {
        text += std::to_string(5.0f * x + (i & 1 ? x : 0.0f)) + " " + std::to_string(i & 2 ? y : 0.0f) + " " +
                std::to_string(i & 4 ? z : 0.0f) + "\n";
    }
    return text + "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";
}

/// Options with which every scene can be made: real_things gets boxes of its own.
inline SceneOptions options_with_meshes(const ScratchFolder& folder) {
    SceneOptions options;
    options.mesh_files = {folder.write("plank.off", box_mesh(3, 1, 1)), folder.write("cube.off", box_mesh(2, 2, 2))};
    return options;
}

}  // namespace talus::samples
