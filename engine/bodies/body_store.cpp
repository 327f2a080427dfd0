#include "engine/bodies/body_store.h"

#include "engine/bodies/body_setup.h"
#include "engine/settings.h"
#include "narrowphase/triangles/surface_contact.h"

#include <algorithm>
#include <span>

namespace talus {

namespace {

/// Loads a column of a matrix; the fourth float is not used.
typedef float Column __attribute__((vector_size(16)));

Column column(const vec3& v) { return Column{v.x, v.y, v.z, 0.0f}; }

Column product(const Column (&m)[3], float x, float y, float z) { return m[0] * x + m[1] * y + m[2] * z; }

/// Returns turn * m * transpose(turn), with the three floats of a column at a time.
mat3 turned(const mat3& m, const mat3& turn) {
    const Column axes[3] = {column(turn[0]), column(turn[1]), column(turn[2])};
    Column left[3];
    for (int k = 0; k < 3; ++k) left[k] = product(axes, m[k].x, m[k].y, m[k].z);
    mat3 result;
    for (int k = 0; k < 3; ++k) {
        const Column c = product(left, turn[0][k], turn[1][k], turn[2][k]);
        result[k] = vec3(c[0], c[1], c[2]);
    }
    return result;
}

/// Returns the response to torques of a body that cannot rotate about some of the world's axes: the inverse of its
/// inertia about the other axes.
mat3 without_axes(const glm::dmat3& inertia, const bool (&locked)[3]) {
    mat3 result(0.0f);
    int free[3], count = 0;
    for (int k = 0; k < 3; ++k) {
        if (!locked[k]) free[count++] = k;
    }
    if (count == 1) result[free[0]][free[0]] = static_cast<float>(1.0 / inertia[free[0]][free[0]]);
    if (count == 2) {
        const int i = free[0], j = free[1];
        const double scale = 1.0 / (inertia[i][i] * inertia[j][j] - inertia[i][j] * inertia[i][j]);
        result[i][i] = static_cast<float>(scale * inertia[j][j]);
        result[j][j] = static_cast<float>(scale * inertia[i][i]);
        result[i][j] = result[j][i] = static_cast<float>(-scale * inertia[i][j]);
    }
    return result;
}

}  // namespace

void drop_locked_motion(Body& body) {
    if (body.locks == 0 || !body.is_dynamic()) return;
    for (int k = 0; k < 3; ++k) {
        if ((body.locks & (lock_x << k)) != 0) body.linear_velocity[k] = 0.0f;
        if ((body.locks & (lock_turn_x << k)) != 0) body.angular_velocity[k] = 0.0f;
    }
}

Response response_of(const Body& body, const quat& rotation) {
    Response r{vec3(body.inverse_mass), body.inverse_inertia.full()};
    if (!body.isotropic) r.inverse_inertia = turned(r.inverse_inertia, to_matrix(rotation));
    if (body.locks == 0) return r;
    bool turn_locked[3];
    for (int k = 0; k < 3; ++k) {
        turn_locked[k] = (body.locks & (lock_turn_x << k)) != 0;
        if ((body.locks & (lock_x << k)) != 0) r.inverse_mass[k] = 0.0f;
    }
    if (body.is_dynamic() && (turn_locked[0] || turn_locked[1] || turn_locked[2])) {
        // From the principal moments: a determinant in float would be 0 or negative for moments that are 1e7 apart.
        const glm::dmat3 axes = principal_axes(body, glm::dquat(rotation));
        r.inverse_inertia = without_axes(with_eigenvalues(body.principal.moments, axes), turn_locked);
    }
    return r;
}

float least_response(const Body& body) {
    return body.locks != 0 ? settings::locked_response * body.inverse_mass : 0.0f;
}

mat3 inertia_of(const Body& body, const quat& rotation) {
    return body.isotropic ? body.inertia.full() : turned(body.inertia.full(), to_matrix(rotation));
}

std::uint32_t ShapePool::allocate(std::uint32_t count, Colliders& colliders) {
    const std::uint32_t first = take_slots(count, colliders);
    if (defs.size() < first + count) defs.resize(first + count);
    return first;
}

std::uint32_t ShapePool::take_slots(std::uint32_t count, Colliders& colliders) {
    if (count == 1 && !free_ones_.empty()) {
        const std::uint32_t slot = free_ones_.back();
        free_ones_.pop_back();
        return slot;
    }
    for (std::size_t i = 0; i < free_runs_.size(); ++i) {
        if (free_runs_[i].count != count) continue;
        const std::uint32_t first = free_runs_[i].first;
        free_runs_[i] = free_runs_.back();
        free_runs_.pop_back();
        return first;
    }
    const auto first = static_cast<std::uint32_t>(boxes.size());
    const std::size_t size = first + count;
    locals.resize(size);
    boxes.resize(size);
    colliders.resize(size);
    return first;
}

void ShapePool::release(std::uint32_t first, std::uint32_t count, Colliders& colliders) {
    if (const std::uint32_t tree = tree_number(first); tree != null_index) {
        trees_[tree] = ShapeTree{};
        free_trees_.push_back(tree);
        tree_numbers_[first] = null_index;
    }
    for (std::uint32_t i = first; i < first + count; ++i) {
        if (i < defs.size()) defs[i] = ShapeDef{};
        if (i < triangles.size()) triangles[i] = TrianglePlace{};
        if (i < colliders.surface_triangles.size()) colliders.surface_triangles[i] = SurfaceTriangle{};
        colliders.shapes[i] = Shape{};
        ++colliders.versions[i];  // caches of the old shape do not match the next one here
    }
    if (count == 1) {
        free_ones_.push_back(first);
    } else {
        free_runs_.push_back({first, count});
    }
}

std::uint32_t ShapePool::add_triangle(const TrianglePlace& place, Colliders& colliders) {
    const std::uint32_t slot = take_slots(1, colliders);
    if (triangles.size() <= slot) triangles.resize(slot + 1);
    triangles[slot] = place;
    if (colliders.surface_triangles.size() <= slot) colliders.surface_triangles.resize(slot + 1);
    derive_triangle(slot, colliders);
    ++colliders.versions[slot];
    place_triangle(slot, colliders);
    return slot;
}

std::uint32_t ShapePool::add_triangle(std::uint32_t mesh, std::uint32_t triangle, Colliders& colliders) {
    return add_triangle(TrianglePlace{.mesh = mesh, .triangle = triangle}, colliders);
}

std::uint32_t ShapePool::add_facet(std::uint32_t mesh, const detail::Facet& facet, float reach, Colliders& colliders) {
    return add_triangle(
        TrianglePlace{.mesh = mesh, .triangle = facet.triangle, .middle = facet.middle, .facet_reach = reach},
        colliders);
}

void ShapePool::move_facet(std::uint32_t slot, const vec3& middle, float reach, Colliders& colliders) {
    triangles[slot].middle = middle;
    triangles[slot].facet_reach = reach;
    const SurfaceTriangle before = colliders.surface_triangles[slot];
    derive_triangle(slot, colliders);
    colliders.surface_triangles[slot].pressed_through = before.pressed_through;
    ++colliders.versions[slot];
    place_triangle(slot, colliders);
}

void ShapePool::derive_triangle(std::uint32_t slot, Colliders& colliders) {
    TrianglePlace& place = triangles[slot];
    const TriangleSet& set = *defs[place.mesh].mesh;
    const detail::PlacedTriangle placed =
        place.is_facet() ? detail::place_facet(set, place.triangle, place.middle, place.facet_reach)
                         : detail::place_triangle(set, place.triangle);
    place.material = placed.material;
    place.middle = placed.middle;
    colliders.shapes[slot] = placed.shape;
    locals[slot] = {.box = talus::bounds(placed.shape)};
    colliders.surface_triangles[slot] = placed.surface;
}

void ShapePool::derive(Colliders& colliders) {
    const std::size_t size = boxes.size();
    locals.resize(size);
    colliders.shapes.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        if (is_triangle(i)) {
            const SurfaceTriangle saved = colliders.surface_triangles[i];
            derive_triangle(i, colliders);
            colliders.surface_triangles[i].pressed_through = saved.pressed_through;
            colliders.surface_triangles[i].side_point = saved.side_point;
        } else {
            derive_shape(i, colliders);
        }
    }
}

