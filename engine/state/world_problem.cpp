/// Checks a state that was read from bytes: afterwards all indices, lists and numbers are such that a step can rely on
/// them. What is only unlikely, such as a contact with a strange impulse, is accepted.

#include "engine/bodies/body_setup.h"
#include "engine/features.h"
#include "engine/joints/joint_checks.h"
#include "engine/joints/joint_definition.h"
#include "engine/settings.h"
#include "engine/world/world_state.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace talus {

namespace {

/// Places and speeds of a world that can be loaded (docs/saving.md). The squares of numbers up to this are floats.
constexpr float most = 1e18f;

bool is_small(float x) { return std::abs(x) <= most; }
bool is_small(const vec3& v) { return is_small(v.x) && is_small(v.y) && is_small(v.z); }
bool is_small(const glm::dvec3& v) {
    // A centre of mass may be beyond the largest position that is accepted, and bodies fly on.
    constexpr double most_place = 2.0 * settings::largest_position;
    return std::abs(v.x) <= most_place && std::abs(v.y) <= most_place && std::abs(v.z) <= most_place;
}
using talus::is_finite;
template <class Quaternion>
bool is_unit(const Quaternion& q) {
    const auto size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return size > decltype(size)(0.9991) && size < decltype(size)(1.0009);
}
bool is_on_grid(const dvec3& p) { return is_small(p) && on_grid(p) == p; }
bool is_pose(const WorldTransform& pose) { return is_on_grid(pose.position) && is_unit(pose.rotation); }
bool is_pose(const Transform& pose) { return is_small(pose.position) && is_unit(pose.rotation); }
bool is_unit(const vec3& v) { return std::abs(length_squared(v) - 1.0f) < 1e-3f; }

bool is_length(float x) { return x >= 0.0f && std::isfinite(x); }

bool is_inertia(const SymmetricMatrix& m) {
    return is_finite(m.full()[0]) && is_finite(m.full()[1]) && is_finite(m.diagonal) &&
           glm::all(glm::greaterThanEqual(m.diagonal, vec3(0.0f)));
}

/// Whether two matrices are equal, up to a part of the largest entry.
bool are_near(const glm::dmat3& a, const glm::dmat3& b) {
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            largest = std::max(largest, std::abs(b[i][j]));
            difference = std::max(difference, std::abs(a[i][j] - b[i][j]));
        }
    }
    return difference <= 1e-3 * largest;
}

/// Returns the matrix with these principal axes and moments.
glm::dmat3 with_moments(const glm::dmat3& axes, const glm::dvec3& moments) {
    return glm::dmat3(axes[0] * moments.x, axes[1] * moments.y, axes[2] * moments.z) * glm::transpose(axes);
}

const char* problem_of_mass(const Body& body) {
    if (!is_finite(body.local_center) || !is_inertia(body.inertia) || !is_inertia(body.inverse_inertia) ||
        !is_finite(body.principal.x_axis) || !is_finite(body.principal.y_axis) || !is_finite(body.principal.moments))
        return "the inertia of a body is wrong";
    for (int i = 0; i < 3; ++i) {
        if (body.principal.moments[i] < 0.0) return "the inertia of a body is wrong";
    }
    if (!body.is_dynamic()) {
        const bool movable =
            body.mass != 0.0f || body.inverse_mass != 0.0f || body.inverse_inertia != SymmetricMatrix{};
        return movable ? "a fixed body has a mass" : nullptr;
    }
    if (!(body.mass > 0.0f && body.mass <= settings::largest_mass) ||
        std::abs(body.inverse_mass * body.mass - 1.0f) > 1e-5f)
        return "the mass of a body is wrong";
    for (int i = 0; i < 3; ++i) {
        if (!(body.inertia.diagonal[i] > 0.0f) || !(body.inverse_inertia.diagonal[i] > 0.0f))
            return "the inertia of a body is wrong";
        if (!(body.principal.moments[i] > 0.0)) return "the inertia of a body is wrong";
    }
    const glm::dmat3 axes = body.principal.axes();
    if (!are_near(axes * glm::transpose(axes), glm::dmat3(1.0)) ||
        !are_near(glm::dmat3(body.inertia.full()), with_moments(axes, body.principal.moments)) ||
        !are_near(glm::dmat3(body.inverse_inertia.full()), with_moments(axes, 1.0 / body.principal.moments)))
        return "the inertia of a body is wrong";
    return nullptr;
}

