#include "engine/pairs/body_pairs.h"

#include "common/stopwatch.h"

#include <algorithm>
#include <utility>

namespace talus {

static bool are_far(const BodyPairs::Input& in, const ContactBodies& pair) {
    const BoundingSphere &a = in.spheres[pair.a], &b = in.spheres[pair.b];
    const float reach = a.reach + b.reach;
    return length_squared(vec3(b.center - a.center)) > reach * reach;
}

void BodyPairs::update(const Input& in, const Broadphase& broadphase, std::span<const std::uint32_t> proxy_bodies,
                       const Jobs& jobs, FrameProfile& profile) {
    end(in, broadphase.ended(), proxy_bodies);
    compounds_.drop_gone(in.world.contacts);
    for (const ProxyPair& pair : broadphase.begun()) begin(in, proxy_bodies[pair.a], proxy_bodies[pair.b]);
    end_far_contacts(in, profile.frame);
    begin_near_contacts(in, jobs, profile);
}

/// The list is sorted by the first proxy. If a body loses many pairs at once, one walk along its list finds them all:
/// a search for each of them would take the square of their number.
void BodyPairs::end(const Input& in, std::span<const ProxyPair> ended, std::span<const std::uint32_t> proxy_bodies) {
    constexpr std::size_t many = 8;
    const ContactTable& contacts = in.world.contacts;
    const BodyStore& bodies = in.world.bodies;
    for (std::size_t first = 0, last = 0; first < ended.size(); first = last) {
        while (last < ended.size() && ended[last].a == ended[first].a) ++last;
        const std::uint32_t a = proxy_bodies[ended[first].a];
        if (a == null_index) continue;  // removed: its pairs went with it
        const bool walks = last - first >= many;
        if (walks) {
            pair_with_.resize(std::max<std::size_t>(pair_with_.size(), bodies.slot_count()), null_index);
            for_each_pair(contacts, bodies, a,
                          [&](std::uint32_t p) { pair_with_[other_body(contacts.pairs[p], a)] = p; });
        }
        // The entry of a body that is not in the list of `a` comes from an earlier walk.
        const auto is_pair = [&](std::uint32_t p, std::uint32_t b) {
            if (p >= contacts.pairs.size() || !contacts.pairs[p].in_use) return false;
            const std::uint32_t* const body = contacts.pairs[p].body;
            return (body[0] == a && body[1] == b) || (body[0] == b && body[1] == a);
        };
        for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t b = proxy_bodies[ended[i].b];
            if (b == null_index) continue;
            const std::uint32_t p = walks ? pair_with_[b] : contacts.find_pair(bodies, a, b);
            if (walks ? is_pair(p, b) : p != null_index) drop(in, p, ContactEvents::When::now);
        }
    }
}

void BodyPairs::update_compounds(const Input& in) {
    compounds_.update(in.world, in.mesh_contacts, in.events, in.awake);
}

void BodyPairs::begin(const Input& in, std::uint32_t a, std::uint32_t b) {
    BodyStore& bodies = in.world.bodies;
    ContactTable& contacts = in.world.contacts;
    const Body &body_a = bodies[a], &body_b = bodies[b];
    if (!body_a.is_dynamic() && !body_b.is_dynamic()) return;
    const std::uint32_t p = contacts.begin_pair(bodies, a, b);
    contacts.pairs[p].collision_disabled = in.joints.disables_collision(a, b);
    if (!contacts.pairs[p].collision_disabled) expect_contacts(in, p);
}

/// Makes a pair without contacts far. If no pair may be far, gives it its contacts at once.
void BodyPairs::expect_contacts(const Input& in, std::uint32_t p) {
    if (in.enable_skip) {
        in.world.contacts.set_far(p, true);
    } else {
        begin_contacts(in, p);
    }
}

/// Gives far pairs of awake bodies their contacts if they are near now. The profile counts the others as skipped. If
/// skipping is switched off, all far pairs get their contacts.
void BodyPairs::begin_near_contacts(const Input& in, const Jobs& jobs, FrameProfile& profile) {
    ContactTable& contacts = in.world.contacts;
    constexpr std::size_t least_pairs = 512;
    const bool few = are_few_awake(in.awake, in.world.bodies);
    const std::size_t count = contacts.far.size();
    const auto tasks = few ? std::size_t{1} : static_cast<std::size_t>(jobs.tasks_for(count, least_pairs));
    if (near_tasks_.size() < tasks) near_tasks_.resize(tasks);
    const auto ask = [&](NearTask& task, std::uint32_t p) {
        if (in.enable_skip && are_far(in, contacts.far[p])) {
            ++task.far;
        } else {
            task.near.push_back(p);
        }
    };
    jobs.for_each_part(count, tasks, [&](std::size_t k, std::size_t first, std::size_t last) {
        NearTask& task = near_tasks_[k];
        task.near.clear();
        task.far = 0;
        if (few) {
            for_each_awake_pair(contacts, in.world.bodies, in.awake, [&](std::uint32_t p) {
                if (contacts.far[p].a != null_index) ask(task, p);
            });
            std::sort(task.near.begin(), task.near.end());
            return;
        }
        for (std::size_t p = first; p < last; ++p) {
            const ContactBodies& pair = contacts.far[p];
            if (pair.a == null_index || !(in.awake.contains(pair.a) || in.awake.contains(pair.b))) continue;
            ask(task, static_cast<std::uint32_t>(p));
        }
    });
    for (std::size_t k = 0; k < tasks; ++k) {
        if (profiling_compiled_in)
            profile.narrowphase.pairs[static_cast<std::size_t>(Rung::skip)] += near_tasks_[k].far;
        for (const std::uint32_t p : near_tasks_[k].near) {
            contacts.set_far(p, false);
            begin_contacts(in, p);
        }
    }
}

