/// Internal: the body of gjk_kernel_base.cpp, gjk_kernel_avx2.cpp and gjk_kernel_observed.cpp.

#include "common/lanes/float8.h"
#include "narrowphase/gjk/gjk_kernel.h"
#include "narrowphase/gjk/observer.h"
#include "narrowphase/tolerances.h"

#define TALUS_INLINE inline __attribute__((always_inline))

namespace talus::detail::TALUS_LANES {

namespace {

constexpr double infinity = __builtin_inf();

TALUS_INLINE double larger(double a, double b) { return a < b ? b : a; }
TALUS_INLINE double smaller(double a, double b) { return b < a ? b : a; }

/// Returns the farthest vertex by scanning all: finds the greatest dot product, then the first vertex that has it.
TALUS_INLINE int scan(const HullView& hull, F4 d) {
    const int count = hull.padded;
    const F8 x = repeat8<0>(d), y = repeat8<1>(d), z = repeat8<2>(d);
    const auto along = [&](int i) __attribute__((always_inline)) {
        return (load8(hull.x + i) * x + load8(hull.y + i) * y) + load8(hull.z + i) * z;
    };
    F8 dots[hull_scan_limit / 8];
    F8 most = dots[0] = along(0);
    if (count <= 8) return __builtin_ctz(equal(most, all_most(most)) | 0x100) & 7;
    for (int i = 8; i < count; i += 8) most = max_of(most, dots[i / 8] = along(i));
    most = all_most(most);
    // Without branches, because half of them would be mispredicted.
    unsigned long long at = 0;
    for (int i = 0; i < count; i += 8) at |= static_cast<unsigned long long>(equal(dots[i / 8], most)) << i;
    return at != 0 ? __builtin_ctzll(at) : 0;  // no vertex has it if the direction is NaN
}

TALUS_INLINE float along(const HullView& hull, F4 d, int i) {
    const float* v = hull.vertices + 3 * i;
    return v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
}

/// Steepest ascent over the vertex graph (Jovanoski 2008, section 4.1). Each step compares dot products with *edges*,
/// not with vertices, so that the climb does not stall at steps that gain less than the rounding of the vertices'
/// products. A gain that may be rounding does not count, so that each step truly gains and the climb ends.
TALUS_INLINE int climb(const HullView& hull, F4 d, int at) {
    const F8 dx = repeat8<0>(d), dy = repeat8<1>(d), dz = repeat8<2>(d);
    for (;;) {
        float most = 0.0f;
        int next = at;
        const ClimbRing* const end = hull.rings + hull.first_ring[at + 1];
        for (const ClimbRing* ring = hull.rings + hull.first_ring[at]; ring < end; ++ring) {
            const F8 x = load8(ring->x) * dx, y = load8(ring->y) * dy, z = load8(ring->z) * dz;
            const F8 rounding = splat8(2.4e-7f) * ((absolute(x) + absolute(y)) + absolute(z));
            const F8 gain = above((x + y) + z, max_of(rounding, splat8(most)));
            const F8 best = all_most(gain);
            if (!(best[0] > 0.0f)) continue;
            most = best[0];
            next = ring->next[__builtin_ctz(equal(gain, best))];
        }
        if (next == at) return at;
        at = next;
    }
}

/// Four doubles of which one will be read. (With a copy to an array of doubles, g++ 12 moves them through integer
/// registers.)
struct Lanes {
    TALUS_INLINE Lanes(const D4& v) : all(v) {}
    TALUS_INLINE double operator[](int i) const {
        typedef double Lane __attribute__((may_alias));
        return reinterpret_cast<const Lane*>(&all)[i];
    }
    D4 all;
};

TALUS_INLINE D4 cross(D4 a, D4 b) {
    return permute<1, 2, 0, 3>(a) * permute<2, 0, 1, 3>(b) - permute<2, 0, 1, 3>(a) * permute<1, 2, 0, 3>(b);
}

TALUS_INLINE D4 point(const float* p) { return to_double(load3(p)); }

/// Returns the core's point farthest along d, and its index. `hint` >= 0: a vertex that may be near. `small_hull`: the
/// core is known to be a hull that is scanned.
template <bool small_hull>
TALUS_INLINE D4 support(const KernelCore& core, D4 d, int hint, int& index) {
    if constexpr (small_hull) {
        index = scan(*core.view, to_float(d));
        return point(core.view->vertices + 3 * index);
    }
    if (core.kind == KernelCore::hull) {
        const F4 f = to_float(d);
        const HullView& hull = *core.view;
        if (hull.cells == 0) {
            index = scan(hull, f);
        } else {
            // Starts from the table's vertex or from the hint, whichever is farther along.
            int start = hull.starts[support_cell(f[0], f[1], f[2], hull.cells)];
            if (hint >= 0 && along(hull, f, hint) > along(hull, f, start)) start = hint;
            index = climb(hull, f, start);
        }
        return point(hull.vertices + 3 * index);
    }
    switch (core.kind) {
        case KernelCore::box: {
            const D4 p = with_signs(point(core.numbers), d);
            index = signs(p) & 7;
            return p;
        }
        case KernelCore::capsule:
            index = d[1] < 0.0;
            return make(0.0, index != 0 ? -core.numbers[1] : core.numbers[1], 0.0, 0.0);
        case KernelCore::segment:
            index = dot(d, point(core.numbers + 3)) > dot(d, point(core.numbers));
            return point(core.numbers + 3 * index);
        case KernelCore::triangle: {
            const double d0 = dot(d, point(core.numbers)), d1 = dot(d, point(core.numbers + 3)),
                         d2 = dot(d, point(core.numbers + 6));
            index = d2 > d0 && d2 > d1 ? 2 : d1 > d0 ? 1 : 0;
            return point(core.numbers + 3 * index);
        }
        default:
            index = 0;
            return splat(0.0);
    }
}

/// Returns the point of a cached index. Any index is safe; one that is out of range is replaced.
template <bool small_hull>
TALUS_INLINE D4 cached_point(const KernelCore& core, int& index) {
    if constexpr (small_hull) {
        index = index < core.view->count ? index : 0;
        return point(core.view->vertices + 3 * index);
    }
    int known = 1;
    switch (core.kind) {
        case KernelCore::hull:
            if (index >= core.view->count) index = 0;
            return point(core.view->vertices + 3 * index);
        case KernelCore::box: {
            if (index > 7) index = 0;
            const float* h = core.numbers;
            return make((index & 1) != 0 ? -h[0] : h[0], (index & 2) != 0 ? -h[1] : h[1],
                        (index & 4) != 0 ? -h[2] : h[2], 0.0);
        }
        case KernelCore::capsule:
            if (index > 1) index = 0;
            return make(0.0, index != 0 ? -core.numbers[1] : core.numbers[1], 0.0, 0.0);
        case KernelCore::triangle:
            ++known;
            [[fallthrough]];
        case KernelCore::segment:
            if (index > known) index = 0;
            return point(core.numbers + 3 * index);
        default:
            index = 0;
            return splat(0.0);
    }
}

struct Watched {
    static constexpr bool watches = true;
    GjkObserver* observer;
};

/// One search: the difference A - B, the simplex, and the bound proved so far.
///
/// As in `Simplex` (simplex.h), the nearest point v is stored as a multiple y, which follows from its feature without a
/// division.
///
/// Watch: `Unobserved`, or `Watched`, whose observer is called at each step.
template <bool small_hulls, class Watch>
class Search : Watch {
public:
    TALUS_INLINE explicit Search(const KernelQuery& query, const Watch& watch = {}) : Watch(watch), query_(query) {
        position_ = point(query.frame);
        column_[0] = row_[0] = point(query.frame + 3);
        column_[1] = row_[1] = point(query.frame + 6);
        column_[2] = row_[2] = point(query.frame + 9);
        transpose(row_[0], row_[1], row_[2], splat(0.0));
    }

