/// Whole worlds against the definition of a pair: a thousand updates each, with all calls that change proxies.

#include "boxes.h"

#include <cmath>
#include <iterator>
#include <string>

using namespace talus;
using namespace talus::test;

namespace {

#ifdef NDEBUG
constexpr int frames = 1000, large_frames = 70;
#else
constexpr int frames = 120, large_frames = 10;
#endif

struct Crowd {
    std::string name;
    int proxies = 200;
    float world = 6.0f;  // boxes are within +- this, m
    dvec3 offset{0.0};
    vec3 flatten{1.0f};     // scales the positions: a tower, a plane, a line
    bool diagonal = false;  // all positions on the line x = y = z
    int towns = 1;          // boxes gather in so many places, `away` from each other
    double away = 0.0;      // m
    vec3 drift{0.0f};       // all move along, m a frame
    float min_half = 0.1f, max_half = 0.8f;
    float huge = 0.0f;      // part that is as large as the world
    float still = 0.3f;     // part that starts still
    float layered = 0.3f;   // part that has a filter of its own
    float speed = 0.05f;    // fastest step, m
    int move_one_in = 1;    // of the proxies, this one in so many moves
    float teleport = 0.0f;  // chances each frame and proxy
    float churn = 0.002f;   // of a removal, of an add
    float flip = 0.002f;    // of going still or moving again
    float relayer = 0.002f;
    int burst = 0;                   // so many are added at one spot each 40 frames, and removed 20 later
    std::size_t least_events = 500;  // both begun and ended, in 1000 frames: the world was not empty
};

// One world, a copy that is made halfway and gets the same calls, and the oracle.
class Life {
public:
    Life(const Crowd& crowd, std::uint64_t seed) : s_(crowd), random_(seed) {}

    void run() {
        for (int i = 0; i < s_.proxies; ++i) add(position());
        for (int frame = 0; frame < frames; ++frame) {
            CAPTURE(frame);
            if (frame == frames / 2) {
                copy_ = broadphase_;
                copied_ = true;
            }
            if (random_.chance(0.1f)) each([](Broadphase& b) { b.refresh(); });
            change();
            if (random_.chance(0.1f)) each([](Broadphase& b) { b.refresh(); });
            for (ProxyIndex p = 0; p < things_.size(); ++p) {
                if (oracle_.proxies[p].alive) oracle_.proxies[p].box = broadphase_.fat_box(p);
            }
            each([](Broadphase& b) { b.update(); });
            oracle_.update();
            check_events(broadphase_, oracle_);
            if (copied_) check_events(copy_, oracle_);
            REQUIRE(broadphase_.proxy_count() == alive_);
            begun_ += oracle_.begun.size();
            ended_ += oracle_.ended.size();
        }
        CHECK(begun_ > s_.least_events * frames / 1000);
        CHECK(ended_ > s_.least_events * frames / 1000);
    }

private:
    struct Thing {
        dvec3 centre;
        vec3 half, velocity;
        bool burst = false;
    };

    template <class Call>
    void each(Call&& call) {
        call(broadphase_);
        if (copied_) call(copy_);
    }

    dvec3 home_of(std::uint32_t town) const {
        const double angle = 2.4 * town;
        return s_.offset + s_.away * std::sqrt(1.0 * town) * dvec3(std::cos(angle), 0, std::sin(angle));
    }
    dvec3 position() {
        vec3 at = random_.point(-s_.world, s_.world);
        if (s_.diagonal) at = vec3(at.x);
        return home_of(random_.below(static_cast<std::uint32_t>(s_.towns))) + drifted_ + dvec3(s_.flatten * at);
    }
    vec3 half() {
        if (random_.chance(s_.huge)) return vec3(s_.world * 1.5f, 0.2f, s_.world * 1.5f);
        vec3 half = random_.point(s_.min_half, s_.max_half);
        if (random_.chance(0.05f)) half[static_cast<int>(random_.below(3))] = 0.0f;  // flat
        if (random_.chance(0.03f)) half = vec3(0.0f);                                // a point
        return half;
    }
    Filter filter() {
        Filter filter;
        if (random_.chance(0.5f)) filter.category = 1u << random_.below(3), filter.mask = random_.below(8);
        if (random_.chance(0.5f)) filter.group = static_cast<std::int32_t>(random_.below(5)) - 2;
        return filter;
    }

