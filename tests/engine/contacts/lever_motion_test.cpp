/// The motion of a contact's levers within a step: against the contact at the moved poses, in the solver's kernels, and
/// for what it is there: bodies that rock and roll gain no energy.

#include "engine/contact_solver/lever_motion.h"
#include "engine/contact_solver/contact_lanes.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/settings.h"
#include "samples/scenes/kit/solids.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <cmath>
#include <limits>

using namespace talus;
using namespace talus::test;

namespace {

/// Two bodies with a shape each, whose frame is the body's, and whose centre of mass is beside it.
struct Bodies {
    Shape shape[2];
    WorldTransform pose[2];
    dvec3 center[2];
    StartVelocity velocity[2];
    SolverMass mass[2];

    LeverSide side(int k) const { return {shape[k], pose[k], center[k], velocity[k], mass[k]}; }

    void move(float time) {
        for (int k = 0; k < 2; ++k) {
            const vec3 spin = load3(velocity[k].angular);
            const double angle = double{time} * std::sqrt(double{length_squared(spin)});
            const quat turned = angle > 0.0 ? turn(spin / std::sqrt(length_squared(spin)), angle) : quat(1, 0, 0, 0);
            const vec3 arm = rotate(turned, vec3(pose[k].position - center[k]));
            center[k] += dvec3(time * load3(velocity[k].linear));
            pose[k] = {center[k] + dvec3(arm), normalized(multiply(turned, pose[k].rotation))};
        }
    }
};

/// The contact of two shapes at a point: where they are nearest to each other, in world axes.
struct Touch {
    double separation;
    vec3 normal;
    dvec3 place;
    Manifold manifold;

    explicit Touch(const Bodies& bodies) {
        SimplexCache cache;
        const Transform b_in_a = relative(bodies.pose[0], bodies.pose[1]);
        const SeparationResult s =
            talus::separation(bodies.shape[0], bodies.shape[1], to_matrix_transform(b_in_a), cache);
        separation = double{s.separation};
        normal = rotate(bodies.pose[0].rotation, s.normal);
        place = bodies.pose[0].position + dvec3(rotate(bodies.pose[0].rotation, 0.5f * (s.point_a + s.point_b)));
        manifold.normal = s.normal;
        manifold.count = 1;
        manifold.points[0] = {s.point_a, transform_point(relative(b_in_a, Transform{}), s.point_b), s.separation, 0};
    }
};

Shape lever_shape(Random& random) {
    static const Shape round = *superellipsoid({0.3f, 0.4f, 0.5f}, 2.0f, 2.5f);
    const auto length = [&] { return random.between(0.2f, 0.5f); };
    const vec3 size{length(), length(), length()};
    switch (random.below(8)) {
        case 0:
            return sphere(size.x);
        case 1:
            return capsule(size.x, size.y);
        case 2:
            return cylinder(size.x, size.y);
        case 3:
            return cone(size.x, size.y);
        case 4:
            return box(size);
        case 5:
            return rounded(box(size), 0.1f);
        case 6:
            return *ellipsoid(size);
        default:
            return round;
    }
}

/// Bodies of these shapes that nearly touch.
Bodies touching(Random& random, const Shape& a, const Shape& b) {
    Bodies bodies;
    bodies.shape[0] = a;
    bodies.shape[1] = b;
    for (int k = 0; k < 2; ++k) {
        bodies.pose[k] = {dvec3(2.0f * static_cast<float>(k) * random.direction()), random.rotation()};
        bodies.center[k] = bodies.pose[k].position + dvec3(random.in_box(vec3(0.1f)));
        store3(bodies.velocity[k].angular, random.in_box(vec3(2.0f)));
        store3(bodies.velocity[k].linear, random.in_box(vec3(0.3f)));
    }
    const Touch apart(bodies);
    const dvec3 nearer = (apart.separation - 1e-4) * dvec3(apart.normal);
    bodies.pose[1].position -= nearer;
    bodies.center[1] -= nearer;
    return bodies;
}

}  // namespace

