#include "engine/bodies/body_setup.h"

#include <talus/narrowphase/mapping_solid.h>

#include "engine/bodies/free_turn.h"
#include "engine/features.h"
#include "engine/settings.h"
#include "engine/world/error_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

Error check_type(BodyType type) { return check_enumerator("type", type, BodyType::dynamic, "BodyType"); }

Error check_continuous(Continuous continuous) {
    return check_enumerator("continuous", continuous, Continuous::all, "Continuous");
}

Error check_locks(std::uint8_t locks) {
    if (locks < 64) return {};
    return out_of_range(ErrorCode::bad_argument, "locks", text(locks), "a combination of AxisLock flags (0 to 63)");
}

Error check_material(const Material& m) {
    if (Error error = check_at_least_zero("friction", m.friction, "")) return error;
    if (Error error = check_fraction("restitution", m.restitution, "0 (no bounce) to 1")) return error;
    if (Error error = check_at_least_zero("rolling_resistance", m.rolling_resistance, "")) return error;
    if (Error error =
            check_fraction("grip_across", m.grip_across, "0 to 1, with grip_axis along the greatest friction"))
        return error;
    if (Error error = check_finite("grip_axis", m.grip_axis, "")) return error;
    return check_finite("surface_velocity", m.surface_velocity, "m/s");
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
        if (!with_meshes)
            return {ErrorCode::bad_argument, "mesh is set; this library was built without meshes (TALUS_MESHES=OFF)."};
        if (!is_unset(shape.shape)) return {ErrorCode::bad_argument, "shape and mesh are both set; set one of them."};
        if (type == BodyType::dynamic && !shape.mesh->is_solid())
            return {ErrorCode::degenerate_shape,
                    "mesh is set and the body is dynamic; the mesh must be a solid (MeshDef::solid), or the body fixed "
                    "or kinematic."};
    } else if (Error error = within("shape: ", check(shape.shape))) {
        return error;
    }
    if (Error error = within("material.", check_material(shape.material))) return error;
    for (std::size_t i = 0; i < shape.mesh_materials.size(); ++i) {
        if (Error error = within("mesh_materials", i, ".", check_material(shape.mesh_materials[i]))) return error;
    }
    if (Error error = check_place("pose.position", shape.pose.position)) return error;
    if (Error error = check_rotation("pose.rotation", shape.pose.rotation)) return error;
    if (Error error = check_at_least_zero("density", shape.density, "kg/m^3")) return error;
    if (type == BodyType::dynamic && !shape.sensor && !shape.mesh && !is_solid(shape.shape))
        return {
            ErrorCode::degenerate_shape,
            "shape is a " + std::string(name_of(shape.shape.type)) +
                " of radius 0 and the body is dynamic; its radius must be > 0 (m), or the body fixed or kinematic."};
    return {};
}

/// Returns the mass properties of a shape in its own frame. A mesh that bounds no solid has none.
static MassProperties mass_of(const ShapeDef& shape) {
    if (!shape.mesh) return mass_properties(shape.shape, shape.density);
    MassProperties mass = shape.mesh->solid_mass();
    mass.mass *= shape.density;
    mass.inertia *= shape.density;
    return mass;
}

void set_mass(Body& body, std::span<const ShapeDef> shapes) {
    double mass = 0.0;
    glm::dvec3 moment(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_of(shape);
        mass += part.mass;
        moment += static_cast<double>(part.mass) * glm::dvec3(transform_point(shape.pose, part.center));
    }
    body.local_center = mass > 0.0 ? vec3(moment / mass) : vec3(0.0f);
    if (!body.is_dynamic() || !(mass > 0.0)) return;
    glm::dmat3 inertia(0.0);
    for (const ShapeDef& shape : shapes) {
        if (shape.sensor) continue;
        const MassProperties part = mass_of(shape);
        const glm::dmat3 r(to_matrix(shape.pose.rotation));
        const glm::dvec3 d = glm::dvec3(transform_point(shape.pose, part.center)) - glm::dvec3(body.local_center);
        const glm::dmat3 shift = glm::dmat3(glm::dot(d, d)) - glm::outerProduct(d, d);
        inertia += r * glm::dmat3(part.inertia) * glm::transpose(r) + static_cast<double>(part.mass) * shift;
    }
    set_inertia(body, mass, 0.5 * (inertia + glm::transpose(inertia)));
}

