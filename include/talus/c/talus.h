#ifndef TALUS_C_TALUS_H
#define TALUS_C_TALUS_H
/// Talus for C99, and for every language that calls C.
///
///     TalusWorld* world = talus_world_create(NULL, NULL);
///     TalusBodyDef def = talus_body_def();
///     def.shape = talus_sphere(0.5f);
///     TalusBodyId ball = talus_world_add_body(world, &def);
///     talus_world_step(world, 1.0f / 60.0f, NULL);
///     printf("%f\n", talus_world_position(world, ball).y);
///     talus_world_destroy(world);
///
/// A function talus_world_x() does what World::x() does (talus/engine/world.h says it at length), and the structures
/// have the fields of those in C++. This header says what is different here.
///
/// - **Errors.** A refused call returns false, NULL, 0 or zeros, and leaves the world as it was.
///   talus_world_last_error() says why. Functions that make something fill `*error` instead, if `error` is not NULL. No
///   C++ exception leaves these functions. After TALUS_OUT_OF_MEMORY from a call that changes a world, the world may
///   only be destroyed or assigned to.
/// - **NULL.** A function that gets NULL for what it works on returns zeros. A pointer to a definition must not be
///   NULL, unless its comment says what NULL means.
/// - **Definitions** begin with `size`, the size of the structure that the caller was compiled with. talus_body_def()
///   and its like return the defaults with that size. A library that is newer than the caller gives fields that the
///   caller does not know their defaults; an older one refuses the definition.
/// - **Lists** go to the caller's memory: a function that takes `out` and `capacity` writes at most `capacity`
///   elements, and returns how many there are. With capacity 0, `out` may be NULL.
/// - **Lifetime.** Hulls and meshes are counted: a body keeps those that it uses, so they may be released right after
///   the body was added. Whatever else a function returns by pointer, its comment says how to free it.
/// - **Threads.** Different worlds may be used by different threads at once. Calls with a `const TalusWorld*` may be
///   made by several threads at once, but not during a call that changes the world.
/// - **Units** are SI. Frames are right-handed. Rotations are unit quaternions, x first.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(TALUS_C_SHARED)
#ifdef TALUS_C_BUILDING
#define TALUS_API __declspec(dllexport)
#else
#define TALUS_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TALUS_API __attribute__((visibility("default")))
#else
#define TALUS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Version --------------------------------------------------------------------------------------------------------

#define TALUS_VERSION_MAJOR 0  ///< of this header
#define TALUS_VERSION_MINOR 2  ///< of this header
#define TALUS_VERSION_PATCH 0  ///< of this header

/// Returns the version of the library, such as "0.2.0".
TALUS_API const char* talus_version(void);

// ---- Numbers --------------------------------------------------------------------------------------------------------

/// Three floats.
typedef struct TalusVec3 {
    float x, y, z;
} TalusVec3;

/// Three doubles: a position in the world, m.
typedef struct TalusDVec3 {
    double x, y, z;
} TalusDVec3;

/// A quaternion of floats. Zeros are no rotation; the identity is {0, 0, 0, 1}.
typedef struct TalusQuat {
    float x, y, z, w;
} TalusQuat;

/// A 3 x 3 matrix of floats.
typedef struct TalusMat3 {
    TalusVec3 columns[3];
} TalusMat3;

/// A rigid pose relative to something: rotate, then translate.
typedef struct TalusTransform {
    TalusVec3 position;  ///< m
    TalusQuat rotation;  ///< unit
} TalusTransform;

/// A rigid pose in the world: rotate, then translate.
typedef struct TalusWorldTransform {
    TalusDVec3 position;  ///< m
    TalusQuat rotation;   ///< unit
} TalusWorldTransform;

/// A box along the axes of some frame.
typedef struct TalusAabb {
    TalusVec3 lower, upper;  ///< m
} TalusAabb;

/// A box along the axes of the world.
typedef struct TalusWorldAabb {
    TalusDVec3 lower, upper;  ///< m
} TalusWorldAabb;

TALUS_API TalusTransform talus_transform(void);             ///< the identity
TALUS_API TalusWorldTransform talus_world_transform(void);  ///< the identity

// ---- Errors ---------------------------------------------------------------------------------------------------------

/// The kind of an error: one of the constants below.
typedef int32_t TalusErrorCode;
enum {
    TALUS_NO_ERROR = 0,
    TALUS_NOT_FINITE = 1,        ///< a NaN or an infinity where a number is needed
    TALUS_BAD_SIZE = 2,          ///< a length, radius, mass or count that is zero, negative or out of range
    TALUS_DEGENERATE_SHAPE = 3,  ///< points that span no volume, an axis of length zero
    TALUS_TOO_COMPLEX = 4,       ///< more vertices or shapes than can be stored
    TALUS_STALE_HANDLE = 5,      ///< the body or joint was removed, or never existed
    TALUS_BAD_ARGUMENT = 6,      ///< any other argument that is not allowed; the message says which
    TALUS_BAD_DATA = 7,          ///< saved bytes that are damaged, or of another format
    TALUS_OUT_OF_MEMORY = 8      ///< the system has no more memory
};

/// An error.
typedef struct TalusError {
    TalusErrorCode code;  ///< its kind
    char message[508];    ///< a sentence for a person, cut if it is longer; empty if there is no error
} TalusError;

// ---- Shapes ---------------------------------------------------------------------------------------------------------

typedef struct TalusHull TalusHull;        ///< a convex polyhedron, shared by shapes
typedef struct TalusMapping TalusMapping;  ///< a superellipsoid or the sum of two shapes, shared by shapes
typedef struct TalusMesh TalusMesh;        ///< a triangle mesh or a height field, shared by shapes

/// The kind of a shape: one of the constants below.
typedef int32_t TalusShapeType;
enum {
    TALUS_SPHERE = 0,
    TALUS_CAPSULE = 1,
    TALUS_SEGMENT = 2,
    TALUS_TRIANGLE = 3,
    TALUS_BOX = 4,
    TALUS_CYLINDER = 5,
    TALUS_CONE = 6,
    TALUS_HULL = 7,
    TALUS_ELLIPSOID = 8,
    TALUS_SUPERELLIPSOID = 9,
    TALUS_CONVEX_SUM = 10
};

/// A convex shape in its own frame. Make one with the functions below; talus_check_shape() says what is wrong with it.
typedef struct TalusShape {
    TalusShapeType type;     ///< says which of the fields below count
    float radius;            ///< swept around the core, m; 0 for cylinders, cones, ellipsoids, superellipsoids and sums
    TalusVec3 half_extents;  ///< m; cylinder, cone: (r, half height, r); capsule: (0, half height, 0); ellipsoid: radii
    TalusVec3 points[3];     ///< m; segment: the first two; triangle: all three
    const TalusHull* hull;   ///< hull only
    const TalusMapping* mapping;  ///< superellipsoid and convex sum only
} TalusShape;