    void add(const dvec3& centre, bool burst = false) {
        const Thing thing{centre, half(), s_.flatten * random_.point(-s_.speed, s_.speed), burst};
        ProxyDef def{box_at(centre, thing.half), random_.below(1000u), {}, !random_.chance(s_.still)};
        if (random_.chance(s_.layered)) def.filter = filter();
        std::size_t lowest = 0;  // that is neither in use nor was removed since the last update with pairs to end
        while (lowest < things_.size() && (oracle_.proxies[lowest].alive || oracle_.has_pair_with(ProxyIndex(lowest))))
            ++lowest;
        ProxyIndex index = 0;
        each([&](Broadphase& b) { index = b.add(def); });
        REQUIRE(index >= lowest);
        REQUIRE(index <= things_.size());
        if (index == things_.size()) oracle_.proxies.emplace_back(), things_.emplace_back();
        REQUIRE_FALSE(oracle_.proxies[index].alive);
        REQUIRE(broadphase_.user_data(index) == def.user_data);
        REQUIRE(contains(broadphase_.fat_box(index), def.box));
        oracle_.proxies[index] = {true, def.moving, def.filter, broadphase_.fat_box(index)};
        things_[index] = thing;
        ++alive_;
    }
    void remove(ProxyIndex p) {
        each([&](Broadphase& b) { b.remove(p); });
        oracle_.proxies[p].alive = false;
        --alive_;
    }

    void change() {
        drifted_ += dvec3(s_.drift);
        const bool burst_ends = ++frame_ % 40 == 20;
        for (ProxyIndex p = 0; p < things_.size(); ++p) {
            OracleProxy& proxy = oracle_.proxies[p];
            Thing& thing = things_[p];
            if (!proxy.alive) continue;
            if (random_.chance(s_.churn) || (burst_ends && thing.burst)) {
                remove(p);
                continue;
            }
            if (random_.chance(s_.flip)) {
                proxy.moving = random_.chance(0.5f);
                each([&](Broadphase& b) { b.set_moving(p, proxy.moving); });
            }
            if (random_.chance(s_.relayer)) {
                proxy.filter = filter();
                each([&](Broadphase& b) { b.set_filter(p, proxy.filter); });
            }
            if (random_.chance(s_.teleport)) {
                thing.centre = position();
                each([&](Broadphase& b) { b.move(p, box_at(thing.centre, thing.half), vec3(0.0f)); });
            } else if (proxy.moving && p % static_cast<ProxyIndex>(s_.move_one_in) == 0) {
                step(p, thing);
            }
        }
        for (std::size_t i = alive_; i < static_cast<std::size_t>(s_.proxies); ++i) {
            if (random_.chance(0.5f)) add(position());
        }
        if (s_.burst > 0 && frame_ % 40 == 0) {
            const dvec3 spot = position();
            for (int i = 0; i < s_.burst; ++i) add(spot, true);
        }
    }
    // Flies on, is turned back at the edge of the world, and trembles.
    void step(ProxyIndex p, Thing& thing) {
        const vec3 way = thing.velocity + s_.drift + 0.2f * s_.speed * s_.flatten * random_.point(-1.0f, 1.0f);
        thing.centre += dvec3(way);
        if (s_.towns == 1) {
            const dvec3 from_middle = thing.centre - home_of(0) - drifted_;
            for (int axis = 0; axis < 3; ++axis) {
                if (std::abs(from_middle[axis]) > double{s_.world * s_.flatten[axis]})
                    thing.velocity[axis] = std::copysign(thing.velocity[axis], from_middle[axis] < 0.0 ? 1.0f : -1.0f);
            }
        }
        const WorldAabb tight = box_at(thing.centre, thing.half);
        each([&](Broadphase& b) { b.move(p, tight, way); });
        REQUIRE(contains(broadphase_.fat_box(p), tight));
    }

