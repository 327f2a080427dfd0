#include "samples/window/panels/profile_panel.h"

#include "samples/window/panels/plot.h"
#include "samples/window/panels/ui_style.h"

#include <talus/profiling/statistics.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace talus::samples {

namespace {

using plot::format;
using plot::microseconds;

constexpr ImU32 stage_colors[stage_count] = {
    IM_COL32(86, 140, 180, 255),  IM_COL32(222, 156, 80, 255),  IM_COL32(146, 128, 184, 255),
    IM_COL32(98, 166, 124, 255),  IM_COL32(204, 118, 128, 255), IM_COL32(120, 140, 158, 255),
    IM_COL32(186, 178, 112, 255), IM_COL32(72, 82, 92, 255),
};

ImU32 color_of_layer(int rung) { return plot::to_imgui(color_of(Rung(rung))); }

constexpr const char* rung_tips[] = {
    "Separated, and moved less than the gap since the last test.",
    "Manifold kept: anchors stay fixed in the bodies. Its time is booked on skip: they share a pass.",
    "Shapes whose distance needs no iteration.",
    "Last frame's axis still separates them.",
    "Last frame's axis gives the contact. Its time is booked on the other axis rung: they share a list.",
    "GJK from last frame's simplex.",
    "GJK from nothing.",
    "Overlapping cores: last frame's face of EPA, slid to its place.",
    "Overlapping cores: EPA from GJK's simplex.",
    "Solids that are not convex: contact points from the features that can touch. Each patch of a pair counts.",
};
static_assert(std::size(rung_tips) == rung_count);

std::string each(double us) { return us < 1.0 ? format("%.0f ns", 1000.0 * us) : microseconds(us); }

std::string percent(double value) { return value > 0.0 && value < 0.1 ? "<0.1%" : format("%.1f%%", value); }

double share(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

template <class Array>
double sum_of(const Array& values) {
    double sum = 0.0;
    for (const auto value : values) sum += double(value);
    return sum;
}

void muted_text(const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void right_aligned(const std::string& text, ImU32 color = 0) {
    const float extent = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - extent));
    if (color != 0) ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(text.c_str());
    if (color != 0) ImGui::PopStyleColor();
}

/// A cell with a bar behind its text.
void share_cell(double part, ImU32 color) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {from.x, from.y + 2}, {from.x + width * float(std::min(part, 100.0) / 100.0), from.y + height - 1},
        (color & 0x00ffffffu) | 0x78000000u, 2.0f);
    right_aligned(percent(part));
}

void header_cell(const char* text, const char* tip = nullptr) {
    ImGui::TableNextColumn();
    right_aligned(text, plot::muted);
    if (tip) plot::tip(tip);
}

}  // namespace

struct ProfilePanel::View {
    const ProfileHistory& history;
    const ProfileContext& context;
    std::size_t at;  ///< the frame looked at
    bool live;       ///< it is the newest, whichever that is

    const ProfiledFrame& frame() const { return history[at]; }
    std::string name_of(BodyId body) const {
        return context.name_of ? context.name_of(body) : format("body %u", body.slot);
    }
    std::string pair_name(BodyId a, std::uint32_t shape_a, BodyId b, std::uint32_t shape_b) const {
        const auto side = [&](BodyId body, std::uint32_t shape) {
            return name_of(body) + (shape > 0 ? format(" (shape %u)", shape) : std::string());
        };
        return side(a, shape_a) + "  and  " + side(b, shape_b);
    }
};

