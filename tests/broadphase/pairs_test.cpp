#include "boxes.h"

#include <span>

using namespace talus;
using namespace talus::test;

TEST_CASE("the events are the same bits with every compiler") {
    // The hash was printed by this test. It changes with fat_box_settings and with the scene only.
    Random random(99);
    Broadphase b;
    std::vector<WorldAabb> boxes;
    for (int i = 0; i < 400; ++i) {
        boxes.push_back(random_box(random, 5.0f, 0.1f, 0.7f));
        b.add({.box = boxes.back(), .moving = i % 5 != 0});
    }
    std::uint64_t hash = 14695981039346656037u;
    const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 1099511628211u; };
    for (int frame = 0; frame < 60; ++frame) {
        for (ProxyIndex p = 0; p < boxes.size(); ++p) {
            const vec3 step = random.point(-0.1f, 0.1f);
            if (p % 5 == 0) continue;
            boxes[p] = moved_by(boxes[p], step);
            b.move(p, boxes[p], step);
        }
        b.update();
        for (const auto events : {b.ended(), b.begun()}) {
            mix(events.size());
            for (const ProxyPair pair : events) mix(pair.a), mix(pair.b);
        }
    }
    CAPTURE(hash);
    CHECK(hash == 8788665001076417192u);
}

TEST_CASE("a resting crowd makes no events and no work") {
    Broadphase broadphase;
    Random random(7);
    std::vector<WorldAabb> tight;
    for (int i = 0; i < 1000; ++i) {
        tight.push_back(box_at(random.point(-5.0f, 5.0f), vec3(0.5f)));
        broadphase.add({.box = tight.back()});
    }
    broadphase.update();
    CHECK(broadphase.begun().size() > 1000);
    const std::size_t pairs = broadphase.pair_count();
    for (int frame = 0; frame < 100; ++frame) {
        for (ProxyIndex p = 0; p < tight.size(); ++p) {
            const WorldAabb before = broadphase.fat_box(p);
            const vec3 jitter = random.point(-0.02f, 0.02f);  // less than the margin
            broadphase.move(p, moved_by(tight[p], jitter), vec3(0.0f));
            REQUIRE(before.lower == broadphase.fat_box(p).lower);
            REQUIRE(before.upper == broadphase.fat_box(p).upper);
        }
        broadphase.update();
        REQUIRE(broadphase.begun().empty());
        REQUIRE(broadphase.ended().empty());
    }
    CHECK(broadphase.pair_count() == pairs);
}

TEST_CASE("a pair of two sleepers lasts until they part, a pair of two fixed ones never begins") {
    Broadphase b;
    const WorldAabb unit = box_at(vec3(0.0f), vec3(0.5f));
    const ProxyIndex a = b.add({.box = unit}), c = b.add({.box = unit});
    const ProxyIndex fixed = b.add({.box = unit, .moving = false}), other = b.add({.box = unit, .moving = false});
    b.update();
    CHECK(b.pair_count() == 5);  // all but fixed, other
    b.set_moving(a, false);
    b.set_moving(c, false);
    b.update();
    CHECK(b.begun().empty());
    CHECK(b.ended().empty());
    CHECK(b.pair_count() == 5);

    b.move(fixed, box_at(vec3(10, 0, 0), vec3(0.5f)),
           vec3(0.0f));  // moved away and back: its pairs with the sleeping ones end and do not begin again
    b.update();
    CHECK(b.ended().size() == 2);
    b.move(fixed, unit, vec3(0.0f));
    b.update();
    CHECK(b.begun().empty());
    b.set_moving(a, true);
    b.update();
    REQUIRE(b.begun().size() == 1);  // a's other pairs were there all the time
    CHECK(b.begun()[0] == ProxyPair{a, fixed});
    b.set_moving(other, true);
    b.update();
    REQUIRE(b.begun().size() == 1);
    CHECK(b.begun()[0] == ProxyPair{fixed, other});
    b.remove(a);
    b.remove(c);
    b.update();
    CHECK(b.ended().size() == 4);
    CHECK(b.pair_count() == 1);
}

TEST_CASE("a removed proxy's pairs end under its old index before that is used again") {
    Broadphase b;
    const WorldAabb unit = box_at(vec3(0.0f), vec3(0.5f));
    const ProxyIndex first = b.add({.box = unit, .user_data = 1});
    const ProxyIndex second = b.add({.box = unit, .user_data = 2});
    b.update();
    CHECK(b.pair_count() == 1);
    b.remove(first);
    const ProxyIndex third = b.add({.box = unit, .user_data = 3});
    CHECK(third == 2);
    b.update();
    REQUIRE(b.ended().size() == 1);
    CHECK(b.ended()[0] == ProxyPair{first, second});
    REQUIRE(b.begun().size() == 1);
    CHECK(b.begun()[0] == ProxyPair{second, third});
    CHECK(b.add({.box = unit}) == first);
    b.remove(first);  // never seen by an update: no pair to end
    b.update();
    CHECK(b.ended().empty());
    CHECK(b.begun().empty());
}

TEST_CASE("bulk insertion and removal give the indices and pairs of one by one") {
    Random random(3);
    std::vector<ProxyDef> defs(500);
    for (ProxyDef& def : defs) def.box = random_box(random, 4.0f, 0.1f, 1.0f);
    Broadphase bulk, single;
    std::vector<ProxyIndex> out(defs.size());
    bulk.add(defs, out);
    for (std::size_t i = 0; i < defs.size(); ++i) CHECK(single.add(defs[i]) == out[i]);
    bulk.update();
    single.update();
    CHECK(bulk.begun().size() > 100);
    CHECK(same_elements(bulk.begun(), single.begun()));
    const std::span<const ProxyIndex> gone = std::span(out).subspan(100, 300);
    bulk.remove(gone);
    for (const ProxyIndex p : gone) single.remove(p);
    bulk.update();
    single.update();
    CHECK(bulk.proxy_count() == 200);
    CHECK(bulk.ended().size() > 50);
    CHECK(same_elements(bulk.ended(), single.ended()));
}

TEST_CASE("the events do not depend on how the proxies came to be where they are") {
    // The same final boxes by two histories: the pairs that are there must be the same.
    Random random(11);
    std::vector<WorldAabb> last(600);
    for (WorldAabb& box : last) box = random_box(random, 5.0f, 0.2f, 0.7f);
    Broadphase direct, wandering;
    for (const WorldAabb& box : last) direct.add({.box = box});
    for (std::size_t i = 0; i < last.size(); ++i)
        wandering.add({.box = box_at(random.point(-50.0f, 50.0f), vec3(0.3f))});
    for (int frame = 0; frame < 40; ++frame) {
        for (ProxyIndex p = 0; p < last.size(); ++p) {
            if (random.chance(0.2f)) wandering.move(p, box_at(random.point(-50.0f, 50.0f), vec3(0.3f)), vec3(1.0f));
        }
        wandering.update();
    }
    for (ProxyIndex p = 0; p < last.size(); ++p) {
        wandering.move(p, box_at(vec3(200.0f, 0.0f, 3.0f * static_cast<float>(p)), vec3(0.3f)), vec3(0.0f));
    }
    wandering.update();
    REQUIRE(wandering.pair_count() == 0);
    for (ProxyIndex p = 0; p < last.size(); ++p) wandering.move(p, last[p], vec3(0.0f));
    wandering.update();
    direct.update();
    CHECK(direct.begun().size() > 500);
    CHECK(same_elements(direct.begun(), wandering.begun()));
}
