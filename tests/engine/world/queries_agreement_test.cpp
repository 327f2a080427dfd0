// The world's queries against narrowphase queries of each shape of each body.

#include "tests/engine/worlds.h"
#include "tests/support/threads.h"

#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/shape_cast.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <thread>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

bool operator==(const CastHit& a, const CastHit& b) {
    return a.body == b.body && a.shape == b.shape && a.position == b.position && a.normal == b.normal &&
           a.fraction == b.fraction;
}
bool operator==(const NearHit& a, const NearHit& b) {
    return a.body == b.body && a.shape == b.shape && a.position == b.position && a.distance == b.distance;
}

template <class Hit>
bool same(const std::vector<Hit>& a, const std::vector<Hit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hit& x, const Hit& y) { return x == y; });
}

/// Bodies of every type and shape around `middle`, a quarter of them compounds, some with sensors and filters.
struct Crowd {
    World world;
    Random random;
    dvec3 middle;
    float room;  // half the edge of the cube that contains the bodies, m

    Crowd(std::uint64_t seed, const dvec3& around, int count = 200, float half = 6.0f)
        : random(seed), middle(around), room(half) {
        BodyDef floor = fixed_body(box({4.0f * room, 0.5f, 4.0f * room}), middle - dvec3(0, room + 0.5f, 0));
        add(world, floor);
        while (static_cast<int>(world.body_count()) < count) world.add_body(some_body());  // slivers are refused
    }

    dvec3 place() { return displaced(middle, random.in_box(vec3(room))); }
    float size() { return random.below(10) == 0 ? random.between(1.0f, 2.0f) : random.between(0.1f, 0.6f); }

    BodyDef some_body() {
        BodyDef def;
        const std::uint32_t kind = random.below(8);
        def.type = kind < 2 ? BodyType::fixed : kind < 3 ? BodyType::kinematic : BodyType::dynamic;
        const std::uint32_t parts = random.below(4) == 0 ? 2 + random.below(4) : 1;
        for (std::uint32_t i = 0; i < parts; ++i) {
            def.shapes.push_back(part(random_shape(random, size()), random.in_box(vec3(0.7f)), random.rotation()));
            def.shapes.back().sensor = i > 0 && random.below(4) == 0;
            if (random.below(5) == 0) def.shapes.back().filter = {1u << random.below(3), random.below(8), 0};
        }
        if (def.type == BodyType::fixed && parts == 1 && random.below(2) == 0)
            def.shapes[0].shape = triangle(vec3(-0.5f), vec3(1, 0, 0), random.in_box(vec3(1.0f)));
        def.position = place();
        def.rotation = random.rotation();
        def.linear_velocity = random.in_box(vec3(2.0f));
        def.angular_velocity = random.in_box(vec3(2.0f));
        return def;
    }

    BodyId some_id() {
        const std::vector<BodyId> ids = world.bodies();
        return ids[random.below(static_cast<std::uint32_t>(ids.size()))];
    }

    void stir() {
        for (int i = 0; i < 30; ++i) world.set_transform(some_id(), place(), random.rotation());
        for (int i = 0; i < 15; ++i) world.remove_body(some_id());
        for (int i = 0; i < 15; ++i) world.add_body(some_body());
        for (int i = 0; i < 15; ++i) {
            const BodyId id = some_id();
            const bool awake = random.below(2) == 0;
            if (world.type(id) == BodyType::dynamic) world.set_awake(id, awake);
        }
    }

    Filter filter() { return random.below(3) == 0 ? Filter{1u << random.below(3), random.below(8), 0} : Filter{}; }

    /// An upper bound of the rounding of distances here, m.
    float rounding() const { return 1e-5f * room; }
};

using Visit = std::function<void(BodyId, std::uint32_t, const Shape&, const WorldTransform&)>;

void for_each_shape(const World& world, const Filter& filter, const Visit& visit) {
    for (const BodyId id : world.bodies()) {
        const std::span<const ShapeDef> shapes = world.shapes(id);
        for (std::uint32_t i = 0; i < shapes.size(); ++i) {
            if (shapes[i].sensor || !should_collide(filter, shapes[i].filter)) continue;
            visit(id, i, shapes[i].shape, multiply(world.transform(id), shapes[i].pose));
        }
    }
}

// ---- casts
// -----------------------------------------------------------------------------------------------------------

