#include <talus/narrowphase/mass_properties.h>

#include <talus/narrowphase/mapping_solid.h>
#include "narrowphase/shapes/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace talus {
namespace {

using glm::dmat3;
using glm::dvec3;

using std::numbers::pi;

dmat3 diagonal(double x, double y, double z) { return dmat3(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z); }

/// Moves moments about a part's own centre (volume, second; first = 0) to the place of the part.
Moments at(const dvec3& center, double volume, const dmat3& second) {
    return {volume, volume * center, second + volume * glm::outerProduct(center, center)};
}

Moments ball(double r) {
    const double volume = 4.0 / 3.0 * pi * r * r * r;
    return {volume, dvec3(0.0), dmat3(volume * r * r / 5.0)};
}

/// Axis y.
Moments cylinder_part(double half_height, double r) {
    const double volume = 2.0 * pi * r * r * half_height;
    const double across = volume * r * r / 4.0;
    return {volume, dvec3(0.0), diagonal(across, volume * half_height * half_height / 3.0, across)};
}

/// A cylinder and a half sphere at each end. The centroid of a half sphere is 3/8 r from its flat side.
Moments capsule_part(double half_height, double r) {
    Moments m = cylinder_part(half_height, r);
    const Moments caps = ball(r);
    m.add(caps);
    m.second[1][1] += caps.volume * (half_height * half_height + 2.0 * half_height * 3.0 / 8.0 * r);
    return m;
}

Moments box_part(const dvec3& h) {
    const double volume = 8.0 * h.x * h.y * h.z;
    return {volume, dvec3(0.0), volume / 3.0 * diagonal(h.x * h.x, h.y * h.y, h.z * h.z)};
}

/// A cone of height 2h; its centroid is a quarter of that above the base.
Moments cone_part(double h, double r) {
    const double volume = 2.0 / 3.0 * pi * r * r * h;
    const double across = volume * 3.0 / 20.0 * r * r;
    return at(dvec3(0.0, -h / 2.0, 0.0), volume, diagonal(across, volume * 3.0 / 20.0 * h * h, across));
}

/// A capsule along y, turned onto the segment.
Moments rounded_segment(const dvec3& a, const dvec3& b, double r) {
    const double length = std::sqrt(glm::dot(b - a, b - a));
    const dvec3 axis = (b - a) / length;
    const Moments m = capsule_part(length / 2.0, r);
    const double across = m.second[0][0], along = m.second[1][1];
    return at(0.5 * (a + b), m.volume, dmat3(across) + (along - across) * glm::outerProduct(axis, axis));
}

/// Returns the angle in (0, pi) with this sine > 0 and cosine, without libm, whose last bits differ between systems.
/// The half angle is halved twice more by its tangent; then the series of the arctangent is exact to 2^-53.
double angle_of(double sine, double cosine) {
    const double length = std::sqrt(sine * sine + cosine * cosine);
    // Halving up to an eighth: t <= tan(pi / 16) < 0.2 at the end.
    double t = cosine >= 0.0 ? sine / (length + cosine) : (length - cosine) / sine;
    const bool obtuse = t > 1.0;
    if (obtuse) t = 1.0 / t;  // atan(t) = pi/2 - atan(1/t)
    for (int i = 0; i < 2; ++i) t = t / (1.0 + std::sqrt(1.0 + t * t));
    const double square = t * t;
    double sum = 0.0;
    for (int k = 27; k >= 1; k -= 2) sum = sum * square + ((k / 2) % 2 == 0 ? 1.0 : -1.0) / k;
    const double half_angle = 4.0 * t * sum;
    return 2.0 * (obtuse ? pi / 2.0 - half_angle : half_angle);
}

/// The Minkowski sum of a triangle and a sphere, in disjoint parts: the slab over the triangle, half a cylinder along
/// each edge, and a wedge of the sphere at each corner (the three wedges make a whole sphere).
Moments rounded_triangle(const dvec3& a, const dvec3& b, const dvec3& c, double r) {
    const dvec3 centroid = (a + b + c) / 3.0;
    const dvec3 corner[3] = {a - centroid, b - centroid, c - centroid};
    const dvec3 cross = glm::cross(b - a, c - a);
    const double twice_area = std::sqrt(glm::dot(cross, cross));
    const dvec3 n = cross / twice_area;
    const dmat3 along_n = glm::outerProduct(n, n);

    Moments m;
    const double slab = twice_area * r;
    m.volume = slab;
    for (const dvec3& p : corner) m.second += slab / 12.0 * glm::outerProduct(p, p);
    m.second += slab * r * r / 3.0 * along_n;

    dvec3 edge[3], outward[3];
    for (int i = 0; i < 3; ++i) {
        const dvec3 side = corner[(i + 1) % 3] - corner[i];
        const double length = std::sqrt(glm::dot(side, side));
        edge[i] = side / length;
        outward[i] = glm::cross(edge[i], n);

        const double half_cylinder = length * pi * r * r / 2.0;
        const double lean = length * 2.0 * r * r * r / 3.0;  // integral of the distance from the edge
        const dvec3 middle = 0.5 * (corner[i] + corner[(i + 1) % 3]);
        const dmat3 mixed = glm::outerProduct(middle, outward[i]);
        m.volume += half_cylinder;
        m.first += half_cylinder * middle + lean * outward[i];
        m.second += half_cylinder * glm::outerProduct(middle, middle) + lean * (mixed + glm::transpose(mixed)) +
                    half_cylinder * length * length / 12.0 * glm::outerProduct(edge[i], edge[i]) +
                    half_cylinder * r * r / 4.0 * (glm::outerProduct(outward[i], outward[i]) + along_n);
    }
    for (int i = 0; i < 3; ++i) {
        // The wedge is between the outward normals of the two edges at the corner.
        const dvec3 &from = outward[(i + 2) % 3], &to = outward[i];
        const dvec3 turn = glm::cross(from, to);
        const double sine = glm::dot(turn, n), angle = angle_of(sine, glm::dot(from, to));
        const dvec3 across = (to - from) / std::sqrt(glm::dot(to - from, to - from));
        const dvec3 ahead = glm::cross(across, n);  // the bisector

        const double r3 = r * r * r, r4 = r3 * r, r5 = r4 * r;
        const double wedge = 2.0 / 3.0 * angle * r3;
        const double half_chord = 0.5 * std::sqrt(glm::dot(to - from, to - from));  // sin(angle / 2)
        const double lean = pi / 4.0 * half_chord * r4;                             // integral of the distance ahead
        const dmat3 mixed = glm::outerProduct(corner[i], ahead);
        m.volume += wedge;
        m.first += wedge * corner[i] + lean * ahead;
        m.second += wedge * glm::outerProduct(corner[i], corner[i]) + lean * (mixed + glm::transpose(mixed)) +
                    2.0 / 15.0 * r5 *
                        ((angle + sine) * glm::outerProduct(ahead, ahead) +
                         (angle - sine) * glm::outerProduct(across, across) + angle * along_n);
    }
    // Back from the triangle's centroid to the shape's origin.
    const dmat3 mixed = glm::outerProduct(m.first, centroid);
    m.second += mixed + glm::transpose(mixed) + m.volume * glm::outerProduct(centroid, centroid);
    m.first += m.volume * centroid;
    return m;
}

/// The moments of x = p + w, where p runs over a part with the measure, middle and covariance of a point, edge or face,
/// and w over the directions in which the ball sticks out of it: products of both parts' moments.
struct Spread {
    double measure = 1.0;  ///< length of an edge, area of a face; 1 for a vertex
    dvec3 first{0.0};      ///< integral of p
    dmat3 second{0.0};     ///< integral of p p^T
};
Moments swept_part(const Spread& p, const Moments& w) {
    const dmat3 mixed = glm::outerProduct(p.first, w.first);
    return {p.measure * w.volume, p.first * w.volume + p.measure * w.first,
            p.second * w.volume + mixed + glm::transpose(mixed) + p.measure * w.second};
}

/// The part of a ball of radius r around the origin whose directions are between the unit vectors `from` and `to`, a
/// disc sector of thickness 1 (m): what sticks out of an edge.
Moments ball_sector(const dvec3& from, const dvec3& to, double r) {
    const dvec3 turn = glm::cross(from, to), sum = from + to;
    const double sine = std::sqrt(glm::dot(turn, turn)), length = std::sqrt(glm::dot(sum, sum));
    if (!(sine > 0.0) || !(length > 0.0)) return {};
    const double angle = angle_of(sine, glm::dot(from, to));
    const dvec3 ahead = sum / length, across = glm::cross(turn / sine, ahead);
    const dvec3 chord = to - from;
    const double r2 = r * r, r4 = r2 * r2;
    return {
        0.5 * angle * r2, r2 * r / 3.0 * std::sqrt(glm::dot(chord, chord)) * ahead,
        r4 / 8.0 *
            ((angle + sine) * glm::outerProduct(ahead, ahead) + (angle - sine) * glm::outerProduct(across, across))};
}

/// The part of a ball of radius r around the origin whose directions lie in the spherical polygon with these corners
/// (unit vectors, counter-clockwise seen from outside): what sticks out of a vertex. With E the edges, n their unit
/// poles and s the integral of the direction along each, all integrals over the polygon follow from the divergence
/// theorem on the sphere: of 1 by Girard's theorem, of u it is half the sum of (angle n), and of u u^T it is
/// (area I + sum of s n^T) / 3.
Moments ball_cone(const std::vector<dvec3>& corners, double r) {
    const std::size_t count = corners.size();
    double area = 0.0;
    dvec3 first(0.0);
    dmat3 second(0.0);
    for (std::size_t i = 0; i < count; ++i) {
        const dvec3 &a = corners[i], &b = corners[(i + 1) % count];
        if (i >= 1 && i + 1 < count) {
            // The solid angle of a triangle: tan(area / 2) (Van Oosterom and Strackee 1983).
            const dvec3& o = corners[0];
            const double volume = glm::dot(o, glm::cross(a, b));
            const double below = 1.0 + glm::dot(o, a) + glm::dot(a, b) + glm::dot(b, o);
            if (volume != 0.0) area += (volume > 0.0 ? 2.0 : -2.0) * angle_of(std::abs(volume), below);
        }
        const dvec3 pole = glm::cross(a, b), sum = a + b, chord = b - a;
        const double sine = std::sqrt(glm::dot(pole, pole));
        if (!(sine > 0.0)) continue;
        const dvec3 n = pole / sine;  // to the inside of the polygon
        first += 0.5 * angle_of(sine, glm::dot(a, b)) * n;
        const dvec3 along = sum * std::sqrt(glm::dot(chord, chord) / glm::dot(sum, sum));  // integral over the edge
        second += glm::outerProduct(along, n);
    }
    second = (dmat3(area) + 0.5 * (second + glm::transpose(second))) * (1.0 / 3.0);
    const double r3 = r * r * r;
    return {area * r3 / 3.0, first * (r3 * r / 4.0), second * (r3 * r * r / 5.0)};
}

/// A convex polyhedron and a ball that is swept around it: the polyhedron, a prism on each face, a sector along each
/// edge, and a cone of the ball at each vertex (Steiner's formula, with moments).
Moments rounded_hull(const Hull& hull, double r) {
    const dvec3 origin(hull.centroid);
    const auto vertex = [&](std::size_t i) { return dvec3(hull.vertices[i]) - origin; };
    const auto corner = [&](const HullFace& face, std::uint32_t i) {
        return vertex(hull.face_vertices[face.first + i % face.count]);
    };
    const auto normal = [&](std::uint32_t face) {
        const dvec3 n(hull.faces[face].normal);
        return n / std::sqrt(glm::dot(n, n));
    };
    Moments m;
    for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
        const HullFace& face = hull.faces[f];
        const dvec3 n = normal(f);
        const Moments prism{r, 0.5 * r * r * n, r * r * r / 3.0 * glm::outerProduct(n, n)};
        for (std::uint32_t i = 1; i + 1 < face.count; ++i) {
            const dvec3 a = corner(face, 0), b = corner(face, i), c = corner(face, i + 1);
            m.add_tetrahedron(a, b, c);
            const double area = 0.5 * glm::dot(n, glm::cross(b - a, c - a));
            const dvec3 sum = a + b + c;
            const dmat3 squares = glm::outerProduct(a, a) + glm::outerProduct(b, b) + glm::outerProduct(c, c);
            m.add(swept_part({area, area / 3.0 * sum, area / 12.0 * (squares + glm::outerProduct(sum, sum))}, prism));
        }
        for (std::uint32_t i = 0; i < face.count; ++i) {
            const std::uint32_t other = hull.face_neighbours[face.first + i];
            if (other < f) continue;  // each edge once
            const dvec3 a = corner(face, i), b = corner(face, i + 1), along = b - a, middle = 0.5 * (a + b);
            const double length = std::sqrt(glm::dot(along, along));
            const Spread edge{length, length * middle,
                              length * (glm::outerProduct(middle, middle) + glm::outerProduct(along, along) / 12.0)};
            m.add(swept_part(edge, ball_sector(n, normal(other), r)));
        }
    }
    std::vector<dvec3> normals;
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        normals.clear();
        for (std::uint32_t i = hull.vertex_first[v]; i < hull.vertex_first[v + 1]; ++i)
            normals.push_back(normal(hull.vertex_faces[i]));
        const dvec3 p = vertex(v);
        m.add(swept_part({1.0, p, glm::outerProduct(p, p)}, ball_cone(normals, r)));
    }
    // Back from the centroid to the hull's frame.
    const dmat3 mixed = glm::outerProduct(m.first, origin);
    m.second += mixed + glm::transpose(mixed) + m.volume * glm::outerProduct(origin, origin);
    m.first += m.volume * origin;
    return m;
}

