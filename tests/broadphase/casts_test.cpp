/// Casts of moving boxes and searches of the nearest boxes, in every state of a broadphase, against brute force.

#include "boxes.h"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

struct World {
    std::string name;
    int count;
    float size;
    dvec3 offset;
    vec3 flatten;
    float max_half;
};
const World worlds[] = {
    {"crowd", 400, 8.0f, vec3(0.0f), vec3(1.0f), 0.7f},
    {"sparse", 800, 100.0f, vec3(0.0f), vec3(1.0f), 1.0f},
    {"plane far away", 500, 40.0f, vec3(10000.0f, -3000.0f, -10000.0f), vec3(1.0f, 0.01f, 1.0f), 0.7f},
    {"crowd at 10,000 km", 300, 8.0f, dvec3(1e7, -1e7, 3e6), vec3(1.0f), 0.7f},
    {"tower", 300, 150.0f, vec3(0.0f), vec3(0.005f, 1.0f, 0.005f), 0.6f},
    {"one point", 60, 0.0f, vec3(3.0f), vec3(1.0f), 0.6f},
    {"few", 12, 3.0f, vec3(0.0f), vec3(1.0f), 0.7f},
    {"screws", 300, 0.02f, vec3(0.5f), vec3(1.0f), 0.001f},
};

// A broadphase whose boxes are pending, restless, settled or out of date in a grid, in all mixtures.
class Life {
public:
    Life(const World& w, std::uint64_t seed) : world(w), random(seed) {
        for (int i = 0; i < world.count; ++i) add();
    }
    // Boxes rest until they settle; then some move, and some are added and removed.
    void next() {
        const int phase = frame_++ % 6;
        if (phase == 0) {
            for (int rest = 0; rest < 70; ++rest) {  // one moves, so that there are refreshes
                move(0);
                broadphase.update();
            }
        }
        for (ProxyIndex p = 0; p < alive.size(); ++p) {
            if (!alive[p]) continue;
            if (p > 0 && random.chance(0.02f)) {
                broadphase.remove(p);
                alive[p] = false;
            } else if (random.chance(phase == 3 ? 0.6f : 0.1f)) {
                move(p);
            }
        }
        for (int i = 0; i < world.count / 50; ++i) add();
        if (phase == 1 || phase == 4) broadphase.refresh();
        if (phase == 2 || phase == 4) broadphase.update();
    }
    dvec3 position() { return world.offset + dvec3(world.flatten * random.point(-world.size, world.size)); }
    ProxyIndex proxy_of(std::uint32_t user_data) const { return proxies_[user_data]; }

    const World& world;
    Random random;
    Broadphase broadphase;
    std::vector<bool> alive;

private:
    void add() {
        vec3 half = random.point(0.02f * world.max_half, world.max_half);
        if (random.chance(0.02f)) half = vec3(world.size + world.max_half, 0.1f * world.max_half, world.size);
        if (random.chance(0.03f)) half.y = 0.0f;
        const ProxyIndex p = broadphase.add({.box = box_at(position(), half),
                                             .user_data = static_cast<std::uint32_t>(proxies_.size()),
                                             .moving = random.chance(0.7f)});
        proxies_.push_back(p);
        if (p == alive.size()) alive.push_back(true);
        alive[p] = true;
    }
    void move(ProxyIndex p) { broadphase.move(p, box_at(position(), random.point(0.0f, world.max_half)), vec3(0.0f)); }

    std::vector<ProxyIndex> proxies_;  // by user data
    int frame_ = 0;
};

BoxCast random_cast(Life& life, int i) {
    const World& w = life.world;
    Random& random = life.random;
    BoxCast cast{life.position(), vec3(0.0f)};
    cast.translation = (i % 3 == 0 ? 2.0 : 1.0) * (life.position() - cast.center);
    if (i % 4 != 0) cast.half = random.point(0.0f, (i % 8 == 1 ? 5.0f : 0.5f) * w.max_half);
    if (i % 5 == 0) cast.half[static_cast<int>(random.below(3))] = 0.0f;
    if (i % 6 == 0) cast.translation[static_cast<int>(random.below(3))] = 0.0f;
    if (i % 11 == 0) cast.translation = vec3(0.0f);
    if (i % 13 == 0) cast.half = vec3(w.size + 1.0f, 0.1f, w.size + 1.0f);  // a floor that falls through the world
    if (i % 10 == 0) cast.max_fraction = random.real(0.0f, 1.0f);
    if (i % 17 == 0) cast.center -= dvec3(1e4f * w.size), cast.translation = vec3(2e4f * w.size);
    return cast;
}