TALUS_API TalusShape talus_sphere(float radius);                             ///< centred at the origin, m
TALUS_API TalusShape talus_capsule(float half_height, float radius);         ///< axis y, without the caps, m
TALUS_API TalusShape talus_box(TalusVec3 half_extents);                      ///< centred at the origin, m
TALUS_API TalusShape talus_cylinder(float half_height, float radius);        ///< axis y, m
TALUS_API TalusShape talus_cone(float half_height, float radius);            ///< apex at y = +half_height, m
TALUS_API TalusShape talus_hull(const TalusHull* hull);                      ///< in the frame of its points
TALUS_API TalusShape talus_segment(TalusVec3 a, TalusVec3 b, float radius);  ///< m; radius >= 0
TALUS_API TalusShape talus_triangle(TalusVec3 a, TalusVec3 b, TalusVec3 c, float radius);  ///< two-sided; m
/// Centred at the origin; m. A body whose shape is a support mapping of a C++ program's own is described with zero
/// radii, which are refused.
TALUS_API TalusShape talus_ellipsoid(TalusVec3 radii);
TALUS_API TalusShape talus_mapping(const TalusMapping* mapping);  ///< in its own frame
/// Returns a segment, triangle, box or hull with so much more radius (m): its edges and corners get it, its faces move
/// outward by it. Other shapes come back as they are.
TALUS_API TalusShape talus_rounded(TalusShape polytope, float radius);
/// Returns whether the shape's numbers are allowed; `*error` says what is wrong with them.
TALUS_API bool talus_check_shape(const TalusShape* shape, TalusError* error);
TALUS_API TalusAabb talus_shape_bounds(const TalusShape* shape);       ///< box in the shape's frame
TALUS_API float talus_shape_bounding_radius(const TalusShape* shape);  ///< of the sphere around its origin, m
TALUS_API float talus_shape_thickness(const TalusShape* shape);        ///< six volumes over the surface area, m
TALUS_API bool talus_shape_is_solid(const TalusShape* shape);          ///< whether it encloses volume

/// Mass, centre of mass, and inertia about that centre.
typedef struct TalusMassProperties {
    float mass;         ///< kg
    TalusVec3 center;   ///< in the shape's or body's frame, m
    TalusMat3 inertia;  ///< about the centre, kg m^2
} TalusMassProperties;

/// Returns the mass properties of a shape of a density (kg/m^3); zeros if it has none.
TALUS_API TalusMassProperties talus_shape_mass_properties(const TalusShape* shape, float density);

/// Returns the convex hull of points (m), to be released with talus_hull_release(); NULL if it is refused.
TALUS_API TalusHull* talus_hull_create(const TalusVec3* points, size_t count, TalusError* error);
TALUS_API void talus_hull_release(TalusHull* hull);        ///< gives up the caller's reference
TALUS_API float talus_hull_volume(const TalusHull* hull);  ///< m^3
/// Writes the hull's vertices (m), returns how many there are.
TALUS_API size_t talus_hull_vertices(const TalusHull* hull, TalusVec3* out, size_t capacity);
/// Writes the hull's faces one after the other, each as its number of corners and then their indices among the
/// vertices, counter-clockwise seen from outside. Returns how many numbers that are.
TALUS_API size_t talus_hull_faces(const TalusHull* hull, uint32_t* out, size_t capacity);

/// Returns the superellipsoid ((|x/a|^r + |z/c|^r)^(t/r) + |y/b|^t) <= 1, to be released with talus_mapping_release();
/// NULL if it is refused. `radii`: (a, b, c), m; `around`: r; `along`: t; both 1 to 16. 2 and 2 is an ellipsoid, large
/// exponents come near to a box. Its mass is integrated, which takes milliseconds.
TALUS_API TalusMapping* talus_superellipsoid_create(TalusVec3 radii, float around, float along, TalusError* error);
/// Returns the Minkowski sum of two shapes: all sums of a point of `a` and a point of `b`; to be released with
/// talus_mapping_release(); NULL if it is refused. It keeps what the two shapes point to. They may be flat, but the sum
/// must enclose volume. Sums may be nested up to 4 deep. Takes milliseconds.
TALUS_API TalusMapping* talus_convex_sum_create(const TalusShape* a, const TalusShape* b, TalusError* error);
TALUS_API void talus_mapping_release(TalusMapping* mapping);  ///< gives up the caller's reference

/// The definition of a mesh, read only during the call.
typedef struct TalusMeshDef {
    size_t size;                ///< sizeof(TalusMeshDef)
    const TalusVec3* vertices;  ///< m
    size_t vertex_count;        ///< their number
    const uint32_t* indices;    ///< three per triangle, counter-clockwise seen from its front
    size_t index_count;         ///< their number
    const uint8_t* materials;   ///< one per triangle, or NULL: all 0
    bool two_sided;             ///< stops bodies from both sides; else from the front only
    bool solid;                 ///< the boundary of a solid, which dynamic bodies can have: closed and one-sided
} TalusMeshDef;

/// The definition of a height field, read only during the call: heights on a grid, along x first.
typedef struct TalusHeightFieldDef {
    size_t size;                 ///< sizeof(TalusHeightFieldDef)
    uint32_t columns, rows;      ///< samples along x and z, 2 to 32,769
    const float* heights;        ///< columns * rows, row by row, m
    float spacing_x, spacing_z;  ///< distance of samples, m
    const uint8_t* materials;    ///< (columns - 1) * (rows - 1), one per cell, or NULL: all 0
    bool two_sided;              ///< stops bodies from both sides; else from above only
    const uint8_t* holes;        ///< (columns - 1) * (rows - 1), one per cell, not 0: a hole; or NULL: no holes
} TalusHeightFieldDef;

TALUS_API TalusMeshDef talus_mesh_def(void);                 ///< the defaults
TALUS_API TalusHeightFieldDef talus_height_field_def(void);  ///< the defaults
/// Returns a mesh, to be released with talus_mesh_release(); NULL if it is refused.
TALUS_API TalusMesh* talus_mesh_create(const TalusMeshDef* def, TalusError* error);
/// Returns a height field, to be released with talus_mesh_release(); NULL if it is refused.
TALUS_API TalusMesh* talus_height_field_create(const TalusHeightFieldDef* def, TalusError* error);
TALUS_API void talus_mesh_release(TalusMesh* mesh);            ///< gives up the caller's reference
TALUS_API TalusAabb talus_mesh_bounds(const TalusMesh* mesh);  ///< of all triangles
TALUS_API uint32_t talus_mesh_size(const TalusMesh* mesh);     ///< number of triangles
/// Writes the three corners of a triangle (m). Returns its index in the data that the mesh was made from; 0, and zeros,
/// if there is no such triangle.
TALUS_API uint32_t talus_mesh_triangle(const TalusMesh* mesh, uint32_t index, TalusVec3 corners[3]);
/// Computes mass, centre of mass and inertia of the solid inside a closed mesh of a density (kg/m^3). `def->materials`
/// is not used.
TALUS_API bool talus_mesh_mass_properties(const TalusMeshDef* def, float density, TalusMassProperties* out,
                                          TalusError* error);

// ---- Two shapes, without a world ------------------------------------------------------------------------------------

/// How near two shapes are. In the frame of A.
typedef struct TalusSeparation {
    bool valid;         ///< false: a shape or the pose was refused, and all else is 0
    float separation;   ///< m; negative: how deep they overlap
    TalusVec3 normal;   ///< unit, from A to B
    TalusVec3 point_a;  ///< on A's surface, m
    TalusVec3 point_b;  ///< on B's surface, m
} TalusSeparation;

/// Returns the signed distance of two shapes: by GJK, or EPA if they overlap.
TALUS_API TalusSeparation talus_separation(const TalusShape* a, const TalusShape* b, TalusTransform b_in_a);

/// Where a ray or a moving shape meets a shape.
typedef struct TalusShapeHit {
    bool hit;          ///< whether it does
    float fraction;    ///< part of the translation, 0 to 1
    TalusVec3 point;   ///< on the shape that is hit, m
    TalusVec3 normal;  ///< outward unit normal there
} TalusShapeHit;

