#include "samples/soak/random_world.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr SoakFeatureName names[] = {
    {"thin", soak_thin},
    {"sizes", soak_sizes},
    {"heavy", soak_heavy},
    {"compounds", soak_compounds},
    {"meshes", soak_meshes},
    {"joints", soak_joints},
    {"loops", soak_loops},
    {"locks", soak_locks},
    {"sensors", soak_sensors},
    {"kinematic", soak_kinematic},
    {"modifier", soak_modifier},
    {"changes", soak_changes},
    {"dt", soak_dt},
    {"limits", soak_limits},
    {"fast", soak_fast},
    {"bouncy", soak_bouncy},
    {"belts", soak_belts},
    {"overlaps", soak_overlaps},
    {"copies", soak_copies},
    {"ranges", soak_ranges},
    {"motors", soak_motors},
    {"springs", soak_springs},
    {"drives", soak_drives},
    {"gears", soak_gears},
    {"breaking", soak_breaking},
    {"contradictions", soak_contradictions},
    {"contacts", soak_contacts},
    {"far", soak_far},
};

constexpr std::uint32_t walls = 1, things = 2, others = 4;  // filter categories: everything meets walls

/// Draws a world. Things are drawn from a stream of their own each, so that the world without a feature is the same
/// world.
class Maker {
public:
    Maker(std::uint64_t seed, std::uint32_t features) : seed_(seed), random_(seed) {
        // A world has some of the features: with all of them in each, none would be seen alone.
        Random choice = stream(1);
        for (const SoakFeatureName& f : names) {
            const bool drawn = choice.unit() < 0.35f;
            if (drawn && (features & f.feature) != 0) has_ |= f.feature;
        }
    }

    WorldText make() {
        make_rules();
        make_room();
        make_bodies();
        if (has(soak_kinematic)) make_kinematic();
        if (has(soak_sensors)) make_sensors();
        if (has(soak_joints)) make_joints();
        if (has(soak_changes)) make_changes();
        if (has(soak_far)) move_far_away();
        return std::move(world_);
    }

private:
    bool has(std::uint32_t feature) const { return (has_ & feature) != 0; }
    Random stream(std::uint64_t number) const { return Random(seed_ * 1000003u + number); }
    bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
    /// Between the two, as many in each octave.
    float size(float low, float high) {
        // x^4 of a uniform number spreads over orders of magnitude without libm.
        const float u = random_.unit();
        return low + (high - low) * u * u * u;
    }

    void make_rules() {
        random_ = stream(2);
        WorldDef& d = world_.def;
        if (one_in(8)) d.gravity = vec3(0.0f);
        if (one_in(8)) d.substeps = 1 + static_cast<int>(random_.below(12));
        d.allow_sleep = !one_in(3);
        if (one_in(10)) d.continuous = false;
        world_.steps = 60 + static_cast<int>(random_.below(180));
        world_.modifier = has(soak_modifier);
        if (has(soak_dt)) {
            random_ = stream(3);
            constexpr float lengths[] = {1.0f / 240, 1.0f / 120, 1.0f / 90, 1.0f / 45, 1.0f / 30, 1.0f / 20, 1.0f / 15};
            world_.dts = {lengths[random_.below(7)]};
            const std::uint32_t more = one_in(2) ? 0 : 1 + random_.below(4);
            for (std::uint32_t i = 0; i < more; ++i) world_.dts.push_back(lengths[random_.below(7)]);
        }
        if (has(soak_limits) && one_in(2)) d.max_speed = 5.0f + 20.0f * random_.unit();
    }

    TextBody& add_body(BodyType type) {
        TextBody body;
        body.number = static_cast<std::uint32_t>(world_.bodies.size());
        body.def.type = type;
        if (type == BodyType::fixed) body.def.user_data = 16;  // the modifier leaves no hole in a wall
        world_.bodies.push_back(body);
        return world_.bodies.back();
    }

