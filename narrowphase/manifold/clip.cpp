#include "narrowphase/manifold/clip.h"

#include "common/lanes/lanes.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

void store(float* p, Float4 v) { std::memcpy(p, &v, sizeof v); }

Float4 select(Int4 mask, Float4 yes, Float4 no) { return (Float4)((mask & (Int4)yes) | (~mask & (Int4)no)); }

constexpr Float4 ones{1.0f, 1.0f, 1.0f, 1.0f}, never{2.0f, 2.0f, 2.0f, 2.0f};

/// Bits of the first `count` lanes, all four if there are more.
unsigned first_lanes(int count) { return count >= 4 ? 0xfu : (1u << count) - 1u; }

/// The inner sides of a polygon's edges: a * x + b * y + c >= 0. The lines are moved outward by the tolerance, which
/// adds `slack` to c. They are not normalised: the tolerance is scaled by |a| + |b| instead of the edge's length, so it
/// is up to 1.4 times as wide along the diagonals, and no root is needed.
struct Lines {
    Lines(const ProjectedFeature& projected, float tolerance) : count(projected.count) {
        for (int i = 0; i < count; i += 4) {
            const Float4 x = load_lanes(projected.x + i), y = load_lanes(projected.y + i);
            const Float4 ex = load_lanes(projected.x + i + 1) - x, ey = load_lanes(projected.y + i + 1) - y;
            const Float4 width = tolerance * (max_lanes(ex, -ex) + max_lanes(ey, -ey));
            store(a + i, -ey);
            store(b + i, ex);
            store(c + i, ey * x - ex * y + width);
            store(slack + i, width);
        }
    }
    Float4 height(int i, Float4 x, Float4 y) const { return a[i] * x + b[i] * y + c[i]; }

    const int count;
    alignas(16) float a[max_projected_corners];
    alignas(16) float b[max_projected_corners];
    alignas(16) float c[max_projected_corners];
    alignas(16) float slack[max_projected_corners];
};

/// At a sharp corner, lines that are moved outward by a tolerance meet far outside, at tolerance / sin(half the angle).
/// So polygons with sharp corners get a smaller tolerance.
float tamed_tolerance(const ProjectedFeature& projected, float tolerance) {
    return projected.kind == SupportingFeatureKind::polygon ? tolerance * projected.sharpness : tolerance;
}

/// The linear function at0 + slope * s.
struct Linear {
    float at0, slope;

    static Linear through(float s0, float value0, float s1, float value1) {
        const float slope = (value1 - value0) / (s1 - s0);
        return {value0 - slope * s0, slope};
    }
    float at(float s) const { return at0 + slope * s; }
    friend Linear operator+(const Linear& l, const Linear& r) { return {l.at0 + r.at0, l.slope + r.slope}; }
    friend Linear operator-(const Linear& l, const Linear& r) { return {l.at0 - r.at0, l.slope - r.slope}; }

    /// Reduces [low, high] to the part in which the function is not negative. If the slope is only rounding, the
    /// function counts as constant. Returns false if it is negative everywhere.
    bool keep_positive(float& low, float& high) const {
        if (!(std::abs(slope) > 1e-6f * std::abs(at0))) return at0 >= 0.0f;
        const float root = -at0 / slope;
        if (slope > 0.0f) {
            low = std::max(low, root);
        } else {
            high = std::min(high, root);
        }
        return true;
    }
};

/// Collects the corners of one overlap. P's edges are clipped by Q, which has an area; P may be of any kind except a
/// disc.
class Overlap {
public:
    Overlap(const ProjectedFeature& p, const ProjectedFeature& q, bool p_is_a, float tolerance, float margin,
            Candidates& out)
        : p_(p), q_(q), p_is_a_(p_is_a), tolerance_(tolerance), margin_(margin), out_(out) {
        const float sign = p_is_a ? -1.0f : 1.0f;
        separation0_ = sign * (p.h0 - q.h0);
        separation_x_ = sign * (p.gx - q.gx);
        separation_y_ = sign * (p.gy - q.gy);
    }

