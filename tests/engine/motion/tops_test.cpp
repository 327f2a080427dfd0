// Tops that friction turns over, against their equations of motion.

#include "tests/engine/limits.h"

#include "tests/engine/worlds.h"

#include <algorithm>

using namespace talus;
using namespace talus::test;

namespace {

/// A ball on a floor. Its centre of mass is `apart` radii from its centre, its moments are in m r^2, and it rotates
/// about its axis, which leans by `tilt`.
struct Top {
    double radius = 0.05, apart = 0.3, transverse = 131.0 / 350.0, axial = 0.4;
    double friction = 0.3, spin = 100.0, tilt = 0.1;
};

constexpr double g = 10.0, limit = 4.0;  // m/s^2, s

/// The slowest angular velocity that turns it over (Ciocci and Langerock 2007).
double least_spin(const Top& top) {
    return std::sqrt(g / top.radius * top.axial * top.apart) * (1.0 + top.apart) * (1.0 + top.apart) /
           std::sqrt(1.0 + top.apart - top.transverse / top.axial) / (top.axial * (1.0 - top.apart));
}

/// Returns the time at which its axis is horizontal, s, or `limit`. Integrates the equations of motion by steps of 20
/// us (Runge and Kutta). The ball stays on the floor; sliding and rotation share the friction of a contact disc with
/// this mean lever, m.
double time_to_turn(const Top& top, double arm) {
    struct State {
        glm::dvec3 velocity, axis, momentum;  // for a mass of 1 kg
        State after(const State& rate, double h) const {
            return {velocity + h * rate.velocity, axis + h * rate.axis, momentum + h * rate.momentum};
        }
    };
    const double r2 = top.radius * top.radius, transverse = top.transverse * r2, axial = top.axial * r2;
    const double more = 1.0 / axial - 1.0 / transverse, apart = top.apart * top.radius;
    const glm::dvec3 up(0, 1, 0);
    const auto rate_of = [&](const State& s) {
        const auto spin_of = [&](const glm::dvec3& l, const glm::dvec3& axis) {
            return l / transverse + more * glm::dot(l, axis) * axis;
        };
        const glm::dvec3 spin = spin_of(s.momentum, s.axis), turning = glm::cross(spin, s.axis);
        const glm::dvec3 lever = apart * s.axis - top.radius * up;
        glm::dvec3 slip = s.velocity + glm::cross(spin, lever);
        slip.y = 0.0;
        const double all = std::max(1e-4, std::sqrt(glm::dot(slip, slip) + arm * arm * spin.y * spin.y));
        const glm::dvec3 force = up - (top.friction / all) * slip;  // times the load
        const glm::dvec3 moment = glm::cross(lever, force) - (top.friction / all * arm * arm * spin.y) * up;
        // The load keeps the ball on the floor: its centre stays at one height, and the centre of mass is `apart` below
        // it.
        const auto rise = [&](double load) {
            const glm::dvec3 spin_rate =
                load * moment / transverse +
                more * (load * glm::dot(moment, s.axis) + glm::dot(s.momentum, turning)) * s.axis +
                more * glm::dot(s.momentum, s.axis) * turning;
            return -apart * (glm::cross(spin_rate, s.axis) + glm::cross(spin, turning)).y;
        };
        const double free = rise(0.0), load = std::max(0.0, (g + free) / (1.0 - (rise(1.0) - free)));
        return State{load * force - g * up, turning, load * moment};
    };
    const glm::dvec3 axis(std::sin(top.tilt), std::cos(top.tilt), 0.0);
    State s{glm::dvec3(0.0), axis, axial * top.spin * axis};
    constexpr double h = 2e-5;
    for (double time = 0.0; time < limit; time += h) {
        if (s.axis.y < 0.0) return time;
        const State k1 = rate_of(s), k2 = rate_of(s.after(k1, 0.5 * h)), k3 = rate_of(s.after(k2, 0.5 * h)),
                    k4 = rate_of(s.after(k3, h));
        s = s.after(k1, h / 6.0).after(k2, h / 3.0).after(k3, h / 3.0).after(k4, h / 6.0);
        s.axis = glm::normalize(s.axis);
    }
    return limit;
}

struct Run {
    double turned = limit;     ///< time at which its axis is horizontal, s
    double least = 1.0;        ///< smallest cosine of the angle between its axis and up
    double most_energy = 0.0;  ///< largest energy, over that at the start
};

/// The same by Talus, if wanted with a stem onto which it turns.
Run run_top(const Top& top, bool has_stem, double seconds) {
    WorldDef def = sleepless();
    def.gravity.y = static_cast<float>(-g);
    World world(def);
    BodyDef floor = ground();
    floor.material.friction = static_cast<float>(top.friction);
    add(world, floor);
    const auto radius = static_cast<float>(top.radius);
    BodyDef body_def;
    body_def.shapes = {part(sphere(radius))};
    if (has_stem) body_def.shapes.push_back(part(capsule(0.3f * radius, 0.25f * radius), {0.0f, 0.75f * radius, 0.0f}));
    for (ShapeDef& shape : body_def.shapes) shape.material.friction = static_cast<float>(top.friction);
    const double mass = 2.0e3 * top.radius * top.radius * top.radius, unit = mass * top.radius * top.radius;
    body_def.mass_properties = MassProperties{static_cast<float>(mass),
                                              {0.0f, static_cast<float>(-top.apart * top.radius), 0.0f},
                                              mat3(static_cast<float>(top.transverse * unit))};
    body_def.mass_properties->inertia[1][1] = static_cast<float>(top.axial * unit);
    body_def.position.y = radius;
    body_def.rotation = turn({0, 0, 1}, -top.tilt);
    body_def.angular_velocity = static_cast<float>(top.spin) * rotate(body_def.rotation, {0, 1, 0});
    const BodyId id = add(world, body_def);
    const auto energy = [&] {
        const vec3 v = world.linear_velocity(id), w = world.angular_velocity(id);
        return 0.5 * mass * static_cast<double>(glm::dot(v, v)) +
               0.5 * static_cast<double>(glm::dot(w, world.inertia(id) * w)) + mass * g * world.center_of_mass(id).y;
    };
    const double start = energy();
    Run result;
    for (int i = 0; i * static_cast<double>(frame) < seconds; ++i) {
        run(world, 1);
        const double up = rotate(world.rotation(id), {0, 1, 0}).y;
        if (up < 0.0 && result.turned == limit) result.turned = (i + 1) * static_cast<double>(frame);
        result.least = std::min(result.least, up);
        result.most_energy = std::max(result.most_energy, energy() / start);
    }
    return result;
}

}  // namespace

