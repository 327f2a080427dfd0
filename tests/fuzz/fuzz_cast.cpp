#include "tests/fuzz/bytes.h"
#include "tests/fuzz/solids.h"
#include "tests/fuzz/targets.h"
#include "tests/narrowphase/oracle/judge.h"

#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/swept.h>
#include <talus/narrowphase/time_of_impact.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::fuzz {

namespace {

using glm::dvec3;

constexpr int rays = 4;
constexpr int samples = 64;

std::string describe(const Shape& shape, const vec3& origin, const vec3& translation, const std::string& what) {
    char text[300];
    std::snprintf(text, sizeof text, "ray from {%af, %af, %af} by {%af, %af, %af}: ", static_cast<double>(origin.x),
                  static_cast<double>(origin.y), static_cast<double>(origin.z), static_cast<double>(translation.x),
                  static_cast<double>(translation.y), static_cast<double>(translation.z));
    return test::reproduce(shape, sphere(1.0f), {}) + text + what + "\n";
}

std::string check_ray(const Shape& shape, const oracle::Solid& solid, const vec3& origin, const vec3& translation) {
    const RayHit hit = ray_cast(shape, origin, translation);
    const dvec3 o(origin), d(translation);
    const auto complain = [&](const char* format, double value) {
        char text[120];
        std::snprintf(text, sizeof text, format, value);
        return describe(shape, origin, translation, text);
    };
    if (std::isnan(hit.fraction) || std::isnan(glm::dot(hit.normal, hit.normal)))
        return complain("not a number%g", 0.0);
    // A fraction is a float: the point it names is that far from the exact one.
    const double length = glm::length(d);
    const double reach = std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) + length;
    const double allowed = std::max(1e-4 * solid.size, 16.0 * 0x1p-24 * reach);
    if (hit.hit) {
        if (!(hit.fraction >= 0.0f && hit.fraction <= 1.0f)) return complain("fraction %g", hit.fraction);
        const double normal = glm::length(dvec3(hit.normal));
        if (normal != 0.0 && !(std::abs(normal - 1.0) < 1e-5)) return complain("normal of length %g", normal);
        if (normal == 0.0 && hit.fraction > 0.0f) return complain("no normal at fraction %g", hit.fraction);
        const double outside = oracle::distance_outside(solid, o + double(hit.fraction) * d);
        if (outside > allowed) return complain("hit a point that is %g outside", outside);
        if (normal != 0.0 && glm::dot(dvec3(hit.normal), d) > 1e-3 * length)
            return complain("the normal looks along the ray: %g", glm::dot(dvec3(hit.normal), d) / length);
    }
    // Before the hit, or all along a miss, the ray is outside.
    const double end = hit.hit ? static_cast<double>(hit.fraction) : 1.0;
    for (int i = 0; i <= samples; ++i) {
        const double t = end * i / samples;
        if (oracle::distance_outside(solid, o + t * d) < -allowed && !(hit.hit && hit.fraction == 0.0f))
            return complain(hit.hit ? "was inside before the hit, at %g" : "missed, but is inside at %g", t);
    }
    return {};
}

/// What casts may be off by, m: as of distances, with the way that is travelled among the coordinates.
double allowed_error(const oracle::Solid& a, const oracle::Solid& b, double way) {
    return std::max(1e-4 * std::min(a.size, b.size), 16.0 * 0x1p-24 * way);
}

float separation_at(const Shape& a, const Shape& b, const MatrixTransform& frame) {
    SimplexCache cache;
    return separation(a, b, frame, cache).separation;
}

bool is_promised(const Shape& a, const Shape& b) {
    const oracle::Solid sa = make_solid(a), sb = make_solid(b);
    return std::max(sa.size / sb.size, sb.size / sa.size) <= 1e4;
}

