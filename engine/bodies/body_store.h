#pragma once
/// Bodies and their shapes in arrays that are addressed by index. The shapes of a body have consecutive slots in the
/// collider pool.

#include <talus/engine/body.h>
#include <talus/ids.h>
#include <talus/narrowphase/collide.h>
#include "common/assert.h"
#include "common/bytes.h"
#include "engine/bodies/free_turn.h"
#include "engine/bodies/shape_tree.h"
#include "engine/handles.h"
#include "narrowphase/shapes/turned_bounds.h"
#include "narrowphase/triangles/facets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus {

inline constexpr std::uint32_t null_index = 0xffffffffu;

/// A symmetric matrix: the entries that it does not have twice.
struct SymmetricMatrix {
    vec3 diagonal{0.0f};
    float xy = 0.0f, xz = 0.0f, yz = 0.0f;

    SymmetricMatrix() = default;
    explicit SymmetricMatrix(const glm::dmat3& m)
        : diagonal(m[0][0], m[1][1], m[2][2]),
          xy(static_cast<float>(m[0][1])),
          xz(static_cast<float>(m[0][2])),
          yz(static_cast<float>(m[1][2])) {}
    mat3 full() const { return {diagonal.x, xy, xz, xy, diagonal.y, yz, xz, yz, diagonal.z}; }
    bool operator==(const SymmetricMatrix&) const = default;
};

/// The fields stand in the order in which a step needs them, because thousands of bodies come from memory in each step:
/// the first four cache lines are all that moving a body without contacts reads and writes.
struct alignas(64) Body {
    // Pose and motion. `center` is the centre of mass. The origin of the body's frame is at
    //     center - rotation * local_center
    dvec3 center{0.0};
    quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    vec3 linear_velocity{0.0f};
    vec3 angular_velocity{0.0f};

    /// The rotation in double; `rotation` is its rounding, unless that was set since.
    glm::dquat exact_rotation{1.0, 0.0, 0.0, 0.0};
    glm::dvec3 exact_spin{0.0};  ///< the same for `angular_velocity`
    std::uint64_t user_data = 0;

    vec3 force{0.0f};  ///< sum for the next step
    vec3 torque{0.0f};
    vec3 local_center{0.0f};  ///< centre of mass in the body's frame
    float radius = 0.0f;      ///< of the bounding sphere around the centre of mass, m
    float mass = 0.0f;        ///< kg; 0 unless dynamic
    float inverse_mass = 0.0f;
    float linear_damping = 0.0f, angular_damping = 0.0f, gravity_scale = 1.0f;
    std::uint32_t first_shape = 0;  ///< slots in ShapePool and Colliders

    std::uint32_t shape_count = 0;
    std::uint32_t proxy = null_index;  ///< in the broadphase; each body has one
    std::uint32_t generation = 0;
    BodyType type = BodyType::fixed;
    std::uint8_t locks = 0;  ///< bits of AxisLock
    bool isotropic = true;   ///< inertia is a multiple of the identity: no gyroscopic term
    bool in_use = false;
    bool allow_sleep = true;
    Continuous continuous = Continuous::fixed;
    /// m/s, rad/s.
    float max_speed = std::numeric_limits<float>::infinity(), max_spin = std::numeric_limits<float>::infinity();
    float still_time = 0.0f;  ///< how long it has been still, s
    float slow_time = 0.0f;   ///< how long it has been supported and slower than the settle speeds near settle_place, s
    float inner_radius = 0.0f;  ///< of a sphere that fits into its thinnest solid shape, m
    /// Upper bounds of the distances of the body's points from the principal axes through its centre of mass, m. An
    /// angular velocity about the x axis moves the surface by at most spread.x times that. For a rod they are 2 cm for
    /// its own axis and half a metre for the others.
    vec3 spread{0.0f};
    std::uint32_t first_pair = null_index;  ///< head of its list of pairs

    dvec3 still_place{0.0};  ///< centre and rotation at the start of still_time
    quat still_rotation{1.0f, 0.0f, 0.0f, 0.0f};
    dvec3 settle_place{0.0};  ///< centre when it last moved farther than settling allows

