#include "samples/ledger/ledger.h"

#include <talus/engine/pair_info.h>
#include <talus/narrowphase/separation.h>
#include "engine/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace talus::samples {

namespace {

using glm::dmat3;
using glm::dvec3;

double length(const dvec3& v) { return std::sqrt(glm::dot(v, v)); }

dvec3 rotated(const glm::quat& q, const dvec3& v) {
    const dvec3 u(q.x, q.y, q.z);
    const dvec3 t = 2.0 * glm::cross(u, v);
    return v + static_cast<double>(q.w) * t + glm::cross(u, t);
}

/// The rotation vector that takes `from` to `to`, the shorter way round.
dvec3 turn_between(const quat& from, const quat& to) {
    const glm::dquat a(from), b(to);
    const glm::dquat d = b * glm::conjugate(a);
    const dvec3 v = d.w < 0.0 ? -dvec3(d.x, d.y, d.z) : dvec3(d.x, d.y, d.z);
    const double sine = length(v);
    if (sine < 1e-12) return 2.0 * v;
    return v * (2.0 * std::atan2(sine, std::abs(d.w)) / sine);
}

double square(double x) { return x * x; }

constexpr double whole = 2.0 * std::numbers::pi;  ///< turn, rad

/// Energy of a spring that pulls with no more than `cap`.
double stored(double stiffness, double way, double cap) {
    way = std::abs(way);
    if (stiffness * way <= cap) return 0.5 * stiffness * way * way;
    return cap * (way - 0.5 * cap / stiffness);
}

constexpr JointAxis axes[6] = {JointAxis::move_x, JointAxis::move_y, JointAxis::move_z,
                               JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z};

/// Which axes (a bit each) a kind lets the user set, and which it locks for good.
struct JointAxes {
    unsigned settable, locked;
};
JointAxes axes_of(JointKind kind) {
    switch (kind) {
        case JointKind::ball:
            return {0b001000, 0b000111};
        case JointKind::hinge:
            return {0b001000, 0b110111};
        case JointKind::slider:
            return {0b000001, 0b111110};
        case JointKind::fixed:
            return {0, 0b111111};
        case JointKind::distance:
            return {0b000001, 0};
        case JointKind::six_dof:
            return {0b111111, 0};
        case JointKind::wheel:
            return {0b011010, 0b100101};
        default:
            return {0, 0};
    }
}

float most_friction(const ShapeDef& shape) {
    float most = shape.material.friction;
    for (const Material& m : shape.mesh_materials) most = std::max(most, m.friction);
    return most;
}

float rolling_of(const ShapeDef& shape) {
    float most = shape.material.rolling_resistance;
    for (const Material& m : shape.mesh_materials) most = std::max(most, m.rolling_resistance);
    return most;
}

vec3 surface_velocity(const ShapeDef& shape, std::uint32_t triangle) {
    if (!shape.mesh || triangle >= shape.mesh->size() || shape.mesh_materials.empty())
        return shape.material.surface_velocity;
    const std::size_t number = shape.mesh->triangle(triangle).material;
    return number < shape.mesh_materials.size() ? shape.mesh_materials[number].surface_velocity
                                                : shape.material.surface_velocity;
}

}  // namespace

std::string LedgerReport::complaint() const {
    char text[256] = "";
    if (not_finite) {
        std::snprintf(text, sizeof text, "a body's state is no number at step %d", steps - 1);
    } else if (worst.failed) {
        std::snprintf(text, sizeof text,
                      "%.3g J appear in step %d (%.3g of what went through) in a group of %zu bodies", worst.joules,
                      worst.step, worst.share, worst.body_count);
    } else if (gained > allowed) {
        std::snprintf(text, sizeof text, "%.3g J appear in %d steps, of %.3g J put in", gained, steps, budget);
    } else if (momentum_failed) {
        std::snprintf(text, sizeof text, "a free group's momentum changes by %.3g of its bodies' in step %d",
                      worst_momentum, momentum_step);
    } else if (angular_failed) {
        std::snprintf(text, sizeof text, "a free group's angular momentum changes by %.3g of its bodies' in step %d",
                      worst_angular, angular_step);
    }
    return text;
}

void Ledger::read(const World& world, std::vector<State>& states, bool forces) const {
    for (State& state : states) state.present = false;
    for (const BodyId id : world.bodies()) {
        if (id.slot >= states.size()) states.resize(id.slot + 1);
        State& s = states[id.slot];
        const bool awake = world.is_awake(id);
        s.present = true;
        s.awake = awake;
        s.id = id;
        s.type = world.type(id);
        s.pose = world.transform(id);
        if (s.type == BodyType::fixed) continue;
        s.center = world.center_of_mass(id);
        s.velocity = world.linear_velocity(id);
        s.spin = world.angular_velocity(id);
        s.mass = static_cast<double>(world.mass(id));
        s.inertia = dmat3(world.inertia(id));
        s.gravity_scale = static_cast<double>(world.gravity_scale(id));
        s.kinetic = s.type == BodyType::dynamic && awake
                        ? 0.5 * s.mass * glm::dot(s.velocity, s.velocity) + 0.5 * glm::dot(s.spin, s.inertia * s.spin)
                        : 0.0;
        if (!forces) continue;
        s.locks = world.locks(id);
        s.damped = world.linear_damping(id) != 0.0f || world.angular_damping(id) != 0.0f;
        s.max_speed = static_cast<double>(world.max_speed(id));
        s.max_spin = static_cast<double>(world.max_spin(id));
        s.force = world.force(id);
        s.torque = world.torque(id);
    }
}

