/// Branch and bound over the sphere of directions: the oracle's search that does not use features.
///
/// With D = A - B (cores), s(n) = -max over x in D of n.x is concave along flat pieces of direction space. Cut the
/// sphere into triangles of directions n1, n2, n3 and let x1, x2, x3 be D's support points there. For any n in the flat
/// triangle
///     s(n) <= min_i -(xi . n),  so  max over the triangle of s <= max over mixtures l of min_i sum_j l_j (-(xi . nj)):
/// the value of a 3 x 3 matrix game, itself bounded from above by any mixture of its rows. The bound's error falls with
/// the square of the triangle's size, and exactly to zero over a facet of D whose three corners are the xi.

#include "tests/narrowphase/oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace talus::oracle {

namespace {

/// Gives up (and says so in `error`) after so many triangles: coaxial cylinders need about 1e4 of them.
constexpr std::size_t max_samples = 400000;

constexpr double separated_refinement = 1e-4;

struct Sample {
    dvec3 n;  ///< unit
    dvec3 x;  ///< D's support point along n
};

struct Triangle {
    int corner[3];
    double bound;
    friend bool operator<(const Triangle& l, const Triangle& r) { return l.bound < r.bound; }
};

/// An upper bound of the value of the game c (the rows' player pays the least, the columns' player picks the most).
double game_value(const double (&c)[3][3]) {
    const auto paid = [&](double m0, double m1, double m2) {
        double worst = -1e300;
        for (int j = 0; j < 3; ++j) worst = std::max(worst, m0 * c[0][j] + m1 * c[1][j] + m2 * c[2][j]);
        return worst;
    };
    double value = std::min({paid(1, 0, 0), paid(0, 1, 0), paid(0, 0, 1)});
    for (int i = 0; i < 3; ++i) {  // two rows mixed so that two columns pay the same
        const int k = (i + 1) % 3;
        for (int j = 0; j < 3; ++j) {
            const int l = (j + 1) % 3;
            const double rise_j = c[k][j] - c[i][j], rise_l = c[k][l] - c[i][l];
            if (rise_j == rise_l) continue;
            const double t = (c[i][l] - c[i][j]) / (rise_j - rise_l);
            if (!(t > 0.0 && t < 1.0)) continue;
            double m[3] = {0, 0, 0};
            m[i] = 1.0 - t, m[k] = t;
            value = std::min(value, paid(m[0], m[1], m[2]));
        }
    }
    // All three rows mixed so that all three columns pay the same: m is orthogonal to both differences of columns.
    const dvec3 c0(c[0][0], c[1][0], c[2][0]), c1(c[0][1], c[1][1], c[2][1]), c2(c[0][2], c[1][2], c[2][2]);
    dvec3 m = glm::cross(c1 - c0, c2 - c0);
    const double sum = m.x + m.y + m.z;
    if (sum != 0.0) {
        m /= sum;
        if (m.x >= 0.0 && m.y >= 0.0 && m.z >= 0.0) value = std::min(value, paid(m.x, m.y, m.z));
    }
    return value;
}

class Search {
public:
    Search(const Solid& a, const Solid& b, const Pose& b_in_a)
        : a_(a), b_(b), at_(b_in_a), contest_(contender_margin * std::min(a.size, b.size)) {}

    SignedDistance run(double tolerance) {
        try_plausible_directions();
        cover_sphere();
        while (!open_.empty() && open_.top().bound > contest_.best() + wanted(tolerance) &&
               samples_.size() < max_samples) {
            const Triangle t = open_.top();
            open_.pop();
            try_facet(t);
            split(t);
        }
        SignedDistance answer = contest_.result(a_.radius + b_.radius);
        answer.error = open_.empty() ? 0.0 : std::max(0.0, open_.top().bound - contest_.best());
        return answer;
    }

private:
    /// Separated cores have a single best direction: a much finer proof costs little, and pins the normal (whose error
    /// is about the root of the proof's). Overlapping ones may have a whole ring of them.
    double wanted(double tolerance) const {
        return contest_.best() > 0.0 ? separated_refinement * tolerance : tolerance;
    }

    int sample(const dvec3& direction) {
        const dvec3 n = glm::normalize(direction);
        const dvec3 n_in_b = n * at_.rotation;
        const dvec3 x = core_support(a_, n) - (at_.position + at_.rotation * core_support(b_, -n_in_b));
        contest_.enter(n, -glm::dot(n, x));
        samples_.push_back({n, x});
        return static_cast<int>(samples_.size()) - 1;
    }

