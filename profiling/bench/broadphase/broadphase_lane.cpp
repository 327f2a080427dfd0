#include "profiling/bench/broadphase/broadphase_lane.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus::profiling {

Lane::Lane(EngineKind kind, const BoxWorld& start, Act act, const Timing& timing)
    : kind_(kind), start_(start), act_(act), timing_(timing) {
    if (casts(act_)) segments_ = make_segments(start, start.boxes.size());
    prepare();
}

/// A new engine with its boxes, warmed up.
void Lane::prepare() {
    world_ = start_;
    engine_ = make_engine(kind_, world_);
    add(0, world_.present);
    constexpr int least = 4;  // until Bullet has sorted those that move from those that do not
    double spent = 0.0;
    for (int i = 0; engine_ && i < timing_.warm_up && (i < least || spent < 1e9 * timing_.budget); ++i) spent += move();
    if (act_ != Act::idle || !engine_) return;
    engine_->sleep();
    world_.movers.clear();
    move();
}

void Lane::add(std::size_t first, std::size_t last) {
    if (!engine_->add(world_, first, last, timing_.patience)) engine_.reset();
}

/// The world's next frame. Timed is what the engine does about it, ns.
double Lane::move() {
    world_.advance();
    const auto step = [&] { engine_->step(world_); };
    const double time = act_ == Act::move_threads ? wall_time_of(step) : time_of(1, step);
    engine_->take_events();
    return time;
}

double Lane::frame() {
    switch (act_) {
        case Act::move:
        case Act::move_threads:
            return move();
        case Act::idle:
            return time_of(100, [&] { engine_->step(world_); });  // one is as short as a clock read
        case Act::add:
            world_.movers.clear();
            return time_of(1, [&] { add(world_.present, world_.boxes.size()); }) + (engine_ ? move() : 0.0);
        case Act::cast:
        case Act::cast_closest:
            return time_of(1, [&] { cast_result_ = engine_->cast(world_, segments_, act_ == Act::cast_closest); });
        case Act::cast_batch:
            return time_of(1, [&] { cast_result_ = engine_->cast_batch(world_, segments_); });
    }
    return 0.0;
}

bool Lane::run_repeat() {
    if (act_ == Act::add && !medians_.empty()) prepare();
    const int frames = act_ == Act::add ? 1 : timing_.frames;
    std::vector<double> times;
    double spent = 0.0;
    for (int i = 0; engine_ && i < frames && (i < 2 || spent < 1e3 * timing_.budget); ++i) {
        times.push_back(1e-6 * frame());
        spent += times.back();
    }
    if (!engine_) return false;
    medians_.push_back(median(times));
    means_.push_back(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
    return true;
}

void Lane::check() {
    if (!casts(act_)) {
        overlapping_ = count_overlaps(world_.boxes);
        right_ = engine_->overlapping_pairs(world_) == overlapping_;
        return;
    }
    double expected = 0.0;
    for (const Segment& segment : segments_) {
        RayHits hits{segment, world_.boxes, act_ == Act::cast_closest};
        for (std::size_t box = 0; box < world_.boxes.size(); ++box) {
            if (entry(segment, world_.boxes[box]) != missed) hits.add(box);
        }
        expected += hits.result();
    }
    right_ = std::abs(cast_result_ - expected) <= 1e-4 * expected;  // a ray along a side is a matter of rounding
}

}  // namespace talus::profiling