/// The fraction at which the cast hits the shape, or a negative number. `shift` moves the start.
using Meet = std::function<float(const Shape&, const WorldTransform&, const vec3& shift)>;

Meet ray(const dvec3& origin, const vec3& translation) {
    return [=](const Shape& shape, const WorldTransform& at, const vec3& shift) {
        const RayHit hit = ray_cast(shape, inverse_transform_point(at, displaced(origin, shift)),
                                    inverse_rotate(at.rotation, translation));
        return hit.hit ? hit.fraction : -1.0f;
    };
}

Meet moving(const Shape& moved, const WorldTransform& pose, const vec3& translation) {
    return [=](const Shape& shape, const WorldTransform& at, const vec3& shift) {
        const WorldTransform start{displaced(pose.position, shift), pose.rotation};
        const ShapeCastResult hit = shape_cast(shape, moved, to_matrix_transform(relative(at, start)),
                                               inverse_rotate(at.rotation, translation));
        return hit ? hit.fraction : -1.0f;
    };
}

/// Whether some starts that differ by rounding hit and some miss: then either answer is right.
bool grazes(const Meet& meet, const Shape& shape, const WorldTransform& at, float rounding) {
    const bool hits = meet(shape, at, vec3(0.0f)) >= 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float sign : {-1.0f, 1.0f}) {
            vec3 shift(0.0f);
            shift[axis] = sign * rounding;
            if ((meet(shape, at, shift) >= 0.0f) != hits) return true;
        }
    }
    return false;
}

/// Checks that `hits` are all shapes that the cast hits, with the right fractions.
void check_hits(const World& world, const std::vector<CastHit>& hits, const Meet& meet, const vec3& translation,
                const Filter& filter, float rounding) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, const CastHit*> by_shape;
    for (const CastHit& hit : hits) by_shape[{hit.body.slot, hit.shape}] = &hit;
    REQUIRE(by_shape.size() == hits.size());
    std::size_t met = 0;
    for_each_shape(world, filter, [&](BodyId body, std::uint32_t index, const Shape& shape, const WorldTransform& at) {
        const auto found = by_shape.find({body.slot, index});
        const float fraction = meet(shape, at, vec3(0.0f));
        CAPTURE(name_of(shape.type));
        CAPTURE(fraction);
        if (found == by_shape.end()) {
            if (fraction >= 0.0f) CHECK(grazes(meet, shape, at, rounding));
            return;
        }
        ++met;
        const CastHit& hit = *found->second;
        CAPTURE(hit.fraction);
        CHECK(hit.body == body);
        REQUIRE(hit.fraction >= 0.0f);
        REQUIRE(hit.fraction <= 1.0f);
        if (fraction < 0.0f) {
            CHECK(grazes(meet, shape, at, rounding));
            return;
        }
        // The world computes only the part of the cast near the shape in floats. And the hit may be later by the rounding
        // error of one coordinate of the box around the shape.
        const vec3 late = std::abs(hit.fraction - fraction) * glm::abs(translation);
        CHECK(std::min({late.x, late.y, late.z}) <= rounding);
        const float n = glm::length(hit.normal);
        CHECK((std::abs(n - 1.0f) < 1e-4f || (n == 0.0f && hit.fraction == 0.0f)));
        if (n > 0.0f && hit.fraction > 0.0f)
            CHECK(glm::dot(hit.normal, translation) <= 1e-3f * glm::length(translation));
    });
    REQUIRE(met == hits.size());
    const auto order = [](const CastHit& a, const CastHit& b) {
        return std::tie(a.fraction, a.body.slot, a.shape) < std::tie(b.fraction, b.body.slot, b.shape);
    };
    CHECK(std::is_sorted(hits.begin(), hits.end(), order));
}

