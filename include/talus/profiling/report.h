#pragma once
/// Frame profiles as one page of HTML: plots of the time of each frame, tables, the worst frames and the worst pairs.
/// The page loads nothing from the net, so it opens from disk. It has a light and a dark look.
///
/// The plots have at most 4,096 points. In longer runs a point stands for two frames, then for four, and so on, and
/// shows the most expensive of them. Percentiles, sums, histograms and the lists of the worst are exact.
///
/// Times of frames that the system interrupted (FrameProfile::interruptions) say more about the machine. The page draws
/// them pale, lists them last, and leaves them out of percentiles, sums and means, unless all frames were interrupted.

#include <talus/engine/world.h>
#include <talus/profiling/output_file.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace talus {

/// Facts about the run that the page shows beside its numbers.
struct ReportFacts {
    std::string title;                                       ///< of the run: the scene
    std::string subtitle;                                    ///< a sentence about it; may be empty
    std::vector<std::pair<std::string, std::string>> facts;  ///< names and values: seed, threads, processor, ...
    /// A command that shows a pair, for people to copy: "{frame}" becomes the frame's number, "{body_a}" and
    /// "{body_b}" become the slots of the bodies. May be empty.
    std::string look;
};

/// Collects the profiles of a run, and writes the page when it is closed.
class ReportWriter {
public:
    /// Creates the file at once, so that a bad path is reported before the run.
    Error open(const std::string& path, ReportFacts facts);
    /// Adds the profile of a step. With its world, the list of the worst pairs has the types of their shapes, too.
    void add(const FrameProfile& profile, const World* world = nullptr);
    /// Writes the page. Returns an error if any part could not be written.
    Error close();

    static constexpr std::size_t most_points = 4096;  ///< of a plot
    static constexpr std::size_t worst_count = 10;    ///< of frames, and of pairs

private:
    /// Bodies and shapes: (slot of A, shape of A, slot of B, shape of B).
    using PairKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    /// What is known of a pair that was the slowest of a frame.
    struct PairStory {
        double microseconds = 0.0;  ///< in its worst frame
        bool calm = false;          ///< which the system did not interrupt
        std::uint64_t frame = 0;
        Rung rung = Rung::skip;
        std::uint64_t times = 0;       ///< so many frames had it as their slowest
        std::string shape_a, shape_b;  ///< their types, or nothing
    };

    void note_point(const FrameProfile& profile);
    void note_worst(const FrameProfile& profile);
    void note_pair(const FrameProfile& profile, const World* world);
    std::vector<std::pair<PairKey, PairStory>> worst_pairs() const;
    std::string data() const;

    OutputFile file_;
    ReportFacts facts_;
    std::uint64_t first_frame_ = 0;
    std::vector<FrameProfile> points_;  ///< of the plots
    std::size_t frames_per_point_ = 1, frames_in_last_ = 0;
    std::vector<FrameProfile> worst_;  ///< the dearest frames, dearest first
    std::map<PairKey, PairStory> pairs_;
    struct Times {
        std::vector<double> totals;      ///< us, of every frame
        FrameProfile sum;                ///< of its times
        NarrowphaseProfile narrowphase;  ///< summed up
        JointProfile joints;             ///< summed up
    };
    Times calm_, interrupted_;  ///< of frames that the system left alone, and of those it interrupted
};

}  // namespace talus
