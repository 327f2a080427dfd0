#include "samples/scenes/kit/mesh_file.h"

#include "tests/samples/scene_checks.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::samples;

namespace {

/// The sentence with which real_things refuses these files; empty when it does not.
std::string refusal(const std::vector<std::string>& files) {
    SceneOptions options;
    options.mesh_files = files;
    const Result<SceneData> data = find_scene("real_things")->make(options);
    return data ? "" : data.error().message;
}

bool says(const std::string& sentence, const char* what) { return sentence.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("a mesh file gives its vertices") {
    const ScratchFolder folder;
    const auto vertices = read_mesh_vertices(folder.write("box.off", box_mesh(1, 2, 3)));
    REQUIRE_MESSAGE(static_cast<bool>(vertices), vertices.error().message);
    Aabb box{(*vertices)[0], (*vertices)[0]};
    for (const vec3& v : *vertices) box = merge(box, {v, v});
    CHECK(glm::distance(box.upper - box.lower, vec3(1, 2, 3)) < 1e-5f);
}

TEST_CASE("a mesh file's triangles share the vertices that lie at the same place") {
    const ScratchFolder folder;
    // A tetrahedron as a soup of four triangles, one corner of which is written as -0.
    const auto mesh = read_mesh(folder.write("soup.off",
                                             "OFF\n12 4 0\n0 0 0\n0 1 0\n1 0 0\n-0 0 0\n1 0 0\n0 0 1\n"
                                             "0 0 0\n0 0 1\n0 1 0\n1 0 0\n0 1 0\n0 0 1\n"
                                             "3 0 1 2\n3 3 4 5\n3 6 7 8\n3 9 10 11\n"));
    REQUIRE_MESSAGE(static_cast<bool>(mesh), mesh.error().message);
    CHECK(mesh->vertices.size() == 4);
    CHECK(mesh->triangles.size() == 12);
}

TEST_CASE("a mesh file that cannot be used is refused with a sentence that names it") {
    const ScratchFolder folder;
    const std::string missing = folder.path("missing.off");
    const std::string empty = folder.write("empty.off", "");
    const std::string noise = folder.write("noise.off", "this is not a mesh\n\x01\x02");
    const std::string unknown = folder.write("what.xyz123", "8 6 0 0 0 0");
    const std::string none = folder.write("none.off", "OFF\n0 0 0\n");
    const std::string cut = folder.write("cut.off", "OFF\n8 6 0\n0 0 0\n1 0");
    const std::string flat = folder.write("flat.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n");
    const std::string point = folder.write("point.off", "OFF\n4 2 0\n1 1 1\n1 1 1\n1 1 1\n1 1 1\n3 0 1 2\n3 0 2 3\n");
    for (const std::string& file : {missing, empty, noise, unknown, none, cut, flat, point, folder.path("")}) {
        CAPTURE(file);
        const std::string sentence = refusal({file});
        CAPTURE(sentence);
        CHECK(says(sentence, file.c_str()));
        CHECK(sentence.size() > file.size() + 20);
    }
    CHECK(says(refusal({missing}), "cannot be opened"));
    CHECK(says(refusal({folder.write("good.off", box_mesh(1, 1, 1)), empty}), "empty.off"));
}

TEST_CASE("real things without mesh files say where to get some") { CHECK(says(refusal({}), "fetch_meshes.sh")); }

TEST_CASE("meshes of any size and place become things of the same size") {
    const ScratchFolder folder;
    SceneOptions options;
    options.mesh_files = {folder.write("screw.off", box_mesh(0.003f, 0.001f, 0.001f)),
                          folder.write("ship.off", box_mesh(100, 300, 50))};
    const Result<SceneData> data = find_scene("real_things")->make(options);
    REQUIRE_MESSAGE(static_cast<bool>(data), data.error().message);
    std::size_t things = 0;
    for (const BodyDef& body : data->bodies) {
        if (body.type != BodyType::dynamic) continue;
        ++things;
        const Aabb box = bounds(body.shape);
        const vec3 size = box.upper - box.lower;
        CHECK(std::max(size.x, std::max(size.y, size.z)) == doctest::Approx(1.3).epsilon(1e-3));
        CHECK(glm::length(center(box)) < 1e-3f);
    }
    CHECK(things == 200);
}

TEST_CASE("the fetched meshes make a bin of real things") {
    const std::vector<std::string> files = fetched_meshes();
    if (files.empty()) {
        MESSAGE("skipped: samples/fetch_meshes.sh has not been run");
        return;
    }
    CHECK(files.size() >= 8);
    CHECK(refusal(files) == "");
}
