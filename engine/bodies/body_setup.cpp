#include "engine/bodies/body_setup.h"

#include "engine/bodies/integrate.h"
#include "engine/settings.h"
#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

Error refuse(ErrorCode code, std::string message) { return {code, std::move(message)}; }

Error check_type(BodyType type) {
    if (type <= BodyType::dynamic) return {};
    return refuse(ErrorCode::bad_argument, "body: type must be one of BodyType's");
}

Error check_continuous(Continuous continuous) {
    if (continuous <= Continuous::all) return {};
    return refuse(ErrorCode::bad_argument, "body: continuous must be one of Continuous's");
}

Error check_finite(const char* call, const char* what, const vec3& v) {
    if (is_finite(v)) return {};
    return refuse(ErrorCode::not_finite,
                  std::string(call) + ": " + what + " has a NaN or an infinity; give finite numbers");
}

Error check_at_least_zero(const char* what, float x) {
    if (!is_finite(x))
        return refuse(ErrorCode::not_finite, std::string(what) + " is a NaN or an infinity; give a finite number");
    if (x < 0.0f) return refuse(ErrorCode::bad_size, std::string(what) + " is negative; give 0 or more");
    return {};
}

Error check_place(const char* call, const char* what, const vec3& v) {
    if (Error error = check_finite(call, what, v)) return error;
    const vec3 far = glm::abs(v);
    if (std::max({far.x, far.y, far.z}) <= largest_size) return {};
    return refuse(ErrorCode::bad_size, std::string(call) + ": " + what +
                                           " is more than 1e6 m from the body's origin; move the body instead");
}

Error check_material(const Material& m) {
    if (Error error = check_at_least_zero("material: friction", m.friction)) return error;
    if (Error error = check_at_least_zero("material: restitution", m.restitution)) return error;
    if (m.restitution > 1.0f)
        return refuse(ErrorCode::bad_size, "material: restitution is above 1; give 0 (no bounce) to 1");
    if (Error error = check_at_least_zero("material: rolling_resistance", m.rolling_resistance)) return error;
    if (Error error = check_at_least_zero("material: grip_across", m.grip_across)) return error;
    if (m.grip_across > 1.0f)
        return refuse(ErrorCode::bad_size,
                      "material: grip_across is above 1; give 0 to 1, and the axis of the greatest grip");
    if (Error error = check_finite("material", "grip_axis", m.grip_axis)) return error;
    if (Error error = check_finite("material", "surface_velocity", m.surface_velocity)) return error;
    return {};
}

Error check_rotation(const quat& q) {
    if (!is_finite(q))
        return refuse(ErrorCode::not_finite, "rotation has a NaN or an infinity; give a unit quaternion");
    const float n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(n2 > 1e-12f) || !is_finite(n2))
        return refuse(ErrorCode::bad_argument, "rotation has no direction: give a unit quaternion (identity is w = 1)");
    return {};
}

Surface surface_of(const Material& material) {
    const glm::dvec3 axis(material.grip_axis);  // of any length whose square a double holds
    const bool has_axis = material.grip_axis != vec3(0.0f);
    return {limited(material.surface_velocity, settings::largest_surface_speed),
            has_axis ? vec3(axis / std::sqrt(glm::dot(axis, axis))) : vec3(0.0f),
            has_axis ? material.grip_across : 1.0f};
}

namespace {

bool is_unset(const Shape& shape) { return shape.type == ShapeType::sphere && shape.radius == 0.0f; }

}  // namespace

std::vector<ShapeDef> shapes_of(const BodyDef& def) {
    if (!def.shapes.empty()) return def.shapes;
    return {ShapeDef{def.shape, Transform{}, def.material, def.density, def.filter, def.sensor, def.hit_events,
                     def.modify_contacts, def.mesh, def.mesh_materials}};
}