TEST_CASE("the levers of a contact move as the place does where the shapes touch") {
    constexpr float time = 0.005f, load = 1e-6f;
    constexpr int rounds = 4000;
    Random random(31);
    std::vector<double> errors;
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
        Bodies bodies = touching(random, lever_shape(random), lever_shape(random));
        const Touch before(bodies);
        LeverMotion motion;
        if (!find_lever_motion(before.manifold, &load, bodies.side(0), bodies.side(1), {time, 4.0f}, motion)) {
            ++refused;
            continue;
        }
        const dvec3 center[2] = {bodies.center[0], bodies.center[1]};
        bodies.move(time);
        const Touch after(bodies);
        const vec3 arm(before.place - center[0]);
        const vec3 rotation = load3(motion.turn);
        const float* const shifts[2] = {motion.shift_a, motion.shift_b};
        double error = 0.0, size = 0.0;
        for (int k = 0; k < 2; ++k) {
            const vec3 moved((after.place - bodies.center[k]) - (before.place - center[k]));
            const vec3 found = glm::cross(rotation, arm) + load3(shifts[k]);
            // Along the normal, the surfaces may part.
            const vec3 off = found - moved, beside = off - glm::dot(off, before.normal) * before.normal;
            error = std::max(error, std::sqrt(double{length_squared(beside)}));
            size = std::max(size, std::sqrt(double{length_squared(moved)}));
        }
        const vec3 tilted = after.normal - before.normal;
        error = std::max(error, std::sqrt(double{length_squared(load3(motion.tilt) - tilted)}) * 0.3);
        errors.push_back(error / (size + 0.003));
    }
    std::sort(errors.begin(), errors.end());
    const auto part = [&](double share) {
        return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size()))];
    };
    MESSAGE("error over motion: median " << part(0.5) << ", 90% " << part(0.9) << "; " << refused << " stay");
    CHECK(part(0.5) < 0.01);
    CHECK(part(0.9) < 0.1);  // in the others, the edge or corner that touches is another one by then
    CHECK(refused < rounds / 10);
}

TEST_CASE("levers stay as they are where shapes do not touch, and move less than would turn a light body round") {
    Random random(32);
    LeverMotion motion;
    Bodies balls = touching(random, sphere(0.5f), sphere(0.5f));
    Touch touch(balls);
    const auto moves = [&](const float& impulse) {
        return find_lever_motion(touch.manifold, &impulse, balls.side(0), balls.side(1), {0.005f, 4.0f, 10.0f}, motion);
    };
    CHECK(moves(0.0f));
    const LeverMotion free = motion;
    CHECK(moves(1e-6f));
    CHECK(load3(motion.shift_b) == load3(free.shift_b));
    for (int i = 0; i < 3; ++i) balls.mass[1].inverse_inertia[i] = 1e3f;
    CHECK(moves(1e3f));
    CHECK(length_squared(load3(motion.tilt)) < 1e-4f * length_squared(load3(free.tilt)));
    CHECK(length_squared(load3(motion.turn)) > 0.0f);
    balls.velocity[1].linear[0] += 20.0f * touch.normal.x;
    balls.velocity[1].linear[1] += 20.0f * touch.normal.y;
    balls.velocity[1].linear[2] += 20.0f * touch.normal.z;
    CHECK(!moves(0.0f));  // a blow
    CHECK(moves(1e-6f));
    balls.velocity[1] = balls.velocity[0];
    touch.manifold.points[0].separation = 2.0f * settings::most_carried_gap;
    CHECK(!moves(0.0f));
}