static glm::dmat3 symmetric(const mat3& m) { return 0.5 * (glm::dmat3(m) + glm::transpose(glm::dmat3(m))); }

/// A dynamic body needs a mass, and one that floats can compute with.
static Error check_mass(const Body& body) {
    if (!(body.mass > 0.0f))
        return out_of_range(ErrorCode::bad_size, "mass", text(body.mass),
                            "> 0 (kg): a dynamic body needs a shape that is not a sensor, with a density > 0");
    if (body.mass > settings::largest_mass)
        return out_of_range(ErrorCode::bad_size, "mass", text(body.mass), "at most 1e15 (kg)");
    const auto fits = [](const mat3& m) {
        return is_finite(m[0]) && is_finite(m[1]) && is_finite(m[2]) && m[0][0] > 0.0f && m[1][1] > 0.0f &&
               m[2][2] > 0.0f;
    };
    if (is_finite(body.inverse_mass) && fits(body.inertia.full()) && fits(body.inverse_inertia.full())) return {};
    const vec3 moments = body.inertia.diagonal;
    return {ErrorCode::bad_size, "mass is " + text(body.mass) + " kg and the diagonal of inertia is " + text(moments) +
                                     " kg m^2; both and their inverses must be within the range of floats."};
}

Error check_mass_properties(const MassProperties& properties) {
    const mat3& m = properties.inertia;
    constexpr std::string_view masses = "> 0 and at most 1e15 (kg)";
    if (!is_finite(properties.mass)) return out_of_range(ErrorCode::not_finite, "mass", text(properties.mass), masses);
    if (!is_finite(m[0]) || !is_finite(m[1]) || !is_finite(m[2])) return not_finite("inertia", m, "kg m^2");
    if (Error error = check_place("center", properties.center)) return error;
    if (!(properties.mass > 0.0f)) return out_of_range(ErrorCode::bad_size, "mass", text(properties.mass), masses);
    // Sylvester's criterion.
    const glm::dmat3 d = symmetric(m);
    if (!(d[0][0] > 0.0 && d[0][0] * d[1][1] - d[0][1] * d[0][1] > 0.0 && glm::determinant(d) > 0.0))
        return out_of_range(ErrorCode::bad_size, "inertia", text(m), "positive definite (kg m^2)");
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
    body.inertia = SymmetricMatrix(inertia);
    body.inverse_inertia = SymmetricMatrix(glm::inverse(inertia));
    const double mean = (inertia[0][0] + inertia[1][1] + inertia[2][2]) / 3.0;
    double off = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) off = std::max(off, std::abs(inertia[i][j] - (i == j ? mean : 0.0)));
    }
    body.principal = principal_inertia(inertia);
    body.isotropic = off <= 1e-6 * mean;  // float rounding of a cube's or a ball's inertia
}

namespace {

/// Radius of a ball that fits into the shape; of a hull or mapping, around its middle.
float inner_radius(const Shape& shape) {
    const vec3& half = shape.half_extents;
    switch (shape.type) {
        case ShapeType::box:
            return std::min({half.x, half.y, half.z}) + shape.radius;
        case ShapeType::cylinder:
            return std::min(half.x, half.y);
        case ShapeType::cone:
            return 0.5f * thickness(shape);  // all of its surface is as far from that ball's centre
        case ShapeType::hull: {
            float least = std::numeric_limits<float>::infinity();
            for (const HullFace& face : shape.hull->faces)
                least = std::min(least, face.offset - glm::dot(face.normal, shape.hull->centroid));
            return least + shape.radius;
        }
        case ShapeType::mapping:
            return shape.mapping->inner_radius;
        default:
            return shape.radius;
    }
}

/// Radius of a ball around the origin of the shape's frame that holds it, m.
float reach_of(const ShapeDef& shape) {
    if (!shape.mesh) return bounding_radius(shape.shape);
    const Aabb& box = shape.mesh->bounds();
    return std::sqrt(length_squared(glm::max(absolute(box.lower), absolute(box.upper))));
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
    const vec3 axis(body.principal.x_axis);
    const vec3 shape_axis = rotate(def.pose.rotation, {0.0f, 1.0f, 0.0f});
    const bool along = std::abs(glm::dot(axis, shape_axis)) > 1.0f - 1e-6f;
    const vec3 beside = offset - glm::dot(axis, offset) * axis;
    return along && length_squared(beside) <= room * room;
}

}  // namespace

