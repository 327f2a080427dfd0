#include <talus/talus.h>
#include <cstdio>

int main() {
    talus::World world;  // gravity (0, -9.81, 0) m/s^2
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({50, 1, 50}), .position = {0, -1, 0}});
    talus::BodyId crate = world.add_body({.shape = talus::box({0.5f, 0.5f, 0.5f}), .position = {0, 10, 0}});
    for (int i = 0; i < 240; ++i) {
        world.step(1.0f / 60.0f);
        std::printf("%.3f\n", world.position(crate).y);
    }
}
