#pragma once
/// Cuts the bodies that a solve works on into slabs of space, so that threads that take a slab each seldom need a body
/// of another's.
///
///     | slab 0 | slab 1 | slab 2 | slab 3 |    along the axis on which the bodies are spread the most
///
/// The cut does not depend on threads, because the order in which contacts are solved depends on the cut
/// (constraint_graph.h). A body stays in its slab until it is well outside of it, and the planes stay until one slab
/// has much more to solve than another: what rests is solved in the same order in each step.

#include "engine/bodies/body_store.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::uint32_t most_slabs = 8;

class Slabs {
public:
    /// Assigns each of the body slots given to a slab. `loads`, by slot, is what there is to solve for a body.
    void cut(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads, const BodyStore& bodies);

    std::uint32_t count() const { return count_; }
    std::uint8_t of(std::uint32_t slot) const { return of_[slot]; }
    std::size_t bytes() const { return of_.capacity() + places_.capacity() * sizeof(Place); }

private:
    double assign(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads, const BodyStore& bodies);
    void place_planes(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> loads,
                      const BodyStore& bodies);

    std::vector<std::uint8_t> of_;  ///< by body slot
    struct Place {
        float at;  ///< along the axis, m
        std::uint32_t load;
    };
    std::vector<Place> places_;  ///< scratch
    std::array<float, most_slabs - 1> planes_{};
    float slack_ = 0.0f;  ///< how far outside of its slab a body's centre may be, m
    int axis_ = 0;
    std::uint32_t count_ = 1;
    std::uint64_t cut_for_ = 0;  ///< the load when the planes were placed
    double allowed_ = 0.0;       ///< how many times its share of the load a slab may have until they are placed anew
};

}  // namespace talus