void ShapePool::derive_shape(std::uint32_t slot, Colliders& colliders) {
    const ShapeDef& def = defs[slot];
    locals[slot] = {def.mesh ? def.mesh->bounds() : talus::bounds(def.shape), def.pose, def.mesh != nullptr,
                    def.pose.position == vec3(0.0f) && def.pose.rotation == quat(1.0f, 0.0f, 0.0f, 0.0f)};
    colliders.shapes[slot] = def.shape;
}

void ShapePool::build_tree(const Body& body) {
    if (body.shape_count < ShapeTree::least_shapes) return;
    const std::uint32_t first = body.first_shape;
    if (tree_number(first) == null_index) {
        if (tree_numbers_.size() <= first) tree_numbers_.resize(first + 1, null_index);
        if (free_trees_.empty()) {
            free_trees_.push_back(static_cast<std::uint32_t>(trees_.size()));
            trees_.emplace_back();
        }
        tree_numbers_[first] = free_trees_.back();
        free_trees_.pop_back();
    }
    std::vector<Aabb> in_body(body.shape_count);
    for (std::uint32_t k = 0; k < body.shape_count; ++k) {
        const LocalShape& local = locals[first + k];
        in_body[k] = transform_box(to_matrix_transform(local.pose), local.box);
    }
    trees_[tree_numbers_[first]].build(in_body);
}

