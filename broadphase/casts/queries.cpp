#include "broadphase/casts/queries.h"

#include "broadphase/casts/box_tree.h"
#include "broadphase/casts/cast_ray.h"
#include "broadphase/casts/column_cast.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

namespace talus::detail {

namespace {

/// Working memory of a query. What ended queries have used is kept for later ones, in one of a few places that follow from
/// the thread, so that threads seldom meet. A query takes it out, because a visitor may start another query. On a host with
/// fibers, a visitor may also return on another thread, which then keeps the memory.
///
/// Not in an object that is thread_local: in g++ for Windows, the destructor of such an object runs when the thread's memory
/// is gone already.
class Lease {
public:
    struct Memory {
        CastScratch cast;
        BoxTree tree;
        std::vector<ProxyIndex> ids;
        struct Near {
            float distance;
            ProxyIndex id;
            friend auto operator<=>(const Near&, const Near&) = default;
        };
        std::vector<Near> near;
    };
    Lease() : memory_(take()) {
        if (!memory_) memory_ = std::make_unique<Memory>();
    }
    ~Lease() { keep(std::move(memory_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Memory* operator->() const { return memory_.get(); }

private:
    static constexpr std::size_t nested = 4;  // so many queries within each other allocate nothing
    /// Null: free. Threads begin at places of their own and try the next ones.
    struct Places {
        std::array<std::atomic<Memory*>, 64> all{};
        ~Places() {
            for (auto& place : all) delete place.exchange(nullptr);
        }
        template <class F>
        void try_some(F f) {
            const std::size_t first = std::hash<std::thread::id>()(std::this_thread::get_id());
            for (std::size_t i = 0; i < nested && !f(all[(first + i) % all.size()]); ++i) {}
        }
    };

    static std::unique_ptr<Memory> take() {
        Memory* taken = nullptr;
        places_.try_some([&](std::atomic<Memory*>& place) {
            if (place.load(std::memory_order_relaxed) != nullptr) taken = place.exchange(nullptr);
            return taken != nullptr;
        });
        return std::unique_ptr<Memory>(taken);
    }
    static void keep(std::unique_ptr<Memory> memory) {
        places_.try_some([&](std::atomic<Memory*>& place) {
            Memory* expected = nullptr;
            if (!place.compare_exchange_strong(expected, memory.get())) return false;
            static_cast<void>(memory.release());  // it is the place's now
            return true;
        });
    }

    static Places places_;
    std::unique_ptr<Memory> memory_;
};
Lease::Places Lease::places_;

constexpr float largest_float = std::numeric_limits<float>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

dvec3 clamped(const dvec3& v) {
    const dvec3 limit(std::numeric_limits<double>::max());
    return glm::clamp(v, -limit, limit);
}

// With at least one cast per this many boxes, building a tree costs less than it saves, even if each cast ends at its
// first hit. Long casts without a hit would need only a quarter as many.
constexpr std::size_t boxes_per_cast = 4;

}  // namespace

// Finds every proxy whose box overlaps, once each, in ascending order.
void Queries::find_all(const WorldAabb& box, FoundProxies& found, std::vector<ProxyIndex>& ids) const {
    ids.clear();
    const WorldLanes asked = lanes_of(box);
    const auto meets = [&](ProxyIndex p) { return detail::overlaps(asked, proxies.box(p)); };
    const auto collect = [&](const ColumnGrid& grid, Home home) {
        found.count = 0;
        grid.find(box, found);
        for (const ProxyIndex p : found.ids()) {
            if (proxies.flags(p).home == home && meets(p)) ids.push_back(p);
        }
    };
    collect(grids.settled(), Home::settled);
    collect(grids.restless(), Home::restless);
    for (const ProxyIndex p : proxies.pending()) {
        if (proxies.flags(p).home == Home::pending && meets(p)) ids.push_back(p);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

void Queries::overlaps(const WorldAabb& box, FunctionRef<void(std::uint32_t)> visit) const {
    if (!glm::all(glm::lessThanEqual(box.lower, box.upper))) return;  // also for NaN
    const Lease memory;
    find_all({clamped(box.lower), clamped(box.upper)}, memory->cast.found, memory->ids);
    for (const ProxyIndex p : memory->ids) visit(proxies.user_data(p));
}

void Queries::cast(const BoxCast& asked, FunctionRef<float(std::uint32_t, float)> visit) const {
    if (!is_valid(asked)) return;
    const Lease memory;
    BoxCast cast = asked;
    const auto through = [&](const ColumnGrid& grid, Home home) {
        const auto visit_member = [&](ProxyIndex p, float max_fraction) {
            return proxies.flags(p).home == home ? visit(proxies.user_data(p), max_fraction) : max_fraction;
        };
        cast_through(grid, cast, proxies.boxes(), visit_member, memory->cast);
    };
    through(grids.settled(), Home::settled);
    through(grids.restless(), Home::restless);
    const CastRay ray(cast);
    for (const ProxyIndex p : proxies.pending()) {
        if (proxies.flags(p).home != Home::pending) continue;
        if (ray.clip({0.0, double{cast.max_fraction}}, proxies.box(p)).empty()) continue;
        cast.max_fraction = std::min(cast.max_fraction, visit(proxies.user_data(p), cast.max_fraction));
    }
}

void Queries::cast(std::span<const BoxCast> casts, FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const {
    if (casts.size() * boxes_per_cast < proxies.count()) {
        for (std::size_t i = 0; i < casts.size(); ++i)
            cast(casts[i],
                 [&](std::uint32_t user_data, float max_fraction) { return visit(i, user_data, max_fraction); });
        return;
    }
    const Lease memory;
    memory->tree.clear();
    for (ProxyIndex p = 0; p < proxies.size(); ++p) {
        if (proxies.exists(p)) memory->tree.add(p);
    }
    memory->tree.build(proxies.boxes());
    for (std::size_t i = 0; i < casts.size(); ++i) {
        if (!is_valid(casts[i])) continue;
        BoxCast cast = casts[i];
        memory->tree.cast(cast, proxies.boxes(), [&](ProxyIndex p, float max_fraction) {
            return visit(i, proxies.user_data(p), max_fraction);
        });
    }
}

// Searches larger and larger cubes around the point. A cube contains all boxes that are not farther than half its edge.
void Queries::nearest(const dvec3& point, float max_distance,
                      FunctionRef<float(std::uint32_t, float, float)> visit) const {
    if (!is_finite(point) || !(max_distance >= 0.0f) || proxies.count() == 0) return;
    const Lease memory;
    WorldAabb world{point, point};
    bool any = false;
    const auto include = [&](const WorldAabb& box) {
        world = any ? merge(world, box) : box;
        any = true;
    };
    if (grids.settled().member_count() > 0) include(grids.settled().bounds());
    if (grids.restless().member_count() > 0) include(grids.restless().bounds());
    for (const ProxyIndex p : proxies.pending()) {
        if (proxies.flags(p).home == Home::pending) include(proxies.box(p));
    }
    const float diagonal = distance_to(WorldAabb{world.upper, world.upper}, world.lower);
    constexpr double rounding = 1e-6;     // relative, larger than that of a distance
    constexpr double at_corners = 1e-15;  // relative, larger than that of the corners of the cube
    // No box is farther, even if rounding made its distance larger. (Without the factor, a query from a distance of
    // 1,400 km missed 58 of 63 boxes of 20 um.)
    const float furthest =
        std::min(max_distance, (2.0f * diagonal + distance_to(world, point)) * static_cast<float>(1.0 + rounding));
    // The first cube reaches into the world by about as much as the boxes are large. What is added doubles with each cube,
    // so a small first cube costs little. Neither may depend on the world's size: a single box may be far away from a
    // crowd, and the crowd may be far from the point.
    float growth = std::max(1e-12f * furthest, std::numeric_limits<float>::min());
    for (const ColumnGrid* grid : {&grids.settled(), &grids.restless()}) {
        if (grid->member_count() > 0) growth = std::max(growth, grid->common_reach());
    }
    float radius = distance_to(world, point) + growth;
    float done = -1.0f;  // boxes up to this far have been visited
    float limit = max_distance;
    while (true) {
        radius = std::min(radius, furthest);
        // A distance beyond the largest float counts as that.
        const double wide = radius < largest_float ? double{radius} * (1.0 + rounding) : infinity;
        const dvec3 reach = dvec3(wide) + at_corners * talus::absolute(point);
        find_all({clamped(point - reach), clamped(point + reach)}, memory->cast.found, memory->ids);
        memory->near.clear();
        for (const ProxyIndex p : memory->ids) {
            const float distance = distance_to(proxies.box(p), point);
            if (distance > done && distance <= radius) memory->near.push_back({distance, p});
        }
        std::sort(memory->near.begin(), memory->near.end());
        for (const Lease::Memory::Near& near : memory->near) {
            if (!(near.distance <= limit)) return;
            limit = std::min(limit, visit(proxies.user_data(near.id), near.distance, limit));
        }
        if (radius >= furthest || radius >= limit) return;
        done = radius;
        growth *= 2.0f;
        radius += growth;
    }
}

}  // namespace talus::detail