/// A box and a ball that is swept around it: the box, two plates on each pair of faces, four quarters of a cylinder
/// along each axis (together a cylinder, moved apart), and eight of a ball.
Moments rounded_box(const dvec3& h, double r) {
    Moments m = box_part(h);
    dvec3 second(m.second[0][0], m.second[1][1], m.second[2][2]);
    // The integrals of 1, x and x^2 over a quarter of a disc (x >= 0), and an eighth of a ball.
    const double quarter = pi / 4.0 * r * r, quarter1 = r * r * r / 3.0, quarter2 = pi / 16.0 * r * r * r * r;
    const double eighth = pi / 6.0 * r * r * r, eighth1 = pi / 16.0 * r * r * r * r,
                 eighth2 = pi / 30.0 * r * r * r * r * r;
    const auto moved2 = [](double volume, double first, double square, double by) {
        return square + 2.0 * by * first + by * by * volume;
    };
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double face = 4.0 * h[j] * h[k], edge = 2.0 * h[i];
        m.volume += 2.0 * face * r + 4.0 * edge * quarter;
        second[i] +=
            2.0 * face * moved2(r, r * r / 2.0, r * r * r / 3.0, h[i]) + 4.0 * edge * quarter * h[i] * h[i] / 3.0;
        for (const int across : {j, k}) {
            second[across] += 2.0 * face * r * h[across] * h[across] / 3.0 +
                              4.0 * edge * moved2(quarter, quarter1, quarter2, h[across]);
        }
        second[i] += 8.0 * moved2(eighth, eighth1, eighth2, h[i]);
    }
    m.volume += 8.0 * eighth;
    m.second = diagonal(second.x, second.y, second.z);
    return m;
}

