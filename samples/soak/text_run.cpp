#include "samples/soak/text_run.h"

#include "samples/scenes/kit/random.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

Result<std::shared_ptr<const TriangleSet>> room_mesh(const vec3& half, int cells, bool two_sided) {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0f, 1.0f}) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const auto first = static_cast<std::uint32_t>(vertices.size());
            const auto row = static_cast<std::uint32_t>(cells) + 1;
            for (int i = 0; i <= cells; ++i) {
                for (int k = 0; k <= cells; ++k) {
                    vec3 p;
                    p[axis] = side * half[axis];
                    p[u] = half[u] * (2.0f * static_cast<float>(i) / static_cast<float>(cells) - 1.0f);
                    p[v] = half[v] * (2.0f * static_cast<float>(k) / static_cast<float>(cells) - 1.0f);
                    vertices.push_back(p);
                }
            }
            for (std::uint32_t i = 0; i + 1 < row; ++i) {
                for (std::uint32_t k = 0; k + 1 < row; ++k) {
                    const std::uint32_t a = first + i * row + k, b = a + row, c = b + 1, d = a + 1;
                    // Fronts look inward.
                    if (side < 0.0f)
                        indices.insert(indices.end(), {a, b, c, a, c, d});
                    else
                        indices.insert(indices.end(), {a, c, b, a, d, c});
                }
            }
        }
    }
    return make_mesh({.vertices = vertices, .indices = indices, .two_sided = two_sided});
}

Result<std::shared_ptr<const TriangleSet>> ground(int cells, float size, float height, std::uint64_t seed,
                                                  bool two_sided) {
    Random random(seed);
    const auto row = static_cast<std::uint32_t>(cells) + 1;
    std::vector<float> heights;
    for (std::uint32_t i = 0; i < row * row; ++i) heights.push_back(height * random.unit());
    const float spacing = 2.0f * size / static_cast<float>(cells);
    return make_height_field({.columns = row,
                              .rows = row,
                              .heights = heights,
                              .spacing_x = spacing,
                              .spacing_z = spacing,
                              .two_sided = two_sided});
}

/// The numbers of a kind of shape. Hulls are not here: they take three numbers per point.
struct ShapeNumbers {
    const char* kind;
    std::size_t count;
    const char* names;
};
constexpr ShapeNumbers shape_numbers[] = {{"sphere", 1, "radius"},
                                          {"capsule", 2, "half_height radius"},
                                          {"box", 3, "x y z, half extents"},
                                          {"cylinder", 2, "half_height radius"},
                                          {"cone", 2, "half_height radius"},
                                          {"room", 5, "x y z cells two_sided"},
                                          {"ground", 5, "cells half_size height seed two_sided"}};

/// Says what is wrong with the kind, or with the number of numbers; empty if nothing is.
std::string count_flaw(const std::string& kind, std::size_t given) {
    const std::string end = "; " + std::to_string(given) + " given";
    if (kind == "hull") {
        if (given >= 12 && given % 3 == 0) return {};
        return "a hull takes three numbers per point and at least four points" + end;
    }
    std::string kinds = "hull";
    for (const ShapeNumbers& each : shape_numbers) {
        kinds += std::string(", ") + each.kind;
        if (kind != each.kind) continue;
        if (given == each.count) return {};
        return "the shape '" + kind + "' takes " + std::to_string(each.count) +
               (each.count == 1 ? " number (" : " numbers (") + each.names + ")" + end;
    }
    return "there is no shape '" + kind + "'; the shapes are " + kinds;
}

