// Rays, moving shapes, overlaps and nearest bodies.

#include "bindings/c/world_handle.h"

using namespace talus;
using c::call;
using c::filter_from;
using c::from;
using c::to_c;

namespace {

/// Returns f(engine's world, the cast), or zeros if the cast is refused.
template <class F>
auto with_cast(const TalusWorld* world, const TalusShapeCast* given, F f) {
    return call(world, [&](const World& w, Error& e) {
        using Value = decltype(f(w, ShapeCast{}));
        c::need(given, "the cast", e);
        if (e) return Value{};
        const ShapeCast cast = from(*given, e);
        return e ? Value{} : f(w, cast);
    });
}

/// The same for a shape.
template <class F>
auto with_shape(const TalusWorld* world, const TalusShape* given, F f) {
    return call(world, [&](const World& w, Error& e) {
        using Value = decltype(f(w, Shape{}));
        c::need(given, "the shape", e);
        if (e) return Value{};
        const Shape shape = from(*given, e);
        return e ? Value{} : f(w, shape);
    });
}

/// Writes `hits` elements that hit nothing.
void clear(TalusCastHit* hits, size_t count) {
    if (hits != nullptr) std::fill_n(hits, count, to_c(CastHit{}));
}

}  // namespace

TalusCastHit talus_world_ray_cast(const TalusWorld* world, TalusRay ray, const TalusFilter* filter) {
    return call(world, [&](const World& w, Error&) {
        return to_c(w.ray_cast(from(ray.origin), from(ray.translation), filter_from(filter)));
    });
}
bool talus_world_ray_cast_any(const TalusWorld* world, TalusRay ray, const TalusFilter* filter) {
    return call(world, [&](const World& w, Error&) {
        return w.ray_cast_any(from(ray.origin), from(ray.translation), filter_from(filter));
    });
}
size_t talus_world_ray_cast_all(const TalusWorld* world, TalusRay ray, const TalusFilter* filter, TalusCastHit* out,
                                size_t capacity) {
    return call(world, [&](const World& w, Error&) {
        const auto hits = w.ray_cast_all(from(ray.origin), from(ray.translation), filter_from(filter));
        return c::write_list(hits, out, capacity);
    });
}
bool talus_world_ray_casts(const TalusWorld* world, const TalusRay* rays, size_t count, const TalusFilter* filter,
                           TalusCastHit* hits) {
    clear(hits, count);
    return call(world, [&](const World& w, Error& e) {
        if (count > 0) c::need(rays, "rays", e);
        if (count > 0) c::need(hits, "hits", e);
        if (e) return false;
        std::vector<Ray> list;
        for (size_t i = 0; i < count; ++i) list.push_back(from(rays[i]));
        std::vector<CastHit> found(count);
        const bool cast = w.ray_cast(list, found, filter_from(filter));
        c::write_list(found, hits, count);
        return cast;
    });
}

TalusCastHit talus_world_shape_cast(const TalusWorld* world, const TalusShapeCast* cast, const TalusFilter* filter) {
    return with_cast(world, cast, [&](const World& w, const ShapeCast& s) {
        return to_c(w.shape_cast(s.shape, s.pose, s.translation, filter_from(filter)));
    });
}
bool talus_world_shape_cast_any(const TalusWorld* world, const TalusShapeCast* cast, const TalusFilter* filter) {
    return with_cast(world, cast, [&](const World& w, const ShapeCast& s) {
        return w.shape_cast_any(s.shape, s.pose, s.translation, filter_from(filter));
    });
}
size_t talus_world_shape_cast_all(const TalusWorld* world, const TalusShapeCast* cast, const TalusFilter* filter,
                                  TalusCastHit* out, size_t capacity) {
    return with_cast(world, cast, [&](const World& w, const ShapeCast& s) {
        return c::write_list(w.shape_cast_all(s.shape, s.pose, s.translation, filter_from(filter)), out, capacity);
    });
}
bool talus_world_shape_casts(const TalusWorld* world, const TalusShapeCast* casts, size_t count,
                             const TalusFilter* filter, TalusCastHit* hits) {
    clear(hits, count);
    return call(world, [&](const World& w, Error& e) {
        if (count > 0) c::need(casts, "casts", e);
        if (count > 0) c::need(hits, "hits", e);
        std::vector<ShapeCast> list;
        for (size_t i = 0; i < count && !e; ++i) list.push_back(from(casts[i], e));
        if (e) return false;
        std::vector<CastHit> found(count);
        const bool cast = w.shape_cast(list, found, filter_from(filter));
        c::write_list(found, hits, count);
        return cast;
    });
}

size_t talus_world_overlap_shape(const TalusWorld* world, const TalusShape* shape, TalusWorldTransform pose,
                                 const TalusFilter* filter, TalusBodyId* out, size_t capacity) {
    return with_shape(world, shape, [&](const World& w, const Shape& s) {
        return c::write_list(w.overlap(s, from(pose), filter_from(filter)), out, capacity);
    });
}
size_t talus_world_overlap_box(const TalusWorld* world, TalusWorldAabb box, const TalusFilter* filter, TalusBodyId* out,
                               size_t capacity) {
    return call(world, [&](const World& w, Error&) {
        return c::write_list(w.overlap(from(box), filter_from(filter)), out, capacity);
    });
}
size_t talus_world_overlap_point(const TalusWorld* world, TalusDVec3 point, const TalusFilter* filter, TalusBodyId* out,
                                 size_t capacity) {
    return call(world, [&](const World& w, Error&) {
        return c::write_list(w.overlap(from(point), filter_from(filter)), out, capacity);
    });
}
bool talus_world_overlap_any_shape(const TalusWorld* world, const TalusShape* shape, TalusWorldTransform pose,
                                   const TalusFilter* filter) {
    return with_shape(world, shape, [&](const World& w, const Shape& s) {
        return w.overlap_any(s, from(pose), filter_from(filter));
    });
}
bool talus_world_overlap_any_box(const TalusWorld* world, TalusWorldAabb box, const TalusFilter* filter) {
    return call(world, [&](const World& w, Error&) { return w.overlap_any(from(box), filter_from(filter)); });
}
bool talus_world_overlap_any_point(const TalusWorld* world, TalusDVec3 point, const TalusFilter* filter) {
    return call(world, [&](const World& w, Error&) { return w.overlap_any(from(point), filter_from(filter)); });
}

size_t talus_world_nearest(const TalusWorld* world, TalusDVec3 point, float max_distance, const TalusFilter* filter,
                           TalusNearHit* out, size_t capacity) {
    return call(world, [&](const World& w, Error& e) {
        if (capacity > 0) c::need(out, "out", e);
        if (e) return size_t{0};
        return c::write_list(w.nearest(from(point), capacity, max_distance, filter_from(filter)), out, capacity);
    });
}
