#pragma once
/// Internal: the plain GJK loop, for any core. Polytope cores run in a kernel instead (gjk_kernel.h).

#include "narrowphase/gjk/observer.h"
#include "narrowphase/gjk/simplex.h"

namespace talus::detail {

enum class Outcome : std::uint8_t { separated, overlapping, beyond_limit, iteration_cap };

/// The result of the GJK loop, besides the simplex itself.
struct Search {
    Outcome outcome = Outcome::separated;
    double lower_bound = 0.0;  ///< of the distance, proved, m
    dvec3 axis{0.0};           ///< normal of the support plane that proved it, any length
    bool by_axis = false;      ///< that plane is a better result than the simplex, which rounding has spoilt
    int iterations = 0;        ///< support pairs
};

/// The GJK loop: brings the simplex (empty, or reduced) to the closest point of A - B to the origin.
Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance);

/// The same; `observer` is called at each step.
Search find_closest(const MinkowskiDifference& difference, Simplex& simplex, double max_distance,
                    GjkObserver& observer);

/// Converts the search and its simplex to the public result.
GjkResult to_result(const Simplex& simplex, const Search& search);

}  // namespace talus::detail
