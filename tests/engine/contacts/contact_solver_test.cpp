// The contact solver alone: against the equations of its header, written plainly in double, one contact at a time; the
// same bits in any lane and beside any other contacts; friction within Coulomb's law.

#include "tests/engine/worlds.h"

#include "engine/contact_solver/contact_solver.h"
#include "engine/settings.h"

#include <cstring>

using namespace talus;
using namespace talus::test;

namespace {

constexpr float substep = 1.0f / 240.0f;

void put(float* out, const vec3& v) {
    for (int i = 0; i < 3; ++i) out[i] = v[i];
}

glm::dvec3 vec(const float* v) { return {v[0], v[1], v[2]}; }

/// Two bodies and up to four points between them: a contact as the solver sees it.
struct Case {
    SolverMass mass[2];
    SolverBody body[2];                          // at the start of the step
    dvec3 center[2] = {dvec3(0.0), dvec3(0.0)};  // of mass, world
    vec3 normal{0.0f};
    int count = 0;
    dvec3 point[4];  // midway between the surfaces, world
    float separation[4] = {};
    float friction = 0.0f, restitution = 0.0f;
    vec3 gravity{0.0f};
};

void put_symmetric(SolverMass& mass, const mat3& m) {
    const float entries[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    std::memcpy(mass.inverse_inertia, entries, sizeof entries);
}

glm::dmat3 symmetric(const SolverMass& mass) {
    const float* m = mass.inverse_inertia;
    return glm::dmat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
}

Case random_case(Random& random, bool immovable) {
    Case c;
    c.normal = random.direction();
    c.count = 1 + static_cast<int>(random.below(4));
    c.gravity = {0.0f, -9.81f, 0.0f};
    for (int k = 0; k < 2; ++k) {
        if (k == 0 && immovable) continue;
        const float inverse_mass = 1.0f / random.between(0.5f, 5.0f);
        put(c.mass[k].inverse_mass, vec3(inverse_mass));
        const mat3 r = to_matrix(random.rotation());
        const mat3 d(random.between(1.0f, 8.0f), 0, 0, 0, random.between(1.0f, 8.0f), 0, 0, 0,
                     random.between(1.0f, 8.0f));
        const mat3 m = inverse_mass * (r * d * glm::transpose(r));
        put_symmetric(c.mass[k], 0.5f * (m + glm::transpose(m)));
        c.center[k] = on_grid((k == 0 ? -0.5f : 0.5f) * c.normal);
        put(c.mass[k].gravity, c.gravity);
        for (int i = 0; i < 3; ++i) {
            c.body[k].velocity[i] = random.between(-1.0f, 1.0f) - (k == 0 ? -0.5f : 0.5f) * c.normal[i];
            c.body[k].angular_velocity[i] = random.between(-2.0f, 2.0f);
        }
    }
    if (immovable) c.center[0] = on_grid(-0.5f * c.normal);
    const bool loaded = random.below(4) == 0;  // presses on all points
    const bool deep = random.below(8) == 0;
    for (int i = 0; i < c.count; ++i) {
        const vec3 p = random.in_box(vec3(0.4f));
        c.point[i] = p - glm::dot(p, c.normal) * c.normal;
        c.separation[i] = loaded ? random.between(-0.012f, -0.0055f) : random.between(-0.01f, 0.004f);
        if (deep) c.separation[i] -= 1.5f * settings::stiffer_depth;
    }
    return c;
}

/// The solver's input for cases that share no body; body 0 is the ground.
struct Problem {
    ContactTable contacts;
    Colliders colliders;
    BodyStore store;
    std::vector<SolverMass> masses{SolverMass{}};
    std::vector<SolverBody> bodies{SolverBody{}};
    std::vector<StartVelocity> velocities{StartVelocity{}};
    std::vector<dvec3> centers{dvec3(0.0)};
    std::vector<ConstraintGraph::Edge> edges;
    ConstraintGraph graph;
    ShapePool shapes;  // only their materials
    ContactSolver solver;
    std::vector<std::uint32_t> first_body;  // solver index of a case's body b; body a is the one before

    explicit Problem(std::span<const Case> cases, const SolverKernel& kernel = best_solver_kernel()) : solver(kernel) {
        for (const Case& c : cases) {
            const bool immovable = c.mass[0].inverse_mass[0] == 0.0f;
            std::uint32_t index[2] = {0, 0};
            for (int k = immovable ? 1 : 0; k < 2; ++k) {
                index[k] = static_cast<std::uint32_t>(masses.size());
                masses.push_back(c.mass[k]);
                bodies.push_back(c.body[k]);
                velocities.emplace_back();
                centers.push_back(c.center[k]);
            }
            first_body.push_back(index[1]);
            const std::uint32_t slot_a = store.allocate(), slot_b = store.allocate();
            const auto collider = static_cast<std::uint32_t>(colliders.shapes.size());
            colliders.resize(collider + 2);
            shapes.defs.resize(collider + 2);
            // Equal spheres keep the order (a, b).
            for (std::uint32_t i = 0; i < 2; ++i) {
                colliders.shapes[collider + i] = sphere(1.0f);
                colliders.poses[collider + i].position = c.center[i];
            }
            const std::uint32_t pair = contacts.begin_pair(store, slot_a, slot_b);
            const std::uint32_t contact = contacts.add_contact(pair, colliders, collider, slot_a, collider + 1, slot_b);
            REQUIRE(contacts.records[contact].a == collider);
            contacts.states[contact].friction = c.friction;
            contacts.states[contact].restitution = c.restitution;
            Manifold& manifold = contacts.caches[contact].manifold;
            manifold.normal = c.normal;
            manifold.count = c.count;
            for (int i = 0; i < c.count; ++i) {
                const vec3 half = 0.5f * c.separation[i] * c.normal;
                manifold.points[i].on_a = vec3(c.point[i] - c.center[0]) - half;
                manifold.points[i].on_b = vec3(c.point[i] - c.center[1]) + half;
                manifold.points[i].separation = c.separation[i];
                manifold.points[i].id = static_cast<std::uint32_t>(i + 1);
            }
            edges.push_back({contact, index[0], index[1], static_cast<std::uint32_t>(c.count), !immovable, true});
            edges.back().bounces = c.restitution > 0.0f;
        }
        centers.emplace_back();  // the kernels read one number more than the last centre has
        graph.build(edges, std::vector<std::uint8_t>(masses.size()));
    }

    void prepare() {
        solver.begin(graph, edges, substep, 1, ContactSolver::usual_hertz(substep, WorldDef{}.contact_rate));
        solver.prepare({edges, contacts, colliders, shapes, masses, velocities, centers});
    }

    /// Runs one pass of restitution over all contacts. Returns the number of fields in which it ran.
    int bounce(int pass) {
        int ran = 0;
        for (std::size_t phase = 0; phase < contact_phases; ++phase) {
            for (std::uint32_t i = 0; i < most_fields; ++i)
                ran += solver.bounce(static_cast<ContactPhase>(phase), i, pass, bodies) ? 1 : 0;
        }
        return ran;
    }

    /// Runs one step of `substeps` sub-steps, as World does, for bodies whose inertia does not change as they rotate.
    void step(int substeps) {
        for (SolverBody& b : bodies) {
            std::memset(b.displacement, 0, sizeof b.displacement);
            std::memset(b.turn, 0, sizeof b.turn);
        }
        prepare();
        for (int s = 0; s < substeps; ++s) {
            for (std::size_t b = 1; b < bodies.size(); ++b) {
                for (int i = 0; i < 3; ++i) bodies[b].velocity[i] += substep * masses[b].gravity[i];
            }
            solver.run(&SolverKernel::begin_restitution, bodies);
            solver.run(&SolverKernel::warm_start, bodies);
            solver.run(&SolverKernel::solve, bodies);
            for (SolverBody& b : bodies) {
                for (int i = 0; i < 3; ++i) {
                    b.displacement[i] += substep * b.velocity[i];
                    b.turn[i] += substep * b.angular_velocity[i];
                }
            }
            solver.run(&SolverKernel::relax, bodies);
            bounce(0);
            solver.run(&SolverKernel::end_restitution, bodies);
        }
        solver.store(contacts);
    }
};

/// The normal rows of one contact, in double, from the header alone:
///   C = n . (x_b - x_a), J = (-n, -(r_a x n), n, r_b x n), s = s0 + J q
///   soft row:   dP = -m M (J v + bias) - i P,  with (bias rate, M, i) of an implicit spring (Catto 2014)
///   rigid row:  dP = -m (J v + max(s, 0) / h);  accumulated P >= 0.
struct Oracle {
    glm::dvec3 v[2], w[2], d[2], turn[2];
    double impulse[4] = {}, sum[4] = {};
    double kept[4] = {};  ///< impulses with which the next sub-step is warm started
    int blows = 0;
    bool tilted = false;     ///< some row was stiffened against tilting
    bool stiffened = false;  ///< some row was deep enough to be stiffer
    /// a row touched, or was apart by less than rounding; the two cases have different equations
    bool knife_edge = false;

    Oracle(const Case& c, int substeps) {
        const double h = substep, pi2 = 2.0 * pi;
        const bool immovable = c.mass[0].inverse_mass[0] == 0.0f;
        double hertz = double(WorldDef{}.contact_rate) / h;
        if (immovable) hertz *= settings::fixed_contact_stiffening;
        const double omega = pi2 * hertz, zeta = settings::contact_damping_ratio;
        const double a1 = 2.0 * zeta + h * omega, a2 = h * omega * a1, a3 = 1.0 / (1.0 + a2);
        const double bias_rate = omega / a1, mass_scale = a2 * a3, impulse_scale = a3;

        const glm::dvec3 n(c.normal);
        glm::dvec3 ra[4], rb[4];
        double mass[4];
        for (int k = 0; k < 2; ++k) {
            v[k] = {c.body[k].velocity[0], c.body[k].velocity[1], c.body[k].velocity[2]};
            w[k] = {c.body[k].angular_velocity[0], c.body[k].angular_velocity[1], c.body[k].angular_velocity[2]};
            d[k] = turn[k] = glm::dvec3(0.0);
        }
        const double im[2] = {c.mass[0].inverse_mass[0], c.mass[1].inverse_mass[0]};
        const glm::dmat3 ii[2] = {symmetric(c.mass[0]), symmetric(c.mass[1])};
        for (int i = 0; i < c.count; ++i) {
            ra[i] = glm::cross(c.point[i] - c.center[0], n);
            rb[i] = glm::cross(c.point[i] - c.center[1], n);
            mass[i] = 1.0 / (im[0] + im[1] + glm::dot(ra[i], ii[0] * ra[i]) + glm::dot(rb[i], ii[1] * rb[i]));
        }
        const auto along = [&](int i, const glm::dvec3* lin, const glm::dvec3* ang) {
            return glm::dot(n, lin[1] - lin[0]) + glm::dot(rb[i], ang[1]) - glm::dot(ra[i], ang[0]);
        };
        const auto apply = [&](int i, double p) {
            v[0] -= im[0] * p * n, v[1] += im[1] * p * n;
            w[0] -= ii[0] * (p * ra[i]), w[1] += ii[1] * (p * rb[i]);
        };
        glm::dvec3 middle(0.0);
        for (int i = 0; i < c.count; ++i) middle += c.point[i] / static_cast<double>(c.count);
        double lever = 0.0;
        for (int i = 0; i < c.count; ++i) lever += glm::length(c.point[i] - middle) / static_cast<double>(c.count);
        const double lightest = double{settings::tilt_first_load} * lever,
                     heaviest = double{settings::tilt_full_load} * lever;
        double depth[4] = {}, mean = 0.0, tilt_rate = 0.0, stiffer_from = 0.0;  // of this iteration
        const auto begin_soft_rows = [&] {
            mean = 0.0;
            double shallowest = -1.0;
            for (int i = 0; i < c.count; ++i) {
                const double beyond_slop = c.separation[i] + along(i, d, turn) + double{settings::linear_slop};
                depth[i] = std::min(beyond_slop, 0.0);
                mean += depth[i] / static_cast<double>(c.count);
                shallowest = std::max(shallowest, beyond_slop);
            }
            if (c.count == 4 && std::abs(shallowest) < 2e-6) knife_edge = true;
            const double load = std::clamp((-mean - lightest) / (heaviest - lightest), 0.0, 1.0);
            tilt_rate = c.count == 4 && shallowest < 0.0 ? double{settings::tilt_stiffening} * load * bias_rate : 0.0;
            const bool on_face = c.count == 4 && shallowest < 0.0;
            stiffer_from = double{on_face ? settings::stiffer_face_depth : settings::stiffer_depth};
        };
        const auto row = [&](int i, bool soft) {
            const double s = c.separation[i] + along(i, d, turn);
            if (std::abs(s) < 2e-6) knife_edge = true;
            double bias, m = 1.0, carry = 0.0;
            if (s > 0.0) {
                bias = s / h;
            } else if (soft) {
                bias = std::clamp(bias_rate * depth[i] + tilt_rate * (depth[i] - mean),
                                  -double{settings::max_push_speed}, 0.0);
                if (tilt_rate > 0.0) tilted = true;
                m = mass_scale;
                carry = impulse_scale;
                if (std::abs(depth[i] + stiffer_from) < 2e-6) knife_edge = true;
                if (depth[i] < -stiffer_from) {
                    const double compliance = std::pow(stiffer_from / -depth[i], 16.0) * carry / m;
                    m = 1.0 / (1.0 + compliance);
                    carry = compliance * m;
                    stiffened = true;
                }
            } else {
                bias = 0.0;
            }
            const double next = std::max(impulse[i] - mass[i] * m * (along(i, v, w) + bias) - carry * impulse[i], 0.0);
            const double change = next - impulse[i];
            apply(i, change);
            impulse[i] = next;
            return std::abs(change) / mass[i];
        };
        const auto sweep = [&](bool soft) {
            double limit[4];
            bool struck = false, hard = false;
            const auto is_struck = [&](int i) {
                if (std::abs(impulse[i] - limit[i]) < 1e-4 * limit[i]) knife_edge = true;
                return impulse[i] > limit[i];
            };
            for (int i = 0; i < c.count; ++i) {
                limit[i] = 2.0 * impulse[i] + mass[i] * double{settings::blow_rate} * h;
                const double s = c.separation[i] + along(i, d, turn) + 2.0 * double{settings::linear_slop};
                if (soft && std::abs(s) < 2e-6) knife_edge = true;
                if (soft && s < 0.0) limit[i] = std::numeric_limits<double>::max();
                row(i, soft);
                struck = is_struck(i) || struck;
            }
            for (int i = 0; i < c.count; ++i) {
                const double most = limit[i] + mass[i] * double{settings::strike_rate} * h;
                if (std::abs(impulse[i] - most) < 1e-4 * most) knife_edge = true;
                hard = hard || impulse[i] > most;
            }
            if (!struck) return;
            for (int k = 0; k < settings::strike_sweeps && c.count > 1 && hard; ++k) {
                double most = 0.0;
                for (int i = 0; i < c.count; ++i) most = std::max(most, row(k % 2 == 0 ? c.count - 1 - i : i, soft));
                if (std::abs(most - double{settings::strike_accuracy}) < 1e-5) knife_edge = true;
                if (most <= double{settings::strike_accuracy}) break;
            }
            for (int i = 0; i < c.count; ++i) {
                if (is_struck(i)) kept[i] = std::min(kept[i], limit[i]), ++blows;
            }
        };
        for (int k = 0; k < substeps; ++k) {
            for (int b = 0; b < 2; ++b) v[b] += h * vec(c.mass[b].gravity);
            for (int i = 0; i < c.count; ++i) apply(i, impulse[i]);
            begin_soft_rows();
            for (double& most : kept) most = std::numeric_limits<double>::max();
            sweep(true);
            for (int b = 0; b < 2; ++b) d[b] += h * v[b], turn[b] += h * w[b];
            sweep(false);
            for (int i = 0; i < c.count; ++i) {
                sum[i] += impulse[i];
                impulse[i] = std::min(impulse[i], kept[i]);
            }
        }
    }
};

}  // namespace

TEST_CASE("the wide solver's normal rows are those of its header") {
    Random random(14);
    double worst = 0.0;
    int pressing = 0, compared = 0, tilted = 0, stiffened = 0, blows = 0;
    for (int round = 0; round < 500; ++round) {
        CAPTURE(round);
        std::vector<Case> cases;
        for (int i = 0; i < 7; ++i) cases.push_back(random_case(random, random.below(3) == 0));
        // A response that is too small to count alone does count beside a body that yields: the impulse moves both.
        cases.back().mass[0].least_response = 1e9f;
        Problem problem(cases);
        problem.step(4);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            CAPTURE(i);
            CAPTURE(cases[i].count);
            const Oracle oracle(cases[i], 4);
            if (oracle.knife_edge) continue;
            ++compared;
            if (oracle.tilted) ++tilted;
            if (oracle.stiffened) ++stiffened;
            blows += oracle.blows;
            const std::uint32_t b = problem.first_body[i];
            double error = glm::length(vec(problem.bodies[b].velocity) - oracle.v[1]);
            error = std::max(error, 0.1 * glm::length(vec(problem.bodies[b].angular_velocity) - oracle.w[1]));
            if (cases[i].mass[0].inverse_mass[0] > 0.0f)
                error = std::max(error, glm::length(vec(problem.bodies[b - 1].velocity) - oracle.v[0]));
            const ContactState& state = problem.contacts.states[problem.edges[i].contact];
            for (int k = 0; k < cases[i].count; ++k) {
                error = std::max(error, std::abs(static_cast<double>(state.impulses[k]) - oracle.impulse[k]));
                error = std::max(error, std::abs(static_cast<double>(state.step_impulses[k]) - oracle.sum[k]));
                if (oracle.impulse[k] > 0.0) ++pressing;
            }
            worst = std::max(worst, error);
            REQUIRE(error < 2e-4);
        }
    }
    CHECK(compared > 2000);
    CHECK(pressing > 500);
    CHECK(tilted > 50);
    CHECK(stiffened > 50);
    CHECK(blows > 50);
    MESSAGE(compared, " contacts, ", tilted, " stiffened against tilting, ", pressing,
            " points that press, worst error ", worst, " m/s or N s");
}