/// Gives `def` its shape or mesh. The string says what is wrong; it is empty if nothing is.
std::string set_geometry(const std::string& kind, const std::vector<float>& n, ShapeDef& def) {
    const auto whole = [&](std::size_t i) { return static_cast<int>(std::clamp(n[i], 1.0f, 64.0f)); };
    if (std::string flaw = count_flaw(kind, n.size()); !flaw.empty()) return flaw;
    if (kind == "sphere")
        def.shape = sphere(n[0]);
    else if (kind == "capsule")
        def.shape = capsule(n[0], n[1]);
    else if (kind == "box")
        def.shape = box({n[0], n[1], n[2]});
    else if (kind == "cylinder")
        def.shape = cylinder(n[0], n[1]);
    else if (kind == "cone")
        def.shape = cone(n[0], n[1]);
    else if (kind == "hull") {
        std::vector<vec3> points;
        for (std::size_t i = 0; i + 2 < n.size(); i += 3) points.push_back({n[i], n[i + 1], n[i + 2]});
        const auto built = make_hull(points);
        if (!built) return "the hull cannot be built: " + built.error().message;
        def.shape = hull(*built);
    } else if (kind == "room") {
        const auto built = room_mesh({n[0], n[1], n[2]}, whole(3), n[4] != 0.0f);
        if (!built) return "the room cannot be built: " + built.error().message;
        def.mesh = *built;
    } else {
        const auto seed = static_cast<std::uint64_t>(std::clamp(n[3], 0.0f, 1e9f));
        const auto built = ground(whole(0), n[1], n[2], seed, n[4] != 0.0f);
        if (!built) return "the ground cannot be built: " + built.error().message;
        def.mesh = *built;
        if (is_identity(def.pose)) def.pose.position = {-n[1], 0.0f, -n[1]};
    }
    return {};
}

/// Changes contacts of shapes that ask for it as their bodies' data say, the same each time.
void modify(ContactModification& contact, void*) {
    const std::uint64_t wish = contact.user_data_a ^ contact.user_data_b;
    if ((wish & 1) != 0) contact.friction *= 0.5f;
    if ((wish & 2) != 0) contact.restitution = 0.5f;
    const bool wall = ((contact.user_data_a | contact.user_data_b) & 16) != 0;
    if ((wish & 4) != 0 && !wall) contact.points[0].enabled = contact.point_count == 1;
}

JointDef joint_def(const TextJoint& j, BodyId a, BodyId b) {
    const JointFrames frames{a, b, j.frame_a, j.frame_b};
    switch (j.kind) {
        case JointKind::ball:
            return BallDef{frames, j.cone, j.limit, j.drive, j.options};
        case JointKind::hinge:
            return HingeDef{frames, j.limit, j.motor, j.spring, j.options};
        case JointKind::slider:
            return SliderDef{frames, j.limit, j.motor, j.spring, j.options};
        case JointKind::fixed:
            return FixedDef{frames, j.spring.hertz, j.angular_hertz < 0.0f ? j.spring.hertz : j.angular_hertz,
                            j.spring.damping_ratio, j.options};
        case JointKind::distance: {
            DistanceDef d{.frames = frames};
            if (j.limit.lower >= 0.0f) d.length = j.limit;
            d.motor = j.motor;
            d.spring = j.spring;
            if (j.spring.hertz > 0.0f) d.rest_length = std::max(0.0f, j.spring.target);
            d.options = j.options;
            return d;
        }
        case JointKind::six_dof: {
            SixDofDef d{.frames = frames};
            AxisDef* const axes[] = {&d.move_x, &d.move_y, &d.move_z, &d.turn_x, &d.turn_y, &d.turn_z};
            for (std::size_t i = 0; i < 6; ++i) axes[i]->limit = j.axes[i];
            d.turn_x.motor = j.motor;
            d.turn_y.spring = j.spring;
            for (std::size_t i = 0; i < 6; ++i) {
                if (j.axis_motors[i].max_force > 0.0f) axes[i]->motor = j.axis_motors[i];
                if (j.axis_springs[i].hertz > 0.0f) axes[i]->spring = j.axis_springs[i];
            }
            d.options = j.options;
            return d;
        }
        case JointKind::wheel:
            return WheelDef{frames, j.limit, j.spring, j.second, j.servo, j.motor, j.options};
        case JointKind::gear:
            return GearDef{{}, {}, j.ratio, j.options};
        default:
            return MotorDef{frames, j.drive, j.options};
    }
}

}  // namespace

