#pragma once
/// CCD sweeps of bodies with a solid that is not convex.
///
/// The body's path is searched for the first time at which two features that can touch get deeper into each other than
/// is allowed (FeatureSweep): the root of their basic contact function. There the two collide, as convex shapes do
/// (impact_response.h), at the points where their features touch.
///
/// Round shapes have no features of their own. Against them the solid is placed along its path at distances of half its
/// thickness. If it overlaps the shape by more than is allowed at one of these places and does not at the start, the hit
/// is where the overlap becomes as deep.
///
/// A body that hits something which it does not approach at these points, or has used up its impacts, ends its step there
/// and keeps its velocity: the contacts of the next step stop it. If it hit a kinematic body that would run it over, it
/// moves with that one for the rest of the step. A body that hits something at once moves a little all the same, so that
/// it is not held in place for ever. Bodies with joints are not swept, because that would open the joints.

#include "engine/continuous/ccd_sweep.h"
#include "engine/continuous/continuous_input.h"
#include "narrowphase/nonconvex/feature_sweep.h"
#include "narrowphase/nonconvex/round_contacts.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace talus {

class SweptSolids {
public:
    /// A shape of the body and one of another body, and how they move, as seen from the path's origin.
    struct Meeting {
        std::uint32_t own, other, other_body;
        float duration;  ///< of the motions, s
        RigidMotion own_motion, other_motion;
    };
    struct SweptBody {
        float inner_radius;  ///< of the body, > 0, m
        float allowed;       ///< the greatest overlap that is no hit, m
        float places;        ///< the number of places at which it is compared with a round shape
        float motion;        ///< the most that points of it and of what it may hit move past each other, m
    };
    struct Hit : SweepHit {
        Meeting met{};      ///< the two shapes
        SweptBody swept{};  ///< the body
    };

    /// Returns what a body hits first on its path. A hit without a manifold is one that it does not approach.
    /// `largest_motion`: how far a point of any other body that it may hit has moved in the step at most, m. `disabled`:
    /// shapes that do not hit each other.
    Hit first_hit(const ContinuousInput& in, const CcdSweep& sweep, const Path& path, bool dynamic_too,
                  float largest_motion, std::span<const ShapePair> disabled);
    /// Ends the step of the body at a hit.
    void stop(const ContinuousInput& in, ContinuousOutput& out, const Path& path, const Hit& hit);

private:
    void find_meetings(const ContinuousInput& in, const CcdSweep& sweep, const Path& path, bool dynamic_too,
                       float largest_motion);
    SweptBody against(const ContinuousInput& in, const Meeting& meeting, SweptBody body) const;
    /// A place where the two shapes of a hit touch.
    struct HitPoint {
        vec3 on_mesh, on_other;  ///< on the body's shape and on the other one, in their frames, m
        float separation;        ///< m
        vec3 normal;             ///< unit, along the world's axes, from the other shape to the body's
        std::uint32_t own_triangle, other_triangle;  ///< of their meshes; null_index without one
    };
    void find_touching(const ContinuousInput& in, const Hit& hit, float allowed, float margin);
    void find_points(const ContinuousInput& in, Hit& hit);
    const TriangleSet* surface(const ContinuousInput& in, std::uint32_t shape);
    const detail::SurfaceFeatures& features_near(const TriangleSet& set, const Aabb& box, const vec3& from);
    float hit(const ContinuousInput& in, const Meeting& meeting, const SweptBody& body, float end);
    float round_hit(const TriangleSet& solid, const RigidMotion& solid_motion, const Shape& shape,
                    const RigidMotion& shape_motion, const SweptBody& body, float end);
    float feature_hit(const Meeting& meeting, const TriangleSet& own, const TriangleSet& other, const SweptBody& body,
                      float end);
    bool is_run_over(const ContinuousInput& in, const Meeting& meeting, const SweptBody& body, float time);

    // Scratch.
    std::vector<Meeting> meetings_;
    std::vector<std::uint32_t> near_bodies_;
    struct KnownSurface {
        std::uint32_t version = 0;  ///< of the shape
        std::shared_ptr<const TriangleSet> set;
    };
    std::unordered_map<std::uint32_t, KnownSurface> surfaces_;  ///< of boxes and hulls, by shape
    detail::SurfaceFeatures near_surface_;                      ///< of a set that is no solid
    detail::FeatureSweep sweep_;
    detail::FeatureCandidates candidates_;
    detail::RoundCandidates round_;
    std::vector<detail::FeaturePoint> points_;
    std::vector<HitPoint> hit_points_;
    std::vector<std::uint32_t> found_;
};

}  // namespace talus