    void make_room() {
        random_ = stream(4);
        const float x = 2.0f + 4.0f * random_.unit(), y = 2.0f + 3.0f * random_.unit(),
                    z = 2.0f + 4.0f * random_.unit();
        room_ = {x, y, z};
        world_.room = room_;
        const std::uint32_t kind = random_.below(3);
        const float friction = random_.unit();
        const auto wall = [&](TextShape shape) {
            shape.def.material.friction = friction;
            shape.def.filter = {walls, ~0u, 0};
            world_.bodies.back().shapes.push_back(shape);
        };
        if (has(soak_meshes) && kind != 0) {
            add_body(BodyType::fixed).def.position = {0, y, 0};
            const auto cells = static_cast<float>(1 + random_.below(8));
            wall({"room", {x, y, z, cells, one_in(2) ? 1.0f : 0.0f}, {}});
            if (kind == 1) {
                add_body(BodyType::fixed).def.position = {0, -0.05f, 0};
                wall({"ground",
                      {static_cast<float>(2 + random_.below(10)), std::max(x, z), 0.5f * random_.unit(),
                       static_cast<float>(random_.below(1000)), 0.0f},
                      {}});
            }
            return;
        }
        constexpr float thick = 0.5f;
        for (int axis = 0; axis < 3; ++axis) {
            for (const float side : {-1.0f, 1.0f}) {
                TextBody& body = add_body(BodyType::fixed);
                vec3 half = room_ + vec3(2.0f * thick), at(0, y, 0);
                half[axis] = thick;
                at[axis] += side * (room_[axis] + thick);
                body.def.position = at;
                wall({"box", {half.x, half.y, half.z}, {}});
            }
        }
    }

    TextShape any_shape() {
        TextShape s;
        const float scale = has(soak_sizes) && one_in(3)
                                ? (one_in(2) ? 0.005f + 0.02f * random_.unit() : 0.6f + random_.unit())
                                : size(0.05f, 0.5f);
        const bool thin = has(soak_thin) && one_in(2);
        const float narrow = thin ? scale / (10.0f + 40.0f * random_.unit()) : scale * (0.3f + 0.7f * random_.unit());
        const float middle = thin && one_in(2) ? narrow : scale * (0.3f + 0.7f * random_.unit());
        switch (random_.below(6)) {
            case 0:
                s = {"sphere", {thin ? std::max(narrow, 0.01f) : scale}, {}};
                break;
            case 1:
                s = {"capsule", {scale, narrow}, {}};
                break;
            case 2:
                s = {"box", {scale, narrow, middle}, {}};
                break;
            case 3:
                s = one_in(2) ? TextShape{"cylinder", {scale, narrow}, {}} : TextShape{"cylinder", {narrow, scale}, {}};
                break;
            case 4:
                s = one_in(2) ? TextShape{"cone", {scale, narrow}, {}} : TextShape{"cone", {narrow, scale}, {}};
                break;
            default: {
                s = {"hull", {}, {}};
                const std::uint32_t points = 4 + random_.below(20);
                for (std::uint32_t i = 0; i < points; ++i) {
                    const vec3 d = random_.direction();
                    for (const float x : {d.x * scale, d.y * narrow, d.z * middle}) s.numbers.push_back(x);
                }
            }
        }
        Material& m = s.def.material;
        if (one_in(2)) m.friction = 1.2f * random_.unit();
        if (has(soak_bouncy) && one_in(2)) m.restitution = one_in(4) ? 1.0f : random_.unit();
        if (has(soak_belts)) {
            if (one_in(4)) m.rolling_resistance = 0.1f * random_.unit();
            if (one_in(6)) m.grip_axis = vec3(1, 0, 0), m.grip_across = random_.unit();
            if (one_in(6)) m.surface_velocity = 2.0f * random_.in_box(vec3(1.0f));
        }
        s.def.density = has(soak_heavy) && one_in(3) ? (one_in(2) ? 1e5f : 20.0f) * (0.2f + random_.unit()) : 1000.0f;
        s.def.filter = one_in(10) ? Filter{others, walls | others, 0} : Filter{things, ~0u, 0};
        s.def.hit_events = one_in(4);
        s.def.modify_contacts = has(soak_modifier) && one_in(2);
        return s;
    }

