/// How far a rotation moves the surface of a shape, compared with the surface's places before and after.

#include "engine/bodies/turning.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/support.h>

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// How much farther the shape reaches in some direction after a rotation by `angle` about an axis, m.
float growth(const Shape& shape, const quat& frame, const vec3& axis, float angle, Random& random) {
    const quat after = multiply(quat(std::cos(0.5f * angle), std::sin(0.5f * angle) * axis), frame);
    const auto reach = [&](const quat& rotation, const vec3& direction) {
        const vec3 d = inverse_rotate(rotation, direction);
        return glm::dot(support(shape, d, 0).point, d) + shape.radius;
    };
    float most = 0.0f;
    for (int i = 0; i < 200; ++i) {
        const vec3 direction = random.direction();
        most = std::max(most, reach(after, direction) - reach(frame, direction));
    }
    return most;
}

}  // namespace

TEST_CASE("a rotation moves no surface by more than its turning part") {
    Random random(5);
    const Shape shapes[] = {sphere(0.3f), capsule(0.5f, 0.1f), cylinder(0.1f, 0.4f), cone(0.3f, 0.2f),
                            box({0.2f, 0.3f, 0.4f})};
    for (const Shape& shape : shapes) {
        CAPTURE(name_of(shape.type));
        float tightest = 0.0f;
        for (int i = 0; i < 200; ++i) {
            const quat frame = random.rotation();
            vec3 axis = random.direction();
            if (i % 4 == 0) axis = rotate(frame, vec3(0, 1, 0));
            const float part = turning_part(shape.type, frame, random.between(0.1f, 5.0f) * axis);
            const float angle = random.between(0.01f, 0.3f), bound = part * angle * bounding_radius(shape);
            const float moved = growth(shape, frame, axis, angle, random);
            CHECK(moved <= bound + 2e-4f);
            if (bound > 0.01f) tightest = std::max(tightest, moved / bound);
        }
        if (shape.type == ShapeType::sphere) {
            CHECK(tightest == 0.0f);
        } else {
            CHECK(tightest > 0.5f);
        }
        CHECK(turning_part(shape.type, quat(1, 0, 0, 0), vec3(0.0f)) <= 1.0f);
    }
}

TEST_CASE("a ball that spins gets no contact with what it does not come near") {
    for (const float spin : {0.0f, 50.0f}) {
        World world(weightless());
        BodyDef ball = body(sphere(0.5f), {0.0, 0.52, 0.0});
        ball.angular_velocity = vec3(spin, 0.0f, spin);
        add(world, fixed_body(box({5.0f, 0.5f, 5.0f}), {0.0, -0.5, 0.0}));
        add(world, ball);
        run(world, 2);
        CAPTURE(spin);
        REQUIRE(world.pairs().size() == 1);
        CHECK(world.pairs()[0].state == PairState::separated);  // 2 cm apart, and nothing brings them together
    }
}

TEST_CASE("what rolls is swept at the speed at which it would be if it slid") {
    constexpr float r = 0.3f;
    const quat lying(std::sqrt(0.5f), std::sqrt(0.5f), 0.0f, 0.0f);  // the axis along z
    const auto swept = [&](const Shape& shape, float motion, bool rolls) {
        World world(weightless());
        BodyDef def = body(shape);
        def.rotation = lying;
        def.linear_velocity.x = motion * r / frame;
        if (rolls) def.angular_velocity.z = -motion / frame;
        add(world, def);
        run(world, 3);
        return world.profile().swept_bodies != 0;
    };
    for (const Shape& shape : {sphere(r), capsule(0.4f, r), cylinder(0.4f, r)}) {
        CAPTURE(name_of(shape.type));
        for (const bool rolls : {false, true}) {
            CHECK_FALSE(swept(shape, 0.3f, rolls));
            CHECK(swept(shape, 0.4f, rolls));
        }
    }
    CHECK_FALSE(swept(box(vec3(r)), 0.3f, false));
    CHECK(swept(box(vec3(r)), 0.3f, true));  // its corners do move
}
