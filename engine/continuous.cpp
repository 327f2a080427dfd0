#include <talus/engine/continuous.h>

#include <talus/engine/integrate.h>
#include <talus/engine/settings.h>
#include <talus/engine/world_state.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/minkowski.h>
#include <talus/narrowphase/support.h>
#include <talus/narrowphase/tolerances.h>
#include <talus/narrowphase/triangles/surface_contact.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

float length(const vec3& v) { return std::sqrt(length_squared(v)); }

/// Velocities and masses of one of the two at an impact.
struct Party {
    vec3 center, velocity, spin;
    vec3 inverse_mass;     ///< along the world's axes, 1/kg; 0 where nothing pushes it
    mat3 inverse_inertia;  ///< world
    bool held = false;     ///< joints hold it, and the rest counts
    JointSolver::Response through{};
    glm::dvec3 impulse{0.0}, moment{0.0};  ///< on it, so far

    vec3 velocity_at(const vec3& point) const { return velocity + glm::cross(spin, point - center); }
    void push(const vec3& by, const vec3& point) {
        const vec3 by_moment = glm::cross(point - center, by);
        const Gain gain = gain_of(by, by_moment);
        velocity += gain.velocity;
        spin += gain.spin;
        if (!held) return;
        impulse += glm::dvec3(by);
        moment += glm::dvec3(by_moment);
    }
    /// Velocity along v that a unit impulse along u gives it at the point, 1/kg.
    float give(const vec3& point, const vec3& u, const vec3& v) const {
        const vec3 arm = point - center;
        if (!held)
            return glm::dot(u, inverse_mass * v) + glm::dot(glm::cross(arm, v), inverse_inertia * glm::cross(arm, u));
        const Gain gain = gain_of(v, glm::cross(arm, v));
        return glm::dot(u, gain.velocity) + glm::dot(glm::cross(arm, u), gain.spin);
    }

private:
    struct Gain {
        vec3 velocity, spin;
    };
    Gain gain_of(const vec3& by, const vec3& by_moment) const {
        if (!held) return {inverse_mass * by, inverse_inertia * by_moment};
        const glm::dvec3 f(by), m(by_moment);
        return {vec3(through.by_impulse * f + through.by_moment * m),
                vec3(glm::transpose(through.by_moment) * f + through.spin_by_moment * m)};
    }
};

struct Collision {
    vec3 normal;  ///< world, from the other to the body
    int count = 0;
    vec3 points[max_manifold_points];
    float friction = 0.0f, restitution = 0.0f;
};

/// What a collision's impulses have made of its two parties.
struct Outcome {
    Party other, body;
    float impulses[max_manifold_points] = {};  ///< normal, N s
    vec3 friction{0.0f};                       ///< at the middle, N s
};

/// Sequential impulses on the points of a collision, towards the speeds `wanted` along the normal. Friction acts at the
/// middle, as in the contact solver.
Outcome push_apart(const Collision& c, const vec3& middle, const float* wanted, const Party& other_before,
                   const Party& body_before) {
    Outcome o{other_before, body_before};
    Party &other = o.other, &body = o.body;
    const vec3& n = c.normal;
    float mass[max_manifold_points];
    for (int i = 0; i < c.count; ++i) {
        const float k = body.give(c.points[i], n, n) + other.give(c.points[i], n, n);
        mass[i] = k > 0.0f ? 1.0f / k : 0.0f;
    }
    // The inverse of the 2x2 tangent mass matrix stops all slip; a step by its largest eigenvalue leaves a slip's
    // direction as it is. The latter stops all slip, too, where locks leave the bodies one way to move in the plane: the
    // matrix has no inverse then, and its determinant is 0 or rounding.
    const vec3 t1 = any_perpendicular(n), t2 = glm::cross(n, t1);
    const float k11 = body.give(middle, t1, t1) + other.give(middle, t1, t1);
    const float k22 = body.give(middle, t2, t2) + other.give(middle, t2, t2);
    const float k12 = body.give(middle, t1, t2) + other.give(middle, t1, t2);
    const float half_gap = 0.5f * (k11 - k22),
                largest = 0.5f * (k11 + k22) + std::sqrt(half_gap * half_gap + k12 * k12);
    const float determinant = k11 * k22 - k12 * k12;
    const bool regular = determinant > 1e-6f * largest * largest;
    const float inverse = regular ? 1.0f / determinant : 0.0f;
    for (int round = 0; round < settings::continuous_rounds; ++round) {
        float normal_impulse = 0.0f;
        for (int i = 0; i < c.count; ++i) {
            const vec3& p = c.points[i];
            const float speed = glm::dot(n, body.velocity_at(p) - other.velocity_at(p));
            const float before = o.impulses[i];
            o.impulses[i] = std::max(0.0f, before + mass[i] * (wanted[i] - speed));
            body.push((o.impulses[i] - before) * n, p);
            other.push((before - o.impulses[i]) * n, p);
            normal_impulse += o.impulses[i];
        }
        const vec3 slip = body.velocity_at(middle) - other.velocity_at(middle);
        const float slip1 = glm::dot(slip, t1), slip2 = glm::dot(slip, t2);
        const float limit = c.friction * normal_impulse;
        vec3 next = o.friction - inverse * ((k22 * slip1 - k12 * slip2) * t1 + (k11 * slip2 - k12 * slip1) * t2);
        if (!regular || length_squared(next) > limit * limit) {
            next = largest > 0.0f ? o.friction - (slip1 * t1 + slip2 * t2) / largest : vec3(0.0f);
            const float size = length(next);
            if (size > limit) next *= limit / size;
        }
        body.push(next - o.friction, middle);
        other.push(o.friction - next, middle);
        o.friction = next;
    }
    return o;
}