    // Inertia about the centre of mass, in the body's frame.
    SymmetricMatrix inertia, inverse_inertia;
    PrincipalInertia principal;  ///< the same about its principal axes
    float gyration = 0.0f;       ///< least radius of gyration about the centre of mass, m; 0 unless dynamic
    /// How strongly rotation changes its contacts (substep_contacts.h): about its own axis, `principal`'s x, and
    /// across it, 1/rad. The contacts are tested again when one of these, times the rotation, exceeds 1.
    float stale_by_spin = 0.0f, stale_by_tilt = 0.0f;
    std::uint32_t pair_count = 0;

    /// True if the centre of mass is the origin of the body's frame, as for most bodies of one shape.
    bool is_centred() const { return local_center == vec3(0.0f); }
    WorldTransform pose() const {
        if (is_centred()) return {center, rotation};
        return {displaced(center, -rotate(rotation, local_center)), rotation};
    }
    /// Returns where the centre of mass is if the body's origin is at this position, which is put on the grid.
    dvec3 center_at(const dvec3& position, const quat& at_rotation) const {
        return displaced(on_grid(position), rotate(at_rotation, local_center));
    }
    bool is_dynamic() const { return type == BodyType::dynamic; }
};

/// The response of a body at a rotation to impulses, along and about the world's axes. It is zero along and about
/// locked axes.
struct Response {
    vec3 inverse_mass;     ///< 1/kg
    mat3 inverse_inertia;  ///< 1/(kg m^2)
};
Response response_of(const Body& body, const quat& rotation);
/// Returns the response to a push along a line below which it counts as none, 1/kg (settings::locked_response).
float least_response(const Body& body);
/// Removes the velocities along and about locked axes from a dynamic body.
void drop_locked_motion(Body& body);

/// Returns a body's inertia at a rotation, world axes, kg m^2.
mat3 inertia_of(const Body& body, const quat& rotation);

/// Returns the quaternion of the principal axes of a body at a rotation, world.
inline glm::dquat principal_rotation(const Body& body, const glm::dquat& rotation) {
    return rotation * body.principal.rotation();
}
/// Returns the principal axes of a body at a rotation, one per column, world.
inline glm::dmat3 principal_axes(const Body& body, const glm::dquat& rotation) {
    return glm::dmat3(to_matrix(rotation)) * body.principal.axes();
}

/// The properties of a shape's surface that have a direction, in the shape's frame.
struct Surface {
    vec3 velocity{0.0f};       ///< m/s
    vec3 grip_axis{0.0f};      ///< zero: the same grip in all directions
    float grip_across = 1.0f;  ///< friction across that axis over friction along it, 0 to 1
    bool is_plain() const { return velocity == vec3(0.0f) && grip_across == 1.0f; }
};

/// The triangle of a mesh that a collider stands for, or the facet.
struct TrianglePlace {
    std::uint32_t mesh = null_index;  ///< slot of the mesh's shape; null_index: the collider is no triangle
    std::uint32_t triangle = 0;       ///< index in its TriangleSet
    std::uint32_t material = 0;
    vec3 middle{0.0f};  ///< origin of the triangle's frame in the mesh's frame
    /// Of a facet (narrowphase/triangles/facets.h): the radius of a circle around `middle` that is inside of it, m. Its
    /// plane is that of the triangle. 0: it is the triangle.
    float facet_reach = 0.0f;
    bool is_facet() const { return facet_reach > 0.0f; }
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(mesh, triangle, facet_reach);
        if (is_facet()) bytes(middle);  // the rest follows from the mesh
    }
};

/// What moving a shape with its body needs of the definition.
struct alignas(64) LocalShape {
    Aabb box{};        ///< in the shape's frame
    Transform pose{};  ///< in the body's frame; unused for a triangle
    bool is_mesh = false;
    bool at_origin = true;  ///< its frame is the body's
};

/// The shapes of all bodies. It is parallel to Colliders: index i is the same shape in both. Each body has consecutive
/// slots. A triangle of a mesh gets a slot of its own while a shape is near it; its entry in `defs` is empty, and the
/// definition of the mesh applies.
class ShapePool {
public:
    /// Returns the first of `count` consecutive slots. It reuses slots that were released with the same count, if there
    /// are any.
    std::uint32_t allocate(std::uint32_t count, Colliders& colliders);
    void release(std::uint32_t first, std::uint32_t count, Colliders& colliders);

