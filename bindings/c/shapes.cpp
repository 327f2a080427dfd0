// Shapes, hulls, mappings and meshes, and what two shapes do without a world.

#include "bindings/c/world_handle.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/shape_cast.h>
#include <talus/narrowphase/triangles/height_field.h>
#include <talus/narrowphase/triangles/mesh.h>

using namespace talus;
using c::from;
using c::to_c;

#define TALUS_TEXT_OF(number) #number
#define TALUS_TEXT(number) TALUS_TEXT_OF(number)

const char* talus_version(void) {
    return TALUS_TEXT(TALUS_VERSION_MAJOR) "." TALUS_TEXT(TALUS_VERSION_MINOR) "." TALUS_TEXT(TALUS_VERSION_PATCH);
}

TalusTransform talus_transform(void) { return to_c(Transform{}); }
TalusWorldTransform talus_world_transform(void) { return to_c(WorldTransform{}); }

// ---- Shapes ---------------------------------------------------------------------------------------------------------

TalusShape talus_sphere(float radius) { return to_c(sphere(radius), nullptr); }
TalusShape talus_capsule(float half_height, float radius) { return to_c(capsule(half_height, radius), nullptr); }
TalusShape talus_box(TalusVec3 half_extents) { return to_c(box(from(half_extents)), nullptr); }
TalusShape talus_cylinder(float half_height, float radius) { return to_c(cylinder(half_height, radius), nullptr); }
TalusShape talus_cone(float half_height, float radius) { return to_c(cone(half_height, radius), nullptr); }
TalusShape talus_hull(const TalusHull* shared) { return to_c(hull({}), shared); }
TalusShape talus_segment(TalusVec3 a, TalusVec3 b, float radius) {
    return to_c(segment(from(a), from(b), radius), nullptr);
}
TalusShape talus_triangle(TalusVec3 a, TalusVec3 b, TalusVec3 c, float radius) {
    return to_c(triangle(from(a), from(b), from(c), radius), nullptr);
}
TalusShape talus_ellipsoid(TalusVec3 radii) {
    TalusShape shape = to_c(mapping_shape(nullptr), nullptr);
    shape.half_extents = radii;
    return shape;
}
TalusShape talus_mapping(const TalusMapping* shared) {
    if (shared != nullptr) return to_c(mapping_shape(shared->solid), nullptr, shared);
    TalusShape shape{};
    shape.type = TALUS_SUPERELLIPSOID;
    return shape;
}
TalusShape talus_rounded(TalusShape polytope, float radius) {
    const bool can_be = polytope.type == TALUS_SEGMENT || polytope.type == TALUS_TRIANGLE ||
                        polytope.type == TALUS_BOX || polytope.type == TALUS_HULL;
    if (can_be) polytope.radius += radius;
    return polytope;
}

namespace {

/// Returns the shape, or an error if the pointer or the shape's numbers are refused.
Shape checked(const TalusShape* shape, Error& error) {
    c::need(shape, "the shape", error);
    if (error) return {};
    Shape s = from(*shape, error);
    if (!error) error = check(s);
    return s;
}

/// Returns f(the shape), or zeros if the shape is refused.
template <class F>
auto of_shape(const TalusShape* shape, F f) {
    return c::make(nullptr, [&](Error& error) {
        const Shape s = checked(shape, error);
        return error ? decltype(f(s)){} : f(s);
    });
}

}  // namespace

bool talus_check_shape(const TalusShape* shape, TalusError* error) {
    return c::make(error, [&](Error& e) {
        checked(shape, e);
        return true;
    });
}
TalusAabb talus_shape_bounds(const TalusShape* shape) {
    return of_shape(shape, [](const Shape& s) { return to_c(bounds(s)); });
}
float talus_shape_bounding_radius(const TalusShape* shape) { return of_shape(shape, bounding_radius); }
float talus_shape_thickness(const TalusShape* shape) { return of_shape(shape, thickness); }
bool talus_shape_is_solid(const TalusShape* shape) { return of_shape(shape, is_solid); }
TalusMassProperties talus_shape_mass_properties(const TalusShape* shape, float density) {
    return of_shape(shape, [&](const Shape& s) { return to_c(mass_properties(s, density)); });
}

// ---- Hulls ----------------------------------------------------------------------------------------------------------

namespace {

std::vector<vec3> points_from(const TalusVec3* points, std::size_t count, const char* name, Error& error) {
    if (count > 0) c::need(points, name, error);
    std::vector<vec3> result;
    if (error) return result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(from(points[i]));
    return result;
}

}  // namespace

