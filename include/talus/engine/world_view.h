#pragma once
/// The bodies of a world as they were after a step, for queries on other threads while the next step runs.

#include <talus/engine/world.h>
#include <talus/latest.h>

#include <memory>
#include <span>
#include <vector>

namespace talus {

/// Bodies and shapes of a world after one of its steps. It does not change, so any number of threads may query it. The
/// functions are those of World; a refused call sets last_error() here, which must not be read while another thread
/// calls something.
class WorldView {
public:
    // State of bodies.
    bool is_valid(BodyId body) const { return world_.is_valid(body); }                   ///< see World
    dvec3 position(BodyId body) const { return world_.position(body); }                  ///< see World
    quat rotation(BodyId body) const { return world_.rotation(body); }                   ///< see World
    WorldTransform transform(BodyId body) const { return world_.transform(body); }       ///< see World
    dvec3 center_of_mass(BodyId body) const { return world_.center_of_mass(body); }      ///< see World
    vec3 linear_velocity(BodyId body) const { return world_.linear_velocity(body); }     ///< see World
    vec3 angular_velocity(BodyId body) const { return world_.angular_velocity(body); }   ///< see World
    float mass(BodyId body) const { return world_.mass(body); }                          ///< see World
    BodyType type(BodyId body) const { return world_.type(body); }                       ///< see World
    bool is_awake(BodyId body) const { return world_.is_awake(body); }                   ///< see World
    std::uint64_t user_data(BodyId body) const { return world_.user_data(body); }        ///< see World
    WorldAabb bounds(BodyId body) const { return world_.bounds(body); }                  ///< see World
    std::span<const ShapeDef> shapes(BodyId body) const { return world_.shapes(body); }  ///< see World
    std::vector<BodyId> bodies() const { return world_.bodies(); }                       ///< see World
    std::size_t body_count() const { return world_.body_count(); }                       ///< see World

    // Queries.
    /// See World.
    CastHit ray_cast(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const {
        return world_.ray_cast(origin, translation, filter);
    }
    /// See World.
    bool ray_cast_any(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const {
        return world_.ray_cast_any(origin, translation, filter);
    }
    /// See World.
    std::vector<CastHit> ray_cast_all(const dvec3& origin, const vec3& translation, const Filter& filter = {}) const {
        return world_.ray_cast_all(origin, translation, filter);
    }
    /// See World.
    bool ray_cast(std::span<const Ray> rays, std::span<CastHit> hits, const Filter& filter = {}) const {
        return world_.ray_cast(rays, hits, filter);
    }
    /// See World.
    CastHit shape_cast(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                       const Filter& filter = {}) const {
        return world_.shape_cast(shape, pose, translation, filter);
    }
    /// See World.
    bool shape_cast_any(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                        const Filter& filter = {}) const {
        return world_.shape_cast_any(shape, pose, translation, filter);
    }
    /// See World.
    std::vector<CastHit> shape_cast_all(const Shape& shape, const WorldTransform& pose, const vec3& translation,
                                        const Filter& filter = {}) const {
        return world_.shape_cast_all(shape, pose, translation, filter);
    }
    /// See World.
    bool shape_cast(std::span<const ShapeCast> casts, std::span<CastHit> hits, const Filter& filter = {}) const {
        return world_.shape_cast(casts, hits, filter);
    }
    /// See World.
    std::vector<BodyId> overlap(const Shape& shape, const WorldTransform& pose, const Filter& filter = {}) const {
        return world_.overlap(shape, pose, filter);
    }
    /// See World.
    std::vector<BodyId> overlap(const WorldAabb& box, const Filter& filter = {}) const {
        return world_.overlap(box, filter);
    }
    /// See World.
    std::vector<BodyId> overlap(const dvec3& point, const Filter& filter = {}) const {
        return world_.overlap(point, filter);
    }
    /// See World.
    bool overlap_any(const Shape& shape, const WorldTransform& pose, const Filter& filter = {}) const {
        return world_.overlap_any(shape, pose, filter);
    }
    /// See World.
    bool overlap_any(const WorldAabb& box, const Filter& filter = {}) const { return world_.overlap_any(box, filter); }
    /// See World.
    bool overlap_any(const dvec3& point, const Filter& filter = {}) const { return world_.overlap_any(point, filter); }
    /// See World.
    std::vector<NearHit> nearest(const dvec3& point, std::size_t count, float max_distance,
                                 const Filter& filter = {}) const {
        return world_.nearest(point, count, max_distance, filter);
    }
    const Error& last_error() const { return world_.last_error(); }  ///< see World

private:
    friend class WorldViewBuffer;
    void update(const World& world);

    World world_;  ///< has only the parts that these functions read
};

/// Keeps a view of a world up to date for other threads.
///
///     buffer.update(world);                                           // on the thread of the world, after each step
///     const std::shared_ptr<const WorldView> view = buffer.latest();  // on any thread, at any time
class WorldViewBuffer {
public:
    /// Copies what queries need, which takes less than a copy of the world does; `talus-profile saving` measures both. Not
    /// to be called while the world steps.
    void update(const World& world);
    /// Returns the view of the last update, at any time, on any thread; before that one without bodies. Never null.
    std::shared_ptr<const WorldView> latest() const { return views_.get(); }

private:
    Latest<WorldView> views_;
};

}  // namespace talus
