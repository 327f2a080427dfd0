#include <talus/narrowphase/clip.h>

#include <talus/lanes.h>
#include <talus/narrowphase/tolerances.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

Float4 load(const float* p) {
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

/// The inner side of a polygon's edge: a * x + b * y + c >= 0 after it is pushed out by the tolerance, which is worth
/// `slack`. Not normalised: the tolerance is weighed with |a| + |b| instead of the edge's length, so it is up to 1.4
/// times as wide along the diagonals, and no root is needed.
struct Line {
    float a, b, c, slack;
};

Line edge_line(const Patch& patch, int i, float tolerance) {
    const float ex = patch.x[i + 1] - patch.x[i], ey = patch.y[i + 1] - patch.y[i];
    const float slack = tolerance * (std::abs(ex) + std::abs(ey));
    return {-ey, ex, ey * patch.x[i] - ex * patch.y[i] + slack, slack};
}

/// At a sharp corner, lines pushed out by a tolerance meet far outside: tolerance / sin(half the angle). So it shrinks
/// there.
float tamed_tolerance(const Patch& patch, float tolerance) {
    return patch.kind == FeatureKind::polygon ? tolerance * patch.sharpness : tolerance;
}

/// Collects the corners of one overlap. P's edges are cut by Q, which has an area; P may be of any kind but a disc.
class Overlap {
public:
    Overlap(const Patch& p, const Patch& q, bool p_is_a, float tolerance, float margin, Candidates& out)
        : p_(p), q_(q), p_is_a_(p_is_a), tolerance_(tolerance), margin_(margin), out_(out) {
        const float sign = p_is_a ? -1.0f : 1.0f;
        separation0_ = sign * (p.h0 - q.h0);
        separation_x_ = sign * (p.gx - q.gx);
        separation_y_ = sign * (p.gy - q.gy);
    }

    void run() {
        p_tolerance_ = tamed_tolerance(p_, tolerance_);
        q_tolerance_ = tamed_tolerance(q_, tolerance_);
        // One inside the other, as a crate on a floor: there are no crossings.
        if (add_corners_of_p() == p_.count) return;
        if (p_.kind == FeatureKind::polygon && add_corners_of_q() == q_.count) return;
        if (q_.kind == FeatureKind::disc) {
            add_crossings_with_disc();
        } else {
            add_crossings_with_polygon();
        }
    }

    /// P is a disc. When its first four rim points, a quarter turn apart, lie in Q, they are the contact: cans on
    /// tables do not need more. Otherwise nothing is added.
    bool add_quarters_of_p() {
        if (q_.kind == FeatureKind::polygon) {
            q_tolerance_ = tamed_tolerance(q_, tolerance_);
            if (corners_inside(p_, 4, q_, q_tolerance_, [](int) {}) < 4) return false;
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
        // Parallel: the stretch of P beside Q, and of that the part where the two lines are near each other.
        const float scale = 1.0f / pp, length = std::sqrt(pp);
        const float q0 = (ox * px + oy * py) * scale, q1 = q0 + (qx * px + qy * py) * scale;
        const float offset0 = (px * oy - py * ox) / length,
                    offset1 = offset0 + cross / length;  // Q beside P, at Q's ends
        float low = std::max(0.0f, std::min(q0, q1)), high = std::min(1.0f, std::max(q0, q1));
        const float curvature = p_.curvature + q_.curvature;
        const float near = tolerance_ + tolerance::parallel_offset * curvature;
        // offset(s) = offset0 + slope * (s - q0), within +-near.
        const float slope = (offset1 - offset0) / (q1 - q0);
        const float at0 = offset0 - slope * q0;
        if (std::abs(slope) > 1e-6f * near) {
            const float s0 = (-near - at0) / slope, s1 = (near - at0) / slope;
            low = std::max(low, std::min(s0, s1));
            high = std::min(high, std::max(s0, s1));
        } else if (!(std::abs(at0) <= near)) {
            return;
        }
        if (!(low <= high + tolerance_ / length)) return;
        high = std::max(low, high);
        // Between the two lines, nearer to the sharper one: a round surface still has its height a little beside its
        // line.
        const float share = curvature > 0.0f ? p_.curvature / curvature : 0.5f;
        const float nx = -py / length, ny = px / length;
        const auto end = [&](float s, int end_of_p) {
            const float offset = share * (at0 + slope * s);
            add(p_.x[0] + s * px + offset * nx, p_.y[0] + s * py + offset * ny, vertex_code(p_.vertex[end_of_p]),
                q_edge);
        };
        end(low, 0);
        end(high, 1);
    }

private:
    void add(float x, float y, std::uint16_t p, std::uint16_t q) {
        const float separation = separation0_ + separation_x_ * x + separation_y_ * y;
        if (!(separation <= margin_) || out_.count == Candidates::capacity) return;
        out_.items[out_.count++] = {x, y, separation, p_is_a_ ? point_id(p, q) : point_id(q, p)};
    }

    /// Calls found(i) for each of the first `count` corners of `patch` that is inside `polygon`; how many there are.
    template <class Found>
    static int corners_inside(const Patch& patch, int count, const Patch& polygon, float tolerance, Found found) {
        int inside = 0;
        for (int group = 0; group < count; group += 4) {
            const Float4 x = load(patch.x + group), y = load(patch.y + group);
            Float4 least = Float4{} + 1.0f;
            for (int i = 0; i < polygon.count; ++i) {
                const Line line = edge_line(polygon, i, tolerance);
                least = min(least, line.a * x + line.b * y + line.c);
            }
            const int end = std::min(4, count - group);
            for (int lane = 0; lane < end; ++lane) {
                if (!(least[lane] >= 0.0f)) continue;
                found(group + lane);
                ++inside;
            }
        }
        return inside;
    }

    int add_corners_of_p() {
        const auto found = [&](int i) { add(p_.x[i], p_.y[i], vertex_code(p_.vertex[i]), inside_code); };
        if (q_.kind == FeatureKind::polygon) return corners_inside(p_, p_.count, q_, q_tolerance_, found);
        int inside = 0;
        for (int i = 0; i < p_.count; ++i) {
            if (!is_in_disc(p_.x[i], p_.y[i])) continue;
            found(i);
            ++inside;
        }
        return inside;
    }

    int add_corners_of_q() {
        return corners_inside(q_, q_.count, p_, p_tolerance_,
                              [&](int i) { add(q_.x[i], q_.y[i], inside_code, vertex_code(q_.vertex[i])); });
    }

    /// Where an edge of P meets the boundary of Q: pushed out by the tolerance, which decides, and as it is, which is
    /// where the point goes. An edge that only runs through the strip between the two has its ends on the outer one.
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
    int edge_count() const { return p_.kind == FeatureKind::polygon ? p_.count : p_.count - 1; }

    /// Each edge of P against all lines of Q, four edges at a time: t0 and t1 are where it enters and leaves.
    void add_crossings_with_polygon() {
        const auto q_edge = [&](int i) { return edge_code(q_.vertex[i], q_.vertex[i + 1 < q_.count ? i + 1 : 0]); };
        const int edges = edge_count();
        for (int group = 0; group < edges; group += 4) {
            const Float4 x0 = load(p_.x + group), y0 = load(p_.y + group);
            const Float4 x1 = load(p_.x + group + 1), y1 = load(p_.y + group + 1);
            const Float4 zero{}, never = zero + 2.0f;
            Float4 t0 = zero, t1 = zero + 1.0f, true0 = t0, true1 = t1;
            Int4 enter{}, leave{};
            for (int i = 0; i < q_.count; ++i) {
                const Line line = edge_line(q_, i, q_tolerance_);
                const Float4 f0 = line.a * x0 + line.b * y0 + line.c;
                const Float4 f1 = line.a * x1 + line.b * y1 + line.c;
                const Int4 out0 = f0 < zero, out1 = f1 < zero;
                const Float4 scale = 1.0f / (f0 - f1);  // used only where the signs differ
                const Float4 t = f0 * scale, true_t = (f0 - line.slack) * scale;
                const Int4 enters = out0 & ~out1 & (t > t0);
                const Int4 leaves = out1 & ~out0 & (t < t1);
                t0 = enters ? t : t0;
                t1 = leaves ? t : t1;
                true0 = enters ? true_t : true0;
                true1 = leaves ? true_t : true1;
                enter = enters ? Int4{} + i : enter;
                leave = leaves ? Int4{} + i : leave;
                t0 = (out0 & out1) ? never : t0;
            }
            const int end = std::min(4, edges - group);
            for (int lane = 0; lane < end; ++lane) {
                add_crossings(group + lane,
                              {t0[lane], t1[lane], std::min(true0[lane], 1.0f), std::max(true1[lane], 0.0f)},
                              q_edge(enter[lane]), q_edge(leave[lane]));
            }
        }
    }

    /// The product of two vectors of the contact plane after they are lifted onto the disc Q, which may stand at an
    /// angle to it (its shadow is an ellipse): the plane through the disc rises by g.d along d.
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
        for (int i = 0; i < edges; ++i) {
            const float dx = p_.x[i] - q_.cx, dy = p_.y[i] - q_.cy;
            const float ex = p_.x[i + 1] - p_.x[i], ey = p_.y[i + 1] - p_.y[i];
            const float a = on_disc(ex, ey, ex, ey), b = on_disc(dx, dy, ex, ey), c = on_disc(dx, dy, dx, dy);
            const float outer = b * b - a * (c - reach * reach), inner = b * b - a * (c - q_.radius * q_.radius);
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

    const Patch& p_;
    const Patch& q_;
    const bool p_is_a_;
    const float tolerance_, margin_;
    float p_tolerance_ = 0.0f, q_tolerance_ = 0.0f;
    Candidates& out_;
    float separation0_, separation_x_, separation_y_;
};

/// The edge of a polygon whose middle is nearest to the other shape, as a segment.
void nearest_edge(const Patch& patch, bool highest, Patch& segment) {
    int best = 0;
    float most = 0.0f;
    for (int i = 0; i < patch.count; ++i) {
        const float h = patch.gx * (patch.x[i] + patch.x[i + 1]) + patch.gy * (patch.y[i] + patch.y[i + 1]);
        const float along = highest ? h : -h;
        if (i == 0 || along > most) {
            most = along;
            best = i;
        }
    }
    const auto corner = [&](int i) { return vec3(patch.x[i], patch.y[i], patch.height(patch.x[i], patch.y[i])); };
    make_segment(corner(best), corner(best + 1), patch.vertex[best],
                 patch.vertex[best + 1 < patch.count ? best + 1 : 0], 0.0f, segment);
}

}  // namespace

void overlap(const Patch& a, const Patch& b, float tolerance, float margin, Candidates& out) {
    if (!a.has_area() && !b.has_area()) {
        if (a.kind == FeatureKind::segment && b.kind == FeatureKind::segment) {
            Overlap(b, a, false, tolerance, margin, out).run_segments();
        }
        return;
    }
    // P is B's patch where there is a choice.
    if (b.kind == FeatureKind::disc && a.has_area() && Overlap(b, a, false, tolerance, margin, out).add_quarters_of_p())
        return;
    if (a.kind == FeatureKind::disc && b.has_area() && Overlap(a, b, true, tolerance, margin, out).add_quarters_of_p())
        return;
    if (b.kind == FeatureKind::disc && a.kind == FeatureKind::disc) {
        Overlap(disc_to_polygon(b), a, false, tolerance, margin, out).run();
    } else if (b.kind == FeatureKind::disc || !a.has_area()) {
        Overlap(a, b, true, tolerance, margin, out).run();
    } else {
        Overlap(b, a, false, tolerance, margin, out).run();
    }
}

void overlap_of_nearest_edges(const Patch& a, const Patch& b, float tolerance, float margin, Candidates& out) {
    const auto is_line = [](const Patch& p) {
        return p.kind == FeatureKind::segment || p.kind == FeatureKind::polygon;
    };
    if (!is_line(a) || !is_line(b)) return;
    Patch edge_a, edge_b;
    const Patch *line_a = &a, *line_b = &b;
    if (a.kind == FeatureKind::polygon) {
        nearest_edge(a, true, edge_a);
        line_a = &edge_a;
    }
    if (b.kind == FeatureKind::polygon) {
        nearest_edge(b, false, edge_b);
        line_b = &edge_b;
    }
    Overlap(*line_b, *line_a, false, tolerance, margin, out).run_segments();
}

}  // namespace talus::detail
