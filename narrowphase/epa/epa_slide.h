#pragma once
/// Internal: the last digits of EPA's answer on cylinders and cones.
///
/// EPA cuts a curved surface into flat faces, and needs four times as many for half the error; between nearly coaxial
/// rims, where one direction is as good as the next, it would need them all around. So EPA ends early there, and its
/// answer slides down to the minimum over the true surface. One step costs one warm GJK.

#include "narrowphase/epa/polytope.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// A face, or what was one, as the answer: three vertices and its normal.
struct Answer {
    dvec3 normal{0.0};
    /// The support plane's offset: an upper bound of the depth.
    double depth = std::numeric_limits<double>::infinity();
    std::uint16_t vertex[3] = {};
};

/// Other faces that the depth may still lie behind, each as far as can be from the normals before it: fills
/// answers[1...] and returns how many.
inline int find_rivals(const MinkowskiDifference& difference, const Polytope& polytope, double below,
                       Answer (&answers)[1 + tolerance::epa_rivals]) {
    if (polytope.torn()) return 0;
    int count = 1;
    for (; count <= tolerance::epa_rivals; ++count) {
        double least = 1.0 - 1e-3;
        int pick = -1;
        for (int f = 0; f < polytope.slots(); ++f) {
            if (!(polytope.key(f) < below)) continue;
            double closest = -1.0;
            for (int i = 0; i < count; ++i)
                closest = std::max(closest, glm::dot(answers[i].normal, polytope.face(f).normal));
            if (closest < least) {
                least = closest;
                pick = f;
            }
        }
        if (pick < 0) break;
        answers[count].normal = polytope.face(pick).normal;
        answers[count].depth = glm::dot(answers[count].normal, difference.support(answers[count].normal, 0, 0).w);
        std::copy_n(polytope.face(pick).vertex, 3, answers[count].vertex);
    }
    return count - 1;
}

/// Slides the answer down to the local minimum of the depth: for rims, which have no last face to end at.
///
/// Let p = depth * normal, pushed out of A - B by a little, and q the point of A - B nearest to p, with normal m.
/// Because p lies outside the old support plane, the support plane at q is nearer to the origin than the old one,
/// unless m is the old normal: so m is a better answer, and GJK finds q. Where the depth hardly depends on the
/// direction, m lies only a little farther that way; that is so between nearly coaxial rims, where the normals of least
/// depth lie on a circle about an axis: then line searches turn the normal on along the step's great circle, and about
/// the rims' axes.
class Slide {
public:
    Slide(const MinkowskiDifference& difference, const SimplexVertex& p, const SimplexVertex& q, const SimplexVertex& r)
        : difference_(difference), centre_(difference.position), push_(tolerance::epa_slide_push * difference.size) {
        simplex_.vertex[0] = p;
        simplex_.vertex[1] = q;
        simplex_.vertex[2] = r;
        simplex_.count = 3;
        // Finer than rounding, GJK would add rim points that differ by no more than that, and the triangle of such
        // points has its nearest point anywhere.
        double scale2 = 0.0;
        for (const SimplexVertex* v : {&p, &q, &r})
            scale2 = std::max({scale2, glm::dot(v->w, v->w), glm::dot(v->a, v->a)});
        const double rounding = 8.0 * tolerance::epa_visible * std::sqrt(scale2);
        difference_.gap = std::max(tolerance::epa_slide_gap, rounding / push_);
        // What a support point falls short by turns the normals by its root: no float scans, unless they are very good.
        for (Core* core : {&difference_.core_a, &difference_.core_b}) {
            if (!core->hull || core->hull->view.largest_coordinate <= float_scan_ratio * difference.size) continue;
            if (core->float_scan) rescan_ = true;
            core->float_scan = false;
        }
    }
    Slide(const MinkowskiDifference& difference, const Polytope& polytope, const Answer& start)
        : Slide(difference, polytope.vertices[start.vertex[0]], polytope.vertices[start.vertex[1]],
                polytope.vertices[start.vertex[2]]) {}

