#pragma once
/// What a solid would hold if it stood on a floor and water were poured into it: so that a program can tell which of
/// some meshes is a bowl, and which way up.
///
///     raster from above:  ground   the highest point of the surface over each cell, or the floor
///                         level    where water stands that can only flow off over the grounds around (a flood from
///                                  outside inwards, lowest cells first)
///
/// The floor closes holes in the bottom. Overhangs count as if they were solid down to the floor.

#include <talus/math.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::samples {

class Basin {
public:
    /// Of triangles that stand on a floor at the height of their lowest point, +y up. At least one triangle.
    Basin(std::span<const vec3> vertices, std::span<const std::uint32_t> triangles);

    float volume() const { return volume_; }  ///< of the water that stays in it, m^3
    float brim() const { return brim_; }      ///< the highest level of that water, m
    /// Returns the middle of the surface of the water, on the floor, and the radius of the circle around it with water
    /// everywhere, m.
    vec3 middle() const { return middle_; }
    float radius() const { return radius_; }
    /// Returns whether a point is above the ground of a cell that has water in it; in the frame of the vertices.
    bool holds(const vec3& point) const;

private:
    static constexpr int side = 96;  ///< of the raster, cells; those at its rim lie outside of the surface

    static std::size_t index(int column, int row) { return static_cast<std::size_t>(row * side + column); }
    bool has_water(std::size_t cell) const { return level_[cell] > ground_[cell]; }
    void add_triangle(const vec3& a, const vec3& b, const vec3& c);
    void flood();
    void measure();

    vec3 lowest_{0.0f};  ///< the corner of the raster, m
    float cell_ = 0.0f;  ///< edge of a cell, m
    std::vector<float> ground_, level_;
    float volume_ = 0.0f, brim_ = 0.0f, radius_ = 0.0f;
    vec3 middle_{0.0f};
};

}  // namespace talus::samples
