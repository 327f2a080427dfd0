#include "profiling/bench/broadphase/broadphase_engines.h"

#include "profiling/bench/broadphase/bullet_engine.h"

#include <talus/broadphase/broadphase.h>
#include <talus/thread_pool.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace talus::profiling {

namespace {

class TalusEngine final : public BoxEngine {
public:
    explicit TalusEngine(int threads) {
        if (threads > 1) pool_ = std::make_unique<ThreadPool>(threads);
    }

    bool add(const BoxWorld& world, std::size_t first, std::size_t last, double) override {
        defs_.clear();
        for (std::size_t i = first; i < last; ++i) {
            defs_.push_back(
                {.box = world.boxes[i], .user_data = static_cast<std::uint32_t>(i), .moving = world.moving(i)});
        }
        proxies_.resize(last);
        broadphase_.add(defs_, std::span(proxies_).subspan(first));
        return true;
    }

    void step(const BoxWorld& world) override {
        if (world.movers.size() == proxies_.size()) {
            const std::size_t count = proxies_.size();  // the world may have boxes that are yet to come
            broadphase_.move(proxies_, std::span(world.boxes).first(count), std::span(world.steps).first(count),
                             jobs());
        } else {
            for (const std::uint32_t i : world.movers) broadphase_.move(proxies_[i], world.boxes[i], world.steps[i]);
        }
        broadphase_.update(jobs());
    }

    /// Copies of all events since the last time they were cleared up: what began and did not end is a pair.
    void take_events() override {
        begun_.insert(begun_.end(), broadphase_.begun().begin(), broadphase_.begun().end());
        ended_.insert(ended_.end(), broadphase_.ended().begin(), broadphase_.ended().end());
        constexpr std::size_t many = 4'000'000;
        if (begun_.size() > many) clear_up();
    }

    void sleep() override {
        for (const ProxyIndex proxy : proxies_) broadphase_.set_moving(proxy, false);
    }

    double cast(const BoxWorld& world, std::span<const Segment> segments, bool closest) override {
        double sum = 0.0;
        for (const Segment& segment : segments) {
            RayHits hits{segment, world.boxes, closest};
            broadphase_.ray_cast(segment.origin, segment.translation, [&](std::uint32_t box, float) {
                hits.add(box);
                return hits.first;
            });
            sum += hits.result();
        }
        return sum;
    }

    double cast_batch(const BoxWorld&, std::span<const Segment> segments) override {
        casts_.clear();
        for (const Segment& segment : segments) casts_.push_back({segment.origin, segment.translation});
        double sum = 0.0;
        broadphase_.cast(casts_, [&](std::size_t, std::uint32_t, float max_fraction) {
            sum += 1.0;
            return max_fraction;
        });
        return sum;
    }

    std::size_t pair_count() const override { return broadphase_.pair_count(); }

    /// An impossible number when the events do not add up to the pairs.
    std::size_t overlapping_pairs(const BoxWorld& world) override {
        clear_up();
        if (!ended_.empty() || begun_.size() != broadphase_.pair_count())
            return std::numeric_limits<std::size_t>::max();
        return static_cast<std::size_t>(std::count_if(begun_.begin(), begun_.end(), [&](const ProxyPair& pair) {
            return overlaps(world.boxes[broadphase_.user_data(pair.a)], world.boxes[broadphase_.user_data(pair.b)]);
        }));
    }

    std::size_t bytes() const override { return broadphase_.bytes(); }

private:
    Jobs jobs() { return pool_ ? pool_->jobs() : Jobs{}; }

    void clear_up() {
        std::sort(begun_.begin(), begun_.end());
        std::sort(ended_.begin(), ended_.end());
        std::vector<ProxyPair> left, never_begun;
        std::set_difference(begun_.begin(), begun_.end(), ended_.begin(), ended_.end(), std::back_inserter(left));
        std::set_difference(ended_.begin(), ended_.end(), begun_.begin(), begun_.end(),
                            std::back_inserter(never_begun));
        begun_ = std::move(left);
        ended_ = std::move(never_begun);
    }

    std::unique_ptr<ThreadPool> pool_;
    Broadphase broadphase_;
    std::vector<ProxyIndex> proxies_;  ///< by box
    std::vector<ProxyDef> defs_;
    std::vector<BoxCast> casts_;
    std::vector<ProxyPair> begun_, ended_;
};

}  // namespace

std::unique_ptr<BoxEngine> make_engine(EngineKind kind, const BoxWorld& world) {
    if (kind == EngineKind::talus) return std::make_unique<TalusEngine>(1);
    if (kind == EngineKind::talus_two_threads) return std::make_unique<TalusEngine>(2);
    return make_bullet_engine(kind, world);
}

}  // namespace talus::profiling
