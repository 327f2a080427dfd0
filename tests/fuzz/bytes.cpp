#include "tests/fuzz/bytes.h"

#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus::fuzz {

namespace {

/// Any 32 bits as a number of magnitude 0 or 1e-12 to 1e6.
float wild(std::uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    if (!is_finite(x)) return 0.0f;
    const float magnitude = std::abs(x);
    if (magnitude < 1e-12f) return 0.0f;
    return magnitude > largest_size ? std::copysign(largest_size, x) : x;
}

float clamp_size(double x) { return std::clamp(static_cast<float>(x), smallest_size, largest_size); }

/// Points on a stretched ball by the golden angle; large enough that support search climbs.
std::shared_ptr<const Hull> large_hull(int pick) {
    static const std::vector<std::shared_ptr<const Hull>> pool = [] {
        std::vector<std::shared_ptr<const Hull>> hulls;
        const vec3 stretches[4] = {vec3(1.0f), vec3(1.0f, 0.01f, 1.0f), vec3(0.01f, 1.0f, 0.02f), vec3(100.0f)};
        for (const vec3& stretch : stretches) {
            const int count = hulls.size() % 2 == 0 ? 220 : 100;
            std::vector<vec3> points;
            for (int i = 0; i < count; ++i) {
                const double y = 1.0 - 2.0 * (i + 0.5) / count, r = std::sqrt(1.0 - y * y),
                             angle = 2.399963229728653 * i;
                points.push_back(stretch * vec3(glm::dvec3(r * std::cos(angle), y, r * std::sin(angle))));
            }
            const auto built = make_hull(points);
            if (built) hulls.push_back(*built);
        }
        return hulls;
    }();
    return pool[static_cast<std::size_t>(pick) % pool.size()];
}

}  // namespace

float Bytes::size() {
    static constexpr float favourites[] = {1.0f,  0.5f,   2.0f, 0.25f, 0.1f,  1e-3f, 1e-4f, 1e-2f,
                                           10.0f, 100.0f, 1e3f, 1e4f,  1e-5f, 1e-6f, 1e6f,  3.0f};
    const int kind = byte();
    if (kind < 128) return favourites[kind % 16];
    if (kind < 224) return clamp_size(1e-4 * std::pow(1e8, unit()));
    if (kind < 250) return clamp_size(0.1 + unit());
    return clamp_size(std::abs(static_cast<double>(wild(bits(4)))));
}

float Bytes::coordinate(float scale) {
    const int kind = byte();
    const float sign = (kind & 1) != 0 ? -1.0f : 1.0f;
    double x = 0.0;
    switch (kind >> 5) {
        case 0:
            x = 0.0;
            break;
        case 1:
            x = static_cast<double>(scale) * ((kind >> 1 & 15) + 1) / 4.0;
            break;  // quarters
        case 2:
            x = static_cast<double>(scale) * (1.0 + std::ldexp(1.0, -(kind >> 1 & 15) - 8));
            break;
        case 3:
            x = static_cast<double>(scale) * (1.0 - std::ldexp(1.0, -(kind >> 1 & 15) - 8));
            break;
        case 4:
            x = static_cast<double>(scale) * std::ldexp(1.0, -(kind >> 1 & 15) * 2);
            break;  // tiny
        case 5:
            x = static_cast<double>(scale) * unit();
            break;
        case 6:
            x = static_cast<double>(scale) * 4.0 * unit();
            break;
        default:
            return wild(bits(4));
    }
    return sign * static_cast<float>(std::min(x, static_cast<double>(largest_size)));
}

glm::dvec3 Bytes::cube() {
    glm::dvec3 p;
    for (int i = 0; i < 3; ++i) p[i] = 2.0 * unit() - 1.0;
    return p;
}

vec3 Bytes::point(float scale) {
    vec3 p;
    for (int i = 0; i < 3; ++i) p[i] = coordinate(scale);
    return p;
}

quat Bytes::rotation() {
    const int kind = byte();
    if (kind < 64) return quat(1.0f, 0.0f, 0.0f, 0.0f);
    quat q(1.0f, 0.0f, 0.0f, 0.0f);
    if (kind < 128) {  // products of quarter turns about the axes
        const float h = std::sqrt(0.5f);
        const quat quarter[3] = {quat(h, h, 0.0f, 0.0f), quat(h, 0.0f, h, 0.0f), quat(h, 0.0f, 0.0f, h)};
        const int turns = kind & 63;
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < (turns >> (2 * i) & 3); ++k) q = multiply(q, quarter[i]);
        }
    } else {
        const glm::dvec3 v = cube();
        const double length = glm::length(v);
        if (length == 0.0) return q;
        const double angle = kind < 192 ? std::ldexp(1.0, -(kind & 31)) : 6.283185307179586 * unit();
        const glm::dvec3 s = std::sin(0.5 * angle) / length * v;
        q = quat(static_cast<float>(std::cos(0.5 * angle)), static_cast<float>(s.x), static_cast<float>(s.y),
                 static_cast<float>(s.z));
    }
    return normalized(q);
}

