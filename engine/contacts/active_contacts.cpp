#include "engine/contacts/active_contacts.h"

#include "engine/contacts/planar_contacts.h"

#include <algorithm>

namespace talus {

/// Lists the contacts of awake bodies, in the order of their slots. If few bodies are awake, it walks their lists of
/// pairs and sorts the result, so that sleeping bodies cost nothing. Walking all contacts takes 0.5 ns per contact;
/// walking the lists and sorting takes some 20 ns per contact found.
static void gather_active(const ContactWorld& world, const AwakeSet& awake, std::vector<std::uint32_t>& list) {
    const ContactTable& contacts = world.contacts;
    list.clear();
    if (are_few_awake(awake, world.bodies)) {
        for_each_awake_pair(contacts, world.bodies, awake, [&](std::uint32_t p) {
            for_each_contact(contacts, p, [&](std::uint32_t c) { list.push_back(c); });
        });
        std::sort(list.begin(), list.end());
        return;
    }
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        const ContactBodies& pair = contacts.bodies[c];
        if (awake.contains(pair.a) || awake.contains(pair.b)) list.push_back(c);
    }
}

void ActiveContacts::collide(const ContactWorld& world, const AwakeSet& awake, const CollideSettings& settings,
                             bool any_locked, const Jobs& jobs, NarrowphaseProfile& profile) {
    ContactTable& contacts = world.contacts;
    gather_active(world, awake, active_);
    // There are more tasks than threads, so that the other threads need not wait long for the task with the expensive
    // pairs.
    constexpr std::size_t least_pairs = 256;
    const auto most = static_cast<std::size_t>(jobs.tasks_for(active_.size(), least_pairs));
    const std::size_t tasks = most == 1 ? 1 : std::min(active_.size() / least_pairs, 4 * most);
    if (tasks_.size() < tasks) tasks_.resize(tasks);
    jobs.for_each(static_cast<int>(tasks), [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t first = active_.size() * k / tasks, last = active_.size() * (k + 1) / tasks;
        Task& task = tasks_[k];
        task.profile = {};
        const auto part = std::span(active_).subspan(first, last - first);
        talus::collide(world.colliders, contacts.records, contacts.caches, part, settings, task.scratch, task.profile);
        task.touching.clear();
        for (const std::uint32_t c : part) {
            if (contacts.has_found_manifold(c)) task.touching.push_back(c);
        }
    });
    last_touching_.swap(touching_);
    touching_.clear();
    for (std::size_t k = 0; k < tasks; ++k) {
        profile += tasks_[k].profile;
        touching_.insert(touching_.end(), tasks_[k].touching.begin(), tasks_[k].touching.end());
    }
    if (!any_locked) return;
    turn_into_plane(world, touching_);
    std::erase_if(touching_, [&](std::uint32_t c) { return !contacts.has_manifold(c); });
}

void ActiveContacts::add_woken(const ContactWorld& world, const AwakeSet& awake) {
    gather_active(world, awake, active_and_woken_);
    touching_.clear();
    for (const std::uint32_t c : active_and_woken_) {
        if (world.contacts.has_manifold(c)) touching_.push_back(c);
    }
}

/// Lists in `changed` the contacts that have begun or ended to touch since the last step.
static void find_changed(ContactTable& contacts, std::span<const std::uint32_t> list,
                         std::vector<std::uint32_t>& changed) {
    changed.clear();
    for (std::size_t k = 0; k < list.size(); ++k) {
        constexpr std::size_t ahead = 8;
        if (k + ahead < list.size()) {
            const ContactState& next = contacts.states[list[k + ahead]];
            __builtin_prefetch(&next.point_count);
            __builtin_prefetch(&next.last_impulse);
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

void ActiveContacts::note_touches(const ContactWorld& world, const Jobs& jobs, ContactEvents& events) {
    ContactTable& contacts = world.contacts;
    // Contacts that had points in the last step and have none now. A slot may belong to a new contact by now; resetting
    // its state changes nothing.
    for (const std::uint32_t c : last_touching_) {
        if (contacts.has_manifold(c)) continue;
        ContactState& state = contacts.states[c];
        state.point_count = 0;
        state.substep = 0.0f;
        state.friction_impulse = state.rolling_impulse = vec3(0.0f);
        state.twist_impulse = 0.0f;
        events.set_touching(world, c, false);
    }
    constexpr std::size_t least_contacts = 1024;
    const auto tasks = static_cast<std::size_t>(jobs.tasks_for(touching_.size(), least_contacts));
    if (tasks_.size() < tasks) tasks_.resize(tasks);
    jobs.for_each(static_cast<int>(tasks), [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t first = touching_.size() * k / tasks, last = touching_.size() * (k + 1) / tasks;
        find_changed(contacts, std::span(touching_).subspan(first, last - first), tasks_[k].changed);
    });
    for (std::size_t k = 0; k < tasks; ++k) {
        for (const std::uint32_t c : tasks_[k].changed) events.set_touching(world, c, !contacts.states[c].touching);
    }
}

std::size_t ActiveContacts::bytes() const {
    std::size_t sum =
        (active_.capacity() + active_and_woken_.capacity() + touching_.capacity() + last_touching_.capacity()) *
        sizeof(std::uint32_t);
    for (const Task& task : tasks_)
        sum += sizeof task + task.scratch.bytes() +
               (task.touching.capacity() + task.changed.capacity()) * sizeof(std::uint32_t);
    return sum;
}

}  // namespace talus
