#include "samples/soak/world_text.h"

#include "common/number_text.h"
#include "samples/soak/text_run.h"

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

bool is_identity(const Transform& pose) {
    return pose.position == vec3(0.0f) && pose.rotation == quat(1.0f, 0.0f, 0.0f, 0.0f);
}

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
    /// With as many digits as the same double needs.
    Line& number(double x) { return text_ += " " + detail::text(x), *this; }
    Line& whole(long long x) { return text_ += " " + std::to_string(x), *this; }
    Line& vector(const vec3& v) { return number(v.x).number(v.y).number(v.z); }
    Line& position(const dvec3& p) { return number(p.x).number(p.y).number(p.z); }
    Line& rotation(const quat& q) { return number(q.w).number(q.x).number(q.y).number(q.z); }
    Line& pose(const Transform& t) { return vector(t.position).rotation(t.rotation); }
    std::string end() const { return text_ + "\n"; }

private:
    std::string text_;
};

std::string body_lines(const TextBody& body) {
    const BodyDef &d = body.def, plain;
    Line line("body " + std::to_string(body.number));
    line.word(type_names[static_cast<int>(d.type)]).word("at").position(d.position);
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
    double wide_number() {
        if (!has_number()) return good_ = false, 0.0;
        return std::strtod(words_[next_++].c_str(), nullptr);
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
    dvec3 position() {
        const double x = wide_number(), y = wide_number(), z = wide_number();
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
            d.position = in.position();
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

// ---- references ----

constexpr std::string_view joint_changes[] = {"remove_joint", "motor", "limit", "bad_limit", "spring",
                                              "cone",         "drive", "break", "collide"};
constexpr std::string_view body_changes[] = {
    "remove", "push", "force",  "torque",        "velocity", "place",       "target", "type",   "mass",   "locks",
    "sleep",  "wake", "limits", "gravity_scale", "friction", "restitution", "filter", "sensor", "sphere", "box"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The element of this number of a list of bodies or joints, or the list's end.
template <class List>
auto numbered(List& list, std::uint32_t number) {
    return std::find_if(list.begin(), list.end(), [&](const auto& element) { return element.number == number; });
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
    if (is_joint_change(change))
        return numbers.joints.contains(change.target) ? std::string() : "there is no joint " + target;
    if (contains(body_changes, change.what))
        return numbers.bodies.contains(change.target) ? std::string() : "there is no body " + target;
    return {};  // gravity: its target means nothing
}

std::string name_flaw(const TextChange& change) {
    if (change.what == "gravity" || is_joint_change(change) || contains(body_changes, change.what)) return {};
    std::string names = "gravity";
    for (const std::string_view name : body_changes) names += ", " + std::string(name);
    for (const std::string_view name : joint_changes) names += ", " + std::string(name);
    return "there is no change '" + change.what + "'; the changes are " + names;
}

}  // namespace

bool is_joint_change(const TextChange& change) { return contains(joint_changes, change.what); }

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
    if (world.origin != dvec3(0.0)) text += Line("origin").position(world.origin).end();
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
        } else if (what == "origin")
            world.origin = in.position();
        else if (what == "room")
            world.room = in.vector();
        else if (what == "jump")
            world.jump = in.number();
        else if (what == "gap")
            world.gap = in.number();
        else if (what == "body") {
            const TextBody body = read_body(in);
            if (numbered(world.bodies, body.number) != world.bodies.end())
                flaw = "there is a body " + std::to_string(body.number) + " already";
            world.bodies.push_back(body);
        } else if (what == "shape") {
            const std::uint32_t number = in.id();
            const auto body = numbered(world.bodies, number);
            const TextShape shape = read_shape(in);
            flaw = shape_flaw(shape);
            if (body == world.bodies.end())
                flaw = "there is no body " + std::to_string(number) + " above this line";
            else
                body->shapes.push_back(shape);
        } else if (what == "joint") {
            const TextJoint joint = read_joint(in);
            if (numbered(world.joints, joint.number) != world.joints.end())
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

void drop_dangling(WorldText& world) {
    // First the joints of bodies that are missing, then gears between joints that are missing.
    for (int pass = 0; pass < 2; ++pass) {
        const Numbers numbers(world);
        std::erase_if(world.joints, [&](const TextJoint& joint) { return !reference_flaw(joint, numbers).empty(); });
    }
    const Numbers left(world);
    std::erase_if(world.changes, [&](const TextChange& change) { return !reference_flaw(change, left).empty(); });
}

}  // namespace talus::samples
