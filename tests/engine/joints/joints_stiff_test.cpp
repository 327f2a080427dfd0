// Joints that do not stretch: chains, bridges, heavy loads, pendulums. Default settings (60 Hz, 4 sub-steps) unless
// stated otherwise.

#include "tests/engine/limits.h"

#include "tests/engine/joints/joints.h"

using namespace talus;
using namespace talus::test;

TEST_CASE(
    "a chain of 100 links with a weight of 1000 links stretches less than 1 percent and each link carries what is "
    "below" *
    doctest::test_suite("slow")) {
    Chain chain(100, 1000.0f);
    REQUIRE(chain.world.set_linear_velocity(chain.weight, {1, 0, 0}));
    run(chain.world, 1200);
    const double reach = size(transform_point(chain.world.transform(chain.weight), {0, 0.2f, 0}));
    CHECK(reach == doctest::Approx(20.0).epsilon(1e-4));  // a hundred times better than required
    CHECK(chain.widest_gap() < 1e-4);
    // At rest, the chain carries its weight.
    for (const BodyId id : chain.world.bodies()) REQUIRE(chain.world.set_damping(id, 2.0f, 2.0f));
    run(chain.world, 2400);
    for (std::size_t i = 0; i < chain.joints.size(); ++i) {
        const float below =
            static_cast<float>(chain.links.size() - i) * chain.link_mass + chain.world.mass(chain.weight);
        const vec3 force = chain.world.joint_force(chain.joints[i]);
        CAPTURE(i);
        CHECK(size(force) == doctest::Approx(9.81f * below).epsilon(0.01));
        CHECK(force.y > 0.0f);  // the joint holds B, the lower one, up
        CHECK(size(chain.world.joint_torque(chain.joints[i])) < 1e-3f * size(force));
    }
}

// Links that a weight whips round at hundreds of radians per second rotate so far in a sub-step that the solve at its
// start no longer fits its end. They must close again within four seconds.
TEST_CASE("a chain whose weight is thrown over the top and snaps taut comes together again" *
          doctest::test_suite("slow")) {
    // At 10,000 the motion is chaotic: starts that differ by 0.1% open the chain by 0.3 to 2.6 m.
    const auto snap = [](float ratio, float speed) {
        Chain chain(30, ratio);
        REQUIRE(chain.world.set_linear_velocity(chain.weight, {speed, 0, 0}));
        const double before = energy(chain.world);
        double widest = 0.0, least_at_the_end = 1.0;  // a single link may still whip round in the last step
        for (int i = 0; i < 600; ++i) {
            run(chain.world, 1);
            widest = std::max(widest, chain.widest_gap());
            if (i >= 540) least_at_the_end = std::min(least_at_the_end, chain.widest_gap());
        }
        CHECK(least_at_the_end < 1e-3);
        const double kinetic = 0.5 * 400.0 * static_cast<double>(chain.world.mass(chain.weight));
        CHECK(energy(chain.world) < before + 0.01 * kinetic);
        return widest;
    };
    for (const float ratio : {10.0f, 1000.0f}) {
        CAPTURE(ratio);
        CHECK(snap(ratio, 20.0f) < 0.5f * Chain::length);
    }
    double widest = 0.0;
    for (int start = 0; start < 10; ++start) {
        CAPTURE(start);
        widest = std::max(widest, snap(10000.0f, 19.9f + 0.02f * static_cast<float>(start)));
    }
    hold("chain snapped taut by a weight of 10,000 of its links, widest of ten starts", widest);
}

