#pragma once
/// One job: which samples does a triangle cover, and where in the triangle are they.

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::samples {

struct ScreenPoint {
    double x = 0, y = 0;  ///< samples, y downwards; sample (i, j) stands at (i + 0.5, j + 0.5)
};

/// Twice the signed area; positive when a, b, c turn clockwise on the screen (y points down).
inline double doubled_area(const ScreenPoint& a, const ScreenPoint& b, const ScreenPoint& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Calls pixel(x, y, w) for each sample inside the triangle, with barycentric weights w[3]. Two triangles that share a
/// side and wind alike share no sample. Degenerate triangles and non-finite corners cover nothing.
template <class Pixel>
void fill_triangle(const ScreenPoint (&p)[3], int width, int height, Pixel&& pixel) {
    const double area = doubled_area(p[0], p[1], p[2]);
    if (!(std::abs(area) > 1e-12) || !std::isfinite(area)) return;
    const double left = std::min({p[0].x, p[1].x, p[2].x}), right = std::max({p[0].x, p[1].x, p[2].x});
    const double top = std::min({p[0].y, p[1].y, p[2].y}), bottom = std::max({p[0].y, p[1].y, p[2].y});
    if (!(right >= 0 && left <= width && bottom >= 0 && top <= height)) return;
    const int x0 = static_cast<int>(std::max(0.0, std::floor(left)));
    const int y0 = static_cast<int>(std::max(0.0, std::floor(top)));
    const int x1 = static_cast<int>(std::min<double>(width, std::ceil(right)));
    const int y1 = static_cast<int>(std::min<double>(height, std::ceil(bottom)));

    // Side i is the line through the other two corners, taken in an order of its own: two triangles that share it
    // compute the same bits for it, with opposite signs, and so agree on each sample.
    struct Side {
        double x, y, dx, dy;  // value at (px, py): (px - x) * dx + (py - y) * dy, 1 at corner i
        bool owns;            // the inside is where it is positive, and samples exactly on the line belong to it
    } sides[3];
    for (int i = 0; i < 3; ++i) {
        ScreenPoint j = p[(i + 1) % 3], k = p[(i + 2) % 3];
        const bool turned = j.x > k.x || (j.x == k.x && j.y > k.y);
        if (turned) std::swap(j, k);
        sides[i] = {j.x, j.y, j.y - k.y, k.x - j.x, turned == (area < 0)};
    }
    for (int y = y0; y < y1; ++y) {
        const double py = y + 0.5;
        double row[3];
        for (int i = 0; i < 3; ++i) row[i] = (py - sides[i].y) * sides[i].dy;
        for (int x = x0; x < x1; ++x) {
            const double px = x + 0.5;
            double w[3];
            bool inside = true;
            for (int i = 0; i < 3; ++i) {
                const double value = (px - sides[i].x) * sides[i].dx + row[i];
                inside = inside && (sides[i].owns ? value >= 0 : value < 0);
                w[i] = std::abs(value) / std::abs(area);
            }
            if (inside) pixel(x, y, w);
        }
    }
}

}  // namespace talus::samples
