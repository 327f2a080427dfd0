#include "samples/scenes/kit/robot_arm.h"

#include <talus/narrowphase/gjk.h>

#include <glm/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus::samples {

namespace {

using glm::dmat3;
using glm::dvec3;

constexpr double half_pi = 1.5707963267948966;
constexpr double degree = half_pi / 90.0;

// Sizes of the parts, m.
constexpr double link_radius = 0.06, joint_radius = 0.09, joint_half_length = 0.09;
constexpr double base_radius = 0.14, base_half_height = 0.1;
constexpr vec3 piece_half_extents(0.04f, 0.04f, 0.14f);  // a bar along the last joint's axis

/// Of a joint in a step, rad, to move the hand: an arm that would have to turn faster is about to be stretched.
constexpr double most_turn = 0.25;
/// And to get away from obstacles: after a jump the hand would be off its path by the square of it.
constexpr double most_free_turn = 0.05;

constexpr ArmJoint rows_of_the_paper[arm_joints] = {
    {1, 2.0, 0.0, 1}, {1, 0.0, 1.0, 0}, {0, 0.0, 0.6, 0}, {0, 0.0, 0.4, 0}};

struct SineCosine {
    double sine, cosine;
};

/// To double rounding for angles of a few turns: whole right angles come off, the rest is at most pi / 4 and goes into
/// Taylor's polynomials.
SineCosine sine_cosine(double angle) {
    const double quarters = std::floor(angle / half_pi + 0.5);
    const double x = angle - quarters * half_pi, x2 = x * x;
    double sine = 1.0, cosine = 1.0;
    for (int n = 16; n >= 2; n -= 2) {  // up to x^17
        sine = 1.0 - sine * x2 / (n * (n + 1));
        cosine = 1.0 - cosine * x2 / (n * (n - 1));
    }
    sine *= x;
    switch (static_cast<int>(quarters) & 3) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

/// A hexadecagonal prism along z.
Result<Shape> prism(double radius, double half_length) {
    std::vector<vec3> points;
    for (int i = 0; i < 16; ++i) {
        const SineCosine at = sine_cosine(i * half_pi / 4.0);
        for (const double z : {-half_length, half_length})
            points.push_back(vec3(dvec3(radius * at.cosine, radius * at.sine, z)));
    }
    const auto made = make_hull(points);
    if (!made) return made.error();
    return hull(*made);
}

/// A pyramid on a square, from the middle of its base: `up` is from there to the apex. Turned by the angle of 3, 4
/// and 5, so that no edge of it lies along the arm.
Result<Shape> pyramid(double half_width, double up) {
    std::vector<vec3> points{vec3(dvec3(0.0, 0.0, up))};
    for (const double x : {-half_width, half_width})
        for (const double y : {-half_width, half_width})
            points.push_back(vec3(dvec3(0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, 0.0)));
    const auto made = make_hull(points);
    if (!made) return made.error();
    return hull(*made);
}

Error add_prism(ArmTask& task, int link, double radius, double half_length, const dvec3& middle, const quat& rotation) {
    const Result<Shape> shape = prism(radius, half_length);
    if (!shape) return shape.error();
    task.parts.push_back({link, *shape, {vec3(middle), rotation}});
    return {};
}

Error add_arm(ArmTask& task) {
    constexpr float root = 0.70710678f;
    const quat along_x(root, 0.0f, root, 0.0f), along_y(root, -root, 0.0f, 0.0f), along_z(1.0f, 0.0f, 0.0f, 0.0f);
    const int joints = static_cast<int>(task.joints.size());
    for (int link = 1; link <= joints; ++link) {
        const ArmJoint& row = task.joints[static_cast<std::size_t>(link - 1)];
        const bool upright = row.d > 0.0;  // then the link is frame k's -y, else its -x
        const double half = 0.5 * std::max(row.d, row.a);
        const dvec3 back = upright ? dvec3(0.0, -1.0, 0.0) : dvec3(-1.0, 0.0, 0.0);
        if (Error e = add_prism(task, link, link_radius, half, half * back, upright ? along_y : along_x)) return e;
        // The joint that it turns about.
        const Error e = upright ? add_prism(task, link, base_radius, base_half_height,
                                            (2.0 * half - base_half_height) * back, along_y)
                                : add_prism(task, link, joint_radius, joint_half_length, 2.0 * half * back, along_z);
        if (e) return e;
    }
    task.parts.push_back({joints, box(piece_half_extents), {}});
    return {};
}

/// x, y with J = columns: the least y with J y = x. False where the joints cannot give x.
bool least_solution(std::span<const dvec3> columns, const dvec3& x, ArmAngles& y) {
    dmat3 square(0.0);  // J J^T
    double size = 0.0;
    for (const dvec3& c : columns) {
        square += glm::outerProduct(c, c);
        size += glm::dot(c, c);
    }
    constexpr double singular = 1e-9;  // of the cube of the trace: nothing moves the hand along some line
    if (!(glm::determinant(square) > singular * size * size * size)) return false;
    const dvec3 weights = glm::inverse(square) * x;
    for (std::size_t k = 0; k < columns.size(); ++k) y[k] = glm::dot(columns[k], weights);
    return true;
}

double dot(const ArmAngles& a, const ArmAngles& b, std::size_t joints) {
    double sum = 0.0;
    for (std::size_t k = 0; k < joints; ++k) sum += a[k] * b[k];
    return sum;
}

/// What the potential says at a pose: its gradient, and the gradients of the distances that it is made of with its
/// second derivatives by them.
struct Potential {
    struct Term {
        ArmAngles gradient;  ///< of d, m/rad
        double curvature;    ///< of U, 1/m^4
    };
    ArmAngles gradient{};
    std::vector<Term> terms;
};

void add_term(Potential& potential, double d, double d0, const ArmAngles& gradient, std::size_t joints) {
    if (d <= 0.0 || d > d0) return;
    const double slope = (1.0 / d0 - 1.0 / d) / (d * d);
    for (std::size_t k = 0; k < joints; ++k) potential.gradient[k] += slope * gradient[k];
    potential.terms.push_back({gradient, (3.0 / d - 2.0 / d0) / (d * d * d)});
}

}  // namespace

std::span<const ArmJoint> papers_arm() { return rows_of_the_paper; }

ArmFrames arm_frames(const ArmAngles& angles, std::span<const ArmJoint> joints) {
    ArmFrames frames;
    frames[0] = {dvec3(0.0), dmat3(1.0)};
    for (std::size_t k = 0; k < joints.size(); ++k) {
        const ArmJoint& row = joints[k];
        const auto [sine, cosine] = sine_cosine(angles[k] + row.offset * half_pi);
        const dvec3 x(cosine, sine, 0.0), y(-sine, cosine, 0.0), z(0.0, 0.0, 1.0);
        const dmat3 turned = row.alpha == 1 ? dmat3(x, z, -y) : dmat3(x, y, z);
        frames[k + 1].rotation = frames[k].rotation * turned;
        frames[k + 1].position = frames[k].position + frames[k].rotation * (row.d * z + row.a * x);
    }
    return frames;
}

std::array<dvec3, most_arm_joints> hand_jacobian(const ArmFrames& frames, std::size_t joints) {
    std::array<dvec3, most_arm_joints> columns;
    for (std::size_t k = 0; k < joints; ++k)
        columns[k] = glm::cross(frames[k].rotation[2], frames[joints].position - frames[k].position);
    return columns;
}

double ArmTask::duration() const {
    double length = 0.0;
    for (std::size_t i = 1; i < path.size(); ++i) length += glm::distance(path[i - 1], path[i]);
    return length / speed;
}

int ArmTask::steps() const { return static_cast<int>(std::ceil(duration() / dt)); }

dvec3 ArmTask::on_path(int step) const {
    double left = speed * dt * step;
    for (std::size_t i = 1; i < path.size(); ++i) {
        const double leg = glm::distance(path[i - 1], path[i]);
        if (left < leg) return path[i - 1] + (left / leg) * (path[i] - path[i - 1]);
        left -= leg;
    }
    return path.back();
}

Result<ArmTask> papers_task() { return varied_task({}); }

Result<ArmTask> varied_task(const ArmVariation& variation) {
    const int pieces = variation.pieces, obstacles = variation.obstacles;
    if (pieces < 1 || pieces > 5 || obstacles < 1 || obstacles > 64 || !(variation.aside >= 0.0)) {
        return Error{ErrorCode::bad_argument,
                     "varied_task: it takes 1 to 5 pieces, 1 to 64 obstacles and a distance of at least 0, not " +
                         std::to_string(pieces) + ", " + std::to_string(obstacles) + " and " +
                         std::to_string(variation.aside) + "."};
    }
    ArmTask task;
    const ArmAngles angles{0.0, 90.0 * degree, -150.0 * degree, -30.0 * degree};
    task.joints.clear();
    for (std::size_t link = 0; link < arm_joints; ++link) {
        ArmJoint row = rows_of_the_paper[link];
        const int parts = row.d > 0.0 ? 1 : pieces;  // the first link stays whole
        row.a /= parts;
        task.start[task.joints.size()] = angles[link];
        for (int i = 0; i < parts; ++i) {
            task.joints.push_back(row);
            row.offset = 0;
        }
    }
    const dvec3 begin = arm_frames(task.start, task.joints)[task.joints.size()].position, end(0.0, -0.7877, 3.1918);
    task.path = {begin, {0.0, end.y, begin.z}, end};
    if (Error error = add_arm(task)) return error;

    // One stands on the floor below the elbow, the other hangs where the forearm would go.
    const Result<Shape> standing = pyramid(0.2, 1.62), hanging = pyramid(0.25, -0.9);
    if (!standing) return standing.error();
    if (!hanging) return hanging.error();
    const ArmObstacle pyramids[] = {{*standing, {0.03f, -0.75f, 0.0f}}, {*hanging, {-0.02f, -0.2f, 3.6f}}};
    for (int i = 0; i < obstacles; ++i) {
        ArmObstacle obstacle = pyramids[i % 2];
        // The arm stays near the plane x = 0: two more on one side, the next two on the other, then farther out.
        const int row = i / 4, side = (i / 2) % 2 == 0 ? 1 : -1;
        const double out = i < 2 ? (i == 0 ? variation.aside : -variation.aside) : side * (1.0 + 0.6 * row);
        obstacle.position.x += static_cast<float>(out);
        task.obstacles.push_back(obstacle);
    }
    return task;
}

MatrixTransform part_in_obstacle(const ArmTask& task, const ArmFrames& frames, std::size_t part, std::size_t obstacle) {
    const ArmPart& p = task.parts[part];
    const ArmFrame& link = frames[static_cast<std::size_t>(p.link)];
    const dvec3 position = link.position + link.rotation * dvec3(p.pose.position);
    return {vec3(position - dvec3(task.obstacles[obstacle].position)),
            mat3(link.rotation * dmat3(to_matrix(glm::dquat(p.pose.rotation))))};
}

ArmAngles distance_gradient(const ArmTask& task, const ArmFrames& frames, std::size_t part, std::size_t obstacle,
                            const ArmDistance& at) {
    ArmAngles gradient{};
    if (at.distance <= 0.0) return gradient;
    const dvec3 normal = (at.on_part - at.on_obstacle) / at.distance;
    const dvec3 point = at.on_part + dvec3(task.obstacles[obstacle].position);
    for (std::size_t k = 0; k < static_cast<std::size_t>(task.parts[part].link); ++k)
        gradient[k] = glm::dot(normal, glm::cross(frames[k].rotation[2], point - frames[k].position));
    return gradient;
}

ArmDistances production_distances(const ArmTask& task, bool warm) {
    return [&task, warm, caches = std::vector<SimplexCache>(task.pairs())](std::span<const MatrixTransform> poses,
                                                                           std::span<ArmDistance> answers) mutable {
        for (std::size_t i = 0; i < poses.size(); ++i) {
            if (!warm) caches[i] = {};
            const GjkResult r = gjk(task.obstacles[i / task.parts.size()].shape,
                                    task.parts[i % task.parts.size()].shape, poses[i], caches[i]);
            answers[i] = {static_cast<double>(r.distance), dvec3(r.point_a), dvec3(r.point_b)};
        }
    };
}

Result<ArmDistances> variant_distances(const ArmTask& task, const GjkMethods& methods, ArmQueryCounts* counts) {
    struct Variant {
        const ArmTask& task;
        GjkMethods methods;
        ArmQueryCounts* counts;
        std::vector<PolytopeGraph> parts{}, obstacles{};
        std::vector<GjkVariantMemory> memory{};

        void operator()(std::span<const MatrixTransform> poses, std::span<ArmDistance> answers) {
            ArmQueryCounts sum;
            for (std::size_t i = 0; i < poses.size(); ++i) {
                const std::size_t part = i % parts.size(), obstacle = i / parts.size();
                const GjkVariantResult r = gjk_variant(obstacles[obstacle], parts[part], poses[i], methods, memory[i]);
                answers[i] = {r.distance, r.point_a, r.point_b};
                ++sum.queries;
                sum.iterations += r.iterations;
                sum.dot_products += r.dot_products;
                if (r.status == GjkVariantStatus::separated || r.status == GjkVariantStatus::overlapping) continue;
                ++sum.failures;
                SimplexCache cache;
                const GjkResult sure = gjk(task.obstacles[obstacle].shape, task.parts[part].shape, poses[i], cache);
                answers[i] = {static_cast<double>(sure.distance), dvec3(sure.point_a), dvec3(sure.point_b)};
            }
            if (counts == nullptr) return;
            counts->queries += sum.queries;
            counts->iterations += sum.iterations;
            counts->dot_products += sum.dot_products;
            counts->failures += sum.failures;
        }
    };
    Variant variant{task, methods, counts};
    variant.memory.resize(task.pairs());
    const auto add = [](std::vector<PolytopeGraph>& to, const Shape& shape) -> Error {
        Result<PolytopeGraph> graph = make_polytope_graph(shape);
        if (!graph) return graph.error();
        to.push_back(std::move(*graph));
        return {};
    };
    for (const ArmPart& part : task.parts) {
        if (Error error = add(variant.parts, part.shape)) return error;
    }
    for (const ArmObstacle& obstacle : task.obstacles) {
        if (Error error = add(variant.obstacles, obstacle.shape)) return error;
    }
    return ArmDistances(std::move(variant));
}

Result<std::vector<ArmPose>> plan_motion(const ArmTask& task, const ArmDistances& distances) {
    if (!(task.speed > 0.0) || !(task.dt > 0.0) || !(task.influence > 0.0) || task.path.empty()) {
        return Error{ErrorCode::bad_argument,
                     "plan_motion: it takes a path, and a speed, a step and an influence above 0."};
    }
    if (task.joints.size() > most_arm_joints) {
        return Error{ErrorCode::bad_argument, "plan_motion: the arm has " + std::to_string(task.joints.size()) +
                                                  " joints; there may be at most 16."};
    }
    const std::size_t joints = task.joints.size();
    std::vector<ArmPose> poses;
    std::vector<MatrixTransform> asked(task.pairs());
    std::vector<ArmDistance> answers(task.pairs());
    Potential potential;
    ArmAngles q = task.start;
    for (int step = 0;; ++step) {
        const ArmFrames frames = arm_frames(q, task.joints);
        const dvec3 hand = frames[joints].position;
        const std::size_t parts = task.parts.size();
        for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = part_in_obstacle(task, frames, i % parts, i / parts);
        distances(asked, answers);

        ArmPose pose{q, glm::distance(hand, task.on_path(step)), 1e300};
        for (const ArmDistance& answer : answers) pose.clearance = std::min(pose.clearance, answer.distance);
        poses.push_back(pose);
        if (step == task.steps()) return poses;

        // J+ x, and the part of the gradient that J+ J leaves.
        const std::array<dvec3, most_arm_joints> columns = hand_jacobian(frames, joints);
        const std::span<const dvec3> jacobian(columns.data(), joints);
        ArmAngles along{};
        bool solved = least_solution(jacobian, task.on_path(step + 1) - hand, along);
        potential.gradient = {};
        potential.terms.clear();
        for (std::size_t i = 0; i < answers.size() && task.gain != 0.0; ++i) {
            if (answers[i].distance > task.influence) continue;
            add_term(potential, answers[i].distance, task.influence,
                     distance_gradient(task, frames, i % parts, i / parts, answers[i]), joints);
        }
        dvec3 moved(0.0);
        for (std::size_t k = 0; k < joints; ++k) moved += potential.gradient[k] * jacobian[k];
        ArmAngles seen{};
        solved = solved && least_solution(jacobian, moved, seen);
        ArmAngles free{};
        for (std::size_t k = 0; k < joints; ++k) free[k] = potential.gradient[k] - seen[k];
        // The linearly implicit step: 1 / (1 - k dt H'') of the explicit one, with H'' along `free`.
        const double size2 = dot(free, free, joints);
        double curvature = 0.0;
        for (const Potential::Term& term : potential.terms) {
            const double slope = dot(term.gradient, free, joints);
            if (size2 > 0.0) curvature += term.curvature * slope * slope / size2;
        }
        const double rate = task.gain * task.dt / (1.0 - task.gain * task.dt * curvature);
        double fastest = 0.0;
        for (const double f : free) fastest = std::max(fastest, std::abs(rate * f));
        const double share = fastest > most_free_turn ? most_free_turn / fastest : 1.0;
        for (std::size_t k = 0; k < joints; ++k) {
            solved = solved && std::abs(along[k]) <= most_turn;
            q[k] += along[k] + share * rate * free[k];
        }
        if (!solved) {
            return Error{ErrorCode::bad_argument, "plan_motion: the arm is stretched or folded after step " +
                                                      std::to_string(step) +
                                                      ", so that its hand cannot go along the path; choose another."};
        }
    }
}

double largest_difference(const std::vector<ArmPose>& a, const std::vector<ArmPose>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < most_arm_joints; ++k)
            largest = std::max(largest, std::abs(a[i].angles[k] - b[i].angles[k]));
    }
    return largest;
}

}  // namespace talus::samples