void check_rays(Crowd& crowd, int count) {
    const World& world = crowd.world;
    std::vector<Ray> rays;
    for (int i = 0; i < count; ++i) {
        Ray ray{crowd.place(), 2.0f * crowd.room * crowd.random.direction()};
        switch (i % 8) {
            case 0:  // from inside a body
                ray.origin = world.center_of_mass(crowd.some_id());
                break;
            case 1:
                ray.translation = vec3(0.0f);
                break;
            case 2:  // from far away through the middle
                ray.translation *= 1000.0f;
                ray.origin = displaced(ray.origin, -0.5f * ray.translation);
                break;
            case 3: {  // along a face of a body's box
                const WorldAabb bounds = world.bounds(crowd.some_id());
                const int axis = static_cast<int>(crowd.random.below(3));
                ray.origin[axis] = bounds.upper[axis];
                ray.translation[axis] = 0.0f;
                break;
            }
            case 4:  // along an axis
                ray.translation = vec3(0.0f);
                ray.translation[static_cast<int>(crowd.random.below(3))] = crowd.random.below(2) == 0 ? 20.0f : -20.0f;
                break;
            case 5:
                ray.translation *= 1e-3f;
                break;
            default:
                break;
        }
        rays.push_back(ray);
    }
    const Filter filter = crowd.filter();
    std::vector<CastHit> batch(rays.size());
    REQUIRE(world.ray_cast(rays, batch, filter));
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const auto& [origin, translation] = rays[i];
        CAPTURE(i);
        const std::vector<CastHit> all = world.ray_cast_all(origin, translation, filter);
        check_hits(world, all, ray(origin, translation), translation, filter,
                   crowd.rounding() + 1e-6f * glm::length(translation));
        const CastHit closest = world.ray_cast(origin, translation, filter);
        CHECK(closest == (all.empty() ? CastHit{} : all[0]));
        CHECK(closest == batch[i]);
        CHECK(world.ray_cast_any(origin, translation, filter) == !all.empty());
    }
}

void check_shape_casts(Crowd& crowd, int count) {
    const World& world = crowd.world;
    std::vector<ShapeCast> casts;
    while (static_cast<int>(casts.size()) < count) {
        ShapeCast cast{random_shape(crowd.random, crowd.size()),
                       {crowd.place(), crowd.random.rotation()},
                       2.0f * crowd.room * crowd.random.direction()};
        if (check(cast.shape)) continue;  // a sliver
        switch (casts.size() % 6) {
            case 0:  // a fat ray
                cast.shape = sphere(crowd.random.between(0.01f, 1.0f));
                break;
            case 1:
                cast.shape = box(vec3(0.1f) + glm::abs(crowd.random.in_box(vec3(1.0f))));
                cast.pose.rotation = quat(1, 0, 0, 0);
                break;
            case 2:
                cast.translation = vec3(0.0f);
                break;
            case 3:
                cast.translation *= 100.0f;
                cast.pose.position = displaced(cast.pose.position, -0.5f * cast.translation);
                break;
            default:
                break;
        }
        casts.push_back(cast);
    }
    const Filter filter = crowd.filter();
    std::vector<CastHit> batch(casts.size());
    REQUIRE(world.shape_cast(casts, batch, filter));
    for (std::size_t i = 0; i < casts.size(); ++i) {
        const auto& [shape, pose, translation] = casts[i];
        CAPTURE(i);
        const std::vector<CastHit> all = world.shape_cast_all(shape, pose, translation, filter);
        check_hits(world, all, moving(shape, {pose.position, normalized(pose.rotation)}, translation), translation,
                   filter, crowd.rounding() + 1e-6f * glm::length(translation));
        const CastHit closest = world.shape_cast(shape, pose, translation, filter);
        CHECK(closest == (all.empty() ? CastHit{} : all[0]));
        CHECK(closest == batch[i]);
        CHECK(world.shape_cast_any(shape, pose, translation, filter) == !all.empty());
    }
}

// ---- overlaps and what is near
// ---------------------------------------------------------------------------------------

/// The separation of the shape at `pose` from each body's nearest shape, m; negative if they overlap.
std::map<std::uint32_t, float> separations(const World& world, const Shape& shape, const WorldTransform& pose,
                                           const Filter& filter) {
    std::map<std::uint32_t, float> least;
    for_each_shape(world, filter, [&](BodyId body, std::uint32_t, const Shape& other, const WorldTransform& at) {
        SimplexCache cache;
        const float s = separation(other, shape, to_matrix_transform(relative(at, pose)), cache).separation;
        const auto [entry, is_new] = least.insert({body.slot, s});
        if (!is_new) entry->second = std::min(entry->second, s);
    });
    return least;
}

