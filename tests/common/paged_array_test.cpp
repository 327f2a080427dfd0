#include "common/paged_array.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace talus;

TEST_CASE("elements of a paged array never move, and new ones are empty") {
    PagedArray<int> array;
    std::vector<int> plain;
    std::vector<const int*> places;
    for (int i = 0; i < 5000; ++i) {
        CHECK(array.emplace_back() == 0);
        array[static_cast<std::size_t>(i)] = 3 * i;
        plain.push_back(3 * i);
        places.push_back(&array[static_cast<std::size_t>(i)]);
    }
    REQUIRE(array.size() == plain.size());
    CHECK(array.size() > 4 * PagedArray<int>::page_size);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        REQUIRE(array[i] == plain[i]);
        REQUIRE(&array[i] == places[i]);
        REQUIRE(&PagedArray<int>::element(array.starts(), i) == places[i]);
    }
    PagedArray<int> copy(array);
    copy[7] = -1;
    CHECK(array[7] == 21);
    array = copy;
    CHECK(array[7] == -1);
    CHECK(array[4999] == 3 * 4999);
    array.resize(10);
    array.resize(300);
    CHECK(array[7] == -1);
    CHECK(array[10] == 0);
    CHECK(array[299] == 0);
    copy = PagedArray<int>();
    CHECK(copy.size() == 0);
}