Moments moments_of(const Shape& shape) {
    const dvec3 h(shape.half_extents);
    const double r = shape.radius;
    switch (shape.type) {
        case ShapeType::sphere:
            return ball(r);
        case ShapeType::capsule:
            return capsule_part(h.y, r);
        case ShapeType::box:
            return r > 0.0 ? rounded_box(h, r) : box_part(h);
        case ShapeType::cylinder:
            return cylinder_part(h.y, h.x);
        case ShapeType::cone:
            return cone_part(h.y, h.x);
        case ShapeType::segment:
            return rounded_segment(dvec3(shape.points[0]), dvec3(shape.points[1]), r);
        case ShapeType::triangle:
            return rounded_triangle(dvec3(shape.points[0]), dvec3(shape.points[1]), dvec3(shape.points[2]), r);
        case ShapeType::hull:
            return rounded_hull(*shape.hull, r);
        case ShapeType::mapping:
            break;
    }
    return {};
}

bool is_positive_definite(const dmat3& m) {
    const double a = m[0][0], b = a * m[1][1] - m[0][1] * m[0][1];
    return a > 0.0 && b > 0.0 && glm::determinant(m) > 0.0;
}

/// Returns the density (kg/m^3) if it keeps mass and inertia within the range of float, or else about the largest one
/// that does. `volume` and `inertia` are those at density 1.
double finite_density(double density, double volume, const dmat3& inertia) {
    constexpr double most = 0.99 * double(std::numeric_limits<float>::max());  // round_inertia may add to the diagonal
    const double largest = std::max({volume, inertia[0][0], inertia[1][1], inertia[2][2]});
    return density * largest > most ? most / largest : density;
}

}  // namespace

