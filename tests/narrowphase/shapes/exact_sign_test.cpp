#include "narrowphase/shapes/exact_sign.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace {

using talus::detail::sign_of_dot;

TEST_CASE("sign of a sum of products is exact where doubles and 64 bits are not") {
    constexpr std::int64_t n = std::int64_t{1} << 61, d = std::int64_t{1} << 30;
    const auto sign = [](std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t dx, std::int64_t dy,
                         std::int64_t dz) {
        const std::int64_t a[] = {nx, ny, nz}, b[] = {dx, dy, dz};
        return sign_of_dot(a, b);
    };
    CHECK(sign(n, n, n, d, d, d) == 1);
    CHECK(sign(n, n, n, -d, -d, -d) == -1);
    CHECK(sign(-n, -n, -n, -d, -d, -d) == 1);
    CHECK(sign(n, -n, 0, d, d, 0) == 0);
    CHECK(sign(n, -n, 1, d, d, 1) == 1);
    CHECK(sign(n, -n, 1, d, d, -1) == -1);
    CHECK(sign(n - 1, -n, 0, d, d, 0) == -1);
    CHECK(sign(0, 0, 0, d, d, d) == 0);
}

TEST_CASE("sign of a sum of products is that of the sum in parts of 32 bits") {
    std::mt19937_64 random(7);
    int zeros = 0;
    for (int i = 0; i < 200000; ++i) {
        std::int64_t n[3], d[3];
        for (int k = 0; k < 3; ++k) {
            n[k] = static_cast<std::int64_t>(random()) >> (2 + random() % 62);  // of all sizes
            d[k] = static_cast<std::int64_t>(random()) >> (33 + random() % 31);
        }
        if (i % 4 == 0) n[1] = n[0], d[1] = -d[0], n[2] = static_cast<std::int64_t>(random() % 3) - 1;
        // Columns of 16 bits, the top one signed, added up with carries.
        std::int64_t columns[6] = {};
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 4; ++j) {
                const std::int64_t part = j < 3 ? n[k] >> (16 * j) & 0xffff : n[k] >> 48;
                const std::int64_t product = part * d[k];
                columns[j] += product & 0xffff;
                columns[j + 1] += product >> 16;
            }
        }
        std::int64_t rest = 0;
        for (int j = 0; j < 5; ++j) {
            columns[j + 1] += columns[j] >> 16;
            rest |= columns[j] & 0xffff;
        }
        const int expected = columns[5] < 0 ? -1 : columns[5] > 0 || rest != 0 ? 1 : 0;
        zeros += expected == 0;
        REQUIRE(sign_of_dot(n, d) == expected);
    }
    CHECK(zeros > 10000);
}

}  // namespace