std::string shape_flaw(const TextShape& shape) {
    ShapeDef part = shape.def;
    return set_geometry(shape.kind, shape.numbers, part);
}

BodyDef body_def(const TextBody& body, const dvec3& origin) {
    BodyDef def = body.def;
    def.position = origin + on_grid(def.position);
    for (const TextShape& shape : body.shapes) {
        ShapeDef part = shape.def;
        if (set_geometry(shape.kind, shape.numbers, part).empty()) def.shapes.push_back(part);
    }
    return def;
}

World make_text_world(const WorldText& text) {
    WorldDef def = text.def;
    def.timing = Timing::off;
    def.handle_tag = 1;  // worlds that are compared must have the same handles
    World world(def);
    if (text.modifier) world.set_contact_modifier(modify);
    return world;
}

TextRun::TextRun(const WorldText& text) : text_(text) {}

/// Returns the frame on a body at `pose` that coincides with a frame on a body at `other`.
static Transform frame_at(const WorldTransform& pose, const WorldTransform& other, const Transform& frame) {
    return {inverse_transform_point(pose, transform_point(other, frame.position)),
            normalized(multiply(conjugate(pose.rotation), multiply(other.rotation, normalized(frame.rotation))))};
}

JointId TextRun::joint(std::uint32_t number) const { return number < joints_.size() ? joints_[number] : JointId{}; }

BodyId TextRun::body(std::uint32_t number) const { return number < bodies_.size() ? bodies_[number] : BodyId{}; }

void TextRun::prepare(World& world, int step) {
    refusal_.clear();
    const auto expect = [&](bool done, const std::string& what) {
        if (!done && refusal_.empty()) refusal_ = what + " is refused: " + world.last_error().message;
    };
    for (const TextBody& body : text_.bodies) {
        if (body.from != step) continue;
        if (body.number >= bodies_.size()) bodies_.resize(body.number + 1);
        bodies_[body.number] = world.add_body(body_def(body, text_.origin));
        expect(static_cast<bool>(bodies_[body.number]), "body " + std::to_string(body.number));
    }
    for (const TextJoint& joint : text_.joints) {
        if (joint.from != step) continue;
        if (joint.number >= joints_.size()) joints_.resize(joint.number + 1);
        if (joint.kind == JointKind::gear) {
            const JointId first = this->joint(joint.a), second = this->joint(joint.b);
            if (!world.is_valid(first) || !world.is_valid(second)) continue;
            joints_[joint.number] = world.add_joint(GearDef{first, second, joint.ratio, joint.options});
        } else {
            const BodyId a = body(joint.a), b = body(joint.b);
            if (!world.is_valid(a) || !world.is_valid(b)) continue;  // left out, or removed by now
            TextJoint added = joint;
            if (joint.here) {
                if (world.type(a) != BodyType::dynamic && world.type(b) != BodyType::dynamic) continue;
                added.frame_b = frame_at(world.transform(b), world.transform(a), joint.frame_a);
            }
            joints_[joint.number] = world.add_joint(joint_def(added, a, b));
        }
        expect(static_cast<bool>(joints_[joint.number]), "joint " + std::to_string(joint.number));
    }
    for (const TextChange& each : text_.changes) {
        if (each.step == step)
            expect(change(world, each), "change '" + each.what + "' of " + std::to_string(each.target));
    }
}

