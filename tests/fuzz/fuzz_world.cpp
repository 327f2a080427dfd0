#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"

#include <talus/engine/world.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace talus::fuzz {

namespace {

constexpr std::size_t most_bodies = 140;  // more than one task of the threads' bodies
constexpr std::size_t most_joints = 32;
constexpr int most_steps = 60;
/// The life of a world ends after this many contact points, each counted once per sub-step, and a step is shortened that
/// may have as many. Instrumented code takes 0.2 ms for one, and libFuzzer gives an input a minute. A contact point
/// takes as long as `stiff_products` of FrameProfile::stiff_work.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::uint64_t most_work = 20'000;
#else
constexpr std::uint64_t most_work = ~std::uint64_t{0};
#endif
constexpr std::uint64_t stiff_products = 80;
constexpr float largest_float = std::numeric_limits<float>::max();

/// A host that runs the tasks one after the other, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

/// Changes what the shapes' user data say, to numbers in range and out of it.
void modify(ContactModification& contact, void*) {
    const std::uint64_t wish = contact.user_data_a ^ contact.user_data_b;
    if ((wish & 1) != 0) contact.enabled = contact.touching || contact.normal.y < 0.0f;
    if ((wish & 2) != 0) contact.friction = std::numeric_limits<float>::quiet_NaN();
    if ((wish & 4) != 0) contact.restitution = 2.0f;
    if ((wish & 8) != 0) contact.points[0].enabled = false;
    if ((wish & 16) != 0) contact.friction = contact.velocity.x;
    if ((wish & 32) != 0) contact.normal = vec3(0.0f);
}

// Two shapes as events name them, whichever of them comes first: a change of shapes may turn them round.
using Side = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Touch = std::pair<Side, Side>;
template <class Event>
Touch touch(const Event& e) {
    const Side a{e.body_a.slot, e.body_a.generation, e.shape_a}, b{e.body_b.slot, e.body_b.generation, e.shape_b};
    return std::minmax(a, b);
}

// A world, and from some moment on a copy that gets the same calls and steps on several threads.
class Life {
public:
    explicit Life(Input input) : bytes_(input) {}

    std::string run() {
        scale_ = bytes_.below(4) == 0 ? bytes_.size() : 1.0f;
        world_ = World(world_def());
        while (!bytes_.empty() && complaint_.empty() && steps_ < most_steps && work_ < most_work) act();
        for (int i = 0; i < 3 && complaint_.empty(); ++i) step(1.0f / 60.0f);
        return complaint_;
    }

private:
    void act() {
        switch (bytes_.below(24)) {
            case 0:
            case 1:
            case 2:
                add();
                break;
            case 3:
                add_many();
                break;
            case 4:
                remove();
                break;
            case 5:
            case 6:
                add_joint();
                break;
            case 7:
                change_joint();
                break;
            case 8:
                remove_joint();
                break;
            case 9:
                change_shapes();
                break;
            case 10:
                change_mass();
                break;
            case 11:
                change_body();
                break;
            case 12:
                place();
                break;
            case 13:
                push();
                break;
            case 14:
                change_world();
                break;
            case 15:
                copy();
                break;
            case 16:
                query();
                break;
            default: {
                const int times = bytes_.below(4) == 0 ? 1 + bytes_.byte() % 16 : 1;
                const float dt = seconds();
                for (int i = 0; i < times && complaint_.empty() && work_ < most_work; ++i) step(dt);
            }
        }
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = what + " (after " + std::to_string(steps_) + " steps)";
    }
    void expect(bool truth, const char* otherwise) {
        if (!truth) complain(otherwise);
    }

    /// The same call on the world and its copy. One that is refused says why and changes nothing.
    template <class Call>
    auto ask(const char* name, Call&& call) {
        const std::uint64_t before = world_.hash();
        const auto answer = call(world_);
        if (!answer) {
            if (world_.hash() != before) complain(std::string(name) + ": refused, but the world is another");
            if (!world_.last_error()) complain(std::string(name) + ": refused without a reason");
        }
        if (copy_ && call(*copy_) != answer) complain(std::string(name) + ": a copy answers otherwise");
        return answer;
    }

    // ---- numbers ----