std::string check_shape_cast(const Shape& a, const Shape& b, const MatrixTransform& from, const vec3& translation,
                             float target) {
    const oracle::Solid solid_a = make_solid(a), solid_b = make_solid(b);
    const ShapeCastResult r = shape_cast(a, b, from, translation, target);
    const auto complain = [&](const std::string& what, double value) {
        char text[400];
        std::snprintf(text, sizeof text, "shape cast by {%af, %af, %af}, target %af: %s: %.9g\n",
                      static_cast<double>(translation.x), static_cast<double>(translation.y),
                      static_cast<double>(translation.z), static_cast<double>(target), what.c_str(), value);
        return test::reproduce(a, b, from) + text;
    };
    if (std::isnan(r.fraction) || std::isnan(r.separation) || std::isnan(glm::dot(r.normal, r.normal)) ||
        std::isnan(glm::dot(r.point_a, r.point_b)))
        return complain("not a number", 0.0);
    if (!(r.fraction >= 0.0f && r.fraction <= 1.0f)) return complain("fraction", r.fraction);
    const double normal = glm::length(dvec3(r.normal));
    if (r.status == CastStatus::miss ? normal != 0.0 : !(std::abs(normal - 1.0) < 1e-5))
        return complain("normal's length", normal);
    const double way = glm::length(dvec3(translation)) + glm::length(dvec3(from.position)) + solid_a.size +
                       solid_b.size + glm::length(solid_a.center) + glm::length(solid_b.center);
    const double allowed = allowed_error(solid_a, solid_b, way);
    const auto pose = [&](double t) {
        return MatrixTransform{vec3(dvec3(from.position) + t * dvec3(translation)), from.rotation};
    };
    if (r.status == CastStatus::initially_overlapping) {
        const float start = separation_at(a, b, from);
        if (start > target + allowed) return complain("initially overlapping, but apart by", start);
        return {};
    }
    if (r.status == CastStatus::hit) {
        const float there = separation_at(a, b, pose(r.fraction));
        if (std::abs(there - target) > 2.0 * allowed) return complain("hit at a separation of", there);
        const double along = glm::dot(dvec3(r.normal), dvec3(translation));
        if (along > 1e-3 * glm::length(dvec3(translation))) return complain("the normal looks along the way", along);
    }
    for (int i = 0; i <= 16; ++i) {
        const double t = static_cast<double>(r.fraction) * i / 16.0;
        const float s = separation_at(a, b, pose(t));
        if (s < target - 2.0 * allowed) return complain("too near before the contact, at " + std::to_string(t), s);
    }
    return {};
}

/// The papers' swept tests: the same question as a shape cast's without a target distance, and grazing may fall to
/// either side.
std::string check_swept(const Shape& a, const Shape& b, const MatrixTransform& from, const vec3& translation) {
    const oracle::Solid solid_a = make_solid(a), solid_b = make_solid(b);
    const double way = glm::length(dvec3(translation)) + glm::length(dvec3(from.position)) + solid_a.size +
                       solid_b.size + glm::length(solid_a.center) + glm::length(solid_b.center);
    const double allowed = 2.0 * allowed_error(solid_a, solid_b, way);
    const auto at = [&](double t) {
        return separation_at(a, b, {vec3(dvec3(from.position) + t * dvec3(translation)), from.rotation});
    };
    float nearest[17];
    for (int i = 0; i <= 16; ++i) nearest[i] = at(i / 16.0);
    for (int i = 0; i < swept_method_count; ++i) {
        const SweptMethod method = static_cast<SweptMethod>(i);
        const SweptResult r = swept_test(a, b, from, translation, method);
        const auto complain = [&](const std::string& what, double value) {
            char text[400];
            std::snprintf(text, sizeof text, "swept by {%af, %af, %af}, %s: hit %d at %.9g: %s: %.9g\n",
                          static_cast<double>(translation.x), static_cast<double>(translation.y),
                          static_cast<double>(translation.z), std::string(name_of(method)).c_str(), int(r.hit),
                          static_cast<double>(r.fraction), what.c_str(), value);
            return test::reproduce(a, b, from) + text;
        };
        if (!(r.fraction >= 0.0f && r.fraction <= 1.0f)) return complain("fraction", r.fraction);
        if (!r.hit && r.fraction != 1.0f) return complain("a miss that ends early", r.fraction);
        if (r.hit && at(r.fraction) > allowed) return complain("hit at a separation of", at(r.fraction));
        if (method == SweptMethod::folded && r.hit) continue;  // at some time of overlap
        for (int k = 0; k <= 16; ++k) {
            if (k / 16.0 < r.fraction && nearest[k] < -allowed)
                return complain("overlapping before the contact, at " + std::to_string(k) + " / 16", nearest[k]);
        }
    }
    return {};
}

