#include "samples/window/panels/ui_style.h"

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace talus::samples {

namespace {

constexpr float text_height = 15.0f;
ImFont* the_bold_font = nullptr;

ImFont* load_font(const char* name, float height) {
    for (const char* folder : {"/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/dejavu/", "/usr/share/fonts/TTF/",
                               "/usr/share/fonts/dejavu-sans-fonts/"}) {
        const std::string path = std::string(folder) + name;
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) continue;
        // Latin, and the signs in what scenes say of themselves and units need.
        static const ImWchar ranges[] = {0x20,   0xff,  0x2010, 0x2027, 0x2190, 0x2193, 0x2212,
                                         0x2212, 0x3b1, 0x3c9,  0xb5,   0xb7,   0};
        return ImGui::GetIO().Fonts->AddFontFromFileTTF(path.c_str(), height, nullptr, ranges);
    }
    return nullptr;
}

}  // namespace

ImFont* bold_font() { return the_bold_font; }

void apply_style(float density) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    // Fonts have the screen's pixels, and are drawn smaller by as much.
    const bool loaded = load_font("DejaVuSans.ttf", text_height * density) != nullptr;
    io.FontGlobalScale = loaded ? 1.0f / density : 1.15f;
    the_bold_font = load_font("DejaVuSans-Bold.ttf", text_height * density);

    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowPadding = {12, 10};
    style.FramePadding = {8, 4};
    style.ItemSpacing = {8, 6};
    style.ItemInnerSpacing = {6, 4};
    style.IndentSpacing = 14;
    style.ScrollbarSize = 11;
    style.WindowBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameRounding = 4;
    style.GrabRounding = 4;
    style.WindowRounding = 0;
    style.PopupRounding = 6;
    style.ScrollbarRounding = 6;
    style.TabRounding = 4;
    const auto color = [](unsigned rgb, float alpha = 1.0f) {
        return ImVec4(static_cast<float>((rgb >> 16) & 255u) / 255.0f, static_cast<float>((rgb >> 8) & 255u) / 255.0f,
                      static_cast<float>(rgb & 255u) / 255.0f, alpha);
    };
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = color(0xe4e8ec);
    c[ImGuiCol_TextDisabled] = color(0x8d98a3);
    c[ImGuiCol_WindowBg] = color(0x20262c);
    c[ImGuiCol_ChildBg] = color(0x000000, 0.0f);
    c[ImGuiCol_PopupBg] = color(0x262d34);
    c[ImGuiCol_Border] = color(0x3b454f);
    c[ImGuiCol_FrameBg] = color(0x323b44);
    c[ImGuiCol_FrameBgHovered] = color(0x3d4853);
    c[ImGuiCol_FrameBgActive] = color(0x465361);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = color(0x20262c);
    c[ImGuiCol_ScrollbarBg] = color(0x20262c, 0.0f);
    c[ImGuiCol_ScrollbarGrab] = color(0x46515c);
    c[ImGuiCol_ScrollbarGrabHovered] = color(0x566370);
    c[ImGuiCol_ScrollbarGrabActive] = color(0x667585);
    c[ImGuiCol_CheckMark] = color(0xe89e4c);
    c[ImGuiCol_SliderGrab] = color(0x8fa3b5, 0.55f);
    c[ImGuiCol_SliderGrabActive] = color(0xe89e4c, 0.7f);
    c[ImGuiCol_Button] = color(0x343e48);
    c[ImGuiCol_ButtonHovered] = color(0x43505d);
    c[ImGuiCol_ButtonActive] = color(0x526272);
    c[ImGuiCol_Header] = color(0x37434f);
    c[ImGuiCol_HeaderHovered] = color(0x435160);
    c[ImGuiCol_HeaderActive] = color(0x4e5f70);
    c[ImGuiCol_Separator] = color(0x3b454f);
    c[ImGuiCol_Tab] = color(0x2a323a);
    c[ImGuiCol_TabHovered] = color(0x455362);
    c[ImGuiCol_TabActive] = color(0x3c4955);
    c[ImGuiCol_TabUnfocused] = c[ImGuiCol_Tab];
    c[ImGuiCol_TabUnfocusedActive] = c[ImGuiCol_TabActive];
    c[ImGuiCol_TextSelectedBg] = color(0x4a6a8a);
    c[ImGuiCol_TableBorderLight] = color(0x343d46);
    c[ImGuiCol_TableBorderStrong] = color(0x3b454f);
    c[ImGuiCol_TableHeaderBg] = color(0x2a323a);
    c[ImGuiCol_PlotLines] = c[ImGuiCol_PlotHistogram] = color(0x8fb3cf);
    c[ImGuiCol_ModalWindowDimBg] = color(0x101418, 0.45f);
}