TEST_CASE("a contact gets the same bits in any lane and in any company") {
    Random random(15);
    for (int round = 0; round < 100; ++round) {
        CAPTURE(round);
        std::vector<Case> cases;
        for (int i = 0; i < 9; ++i) {
            cases.push_back(random_case(random, i % 3 == 0));
            cases.back().friction = 0.5f;
            cases.back().restitution = i % 2 ? 0.5f : 0.0f;
        }
        Problem together(cases);
        for (int s = 0; s < 3; ++s) together.step(4);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            Problem alone(std::span<const Case>(&cases[i], 1));
            for (int s = 0; s < 3; ++s) alone.step(4);
            const SolverBody &a = alone.bodies[alone.first_body[0]], &b = together.bodies[together.first_body[i]];
            for (int k = 0; k < 3; ++k) {
                REQUIRE(a.velocity[k] == b.velocity[k]);
                REQUIRE(a.angular_velocity[k] == b.angular_velocity[k]);
            }
        }
    }
}

TEST_CASE("four lanes and eight give the same bits") {
    if (&best_solver_kernel() == &solver_kernel_base) {
        MESSAGE("this processor has four lanes only");
        return;
    }
    REQUIRE(best_solver_kernel().lanes == 8);
    Random random(18);
    for (int round = 0; round < 100; ++round) {
        CAPTURE(round);
        std::vector<Case> cases;
        for (int i = 0; i < 1 + static_cast<int>(random.below(40)); ++i) {
            cases.push_back(random_case(random, random.below(3) == 0));
            cases.back().friction = random.unit();
            cases.back().restitution = random.below(2) ? random.unit() : 0.0f;
        }
        std::vector<bool> special(cases.size());  // with rolling resistance, two grips and a belt
        for (std::size_t i = 0; i < cases.size(); ++i) special[i] = random.below(3) == 0;
        Problem narrow(cases, solver_kernel_base), wide(cases);
        for (Problem* problem : {&narrow, &wide}) {
            for (std::size_t i = 0; i < cases.size(); ++i) {
                problem->edges[i].special = special[i];
                if (!special[i]) continue;
                Random surface(i);
                ContactState& state = problem->contacts.states[problem->edges[i].contact];
                state.special_surface = true;
                state.rolling_arm = surface.between(0.0f, 0.1f);
                for (std::size_t k = 2 * i; k < 2 * i + 2; ++k) {
                    Material& material = problem->shapes.defs[k].material;
                    material.surface_velocity = surface.in_box(vec3(1.0f));
                    material.grip_axis = surface.direction();
                    material.grip_across = surface.unit();
                }
            }
            problem->graph.build(problem->edges, std::vector<std::uint8_t>(problem->masses.size()));
            for (int s = 0; s < 3; ++s) problem->step(4);
        }
        for (std::size_t i = 0; i < narrow.bodies.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                REQUIRE(narrow.bodies[i].velocity[k] == wide.bodies[i].velocity[k]);
                REQUIRE(narrow.bodies[i].angular_velocity[k] == wide.bodies[i].angular_velocity[k]);
            }
        }
        for (std::size_t i = 0; i < narrow.contacts.states.size(); ++i) {
            const ContactState &a = narrow.contacts.states[i], &b = wide.contacts.states[i];
            for (int k = 0; k < a.point_count; ++k) REQUIRE(a.step_impulses[k] == b.step_impulses[k]);
            REQUIRE(a.friction_impulse == b.friction_impulse);
            REQUIRE(a.rolling_impulse == b.rolling_impulse);
        }
    }
}

