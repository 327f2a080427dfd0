#include "tests/broadphase/brute_force.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace talus::fuzz {

namespace {

using test::PairOracle;

constexpr std::size_t most_proxies = 96;  // three times what a grid puts into one cell without looking
constexpr int most_updates = 200;
constexpr float largest_float = std::numeric_limits<float>::max();
constexpr double largest_double = std::numeric_limits<double>::max();

// A broadphase, a copy that is fed the same calls, and the oracle.
class Life {
public:
    explicit Life(Input input) : bytes_(input) {}

    std::string run() {
        scale_ = bytes_.size();
        const int place = bytes_.byte();
        if ((place & 1) != 0) place_ = std::exp2(place / 8) * dvec3(1, 0, (place & 2) == 0 ? 0 : -1);
        while (!bytes_.empty() && complaint_.empty() && updates_ < most_updates) act();
        update();
        return complaint_;
    }

private:
    void act() {
        switch (bytes_.below(16)) {
            case 0:
            case 1:
                add(1);
                break;
            case 2:
                add(1 + bytes_.byte() % 64);
                break;
            case 3:
                remove();
                break;
            case 4:
            case 5:
                move();
                break;
            case 6:
                move_many();
                break;
            case 7:
                set_moving();
                break;
            case 8:
                set_filter();
                break;
            case 9:
                each([](Broadphase& b) { b.refresh(); });
                break;
            case 10:
            case 11:
                update();
                break;
            case 12:
                query();
                break;
            case 13:
                cast();
                break;
            case 14:
                nearest();
                break;
            default:
                copy();
                break;
        }
    }

    template <class Call>
    void each(Call&& call) {
        call(broadphase_);
        if (copy_) call(*copy_);
    }
    void complain(const char* what) {
        if (complaint_.empty()) complaint_ = what;
    }

    float number() { return std::clamp(bytes_.coordinate(scale_), -largest_float, largest_float); }
    dvec3 point() { return place_ + dvec3(vec3{number(), number(), number()}); }
    // Any box: of any size, at any place, now and then at the ends of the number lines of float and double.
    WorldAabb box() {
        const int kind = bytes_.byte();
        const dvec3 centre = point();
        vec3 half(0.5f * scale_);
        if ((kind & 3) == 1) half = vec3{bytes_.size(), bytes_.size(), bytes_.size()};
        if ((kind & 3) == 2) half = vec3(0.0f);
        if ((kind & 3) == 3) half[kind >> 2 & 1] = bytes_.size();
        if (kind >= 252) half = vec3(1e38f);
        const double far = kind >= 248 ? 1e32 : kind >= 244 ? 1e302 : 1.0;
        const dvec3 limit(largest_double), lower = centre - dvec3(half), upper = centre + dvec3(half);
        return {glm::clamp(far * lower, -limit, limit), glm::clamp(far * upper, -limit, limit)};
    }
    Filter filter() {
        const int kind = bytes_.byte();
        Filter f;
        if ((kind & 1) != 0) f.category = 1u << (kind >> 1 & 3), f.mask = static_cast<std::uint32_t>(kind >> 3);
        if ((kind & 6) == 6) f.group = kind % 5 - 2;
        return f;
    }
    // One that is alive, if any.
    std::optional<ProxyIndex> pick() {
        if (alive_.empty()) return std::nullopt;
        return alive_[static_cast<std::size_t>(bytes_.byte()) % alive_.size()];
    }