    /// Not needed for the proof; a good answer early on saves triangles.
    void try_plausible_directions() {
        const dvec3 between = at_.position + at_.rotation * b_.center - a_.center;
        if (glm::dot(between, between) > 0.0) sample(between);
        for (int i = 0; i < 3; ++i) {
            for (double sign : {1.0, -1.0}) {
                dvec3 axis(0.0);
                axis[i] = sign;
                sample(axis);
                sample(at_.rotation * axis);
            }
        }
        for (const Solid::Face& f : a_.faces) sample(f.normal);
        for (const Solid::Face& f : b_.faces) sample(-(at_.rotation * f.normal));
    }

    void cover_sphere() {
        const double g = 0.5 * (1.0 + std::sqrt(5.0));
        int c[12];
        for (int i = 0; i < 12; ++i) {  // (0, +-1, +-g) and its cyclic shifts: a regular icosahedron
            dvec3 p(0.0);
            p[(i / 4 + 1) % 3] = (i & 1) != 0 ? 1.0 : -1.0;
            p[(i / 4 + 2) % 3] = (i & 2) != 0 ? g : -g;
            c[i] = sample(p);
        }
        for (int i = 0; i < 12; ++i) {
            for (int j = i + 1; j < 12; ++j) {
                for (int k = j + 1; k < 12; ++k) {
                    const dvec3 &p = samples_[c[i]].n, &q = samples_[c[j]].n, &r = samples_[c[k]].n;
                    if (glm::dot(p, q) > 0.4 && glm::dot(q, r) > 0.4 && glm::dot(r, p) > 0.4) open(c[i], c[j], c[k]);
                }
            }
        }
    }

    void open(int i, int j, int k) {
        const Sample* corner[3] = {&samples_[i], &samples_[j], &samples_[k]};
        double c[3][3];
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) c[row][column] = -glm::dot(corner[row]->x, corner[column]->n);
        }
        double bound = game_value(c);
        if (bound > 0.0) {
            // s grows when a direction inside the flat triangle is stretched to unit length, from sqrt(1 - sum over i <
            // j of l_i l_j |ni - nj|^2) at the least, and the l_i l_j sum up to 1/3 at the most.
            double longest = 0.0;
            for (int m = 0; m < 3; ++m) {
                const dvec3 edge = corner[m]->n - corner[(m + 1) % 3]->n;
                longest = std::max(longest, glm::dot(edge, edge));
            }
            bound /= std::sqrt(1.0 - longest / 3.0);
        }
        open_.push({{i, j, k}, bound});
    }

    /// The normal of the plane through the three support points: the exact answer once they span the right facet of D.
    void try_facet(const Triangle& t) {
        const Sample &p = samples_[t.corner[0]], &q = samples_[t.corner[1]], &r = samples_[t.corner[2]];
        dvec3 n = glm::cross(q.x - p.x, r.x - p.x);
        const double length = glm::length(n);
        if (length <= 1e-14 * (glm::dot(p.x, p.x) + 1e-300)) return;
        n /= length;
        if (glm::dot(n, p.n) < 0.0) n = -n;
        sample(n);
    }

    void split(const Triangle& t) {
        int longest = 0;
        double most = -1.0;
        for (int i = 0; i < 3; ++i) {
            const dvec3 edge = samples_[t.corner[(i + 1) % 3]].n - samples_[t.corner[i]].n;
            if (glm::dot(edge, edge) > most) most = glm::dot(edge, edge), longest = i;
        }
        const int p = t.corner[longest], q = t.corner[(longest + 1) % 3], r = t.corner[(longest + 2) % 3];
        const int m = sample(samples_[p].n + samples_[q].n);
        open(p, m, r);
        open(m, q, r);
    }

    const Solid& a_;
    const Solid& b_;
    const Pose& at_;
    Contest contest_;
    std::vector<Sample> samples_;
    std::priority_queue<Triangle> open_;
};

}  // namespace

SignedDistance signed_distance_by_bounds(const Solid& a, const Solid& b, const Pose& b_in_a, double tolerance) {
    return Search(a, b, b_in_a).run(tolerance);
}

}  // namespace talus::oracle
