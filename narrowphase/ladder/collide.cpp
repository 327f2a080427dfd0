#include <talus/narrowphase/collide.h>

#include <talus/narrowphase/box_axes.h>
#include <talus/narrowphase/closed_forms.h>
#include <talus/narrowphase/epa.h>
#include <talus/narrowphase/support.h>
#include "common/stopwatch.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/manifold/sliver.h"
#include "narrowphase/support/core_support.h"
#include "narrowphase/support/minkowski.h"
#include "narrowphase/support/supporting_feature.h"
#include "narrowphase/tolerances.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using Work = CollideScratch::Work;

/// Anchors stay where they are in their bodies, and the normal in that of the larger shape, where a turn costs least;
/// what changes is the gap.
void refresh_separations(Manifold& manifold, const Transform& b_in_a) {
    for (int i = 0; i < manifold.count; ++i) {
        ManifoldPoint& p = manifold.points[i];
        p.separation = glm::dot(transform_point(b_in_a, p.on_b) - p.on_a, manifold.normal);
    }
}

/// True where the shape meets what lies along `direction` (unit, shape frame) with something round: there a contact
/// point wanders over the body as it rolls.
bool is_round_along(const Shape& shape, const vec3& direction) {
    if (shape.radius > 0.0f) return true;
    if (shape.type == ShapeType::cylinder) return !(std::abs(direction.y) > tolerance::flat_cap);
    if (shape.type == ShapeType::cone) return !(direction.y < -tolerance::flat_cap);
    return false;
}

/// The sizes of a pair's shapes as they are now.
void measure(const Colliders& colliders, PairRecord& record) {
    const Shape &a = colliders.shapes[record.a], &b = colliders.shapes[record.b];
    record.radius_a = bounding_radius(a);
    record.radius_b = bounding_radius(b);
    // Of a shape far from its own origin the ball around that says little about its size, the box around the shape
    // more.
    const auto half_diagonal = [](const Shape& shape) {
        return std::sqrt(length_squared(half_extents(bounds(shape))));
    };
    const auto size = [&](std::uint32_t collider, const Shape& shape, float radius) {
        // A triangle of a surface is as large as that: how fine it is cut says nothing of what lies on it.
        if (colliders.surface_triangle(collider)) return std::numeric_limits<float>::infinity();
        return std::min(radius, half_diagonal(shape));
    };
    record.size = std::min(size(record.a, a, record.radius_a), size(record.b, b, record.radius_b));
    record.thin = std::min({record.size, thickness(a), thickness(b)});
}

void prefetch(const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(from) + i);
}

/// What support search and make_manifold will read, going by the hints.
void prefetch_hull(const Shape& shape, std::uint32_t face, std::uint32_t vertex) {
    if (shape.type != ShapeType::hull) return;
    const Hull& hull = *shape.hull;
    const std::size_t bytes = std::min<std::size_t>(hull.x.size() * sizeof(float), 128);
    prefetch(hull.x.data(), bytes);
    prefetch(hull.y.data(), bytes);
    prefetch(hull.z.data(), bytes);
    if (face < hull.faces.size()) prefetch(&hull.faces[face], sizeof(HullFace));
    if (vertex < hull.rings.size()) prefetch(&hull.rings[vertex], sizeof(HullRing));
}

/// How near shapes may be that may come nearer by so much.
float margin_of(const PairRecord& record, float nearer) {
    return tolerance::contact_margin * record.size + std::min(nearer, tolerance::contact_reach * record.size);
}

/// How much nearer the ways of the two take them along a direction of a's frame.
float nearer_along(const Colliders& colliders, const PairRecord& record, const vec3& normal) {
    const vec3 n = rotate(colliders.poses[record.a].rotation, normal);
    return std::max(glm::dot(colliders.sweeps[record.a].way, n), 0.0f) +
           std::max(-glm::dot(colliders.sweeps[record.b].way, n), 0.0f);
}

/// Rounded to the upper half of a float, within 0.4%.
void set_microseconds(PairRecord& record, double us) {
    record.cost = static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(static_cast<float>(us)) + 0x8000u) >> 16);
}

/// The one of a pair that is a triangle of a surface, if any, and what it needs to know of the other.
struct Surface {
    const SurfaceTriangle* triangle = nullptr;
    const Shape *shape = nullptr, *other = nullptr;
    const Frame* b_in_a = nullptr;
    bool is_a = false;

    explicit operator bool() const { return triangle != nullptr; }
    /// From A to B in A's frame, as from the triangle to the other in the triangle's; and back.
    vec3 from_ab(const vec3& d) const { return is_a ? d : transpose_mul(b_in_a->rotation, -d); }
    vec3 to_ab(const vec3& d) const { return is_a ? d : -(b_in_a->rotation * d); }
    /// Of the other's frame, in the triangle's; and of a direction the way round.
    vec3 to_triangle(const vec3& p) const {
        return is_a ? transform_point(*b_in_a, p) : transpose_mul(b_in_a->rotation, p - b_in_a->position);
    }
    vec3 direction_to_other(const vec3& d) const {
        return is_a ? transpose_mul(b_in_a->rotation, d) : b_in_a->rotation * d;
    }
    vec3 point_to_a(const vec3& p) const { return is_a ? p : transform_point(*b_in_a, p); }
    bool has_normal(const vec3& ab) const { return detail::is_surface_normal(*shape, *triangle, from_ab(ab)); }
    /// The other's point farthest against `n` (triangle's frame), there.
    vec3 lowest(const vec3& n) const {
        return to_triangle(detail::farthest_point(*other, direction_to_other(-n), 0)) - other->radius * n;
    }
};

