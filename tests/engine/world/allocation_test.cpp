// A steady step allocates nothing. Allocations are counted in operator new, for the whole test program.

#include "tests/engine/joints/joints.h"
#include "tests/support/threads.h"
#include "tests/support/worlds_to_save.h"

#include "samples/scenes/scene.h"

#include <talus/narrowphase/triangles/mesh.h>

#include <atomic>
#include <cstdlib>
#include <new>

// g++ sees that operator delete below calls free(), but not that operator new takes its memory from the same heap.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {

std::atomic<std::size_t> allocations{0}, largest{0};
std::atomic<std::size_t> failing{0};  // the number of the allocation that fails; 0: none

void* counted_or_null(std::size_t size, std::size_t alignment) {
    ++allocations;
    if (size > largest) largest = size;
    size = std::max(size, std::size_t{1});
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* counted(std::size_t size, std::size_t alignment) {
    void* const p = counted_or_null(size, alignment);
    if (p != nullptr && allocations != failing) return p;
    std::free(p);
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, std::max(static_cast<std::size_t>(alignment), alignof(std::max_align_t)));
}
// The standard library's algorithms std::stable_sort and std::inplace_merge allocate their buffers here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return counted_or_null(size, alignof(std::max_align_t));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

using namespace talus;
using namespace talus::test;

/// Returns jobs that use all threads in every step, even while other programs run, because the first steps with more
/// threads than before may allocate.
static Jobs all_threads(TestPool& pool) {
    Jobs jobs = pool.jobs();
    jobs.all_threads = true;
    return jobs;
}

TEST_CASE("a steady step with joints allocates nothing on one thread and on two") {
    TestPool pool(2);
    const Result<samples::SceneData> gears = samples::find_scene("gears")->make({});
    REQUIRE(gears);
    for (const bool two : {false, true}) {
        CAPTURE(two);
        const Jobs jobs = two ? all_threads(pool) : Jobs{};
        WorldDef settings;
        settings.allow_sleep = false;
        World turning = samples::make_world(*gears, nullptr, settings);
        Chain hanging(30, 100.0f);
        for (World* const world : {&turning, &hanging.world}) {
            for (int step = 0; step < 120; ++step) REQUIRE(world->step(frame, jobs));
            const std::size_t before = allocations;
            for (int step = 0; step < 60; ++step) world->step(frame, jobs);
            CHECK(allocations - before == 0);
            const std::size_t steps_end = allocations;
            CHECK(World(*world).body_count() == world->body_count());
            CHECK(allocations > steps_end);  // the counter counts
        }
    }
}

TEST_CASE("a steady step of things that stand allocates nothing on one thread and on two") {
    TestPool pool(2);
    for (const char* name : {"stack20", "tower30", "pyramid40", "wall", "arch", "card_house", "gears"}) {
        INFO("scene ", std::string(name));
        const Result<samples::SceneData> scene = samples::find_scene(name)->make({});
        REQUIRE(scene);
        WorldDef settings;
        settings.allow_sleep = false;
        World world = samples::make_world(*scene, nullptr, settings);
        for (int step = 0; step < 150; ++step) REQUIRE(world.step(frame, all_threads(pool)));
        for (const Jobs& jobs : {Jobs{}, all_threads(pool)}) {
            for (int step = 0; step < 20; ++step) world.step(frame, jobs);
            const std::size_t before = allocations;
            for (int step = 0; step < 40; ++step) world.step(frame, jobs);
            CHECK(allocations - before == 0);
        }
    }
}

TEST_CASE("assigning a world to one that had its content before allocates nothing") {
    for (const char* name : {"pyramid10", "ragdolls", "hullpile", "gears"}) {
        CAPTURE(name);
        const Result<samples::SceneData> scene = samples::find_scene(name)->make({});
        REQUIRE(scene);
        World world = samples::make_world(*scene);
        for (int i = 0; i < 40; ++i) samples::step_scene(world, *scene, i);
        World other = world;
        other = world;
        for (int i = 0; i < 3; ++i) samples::step_scene(other, *scene, 40 + i);
        other = world;
        const std::size_t before = allocations;
        other = world;
        CHECK(allocations - before == 0);
        for (int i = 0; i < 10; ++i) {
            samples::step_scene(world, *scene, 40 + i);
            samples::step_scene(other, *scene, 40 + i);
        }
        CHECK(world.hash() == other.hash());
    }
}

TEST_CASE("a world that is assigned to after its step ran out of memory goes on with the same bits") {
    for (const char* name : {"bullets", "hullpile", "ragdolls", "bridge", "joint_kinds", "drum"}) {
        CAPTURE(name);
        const Result<samples::SceneData> scene = samples::find_scene(name)->make({});
        REQUIRE(scene);
        World world = samples::make_world(*scene);
        int failures = 0;
        for (int step = 0; step < 48; step += 12) {
            World next = world;
            samples::step_scene(next, *scene, step);
            const std::vector<std::byte> expected = *next.save();
            for (std::size_t n = 1; n < 2000; n += 1 + n / 8) {
                World failed = world;
                for (std::size_t i = 0; i < n % 3; ++i) samples::step_scene(failed, *scene, step);
                bool ran_out = false;
                failing = allocations + n;
                try {
                    failed.step(frame);
                } catch (const std::bad_alloc&) {
                    ran_out = true;
                }
                failing = 0;
                if (!ran_out) continue;
                ++failures;
                failed = world;
                samples::step_scene(failed, *scene, step);
                CAPTURE(step);
                CAPTURE(n);
                REQUIRE(*failed.save() == expected);
            }
            for (int i = 0; i < 12; ++i) samples::step_scene(world, *scene, step + i);
        }
        CHECK(failures > 20);
    }
}

TEST_CASE("reading a saved world that claims to be huge takes no memory for it") {
    World world;
    world.add_body({.shape = sphere(1)});
    const vec3 corners[] = {{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}};
    const std::uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    BodyDef floor{.type = BodyType::fixed, .position = {0, -1, 0}};
    floor.shapes = {{.mesh = *make_mesh({.vertices = corners, .indices = indices})}};
    world.add_body(floor);
    for (int i = 0; i < 3; ++i) world.step(1.0f / 60.0f);  // the mesh's triangles have slots now
    std::vector<std::byte> saved = *world.save();
    // Behind the header: the settings, the frame, a flag, then the number of bodies.
    for (std::size_t place = 28; place + 4 < saved.size(); ++place) {
        std::vector<std::byte> damaged = saved;
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(place), 4, std::byte{0x7f});
        mend_checksum(damaged);
        largest = 0;
        static_cast<void>(World::load(damaged));
        REQUIRE(largest < 100000);
    }
}
