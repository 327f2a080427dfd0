#pragma once
/// Internal: fills a manifold up with further points.

#include <talus/narrowphase/manifold.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace talus::detail {

/// Adds the deepest of these points to the manifold, as many as it has room for. Reorders the points.
inline void add_deepest(std::span<ManifoldPoint> points, Manifold& manifold) {
    const std::size_t room = std::min(static_cast<std::size_t>(max_manifold_points - manifold.count), points.size());
    std::partial_sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(room), points.end(),
                      [](const ManifoldPoint& x, const ManifoldPoint& y) {
                          return x.separation != y.separation ? x.separation < y.separation : x.id < y.id;
                      });
    std::copy_n(points.begin(), room, manifold.points + manifold.count);
    manifold.count += static_cast<int>(room);
}

}  // namespace talus::detail