    float odd() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        constexpr float odds[] = {
            std::numeric_limits<float>::quiet_NaN(),  inf,   -inf,  largest_float, -largest_float, 1e20f, 1e-30f,
            std::numeric_limits<float>::denorm_min(), 1e12f, -1e9f, 1e30f,         -0.0f};
        return odds[bytes_.byte() % std::size(odds)];
    }
    float number(float scale) { return bytes_.below(32) == 31 ? odd() : bytes_.coordinate(scale); }
    float positive(float scale) { return bytes_.below(32) == 31 ? odd() : std::abs(bytes_.coordinate(scale)); }
    vec3 vector(float scale) { return {number(scale), number(scale), number(scale)}; }
    quat rotation() {
        if (bytes_.below(64) == 63)
            return quat{number(1.0f), number(1.0f), number(1.0f), number(1.0f)};  // braces: in this order
        return bytes_.rotation();
    }
    template <class Pose = Transform>
    Pose pose(float scale) {
        Pose t;
        t.position = vector(scale);
        t.rotation = rotation();
        return t;
    }
    float seconds() {
        constexpr float favourites[] = {1.0f / 60.0f, 1.0f / 60.0f, 1.0f / 240.0f, 1.0f / 30.0f, 1e-3f, 1.0f};
        const int kind = bytes_.byte();
        if (kind < 192) return favourites[kind % 6];
        if (kind < 224) return std::abs(bytes_.coordinate(0.25f));
        return kind < 240 ? bytes_.coordinate(0.25f) : odd();
    }
    Filter filter() {
        const int kind = bytes_.byte();
        Filter f;
        if (kind >= 192) f.category = 1u << (kind & 3), f.mask = static_cast<std::uint32_t>(kind >> 2 & 15);
        if (kind >= 240) f.group = kind % 5 - 2;
        return f;
    }
    Material material() {
        Material m;
        const int kind = bytes_.byte();
        if ((kind & 3) == 3) m.friction = positive(1.0f);
        if ((kind & 12) == 12) m.restitution = bytes_.below(16) == 15 ? odd() : static_cast<float>(bytes_.unit());
        if ((kind & 48) == 48) m.rolling_resistance = positive(0.1f);
        if ((kind & 64) != 0) m.grip_axis = vector(1.0f), m.grip_across = static_cast<float>(bytes_.unit());
        if ((kind & 128) != 0) m.surface_velocity = vector(scale_);
        return m;
    }
    Shape shape() {
        // Mostly things that could meet; now and then sizes that no body may have.
        switch (bytes_.below(16)) {
            case 0:
                return read_shape(bytes_);
            case 1:
                return sphere(number(scale_));
            case 2:
                return box({number(scale_), number(scale_), number(scale_)});
            case 3: {
                const float half_height = number(scale_);
                return capsule(half_height, number(scale_));
            }
            case 4: {
                const vec3 a = vector(scale_), b = vector(scale_), c = vector(scale_);
                return triangle(a, b, c, number(scale_));
            }
            case 5: {
                const auto built = make_hull(read_cloud(bytes_, 12));
                return built ? hull(*built) : hull(nullptr);
            }
            case 6:
            case 7:
                return sphere(0.5f * scale_);
            case 8:
                return capsule(0.5f * scale_, 0.25f * scale_);
            case 9:
                return cylinder(0.5f * scale_, 0.5f * scale_);
            case 10:
                return cone(0.5f * scale_, 0.5f * scale_);
            case 11:
                return box(scale_ * vec3(2.0f, 0.05f, 2.0f));
            default:
                return box(vec3(0.5f * scale_));
        }
    }
    ShapeDef shape_def() {
        ShapeDef def;
        def.shape = shape();
        if (bytes_.below(2) == 1) def.pose = pose(scale_);
        def.material = material();
        def.filter = filter();
        const int kind = bytes_.byte();
        if ((kind & 15) == 15) def.density = positive(1000.0f);
        def.sensor = (kind >> 4) == 15;
        def.hit_events = (kind & 1) != 0;
        def.modify_contacts = (kind & 6) == 6;
        return def;
    }
    std::vector<ShapeDef> shape_defs() {
        std::vector<ShapeDef> defs;
        const int count = bytes_.below(8) == 0 ? bytes_.byte() % 6 : 1;
        for (int i = 0; i < count; ++i) defs.push_back(shape_def());
        return defs;
    }

