#pragma once
/// Compares two runs by their CSV files: what got slower or faster, where, and whether there was more work or the same
/// work took longer.
///
/// Each part of a frame is compared by its median over the frames in which it ran, times the share of these frames in
/// all frames. So a stage that runs in each frame counts with its median, and a rung that runs in one frame of ten with
/// a tenth of it; single frames that the system interrupted change neither.
///
/// Noise is the variation of the difference of these medians when frames are drawn again, with replacement (bootstrap).
/// They are drawn in blocks of a twelfth of all frames, because disturbances last; and the same frames from both files,
/// because two runs of one scene are expensive in the same frames. Only a difference of more than three standard
/// deviations of that, and of more than 2%, counts. A machine that was slower for a whole run cannot be seen in this
/// way; if all stages changed together, the text says so.

#include <talus/profiling/csv_table.h>

#include <string>
#include <vector>

namespace talus {

/// A quantity in both runs.
struct Compared {
    std::string name;           ///< as the text shows it
    double before = 0.0;        ///< value in the first run
    double after = 0.0;         ///< value in the second run
    double noise = 0.0;         ///< three standard deviations of the change, in its unit; 0 for counts
    bool is_different = false;  ///< the change exceeds the noise; for counts: is not 0

    double change() const { return after - before; }  ///< in the quantity's unit
    /// In percent of `before`; 0 if both are 0, 100 if only `before` is.
    double percent() const;
};

/// A pass of the narrowphase: its time is the number of its pairs times the price of one.
struct ComparedPass {
    Compared time;   ///< us per frame
    Compared pairs;  ///< mean per frame
    Compared price;  ///< us per pair, over the whole run
};

/// What differs between two runs.
struct ProfileDiff {
    std::size_t frames_before = 0;           ///< number of frames of the first run
    std::size_t frames_after = 0;            ///< number of frames of the second run
    std::size_t frames_compared = 0;         ///< those with the same number in both; the others are left out
    std::vector<std::string> warnings;       ///< sentences about what makes the comparison doubtful
    std::vector<Compared> totals;            ///< p50, p95, p99, max of total_us, us
    std::vector<Compared> stages;            ///< us per frame; largest change first
    std::vector<ComparedPass> passes;        ///< largest change of time first
    std::vector<Compared> shapes;            ///< timed tests by shapes, us per frame; largest change first
    std::vector<Compared> iterations;        ///< of GJK and of EPA, per call
    std::vector<Compared> work;              ///< counts that differ, mean per frame; largest change in percent first
    std::size_t frames_with_other_work = 0;  ///< compared frames whose counts differ
    bool is_machine = false;                 ///< all stages that count got slower, or all faster, at the same work
};

/// Compares two runs. Refused: tables without the columns frame and total_us, tables whose columns differ in length or
/// in number from their names, and tables that have no frame in common.
Result<ProfileDiff> diff_profiles(const CsvTable& before, const CsvTable& after);

/// Returns the comparison as text, 80 columns wide, with ANSI colours if `colors`. `before` and `after` name the runs.
std::string describe(const ProfileDiff& diff, const std::string& before, const std::string& after, bool colors);

}  // namespace talus
