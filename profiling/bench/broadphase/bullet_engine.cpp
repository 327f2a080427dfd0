#include "profiling/bench/broadphase/bullet_engine.h"

#include "profiling/bench/measure.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <LinearMath/btAlignedAllocator.h>

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace talus::profiling {

namespace {

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

    BulletRay(const Segment& segment, std::span<const WorldAabb> boxes, bool closest) : hits{segment, boxes, closest} {
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
            const WorldAabb extent = world.extent();
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
            const WorldAabb& box = world.boxes[i];
            proxies_.push_back(broadphase_->createProxy(to_bullet(box.lower), to_bullet(box.upper), 0,
                                                        reinterpret_cast<void*>(static_cast<std::uintptr_t>(i)), 1, -1,
                                                        nullptr));
        }
        return true;
    }

    void step(const BoxWorld& world) override {
        account = &bytes_;
        for (const std::uint32_t i : world.movers) {
            const WorldAabb& box = world.boxes[i];
            broadphase_->setAabb(proxies_[i], to_bullet(box.lower), to_bullet(box.upper), nullptr);
        }
        broadphase_->calculateOverlappingPairs(nullptr);
    }

    double cast(const BoxWorld& world, std::span<const Segment> segments, bool closest) override {
        account = &bytes_;
        double sum = 0.0;
        for (const Segment& segment : segments) {
            BulletRay ray(segment, world.boxes, closest);
            broadphase_->rayTest(to_bullet(segment.origin), to_bullet(segment.origin + dvec3(segment.translation)),
                                 ray);
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

std::unique_ptr<BoxEngine> make_bullet_engine(EngineKind kind, const BoxWorld& world) {
    return std::make_unique<BulletEngine>(kind, world);
}

}  // namespace talus::profiling
