#pragma once
/// Continuous collision of bodies with a solid that is not convex.
///
/// Such a body is placed along its path at distances of half its thickness, so that it cannot jump over anything. If
/// its boundary crosses an obstacle's at one of these places and does not at the start, the body ends its step just
/// before they begin to cross, or just after it if it could hardly move otherwise: so nothing is held in place for
/// ever. It keeps its velocity, and the contacts of the next step stop it: it loses the rest of one step. What it
/// overlaps at the start already is left to the contacts, except that no point deep inside of the solid
/// (SurfaceFeatures::cores) passes through the front of a surface.
///
///     start      fast solid: 1, 2, 3 ... crosses at 3         bisection between 2 and 3
///       o---1---2---3|---o end                                  o---1---2--*|
///
/// Bodies with joints are not swept, because that would open the joints.

#include "engine/continuous/continuous_input.h"
#include "narrowphase/nonconvex/surfaces_cross.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace talus {

class SweptSolids {
public:
    /// Stops these bodies where they hit something. Those with Continuous::all are stopped by dynamic bodies, too.
    /// `largest_motion`: how far a point of any other body that they may hit has moved in the step at most, m.
    void stop(const ContinuousInput& in, ContinuousOutput& out, std::span<const std::uint32_t> bodies,
              float largest_motion);

private:
    /// A shape of the body and one of another body, and how they move, as seen from the path's origin.
    struct Meeting {
        std::uint32_t own, other;
        RigidMotion own_motion, other_motion;
        bool counts = true;  ///< the two do not cross at the start
    };
    void find_meetings(const ContinuousInput& in, const Path& path, float largest_motion);
    bool cross(const ContinuousInput& in, const Meeting& meeting, float time);
    const detail::SurfaceFeatures& faces_near(const TriangleSet& set, const TriangleSet& other,
                                              const Transform& other_in_set, detail::SurfaceFeatures& scratch);
    bool any_crosses(const ContinuousInput& in, float time);
    float core_hit(const ContinuousInput& in, const Meeting& meeting) const;
    const TriangleSet* surface(const ContinuousInput& in, std::uint32_t shape);

    // Scratch.
    std::vector<Meeting> meetings_;
    std::vector<std::uint32_t> near_;
    std::unordered_map<std::uint32_t, std::shared_ptr<const TriangleSet>> surfaces_;  ///< of boxes and hulls, by shape
    detail::SurfaceFeatures near_own_, near_other_;
    std::vector<std::uint32_t> found_;
};

}  // namespace talus
