#include "samples/soak/joint_world.h"

#include "samples/scenes/kit/random.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr std::uint32_t walls = 1, things = 2;  // filter categories: everything collides with walls

/// How often a world has each feature.
struct Share {
    std::uint32_t feature;
    float share;
};
constexpr Share shares[] = {
    {soak_copies, 0.5f},  {soak_ranges, 0.6f},   {soak_motors, 0.35f},   {soak_springs, 0.3f},
    {soak_drives, 0.25f}, {soak_gears, 0.2f},    {soak_breaking, 0.2f},  {soak_contradictions, 0.2f},
    {soak_loops, 0.35f},  {soak_contacts, 0.5f}, {soak_locks, 0.2f},     {soak_heavy, 0.5f},
    {soak_sizes, 0.2f},   {soak_thin, 0.2f},     {soak_kinematic, 0.3f}, {soak_changes, 0.4f},
    {soak_dt, 0.25f},     {soak_limits, 0.1f},   {soak_fast, 0.2f},      {soak_bouncy, 0.15f},
    {soak_meshes, 0.15f}, {soak_overlaps, 0.1f}, {soak_far, 0.125f},
};

constexpr JointKind kinds[] = {JointKind::ball,     JointKind::hinge,   JointKind::slider, JointKind::fixed,
                               JointKind::distance, JointKind::six_dof, JointKind::wheel,  JointKind::motor};

bool has_main_axis(JointKind kind) {
    return kind == JointKind::hinge || kind == JointKind::slider || kind == JointKind::wheel ||
           kind == JointKind::distance || kind == JointKind::six_dof;
}

/// Draws a world. Everything that the layout of an articulation depends on is drawn from `form_`, all other numbers from
/// `random_`. So articulations with the same form and other numbers have the same layout, and are solved side by side.
class Maker {
public:
    Maker(std::uint64_t seed, std::uint32_t features) : seed_(seed), form_(seed), random_(seed) {
        Random choice = stream(1);
        for (const Share& s : shares) {
            const bool drawn = choice.unit() < s.share;
            if (drawn && (features & s.feature) != 0) has_ |= s.feature;
        }
        // The check `energy` does not know the work that gears do on kinematic bodies.
        if (has(soak_gears)) has_ &= ~std::uint32_t{soak_kinematic};
    }

    WorldText make() {
        make_rules();
        make_articulations();
        if (has(soak_contacts)) make_surroundings();
        if (has(soak_changes)) make_changes();
        move_kinematic_bodies();
        set_bounds();
        if (has(soak_far)) random_ = stream(8000), world_.origin = far_place(random_);
        std::stable_sort(world_.changes.begin(), world_.changes.end(),
                         [](const TextChange& a, const TextChange& b) { return a.step < b.step; });
        return std::move(world_);
    }

private:
    bool has(std::uint32_t feature) const { return (has_ & feature) != 0; }
    Random stream(std::uint64_t number) const { return Random(seed_ * 1000003u + number); }
    bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
    bool form_one_in(std::uint32_t n) { return form_.below(n) == 0; }
    /// A number of about this size: 0.5 to 1.5 times as large, in half of the cases a tenth or ten times of that.
    float around(float x) {
        const float u = 0.5f + random_.unit();
        const std::uint32_t how = random_.below(4);
        return x * u * (how == 0 ? 0.1f : how == 1 ? 10.0f : 1.0f);
    }
    float either_side(float most) { return random_.between(-most, most); }
    // One statement per number, because the order of operands is the compiler's choice.
    vec3 vector(float longest) {
        const vec3 direction = random_.direction();
        return longest * random_.unit() * direction;
    }
    template <std::size_t N>
    float near_one_of(const float (&numbers)[N]) {
        const float number = numbers[random_.below(N)];
        return number * (0.5f + random_.unit());
    }

    /// A motor joint does nothing but drive, and a wheel has a spring.
    JointKind any_kind(Random& random) const {
        const JointKind kind = kinds[random.below(8)];
        if (kind == JointKind::motor && !has(soak_drives)) return JointKind::ball;
        if (kind == JointKind::wheel && !has(soak_springs)) return JointKind::hinge;
        return kind;
    }

    // ---- The world ---------------------------------------------------------------------------------------------------

    void make_rules() {
        random_ = stream(2);
        WorldDef& d = world_.def;
        if (one_in(6))
            d.gravity = vec3(0.0f);
        else if (one_in(10))
            d.gravity = 9.81f * random_.direction();
        if (one_in(6)) d.substeps = 1 + static_cast<int>(random_.below(12));
        d.allow_sleep = one_in(2);
        if (one_in(10)) d.continuous = false;
        d.enable_joint_batches = !one_in(8);
        if (has(soak_limits)) d.max_speed = 5.0f + 20.0f * random_.unit();
        world_.steps = 100 + static_cast<int>(random_.below(200));
        if (!has(soak_dt)) return;
        constexpr float lengths[] = {1.0f / 240, 1.0f / 120, 1.0f / 90, 1.0f / 45, 1.0f / 30, 1.0f / 20, 1.0f / 15};
        world_.dts = {lengths[random_.below(7)]};
        for (std::uint32_t more = one_in(2) ? 0 : 1 + random_.below(4); more > 0; --more)
            world_.dts.push_back(lengths[random_.below(7)]);
    }

