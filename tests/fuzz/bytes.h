#pragma once
/// Turns a fuzzer's bytes into numbers, shapes and poses. Any bytes mean something, all that is made is within the
/// documented limits, and the numbers that break geometry code (equal, zero, halves, a rounding apart, tiny beside
/// huge) are a byte away, not a lucky draw of 32 bits.

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/shape.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::fuzz {

/// Reads on past the end as zeros, so that every prefix of an input is an input.
class Bytes {
public:
    explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}

    bool empty() const { return at_ >= data_.size(); }
    std::uint8_t byte() { return empty() ? std::uint8_t{0} : data_[at_++]; }
    std::uint32_t bits(int bytes) {
        std::uint32_t value = 0;
        for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
        return value;
    }
    int below(int count) { return byte() % count; }
    double unit() { return bits(2) / 65535.0; }  ///< [0, 1]

    float size();                   ///< a length within size_limits.h, m
    float coordinate(float scale);  ///< any sign, mostly within a few times `scale`, at most 1e6
    vec3 point(float scale);
    glm::dvec3 cube();  ///< each coordinate in [-1, 1]
    quat rotation();    ///< unit to rounding; exact quarter turns and tiny angles among them
    Transform pose(float scale);

private:
    std::span<const std::uint8_t> data_;
    std::size_t at_ = 0;
};

/// A shape that passes check(); hulls have 4 to 16 vertices, or come from a small pool of large ones.
Shape read_shape(Bytes& bytes);

/// A cloud for make_hull: grids, planes, lines, duplicates, spheres, wild floats (which may be refused).
std::vector<vec3> read_cloud(Bytes& bytes, int most);

}  // namespace talus::fuzz