Transform Bytes::pose(float scale) {
    Transform t;
    t.position = point(scale);
    t.rotation = rotation();
    return t;
}

std::vector<vec3> read_cloud(Bytes& bytes, int most) {
    const int kind = bytes.byte(), count = 4 + bytes.below(most - 3);
    const float scale = bytes.size();
    vec3 stretch(1.0f), away(0.0f);
    if ((kind & 16) != 0) stretch = vec3{bytes.size(), bytes.size(), bytes.size()};  // braces: in this order
    if ((kind & 32) != 0) away = bytes.point(scale * 100.0f);
    std::vector<vec3> points;
    for (int i = 0; i < count; ++i) {
        vec3 p(0.0f);
        switch (kind & 7) {
            case 0:
            case 1:
                p = bytes.point(scale);
                break;
            case 2: {  // a small grid: coplanar, collinear and equal points
                const int cell = bytes.byte();
                p = scale * vec3(cell & 3, cell >> 2 & 3, cell >> 4 & 3);
                break;
            }
            case 3: {  // nearly on a plane
                p = scale * vec3(bytes.cube());
                p.y = 1e-6f * scale * static_cast<float>(bytes.below(5));
                break;
            }
            case 4: {  // on a ball
                const glm::dvec3 d = bytes.cube();
                p = vec3(double(scale) * d / std::max(glm::length(d), 1e-3));
                break;
            }
            case 5: {  // nearly on a line
                const float x = static_cast<float>(bytes.unit());
                const int off = bytes.byte();
                p = scale * vec3(x, 1e-5f * static_cast<float>(off & 3), 1e-5f * static_cast<float>(off >> 2 & 3));
                break;
            }
            case 6:  // near copies of each other
                p = points.empty() || bytes.below(2) == 0
                        ? bytes.point(scale)
                        : points.back() * (1.0f + 1.2e-7f * static_cast<float>(bytes.below(4)));
                break;
            default:
                for (int k = 0; k < 3; ++k) p[k] = std::bit_cast<float>(bytes.bits(4));
        }
        p = p * stretch + away;
        if ((kind & 7) != 7) p = glm::clamp(p, vec3(-largest_size), vec3(largest_size));
        points.push_back(p);
    }
    return points;
}

Shape read_shape(Bytes& bytes) {
    // Mappings, and what is rounded, have a target of their own: other numbers here would change the meaning of the
    // corpus.
    const ShapeType type = static_cast<ShapeType>(bytes.below(static_cast<int>(ShapeType::mapping)));
    Shape shape = sphere(1.0f);
    switch (type) {
        case ShapeType::sphere:
            shape = sphere(bytes.size());
            break;
        case ShapeType::capsule: {
            const float half_height = bytes.below(8) == 0 ? 0.0f : bytes.size();
            shape = capsule(half_height, bytes.size());
            break;
        }
        case ShapeType::segment: {
            const float scale = bytes.size(), radius = bytes.below(2) == 0 ? 0.0f : bytes.size();
            const vec3 a = bytes.point(scale), b = bytes.point(scale);
            shape = segment(a, b, radius);
            break;
        }
        case ShapeType::triangle: {
            const float scale = bytes.size(), radius = bytes.below(2) == 0 ? 0.0f : bytes.size();
            const vec3 a = bytes.point(scale), b = bytes.point(scale), c = bytes.point(scale);
            shape = triangle(a, b, c, radius);
            break;
        }
        case ShapeType::box: {
            const float x = bytes.size(), y = bytes.size(), z = bytes.size();
            shape = box({x, y, z});
            break;
        }
        case ShapeType::cylinder: {
            const float half_height = bytes.size();
            shape = cylinder(half_height, bytes.size());
            break;
        }
        case ShapeType::cone: {
            const float half_height = bytes.size();
            shape = cone(half_height, bytes.size());
            break;
        }
        case ShapeType::hull: {
            const int kind = bytes.below(8);
            if (kind == 0) {
                shape = hull(large_hull(bytes.byte()));
                break;
            }
            const auto built = make_hull(read_cloud(bytes, 16));
            shape = built ? hull(*built) : box(vec3(bytes.size()));
            break;
        }
        case ShapeType::mapping:
            break;
    }
    return check(shape) ? sphere(bytes.size()) : shape;
}

}  // namespace talus::fuzz
