#include "samples/ledger/contact_work.h"

#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace talus::samples {

/// The shapes and the impulses of a contact of this step.
struct ContactWork::TouchedPair {
    const Contact& contact;
    std::uint32_t a, b;  ///< slots
    const ShapeDef &shape_a, &shape_b;
    dvec3 normal, friction;  ///< friction: the impulse, N s
    dvec3 middle{0.0};       ///< of its points, from the step's origin
    double pressed = 0.0;    ///< the sum of its normal impulses, N s

    TouchedPair(const World& world, const LedgerStep& step, const Contact& c)
        : contact(c),
          a(c.body_a.slot),
          b(c.body_b.slot),
          shape_a(world.shapes(c.body_a)[c.shape_a]),
          shape_b(world.shapes(c.body_b)[c.shape_b]),
          normal(c.normal),
          friction(c.friction_impulse) {
        for (int i = 0; i < c.point_count; ++i) {
            middle += step.from_origin(c.points[i].position) / static_cast<double>(c.point_count);
            pressed += static_cast<double>(c.points[i].normal_impulse);
        }
    }
};

namespace {

float most_friction(const ShapeDef& shape) {
    float most = shape.material.friction;
    for (const Material& m : shape.mesh_materials) most = std::max(most, m.friction);
    return most;
}

float most_rolling_resistance(const ShapeDef& shape) {
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

/// Contacts or events of the same two bodies.
template <class A, class B>
bool are_same_bodies(const A& x, const B& y) {
    return (x.body_a == y.body_a && x.body_b == y.body_b) || (x.body_a == y.body_b && x.body_b == y.body_a);
}

/// Contacts or events of the same two shapes.
template <class A, class B>
bool are_same_shapes(const A& x, const B& y) {
    return (x.body_a == y.body_a && x.body_b == y.body_b && x.shape_a == y.shape_a && x.shape_b == y.shape_b) ||
           (x.body_a == y.body_b && x.body_b == y.body_a && x.shape_a == y.shape_b && x.shape_b == y.shape_a);
}

/// The event is of a contact that pushes, and both bodies still exist.
bool tells_of_a_push(const World& world, const ContactEvent& e) {
    return !e.sensor && world.is_valid(e.body_a) && world.is_valid(e.body_b);
}

}  // namespace

void ContactWork::read(const World& world, LedgerStep& step) {
    last_contacts_.swap(contacts_);
    contacts_ = world.contacts();
    for (const Contact& c : contacts_) step.unite(c.body_a.slot, c.body_b.slot);
    for (const std::span<const ContactEvent> events : {world.contacts_begun(), world.contacts_ended()}) {
        for (const ContactEvent& e : events) {
            if (tells_of_a_push(world, e)) step.unite(e.body_a.slot, e.body_b.slot);
        }
    }
    // The contacts of fast bodies with meshes are not listed. Only events tell of them.
    for (const ContactEvent& e : world.contacts_begun()) {
        if (tells_of_a_push(world, e) &&
            (world.shapes(e.body_a)[e.shape_a].mesh || world.shapes(e.body_b)[e.shape_b].mesh))
            on_meshes_.push_back(e);
    }
    const std::span<const ContactEvent> all_ended = world.contacts_ended();
    std::erase_if(on_meshes_, [&](const ContactEvent& e) {
        return !world.is_valid(e.body_a) || !world.is_valid(e.body_b) ||
               std::any_of(all_ended.begin(), all_ended.end(),
                           [&](const ContactEvent& ended) { return are_same_bodies(ended, e); });
    });
    for (const ContactEvent& e : on_meshes_) step.unite(e.body_a.slot, e.body_b.slot);
}

/// Returns this contact as it was after the step before, or nullptr. Contacts keep their order from step to step, so the
/// search goes on where the last one ended.
const Contact* ContactWork::last_contact(const Contact& contact) {
    for (std::size_t i = 0; i < last_contacts_.size(); ++i) {
        next_last_ = next_last_ < last_contacts_.size() ? next_last_ : 0;
        const Contact& last = last_contacts_[next_last_++];
        if (are_same_shapes(last, contact) && last.triangle == contact.triangle) return &last;
    }
    return nullptr;
}

void ContactWork::add(const World& world, const LedgerTolerance& tolerance, LedgerStep& step) {
    const auto is_active = [&](BodyId id) { return step.before(id.slot).awake || step.after(id.slot).awake; };
    for (const Contact& c : contacts_) {
        if (is_active(c.body_a) || is_active(c.body_b)) add_contact(world, c, tolerance, step);
    }
    add_begun_contacts(world, step);
    for (const ContactEvent& e : on_meshes_) step.mark_touched(e.body_a.slot, e.body_b.slot);
    add_ended_contacts(world, step);
}

void ContactWork::add_contact(const World& world, const Contact& contact, const LedgerTolerance& tolerance,
                              LedgerStep& step) {
    const TouchedPair pair(world, step, contact);
    step.mark_touched(pair.a, pair.b);
    if (step.before(pair.a).type == BodyType::dynamic && step.before(pair.b).type == BodyType::dynamic)
        step.group_of(pair.a).exchanged += (pair.pressed + glm::length(pair.friction)) *
                                           glm::length(step.after(pair.a).center - step.after(pair.b).center);
    add_kinematic_surfaces(pair, tolerance, step);
    add_belts(pair, step);
    add_lost_overlap(pair, step);
}

/// Adds the work of kinematic bodies on which the contact pushes.
void ContactWork::add_kinematic_surfaces(const TouchedPair& pair, const LedgerTolerance& tolerance, LedgerStep& step) {
    const auto& [c, a, b, shape_a, shape_b, normal, friction, middle, pressed] = pair;
    for (const auto& [slot, sign] : {std::pair{a, 1.0}, std::pair{b, -1.0}}) {
        if (step.before(slot).type != BodyType::kinematic) continue;
        const double turn = glm::length(step.displacement(slot).turn);
        double work = 0.0, fastest = 0.0, reach = 0.0;
        for (int i = 0; i < c.point_count; ++i) {
            const dvec3 point = step.from_origin(c.points[i].position), way = step.displacement_at(slot, point);
            work += static_cast<double>(c.points[i].normal_impulse) * glm::dot(normal, way);
            fastest = std::max(fastest, glm::length(way));
            reach = std::max(reach, glm::length(point - middle));
        }
        work += glm::dot(friction, step.displacement_at(slot, middle));
        // The surface's direction changes while it turns.
        double slack = 0.5 * (pressed + glm::length(friction)) * fastest * turn;
        if (turn > 0.0) {
            const double size =
                std::min(static_cast<double>(bounding_radius(shape_a.mesh ? shape_b.shape : shape_a.shape)),
                         static_cast<double>(bounding_radius(shape_b.mesh ? shape_a.shape : shape_b.shape)));
            const double mu =
                std::sqrt(static_cast<double>(most_friction(shape_a)) * static_cast<double>(most_friction(shape_b)));
            const double patch = std::sqrt(2.0 * size * tolerance.height) + reach;
            const double rolling =
                static_cast<double>(std::max(most_rolling_resistance(shape_a), most_rolling_resistance(shape_b))) *
                size;
            slack += (mu * patch * std::abs(glm::dot(normal, step.displacement(slot).turn)) + rolling * turn) * pressed;
        }
        step.add_work(a, b, sign * work / step.dt(), slack / step.dt());
    }
}

/// Adds the work of belts: surfaces that move while their bodies stand still (Material::surface_velocity).
void ContactWork::add_belts(const TouchedPair& pair, LedgerStep& step) {
    const auto& [c, a, b, shape_a, shape_b, normal, friction, middle, pressed] = pair;
    for (const auto& [slot, sign, shape] : {std::tuple{a, 1.0, &shape_a}, std::tuple{b, -1.0, &shape_b}}) {
        const vec3 local = surface_velocity(*shape, c.triangle);
        if (local == vec3(0.0f)) continue;
        const dvec3 velocity(rotate(step.after(slot).pose.rotation, rotate(shape->pose.rotation, local)));
        step.add_work(a, b, sign * glm::dot(friction, velocity),
                      glm::length(friction) * glm::length(velocity) * glm::length(step.displacement(slot).turn));
    }
}

/// Adds the work of pushing shapes out of each other: the overlap that was lost. It counts for a tenth more, because the
/// impulse is a sum over the step, in which contacts may swing. If the contact was found anew within the step, or if its
/// bodies turned a lot, its points at the end are not those of the beginning. Then the deepest overlap counts.
void ContactWork::add_lost_overlap(const TouchedPair& pair, LedgerStep& step) {
    const auto& [c, a, b, shape_a, shape_b, normal, friction, middle, pressed] = pair;
    constexpr double turned = 0.2, more = 1.1;
    double deepest = 0.0, deepest_then = 0.0, work = 0.0;
    for (int i = 0; i < c.point_count; ++i) {
        const double impulse = static_cast<double>(c.points[i].normal_impulse);
        const double now = std::min(static_cast<double>(c.points[i].separation), 0.0);
        deepest = std::min(deepest, now);
        if (impulse <= 0.0) continue;
        const dvec3 point = step.from_origin(c.points[i].position);
        const double then = now - glm::dot(normal, step.displacement_at(b, point + 0.5 * now * normal) -
                                                       step.displacement_at(a, point - 0.5 * now * normal));
        work += impulse * std::max(0.0, now - std::min(then, 0.0));
    }
    if (glm::length(step.displacement(a).turn) + glm::length(step.displacement(b).turn) >= turned) {
        work = 0.0;
        const ConvexPart part_a = convex_part(shape_a, c.triangle), part_b = convex_part(shape_b, c.triangle);
        SimplexCache cache;
        deepest_then =
            static_cast<double>(separation(part_a.shape, part_b.shape,
                                           to_matrix_transform(relative(multiply(step.before(a).pose, part_a.pose),
                                                                        multiply(step.before(b).pose, part_b.pose))),
                                           cache)
                                    .separation);
    } else if (const Contact* last = last_contact(c)) {
        for (int i = 0; i < last->point_count; ++i)
            deepest_then = std::min(deepest_then, static_cast<double>(last->points[i].separation));
    }
    work = std::max(work, pressed * std::max(0.0, deepest - deepest_then));
    step.add_work(a, b, more * work / step.dt());
}

/// Adds the work of contacts that began and ended within the step.
void ContactWork::add_begun_contacts(const World& world, LedgerStep& step) const {
    for (const ContactEvent& e : world.contacts_begun()) {
        if (!tells_of_a_push(world, e)) continue;
        step.mark_touched(e.body_a.slot, e.body_b.slot);
        const bool listed =
            std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& c) { return are_same_bodies(c, e); });
        if (listed) continue;
        for (const BodyId id : {e.body_a, e.body_b}) {
            if (step.before(id.slot).type != BodyType::kinematic) continue;
            const WorldAabb box = world.bounds(id);
            const double fastest = glm::length(step.displacement(id.slot).move) +
                                   glm::length(step.displacement(id.slot).turn) * glm::length(box.upper - box.lower);
            step.add_work(e.body_a.slot, e.body_b.slot, static_cast<double>(e.normal_impulse) / step.dt() * fastest);
        }
    }
}

/// Adds the work of contacts that ended in this step. Before they ended, they may have pushed out all of their overlap.
void ContactWork::add_ended_contacts(const World& world, LedgerStep& step) const {
    for (const ContactEvent& e : world.contacts_ended()) {
        if (!tells_of_a_push(world, e)) continue;
        step.mark_touched(e.body_a.slot, e.body_b.slot);
        const auto last = std::find_if(last_contacts_.begin(), last_contacts_.end(),
                                       [&](const Contact& c) { return are_same_shapes(c, e); });
        if (last == last_contacts_.end()) continue;
        for (int i = 0; i < last->point_count; ++i) {
            step.add_work(e.body_a.slot, e.body_b.slot,
                          static_cast<double>(last->points[i].normal_impulse) / step.dt() *
                              std::max(0.0, -static_cast<double>(last->points[i].separation)));
        }
    }
}

}  // namespace talus::samples