    // ---- bodies ----

    struct Entry {
        BodyId id;
        std::uint8_t locks = 0;
    };

    BodyDef body_def() {
        BodyDef def;
        const int kind = bytes_.byte();
        def.type = kind < 48 ? BodyType::fixed : kind < 80 ? BodyType::kinematic : BodyType::dynamic;
        def.shapes = shape_defs();
        def.position = vector(scale_);
        def.rotation = rotation();
        if ((kind & 1) != 0) def.linear_velocity = vector(10.0f * scale_);
        if ((kind & 3) == 3) def.angular_velocity = vector(10.0f);
        const int more = bytes_.byte();
        if ((more & 7) == 7) def.linear_damping = positive(1.0f), def.angular_damping = positive(1.0f);
        if ((more & 24) == 24) def.max_speed = positive(10.0f), def.max_spin = positive(10.0f);
        if ((more & 96) == 96) def.locks = bytes_.byte();
        if ((more & 128) != 0) {
            def.gravity_scale = number(1.0f);
            def.allow_sleep = bytes_.below(2) == 0;
            def.continuous = static_cast<Continuous>(bytes_.below(3));
        }
        def.user_data = bytes_.byte();
        return def;
    }
    void added(BodyId id, std::uint8_t locks) {
        if (id) entries_.push_back({id, locks});
    }
    void add() {
        if (entries_.size() >= most_bodies) return;
        const BodyDef def = body_def();
        added(ask("add_body", [&](World& w) { return w.add_body(def); }), def.locks);
    }
    /// Copies of one: in one place, in a pile, or far and wide.
    void add_many() {
        const BodyDef first = body_def();
        const auto count = std::min<std::size_t>(1 + bytes_.byte() % 128, most_bodies - entries_.size());
        const vec3 apart = vector(scale_);
        std::vector<BodyDef> defs(count, first);
        for (std::size_t i = 0; i < count; ++i) defs[i].position += static_cast<float>(i) * apart;
        std::vector<BodyId> ids(count);
        ask("add_bodies", [&](World& w) { return w.add_bodies(defs, ids); });
        for (const BodyId id : ids) added(id, first.locks);
    }
    /// One that is alive, stale now and then, null now and then.
    BodyId pick() {
        const std::size_t at = bytes_.byte();
        if (at >= 252 && !gone_.empty()) return gone_[at % gone_.size()];
        return entries_.empty() ? BodyId{} : entries_[at % entries_.size()].id;
    }
    void remove() {
        const int more = bytes_.below(8) == 0 ? bytes_.byte() : 0;
        for (int i = 0; i <= more && complaint_.empty() && (i == 0 || !entries_.empty()); ++i) {
            const BodyId id = i == 0 ? pick() : entries_.back().id;
            const bool known = std::erase_if(entries_, [&](const Entry& e) { return e.id == id; }) != 0;
            const bool removed = ask("remove_body", [&](World& w) { return w.remove_body(id); });
            expect(removed == known, "remove_body: refused for a body that is there, or not for one that is gone");
            expect(!world_.is_valid(id), "remove_body: the handle is still valid");
            expect(world_.position(id) == dvec3(0.0) && world_.mass(id) == 0.0f && world_.contacts(id).empty() &&
                       world_.joints(id).empty() && world_.shapes(id).empty(),
                   "getters of a stale handle give something");
            if (removed) gone_.push_back(id);
        }
    }
    void change_shapes() {
        const BodyId id = pick();
        const std::size_t count = world_.shapes(id).size();
        const std::uint32_t index = bytes_.below(16) == 15 ? bytes_.byte()
                                    : count > 1            ? bytes_.byte() % static_cast<std::uint32_t>(count)
                                                           : 0;
        switch (bytes_.below(5)) {
            case 0: {
                const std::vector<ShapeDef> defs = shape_defs();
                ask("set_shapes", [&](World& w) { return w.set_shapes(id, defs); });
                break;
            }
            case 1: {
                const Shape s = shape();
                ask("set_shape", [&](World& w) { return w.set_shape(id, index, s); });
                break;
            }
            case 2: {
                const Material m = material();
                ask("set_material", [&](World& w) { return w.set_material(id, index, m); });
                break;
            }
            case 3: {
                const Filter f = filter();
                ask("set_filter", [&](World& w) { return w.set_filter(id, index, f); });
                break;
            }
            default: {
                const auto type = static_cast<BodyType>(bytes_.below(3));
                ask("set_type", [&](World& w) { return w.set_type(id, type); });
                break;
            }
        }
    }
    void change_mass() {
        const BodyId id = pick();
        if (bytes_.below(2) == 0) {
            const float mass = number(1000.0f);
            ask("set_mass", [&](World& w) { return w.set_mass(id, mass); });
            return;
        }
        MassProperties p{positive(1000.0f), vector(scale_), mat3(0.0f)};
        for (int i = 0; i < 3; ++i) p.inertia[i][i] = positive(100.0f);
        if (bytes_.below(4) == 0) p.inertia[1][0] = p.inertia[0][1] = number(1.0f);
        ask("set_mass_properties", [&](World& w) { return w.set_mass_properties(id, p); });
    }
    void change_body() {
        const BodyId id = pick();
        switch (bytes_.below(8)) {
            case 0: {
                const float x = number(1.0f);
                ask("set_gravity_scale", [&](World& w) { return w.set_gravity_scale(id, x); });
                break;
            }
            case 1: {
                const std::uint8_t locks = bytes_.byte();
                if (!ask("set_locks", [&](World& w) { return w.set_locks(id, locks); })) break;
                std::ranges::find(entries_, id, &Entry::id)->locks = locks;
                break;
            }
            case 2: {
                const float a = positive(1.0f), b = positive(1.0f);
                ask("set_damping", [&](World& w) { return w.set_damping(id, a, b); });
                break;
            }
            case 3: {
                const float a = positive(10.0f), b = positive(10.0f);
                ask("set_speed_limits", [&](World& w) { return w.set_speed_limits(id, a, b); });
                break;
            }
            case 4: {
                const auto continuous = static_cast<Continuous>(bytes_.below(3));
                ask("set_continuous", [&](World& w) { return w.set_continuous(id, continuous); });
                break;
            }
            case 5: {
                const std::uint8_t data = bytes_.byte();
                ask("set_user_data", [&](World& w) { return w.set_user_data(id, data); });
                break;
            }
            default: {
                const bool awake = bytes_.below(3) == 0;
                ask("set_awake", [&](World& w) { return w.set_awake(id, awake); });
                break;
            }
        }
    }
    void place() {
        const BodyId id = pick(), other = pick();
        const int kind = bytes_.below(4);
        const WorldTransform to =
            kind == 0 ? world_.transform(other) : pose<WorldTransform>(kind == 1 ? 100.0f * scale_ : scale_);
        if (bytes_.below(2) == 0) {
            ask("set_transform", [&](World& w) { return w.set_transform(id, to.position, to.rotation); });
        } else {
            ask("set_kinematic_target", [&](World& w) { return w.set_kinematic_target(id, to.position, to.rotation); });
        }
    }
    void push() {
        const BodyId id = pick();
        const float strength = bytes_.below(2) == 0 ? 10.0f : 1e4f;
        const vec3 v = vector(strength);
        const dvec3 from = bytes_.below(2) == 0 ? world_.position(id) : dvec3(0.0),
                    point = from + dvec3(vector(scale_));
        switch (bytes_.below(8)) {
            case 0:
                ask("set_linear_velocity", [&](World& w) { return w.set_linear_velocity(id, v); });
                break;
            case 1:
                ask("set_angular_velocity", [&](World& w) { return w.set_angular_velocity(id, v); });
                break;
            case 2:
                ask("apply_force", [&](World& w) { return w.apply_force(id, v); });
                break;
            case 3:
                ask("apply_force_at", [&](World& w) { return w.apply_force_at(id, v, point); });
                break;
            case 4:
                ask("apply_torque", [&](World& w) { return w.apply_torque(id, v); });
                break;
            case 5:
                ask("apply_impulse", [&](World& w) { return w.apply_impulse(id, v); });
                break;
            case 6:
                ask("apply_impulse_at", [&](World& w) { return w.apply_impulse_at(id, v, point); });
                break;
            default:
                ask("apply_angular_impulse", [&](World& w) { return w.apply_angular_impulse(id, v); });
                break;
        }
    }

