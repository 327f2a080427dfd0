#include "engine/joint_solver/batches/batch_layout.h"

#include <algorithm>

namespace talus {

namespace {

static_assert(joint_rows <= most_joint_rows);

bool fits(const JointRow& row) {
    const bool drives = row.axis == RowAxis::drive_translation || row.axis == RowAxis::drive_rotation;
    return row.group == 1 && !drives && row.axis != RowAxis::gear;
}

/// Writes numbers that are equal for two articulations if and only if these have the same layout.
void write_signature(const Articulations& s, const Articulation& a, std::vector<std::uint32_t>& out) {
    out.clear();
    out.push_back(a.link_count);
    for (const Link& link : s.links_of(a)) out.push_back(link.dynamic ? 1 : 0);
    for (const SolverJoint& joint : s.joints_of(a)) {
        out.push_back(joint.link[0] - a.first_link);
        out.push_back(joint.link[1] - a.first_link);
        out.push_back(static_cast<std::uint32_t>(joint.kind) | (joint.as_point ? 0x100u : 0u) | joint.row_count << 16);
        for (const JointRow& row : s.rows_of(joint)) {
            out.push_back(static_cast<std::uint32_t>(row.kind) | static_cast<std::uint32_t>(row.axis) << 8 |
                          static_cast<std::uint32_t>(row.number) << 16 | (is_bounded(row) ? 1u << 24 : 0u) |
                          (row.competing_limit != null_index ? 1u << 25 : 0u) | (joint.locks_swing ? 1u << 26 : 0u) |
                          (joint.locks_twist ? 1u << 27 : 0u));
        }
    }
}

/// Builds a layout from an articulation.
class LayoutBuilder {
public:
    LayoutBuilder(const Articulations& s, const Articulation& a, BatchLayout& layout) : s_(s), a_(a), layout_(layout) {}

    void build() {
        for (const Link& link : s_.links_of(a_)) layout_.dynamic.push_back(link.dynamic ? 1 : 0);
        for (const SolverJoint& joint : s_.joints_of(a_)) add_joint(joint);
        find_order();
        for (std::uint32_t j = 0; j < layout_.joints.size(); ++j) add_blocks(j);
        for (std::uint32_t j = 0; j < layout_.joints.size(); ++j) add_updates(j);
    }

private:
    void add_joint(const SolverJoint& joint) {
        BatchJointLayout out;
        for (int side = 0; side < 2; ++side) out.link[side] = joint.link[side] - a_.first_link;
        out.first_row = static_cast<std::uint32_t>(layout_.rows.size());
        out.row_count = joint.row_count;
        out.first_bounded = joint.first_bounded;
        out.is_distance = joint.kind == JointKind::distance;
        out.is_wheel = joint.kind == JointKind::wheel;
        out.is_ball = joint.kind == JointKind::ball;
        out.anchored = joint.anchored;
        out.locks_swing = joint.locks_swing;
        out.locks_twist = joint.locks_twist;
        out.axes = joint.parts.axes;
        out.twist = joint.next_parts.twist;
        out.swing = joint.parts.swing;
        out.counts = joint.parts.twist;
        out.diagonal = layout_.value_count;
        layout_.value_count += joint.row_count * joint.row_count;
        for (const JointRow& row : s_.rows_of(joint)) {
            if (row.competing_limit != null_index) layout_.rows.back().has_motor = true;
            layout_.rows.push_back({row.kind, row.axis, row.axis_index, row.number, row.competing_limit != null_index,
                                    false, layout_.record_count});
            if (row.axis != RowAxis::point) ++layout_.record_count;
            layout_.bounded = layout_.bounded || is_bounded(row);
            out.springs = out.springs || row.kind == RowKind::spring;
        }
        layout_.springs = layout_.springs || out.springs;
        layout_.joints.push_back(out);
    }

