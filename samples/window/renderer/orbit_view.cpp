#include "samples/window/renderer/orbit_view.h"

#include "samples/window/panels/plot.h"

#include <imgui_internal.h>  // SetItemUsingMouseWheel

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

ImVec2 flat(const vec3& p) { return {p.x, p.y}; }

vec3 any_across(const vec3& n) {
    const vec3 lean = glm::abs(n);
    const vec3 axis = lean.x <= lean.y && lean.x <= lean.z ? vec3(1, 0, 0)
                      : lean.y <= lean.z                   ? vec3(0, 1, 0)
                                                           : vec3(0, 0, 1);
    return glm::normalize(glm::cross(n, axis));
}

ImU32 shaded(ImU32 color, float light) {
    const auto channel = [&](int shift) {
        return static_cast<ImU32>(std::clamp(float((color >> shift) & 255u) * light, 0.0f, 255.0f)) << shift;
    };
    return channel(0) | channel(8) | channel(16) | (color & 0xff000000u);
}

}  // namespace

OrbitView::OrbitView(const char* id, ImVec2 size, Orbit& orbit, const vec3& center, float radius, float extent)
    : from_(ImGui::GetCursorScreenPos()), size_(size), center_(center) {
    ImGui::InvisibleButton(id, size);
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemActive()) {
        orbit.yaw -= 0.009f * io.MouseDelta.x;
        orbit.pitch = std::clamp(orbit.pitch + 0.009f * io.MouseDelta.y, -1.55f, 1.55f);
    }
    if (ImGui::IsItemHovered()) {
        // The wheel belongs to the view, not to the window around it.
        ImGui::SetItemUsingMouseWheel();
        orbit.zoom = std::clamp(orbit.zoom * std::exp(0.12f * io.MouseWheel), 0.3f, 60.0f);
        if (ImGui::IsMouseDoubleClicked(0)) orbit = {};
    }
    const float sy = std::sin(orbit.yaw), cy = std::cos(orbit.yaw), sp = std::sin(orbit.pitch),
                cp = std::cos(orbit.pitch);
    const vec3 back(sy * cp, sp, cy * cp), right(cy, 0.0f, -sy), up = glm::cross(back, right);
    to_view_ = {vec3(right.x, up.x, back.x), vec3(right.y, up.y, back.y), vec3(right.z, up.z, back.z)};
    distance_ = 5.0f * std::max({radius, extent, 1e-9f});
    scale_ = orbit.zoom * 0.47f * std::min(size.x, size.y) / std::max(radius, 1e-9f);
}

vec3 OrbitView::project(const vec3& p) const {
    const vec3 v = to_view_ * (p - center_);
    // Weak perspective: enough to tell front from back.
    const float nearer = distance_ / std::max(distance_ - v.z, 0.2f * distance_);
    return {from_.x + 0.5f * size_.x + v.x * scale_ * nearer, from_.y + 0.5f * size_.y - v.y * scale_ * nearer, -v.z};
}

void OrbitView::line(const vec3& a, const vec3& b, ImU32 color, float width) {
    const vec3 p = project(a), q = project(b);
    items_.push_back({Item::segment, 0.5f * (p.z + q.z) - 1e-3f * distance_, {flat(p), flat(q), {}}, width, color});
}

void OrbitView::dashed(const vec3& a, const vec3& b, ImU32 color, float width) {
    const vec3 p = project(a), q = project(b);
    const float pixels = std::hypot(q.x - p.x, q.y - p.y);
    const int dashes = std::clamp(int(pixels / 8.0f), 1, 80);
    for (int i = 0; i < dashes; ++i) {
        const float s = float(i) / float(dashes), t = (float(i) + 0.55f) / float(dashes);
        line(a + s * (b - a), a + t * (b - a), color, width);
    }
}

void OrbitView::arrow(const vec3& a, const vec3& b, ImU32 color, float width) {
    line(a, b, color, width);
    const vec3 p = project(a), q = project(b);
    const float length = std::hypot(q.x - p.x, q.y - p.y);
    if (length < 3.0f) return;
    const ImVec2 d{(q.x - p.x) / length, (q.y - p.y) / length};
    const float head = 5.0f + 2.0f * width, half = 0.42f * head;
    const ImVec2 base{q.x - head * d.x, q.y - head * d.y};
    items_.push_back({Item::area,
                      q.z - 2e-3f * distance_,
                      {flat(q), {base.x - half * d.y, base.y + half * d.x}, {base.x + half * d.y, base.y - half * d.x}},
                      0.0f,
                      color});
}