    // ---- joints ----

    JointFrames frames() {
        const BodyId a = pick(), b = pick();
        JointFrames e{a, b, {}, {}};
        switch (bytes_.below(4)) {
            case 0:
                e.frame_a = pose(scale_), e.frame_b = pose(scale_);
                break;
            case 1:
                break;
            default: {
                const dvec3 anchor = midway(world_.position(a), world_.position(b));
                const vec3 axis = vector(1.0f);
                e = world_.joint_frames(a, b, anchor, axis);
            }
        }
        return e;
    }
    JointLimit limit() {
        switch (bytes_.below(4)) {
            case 0:
                return {number(1.0f), number(1.0f)};
            case 1: {
                const float x = positive(1.0f);
                return {-x, x};
            }
            case 2: {
                const float x = number(1.0f);
                return {x, x};
            }
            default:
                return {};
        }
    }
    JointMotor motor() { return bytes_.below(2) == 0 ? JointMotor{} : JointMotor{number(10.0f), positive(1000.0f)}; }
    JointSpring spring() {
        if (bytes_.below(2) == 0) return {};
        JointSpring s{positive(10.0f), positive(1.0f), number(1.0f)};
        if (bytes_.below(4) == 0) s.max_force = positive(100.0f);
        return s;
    }
    JointDrive drive() {
        JointDrive d;
        if (bytes_.below(2) == 0) return d;
        d.velocity = vector(scale_), d.angular_velocity = vector(1.0f), d.target = pose(scale_);
        d.linear_hertz = positive(10.0f), d.angular_hertz = positive(10.0f), d.damping_ratio = positive(1.0f);
        d.max_force = positive(1e4f), d.max_torque = positive(1e4f);
        return d;
    }
    AxisDef axis_def() {
        if (bytes_.below(2) == 0) return {};
        return {limit(), motor(), spring()};
    }
    JointOptions options() {
        JointOptions o;
        const int kind = bytes_.byte();
        o.collide_connected = (kind & 1) != 0;
        if ((kind & 24) == 24) o.break_force = positive(1e4f);
        if ((kind & 96) == 96) o.break_torque = positive(1e4f);
        return o;
    }
    JointDef joint_def() {
        switch (bytes_.below(10)) {
            case 0:
                return BallDef{frames(), bytes_.below(2) == 0 ? unlimited : positive(1.0f), limit(), drive(),
                               options()};
            case 1:
                return HingeDef{frames(), limit(), motor(), spring(), options()};
            case 2:
                return SliderDef{frames(), limit(), motor(), spring(), options()};
            case 3:
                return FixedDef{frames(), positive(10.0f), positive(10.0f), positive(1.0f), options()};
            case 4: {
                DistanceDef d{.frames = frames()};
                if (bytes_.below(2) == 0) d.length = limit();
                d.motor = motor();
                d.spring = spring();
                if (bytes_.below(2) == 0) d.rest_length = number(1.0f);
                d.options = options();
                return d;
            }
            case 5: {
                const JointFrames e = frames();
                return SixDofDef{e, axis_def(), axis_def(), axis_def(), axis_def(), axis_def(), axis_def(), options()};
            }
            case 6:
                return WheelDef{frames(), limit(), spring(), limit(), spring(), motor(), options()};
            case 7:
            case 8: {
                const JointId a = pick_joint(), b = pick_joint();
                return GearDef{a, b, number(1.0f), options()};
            }
            default:
                return MotorDef{frames(), drive(), options()};
        }
    }
    JointId pick_joint() {
        const std::size_t at = bytes_.byte();
        return at >= 252 || joints_.empty() ? JointId{} : joints_[at % joints_.size()];
    }
    void add_joint() {
        if (joints_.size() >= most_joints) return;
        const JointDef def = joint_def();
        const JointId id = ask("add_joint", [&](World& w) { return w.add_joint(def); });
        if (!id) return;
        joints_.push_back(id);
        expect(world_.is_valid(id) && static_cast<std::size_t>(world_.kind(id)) == def.index(),
               "add_joint: a joint of another kind");
    }
    void remove_joint() {
        const JointId id = pick_joint();
        if (ask("remove_joint", [&](World& w) { return w.remove_joint(id); })) std::erase(joints_, id);
        expect(!world_.is_valid(id), "remove_joint: the handle is still valid");
    }
    void change_joint() {
        const JointId id = pick_joint();
        const auto axis = static_cast<JointAxis>(bytes_.below(7));
        switch (bytes_.below(7)) {
            case 0: {
                const JointLimit l = limit();
                ask("set_joint_limit", [&](World& w) { return w.set_joint_limit(id, l, axis); });
                break;
            }
            case 1: {
                const JointMotor m = motor();
                ask("set_joint_motor", [&](World& w) { return w.set_joint_motor(id, m, axis); });
                break;
            }
            case 2: {
                const JointSpring s = spring();
                ask("set_joint_spring", [&](World& w) { return w.set_joint_spring(id, s, axis); });
                break;
            }
            case 3: {
                const float cone = number(1.0f);
                ask("set_joint_cone", [&](World& w) { return w.set_joint_cone(id, cone); });
                break;
            }
            case 4: {
                const JointDrive d = drive();
                ask("set_joint_drive", [&](World& w) { return w.set_joint_drive(id, d); });
                break;
            }
            case 5: {
                const float force = positive(1000.0f), torque = positive(1000.0f);
                ask("set_joint_break", [&](World& w) { return w.set_joint_break(id, force, torque); });
                break;
            }
            default: {
                const bool collide = bytes_.below(2) == 0;
                ask("set_joint_collide_connected",
                    [&](World& w) { return w.set_joint_collide_connected(id, collide); });
                break;
            }
        }
    }