    /// Adds a triangle of the mesh in slot `mesh` and places it. Returns its slot, to be released with release().
    std::uint32_t add_triangle(std::uint32_t mesh, std::uint32_t triangle, Colliders& colliders);
    /// The same for a facet. For `reach` see TrianglePlace::facet_reach.
    std::uint32_t add_facet(std::uint32_t mesh, const detail::Facet& facet, float reach, Colliders& colliders);
    /// Moves a facet within its plane.
    void move_facet(std::uint32_t slot, const vec3& middle, float reach, Colliders& colliders);
    /// Sets what follows from the definition of a shape that is no triangle.
    void derive_shape(std::uint32_t slot, Colliders& colliders);
    /// Builds the tree of a body after its shapes were set, if it has enough of them.
    void build_tree(const Body& body);
    /// Takes the shapes' places and motions into the body's tree, if it has one.
    void place_tree(const Body& body, const Colliders& colliders) {
        if (body.shape_count >= ShapeTree::least_shapes) place_shapes_in_tree(body, colliders);
    }
    /// To be called when a body's shapes are no longer expected to move.
    void stop_tree(const Body& body) {
        const std::uint32_t tree = tree_number(body.first_shape);
        if (tree != null_index) trees_[tree].stop();
    }
    /// Returns the tree of a body's shapes, or null if it has few.
    const ShapeTree* tree_of(const Body& body) const {
        const std::uint32_t tree = tree_number(body.first_shape);
        return tree != null_index ? &trees_[tree] : nullptr;
    }
    /// Returns the largest PredictedMotion::max_displacement of the body's shapes, m.
    float max_displacement(const Body& body, const Colliders& colliders) const;
    /// Returns the place from which bounds() and for_each_near() see a body's boxes.
    const dvec3& origin_of(const Body& body, const Colliders& colliders) const {
        const ShapeTree* const tree = tree_of(body);
        return tree != nullptr ? tree->center() : colliders.poses[body.first_shape].position;
    }
    /// Returns the box around the body's shapes.
    Aabb bounds(const Body& body, const Colliders& colliders) const;
    /// Calls visit(slot) for each shape of the body whose box may overlap `box`, in no particular order.
    template <class Visit>
    void for_each_near(const Body& body, const Aabb& box, Visit&& visit) const {
        if (const ShapeTree* const tree = tree_of(body)) {
            tree->find(box, [&](std::uint32_t k) { visit(body.first_shape + k); });
        } else {
            for (std::uint32_t k = 0; k < body.shape_count; ++k) visit(body.first_shape + k);
        }
    }
    /// Moves a triangle to the pose of its mesh.
    void place_triangle(std::uint32_t slot, Colliders& colliders);
    bool is_triangle(std::uint32_t slot) const { return slot < triangles.size() && triangles[slot].mesh != null_index; }
    /// Returns the slot of the user's shape to which a slot belongs.
    std::uint32_t shape_of(std::uint32_t slot) const { return is_triangle(slot) ? triangles[slot].mesh : slot; }
    /// `touched`: the triangle of a solid or a mesh that a patch touches, or no_triangle.
    const Material& material(std::uint32_t slot, std::uint32_t touched) const;
    Surface surface(std::uint32_t slot, std::uint32_t touched) const;
    /// Returns the box around a shape at a rotation, along the world's axes, as seen from the origin of its frame.
    Aabb box_at(std::uint32_t slot, const quat& rotation, const Colliders& colliders) const {
        const LocalShape& local = locals[slot];
        return local.is_mesh ? turned_box(rotation, local.box)
                             : detail::turned_bounds(colliders.shapes[slot], rotation);
    }
    /// Returns the box around a shape at its pose.
    WorldAabb world_box(std::uint32_t slot, const Colliders& colliders) const {
        return translated(boxes[slot], colliders.poses[slot].position);
    }
    /// Returns the box around all shapes of a body.
    WorldAabb world_box(const Body& body, const Colliders& colliders) const {
        WorldAabb box = world_box(body.first_shape, colliders);
        for (std::uint32_t i = 1; i < body.shape_count; ++i)
            box = merge(box, world_box(body.first_shape + i, colliders));
        return box;
    }