/// Returns where the segment from `origin` to origin + translation enters the shape, in the shape's frame, m.
TALUS_API TalusShapeHit talus_shape_ray_cast(const TalusShape* shape, TalusVec3 origin, TalusVec3 translation);
/// Returns where shape B, which begins at `b_in_a` and moves by `translation` without rotating, first touches A. In A's
/// frame, m.
TALUS_API TalusShapeHit talus_shape_shape_cast(const TalusShape* a, const TalusShape* b, TalusTransform b_in_a,
                                               TalusVec3 translation);

// ---- Bodies ---------------------------------------------------------------------------------------------------------

typedef uint64_t TalusBodyId;          ///< handle of a body; 0 is null; else opaque
typedef uint64_t TalusJointId;         ///< handle of a joint; 0 is null; else opaque
#define TALUS_NO_TRIANGLE 0xffffffffu  ///< the triangle number of a shape that is not a mesh
#define TALUS_NO_ISLAND 0xffffffffu    ///< the island number of bodies that are in no island

/// How a body moves: one of the constants below.
typedef int32_t TalusBodyType;
enum {
    TALUS_FIXED = 0,      ///< never moves
    TALUS_KINEMATIC = 1,  ///< moves by its velocity only
    TALUS_DYNAMIC = 2     ///< moved by forces, contacts and joints
};

/// Which bodies a fast body must not pass through: one of the constants below.
typedef int32_t TalusContinuous;
enum {
    TALUS_CONTINUOUS_OFF = 0,    ///< none
    TALUS_CONTINUOUS_FIXED = 1,  ///< fixed and kinematic bodies
    TALUS_CONTINUOUS_ALL = 2     ///< all bodies
};

/// Axes of the world along which a body does not move, and about which it does not rotate; combine them with |.
enum {
    TALUS_LOCK_X = 1,
    TALUS_LOCK_Y = 2,
    TALUS_LOCK_Z = 4,
    TALUS_LOCK_TURN_X = 8,
    TALUS_LOCK_TURN_Y = 16,
    TALUS_LOCK_TURN_Z = 32,
    TALUS_LOCK_TURNING = 56,
    TALUS_LOCK_TO_PLANE_XY = 28
};

/// Layers that a shape belongs to, and layers that it collides with.
typedef struct TalusFilter {
    uint32_t category;  ///< the layers it belongs to; default: 1
    uint32_t mask;      ///< the layers it collides with; default: all
    int32_t group;      ///< 0: none; equal positive groups collide, equal negative ones do not
} TalusFilter;

/// Surface properties of a shape.
typedef struct TalusMaterial {
    float friction;              ///< Coulomb coefficient, >= 0
    float restitution;           ///< 0 to 1
    float rolling_resistance;    ///< >= 0
    TalusVec3 grip_axis;         ///< direction of full friction, shape's frame; zero: the same in all directions
    float grip_across;           ///< friction across that axis over friction along it, 0 to 1
    TalusVec3 surface_velocity;  ///< of a conveyor belt, shape's frame, m/s
} TalusMaterial;

/// One shape of a body.
typedef struct TalusShapeDef {
    size_t size;                          ///< sizeof(TalusShapeDef)
    TalusShape shape;                     ///< geometry; not read if `mesh` is not NULL
    TalusTransform pose;                  ///< of the shape's frame in the body's frame
    TalusMaterial material;               ///< surface properties
    float density;                        ///< kg/m^3, >= 0
    TalusFilter filter;                   ///< which shapes this one collides with
    bool sensor;                          ///< reports overlaps, pushes nothing
    bool hit_events;                      ///< lists impacts of this shape
    bool modify_contacts;                 ///< passes contacts to the contact modifier
    const TalusMesh* mesh;                ///< in place of `shape`, for fixed and kinematic bodies
    const TalusMaterial* mesh_materials;  ///< by the material numbers of triangles, or NULL
    size_t mesh_material_count;           ///< their number
} TalusShapeDef;

/// The definition of a body. Its only shape is `shape`; or, if shape_count > 0, its shapes are `shapes`.
typedef struct TalusBodyDef {
    size_t size;                                 ///< sizeof(TalusBodyDef)
    TalusBodyType type;                          ///< how it moves
    TalusDVec3 position;                         ///< origin of the body's frame, m
    TalusQuat rotation;                          ///< of the body's frame
    TalusVec3 linear_velocity;                   ///< of the centre of mass, m/s
    TalusVec3 angular_velocity;                  ///< rad/s
    TalusShape shape;                            ///< the only shape
    const TalusMesh* mesh;                       ///< in place of `shape`, for fixed and kinematic bodies
    TalusMaterial material;                      ///< of `shape` or `mesh`, as the next fields down to `filter`
    const TalusMaterial* mesh_materials;         ///< see TalusShapeDef
    size_t mesh_material_count;                  ///< their number
    float density;                               ///< kg/m^3
    bool sensor;                                 ///< see TalusShapeDef
    bool hit_events;                             ///< see TalusShapeDef
    bool modify_contacts;                        ///< see TalusShapeDef
    TalusFilter filter;                          ///< see TalusShapeDef
    const TalusShapeDef* shapes;                 ///< several shapes
    size_t shape_count;                          ///< their number; 0: `shape` or `mesh` is the only one
    const TalusMassProperties* mass_properties;  ///< in place of those that follow from the densities, or NULL
    float linear_damping;                        ///< 1/s
    float angular_damping;                       ///< 1/s
    float max_speed;                             ///< m/s; infinity: no limit of its own
    float max_spin;                              ///< rad/s; infinity: no limit
    float gravity_scale;                         ///< factor of gravity
    uint8_t locks;                               ///< TALUS_LOCK_...
    bool allow_sleep;                            ///< false keeps the body awake
    TalusContinuous continuous;                  ///< what the body must not pass through when it is fast
    uint64_t user_data;                          ///< yours
} TalusBodyDef;

TALUS_API TalusFilter talus_filter(void);       ///< the defaults
TALUS_API TalusMaterial talus_material(void);   ///< the defaults
TALUS_API TalusShapeDef talus_shape_def(void);  ///< the defaults
TALUS_API TalusBodyDef talus_body_def(void);    ///< the defaults: a dynamic body without a shape

// ---- Joints ---------------------------------------------------------------------------------------------------------

/// The two bodies of a joint, and the joint's frame in each, relative to the body's frame. The frames' x axis is the
/// main axis.
typedef struct TalusJointFrames {
    TalusBodyId body_a, body_b;
    TalusTransform frame_a, frame_b;
} TalusJointFrames;

/// Range of a coordinate, rad or m; infinities: no limit.
typedef struct TalusJointLimit {
    float lower, upper;
} TalusJointLimit;

/// Drives a coordinate at a speed with a limited force.
typedef struct TalusJointMotor {
    float speed;      ///< rad/s or m/s
    float max_force;  ///< N m or N; 0: no motor
} TalusJointMotor;

/// Pulls a coordinate to a target.
typedef struct TalusJointSpring {
    float hertz;          ///< undamped frequency; 0: no spring
    float damping_ratio;  ///< 1 is critical damping
    float target;         ///< rad or m
    float max_force;      ///< N m or N; may be infinite
} TalusJointSpring;

/// Options that every kind of joint has.
typedef struct TalusJointOptions {
    bool collide_connected;  ///< whether the two bodies collide with each other
    float break_force;       ///< N; infinity: it does not break
    float break_torque;      ///< N m; infinity: it does not break
    uint64_t user_data;      ///< yours
} TalusJointOptions;

