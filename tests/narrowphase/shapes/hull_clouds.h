#pragma once
/// Clouds of points that break hull builders: lattices, noise of every size, needles, plates, dense caps and fillets.
///
/// C++ does not define the order in which a call's arguments are evaluated, and compilers differ. At most one argument
/// of a call draws random numbers (braced lists are evaluated in order), so that a seed gives the same cloud
/// everywhere.

#include "tests/narrowphase/ladder/random_pairs.h"

#include <vector>

namespace talus::test {

using Points = std::vector<vec3>;

inline float number(Random& random, double low, double high) { return static_cast<float>(random.between(low, high)); }
inline float magnitude(Random& random, double low, double high) { return static_cast<float>(random.scale(low, high)); }
inline int count(Random& random, int low, int high) { return low + random.below(high - low + 1); }

inline vec3 in_cube(Random& random) { return {number(random, -1, 1), number(random, -1, 1), number(random, -1, 1)}; }

/// A point of a rather normal distribution, without libm.
inline vec3 in_cluster(Random& random) {
    vec3 sum(0);
    for (int i = 0; i < 3; ++i) sum += 0.7f * in_cube(random);
    return sum;
}

inline vec3 cube_corner(int i) { return {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1}; }

inline Points turned(Random& random, Points points) {
    const glm::dvec3 axis = glm::normalize(glm::dvec3(in_cube(random)) + 1e-3);
    const mat3 m = turn(axis, random.between(0.0, 6.283185307179586));
    for (vec3& p : points) p = m * p;
    return points;
}

inline Points maybe_turned(Random& random, Points points) {
    return random.chance(0.5) ? turned(random, std::move(points)) : points;
}

inline Points noisy(Random& random, Points points, float amplitude) {
    for (vec3& p : points) p += amplitude * in_cube(random);
    return points;
}

/// With an amplitude between the two.
inline Points noisy(Random& random, Points points, double low, double high) {
    const float amplitude = magnitude(random, low, high);
    return noisy(random, std::move(points), amplitude);
}

inline Points scaled(Points points, const vec3& scale) {
    for (vec3& p : points) p *= scale;
    return points;
}

inline Points lattice(Random& random, int nx, int ny, int nz, int n) {
    Points points;
    for (int i = 0; i < n; ++i) points.push_back({random.below(nx), random.below(ny), random.below(nz)});
    return points;
}

/// Every point of an n x n x n lattice over the cube of half size 1.
inline Points full_lattice(int n) {
    Points points;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) points.push_back(vec3(i, j, k) * (2.0f / static_cast<float>(n - 1)) - 1.0f);
    return points;
}

inline vec3 on_circle(int i, int n) {
    const double angle = 6.283185307179586 * i / n;
    return {static_cast<float>(std::cos(angle)), 0.0f, static_cast<float>(std::sin(angle))};
}

/// Two rings of n points, `top` times narrower above.
inline Points frustum(int n, float half_height, float top) {
    Points points;
    for (int i = 0; i < n; ++i) {
        points.push_back(on_circle(i, n) + vec3(0, -half_height, 0));
        points.push_back(on_circle(i, n) * top + vec3(0, half_height, 0));
    }
    return points;
}

inline Points any_frustum(Random& random, int fewest, int most, double narrowest) {
    const int n = count(random, fewest, most);
    const float half_height = magnitude(random, 1e-3, 1e2);
    return frustum(n, half_height, number(random, narrowest, 1));
}

inline Points cluster(Random& random, int n, const vec3& scale = vec3(1), const vec3& center = vec3(0)) {
    Points points;
    for (int i = 0; i < n; ++i) points.push_back(center + scale * in_cluster(random));
    return points;
}

inline Points on_sphere(Random& random, int n) {
    Points points;
    while (points.size() < static_cast<std::size_t>(n)) {
        const vec3 p = in_cube(random);
        const float q = glm::dot(p, p);
        if (q > 0.01f && q < 1.0f) points.push_back(p / std::sqrt(q));
    }
    return points;
}

