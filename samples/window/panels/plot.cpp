#include "samples/window/panels/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace talus::samples::plot {

std::string format(const char* pattern, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

std::string microseconds(double us) {
    if (us >= 100000.0) return format("%.0f ms", us / 1000.0);
    if (us >= 10000.0) return format("%.1f ms", us / 1000.0);
    if (us >= 1000.0) return format("%.2f ms", us / 1000.0);
    if (us >= 100.0 || us == 0.0) return format("%.0f \xc2\xb5s", us);
    return format(us >= 10.0 ? "%.1f \xc2\xb5s" : "%.2f \xc2\xb5s", us);
}

std::string round_microseconds(double us) {
    return us >= 1000.0 ? format("%.4g ms", us / 1000.0) : format("%.4g \xc2\xb5s", us);
}

std::string meters(double m) {
    const double size = std::abs(m);
    if (size >= 1.0 || size == 0.0) return format("%.4g m", m);
    if (size >= 1e-3) return format("%.4g mm", 1e3 * m);
    return format("%.3g \xc2\xb5m", 1e6 * m);
}

std::string count(double number) {
    if (number < 100.0 && number != std::floor(number)) return format("%.1f", number);
    std::string text = format("%.0f", number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

double nice_ceil(double value) {
    if (!(value > 0.0)) return 1.0;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (step * power >= value * (1.0 - 1e-9)) return step * power;
    }
    return 10.0 * power;
}

namespace {

ImU32 faded(ImU32 color) { return (color & 0x00ffffffu) | 0x48000000u; }

ImVec2 operator+(ImVec2 a, ImVec2 b) { return {a.x + b.x, a.y + b.y}; }

/// Towers this many times as high as one in twenty are cut.
constexpr double cut = 2.5;

/// The sunk field that plots are drawn on.
void field(ImDrawList& draw, ImVec2 from, ImVec2 to) { draw.AddRectFilled(from, to, ground, 5.0f); }

/// Lines at halves of the scale, with their values inside at the left.
void scale_lines(ImDrawList& draw, ImVec2 from, ImVec2 to, double top, std::string (*format_value)(double)) {
    for (int i = 1; i <= 2; ++i) {
        const float y = std::floor(to.y - (to.y - from.y) * 0.5f * float(i)) + 0.5f;
        if (i < 2) draw.AddLine({from.x, y}, {to.x, y}, grid);
        const std::string text = format_value(0.5 * top * i);
        const float height = ImGui::GetTextLineHeight();
        corner_text({from.x + 6.0f, i == 2 ? from.y + 3.0f : y - 0.5f * height}, text);
    }
}

}  // namespace

void corner_text(ImVec2 at, const std::string& text, ImU32 color) {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    for (const ImVec2 shadow : {ImVec2{1, 1}, ImVec2{-1, 0}, ImVec2{0, -1}})
        draw.AddText(at + shadow, IM_COL32(15, 18, 22, 190), text.c_str());
    draw.AddText(at, color, text.c_str());
}

namespace {

/// Stacked bars, one per frame, in the field between `from` and `to`. The newest frame stands at the right.
class StackedBars {
public:
    StackedBars(ImVec2 from, ImVec2 to, const Stack& stack) : from_(from), to_(to), stack_(stack) {
        totals_.resize(stack.frames, 0.0);
        for (std::size_t i = 0; i < stack.frames; ++i) {
            for (int layer = 0; layer < stack.layers; ++layer) totals_[i] += stack.value(i, layer);
        }
        std::vector<double> sorted;
        for (std::size_t i = 0; i < stack.frames; ++i) {
            if (!is_pale(i)) sorted.push_back(totals_[i]);
        }
        if (sorted.empty()) sorted = totals_;
        std::sort(sorted.begin(), sorted.end());
        const double most = sorted.back(), p95 = sorted[(sorted.size() - 1) * 95 / 100];
        top_ = nice_ceil(std::min(most, cut * p95) * 1.04);
        // A short history is not drawn as a few broad bars.
        slots_ = static_cast<double>(std::max<std::size_t>(stack.frames, 150));
        first_ = slots_ - double(stack.frames);
    }

    double top() const { return top_; }  ///< the value at the upper edge

    void draw(ImDrawList& draw) const {
        const double to_pixels = (double(to_.y) - double(from_.y) - 2.0) / top_;
        for (std::size_t i = 0; i < stack_.frames;) {
            const float x = left_of(i);
            std::size_t tallest = i, next = i + 1;
            for (; next < stack_.frames && left_of(next) <= x; ++next) {
                if (is_above(next, tallest)) tallest = next;
            }
            const float right = next < stack_.frames ? left_of(next) : to_.x;
            double sum = 0.0;
            float below = to_.y;
            for (int layer = 0; layer < stack_.layers; ++layer) {
                sum += stack_.value(tallest, layer);
                const float y = to_.y - float(sum * to_pixels);
                if (below - y < 0.25f) continue;
                const ImU32 color = stack_.colors[std::size_t(layer)];
                draw.AddRectFilled({x, std::max(y, from_.y)}, {right, below}, is_pale(tallest) ? faded(color) : color);
                below = y;
            }
            if (totals_[tallest] > top_ && !is_pale(tallest)) {
                const float middle = 0.5f * (x + right);
                draw.AddTriangleFilled({middle - 4, from_.y + 7}, {middle + 4, from_.y + 7}, {middle, from_.y + 1},
                                       highlight);
            }
            i = next;
        }
    }

    void mark_selected(ImDrawList& draw, std::size_t frame) const {
        const float x = left_of(frame), right = std::max(x + 1.0f, left_of(frame + 1));
        draw.AddRectFilled({x, from_.y}, {right, to_.y}, IM_COL32(255, 255, 255, 60));
        const float middle = std::floor(0.5f * (x + right)) + 0.5f;
        draw.AddLine({middle, from_.y}, {middle, to_.y}, highlight);
        draw.AddTriangleFilled({middle - 4.5f, from_.y}, {middle + 4.5f, from_.y}, {middle, from_.y + 6}, highlight);
    }

    void mark_hovered(ImDrawList& draw, std::size_t frame) const {
        const float x = left_of(frame), right = std::max(x + 1.0f, left_of(frame + 1));
        draw.AddRectFilled({x, from_.y}, {right, to_.y}, IM_COL32(255, 255, 255, 70));
    }

    /// The frame whose bar is drawn at a place. `beyond`: left of all bars it is the oldest one, else none.
    std::optional<std::size_t> frame_at(float x, bool beyond) const {
        const double at = (double(x) - double(from_.x)) / width() * slots_ - first_;
        if (at < 0.0 && !beyond) return std::nullopt;
        const auto i = std::size_t(std::clamp(at, 0.0, double(stack_.frames - 1)));
        std::size_t best = i;
        for (std::size_t k = i; k-- > 0 && left_of(k) == left_of(i);) best = is_above(k, best) ? k : best;
        for (std::size_t k = i + 1; k < stack_.frames && left_of(k) == left_of(i); ++k)
            best = is_above(k, best) ? k : best;
        return best;
    }

private:
    double width() const { return double(to_.x) - double(from_.x); }
    float left_of(std::size_t i) const { return std::floor(from_.x + float((first_ + double(i)) / slots_ * width())); }
    bool is_pale(std::size_t i) const { return stack_.is_pale && stack_.is_pale(i); }
    /// Whether frame i is drawn where frames i and k share a pixel.
    bool is_above(std::size_t i, std::size_t k) const {
        return is_pale(i) != is_pale(k) ? is_pale(k) : totals_[i] > totals_[k];
    }

    ImVec2 from_, to_;
    const Stack& stack_;
    std::vector<double> totals_;
    double top_ = 0.0, slots_ = 0.0, first_ = 0.0;
};

}  // namespace

StackAnswer stacked(const char* id, ImVec2 size, const Stack& stack) {
    StackAnswer answer;
    const ImVec2 from = ImGui::GetCursorScreenPos(), to = from + size;
    ImGui::InvisibleButton(id, size);
    const bool hovered = ImGui::IsItemHovered(), pressed = ImGui::IsItemActive();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    field(draw, from, to);
    if (stack.frames == 0) {
        const char* text = "no frames yet";
        const ImVec2 extent = ImGui::CalcTextSize(text);
        draw.AddText({0.5f * (from.x + to.x - extent.x), 0.5f * (from.y + to.y - extent.y)}, muted, text);
        return answer;
    }
    const StackedBars bars(from, to, stack);
    draw.PushClipRect(from, to, true);
    bars.draw(draw);
    if (stack.selected && *stack.selected < stack.frames) bars.mark_selected(draw, *stack.selected);
    if (hovered || pressed) {
        if (const auto frame = bars.frame_at(ImGui::GetMousePos().x, pressed)) {
            answer.hovered = *frame;
            if (pressed) answer.clicked = *frame;
            bars.mark_hovered(draw, *frame);
        }
    }
    draw.PopClipRect();
    scale_lines(draw, from, to, bars.top(), stack.format);
    return answer;
}

std::optional<int> histogram(const char* id, ImVec2 size, std::span<const std::uint64_t> bins, ImU32 color,
                             const std::function<std::string(int)>& label) {
    const ImVec2 from = ImGui::GetCursorScreenPos(), to = from + size;
    ImGui::InvisibleButton(id, size);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 floor_to{to.x, to.y - line - 3.0f};
    field(draw, from, floor_to);
    const std::uint64_t most = std::max(std::uint64_t{1}, *std::max_element(bins.begin(), bins.end()));
    const float pitch = (size.x - 8.0f) / float(bins.size());
    std::optional<int> over;
    float free_from = from.x;  // labels that would touch the one before are left out
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const float x = from.x + 4.0f + pitch * float(i), right = x + pitch - std::max(1.0f, 0.15f * pitch);
        const float height = (floor_to.y - from.y - 6.0f) * float(bins[i]) / float(most);
        const bool hovered =
            ImGui::IsItemHovered() && ImGui::GetMousePos().x >= x && ImGui::GetMousePos().x < x + pitch;
        if (hovered) {
            over = int(i);
            draw.AddRectFilled({x - 1, from.y}, {right + 1, floor_to.y}, IM_COL32(255, 255, 255, 18));
        }
        // Something is seen wherever there is something.
        if (bins[i] > 0)
            draw.AddRectFilled({x, floor_to.y - std::max(1.5f, height)}, {right, floor_to.y}, color, 2.0f,
                               ImDrawFlags_RoundCornersTop);
        const std::string text = label(int(i));
        const float extent = ImGui::CalcTextSize(text.c_str()).x;
        const float at = std::clamp(0.5f * (x + right - extent), from.x, to.x - extent);
        if (at < free_from) continue;
        draw.AddText({at, floor_to.y + 3.0f}, muted, text.c_str());
        free_from = at + extent + 6.0f;
    }
    return over;
}

std::optional<std::size_t> bounds(const char* id, ImVec2 size, const Bounds& bounds) {
    const ImVec2 from = ImGui::GetCursorScreenPos(), to = from + size;
    ImGui::InvisibleButton(id, size);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    field(draw, from, to);
    const std::size_t count = bounds.lower.size();
    if (count == 0) return std::nullopt;
    double most = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isfinite(bounds.upper[i])) most = std::max(most, bounds.upper[i]);
        if (std::isfinite(bounds.lower[i])) most = std::max(most, bounds.lower[i]);
    }
    const double top = nice_ceil(most * 1.05);
    // Where the bounds end near zero on that scale, decades show how they close.
    const double end = std::isfinite(bounds.upper.back()) ? bounds.upper.back() : 0.0;
    const bool decades = end > 1e-9 * top && end < 0.05 * top;
    const double high = decades ? std::pow(10.0, std::ceil(std::log10(most) - 1e-9)) : top;
    const double low = decades ? std::pow(10.0, std::floor(std::log10(end) - 0.3)) : 0.0;
    std::vector<double> marks;
    if (decades) {
        for (double mark = low; mark <= 1.001 * high; mark *= 10.0) marks.push_back(mark);
    } else {
        marks = {0.0, 0.5 * top, top};
    }
    float widest = 0.0f;
    for (const double mark : marks) widest = std::max(widest, ImGui::CalcTextSize(meters(mark).c_str()).x);
    // Room for the caller's legend above.
    const float left = from.x + widest + 26.0f, right = to.x - 16.0f, bottom = to.y - 12.0f;
    const float height = bottom - from.y - ImGui::GetTextLineHeight() - 14.0f;
    const auto x_of = [&](std::size_t i) {
        return count == 1 ? 0.5f * (left + right) : left + (right - left) * float(i) / float(count - 1);
    };
    const auto y_of = [&](double value) {
        const double part = decades ? std::log(std::max(value, low) / low) / std::log(high / low) : value / high;
        return bottom - height * float(std::min(part, 1.0));
    };
    float free_below = to.y + 100.0f;  // labels that would touch the one below are left out
    for (const double mark : marks) {
        const float y = y_of(mark);
        draw.AddLine({left - 6.0f, y}, {to.x - 8.0f, y}, grid);
        const std::string text = decades && mark == low ? "less" : meters(mark);
        const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
        if (y + 0.5f * extent.y > free_below) continue;
        draw.AddText({left - 12.0f - extent.x, y - 0.5f * extent.y}, muted, text.c_str());
        free_below = y - 0.5f * extent.y;
    }
    for (const std::size_t i : bounds.new_start) {
        if (i == 0) continue;
        const float x = 0.5f * (x_of(i - 1) + x_of(i));
        draw.AddLine({x, bottom - height - 4}, {x, to.y - 4}, IM_COL32(255, 255, 255, 46));
    }
    const auto begins = [&](std::size_t i) {
        return std::find(bounds.new_start.begin(), bounds.new_start.end(), i) != bounds.new_start.end();
    };
    for (std::size_t i = 1; i < count; ++i) {
        if (begins(i) || !std::isfinite(bounds.lower[i - 1])) continue;
        const float x0 = x_of(i - 1), x1 = x_of(i);
        const bool open = !std::isfinite(bounds.upper[i - 1]);
        const float u0 = open ? bottom - height : y_of(bounds.upper[i - 1]), u1 = y_of(bounds.upper[i]);
        const float l0 = y_of(bounds.lower[i - 1]), l1 = y_of(bounds.lower[i]);
        draw.AddQuadFilled({x0, u0}, {x1, u1}, {x1, l1}, {x0, l0}, IM_COL32(150, 180, 210, 22));
        if (!open) draw.AddLine({x0, u0}, {x1, u1}, bounds.upper_color, 1.8f);
        draw.AddLine({x0, l0}, {x1, l1}, bounds.lower_color, 1.8f);
    }
    const float at = x_of(std::min(bounds.at, count - 1));
    draw.AddLine({at, bottom - height - 4}, {at, to.y - 4}, IM_COL32(255, 255, 255, 110));
    for (std::size_t i = 0; i < count; ++i) {
        const float radius = i == bounds.at ? 4.5f : count > 60 ? 1.5f : 2.6f;
        if (std::isfinite(bounds.upper[i]))
            draw.AddCircleFilled({x_of(i), y_of(bounds.upper[i])}, radius, bounds.upper_color);
        if (std::isfinite(bounds.lower[i]))
            draw.AddCircleFilled({x_of(i), y_of(bounds.lower[i])}, radius, bounds.lower_color);
    }
    if (!ImGui::IsItemActive()) return std::nullopt;
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < count; ++i) {
        if (std::abs(x_of(i) - ImGui::GetMousePos().x) < std::abs(x_of(nearest) - ImGui::GetMousePos().x)) nearest = i;
    }
    return nearest;
}