    const Crowd s_;
    Random random_;
    Broadphase broadphase_, copy_;
    bool copied_ = false;
    PairOracle oracle_;
    std::vector<Thing> things_;
    std::size_t alive_ = 0, begun_ = 0, ended_ = 0;
    dvec3 drifted_{0.0};
    int frame_ = 0;
};

void live(std::span<const Crowd> crowds) {
    for (const Crowd& crowd : crowds) {
        CAPTURE(crowd.name);
        Life(crowd, 1 + static_cast<std::uint64_t>(&crowd - crowds.data())).run();
    }
}

constexpr vec3 flat{1.0f, 0.02f, 1.0f};

}  // namespace

TEST_CASE("a thousand updates give the pairs of the definition, whatever part of the world moves" *
          doctest::test_suite("slow")) {
    const Crowd crowds[] = {
        {.name = "all move, cube", .still = 0.0f},
        {.name = "all move, flat", .world = 12.0f, .flatten = flat, .still = 0.0f},
        {.name = "a tenth moves, cube", .proxies = 300, .move_one_in = 10},
        {.name = "a tenth moves, flat", .proxies = 300, .world = 12.0f, .flatten = flat, .move_one_in = 10},
        {.name = "a hundredth is teleported, cube", .proxies = 300, .speed = 0.0f, .teleport = 0.01f},
        {.name = "a hundredth is teleported, flat",
         .proxies = 300,
         .world = 12.0f,
         .flatten = flat,
         .speed = 0.0f,
         .teleport = 0.01f},
        {.name = "sparse, all move fast", .proxies = 300, .world = 20.0f, .still = 0.0f, .speed = 1.0f},
        {.name = "all still but a few", .proxies = 300, .still = 0.95f, .teleport = 0.002f},
        {.name = "nothing moves but what comes and goes", .speed = 0.0f, .move_one_in = 1000, .churn = 0.01f},
    };
    live(crowds);
}

TEST_CASE("a thousand updates give the pairs of the definition, in worlds that have a worst axis or size" *
          doctest::test_suite("slow")) {
    const Crowd crowds[] = {
        {.name = "tower", .proxies = 300, .world = 120.0f, .flatten = {0.005f, 1.0f, 0.005f}},
        {.name = "heap", .proxies = 150, .world = 1.0f, .teleport = 0.005f},
        {.name = "world-sized slabs", .huge = 0.1f},
        {.name = "one point", .proxies = 60, .world = 0.0f, .speed = 0.3f, .teleport = 0.05f},
        {.name = "bursts at one spot", .world = 10.0f, .burst = 60},
        {.name = "diagonal line", .proxies = 300, .world = 60.0f, .diagonal = true, .teleport = 0.01f},
        {.name = "line along an axis", .proxies = 300, .world = 60.0f, .flatten = {0.0f, 0.0f, 1.0f}},
        {.name = "dense crowd that drifts", .drift = {0.09f, 0.01f, -0.05f}, .still = 0.0f, .teleport = 0.002f},
        {.name = "all sizes", .proxies = 250, .world = 12.0f, .min_half = 0.001f, .max_half = 6.0f},
        {.name = "towns", .proxies = 300, .world = 2.0f, .towns = 10, .away = 2000.0, .teleport = 0.005f},
        {.name = "two places 10 km apart", .proxies = 300, .towns = 2, .away = 10000.0, .teleport = 0.005f},
        {.name = "two places 10,000 km apart", .proxies = 300, .towns = 2, .away = 1e7, .teleport = 0.005f},
        {.name = "twenty places on a planet",
         .proxies = 300,
         .world = 2.0f,
         .towns = 20,
         .away = 2e6,
         .teleport = 0.005f},
        {.name = "10,000 km away", .offset = {1e7, -1e7, 1e7}},
        {.name = "screws 10,000 km away",
         .world = 0.01f,
         .offset = {1e7, -1e7, 1e7},
         .min_half = 0.0002f,
         .max_half = 0.001f,
         .speed = 0.0002f},
        {.name = "far away, negative", .offset = {-10000, 10000, -10000}},
        {.name = "screws", .world = 0.01f, .min_half = 0.0002f, .max_half = 0.001f, .speed = 0.0002f},
        {.name = "planets", .world = 6e6f, .min_half = 1e4f, .max_half = 1e6f, .speed = 5e4f},
    };
    live(crowds);
}

