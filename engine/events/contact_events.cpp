#include "engine/events/contact_events.h"
#include "common/lanes/processor.h"

#include <algorithm>
#include <tuple>

namespace talus {

namespace {

/// Returns whether two events are about the same two shapes, in either order.
bool same_shapes(const ContactEvent& x, const ContactEvent& y) {
    const auto side_a = [](const ContactEvent& e) { return std::tie(e.body_a.slot, e.body_a.generation, e.shape_a); };
    const auto side_b = [](const ContactEvent& e) { return std::tie(e.body_b.slot, e.body_b.generation, e.shape_b); };
    return (side_a(x) == side_a(y) && side_b(x) == side_b(y)) || (side_a(x) == side_b(y) && side_b(x) == side_a(y));
}

}  // namespace

void ContactEvents::begin_step() {
    begun_.clear();
    ended_.clear();
    ended_.swap(next_step_);
}

void ContactEvents::end(const ContactEvent& event, When when) {
    (when == When::now ? ended_ : when == When::next_step ? next_step_ : if_changed_).push_back(event);
}

std::vector<ContactEvent>::iterator ContactEvents::find_ended(const ContactEvent& event) {
    return std::find_if(ended_.begin(), ended_.end(), [&](const ContactEvent& e) { return same_shapes(e, event); });
}

/// If a shape became a sensor while it touched, or stopped being one, its contact ends in this step, and the contact of
/// the other kind begins in the next step. In one step, the user could not tell which of the two events came first.
void ContactEvents::settle_changes(const ContactWorld& world, std::vector<std::uint32_t>& touching) {
    const BodyStore& bodies = world.bodies;
    ContactTable& contacts = world.contacts;
    for (const ContactEvent& event : if_changed_) {
        const auto has_shapes = [&](BodyId id, std::uint32_t shape) {
            return bodies.is_valid(id) && shape < bodies[id.slot].shape_count;
        };
        std::uint32_t c = null_index;
        if (has_shapes(event.body_a, event.shape_a) && has_shapes(event.body_b, event.shape_b)) {
            const std::uint32_t a = event.body_a.slot, b = event.body_b.slot;
            const std::uint32_t shape_a = bodies[a].first_shape + event.shape_a,
                                shape_b = bodies[b].first_shape + event.shape_b;
            const std::uint32_t p = contacts.find_pair(bodies, a, b);
            const std::uint32_t k = p != null_index ? contacts.find_mesh_contact(p, shape_a, shape_b) : null_index;
            if (k != null_index && contacts.mesh_contacts[k].sensor == event.sensor) {
                contacts.mesh_contacts[k].touching = true;
                contacts.mark_mesh_contact_changed(k);  // report_mesh_contacts() decides whether it still touches
                continue;
            }
            if (k != null_index) {
                contacts.mesh_contacts[k].held_back = true;
                held_back_mesh_contacts_.push_back(k);
            }
            if (p != null_index) c = contacts.find_contact(p, shape_a, shape_b);
        }
        if (c == null_index || contacts.states[c].sensor != event.sensor) {
            ended_.push_back(event);
            if (c != null_index) {
                contacts.states[c].held_back = true;
                held_back_contacts_.push_back(c);
            }
            continue;
        }
        contacts.states[c].touching = true;
        contacts.states[c].last_impulse = event.normal_impulse;
        touching.push_back(c);  // as if it had touched in the last step: note_touches() decides whether it still does
    }
    if_changed_.clear();
}

/// Lists in `changed` the contacts that have begun or ended to touch since the last step.
static void find_changed(ContactTable& contacts, std::span<const std::uint32_t> list,
                         std::vector<std::uint32_t>& changed) {
    changed.clear();
    for (std::size_t k = 0; k < list.size(); ++k) {
        constexpr std::size_t ahead = 8;
        if (k + ahead < list.size()) {
            const ContactState& next = contacts.states[list[k + ahead]];
            detail::prefetch(&next.point_count);
            detail::prefetch(&next.last_impulse);
        }
        const std::uint32_t c = list[k];
        ContactState& state = contacts.states[c];
        // A manifold alone is no contact for the user, since its points may be a margin apart. A contact begins when
        // the surfaces overlap or an impulse acts, and ends when neither is the case.
        float impulse = 0.0f;
        for (int i = 0; i < state.point_count && !state.sensor; ++i) impulse += state.step_impulses[i];
        bool met = impulse > 0.0f || state.met;
        state.met = false;
        if (!met) {
            const Manifold& manifold = contacts.manifold(c);
            for (int i = 0; i < manifold.count; ++i) met = met || manifold.points[i].separation <= 0.0f;
        }
        if (met) state.last_impulse = impulse;
        if (met != state.touching) changed.push_back(c);
    }
}

void ContactEvents::find_changes(const ContactWorld& world, std::span<const std::uint32_t> touching,
                                 std::span<const std::uint32_t> last_touching, const Jobs& jobs) {
    ContactTable& contacts = world.contacts;
    // Contacts that had points in the last step and have none now. A slot may belong to a new contact by now; resetting
    // its state changes nothing.
    for (const std::uint32_t c : last_touching) {
        if (contacts.has_manifold(c)) continue;
        ContactState& state = contacts.states[c];
        state.point_count = 0;
        state.substep = 0.0f;
        state.friction_impulse = state.rolling_impulse = vec3(0.0f);
        state.twist_impulse = 0.0f;
        set_touching(world, c, false);
    }
    constexpr std::size_t least_contacts = 256;
    const auto tasks = static_cast<std::size_t>(jobs.tasks_for(touching.size(), least_contacts));
    if (changed_.size() < tasks) changed_.resize(tasks);
    jobs.for_each_part(touching.size(), tasks, [&](std::size_t k, std::size_t first, std::size_t last) {
        find_changed(contacts, std::span(touching).subspan(first, last - first), changed_[k]);
    });
    for (std::size_t k = 0; k < tasks; ++k) {
        for (const std::uint32_t c : changed_[k]) set_touching(world, c, !contacts.states[c].touching);
    }
}

void ContactEvents::set_touching(const ContactWorld& world, std::uint32_t c, bool now) {
    ContactTable& contacts = world.contacts;
    if (contacts.states[c].touching == now || (now && contacts.states[c].held_back)) return;
    contacts.set_touching(c, now);
    const std::uint32_t k = contacts.states[c].mesh_contact;
    if (k == null_index) {
        (now ? begun_ : ended_).push_back(world.view().event_of(c));
        return;
    }
    MeshContact& mesh_contact = contacts.mesh_contacts[k];
    const bool first = now && mesh_contact.touches == 1;
    mesh_contact.last_impulse = contacts.states[c].last_impulse + (now && !first ? mesh_contact.last_impulse : 0.0f);
}

bool ContactEvents::fit(const ContactView& world) const {
    const auto are_less = [](const std::vector<std::uint32_t>& list, std::size_t size) {
        return std::all_of(list.begin(), list.end(), [&](std::uint32_t i) { return i < size; });
    };
    return are_less(held_back_contacts_, world.contacts.states.size()) &&
           are_less(held_back_mesh_contacts_, world.contacts.mesh_contacts.size());
}

void ContactEvents::report_mesh_contacts(const ContactWorld& world) {
    ContactTable& contacts = world.contacts;
    for (const std::uint32_t k : contacts.changed_mesh_contacts) {
        MeshContact& mesh_contact = contacts.mesh_contacts[k];
        mesh_contact.changed = false;
        if (mesh_contact.shape == null_index || mesh_contact.touching == (mesh_contact.touches != 0) ||
            mesh_contact.held_back)
            continue;
        mesh_contact.touching = !mesh_contact.touching;
        (mesh_contact.touching ? begun_ : ended_).push_back(world.view().event_of_mesh_contact(k));
    }
    contacts.changed_mesh_contacts.clear();
}

void ContactEvents::end_step(const ContactWorld& world) {
    for (const std::uint32_t c : held_back_contacts_) world.contacts.states[c].held_back = false;
    for (const std::uint32_t k : held_back_mesh_contacts_) {
        world.contacts.mesh_contacts[k].held_back = false;
        world.contacts.mark_mesh_contact_changed(k);
    }
    held_back_contacts_.clear();
    held_back_mesh_contacts_.clear();
}

void ContactEvents::report_impact(const ContactWorld& world, const Impact& impact,
                                  std::vector<std::uint32_t>& touching) {
    const BodyStore& bodies = world.bodies;
    ContactTable& contacts = world.contacts;
    const std::uint32_t p = contacts.find_pair(bodies, impact.body, impact.other);
    const std::uint32_t k =
        p != null_index ? contacts.find_mesh_contact(p, impact.shape, impact.other_shape) : null_index;
    if (k != null_index) {
        report_impact_on_mesh(world, impact, k);
        return;
    }
    const std::uint32_t c = contacts.find_contact(bodies, impact.body, impact.shape, impact.other, impact.other_shape);
    if (c != null_index && !impact.sensor) contacts.states[c].last_impulse += impact.impulse;
    if (c != null_index && (contacts.states[c].touching || contacts.states[c].held_back)) return;
    const ContactEvent event = c != null_index ? world.view().event_of(c)
                                               : ContactEvent{bodies.id_of(impact.other),
                                                              bodies.id_of(impact.body),
                                                              impact.other_shape - bodies[impact.other].first_shape,
                                                              impact.shape - bodies[impact.body].first_shape,
                                                              impact.sensor,
                                                              impact.impulse};
    const auto known = find_ended(event);
    const bool over = known != ended_.end();  // this step has reported its end, from the poses at its start
    if (!over) begun_.push_back(event);
    if (c == null_index || impact.sensor) {
        if (!over) ended_.push_back(event);
        return;
    }
    if (over) ended_.erase(known);
    contacts.states[c].touching = true;
    if (!contacts.has_manifold(c)) touching.push_back(c);  // the next step decides whether it still touches
}

void ContactEvents::report_impact_on_mesh(const ContactWorld& world, const Impact& impact, std::uint32_t k) {
    MeshContact& mesh_contact = world.contacts.mesh_contacts[k];
    mesh_contact.last_impulse = impact.impulse + (mesh_contact.touching ? mesh_contact.last_impulse : 0.0f);
    if (mesh_contact.touching || mesh_contact.held_back) return;
    const ContactEvent event = world.view().event_of_mesh_contact(k);
    const auto known = find_ended(event);
    const bool over = known != ended_.end();
    if (!over) begun_.push_back(event);
    if (impact.sensor) {
        if (!over) ended_.push_back(event);
        return;
    }
    if (over) ended_.erase(known);
    mesh_contact.touching = true;
    world.contacts.mark_mesh_contact_changed(k);
}

}  // namespace talus
