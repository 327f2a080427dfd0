/// The world's reports of its pairs and settings agree with its behaviour.

#include "samples/scenes/scene.h"
#include "tests/engine/worlds.h"

#include <array>
#include <map>
#include <tuple>

namespace talus::test {

namespace {

using Names = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

/// The numbers of active pairs, by method.
std::array<std::uint64_t, rung_count> histogram(const std::vector<PairInfo>& pairs) {
    std::array<std::uint64_t, rung_count> counts{};
    for (const PairInfo& pair : pairs) {
        if (pair.active) ++counts[static_cast<std::size_t>(pair.rung)];
    }
    return counts;
}

/// A heap of all kinds of shapes, some of them compounds, that falls.
World heap(WorldDef def = {}, int count = 120) {
    World world(def);
    Random random(11);
    add(world, ground());
    for (int i = 0; i < count; ++i) {
        BodyDef one =
            body(random_shape(random, 0.6f), {random.between(-2, 2), random.between(0.5f, 12), random.between(-2, 2)});
        if (i % 5 == 0) {
            one.shapes = {part(one.shape, {0.4f, 0, 0}), part(box(vec3(0.3f)), {-0.4f, 0, 0})};
            one.shape = Shape{};
        }
        add(world, one);
    }
    return world;
}

std::uint64_t sum(const std::array<std::uint64_t, rung_count>& counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) all += count;
    return all;
}

}  // namespace

TEST_CASE("pairs agree with the profile rung by rung and with the contacts point by point") {
    World world = heap();
    std::array<std::uint64_t, rung_count> seen{};
    int asleep_steps = 0;
    for (int step = 0; step < 400; ++step) {
        run(world, 1);
        const std::vector<PairInfo> pairs = world.pairs();
        const FrameProfile& profile = world.profile();
        const auto counts = histogram(pairs);
        constexpr auto skip = static_cast<std::size_t>(Rung::skip);
        for (std::size_t i = 0; i < rung_count; ++i) {
            CAPTURE(step);
            CAPTURE(i);
            seen[i] += counts[i];
            // Pairs of bodies whose bounding spheres are apart have no shape pairs yet. They count as skipped all the
            // same.
            if (i == skip) CHECK(counts[i] <= profile.narrowphase.pairs[i]);
            if (i != skip) CHECK(counts[i] == profile.narrowphase.pairs[i]);
        }
        CHECK(pairs.size() <= profile.convex_pairs);
        if (world.awake_body_count() == world.body_count() - 1)
            CHECK(profile.narrowphase.pairs[skip] - counts[skip] == profile.convex_pairs - pairs.size());
        asleep_steps += world.awake_body_count() < world.body_count() - 1;

        std::map<Names, const PairInfo*> by_names;
        for (const PairInfo& pair : pairs) {
            CHECK(world.is_valid(pair.body_a));
            CHECK(world.is_valid(pair.body_b));
            CHECK(pair.body_a.slot != pair.body_b.slot);
            by_names[{pair.body_a.slot, pair.shape_a, pair.body_b.slot, pair.shape_b}] = &pair;
        }
        CHECK(by_names.size() == pairs.size());
        for (const Contact& contact : world.contacts()) {
            const auto found =
                by_names.find({contact.body_a.slot, contact.shape_a, contact.body_b.slot, contact.shape_b});
            REQUIRE(found != by_names.end());
            if (contact.point_count == 0 || world.profile().impacts != 0) continue;
            CHECK(found->second->state == PairState::touching);
        }
    }
    CHECK(asleep_steps > 0);
    for (const Rung rung : {Rung::skip, Rung::reuse, Rung::closed_form, Rung::axis_separated, Rung::warm_gjk})
        CHECK(seen[static_cast<std::size_t>(rung)] > 0);
}

TEST_CASE("pairs of bodies that woke in a step were not tested in it") {
    World world;
    add(world, ground());
    for (int i = 0; i < 6; ++i) add(world, crate({1.0f * static_cast<float>(i), 0.5f, 0}));  // a row, face to face
    run(world, 120);
    REQUIRE(world.awake_body_count() == 0);
    const BodyId ball = add(world, body(sphere(0.3f), {0, 1.4f, 0}));
    world.set_linear_velocity(ball, {0, -2, 0});
    bool woke = false;
    for (int step = 0; step < 30; ++step) {
        run(world, 1);
        const auto counts = histogram(world.pairs());
        woke = woke || world.awake_body_count() > 1;
        for (std::size_t i = 1; i < rung_count; ++i) CHECK(counts[i] == world.profile().narrowphase.pairs[i]);
    }
    CHECK(woke);
}