    void run() {
        if (q_.kind == SupportingFeatureKind::disc) {
            // If one is inside the other, as a crate on a floor, there are no crossings.
            if (add_corners_in_disc() == p_.count) return;
            if (p_.kind == SupportingFeatureKind::polygon && add_corners_of_q()) return;
            add_crossings_with_disc();
        } else {
            cut_by_polygon();
        }
    }

    /// P is a disc. If its first four rim points, which are 90 degrees apart, lie in Q, they are the contact: cans on
    /// tables do not need more. Otherwise adds nothing.
    bool add_quarters_of_p() {
        if (q_.kind == SupportingFeatureKind::polygon) {
            const Lines lines(q_, tamed_tolerance(q_, tolerance_));
            const Float4 x = load_lanes(p_.x), y = load_lanes(p_.y);
            Float4 least = Float4{};
            for (int i = 0; i < lines.count; ++i) least = min_lanes(least, lines.height(i, x, y));
            if (lane_bits(least < 0.0f) != 0) return false;
        } else {
            for (int i = 0; i < 4; ++i) {
                if (!is_in_disc(p_.x[i], p_.y[i])) return false;
            }
        }
        for (int i = 0; i < 4; ++i) add(p_.x[i], p_.y[i], vertex_code(p_.vertex[i]), inside_code);
        return true;
    }

    /// Two edges, or lines on the sides of round shapes.
    void run_segments() {
        const float px = p_.x[1] - p_.x[0], py = p_.y[1] - p_.y[0];
        const float qx = q_.x[1] - q_.x[0], qy = q_.y[1] - q_.y[0];
        const float ox = q_.x[0] - p_.x[0], oy = q_.y[0] - p_.y[0];
        const float pp = px * px + py * py, qq = qx * qx + qy * qy;
        if (!(pp > 0.0f) || !(qq > 0.0f)) return;
        const float cross = px * qy - py * qx;
        const std::uint16_t p_edge = edge_code(p_.vertex[0], p_.vertex[1]);
        const std::uint16_t q_edge = edge_code(q_.vertex[0], q_.vertex[1]);
        if (cross * cross > tolerance::parallel_lines * tolerance::parallel_lines * pp * qq) {
            const float s = (ox * qy - oy * qx) / cross, t = (ox * py - oy * px) / cross;
            const float slack_s = tolerance_ / std::sqrt(pp), slack_t = tolerance_ / std::sqrt(qq);
            if (s < -slack_s || s > 1.0f + slack_s || t < -slack_t || t > 1.0f + slack_t) return;
            add(p_.x[0] + s * px, p_.y[0] + s * py, p_edge, q_edge);
            return;
        }
        // Parallel: take the stretch of P that is beside Q, and of that the part in which the two lines are near each
        // other.
        const float scale = 1.0f / pp, length = std::sqrt(pp);
        const float q0 = (ox * px + oy * py) * scale, q1 = q0 + (qx * px + qy * py) * scale;
        const float offset0 = (px * oy - py * ox) / length,
                    offset1 = offset0 + cross / length;  // Q beside P, at Q's ends
        float low = std::max(0.0f, std::min(q0, q1)), high = std::min(1.0f, std::max(q0, q1));
        // Q's offset from P is linear in s, and so are the radii of curvature, which determine the greatest offset.
        const Linear offset = Linear::through(q0, offset0, q1, offset1);
        const Linear round_p = {p_.curvature[0], p_.curvature[1] - p_.curvature[0]};
        const Linear round = round_p + Linear::through(q0, q_.curvature[0], q1, q_.curvature[1]);
        const Linear near = {tolerance_ + tolerance::parallel_offset * round.at0,
                             tolerance::parallel_offset * round.slope};
        if (!(near - offset).keep_positive(low, high) || !(near + offset).keep_positive(low, high)) return;
        if (!(low <= high + tolerance_ / length)) return;
        high = std::max(low, high);
        // The point is between the two lines, nearer to the sharper one, because a round surface has nearly the same
        // height a little beside its line.
        const float nx = -py / length, ny = px / length;
        const auto end = [&](float s, int end_of_p) {
            const float both = round.at(s), share = both > 0.0f ? round_p.at(s) / both : 0.5f;
            const float aside = share * offset.at(s);
            add(p_.x[0] + s * px + aside * nx, p_.y[0] + s * py + aside * ny, vertex_code(p_.vertex[end_of_p]), q_edge);
        };
        end(low, 0);
        end(high, 1);
    }

private:
    void add(float x, float y, std::uint16_t p, std::uint16_t q) {
        const float separation = separation0_ + separation_x_ * x + separation_y_ * y;
        if (separation <= margin_) append(x, y, separation, p, q);
    }