// The visitor returns `clip` except for the first few. Returns the number of visits.
std::size_t check_cast(const Life& life, const BoxCast& cast, float clip) {
    std::vector<int> visits(life.alive.size());
    std::size_t visited = 0, misordered = 0;
    float max_fraction = cast.max_fraction;
    life.broadphase.cast(cast, [&](std::uint32_t user_data, float told) {
        misordered += told != max_fraction;
        ++visits[life.proxy_of(user_data)];
        if (++visited > 2) max_fraction = std::min(max_fraction, clip);
        return max_fraction;
    });
    BoxCast left = cast;
    left.max_fraction = max_fraction;
    std::size_t missed = 0, invented = 0, twice = 0;
    for (ProxyIndex p = 0; p < life.alive.size(); ++p) {
        const WorldAabb& box = life.broadphase.fat_box(p);
        missed += life.alive[p] && visits[p] == 0 && surely_enters(left, box);
        invented += visits[p] != 0 && !(life.alive[p] && may_enter(cast, box));
        twice += visits[p] > 1;
    }
    INFO("from ", cast.center.x, " ", cast.center.y, " ", cast.center.z, " by ", cast.translation.x, " ",
         cast.translation.y, " ", cast.translation.z, ", half ", cast.half.x, " ", cast.half.y, " ", cast.half.z,
         ", up to ", cast.max_fraction, ", clipped to ", clip);
    CHECK(missed == 0);
    CHECK(invented == 0);
    CHECK(twice == 0);
    CHECK(misordered == 0);  // each visit gets the max_fraction that the last one returned
    return visited;
}

struct Near {
    std::uint32_t user_data;
    float distance;
};

void check_nearest(const Life& life, const dvec3& point, float max_distance, std::size_t most) {
    std::vector<Near> got;
    life.broadphase.nearest(point, max_distance, [&](std::uint32_t user_data, float distance, float max) {
        got.push_back({user_data, distance});
        return got.size() == most ? -1.0f : max;
    });
    std::vector<std::tuple<long double, ProxyIndex>> expected;
    for (ProxyIndex p = 0; p < life.alive.size(); ++p) {
        if (life.alive[p]) expected.push_back({exact_distance_to(life.broadphase.fat_box(p), point), p});
    }
    std::sort(expected.begin(), expected.end());
    std::size_t disordered = 0, wrong = 0, inside = 0, surely_inside = 0;
    for (const auto& [distance, p] : expected) {
        inside += distance <= max_distance * (1.0L + 1e-6L);
        surely_inside += distance <= max_distance * (1.0L - 1e-6L);
    }
    INFO("point ", point.x, " ", point.y, " ", point.z, " max ", max_distance, " most ", most);
    CHECK(got.size() >= std::min(most, surely_inside));
    CHECK(got.size() <= std::min(most, inside));
    for (std::size_t i = 0; i < got.size(); ++i) {
        const ProxyIndex p = life.proxy_of(got[i].user_data);
        const long double distance = exact_distance_to(life.broadphase.fat_box(p), point);
        wrong += !life.alive[p] || std::abs(got[i].distance - distance) > 1e-7L * distance;
        wrong +=
            std::abs(distance - std::get<0>(expected[i])) > 1e-7L * distance;  // the i-th nearest, or as near as that
        if (i == 0) continue;
        const ProxyIndex before = life.proxy_of(got[i - 1].user_data);
        disordered += !(std::tuple(got[i - 1].distance, before) < std::tuple(got[i].distance, p));
    }
    CHECK(wrong == 0);
    CHECK(disordered == 0);
}

}  // namespace

