/// A car on four wheel joints: it drives off, turns left and brakes. docs/joints.md explains it.
#include <talus/talus.h>

#include <cmath>
#include <cstdio>

struct Car {
    talus::BodyId chassis;
    talus::JointId wheels[4];  // front left, front right, rear left, rear right
};

/// Returns the frequency to give to a suspension so that the car bounces on it at `ride` Hz. A spring's frequency is for
/// the chassis and one wheel alone. In a car, each wheel carries a quarter of the chassis.
float suspension_hertz(float ride, float chassis, float wheel) {
    const float effective_mass = chassis * wheel / (chassis + wheel);
    return ride * std::sqrt(0.25f * chassis / effective_mass);
}

/// Adds a car whose wheels stand on y = 0. It looks along +z, so its left is +x.
Car add_car(talus::World& world) {
    constexpr float radius = 0.35f, half_track = 0.8f, half_base = 1.3f, ride = 1.5f;  // m; Hz
    Car car;
    car.chassis = world.add_body({.shape = talus::box({0.7f, 0.25f, 2.0f}), .position = {0, 0.65f, 0}, .density = 400});
    for (int i = 0; i < 4; ++i) {
        const bool front = i < 2, left = i % 2 == 0;
        const talus::dvec3 place(left ? half_track : -half_track, radius, front ? half_base : -half_base);
        talus::BodyDef def{.shape = talus::cylinder(0.1f, radius), .position = place, .density = 500};
        def.rotation = {0.7071068f, 0.0f, 0.0f,
                        0.7071068f};  // a cylinder stands along y; turned about z, it lies along x
        def.material.friction = 1.5f;
        const talus::BodyId wheel = world.add_body(def);

        talus::WheelDef joint;
        joint.frames = world.joint_frames(car.chassis, wheel, place, {1, 0, 0});  // x: the axle; y stays up
        joint.travel = {-0.15f, 0.15f};
        joint.suspension.hertz = suspension_hertz(ride, world.mass(car.chassis), world.mass(wheel));
        joint.suspension.damping_ratio = 0.7f;
        // Under the chassis, the spring gives by g / (2 pi f)^2. Its target lies lower by as much.
        joint.suspension.target = -9.81f / std::pow(6.2831853f * ride, 2.0f);
        if (front) {
            joint.steering = {-0.6f, 0.6f};
            joint.steering_servo = {.hertz = 20.0f, .damping_ratio = 1.0f, .target = 0.0f};
        }
        car.wheels[i] = world.add_joint(joint);
    }
    return car;
}

/// Drives the rear wheels at a speed (m/s), with up to `torque` (N m) each. A positive angle (rad) steers to the left.
void drive(talus::World& world, const Car& car, float speed, float torque, float angle) {
    for (int i = 0; i < 4; ++i) {
        if (i < 2) {
            const talus::JointSpring servo{.hertz = 20.0f, .damping_ratio = 1.0f, .target = angle};
            world.set_joint_spring(car.wheels[i], servo, talus::JointAxis::turn_y);
        } else {
            world.set_joint_motor(car.wheels[i], {.speed = speed / 0.35f, .max_force = torque});
        }
    }
}

int main() {
    talus::World world;
    world.add_body({.type = talus::BodyType::fixed, .shape = talus::box({200, 1, 200}), .position = {0, -1, 0}});
    const Car car = add_car(world);
    if (world.joint_count() != 4) {  // a refused call returns a null handle, and says why
        std::fprintf(stderr, "%s\n", world.last_error().message.c_str());
        return 1;
    }
    const auto run = [&](const char* what, int steps) {
        for (int i = 0; i < steps; ++i) world.step(1.0f / 60.0f);
        const talus::vec3 ahead = glm::mat3_cast(world.rotation(car.chassis)) * talus::vec3(0, 0, 1);
        std::printf("%-7s %4.1f m/s, heading %2ld degrees to the left, front left wheel at %+.3f m and %+.2f rad\n",
                    what, glm::length(world.linear_velocity(car.chassis)),
                    std::lround(glm::degrees(std::atan2(ahead.x, ahead.z))),
                    world.joint_coordinate(car.wheels[0], talus::JointAxis::move_y),
                    world.joint_coordinate(car.wheels[0], talus::JointAxis::turn_y));
    };
    run("stands", 120);
    drive(world, car, 10.0f, 400.0f, 0.0f);
    run("drives", 240);
    drive(world, car, 10.0f, 400.0f, 0.2f);
    run("turns", 120);
    drive(world, car, 0.0f, 1000.0f, 0.0f);
    run("brakes", 240);
}