TEST_CASE("restitution passes that are left out would have changed nothing") {
    Random random(23);
    int ran = 0, left_out = 0, changed = 0;
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        std::vector<Case> cases;
        for (int i = 0; i < 7; ++i) {
            cases.push_back(random_case(random, random.below(3) == 0));
            cases.back().restitution = random.below(4) == 0 ? 0.0f : random.between(0.1f, 1.0f);
        }
        const auto solve = [](Problem& problem) {
            problem.prepare();
            for (const auto pass : {&SolverKernel::begin_restitution, &SolverKernel::warm_start, &SolverKernel::solve,
                                    &SolverKernel::relax})
                problem.solver.run(pass, problem.bodies);
        };
        Problem problem(cases), oracle(cases);
        solve(problem);
        solve(oracle);
        for (int pass = 0; pass < settings::restitution_passes; ++pass) {
            const std::vector<SolverBody> before = oracle.bodies;
            const int fields = oracle.bounce(0);  // the first one of a series always runs
            if (problem.bounce(pass) == fields) {
                ++ran;
            } else {
                ++left_out;
            }
            REQUIRE(std::memcmp(problem.bodies.data(), oracle.bodies.data(),
                                oracle.bodies.size() * sizeof(SolverBody)) == 0);
            changed +=
                std::memcmp(before.data(), oracle.bodies.data(), before.size() * sizeof(SolverBody)) != 0 ? 1 : 0;
        }
    }
    MESSAGE(ran << " passes ran, " << left_out << " were left out, " << changed << " changed something");
    CHECK(left_out > 100);
    CHECK(changed > 300);
}