TEST_CASE("swept boxes visit what brute force says, in every state of the broadphase") {
    for (const World& world : worlds) {
        CAPTURE(world.name);
        Life life(world, 31);
        std::size_t visited = 0;
        for (int frame = 0; frame < 18; ++frame) {
            CAPTURE(frame);
            for (int i = 0; i < 60; ++i) {
                const BoxCast cast = random_cast(life, i);
                visited += check_cast(life, cast, i % 2 == 0 ? 1.0f : life.random.real(0.0f, 1.0f));
            }
            life.next();
        }
        CHECK(visited > 1000);
    }
}

TEST_CASE("a box that rests against a box, starts in it or slides along it has hit it") {
    Broadphase b;
    const WorldAabb box{vec3(-1.0f), vec3(1.0f)};
    b.add({.box = box, .moving = false});
    for (const bool updated : {false, true}) {
        if (updated) b.update();
        const auto first = [&](const BoxCast& cast) {
            float fraction = 2.0f;
            b.cast(cast, [&](std::uint32_t, float max) { return fraction = max; });
            return fraction;
        };
        CHECK(first({vec3(0.0f), vec3(0.0f), vec3(0.25f)}) == 1.0f);
        CHECK(first({vec3(1.25f, 0, 0), vec3(0.0f), vec3(0.25f)}) == 1.0f);            // touches
        CHECK(first({vec3(1.25f, -5, 0), vec3(0, 10, 0), vec3(0.25f)}) == 1.0f);       // slides along its face
        CHECK(first({vec3(1.25f, -5, 1.25f), vec3(0, 10, 0), vec3(0.25f)}) == 1.0f);   // along its edge
        CHECK(first({vec3(1.2500001f, -5, 0), vec3(0, 10, 0), vec3(0.25f)}) == 2.0f);  // one float beside it
        CHECK(first({vec3(3.25f, 0, 0), vec3(-2, 0, 0), vec3(0.25f)}) == 1.0f);        // ends in a touch
        CHECK(first({vec3(3.25f, 0, 0), vec3(-1.99f, 0, 0), vec3(0.25f)}) == 2.0f);    // ends before
        CHECK(first({vec3(3.25f, 0, 0), vec3(-4, 0, 0), vec3(0.25f), 0.5f}) == 0.5f);  // of which half is left
        CHECK(first({vec3(3.25f, 0, 0), vec3(-4, 0, 0), vec3(0.25f), 0.49f}) == 2.0f);
        CHECK(first({vec3(1.25f, 0, 0), vec3(1, 0, 0), vec3(0.25f), 0.0f}) == 0.0f);   // touches at its beginning
        CHECK(first({vec3(1e6f, 1e6f, 1e6f), vec3(-1, -1, -1), vec3(1e6f)}) == 1.0f);  // a box as large as a world
        CHECK(first({vec3(0.0f), vec3(1, 0, 0), vec3(0.25f), -1.0f}) == 2.0f);         // nothing left of it
    }
}

