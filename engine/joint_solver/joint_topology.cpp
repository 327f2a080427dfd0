#include "engine/joint_solver/joint_topology.h"

#include <algorithm>
#include <set>
#include <span>

namespace talus {

namespace {

/// A body with more joints than this is a hub.
constexpr std::size_t hub_degree = 12;

/// Returns the largest number of rows that a joint may have, whatever the user switches on later.
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
    if (joint.kind == JointKind::ball) count += 5;      // a cone or two locks in place of it, and a drive
    if (joint.kind == JointKind::distance) count += 4;  // if its length is 0
    if (joint.kind == JointKind::motor) count += 6;
    if (joint.kind == JointKind::gear) count = 1;
    return count;
}

/// Builds one articulation from the slots of its joints, gears last.
class ArticulationBuilder {
public:
    ArticulationBuilder(Articulations& s, const JointStore& joints, const BodyStore& bodies,
                        std::vector<std::uint32_t>& joint_of_slot)
        : s_(s), joints_(joints), bodies_(bodies), joint_of_slot_(joint_of_slot) {}

    void build(std::span<const std::uint32_t> slots) {
        a_.first_joint = static_cast<std::uint32_t>(s_.joints.size());
        a_.first_link = static_cast<std::uint32_t>(s_.links.size());
        a_.first_coupling = static_cast<std::uint32_t>(s_.couplings.size());
        a_.first_hub = static_cast<std::uint32_t>(s_.hub_couplings.size());
        if (!add_links(slots)) return;
        for (const std::uint32_t slot : slots) add_joint(slot);
        a_.joint_count = static_cast<std::uint32_t>(s_.joints.size()) - a_.first_joint;
        // A tree has one joint fewer than bodies. All bodies that no joint moves count as one body.
        a_.looped = a_.joint_count > dynamic_count_ - (dynamic_count_ == a_.link_count ? 1u : 0u);
        add_couplings();
        add_matrix();
        s_.articulation_of_link.resize(s_.links.size(), static_cast<std::uint32_t>(s_.articulations.size()));
        for (std::uint32_t l = a_.first_link; l < s_.links.size(); ++l) {
            if (s_.links[l].dynamic) s_.link_of_slot[s_.links[l].slot] = l;
        }
        s_.articulations.push_back(a_);
    }

private:
    /// A joint that acts on a link, and the side of the joint on which it does.
    struct Use {
        std::uint32_t joint;
        std::uint8_t side;
    };

    /// Adds the bodies of the joints, by slot, so that their order does not depend on the order of the joints. Returns
    /// false if none is dynamic, because all have become fixed or kinematic.
    bool add_links(std::span<const std::uint32_t> slots) {
        for (const std::uint32_t slot : slots) {
            // A gear has only bodies of the joints that it connects. If one of these is not in this articulation, the
            // gear is left out (find_geared_joints), and that joint's bodies must not become links without joints.
            if (joints_[slot].kind == JointKind::gear) continue;
            const JointBodies pair = joints_.bodies(slot);
            members_.push_back(pair.a);
            members_.push_back(pair.b);
        }
        std::sort(members_.begin(), members_.end());
        members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
        for (const std::uint32_t slot : members_) {
            Link link;
            link.slot = slot;
            link.dynamic = bodies_[slot].is_dynamic();
            if (link.dynamic) ++dynamic_count_;
            s_.links.push_back(link);
        }
        a_.link_count = static_cast<std::uint32_t>(members_.size());
        uses_.resize(members_.size());
        if (dynamic_count_ == 0) s_.links.resize(a_.first_link);
        return dynamic_count_ != 0;
    }

    std::uint32_t link_of(std::uint32_t body) const {
        const auto found = std::lower_bound(members_.begin(), members_.end(), body);
        return a_.first_link + static_cast<std::uint32_t>(found - members_.begin());
    }

