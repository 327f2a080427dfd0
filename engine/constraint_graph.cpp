#include <talus/engine/constraint_graph.h>

#include <array>
#include <bit>

namespace talus {

namespace {

constexpr int color_limit = 64;             // bits of a mask
constexpr int overflow_color = color_limit; // after the dynamic colours, before the immovable ones
constexpr int first_immovable = overflow_color + 1;
constexpr int color_count = first_immovable + color_limit + 1;  // the last one is the immovable overflow
constexpr int immovable_overflow = color_count - 1;
constexpr int points_max = 4;

}  // namespace

void ConstraintGraph::build(std::span<const Edge> edges, std::uint32_t body_count) {
    used_.assign(body_count, 0);
    used_immovable_.assign(body_count, 0);
    bucket_.resize(edges.size());
    std::array<std::uint32_t, color_count * points_max> counts{};

    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& edge = edges[i];
        int color;
        if (edge.pushes_a && edge.pushes_b) {
            const std::uint64_t used = used_[edge.a] | used_[edge.b];
            color = std::countr_one(used);  // 64 when full: the overflow colour
            if (color < color_limit) {
                const std::uint64_t bit = std::uint64_t{1} << color;
                used_[edge.a] |= bit;
                used_[edge.b] |= bit;
            }
        } else {
            std::uint64_t& used = used_immovable_[edge.pushes_a ? edge.a : edge.b];
            color = first_immovable + std::countr_one(used);
            if (color < immovable_overflow) used |= std::uint64_t{1} << (color - first_immovable);
        }
        bucket_[i] = static_cast<std::uint16_t>(color * points_max + (points_max - static_cast<int>(edge.point_count)));
        ++counts[bucket_[i]];
    }

    colors_.clear();
    std::uint32_t total = 0;
    for (int color = 0; color < color_count; ++color) {
        ContactColor c{total, 0, color != overflow_color && color != immovable_overflow, color >= first_immovable};
        for (int k = 0; k < points_max; ++k) {
            std::uint32_t& slot = counts[static_cast<std::size_t>(color * points_max + k)];
            const std::uint32_t n = slot;
            slot = total;  // from here on: where the bucket's next edge goes
            total += n;
        }
        c.count = total - c.first;
        if (c.count != 0) colors_.push_back(c);
    }
    order_.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) order_[counts[bucket_[i]]++] = static_cast<std::uint32_t>(i);
}

std::size_t ConstraintGraph::bytes() const {
    return colors_.capacity() * sizeof(ContactColor) + order_.capacity() * sizeof(std::uint32_t) +
           (used_.capacity() + used_immovable_.capacity()) * sizeof(std::uint64_t) +
           bucket_.capacity() * sizeof(std::uint16_t);
}

}  // namespace talus