    /// Computes the separations of four points, and which of those in `lanes` are within the margin.
    unsigned near_enough(Float4 x, Float4 y, unsigned lanes, Float4& separation) const {
        separation = separation0_ + separation_x_ * x + separation_y_ * y;
        return lanes & lane_bits(separation <= margin_);
    }

    void append(float x, float y, float separation, std::uint16_t p, std::uint16_t q) {
        if (out_.count == Candidates::capacity) return;
        out_.items[out_.count++] = {x, y, separation, p_is_a_ ? point_id(p, q) : point_id(q, p)};
    }

    /// Adds those of four corners of P (or Q), from `first` on, whose bits are set in `lanes`.
    void add_corners(const ProjectedFeature& projected, int first, unsigned lanes) {
        Float4 separation;
        lanes = near_enough(load_lanes(projected.x + first), load_lanes(projected.y + first), lanes, separation);
        for (; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes), i = first + lane;
            const std::uint16_t code = vertex_code(projected.vertex[i]);
            append(projected.x[i], projected.y[i], separation[lane], &projected == &p_ ? code : inside_code,
                   &projected == &p_ ? inside_code : code);
        }
    }

    int add_corners_in_disc() {
        int inside = 0;
        for (int i = 0; i < p_.count; ++i) {
            if (!is_in_disc(p_.x[i], p_.y[i])) continue;
            add(p_.x[i], p_.y[i], vertex_code(p_.vertex[i]), inside_code);
            ++inside;
        }
        return inside;
    }

    /// Returns whether all of them are inside P.
    bool add_corners_of_q() {
        const Lines lines(p_, tamed_tolerance(p_, tolerance_));
        bool all_inside = true;
        for (int group = 0; group < q_.count; group += 4) {
            const Float4 x = load_lanes(q_.x + group), y = load_lanes(q_.y + group);
            Float4 least = ones;
            for (int i = 0; i < lines.count; ++i) least = min_lanes(least, lines.height(i, x, y));
            const unsigned wanted = first_lanes(q_.count - group), lanes = lane_bits(least >= 0.0f) & wanted;
            if (lanes != 0) add_corners(q_, group, lanes);
            all_inside = all_inside && lanes == wanted;
        }
        return all_inside;
    }

    /// Where an edge of P enters and leaves Q: Q moved outward by the tolerance, which decides whether there is a
    /// point, and Q as it is, which gives the point's place. An edge that only runs through the strip between the two
    /// boundaries gets its points on the outer one.
    struct Cut {
        float enter, leave;
        float true_enter, true_leave;
    };

    void add_crossings(int i, const Cut& cut, std::uint16_t enter, std::uint16_t leave) {
        if (!(cut.enter <= cut.leave)) return;
        const float ex = p_.x[i + 1] - p_.x[i], ey = p_.y[i + 1] - p_.y[i];
        const std::uint16_t edge = edge_code(p_.vertex[i], p_.vertex[i + 1 < p_.count ? i + 1 : 0]);
        const bool in_strip = !(cut.true_enter <= cut.true_leave);
        const float t0 = in_strip ? cut.enter : cut.true_enter, t1 = in_strip ? cut.leave : cut.true_leave;
        if (cut.enter > 0.0f) add(p_.x[i] + t0 * ex, p_.y[i] + t0 * ey, edge, enter);
        if (cut.leave < 1.0f) add(p_.x[i] + t1 * ex, p_.y[i] + t1 * ey, edge, leave);
    }

    /// A segment has one edge, a point none.
    int edge_count() const { return p_.kind == SupportingFeatureKind::polygon ? p_.count : p_.count - 1; }

    /// The cuts of four edges, one per lane, and the lines that made them.
    struct Cuts {
        Float4 enter, leave, true_enter, true_leave;
        Int4 enter_line, leave_line;
    };

    /// Clips four edges of P, from corner `first` on, by all lines of Q, and finds out which of those corners are
    /// inside. A polygon of up to four corners is a `single` group: the ends of its edges are its corners, shifted by
    /// one lane.
    template <bool single>
    unsigned cut(int first, const Lines& lines, Cuts& cuts) const {
        const Float4 x0 = load_lanes(p_.x + first), y0 = load_lanes(p_.y + first);
        Float4 x1, y1;
        if constexpr (!single) x1 = load_lanes(p_.x + first + 1), y1 = load_lanes(p_.y + first + 1);
        const Float4 zero{};
        Float4 t0 = zero, t1 = ones, true0 = t0, true1 = t1, least = t1;
        Int4 enter{}, leave{};
        for (int i = 0; i < lines.count; ++i) {
            const Float4 f0 = lines.height(i, x0, y0);
            const Float4 f1 = single ? __builtin_shufflevector(f0, f0, 1, 2, 3, 0) : lines.height(i, x1, y1);
            const Int4 out0 = f0 < zero, out1 = f1 < zero;
            least = min_lanes(least, f0);
            if (lane_bits(out0 | out1) == 0) continue;  // cuts nothing
            if (lane_bits(out0 & out1) == 0xf) {        // cuts everything
                t0 = never;
                break;
            }
            const Float4 scale = 1.0f / (f0 - f1);  // used only where the signs differ
            const Float4 t = f0 * scale, true_t = (f0 - lines.slack[i]) * scale;
            const Int4 enters = out0 & ~out1 & (t > t0);
            const Int4 leaves = out1 & ~out0 & (t < t1);
            t0 = select(enters, t, t0);
            t1 = select(leaves, t, t1);
            true0 = select(enters, true_t, true0);
            true1 = select(leaves, true_t, true1);
            enter = (enters & i) | (~enters & enter);
            leave = (leaves & i) | (~leaves & leave);
            t0 = select(out0 & out1, never, t0);
        }
        cuts = {t0, t1, min_lanes(ones, true0), max_lanes(zero, true1), enter, leave};
        return lane_bits(least >= zero) & first_lanes(p_.count - first);
    }

    /// Adds the crossings of four edges, as add_crossings does for one.
    void add_crossings(int first, int edges, const Cuts& c) {
        const Int4 crosses = c.enter <= c.leave;
        const unsigned lanes = first_lanes(edges - first);
        unsigned entering = lane_bits(crosses & (c.enter > 0.0f)) & lanes;
        unsigned leaving = lane_bits(crosses & (c.leave < 1.0f)) & lanes;
        if ((entering | leaving) == 0) return;
        const Float4 x = load_lanes(p_.x + first), y = load_lanes(p_.y + first);
        const Float4 ex = load_lanes(p_.x + first + 1) - x, ey = load_lanes(p_.y + first + 1) - y;
        const Int4 beside_strip = c.true_enter <= c.true_leave;
        const Float4 t0 = select(beside_strip, c.true_enter, c.enter);
        const Float4 t1 = select(beside_strip, c.true_leave, c.leave);
        const Float4 x0 = x + t0 * ex, y0 = y + t0 * ey, x1 = x + t1 * ex, y1 = y + t1 * ey;
        Float4 separation0, separation1;
        entering = near_enough(x0, y0, entering, separation0);
        leaving = near_enough(x1, y1, leaving, separation1);
        const auto q_edge = [&](int i) { return edge_code(q_.vertex[i], q_.vertex[i + 1 < q_.count ? i + 1 : 0]); };
        for (unsigned any = entering | leaving; any != 0; any &= any - 1) {
            const int lane = std::countr_zero(any), i = first + lane;
            const std::uint16_t edge = edge_code(p_.vertex[i], p_.vertex[i + 1 < p_.count ? i + 1 : 0]);
            if (entering >> lane & 1u) append(x0[lane], y0[lane], separation0[lane], edge, q_edge(c.enter_line[lane]));
            if (leaving >> lane & 1u) append(x1[lane], y1[lane], separation1[lane], edge, q_edge(c.leave_line[lane]));
        }
    }

    /// Adds corners of P inside Q, corners of Q inside P, then crossings of P's edges with the lines of Q.
    void cut_by_polygon() {
        const Lines lines(q_, tamed_tolerance(q_, tolerance_));
        Cuts cuts[max_projected_corners / 4];
        bool all_inside = true;
        for (int first = 0; first < p_.count; first += 4) {
            const unsigned lanes =
                p_.count <= 4 ? cut<true>(first, lines, cuts[0]) : cut<false>(first, lines, cuts[first / 4]);
            if (lanes != 0) add_corners(p_, first, lanes);
            all_inside = all_inside && lanes == first_lanes(p_.count - first);
        }
        // If one is inside the other, as a crate on a floor, there are no crossings.
        if (all_inside) return;
        if (p_.kind == SupportingFeatureKind::polygon && add_corners_of_q()) return;
        const int edges = edge_count();
        for (int first = 0; first < edges; first += 4) add_crossings(first, edges, cuts[first / 4]);
    }

    /// Returns the dot product of two vectors of the contact plane after they are lifted onto the disc Q. The disc may
    /// be at an angle to the contact plane (its projection is an ellipse): the plane through it rises by g.d along d.
    float on_disc(float ax, float ay, float bx, float by) const {
        return ax * bx + ay * by + (q_.gx * ax + q_.gy * ay) * (q_.gx * bx + q_.gy * by);
    }
    bool is_in_disc(float x, float y) const {
        const float dx = x - q_.cx, dy = y - q_.cy, reach = q_.radius + tolerance_;
        return on_disc(dx, dy, dx, dy) <= reach * reach;
    }

    void add_crossings_with_disc() {
        const int edges = edge_count();
        const float reach = q_.radius + tolerance_;
        const float stretch = 1.0f + q_.gx * q_.gx + q_.gy * q_.gy;  // of areas lifted onto the disc, squared
        for (int i = 0; i < edges; ++i) {
            const float dx = p_.x[i] - q_.cx, dy = p_.y[i] - q_.cy;
            const float ex = p_.x[i + 1] - p_.x[i], ey = p_.y[i + 1] - p_.y[i];
            const float a = on_disc(ex, ey, ex, ey), b = on_disc(dx, dy, ex, ey), c = on_disc(dx, dy, dx, dy);
            // b^2 - a * (c - r^2), but with c * a - b^2 as the square of a cross product: for edges much longer than
            // the disc's width the difference would be lost in float.
            const float cross = dx * ey - dy * ex, off = stretch * cross * cross;
            const float outer = a * reach * reach - off, inner = a * q_.radius * q_.radius - off;
            if (!(outer >= 0.0f) || !(a > 0.0f)) continue;
            const float root = std::sqrt(outer), true_root = std::sqrt(std::max(inner, 0.0f));
            Cut cut{(-b - root) / a, (-b + root) / a, (-b - true_root) / a, (-b + true_root) / a};
            if (cut.enter > 1.0f || cut.leave < 0.0f) continue;
            if (c <= reach * reach) cut.enter = 0.0f;
            cut.true_enter = std::min(cut.true_enter, 1.0f);
            cut.true_leave = std::max(cut.true_leave, 0.0f);
            add_crossings(i, cut, rim_enter, rim_leave);
        }
    }

    static constexpr std::uint16_t rim_enter = vertex_code(rim_points), rim_leave = vertex_code(rim_points + 1);

    const ProjectedFeature& p_;
    const ProjectedFeature& q_;
    const bool p_is_a_;
    const float tolerance_, margin_;
    Candidates& out_;
    float separation0_, separation_x_, separation_y_;
};

