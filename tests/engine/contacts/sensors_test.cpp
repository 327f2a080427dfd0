/// Sensors: which shapes they report, and when.

#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/height_field.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

int count(std::span<const ContactEvent> events, BodyId sensor) {
    int n = 0;
    for (const ContactEvent& e : events) n += e.sensor && (e.body_a == sensor || e.body_b == sensor) ? 1 : 0;
    return n;
}

BodyDef as_sensor(BodyDef def) {
    def.sensor = true;
    return def;
}

/// A user who keeps a list of touching shapes, and whether one is a sensor, from the events alone.
class Listener {
public:
    void listen(const World& world) {
        for (const ContactEvent& e : world.contacts_begun()) faults += pairs_.emplace(key(e), e.sensor).second ? 0 : 1;
        for (const ContactEvent& e : world.contacts_ended()) {
            const auto known = pairs_.find(key(e));
            faults += known != pairs_.end() && known->second == e.sensor ? 0 : 1;
            if (known != pairs_.end()) pairs_.erase(known);
        }
    }
    std::size_t count(bool sensor) const {
        return static_cast<std::size_t>(
            std::count_if(pairs_.begin(), pairs_.end(), [&](const auto& p) { return p.second == sensor; }));
    }
    bool knows(const Contact& contact) const {
        const auto known = pairs_.find(key(contact));
        return known != pairs_.end() && !known->second;
    }

    int faults = 0;  ///< pairs that began twice, or ended without a beginning or as the other kind

private:
    using Side = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    template <class Event>
    static std::pair<Side, Side> key(const Event& e) {
        const Side a{e.body_a.slot, e.body_a.generation, e.shape_a}, b{e.body_b.slot, e.body_b.generation, e.shape_b};
        return a < b ? std::pair(a, b) : std::pair(b, a);
    }
    std::map<std::pair<Side, Side>, bool> pairs_;
};

/// Ground whose top is the plane y = 0: a slab, or a height field.
BodyDef floor_of(bool mesh) {
    if (!mesh) return ground();
    const std::vector<float> heights(21 * 21, 0.0f);
    BodyDef def;
    def.type = BodyType::fixed;
    def.mesh = *make_height_field({.columns = 21, .rows = 21, .heights = heights});
    def.position = {-10, 0, -10};
    return def;
}

void make_sensor(World& world, BodyId id, std::uint32_t shape, bool sensor) {
    const auto old = world.shapes(id);
    std::vector<ShapeDef> defs(old.begin(), old.end());
    defs[shape].sensor = sensor;
    REQUIRE(world.set_shapes(id, defs));
}

}  // namespace

TEST_CASE(
    "a shape that becomes a sensor while it touches, or stops being one, ends first and begins in the next step") {
    for (const bool mesh : {false, true}) {
        for (const bool of_floor : {false, true}) {
            CAPTURE(mesh);
            CAPTURE(of_floor);
            World world;
            const BodyId floor = add(world, floor_of(mesh));
            BodyDef feeler;  // the body that is changed does not fall
            feeler.shapes = {part(box(vec3(0.2f)), {0, 0.7f, 0}), part(box(vec3(0.25f)), {0, 0.2f, 0})};
            feeler.position = {0.3f, 0, 0.4f};
            feeler.gravity_scale = 0.0f;
            const BodyId changed = add(world, feeler);
            Listener listener;
            run(world, 1);
            listener.listen(world);
            REQUIRE(listener.count(false) == 1);
            bool sensor = false;
            for (int i = 0; i < 6; ++i) {
                sensor = !sensor;
                REQUIRE(world.set_transform(changed, feeler.position, quat(1, 0, 0, 0)));
                REQUIRE(world.set_linear_velocity(changed, vec3(0.0f)));
                make_sensor(world, of_floor ? floor : changed, of_floor ? 0 : 1, sensor);
                run(world, 1);
                CHECK(world.contacts_begun().empty());
                REQUIRE(world.contacts_ended().size() == 1);
                CHECK(world.contacts_ended()[0].sensor == !sensor);
                listener.listen(world);
                run(world, 1);
                CHECK(world.contacts_ended().empty());
                REQUIRE(world.contacts_begun().size() == 1);
                CHECK(world.contacts_begun()[0].sensor == sensor);
                listener.listen(world);
                CHECK(listener.count(sensor) == 1);
            }
            CHECK(listener.faults == 0);
        }
    }
}

