#pragma once
/// Internal: a ray against triangles, and the first triangle that it hits.
///
/// Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection", in double: the ray is sheared so that it goes
/// along +z. All triangles are sheared in the same way, so that the edges and corners that two of them share have the
/// same bits.

#include <talus/narrowphase/triangles/queries.h>
#include "common/bit_cast.h"
#include "common/lanes/double2.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace talus::detail {

class ShearedRay {
public:
    ShearedRay(const vec3& origin, const vec3& translation) {
        const double d[] = {double{translation.x}, double{translation.y}, double{translation.z}};
        const double size[] = {std::abs(d[0]), std::abs(d[1]), std::abs(d[2])};
        // The longest axis becomes z. Without branches: nobody can foresee the directions of rays.
        const unsigned not_first = static_cast<unsigned>(!(size[0] >= size[1])) | !(size[0] >= size[2]);
        static constexpr std::uint8_t next[] = {1, 2, 0};
        z_ = not_first << static_cast<unsigned>(!(size[1] >= size[2]));
        x_ = next[z_];
        y_ = next[x_];
        const float* const o = &origin.x;
        origin_x_ = to_double(o[x_], o[x_]);
        origin_y_ = to_double(o[y_], o[y_]);
        origin_z_ = to_double(o[z_], o[z_]);
        const Double2 shear = Double2{d[x_], d[y_]} / d[z_];
        shear_x_ = Double2{} + shear[0];
        shear_y_ = Double2{} + shear[1];
        inverse_z_ = Double2{} + 1.0 / d[z_];
    }

    using Corners = std::array<const float*, 3>;  ///< of a triangle: x, y, z each

    /// Which of two triangles the ray's line hits, a bit each, and at which fractions. The fraction of one that it
    /// misses means nothing.
    struct Hits {
        unsigned lanes = 0;
        Double2 fractions{};
    };
    Hits meet(const Corners& p, const Corners& q) const {
        const Sheared a = sheared(p[0], q[0]), b = sheared(p[1], q[1]), c = sheared(p[2], q[2]);
        // Twice the areas between the line and the sides, as seen along it: none of them may have the other sign.
        const Double2 u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
        const Double2 least = min_lanes(min_lanes(u, v), w), most = max_lanes(max_lanes(u, v), w);
        const unsigned within = lane_bits(at_most(Double2{}, least) | at_most(most, Double2{}));
        if (within == 0) return {};
        const Double2 sum = u + v + w;  // 0 if seen edge on
        return {within & lane_bits(sum != 0.0),
                (u * (a.z * inverse_z_) + v * (b.z * inverse_z_) + w * (c.z * inverse_z_)) / sum};
    }

private:
    struct Sheared {
        Double2 x, y, z;
    };
    Sheared sheared(const float* p, const float* q) const {
        const Double2 z = to_double(p[z_], q[z_]) - origin_z_;
        return {(to_double(p[x_], q[x_]) - origin_x_) - shear_x_ * z,
                (to_double(p[y_], q[y_]) - origin_y_) - shear_y_ * z, z};
    }

    std::size_t x_, y_, z_;
    Double2 origin_x_, origin_y_, origin_z_, shear_x_, shear_y_, inverse_z_;  ///< twice the same number
};

/// The first hit of a ray. If several triangles are hit at the same fraction, it is the one with the lowest number.
class FirstHit {
public:
    FirstHit(const vec3& origin, const vec3& translation, bool two_sided)
        : ray(origin, translation), translation_(translation), two_sided_(two_sided) {}

    /// Tries a triangle that the ray hits at a fraction. normal() returns its normal. Returns up to which fraction
    /// others may be first: `most`, or a smaller one.
    template <class Normal>
    float offer(std::uint32_t triangle, double fraction, float most, const Normal& normal) {
        if (!(fraction >= 0.0) || fraction > 1.0 || fraction > least_ ||
            (fraction == least_ && triangle > hit.triangle))
            return most;
        const vec3 n = normal();
        const double along = glm::dot(glm::dvec3(n), translation_);
        if (!two_sided_ && along >= 0.0) return most;
        least_ = fraction;
        hit = {true, static_cast<float>(fraction), along > 0.0 ? -n : n, triangle};
        // The next float, so that equally near triangles are still compared.
        return bit_cast<float>(bit_cast<std::uint32_t>(hit.fraction + 0.0f) + 1);
    }

    const ShearedRay ray;
    TriangleRayHit hit;

private:
    glm::dvec3 translation_;
    double least_ = 2.0;
    bool two_sided_;
};

}  // namespace talus::detail
