/// The scene bowl: which mesh is the bowl, and whether things lie in it.

#include "samples/scenes/kit/basin.h"
#include "samples/scenes/kit/solids.h"
#include "tests/samples/scene_checks.h"
#include "tests/support/environment.h"

#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>

using namespace talus;
using namespace talus::samples;

namespace {

/// A mesh as seen by rays from both sides.
std::shared_ptr<const TriangleSet> two_sided(const TriangleSet& set) {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < set.size(); ++i) {
        for (const vec3& p : set.points(i)) {
            indices.push_back(static_cast<std::uint32_t>(vertices.size()));
            vertices.push_back(p);
        }
    }
    const auto made = make_mesh({.vertices = vertices, .indices = indices, .two_sided = true});
    REQUIRE_MESSAGE(static_cast<bool>(made), made.error().message);
    return *made;
}

/// How deep the vertices of solids are inside of each other, measured on the bodies.
class Depths {
public:
    explicit Depths(const SceneData& scene) : scene_(scene) {
        for (const BodyDef& body : scene.bodies) {
            if (body.mesh && !sides_.contains(body.mesh.get())) sides_[body.mesh.get()] = two_sided(*body.mesh);
        }
    }
    /// Returns the depth of the deepest vertex of body a in body b, both solids, m.
    float deepest(const World& world, std::span<const BodyId> ids, std::size_t a, std::size_t b) const {
        const TriangleSet &of_a = *scene_.bodies[a].mesh, &of_b = *scene_.bodies[b].mesh;
        const Transform a_in_b = relative(world.transform(ids[b]), world.transform(ids[a]));
        const Aabb box = of_b.bounds();
        float most = 0.0f;
        for (std::uint32_t i = 0; i < of_a.size(); ++i) {
            for (const vec3& corner : of_a.points(i)) {
                const vec3 p = transform_point(a_in_b, corner);
                if (contains(box, p) && is_inside(of_b, p)) most = std::max(most, nearest(of_b, p).distance);
            }
        }
        return most;
    }

private:
    static bool contains(const Aabb& box, const vec3& p) {
        return p.x > box.lower.x && p.y > box.lower.y && p.z > box.lower.z && p.x < box.upper.x && p.y < box.upper.y &&
               p.z < box.upper.z;
    }
    /// Returns whether a ray from the point leaves the solid before it enters it.
    bool is_inside(const TriangleSet& set, const vec3& p) const {
        const TriangleSet& sides = *sides_.at(&set);
        const vec3 along(0.31f, 40.0f, 0.17f);
        const TriangleRayHit hit = ray_cast(sides, p, along);
        return hit.hit && glm::dot(sides.triangle(hit.triangle).normal, along) > 0.0f;
    }

    const SceneData& scene_;
    std::map<const TriangleSet*, std::shared_ptr<const TriangleSet>> sides_;
};

SceneData bowl_of(const std::vector<std::string>& files, std::uint64_t seed = 1) {
    SceneOptions options;
    options.mesh_files = files;
    options.seed = seed;
    Result<SceneData> made = find_scene("bowl")->make(options);
    REQUIRE_MESSAGE(static_cast<bool>(made), made.error().message);
    return *made;
}

std::string refusal(const std::vector<std::string>& files) {
    SceneOptions options;
    options.mesh_files = files;
    const Result<SceneData> made = find_scene("bowl")->make(options);
    return made ? std::string() : made.error().message;
}

/// Runs the scene to its end, and checks that so many of its things are in the bowl, and none deep in another one, m.
void check_bowl(const SceneData& scene, double least_share, float most_depth, bool asleep) {
    std::vector<BodyId> ids;
    World world = make_world(scene, &ids);
    REQUIRE(world.body_count() == scene.bodies.size());
    Figures figures(scene);
    for (int step = 0; step < find_scene("bowl")->steps; ++step) {
        REQUIRE(step_scene(world, scene, step));
        figures.observe(world);
    }
    REQUIRE(figures.values().size() == 2);
    CHECK(figures.values()[0] >= least_share);
    CHECK(figures.values()[1] < 0.3);
    if (asleep) CHECK(world.awake_body_count() == 0);
    // Bodies whose boxes overlap.
    const Depths depths(scene);
    float deepest = 0.0f;
    for (std::size_t a = 1; a < ids.size(); ++a) {
        for (std::size_t b = 1; b < ids.size(); ++b) {
            if (a == b || !overlaps(world.bounds(ids[a]), world.bounds(ids[b]))) continue;
            const float depth = depths.deepest(world, ids, a, b);
            CAPTURE(a);
            CAPTURE(b);
            CHECK(depth < most_depth);
            deepest = std::max(deepest, depth);
        }
    }
    MESSAGE(figures.values()[0] << " of the things are in the bowl; the deepest vertex is " << 1000.0f * deepest
                                << " mm inside of another solid");
}

}  // namespace

