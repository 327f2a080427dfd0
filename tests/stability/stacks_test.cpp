// Stacks that have to stand by themselves: sleeping off, each box put up to 1 cm off its place, default settings unless
// the scene says otherwise. What is measured counts from where the boxes were put, so that sagging and settling are in
// it.

#include "tests/stability/run.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("a jittered tower of 30 stands for a minute with its top within 5 cm") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run tower = run("tower30", seed);
        MESSAGE(tower.text);
        CHECK(tower["the top's displacement"] < 0.05);
        CHECK(tower["the largest displacement"] < 0.05);
    }
}

TEST_CASE("a jittered tower of 50 stands for a minute with its top within 5 cm") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Run tower = run("tower50", seed);
        MESSAGE(tower.text);
        CHECK(tower["the top's displacement"] < 0.05);
        CHECK(tower["the largest displacement"] < 0.05);
    }
}

// Without settings::tilt_stiffening it leans out of its plane further and further, as a thin wall of springs does that
// is too tall for their stiffness (Greenhill, columns.h), and falls after some 700 steps at four sub-steps, later at
// more.
TEST_CASE("a jittered pyramid with a base of 100 stands for 1000 steps") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Run pyramid = run("pyramid100", seed);
        MESSAGE(pyramid.text);
        // It sags by 1% of its height at most: what falls over or slides out moves by metres.
        CHECK(pyramid["the largest displacement"] < 1.0);
    }
}

TEST_CASE("1000 kg on 1 kg sink by less than a centimetre in a minute") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run boxes = run("heavy_light", seed);
        MESSAGE(boxes.text);
        CHECK(boxes["the denser box sank by"] < 0.01);
        CHECK(boxes["the larger box sank by"] < 0.01);
    }
}

TEST_CASE("an arch of wedges stands for 1200 steps with no part more than 5 cm from its place") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run arch = run("arch", seed);
        MESSAGE(arch.text);
        CHECK(arch["the largest displacement"] < 0.05);
    }
}

// Not met by three seeds of eight: the pair on top, which carries nothing, creeps along its tips and falls after 600 to
// 1,150 steps.
TEST_CASE("a house of cards stands for 1200 steps with no part more than 5 cm from its place" * doctest::may_fail()) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Run house = run("card_house", seed);
        MESSAGE(house.text);
        CHECK(house["the largest displacement"] < 0.05);
    }
}
