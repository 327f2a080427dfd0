// What other threads see of a world: bodies that moved, poses of two steps, views for queries.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include <talus/engine/pose_buffer.h>
#include <talus/engine/world_view.h>

#include <array>
#include <atomic>
#include <map>
#include <thread>

using namespace talus;
using namespace talus::test;

namespace {

using PosesById = std::map<std::uint32_t, std::pair<BodyId, WorldTransform>>;

bool equal(const WorldTransform& a, const WorldTransform& b) {
    return a.position == b.position && a.rotation == b.rotation;
}

PosesById poses_of(const World& world) {
    PosesById poses;
    for (const BodyId id : world.bodies()) poses[id.slot] = {id, world.transform(id)};
    return poses;
}

/// A world in which bodies fall, rest, sleep, ride on a platform, and are added, removed and placed at random.
struct Playground {
    Playground() {
        add(world, ground());
        for (int i = 0; i < 40; ++i) add_random();
        platform = add(world, kinematic_body(box({2, 0.2f, 2}), {8, 1, 0}));
    }
    BodyId add_random() {
        BodyDef def = body(random.below(2) == 0 ? box(vec3(0.3f)) : sphere(0.3f), random.in_box({6, 3, 6}));
        def.position.y += 3.5;
        if (random.below(8) == 0) def.type = BodyType::fixed;
        def.user_data = ++count;
        return add(world, def);
    }
    /// Changes something, or nothing. Returns the bodies that were placed.
    std::vector<BodyId> change() {
        std::vector<BodyId> placed;
        const auto any = [&] {
            const std::vector<BodyId> all = world.bodies();
            return all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
        };
        switch (random.below(12)) {
            case 0:
                placed.push_back(add_random());
                break;
            case 1: {
                const BodyId id = any();
                if (id != platform && world.body_count() > 20) REQUIRE(world.remove_body(id));
                break;
            }
            case 2: {
                const BodyId id = any();
                REQUIRE(world.set_transform(id, random.in_box(vec3(6)) + vec3(0, 8, 0), quat(1, 0, 0, 0)));
                placed.push_back(id);
                break;
            }
            case 3:
                REQUIRE(world.set_kinematic_target(platform, {8, random.between(1, 2), 0}, quat(1, 0, 0, 0)));
                break;
            default:
                break;
        }
        return placed;
    }

    Random random{77};
    World world;
    BodyId platform;
    std::uint64_t count = 0;
};

}  // namespace

TEST_CASE("moved_bodies() has every body whose pose has changed, once, and all who fall asleep") {
    Playground play;
    World& world = play.world;
    std::size_t asleep = 0, still = 0, placed_fixed = 0;
    for (int step = 0; step < 600; ++step) {
        const PosesById before = poses_of(world);
        const bool first = step == 0;
        std::map<std::uint32_t, bool> was_awake;
        std::vector<BodyId> placed = play.change();
        for (const BodyId id : world.bodies()) was_awake[id.slot] = world.is_awake(id);
        REQUIRE(world.step(frame));
        std::map<std::uint32_t, MovedBody> moved;
        for (const MovedBody& m : world.moved_bodies()) {
            REQUIRE(moved.emplace(m.body.slot, m).second);
            REQUIRE(world.is_valid(m.body));
            CHECK(equal(m.pose, world.transform(m.body)));
            CHECK(m.user_data == world.user_data(m.body));
            CHECK(m.fell_asleep == (was_awake[m.body.slot] && !world.is_awake(m.body)));
            asleep += m.fell_asleep;
            const bool was_placed = first || std::find(placed.begin(), placed.end(), m.body) != placed.end();
            CHECK(m.placed == was_placed);
            placed_fixed += m.placed && world.type(m.body) == BodyType::fixed;
        }
        for (const auto& [slot, now] : poses_of(world)) {
            const auto then = before.find(slot);
            const bool is_new = then == before.end() || then->second.first != now.first;
            if (is_new || !equal(then->second.second, now.second)) CHECK(moved.contains(slot));
            still += !moved.contains(slot);
        }
    }
    CHECK(asleep > 20);
    CHECK(still > 1000);
    CHECK(placed_fixed > 5);
}