const char* problem_of_motion(const Body& body) {
    if (!is_on_grid(body.center) || !is_unit(body.rotation) || !is_unit(body.exact_rotation) ||
        !is_on_grid(body.still_place) || !is_unit(body.still_rotation) || !is_on_grid(body.settle_place))
        return "the pose of a body is wrong";
    if (!is_small(body.linear_velocity) || !is_small(body.angular_velocity) || !is_small(body.exact_spin) ||
        !is_finite(body.force) || !is_finite(body.torque))
        return "the motion of a body is wrong";
    if (!(body.linear_damping >= 0.0f) || !is_finite(body.linear_damping) || !(body.angular_damping >= 0.0f) ||
        !is_finite(body.angular_damping) || !(body.max_speed > 0.0f) || !(body.max_spin > 0.0f) ||
        !(std::abs(body.gravity_scale) <= settings::largest_gravity_scale) || check_locks(body.locks))
        return "a setting of a body is out of range";
    for (const float size :
         {body.radius, body.spread.x, body.spread.y, body.spread.z, body.gyration, body.still_time, body.slow_time}) {
        if (!(size >= 0.0f && is_small(size))) return "a size of a body is wrong";
    }
    if (!(body.inner_radius >= 0.0f) || !(body.stale_by_spin >= 0.0f) || !(body.stale_by_tilt >= 0.0f))
        return "a size of a body is wrong";
    return nullptr;
}

/// Which body each slot of the shape pool belongs to.
struct ShapeOwners {
    std::vector<std::uint32_t> body;  ///< null_index: none
    std::vector<bool> free;

    /// The body of a collider, which may be a triangle of a mesh.
    std::uint32_t of(const ShapePool& shapes, std::uint32_t slot) const {
        return slot < body.size() ? body[shapes.is_triangle(slot) ? shapes.triangles[slot].mesh : slot] : null_index;
    }
};

const char* problem_of_bodies(const BodyStore& bodies) {
    std::uint32_t live = 0;
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        const Body& body = bodies[slot];
        if (!body.in_use) continue;
        ++live;
        if (const char* problem = problem_of_mass(body)) return problem;
        if (const char* problem = problem_of_motion(body)) return problem;
    }
    return live == bodies.live_count() && bodies.has_valid_free_list() ? nullptr : "the list of free bodies is wrong";
}

const char* find_owners(const BodyStore& bodies, const ShapePool& shapes, ShapeOwners& owners) {
    const std::size_t slots = shapes.defs.size();
    owners.body.assign(slots, null_index);
    owners.free.assign(slots, false);
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        const Body& body = bodies[slot];
        if (!body.in_use) continue;
        if (body.shape_count == 0 || body.first_shape >= slots || body.shape_count > slots - body.first_shape)
            return "a body has no such shapes";
        for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
            if (owners.body[i] != null_index || shapes.is_triangle(i)) return "a shape belongs to two bodies";
            owners.body[i] = slot;
            if (check_shape(shapes.defs[i], body.type) || !is_pose(shapes.defs[i].pose))
                return "a shape would be refused";
        }
    }
    const char* problem = nullptr;
    shapes.for_each_free([&](std::uint32_t first, std::uint32_t count) {
        if (problem != nullptr || first > slots || count > slots - first || count == 0) {
            problem = "the list of free shapes is wrong";
            return;
        }
        for (std::uint32_t i = first; i < first + count; ++i) {
            if (owners.body[i] != null_index || owners.free[i] || shapes.is_triangle(i))
                problem = "the list of free shapes is wrong";
            owners.free[i] = true;
        }
    });
    if (problem != nullptr) return problem;
    for (std::uint32_t i = 0; i < slots; ++i) {
        if (!shapes.is_triangle(i)) {
            if (owners.body[i] == null_index && !owners.free[i]) return "a shape belongs to no body";
            continue;
        }
        const TrianglePlace& place = shapes.triangles[i];
        if (place.mesh >= slots || owners.body[place.mesh] == null_index || shapes.is_triangle(place.mesh) ||
            !shapes.defs[place.mesh].mesh || place.triangle >= shapes.defs[place.mesh].mesh->size())
            return "a triangle belongs to no mesh";
        if (place.facet_reach != 0.0f &&
            !(place.facet_reach >= smallest_size && is_small(place.facet_reach) && is_small(place.middle)))
            return "a facet is out of range";
    }
    return nullptr;
}