    void add_joint(std::uint32_t slot) {
        const Joint& def = joints_[slot];
        SolverJoint joint;
        joint.slot = slot;
        joint.kind = def.kind;
        if (def.kind == JointKind::gear) {
            if (!find_geared_joints(def, joint)) return;
        } else {
            const JointBodies pair = joints_.bodies(slot);
            joint.link[0] = link_of(pair.a);
            joint.link[1] = link_of(pair.b);
        }
        const auto index = static_cast<std::uint32_t>(s_.joints.size());
        for (std::uint8_t side = 0; side < joint.side_count; ++side) {
            if (s_.links[joint.link[side]].dynamic) uses_[joint.link[side] - a_.first_link].push_back({index, side});
        }
        joint_of_slot_[slot] = index;
        s_.joints.push_back(joint);
        nodes_.push_back({.capacity = row_capacity(def)});
    }

    /// Finds the joints of a gear. They are in this articulation, because the gear shares a dynamic body with each,
    /// unless bodies have become fixed since it was added; then it returns false.
    bool find_geared_joints(const Joint& def, SolverJoint& gear) const {
        gear.side_count = 4;
        for (std::uint32_t i = 0; i < 2; ++i) {
            const std::uint32_t geared = joint_of_slot_[def.geared[i]];
            if (geared == null_index || geared < a_.first_joint) return false;
            gear.geared[i] = geared;
            gear.link[2 * i] = s_.joints[geared].link[0];
            gear.link[2 * i + 1] = s_.joints[geared].link[1];
        }
        return true;
    }

    /// Couples each two joints that share a dynamic link, and the joints of a hub with the hub.
    void add_couplings() {
        std::vector<std::uint32_t> hub_sides(a_.joint_count, 0);
        for (std::uint32_t l = 0; l < a_.link_count; ++l) {
            if (uses_[l].size() > hub_degree) {
                add_hub(l, hub_sides);
            } else {
                couple(uses_[l]);
            }
        }
        a_.coupling_count = static_cast<std::uint32_t>(s_.couplings.size()) - a_.first_coupling;
        a_.hub_count = static_cast<std::uint32_t>(s_.hub_couplings.size()) - a_.first_hub;
        // A joint that moves only hubs has an empty block until they are eliminated.
        for (std::uint32_t i = 0; i < a_.joint_count; ++i) {
            const SolverJoint& joint = s_.joints[a_.first_joint + i];
            std::uint32_t moved = 0;
            for (std::uint32_t side = 0; side < joint.side_count; ++side)
                moved += s_.links[joint.link[side]].dynamic ? 1u : 0u;
            if (moved == hub_sides[i]) nodes_[i].phase = 2;
        }
    }

    void add_hub(std::uint32_t l, std::vector<std::uint32_t>& hub_sides) {
        const auto node = static_cast<std::uint32_t>(nodes_.size());
        s_.links[a_.first_link + l].node = node;
        nodes_.push_back({.capacity = 6, .phase = 1});
        for (const Use& use : uses_[l]) {
            ++hub_sides[use.joint - a_.first_joint];
            hub_edges_.push_back({use.joint - a_.first_joint, node});
            s_.hub_couplings.push_back({use.joint, use.side, {}});
        }
    }

    void couple(std::span<const Use> uses) {
        for (std::size_t i = 0; i < uses.size(); ++i) {
            for (std::size_t k = i + 1; k < uses.size(); ++k) {
                if (uses[i].joint == uses[k].joint) continue;  // a gear whose two joints share the link
                edges_.push_back({uses[i].joint - a_.first_joint, uses[k].joint - a_.first_joint});
                s_.couplings.push_back({.row = uses[i].joint,
                                        .column = uses[k].joint,
                                        .row_side = uses[i].side,
                                        .column_side = uses[k].side});
            }
        }
    }

