/// The redundant arm of samples/scenes/kit/robot_arm.h: its kinematics against plain trigonometry and finite differences,
/// its motion against the narrowphase's brute-force oracle, which shares nothing with the queries it was planned on.

#include "samples/scenes/kit/robot_arm.h"
#include "samples/scenes/scene.h"
#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace talus;
using namespace talus::samples;
using glm::dvec3;

namespace {

constexpr double pi = 3.14159265358979324;

ArmTask task_of_the_paper() {
    auto task = papers_task();
    REQUIRE(task);
    return *task;
}

std::vector<ArmPose> plan(const ArmTask& task, const ArmDistances& distances) {
    auto motion = plan_motion(task, distances);
    REQUIRE_MESSAGE(static_cast<bool>(motion), motion.error().message);
    REQUIRE(motion->size() == static_cast<std::size_t>(task.steps()) + 1);
    return *motion;
}

dvec3 hand_at(const ArmAngles& angles) { return arm_frames(angles)[arm_joints].position; }

/// Checks the Jacobian's columns, one per joint, against central differences of the hand's place.
template <class Columns, class Hand>
void check_jacobian(const Columns& columns, const ArmAngles& q, std::size_t joints, const Hand& hand) {
    for (std::size_t k = 0; k < joints; ++k) {
        constexpr double h = 1e-5;
        ArmAngles above = q, below = q;
        above[k] += h;
        below[k] -= h;
        CHECK(glm::distance(columns[k], (hand(above) - hand(below)) / (2.0 * h)) < 1e-9);
    }
}

/// The least signed distance over all pairs at each pose.
std::vector<double> clearances_by_oracle(const ArmTask& task, const std::vector<ArmPose>& motion) {
    std::vector<oracle::Solid> parts, obstacles;
    for (const ArmPart& part : task.parts) parts.push_back(oracle::make_solid(part.shape));
    for (const ArmObstacle& obstacle : task.obstacles) obstacles.push_back(oracle::make_solid(obstacle.shape));
    std::vector<double> result;
    for (const ArmPose& pose : motion) {
        const ArmFrames frames = arm_frames(pose.angles, task.joints);
        double least = 1e300;
        for (std::size_t o = 0; o < obstacles.size(); ++o) {
            for (std::size_t p = 0; p < parts.size(); ++p) {
                const oracle::Pose at(part_in_obstacle(task, frames, p, o));
                // The oracle's plain bound first: balls that are farther apart than the least so far.
                const double apart = glm::distance(obstacles[o].center, at.position + at.rotation * parts[p].center);
                if (apart - obstacles[o].size - parts[p].size > least) continue;
                least = std::min(least, oracle::signed_distance_by_features(obstacles[o], parts[p], at).separation);
            }
        }
        result.push_back(least);
    }
    return result;
}

}  // namespace

TEST_CASE("the arm's hand is where the paper says that it is") {
    const ArmTask task = task_of_the_paper();
    CHECK(glm::distance(hand_at(task.start), dvec3(0.0, -0.0804, 2.3)) < 5e-5);  // four digits are given
    CHECK(glm::distance(task.path.back(), dvec3(0.0, -0.7877, 3.1918)) < 1e-12);
}

TEST_CASE("the arm's frames agree with plain trigonometry and the Jacobian with finite differences") {
    test::Random random(1);
    for (int i = 0; i < 200; ++i) {
        const ArmAngles q{random.between(-7, 7), random.between(-7, 7), random.between(-7, 7), random.between(-7, 7)};
        const double a = q[1], b = a + q[2], c = b + q[3];
        const double reach = -(std::sin(a) + 0.6 * std::sin(b) + 0.4 * std::sin(c));
        const double height = 2.0 + std::cos(a) + 0.6 * std::cos(b) + 0.4 * std::cos(c);
        CHECK(glm::distance(hand_at(q), dvec3(-std::sin(q[0]) * reach, std::cos(q[0]) * reach, height)) < 1e-12);
        const auto columns = hand_jacobian(arm_frames(q));
        check_jacobian(columns, q, arm_joints, hand_at);
    }
}

