#pragma once
/// The choice of at most four contact points from many that face alike, and what they take over from the last step.

#include "engine/contacts/contact_table.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace talus {

/// The candidate points that were points of the merged contact in the last step and had a normal impulse then.
struct LoadedPoints {
    std::size_t at[max_manifold_points];
    int count = 0;
    bool has(std::size_t i) const { return std::find(at, at + count, i) != at + count; }
};

/// Chooses up to four points that span about the same area as all points: the deepest one, the one farthest from it,
/// and the two that are farthest to either side of the line through these two. Each is chosen among the points that may
/// touch in this step; other points are considered only if none of those is far enough. This matters on bumpy ground:
/// if a point that is only close to the ground replaced the one that carries the load, a box would sink there until
/// that point is the deepest, and would never stop rocking. If `weigh` is set, distances of loaded points count
/// settings::kept_point_weight times.
///
/// `normal` is in the mesh frame. `reach` (m) is how far the two shapes may approach each other in the step, plus the
/// slop. Writes indices to `chosen`, which has room for four, and returns their number. Reorders `points`: the ones
/// that may touch come first.
template <bool weigh, class Point>
int choose_points(std::vector<Point>& points, const vec3& normal, float size, float reach, const LoadedPoints& loaded,
                  std::size_t* chosen) {
    const auto place = [&](std::size_t i) { return points[i].on_mesh; };
    std::size_t deepest = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].separation < points[deepest].separation) deepest = i;
    }
    const float touching = std::max(points[deepest].separation, 0.0f) + reach;
    std::size_t touching_count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].separation > touching) continue;
        if (i == deepest) deepest = touching_count;
        if (i != touching_count) std::swap(points[i], points[touching_count]);
        ++touching_count;
    }
    chosen[0] = deepest;
    const auto best = [&](const auto& score, float least) {
        const std::size_t none = points.size();
        std::size_t found = none;
        float most = least;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (i == touching_count && found != none) break;
            float s = score(i);
            if constexpr (weigh) s *= loaded.has(i) ? settings::kept_point_weight : 1.0f;
            if (s > most) most = s, found = i;
        }
        return found;
    };
    const float least = settings::merged_point_distance * size;
    const std::size_t far =
        best([&](std::size_t i) { return length_squared(place(i) - place(deepest)); }, least * least);
    if (far == points.size()) return 1;
    chosen[1] = far;
    int count = 2;
    const vec3 across = glm::cross(normal, place(far) - place(deepest));
    const float room = least * std::sqrt(length_squared(across));
    for (const float side : {1.0f, -1.0f}) {
        const std::size_t found =
            best([&](std::size_t i) { return side * glm::dot(place(i) - place(deepest), across); }, room);
        if (found != points.size()) chosen[count++] = found;
    }
    return count;
}

/// Returns the area (m^2) that the chosen points span in the plane, in the order of choose_points; for two points,
/// their distance (m).
template <class Point>
float spanned(const std::vector<Point>& points, const vec3& normal, const std::size_t* chosen, int count) {
    if (count < 2) return 0.0f;
    const auto place = [&](int i) { return points[chosen[i]].on_mesh; };
    const vec3 line = place(1) - place(0);
    if (count == 2) return std::sqrt(length_squared(line));
    return 0.5f * std::abs(glm::dot(normal, glm::cross(line, place(2) - place(count == 4 ? 3 : 0))));
}

/// The same as choose_points, but prefers the points of the last step as long as they span nearly as large an area: all
/// of them, or else the loaded ones. A box on a plane of triangles has 100 points whose depths differ only by rounding.
/// If the deepest were chosen in each step, the four points would change every few steps, the centre of friction would
/// move each time, and the box would creep down a slope.
template <class Point>
int choose_lasting_points(std::vector<Point>& points, const vec3& normal, float size, float reach,
                          const ContactState& last, std::size_t* chosen) {
    const int count = choose_points<false>(points, normal, size, reach, {}, chosen);
    LoadedPoints loaded;
    std::size_t kept[max_manifold_points];
    int kept_count = 0;
    float deepest = std::numeric_limits<float>::max();
    for (int k = 0; k < last.point_count; ++k) {
        const auto same = [&](const Point& p) { return p.id == last.ids[k]; };
        const auto at = std::find_if(points.begin(), points.end(), same);
        if (at == points.end()) continue;
        kept[kept_count++] = static_cast<std::size_t>(at - points.begin());
        deepest = std::min(deepest, at->separation);
        if (last.impulses[k] > 0.0f) loaded.at[loaded.count++] = kept[kept_count - 1];
    }
    const auto replace = [&](const std::size_t* others, int other_count) {
        if (other_count != count ||
            spanned(points, normal, others, count) < settings::kept_point_span * spanned(points, normal, chosen, count))
            return false;
        std::copy(others, others + count, chosen);
        return true;
    };
    const bool deep_enough = deepest <= points[chosen[0]].separation + settings::kept_point_depth * last.slop;
    if (deep_enough && replace(kept, kept_count)) return count;
    if (loaded.count == 0) return count;
    const int favoured = choose_points<true>(points, normal, size, reach, loaded, kept);
    replace(kept, favoured);
    return count;
}

/// Distributes a contact's normal impulses over its new points: its own ones, and `given` (N s) from other contacts.
/// Points that existed in the last step keep their impulse. The rest is shared equally by all points that touch; an
/// impulse at a point that does not touch would push the shapes apart without cause.
inline void carry_over(ContactState& state, const Manifold& manifold, float given) {
    float had[max_manifold_points] = {}, rest = given;
    for (int k = 0; k < state.point_count; ++k) rest += state.impulses[k];
    for (int i = 0; i < manifold.count; ++i) {
        for (int k = 0; k < state.point_count; ++k) {
            if (state.ids[k] == manifold.points[i].id) had[i] = state.impulses[k];
        }
        rest -= had[i];
    }
    int bearing = 0;
    for (int i = 0; i < manifold.count; ++i) bearing += manifold.points[i].separation <= 0.0f ? 1 : 0;
    const float share = std::max(rest, 0.0f) / static_cast<float>(std::max(bearing, 1));
    for (int i = 0; i < manifold.count; ++i) {
        state.ids[i] = manifold.points[i].id;
        state.impulses[i] = had[i] + (manifold.points[i].separation <= 0.0f ? share : 0.0f);
    }
    state.point_count = manifold.count;
}

}  // namespace talus