    void add(int count) {
        std::vector<ProxyDef> defs;
        const ProxyDef first{box(), static_cast<std::uint32_t>(proxy_of_.size()), filter(), bytes_.below(4) != 0};
        for (int i = 0; i < count && alive_.size() + defs.size() < most_proxies; ++i) {
            ProxyDef def = first;  // a burst at one spot, or a row
            if (count > 1 && (count & 1) != 0) {
                const dvec3 away = static_cast<double>(i) * (first.box.upper - first.box.lower);
                const WorldAabb moved{first.box.lower + away, first.box.upper + away};
                if (is_finite(moved.lower) && is_finite(moved.upper)) def.box = moved;
            }
            def.user_data = static_cast<std::uint32_t>(proxy_of_.size() + defs.size());
            defs.push_back(def);
        }
        std::vector<ProxyIndex> indices(defs.size());
        each([&](Broadphase& b) { b.add(defs, indices); });
        for (std::size_t i = 0; i < defs.size(); ++i) {
            const ProxyIndex p = indices[i];
            if (p > oracle_.proxies.size()) return complain("an index beyond the lowest free one");
            if (p == oracle_.proxies.size()) oracle_.proxies.emplace_back();
            if (oracle_.proxies[p].alive) return complain("an index that is in use");
            oracle_.proxies[p] = {true, defs[i].moving, defs[i].filter, broadphase_.fat_box(p)};
            alive_.push_back(p);
            proxy_of_.push_back(p);
            if (!contains(broadphase_.fat_box(p), defs[i].box)) complain("a fat box without the tight one");
        }
    }
    void remove() {
        const std::optional<ProxyIndex> p = pick();
        if (!p) return;
        const int more = bytes_.below(4) == 0 ? bytes_.byte() % 32 : 0;
        for (int i = 0; i <= more && !alive_.empty(); ++i) {
            const ProxyIndex q = i == 0 ? *p : alive_.back();
            each([&](Broadphase& b) { b.remove(q); });
            oracle_.proxies[q].alive = false;
            std::erase(alive_, q);
        }
    }
    void move(ProxyIndex p, const WorldAabb& tight, const vec3& displacement) {
        each([&](Broadphase& b) { b.move(p, tight, displacement); });
        oracle_.proxies[p].box = broadphase_.fat_box(p);
        if (!contains(broadphase_.fat_box(p), tight)) complain("a fat box without the tight one");
    }
    void move() {
        const std::optional<ProxyIndex> p = pick();
        if (!p) return;
        if (bytes_.below(2) == 0) return move(*p, box(), vec3(0.0f));  // a teleport
        nudge(*p, {number(), number(), number()});
    }
    void nudge(ProxyIndex p, const vec3& step) {
        const WorldAabb& before = broadphase_.fat_box(p);
        const WorldAabb after{before.lower + dvec3(0.1f * step), before.upper + dvec3(0.1f * step)};
        if (is_finite(after.lower) && is_finite(after.upper)) move(p, after, 0.1f * step);
    }
    // All along, or every so many, a few times: what stays in its place settles.
    void move_many() {
        const int stride = 1 + bytes_.below(16), times = 1 + bytes_.byte() % 40;
        const vec3 step{number(), number(), number()};
        for (int i = 0; i < times; ++i) {
            for (std::size_t k = 0; k < alive_.size(); k += static_cast<std::size_t>(stride)) nudge(alive_[k], step);
            update();
        }
    }
    void set_moving() {
        const std::optional<ProxyIndex> p = pick();
        if (!p) return;
        const bool moving = bytes_.below(2) == 0;
        each([&](Broadphase& b) { b.set_moving(*p, moving); });
        oracle_.proxies[*p].moving = moving;
    }
    void set_filter() {
        const std::optional<ProxyIndex> p = pick();
        if (!p) return;
        const Filter f = filter();
        each([&](Broadphase& b) { b.set_filter(*p, f); });
        oracle_.proxies[*p].filter = f;
    }
    void copy() {
        copy_ = broadphase_;
        if (bytes_.below(4) == 0) broadphase_ = *copy_;
    }

    void update() {
        ++updates_;
        each([](Broadphase& b) { b.update(); });
        oracle_.update();
        const auto compare = [&](const Broadphase& b) {
            if (!std::ranges::equal(b.ended(), oracle_.ended)) complain("other pairs ended than by the definition");
            if (!std::ranges::equal(b.begun(), oracle_.begun)) complain("other pairs began than by the definition");
            if (b.pair_count() != oracle_.pair_count()) complain("a wrong number of pairs");
            if (b.proxy_count() != alive_.size()) complain("a wrong number of proxies");
        };
        compare(broadphase_);
        if (copy_) compare(*copy_);
    }