// Light links under load are integrated implicitly: their rods lost 44% of a pendulum's energy in 10 s.
TEST_CASE("a heavy bob on light rods swings on" * doctest::test_suite("slow")) {
    for (const int rods : {1, 2, 10}) {
        for (const float ratio : {1.0f, 10.0f, 100.0f, 1000.0f, 100000.0f}) {
            for (const double degrees : {5.0, 60.0}) {
                CAPTURE(rods);
                CAPTURE(ratio);
                CAPTURE(degrees);
                World world(sleepless());
                const double angle = degrees * pi / 180.0;
                const quat rotation = turn({0, 0, 1}, angle);
                const vec3 down = rotate(rotation, {0, -1, 0});
                const float length = 1.0f / static_cast<float>(rods);
                BodyId above = anchor_body(world);
                const auto hang = [&](const BodyDef& def, float from) {
                    const BodyId id = add(world, def);
                    add(world, HingeDef{.frames = world.joint_frames(above, id, from * down, {0, 0, 1})});
                    above = id;
                };
                for (int i = 0; i < rods; ++i) {
                    const float from = length * static_cast<float>(i);
                    BodyDef rod = ghost(body(capsule(0.4f * length, 0.1f * length), (from + 0.5f * length) * down));
                    rod.rotation = rotation;
                    hang(rod, from);
                }
                const float mass = ratio * static_cast<float>(rods) * world.mass(above);
                hang(ghost(heavy(sphere(0.1f), down, mass)), 1.0f);
                const double start = energy(world), height = 1.0 - std::cos(angle);
                double lowest = start, highest = start;
                for (int i = 0; i < 600; ++i) {
                    run(world, 1);
                    lowest = std::min(lowest, energy(world));
                    highest = std::max(highest, energy(world));
                }
                const double all = 9.81 * height * static_cast<double>(mass);
                CHECK(energy(world) > start - (ratio < 10.0f ? 0.1 : 0.05) * all);
                CHECK(highest < start + 0.02 * all);
            }
        }
    }
}

// When only the swing was damped, links that were whipped round gained more energy than the fall had.
TEST_CASE("a chain that was stretched out sideways with a ball of 100,000 links at its end falls and stays together" *
          doctest::test_suite("slow")) {
    for (const int count : {30, 100}) {
        CAPTURE(count);
        World world(sleepless());
        const quat sideways = turn({0, 0, 1}, 0.5 * pi);
        BodyId above = anchor_body(world);
        std::vector<JointFrames> frames;
        const auto hang = [&](const BodyDef& def, float from) {
            const BodyId id = add(world, ghost(def));
            frames.push_back(world.joint_frames(above, id, {from, 0, 0}));
            add(world, BallDef{.frames = frames.back()});
            above = id;
        };
        for (int i = 0; i < count; ++i) {
            const float from = 0.1f * static_cast<float>(i);
            BodyDef link = body(capsule(0.05f, 0.02f), {from + 0.05f, 0, 0});
            link.rotation = sideways;
            hang(link, from);
        }
        const float length = 0.1f * static_cast<float>(count), mass = 1e5f * world.mass(above);
        hang(heavy(sphere(0.1f), {length, 0, 0}, mass), length);
        const double start = energy(world), fall = 9.81 * static_cast<double>(length * mass);
        double widest = 0.0, highest = start;
        for (int i = 0; i < 1200; ++i) {
            run(world, 1);
            highest = std::max(highest, energy(world));
            for (const JointFrames& e : frames) widest = std::max(widest, gap(world, e));
        }
        CHECK(widest < 1e-3);
        CHECK(highest < start + 0.01 * fall);
    }
}

TEST_CASE("a chain of light links holds a heavy load from below too: a weight under light over heavy") {
    World world(sleepless());
    const BodyId top = anchor_body(world, {0, 0, 0});
    const BodyId heavy_one = add(world, heavy(box(vec3(0.2f)), {0, -0.5f, 0}, 1000.0f));
    const BodyId light = add(world, heavy(box(vec3(0.1f)), {0, -1.0f, 0}, 1.0f));
    const BodyId heavy_two = add(world, heavy(box(vec3(0.2f)), {0, -1.5f, 0}, 1000.0f));
    add(world, BallDef{.frames = world.joint_frames(top, heavy_one, {0, -0.25f, 0})});
    const JointId upper = add(world, BallDef{.frames = world.joint_frames(heavy_one, light, {0, -0.85f, 0})});
    const JointId lower = add(world, BallDef{.frames = world.joint_frames(light, heavy_two, {0, -1.15f, 0})});
    run(world, 600);
    CHECK(world.position(heavy_two).y == doctest::Approx(-1.5).epsilon(1e-5));
    CHECK(world.joint_force(upper).y == doctest::Approx(1001 * 9.81).epsilon(1e-3));
    CHECK(world.joint_force(lower).y == doctest::Approx(1000 * 9.81).epsilon(1e-3));
}

