#pragma once
/// Frame profiles as a table: one row a frame.
///
/// Columns: frame; stage times in microseconds (total_us, pairs_us, collide_us, graph_us, solve_us, finish_us,
/// publish_us); bodies, awake_bodies; broadphase_pairs, convex_pairs, touching_pairs, contact_points, islands, colors;
/// max_penetration_m, mean_penetration_m, kinetic_energy_j; for each rung of the narrowphase, <rung>_pairs and
/// <rung>_us; gjk_queries, gjk_iterations, gjk_cap_hits, epa_queries, epa_iterations, epa_cap_hits,
/// support_evaluations, manifolds_built; gjk_<n>: queries of n iterations (the last: n and more); epa_<n>: queries of n
/// to n + 3 iterations; tested_<shape>_<shape>: pairs that needed GJK, by shapes. What each means is said in
/// talus/engine/profile.h and talus/narrowphase/profile.h.

#include <talus/engine/profile.h>

#include <string>

namespace talus::samples {

/// The names, comma-separated, with a newline.
std::string csv_header();

/// One frame's values in the same order, with a newline.
std::string csv_row(const FrameProfile& profile);

}  // namespace talus::samples