/// The outcome of a collision; the sum of its normal impulses, N s.
///
/// Newton's law, asked of several points at once, may raise the energy: a point that was on its way out is pushed back
/// by the bounce of its neighbour, and stopped there. An impact cannot: its impulses do the work j (u + u') / 2 at each
/// point, with u and u' the relative velocities before and after, and the sum of that is at most 0. Where it is more,
/// the outcome is as far between the one without restitution and this one as the sum allows.
float resolve(const Collision& c, Party& other, Party& body) {
    const vec3& n = c.normal;
    vec3 middle(0.0f);
    for (int i = 0; i < c.count; ++i) middle += c.points[i] / static_cast<float>(c.count);
    const auto speed_at = [&](const Party& a, const Party& b, int i) {
        return glm::dot(n, b.velocity_at(c.points[i]) - a.velocity_at(c.points[i]));
    };
    const auto slip_of = [&](const Party& a, const Party& b) { return b.velocity_at(middle) - a.velocity_at(middle); };
    float wanted[max_manifold_points] = {};
    for (int i = 0; i < c.count; ++i) {
        const float speed = speed_at(other, body, i);
        if (speed < -settings::restitution_threshold) wanted[i] = -c.restitution * speed;
    }
    Outcome full = push_apart(c, middle, wanted, other, body);
    /// Twice the work of the impulses of x at the mean of the velocities before and those of y.
    const auto work = [&](const Outcome& x, const Outcome& y) {
        double sum = glm::dot(x.friction, slip_of(other, body) + slip_of(y.other, y.body));
        for (int i = 0; i < c.count; ++i)
            sum += static_cast<double>(x.impulses[i]) * (speed_at(other, body, i) + speed_at(y.other, y.body, i));
        return sum;
    };
    float total = 0.0f;
    for (const float impulse : full.impulses) total += impulse;
    if (c.restitution > 0.0f && work(full, full) > 0.0) {
        constexpr float none[max_manifold_points] = {};
        const Outcome dead = push_apart(c, middle, none, other, body);
        // (1-s)^2 dd + s (1-s) (df + fd) + s^2 ff = 0: the work of impulses and velocities that are s of the way.
        const double dd = work(dead, dead), mixed = work(dead, full) + work(full, dead), ff = work(full, full);
        const double a = dd - mixed + ff, b = mixed - 2.0 * dd;
        double part = 0.0;
        if (dd < 0.0) {
            const double root = std::sqrt(std::max(b * b - 4.0 * a * dd, 0.0));
            part = -2.0 * dd / (b + root);
        }
        const auto s = static_cast<float>(std::clamp(part, 0.0, 1.0));
        const auto blend = [&](Party& to, const Party& from) {
            to.velocity = from.velocity + s * (to.velocity - from.velocity);
            to.spin = from.spin + s * (to.spin - from.spin);
            to.impulse = from.impulse + static_cast<double>(s) * (to.impulse - from.impulse);
            to.moment = from.moment + static_cast<double>(s) * (to.moment - from.moment);
        };
        blend(full.other, dead.other);
        blend(full.body, dead.body);
        float dead_total = 0.0f;
        for (const float impulse : dead.impulses) dead_total += impulse;
        total = dead_total + s * (total - dead_total);
    }
    other = full.other;
    body = full.body;
    return total;
}

/// Where a body's points may get at most in a motion, m, squared: up to twice (|way| + |turn| radius)^2.
float motion_squared(const Body& body, const vec3& way, const vec3& turn) {
    return 2.0f * (length_squared(way) + length_squared(turn) * body.radius * body.radius);
}

bool is_fast(const Body& body, float motion_squared) {
    const float limit = settings::continuous_motion * body.inner_radius;
    return motion_squared > limit * limit;
}

/// Triangles stop what comes in fast as far beyond their level edges, in depths that it may overlap by.
constexpr float grown_by = 2.0f;

auto find_path(std::vector<Path>& paths, std::uint32_t slot) {
    return std::find_if(paths.begin(), paths.end(), [&](const Path& path) { return path.slot == slot; });
}

}  // namespace

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
    void collide(Path& path, const Meeting& meeting, SweepScratch& scratch, std::vector<Impact>& found);
    void commit(std::uint32_t slot, const Transform& end);
    void turn_away(std::uint32_t slot, RigidMotion motion, float time, float now, const Party& after);
    float resolve_held(const Collision& collision, std::uint32_t other_slot, std::uint32_t slot, float rest,
                       Party& other, Party& mover, Party& way);
    void carry_on(std::uint32_t slot, const Party& velocities, const Party& way, float rest);
};

/// The motion of the centre of mass over the whole step, seen from outside.
RigidMotion World::State::Sweep::step_motion(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    RigidMotion motion;
    motion.start = {body.center, body.rotation};
    if (!s.awake.contains(slot) || s.solver_index[slot] == 0) return motion;
    const SolverBody& moved = s.solver_bodies[s.solver_index[slot]];
    // Poses of colliders are still those at the start of the step.
    const std::uint32_t first = body.first_shape;
    const quat start =
        normalized(multiply(s.colliders.poses[first].rotation, conjugate(s.shapes.defs[first].pose.rotation)));
    return motion_between({body.center - load3(moved.displacement), start}, {body.center, body.rotation}, vec3(0.0f),
                          dt, load3(moved.turn));
}

/// The same from a time on: along its new way, if an impact has turned that. A body whose new way begins later than
/// `from` stands where that begins: its earlier way is no longer known, and along the new one it would be carried on
/// for longer than to the end of the step, farther than it was swept.
RigidMotion World::State::Sweep::motion_from(std::uint32_t slot, float from) const {
    const auto turned = find_path(s.new_paths, slot);
    RigidMotion motion = turned != s.new_paths.end() ? turned->motion : step_motion(slot);
    const float since = from - (turned != s.new_paths.end() ? turned->from : 0.0f);
    if (since < 0.0f) {
        motion.linear_velocity = motion.angular_velocity = vec3(0.0f);
    } else {
        motion.start = pose_at(motion, since);
    }
    return motion;
}

RigidMotion World::State::Sweep::shape_motion(const RigidMotion& of_body, const Body& body, std::uint32_t shape) const {
    const Transform& pose = s.shapes.defs[shape].pose;
    RigidMotion motion = of_body;
    motion.start = multiply(of_body.start, Transform{pose.position - body.local_center, pose.rotation});
    motion.center = inverse_transform_point(pose, body.local_center);
    return motion;
}

Party World::State::Sweep::party(std::uint32_t slot, const RigidMotion& motion, const vec3& velocity, const vec3& spin,
                                 float time) const {
    const Body& body = s.bodies[slot];
    const Transform pose = pose_at(motion, time);
    const Response response = response_of(body, pose.rotation);
    return {pose.position, velocity, spin, response.inverse_mass, response.inverse_inertia};
}

/// What joints hold is held up late: they part where one of two is stopped and the other is not.
float World::State::Sweep::allowed_depth(std::uint32_t slot) const {
    const float inner_radius = s.bodies[slot].inner_radius;
    if (s.joints.has_any(slot)) return settings::continuous_jointed_depth * inner_radius;
    return std::min(settings::continuous_depth, settings::continuous_relative_depth * inner_radius);
}

bool World::State::Sweep::may_meet(std::uint32_t slot, std::uint32_t other, bool dynamic_too) const {
    return other != slot && (dynamic_too || !s.bodies[other].is_dynamic()) && !s.joints.keeps_apart(slot, other);
}

World::State::Sweep::Part World::State::Sweep::part_of(std::uint32_t shape, std::uint32_t triangle) const {
    Part part;
    const ShapeDef& of_shape = s.shapes.defs[shape];
    part.material = &of_shape.material;
    if (!of_shape.mesh) {
        part.shape = part.obstacle = of_shape.shape;
        return part;
    }
    const detail::PlacedTriangle placed = detail::place_triangle(*of_shape.mesh, triangle);
    part.shape = placed.shape;
    part.surface = placed.surface;
    part.middle = placed.middle;
    part.triangle = triangle;
    if (placed.material < of_shape.mesh_materials.size()) part.material = &of_shape.mesh_materials[placed.material];
    return part;
}

/// Of a shape and a mesh through which its middle was pressed.
const MeshPatch* World::State::Sweep::patch_gone_through(std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                                         std::uint32_t shape) const {
    if (!s.any_through || !s.shapes.defs[shape].mesh) return nullptr;
    const std::uint32_t p = s.contacts.find_pair(s.bodies, slot, other);
    const std::uint32_t k = p != null_index ? s.contacts.find_patch(p, own, shape) : null_index;
    return k != null_index && s.contacts.patches[k].through ? &s.contacts.patches[k] : nullptr;
}

