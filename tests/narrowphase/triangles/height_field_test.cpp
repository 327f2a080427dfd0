/// Rays and nearest points on height fields, compared with the methods that all sets of triangles have.

#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/triangles/surface_contact.h"
#include "tests/support/random.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

using namespace talus;
using test::Random;

namespace {

/// Bumpy, stepped or level, of any number of cells, with and without holes.
std::shared_ptr<const TriangleSet> some_field(Random& random) {
    const std::uint32_t columns = 2 + random.below(random.chance(0.2) ? 90u : 12u);
    const std::uint32_t rows = 2 + random.below(random.chance(0.2) ? 90u : 12u);
    const float scale = float(random.scale(1e-3, 1e3)), bump = random.chance(0.3) ? 0.0f : random.real(0.0f, 2.0f);
    std::vector<float> heights(columns * rows);
    for (float& h : heights)
        h = scale * (random.chance(0.3) ? std::round(random.real(-bump, bump)) : random.real(-bump, bump));
    std::vector<std::uint8_t> holes((columns - 1) * (rows - 1), 0);
    for (std::uint8_t& hole : holes) hole = random.chance(0.3) ? 1 : 0;
    holes[random.below(holes.size())] = 0;
    HeightFieldDef def{.columns = columns,
                       .rows = rows,
                       .heights = heights,
                       .spacing_x = scale * random.real(0.5f, 2.0f),
                       .spacing_z = scale * random.real(0.5f, 2.0f),
                       .two_sided = random.chance(0.5)};
    if (random.chance(0.5)) def.holes = holes;
    const auto made = make_height_field(def);
    REQUIRE_MESSAGE(bool(made), made.error().message);
    return *made;
}

}  // namespace

TEST_CASE("a ray on a height field hits what it hits among all triangles") {
    Random random(61);
    int hits = 0, misses = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const auto field = some_field(random);
        const vec3 size = field->bounds().upper - field->bounds().lower, room = size + 0.2f * vec3(size.x);
        for (int k = 0; k < 100; ++k) {
            vec3 from = field->bounds().lower - 0.1f * vec3(size.x) + room * random.point(0.0f, 1.0f);
            vec3 to = field->bounds().lower - 0.1f * vec3(size.x) + room * random.point(0.0f, 1.0f);
            const std::array<vec3, 3> p = field->points(random.below(field->size()));
            if (random.chance(0.2)) to = from + 3.0f * (p[random.below(3u)] - from);   // through a corner
            if (random.chance(0.1)) to = from + 2.0f * (0.5f * (p[0] + p[1]) - from);  // through an edge
            if (random.chance(0.1)) to.x = from.x;
            if (random.chance(0.1)) to.z = from.z;
            if (random.chance(0.1)) from.y = to.y = p[0].y;  // level
            if (random.chance(0.05)) from = p[1];
            if (to == from) continue;
            const TriangleRayHit hit = field->first_hit(from, to - from);
            const TriangleRayHit plain = field->TriangleSet::first_hit(from, to - from);
            CHECK(hit.hit == plain.hit);
            CHECK(hit.triangle == plain.triangle);
            CHECK(hit.fraction == plain.fraction);
            CHECK(hit.normal == plain.normal);
            (hit.hit ? hits : misses) += 1;
        }
    }
    CHECK(hits > 5000);
    CHECK(misses > 5000);
}

TEST_CASE("an approach to a height field visits each triangle whose box is near, and few others" *
          doctest::test_suite("slow")) {
    Random random(67);
    std::size_t visited = 0, all = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const auto field = some_field(random);
        const vec3 size = field->bounds().upper - field->bounds().lower;
        for (int k = 0; k < 10; ++k) {
            const vec3 point = field->bounds().lower + size * random.point(-0.5f, 1.5f);
            const float limit =
                random.chance(0.3) ? std::numeric_limits<float>::infinity() : size.x * random.real(0.0f, 1.0f);
            // The nearest box, as nearest() would narrow it down.
            const auto nearest_box = [&](auto approach) {
                float least = limit;
                std::map<std::uint32_t, float> seen;
                approach([&](std::uint32_t t, float) {
                    const std::array<vec3, 3> p = field->points(t);
                    const Aabb box{glm::min(p[0], glm::min(p[1], p[2])), glm::max(p[0], glm::max(p[1], p[2]))};
                    seen[t] = distance_to(box, point);
                    return least = std::min(least, seen[t]);
                });
                visited += seen.size();
                return least;
            };
            const float found = nearest_box([&](auto visit) { field->approach(point, limit, visit); });
            const std::size_t before = visited;
            const float plain = nearest_box([&](auto visit) {
                float most = limit;
                for (std::uint32_t t = 0; t < field->size(); ++t) {
                    if (!field->is_hole(t)) most = visit(t, most);
                }
            });
            all += visited - before;
            visited = before;
            CHECK(found == plain);
            float least = std::numeric_limits<float>::infinity();
            for (std::uint32_t t = 0; t < field->size(); ++t) {
                if (field->is_hole(t)) continue;
                const std::array<vec3, 3> p = field->points(t);
                const vec3 middle = detail::middle_of(p[0], p[1], p[2]);
                const Shape placed = triangle(p[0] - middle, p[1] - middle, p[2] - middle);
                least = std::min(least, closed_form(placed, Shape{}, MatrixTransform{point - middle}).separation);
            }
            const NearestOnTriangles near = nearest(*field, point, limit);
            CHECK(near.found == (least <= limit));
            if (near.found) CHECK(near.distance == least);
        }
    }
    CHECK(visited < all / 4);
}
