#include "narrowphase/gjk/round_core.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::detail {

namespace {

/// A cylinder or cone around the y axis of its own frame.
struct Round {
    bool is_cone;
    double radius, half;  ///< half: half the height, m

    /// Returns the point nearest to x; x itself if it is inside.
    dvec3 nearest(const dvec3& x) const {
        const double out2 = x.x * x.x + x.z * x.z;
        if (!is_cone) {
            const double y = std::clamp(x.y, -half, half);
            if (out2 <= radius * radius) return {x.x, y, x.z};
            const double s = radius / std::sqrt(out2);
            return {s * x.x, y, s * x.z};
        }
        const double out = std::sqrt(out2);
        if (x.y <= -half && out <= radius) return {x.x, -half, x.z};
        // Along the side, from the rim (0) to the apex (1).
        const double rise = 2.0 * half, beyond = (out - radius) * rise + (x.y + half) * radius;
        if (x.y > -half && beyond <= 0.0) return x;
        const double t =
            std::clamp(((radius - out) * radius + (x.y + half) * rise) / (radius * radius + rise * rise), 0.0, 1.0);
        const double r = (1.0 - t) * radius, s = out > 0.0 ? r / out : 0.0;
        return {s * x.x, t * rise - half, s * x.z};
    }
};

/// The nearest points of the round core and of some corners' hull.
struct Nearest {
    dvec3 on_round{0.0}, on_hull{0.0};
    double distance2 = 0.0;
    int count = 0;  ///< of the corners between which on_hull lies
    int corner[3] = {};
    double weight[3] = {};  ///< all > 0, sum 1
};

Nearest of_corner(const Round& round, const dvec3* corners, int i) {
    Nearest n;
    n.on_hull = corners[i];
    n.on_round = round.nearest(corners[i]);
    const dvec3 d = n.on_hull - n.on_round;
    n.distance2 = glm::dot(d, d);
    n.count = 1;
    n.corner[0] = i;
    n.weight[0] = 1.0;
    return n;
}

/// Half the square of the distance from the round core is convex along an edge, so its derivative rises, and the nearest
/// point is where it is zero. That is found by the regula falsi (Illinois), from the place `guess` (0 to 1).
Nearest of_edge(const Round& round, const dvec3* corners, int i, int j, double guess, double gap) {
    const dvec3 &a = corners[i], e = corners[j] - corners[i];
    double distance2 = 0.0;
    dvec3 at, foot;
    const auto slope = [&](double t) {
        at = a + t * e;
        foot = round.nearest(at);
        const dvec3 d = at - foot;
        distance2 = glm::dot(d, d);
        return glm::dot(e, d);
    };
    double t = std::clamp(guess, 0.0, 1.0), g = slope(t);
    // A support plane there proves all of the distance but |g| max(t, 1 - t) / distance.
    const auto is_near = [&] { return std::abs(g) * std::max(t, 1.0 - t) <= gap * distance2; };
    if (!is_near()) {
        double low = t, low_g = g, high = t, high_g = g;
        if (g > 0.0) {
            t = low = 0.0;
            g = low_g = slope(t);
            if (g >= 0.0) return of_corner(round, corners, i);
        } else {
            t = high = 1.0;
            g = high_g = slope(t);
            if (g <= 0.0) return of_corner(round, corners, j);
        }
        int kept = 0;
        constexpr int most = 12;
        for (int k = 0; k < most && !is_near(); ++k) {
            t = (low * high_g - high * low_g) / (high_g - low_g);
            if (!(t > low && t < high)) t = 0.5 * (low + high);
            g = slope(t);
            if (g < 0.0) {
                low = t;
                low_g = g;
                if (kept < 0) high_g *= 0.5;
                kept = -1;
            } else {
                high = t;
                high_g = g;
                if (kept > 0) low_g *= 0.5;
                kept = 1;
            }
        }
    }
    if (!(t > 0.0)) return of_corner(round, corners, i);
    if (!(t < 1.0)) return of_corner(round, corners, j);
    Nearest n;
    n.on_hull = at;
    n.on_round = foot;
    n.distance2 = distance2;
    n.count = 2;
    n.corner[0] = i;
    n.corner[1] = j;
    n.weight[0] = 1.0 - t;
    n.weight[1] = t;
    return n;
}

/// Returns the core's point farthest along d.
dvec3 farthest(const Core& core, const dvec3& d) {
    std::uint16_t index = 0;
    return support_point(core, d, index);
}

/// A face: the point that the round core has nearest to its plane, if that lies over the face. Otherwise the nearest of
/// the face's edges.
Nearest of_face(const Round& round, const Core& core, const dvec3* corners, const double* guess, double gap) {
    dvec3 normal = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    const double nn = glm::dot(normal, normal);
    bool outside[3] = {true, true, true};
    if (nn > 0.0) {
        if (glm::dot(normal, corners[0]) > 0.0) normal = -normal;  // towards the round core's middle
        const dvec3 low = farthest(core, -normal);
        const double height = glm::dot(normal, low - corners[0]) / nn;
        const dvec3 foot = low - height * normal;
        double weight[3];
        for (int i = 0; i < 3; ++i) {
            const dvec3 &p = corners[(i + 1) % 3], &q = corners[(i + 2) % 3];
            const dvec3 across = glm::cross(q - p, corners[i] - p);
            weight[i] = glm::dot(glm::cross(q - p, foot - p), across) / nn;
            outside[i] = !(weight[i] > 0.0);
        }
        if (height > 0.0 && !outside[0] && !outside[1] && !outside[2]) {
            Nearest n;
            n.on_hull = foot;
            n.on_round = low;
            n.distance2 = height * height * nn;
            n.count = 3;
            for (int i = 0; i < 3; ++i) n.corner[i] = i, n.weight[i] = weight[i];
            return n;
        }
        if (!outside[0] && !outside[1] && !outside[2]) outside[0] = outside[1] = outside[2] = true;
    }
    Nearest best;
    best.distance2 = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        if (!outside[i]) continue;
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        const double both = guess[p] + guess[q];
        const Nearest n = of_edge(round, corners, p, q, both > 0.0 ? guess[q] / both : 0.5, gap);
        if (n.distance2 < best.distance2) best = n;
    }
    return best;
}