/// A triangle that a shape has got through by more than half is taken for as deep as the shape is in, and as going on
/// below the walls around it: a way out through its back is none.
void World::State::Sweep::hold_what_went_through(Part& part, const RigidMotion& motion, const Shape& own,
                                                 const RigidMotion& own_motion, float depth) const {
    if (!detail::grow_where_sunk(part.shape, part.surface, part.place, depth, bounding_radius(own), part.obstacle))
        part.obstacle = part.shape;
    const Frame to_part = to_frame(relative(part.motion(motion).start, own_motion.start));
    const vec3 middle = transform_point(to_part, vec3(detail::middle_of(own)));
    vec3 n = part.surface.normal;
    const vec3& plane = part.shape.points[0];
    if (glm::dot(part.place - plane, n) < 0.0f) {
        if (!part.surface.two_sided) return;
        n = -n;
    }
    if (glm::dot(middle - plane, n) < 0.0f) sink(part, n, motion, own, own_motion);
}

/// Moves a triangle back to where a shape, which belongs on the side of its normal `n`, is in by nothing.
void World::State::Sweep::sink(Part& part, const vec3& n, const RigidMotion& motion, const Shape& own,
                               const RigidMotion& own_motion) const {
    const Frame to_part = to_frame(relative(part.motion(motion).start, own_motion.start));
    const vec3 d = transpose_mul(to_part.rotation, -n);
    const vec3 lowest = transform_point(to_part, support(own, d).point);
    const float low = glm::dot(lowest - part.shape.points[0], n) - own.radius;
    for (vec3& point : part.obstacle.points) point += std::min(low, 0.0f) * n;
    part.sunk = true;
}

/// The normal of a triangle, its frame, on the side on which a shape that overlaps it at the start belongs, if `normal`
/// (world) leads out by the other one: once it is in by more than half, the shortest way out is by the back. Zero else,
/// and where that side is unknown.
vec3 World::State::Sweep::side_against(const Part& part, const vec3& normal, const RigidMotion& motion,
                                       std::uint32_t slot, std::uint32_t own, std::uint32_t other,
                                       std::uint32_t mesh) const {
    const vec3& n = part.surface.normal;
    const float out = glm::dot(inverse_rotate(motion.start.rotation, normal), n);
    if (std::abs(out) < tolerance::surface_held) return vec3(0.0f);
    if (!part.surface.two_sided) return out < 0.0f ? n : vec3(0.0f);
    const std::uint32_t p = s.contacts.find_pair(s.bodies, slot, other);
    const std::uint32_t k = p != null_index ? s.contacts.find_patch(p, own, mesh) : null_index;
    if (k == null_index) return vec3(0.0f);
    for (std::uint32_t c = s.contacts.pairs[p].first_contact; c != null_index; c = s.contacts.states[c].next_in_pair) {
        const PairRecord& record = s.contacts.records[c];
        if (s.contacts.states[c].patch != k || record.state != PairState::touching) continue;
        const bool is_a = s.shapes.is_triangle(record.a);
        if (s.shapes.triangles[is_a ? record.a : record.b].triangle != part.triangle) continue;
        const quat& frame = s.colliders.poses[record.a].rotation;
        const vec3 facing =
            inverse_rotate(s.colliders.poses[mesh].rotation, rotate(frame, s.contacts.caches[c].manifold.normal));
        const float along = is_a ? glm::dot(facing, n) : -glm::dot(facing, n);
        if (std::abs(along) < tolerance::surface_held || along * out > 0.0f) break;
        return along > 0.0f ? n : -n;
    }
    return vec3(0.0f);
}

/// Calls visit(part) for the obstacle's shape, or for those triangles of its mesh that a shape of the body may come to
/// while both move as said.
template <class Visit>
void World::State::Sweep::for_each_part(std::uint32_t shape, const RigidMotion& motion, std::uint32_t own,
                                        const RigidMotion& own_motion, std::uint32_t slot, float duration,
                                        std::vector<std::uint32_t>& triangles, Visit&& visit) const {
    const ShapeDef& of_shape = s.shapes.defs[shape];
    if (!of_shape.mesh) {
        Part part = part_of(shape, null_index);
        visit(part);
        return;
    }
    // As the mesh sees it: from where it is to where it will be, and how far it may be off the straight way between
    // (bend_against says why).
    const auto box_at = [&](float time) {
        const Frame frame = to_frame(relative(pose_at(motion, time), pose_at(own_motion, time)));
        return transform_box(frame, s.shapes.local_boxes[own]);
    };
    const float turn = duration * length(own_motion.angular_velocity);
    const float mesh_turn = duration * length(motion.angular_velocity);
    const float radius = length(own_motion.center) + bounding_radius(s.shapes.defs[own].shape);
    const float way = duration * length(own_motion.linear_velocity - motion.linear_velocity);
    const vec3 between =
        transform_point(own_motion.start, own_motion.center) - transform_point(motion.start, motion.center);
    const float far = length(between) + way + radius;
    const float bent =
        0.125f * (mesh_turn * mesh_turn * far + 2.0f * mesh_turn * (way + turn * radius) + turn * turn * radius);
    triangles.clear();
    const float depth = allowed_depth(slot);
    const float reach = bent + grown_by * depth;
    of_shape.mesh->find(expand(merge(box_at(0.0f), box_at(duration)), reach), triangles);
    for (const std::uint32_t t : triangles) {
        Part part = part_of(shape, t);
        visit(part);
    }
}

/// True where the plane of a triangle that stands still shows that the shape gets through it nowhere by as much as it
/// may, or where what is behind a one-sided triangle from the start has nothing to fear from it.
bool World::State::Sweep::stays_in_front(const Part& part, const RigidMotion& motion_j, const Shape& own,
                                         const RigidMotion& motion_i, float duration, float depth) const {
    if (part.triangle == null_index) return false;
    const Transform at = part.motion(motion_j).start;
    const vec3 plane = transform_point(at, part.shape.points[0]);
    vec3 n = rotate(at.rotation, part.surface.normal);
    const vec3 middle =
        part.through ? transform_point(at, part.place) : transform_point(motion_i.start, vec3(detail::middle_of(own)));
    if (glm::dot(middle - plane, n) < 0.0f) {
        if (!part.surface.two_sided) return true;
        n = -n;
    }
    if (motion_j.linear_velocity != vec3(0.0f) || motion_j.angular_velocity != vec3(0.0f)) return false;
    const auto gap = [&](const Transform& pose) {
        const vec3 d = inverse_rotate(pose.rotation, -n);
        return glm::dot(pose.position - plane, n) - glm::dot(support(own, d).point, d) - own.radius;
    };
    const float turn2 = duration * duration * length_squared(motion_i.angular_velocity);
    const float bent = 0.125f * turn2 * (length(motion_i.center) + bounding_radius(own));
    return std::min(gap(motion_i.start), gap(pose_at(motion_i, duration))) - bent > -depth;
}

