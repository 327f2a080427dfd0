#pragma once
/// Frame profiles as a trace of events, which Perfetto (ui.perfetto.dev), chrome://tracing and speedscope open: Chrome's
/// trace event format, as JSON.
///
///     step         |------------------- step -------------------|      one a frame, where it was in real time
///                  | pairs |  collide  | graph | solve | finish |      its stages
///     narrowphase          |  collide  |                               one a frame
///                          |skip|closed|..                             the rungs, in the order in which they are worked
///     marks        |                                                   one a frame; its arguments are counts, times of the
///                                                                      rungs, the slowest pair
///     counters     pairs by rung, contact points, awake bodies, broadphase us
///
/// Times of rungs are sums over batches and threads. One thread's fit into the stage; where several worked and the sum is
/// longer than the stage, each is drawn in proportion; the mark has the sums.
///
/// Events are written as frames come: some 2 kB a frame. The list's end is optional in this format, so that the trace of a run
/// that was cut short can be opened, too.

#include <talus/engine/profile.h>
#include <talus/profiling/output_file.h>

#include <array>
#include <cstdint>
#include <string>

namespace talus {

/// Writes a trace, frame by frame.
class TraceWriter {
public:
    /// `title` names the process in viewers.
    Error open(const std::string& path, const std::string& title);
    void add(const FrameProfile& profile);  ///< writes the events of a frame
    Error close();                          ///< says whether all of it was written

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
