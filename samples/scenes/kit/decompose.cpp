#include "samples/scenes/kit/decompose.h"

#include <talus/aabb.h>

#include <algorithm>
#include <array>

namespace talus::samples {

namespace {

/// A piece of the surface: its triangles, cut to it, as loose corners. Its hull is that of the piece of the solid, since
/// the border of a cut is part of the surface.
using Piece = std::vector<std::array<vec3, 3>>;

/// The part of a piece with s (x[axis] - at) <= 0, s = +1 or -1.
Piece clip(const Piece& piece, int axis, float at, float s) {
    Piece kept;
    for (const std::array<vec3, 3>& t : piece) {
        vec3 corners[4];
        int count = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const vec3 &p = t[i], &q = t[(i + 1) % 3];
            const float dp = s * (p[axis] - at), dq = s * (q[axis] - at);
            if (dp <= 0.0f) corners[count++] = p;
            if ((dp < 0.0f && dq > 0.0f) || (dp > 0.0f && dq < 0.0f)) {
                vec3 x = p + (dp / (dp - dq)) * (q - p);
                x[axis] = at;
                corners[count++] = x;
            }
        }
        for (int i = 1; i + 1 < count; ++i) kept.push_back({corners[0], corners[i], corners[i + 1]});
    }
    return kept;
}

Aabb box_of(const Piece& piece) {
    Aabb box{piece[0][0], piece[0][0]};
    for (const std::array<vec3, 3>& t : piece) {
        for (const vec3& p : t) box = merge(box, {p, p});
    }
    return box;
}

Result<std::shared_ptr<const Hull>> hull_of(const Piece& piece) {
    std::vector<vec3> points;
    for (const std::array<vec3, 3>& t : piece) points.insert(points.end(), t.begin(), t.end());
    return make_hull(points);
}

struct Part {
    Piece piece;
    std::shared_ptr<const Hull> hull;
    // The best cut: what it takes off the hull's volume, and its halves.
    float gain = 0.0f;
    std::vector<Part> halves;
};

/// Tries planes across the piece's box.
void find_best_cut(Part& part) {
    constexpr int planes = 7;
    const Aabb box = box_of(part.piece);
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 1; k <= planes; ++k) {
            const float at = glm::mix(box.lower[axis], box.upper[axis], static_cast<float>(k) / (planes + 1));
            Part low{clip(part.piece, axis, at, 1.0f), nullptr, 0.0f, {}};
            Part high{clip(part.piece, axis, at, -1.0f), nullptr, 0.0f, {}};
            const auto low_hull = hull_of(low.piece), high_hull = hull_of(high.piece);
            if (!low_hull || !high_hull) continue;
            const float gain = part.hull->volume - (*low_hull)->volume - (*high_hull)->volume;
            if (!(gain > part.gain)) continue;
            low.hull = *low_hull;
            high.hull = *high_hull;
            part.gain = gain;
            part.halves.clear();
            part.halves.push_back(std::move(low));
            part.halves.push_back(std::move(high));
        }
    }
}

}  // namespace

Result<Decomposition> decompose(std::span<const vec3> points, std::span<const std::uint32_t> triangles,
                                std::size_t most_parts, float least_gain) {
    Part whole;
    for (std::size_t i = 0; i + 2 < triangles.size(); i += 3)
        whole.piece.push_back({points[triangles[i]], points[triangles[i + 1]], points[triangles[i + 2]]});
    const auto hull = make_hull(points);
    if (!hull) return hull.error();
    whole.hull = *hull;
    std::vector<Part> parts;
    find_best_cut(whole);
    const float least = least_gain * whole.hull->volume;
    parts.push_back(std::move(whole));
    while (parts.size() < most_parts) {
        const auto best =
            std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.gain < b.gain; });
        if (best->halves.empty() || best->gain < least) break;
        std::vector<Part> halves = std::move(best->halves);
        for (Part& half : halves) find_best_cut(half);
        *best = std::move(halves[0]);
        parts.push_back(std::move(halves[1]));
    }
    Decomposition result;
    for (const Part& part : parts) {
        result.parts.push_back(part.hull);
        result.volume += part.hull->volume;
    }
    return result;
}

}  // namespace talus::samples