TEST_CASE("a basin holds as much water as it has room, up to where it flows off") {
    const auto basin_of = [](const MeshFile& mesh) { return Basin(mesh.vertices, mesh.triangles); };
    CHECK(basin_of(box_solid({1, 2, 3})).volume() == 0.0f);
    CHECK(basin_of(hollow_box()).volume() == 0.0f);  // nothing gets in
    // A frame with walls 2 m high: the floor closes its hole.
    constexpr OutlinePoint outer[] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}},
                           inner[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    MeshFile frame = ring_prism(outer, inner, 2.0f);
    CHECK(basin_of(frame).volume() == 0.0f);  // on its side: z is its axis
    for (vec3& p : frame.vertices) p = {p.x, p.z, -p.y};
    const Basin upright = basin_of(frame);
    CHECK(upright.volume() == doctest::Approx(8.0).epsilon(0.05));
    CHECK(upright.brim() == 1.0f);
    CHECK(upright.radius() == doctest::Approx(1.0).epsilon(0.05));
    CHECK(upright.middle().x == doctest::Approx(0.0).epsilon(0.01));
    CHECK(upright.middle().y == -1.0f);
    CHECK(upright.holds({0.9f, -0.9f, 0.9f}));
    CHECK(upright.holds({0.0f, 5.0f, 0.0f}));
    CHECK_FALSE(upright.holds({0.0f, -1.1f, 0.0f}));
    CHECK_FALSE(upright.holds({1.5f, 1.1f, 0.0f}));  // on the wall
    CHECK_FALSE(upright.holds({9.0f, 0.0f, 0.0f}));
    // One wall is lower: the water flows off there.
    for (vec3& p : frame.vertices) {
        if (p.x > 0.0f && p.y > 0.0f) p.y = 0.0f;
    }
    CHECK(basin_of(frame).volume() == doctest::Approx(4.0).epsilon(0.05));
}

TEST_CASE("of some meshes the bowl is found, stood upright and filled") {
    const ScratchFolder folder;
    const SceneData scene =
        bowl_of({folder.write("beam.off", box_mesh(4, 1, 1)), folder.write("cup.off", cup_mesh()),
                 folder.write("plank.off", box_mesh(4, 2, 1)), folder.write("stick.off", box_mesh(6, 1, 1))});
    REQUIRE(scene.bodies.size() == 102);
    const BodyDef& vessel = scene.bodies[1];
    CHECK(vessel.type == BodyType::fixed);
    const Aabb box = vessel.mesh->bounds();
    CHECK(box.lower.y == 0.0f);
    CHECK(box.upper.y / (box.upper.x - box.lower.x) == doctest::Approx(0.5).epsilon(1e-4));
    // From above one sees its inner bottom, 0.1 of its width less deep than its height.
    const TriangleRayHit bottom = ray_cast(*vessel.mesh, {0.1f, 100.0f, 0.2f}, {0.0f, -200.0f, 0.0f});
    REQUIRE(bottom.hit);
    CHECK(100.0f - 200.0f * bottom.fraction == doctest::Approx(0.1 * double{box.upper.y}).epsilon(1e-3));
    check_bowl(scene, 0.9, 0.05f, false);
}

TEST_CASE("a scene of a bowl needs a mesh that holds something") {
    const ScratchFolder folder;
    const auto says = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
    CHECK(says(refusal({}), "fetch_meshes.sh"));
    CHECK(
        says(refusal({folder.write("cube.off", box_mesh(1, 1, 1))}), "none of the closed meshes would hold anything"));
    CHECK(says(refusal({folder.write("empty.off", "")}), "empty.off"));
}

TEST_CASE("a hundred of the fetched meshes lie in the one that is a bowl") {
    const std::vector<std::string> files = fetched_meshes();
    if (files.empty()) {
        MESSAGE("skipped: samples/fetch_meshes.sh has not been run");
        return;
    }
    constexpr float most_depth = 0.032f;  // 2% of the size of the things
    const long seed = test::from_environment("TALUS_BOWL_SEED", 1);
    check_bowl(bowl_of(files, static_cast<std::uint64_t>(seed)), 0.97, most_depth, true);
}
