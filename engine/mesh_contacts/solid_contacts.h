#pragma once
/// The contacts of solids that are not convex with each other, with meshes and height fields, and with convex shapes: by
/// their features (narrowphase/nonconvex/feature_contacts.h; round_contacts.h for what is no polyhedron).
///
/// Two such shapes can touch in many places and directions at once. Points that face alike are a *patch*, and each
/// patch is a contact of its own, with up to four points. All patches of two shapes belong to one MeshContact.
///
///     stage pairs:    two shapes whose boxes are near -> MeshContact::by_features
///     stage collide:  features near the overlap -> candidates -> points -> patches -> manifolds of contacts

#include <talus/engine/profile.h>
#include <talus/jobs.h>
#include "common/scratch.h"
#include "engine/contacts/contact_world.h"
#include "narrowphase/nonconvex/feature_contacts.h"
#include "narrowphase/nonconvex/round_contacts.h"
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

/// Returns a point inside of a solid, near its surface, m.
vec3 inner_point(const TriangleSet& solid);

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
    /// Finds the contact points of pairs again within a step, at the present poses of their colliders. Call begin_again()
    /// with the number of tasks, then find_again() for each task, on any threads, then put_again() for each, in order.
    /// put_again() sets the manifolds of the contacts that the pair has; it adds and removes none. A new patch takes the
    /// contact of a patch that has lost its points. A contact that is left without points has an empty manifold.
    /// Pairs of surfaces of many triangles are not found again: it would take as long as finding them at the start of the
    /// step, in each sub-step.
    static bool can_find_again(const ShapePool& shapes, const MeshContact& m);
    void begin_again(std::size_t tasks);
    void find_again(const ContactWorld& world, const Task& task, std::size_t index);
    void put_again(const ContactWorld& world, const Task& task, std::size_t index);
    std::size_t bytes() const;

private:
    /// The numbers of the materials where two surfaces touch; null_index: those of the whole shapes.
    struct Materials {
        std::uint32_t of_mesh = null_index, of_shape = null_index;
        bool operator==(const Materials&) const = default;
    };
    /// Contact points with about the same normal and the same materials, and their contact; null_index if the patch is
    /// new.
    struct Patch {
        vec3 normal;  ///< from the mesh to the shape, mesh frame
        Materials materials;
        bool rolls;  ///< detail::FeaturePoint::rolls
        std::uint32_t contact;
        std::vector<detail::FeaturePoint> points;
    };
    /// What is derived from the two shapes at MeshContact::seen_pose.
    struct Known {
        std::uint32_t mesh = null_index, shape = null_index, versions = 0;  ///< for which it holds
        float reach = -1.0f;                                                ///< for which the candidates were found, m
        float around = -1.0f;  ///< distance up to which of_mesh was collected, m
        Transform pose;
        std::shared_ptr<const TriangleSet> own_set;  ///< of the shape, if it is a box or a hull
        detail::SurfaceFeatures of_mesh;             ///< if the mesh is no solid: near the shape
        detail::FeatureCandidates candidates;
        detail::RoundCandidates round;  ///< instead of those, with a shape that is no polyhedron
    };
    struct Placement;
    struct Surfaces;
    /// MeshContact::way_out as it was found last: the same in the frame of the larger surface. Zero if there was none.
    struct WayBefore {
        vec3 direction{0.0f};  ///< in the mesh's present frame
        float depth = 0.0f;    ///< what is left of MeshContact::overlap_depth, m
    };
    static detail::CrossingCurve unresolved(const Surfaces& s, const detail::SurfaceOverlap& overlap,
                                            std::span<const detail::FeaturePoint> points, bool touches);
    static WayBefore way_before(const Placement& s, const MeshContact& m);
    static void find_way_out(const Surfaces& s, bool may_cross, std::optional<detail::SurfaceOverlap>& overlap,
                             std::span<const detail::FeaturePoint> points, const WayBefore& before, MeshContact& m);
    static void keep_way(const Placement& s, const WayBefore& before, MeshContact& m);
    static void push_out(const Placement& s, MeshContact& m, std::vector<detail::FeaturePoint>& points);
    static void set_way_to_surface(const Surfaces& s, bool crosses, MeshContact& m);
    static void set_way_back(const Surfaces& s, MeshContact& m);
    static void collect(const Surfaces& s, Known& known, const Transform& b_in_a, float around, const vec3& side);
    static bool look_around(const Surfaces& s, Known& known, float margin, float depth, MeshContact& m,
                            std::optional<detail::SurfaceOverlap>& overlap);
    static void find_candidates(const Surfaces& s, Known& known, const MeshContact& m, detail::FeatureLimits limits,
                                std::optional<detail::SurfaceOverlap>& overlap);
    void find(const ContactWorld& world, const Task& task, std::vector<detail::FeaturePoint>& points);
    static void find_with_surface(const Surfaces& s, const ContactWorld& world, std::uint32_t mesh_contact,
                                  Known& known, std::vector<detail::FeaturePoint>& points);
    static void find_with_round(const Placement& s, const TriangleSet& solid, const Shape& shape, Known& known,
                                MeshContact& m, std::vector<detail::FeaturePoint>& points);
    void apply(const ContactWorld& world, const Task& task, std::span<const detail::FeaturePoint> points);
    static Materials materials_at(const ShapePool& shapes, const MeshContact& m, std::uint32_t of_mesh,
                                  std::uint32_t of_shape);
    static std::vector<Patch> patches_of(const ContactWorld& world, std::uint32_t mesh_contact,
                                         std::span<const detail::FeaturePoint> points, std::size_t most);
    static FaceOwner face_owner_of(const Patch& patch);
    static void set_manifold(const ContactWorld& world, const Patch& patch, float reach);

    Scratch<std::vector<Known>> known_;                              ///< by mesh contact; derived again if it is lost
    Scratch<std::vector<std::vector<detail::FeaturePoint>>> found_;  ///< by task
    Scratch<std::vector<double>> times_;                             ///< by part of the tasks, us
};

}  // namespace talus
