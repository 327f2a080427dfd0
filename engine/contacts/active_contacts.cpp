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
    jobs.for_each_part(active_.size(), tasks, [&](std::size_t k, std::size_t first, std::size_t last) {
        Task& task = tasks_[k];
        task.profile = {};
        const auto part = std::span(active_).subspan(first, last - first);
        detail::collide(world.colliders, contacts.pages(), part, settings, task.scratch, task.profile);
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

std::size_t ActiveContacts::bytes() const {
    std::size_t sum =
        (active_.capacity() + active_and_woken_.capacity() + touching_.capacity() + last_touching_.capacity()) *
        sizeof(std::uint32_t);
    for (const Task& task : tasks_)
        sum += sizeof task + task.scratch.bytes() + task.touching.capacity() * sizeof(std::uint32_t);
    return sum;
}

}  // namespace talus