TEST_CASE("moved_bodies() of a sleeping world is empty, and so is that of a loaded one") {
    World world;
    add(world, ground());
    add(world, crate({0, 0.5f, 0}));
    run(world, 1);
    CHECK(world.moved_bodies().size() == 2);
    run(world, 120);
    CHECK(world.moved_bodies().empty());
    const BodyId late = add(world, crate({3, 0.5f, 0}));
    Result<World> loaded = World::load(*world.save());
    REQUIRE(loaded);
    CHECK(loaded->moved_bodies().empty());
    run(*loaded, 1);
    REQUIRE(loaded->moved_bodies().size() == 1);
    CHECK(loaded->moved_bodies()[0].body == late);
    CHECK(loaded->moved_bodies()[0].placed);
}

TEST_CASE("a pose buffer gives the poses of the last two steps, whatever happens in between") {
    Playground play;
    World& world = play.world;
    PoseBuffer buffer;
    CHECK(!buffer.latest()->contains(play.platform));
    std::vector<std::shared_ptr<const Poses>> held;  // by readers, so that different numbers of buffers are in turn
    World saved = world;
    PosesById last;  // those of the last update; of removed bodies, those before
    std::size_t followed = 0, stopped = 0;
    for (int step = 0; step < 900; ++step) {
        play.change();
        bool left_out = step == 0;
        if (play.random.below(40) == 0) {
            run(world, 1 + play.random.below(3));
            left_out = true;
        } else if (play.random.below(40) == 0) {
            std::swap(world, saved);
            left_out = true;
        }
        REQUIRE(world.step(frame));
        buffer.update(world);
        buffer.update(world);  // has no effect
        const std::shared_ptr<const Poses> poses = buffer.latest();
        CAPTURE(step);
        REQUIRE(poses->moved().size() == (left_out ? world.body_count() : world.moved_bodies().size()));
        std::map<std::uint32_t, MovedBody> moved;
        for (const MovedBody& m : poses->moved()) moved[m.body.slot] = m;
        const PosesById now = poses_of(world);
        for (const auto& [slot, known] : now) {
            const auto& [id, pose] = known;
            REQUIRE(poses->contains(id));
            REQUIRE(equal(poses->pose(id), pose));
            REQUIRE(equal(poses->pose(id, 7.0f), pose));
            if (moved.contains(slot) && moved[slot].placed) REQUIRE(equal(poses->pose(id, 0.37f), pose));
            const auto then = last.find(slot);
            const bool from_then =
                then != last.end() && then->second.first == id && !(moved.contains(slot) && moved[slot].placed);
            const WorldTransform& before = from_then ? then->second.second : pose;
            const WorldTransform half = poses->pose(id, 0.5f);
            REQUIRE(glm::length(half.position - 0.5 * (before.position + pose.position)) < 1e-5);
            REQUIRE(glm::length(poses->pose(id, 0.0f).position - before.position) < 1e-6);
            const quat sum =
                before.rotation + (glm::dot(before.rotation, pose.rotation) < 0.0f ? -1.0f : 1.0f) * pose.rotation;
            const quat middle = normalized(sum);
            REQUIRE(std::abs(glm::dot(middle, half.rotation)) > 1.0f - 1e-5f);
        }
        for (const BodyId id : poses->stopped()) {
            CHECK(!moved.contains(id.slot));
            if (poses->contains(id)) CHECK(equal(poses->pose(id, 0.0f), poses->pose(id, 1.0f)));
            ++stopped;
        }
        followed += !left_out && poses->moved().size() < world.body_count();
        for (const auto& [slot, known] : now) last[slot] = known;
        if (play.random.below(3) == 0) held.push_back(poses);
        if (held.size() > 3) held.erase(held.begin());
    }
    CHECK(followed > 400);  // only what moved was taken over
    CHECK(stopped > 20);
}