TEST_CASE("a batch of casts visits what they visit one by one") {
    for (const World& world : worlds) {
        CAPTURE(world.name);
        Life life(world, 41);
        std::size_t visited = 0;
        for (int frame = 0; frame < 9; ++frame) {
            CAPTURE(frame);
            const int count = frame % 3 == 0 ? 10 : 250;  // few, and enough for a tree
            std::vector<BoxCast> casts;
            for (int i = 0; i < count; ++i) casts.push_back(random_cast(life, i));
            using Visit = std::tuple<std::size_t, std::uint32_t, float>;
            std::vector<Visit> batch, single;
            std::size_t disordered = 0;
            life.broadphase.cast(casts, [&](std::size_t i, std::uint32_t user_data, float max) {
                disordered += !batch.empty() && i < std::get<0>(batch.back());
                batch.push_back({i, user_data, max});
                return max;
            });
            for (std::size_t i = 0; i < casts.size(); ++i) {
                life.broadphase.cast(casts[i], [&](std::uint32_t user_data, float max) {
                    single.push_back({i, user_data, max});
                    return max;
                });
            }
            CHECK(disordered == 0);
            visited += batch.size();
            std::sort(batch.begin(), batch.end());
            std::sort(single.begin(), single.end());
            CHECK(batch == single);

            // The nearest hit of each, by the fraction at which its box is entered, and ties by index: clipped on the
            // way.
            const auto closest = [&](std::size_t i, std::uint32_t user_data, float max, Visit& best) {
                const WorldAabb& box = life.broadphase.fat_box(life.proxy_of(user_data));
                const double exact = enter_fraction(casts[i], box);
                auto fraction =
                    static_cast<float>(exact);  // rounded up, or boxes at the same distance would be clipped
                if (double{fraction} < exact) fraction = std::nextafter(fraction, 2.0f);
                best = std::min(best, Visit{i, user_data, fraction}, [](const Visit& a, const Visit& b) {
                    return std::tuple(std::get<2>(a), std::get<1>(a)) < std::tuple(std::get<2>(b), std::get<1>(b));
                });
                return std::min(max, std::get<2>(best));
            };
            const Visit none{0, 0, 9.0f};
            std::vector<Visit> best(casts.size(), none);
            life.broadphase.cast(casts, [&](std::size_t i, std::uint32_t user_data, float max) {
                return closest(i, user_data, max, best[i]);
            });
            for (std::size_t i = 0; i < casts.size(); ++i) {
                Visit alone = none;
                life.broadphase.cast(
                    casts[i], [&](std::uint32_t user_data, float max) { return closest(i, user_data, max, alone); });
                CHECK(best[i] == alone);
            }
            life.next();
        }
        CHECK(visited > 100);
    }
}

TEST_CASE("questions may be asked from within a visit, of any kind and depth") {
    Life life(worlds[0], 51);
    for (int frame = 0; frame < 4; ++frame) life.next();
    const Broadphase& b = life.broadphase;
    std::vector<std::uint32_t> alone, nested;
    const WorldAabb box = box_at(vec3(0.0f), vec3(3.0f));
    const BoxCast cast{vec3(-9.0f), vec3(18.0f), vec3(1.0f)};
    b.query(box, [&](std::uint32_t id) { alone.push_back(id); });
    b.cast(cast, [&](std::uint32_t id, float max) { return alone.push_back(id), max; });
    b.nearest(vec3(1.0f), 4.0f, [&](std::uint32_t id, float, float max) { return alone.push_back(id), max; });
    REQUIRE(alone.size() > 50);
    const auto ask_more = [&](int depth, auto&& again) -> void {
        if (depth == 0) return;
        int count = 0;
        b.query(box, [&](std::uint32_t) { ++count < 3 ? again(depth - 1, again) : void(); });
        count = 0;
        b.cast(cast, [&](std::uint32_t, float max) { return ++count < 3 ? again(depth - 1, again) : void(), max; });
        count = 0;
        b.nearest(vec3(2.0f), 9.0f,
                  [&](std::uint32_t, float, float max) { return ++count < 3 ? again(depth - 1, again) : void(), max; });
    };
    int count = 0;
    const auto visit = [&](std::uint32_t id) {
        nested.push_back(id);
        if (++count % 16 == 0) ask_more(3, ask_more);
    };
    b.query(box, visit);
    b.cast(cast, [&](std::uint32_t id, float max) { return visit(id), max; });
    b.nearest(vec3(1.0f), 4.0f, [&](std::uint32_t id, float, float max) { return visit(id), max; });
    CHECK(nested == alone);
}