/// Returns the edge of a polygon whose middle is nearest to the other shape, as a segment.
void nearest_edge(const ProjectedFeature& projected, bool highest, ProjectedFeature& segment) {
    int best = 0;
    float most = 0.0f;
    for (int i = 0; i < projected.count; ++i) {
        const float h =
            projected.gx * (projected.x[i] + projected.x[i + 1]) + projected.gy * (projected.y[i] + projected.y[i + 1]);
        const float along = highest ? h : -h;
        if (i == 0 || along > most) {
            most = along;
            best = i;
        }
    }
    const auto corner = [&](int i) {
        return vec3(projected.x[i], projected.y[i], projected.height(projected.x[i], projected.y[i]));
    };
    make_segment(corner(best), corner(best + 1), projected.vertex[best],
                 projected.vertex[best + 1 < projected.count ? best + 1 : 0], {0.0f, 0.0f}, segment);
}

}  // namespace

void overlap(const ProjectedFeature& a, const ProjectedFeature& b, float tolerance, float margin, Candidates& out) {
    if (!a.has_area() && !b.has_area()) {
        if (a.kind == SupportingFeatureKind::segment && b.kind == SupportingFeatureKind::segment) {
            Overlap(b, a, false, tolerance, margin, out).run_segments();
        }
        return;
    }
    // If both are possible, P is B's projection.
    if (b.kind == SupportingFeatureKind::disc && a.has_area() &&
        Overlap(b, a, false, tolerance, margin, out).add_quarters_of_p())
        return;
    if (a.kind == SupportingFeatureKind::disc && b.has_area() &&
        Overlap(a, b, true, tolerance, margin, out).add_quarters_of_p())
        return;
    if (b.kind == SupportingFeatureKind::disc && a.kind == SupportingFeatureKind::disc) {
        Overlap(disc_to_polygon(b), a, false, tolerance, margin, out).run();
    } else if (b.kind == SupportingFeatureKind::disc || !a.has_area()) {
        Overlap(a, b, true, tolerance, margin, out).run();
    } else {
        Overlap(b, a, false, tolerance, margin, out).run();
    }
}

void overlap_of_nearest_edges(const ProjectedFeature& a, const ProjectedFeature& b, float tolerance, float margin,
                              Candidates& out) {
    const auto is_line = [](const ProjectedFeature& p) {
        return p.kind == SupportingFeatureKind::segment || p.kind == SupportingFeatureKind::polygon;
    };
    if (!is_line(a) || !is_line(b)) return;
    ProjectedFeature edge_a, edge_b;
    const ProjectedFeature *line_a = &a, *line_b = &b;
    if (a.kind == SupportingFeatureKind::polygon) {
        nearest_edge(a, true, edge_a);
        line_a = &edge_a;
    }
    if (b.kind == SupportingFeatureKind::polygon) {
        nearest_edge(b, false, edge_b);
        line_b = &edge_b;
    }
    Overlap(*line_b, *line_a, false, tolerance, margin, out).run_segments();
}

}  // namespace talus::detail