    TextBody& add_body(BodyType type, const dvec3& position) {
        TextBody body;
        body.number = static_cast<std::uint32_t>(world_.bodies.size());
        body.def.type = type;
        body.def.position = position;
        world_.bodies.push_back(body);
        return world_.bodies.back();
    }

    const dvec3& position_of(std::uint32_t body) const { return world_.bodies[body].def.position; }

    // ---- Articulations -----------------------------------------------------------------------------------------------

    void make_articulations() {
        random_ = stream(3);
        const std::uint32_t layouts = 1 + random_.below(2);
        dvec3 origin(0.0);
        for (std::uint32_t layout = 0; layout < layouts; ++layout) {
            const std::uint32_t copies = has(soak_copies) ? 1 + stream(4 + layout).below(9) : 1;
            const bool equal = stream(6 + layout).below(4) == 0;  // the same numbers, too
            for (std::uint32_t copy = 0; copy < copies; ++copy) {
                form_ = stream(10 + layout);
                random_ = stream(20 + 100 * layout + (equal ? 0 : copy));
                const std::uint32_t most = copies > 1 ? 7 : form_one_in(16) ? 40 : 14;
                make_articulation(1 + form_.below(most), origin);
                origin.x += double{4.0f * reach_ + 0.2f};
            }
        }
        first_loose_ = static_cast<std::uint32_t>(world_.bodies.size());
    }

    struct Plan {
        enum class Tree { chain, random, star, ring, ladder } tree = Tree::chain;
        bool straight = false, flat = false, collides = false, one_kind = false;
        BodyType anchor = BodyType::dynamic;  ///< type of the first body
        BodyType end = BodyType::dynamic;     ///< of a body at the end, which makes a loop; dynamic: none
        JointKind kind = JointKind::ball;
        vec3 along{1.0f, 0.0f, 0.0f};
        float size = 0.1f;
        int group = 0;  ///< of its bodies' filters
    };