TEST_CASE("a pair's separation is that of the shapes") {
    World world(weightless());
    const BodyId a = add(world, body(sphere(0.5f), {0, 0, 0}));
    add(world, body(box(vec3(0.5f)), {1.03f, 0, 0}));  // 30 mm away
    add(world, fixed_body(box({0.3f, 0.5f, 0.3f}), {0, -0.99f, 0}));
    world.set_linear_velocity(a, {0.01f, 0, 0});
    run(world, 1);
    float least = 1.0f, most = -1.0f;
    const std::vector<PairInfo> pairs = world.pairs();
    REQUIRE(pairs.size() == 2);
    for (const PairInfo& pair : pairs) {
        least = std::min(least, pair.separation);
        most = std::max(most, pair.separation);
    }
    CHECK(least == doctest::Approx(-0.01).epsilon(0.01));
    CHECK(most == doctest::Approx(0.03).epsilon(0.01));
}

TEST_CASE("pairs stay in step with removals and additions between steps") {
    World world = heap();
    run(world, 60);
    const std::vector<BodyId> bodies = world.bodies();
    for (std::size_t i = 1; i < bodies.size(); i += 3) world.remove_body(bodies[i]);
    for (int i = 0; i < 10; ++i) add(world, crate({0.2f * static_cast<float>(i), 1.0f, 0}));
    for (const PairInfo& pair : world.pairs()) {
        CHECK(world.is_valid(pair.body_a));
        CHECK(world.is_valid(pair.body_b));
    }
    run(world, 1);
    const auto counts = histogram(world.pairs());
    for (std::size_t i = 1; i < rung_count; ++i) CHECK(counts[i] == world.profile().narrowphase.pairs[i]);
}

// ---- settings -------------------------------------------------------------------------------------------------------

TEST_CASE("settings that were set are those of the world") {
    World world;
    WorldDef def;
    def.gravity = {1, 2, 3};
    def.substeps = 7;
    def.allow_sleep = false;
    def.max_speed = 20.0f;
    def.hit_speed = 0.5f;
    def.continuous = false;
    def.enable_skip = def.enable_reuse = def.enable_closed_form = def.enable_axis = false;
    def.enable_warm_gjk = def.enable_warm_epa = false;
    def.timing = Timing::off;
    REQUIRE(world.set_settings(def));
    const WorldDef& now = world.settings();
    CHECK(now.gravity == def.gravity);
    CHECK(now.substeps == 7);
    CHECK(now.max_speed == 20.0f);
    CHECK(now.hit_speed == 0.5f);
    CHECK_FALSE((now.allow_sleep || now.continuous || now.enable_skip || now.enable_reuse || now.enable_closed_form));
    CHECK_FALSE((now.enable_axis || now.enable_warm_gjk || now.enable_warm_epa));
    CHECK(now.timing == Timing::off);
    CHECK(world.gravity() == def.gravity);
}

TEST_CASE("refused settings leave all as it was") {
    World world;
    add(world, ground());
    add(world, crate({0, 0.5f, 0}));
    run(world, 90);
    REQUIRE(world.awake_body_count() == 0);
    const auto refused = [&](auto&& change) {
        WorldDef def = world.settings();
        def.gravity.y = -1.0f;  // a value that would be accepted
        def.allow_sleep = false;
        change(def);
        const bool taken = world.set_settings(def);
        return !taken && world.last_error().code == ErrorCode::bad_argument && world.settings().gravity.y == -9.81f &&
               world.settings().allow_sleep && world.settings().substeps == 4 && world.awake_body_count() == 0;
    };
    const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
    CHECK(refused([&](WorldDef& d) { d.gravity.x = nan; }));
    CHECK(refused([&](WorldDef& d) { d.gravity.z = infinity; }));
    CHECK(refused([&](WorldDef& d) { d.substeps = 0; }));
    CHECK(refused([&](WorldDef& d) { d.substeps = 65; }));
    CHECK(refused([&](WorldDef& d) { d.max_speed = 0.0f; }));
    CHECK(refused([&](WorldDef& d) { d.max_speed = infinity; }));
    CHECK(refused([&](WorldDef& d) { d.max_speed = nan; }));
    CHECK(refused([&](WorldDef& d) { d.hit_speed = -1.0f; }));
    CHECK(refused([&](WorldDef& d) { d.hit_speed = nan; }));
    CHECK(refused([&](WorldDef& d) { d.timing = static_cast<Timing>(9); }));
    CHECK(world.set_settings(world.settings()));
    CHECK(world.awake_body_count() == 0);  // nothing changed, so no body wakes
}

TEST_CASE("gravity and sleep that are set wake what sleeps and take effect") {
    World world;
    add(world, ground());
    const BodyId id = add(world, crate({0, 0.5f, 0}));
    run(world, 90);
    REQUIRE_FALSE(world.is_awake(id));
    WorldDef def = world.settings();
    def.gravity = {0, 5, 0};
    REQUIRE(world.set_settings(def));
    run(world, 60);
    CHECK(world.linear_velocity(id).y == doctest::Approx(5.0).epsilon(0.01));

    def.gravity = {0, -9.81f, 0};
    REQUIRE(world.set_settings(def));
    run(world, 400);
    REQUIRE_FALSE(world.is_awake(id));
    def.allow_sleep = false;
    REQUIRE(world.set_settings(def));
    CHECK(world.is_awake(id));
    run(world, 120);
    CHECK(world.is_awake(id));
    def.allow_sleep = true;
    REQUIRE(world.set_settings(def));
    run(world, 90);
    CHECK_FALSE(world.is_awake(id));
}

