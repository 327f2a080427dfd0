#include "samples/render/renderer.h"

#include "samples/render/raster.h"
#include "samples/render/shading.h"
#include "tests/samples/scene_checks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

using namespace talus;
using namespace talus::samples;

namespace {

constexpr PictureOptions small{160, 90};

/// Looks along -z from 10 m; the picture is 10 m high where z = 0.
SceneData stage() {
    SceneData scene;
    scene.camera = {{0, 0, 10}, {0, 0, 0}, 53.130102f};
    return scene;
}

BodyDef ball(const dvec3& position, float radius = 1.0f) {
    BodyDef def;
    def.shape = sphere(radius);
    def.position = position;
    return def;
}

Image draw(const SceneData& scene) { return Renderer(scene).draw(initial_poses(scene), small); }

/// Sum of the differences of the three channels.
int difference(const Image& a, const Image& b, int x, int y) {
    int sum = 0;
    for (int c = 0; c < 3; ++c) sum += std::abs(a.pixel(x, y)[c] - b.pixel(x, y)[c]);
    return sum;
}

/// The surface of a closed mesh, and the volume inside it by the divergence theorem.
struct Measures {
    double area = 0, volume = 0;
};

Measures measure(const DrawMesh& mesh) {
    Measures m;
    for (const DrawTriangle& t : mesh.triangles) {
        const glm::dvec3 a = mesh.positions[t.v[0]], b = mesh.positions[t.v[1]], c = mesh.positions[t.v[2]];
        m.area += 0.5 * glm::length(glm::cross(b - a, c - a));
        m.volume += glm::dot(a, glm::cross(b, c)) / 6.0;
    }
    return m;
}

constexpr double pi = 3.14159265358979;

}  // namespace

TEST_CASE("a sphere is drawn where it is and nowhere else") {
    SceneData scene = stage();
    const Image empty = draw(scene);
    scene.bodies.push_back(ball({2, 1, 0}));
    const Image image = draw(scene);
    REQUIRE(image.width == 160);
    REQUIRE(image.height == 90);
    REQUIRE(image.rgb.size() == 160u * 90u * 3u);
    // 9 pixels a metre: the ball's centre is at (98, 36), its radius 9 pixels (and a little more, by perspective).
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const double r = std::hypot(x + 0.5 - 98.0, y + 0.5 - 36.0);
            CAPTURE(x);
            CAPTURE(y);
            if (r < 8.0) CHECK(difference(image, empty, x, y) > 12);
            if (r > 11.5) CHECK(difference(image, empty, x, y) == 0);
        }
    }
}

TEST_CASE("what is nearer hides what is behind it whatever their order") {
    for (const bool near_first : {true, false}) {
        SceneData scene = stage();
        BodyDef near = ball({0, 0, 3}), far = ball({0, 0, -3}, 3.0f);
        far.type = BodyType::fixed;  // grey, the near one is coloured
        scene.bodies = near_first ? std::vector{near, far} : std::vector{far, near};
        const std::uint8_t* p = draw(scene).pixel(80, 45);
        const Image image = draw(scene);
        p = image.pixel(80, 45);
        const int spread = *std::max_element(p, p + 3) - *std::min_element(p, p + 3);
        CAPTURE(near_first);
        CHECK(spread > 30);
        // Beside the near one, the far one.
        const std::uint8_t* q = image.pixel(80 + 20, 45);
        CHECK(*std::max_element(q, q + 3) - *std::min_element(q, q + 3) < 30);
    }
}

TEST_CASE("a body casts a shadow on the floor") {
    SceneData scene;
    scene.camera = {{0, 14, 14}, {0, 0, 0}, 45.0f};
    BodyDef floor;
    floor.type = BodyType::fixed;
    floor.shape = box({50, 1, 50});
    floor.position = {0, -1, 0};
    scene.bodies = {floor};
    const Image empty = draw(scene);
    scene.bodies.push_back(ball({0, 3, 0}));
    const Image image = draw(scene);
    int darker = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const std::uint8_t* p = image.pixel(x, y);
            const std::uint8_t* q = empty.pixel(x, y);
            const int spread = *std::max_element(p, p + 3) - *std::min_element(p, p + 3);
            if (spread < 40 && p[0] + 30 < q[0] && p[1] + 30 < q[1]) ++darker;
        }
    }
    CHECK(darker > 40);
    CHECK(darker < 1500);
}