TEST_CASE("a listener who keeps the touching pairs is right whatever is changed while they touch") {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        World world;
        add(world, floor_of(seed % 2 == 0));
        std::vector<BodyId> ids;
        const auto place = [&] {
            BodyDef def;
            const float x = random.between(-2.0f, 2.0f), y = random.between(0.3f, 3.0f);
            def.position = {x, y, random.between(-2.0f, 2.0f)};
            def.shapes = {part(random.below(2) == 0 ? box(vec3(0.3f)) : sphere(0.4f))};
            for (std::uint32_t i = random.below(3); i > 0; --i)
                def.shapes.push_back(part(box(vec3(0.2f)), {0.4f * static_cast<float>(i), 0.1f, 0}));
            ids.push_back(add(world, def));
        };
        for (int i = 0; i < 15; ++i) place();
        Listener listener;
        int wrong = 0;
        for (int i = 0; i < 600; ++i) {
            const bool quiet = i % 200 >= 140;
            for (std::uint32_t k = quiet ? 0 : random.below(3); k > 0; --k) {
                const std::uint32_t which = random.below(static_cast<std::uint32_t>(ids.size()));
                const BodyId id = ids[which];
                const auto old = world.shapes(id);
                std::vector<ShapeDef> defs(old.begin(), old.end());
                const std::uint32_t shape = random.below(static_cast<std::uint32_t>(defs.size()));
                switch (random.below(7)) {
                    case 0:
                    case 1:
                        world.set_type(id, BodyType::kinematic);  // so that it may have only sensors
                        make_sensor(world, id, shape, !defs[shape].sensor);
                        world.set_type(id, BodyType::dynamic);  // refused without mass
                        break;
                    case 2:
                        world.set_filter(id, shape, Filter{.mask = random.below(2) == 0 ? 0u : ~0u});
                        break;
                    case 3:
                        world.set_type(id, random.below(2) == 0 ? BodyType::fixed : BodyType::dynamic);
                        break;
                    case 4:
                        defs.push_back(defs[0]);
                        defs.back().pose.position.y += 0.3f;
                        if (defs.size() > 4) defs.resize(1);
                        world.set_shapes(id, defs);
                        break;
                    case 5:
                        world.remove_body(id);
                        ids.erase(ids.begin() + which);
                        place();
                        break;
                    default:
                        world.set_awake(id, random.below(2) == 0);
                }
            }
            run(world, 1);
            listener.listen(world);
            for (const Contact& contact : world.contacts()) wrong += listener.knows(contact) ? 0 : 1;
        }
        CAPTURE(seed);
        CHECK(listener.faults == 0);
        CHECK(wrong == 0);
    }
}

TEST_CASE("a gate that jumps about in a crowd ends and begins each of its contacts") {
    World world(weightless());
    std::vector<dvec3> places;
    for (int i = 0; i < 400; ++i) {
        places.emplace_back(0.5 * (i % 20), 0.0, 0.5 * (i / 20));
        add(world, body(sphere(0.2f), places.back()));
    }
    const BodyId gate = add(world, as_sensor(fixed_body(box(vec3(2.1f)), {0, 0, 0})));
    Random random(5);
    Listener listener;
    std::size_t most_ended = 0;
    for (int i = 0; i < 60; ++i) {
        const dvec3 at(0.5 * random.below(24), 0.0, 0.5 * random.below(24));
        REQUIRE(world.set_transform(gate, at, quat(1, 0, 0, 0)));
        run(world, 1);
        listener.listen(world);
        most_ended = std::max(most_ended, world.contacts_ended().size());
        const auto inside = std::count_if(places.begin(), places.end(), [&](const dvec3& place) {
            return std::abs(place.x - at.x) < 2.2 && std::abs(place.z - at.z) < 2.2;
        });
        CHECK(listener.count(true) == static_cast<std::size_t>(inside));
    }
    CHECK(listener.faults == 0);
    CHECK(most_ended > 60);  // so many at once are found in one walk along the gate's pairs
}