/// Removes contacts of pairs that are far again: of a sixteenth of all contacts per step.
void BodyPairs::end_far_contacts(const Input& in, std::uint64_t frame) {
    ContactTable& contacts = in.world.contacts;
    if (!in.enable_skip || are_few_awake(in.awake, in.world.bodies)) return;
    constexpr std::uint32_t share = 16;
    for (auto c = static_cast<std::uint32_t>(frame % share); c < contacts.bodies.size(); c += share) {
        const ContactBodies& pair = contacts.bodies[c];
        if (pair.a == null_index || contacts.records[c].state != PairState::separated || !are_far(in, pair)) continue;
        const ContactState& state = contacts.states[c];
        const std::uint32_t p = state.pair;
        if (state.touching || state.modified || contacts.pairs[p].compound) continue;
        in.world.remove_contact(c);
        contacts.set_far(p, true);
    }
}

void BodyPairs::begin_contacts(const Input& in, std::uint32_t p) {
    const BodyStore& bodies = in.world.bodies;
    const ContactTable& contacts = in.world.contacts;
    const ShapePool& shapes = in.world.shapes;
    const std::uint32_t a = contacts.pairs[p].body[0], b = contacts.pairs[p].body[1];
    const Body &body_a = bodies[a], &body_b = bodies[b];
    const bool is_simple = body_a.shape_count == 1 && body_b.shape_count == 1 &&
                           !shapes.defs[body_a.first_shape].mesh && !shapes.defs[body_b.first_shape].mesh;
    if (is_simple) {
        if (in.world.view().may_touch(body_a.first_shape, body_b.first_shape))
            in.world.add_contact(p, body_a.first_shape, a, body_b.first_shape, b);
    } else {
        compounds_.begin(in.world, in.mesh_contacts, in.events, p);
    }
}

void BodyPairs::update_collision_of(const Input& in, std::uint32_t a, std::uint32_t b) {
    ContactTable& contacts = in.world.contacts;
    if (a == null_index || b == null_index) return;
    const std::uint32_t p = contacts.find_pair(in.world.bodies, a, b);
    if (p == null_index) return;
    Pair& pair = contacts.pairs[p];
    if (pair.collision_disabled == in.joints.disables_collision(a, b)) return;
    pair.collision_disabled = !pair.collision_disabled;
    if (!pair.collision_disabled) {
        expect_contacts(in, p);
        return;
    }
    contacts.set_far(p, false);
    end_contacts(in, p, ContactEvents::When::if_changed);  // the joint may be removed again before the next step
}

void BodyPairs::end_contacts(const Input& in, std::uint32_t p, ContactEvents::When when) {
    ContactTable& contacts = in.world.contacts;
    contacts.pairs[p].compared = false;
    for_each_mesh_contact(contacts, p, [&](std::uint32_t k) {
        if (contacts.mesh_contacts[k].touching) in.events.end(in.world.view().event_of_mesh_contact(k), when);
        contacts.mesh_contacts[k].touching = false;
        contacts.mesh_contacts[k].box = MeshContact{}.box;
        contacts.mesh_contacts[k].reach = -1.0f;
    });
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].touching && contacts.states[c].mesh_contact == null_index)
            in.events.end(in.world.view().event_of(c), when);
        in.world.remove_contact(c);
    });
}

void BodyPairs::drop(const Input& in, std::uint32_t p, ContactEvents::When when) {
    end_contacts(in, p, when);
    in.world.contacts.end_pair(in.world.bodies, p);
}

void BodyPairs::drop_all_of(const Input& in, std::uint32_t body, ContactEvents::When when) {
    for_each_pair(in.world.contacts, in.world.bodies, body, [&](std::uint32_t p) { drop(in, p, when); });
}

std::size_t BodyPairs::bytes() const {
    std::size_t sum = compounds_.bytes() + pair_with_.capacity() * sizeof(std::uint32_t);
    for (const NearTask& task : near_tasks_) sum += sizeof task + task.near.capacity() * sizeof(std::uint32_t);
    return sum;
}

}  // namespace talus
