#include <talus/narrowphase/swept.h>

#include "narrowphase/casts/clip_cast.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/finite_mapping.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

constexpr double golden = 0.38196601125010515180;  // the smaller part of the golden section: (3 - sqrt 5) / 2

/// Brent 1973, chapter 4: finds a root of f between `a` and `b`, where f has the values fa > 0 > fb. Uses inverse
/// quadratic or linear interpolation if that converges, else bisection.
template <class F>
double brent_root(double a, double fa, double b, double fb, double tolerance, const F& f) {
    double c = a, fc = fa, step = b - a, before = step;
    for (int i = 0; i < tolerance::swept_max_queries; ++i) {
        if (std::abs(fc) < std::abs(fb)) {  // b is the best so far, c on the other side of the root
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        const double half = 0.5 * (c - b);
        if (std::abs(half) <= tolerance || fb == 0.0) return b;
        if (std::abs(before) < tolerance || std::abs(fa) <= std::abs(fb)) {
            step = before = half;
        } else {
            const double s = fb / fa;
            double p, q;
            if (a == c) {
                p = 2.0 * half * s;
                q = 1.0 - s;
            } else {
                const double u = fa / fc, v = fb / fc;
                p = s * (2.0 * half * u * (u - v) - (b - a) * (v - 1.0));
                q = (u - 1.0) * (v - 1.0) * (s - 1.0);
            }
            if (p > 0.0) {
                q = -q;
            } else {
                p = -p;
            }
            if (2.0 * p < std::min(3.0 * half * q - std::abs(tolerance * q), std::abs(before * q))) {
                before = step;
                step = p / q;
            } else {
                step = before = half;
            }
        }
        a = b;
        fa = fb;
        b += std::abs(step) > tolerance ? step : half > 0.0 ? tolerance : -tolerance;
        fb = f(b);
        if ((fb > 0.0) == (fc > 0.0)) {
            c = a;
            fc = fa;
            step = before = b - a;
        }
    }
    return b;
}

/// Brent 1973, chapter 5: finds the minimum of f between `a` and `b`, by parabolas through the best three points if
/// they help, else by golden section. Ends early at a value of at most `enough`; `x` is where f has it.
template <class F>
double brent_minimum(double a, double b, double tolerance, double enough, double& x, const F& f) {
    x = a + golden * (b - a);
    double w = x, v = x, fx = f(x), fw = fx, fv = fx, step = 0.0, before = 0.0;
    for (int i = 0; i < tolerance::swept_max_queries; ++i) {
        const double middle = 0.5 * (a + b);
        if (fx <= enough || std::abs(x - middle) <= 2.0 * tolerance - 0.5 * (b - a)) return fx;
        bool parabola = false;
        if (std::abs(before) > tolerance) {
            const double r = (x - w) * (fx - fv), s = (x - v) * (fx - fw);
            double q = 2.0 * (s - r), p = (x - v) * s - (x - w) * r;
            if (q > 0.0) {
                p = -p;
            } else {
                q = -q;
            }
            parabola = std::abs(p) < std::abs(0.5 * q * before) && p > q * (a - x) && p < q * (b - x);
            before = step;
            if (parabola) {
                step = p / q;
                const double u = x + step;
                if (u - a < 2.0 * tolerance || b - u < 2.0 * tolerance) step = x < middle ? tolerance : -tolerance;
            }
        }
        if (!parabola) {
            before = (x < middle ? b : a) - x;
            step = golden * before;
        }
        const double u = x + (std::abs(step) >= tolerance ? step : step > 0.0 ? tolerance : -tolerance);
        const double fu = f(u);
        if (fu <= fx) {
            (u < x ? b : a) = x;
            v = w, fv = fw;
            w = x, fw = fx;
            x = u, fx = fu;
        } else {
            (u < x ? a : b) = u;
            if (fu <= fw || w == x) {
                v = w, fv = fw;
                w = u, fw = fu;
            } else if (fu <= fv || v == x || v == w) {
                v = u, fv = fu;
            }
        }
    }
    return fx;
}

class SweptPair {
public:
    SweptPair(MinkowskiDifference& difference, const dvec3& translation, double radii)
        : difference_(difference),
          start_(difference.position),
          way_(translation),
          radii_(radii),
          surface_(cast_surface(difference, translation)) {}

    SweptResult run(SweptMethod method) {
        switch (method) {
            case SweptMethod::folded: {
                double t = 0.0;
                const bool hit = overlaps_within(0.0, 1.0, t);
                return answer(hit, t);
            }
            case SweptMethod::halving:
                return halving();
            case SweptMethod::brent:
                return brent();
            case SweptMethod::clipping:
                break;
        }
        const Clip clip = clip_cast(difference_, way_, radii_, surface_, simplex_);
        iterations_ = clip.iterations;
        queries_ = 1;
        return answer(clip.end != ClipEnd::missed, clip.t);
    }

private:
    SweptResult answer(bool hit, double t) const {
        SweptResult r;
        r.hit = hit;
        r.fraction = hit ? round_down(t) : 1.0f;
        r.queries = static_cast<std::uint16_t>(queries_);
        r.iterations = static_cast<std::uint16_t>(std::min(iterations_, 65535));
        return r;
    }

    SweptResult halving() {
        double free = 0.0, hit = 0.0;  // no contact up to `free`, contact at `hit`
        if (!overlaps_within(0.0, 1.0, hit)) return answer(false, 1.0);
        while (hit - free > tolerance::swept_resolution) {
            const double middle = 0.5 * (free + hit);
            double t = middle;
            if (overlaps_within(free, middle, t)) {
                hit = std::clamp(t, free, middle);
            } else {
                free = middle;
            }
        }
        return answer(true, hit > tolerance::swept_resolution ? free : 0.0);
    }

    SweptResult brent() {
        // Flat sets that cross have no depth, only an instant of contact; the minimiser finds it as accurately as its
        // steps allow.
        const double touching = surface_ + 4.0 * tolerance::swept_resolution * std::sqrt(glm::dot(way_, way_));
        const auto f = [this](double t) { return signed_distance(t); };
        const double at_start = f(0.0);
        if (at_start <= surface_) return answer(true, 0.0);
        double t = 1.0, value = f(1.0);
        // If the value at the end is just zero, B may be leaving there. Only if it is negative is there exactly one
        // root before it.
        if (value >= 0.0) value = brent_minimum(0.0, 1.0, tolerance::swept_resolution, -surface_, t, f);
        if (value > touching) return answer(false, 1.0);
        if (value < 0.0) t = brent_root(0.0, at_start, t, value, tolerance::swept_resolution, f);
        return answer(true, t);
    }

    /// Runs GJK on A minus the volume that B sweeps between two times. On a hit, `t` is a time of contact between them.
    /// Instead of its point of A, each vertex keeps its time (a.x) and which end of the motion that is (a.y). The
    /// weights that make the closest point from the vertices also make its time.
    bool overlaps_within(double from, double to, double& t) {
        ++queries_;
        difference_.position = start_ + from * way_;
        const auto support = [&](const dvec3& d, const SimplexVertex& hint) {
            ++iterations_;
            SimplexVertex v = difference_.support(d, hint.index_a, hint.index_b);
            const bool at_end = glm::dot(d, way_) < 0.0;  // B's points count negatively
            if (at_end) v.w -= (to - from) * way_;
            v.a = dvec3(at_end ? to : from, at_end ? 1.0 : 0.0, 0.0);
            return v;
        };
        // The vertices of the last run, moved to the ends of this one.
        for (int i = 0; i < simplex_.count; ++i) {
            SimplexVertex& v = simplex_.vertex[i];
            const double time = v.a.y > 0.0 ? to : from;
            v.w += (v.a.x - time) * way_;
            v.a.x = time;
        }
        if (simplex_.count == 0) {
            dvec3 d = difference_.between_middles();
            if (d == dvec3(0.0)) d.y = 1.0;
            simplex_.vertex[0] = support(d, SimplexVertex{dvec3(0.0), dvec3(0.0), 0, 0});
            simplex_.count = 1;
        }
        reduce(simplex_, 0);

        const double reach = radii_ + surface_, reach2 = reach * reach;
        const auto touch = [&] {
            t = simplex_.on_a().x;
            return true;
        };
        for (int i = 0; i < tolerance::gjk_max_iterations; ++i) {
            if (simplex_.contains || simplex_.vv <= reach2) return touch();
            const SimplexVertex next = support(-simplex_.y, simplex_.vertex[0]);
            const double yw = glm::dot(simplex_.y, next.w);
            if (yw > 0.0 && yw * yw > reach2 * simplex_.yy) return false;
            const double rest = simplex_.yv - yw;
            if (!(rest > 0.0) ||
                rest * rest <= tolerance::gjk_gap_floor * tolerance::gjk_gap_floor * simplex_.yy * simplex_.vv) {
                return touch();
            }
            const int previous = simplex_.count;
            simplex_.vertex[simplex_.count++] = next;
            if (!reduce(simplex_, previous)) return touch();  // no progress, and no plane separates
        }
        return touch();
    }

    double signed_distance(double t) {
        ++queries_;
        const dvec3 position = start_ + t * way_, moved = position - difference_.position;
        difference_.position = position;
        for (int i = 0; i < simplex_.count; ++i) simplex_.vertex[i].w -= moved;
        if (simplex_.count > 0) reduce(simplex_, 0);
        const Search search = find_closest(difference_, simplex_, std::numeric_limits<double>::infinity());
        iterations_ += search.iterations;
        if (search.outcome != Outcome::overlapping) return std::sqrt(simplex_.vv) - radii_;
        const EpaResult deep = expand(difference_, simplex_);
        iterations_ += deep.iterations;
        return -double(deep.depth) - radii_;
    }

    MinkowskiDifference& difference_;
    const dvec3 start_, way_;
    const double radii_, surface_;
    Simplex simplex_;
    int queries_ = 0, iterations_ = 0;
};

bool exists(SweptMethod method) { return static_cast<int>(method) < swept_method_count; }

}  // namespace

std::string_view name_of(SweptMethod method) {
    switch (method) {
        case SweptMethod::folded:
            return "folded";
        case SweptMethod::halving:
            return "halving";
        case SweptMethod::brent:
            return "brent";
        case SweptMethod::clipping:
            return "clipping";
    }
    return "unknown";
}

SweptResult swept_test(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& translation,
                       SweptMethod method) {
    if (!is_usable(a, b, b_in_a) || !is_finite(translation) || !exists(method)) return {.bad_input = true};
    MinkowskiDifference difference(a, b, b_in_a);
    return SweptPair(difference, dvec3(translation), double(a.radius) + double(b.radius)).run(method);
}

SweptResult swept_test(const SupportMapping& a, const SupportMapping& b, const vec3& translation, SweptMethod method) {
    if (!is_finite(translation) || !exists(method)) return {.bad_input = true};
    const FiniteMapping finite_a(a), finite_b(b);
    MinkowskiDifference difference(finite_a, finite_b);
    const SweptResult result = SweptPair(difference, dvec3(translation), 0.0).run(method);
    return finite_a.is_valid() && finite_b.is_valid() ? result : SweptResult{.bad_input = true};
}

}  // namespace talus
