/// The limits in docs/limits.md, measured with separate seeds. Other tests measure the rest of its rows (limits.h).

#include "tests/engine/limits.h"

#include "samples/soak/random_world.h"
#include "samples/soak/soak.h"
#include "tests/engine/joints/joints.h"
#include "tests/engine/meshes/mesh_rooms.h"

#include "engine/settings.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

using namespace talus;
using namespace talus::test;

namespace {

/// Drops a body by 1 to 2 m onto a floor in 16 poses. Returns the largest energy that it had later, over that at the
/// start.
double energy_of_drops(const Shape& shape, float restitution, std::uint64_t seed) {
    Random random(seed);
    double most = 0.0;
    for (int i = 0; i < 16; ++i) {
        World world(sleepless());
        BodyDef floor = ground();
        floor.material.restitution = restitution;
        add(world, floor);
        BodyDef def = body(shape, {0.0f, random.between(1.0f, 2.0f), 0.0f});
        def.rotation = random.rotation();
        def.angular_velocity = 3.0f * random.direction();
        def.material.restitution = restitution;
        add(world, def);
        const double start = energy(world);
        for (int k = 0; k < 180; ++k) {
            run(world, 1);
            most = std::max(most, energy(world) / start);
        }
    }
    return most;
}

const Material elastic{0.0f, 1.0f};  // without friction

/// Walls around the origin at a distance of `half` (m).
void add_smooth_room(World& world, float half) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float side : {-1.0f, 1.0f}) {
            vec3 place(0.0f), size(half + 2.0f);
            place[axis] = side * (half + 1.0f);
            size[axis] = 1.0f;
            BodyDef wall = fixed_body(box(size), place);
            wall.material = elastic;
            add(world, wall);
        }
    }
}

/// The fraction of their energy that 24 elastic bodies still have after 20 s in a smooth, weightless room of 4 m.
double energy_kept_by_a_crowd(const Shape& shape) {
    double least = 1.0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Random random(5150 + seed);
        World world(weightless());
        add_smooth_room(world, 2.0f);
        std::vector<BodyId> ids;
        for (int i = 0; i < 24; ++i) {
            BodyDef def = body(shape, 1.2f * vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
            def.linear_velocity = 5.0f * random.direction();
            def.angular_velocity = 5.0f * random.direction();
            def.material = elastic;
            ids.push_back(add(world, def));
        }
        const auto energy = [&] {
            double sum = 0.0;
            for (const BodyId id : ids) sum += kinetic_energy(world, id);
            return sum;
        };
        const double start = energy();
        run(world, 1200);
        least = std::min(least, energy() / start);
    }
    return least;
}

/// An elastic stick in a smooth, weightless room of 2 m, for 20 s.
double energy_in_a_room(float dt, int substeps) {
    double most = 0.0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Random random(5100 + seed);
        WorldDef settings = weightless();
        settings.substeps = substeps;
        World world(settings);
        add_smooth_room(world, 1.0f);
        BodyDef def = body(box({0.2f, 0.01f, 0.01f}));
        def.rotation = random.rotation();
        def.linear_velocity = 5.0f * random.direction();
        def.angular_velocity = 10.0f * random.direction();
        def.material = elastic;
        const BodyId id = add(world, def);
        const double start = kinetic_energy(world, id);
        for (double time = 0.0; time < 20.0; time += static_cast<double>(dt)) {
            run(world, 1, dt);
            most = std::max(most, kinetic_energy(world, id) / start);
        }
    }
    return most - 1.0;
}

struct Drift {
    double energy = 0.0, momentum = 0.0;  ///< largest change, over the value at the start
};

/// Boxes of any proportions up to 1 to 30 that rotate by this much per sub-step, for 10 s.
Drift drift_of_rotation(float turn_per_substep) {
    Drift drift;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(5200 + seed);
        World world(weightless());
        const float size = random.between(0.1f, 1.0f);
        BodyDef def = body(box({size, size * random.between(1.0f / 30.0f, 1.0f), size * random.between(0.1f, 1.0f)}));
        def.rotation = random.rotation();
        def.angular_velocity = 240.0f * turn_per_substep * random.direction();
        const BodyId id = add(world, def);
        const double then = kinetic_energy(world, id);
        const glm::dvec3 momentum = spin_momentum(world, id);
        for (int k = 0; k < 600; ++k) {
            run(world, 1);
            drift.energy = std::max(drift.energy, std::abs(kinetic_energy(world, id) / then - 1.0));
            drift.momentum =
                std::max(drift.momentum, glm::length(spin_momentum(world, id) - momentum) / glm::length(momentum));
        }
    }
    return drift;
}