void Ledger::read_joints(const World& world, std::vector<JointState>& joints) const {
    joints.clear();
    for (const JointId id : world.joints()) {
        JointState s;
        s.id = id;
        s.kind = world.kind(id);
        if (s.kind != JointKind::gear) {
            for (int i = 0; i < 6; ++i) {
                s.coordinates[i] = static_cast<double>(world.joint_coordinate(id, axes[i]));
                s.speeds[i] = static_cast<double>(world.joint_speed(id, axes[i]));
            }
        }
        joints.push_back(s);
    }
}

LedgerEnergy Ledger::energy(const World& world, const std::vector<State>& states,
                            const std::vector<JointState>& joints) const {
    LedgerEnergy e;
    for (const State& s : states) {
        if (!s.present || s.type != BodyType::dynamic) continue;
        e.kinetic += s.kinetic;
        e.potential -= s.mass * s.gravity_scale * glm::dot(gravity_, s.center);
    }
    for (const JointState& s : joints) {
        const unsigned settable = axes_of(s.kind).settable;
        for (int i = 0; i < 6; ++i) {
            const double k = static_cast<double>(world.joint_stiffness(s.id, axes[i]));
            if (k == 0.0) continue;
            const JointSpring spring = (settable >> i & 1u) != 0 ? world.joint_spring(s.id, axes[i]) : JointSpring{};
            e.springs +=
                stored(k, s.coordinates[i] - static_cast<double>(spring.target), static_cast<double>(spring.max_force));
        }
    }
    return e;
}

void Ledger::before(const World& world, float dt) {
    dt_ = static_cast<double>(dt);
    gravity_ = world.gravity();
    max_speed_ = static_cast<double>(world.settings().max_speed);
    read(world, before_, true);
    read_joints(world, joints_before_);
    double kinetic = 0.0;
    for (const State& s : before_) kinetic += s.present ? s.kinetic : 0.0;
    if (report_.steps == 0) {
        report_.start = energy(world, before_, joints_before_);
        given_ = kinetic;
    } else {
        given_ += std::max(0.0, kinetic - last_total_);  // by impulses, new bodies and the like
    }
}

std::uint32_t Ledger::root(std::uint32_t slot) {
    while (parent_[slot] != slot) slot = parent_[slot] = parent_[parent_[slot]];
    return slot;
}

void Ledger::unite(std::uint32_t a, std::uint32_t b) {
    if (before_[a].type != BodyType::dynamic || before_[b].type != BodyType::dynamic) return;
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void Ledger::find_displacements() {
    displacements_.assign(after_.size(), Displacement{});
    for (std::size_t i = 0; i < after_.size() && i < before_.size(); ++i) {
        const State &s = before_[i], &e = after_[i];
        if (!s.present || !e.present || s.type == BodyType::fixed) continue;
        displacements_[i].move = e.center - s.center;
        displacements_[i].turn = turn_between(s.pose.rotation, e.pose.rotation);
        // A body that turns by more than this is given the turn that its spin makes; rotations do not tell.
        constexpr double told = 2.0;
        if (dt_ * length(e.spin) > told) displacements_[i].turn = dt_ * 0.5 * (s.spin + e.spin);
    }
}

dvec3 Ledger::displacement_at(std::uint32_t slot, const dvec3& point) const {
    if (before_[slot].type == BodyType::fixed) return dvec3(0.0);
    const dvec3 local = rotated(conjugate(after_[slot].pose.rotation), point - dvec3(after_[slot].pose.position));
    return point - (dvec3(before_[slot].pose.position) + rotated(before_[slot].pose.rotation, local));
}

void Ledger::add_work(std::uint32_t a, std::uint32_t b, double joules, double slack) {
    const std::uint32_t slot = before_[a].type == BodyType::dynamic ? a : b;
    if (before_[slot].type != BodyType::dynamic) return;
    Group& group = groups_[root(slot)];
    group.work += joules + slack;
    group.work_in += std::max(0.0, joules + slack);
}

void Ledger::after(const World& world) {
    read(world, after_, false);
    read_joints(world, joints_after_);
    const std::size_t count = std::max(before_.size(), after_.size());
    before_.resize(count);
    after_.resize(count);
    find_displacements();
    parent_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) parent_[i] = i;
    groups_.assign(count, Group{});
    for (const JointId id : world.joints()) {
        const BodyId a = world.body_a(id), b = world.body_b(id);
        if (a && b) unite(a.slot, b.slot);
        if (world.kind(id) != JointKind::gear) continue;
    }
    for (const JointEvent& e : world.joints_broken()) {
        if (e.body_a && e.body_b && world.is_valid(e.body_a) && world.is_valid(e.body_b))
            unite(e.body_a.slot, e.body_b.slot);
    }
    const std::vector<Contact> contacts = world.contacts();
    for (const Contact& c : contacts) unite(c.body_a.slot, c.body_b.slot);
    for (const std::span<const ContactEvent> events : {world.contacts_begun(), world.contacts_ended()}) {
        for (const ContactEvent& e : events) {
            if (!e.sensor && world.is_valid(e.body_a) && world.is_valid(e.body_b)) unite(e.body_a.slot, e.body_b.slot);
        }
    }
    // What a fast body met on a mesh is told by events alone.
    for (const ContactEvent& e : world.contacts_begun()) {
        if (!e.sensor && world.is_valid(e.body_a) && world.is_valid(e.body_b) &&
            (world.shapes(e.body_a)[e.shape_a].mesh || world.shapes(e.body_b)[e.shape_b].mesh))
            on_meshes_.push_back(e);
    }
    std::erase_if(on_meshes_, [&](const ContactEvent& e) {
        const auto same = [&](const ContactEvent& other) {
            return (other.body_a == e.body_a && other.body_b == e.body_b) ||
                   (other.body_a == e.body_b && other.body_b == e.body_a);
        };
        return !world.is_valid(e.body_a) || !world.is_valid(e.body_b) ||
               std::ranges::any_of(world.contacts_ended(), same);
    });
    for (const ContactEvent& e : on_meshes_) unite(e.body_a.slot, e.body_b.slot);
    last_contacts_.swap(contacts_);
    contacts_.assign(contacts.begin(), contacts.end());
    book_contacts(world);
    book_joints(world);
    book_bodies(world);
    close(world);
}

