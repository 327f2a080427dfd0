#include "samples/runner/outputs/progress.h"

#include <doctest/doctest.h>

using namespace talus::samples;

TEST_CASE("a line of progress says how much is done, how fast and how long it takes") {
    CHECK(progress_line("hullpile", {240, 500, 1043.4}, 80, false) ==
          "hullpile  [###########............]  48%  240/500 steps  1043 steps/s  0:00 left");
    CHECK(progress_line("drum", {10, 100, 2.0}, 100, false) ==
          "drum  [###...........................]  10%  10/100 steps  2.0 steps/s  0:45 left");
    CHECK(progress_line("x", {0, 36000, 5.0}, 60, false).ends_with("2:00:00 left"));
    CHECK(progress_line("x", {500, 500, 100.0}, 60, false).find("100%") != std::string::npos);
}

TEST_CASE("before the pace is known a line of progress does not guess it") {
    const std::string line = progress_line("drum", {0, 100, 0.0}, 60, false);
    CHECK(line.find("left") == std::string::npos);
    CHECK(line.find("0/100 steps") != std::string::npos);
}

TEST_CASE("a line of progress fits its terminal") {
    for (int columns = 0; columns < 120; ++columns) {
        const std::string line = progress_line("pyramid100 (13/42)", {4321, 10000, 12.3}, columns, false);
        CHECK(static_cast<int>(line.size()) <= columns);
        if (columns >= 70) CHECK(line.ends_with("7:42 left"));
    }
    CHECK(progress_line("x", {0, 0, 0.0}, 80, false).find("0%") != std::string::npos);
}