/// `but`: an obstacle that does not count.
World::State::Sweep::Meeting World::State::Sweep::first_meeting(const Path& path, bool dynamic_too,
                                                                SweepScratch& scratch, std::uint32_t but) const {
    const Body& body = s.bodies[path.slot];
    Meeting first;
    first.time = dt - path.from;
    const vec3 start = path.motion.start.position, end = start + first.time * path.motion.linear_velocity;
    const float reach = body.radius + (dynamic_too ? s.largest_motion : s.largest_kinematic_motion);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, reach);
    scratch.near.clear();
    s.broadphase.query(box, [&](std::uint32_t other) {
        if (other != but && may_meet(path.slot, other, dynamic_too)) scratch.near.push_back(other);
    });
    const float depth = allowed_depth(path.slot);
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = s.bodies[other];
        const RigidMotion obstacle_motion = motion_from(other, path.from);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            const ShapeDef& of_obstacle = s.shapes.defs[j];
            const RigidMotion motion_j = shape_motion(obstacle_motion, obstacle, j);
            for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
                const ShapeDef& of_body = s.shapes.defs[i];
                if (of_obstacle.sensor || of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter))
                    continue;
                const RigidMotion motion_i = shape_motion(path.motion, body, i);
                const MeshPatch* const through = patch_gone_through(path.slot, i, other, j);
                for_each_part(j, motion_j, i, motion_i, path.slot, first.time, scratch.triangles, [&](Part& part) {
                    if (through != nullptr) part.place = through->place - part.middle;
                    part.through = through != nullptr;
                    const SweepScratch::Pairing pairing{i, j, part.triangle};
                    if (std::find(scratch.let_through.begin(), scratch.let_through.end(), pairing) !=
                        scratch.let_through.end())
                        return;
                    if (stays_in_front(part, motion_j, of_body.shape, motion_i, first.time, depth)) return;
                    if (part.through) {
                        hold_what_went_through(part, motion_j, of_body.shape, motion_i, depth);
                    } else if (part.triangle != null_index) {
                        part.obstacle = detail::grown_over_level_edges(part.shape, part.surface, grown_by * depth);
                    }
                    const RigidMotion motion_part = part.motion(motion_j);
                    const auto eased = std::count(scratch.eased.begin(), scratch.eased.end(), pairing);
                    TimeOfImpact toi;
                    const auto meets = [&](const Shape& solid) {
                        ToiSettings question{.duration = first.time,
                                             .target_distance = -depth * static_cast<float>(1 + eased)};
                        toi = time_of_impact(solid, motion_part, of_body.shape, motion_i, question);
                        if (toi.status == ToiStatus::initially_overlapping) {
                            if (part.triangle != null_index && !part.sunk) {
                                const vec3 side = side_against(part, toi.normal, motion_part, path.slot, i, other, j);
                                if (side != vec3(0.0f)) {
                                    part.obstacle = solid;
                                    sink(part, side, motion_j, of_body.shape, motion_i);
                                    toi = time_of_impact(part.obstacle, motion_part, of_body.shape, motion_i, question);
                                }
                            }
                            if (toi.status == ToiStatus::initially_overlapping) {
                                question.target_distance = toi.separation - depth;
                                toi = time_of_impact(part.sunk ? part.obstacle : solid, motion_part, of_body.shape,
                                                     motion_i, question);
                            }
                        }
                        if (toi.status != ToiStatus::hit && toi.status != ToiStatus::iteration_cap) return false;
                        return first.other == null_index || toi.time < first.time;
                    };
                    // Beside the surface's own normals: the neighbours see to it, or the face is meant.
                    const auto is_own = [&] {
                        const quat at = pose_at(motion_part, toi.time).rotation;
                        const vec3 d = inverse_rotate(at, toi.normal);
                        const detail::NormalOf owner = detail::owner_of_normal(part.shape, part.surface, d);
                        if (owner == detail::NormalOf::surface) return true;
                        const float along = glm::dot(d, part.surface.normal);
                        if (owner == detail::NormalOf::neighbour || std::abs(along) < tolerance::surface_held)
                            return false;
                        toi.normal = rotate(at, along < 0.0f ? -part.surface.normal : part.surface.normal);
                        return true;
                    };
                    if (!meets(part.obstacle)) return;
                    if (part.triangle != null_index && !is_own()) {
                        // What has sunk into a neighbour meets the triangle's edge first, and its face later.
                        Shape grown;
                        if (part.through || part.sunk) return;
                        const vec3 middle = inverse_transform_point(
                            motion_part.start, transform_point(motion_i.start, vec3(detail::middle_of(of_body.shape))));
                        if (!detail::grow_where_sunk(part.shape, part.surface, middle, depth,
                                                     bounding_radius(of_body.shape), grown) ||
                            !meets(grown) || !is_own())
                            return;
                    }
                    first = {toi.time, other, i, j, part.triangle, toi};
                });
            }
        }
    }
    return first;
}

/// True where no obstacle stands or goes where the body may have been in this step. While each keeps within the fat box
/// that the step's pairs were made with, its pairs know of them all; `strays` are the kinematic ones that did not.
bool World::State::Sweep::is_clear(std::uint32_t slot) const {
    if (moved(slot) == nullptr) return false;
    const Body& body = s.bodies[slot];
    const Aabb box = swept_box(slot);
    if (!keeps_within_fat_box(slot, box)) return false;
    for (const Aabb& stray : s.strays) {
        if (overlaps(box, stray)) return false;
    }
    for (std::uint32_t p = body.first_pair; p != null_index;) {
        const Pair& pair = s.contacts.pairs[p];
        const std::uint32_t other = other_body(pair, slot);
        if (s.bodies[other].is_dynamic()) break;  // those come last
        if (may_meet(slot, other, false) && overlaps(box, s.broadphase.fat_box(s.bodies[other].proxy)) &&
            !stays_before(slot, p))
            return false;
        p = pair.next[side_of(pair, slot)];
    }
    return true;
}

/// True where the body did not get into the obstacle of a pair: their shapes were in different places or planes show
/// it.
bool World::State::Sweep::stays_before(std::uint32_t slot, std::uint32_t p) const {
    const Pair& pair = s.contacts.pairs[p];
    const std::uint32_t other = other_body(pair, slot);
    const Body &body = s.bodies[slot], &obstacle = s.bodies[other];
    for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
        const Aabb box = swept_box(slot, i);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            const ShapeDef &own = s.shapes.defs[i], &of_obstacle = s.shapes.defs[j];
            if (!should_collide(own.filter, of_obstacle.filter) || !overlaps(box, swept_box(other, j))) continue;
            if (own.sensor || of_obstacle.sensor) return false;
            if (of_obstacle.mesh) {
                if (!stays_before_mesh(slot, other, p, i, j)) return false;
                continue;
            }
            const std::uint32_t c = s.contacts.find_contact(p, i, j);
            if (c == null_index || !stays_before(slot, other, c)) return false;
        }
    }
    return true;
}

