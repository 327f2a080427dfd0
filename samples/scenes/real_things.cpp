/// Things of meshes read from files: their hulls, or convex parts of them.

#include "samples/scenes/decompose.h"
#include "samples/scenes/mesh_file.h"
#include "samples/scenes/parts.h"
#include "samples/scenes/scene_list.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>

namespace talus::samples {

namespace {

/// The hull of a file's vertices, scaled so that the longest side of its bounds is `size` and moved so that they are
/// centred.
Result<Shape> hull_of_file(const std::string& path, float size) {
    Result<std::vector<vec3>> read = read_mesh_vertices(path);
    if (!read) return read.error();
    std::vector<vec3>& points = *read;
    Aabb box{points[0], points[0]};
    for (const vec3& p : points) {
        if (!is_finite(p))
            return Error{ErrorCode::not_finite, "Mesh file '" + path + "': holds vertices that are not finite."};
        box = merge(box, {p, p});
    }
    const vec3 sides = box.upper - box.lower;
    const float longest = std::max(sides.x, std::max(sides.y, sides.z));
    if (!(longest > 0.0f) || !is_finite(longest)) {
        return Error{ErrorCode::degenerate_shape,
                     "Mesh file '" + path + "': its vertices all coincide, or span more than floats hold."};
    }
    for (vec3& p : points) p = (p - center(box)) / longest * size;
    const Result<std::shared_ptr<const Hull>> made = make_hull(points);
    if (!made) return Error{made.error().code, "Mesh file '" + path + "': " + made.error().message};
    return hull(*made);
}

/// Copies of each file's hull rain into a bin, 200 things in all (one of each when there are more files).
Result<SceneData> real_things(const SceneOptions& options) {
    if (options.mesh_files.empty()) {
        return Error{ErrorCode::bad_argument,
                     "real_things needs meshes: run samples/fetch_meshes.sh, or name some with --mesh FILE..."};
    }
    constexpr std::size_t wanted = 200;
    constexpr float size = 1.3f, width = 11.0f;
    std::vector<Shape> shapes;
    for (const std::string& path : options.mesh_files) {
        Result<Shape> shape = hull_of_file(path, size);
        if (!shape) return shape.error();
        shapes.push_back(std::move(*shape));
    }
    float pitch = 0.0f;
    for (const Shape& shape : shapes) pitch = std::max(pitch, 2.0f * bounding_radius(shape) + 0.1f);
    const int columns = std::max(1, static_cast<int>((width - 0.1f) / pitch));
    const std::size_t count = std::max(wanted / shapes.size(), std::size_t{1}) * shapes.size();

    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 8.0f);
    const std::vector<vec3> places = lattice(count, columns, pitch, 1.5f);
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef def;
        def.shape = shapes[i % shapes.size()];
        def.position = places[i] + random.in_box(vec3(0.03f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, 1.0f, 0}, 19, 30, 30);
    return scene;
}

/// A thing of a file as convex parts, its longest side `size`, its frame's origin at the centre of mass.
Result<BodyDef> parts_of_file(const std::string& path, float size) {
    Result<MeshFile> file = read_mesh(path);
    if (!file) return file.error();
    std::vector<vec3>& points = file->vertices;
    Aabb box{points[0], points[0]};
    for (const vec3& p : points) {
        if (!is_finite(p))
            return Error{ErrorCode::not_finite, "Mesh file '" + path + "': holds vertices that are not finite."};
        box = merge(box, {p, p});
    }
    const vec3 sides = box.upper - box.lower;
    const float longest = std::max({sides.x, sides.y, sides.z});
    for (vec3& p : points) p = (p - center(box)) / longest * size;
    const auto refuse = [&](const Error& error) {
        return Error{error.code, "Mesh file '" + path + "': " + error.message};
    };
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
    if (!made) return refuse(made.error());
    for (const auto& part : made->parts) {
        ShapeDef shape;
        shape.shape = hull(part);
        body.shapes.push_back(shape);
    }
    return body;
}

/// What is not convex stays so: compounds of convex parts, which catch in each other.
Result<SceneData> nonconvex(const SceneOptions& options) {
    if (options.mesh_files.empty()) {
        return Error{ErrorCode::bad_argument,
                     "nonconvex needs meshes: run samples/fetch_meshes.sh, or name some with --mesh FILE..."};
    }
    constexpr std::size_t wanted = 84;
    constexpr float size = 1.6f, width = 9.0f;
    std::vector<BodyDef> things;
    for (const std::string& path : options.mesh_files) {
        Result<BodyDef> thing = parts_of_file(path, size);
        if (!thing) return thing.error();
        things.push_back(std::move(*thing));
    }
    const float pitch = 1.8f * size;
    const int columns = std::max(1, static_cast<int>(width / pitch));
    const std::size_t count = std::max(wanted / things.size(), std::size_t{1}) * things.size();
    Random random(options.seed);
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 7.0f);
    const std::vector<vec3> places = lattice(count, columns, pitch, 1.8f);
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef def = things[i % things.size()];
        def.position = places[i] + random.in_box(vec3(0.03f));
        def.rotation = random.rotation();
        scene.bodies.push_back(def);
    }
    scene.camera = orbit({0, 1.2f, 0}, 17, 30, 28);
    return scene;
}

constexpr Scene scenes[] = {
    {"real_things", "Hulls of real meshes (elephants, cows, rotors, ...) rain into a bin; --mesh FILE... for your own.",
     500, real_things},
    {"nonconvex", "Anchors, rotors, cows, ... of convex parts rain into a bin and catch in each other.", 700,
     nonconvex},
};

}  // namespace

std::span<const Scene> real_thing_scenes() { return scenes; }

}  // namespace talus::samples