TEST_CASE("the arm's distances grow with its joints as finite differences say") {
    const ArmTask task = task_of_the_paper();
    const ArmDistances distances = production_distances(task, false);
    const auto ask = [&](const ArmAngles& q) {
        const ArmFrames frames = arm_frames(q);
        std::vector<MatrixTransform> poses;
        for (std::size_t i = 0; i < task.pairs(); ++i)
            poses.push_back(part_in_obstacle(task, frames, i % task.parts.size(), i / task.parts.size()));
        std::vector<ArmDistance> answers(task.pairs());
        distances(poses, answers);
        return answers;
    };
    test::Random random(2);
    int checked = 0;
    double worst = 0.0;
    for (int i = 0; i < 100; ++i) {
        const ArmAngles q{random.between(-1, 1), random.between(0, 2), random.between(-2, 0), random.between(-2, 0)};
        const ArmFrames frames = arm_frames(q);
        const std::vector<ArmDistance> here = ask(q);
        for (std::size_t k = 0; k < arm_joints; ++k) {
            constexpr double h = 1e-3;  // frames are of floats
            ArmAngles above = q, below = q;
            above[k] += h;
            below[k] -= h;
            const std::vector<ArmDistance> up = ask(above), down = ask(below);
            for (std::size_t p = 0; p < task.pairs(); ++p) {
                const std::size_t part = p % task.parts.size(), obstacle = p / task.parts.size();
                if (here[p].distance < 0.05) continue;
                const double slope = distance_gradient(task, frames, part, obstacle, here[p])[k];
                const double difference = (up[p].distance - down[p].distance) / (2.0 * h);
                // At a kink, where another pair of features takes over, it is between the slopes of either side.
                const double before = (here[p].distance - down[p].distance) / h;
                const double after = (up[p].distance - here[p].distance) / h;
                if (std::abs(after - before) > 0.02) continue;
                ++checked;
                worst = std::max(worst, std::abs(slope - difference));
            }
        }
    }
    CHECK(checked > 6000);
    CHECK(worst < 0.012);
}

TEST_CASE("the arm keeps to its path and clear of the pyramids by the oracle at each step") {
    const ArmTask task = task_of_the_paper();
    const std::vector<ArmPose> motion = plan(task, production_distances(task));
    const std::vector<double> truth = clearances_by_oracle(task, motion);
    double least = 1e300, farthest_off = 0.0, worst_claim = 0.0;
    for (std::size_t i = 0; i < motion.size(); ++i) {
        least = std::min(least, truth[i]);
        worst_claim = std::max(worst_claim, std::abs(truth[i] - motion[i].clearance));
        const dvec3 wanted = task.on_path(static_cast<int>(i));
        farthest_off = std::max(farthest_off, glm::distance(hand_at(motion[i].angles), wanted));
    }
    CHECK(least > 0.25);
    CHECK(worst_claim < 1e-5);
    CHECK(farthest_off < 2e-4);
    CHECK(glm::distance(hand_at(motion.back().angles), task.path.back()) < 1e-4);
}

TEST_CASE("without its potential field the arm runs into a pyramid") {
    ArmTask task = task_of_the_paper();
    task.gain = 0.0;
    const std::vector<ArmPose> motion = plan(task, production_distances(task));
    const std::vector<double> truth = clearances_by_oracle(task, motion);
    CHECK(*std::min_element(truth.begin(), truth.end()) < -0.05);
    CHECK(std::count_if(truth.begin(), truth.end(), [](double d) { return d < 0.0; }) > 300);
    // The planner knows.
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (std::abs(truth[i]) > 1e-5) CHECK((motion[i].clearance == 0.0) == (truth[i] < 0.0));
    }
}