/// The same for a mesh: by the planes of those of its triangles that the shape's box met, if their contacts are all
/// there are.
bool World::State::Sweep::stays_before_mesh(std::uint32_t slot, std::uint32_t other, std::uint32_t p,
                                            std::uint32_t shape, std::uint32_t mesh) const {
    const std::uint32_t k = s.contacts.find_patch(p, shape, mesh);
    if (k == null_index || s.contacts.patches[k].through || moved(other) != nullptr) return false;
    const Aabb box = swept_box(slot, shape);
    const Transform& at = s.colliders.poses[mesh];
    const Aabb in_mesh = transform_box(to_frame(relative(at, Transform{})), box);
    if (!contains(s.contacts.patches[k].box, in_mesh)) return false;
    for (std::uint32_t c = s.contacts.pairs[p].first_contact; c != null_index; c = s.contacts.states[c].next_in_pair) {
        if (s.contacts.states[c].patch != k) continue;
        const PairRecord& record = s.contacts.records[c];
        const std::uint32_t triangle = s.contacts.bodies[c].a == other ? record.a : record.b;
        if (overlaps(box, s.shapes.world_boxes[triangle]) && !stays_before(slot, other, c)) return false;
    }
    return true;
}

/// True where a plane that the narrowphase found for a contact, and that moves with the obstacle, shows that the body
/// got into it nowhere by as much as it may.
bool World::State::Sweep::stays_before(std::uint32_t slot, std::uint32_t other, std::uint32_t c) const {
    const PairRecord& record = s.contacts.records[c];
    const PairCache& cache = s.contacts.caches[c];
    const bool body_is_a = s.contacts.bodies[c].a == slot;
    const std::uint32_t i = body_is_a ? record.a : record.b, j = body_is_a ? record.b : record.a;
    vec3 n;  // from the obstacle to the body, the obstacle's frame
    if (cache.axis != vec3(0.0f)) {
        const quat& frame = s.colliders.poses[cache.axis_in_b ? record.b : record.a].rotation;
        const vec3 axis = rotate(frame, body_is_a ? -cache.axis : cache.axis);
        n = inverse_rotate(s.colliders.poses[j].rotation, axis);
    } else if (const SurfaceTriangle* triangle = s.colliders.surface_triangle(j)) {
        n = triangle->normal;
    } else {
        return false;
    }
    const auto reach = [](const Shape& shape, const vec3& d) {
        return glm::dot(support(shape, d).point, d) + shape.radius;
    };
    const Shape& own = s.shapes.defs[i].shape;
    const float edge = reach(s.colliders.shapes[j], n);
    const auto gap = [&](const Transform& body, const Transform& obstacle) {
        const vec3 d = rotate(obstacle.rotation, n);
        return glm::dot(body.position - obstacle.position, d) - reach(own, inverse_rotate(body.rotation, -d)) - edge;
    };
    const float at_start = gap(s.colliders.poses[i], s.colliders.poses[j]);
    const float at_end = gap(end_pose(slot, i), end_pose(other, j));
    return std::min(at_start, at_end) - bend_against(slot, other) > -allowed_depth(slot);
}

Transform World::State::Sweep::end_pose(std::uint32_t slot, std::uint32_t shape) const {
    if (moved(slot) == nullptr) return s.colliders.poses[shape];
    return multiply(s.bodies[slot].pose(), s.shapes.defs[shape].pose);
}

/// Where a shape was at most.
Aabb World::State::Sweep::swept_box(std::uint32_t slot, std::uint32_t shape) const {
    const Aabb& start = s.shapes.world_boxes[shape];
    if (moved(slot) == nullptr) return start;
    const Aabb end = transform_box(to_frame(end_pose(slot, shape)), s.shapes.local_boxes[shape]);
    return expand(merge(start, end), bend(slot));
}

Aabb World::State::Sweep::swept_box(std::uint32_t slot) const {
    const Body& body = s.bodies[slot];
    Aabb box = swept_box(slot, body.first_shape);
    for (std::uint32_t i = body.first_shape + 1; i < body.first_shape + body.shape_count; ++i)
        box = merge(box, swept_box(slot, i));
    return box;
}

bool World::State::Sweep::keeps_within_fat_box(std::uint32_t slot, const Aabb& swept) const {
    const Aabb& fat = s.broadphase.fat_box(s.bodies[slot].proxy);
    return glm::all(glm::lessThanEqual(fat.lower, swept.lower)) &&
           glm::all(glm::greaterThanEqual(fat.upper, swept.upper));
}

/// How the solver moved it; null for what is fixed or asleep.
const SolverBody* World::State::Sweep::moved(std::uint32_t slot) const {
    const std::uint32_t index = s.awake.contains(slot) ? s.solver_index[slot] : 0;
    return index != 0 ? &s.solver_bodies[index] : nullptr;
}

/// How far a point of the body may at most be from the straight way between where it is at the start and at the end, m:
/// on an arm r that turns by t at a constant rate, r t^2 / 8, an eighth of its greatest acceleration.
float World::State::Sweep::bend(std::uint32_t slot) const {
    const SolverBody* own = moved(slot);
    return own != nullptr ? 0.125f * s.bodies[slot].radius * length_squared(load3(own->turn)) : 0.0f;
}

/// The same seen from an obstacle: how far such a point's height above a plane that turns with the obstacle may be from
/// that between its heights at the start and at the end. With the plane's normal n and the point's place r from the
/// obstacle's centre, the height n.r accelerates by n''.r + 2 n'.r' + n.r''.
float World::State::Sweep::bend_against(std::uint32_t slot, std::uint32_t other) const {
    const SolverBody *own = moved(slot), *obstacle = moved(other);
    if (own == nullptr || obstacle == nullptr) return bend(slot);
    const Body& body = s.bodies[slot];
    const float radius = body.radius, turn = length(load3(own->turn)), plane_turn = length(load3(obstacle->turn));
    const float way = length(load3(own->displacement) - load3(obstacle->displacement));
    const float far = length(body.center - s.bodies[other].center) + way + radius;
    return 0.125f * (plane_turn * plane_turn * far + 2.0f * plane_turn * (way + turn * radius) + turn * turn * radius);
}

/// Sensors that the body enters and leaves again on its path are reported; those it starts or ends in are left to the
/// contacts.
void World::State::Sweep::pass_sensors(const Path& path, float duration, SweepScratch& scratch,
                                       std::vector<Impact>& found) const {
    const Body& body = s.bodies[path.slot];
    const auto apart = [&](const Shape& a, const RigidMotion& ma, const Shape& b, const RigidMotion& mb, float time) {
        RigidMotion still_a, still_b;
        still_a.start = pose_at(ma, time);
        still_b.start = pose_at(mb, time);
        return !time_of_impact(a, still_a, b, still_b, {.duration = 0.0f});
    };
    for (const std::uint32_t other : scratch.near) {
        const Body& obstacle = s.bodies[other];
        const RigidMotion obstacle_motion = motion_from(other, path.from);
        for (std::uint32_t j = obstacle.first_shape; j < obstacle.first_shape + obstacle.shape_count; ++j) {
            for (std::uint32_t i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
                const ShapeDef &of_obstacle = s.shapes.defs[j], &of_body = s.shapes.defs[i];
                if (of_obstacle.sensor == of_body.sensor || !should_collide(of_obstacle.filter, of_body.filter))
                    continue;
                const RigidMotion motion_j = shape_motion(obstacle_motion, obstacle, j);
                const RigidMotion motion_i = shape_motion(path.motion, body, i);
                // Of a mesh the first triangle that it enters, if it is in none at the end.
                TimeOfImpact first;
                bool out = true;
                for_each_part(j, motion_j, i, motion_i, path.slot, duration, scratch.triangles, [&](const Part& part) {
                    const RigidMotion motion_part = part.motion(motion_j);
                    const TimeOfImpact toi =
                        time_of_impact(part.shape, motion_part, of_body.shape, motion_i, {.duration = duration});
                    out = out && toi.status != ToiStatus::initially_overlapping &&
                          apart(part.shape, motion_part, of_body.shape, motion_i, duration);
                    if (toi.status == ToiStatus::hit && (first.status != ToiStatus::hit || toi.time < first.time))
                        first = toi;
                });
                if (first.status == ToiStatus::hit && out)
                    found.push_back(
                        {path.slot, i, other, j, null_index, true, first.point_b, first.normal, 0.0f, 0.0f});
            }
        }
    }
}