void ProfilePanel::show(const ProfileHistory& history, const ProfileContext& context, ProfileActions& actions) {
    if (history.empty()) {
        muted_text("No frames yet: let the simulation run, or step it once.");
        return;
    }
    const std::optional<std::size_t> found = selected_ ? history.find(*selected_) : std::nullopt;
    if (!found) selected_.reset();  // it has left the window of frames
    const View view{history, context, found.value_or(history.size() - 1), !found};
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(3, 2));
    show_header(view, actions);
    show_plots(view);
    show_frame(view, actions);
    show_percentiles(view);
    constexpr const char* scopes[] = {"this frame", "all frames"};
    ImGui::Dummy({0, 2});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Narrowphase by rung");
    const float extent = ImGui::CalcTextSize(scopes[0]).x + ImGui::CalcTextSize(scopes[1]).x +
                         4.0f * ImGui::GetStyle().FramePadding.x + 1.0f;
    ImGui::SameLine(std::max(ImGui::GetCursorPosX(), ImGui::GetWindowContentRegionMax().x - extent));
    if (const auto scope = plot::choice("scope", scopes, over_all_ ? 1 : 0)) over_all_ = *scope == 1;
    show_rungs(view);
    show_histograms(view);
    show_shape_pairs(view);
    show_joints(view);
    show_slowest_pairs(view, actions);
    ImGui::PopStyleVar();
}

void ProfilePanel::show_header(const View& view, ProfileActions& actions) {
    const FrameProfile& p = view.frame().profile;
    constexpr const char* labels[] = {"off", "stages", "pairs"};
    constexpr const char* tips[] = {
        "No clock is read: all times are zero. Counts are always taken.",
        "Stages of the step, and rungs in batches; pairs that are new or deep one by one.",
        "And every other pair that a test settled, one by one: needed to name the slowest pair among all.",
    };
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Timing");
    ImGui::SameLine();
    if (const auto timing = plot::choice("timing", labels, int(view.context.timing), tips))
        actions.timing = Timing(*timing);
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    if (view.context.timing == Timing::off)
        ImGui::TextUnformatted("counts only");
    else
        ImGui::Text("costs %s, %s", microseconds(p.timing).c_str(), percent(share(p.timing, p.total)).c_str());
    ImGui::PopStyleColor();
    plot::tip("What reading clocks took of this frame's step: their number by the price of one read.");
}

namespace {

/// The legend of a plot in as many columns as fit. `entry(i)` is a colour and a name.
template <class Entry>
void legend(float width, int entries, const Entry& entry) {
    float used = 0.0f;
    for (int i = 0; i < entries; ++i) {
        const auto [color, name] = entry(i);
        const float extent = ImGui::GetTextLineHeight() + 14.0f + ImGui::CalcTextSize(name.c_str()).x;
        if (i > 0 && used + extent <= width) ImGui::SameLine(0, 10);
        if (i == 0 || used + extent > width) used = 0.0f;
        used += extent;
        plot::swatch(color);
        ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
        ImGui::TextUnformatted(name.c_str());
        ImGui::PopStyleColor();
    }
}

void tip_row(ImU32 color, std::string_view name, const std::string& number, const std::string& time) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (color != 0) plot::swatch(color);
    ImGui::TextUnformatted(name.data(), name.data() + name.size());
    ImGui::TableNextColumn();
    right_aligned(number);
    ImGui::TableNextColumn();
    right_aligned(time);
}

/// A tooltip with a table of a frame, which `rows` fills.
template <class Rows>
void frame_tip(const ProfiledFrame& frame, const Rows& rows) {
    ImGui::BeginTooltip();
    ImGui::Text("Frame %llu", static_cast<unsigned long long>(frame.profile.frame));
    ImGui::SameLine(0, 16);
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::TextUnformatted("click to look at it");
    ImGui::PopStyleColor();
    if (ImGui::BeginTable("tip", 3, ImGuiTableFlags_SizingFixedFit)) {
        ImGui::TableSetupColumn("name", 0, 160.0f);
        ImGui::TableSetupColumn("number", 0, 90.0f);
        ImGui::TableSetupColumn("time", 0, 80.0f);
        rows();
        ImGui::EndTable();
    }
    ImGui::EndTooltip();
}

