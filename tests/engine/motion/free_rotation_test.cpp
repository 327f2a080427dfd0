// The two implementations of rotation, in the solver's lanes and for single bodies in double, against each other.

#include "tests/engine/worlds.h"

#include "engine/bodies/body_motions.h"
#include "engine/bodies/free_turn.h"
#include "engine/contact_solver/contact_solver.h"

using namespace talus;
using namespace talus::test;

TEST_CASE("the solver's lanes turn a body as the slow way does, about any axis and at any spin") {
    Random random(3001);
    const float h = 1.0f / 240.0f;
    double worst_turn = 0.0, worst_spin = 0.0;
    for (const SolverKernel* const kernel : {&solver_kernel_base, &best_solver_kernel()}) {
        for (int round = 0; round < 400; ++round) {
            CAPTURE(round);
            const vec3 half(random.between(0.01f, 0.4f), random.between(0.01f, 0.4f), random.between(0.01f, 0.4f));
            const vec3 side2 = half * half;
            const glm::dmat3 local(glm::dvec3(side2.y + side2.z, 0, 0), glm::dvec3(0, side2.x + side2.z, 0),
                                   glm::dvec3(0, 0, side2.x + side2.y));
            const glm::dmat3 tilt(to_matrix(glm::dquat(random.rotation())));
            const PrincipalInertia inertia = principal_inertia(tilt * local * glm::transpose(tilt));
            const glm::dquat start = glm::normalize(glm::dquat(random.rotation()));
            const double spin = random.between(0.0f, 300.0f);
            const glm::dvec3 w = spin * glm::dvec3(random.direction());

            const glm::dmat3 axes = glm::dmat3(to_matrix(start)) * inertia.axes();
            BodyMotions motions(*kernel);
            motions.reset(8);
            for (std::size_t i = 0; i < 8; ++i) motions.set(i, BodyMotion{});
            BodyMotion motion;
            motion.gyroscopic = true;
            motion.max_spin = 1e5f;
            motion.axes = quat(glm::quat_cast(axes));
            motion.moments = vec3(inertia.moments);
            motion.inverse_moments = vec3(1.0 / inertia.moments);
            motion.momentum = vec3(axes * (inertia.moments * (w * axes)));
            motion.spin = vec3(w);
            motions.set(3, motion);
            std::vector<SolverBody> bodies(8);
            store3(bodies[3].angular_velocity, vec3(w));
            FreeTurn slow{.rotation = start, .spin = w};
            for (int k = 0; k < 4; ++k) {
                motions.run(&SolverKernel::integrate_positions, 0, 8, bodies, h, 4000.0f);
                turn_freely(slow, inertia, 1, h);
            }
            const glm::dquat turned = slow.rotation * glm::conjugate(start);
            const quat q = motions.turn(3);
            const double along =
                std::abs(turned.w * q.w + turned.x * q.x + turned.y * q.y + turned.z * q.z) /
                std::sqrt(double{q.w} * q.w + double{q.x} * q.x + double{q.y} * q.y + double{q.z} * q.z);
            const double turn_error = std::sqrt(std::max(0.0, 1.0 - along * along));
            const double spin_error =
                glm::length(glm::dvec3(load3(bodies[3].angular_velocity)) - slow.spin) / std::max(spin, 1.0);
            // Float rounding of the momentum is amplified in the angular velocity about the thin axis.
            const double ratio = std::max({inertia.moments.x, inertia.moments.y, inertia.moments.z}) /
                                 std::min({inertia.moments.x, inertia.moments.y, inertia.moments.z});
            CAPTURE(ratio);
            CAPTURE(spin);
            CHECK(turn_error < 1e-5 * ratio);
            CHECK(spin_error < 1e-5 * ratio);
            worst_turn = std::max(worst_turn, turn_error);
            worst_spin = std::max(worst_spin, spin_error);
        }
    }
    MESSAGE("worst turn ", worst_turn, " rad, worst spin ", worst_spin, " of it");
}