/// The impulses of a meeting. Afterwards the path begins there.
void World::State::Sweep::collide(Path& path, const Meeting& meeting, SweepScratch& scratch,
                                  std::vector<Impact>& found) {
    Body& body = s.bodies[path.slot];
    Body& obstacle = s.bodies[meeting.other];
    const RigidMotion obstacle_motion = motion_from(meeting.other, path.from);
    const vec3 n = meeting.toi.normal;

    // The hit was found where the two are in each other by a little. At the speed they close in there, they touched
    // this long before.
    const vec3 arm = meeting.toi.point_b - pose_at(path.motion, meeting.time).position;
    const vec3 other_arm = meeting.toi.point_a - pose_at(obstacle_motion, meeting.time).position;
    const float closing =
        -glm::dot(n, path.motion.linear_velocity + glm::cross(path.motion.angular_velocity, arm) -
                         obstacle_motion.linear_velocity - glm::cross(obstacle_motion.angular_velocity, other_arm));
    const float deep = std::max(0.0f, -meeting.toi.separation);
    const bool touched_before = closing * 0.1f * dt > deep && deep < closing * meeting.time;
    const float time = touched_before ? meeting.time - deep / closing : meeting.time;
    const float rest = dt - path.from - time;

    // The velocity there is the one at the end less what gravity adds from there on (what semi-implicit Euler calls the
    // velocity at a place is that of half a sub-step before).
    const bool falls = s.awake.contains(path.slot) && s.constrained[path.slot] == 0;
    const vec3 falling = falls ? body.gravity_scale * s.def.gravity : vec3(0.0f);
    const vec3 gravity = body.locks == 0 ? falling : falling * glm::sign(response_of(body, body.rotation).inverse_mass);
    const vec3 to_come = (rest - 0.5f * dt / static_cast<float>(s.substeps)) * gravity;
    // A body's spin is that at the pose which the step has left it at: where it met something its inertia was turned
    // otherwise, and a thin body's spin is another there.
    const quat met_at = pose_at(path.motion, time).rotation, other_met_at = pose_at(obstacle_motion, time).rotation;
    Party mover = party(path.slot, path.motion, body.linear_velocity - to_come,
                        s.carried_spin(path.slot, body.angular_velocity, body.rotation, met_at), time);
    Party other = party(meeting.other, obstacle_motion,
                        obstacle.is_dynamic() ? obstacle.linear_velocity : obstacle_motion.linear_velocity,
                        obstacle.is_dynamic()
                            ? s.carried_spin(meeting.other, obstacle.angular_velocity, obstacle.rotation, other_met_at)
                            : obstacle_motion.angular_velocity,
                        time);

    const ShapeDef &of_obstacle = s.shapes.defs[meeting.other_shape], &of_body = s.shapes.defs[meeting.shape];
    const Part part = part_of(meeting.other_shape, meeting.triangle);
    const SweepScratch::Pairing pairing{meeting.shape, meeting.other_shape, meeting.triangle};
    const Transform pose_a = pose_at(part.motion(shape_motion(obstacle_motion, obstacle, meeting.other_shape)), time);
    const Transform pose_b = pose_at(shape_motion(path.motion, body, meeting.shape), time);
    const Transform met_b = pose_at(shape_motion(path.motion, body, meeting.shape), meeting.time);
    const vec3 on_b = transform_point(pose_b, inverse_transform_point(met_b, meeting.toi.point_b));
    const vec3 on_a = on_b - (touched_before ? 0.0f : meeting.toi.separation) * n;
    FaceHints hints;
    Manifold manifold =
        make_manifold(part.shape, of_body.shape, to_frame(relative(pose_a, pose_b)), inverse_rotate(pose_a.rotation, n),
                      inverse_transform_point(pose_a, on_a), inverse_transform_point(pose_a, on_b),
                      2.0f * tolerance::contact_margin * body.inner_radius, hints);
    Collision collision;
    collision.friction = mixed_friction(*part.material, of_body.material);
    collision.restitution = mixed_restitution(*part.material, of_body.material);
    if (s.modifier != nullptr && (of_obstacle.modify_contacts || of_body.modify_contacts)) {
        const bool touched = s.are_touching(meeting.other, meeting.other_shape, path.slot, meeting.shape);
        const ContactEvent names{s.bodies.id_of(meeting.other), s.bodies.id_of(path.slot),
                                 meeting.other_shape - obstacle.first_shape, meeting.shape - body.first_shape};
        if (!s.modify(names, pose_a, pose_b, manifold, collision.friction, collision.restitution, touched)) {
            scratch.let_through.push_back(pairing);
            return;
        }
    }
    collision.normal = manifold.count != 0 ? rotate(pose_a.rotation, manifold.normal) : n;
    collision.count = std::max(manifold.count, 1);
    collision.points[0] = on_a;
    for (int i = 0; i < manifold.count; ++i) {
        const ManifoldPoint& p = manifold.points[i];
        collision.points[i] = 0.5f * (transform_point(pose_a, p.on_a) + transform_point(pose_b, p.on_b));
    }

    float approach = 0.0f;
    for (int i = 0; i < collision.count; ++i) {
        const vec3& p = collision.points[i];
        approach = std::max(approach, -glm::dot(collision.normal, mover.velocity_at(p) - other.velocity_at(p)));
    }
    mover.held = s.joints.has_any(path.slot) && s.joint_solver.begin_response(path.slot);
    other.held =
        obstacle.is_dynamic() && s.joints.has_any(meeting.other) && s.joint_solver.begin_response(meeting.other);
    Party way = mover;
    way.velocity = path.motion.linear_velocity;
    way.spin = path.motion.angular_velocity;
    const float impulse = mover.held || other.held
                              ? resolve_held(collision, meeting.other, path.slot, rest, other, mover, way)
                              : resolve(collision, other, mover);
    if (!(approach * rest > allowed_depth(path.slot))) scratch.eased.push_back(pairing);
    if (impulse > 0.0f) {
        found.push_back({path.slot, meeting.shape, meeting.other, meeting.other_shape, meeting.triangle, false,
                         collision.points[0], collision.normal, approach, impulse});
    }

    path.motion.start = pose_at(path.motion, time);
    path.from += time;
    path.motion.linear_velocity = mover.held ? way.velocity : mover.velocity + 0.5f * rest * gravity;
    path.motion.angular_velocity = mover.held ? way.spin : mover.spin;
    if (mover.held) carry_on(path.slot, mover, way, rest);
    body.linear_velocity = limited(mover.velocity + to_come, s.most_speed(body));
    body.angular_velocity = limited(s.carried_spin(path.slot, mover.spin, met_at, body.rotation), body.max_spin);
    if (obstacle.is_dynamic() && impulse > 0.0f) turn_away(meeting.other, obstacle_motion, time, path.from, other);
}

