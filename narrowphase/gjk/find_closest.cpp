#include "narrowphase/gjk/find_closest.h"

#include "narrowphase/gjk/round_core.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Adds `next` again if it seemed to bring no progress, because rounding may have made v too short: computed from a
/// distant vertex, v has that vertex's rounding error times the ratio of the simplex's sides. Here v is computed from
/// the nearest vertex. If there is still no progress, returns false and leaves the simplex as it was.
bool reduce_from_nearest(Simplex& simplex, const SimplexVertex& next) {
    const auto nearer = [](const SimplexVertex& p, const SimplexVertex& q) {
        return glm::dot(p.w, p.w) < glm::dot(q.w, q.w);
    };
    Simplex without = simplex, with = simplex;
    with.vertex[with.count++] = next;
    for (Simplex* s : {&without, &with}) {
        std::sort(s->vertex, s->vertex + s->count, nearer);
        reduce(*s, 0);
    }
    if (!(with.vv < without.vv)) return false;
    simplex = with;
    return true;
}

bool same_point(const SimplexVertex& p, const SimplexVertex& q) { return p.w == q.w && p.a == q.a; }

ObservedVertex observed(const SimplexVertex& v) {
    return {{v.w.x, v.w.y, v.w.z}, {v.a.x, v.a.y, v.a.z}, v.index_a, v.index_b};
}

void tell_support(GjkObserver& observer, const dvec3& d, const SimplexVertex& newest, double bound2, double vv) {
    observer.support({d.x, d.y, d.z}, observed(newest), std::sqrt(std::min(bound2, vv)));
}

void tell_simplex(GjkObserver& observer, const Simplex& simplex, double bound2) {
    ObservedSimplex s = {};
    s.count = simplex.count;
    for (int i = 0; i < simplex.count; ++i) s.vertex[i] = observed(simplex.vertex[i]);
    s.encloses = simplex.contains;
    const dvec3 v = simplex.closest();
    for (int i = 0; i < 3; ++i) s.closest[i] = v[i];
    s.distance = std::sqrt(simplex.vv);
    s.lower_bound = std::sqrt(std::min(bound2, simplex.vv));
    observer.simplex(s);
}

