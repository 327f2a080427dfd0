#include <talus/narrowphase/mass_properties.h>
#include "narrowphase/shapes/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

Moments moments_of(const Shape& shape) {
    const dvec3 h(shape.half_extents);
    const double r = shape.radius;
    switch (shape.type) {
        case ShapeType::sphere:
            return ball(r);
        case ShapeType::capsule:
            return capsule_part(h.y, r);
        case ShapeType::box:
            return box_part(h);
        case ShapeType::cylinder:
            return cylinder_part(h.y, h.x);
        case ShapeType::cone:
            return cone_part(h.y, h.x);
        case ShapeType::segment:
            return rounded_segment(dvec3(shape.points[0]), dvec3(shape.points[1]), r);
        case ShapeType::triangle:
            return rounded_triangle(dvec3(shape.points[0]), dvec3(shape.points[1]), dvec3(shape.points[2]), r);
        case ShapeType::hull:
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
    if (shape.type == ShapeType::hull) {
        const Hull& hull = *shape.hull;
        const double volume(hull.volume);
        const dmat3 unit(hull.unit_inertia);
        const double mass = finite_density(double(density), volume, volume * unit) * volume;
        return {static_cast<float>(mass), hull.centroid, mat3(mass * unit)};
    }
    const Moments m = moments_of(shape);
    const dmat3 inertia = m.inertia();
    const double rho = finite_density(double(density), m.volume, inertia);
    return {static_cast<float>(rho * m.volume), vec3(m.center()), round_inertia(rho * inertia)};
}

}  // namespace talus