/// The impulses of a collision where joints hold the mover or the other: on the mover's velocity, and others on its
/// way, the mean velocity of the step, which ends where it would have ended but for what they change. With the velocity
/// that it has in the end it would leave the others, and its joints would open. Limits that would be passed for it
/// hold.
float World::State::Sweep::resolve_held(const Collision& collision, std::uint32_t other_slot, std::uint32_t slot,
                                        float rest, Party& other, Party& mover, Party& way) {
    float impulse = 0.0f;
    const Party other_before = other, mover_before = mover, way_before = way;
    for (int round = 0;; ++round) {
        other = other_before, mover = mover_before, way = way_before;
        if (other.held) other.through = s.joint_solver.respond(other_slot);
        if (mover.held) mover.through = way.through = s.joint_solver.respond(slot);
        Party other_way = other;
        impulse = resolve(collision, other, mover);
        resolve(collision, other_way, way);
        const auto meets_limits = [&](std::uint32_t pushed_slot, const Party& pushed) {
            return pushed.held && s.joint_solver.meets_limits(pushed_slot, pushed.impulse, pushed.moment, rest);
        };
        if (round == settings::joint_rounds || (!meets_limits(slot, way) && !meets_limits(other_slot, other))) break;
    }
    // What contradicts itself may answer with anything.
    const Body& body = s.bodies[slot];
    for (Party* const party : {&mover, &way}) {
        party->velocity = limited(party->velocity, s.most_speed(body));
        party->spin = limited(party->spin, body.max_spin);
    }
    other.velocity = limited(other.velocity, s.most_speed(s.bodies[other_slot]));
    other.spin = limited(other.spin, s.bodies[other_slot].max_spin);
    return impulse;
}

/// What joints hold together with a body that was hit goes on with it.
void World::State::Sweep::carry_on(std::uint32_t slot, const Party& velocities, const Party& way, float rest) {
    s.joint_solver.spread(slot, velocities.impulse, velocities.moment,
                          [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& spin) {
                              Body& body = s.bodies[link];
                              body.linear_velocity = limited(body.linear_velocity + vec3(velocity), s.most_speed(body));
                              body.angular_velocity = limited(body.angular_velocity + vec3(spin), body.max_spin);
                              body.exact_spin = glm::dvec3(body.angular_velocity);
                          });
    const auto h = static_cast<double>(rest);
    s.joint_solver.spread(slot, way.impulse, way.moment,
                          [&](std::uint32_t link, const glm::dvec3& velocity, const glm::dvec3& spin) {
                              Body& body = s.bodies[link];
                              SolverBody& own = s.solver_bodies[s.solver_index[link]];
                              const vec3 move = limited(vec3(h * velocity), rest * s.most_speed(body));
                              const vec3 turn = limited(vec3(h * spin), settings::max_rotation_per_substep);
                              body.center += move;
                              body.exact_rotation = integrate_rotation(body.exact_rotation, glm::dvec3(turn));
                              body.rotation = quat(body.exact_rotation);
                              for (int k = 0; k < 3; ++k) {
                                  own.displacement[k] += move[k];
                                  own.turn[k] += turn[k];
                              }
                          });
}

/// A dynamic body that was hit goes on from there with its new velocity: at the time of the impact, or when it gets
/// there if that is later (motion_from says why). However short its new way is, it is swept: in a step many bodies may
/// hit it, one after the other.
void World::State::Sweep::turn_away(std::uint32_t slot, RigidMotion motion, float time, float now, const Party& after) {
    const auto turned = find_path(s.new_paths, slot);
    if (turned != s.new_paths.end()) now = std::max(now, turned->from);
    motion.start = pose_at(motion, time);
    Body& body = s.bodies[slot];
    motion.linear_velocity = body.linear_velocity = limited(after.velocity, s.most_speed(body));
    motion.angular_velocity = after.spin;
    body.angular_velocity =
        limited(s.carried_spin(slot, after.spin, motion.start.rotation, body.rotation), body.max_spin);
    const Path path{slot, now, motion};
    commit(slot, pose_at(motion, dt - now));
    if (after.held) carry_on(slot, after, after, dt - now);
    s.keep_path(path);
    s.wake_if_struck(slot);
    const bool listed = std::find(s.deflected.begin(), s.deflected.end(), slot) != s.deflected.end();
    if (!listed && s.bodies[slot].continuous != Continuous::off) s.deflected.push_back(slot);
}

/// The body ends the step with its centre of mass there.
void World::State::Sweep::commit(std::uint32_t slot, const Transform& end) {
    Body& body = s.bodies[slot];
    if (s.awake.contains(slot)) {
        float* way = s.solver_bodies[s.solver_index[slot]].displacement;
        for (int k = 0; k < 3; ++k) way[k] += end.position[k] - body.center[k];
    }
    body.center = end.position;
    const quat rotation = normalized(end.rotation);
    body.angular_velocity = s.carried_spin(slot, body.angular_velocity, body.rotation, rotation);
    body.rotation = rotation;
    body.exact_rotation = glm::dquat(body.rotation);
    body.exact_spin = glm::dvec3(body.angular_velocity);
}

/// Sweeps a body from a time of the step to its end. The path it ends on begins at the last impact.
///
/// A body that has used up its impacts on dynamic ones goes on among the fixed and kinematic ones alone, with as many
/// again: two dynamic bodies that overlap are pushed apart in the next step, a body outside of its room is lost.
Path World::State::Sweep::run(std::uint32_t slot, float from, bool dynamic_too, SweepScratch& scratch,
                              std::vector<Impact>& found) {
    Path path{slot, from, motion_from(slot, from)};
    scratch.let_through.clear();
    scratch.eased.clear();
    bool commits = false;
    for (int count = 0;;) {
        const Meeting meeting = first_meeting(path, dynamic_too, scratch);
        const bool met = meeting.other != null_index, met_dynamic = met && s.bodies[meeting.other].is_dynamic();
        if (met_dynamic && count == settings::continuous_impacts) {
            dynamic_too = false;
            count = 0;
            continue;
        }
        if (met_dynamic && hold_up_first(meeting.other, path.from, meeting.time, found)) continue;
        pass_sensors(path, meeting.time, scratch, found);
        if (met && count < settings::continuous_impacts) {
            collide(path, meeting, scratch, found);
            commits = true;
            ++count;
            continue;
        }
        if (!met && !commits) return path;
        Transform end = pose_at(path.motion, meeting.time);
        if (met) end = carried_along(path, meeting, end, scratch);
        commit(slot, end);
        return path;
    }
}