void rungs_tip(const ProfiledFrame& frame, const std::array<ImU32, rung_count>& rung_colors) {
    frame_tip(frame, [&] {
        const NarrowphaseProfile& n = frame.profile.narrowphase;
        for (int i = rung_count - 1; i >= 0; --i) {
            const auto k = std::size_t(i);
            if (n.pairs[k] == 0 && n.microseconds[k] < 0.5) continue;
            // The time of rungs that share a pass stands with the first of them.
            tip_row(rung_colors[k], title_of(Rung(i)), counted(n.pairs[k], "pair", "pairs"),
                    n.microseconds[k] > 0.0 ? microseconds(n.microseconds[k]) : "");
        }
        tip_row(0, "all", counted(std::uint64_t(sum_of(n.pairs)), "pair", "pairs"),
                microseconds(sum_of(n.microseconds)));
    });
}

void stages_tip(const ProfiledFrame& frame) {
    frame_tip(frame, [&] {
        const auto stage = stage_times(frame.profile);
        for (int i = stage_count - 1; i >= 0; --i)
            tip_row(stage_colors[i], stage_name(i), format("%.0f%%", share(stage[std::size_t(i)], frame.profile.total)),
                    microseconds(stage[std::size_t(i)]));
        tip_row(0, "step", "", microseconds(frame.profile.total));
        tip_row(0, "of it broadphase", "", microseconds(frame.profile.broadphase));
    });
}

}  // namespace

void ProfilePanel::show_plots(const View& view) {
    const float width = ImGui::GetContentRegionAvail().x;
    std::array<ImU32, rung_count> rung_colors;
    for (int i = 0; i < rung_count; ++i) rung_colors[std::size_t(i)] = color_of_layer(i);
    // Without times pairs are plotted by number.
    const bool timed =
        sum_of(view.frame().profile.narrowphase.microseconds) > 0.0 || view.context.timing != Timing::off;

    plot::Stack stack;
    stack.frames = view.history.size();
    if (!view.live) stack.selected = view.at;
    stack.is_pale = [&](std::size_t frame) { return timed && !is_calm(view.history[frame].profile); };
    stack.layers = rung_count;
    stack.colors = rung_colors;
    const auto rung_value = [&](std::size_t frame, int rung) {
        const NarrowphaseProfile& n = view.history[frame].profile.narrowphase;
        return timed ? n.microseconds[std::size_t(rung)] : double(n.pairs[std::size_t(rung)]);
    };
    stack.value = rung_value;
    if (!timed) stack.format = plot::count;
    plot::heading("Narrowphase", timed ? "time per frame, by rung" : "pairs per frame, by rung");
    const plot::StackAnswer rungs = plot::stacked("rungs", {width, 112.0f}, stack);
    const float rungs_bottom = ImGui::GetItemRectMax().y;

    legend(width, rung_count,
           [&](int i) { return std::pair(rung_colors[std::size_t(i)], std::string(title_of(Rung(i)))); });

    std::vector<std::array<double, stage_count>> times;
    times.reserve(view.history.size());
    double all_time = 0.0;
    for (std::size_t i = 0; i < view.history.size(); ++i) {
        times.push_back(stage_times(view.history[i].profile));
        all_time += sum_of(times.back());
    }
    if (all_time == 0.0) {
        if (rungs.clicked) selected_ = view.history[*rungs.clicked].profile.frame;
        return;
    }
    plot::heading("Step", "time per frame, by stage");
    stack.layers = stage_count;
    stack.colors = stage_colors;
    stack.format = plot::round_microseconds;
    stack.value = [&](std::size_t frame, int stage) { return times[frame][std::size_t(stage)]; };
    const plot::StackAnswer steps = plot::stacked("stages", {width, 112.0f}, stack);
    const float steps_bottom = ImGui::GetItemRectMax().y;
    legend(width, stage_count, [&](int i) { return std::pair(stage_colors[i], std::string(stage_name(i))); });

    const auto hovered = rungs.hovered ? rungs.hovered : steps.hovered;
    const auto clicked = rungs.clicked ? rungs.clicked : steps.clicked;
    if (clicked) selected_ = view.history[*clicked].profile.frame;
    if (!hovered) return;
    const ProfiledFrame& frame = view.history[*hovered];
    // Below the plot, so that it does not hide what it speaks of.
    const float bottom = (rungs.hovered ? rungs_bottom : steps_bottom) + 8.0f;
    const float left = std::min(ImGui::GetMousePos().x - 120.0f, ImGui::GetIO().DisplaySize.x - 384.0f);
    ImGui::SetNextWindowPos({std::max(4.0f, left), bottom});
    if (rungs.hovered)
        rungs_tip(frame, rung_colors);
    else
        stages_tip(frame);
}

