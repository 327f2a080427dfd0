/// World::draw: its lines and points lie where the bodies are.

#include "samples/scenes/scene.h"
#include "tests/engine/joints/joints.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace talus::test {

namespace {

/// Keeps what is drawn, relative to `origin`.
struct Recorder : DebugDraw {
    struct Line {
        vec3 from, to;
        Color color;
        float length() const { return size(to - from); }
    };
    struct Point {
        vec3 at;
        float pixels;
        Color color;
    };
    struct Triangle {
        vec3 a, b, c;
    };
    struct Text {
        vec3 at;
        std::string text;
    };
    std::vector<Line> lines;
    std::vector<Point> points;
    std::vector<Triangle> triangles;
    std::vector<Text> texts;

    dvec3 origin{0.0};

    vec3 seen(const dvec3& point) const { return vec3(point - origin); }
    void line(const dvec3& from, const dvec3& to, Color color) override {
        lines.push_back({seen(from), seen(to), color});
    }
    void point(const dvec3& at, float pixels, Color color) override { points.push_back({seen(at), pixels, color}); }
    void triangle(const dvec3& a, const dvec3& b, const dvec3& c, Color) override {
        triangles.push_back({seen(a), seen(b), seen(c)});
    }
    void text(const dvec3& at, std::string_view text, Color) override {
        texts.push_back({seen(at), std::string(text)});
    }

    Recorder() = default;
    Recorder(const World& world, const DebugDrawOptions& options, const dvec3& seen_from = dvec3(0.0))
        : origin(seen_from) {
        world.draw(*this, options);
    }

    std::size_t count() const { return lines.size() + points.size() + triangles.size() + texts.size(); }
    std::vector<vec3> places() const {
        std::vector<vec3> all;
        for (const Line& l : lines) all.insert(all.end(), {l.from, l.to});
        for (const Point& p : points) all.push_back(p.at);
        for (const Triangle& t : triangles) all.insert(all.end(), {t.a, t.b, t.c});
        for (const Text& t : texts) all.push_back(t.at);
        return all;
    }
    std::vector<float> lengths() const {
        std::vector<float> all;
        for (const Line& l : lines) all.push_back(l.length());
        std::sort(all.begin(), all.end());
        return all;
    }
    bool has_place(const vec3& at, float within = 1e-4f) const {
        const std::vector<vec3> all = places();
        return std::any_of(all.begin(), all.end(), [&](const vec3& p) { return size(p - at) <= within; });
    }
    bool has_line(const vec3& from, const vec3& to, float within = 1e-4f) const {
        return std::any_of(lines.begin(), lines.end(), [&](const Line& l) {
            return (size(l.from - from) <= within && size(l.to - to) <= within) ||
                   (size(l.from - to) <= within && size(l.to - from) <= within);
        });
    }
    std::set<std::tuple<int, int, int>> line_colors() const {
        std::set<std::tuple<int, int, int>> all;
        for (const Line& l : lines) all.insert({l.color.r, l.color.g, l.color.b});
        return all;
    }
};

DebugDrawOptions everything() {
    DebugDrawOptions all;
    all.outlines = all.boxes = all.fat_boxes = all.columns = all.contact_points = all.contact_normals = true;
    all.contact_impulses = all.feature_ids = all.manifold_areas = all.centers_of_mass = all.inertia_axes = true;
    all.joints = all.velocities = all.pair_rungs = true;
    return all;
}

using Choice = bool DebugDrawOptions::*;
const std::map<std::string, Choice> choices = {
    {"outlines", &DebugDrawOptions::outlines},
    {"boxes", &DebugDrawOptions::boxes},
    {"fat_boxes", &DebugDrawOptions::fat_boxes},
    {"columns", &DebugDrawOptions::columns},
    {"contact_points", &DebugDrawOptions::contact_points},
    {"contact_normals", &DebugDrawOptions::contact_normals},
    {"contact_impulses", &DebugDrawOptions::contact_impulses},
    {"feature_ids", &DebugDrawOptions::feature_ids},
    {"manifold_areas", &DebugDrawOptions::manifold_areas},
    {"centers_of_mass", &DebugDrawOptions::centers_of_mass},
    {"inertia_axes", &DebugDrawOptions::inertia_axes},
    {"joints", &DebugDrawOptions::joints},
    {"velocities", &DebugDrawOptions::velocities},
    {"pair_rungs", &DebugDrawOptions::pair_rungs},
};

DebugDrawOptions only(Choice choice) {
    DebugDrawOptions options;
    options.*choice = true;
    return options;
}

/// A body of one shape at a random pose, drawn alone.
Recorder outline_of(const Shape& shape, WorldTransform* pose = nullptr) {
    World world(weightless());
    BodyDef def = fixed_body(shape, {3, -2, 5});
    def.rotation = turn(glm::normalize(vec3(1, 2, 3)), 0.7);
    const BodyId id = add(world, def);
    if (pose) *pose = world.transform(id);
    return Recorder(world, only(&DebugDrawOptions::outlines));
}

bool same_lengths(std::vector<float> got, std::vector<float> wanted, float within = 1e-5f) {
    std::sort(wanted.begin(), wanted.end());
    if (got.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::abs(got[i] - wanted[i]) > within) return false;
    }
    return true;
}

