/// The matrix of a batch: what is made again after some rows have changed has the bits of what is made as a whole.

#define TALUS_LANES batch_matrix_test
#define TALUS_LANE_COUNT 4
#include "engine/joint_solver/batches/batch_matrix.h"

#include "samples/scenes/kit/random.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace talus::batch_matrix_test {

namespace {

using samples::Random;

/// A random tree of ball joints with three limits each. Joint j connects link j + 1 to an earlier link; joints are
/// eliminated from the last one to the first.
class RandomTree {
public:
    RandomTree(std::uint64_t seed, unsigned count) : random_(seed), links_(count + 1), joints_(count) {
        for (unsigned j = 0; j < joints_; ++j) parent_.push_back(static_cast<unsigned>(random_.below(j + 1)));
        for (unsigned j = 0; j < joints_; ++j) add_joint(j);
        for (unsigned j = 0; j < joints_; ++j) add_blocks(j);
        for (unsigned j = 0; j < joints_; ++j) add_updates(j);
        make_room();
        for (unsigned j = joints_; j-- > 0;) order_.push_back(j);
        for (unsigned l = 0; l < links_; ++l) links[l].inverse_mass = random_lanes(0.5, 2.0);
        for (unsigned j = 0; j < joints_; ++j) set_numbers(j);
    }

    /// Makes the limits of some joints active or not, in some lanes.
    void change_rows(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            Row& row = rows[random_.below(static_cast<std::uint32_t>(rows.size()))];
            row.free[random_.below(4)] = random_.unit() < 0.5f ? 0.0 : 1.0;
        }
    }

    JointBatchView view() {
        JointBatchView v{};
        v.layout = {dynamic_.data(),
                    joint_layouts_.data(),
                    row_layouts_.data(),
                    blocks_.data(),
                    updates_.data(),
                    order_.data(),
                    links_,
                    joints_,
                    static_cast<unsigned>(row_layouts_.size()),
                    true,
                    false};
        v.links = links.data();
        v.joints = joints.data();
        v.rows = rows.data();
        v.slacks = slacks.data();
        v.values = values.data();
        v.inverse_pivots = inverse_pivots.data();
        v.in_matrix = in_matrix.data();
        v.sizes = in_matrix.data() + joints_;
        v.numbers = numbers.data();
        v.masks = masks.data();
        v.members = members.data();
        return v;
    }

    std::vector<Link> links;
    std::vector<Joint> joints;
    std::vector<Row> rows;
    std::vector<D> slacks, values, inverse_pivots, numbers;
    std::vector<I> masks;
    std::vector<Members> members;
    std::vector<unsigned> in_matrix;

private:
    D random_lanes(double low, double high) {
        D lanes{};
        for (unsigned k = 0; k < lane_count; ++k) lanes[k] = low + (high - low) * static_cast<double>(random_.unit());
        return lanes;
    }
    V3 random_vector() { return {random_lanes(-1.0, 1.0), random_lanes(-1.0, 1.0), random_lanes(-1.0, 1.0)}; }

    void add_joint(unsigned j) {
        BatchJointLayout joint;
        joint.link[0] = parent_[j];
        joint.link[1] = j + 1;
        joint.first_row = static_cast<unsigned>(row_layouts_.size());
        joint.row_count = 6;
        joint.first_bounded = 3;
        joint.anchored = true;
        joint.diagonal = value_count_;
        value_count_ += 36;
        for (unsigned char i = 0; i < 6; ++i) {
            BatchRowLayout row;
            row.kind = i < 3 ? RowKind::lock : RowKind::limit;
            row.axis = i < 3 ? RowAxis::point : RowAxis::rotation;
            row.axis_index = i;
            row.record = static_cast<unsigned>(rows.size());
            if (i >= 3) rows.emplace_back();
            row_layouts_.push_back(row);
        }
        joint_layouts_.push_back(joint);
    }

    void add_blocks(unsigned j) {
        BatchJointLayout& joint = joint_layouts_[j];
        joint.first_block = static_cast<unsigned>(blocks_.size());
        for (unsigned later = j; later-- > 0;) {
            const bool sibling = parent_[later] == parent_[j], is_parent = later + 1 == parent_[j];
            if (!sibling && !is_parent) continue;
            blocks_.push_back({later, 0u, sibling ? 0u : 1u, value_count_});
            value_count_ += 36;
        }
        joint.block_count = static_cast<unsigned>(blocks_.size()) - joint.first_block;
    }