TEST_CASE("a hanging bridge of hinged planks has the sag of its catenary" * doctest::test_suite("slow")) {
    // 40 planks of 0.5 m between supports 18 m apart: a chain of rigid links hangs within one part in a thousand of the
    // curve.
    const int count = 40;
    const float plank = 0.5f, span = 18.0f, total = plank * static_cast<float>(count);
    double c = 10.0;  // catenary: total = 2 c sinh(span / 2 c), by bisection
    double low = 1.0, high = 1000.0;
    for (int i = 0; i < 200; ++i) {
        c = 0.5 * (low + high);
        (2.0 * c * std::sinh(span / (2.0 * c)) > total ? low : high) = c;
    }
    const double sag = c * (std::cosh(span / (2.0 * c)) - 1.0);

    World world(sleepless());
    const BodyId left = anchor_body(world, {-0.5f * span, 0, 0}), right = anchor_body(world, {0.5f * span, 0, 0});
    // Laid out along the curve, each plank at its arc length, and released.
    const auto at = [&](float s) {
        const double x = c * std::asinh((s - 0.5 * total) / c);
        return dvec3(x, c * std::cosh(x / c) - c - sag, 0);
    };
    BodyId before = left;
    dvec3 joint_at = {-0.5f * span, 0, 0};
    std::vector<BodyId> planks;
    for (int i = 0; i < count; ++i) {
        const dvec3 a = at(plank * static_cast<float>(i)), b = at(plank * static_cast<float>(i + 1));
        BodyDef def = body(box({0.5f * plank, 0.05f, 0.5f}), 0.5 * (a + b));
        def.rotation = turn({0, 0, 1}, std::atan2(b.y - a.y, b.x - a.x));
        def.linear_damping = def.angular_damping = 0.5f;
        planks.push_back(add(world, def));
        add(world, HingeDef{.frames = world.joint_frames(before, planks.back(), a, {0, 0, 1})});
        before = planks.back();
        joint_at = b;
    }
    add(world, HingeDef{.frames = world.joint_frames(before, right, joint_at, {0, 0, 1})});
    run(world, 1800);
    const double lowest = 0.5 * (world.position(planks[count / 2 - 1]).y + world.position(planks[count / 2]).y);
    // The middle of a plank next to the middle joint lies slightly above the joint.
    const double middle = transform_point(world.transform(planks[count / 2]), {-0.5f * plank, 0, 0}).y;
    MESSAGE("sag " << -middle << " catenary " << sag << " (planks " << -lowest << ")");
    CHECK(-middle == doctest::Approx(sag).epsilon(0.01));
    for (const BodyId id : planks) CHECK(size(world.linear_velocity(id)) < 1e-3f);
}

TEST_CASE("a loaded hinge drifts less than 1 mm in 10 minutes" * doctest::test_suite("slow")) {
    // A door of 1 m with two hinges, which are redundant, and a weight of fifty doors at its edge.
    World world(sleepless());
    const BodyId frame_id = anchor_body(world);
    const BodyId door = add(world, body(box({0.5f, 1.0f, 0.03f}), {0.5f, 0, 0}));
    const BodyId load = add(world, heavy(box(vec3(0.2f)), {1.0f, 0, 0.5f}, 50.0f * world.mass(door)));
    const JointFrames upper = world.joint_frames(frame_id, door, {0, 0.9f, 0}, {0, 1, 0}),
                      lower = world.joint_frames(frame_id, door, {0, -0.9f, 0}, {0, 1, 0});
    add(world, HingeDef{.frames = upper});
    add(world, HingeDef{.frames = lower});
    add(world, FixedDef{.frames = world.joint_frames(door, load, {1.0f, 0, 0})});
    REQUIRE(world.set_angular_velocity(door, {0, 0.5f, 0}));
    double widest = 0.0;
    float tilt = 0.0f;
    for (int i = 0; i < 36000; ++i) {
        run(world, 1);
        widest = std::max({widest, gap(world, upper), gap(world, lower)});
        tilt = std::max(tilt, size(rotate(world.rotation(door), {0, 1, 0}) - vec3(0, 1, 0)));
    }
    MESSAGE("gap " << widest << " m, tilt " << tilt << " rad");
    CHECK(widest < 1e-3);
    CHECK(gap(world, upper) < 1e-4);
    CHECK(tilt < 1e-3f);
}

