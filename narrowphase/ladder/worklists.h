#pragma once
/// Internal: the pairs of one call of collide that wait for a test, one list per test.

#include <talus/narrowphase/collide.h>

#include <cstdint>
#include <vector>

namespace talus::detail {

/// A pair to be tested, and where its shapes are now.
struct PairTest {
    PairRecord* record;
    PairCache* cache;
    std::uint32_t pair;      ///< their index
    Transform pose;          ///< of b in a
    MatrixTransform b_in_a;  ///< the same with its rotation as a matrix
};

/// In the order in which collide works through them. A test may queue its pair on a later list.
struct Worklists {
    std::vector<PairTest> closed_form, warm_epa, axis, warm_gjk, cold_gjk, epa;

    void clear() {
        for (std::vector<PairTest>* list : {&closed_form, &warm_epa, &axis, &warm_gjk, &cold_gjk, &epa}) list->clear();
    }
    std::size_t capacity() const {
        return closed_form.capacity() + warm_epa.capacity() + axis.capacity() + warm_gjk.capacity() +
               cold_gjk.capacity() + epa.capacity();
    }
};

}  // namespace talus::detail
