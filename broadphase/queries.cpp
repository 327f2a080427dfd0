/// The broadphase's questions: overlaps, casts, the nearest.

#include <talus/broadphase/broadphase.h>
#include "broadphase/box_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace talus {

namespace {

/// Working memory of a question. A thread keeps what it has used, one for each depth: a visit may ask again.
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
    Lease() {
        if (depth_ == kept_.size()) kept_.push_back(std::make_unique<Memory>());
        memory_ = kept_[depth_++].get();
    }
    ~Lease() { --depth_; }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Memory* operator->() const { return memory_; }

private:
    static thread_local std::vector<std::unique_ptr<Memory>> kept_;
    static thread_local std::size_t depth_;
    Memory* memory_;
};
thread_local std::vector<std::unique_ptr<Lease::Memory>> Lease::kept_;
thread_local std::size_t Lease::depth_ = 0;

constexpr float largest_float = std::numeric_limits<float>::max();

vec3 clamped(const vec3& v) { return glm::clamp(v, vec3(-largest_float), vec3(largest_float)); }

bool has_meaning(const BoxCast& cast) {
    return is_finite(cast.center) && is_finite(cast.translation) && is_finite(cast.half) &&
           is_finite(cast.max_fraction) && glm::all(glm::greaterThanEqual(cast.half, vec3(0.0f)));
}

// Casts that are at least one for so many boxes gain by a tree what it takes to build, even if each ends at its first
// hit; long ones that end at none, four times as few.
constexpr std::size_t boxes_per_cast = 4;

}  // namespace

// Every proxy whose box overlaps, once each, in no order.
void Broadphase::find_all(const Aabb& box, FoundProxies& found, std::vector<ProxyIndex>& ids) const {
    ids.clear();
    const auto collect = [&](const ColumnGrid& grid, Home home) {
        found.count = 0;
        grid.find(box, found);
        for (const ProxyIndex p : found.ids()) {
            if (flags_[p].home == home) ids.push_back(p);
        }
    };
    collect(settled_, Home::settled);
    collect(restless_, Home::restless);
    for (const ProxyIndex p : pending_) {
        if (flags_[p].home == Home::pending && overlaps(boxes_[p], box)) ids.push_back(p);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

void Broadphase::for_each_overlap(const Aabb& box, FunctionRef<void(std::uint32_t)> visit) const {
    if (!glm::all(glm::lessThanEqual(box.lower, box.upper))) return;  // NaN lands here too
    const Lease memory;
    find_all({clamped(box.lower), clamped(box.upper)}, memory->cast.found, memory->ids);
    for (const ProxyIndex p : memory->ids) visit(proxies_[p].user_data);
}

void Broadphase::run_cast(const BoxCast& asked, FunctionRef<float(std::uint32_t, float)> visit) const {
    if (!has_meaning(asked)) return;
    const Lease memory;
    BoxCast cast = asked;
    const auto through = [&](const ColumnGrid& grid, Home home) {
        const auto visit_member = [&](ProxyIndex p, float max_fraction) {
            return flags_[p].home == home ? visit(proxies_[p].user_data, max_fraction) : max_fraction;
        };
        grid.cast(cast, boxes_, visit_member, memory->cast);
    };
    through(settled_, Home::settled);
    through(restless_, Home::restless);
    for (const ProxyIndex p : pending_) {
        if (flags_[p].home != Home::pending || enter_fraction(cast, boxes_[p]) < 0.0) continue;
        cast.max_fraction = std::min(cast.max_fraction, visit(proxies_[p].user_data, cast.max_fraction));
    }
}

void Broadphase::run_casts(std::span<const BoxCast> casts,
                           FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const {
    if (casts.size() * boxes_per_cast < proxy_count_) {
        for (std::size_t i = 0; i < casts.size(); ++i)
            run_cast(casts[i],
                     [&](std::uint32_t user_data, float max_fraction) { return visit(i, user_data, max_fraction); });
        return;
    }
    const Lease memory;
    memory->tree.clear();
    for (ProxyIndex p = 0; p < flags_.size(); ++p) {
        if (flags_[p].home != Home::none) memory->tree.add(p, boxes_[p]);
    }
    memory->tree.build(boxes_);
    for (std::size_t i = 0; i < casts.size(); ++i) {
        if (!has_meaning(casts[i])) continue;
        BoxCast cast = casts[i];
        memory->tree.cast(
            cast, [&](ProxyIndex p, float max_fraction) { return visit(i, proxies_[p].user_data, max_fraction); });
    }
}

// Looks into larger and larger cubes around the point; a cube knows all that is not further than half its edge.
void Broadphase::run_nearest(const vec3& point, float max_distance,
                             FunctionRef<float(std::uint32_t, float, float)> visit) const {
    if (!is_finite(point) || !(max_distance >= 0.0f) || proxy_count_ == 0) return;
    const Lease memory;
    Aabb world{point, point};
    bool any = false;
    const auto include = [&](const Aabb& box) {
        world = any ? merge(world, box) : box;
        any = true;
    };
    if (settled_.member_count() > 0) include(settled_.bounds());
    if (restless_.member_count() > 0) include(restless_.bounds());
    for (const ProxyIndex p : pending_) {
        if (flags_[p].home == Home::pending) include(boxes_[p]);
    }
    const float furthest =
        std::min(max_distance, 2.0f * distance_to({world.upper, world.upper}, world.lower) + distance_to(world, point));
    // The first cube: about as large as the boxes are. It doubles, so starting small costs little, while one that goes
    // by the whole world would be as large as what a single stray box makes of it.
    float radius = 1e-6f * furthest;
    for (const ColumnGrid* grid : {&settled_, &restless_}) {
        if (grid->member_count() > 0) radius = std::max(radius, grid->common_reach());
    }
    radius = std::max({radius, distance_to(world, point), std::numeric_limits<float>::min()});
    constexpr float rounding = 1e-6f;  // relative, above what float loses in the corners of the cube
    float done = -1.0f;                // boxes up to this far have been visited
    float limit = max_distance;
    while (true) {
        radius = std::min(radius, furthest);
        const vec3 reach = vec3(radius) + rounding * (vec3(radius) + glm::abs(point));
        find_all({clamped(point - reach), clamped(point + reach)}, memory->cast.found, memory->ids);
        memory->near.clear();
        for (const ProxyIndex p : memory->ids) {
            const float distance = distance_to(boxes_[p], point);
            if (distance > done && distance <= radius) memory->near.push_back({distance, p});
        }
        std::sort(memory->near.begin(), memory->near.end());
        for (const Lease::Memory::Near& near : memory->near) {
            if (!(near.distance <= limit)) return;
            limit = std::min(limit, visit(proxies_[near.id].user_data, near.distance, limit));
        }
        if (radius >= furthest || radius >= limit) return;
        done = radius;
        radius *= 2.0f;
    }
}

}  // namespace talus