/// Changes a joint. The last number of a motor, a limit and a spring is an axis of JointAxis plus one, or 0 for the main
/// one.
bool TextRun::change_joint(World& world, const TextChange& change) {
    const auto n = [&](std::size_t i) { return i < change.numbers.size() ? change.numbers[i] : 0.0f; };
    const auto vector = [&](std::size_t i) { return vec3(n(i), n(i + 1), n(i + 2)); };
    const auto axis = [&](std::size_t i) {
        const int given = static_cast<int>(std::clamp(n(i), 0.0f, 6.0f));
        return given == 0 ? JointAxis::main : static_cast<JointAxis>(given - 1);
    };
    const std::string& what = change.what;
    const JointId id = joint(change.target);
    if (!id || !world.is_valid(id)) return true;
    if (what == "remove_joint") return world.remove_joint(id);
    if (what == "motor") return world.set_joint_motor(id, {n(0), n(1)}, axis(2));
    if (what == "limit") return world.set_joint_limit(id, {n(0), n(1)}, axis(2));
    if (what == "bad_limit") {  // must be refused, and change nothing
        const std::uint64_t before = world.hash();
        return !world.set_joint_limit(id, {n(0), n(1)}, axis(2)) && world.hash() == before;
    }
    if (what == "spring")
        return world.set_joint_spring(id, {n(0), n(1), n(2), change.numbers.size() > 3 ? n(3) : unlimited}, axis(4));
    if (what == "cone") return world.set_joint_cone(id, n(0));
    if (what == "break") return world.set_joint_break(id, n(0), n(1));
    if (what == "collide") return world.set_joint_collide_connected(id, n(0) != 0.0f);
    JointDrive drive;  // "drive": the numbers of a joint's drive, in the same order
    drive.velocity = vector(0);
    drive.angular_velocity = vector(3);
    drive.target = {vector(6), quat(n(9), n(10), n(11), n(12))};
    drive.linear_hertz = n(13);
    drive.angular_hertz = n(14);
    drive.damping_ratio = n(15);
    drive.max_force = n(16);
    drive.max_torque = n(17);
    return world.set_joint_drive(id, drive);
}

/// Missing numbers are 0. False where the world refuses the change; one of a body, joint or shape that is not there does
/// nothing.
bool TextRun::change(World& world, const TextChange& change) {
    const auto n = [&](std::size_t i) { return i < change.numbers.size() ? change.numbers[i] : 0.0f; };
    const auto vector = [&](std::size_t i) { return vec3(n(i), n(i + 1), n(i + 2)); };
    const auto place = [&](std::size_t i) { return displaced(text_.origin, vector(i)); };
    const auto rotation = [&](std::size_t i) { return quat(n(i), n(i + 1), n(i + 2), n(i + 3)); };
    const auto index = [&](std::size_t i) { return static_cast<std::uint32_t>(std::clamp(n(i), 0.0f, 1e6f)); };
    const std::string& what = change.what;
    if (is_joint_change(change)) return change_joint(world, change);
    if (what == "gravity") return world.set_gravity(vector(0));
    const BodyId id = body(change.target);
    if (!id || !world.is_valid(id)) return true;
    if (what == "remove") return world.remove_body(id);
    // Another change may have made the body one of a type that refuses these.
    const BodyType now = world.type(id);
    const bool needs_dynamic =
        what == "push" || what == "force" || what == "torque" || what == "mass" || what == "sleep" || what == "wake";
    if (needs_dynamic && now != BodyType::dynamic) return true;
    if (what == "velocity" && now == BodyType::fixed) return true;
    if (what == "push") return world.apply_impulse_at(id, vector(0), displaced(world.center_of_mass(id), vector(3)));
    if (what == "force") return world.apply_force_at(id, vector(0), displaced(world.center_of_mass(id), vector(3)));
    if (what == "torque") return world.apply_torque(id, vector(0));
    if (what == "velocity")
        return world.set_linear_velocity(id, vector(0)) && world.set_angular_velocity(id, vector(3));
    if (what == "place") return world.set_transform(id, place(0), rotation(3));
    if (what == "target") return world.set_kinematic_target(id, place(0), rotation(3));
    if (what == "type") {
        const auto type = static_cast<BodyType>(std::min(index(0), 2u));
        if (!world.set_type(id, type)) return false;
        return type != BodyType::kinematic ||
               (world.set_linear_velocity(id, vec3(0.0f)) && world.set_angular_velocity(id, vec3(0.0f)));
    }
    if (what == "mass") return world.set_mass(id, n(0));
    if (what == "locks") return world.set_locks(id, static_cast<std::uint8_t>(index(0) & 63u));
    if (what == "sleep") return world.set_awake(id, false);
    if (what == "wake") return world.set_awake(id, true);
    if (what == "gravity_scale") return world.set_gravity_scale(id, n(0));
    if (what == "limits") return world.set_speed_limits(id, n(0), n(1));
    const std::span<const ShapeDef> shapes = world.shapes(id);
    const std::uint32_t shape = index(0);
    if (shape >= shapes.size()) return true;
    if (what == "friction" || what == "restitution") {
        Material material = shapes[shape].material;
        (what == "friction" ? material.friction : material.restitution) = n(1);
        return world.set_material(id, shape, material);
    }
    if (what == "filter") return world.set_filter(id, shape, {index(1), index(2), 0});
    if (what == "sensor") {
        std::vector<ShapeDef> changed(shapes.begin(), shapes.end());
        changed[shape].sensor = n(1) != 0.0f;
        return world.set_shapes(id, changed);
    }
    if (what == "sphere") return world.set_shape(id, shape, sphere(n(1)));
    if (what == "box") return world.set_shape(id, shape, box(vector(1)));
    return true;
}