/// The frames that stand out among those shown.
struct ProfilePanel::NotableFrames {
    explicit NotableFrames(const View& view)
        : timed(view.history.percentiles(find_frame_column("step")->value).max > 0.0),
          step(*find_frame_column(timed ? "step" : "wall")),
          slowest(*find_frame_column("slowest pair")),
          worst(view.history.worst(step.value)),
          worst_pair(view.history.worst(slowest.value)) {}

    bool timed;  ///< without times the pictures are what is left to go by
    const FrameColumn &step, &slowest;
    std::size_t worst, worst_pair;  ///< indices in the history
};

/// Buttons that select a frame.
void ProfilePanel::show_choices(const View& view, const NotableFrames& of) {
    ImGui::Dummy({0, 2});
    if (ImGui::Button(format("Worst frame %s", microseconds(of.step.value(view.history[of.worst])).c_str()).c_str()))
        selected_ = view.history[of.worst].profile.frame;
    plot::tip(of.timed ? "The step that took longest among the frames shown."
                       : "The frame that took longest from picture to picture.");
    ImGui::SameLine();
    const bool pairs_timed = of.slowest.value(view.history[of.worst_pair]) > 0.0;
    if (!pairs_timed) ImGui::BeginDisabled();
    if (ImGui::Button(
            format("Worst pair %s", microseconds(of.slowest.value(view.history[of.worst_pair])).c_str()).c_str()))
        selected_ = view.history[of.worst_pair].profile.frame;
    if (!pairs_timed) ImGui::EndDisabled();
    plot::tip("The pair whose test took longest among the frames shown.");
    ImGui::SameLine();
    if (view.live) ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    if (ImGui::Button("Newest")) selected_.reset();
    if (view.live) ImGui::PopStyleColor();
    plot::tip("Follow the newest frame.");
}

/// The frame's slowest pair, and what can be done with it.
void ProfilePanel::show_pair_of_frame(const View& view, ProfileActions& actions) {
    const FrameProfile& p = view.frame().profile;
    const SlowestPair& pair = p.slowest;
    if (!pair.body_a) {
        muted_text(view.context.timing == Timing::off ? "No pair is timed while timing is off."
                                                      : "No pair was timed by itself in this frame.");
        ImGui::BeginDisabled();
    } else {
        plot::swatch(plot::to_imgui(color_of(pair.rung)));
        ImGui::TextUnformatted(view.pair_name(pair.body_a, pair.shape_a, pair.body_b, pair.shape_b).c_str());
        ImGui::SameLine();
        ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
        ImGui::Text("%s, %s", microseconds(pair.microseconds).c_str(), title_of(pair.rung));
        ImGui::PopStyleColor();
        plot::tip("The frame's slowest pair, among those that were timed one by one.");
    }
    const PairInFrame shown{pair, p.frame, view.frame().slowest_poses};
    if (ImGui::Button("Fly to it")) actions.fly_to = shown;
    plot::tip("Moves the camera to the pair where this frame left it, and shows it through what hides it.");
    ImGui::SameLine();
    if (ImGui::Button("Step GJK and EPA")) {
        actions.step_pair = shown;
        actions.query = view.frame().slowest;
    }
    plot::tip(view.frame().slowest ? "Its test in that frame, iteration by iteration."
                                   : "Its last test, iteration by iteration.");
    if (!pair.body_a) ImGui::EndDisabled();
    ImGui::SameLine();
    if (ImGui::Button(view.context.frozen ? "Go on" : "Freeze")) actions.freeze = !view.context.frozen;
}

