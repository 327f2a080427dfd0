#pragma once
/// Frame profiles as a trace of events, which Perfetto (ui.perfetto.dev), chrome://tracing and speedscope open:
/// Chrome's trace event format, as JSON.
///
///     step         |------------------- step -------------------|      one per frame, at its real time
///                  | pairs |  collide  | graph | solve | finish |      its stages
///     narrowphase          |  collide  |                               one per frame
///                          |skip|closed|..                             the rungs, in the order in which they run
///     marks        |                                                   one per frame, with counts, times of the rungs
///                                                                      and the slowest pair
///     counters     pairs by rung, contact points, awake bodies, broadphase us
///
/// Times of rungs are sums over batches and threads. With one thread they fit into the stage. If several threads worked
/// and the sum is longer than the stage, the rungs are drawn shorter in proportion; the mark has the true sums.
///
/// Events are written frame by frame, some 2 kB per frame. This format does not need the end of its list, so the trace
/// of an interrupted run can be opened, too.

#include <talus/engine/profile.h>
#include <talus/profiling/output_file.h>

#include <array>
#include <cstdint>
#include <string>

namespace talus {

/// Writes the trace of a run.
class TraceWriter {
public:
    /// Creates the file, or empties it. Viewers show `title` as the name of the process.
    Error open(const std::string& path, const std::string& title);
    void add(const FrameProfile& profile);  ///< writes the events of a frame
    Error close();                          ///< returns an error if any part could not be written

private:
    void count(const char* name, double value, double& last, std::int64_t at);

    OutputFile file_;
    std::string text_;      ///< of the frame
    double first_ = 0.0;    ///< FrameProfile::start of the first frame, us
    std::int64_t end_ = 0;  ///< of the last frame, us / 1024 since the first one's start
    bool started_ = false;
    double contacts_ = -1.0, awake_ = -1.0, broadphase_ = -1.0;  ///< as they were written last
    std::array<std::uint64_t, rung_count> pairs_{};
};

}  // namespace talus
