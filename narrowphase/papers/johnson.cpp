/// The original distance subalgorithm (Gilbert, Johnson and Keerthi 1988; as in Liu et al., section 2.2).
///
/// For a subset Y of the vertices y_i let Delta_i(Y) be the cofactors with which the point closest to the origin of
/// the *affine* hull of Y is the sum of Delta_i / Delta * y_i, Delta being their sum. They follow from smaller subsets:
///
///     Delta_i({y_i}) = 1,   Delta_j(Y + y_j) = sum over i in Y of Delta_i(Y) (y_i . y_k - y_i . y_j),   any k in Y
///
/// The closest point of the whole simplex lies on Y if
///
///     (a) Delta(Y) > 0   (b) Delta_i(Y) > 0 for i in Y   (c) Delta_j(Y + y_j) <= 0 for j not in Y

#include "narrowphase/papers/simplex.h"

#include <bit>
#include <limits>

namespace talus::papers {

namespace {

/// Subsets as bit masks of slots: ordered by size, and within one size as in the paper's loops.
constexpr unsigned by_size[15] = {1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};

struct Determinants {
    double of[16][4];  ///< Delta_i(Y) as of[Y][i]
    double sum[16];    ///< Delta(Y)
    double dot[4][4];  ///< y_i . y_j

    explicit Determinants(const Simplex& s) {
        for (int i = 0; i < s.count; ++i) {
            for (int j = 0; j <= i; ++j) dot[i][j] = dot[j][i] = glm::dot(s.vertex[i].w, s.vertex[j].w);
        }
        const unsigned all = (1u << s.count) - 1;
        for (const unsigned set : by_size) {
            if ((set & ~all) != 0) continue;
            sum[set] = 0.0;
            for (int j = 0; j < s.count; ++j) {
                if ((set >> j & 1u) == 0) continue;
                const unsigned rest = set & ~(1u << j);
                double delta = rest == 0 ? 1.0 : 0.0;
                const int k = std::countr_zero(rest);
                for (int i = 0; i < s.count; ++i) {
                    if (rest >> i & 1u) delta += of[rest][i] * (dot[i][k] - dot[i][j]);
                }
                of[set][j] = delta;
                sum[set] += delta;
            }
        }
    }

    /// Conditions (a) and (b): the closest point of the affine hull lies inside the subset's own hull.
    bool inside(unsigned set) const {
        for (int i = 0; i < 4; ++i) {
            if ((set >> i & 1u) && !(of[set][i] > 0.0)) return false;
        }
        return sum[set] > 0.0;
    }

    /// Condition (c): no vertex outside the subset lies nearer to the origin than its plane.
    bool supports(unsigned set, int count) const {
        for (int j = 0; j < count; ++j) {
            if ((set >> j & 1u) == 0 && of[set | 1u << j][j] > 0.0) return false;
        }
        return true;
    }

    Part part(unsigned set) const {
        Part p;
        for (int i = 0; i < 4; ++i) {
            if ((set >> i & 1u) == 0) continue;
            p.slot[p.count] = i;
            p.weight[p.count++] = of[set][i] / sum[set];
        }
        return p;
    }
};

}  // namespace

void johnson(Simplex& s) {
    const Determinants delta(s);
    const unsigned all = (1u << s.count) - 1;
    // The determinants of a flat tetrahedron are noise, and might claim that it encloses the origin.
    const unsigned usable = s.count == 4 && is_flat(s) ? all - 1 : all;
    for (const unsigned set : by_size) {
        if ((set & ~all) == 0 && set <= usable && delta.inside(set) && delta.supports(set, s.count)) {
            return keep(s, delta.part(set));
        }
    }
    // The backup procedure: if no subset passes (c) because of rounding, take the nearest of those that pass (a) and
    // (b). Single vertices always do.
    Part best;
    double least = std::numeric_limits<double>::infinity();
    for (const unsigned set : by_size) {
        if ((set & ~all) != 0 || set > usable || !delta.inside(set)) continue;
        const Part part = delta.part(set);
        dvec3 v(0.0);
        for (int i = 0; i < part.count; ++i) v += part.weight[i] * s.vertex[part.slot[i]].w;
        if (glm::dot(v, v) < least) {
            least = glm::dot(v, v);
            best = part;
        }
    }
    if (best.count == 0) best = {1, {0}, {1.0}};  // numbers beyond double's range
    keep(s, best);
}

}  // namespace talus::papers