TEST_CASE("a pendulum keeps its closed form period and its energy over 100 swings" * doctest::test_suite("slow")) {
    for (const double amplitude : {0.2, 1.0, 2.5}) {
        CAPTURE(amplitude);
        World world(sleepless());
        const BodyId top = anchor_body(world);
        BodyDef def = body(box({0.05f, 0.5f, 0.05f}));
        def.rotation = turn({0, 0, 1}, amplitude);
        def.position = rotate(def.rotation, {0, -0.5f, 0});
        const BodyId bob = add(world, def);
        const JointId hinge = add(world, HingeDef{.frames = world.joint_frames(top, bob, {0, 0, 0}, {0, 0, 1})});
        const double m = world.mass(bob), d = 0.5, inertia = static_cast<double>(world.inertia(bob)[2][2]) + m * d * d;
        const double period = 4.0 * std::sqrt(inertia / (m * 9.81 * d)) * elliptic_k(std::sin(0.5 * amplitude));
        const double swing = m * 9.81 * d * (1.0 - std::cos(amplitude));
        const double start = energy(world);
        double before = amplitude, first = -1.0, last = 0.0, worst = 0.0;
        int crossings = 0;
        for (int i = 0; crossings <= 100; ++i) {
            run(world, 1);
            const double angle = amplitude + static_cast<double>(world.joint_coordinate(hinge));
            if (before > 0.0 && angle <= 0.0) {
                const double time = (i + before / (before - angle)) * static_cast<double>(frame);
                if (crossings++ == 0) first = time;
                last = time;
            }
            before = angle;
            worst = std::max(worst, std::abs(energy(world) - start));
            REQUIRE(i < 100000);
        }
        MESSAGE("amplitude " << amplitude << " period off by " << 100.0 * ((last - first) / 100.0 / period - 1.0)
                             << " percent, energy by " << 100.0 * worst / swing << " percent");
        CHECK((last - first) / 100.0 == doctest::Approx(period).epsilon(1e-3));
        CHECK(worst < 0.02 * swing);
    }
}

TEST_CASE("a double pendulum in motion keeps its energy and its anchors") {
    WorldDef settings = sleepless();
    settings.substeps = 8;
    World world(settings);
    const BodyId top = anchor_body(world);
    const BodyId one = add(world, ghost(body(box({0.5f, 0.05f, 0.05f}), {0.5f, 0, 0})));
    const BodyId two = add(world, ghost(body(box({0.5f, 0.05f, 0.05f}), {1.5f, 0, 0})));
    const JointFrames a = world.joint_frames(top, one, {0, 0, 0}), b = world.joint_frames(one, two, {1, 0, 0});
    add(world, BallDef{.frames = a});
    add(world, BallDef{.frames = b});
    REQUIRE(world.set_angular_velocity(two, {3, 2, 1}));
    const double start = energy(world), scale = static_cast<double>(world.mass(one)) * 9.81 * 2.0;
    double worst = 0.0, widest = 0.0;
    for (int i = 0; i < 3600; ++i) {
        run(world, 1);
        worst = std::max(worst, std::abs(energy(world) - start));
        widest = std::max({widest, gap(world, a), gap(world, b)});
    }
    MESSAGE("energy off by " << 100.0 * worst / scale << " percent, gap " << widest);
    CHECK(worst < 0.03 * scale);
    CHECK(widest < 1e-3);
}

