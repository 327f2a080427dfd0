#include <talus/narrowphase/time_of_impact.h>

#include "narrowphase/casts/clip_cast.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;
using glm::dquat;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Turns by more than this in one motion are refused: double could no longer tell where they end.
constexpr double largest_turn = 1e9;

/// Hulls of up to so many vertices have all of them looked at for their reach, larger ones the corners of their box.
constexpr std::size_t hull_reach_limit = 32;

struct SinCos {
    double sine, cosine;
};

/// Good to double rounding for |x| <= 1e5, to 1e-6 at `largest_turn`; the same bits everywhere.
SinCos sin_cos(double x) {
    // x - n pi/2, pi/2 in two parts of which the first has trailing zeros enough for n times it to be exact.
    const double n = std::floor(x * 0.63661977236758134308 + 0.5);
    const double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, z = r * r;
    const double s =
        r + r * z *
                (-1.0 / 6 +
                 z * (1.0 / 120 +
                      z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                                  z * (1.0 / 6227020800.0 - z / 1307674368000.0))))));
    const double c =
        1.0 +
        z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 +
                                         z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600.0 -
                                                                                       z * (1.0 / 87178291200.0 -
                                                                                            z / 20922789888000.0)))))));
    switch (static_cast<int>(static_cast<std::int64_t>(n) & 3)) {
        case 0:
            return {s, c};
        case 1:
            return {c, -s};
        case 2:
            return {-s, -c};
        default:
            return {-c, s};
    }
}

/// The angle in [0, pi/2] with this sine and cosine (both >= 0, squares summing to 1): a rough guess, then twice the
/// sine of what is missing.
double angle_of(double sine, double cosine) {
    constexpr double quarter = 0.78539816339744830962;
    const auto rough = [](double t) { return t * (quarter + 0.273 * (1.0 - t)); };  // to 4e-3
    double angle = sine <= cosine ? rough(sine / cosine) : 2.0 * quarter - rough(cosine / sine);
    for (int i = 0; i < 2; ++i) {
        const SinCos g = sin_cos(angle);
        const double d = sine * g.cosine - cosine * g.sine;
        angle += d + d * d * d / 6.0;
    }
    return angle;
}