/// A body that is about to be hit at this time after `from`, and whose way nobody has looked at yet (it is swept later
/// than the one that hits it, or was hit itself), is there only if it meets nothing fixed or kinematic before. If it
/// does, it is swept among those now: true. (Else it could be hit on the other side of a wall, and go on from there.)
bool World::State::Sweep::hold_up_first(std::uint32_t slot, float from, float time, std::vector<Impact>& found) {
    const auto known = find_path(s.new_paths, slot);
    const auto deflection = std::find(s.deflected.begin(), s.deflected.end(), slot);
    if (known != s.new_paths.end()
            ? deflection == s.deflected.end()
            : std::find(s.bullets.begin() + s.bullets_done, s.bullets.end(), slot) == s.bullets.end())
        return false;
    const float start = known != s.new_paths.end() ? known->from : 0.0f;
    SweepScratch& scratch = s.scratch_of_met;
    scratch.let_through.clear();
    scratch.eased.clear();
    const Meeting meeting = first_meeting({slot, start, motion_from(slot, start)}, false, scratch);
    if (meeting.other == null_index || start + meeting.time > from + time) return false;
    if (deflection != s.deflected.end()) s.deflected.erase(deflection);
    s.keep_path(run(slot, start, false, scratch, found));
    return true;
}

/// Where a body ends that has met more than it can answer in a step: it loses the rest of the step, but goes with a
/// kinematic obstacle, until something else is in the way.
Transform World::State::Sweep::carried_along(Path path, const Meeting& meeting, const Transform& met,
                                             SweepScratch& scratch) const {
    const RigidMotion obstacle = motion_from(meeting.other, path.from);
    if (obstacle.linear_velocity == vec3(0.0f) && obstacle.angular_velocity == vec3(0.0f)) return met;
    const float rest = dt - path.from - meeting.time;
    const Transform end = multiply(pose_at(obstacle, dt - path.from), relative(pose_at(obstacle, meeting.time), met));
    if (!(rest > 0.0f)) return end;
    path.from += meeting.time;
    path.motion.start = met;
    path.motion.linear_velocity = (end.position - met.position) / rest;
    path.motion.angular_velocity = obstacle.angular_velocity;
    const Meeting stop = first_meeting(path, false, scratch, meeting.other);
    return stop.other == null_index ? end : pose_at(path.motion, stop.time);
}

/// What a spin (rad/s, world) that a body has at one rotation is at another one that it is put to: it goes with the
/// body, which keeps the energy. (At the same angular momentum the energy would be another, a hundred times as much for
/// a stick that is put to where it would not have turned by itself.) What joints hold together keeps the spins that go
/// together.
vec3 World::State::carried_spin(std::uint32_t slot, const vec3& spin, const quat& from, const quat& to) const {
    const Body& body = bodies[slot];
    const bool own = body.is_dynamic() && !body.isotropic && (body.locks & lock_turning) == 0 && !joints.has_any(slot);
    return own ? rotate(multiply(to, conjugate(from)), spin) : spin;
}

void World::State::keep_path(const Path& path) {
    const auto known = find_path(new_paths, path.slot);
    if (known != new_paths.end()) {
        *known = path;
    } else {
        new_paths.push_back(path);
    }
}

/// A sleeper that has a velocity by now joins the next step.
void World::State::wake_if_struck(std::uint32_t slot) {
    const Body& body = bodies[slot];
    if (awake.contains(slot) || (body.linear_velocity == vec3(0.0f) && body.angular_velocity == vec3(0.0f))) return;
    if (std::find(struck.begin(), struck.end(), slot) == struck.end()) struck.push_back(slot);
}

/// Bodies that a fast kinematic one may go through are as good as fast, but for those that it carries along: what
/// counts is how they move against it, the way that its turn bends in a step included.
void World::State::find_in_the_way(std::uint32_t kinematic, const RigidMotion& motion, float dt) {
    const Body& body = bodies[kinematic];
    const vec3 start = motion.start.position, way = dt * motion.linear_velocity, end = start + way;
    const float motion2 = motion_squared(body, way, dt * motion.angular_velocity);
    const Aabb box = expand(Aabb{glm::min(start, end), glm::max(start, end)}, body.radius);
    broadphase.query(box, [&](std::uint32_t slot) {
        const Body& other = bodies[slot];
        if (!other.is_dynamic() || other.continuous == Continuous::off || !is_fast(other, motion2)) return;
        const RigidMotion own = Sweep{*this, dt}.step_motion(slot);
        const vec3 arm = own.start.position - start, turn = dt * motion.angular_velocity;
        const vec3 against = dt * (own.linear_velocity - motion.linear_velocity) - glm::cross(turn, arm);
        const float bend = 0.5f * length_squared(turn) * length(arm);
        const float relative = length(against) + bend + length(dt * own.angular_velocity - turn) * other.radius;
        if (!is_fast(other, relative * relative)) return;
        std::vector<std::uint32_t>& list = other.continuous == Continuous::all ? bullets : fast;
        if (std::find(list.begin(), list.end(), slot) == list.end()) list.push_back(slot);
    });
}

void World::State::sweep_fast_bodies(float dt) {
    fast.clear();
    bullets.clear();
    fast_kinematics.clear();
    strays.clear();
    impacts.clear();
    struck.clear();
    new_paths.clear();
    if (!def.continuous) return;
    float kinematic2 = 0.0f, dynamic2 = 0.0f;
    const auto list = awake.list();
    for (const std::uint32_t slot : list) {
        const Body& body = bodies[slot];
        const SolverBody& moved = solver_bodies[solver_index[slot]];
        const float motion2 = motion_squared(body, load3(moved.displacement), load3(moved.turn));
        if (!body.is_dynamic()) {
            kinematic2 = std::max(kinematic2, motion2);
            if (motion2 > 0.0f) fast_kinematics.push_back(slot);
            continue;
        }
        dynamic2 = std::max(dynamic2, motion2);
        if (!is_fast(body, motion2) || body.continuous == Continuous::off) continue;
        (body.continuous == Continuous::all ? bullets : fast).push_back(slot);
    }
    Sweep sweep{*this, dt};
    largest_kinematic_motion = std::sqrt(kinematic2);
    largest_motion = std::max(largest_kinematic_motion, std::sqrt(dynamic2));
    for (const std::uint32_t kinematic : fast_kinematics) {
        find_in_the_way(kinematic, sweep.step_motion(kinematic), dt);
        const Aabb box = sweep.swept_box(kinematic);
        if (!sweep.keeps_within_fat_box(kinematic, box)) strays.push_back(box);
    }

    for (const std::uint32_t slot : fast) {
        if (sweep.is_clear(slot)) continue;
        const Path path = sweep.run(slot, 0.0f, false, sweep_scratch, impacts);
        wake_if_struck(slot);
        if (!bullets.empty() && path.from > 0.0f) keep_path(path);
    }
    bullets_done = 0;
    for (const std::uint32_t slot : bullets) {
        ++bullets_done;
        const auto known = find_path(new_paths, slot);
        const float from = known != new_paths.end() ? known->from : 0.0f;
        deflected.clear();
        keep_path(sweep.run(slot, from, true, sweep_scratch, impacts));
        wake_if_struck(slot);
        for (const std::uint32_t other : deflected)
            keep_path(sweep.run(other, find_path(new_paths, other)->from, false, sweep_scratch, impacts));
    }
    profile.swept_bodies = static_cast<std::uint32_t>(fast.size() + bullets.size());
    profile.impacts = static_cast<std::uint32_t>(impacts.size());
}

}  // namespace talus
