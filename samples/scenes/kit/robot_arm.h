#pragma once
/// A redundant robot arm that goes round obstacles while its hand keeps to a path: the experiment of Liu, Chien, Shiang
/// and Lee (section 4.4), planned on Talus's distances. Used by the scene `robot`, by its tests and by
/// `talus-profile papers --robot`.
///
/// Four joints, links of 2, 1, 0.6 and 0.4 m, coordinates as in the paper (z up). The paper gives angles and positions
/// but no Denavit-Hartenberg parameters; these are the ones that put the hand where it says, (0, -0.0804, 2.3) for
/// (0, 90, -150, -30) degrees:
///
///     joint k   theta_k      d_k   a_k   alpha_k
///        1      q1 + 90 deg   2     0    90 deg      turns about the vertical; the link stands on it
///        2      q2 + 90 deg   0     1     0          turn about one horizontal axis: q2 = 0 points up, q2 = 90 to -y
///        3      q3            0    0.6    0
///        4      q4            0    0.4    0
///
/// The hand's three coordinates take three of the four joints; the fourth is left to keep away from obstacles, by their
/// formulas (6) and (7):
///
///     dq/dt = J+ dx/dt + k (I - J+ J) grad H(q),    H = sum of (1/d - 1/d0)^2 / 2 over all pairs nearer than d0,
///     grad d = n . (z_k x (p - o_k)) for joint k;   n: from the obstacle's closest point to p, the part's
///
/// What is different here, and why:
/// - The paper calls (0, 90, -150, -30) the initial pose, but its hand is then at what the paper calls the destination.
///   Its legs (first towards -y, then along z) lead from there to its "start", (0, -0.7877, 3.1918). So we go that way.
///   At its speed of 0.1 the legs take 7.1 and 8.9 s; the paper says 6.7 and 10.
/// - It doesn't say where the two pyramids are: ours are placed so that the arm would run into one with k = 0.
/// - (7) has the obstacle's point where the one that moves with the link belongs, and links start at k - 2.
/// - dx/dt leads to where the path is at the end of the step, whatever error there is: a closed loop. The paper's
///   is open.
/// - The term of H is stiff near an obstacle (its rate is 3 / d^4: 1,900/s at 0.2 m, where steps of 1/60 s would throw
///   the arm to and fro), so it is integrated by a linearly implicit step along its own direction. For short steps that
///   is (6).
/// - No joint turns faster than 3 rad/s for H: where what held the arm in place gives way, it does not jump.
/// - The hand holds a piece, a bar, which keeps away from obstacles as the links and joints do.
///
/// The paper says that the cost depends on the numbers of links and obstacles and on how near they are; varied_task()
/// makes tasks that differ in these.
///
/// No libm: the same motion from every compiler.