namespace {

/// Contacts or events of the same two shapes.
template <class A, class B>
bool are_same_shapes(const A& x, const B& y) {
    return (x.body_a == y.body_a && x.body_b == y.body_b && x.shape_a == y.shape_a && x.shape_b == y.shape_b) ||
           (x.body_a == y.body_b && x.body_b == y.body_a && x.shape_a == y.shape_b && x.shape_b == y.shape_a);
}

}  // namespace

/// What was listed of this contact after the step before, or nullptr. Contacts keep their order from step to step, so
/// the search goes on where the last one ended.
const Contact* Ledger::last_contact(const Contact& contact) {
    for (std::size_t i = 0; i < last_contacts_.size(); ++i) {
        next_last_ = next_last_ < last_contacts_.size() ? next_last_ : 0;
        const Contact& last = last_contacts_[next_last_++];
        if (are_same_shapes(last, contact) && last.triangle == contact.triangle) return &last;
    }
    return nullptr;
}

/// A contact of this step.
struct Ledger::BookedContact {
    const Contact& c;
    std::uint32_t a, b;  ///< slots
    const ShapeDef &shape_a, &shape_b;
    dvec3 normal, friction;  ///< friction: the impulse, N s
    dvec3 middle{0.0};       ///< of its points
    double pressed = 0.0;    ///< the sum of its normal impulses, N s
};

void Ledger::book_contacts(const World& world) {
    for (const Contact& c : contacts_) {
        const auto is_active = [&](BodyId id) { return before_[id.slot].awake || after_[id.slot].awake; };
        if (is_active(c.body_a) || is_active(c.body_b)) book_contact(world, c);
    }
    book_begun_contacts(world);
    for (const ContactEvent& e : on_meshes_) mark_touched(e.body_a.slot, e.body_b.slot);
    book_ended_contacts(world);
}

/// The groups of the two bodies were touched, and held by whichever of the two is not dynamic.
void Ledger::mark_touched(std::uint32_t a, std::uint32_t b) {
    for (const auto& [self, other] : {std::pair{a, b}, std::pair{b, a}}) {
        if (before_[self].type != BodyType::dynamic) continue;
        Group& group = groups_[root(self)];
        group.touched = true;
        group.anchored = group.anchored || before_[other].type != BodyType::dynamic;
    }
}

void Ledger::book_contact(const World& world, const Contact& c) {
    BookedContact contact{c,
                          c.body_a.slot,
                          c.body_b.slot,
                          world.shapes(c.body_a)[c.shape_a],
                          world.shapes(c.body_b)[c.shape_b],
                          dvec3(c.normal),
                          dvec3(c.friction_impulse)};
    for (int i = 0; i < c.point_count; ++i) {
        contact.middle += dvec3(c.points[i].position) / static_cast<double>(c.point_count);
        contact.pressed += static_cast<double>(c.points[i].normal_impulse);
    }
    const std::uint32_t a = contact.a, b = contact.b;
    mark_touched(a, b);
    if (before_[a].type == BodyType::dynamic && before_[b].type == BodyType::dynamic)
        groups_[root(a)].exchanged +=
            (contact.pressed + length(contact.friction)) * length(after_[a].center - after_[b].center);
    book_kinematic_surfaces(contact);
    book_belts(contact);
    book_lost_overlap(contact);
}