namespace {

/// Runs the kernel's prepare() on contacts of one to four points, of which every other one moves, and compares each lane with the
/// header's formula in double.
template <int width>
void check_prepare(const SolverKernel& kernel) {
    using F = LaneArray<width>;
    Random random(33);
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        ContactLanes<F> moved, still;
        ContactPointLanes<F> moved_points[4], still_points[4];
        std::vector<ContactSource> sources(width);
        std::vector<LeverMotion> motions(width);
        std::vector<WorldTransform> poses(2 * width);
        std::vector<dvec3> centers(2 * width + 1);
        std::vector<Manifold> manifolds(width);
        std::vector<ContactState> states(width);
        std::vector<SolverMass> masses(2 * width + 1);
        for (int i = 0; i < width; ++i) {
            const auto k = static_cast<std::size_t>(i);
            for (const std::size_t side : {2 * k, 2 * k + 1}) {
                poses[side] = {random.in_box(vec3(1.0f)), random.rotation()};
                centers[side] = dvec3(random.in_box(vec3(1.0f)));
                SolverMass& mass = masses[side + 1];
                store3(mass.inverse_mass, vec3(1.0f));
                for (int j = 0; j < 3; ++j) mass.inverse_inertia[j] = random.between(1.0f, 2.0f);
            }
            Manifold& m = manifolds[k];
            m.normal = random.direction();
            m.count = 1 + static_cast<int>(random.below(4));
            for (int p = 0; p < m.count; ++p)
                m.points[p] = {random.in_box(vec3(0.5f)), random.in_box(vec3(0.5f)), 0.0f, std::uint32_t(p)};
            ContactSource& s = sources[k];
            s = {2 * unsigned(i) + 1,
                 2 * unsigned(i) + 2,
                 unsigned(i),
                 &poses[2 * k].position.x,
                 &poses[2 * k + 1].position.x,
                 &centers[2 * k].x,
                 &centers[2 * k + 1].x,
                 &poses[2 * k].rotation.x,
                 &poses[2 * k + 1].rotation.x,
                 &m.normal.x,
                 &m.points[0].on_a.x,
                 states[k].impulses,
                 unsigned(m.count),
                 nullptr};
            for (float* const row : {motions[k].turn, motions[k].shift_a, motions[k].shift_b, motions[k].tilt})
                store3(row, random.in_box(vec3(0.1f)));
        }
        moved.point_count = still.point_count = 4;
        kernel.prepare(&still, still_points, sources.data(), width, masses.data());
        for (int i = 0; i < width; i += 2)
            sources[static_cast<std::size_t>(i)].lever_motion = motions[static_cast<std::size_t>(i)].turn;
        kernel.prepare(&moved, moved_points, sources.data(), width, masses.data());
        for (int i = 0; i < width; ++i) {
            CAPTURE(i);
            const auto k = static_cast<std::size_t>(i);
            const LeverMotion& motion = motions[k];
            const auto vector = [&](const Vec3Lanes<F>& v) { return vec3(v.x[i], v.y[i], v.z[i]); };
            if (i % 2 == 1) {
                CHECK(vector(moved.normal) == vector(still.normal));
                for (int p = 0; p < manifolds[k].count; ++p)
                    CHECK(vector(moved_points[p].angular_a) == vector(still_points[p].angular_a));
                continue;
            }
            const WorldTransform &a = poses[2 * k], &b = poses[2 * k + 1];
            const dvec3 before(rotate(a.rotation, manifolds[k].normal));
            const dvec3 n = glm::normalize(before + dvec3(load3(motion.tilt)));
            CHECK(glm::length(dvec3(vector(moved.normal)) - n) < 1e-5);
            for (int p = 0; p < manifolds[k].count; ++p) {
                const ManifoldPoint& point = manifolds[k].points[p];
                const dvec3 place = 0.5 * (transform_point(a, point.on_a) + transform_point(b, point.on_b));
                const dvec3 arm = place - centers[2 * k], other = place - centers[2 * k + 1];
                const dvec3 by = glm::cross(dvec3(load3(motion.turn)), arm);
                const dvec3 of_a = glm::cross(arm + by + dvec3(load3(motion.shift_a)), n);
                const dvec3 of_b = glm::cross(other + by + dvec3(load3(motion.shift_b)), n);
                CHECK(glm::length(dvec3(vector(moved_points[p].angular_a)) - of_a) < 1e-5);
                CHECK(glm::length(dvec3(vector(moved_points[p].angular_b)) - of_b) < 1e-5);
            }
        }
    }
}

