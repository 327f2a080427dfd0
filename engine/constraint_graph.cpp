#include <talus/engine/constraint_graph.h>

#include <algorithm>
#include <array>
#include <bit>

namespace talus {

namespace {

constexpr std::uint8_t color_limit = 64;             // bits of a mask
constexpr std::uint8_t overflow_color = color_limit; // after the dynamic colours, before the immovable ones
constexpr std::uint8_t first_immovable = overflow_color + 1;
constexpr std::uint8_t color_count = first_immovable + color_limit + 1;  // the last one is the immovable overflow
constexpr std::uint8_t immovable_overflow = color_count - 1;

/// A colour with fewer contacts than this gives them away: it is a stage of the solver with hardly any work.
constexpr std::uint32_t rare = 16;

constexpr std::size_t points_max = 4;

}  // namespace

void ConstraintGraph::build(std::span<Edge> edges, std::uint32_t body_count, std::uint32_t parts) {
    used_.assign(body_count, 0);
    used_immovable_.assign(body_count, 0);
    parts = std::clamp(parts, 1u, most_parts);
    const std::size_t buckets = 2 * 2 * parts * points_max;  // of a colour
    places_.assign(color_count * buckets, 0);
    const auto bucket_of = [&](const Edge& edge) {
        const std::size_t side = edge.pushes_b ? 0 : 1, special = edge.special ? 1 : 0;
        const std::uint64_t body = edge.pushes_a ? edge.a : edge.b;
        const std::size_t part = body * parts / body_count;
        return edge.color * buckets + ((2 * side + special) * parts + part) * points_max + (points_max - edge.point_count);
    };

    std::array<std::uint32_t, 256> members{};
    for (const Edge& edge : edges) ++members[edge.color];

    // The masks of an edge's bodies; the one that can't be pushed does not count.
    const auto masks = [&](const Edge& edge) {
        struct {
            std::uint64_t *a, *b;
        } both;
        const bool dynamic = edge.pushes_a && edge.pushes_b;
        std::vector<std::uint64_t>& used = dynamic ? used_ : used_immovable_;
        both.a = &used[edge.pushes_a ? edge.a : edge.b];
        both.b = &used[edge.pushes_b ? edge.b : edge.a];
        return both;
    };
    for (Edge& edge : edges) {
        const std::uint8_t first = edge.pushes_a && edge.pushes_b ? 0 : first_immovable;
        const int bit = edge.color - first;
        const bool keeps = bit >= 0 && bit < color_limit && members[edge.color] >= rare;
        edge.color = no_color;
        if (!keeps) continue;
        const auto [a, b] = masks(edge);
        const std::uint64_t mask = std::uint64_t{1} << bit;
        if (((*a | *b) & mask) != 0) continue;
        *a |= mask;
        *b |= mask;
        edge.color = static_cast<std::uint8_t>(first + bit);
    }
    for (Edge& edge : edges) {
        if (edge.color == no_color) {
            const auto [a, b] = masks(edge);
            const int bit = std::countr_one(*a | *b);  // 64 when full: the overflow colour
            if (bit < color_limit) {
                const std::uint64_t mask = std::uint64_t{1} << bit;
                *a |= mask;
                *b |= mask;
            }
            edge.color = static_cast<std::uint8_t>((edge.pushes_a && edge.pushes_b ? 0 : first_immovable) + bit);
        }
        ++places_[bucket_of(edge)];
    }

    colors_.clear();
    std::uint32_t total = 0;
    for (std::size_t color = 0; color < color_count; ++color) {
        ContactColor c{total, 0, color != overflow_color && color != immovable_overflow, color >= first_immovable};
        for (std::size_t k = 0; k < buckets; ++k) {
            std::uint32_t& place = places_[color * buckets + k];
            const std::uint32_t n = place;
            place = total;  // from here on: where the bucket's next edge goes
            total += n;
        }
        c.count = total - c.first;
        if (c.count != 0) colors_.push_back(c);
    }
    order_.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) order_[places_[bucket_of(edges[i])]++] = static_cast<std::uint32_t>(i);
}

std::size_t ConstraintGraph::bytes() const {
    return colors_.capacity() * sizeof(ContactColor) + order_.capacity() * sizeof(std::uint32_t) +
           (used_.capacity() + used_immovable_.capacity()) * sizeof(std::uint64_t) +
           places_.capacity() * sizeof(std::uint32_t);
}

}  // namespace talus