    /// For saved worlds (common/bytes.h): the state of the pool and of the colliders.
    template <class Bytes>
    void visit_fields(Bytes& bytes, Colliders& colliders) {
        auto size = static_cast<std::uint32_t>(boxes.size());
        bytes(size, free_runs_, free_ones_);
        visit_parallel(bytes, size, defs);  // first, because it checks the size
        if constexpr (!Bytes::reads) {
            for (std::size_t i = defs.size(); i < size; ++i) bytes(ShapeDef{});
        }
        visit_triangles(bytes, size, colliders);
        visit_parallel(bytes, size, boxes);
        visit_parallel(bytes, size, colliders.poses);
        visit_parallel(bytes, size, colliders.versions);
        visit_parallel(bytes, size, colliders.motions);
    }
    /// Derives the rest of it: what follows from the definitions, and from the meshes to which triangles belong.
    void derive(Colliders& colliders);
    /// The slots that are free, for checks of saved worlds.
    template <class Visit>
    void for_each_free(Visit&& visit) const {
        for (const FreeRun& run : free_runs_) visit(run.first, run.count);
        for (const std::uint32_t slot : free_ones_) visit(slot, 1u);
    }

    std::vector<ShapeDef> defs;  ///< may be shorter than the others: the rest are triangles
    std::vector<LocalShape> locals;
    std::vector<Aabb> boxes;               ///< along the world's axes, as seen from the origin of the shape's frame
    std::vector<TrianglePlace> triangles;  ///< may be shorter than the others: the rest are no triangles

    std::size_t bytes() const;

private:
    std::uint32_t take_slots(std::uint32_t count, Colliders& colliders);
    std::uint32_t add_triangle(const TrianglePlace& place, Colliders& colliders);
    void derive_triangle(std::uint32_t slot, Colliders& colliders);
    void place_shapes_in_tree(const Body& body, const Colliders& colliders);
    template <class Bytes>
    void visit_triangles(Bytes& bytes, std::size_t size, Colliders& colliders) {
        bytes(triangles);
        if constexpr (Bytes::reads) {
            if (bytes.failed() || !bytes.expect(triangles.size() <= size, "there are more triangles than shapes"))
                triangles.clear();
        }
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            if (triangles[i].mesh == null_index) continue;
            if constexpr (Bytes::reads) colliders.surface_triangles.resize(size);
            SurfaceTriangle& surface = colliders.surface_triangles[i];
            bytes(surface.pressed_through, surface.side_point);
        }
    }

    struct FreeRun {
        std::uint32_t first = 0, count = 0;
        template <class Bytes>
        void visit_fields(Bytes& bytes) {
            bytes(first, count);
        }
    };
    std::uint32_t tree_number(std::uint32_t first_shape) const {
        return first_shape < tree_numbers_.size() ? tree_numbers_[first_shape] : null_index;
    }

    std::vector<FreeRun> free_runs_;
    std::vector<std::uint32_t> free_ones_;     ///< single slots
    std::vector<ShapeTree> trees_;             ///< empty ones are free
    std::vector<std::uint32_t> free_trees_;    ///< numbers in `trees_`
    std::vector<std::uint32_t> tree_numbers_;  ///< by a body's first shape; may be shorter: the rest have none
};

class BodyStore {
public:
    /// To be called before the first body is added, with WorldDef::handle_tag.
    void set_tag(std::uint32_t tag) { tag_ = tag; }
    std::uint32_t allocate();
    void release(std::uint32_t slot);
    bool is_valid(BodyId id) const {
        return id.slot < bodies_.size() && bodies_[id.slot].in_use && bodies_[id.slot].generation == id.generation;
    }
    BodyId id_of(std::uint32_t slot) const { return {slot, bodies_[slot].generation}; }

    Body& operator[](std::uint32_t slot) {
        TALUS_ASSERT(slot < bodies_.size());
        return bodies_[slot];
    }
    const Body& operator[](std::uint32_t slot) const {
        TALUS_ASSERT(slot < bodies_.size());
        return bodies_[slot];
    }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(bodies_.size()); }
    std::uint32_t live_count() const { return live_count_; }
    /// For checks of saved worlds.
    bool has_valid_free_list() const;
    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(bodies_, free_, live_count_);
    }
    std::size_t bytes() const { return bodies_.capacity() * sizeof(Body) + free_.capacity() * sizeof(std::uint32_t); }

private:
    std::vector<Body> bodies_;
    std::vector<std::uint32_t> free_;
    std::uint32_t live_count_ = 0;
    std::uint32_t tag_ = 0;  ///< WorldDef::handle_tag
};

}  // namespace talus