struct Landing {
    double spin = 0.0, aside = 0.0;  ///< rad/s, mm
};

/// Boxes that land flat from up to 5 m.
Landing flat_landing(const BodyDef& floor) {
    Landing worst;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Random random(5300 + seed);
        World world(sleepless());
        add(world, floor);
        const vec3 half(random.between(0.1f, 1.0f), random.between(0.05f, 0.5f), random.between(0.1f, 1.0f));
        BodyDef def = body(box(half), {0.0f, random.between(0.5f, 5.0f) + half.y, 0.0f});
        def.rotation = turn({0, 1, 0}, static_cast<double>(random.between(0.0f, 3.0f)));
        const BodyId id = add(world, def);
        for (int i = 0; i < 150; ++i) {
            run(world, 1);
            worst.spin = std::max<double>(worst.spin, glm::length(world.angular_velocity(id)));
        }
        worst.aside = std::max(worst.aside, 1000.0 * distance_xz(world.position(id), dvec3(0.0)));
    }
    return worst;
}

/// A tower of boxes, each displaced by up to `jitter`; the last one is `ratio` times as heavy. Returns the largest
/// displacement, m.
double stray_of_tower(int height, float jitter, float ratio, std::uint64_t seed, int steps, float apart = 0.0f) {
    Random random(seed);
    World world(sleepless());
    add(world, ground());
    std::vector<BodyId> ids;
    std::vector<dvec3> places;
    for (const float side : {-1.0f, 1.0f}) {
        if (apart == 0.0f && side > 0.0f) break;
        for (int i = 0; i < height; ++i) {
            const float x = random.between(-jitter, jitter), z = random.between(-jitter, jitter);
            places.push_back({side * 0.5f * apart + x, 0.5f + static_cast<float>(i), z});
            BodyDef def = crate(places.back());
            if (i == height - 1) def.density = 1000.0f * ratio;
            ids.push_back(add(world, def));
        }
    }
    return farthest_stray(world, ids, places, steps);
}

double sinking(float ratio) {
    double most = 0.0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
        most = std::max(most, stray_of_tower(2, 0.01f, ratio, 5400 + seed, 300));
    return 1000.0 * most;
}

/// Whether a body that falls at `speed` (m/s) onto the middle of a plank is below the plank a second later. The plank
/// is `ratio` times lighter and lies on two supports.
bool passes_through_plank(const Shape& shape, float thick, float ratio, float speed, float height,
                          Continuous continuous) {
    World world;
    add(world, ground());
    for (const float side : {-0.75f, 0.75f}) add(world, fixed_body(box({0.05f, 0.4f, 0.2f}), {side, 0.4f, 0.0f}));
    const BodyId plank = add(world, body(box({0.8f, 0.5f * thick, 0.2f}), {0.0f, 0.8f + 0.5f * thick, 0.0f}));
    BodyDef def = body(shape, {0.0f, 0.8f + thick + bounding_radius(shape) + height, 0.0f});
    def.linear_velocity.y = -speed;
    def.continuous = continuous;
    const BodyId falling = add(world, def);
    REQUIRE(world.set_mass(falling, ratio * world.mass(plank)));
    run(world, 60);
    const vec3 at = inverse_transform_point(world.transform(plank), world.position(falling));
    return at.y < 0.0f && std::abs(at.x) < 0.8f;
}

/// The fraction that passes through, %: balls, capsules and boxes at each of these speeds, with 2 to 10,000 times the
/// mass of planks of 6 to 50 mm.
double passes_through_planks(std::initializer_list<float> speeds, Continuous continuous) {
    int through = 0, count = 0;
    for (const Shape& shape : {sphere(0.2f), capsule(0.2f, 0.2f), box(vec3(0.2f))}) {
        for (const float thick : {0.006f, 0.02f, 0.05f}) {
            for (const float ratio : {2.0f, 5.0f, 10.0f, 20.0f, 30.0f, 39.0f, 60.0f, 1000.0f, 10000.0f}) {
                for (const float speed : speeds) {
                    for (const float height : {0.3f, 0.35f, 0.4f, 0.45f}) {
                        through += passes_through_plank(shape, thick, ratio, speed, height, continuous) ? 1 : 0;
                        ++count;
                    }
                }
            }
        }
    }
    return 100.0 * through / count;
}