    /// Adds the articulation's matrix, and finds where the couplings are in it.
    void add_matrix() {
        edges_.insert(edges_.end(), hub_edges_.begin(), hub_edges_.end());
        std::vector<BlockLdl::Place> places;
        s_.matrix.add_system(nodes_, edges_, places);
        const std::uint32_t first_node = s_.matrix.first_node(static_cast<std::uint32_t>(s_.articulations.size()));
        for (std::uint32_t i = 0; i < a_.joint_count; ++i) s_.joints[a_.first_joint + i].node = first_node + i;
        for (Link& link : s_.links_of(a_)) {
            if (link.node == null_index) continue;
            link.node += first_node;
            s_.matrix.set_size(link.node, 6);
        }
        std::set<std::uint32_t> filled;
        for (std::uint32_t i = 0; i < a_.coupling_count; ++i) {
            JointCoupling& c = s_.couplings[a_.first_coupling + i];
            c.place = places[i].offset;
            if (s_.joints[c.row].node != places[i].row) {
                std::swap(c.row, c.column);
                std::swap(c.row_side, c.column_side);
            }
            c.adds = !filled.insert(c.place).second;
        }
        for (std::uint32_t i = 0; i < a_.hub_count; ++i)
            s_.hub_couplings[a_.first_hub + i].place = places[a_.coupling_count + i];
    }

    Articulations& s_;
    const JointStore& joints_;
    const BodyStore& bodies_;
    std::vector<std::uint32_t>& joint_of_slot_;
    Articulation a_;
    std::vector<std::uint32_t> members_;  ///< body slots of the links, ascending
    std::uint32_t dynamic_count_ = 0;
    std::vector<std::vector<Use>> uses_;  ///< by link, if it is dynamic
    std::vector<BlockLdl::NodeDef> nodes_;
    std::vector<BlockLdl::Edge> edges_, hub_edges_;
};

}  // namespace

bool JointTopology::has_changed(const JointStore& joints, const BodyStore& bodies) const {
    if (!built_ || version_ != joints.version()) return true;
    for (std::uint32_t j = 0; j < ends_of_slot_.size(); ++j) {
        if (ends_of_slot_[j] != ends_of(joints.bodies(j), bodies)) return true;
    }
    return false;
}

std::uint8_t JointTopology::ends_of(const JointBodies& pair, const BodyStore& bodies) {
    const auto is_dynamic = [&](std::uint32_t slot) { return slot != null_index && bodies[slot].is_dynamic(); };
    return static_cast<std::uint8_t>(is_dynamic(pair.a) | is_dynamic(pair.b) << 1);
}

void JointTopology::build(Articulations& s, const JointStore& joints, const BodyStore& bodies) {
    version_ = joints.version();
    built_ = true;
    s.articulations.clear();
    s.joints.clear();
    s.links.clear();
    s.couplings.clear();
    s.hub_couplings.clear();
    s.matrix.clear();
    joint_of_slot_.assign(joints.slot_count(), null_index);
    ends_of_slot_.resize(joints.slot_count());
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) ends_of_slot_[j] = ends_of(joints.bodies(j), bodies);
    s.link_of_slot.assign(bodies.slot_count(), null_index);
    s.articulation_of_link.clear();

    // Joints that are connected by dynamic bodies, breadth first from the lowest slot.
    std::vector<std::uint8_t> seen(joints.slot_count(), 0);
    std::vector<std::uint32_t> component;
    for (std::uint32_t start = 0; start < joints.slot_count(); ++start) {
        if (!joints[start].in_use || seen[start]) continue;
        component.assign(1, start);
        seen[start] = 1;
        for (std::size_t i = 0; i < component.size(); ++i) {
            const JointBodies pair = joints.bodies(component[i]);
            for (const std::uint32_t body : {pair.a, pair.b}) {
                if (body == null_index || !bodies[body].is_dynamic()) continue;
                joints.for_each(body, [&](std::uint32_t j, std::uint32_t) {
                    if (seen[j]) return;
                    seen[j] = 1;
                    component.push_back(j);
                });
            }
        }
        // Gears come last, because they read the joints that they connect.
        std::sort(component.begin(), component.end());
        std::stable_partition(component.begin(), component.end(),
                              [&](std::uint32_t j) { return joints[j].kind != JointKind::gear; });
        ArticulationBuilder(s, joints, bodies, joint_of_slot_).build(component);
    }
}

}  // namespace talus
