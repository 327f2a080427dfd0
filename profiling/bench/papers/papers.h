#pragma once
/// `talus-profile papers`: one table for each experiment of the source papers, ours beside theirs, with what differs in
/// the set-up.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talus::profiling {

/// What all experiments understand.
struct PapersOptions {
    int repeats = 3;         ///< timed passes of each, of which the median counts
    std::uint64_t seed = 1;  ///< of poses and of shapes made at random
    bool quick = false;      ///< few poses, one repeat: to see that it works
    bool full = false;       ///< more poses and repeats: takes several times as long
    bool meshes = true;      ///< --nonconvex takes those in meshes/, too, unless mesh_files names others
    std::vector<std::string> mesh_files;

    int pairs() const { return quick ? 2 : 8; }                  ///< pairs of hulls at each size
    int poses() const { return quick ? 10 : full ? 400 : 100; }  ///< of each pair
};

/// Gives the exit code: 0, 1 when an experiment could not be made, or 2 for arguments it does not understand.
int run_papers(const std::vector<std::string_view>& arguments);

}  // namespace talus::profiling
