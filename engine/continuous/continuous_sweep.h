#pragma once
/// Internal to stage `continuous` (continuous.h): the sweep of one body, in six files.
///
///     continuous_obstacles.cpp   what a body meets first on its way
///     continuous_clear.cpp       which bodies can't have met anything, and need no sweep
///     continuous_impulses.cpp    the impulses of an impact
///     continuous_closing.cpp     joints that were opened in the step are closed
///     continuous_energy.cpp      impacts make no energy
///     continuous.cpp             who is swept, and where a body goes on after an impact

#include "engine/continuous/continuous_impulses.h"
#include "engine/world/world_state.h"

#include <algorithm>
#include <cmath>

namespace talus {

inline float length(const vec3& v) { return std::sqrt(length_squared(v)); }

inline auto find_path(std::vector<Path>& paths, std::uint32_t slot) {
    return std::find_if(paths.begin(), paths.end(), [&](const Path& path) { return path.slot == slot; });
}

/// The sweep of one body. Against fixed and kinematic bodies it writes nothing but that body and what it is given.
struct World::State::Sweep {
    State& s;
    const float dt;

    RigidMotion step_motion(std::uint32_t slot) const;
    RigidMotion motion_from(std::uint32_t slot, float from) const;
    RigidMotion shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const;
    Party party(std::uint32_t slot, const RigidMotion& motion, const vec3& velocity, const vec3& spin,
                float time) const;

    /// What of a shape a body may meet: all of it, or a triangle of a mesh.
    struct Part {
        Shape shape;
        Shape obstacle;  ///< what stops it: of a triangle more than that, see first_meeting
        SurfaceTriangle surface{};
        vec3 middle{0.0f};                    ///< the origin of its frame in the shape's
        std::uint32_t triangle = null_index;  ///< of the mesh
        const Material* material = nullptr;
        bool through = false;  ///< the shape that meets it was pressed through the mesh from `place`, its frame
        vec3 place{0.0f};
        bool sunk = false;  ///< the obstacle was moved back to where the shape is in by nothing

        RigidMotion motion(RigidMotion of_shape) const {
            of_shape.start = multiply(of_shape.start, Transform{middle});
            of_shape.center -= middle;
            return of_shape;
        }
    };
    /// What the body meets first on its path, if anything.
    struct Meeting {
        float time = 0.0f;  ///< from the path's start, s
        std::uint32_t other = null_index, shape = 0, other_shape = 0;
        std::uint32_t triangle = null_index;
        bool pressed = false;  ///< it was in so deep from the start that it must not get deeper
        TimeOfImpact toi;
    };
    Part part_of(std::uint32_t shape, std::uint32_t triangle) const;
    const MeshPatch* patch_gone_through(std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                        std::uint32_t shape) const;
    void hold_what_went_through(Part& part, const RigidMotion& motion, const Shape& own, const RigidMotion& own_motion,
                                float depth) const;
    void sink(Part& part, const vec3& n, const RigidMotion& motion, const Shape& own,
              const RigidMotion& own_motion) const;
    vec3 side_against(const Part& part, const vec3& normal, const RigidMotion& motion, std::uint32_t slot,
                      std::uint32_t own, std::uint32_t other, std::uint32_t mesh) const;
    template <class Visit>
    void for_each_part(std::uint32_t shape, const RigidMotion& motion, std::uint32_t own, const RigidMotion& own_motion,
                       std::uint32_t slot, float duration, std::vector<std::uint32_t>& triangles, Visit&& visit) const;
    bool stays_in_front(const Part& part, const RigidMotion& motion_j, const Shape& own, const RigidMotion& motion_i,
                        float duration, float depth) const;
    float allowed_depth(std::uint32_t slot) const;
    bool is_pressed(std::uint32_t slot) const;
    static float drop(const vec3& normal, const vec3& on_obstacle, const RigidMotion& obstacle, const Shape& shape,
                      const RigidMotion& motion, float time);
    bool may_meet(std::uint32_t slot, std::uint32_t other, bool dynamic_too) const;
    Meeting first_meeting(const Path& path, bool dynamic_too, SweepScratch& scratch,
                          std::uint32_t but = null_index) const;
    bool is_clear(std::uint32_t slot) const;
    bool stays_before(std::uint32_t slot, std::uint32_t pair) const;
    bool stays_before(std::uint32_t slot, std::uint32_t other, std::uint32_t contact) const;
    bool stays_before_mesh(std::uint32_t slot, std::uint32_t other, std::uint32_t pair, std::uint32_t shape,
                           std::uint32_t mesh) const;
    Transform end_pose(std::uint32_t slot, std::uint32_t shape) const;
    Aabb swept_box(std::uint32_t slot, std::uint32_t shape) const;
    Aabb swept_box(std::uint32_t slot) const;
    bool keeps_within_fat_box(std::uint32_t slot, const Aabb& swept) const;
    const SolverBody* moved(std::uint32_t slot) const;
    float bend(std::uint32_t slot) const;
    float bend_against(std::uint32_t slot, std::uint32_t other) const;
    void pass_sensors(const Path& path, float duration, SweepScratch& scratch, std::vector<Impact>& found) const;
    Path run(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch, std::vector<Impact>& found);
    bool hold_up_first(std::uint32_t slot, float from, float time, std::vector<Impact>& found);
    Transform carried_along(Path path, const Meeting& meeting, const Transform& met, SweepScratch& scratch) const;
    bool flies_freely(std::uint32_t slot) const;
    void collide(Path& path, const Meeting& meeting, SweepScratch& scratch, std::vector<Impact>& found,
                 ImpactEnergy& books);
    void lift(Path& path, vec3 by, float rest);
    void commit(std::uint32_t slot, const Transform& end);
    void turn_away(std::uint32_t slot, RigidMotion motion, float time, float now, const Party& after,
                   std::vector<Impact>& found);
    float resolve_held(const Collision& collision, std::uint32_t other_slot, std::uint32_t slot, float rest,
                       Party& other, Party& mover, Party& way);
    void carry_on(std::uint32_t slot, const Party& velocities, const Party& way, float rest);

    // continuous_closing.cpp
    void keep_place(std::uint32_t slot);
    void note_opened(std::uint32_t slot);
    Path way_to_now(std::uint32_t slot) const;
    float height_above(const Stop& stop, vec3& lowest) const;
    bool stop_at_contacts(std::uint32_t slot);
    JointSolver::ClosingPlane plane_now(const Stop& stop) const;
    void shift(std::uint32_t slot, const vec3& move, const glm::dvec3& turn);
    bool gets_round(const Path& path, const Meeting& meeting) const;
    bool bring_together(std::uint32_t slot);
    bool gets_there(std::uint32_t slot);
    void put_back(std::uint32_t slot);
    void close_joints(std::uint32_t slot);
    void close_open_joints();

    // continuous_energy.cpp
    struct MotionEnergy {
        double kinetic = 0.0, potential = 0.0;  ///< J
        double inside = 0.0;                    ///< kinetic, of bodies against each other, J
        double ahead = 0.0;                     ///< what gravity gives them in half a sub-step, J
        glm::dvec3 mean_velocity{0.0};          ///< m/s
    };
    MotionEnergy energy_of(std::uint32_t slot, bool with_links) const;
    ImpactEnergy& books_of_links(std::uint32_t slot);
    void hold_together(std::uint32_t slot);
    double work_on(std::uint32_t slot, const Party& before, const Party& after, const quat& rotation,
                   const vec3& velocity, const vec3& spin) const;
    bool take_back(std::uint32_t slot, bool with_links, const ImpactEnergy& books);
};

}  // namespace talus
