// Bodies that rotate fast on joints, by up to 0.42 rad per sub-step: they keep their speed, their energy, and the motion of
// a top. 60 Hz, 4 sub-steps.

#include "tests/engine/limits.h"

#include "tests/engine/joints/joints.h"

using namespace talus;
using namespace talus::test;

namespace {

/// A body that rotates about a hinge on a fixed body at the origin.
struct Rotor {
    World world{weightless()};
    BodyId post = anchor_body(world), body;
    vec3 axis;

    /// `first`: it is body A of the hinge. `motor`: it starts at rest, and a motor turns it.
    Rotor(const BodyDef& def, const vec3& along, float speed, bool first, bool motor = false)
        : body(add(world, ghost(def))), axis(glm::normalize(along)) {
        HingeDef hinge{.frames = first ? world.joint_frames(body, post, {0, 0, 0}, axis)
                                       : world.joint_frames(post, body, {0, 0, 0}, axis)};
        if (motor) {
            hinge.motor = {.speed = first ? -speed : speed, .max_force = 1000.0f};
        } else {
            REQUIRE(world.set_angular_velocity(body, speed * axis));
            REQUIRE(world.set_linear_velocity(body, speed * glm::cross(axis, vec3(world.center_of_mass(body)))));
        }
        add(world, hinge);
    }

    float speed() const { return glm::dot(world.angular_velocity(body), axis); }
};

BodyDef rod_at_its_end(float half_width) { return test::body(box({half_width, 1.0f, half_width}), {0, -1, 0}); }

}  // namespace

TEST_CASE("limits: thin rods on a hinge keep their speed, whichever body of it they are") {
    float least = 1.0f;
    for (const float half_width : {0.05f, 0.01f}) {
        for (const bool first : {false, true}) {
            Rotor rotor(rod_at_its_end(half_width), {0, 0, 1}, 100.0f, first);
            run(rotor.world, 120);
            least = std::min(least, rotor.speed() / 100.0f);
        }
    }
    hold("rod on a hinge at its end, 100 rad/s, speed that is left", static_cast<double>(least));
}

TEST_CASE("limits: a plate on a hinge that is oblique to it keeps its speed, whichever body of it it is") {
    float least = 1.0f;
    for (const bool first : {false, true}) {
        Rotor rotor(test::body(box({0.06f, 0.0012f, 0.06f}), {0.06f, 0.02f, -0.03f}), {0.31f, -0.84f, 0.44f}, 60.0f,
                    first);
        run(rotor.world, 600);
        least = std::min(least, rotor.speed() / 60.0f);
    }
    hold("plate on a hinge oblique to it, 60 rad/s, speed that is left", static_cast<double>(least));
}

TEST_CASE("a tilted disc beside its axle keeps its speed, whichever body of the hinge it is") {
    for (const bool first : {false, true}) {
        CAPTURE(first);
        BodyDef disc = test::body(cylinder(0.02f, 0.05f), {0.05f, -1.0f, 0.0f});
        disc.rotation = turn({0, 0, 1}, 0.9);
        Rotor rotor(disc, {0, 1, 0}, 80.0f, first);
        run(rotor.world, 120);
        CHECK(rotor.speed() > 0.99f * 80.0f);
    }
}

TEST_CASE("two boxes that are welded to an L keep their energy and momentum in flight") {
    // They rotate about (1, 2, 0.5) as one body; the joint's anchor is where they touch.
    for (const float size : {0.02f, 0.2f, 1.0f}) {
        CAPTURE(size);
        World world(weightless());
        const vec3 half = 0.5f * size * vec3(0.5f, 0.5f, 1.0f), other = 0.5f * size * vec3(0.6f, 0.3f, 0.4f);
        const BodyId a = add(world, ghost(body(box(half))));
        const BodyId b = add(world, ghost(body(box(other), {half.x + other.x, 0.0f, half.z - other.z})));
        add(world, FixedDef{.frames = world.joint_frames(a, b, {half.x, 0.0f, half.z - other.z})});
        const double m = static_cast<double>(world.mass(a)), n = static_cast<double>(world.mass(b));
        const dvec3 middle = (m * world.center_of_mass(a) + n * world.center_of_mass(b)) / (m + n);
        const dvec3 w = 80.0 * glm::normalize(dvec3(1.0, 2.0, 0.5));
        for (const BodyId id : {a, b}) {
            REQUIRE(world.set_angular_velocity(id, vec3(w)));
            REQUIRE(world.set_linear_velocity(id, vec3(glm::cross(w, world.center_of_mass(id) - middle))));
        }
        const auto momentum = [&] {
            dvec3 sum(0.0);
            for (const BodyId id : {a, b}) {
                sum += static_cast<double>(world.mass(id)) *
                           glm::cross(world.center_of_mass(id), dvec3(world.linear_velocity(id))) +
                       dvec3(world.inertia(id) * world.angular_velocity(id));
            }
            return sum;
        };
        const double start = energy(world);
        const dvec3 before = momentum();
        run(world, 600);
        CHECK(energy(world) == doctest::Approx(start).epsilon(0.01));
        CHECK(glm::length(momentum() - before) < 0.002 * glm::length(before));
    }
}

TEST_CASE("a motor turns a thin rod about its end at 100 rad/s") {
    for (const bool first : {false, true}) {
        CAPTURE(first);
        Rotor rotor(rod_at_its_end(0.05f), {0, 0, 1}, 100.0f, first, true);
        const float inertia = 4.0f * rotor.world.inertia(rotor.body)[0][0];  // about the end of a thin rod
        run(rotor.world, 30 + static_cast<int>(60.0f * inertia * 100.0f / 1000.0f));
        CHECK(rotor.speed() == doctest::Approx(100.0f).epsilon(0.001));
    }
}

