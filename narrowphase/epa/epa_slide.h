#pragma once
/// Internal: refines EPA's result on cylinders and cones by a descent over the true surface.
///
/// EPA approximates a curved surface by flat faces, and needs four times as many for half the error. Between nearly
/// coaxial rims, which have about the same depth in a whole circle of directions, it would need them all around. So EPA
/// ends early there, and a descent moves its result to a local minimum of the depth over the true surface. One step
/// costs one warm GJK query.

#include "narrowphase/epa/polytope.h"
#include "narrowphase/gjk/find_closest.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace talus::detail {

/// A support plane of the difference, and the face of the polytope that it was found from.
struct Answer {
    dvec3 normal{0.0};  ///< unit
    /// The support plane's offset: an upper bound of the depth.
    double depth = std::numeric_limits<double>::infinity();
    std::uint16_t vertex[3] = {};  ///< of the face
};

/// Picks other faces whose offset is less than `below`, so that the least depth may still be there. Each normal differs
/// as much as possible from the ones before it. Fills answers[1...] and returns their number.
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

/// The descent to a local minimum of the depth, for shapes with rims, on which EPA has no exact last face.
///
/// Let p = depth * normal, moved a little farther out of A - B. Let q be the point of A - B nearest to p, and m the
/// normal there; GJK finds both. Because p lies outside the old support plane, the support plane at q is nearer to the
/// origin than the old one, unless m is the old normal. So m is a better normal, and the step can be repeated from it.
///
/// If the depth hardly depends on the direction, m differs only little from the old normal. That is so between nearly
/// coaxial rims, where the normals of least depth lie on a circle about an axis. Then line searches rotate the normal
/// further along the step's great circle, and about the rims' axes.
class Slide {
public:
    /// `vertices`: one to four of the difference, as near to the answer as possible.
    Slide(const MinkowskiDifference& difference, std::span<const SimplexVertex> vertices)
        : difference_(difference), centre_(difference.position), push_(tolerance::epa_slide_push * difference.size) {
        std::copy(vertices.begin(), vertices.end(), simplex_.vertex);
        simplex_.count = static_cast<int>(vertices.size());
        // With a gap below rounding, GJK would add rim points that differ only by rounding, and the nearest point of a
        // triangle of such points is arbitrary.
        double scale2 = 0.0;
        for (const SimplexVertex& v : vertices) scale2 = std::max({scale2, glm::dot(v.w, v.w), glm::dot(v.a, v.a)});
        const double rounding = 8.0 * tolerance::epa_visible * std::sqrt(scale2);
        difference_.gap = std::max(tolerance::epa_slide_gap, rounding / push_);
        // An error in a support point changes the normal by its root, so float scans are used only if they are very
        // accurate.
        for (Core* core : {&difference_.core_a, &difference_.core_b}) {
            if (!core->hull || core->hull->view.largest_coordinate <= float_scan_ratio * difference.size) continue;
            if (core->float_scan) rescan_ = true;
            core->float_scan = false;
        }
    }
    Slide(const MinkowskiDifference& difference, const Polytope& polytope, const Answer& start)
        : Slide(difference, std::array{polytope.vertices[start.vertex[0]], polytope.vertices[start.vertex[1]],
                                       polytope.vertices[start.vertex[2]]}) {}

    /// Improves `best`. Returns false if GJK fails; then the witness points must not be used.
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

    const Simplex& simplex() const { return simplex_; }  ///< q lies on its hull; relative to p
    /// Returns one of its vertices, in the difference at its own place.
    SimplexVertex vertex(int i) const {
        SimplexVertex v = simplex_.vertex[i];
        v.w += shift_;
        return v;
    }
    dvec3 on_a() const { return simplex_.on_a(); }
    dvec3 nearest() const { return simplex_.closest() + shift_; }  ///< q
    int supports() const { return supports_; }

private:
    /// As tolerance::float_scan_ratio, for the few support points of a descent: with 4 witness points are accurate to
    /// 1e-4 sizes, with 32 to 3e-4.
    static constexpr double float_scan_ratio = 4.0;

    /// One step: finds q from p, and the support plane at q.
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

    /// Finds the least depth over the normals that a rotation about the (nearly) unit vector u makes of best.normal:
    /// c u + r (e + x t) / sqrt(1 + x^2), where e is radial and t tangential. With the support point w, the slope in x
    /// is w . (t - x e), up to a positive factor. Its root is bracketed, then found by false position.
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
            n /= std::sqrt(glm::dot(n, n));  // u is only nearly unit
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
        int side = 0;  // Illinois method: if an end stays in place twice, its value is halved
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

    MinkowskiDifference difference_;  ///< with B moved by p
    dvec3 centre_;                    ///< position of B when it is not moved
    double push_;                     ///< how far p is outside the support plane, m
    dvec3 shift_{0.0};                ///< p
    Simplex simplex_;                 ///< relative to p
    int supports_ = 0;
    bool rescan_ = false;  ///< the depth at the start comes from a float scan and must be computed again
};

}  // namespace talus::detail