/// What a body's energy does in some seconds: the most that it gained on its least until then, and what is left, as parts
/// of the energy of motion at the start.
struct Energies {
    double gained = 0.0, left = 0.0;
};

/// `rest`: its energy when it is at rest, J.
Energies energies(World& world, BodyId id, double rest, double seconds) {
    const auto now = [&] {
        return kinetic_energy(world, id) + double{world.mass(id)} * 9.81 * world.center_of_mass(id).y - rest;
    };
    const double start = now();
    double least = start, gained = 0.0;
    for (int step = 0; step < static_cast<int>(60.0 * seconds); ++step) {
        run(world, 1);
        least = std::min(least, now());
        gained = std::max(gained, now() - least);
    }
    return {gained / start, now() / start};
}

WorldDef with_substeps(int substeps) {
    WorldDef def = sleepless();
    def.substeps = substeps;
    return def;
}

BodyDef rough(BodyDef def) {
    def.material.friction = 1.0f;
    return def;
}

}  // namespace

TEST_CASE("the kernels move levers as their header says") {
    check_prepare<4>(solver_kernel_base);
    const SolverKernel& best = best_solver_kernel();
    if (best.lanes == 8) check_prepare<8>(best);
}

// With the levers of the start of the step it gained 3% per second.
TEST_CASE("a ball whose centre of mass is off rocks and rolls no higher than at first") {
    for (const int substeps : {1, 2, 4, 8}) {
        for (const float off : {0.1f, 0.2f}) {
            for (const double tilt : {1.0, 2.6}) {
                CAPTURE(substeps);
                CAPTURE(off);
                CAPTURE(tilt);
                World world(with_substeps(substeps));
                add(world, rough(ground()));
                BodyDef def = rough(body(sphere(0.5f), {0, 0.5, 0}));
                def.mass_properties = mass_properties(def.shape, 1000.0f);
                def.mass_properties->center = {0, -off, 0};
                def.rotation = turn({0, 0, 1}, tilt);
                const BodyId id = add(world, def);
                const double rest = double{world.mass(id)} * 9.81 * (0.5 - double{off});
                const Energies e = energies(world, id, rest, 20.0);
                CHECK(e.gained < (substeps == 1 ? 0.05 : 0.02));  // within a swing
                CHECK(e.left > 0.6);
            }
        }
    }
}

// With the levers of the start of the step, a board on a roller rocked off within 20 s.
TEST_CASE("a board that rocks on a roller or a ball gains no energy, and stays on it") {
    for (const Shape& below : {cylinder(1.0f, 1.0f), sphere(1.0f)}) {
        World world(sleepless());
        BodyDef fixed = rough(fixed_body(below));
        fixed.rotation = turn({1, 0, 0}, 0.5 * pi);
        add(world, fixed);
        BodyDef def = rough(body(box({1.0f, 0.1f, 0.5f}), {0, 1.1, 0}));
        def.angular_velocity = {0, 0, 2};
        const BodyId id = add(world, def);
        const Energies e = energies(world, id, double{world.mass(id)} * 9.81 * 1.1, 60.0);
        CHECK(e.gained < 0.01);
        CHECK(world.position(id).y > 1.0);
    }
}

TEST_CASE("a rod that rolls on the ground does not speed up, whichever way it lies") {
    for (const double way : {0.0, 0.3, 1.0, 2.0}) {
        for (const Shape& shape : {cylinder(0.5f, 0.05f), capsule(0.5f, 0.05f)}) {
            CAPTURE(way);
            CAPTURE(name_of(shape.type));
            World world(sleepless());
            add(world, rough(fixed_body(box({200, 1, 200}), {0, -1, 0})));
            BodyDef def = rough(body(shape, {0, 0.05, 0}));
            def.rotation = multiply(turn({0, 1, 0}, way), turn({0, 0, 1}, 0.5 * pi));
            const vec3 axis = rotate(def.rotation, {0, 1, 0});
            def.angular_velocity = 20.0f * axis;
            def.linear_velocity = glm::cross(def.angular_velocity, vec3(0, 0.05f, 0));
            const BodyId id = add(world, def);
            const double start = kinetic_energy(world, id);
            run(world, 1200);
            CHECK(kinetic_energy(world, id) < 1.001 * start);
            CHECK(kinetic_energy(world, id) > 0.99 * start);
        }
    }
}

