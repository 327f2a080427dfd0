#pragma once
/// CCD sweeps: what a body hits first on its path.
///
///     path of the body, motions of the obstacles  --first_hit()-->  time, shapes, normal and points of the first hit
///
/// A hit is the first time at which a shape of the body gets deeper into an obstacle than it is allowed to. The
/// obstacle is another convex shape, or one triangle of a mesh. For a triangle, normals that belong to its neighbours
/// do not count (narrowphase/triangles/surface_contact.h), and a shape that has been pressed through the surface is
/// still on the side where it came from. A sweep reads the world and writes to its scratch memory only. Its places are
/// relative to the origin of the path.

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/time_of_impact.h>
#include "engine/continuous/continuous_input.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus {

/// A hit that the stage reports: two shapes that met within the step, or a sensor that a body passed through. Shapes
/// are pool indices.
struct Impact {
    std::uint32_t body = 0, shape = 0;  ///< of the swept body
    std::uint32_t other = 0, other_shape = 0;
    std::uint32_t triangle = null_index;  ///< of the other's mesh
    bool sensor = false;
    dvec3 point{0.0};             ///< world, m
    vec3 normal{0.0f};            ///< world, from the other to the body
    float approach_speed = 0.0f;  ///< m/s
    float impulse = 0.0f;         ///< along the normal, N s
};

/// Paths by body: at most one per body.
class Paths {
public:
    void clear() { paths_.clear(); }
    /// Returns the body's path, or null.
    const Path* find(std::uint32_t slot) const;
    /// Adds the path. It replaces an earlier one of the same body.
    void put(const Path& path);

private:
    std::vector<Path> paths_;
};

/// A shape of the swept body and a shape of another body (pool indices), or one triangle of a mesh.
struct ShapePair {
    std::uint32_t shape, other_shape, triangle;
    friend bool operator==(const ShapePair&, const ShapePair&) = default;
};

/// Memory of one thread's sweeps. The two lists of pairs hold for one body: clear them before its first sweep.
struct SweepScratch {
    std::vector<std::uint32_t> near;    ///< slots of the bodies that the last sweep was against
    std::vector<Aabb> own_boxes;        ///< by shape of the swept body: around its way; empty until they are needed
    std::vector<std::uint32_t> shapes;  ///< of one obstacle
    /// A shape of one obstacle and a shape of the body that may meet, by the obstacle's shapes first.
    struct NearShapes {
        std::uint32_t obstacle, own;
    };
    std::vector<NearShapes> near_shapes;
    std::vector<std::uint32_t> triangles;  ///< of one mesh
    std::vector<ShapePair> disabled;       ///< by the contact modifier: they are not hit
    /// Hit without an approach: an entry for each time. With each entry the shapes may overlap by the allowed depth
    /// more.
    std::vector<ShapePair> resting;
};

/// What a body hits first.
struct SweepHit {
    float time = 0.0f;                 ///< since the start of the path, s; its whole duration without a hit
    std::uint32_t other = null_index;  ///< body slot; null without a hit
    std::uint32_t shape = 0, other_shape = 0;
    std::uint32_t triangle = null_index;
    bool at_max_depth = false;                ///< the shape is as deep in the obstacle as any may get
    TimeOfImpact toi;                         ///< A is the obstacle; its points are as seen from the path's origin
    std::uint32_t own_triangle = null_index;  ///< of the shape's mesh, if it is a solid
    Manifold manifold{};  ///< of a hit of a solid: A is the obstacle's shape. Empty: it is found from `toi`

    explicit operator bool() const { return other != null_index; }
};

/// One convex part of an obstacle's shape: the whole of it, or a triangle of a mesh.
struct ObstaclePart {
    Shape shape;
    Shape obstacle;  ///< `shape`, or a triangle grown or moved so that it stops what it should
    SurfaceTriangle surface{};
    vec3 middle{0.0f};                    ///< origin of the part's frame, in the shape's frame
    std::uint32_t triangle = null_index;  ///< of the mesh
    const Material* material = nullptr;
    bool passed = false;      ///< the middle of the swept shape was pressed through the mesh
    vec3 front_point{0.0f};   ///< if so: a point on the side where that shape belongs, the part's frame
    bool moved_back = false;  ///< `obstacle` was moved back to where the shape only touches it

    /// Returns the motion of the part, given that of its shape.
    RigidMotion motion(RigidMotion of_shape) const {
        of_shape.start = multiply(of_shape.start, Transform{middle});
        of_shape.center -= middle;
        return of_shape;
    }
};

/// Returns how much deeper a shape gets into an obstacle from the start of their motions to a time, along the normal of
/// a hit and at the point on the obstacle, m. The point and both motions are as seen from one origin.
float depth_growth(const vec3& normal, const vec3& on_obstacle, const RigidMotion& obstacle, const Shape& shape,
                   const RigidMotion& motion, float time);

