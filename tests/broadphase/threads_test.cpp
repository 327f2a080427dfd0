/// The broadphase on several threads: the same bits as on one.

#include "tests/support/threads.h"
#include "boxes.h"

using namespace talus;
using namespace talus::test;

namespace {

// Runs the tasks one after the other, the last one first: a dependence on their order shows in every run.
const Jobs backwards{.threads = 3, .run = [](void*, int count, Jobs::Task task, void* data) {
                         for (int i = count; i-- > 0;) task(data, i);
                     }};

struct Answers {
    std::vector<ProxyPair> begun, ended;
    std::vector<std::uint32_t> visits;
    friend bool operator==(const Answers&, const Answers&) = default;
};

Answers ask(const Broadphase& b) {
    Answers answers{{b.begun().begin(), b.begun().end()}, {b.ended().begin(), b.ended().end()}, {}};
    // The order of a cast's visits tells how the grids and the boxes in them stand.
    for (int i = 0; i < 10; ++i) {
        const auto see = [&](std::uint32_t id, float max) { return answers.visits.push_back(id), max; };
        b.cast({vec3(-40.0f, 0.4f * float(i), -40.0f), vec3(80.0f, 0.0f, 80.0f), vec3(1.0f)}, see);
    }
    return answers;
}

void live(const Jobs& jobs, int frames) {
    // Enough that moves, grids, comparisons and pairs are all cut into tasks.
    constexpr std::size_t count = 12000;
    Random random(17);
    std::vector<ProxyDef> defs(count);
    std::vector<WorldAabb> boxes(count);
    std::vector<vec3> steps(count);
    std::vector<ProxyIndex> proxies(count), same(count);
    for (std::size_t i = 0; i < count; ++i) {
        const vec3 half = random.point(0.2f, 0.6f) * (i % 500 == 0 ? 8.0f : 1.0f);
        boxes[i] = box_at(vec3(1.0f, 0.1f, 1.0f) * random.point(-40.0f, 40.0f), half);
        steps[i] = random.point(-0.2f, 0.2f);
        defs[i] = {.box = boxes[i], .user_data = static_cast<std::uint32_t>(i), .moving = i % 9 != 0};
    }
    Broadphase one, many;
    one.add(defs, proxies);
    many.add(defs, same);
    REQUIRE(proxies == same);
    std::size_t begun = 0, ended = 0;
    for (int frame = 0; frame < frames; ++frame) {
        CAPTURE(frame);
        // All move; or many of them move to one place and back, which makes so many pairs that lists are long and even
        // their erasure is divided into tasks.
        for (std::size_t i = 0; i < count; ++i) {
            vec3 step = steps[i];
            if (frame % 8 == 5 && i % 40 == 0) step = -0.5 * (boxes[i].lower + boxes[i].upper);
            if (frame % 8 == 6 && i % 40 == 0) step = random.point(-40.0f, 40.0f);
            boxes[i] = moved_by(boxes[i], step);
        }
        one.move(proxies, boxes, steps);
        many.move(proxies, boxes, steps, jobs);
        if (frame % 3 == 1) one.refresh(), many.refresh(jobs);
        one.update();
        many.update(jobs);
        REQUIRE(ask(one) == ask(many));
        REQUIRE(one.pair_count() == many.pair_count());
        begun += one.begun().size();
        ended += one.ended().size();
    }
    CHECK(begun > 50000);
    CHECK(ended > 50000);
}

}  // namespace

TEST_CASE("tasks that run in another order do not change the broadphase's bits") { live(backwards, 40); }

TEST_CASE("threads do not change the broadphase's bits") {
    TestPool pool(3);
    live(pool.jobs(), 16);
}
