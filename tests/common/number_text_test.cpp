/// Numbers as text and back, by <charconv> where it knows floats, and by functions of C, which must agree with it.

#include "common/number_text.h"
#include "common/bit_cast.h"
#include "common/number_text_by_c.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace talus;
using detail::bit_cast;
using test::Random;

namespace {

template <class Number>
std::vector<Number> numbers() {
    using Limits = std::numeric_limits<Number>;
    std::vector<Number> list{0,
                             Number(-0.0),
                             Limits::min(),
                             Limits::max(),
                             Limits::lowest(),
                             Limits::denorm_min(),
                             Limits::epsilon(),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Number(0.1),
                             Number(1) / 3};
    for (int exponent = -45; exponent <= 38; ++exponent) {  // near each change from digits to an exponent
        for (const double digits : {1.0, 1.2, 1.23, 1.234567, 9.99}) {
            list.push_back(Number(digits * std::pow(10.0, exponent)));
            list.push_back(-list.back());
        }
    }
    for (int i = 0; i < 40; ++i) list.push_back(Number(1 << i % 30) + Number(i));
    return list;
}

bool have_equal_bits(double a, double b) { return bit_cast<std::uint64_t>(a) == bit_cast<std::uint64_t>(b); }

}  // namespace

TEST_CASE("a number's text is the shortest that names it") {
    CHECK(detail::text(0.1) == "0.1");
    CHECK(detail::text(0.1f) == "0.1");
    CHECK(detail::text(-0.0) == "-0");
    CHECK(detail::text(1e-7) == "1e-07");
    CHECK(detail::text(1000001.0f) == "1000001");
    CHECK(detail::text(1000000.0) == "1e+06");
    CHECK(detail::text(120000.0) == "120000");
    CHECK(detail::text(0.00012) == "0.00012");
    CHECK(detail::text(0.0001) == "1e-04");
    CHECK(detail::text(3.4028235e38f) == "3.4028235e+38");
    CHECK(detail::text(std::numeric_limits<double>::denorm_min()) == "5e-324");
    CHECK(detail::text(-std::numeric_limits<float>::quiet_NaN()) == "nan");
    CHECK(detail::text(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("numbers have the text that <charconv> gives them") {
    for (const float x : numbers<float>()) CHECK(detail::by_c::shortest(x) == detail::text(x));
    for (const double x : numbers<double>()) CHECK(detail::by_c::shortest(x) == detail::text(x));
    Random random(5);
    int longer = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t word = random.bits();
        const auto x = bit_cast<double>(word);
        const auto y = bit_cast<float>(static_cast<std::uint32_t>(word));
        if (!std::isnan(x)) REQUIRE(detail::by_c::shortest(x) == detail::text(x));
        if (!std::isnan(y)) REQUIRE(detail::by_c::shortest(y) == detail::text(y));
        const double power = std::ldexp(1.0, random.below(2000) - 1000);
        longer += detail::by_c::shortest(power).size() > detail::text(power).size() ? 1 : 0;
    }
    CHECK(longer < 500);  // the powers of two that by_c::shortest() tells of
}

TEST_CASE("a text is read as the number that it names") {
    for (const double x : numbers<double>()) {
        double back = 1.0, back_by_c = 1.0;
        const std::string text = detail::text(x);
        CAPTURE(text);
        REQUIRE(detail::parse_number(text, back));
        REQUIRE(detail::by_c::parse_number(text, back_by_c));
        CHECK(have_equal_bits(back, x));
        CHECK(have_equal_bits(back_by_c, x));
    }
    for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1e", "1,5", "1e999", "one", "--1", "1.5.2", "-"}) {
        CAPTURE(text);
        double x = 7.0;
        float y = 7.0f;
        CHECK(!detail::parse_number(text, x));
        CHECK(!detail::by_c::parse_number(text, x));
        CHECK(!detail::by_c::parse_number(text, y));
        CHECK(y == 7.0f);
    }
    float third = 0.0f;
    CHECK(detail::by_c::parse_number("0.33333334", third));
    CHECK(third == 1.0f / 3.0f);
    int number = 0;
    CHECK(detail::parse_number("-12", number));
    CHECK(number == -12);
    CHECK(!detail::parse_number("12x", number));
}

TEST_CASE("numbers with a given number of digits have the text that printf gives them") {
    Random random(6);
    for (int i = 0; i < 2000; ++i) {
        const double mantissa = random.between(-1.0, 1.0);
        const double x = std::ldexp(mantissa, random.below(80) - 40);
        std::string general, fixed;
        detail::append_general(general, x, 9);
        detail::append_fixed(fixed, x, 2);
        REQUIRE(general == detail::by_c::printed("%.*g", 9, x));
        REQUIRE(fixed == detail::by_c::printed("%.*f", 2, x));
    }
}
