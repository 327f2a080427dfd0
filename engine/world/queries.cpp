/// World's queries: casts, overlaps, the nearest bodies.
///
/// The broadphase's boxes are fat, and how fat depends on earlier motion. So each shape that the broadphase finds is
/// tested with its tight box before the narrowphase tests it: a query that misses the tight box misses the shape, and a
/// cast cannot hit the shape before it hits the box. Many shapes never reach the narrowphase, and answers have the same
/// bits whatever happened before. The reason: if the broadphase leaves a shape out because its fat box is farther than
/// the best answer so far, its tight box is at least as far, so the shape would give neither a better nor an equal
/// answer.

#include "engine/world/queries.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace talus {

namespace {

/// Calls visit(pool index) for each shape of the body that the filter lets through, until visit returns false.
template <class State, class Visit>
void for_each_shape(const State& s, std::uint32_t slot, const Filter& filter, Visit visit) {
    const Body& body = s.bodies[slot];
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const ShapeDef& def = s.shapes.defs[i];
        if (!def.sensor && should_collide(filter, def.filter) && !visit(i)) return;
    }
}

/// Returns the query's answer for a shape. Its body is null if the query misses the shape.
template <class State, class Query>
auto meet(const State& s, const Query& query, std::uint32_t slot, std::uint32_t i) {
    const ShapeDef& def = s.shapes.defs[i];
    const BodyId body = s.bodies.id_of(slot);
    auto hit = def.mesh ? query.meet(*def.mesh, s.colliders.poses[i], body)
                        : query.meet(def.shape, s.colliders.poses[i], body);
    hit.shape = i - s.bodies[slot].first_shape;
    return hit;
}

/// The order of answers: the nearest first; if two are equally near, the lower body slot, then the lower shape.
struct Before {
    bool operator()(const CastHit& a, const CastHit& b) const {
        return std::tie(a.fraction, a.body.slot, a.shape) < std::tie(b.fraction, b.body.slot, b.shape);
    }
    bool operator()(const NearHit& a, const NearHit& b) const {
        return std::tie(a.distance, a.body.slot, a.shape) < std::tie(b.distance, b.body.slot, b.shape);
    }
};

// ---- casts ----------------------------------------------------------------------------------------------------------