TEST_CASE("a world view answers queries as the world did when it was taken") {
    Playground play;
    World& world = play.world;
    WorldViewBuffer buffer;
    CHECK(buffer.latest()->body_count() == 0);
    for (int step = 0; step < 200; ++step) {
        play.change();
        REQUIRE(world.step(frame));
        buffer.update(world);
        if (step % 10 != 0) continue;
        const World then = world;
        const std::shared_ptr<const WorldView> view = buffer.latest();
        play.change();
        run(world, 1);
        REQUIRE(view->bodies() == then.bodies());
        for (const BodyId id : then.bodies()) {
            REQUIRE(view->is_valid(id));
            REQUIRE(equal(view->transform(id), then.transform(id)));
            REQUIRE(view->center_of_mass(id) == then.center_of_mass(id));
            REQUIRE(view->linear_velocity(id) == then.linear_velocity(id));
            REQUIRE(view->is_awake(id) == then.is_awake(id));
            REQUIRE(view->bounds(id).upper == then.bounds(id).upper);
            REQUIRE(view->shapes(id).size() == then.shapes(id).size());
        }
        for (int i = 0; i < 50; ++i) {
            const dvec3 from = play.random.in_box(vec3(9));
            const vec3 way = play.random.in_box(vec3(9));
            const CastHit hit = view->ray_cast(from, way), expected = then.ray_cast(from, way);
            REQUIRE(hit.body == expected.body);
            REQUIRE(hit.fraction == expected.fraction);
            const CastHit swept = view->shape_cast(sphere(0.4f), {from, {}}, way);
            REQUIRE(swept.fraction == then.shape_cast(sphere(0.4f), {from, {}}, way).fraction);
            REQUIRE(view->overlap(sphere(1.0f), {from, {}}) == then.overlap(sphere(1.0f), {from, {}}));
            const std::vector<NearHit> near = view->nearest(from, 3, 5.0f), nearest = then.nearest(from, 3, 5.0f);
            REQUIRE(near.size() == nearest.size());
            for (std::size_t k = 0; k < near.size(); ++k) REQUIRE(near[k].body == nearest[k].body);
        }
    }
    World other;
    CHECK(buffer.latest()->position(add(other, crate({0, 0, 0}))) == dvec3(0.0));
    CHECK(buffer.latest()->last_error().code == ErrorCode::stale_handle);
}

TEST_CASE("other threads read poses and query views while the world steps") {
    if (lacks_threads()) return;
    Playground play;
    World& world = play.world;
    PoseBuffer poses;
    WorldViewBuffer views;
    std::atomic<bool> done{false};
    std::atomic<int> reads{0}, hits{0}, wrong{0};
    const auto read = [&] {
        while (!done) {
            double lowest = 1e9;
            const std::shared_ptr<const Poses> seen = poses.latest();
            for (const MovedBody& m : seen->moved()) lowest = std::min(lowest, seen->pose(m.body, 0.3f).position.y);
            if (views.latest()->ray_cast({0, 20, 0}, {0, -40, 0})) ++hits;
            if (lowest < -5.0) ++wrong;
            for (const MovedBody& m : seen->moved()) {
                if (!equal(seen->pose(m.body), m.pose)) ++wrong;
            }
            const std::shared_ptr<const WorldView> view = views.latest();
            for (const BodyId id : view->bodies()) {
                if (!view->is_valid(id)) ++wrong;
            }
            ++reads;
        }
    };
    std::array<std::thread, 2> readers{std::thread(read), std::thread(read)};
    // A reader that gets no time sees no world for a while.
    for (int step = 0; step < 200 || (step < 100000 && (reads < 50 || hits == 0)); ++step) {
        if (step % 4 == 0) play.change();
        world.step(frame);
        poses.update(world);
        views.update(world);
    }
    done = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0);
    CHECK(hits > 0);
}