TEST_CASE("a thousand updates give the pairs of the definition, while layers, sleepers and owners change") {
    const std::vector<Crowd> crowds = {
        {.name = "layers", .layered = 0.8f, .relayer = 0.02f, .least_events = 2000},
        {.name = "going still and moving again", .still = 0.6f, .flip = 0.05f, .least_events = 1500},
        {.name = "wild",
         .speed = 1.0f,
         .teleport = 0.1f,
         .churn = 0.1f,
         .flip = 0.1f,
         .relayer = 0.1f,
         .least_events = 20000},
    };
    live(crowds);
}

TEST_CASE("five thousand boxes have the pairs of a plain sweep" * doctest::test_suite("slow")) {
    struct Case {
        std::string name;
        int towns;
        float away, world;
        vec3 flatten;
        float large;  // part ten times as large
        int move_one_in;
        vec3 drift;
    };
    const Case cases[] = {
        {"all move, cube", 1, 0.0f, 17.0f, vec3(1.0f), 0.0f, 1, vec3(0.0f)},
        {"all move, flat, two sizes", 1, 0.0f, 60.0f, flat, 0.01f, 1, vec3(0.0f)},
        {"a tenth moves, the others settle", 1, 0.0f, 17.0f, vec3(1.0f), 0.0f, 10, vec3(0.0f)},
        {"ten towns, a third moves", 10, 1000.0f, 8.0f, vec3(1.0f), 0.002f, 3, vec3(0.0f)},
        {"all drift", 1, 0.0f, 60.0f, flat, 0.0f, 1, vec3(3.0f, 0.0f, 5.0f)},
    };
    for (const Case& c : cases) {
        CAPTURE(c.name);
        Random random(77);
        Broadphase b;
        std::vector<ProxyDef> defs(5000);
        std::vector<vec3> velocities(defs.size());
        for (std::size_t i = 0; i < defs.size(); ++i) {
            const float town = static_cast<float>(random.below(static_cast<std::uint32_t>(c.towns)));
            const vec3 middle = c.away * vec3(std::sqrt(town) * std::cos(town), 0.0f, std::sqrt(town) * std::sin(town));
            const vec3 half = random.point(0.3f, 0.6f) * (random.chance(c.large) ? 10.0f : 1.0f);
            defs[i].box = box_at(middle + c.flatten * random.point(-c.world, c.world), half);
            velocities[i] = c.drift + c.flatten * random.point(-0.1f, 0.1f);
        }
        std::vector<ProxyIndex> indices(defs.size());
        b.add(defs, indices);
        std::vector<ProxyPair> before, now, begun, ended;
        std::vector<WorldAabb> fat(defs.size());
        std::size_t events = 0;
        for (int frame = 0; frame < large_frames; ++frame) {
            CAPTURE(frame);
            for (ProxyIndex p = 0; p < defs.size(); ++p) {
                if (p % static_cast<ProxyIndex>(c.move_one_in) == 0) {
                    WorldAabb& box = defs[p].box;
                    box = moved_by(box, velocities[p]);
                    b.move(p, box, velocities[p]);
                }
                fat[p] = b.fat_box(p);
            }
            b.update();
            now = swept_pairs(fat);
            begun.clear();
            ended.clear();
            std::set_difference(now.begin(), now.end(), before.begin(), before.end(), std::back_inserter(begun));
            std::set_difference(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(ended));
            REQUIRE(same_elements(b.begun(), begun));
            REQUIRE(same_elements(b.ended(), ended));
            events += begun.size() + ended.size();
            before.swap(now);
        }
        CHECK(before.size() > 2000);
        CHECK(events > 50 * large_frames);
    }
}