/// Drives frame B relative to frame A in all directions equally.
typedef struct TalusJointDrive {
    TalusVec3 velocity;          ///< of frame B, in A's axes, m/s
    TalusVec3 angular_velocity;  ///< rad/s
    TalusTransform target;       ///< pose of frame B in frame A
    float linear_hertz;          ///< of the spring to the target's position; 0: velocity only
    float angular_hertz;         ///< of the spring to the target's rotation; 0: velocity only
    float damping_ratio;         ///< of both springs
    float max_force;             ///< N; 0: no linear drive
    float max_torque;            ///< N m; 0: no angular drive
} TalusJointDrive;

/// One of the six axes of a six-dof joint.
typedef struct TalusJointAxisDef {
    TalusJointLimit limit;    ///< range of the coordinate; {0, 0}: locked
    TalusJointMotor motor;    ///< drives the coordinate
    TalusJointSpring spring;  ///< pulls the coordinate to a target
} TalusJointAxisDef;

/// The kind of a joint: one of the constants below.
typedef int32_t TalusJointKind;
enum {
    TALUS_BALL_JOINT = 0,
    TALUS_HINGE_JOINT = 1,
    TALUS_SLIDER_JOINT = 2,
    TALUS_FIXED_JOINT = 3,
    TALUS_DISTANCE_JOINT = 4,
    TALUS_SIX_DOF_JOINT = 5,
    TALUS_WHEEL_JOINT = 6,
    TALUS_GEAR_JOINT = 7,
    TALUS_MOTOR_JOINT = 8
};

/// An axis of a joint: one of the constants below. The C++ header joint.h says which axes each kind has.
typedef int32_t TalusJointAxis;
enum {
    TALUS_MOVE_X = 0,
    TALUS_MOVE_Y = 1,
    TALUS_MOVE_Z = 2,
    TALUS_TURN_X = 3,
    TALUS_TURN_Y = 4,
    TALUS_TURN_Z = 5,
    TALUS_MAIN_AXIS = 6
};

/// For TALUS_DISTANCE_JOINT: the distance at the time the joint is added.
#define TALUS_AS_ADDED (-1.0f)

/// The definition of a joint. `kind` says which member of `of` counts.
typedef struct TalusJointDef {
    size_t size;                ///< sizeof(TalusJointDef)
    TalusJointKind kind;        ///< see above
    TalusJointFrames frames;    ///< bodies and frames; not for a gear
    TalusJointOptions options;  ///< of every kind of joint
    union {
        struct {
            float cone;             ///< largest angle between the x axes, rad; infinity: none
            TalusJointLimit twist;  ///< about x, rad
            TalusJointDrive drive;  ///< only its angular part is used
        } ball;                     ///< keeps the anchors together
        TalusJointAxisDef hinge;    ///< rotates about x
        TalusJointAxisDef slider;   ///< moves along A's x
        struct {
            float linear_hertz;   ///< 0: rigid
            float angular_hertz;  ///< 0: rigid
            float damping_ratio;  ///< of both
        } fixed;                  ///< a weld
        struct {
            TalusJointAxisDef
                axis;           ///< `limit` is the range of the length, m, or TALUS_AS_ADDED for both; no spring target
            float rest_length;  ///< the spring's target, m, or TALUS_AS_ADDED
        } distance;             ///< a rod, a rope or a coil spring
        TalusJointAxisDef six_dof[6];  ///< by TALUS_MOVE_X to TALUS_TURN_Z
        struct {
            TalusJointLimit travel;           ///< of the suspension, along A's y, m
            TalusJointSpring suspension;      ///< along A's y
            TalusJointLimit steering;         ///< about A's y, rad
            TalusJointSpring steering_servo;  ///< for wheels that steer
            TalusJointMotor motor;            ///< about the axle, x
        } wheel;                              ///< B is the wheel, A the chassis
        struct {
            TalusJointId joint_a, joint_b;  ///< hinges or sliders
            float ratio;                    ///< joint_b moves by that much when joint_a moves by 1
        } gear;                             ///< couples two joints
        TalusJointDrive motor;              ///< locks no axis; only drives
    } of;                                   ///< of.hinge for TALUS_HINGE_JOINT, and so on
} TalusJointDef;

TALUS_API TalusJointDef talus_joint_def(TalusJointKind kind);  ///< the defaults of a kind

// ---- World ----------------------------------------------------------------------------------------------------------

typedef struct TalusWorld TalusWorld;    ///< bodies and joints, and what happens to them
typedef struct TalusAssets TalusAssets;  ///< names of hulls and meshes, for saving

/// What a step times: one of the constants below.
typedef int32_t TalusTiming;
enum { TALUS_TIMING_OFF = 0, TALUS_TIMING_STAGES = 1, TALUS_TIMING_PAIRS = 2 };

/// Settings of a world.
typedef struct TalusWorldDef {
    size_t size;                ///< sizeof(TalusWorldDef)
    TalusVec3 gravity;          ///< m/s^2
    int32_t substeps;           ///< of the solver, in a step of at most 1/60 s: 1 to 64
    bool allow_sleep;           ///< false keeps all bodies awake
    float sleep_speed;          ///< m/s
    float time_to_sleep;        ///< s
    float contact_rate;         ///< stiffness of contacts, 0.01 to 0.5
    uint32_t handle_tag;        ///< marks the handles of this world; 0: the next tag in turn
    float max_speed;            ///< limit of every body's speed, m/s
    float hit_speed;            ///< least approach speed of a hit event, m/s
    bool continuous;            ///< false: all bodies step as with TALUS_CONTINUOUS_OFF
    bool enable_skip;           ///< this switch and the next six are for profiling and tests
    bool enable_reuse;          ///< see WorldDef
    bool enable_closed_form;    ///< see WorldDef
    bool enable_axis;           ///< see WorldDef
    bool enable_warm_gjk;       ///< see WorldDef
    bool enable_warm_epa;       ///< see WorldDef
    bool enable_joint_batches;  ///< see WorldDef
    TalusTiming timing;         ///< what the profile times
    bool hash_stages;           ///< fills TalusProfile::hashes
} TalusWorldDef;

TALUS_API TalusWorldDef talus_world_def(void);  ///< the defaults

/// Returns an empty world, to be destroyed with talus_world_destroy(). `def` may be NULL: the defaults. NULL if a
/// setting is out of range.
TALUS_API TalusWorld* talus_world_create(const TalusWorldDef* def, TalusError* error);
TALUS_API void talus_world_destroy(TalusWorld* world);  ///< destroys it; NULL is allowed
/// Returns an independent copy, to be destroyed with talus_world_destroy().
TALUS_API TalusWorld* talus_world_clone(const TalusWorld* world, TalusError* error);
/// Makes `world` an independent copy of `from`, in the memory that it has.
TALUS_API bool talus_world_assign(TalusWorld* world, const TalusWorld* from);
/// The error of the last call that this world refused. Not to be called while another thread calls something.
TALUS_API TalusError talus_world_last_error(const TalusWorld* world);
TALUS_API void talus_world_clear_error(const TalusWorld* world);  ///< forgets that error

/// Threads for talus_world_step(), of the host's job system or of a pool (talus_thread_pool_create()).
typedef struct TalusJobs {
    int32_t threads;  ///< work is divided into at most this many tasks, at least 1
    /// Calls task(data, i) once for each i from 0 to count - 1, on any threads, and returns when all calls have
    /// returned. NULL: the calling thread makes the calls.
    void (*run)(void* host, int32_t count, void (*task)(void* data, int32_t index), void* data);
    void* host;        ///< passed to `run`
    bool all_threads;  ///< each step uses all threads; see Jobs::all_threads
    bool simulate;     ///< for measurements; see Jobs::simulate
} TalusJobs;