    /// Finds the order of elimination: from the leaves of the tree to its root, which is the body that cannot be
    /// pushed, if there is one.
    void find_order() {
        joints_of_link_.resize(layout_.dynamic.size());
        for (std::uint32_t j = 0; j < layout_.joints.size(); ++j) {
            for (const unsigned link : layout_.joints[j].link) joints_of_link_[link].push_back(j);
        }
        const auto immovable = std::find(layout_.dynamic.begin(), layout_.dynamic.end(), std::uint8_t{0});
        std::vector<std::uint32_t> reached;
        reached.push_back(
            immovable == layout_.dynamic.end() ? 0u : static_cast<std::uint32_t>(immovable - layout_.dynamic.begin()));
        parent_side_.assign(layout_.joints.size(), 2);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            for (const std::uint32_t j : joints_of_link_[reached[i]]) {
                if (parent_side_[j] != 2) continue;
                parent_side_[j] = layout_.joints[j].link[0] == reached[i] ? 0 : 1;
                reached.push_back(layout_.joints[j].link[1 - parent_side_[j]]);
                layout_.order.push_back(j);
            }
        }
        std::reverse(layout_.order.begin(), layout_.order.end());
        position_.resize(layout_.joints.size());
        for (std::uint32_t at = 0; at < layout_.order.size(); ++at) position_[layout_.order[at]] = at;
        for (std::vector<std::uint32_t>& joints : joints_of_link_) {
            std::sort(joints.begin(), joints.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return position_[x] < position_[y]; });
        }
    }

    /// Adds the blocks between a joint and the later ones that share its link on the side of the root.
    void add_blocks(std::uint32_t j) {
        BatchJointLayout& joint = layout_.joints[j];
        joint.first_block = static_cast<std::uint32_t>(layout_.blocks.size());
        const std::uint32_t side = parent_side_[j], link = joint.link[side];
        if (layout_.dynamic[link] == 0) return;
        for (const std::uint32_t later : joints_of_link_[link]) {
            if (position_[later] <= position_[j]) continue;
            const BatchJointLayout& other = layout_.joints[later];
            layout_.blocks.push_back({later, side, other.link[0] == link ? 0u : 1u, layout_.value_count});
            layout_.value_count += joint.row_count * other.row_count;
        }
        joint.block_count = static_cast<std::uint32_t>(layout_.blocks.size()) - joint.first_block;
    }

    /// Lists the blocks that the elimination of a joint changes: those between each two of its later neighbours.
    void add_updates(std::uint32_t j) {
        BatchJointLayout& joint = layout_.joints[j];
        joint.first_update = static_cast<std::uint32_t>(layout_.updates.size());
        const std::span<const BatchBlock> own = std::span(layout_.blocks).subspan(joint.first_block, joint.block_count);
        for (std::size_t k = 0; k < own.size(); ++k) {
            const BatchJointLayout& row = layout_.joints[own[k].joint];
            for (std::size_t l = k + 1; l < own.size(); ++l) {
                const BatchBlock* block = layout_.blocks.data() + row.first_block;
                while (block->joint != own[l].joint) ++block;
                layout_.updates.push_back(block->place);
            }
        }
    }

    const Articulations& s_;
    const Articulation& a_;
    BatchLayout& layout_;
    std::vector<std::vector<std::uint32_t>> joints_of_link_;
    std::vector<std::uint32_t> parent_side_;  ///< by joint: the side of the link that is nearer to the root
    std::vector<std::uint32_t> position_;     ///< by joint, in the order of elimination
};

}  // namespace

bool fits_into_batch(const Articulations& s, const Articulation& a) {
    if (a.redundant || a.hub_count != 0) return false;
    for (const SolverJoint& joint : s.joints_of(a)) {
        if (joint.side_count != 2) return false;
        for (const JointRow& row : s.rows_of(joint)) {
            if (!fits(row)) return false;
        }
    }
    return true;
}

bool is_awake(const Articulations& s, const Articulation& a) {
    const std::span<const Link> links = s.links_of(a);
    return std::none_of(links.begin(), links.end(), [](const Link& l) { return l.dynamic && l.solver == 0; });
}

const BatchLayout* layout_of(Articulations& s, const Articulation& a) {
    JointBatches& b = s.batches;
    write_signature(s, a, b.signature);
    const auto found = b.layouts.find(b.signature);
    if (found != b.layouts.end()) return found->second.get();
    auto layout = std::make_shared<BatchLayout>();
    layout->number = static_cast<std::uint32_t>(b.layouts.size());
    LayoutBuilder(s, a, *layout).build();
    return b.layouts.emplace(b.signature, std::move(layout)).first->second.get();
}

}  // namespace talus
