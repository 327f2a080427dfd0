#pragma once
/// The contestants of `talus-profile broadphase` behind one face: Talus's Broadphase, Bullet's btDbvtBroadphase in its
/// two modes, and its bt32BitAxisSweep3.

#include "profiling/bench/broadphase/broadphase_worlds.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace talus::profiling {

/// What a ray meets: how many boxes, or where it enters the first one.
struct RayHits {
    const Segment& segment;
    std::span<const WorldAabb> boxes;
    bool closest;
    std::size_t count = 0;
    float first = 1.0f;  ///< fraction; 1 if nothing is hit

    void add(std::size_t box) {
        ++count;
        if (closest) first = std::min(first, entry(segment, boxes[box]));
    }
    double result() const { return closest ? static_cast<double>(first) : static_cast<double>(count); }
};

enum class EngineKind { talus, talus_two_threads, dbvt, dbvt_deferred, sap };

class BoxEngine {
public:
    virtual ~BoxEngine() = default;

    /// Adds the world's boxes from first to before last, as its own of the same index. False if that took longer than
    /// `patience` (s of CPU time) and was given up; then the engine is good for nothing any more.
    virtual bool add(const BoxWorld& world, std::size_t first, std::size_t last, double patience) = 0;
    /// Tells it where the world's movers are now, and brings its pairs up to date.
    virtual void step(const BoxWorld& world) = 0;
    /// To be called after each step, untimed: the user takes the events.
    virtual void take_events() {}
    /// Nothing moves from now on.
    virtual void sleep() {}
    /// Casts the segments one by one. How many boxes they enter; or, for the closest hits, the sum of the fractions at
    /// which they enter the first one.
    virtual double cast(const BoxWorld& world, std::span<const Segment> segments, bool closest) = 0;
    /// Casts them all at once, if it knows how to. How many boxes they enter.
    virtual double cast_batch(const BoxWorld& world, std::span<const Segment> segments) {
        return cast(world, segments, false);
    }

    virtual std::size_t pair_count() const = 0;  ///< also of pairs that only its own, larger boxes make
    /// Those of its pairs whose boxes overlap in the world.
    virtual std::size_t overlapping_pairs(const BoxWorld& world) = 0;
    virtual std::size_t bytes() const = 0;  ///< heap memory held
};

/// An engine without boxes yet, with room for those of the world. Null for Bullet's in a build without Bullet.
std::unique_ptr<BoxEngine> make_engine(EngineKind kind, const BoxWorld& world);

}  // namespace talus::profiling