Error check_shape(const ShapeDef& shape, BodyType type) {
    if (shape.mesh) {
        if (!is_unset(shape.shape))
            return refuse(ErrorCode::bad_argument, "shape: give either shape or mesh, not both");
        if (type == BodyType::dynamic)
            return refuse(ErrorCode::degenerate_shape,
                          "shape: a mesh has no inside; make the body fixed or kinematic, or of several convex shapes");
    } else if (Error error = check(shape.shape)) {
        return error;
    }
    if (Error error = check_material(shape.material)) return error;
    for (const Material& material : shape.mesh_materials) {
        if (Error error = check_material(material)) return error;
    }
    if (Error error = check_place("shape", "pose", shape.pose.position)) return error;
    if (Error error = check_rotation(shape.pose.rotation)) return error;
    if (Error error = check_at_least_zero("shape: density", shape.density)) return error;
    if (type == BodyType::dynamic && !shape.sensor && !is_solid(shape.shape))
        return refuse(
            ErrorCode::degenerate_shape,
            "shape: a segment or triangle without radius has no volume; give it a radius, or make the body fixed");
    return {};
}

void set_mass(Body& body, std::span<const ShapeDef> shapes) {
    double mass = 0.0;
    glm::dvec3 moment(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_properties(shape.shape, shape.density);
        mass += part.mass;
        moment += static_cast<double>(part.mass) * glm::dvec3(transform_point(shape.pose, part.center));
    }
    body.local_center = mass > 0.0 ? vec3(moment / mass) : vec3(0.0f);
    if (!body.is_dynamic() || !(mass > 0.0)) return;
    glm::dmat3 inertia(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_properties(shape.shape, shape.density);
        const glm::dmat3 r(to_matrix(shape.pose.rotation));
        const glm::dvec3 d = glm::dvec3(transform_point(shape.pose, part.center)) - glm::dvec3(body.local_center);
        const glm::dmat3 shift = glm::dmat3(glm::dot(d, d)) - glm::outerProduct(d, d);
        inertia += r * glm::dmat3(part.inertia) * glm::transpose(r) + static_cast<double>(part.mass) * shift;
    }
    set_inertia(body, mass, 0.5 * (inertia + glm::transpose(inertia)));
}

static glm::dmat3 symmetric(const mat3& m) { return 0.5 * (glm::dmat3(m) + glm::transpose(glm::dmat3(m))); }

Error check_mass_properties(const MassProperties& properties) {
    const mat3& m = properties.inertia;
    const bool finite = is_finite(properties.mass) && is_finite(properties.center) && is_finite(m[0]) &&
                        is_finite(m[1]) && is_finite(m[2]);
    if (!finite) return refuse(ErrorCode::not_finite, "mass properties: mass, center and inertia must be finite");
    if (Error error = check_place("mass properties", "center", properties.center)) return error;
    // Sylvester's criterion.
    const glm::dmat3 d = symmetric(m);
    const bool positive = d[0][0] > 0.0 && d[0][0] * d[1][1] - d[0][1] * d[0][1] > 0.0 && glm::determinant(d) > 0.0;
    if (!(properties.mass > 0.0f) || !positive)
        return refuse(ErrorCode::bad_size, "mass properties: mass must be above 0 and inertia positive definite");
    Body body;
    body.type = BodyType::dynamic;
    set_mass(body, properties);
    return check_mass(body);
}

void set_mass(Body& body, const MassProperties& properties) {
    body.local_center = properties.center;
    set_inertia(body, static_cast<double>(properties.mass), symmetric(properties.inertia));
}

void set_inertia(Body& body, double mass, const glm::dmat3& inertia) {
    body.mass = static_cast<float>(mass);
    body.inverse_mass = static_cast<float>(1.0 / mass);
    body.inertia = mat3(inertia);
    body.inverse_inertia = mat3(glm::inverse(inertia));
    const double mean = (inertia[0][0] + inertia[1][1] + inertia[2][2]) / 3.0;
    double off = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(inertia[i][j] - (i == j ? mean : 0.0)));
    }
    body.principal = principal_inertia(inertia);
    body.isotropic = off <= 1e-6 * mean;  // float rounding of a cube's or a ball's inertia
}