TEST_CASE("a body that flies freely turns in one go as it does sub-step by sub-step") {
    Random random(31);
    for (int k = 0; k < 200; ++k) {
        const glm::dvec3 half(random.between(0.02f, 1.0f), random.between(0.02f, 1.0f), random.between(0.02f, 1.0f));
        const glm::dvec3 side2 = half * half;
        const PrincipalInertia inertia = principal_inertia(
            glm::dmat3(side2.y + side2.z, 0.0, 0.0, 0.0, side2.x + side2.z, 0.0, 0.0, 0.0, side2.x + side2.y));
        const float substep = 1.0f / 240;
        const glm::dvec3 spin = double{random.between(0.0f, 60.0f)} * glm::dvec3(random.direction());
        // At its strongest, the damping halves the momentum in each sub-step.
        const float damping = k % 2 == 0 ? 1.0f : random.between(0.5f, 1.0f);
        FreeTurn whole{.damping = damping, .rotation = glm::normalize(glm::dquat(random.rotation())), .spin = spin};
        FreeTurn parts = whole;
        turn_freely(whole, inertia, 4, substep);
        for (int i = 0; i < 4; ++i) turn_freely(parts, inertia, 1, substep);
        // Whether sub-steps are joined or not, the sum of its rotations is the body's rotation, to first order in the
        // change of its axis.
        CHECK(std::abs(glm::dot(whole.rotation, parts.rotation)) > 1.0 - 1e-8);
        CHECK(glm::length(whole.spin - parts.spin) < 1e-4 * (1.0 + glm::length(spin)));
        CHECK(glm::length(whole.turned - parts.turned) < 0.02 * (1e-3 + glm::length(parts.turned)));
        // Up to 15 rad/s the four sub-steps are joined to one. The bits then differ, unless the body rotates about one
        // of its own axes.
        if (glm::length(spin) < 14.0 && glm::length(spin) > 1.0) CHECK(whole.rotation != parts.rotation);
    }
}

// No solid has such moments, but a user may set them. The series of the rotation overflowed, and the bound on energy then
// gave jointed bodies velocities that were NaN.
TEST_CASE("free rotation stays finite with principal moments of inertia 1e39 apart") {
    const PrincipalInertia inertia{.moments = {7.7e-10, 1e30, 1e6}};
    for (const glm::dvec3& spin : {glm::dvec3(-522.0, 872.0, -1013.0), glm::dvec3(8.0, -40.0, -47.0)}) {
        FreeTurn body{.spin = spin};
        turn_freely(body, inertia, 1, 1.0f / 240);
        CHECK(std::isfinite(glm::length(body.spin)));
        CHECK(glm::dot(body.rotation, body.rotation) == doctest::Approx(1.0).epsilon(1e-6));
    }
}

TEST_CASE("inertia and its inverse are positive definite for moments that are 1e13 apart") {
    Random random(3002);
    const auto is_positive = [](const glm::dmat3& m) {
        // The pivots of Cholesky's method.
        const double first = m[0][0], second = m[1][1] - m[0][1] * m[0][1] / first;
        const double across = m[1][2] - m[0][1] * m[0][2] / first;
        return first > 0.0 && second > 0.0 && m[2][2] - m[0][2] * m[0][2] / first - across * across / second > 0.0;
    };
    for (int round = 0; round < 500; ++round) {
        BodyMotions motions(best_solver_kernel());
        motions.reset(8);
        for (std::size_t i = 0; i < 8; ++i) motions.set(i, BodyMotion{});
        BodyMotion motion;
        const float apart = std::pow(10.0f, random.between(0.0f, 13.0f));
        motion.moments = vec3(random.between(1.0f, 2.0f), random.between(1.0f, 2.0f), 1.0f / apart);
        motion.axes = random.rotation();
        motion.gyroscopic = round % 2 == 0;
        motions.set(5, motion);
        const glm::dmat3 inertia = motions.solver_inertia(5, false), inverse = motions.inverse_solver_inertia(5);
        CAPTURE(apart);
        CHECK(is_positive(inertia));
        CHECK(is_positive(inverse));
        const glm::dmat3 product = inertia * inverse;
        for (int k = 0; k < 3; ++k)
            CHECK(glm::length(product[k] - glm::dmat3(1.0)[k]) < 1e-14 * static_cast<double>(apart));
    }
}