TEST_CASE("a tippe top turns over, and when it should" * doctest::test_suite("slow")) {
    // The contact's friction stopped the rotation however fast the top slid, and the slip however fast it rotated. So
    // it rolled, or had lost its angular velocity before it was over. And a ball of 2 cm had a contact disc of 9 mm.
    double worst = 0.0;
    const auto check = [&worst](const Top& top) {
        CAPTURE(top.radius);
        CAPTURE(top.friction);
        CAPTURE(top.spin);
        CAPTURE(top.tilt);
        const double patch = std::min(0.0005, 0.002 * top.radius);  // as deep as that (settings.h)
        const double expected = time_to_turn(top, 2.0 / 3.0 * std::sqrt(2.0 * top.radius * patch));
        REQUIRE(expected < limit);
        for (const bool has_stem : {false, true}) {
            CAPTURE(has_stem);
            const Run result = run_top(top, has_stem, limit);
            CHECK(result.turned == doctest::Approx(expected).epsilon(0.1));
            worst = std::max(worst, std::abs(result.turned / expected - 1.0));
            CHECK(result.most_energy < 1.001);
        }
    };
    for (const double radius : {0.02, 0.05, 0.1}) {
        for (const double friction : {0.3, 0.6}) {
            Top top{.radius = radius, .friction = friction};
            for (const double times : {1.5, 2.0}) {
                top.spin = times * least_spin(top);
                check(top);
            }
        }
    }
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Top top{.radius = static_cast<double>(random.between(0.02f, 0.08f)),
                .apart = static_cast<double>(random.between(0.2f, 0.35f)),
                .friction = static_cast<double>(random.between(0.3f, 0.5f)),
                .tilt = static_cast<double>(random.between(0.05f, 0.2f))};
        top.spin = static_cast<double>(random.between(1.7f, 2.2f)) * least_spin(top);
        check(top);
    }
    hold("tippe top, time to turn over", worst);
}

TEST_CASE("a fast tippe top ends on its stem") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Top top{.radius = static_cast<double>(random.between(0.03f, 0.08f)),
                .tilt = static_cast<double>(random.between(0.08f, 0.2f))};
        top.spin = static_cast<double>(random.between(4.2f, 5.0f)) * least_spin(top);
        const Run result = run_top(top, true, 10.0);
        CHECK(result.least < -0.95);
        CHECK(result.most_energy < 1.001);
    }
}