    void query() {
        const WorldAabb asked = box();
        std::vector<ProxyIndex> expected, got;
        for (ProxyIndex p = 0; p < oracle_.proxies.size(); ++p) {
            if (oracle_.proxies[p].alive && overlaps(broadphase_.fat_box(p), asked)) expected.push_back(p);
        }
        broadphase_.query(asked, [&](std::uint32_t user_data) { got.push_back(proxy_of_[user_data]); });
        if (got != expected) complain("a query found other boxes than a loop");
    }
    void cast() {
        const WorldAabb from = box(), to = box();
        const auto as_floats = [](const dvec3& v) {
            return glm::clamp(v, dvec3(-largest_float), dvec3(largest_float));
        };
        BoxCast cast{from.lower, as_floats(0.5 * to.lower - 0.5 * from.lower)};
        const int kind = bytes_.byte();
        if ((kind & 1) != 0) cast.half = as_floats(0.5 * from.upper - 0.5 * from.lower);
        if ((kind & 2) != 0) cast.translation[kind % 3] = 0.0f;
        if ((kind & 12) == 12) cast.translation = vec3(0.0f);
        if ((kind & 48) == 48) cast.max_fraction = static_cast<float>(bytes_.unit());
        const bool clips = kind >= 128;
        std::vector<int> visits(oracle_.proxies.size());
        float max = cast.max_fraction;
        broadphase_.cast(cast, [&](std::uint32_t user_data, float told) {
            if (told != max) complain("a cast tells another fraction than the last answer");
            ++visits[proxy_of_[user_data]];
            if (clips) max = std::min(max, 0.75f * max);
            return max;
        });
        BoxCast left = cast;
        left.max_fraction = max;
        for (ProxyIndex p = 0; p < oracle_.proxies.size(); ++p) {
            const bool alive = oracle_.proxies[p].alive;
            if (visits[p] > 1) complain("a cast visits a box twice");
            if (visits[p] == 0 && alive && test::surely_enters(left, broadphase_.fat_box(p)))
                complain("a cast passes over a box");
            if (visits[p] > 0 && !(alive && test::may_enter(cast, broadphase_.fat_box(p))))
                complain("a cast visits a box that it misses");
        }
    }
    void nearest() {
        const dvec3 point = this->point();
        const float max = bytes_.below(2) == 0 ? std::numeric_limits<float>::infinity() : std::abs(number());
        const std::size_t most = bytes_.below(2) == 0 ? most_proxies : 1 + bytes_.byte() % 8;
        std::vector<std::pair<float, ProxyIndex>> got;
        broadphase_.nearest(point, max, [&](std::uint32_t user_data, float distance, float told) {
            got.push_back({distance, proxy_of_[user_data]});
            return got.size() == most ? -1.0f : told;
        });
        if (!std::ranges::is_sorted(got) || std::ranges::adjacent_find(got) != got.end())
            complain("the nearest are not in order");
        std::vector<long double> distances;
        for (const ProxyIndex p : alive_) distances.push_back(test::exact_distance_to(broadphase_.fat_box(p), point));
        std::ranges::sort(distances);
        const auto within = [&](long double d) { return std::ranges::upper_bound(distances, d) - distances.begin(); };
        const long double limit = max;
        if (static_cast<std::ptrdiff_t>(got.size()) <
                std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(most), within(limit * (1.0L - 1e-6L))) ||
            static_cast<std::ptrdiff_t>(got.size()) > within(limit * (1.0L + 1e-6L)))
            return complain("a wrong number of nearest boxes");
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (std::abs(got[i].first - std::min(distances[i], static_cast<long double>(largest_float))) >
                1e-7L * distances[i] + 1e-44L)
                complain("a wrong distance, or another box than the nearest");
        }
    }

    Bytes bytes_;
    float scale_ = 1.0f;
    dvec3 place_{0.0};
    int updates_ = 0;
    Broadphase broadphase_;
    std::optional<Broadphase> copy_;
    PairOracle oracle_;
    std::vector<ProxyIndex> alive_;
    std::vector<ProxyIndex> proxy_of_;  // by user data
    std::string complaint_;
};

}  // namespace

std::string fuzz_broadphase(Input input) { return Life(input).run(); }

}  // namespace talus::fuzz