#include <talus/narrowphase/gjk_variants.h>
#include <talus/narrowphase/shape.h>

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace talus::samples {

inline constexpr int arm_joints = 4;        ///< of the paper's arm
inline constexpr int most_arm_joints = 16;  ///< of any arm

/// q1, q2 and so on, rad; 0 beyond the arm's joints.
using ArmAngles = std::array<double, most_arm_joints>;

/// A row of the table of Denavit and Hartenberg. Alpha and the offset of theta are numbers of right angles.
struct ArmJoint {
    int offset;
    double d, a;
    int alpha;
};

/// The paper's arm, as in the table above.
std::span<const ArmJoint> papers_arm();

/// A rigid frame in double.
struct ArmFrame {
    glm::dvec3 position;
    glm::dmat3 rotation;
};

/// The Denavit-Hartenberg frames 0 (the base's) to n (the hand's, of n joints); later ones are not set. Link k ends at
/// the origin of frame k and turns about the z axis of frame k - 1.
using ArmFrames = std::array<ArmFrame, most_arm_joints + 1>;
ArmFrames arm_frames(const ArmAngles& angles, std::span<const ArmJoint> joints = papers_arm());

/// How fast the hand moves with each of so many joints, m/rad; the others are not set.
std::array<glm::dvec3, most_arm_joints> hand_jacobian(const ArmFrames& frames, std::size_t joints = arm_joints);

/// A convex part of the arm: a link, a joint, or the piece in the hand.
struct ArmPart {
    int link;        ///< moves with frame 1 to n
    Shape shape;     ///< a polytope
    Transform pose;  ///< in that frame
};

struct ArmObstacle {
    Shape shape;  ///< a polytope
    vec3 position;
};

struct ArmTask {
    std::vector<ArmJoint> joints{papers_arm().begin(), papers_arm().end()};  ///< at most most_arm_joints
    ArmAngles start{};
    std::vector<glm::dvec3> path;  ///< of the hand, corner by corner, from where `start` puts it
    double speed = 0.1;            ///< of the hand, m/s
    double influence = 0.5;        ///< d0, m
    double gain = -1.0;            ///< k; 0: the shortest motion of the joints, blind to obstacles
    double dt = 1.0 / 60.0;        ///< length of a step, s
    std::vector<ArmPart> parts;
    std::vector<ArmObstacle> obstacles;

    double duration() const;             ///< s
    int steps() const;                   ///< until the hand is at the end of the path
    glm::dvec3 on_path(int step) const;  ///< where the hand shall be after so many steps
    std::size_t pairs() const { return parts.size() * obstacles.size(); }
};

/// The paper's experiment, as said above.
Result<ArmTask> papers_task();

/// What varied_task() changes in the paper's experiment.
struct ArmVariation {
    /// The pieces that each of the three links after the first is cut into, 1 to 5: the arm has 1 + 3 * pieces links,
    /// starts in the same shape and has the same reach.
    int pieces = 1;
    /// 1 to 64. From the third on they stand and hang aside of the arm, farther from it than `influence`.
    int obstacles = 2;
    double aside = 0.0;  ///< how far the first two are moved out of the arm's plane, one to either side, >= 0, m
};

/// The paper's experiment with other links or obstacles. Refuses numbers out of range with bad_argument.
Result<ArmTask> varied_task(const ArmVariation& variation);

/// The pose of a part in the frame of an obstacle: what a distance query is asked.
MatrixTransform part_in_obstacle(const ArmTask& task, const ArmFrames& frames, std::size_t part, std::size_t obstacle);

struct ArmDistance {
    double distance = 0.0;                      ///< 0 when they touch or overlap, m
    glm::dvec3 on_obstacle{0.0}, on_part{0.0};  ///< the closest points, in the obstacle's frame
};

/// How fast that distance grows with each joint, m/rad: (7). Zero for joints that do not move the part, and when the
/// two overlap.
ArmAngles distance_gradient(const ArmTask& task, const ArmFrames& frames, std::size_t part, std::size_t obstacle,
                            const ArmDistance& at);

/// Answers for all pairs at once, obstacle by obstacle: `poses` are those of part_in_obstacle(). May remember what it
/// found last.
using ArmDistances = std::function<void(std::span<const MatrixTransform> poses, std::span<ArmDistance> answers)>;

/// Talus's production query; each pair starts from its last simplex unless `warm` is false. The task stays where it is as
/// long as this is used.
ArmDistances production_distances(const ArmTask& task, bool warm = true);

/// What a run of variant_distances() cost.
struct ArmQueryCounts {
    long queries = 0, iterations = 0, dot_products = 0;
    long failures = 0;  ///< led astray (see GjkEnd): the production query answered instead
};

/// One of the papers' methods, each pair with its memory; likewise. `counts` may be null.
Result<ArmDistances> variant_distances(const ArmTask& task, const GjkMethods& methods,
                                       ArmQueryCounts* counts = nullptr);

struct ArmPose {
    ArmAngles angles{};
    double off_path = 0.0;   ///< of the hand, m
    double clearance = 0.0;  ///< between any part and any obstacle, m; 0: they touch or overlap
};

/// The motion along the whole path: steps() + 1 poses. Goes on through obstacles, where clearance is 0. An error where
/// the joints cannot give the hand its velocity, as in a stretched arm.
Result<std::vector<ArmPose>> plan_motion(const ArmTask& task, const ArmDistances& distances);

/// Of the joints' angles in two motions of as many poses, rad.
double largest_difference(const std::vector<ArmPose>& a, const std::vector<ArmPose>& b);

}  // namespace talus::samples
