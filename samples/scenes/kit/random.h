#pragma once
/// Random numbers that are the same everywhere.
///
/// The standard library's distributions differ between implementations, and so would our scenes. PCG32 (O'Neill 2014)
/// gives the bits; they become floats by shifts and one multiplication; directions and rotations come from rejection
/// sampling, which needs a square root but no sine. Every value is the same with any compiler that keeps to IEEE
/// arithmetic.

#include <talus/math.h>

#include <cstdint>

namespace talus::samples {

class Random {
public:
    explicit Random(std::uint64_t seed) {
        bits();
        state_ += seed;
        bits();
    }

    std::uint32_t bits() {
        const std::uint64_t old = state_;
        state_ = old * 6364136223846793005ull + 1442695040888963407ull;
        const auto xorshifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
        const auto turn = static_cast<std::uint32_t>(old >> 59);
        return (xorshifted >> turn) | (xorshifted << ((32u - turn) & 31u));
    }

    /// Uniform in [0, 1), in steps of 2^-24.
    float unit() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

    float between(float low, float high) { return low + (high - low) * unit(); }

    /// Uniform in [0, count), count > 0 and small against 2^32.
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * count) >> 32);
    }

    vec3 in_box(const vec3& half_extents) {
        // One statement a coordinate: the order of a call's arguments is the compiler's choice.
        const float x = between(-half_extents.x, half_extents.x);
        const float y = between(-half_extents.y, half_extents.y);
        const float z = between(-half_extents.z, half_extents.z);
        return {x, y, z};
    }

    /// A unit vector, uniform on the sphere.
    vec3 direction() {
        for (;;) {
            const vec3 v = in_box(vec3(1.0f));
            const float d = glm::dot(v, v);
            if (d > 1e-4f && d <= 1.0f) return v * (1.0f / std::sqrt(d));
        }
    }

    /// Uniform over all rotations (a point in the unit 4-ball, pushed out to its surface: Marsaglia 1972).
    quat rotation() {
        for (;;) {
            const vec3 v = in_box(vec3(1.0f));
            const float w = between(-1.0f, 1.0f);
            const float d = w * w + glm::dot(v, v);
            if (d > 1e-4f && d <= 1.0f) return normalized(quat(w, v.x, v.y, v.z));
        }
    }

private:
    std::uint64_t state_ = 0;
};

}  // namespace talus::samples
