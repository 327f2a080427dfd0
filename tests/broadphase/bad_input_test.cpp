/// Bad input to a broadphase that is used alone: a refused call changes nothing and says why.

#include "boxes.h"

#include <limits>
#include <string>
#include <utility>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();

const WorldAabb bad_boxes[] = {{vec3(no_number, 0, 0), vec3(1.0f)}, {vec3(-1.0f), vec3(1, no_number, 1)},
                               {vec3(-infinite), vec3(infinite)},   {vec3(0.0f), vec3(1, 1, infinite)},
                               {vec3(0, 2, 0), vec3(1, 1, 1)},      {vec3(1.0f), vec3(-1.0f)},
                               {vec3(no_number), vec3(no_number)}};

// A few proxies with pairs, one of them removed, and some changes that the next update will take in.
struct Victim {
    Broadphase b;
    ProxyIndex first = b.add({.box = box_at(vec3(0.0f), vec3(1.0f)), .user_data = 11});
    ProxyIndex second = b.add({.box = box_at(vec3(0.5f), vec3(1.0f)), .user_data = 12});
    ProxyIndex removed = b.add({.box = box_at(vec3(1.0f), vec3(1.0f)), .user_data = 13});
    ProxyIndex fixed = b.add({.box = box_at(vec3(1.5f), vec3(1.0f)), .user_data = 14, .moving = false});

    Victim() {
        b.update();
        b.remove(removed);
        b.move(second, box_at(vec3(5.0f), vec3(1.0f)), vec3(0.1f));
    }
};

// Everything that a user can see now and after the next updates.
std::vector<std::uint64_t> footprint(const Broadphase& b) {
    std::vector<std::uint64_t> seen{b.proxy_count(), b.pair_count(), b.bytes()};
    Broadphase later = b;
    const auto see = [&](std::uint32_t user_data) { seen.push_back(user_data); };
    for (int i = 0; i < 3; ++i) {
        later.query({vec3(-100.0f), vec3(100.0f)}, see);
        for (ProxyIndex p = 0; p < 8; ++p) seen.push_back(later.is_valid(p));
        later.update();
        for (const auto events : {later.begun(), later.ended()}) {
            for (const ProxyPair pair : events) seen.push_back(pair.a), seen.push_back(pair.b);
        }
        seen.push_back(later.add({.box = box_at(vec3(0.25f), vec3(1.0f))}));
    }
    return seen;
}

template <class Call>
void refuses(const std::string& what, ErrorCode code, Call&& call) {
    CAPTURE(what);
    Victim victim;
    const auto before = footprint(victim.b);
    CHECK_FALSE(call(victim.b, victim));
    CHECK(footprint(victim.b) == before);
    CHECK(static_cast<int>(victim.b.last_error().code) == static_cast<int>(code));
    CAPTURE(victim.b.last_error().message);
    CHECK(victim.b.last_error().message.size() > 20);
    CHECK(victim.b.last_error().message.find(what) == 0);
}

}  // namespace

TEST_CASE("removing a proxy twice is refused, and its index is handed out once") {
    Broadphase b;
    const ProxyIndex first = b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    CHECK(b.remove(first));
    CHECK_FALSE(b.remove(first));
    b.update();
    CHECK_FALSE(b.remove(first));
    const ProxyIndex second = b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    const ProxyIndex third = b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    CHECK(second == first);
    CHECK(third != second);  // it was the same index
    CHECK(b.proxy_count() == 2);
}

TEST_CASE("indices that were never handed out, or removed, are refused") {
    for (const ProxyIndex bad : {ProxyIndex{4}, ProxyIndex{1000000}, null_proxy, ProxyIndex{2}}) {
        CAPTURE(bad);
        const ErrorCode code = ErrorCode::stale_handle;
        const WorldAabb box = box_at(vec3(0.0f), vec3(1.0f));
        refuses("remove", code, [&](Broadphase& b, const Victim&) { return b.remove(bad); });
        refuses("move", code, [&](Broadphase& b, const Victim&) { return b.move(bad, box, vec3(0.0f)); });
        refuses("set_moving", code, [&](Broadphase& b, const Victim&) { return b.set_moving(bad, true); });
        refuses("set_filter", code, [&](Broadphase& b, const Victim&) { return b.set_filter(bad, {.mask = 0}); });
        refuses("remove[1]", code, [&](Broadphase& b, const Victim& v) {
            const ProxyIndex both[] = {v.first, bad};
            return b.remove(both);
        });
        CHECK_FALSE(Victim().b.is_valid(bad));
    }
    const Victim v;
    CHECK(v.removed == 2);
    CHECK(v.b.is_valid(v.first));
    CHECK(v.b.user_data(v.removed) == 13);  // kept until the index is handed out again
    CHECK(v.b.fat_box(v.removed).upper.x > 1.9f);
    CHECK(v.b.user_data(1000) == 0);
    CHECK(v.b.fat_box(null_proxy).upper == dvec3(0.0));
}