    TALUS_INLINE void run(const unsigned short* cached_a, const unsigned short* cached_b, int cached,
                          KernelAnswer& answer) {
        int hint_a = -1,
            hint_b =
                -1;  // only the first climb of a warm search starts from a cached vertex: later the table is nearer
        if (cached > 0) {
            for (int i = 0; i < cached; ++i) {
                int a = cached_a[i], b = cached_b[i];
                a_[i] = cached_point<small_hulls>(query_.a, a);
                w_[i] = a_[i] - to_a(cached_point<small_hulls>(query_.b, b));
                index_[i] = a | (b << 16);
                largest2_ = larger(largest2_, dot(w_[i], w_[i]));
            }
            hint_a = index_[0] & 0xffff;
            hint_b = static_cast<int>(static_cast<unsigned>(index_[0]) >> 16);
            count_ = cached - 1;
            if (cached == 1) {
                to_vertex(0);
            } else if (!add(w_[count_], a_[count_], index_[count_])) {
                return end_doubtful(cached, answer);
            }
        } else {
            D4 d = make(query_.middle[0], query_.middle[1], query_.middle[2], 0.0);
            double dd = dot(d, d);
            if (!(dd > 0.0)) {
                d = make(0.0, 1.0, 0.0, 0.0);
                dd = 1.0;
            }
            w_[0] = support_pair(d, -1, -1, a_[0], index_[0]);
            iterations_ = 1;
            to_vertex(0);
            largest2_ = vv_;
            const bool beyond = prove(dd, -dot(d, y_));
            if constexpr (Watch::watches) {
                tell_support(d, w_[0], a_[0], index_[0]);
                tell_simplex();
            }
            if (beyond) return end(KernelAnswer::beyond_limit, -d, answer);
        }
        constexpr double gap2 = tolerance::gjk_gap * tolerance::gjk_gap;
        constexpr double floor2 = tolerance::gjk_gap_floor * tolerance::gjk_gap_floor;
        constexpr double touching2 = tolerance::gjk_touching * tolerance::gjk_touching;
        const double size2 = query_.size * query_.size;
        for (;;) {
            if constexpr (Watch::watches) tell_simplex();
            if (count_ == 4 || vv_ <= touching2 * largest2_) return end(KernelAnswer::overlapping, y_, answer);
            if (iterations_ >= tolerance::gjk_max_iterations) return end(KernelAnswer::iteration_cap, y_, answer);
            int index;
            D4 a;
            const D4 w = support_pair(-y_, hint_a, hint_b, a, index);
            hint_a = index & 0xffff;
            hint_b = static_cast<int>(static_cast<unsigned>(index) >> 16);
            ++iterations_;
            const double yw = dot(y_, w), rest = yv_ - yw;
            const bool beyond = prove(yy_, yw);
            if constexpr (Watch::watches) tell_support(-y_, w, a, index);
            if (beyond) return end(KernelAnswer::beyond_limit, y_, answer);
            const double allowed = larger(gap2 * smaller(vv_, size2), floor2 * vv_);
            if (!(rest > 0.0) || rest * rest <= yy_ * allowed) return end(KernelAnswer::separated, y_, answer);
            const auto is = [&](int i) __attribute__((always_inline)) { return static_cast<int>(index_[i] == index); };
            const int known = is(0) | (is(1) & (count_ > 1)) | (is(2) & (count_ > 2));
            if (known != 0) return end_doubtful(count_, answer);  // an end by rounding
            largest2_ = larger(largest2_, dot(w, w));
            const int before = count_;
            if (!add(w, a, index)) return end_doubtful(before, answer);
        }
    }

private:
    TALUS_INLINE D4 to_a(D4 b) const {
        return ((column_[0] * permute<0, 0, 0, 0>(b) + column_[1] * permute<1, 1, 1, 1>(b)) +
                column_[2] * permute<2, 2, 2, 2>(b)) +
               position_;
    }

