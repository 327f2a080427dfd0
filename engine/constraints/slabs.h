#pragma once
/// Cuts the awake bodies into slabs of space, so that a thread that solves one slab seldom needs a body of another.
///
///     | slab 0 | slab 1 | slab 2 | slab 3 |    along the axis on which the bodies are spread the most
///
/// The cut does not depend on the number of threads, because it determines the order in which contacts are solved
/// (constraint_graph.h). To keep that order while bodies rest, a body stays in its slab until it is well outside of it,
/// and the planes stay until one slab has much more to solve than another.

#include "engine/bodies/body_store.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::uint32_t most_slabs = 8;

class Slabs {
public:
    /// Assigns each of these body slots to a slab. `loads`, by slot, is the cost of solving a body.
    void cut(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads, const BodyStore& bodies);

    std::uint32_t count() const { return count_; }
    std::uint8_t of(std::uint32_t slot) const { return of_[slot]; }
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(of_, planes_, slack_, axis_, count_, cut_for_, allowed_);
    }
    /// Returns whether what was read can be right.
    bool fit() const {
        if (count_ < 1 || count_ > most_slabs || axis_ < 0 || axis_ > 2) return false;
        for (const std::uint8_t slab : of_) {
            if (slab >= most_slabs) return false;
        }
        return true;
    }
    std::size_t bytes() const { return of_.capacity() + places_.capacity() * sizeof(Place); }

private:
    double assign(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads, const BodyStore& bodies);
    void place_planes(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads,
                      const BodyStore& bodies);

    std::vector<std::uint8_t> of_;  ///< by body slot
    struct Place {
        double at;  ///< along the axis, m
        std::uint32_t load;
    };
    std::vector<Place> places_;                    ///< scratch
    std::array<double, most_slabs - 1> planes_{};  ///< on the grid of positions
    float slack_ = 0.0f;                           ///< how far outside of its slab a body's centre may be, m
    int axis_ = 0;
    std::uint32_t count_ = 1;
    std::uint64_t cut_for_ = 0;  ///< the total cost when the planes were placed
    double allowed_ = 0.0;       ///< the largest cost of a slab, as a multiple of the mean, with which the planes stay
};

}  // namespace talus