void check_overlaps(const std::vector<BodyId>& found, bool any, const std::map<std::uint32_t, float>& separations,
                    float rounding) {
    CHECK(any == !found.empty());
    CHECK(std::is_sorted(found.begin(), found.end(), [](BodyId a, BodyId b) { return a.slot < b.slot; }));
    std::map<std::uint32_t, int> times;
    for (const BodyId id : found) ++times[id.slot];
    for (const auto& entry : separations) {
        const std::uint32_t slot = entry.first;  // variables, since clang 14 captures no structured bindings
        const float separation = entry.second;
        CAPTURE(slot);
        CAPTURE(separation);
        const int expected = separation <= 0.0f ? 1 : 0;
        CHECK((times[slot] == expected || (times[slot] < 2 && std::abs(separation) <= rounding)));
    }
    CHECK(times.size() == separations.size());  // no other bodies
}

void check_overlaps(Crowd& crowd, int count) {
    const World& world = crowd.world;
    for (int i = 0; i < count; ++i) {
        CAPTURE(i);
        const Filter filter = crowd.filter();
        const Shape shape = random_shape(crowd.random, 2.0f * crowd.size());
        const WorldTransform pose{crowd.place(), crowd.random.rotation()};
        if (!check(shape))
            check_overlaps(world.overlap(shape, pose, filter), world.overlap_any(shape, pose, filter),
                           separations(world, shape, {pose.position, normalized(pose.rotation)}, filter),
                           crowd.rounding());
        const vec3 half = glm::abs(crowd.random.in_box(vec3(2.0f)));
        const WorldAabb space = translated(Aabb{-half, half}, pose.position);
        const Shape block = box(half_extents(space));
        check_overlaps(world.overlap(space, filter), world.overlap_any(space, filter),
                       separations(world, block, {center(space), quat(1, 0, 0, 0)}, filter), crowd.rounding());
        const dvec3 point = i % 2 == 0 ? pose.position : world.center_of_mass(crowd.some_id());
        check_overlaps(world.overlap(point, filter), world.overlap_any(point, filter),
                       separations(world, Shape{}, {point, quat(1, 0, 0, 0)}, filter), crowd.rounding());
    }
}

void check_nearest(Crowd& crowd, int count) {
    const World& world = crowd.world;
    for (int i = 0; i < count; ++i) {
        CAPTURE(i);
        const Filter filter = crowd.filter();
        const dvec3 point =
            displaced(crowd.middle, crowd.random.in_box(vec3(i % 5 == 0 ? 30.0f * crowd.room : crowd.room)));
        const std::size_t most = i % 7 == 0 ? 1000 : crowd.random.below(12);
        const float max_distance = i % 2 == 0 ? infinite : crowd.random.between(0.0f, crowd.room);
        const float rounding = crowd.rounding() + 1e-6f * static_cast<float>(glm::distance(point, crowd.middle));
        std::map<std::uint32_t, float> expected = separations(world, Shape{}, {point, quat(1, 0, 0, 0)}, filter);
        std::vector<float> ascending;
        for (auto& [slot, s] : expected) {
            s = std::max(s, 0.0f);
            if (s <= max_distance) ascending.push_back(s);
        }
        std::sort(ascending.begin(), ascending.end());
        const std::vector<NearHit> found = world.nearest(point, most, max_distance, filter);
        // A body exactly at the limit may be in or out.
        const std::size_t right = std::min(most, ascending.size());
        CHECK((found.size() == right ||
               std::abs((ascending.size() > found.size() ? ascending[found.size()] : found.back().distance) -
                        max_distance) <= rounding));
        std::map<std::uint32_t, int> times;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const NearHit& hit = found[k];
            CAPTURE(k);
            CHECK(++times[hit.body.slot] == 1);
            CHECK(std::abs(hit.distance - expected[hit.body.slot]) <= rounding);
            if (k < ascending.size()) CHECK(std::abs(hit.distance - ascending[k]) <= rounding);
            CHECK(hit.distance <= max_distance);
            CHECK(std::abs(glm::distance(hit.position, point) - hit.distance) <= rounding);
            if (k > 0)
                CHECK(std::tie(found[k - 1].distance, found[k - 1].body.slot) < std::tie(hit.distance, hit.body.slot));
            const ShapeDef& def = world.shapes(hit.body)[hit.shape];
            const WorldTransform at = multiply(world.transform(hit.body), def.pose);
            SimplexCache cache;
            const MatrixTransform spot{inverse_transform_point(at, hit.position)};
            CHECK(separation(def.shape, Shape{}, spot, cache).separation <= rounding);
        }
    }
}

constexpr dvec3 places[] = {dvec3(0.0), dvec3(300, -200, 100), dvec3(1e4, 2e4, -3e4), dvec3(2e6, 1e6, 0)};