    TALUS_INLINE D4 support_pair(D4 d, int hint_a, int hint_b, D4& a, int& index) const {
        const D4 in_b =
            -((row_[0] * permute<0, 0, 0, 0>(d) + row_[1] * permute<1, 1, 1, 1>(d)) + row_[2] * permute<2, 2, 2, 2>(d));
        int index_a, index_b;
        a = support<small_hulls>(query_.a, d, hint_a, index_a);
        const D4 w = a - to_a(support<small_hulls>(query_.b, in_b, hint_b, index_b));
        index = index_a | (index_b << 16);
        return w;
    }

    /// The support plane at w with normal -y proves that the distance is at least y.w / |y|, whatever y is. True beyond
    /// the limit.
    TALUS_INLINE bool prove(double yy, double yw) {
        const double yw2 = yw * yw;
        const bool better = yw > 0.0 && yw2 * bound_yy_ > bound_yw_ * bound_yw_ * yy;
        bound_yw_ = better ? yw : bound_yw_;
        bound_yy_ = better ? yy : bound_yy_;
        return better && yw2 > query_.max_distance * query_.max_distance * yy;
    }

    TALUS_INLINE void keep(int slot, int i) {
        w_[slot] = w_[i];
        a_[slot] = a_[i];
        index_[slot] = index_[i];
    }