bool is_round(const Core& core) { return has_rim(core.type); }

/// Takes a point from a's frame to b's. The caller's matrix is rounded to float, so its transpose is not quite its
/// inverse. With that error, the nearest points of things that nearly touch would be off by more than they are apart.
dvec3 to_b(const MinkowskiDifference& difference, const dvec3& p) {
    const dvec3 seen = p - difference.position, y = seen * difference.rotation;
    return y + (seen - difference.rotation * y) * difference.rotation;
}

}  // namespace

bool has_one_round_core(const MinkowskiDifference& difference) {
    return is_round(difference.core_a) != is_round(difference.core_b) && difference.core_a.type != ShapeType::mapping &&
           difference.core_b.type != ShapeType::mapping;
}

bool move_onto_round_core(const MinkowskiDifference& difference, Simplex& simplex) {
    const bool a_is_round = is_round(difference.core_a);
    const Core& core = a_is_round ? difference.core_a : difference.core_b;
    const Round round{core.type == ShapeType::cone, core.half.x, core.half.y};

    // The polytope's corners, each once, in a's frame and in the round core's.
    dvec3 place[3], corners[3];
    std::uint16_t index[3];
    double weight[3], total = 0.0;
    int count = 0;
    for (int i = 0; i < simplex.count; ++i) {
        const SimplexVertex& v = simplex.vertex[i];
        const std::uint16_t own = a_is_round ? v.index_b : v.index_a;
        int k = 0;
        while (k < count && index[k] != own) ++k;
        if (k == 3) return false;
        if (k == count) {
            index[k] = own;
            weight[k] = 0.0;
            place[k] = a_is_round ? v.a - v.w : v.a;
            corners[k] = a_is_round ? place[k] : to_b(difference, place[k]);
            ++count;
        }
        weight[k] += simplex.weight[i];
        total += simplex.weight[i];
    }
    for (int k = 0; k < count; ++k) weight[k] /= total;

    const double gap = 0.25 * difference.gap;
    const Nearest n = count == 1   ? of_corner(round, corners, 0)
                      : count == 2 ? of_edge(round, corners, 0, 1, weight[1], gap)
                                   : of_face(round, core, corners, weight, gap);
    const dvec3 on_round = a_is_round ? n.on_round : difference.rotation * n.on_round + difference.position;
    dvec3 on_hull(0.0);
    for (int k = 0; k < n.count; ++k) on_hull += n.weight[k] * place[n.corner[k]];
    const dvec3 between = on_round - on_hull;
    const double distance2 = glm::dot(between, between);
    constexpr double accurate = 1e-6;
    const double scale2 = glm::dot(on_round, on_round) + glm::dot(on_hull, on_hull);
    if (!(distance2 > accurate * accurate * scale2) || !(distance2 < simplex.vv)) return false;

    Simplex moved;
    moved.count = n.count;
    for (int k = 0; k < n.count; ++k) {
        const int c = n.corner[k];
        SimplexVertex& v = moved.vertex[k];
        v.a = a_is_round ? on_round : place[c];
        v.w = a_is_round ? on_round - place[c] : place[c] - on_round;
        v.index_a = a_is_round ? std::uint16_t{0} : index[c];
        v.index_b = a_is_round ? index[c] : std::uint16_t{0};
    }
    if (!reduce(moved, 0) || !(moved.vv < simplex.vv)) return false;
    simplex = moved;
    return true;
}

}  // namespace talus::detail