/// Crates on the ground, after some time, at rest.
World resting(WorldDef def = sleepless(), int crates = 1) {
    World world(def);
    add(world, ground());
    for (int i = 0; i < crates; ++i) add(world, crate({3.0f * static_cast<float>(i), 0.5f, 0.0f}));
    run(world, 60);
    return world;
}

}  // namespace

TEST_CASE("nothing is drawn when no option is set") {
    const World world = resting();
    CHECK(Recorder(world, {}).count() == 0);
}

TEST_CASE("each option alone draws something and all of them together draw what each one draws") {
    World world = resting();
    const BodyId moving = add(world, crate({0.1f, 3.0f, 0.0f}));
    const BodyId other = add(world, crate({8, 3, 0}));
    add(world, BallDef{.frames = world.joint_frames(moving, other, {4, 3, 0})});
    world.set_angular_velocity(moving, {0, 1, 0});
    run(world, 3);
    std::size_t sum = 0;
    for (const auto& choice : choices) {
        CAPTURE(choice.first);
        const std::size_t count = Recorder(world, only(choice.second)).count();
        CHECK(count > 0);
        sum += count;
    }
    CHECK(Recorder(world, everything()).count() == sum);
}

TEST_CASE("drawing changes nothing") {
    World world = resting(), undrawn = world;
    Recorder recorder;
    for (int i = 0; i < 20; ++i) {
        const std::size_t memory = world.memory().total();
        world.draw(recorder, everything());
        CHECK(world.hash() == undrawn.hash());
        CHECK(world.memory().total() == memory);
        run(world, 1);
        run(undrawn, 1);
    }
    CHECK(recorder.count() > 0);
}

// ---- outlines -------------------------------------------------------------------------------------------------------