    Plan make_plan() {
        Plan plan;
        const std::uint32_t trees = has(soak_loops) ? 5 : 3;
        plan.tree = static_cast<Plan::Tree>(form_.below(trees));
        plan.straight = form_one_in(2);
        plan.flat = has(soak_locks) && form_one_in(2);
        plan.collides = has(soak_overlaps) && form_one_in(2);
        plan.one_kind = form_one_in(2);
        plan.kind = any_kind(form_);
        const BodyType anchor = has(soak_kinematic) && form_one_in(2) ? BodyType::kinematic : BodyType::fixed;
        const std::uint32_t anchored = form_.below(3);
        if (anchored > 0) plan.anchor = anchor;
        if (anchored == 2 && has(soak_loops)) plan.end = form_one_in(2) ? BodyType::fixed : anchor;
        plan.along = form_.direction();
        if (form_one_in(3)) plan.along = {0.0f, -1.0f, 0.0f};
        if (plan.flat) plan.along = normalized_in_plane(plan.along);
        plan.size = form_one_in(4) ? 0.3f : 0.1f;
        plan.group = -++groups_;
        return plan;
    }
    static vec3 normalized_in_plane(const vec3& v) {
        const float length = std::sqrt(v.x * v.x + v.y * v.y);
        return length > 0.1f ? vec3(v.x / length, v.y / length, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
    }

    vec3 direction(const Plan& plan) {
        const vec3 any = random_.direction();
        if (plan.straight && !form_one_in(4)) return plan.along;
        return plan.flat ? normalized_in_plane(any) : any;
    }

    std::uint32_t parent_of(const Plan& plan, std::uint32_t i) {
        switch (plan.tree) {
            case Plan::Tree::random:
                return form_.below(i);
            case Plan::Tree::star:
                return i < 4 ? 0 : i - 3;
            case Plan::Tree::ladder:
                return i < 2 ? 0 : i - 2;
            default:
                return i - 1;
        }
    }

    void make_articulation(std::uint32_t count, const dvec3& origin) {
        const Plan plan = make_plan();
        const auto first = static_cast<std::uint32_t>(world_.bodies.size());
        const std::size_t first_joint = world_.joints.size();
        add_link(plan, plan.anchor, origin);
        if (plan.anchor != BodyType::dynamic) ++count;
        for (std::uint32_t i = 1; i < count; ++i) {
            const std::uint32_t parent = first + parent_of(plan, i);
            const float step = plan.size * (1.0f + random_.unit()), part = 0.2f + 0.6f * random_.unit();
            const vec3 way = step * direction(plan);
            const dvec3 at = displaced(position_of(parent), part * way);
            const vec3 bent = plan.straight ? way : step * direction(plan);
            const std::uint32_t child = add_link(plan, BodyType::dynamic, displaced(at, (1.0f - part) * bent));
            connect(plan, parent, child, at);
            if (plan.tree == Plan::Tree::ladder && i >= 2) connect_between(plan, child - 1, child);
        }
        reach_ = 2.0f * plan.size * static_cast<float>(count);
        const std::uint32_t last = first + count - 1;
        if (plan.tree == Plan::Tree::ring && count > 2) connect_between(plan, last, first);
        if (plan.end != BodyType::dynamic && count > 1) {
            looped_ = true;
            const dvec3 at = displaced(position_of(last), plan.size * direction(plan));
            connect(plan, last, add_link(plan, plan.end, at), at);
        }
        if (has(soak_loops) && count > 2) {
            for (std::uint32_t more = form_.below(3); more > 0; --more) {
                const std::uint32_t a = form_.below(count), b = form_.below(count);
                if (a != b) connect_between(plan, first + a, first + b);
            }
        }
        if (has(soak_contradictions)) contradict(plan, first_joint);
        if (has(soak_gears)) add_gears(first_joint);
        give_velocities(first, last);
    }

    std::uint32_t add_link(const Plan& plan, BodyType type, const dvec3& position) {
        TextBody& body = add_body(type, position);
        if (plan.flat) {
            const float turn = either_side(1.0f);
            body.def.rotation = normalized(quat(1.0f, 0.0f, 0.0f, turn));
        } else if (!form_one_in(3)) {
            body.def.rotation = random_.rotation();
        }
        TextShape shape =
            type == BodyType::dynamic ? link_shape(plan.size) : TextShape{"box", {0.02f, 0.02f, 0.02f}, {}};
        shape.def.filter = {things, walls | things, plan.collides ? 0 : plan.group};
        if (type != BodyType::dynamic) shape.def.filter = {things, 0, 0};
        body.shapes.push_back(shape);
        if (type != BodyType::dynamic) return body.number;
        if (has(soak_locks) && (plan.flat || form_one_in(3)))
            body.def.locks = plan.flat ? std::uint8_t{lock_to_plane_xy} : static_cast<std::uint8_t>(form_.below(64));
        if (one_in(12)) body.def.linear_damping = random_.unit(), body.def.angular_damping = random_.unit();
        if (one_in(24)) body.def.gravity_scale = 2.0f * random_.unit();
        if (one_in(8)) body.def.continuous = Continuous::all;
        return body.number;
    }

    TextShape link_shape(float size) {
        TextShape s;
        if (has(soak_sizes)) {
            constexpr float factors[] = {0.3f, 1.0f, 3.0f};
            size *= factors[random_.below(3)];
        }
        const float length = size * (0.3f + 0.4f * random_.unit());
        const float width =
            length * (has(soak_thin) && one_in(2) ? 0.02f + 0.08f * random_.unit() : 0.3f + 0.7f * random_.unit());
        switch (random_.below(5)) {
            case 0:
                s = {"sphere", {length}, {}};
                break;
            case 1:
                s = {"box", {width, length, width}, {}};
                break;
            case 2:
                s = {"box", {length, width, length * (0.3f + 0.7f * random_.unit())}, {}};
                break;
            case 3:
                s = {"cylinder", {length, width}, {}};
                break;
            default:
                s = {"capsule", {length, width}, {}};
        }
        if (one_in(2)) s.def.material.friction = 1.2f * random_.unit();
        if (has(soak_bouncy) && one_in(2)) s.def.material.restitution = one_in(4) ? 1.0f : random_.unit();
        // Masses from 30 g to 30 kg, whatever the shape.
        constexpr float masses[] = {0.03f, 0.1f, 1.0f, 10.0f, 30.0f};
        const float volume = volume_of(s), mass = masses[random_.below(5)];
        s.def.density = has(soak_heavy) ? mass / volume : std::clamp(1000.0f, masses[0] / volume, masses[4] / volume);
        return s;
    }

    /// About the volume of one of the shapes of link_shape(), m^3.
    static float volume_of(const TextShape& s) {
        const std::vector<float>& n = s.numbers;
        if (s.kind == "sphere") return 4.19f * n[0] * n[0] * n[0];
        if (s.kind == "box") return 8.0f * n[0] * n[1] * n[2];
        const float cylinder = 6.28f * n[0] * n[1] * n[1];
        return s.kind == "capsule" ? cylinder + 4.19f * n[1] * n[1] * n[1] : cylinder;
    }

    void give_velocities(std::uint32_t first, std::uint32_t last) {
        const std::uint32_t how = form_.below(3);
        if (how == 0) return;
        const float speed = has(soak_fast) ? 30.0f : 3.0f;
        const vec3 v = vector(speed), w = vector(speed);
        for (std::uint32_t i = first; i <= last; ++i) {
            BodyDef& d = world_.bodies[i].def;
            if (d.type != BodyType::dynamic) continue;
            if (how == 1) {  // as one rigid body
                d.linear_velocity = v + glm::cross(w, vec3(d.position - position_of(first)));
                d.angular_velocity = w;
            } else {
                d.linear_velocity = vector(speed);
                d.angular_velocity = vector(2.0f * speed);
            }
        }
    }

    // ---- Joints ------------------------------------------------------------------------------------------------------

    void connect(const Plan& plan, std::uint32_t a, std::uint32_t b, const dvec3& at) {
        const JointKind kind = plan.one_kind ? plan.kind : any_kind(form_);
        add_joint(kind, a, b, at, axis_for(plan, kind, a, b));
    }

    void connect_between(const Plan& plan, std::uint32_t a, std::uint32_t b) {
        if (world_.bodies[a].def.type != BodyType::dynamic && world_.bodies[b].def.type != BodyType::dynamic) return;
        looped_ = true;
        connect(plan, a, b, midway(position_of(a), position_of(b)));
    }

    vec3 axis_for(const Plan& plan, JointKind kind, std::uint32_t a, std::uint32_t b) {
        const vec3 any = random_.direction();
        const std::uint32_t how = form_.below(4);
        if (plan.flat) return kind == JointKind::slider ? normalized_in_plane(any) : vec3(0.0f, 0.0f, 1.0f);
        if (how == 0) return {0.0f, 0.0f, 1.0f};
        const vec3 between(position_of(b) - position_of(a));
        if (how == 1 && length_squared(between) > 1e-6f) return between;
        return any;
    }

    /// A range of a coordinate that is 0 now.
    JointLimit range(float most) {
        const float low = most * random_.unit(), high = most * random_.unit();
        switch (form_.below(8)) {
            case 0:
                return {-0.01f * low, 0.01f * high};
            case 1:
                return {0.0f, 0.0f};
            case 2:
                return {-low, unlimited};
            case 3:
                return {-unlimited, high};
            case 4:
                if (has(soak_contradictions)) return {0.3f * most, 0.3f * most + high};  // violated from the start
                return {-low, high};
            default:
                return {-low, high};
        }
    }
    JointLimit symmetric(const JointLimit& limit) {
        const float least = std::min(std::abs(limit.lower), std::abs(limit.upper));
        return is_finite(least) ? JointLimit{-least, least} : JointLimit{};
    }

    float strength() {
        switch (form_.below(4)) {
            case 0:
                return random_.unit();
            case 1:
                strong_ = true;
                return unlimited;
            default:
                return 0.1f + 200.0f * random_.unit();
        }
    }
    JointMotor motor(float fastest) {
        const float force = strength();
        return {form_one_in(4) ? 0.0f : either_side(fastest), force};
    }
    JointSpring spring(float most) {
        constexpr float frequencies[] = {0.2f, 1.0f, 3.0f, 10.0f, 30.0f, 60.0f};
        constexpr float dampings[] = {0.0f, 0.05f, 0.5f, 2.0f};
        const float hertz = near_one_of(frequencies), damping = near_one_of(dampings);
        const float target = one_in(2) ? 0.0f : either_side(most);
        return {hertz, damping, target, form_one_in(4) ? around(10.0f) : unlimited};
    }
    JointDrive drive(bool linear) {
        JointDrive d;
        const float torque = strength(), force = strength();
        d.max_torque = torque;
        if (linear) d.max_force = force;
        d.velocity = random_.in_box(vec3(1.0f));
        d.angular_velocity = random_.in_box(vec3(4.0f));
        d.target = {random_.in_box(vec3(0.2f)), random_.rotation()};
        const float linear_hertz = around(2.0f), angular_hertz = around(2.0f);
        d.damping_ratio = one_in(3) ? 0.0f : 1.5f * random_.unit();
        if (form_one_in(2)) {
            d.linear_hertz = linear_hertz;
            d.angular_hertz = angular_hertz;
            d.velocity = d.angular_velocity = vec3(0.0f);
        }
        return d;
    }

    TextJoint& add_joint(JointKind kind, std::uint32_t a, std::uint32_t b, const dvec3& at, const vec3& axis) {
        TextJoint j;
        j.number = static_cast<std::uint32_t>(world_.joints.size());
        j.kind = kind;
        j.a = a;
        j.b = b;
        const BodyDef &body_a = world_.bodies[a].def, &body_b = world_.bodies[b].def;
        const JointFrames frames =
            joint_frames({body_a.position, body_a.rotation}, {body_b.position, body_b.rotation}, at, axis);
        j.frame_a = frames.frame_a;
        j.frame_b = frames.frame_b;
        if (kind == JointKind::distance)
            make_distance(j);
        else if (kind == JointKind::six_dof)
            make_six_dof(j);
        else
            make_one_axis(j);
        j.options.collide_connected = form_one_in(12) && has(soak_overlaps);
        if (has(soak_breaking) && form_one_in(3)) {
            j.options.break_force = around(100.0f);
            j.options.break_torque = around(30.0f);
        }
        world_.joints.push_back(j);
        return world_.joints.back();
    }

    void make_one_axis(TextJoint& j) {
        const bool moves = j.kind == JointKind::slider || j.kind == JointKind::wheel;
        const float most = moves ? 0.2f : form_one_in(8) ? 10.0f : 2.5f;
        if (j.kind == JointKind::fixed) {
            if (!has(soak_springs) || !form_one_in(3)) return;
            j.spring = spring(0.0f);
            if (form_one_in(2)) j.angular_hertz = form_one_in(2) ? 0.0f : around(5.0f);
            return;
        }
        if (j.kind == JointKind::motor) {
            j.drive = drive(true);
            return;
        }
        if (has(soak_ranges) && form_one_in(2)) j.limit = range(most);
        if (j.kind == JointKind::ball) {
            if (j.limit.lower < -3.0f || j.limit.upper > 3.0f) j.limit = {};
            if (has(soak_ranges) && form_one_in(2)) j.cone = form_one_in(6) ? 0.0f : 1.5f * random_.unit();
            if (has(soak_drives) && form_one_in(2)) j.drive = drive(false);
            return;
        }
        if (has(soak_motors) && form_one_in(2)) j.motor = motor(moves && j.kind != JointKind::wheel ? 1.0f : 10.0f);
        if (j.kind == JointKind::wheel) {
            j.spring = spring(0.1f);
            j.second = has(soak_ranges) && form_one_in(2) ? range(0.6f) : JointLimit{0.0f, 0.0f};
            if (has(soak_springs) && form_one_in(2)) j.servo = spring(0.5f);
        } else if (has(soak_springs) && form_one_in(2)) {
            j.spring = spring(0.5f * most);
        }
    }

    void make_distance(TextJoint& j) {
        const BodyDef &a = world_.bodies[j.a].def, &b = world_.bodies[j.b].def;
        if (!form_one_in(4)) {  // between two other points; otherwise both anchors are at one
            j.frame_a.position = 0.2f * j.frame_a.position;
            j.frame_b.position = 0.2f * j.frame_b.position;
        }
        const dvec3 from = transform_point(WorldTransform{a.position, a.rotation}, j.frame_a.position),
                    to = transform_point(WorldTransform{b.position, b.rotation}, j.frame_b.position);
        const float apart = std::sqrt(length_squared(vec3(to - from))), more = random_.unit();
        switch (form_.below(4)) {
            case 0:
                break;  // a rod
            case 1:
                j.limit = {0.0f, std::max(0.02f, apart * (1.0f + more))};  // a rope
                break;
            case 2:
                j.limit = {apart * more, std::max(0.02f, apart * (1.0f + more))};
                break;
            default:
                if (has(soak_springs)) {
                    j.limit = {0.0f, unlimited};
                    j.spring = spring(0.0f);
                    j.spring.target = 2.0f * apart * more;
                }
        }
        if (has(soak_motors) && form_one_in(2) && j.limit.lower >= 0.0f) j.motor = motor(1.0f);
    }

    void make_six_dof(TextJoint& j) {
        for (std::size_t i = 0; i < 6; ++i) {
            const std::uint32_t how = form_.below(i < 3 ? 5 : 3);
            JointLimit limit = range(i < 3 ? 0.1f : 1.2f);
            if (i > 3) limit = symmetric(limit);  // docs/limits.md: unequal ones push where a swing passes half a turn
            j.axes[i] = how == 0 ? JointLimit{} : how == 1 ? limit : JointLimit{0.0f, 0.0f};
        }
        const bool swing_ends = is_finite(j.axes[4].upper) && is_finite(j.axes[5].upper);
        for (std::size_t i = 0; i < 6; ++i) {
            if (j.axes[i].lower == j.axes[i].upper) continue;
            const float most = i < 3 ? 0.1f : 1.0f;
            if (has(soak_motors) && form_one_in(3)) j.axis_motors[i] = motor(10.0f * most);
            // docs/limits.md: a spring about the twist axis makes energy where a swing passes half a turn.
            if (has(soak_springs) && form_one_in(3) && (i < 3 || swing_ends)) j.axis_springs[i] = spring(most);
        }
    }

    /// Joints that cannot all be satisfied.
    void contradict(const Plan& plan, std::size_t first_joint) {
        const std::size_t end = world_.joints.size();
        for (std::size_t i = first_joint; i < end; ++i) {
            if (!form_one_in(3)) continue;
            contradictory_ = true;
            const std::uint32_t a = world_.joints[i].a, b = world_.joints[i].b;
            const vec3 shift = random_.in_box(vec3(0.1f));
            const quat turn = random_.rotation();
            const float amount = random_.unit();
            TextJoint& joint = world_.joints[i];
            switch (form_.below(4)) {
                case 0:  // its frames are apart
                    joint.frame_b.position += shift;
                    if (amount < 0.5f) joint.frame_b.rotation = turn;
                    break;
                case 1:  // a second joint, at another place
                    connect(plan, a, b, displaced(position_of(b), shift));
                    looped_ = true;
                    break;
                case 2: {  // a second joint at the same place, about another axis
                    TextJoint second = joint;
                    second.number = static_cast<std::uint32_t>(world_.joints.size());
                    second.frame_b.rotation = turn;
                    world_.joints.push_back(second);
                    looped_ = true;
                    break;
                }
                default: {  // two motors against each other
                    TextJoint second = joint;
                    second.number = static_cast<std::uint32_t>(world_.joints.size());
                    joint.motor = {1.0f + amount, unlimited};
                    second.motor = {-1.0f - amount, form_one_in(2) ? unlimited : 100.0f};
                    if (joint.kind == JointKind::six_dof) {
                        joint.axis_motors[3] = joint.motor;
                        second.axis_motors[3] = second.motor;
                    }
                    if (!has_main_axis(joint.kind)) joint.motor = second.motor = {};
                    strong_ = looped_ = true;
                    world_.joints.push_back(second);
                }
            }
        }
    }

    void add_gears(std::size_t first_joint) {
        std::vector<std::uint32_t> gearable;
        const std::size_t from = form_one_in(4) ? 0 : first_joint;  // also to joints of other articulations
        for (std::size_t i = from; i < world_.joints.size(); ++i) {
            const JointKind kind = world_.joints[i].kind;
            if (kind == JointKind::hinge || kind == JointKind::slider) gearable.push_back(world_.joints[i].number);
        }
        if (gearable.size() < 2) return;
        const auto count = static_cast<std::uint32_t>(gearable.size());
        std::uint32_t gears = 1 + form_.below(has(soak_contradictions) ? 3 : 1);
        for (; gears > 0; --gears) {
            const std::uint32_t a = form_.below(count), b = form_.below(count);
            const float size = around(1.0f), ratio = one_in(2) ? -size : size;
            if (a == b) continue;
            TextJoint j;
            j.number = static_cast<std::uint32_t>(world_.joints.size());
            j.kind = JointKind::gear;
            j.a = gearable[a];
            j.b = gearable[b];
            j.ratio = ratio;
            looped_ = true;
            world_.joints.push_back(j);
        }
    }

    // ---- What is around them -------------------------------------------------------------------------------------------

    void make_surroundings() {
        random_ = stream(5000);
        dvec3 low(1e9), high(-1e9);
        for (const TextBody& body : world_.bodies) {
            low = glm::min(low, body.def.position);
            high = glm::max(high, body.def.position);
        }
        const dvec3 margin = dvec3(0.3f + random_.unit());
        low -= margin;
        high += margin;
        const std::uint32_t loose = random_.below(6);
        for (std::uint32_t i = 0; i < loose; ++i) add_loose_body(low, high);
        const bool room = one_in(2);
        if (!room) {
            const dvec3 middle = midway(low, high);
            if (has(soak_meshes)) {
                TextBody& body = add_body(BodyType::fixed, {middle.x, low.y - 0.5, middle.z});
                body.shapes.push_back({"ground", {16, 20.0f, 0.5f * random_.unit(), 7.0f, 0.0f}, {}});
            } else {
                add_body(BodyType::fixed, {middle.x, low.y - 1.0, middle.z})
                    .shapes.push_back({"box", {40.0f, 1.0f, 40.0f}, {}});
            }
            world_.bodies.back().shapes[0].def.filter = {walls, ~0u, 0};
            return;
        }
        const vec3 half = 0.5f * vec3(high - low) + vec3(0.5f);
        const dvec3 shift = dvec3(0, half.y, 0) - midway(low, high);
        for (TextBody& body : world_.bodies) body.def.position += shift;
        make_room(half);
        // Where something moves bodies with all its force, it may move them through a wall.
        if (!has(soak_kinematic) && !strong_ && !contradictory_) world_.room = half;
    }

    void add_loose_body(const dvec3& low, const dvec3& high) {
        if (first_loose_ == 0) return;
        const TextBody& target = world_.bodies[random_.below(first_loose_)];
        dvec3 at = displaced(midway(low, high), random_.in_box(0.5f * vec3(high - low)));
        if (one_in(2)) at.y = high.y + double{0.3f * random_.unit()};
        const vec3 to(target.def.position - at);
        const float speed = (has(soak_fast) ? 20.0f : 5.0f) * random_.unit();
        const TextShape shape = link_shape(0.2f);
        TextBody& body = add_body(BodyType::dynamic, at);
        body.shapes.push_back(shape);
        body.shapes[0].def.filter = {things, ~0u, 0};
        body.def.rotation = random_.rotation();
        body.def.linear_velocity = speed / std::sqrt(length_squared(to) + 1e-6f) * to;
    }

    void make_room(const vec3& half) {
        constexpr float thick = 0.5f;
        for (int axis = 0; axis < 3; ++axis) {
            for (const float side : {-1.0f, 1.0f}) {
                vec3 wall = half + vec3(2.0f * thick), at(0, half.y, 0);
                wall[axis] = thick;
                at[axis] += side * (half[axis] + thick);
                TextBody& body = add_body(BodyType::fixed, at);
                body.shapes.push_back({"box", {wall.x, wall.y, wall.z}, {}});
                body.shapes[0].def.filter = {walls, ~0u, 0};
            }
        }
    }

    // ---- Changes -----------------------------------------------------------------------------------------------------

    void make_changes() {
        random_ = form_ = stream(6000);
        const std::uint32_t count = 1 + random_.below(20);
        for (std::uint32_t k = 0; k < count; ++k) {
            const int step = static_cast<int>(random_.below(static_cast<std::uint32_t>(world_.steps)));
            if (one_in(3))
                change_body(step);
            else
                change_joint(step);
        }
        if (!has(soak_loops)) return;
        for (std::uint32_t more = random_.below(3); more > 0; --more) {
            const std::uint32_t a = random_.below(first_loose_), b = random_.below(first_loose_);
            const JointKind kind = any_kind(random_);
            if (a == b ||
                (world_.bodies[a].def.type != BodyType::dynamic && world_.bodies[b].def.type != BodyType::dynamic))
                continue;
            looped_ = true;
            TextJoint& joint = add_joint(kind, a, b, position_of(a), random_.direction());
            joint.from = static_cast<int>(random_.below(100));
            joint.here = true;
        }
    }

    void change_joint(int step) {
        if (world_.joints.empty()) return;
        const TextJoint& joint = world_.joints[random_.below(static_cast<std::uint32_t>(world_.joints.size()))];
        TextChange c{step, "", joint.number, {}};
        const bool moves = joint.kind == JointKind::slider || joint.kind == JointKind::distance;
        const std::uint32_t how = random_.below(9);
        if (how == 0)
            c.what = "remove_joint";
        else if (how == 1)
            c.what = "break", c.numbers = {one_in(4) ? unlimited : around(100.0f), around(30.0f)};
        else if (how == 2 && has(soak_overlaps))
            c.what = "collide", c.numbers = {static_cast<float>(random_.below(2))};
        else if (joint.kind == JointKind::ball || joint.kind == JointKind::motor)
            change_ball(c, joint.kind);
        else if (has_main_axis(joint.kind))
            change_axis(c, joint.kind, moves);
        if (!c.what.empty()) world_.changes.push_back(c);
    }

    void change_ball(TextChange& c, JointKind kind) {
        if (kind == JointKind::ball && one_in(2)) {
            if (!has(soak_ranges)) return;
            c.what = "cone";
            c.numbers = {one_in(3) ? unlimited : 1.5f * random_.unit()};
            return;
        }
        if (!has(soak_drives)) return;
        const JointDrive d = drive(kind == JointKind::motor);
        c.what = "drive";
        for (const vec3& v : {d.velocity, d.angular_velocity, d.target.position})
            c.numbers.insert(c.numbers.end(), {v.x, v.y, v.z});
        const quat& q = d.target.rotation;
        c.numbers.insert(c.numbers.end(), {q.w, q.x, q.y, q.z, d.linear_hertz, d.angular_hertz, d.damping_ratio,
                                           d.max_force, d.max_torque});
    }

    void change_axis(TextChange& c, JointKind kind, bool moves) {
        float axis = 0.0f;
        if (kind == JointKind::six_dof) axis = static_cast<float>(1 + random_.below(4));  // not the swing
        if (kind == JointKind::wheel) axis = one_in(3) ? 2.0f : 0.0f;                     // the travel, or rolling
        moves = moves || axis == 2.0f || (axis > 0.0f && axis < 4.0f);
        const float most = moves ? 0.2f : 2.0f;
        switch (random_.below(4)) {
            case 0: {
                if (!has(soak_motors) || (kind == JointKind::wheel && axis > 0.0f)) return;
                const JointMotor m = motor(moves ? 1.0f : 10.0f);
                c.what = "motor";
                c.numbers = {m.speed, one_in(4) ? 0.0f : m.max_force, axis};
                break;
            }
            case 1: {
                if (!has(soak_springs) || kind == JointKind::wheel) return;
                const JointSpring s = spring(most);
                if (axis == 4.0f) return;  // see make_six_dof()
                c.what = "spring";
                c.numbers = {one_in(4) ? 0.0f : s.hertz, s.damping_ratio, s.target, s.max_force, axis};
                break;
            }
            case 2:  // the wrong way round
                c.what = "bad_limit";
                c.numbers = {most * (0.1f + random_.unit()), -most * random_.unit(), axis};
                break;
            default: {
                if (!has(soak_ranges) || (kind == JointKind::wheel && axis == 0.0f)) return;
                JointLimit limit = range(most);
                if (kind == JointKind::distance) limit = {0.0f, std::max(0.01f, std::abs(limit.upper))};
                c.what = "limit";
                c.numbers = {limit.lower, limit.upper, axis};
            }
        }
    }

    static std::vector<float> six(const vec3& a, const vec3& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }

    void change_body(int step) {
        if (first_loose_ == 0) return;
        const TextBody& body = world_.bodies[random_.below(first_loose_)];
        if (body.def.type != BodyType::dynamic) return;
        TextChange c{step, "", body.number, {}};
        const vec3 v = random_.direction(), w = random_.direction();
        const float amount = random_.unit();
        switch (random_.below(10)) {
            case 0:
                c.what = "push";
                c.numbers = six(10.0f * amount * v, 0.1f * w);
                break;
            case 1:
                c.what = "force";
                c.numbers = six(500.0f * amount * v, 0.1f * w);
                break;
            case 2:
                c.what = "velocity";
                c.numbers = six(5.0f * amount * v, 5.0f * w);
                break;
            case 3:
                c.what = "sleep";
                break;
            case 4:
                c.what = "wake";
                break;
            case 5:
                c.what = "mass";
                c.numbers = {around(has(soak_heavy) ? 10.0f : 2.0f)};
                break;
            case 6:
                c.what = "type";
                c.numbers = {static_cast<float>(random_.below(3))};
                if (has(soak_kinematic)) contradictory_ = true;  // between this one and a kinematic one
                world_.changes.push_back({step + 1 + static_cast<int>(random_.below(40)), "type", body.number, {2.0f}});
                break;
            case 7:
                if (!has(soak_locks)) return;
                c.what = "locks";
                c.numbers = {static_cast<float>(random_.below(64))};
                looped_ = true;
                break;
            case 8: {
                if (!has(soak_contradictions)) return;
                c.what = "place";
                const vec3 at(displaced(body.def.position, v));
                c.numbers = {at.x, at.y, at.z, 1.0f, 0.0f, 0.0f, 0.0f};
                break;
            }
            default:
                c.what = "remove";
        }
        world_.changes.push_back(c);
    }

    /// Kinematic bodies turn to and fro; those in the open move, too.
    void move_kinematic_bodies() {
        random_ = stream(7000);
        for (const TextBody& body : world_.bodies) {
            if (body.def.type != BodyType::kinematic) continue;
            const vec3 v = vector(has(soak_contacts) ? 0.5f : 3.0f);
            const vec3 w = vector(3.0f);
            const int period = 10 + static_cast<int>(random_.below(20));
            float sign = one_in(4) ? 0.0f : 1.0f;  // some stand still
            for (int step = 0; step < world_.steps && sign != 0.0f; step += period) {
                world_.changes.push_back({step,
                                          "velocity",
                                          body.number,
                                          {sign * v.x, sign * v.y, sign * v.z, sign * w.x, sign * w.y, sign * w.z}});
                sign = -sign;
            }
        }
    }

    /// Sets what the checks `gap` and `jump` allow.
    void set_bounds() {
        // A strong spring whose target is far away throws.
        world_.jump = has(soak_springs) || has(soak_drives) ? 300.0f : 50.0f;
        // A joint that a kinematic body or an unlimited force moves may meet a limit, a lock or a loop.
        const bool forced = strong_ || has(soak_kinematic);
        if (contradictory_ || (forced && (looped_ || has(soak_locks))))
            world_.contradictory = true;
        else if (!looped_ && !has(soak_locks) && !has(soak_sizes) && !has(soak_thin) && !strong_)
            world_.gap = 0.05f;
    }

    std::uint64_t seed_;
    std::uint32_t has_ = 0;
    Random form_, random_;
    int groups_ = 0;
    float reach_ = 0.0f;             ///< an upper bound of the last articulation's length, m
    std::uint32_t first_loose_ = 0;  ///< the bodies before this one belong to articulations
    bool strong_ = false;            ///< some motor or drive has no limit of force
    bool looped_ = false, contradictory_ = false;
    WorldText world_;
};

}  // namespace

WorldText joint_world(std::uint64_t seed, std::uint32_t features) { return Maker(seed, features).make(); }

}  // namespace talus::samples