void ProfilePanel::show_frame(const View& view, ProfileActions& actions) {
    const NotableFrames of(view);
    show_choices(view, of);
    const FrameProfile& p = view.frame().profile;
    const double median = view.history.percentiles(of.step.value).p50;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, IM_COL32(255, 255, 255, 9));
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 6.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 8));
    const float lines = 3.0f * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetFrameHeightWithSpacing() + 14.0f;
    ImGui::BeginChild("frame", {0, lines}, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
    ImGui::Text("Frame %llu", static_cast<unsigned long long>(p.frame));
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::TextUnformatted(!is_calm(p)                ? "the system interrupted it"
                           : view.live                ? "the newest"
                           : view.at == of.worst      ? "the worst of those shown"
                           : view.at == of.worst_pair ? "it has the worst pair"
                                                      : "selected");
    ImGui::PopStyleColor();
    ImGui::Text("step %s", microseconds(of.step.value(view.frame())).c_str());
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::TextUnformatted(median > 0.0 ? format("%.1f \xc3\x97 median", of.step.value(view.frame()) / median).c_str()
                                        : "");
    ImGui::PopStyleColor();
    if (of.timed) {
        ImGui::SameLine();
        ImGui::Text(" collide %s", microseconds(p.collide).c_str());
    }

    show_pair_of_frame(view, actions);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void ProfilePanel::show_percentiles(const View& view) {
    std::size_t calm = 0;
    for (std::size_t i = 0; i < view.history.size(); ++i) calm += is_calm(view.history[i].profile) ? 1 : 0;
    const std::size_t interrupted = calm == 0 ? 0 : view.history.size() - calm;
    const std::string kept = plot::count(double(view.history.size()));
    plot::heading("Typical and bad frames",
                  interrupted == 0 ? format("over %s frames", kept.c_str())
                                   : format("over %s of %s frames", plot::count(double(calm)).c_str(), kept.c_str()));
    if (interrupted > 0)
        plot::tip(
            "The pale ones are left out: during them the system gave the processor to others, so their times say "
            "little.");
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
    const bool narrow = ImGui::GetContentRegionAvail().x < 400.0f;  // no room for the frame's own
    if (!ImGui::BeginTable("percentiles", narrow ? 5 : 6, flags)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!narrow) header_cell(view.live ? "now" : "this");
    header_cell("p50", "Half of the frames took no longer.");
    header_cell("p95", "One frame in twenty took longer.");
    header_cell("p99", "One frame in a hundred took longer.");
    header_cell("max", "Click a value to look at its frame.");
    for (const char* name : {"step", "collide", "solve", "broadphase", "slowest pair", "wall"}) {
        const FrameColumn& column = *find_frame_column(name);
        const ProfileHistory::Percentiles all = view.history.percentiles(column.value);
        if (all.max == 0.0) continue;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(name);
        if (std::strcmp(name, "wall") == 0) plot::tip("From picture to picture.");
        if (!narrow) {
            ImGui::TableNextColumn();
            right_aligned(microseconds(column.value(view.frame())));
        }
        for (const double value : {all.p50, all.p95, all.p99}) {
            ImGui::TableNextColumn();
            right_aligned(microseconds(value));
        }
        ImGui::TableNextColumn();
        right_aligned(microseconds(all.max));
        if (ImGui::IsItemClicked()) selected_ = view.history[view.history.worst(column.value)].profile.frame;
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        plot::tip("Click to look at that frame.");
    }
    ImGui::EndTable();
}

void ProfilePanel::show_rungs(const View& view) {
    const NarrowphaseProfile n = over_all_ ? view.history.narrowphase() : view.frame().profile.narrowphase;
    const double frames = over_all_ ? double(view.history.size()) : 1.0;
    const double pairs = sum_of(n.pairs), time = sum_of(n.microseconds);
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
    const bool narrow = ImGui::GetContentRegionAvail().x < 400.0f;  // no room for the last column
    if (ImGui::BeginTable("rungs", narrow ? 5 : 6, flags)) {
        ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
        ImGui::TableSetupColumn("pairs", 0, 1.05f);
        ImGui::TableSetupColumn("share", 0, 1.2f);
        ImGui::TableSetupColumn("time", 0, 1.2f);
        ImGui::TableSetupColumn("of time", 0, 1.2f);
        if (!narrow) ImGui::TableSetupColumn("each", 0, 1.1f);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        header_cell("pairs", over_all_ ? "A frame, on average." : nullptr);
        header_cell("of pairs");
        header_cell("time", over_all_ ? "A frame, on average." : nullptr);
        header_cell("of time");
        if (!narrow) {
            header_cell(
                "each",
                "The time of the rung over the pairs that it settled. What climbed on from it is paid for here too.");
        }
        for (int i = 0; i < rung_count; ++i) {
            const auto k = std::size_t(i);
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            plot::swatch(color_of_layer(i));
            if (n.pairs[k] == 0) ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
            ImGui::TextUnformatted(title_of(Rung(i)));
            if (n.pairs[k] == 0) ImGui::PopStyleColor();
            plot::tip(rung_tips[i]);
            ImGui::TableNextColumn();
            right_aligned(n.pairs[k] == 0 ? "-" : plot::count(double(n.pairs[k]) / frames),
                          n.pairs[k] == 0 ? plot::muted : 0);
            ImGui::TableNextColumn();
            if (n.pairs[k] > 0) share_cell(share(double(n.pairs[k]), pairs), color_of_layer(i));
            ImGui::TableNextColumn();
            if (n.microseconds[k] > 0.0) right_aligned(microseconds(n.microseconds[k] / frames));
            ImGui::TableNextColumn();
            if (n.microseconds[k] > 0.0) share_cell(share(n.microseconds[k], time), color_of_layer(i));
            if (narrow) continue;
            ImGui::TableNextColumn();
            // Rungs that share a pass share its time: reuse with skip, the two axes.
            double served = double(n.pairs[k]);
            if (Rung(i) == Rung::skip) served += double(n.pairs[std::size_t(Rung::reuse)]);
            if (Rung(i) == Rung::axis_separated) served += double(n.pairs[std::size_t(Rung::axis_touching)]);
            if (n.microseconds[k] > 0.0 && served > 0.0) right_aligned(each(n.microseconds[k] / served));
        }
        ImGui::EndTable();
    }
    const auto on = [&](Rung rung) { return double(n.pairs[std::size_t(rung)]); };
    const double gjk = on(Rung::warm_gjk) + on(Rung::cold_gjk), epa = on(Rung::warm_epa) + on(Rung::cold_epa);
    std::string rates = format("%.1f%% of pairs cost no test", share(on(Rung::skip) + on(Rung::reuse), pairs));
    if (gjk > 0.0) rates += format("; GJK starts warm in %.1f%%", share(on(Rung::warm_gjk), gjk));
    if (epa > 0.0) rates += format("; EPA in %.1f%%", share(on(Rung::warm_epa), epa));
    muted_text(rates + format("; %.0f support points per frame.", double(n.support_evaluations) / frames));
}

void ProfilePanel::show_histograms(const View& view) {
    const NarrowphaseProfile n = over_all_ ? view.history.narrowphase() : view.frame().profile.narrowphase;
    const float gap = 12.0f, width = 0.5f * (ImGui::GetContentRegionAvail().x - gap);
    const auto one = [&](const char* id, const char* name, std::uint64_t queries, std::uint64_t iterations,
                         std::uint64_t caps, const std::array<std::uint64_t, 16>& bins, ImU32 color, int per_bin,
                         const char* cap_says) {
        ImGui::BeginGroup();
        const double mean = queries > 0 ? double(iterations) / double(queries) : 0.0;
        plot::heading(name, queries > 0 ? format("%.1f iterations per query", mean) : "no queries");
        const auto over = plot::histogram(id, {width, 84.0f}, bins, color,
                                          [&](int bin) { return format(bin == 15 ? "%d+" : "%d", bin * per_bin); });
        if (over) {
            const int first = *over * per_bin, last = first + per_bin - 1;
            ImGui::BeginTooltip();
            const std::string range = *over == 15    ? format("%d or more", first)
                                      : per_bin == 1 ? format("%d", first)
                                                     : format("%d to %d", first, last);
            ImGui::Text("%s iterations: %s queries, %.1f%%", range.c_str(),
                        plot::count(double(bins[std::size_t(*over)])).c_str(),
                        share(double(bins[std::size_t(*over)]), double(queries)));
            ImGui::EndTooltip();
        }
        if (caps > 0) muted_text(format("%s %s", plot::count(double(caps)).c_str(), cap_says));
        ImGui::EndGroup();
    };
    one("gjk", "GJK", n.gjk_queries, n.gjk_iterations, n.gjk_cap_hits, n.gjk_histogram,
        color_of_layer(int(Rung::warm_gjk)), 1, "stopped at the cap");
    ImGui::SameLine(0, gap);
    one("epa", "EPA", n.epa_queries, n.epa_iterations, n.epa_cap_hits, n.epa_histogram,
        color_of_layer(int(Rung::cold_epa)), 4, "ran out of memory");
}

void ProfilePanel::show_shape_pairs(const View& view) {
    struct Row {
        int a, b;
        double tests, time;
    };
    const NarrowphaseProfile n = over_all_ ? view.history.narrowphase() : view.frame().profile.narrowphase;
    const double frames = over_all_ ? double(view.history.size()) : 1.0;
    std::vector<Row> rows;
    double tests = 0.0, time = 0.0;
    for (int a = 0; a < shape_type_count; ++a) {
        for (int b = a; b < shape_type_count; ++b) {
            const double row_tests = double(n.tested_by_shapes[std::size_t(a)][std::size_t(b)]);
            const double row_time = n.microseconds_by_shapes[std::size_t(a)][std::size_t(b)];
            if (row_tests == 0.0 && row_time == 0.0) continue;
            rows.push_back({a, b, row_tests / frames, row_time / frames});
            tests += rows.back().tests;
            time += rows.back().time;
        }
    }
    plot::heading("Tests by shapes", view.context.timing == Timing::pairs    ? ""
                                     : view.context.timing == Timing::stages ? "times of the cold and deep ones only"
                                                                             : "not timed");
    if (rows.empty()) {
        muted_text("No pair needed a test.");
        return;
    }
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg |
                                      ImGuiTableFlags_PadOuterX | ImGuiTableFlags_Sortable;
    if (!ImGui::BeginTable("shapes", 5, flags)) return;
    ImGui::TableSetupColumn("shapes", 0, 2.2f, 0);
    ImGui::TableSetupColumn("tests", ImGuiTableColumnFlags_PreferSortDescending, 1.0f, 1);
    ImGui::TableSetupColumn("of tests", ImGuiTableColumnFlags_NoSort, 1.2f, 2);
    ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_PreferSortDescending | ImGuiTableColumnFlags_DefaultSort,
                            1.2f, 3);
    ImGui::TableSetupColumn("of time", ImGuiTableColumnFlags_NoSort, 1.2f, 4);
    ImGui::TableHeadersRow();
    if (const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs && specs->SpecsCount > 0) {
        const ImGuiTableColumnSortSpecs& by = specs->Specs[0];
        std::stable_sort(rows.begin(), rows.end(), [&](const Row& p, const Row& q) {
            const auto less = [&](const Row& r, const Row& s) {
                if (by.ColumnUserID == 1) return r.tests < s.tests;
                if (by.ColumnUserID == 3) return r.time != s.time ? r.time < s.time : r.tests < s.tests;
                return std::pair(r.a, r.b) < std::pair(s.a, s.b);
            };
            return by.SortDirection == ImGuiSortDirection_Ascending ? less(p, q) : less(q, p);
        });
    }
    for (const Row& row : rows) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const std::string_view a = talus::name_of(ShapeType(row.a)), b = talus::name_of(ShapeType(row.b));
        ImGui::Text("%.*s, %.*s", int(a.size()), a.data(), int(b.size()), b.data());
        ImGui::TableNextColumn();
        right_aligned(plot::count(row.tests));
        ImGui::TableNextColumn();
        share_cell(share(row.tests, tests), IM_COL32(120, 150, 180, 255));
        ImGui::TableNextColumn();
        if (row.time > 0.0) right_aligned(microseconds(row.time));
        ImGui::TableNextColumn();
        if (row.time > 0.0) share_cell(share(row.time, time), IM_COL32(222, 156, 80, 255));
    }
    ImGui::EndTable();
}

