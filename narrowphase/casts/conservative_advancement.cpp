#include "narrowphase/casts/conservative_advancement.h"

#include "narrowphase/casts/clip_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How an axis moves.
enum class Carrier : std::uint8_t {
    world,    ///< it is fixed in the world
    on_a,     ///< it rotates with A
    on_b,     ///< it rotates with B
    turning,  ///< it rotates with an angular velocity of its own
};

struct Axis {
    Carrier carrier = Carrier::world;
    dvec3 n;            ///< unit, A to B: in the frame of A or B if it rotates with it, else in the world
    double from = 0.0;  ///< turning: the time at which it was n
    dvec3 spin{0.0};    ///< turning: angular velocity, at right angles to n, rad per duration
};

/// Bounds of the gap along an axis. Its derivative is at least `slope` (negative if the gap shrinks, m per duration)
/// minus `bend_once` * t, and it stays above the parabola of second derivative `bend` through two of its values.
struct Rates {
    double slope = 0.0, bend_once = 0.0, bend = 0.0;
};

/// The closest points of the two cores at one time; the deepest ones if they overlap and EPA was run.
struct Closest {
    bool beyond_limit = false, overlapping = false;
    double distance = 0.0;     ///< negative: depth; m
    double lower_bound = 0.0;  ///< of the distance, proved along `axis`, m
    dvec3 axis{0.0};           ///< A's frame, any length
    dvec3 normal{0.0};         ///< unit, from A to B, A's frame
    dvec3 on_core{0.0};        ///< on A's core, A's frame
    dvec3 apart{0.0};          ///< from `on_core` to B's closest point
};

class Advancement {
public:
    Advancement(MinkowskiDifference& difference, const Mover& a, const Mover& b)
        : difference_(difference), a_(a), b_(b), between_(b.at_start - a.at_start), drift_(b.velocity - a.velocity) {
        difference_.moves_onto_round_core = 0;  // feature_of() looks at the points
        pose(0.0);
    }

    TimeOfImpact run(double radius_a, double radii, double target, double tolerance);

private:
    /// Moves the difference to the time t (the simplex stays as it is).
    void pose(double t) { turn_a_ = set_pose(difference_, a_, b_, t); }

    /// Returns B's points of the simplex in B's frame, in which they do not move.
    void keep(dvec3 (&on_b)[4]) const {
        for (int i = 0; i < simplex_.count; ++i) {
            on_b[i] = (simplex_.vertex[i].a - simplex_.vertex[i].w - difference_.position) * difference_.rotation;
        }
    }
    /// Moves B's points of the simplex to the present pose.
    void carry(const dvec3 (&on_b)[4]) {
        for (int i = 0; i < simplex_.count; ++i) {
            SimplexVertex& v = simplex_.vertex[i];
            v.w = v.a - (difference_.rotation * on_b[i] + difference_.position);
        }
        reduce(simplex_, 0);
    }

    /// Returns the support vertex of the difference along a direction of A's frame.
    SimplexVertex support(const dvec3& n_in_a) {
        ++iterations_;
        return difference_.support(n_in_a, simplex_.vertex[0].index_a, simplex_.vertex[0].index_b);
    }

    /// Returns the axis at the time t, in A's frame.
    dvec3 axis_in_a(const Axis& axis, double t) const {
        switch (axis.carrier) {
            case Carrier::on_a:
                return axis.n;
            case Carrier::on_b:
                return difference_.rotation * axis.n;
            case Carrier::turning: {
                const double rate = length(axis.spin);
                const SinCos turn = sin_cos(rate * (t - axis.from));
                return turned(inverse(turn_a_),
                              turn.cosine * axis.n + (turn.sine / rate) * glm::cross(axis.spin, axis.n));
            }
            default:
                return turned(inverse(turn_a_), axis.n);
        }
    }

    /// Returns the gap along the axis at the time t, minus `goal`.
    double gap(const Axis& axis, double t, double goal) {
        pose(t);
        const dvec3 n = axis_in_a(axis, t);
        return -glm::dot(n, support(n).w) - goal;
    }