TEST_CASE("a world whose settings were set before its first step goes on as one that was made with them") {
    const auto hash = [](const WorldDef& made, const WorldDef& set) {
        World world = heap(made, 40);
        REQUIRE(world.set_settings(set));
        run(world, 60);
        return world.hash();
    };
    const WorldDef usual;
    WorldDef other;
    other.gravity = {0.5f, -7, 0};
    CHECK(hash(usual, other) == hash(other, other));
    CHECK(hash(usual, other) != hash(usual, usual));
    other = usual;
    other.substeps = 9;
    CHECK(hash(usual, other) == hash(other, other));
    CHECK(hash(usual, other) != hash(usual, usual));
    other = usual;
    other.max_speed = 2.0f;
    CHECK(hash(usual, other) == hash(other, other));
    CHECK(hash(usual, other) != hash(usual, usual));
}

TEST_CASE("the speed limit that is set holds from the next step on") {
    World world(weightless());
    const BodyId id = add(world, crate({0, 0, 0}));
    world.set_linear_velocity(id, {30, 0, 0});
    run(world, 1);
    CHECK(world.linear_velocity(id).x == doctest::Approx(30.0));
    WorldDef def = world.settings();
    def.max_speed = 5.0f;
    REQUIRE(world.set_settings(def));
    run(world, 1);
    CHECK(world.linear_velocity(id).x == doctest::Approx(5.0));
}

TEST_CASE("the least speed of a hit and continuous collision can be set at any time") {
    const auto hits = [](float hit_speed) {
        World world;
        add(world, ground());
        BodyDef def = body(sphere(0.3f), {0, 1.0f, 0});
        def.hit_events = true;
        add(world, def);
        run(world, 2);
        WorldDef settings = world.settings();
        settings.hit_speed = hit_speed;
        REQUIRE(world.set_settings(settings));
        std::size_t count = 0;
        for (int i = 0; i < 60; ++i) {
            run(world, 1);
            count += world.contacts_hit().size();
        }
        return count;
    };
    CHECK(hits(1.0f) > 0);
    CHECK(hits(10.0f) == 0);

    const auto end = [](bool continuous) {
        World world(weightless());
        add(world, fixed_body(box({0.01f, 2, 2}), {5, 0, 0}));
        const BodyId bullet = add(world, body(sphere(0.05f)));
        run(world, 2);
        WorldDef settings = world.settings();
        settings.continuous = continuous;
        REQUIRE(world.set_settings(settings));
        world.set_linear_velocity(bullet, {170, 0, 0});
        run(world, 5);
        return world.position(bullet).x;
    };
    CHECK(end(true) < 5.0);
    CHECK(end(false) > 5.0);
}

TEST_CASE("each cache that is switched off is used no more from the next step on and again once it is on") {
    World world = heap(sleepless());
    run(world, 60);
    const auto counts_with = [&](bool WorldDef::*cache, bool on) {
        WorldDef def = world.settings();
        def.*cache = on;
        REQUIRE(world.set_settings(def));
        std::array<std::uint64_t, rung_count> counts{};
        for (int i = 0; i < 20; ++i) {
            run(world, 1);
            for (std::size_t k = 0; k < rung_count; ++k) counts[k] += world.profile().narrowphase.pairs[k];
        }
        CHECK(sum(counts) > 0);
        return counts;
    };
    const std::pair<bool WorldDef::*, std::vector<Rung>> switches[] = {
        {&WorldDef::enable_skip, {Rung::skip}},
        {&WorldDef::enable_reuse, {Rung::reuse}},
        {&WorldDef::enable_closed_form, {Rung::closed_form}},
        {&WorldDef::enable_axis, {Rung::axis_separated, Rung::axis_touching}},
        {&WorldDef::enable_warm_gjk, {Rung::warm_gjk}},
        {&WorldDef::enable_warm_epa, {Rung::warm_epa}},
    };
    for (const auto& one : switches) {
        const auto off = counts_with(one.first, false), on = counts_with(one.first, true);
        for (const Rung rung : one.second) {
            CAPTURE(static_cast<int>(rung));
            CHECK(off[static_cast<std::size_t>(rung)] == 0);
            if (rung != Rung::warm_epa) CHECK(on[static_cast<std::size_t>(rung)] > 0);
        }
    }
}

TEST_CASE("times that are switched off are zero and change nothing else") {
    WorldDef off;
    off.timing = Timing::off;
    World timed = heap(), untimed = heap(off);
    run(timed, 30);
    run(untimed, 30);
    CHECK(timed.hash() == untimed.hash());
    CHECK(timed.profile().narrowphase.pairs == untimed.profile().narrowphase.pairs);
    for (const double us : untimed.profile().narrowphase.microseconds) CHECK(us == 0.0);
    CHECK(untimed.profile().total == 0.0);
    CHECK(untimed.profile().collide == 0.0);
}

}  // namespace talus::test