namespace ui {

bool begin_docked(const char* name, const Rectangle& place, ImGuiWindowFlags more) {
    ImGui::SetNextWindowPos({place.x, place.y});
    ImGui::SetNextWindowSize({place.width, place.height});
    return ImGui::Begin(name, nullptr,
                        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_NoBringToFrontOnFocus | more);
}

void heading(const char* text) {
    ImGui::Dummy({0, 3});
    if (the_bold_font) ImGui::PushFont(the_bold_font);
    ImGui::TextUnformatted(text);
    if (the_bold_font) ImGui::PopFont();
}

void fact(const char* name, const std::string& value) {
    ImGui::PushStyleColor(ImGuiCol_Text, muted);
    ImGui::TextUnformatted(name);
    ImGui::PopStyleColor();
    ImGui::SameLine(std::max(96.0f, 0.38f * ImGui::GetWindowContentRegionMax().x));
    ImGui::TextUnformatted(value.c_str());
}

void muted_text(const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, muted);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void tooltip(const char* text) {
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(300.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

namespace {

void draw_icon(ImDrawList& draw, Icon icon, ImVec2 c, ImU32 color) {
    const auto at = [&](float x, float y) { return ImVec2(c.x + x, c.y + y); };
    constexpr float pi = 3.14159265f;
    switch (icon) {
        case Icon::play:
            draw.AddTriangleFilled(at(-4.5f, -6.5f), at(-4.5f, 6.5f), at(7, 0), color);
            break;
        case Icon::pause:
            draw.AddRectFilled(at(-6, -6), at(-2, 6), color, 1);
            draw.AddRectFilled(at(2, -6), at(6, 6), color, 1);
            break;
        case Icon::step:
            draw.AddTriangleFilled(at(-6, -6), at(-6, 6), at(3.5f, 0), color);
            draw.AddRectFilled(at(4, -6), at(6.5f, 6), color, 1);
            break;
        case Icon::restart:
            draw.PathArcTo(c, 6.0f, -0.15f * pi, 1.45f * pi, 20);
            draw.PathStroke(color, 0, 2.0f);
            draw.AddTriangleFilled(at(-1.5f, -10), at(-1.5f, -2.2f), at(4.5f, -6.1f), color);
            break;
        case Icon::list:
            for (const float y : {-5.0f, 0.0f, 5.0f}) draw.AddRectFilled(at(-7, y - 1), at(7, y + 1), color, 1);
            break;
        case Icon::frame:
            for (const float x : {-1.0f, 1.0f}) {
                for (const float y : {-1.0f, 1.0f}) {
                    const ImVec2 corner[] = {at(3 * x, 6.5f * y), at(6.5f * x, 6.5f * y), at(6.5f * x, 3 * y)};
                    draw.AddPolyline(corner, 3, color, 0, 2.0f);
                }
            }
            draw.AddCircleFilled(c, 2.2f, color);
            break;
        case Icon::ball:
            draw.AddCircleFilled(at(3.5f, 0), 4.5f, color, 20);
            for (const float y : {-3.0f, 0.0f, 3.0f})
                draw.AddLine(at(-8, y), at(y == 0.0f ? -3.0f : -4.0f, y), color, 1.6f);
            break;
        case Icon::add:
            draw.AddRectFilled(at(-6.5f, -1.2f), at(6.5f, 1.2f), color, 1);
            draw.AddRectFilled(at(-1.2f, -6.5f), at(1.2f, 6.5f), color, 1);
            break;
        case Icon::left:
        case Icon::right:
            draw.AddRect(at(-8, -6.5f), at(8, 6.5f), color, 2, 0, 1.5f);
            if (icon == Icon::left)
                draw.AddRectFilled(at(-7, -5.5f), at(-2.5f, 5.5f), color);
            else
                draw.AddRectFilled(at(2.5f, -5.5f), at(7, 5.5f), color);
            break;
        case Icon::help: {
            const ImVec2 size = ImGui::CalcTextSize("?");
            draw.AddText({c.x - 0.5f * size.x, c.y - 0.5f * size.y}, color, "?");
            break;
        }
    }
}

}  // namespace

bool icon_button(const char* id, Icon icon, const char* tip, bool lit) {
    const float side = ImGui::GetFrameHeight() + 4.0f;
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const bool pressed = ImGui::InvisibleButton(id, {side + 2.0f, side});
    const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    if (hovered || active || lit) {
        draw.AddRectFilled(from, {from.x + side + 2.0f, from.y + side},
                           ImGui::GetColorU32(active    ? ImGuiCol_ButtonActive
                                              : hovered ? ImGuiCol_ButtonHovered
                                                        : ImGuiCol_Button),
                           4);
    }
    draw_icon(draw, icon, {from.x + 0.5f * (side + 2.0f), from.y + 0.5f * side},
              lit ? accent : ImGui::GetColorU32(ImGuiCol_Text));
    tooltip(tip);
    return pressed;
}

bool toggle_button(const char* label, bool on, const char* tip) {
    ImGui::PushStyleColor(ImGuiCol_Button, on ? ImGui::GetColorU32(ImGuiCol_TabActive) : IM_COL32(0, 0, 0, 0));
    ImGui::PushStyleColor(ImGuiCol_Text, on ? ImGui::GetColorU32(ImGuiCol_Text) : muted);
    const bool pressed = ImGui::Button(label, {0, ImGui::GetFrameHeight() + 4.0f});
    ImGui::PopStyleColor(2);
    tooltip(tip);
    return pressed;
}

void gap() {
    ImGui::SameLine(0, 9);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddLine({from.x, from.y + 4}, {from.x, from.y + 22},
                                        ImGui::GetColorU32(ImGuiCol_Separator));
    ImGui::SameLine(0, 10);
}

void swatch(Color color, const char* text) {
    const float side = ImGui::GetTextLineHeight();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({from.x, from.y + 2}, {from.x + side - 3, from.y + side - 1},
                                              to_imgui(color), 3);
    ImGui::Dummy({side, side});
    ImGui::SameLine(0, 4);
    ImGui::TextUnformatted(text);
}

}  // namespace ui

std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
    return with_commas(number) + " " + (number == 1 ? one : many);
}

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace talus::samples