    void make_bodies() {
        random_ = stream(5);
        const std::uint32_t count = 1 + (one_in(2) ? random_.below(8) : random_.below(60));
        const bool piled = one_in(2);
        if (has(soak_kinematic)) placed_.push_back({{0, room_.y, 0}, 0.3f * std::min({room_.x, room_.y, room_.z})});
        for (std::uint32_t i = 0; i < count; ++i) {
            random_ = stream(1000 + i);  // a feature that takes more numbers for one body leaves the others alone
            TextBody& body = add_body(BodyType::dynamic);
            BodyDef& d = body.def;
            const std::uint32_t parts = has(soak_compounds) && one_in(3) ? 2 + random_.below(4) : 1;
            for (std::uint32_t k = 0; k < parts; ++k) {
                body.shapes.push_back(any_shape());
                if (parts == 1) continue;
                Transform& pose = body.shapes.back().def.pose;
                pose.position = random_.in_box(vec3(0.4f));
                pose.rotation = random_.rotation();
            }
            if (!place(body, piled)) {
                world_.bodies.pop_back();
                continue;
            }
            const float speed = has(soak_fast) && one_in(2) ? 50.0f : 3.0f;
            if (one_in(2)) d.linear_velocity = speed * random_.unit() * random_.direction();
            if (one_in(3)) d.angular_velocity = 2.0f * speed * random_.unit() * random_.direction();
            if (one_in(12)) d.linear_damping = random_.unit(), d.angular_damping = random_.unit();
            if (has(soak_limits) && one_in(4))
                d.max_speed = 2.0f + 20.0f * random_.unit(), d.max_spin = 2.0f + 30.0f * random_.unit();
            if (one_in(16)) d.gravity_scale = 2.0f * random_.unit();
            if (has(soak_locks) && one_in(3))
                d.locks = one_in(2) ? std::uint8_t{lock_to_plane_xy} : static_cast<std::uint8_t>(random_.below(64));
            d.allow_sleep = !one_in(16);
            if (one_in(6)) d.continuous = Continuous::all;
            d.user_data = random_.below(8);
            if (has(soak_changes) && one_in(6)) body.from = static_cast<int>(random_.below(60));
        }
        things_end_ = world_.bodies.size();
    }

    /// Inside the room; not in each other, unless the world has overlaps. False: there is no room for it.
    bool place(TextBody& body, bool piled) {
        float reach = 0.0f;
        for (const TextShape& shape : body.shapes) {
            const auto corner = [&](std::size_t k) {
                return k < shape.numbers.size() ? shape.numbers[k] * shape.numbers[k] : 0.0f;
            };
            float of_shape = std::sqrt(corner(0) + corner(1) + corner(2));
            if (shape.kind == "capsule") of_shape = shape.numbers[0] + shape.numbers[1];
            if (shape.kind == "hull") {
                of_shape = 0.0f;
                for (std::size_t k = 0; k + 2 < shape.numbers.size(); k += 3)
                    of_shape = std::max(of_shape, std::sqrt(corner(k) + corner(k + 1) + corner(k + 2)));
            }
            reach = std::max(reach, of_shape + std::sqrt(length_squared(shape.def.pose.position)));
        }
        const vec3 free = room_ - vec3(reach + 0.6f);  // 0.5 m for grounds
        if (!(std::min({free.x, free.y, free.z}) > 0.0f)) return false;
        BodyDef& d = body.def;
        for (int tries = 0; tries < 30; ++tries) {
            vec3 at = random_.in_box(free) + vec3(0, room_.y, 0);
            if (piled && tries == 0) at = {0.05f * random_.unit(), 0.7f + reach, 0.05f * random_.unit()};
            if (piled && tries == 0 && !placed_.empty())
                at.y = placed_.back().at.y + placed_.back().reach + reach + 0.01f;
            if (at.y > room_.y + free.y) continue;
            const bool clear = std::none_of(placed_.begin(), placed_.end(), [&](const Placed& p) {
                const float apart = p.reach + reach;
                return length_squared(p.at - at) < apart * apart;
            });
            if (!clear && !has(soak_overlaps)) continue;
            d.position = at;
            d.rotation = !piled || one_in(2) ? random_.rotation() : quat(1.0f, 0.0f, 0.0f, 0.0f);
            placed_.push_back({at, reach});
            return true;
        }
        return false;
    }