/// The work of kinematic bodies that the contact pushes.
void Ledger::book_kinematic_surfaces(const BookedContact& contact) {
    const Contact& c = contact.c;
    const std::uint32_t a = contact.a, b = contact.b;
    const ShapeDef& shape_a = contact.shape_a;
    const ShapeDef& shape_b = contact.shape_b;
    const dvec3 normal = contact.normal;
    const dvec3 friction = contact.friction;
    const dvec3 middle = contact.middle;
    const double pressed = contact.pressed;
    for (const auto& [slot, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
        if (before_[slot].type != BodyType::kinematic) continue;
        const double turn = length(displacements_[slot].turn);
        double work = 0.0, fastest = 0.0, reach = 0.0;
        for (int i = 0; i < c.point_count; ++i) {
            const dvec3 point(c.points[i].position), way = displacement_at(slot, point);
            work += static_cast<double>(c.points[i].normal_impulse) * glm::dot(normal, way);
            fastest = std::max(fastest, length(way));
            reach = std::max(reach, length(point - middle));
        }
        work += glm::dot(friction, displacement_at(slot, middle));
        // The surface's direction changes while it turns.
        double slack = 0.5 * (pressed + length(friction)) * fastest * turn;
        if (turn > 0.0) {
            const double size =
                std::min(static_cast<double>(bounding_radius(shape_a.mesh ? shape_b.shape : shape_a.shape)),
                         static_cast<double>(bounding_radius(shape_b.mesh ? shape_a.shape : shape_b.shape)));
            const double mu =
                std::sqrt(static_cast<double>(most_friction(shape_a)) * static_cast<double>(most_friction(shape_b)));
            const double patch = std::sqrt(2.0 * size * tolerance_.height) + reach;
            const double rolling = static_cast<double>(std::max(rolling_of(shape_a), rolling_of(shape_b))) * size;
            slack += (mu * patch * std::abs(glm::dot(normal, displacements_[slot].turn)) + rolling * turn) * pressed;
        }
        add_work(a, b, sign * work / dt_, slack / dt_);
    }
}

/// The work of surfaces that run though their bodies stand.
void Ledger::book_belts(const BookedContact& contact) {
    const Contact& c = contact.c;
    const std::uint32_t a = contact.a, b = contact.b;
    const ShapeDef& shape_a = contact.shape_a;
    const ShapeDef& shape_b = contact.shape_b;
    const dvec3 friction = contact.friction;
    for (const auto& [slot, sign, shape] : {std::tuple{a, 1.0, &shape_a}, std::tuple{b, -1.0, &shape_b}}) {
        const vec3 local = surface_velocity(*shape, c.triangle);
        if (local == vec3(0.0f)) continue;
        const dvec3 velocity(rotate(after_[slot].pose.rotation, rotate(shape->pose.rotation, local)));
        add_work(a, b, sign * glm::dot(friction, velocity),
                 length(friction) * length(velocity) * length(displacements_[slot].turn));
    }
}

/// The work of pushing shapes out of each other: overlap that became less. A tenth more, because the impulse is a sum over
/// the step, in which contacts may swing. Where the contact was found anew within the step, and where bodies turn a lot,
/// its points at the end are not those of its beginning: then the deepest overlap counts.
void Ledger::book_lost_overlap(const BookedContact& contact) {
    const Contact& c = contact.c;
    const std::uint32_t a = contact.a, b = contact.b;
    const ShapeDef& shape_a = contact.shape_a;
    const ShapeDef& shape_b = contact.shape_b;
    const dvec3 normal = contact.normal;
    const double pressed = contact.pressed;
    constexpr double turned = 0.2, more = 1.1;
    double deepest = 0.0, deepest_then = 0.0, work = 0.0;
    for (int i = 0; i < c.point_count; ++i) {
        const double impulse = static_cast<double>(c.points[i].normal_impulse);
        const double now = std::min(static_cast<double>(c.points[i].separation), 0.0);
        deepest = std::min(deepest, now);
        if (impulse <= 0.0) continue;
        const dvec3 point(c.points[i].position);
        const double then = now - glm::dot(normal, displacement_at(b, point + 0.5 * now * normal) -
                                                       displacement_at(a, point - 0.5 * now * normal));
        work += impulse * std::max(0.0, now - std::min(then, 0.0));
    }
    if (length(displacements_[a].turn) + length(displacements_[b].turn) >= turned) {
        work = 0.0;
        const ConvexPart part_a = convex_part(shape_a, c.triangle), part_b = convex_part(shape_b, c.triangle);
        SimplexCache cache;
        deepest_then =
            static_cast<double>(separation(part_a.shape, part_b.shape,
                                           to_matrix_transform(relative(multiply(before_[a].pose, part_a.pose),
                                                                        multiply(before_[b].pose, part_b.pose))),
                                           cache)
                                    .separation);
    } else if (const Contact* last = last_contact(c)) {
        for (int i = 0; i < last->point_count; ++i)
            deepest_then = std::min(deepest_then, static_cast<double>(last->points[i].separation));
    }
    work = std::max(work, pressed * std::max(0.0, deepest - deepest_then));
    add_work(a, b, more * work / dt_);
}

/// Contacts that began and ended within the step.
void Ledger::book_begun_contacts(const World& world) {
    for (const ContactEvent& e : world.contacts_begun()) {
        if (e.sensor || !world.is_valid(e.body_a) || !world.is_valid(e.body_b)) continue;
        mark_touched(e.body_a.slot, e.body_b.slot);
        const bool listed = std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& c) {
            return (c.body_a == e.body_a && c.body_b == e.body_b) || (c.body_a == e.body_b && c.body_b == e.body_a);
        });
        if (listed) continue;
        for (const BodyId id : {e.body_a, e.body_b}) {
            if (before_[id.slot].type != BodyType::kinematic) continue;
            const Aabb box = world.bounds(id);
            const double fastest = length(displacements_[id.slot].move) +
                                   length(displacements_[id.slot].turn) * length(dvec3(box.upper - box.lower));
            add_work(e.body_a.slot, e.body_b.slot, static_cast<double>(e.normal_impulse) / dt_ * fastest);
        }
    }
}

/// What ended may have pushed in this step before it did, all its overlap away.
void Ledger::book_ended_contacts(const World& world) {
    for (const ContactEvent& e : world.contacts_ended()) {
        if (e.sensor || !world.is_valid(e.body_a) || !world.is_valid(e.body_b)) continue;
        mark_touched(e.body_a.slot, e.body_b.slot);
        const auto last = std::find_if(last_contacts_.begin(), last_contacts_.end(),
                                       [&](const Contact& c) { return are_same_shapes(c, e); });
        if (last == last_contacts_.end()) continue;
        for (int i = 0; i < last->point_count; ++i) {
            add_work(e.body_a.slot, e.body_b.slot,
                     static_cast<double>(last->points[i].normal_impulse) / dt_ *
                         std::max(0.0, -static_cast<double>(last->points[i].separation)));
        }
    }
}

/// A joint before and after this step.
struct Ledger::BookedJoint {
    const JointState &then, &now;
    JointFrames frames;
    std::uint32_t a, b;      ///< slots
    dvec3 force, torque;     ///< on B, means over the step, N and N m
    dvec3 anchor, anchor_a;  ///< of frame B and frame A, m
    double half;             ///< half a sub-step, s
    // What book_axis() finds.
    double shift = 0.0, turn = 0.0;  ///< by which violations became less, m and rad
    double gap2 = 0.0, bent = 0.0;   ///< between the anchors, m^2, and beyond limits of turns, rad
    bool springs = false;

