#pragma once
/// Draws boxes, arcs, arrows and axes with a DebugDraw's lines, points and triangles. The parts of World::draw share
/// this.

#include <talus/engine/debug_draw.h>

namespace talus::debug_draw {

inline constexpr double pi = 3.14159265358979323846;

/// All colours except those of rungs and islands. They have a medium lightness, so that they are visible against a
/// bright and a dark sky.
namespace colors {
inline constexpr Color fixed{128, 136, 148}, kinematic{72, 132, 226}, dynamic{232, 152, 40}, sensor{108, 172, 44};
inline constexpr Color awake = dynamic, asleep{96, 112, 168}, alone{140, 146, 158};
inline constexpr Color box{88, 108, 140}, fat_box{156, 98, 206}, still_fat_box{128, 116, 160};
inline constexpr Color restless_cell{226, 136, 40}, settled_cell{64, 124, 190};
inline constexpr Color new_point{228, 52, 48}, old_point{48, 176, 78};
inline constexpr Color normal{64, 112, 214}, normal_impulse{226, 142, 16}, friction_impulse{24, 164, 184};
inline constexpr Color text{190, 96, 24}, area{48, 176, 78, 90}, area_edge{48, 176, 78};
inline constexpr Color center{206, 52, 140}, velocity{24, 164, 184}, spin{214, 76, 168};
inline constexpr Color axis_x{222, 66, 62}, axis_y{72, 168, 60}, axis_z{64, 112, 226};
inline constexpr Color joint{222, 136, 20}, limit{56, 132, 220}, limit_held{228, 60, 48}, target{104, 168, 40};
inline constexpr Color arm{122, 128, 142}, slack = arm;
}  // namespace colors

inline Color faded(Color color, std::uint8_t alpha) { return {color.r, color.g, color.b, alpha}; }

/// Draws one thing. Its points are given as displacements from an origin near it, along the world's axes, m.
class Pen {
public:
    static constexpr int full_turn = 32;  ///< lines of a circle

    Pen(DebugDraw& out, const dvec3& origin) : out_(out), origin_(origin) {}

    const dvec3& origin() const { return origin_; }

    void line(const vec3& from, const vec3& to, Color color) const { out_.line(world(from), world(to), color); }
    void point(const vec3& at, float pixels, Color color) const { out_.point(world(at), pixels, color); }
    void triangle(const vec3& a, const vec3& b, const vec3& c, Color color) const {
        out_.triangle(world(a), world(b), world(c), color);
    }
    void text(const vec3& at, std::string_view text, Color color) const { out_.text(world(at), text, color); }

    void box(const Transform& pose, const vec3& half_extents, Color color) const;
    void box(const Aabb& box, Color color) const;
    /// Draws an arc around `center`, for angles (rad) from `from` to `to`, measured from u towards v. u and v are
    /// orthogonal unit vectors.
    void arc(const vec3& center, const vec3& u, const vec3& v, float radius, double from, double to, Color color) const;
    void circle(const vec3& center, const vec3& u, const vec3& v, float radius, Color color) const {
        arc(center, u, v, radius, 0.0, 2.0 * pi, color);
    }
    /// Draws a line with a head of a fifth of its length.
    void arrow(const vec3& from, const vec3& to, Color color) const;
    /// Draws three lines along a frame's axes: x red, y green, z blue.
    void axes(const Transform& frame, float length) const;
    /// Draws two short lines across a line with the direction `along`, at one of its points.
    void tick(const vec3& at, const vec3& along, float size, Color color) const;

private:
    dvec3 world(const vec3& point) const { return displaced(origin_, point); }

    DebugDraw& out_;
    dvec3 origin_;
};

}  // namespace talus::debug_draw