void check_all(Crowd& crowd) {
    check_rays(crowd, 64);
    check_shape_casts(crowd, 36);
    check_overlaps(crowd, 20);
    check_nearest(crowd, 30);
    CHECK(!crowd.world.last_error());
}

}  // namespace

TEST_CASE("every query agrees with the narrowphase asked of every shape, before the first step") {
    for (const dvec3& middle : places) {
        CAPTURE(middle.x);
        Crowd crowd(1, middle);
        check_all(crowd);
    }
}

TEST_CASE("every query agrees with the narrowphase asked of every shape, after steps" * doctest::test_suite("slow")) {
    for (const dvec3& middle : places) {
        CAPTURE(middle.x);
        Crowd crowd(2, middle);
        for (int round = 0; round < 3; ++round) {
            run(crowd.world, 10);
            check_all(crowd);
        }
    }
}

TEST_CASE("every query agrees with the narrowphase asked of every shape, after teleports, removals and additions" *
          doctest::test_suite("slow")) {
    for (const dvec3& middle : places) {
        CAPTURE(middle.x);
        Crowd crowd(3, middle);
        run(crowd.world, 5);
        for (int round = 0; round < 4; ++round) {
            crowd.stir();
            check_all(crowd);
            if (round % 2 == 1) run(crowd.world, 3);
        }
    }
}

TEST_CASE("answers depend on where bodies are, to the bit, not on how they came there" * doctest::test_suite("slow")) {
    for (const dvec3& middle : {dvec3(0.0), dvec3(2e6, 1e6, -3e6)}) {
        CAPTURE(middle.x);
        Crowd crowd(5, middle);
        World& fresh = crowd.world;  // bodies are only added and placed
        const auto ids = fresh.bodies();
        // The same poses with another history: bodies fell, flew about, and were put back in another order, some while
        // asleep.
        World wandered = fresh;
        for (int round = 0; round < 2; ++round) {
            run(wandered, 20);
            for (std::size_t i = 0; i < ids.size(); ++i) {
                const BodyId id = ids[(i * 89) % ids.size()];
                const vec3 aside = crowd.random.in_box(vec3(0.02f));
                wandered.set_transform(id, displaced(fresh.position(id), aside), fresh.rotation(id));
                wandered.set_linear_velocity(id, crowd.random.in_box(vec3(3.0f)));
                if (i % 3 == 0) wandered.set_awake(id, false);
            }
        }
        for (const BodyId id : ids) {
            const WorldTransform at = fresh.transform(id);
            fresh.set_transform(id, at.position, at.rotation);
            wandered.set_transform(id, at.position, at.rotation);
            REQUIRE(fresh.position(id) == wandered.position(id));
            REQUIRE(fresh.rotation(id) == wandered.rotation(id));
            REQUIRE(fresh.center_of_mass(id) == wandered.center_of_mass(id));
        }
        for (int i = 0; i < 4000; ++i) {
            CAPTURE(i);
            const dvec3 from = crowd.place();
            const vec3 way = 2.0f * crowd.room * crowd.random.direction();
            CHECK(same(fresh.ray_cast_all(from, way), wandered.ray_cast_all(from, way)));
            CHECK(fresh.ray_cast(from, way) == wandered.ray_cast(from, way));
            const Shape shape = i % 2 == 0 ? sphere(0.2f) : box(vec3(0.3f, 0.1f, 0.2f));
            const WorldTransform pose{from, crowd.random.rotation()};
            CHECK(same(fresh.shape_cast_all(shape, pose, way), wandered.shape_cast_all(shape, pose, way)));
            CHECK(fresh.shape_cast(shape, pose, way) == wandered.shape_cast(shape, pose, way));
            CHECK(fresh.overlap(shape, pose) == wandered.overlap(shape, pose));
            CHECK(fresh.overlap(from) == wandered.overlap(from));
            CHECK(same(fresh.nearest(from, 5, infinite), wandered.nearest(from, 5, infinite)));
        }
    }
}