    /// In the middle of the room, turning: nothing is caught between it and a wall.
    void make_kinematic() {
        random_ = stream(6);
        TextBody& body = add_body(BodyType::kinematic);
        body.def.position = {0, room_.y, 0};
        const float reach = 0.25f * std::min({room_.x, room_.y, room_.z});
        body.shapes.push_back({"box", {reach, 0.1f, 0.3f * reach}, {}});
        body.shapes.back().def.filter = {things, ~0u, 0};
        body.def.angular_velocity = 4.0f * random_.unit() * random_.direction();
    }

    void make_sensors() {
        random_ = stream(7);
        for (std::uint32_t i = 0; i < 1 + random_.below(3); ++i) {
            TextBody& body = add_body(BodyType::fixed);
            body.def.position = random_.in_box(0.7f * room_) + vec3(0, room_.y, 0);
            body.def.rotation = random_.rotation();
            body.shapes.push_back(any_shape());
            body.shapes.back().def.sensor = true;
        }
        // And one on a body that has another shape.
        for (std::size_t i = 0; i < things_end_; ++i) {
            TextBody& body = world_.bodies[i];
            if (body.def.type != BodyType::dynamic || body.shapes.empty() || !one_in(4)) continue;
            TextShape zone{"sphere", {0.3f + 0.5f * random_.unit()}, {}};
            zone.def.sensor = true;
            body.shapes.push_back(zone);
        }
    }

    float sometimes(float x) { return one_in(2) ? x : 0.0f; }

    void add_joint(std::uint32_t a, std::uint32_t b) {
        TextJoint j;
        j.number = static_cast<std::uint32_t>(world_.joints.size());
        constexpr JointKind kinds[] = {JointKind::ball,     JointKind::hinge,   JointKind::slider, JointKind::fixed,
                                       JointKind::distance, JointKind::six_dof, JointKind::wheel,  JointKind::motor};
        j.kind = kinds[random_.below(8)];
        j.a = a;
        j.b = b;
        const TextBody &body_a = world_.bodies[a], &body_b = world_.bodies[b];
        j.from = std::max(body_a.from, body_b.from);
        const vec3 between(body_b.def.position - body_a.def.position);
        const dvec3 anchor = displaced(body_a.def.position, random_.unit() * between);
        const JointFrames frames =
            joint_frames({body_a.def.position, normalized(body_a.def.rotation)},
                         {body_b.def.position, normalized(body_b.def.rotation)}, anchor, random_.direction());
        j.frame_a = frames.frame_a;
        j.frame_b = frames.frame_b;
        const bool moves = j.kind == JointKind::slider || j.kind == JointKind::wheel || j.kind == JointKind::distance;
        const float most = moves ? 0.5f : 2.5f;
        const float low = most * random_.unit(), high = most * random_.unit();
        if (j.kind == JointKind::distance) {
            const float apart = std::sqrt(length_squared(between));
            j.frame_a.position = j.frame_b.position = vec3(0.0f);
            if (one_in(2)) j.limit = {one_in(2) ? 0.0f : 0.5f * apart, apart + high};
            if (one_in(3)) j.spring = {0.5f + 5.0f * random_.unit(), random_.unit(), apart * random_.unit(), unlimited};
            if (j.spring.hertz > 0.0f && one_in(2)) j.limit = {0.0f, unlimited};
        } else {
            if (one_in(2)) j.limit = {-low, high};
            if (one_in(4))
                j.spring = {0.5f + 8.0f * random_.unit(), random_.unit(), 0.0f, one_in(2) ? unlimited : 100.0f};
        }
        if (one_in(4)) j.motor = {(moves ? 1.0f : 6.0f) * (random_.unit() - 0.5f), 200.0f * random_.unit()};
        if (j.kind == JointKind::ball) {
            if (one_in(2)) j.cone = 0.1f + 1.5f * random_.unit();
            if (j.limit.lower < -3.0f) j.limit = {};
        }
        if (j.kind == JointKind::motor || (j.kind == JointKind::ball && one_in(4))) {
            JointDrive& d = j.drive;
            d.max_torque = 100.0f * random_.unit();
            if (j.kind == JointKind::motor) d.max_force = 300.0f * random_.unit();
            if (one_in(2))
                d.linear_hertz = 3.0f * random_.unit(), d.angular_hertz = 3.0f * random_.unit();
            else
                d.angular_velocity = 3.0f * random_.direction();
        }
        if (j.kind == JointKind::six_dof) {
            for (std::size_t i = 0; i < 6; ++i) {
                const std::uint32_t how = random_.below(3);
                const float width = (i < 3 ? 0.3f : 1.0f) * random_.unit();
                j.axes[i] = how == 0 ? JointLimit{0.0f, 0.0f} : how == 1 ? JointLimit{-width, width} : JointLimit{};
            }
        }
        if (j.kind == JointKind::wheel) {
            j.second = {0.0f, 0.0f};
            if (j.spring.hertz <= 0.0f) j.spring = {2.0f, 0.7f, 0.0f, unlimited};
        }
        const bool to_wall = body_a.def.type == BodyType::fixed;  // which it must not pass through
        j.options.collide_connected = one_in(6) || to_wall;
        if (one_in(10)) j.options.break_force = 1e4f * random_.unit() + 1.0f;
        world_.joints.push_back(j);
    }

