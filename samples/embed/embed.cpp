/// Talus in a game loop: fixed steps of 1/60 s under frames of any length, and poses in between for drawing.
#include <talus/talus.h>

#include <cstdio>

int main() {
    talus::World world;
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({50, 1, 50}), .position = {0, -1, 0}});
    talus::BodyDef def{.shape = talus::sphere(0.5f), .position = {0, 4, 0}};
    def.material.restitution = 0.7f;
    const talus::BodyId ball = world.add_body(def);
    if (!ball) {
        std::fprintf(stderr, "%s\n", world.last_error().message.c_str());
        return 1;
    }

    talus::FixedStep clock(1.0f / 60.0f);
    talus::WorldTransform previous = world.transform(ball);

    // A game would take the frame's length from its clock. Here: 144 Hz, a hitch of 90 ms each second, and one of 3 s.
    double time = 0.0;
    for (int frame = 0; frame < 300; ++frame) {
        const double seconds = frame == 200 ? 3.0 : frame % 144 == 143 ? 0.09 : 1.0 / 144.0;
        time += seconds;

        for (int steps = clock.advance(seconds); steps > 0; --steps) {
            previous = world.transform(ball);
            world.step(clock.dt());
            for (const talus::ContactEvent& hit : world.contacts_begun()) {
                if (hit.body_a == ball || hit.body_b == ball) std::printf("%.3f s: the ball touches down\n", time);
            }
        }

        // Draw between the last two steps: smooth at any frame rate, for one step of delay. Positions in the world are
        // doubles; what lies between two of them is small, and float. A renderer would go on with vec3(position - eye).
        const talus::WorldTransform now = world.transform(ball);
        const talus::vec3 moved(now.position - previous.position);
        const talus::dvec3 position = talus::displaced(previous.position, clock.alpha() * moved);
        const talus::quat rotation = glm::slerp(previous.rotation, now.rotation, clock.alpha());
        if (frame % 12 == 0) std::printf("%.3f s: height %.3f m, w %.2f\n", time, position.y, rotation.w);
    }
    std::printf("%.2f s were dropped rather than caught up\n", clock.dropped_seconds());
}
