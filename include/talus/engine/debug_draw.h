#pragma once
/// Debug drawing: the world passes lines, points, triangles and text to your renderer. It draws nothing itself.
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

/// An sRGB colour; alpha is not premultiplied.
struct Color {
    std::uint8_t r = 255;                                          ///< red
    std::uint8_t g = 255;                                          ///< green
    std::uint8_t b = 255;                                          ///< blue
    std::uint8_t a = 255;                                          ///< alpha; 255 is opaque
    friend bool operator==(const Color&, const Color&) = default;  ///< compares all channels
};

/// Interface to your renderer: each function draws one figure. Positions are in the world, m.
class DebugDraw {
public:
    virtual ~DebugDraw() = default;
    virtual void line(const dvec3& from, const dvec3& to, Color color) = 0;  ///< a line
    virtual void point(const dvec3& at, float pixels, Color color) = 0;      ///< a dot of this diameter
    virtual void triangle(const dvec3& a, const dvec3& b, const dvec3& c,
                          Color color) = 0;                                      ///< visible from both sides
    virtual void text(const dvec3& at, std::string_view text, Color color) = 0;  ///< starts at `at`
};

/// The property of a body that its outline's colour shows.
enum class OutlineColor : std::uint8_t { type, sleep, island };

/// What World::draw passes to the renderer. Nothing by default.
struct DebugDrawOptions {
    bool outlines = false;  ///< edges of shapes, circles of round shapes; sensors have a colour of their own
    OutlineColor outline_color = OutlineColor::sleep;  ///< what the colour of outlines shows
    bool boxes = false;                                ///< boxes of bodies: World::bounds
    bool fat_boxes = false;                            ///< fat AABBs of the broadphase's proxies
    bool columns = false;          ///< occupied cells of the broadphase's grids, and the axis along which each is swept
    bool contact_points = false;   ///< points of contacts: red if the features are new, green if they touched before
    bool contact_normals = false;  ///< normals, from A to B
    bool contact_impulses = false;  ///< impulses of the last step on B, times `impulse_scale`; friction at the centre
    bool feature_ids = false;       ///< features of A and B at each point, as hexadecimal text
    bool manifold_areas = false;    ///< polygon of each contact's points
    bool centers_of_mass = false;   ///< of dynamic bodies
    /// Principal axes, each as long as its radius of gyration: red for the least moment, then green, then blue.
    bool inertia_axes = false;
    bool joints = false;          ///< frames, anchors, limits (red while active) and targets
    bool velocities = false;      ///< linear (of the centre of mass) and angular velocities, times `velocity_scale`
    bool pair_rungs = false;      ///< a line per shape pair that was tested, in color_of(the rung that settled it)
    float normal_length = 0.2f;   ///< m
    float impulse_scale = 0.01f;  ///< m / (N s)
    float velocity_scale = 0.1f;  ///< s
    WorldAabb region{dvec3(-1e18),
                     dvec3(1e18)};  ///< leaves out bodies, contacts and joints outside this box; clips nothing
};

/// Returns the colour of a rung in debug drawing, reports and the window: from cool for cheap to warm for
/// costly.
Color color_of(Rung rung);
/// Returns the name of a rung for display, for example "warm GJK".
const char* title_of(Rung rung);

/// Returns a colour for a number, such as an island's. Numbers next to each other get colours that are easy to tell
/// apart.
Color color_of_number(std::uint32_t number);

}  // namespace talus