TEST_CASE("all distance methods give the arm the same motion") {
    const ArmTask task = task_of_the_paper();
    const std::vector<ArmPose> production = plan(task, production_distances(task));
    CHECK(largest_difference(production, plan(task, production_distances(task, false))) < 1e-6);
    for (int simplex = 0; simplex < simplex_method_count; ++simplex) {
        for (int support = 0; support < support_method_count; ++support) {
            for (int start = 0; start < start_method_count; ++start) {
                GjkMethods methods{SimplexMethod(simplex), SupportMethod(support), StartMethod(start)};
                methods.gap = 1e-12;  // within a millionth of the distance its direction may still be off by 1e-3
                const std::string name = std::string(name_of(methods.simplex)) + ", " + name_of(methods.support) +
                                         ", " + name_of(methods.start);
                CAPTURE(name);
                ArmQueryCounts counts;
                auto distances = variant_distances(task, methods, &counts);
                REQUIRE(distances);
                CHECK(largest_difference(production, plan(task, *distances)) < 1e-6);
                CHECK(counts.queries == static_cast<long>(production.size() * task.pairs()));
                if (methods.simplex != SimplexMethod::discard_and_add) CHECK(counts.failures == 0);
            }
        }
    }
}

TEST_CASE("among obstacles anywhere the arm keeps to its path and its clearance is the oracle's") {
    const ArmTask standard = task_of_the_paper();
    test::Random random(3);
    int hits = 0;
    double farthest_off = 0.0;
    for (int i = 0; i < 12; ++i) {
        CAPTURE(i);
        ArmTask task = standard;
        for (ArmObstacle& obstacle : task.obstacles) {
            obstacle.position.y = static_cast<float>(random.between(-1.5, 0.5));
            obstacle.position.z += static_cast<float>(random.between(-0.5, 0.5));
        }
        const std::vector<ArmPose> motion = plan(task, production_distances(task));
        std::vector<ArmPose> some;
        for (std::size_t k = 0; k < motion.size(); k += 40) some.push_back(motion[k]);
        for (const ArmPose& pose : motion) farthest_off = std::max(farthest_off, pose.off_path);
        const std::vector<double> truth = clearances_by_oracle(task, some);
        for (std::size_t k = 0; k < some.size(); ++k) {
            CHECK(std::abs(std::max(0.0, truth[k]) - some[k].clearance) < 1e-5);
            hits += truth[k] < 0.0;
        }
    }
    CHECK(hits > 0);
    CHECK(farthest_off < 4e-3);
    MESSAGE(hits << " poses in an obstacle, at most " << farthest_off << " m off the path");
}

TEST_CASE("an arm of more links starts in the same shape and its Jacobian agrees with finite differences") {
    const ArmTask standard = task_of_the_paper();
    test::Random random(4);
    for (int pieces = 1; pieces <= 5; ++pieces) {
        CAPTURE(pieces);
        const auto task = varied_task({.pieces = pieces});
        REQUIRE(task);
        const std::size_t joints = task->joints.size();
        CHECK(joints == static_cast<std::size_t>(1 + 3 * pieces));
        CHECK(task->parts.size() == 2 * joints + 1);
        CHECK(glm::distance(task->path[0], standard.path[0]) < 1e-12);
        // The ends of the paper's links are where they were.
        const ArmFrames frames = arm_frames(task->start, task->joints), whole = arm_frames(standard.start);
        for (std::size_t link = 1; link <= arm_joints; ++link) {
            const std::size_t end = 1 + (link - 1) * static_cast<std::size_t>(pieces);
            CHECK(glm::distance(frames[end].position, whole[link].position) < 1e-12);
        }
        ArmAngles q{};
        for (std::size_t k = 0; k < joints; ++k) q[k] = random.between(-2, 2);
        const auto hand = [&](const ArmAngles& angles) { return arm_frames(angles, task->joints)[joints].position; };
        const auto columns = hand_jacobian(arm_frames(q, task->joints), joints);
        check_jacobian(columns, q, joints, hand);
    }
}