const char* problem_of_colliders(const ShapePool& shapes, const Colliders& colliders, const ShapeOwners& owners) {
    for (std::uint32_t i = 0; i < shapes.defs.size(); ++i) {
        if (owners.free[i]) continue;
        const PredictedMotion& motion = colliders.motions[i];
        if (!is_pose(colliders.poses[i]) || !is_small(motion.displacement) || !is_small(motion.rotation) ||
            !(motion.rotation_reach >= 0.0f && is_small(motion.rotation_reach)) ||
            !(motion.max_displacement >= 0.0f && is_small(motion.max_displacement)) ||
            !is_small(shapes.boxes[i].lower) || !is_small(shapes.boxes[i].upper))
            return "the pose of a shape is wrong";
        if (shapes.is_triangle(i) && !is_small(colliders.surface_triangles[i].side_point))
            return "the pose of a shape is wrong";
    }
    return nullptr;
}

const char* problem_of_proxies(const BodyStore& bodies, const BodyProxies& proxies) {
    const Broadphase& broadphase = proxies.broadphase();
    const std::span<const std::uint32_t> bodies_of = proxies.bodies_of();
    std::size_t live = 0;
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        const Body& body = bodies[slot];
        if (!body.in_use) continue;
        ++live;
        if (!broadphase.is_valid(body.proxy) || body.proxy >= bodies_of.size() || bodies_of[body.proxy] != slot ||
            broadphase.user_data(body.proxy) != slot)
            return "a body has no proxy of its own";
        if (slot >= proxies.spheres().size()) return "a body has no bounding sphere";
        const BoundingSphere& sphere = proxies.spheres()[slot];
        if (!is_on_grid(sphere.center) || !(sphere.reach >= 0.0f && is_small(sphere.reach)))
            return "a bounding sphere is wrong";
    }
    for (std::uint32_t proxy = 0; proxy < bodies_of.size(); ++proxy) {
        const std::uint32_t slot = bodies_of[proxy];
        if (slot != null_index && (slot >= bodies.slot_count() || bodies[slot].proxy != proxy || !bodies[slot].in_use))
            return "a proxy belongs to another body";
    }
    return live == broadphase.proxy_count() ? nullptr : "a proxy belongs to no body";
}

/// Checks the lists of pairs of the bodies.
const char* problem_of_pair_lists(const BodyStore& bodies, const ContactTable& contacts) {
    std::size_t left = 2 * std::size_t{contacts.live_pairs()};
    for (const Pair& pair : contacts.pairs) {
        if (!pair.in_use) continue;
        for (const std::uint32_t slot : pair.body) {
            if (slot >= bodies.slot_count() || !bodies[slot].in_use) return "a pair has no such body";
        }
    }
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        const Body& body = bodies[slot];
        if (!body.in_use) continue;
        std::uint32_t count = 0, before = null_index;
        for (std::uint32_t p = body.first_pair; p != null_index; ++count) {
            if (p >= contacts.pairs.size() || left == 0) return "a list of pairs is wrong";
            const Pair& pair = contacts.pairs[p];
            if (!pair.in_use || (pair.body[0] != slot && pair.body[1] != slot)) return "a list of pairs is wrong";
            const int side = side_of(pair, slot);
            if (pair.previous[side] != before) return "a list of pairs is wrong";
            --left;
            before = p;
            p = pair.next[side];
        }
        if (count != body.pair_count) return "a body has another number of pairs";
    }
    return left == 0 ? nullptr : "a pair is not in the list of its body";
}

