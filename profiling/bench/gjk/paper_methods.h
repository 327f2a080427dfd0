#pragma once
/// The methods that Liu, Chien, Shiang and Lee compare, in the words of gjk_variants.h, and those that they do not compare but that their
/// conclusions need.

#include <talus/narrowphase/gjk_variants.h>

namespace talus::profiling {

/// The original distance subalgorithm from a fixed start, all vertices looked at.
inline constexpr GjkMethods liu_original{SimplexMethod::johnson, SupportMethod::linear, StartMethod::arbitrary};
/// Their own: discard-and-add, from the line between the centroids.
inline constexpr GjkMethods liu_ours{SimplexMethod::discard_and_add, SupportMethod::linear, StartMethod::centroids};
/// Cameron's hill climbing in the original.
inline constexpr GjkMethods liu_cameron{SimplexMethod::johnson, SupportMethod::hill_climbing, StartMethod::arbitrary};
inline constexpr GjkMethods liu_combined{SimplexMethod::discard_and_add, SupportMethod::hill_climbing,
                                         StartMethod::centroids};
/// The same for tracking: from the last simplex, and the last supporting vertices with their neighbours (section 4.3).
inline constexpr GjkMethods liu_tracking{SimplexMethod::discard_and_add, SupportMethod::neighbours,
                                         StartMethod::last_simplex};
/// A control that the paper lacks: the original from discard-and-add's start. It tells how much of what discard-and-add saves is due to its start.
inline constexpr GjkMethods original_from_centroids{SimplexMethod::johnson, SupportMethod::linear,
                                                    StartMethod::centroids};
/// Another: the original distance subalgorithm with all that tracking gives the combination except discard-and-add.
/// It tells how much of the combination's gain is due to hill climbing and the last simplex.
inline constexpr GjkMethods cameron_tracking{SimplexMethod::johnson, SupportMethod::hill_climbing,
                                             StartMethod::last_simplex};
/// And one that differs from the combination in the distance subalgorithm alone: the neighbours' search as well.
inline constexpr GjkMethods original_tracking{SimplexMethod::johnson, SupportMethod::neighbours,
                                              StartMethod::last_simplex};

}  // namespace talus::profiling