/// Returns how far a triangle that stops bodies which may overlap by `depth` reaches beyond itself, m.
float largest_triangle_growth(float depth);

/// True if a ball whose centre moves on a line from `from` to `to` keeps `gap` (m, from its centre) or more in front of
/// a triangle, grown as for bodies that may overlap by `depth` (m). All is seen from the triangle; `normal` is its
/// own. Only some planes are tried, so false does not say that the ball hits the triangle.
bool ball_passes_triangle(const vec3 (&corners)[3], const vec3& normal, const vec3& from, const vec3& to, float gap,
                          float depth);

/// The sweeps of one step. Nothing is kept.
class CcdSweep {
public:
    /// `paths` are those of bodies that an impact has deflected in this step. No point of a body has moved farther than
    /// the largest motion (m), no point of a kinematic body farther than the largest kinematic motion.
    CcdSweep(const ContinuousInput& in, const Paths& paths, float largest_motion, float largest_kinematic_motion)
        : in_(in),
          paths_(paths),
          largest_motion_(largest_motion),
          largest_kinematic_motion_(largest_kinematic_motion) {}

    /// Returns the motion of a body's centre of mass from a time of the step on.
    Path path_from(std::uint32_t slot, float from) const;
    /// Returns what the body hits first on its path: fixed and kinematic bodies, and dynamic ones if asked for. The
    /// body `ignored` does not count.
    SweepHit first_hit(const Path& path, bool dynamic_too, SweepScratch& scratch,
                       std::uint32_t ignored = null_index) const;
    /// Adds an impact for each sensor that the body enters and leaves again within `duration` (s) of its path. Sensors
    /// in which it is at the start or at the end have contacts of their own. Uses `scratch.near` of the last
    /// first_hit().
    void report_passed_sensors(const Path& path, float duration, SweepScratch& scratch,
                               std::vector<Impact>& impacts) const;
    /// Returns a box around a shape on its way, given the motion of its body's centre of mass, in the frame of that
    /// motion.
    Aabb box_around(const RigidMotion& motion, const Body& body, std::uint32_t shape, float duration) const;
    /// Returns the material of a shape, or of the given triangle of its mesh.
    const Material& material_of(std::uint32_t shape, std::uint32_t triangle) const;
    /// Returns a shape, or the given triangle of its mesh.
    ObstaclePart part_of(std::uint32_t shape, std::uint32_t triangle) const;

private:
    /// A shape of the swept body and a shape of an obstacle, with their motions along the path.
    struct Query {
        const Path& path;  ///< of the swept body
        std::uint32_t slot, own_shape;
        std::uint32_t other, other_shape;
        const Shape& own;
        RigidMotion own_motion, other_motion;
        float depth = 0.0f;                   ///< that the body is allowed, m
        float max_depth = 0.0f;               ///< that it may reach in several hits, m
        const MeshContact* passed = nullptr;  ///< the mesh, if the middle of `own` was pressed through it
    };

    void find_near_shapes(const Path& path, float duration, std::uint32_t other, const RigidMotion& obstacle_motion,
                          SweepScratch& scratch) const;
    void find_triangles(const Query& query, float duration, std::vector<std::uint32_t>& triangles) const;
    void drop_triangles_behind(const Query& query, float duration, std::vector<std::uint32_t>& triangles) const;
    template <class Visit>
    void for_each_part(const Query& query, std::span<const std::uint32_t> triangles, Visit&& visit) const;
    void hit_part(const Query& query, ObstaclePart& part, const SweepScratch& scratch, SweepHit& first) const;
    bool other_mesh_goes_on(const Query& query, const ObstaclePart& part, const RigidMotion& motion,
                            const TimeOfImpact& toi, const SweepScratch& scratch) const;
    TimeOfImpact time_of_hit(const Query& query, ObstaclePart& part, const Shape& solid, const RigidMotion& motion,
                             float wanted_depth, float duration, bool& at_max_depth) const;
    static bool ball_stays_out(const Query& query, const Shape& obstacle, const RigidMotion& motion, float depth,
                               float duration);
    const MeshContact* passed_mesh_contact(std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                           std::uint32_t mesh) const;
    void hold_passed_shape(const Query& query, ObstaclePart& part) const;
    void move_back(const Query& query, ObstaclePart& part, const vec3& n) const;
    vec3 side_where_it_belongs(const Query& query, const ObstaclePart& part, const vec3& normal,
                               const RigidMotion& motion) const;

    const ContinuousInput& in_;
    const Paths& paths_;
    float largest_motion_, largest_kinematic_motion_;
};

}  // namespace talus