TalusHull* talus_hull_create(const TalusVec3* points, size_t count, TalusError* error) {
    return c::make(error, [&](Error& e) -> TalusHull* {
        const std::vector<vec3> list = points_from(points, count, "points", e);
        if (e) return nullptr;
        auto made = make_hull(list);
        if (!made) {
            e = made.error();
            return nullptr;
        }
        return new TalusHull{*made};
    });
}
void talus_hull_release(TalusHull* hull) { delete hull; }
float talus_hull_volume(const TalusHull* hull) { return hull != nullptr ? hull->hull->volume : 0.0f; }
size_t talus_hull_vertices(const TalusHull* hull, TalusVec3* out, size_t capacity) {
    return hull != nullptr ? c::write_list(hull->hull->vertices, out, capacity) : 0;
}
size_t talus_hull_faces(const TalusHull* hull, uint32_t* out, size_t capacity) {
    if (hull == nullptr) return 0;
    size_t n = 0;
    const auto write = [&](uint32_t number) {
        if (out != nullptr && n < capacity) out[n] = number;
        ++n;
    };
    for (const HullFace& face : hull->hull->faces) {
        write(face.count);
        for (std::uint32_t i = 0; i < face.count; ++i) write(hull->hull->face_vertices[face.first + i]);
    }
    return n;
}

// ---- Superellipsoids and sums ---------------------------------------------------------------------------------------

static TalusMapping* take(const Result<Shape>& made, Error& error) {
    if (!made) error = made.error();
    return made ? new TalusMapping{made->mapping} : nullptr;
}

TalusMapping* talus_superellipsoid_create(TalusVec3 radii, float around, float along, TalusError* error) {
    return c::make(error, [&](Error& e) { return take(superellipsoid(from(radii), around, along), e); });
}
TalusMapping* talus_convex_sum_create(const TalusShape* a, const TalusShape* b, TalusError* error) {
    return c::make(error, [&](Error& e) -> TalusMapping* {
        const Shape shape_a = checked(a, e), shape_b = checked(b, e);
        return e ? nullptr : take(convex_sum(shape_a, shape_b), e);
    });
}
void talus_mapping_release(TalusMapping* mapping) { delete mapping; }

// ---- Meshes ---------------------------------------------------------------------------------------------------------

TalusMeshDef talus_mesh_def(void) {
    TalusMeshDef def{};
    def.size = sizeof def;
    return def;
}

TalusHeightFieldDef talus_height_field_def(void) {
    const HeightFieldDef field;
    TalusHeightFieldDef def{};
    def.size = sizeof def;
    def.spacing_x = field.spacing_x;
    def.spacing_z = field.spacing_z;
    return def;
}

namespace {

/// What make_mesh() and mesh_mass_properties() read.
struct MeshInput {
    std::vector<vec3> vertices;
    std::span<const std::uint32_t> indices;
    std::span<const std::uint8_t> materials;
    bool two_sided = false, solid = false;
};

MeshInput mesh_from(const TalusMeshDef* given, Error& error) {
    const TalusMeshDef def = c::sized(given, talus_mesh_def(), "talus_mesh_def", error);
    MeshInput mesh;
    if (def.index_count > 0) c::need(def.indices, "indices", error);
    if (error) return mesh;
    mesh.vertices = points_from(def.vertices, def.vertex_count, "vertices", error);
    mesh.indices = {def.indices, def.index_count};
    if (def.materials != nullptr) mesh.materials = {def.materials, def.index_count / 3};
    mesh.two_sided = c::flag(def.two_sided);
    mesh.solid = c::flag(def.solid);
    return mesh;
}

TalusMesh* take(Result<std::shared_ptr<const TriangleSet>> made, Error& error) {
    if (!made) error = made.error();
    return made ? new TalusMesh{*made} : nullptr;
}

}  // namespace

TalusMesh* talus_mesh_create(const TalusMeshDef* def, TalusError* error) {
    return c::make(error, [&](Error& e) -> TalusMesh* {
        const MeshInput mesh = mesh_from(def, e);
        if (e) return nullptr;
        return take(make_mesh({.vertices = mesh.vertices,
                               .indices = mesh.indices,
                               .materials = mesh.materials,
                               .two_sided = mesh.two_sided,
                               .solid = mesh.solid}),
                    e);
    });
}