void ProfilePanel::show_joints(const View& view) {
    const JointProfile& j = view.frame().profile.joints;
    if (j.articulations == 0) return;
    plot::heading("Joints of this frame", "");
    const auto each_articulation = [&](std::uint64_t n) { return double(n) / double(j.articulations); };
    ImGui::TextUnformatted((counted(j.joints, "joint", "joints") + " in " +
                            counted(j.articulations, "articulation", "articulations") + ", " +
                            counted(j.rows, "row", "rows"))
                               .c_str());
    plot::tip("An articulation is a set of bodies that joints connect; a row is one scalar constraint.");
    muted_text(format("%.1f factorisations and %.1f rounds per articulation.", each_articulation(j.factorizations),
                      each_articulation(j.rounds)));
    muted_text(format("%.1f passes per articulation were solved alone.", each_articulation(j.passes_alone)));
    if (!(j.microseconds > 0.0)) return;
    ImGui::Text("%s, %s per joint", microseconds(j.microseconds).c_str(),
                each(j.microseconds / double(j.joints)).c_str());
    if (j.coupled_microseconds > 0.0)
        ImGui::Text("%s for contacts that are solved with joints", microseconds(j.coupled_microseconds).c_str());
    if (!j.slowest_body.is_null())
        ImGui::Text("slowest: %s, the articulation of body %u", microseconds(j.slowest_microseconds).c_str(),
                    j.slowest_body.slot);
}

