#pragma once
/// One job: which samples does a triangle cover, and where in the triangle are they.

#include <algorithm>
#include <cmath>

namespace talus::samples {

struct ScreenPoint {
    double x = 0, y = 0;  ///< samples, y downwards; sample (i, j) stands at (i + 0.5, j + 0.5)
};

/// Twice the signed area; positive when a, b, c turn clockwise on the screen (y points down).
inline double doubled_area(const ScreenPoint& a, const ScreenPoint& b, const ScreenPoint& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Calls pixel(x, y, w) for each sample inside the triangle, with barycentric weights w[3]. Two triangles that share a side
/// and wind alike share no sample. Degenerate triangles and non-finite corners cover nothing.
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

    // w_i = the triangle (sample, p_j, p_k) over the whole: linear in the sample's place.
    double dx[3], dy[3], row[3];
    bool owns[3];  // samples exactly on side i belong to this triangle
    for (int i = 0; i < 3; ++i) {
        const ScreenPoint& j = p[(i + 1) % 3];
        const ScreenPoint& k = p[(i + 2) % 3];
        dx[i] = (j.y - k.y) / area;
        dy[i] = (k.x - j.x) / area;
        row[i] = (x0 + 0.5 - j.x) * dx[i] + (y0 + 0.5 - j.y) * dy[i];
        owns[i] = dx[i] > 0 || (dx[i] == 0 && dy[i] > 0);
    }
    for (int y = y0; y < y1; ++y) {
        double w[3] = {row[0], row[1], row[2]};
        for (int x = x0; x < x1; ++x) {
            const bool inside = (w[0] > 0 || (w[0] == 0 && owns[0])) && (w[1] > 0 || (w[1] == 0 && owns[1])) &&
                                (w[2] > 0 || (w[2] == 0 && owns[2]));
            if (inside) pixel(x, y, w);
            for (int i = 0; i < 3; ++i) w[i] += dx[i];
        }
        for (int i = 0; i < 3; ++i) row[i] += dy[i];
    }
}

}  // namespace talus::samples
