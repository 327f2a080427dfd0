/// Nothing leaves a closed room of triangles. tests/stability has the long soak.

#include "tests/engine/mesh_rooms.h"

using namespace talus;
using namespace talus::test;

// A body that two others hit in one step was put on a way that no sweep had looked at, and a body that had used up its
// impacts was carried through the wall by the one that it had met last.
//
// At 15 Hz thin sticks between heavy bodies and a wall still get out once in some 35,000 body steps.
TEST_CASE("nothing thrown about in a closed room of triangles gets out at 15 Hz" * doctest::may_fail()) {
    const Escapes found = escapes(1, 30, 60, 1.0f / 15.0f);
    INFO(found.count, " of ", found.body_steps, " body steps: ", found.text);
    CHECK(found.count == 0);
}

TEST_CASE("nothing thrown about in a closed room of triangles gets out at 60 Hz") {
    const Escapes found = escapes(101, 20, 150, frame);
    INFO(found.count, " of ", found.body_steps, " body steps: ", found.text);
    CHECK(found.count == 0);
}
