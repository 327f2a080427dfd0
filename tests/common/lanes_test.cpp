/// Vectors of lanes give the bits of scalar code, whichever instructions they are made of.

#include <talus/math.h>
#include "common/bit_cast.h"
#include "common/lanes/double2.h"
#include "common/lanes/float4.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace talus;
using namespace talus::detail;
using test::Random;

namespace {

std::uint32_t bits_of(float x) { return bit_cast<std::uint32_t>(x); }

/// Numbers of all magnitudes, zeros of both signs, infinities, and NaN if wanted.
std::vector<float> numbers(bool with_nan) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    std::vector<float> list{0.0f, -0.0f, 1.0f, -1.0f, 2.5f, infinite, -infinite, 1e-44f, -1e-44f, 3e38f, -3e38f};
    if (with_nan) list.push_back(std::numeric_limits<float>::quiet_NaN());
    Random random(3);
    for (int i = 0; i < 12; ++i) list.push_back(random.real(-4.0f, 4.0f));
    return list;
}

}  // namespace

TEST_CASE("the least, the largest and the limited lane are those of scalar code, also of zeros and NaN") {
    const std::vector<float> all = numbers(true);
    for (const float a : all) {
        for (const float b : all) {
            CAPTURE(a);
            CAPTURE(b);
            const Float4 x{a, b, a, 1.0f}, y{b, a, a, b};
            const Float4 least = min_lanes(x, y), most = max_lanes(x, y), less = min(x, y), more = max(x, y);
            for (int i = 0; i < 4; ++i) {
                REQUIRE(bits_of(least[i]) == bits_of(x[i] < y[i] ? x[i] : y[i]));
                REQUIRE(bits_of(most[i]) == bits_of(x[i] > y[i] ? x[i] : y[i]));
                REQUIRE(bits_of(less[i]) == bits_of(least[i]));
                REQUIRE(bits_of(more[i]) == bits_of(most[i]));
            }
            if (!(b > 0.0f)) continue;
            const Float4 limited = within(x, b);
            for (int i = 0; i < 4; ++i) {
                const float below = x[i] < b ? x[i] : b;
                REQUIRE(bits_of(limited[i]) == bits_of(below > -b ? below : -b));
            }
        }
    }
}

TEST_CASE("square roots of lanes are those of scalar code") {
    for (const float a : numbers(false)) {
        const Float4 roots = sqrt_lanes(Float4{std::abs(a), 2.0f, 0.0f, -0.0f});
        CHECK(bits_of(roots[0]) == bits_of(std::sqrt(std::abs(a))));
        CHECK(bits_of(roots[1]) == bits_of(std::sqrt(2.0f)));
        CHECK(bits_of(roots[2]) == 0);
        CHECK(bits_of(roots[3]) == 0x80000000u);
    }
}

TEST_CASE("a mask's bits are the signs of its lanes") {
    for (unsigned wanted = 0; wanted < 16; ++wanted) {
        Float4 x{};
        for (int i = 0; i < 4; ++i) x[i] = (wanted >> i & 1u) != 0 ? -1.0f : 1.0f;
        CHECK(lane_bits(x < Float4{}) == wanted);
        const Double2 y{double(x[0]), double(x[1])};
        CHECK(lane_bits(y < Double2{}) == (wanted & 3u));
        CHECK(lane_bits(at_most(y, Double2{})) == (wanted & 3u));
    }
}

TEST_CASE("lanes are rounded to float and widened to double as scalars are") {
    for (const float a : numbers(false)) {
        const double x = double(a) * (1.0 + 1e-9), y = -x;
        const Float4 rounded = to_float(Double2{x, 1.0 / 3.0}, Double2{y, 1e-60});
        CHECK(bits_of(rounded[0]) == bits_of(float(x)));
        CHECK(bits_of(rounded[1]) == bits_of(float(1.0 / 3.0)));
        CHECK(bits_of(rounded[2]) == bits_of(float(y)));
        CHECK(bits_of(rounded[3]) == 0);
        const Float4 wide{a, 1.5f, -a, 0.0f};
        CHECK(low_double(wide)[0] == double(a));
        CHECK(low_double(wide)[1] == 1.5);
        CHECK(high_double(wide)[0] == double(-a));
        CHECK(high_double(wide)[1] == 0.0);
    }
}

// common/lanes/load_splat.h describes the compiler's error. It concerns numbers in memory, so nothing is inlined here.

namespace {

[[gnu::noinline]] Float4 taken(float& from) {
    const float x = from;
    from = 0.0f;
    return splat<Float4>(x);
}

struct Damped {
    dvec3 v;
    glm::dmat3 m;
};
[[gnu::noinline]] void damp(Damped& d) { d.v = d.m * in_registers(d.v); }

}  // namespace

TEST_CASE("copies of a number are of the one that was read, not of one that has overwritten it") {
    float from = 5.0f;
    const Float4 copies = taken(from);
    for (int i = 0; i < 4; ++i) CHECK(copies[i] == 5.0f);
    CHECK(from == 0.0f);
}

TEST_CASE("the product of a matrix and a vector may replace the vector") {
    Damped d{{1.0, 10.0, 100.0}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0}};
    damp(d);
    CHECK(d.v.x == 741.0);
    CHECK(d.v.y == 852.0);
    CHECK(d.v.z == 1063.0);
}
