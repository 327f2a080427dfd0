#pragma once
/// A built hull for tests that want just one.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <doctest/doctest.h>

namespace talus::test {

/// Returns the hull of a random cloud of about the given radius (random_pairs.h).
inline std::shared_ptr<const Hull> some_hull(Random& random, double size) {
    auto made = make_hull(hull_points(random, size));
    REQUIRE(made);
    return *made;
}

}  // namespace talus::test