TEST_CASE("a heavy load at the end of a hinged arm does not sag against its limit") {
    // An arm of ten light links welded together holds a thousand times its weight against one hinge's limit.
    World world(sleepless());
    const BodyId wall = anchor_body(world);
    BodyId before = wall;
    JointId hinge;
    for (int i = 0; i < 10; ++i) {
        const float x = 0.2f * static_cast<float>(i);
        const BodyId link = add(world, heavy(box({0.1f, 0.05f, 0.05f}), {x + 0.1f, 0, 0}, 1.0f));
        if (i == 0) {
            hinge = add(world, HingeDef{.frames = world.joint_frames(before, link, {x, 0, 0}, {0, 0, 1}),
                                        .limit = {0.0f, 1.0f}});
        } else {
            add(world, FixedDef{.frames = world.joint_frames(before, link, {x, 0, 0})});
        }
        before = link;
    }
    const BodyId load = add(world, heavy(box(vec3(0.1f)), {2.1f, 0, 0}, 1000.0f));
    add(world, FixedDef{.frames = world.joint_frames(before, load, {2.0f, 0, 0})});
    run(world, 600);
    CHECK(std::abs(world.position(load).y) < 1e-3);
    CHECK(std::abs(world.joint_coordinate(hinge)) < 1e-4f);
    double moment = 1000.0 * 9.81 * 2.1;
    for (int i = 0; i < 10; ++i) moment += 9.81 * (0.2 * i + 0.1);
    CHECK(world.joint_torque(hinge).z == doctest::Approx(moment).epsilon(0.01));
}

TEST_CASE("a closed ring of links and a lattice with more rows than freedom stay finite and together" *
          doctest::test_suite("slow")) {
    World world(sleepless());
    std::vector<BodyId> ring;
    const int count = 24;
    const double angle = 2.0 * pi / count;
    const auto corner = [&](int i) { return dvec3(std::cos(angle * i), std::sin(angle * i), 0); };
    for (int i = 0; i < count; ++i) {
        BodyDef def = body(box({0.1f, 0.03f, 0.03f}), 0.5 * (corner(i) + corner(i + 1)));
        def.rotation = turn({0, 0, 1}, angle * (i + 0.5) + 0.5 * pi);
        ring.push_back(add(world, ghost(def)));
    }
    std::vector<JointFrames> frames;
    for (int i = 0; i < count; ++i) {
        frames.push_back(world.joint_frames(ring[static_cast<std::size_t>(i)],
                                            ring[static_cast<std::size_t>((i + 1) % count)], corner(i + 1), {0, 0, 1}));
        add(world, HingeDef{.frames = frames.back()});  // all in one plane: three rows too many
    }
    const BodyId top = anchor_body(world, {0, 1.5f, 0});
    add(world, DistanceDef{.frames = {.body_a = top, .body_b = ring[5]}});
    double widest = 0.0;
    for (int i = 0; i < 1200; ++i) {
        run(world, 1);
        for (const JointFrames& e : frames) widest = std::max(widest, gap(world, e));
    }
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    MESSAGE("gap " << widest);
    CHECK(widest < 2e-3);
}

TEST_CASE("a body with a hundred ropes on it costs no full matrix and holds" * doctest::test_suite("slow")) {
    World world(sleepless());
    const BodyId hub = add(world, heavy(sphere(1.0f), {0, 0, 0}, 1000.0f));
    std::vector<JointFrames> frames;
    for (int i = 0; i < 100; ++i) {
        const double a = 2.0 * pi * i / 100.0;
        const dvec3 way(std::cos(a), 0, std::sin(a));
        const BodyId bob = add(world, ghost(heavy(sphere(0.02f), 2.0 * way, 1.0f)));
        frames.push_back(world.joint_frames(hub, bob, way));
        add(world, BallDef{.frames = frames.back()});
    }
    const BodyId top = anchor_body(world, {0, 3, 0});
    frames.push_back(world.joint_frames(top, hub, {0, 3, 0}));
    const JointId crane = add(world, BallDef{.frames = frames.back()});
    run(world, 300);
    for (const JointFrames& e : frames) CHECK(gap(world, e) < 1e-3);
    for (const BodyId id : world.bodies()) REQUIRE(world.set_damping(id, 1.0f, 1.0f));
    run(world, 1200);
    CHECK(world.joint_force(crane).y == doctest::Approx(1100 * 9.81).epsilon(0.01));
}

