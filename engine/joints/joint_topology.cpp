/// Which joints hang together, and the pattern of their matrix: made anew when joints come and go.

#include "engine/joint_solver/joint_solver.h"

#include <algorithm>
#include <set>

namespace talus {

namespace {

/// How many joints a body may have before it counts as a hub.
constexpr std::size_t hub_degree = 12;

/// Rows a joint may have at most, whatever is switched on later.
std::uint32_t row_capacity(const Joint& joint) {
    std::uint32_t count = 0;
    for (int i = 0; i < joint_axes; ++i) {
        const AxisDef& axis = joint.axes[static_cast<std::size_t>(i)];
        const bool is_free =
            axis.limit.lower == -unlimited && axis.limit.upper == unlimited && axis.spring.hertz == 0.0f;
        if (joint.settable >> i & 1u) {
            count += 3;
        } else if (!is_free) {
            ++count;
        }
    }
    if (joint.kind == JointKind::ball) count += 5;      // cone, or two locks in its place; drive
    if (joint.kind == JointKind::distance) count += 4;  // of no length
    if (joint.kind == JointKind::motor) count += 6;
    if (joint.kind == JointKind::gear) count = 1;
    return count;
}

}  // namespace

bool JointSolver::topology_changed(const JointStore& joints, const BodyStore& bodies) const {
    if (!built_ || version_ != joints.version()) return true;
    for (const Link& link : links_) {
        if (link.dynamic != bodies[link.slot].is_dynamic()) return true;
    }
    return false;
}

void JointSolver::build_topology(const JointStore& joints, const BodyStore& bodies) {
    version_ = joints.version();
    built_ = true;
    articulations_.clear();
    runs_.clear();
    links_.clear();
    couplings_.clear();
    hub_couplings_.clear();
    ldl_.clear();
    run_of_.assign(joints.slot_count(), null_index);
    link_of_.assign(bodies.slot_count(), null_index);
    articulation_of_.clear();

    // Joints linked through dynamic bodies, breadth first from the lowest slot. Gears come last: they read the joints
    // that they tie.
    std::vector<std::uint8_t> seen(joints.slot_count(), 0);
    std::vector<std::uint32_t> component;
    for (std::uint32_t start = 0; start < joints.slot_count(); ++start) {
        if (!joints[start].in_use || seen[start]) continue;
        component.assign(1, start);
        seen[start] = 1;
        for (std::size_t i = 0; i < component.size(); ++i) {
            const JointBodies ends = joints.bodies(component[i]);
            for (const std::uint32_t body : {ends.a, ends.b}) {
                if (body == null_index || !bodies[body].is_dynamic()) continue;
                joints.for_each(body, [&](std::uint32_t j, std::uint32_t) {
                    if (seen[j]) return;
                    seen[j] = 1;
                    component.push_back(j);
                });
            }
        }
        std::sort(component.begin(), component.end());
        std::stable_partition(component.begin(), component.end(),
                              [&](std::uint32_t j) { return joints[j].kind != JointKind::gear; });
        add_articulation(joints, bodies, component);
    }
}

void JointSolver::add_articulation(const JointStore& joints, const BodyStore& bodies,
                                   std::span<const std::uint32_t> slots) {
    Articulation a;
    a.first_run = static_cast<std::uint32_t>(runs_.size());
    a.first_link = static_cast<std::uint32_t>(links_.size());
    a.first_coupling = static_cast<std::uint32_t>(couplings_.size());
    a.first_hub = static_cast<std::uint32_t>(hub_couplings_.size());

    // Links by slot, so that their order does not depend on how the joints were walked.
    std::vector<std::uint32_t> members;
    for (const std::uint32_t slot : slots) {
        const JointBodies ends = joints.bodies(slot);
        members.push_back(ends.a);
        if (ends.b != null_index) members.push_back(ends.b);
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::uint32_t dynamic_count = 0;
    for (const std::uint32_t slot : members) {
        Link link;
        link.slot = slot;
        link.dynamic = bodies[slot].is_dynamic();
        if (link.dynamic) ++dynamic_count;
        links_.push_back(link);
    }
    if (dynamic_count == 0) {  // all its bodies became fixed or kinematic
        links_.resize(a.first_link);
        return;
    }
    const auto link_of = [&](std::uint32_t body) {
        const auto found = std::lower_bound(members.begin(), members.end(), body);
        return a.first_link + static_cast<std::uint32_t>(found - members.begin());
    };

    struct Use {
        std::uint32_t run;
        std::uint8_t side;
    };
    std::vector<std::vector<Use>> uses(members.size());
    std::vector<BlockLdl::NodeDef> nodes;
    for (const std::uint32_t slot : slots) {
        const Joint& joint = joints[slot];
        Run run;
        run.slot = slot;
        run.kind = joint.kind;
        const auto index = static_cast<std::uint32_t>(runs_.size());
        if (joint.kind == JointKind::gear) {
            run.side_count = 4;
            const std::uint32_t tied[2] = {run_of_[joint.geared[0]], run_of_[joint.geared[1]]};
            // Both are here, as the gear shares a dynamic body with each, unless bodies have become fixed since.
            const auto here = [&](std::uint32_t r) { return r != null_index && r >= a.first_run; };
            if (!here(tied[0]) || !here(tied[1])) continue;
            for (std::uint32_t i = 0; i < 2; ++i) {
                run.geared[i] = tied[i];
                run.link[2 * i] = runs_[tied[i]].link[0];
                run.link[2 * i + 1] = runs_[tied[i]].link[1];
            }
        } else {
            const JointBodies ends = joints.bodies(slot);
            run.link[0] = link_of(ends.a);
            run.link[1] = link_of(ends.b);
        }
        for (std::uint8_t side = 0; side < run.side_count; ++side) {
            if (links_[run.link[side]].dynamic) uses[run.link[side] - a.first_link].push_back({index, side});
        }
        run_of_[slot] = index;
        runs_.push_back(run);
        nodes.push_back({.capacity = row_capacity(joint)});
    }
    a.run_count = static_cast<std::uint32_t>(runs_.size()) - a.first_run;
    a.link_count = static_cast<std::uint32_t>(members.size());
    // A tree has one joint for each body but one, all bodies that no joint moves being one.
    a.looped = a.run_count > dynamic_count - (dynamic_count == a.link_count ? 1u : 0u);

    std::vector<BlockLdl::Edge> edges, hub_edges;
    std::vector<std::uint32_t> hub_ends(a.run_count, 0);
    for (std::uint32_t l = 0; l < a.link_count; ++l) {
        const auto& list = uses[l];
        if (list.size() > hub_degree) {
            const auto node = static_cast<std::uint32_t>(nodes.size());
            links_[a.first_link + l].node = node;
            nodes.push_back({.capacity = 6, .phase = 1});
            for (const Use& use : list) {
                ++hub_ends[use.run - a.first_run];
                hub_edges.push_back({use.run - a.first_run, node});
                hub_couplings_.push_back({use.run, use.side, {}});
            }
            continue;
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t k = i + 1; k < list.size(); ++k) {
                if (list[i].run == list[k].run) continue;  // a gear whose two joints share the body
                edges.push_back({list[i].run - a.first_run, list[k].run - a.first_run});
                couplings_.push_back(
                    {.row = list[i].run, .column = list[k].run, .row_side = list[i].side, .column_side = list[k].side});
            }
        }
    }
    // A joint that moves nothing but hubs has nothing in its block until they are eliminated.
    for (std::uint32_t i = 0; i < a.run_count; ++i) {
        const Run& run = runs_[a.first_run + i];
        std::uint32_t moved = 0;
        for (std::uint32_t side = 0; side < run.side_count; ++side) moved += links_[run.link[side]].dynamic ? 1u : 0u;
        if (moved == hub_ends[i]) nodes[i].phase = 2;
    }
    a.coupling_count = static_cast<std::uint32_t>(couplings_.size()) - a.first_coupling;
    a.hub_count = static_cast<std::uint32_t>(hub_couplings_.size()) - a.first_hub;
    edges.insert(edges.end(), hub_edges.begin(), hub_edges.end());
    std::vector<BlockLdl::Place> places;
    ldl_.add_system(nodes, edges, places);
    const std::uint32_t first_node = ldl_.first_node(static_cast<std::uint32_t>(articulations_.size()));
    for (std::uint32_t i = 0; i < a.run_count; ++i) runs_[a.first_run + i].node = first_node + i;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        if (links_[l].node == null_index) continue;
        links_[l].node += first_node;
        ldl_.set_size(links_[l].node, 6);
    }
    std::set<std::uint32_t> filled;
    for (std::uint32_t i = 0; i < a.coupling_count; ++i) {
        JointCoupling& c = couplings_[a.first_coupling + i];
        c.place = places[i].offset;
        if (runs_[c.row].node != places[i].row) {
            std::swap(c.row, c.column);
            std::swap(c.row_side, c.column_side);
        }
        c.adds = !filled.insert(c.place).second;
    }
    for (std::uint32_t i = 0; i < a.hub_count; ++i)
        hub_couplings_[a.first_hub + i].place = places[a.coupling_count + i];
    articulation_of_.resize(links_.size(), static_cast<std::uint32_t>(articulations_.size()));
    for (std::uint32_t l = a.first_link; l < links_.size(); ++l) {
        if (links_[l].dynamic) link_of_[links_[l].slot] = l;
    }
    articulations_.push_back(a);
}

}  // namespace talus