TEST_CASE("a box is outlined by its twelve edges") {
    WorldTransform pose;
    const Recorder drawn = outline_of(box({0.5f, 1.0f, 1.5f}), &pose);
    CHECK(same_lengths(drawn.lengths(), {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
    CHECK(drawn.has_line(transform_point(pose, {-0.5f, -1, -1.5f}), transform_point(pose, {0.5f, -1, -1.5f})));
}

TEST_CASE("a hull is outlined by its real edges and each of them once") {
    // The corners of a cube: its square faces have no diagonals.
    std::vector<vec3> corners;
    for (int i = 0; i < 8; ++i) corners.push_back({i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1});
    const auto cube = make_hull(corners);
    REQUIRE(cube);
    CHECK(same_lengths(outline_of(hull(*cube)).lengths(), std::vector<float>(12, 2.0f)));

    Random random(7);
    std::vector<vec3> points;
    for (int i = 0; i < 60; ++i) points.push_back(glm::normalize(random.in_box(vec3(1.0f))));
    const auto round = make_hull(points);
    REQUIRE(round);
    WorldTransform pose;
    const Recorder drawn = outline_of(hull(*round), &pose);
    const Hull& h = **round;
    CHECK(drawn.lines.size() == h.vertices.size() + h.faces.size() - 2);  // Euler
    std::size_t found = 0;
    for (const HullFace& face : h.faces) {
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const vec3& a = h.vertices[h.face_vertices[face.first + i]];
            const vec3& b = h.vertices[h.face_vertices[face.first + (i + 1) % face.count]];
            found += drawn.has_line(transform_point(pose, a), transform_point(pose, b), 1e-6f);
        }
    }
    CHECK(found == h.face_vertices.size());
}

TEST_CASE("lines of round shapes lie on their surfaces and reach all sides of them") {
    const auto check_points = [](const Shape& shape, const std::function<float(vec3)>& distance) {
        WorldTransform pose;
        const Recorder drawn = outline_of(shape, &pose);
        REQUIRE(drawn.lines.size() > 8);
        Aabb box{vec3(1e9f), vec3(-1e9f)};
        for (const vec3& place : drawn.places()) {
            const vec3 local = inverse_transform_point(pose, place);
            CHECK(std::abs(distance(local)) < 1e-5f);
            box = merge(box, {local, local});
        }
        const Aabb wanted = bounds(shape);
        for (int k = 0; k < 3; ++k) {
            CHECK(box.lower[k] == doctest::Approx(wanted.lower[k]).epsilon(1e-3));
            CHECK(box.upper[k] == doctest::Approx(wanted.upper[k]).epsilon(1e-3));
        }
    };
    const auto clamped = [](float x, float h) { return std::clamp(x, -h, h); };
    check_points(sphere(0.7f), [](vec3 p) { return size(p) - 0.7f; });
    check_points(capsule(0.8f, 0.3f), [&](vec3 p) { return size(p - vec3(0, clamped(p.y, 0.8f), 0)) - 0.3f; });
    check_points(capsule(0.0f, 0.3f), [](vec3 p) { return size(p) - 0.3f; });
    check_points(segment({-1, 0, 0}, {1, 0, 0}, 0.2f),
                 [&](vec3 p) { return size(p - vec3(clamped(p.x, 1), 0, 0)) - 0.2f; });
    check_points(cylinder(1.0f, 0.4f), [](vec3 p) {
        return std::max(std::abs(std::hypot(p.x, p.z) - 0.4f), std::abs(std::abs(p.y) - 1.0f));
    });
    check_points(cone(1.0f, 0.5f), [](vec3 p) { return std::hypot(p.x, p.z) - 0.25f * (1.0f - p.y); });
    const vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    check_points(triangle(corners[0], corners[1], corners[2], 0.1f), [&](vec3 p) {
        // The nearest point of the triangle: inside of it, or on one of its edges.
        float nearest = p.x >= 0 && p.y >= 0 && 0.5f * p.x + p.y <= 1.0f ? std::abs(p.z) : 1e9f;
        for (int i = 0; i < 3; ++i) {
            const vec3 &a = corners[i], way = corners[(i + 1) % 3] - a;
            const float t = std::clamp(glm::dot(p - a, way) / glm::dot(way, way), 0.0f, 1.0f);
            nearest = std::min(nearest, size(p - a - t * way));
        }
        return nearest - 0.1f;
    });
}

TEST_CASE("triangles and segments without radius are their edges") {
    CHECK(same_lengths(outline_of(triangle({0, 0, 0}, {3, 0, 0}, {0, 4, 0})).lengths(), {3, 4, 5}));
    CHECK(same_lengths(outline_of(segment({0, 0, 0}, {0, 2, 0})).lengths(), {2}));
}

TEST_CASE("a compound is outlined shape by shape at their poses") {
    World world(weightless());
    BodyDef def;
    def.shapes = {part(box(vec3(0.5f)), {2, 0, 0}), part(box({1, 0.1f, 0.1f}), {-2, 0, 0}, turn({0, 0, 1}, 0.5 * pi))};
    def.position = {0, 10, 0};
    add(world, def);
    const Recorder drawn(world, only(&DebugDrawOptions::outlines));
    CHECK(drawn.lines.size() == 24);
    CHECK(drawn.has_line({1.5f, 9.5f, 0.5f}, {2.5f, 9.5f, 0.5f}));
    CHECK(drawn.has_line({-2.1f, 9, 0.1f}, {-2.1f, 11, 0.1f}));
}

TEST_CASE("outlines are coloured by type and by sleep and those of sensors differ from all others") {
    World world;
    add(world, ground());
    add(world, kinematic_body(sphere(0.3f), {10, 5, 0}));
    const BodyId sleeper = add(world, crate({0, 0.5f, 0})), faller = add(world, crate({5, 50, 0}));
    BodyDef sensor = fixed_body(box(vec3(0.5f)), {-10, 5, 0});
    sensor.sensor = true;
    add(world, sensor);
    run(world, 90);
    REQUIRE_FALSE(world.is_awake(sleeper));
    REQUIRE(world.is_awake(faller));
    DebugDrawOptions options = only(&DebugDrawOptions::outlines);
    options.outline_color = OutlineColor::type;
    CHECK(Recorder(world, options).line_colors().size() == 4);  // fixed, kinematic, dynamic, sensor
    options.outline_color = OutlineColor::sleep;
    CHECK(Recorder(world, options).line_colors().size() == 5);
}

TEST_CASE("bodies that touch have one island and its colour and others have another") {
    World world(sleepless());
    add(world, ground());
    const BodyId low = add(world, crate({0, 0.5f, 0})), high = add(world, crate({0, 1.5f, 0}));
    const BodyId apart = add(world, crate({5, 0.5f, 0})), falling = add(world, crate({10, 50, 0}));
    const BodyId hanging = add(world, crate({5, 10, 0})), held = add(world, crate({7, 10, 0}));
    add(world, BallDef{.frames = world.joint_frames(hanging, held, {6, 10, 0})});
    CHECK(world.island(low) == no_island);  // no step yet
    run(world, 20);
    CHECK(world.island(low) == world.island(high));
    CHECK(world.island(low) != no_island);
    CHECK(world.island(apart) != no_island);
    CHECK(world.island(apart) != world.island(low));
    CHECK(world.island(hanging) == world.island(held));
    CHECK(world.island(hanging) != no_island);
    CHECK(world.island(falling) == no_island);

    DebugDrawOptions options = only(&DebugDrawOptions::outlines);
    options.outline_color = OutlineColor::island;
    const auto color_of = [&](BodyId id) {
        DebugDrawOptions near = options;
        near.region = expand(world.bounds(id), -0.2f);
        const Recorder drawn(world, near);
        REQUIRE(drawn.lines.size() == 12);
        return drawn.lines[0].color;
    };
    CHECK(color_of(low) == color_of(high));
    CHECK_FALSE(color_of(low) == color_of(apart));
    CHECK_FALSE(color_of(low) == color_of(falling));
    CHECK(color_of(hanging) == color_of(held));
    CHECK(color_of(low) == color_of_number(world.island(low)));
}

TEST_CASE("a body that comes to the slot of a removed one has no island before the next step") {
    World world(sleepless());
    add(world, ground());
    const BodyId low = add(world, crate({0, 0.5f, 0})), high = add(world, crate({0, 1.5f, 0}));
    run(world, 10);
    REQUIRE(world.island(high) != no_island);
    CHECK(world.island(high) == world.island(low));
    world.remove_body(high);
    CHECK(world.island(high) == no_island);
    CHECK(world.last_error().code == ErrorCode::stale_handle);
    const BodyId next = add(world, crate({20, 5, 0}));
    REQUIRE(next.slot == high.slot);
    CHECK(world.island(next) == no_island);
    CHECK(world.island(low) != no_island);
    CHECK(world.set_type(low, BodyType::kinematic));
    CHECK(world.island(low) == no_island);
    run(world, 1);
    CHECK(world.island(next) == no_island);  // nothing touches it
}

TEST_CASE("neither sleeping bodies have an island nor woken ones before the next step") {
    World world;
    add(world, ground());
    const BodyId id = add(world, crate({0, 0.5f, 0}));
    run(world, 90);
    REQUIRE_FALSE(world.is_awake(id));
    CHECK(world.island(id) == no_island);
    world.set_awake(id, true);
    CHECK(world.island(id) == no_island);
    run(world, 1);
    CHECK(world.island(id) != no_island);
}

TEST_CASE("numbers that are near each other have colours that differ") {
    for (std::uint32_t number = 0; number < 3000; ++number) {
        for (std::uint32_t next = number + 1; next < number + 8; ++next) {
            const Color a = color_of_number(number), b = color_of_number(next);
            CHECK(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) > 30);
        }
    }
    std::set<std::tuple<int, int, int>> rungs;
    for (int i = 0; i < rung_count; ++i) {
        const Color c = color_of(static_cast<Rung>(i));
        rungs.insert({c.r, c.g, c.b});
    }
    CHECK(rungs.size() == rung_count);
}

// ---- boxes and columns ----------------------------------------------------------------------------------------------

TEST_CASE("boxes are the bodies' bounds and fat boxes hold them") {
    World world(weightless());
    BodyDef def = crate({1, 2, 3});
    def.rotation = turn({0, 1, 0}, 0.25 * pi);
    def.linear_velocity = {1, 0, 0};
    const BodyId id = add(world, def);
    run(world, 2);
    const auto around = [](const Recorder& drawn) {
        REQUIRE(drawn.lines.size() == 12);
        Aabb box{drawn.lines[0].from, drawn.lines[0].from};
        for (const vec3& p : drawn.places()) box = merge(box, {p, p});
        return box;
    };
    const Aabb tight = around(Recorder(world, only(&DebugDrawOptions::boxes)));
    const Aabb fat = around(Recorder(world, only(&DebugDrawOptions::fat_boxes)));
    const Aabb wanted = relative_to(dvec3(0.0), world.bounds(id));
    CHECK(size(tight.lower - wanted.lower) < 1e-5f);
    CHECK(size(tight.upper - wanted.upper) < 1e-5f);
    CHECK(contains(fat, tight));
    CHECK(fat.upper.x > tight.upper.x + 1.0f / 60.0f);  // it is extended along the motion
    CHECK(fat.upper.x < tight.upper.x + 1.0f);
}

TEST_CASE("the columns drawn hold the lower corner of each fat box once") {
    World world(weightless());
    Random random(3);
    constexpr std::size_t count = 300;
    for (std::size_t i = 0; i < count; ++i) {
        BodyDef def = body(sphere(random.between(0.2f, 0.5f)), random.in_box(vec3(20.0f)));
        if (i % 3 == 0) def.type = BodyType::fixed;
        add(world, def);
    }
    run(world, 2);
    const Recorder columns(world, only(&DebugDrawOptions::columns)), boxes(world, only(&DebugDrawOptions::fat_boxes));
    REQUIRE(columns.lines.size() % 13 == 0);  // twelve edges and the sweep axis
    REQUIRE(columns.lines.size() > 13);
    std::size_t sweeps = 0;
    std::vector<Aabb> cells;
    for (std::size_t i = 0; i < columns.lines.size(); i += 13) {
        Aabb cell{columns.lines[i].from, columns.lines[i].from};
        for (std::size_t k = i; k < i + 12; ++k)
            cell = merge(merge(cell, {columns.lines[k].from, columns.lines[k].from}),
                         {columns.lines[k].to, columns.lines[k].to});
        cells.push_back(cell);
        sweeps += contains(expand(cell, 1e-4f), {columns.lines[i + 12].from, columns.lines[i + 12].from});
    }
    CHECK(sweeps == cells.size());
    REQUIRE(boxes.lines.size() == 12 * count);
    std::size_t held = 0;
    for (std::size_t i = 0; i < boxes.lines.size(); i += 12) {
        vec3 lower = boxes.lines[i].from;
        for (std::size_t k = i; k < i + 12; ++k)
            lower = glm::min(lower, glm::min(boxes.lines[k].from, boxes.lines[k].to));
        held += std::any_of(cells.begin(), cells.end(), [&](const Aabb& cell) {
            return contains(expand(cell, 1e-4f), {lower, lower});
        });
    }
    CHECK(held == count);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

TEST_CASE("contact points are where the contacts' are and red when new and green from the next step on") {
    World world(sleepless());
    add(world, ground());
    add(world, crate({0, 0.5f, 0}));
    run(world, 1);
    const auto drawn = [&] { return Recorder(world, only(&DebugDrawOptions::contact_points)); };
    const auto is_red = [](const Recorder::Point& p) { return p.color.r > 2 * p.color.g; };
    REQUIRE(world.contacts().size() == 1);
    const Recorder first = drawn();
    REQUIRE(first.points.size() == 4);
    CHECK(std::all_of(first.points.begin(), first.points.end(), is_red));
    run(world, 1);
    const Recorder second = drawn();
    const Contact contact = world.contacts()[0];
    REQUIRE(second.points.size() == 4);
    CHECK(std::none_of(second.points.begin(), second.points.end(), is_red));
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(size(second.points[i].at - vec3(contact.points[i].position)) < 1e-6f);
        CHECK_FALSE(contact.points[i].is_new);
    }
}

TEST_CASE("only those of a contact's points whose features are new are red") {
    World world(sleepless());
    add(world, fixed_body(box({1, 1, 1}), {0, -1, 0}));
    BodyDef slider = crate({0.45f, 0.5f, 0});
    slider.material.friction = 0.0f;
    slider.linear_velocity = {1, 0, 0};
    const BodyId id = add(world, slider);
    int of_both = 0;
    for (int i = 0; i < 40; ++i) {
        std::set<std::uint32_t> before;
        for (const Contact& contact : world.contacts(id))
            for (int k = 0; k < contact.point_count; ++k) before.insert(contact.points[k].id);
        run(world, 1);
        int fresh = 0, old = 0;
        for (const Contact& contact : world.contacts(id)) {
            for (int k = 0; k < contact.point_count; ++k) {
                const bool was_there = before.count(contact.points[k].id) != 0;
                CHECK(contact.points[k].is_new == !was_there);
                (was_there ? old : fresh) += 1;
            }
        }
        of_both += fresh > 0 && old > 0;
    }
    CHECK(of_both > 0);  // two corners slide over the edge while the others continue
}

TEST_CASE("normals start at the points and are as long as they are asked to be") {
    const World world = resting();
    DebugDrawOptions options = only(&DebugDrawOptions::contact_normals);
    options.normal_length = 0.3f;
    const Recorder drawn(world, options);
    const Contact contact = world.contacts()[0];
    REQUIRE(drawn.lines.size() == 4);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(drawn.has_line(contact.points[i].position, displaced(contact.points[i].position, 0.3f * contact.normal)));
}

TEST_CASE("impulses that are drawn hold a body on a slope with that of friction") {
    WorldDef def = sleepless();
    const float slope = 0.3f;
    def.gravity = 10.0f * vec3(std::sin(slope), -std::cos(slope), 0.0f);
    const World world = resting(def);
    const BodyId id = world.bodies()[1];
    DebugDrawOptions options = only(&DebugDrawOptions::contact_impulses);
    options.impulse_scale = 0.002f;
    const Recorder drawn(world, options);
    REQUIRE(drawn.lines.size() == 5);  // four points, and the manifold's friction
    vec3 sum(0.0f);
    for (const Recorder::Line& line : drawn.lines) sum += (line.to - line.from) / options.impulse_scale;
    const float sign = world.contacts()[0].body_b == id ? 1.0f : -1.0f;
    const vec3 weight = world.mass(id) * frame * def.gravity;
    CHECK(size(sign * sum + weight) < 0.02f * size(weight));
}

TEST_CASE("feature ids stand beside the points and a manifold's area is that of the face") {
    const World world = resting();
    const Recorder ids(world, only(&DebugDrawOptions::feature_ids));
    const Contact contact = world.contacts()[0];
    REQUIRE(ids.texts.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        char text[16];
        std::snprintf(text, sizeof text, "%04x:%04x", contact.points[i].id >> 16, contact.points[i].id & 0xffff);
        CHECK(ids.texts[i].text == text);
        CHECK(size(ids.texts[i].at - vec3(contact.points[i].position)) < 1e-6f);
    }
    const Recorder areas(world, only(&DebugDrawOptions::manifold_areas));
    float area = 0.0f;
    for (const Recorder::Triangle& t : areas.triangles) area += 0.5f * size(glm::cross(t.b - t.a, t.c - t.a));
    CHECK(area == doctest::Approx(1.0).epsilon(1e-3));  // the unit crate's bottom
    CHECK(same_lengths(areas.lengths(), {1, 1, 1, 1}, 1e-3f));
}

TEST_CASE("pair rungs join the shapes of the pairs that were tested in the colour of their rung") {
    WorldDef def = weightless();
    World world(def);
    const BodyId a = add(world, body(sphere(0.5f), {0, 0, 0})), b = add(world, body(sphere(0.5f), {0.9f, 0, 0}));
    add(world, body(sphere(0.5f), {50, 0, 0}));
    world.set_linear_velocity(a, {0.1f, 0, 0});
    run(world, 1);
    const std::vector<PairInfo> pairs = world.pairs();
    REQUIRE(pairs.size() == 1);
    REQUIRE(pairs[0].rung != Rung::skip);
    const Recorder drawn(world, only(&DebugDrawOptions::pair_rungs));
    REQUIRE(drawn.lines.size() == 1);
    CHECK(drawn.lines[0].color == color_of(pairs[0].rung));
    CHECK(drawn.has_line(world.position(a), world.position(b)));
}

TEST_CASE("the line of a pair with a floor ends below what lies on it") {
    World world = resting(sleepless(), 3);
    const Recorder drawn(world, only(&DebugDrawOptions::pair_rungs));
    REQUIRE(drawn.lines.size() == 3);
    for (const Recorder::Line& line : drawn.lines) {
        CHECK(line.from.x == doctest::Approx(line.to.x).epsilon(1e-3));
        // from a crate's middle to the same distance below the surface
        CHECK(line.length() == doctest::Approx(1.0).epsilon(0.02));
    }
}

// ---- mass and motion ------------------------------------------------------------------------------------------------

TEST_CASE("inertia axes of a box are its own and as long as its radii of gyration") {
    World world(weightless());
    const vec3 half{0.2f, 1.0f, 0.5f};
    BodyDef def = body(box(half), {4, 5, 6});
    def.rotation = turn(glm::normalize(vec3(3, 1, 2)), 1.1);
    const BodyId id = add(world, def);
    const Recorder drawn(world, only(&DebugDrawOptions::inertia_axes));
    REQUIRE(drawn.lines.size() == 3);
    const mat3 axes = to_matrix(world.rotation(id));
    const auto radius = [&](int k) {
        const vec3 squares = half * half;
        return std::sqrt((squares.x + squares.y + squares.z - squares[k]) / 3.0f);
    };
    const int order[] = {1, 2, 0};  // from the smallest moment, about the longest edge
    for (std::size_t i = 0; i < 3; ++i) {
        const Recorder::Line& line = drawn.lines[i];
        CHECK(size(line.from - vec3(world.center_of_mass(id))) < 1e-6f);
        CHECK(line.length() == doctest::Approx(radius(order[i])).epsilon(1e-4));
        CHECK(std::abs(glm::dot(line.to - line.from, axes[order[i]])) == doctest::Approx(line.length()).epsilon(1e-4));
    }
    CHECK(Recorder(world, only(&DebugDrawOptions::centers_of_mass)).has_place(world.center_of_mass(id), 1e-6f));
}

TEST_CASE("inertia axes of any compound make its inertia diagonal") {
    Random random(5);
    for (int round = 0; round < 50; ++round) {
        World world(weightless());
        BodyDef def;
        for (int i = 0; i < 4; ++i)
            def.shapes.push_back(
                part(random_shape(random, 0.5f), random.in_box(vec3(1.0f)),
                     turn(glm::normalize(random.in_box(vec3(1.0f)) + vec3(0.01f)), random.between(0, 3))));
        const BodyId id = add(world, def);
        const Recorder drawn(world, only(&DebugDrawOptions::inertia_axes));
        REQUIRE(drawn.lines.size() == 3);
        mat3 sum(0.0f);
        for (const Recorder::Line& line : drawn.lines) {
            const vec3 along = line.to - line.from;  // |along|^2 = I / m, so along along^T = u u^T I / m
            sum += glm::outerProduct(along, along);
        }
        const mat3 inertia = world.inertia(id) / world.mass(id);
        const float trace = inertia[0][0] + inertia[1][1] + inertia[2][2];
        for (int k = 0; k < 3; ++k) CHECK(size(sum[k] - inertia[k]) < 1e-4f * trace);
    }
}

TEST_CASE("velocities and spins start at the centre of mass to their scale") {
    World world(weightless());
    const BodyId id = add(world, crate({1, 2, 3}));
    world.set_linear_velocity(id, {3, 0, 4});
    DebugDrawOptions options = only(&DebugDrawOptions::velocities);
    options.velocity_scale = 0.5f;
    const vec3 center(world.center_of_mass(id));
    CHECK(Recorder(world, options).has_line(center, center + vec3(1.5f, 0, 2)));
    world.set_angular_velocity(id, {0, 2, 0});
    CHECK(Recorder(world, options).has_line(center, center + vec3(0, 1, 0)));
    world.set_linear_velocity(id, vec3(0.0f));
    world.set_angular_velocity(id, vec3(0.0f));
    CHECK(Recorder(world, options).count() == 0);
}

// ---- joints ---------------------------------------------------------------------------------------------------------

TEST_CASE("every kind of joint is drawn at its anchors") {
    World world(weightless());
    const BodyId a = add(world, crate({0, 0, 0})), b = add(world, crate({2, 0, 0}));
    const JointFrames frames = world.joint_frames(a, b, {1, 0.5f, 0}, {0, 1, 0});
    JointFrames apart = frames;
    apart.frame_b.position += vec3(0.2f, 0, 0);
    const AxisDef free_axis{.limit = {}}, range{.limit = {-0.5f, 0.5f}, .spring = {.hertz = 1.0f}};
    const JointDrive drive{.velocity = {1, 0, 0},
                           .angular_velocity = {0, 1, 0},
                           .target = {{0.3f, 0, 0}, quat(1, 0, 0, 0)},
                           .linear_hertz = 1.0f,
                           .max_force = 10.0f};
    const std::vector<std::pair<std::string, JointDef>> defs = {
        {"ball", BallDef{.frames = frames}},
        {"ball with a cone and a twist", BallDef{.frames = frames, .cone = 0.6f, .twist = {-0.4f, 0.4f}}},
        {"hinge", HingeDef{.frames = frames}},
        {"hinge with limits, spring and motor",
         HingeDef{.frames = frames, .limit = {-1, 2}, .motor = {1.0f, 5.0f}, .spring = {.hertz = 1.0f}}},
        {"hinge of many turns", HingeDef{.frames = frames, .limit = {-20, 30}}},
        {"hinge with one limit", HingeDef{.frames = frames, .limit = {-unlimited, 1}}},
        {"slider", SliderDef{.frames = frames}},
        {"slider with limits", SliderDef{.frames = frames, .limit = {-0.5f, 0.5f}, .motor = {-1.0f, 5.0f}}},
        {"fixed", FixedDef{.frames = frames}},
        {"soft fixed", FixedDef{.frames = frames, .linear_hertz = 2.0f, .angular_hertz = 2.0f}},
        {"rod", DistanceDef{.frames = apart}},
        {"rod of no length", DistanceDef{.frames = frames}},
        {"rope", DistanceDef{.frames = apart, .length = {0, 1}}},
        {"coil", DistanceDef{.frames = apart, .length = {0, unlimited}, .spring = {.hertz = 1.0f}}},
        {"six axes", SixDofDef{frames, range, free_axis, range, range, free_axis, range, {}}},
        {"wheel", WheelDef{.frames = frames, .travel = {-0.2f, 0.2f}, .steering = {-0.5f, 0.5f}, .motor = {3, 10}}},
        {"motor", MotorDef{.frames = frames, .drive = drive}},
    };
    for (const auto& named : defs) {
        CAPTURE(named.first);
        const JointDef& def = named.second;
        World with = world;
        const JointId joint = add(with, def);
        run(with, 1);
        const Recorder drawn(with, only(&DebugDrawOptions::joints));
        JointFrames at = frames;
        std::visit(
            [&](const auto& d) {
                if constexpr (requires { d.frames; }) at = d.frames;
            },
            def);
        CHECK(drawn.has_place(transform_point(with.transform(a), at.frame_a.position)));
        CHECK(drawn.has_place(transform_point(with.transform(b), at.frame_b.position)));
        for (const vec3& place : drawn.places()) {
            CHECK(is_finite(place));
            CHECK(size(place - vec3(1, 0.5f, 0)) < 3.0f);
        }
        REQUIRE(with.is_valid(joint));
    }
}

TEST_CASE("a hinge's rays show its limits and where it stands") {
    World world(weightless());
    const BodyId frame_body = anchor_body(world), door = add(world, crate({0.5f, 0, 0}));
    const JointFrames frames = world.joint_frames(frame_body, door, vec3(0.0f), {0, 0, 1});
    const JointId joint = add(world, HingeDef{.frames = frames, .limit = {-0.5f, 1.0f}});
    world.set_angular_velocity(door, {0, 0, 2});
    run(world, 20);
    const float angle = world.joint_coordinate(joint);
    REQUIRE(angle > 0.2f);
    const Recorder drawn(world, only(&DebugDrawOptions::joints));
    // The directions of lines from the anchor, as angles about z from the frame's own y axis.
    const mat3 axes = to_matrix(multiply(world.rotation(frame_body), frames.frame_a.rotation));
    const auto has_ray = [&](float wanted) {
        const vec3 along = std::cos(wanted) * axes[1] + std::sin(wanted) * axes[2];
        return std::any_of(drawn.lines.begin(), drawn.lines.end(), [&](const Recorder::Line& line) {
            const vec3 way = line.to - line.from;
            return size(line.from) < 1e-4f && size(glm::cross(way, along)) < 1e-4f && glm::dot(way, along) > 0.01f;
        });
    };
    CHECK(has_ray(-0.5f));
    CHECK(has_ray(1.0f));
    CHECK(has_ray(angle));
    CHECK_FALSE(has_ray(0.75f));
}

TEST_CASE("a limit that holds is drawn in another colour") {
    World world(weightless());
    const BodyId frame_body = anchor_body(world), door = add(world, crate({0.5f, 0, 0}));
    add(world, HingeDef{.frames = world.joint_frames(frame_body, door, vec3(0.0f), {0, 0, 1}), .limit = {-0.5f, 0.3f}});
    run(world, 1);
    const std::size_t before = Recorder(world, only(&DebugDrawOptions::joints)).line_colors().size();
    for (int i = 0; i < 60; ++i) {
        world.apply_torque(door, {0, 0, 500});
        run(world, 1);
    }
    CHECK(Recorder(world, only(&DebugDrawOptions::joints)).line_colors().size() == before + 1);
}

TEST_CASE("a slider's line reaches from limit to limit and a ball's cone has its angle") {
    World world(weightless());
    const BodyId rail = anchor_body(world), cart = add(world, crate({0, 2, 0}));
    add(world, SliderDef{.frames = world.joint_frames(rail, cart, {0, 1, 0}, {1, 0, 0}), .limit = {-0.7f, 1.5f}});
    run(world, 1);
    CHECK(Recorder(world, only(&DebugDrawOptions::joints)).has_line({-0.7f, 1, 0}, {1.5f, 1, 0}));

    World other(weightless());
    const BodyId top = anchor_body(other), bob = add(other, crate({0, -1, 0}));
    add(other, BallDef{.frames = other.joint_frames(top, bob, vec3(0.0f), {0, -1, 0}), .cone = 0.4f});
    run(other, 1);
    const Recorder drawn(other, only(&DebugDrawOptions::joints));
    int generators = 0;
    for (const Recorder::Line& line : drawn.lines) {
        const vec3 way = line.to - line.from;
        generators += size(line.from) < 1e-4f && std::abs(-way.y / size(way) - std::cos(0.4f)) < 1e-3f;
    }
    CHECK(generators >= 4);
}

TEST_CASE("a gear is drawn between the joints that it ties with its ratio") {
    World world(weightless());
    const BodyId frame_body = anchor_body(world, {0, -5, 0});
    JointId hinges[2];
    const vec3 places[] = {{0, 0, 0}, {3, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        const BodyId wheel = add(world, crate(places[i]));
        hinges[i] = add(world, HingeDef{.frames = world.joint_frames(frame_body, wheel, places[i], {0, 0, 1})});
    }
    const std::size_t before = Recorder(world, only(&DebugDrawOptions::joints)).count();
    add(world, GearDef{.joint_a = hinges[0], .joint_b = hinges[1], .ratio = -2.5f});
    run(world, 1);
    const Recorder drawn(world, only(&DebugDrawOptions::joints));
    CHECK(drawn.count() > before);
    CHECK(drawn.has_line(places[0], places[1], 1e-3f));
    REQUIRE(drawn.texts.size() == 1);
    CHECK(drawn.texts[0].text == "x -2.5");
}

// ---- regions and scenes ---------------------------------------------------------------------------------------------

TEST_CASE("what lies outside of the region is left out") {
    World world = resting(sleepless(), 5);  // crates at x = 0, 3, ..., 12
    DebugDrawOptions options = everything();
    options.fat_boxes = options.columns = options.outlines = options.boxes = false;  // of the ground
    options.region = {{5.0f, -10.0f, -10.0f}, {7.0f, 10.0f, 10.0f}};
    const Recorder drawn(world, options);
    REQUIRE(drawn.count() > 0);
    for (const vec3& place : drawn.places()) CHECK((place.x > 4.0f && place.x < 8.0f));

    options = only(&DebugDrawOptions::outlines);
    options.region = {{5.0f, 0.5f, -1.0f}, {7.0f, 2.0f, 1.0f}};  // above the ground
    CHECK(Recorder(world, options).lines.size() == 12);
    options = everything();
    options.region = {vec3(100.0f), vec3(101.0f)};
    CHECK(Recorder(world, options).count() == 0);
    options.region = {vec3(std::nanf("")), vec3(std::nanf(""))};
    CHECK(Recorder(world, options).count() == 0);
}

TEST_CASE("a world far from the origin is drawn as one at the origin") {
    const auto draw = [](const dvec3& place) {
        World world(sleepless());
        const auto add_at = [&](BodyDef def) {
            def.position += place;
            return add(world, def);
        };
        add_at(ground());
        const BodyId low = add_at(crate({0, 0.5f, 0})), high = add_at(crate({0.1f, 3, 0.3f}));
        add(world, BallDef{.frames = world.joint_frames(low, high, place + dvec3(0.5, 2, 0)), .cone = 0.4f});
        run(world, 20);
        DebugDrawOptions options = everything();
        options.region = {place - 100.0, place + 100.0};
        return Recorder(world, options, place);
    };
    const Recorder here = draw(dvec3(0.0)), there = draw(dvec3(8388608.0, -100.0, 123456.0));
    const std::vector<vec3> places = here.places(), moved = there.places();
    CHECK(places.size() > 100);
    CHECK(moved == places);
}

TEST_CASE("all of every scene is drawn near its bodies and leaves no trace in the world" *
          doctest::test_suite("slow")) {
    for (const samples::Scene& scene : samples::all_scenes()) {
        CAPTURE(scene.name);
        Result<samples::SceneData> data = scene.make({});
        if (!data) continue;  // needs meshes
        World world = samples::make_world(*data);
        for (int step = 0; step < 30; ++step) REQUIRE(samples::step_scene(world, *data, step));
        const std::uint64_t hash = world.hash();
        WorldAabb around{dvec3(1e9), dvec3(-1e9)};
        float fastest = 0.0f, strongest = 0.0f;
        for (const BodyId id : world.bodies()) {
            around = merge(around, world.bounds(id));
            fastest = std::max({fastest, size(world.linear_velocity(id)), size(world.angular_velocity(id))});
        }
        for (const Contact& contact : world.contacts()) {
            strongest = std::max(strongest, size(contact.friction_impulse));
            for (int i = 0; i < contact.point_count; ++i)
                strongest = std::max(strongest, contact.points[i].normal_impulse);
        }
        DebugDrawOptions options = everything();
        const float longest = std::max(options.velocity_scale * fastest, options.impulse_scale * strongest);
        around = expand(around, 1.1f * longest + 0.4f * size(half_extents(around)) + 1.0f);
        const Recorder drawn(world, options);
        CHECK(drawn.lines.size() >= 3 * world.body_count());
        std::size_t strays = 0;
        for (const vec3& place : drawn.places()) strays += !is_finite(place) || !contains(around, {place, place});
        CHECK(strays == 0);
        CHECK(world.hash() == hash);
    }
}

}  // namespace talus::test