    // ---- the world ----

    WorldDef world_def() {
        WorldDef def;
        const int kind = bytes_.byte();
        if ((kind & 3) == 3) def.gravity = vector(10.0f);
        if ((kind & 12) == 12) def.substeps = 1 + bytes_.byte() % 16;
        def.allow_sleep = (kind & 16) == 0;
        if ((kind & 96) == 96) def.max_speed = positive(1000.0f);
        def.continuous = (kind & 128) == 0;
        return def;
    }
    void change_world() {
        switch (bytes_.below(4)) {
            case 0: {
                const vec3 gravity = vector(10.0f);
                ask("set_gravity", [&](World& w) { return w.set_gravity(gravity); });
                break;
            }
            case 1: {
                const bool allow = bytes_.below(2) == 0;
                ask("set_allow_sleep", [&](World& w) { return w.set_allow_sleep(allow); });
                break;
            }
            case 2: {
                const float speed = number(1.0f);
                ask("set_hit_speed", [&](World& w) { return w.set_hit_speed(speed); });
                break;
            }
            default: {
                const ContactModifier modifier = bytes_.below(4) == 0 ? nullptr : modify;
                world_.set_contact_modifier(modifier);
                if (copy_) copy_->set_contact_modifier(modifier);
                break;
            }
        }
    }
    void copy() {
        switch (bytes_.below(4)) {
            case 0:
                copy_.reset();
                break;
            case 1: {
                World moved = std::move(world_);
                world_ = moved;
                break;
            }
            default:
                copy_ = world_;
                break;
        }
    }