/// Boxes that fall onto the middle of plates of 2 to 50 mm on the ground, 5 to 10,000 times as heavy. Returns the depth
/// that each reaches in the third of a second after it has hit the plate, in plate thicknesses.
std::vector<float> depths_in_plates(bool tilted, int count, std::uint64_t seed) {
    std::vector<float> depths;
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        const float thick = 0.002f * std::pow(25.0f, random.between(0.0f, 1.0f));
        const float ratio = std::pow(10.0f, random.between(0.7f, 4.0f)), wide = random.between(0.25f, 1.0f);
        World world(sleepless());
        add(world, ground());
        const BodyId plate = add(world, body(box({wide, 0.5f * thick, wide}), {0.0f, 0.5f * thick, 0.0f}));
        const float half = random.between(0.2f, 0.5f), from = random.between(0.2f, 3.0f);
        BodyDef def = body(box(vec3(half)), {random.between(-0.1f, 0.1f), thick + 1.75f * half + from, 0.0f});
        if (tilted) def.rotation = random.rotation();
        const BodyId falling = add(world, def);
        REQUIRE(world.set_mass(falling, ratio * world.mass(plate)));
        float deepest = 0.0f;
        for (int step = 0, left = 20; step < 120 && left > 0; ++step) {
            run(world, 1);
            const std::vector<Contact> contacts = world.contacts(falling);
            if (!contacts.empty()) --left;
            for (const Contact& c : contacts) {
                for (int k = 0; k < c.point_count; ++k) deepest = std::max(deepest, -c.points[k].separation);
            }
        }
        depths.push_back(deepest / thick);
    }
    return depths;
}

/// A box with the mass of this many bricks on the middle of a wall in bond, 20 courses high. Returns how far it sinks
/// in 1 s, m.
double sinking_on_wall(float bricks) {
    World world(sleepless());
    add(world, ground());
    const vec3 brick(0.2f, 0.1f, 0.1f);
    for (int course = 0; course < 20; ++course) {
        for (int i = 0; i < 25 - course % 2; ++i) {
            BodyDef def = body(box(brick));
            const float place = static_cast<float>(i) + 0.5f * static_cast<float>(course % 2);
            def.position = {0.401f * (place - 12.0f), 0.1f + 0.2f * static_cast<float>(course), 0.0f};
            add(world, def);
        }
    }
    BodyDef def = body(box({0.8f, 0.1f, 0.1f}));
    def.density *= 0.25f * bricks;
    def.position = {0.0f, 4.1f, 0.0f};
    const BodyId load = add(world, def);
    const std::vector<BodyId> ids = {load};
    const std::vector<dvec3> places = {def.position};
    return farthest_stray(world, ids, places, 60);
}

}  // namespace

TEST_CASE("limits: thin bodies gain no energy" * doctest::test_suite("slow")) {
    hold("needle of 500 x 2 mm that is dropped", energy_of_drops(cylinder(0.25f, 0.001f), 0.0f, 5001));
    hold("needle of 2000 x 1 mm that is dropped", energy_of_drops(cylinder(1.0f, 0.0005f), 0.0f, 5002));
    hold("disc of 500 x 2 mm that is dropped", energy_of_drops(cylinder(0.001f, 0.25f), 0.0f, 5003));
    hold("stick with restitution 0.9 that is dropped", energy_of_drops(box({0.2f, 0.01f, 0.01f}), 0.9f, 5004));
    hold("stick with restitution 1 in a room, 60 Hz", energy_in_a_room(frame, 4));
    hold("stick with restitution 1 in a room, 240 Hz and 16 sub-steps", energy_in_a_room(0.25f * frame, 16));
    hold("24 spheres with restitution 1 in a room, energy after 20 s", energy_kept_by_a_crowd(sphere(0.2f)));
    hold("24 boxes with restitution 1 in a room, energy after 20 s", energy_kept_by_a_crowd(box(vec3(0.2f))));
}

TEST_CASE("limits: spin and free rotation") {
    World world(weightless());
    BodyDef def = body(box({0.3f, 0.1f, 0.2f}));
    def.angular_velocity = {0, 2000, 0};
    const BodyId alone = add(world, def);
    def.position = {5, 0, 0};
    const BodyId hinged = add(world, ghost(def)), wall = anchor_body(world, {5, 0, 0});
    add(world, HingeDef{.frames = world.joint_frames(wall, hinged, {5, 0, 0}, {0, 1, 0})});
    run(world, 1);
    hold("spin", glm::length(world.angular_velocity(alone)));
    hold("spin of bodies on joints", glm::length(world.angular_velocity(hinged)));
    const Drift slow = drift_of_rotation(1.0f), fast = drift_of_rotation(2.5f);
    hold("free rotation at 1 rad per sub-step, energy", slow.energy);
    hold("free rotation at 2.5 rad per sub-step, energy", fast.energy);
    hold("free rotation, angular momentum", std::max(slow.momentum, fast.momentum));
}