TEST_CASE("fixed and kinematic sensors see dynamic bodies and push nobody") {
    for (const BodyType type : {BodyType::fixed, BodyType::kinematic}) {
        World world(sleepless());
        BodyDef gate = as_sensor(fixed_body(box(vec3(1.0f)), {0, 0, 0}));
        gate.type = type;
        const BodyId gate_id = add(world, gate);
        const BodyId ball = add(world, body(sphere(0.2f), {0, 5, 0}));
        int begun = 0, ended = 0;
        for (int i = 0; i < 150; ++i) {
            run(world, 1);
            begun += count(world.contacts_begun(), gate_id);
            ended += count(world.contacts_ended(), gate_id);
        }
        CHECK(begun == 1);
        CHECK(ended == 1);
        CHECK(world.position(ball).y == doctest::Approx(5.0 - 0.5 * 9.81 * 2.5 * 2.5).epsilon(0.02));
    }
}

TEST_CASE("a sensor on a dynamic body sees fixed kinematic and dynamic ones but no sensors") {
    World world(weightless());
    BodyDef probe = body(box(vec3(0.5f)));
    probe.shape = Shape{};
    ShapeDef feeler = part(sphere(1.0f));
    feeler.sensor = true;
    probe.shapes = {part(box(vec3(0.1f))), feeler};
    const BodyId probe_id = add(world, probe);
    const BodyId seen[] = {add(world, fixed_body(box(vec3(0.2f)), {0.8f, 0, 0})),
                           add(world, kinematic_body(box(vec3(0.2f)), {-0.8f, 0, 0})),
                           add(world, body(box(vec3(0.2f)), {0, 0.8f, 0}))};
    add(world, as_sensor(fixed_body(box(vec3(0.2f)), {0, -0.8f, 0})));
    run(world, 1);
    CHECK(count(world.contacts_begun(), probe_id) == 3);
    for (const BodyId id : seen) CHECK(count(world.contacts_begun(), id) == 1);
}

TEST_CASE("what sleeps in a sensor stays in it and a sensor that comes to a sleeper sees it") {
    World world;
    add(world, ground());
    const BodyId zone = add(world, as_sensor(fixed_body(box(vec3(2.0f)), {0, 1, 0})));
    const BodyId sleeper = add(world, crate({0, 0.5f, 0}));
    int ended = 0;
    for (int i = 0; i < 200; ++i) {
        run(world, 1);
        ended += count(world.contacts_ended(), zone);
    }
    REQUIRE(!world.is_awake(sleeper));
    CHECK(ended == 0);
    BodyDef scanner = as_sensor(kinematic_body(box(vec3(0.3f)), {-4, 0.5f, 0}, {2, 0, 0}));
    const BodyId scanner_id = add(world, scanner);
    int begun = 0;
    for (int i = 0; i < 240; ++i) {
        run(world, 1);
        begun += count(world.contacts_begun(), scanner_id);
        ended += count(world.contacts_ended(), scanner_id);
    }
    CHECK(begun == 1);
    CHECK(ended == 1);
    CHECK(!world.is_awake(sleeper));
}

TEST_CASE("what is put in front of its sensor and flies through it has left it once") {
    World world(weightless());
    const BodyId gate = add(world, as_sensor(fixed_body(box(vec3(1.0f)))));
    const BodyId ball = add(world, body(sphere(0.2f)));
    run(world, 1);
    REQUIRE(count(world.contacts_begun(), gate) == 1);
    REQUIRE(world.set_transform(ball, {-5, 0, 0}, quat(1, 0, 0, 0)));
    REQUIRE(world.set_linear_velocity(ball, {600, 0, 0}));
    int begun = 0, ended = 0;
    for (int i = 0; i < 3; ++i) {
        run(world, 1);
        begun += count(world.contacts_begun(), gate);
        ended += count(world.contacts_ended(), gate);
    }
    CHECK(world.position(ball).x > 5.0f);
    CHECK(begun == 0);
    CHECK(ended == 1);
}
