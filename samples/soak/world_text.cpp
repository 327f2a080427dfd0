#include "samples/soak/world_text.h"

#include "samples/scenes/kit/random.h"

#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>
#include <unordered_set>

namespace talus::samples {

namespace {

constexpr const char* kind_names[] = {"ball",    "hinge", "slider", "fixed", "distance",
                                      "six_dof", "wheel", "gear",   "motor"};
constexpr const char* type_names[] = {"fixed", "kinematic", "dynamic"};
constexpr const char* continuous_names[] = {"off", "fixed", "all"};
constexpr const char* format_line = "talus-world 1";

// ---- writing ----

class Line {
public:
    explicit Line(const std::string& begin) : text_(begin) {}
    Line& word(const std::string& w) { return text_ += " " + w, *this; }
    Line& number(float x) {
        char text[32];
        std::snprintf(text, sizeof text, " %.9g", static_cast<double>(x));
        return text_ += text, *this;
    }
    Line& whole(long long x) { return text_ += " " + std::to_string(x), *this; }
    Line& vector(const vec3& v) { return number(v.x).number(v.y).number(v.z); }
    Line& rotation(const quat& q) { return number(q.w).number(q.x).number(q.y).number(q.z); }
    Line& pose(const Transform& t) { return vector(t.position).rotation(t.rotation); }
    std::string end() const { return text_ + "\n"; }

private:
    std::string text_;
};

bool is_identity(const Transform& t) { return t.position == vec3(0.0f) && t.rotation == quat(1.0f, 0.0f, 0.0f, 0.0f); }

std::string body_lines(const TextBody& body) {
    const BodyDef &d = body.def, plain;
    Line line("body " + std::to_string(body.number));
    line.word(type_names[static_cast<int>(d.type)]).word("at").vector(d.position);
    if (d.rotation != plain.rotation) line.word("turned").rotation(d.rotation);
    if (d.linear_velocity != vec3(0.0f)) line.word("velocity").vector(d.linear_velocity);
    if (d.angular_velocity != vec3(0.0f)) line.word("spin").vector(d.angular_velocity);
    if (d.linear_damping != 0.0f || d.angular_damping != 0.0f)
        line.word("damping").number(d.linear_damping).number(d.angular_damping);
    if (d.max_speed != plain.max_speed || d.max_spin != plain.max_spin)
        line.word("limits").number(d.max_speed).number(d.max_spin);
    if (d.gravity_scale != 1.0f) line.word("gravity").number(d.gravity_scale);
    if (d.locks != 0) line.word("locks").whole(d.locks);
    if (!d.allow_sleep) line.word("sleepless");
    if (d.continuous != plain.continuous)
        line.word("continuous").word(continuous_names[static_cast<int>(d.continuous)]);
    if (d.user_data != 0) line.word("data").whole(static_cast<long long>(d.user_data));
    if (body.from != 0) line.word("from").whole(body.from);
    std::string text = line.end();
    for (const TextShape& shape : body.shapes) {
        const ShapeDef& s = shape.def;
        Line part("shape " + std::to_string(body.number) + " " + shape.kind);
        for (const float x : shape.numbers) part.number(x);
        if (!is_identity(s.pose)) part.word("pose").pose(s.pose);
        if (s.material.friction != Material{}.friction) part.word("friction").number(s.material.friction);
        if (s.material.restitution != 0.0f) part.word("restitution").number(s.material.restitution);
        if (s.material.rolling_resistance != 0.0f) part.word("rolling").number(s.material.rolling_resistance);
        if (s.material.grip_across != 1.0f)
            part.word("grip").vector(s.material.grip_axis).number(s.material.grip_across);
        if (s.material.surface_velocity != vec3(0.0f)) part.word("belt").vector(s.material.surface_velocity);
        if (s.density != ShapeDef{}.density) part.word("density").number(s.density);
        if (s.filter.category != Filter{}.category || s.filter.mask != Filter{}.mask || s.filter.group != 0)
            part.word("filter").whole(s.filter.category).whole(s.filter.mask).whole(s.filter.group);
        if (s.sensor) part.word("sensor");
        if (s.hit_events) part.word("hits");
        if (s.modify_contacts) part.word("modified");
        text += part.end();
    }
    return text;
}

void limit_words(Line& line, const char* name, const JointLimit& limit) {
    if (limit.lower != -unlimited || limit.upper != unlimited) line.word(name).number(limit.lower).number(limit.upper);
}

void spring_words(Line& line, const JointSpring& spring) {
    line.number(spring.hertz).number(spring.damping_ratio).number(spring.target).number(spring.max_force);
}

std::string joint_line(const TextJoint& j) {
    Line line("joint " + std::to_string(j.number));
    line.word(kind_names[static_cast<int>(j.kind)]).whole(j.a).whole(j.b);
    if (j.kind != JointKind::gear) line.word("frame_a").pose(j.frame_a).word("frame_b").pose(j.frame_b);
    limit_words(line, "limit", j.limit);
    limit_words(line, "second", j.second);
    if (j.motor.max_force > 0.0f) line.word("motor").number(j.motor.speed).number(j.motor.max_force);
    if (j.spring.hertz > 0.0f) spring_words(line.word("spring"), j.spring);
    if (j.cone != unlimited) line.word("cone").number(j.cone);
    if (j.kind == JointKind::gear) line.word("ratio").number(j.ratio);
    const JointDrive& d = j.drive;
    if (d.max_force > 0.0f || d.max_torque > 0.0f) {
        line.word("drive").vector(d.velocity).vector(d.angular_velocity).pose(d.target).number(d.linear_hertz);
        line.number(d.angular_hertz).number(d.damping_ratio).number(d.max_force).number(d.max_torque);
    }
    if (j.kind == JointKind::six_dof) {
        line.word("axes");
        for (const JointLimit& axis : j.axes) line.number(axis.lower).number(axis.upper);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        const JointMotor& motor = j.axis_motors[i];
        const JointSpring& spring = j.axis_springs[i];
        const auto axis = static_cast<long long>(i);
        if (motor.max_force > 0.0f) line.word("axis_motor").whole(axis).number(motor.speed).number(motor.max_force);
        if (spring.hertz > 0.0f) spring_words(line.word("axis_spring").whole(axis), spring);
    }
    if (j.servo.hertz > 0.0f) spring_words(line.word("servo"), j.servo);
    if (j.angular_hertz >= 0.0f) line.word("angular_hertz").number(j.angular_hertz);
    if (j.options.collide_connected) line.word("collide");
    if (j.options.break_force != unlimited || j.options.break_torque != unlimited)
        line.word("break").number(j.options.break_force).number(j.options.break_torque);
    if (j.from != 0) line.word("from").whole(j.from);
    if (j.here) line.word("here");
    return line.end();
}

// ---- reading ----

class Words {
public:
    explicit Words(const std::string& line) {
        std::istringstream in(line);
        for (std::string word; in >> word;) words_.push_back(word);
    }
    bool at_end() const { return next_ == words_.size(); }
    std::string word() { return at_end() ? (good_ = false, std::string()) : words_[next_++]; }
    bool has_number() const {
        if (at_end()) return false;
        char* end = nullptr;
        std::strtof(words_[next_].c_str(), &end);
        return end != words_[next_].c_str() && *end == '\0';
    }
    float number() {
        if (!has_number()) return good_ = false, 0.0f;
        return std::strtof(words_[next_++].c_str(), nullptr);
    }
    long long whole(long long low, long long high) {
        if (at_end()) return good_ = false, low;
        char* end = nullptr;
        const long long x = std::strtoll(words_[next_].c_str(), &end, 10);
        if (end == words_[next_].c_str() || *end != '\0' || x < low || x > high) return good_ = false, low;
        ++next_;
        return x;
    }
    std::uint32_t id() { return static_cast<std::uint32_t>(whole(0, 1'000'000)); }
    int step() { return static_cast<int>(whole(0, 10'000'000)); }
    vec3 vector() {
        const float x = number(), y = number(), z = number();
        return {x, y, z};
    }
    quat rotation() {
        const float w = number(), x = number(), y = number(), z = number();
        return quat(w, x, y, z);
    }
    Transform pose() {
        const vec3 position = vector();
        return {position, rotation()};
    }
    JointLimit limit() {
        const float lower = number(), upper = number();
        return {lower, upper};
    }
    JointSpring spring() {
        const float hertz = number(), damping_ratio = number(), target = number();
        return {hertz, damping_ratio, target, number()};
    }
    template <std::size_t N>
    int one_of(const char* const (&names)[N]) {
        const std::string w = word();
        for (std::size_t i = 0; i < N; ++i) {
            if (w == names[i]) return static_cast<int>(i);
        }
        good_ = false;
        return 0;
    }
    void fail() { good_ = false; }
    bool good() const { return good_; }

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
    bool good_ = true;
};

TextBody read_body(Words& in) {
    TextBody body;
    body.number = in.id();
    BodyDef& d = body.def;
    d.type = static_cast<BodyType>(in.one_of(type_names));
    while (!in.at_end() && in.good()) {
        const std::string w = in.word();
        if (w == "at")
            d.position = in.vector();
        else if (w == "turned")
            d.rotation = in.rotation();
        else if (w == "velocity")
            d.linear_velocity = in.vector();
        else if (w == "spin")
            d.angular_velocity = in.vector();
        else if (w == "damping")
            d.linear_damping = in.number(), d.angular_damping = in.number();
        else if (w == "limits")
            d.max_speed = in.number(), d.max_spin = in.number();
        else if (w == "gravity")
            d.gravity_scale = in.number();
        else if (w == "locks")
            d.locks = static_cast<std::uint8_t>(in.whole(0, 63));
        else if (w == "sleepless")
            d.allow_sleep = false;
        else if (w == "continuous")
            d.continuous = static_cast<Continuous>(in.one_of(continuous_names));
        else if (w == "data")
            d.user_data = static_cast<std::uint64_t>(in.whole(0, 1 << 30));
        else if (w == "from")
            body.from = in.step();
        else
            in.fail();
    }
    return body;
}

TextShape read_shape(Words& in) {
    TextShape shape;
    shape.kind = in.word();
    shape.numbers.clear();
    while (in.has_number()) shape.numbers.push_back(in.number());
    ShapeDef& s = shape.def;
    while (!in.at_end() && in.good()) {
        const std::string w = in.word();
        if (w == "pose")
            s.pose = in.pose();
        else if (w == "friction")
            s.material.friction = in.number();
        else if (w == "restitution")
            s.material.restitution = in.number();
        else if (w == "rolling")
            s.material.rolling_resistance = in.number();
        else if (w == "grip")
            s.material.grip_axis = in.vector(), s.material.grip_across = in.number();
        else if (w == "belt")
            s.material.surface_velocity = in.vector();
        else if (w == "density")
            s.density = in.number();
        else if (w == "filter") {
            s.filter.category = static_cast<std::uint32_t>(in.whole(0, 0xffffffffll));
            s.filter.mask = static_cast<std::uint32_t>(in.whole(0, 0xffffffffll));
            s.filter.group = static_cast<int>(in.whole(-1000, 1000));
        } else if (w == "sensor")
            s.sensor = true;
        else if (w == "hits")
            s.hit_events = true;
        else if (w == "modified")
            s.modify_contacts = true;
        else
            in.fail();
    }
    return shape;
}

TextJoint read_joint(Words& in) {
    TextJoint j;
    j.number = in.id();
    j.kind = static_cast<JointKind>(in.one_of(kind_names));
    j.a = in.id();
    j.b = in.id();
    while (!in.at_end() && in.good()) {
        const std::string w = in.word();
        if (w == "frame_a")
            j.frame_a = in.pose();
        else if (w == "frame_b")
            j.frame_b = in.pose();
        else if (w == "limit")
            j.limit = in.limit();
        else if (w == "second")
            j.second = in.limit();
        else if (w == "motor")
            j.motor.speed = in.number(), j.motor.max_force = in.number();
        else if (w == "spring")
            j.spring = in.spring();
        else if (w == "servo")
            j.servo = in.spring();
        else if (w == "axis_motor") {
            JointMotor& motor = j.axis_motors[static_cast<std::size_t>(in.whole(0, 5))];
            motor.speed = in.number();
            motor.max_force = in.number();
        } else if (w == "axis_spring") {
            JointSpring& spring = j.axis_springs[static_cast<std::size_t>(in.whole(0, 5))];
            spring = in.spring();
        } else if (w == "angular_hertz")
            j.angular_hertz = in.number();
        else if (w == "ratio")
            j.ratio = in.number();
        else if (w == "here")
            j.here = true;
        else if (w == "cone")
            j.cone = in.number();
        else if (w == "drive") {
            JointDrive& d = j.drive;
            d.velocity = in.vector();
            d.angular_velocity = in.vector();
            d.target = in.pose();
            d.linear_hertz = in.number();
            d.angular_hertz = in.number();
            d.damping_ratio = in.number();
            d.max_force = in.number();
            d.max_torque = in.number();
        } else if (w == "axes") {
            for (JointLimit& axis : j.axes) axis = in.limit();
        } else if (w == "collide")
            j.options.collide_connected = true;
        else if (w == "break")
            j.options.break_force = in.number(), j.options.break_torque = in.number();
        else if (w == "from")
            j.from = in.step();
        else
            in.fail();
    }
    return j;
}

// ---- building ----

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

// ---- references ----

constexpr std::string_view joint_changes[] = {"remove_joint", "motor", "limit", "bad_limit", "spring",
                                              "cone",         "drive", "break", "collide"};
constexpr std::string_view body_changes[] = {
    "remove", "push", "force",  "torque",        "velocity", "place",       "target", "type",   "mass",   "locks",
    "sleep",  "wake", "limits", "gravity_scale", "friction", "restitution", "filter", "sensor", "sphere", "box"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// The numbers of all bodies and joints of a description, also of those that come later or are removed.
struct Numbers {
    explicit Numbers(const WorldText& world) {
        for (const TextBody& body : world.bodies) bodies.insert(body.number);
        for (const TextJoint& joint : world.joints) joints.insert(joint.number);
    }
    std::unordered_set<std::uint32_t> bodies, joints;
};

/// Says which body or joint that the description does not have is named; empty if all are there.
std::string reference_flaw(const TextJoint& joint, const Numbers& numbers) {
    if (joint.kind == JointKind::gear) {
        for (const std::uint32_t geared : {joint.a, joint.b}) {
            if (!numbers.joints.contains(geared)) return "there is no joint " + std::to_string(geared);
        }
        return {};
    }
    for (const std::uint32_t body : {joint.a, joint.b}) {
        if (!numbers.bodies.contains(body)) return "there is no body " + std::to_string(body);
    }
    return {};
}
std::string reference_flaw(const TextChange& change, const Numbers& numbers) {
    const std::string target = std::to_string(change.target);
    if (contains(joint_changes, change.what))
        return numbers.joints.contains(change.target) ? std::string() : "there is no joint " + target;
    if (contains(body_changes, change.what))
        return numbers.bodies.contains(change.target) ? std::string() : "there is no body " + target;
    return {};  // gravity: its target means nothing
}

std::string name_flaw(const TextChange& change) {
    if (change.what == "gravity" || contains(joint_changes, change.what) || contains(body_changes, change.what))
        return {};
    std::string names = "gravity";
    for (const std::string_view name : body_changes) names += ", " + std::string(name);
    for (const std::string_view name : joint_changes) names += ", " + std::string(name);
    return "there is no change '" + change.what + "'; the changes are " + names;
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

std::string to_text(const WorldText& world) {
    std::string text = std::string(format_line) + "\n";
    for (const std::string& remark : world.remarks) text += "# " + remark + "\n";
    const WorldDef& d = world.def;
    Line line("world");
    line.word("gravity").vector(d.gravity).word("substeps").whole(d.substeps);
    if (!d.allow_sleep) line.word("sleepless");
    if (!d.continuous) line.word("discrete");
    if (d.max_speed != WorldDef{}.max_speed) line.word("max_speed").number(d.max_speed);
    if (!d.enable_joint_batches) line.word("unbatched");
    if (world.contradictory) line.word("contradictory");
    if (world.modifier) line.word("modifier");
    text += line.end();
    Line dt("dt");
    for (const float x : world.dts) dt.number(x);
    text += dt.end();
    if (world.room != vec3(0.0f)) text += Line("room").vector(world.room).end();
    if (world.jump > 0.0f) text += Line("jump").number(world.jump).end();
    if (world.gap > 0.0f) text += Line("gap").number(world.gap).end();
    for (const TextBody& body : world.bodies) text += body_lines(body);
    for (const TextJoint& joint : world.joints) text += joint_line(joint);
    for (const TextChange& change : world.changes) {
        Line c("change");
        c.whole(change.step).word(change.what).whole(change.target);
        for (const float x : change.numbers) c.number(x);
        text += c.end();
    }
    return text + Line("steps").whole(world.steps).end();
}

static void read_settings(Words& in, WorldText& world) {
    while (!in.at_end() && in.good()) {
        const std::string w = in.word();
        if (w == "gravity")
            world.def.gravity = in.vector();
        else if (w == "substeps")
            world.def.substeps = static_cast<int>(in.whole(1, 64));
        else if (w == "sleepless")
            world.def.allow_sleep = false;
        else if (w == "discrete")
            world.def.continuous = false;
        else if (w == "max_speed")
            world.def.max_speed = in.number();
        else if (w == "unbatched")
            world.def.enable_joint_batches = false;
        else if (w == "contradictory")
            world.contradictory = true;
        else if (w == "modifier")
            world.modifier = true;
        else
            in.fail();
    }
}

static TextChange read_change(Words& in) {
    TextChange change;
    change.step = in.step();
    change.what = in.word();
    change.target = in.id();
    while (in.has_number()) change.numbers.push_back(in.number());
    return change;
}

Result<WorldText> from_text(const std::string& text) {
    WorldText world;
    std::istringstream lines(text);
    std::string line;
    int count = 0;
    struct Place {
        int number;
        std::string line;
    };
    std::vector<Place> joint_places, change_places;  // parallel to the world's joints and changes
    const auto refuse = [](const Place& place, const std::string& flaw) {
        return Error{ErrorCode::bad_argument,
                     "line " + std::to_string(place.number) + ": " + flaw + ": '" + place.line + "'"};
    };
    while (std::getline(lines, line)) {
        ++count;
        if (count == 1) {
            if (line != format_line)
                return Error{ErrorCode::bad_argument, std::string("the first line must be '") + format_line + "'"};
            continue;
        }
        if (line.empty()) continue;
        if (line[0] == '#') {
            world.remarks.push_back(line.size() > 2 ? line.substr(2) : std::string());
            continue;
        }
        Words in(line);
        std::string flaw;  // of a line whose words can be read
        const std::string what = in.word();
        if (what == "world") {
            read_settings(in, world);
        } else if (what == "dt") {
            world.dts.clear();
            while (in.has_number()) world.dts.push_back(in.number());
            if (world.dts.empty()) in.fail();
        } else if (what == "room")
            world.room = in.vector();
        else if (what == "jump")
            world.jump = in.number();
        else if (what == "gap")
            world.gap = in.number();
        else if (what == "body") {
            const TextBody body = read_body(in);
            if (std::ranges::find(world.bodies, body.number, &TextBody::number) != world.bodies.end())
                flaw = "there is a body " + std::to_string(body.number) + " already";
            world.bodies.push_back(body);
        } else if (what == "shape") {
            const std::uint32_t number = in.id();
            const auto body = std::ranges::find(world.bodies, number, &TextBody::number);
            const TextShape shape = read_shape(in);
            flaw = shape_flaw(shape);
            if (body == world.bodies.end())
                flaw = "there is no body " + std::to_string(number) + " above this line";
            else
                body->shapes.push_back(shape);
        } else if (what == "joint") {
            const TextJoint joint = read_joint(in);
            if (std::ranges::find(world.joints, joint.number, &TextJoint::number) != world.joints.end())
                flaw = "there is a joint " + std::to_string(joint.number) + " already";
            world.joints.push_back(joint);
            joint_places.push_back({count, line});
        } else if (what == "change") {
            const TextChange change = read_change(in);
            flaw = name_flaw(change);
            world.changes.push_back(change);
            change_places.push_back({count, line});
        } else if (what == "steps")
            world.steps = in.step();
        else
            in.fail();
        if (!in.good() || !in.at_end())
            return Error{ErrorCode::bad_argument, "line " + std::to_string(count) + " is not understood: " + line};
        if (!flaw.empty()) return refuse({count, line}, flaw);
    }
    if (count == 0) return Error{ErrorCode::bad_argument, "it is empty"};
    // A joint or a change may name a body that a later line describes.
    const Numbers numbers(world);
    for (std::size_t i = 0; i < world.joints.size(); ++i) {
        if (const std::string flaw = reference_flaw(world.joints[i], numbers); !flaw.empty())
            return refuse(joint_places[i], flaw);
    }
    for (std::size_t i = 0; i < world.changes.size(); ++i) {
        if (const std::string flaw = reference_flaw(world.changes[i], numbers); !flaw.empty())
            return refuse(change_places[i], flaw);
    }
    return world;
}

Result<WorldText> read_world_text(const std::string& path) {
    std::ifstream file(path);
    if (!file) return Error{ErrorCode::bad_argument, path + ": it cannot be opened"};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Result<WorldText> world = from_text(text);
    if (!world) return Error{world.error().code, path + ": " + world.error().message};
    return world;
}

Error write_world_text(const WorldText& world, const std::string& path) {
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    if ((file << to_text(world)).flush()) return {};
    return {ErrorCode::bad_argument,
            path + ": it cannot be written" + (errno != 0 ? std::string(": ") + std::strerror(errno) : "")};
}

std::string shape_flaw(const TextShape& shape) {
    ShapeDef part = shape.def;
    return set_geometry(shape.kind, shape.numbers, part);
}

void drop_dangling(WorldText& world) {
    // First the joints of bodies that are missing, then gears between joints that are missing.
    for (int pass = 0; pass < 2; ++pass) {
        const Numbers numbers(world);
        std::erase_if(world.joints, [&](const TextJoint& joint) { return !reference_flaw(joint, numbers).empty(); });
    }
    const Numbers left(world);
    std::erase_if(world.changes, [&](const TextChange& change) { return !reference_flaw(change, left).empty(); });
}

BodyDef body_def(const TextBody& body) {
    BodyDef def = body.def;
    for (const TextShape& shape : body.shapes) {
        ShapeDef part = shape.def;
        if (set_geometry(shape.kind, shape.numbers, part).empty()) def.shapes.push_back(part);
    }
    return def;
}

World make_text_world(const WorldText& text) {
    WorldDef def = text.def;
    def.timing = Timing::off;
    World world(def);
    if (text.modifier) world.set_contact_modifier(modify);
    return world;
}

TextRun::TextRun(const WorldText& text) : text_(text) {}

/// Returns the frame on a body at `pose` that coincides with a frame on a body at `other`.
static Transform frame_at(const Transform& pose, const Transform& other, const Transform& frame) {
    const vec3 point = transform_point(other, frame.position);
    return {inverse_rotate(pose.rotation, point - pose.position),
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
        bodies_[body.number] = world.add_body(body_def(body));
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
    const auto rotation = [&](std::size_t i) { return quat(n(i), n(i + 1), n(i + 2), n(i + 3)); };
    const auto index = [&](std::size_t i) { return static_cast<std::uint32_t>(std::clamp(n(i), 0.0f, 1e6f)); };
    const std::string& what = change.what;
    if (contains(joint_changes, what)) return change_joint(world, change);
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
    if (what == "push") return world.apply_impulse_at(id, vector(0), world.center_of_mass(id) + vector(3));
    if (what == "force") return world.apply_force_at(id, vector(0), world.center_of_mass(id) + vector(3));
    if (what == "torque") return world.apply_torque(id, vector(0));
    if (what == "velocity")
        return world.set_linear_velocity(id, vector(0)) && world.set_angular_velocity(id, vector(3));
    if (what == "place") return world.set_transform(id, vector(0), rotation(3));
    if (what == "target") return world.set_kinematic_target(id, vector(0), rotation(3));
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
            vec3 low(0.0f), high(0.0f);  // of what moves
            bool any = false;
            for (const TextBody& body : text->bodies) {
                if (body.number >= place.size()) place.resize(body.number + 1, 0xffffffffu);
                place[body.number] = static_cast<std::uint32_t>(data.bodies.size());
                data.bodies.push_back(body_def(body));
                if (body.def.type == BodyType::fixed) {
                    data.glass.push_back(place[body.number]);
                    continue;
                }
                low = any ? glm::min(low, body.def.position) : body.def.position;
                high = any ? glm::max(high, body.def.position) : body.def.position;
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
                        bodies.apply_impulse(
                            body, {push.numbers[0], push.numbers[1], push.numbers[2]},
                            bodies.center_of_mass(body) + vec3(push.numbers[3], push.numbers[4], push.numbers[5]));
                    }
                };
            }
            data.camera.target = 0.5f * (low + high);
            data.camera.eye =
                data.camera.target + vec3(0.6f, 0.45f, 0.8f) * (2.0f + std::sqrt(length_squared(high - low)));
            return data;
        }};
    return scene;
}

}  // namespace talus::samples
