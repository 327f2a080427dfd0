#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::detail {

/// Numbers 0 to count - 1, listed by a vertex that each of them has, in ascending order.
class ByVertex {
public:
    /// `vertex_of(number)` is less than `vertices`.
    template <class VertexOf>
    ByVertex(std::size_t vertices, std::uint32_t count, const VertexOf& vertex_of)
        : begins_(vertices + 2, 0), numbers_(count) {
        for (std::uint32_t k = 0; k < count; ++k) ++begins_[vertex_of(k) + 2u];
        for (std::size_t v = 2; v < begins_.size(); ++v) begins_[v] += begins_[v - 1];
        for (std::uint32_t k = 0; k < count; ++k) numbers_[begins_[vertex_of(k) + 1u]++] = k;
    }
    std::size_t vertices() const { return begins_.size() - 2; }
    std::span<std::uint32_t> operator[](std::size_t vertex) {
        return std::span(numbers_).subspan(begins_[vertex], begins_[vertex + 1] - begins_[vertex]);
    }

private:
    std::vector<std::uint32_t> begins_;  ///< by vertex: where its numbers begin
    std::vector<std::uint32_t> numbers_;
};

}  // namespace talus::detail