TEST_CASE("glass lets through what is behind it") {
    SceneData scene = stage();
    scene.bodies = {ball({0, 0, 0})};
    const Image clear = draw(scene);
    BodyDef pane;
    pane.type = BodyType::fixed;
    pane.shape = box({3, 3, 0.1f});
    pane.position = {0, 0, 4};
    scene.bodies.push_back(pane);
    CHECK(difference(draw(scene), clear, 80, 45) > 60);
    scene.glass = {1};
    const Image through = draw(scene);
    CHECK(difference(through, clear, 80, 45) < 40);
    CHECK(difference(through, clear, 80, 45) > 0);
}

TEST_CASE("a pose and not the scene says where a body is drawn") {
    SceneData scene = stage();
    scene.bodies = {ball({0, 0, 0})};
    const Renderer renderer(scene);
    const Image here = renderer.draw(initial_poses(scene), small);
    const std::vector<WorldTransform> moved = {{{-4, 0, 0}, quat(1, 0, 0, 0)}};
    const Image there = renderer.draw(moved, small);
    CHECK(difference(here, there, 80, 45) > 12);
    CHECK(difference(here, there, 80 - 36, 45) > 12);
    const Image none = renderer.draw({}, small);
    CHECK(difference(none, there, 80, 45) == 0);
}

TEST_CASE("a scene far from the origin looks like one at the origin") {
    SceneData scene = stage();
    scene.camera = {{3, 14, 14}, {3, 0, 0}, 45.0f};
    BodyDef floor;
    floor.type = BodyType::fixed;
    floor.shape = box({50, 1, 50});
    floor.position = {0, -1, 0};
    scene.bodies = {floor, ball({2.25, 0.75, -1.125})};
    const Image here = draw(scene);
    const dvec3 far(9999936.0, -64.0, 4999936.0);
    scene.camera.eye += far;
    scene.camera.target += far;
    for (BodyDef& body : scene.bodies) body.position += far;
    CHECK(draw(scene).rgb == here.rgb);
}

TEST_CASE("the camera may stand inside a body or look straight down") {
    SceneData scene = stage();
    scene.bodies = {ball({0, 0, 10}, 2.0f), ball({0, 0, 0})};
    scene.camera.eye = {0, 10, 0};
    draw(scene);
    BodyDef slab;
    slab.shape = box({100, 100, 100});
    slab.position = scene.camera.eye;
    scene.bodies.push_back(slab);
    CHECK(draw(scene).rgb.size() == 160u * 90u * 3u);
}

TEST_CASE("every shape becomes a closed mesh of about its own volume and bounds") {
    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1 ? 1.0f : -0.5f, i & 2 ? 0.7f : -0.6f, i & 4 ? 0.4f : -0.9f);
    const auto made = make_hull(corners);
    REQUIRE_MESSAGE(static_cast<bool>(made), made.error().message);
    for (const Shape& shape : {sphere(0.7f), capsule(0.5f, 0.3f), box({0.3f, 0.6f, 0.9f}), cylinder(0.6f, 0.4f),
                               cone(0.6f, 0.4f), segment({-0.5f, 0.1f, 0}, {0.3f, 0.5f, 0.7f}, 0.2f), hull(*made)}) {
        CAPTURE(name_of(shape.type));
        const DrawMesh mesh = triangulate(shape);
        const double volume = measure(mesh).volume;
        const double expected = mass_properties(shape, 1.0f).mass;
        CHECK(volume <= expected * 1.0001);  // 32 slices lie inside the round
        CHECK(volume > expected * 0.97);
        const Aabb box = bounds(shape);
        Aabb drawn{mesh.positions[0], mesh.positions[0]};
        for (const vec3& p : mesh.positions) drawn = merge(drawn, {p, p});
        CHECK(contains(expand(box, 1e-5f), drawn));
        CHECK(glm::distance(drawn.upper - drawn.lower, box.upper - box.lower) < 0.02f);
        for (std::size_t i = 0; i < mesh.normals.size(); ++i) {
            REQUIRE(glm::length(mesh.normals[i]) == doctest::Approx(1.0).epsilon(1e-4));
        }
        for (const DrawTriangle& t : mesh.triangles) {
            const vec3 a = mesh.positions[t.v[0]], b = mesh.positions[t.v[1]], c = mesh.positions[t.v[2]];
            const vec3 across = glm::cross(b - a, c - a);
            for (const std::uint32_t v : t.v) REQUIRE(glm::dot(across, mesh.normals[v]) > 0.0f);
        }
    }
    CHECK(measure(triangulate(sphere(1.0f))).area == doctest::Approx(4.0 * pi).epsilon(0.02));
}