    /// Finds the closest points at the present pose, up to a distance of `limit`. If the cores overlap, the normal is
    /// `last_normal`, unless their depth is needed.
    Closest find(double limit, bool wants_depth, const dvec3& last_normal);
    /// Returns a time, at least t, before which the gap does not fall to the goal.
    double next_time(const Closest& closest, double t, double goal, double tolerance, const dvec3 (&on_b)[4]);
    Axis with_feature(const dvec3& n_in_a, const dvec3 (&on_b)[4], double t) const;
    Rates rates(const Axis& axis, const dvec3& n_in_world, double t) const;
    double revolve(const dvec3& n_in_world, double t, double extent_a, double s, double goal) const;
    double follow(const Axis& axis, const Rates& rates, double t, double s, double goal, double enough, double closing);
    TimeOfImpact answer(ToiStatus status, double t, const dvec3& normal, const dvec3& on_a, double separation) const;

    MinkowskiDifference& difference_;
    const Mover &a_, &b_;
    const dvec3 between_, drift_;  ///< from A's centre to B's at time 0, and how that changes
    dquat turn_a_{1.0, 0.0, 0.0, 0.0};
    Simplex simplex_;
    int queries_ = 0, iterations_ = 0;
};

/// The feature on which the closest point of one body lies: a point, an edge along `along`, or a face.
struct ContactFeature {
    int dimension = 0;
    dvec3 along{0.0};  ///< between the two points farthest apart
};

ContactFeature feature_of(const dvec3* p, int count, double size) {
    ContactFeature f;
    double longest2 = 1e-12 * size * size;
    dvec3 foot(0.0);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            const dvec3 d = p[i] - p[j];
            if (!(glm::dot(d, d) > longest2)) continue;
            longest2 = glm::dot(d, d);
            f.along = d;
            foot = p[j];
            f.dimension = 1;
        }
    }
    if (f.dimension == 0) return f;
    // On a rim, GJK's points lie close together around the closest one; a narrow triangle of such points is no face.
    constexpr double narrow = 0.02;
    for (int i = 0; i < count; ++i) {
        const dvec3 area = glm::cross(p[i] - foot, f.along);
        if (glm::dot(area, area) > narrow * narrow * longest2 * longest2) f.dimension = 2;
    }
    return f;
}

// The closest points of two bodies stay on their features for a while. The axis between them is then at right angles to
// a rotating face, or to two edges that rotate with their bodies. If the axis does not rotate with the feature, the gap
// along it falls behind the distance at a constant rate, because of the far ends of the face or edge. If it does, the
// gap falls behind only quadratically. This holds for smooth surfaces, too.
Axis Advancement::with_feature(const dvec3& n_in_a, const dvec3 (&on_b)[4], double t) const {
    dvec3 on_a[4];
    for (int i = 0; i < simplex_.count; ++i) on_a[i] = simplex_.vertex[i].a;
    const ContactFeature a = feature_of(on_a, simplex_.count, difference_.size);
    const ContactFeature b = feature_of(on_b, simplex_.count, difference_.size);
    Axis axis;
    if (a.dimension == 2 && a_.rate > 0.0) {
        axis.carrier = Carrier::on_a;
        axis.n = n_in_a;
        return axis;
    }
    if (b.dimension == 2 && b_.rate > 0.0) {
        axis.carrier = Carrier::on_b;
        axis.n = n_in_a * difference_.rotation;
        return axis;
    }
    axis.n = turned(turn_a_, n_in_a);
    if (a.dimension == 2 || b.dimension == 2) return axis;  // a face that does not rotate
    // n . e = 0 for an edge e, so n' . e = -n . (w x e): one condition per edge. n' is the shortest vector that meets
    // them.
    const dvec3 e = turned(turn_a_, a.along), f = turned(turn_a_, difference_.rotation * b.along);
    const double ee = glm::dot(e, e), ff = glm::dot(f, f), ef = glm::dot(e, f), det = ee * ff - ef * ef;
    const double want_e = -glm::dot(axis.n, glm::cross(a_.spin, e)), want_f = -glm::dot(axis.n, glm::cross(b_.spin, f));
    dvec3 change(0.0);
    if (det > 1e-6 * ee * ff) {
        change = ((want_e * ff - want_f * ef) * e + (want_f * ee - want_e * ef) * f) / det;
    } else if (ee > 0.0 && (ee >= ff || a_.rate > b_.rate)) {
        change = want_e / ee * e;
    } else if (ff > 0.0) {
        change = want_f / ff * f;
    }
    axis.spin = glm::cross(axis.n, change);
    if (glm::dot(axis.spin, axis.spin) > 0.0) axis.carrier = Carrier::turning;
    axis.from = t;
    return axis;
}