    void make_joints() {
        random_ = stream(8);
        std::uint32_t before = 0xffffffffu;
        for (std::uint32_t i = 0; i < things_end_; ++i) {
            if (world_.bodies[i].def.type != BodyType::dynamic) continue;
            if (before != 0xffffffffu && !one_in(3))
                add_joint(before, i);
            else if (one_in(4))
                add_joint(0, i);  // to a wall
            before = i;
        }
        if (!has(soak_loops) || things_end_ < 3) return;
        random_ = stream(9);
        const std::uint32_t more = 1 + random_.below(6);
        for (std::uint32_t k = 0; k < more; ++k) {
            const std::uint32_t a = random_.below(static_cast<std::uint32_t>(things_end_)),
                                b = random_.below(static_cast<std::uint32_t>(things_end_));
            if (a == b || world_.bodies[std::max(a, b)].def.type != BodyType::dynamic) continue;
            add_joint(std::min(a, b), std::max(a, b));
        }
    }

    static void put(TextChange& c, const vec3& v) {
        for (int i = 0; i < 3; ++i) c.numbers.push_back(v[i]);
    }

    void make_changes() {
        random_ = stream(10);
        const std::uint32_t count = 1 + random_.below(30);
        std::vector<std::uint32_t> movable;
        for (std::uint32_t i = 0; i < things_end_; ++i) {
            if (world_.bodies[i].def.type == BodyType::dynamic) movable.push_back(i);
        }
        if (movable.empty()) return;
        for (std::uint32_t k = 0; k < count; ++k) {
            TextChange c;
            c.step = static_cast<int>(random_.below(static_cast<std::uint32_t>(world_.steps)));
            c.target = movable[random_.below(static_cast<std::uint32_t>(movable.size()))];
            const vec3 inside = random_.in_box(glm::max(room_ - vec3(1.8f), vec3(0.05f))) + vec3(0, room_.y, 0);
            const quat turned = random_.rotation();
            const vec3 direction = random_.direction();
            const float amount = random_.unit();
            if (choose_change(c, random_.below(22), inside, turned, direction, amount)) world_.changes.push_back(c);
        }
        std::stable_sort(world_.changes.begin(), world_.changes.end(),
                         [](const TextChange& a, const TextChange& b) { return a.step < b.step; });
    }

    /// Number `kind` of 22 changes, by what make_changes() drew. False: there is nothing to change.
    bool choose_change(TextChange& c, std::uint32_t kind, const vec3& inside, const quat& turned, const vec3& direction,
                       float amount) {
        if (kind < 7) return move_body(c, kind, inside, turned, direction, amount);
        if (kind < 19) return change_body(c, kind, direction, amount);
        if (kind < 21) return change_joint(c, amount);
        c.what = "limits";
        c.numbers = {has(soak_limits) ? 5.0f + 20.0f * amount : 1e6f, has(soak_limits) ? 10.0f + 20.0f * amount : 1e6f};
        return true;
    }