/// Returns the smallest float that is at least x.
float round_up(double x) {
    const auto f = static_cast<float>(x);
    return double{f} < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// Calls on_hit(hit) for each shape that the cast hits at most at the fraction that on_hit returned last. The fraction
/// is 1 at first; a negative one stops the cast.
template <class State, class Query, class OnHit>
void for_each_hit(const State& s, const Query& query, const Filter& filter, OnHit on_hit) {
    BoxCast way = query.box_cast();
    s.proxies.broadphase().cast(way, [&](std::uint32_t slot, float max_fraction) {
        way.max_fraction = max_fraction;
        for_each_shape(s, slot, filter, [&](std::uint32_t i) {
            const double enter = enter_fraction(way, s.world_box(i));
            if (enter < 0.0) return true;
            CastHit hit = meet(s, query, slot, i);
            if (!hit) return true;
            hit.fraction = std::max(hit.fraction, round_up(enter));
            way.max_fraction = on_hit(hit);
            return way.max_fraction >= 0.0f;
        });
        return way.max_fraction;
    });
}

template <class State, class Query>
CastHit closest_hit(const State& s, const char* call, const Query& query, const Filter& filter) {
    CastHit best;
    if (!s.accept(call, query.check())) return best;
    for_each_hit(s, query, filter, [&](const CastHit& hit) {
        if (Before{}(hit, best)) best = hit;
        return best.fraction;
    });
    return best;
}

template <class State, class Query>
bool any_hit(const State& s, const char* call, const Query& query, const Filter& filter) {
    bool found = false;
    if (!s.accept(call, query.check())) return found;
    for_each_hit(s, query, filter, [&](const CastHit&) {
        found = true;
        return -1.0f;
    });
    return found;
}

template <class State, class Query>
std::vector<CastHit> all_hits(const State& s, const char* call, const Query& query, const Filter& filter) {
    std::vector<CastHit> hits;
    if (!s.accept(call, query.check())) return hits;
    for_each_hit(s, query, filter, [&](const CastHit& hit) {
        hits.push_back(hit);
        return 1.0f;
    });
    std::sort(hits.begin(), hits.end(), Before{});
    return hits;
}

RayQuery query_of(const Ray& ray) { return {ray.origin, ray.translation}; }
ShapeQuery query_of(const ShapeCast& cast) { return {cast.shape, cast.pose, cast.translation}; }

template <class State, class Cast>
bool closest_hits(const State& s, const char* call, const char* list, std::span<const Cast> casts,
                  std::span<CastHit> hits, const Filter& filter) {
    std::fill(hits.begin(), hits.end(), CastHit{});
    if (hits.size() < casts.size())
        return s.refuse(call,
                        {ErrorCode::bad_argument, "hits has " + text(hits.size()) + " elements and " + list + " has " +
                                                      text(casts.size()) + "; hits must be at least as long."});
    for (std::size_t i = 0; i < casts.size(); ++i) {
        if (Error error = query_of(casts[i]).check()) return s.refuse(call, within(list, i, ".", std::move(error)));
    }
    for (std::size_t i = 0; i < casts.size(); ++i) hits[i] = closest_hit(s, call, query_of(casts[i]), filter);
    return true;
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

template <class State, class Query>
bool overlaps_body(const State& s, const Query& query, const WorldAabb& box, const Filter& filter, std::uint32_t slot) {
    bool found = false;
    for_each_shape(s, slot, filter, [&](std::uint32_t i) {
        const ShapeDef& def = s.shapes.defs[i];
        const WorldTransform& pose = s.colliders.poses[i];
        found = overlaps(box, s.world_box(i)) &&
                (def.mesh ? query.overlaps(*def.mesh, pose) : query.overlaps(def.shape, pose));
        return !found;
    });
    return found;
}

template <class State, class Query>
std::vector<BodyId> all_overlaps(const State& s, const char* call, const Query& query, const Filter& filter) {
    std::vector<BodyId> found;
    if (!s.accept(call, query.check())) return found;
    const WorldAabb box = query.box();
    s.proxies.broadphase().query(box, [&](std::uint32_t slot) {
        if (overlaps_body(s, query, box, filter, slot)) found.push_back(s.bodies.id_of(slot));
    });
    std::sort(found.begin(), found.end(), [](BodyId a, BodyId b) { return a.slot < b.slot; });
    return found;
}

template <class State, class Query>
bool any_overlap(const State& s, const char* call, const Query& query, const Filter& filter) {
    bool found = false;
    if (!s.accept(call, query.check())) return found;
    const WorldAabb box = query.box();
    s.proxies.broadphase().query(
        box, [&](std::uint32_t slot) { found = found || overlaps_body(s, query, box, filter, slot); });
    return found;
}

// ---- the nearest bodies ---------------------------------------------------------------------------------------------

/// Returns the body's nearest point, over all of its shapes. The hit has no body if that point is farther than the
/// limit.
template <class State>
NearHit nearest_of_body(const State& s, const PointQuery& query, const Filter& filter, std::uint32_t slot,
                        float limit) {
    NearHit best;
    for_each_shape(s, slot, filter, [&](std::uint32_t i) {
        const float to_box = distance_to(s.world_box(i), query.point);
        if (!(to_box <= limit)) return true;
        NearHit hit = meet(s, query, slot, i);
        hit.distance = std::max(hit.distance, to_box);
        if (hit.distance <= limit && (best.body.is_null() || Before{}(hit, best))) best = hit;
        return true;
    });
    return best;
}

}  // namespace

// ---- World ----------------------------------------------------------------------------------------------------------

CastHit World::ray_cast(const dvec3& origin, const vec3& translation, const Filter& filter) const {
    return closest_hit(*state_, "ray_cast", RayQuery(origin, translation), filter);
}

bool World::ray_cast_any(const dvec3& origin, const vec3& translation, const Filter& filter) const {
    return any_hit(*state_, "ray_cast_any", RayQuery(origin, translation), filter);
}

std::vector<CastHit> World::ray_cast_all(const dvec3& origin, const vec3& translation, const Filter& filter) const {
    return all_hits(*state_, "ray_cast_all", RayQuery(origin, translation), filter);
}

bool World::ray_cast(std::span<const Ray> rays, std::span<CastHit> hits, const Filter& filter) const {
    return closest_hits(*state_, "ray_cast", "rays", rays, hits, filter);
}

CastHit World::shape_cast(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                          const Filter& filter) const {
    return closest_hit(*state_, "shape_cast", ShapeQuery(shape, pose, translation), filter);
}

bool World::shape_cast_any(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                           const Filter& filter) const {
    return any_hit(*state_, "shape_cast_any", ShapeQuery(shape, pose, translation), filter);
}

std::vector<CastHit> World::shape_cast_all(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                                           const Filter& filter) const {
    return all_hits(*state_, "shape_cast_all", ShapeQuery(shape, pose, translation), filter);
}

bool World::shape_cast(std::span<const ShapeCast> casts, std::span<CastHit> hits, const Filter& filter) const {
    return closest_hits(*state_, "shape_cast", "casts", casts, hits, filter);
}

std::vector<BodyId> World::overlap(const Shape& shape, const WorldTransform& pose, const Filter& filter) const {
    return all_overlaps(*state_, "overlap", ShapeQuery(shape, pose), filter);
}

std::vector<BodyId> World::overlap(const WorldAabb& box, const Filter& filter) const {
    if (!state_->accept("overlap", check(box))) return {};
    return overlap(shape_of(box), pose_of(box), filter);
}

std::vector<BodyId> World::overlap(const dvec3& point, const Filter& filter) const {
    return all_overlaps(*state_, "overlap", PointQuery(point), filter);
}

bool World::overlap_any(const Shape& shape, const WorldTransform& pose, const Filter& filter) const {
    return any_overlap(*state_, "overlap_any", ShapeQuery(shape, pose), filter);
}

bool World::overlap_any(const WorldAabb& box, const Filter& filter) const {
    if (!state_->accept("overlap_any", check(box))) return false;
    return overlap_any(shape_of(box), pose_of(box), filter);
}

bool World::overlap_any(const dvec3& point, const Filter& filter) const {
    return any_overlap(*state_, "overlap_any", PointQuery(point), filter);
}

std::vector<NearHit> World::nearest(const dvec3& point, std::size_t count, float max_distance,
                                    const Filter& filter) const {
    const State& s = *state_;
    const PointQuery query{point};
    std::vector<NearHit> found;  // a heap of the best hits so far, the farthest one first
    if (!s.accept("nearest", query.check())) return found;
    if (!(max_distance >= 0.0f)) {
        s.refuse("nearest", out_of_range(ErrorCode::bad_argument, "max_distance", text(max_distance),
                                         ">= 0 (m); infinity means no limit"));
        return found;
    }
    if (count == 0) return found;
    s.proxies.broadphase().nearest(query.point, max_distance, [&](std::uint32_t slot, float, float limit) {
        const NearHit near = nearest_of_body(s, query, filter, slot, limit);
        const bool full = found.size() == count;
        if (near.body.is_null() || (full && !Before{}(near, found.front()))) return limit;
        if (full) {
            std::pop_heap(found.begin(), found.end(), Before{});
            found.pop_back();
        }
        found.push_back(near);
        std::push_heap(found.begin(), found.end(), Before{});
        return found.size() == count ? found.front().distance : limit;
    });
    std::sort_heap(found.begin(), found.end(), Before{});
    return found;
}

}  // namespace talus