// The gap between two points, one of each body, along an axis n(t) is f = n . (D + b - a). D is the vector between the
// centres; a and b are the points relative to their own centre, at most `sphere` from it and at most `ring` from the
// axis of rotation. With a' = w_A x a, b' = w_B x b, D' = v and n' = w x n:
//
//     f' = n . v + (w x n) . D + (n x (w_B - w)) . b - (n x (w_A - w)) . a
//
// n fixed:            |f''| <= |n x w_A| |w_A| ring_A + |n x w_B| |w_B| ring_B; f' has the same bound at all times
// n rotates with A:   |f''| <= |w_A|^2 |D| + 2 |w_A| |v| + (|w_A| + |w_B|)^2 sphere_B,    n . a is constant
// n rotates with w:   |f''| <= |w|^2 |D| + 2 |w| |v| + (|w| + |w_A|)^2 sphere_A + (|w| + |w_B|)^2 sphere_B
Rates Advancement::rates(const Axis& axis, const dvec3& n, double t) const {
    Rates r;
    r.slope = glm::dot(n, drift_);
    if (axis.carrier == Carrier::world) {
        const double turn_a = length(glm::cross(n, a_.spin)) * a_.reach.ring;
        const double turn_b = length(glm::cross(n, b_.spin)) * b_.reach.ring;
        r.slope -= turn_a + turn_b;
        r.bend = turn_a * a_.rate + turn_b * b_.rate;
        return r;
    }
    const bool on_a = axis.carrier == Carrier::on_a, on_b = axis.carrier == Carrier::on_b;
    const dvec3& spin = on_a ? a_.spin : on_b ? b_.spin : axis.spin;
    const double rate = length(spin);
    const dvec3 now = between_ + t * drift_;
    const double farthest = std::max(length(now), length(between_ + drift_));
    r.slope += glm::dot(glm::cross(spin, n), now);
    r.bend = rate * (rate * farthest + 2.0 * length(drift_));
    if (!on_a) {
        r.slope -= length(glm::cross(n, a_.spin - spin)) * a_.reach.sphere;
        r.bend += (rate + a_.rate) * (rate + a_.rate) * a_.reach.sphere;
    }
    if (!on_b) {
        r.slope -= length(glm::cross(n, b_.spin - spin)) * b_.reach.sphere;
        r.bend += (rate + b_.rate) * (rate + b_.rate) * b_.reach.sphere;
    }
    r.bend_once = r.bend;
    return r;
}

/// Returns when the solids of revolution that the two bodies sweep come within the goal along n. A body that does not
/// rotate counts with its present extent.
double Advancement::revolve(const dvec3& n, double t, double extent_a, double s, double goal) const {
    const double apart = glm::dot(n, between_ + t * drift_), extent_b = apart - extent_a - s - goal;
    const double gap =
        apart - goal - (a_.rate > 0.0 ? a_.revolved(n) : extent_a) - (b_.rate > 0.0 ? b_.revolved(-n) : extent_b);
    if (!(gap > 0.0)) return t;
    const double closing = -glm::dot(n, drift_);
    return closing > 0.0 ? t + gap / closing : infinity;
}