void ShapePool::place_shapes_in_tree(const Body& body, const Colliders& colliders) {
    const auto of_body = [&](const auto& list) { return std::span(list).subspan(body.first_shape, body.shape_count); };
    trees_[tree_number(body.first_shape)].place(body.center, of_body(boxes), of_body(colliders.poses),
                                                of_body(colliders.motions));
}

float ShapePool::max_displacement(const Body& body, const Colliders& colliders) const {
    if (const ShapeTree* const tree = tree_of(body)) return tree->max_displacement();
    float most = 0.0f;
    for (std::uint32_t k = body.first_shape; k < body.first_shape + body.shape_count; ++k)
        most = std::max(most, colliders.motions[k].max_displacement);
    return most;
}

Aabb ShapePool::bounds(const Body& body, const Colliders& colliders) const {
    if (const ShapeTree* const tree = tree_of(body)) return tree->bounds();
    Aabb box = boxes[body.first_shape];
    for (std::uint32_t k = body.first_shape + 1; k < body.first_shape + body.shape_count; ++k)
        box = merge(box, displaced(boxes[k], vec3(colliders.poses[k].position - origin_of(body, colliders))));
    return box;
}

void ShapePool::place_triangle(std::uint32_t slot, Colliders& colliders) {
    const TrianglePlace& place = triangles[slot];
    const WorldTransform& pose = colliders.poses[place.mesh];
    const PredictedMotion& motion = colliders.motions[place.mesh];
    colliders.poses[slot] = multiply(pose, Transform{place.middle});
    boxes[slot] = box_at(slot, pose.rotation, colliders);
    const vec3 way = motion.displacement + glm::cross(motion.rotation, rotate(pose.rotation, place.middle));
    const float turning = std::sqrt(length_squared(motion.rotation)) * bounding_radius(colliders.shapes[slot]);
    colliders.motions[slot] = {way, motion.rotation, turning, std::sqrt(length_squared(way)) + turning};
}

const Material& ShapePool::material(std::uint32_t slot, std::uint32_t touched) const {
    const ShapeDef& def = defs[shape_of(slot)];
    std::uint32_t number = null_index;
    if (is_triangle(slot))
        number = triangles[slot].material;
    else if (touched != no_triangle && def.mesh && !def.mesh_materials.empty())
        number = def.mesh->triangle(touched).material;
    return number < def.mesh_materials.size() ? def.mesh_materials[number] : def.material;
}

Surface ShapePool::surface(std::uint32_t slot, std::uint32_t touched) const {
    return surface_of(material(slot, touched));
}

std::size_t ShapePool::bytes() const {
    std::size_t sum = trees_.capacity() * sizeof(ShapeTree);
    for (const ShapeTree& tree : trees_) sum += tree.bytes();
    return sum + defs.capacity() * sizeof(ShapeDef) + triangles.capacity() * sizeof(TrianglePlace) +
           (free_ones_.capacity() + free_trees_.capacity() + tree_numbers_.capacity()) * sizeof(std::uint32_t) +
           locals.capacity() * sizeof(LocalShape) + boxes.capacity() * sizeof(Aabb) +
           free_runs_.capacity() * sizeof(FreeRun);
}

bool BodyStore::has_valid_free_list() const {
    std::vector<bool> free(bodies_.size(), false);
    for (const std::uint32_t slot : free_) {
        if (slot >= bodies_.size() || bodies_[slot].in_use || free[slot]) return false;
        free[slot] = true;
    }
    return free_.size() + live_count_ == bodies_.size();
}

std::uint32_t BodyStore::allocate() {
    std::uint32_t slot;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(bodies_.size());
        bodies_.emplace_back().generation = handles::first_generation(tag_);
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    bodies_[slot].in_use = true;
    ++live_count_;
    return slot;
}

void BodyStore::release(std::uint32_t slot) {
    const std::uint32_t generation = handles::next_generation(bodies_[slot].generation);
    bodies_[slot] = Body{};
    bodies_[slot].generation = generation;
    free_.push_back(slot);
    --live_count_;
}

}  // namespace talus
