// All kinds of things thrown about in closed rooms of triangles, for long.

#include "tests/engine/meshes/mesh_rooms.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("nothing gets out of a closed room of triangles in millions of body steps") {
    struct Soak {
        float rate;  // Hz
        int rooms, steps;
    };
    std::uint64_t seed = 1001;
    for (const Soak& soak : {Soak{60.0f, 60, 600}, Soak{30.0f, 30, 400}, Soak{15.0f, 60, 200}}) {
        const Escapes found = escapes(seed, soak.rooms, soak.steps, 1.0f / soak.rate);
        MESSAGE(soak.rate, " Hz: ", found.count, " of ", found.body_steps, " body steps");
        INFO(found.text);
        CHECK(found.count == 0);
        seed += 1000;
    }
}
