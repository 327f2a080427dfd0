/// Things of meshes read from files: their hulls, convex parts of them, or the solids themselves.

#include "samples/scenes/kit/basin.h"
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

/// A thing of a file as the solid that its surface bounds, exactly; as convex parts if the surface is not closed.
Result<BodyDef> solid_of_file(const std::string& path, float size) {
    Result<MeshFile> file = read_mesh(path);
    if (!file) return file.error();
    std::vector<vec3>& points = file->vertices;
    if (const auto error = fit(points, size)) return about_file(path, *error);
    const auto made = make_mesh({.vertices = points, .indices = file->triangles, .solid = true});
    if (!made) return parts_of_file(path, size);
    BodyDef body;
    body.mesh = *made;
    return body;
}

Error no_meshes(const char* scene) {
    return {ErrorCode::bad_argument,
            std::string(scene) + " needs meshes: run samples/fetch_meshes.sh, or name some with --mesh FILE..."};
}

/// A thing of each file the scene was given.
Result<std::vector<BodyDef>> things_of(const SceneOptions& options, const char* scene, float size,
                                       Result<BodyDef> (*thing_of)(const std::string&, float)) {
    if (options.mesh_files.empty()) return no_meshes(scene);
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

/// What is not convex stays so, and catches in each other.
Result<SceneData> nonconvex_heap(const SceneOptions& options, const char* scene_name,
                                 Result<BodyDef> (*thing_of)(const std::string&, float)) {
    constexpr float size = 1.6f, width = 9.0f, pitch = 1.8f * size;
    const Result<std::vector<BodyDef>> things = things_of(options, scene_name, size, thing_of);
    if (!things) return things.error();
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    add_bin(scene, width, 7.0f);
    rain(scene, *things, 84, std::max(1, static_cast<int>(width / pitch)), pitch, 1.8f, options.seed);
    scene.camera = orbit({0, 1.2f, 0}, 17, 30, 28);
    return scene;
}

/// Compounds of convex parts.
Result<SceneData> nonconvex(const SceneOptions& options) { return nonconvex_heap(options, "nonconvex", parts_of_file); }

/// The solids themselves.
Result<SceneData> solids(const SceneOptions& options) { return nonconvex_heap(options, "solids", solid_of_file); }

/// Which of some meshes is a bowl, and which way up.
struct Bowl {
    MeshFile surface;  ///< standing on the ground, +y up, its longest side 1
    float volume;      ///< of the water that it holds, m^3
    float radius;      ///< of the circle with water everywhere, m
};

/// Finds the mesh that holds most for its size, with any of its six sides up, out of closed ones whose longest side is 1.
Result<Bowl> find_bowl(const std::vector<MeshFile>& meshes) {
    constexpr float least = 0.02f;
    // Turns of the frame: exact, and no mirror images.
    constexpr vec3 (*turns[])(const vec3&) = {
        [](const vec3& p) { return p; },
        [](const vec3& p) { return vec3(p.x, -p.y, -p.z); },
        [](const vec3& p) { return vec3(-p.y, p.x, p.z); },
        [](const vec3& p) { return vec3(p.y, -p.x, p.z); },
        [](const vec3& p) { return vec3(p.x, p.z, -p.y); },
        [](const vec3& p) { return vec3(p.x, -p.z, p.y); },
    };
    Bowl best{{}, least, 0.0f};
    for (const MeshFile& mesh : meshes) {
        for (const auto turn : turns) {
            MeshFile turned = mesh;
            float lowest = turn(mesh.vertices[0]).y;
            for (vec3& p : turned.vertices) p = turn(p), lowest = std::min(lowest, p.y);
            for (vec3& p : turned.vertices) p.y -= lowest;
            const Basin basin(turned.vertices, turned.triangles);
            if (basin.volume() > best.volume) best = {std::move(turned), basin.volume(), basin.radius()};
        }
    }
    if (best.surface.vertices.empty()) {
        return Error{ErrorCode::bad_argument,
                     "bowl: none of the closed meshes would hold anything, whichever of its six sides is up; name one "
                     "that is a bowl with --mesh FILE..."};
    }
    return best;
}

/// A hundred things are poured into a bowl, which is one of them.
Result<SceneData> bowl(const SceneOptions& options) {
    constexpr std::size_t count = 100;
    constexpr float size = 1.6f, speed = 3.0f;  // m, m/s
    if (options.mesh_files.empty()) return no_meshes("bowl");
    std::vector<MeshFile> meshes;
    std::vector<BodyDef> things;
    float pitch = 0.0f, boxes = 0.0f;
    for (const std::string& path : options.mesh_files) {
        Result<MeshFile> file = read_mesh(path);
        if (!file) return file.error();
        if (const auto error = fit(file->vertices, 1.0f)) return about_file(path, *error);
        std::vector<vec3> points = file->vertices;
        float radius = 0.0f;
        for (vec3& p : points) p *= size, radius = std::max(radius, length(p));
        const auto made = make_mesh({.vertices = points, .indices = file->triangles, .solid = true});
        if (!made) continue;  // it is not closed
        pitch = std::max(pitch, 2.0f * radius + 0.1f);
        const vec3 half = half_extents((*made)->bounds());
        boxes += 8.0f * half.x * half.y * half.z;
        BodyDef thing;
        thing.mesh = *made;
        things.push_back(thing);
        meshes.push_back(std::move(*file));
    }
    Result<Bowl> found = find_bowl(meshes);
    if (!found) return found.error();
    std::vector<vec3>& points = found->surface.vertices;
    // As many columns as fit into the circle.
    const auto columns_in = [&](float radius) {
        return 1 + static_cast<int>(1.4f * std::max(radius - 0.5f * pitch, 0.0f) / pitch);
    };
    // Large enough for the boxes around all things, and for four of them side by side.
    const float room = boxes / static_cast<float>(things.size()) * static_cast<float>(count);
    float scale = 1.0f;
    while (found->volume * scale * scale * scale < room || columns_in(found->radius * scale) < 2) scale += 0.25f;
    for (vec3& p : points) p *= scale;
    const Basin basin(points, found->surface.triangles);
    const vec3 middle = basin.middle();
    for (vec3& p : points) p -= middle;
    const auto made = make_mesh({.vertices = points, .indices = found->surface.triangles, .solid = true});
    if (!made) return made.error();
    SceneData scene;
    scene.bodies.push_back(floor_slab());
    BodyDef vessel;
    vessel.type = BodyType::fixed;
    vessel.mesh = *made;
    scene.bodies.push_back(vessel);
    Random random(options.seed);
    const float bottom = basin.brim() + 0.5f * pitch;
    const std::vector<vec3> places = lattice(count, columns_in(basin.radius()), pitch, bottom);
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef thing = things[i % things.size()];
        thing.position = places[i] + random.in_box(vec3(0.03f));
        thing.rotation = random.rotation();
        thing.linear_velocity.y = -speed;
        scene.bodies.push_back(thing);
    }
    // They are let down to just above the brim, layer by layer, and fall from there: from the top they would fall 60 m.
    scene.act = [=, gravity = scene.gravity, dt = scene.dt](SceneBodies& bodies, int step) {
        for (std::size_t k = 0; k < count; ++k) {
            const bool is_let_down = static_cast<float>(step) * dt * speed < places[k].y - bottom;
            if (is_let_down) bodies.apply_force(2 + k, -bodies.mass(2 + k) * gravity, bodies.center_of_mass(2 + k));
        }
    };
    scene.figures.push_back({"in the bowl, of all", "", Over::last, [=](const SceneBodies& bodies, double) {
                                 double inside = 0.0;
                                 for (std::size_t k = 2; k < 2 + count; ++k)
                                     inside += basin.holds(vec3(bodies.center_of_mass(k)) + middle) ? 1.0 : 0.0;
                                 return inside / double{count};
                             }});
    scene.figures.push_back({"the fastest at the end", "m/s", Over::last, [](const SceneBodies& bodies, double) {
                                 float most = 0.0f;
                                 for (std::size_t k = 2; k < 2 + count; ++k)
                                     most = std::max(most, length(bodies.linear_velocity(k)));
                                 return double{most};
                             }});
    scene.camera = orbit({0, 0.5 * double{basin.brim()}, 0}, 1.7f * scale, 30, 42);
    return scene;
}

constexpr Scene scenes[] = {
    {"real_things", "Hulls of real meshes (elephants, cows, rotors, ...) rain into a bin; --mesh FILE... for your own.",
     500, real_things, true},
    {"nonconvex", "Anchors, rotors, cows, ... of convex parts rain into a bin and catch in each other.", 700, nonconvex,
     true},
    {"solids", "The same things as exact solids, without convex parts.", 700, solids, true},
    {"bowl", "A hundred of them are poured into a bowl, which is one of them; --mesh FILE... for your own.", 1800, bowl,
     true},
};

}  // namespace

std::span<const Scene> real_thing_scenes() { return scenes; }

}  // namespace talus::samples