/// One call of collide: the data it works on, and a function a rung.
class Ladder {
public:
    Ladder(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
           const CollideSettings& settings, CollideScratch& scratch, NarrowphaseProfile& profile)
        : colliders_(colliders),
          records_(records),
          caches_(caches),
          settings_(settings),
          scratch_(scratch),
          profile_(profile) {}

    void run(std::span<const std::uint32_t> active) {
        scratch_.closed.clear();
        scratch_.slide.clear();
        scratch_.axis.clear();
        scratch_.warm.clear();
        scratch_.cold.clear();
        scratch_.deep.clear();
        Stopwatch watch(settings_.timing != Timing::off);
        sort_out_all(active);
        book(Rung::skip, watch.lap());

        const bool all = settings_.timing == Timing::pairs, cold = settings_.timing != Timing::off;
        work_through(scratch_.closed, all, [&](Work& w) { run_closed_form(w); });
        book(Rung::closed_form, watch.lap());

        work_through(scratch_.slide, all, [&](Work& w) { try_slide(w); });
        book(Rung::warm_epa, watch.lap());

        work_through(scratch_.axis, all, [&](Work& w) { try_axis(w); });
        book(Rung::axis_separated, watch.lap());

        work_through(scratch_.warm, all, [&](Work& w) { run_gjk(w, Rung::warm_gjk); });
        book(Rung::warm_gjk, watch.lap());

        work_through(scratch_.cold, cold, [&](Work& w) { run_gjk(w, Rung::cold_gjk); });
        book(Rung::cold_gjk, watch.lap());

        work_through(scratch_.deep, cold, [&](Work& w) { run_epa(w); });
        book(Rung::cold_epa, watch.lap());
        profile_.clock_reads += watch.reads();
    }

private:
    /// Runs a worklist, fetching what lies ahead: the cold halves of pairs, then what their hulls will be asked for (6%
    /// of the narrowphase of `tumble`).
    /// Times each pair if it is `timed`.
    template <class Run>
    void work_through(std::vector<Work>& list, bool timed, const Run& run) {
        if (profiling_compiled_in && timed && !list.empty()) {
            std::uint64_t last = ticks();
            fetch_and_run(list, [&](Work& w) {
                const std::uint32_t pair = w.pair;
                run(w);
                const std::uint64_t now = ticks();
                charge(pair, static_cast<double>(now - last) * microseconds_per_tick());
                last = now;
            });
            profile_.clock_reads += list.size() + 1;
        } else {
            fetch_and_run(list, run);
        }
    }