void swatch(ImU32 color) {
    const float side = ImGui::GetTextLineHeight();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({from.x, from.y + 2}, {from.x + side - 4, from.y + side - 2}, color,
                                              3.0f);
    ImGui::Dummy({side - 2.0f, side});
    ImGui::SameLine(0, 4);
}

void heading(const char* text, const std::string& note) {
    ImGui::Dummy({0, 2});
    ImGui::TextUnformatted(text);
    if (!note.empty()) {
        ImGui::SameLine();
        ImGui::PushStyleColor(ImGuiCol_Text, muted);
        ImGui::TextUnformatted(note.c_str());
        ImGui::PopStyleColor();
    }
}

void tip(const char* text) {
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(320.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

std::optional<int> choice(const char* id, std::span<const char* const> labels, int current,
                          std::span<const char* const> tips) {
    std::optional<int> pressed;
    ImGui::PushID(id);
    for (int i = 0; i < int(labels.size()); ++i) {
        if (i > 0) ImGui::SameLine(0, 1);
        const bool down = i == current;
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetColorU32(down ? ImGuiCol_ButtonActive : ImGuiCol_FrameBg));
        ImGui::PushStyleColor(ImGuiCol_Text, down ? ImGui::GetColorU32(ImGuiCol_Text) : muted);
        if (ImGui::SmallButton(labels[std::size_t(i)])) pressed = i;
        ImGui::PopStyleColor(2);
        if (std::size_t(i) < tips.size()) tip(tips[std::size_t(i)]);
    }
    ImGui::PopID();
    return pressed;
}

std::size_t step_buttons(std::size_t at, std::size_t count) {
    const std::size_t last = count - 1, before = at;
    const float width = ImGui::GetFrameHeight() * 1.35f;
    const auto button = [&](const char* label, bool able, std::size_t to, const char* text) {
        if (!able) ImGui::BeginDisabled();
        if (ImGui::Button(label, {width, 0})) at = to;
        if (!able) ImGui::EndDisabled();
        tip(text);
        ImGui::SameLine(0, 3);
    };
    button("|<", before > 0, 0, "To the start");
    button("<", before > 0, before - 1, "Back (left arrow)");
    button(">", before < last, before + 1, "On (right arrow)");
    button(">|", before < last, last, "To the end");
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) && !ImGui::GetIO().WantTextInput) {
        if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_LeftArrow)) && before > 0) at = before - 1;
        if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_RightArrow)) && before < last) at = before + 1;
    }
    return at;
}

std::size_t step_slider(std::size_t at, std::size_t count, float width) {
    ImGui::SetNextItemWidth(width);
    int chosen = int(at) + 1;
    const int steps = int(count);
    const std::string text = format("step %%d of %d", steps);
    if (ImGui::SliderInt("##step", &chosen, 1, steps, text.c_str(), ImGuiSliderFlags_AlwaysClamp))
        at = std::size_t(chosen - 1);
    return at;
}

}  // namespace talus::samples::plot
