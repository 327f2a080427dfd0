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

void store(float* p, Float4 v) { std::memcpy(p, &v, sizeof v); }

/// The inner side of a polygon's edge, pushed out by the tolerance: a * x + b * y + c >= 0. Not normalised: the tolerance is weighed
/// with |a| + |b| instead of the edge's length, so it is up to 1.4 times as wide along the diagonals, and no root is needed.
struct Line {
    float a, b, c;
};

Line edge_line(const Patch& patch, int i, float tolerance) {
    const float ex = patch.x[i + 1] - patch.x[i], ey = patch.y[i + 1] - patch.y[i];
    return {-ey, ex, ey * patch.x[i] - ex * patch.y[i] + tolerance * (std::abs(ex) + std::abs(ey))};
}

/// At a sharp corner, lines pushed out by a tolerance meet far outside: tolerance / sin(half the angle). Where a corner is sharper than 60
/// degrees, the tolerance shrinks with its sine.
float tamed_tolerance(const Patch& patch, float tolerance) {
    if (patch.kind != FeatureKind::polygon) return tolerance;
    float least = 1.0f;  // squared sine
    float px = patch.x[0] - patch.x[patch.count - 1], py = patch.y[0] - patch.y[patch.count - 1];
    for (int i = 0; i < patch.count; ++i) {
        const float ex = patch.x[i + 1] - patch.x[i], ey = patch.y[i + 1] - patch.y[i];
        const float back = px * ex + py * ey, lengths2 = (px * px + py * py) * (ex * ex + ey * ey);
        if (back < 0.0f && back * back > 0.25f * lengths2) least = std::min(least, std::max(0.0f, 1.0f - back * back / lengths2));
        px = ex, py = ey;
    }
    return least < 1.0f ? tolerance * std::sqrt(least) : tolerance;
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
        if (q_.kind == FeatureKind::disc) {
            cut_by_disc();
        } else {
            cut_by_polygon();
        }
        if (p_.kind == FeatureKind::polygon) find_corners_of_q();
        for (int i = 0; i < crossing_count_; ++i) {
            const Crossing& c = crossings_[i];
            add(c.x, c.y, c.p, c.q);
        }
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
        const float offset0 = (px * oy - py * ox) / length, offset1 = offset0 + cross / length;  // Q beside P, at Q's ends
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
        // Between the two lines, nearer to the sharper one: a round surface still has its height a little beside its line.
        const float share = curvature > 0.0f ? p_.curvature / curvature : 0.5f;
        const float nx = -py / length, ny = px / length;
        const auto end = [&](float s, int end_of_p) {
            const float offset = share * (at0 + slope * s);
            add(p_.x[0] + s * px + offset * nx, p_.y[0] + s * py + offset * ny, vertex_code(p_.vertex[end_of_p]), q_edge);
        };
        end(low, 0);
        end(high, 1);
    }