TEST_CASE("of equally near shapes the lower slot is named, then the lower shape") {
    // Eight fixed walls with a common front plane, and eight balls at rest in one place, added in two orders.
    for (const bool backwards : {false, true}) {
        World world(weightless());
        std::vector<BodyId> ids;
        for (int i = 0; i < 8; ++i) {
            BodyDef wall = i % 2 == 0 ? fixed_body(box({1, 1, 0.1f * static_cast<float>(i + 1)}))
                                      : kinematic_body(box({1, 1, 0.1f * static_cast<float>(i + 1)}), dvec3(0.0));
            wall.shapes = {part(wall.shape), part(wall.shape)};
            wall.shape = Shape{};
            wall.position = {0, 50.0f + 5.0f * static_cast<float>(i), 0};
            ids.push_back(add(world, wall));
        }
        run(world, 3);
        for (int i = 0; i < 8; ++i) {
            const int k = backwards ? 7 - i : i;
            const float half = 0.1f * static_cast<float>(k + 1);
            world.set_transform(ids[static_cast<std::size_t>(k)], {0, 0, -3 - half}, quat(1, 0, 0, 0));
            if (i == 4) run(world, 40);
        }
        const auto check = [&](const CastHit& hit) {
            CHECK(hit.body == ids[0]);
            CHECK(hit.shape == 0);
        };
        // The face of each wall is at z = -3, up to the rounding of some: the first of those in front counts.
        const std::vector<CastHit> all = world.ray_cast_all({0.3f, 0.2f, 0}, {0, 0, -7});
        REQUIRE(all.size() == 16);
        CHECK(world.ray_cast({0.3f, 0.2f, 0}, {0, 0, -7}) == all[0]);
        const dvec3 inside = on_grid(dvec3(0.3, 0.2, -3.05));  // all
        check(world.ray_cast(inside, {0, 0, 1}));
        check(world.shape_cast(sphere(0.5f), {inside, quat(1, 0, 0, 0)}, {0, 0, 1}));
        const std::vector<NearHit> near = world.nearest(inside, 3, infinite);
        REQUIRE(near.size() == 3);
        for (std::uint32_t i = 0; i < 3; ++i) {
            CHECK(near[i].body == ids[i]);
            CHECK(near[i].shape == 0);
            CHECK(near[i].distance == 0.0f);
            CHECK(near[i].position == inside);
        }
    }
}

TEST_CASE("a fat ray, a box cast, a point and the nearest by closed forms") {
    World world;
    const BodyId ball = add(world, fixed_body(sphere(1.0f), {0, 0, -10}));
    const BodyId wall = add(world, fixed_body(box({5, 5, 0.5f}), {0, 0, -20}));
    const WorldTransform start{};
    CastHit hit = world.shape_cast(sphere(0.5f), start, {0, 0, -100});
    CHECK(hit.body == ball);
    CHECK(hit.fraction == doctest::Approx(0.085).epsilon(1e-5));
    CHECK(glm::distance(hit.position, dvec3(0, 0, -9)) < 1e-4);
    CHECK(glm::distance(hit.normal, vec3(0, 0, 1)) < 1e-4f);
    // At an offset of 1.6 m, both the ray and the fat ray pass. At 1.4 m only the ray would.
    CHECK(world.shape_cast(sphere(0.5f), {{1.6f, 0, 0}, quat(1, 0, 0, 0)}, {0, 0, -100}).body == wall);
    CHECK(world.shape_cast(sphere(0.5f), {{1.4f, 0, 0}, quat(1, 0, 0, 0)}, {0, 0, -100}).body == ball);
    CHECK(world.ray_cast({1.4f, 0, 0}, {0, 0, -100}).body == wall);
    hit = world.shape_cast(box({1, 2, 3}), {{3, 0, 0}, quat(1, 0, 0, 0)}, {0, 0, -33});
    CHECK(hit.body == wall);
    CHECK(hit.fraction == doctest::Approx(0.5).epsilon(1e-5));
    CHECK(glm::distance(hit.normal, vec3(0, 0, 1)) < 1e-4f);
    // From an overlap: fraction 0, and the direction of the shortest way out.
    hit = world.shape_cast(sphere(0.5f), {{0, 0, -19}, quat(1, 0, 0, 0)}, {0, 0, -5});
    CHECK(hit.body == wall);
    CHECK(hit.fraction == 0.0f);
    CHECK(glm::distance(hit.normal, vec3(0, 0, 1)) < 1e-4f);
    CHECK(world.shape_cast_all(sphere(0.5f), start, {0, 0, -100}).size() == 2);
    CHECK(!world.shape_cast_any(sphere(0.5f), start, {0, 0, -8.4f}));
    CHECK(world.shape_cast_any(sphere(0.5f), start, {0, 0, -8.5001f}));

    CHECK(world.overlap(dvec3(0, 0.9, -10)) == std::vector<BodyId>{ball});
    CHECK(world.overlap(dvec3(0, 1.1, -10)).empty());
    CHECK(world.overlap(dvec3(4.9, -4.9, -20.4)) == std::vector<BodyId>{wall});
    CHECK(world.overlap_any(dvec3(5, 5, -19.5)));  // a corner
    CHECK(!world.overlap_any(dvec3(5.01, 5, -19.5)));

    const std::vector<NearHit> near = world.nearest({0, 0, 0}, 5, infinite);
    REQUIRE(near.size() == 2);
    CHECK(near[0].body == ball);
    CHECK(near[0].distance == doctest::Approx(9.0));
    CHECK(glm::distance(near[0].position, dvec3(0, 0, -9)) < 1e-5);
    CHECK(near[1].body == wall);
    CHECK(near[1].distance == doctest::Approx(19.5));
    CHECK(glm::distance(near[1].position, dvec3(0, 0, -19.5)) < 1e-5);
    CHECK(world.nearest({0, 0, 0}, 5, 9.5f).size() == 1);
    CHECK(world.nearest({0, 0, 0}, 1, infinite).size() == 1);
    CHECK(world.nearest({0, 0, 0}, 0, infinite).empty());
    CHECK(world.nearest({0, 0, 0}, 5, 8.5f).empty());
    CHECK(!world.last_error());
}