    template <class Run>
    void fetch_and_run(std::vector<Work>& list, const Run& run) {
        constexpr std::size_t caches_ahead = 8, hulls_ahead = 3;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i + caches_ahead < list.size()) {
                const Work& w = list[i + caches_ahead];
                prefetch(&caches_[w.pair], sizeof(PairCache));
                for (const Shape* shape : {&shape_a(w), &shape_b(w)})
                    if (shape->hull) prefetch(shape->hull.get(), sizeof(Hull));
            }
            if (i + hulls_ahead < list.size()) {
                const Work& w = list[i + hulls_ahead];
                const FaceHints& hints = caches_[w.pair].hints;
                prefetch_hull(shape_a(w), hints.a, hints.vertex_a);
                prefetch_hull(shape_b(w), hints.b, hints.vertex_b);
            }
            run(list[i]);
        }
    }

    void book(Rung rung, double us) { profile_.microseconds[static_cast<std::size_t>(rung)] += us; }

    static void count(std::uint64_t& counter, std::uint64_t more = 1) {
        if constexpr (profiling_compiled_in) counter += more;
    }

    void settle(PairRecord& record, Rung rung) {
        record.rung = rung;
        count(profile_.pairs[static_cast<std::size_t>(rung)]);
    }

    /// The entry of a table by shape types.
    template <class Table>
    static auto& of_shapes(Table& table, const Shape& a, const Shape& b) {
        const auto i = static_cast<std::size_t>(a.type), j = static_cast<std::size_t>(b.type);
        return table[std::min(i, j)][std::max(i, j)];
    }

    /// A pair that nothing settled yet may be charged again, on the next list.
    void charge(std::uint32_t pair, double us) {
        PairRecord& record = records_[pair];
        of_shapes(profile_.microseconds_by_shapes, colliders_.shapes[record.a], colliders_.shapes[record.b]) += us;
        const double sum = microseconds_of(record) + us;
        set_microseconds(record, sum);
        // The record's rounding may take from what the slowest pair had before, by more than its next list adds.
        TimedPair& slowest = profile_.slowest;
        if (sum > slowest.microseconds || pair == slowest.pair)
            slowest = {pair, record.rung, std::max(sum, slowest.microseconds)};
    }

    void count_test(const Shape& a, const Shape& b) { count(of_shapes(profile_.tested_by_shapes, a, b)); }

    const Shape& shape_a(const Work& w) const { return colliders_.shapes[records_[w.pair].a]; }
    const Shape& shape_b(const Work& w) const { return colliders_.shapes[records_[w.pair].b]; }

    // ---- pass A -----------------------------------------------------------------------------------------------------

    /// Most pairs of a heap are of bodies whose boxes overlap while the balls around them are apart: 77% of the pairs
    /// of `tumble`, 92% of those that are skipped. The others wait until they are four.
    void sort_out_all(std::span<const std::uint32_t> active) {
        std::uint32_t four[4];
        std::size_t waiting = 0;
        for (const std::uint32_t pair : active) {
            const bool apart = settings_.skip && are_balls_apart(records_[pair]) && knows_its_shapes(records_[pair]);
            if (apart) skip_by_balls(pair);
            four[waiting] = pair;
            waiting += apart ? 0 : 1;
            if (waiting == 4) {
                sort_out(four);
                waiting = 0;
            }
        }
        if (waiting != 0) sort_out({four, waiting});
    }

    /// However the two turn, each stays in its ball.
    bool are_balls_apart(const PairRecord& record) const {
        const Sweep &a = colliders_.sweeps[record.a], &b = colliders_.sweeps[record.b];
        const vec3 d = colliders_.poses[record.b].position - colliders_.poses[record.a].position;
        const float reach =
            (record.radius_a + record.radius_b) + margin_of(record, (a.reach - a.turning) + (b.reach - b.turning));
        constexpr float rounding =
            1e-6f;  // of these few sums and products, so that what is apart is so by more than the margin
        return length_squared(d) > (1.0f + rounding) * (reach * reach);
    }

    /// A new record does, as does one whose shapes are those of its last test.
    bool knows_its_shapes(const PairRecord& record) const {
        return record.state == PairState::unknown || record.stamp == stamp_of(record);
    }

    std::uint32_t stamp_of(const PairRecord& record) const {
        return colliders_.versions[record.a] + colliders_.versions[record.b];
    }

    void skip_by_balls(std::uint32_t pair) {
        PairRecord& record = records_[pair];
        settle(record, Rung::skip);
        if (record.state == PairState::separated) return;
        if (record.state == PairState::unknown) {
            forget(caches_[pair]);
            record.stamp = stamp_of(record);
        }
        record.state = PairState::separated;
        record.distance = -std::numeric_limits<float>::infinity();  // not measured: the balls alone know it
        clear_contact(caches_[pair]);
    }

    /// One to four pairs, a lane each.
    void sort_out(std::span<const std::uint32_t> pairs) {
        const Transform *pose_a[4], *pose_b[4], *reference[4];
        Float4 radius_b;
        for (std::size_t i = 0; i < 4; ++i) {
            const PairRecord& record = records_[pairs[i < pairs.size() ? i : 0]];
            pose_a[i] = &colliders_.poses[record.a];
            pose_b[i] = &colliders_.poses[record.b];
            reference[i] = &record.reference;
            radius_b[i] = record.radius_b;
        }
        const detail::TransformLanes b_in_a =
            detail::relative(detail::load_transforms(pose_a), detail::load_transforms(pose_b));
        const Float4 motion = detail::motion_bound(detail::load_transforms(reference), b_in_a, radius_b);
        Transform poses[4];
        detail::store_transforms(b_in_a, poses);
        for (std::size_t i = 0; i < pairs.size(); ++i) sort_out(pairs[i], poses[i], motion[i]);
    }

    void sort_out(std::uint32_t pair, const Transform& b_in_a, float motion) {
        PairRecord& record = records_[pair];
        if (!knows_its_shapes(record)) {
            measure(colliders_, record);
            record.state = PairState::unknown;
        }
        const bool known = record.state != PairState::unknown;
        if (known) {
            if (record.state == PairState::separated) {
                if (settings_.skip && motion < record.distance - contact_margin(colliders_, record)) {
                    settle(record, Rung::skip);
                    return;
                }
            } else if (settings_.reuse && motion < record.reuse_motion) {
                refresh_separations(caches_[pair].manifold, b_in_a);
                settle(record, Rung::reuse);
                return;
            }
        }
        Work w;
        w.pair = pair;
        w.pose = b_in_a;
        w.b_in_a = to_frame(b_in_a);
        PairCache& cache = caches_[pair];
        if (!known) forget(cache);
        record.cost = 0;
        const Surface surface = surface_of(w);
        if (surface && surface.triangle->through) {
            cache.deep.face.count = 0;
            touch_by_face(w, surface, -std::numeric_limits<float>::infinity());
            settle(record, record.state == PairState::touching ? Rung::axis_touching : Rung::axis_separated);
            return;
        }
        if (surface && !known) {
            cache.axis = surface.triangle->normal;
            cache.axis_in_b = !surface.is_a;
            cache.axis_is_face = true;
        }
        if (is_closed_form(w)) {
            scratch_.closed.push_back(w);
        } else if (!known && !surface) {
            scratch_.cold.push_back(w);
        } else if (settings_.warm_epa && cache.deep.face.count == 3) {
            scratch_.slide.push_back(w);
        } else {
            to_axis(w);
        }
    }

    static void forget(PairCache& cache) {
        cache.simplex.count = 0;
        cache.axis = vec3(0.0f);
        cache.axis_is_face = false;
        cache.deep.face.count = 0;
    }

    bool is_closed_form(const Work& w) const {
        return settings_.closed_form && has_closed_form(shape_a(w).type, shape_b(w).type);
    }

    void to_axis(const Work& w) {
        if (settings_.axis && caches_[w.pair].axis != vec3(0.0f)) {
            scratch_.axis.push_back(w);
        } else {
            to_gjk(w);
        }
    }

    void to_gjk(const Work& w) {
        SimplexCache& simplex = caches_[w.pair].simplex;
        if (!settings_.warm_gjk) simplex.count = 0;
        (simplex.count != 0 ? scratch_.warm : scratch_.cold).push_back(w);
    }

    // ---- pass B -----------------------------------------------------------------------------------------------------

    /// Shapes that need no iteration.
    void run_closed_form(Work& w) {
        const Shape &a = shape_a(w), &b = shape_b(w);
        conclude(w, closed_form(a, b, w.b_in_a), a.type == ShapeType::sphere || b.type == ShapeType::sphere);
        settle(records_[w.pair], Rung::closed_form);
        count_test(a, b);
    }

    void conclude(const Work& w, const ClosedForm& contact, bool one_point) {
        if (stay_apart(w, contact.separation, contact.normal, contact.point_a, contact.point_b)) {
            set_axis(caches_[w.pair], contact.normal);
            separate(w, contact.separation);
        } else {
            touch_at(w, contact, one_point);
        }
    }

    /// Boxes by their separating axes: true when that settles the pair.
    bool run_axes(const Work& w, float limit) {
        const Shape &a = shape_a(w), &b = shape_b(w);
        if (!settings_.closed_form || !has_axes(a.type, b.type)) return false;
        const ByAxes r = by_axes(a, b, w.b_in_a, limit);
        if (r.status == AxesStatus::undecided) return false;
        conclude(w, r.answer, false);
        settle(records_[w.pair], Rung::closed_form);
        return true;
    }

    /// Overlapping cores: the last EPA's face, at its new place. A bound can prove that no other way out is shorter; in
    /// shallow contacts none is shorter by more than an axis may be off, and in 99.9% of those of `tumble` and
    /// `tumble8` none is.
    void try_slide(Work& w) {
        PairRecord& record = records_[w.pair];
        PairCache& cache = caches_[w.pair];
        const Shape &a = shape_a(w), &b = shape_b(w);
        const float motion = detail::motion_bound(cache.deep.reference, w.pose, record.radius_b);
        const float other_depth = cache.deep.other_depth - motion;
        const float shallow = settings_.axis ? tolerance::axis_depth * record.thin : 0.0f;
        // The depth has not changed by more than the motion: where neither the bound nor the depth will do, sliding
        // would be for nothing. Nor does a face prove anything that the origin has crossed: it comes back turned round,
        // as one of the others, as deep as the bound.
        const float rounding = static_cast<float>(tolerance::epa_witness) * (record.size + other_depth);
        const bool may_prove = other_depth > cache.deep.depth + motion, may_do = cache.deep.depth - motion <= shallow;
        EpaResult r;
        if (may_prove ? epa_again(a, b, w.b_in_a, cache.deep.face, r)
                      : may_do && epa_on_face(a, b, w.b_in_a, cache.deep.face, r)) {
            const bool proved = may_prove && r.depth <= other_depth - rounding;
            if (proved || r.depth <= shallow) {
                cache.deep.face = r.face;
                count(profile_.support_evaluations, r.support_evaluations);
                meet(w, r);
                settle(record, proved ? Rung::warm_epa : Rung::axis_touching);
                return;
            }
        }
        cache.deep.face.count = 0;
        to_axis(w);
    }

    void meet(const Work& w, const EpaResult& r) {
        const Shape &a = shape_a(w), &b = shape_b(w);
        const vec3 on_a = r.point_a + a.radius * r.normal, on_b = r.point_b - b.radius * r.normal;
        touch_at(w, {-r.depth - a.radius - b.radius, r.normal, on_a, on_b}, false);
    }

    /// The last test's axis, re-posed: one support pair gives the signed separation along it.
    void try_axis(Work& w) {
        PairRecord& record = records_[w.pair];
        PairCache& cache = caches_[w.pair];
        const Shape &a = shape_a(w), &b = shape_b(w);
        const Surface surface = surface_of(w);
        if (surface && surface.triangle->face_only) {
            touch_by_face(w, surface, -std::numeric_limits<float>::infinity());
            settle(record, record.state == PairState::touching ? Rung::axis_touching : Rung::axis_separated);
            return;
        }
        const vec3 n = cache.axis_in_b ? w.b_in_a.rotation * cache.axis : cache.axis;
        const vec3 top = detail::farthest_point(a, n, cache.simplex.a[0]) + a.radius * n;
        const vec3 n_in_b = transpose_mul(w.b_in_a.rotation, n);
        const vec3 bottom =
            transform_point(w.b_in_a, detail::farthest_point(b, -n_in_b, cache.simplex.b[0])) - b.radius * n;
        count(profile_.support_evaluations, 2);
        const float separation = glm::dot(bottom - top, n);
        if (stay_apart(w, separation, n, top, bottom)) {
            separate(w, separation);
            settle(record, Rung::axis_separated);
            return;
        }
        // A face that still holds the other shape at a shallow depth: that is the contact, and EPA need not be asked.
        // Not when the two faces do not overlap: then the contact is elsewhere.
        if (cache.axis_is_face && separation >= -tolerance::axis_depth * record.thin &&
            (!surface || surface.has_normal(n))) {
            const vec3 on_b = cache.axis_in_b ? top + separation * n : bottom;
            const Manifold manifold =
                make_manifold(a, b, w.b_in_a, n, on_b - separation * n, on_b, margin_along(w, n), cache.hints);
            count(profile_.manifolds_built);
            const bool shallow = separation >= -tolerance::axis_depth_of_edges * record.thin;
            if (manifold.overlaps && (shallow || manifold.count > 2)) {
                touch(w, manifold);
                settle(record, Rung::axis_touching);
                return;
            }
        }
        to_gjk(w);
    }

    void run_gjk(Work& w, Rung rung) {
        PairRecord& record = records_[w.pair];
        PairCache& cache = caches_[w.pair];
        const Shape &a = shape_a(w), &b = shape_b(w);
        const float radii = a.radius + b.radius;
        // Beyond the margin only a bound is needed; asking for twice that, and some more, leaves a gap that `skip` can
        // live on.
        const float limit = radii + 2.0f * contact_margin(colliders_, record) + tolerance::skip_reserve * record.size;
        if (rung == Rung::cold_gjk && run_axes(w, limit)) return;
        const GjkResult r = gjk(a, b, w.b_in_a, cache.simplex, limit);
        count(profile_.gjk_queries);
        count(profile_.gjk_iterations, r.iterations);
        count(profile_.support_evaluations, r.support_evaluations);
        count(profile_.gjk_histogram[std::min<std::size_t>(r.iterations, profile_.gjk_histogram.size() - 1)]);
        count_test(a, b);
        if (r.status == GjkStatus::iteration_cap) count(profile_.gjk_cap_hits);
        const Rung settled = rung == Rung::warm_gjk && !r.warm ? Rung::cold_gjk : rung;

        if (r.status == GjkStatus::overlapping) {
            scratch_.deep.push_back(w);
            return;
        }
        set_axis(cache, r.normal);
        const vec3 on_a = r.point_a + a.radius * r.normal, on_b = r.point_b - b.radius * r.normal;
        if (r.status == GjkStatus::beyond_limit || stay_apart(w, r.distance - radii, r.normal, on_a, on_b)) {
            separate(w, r.lower_bound - radii);
        } else {
            touch_at(w, {r.distance - radii, r.normal, on_a, on_b}, false);
        }
        settle(record, settled);
    }

    void run_epa(Work& w) {
        PairRecord& record = records_[w.pair];
        PairCache& cache = caches_[w.pair];
        const Shape &a = shape_a(w), &b = shape_b(w);
        if (run_axes(w, std::numeric_limits<float>::infinity())) return;
        const EpaResult r = epa(a, b, w.b_in_a, cache.simplex);
        count(profile_.epa_queries);
        count(profile_.epa_iterations, r.iterations);
        count(profile_.support_evaluations, r.support_evaluations);
        count(profile_.epa_histogram[std::min<std::size_t>(r.iterations / 4u, profile_.epa_histogram.size() - 1)]);
        if (r.status == EpaStatus::out_of_memory) count(profile_.epa_cap_hits);
        cache.deep.face = r.face;
        if (!(r.other_depth > r.depth)) cache.deep.face.count = 0;
        cache.deep.depth = r.depth;
        cache.deep.other_depth = r.other_depth;
        cache.deep.reference = w.pose;
        meet(w, r);
        settle(record, Rung::cold_epa);
    }

    Manifold build(const Work& w, const vec3& normal, const vec3& on_a, const vec3& on_b, float margin) {
        PairCache& cache = caches_[w.pair];
        count(profile_.manifolds_built);
        set_axis(cache, normal);
        const Manifold manifold =
            make_manifold(shape_a(w), shape_b(w), w.b_in_a, normal, on_a, on_b, margin, cache.hints);
        // An axis that is some face's normal stays good while that shape turns: it is kept in the frame of its owner.
        if (manifold.face_owner == FaceOwner::a) cache.axis = manifold.normal;
        if (manifold.face_owner == FaceOwner::b) {
            cache.axis = transpose_mul(w.b_in_a.rotation, manifold.normal);
            cache.axis_in_b = true;
        }
        cache.axis_is_face = manifold.face_owner != FaceOwner::none;
        return manifold;
    }

    float margin_along(const Work& w, const vec3& normal) const {
        return contact_margin(colliders_, records_[w.pair], normal);
    }

    /// Whether shapes that are apart by so much along the normal, and reach as far as these points, stay apart until
    /// the next collide.
    bool stay_apart(const Work& w, float separation, const vec3& normal, const vec3& on_a, const vec3& on_b) const {
        const float height_a = glm::dot(on_a, normal), height_b = glm::dot(w.pose.position - on_b, normal);
        return separation > separation_margin(colliders_, records_[w.pair], normal, height_a, height_b);
    }

    /// Whether the shapes, whose nearest points are `gap` apart along the normal, are going to meet before the next
    /// collide if nothing else interferes: at those points, or at others that turn towards each other.
    bool are_to_meet(const Work& w, const vec3& normal, const vec3& on_a, const vec3& on_b, float gap) const {
        const PairRecord& record = records_[w.pair];
        const Transform &pose_a = colliders_.poses[record.a], &pose_b = colliders_.poses[record.b];
        const Sweep &a = colliders_.sweeps[record.a], &b = colliders_.sweeps[record.b];
        const vec3 arm_a = rotate(pose_a.rotation, on_a);
        const vec3 arm_b = rotate(pose_a.rotation, on_b) - (pose_b.position - pose_a.position);
        const vec3 n = rotate(pose_a.rotation, normal);
        const float closing = glm::dot(a.way - b.way, n);
        const float here = closing + glm::dot(glm::cross(a.turn, arm_a) - glm::cross(b.turn, arm_b), n);
        const float turning = a.turning + b.turning;
        return here >= tolerance::expected_contact * gap || closing + tolerance::expected_turning * turning >= gap;
    }

    // ---- triangles of surfaces --------------------------------------------------------------------------------------

    Surface surface_of(const Work& w) const {
        const PairRecord& record = records_[w.pair];
        Surface s;
        for (const bool is_a : {true, false}) {
            const std::uint32_t collider = is_a ? record.a : record.b;
            if (colliders_.shapes[collider].type != ShapeType::triangle) continue;
            s.triangle = colliders_.surface_triangle(collider);
            if (s.triangle == nullptr) continue;
            s.shape = &colliders_.shapes[collider];
            s.other = &colliders_.shapes[is_a ? record.b : record.a];
            s.b_in_a = &w.b_in_a;
            s.is_a = is_a;
            break;
        }
        return s;
    }

    /// Where the other belongs, triangle's frame.
    static vec3 middle_of(const Surface& s) {
        return s.triangle->through ? s.triangle->place : s.to_triangle(vec3(detail::inside_of(*s.other)));
    }

    /// The face's normal on the side that holds the other off, triangle's frame; zero where none does. Who was held off
    /// along the face by the last test still is, however deep it was pressed in since.
    vec3 holding_side(const Work& w, const Surface& s) const {
        const vec3& n = s.triangle->normal;
        const auto side_of = [&](const vec3& place) {
            return glm::dot(place - s.shape->points[0], n) >= 0.0f ? n : s.triangle->two_sided ? -n : vec3(0.0f);
        };
        if (s.triangle->through) return side_of(s.triangle->place);
        const Manifold& last = caches_[w.pair].manifold;
        const bool touched = records_[w.pair].state == PairState::touching && last.count != 0;
        const float before = touched ? glm::dot(s.from_ab(last.normal), n) : 0.0f;
        if (before >= tolerance::surface_held) return n;
        if (before <= -tolerance::surface_held && s.triangle->two_sided) return -n;
        return side_of(middle_of(s));
    }

    /// A contact found between the two shapes, as one of the surface.
    void touch_at(const Work& w, const ClosedForm& contact, bool one_point) {
        const Surface surface = surface_of(w);
        if (surface && !is_surface_contact(w, surface, contact.normal)) {
            touch_by_face(w, surface, contact.separation);
        } else if (one_point) {
            touch_in_one_point(w, contact);
        } else {
            touch_along(w, contact.normal, contact.point_a, contact.point_b);
        }
    }

    bool is_surface_contact(const Work& w, const Surface& s, const vec3& normal) const {
        const vec3 d = s.from_ab(normal);
        if (!detail::is_surface_normal(*s.shape, *s.triangle, d)) return false;
        // Out by the wrong side of a sheet, because it is in by more than half.
        return !s.triangle->two_sided || std::abs(glm::dot(d, s.triangle->normal)) < tolerance::surface_face ||
               glm::dot(d, holding_side(w, s)) > 0.0f;
    }

    /// The contact of a shape that is over a triangle, along its face; none where it is not over it. `apart`: a lower
    /// bound of their distance.
    void touch_by_face(const Work& w, const Surface& s, float apart) {
        PairCache& cache = caches_[w.pair];
        const vec3 n = holding_side(w, s);
        if (n == vec3(0.0f)) {
            separate(w, apart);
            return;
        }
        const vec3 low = s.lowest(n);
        const float separation = glm::dot(low - s.shape->points[0], n);
        count(profile_.support_evaluations);
        const vec3 along = s.to_ab(n), foot = low - separation * n;
        const vec3 on_a = s.point_to_a(s.is_a ? foot : low), on_b = s.point_to_a(s.is_a ? low : foot);
        set_axis(cache, n);
        cache.axis_in_b = !s.is_a;
        if (stay_apart(w, separation, along, on_a, on_b)) {
            separate(w, std::max(apart, separation));
            return;
        }
        const bool is_behind = separation < -records_[w.pair].size && glm::dot(s.lowest(-n) - foot, n) < 0.0f;
        if (is_behind) {  // all of it
            separate(w, apart);
            return;
        }
        const float beside = distance_beside(s);
        if (beside > 0.0f) {
            leave_to_neighbours(w, s, std::max(apart, beside));
            return;
        }
        if (s.other->type == ShapeType::sphere) {
            touch_in_one_point(w, {separation, along, on_a, on_b});
            return;
        }
        // A pair of points that is too far apart to be one of the contact's: what counts is what is over the triangle.
        const float margin = margin_along(w, along);
        Manifold manifold = make_manifold(shape_a(w), shape_b(w), w.b_in_a, along, on_a,
                                          on_a + 2.0f * (margin + std::abs(separation)) * along, margin, cache.hints);
        count(profile_.manifolds_built);
        Shape grown;
        const vec3 middle = middle_of(s);
        if (manifold.count == 0 &&
            detail::grow_to_hollow_edges(*s.shape, *s.triangle, n, low, middle, records_[w.pair].size, grown)) {
            manifold = make_manifold(s.is_a ? grown : shape_a(w), s.is_a ? shape_b(w) : grown, w.b_in_a, along, on_a,
                                     on_b, margin, cache.hints);
            count(profile_.manifolds_built);
        }
        manifold.face_owner = s.is_a ? FaceOwner::a : FaceOwner::b;
        if (manifold.count == 0) {
            leave_to_neighbours(w, s, apart);
            return;
        }
        touch(w, manifold);
        cache.axis_is_face = records_[w.pair].state == PairState::touching;
    }

    /// The other is not over a triangle that can hold it off along its face only. So it is left alone until it has
    /// moved as far as it is beside it, or as far as contacts are reused: until then it is the neighbours' who hold it.
    void leave_to_neighbours(const Work& w, const Surface& s, float beside) {
        const PairRecord& record = records_[w.pair];
        const float apart = std::max(beside, tolerance::reuse_motion * record.thin);
        separate(w, s.triangle->face_only ? apart + contact_margin(colliders_, record) : beside);
    }

    /// How far the other is beside the triangle, by the planes across its edges; at most 0 where it may be over it. Of
    /// a sphere that is whether its centre is: its lowest point is over it or not.
    float distance_beside(const Surface& s) {
        const vec3& n = s.triangle->normal;
        const bool is_point = s.other->type == ShapeType::sphere;
        float beside = -std::numeric_limits<float>::infinity();
        for (int i = 0; i < 3; ++i) {
            const vec3 &p = s.shape->points[i], &q = s.shape->points[(i + 1) % 3];
            const vec3 across = glm::cross(q - p, n);
            const float length = std::sqrt(length_squared(across));
            if (!(length > 0.0f)) continue;
            const vec3 out = across / length;
            const vec3 nearest = is_point ? s.to_triangle(vec3(0.0f)) : s.lowest(out);
            beside = std::max(beside, glm::dot(nearest - p, out));
        }
        count(profile_.support_evaluations, is_point ? 0 : 3);
        const float boundary = tolerance::contact_boundary * s.other->radius;
        return is_point ? beside - boundary : beside;
    }

    // ---- outcomes ---------------------------------------------------------------------------------------------------

    static void set_axis(PairCache& cache, const vec3& axis_in_a) {
        cache.axis = axis_in_a;
        cache.axis_in_b = false;
        cache.axis_is_face = false;
    }

    void tested(const Work& w, PairState state) {
        PairRecord& record = records_[w.pair];
        record.state = state;
        record.reference = w.pose;
        record.stamp = stamp_of(record);
    }

    void separate(const Work& w, float distance) {
        tested(w, PairState::separated);
        records_[w.pair].distance = distance;
        clear_contact(caches_[w.pair]);
    }

    static void clear_contact(PairCache& cache) {
        cache.manifold.count = 0;
        cache.axis_is_face = false;
        cache.deep.face.count = 0;
    }

    /// Contact along a normal at a pair of closest or deepest points. Shapes that are apart and not about to meet are
    /// held off by that pair alone, in case others push them: their faces can wait.
    void touch_along(const Work& w, const vec3& normal, const vec3& on_a, const vec3& on_b) {
        const float separation = glm::dot(on_b - on_a, normal);
        if (separation > tolerance::contact_margin * records_[w.pair].size &&
            !are_to_meet(w, normal, on_a, on_b, separation)) {
            touch_in_one_point(w, {separation, normal, on_a, on_b});
        } else {
            touch(w, build(w, normal, on_a, on_b, margin_along(w, normal)));
        }
    }

    void touch_in_one_point(const Work& w, const ClosedForm& contact) {
        count(profile_.manifolds_built);
        set_axis(caches_[w.pair], contact.normal);
        one_point_manifold(contact, w.b_in_a, margin_along(w, contact.normal), caches_[w.pair].manifold);
        tested(w, PairState::touching);
        records_[w.pair].reuse_motion = 0.0f;
    }

    void touch(const Work& w, const Manifold& manifold) {
        float nearest = std::numeric_limits<float>::infinity();
        for (int i = 0; i < manifold.count; ++i) nearest = std::min(nearest, manifold.points[i].separation);
        const float width = tolerance::sliver_contact * records_[w.pair].size;
        if (settings_.drop_slivers && nearest > -tolerance::sliver_depth * records_[w.pair].size &&
            detail::is_sliver(shape_a(w), shape_b(w), w.b_in_a, manifold, width)) {
            separate(w, nearest);
            return;
        }
        tested(w, PairState::touching);
        PairRecord& record = records_[w.pair];
        const vec3& n = manifold.normal;
        const bool round =
            is_round_along(shape_a(w), n) || is_round_along(shape_b(w), transpose_mul(w.b_in_a.rotation, -n));
        // A face that owns a round contact makes it cheap to test again; other round contacts are EPA's, and dear.
        const bool again = round && (manifold.face_owner != FaceOwner::none || is_closed_form(w));
        const float motion = round                                    ? tolerance::reuse_motion_round
                             : manifold.face_owner == FaceOwner::none ? tolerance::reuse_motion_edges
                                                                      : tolerance::reuse_motion;
        record.reuse_motion = again ? 0.0f : motion * record.thin;
        Manifold& last = caches_[w.pair].manifold;
        if (manifold.count <= 2 && last.count != 0 && nearest < -tolerance::deep_contact * record.size) {
            last = with_deep_points(w, manifold, last);
        } else {
            last = manifold;
        }
    }

    /// The manifold and those points of the last one at which the two shapes, which are deep in each other, still
    /// overlap. In such a pair several ways out are about as short, and each test finds another one: pushed apart at
    /// one point, the two turn about it and sink in at the other, for ever.
    Manifold with_deep_points(const Work& w, Manifold manifold, const Manifold& last) const {
        const PairRecord& record = records_[w.pair];
        // The one way out of a sphere is exact.
        if (shape_a(w).type == ShapeType::sphere || shape_b(w).type == ShapeType::sphere || surface_of(w))
            return manifold;
        const vec3& n = manifold.normal;
        const float apart = tolerance::deep_points_apart * record.size;
        const int found = manifold.count;
        for (int i = 0; i < last.count && manifold.count < max_manifold_points; ++i) {
            ManifoldPoint p = last.points[i];
            const vec3 between = transform_point(w.b_in_a, p.on_b) - p.on_a;
            p.separation = glm::dot(n, between);
            const float along2 = p.separation * p.separation, drift2 = length_squared(between) - along2;
            constexpr float most_drift2 = tolerance::deep_points_drift * tolerance::deep_points_drift;
            bool counts = p.separation < -tolerance::deep_contact * record.size && drift2 < most_drift2 * along2;
            for (int k = 0; k < manifold.count && counts; ++k) {
                const ManifoldPoint& other = manifold.points[k];
                counts = p.id != other.id && (k >= found || length_squared(p.on_a - other.on_a) > apart * apart);
            }
            if (counts) manifold.points[manifold.count++] = p;
        }
        return manifold;
    }

    const Colliders& colliders_;
    std::span<PairRecord> records_;
    std::span<PairCache> caches_;
    const CollideSettings& settings_;
    CollideScratch& scratch_;
    NarrowphaseProfile& profile_;
};

}  // namespace

