#pragma once
/// What several tests of scenes need: the digest of a scene, and meshes in files.

#include "samples/scenes/scene.h"
#include "tests/support/scratch_folder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

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

/// Returns the files that samples/fetch_meshes.sh has fetched, in order; none if it has not been run.
inline std::vector<std::string> fetched_meshes() {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("meshes", ignored)) {
        if (entry.path().extension() == ".off") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
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

/// A closed mesh: a square cup of 4 m by 4 m, 2 m deep, with walls of 0.2 m, that lies on its side: it opens towards +x.
inline std::string cup_mesh() {
    std::string text = "OFF\n16 14 0\n";
    const auto square = [&](float x, float half) {
        for (int i = 0; i < 4; ++i) {
            text += std::to_string(x) + " " + std::to_string(i == 1 || i == 2 ? half : -half) + " " +
                    std::to_string(i >= 2 ? half : -half) + "\n";
        }
    };
    square(0.0f, 2.0f);  // the outside, from the bottom up, then the inside down
    square(2.0f, 2.0f);
    square(2.0f, 1.8f);
    square(0.2f, 1.8f);
    text += "4 3 2 1 0\n4 12 13 14 15\n";
    for (int ring = 0; ring < 12; ring += 4) {
        for (int i = 0; i < 4; ++i) {
            const int j = (i + 1) % 4;
            text += "4 " + std::to_string(ring + i) + " " + std::to_string(ring + j) + " " +
                    std::to_string(ring + 4 + j) + " " + std::to_string(ring + 4 + i) + "\n";
        }
    }
    return text;
}

/// Options with which every scene can be made: scenes of meshes get boxes and a cup of their own.
inline SceneOptions options_with_meshes(const ScratchFolder& folder) {
    SceneOptions options;
    options.mesh_files = {folder.write("plank.off", box_mesh(3, 1, 1)), folder.write("cube.off", box_mesh(2, 2, 2)),
                          folder.write("cup.off", cup_mesh())};
    return options;
}

}  // namespace talus::samples
