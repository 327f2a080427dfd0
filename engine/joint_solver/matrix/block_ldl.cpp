#include "engine/joint_solver/matrix/block_ldl.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace talus {

void BlockLdl::clear() {
    systems_.clear();
    nodes_.clear();
    blocks_.clear();
    fills_.clear();
    order_.clear();
    values_.clear();
    vectors_.clear();
    scratch_.clear();
}

void BlockLdl::add_system(std::span<const NodeDef> defs, std::span<const Edge> edges, std::vector<Place>& places) {
    System system;
    system.first = static_cast<std::uint32_t>(nodes_.size());
    system.count = static_cast<std::uint32_t>(defs.size());
    std::vector<std::uint32_t> position(defs.size());
    std::vector<std::vector<std::uint32_t>> columns(defs.size());
    eliminate(defs, edges, position, columns);
    for (auto& column : columns) {
        std::sort(column.begin(), column.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return position[a] < position[b]; });
    }
    add_blocks(system, defs, columns);
    find_places(system, edges, position, columns, places);
    systems_.push_back(system);
}

void BlockLdl::eliminate(std::span<const NodeDef> defs, std::span<const Edge> edges,
                         std::vector<std::uint32_t>& position, std::vector<std::vector<std::uint32_t>>& columns) {
    const auto first_node = static_cast<std::uint32_t>(nodes_.size());
    std::vector<std::vector<std::uint32_t>> neighbours(defs.size());
    for (const Edge& edge : edges) {
        neighbours[edge.a].push_back(edge.b);
        neighbours[edge.b].push_back(edge.a);
    }
    std::set<std::tuple<std::uint32_t, std::size_t, std::uint32_t>> queue;
    for (std::uint32_t i = 0; i < defs.size(); ++i) {
        auto& list = neighbours[i];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        queue.insert({defs[i].phase, list.size(), i});
    }
    std::vector<std::uint32_t> merged;
    for (std::uint32_t step = 0; step < defs.size(); ++step) {
        const std::uint32_t node = std::get<2>(*queue.begin());
        queue.erase(queue.begin());
        position[node] = step;
        order_.push_back(first_node + node);
        columns[node].swap(neighbours[node]);
        const auto& clique = columns[node];
        for (const std::uint32_t i : clique) {
            auto& list = neighbours[i];
            queue.erase({defs[i].phase, list.size(), i});
            merged.clear();
            std::set_union(list.begin(), list.end(), clique.begin(), clique.end(), std::back_inserter(merged));
            std::erase_if(merged, [&](std::uint32_t k) { return k == i || k == node; });
            list = merged;
            queue.insert({defs[i].phase, list.size(), i});
        }
    }
}

void BlockLdl::add_blocks(System& system, std::span<const NodeDef> defs,
                          const std::vector<std::vector<std::uint32_t>>& columns) {
    auto offset = static_cast<std::uint32_t>(joint_lanes * values_.size());
    auto vector_end = static_cast<std::uint32_t>(joint_lanes * vectors_.size());
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < defs.size(); ++i) {
        const std::uint32_t n = defs[i].capacity;
        LdlNode node;
        node.capacity = n;
        node.diagonal = offset;
        offset += n * joint_width(n);
        node.vector = vector_end;
        vector_end += joint_width(n);
        node.first_block = static_cast<std::uint32_t>(blocks_.size());
        node.block_count = static_cast<std::uint32_t>(columns[i].size());
        for (const std::uint32_t row : columns[i]) {
            blocks_.push_back({.row = system.first + row, .offset = offset, .fill = true});
            offset += n * joint_width(defs[row].capacity);
            most = std::max(most, n * joint_width(defs[row].capacity));
        }
        nodes_.push_back(node);
    }
    system.scratch = static_cast<std::uint32_t>(joint_lanes * scratch_.size());
    scratch_.resize(scratch_.size() + most / joint_lanes);
    values_.resize(offset / joint_lanes);
    vectors_.resize(vector_end / joint_lanes);
}

void BlockLdl::find_places(System& system, std::span<const Edge> edges, std::span<const std::uint32_t> position,
                           const std::vector<std::vector<std::uint32_t>>& columns, std::vector<Place>& places) {
    places.clear();
    for (const Edge& edge : edges) {
        const bool a_first = position[edge.a] < position[edge.b];
        const std::uint32_t column = a_first ? edge.a : edge.b, row = a_first ? edge.b : edge.a;
        const auto& list = columns[column];
        const auto found = std::lower_bound(list.begin(), list.end(), position[row],
                                            [&](std::uint32_t node, std::uint32_t p) { return position[node] < p; });
        LdlBlock& block =
            blocks_[nodes_[system.first + column].first_block + static_cast<std::uint32_t>(found - list.begin())];
        block.fill = false;
        places.push_back({system.first + row, system.first + column, block.offset});
    }
    system.first_fill = static_cast<std::uint32_t>(fills_.size());
    for (std::uint32_t i = system.first; i < nodes_.size(); ++i) {
        for (std::uint32_t b = nodes_[i].first_block; b < nodes_[i].first_block + nodes_[i].block_count; ++b) {
            if (blocks_[b].fill) fills_.push_back({blocks_[b].row, i, blocks_[b].offset});
        }
    }
    system.fill_count = static_cast<std::uint32_t>(fills_.size()) - system.first_fill;
}

void BlockLdl::set_size(std::uint32_t node, std::uint32_t size) {
    nodes_[node].size = size;
    nodes_[node].width = joint_width(size);
}

void BlockLdl::clear_fill(std::uint32_t s) {
    for (std::uint32_t i = systems_[s].first_fill; i < systems_[s].first_fill + systems_[s].fill_count; ++i) {
        std::fill_n(values() + fills_[i].offset, nodes_[fills_[i].column].size * nodes_[fills_[i].row].width, 0.0);
    }
}

LdlInput BlockLdl::input(std::uint32_t s) {
    const System& system = systems_[s];
    return {nodes_.data(), blocks_.data(), order_.data() + system.first,   system.count,
            values(),      flat(vectors_), flat(scratch_) + system.scratch};
}

std::size_t BlockLdl::bytes() const {
    return systems_.capacity() * sizeof(System) + nodes_.capacity() * sizeof(LdlNode) +
           blocks_.capacity() * sizeof(LdlBlock) + fills_.capacity() * sizeof(Fill) +
           order_.capacity() * sizeof(std::uint32_t) +
           (values_.capacity() + vectors_.capacity() + scratch_.capacity()) * sizeof(JointLane);
}

}  // namespace talus