std::string check_time_of_impact(const Shape& a, const RigidMotion& motion_a, const Shape& b,
                                 const RigidMotion& motion_b) {
    const oracle::Solid solid_a = make_solid(a), solid_b = make_solid(b);
    const TimeOfImpact r = time_of_impact(a, motion_a, b, motion_b);
    const auto complain = [&](const std::string& what, double value) {
        std::string text = test::reproduce(a, b, to_matrix_transform(relative(motion_a.start, motion_b.start)));
        for (const RigidMotion* m : {&motion_a, &motion_b}) {
            char line[600];
            const quat& q = m->start.rotation;
            const auto d = [](float x) { return static_cast<double>(x); };
            std::snprintf(
                line, sizeof line,
                "RigidMotion{{{%af, %af, %af}, quat(%af, %af, %af, %af)}, {%af, %af, %af}, {%af, %af, %af}, {%af, %af, "
                "%af}}\n",
                d(m->start.position.x), d(m->start.position.y), d(m->start.position.z), d(q.w), d(q.x), d(q.y), d(q.z),
                d(m->center.x), d(m->center.y), d(m->center.z), d(m->linear_velocity.x), d(m->linear_velocity.y),
                d(m->linear_velocity.z), d(m->angular_velocity.x), d(m->angular_velocity.y), d(m->angular_velocity.z));
            text += line;
        }
        char line[200];
        std::snprintf(line, sizeof line, "time of impact %.9g: %s: %.9g\n", static_cast<double>(r.time), what.c_str(),
                      value);
        return text + line;
    };
    if (std::isnan(r.time) || std::isnan(r.separation) || std::isnan(glm::dot(r.normal, r.normal)) ||
        std::isnan(glm::dot(r.point_a, r.point_b)))
        return complain("not a number", 0.0);
    if (!(r.time >= 0.0f && r.time <= 1.0f)) return complain("time", r.time);
    const double way = glm::length(dvec3(motion_a.start.position)) + glm::length(dvec3(motion_b.start.position)) +
                       glm::length(dvec3(motion_a.linear_velocity)) + glm::length(dvec3(motion_b.linear_velocity)) +
                       4.0 * (solid_a.size + solid_b.size + glm::length(solid_a.center) + glm::length(solid_b.center)) +
                       4.0 * (glm::length(dvec3(motion_a.center)) + glm::length(dvec3(motion_b.center)));
    const double allowed = 2.0 * allowed_error(solid_a, solid_b, way);
    const auto at = [&](float time) {
        return separation_at(a, b, to_matrix_transform(relative(pose_at(motion_a, time), pose_at(motion_b, time))));
    };
    if (r.status == ToiStatus::bad_input) return complain("bad input", 0.0);
    if (r.status == ToiStatus::initially_overlapping) {
        const float start = at(0.0f);
        return start > allowed ? complain("initially overlapping, but apart by", start) : std::string();
    }
    if (r.status == ToiStatus::hit && std::abs(at(r.time)) > 2.0 * allowed)
        return complain("hit at a separation of", at(r.time));
    for (int i = 0; i <= 16; ++i) {
        const float time = r.time * static_cast<float>(i) / 16.0f;
        if (at(time) < -allowed)
            return complain("overlapping before the contact, at " + std::to_string(time), at(time));
    }
    return {};
}

}  // namespace

std::string fuzz_cast(Input input) {
    Bytes bytes(input);
    const Shape shape = read_shape(bytes);
    if (bytes.below(4) != 0) {
        const Shape other = read_shape(bytes);
        const float reach = bounding_radius(shape) + bounding_radius(other);
        const Transform pose = bytes.pose(reach);
        const bool promised = is_promised(shape, other);
        if (bytes.below(2) == 0) {
            const vec3 target = bytes.below(2) == 0 ? -pose.position : bytes.point(reach);
            const float near = bytes.below(4) == 0 ? bytes.size() : 0.0f;
            std::string complaint = check_shape_cast(shape, other, to_matrix_transform(pose), target, near);
            if (complaint.empty()) complaint = check_swept(shape, other, to_matrix_transform(pose), target);
            return promised ? complaint : std::string();
        }
        RigidMotion a, b;
        b.start = pose;
        b.linear_velocity = bytes.below(2) == 0 ? -pose.position : bytes.point(reach);
        if (bytes.below(2) == 0) a.angular_velocity = bytes.point(4.0f);
        if (bytes.below(2) == 0) b.angular_velocity = bytes.point(4.0f);
        if (bytes.below(4) == 0) a.center = bytes.point(bounding_radius(shape));
        if (bytes.below(4) == 0) b.center = bytes.point(bounding_radius(other));
        // Turning by thousands of radians between two samples would make the samples mean nothing.
        for (vec3* w : {&a.angular_velocity, &b.angular_velocity}) *w = glm::clamp(*w, vec3(-20.0f), vec3(20.0f));
        const std::string complaint = check_time_of_impact(shape, a, other, b);
        return promised ? complaint : std::string();
    }
    const oracle::Solid solid = make_solid(shape);
    const float size = bounding_radius(shape);
    for (int i = 0; i < rays && (i == 0 || !bytes.empty()); ++i) {
        const vec3 origin = bytes.point(size), target = bytes.point(size);
        const vec3 translation = bytes.below(2) == 0 ? target - origin : target;
        std::string complaint = check_ray(shape, solid, origin, translation);
        if (!complaint.empty()) return complaint;
    }
    return {};
}

}  // namespace talus::fuzz