double microseconds_of(const PairRecord& record) {
    return static_cast<double>(std::bit_cast<float>(std::uint32_t{record.cost} << 16));
}

void Colliders::resize(std::size_t count) {
    shapes.resize(count);
    poses.resize(count);
    versions.resize(count, 0);
    sweeps.resize(count);
}

std::size_t Colliders::bytes() const {
    return shapes.capacity() * sizeof(Shape) + poses.capacity() * sizeof(Transform) +
           versions.capacity() * sizeof(std::uint32_t) + sweeps.capacity() * sizeof(Sweep) +
           surface_triangles.capacity() * sizeof(SurfaceTriangle);
}

std::size_t CollideScratch::bytes() const {
    return (closed.capacity() + slide.capacity() + axis.capacity() + warm.capacity() + cold.capacity() +
            deep.capacity()) *
           sizeof(Work);
}

PairRecord make_pair(const Colliders& colliders, std::uint32_t i, std::uint32_t j) {
    const float ri = bounding_radius(colliders.shapes[i]), rj = bounding_radius(colliders.shapes[j]);
    PairRecord record;
    const bool swap = ri < rj || (ri == rj && i > j);
    record.a = swap ? j : i;
    record.b = swap ? i : j;
    measure(colliders, record);
    return record;
}

float contact_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal) {
    const Sweep &a = colliders.sweeps[record.a], &b = colliders.sweeps[record.b];
    return margin_of(record, nearer_along(colliders, record, normal) + a.turning + b.turning);
}

float separation_margin(const Colliders& colliders, const PairRecord& record, const vec3& normal, float height_a,
                        float height_b) {
    // Within its ball, what is up to a height h reaches up to h + sqrt(r^2 - h^2) t after a turn by t, if h is not
    // negative.
    constexpr float rounding = 1e-6f;  // of heights and radii, for shapes far from their origins
    const auto rise = [](const Sweep& sweep, float radius, float height) {
        const float h = std::max(height, 0.0f), across = (radius - h + rounding * radius) * (radius + h);
        return std::min(sweep.turning, std::sqrt(length_squared(sweep.turn) * std::max(across, 0.0f)));
    };
    const float risen = rise(colliders.sweeps[record.a], record.radius_a, height_a) +
                        rise(colliders.sweeps[record.b], record.radius_b, height_b);
    return margin_of(record, nearer_along(colliders, record, normal) + risen);
}

float contact_margin(const Colliders& colliders, const PairRecord& record) {
    return margin_of(record, colliders.sweeps[record.a].reach + colliders.sweeps[record.b].reach);
}

void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
             std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
             NarrowphaseProfile& profile) {
    Ladder(colliders, records, caches, settings, scratch, profile).run(active);
}

}  // namespace talus