    bool move_body(TextChange& c, std::uint32_t kind, const vec3& inside, const quat& turned, const vec3& direction,
                   float amount) {
        switch (kind) {
            case 0:
                c.what = "remove";
                break;
            case 1:
            case 2:
                c.what = "push";
                put(c, 200.0f * amount * direction);
                put(c, 0.2f * random_.direction());
                break;
            case 3:
                c.what = "force";
                put(c, 5000.0f * amount * direction);
                put(c, 0.2f * random_.direction());
                break;
            case 4:
                c.what = "torque";
                put(c, 500.0f * amount * direction);
                break;
            case 5:
                c.what = "velocity";
                put(c, 10.0f * amount * direction);
                put(c, 10.0f * random_.direction());
                break;
            case 6:
                c.what = "place";
                put(c, inside);
                for (const float x : {turned.w, turned.x, turned.y, turned.z}) c.numbers.push_back(x);
                break;
        }
        return true;
    }

    bool change_body(TextChange& c, std::uint32_t kind, const vec3& direction, float amount) {
        switch (kind) {
            case 7:
            case 8:
                c.what = "type";
                c.numbers = {static_cast<float>(one_in(3) ? random_.below(3) : 2)};
                break;
            case 9:
                c.what = "mass";
                c.numbers = {0.1f + 100.0f * amount};
                break;
            case 10:
                c.what = "friction";
                c.numbers = {0.0f, amount};
                break;
            case 11:
                c.what = "filter";
                c.numbers = {0.0f, static_cast<float>(one_in(2) ? things : others),
                             static_cast<float>(one_in(2) ? walls | things | others : walls | others)};
                break;
            case 12:
                // A body whose only shape is a sensor falls out of the world: it becomes solid again, or has
                // others.
                c.what = "sensor";
                c.numbers = {static_cast<float>(world_.bodies[c.target].shapes.size() > 1 ? 1 : 0),
                             world_.bodies[c.target].shapes.size() > 1 ? static_cast<float>(random_.below(2)) : 0.0f};
                break;
            case 13:
                c.what = "sphere";
                c.numbers = {0.0f, 0.05f + 0.4f * amount};
                break;
            case 14:
                c.what = "box";
                c.numbers = {0.0f};
                put(c, vec3(0.05f) + 0.3f * glm::abs(direction));
                break;
            case 15:
                c.what = "sleep";
                break;
            case 16:
                c.what = "gravity";
                put(c, 10.0f * amount * direction);
                break;
            case 17:
                c.what = "locks";
                c.numbers = {has(soak_locks) ? static_cast<float>(random_.below(64)) : 0.0f};
                break;
            case 18:
                c.what = "gravity_scale";
                c.numbers = {2.0f * amount};
                break;
        }
        return true;
    }

    bool change_joint(TextChange& c, float amount) {
        if (world_.joints.empty()) return false;
        c.target = random_.below(static_cast<std::uint32_t>(world_.joints.size()));
        const std::uint32_t how = random_.below(3);
        c.what = how == 0 ? "remove_joint" : how == 1 ? "motor" : "limit";
        const JointKind kind = world_.joints[c.target].kind;
        const float least = kind == JointKind::distance ? 0.0f : -amount;
        c.numbers = how == 1 ? std::vector<float>{4.0f * amount - 2.0f, 100.0f * random_.unit()}
                             : std::vector<float>{least, random_.unit()};
        // These have neither limits nor motors.
        if (how != 0 && (kind == JointKind::fixed || kind == JointKind::motor)) return false;
        return true;
    }

    void move_far_away() {
        random_ = stream(11);
        if (one_in(3)) world_.origin = far_place(random_);
    }

    std::uint64_t seed_;
    Random random_;
    std::uint32_t has_ = 0;
    struct Placed {
        vec3 at;
        float reach;
    };
    std::vector<Placed> placed_;
    vec3 room_{0.0f};
    std::size_t things_end_ = 0;
    WorldText world_;
};

}  // namespace

std::span<const SoakFeatureName> soak_feature_names() { return names; }

dvec3 far_place(Random& random) { return glm::round(random.in_box(vec3(8388608.0f))); }

std::uint64_t seed_from(std::string_view text) {
    std::uint64_t h = 14695981039346656037ull;  // FNV-1a
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return h;
}

WorldText random_world(std::uint64_t seed, std::uint32_t features) { return Maker(seed, features).make(); }

}  // namespace talus::samples
