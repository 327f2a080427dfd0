/// The same little world in five places, up to 8,000 km from the origin. docs/large_worlds.md explains it.
#include <talus/talus.h>

#include <cstdio>
#include <vector>

/// A floor, a pyramid of ten boxes, and a ball that is thrown at it.
talus::World make_world(const talus::dvec3& place, std::vector<talus::BodyId>& bodies) {
    talus::World world;
    world.add_body(
        {.type = talus::BodyType::fixed, .shape = talus::box({20, 1, 20}), .position = place + talus::dvec3(0, -1, 0)});
    for (int row = 0; row < 4; ++row) {
        for (int i = 0; i < 4 - row; ++i) {
            bodies.push_back(world.add_body({.shape = talus::box({0.5f, 0.5f, 0.5f}),
                                             .position = place + talus::dvec3(i + 0.5 * row, 0.5 + row, 0)}));
        }
    }
    bodies.push_back(world.add_body(
        {.shape = talus::sphere(0.4f), .position = place + talus::dvec3(-8, 1, 0.25), .linear_velocity = {15, 4, 0}}));
    return world;
}

/// What a renderer would draw: the pose as the camera sees it, in floats.
talus::Transform seen_from(const talus::dvec3& camera, const talus::WorldTransform& pose) {
    return {talus::vec3(pose.position - camera), pose.rotation};
}

bool same(const talus::Transform& a, const talus::Transform& b) {
    return a.position == b.position && a.rotation == b.rotation;
}

int main() {
    std::vector<talus::Transform> at_home;
    for (const double distance : {0.0, 1024.0, 1'000'000.0, 4'000'000.0, 8'388'608.0}) {
        const talus::dvec3 place(distance, 0, -distance), camera = place + talus::dvec3(0, 2, 10);
        std::vector<talus::BodyId> bodies;
        talus::World world = make_world(place, bodies);
        for (int step = 0; step < 600; ++step) world.step(1.0f / 60.0f);

        bool all_same = true;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const talus::Transform seen = seen_from(camera, world.transform(bodies[i]));
            if (at_home.size() < bodies.size()) at_home.push_back(seen);
            all_same = all_same && same(seen, at_home[i]);
        }
        const talus::vec3 ball = seen_from(place, world.transform(bodies.back())).position;
        std::printf("%9.0f m: the ball is at (%.9g, %.9g, %.9g) m from there, %s\n", distance, ball.x, ball.y, ball.z,
                    all_same ? "and all bodies have the same bits" : "which DIFFERS");
    }
}