inline Points icosphere(int subdivisions) {
    const float g = 1.618034f;
    Points corners{{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    // All pairs of neighbours (edge 2) and triangles of three of them.
    std::vector<glm::ivec3> triangles;
    const auto near = [&](int i, int j) { return glm::distance(corners[i], corners[j]) < 2.1f; };
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k)
                if (near(i, j) && near(j, k) && near(i, k)) triangles.push_back({i, j, k});
    Points points;
    const int n = 1 << subdivisions;
    for (const glm::ivec3& t : triangles)
        for (int i = 0; i <= n; ++i)
            for (int j = 0; i + j <= n; ++j)
                points.push_back(glm::normalize(corners[t.x] * float(i) + corners[t.y] * float(j) +
                                                corners[t.z] * float(n - i - j)));
    return points;
}

struct CloudFamily {
    const char* name;
    Points (*make)(Random&);
};

/// Families of clouds that span a volume, unless chance has it otherwise.
inline const CloudFamily cloud_families[] = {
    {"a few points of a 3x3x3 lattice", [](Random& r) { return lattice(r, 3, 3, 3, count(r, 4, 40)); }},
    {"the same, turned", [](Random& r) { return turned(r, lattice(r, 3, 3, 3, count(r, 4, 60))); }},
    {"points of a 10x10x10 lattice",
     [](Random& r) { return maybe_turned(r, lattice(r, 10, 10, 10, count(r, 10, 2000))); }},
    {"a thin lattice", [](Random& r) { return maybe_turned(r, lattice(r, 21, 4, 2, count(r, 10, 300))); }},
    {"a lattice of tenths", [](Random& r) { return scaled(lattice(r, 8, 8, 8, count(r, 10, 500)), vec3(0.1f)); }},
    {"a lattice with noise", [](Random& r) { return noisy(r, lattice(r, 5, 5, 5, count(r, 10, 1500)), 1e-8, 1e-2); }},
    {"a lattice with noise about the tolerance",
     [](Random& r) { return noisy(r, lattice(r, 5, 5, 5, count(r, 10, 500)), 1e-6, 3e-5); }},
    {"a full lattice, noisy and turned",
     [](Random& r) { return turned(r, noisy(r, full_lattice(count(r, 3, 12)), 1e-8, 1e-4)); }},
    {"points on the faces of a cube, with noise",
     [](Random& r) {
         Points points;
         for (int i = 0; i < 8; ++i) points.push_back(cube_corner(i));
         for (int i = count(r, 100, 3000); i > 0; --i) {
             vec3 p = in_cube(r);
             p[i % 3] = i % 2 ? 1.0f : -1.0f;
             points.push_back(p);
         }
         return noisy(r, points, 1e-8, 1e-4);
     }},
    {"points along the edges of a cube, with noise",
     [](Random& r) {
         Points points;
         for (int k = 0; k < 12; ++k) {
             for (int i = count(r, 1, 30); i > 0; --i) {
                 vec3 p = cube_corner(k % 4);
                 p.z = number(r, -1, 1);
                 points.push_back(k < 4 ? p : k < 8 ? vec3(p.y, p.z, p.x) : vec3(p.z, p.x, p.y));
             }
         }
         return noisy(r, turned(r, points), 1e-9, 1e-4);
     }},
    {"a prism", [](Random& r) { return maybe_turned(r, any_frustum(r, 3, 200, 1)); }},
    {"a noisy prism", [](Random& r) { return noisy(r, any_frustum(r, 3, 300, 1), 1e-8, 1e-4); }},
    {"a frustum", [](Random& r) { return turned(r, any_frustum(r, 3, 200, 0)); }},
    {"a frustum finer than the tolerance", [](Random& r) { return turned(r, any_frustum(r, 500, 3000, 0.5)); }},
    {"a cone of rings",
     [](Random& r) {
         Points points{{0, 1, 0}};
         const int n = count(r, 3, 400);
         for (int i = 0; i < n; ++i) {
             points.push_back(on_circle(i, n));
             points.push_back(0.5f * on_circle(i, n) + vec3(0, 0.5f, 0));
         }
         return maybe_turned(r, points);
     }},
    {"points on a sphere", [](Random& r) { return on_sphere(r, count(r, 4, 500)); }},
    {"a globe of circles",
     [](Random& r) {
         Points points;
         const int n = count(r, 3, 50), m = count(r, 3, 50);
         for (int i = 0; i < n; ++i)
             for (int j = 0; j <= m; ++j) {
                 const double b = 3.14159265358979 * j / m;
                 points.push_back(on_circle(i, n) * float(std::sin(b)) + vec3(0, float(std::cos(b)), 0));
             }
         return turned(r, points);
     }},
    {"a cluster far from the origin",
     [](Random& r) {
         const float distance = magnitude(r, 1, 1e5);
         const vec3 center = distance * in_cube(r);
         return cluster(r, count(r, 4, 200), vec3(1), center);
     }},
    {"a cube with points on its faces far from the origin",
     [](Random& r) {
         Points points;
         for (int i = 0; i < 8; ++i) points.push_back(cube_corner(i));
         for (int i = 0; i < 60; ++i) {
             vec3 p = in_cube(r);
             p[i % 3] = i % 2 ? 1.0f : -1.0f;
             points.push_back(p);
         }
         points = turned(r, points);
         const float distance = magnitude(r, 1, 3e4);
         const vec3 center = distance * in_cube(r);
         for (vec3& p : points) p += center;
         return points;
     }},
    {"a needle, 1:10,000",
     [](Random& r) {
         return maybe_turned(r, cluster(r, count(r, 6, 200), {1e4f, 1, 1}));
     }},
    {"a plate, 1:10,000",
     [](Random& r) {
         return maybe_turned(r, cluster(r, count(r, 6, 200), {1e4f, 1e4f, 1}));
     }},
    {"any aspect",
     [](Random& r) {
         const vec3 scale{magnitude(r, 1e-6, 1), magnitude(r, 1e-6, 1), 1};
         return turned(r, cluster(r, count(r, 4, 200), scale));
     }},
    {"a lattice of any aspect",
     [](Random& r) {
         const vec3 scale{magnitude(r, 1e-6, 1), magnitude(r, 1e-6, 1), 1};
         return maybe_turned(r, scaled(lattice(r, 4, 4, 4, 100), scale));
     }},
    {"any size",
     [](Random& r) {
         const float size = magnitude(r, 1e-6, 1e5);
         return scaled(turned(r, lattice(r, 4, 4, 4, 100)), vec3(size));
     }},
    {"duplicates",
     [](Random& r) {
         Points points = cluster(r, count(r, 6, 30));
         for (int i = count(r, 1, 200), n = int(points.size()); i > 0; --i) points.push_back(points[r.below(n)]);
         return points;
     }},
    {"near duplicates",
     [](Random& r) {
         Points points = cluster(r, count(r, 6, 30));
         const float near = magnitude(r, 1e-8, 1e-3);
         for (int i = count(r, 1, 200), n = int(points.size()); i > 0; --i) {
             const vec3 at = points[r.below(n)];
             points.push_back(at + near * in_cluster(r));
         }
         return points;
     }},
    {"a cube with a dense dome",
     [](Random& r) {
         Points points;
         const float size = magnitude(r, 1e-4, 0.1);
         for (int i = count(r, 100, 2000); i > 0; --i) {
             vec3 p = size * in_cube(r);
             p.z = std::sqrt(1.0f - p.x * p.x - p.y * p.y);
             points.push_back(p);
         }
         for (int i = 0; i < 8; ++i) points.push_back(0.4f * cube_corner(i));
         return points;
     }},
    {"a cube with rounded corners",
     [](Random& r) {
         Points points;
         const int m = count(r, 2, 10);
         const float e = magnitude(r, 1e-5, 0.3);
         for (int i = 0; i <= m; ++i)
             for (int j = 0; j <= m; ++j) {
                 const vec3 a = on_circle(i, 4 * m);
                 const double b = 1.5707963267949 * j / m;
                 const vec3 d(a.x * float(std::sin(b)), float(std::cos(b)), a.z * float(std::sin(b)));
                 for (int s = 0; s < 8; ++s) points.push_back(cube_corner(s) * (vec3(1.0f - e) + e * d));
             }
         return maybe_turned(r, points);
     }},
    {"a flat double cone",
     [](Random& r) {
         const float height = magnitude(r, 1e-4, 0.1);
         Points points{{0, height, 0}, {0, -height, 0}};
         for (int i = 0, n = count(r, 10, 200); i < n; ++i) points.push_back(on_circle(i, n));
         return maybe_turned(r, points);
     }},
    {"a flat lens",
     [](Random& r) {
         Points points;
         const float height = magnitude(r, 1e-4, 0.1);
         for (int i = count(r, 50, 800); i > 0; --i) {
             const vec3 p = in_cube(r);
             const float q = p.x * p.x + p.z * p.z;
             if (q <= 1.0f) points.push_back({p.x, (p.y > 0 ? height : -height) * (1.0f - q), p.z});
         }
         return maybe_turned(r, points);
     }},
    {"a barrel vault",
     [](Random& r) {
         Points points;
         const int n = count(r, 3, 300);
         const float height = magnitude(r, 1e-6, 0.1);
         for (int i = 0; i <= n; ++i) {
             const float t = 2.0f * float(i) / float(n) - 1.0f;
             for (const float side : {-1.0f, 1.0f}) {
                 points.push_back({t, height * (1.0f - t * t), side});
                 points.push_back({t, -1.0f, side});
             }
         }
         return maybe_turned(r, points);
     }},
    {"a slightly twisted slab",
     [](Random& r) {
         Points points;
         const int n = count(r, 3, 200);
         const float twist = magnitude(r, 1e-7, 0.1);
         for (int i = 0; i <= n; ++i)
             for (const float s : {-1.0f, -0.3f, 0.3f, 1.0f}) {
                 const float t = 2.0f * float(i) / float(n) - 1.0f;
                 points.push_back({t, twist * t * s, s});
                 points.push_back({t, -1.0f, s});
             }
         return maybe_turned(r, points);
     }},
};

}  // namespace talus::test