typedef struct TalusThreadPool TalusThreadPool;  ///< threads that wait for tasks
/// Returns a pool of `threads` threads, the caller's included, to be destroyed with talus_thread_pool_destroy(). NULL
/// if the system cannot start them.
TALUS_API TalusThreadPool* talus_thread_pool_create(int32_t threads, TalusError* error);
TALUS_API void talus_thread_pool_destroy(TalusThreadPool* pool);    ///< NULL is allowed
TALUS_API TalusJobs talus_thread_pool_jobs(TalusThreadPool* pool);  ///< valid as long as the pool

/// Advances the world by `dt` seconds. `jobs` may be NULL: one thread.
TALUS_API bool talus_world_step(TalusWorld* world, float dt, const TalusJobs* jobs);

// Adding and removing.
TALUS_API TalusBodyId talus_world_add_body(TalusWorld* world, const TalusBodyDef* def);  ///< 0 if it is refused
/// Adds all bodies or none. `out` has room for `count` handles; they are 0 if a body is refused.
TALUS_API bool talus_world_add_bodies(TalusWorld* world, const TalusBodyDef* defs, size_t count, TalusBodyId* out);
TALUS_API bool talus_world_remove_body(TalusWorld* world, TalusBodyId body);          ///< and its joints
TALUS_API bool talus_world_is_valid_body(const TalusWorld* world, TalusBodyId body);  ///< false if it is null or stale

// State of bodies. A stale handle gives zeros or the identity.
TALUS_API TalusDVec3 talus_world_position(const TalusWorld* world, TalusBodyId body);  ///< of the body's frame, m
TALUS_API TalusQuat talus_world_rotation(const TalusWorld* world, TalusBodyId body);   ///< of the body's frame
TALUS_API TalusWorldTransform talus_world_body_transform(const TalusWorld* world, TalusBodyId body);  ///< both
TALUS_API TalusDVec3 talus_world_center_of_mass(const TalusWorld* world, TalusBodyId body);           ///< world, m
TALUS_API TalusVec3 talus_world_linear_velocity(const TalusWorld* world, TalusBodyId body);           ///< m/s
TALUS_API TalusVec3 talus_world_angular_velocity(const TalusWorld* world, TalusBodyId body);          ///< rad/s
TALUS_API float talus_world_mass(const TalusWorld* world, TalusBodyId body);                          ///< kg
TALUS_API TalusMat3 talus_world_inertia(const TalusWorld* world, TalusBodyId body);      ///< world axes, kg m^2
TALUS_API TalusBodyType talus_world_type(const TalusWorld* world, TalusBodyId body);     ///< fixed if stale
TALUS_API bool talus_world_is_awake(const TalusWorld* world, TalusBodyId body);          ///< false if it sleeps
TALUS_API uint64_t talus_world_user_data(const TalusWorld* world, TalusBodyId body);     ///< yours
TALUS_API TalusWorldAabb talus_world_bounds(const TalusWorld* world, TalusBodyId body);  ///< box around it
TALUS_API float talus_world_gravity_scale(const TalusWorld* world, TalusBodyId body);    ///< factor of gravity
TALUS_API uint8_t talus_world_locks(const TalusWorld* world, TalusBodyId body);          ///< TALUS_LOCK_...
TALUS_API float talus_world_linear_damping(const TalusWorld* world, TalusBodyId body);   ///< 1/s
TALUS_API float talus_world_angular_damping(const TalusWorld* world, TalusBodyId body);  ///< 1/s
TALUS_API float talus_world_max_speed(const TalusWorld* world, TalusBodyId body);        ///< m/s
TALUS_API float talus_world_max_spin(const TalusWorld* world, TalusBodyId body);         ///< rad/s
TALUS_API TalusVec3 talus_world_force(const TalusWorld* world, TalusBodyId body);        ///< for the next step, N
TALUS_API TalusVec3 talus_world_torque(const TalusWorld* world, TalusBodyId body);       ///< likewise, N m
/// Returns the number of the body's shapes.
TALUS_API size_t talus_world_shape_count(const TalusWorld* world, TalusBodyId body);
/// Returns a definition that adds an equal body, its shapes in `shapes`. Free it with talus_body_def_free(). It has
/// references to its hulls and meshes: they are valid as long as the definition. NULL for a stale handle.
TALUS_API TalusBodyDef* talus_world_describe_body(const TalusWorld* world, TalusBodyId body);
TALUS_API void talus_body_def_free(
    TalusBodyDef* def);  ///< frees what talus_world_describe_body() returned, nothing else

/// Writes the poses of bodies, 7 floats each: the position relative to `origin` (m), then the rotation. Stale handles
/// give the position 0 and the identity, and false is returned.
TALUS_API bool talus_world_read_poses(const TalusWorld* world, const TalusBodyId* bodies, size_t count,
                                      TalusDVec3 origin, float* poses);
/// Writes the velocities of bodies, 6 floats each: m/s, then rad/s. Likewise.
TALUS_API bool talus_world_read_velocities(const TalusWorld* world, const TalusBodyId* bodies, size_t count,
                                           float* velocities);

// Changes of bodies.
TALUS_API bool talus_world_set_transform(TalusWorld* world, TalusBodyId body, TalusDVec3 position, TalusQuat rotation);
TALUS_API bool talus_world_set_linear_velocity(TalusWorld* world, TalusBodyId body, TalusVec3 velocity);   ///< m/s
TALUS_API bool talus_world_set_angular_velocity(TalusWorld* world, TalusBodyId body, TalusVec3 velocity);  ///< rad/s
TALUS_API bool talus_world_set_gravity_scale(TalusWorld* world, TalusBodyId body, float scale);
TALUS_API bool talus_world_set_locks(TalusWorld* world, TalusBodyId body, uint8_t locks);  ///< TALUS_LOCK_...
TALUS_API bool talus_world_set_damping(TalusWorld* world, TalusBodyId body, float linear, float angular);  ///< 1/s
/// Sets the pose that a kinematic body has after the next step.
TALUS_API bool talus_world_set_kinematic_target(TalusWorld* world, TalusBodyId body, TalusDVec3 position,
                                                TalusQuat rotation);
TALUS_API bool talus_world_set_speed_limits(TalusWorld* world, TalusBodyId body, float max_speed, float max_spin);
TALUS_API bool talus_world_set_continuous(TalusWorld* world, TalusBodyId body, TalusContinuous continuous);
TALUS_API bool talus_world_set_shapes(TalusWorld* world, TalusBodyId body, const TalusShapeDef* shapes, size_t count);
TALUS_API bool talus_world_set_shape(TalusWorld* world, TalusBodyId body, uint32_t shape, const TalusShape* geometry);
TALUS_API bool talus_world_set_material(TalusWorld* world, TalusBodyId body, uint32_t shape,
                                        const TalusMaterial* material);
TALUS_API bool talus_world_set_filter(TalusWorld* world, TalusBodyId body, uint32_t shape, const TalusFilter* filter);
TALUS_API bool talus_world_set_type(TalusWorld* world, TalusBodyId body, TalusBodyType type);
TALUS_API bool talus_world_set_mass(TalusWorld* world, TalusBodyId body, float mass);  ///< kg
TALUS_API bool talus_world_set_mass_properties(TalusWorld* world, TalusBodyId body,
                                               const TalusMassProperties* properties);