TEST_CASE("arms of more links keep to the path and clear of the pyramids by the oracle") {
    for (const int pieces : {2, 5}) {
        CAPTURE(pieces);
        const auto task = varied_task({.pieces = pieces});
        REQUIRE(task);
        const std::vector<ArmPose> motion = plan(*task, production_distances(*task));
        std::vector<ArmPose> some;
        for (std::size_t k = 0; k < motion.size(); k += 40) some.push_back(motion[k]);
        const std::vector<double> truth = clearances_by_oracle(*task, some);
        for (std::size_t k = 0; k < some.size(); ++k) CHECK(std::abs(truth[k] - some[k].clearance) < 1e-5);
        CHECK(*std::min_element(truth.begin(), truth.end()) > 0.2);
        const std::size_t joints = task->joints.size();
        for (std::size_t k = 0; k < motion.size(); ++k) {
            const dvec3 hand = arm_frames(motion[k].angles, task->joints)[joints].position;
            CHECK(glm::distance(hand, task->on_path(static_cast<int>(k))) < 2e-3);
        }
    }
}

TEST_CASE("obstacles aside of the arm change none of its motion, and those moved away let it go nearer to its own") {
    const ArmTask standard = task_of_the_paper();
    const std::vector<ArmPose> motion = plan(standard, production_distances(standard));
    for (const int number : {3, 8, 64}) {
        const auto task = varied_task({.obstacles = number});
        REQUIRE(task);
        CHECK(task->obstacles.size() == static_cast<std::size_t>(number));
        const std::vector<ArmPose> same = plan(*task, production_distances(*task));
        CHECK(largest_difference(motion, same) == 0.0);
        for (std::size_t k = 0; k < motion.size(); ++k) CHECK(same[k].clearance == motion[k].clearance);
    }
    // Out of the potential's reach the arm takes the shortest motion of its joints.
    ArmTask blind = standard;
    blind.gain = 0.0;
    const auto far = varied_task({.aside = 4.0});
    REQUIRE(far);
    CHECK(largest_difference(plan(blind, production_distances(blind)), plan(*far, production_distances(*far))) == 0.0);
    CHECK(largest_difference(motion, plan(*far, production_distances(*far))) > 0.1);
}

TEST_CASE("variations of the arm out of range are refused") {
    for (const ArmVariation& bad :
         {ArmVariation{.pieces = 0}, ArmVariation{.pieces = 6}, ArmVariation{.obstacles = 0},
          ArmVariation{.obstacles = 65}, ArmVariation{.aside = -0.1}, ArmVariation{.aside = std::nan("")}}) {
        const auto task = varied_task(bad);
        REQUIRE_FALSE(task);
        CHECK(task.error().code == ErrorCode::bad_argument);
    }
    ArmTask task = task_of_the_paper();
    task.joints.resize(most_arm_joints + 1, task.joints.back());
    CHECK_FALSE(plan_motion(task, production_distances(task)));
}

TEST_CASE("an arm that cannot give its hand the velocity is refused") {
    ArmTask task = task_of_the_paper();
    task.path = {task.path[0], {0.0, -4.0, 2.3}};  // its reach is 2
    const auto motion = plan_motion(task, production_distances(task));
    REQUIRE_FALSE(motion);
    CHECK(motion.error().message.find("stretched") != std::string::npos);
    task = task_of_the_paper();
    task.start = {0.0, 0.5 * pi, 0.0, 0.0};
    task.path = {hand_at(task.start), hand_at(task.start) - dvec3(0.0, 1.0, 0.0)};
    CHECK_FALSE(plan_motion(task, production_distances(task)));
    task = task_of_the_paper();
    task.speed = 0.0;
    CHECK_FALSE(plan_motion(task, production_distances(task)));
}

TEST_CASE("the robot's bodies carry out what was planned") {
    const auto scene = find_scene("robot")->make({});
    REQUIRE(scene);
    World world = make_world(*scene);
    Figures figures(*scene);
    for (int i = 0; i < find_scene("robot")->steps; ++i) {
        REQUIRE(step_scene(world, *scene, i));
        REQUIRE(world.contacts().empty());  // the piece touches nothing, the arm neither
        figures.observe(world);
    }
    const std::vector<double> values = figures.values();
    CHECK(values[0] < 2e-4);
    CHECK(values[1] > 0.25);
    const ArmTask task = task_of_the_paper();
    const dvec3 end = task.path.back();
    CHECK(glm::distance(world.position(world.bodies().back()), dvec3(end.y, end.z, end.x)) < 2e-4);
}