    TALUS_INLINE void to_vertex(int i) {
        keep(0, i);
        count_ = 1;
        weight_[0] = 1.0;
        y_ = w_[0];
        yy_ = yv_ = vv_ = dot(y_, y_);
    }

    /// Makes v the nearest point of the simplex and one more vertex; drops what it does not need. The features without
    /// the new vertex need no look, as the old nearest point was the best of them. False in doubt: the old vertices are
    /// then still there.
    ///
    /// Likely features have branches of their own: guessed right, the next search starts before their weights are
    /// known.
    TALUS_INLINE bool add(D4 d, D4 a, int index) {
        const int old = count_;
        w_[old] = d;
        a_[old] = a;
        index_[old] = index;
        if (old == 1) {
            const D4 e = w_[0] - d;
            const double along = -dot(e, d), length2 = dot(e, e);
            if (!(along > 0.0)) return to_newest(old);
            if (!(length2 > along)) return false;
            const D4 y = splat(length2) * d + splat(along) * e;
            const double yy = dot(y, y), yv = yy / length2, vv = yv / length2;
            return to_edge(0, y, yy, yv, vv, along, length2);
        }
        if (old == 2) {
            const D4 f = w_[0] - d, g = w_[1] - d, n = cross(f, g);
            const double wf = dot(cross(n, g), d), wg = dot(cross(f, n), d);
            if (wf > 0.0 && wg > 0.0) return to_triangle<0, 1>(n, dot(n, d), wf, wg);
        }
        // Lane i: old vertex i; the new one in lane 3 and in lanes without an old one.
        D4 px = w_[0], py = w_[1], pz = old > 2 ? w_[2] : d;
        transpose(px, py, pz, d);
        const D4 dx = permute<3, 3, 3, 3>(px), dy = permute<3, 3, 3, 3>(py), dz = permute<3, 3, 3, 3>(pz);
        const D4 ex = px - dx, ey = py - dy, ez = pz - dz;  // edges from the new vertex to the old ones
        if (old == 3) {
            // Lane i: the triangle opposite to old vertex i, of the new vertex and the two other old ones.
            const D4 fx = permute<1, 2, 0, 3>(ex), fy = permute<1, 2, 0, 3>(ey), fz = permute<1, 2, 0, 3>(ez);
            const D4 gx = permute<2, 0, 1, 3>(ex), gy = permute<2, 0, 1, 3>(ey), gz = permute<2, 0, 1, 3>(ez);
            D4 nx = fy * gz - fz * gy, ny = fz * gx - fx * gz, nz = fx * gy - fy * gx;
            const D4 height = (nx * dx + ny * dy) + nz * dz;
            // On which side of each face the origin is; `volume` tells the side of the opposite vertex, the same in all
            // lanes.
            const double volume = ((nx * ex + ny * ey) + nz * ez)[0];
            const int above = greater(height, splat(0.0)), below = greater(splat(0.0), height);
            int faces = (volume > 0.0 ? above : below) & 7;
            if (faces == 0) {
                // Behind all three, so the origin is enclosed, because the old nearest point lay on the fourth face.
                if (((volume > 0.0 ? below : above) & 7) != 7) return false;
                const double sign = volume < 0.0 ? -1.0 : 1.0;
                double rest = volume * sign;
                for (int i = 0; i < 3; ++i) {
                    weight_[i] = -height[i] * sign;
                    rest -= weight_[i];
                }
                weight_[3] = rest;
                count_ = 4;
                return true;
            }
            // Weights of each triangle's old vertices, times nn.
            const D4 wf = (gz * ny - gy * nz) * dx + (gx * nz - gz * nx) * dy + (gy * nx - gx * ny) * dz;
            const D4 wg = (fy * nz - fz * ny) * dx + (fz * nx - fx * nz) * dy + (fx * ny - fy * nx) * dz;
            faces &= greater(wf, splat(0.0)) & greater(wg, splat(0.0));
            if (faces != 0) {
                transpose(nx, ny, nz, height);  // to the normals of the faces 0, 1, 2
                if ((faces & 4) != 0) return to_triangle<0, 1>(nz, height[2], wf[2], wg[2]);
                if ((faces & 1) != 0) return to_triangle<1, 2>(nx, height[0], wf[0], wg[0]);
                return to_triangle<0, 2>(ny, height[1], wg[1], wf[1]);
            }
        }
        // Edges: y = length^2 * d + along * e.
        const D4 along = -((ex * dx + ey * dy) + ez * dz), length2 = (ex * ex + ey * ey) + ez * ez;
        const int olds = (1 << old) - 1, out = greater(along, splat(0.0)) & olds;
        int inside = out & greater(length2, along);
        if (inside == 0) return out == 0 && to_newest(old);
        const D4 yx = length2 * dx + along * ex, yy = length2 * dy + along * ey, yz = length2 * dz + along * ez;
        const D4 square = (yx * yx + yy * yy) + yz * yz;
        const Lanes lane[6] = {yx, yy, yz, square, along, length2};
        int best = 0;
        double yv = 0.0, vv = infinity;
        for (; inside != 0; inside &= inside - 1) {
            const int i = __builtin_ctz(static_cast<unsigned>(inside));
            const double yv_i = lane[3][i] / lane[5][i], vv_i = yv_i / lane[5][i];
            if (vv_i < vv) {
                best = i;
                yv = yv_i;
                vv = vv_i;
            }
        }
        return to_edge(best, make(lane[0][best], lane[1][best], lane[2][best], lane[2][best]), lane[3][best], yv, vv,
                       lane[4][best], lane[5][best]);
    }

