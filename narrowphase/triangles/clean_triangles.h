#pragma once
/// Internal: from the triangles that a user gives to those that a mesh can use.

#include <talus/math.h>
#include <talus/result.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace talus::detail {

using Corners = std::array<std::uint32_t, 3>;

/// No triangle, no vertex.
inline constexpr std::uint32_t nobody = 0xffffffffu;

/// The triangles that can be used, with their corners welded.
struct CleanTriangles {
    std::vector<vec3> vertices;
    std::vector<Corners> corners;
    std::vector<std::uint32_t> sources;  ///< number of each triangle among those that were given
};

/// Refuses bad numbers, welds vertices, and leaves out triangles without area and those that are there twice; with
/// `drop_thin` also triangles that are thinner than `check` allows.
Error clean_triangles(std::span<const vec3> vertices, std::span<const std::uint32_t> indices, bool drop_thin,
                      CleanTriangles& out);

/// The error of a mesh that is refused.
Error mesh_refused(ErrorCode code, std::string message);

}  // namespace talus::detail
