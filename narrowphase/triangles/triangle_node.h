#pragma once
/// Internal: a node of a TriangleTree: the boxes of up to four children, in one cache line.
///
/// The boxes are rounded to a grid of 255 cells per axis that spans the node's own box. The width of a cell is a power
/// of two, so that its inverse costs nothing. The box of a query is rounded to the same grid by the same function. That
/// function never decreases, so no overlap is lost, and the children that overlap are found by comparing bytes.

#include <talus/aabb.h>
#include "common/lanes/float4.h"
#include "narrowphase/triangles/box_way.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace talus::detail {

struct alignas(64) TriangleNode {
    static constexpr std::uint32_t no_child = 0xffffffffu;

    float origin[3] = {};  ///< lower corner of the grid, m
    float cells[3] = {};   ///< per metre, a power of two
    // By axis, then child: the cells at which the children's boxes begin, and those before which they end. A child that
    // is not there ends before it begins. Few queries touch it, but some do.
    std::uint8_t lower[12] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, upper[12] = {};
    std::uint32_t children[4] = {no_child, no_child, no_child, no_child};

    void place_grid(const Aabb& box);
    void set(std::uint32_t child, const Aabb& box, std::uint32_t code);

    /// Returns a byte per child, whose lowest bit is set if its box may overlap the box with the corners x, y, z, 0.
    std::uint32_t touched(Float4 box_lower, Float4 box_upper) const {
        const auto in_each_byte = [](Int4 v) {
            v |= v << 8;
            return v | v << 16;
        };
        const auto [low, high] = boxes();
        const auto most = reinterpret_cast<Bytes16>(in_each_byte(cells_of(box_upper)));
        const auto least = reinterpret_cast<Bytes16>(in_each_byte(cells_of(box_lower)));
        const auto both = reinterpret_cast<Int4>((low <= most) & (high > least));
        return static_cast<std::uint32_t>(both[0] & both[1] & both[2]);
    }

    /// Returns a bit per child that the moving box may touch up to the fraction `most`, and at which one.
    unsigned touched(const BoxWay& way, Float4 most, Float4& enter) const {
        // The planes of the grid are touched at multiples of `step` after `at`, those from planes() at multiples of it
        // after `zero`.
        const Float4 width = cell_width(), step = width * way.inverse;
        const Float4 at = (load_lanes(origin) - way.origin) * way.inverse;
        const Float4 slack = BoxWay::rounding * magnitude(at) + width * way.cell_slack + way.reach;
        const auto [low, high] = boxes();
        const Bytes16 swapped = (low ^ high) & way.backward;
        const Planes near = planes(low ^ swapped), far = planes(high ^ swapped);
        const Float4 zero = at - first_plane * step, in = zero - slack, out = zero + slack;
        const auto x = in_all<0>(step), y = in_all<1>(step), z = in_all<2>(step);
        enter = max_lanes(max_lanes(near.x * x + in_all<0>(in), near.y * y + in_all<1>(in)),
                          max_lanes(near.z * z + in_all<2>(in), Float4{}));
        const Float4 leave = min_lanes(min_lanes(far.x * x + in_all<0>(out), far.y * y + in_all<1>(out)),
                                       min_lanes(far.z * z + in_all<2>(out), most));
        return lane_bits(enter <= leave);
    }

    /// Returns a bit per child whose box may be within a distance of the point x, y, z, 0, and the squares of their own
    /// distances, or a little less. `most2` is the square of that distance.
    unsigned near(Float4 point, Float4 most2, Float4& distance2) const {
        const Float4 width = cell_width(), at = load_lanes(origin) - point;
        const Float4 slack = BoxWay::rounding * magnitude(at) + BoxWay::cell_rounding * width;
        const auto [low, high] = boxes();
        const Planes begin = planes(low), end = planes(high);
        const Float4 zero = at - first_plane * width, above = zero - slack, below = -zero - slack;
        const auto outside = [](Float4 from, Float4 to, Float4 cell, Float4 a, Float4 b) {
            const Float4 gap = max_lanes(max_lanes(from * cell + a, b - to * cell), Float4{});
            return gap * gap;
        };
        distance2 = outside(begin.x, end.x, in_all<0>(width), in_all<0>(above), in_all<0>(below)) +
                    outside(begin.y, end.y, in_all<1>(width), in_all<1>(above), in_all<1>(below)) +
                    outside(begin.z, end.z, in_all<2>(width), in_all<2>(above), in_all<2>(below));
        return lane_bits(distance2 <= most2);
    }

private:
    struct Boxes {
        Bytes16 low, high;
    };
    struct Planes {
        Float4 x, y, z;  ///< a lane per child
    };

    /// The bytes of the corners. Both loads go on beyond the twelve bytes, over bytes that must not count.
    Boxes boxes() const {
        static_assert(offsetof(TriangleNode, lower) + 12 == offsetof(TriangleNode, upper));
        static_assert(offsetof(TriangleNode, upper) + 12 == offsetof(TriangleNode, children));
        Boxes b;
        std::memcpy(&b.low, lower, sizeof b.low);
        std::memcpy(&b.high, upper, sizeof b.high);
        return b;
    }
    static constexpr float first_plane = 32768.0f;
    /// Twelve bytes as floats, each first_plane more than the byte, which is in the middle of the mantissa. So nothing
    /// is converted. Floats of that size are 1/256 apart: three roundings are less than BoxWay::cell_rounding.
    static Planes planes(Bytes16 v) {
        using Shorts8 = std::uint16_t __attribute__((vector_size(16)));
        constexpr Bytes16 zero{};
        const auto xy = reinterpret_cast<Shorts8>(
            __builtin_shufflevector(zero, v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
        const auto zw = reinterpret_cast<Shorts8>(
            __builtin_shufflevector(zero, v, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
        constexpr Shorts8 e{0x4700, 0x4700, 0x4700, 0x4700, 0x4700, 0x4700, 0x4700, 0x4700};
        return {reinterpret_cast<Float4>(__builtin_shufflevector(xy, e, 0, 8, 1, 9, 2, 10, 3, 11)),
                reinterpret_cast<Float4>(__builtin_shufflevector(xy, e, 4, 12, 5, 13, 6, 14, 7, 15)),
                reinterpret_cast<Float4>(__builtin_shufflevector(zw, e, 0, 8, 1, 9, 2, 10, 3, 11))};
    }
    /// One lane in all lanes.
    template <int k>
    static Float4 in_all(Float4 v) {
        return __builtin_shufflevector(v, v, k, k, k, k);
    }
    /// Three floats and 0, if a fourth can be read.
    static Float4 three(const float* p) {
        return reinterpret_cast<Float4>(reinterpret_cast<Int4>(load_lanes(p)) & Int4{-1, -1, -1, 0});
    }
    /// The inverse of powers of two, by their exponents.
    Float4 cell_width() const { return reinterpret_cast<Float4>(0x7f000000 - reinterpret_cast<Int4>(three(cells))); }
    /// Returns the cells of a point that is x, y, z, 0.
    Int4 cells_of(Float4 point) const {
        const Float4 cell = (point - three(origin)) * three(cells);
        const Float4 at = max_lanes(min_lanes(cell, splat<Float4>(254.0f)), Float4{});
        return __builtin_convertvector(at, Int4);
    }
};
static_assert(sizeof(TriangleNode) == 64);

}  // namespace talus::detail