TEST_CASE("flat and thin shapes are drawn too") {
    CHECK(measure(triangulate(triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}))).area == doctest::Approx(1.0));  // both sides
    CHECK(!triangulate(triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0.1f)).triangles.empty());
    CHECK(!triangulate(segment({0, 0, 0}, {0, -1, 0})).triangles.empty());
    CHECK(triangulate(Shape{ShapeType::hull, 0.0f, vec3(0.0f), {}, nullptr}).triangles.empty());
}

TEST_CASE("two triangles that share a side cover each sample once") {
    // A fan around a point that is itself a sample, in a square whose sides run through samples.
    const ScreenPoint center{10.5, 10.5};
    const ScreenPoint corner[4] = {{0.5, 0.5}, {20.5, 0.5}, {20.5, 20.5}, {0.5, 20.5}};
    std::map<std::pair<int, int>, int> covered;
    for (int i = 0; i < 4; ++i) {
        const ScreenPoint t[3] = {center, corner[i], corner[(i + 1) % 4]};
        fill_triangle(t, 32, 32, [&](int x, int y, const double(&w)[3]) {
            ++covered[{x, y}];
            CHECK(w[0] + w[1] + w[2] == doctest::Approx(1.0));
        });
    }
    CHECK(covered.size() == 400);
    for (const auto& [place, times] : covered) CHECK(times == 1);
}

TEST_CASE("triangles without area or beyond all bounds cover nothing and hurt nobody") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const ScreenPoint cases[][3] = {{{1, 1}, {1, 1}, {1, 1}},
                                    {{1, 1}, {5, 5}, {9, 9}},
                                    {{nan, 1}, {5, 2}, {9, 9}},
                                    {{-9, -9}, {-5, -9}, {-5, -1}},
                                    {{100, 100}, {200, 100}, {100, 200}},
                                    {{1e300, 0}, {-1e300, 1e300}, {0, -1e300}}};
    for (const auto& t : cases) fill_triangle(t, 32, 32, [](int, int, const double(&)[3]) { CHECK(false); });
}

TEST_CASE("neighbouring bodies have different colours") {
    for (std::size_t i = 0; i + 1 < 500; ++i) CHECK(glm::distance(body_color(i), body_color(i + 1)) > 0.02f);
}

TEST_CASE("a picture is written as a png that others can open and a bad path is refused") {
    const ScratchFolder folder;
    const Image image = draw(stage());
    const Error error = write_png(image, folder.path("a.png"));
    REQUIRE_MESSAGE(!error, error.message);
    std::ifstream file(folder.path("a.png"), std::ios::binary);
    char head[24] = {};
    file.read(head, sizeof head);
    CHECK(std::string(head + 1, 3) == "PNG");
    CHECK(static_cast<unsigned char>(head[19]) == 160);
    CHECK(static_cast<unsigned char>(head[23]) == 90);
    CHECK(static_cast<bool>(write_png(image, folder.path("no/such/folder/a.png"))));
}