TALUS_API bool talus_world_set_user_data(TalusWorld* world, TalusBodyId body, uint64_t user_data);
TALUS_API bool talus_world_set_awake(TalusWorld* world, TalusBodyId body, bool awake);
TALUS_API bool talus_world_apply_force(TalusWorld* world, TalusBodyId body, TalusVec3 force);  ///< N
TALUS_API bool talus_world_apply_force_at(TalusWorld* world, TalusBodyId body, TalusVec3 force, TalusDVec3 point);
TALUS_API bool talus_world_apply_torque(TalusWorld* world, TalusBodyId body, TalusVec3 torque);    ///< N m
TALUS_API bool talus_world_apply_impulse(TalusWorld* world, TalusBodyId body, TalusVec3 impulse);  ///< N s
TALUS_API bool talus_world_apply_impulse_at(TalusWorld* world, TalusBodyId body, TalusVec3 impulse, TalusDVec3 point);
TALUS_API bool talus_world_apply_angular_impulse(TalusWorld* world, TalusBodyId body, TalusVec3 impulse);  ///< N m s

// Settings.
TALUS_API bool talus_world_set_gravity(TalusWorld* world, TalusVec3 gravity);  ///< m/s^2
TALUS_API TalusVec3 talus_world_gravity(const TalusWorld* world);              ///< m/s^2
TALUS_API TalusWorldDef talus_world_settings(const TalusWorld* world);         ///< the present settings
TALUS_API bool talus_world_set_settings(TalusWorld* world, const TalusWorldDef* settings);
TALUS_API bool talus_world_set_allow_sleep(TalusWorld* world, bool allow);
TALUS_API bool talus_world_set_hit_speed(TalusWorld* world, float speed);  ///< m/s

/// A point of a contact that is about to be solved.
typedef struct TalusModifiablePoint {
    TalusDVec3 position;  ///< world, m
    float separation;     ///< m; negative if the shapes overlap
    bool enabled;         ///< may be changed: false removes the point from this step
} TalusModifiablePoint;

/// A contact that is about to be solved, for a contact modifier.
typedef struct TalusContactModification {
    TalusBodyId body_a, body_b;
    uint32_t shape_a, shape_b;          ///< indices of the shapes in their bodies
    uint64_t user_data_a, user_data_b;  ///< of the bodies
    TalusVec3 normal;                   ///< unit, from A to B, world
    TalusVec3 velocity;                 ///< of B relative to A, m/s
    bool touching;                      ///< the two touched in the last step
    int32_t point_count;                ///< 1 to 4
    TalusModifiablePoint points[4];     ///< the first `point_count` are valid
    bool enabled;                       ///< may be changed: false lets the two pass through each other
    float friction;                     ///< may be changed
    float restitution;                  ///< may be changed
} TalusContactModification;

typedef void (*TalusContactModifier)(TalusContactModification* contact, void* user);  ///< see contact_modifier.h
/// Sets the function that may change contacts before they are solved; NULL: none. Copies of the world have it, too;
/// `user` must be valid as long as any of them steps.
TALUS_API bool talus_world_set_contact_modifier(TalusWorld* world, TalusContactModifier modifier, void* user);

// Joints.
TALUS_API TalusJointId talus_world_add_joint(TalusWorld* world, const TalusJointDef* def);  ///< 0 if it is refused
TALUS_API bool talus_world_remove_joint(TalusWorld* world, TalusJointId joint);
TALUS_API bool talus_world_is_valid_joint(const TalusWorld* world, TalusJointId joint);
/// Makes the frames of a joint from a point (m) and an axis in the world, at the bodies' present poses.
TALUS_API TalusJointFrames talus_world_joint_frames(const TalusWorld* world, TalusBodyId body_a, TalusBodyId body_b,
                                                    TalusDVec3 anchor, TalusVec3 axis);
