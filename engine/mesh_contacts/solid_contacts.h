#pragma once
/// The contacts of solids that are not convex with each other, with meshes and height fields, and with boxes and hulls:
/// by their features (narrowphase/nonconvex/feature_contacts.h).
///
/// Two such shapes can touch in many places and directions at once. Points that face alike are a *patch*, and each
/// patch is a contact of its own, with up to four points. All patches of two shapes belong to one MeshContact.
///
///     stage pairs:    two shapes whose boxes are near -> MeshContact::by_features
///     stage collide:  features near the overlap -> candidates -> points -> patches -> manifolds of contacts
///
/// (Spheres, capsules, cylinders and cones meet the triangles of a solid one by one, as those of any mesh:
/// mesh_contacts.h.)

#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include "common/scratch.h"
#include "engine/contacts/contact_world.h"
#include "narrowphase/nonconvex/feature_contacts.h"
#include "narrowphase/nonconvex/surfaces_cross.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace talus {

/// Returns whether the contacts of a shape with a mesh are found by features.
bool meets_by_features(const ShapePool& shapes, const BodyStore& bodies, std::uint32_t shape, std::uint32_t mesh,
                       std::uint32_t mesh_body);

/// Returns a box or a hull as a surface; null for other shapes.
std::shared_ptr<const TriangleSet> surface_of(const Shape& shape);

class SolidContacts {
public:
    /// Two shapes whose contacts are to be found in this step.
    struct Task {
        std::uint32_t mesh_contact, pair;
    };
    /// Finds the contacts of the listed pairs: adds and removes patches, and sets their manifolds.
    void collide(const ContactWorld& world, std::span<const Task> tasks, const Jobs& jobs, bool timed,
                 NarrowphaseProfile& profile);
    std::size_t bytes() const;

private:
    /// What is derived from the two shapes at MeshContact::seen_pose.
    struct Known {
        std::uint32_t mesh = null_index, shape = null_index, versions = 0;  ///< for which it holds
        float reach = -1.0f;                                                ///< for which the candidates were found, m
        float around = -1.0f;  ///< distance up to which of_mesh and of_shape were collected, m
        Transform pose;
        std::shared_ptr<const TriangleSet> own_set;  ///< of the shape, if it is a box or a hull
        detail::SurfaceFeatures of_mesh, of_shape;   ///< of sets that are no solids, near the other one
        detail::FeatureCandidates candidates;
    };
    struct Surfaces;
    static void collect(const Surfaces& s, Known& known, const Transform& b_in_a, float around);
    static bool look_around(const Surfaces& s, Known& known, float margin, float depth, MeshContact& m,
                            std::optional<detail::SurfaceOverlap>& overlap);
    static void find_candidates(const Surfaces& s, Known& known, const MeshContact& m, detail::FeatureLimits limits,
                                std::optional<detail::SurfaceOverlap>& overlap);
    void find(const ContactWorld& world, const Task& task, std::vector<detail::FeaturePoint>& points);
    void apply(const ContactWorld& world, const Task& task, std::span<const detail::FeaturePoint> points);
    void set_patch(const ContactWorld& world, std::uint32_t contact, const vec3& normal,
                   std::span<const detail::FeaturePoint> points, float reach);

    Scratch<std::vector<Known>> known_;                              ///< by mesh contact; derived again if it is lost
    Scratch<std::vector<std::vector<detail::FeaturePoint>>> found_;  ///< by task
    Scratch<std::vector<double>> times_;                             ///< by part of the tasks, us
};

}  // namespace talus