    /// Improves `best` and returns true, unless nothing can be found out (the witness points are then not to be used).
    bool run(Answer& best) {
        const double size = difference_.size;
        if (rescan_) {
            best.depth = glm::dot(best.normal, difference_.support(best.normal, 0, 0).w);
            ++supports_;
        }
        double last_turn = 0.0;
        int idle = 0;
        for (int i = 0; i < tolerance::epa_max_slides && idle < 2; ++i) {
            const dvec3 from = best.normal;
            const double before = best.depth;
            if (!step(best)) return false;
            const dvec3 move = best.normal - from;
            const double turn = std::sqrt(glm::dot(move, move));
            if (turn * (best.depth + push_) <= tolerance::epa_slide_offset * size)
                return true;  // q belongs to the answer
            const bool slow = turn > 0.25 * last_turn;
            last_turn = turn;
            if (i > 0 && slow) {
                turn_about(glm::cross(from, best.normal) / turn, best);
                if (has_rim(difference_.core_a.type)) turn_about(dvec3(0.0, 1.0, 0.0), best);
                if (has_rim(difference_.core_b.type)) turn_about(difference_.rotation[1], best);
            }
            idle = before - best.depth > tolerance::epa_slide_progress * size ? 0 : idle + 1;
        }
        return step(best);
    }

    const Simplex& simplex() const { return simplex_; }  ///< whose hull q lies on
    dvec3 on_a() const { return simplex_.on_a(); }
    dvec3 nearest() const { return simplex_.closest() + shift_; }  ///< q
    int supports() const { return supports_; }

private:
    /// As tolerance::float_scan_ratio, for the few support points of a slide: 4 keeps witness points to 1e-4 sizes, 32
    /// to 3e-4.
    static constexpr double float_scan_ratio = 4.0;

    /// From p over q to its normal.
    bool step(Answer& best) {
        const dvec3 p = (best.depth + push_) * best.normal;
        for (int i = 0; i < simplex_.count; ++i) simplex_.vertex[i].w -= p - shift_;
        shift_ = p;
        difference_.position = centre_ + p;
        reduce(simplex_, 0);
        const Search search = find_closest(difference_, simplex_, std::numeric_limits<double>::infinity());
        supports_ += search.iterations;
        if (search.outcome == Outcome::overlapping || !(search.lower_bound > 0.0)) return false;
        const dvec3 m = search.axis / std::sqrt(glm::dot(search.axis, search.axis));
        const double depth = glm::dot(m, p) - search.lower_bound;
        if (depth < best.depth) {
            best.normal = m;
            best.depth = depth;
        }
        return true;
    }

    /// Least depth over the normals that a turn about the (nearly) unit vector u makes of best.normal: c u + r (e + x
    /// t) / sqrt(1 + x^2), e radial, t tangential. The slope in x is w.(t - x e), up to a positive factor, w the
    /// support point: its root is bracketed, then found by false position.
    void turn_about(const dvec3& u, Answer& best) {
        const double c = glm::dot(best.normal, u) / glm::dot(u, u);
        dvec3 e = best.normal - c * u;
        const double r = std::sqrt(glm::dot(e, e));
        if (!(r > tolerance::epa_slide_first_turn)) return;
        e /= r;
        dvec3 t = glm::cross(u, e);
        difference_.position = centre_;
        const auto slope = [&](double x) {
            dvec3 n = c * u + (r / std::sqrt(1.0 + x * x)) * (e + x * t);
            n /= std::sqrt(glm::dot(n, n));  // u is but nearly unit
            const SimplexVertex v = difference_.support(n, 0, 0);
            ++supports_;
            const double depth = glm::dot(n, v.w);
            if (depth < best.depth) {
                best.normal = n;
                best.depth = depth;
            }
            return glm::dot(v.w, t - x * e);
        };
        double low = 0.0, at_low = slope(0.0);
        if (at_low > 0.0) {
            t = -t;
            at_low = -at_low;
        }
        double high = tolerance::epa_slide_first_turn, at_high = slope(high);
        while (at_high < 0.0 && high < 8.0) {
            low = high;
            at_low = at_high;
            high *= 8.0;
            at_high = slope(high);
        }
        if (!(at_low < 0.0 && at_high > 0.0)) return;
        int side = 0;  // Illinois: an end that stays twice counts half
        for (int i = 0; i < tolerance::epa_max_slides && high - low > tolerance::epa_slide_first_turn * high; ++i) {
            const double x = (low * at_high - high * at_low) / (at_high - at_low);
            const double at_x = slope(x);
            if (at_x < 0.0) {
                low = x;
                at_low = at_x;
                if (side < 0) at_high *= 0.5;
                side = -1;
            } else {
                high = x;
                at_high = at_x;
                if (side > 0) at_low *= 0.5;
                side = 1;
            }
        }
    }

    MinkowskiDifference difference_;  ///< its B stands moved by p
    dvec3 centre_;                    ///< where B stands unmoved
    double push_;
    dvec3 shift_{0.0};  ///< p
    Simplex simplex_;   ///< relative to p
    int supports_ = 0;
    bool rescan_ = false;  ///< the depth that the slide starts from is a float scan's
};

}  // namespace talus::detail