    /// The direction of an axis in the world.
    dvec3 axis(int i, const quat& rotation_a) const {
        if (now.kind == JointKind::distance) {
            const dvec3 between = anchor - anchor_a;
            return between / std::max(length(between), 1e-12);
        }
        dvec3 axis(0.0);
        axis[i % 3] = 1.0;
        return rotated(rotation_a, rotated(frames.frame_a.rotation, axis));
    }
    /// Sub-steps take the force of one end of their displacement for all of it. The energy that this makes comes and goes with the swing:
    /// kinetic + stored - h / 2 * force * speed is what stays.
    double swing(double k, double x0, double v0, double x1, double v1, double cap) const {
        const auto power = [&](double x, double v) { return std::clamp(k * x, -cap, cap) * v; };
        return std::max(0.0, half * (power(x1, v1) - power(x0, v0)));
    }
};

void Ledger::book_joints(const World& world) {
    // The forces of a joint that broke are no longer known.
    for (const JointEvent& e : world.joints_broken()) {
        for (const BodyId id : {e.body_a, e.body_b}) {
            if (!world.is_valid(id) || before_[id.slot].type != BodyType::dynamic) continue;
            groups_[root(id.slot)].broke = groups_[root(id.slot)].anchored = true;
        }
    }
    std::size_t before = 0;
    for (const JointState& now : joints_after_) {
        // Both lists are in the order of slots.
        while (before < joints_before_.size() && joints_before_[before].id.slot < now.id.slot) ++before;
        if (before < joints_before_.size() && joints_before_[before].id == now.id)
            book_joint(world, joints_before_[before], now);
    }
}

void Ledger::book_joint(const World& world, const JointState& then, const JointState& now) {
    const JointFrames frames = world.frames(now.id);
    if (!frames.body_a || !frames.body_b) return;
    const std::uint32_t a = frames.body_a.slot, b = frames.body_b.slot;
    mark_touched(a, b);
    if (now.kind == JointKind::gear || (!after_[a].awake && !after_[b].awake)) return;
    const auto anchor_on = [&](std::uint32_t slot, const Transform& frame) {
        return dvec3(after_[slot].pose.position) + rotated(after_[slot].pose.rotation, dvec3(frame.position));
    };
    BookedJoint joint{then,
                      now,
                      frames,
                      a,
                      b,
                      dvec3(world.joint_force(now.id)),
                      dvec3(world.joint_torque(now.id)),
                      anchor_on(b, frames.frame_b),
                      anchor_on(a, frames.frame_a),
                      0.5 * dt_ / static_cast<double>(std::max(1u, world.profile().substeps))};
    book_kinematic_ends(joint);
    for (int i = 0; i < 6; ++i) book_axis(world, joint, i);
    book_violations(world, joint);
    book_drive(world, joint);
}

void Ledger::book_kinematic_ends(const BookedJoint& joint) {
    for (const auto& [slot, sign] : {std::pair{joint.a, 1.0}, std::pair{joint.b, -1.0}}) {
        if (before_[slot].type != BodyType::kinematic) continue;
        const dvec3 way = displacement_at(slot, joint.anchor), turn = displacements_[slot].turn;
        add_work(joint.a, joint.b, sign * (glm::dot(joint.force, way) + glm::dot(joint.torque, turn)),
                 0.5 * length(turn) * (length(joint.force) * length(way) + length(joint.torque) * length(turn)));
    }
}

/// Motors and springs are charged for the displacement that velocities make. Where a constraint that was open is closed
/// against them, it does the work: position correction moves bodies without a velocity, and the force that a joint
/// reports is its sum, in which what presses into a limit and the limit cancel each other.
double Ledger::charged(double work, double push, double way, double v0, double v1) const {
    const double moved = push * 0.5 * dt_ * (v0 + v1), corrected = moved - push * way;
    return work < 0.0 && corrected > 0.0 ? std::min(0.0, work + corrected) : work;
}

/// The spring, the motor and the limit of axis `i`.
void Ledger::book_axis(const World& world, BookedJoint& joint, int i) {
    const JointState &then = joint.then, &now = joint.now;
    const std::uint32_t a = joint.a, b = joint.b;
    const JointAxes kind = axes_of(now.kind);
    const bool settable = (kind.settable >> i & 1u) != 0;
    const double q1 = now.coordinates[i];
    double q0 = then.coordinates[i];
    if (now.kind == JointKind::six_dof && i >= 3) q0 += whole * std::round((q1 - q0) / whole);
    const double stiffness = static_cast<double>(world.joint_stiffness(now.id, axes[i]));
    if (stiffness > 0.0) {
        joint.springs = true;
        if (now.kind != JointKind::ball && now.kind != JointKind::motor) {
            const JointSpring spring = settable ? world.joint_spring(now.id, axes[i]) : JointSpring{};
            const double target = static_cast<double>(spring.target), cap = static_cast<double>(spring.max_force);
            const double released =
                stored(stiffness, q0 - target, cap) - stored(stiffness, q1 - target, cap) +
                joint.swing(stiffness, q0 - target, then.speeds[i], q1 - target, now.speeds[i], cap);
            // A spring of some frequency is as stiff as what its bodies weigh there, which changes as they turn.
            const double f = glm::dot(i < 3 ? joint.force : joint.torque, joint.axis(i, after_[a].pose.rotation));
            const double pushed = f * (q1 - q0) + 0.5 * dt_ * std::abs(f * (now.speeds[i] - then.speeds[i]));
            const double pull = -std::clamp(stiffness * (0.5 * (q0 + q1) - target), -cap, cap);
            add_work(a, b, charged(std::max(released, pushed), pull, q1 - q0, then.speeds[i], now.speeds[i]));
        }
    }
    if (settable && world.joint_motor(now.id, axes[i]).max_force > 0.0f) {
        const double f = static_cast<double>(world.joint_motor_force(now.id, axes[i]));
        add_work(a, b, charged(f * (q1 - q0), f, q1 - q0, then.speeds[i], now.speeds[i]),
                 std::abs(f) * dt_ * std::abs(now.speeds[i] - then.speeds[i]));
    }
    if (stiffness > 0.0 && !settable) return;
    JointLimit limit;
    if (settable) limit = world.joint_limit(now.id, axes[i]);
    if ((kind.locked >> i & 1u) != 0) limit = {0.0f, 0.0f};
    const auto beyond = [&](double q) {
        return std::max({static_cast<double>(limit.lower) - q, q - static_cast<double>(limit.upper), 0.0});
    };
    (i < 3 ? joint.shift : joint.turn) += std::max(0.0, beyond(q0) - beyond(q1));
    if (i < 3) joint.gap2 += square(std::max(beyond(q0), beyond(q1)));
    if (i >= 3) joint.bent = std::max(joint.bent, beyond(q0));
}