TEST_CASE("an empty world answers nothing, and gives no error") {
    const World world;
    const WorldTransform pose{};
    CHECK(!world.ray_cast({0, 0, 0}, {1, 0, 0}));
    CHECK(!world.shape_cast(sphere(1.0f), pose, {1, 0, 0}));
    CHECK(world.overlap(dvec3(0.0)).empty());
    CHECK(world.nearest(dvec3(0.0), 3, infinite).empty());
    CHECK(world.ray_cast(std::span<const Ray>{}, std::span<CastHit>{}));
    CHECK(!world.last_error());
}

TEST_CASE("queries of nonsense are refused and say why") {
    World world;
    add(world, crate({0, 0, 0}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const WorldTransform pose{};
    const WorldTransform flat{dvec3(0.0), quat(0, 0, 0, 0)}, huge{dvec3(0.0), quat(1e30f, 0, 0, 0)};
    const auto refuses = [&](ErrorCode code, bool answered) {
        CHECK(!answered);
        CHECK(world.last_error().code == code);
        CHECK(!world.last_error().message.empty());
        world.set_user_data(BodyId{}, 0);  // another error in between
        REQUIRE(world.last_error().code == ErrorCode::stale_handle);
    };
    for (const float bad : {nan, infinite, -infinite}) {
        const ErrorCode code = ErrorCode::not_finite;
        const vec3 b(0, bad, 0), good(0.0f);
        refuses(code, world.ray_cast_any(b, good));
        refuses(code, world.ray_cast_any(good, b));
        refuses(code, !world.ray_cast_all(good, b).empty());
        refuses(code, static_cast<bool>(world.shape_cast(sphere(1.0f), {b, quat(1, 0, 0, 0)}, good)));
        refuses(code, world.shape_cast_any(sphere(1.0f), pose, b));
        refuses(code, !world.shape_cast_all(sphere(1.0f), {good, quat(bad, 0, 0, 0)}, good).empty());
        refuses(code, world.overlap_any(b));
        refuses(code, !world.overlap(b).empty());
        refuses(code, world.overlap_any(WorldAabb{good, b}));
        refuses(code, world.overlap_any(sphere(1.0f), {b, quat(1, 0, 0, 0)}));
        refuses(code, !world.nearest(b, 1, infinite).empty());
    }
    for (const WorldTransform& placed : {flat, huge}) {
        refuses(ErrorCode::not_finite, world.overlap_any(sphere(1.0f), placed));
        refuses(ErrorCode::not_finite, world.shape_cast_any(sphere(1.0f), placed, vec3(1.0f)));
    }
    refuses(ErrorCode::bad_size, world.shape_cast_any(sphere(0.0f), pose, vec3(0.0f)));
    refuses(ErrorCode::bad_size, world.overlap_any(sphere(-1.0f), pose));
    refuses(ErrorCode::bad_argument, world.overlap_any(WorldAabb{{1, 1, 1}, {0, 0, 0}}));
    refuses(ErrorCode::bad_argument, !world.nearest(dvec3(0.0), 1, -1.0f).empty());
    refuses(ErrorCode::bad_argument, !world.nearest(dvec3(0.0), 1, nan).empty());
    // Many: all or none.
    Ray rays[3] = {{{0, 5, 0}, {0, -9, 0}}, {{0, 5, 0}, {0, nan, 0}}, {{0, 5, 0}, {0, -9, 0}}};
    CastHit hits[3];
    hits[0].fraction = 0.25f;
    refuses(ErrorCode::not_finite, world.ray_cast(rays, hits));
    for (const CastHit& hit : hits) CHECK(hit == CastHit{});
    rays[1] = rays[0];
    refuses(ErrorCode::bad_argument, world.ray_cast(rays, std::span(hits, 2)));
    CHECK(world.ray_cast(rays, hits));
    for (const CastHit& hit : hits) CHECK(hit.body);
    const ShapeCast casts[2] = {{sphere(1.0f), pose, vec3(0.0f)}, {sphere(0.0f), pose, vec3(0.0f)}};
    refuses(ErrorCode::bad_size, world.shape_cast(casts, hits));
    CHECK(!hits[0]);
}

TEST_CASE("queries at the end of the range of positions, and beyond it, answer and do not fail") {
    World world;
    add(world, crate({0, 0, 0}));
    const double far = 1e18;  // positions reach as far as this, m
    const float big = 3e38f;
    add(world, crate({far, -far, far}));
    for (const dvec3 at : {dvec3(0.0), dvec3(far), dvec3(-far, far, -far)}) {
        for (const vec3 way : {vec3(0.0f), vec3(big), vec3(-big, big, -big), vec3(0, -big, 0)}) {
            const CastHit hit = world.ray_cast(at, way);
            CHECK(hit.fraction >= 0.0f);
            CHECK(hit.fraction <= 1.0f);
            world.ray_cast_all(at, way);
            world.shape_cast_all(box(vec3(1.0f)), {at, quat(1, 0, 0, 0)}, way);
        }
        world.overlap(at);
        world.overlap(sphere(1e6f), {at, quat(1, 0, 0, 0)});
        for (const NearHit& near : world.nearest(at, 5, infinite)) CHECK(near.distance >= 0.0f);
    }
    CHECK(world.nearest(dvec3(0.0), 1, infinite).size() == 1);
    CHECK(!world.last_error());
}

TEST_CASE("many threads ask one world at a time, and get the answers of one") {
    if (lacks_threads()) return;
    Crowd crowd(9, dvec3(0.0));
    run(crowd.world, 20);
    crowd.stir();  // some boxes are out of date until the next update
    const World& world = crowd.world;
    struct Answers {
        std::vector<CastHit> rays, casts;
        std::vector<std::vector<BodyId>> overlaps;
        std::vector<std::vector<NearHit>> near;
    };
    const auto ask = [&world, &crowd] {
        Random random(77);
        Answers answers;
        for (int i = 0; i < 100; ++i) {
            const dvec3 from = displaced(crowd.middle, random.in_box(vec3(crowd.room)));
            const vec3 way = 10.0f * random.direction();
            const WorldTransform pose{from, random.rotation()};
            answers.rays.push_back(world.ray_cast(from, way));
            for (const CastHit& hit : world.ray_cast_all(from, way)) answers.rays.push_back(hit);
            answers.casts.push_back(world.shape_cast(box(vec3(0.3f)), pose, way));
            answers.overlaps.push_back(world.overlap(sphere(1.5f), pose));
            answers.overlaps.push_back(world.overlap(from));
            answers.near.push_back(world.nearest(from, 4, infinite));
            world.ray_cast(dvec3(std::numeric_limits<double>::quiet_NaN()), way);  // refused, in all threads at once
        }
        return answers;
    };
    const Answers alone = ask();
    std::vector<Answers> together(4);
    std::vector<std::thread> threads;
    for (Answers& answers : together) threads.emplace_back([&] { answers = ask(); });
    for (std::thread& thread : threads) thread.join();
    for (const Answers& answers : together) {
        CHECK(same(answers.rays, alone.rays));
        CHECK(same(answers.casts, alone.casts));
        CHECK(answers.overlaps == alone.overlaps);
        for (std::size_t i = 0; i < alone.near.size(); ++i) CHECK(same(answers.near[i], alone.near[i]));
    }
    CHECK(world.last_error().code == ErrorCode::not_finite);
}