/// Returns a time, at most 1, before which the gap along the axis does not fall to the goal. The gap is s > 0 at the
/// time t, and the distance shrinks at the rate `closing` then. Stops at a gap of `enough`.
double Advancement::follow(const Axis& axis, const Rates& rates, double t, double s, double goal, double enough,
                           double closing) {
    // The bound from one value: s + slope x - bend_once x^2 / 2. `slope` is the one at the start.
    const double start = t;
    const auto once = [&](double from, double value) {
        const double slope = rates.slope - rates.bend_once * (from - start);
        if (slope >= 0.0 && rates.bend_once == 0.0) return infinity;
        const double root = std::sqrt(slope * slope + 2.0 * rates.bend_once * value);
        return from + (slope > 0.0 ? (slope + root) / rates.bend_once : 2.0 * value / (root - slope));
    };
    // A little later than the time at which a gap that shrinks at this rate is closed.
    const auto guess = [](double from, double value, double fall) {
        return fall < 0.0 ? from - tolerance::toi_overshoot * value / fall : 1.0;
    };
    double safe = once(t, s), end = guess(t, s, -closing);
    for (int look = 0; look < tolerance::toi_axis_looks && safe < 1.0; ++look) {
        // No later than the time at which the parabola would fall by half of the gap.
        end = std::min(end, 1.0);
        if (rates.bend > 0.0) end = std::min(end, t + std::max(2.0 * std::sqrt(s / rates.bend), safe - t));
        const double span = end - t;
        if (!(span > 0.0)) break;
        const double s_end = gap(axis, end, goal);
        // The parabola from t on: s + fall x + bend x^2 / 2.
        const double chord = (s_end - s) / span, fall = chord - 0.5 * rates.bend * span;
        const double under = fall * fall - 2.0 * rates.bend * s;
        const double root = fall < 0.0 && under >= 0.0 ? 2.0 * s / (std::sqrt(under) - fall) : infinity;
        if (s_end > 0.0 && root >= span) {
            t = end;
            s = s_end;
            if (s <= enough) break;
            safe = std::max({safe, t, once(t, s)});
            end = guess(t, s, chord);
            continue;
        }
        t = std::min(t + root, end);
        safe = std::max(safe, t);
        if (s + chord * (t - (end - span)) <= enough) break;  // about the gap that is left then
        t = safe;
        s = gap(axis, t, goal);
        if (s <= enough) break;
        safe = std::max(safe, once(t, s));
        if (s_end < 0.0) end = std::min(end, guess(t, s, (s_end - s) / (end - t)));
    }
    return std::min(std::max(safe, t), 1.0);
}

TimeOfImpact Advancement::answer(ToiStatus status, double t, const dvec3& normal, const dvec3& on_a,
                                 double separation) const {
    TimeOfImpact result;
    result.status = status;
    result.time = round_down(t);
    result.queries = static_cast<std::uint16_t>(queries_);
    result.iterations = static_cast<std::uint16_t>(std::min(iterations_, 65535));
    if (status == ToiStatus::separated) return result;
    const dquat turn = a_.rotation(t);
    const dvec3 n = turned(turn, normal);
    const dvec3 point = a_.at_start + t * a_.velocity + turned(turn, on_a - a_.center);
    result.separation = static_cast<float>(separation);
    result.normal = vec3(n);
    result.point_a = vec3(point);
    result.point_b = vec3(point + separation * n);
    return result;
}

Closest Advancement::find(double limit, bool wants_depth, const dvec3& last_normal) {
    const Search search = find_closest(difference_, simplex_, limit);
    ++queries_;
    iterations_ += search.iterations;
    Closest c;
    c.beyond_limit = search.outcome == Outcome::beyond_limit;
    c.overlapping = search.outcome == Outcome::overlapping;
    c.lower_bound = search.lower_bound;
    c.on_core = simplex_.on_a();
    c.axis = search.axis;
    c.normal = last_normal;
    if (c.overlapping && wants_depth) {
        const EpaResult deep = expand(difference_, simplex_);
        iterations_ += deep.iterations;
        c.normal = c.axis = dvec3(deep.normal);
        c.distance = -double(deep.depth);
        c.on_core = dvec3(deep.point_a);
        c.apart = c.distance * c.normal;
        c.lower_bound = std::min(c.distance, -glm::dot(c.axis, support(c.axis).w));
    } else if (!c.overlapping) {
        c.normal = -simplex_.y / std::sqrt(simplex_.yy);
        c.distance = std::sqrt(simplex_.vv);
        c.apart = -simplex_.closest();
    }
    return c;
}