void OrbitView::triangle(const vec3& a, const vec3& b, const vec3& c, ImU32 color, bool lit) {
    if (lit) {
        const vec3 n = glm::cross(b - a, c - a);
        const float length = glm::length(n);
        if (length > 0.0f) color = shaded(color, 0.62f + 0.38f * std::abs((to_view_ * n).z) / length);
    }
    const vec3 p = project(a), q = project(b), r = project(c);
    items_.push_back({Item::area, (p.z + q.z + r.z) / 3.0f, {flat(p), flat(q), flat(r)}, 0.0f, color});
}

void OrbitView::point(const vec3& at, float pixels, ImU32 color, bool ring) {
    const vec3 p = project(at);
    items_.push_back({ring ? Item::ring : Item::dot, p.z - 4e-3f * distance_, {flat(p), {}, {}}, pixels, color});
}

void OrbitView::label(const vec3& at, const std::string& text, ImU32 color) {
    labels_.push_back({flat(project(at)), text, color});
}

void OrbitView::disc(const vec3& center, const vec3& normal, float radius, ImU32 line_color, ImU32 fill) {
    constexpr int sides = 40;
    const vec3 u = radius * any_across(normal), v = glm::cross(normal, u);
    const auto rim = [&](int i) {
        const float angle = 6.2831853f * float(i) / float(sides);
        return center + std::cos(angle) * u + std::sin(angle) * v;
    };
    for (int i = 0; i < sides; ++i) {
        if ((fill >> 24) != 0) triangle(center, rim(i), rim(i + 1), fill);
        line(rim(i), rim(i + 1), line_color, 1.2f);
    }
}

void OrbitView::title(const std::string& text) { title_ = text; }

void OrbitView::finish() {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 to{from_.x + size_.x, from_.y + size_.y};
    draw.AddRectFilled(from_, to, plot::ground, 6.0f);
    draw.PushClipRect(from_, to, true);
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.depth > b.depth; });
    // Translucent triangles side by side would show their smoothed edges as seams.
    const ImDrawListFlags flags = draw.Flags;
    for (const Item& item : items_) {
        switch (item.kind) {
            case Item::segment:
                draw.AddLine(item.p[0], item.p[1], item.color, item.width);
                break;
            case Item::area:
                draw.Flags = (item.color >> 24) < 250 ? flags & ~ImDrawListFlags_AntiAliasedFill : flags;
                draw.AddTriangleFilled(item.p[0], item.p[1], item.p[2], item.color);
                draw.Flags = flags;
                break;
            case Item::dot:
                draw.AddCircleFilled(item.p[0], 0.5f * item.width, item.color, item.width < 4.0f ? 6 : 14);
                break;
            case Item::ring:
                draw.AddCircle(item.p[0], 0.5f * item.width, item.color, 20, 1.6f);
                break;
        }
    }
    // Labels go to the first place around their point that is free.
    std::vector<ImVec4> taken;
    for (const Label& label : labels_) {
        const ImVec2 extent = ImGui::CalcTextSize(label.text.c_str());
        const ImVec2 places[] = {
            {8, -extent.y - 1}, {8, 2},           {-extent.x - 8, -extent.y - 1}, {-extent.x - 8, 2},
            {8, -2 * extent.y}, {8, extent.y + 2}};
        for (const ImVec2& place : places) {
            const ImVec2 at{label.at.x + place.x, label.at.y + place.y};
            const bool inside = at.x >= from_.x + 2 && at.y >= from_.y + 2 && at.x + extent.x <= to.x - 2 &&
                                at.y + extent.y <= to.y - 2;
            const bool free = std::none_of(taken.begin(), taken.end(), [&](const ImVec4& r) {
                return at.x < r.z && at.x + extent.x > r.x && at.y < r.w && at.y + extent.y > r.y;
            });
            if (!inside || !free) continue;
            taken.push_back({at.x - 2, at.y, at.x + extent.x + 2, at.y + extent.y});
            plot::corner_text(at, label.text, label.color);
            break;
        }
    }
    if (!title_.empty()) plot::corner_text({from_.x + 9, from_.y + 6}, title_);
    draw.PopClipRect();
}

}  // namespace talus::samples
