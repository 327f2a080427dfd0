#pragma once
/// The load on each contact of a candidate group, and so whether the group is stiff.
///
/// The estimate: a body passes its own mass and all that it carries down to the contacts by which it stands on bodies
/// one level lower, in equal parts. Levels count contacts from the bodies that cannot be pushed, and near bodies come
/// first (Dijkstra 1959): a box that falls on a plate will stand on the plate, even if the ground below is within its
/// reach. Bodies that joints connect are one part, which stands and carries loads as a whole.

#include "engine/stiff_groups/stiff_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus {

/// Keeps only scratch memory from call to call.
class SupportLoads {
public:
    /// Estimates the loads on the group's contacts. Returns whether one of them is large enough, or a body is about to
    /// crush another. The group then keeps only the contacts and bodies that it needs.
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

    // A part is identified by its first body.
    std::vector<std::uint32_t> part_;                   ///< by body
    std::vector<std::uint8_t> jointed_;                 ///< by part: it has several bodies, which joints connect
    std::vector<std::uint32_t> first_of_, contact_of_;  ///< the contacts of each part
    std::vector<std::uint32_t> level_;                  ///< by part
    std::vector<float> reach_;  ///< by part: sum of the gaps between it and the immovable body that supports it, m
    std::vector<std::uint32_t> queue_;  ///< parts in the order in which they get their levels
    struct Arrival {
        float reach;
        std::uint32_t part, level;
    };
    std::vector<Arrival> arrivals_;  ///< a heap
    std::vector<double> borne_;      ///< load by part, kg
    std::vector<std::uint8_t> loaded_;
    std::size_t next_in_queue_ = 0;
};

}  // namespace talus
