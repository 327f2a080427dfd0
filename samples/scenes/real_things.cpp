/// Things of meshes read from files: their hulls, or convex parts of them.

#include "samples/scenes/kit/decompose.h"
#include "samples/scenes/kit/mesh_file.h"
#include "samples/scenes/kit/parts.h"
#include "samples/scenes/scene_list.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace talus::samples {

namespace {

Error about_file(const std::string& path, const Error& error) {
    return {error.code, "Mesh file '" + path + "': " + error.message};
}

/// Scales points so that the longest side of their bounds is `size`, and centres those; or why not.
std::optional<Error> fit(std::vector<vec3>& points, float size) {
    Aabb box{points[0], points[0]};
    for (const vec3& p : points) {
        if (!is_finite(p)) return Error{ErrorCode::not_finite, "holds vertices that are not finite."};
        box = merge(box, {p, p});
    }
    const vec3 sides = box.upper - box.lower;
    const float longest = std::max({sides.x, sides.y, sides.z});
    if (!(longest > 0.0f) || !is_finite(longest)) {
        return Error{ErrorCode::degenerate_shape, "its vertices all coincide, or span more than floats hold."};
    }
    for (vec3& p : points) p = (p - center(box)) / longest * size;
    return std::nullopt;
}

/// The hull of a file's vertices, its longest side `size`.
Result<BodyDef> hull_of_file(const std::string& path, float size) {
    Result<std::vector<vec3>> points = read_mesh_vertices(path);
    if (!points) return points.error();
    if (const auto error = fit(*points, size)) return about_file(path, *error);
    const Result<std::shared_ptr<const Hull>> made = make_hull(*points);
    if (!made) return about_file(path, made.error());
    BodyDef body;
    body.shape = hull(*made);
    return body;
}

/// A thing of a file as convex parts, its longest side `size`, its frame's origin at the centre of mass.
Result<BodyDef> parts_of_file(const std::string& path, float size) {
    Result<MeshFile> file = read_mesh(path);
    if (!file) return file.error();
    std::vector<vec3>& points = file->vertices;
    if (const auto error = fit(points, size)) return about_file(path, *error);
    // Mass and inertia of the thing itself, where its surface is closed; else of the parts, which are somewhat more.
    BodyDef body;
    vec3 middle(0.0f);
    if (auto mass = mesh_mass_properties(points, file->triangles, 1000.0f)) {
        middle = mass->center;
        mass->center = vec3(0.0f);
        body.mass_properties = *mass;
    }
    for (vec3& p : points) p -= middle;
    const Result<Decomposition> made = decompose(points, file->triangles, 16);
    if (!made) return about_file(path, made.error());
    for (const auto& part : made->parts) {
        ShapeDef shape;
        shape.shape = hull(part);
        body.shapes.push_back(shape);
    }
    return body;
}

/// A thing of each file the scene was given.
Result<std::vector<BodyDef>> things_of(const SceneOptions& options, const char* scene, float size,
                                       Result<BodyDef> (*thing_of)(const std::string&, float)) {
    if (options.mesh_files.empty()) {
        return Error{ErrorCode::bad_argument, std::string(scene) +
                                                  " needs meshes: run samples/fetch_meshes.sh, or "
                                                  "name some with --mesh FILE..."};
    }
    std::vector<BodyDef> things;
    for (const std::string& path : options.mesh_files) {
        Result<BodyDef> thing = thing_of(path, size);
        if (!thing) return thing.error();
        things.push_back(std::move(*thing));
    }
    return things;
}

/// Copies of the things, in turn and about `wanted` in all (one of each when there are more), above each other at random.
void rain(SceneData& scene, const std::vector<BodyDef>& things, std::size_t wanted, int columns, float pitch,
          float height, std::uint64_t seed) {
    Random random(seed);
    const std::size_t count = std::max(wanted / things.size(), std::size_t{1}) * things.size();
    const std::vector<vec3> places = lattice(count, columns, pitch, height);
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef def = things[i % things.size()];
        def.position = places[i] + random.in_box(vec3(0.03f));
        def.rotation = random.rotation();
        scene.bodies.push_back(std::move(def));
    }
}

/// Copies of each file's hull rain into a bin.
Result<SceneData> real_things(const SceneOptions& options) {
    constexpr float size = 1.3f, width = 11.0f;
    const Result<std::vector<BodyDef>> things = things_of(options, "real_things", size, hull_of_file);
    if (!things) return things.error();
    float pitch = 0.0f;
    for (const BodyDef& thing : *things) pitch = std::max(pitch, 2.0f * bounding_radius(thing.shape) + 0.1f);
    const int columns = std::max(1, static_cast<int>((width - 0.1f) / pitch));
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 8.0f);
    rain(scene, *things, 200, columns, pitch, 1.5f, options.seed);
    scene.camera = orbit({0, 1.0f, 0}, 19, 30, 30);
    return scene;
}

/// What is not convex stays so: compounds of convex parts, which catch in each other.
Result<SceneData> nonconvex(const SceneOptions& options) {
    constexpr float size = 1.6f, width = 9.0f, pitch = 1.8f * size;
    const Result<std::vector<BodyDef>> things = things_of(options, "nonconvex", size, parts_of_file);
    if (!things) return things.error();
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 7.0f);
    rain(scene, *things, 84, std::max(1, static_cast<int>(width / pitch)), pitch, 1.8f, options.seed);
    scene.camera = orbit({0, 1.2f, 0}, 17, 30, 28);
    return scene;
}

constexpr Scene scenes[] = {
    {"real_things", "Hulls of real meshes (elephants, cows, rotors, ...) rain into a bin; --mesh FILE... for your own.",
     500, real_things, true},
    {"nonconvex", "Anchors, rotors, cows, ... of convex parts rain into a bin and catch in each other.", 700, nonconvex,
     true},
};

}  // namespace

std::span<const Scene> real_thing_scenes() { return scenes; }

}  // namespace talus::samples
