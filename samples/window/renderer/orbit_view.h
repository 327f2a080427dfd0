#pragma once
/// A small 3D picture inside an ImGui window: lines, triangles, points and labels that are projected here and drawn from
/// the back to the front (painter's order), so that it needs no renderer. For some thousand primitives.

#include <talus/math.h>

#include <imgui.h>

#include <string>
#include <vector>

namespace talus::samples {

/// Where the view stands; the mouse changes it: dragging orbits, the wheel zooms, a double-click resets.
struct Orbit {
    float yaw = 0.6f, pitch = 0.35f, zoom = 1.0f;
};

class OrbitView {
public:
    /// Takes the space and the mouse. What lies within `radius` of `center` fits in at zoom 1; all that is drawn lies
    /// within `extent` of it.
    OrbitView(const char* id, ImVec2 size, Orbit& orbit, const vec3& center, float radius, float extent);

    void line(const vec3& a, const vec3& b, ImU32 color, float width = 1.0f);
    void dashed(const vec3& a, const vec3& b, ImU32 color, float width = 1.0f);
    /// With a head at b.
    void arrow(const vec3& a, const vec3& b, ImU32 color, float width = 1.8f);
    /// Flat; lit a little by the way its plane leans if `lit`.
    void triangle(const vec3& a, const vec3& b, const vec3& c, ImU32 color, bool lit = false);
    void point(const vec3& at, float pixels, ImU32 color, bool ring = false);
    /// Beside a point, over everything, where no label drawn before stands in the way.
    void label(const vec3& at, const std::string& text, ImU32 color);
    /// A circle around `center` in the plane across `normal` (unit).
    void disc(const vec3& center, const vec3& normal, float radius, ImU32 line_color, ImU32 fill);
    /// A line of text in the upper left corner.
    void title(const std::string& text);

    void finish();  ///< draws it all

private:
    struct Item {
        enum Kind : std::uint8_t { segment, area, dot, ring } kind;
        float depth;
        ImVec2 p[3];
        float width;
        ImU32 color;
    };
    struct Label {
        ImVec2 at;
        std::string text;
        ImU32 color;
    };
    /// Pixels, and the depth away from the eye.
    vec3 project(const vec3& p) const;

    ImVec2 from_, size_;
    vec3 center_;
    mat3 to_view_;
    float scale_, distance_;
    std::vector<Item> items_;
    std::vector<Label> labels_;
    std::string title_;
};

}  // namespace talus::samples
