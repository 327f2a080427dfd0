#pragma once
/// Internal: the least depth along the ring of normals of a cylinder's or cone's side.
///
/// A small shape near the axis of a round one has about the same depth along all the normals of the round side, and
/// these lie on a circle. EPA would have to divide that circle into thousands of faces to reach the tolerance of the
/// small shape. If the small shape is a polytope, each edge of its outline seen along the axis makes a local minimum,
/// so a descent may end in any of them. But along that circle the support function of the round core is constant, and
/// the depth depends on the other core alone:
///
///     depth(d) = constant + max over x in the other core of x . n(d),     n(d) = c u + r d
///
/// where u is the axis, d a unit vector across it, and c = 0 for a cylinder. So this is EPA one dimension lower, and
/// independent of the round core's size. Between two directions with the support points p and q the depth is at least
/// the greater of p . n(d) and q . n(d). These are two cosines, and the minimum of their maximum is where they cross or
/// where one of them is least. The support point in that direction either proves the bound or divides the arc in two.
/// The arc with the lowest bound is next. If the other core is a polytope, the result is exact after about ten support
/// points.

#include "narrowphase/epa/epa_slide.h"
#include "narrowphase/support/minkowski.h"

#include <glm/vec2.hpp>

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// The circle of normals of one core's side.
class Ring {
public:
    /// The side of A, or of B; that core must have a rim.
    Ring(const MinkowskiDifference& difference, bool of_a)
        : difference_(difference), of_a_(of_a), axis_(of_a ? dvec3(0.0, 1.0, 0.0) : -difference.rotation[1]) {
        const Core& core = of_a ? difference.core_a : difference.core_b;
        if (core.type == ShapeType::cone) {
            const double slope = std::sqrt(core.half.x * core.half.x + 4.0 * core.half.y * core.half.y);
            along_ = core.half.x / slope;
            across_ = 2.0 * core.half.y / slope;
        }
        x_ = of_a ? dvec3(1.0, 0.0, 0.0) : difference.rotation[0];
        y_ = glm::cross(axis_, x_);
    }

    /// Finds the least depth on the ring, and stores it in `best` if it is less than that.
    void run(Answer& best) {
        constexpr int corners = 4;  // so that each arc is shorter than half the ring
        Sample corner[corners] = {ask({1.0, 0.0}), ask({0.0, 1.0}), ask({-1.0, 0.0}), ask({0.0, -1.0})};
        for (int i = 0; i < corners; ++i) open(corner[i], corner[(i + 1) % corners]);
        const double enough = gap * difference_.size;
        while (count_ > 0 && arcs_[0].bound < best_.value - enough && supports_ < max_samples) {
            std::pop_heap(arcs_, arcs_ + count_);
            const Arc arc = arcs_[--count_];
            const Sample middle = ask(arc.lowest);
            open(arc.from, middle);
            open(middle, arc.to);
        }
        dvec3 n = normal(best_.d);
        n /= std::sqrt(glm::dot(n, n));  // B's axes are only nearly unit
        const double depth = glm::dot(n, difference_.support(n, 0, 0).w);
        ++supports_;
        if (depth < best.depth) {
            best.normal = n;
            best.depth = depth;
        }
    }

    int supports() const { return supports_; }  ///< support points computed

private:
    /// The search ends when no arc can be better by more than this * (size of the smaller shape). On polytopes the
    /// result is exact, whatever the value.
    static constexpr double gap = 1e-6;
    /// The greatest number of support points. Coaxial cylinders and cones need all of them, because the depth is the
    /// same in all directions.
    static constexpr int max_samples = 256;

    /// The other core's support point x at d, as the cosine x . n(d) = level + dot(wave, d), and its value at d.
    struct Sample {
        glm::dvec2 d, wave;
        double level, value;
        double at(const glm::dvec2& e) const { return level + glm::dot(wave, e); }
    };

    /// The directions between two samples.
    struct Arc {
        Sample from, to;
        glm::dvec2 lowest;  ///< the direction with the lowest bound
        double bound;       ///< lower bound of the depth on the arc
        /// For a heap whose top has the lowest bound.
        friend bool operator<(const Arc& l, const Arc& r) { return l.bound > r.bound; }
    };

    dvec3 normal(const glm::dvec2& d) const { return along_ * axis_ + across_ * (d.x * x_ + d.y * y_); }

    Sample ask(const glm::dvec2& d) {
        const SimplexVertex v = difference_.support(normal(d), 0, 0);
        ++supports_;
        const dvec3 x = of_a_ ? v.w - v.a : v.a - difference_.position;
        Sample s{d, across_ * glm::dvec2(glm::dot(x, x_), glm::dot(x, y_)), along_ * glm::dot(x, axis_), 0.0};
        s.value = s.at(d);
        if (supports_ == 1 || s.value < best_.value) best_ = s;
        return s;
    }

    /// Bounds the depth on the arc from `p` to `q`, and keeps the arc if it may have a smaller depth than its ends.
    void open(const Sample& p, const Sample& q) {
        Arc arc{p, q, p.d, std::min(p.value, q.value)};
        const auto cross = [](const glm::dvec2& a, const glm::dvec2& b) { return a.x * b.y - a.y * b.x; };
        const auto offer = [&](const glm::dvec2& d) {
            if (!(cross(p.d, d) > 0.0 && cross(d, q.d) > 0.0)) return;
            const double value = std::max(p.at(d), q.at(d));
            if (value < arc.bound) {
                arc.bound = value;
                arc.lowest = d;
            }
        };
        const auto trough = [&](const Sample& s) {
            const double length = std::sqrt(glm::dot(s.wave, s.wave));
            if (length > 0.0) offer(-s.wave / length);
        };
        trough(p);
        trough(q);
        // The two cosines cross where their difference, level + dot(wave, d), is 0.
        const glm::dvec2 wave = p.wave - q.wave;
        const double level = p.level - q.level, square = glm::dot(wave, wave), rest = square - level * level;
        if (square > 0.0 && rest >= 0.0) {
            const glm::dvec2 foot = -level * wave, side = std::sqrt(rest) * glm::dvec2(-wave.y, wave.x);
            offer((foot + side) / square);
            offer((foot - side) / square);
        }
        if (!(arc.bound < std::min(p.value, q.value))) return;
        arcs_[count_++] = arc;
        std::push_heap(arcs_, arcs_ + count_);
    }

    const MinkowskiDifference& difference_;
    bool of_a_;
    dvec3 axis_, x_, y_;                 ///< u, and the axes of d's two components
    double along_ = 0.0, across_ = 1.0;  ///< c and r
    Sample best_{};
    Arc arcs_[max_samples + 1];  ///< a heap; each sample beyond the corners makes two arcs of one
    int count_ = 0, supports_ = 0;
};

/// Searches the rings of the cores that have one. Returns the number of support points computed.
inline int search_rings(const MinkowskiDifference& difference, Answer& best) {
    int supports = 0;
    for (const bool of_a : {true, false}) {
        if (!has_rim((of_a ? difference.core_a : difference.core_b).type)) continue;
        Ring ring(difference, of_a);
        ring.run(best);
        supports += ring.supports();
    }
    return supports;
}

}  // namespace talus::detail