dquat times(const dquat& a, const dquat& b) {
    return dquat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

dquat inverse(const dquat& q) { return dquat(q.w, -q.x, -q.y, -q.z); }

dvec3 turned(const dquat& q, const dvec3& v) {
    const dvec3 u(q.x, q.y, q.z), t = 2.0 * glm::cross(u, v);
    return v + q.w * t + glm::cross(u, t);
}

dmat3 matrix_of(const dquat& q) {
    const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return dmat3(1.0 - (yy + zz), xy + wz, xz - wy,  // columns
                 xy - wz, 1.0 - (xx + zz), yz + wx,  //
                 xz + wy, yz - wx, 1.0 - (xx + yy));
}

dquat unit(const quat& q) {
    const dquat d(double(q.w), double(q.x), double(q.y), double(q.z));
    const double s = 1.0 / std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return dquat(d.w * s, d.x * s, d.y * s, d.z * s);
}

double length(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }

/// How far a core reaches from its centre of rotation, m.
struct Reach {
    double ring = 0.0;                        ///< from the axis of rotation
    double ball = 0.0;                        ///< from the centre
    double low = infinity, high = -infinity;  ///< along the axis

    /// A disc around p (from the centre), whose reach along the axis is `lean` times its radius.
    void add(const dvec3& p, const dvec3& axis, double radius = 0.0, double lean = 0.0) {
        const double along = glm::dot(p, axis), pp = glm::dot(p, p);
        ring = std::max(ring, length(glm::cross(p, axis)) + radius);
        ball = std::max(ball, std::sqrt(pp) + radius);
        low = std::min(low, along - radius * lean);
        high = std::max(high, along + radius * lean);
    }
    void add_box(const dvec3& middle, const dvec3& half, const dvec3& axis) {
        for (int i = 0; i < 8; ++i) {
            add(middle + dvec3((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                               (i & 4) != 0 ? half.z : -half.z),
                axis);
        }
    }
};

Reach reach_of(const Shape& shape, const dvec3& center, const dvec3& axis) {
    Reach reach;
    const dvec3 half(shape.half_extents);
    switch (shape.type) {
        case ShapeType::sphere:
            reach.add(-center, axis);
            break;
        case ShapeType::capsule:
            reach.add(dvec3(0.0, half.y, 0.0) - center, axis);
            reach.add(dvec3(0.0, -half.y, 0.0) - center, axis);
            break;
        case ShapeType::segment:
        case ShapeType::triangle:
            for (int i = 0; i < (shape.type == ShapeType::segment ? 2 : 3); ++i) {
                reach.add(dvec3(shape.points[i]) - center, axis);
            }
            break;
        case ShapeType::box:
            reach.add_box(-center, half, axis);
            break;
        case ShapeType::cylinder:
        case ShapeType::cone: {
            const double lean = std::sqrt(std::max(1.0 - axis.y * axis.y, 0.0));
            reach.add(dvec3(0.0, half.y, 0.0) - center, axis, shape.type == ShapeType::cone ? 0.0 : half.x, lean);
            reach.add(dvec3(0.0, -half.y, 0.0) - center, axis, half.x, lean);
            break;
        }
        case ShapeType::hull: {
            const Hull& hull = *shape.hull;
            if (hull.vertices.size() <= hull_reach_limit) {
                for (const vec3& v : hull.vertices) reach.add(dvec3(v) - center, axis);
                break;
            }
            reach.add_box(dvec3(talus::center(hull.bounds)) - center, dvec3(half_extents(hull.bounds)), axis);
            const double ball = length(center) + double(hull.bounding_radius);
            reach.ring = std::min(reach.ring, ball);
            reach.ball = std::min(reach.ball, ball);
            break;
        }
    }
    return reach;
}

/// A body's motion, in double and with the whole duration as the unit of time.
struct Mover {
    dquat start;
    dvec3 center;    ///< in the shape's frame
    dvec3 at_start;  ///< the centre, world
    dvec3 velocity, spin;
    double rate = 0.0;  ///< |spin|
    dvec3 axis{0.0};    ///< unit, or zero when it does not turn
    Reach reach;

    Mover(const RigidMotion& m, double duration)
        : start(unit(m.start.rotation)),
          center(m.center),
          at_start(dvec3(m.start.position) + turned(start, dvec3(m.center))),
          velocity(dvec3(m.linear_velocity) * duration),
          spin(dvec3(m.angular_velocity) * duration),
          rate(length(spin)) {
        if (rate > 0.0) axis = spin / rate;
    }

    dvec3 axis_in_shape() const { return turned(inverse(start), axis); }

    dquat rotation(double t) const {
        if (!(rate > 0.0)) return start;
        const SinCos half = sin_cos(0.5 * rate * t);
        const dvec3 v = half.sine * axis;
        return times(dquat(half.cosine, v.x, v.y, v.z), start);
    }

    /// A core that lies on its axis of rotation, such as a ball's centre or a rolling capsule's segment, does not turn.
    void settle() {
        if (reach.ring > tolerance::toi_no_ring * (reach.ball + length(center))) return;
        rate = 0.0;
        spin = axis = dvec3(0.0);
    }

    /// How far the core reaches along n from the centre at most, whatever the angle it has turned by.
    double revolved(const dvec3& n) const {
        const double along = glm::dot(n, axis), across = length(glm::cross(n, axis));
        return std::max(along * reach.high, along * reach.low) + across * reach.ring;
    }
};

bool is_finite(const RigidMotion& m) {
    const quat& q = m.start.rotation;
    return talus::is_finite(m.start.position) && talus::is_finite(q) &&
           q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12f && talus::is_finite(m.center) &&
           talus::is_finite(m.linear_velocity) && talus::is_finite(m.angular_velocity);
}

/// What an axis does while time passes.
enum class Carrier : std::uint8_t {
    world,    ///< it stands still
    on_a,     ///< it turns with A
    on_b,     ///< it turns with B
    turning,  ///< it turns at a rate of its own
};

struct Axis {
    Carrier carrier = Carrier::world;
    dvec3 n;            ///< unit, A to B: in the frame of A or B when carried by it, else in the world
    double from = 0.0;  ///< turning: at this time it was n
    dvec3 spin{0.0};    ///< turning: at right angles to n, rad a duration
};

/// What is known about the gap along an axis beside its values: it never falls faster than `slope` (<= 0 when falling,
/// m a duration) less `bend_once` * t, and stays above the parabola of second derivative `bend` through two of its
/// values.
struct Rates {
    double slope = 0.0, bend_once = 0.0, bend = 0.0;
};

class Advancement {
public:
    Advancement(MinkowskiDifference& difference, const Mover& a, const Mover& b)
        : difference_(difference), a_(a), b_(b), between_(b.at_start - a.at_start), drift_(b.velocity - a.velocity) {
        pose(0.0);
    }

    /// With a negative target, cores that overlap are at the distance -depth that EPA gives. That distance is the
    /// largest of the gaps along all axes whatever its sign, so that one axis proves what it does apart.
    TimeOfImpact run(double radius_a, double radii, double target, double tolerance);

private:
    /// Moves the difference to the time t (the simplex stays behind).
    void pose(double t) {
        turn_a_ = a_.rotation(t);
        difference_.rotation = matrix_of(times(inverse(turn_a_), b_.rotation(t)));
        difference_.position =
            turned(inverse(turn_a_), between_ + t * drift_) - difference_.rotation * b_.center + a_.center;
    }

    /// B's points of the simplex in B's frame: what survives a change of pose.
    void keep(dvec3 (&on_b)[4]) const {
        for (int i = 0; i < simplex_.count; ++i) {
            on_b[i] = (simplex_.vertex[i].a - simplex_.vertex[i].w - difference_.position) * difference_.rotation;
        }
    }
    void carry(const dvec3 (&on_b)[4]) {
        for (int i = 0; i < simplex_.count; ++i) {
            SimplexVertex& v = simplex_.vertex[i];
            v.w = v.a - (difference_.rotation * on_b[i] + difference_.position);
        }
        reduce(simplex_, 0);
    }

    SimplexVertex support(const dvec3& n_in_a) {
        ++iterations_;
        return difference_.support(n_in_a, simplex_.vertex[0].index_a, simplex_.vertex[0].index_b);
    }

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

    /// The gap along the axis at the time t, less `goal`.
    double gap(const Axis& axis, double t, double goal) {
        pose(t);
        const dvec3 n = axis_in_a(axis, t);
        return -glm::dot(n, support(n).w) - goal;
    }

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

/// What the closest points of one body lie on: a point, an edge along `along`, or a face.
struct Feature {
    int dimension = 0;
    dvec3 along{0.0};  ///< between the two points farthest apart
};

Feature feature_of(const dvec3* p, int count, double size) {
    Feature f;
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
    // Points on a rim crowd about the one that they are to find; what they span beside the longest edge is no face.
    constexpr double narrow = 0.02;
    for (int i = 0; i < count; ++i) {
        const dvec3 area = glm::cross(p[i] - foot, f.along);
        if (glm::dot(area, area) > narrow * narrow * longest2 * longest2) f.dimension = 2;
    }
    return f;
}

// The closest points of two bodies stay on their features for a while, and the axis between them with them: at right
// angles to a face that turns, or to two edges that turn each with its own body. An axis that does not follow loses to
// the far ends of the face or edge at a rate; one that follows loses but quadratically, also where a surface is smooth.
Axis Advancement::with_feature(const dvec3& n_in_a, const dvec3 (&on_b)[4], double t) const {
    dvec3 on_a[4];
    for (int i = 0; i < simplex_.count; ++i) on_a[i] = simplex_.vertex[i].a;
    const Feature a = feature_of(on_a, simplex_.count, difference_.size);
    const Feature b = feature_of(on_b, simplex_.count, difference_.size);
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
    if (a.dimension == 2 || b.dimension == 2) return axis;  // a face that does not turn
    // n . e = 0 for an edge e, so that n' . e = -n . (w x e): one condition an edge. n' is the shortest that meets
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

// The gap between two points, one of each body, along an axis n(t) is f = n . (D + b - a), D from centre to centre and
// a, b from the own centre, not farther from it than `ball`, nor than `ring` from the axis of rotation. With a' = w_A x
// a, b' = w_B x b, D' = v and n' = w x n:
//
//     f' = n . v + (w x n) . D + (n x (w_B - w)) . b - (n x (w_A - w)) . a
//
// n at rest:          |f''| <= |n x w_A| |w_A| ring_A + |n x w_B| |w_B| ring_B, and f' is bounded the same at all times
// n turning with A:   |f''| <= |w_A|^2 |D| + 2 |w_A| |v| + (|w_A| + |w_B|)^2 ball_B,    n . a is constant
// n turning with w:   |f''| <= |w|^2 |D| + 2 |w| |v| + (|w| + |w_A|)^2 ball_A + (|w| + |w_B|)^2 ball_B
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
        r.slope -= length(glm::cross(n, a_.spin - spin)) * a_.reach.ball;
        r.bend += (rate + a_.rate) * (rate + a_.rate) * a_.reach.ball;
    }
    if (!on_b) {
        r.slope -= length(glm::cross(n, b_.spin - spin)) * b_.reach.ball;
        r.bend += (rate + b_.rate) * (rate + b_.rate) * b_.reach.ball;
    }
    r.bend_once = r.bend;
    return r;
}

/// When the solids of revolution that the two turn into come within the goal along n; what does not turn stays as it
/// is.
double Advancement::revolve(const dvec3& n, double t, double extent_a, double s, double goal) const {
    const double apart = glm::dot(n, between_ + t * drift_), extent_b = apart - extent_a - s - goal;
    const double gap =
        apart - goal - (a_.rate > 0.0 ? a_.revolved(n) : extent_a) - (b_.rate > 0.0 ? b_.revolved(-n) : extent_b);
    if (!(gap > 0.0)) return t;
    const double closing = -glm::dot(n, drift_);
    return closing > 0.0 ? t + gap / closing : infinity;
}

/// A time up to 1 before which the gap along the axis does not fall to the goal, starting from s > 0 at the time t,
/// when the distance shrinks at the rate `closing`. Gives up at a gap of `enough`.
double Advancement::follow(const Axis& axis, const Rates& rates, double t, double s, double goal, double enough,
                           double closing) {
    // From one value: s + slope x - bend_once x^2 / 2. The slope was that at the start.
    const double start = t;
    const auto once = [&](double from, double value) {
        const double slope = rates.slope - rates.bend_once * (from - start);
        if (slope >= 0.0 && rates.bend_once == 0.0) return infinity;
        const double root = std::sqrt(slope * slope + 2.0 * rates.bend_once * value);
        return from + (slope > 0.0 ? (slope + root) / rates.bend_once : 2.0 * value / (root - slope));
    };
    // Where a gap that shrinks like this is used up, and a little beyond.
    const auto guess = [](double from, double value, double fall) {
        return fall < 0.0 ? from - tolerance::toi_overshoot * value / fall : 1.0;
    };
    double safe = once(t, s), end = guess(t, s, -closing);
    for (int look = 0; look < tolerance::toi_axis_looks && safe < 1.0; ++look) {
        // No farther ahead than where the parabola would dip by half of the gap.
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
        if (s + chord * (t - (end - span)) <= enough) break;  // about what is left there
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

TimeOfImpact Advancement::run(double radius_a, double radii, double target, double tolerance) {
    // No gap shrinks faster than this, along any axis.
    const double fastest = length(drift_) + a_.rate * a_.reach.ring + b_.rate * b_.reach.ring;
    const double reach = radii + target;
    double t = 0.0;
    dvec3 normal(0.0, 1.0, 0.0);
    for (;;) {
        const Search search =
            find_closest(difference_, simplex_, std::max(reach + tolerance + fastest * (1.0 - t), 0.0));
        ++queries_;
        iterations_ += search.iterations;
        const bool overlapping = search.outcome == Outcome::overlapping;
        double distance = 0.0, lower_bound = search.lower_bound;
        dvec3 on_core = simplex_.on_a(), axis = search.axis, apart(0.0);
        if (overlapping && (t == 0.0 || reach < 0.0)) {
            const EpaResult deep = expand(difference_, simplex_);
            iterations_ += deep.iterations;
            normal = axis = dvec3(deep.normal);
            distance = -double(deep.depth);
            on_core = dvec3(deep.point_a);
            apart = distance * normal;
            lower_bound = std::min(distance, -glm::dot(axis, support(axis).w));
        } else if (!overlapping) {
            normal = -simplex_.y / std::sqrt(simplex_.yy);
            distance = std::sqrt(simplex_.vv);
            apart = -simplex_.closest();
        }
        const double separation = distance - radii;
        const dvec3 on_a = on_core + radius_a * normal;
        if (search.outcome == Outcome::beyond_limit) return answer(ToiStatus::separated, 1.0, normal, on_a, separation);
        if (t == 0.0 && separation <= target) {
            return answer(ToiStatus::initially_overlapping, t, normal, on_a, separation);
        }
        const bool near = separation - target <= tolerance;
        if (queries_ >= tolerance::toi_max_queries || !(lower_bound > reach)) {
            return answer(near ? ToiStatus::hit : ToiStatus::iteration_cap, t, normal, on_a, separation);
        }

        // Aim between the target and the tolerance: there a normal is left to speak of.
        const double goal = reach + 0.5 * std::min(tolerance, lower_bound - reach);
        const double s = lower_bound - goal, enough = std::max(0.25 * tolerance, s * tolerance::toi_axis_spent);
        const dvec3 n_in_a = axis / length(axis), n = turned(turn_a_, n_in_a);
        dvec3 on_b[4];
        keep(on_b);
        // How the distance changes right now: the speeds of the closest points.
        const dvec3 at_a = turned(turn_a_, on_core - a_.center);
        const dvec3 at_b = at_a + turned(turn_a_, apart) - (between_ + t * drift_);
        const double closing = -glm::dot(n, drift_ + glm::cross(b_.spin, at_b) - glm::cross(a_.spin, at_a));

        double next = t;
        if (a_.rate > 0.0 || b_.rate > 0.0) {
            const bool both = a_.rate > 0.0 && b_.rate > 0.0;  // then neither reach as it is now matters
            const double extent_a = both ? 0.0 : glm::dot(n_in_a, support(n_in_a).a - a_.center);
            next = std::max(next, revolve(n, t, extent_a, s, goal));
        }
        const auto advance = [&](const Axis& along) {
            if (next < 1.0) next = std::max(next, follow(along, rates(along, n, t), t, s, goal, enough, closing));
        };
        const Axis following = overlapping ? Axis{.n = n} : with_feature(n_in_a, on_b, t);
        if (following.carrier != Carrier::world) advance(following);
        if (following.carrier == Carrier::world || (next - t) * closing < tolerance::toi_good_step * s) {
            Axis standing;
            standing.n = n;
            advance(standing);
        }
        if (next >= 1.0) return answer(ToiStatus::separated, 1.0, normal, on_a, separation);
        if (near) return answer(ToiStatus::hit, t, normal, on_a, separation);
        if (!(next > t)) return answer(ToiStatus::iteration_cap, t, normal, on_a, separation);
        t = next;
        pose(t);
        carry(on_b);
    }
}

bool usable(const RigidMotion& a, const RigidMotion& b, const ToiSettings& s) {
    if (!is_finite(a) || !is_finite(b) || !talus::is_finite(s.duration) || !(s.duration >= 0.0f)) return false;
    if (!talus::is_finite(s.target_distance) || !talus::is_finite(s.tolerance)) return false;
    const double turn_a = length(dvec3(a.angular_velocity)), turn_b = length(dvec3(b.angular_velocity));
    return std::max(turn_a, turn_b) * double(s.duration) <= largest_turn;
}

/// A cast's answer as a time of impact of two bodies that do not turn.
TimeOfImpact from_cast(const ShapeCastResult& cast, const Mover& a) {
    TimeOfImpact result;
    switch (cast.status) {
        case CastStatus::miss:
            return result;
        case CastStatus::hit:
            result.status = ToiStatus::hit;
            break;
        case CastStatus::initially_overlapping:
            result.status = ToiStatus::initially_overlapping;
            break;
        case CastStatus::iteration_cap:
            result.status = ToiStatus::iteration_cap;
            break;
    }
    const auto to_world = [&](const vec3& p) {
        return vec3(a.at_start + double(cast.fraction) * a.velocity + turned(a.start, dvec3(p) - a.center));
    };
    result.time = cast.fraction;
    result.separation = cast.separation;
    result.normal = vec3(turned(a.start, dvec3(cast.normal)));
    result.point_a = to_world(cast.point_a);
    result.point_b = to_world(cast.point_b);
    return result;
}

TimeOfImpact run(MinkowskiDifference& difference, const Mover& a, const Mover& b, double radius_a, double radii,
                 const ToiSettings& settings) {
    const double target = double(settings.target_distance);
    // GJK's own error and the rounding of coordinates set the least tolerance that makes sense.
    const double tolerance = std::max(
        double(settings.tolerance) * difference.size,
        10.0 * tolerance::gjk_gap * std::min(std::max(radii + target, 0.0), difference.size) +
            1e3 * tolerance::cast_rounding * (length(b.at_start - a.at_start) + length(b.velocity - a.velocity)));
    Advancement advancement(difference, a, b);
    TimeOfImpact result;
    if (a.rate > 0.0 || b.rate > 0.0 || radii + target < 0.0) {
        result = advancement.run(radius_a, radii, target, tolerance);
    } else {
        const dquat to_a = inverse(a.start);
        const ShapeCastResult c =
            difference.core_a.type == ShapeType::sphere && difference.core_b.type == ShapeType::sphere
                ? cast_balls(difference.position, turned(to_a, b.velocity - a.velocity), target, radius_a,
                             radii - radius_a)
                : cast(difference, turned(to_a, b.velocity - a.velocity), target, radius_a, radii);
        result = from_cast(c, a);
        result.queries = 1;
        result.iterations = c.iterations;
    }
    result.time = result.status == ToiStatus::separated ? settings.duration
                                                        : round_down(double(result.time) * double(settings.duration));
    return result;
}

}  // namespace

RigidMotion motion_between(const Transform& start, const Transform& end, const vec3& center, float duration,
                           const vec3& expected_turn) {
    RigidMotion motion;
    motion.start = start;
    motion.center = center;
    if (!(duration > 0.0f)) return motion;
    const double per_second = 1.0 / double(duration);
    const dquat from = unit(start.rotation), to = unit(end.rotation);
    const dvec3 c(center);
    motion.linear_velocity =
        vec3((dvec3(end.position) - dvec3(start.position) + turned(to, c) - turned(from, c)) * per_second);
    dquat turn = times(to, inverse(from));
    if (turn.w < 0.0) turn = dquat(-turn.w, -turn.x, -turn.y, -turn.z);
    const dvec3 v(turn.x, turn.y, turn.z);
    const double sine = length(v);
    // Near whole turns the two rotations say little about the axis.
    constexpr double full_turn = 6.28318530717958647693, least_sine = 1e-4;
    const dvec3 expected(expected_turn);
    const double expected_angle = length(expected);
    const bool by_rotations = sine > 0.0 && (sine > least_sine || expected_angle < 0.5 * full_turn);
    const dvec3 about = by_rotations ? v / sine : expected_angle > 0.0 ? expected / expected_angle : dvec3(0.0);
    double angle = by_rotations ? 2.0 * angle_of(sine, turn.w) : 2.0 * glm::dot(v, about);
    angle += full_turn * std::floor((glm::dot(expected, about) - angle) / full_turn + 0.5);
    motion.angular_velocity = vec3(about * (angle * per_second));
    return motion;
}

Transform pose_at(const RigidMotion& motion, float time) {
    const Mover mover(motion, double(time));
    const dquat q = mover.rotation(1.0);
    const dvec3 position = mover.at_start + mover.velocity - turned(q, mover.center);
    return {vec3(position), quat(float(q.w), float(q.x), float(q.y), float(q.z))};
}

TimeOfImpact time_of_impact(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                            const ToiSettings& settings) {
    TimeOfImpact bad;
    bad.status = ToiStatus::bad_input;
    if (!usable(motion_a, motion_b, settings)) return bad;
    Mover mover_a(motion_a, double(settings.duration)), mover_b(motion_b, double(settings.duration));
    mover_a.reach = reach_of(a, mover_a.center, mover_a.axis_in_shape());
    mover_b.reach = reach_of(b, mover_b.center, mover_b.axis_in_shape());
    mover_a.settle();
    mover_b.settle();
    MinkowskiDifference difference(a, b, Frame{});
    return run(difference, mover_a, mover_b, double(a.radius), double(a.radius) + double(b.radius), settings);
}

namespace {

struct Extent {
    dvec3 middle, half;
};

Extent extent_of(const SupportMapping& mapping) {
    Extent e;
    for (int i = 0; i < 3; ++i) {
        dvec3 d(0.0);
        d[i] = 1.0;
        const double high = mapping.support(d)[i], low = mapping.support(-d)[i];
        e.middle[i] = 0.5 * (high + low);
        e.half[i] = 0.5 * (high - low);
    }
    return e;
}

}  // namespace

TimeOfImpact time_of_impact(const SupportMapping& a, const RigidMotion& motion_a, const SupportMapping& b,
                            const RigidMotion& motion_b, const ToiSettings& settings) {
    TimeOfImpact bad;
    bad.status = ToiStatus::bad_input;
    if (!usable(motion_a, motion_b, settings)) return bad;
    Mover mover_a(motion_a, double(settings.duration)), mover_b(motion_b, double(settings.duration));
    const Extent box_a = extent_of(a), box_b = extent_of(b);
    mover_a.reach.add_box(box_a.middle - mover_a.center, box_a.half, mover_a.axis_in_shape());
    mover_b.reach.add_box(box_b.middle - mover_b.center, box_b.half, mover_b.axis_in_shape());
    MinkowskiDifference difference(a, b);
    // The difference was made of sets in one frame; where B stands decides where the first search starts.
    const dquat to_a = inverse(mover_a.start);
    difference.open_between_middles =
        turned(to_a, mover_b.at_start - mover_a.at_start + turned(mover_b.start, box_b.middle - mover_b.center)) -
        (box_a.middle - mover_a.center);
    return run(difference, mover_a, mover_b, 0.0, 0.0, settings);
}

}  // namespace talus