    void add_updates(unsigned j) {
        BatchJointLayout& joint = joint_layouts_[j];
        joint.first_update = static_cast<unsigned>(updates_.size());
        for (unsigned k = 0; k < joint.block_count; ++k) {
            const BatchJointLayout& row = joint_layouts_[blocks_[joint.first_block + k].joint];
            for (unsigned l = k + 1; l < joint.block_count; ++l) {
                const BatchBlock* block = blocks_.data() + row.first_block;
                while (block->joint != blocks_[joint.first_block + l].joint) ++block;
                updates_.push_back(block->place);
            }
        }
    }

    void make_room() {
        dynamic_.assign(links_, 1);
        links.resize(links_);
        joints.resize(joints_);
        members.resize(joints_);
        in_matrix.resize(2 * joints_);
        slacks.assign(row_layouts_.size(), splat(1e-9));
        inverse_pivots.resize(row_layouts_.size());
        masks.resize(row_layouts_.size());
        numbers.resize(batch_numbers * row_layouts_.size());
        values.resize(value_count_);
        inverse_inertia_.resize(links_);
    }

    void set_numbers(unsigned j) {
        for (unsigned side = 0; side < 2; ++side) {
            V3& response = inverse_inertia_[joint_layouts_[j].link[side]];
            if (!any(response.x > zero()))
                response = {random_lanes(0.5, 4.0), random_lanes(0.5, 4.0), random_lanes(0.5, 4.0)};
            const auto turn = [&](const V3& v) { return V3{response.x * v.x, response.y * v.y, response.z * v.z}; };
            const V3 lever = joints[j].lever[side] = random_vector();
            joints[j].point_response[side] = {turn({zero(), lever.z, -lever.y}), turn({-lever.z, zero(), lever.x}),
                                              turn({lever.y, -lever.x, zero()})};
            for (unsigned i = 3; i < 6; ++i) {
                Row& row = rows[row_layouts_[joint_layouts_[j].first_row + i].record];
                if (side == 0) row.axis = random_vector();
                row.turn_response[side] = turn(side == 0 ? -row.axis : row.axis);
            }
        }
    }

    Random random_;
    const unsigned links_, joints_;
    unsigned value_count_ = 0;
    std::vector<unsigned> parent_;
    std::vector<unsigned char> dynamic_;
    std::vector<BatchJointLayout> joint_layouts_;
    std::vector<BatchRowLayout> row_layouts_;
    std::vector<BatchBlock> blocks_;
    std::vector<unsigned> updates_, order_;
    std::vector<V3> inverse_inertia_;
};

/// Solves for the same right-hand sides, and returns the solutions.
std::vector<D> solved(const Batch& b) {
    for (unsigned r = 0; r < b.layout.row_count; ++r) b.right_sides[r] = splat(1.0 + r);
    solve_factored(b);
    std::vector<D> solutions;
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const D* const own = b.right_sides + b.layout.joints[j].first_row;
        solutions.insert(solutions.end(), own, own + b.view.sizes[j]);
    }
    return solutions;
}

}  // namespace

TEST_CASE("a matrix of a batch in which some rows have changed gets the bits of one that is made as a whole") {
    int made_again = 0, kept = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed + 1000);
        const unsigned joints = 1 + static_cast<unsigned>(random.below(20));
        RandomTree tree(seed, joints);
        tree.change_rows(4 * joints);
        JointBatchView view = tree.view();
        const Batch batch(view, JointPass::solve);
        factor(batch);
        for (int round = 0; round < 10; ++round) {
            tree.change_rows(static_cast<unsigned>(random.below(3)));
            factor(batch);
            for (unsigned j = 0; j < joints; ++j) (tree.members[j].stale ? made_again : kept)++;
            RandomTree copy = tree;
            JointBatchView whole_view = copy.view();
            const Batch whole(whole_view, JointPass::solve);
            factor(whole);
            REQUIRE(std::memcmp(tree.in_matrix.data(), copy.in_matrix.data(), 2 * joints * sizeof(unsigned)) == 0);
            const std::vector<D> x = solved(batch), y = solved(whole);
            REQUIRE(x.size() == y.size());
            REQUIRE(std::memcmp(x.data(), y.data(), x.size() * sizeof(D)) == 0);
        }
        // The next pass begins with the matrix of this one, and finds out what it holds.
        JointBatchView next_view = tree.view();
        next_view.factored = JointPass::solve;
        const Batch next(next_view, JointPass::solve);
        note_members(next);
        tree.change_rows(1);
        factor(next);
        RandomTree copy = tree;
        JointBatchView whole_view = copy.view();
        const Batch whole(whole_view, JointPass::solve);
        factor(whole);
        const std::vector<D> x = solved(next), y = solved(whole);
        REQUIRE(x.size() == y.size());
        REQUIRE(std::memcmp(x.data(), y.data(), x.size() * sizeof(D)) == 0);
    }
    CHECK(made_again > 1000);
    CHECK(kept > 1000);
}

}  // namespace talus::batch_matrix_test
