#include "engine/stiff_groups/support_loads.h"

#include "engine/settings.h"

#include <algorithm>

namespace talus {

namespace {

double lighter_of(const StiffGroup& group, const GroupCandidate& c) {
    const double a = group.bodies[c.a != null_index ? c.a : c.b].mass,
                 b = group.bodies[c.b != null_index ? c.b : c.a].mass;
    return std::min(a, b);
}

}  // namespace

bool SupportLoads::is_stiff(StiffGroup& group) {
    make_room(group);
    find_parts(group);
    list_contacts(group);
    find_levels(group);
    const bool is_heavy = bears_much(group);
    const bool is_struck = std::any_of(group.candidates.begin(), group.candidates.end(),
                                       [](const GroupCandidate& c) { return c.crushes; });
    if (!is_heavy && !is_struck) return false;
    mark_loaded(group, is_heavy);
    drop_idle(group);
    return !group.candidates.empty();
}

/// Reserves twice as much memory as needed, so that a steady step in which contacts come and go allocates nothing.
void SupportLoads::make_room(const StiffGroup& group) {
    const std::size_t count = group.bodies.size();
    const auto reserve = [](auto& vector, std::size_t size) {
        if (vector.capacity() < size) vector.reserve(2 * size);
    };
    for (auto* vector : {&first_of_, &contact_of_, &level_, &queue_})
        reserve(*vector, count + 2 * group.candidates.size() + 1);
    reserve(borne_, count);
}

void SupportLoads::find_parts(const StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    part_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) part_[i] = i;
    jointed_.assign(count, 0);
    if (group.joint_edges.empty()) return;
    const auto first_of = [&](std::uint32_t i) {
        while (part_[i] != i) i = part_[i] = part_[part_[i]];
        return i;
    };
    for (const JointEdge& joint : group.joint_edges) {
        const std::uint32_t a = first_of(joint.a), b = first_of(joint.b);
        part_[std::max(a, b)] = std::min(a, b);
    }
    for (std::uint32_t i = 0; i < count; ++i) part_[i] = first_of(i);
    for (const JointEdge& joint : group.joint_edges) jointed_[part_[joint.a]] = 1;
}

void SupportLoads::list_contacts(const StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    first_of_.assign(count + 1, 0);
    for (const GroupCandidate& c : group.candidates) {
        if (is_inside_part(c)) continue;
        if (c.a != null_index) ++first_of_[part_[c.a] + 1];
        if (c.b != null_index) ++first_of_[part_[c.b] + 1];
    }
    for (std::uint32_t i = 0; i < count; ++i) first_of_[i + 1] += first_of_[i];
    contact_of_.resize(first_of_[count]);
    queue_.assign(first_of_.begin(), first_of_.end() - 1);  // the place of the next contact of each part
    for (std::uint32_t k = 0; k < group.candidates.size(); ++k) {
        const GroupCandidate& c = group.candidates[k];
        if (is_inside_part(c)) continue;
        if (c.a != null_index) contact_of_[queue_[part_[c.a]]++] = k;
        if (c.b != null_index) contact_of_[queue_[part_[c.b]]++] = k;
    }
}

/// Finds the level and the reach of all parts.
void SupportLoads::find_levels(const StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    level_.assign(count, null_index);
    reach_.resize(count);
    queue_.clear();
    next_in_queue_ = 0;
    arrivals_.clear();
    for (const GroupCandidate& c : group.candidates) {
        if (c.a == null_index || c.b == null_index) place_over(c, part_[c.a != null_index ? c.a : c.b], 0.0f, 1);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (group.bodies[i].held_by_locks) place(part_[i], 0.0f, 1);
    }
    climb(group);
    // A joint to an immovable body may carry a load or be slack, so only parts without another support hang on it.
    for (std::uint32_t i = 0; i < count; ++i) {
        if (group.bodies[i].anchored) place(part_[i], 0.0f, 1);
    }
    if (queue_.empty()) place(part_[0], 0.0f, 1);  // the island floats: its first body counts as the support
    climb(group);
}

/// Gives a part its level, unless it already has one.
void SupportLoads::place(std::uint32_t part, float reach, std::uint32_t level) {
    if (level_[part] != null_index) return;
    level_[part] = level;
    reach_[part] = reach;
    queue_.push_back(part);
}

namespace {

constexpr auto is_farther = [](const auto& x, const auto& y) { return x.reach > y.reach; };

}  // namespace

/// Places the part above a contact. If the contact has a gap, the part waits for its turn in the heap.
void SupportLoads::place_over(const GroupCandidate& c, std::uint32_t part, float reach, std::uint32_t level) {
    if (c.gap == 0.0f) return place(part, reach, level);
    arrivals_.push_back({reach + c.gap, part, level});
    std::push_heap(arrivals_.begin(), arrivals_.end(), is_farther);
}

/// Places all parts that stand on placed ones, the nearest first.
void SupportLoads::climb(const StiffGroup& group) {
    for (;;) {
        for (; next_in_queue_ < queue_.size(); ++next_in_queue_) {
            const std::uint32_t part = queue_[next_in_queue_];
            for (std::uint32_t i = first_of_[part]; i < first_of_[part + 1]; ++i) {
                const GroupCandidate& c = group.candidates[contact_of_[i]];
                const std::uint32_t above = other_part(c, part);
                if (above != null_index && level_[above] == null_index)
                    place_over(c, above, reach_[part], level_[part] + 1);
            }
        }
        if (arrivals_.empty()) return;
        // Parts that land at about the same time land together, for example the legs of a table.
        const float reach = arrivals_.front().reach;
        while (!arrivals_.empty() && arrivals_.front().reach <= reach + settings::linear_slop) {
            std::pop_heap(arrivals_.begin(), arrivals_.end(), is_farther);
            place(arrivals_.back().part, reach, arrivals_.back().level);
            arrivals_.pop_back();
        }
    }
}