TEST_CASE("friction stays in its cone and, where it slides, points against the slip") {
    Random random(16);
    int sliding = 0, sticking = 0;
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        Case c = random_case(random, true);
        // Pressed on a floor, sliding in any direction, with any inertia.
        c.normal = {0, 1, 0};
        c.center[0] = {0, -0.5, 0};
        c.center[1] = on_grid(dvec3(0, 0.2, 0));
        c.friction = random.between(0.1f, 1.0f);
        c.count = 1;
        c.point[0] = {0, 0, 0};
        c.separation[0] = -settings::linear_slop;
        const bool slides = round % 2 == 0;
        const vec3 v = (slides ? 5.0f : 0.002f) * glm::normalize(random.in_box(vec3(1, 0, 1)));
        for (int i = 0; i < 3; ++i) {
            c.body[1].velocity[i] = v[i];
            c.body[1].angular_velocity[i] = 0.0f;
        }
        Problem problem({&c, 1});
        problem.step(4);
        const ContactState& state = problem.contacts.states[problem.edges[0].contact];
        const double normal = state.impulses[0];
        const glm::dvec3 f(state.friction_impulse);
        REQUIRE(normal > 0.0);
        CHECK(glm::length(f) <= static_cast<double>(c.friction) * normal * 1.001);
        CHECK(std::abs(f.y) < 1e-5 * normal);
        const SolverBody& b = problem.bodies[problem.first_body[0]];
        const dvec3 arm = c.point[0] - c.center[1];
        glm::dvec3 slip = vec(b.velocity) + glm::cross(vec(b.angular_velocity), arm);
        slip.y = 0.0;
        if (glm::length(slip) > 0.1) {
            ++sliding;
            CHECK(glm::length(f) == doctest::Approx(static_cast<double>(c.friction) * normal).epsilon(1e-3));
            CHECK(glm::dot(f, slip) / glm::length(f) / glm::length(slip) < -0.99);
        } else {
            ++sticking;
            CHECK(glm::length(slip) < 0.01);
        }
    }
    CHECK(sliding > 100);
    CHECK(sticking > 100);
}

TEST_CASE("impulses are carried to the next step by feature id, and only by it") {
    Random random(17);
    Case c = random_case(random, true);
    c.count = 2;
    c.separation[0] = c.separation[1] = -0.002f;
    Problem problem({&c, 1});
    problem.step(4);
    const std::uint32_t contact = problem.edges[0].contact;
    Manifold& manifold = problem.contacts.caches[contact].manifold;
    ContactState& state = problem.contacts.states[contact];
    state.impulses[0] = 1.5f;
    state.impulses[1] = 2.5f;
    std::swap(manifold.points[0], manifold.points[1]);
    problem.prepare();
    CHECK(state.impulses[0] == 2.5f);
    CHECK(state.impulses[1] == 1.5f);
    manifold.points[0].id = 77;
    problem.prepare();
    CHECK(state.impulses[0] == 0.0f);
    CHECK(state.impulses[1] == 1.5f);
}