TalusMesh* talus_height_field_create(const TalusHeightFieldDef* given, TalusError* error) {
    return c::make(error, [&](Error& e) -> TalusMesh* {
        const TalusHeightFieldDef def = c::sized(given, talus_height_field_def(), "talus_height_field_def", e);
        c::need(def.heights, "heights", e);
        if (def.columns < 2 || def.rows < 2 || def.columns > 32769 || def.rows > 32769) {
            c::refuse(e, ErrorCode::bad_size, "columns and rows must be 2 to 32769");
        }
        if (e) return nullptr;
        HeightFieldDef field{.columns = def.columns,
                             .rows = def.rows,
                             .heights = {def.heights, std::size_t{def.columns} * def.rows},
                             .spacing_x = def.spacing_x,
                             .spacing_z = def.spacing_z,
                             .materials = {},
                             .two_sided = c::flag(def.two_sided),
                             .holes = {}};
        const std::size_t cells = std::size_t{def.columns - 1} * (def.rows - 1);
        if (def.materials != nullptr) field.materials = {def.materials, cells};
        if (def.holes != nullptr) field.holes = {def.holes, cells};
        return take(make_height_field(field), e);
    });
}

void talus_mesh_release(TalusMesh* mesh) { delete mesh; }
TalusAabb talus_mesh_bounds(const TalusMesh* mesh) { return mesh != nullptr ? to_c(mesh->set->bounds()) : TalusAabb{}; }
uint32_t talus_mesh_size(const TalusMesh* mesh) { return mesh != nullptr ? mesh->set->size() : 0; }
uint32_t talus_mesh_triangle(const TalusMesh* mesh, uint32_t index, TalusVec3 corners[3]) {
    const bool exists = mesh != nullptr && index < mesh->set->size();
    if (corners != nullptr) {
        const SetTriangle triangle = exists ? mesh->set->triangle(index) : SetTriangle{};
        for (int i = 0; i < 3; ++i) corners[i] = exists ? to_c(triangle.points[i]) : TalusVec3{};
    }
    return exists ? mesh->set->source(index) : 0;
}

bool talus_mesh_mass_properties(const TalusMeshDef* def, float density, TalusMassProperties* out, TalusError* error) {
    return c::make(error, [&](Error& e) {
        const MeshInput mesh = mesh_from(def, e);
        c::need(out, "out", e);
        if (e) return false;
        const auto made = mesh_mass_properties(mesh.vertices, mesh.indices, density);
        if (!made) {
            e = made.error();
            return false;
        }
        *out = to_c(*made);
        return true;
    });
}

// ---- Two shapes -----------------------------------------------------------------------------------------------------

namespace {

/// Returns the pose with its rotation as a matrix.
MatrixTransform pose_from(const TalusTransform& pose, Error& error) {
    Transform t = from(pose);
    const float length = glm::dot(t.rotation, t.rotation);
    if (!(length > 0.0f) || !is_finite(length))
        c::refuse(error, ErrorCode::bad_argument, "the rotation is zero or not finite");
    if (!error) t.rotation = normalized(t.rotation);
    return to_matrix_transform(t);
}

}  // namespace

TalusSeparation talus_separation(const TalusShape* a, const TalusShape* b, TalusTransform b_in_a) {
    return c::make(nullptr, [&](Error& error) {
        const Shape shape_a = checked(a, error), shape_b = checked(b, error);
        const MatrixTransform pose = pose_from(b_in_a, error);
        if (error) return TalusSeparation{};
        SeparationCache cache;
        const SeparationResult r = separation(shape_a, shape_b, pose, cache);
        return TalusSeparation{r.is_valid(), r.separation, to_c(r.normal), to_c(r.point_a), to_c(r.point_b)};
    });
}

TalusShapeHit talus_shape_ray_cast(const TalusShape* shape, TalusVec3 origin, TalusVec3 translation) {
    return of_shape(shape, [&](const Shape& s) {
        const RayHit hit = ray_cast(s, from(origin), from(translation));
        if (!hit.hit) return TalusShapeHit{};
        return TalusShapeHit{true, hit.fraction, to_c(from(origin) + hit.fraction * from(translation)),
                             to_c(hit.normal)};
    });
}

TalusShapeHit talus_shape_shape_cast(const TalusShape* a, const TalusShape* b, TalusTransform b_in_a,
                                     TalusVec3 translation) {
    return c::make(nullptr, [&](Error& error) {
        const Shape shape_a = checked(a, error), shape_b = checked(b, error);
        const MatrixTransform pose = pose_from(b_in_a, error);
        if (error) return TalusShapeHit{};
        const ShapeCastResult r = shape_cast(shape_a, shape_b, pose, from(translation));
        if (!r) return TalusShapeHit{};
        return TalusShapeHit{true, r.fraction, to_c(r.point_a), to_c(r.normal)};
    });
}