double Advancement::next_time(const Closest& c, double t, double goal, double tolerance, const dvec3 (&on_b)[4]) {
    const double s = c.lower_bound - goal, enough = std::max(0.25 * tolerance, s * tolerance::toi_axis_spent);
    const dvec3 n_in_a = c.axis / length(c.axis), n = turned(turn_a_, n_in_a);
    // How fast the distance changes now, from the velocities of the closest points.
    const dvec3 at_a = turned(turn_a_, c.on_core - a_.center);
    const dvec3 at_b = at_a + turned(turn_a_, c.apart) - (between_ + t * drift_);
    const double closing = -glm::dot(n, drift_ + glm::cross(b_.spin, at_b) - glm::cross(a_.spin, at_a));

    double next = t;
    if (a_.rate > 0.0 || b_.rate > 0.0) {
        const bool both = a_.rate > 0.0 && b_.rate > 0.0;  // then the present extents do not matter
        const double extent_a = both ? 0.0 : glm::dot(n_in_a, support(n_in_a).a - a_.center);
        next = std::max(next, revolve(n, t, extent_a, s, goal));
    }
    const auto advance = [&](const Axis& along) {
        if (next < 1.0) next = std::max(next, follow(along, rates(along, n, t), t, s, goal, enough, closing));
    };
    const Axis following = c.overlapping ? Axis{.n = n} : with_feature(n_in_a, on_b, t);
    if (following.carrier != Carrier::world) advance(following);
    if (following.carrier == Carrier::world || (next - t) * closing < tolerance::toi_good_step * s) {
        Axis standing;
        standing.n = n;
        advance(standing);
    }
    return next;
}

TimeOfImpact Advancement::run(double radius_a, double radii, double target, double tolerance) {
    // No gap shrinks faster than this, along any axis.
    const double fastest = length(drift_) + a_.rate * a_.reach.ring + b_.rate * b_.reach.ring;
    const double reach = radii + target;
    double t = 0.0;
    dvec3 normal(0.0, 1.0, 0.0);
    for (;;) {
        const double limit = std::max(reach + tolerance + fastest * (1.0 - t), 0.0);
        const Closest c = find(limit, t == 0.0 || reach < 0.0, normal);
        normal = c.normal;
        const double separation = c.distance - radii;
        const dvec3 on_a = c.on_core + radius_a * normal;
        if (c.beyond_limit) return answer(ToiStatus::separated, 1.0, normal, on_a, separation);
        if (t == 0.0 && separation <= target) {
            return answer(ToiStatus::initially_overlapping, t, normal, on_a, separation);
        }
        const bool near = separation - target <= tolerance;
        if (queries_ >= tolerance::toi_max_queries || !(c.lower_bound > reach)) {
            return answer(near ? ToiStatus::hit : ToiStatus::iteration_cap, t, normal, on_a, separation);
        }
        // The goal is between the target and the tolerance, where the two are still apart and have a normal.
        const double goal = reach + 0.5 * std::min(tolerance, c.lower_bound - reach);
        dvec3 on_b[4];
        keep(on_b);
        const double next = next_time(c, t, goal, tolerance, on_b);
        if (next >= 1.0) return answer(ToiStatus::separated, 1.0, normal, on_a, separation);
        if (near) return answer(ToiStatus::hit, t, normal, on_a, separation);
        if (!(next > t)) return answer(ToiStatus::iteration_cap, t, normal, on_a, separation);
        t = next;
        pose(t);
        carry(on_b);
    }
}

}  // namespace

dquat set_pose(MinkowskiDifference& difference, const Mover& a, const Mover& b, double t) {
    const dquat turn_a = a.rotation(t);
    const dvec3 between = b.at_start - a.at_start, drift = b.velocity - a.velocity;
    difference.rotation = matrix_of(times(inverse(turn_a), b.rotation(t)));
    difference.position = turned(inverse(turn_a), between + t * drift) - difference.rotation * b.center + a.center;
    return turn_a;
}

TimeOfImpact advance(MinkowskiDifference& difference, const Mover& a, const Mover& b, double radius_a, double radii,
                     double target, double tolerance) {
    return Advancement(difference, a, b).run(radius_a, radii, target, tolerance);
}

}  // namespace talus::detail
