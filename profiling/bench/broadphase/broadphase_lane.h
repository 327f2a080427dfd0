#pragma once
/// One engine of `talus-profile broadphase` on one world: its frames, timed in thread CPU time.

#include "profiling/bench/broadphase/broadphase_engines.h"
#include "profiling/bench/broadphase/broadphase_worlds.h"
#include "profiling/bench/measure.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace talus::profiling {

/// What is timed as one frame.
enum class Act {
    move,          ///< each mover's new box, and the update
    move_threads,  ///< the same in wall time, and the engine may use its threads
    idle,          ///< the update alone, when all sleep
    add,           ///< the boxes that come later, and the update; each repeat starts anew
    cast,          ///< as many rays as boxes, all candidates
    cast_closest,  ///< the same, the first box of each
    cast_batch,    ///< all candidates, and the engine is given all rays at once
};

inline bool casts(Act act) { return act == Act::cast || act == Act::cast_closest || act == Act::cast_batch; }

struct Timing {
    int frames = 40;        ///< of a repeat
    int warm_up = 120;      ///< frames before the first: by then Bullet has put its fixed tree in order
    double budget = 1.0;    ///< the frames of a repeat end after so long, as does the warming up, s
    double patience = 5.0;  ///< an engine that takes longer to add the boxes is given up, s
};

class Lane {
public:
    /// Adds the boxes and warms up. `start` has to outlive it.
    Lane(EngineKind kind, const BoxWorld& start, Act act, const Timing& timing);

    /// The frames of one repeat; the world goes on where it stopped. False if the engine had to be given up: then the
    /// lane is of no use any more.
    bool run_repeat();
    /// Compares what the engine found in the last frame with plain loops over the boxes.
    void check();

    double last_ms() const { return medians_.back(); }        ///< a frame, median of the last repeat
    double ms() const { return median(medians_); }            ///< and of all repeats
    double mean_ms() const { return median(means_); }         ///< with the mean of each repeat
    bool right() const { return right_; }                     ///< as far as check() can tell
    std::size_t overlapping() const { return overlapping_; }  ///< pairs, as check() counted them
    std::size_t pairs() const { return engine_->pair_count(); }
    std::size_t bytes() const { return engine_->bytes(); }

private:
    void prepare();
    void add(std::size_t first, std::size_t last);
    double move();
    double frame();

    EngineKind kind_;
    const BoxWorld& start_;
    Act act_;
    Timing timing_;
    BoxWorld world_;
    std::unique_ptr<BoxEngine> engine_;  ///< null: given up
    std::vector<Segment> segments_;
    std::vector<double> medians_, means_;  ///< by repeat, ms
    double cast_result_ = 0.0;
    std::size_t overlapping_ = 0;
    bool right_ = true;
};

}  // namespace talus::profiling