template <class Observer>
inline Search search_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance,
                             Observer& observer) {
    Search search;
    double bound2 = 0.0;  // the square of the lower bound
    const double max_distance2 = max_distance * max_distance;
    // The support plane at w with normal -y proves that the distance is at least y.w / |y|, whatever y is.
    const auto prove = [&](const dvec3& y, double yy, double yw) {
        if (yw > 0.0 && yw * yw > bound2 * yy) {
            bound2 = yw * yw / yy;
            search.axis = -y;
        }
        return bound2 > max_distance2;
    };
    const auto finish = [&](Outcome outcome) {
        search.outcome = outcome;
        search.lower_bound = std::sqrt(bound2);
        return search;
    };

    if (simplex.count == 0) {
        dvec3 d = difference.between_middles();
        double dd = glm::dot(d, d);
        if (!(dd > 0.0)) {
            d = dvec3(0.0, 1.0, 0.0);
            dd = 1.0;
        }
        simplex.vertex[0] = difference.support(d, 0, 0);
        simplex.count = 1;
        ++search.iterations;
        reduce(simplex, 0);
        const bool beyond = prove(-d, dd, -glm::dot(d, simplex.y));
        if constexpr (Observer::watches) {
            tell_support(observer, d, simplex.vertex[0], bound2, simplex.vv);
            tell_simplex(observer, simplex, bound2);
        }
        if (beyond) return finish(Outcome::beyond_limit);
    }

    std::uint16_t hint_a = simplex.vertex[0].index_a, hint_b = simplex.vertex[0].index_b;
    const double size2 = difference.size * difference.size;
    const double gap2 = difference.gap * difference.gap;
    const double floor2 = std::min(gap2, tolerance::gjk_gap_floor * tolerance::gjk_gap_floor);
    constexpr double touching2 = tolerance::gjk_touching * tolerance::gjk_touching;
    double largest2 = 0.0;  // squared distance of the farthest vertex so far
    int rescues = 4;        // from rounding; without a limit, touching cores could go on with the same few vertices
    for (int i = 0; i < simplex.count; ++i) {
        largest2 = std::max(largest2, glm::dot(simplex.vertex[i].w, simplex.vertex[i].w));
    }
    int moves = has_one_round_core(difference) ? difference.moves_onto_round_core : 0;
    for (;;) {
        if (moves > 0 && !simplex.contains && move_onto_round_core(difference, simplex)) --moves;
        if constexpr (Observer::watches) tell_simplex(observer, simplex, bound2);
        if (simplex.contains) return finish(Outcome::overlapping);
        if (simplex.vv <= touching2 * largest2) return finish(Outcome::overlapping);
        if (search.iterations >= tolerance::gjk_max_iterations) return finish(Outcome::iteration_cap);

        const SimplexVertex next = difference.support(-simplex.y, hint_a, hint_b);
        hint_a = next.index_a;
        hint_b = next.index_b;
        ++search.iterations;
        largest2 = std::max(largest2, glm::dot(next.w, next.w));
        const double yw = glm::dot(simplex.y, next.w);
        const bool beyond = prove(simplex.y, simplex.yy, yw);
        if constexpr (Observer::watches) tell_support(observer, -simplex.y, next, bound2, simplex.vv);
        if (beyond) return finish(Outcome::beyond_limit);

        // |v| - y.w / |y| <= gap * min(|v|, size), squared to avoid roots.
        const double rest = simplex.yv - yw;
        const double allowed = std::max(gap2 * std::min(simplex.vv, size2), floor2 * simplex.vv);
        if (!(rest > 0.0) || rest * rest <= simplex.yy * allowed) return finish(Outcome::separated);
        // Rounding ends the search. If no plane has separated the cores, they count as touching: the origin may lie
        // inside by less than rounding, and y could then have either sign. If one has, it is the result unless y's own
        // plane proves enough.
        const auto stuck = [&] {
            constexpr double enough = 1.0 - tolerance::gjk_stuck;
            search.by_axis = !(yw > 0.0 && yw * yw >= enough * enough * simplex.vv * simplex.yy);
            return finish(bound2 > 0.0 ? Outcome::separated : Outcome::overlapping);
        };
        for (int i = 0; i < simplex.count; ++i) {
            if (same_point(simplex.vertex[i], next)) return stuck();
        }

        const int previous = simplex.count;
        simplex.vertex[simplex.count++] = next;
        if (!reduce(simplex, previous) && (rescues-- == 0 || !reduce_from_nearest(simplex, next))) return stuck();
    }
}

}  // namespace

Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance) {
    Unobserved nobody;
    return search_closest(difference, simplex, max_distance, nobody);
}

Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance,
                    GjkObserver& observer) {
    return search_closest(difference, simplex, max_distance, observer);
}

GjkResult to_result(const Simplex& simplex, const Search& search) {
    GjkResult result;
    const dvec3 on_a = simplex.on_a(), v = simplex.closest();
    result.point_a = vec3(on_a);
    result.point_b = vec3(on_a - v);
    result.iterations = static_cast<std::uint16_t>(search.iterations);
    result.support_evaluations = static_cast<std::uint16_t>(2 * search.iterations);
    if (search.outcome == Outcome::overlapping) {
        result.status = GjkStatus::overlapping;
        return result;
    }
    const bool by_axis = search.by_axis || search.outcome == Outcome::beyond_limit;
    const dvec3 normal = by_axis ? search.axis : -simplex.y;
    result.normal = vec3(normal / std::sqrt(glm::dot(normal, normal)));
    result.distance = static_cast<float>(std::sqrt(simplex.vv));
    result.lower_bound = std::min(static_cast<float>(search.lower_bound), result.distance);
    if (by_axis) result.distance = result.lower_bound;
    if (search.outcome == Outcome::beyond_limit) {
        result.status = GjkStatus::beyond_limit;
    } else if (search.outcome == Outcome::iteration_cap) {
        result.status = GjkStatus::iteration_cap;
    }
    return result;
}

}  // namespace talus::detail