/// Anchors that were apart and turns beyond limits that are less so.
void Ledger::book_violations(const World& world, BookedJoint& joint) {
    const JointState &then = joint.then, &now = joint.now;
    const std::uint32_t a = joint.a, b = joint.b;
    if (now.kind == JointKind::ball) {
        const double cone = static_cast<double>(world.joint_cone(now.id));
        const double s0 = std::sqrt(square(then.coordinates[4]) + square(then.coordinates[5]));
        const double s1 = std::sqrt(square(now.coordinates[4]) + square(now.coordinates[5]));
        joint.turn += std::max(0.0, std::max(0.0, s0 - cone) - std::max(0.0, s1 - cone));
        joint.bent = std::max(joint.bent, s0 - cone);
    }
    add_work(a, b, length(joint.force) * joint.shift + length(joint.torque) * joint.turn);
    // Bodies that are pulled at anchors that lie apart are turned by that.
    const double reach = std::max(length(after_[a].center - joint.anchor), length(after_[b].center - joint.anchor));
    for (const std::uint32_t i : {a, b}) {
        if (before_[i].type != BodyType::dynamic) continue;
        Group& group = groups_[root(i)];
        if (i == a || before_[a].type != BodyType::dynamic)
            group.twisted += dt_ * length(joint.force) * std::sqrt(joint.gap2);
        // Joints follow what rounds off their anchors' positions.
        group.rounding += 0.5 * before_[i].mass *
                          square(tolerance_.position * (length(joint.anchor) + reach + 1.0) / (2.0 * joint.half));
        group.open = std::max(group.open, std::sqrt(joint.gap2) + std::min(joint.bent, 1.0) * reach);
    }
}

void Ledger::book_drive(const World& world, const BookedJoint& joint) {
    const JointState &then = joint.then, &now = joint.now;
    if (now.kind != JointKind::ball && now.kind != JointKind::motor) return;
    const std::uint32_t a = joint.a, b = joint.b;
    const dvec3 force = joint.force, torque = joint.torque, anchor = joint.anchor;
    const auto velocity_at = [](const State& on, const dvec3& point) {
        return on.velocity + glm::cross(on.spin, point - on.center);
    };
    const JointDrive drive = world.joint_drive(now.id);
    if (drive.max_force <= 0.0f && drive.max_torque <= 0.0f) return;
    // Within a step a drive may push its bodies to and fro: no more than its force all the way at the higher speed, or
    // than its largest force all the way that they went.
    double fastest_turn = 0.0, fastest = 0.0;
    for (const auto* states : {&before_, &after_}) {
        const State &on_a = (*states)[a], &on_b = (*states)[b];
        fastest_turn = std::max(fastest_turn, length(on_b.spin - on_a.spin));
        fastest = std::max(fastest, length(velocity_at(on_b, anchor) - velocity_at(on_a, anchor)));
    }
    const auto largest = [](float limit, double mean) { return is_finite(limit) ? static_cast<double>(limit) : mean; };
    double work =
        std::max(dt_ * length(torque) * fastest_turn,
                 largest(drive.max_torque, length(torque)) * length(displacements_[b].turn - displacements_[a].turn));
    if (now.kind == JointKind::motor) {
        work += std::max(
            dt_ * length(force) * fastest,
            largest(drive.max_force, length(force)) * length(displacement_at(b, anchor) - displacement_at(a, anchor)));
    }
    if (joint.springs) {
        // A spring may swing several times within a step: what it stores says more than its mean force.
        double released = 0.0;
        const dvec3 turn_target = turn_between(quat(1.0f, 0.0f, 0.0f, 0.0f), drive.target.rotation);
        for (int i = 0; i < 6; ++i) {
            const double k = static_cast<double>(world.joint_stiffness(now.id, axes[i]));
            if (k <= 0.0) continue;
            const double at = i < 3 ? static_cast<double>(drive.target.position[i]) : turn_target[i - 3];
            const double cap = static_cast<double>(i < 3 ? drive.max_force : drive.max_torque);
            released +=
                stored(k, then.coordinates[i] - at, cap) - stored(k, now.coordinates[i] - at, cap) +
                joint.swing(k, then.coordinates[i] - at, then.speeds[i], now.coordinates[i] - at, now.speeds[i], cap);
        }
        work = std::max(work, released);
    }
    add_work(a, b, work);
}