namespace {

/// Radius of a ball that fits into the shape; of a hull, around its middle.
float inner_radius(const Shape& shape) {
    const vec3& half = shape.half_extents;
    switch (shape.type) {
        case ShapeType::box:
            return std::min({half.x, half.y, half.z});
        case ShapeType::cylinder:
            return std::min(half.x, half.y);
        case ShapeType::cone:
            return 0.5f * thickness(shape);  // all of its surface is as far from that ball's centre
        case ShapeType::hull: {
            float least = std::numeric_limits<float>::infinity();
            for (const HullFace& face : shape.hull->faces)
                least = std::min(least, face.offset - glm::dot(face.normal, shape.hull->centroid));
            return least;
        }
        default:
            return shape.radius;
    }
}

/// Radius of a ball around the origin of the shape's frame that holds it, m.
float reach_of(const ShapeDef& shape) {
    if (!shape.mesh) return bounding_radius(shape.shape);
    const Aabb& box = shape.mesh->bounds();
    return std::sqrt(length_squared(glm::max(glm::abs(box.lower), glm::abs(box.upper))));
}

/// Whether the body is a solid of revolution about the first of its principal axes, so that it may spin about that
/// without any change to what it touches.
bool is_round(const Body& body, std::span<const ShapeDef> shapes) {
    if (shapes.size() != 1 || shapes[0].mesh) return false;
    const ShapeDef& def = shapes[0];
    const vec3 offset = def.pose.position - body.local_center;
    const float room = 1e-4f * body.radius;
    switch (def.shape.type) {
        case ShapeType::sphere:
            // One whose centre of mass is elsewhere nutates, and its lever with it, by little and as fast as it spins.
            return body.isotropic && length_squared(offset) <= room * room;
        case ShapeType::capsule:
        case ShapeType::cylinder:
        case ShapeType::cone:
            break;
        default:
            return false;
    }
    const vec3 axis(body.principal.axes[0]);
    const vec3 shape_axis = rotate(def.pose.rotation, {0.0f, 1.0f, 0.0f});
    const bool along = std::abs(glm::dot(axis, shape_axis)) > 1.0f - 1e-6f;
    const vec3 beside = offset - glm::dot(axis, offset) * axis;
    return along && length_squared(beside) <= room * room;
}

}  // namespace

