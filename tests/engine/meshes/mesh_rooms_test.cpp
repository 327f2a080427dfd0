/// No body leaves a closed room of triangles. tests/stability has the long soak.

#include "tests/engine/limits.h"

#include "tests/engine/meshes/mesh_rooms.h"

using namespace talus;
using namespace talus::test;

// Two faults: a body that two others hit in one step got a motion that no sweep had checked; and a body that had used
// up its impacts was carried through the wall by the last body that had hit it.
TEST_CASE("nothing thrown about in a closed room of triangles gets out at 15 Hz" * doctest::test_suite("slow")) {
    const Escapes found = escapes(1, 30, 60, 1.0f / 15.0f);
    INFO(found.count, " of ", found.body_steps, " body steps: ", found.text);
    hold("escapes from rooms of triangles, 15 Hz", static_cast<double>(found.count));
}

TEST_CASE("nothing thrown about in a closed room of triangles gets out at 60 Hz" * doctest::test_suite("slow")) {
    const Escapes found = escapes(101, 20, 150, frame);
    INFO(found.count, " of ", found.body_steps, " body steps: ", found.text);
    hold("escapes from rooms of triangles, 60 Hz", static_cast<double>(found.count));
}

// A thin stick that a heavy body had pressed in by more than half slid on to a triangle that it had not touched before.
// That triangle treated it as coming from behind: a one-sided one let it pass, a two-sided one pushed it out. In 4042 a
// stick that had lost the rest of its step was hit where it would have been without that, behind the wall.
TEST_CASE("thin sticks that heavy bodies press into a wall of triangles come back out of it" *
          doctest::test_suite("slow")) {
    for (const std::uint64_t seed : {4042, 4047, 4066, 4067, 4077, 4094, 4098, 3002, 3012}) {
        const Escapes found = escapes(seed, 1, 200, 1.0f / 15.0f);
        INFO(found.count, " of ", found.body_steps, " body steps: ", found.text);
        CHECK(found.count == 0);
    }
}