/// Returns the part of its speed that a ball on a hinge, 1 m from its centre, has after 2 s. The hinge is on a fixed body,
/// or on the centre of mass of a dynamic one with this mass.
static double speed_left(float radius, float speed, float holder_mass = 0.0f) {
    World world(weightless());
    const BodyDef holder =
        holder_mass > 0.0f ? heavy(sphere(0.5f), {0, 0, 0}, holder_mass) : fixed_body(sphere(0.01f), {0, 0, 0});
    const BodyId post = add(world, ghost(holder));
    BodyDef def = body(sphere(radius), {0, -1, 0});
    def.angular_velocity = {0, 0, speed};
    def.linear_velocity = {speed, 0, 0};
    const BodyId arm = add(world, def);
    add(world, HingeDef{.frames = world.joint_frames(post, arm, {0, 0, 0}, {0, 0, 1})});
    run(world, 120);
    return static_cast<double>(glm::length(world.linear_velocity(arm)) / speed);
}

TEST_CASE("limits: balls that rotate about a joint outside of them") {
    hold("ball on a hinge outside of it, 100 rad/s, speed that is left", speed_left(0.01f, 100.0f));
    hold("ball on a hinge on a dynamic body, speed that is left", speed_left(0.1f, 10.0f, 4000.0f));
}

TEST_CASE("limits: a box that is dropped flat") {
    const Landing slab = flat_landing(ground());
    hold("box dropped flat on a slab, spin", slab.spin);
    hold("box dropped flat on a slab, sideways displacement", slab.aside);
    BodyDef triangles = walls({8.0f, 8.0f, 8.0f}, 20, false);
    triangles.position = {0.13f, 8.0f, 0.29f};
    const Landing mesh = flat_landing(triangles);
    hold("box dropped flat on triangles of 0.8 m, spin", mesh.spin);
    hold("box dropped flat on triangles of 0.8 m, sideways displacement", mesh.aside);
}

TEST_CASE("limits: heavy on light, and towers" * doctest::test_suite("slow")) {
    hold("box on one 1,000,000 times lighter", sinking(1e6f));
    hold("box on one 10,000,000,000 times lighter", sinking(1e10f));
    const std::vector<float> flat = depths_in_plates(false, 100, 5700), tilted = depths_in_plates(true, 100, 5701);
    hold("box that falls flat onto a plate", *std::max_element(flat.begin(), flat.end()));
    hold("boxes that fall tilted onto a plate and crush it",
         static_cast<double>(std::count_if(tilted.begin(), tilted.end(), [](float d) { return d > 0.25f; })));
    hold("bodies that fall onto a plank on two supports and pass through it",
         passes_through_planks({3.0f, 6.0f, 9.0f, 12.0f}, Continuous::fixed));
    hold("bullets that pass through a plank on two supports",
         passes_through_planks({15.0f, 30.0f, 60.0f, 100.0f}, Continuous::all));
    double tower = 0.0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        tower = std::max(tower, stray_of_tower(100, 0.005f, 1.0f, 5500 + seed, 600));
    hold("tower of 100 boxes for 10 s", 1000.0 * tower);
    hold("two towers of 50 boxes side by side for 10 s", 1000.0 * stray_of_tower(50, 0.005f, 1.0f, 5600, 600, 1.002f));
    hold("load on a wall of 490 bricks", 1000.0 * std::max(sinking_on_wall(1e3f), sinking_on_wall(1e4f)));
}

TEST_CASE("limits: energy of impacts in plain random worlds" * doctest::test_suite("slow")) {
    int gained = 0;
    const samples::SoakOptions options{.checks = samples::bit_of(samples::SoakCheck::energy) |
                                                 samples::bit_of(samples::SoakCheck::momentum)};
    for (std::uint64_t seed = 7001; seed <= 7100; ++seed)
        gained += samples::run_soak(samples::random_world(seed, samples::soak_sensors), options).failure ? 1 : 0;
    hold("plain random worlds that gain energy or momentum", gained);
}

TEST_CASE("each limit of docs/limits.md is measured by a test") {
    std::string sources;
    for (const auto& file : std::filesystem::recursive_directory_iterator("tests/engine")) {
        if (file.path().extension() != ".cpp") continue;
        std::ifstream in(file.path());
        sources.append(std::istreambuf_iterator<char>(in), {});
    }
    const std::vector<LimitRow> rows = limit_rows();
    CHECK(rows.size() >= 40);
    for (const LimitRow& row : rows) {
        CAPTURE(row.name);
        CHECK((sources.find("hold(\"" + row.name + "\"") != std::string::npos ||
               sources.find("check_sleep(\"" + row.name + "\"") != std::string::npos));
    }
}
