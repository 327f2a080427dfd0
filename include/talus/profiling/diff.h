#pragma once
/// Compares two runs by their CSV files: what got slower or faster, where, and whether there was more work or the same
/// work at another price.
///
/// A part of a frame is compared by its median over the frames in which it ran, times their share of all frames: a stage
/// that works in each frame is its median, a rung that works in one frame of ten a tenth of it, and a frame that the system
/// interrupted moves neither.
///
/// Noise is what the difference of those medians varies by when frames are drawn again, with replacement (bootstrap): in
/// runs of frames, a twelfth of all each, since disturbances last; the same frames from both files, since two runs of one
/// scene cost much in the same frames. A difference is called one beyond three standard deviations of that and 2%. What it
/// cannot see is a machine that was slower for a whole run: if all stages changed together, that is said.

#include <talus/profiling/csv_table.h>

#include <string>
#include <vector>

namespace talus {

/// A quantity in both runs.
struct Compared {
    std::string name;           ///< a stage, a rung or a column
    double before = 0.0;        ///< its value in the first run
    double after = 0.0;         ///< its value in the second run
    double noise = 0.0;         ///< three standard deviations of the change, in its unit; 0 for counts
    bool is_different = false;  ///< beyond noise; of counts: at all

    /// In the unit of the two values.
    double change() const { return after - before; }
    /// In percent of `before`; 0 if both are 0, 100 if only `before` is.
    double percent() const;
};

/// A pass of the narrowphase: its time is the number of its pairs times the price of one.
struct ComparedPass {
    Compared time;   ///< us a frame
    Compared pairs;  ///< mean a frame
    Compared price;  ///< us a pair, over the whole run
};

/// What differs between two runs.
struct ProfileDiff {
    std::size_t frames_before = 0;      ///< in the first run
    std::size_t frames_after = 0;       ///< in the second run
    std::size_t frames_compared = 0;    ///< those with the same number in both; the others are left out
    std::vector<std::string> warnings;  ///< sentences: what makes the comparison doubtful
    std::vector<Compared> totals;       ///< p50, p95, p99, max of total_us, us
    std::vector<Compared> stages;       ///< us a frame; largest change first
    std::vector<ComparedPass> passes;   ///< largest change of time first
    std::vector<Compared> shapes;       ///< timed tests by shapes, us a frame; largest change first
    std::vector<Compared> iterations;   ///< of GJK and of EPA, a call
    std::vector<Compared> work;         ///< counts that differ, mean a frame; largest change in percent first
    /// Compared frames in which a count differs.
    std::size_t frames_with_other_work = 0;
    bool is_machine = false;  ///< every stage that counts got slower, or faster, at the same work
};

/// Refused: tables that are not of frames (no column frame or total_us), or that share no frame.
Result<ProfileDiff> diff_profiles(const CsvTable& before, const CsvTable& after);

/// For people, 80 columns wide; with ANSI colours if asked for.
std::string describe(const ProfileDiff& diff, const std::string& before, const std::string& after, bool colors);

}  // namespace talus