/// Visits the contacts by which a part stands on parts that are nearer to something immovable: calls visit(contact,
/// part below or null_index).
template <class Visit>
void SupportLoads::for_each_support(StiffGroup& group, std::uint32_t part, Visit&& visit) {
    for (std::uint32_t i = first_of_[part]; i < first_of_[part + 1]; ++i) {
        GroupCandidate& c = group.candidates[contact_of_[i]];
        const std::uint32_t below = other_part(c, part);
        const float reach = below == null_index ? 0.0f : reach_[below];
        const std::uint32_t level = below == null_index ? 0 : level_[below];
        if (reach < reach_[part] || (reach == reach_[part] && level + 1 == level_[part])) visit(c, below);
    }
}

/// Passes the loads down, from the highest part on. Returns whether the load on a contact is large enough to make the
/// group stiff.
bool SupportLoads::bears_much(StiffGroup& group) {
    const auto count = static_cast<std::uint32_t>(group.bodies.size());
    borne_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) borne_[i] = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) borne_[part_[i]] += group.bodies[i].mass;
    double most = 0.0, most_jointed = 0.0;
    for (std::size_t next = queue_.size(); next-- > 0;) {
        const std::uint32_t part = queue_[next];
        int supports = 0;
        for_each_support(group, part, [&](GroupCandidate&, std::uint32_t) { ++supports; });
        if (supports == 0) continue;  // the first body of a floating island
        const double share = borne_[part] / supports;
        for_each_support(group, part, [&](GroupCandidate& c, std::uint32_t below) {
            c.borne += share;
            if (below != null_index) borne_[below] += share;
            const bool jointed = jointed_[part] != 0 || (below != null_index && jointed_[below] != 0);
            if (jointed && below == null_index) return;  // the joint solver solves these (contact_groups.h)
            double& largest = jointed ? most_jointed : most;
            largest = std::max(largest,
                               (group.by_levels ? share : group.bodies[part].mass / supports) / lighter_of(group, c));
        });
    }
    std::uint32_t levels = 0;
    for (const std::uint32_t part : queue_) levels = std::max(levels, level_[part]);
    const bool slender = static_cast<float>(count) <= settings::stiff_width * static_cast<float>(levels);
    const double least =
        static_cast<double>(slender && group.by_levels ? settings::stiff_load : settings::stiff_load_wide);
    return most >= least || most_jointed >= static_cast<double>(settings::stiff_load_wide);
}

/// Marks the contacts that the group needs. An impact needs only the contacts below it. A standing load needs all
/// contacts, because a wall can give way sideways.
void SupportLoads::mark_loaded(StiffGroup& group, bool is_heavy) {
    loaded_.assign(group.bodies.size(), is_heavy ? 1 : 0);
    for (std::size_t next = queue_.size(); next-- > 0;) {
        const std::uint32_t part = queue_[next];
        bool loaded = loaded_[part] != 0;
        for_each_support(group, part, [&](GroupCandidate& c, std::uint32_t) { loaded = loaded || c.crushes; });
        if (!loaded) continue;
        for_each_support(group, part, [&](GroupCandidate& c, std::uint32_t below) {
            c.loaded = true;
            if (below != null_index) loaded_[below] = 1;
        });
    }
}

/// Leaves contacts between bodies of one level to the contact solver, because they carry no load. Such contacts begin
/// and end all the time, for example between towers that stand side by side, and each time the set of active rows
/// changes.
void SupportLoads::drop_idle(StiffGroup& group) {
    // Contacts of jointed bodies stay, because joints transmit their loads, and the joint solver leaves them to the
    // group.
    const auto is_jointed = [&](std::uint32_t body) { return body != null_index && jointed_[part_[body]] != 0; };
    std::erase_if(group.candidates,
                  [&](const GroupCandidate& c) { return !c.loaded && !is_jointed(c.a) && !is_jointed(c.b); });
    std::vector<std::uint32_t>& renumbered = level_;  // the levels are no longer needed
    renumbered.assign(group.bodies.size(), null_index);
    for (const JointEdge& joint : group.joint_edges) renumbered[joint.a] = renumbered[joint.b] = 0;
    for (GroupCandidate& c : group.candidates) {
        const double a = c.a != null_index ? group.bodies[c.a].mass : 0.0,
                     b = c.b != null_index ? group.bodies[c.b].mass : 0.0;
        c.borne = std::max(c.borne, std::max(a, b));
        if (c.a != null_index) renumbered[c.a] = 0;
        if (c.b != null_index) renumbered[c.b] = 0;
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < group.bodies.size(); ++i) {
        if (renumbered[i] == null_index) continue;
        group.bodies[count] = group.bodies[i];
        renumbered[i] = count++;
    }
    group.bodies.resize(count);
    for (GroupCandidate& c : group.candidates) {
        if (c.a != null_index) c.a = renumbered[c.a];
        if (c.b != null_index) c.b = renumbered[c.b];
    }
    for (JointEdge& joint : group.joint_edges) joint.a = renumbered[joint.a], joint.b = renumbered[joint.b];
}

std::size_t SupportLoads::bytes() const {
    return (part_.capacity() + first_of_.capacity() + contact_of_.capacity() + level_.capacity() + queue_.capacity()) *
               sizeof(std::uint32_t) +
           jointed_.capacity() + loaded_.capacity() + reach_.capacity() * sizeof(float) +
           arrivals_.capacity() * sizeof(Arrival) + borne_.capacity() * sizeof(double);
}

}  // namespace talus