mat3 round_inertia(const dmat3& inertia) {
    dmat3 m = 0.5 * (inertia + glm::transpose(inertia));
    const bool is_diagonal = m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0;
    const dmat3 floor(least_principal_moment * (m[0][0] + m[1][1] + m[2][2]));
    if (!is_diagonal && !is_positive_definite(m - floor)) m += floor;
    return mat3(m);
}

MassProperties mass_properties(const Shape& shape, float density) {
    if (!is_solid(shape) || !is_finite(density) || density <= 0.0f || check(shape)) return {};
    const auto known = [&](float of_volume, const vec3& centroid, const mat3& unit_inertia) -> MassProperties {
        const double volume(of_volume);
        const dmat3 unit(unit_inertia);
        const double mass = finite_density(double(density), volume, volume * unit) * volume;
        return {static_cast<float>(mass), centroid, mat3(mass * unit)};
    };
    if (shape.type == ShapeType::hull && shape.radius == 0.0f)
        return known(shape.hull->volume, shape.hull->centroid, shape.hull->unit_inertia);
    if (shape.type == ShapeType::mapping)
        return known(shape.mapping->volume, shape.mapping->centroid, shape.mapping->unit_inertia);
    const Moments m = moments_of(shape);
    const dmat3 inertia = m.inertia();
    const double rho = finite_density(double(density), m.volume, inertia);
    return {static_cast<float>(rho * m.volume), vec3(m.center()), round_inertia(rho * inertia)};
}

}  // namespace talus
