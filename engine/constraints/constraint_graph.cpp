#include "engine/constraints/constraint_graph.h"

#include "common/assert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace talus {

namespace {

constexpr int color_limit = 48;  // per phase; small enough that a byte holds the colours of all phases
constexpr std::size_t phase_colors = color_limit + 1;  // the last one is the overflow colour
constexpr std::size_t all_colors = contact_phases * phase_colors;
static_assert(color_limit < 64 && all_colors <= no_color);

/// Minimum number of contacts of a colour. A colour with fewer is dissolved, because it costs a stage of the solver
/// with hardly any work.
constexpr std::uint32_t rare = 16;

constexpr std::size_t points_max = 4;

/// Colours per round, and most rounds, in which an overflow colour is coloured again. The contacts that remain are
/// solved one by one. A round is the last if its colours hold fewer contacts each than `worth_spreading`.
constexpr int spread_colors = 64, spread_rounds = 8;
constexpr std::size_t worth_spreading = 2;

/// The slab of an edge's body, or of the other body if this one can't be pushed.
std::uint8_t slab_a(const ConstraintGraph::Edge& edge, std::span<const std::uint8_t> slabs) {
    return slabs[edge.pushes_a ? edge.a : edge.b];
}
std::uint8_t slab_b(const ConstraintGraph::Edge& edge, std::span<const std::uint8_t> slabs) {
    return slabs[edge.pushes_b ? edge.b : edge.a];
}

ContactPhase phase_of(const ConstraintGraph::Edge& edge, std::span<const std::uint8_t> slabs) {
    if (!edge.pushes_a || !edge.pushes_b) return ContactPhase::immovable;
    const int a = slab_a(edge, slabs), b = slab_b(edge, slabs), lower = std::min(a, b), away = std::abs(a - b);
    if (away == 0) return ContactPhase::inner;
    return away > 1 ? ContactPhase::far : lower % 2 == 0 ? ContactPhase::even : ContactPhase::odd;
}

}  // namespace

void ConstraintGraph::build(std::span<const Edge> edges, std::span<const std::uint8_t> slabs,
                            const SlabGroups& groups) {
    color_edges(edges, slabs);
    sort_by_color(edges, slabs, groups);
    spread_overflow(edges, slabs.size());
}

/// Gives each edge a colour: the one that it had in the last step if it still may have it, or else the lowest one that
/// neither of its bodies has.
void ConstraintGraph::color_edges(std::span<const Edge> edges, std::span<const std::uint8_t> slabs) {
    const std::size_t bodies = slabs.size();
    used_.assign(contact_phases * bodies, 0);
    std::array<std::uint32_t, 256> members{};
    for (const Edge& edge : edges) {
        TALUS_ASSERT(edge.a < bodies && edge.b < bodies && (edge.pushes_a || edge.pushes_b));
        TALUS_ASSERT(edge.point_count >= 1 && edge.room() <= points_max);
        ++members[edge.color];
    }

    // The masks of an edge's bodies in its phase. For a body that can't be pushed, it is the mask of the other one.
    const auto masks = [&](const Edge& edge, std::size_t phase) {
        struct {
            std::uint64_t *a, *b;
        } both;
        both.a = &used_[phase * bodies + (edge.pushes_a ? edge.a : edge.b)];
        both.b = &used_[phase * bodies + (edge.pushes_b ? edge.b : edge.a)];
        return both;
    };
    edge_colors_.assign(edges.size(), no_color);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& edge = edges[i];
        const std::size_t phase = static_cast<std::size_t>(phase_of(edge, slabs)), old = edge.color;
        if (old / phase_colors != phase || old % phase_colors >= color_limit || members[old] < rare) continue;
        const auto [a, b] = masks(edge, phase);
        const std::uint64_t mask = std::uint64_t{1} << (old % phase_colors);
        if (((*a | *b) & mask) != 0) continue;
        *a |= mask;
        *b |= mask;
        edge_colors_[i] = static_cast<std::uint8_t>(old);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edge_colors_[i] != no_color) continue;
        const std::size_t phase = static_cast<std::size_t>(phase_of(edges[i], slabs));
        const auto [a, b] = masks(edges[i], phase);
        const int color = std::min(std::countr_one(*a | *b), color_limit);
        if (color < color_limit) {
            const std::uint64_t mask = std::uint64_t{1} << color;
            *a |= mask;
            *b |= mask;
        }
        edge_colors_[i] = static_cast<std::uint8_t>(phase * phase_colors + static_cast<std::size_t>(color));
    }
}

