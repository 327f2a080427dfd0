#pragma once
/// Internal: what one call of collide works on, and what its tests share: queueing, counting, booking time.

#include <talus/narrowphase/collide.h>
#include "common/bit_cast.h"
#include "common/stopwatch.h"
#include "narrowphase/analytic/closed_forms.h"
#include "narrowphase/ladder/pair_pages.h"
#include "narrowphase/ladder/worklists.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace talus::detail {

/// Adds to a counter of the profile, unless profiling is compiled out.
inline void count(std::uint64_t& counter, std::uint64_t more = 1) {
    if constexpr (profiling_compiled_in) counter += more;
}

/// Returns the entry for two shapes of a table [lower type][higher type].
template <class Table>
auto& of_shapes(Table& table, const Shape& a, const Shape& b) {
    const auto i = static_cast<std::size_t>(a.type), j = static_cast<std::size_t>(b.type);
    return table[std::min(i, j)][std::max(i, j)];
}

/// Stores a time in the upper half of a float: rounded, within 0.4%. `microseconds_of` reads it.
inline void set_microseconds(PairRecord& record, double us) {
    record.cost = static_cast<std::uint16_t>((bit_cast<std::uint32_t>(static_cast<float>(us)) + 0x8000u) >> 16);
}

/// The arguments of one call of collide.
struct CollideCall {
    const Colliders& colliders;
    const PairPages& pairs;
    const CollideSettings& settings;
    Worklists& lists;
    NarrowphaseProfile& profile;

    const Shape& shape_a(const PairTest& test) const { return colliders.shapes[test.record->a]; }
    const Shape& shape_b(const PairTest& test) const { return colliders.shapes[test.record->b]; }

    /// Returns the version stamp of the pair's shapes as they are now.
    std::uint32_t stamp_of(const PairRecord& record) const {
        return colliders.versions[record.a] + colliders.versions[record.b];
    }

    /// True if the pair's signed distance has a closed form that the settings allow.
    bool is_closed_form(const PairTest& test) const {
        return settings.closed_form && has_closed_form(shape_a(test).type, shape_b(test).type);
    }

    /// Queues the pair for the axis test, or for GJK if there is no axis to try.
    void queue_for_axis(const PairTest& test) const {
        if (settings.axis && test.cache->axis != vec3(0.0f)) {
            lists.axis.push_back(test);
        } else {
            queue_for_gjk(test);
        }
    }

    /// Queues the pair for GJK, warm if it has a simplex.
    void queue_for_gjk(const PairTest& test) const {
        SimplexCache& simplex = test.cache->simplex;
        if (!settings.warm_gjk) simplex.count = 0;
        (simplex.count != 0 ? lists.warm_gjk : lists.cold_gjk).push_back(test);
    }

    /// Notes by which rung the pair was settled.
    void settle(PairRecord& record, Rung rung) const {
        record.rung = rung;
        count(profile.pairs[static_cast<std::size_t>(rung)]);
    }

    /// Counts a test of two shapes.
    void count_test(const Shape& a, const Shape& b) const { count(of_shapes(profile.tested_by_shapes, a, b)); }

    /// Adds the time of a test to its pair and to its pair of shape types. A pair that no test has settled yet is
    /// charged again on its next list.
    void charge(std::uint32_t pair, double us) const {
        PairRecord& record = pairs.record(pair);
        of_shapes(profile.microseconds_by_shapes, colliders.shapes[record.a], colliders.shapes[record.b]) += us;
        const double sum = microseconds_of(record) + us;
        set_microseconds(record, sum);
        // The record's rounding may take from what the slowest pair had before, by more than its next list adds.
        TimedPair& slowest = profile.slowest;
        if (sum > slowest.microseconds || pair == slowest.pair)
            slowest = {pair, record.rung, std::max(sum, slowest.microseconds)};
    }
};

}  // namespace talus::detail