/// Writes a definition that adds an equal joint. Returns false for a stale handle.
TALUS_API bool talus_world_describe_joint(const TalusWorld* world, TalusJointId joint, TalusJointDef* out);
TALUS_API TalusJointKind talus_world_kind(const TalusWorld* world, TalusJointId joint);
TALUS_API TalusJointFrames talus_world_frames(const TalusWorld* world, TalusJointId joint);
TALUS_API TalusBodyId talus_world_body_a(const TalusWorld* world, TalusJointId joint);
TALUS_API TalusBodyId talus_world_body_b(const TalusWorld* world, TalusJointId joint);
TALUS_API uint64_t talus_world_joint_user_data(const TalusWorld* world, TalusJointId joint);
TALUS_API float talus_world_joint_coordinate(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API float talus_world_joint_speed(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API TalusVec3 talus_world_joint_force(const TalusWorld* world, TalusJointId joint);   ///< on B, N
TALUS_API TalusVec3 talus_world_joint_torque(const TalusWorld* world, TalusJointId joint);  ///< on B, N m
TALUS_API float talus_world_joint_motor_force(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API float talus_world_joint_stiffness(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API bool talus_world_set_joint_limit(TalusWorld* world, TalusJointId joint, TalusJointLimit limit,
                                           TalusJointAxis axis);
TALUS_API bool talus_world_set_joint_motor(TalusWorld* world, TalusJointId joint, TalusJointMotor motor,
                                           TalusJointAxis axis);
TALUS_API bool talus_world_set_joint_spring(TalusWorld* world, TalusJointId joint, TalusJointSpring spring,
                                            TalusJointAxis axis);
TALUS_API bool talus_world_set_joint_cone(TalusWorld* world, TalusJointId joint, float cone);  ///< rad
TALUS_API bool talus_world_set_joint_drive(TalusWorld* world, TalusJointId joint, const TalusJointDrive* drive);
TALUS_API bool talus_world_set_joint_break(TalusWorld* world, TalusJointId joint, float force, float torque);
TALUS_API bool talus_world_set_joint_collide_connected(TalusWorld* world, TalusJointId joint, bool collide);
TALUS_API TalusJointLimit talus_world_joint_limit(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API TalusJointMotor talus_world_joint_motor(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API TalusJointSpring talus_world_joint_spring(const TalusWorld* world, TalusJointId joint, TalusJointAxis axis);
TALUS_API float talus_world_joint_cone(const TalusWorld* world, TalusJointId joint);  ///< rad
TALUS_API TalusJointDrive talus_world_joint_drive(const TalusWorld* world, TalusJointId joint);
TALUS_API size_t talus_world_joints_of(const TalusWorld* world, TalusBodyId body, TalusJointId* out, size_t capacity);
TALUS_API size_t talus_world_joints(const TalusWorld* world, TalusJointId* out, size_t capacity);
TALUS_API size_t talus_world_joint_count(const TalusWorld* world);

// ---- Queries. `filter` may be NULL: the default filter. -------------------------------------------------------------

/// The segment from `origin` to origin + translation.
typedef struct TalusRay {
    TalusDVec3 origin;      ///< world, m
    TalusVec3 translation;  ///< m
} TalusRay;

/// A shape that moves from `pose` by `translation` without rotating.
typedef struct TalusShapeCast {
    TalusShape shape;
    TalusWorldTransform pose;  ///< at the start
    TalusVec3 translation;     ///< m
} TalusShapeCast;

/// The point at which a ray or a moving shape hits a body.
typedef struct TalusCastHit {
    TalusBodyId body;     ///< 0: no hit
    uint32_t shape;       ///< index of the shape in its body
    uint32_t triangle;    ///< number of the triangle if the shape is a mesh; else TALUS_NO_TRIANGLE
    TalusDVec3 position;  ///< world, m
    TalusVec3 normal;     ///< outward, unit; see CastHit for casts that begin in overlap
    float fraction;       ///< part of the translation, 0 to 1
} TalusCastHit;

/// A body near a point.
typedef struct TalusNearHit {
    TalusBodyId body;     ///< the body
    uint32_t shape;       ///< the shape of it that is nearest
    TalusDVec3 position;  ///< the nearest point of that shape, world, m
    float distance;       ///< m
} TalusNearHit;

TALUS_API TalusCastHit talus_world_ray_cast(const TalusWorld* world, TalusRay ray, const TalusFilter* filter);
TALUS_API bool talus_world_ray_cast_any(const TalusWorld* world, TalusRay ray, const TalusFilter* filter);
TALUS_API size_t talus_world_ray_cast_all(const TalusWorld* world, TalusRay ray, const TalusFilter* filter,
                                          TalusCastHit* out, size_t capacity);
/// Casts many rays: hits[i] is the first hit of rays[i]. If one is refused, returns false, and all hits are null.
TALUS_API bool talus_world_ray_casts(const TalusWorld* world, const TalusRay* rays, size_t count,
                                     const TalusFilter* filter, TalusCastHit* hits);
TALUS_API TalusCastHit talus_world_shape_cast(const TalusWorld* world, const TalusShapeCast* cast,
                                              const TalusFilter* filter);
TALUS_API bool talus_world_shape_cast_any(const TalusWorld* world, const TalusShapeCast* cast,
                                          const TalusFilter* filter);
TALUS_API size_t talus_world_shape_cast_all(const TalusWorld* world, const TalusShapeCast* cast,
                                            const TalusFilter* filter, TalusCastHit* out, size_t capacity);
/// Casts many shapes, as talus_world_ray_casts() does with rays.
TALUS_API bool talus_world_shape_casts(const TalusWorld* world, const TalusShapeCast* casts, size_t count,
                                       const TalusFilter* filter, TalusCastHit* hits);
TALUS_API size_t talus_world_overlap_shape(const TalusWorld* world, const TalusShape* shape, TalusWorldTransform pose,
                                           const TalusFilter* filter, TalusBodyId* out, size_t capacity);
TALUS_API size_t talus_world_overlap_box(const TalusWorld* world, TalusWorldAabb box, const TalusFilter* filter,
                                         TalusBodyId* out, size_t capacity);
TALUS_API size_t talus_world_overlap_point(const TalusWorld* world, TalusDVec3 point, const TalusFilter* filter,
                                           TalusBodyId* out, size_t capacity);
TALUS_API bool talus_world_overlap_any_shape(const TalusWorld* world, const TalusShape* shape, TalusWorldTransform pose,
                                             const TalusFilter* filter);
TALUS_API bool talus_world_overlap_any_box(const TalusWorld* world, TalusWorldAabb box, const TalusFilter* filter);
TALUS_API bool talus_world_overlap_any_point(const TalusWorld* world, TalusDVec3 point, const TalusFilter* filter);
/// Writes up to `capacity` bodies nearest to the point (m), none farther than `max_distance`; returns how many.
TALUS_API size_t talus_world_nearest(const TalusWorld* world, TalusDVec3 point, float max_distance,
                                     const TalusFilter* filter, TalusNearHit* out, size_t capacity);

// ---- Results of the last step ---------------------------------------------------------------------------------------

/// Two shapes began or stopped touching.
typedef struct TalusContactEvent {
    TalusBodyId body_a, body_b;
    uint32_t shape_a, shape_b;
    bool sensor;           ///< one of the shapes is a sensor
    float normal_impulse;  ///< N s
} TalusContactEvent;

/// A fast impact.
typedef struct TalusHitEvent {
    TalusBodyId body_a, body_b;
    uint32_t shape_a, shape_b;
    TalusDVec3 point;      ///< world, m
    TalusVec3 normal;      ///< unit, from A to B
    float approach_speed;  ///< m/s
    float normal_impulse;  ///< N s
} TalusHitEvent;

/// A joint that broke, or lost a body.
typedef struct TalusJointEvent {
    TalusJointId joint;          ///< its former handle
    TalusBodyId body_a, body_b;  ///< its bodies
    uint64_t user_data;          ///< the joint's
    bool overloaded;             ///< true: it broke; false: a body or joint that it needs was removed
    TalusVec3 force, torque;     ///< on B in its last step, N and N m
} TalusJointEvent;

/// A body that moved.
typedef struct TalusMovedBody {
    TalusBodyId body;
    uint64_t user_data;        ///< the body's
    TalusWorldTransform pose;  ///< of the body's frame, after the step
    bool fell_asleep;          ///< it will not be in this list again before something wakes it
    bool placed;               ///< it was added or placed since the step before: do not interpolate
} TalusMovedBody;

/// One point of a contact.
typedef struct TalusContactPoint {
    TalusDVec3 position;   ///< world, m
    float separation;      ///< m; negative if the shapes overlap
    float normal_impulse;  ///< over the last step, N s
    uint32_t id;           ///< the pair of features that touch here
    bool is_new;           ///< that pair did not touch in the step before
} TalusContactPoint;

/// A touching pair of shapes.
typedef struct TalusContact {
    TalusBodyId body_a, body_b;
    uint32_t shape_a, shape_b;
    uint32_t triangle;           ///< a triangle that touches, if one shape is a mesh
    TalusVec3 normal;            ///< unit, from A to B
    TalusVec3 friction_impulse;  ///< on B, N s
    int32_t point_count;         ///< 1 to 4
    TalusContactPoint points[4];
} TalusContact;

/// The narrowphase's record of a pair of shapes.
typedef struct TalusPairInfo {
    TalusBodyId body_a, body_b;
    uint32_t shape_a, shape_b;
    int32_t state;        ///< 0: never tested; 1: separated; 2: touching
    int32_t rung;         ///< what settled it last: an index of TalusProfile::rungs
    bool active;          ///< the last step settled it
    double microseconds;  ///< of its tests, if it was timed
    float separation;     ///< m
    uint32_t triangle;    ///< if one of the shapes is a mesh
} TalusPairInfo;

TALUS_API size_t talus_world_contacts_begun(const TalusWorld* world, TalusContactEvent* out, size_t capacity);
TALUS_API size_t talus_world_contacts_ended(const TalusWorld* world, TalusContactEvent* out, size_t capacity);
TALUS_API size_t talus_world_contacts_hit(const TalusWorld* world, TalusHitEvent* out, size_t capacity);
TALUS_API size_t talus_world_moved_bodies(const TalusWorld* world, TalusMovedBody* out, size_t capacity);
/// The same, for renderers: 7 floats per body, its position relative to `origin` (m) and its rotation, and its handle.
/// Both lists have room for `capacity` bodies; each may be NULL.
TALUS_API size_t talus_world_moved_poses(const TalusWorld* world, TalusDVec3 origin, float* poses, TalusBodyId* bodies,
                                         size_t capacity);
TALUS_API size_t talus_world_joints_broken(const TalusWorld* world, TalusJointEvent* out, size_t capacity);
TALUS_API size_t talus_world_contacts_of(const TalusWorld* world, TalusBodyId body, TalusContact* out, size_t capacity);
TALUS_API size_t talus_world_contacts(const TalusWorld* world, TalusContact* out, size_t capacity);
TALUS_API size_t talus_world_pairs(const TalusWorld* world, TalusPairInfo* out, size_t capacity);
TALUS_API uint32_t talus_world_island(const TalusWorld* world, TalusBodyId body);
TALUS_API size_t talus_world_bodies(const TalusWorld* world, TalusBodyId* out, size_t capacity);
TALUS_API size_t talus_world_body_count(const TalusWorld* world);
TALUS_API size_t talus_world_awake_body_count(const TalusWorld* world);
TALUS_API uint64_t talus_world_hash(const TalusWorld* world);  ///< of all poses and velocities

#define TALUS_RUNG_COUNT 10  ///< rungs of the coherence ladder
/// Returns the name of a rung, 0 to TALUS_RUNG_COUNT - 1, such as "warm_gjk"; NULL for other numbers.
TALUS_API const char* talus_rung_name(int32_t rung);

/// What the last step cost. Times are in microseconds. The C++ header profile.h says what each field counts.
typedef struct TalusProfile {
    uint64_t frame;  ///< number of the step
    double start, total, pairs, collide, graph, solve, continuous, finish, publish, broadphase;
    uint32_t bodies, awake_bodies, broadphase_pairs, convex_pairs, touching_pairs, contact_points, renewed_contacts;
    uint32_t stiff_groups;
    uint64_t stiff_work;
    uint32_t substeps, swept_bodies, impacts, islands, colors, slabs;
    float max_penetration, mean_penetration;  ///< m
    double kinetic_energy;                    ///< J
    struct {
        uint64_t pairs;       ///< settled on this rung
        double microseconds;  ///< time of this rung
    } rungs[TALUS_RUNG_COUNT];
    uint64_t gjk_queries, gjk_iterations, gjk_cap_hits, epa_queries, epa_iterations, epa_cap_hits;
    uint64_t support_evaluations, manifolds_built;
    uint64_t gjk_histogram[16], epa_histogram[16];
    struct {
        uint64_t node_pairs, pairs, nearby, candidates, points;
    } features;
    struct {
        uint64_t articulations, joints, rows, factorizations, rounds, passes_alone;
        double microseconds, coupled_microseconds;
        TalusBodyId slowest_body;
        double slowest_microseconds;
    } joints;
    struct {
        TalusBodyId body_a, body_b;
        uint32_t shape_a, shape_b, triangle;
        int32_t rung;
        double microseconds;
    } slowest;  ///< the pair whose tests took longest
    struct {
        double total, pairs, collide, graph, solve, continuous, finish, publish;
    } span;  ///< with TalusJobs::simulate
    struct {
        uint64_t pairs, collide, graph, solve, continuous, finish, publish;
    } hashes;                ///< with TalusWorldDef::hash_stages
    double timing;           ///< part of `total` that reading the clock took
    uint32_t interruptions;  ///< by the operating system
} TalusProfile;

TALUS_API TalusProfile talus_world_profile(const TalusWorld* world);

/// Heap memory in use, bytes.
typedef struct TalusMemory {
    size_t bodies, shapes, broadphase, contacts, joints, solver, hulls, meshes, total;
} TalusMemory;

TALUS_API TalusMemory talus_world_memory(const TalusWorld* world);

// ---- Saving ---------------------------------------------------------------------------------------------------------

/// Bytes that the library has allocated. Free them with talus_bytes_free().
typedef struct TalusBytes {
    uint8_t* data;  ///< NULL if the call was refused
    size_t size;
} TalusBytes;

TALUS_API void talus_bytes_free(TalusBytes bytes);

/// Returns the whole world as bytes. `assets` may be NULL: hulls and meshes are part of the bytes.
TALUS_API TalusBytes talus_world_save(const TalusWorld* world, const TalusAssets* assets, TalusError* error);
/// Returns the world that talus_world_save() has saved, to be destroyed with talus_world_destroy(). The bytes are
/// checked.
TALUS_API TalusWorld* talus_world_load(const uint8_t* bytes, size_t size, const TalusAssets* assets, TalusError* error);
/// Returns the difference between earlier bytes and what talus_world_save() returns now.
TALUS_API TalusBytes talus_world_save_changes(const TalusWorld* world, const uint8_t* since, size_t size,
                                              const TalusAssets* assets, TalusError* error);
/// Returns the later bytes from the earlier ones and the difference.
TALUS_API TalusBytes talus_world_apply_changes(const uint8_t* since, size_t size, const uint8_t* changes,
                                               size_t changes_size, TalusError* error);

/// Returns an empty table, to be destroyed with talus_assets_destroy().
TALUS_API TalusAssets* talus_assets_create(void);
TALUS_API void talus_assets_destroy(TalusAssets* assets);  ///< NULL is allowed
/// Adds a hull by name. Returns false if it is NULL, or if the name is empty or used already.
TALUS_API bool talus_assets_add_hull(TalusAssets* assets, const char* name, const TalusHull* hull);
TALUS_API bool talus_assets_add_mesh(TalusAssets* assets, const char* name, const TalusMesh* mesh);  ///< likewise

// ---- Drawing for inspection -----------------------------------------------------------------------------------------

/// An sRGB colour; alpha is not premultiplied.
typedef struct TalusColor {
    uint8_t r, g, b, a;
} TalusColor;

/// Your renderer's functions. Each may be NULL.
typedef struct TalusDebugDraw {
    void* user;  ///< passed to each
    void (*line)(void* user, TalusDVec3 from, TalusDVec3 to, TalusColor color);
    void (*point)(void* user, TalusDVec3 at, float pixels, TalusColor color);
    void (*triangle)(void* user, TalusDVec3 a, TalusDVec3 b, TalusDVec3 c, TalusColor color);
    void (*text)(void* user, TalusDVec3 at, const char* text, TalusColor color);
} TalusDebugDraw;

/// What the outlines' colours show: one of the constants below.
typedef int32_t TalusOutlineColor;
enum { TALUS_OUTLINE_TYPE = 0, TALUS_OUTLINE_SLEEP = 1, TALUS_OUTLINE_ISLAND = 2 };

/// What to draw; see DebugDrawOptions.
typedef struct TalusDebugDrawOptions {
    size_t size;  ///< sizeof(TalusDebugDrawOptions)
    bool outlines;
    TalusOutlineColor outline_color;
    bool boxes, fat_boxes, columns, contact_points, contact_normals, contact_impulses, feature_ids, manifold_areas;
    bool centers_of_mass, inertia_axes, joints, velocities, pair_rungs;
    float normal_length, impulse_scale, velocity_scale;
    TalusWorldAabb region;
} TalusDebugDrawOptions;

TALUS_API TalusDebugDrawOptions talus_debug_draw_options(void);  ///< nothing is drawn
TALUS_API bool talus_world_draw(const TalusWorld* world, const TalusDebugDraw* draw,
                                const TalusDebugDrawOptions* options);

// ---- A game loop of any frame rate ----------------------------------------------------------------------------------

typedef struct TalusFixedStep
    TalusFixedStep;  ///< turns frames of any length into steps of length `dt`; see fixed_step.h
/// Returns a clock at which no time has passed, to be destroyed with talus_fixed_step_destroy(). `dt`: s; `max_steps`:
/// the most steps of a frame.
TALUS_API TalusFixedStep* talus_fixed_step_create(float dt, int32_t max_steps);
TALUS_API void talus_fixed_step_destroy(TalusFixedStep* clock);                     ///< NULL is allowed
TALUS_API int32_t talus_fixed_step_advance(TalusFixedStep* clock, double seconds);  ///< returns the steps that are due
TALUS_API float talus_fixed_step_dt(const TalusFixedStep* clock);                   ///< length of a step, s
TALUS_API float talus_fixed_step_alpha(const TalusFixedStep* clock);             ///< weight of the newest pose, 0 to 1
TALUS_API double talus_fixed_step_dropped_seconds(const TalusFixedStep* clock);  ///< time that was dropped so far

#ifdef __cplusplus
}
#endif

#endif