TEST_CASE("boxes with NaN, an infinity or lower > upper are refused") {
    for (const WorldAabb& bad : bad_boxes) {
        CAPTURE(bad.lower.y);
        CAPTURE(bad.upper.y);
        const bool finite = is_finite(bad.lower) && is_finite(bad.upper);
        const ErrorCode code = finite ? ErrorCode::bad_size : ErrorCode::not_finite;
        refuses("add", code, [&](Broadphase& b, const Victim&) { return b.add({.box = bad}) != null_proxy; });
        refuses("move", code, [&](Broadphase& b, const Victim& v) { return b.move(v.first, bad, vec3(0.0f)); });
        refuses("add[1]", code, [&](Broadphase& b, const Victim&) {
            const ProxyDef defs[] = {{.box = box_at(vec3(0.0f), vec3(1.0f))}, {.box = bad}};
            ProxyIndex out[] = {7, 7, 7};
            const bool added = b.add(defs, out);
            for (const ProxyIndex index : out) CHECK(index == null_proxy);
            return added;
        });
    }
    for (const vec3& bad : {vec3(no_number, 0, 0), vec3(0, infinite, 0), vec3(0, 0, -infinite)}) {
        refuses("move", ErrorCode::not_finite,
                [&](Broadphase& b, const Victim& v) { return b.move(v.first, box_at(vec3(0.0f), vec3(1.0f)), bad); });
    }
}

TEST_CASE("lists of different lengths and proxies that are given twice are refused") {
    const ProxyDef defs[2];
    ProxyIndex out[1] = {7};
    refuses("add", ErrorCode::bad_argument, [&](Broadphase& b, const Victim&) { return b.add(defs, out); });
    CHECK(out[0] == null_proxy);
    const WorldAabb boxes[2];
    const vec3 displacements[2] = {};
    refuses("move", ErrorCode::bad_argument, [&](Broadphase& b, const Victim& v) {
        const ProxyIndex proxies[] = {v.first, v.second};
        return b.move(proxies, std::span(boxes).first(1), displacements);
    });
    refuses("move", ErrorCode::bad_argument, [&](Broadphase& b, const Victim& v) {
        const ProxyIndex proxies[] = {v.first, v.second};
        return b.move(proxies, boxes, std::span(displacements).first(1));
    });
    refuses("remove", ErrorCode::bad_argument, [&](Broadphase& b, const Victim& v) {
        const ProxyIndex proxies[] = {v.first, v.second, v.first};
        return b.remove(proxies);
    });
}

TEST_CASE("a moved-from broadphase is empty and can be used again") {
    Victim victim;
    Broadphase target = std::move(victim.b);
    Broadphase& b = victim.b;
    CHECK(b.proxy_count() == 0);
    CHECK(b.pair_count() == 0);
    CHECK(b.bytes() == 0);
    CHECK(b.begun().empty());
    CHECK_FALSE(b.is_valid(0));
    CHECK(b.fat_box(0).upper == dvec3(0.0));
    CHECK(b.cell_runs(false).empty());
    int visits = 0;
    b.query({vec3(-9.0f), vec3(9.0f)}, [&](std::uint32_t) { ++visits; });
    b.ray_cast(vec3(0.0f), vec3(1.0f), [&](std::uint32_t, float f) { return ++visits, f; });
    b.nearest(vec3(0.0f), 9.0f, [&](std::uint32_t, float, float max) { return ++visits, max; });
    CHECK(visits == 0);
    CHECK_FALSE(b.remove(0));
    CHECK_FALSE(b.move(0, box_at(vec3(0.0f), vec3(1.0f)), vec3(0.0f)));
    b.update();
    b.refresh();
    CHECK(b.add({.box = box_at(vec3(0.0f), vec3(1.0f))}) == 0);
    CHECK(target.proxy_count() == 3);
    target = std::move(b);
    CHECK(target.proxy_count() == 1);
    b = target;
    CHECK(b.proxy_count() == 1);
    Broadphase& same = b;
    b = same;
    CHECK(b.proxy_count() == 1);
    const Broadphase empty;
    b = empty;
    CHECK(b.proxy_count() == 0);
}

TEST_CASE("updates on no threads, or a silly number of them, give the pairs of one") {
    const auto run = [](void*, int count, Jobs::Task task, void* data) {
        for (int i = 0; i < count; ++i) task(data, i);
    };
    Random random(5);
    std::vector<ProxyDef> defs(5000);
    for (ProxyDef& def : defs) def.box = random_box(random, 15.0f, 0.1f, 0.5f);
    std::vector<ProxyIndex> proxies(defs.size());
    Broadphase one;
    one.add(defs, proxies);
    one.update();
    CHECK(one.begun().size() > 500);
    for (const int threads : {0, -1, std::numeric_limits<int>::min(), 1000, std::numeric_limits<int>::max()}) {
        CAPTURE(threads);
        Broadphase many;
        many.add(defs, proxies);
        many.update({.threads = threads, .run = run});
        CHECK(same_elements(many.begun(), one.begun()));
    }
}

TEST_CASE("the message about a bad box neither rounds a size to 0 nor prints 39 digits") {
    // 2e-7 was 0.000000, and 3.4e38 had 39 digits before the point.
    Broadphase b;
    CHECK(b.add({.box = {dvec3(2e-7, 0, 0), dvec3(1e-7, 3.4e38, 1000001)}}) == null_proxy);
    INFO(b.last_error().message);
    CHECK(b.last_error().message.find("from (2e-07, 0, 0) to (1e-07, 3.4e+38, 1000001);") != std::string::npos);
}
