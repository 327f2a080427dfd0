#include "profiling/bench/broadphase/broadphase_engines.h"

#include "profiling/bench/measure.h"

#include <talus/broadphase/broadphase.h>
#include <talus/thread_pool.h>

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAlignedAllocator.h>

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

namespace talus::profiling {

namespace {

// ---- Talus ----------------------------------------------------------------------------------------------------------

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
            broadphase_.move(proxies_, world.boxes, world.steps, jobs());
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

// ---- Bullet ---------------------------------------------------------------------------------------------------------

/// Bullet's allocator is one for all, so whoever calls it says first whose memory it is.
std::size_t* account = nullptr;

void* counted_alloc(std::size_t size, int alignment) {
    const auto step = static_cast<std::size_t>(alignment);
    void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    *account += malloc_usable_size(memory);
    return memory;
}

void counted_free(void* memory) {
    *account -= malloc_usable_size(memory);
    std::free(memory);
}

btVector3 to_bullet(const vec3& v) { return {v.x, v.y, v.z}; }

std::size_t box_of(const btBroadphaseProxy* proxy) {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(proxy->m_clientObject));
}

struct BulletRay : btBroadphaseRayCallback {
    RayHits hits;

    BulletRay(const Segment& segment, std::span<const Aabb> boxes, bool closest) : hits{segment, boxes, closest} {
        m_rayDirectionInverse = to_bullet(segment.inverse);
        for (int axis = 0; axis < 3; ++axis) m_signs[axis] = m_rayDirectionInverse[axis] < 0.0f;
        m_lambda_max = 1.0f;
    }
    bool process(const btBroadphaseProxy* proxy) override {
        hits.add(box_of(proxy));
        return true;
    }
};

class BulletEngine final : public BoxEngine {
public:
    BulletEngine(EngineKind kind, const BoxWorld& world) : is_sap_(kind == EngineKind::sap) {
        btAlignedAllocSetCustomAligned(counted_alloc, counted_free);
        account = &bytes_;
        if (is_sap_) {
            const Aabb extent = world.extent();
            // Without its second tree for rays, which nobody asks here: that only costs.
            broadphase_ =
                std::make_unique<bt32BitAxisSweep3>(to_bullet(extent.lower), to_bullet(extent.upper),
                                                    static_cast<unsigned>(world.boxes.size()) + 1u, nullptr, true);
        } else {
            auto tree = std::make_unique<btDbvtBroadphase>();
            tree->m_deferedcollide = kind == EngineKind::dbvt_deferred;
            broadphase_ = std::move(tree);
        }
    }

    ~BulletEngine() override {
        account = &bytes_;
        broadphase_.reset();
        // The tree leaves its proxies to destroyProxy(), which looks through all pairs for each of them.
        if (!is_sap_) {
            for (btBroadphaseProxy* proxy : proxies_) btAlignedFree(proxy);
        }
    }
    BulletEngine(const BulletEngine&) = delete;
    BulletEngine& operator=(const BulletEngine&) = delete;

    bool add(const BoxWorld& world, std::size_t first, std::size_t last, double patience) override {
        account = &bytes_;
        const double start = thread_cpu_ns();
        for (std::size_t i = first; i < last; ++i) {
            constexpr std::size_t chunk = 64;  // so many between two looks at the clock
            if (i % chunk == 0 && thread_cpu_ns() - start > 1e9 * patience) return false;
            const Aabb& box = world.boxes[i];
            proxies_.push_back(broadphase_->createProxy(to_bullet(box.lower), to_bullet(box.upper), 0,
                                                        reinterpret_cast<void*>(static_cast<std::uintptr_t>(i)), 1, -1,
                                                        nullptr));
        }
        return true;
    }

    void step(const BoxWorld& world) override {
        account = &bytes_;
        for (const std::uint32_t i : world.movers) {
            const Aabb& box = world.boxes[i];
            broadphase_->setAabb(proxies_[i], to_bullet(box.lower), to_bullet(box.upper), nullptr);
        }
        broadphase_->calculateOverlappingPairs(nullptr);
    }

    double cast(const BoxWorld& world, std::span<const Segment> segments, bool closest) override {
        account = &bytes_;
        double sum = 0.0;
        for (const Segment& segment : segments) {
            BulletRay ray(segment, world.boxes, closest);
            broadphase_->rayTest(to_bullet(segment.origin), to_bullet(segment.origin + segment.translation), ray);
            sum += ray.hits.result();
        }
        return sum;
    }

    std::size_t pair_count() const override {
        return static_cast<std::size_t>(broadphase_->getOverlappingPairCache()->getNumOverlappingPairs());
    }

    std::size_t overlapping_pairs(const BoxWorld& world) override {
        const btBroadphasePairArray& pairs = broadphase_->getOverlappingPairCache()->getOverlappingPairArray();
        std::size_t count = 0;
        for (int i = 0; i < pairs.size(); ++i) {
            count += overlaps(world.boxes[box_of(pairs[i].m_pProxy0)], world.boxes[box_of(pairs[i].m_pProxy1)]);
        }
        return count;
    }

    std::size_t bytes() const override { return bytes_; }

private:
    bool is_sap_;
    std::size_t bytes_ = 0;
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    std::vector<btBroadphaseProxy*> proxies_;  ///< by box
};

}  // namespace

std::unique_ptr<BoxEngine> make_engine(EngineKind kind, const BoxWorld& world) {
    if (kind == EngineKind::talus) return std::make_unique<TalusEngine>(1);
    if (kind == EngineKind::talus_two_threads) return std::make_unique<TalusEngine>(2);
    return std::make_unique<BulletEngine>(kind, world);
}

}  // namespace talus::profiling