    void step(float dt) {
        ++steps_;
        const double bodies = static_cast<double>(world_.body_count()), substeps = 240.0 * static_cast<double>(dt);
        if (dt <= 1.0f && 0.5 * bodies * bodies * substeps > static_cast<double>(most_work)) dt = 1.0f / 60.0f;
        const bool good = dt >= 1e-9f && dt <= 1.0f;
        const Jobs jobs{2 + steps_ % 2, run_backwards, nullptr};
        const std::uint64_t before = world_.hash();
        expect(world_.step(dt) == good, "step: refused a good length, or took a bad one");
        if (copy_) {
            expect(copy_->step(dt, jobs) == good, "step: a copy answers otherwise");
            compare_with_copy();
        }
        if (!good) {
            expect(world_.hash() == before && world_.last_error(),
                   "step: refused, but something moved, or no reason was given");
            return;
        }
        const FrameProfile& profile = world_.profile();
        work_ += std::uint64_t{profile.substeps} * profile.contact_points + profile.stiff_work / stiff_products;
        check_bodies();
        check_joints();
        check_contacts();
    }
    void compare_with_copy() {
        expect(world_.hash() == copy_->hash(), "a copy on several threads has other bits");
        expect(world_.awake_body_count() == copy_->awake_body_count(), "a copy has others awake");
        expect(std::ranges::equal(world_.contacts_begun(), copy_->contacts_begun()) &&
                   std::ranges::equal(world_.contacts_ended(), copy_->contacts_ended()) &&
                   world_.contacts_hit().size() == copy_->contacts_hit().size() &&
                   world_.joints_broken().size() == copy_->joints_broken().size(),
               "a copy has other events");
        expect(world_.contacts().size() == copy_->contacts().size(), "a copy has other contacts");
    }
    void check_bodies() {
        expect(world_.body_count() == entries_.size() && world_.bodies().size() == entries_.size(),
               "a wrong number of bodies");
        std::size_t awake = 0;
        for (const Entry& entry : entries_) {
            const BodyId id = entry.id;
            const WorldTransform t = world_.transform(id);
            const quat& q = t.rotation;
            const vec3 v = world_.linear_velocity(id), w = world_.angular_velocity(id);
            expect(world_.is_valid(id), "a body is gone");
            expect(is_finite(t.position) && is_finite(world_.center_of_mass(id)), "a position is no number");
            expect(std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0f) < 1e-5f,
                   "a rotation is no unit quaternion");
            expect(is_finite(v) && is_finite(w), "a velocity is no number");
            const WorldAabb box = world_.bounds(id);
            expect(glm::all(glm::lessThanEqual(box.lower, box.upper)), "a box is inside out");
            awake += world_.is_awake(id);
            if (world_.type(id) == BodyType::fixed)
                expect(v == vec3(0.0f) && w == vec3(0.0f) && !world_.is_awake(id), "a fixed body moves");
            if (world_.type(id) != BodyType::dynamic) continue;
            expect(world_.mass(id) > 0.0f, "a dynamic body has no mass");
            for (int i = 0; i < 3; ++i) {
                if ((entry.locks >> i & 1) != 0) expect(v[i] == 0.0f, "a body moves along a locked axis");
                if ((entry.locks >> i & 8) != 0) expect(w[i] == 0.0f, "a body turns about a locked axis");
            }
        }
        expect(awake == world_.awake_body_count(), "a wrong number of bodies that are awake");
    }
    /// A joint goes only when somebody is told.
    void check_joints() {
        for (const JointEvent& event : world_.joints_broken()) {
            expect(std::erase(joints_, event.joint) == 1, "a joint breaks that there was not");
            expect(!world_.is_valid(event.joint), "a broken joint is still there");
        }
        expect(world_.joint_count() == joints_.size() && world_.joints().size() == joints_.size(),
               "a wrong number of joints");
        for (const JointId id : joints_) {
            expect(world_.is_valid(id), "a joint goes without a word");
            expect(!std::isnan(world_.joint_coordinate(id)) && !std::isnan(world_.joint_speed(id)),
                   "a coordinate is no number");
            expect(is_finite(world_.joint_force(id)) && is_finite(world_.joint_torque(id)),
                   "a joint's force is no number");
            for (const BodyId body : {world_.body_a(id), world_.body_b(id)}) {
                if (world_.kind(id) != JointKind::gear)
                    expect(world_.is_valid(body) && std::ranges::count(world_.joints(body), id) == 1,
                           "a joint without its body");
            }
        }
    }
    /// The events say what touches.
    void check_contacts() {
        for (const ContactEvent& event : world_.contacts_begun()) {
            expect(touching_.insert(touch(event)).second, "a contact begins twice");
            expect(!std::isnan(event.normal_impulse) && event.normal_impulse >= 0.0f,
                   "an event's impulse is negative, or no number");
        }
        for (const ContactEvent& event : world_.contacts_ended())
            expect(touching_.erase(touch(event)) == 1, "a contact ends that never began");
        for (const HitEvent& event : world_.contacts_hit()) {
            expect(is_finite(event.point) && is_finite(event.normal) && std::isfinite(event.approach_speed) &&
                       event.normal_impulse >= 0.0f,
                   "a hit has something that is no number");
        }
        std::size_t ends = 0;
        for (const Contact& contact : world_.contacts()) {
            expect(touching_.contains(touch(contact)), "a contact that never began");
            expect(world_.is_valid(contact.body_a) && world_.is_valid(contact.body_b),
                   "a contact of a body that is gone");
            expect(contact.shape_a < world_.shapes(contact.body_a).size() &&
                       contact.shape_b < world_.shapes(contact.body_b).size(),
                   "a contact of a shape that is gone");
            expect(contact.point_count >= 1 && contact.point_count <= 4, "a contact without points");
            expect(std::abs(glm::dot(contact.normal, contact.normal) - 1.0f) < 1e-3f, "a contact without a normal");
            expect(is_finite(contact.friction_impulse), "a friction impulse is no number");
            for (int i = 0; i < std::clamp(contact.point_count, 0, 4); ++i) {
                const ContactPoint& p = contact.points[i];
                expect(is_finite(p.position) && std::isfinite(p.separation), "a contact point is no number");
                expect(std::isfinite(p.normal_impulse) && p.normal_impulse >= 0.0f, "a contact pulls, or by no number");
            }
        }
        for (const Entry& entry : entries_) ends += world_.contacts(entry.id).size();
        expect(ends == 2 * world_.contacts().size(), "the contacts of the bodies are not those of the world");
    }

    void query() {
        const dvec3 from = vector(scale_);
        const vec3 way = vector(10.0f * scale_);
        const Filter f = filter();
        const auto check_hit = [&](const CastHit& hit) {
            if (!hit) return;
            expect(world_.is_valid(hit.body) && hit.shape < world_.shapes(hit.body).size(), "a hit on nothing");
            expect(is_finite(hit.position) && is_finite(hit.normal) && hit.fraction >= 0.0f && hit.fraction <= 1.0f,
                   "a hit at no place");
        };
        switch (bytes_.below(4)) {
            case 0: {
                const CastHit hit = world_.ray_cast(from, way, f);
                const std::vector<CastHit> all = world_.ray_cast_all(from, way, f);
                check_hit(hit);
                for (const CastHit& each : all) check_hit(each);
                expect(static_cast<bool>(hit) == world_.ray_cast_any(from, way, f) &&
                           static_cast<bool>(hit) == !all.empty(),
                       "rays do not agree whether there is something");
                if (hit && !all.empty())
                    expect(hit.fraction == all[0].fraction, "the closest hit is not the first of all");
                break;
            }
            case 1: {
                const Shape s = shape();
                const WorldTransform at{from, rotation()};
                const CastHit hit = world_.shape_cast(s, at, way, f);
                check_hit(hit);
                expect(static_cast<bool>(hit) == world_.shape_cast_any(s, at, way, f), "shape casts do not agree");
                break;
            }
            case 2: {
                const Shape s = shape();
                const WorldTransform at{from, rotation()};
                expect(world_.overlap(s, at, f).empty() != world_.overlap_any(s, at, f), "overlaps do not agree");
                break;
            }
            default: {
                const std::size_t count = bytes_.byte();
                const std::vector<NearHit> near = world_.nearest(from, count, positive(10.0f * scale_), f);
                expect(near.size() <= std::min(count, entries_.size()), "more near bodies than asked for");
                for (const NearHit& hit : near)
                    expect(world_.is_valid(hit.body) && is_finite(hit.position) && hit.distance >= 0.0f,
                           "a near body at no place");
                expect(std::ranges::is_sorted(near, {}, &NearHit::distance), "the nearest are not in order");
                break;
            }
        }
    }

    Bytes bytes_;
    float scale_ = 1.0f;
    int steps_ = 0;
    std::uint64_t work_ = 0;
    World world_;
    std::optional<World> copy_;
    std::vector<Entry> entries_;
    std::vector<BodyId> gone_;
    std::vector<JointId> joints_;  // those that are there, and those whose end will be told by the next step
    std::set<Touch> touching_;     // by the events
    std::string complaint_;
};

}  // namespace

std::string fuzz_world(Input input) { return Life(input).run(); }

}  // namespace talus::fuzz