const char* problem_of_contacts(const ContactTable& contacts, const ShapePool& shapes, const BodyStore& bodies,
                                const ShapeOwners& owners) {
    std::vector<bool> owned(shapes.defs.size(), false);
    std::size_t triangles = 0;
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        if (contacts.bodies[c].a == null_index) continue;
        const PairRecord& record = contacts.records[c];
        const ContactState& state = contacts.states[c];
        if (record.a >= owners.body.size() || record.b >= owners.body.size() || owners.free[record.a] ||
            owners.free[record.b] || owners.of(shapes, record.a) != contacts.bodies[c].a ||
            owners.of(shapes, record.b) != contacts.bodies[c].b)
            return "a contact has shapes of other bodies";
        bool has_triangle = false;
        for (const std::uint32_t collider : {record.a, record.b}) {
            if (!shapes.is_triangle(collider)) {
                if (shapes.defs[collider].mesh && record.rung != Rung::features) return "a contact has a whole mesh";
                continue;
            }
            if (owned[collider]) return "a triangle belongs to two contacts";
            owned[collider] = has_triangle = true;
            ++triangles;
        }
        const bool is_patch = record.rung == Rung::features;
        if ((has_triangle || is_patch) != (state.mesh_contact != null_index)) return "a contact has no mesh contact";
        if (is_patch && (has_triangle || record.state != PairState::touching)) return "a patch is wrong";
        const auto has = [&](std::uint32_t collider, std::uint32_t triangle) {
            const auto& mesh = shapes.is_triangle(collider) ? nullptr : shapes.defs[collider].mesh;
            return triangle == no_triangle || (is_patch && mesh && triangle < mesh->size());
        };
        if (!has(record.a, state.triangle_a) || !has(record.b, state.triangle_b))
            return "a patch has a triangle that is not there";
        if (!is_pose(record.reference) || !(record.radius_a >= 0.0f && is_finite(record.radius_a)) ||
            !(record.radius_b >= 0.0f && is_finite(record.radius_b)) || !(record.size >= 0.0f) ||
            !(record.thickness >= 0.0f))
            return "the record of a contact is wrong";
        const PairCache& cache = contacts.caches[c];
        const bool has_axis = cache.axis != vec3(0.0f), has_normal = cache.manifold.count != 0;
        if ((has_axis && !is_unit(cache.axis)) || (has_normal && !is_unit(cache.manifold.normal)) ||
            !is_finite(cache.manifold.normal) || !is_pose(cache.epa.reference))
            return "the cache of a contact is wrong";
        for (const ManifoldPoint& point : cache.manifold.points) {
            if (!is_finite(point.on_a) || !is_finite(point.on_b) || !is_finite(point.separation))
                return "a point of a contact is wrong";
        }
        for (const float x : state.impulses) {
            if (!(x >= 0.0f && is_finite(x))) return "an impulse is wrong";
        }
        if (!is_finite(state.friction_impulse) || !is_finite(state.twist_impulse) ||
            !is_finite(state.rolling_impulse) || !(state.friction >= 0.0f) ||
            !(state.restitution >= 0.0f && state.restitution <= 1.0f) ||
            !(state.substep >= 0.0f && state.substep <= settings::longest_step) || !is_length(state.slop) ||
            !is_length(state.twist_arm) || !is_length(state.rolling_arm))
            return "the state of a contact is wrong";
    }
    std::size_t all_triangles = 0;
    for (std::uint32_t i = 0; i < shapes.defs.size(); ++i) all_triangles += shapes.is_triangle(i);
    if (triangles != all_triangles) return "a triangle belongs to no contact";
    for (const MeshContact& m : contacts.mesh_contacts) {
        if (m.shape == null_index) continue;
        if (m.shape >= owners.body.size() || m.mesh >= owners.body.size() || owners.body[m.shape] != m.shape_body ||
            owners.body[m.mesh] != m.mesh_body || !shapes.defs[m.mesh].mesh)
            return "a mesh contact has other shapes";
        if (m.by_features ? !meets_by_features(shapes, bodies, m.shape, m.mesh, m.mesh_body)
                          : shapes.defs[m.shape].mesh != nullptr)
            return "a mesh contact is of the wrong kind";
        if (!is_pose(m.mesh_pose) || !is_finite(m.side_point) || !is_finite(m.clearance) || !is_pose(m.seen_pose) ||
            !is_pose(m.last_pose) || !is_finite(m.reach) || !is_small(m.overlap_middle) ||
            !(m.way_out == vec3(0.0f) || is_unit(m.way_out)) || !is_length(m.seen_margin) ||
            !is_length(m.near_margin) || !is_length(m.overlap_depth) || !is_length(m.seen_depth) ||
            !(m.seen_turn >= 0.0f && m.seen_turn <= tolerance::feature_most_turn_ahead))
            return "the state of a mesh contact is wrong";
    }
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        if (contacts.bodies[c].a == null_index || contacts.states[c].mesh_contact == null_index) continue;
        const PairRecord& record = contacts.records[c];
        const MeshContact& m = contacts.mesh_contacts[contacts.states[c].mesh_contact];
        if ((record.rung == Rung::features) != m.by_features)
            return "a contact is of another kind than its mesh contact";
        if (m.by_features) {
            if (record.a != m.mesh || record.b != m.shape) return "a patch is one of another mesh contact";
            continue;
        }
        const bool a_is_triangle = shapes.is_triangle(record.a);
        if (shapes.triangles[a_is_triangle ? record.a : record.b].mesh != m.mesh ||
            (a_is_triangle ? record.b : record.a) != m.shape)
            return "a contact is one of another mesh contact";
    }
    return nullptr;
}