    TALUS_INLINE bool to_newest(int newest) {
        if (!(dot(w_[newest], w_[newest]) < vv_)) return false;
        to_vertex(newest);
        return true;
    }

    /// Reduces to the edge of old vertex i, whose weight is `along`, and the newest vertex; the two weights add up to
    /// `length2`.
    TALUS_INLINE bool to_edge(int i, D4 y, double yy, double yv, double vv, double along, double length2) {
        if (!(vv < vv_)) return false;
        const int newest = count_;
        keep(0, i);
        keep(1, newest);
        count_ = 2;
        weight_[0] = along;
        weight_[1] = length2 - along;
        y_ = y;
        yy_ = yy;
        yv_ = yv;
        vv_ = vv;
        return true;
    }

    /// Reduces to the triangle of old vertices i and j, of weights wi and wj, and the newest; n is its normal, h the
    /// height of its plane along n.
    template <int i, int j>
    TALUS_INLINE bool to_triangle(D4 n, double h, double wi, double wj) {
        const double nn = dot(n, n), vv = h * h / nn, rest = nn - wi - wj;
        if (!(rest > 0.0) || !(vv < vv_)) return false;
        static_assert(i < j);  // so that vertices can move down in place
        const int newest = count_;
        keep(0, i);
        keep(1, j);
        keep(2, newest);
        count_ = 3;
        weight_[0] = wi;
        weight_[1] = wj;
        weight_[2] = rest;
        y_ = h < 0.0 ? -n : n;
        yy_ = nn;
        yv_ = h < 0.0 ? -h : h;
        vv_ = vv;
        return true;
    }

    TALUS_INLINE void store(D4 v, float (&p)[4]) const {
        const F4 f = to_float(v);
        __builtin_memcpy(p, &f, sizeof f);
    }

    TALUS_INLINE void end(KernelAnswer::Outcome outcome, D4 axis, KernelAnswer& answer) {
        answer.outcome = outcome;
        answer.iterations = iterations_;
        answer.count = count_;
        D4 on_a = splat(0.0);
        double total = 0.0;
        for (int i = 0; i < count_; ++i) {
            on_a = on_a + a_[i] * splat(weight_[i]);
            total += weight_[i];
        }
        name_vertices(answer);
        on_a = on_a * splat(1.0 / total);
        store(on_a, answer.point_a);
        if (outcome == KernelAnswer::overlapping) {
            store(on_a, answer.point_b);
            return;
        }
        const double inverse = 1.0 / __builtin_sqrt(yy_), distance = yv_ * inverse;
        store(on_a - y_ * splat(distance * inverse), answer.point_b);
        answer.distance = static_cast<float>(distance);
        answer.lower_bound = static_cast<float>(lower_bound(inverse, distance));
        if (outcome == KernelAnswer::beyond_limit) {
            answer.distance = answer.lower_bound;
            store(axis * splat(-1.0 / __builtin_sqrt(bound_yy_)), answer.normal);
        } else {
            store(y_ * splat(-inverse), answer.normal);
        }
    }