void Ledger::book_bodies(const World& world) {
    // Sub-steps move bodies with the velocity of their end. In flight that is the true one of their middle: by their end
    // forces have half a sub-step more to add, which a falling body has still to get and a rising one to lose. What was
    // turned round by a bounce without loss seems to gain that. (Where a contact held a body, its velocity is the true one.)
    const double half = 0.5 * dt_ / static_cast<double>(std::max(1u, world.profile().substeps));
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
        const State &s = before_[i], &e = after_[i];
        if (!s.present || !e.present || s.type != BodyType::dynamic) continue;
        if (!s.awake && !e.awake) continue;
        Group& group = groups_[root(i)];
        ++group.count;
        group.first = std::min(group.first, i);
        group.before += s.kinetic;
        group.after += e.kinetic;
        const dvec3 pull = s.force + s.mass * s.gravity_scale * gravity_;
        group.ahead += half * (glm::dot(pull, e.velocity - s.velocity) + glm::dot(s.torque, e.spin - s.spin));
        const double weight = s.mass * std::abs(s.gravity_scale) * length(gravity_);
        const double risen = -s.mass * s.gravity_scale * glm::dot(gravity_, e.center - s.center);
        group.risen += risen;
        const double pushed = glm::dot(s.force, displacements_[i].move);
        // How far a body has turned that spins up within the step its poses do not tell.
        const double turned =
            std::max(glm::dot(s.torque, displacements_[i].turn), 0.5 * dt_ * glm::dot(s.torque, s.spin + e.spin));
        const double slack =
            0.5 * dt_ * length(s.torque) * length(e.spin - s.spin) +
            0.5 * length(s.torque) * length(displacements_[i].turn) * std::min(1.0, length(displacements_[i].turn));
        group.work += pushed + turned + slack;
        group.work_in += std::max(0.0, pushed) + std::max(0.0, turned + slack);
        group.rounding += tolerance_.position * (weight + length(s.force)) * (length(e.center) + 1.0) +
                          0.5 * s.mass * square(tolerance_.speed);
        group.weight += weight;
        group.mass += s.mass;
        const double limit = std::min(max_speed_, s.max_speed);
        // A group that falls asleep loses its motion; forces that joints had in this step are not told any more.
        group.broke = group.broke || (s.awake && !e.awake);
        // No body turns farther in a sub-step: what spins faster is stopped down to that.
        const double most_spin =
            std::min(s.max_spin, 0.5 * static_cast<double>(settings::max_rotation_per_substep) / half);
        group.anchored = group.anchored || s.locks != 0 || s.damped || !s.awake || !e.awake ||
                         length(e.velocity) > 0.999 * limit || length(s.velocity) > 0.999 * limit ||
                         length(e.spin) > 0.999 * most_spin || length(s.spin) > 0.999 * most_spin;
    }
}

/// Potential energy that a group got by being pushed out of overlaps that were gone before they bore anything: such
/// contacts are not listed; or by its joints' coming together, for which no force is reported. No more than the weight
/// lifted by the deepest overlap that the step began with, or by as much as its joints were apart.
double Ledger::lifted_out(const World& world, std::uint32_t group) {
    double deepest = groups_[group].open, lifted = 0.0;
    for (const PairInfo& pair : world.pairs()) {
        if (!pair.active || pair.separation >= 0.0f) continue;
        for (const BodyId id : {pair.body_a, pair.body_b}) {
            if (before_[id.slot].type == BodyType::dynamic && root(id.slot) == group)
                deepest = std::max(deepest, -static_cast<double>(pair.separation));
        }
    }
    for (const Contact& c : last_contacts_) {
        for (const BodyId id : {c.body_a, c.body_b}) {
            if (before_[id.slot].type != BodyType::dynamic || root(id.slot) != group) continue;
            for (int i = 0; i < c.point_count; ++i)
                deepest = std::max(deepest, -static_cast<double>(c.points[i].separation));
        }
    }
    if (deepest == 0.0) return 0.0;
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
        const State &s = before_[i], &e = after_[i];
        if (!s.present || !e.present || s.type != BodyType::dynamic || root(i) != group) continue;
        const dvec3 beyond = displacements_[i].move - 0.5 * dt_ * (s.velocity + e.velocity);
        lifted += std::max(0.0, -s.mass * s.gravity_scale * glm::dot(gravity_, beyond));
    }
    return std::min(lifted, deepest * groups_[group].weight);
}

/// Momentum of the bodies of a group, and what gravity and the user's forces gave it in the step.
struct Ledger::Momentum {
    dvec3 center{0.0}, end{0.0}, velocity{0.0}, end_velocity{0.0}, impulse{0.0}, spun{0.0};
    double momentum = 0.0, angular = 0.0, rounding = 0.0;
};