// Its base rolls farther than its tip: with one motion for both ends, it gained 10%.
TEST_CASE("a cone that has fallen from its tip rolls on its side without gaining energy") {
    World world(sleepless());
    const auto rough_half = [](BodyDef def) {
        def.material.friction = 0.5f;
        return def;
    };
    add(world, rough_half(fixed_body(box({10.0f, 0.1f, 10.0f}), {0, -0.1, 0})));
    BodyDef def = rough_half(body(cone(0.03f, 0.03f), {0, 0.3, 0}));
    def.rotation = turn({0, 0, 1}, pi - 0.3);
    def.angular_velocity = {0.2f, 15.0f * std::sqrt(98.1f), 0.0f};
    const BodyId id = add(world, def);
    const double height = world.bounds(id).lower.y - 1e-4;
    REQUIRE(world.set_transform(id, world.position(id) - dvec3(0, height, 0), world.rotation(id)));
    run(world, 60);
    const Energies e = energies(world, id, 0.0, 19.0);
    MESSAGE("gained " << e.gained);
    CHECK(e.gained < 0.01);
}

// It swung for ever.
TEST_CASE("a ring that swings on a capsule loses its energy") {
    World world(sleepless());
    BodyDef peg = rough(fixed_body(capsule(0.5f, 0.1f)));
    peg.rotation = turn({1, 0, 0}, 0.5 * pi);
    add(world, peg);
    BodyDef def = rough(body(Shape{}, {0, -0.34, 0}));
    const samples::MeshFile ring = samples::ring(0.5f, 0.06f, 24, 12);
    const auto made = make_mesh({.vertices = ring.vertices, .indices = ring.triangles, .solid = true});
    REQUIRE(bool(made));
    def.mesh = *made;
    def.rotation = turn({1, 0, 0}, 0.5 * pi);
    def.angular_velocity = {0, 0, 4};
    const BodyId id = add(world, def);
    const double rest = -double{world.mass(id)} * 9.81 * 0.34;
    const Energies e = energies(world, id, rest, 60.0);
    CHECK(e.gained < 0.05);
    CHECK(e.left < 0.5);
}

// Rounding made the probe of the curvature jump along the cylinder: it braked, hopped, and ran off such rails.
TEST_CASE("a round body that rolls across a round rail keeps its speed") {
    const auto sum = convex_sum(cylinder(0.3f, 0.15f), sphere(0.1f));
    REQUIRE(bool(sum));
    for (const Shape& rail : {capsule(30.0f, 0.02f), capsule(30.0f, 0.2f), cylinder(30.0f, 2.0f)}) {
        for (const Shape& shape : {cylinder(0.4f, 0.25f), capsule(0.4f, 0.25f), *sum}) {
            CAPTURE(name_of(rail.type));
            CAPTURE(name_of(shape.type));
            World world(sleepless());
            const float radius = rail.type == ShapeType::capsule ? rail.radius : rail.half_extents.x;
            BodyDef below = fixed_body(rail, {0, -double{radius}, 0});
            below.rotation = turn({0, 0, 1}, 0.5 * pi);
            add(world, below);
            BodyDef def = body(shape, {-10, 0.2495, 0});
            def.rotation = turn({1, 0, 0}, 0.5 * pi);
            def.linear_velocity = {2, 0, 0};
            def.angular_velocity = {0, 0, -8};
            def.locks = lock_z | lock_turn_x | lock_turn_y;
            const BodyId id = add(world, def);
            run(world, 10);
            for (int step = 0; step < 290; ++step) {
                world.step(frame);
                CHECK(std::abs(world.linear_velocity(id).y) < 0.005f);
            }
            CHECK(world.linear_velocity(id).x == doctest::Approx(2.0).epsilon(0.002));
        }
    }
}
