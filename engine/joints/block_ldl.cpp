#include <talus/engine/joints/block_ldl.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

namespace talus {

namespace {

/// A pivot smaller than this part of the diagonal it came from is rounding.
constexpr double lost_pivot = 1e-14;

/// x := C^-T x.
void backward(const double* c, std::uint32_t n, double* x) {
    for (std::uint32_t i = n; i-- > 0;) {
        double sum = x[i];
        for (std::uint32_t k = i + 1; k < n; ++k) sum -= c[k * n + i] * x[k];
        x[i] = sum * c[i * n + i];
    }
}

/// target -= sign * left * right^T; rows of both have k columns.
void subtract_product(double* target, const double* left, std::uint32_t rows, const double* right, std::uint32_t columns, std::uint32_t k,
                      double sign) {
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (std::uint32_t m = 0; m < k; ++m) sum += left[i * k + m] * right[j * k + m];
            target[i * columns + j] -= sign * sum;
        }
    }
}

}  // namespace

void cholesky(double* a, std::uint32_t n) {
    for (std::uint32_t j = 0; j < n; ++j) {
        double* const row_j = a + j * n;
        const double before = row_j[j];
        double pivot = before;
        for (std::uint32_t k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
        const double inverse = pivot > lost_pivot * before ? 1.0 / std::sqrt(pivot) : 0.0;
        row_j[j] = inverse;
        for (std::uint32_t i = j + 1; i < n; ++i) {
            double* const row_i = a + i * n;
            double sum = row_i[j];
            for (std::uint32_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
            row_i[j] = sum * inverse;
        }
    }
}

void forward(const double* c, std::uint32_t n, double* x) {
    for (std::uint32_t i = 0; i < n; ++i) {
        double sum = x[i];
        for (std::uint32_t k = 0; k < i; ++k) sum -= c[i * n + k] * x[k];
        x[i] = sum * c[i * n + i];
    }
}

void BlockLdl::clear() {
    systems_.clear();
    nodes_.clear();
    blocks_.clear();
    order_.clear();
    values_.clear();
    vector_.clear();
}

void BlockLdl::add_system(std::span<const NodeDef> defs, std::span<const Edge> edges, std::vector<Place>& places) {
    System system;
    system.first = static_cast<std::uint32_t>(nodes_.size());
    system.count = static_cast<std::uint32_t>(defs.size());
    system.values = static_cast<std::uint32_t>(values_.size());
    std::uint32_t offset = system.values, vector_end = static_cast<std::uint32_t>(vector_.size());

    // Eliminating a node makes its neighbours neighbours of each other: those are the blocks of its column.
    std::vector<std::vector<std::uint32_t>> neighbours(defs.size());
    for (const Edge& edge : edges) {
        neighbours[edge.a].push_back(edge.b);
        neighbours[edge.b].push_back(edge.a);
    }
    std::set<std::tuple<bool, std::size_t, std::uint32_t>> queue;
    for (std::uint32_t i = 0; i < defs.size(); ++i) {
        auto& list = neighbours[i];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        queue.insert({defs[i].last, list.size(), i});
    }
    std::vector<std::uint32_t> position(defs.size()), merged;
    std::vector<std::vector<std::uint32_t>> columns(defs.size());
    for (std::uint32_t step = 0; step < defs.size(); ++step) {
        const std::uint32_t node = std::get<2>(*queue.begin());
        queue.erase(queue.begin());
        position[node] = step;
        order_.push_back(system.first + node);
        columns[node].swap(neighbours[node]);
        const auto& clique = columns[node];
        for (const std::uint32_t i : clique) {
            auto& list = neighbours[i];
            queue.erase({defs[i].last, list.size(), i});
            merged.clear();
            std::set_union(list.begin(), list.end(), clique.begin(), clique.end(), std::back_inserter(merged));
            merged.erase(std::remove_if(merged.begin(), merged.end(), [&](std::uint32_t k) { return k == i || k == node; }),
                         merged.end());
            list = merged;
            queue.insert({defs[i].last, list.size(), i});
        }
    }

    for (std::uint32_t i = 0; i < defs.size(); ++i) {
        auto& column = columns[i];
        std::sort(column.begin(), column.end(), [&](std::uint32_t a, std::uint32_t b) { return position[a] < position[b]; });
        const std::uint32_t n = defs[i].capacity;
        Node node;
        node.capacity = n;
        node.negative = defs[i].negative;
        node.diagonal = offset;
        offset += n * n;
        node.vector = vector_end;
        vector_end += n;
        node.first_block = static_cast<std::uint32_t>(blocks_.size());
        node.block_count = static_cast<std::uint32_t>(column.size());
        double rows = 0.0;
        for (const std::uint32_t row : column) {
            blocks_.push_back({system.first + row, offset});
            offset += defs[row].capacity * n;
            rows += defs[row].capacity;
        }
        const double k = n;
        system.work += k * k * k / 3.0 + rows * k * k + rows * rows * k;
        nodes_.push_back(node);
    }
    system.value_count = offset - system.values;
    values_.resize(offset);
    vector_.resize(vector_end);

    places.clear();
    for (const Edge& edge : edges) {
        const bool a_first = position[edge.a] < position[edge.b];
        const std::uint32_t column = a_first ? edge.a : edge.b, row = a_first ? edge.b : edge.a;
        const auto& list = columns[column];
        const auto found = std::lower_bound(list.begin(), list.end(), position[row],
                                            [&](std::uint32_t node, std::uint32_t p) { return position[node] < p; });
        const auto k = static_cast<std::uint32_t>(found - list.begin());
        places.push_back({system.first + row, system.first + column, blocks_[nodes_[system.first + column].first_block + k].offset});
    }
    systems_.push_back(system);
}

void BlockLdl::set_zero(std::uint32_t s) {
    const System& system = systems_[s];
    std::fill_n(values_.begin() + system.values, system.value_count, 0.0);
}

void BlockLdl::factor(std::uint32_t s) {
    const System& system = systems_[s];
    for (std::uint32_t at = system.first; at < system.first + system.count; ++at) {
        const Node& node = nodes_[order_[at]];
        const std::uint32_t n = node.size;
        if (n == 0) continue;
        double* const diagonal = &values_[node.diagonal];
        const double sign = node.negative ? -1.0 : 1.0;
        if (node.negative) {
            for (std::uint32_t i = 0; i < n * n; ++i) diagonal[i] = -diagonal[i];
        }
        cholesky(diagonal, n);
        const Block* const column = blocks_.data() + node.first_block;
        for (std::uint32_t b = 0; b < node.block_count; ++b) {
            double* const rows = &values_[column[b].offset];
            const std::uint32_t count = nodes_[column[b].row].size;
            for (std::uint32_t i = 0; i < count; ++i) forward(diagonal, n, rows + i * n);
        }
        // What is below in this column is among what is below in the column of each of its rows, in the same order.
        for (std::uint32_t b = 0; b < node.block_count; ++b) {
            const Node& target = nodes_[column[b].row];
            if (target.size == 0) continue;
            const double* const right = &values_[column[b].offset];
            subtract_product(&values_[target.diagonal], right, target.size, right, target.size, n, sign);
            const Block* place = blocks_.data() + target.first_block;
            for (std::uint32_t c = b + 1; c < node.block_count; ++c) {
                while (place->row != column[c].row) ++place;
                subtract_product(&values_[place->offset], &values_[column[c].offset], nodes_[column[c].row].size, right, target.size, n, sign);
            }
        }
    }
}

void BlockLdl::solve(std::uint32_t s) {
    const System& system = systems_[s];
    for (std::uint32_t at = system.first; at < system.first + system.count; ++at) {
        const Node& node = nodes_[order_[at]];
        const std::uint32_t n = node.size;
        double* const x = &vector_[node.vector];
        forward(&values_[node.diagonal], n, x);
        const double sign = node.negative ? -1.0 : 1.0;
        for (std::uint32_t b = node.first_block; b < node.first_block + node.block_count; ++b) {
            const double* const rows = &values_[blocks_[b].offset];
            const Node& below = nodes_[blocks_[b].row];
            double* const y = &vector_[below.vector];
            for (std::uint32_t i = 0; i < below.size; ++i) {
                double sum = 0.0;
                for (std::uint32_t k = 0; k < n; ++k) sum += rows[i * n + k] * x[k];
                y[i] -= sign * sum;
            }
        }
    }
    for (std::uint32_t at = system.first + system.count; at-- > system.first;) {
        const Node& node = nodes_[order_[at]];
        const std::uint32_t n = node.size;
        double* const x = &vector_[node.vector];
        for (std::uint32_t b = node.first_block; b < node.first_block + node.block_count; ++b) {
            const double* const rows = &values_[blocks_[b].offset];
            const Node& below = nodes_[blocks_[b].row];
            const double* const y = &vector_[below.vector];
            for (std::uint32_t i = 0; i < below.size; ++i) {
                for (std::uint32_t k = 0; k < n; ++k) x[k] -= rows[i * n + k] * y[i];
            }
        }
        backward(&values_[node.diagonal], n, x);
        if (node.negative) {
            for (std::uint32_t k = 0; k < n; ++k) x[k] = -x[k];
        }
    }
}

std::size_t BlockLdl::bytes() const {
    return systems_.capacity() * sizeof(System) + nodes_.capacity() * sizeof(Node) + blocks_.capacity() * sizeof(Block) +
           order_.capacity() * sizeof(std::uint32_t) + (values_.capacity() + vector_.capacity()) * sizeof(double);
}

}  // namespace talus
