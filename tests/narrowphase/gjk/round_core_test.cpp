/// GJK's simplex moved onto cylinders and cones: the points that it then has are the nearest ones, as planes prove, and
/// GJK ends sooner with the same answer.

#include "narrowphase/gjk/round_core.h"
#include "narrowphase/gjk/find_closest.h"
#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/ladder/round_shapes.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace talus;
using namespace talus::detail;
using test::Random;
using test::some_polytope;
using test::some_round;

TEST_CASE("a simplex moved onto a cylinder or cone has its point nearest to the corners, as a plane proves") {
    Random random(5);
    int moved = 0, exact = 0;
    for (int i = 0; i < 60000; ++i) {
        const bool a_is_round = random.chance(0.5);
        const Shape round = some_round(random), other = some_polytope(random);
        const double away = random.scale(0.1, 10.0);
        const MatrixTransform frame{vec3(away * random.direction()), test::mixed_turn(random)};
        const MinkowskiDifference difference(a_is_round ? round : other, a_is_round ? other : round, frame);
        REQUIRE(has_one_round_core(difference));
        Simplex simplex;  // of one to three corners of the polytope
        for (int k = 1 + random.below(3); k > 0; --k)
            simplex.vertex[simplex.count++] = difference.support(random.direction(), 0, 0);
        reduce(simplex, 0);
        if (simplex.contains) continue;
        const Simplex before = simplex;
        if (!move_onto_round_core(difference, simplex)) {
            CHECK(simplex.vv == before.vv);
            CHECK(simplex.count == before.count);
            continue;
        }
        ++moved;
        CAPTURE(i);
        CAPTURE(name_of(round.type));
        CAPTURE(name_of(other.type));
        CHECK(simplex.vv < before.vv);
        const double scale = difference.size + std::sqrt(simplex.vv) + glm::length(dvec3(frame.position));
        // It is in the difference: no direction takes it farther than the support point.
        for (int k = 0; k < 20; ++k) {
            const dvec3 d = random.direction();
            for (int v = 0; v < simplex.count; ++v)
                CHECK(glm::dot(d, simplex.vertex[v].w) <= glm::dot(d, difference.support(d, 0, 0).w) + 1e-7 * scale);
        }
        // And it is the nearest to the origin of all that the round core makes with these corners. `lowest` is where the
        // plane across y that touches these lies: the round core's extent along y, less the farthest corner's.
        const dvec3 y = simplex.closest();
        const SimplexVertex farthest = difference.support(-y, 0, 0);
        const dvec3 round_point = a_is_round ? farthest.a : farthest.a - farthest.w;
        double lowest = INFINITY;
        for (int v = 0; v < before.count; ++v) {
            const dvec3 corner = a_is_round ? before.vertex[v].a - before.vertex[v].w : before.vertex[v].a;
            lowest = std::min(lowest, glm::dot(y, a_is_round ? round_point - corner : corner - round_point));
        }
        exact += lowest >= (1.0 - 1e-5) * simplex.vv ? 1 : 0;
    }
    CHECK(moved > 20000);
    CHECK(exact > 0.99 * moved);  // not where a face is parallel to a cap or a side
    MESSAGE(moved << " moved, " << exact << " exact");
}

TEST_CASE("GJK ends sooner on cylinders and cones beside polytopes, with the same distance") {
    Random random(6);
    int steps_with = 0, steps_without = 0, pairs = 0;
    for (int i = 0; i < 40000; ++i) {
        const bool a_is_round = random.chance(0.5);
        const Shape round = some_round(random), other = some_polytope(random);
        const double away = random.between(0.5, 4.0);
        const MatrixTransform frame{vec3(away * random.direction()), test::mixed_turn(random)};
        MinkowskiDifference difference(a_is_round ? round : other, a_is_round ? other : round, frame);
        Simplex with, without;
        const Search moving = find_closest(difference, with, INFINITY);
        difference.moves_onto_round_core = 0;
        const Search plain = find_closest(difference, without, INFINITY);
        CAPTURE(i);
        CHECK((moving.outcome == Outcome::overlapping) == (plain.outcome == Outcome::overlapping));
        if (moving.outcome != Outcome::separated || plain.outcome != Outcome::separated) continue;
        CHECK(std::sqrt(with.vv) == doctest::Approx(std::sqrt(without.vv)).epsilon(2e-6));
        ++pairs;
        steps_with += moving.iterations;
        steps_without += plain.iterations;
    }
    CHECK(pairs > 20000);
    CHECK(steps_with < 0.5 * steps_without);
    MESSAGE(pairs << " pairs, " << steps_with << " steps, " << steps_without << " without moves");
}