const char* problem_of_joints(const JointStore& joints, const BodyStore& bodies) {
    if (const char* problem = joints.problem(bodies)) return problem;
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const Joint& joint = joints[j];
        if (!joint.in_use) continue;
        Joint asked = joint;
        // set_joint_spring() accepts any target here, add_joint() does not.
        if (joint.kind == JointKind::distance) asked.axes[0].spring.target = 0.0f;
        JointFrames frames;
        frames.frame_a = joint.frame_a;
        frames.frame_b = joint.frame_b;
        if (check(definition_of(asked, frames, {JointId{0, 0}, JointId{1, 0}})) || joint.settable >= 64 ||
            !is_pose(joint.frame_a) || !is_pose(joint.frame_b) || !std::isfinite(joint.ratio) ||
            !std::isfinite(joint.offset))
            return "a joint would be refused";
        const JointState& state = joint.state;
        bool sound = std::isfinite(state.angle) && is_finite(state.load);
        for (const float force : state.forces) sound = sound && is_finite(force);
        for (const vec3& v : state.mean_angular_velocities) sound = sound && is_finite(v);
        for (const float stiffness : state.stiffness) sound = sound && stiffness >= 0.0f;
        if (!sound) return "the state of a joint is wrong";
    }
    return nullptr;
}

}  // namespace

const char* World::State::problem_of_stores() {
    set_handle_tag(def.handle_tag);
    const auto has_tag = [&](std::uint32_t generation) { return handles::tag_of(generation) == def.handle_tag; };
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        if (!has_tag(bodies[slot].generation)) return "the tag of a body's handle is wrong";
    }
    for (std::uint32_t slot = 0; slot < joints.slot_count(); ++slot) {
        if (!has_tag(joints[slot].generation)) return "the tag of a joint's handle is wrong";
    }
    if (!with_joints && joints.live_count() != 0) return "it has joints, and this library was built without them";
    const auto has_mesh = [](const ShapeDef& shape) { return shape.mesh != nullptr; };
    if (!with_meshes && std::any_of(shapes.defs.begin(), shapes.defs.end(), has_mesh))
        return "it has meshes, and this library was built without them";
    if (const char* problem = problem_of_bodies(bodies)) return problem;
    ShapeOwners owners;
    if (const char* problem = find_owners(bodies, shapes, owners)) return problem;
    shapes.derive(colliders);
    if (const char* problem = problem_of_colliders(shapes, colliders, owners)) return problem;
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        if (!bodies[slot].in_use) continue;
        shapes.build_tree(bodies[slot]);
        shapes.place_tree(bodies[slot], colliders);
    }
    if (const char* problem = problem_of_proxies(bodies, proxies)) return problem;
    if (const char* problem = contacts.restore()) return problem;
    if (const char* problem = problem_of_pair_lists(bodies, contacts)) return problem;
    if (const char* problem = problem_of_contacts(contacts, shapes, bodies, owners)) return problem;
    if (const char* problem = problem_of_joints(joints, bodies)) return problem;
    if (!sleeping.restore(bodies.slot_count())) return "the list of awake bodies is wrong";
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        if (awake().contains(slot) && (!bodies[slot].in_use || bodies[slot].type == BodyType::fixed))
            return "a fixed body is awake";
    }
    bool good_targets = true;
    kinematic_targets.for_each([&](const dvec3& center, const quat& rotation) {
        good_targets = good_targets && is_pose(WorldTransform{center, rotation});
    });
    if (!good_targets) return "the target of a kinematic body is wrong";
    return body_pairs.fit(contacts) ? nullptr : "the list of compounds is wrong";
}

const char* World::State::problem_of_results() const {
    for (const std::span<const std::uint32_t> list : {active_contacts.active(), active_contacts.touching(),
                                                      active_contacts.last_touching(), modified_contacts.modified()}) {
        for (const std::uint32_t c : list) {
            if (c >= contacts.bodies.size()) return "a list of contacts is wrong";
        }
    }
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.contact >= contacts.bodies.size()) return "a list of contacts is wrong";
    }
    if (!contact_events.fit(contact_view()) || !moved_bodies.fit(bodies.slot_count()))
        return "a list of events is wrong";
    for (const Impact& impact : continuous.impacts()) {
        if (impact.body >= bodies.slot_count() || impact.other >= bodies.slot_count() ||
            impact.shape >= shapes.defs.size() || impact.other_shape >= shapes.defs.size())
            return "a list of impacts is wrong";
    }
    if (!indices.fit(bodies.slot_count()) || !islands.fit(indices.size())) return "the islands are wrong";
    return substeps.fit() && stiff_groups.fit(bodies.slot_count()) ? nullptr : "the state of the solver is wrong";
}

}  // namespace talus