TEST_CASE("a net of 400 bodies hangs from its corners" * doctest::test_suite("slow")) {
    World world(sleepless());
    const int n = 20;
    std::vector<BodyId> knots;
    std::vector<JointFrames> frames;
    const auto at = [&](int i, int k) { return dvec3(0.2 * i, 0.05 * ((i + k) % 2), 0.2 * k); };
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const bool corner = (i == 0 || i == n - 1) && (k == 0 || k == n - 1);
            BodyDef def = body(sphere(0.05f), at(i, k));
            def.angular_damping = def.linear_damping = 0.3f;
            if (corner) def.type = BodyType::fixed;
            knots.push_back(add(world, ghost(def)));
        }
    }
    const auto tie = [&](int a, int b) {
        frames.push_back({.body_a = knots[static_cast<std::size_t>(a)], .body_b = knots[static_cast<std::size_t>(b)]});
        add(world, DistanceDef{.frames = frames.back()});
    };
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            if (i + 1 < n) tie(i * n + k, (i + 1) * n + k);
            if (k + 1 < n) tie(i * n + k, i * n + k + 1);
        }
    }
    std::vector<double> lengths;
    for (const JointFrames& e : frames) lengths.push_back(gap(world, e));
    run(world, 300);
    double worst = 0.0;
    for (std::size_t i = 0; i < frames.size(); ++i)
        worst = std::max(worst, std::abs(gap(world, frames[i]) - lengths[i]));
    MESSAGE("worst rod off by " << worst);
    std::string complaint;
    CHECK_MESSAGE(is_sound(world, &complaint), complaint);
    CHECK(worst < 1e-3);
    CHECK(world.position(knots[210]).y < -0.2);
}

TEST_CASE("joints hold 10 km from the origin") {
    const dvec3 far(10000.0, 0.0, 5000.0);
    Chain chain(20, 100.0f, sleepless(), far);
    REQUIRE(chain.world.set_linear_velocity(chain.weight, {1, 0, 0}));
    run(chain.world, 600);
    CHECK(chain.widest_gap() < 1e-5);
    for (const BodyId id : chain.links) CHECK(size(chain.world.linear_velocity(id)) < 2.0f);
    CHECK(size(chain.world.joint_force(chain.joints[0])) ==
          doctest::Approx(9.81f * 120.0f * chain.link_mass).epsilon(0.2));
}

TEST_CASE("a mass ratio of 1 to 1000 in either order hangs still") {
    for (const bool light_first : {true, false}) {
        CAPTURE(light_first);
        World world(sleepless());
        const BodyId top = anchor_body(world);
        const BodyId one = add(world, heavy(box(vec3(0.1f)), {0.3f, -0.3f, 0}, light_first ? 1.0f : 1000.0f));
        const BodyId two = add(world, heavy(box(vec3(0.1f)), {0.6f, -0.6f, 0}, light_first ? 1000.0f : 1.0f));
        const JointFrames a = world.joint_frames(top, one, {0, 0, 0}),
                          b = world.joint_frames(one, two, {0.45f, -0.45f, 0});
        add(world, BallDef{.frames = a});
        add(world, BallDef{.frames = b});
        const double start = energy(world);
        double widest = 0.0;
        for (int i = 0; i < 1200; ++i) {
            run(world, 1);
            widest = std::max({widest, gap(world, a), gap(world, b)});
        }
        CHECK(widest < 1e-3);
        CHECK(energy(world) < start + 0.02 * 1001.0 * 9.81 * 0.6);
    }
}
