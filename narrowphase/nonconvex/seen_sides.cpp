#include "narrowphase/nonconvex/seen_sides.h"

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Returns an angle by its cosine, rad, to 1e-4 (Abramowitz and Stegun 4.4.45). Platforms have different std::acos().
float angle_of(float cosine) {
    const float c = std::min(std::abs(cosine), 1.0f);
    const float acute = std::sqrt(1.0f - c) * (1.5707288f + c * (-0.2121144f + c * (0.074261f - 0.0187293f * c)));
    return cosine < 0.0f ? 3.1415927f - acute : acute;
}

/// Returns the angle at which a triangle is seen from a point of its boundary, rad.
float angle_at(const vec3 (&points)[3], const vec3& p, float room) {
    float widest = 0.0f;
    for (int i = 0; i < 3; ++i) {
        const vec3 to = points[i] - p, next = points[(i + 1) % 3] - p;
        const float lengths = std::sqrt(length_squared(to) * length_squared(next));
        if (lengths > room * room) widest = std::max(widest, angle_of(glm::dot(to, next) / lengths));
    }
    return widest;
}

/// The point of a triangle that is nearest to p, and its distance.
struct Nearest {
    vec3 point;
    float distance;
};

Nearest nearest_of(const SetTriangle& t, const vec3& p) {
    const vec3 middle = middle_of(t.points[0], t.points[1], t.points[2]);
    const Shape placed = triangle(t.points[0] - middle, t.points[1] - middle, t.points[2] - middle);
    const ClosedForm form = closed_form(placed, Shape{}, MatrixTransform{p - middle});
    return {form.point_a + middle, form.separation};
}

/// An edge of a triangle. `forward`: the triangle has the corner `low` before `high`.
struct Side {
    std::uint32_t low, high, triangle;
    bool forward;
};

/// Returns the edges of triangles. Those of equal ends follow each other.
std::vector<Side> sides_of(std::span<const SetTriangle> triangles) {
    struct Corner {
        vec3 at;
        std::uint32_t place;  ///< 3 * the triangle + the corner
    };
    std::vector<Corner> corners;
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
        for (std::uint32_t i = 0; i < 3; ++i) corners.push_back({triangles[t].points[i], 3 * t + i});
    }
    std::sort(corners.begin(), corners.end(), [](const Corner& x, const Corner& y) {
        const vec3 &p = x.at, &q = y.at;
        return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z != q.z ? p.z < q.z : x.place < y.place;
    });
    std::vector<std::uint32_t> numbers(corners.size());
    std::uint32_t count = 0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        if (k > 0 && corners[k].at != corners[k - 1].at) ++count;
        numbers[corners[k].place] = count;
    }
    std::vector<Side> sides;
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            const std::uint32_t p = numbers[3 * t + i], q = numbers[3 * t + (i + 1) % 3];
            sides.push_back({std::min(p, q), std::max(p, q), t, p < q});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
        return x.low != y.low ? x.low < y.low : x.high != y.high ? x.high < y.high : x.triangle < y.triangle;
    });
    return sides;
}

/// Two triangles that share an edge with no third one. `against`: one shows its front where the other shows its back.
struct Link {
    std::uint32_t from, to;
    bool against;
};

std::vector<Link> links_of(std::span<const SetTriangle> triangles) {
    const std::vector<Side> sides = sides_of(triangles);
    std::vector<Link> links;
    for (std::size_t first = 0, end = 0; first < sides.size(); first = end) {
        while (end < sides.size() && sides[end].low == sides[first].low && sides[end].high == sides[first].high) ++end;
        if (end - first != 2) continue;
        const Side &x = sides[first], &y = sides[first + 1];
        const bool against = x.forward == y.forward;
        links.push_back({x.triangle, y.triangle, against});
        links.push_back({y.triangle, x.triangle, against});
    }
    std::sort(links.begin(), links.end(),
              [](const Link& x, const Link& y) { return x.from != y.from ? x.from < y.from : x.to < y.to; });
    return links;
}

}  // namespace

std::vector<bool> seen_from_behind(const TriangleSet& set, std::span<const std::uint32_t> triangles, const vec3& from) {
    std::vector<SetTriangle> all;
    std::vector<Nearest> nearest;
    for (const std::uint32_t t : triangles) {
        all.push_back(set.triangle(t));
        nearest.push_back(nearest_of(all.back(), from));
    }
    const std::vector<Link> links = links_of(all);
    std::vector<bool> known(all.size()), behind(all.size());
    std::vector<std::uint32_t> patch;
    for (std::uint32_t start = 0; start < all.size(); ++start) {
        if (known[start]) continue;
        known[start] = true;
        patch.assign(1, start);
        std::uint32_t best = start;
        for (std::size_t k = 0; k < patch.size(); ++k) {
            const std::uint32_t t = patch[k];
            if (nearest[t].distance < nearest[best].distance) best = t;
            auto link = std::lower_bound(links.begin(), links.end(), t,
                                         [](const Link& each, std::uint32_t f) { return each.from < f; });
            for (; link != links.end() && link->from == t; ++link) {
                if (known[link->to]) continue;
                known[link->to] = true;
                behind[link->to] = behind[t] != link->against;
                patch.push_back(link->to);
            }
        }
        // If the nearest point is on an edge or a corner, the planes there do not agree. Their normals, weighted by the
        // angles of the triangles, do (Baerentzen and Aanaes 2005).
        const vec3 at = nearest[best].point;
        const float room = 1e-4f * nearest[best].distance;
        vec3 normals(0.0f);
        for (const std::uint32_t t : patch) {
            if (nearest[t].distance - nearest[best].distance <= room && nearest_of(all[t], at).distance <= room)
                normals += (behind[t] ? -1.0f : 1.0f) * angle_at(all[t].points, at, room) * all[t].normal;
        }
        if (glm::dot(normals, from - at) >= 0.0f) continue;
        for (const std::uint32_t t : patch) behind[t] = !behind[t];
    }
    return behind;
}

}  // namespace talus::detail