/// By root slot; only of groups that nothing anchors.
std::vector<Ledger::Momentum> Ledger::momenta() {
    std::vector<Momentum> sums(groups_.size());
    const auto for_each_free = [&](auto&& visit) {
        for (std::uint32_t i = 0; i < before_.size(); ++i) {
            const State &s = before_[i], &e = after_[i];
            if (!s.present || !e.present || s.type != BodyType::dynamic || (!s.awake && !e.awake)) continue;
            const std::uint32_t r = root(i);
            if (!groups_[r].anchored) visit(s, e, i, sums[r], groups_[r]);
        }
    };
    for_each_free([&](const State& s, const State& e, std::uint32_t, Momentum& sum, const Group& group) {
        sum.center += s.mass / group.mass * s.center;
        sum.end += s.mass / group.mass * e.center;
        sum.velocity += s.mass / group.mass * s.velocity;
        sum.end_velocity += s.mass / group.mass * e.velocity;
        sum.impulse += dt_ * (s.force + s.mass * s.gravity_scale * gravity_);
        sum.momentum += s.mass * std::max(length(s.velocity), length(e.velocity));
    });
    for_each_free([&](const State& s, const State& e, std::uint32_t, Momentum& sum, const Group&) {
        const dvec3 arm = s.center - sum.center, end_arm = e.center - sum.end;
        const dvec3 orbit = glm::cross(arm, s.mass * (s.velocity - sum.velocity)),
                    end_orbit = glm::cross(end_arm, s.mass * (e.velocity - sum.end_velocity));
        const dvec3 spin = s.inertia * s.spin, end_spin = e.inertia * e.spin;
        sum.spun += end_orbit + end_spin - orbit - spin;
        sum.spun -= dt_ * (s.torque + glm::cross(0.5 * (arm + end_arm), s.force + s.mass * s.gravity_scale * gravity_));
        sum.angular += std::max(length(orbit), length(end_orbit)) + std::max(length(spin), length(end_spin));
        // The solver's velocities are floats of the world, however slowly the bodies move against each other.
        const double gyration = std::sqrt((s.inertia[0][0] + s.inertia[1][1] + s.inertia[2][2]) / (3.0 * s.mass));
        const double fastest =
            std::max(length(s.velocity), length(e.velocity)) + gyration * std::max(length(s.spin), length(e.spin));
        sum.rounding += s.mass * (length(arm) + gyration) * (tolerance_.speed + tolerance_.float_share * fastest);
    });
    return sums;
}

/// The bodies of a group that gained most, at most LedgerGain::most_named.
std::vector<BodyId> Ledger::members(std::uint32_t group) {
    std::vector<std::pair<double, std::uint32_t>> gains;
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
        if (!before_[i].present || before_[i].type != BodyType::dynamic || root(i) != group) continue;
        gains.push_back({before_[i].kinetic - after_[i].kinetic, i});
    }
    std::sort(gains.begin(), gains.end());
    std::vector<BodyId> ids;
    for (std::size_t i = 0; i < gains.size() && i < LedgerGain::most_named; ++i)
        ids.push_back(before_[gains[i].second].id);
    return ids;
}

/// Energy that the group with this root got from nowhere.
void Ledger::judge_energy(const World& world, std::uint32_t r, int step) {
    const Group& group = groups_[r];
    const double rounding = group.rounding + tolerance_.energy * (group.before + group.after + group.work_in);
    double excess = group.after + std::min(0.0, group.ahead) + group.risen - group.before - group.work - rounding;
    if (!(excess > 0.0) || group.broke) return;  // nor if it is no number
    report_.gained += excess;
    const double through = group.before + group.work_in + std::max(0.0, -group.risen);
    const double allowed =
        tolerance_.step_gain * through + (group.touched ? 0.1 * tolerance_.height * group.weight : 0.0);
    if (excess > 0.1 * allowed) {
        const double lifted = lifted_out(world, r);
        report_.gained -= std::min(excess, lifted);
        excess -= lifted;
    }
    const bool failed = excess > allowed;
    if (const double share = excess / std::max(through, 1e-30); failed && share > report_.steepest) {
        report_.steepest = share;
        report_.steepest_step = step;
    }
    if ((failed && !report_.worst.failed) || (failed == report_.worst.failed && excess > report_.worst.joules))
        report_.worst = {excess, excess / std::max(through, 1e-30), step, members(r), group.count, failed};
}

/// Momentum that the free group with this root got from nowhere.
void Ledger::judge_momentum(const Momentum& sum, std::uint32_t r, int step) {
    const Group& group = groups_[r];
    const double slip = length(group.mass * (sum.end_velocity - sum.velocity) - sum.impulse);
    const double scale = sum.momentum + length(sum.impulse);
    if (scale > 0.0 && slip > report_.worst_momentum * scale) {
        report_.worst_momentum = slip / scale;
        report_.momentum_step = step;
        report_.momentum_bodies = members(r);
        report_.momentum_failed = report_.worst_momentum > tolerance_.momentum;
    }
    const double twist = std::max(0.0, length(sum.spun) - group.twisted - sum.rounding),
                 turning = sum.angular + group.exchanged;
    if (turning > 0.0 && twist > report_.worst_angular * turning) {
        report_.worst_angular = twist / turning;
        report_.angular_step = step;
        report_.angular_bodies = members(r);
        report_.angular_failed = report_.worst_angular > tolerance_.angular_momentum;
    }
}

void Ledger::close(const World& world) {
    const int step = report_.steps++;
    const std::vector<Momentum> sums = momenta();
    double risen = 0.0, touched_weight = 0.0;
    for (std::uint32_t r = 0; r < groups_.size(); ++r) {
        const Group& group = groups_[r];
        if (group.count == 0) continue;
        if (!std::isfinite(group.after) || !std::isfinite(group.risen)) {
            report_.not_finite = true;
            continue;
        }
        risen += group.risen;
        report_.work += group.work_in;
        if (group.touched) touched_weight += group.weight;
        judge_energy(world, r, step);
        if (!group.anchored) judge_momentum(sums[r], r, step);
    }
    potential_change_ += risen;
    released_ = std::max(released_, -potential_change_);
    height_allowance_ = std::max(height_allowance_, touched_weight * tolerance_.height);
    report_.end = energy(world, after_, joints_after_);
    last_total_ = report_.end.kinetic;
    report_.budget = given_ + report_.work + released_;
    report_.allowed = tolerance_.total_gain * report_.budget + height_allowance_;
}

bool step(World& world, float dt, Ledger& ledger, const Jobs& jobs) {
    ledger.before(world, dt);
    if (!world.step(dt, jobs)) return false;
    ledger.after(world);
    return true;
}

}  // namespace talus::samples