/// See Body::spread.
static vec3 spread_of(const Body& body, std::span<const ShapeDef> shapes) {
    const mat3 axes(body.principal.axes);
    vec3 far(0.0f);
    for (const ShapeDef& shape : shapes) {
        const Aabb box = shape.mesh ? shape.mesh->bounds() : bounds(shape.shape);
        for (int corner = 0; corner < 8; ++corner) {
            const vec3 at((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                          (corner & 4) != 0 ? box.upper.z : box.lower.z);
            const vec3 arm = shape.pose.position + rotate(shape.pose.rotation, at) - body.local_center;
            far = glm::max(far, glm::abs(arm * axes));
        }
    }
    const vec3 far2 = far * far;
    const vec3 spread(std::sqrt(far2.y + far2.z), std::sqrt(far2.z + far2.x), std::sqrt(far2.x + far2.y));
    return glm::min(spread, vec3(body.radius));
}

void set_extent(Body& body, std::span<const ShapeDef> shapes) {
    body.radius = 0.0f;
    body.inner_radius = std::numeric_limits<float>::infinity();
    for (const ShapeDef& shape : shapes) {
        const float far = std::sqrt(length_squared(shape.pose.position - body.local_center));
        body.radius = std::max(body.radius, far + reach_of(shape));
        if (!shape.sensor && !shape.mesh) body.inner_radius = std::min(body.inner_radius, inner_radius(shape.shape));
    }
    body.stale_by_spin = body.stale_by_tilt = body.gyration = 0.0f;
    body.spread = vec3(body.radius);
    if (!body.is_dynamic()) return;
    body.spread = spread_of(body, shapes);
    const glm::dvec3& m = body.principal.moments;
    body.gyration = static_cast<float>(std::sqrt(std::min({m.x, m.y, m.z}) / static_cast<double>(body.mass)));
    body.stale_by_tilt = body.radius / (settings::stale_turn * body.gyration);
    // As of a body that is as wide as it is long: a stick's own width counts there, which its moment tells of.
    constexpr float wide = 2.1f;
    body.stale_by_spin = m.x < m.y ? std::min(body.stale_by_tilt, wide / settings::stale_turn) : body.stale_by_tilt;
    if (is_round(body, shapes)) {
        body.stale_by_spin = 0.0f;
        if (body.isotropic && shapes[0].shape.type == ShapeType::sphere) body.stale_by_tilt = 0.0f;
    }
}

Error check_body(const BodyDef& def) {
    if (Error error = check_type(def.type)) return error;
    if (Error error = check_continuous(def.continuous)) return error;
    if (!def.shapes.empty() && (!is_unset(def.shape) || def.mesh))
        return refuse(ErrorCode::bad_argument, "body: give either shape or shapes, not both");
    if (def.shapes.empty() && is_unset(def.shape) && !def.mesh)
        return refuse(ErrorCode::bad_argument, "body: it has no shape; set shape, for example talus::sphere(0.5f)");
    if (Error error = check_finite("body", "position", def.position)) return error;
    if (Error error = check_finite("body", "linear_velocity", def.linear_velocity)) return error;
    if (Error error = check_finite("body", "angular_velocity", def.angular_velocity)) return error;
    if (Error error = check_rotation(def.rotation)) return error;
    if (Error error = check_at_least_zero("body: linear_damping", def.linear_damping)) return error;
    if (Error error = check_at_least_zero("body: angular_damping", def.angular_damping)) return error;
    for (const float limit : {def.max_speed, def.max_spin}) {
        if (!(limit > 0.0f))
            return refuse(ErrorCode::bad_size, "body: max_speed and max_spin must be above 0; infinity for none");
    }
    if (!is_finite(def.gravity_scale)) return refuse(ErrorCode::not_finite, "body: gravity_scale must be finite");
    if (def.locks >= 64) return refuse(ErrorCode::bad_argument, "body: locks must be made of the flags of AxisLock");
    const std::vector<ShapeDef> shapes = shapes_of(def);
    for (const ShapeDef& shape : shapes) {
        if (Error error = check_shape(shape, def.type)) return error;
    }
    if (def.type != BodyType::dynamic) return {};
    if (def.mass_properties) return check_mass_properties(*def.mass_properties);
    Body body;
    body.type = def.type;
    set_mass(body, shapes);
    return check_mass(body);
}

Error check_mass(const Body& body) {
    if (!(body.mass > 0.0f))
        return refuse(ErrorCode::bad_size,
                      "body: a dynamic body needs mass; give a shape that is no sensor a density above 0, or make the "
                      "body fixed");
    if (body.mass > settings::largest_mass)
        return refuse(ErrorCode::bad_size,
                      "body: its mass is above 1e15 kg; change its density or size, or make the body fixed");
    const auto fits = [](const mat3& m) {
        return is_finite(m[0]) && is_finite(m[1]) && is_finite(m[2]) && m[0][0] > 0.0f && m[1][1] > 0.0f &&
               m[2][2] > 0.0f;
    };
    if (!is_finite(body.mass) || !is_finite(body.inverse_mass) || !fits(body.inertia) || !fits(body.inverse_inertia))
        return refuse(
            ErrorCode::bad_size,
            "body: its mass or inertia, or one over it, is beyond what a float holds; change its density or size");
    return {};
}

}  // namespace talus