private:
    struct Crossing {
        float x, y;
        std::uint16_t p, q;
    };

    void add(float x, float y, std::uint16_t p, std::uint16_t q) {
        const float separation = separation0_ + separation_x_ * x + separation_y_ * y;
        if (!(separation <= margin_) || out_.count == Candidates::capacity) return;
        out_.items[out_.count++] = {x, y, separation, p_is_a_ ? point_id(p, q) : point_id(q, p)};
    }

    int edge_count() const { return p_.kind == FeatureKind::polygon ? p_.count : p_.count - 1; }

    /// Edge i of P lies in Q between t0 and t1 (in [0, 1] when clipped at neither end): its start corner is inside when t0 <= 0.
    void add_edge(int i, float t0, float t1, std::uint16_t enter, std::uint16_t leave) {
        if (!(t0 <= t1)) return;
        const float x = p_.x[i], y = p_.y[i];
        const float ex = p_.x[i + 1] - x, ey = p_.y[i + 1] - y;
        const int next = i + 1 < p_.count ? i + 1 : 0;
        const std::uint16_t edge = edge_code(p_.vertex[i], p_.vertex[next]);
        if (t0 <= 0.0f) {
            add(x, y, vertex_code(p_.vertex[i]), inside_code);
        } else if (crossing_count_ < max_crossings) {
            crossings_[crossing_count_++] = {x + t0 * ex, y + t0 * ey, edge, enter};
        }
        if (t1 < 1.0f) {
            if (crossing_count_ < max_crossings) crossings_[crossing_count_++] = {x + t1 * ex, y + t1 * ey, edge, leave};
        } else if (p_.kind == FeatureKind::segment) {
            add(p_.x[1], p_.y[1], vertex_code(p_.vertex[1]), inside_code);
        }
    }

    /// Each edge of P against all lines of Q, four edges at a time: t0 and t1 are where it enters and leaves.
    void cut_by_polygon() {
        const int edges = edge_count();
        if (edges == 0) {
            if (is_inside_polygon(p_.x[0], p_.y[0])) add(p_.x[0], p_.y[0], vertex_code(p_.vertex[0]), inside_code);
            return;
        }
        for (int group = 0; group < edges; group += 4) {
            const Float4 x0 = load(p_.x + group), y0 = load(p_.y + group);
            const Float4 x1 = load(p_.x + group + 1), y1 = load(p_.y + group + 1);
            const Float4 zero{}, never = zero + 2.0f;
            Float4 t0 = zero, t1 = zero + 1.0f;
            Int4 enter{}, leave{};
            for (int i = 0; i < q_.count; ++i) {
                const Line line = edge_line(q_, i, q_tolerance_);
                const Float4 f0 = line.a * x0 + line.b * y0 + line.c;
                const Float4 f1 = line.a * x1 + line.b * y1 + line.c;
                const Int4 out0 = f0 < zero, out1 = f1 < zero;
                const Float4 t = f0 / (f0 - f1);  // used only where the signs differ
                const Int4 enters = out0 & ~out1 & (t > t0);
                const Int4 leaves = out1 & ~out0 & (t < t1);
                t0 = enters ? t : t0;
                t1 = leaves ? t : t1;
                enter = enters ? Int4{} + i : enter;
                leave = leaves ? Int4{} + i : leave;
                t0 = (out0 & out1) ? never : t0;
            }
            const int end = std::min(4, edges - group);
            for (int lane = 0; lane < end; ++lane) {
                add_edge(group + lane, t0[lane], t1[lane], q_edge(enter[lane]), q_edge(leave[lane]));
            }
        }
    }

    std::uint16_t q_edge(int i) const { return edge_code(q_.vertex[i], q_.vertex[i + 1 < q_.count ? i + 1 : 0]); }

    bool is_inside_polygon(float x, float y) const {
        for (int i = 0; i < q_.count; ++i) {
            const Line line = edge_line(q_, i, q_tolerance_);
            if (!(line.a * x + line.b * y + line.c >= 0.0f)) return false;
        }
        return true;
    }

    /// The same against a disc, exactly. A disc at an angle to the contact plane has an ellipse for a shadow; with its height's gradient
    /// g, a point at d from the centre is at distance sqrt(d.d + (g.d)^2) from it on the disc itself.
    void cut_by_disc() {
        const float r2 = (q_.radius + tolerance_) * (q_.radius + tolerance_);
        const auto form = [&](float ax, float ay, float bx, float by) {
            return ax * bx + ay * by + (q_.gx * ax + q_.gy * ay) * (q_.gx * bx + q_.gy * by);
        };
        const int edges = edge_count();
        if (edges == 0) {
            const float dx = p_.x[0] - q_.cx, dy = p_.y[0] - q_.cy;
            if (form(dx, dy, dx, dy) <= r2) add(p_.x[0], p_.y[0], vertex_code(p_.vertex[0]), inside_code);
        }
        for (int i = 0; i < edges; ++i) {
            const float dx = p_.x[i] - q_.cx, dy = p_.y[i] - q_.cy;
            const float ex = p_.x[i + 1] - p_.x[i], ey = p_.y[i + 1] - p_.y[i];
            const float a = form(ex, ey, ex, ey), b = form(dx, dy, ex, ey), c = form(dx, dy, dx, dy) - r2;
            const float root2 = b * b - a * c;
            if (!(root2 >= 0.0f) || !(a > 0.0f)) continue;
            const float root = std::sqrt(root2);
            const float t0 = (-b - root) / a, t1 = (-b + root) / a;
            if (t1 < 0.0f || t0 > 1.0f) continue;
            // A start corner inside by c is inside, whatever the root's rounding says.
            add_edge(i, c <= 0.0f ? 0.0f : std::max(t0, 0.0f), t1, rim_enter, rim_leave);
        }
    }

    /// Corners (or rim points) of Q inside P.
    void find_corners_of_q() {
        for (int group = 0; group < q_.count; group += 4) {
            const Float4 x = load(q_.x + group), y = load(q_.y + group);
            Float4 least = Float4{} + 1.0f;
            for (int i = 0; i < p_.count; ++i) {
                const Line line = edge_line(p_, i, p_tolerance_);
                least = min(least, line.a * x + line.b * y + line.c);
            }
            alignas(16) float inside[4];
            store(inside, least);
            const int end = std::min(4, q_.count - group);
            for (int lane = 0; lane < end; ++lane) {
                const int i = group + lane;
                if (inside[lane] >= 0.0f) add(q_.x[i], q_.y[i], inside_code, vertex_code(q_.vertex[i]));
            }
        }
    }

    static constexpr int max_crossings = 2 * max_patch_corners;
    static constexpr std::uint16_t rim_enter = vertex_code(rim_points), rim_leave = vertex_code(rim_points + 1);

    const Patch& p_;
    const Patch& q_;
    const bool p_is_a_;
    const float tolerance_, margin_;
    float p_tolerance_ = 0.0f, q_tolerance_ = 0.0f;
    Candidates& out_;
    float separation0_, separation_x_, separation_y_;
    int crossing_count_ = 0;
    Crossing crossings_[max_crossings];
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
    make_segment(corner(best), corner(best + 1), patch.vertex[best], patch.vertex[best + 1 < patch.count ? best + 1 : 0], 0.0f,
                 segment);
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
    if (b.kind == FeatureKind::disc && a.kind == FeatureKind::disc) {
        Patch polygon = b;
        disc_to_polygon(polygon);
        Overlap(polygon, a, false, tolerance, margin, out).run();
    } else if (b.kind == FeatureKind::disc || !a.has_area()) {
        Overlap(a, b, true, tolerance, margin, out).run();
    } else {
        Overlap(b, a, false, tolerance, margin, out).run();
    }
}

void overlap_of_nearest_edges(const Patch& a, const Patch& b, float tolerance, float margin, Candidates& out) {
    const auto is_line = [](const Patch& p) { return p.kind == FeatureKind::segment || p.kind == FeatureKind::polygon; };
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
