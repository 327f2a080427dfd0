#pragma once
/// Debug drawing: the world hands out lines, points, triangles and text; who draws them is the user's affair.
///
///     struct Lines : talus::DebugDraw { ... };   // your renderer's
///     Lines lines;
///     world.draw(lines, {.contact_points = true, .joints = true});

#include <talus/aabb.h>
#include <talus/math.h>
#include <talus/narrowphase/profile.h>

#include <cstdint>
#include <string_view>

namespace talus {

/// sRGB, not premultiplied.
struct Color {
    std::uint8_t r = 255, g = 255, b = 255, a = 255;
    friend bool operator==(const Color&, const Color&) = default;
};

class DebugDraw {
public:
    virtual ~DebugDraw() = default;
    virtual void line(const vec3& from, const vec3& to, Color color) = 0;                 ///< world, m
    virtual void point(const vec3& at, float pixels, Color color) = 0;                    ///< a dot of that diameter
    virtual void triangle(const vec3& a, const vec3& b, const vec3& c, Color color) = 0;  ///< seen from both sides
    virtual void text(const vec3& at, std::string_view text, Color color) = 0;            ///< begins there
};

/// What a body's outline is coloured by.
enum class OutlineColor : std::uint8_t { type, sleep, island };

struct DebugDrawOptions {
    bool outlines = false;  ///< edges of shapes; of round ones circles; of sensors in a colour of their own
    OutlineColor outline_color = OutlineColor::sleep;
    bool boxes = false;             ///< of bodies, as World::bounds
    bool fat_boxes = false;         ///< those that the broadphase sorts
    bool columns = false;           ///< cells of the broadphase's grids that hold boxes, and the way they are swept
    bool contact_points = false;    ///< of World::contacts(); red: a new feature, green: one that went on
    bool contact_normals = false;   ///< from A to B
    bool contact_impulses = false;  ///< of the last step, on B: m = N s * impulse_scale; friction's at the middle
    bool feature_ids = false;       ///< text beside the points: A's, B's, hexadecimal
    bool manifold_areas = false;    ///< the polygon of a manifold's points
    bool centers_of_mass = false;   ///< of dynamic bodies
    bool inertia_axes = false;      ///< principal axes, the least moment's first; as long as the radii of gyration
    bool joints = false;            ///< frames, anchors, limits (red: one that holds), targets
    bool velocities = false;        ///< of centres of mass: m = m/s * velocity_scale; spin likewise, m = rad/s * ...
    bool pair_paths = false;     ///< a line between the shapes of each active pair but those skipped, by color_of(rung)
    float normal_length = 0.2f;  ///< m
    float impulse_scale = 0.01f;           ///< m / (N s)
    float velocity_scale = 0.1f;           ///< s
    Aabb region{vec3(-1e9f), vec3(1e9f)};  ///< bodies, contacts, joints that lie outside are left out; nothing is cut
};

/// The colours of rungs, here and wherever Talus shows them: from cool and cheap to warm and dear.
Color color_of(Rung rung);
/// name_of(rung) for people: "warm GJK".
const char* title_of(Rung rung);

/// Unlike its neighbours in number, for islands and the like.
Color color_of_number(std::uint32_t number);

}  // namespace talus
