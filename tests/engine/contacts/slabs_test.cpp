// Slabs of space: nearly the same cost in each, and bodies stay in their slabs.

#include "tests/engine/worlds.h"

#include "engine/constraints/slabs.h"

using namespace talus;
using namespace talus::test;

namespace {

struct Crowd {
    BodyStore bodies;
    std::vector<std::uint32_t> slots, loads;
    Slabs slabs;

    void add(const vec3& at, std::uint32_t load = 1) {
        const std::uint32_t slot = bodies.allocate();
        bodies[slot].center = at;
        bodies[slot].radius = 0.5f;
        slots.push_back(slot);
        loads.push_back(load);
    }
    void cut() { slabs.cut(slots, loads, bodies); }
    std::vector<std::uint8_t> all() const {
        std::vector<std::uint8_t> result;
        for (const std::uint32_t slot : slots) result.push_back(slabs.of(slot));
        return result;
    }
    std::vector<std::uint64_t> sums() const {
        std::vector<std::uint64_t> result(slabs.count());
        for (const std::uint32_t slot : slots) {
            REQUIRE(slabs.of(slot) < slabs.count());
            result[slabs.of(slot)] += loads[slot];
        }
        return result;
    }
};

void check_even(const Crowd& crowd) {
    const std::vector<std::uint64_t> sums = crowd.sums();
    std::uint64_t all = 0;
    for (const std::uint64_t sum : sums) all += sum;
    for (const std::uint64_t sum : sums) CHECK(2 * sum * sums.size() <= 3 * all);
}

}  // namespace

TEST_CASE("slabs lie along the axis on which bodies are spread and hold as much to solve each") {
    for (int axis = 0; axis < 3; ++axis) {
        Random random(21);
        Crowd crowd;
        for (int i = 0; i < 2000; ++i) {
            vec3 at = random.in_box(vec3(3.0f));
            at[axis] *= 10.0f;
            crowd.add(at, at[axis] > 0.0f ? 1 : 1 + random.below(20));
        }
        crowd.cut();
        CHECK(crowd.slabs.count() == most_slabs);
        check_even(crowd);
        for (const std::uint32_t i : crowd.slots) {
            for (const std::uint32_t j : {crowd.slots.front(), crowd.slots.back()}) {
                if (crowd.slabs.of(i) < crowd.slabs.of(j))
                    CHECK(crowd.bodies[i].center[axis] <= crowd.bodies[j].center[axis]);
            }
        }
    }
}

TEST_CASE("few bodies and bodies in one place are one slab and thin heaps few") {
    Random random(22);
    Crowd few, heap, flat;
    for (int i = 0; i < 100; ++i) few.add(random.in_box(vec3(100.0f)));
    for (int i = 0; i < 2000; ++i) heap.add(vec3(7.0f));
    for (int i = 0; i < 2000; ++i) flat.add(random.in_box(vec3(2.0f)));
    for (Crowd* crowd : {&few, &heap, &flat}) crowd->cut();
    CHECK(few.slabs.count() == 1);
    CHECK(heap.slabs.count() <= 2);
    CHECK(flat.slabs.count() > 1);
    CHECK(flat.slabs.count() < most_slabs);
    heap.sums();  // each body is in some slab
    few.slots.clear();
    few.cut();  // without bodies
    CHECK(few.slabs.count() == 1);
}

TEST_CASE("what trembles stays in its slab and what leaves it is found in another") {
    Random random(23);
    Crowd crowd;
    for (int i = 0; i < 1500; ++i) crowd.add(random.in_box(vec3(20.0f, 2.0f, 2.0f)));
    crowd.cut();
    const std::vector<std::uint8_t> before = crowd.all();
    for (int step = 0; step < 20; ++step) {
        for (const std::uint32_t slot : crowd.slots) crowd.bodies[slot].center += random.in_box(vec3(0.003f));
        crowd.cut();
        CHECK(crowd.all() == before);
    }
    // The bodies of the first slab move to the other end, and beyond it.
    for (const std::uint32_t slot : crowd.slots) {
        if (before[slot] == 0) crowd.bodies[slot].center.x = random.unit() < 0.1f ? 1e6f : 19.0f;
    }
    crowd.cut();
    check_even(crowd);
    crowd.slots.resize(700);  // half of them fall asleep
    crowd.cut();
    check_even(crowd);
}