TEST_CASE("limits: a plate that rotates freely on a ball joint keeps its energy") {
    double most = 0.0;
    for (const bool first : {false, true}) {
        World world(weightless());
        const BodyId post = anchor_body(world);
        BodyDef def = body(box({0.1f, 0.002f, 0.1f}));
        def.angular_velocity = {30.0f, 40.0f, 0.0f};
        const BodyId plate = add(world, ghost(def));
        add(world, BallDef{.frames = first ? world.joint_frames(plate, post, dvec3(0.0))
                                           : world.joint_frames(post, plate, dvec3(0.0))});
        const double start = kinetic_energy(world, plate);
        for (int i = 0; i < 1200; ++i) {
            run(world, 1);
            most = std::max(most, std::abs(kinetic_energy(world, plate) / start - 1.0));
        }
    }
    hold("plate on a ball joint, 50 rad/s, energy", most);
}

TEST_CASE("a top on a ball joint precesses at its rate and does not nod") {
    // A disc of 20 x 1 cm on an arm of 10 cm that leans by 30 degrees. Its steady precession W obeys
    // I1 W^2 cos - I3 w W + m g arm = 0, with the rate w of the spin and the moments I3 about its axis, I1 across.
    const double radius = 0.1, arm = 0.1, lean = pi / 6.0, spin = 100.0;
    for (const bool first : {false, true}) {
        CAPTURE(first);
        World world(sleepless());
        const BodyId post = anchor_body(world);
        const dvec3 axis(std::sin(lean), std::cos(lean), 0.0);
        BodyDef def = body(cylinder(0.005f, static_cast<float>(radius)), arm * axis);
        def.rotation = turn({0, 0, 1}, -lean);
        const BodyId disc = add(world, ghost(def));
        const double m = static_cast<double>(world.mass(disc)), around = 0.5 * m * radius * radius;
        const double across = m * (0.25 * radius * radius + 0.005 * 0.005 / 3.0 + arm * arm);
        const double l = around * spin, c = std::cos(lean);
        const double rate = (l - std::sqrt(l * l - 4.0 * across * c * m * 9.81 * arm)) / (2.0 * across * c);
        const dvec3 w = (spin - rate * c) * axis + dvec3(0.0, rate, 0.0);
        REQUIRE(world.set_angular_velocity(disc, vec3(w)));
        REQUIRE(world.set_linear_velocity(disc, vec3(glm::cross(w, arm * axis))));
        add(world, BallDef{.frames = first ? world.joint_frames(disc, post, dvec3(0.0), {0, 1, 0})
                                           : world.joint_frames(post, disc, dvec3(0.0), {0, 1, 0})});
        const double start = energy(world);
        double angle = 0.0, before = 0.0;
        for (int i = 0; i < 600; ++i) {
            run(world, 1);
            const dvec3 p = world.center_of_mass(disc);
            const double now = std::atan2(-p.z, p.x);
            angle += std::remainder(now - before, 2.0 * pi);
            before = now;
            CAPTURE(i);
            REQUIRE(std::acos(p.y / arm) == doctest::Approx(lean).epsilon(0.03));  // a degree
        }
        CHECK(angle / 10.0 == doctest::Approx(rate).epsilon(0.005));
        CHECK(energy(world) == doctest::Approx(start).epsilon(0.005));
    }
}

// A user may set such inertia. The impulses of joints and impacts gave these bodies any angular velocity, or NaN.
TEST_CASE("bodies with extreme inertia stay finite and within a limit of spin, alone, on a joint and on a floor") {
    const vec3 inertias[] = {{1e-10f, 1e-2f, 1e-2f},   {1e-12f, 1e-2f, 1e-2f}, vec3(1e-22f),
                             {1e-30f, 1e-28f, 1e-28f}, {1.0f, 1e-4f, 1e-5f},   {0.2f, 1.5e-27f, 1.5e-15f},
                             {1e-38f, 1.0f, 1.0f},     {1.0f, 1e30f, 1e30f}};
    for (const vec3& inertia : inertias) {
        for (const int joint : {0, 1, 2}) {
            CAPTURE(inertia.x);
            CAPTURE(inertia.y);
            CAPTURE(joint);
            World world;
            add(world, ground());
            BodyDef def = body(capsule(0.2f, 0.1f), {0.0f, 0.6f, 0.0f});
            def.rotation = turn(glm::normalize(vec3(1, 2, 3)), 0.7);
            def.angular_velocity = {3, 2, 1};
            const BodyId extreme = add(world, def);
            MassProperties properties{.mass = 1.0f};
            for (int k = 0; k < 3; ++k) properties.inertia[k][k] = inertia[k];
            REQUIRE(world.set_mass_properties(extreme, properties));
            const BodyId plain = add(world, body(box(vec3(0.1f)), {0.5f, 0.8f, 0.0f}));
            const JointFrames frames = world.joint_frames(extreme, plain, {0.3f, 0.7f, 0.0f}, {0, 0, 1});
            if (joint == 1) add(world, HingeDef{.frames = frames});
            if (joint == 2) add(world, BallDef{.frames = frames});
            for (int i = 0; i < 150; ++i) {
                run(world, 1);
                CAPTURE(i);
                std::string complaint;
                REQUIRE_MESSAGE(is_sound(world, &complaint), complaint);
                REQUIRE(size(world.angular_velocity(extreme)) < 60001.0f);  // after an impact; else 720
            }
            const auto bytes = world.save();
            REQUIRE(bytes);
            CHECK(World::load(*bytes));
        }
    }
}