/// Lists the edges in solving order, and the colours, by a counting sort.
void ConstraintGraph::sort_by_color(std::span<const Edge> edges, std::span<const std::uint8_t> slabs,
                                    const SlabGroups& groups) {
    const std::size_t field_count = 2 * std::size_t{groups.back()} + 1;
    std::array<bool, 256> in_use{};
    for (const std::uint8_t color : edge_colors_) in_use[color] = true;
    color_count_ = static_cast<std::uint32_t>(std::count(in_use.begin(), in_use.end(), true));
    std::array<std::size_t, contact_phases> most_colors{};  // per phase, up to the last colour in use
    for (std::size_t color = 0; color < all_colors; ++color) {
        if (in_use[color]) most_colors[color / phase_colors] = color % phase_colors + 1;
    }

    constexpr std::size_t kinds = 2 * 2 * points_max;  // kinds of edges that a colour sorts within a field
    std::array<std::size_t, contact_phases + 1> phase_begin{};
    for (std::size_t phase = 0; phase < contact_phases; ++phase)
        phase_begin[phase + 1] = phase_begin[phase] + field_count * most_colors[phase] * kinds;
    places_.assign(phase_begin[contact_phases], 0);
    const auto bucket_of = [&](std::size_t i) {
        const Edge& edge = edges[i];
        const std::size_t side = edge.pushes_b ? 0 : 1, special = edge.special ? 1 : 0;
        const std::size_t phase = edge_colors_[i] / phase_colors, color = edge_colors_[i] % phase_colors;
        const bool far = phase == static_cast<std::size_t>(ContactPhase::far);
        const std::size_t field = far ? 0 : std::size_t{groups[slab_a(edge, slabs)]} + groups[slab_b(edge, slabs)];
        return phase_begin[phase] + ((field * most_colors[phase] + color) * 4 + 2 * side + special) * points_max +
               (points_max - edge.room());
    };
    for (std::size_t i = 0; i < edges.size(); ++i) ++places_[bucket_of(i)];
    colors_.clear();
    std::uint32_t total = 0;
    std::uint32_t* place = places_.data();
    for (std::size_t phase = 0; phase < contact_phases; ++phase) {
        for (std::uint32_t field = 0; field < field_count; ++field) {
            for (std::size_t color = 0; color < most_colors[phase]; ++color) {
                ContactColor c{total, 0, color != color_limit, static_cast<ContactPhase>(phase), field};
                for (std::size_t k = 0; k < kinds; ++k, ++place) {
                    const std::uint32_t n = *place;
                    *place = total;  // from here on, the place of the bucket's next edge
                    total += n;
                }
                c.count = total - c.first;
                if (c.count != 0) colors_.push_back(c);
            }
        }
    }
    order_.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) order_[places_[bucket_of(i)]++] = static_cast<std::uint32_t>(i);
}

void ConstraintGraph::spread_overflow(std::span<const Edge> edges, std::size_t bodies) {
    if (std::all_of(colors_.begin(), colors_.end(), [](const ContactColor& color) { return color.parallel; })) return;
    spread_colors_.clear();
    for (const ContactColor& color : colors_) {
        if (color.parallel) {
            spread_colors_.push_back(color);
        } else {
            spread(color, edges, bodies);
        }
    }
    colors_.swap(spread_colors_);
}

void ConstraintGraph::spread(const ContactColor& overflow, std::span<const Edge> edges, std::size_t bodies) {
    const std::span<std::uint32_t> all = std::span(order_).subspan(overflow.first, overflow.count);
    // The colours of the phase are assigned, so its masks can be reused.
    const std::size_t first_mask = static_cast<std::size_t>(overflow.phase) * bodies;
    const auto for_masks = [&](const Edge& edge, auto&& visit) {
        if (edge.pushes_a) visit(used_[first_mask + edge.a]);
        if (edge.pushes_b) visit(used_[first_mask + edge.b]);
    };
    spread_order_.clear();
    left_.assign(all.begin(), all.end());
    std::array<std::uint32_t, spread_colors + 1> begins{};
    const auto add_color = [&](std::uint32_t count, bool parallel) {
        if (count == 0) return;
        ContactColor color = overflow;
        color.parallel = parallel;
        color.first = overflow.first;
        if (!spread_colors_.empty() && spread_colors_.back().first >= overflow.first)
            color.first = spread_colors_.back().first + spread_colors_.back().count;
        color.count = count;
        spread_colors_.push_back(color);
    };
    for (int round = 0; round < spread_rounds && !left_.empty(); ++round) {
        for (const std::uint32_t i : left_) for_masks(edges[i], [](std::uint64_t& mask) { mask = 0; });
        begins = {};
        std::size_t colored = 0;
        colors_of_left_.resize(left_.size());
        for (std::size_t k = 0; k < left_.size(); ++k) {
            std::uint64_t taken = 0;
            for_masks(edges[left_[k]], [&](const std::uint64_t& mask) { taken |= mask; });
            const int color = std::countr_one(taken);
            colors_of_left_[k] = static_cast<std::uint8_t>(color);
            if (color == spread_colors) continue;
            for_masks(edges[left_[k]], [&](std::uint64_t& mask) { mask |= std::uint64_t{1} << color; });
            ++begins[static_cast<std::size_t>(color) + 1];
            ++colored;
        }
        const auto used = static_cast<std::size_t>(
            std::count_if(begins.begin(), begins.end(), [](std::uint32_t count) { return count != 0; }));
        if (colored < worth_spreading * used) break;
        for (std::size_t color = 0; color < spread_colors; ++color) add_color(begins[color + 1], true);
        for (std::size_t color = 0; color < spread_colors; ++color) begins[color + 1] += begins[color];
        const std::size_t done = spread_order_.size();
        spread_order_.resize(done + colored);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < left_.size(); ++k) {
            const std::size_t color = colors_of_left_[k];
            if (color == spread_colors) {
                left_[kept++] = left_[k];
            } else {
                spread_order_[done + begins[color]++] = left_[k];
            }
        }
        left_.resize(kept);
    }
    add_color(static_cast<std::uint32_t>(left_.size()), false);
    spread_order_.insert(spread_order_.end(), left_.begin(), left_.end());
    std::copy(spread_order_.begin(), spread_order_.end(), all.begin());
}

std::size_t ConstraintGraph::bytes() const {
    return (colors_.capacity() + spread_colors_.capacity()) * sizeof(ContactColor) +
           (order_.capacity() + spread_order_.capacity() + left_.capacity()) * sizeof(std::uint32_t) +
           colors_of_left_.capacity() + edge_colors_.capacity() + used_.capacity() * sizeof(std::uint64_t) +
           places_.capacity() * sizeof(std::uint32_t);
}

}  // namespace talus
