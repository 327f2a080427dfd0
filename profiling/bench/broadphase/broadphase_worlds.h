#pragma once
/// The worlds of `talus-profile broadphase`: boxes and their motion as plain data. A world and its trajectory follow
/// from its seed, so each engine gets a copy of its own and yet all see the same boxes.
///
/// Edges are uniform in 0.5 to 1.5 m on each axis, so two boxes whose centres lie in a large volume V overlap with
/// probability 8 m^3 / V (2 m an axis, the mean of the sum of two edges): 4.5 overlaps a box where there is one box in
/// 8 / 4.5 m^3.

#include "samples/scenes/kit/random.h"

#include <talus/aabb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::profiling {

/// What a box that moves does in a frame.
struct BoxMotion {
    float jitter = 0.05f;      ///< a step uniform in +- this on each axis, drawn anew each frame, m
    vec3 drift{0.0f};          ///< and this one, the same for all, m
    float share = 1.0f;        ///< the part of the boxes that moves at all, always the same ones; 0: all are fixed
    float teleporting = 0.0f;  ///< the part of those that goes to a random place instead, other ones each frame
};

struct BoxWorld {
    /// Boxes up to `end`, from the region before on, keep their centres in `centers`: they bounce off its sides.
    struct Region {
        std::size_t end;
        WorldAabb centers;
    };

    std::vector<WorldAabb> boxes;
    std::vector<vec3> steps;            ///< by box: the step of this frame; of a teleported box what it had been
    std::vector<std::uint32_t> movers;  ///< the boxes that an engine is told about each frame, ascending
    std::vector<Region> regions;
    std::size_t present = 0;  ///< boxes from here on come later, all in one frame
    std::size_t fixed = 0;    ///< so many at the end never move, and the engines are told so
    BoxMotion motion;
    samples::Random random{0};

    bool moving(std::size_t box) const { return box < boxes.size() - fixed; }
    void advance();            ///< to the next frame
    WorldAabb extent() const;  ///< around all that the boxes can reach
};

/// 4.5 overlaps a box, except at the sides of the world.
BoxWorld cube_world(std::size_t boxes, const BoxMotion& motion);
/// The same density, 4 m high.
BoxWorld flat_world(std::size_t boxes, const BoxMotion& motion);
/// A column of 4 x 4 m of the same density.
BoxWorld tower_world(std::size_t boxes, const BoxMotion& motion);
/// A fifth of the boxes in a heap ten times denser than the world around it.
BoxWorld heap_world(std::size_t boxes, const BoxMotion& motion);
/// A cube world and 8 slabs across all of it, of which 2 move.
BoxWorld slab_world(std::size_t boxes, const BoxMotion& motion);
/// A fifth of the boxes at one point, each of which overlaps each other one, for good.
BoxWorld point_world(std::size_t boxes, const BoxMotion& motion);
/// A cube world to which as many boxes come at one spot: 10,000 of them in a cube of 10 m.
BoxWorld burst_world(std::size_t boxes, const BoxMotion& motion);
/// Along the diagonal of a cube, each overlapping its neighbours.
BoxWorld line_world(std::size_t boxes, const BoxMotion& motion);
/// A ball with 20 overlaps a box.
BoxWorld crowd_world(std::size_t boxes, const BoxMotion& motion);
/// A cube world 10,000 km from the origin.
BoxWorld far_world(std::size_t boxes, const BoxMotion& motion);
/// Two cube worlds of half the boxes each, 10,000 km apart.
BoxWorld apart_world(std::size_t boxes, const BoxMotion& motion);

/// A uniform cube with as many boxes as `world`, nearly as many pairs (new pairs, where boxes come later) and the same
/// motion of all of them: what to compare a pathology with.
BoxWorld uniform_like(const BoxWorld& world);

/// How many pairs of boxes overlap: a sweep along the axis of largest spread, and nothing clever.
std::size_t count_overlaps(std::span<const WorldAabb> boxes);

struct Segment {
    dvec3 origin;
    vec3 translation, inverse;  ///< inverse: 1 / translation
};

/// Between random points of the world.
std::vector<Segment> make_segments(const BoxWorld& world, std::size_t count);

inline constexpr float missed = 2.0f;
/// Where the segment enters the box, as a fraction of the translation; 0 if it starts inside, `missed` if it misses.
float entry(const Segment& segment, const WorldAabb& box);

}  // namespace talus::profiling
