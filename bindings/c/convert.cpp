#include "bindings/c/convert.h"

#include <talus/narrowphase/mapping_solid.h>

#include <algorithm>

namespace talus::c {

void write(const Error& error, TalusError* out) {
    if (out == nullptr) return;
    *out = {};
    out->code = static_cast<TalusErrorCode>(error.code);
    const std::size_t length = std::min(error.message.size(), sizeof out->message - 1);
    std::memcpy(out->message, error.message.data(), length);
}

// ---- Shapes and bodies ----------------------------------------------------------------------------------------------

Shape from(const TalusShape& shape, Error& error) {
    if (shape.type == TALUS_SUPERELLIPSOID || shape.type == TALUS_CONVEX_SUM) {
        const bool is_sum = shape.type == TALUS_CONVEX_SUM;
        const std::string name = is_sum ? "convex_sum" : "superellipsoid";
        const MappingKind kind = is_sum ? MappingKind::convex_sum : MappingKind::superellipsoid;
        if (shape.mapping == nullptr || shape.mapping->solid->kind != kind) {
            refuse(error, ErrorCode::bad_argument,
                   name + ": its `mapping` is none; talus_" + name + "_create() makes one");
        } else if (shape.radius != 0.0f) {
            refuse(error, ErrorCode::bad_argument, name + ": its `radius` must be 0");
        }
        return error ? Shape{} : mapping_shape(shape.mapping->solid);
    }
    Shape s;
    s.type = enum_from<ShapeType>(shape.type, TALUS_CONVEX_SUM + 1, "the shape's type", error);
    s.radius = shape.radius;
    s.half_extents = from(shape.half_extents);
    for (int i = 0; i < 3; ++i) s.points[i] = from(shape.points[i]);
    if (s.type == ShapeType::hull && shape.hull != nullptr) s.hull = shape.hull->hull;
    if (s.type == ShapeType::mapping && !error) {
        if (s.radius != 0.0f) {
            error = {ErrorCode::bad_argument, "ellipsoid: its `radius` must be 0; the radii are the half extents."};
            return s;
        }
        const Result<Shape> made = ellipsoid(s.half_extents);
        if (!made) {
            error = made.error();
            return s;
        }
        s = *made;
    }
    return s;
}

TalusShape to_c(const Shape& shape, const TalusHull* hull, const TalusMapping* mapping) {
    TalusShape s{};
    s.type = static_cast<TalusShapeType>(shape.type);
    s.radius = shape.radius;
    s.half_extents = to_c(shape.half_extents);
    for (int i = 0; i < 3; ++i) s.points[i] = to_c(shape.points[i]);
    s.hull = hull;
    if (shape.type == ShapeType::mapping) {  // a mapping of a C++ program's own has no radii
        const MappingKind kind = shape.mapping ? shape.mapping->kind : MappingKind::ellipsoid;
        if (kind == MappingKind::superellipsoid) s.type = TALUS_SUPERELLIPSOID;
        if (kind == MappingKind::convex_sum) s.type = TALUS_CONVEX_SUM;
        s.radius = 0.0f;
        if (shape.mapping) s.half_extents = to_c(shape.mapping->radii);
        s.mapping = mapping;
    }
    return s;
}

Filter from(const TalusFilter& filter) { return {filter.category, filter.mask, filter.group}; }
TalusFilter to_c(const Filter& filter) { return {filter.category, filter.mask, filter.group}; }

Material from(const TalusMaterial& m) {
    return {.friction = m.friction,
            .restitution = m.restitution,
            .rolling_resistance = m.rolling_resistance,
            .grip_axis = from(m.grip_axis),
            .grip_across = m.grip_across,
            .surface_velocity = from(m.surface_velocity)};
}

TalusMaterial to_c(const Material& m) {
    return {m.friction,        m.restitution, m.rolling_resistance,
            to_c(m.grip_axis), m.grip_across, to_c(m.surface_velocity)};
}

MassProperties from(const TalusMassProperties& p) { return {p.mass, from(p.center), from(p.inertia)}; }
TalusMassProperties to_c(const MassProperties& p) { return {p.mass, to_c(p.center), to_c(p.inertia)}; }

namespace {

std::vector<Material> materials_from(const TalusMaterial* materials, std::size_t count, Error& error) {
    if (count > 0) need(materials, "mesh_materials", error);
    std::vector<Material> result;
    if (error) return result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(from(materials[i]));
    return result;
}

ShapeDef shape_from(const TalusShapeDef* given, Error& error) {
    const TalusShapeDef def = sized(given, talus_shape_def(), "talus_shape_def", error);
    ShapeDef s;
    if (error) return s;
    if (def.mesh != nullptr) {
        s.mesh = def.mesh->set;
    } else {
        s.shape = from(def.shape, error);
    }
    s.pose = from(def.pose);
    s.material = from(def.material);
    s.density = def.density;
    s.filter = from(def.filter);
    s.sensor = flag(def.sensor);
    s.hit_events = flag(def.hit_events);
    s.modify_contacts = flag(def.modify_contacts);
    s.mesh_materials = materials_from(def.mesh_materials, def.mesh_material_count, error);
    return s;
}

}  // namespace

std::vector<ShapeDef> shapes_from(const TalusShapeDef* shapes, std::size_t count, Error& error) {
    std::vector<ShapeDef> result;
    for_each_of(shapes, count, "shapes", error,
                [&](const TalusShapeDef* shape) { result.push_back(shape_from(shape, error)); });
    return result;
}

BodyDef from(const TalusBodyDef* given, Error& error) {
    const TalusBodyDef def = sized(given, talus_body_def(), "talus_body_def", error);
    BodyDef b;
    if (error) return b;
    b.type = enum_from<BodyType>(def.type, 3, "the body's type", error);
    b.position = from(def.position);
    b.rotation = from(def.rotation);
    b.linear_velocity = from(def.linear_velocity);
    b.angular_velocity = from(def.angular_velocity);
    if (def.shape_count > 0) {
        b.shapes = shapes_from(def.shapes, def.shape_count, error);
    } else if (def.mesh != nullptr) {
        b.mesh = def.mesh->set;
    } else {
        b.shape = from(def.shape, error);
    }
    b.material = from(def.material);
    b.mesh_materials = materials_from(def.mesh_materials, def.mesh_material_count, error);
    b.density = def.density;
    b.sensor = flag(def.sensor);
    b.hit_events = flag(def.hit_events);
    b.modify_contacts = flag(def.modify_contacts);
    b.filter = from(def.filter);
    if (def.mass_properties != nullptr) b.mass_properties = from(*def.mass_properties);
    b.linear_damping = def.linear_damping;
    b.angular_damping = def.angular_damping;
    b.max_speed = def.max_speed;
    b.max_spin = def.max_spin;
    b.gravity_scale = def.gravity_scale;
    b.locks = def.locks;
    b.allow_sleep = flag(def.allow_sleep);
    b.continuous = enum_from<Continuous>(def.continuous, 3, "continuous", error);
    b.user_data = def.user_data;
    return b;
}

// ---- World ----------------------------------------------------------------------------------------------------------

WorldDef from(const TalusWorldDef* given, Error& error) {
    const TalusWorldDef def = sized(given, talus_world_def(), "talus_world_def", error);
    WorldDef w;
    if (error) return w;
    w.gravity = from(def.gravity);
    w.substeps = def.substeps;
    w.allow_sleep = flag(def.allow_sleep);
    w.sleep_speed = def.sleep_speed;
    w.time_to_sleep = def.time_to_sleep;
    w.contact_rate = def.contact_rate;
    w.handle_tag = def.handle_tag;
    w.max_speed = def.max_speed;
    w.hit_speed = def.hit_speed;
    w.continuous = flag(def.continuous);
    w.enable_skip = flag(def.enable_skip);
    w.enable_reuse = flag(def.enable_reuse);
    w.enable_closed_form = flag(def.enable_closed_form);
    w.enable_axis = flag(def.enable_axis);
    w.enable_warm_gjk = flag(def.enable_warm_gjk);
    w.enable_warm_epa = flag(def.enable_warm_epa);
    w.enable_joint_batches = flag(def.enable_joint_batches);
    w.timing = enum_from<Timing>(def.timing, 3, "timing", error);
    w.hash_stages = flag(def.hash_stages);
    return w;
}

TalusWorldDef to_c(const WorldDef& w) {
    TalusWorldDef def{};
    def.size = sizeof def;
    def.gravity = to_c(w.gravity);
    def.substeps = w.substeps;
    def.allow_sleep = w.allow_sleep;
    def.sleep_speed = w.sleep_speed;
    def.time_to_sleep = w.time_to_sleep;
    def.contact_rate = w.contact_rate;
    def.handle_tag = w.handle_tag;
    def.max_speed = w.max_speed;
    def.hit_speed = w.hit_speed;
    def.continuous = w.continuous;
    def.enable_skip = w.enable_skip;
    def.enable_reuse = w.enable_reuse;
    def.enable_closed_form = w.enable_closed_form;
    def.enable_axis = w.enable_axis;
    def.enable_warm_gjk = w.enable_warm_gjk;
    def.enable_warm_epa = w.enable_warm_epa;
    def.enable_joint_batches = w.enable_joint_batches;
    def.timing = static_cast<TalusTiming>(w.timing);
    def.hash_stages = w.hash_stages;
    return def;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

JointFrames from(const TalusJointFrames& f) {
    return {body_from(f.body_a), body_from(f.body_b), from(f.frame_a), from(f.frame_b)};
}
TalusJointFrames to_c(const JointFrames& f) {
    return {to_c(f.body_a), to_c(f.body_b), to_c(f.frame_a), to_c(f.frame_b)};
}

JointDrive from(const TalusJointDrive& d) {
    return {from(d.velocity), from(d.angular_velocity), from(d.target), d.linear_hertz,
            d.angular_hertz,  d.damping_ratio,          d.max_force,    d.max_torque};
}
TalusJointDrive to_c(const JointDrive& d) {
    return {to_c(d.velocity), to_c(d.angular_velocity), to_c(d.target), d.linear_hertz,
            d.angular_hertz,  d.damping_ratio,          d.max_force,    d.max_torque};
}

JointAxis axis_from(TalusJointAxis axis, Error& error) { return enum_from<JointAxis>(axis, 7, "the axis", error); }

namespace {

AxisDef axis_def_from(const TalusJointAxisDef& axis) { return {from(axis.limit), from(axis.motor), from(axis.spring)}; }

/// A hinge, a slider or a distance joint: they have the same fields for their one coordinate.
template <class Def>
TalusJointAxisDef axis_of(const Def& def) {
    return {to_c(def.limit), to_c(def.motor), to_c(def.spring)};
}

void write(const BallDef& d, TalusJointDef& def) {
    def.of.ball.cone = d.cone;
    def.of.ball.twist = to_c(d.twist);
    def.of.ball.drive = to_c(d.drive);
}
void write(const HingeDef& d, TalusJointDef& def) { def.of.hinge = axis_of(d); }
void write(const SliderDef& d, TalusJointDef& def) { def.of.slider = axis_of(d); }
void write(const FixedDef& d, TalusJointDef& def) {
    def.of.fixed.linear_hertz = d.linear_hertz;
    def.of.fixed.angular_hertz = d.angular_hertz;
    def.of.fixed.damping_ratio = d.damping_ratio;
}
void write(const DistanceDef& d, TalusJointDef& def) {
    def.of.distance.axis = {to_c(d.length), to_c(d.motor), to_c(d.spring)};
    def.of.distance.rest_length = d.rest_length;
}
void write(const SixDofDef& d, TalusJointDef& def) {
    const AxisDef* axes[6] = {&d.move_x, &d.move_y, &d.move_z, &d.turn_x, &d.turn_y, &d.turn_z};
    for (int i = 0; i < 6; ++i) def.of.six_dof[i] = axis_of(*axes[i]);
}
void write(const WheelDef& d, TalusJointDef& def) {
    def.of.wheel.travel = to_c(d.travel);
    def.of.wheel.suspension = to_c(d.suspension);
    def.of.wheel.steering = to_c(d.steering);
    def.of.wheel.steering_servo = to_c(d.steering_servo);
    def.of.wheel.motor = to_c(d.motor);
}
void write(const GearDef& d, TalusJointDef& def) {
    def.of.gear.joint_a = to_c(d.joint_a);
    def.of.gear.joint_b = to_c(d.joint_b);
    def.of.gear.ratio = d.ratio;
}
void write(const MotorDef& d, TalusJointDef& def) { def.of.motor = to_c(d.drive); }

}  // namespace

TalusJointDef to_c(const JointDef& joint) {
    TalusJointDef def{};
    def.size = sizeof def;
    def.kind = static_cast<TalusJointKind>(joint.index());
    std::visit(
        [&](const auto& d) {
            if constexpr (requires { d.frames; }) {
                def.frames = to_c(d.frames);
            } else {
                def.frames = to_c(JointFrames{});
            }
            def.options = {d.options.collide_connected, d.options.break_force, d.options.break_torque,
                           d.options.user_data};
            write(d, def);
        },
        joint);
    return def;
}

JointDef from(const TalusJointDef* given, Error& error) {
    const TalusJointDef def = sized(given, TalusJointDef{}, "talus_joint_def", error);
    const auto kind = enum_from<JointKind>(def.kind, 9, "the joint's kind", error);
    if (error) return {};
    const auto& of = def.of;
    const JointFrames frames = from(def.frames);
    const JointOptions options{flag(def.options.collide_connected), def.options.break_force, def.options.break_torque,
                               def.options.user_data};
    const auto hinged = [](const TalusJointAxisDef& axis, auto result) {
        result.limit = from(axis.limit);
        result.motor = from(axis.motor);
        result.spring = from(axis.spring);
        return result;
    };
    switch (kind) {
        case JointKind::ball:
            return BallDef{frames, of.ball.cone, from(of.ball.twist), from(of.ball.drive), options};
        case JointKind::hinge:
            return hinged(of.hinge, HingeDef{.frames = frames, .options = options});
        case JointKind::slider:
            return hinged(of.slider, SliderDef{.frames = frames, .options = options});
        case JointKind::fixed:
            return FixedDef{frames, of.fixed.linear_hertz, of.fixed.angular_hertz, of.fixed.damping_ratio, options};
        case JointKind::distance: {
            const TalusJointAxisDef& axis = of.distance.axis;
            return DistanceDef{frames, from(axis.limit), from(axis.motor), from(axis.spring), of.distance.rest_length,
                               options};
        }
        case JointKind::six_dof: {
            const TalusJointAxisDef* a = of.six_dof;
            return SixDofDef{frames,
                             axis_def_from(a[0]),
                             axis_def_from(a[1]),
                             axis_def_from(a[2]),
                             axis_def_from(a[3]),
                             axis_def_from(a[4]),
                             axis_def_from(a[5]),
                             options};
        }
        case JointKind::wheel:
            return WheelDef{frames,
                            from(of.wheel.travel),
                            from(of.wheel.suspension),
                            from(of.wheel.steering),
                            from(of.wheel.steering_servo),
                            from(of.wheel.motor),
                            options};
        case JointKind::gear:
            return GearDef{joint_from(of.gear.joint_a), joint_from(of.gear.joint_b), of.gear.ratio, options};
        case JointKind::motor:
            return MotorDef{frames, from(of.motor), options};
    }
    return {};
}

// ---- Queries and results --------------------------------------------------------------------------------------------

Ray from(const TalusRay& ray) { return {from(ray.origin), from(ray.translation)}; }
ShapeCast from(const TalusShapeCast& cast, Error& error) {
    return {from(cast.shape, error), from(cast.pose), from(cast.translation)};
}
TalusCastHit to_c(const CastHit& hit) {
    return {to_c(hit.body), hit.shape, hit.triangle, to_c(hit.position), to_c(hit.normal), hit.fraction};
}
TalusNearHit to_c(const NearHit& hit) { return {to_c(hit.body), hit.shape, to_c(hit.position), hit.distance}; }

TalusContactEvent to_c(const ContactEvent& e) {
    return {to_c(e.body_a), to_c(e.body_b), e.shape_a, e.shape_b, e.sensor, e.normal_impulse};
}
TalusHitEvent to_c(const HitEvent& e) {
    return {to_c(e.body_a), to_c(e.body_b), e.shape_a,        e.shape_b,
            to_c(e.point),  to_c(e.normal), e.approach_speed, e.normal_impulse};
}
TalusJointEvent to_c(const JointEvent& e) {
    return {to_c(e.joint), to_c(e.body_a), to_c(e.body_b), e.user_data, e.overloaded, to_c(e.force), to_c(e.torque)};
}
TalusMovedBody to_c(const MovedBody& m) { return {to_c(m.body), m.user_data, to_c(m.pose), m.fell_asleep, m.placed}; }

TalusContact to_c(const Contact& contact) {
    TalusContact result{};
    result.body_a = to_c(contact.body_a);
    result.body_b = to_c(contact.body_b);
    result.shape_a = contact.shape_a;
    result.shape_b = contact.shape_b;
    result.triangle = contact.triangle;
    result.normal = to_c(contact.normal);
    result.friction_impulse = to_c(contact.friction_impulse);
    result.point_count = contact.point_count;
    for (int i = 0; i < contact.point_count; ++i) {
        const ContactPoint& p = contact.points[i];
        result.points[i] = {to_c(p.position), p.separation, p.normal_impulse, p.id, p.is_new};
    }
    return result;
}

TalusPairInfo to_c(const PairInfo& p) {
    return {to_c(p.body_a),
            to_c(p.body_b),
            p.shape_a,
            p.shape_b,
            static_cast<std::int32_t>(p.state),
            static_cast<std::int32_t>(p.rung),
            p.active,
            p.microseconds,
            p.separation,
            p.triangle};
}

}  // namespace talus::c