void ProfilePanel::show_slowest_pairs(const View& view, ProfileActions& actions) {
    if (view.context.pairs == nullptr || !view.live) return;
    std::vector<const PairInfo*> slow;
    for (const PairInfo& pair : *view.context.pairs) {
        if (pair.microseconds > 0.0) slow.push_back(&pair);
    }
    if (slow.empty()) return;
    const std::size_t kept = std::min<std::size_t>(slow.size(), 8);
    std::partial_sort(slow.begin(), slow.begin() + std::ptrdiff_t(kept), slow.end(),
                      [](const PairInfo* p, const PairInfo* q) { return p->microseconds > q->microseconds; });
    plot::heading("Slowest pairs of the newest frame", "click: fly there");
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
    if (!ImGui::BeginTable("slowest", 3, flags)) return;
    ImGui::TableSetupColumn("pair", 0, 3.2f);
    ImGui::TableSetupColumn("rung", 0, 1.2f);
    ImGui::TableSetupColumn("time", 0, 1.0f);
    for (std::size_t i = 0; i < kept; ++i) {
        const PairInfo& pair = *slow[i];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        plot::swatch(plot::to_imgui(color_of(pair.rung)));
        ImGui::PushID(int(i));
        const std::string name = view.pair_name(pair.body_a, pair.shape_a, pair.body_b, pair.shape_b);
        if (ImGui::Selectable(name.c_str(), false,
                              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
            const PairInFrame named = in_frame(pair, view.frame().profile.frame);
            if (ImGui::IsMouseDoubleClicked(0))
                actions.step_pair = named;
            else
                actions.fly_to = named;
        }
        ImGui::PopID();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
        ImGui::TextUnformatted(title_of(pair.rung));
        ImGui::PopStyleColor();
        ImGui::TableNextColumn();
        right_aligned(microseconds(pair.microseconds));
    }
    ImGui::EndTable();
}

}  // namespace talus::samples
