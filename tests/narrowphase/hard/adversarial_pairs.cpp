#include "tests/narrowphase/hard/adversarial_pairs.h"

#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cmath>

namespace talus::test {

using glm::dmat3;
using glm::dvec3;

namespace {

constexpr int pool_size = 60;
constexpr double slenderest = 1e-4;
constexpr double far_distance = 1e4;

dvec3 perpendicular(const dvec3& u) { return dvec3(any_perpendicular(vec3(u))); }

/// A rotation that takes the unit vector `from` to `to`.
dmat3 turn_onto(const dvec3& from, const dvec3& to) {
    const dvec3 axis = glm::cross(from, to);
    const double s = glm::length(axis), c = glm::dot(from, to);
    if (s < 1e-12) return c > 0.0 ? dmat3(1.0) : turn_exactly(glm::normalize(perpendicular(from)), 3.141592653589793);
    return turn_exactly(axis / s, std::atan2(s, c));
}

/// A length that narrow geometry trips over: nothing, a rounding, or anything up to `most`, of either sign.
double gap(Random& random, double most) {
    const double kind = random.unit();
    if (kind < 0.2) return 0.0;
    const double sign = random.chance(0.5) ? 1.0 : -1.0;
    return sign * most * (kind < 0.7 ? random.scale(1e-8, 1.0) : random.unit());
}

std::vector<vec3> affine_image(Random& random, const std::vector<vec3>& points) {
    dmat3 m;
    do {
        for (int i = 0; i < 3; ++i) m[i] = random.direction();
    } while (std::abs(glm::determinant(m)) < 0.05);
    std::vector<vec3> image;
    for (const vec3& p : points) image.push_back(vec3(m * dvec3(p)));
    return image;
}

/// The same shape `scale` times as large, moved by `offset`.
Piece scaled_hull(const Piece& piece, double scale, const dvec3& offset) {
    std::vector<vec3> points;
    for (const dvec3& v : piece.solid.vertices) points.push_back(vec3(scale * v + offset));
    const auto built = make_hull(points);
    if (!built) return piece;
    const Shape shape = hull(*built);
    return {shape, oracle::make_solid(shape)};
}

double slender_size(Random& random, double size) { return size * random.scale(slenderest, 1.0); }

Shape slender_shape(Random& random, ShapeType type, double size) {
    // One or two of three sides are thin.
    const auto thin = [&] { return static_cast<float>(slender_size(random, size)); };
    const float full = static_cast<float>(size);
    switch (type) {
        case ShapeType::capsule:
            return capsule(full, thin());
        case ShapeType::segment: {
            const dvec3 half = (random.chance(0.5) ? dvec3(0, 1, 0) : random.direction()) * size;
            return segment(narrow(-half), narrow(half), random.chance(0.5) ? 0.0f : thin());
        }
        case ShapeType::triangle: {
            const dvec3 u = random.direction(), v = perpendicular(u);
            const double height = slender_size(random, size), foot = random.between(-1.0, 1.0) * size;
            return triangle(narrow(-size * u), narrow(size * u), narrow(foot * u + height * v),
                            random.chance(0.7) ? 0.0f : thin());
        }
        case ShapeType::box: {
            vec3 h(full);
            const int first = random.below(3);
            h[first] = thin();
            if (random.chance(0.5)) h[(first + 1) % 3] = random.chance(0.5) ? h[first] : thin();
            return box(h);
        }
        case ShapeType::cylinder: {
            const float t = thin();
            return random.chance(0.5) ? cylinder(full, t) : cylinder(t, full);
        }
        case ShapeType::cone: {
            const float t = thin();
            return random.chance(0.5) ? cone(full, t) : cone(t, full);
        }
        case ShapeType::mapping: {
            const auto flat = [&] { return std::max(thin(), 1.001e-3f * full); };
            return *ellipsoid(random.chance(0.5) ? vec3(full, flat(), flat()) : vec3(full, flat(), full));
        }
        default:
            return sphere(full);
    }
}

}  // namespace

PairSource::PairSource(std::uint64_t seed) : random_(seed) {
    while (plain_.size() < pool_size || slender_.size() < pool_size) {
        std::vector<vec3> points = hull_points(random_, 1.0);
        const bool slender = plain_.size() == pool_size;
        if (points.size() > 34 && plain_.size() % 4 != 0) continue;  // the oracle takes long for them
        if (random_.chance(0.3)) points = affine_image(random_, points);
        if (slender) {
            const int first = random_.below(3);
            vec3 stretch(1.0f);
            stretch[first] = static_cast<float>(random_.scale(slenderest, 0.1));
            if (random_.chance(0.5)) stretch[(first + 1) % 3] = static_cast<float>(random_.scale(slenderest, 0.1));
            for (vec3& p : points) p *= stretch;
        }
        const auto built = make_hull(points);
        if (!built) continue;
        const Shape shape = hull(*built);
        (slender ? slender_ : plain_).push_back({shape, oracle::make_solid(shape)});
    }
}

Piece PairSource::from_pool(Family family, double size) {
    const std::vector<Piece>& pool = family == Family::slender ? slender_ : plain_;
    const Piece& pick = pool[static_cast<std::size_t>(random_.below(pool_size))];
    if (family == Family::plain || family == Family::slender || family == Family::far_poses) return pick;
    return scaled_hull(pick, size / pick.solid.size, dvec3(0.0));
}

Piece PairSource::make(Family family, ShapeType type, double size) {
    if (family == Family::far_points) {
        const dvec3 away = random_.direction() * random_.scale(1.0, far_distance);
        if (type == ShapeType::hull)
            return scaled_hull(plain_[static_cast<std::size_t>(random_.below(pool_size))], size, away);
        Shape shape = random_shape(random_, type, size, nullptr);
        if (type == ShapeType::segment || type == ShapeType::triangle) {
            Shape moved = shape;
            for (vec3& p : moved.points) p = vec3(dvec3(p) + away);
            if (!check(moved)) shape = moved;
        }
        return {shape, oracle::make_solid(shape)};
    }
    if (type == ShapeType::hull) return from_pool(family, size);
    for (;;) {
        const Shape shape =
            family == Family::slender ? slender_shape(random_, type, size) : random_shape(random_, type, size, nullptr);
        if (!check(shape)) return {shape, oracle::make_solid(shape)};
    }
}

dmat3 PairSource::rotation() {
    if (random_.chance(0.1)) return dmat3(turn_between(random_, 0.0, 1e-3));  // nearly aligned
    return dmat3(mixed_turn(random_));
}

/// A unit direction in which the solid has a feature of the kind: a face's normal, at right angles to an edge, or from
/// the centre through a vertex.
dvec3 PairSource::direction(const oracle::Solid& solid, Meeting meeting) {
    const auto pick = [&](const auto& list) -> const auto& {
        return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
    };
    if (solid.ellipsoid.x > 0.0) {
        dvec3 axis(0.0);
        axis[random_.below(3)] = random_.chance(0.5) ? 1.0 : -1.0;
        return meeting == Meeting::faces ? axis : random_.direction();
    }
    if (solid.is_curved()) {
        const double angle = random_.chance(0.3) ? 0.0 : random_.between(0.0, 6.283185307179586);
        const dvec3 out(std::cos(angle), 0.0, std::sin(angle)), up(0.0, random_.chance(0.5) ? 1.0 : -1.0, 0.0);
        if (meeting == Meeting::faces) return up;
        if (meeting == Meeting::vertices) return glm::normalize(solid.rim_radius * out + solid.half_height * up);
        if (solid.type == ShapeType::cylinder) return out;
        return glm::normalize(2.0 * solid.half_height * out + dvec3(0.0, solid.rim_radius, 0.0));
    }
    if (meeting == Meeting::faces && !solid.faces.empty()) return pick(solid.faces).normal;
    if (meeting == Meeting::edges && solid.vertices.size() > 1) {
        const auto& edge = pick(solid.edges);
        const dvec3 along = glm::normalize(solid.vertices[static_cast<std::size_t>(edge[1])] -
                                           solid.vertices[static_cast<std::size_t>(edge[0])]);
        const dvec3 middle = 0.5 * (solid.vertices[static_cast<std::size_t>(edge[1])] +
                                    solid.vertices[static_cast<std::size_t>(edge[0])]);
        dvec3 out = middle - solid.center;
        out -= glm::dot(out, along) * along;
        return glm::dot(out, out) > 1e-20 * solid.size * solid.size ? glm::normalize(out) : perpendicular(along);
    }
    if (solid.vertices.size() > 1) {
        const dvec3 out = pick(solid.vertices) - solid.center;
        if (glm::dot(out, out) > 0.0) return glm::normalize(out);
    }
    return random_.direction();
}

/// The pose as Talus gets it: rounded to floats, or taken from two world poses far out.
MatrixTransform PairSource::pose(Family family, const dvec3& position, const dmat3& rotation) {
    if (family != Family::far_poses) return {vec3(position), mat3(rotation)};
    const dvec3 place = random_.direction() * random_.between(0.5, 1.0) * far_distance;
    const mat3 turned = any_turn(random_);
    const WorldTransform a{on_grid(place), normalized(glm::quat_cast(turned))};
    const dmat3 world(to_matrix(a.rotation));
    const WorldTransform b{on_grid(place + world * position), normalized(glm::quat_cast(mat3(world * rotation)))};
    return to_matrix_transform(relative(a, b));
}

AdversarialPair PairSource::next(Family family, Meeting meeting, ShapeType type_a, ShapeType type_b) {
    double size = random_.scale(0.1, 10.0);
    if (family == Family::scaled) size *= random_.chance(0.5) ? 1e-3 : 1e2;
    double ratio = random_.scale(0.25, 4.0);
    if (family == Family::unequal) {
        size = random_.scale(1.0, 1000.0);
        ratio = random_.scale(1e-5, 0.1);
    }
    if (meeting == Meeting::contained && family != Family::slender) ratio = std::min(ratio, random_.scale(0.01, 0.7));
    AdversarialPair pair;
    pair.a = make(family, type_a, size);
    pair.b = make(family, type_b, std::max(size * ratio, 2.0 * static_cast<double>(smallest_size)));
    if (random_.chance(0.5)) std::swap(pair.a, pair.b);
    const oracle::Solid &a = pair.a.solid, &b = pair.b.solid;
    const double smaller = std::min(a.size, b.size);

    const auto support_a = [&](const dvec3& u) { return oracle::core_support(a, u) + a.radius * u; };
    dmat3 turned = rotation();
    const auto support_b = [&](const dvec3& u) { return turned * oracle::core_support(b, u * turned) + b.radius * u; };
    dvec3 position(0.0);
    switch (meeting) {
        case Meeting::loose: {
            const dvec3 u = random_.direction();
            const double kind = random_.unit(), most = kind < 0.3 ? 2.0 * std::max(a.size, b.size) : 0.3 * smaller;
            position = support_a(u) - support_b(-u) + gap(random_, most) * u;
            break;
        }
        case Meeting::faces:
        case Meeting::edges:
        case Meeting::vertices: {
            const dvec3 u = direction(a, meeting), v = direction(b, meeting);
            // A's feature looks along u, B's against it, and B is rolled about that line.
            if (meeting != Meeting::vertices || random_.chance(0.5)) {
                const double roll = random_.chance(0.5) ? 0.7853981633974483 * random_.below(8)
                                                        : random_.between(0.0, 6.283185307179586);
                turned = turn_exactly(u, roll) * turn_onto(v, -u);
            }
            const dvec3 between = a.center - turned * b.center;
            const double along = glm::dot(u, support_a(u) - support_b(-u)) + gap(random_, 0.2 * smaller);
            if (meeting == Meeting::vertices) {
                position = support_a(u) - support_b(-u) + gap(random_, 0.2 * smaller) * u;
            } else {  // side by side along u, shifted across it: whole and partial overlaps, and past each other
                const dvec3 across = perpendicular(u), also = glm::cross(u, across);
                const double reach = 0.7 * std::max(a.size, b.size);
                const double x = random_.chance(0.3) ? 0.0 : random_.between(-1.0, 1.0) * reach;
                const double y = random_.chance(0.3) ? 0.0 : random_.between(-1.0, 1.0) * reach;
                position = between + x * across + y * also + u * (along - glm::dot(u, between));
            }
            break;
        }
        case Meeting::concentric: {
            position = a.center - turned * b.center;
            if (random_.chance(0.5)) position += random_.scale(1e-8, 1e-2) * smaller * random_.direction();
            break;
        }
        case Meeting::contained: {
            const dvec3 u = random_.direction();
            const double deep = random_.chance(0.5) ? random_.unit() : 1.0 - random_.scale(1e-6, 1.0);
            position = a.center + deep * (oracle::core_support(a, u) - a.center) - turned * b.center;
            break;
        }
    }
    pair.frame = pose(family, position, turned);

    const double moved = 0.01 * smaller * random_.unit();
    const dvec3 target = dvec3(pair.frame.position) + moved * random_.direction();
    pair.nudged = {vec3(target), pair.frame.rotation};
    if (random_.chance(0.7)) {
        const dvec3 axis = random_.direction();
        const dmat3 turn = turn_exactly(axis, 0.01 * random_.unit()), before(pair.frame.rotation);
        pair.nudged = {vec3(target + before * b.center - turn * before * b.center), mat3(turn * before)};
    }
    return pair;
}

}  // namespace talus::test
