#pragma once
/// Worlds as text: what talus-soak makes from a seed, shrinks when it fails, and writes; docs/soak.md describes the
/// format.
///
/// A description is a list of things (bodies with their shapes, joints, changes), each with a number of its own, so
/// that any of them can be left out and the rest still means the same.

#include "samples/scenes/scene.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

/// A shape by name and numbers: "sphere r", "capsule half_height r", "box x y z" (half extents), "cylinder half_height
/// r", "cone half_height r", "hull" with three numbers a point; and surfaces of triangles: "room x y z cells two_sided"
/// (the inside of a box with these half extents, `cells` squares along an edge), "ground cells size height seed
/// two_sided".
struct TextShape {
    std::string kind = "box";
    std::vector<float> numbers{0.5f, 0.5f, 0.5f};
    ShapeDef def;  ///< all but `shape` and `mesh`
};

struct TextBody {
    std::uint32_t number = 0;
    int from = 0;  ///< step before which it is added
    BodyDef def;   ///< all but its shapes; its position is relative to WorldText::origin
    std::vector<TextShape> shapes;
};

struct TextJoint {
    std::uint32_t number = 0;
    int from = 0;
    /// Makes `frame_b` anew when the joint is added, so that the two frames coincide at that time.
    bool here = false;
    JointKind kind = JointKind::ball;
    std::uint32_t a = 0, b = 0;  ///< numbers of bodies; of joints for a gear
    Transform frame_a, frame_b;
    JointLimit limit, second;  ///< `second`: a wheel's steering
    JointMotor motor;
    JointSpring spring;
    JointDrive drive;
    float cone = unlimited;
    float ratio = 1.0f;                ///< of a gear
    std::array<JointLimit, 6> axes{};  ///< of a six_dof
    /// Of a six_dof: motors and springs of single axes. Without any, `motor` is about turn_x and `spring` about turn_y.
    std::array<JointMotor, 6> axis_motors{};
    std::array<JointSpring, 6> axis_springs{};
    JointSpring servo{};          ///< a wheel's steering servo
    float angular_hertz = -1.0f;  ///< of a weld; below 0: that of `spring`
    JointOptions options;
};

/// Whether a shape's pose is that of its body.
bool is_identity(const Transform& pose);

/// Something that is done before a step. What the numbers are is said where each is done (text_run.cpp). Positions are
/// relative to WorldText::origin.
struct TextChange {
    int step = 0;
    std::string what;
    std::uint32_t target = 0;  ///< number of a body or joint
    std::vector<float> numbers;
};

struct WorldText {
    WorldDef def;
    std::vector<float> dts{1.0f / 60.0f};  ///< by turns, s
    int steps = 60;
    dvec3 origin{0.0};  ///< the place in the world that all positions are relative to, m
    vec3 room{0.0f};    ///< half extents, about (0, room.y, 0); no body may leave it. Zero: there is none
    float gap = 0.0f;   ///< m and rad; the check `gap`: joints may be open by so much after a step. 0: no such check
    /// m/s; the check `jump`: no body may become faster by more than this, and more than 20 times as fast as the fastest
    /// body was, in one step. 0: no such check.
    float jump = 0.0f;
    /// Its joints may contradict each other, or what moves them (LedgerTolerance::opening_is_work).
    bool contradictory = false;
    bool modifier = false;
    std::vector<TextBody> bodies;
    std::vector<TextJoint> joints;
    std::vector<TextChange> changes;
    std::vector<std::string> remarks;
};

/// Whether a change is one of a joint, by its name.
bool is_joint_change(const TextChange& change);

std::string to_text(const WorldText& world);
/// Refused with the line that is wrong: unknown words, shapes that cannot be built, joints and changes that name a body
/// or a joint that no line describes.
Result<WorldText> from_text(const std::string& text);
Result<WorldText> read_world_text(const std::string& path);
/// Writes the text of the world. The error names the file and says why it cannot be written.
Error write_world_text(const WorldText& world, const std::string& path);

/// Removes joints and changes that name a body or a joint that the world does not have. They do nothing, but
/// from_text() refuses them.
void drop_dangling(WorldText& world);

}  // namespace talus::samples