const Scene& file_scene() {
    static const Scene scene{
        "file", "A file of talus-soak", 600, [](const SceneOptions& options) -> Result<SceneData> {
            const Result<WorldText> text = read_world_text(options.file);
            if (!text) return text.error();
            SceneData data;
            data.dt = text->dts[0];
            data.substeps = text->def.substeps;
            data.gravity = text->def.gravity;
            std::vector<std::uint32_t> place;
            dvec3 low(0.0), high(0.0);  // of what moves
            bool any = false;
            for (const TextBody& body : text->bodies) {
                if (body.number >= place.size()) place.resize(body.number + 1, 0xffffffffu);
                place[body.number] = static_cast<std::uint32_t>(data.bodies.size());
                data.bodies.push_back(body_def(body, text->origin));
                if (body.def.type == BodyType::fixed) {
                    data.glass.push_back(place[body.number]);
                    continue;
                }
                const dvec3 at = data.bodies.back().position;
                low = any ? glm::min(low, at) : at;
                high = any ? glm::max(high, at) : at;
                any = true;
            }
            std::vector<std::uint32_t> joint_place;
            const auto set_place = [&](const TextJoint& joint) {
                if (joint.number >= joint_place.size()) joint_place.resize(joint.number + 1, 0xffffffffu);
                joint_place[joint.number] = static_cast<std::uint32_t>(data.joints.size());
            };
            for (const TextJoint& joint : text->joints) {
                const std::vector<std::uint32_t>& places = joint.kind == JointKind::gear ? joint_place : place;
                const auto at = [&](std::uint32_t number) {
                    return number < places.size() ? places[number] : 0xffffffffu;
                };
                if (at(joint.a) == 0xffffffffu || at(joint.b) == 0xffffffffu) continue;
                set_place(joint);
                data.joints.push_back({at(joint.a), at(joint.b), joint_def(joint, {}, {})});
            }
            std::vector<TextChange> pushes;
            for (const TextChange& change : text->changes) {
                if (change.what == "push" && change.target < place.size() && place[change.target] != 0xffffffffu)
                    pushes.push_back(change);
            }
            if (!pushes.empty()) {
                data.act = [pushes, place](SceneBodies& bodies, int step) {
                    for (const TextChange& push : pushes) {
                        if (push.step != step || push.numbers.size() < 6) continue;
                        const std::size_t body = place[push.target];
                        const vec3 impulse = load3(push.numbers.data()), from_center = load3(push.numbers.data() + 3);
                        bodies.apply_impulse(body, impulse, displaced(bodies.center_of_mass(body), from_center));
                    }
                };
            }
            const dvec3 diagonal = high - low;
            data.camera.target = low + 0.5 * diagonal;
            data.camera.eye = data.camera.target + dvec3(0.6, 0.45, 0.8) * (2.0 + glm::length(diagonal));
            return data;
        }};
    return scene;
}

}  // namespace talus::samples