/// See Body::spread.
static vec3 spread_of(const Body& body, std::span<const ShapeDef> shapes) {
    const mat3 axes(body.principal.axes());
    vec3 far(0.0f);
    for (const ShapeDef& shape : shapes) {
        const Aabb box = shape.mesh ? shape.mesh->bounds() : bounds(shape.shape);
        for (int corner = 0; corner < 8; ++corner) {
            const vec3 at((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                          (corner & 4) != 0 ? box.upper.z : box.lower.z);
            const vec3 arm = shape.pose.position + rotate(shape.pose.rotation, at) - body.local_center;
            far = glm::max(far, absolute(arm * axes));
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
        if (shape.sensor || (shape.mesh && !shape.mesh->is_solid())) continue;
        body.inner_radius =
            std::min(body.inner_radius, shape.mesh ? 0.5f * shape.mesh->solid_thickness() : inner_radius(shape.shape));
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

Error check_shapes(std::span<const ShapeDef> shapes, BodyType type) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (Error error = within("shapes", i, ".", check_shape(shapes[i], type))) return error;
    }
    return {};
}

Error check_mass(std::span<const ShapeDef> shapes) {
    Body body;
    body.type = BodyType::dynamic;
    set_mass(body, shapes);
    return check_mass(body);
}

Error check_body(const BodyDef& def) {
    if (Error error = check_type(def.type)) return error;
    if (Error error = check_continuous(def.continuous)) return error;
    if (!def.shapes.empty() && (!is_unset(def.shape) || def.mesh))
        return {ErrorCode::bad_argument,
                std::string(def.mesh ? "mesh" : "shape") + " and shapes are both set; set one of them."};
    if (def.shapes.empty() && is_unset(def.shape) && !def.mesh)
        return {ErrorCode::bad_argument,
                "shape is not set; set shape, mesh or shapes, for example .shape = talus::sphere(0.5f)."};
    if (Error error = check_position("position", def.position)) return error;
    if (Error error = check_finite("linear_velocity", def.linear_velocity, "m/s")) return error;
    if (Error error = check_finite("angular_velocity", def.angular_velocity, "rad/s")) return error;
    if (Error error = check_rotation("rotation", def.rotation)) return error;
    if (Error error = check_at_least_zero("linear_damping", def.linear_damping, "1/s")) return error;
    if (Error error = check_at_least_zero("angular_damping", def.angular_damping, "1/s")) return error;
    if (Error error = check_speed_limit("max_speed", def.max_speed, "m/s")) return error;
    if (Error error = check_speed_limit("max_spin", def.max_spin, "rad/s")) return error;
    if (Error error = check_gravity_scale("gravity_scale", def.gravity_scale)) return error;
    if (Error error = check_locks(def.locks)) return error;
    const std::vector<ShapeDef> shapes = shapes_of(def);
    // The fields of a single shape are the definition's own.
    if (Error error = def.shapes.empty() ? check_shape(shapes[0], def.type) : check_shapes(shapes, def.type))
        return error;
    if (def.mass_properties) return within("mass_properties.", check_mass_properties(*def.mass_properties));
    return def.type == BodyType::dynamic ? check_mass(shapes) : Error{};
}

}  // namespace talus
