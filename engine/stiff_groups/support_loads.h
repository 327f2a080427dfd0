#pragma once
/// What each contact of a candidate group bears, and so whether the group is stiff.
///
/// The estimate: a body hands its own mass and all that it bears down to the contacts by which it stands on bodies one level
/// lower, in equal parts. Levels count contacts from the bodies that cannot be pushed, but the nearest come first (Dijkstra
/// 1959): a box that falls on a plate will stand on the plate, even if the ground below is within its reach. Bodies that joints
/// hold together are one part, which stands and bears as a whole.

#include "engine/stiff_groups/stiff_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

/// Keeps only scratch memory from call to call.
class SupportLoads {
public:
    /// Estimates what the group's contacts bear. Returns whether one of them bears enough, or strikes. Then only the contacts and
    /// bodies that the group needs are left in it.
    bool is_stiff(StiffGroup& group);

    std::size_t bytes() const;

private:
    void make_room(const StiffGroup& group);
    void find_parts(const StiffGroup& group);
    void list_contacts(const StiffGroup& group);
    void find_levels(const StiffGroup& group);
    void place(std::uint32_t part, float reach, std::uint32_t level);
    void place_over(const GroupCandidate& c, std::uint32_t part, float reach, std::uint32_t level);
    void climb(const StiffGroup& group);
    bool bears_much(StiffGroup& group);
    void mark_loaded(StiffGroup& group, bool is_heavy);
    void drop_idle(StiffGroup& group);

    std::uint32_t part_of(std::uint32_t body) const { return body == null_index ? null_index : part_[body]; }
    bool is_inside_part(const GroupCandidate& c) const {
        return c.a != null_index && c.b != null_index && part_[c.a] == part_[c.b];
    }
    /// Returns the other part of a contact of a part.
    std::uint32_t other_part(const GroupCandidate& c, std::uint32_t part) const {
        return part_of(part_of(c.a) == part ? c.b : c.a);
    }
    template <class Visit>
    void for_each_support(StiffGroup& group, std::uint32_t part, Visit&& visit);

    // A part is known by its first body.
    std::vector<std::uint32_t> part_;                   ///< by body
    std::vector<std::uint8_t> jointed_;                 ///< by part: joints hold several bodies in it together
    std::vector<std::uint32_t> first_of_, contact_of_;  ///< the contacts of each part
    std::vector<std::uint32_t> level_;                  ///< by part
    std::vector<float> reach_;          ///< by part: sum of the gaps between it and what cannot be pushed, m
    std::vector<std::uint32_t> queue_;  ///< parts in the order in which they were placed
    struct Arrival {
        float reach;
        std::uint32_t part, level;
    };
    std::vector<Arrival> arrivals_;  ///< a heap
    std::vector<double> borne_;      ///< by part, kg
    std::vector<std::uint8_t> loaded_;
    std::size_t next_in_queue_ = 0;
};

}  // namespace talus
