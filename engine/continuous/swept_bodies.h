#pragma once
/// Which bodies need a CCD sweep.
///
///     displacements of the step, contacts  --find()-->  fast bodies and bullets, in the order of the awake list
///
/// A dynamic body is swept if its surface moves and turns (turning.h) by more than `continuous_motion` of its inner
/// radius, if a contact finds it pressed into an obstacle (`continuous_pressed`), or if it is near a kinematic body
/// that moved as far. A solid that is not convex is also swept if it moves by more than `solid_wall_motion` times the
/// thickness of a fixed or kinematic wall near it. is_clear() then spares most of the convex bodies: the pairs of the step name every obstacle that is near, and
/// separating planes (that the narrowphase has found; for balls, others too) show, at both ends of the path, that the
/// body stays in front of its obstacles. This takes three quarters off the stage in the scenes `tumble8` and `drum`.
///
/// The lists are made anew in each step.

#include "engine/continuous/continuous_input.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class SweptBodies {
public:
    void clear();
    /// Finds the bodies. The lists must be empty.
    void find(const ContinuousInput& in);

    /// Bodies that are swept against fixed and kinematic bodies (Continuous::fixed).
    std::span<const std::uint32_t> fast() const { return fast_; }
    /// Bodies that are swept against dynamic bodies as well (Continuous::all).
    std::span<const std::uint32_t> bullets() const { return bullets_; }
    /// The same two lists of bodies with a solid that is not convex, which are swept in another way (swept_solids.h).
    std::span<const std::uint32_t> solids() const { return solids_; }
    std::span<const std::uint32_t> solid_bullets() const { return solid_bullets_; }
    std::size_t count() const { return fast_.size() + bullets_.size() + solids_.size() + solid_bullets_.size(); }

    /// True if the body cannot have hit a fixed or kinematic body in this step.
    bool is_clear(const ContinuousInput& in, std::uint32_t slot) const;

    /// How far a point of an awake body, or of a kinematic one, has moved in the step at most, m.
    float largest_motion() const { return largest_motion_; }
    float largest_kinematic_motion() const { return largest_kinematic_motion_; }

private:
    std::vector<std::uint32_t>& list_of(const ContinuousInput& in, const Body& body);
    void add_bodies_near(const ContinuousInput& in, std::uint32_t kinematic);
    void add_solids_at_thin_walls(const ContinuousInput& in);

    std::vector<std::uint32_t> fast_, bullets_, solids_, solid_bullets_;
    std::vector<std::uint32_t> moving_kinematics_;
    std::vector<WorldAabb> stray_kinematic_boxes_;  ///< swept boxes of kinematic bodies that have left their fat AABBs
    float largest_motion_ = 0.0f, largest_kinematic_motion_ = 0.0f;
};

}  // namespace talus
