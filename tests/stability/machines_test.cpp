// Scenes of moving surfaces, water and bullets, by the figures that they measure on their bodies.

#include "tests/stability/run.h"

#include <cmath>

using namespace talus;
using namespace talus::test;

TEST_CASE("crates move as the belts under them do") {
    const Run conveyor = run("conveyor");
    MESSAGE(conveyor.text);
    CHECK(conveyor["off the belt's speed"] < 0.05);
}

TEST_CASE("flat things float with the draught of their density") {
    const Run water = run("buoyancy");
    MESSAGE(water.text);
    CHECK(std::abs(water["draught of 15% density, error"]) < 0.01);
    CHECK(std::abs(water["draught of 50% density, error"]) < 0.01);
    CHECK(std::abs(water["draught of 85% density, error"]) < 0.01);
}

TEST_CASE("no bullet and no spinning rod gets behind a wall of 1 cm") {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Run bullets = run("bullets", seed);
        MESSAGE(bullets.text);
        CHECK(bullets["through the wall"] == 0.0);
    }
}