TEST_CASE("the nearest boxes come by distance and then by index, in every state of the broadphase") {
    for (const World& world : worlds) {
        CAPTURE(world.name);
        Life life(world, 61);
        for (int frame = 0; frame < 12; ++frame) {
            CAPTURE(frame);
            for (int i = 0; i < 30; ++i) {
                dvec3 point = life.position();
                if (i % 5 == 0) point += 10.0 * (point - world.offset);
                const WorldAabb& box =
                    life.broadphase.fat_box(life.random.below(static_cast<std::uint32_t>(world.count)));
                if (i % 7 == 0) point = i % 2 == 0 ? box.lower : 0.5 * (box.lower + box.upper);
                const float max = i % 4 == 0 ? std::numeric_limits<float>::infinity()
                                             : life.random.real(0.0f, 1.0f) * (world.size + world.max_half);
                check_nearest(life, point, i % 9 == 0 ? 0.0f : max, i % 3 == 0 ? 1000000 : 1 + life.random.below(20));
            }
            check_nearest(life, vec3(1e10f, -1e10f, 3.0f), std::numeric_limits<float>::max(), 1000000);
            check_nearest(life, vec3(1e10f), 1e9f, 1000000);  // nothing that near
            check_nearest(life, vec3(-1e38f), std::numeric_limits<float>::infinity(), 5);
            life.next();
        }
    }
}

TEST_CASE("boxes as near as each other come by index, however many") {
    Broadphase b;
    for (std::uint32_t i = 0; i < 500; ++i) {  // on the corners of a cube, a hundred of them far away
        const vec3 corner(i & 1 ? 4.0f : -4.0f, i & 2 ? 4.0f : -4.0f, i & 4 ? 4.0f : -4.0f);
        b.add({.box = box_at(i % 5 == 0 ? 100.0f * corner : corner, vec3(1.0f)), .user_data = i, .moving = false});
    }
    for (const bool updated : {false, true}) {
        if (updated) b.update();
        std::vector<Near> near;
        b.nearest(vec3(0.0f), 1e9f, [&](std::uint32_t i, float distance, float max) {
            return near.push_back({i, distance}), max;
        });
        REQUIRE(near.size() == 500);
        for (std::size_t k = 1; k < near.size(); ++k) {
            CHECK(near[k].distance >= near[k - 1].distance);
            if (near[k].distance == near[k - 1].distance) CHECK(near[k].user_data > near[k - 1].user_data);
        }
        CHECK(near[399].distance == near[0].distance);
        CHECK(near[400].distance > near[0].distance);
        // A returned distance clips: boxes at exactly that distance are still visited, farther ones are not.
        std::size_t visits = 0;
        b.nearest(vec3(0.0f), 1e9f, [&](std::uint32_t, float distance, float) { return ++visits, distance; });
        CHECK(visits == 400);
        visits = 0;
        b.nearest(vec3(0.0f), 1e9f, [&](std::uint32_t, float, float) { return ++visits, -1.0f; });
        CHECK(visits == 1);
    }
}

TEST_CASE("none of many small boxes is missing among the nearest to a point far away") {
    for (const double far : {1.0, 1e3, 1e6, 1e9}) {
        Broadphase b;
        for (std::uint32_t i = 0; i < 63; ++i) {
            const dvec3 lower = dvec3(far) + dvec3(2e-5 * i), upper = lower + dvec3(2e-5);
            b.add({.box = {lower, upper}, .user_data = i, .moving = false});
        }
        b.update();
        for (const double depth : {1.0, 0.9, 1.1, 3.0}) {
            int visits = 0;
            b.nearest({0.0, 0.0, depth * far}, std::numeric_limits<float>::infinity(),
                      [&](std::uint32_t, float, float max) { return ++visits, max; });
            CAPTURE(far);
            CHECK(visits == 63);
        }
    }
}

TEST_CASE("nearest questions without meaning or without boxes visit nothing") {
    Broadphase b;
    int visits = 0;
    const auto visit = [&](std::uint32_t, float, float max) { return ++visits, max; };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    b.nearest(vec3(0.0f), inf, visit);
    const ProxyIndex p = b.add({.box = box_at(vec3(0.0f), vec3(1.0f))});
    for (const bool updated : {false, true}) {
        if (updated) b.update();
        b.nearest(vec3(nan, 0, 0), 1.0f, visit);
        b.nearest(vec3(0, inf, 0), inf, visit);
        b.nearest(vec3(0.0f), nan, visit);
        b.nearest(vec3(0.0f), -1.0f, visit);
        CHECK(visits == 0);
    }
    b.remove(p);
    b.nearest(vec3(0.0f), inf, visit);
    b.update();
    b.nearest(vec3(0.0f), inf, visit);
    CHECK(visits == 0);
}