    /// Returns the best lower bound so far. `inverse` is y's inverse length, `distance` v's length.
    TALUS_INLINE double lower_bound(double inverse, double distance) const {
        const double bound = bound_yy_ == yy_ ? bound_yw_ * inverse : bound_yw_ / __builtin_sqrt(bound_yy_);
        return bound < distance ? bound : distance;
    }

    TALUS_INLINE void end_doubtful(int count, KernelAnswer& answer) {
        answer.outcome = KernelAnswer::doubtful;
        answer.iterations = iterations_;
        answer.count = count;
        name_vertices(answer);
    }

    TALUS_INLINE void name_vertices(KernelAnswer& answer) const {
        for (int i = 0; i < 4; ++i) {
            answer.index_a[i] = static_cast<unsigned short>(index_[i]);
            answer.index_b[i] = static_cast<unsigned short>(static_cast<unsigned>(index_[i]) >> 16);
        }
    }

    static void copy(D4 from, double (&to)[3]) {
        for (int i = 0; i < 3; ++i) to[i] = from[i];
    }

    static ObservedVertex observed(D4 w, D4 a, int index) {
        ObservedVertex v;
        copy(w, v.w);
        copy(a, v.a);
        v.index_a = static_cast<unsigned short>(index);
        v.index_b = static_cast<unsigned short>(static_cast<unsigned>(index) >> 16);
        return v;
    }

    double distance_so_far() const { return count_ == 4 || !(yy_ > 0.0) ? 0.0 : yv_ * (1.0 / __builtin_sqrt(yy_)); }
    double lower_bound_so_far() const {
        const double distance = distance_so_far();
        return distance > 0.0 ? lower_bound(1.0 / __builtin_sqrt(yy_), distance) : 0.0;
    }

    void tell_support(D4 d, D4 w, D4 a, int index) const {
        double direction[3];
        copy(d, direction);
        this->observer->support(direction, observed(w, a, index), lower_bound_so_far());
    }

    void tell_simplex() const {
        ObservedSimplex s = {};
        s.count = count_;
        for (int i = 0; i < count_; ++i) s.vertex[i] = observed(w_[i], a_[i], index_[i]);
        s.encloses = count_ == 4;
        s.distance = distance_so_far();
        if (s.distance > 0.0) copy(y_ * splat(yv_ / yy_), s.closest);
        s.lower_bound = lower_bound_so_far();
        this->observer->simplex(s);
    }

    const KernelQuery& query_;
    D4 column_[3], row_[3], position_;
    D4 w_[4], a_[4];     ///< vertices of the difference, and the points on A that they come from
    int index_[4] = {};  ///< index of the vertex of A, plus that of B shifted by 16
    double weight_[4];
    int count_ = 0, iterations_ = 0;
    D4 y_;
    double yy_ = 0.0, yv_ = 0.0, vv_ = infinity;
    double bound_yw_ = 0.0, bound_yy_ = 1.0;  ///< the best lower bound is the first over the root of the second
    double largest2_ = 0.0;                   ///< squared distance of the farthest vertex so far
};

inline bool is_small_hull(const KernelCore& core) { return core.kind == KernelCore::hull && core.view->cells == 0; }

}  // namespace

inline void run_kernel(const KernelQuery& query, const unsigned short* cached_a, const unsigned short* cached_b,
                       int cached, KernelAnswer& answer) {
    if (is_small_hull(query.a) && is_small_hull(query.b)) {
        Search<true, Unobserved>(query).run(cached_a, cached_b, cached, answer);
    } else {
        Search<false, Unobserved>(query).run(cached_a, cached_b, cached, answer);
    }
}

}  // namespace talus::detail::TALUS_LANES
