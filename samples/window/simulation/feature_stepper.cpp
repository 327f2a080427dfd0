#include "samples/window/simulation/feature_stepper.h"

#include "samples/window/panels/plot.h"
#include "samples/window/simulation/stepper.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

using plot::format;
using plot::with_alpha;

constexpr ImU32 color_a = plot::to_imgui(color_of_a), color_b = plot::to_imgui(color_of_b);
constexpr ImU32 event_color = IM_COL32(240, 150, 62, 255), tested_color = IM_COL32(236, 240, 244, 230);
constexpr ImU32 crossing_color = IM_COL32(112, 208, 150, 255), node_color = IM_COL32(228, 208, 116, 255);
constexpr ImU32 meridian_color = IM_COL32(214, 106, 106, 255);
constexpr float seconds_to_play = 20.0f;
constexpr double pi = 3.14159265358979;

/// From A's frame into the pictures: the pole of the sweep, A's z axis, points up.
vec3 turned(const vec3& p) { return {p.x, p.z, -p.y}; }
vec3 turned(const glm::dvec3& p) { return turned(vec3(p)); }

vec3 to_eye(const Orbit& orbit) {
    return {std::sin(orbit.yaw) * std::cos(orbit.pitch), std::sin(orbit.pitch),
            std::cos(orbit.yaw) * std::cos(orbit.pitch)};
}

const char* letter(bool of_b) { return of_b ? "B" : "A"; }

/// "3 arcs", "1 arc".
std::string counted(std::size_t number, const char* one, const char* many) {
    return plot::count(double(number)) + " " + (number == 1 ? one : many);
}

/// What a stop tests and finds.
struct StopTests {
    std::size_t arcs = 0, crossings = 0, nodes = 0;
    const OverlayStep* first_node = nullptr;

    StopTests(const OverlayTrace& trace, const SweepStop& stop) {
        for (std::size_t i = stop.first; i < stop.last; ++i) {
            const OverlayStep& step = trace.steps[i];
            arcs += std::size_t(step.kind == OverlayStepKind::arcs_tested);
            crossings += std::size_t(step.kind == OverlayStepKind::arcs_cross);
            if (step.kind != OverlayStepKind::node_in_region) continue;
            if (nodes++ == 0) first_node = &step;
        }
    }
};

}  // namespace

void FeatureStepper::set(Side a, Side b) {
    Result<SolidShape> solid_a = solid_of(a.shape), solid_b = solid_of(b.shape);
    pair_.emplace(Pair{std::move(a), std::move(b), std::move(solid_a), std::move(solid_b)});
    steps_.reset();
    playing_ = -1.0f;
    orbit_ = {};
}

std::string FeatureStepper::why_not() const {
    for (const bool of_b : {false, true}) {
        const Result<SolidShape>& solid = of_b ? pair_->solid_b : pair_->solid_a;
        const std::string& name = (of_b ? pair_->b : pair_->a).name;
        if (!solid) return "No orientation graph of " + name + ": " + solid.error().message + ".";
        const std::size_t edges = solid->shape.polyhedron.edges.size();
        if (edges > most_edges) {
            return name + " has " + counted(edges, "edge", "edges") + ". Overlays are shown of solids of up to " +
                   plot::count(most_edges) + ".";
        }
    }
    return {};
}

void FeatureStepper::follow(const WorldTransform& a, const WorldTransform& b) {
    if (!why_not().empty()) return;
    const quat before = b_in_a_.rotation;
    b_in_a_ = relative(multiply(a, pair_->a.shape.pose), multiply(b, pair_->b.shape.pose));
    if (steps_ && b_in_a_.rotation == before) return;
    const bool in_first_round = steps_ && stop_ < steps_->second_round;
    const double longitude = in_first_round ? steps_->stops[stop_].longitude : 0.0;
    rotation_ = glm::mat3_cast(glm::normalize(glm::dquat(b_in_a_.rotation)));
    steps_ = sweep_features(*pair_->solid_a, *pair_->solid_b, b_in_a_.rotation);
    stop_ = steps_->stops.empty() ? 0 : steps_->stops.size() - 1;
    if (!in_first_round) return;
    stop_ = 0;
    while (stop_ + 1 < steps_->second_round && steps_->stops[stop_ + 1].longitude <= longitude) ++stop_;
}

void FeatureStepper::go_to(std::size_t stop) {
    if (steps_ && !steps_->stops.empty()) stop_ = std::min(stop, steps_->stops.size() - 1);
}

const OverlayStep* FeatureStepper::event() const {
    const SweepStop& stop = steps_->stops[stop_];
    return stop.has_event ? &steps_->trace.steps[stop.first] : nullptr;
}

std::string FeatureStepper::describe() const {
    const StopTests tests(steps_->trace, steps_->stops[stop_]);
    const OverlayStep* const e = event();
    if (stop_ + 1 == steps_->stops.size()) {
        return "The end: " + counted(steps_->applicable.edges, "pair", "pairs") + " of edges and " +
               counted(steps_->applicable.vertices, "pair", "pairs") + " of a vertex and a face can touch first.";
    }
    if (e == nullptr && stop_ > 0) {
        const OverlayStep& node = *tests.first_node;
        return format("The region of vertex %u of %s begins. It has %s of %s, whose faces can touch that vertex first.",
                      node.other, letter(!node.of_b), counted(tests.nodes, "node", "nodes").c_str(), letter(node.of_b));
    }
    if (e == nullptr) {
        return format("The sweep starts at -180\xc2\xb0, with what a pole lies on: %s compared, %s of them cross.",
                      counted(tests.arcs, "pair of arcs is", "pairs of arcs are").c_str(),
                      plot::count(double(tests.crossings)).c_str());
    }
    switch (e->kind) {
        case OverlayStepKind::node_passed: {
            const std::string text =
                format("The node of face %u of %s is passed. It lies in ", e->index, letter(e->of_b));
            if (tests.nodes == 0) return text + "no region of " + letter(!e->of_b) + " that has begun.";
            return text + counted(tests.nodes, "region", "regions") + " of " + letter(!e->of_b) +
                   (tests.nodes == 1 ? ": the face can touch its vertex first."
                                     : ": the face can touch their vertices first.");
        }
        case OverlayStepKind::arc_begins: {
            const std::string text = format("The arc of edge %u of %s begins. ", e->index, letter(e->of_b)),
                              other = letter(!e->of_b);
            if (tests.arcs == 0) return text + "The meridian is on no arc of " + other + ".";
            return text + "Compared with " + counted(tests.arcs, "arc", "arcs") + " of " + other +
                   " on the meridian: " +
                   (tests.crossings == 0
                        ? "none crosses it."
                        : plot::count(double(tests.crossings)) +
                              (tests.crossings == 1 ? " crosses it; these two edges can touch first."
                                                    : " cross it; their edges can touch this one first."));
        }
        case OverlayStepKind::arc_ends:
            return format("The arc of edge %u of %s ends.", e->index, letter(e->of_b));
        default:
            return "Once more from -180\xc2\xb0: arcs and regions across the first meridian meet what begins there.";
    }
}

void FeatureStepper::show() {
    show_pair_names(pair_->a.name, pair_->b.name);
    ImGui::SameLine(0, 12);
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::TextUnformatted("features that can touch first");
    const std::string why = why_not();
    if (!why.empty()) ImGui::TextWrapped("%s", why.c_str());
    ImGui::PopStyleColor();
    if (!why.empty() || !steps_ || steps_->stops.empty()) return;

    show_counts();
    show_controls();
    // As high as its longest text, so that the pictures stand still.
    const float top = ImGui::GetCursorPosY();
    ImGui::TextWrapped("%s", describe().c_str());
    ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + 3.0f * ImGui::GetTextLineHeightWithSpacing()));

    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gap = 8.0f, legend = ImGui::GetTextLineHeightWithSpacing() + 2.0f;
    if (room.x >= 640.0f) {
        const float height = std::max(240.0f, room.y - legend), left = std::floor(0.6f * (room.x - gap));
        show_sphere({left, height});
        ImGui::SameLine(0, gap);
        show_solids({room.x - left - gap, height});
    } else {
        const float height = std::max(360.0f, room.y - legend - gap);
        show_sphere({room.x, std::floor(0.66f * height)});
        show_solids({room.x, std::floor(0.34f * height)});
    }
    bool first = true;
    for (const auto& [color, text] :
         {std::pair(color_a, "A"), std::pair(color_b, "B, mirrored"), std::pair(crossing_color, "edge on edge"),
          std::pair(node_color, "vertex on face"), std::pair(event_color, "now")}) {
        if (!first) ImGui::SameLine(0, 9);
        first = false;
        plot::swatch(color);
        ImGui::TextUnformatted(text);
    }
}

void FeatureStepper::show_counts() const {
    const FeaturePairs found = steps_->found_up_to(stop_);
    const FeaturePairs &all = steps_->all, &applicable = steps_->applicable;
    if (!ImGui::BeginTable("pairs", 4, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("name", 0, 1.9f);
    for (const char* column : {"all", "applicable", "found"}) ImGui::TableSetupColumn(column, 0, 1.0f);
    const auto cell = [](const std::string& text, bool is_muted) {
        ImGui::TableNextColumn();
        if (is_muted) ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
        ImGui::TextUnformatted(text.c_str());
        if (is_muted) ImGui::PopStyleColor();
    };
    for (const char* text : {"pairs of features", "all", "applicable", "found so far"}) cell(text, true);
    const auto row = [&](const char* name, std::size_t of_all, std::size_t left, const std::string& so_far) {
        cell(name, false);
        cell(plot::count(double(of_all)), false);
        cell(plot::count(double(left)) +
                 format(" (%.1f%%)", 100.0 * double(left) / double(std::max<std::size_t>(of_all, 1))),
             false);
        cell(so_far, false);
    };
    row("edge and edge", all.edges, applicable.edges, plot::count(double(found.edges)));
    row("vertex and face", all.vertices, applicable.vertices, plot::count(double(found.vertices)));
    row("edge and face, to test", all.edge_faces, applicable.edge_faces, "");
    ImGui::EndTable();
    plot::tip(
        "Applicable: they can touch first at this orientation, wherever the solids are. The interference tests take "
        "edges "
        "with faces: the fewest that stand for all applicable features.");
}

void FeatureStepper::show_controls() {
    const std::size_t count = steps_->stops.size();
    const std::size_t before = stop_;
    stop_ = plot::step_buttons(stop_, count);
    const bool plays = playing_ >= 0.0f;
    const bool key = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) && !ImGui::GetIO().WantTextInput &&
                     ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false);
    if (ImGui::Button(plays ? "Stop" : "Play", {ImGui::CalcTextSize("Play").x + 16.0f, 0}) || key) {
        playing_ = plays ? -1.0f : 0.0f;
        if (!plays && stop_ + 1 == count) stop_ = 0;
    }
    plot::tip("The sweep in 20 seconds (Enter)");
    ImGui::SameLine(0, 6);
    stop_ = plot::step_slider(stop_, count, ImGui::GetContentRegionAvail().x);
    if (playing_ < 0.0f) return;
    if (plays && stop_ != before) {  // somebody took it elsewhere
        playing_ = -1.0f;
        return;
    }
    playing_ += ImGui::GetIO().DeltaTime * float(count) / seconds_to_play;
    const float whole = std::floor(playing_);
    playing_ -= whole;
    stop_ = std::min(stop_ + std::size_t(whole), count - 1);
    if (stop_ + 1 == count) playing_ = -1.0f;
}

/// Draws on the unit sphere. The far side is pale.
struct FeatureStepper::SphereDrawing {
    const FeatureStepper& own;
    OrbitView& view;
    vec3 eye;  ///< to it

    const FaceOrientationGraph& graph(bool of_b) const {
        return (of_b ? own.pair_->solid_b : own.pair_->solid_a)->graph;
    }
    /// A direction in the solid's frame, in the picture.
    vec3 place(bool of_b, const glm::dvec3& d) const { return turned(of_b ? -(own.rotation_ * d) : d); }
    bool is_near(const vec3& p) const { return glm::dot(p, eye) > -0.02f; }

    void line(const vec3& p, const vec3& q, ImU32 color, float width) {
        view.line(p, q, is_near(p + q) ? color : with_alpha(color, int(color >> 24) / 2), width);
    }
    void arc(bool of_b, std::uint32_t index, ImU32 color, float width) {
        const FaceOrientationGraph::Arc& arc = graph(of_b).arcs[index];
        if (!arc.convex) return;
        const glm::dvec3 from = graph(of_b).nodes[arc.nodes[0]].direction,
                         to = graph(of_b).nodes[arc.nodes[1]].direction;
        const glm::dvec3 ahead = glm::cross(arc.axis, from);
        const double angle = std::atan2(std::max(0.0, glm::dot(to, ahead)), glm::dot(to, from));
        great_circle(of_b, from, ahead, angle, color, width);
    }
    /// From `from` on, by an angle toward `ahead`; both unit and at right angles.
    void great_circle(bool of_b, const glm::dvec3& from, const glm::dvec3& ahead, double angle, ImU32 color,
                      float width) {
        const int parts = std::max(1, int(std::ceil(angle / 0.12)));
        vec3 before = place(of_b, from);
        for (int i = 1; i <= parts; ++i) {
            const double t = angle * double(i) / double(parts);
            const vec3 next = place(of_b, std::cos(t) * from + std::sin(t) * ahead);
            line(before, next, color, width);
            before = next;
        }
    }
    void region(bool of_b, std::uint32_t vertex, ImU32 color, float width) {
        const auto corners = graph(of_b).corners_of(vertex);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const glm::dvec3 &from = corners[i], &to = corners[(i + 1) % corners.size()];
            const glm::dvec3 across = to - glm::dot(to, from) * from;
            const double sine = glm::length(across);
            if (sine > 1e-9)
                great_circle(of_b, from, across / sine, std::atan2(sine, glm::dot(to, from)), color, width);
        }
    }
    vec3 node(bool of_b, std::uint32_t face) const { return place(of_b, graph(of_b).nodes[face].direction); }
    void mark(const vec3& at, float pixels, ImU32 color, bool ring = false) {
        view.point(at, pixels, is_near(at) ? color : with_alpha(color, 110), ring);
    }

    /// Where the arcs of two edges cross.
    vec3 crossing(std::uint32_t edge_a, std::uint32_t edge_b) const {
        const auto middle = [&](bool of_b, std::uint32_t edge) {
            const auto& nodes = graph(of_b).arcs[edge].nodes;
            return node(of_b, nodes[0]) + node(of_b, nodes[1]);
        };
        const glm::dvec3 across =
            glm::cross(graph(false).arcs[edge_a].axis, own.rotation_ * graph(true).arcs[edge_b].axis);
        const double length = glm::length(across);
        const vec3 middle_a = middle(false, edge_a);
        if (length < 1e-6) return glm::normalize(middle_a + middle(true, edge_b));  // they lie on each other
        const vec3 at = turned(across / length);
        return glm::dot(at, middle_a) < 0.0f ? -at : at;
    }

    void draw_meridian() {
        const OverlayTrace& trace = own.steps_->trace;
        const double longitude = own.steps_->stops[own.stop_].longitude;
        const glm::dvec3 east = glm::cross(trace.pole, trace.zero);
        const glm::dvec3 middle = std::cos(longitude) * trace.zero + std::sin(longitude) * east;
        great_circle(false, trace.pole, middle, pi, meridian_color, 2.2f);
        view.line(turned(trace.pole), turned(1.16 * trace.pole), meridian_color, 1.5f);
        view.line(turned(-trace.pole), turned(-1.16 * trace.pole), meridian_color, 1.5f);
    }

    void draw_found() {
        const FeatureSteps& steps = *own.steps_;
        for (const FeatureSteps::Found& f : steps.edges) {
            if (f.stop <= own.stop_) mark(crossing(f.of_a, f.of_b), f.stop == own.stop_ ? 9.0f : 5.0f, crossing_color);
        }
        for (const FeatureSteps::Found& f : steps.a_vertices) {
            if (f.stop <= own.stop_) mark(node(true, f.of_b), f.stop == own.stop_ ? 13.0f : 9.0f, node_color, true);
        }
        for (const FeatureSteps::Found& f : steps.b_vertices) {
            if (f.stop <= own.stop_) mark(node(false, f.of_a), f.stop == own.stop_ ? 13.0f : 9.0f, node_color, true);
        }
    }

    /// The arcs and regions that the present stop tests, and its event over them.
    void draw_stop() {
        const FeatureSteps& steps = *own.steps_;
        const SweepStop& stop = steps.stops[own.stop_];
        const OverlayStep* const event = own.event();
        const bool begins = event != nullptr && event->kind == OverlayStepKind::arc_begins;
        for (std::size_t i = stop.first; i < stop.last; ++i) {
            const OverlayStep& step = steps.trace.steps[i];
            if (step.kind == OverlayStepKind::arcs_tested && begins)
                arc(!event->of_b, event->of_b ? step.index : step.other, tested_color, 1.6f);
            if (step.kind == OverlayStepKind::node_in_region) region(!step.of_b, step.other, node_color, 2.4f);
        }
        if (event == nullptr || event->kind == OverlayStepKind::second_round) return;
        if (event->kind == OverlayStepKind::node_passed) {
            const vec3 at = node(event->of_b, event->index);
            view.point(at, 10.0f, event_color);
            view.label(at, format("face %u of %s", event->index, letter(event->of_b)), event_color);
        } else {
            arc(event->of_b, event->index, event_color, 3.4f);
            const auto& nodes = graph(event->of_b).arcs[event->index].nodes;
            view.label(glm::normalize(node(event->of_b, nodes[0]) + node(event->of_b, nodes[1])),
                       format("edge %u of %s", event->index, letter(event->of_b)), event_color);
        }
    }
};

void FeatureStepper::show_sphere(ImVec2 size) {
    OrbitView view("sphere", size, orbit_, vec3(0.0f), 1.18f, 1.2f);
    view.title("orientation graphs on the unit sphere");
    SphereDrawing drawing{*this, view, to_eye(orbit_)};
    // What lies behind this disc looks dim.
    view.disc(vec3(0.0f), drawing.eye, 1.0f, IM_COL32(150, 164, 180, 70), with_alpha(plot::ground, 150));
    for (const bool of_b : {false, true}) {
        const ImU32 color = of_b ? color_b : color_a;
        const FaceOrientationGraph& graph = drawing.graph(of_b);
        for (std::uint32_t e = 0; e < graph.arcs.size(); ++e) drawing.arc(of_b, e, with_alpha(color, 225), 1.4f);
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) drawing.mark(drawing.node(of_b, n), 4.5f, color);
    }
    drawing.draw_meridian();
    drawing.draw_stop();
    drawing.draw_found();
    view.finish();
}

void FeatureStepper::show_solids(ImVec2 size) {
    const Polyhedron &a = pair_->solid_a->shape.polyhedron, &b = pair_->solid_b->shape.polyhedron;
    const auto place = [&](bool of_b, const glm::dvec3& p) {
        return turned(of_b ? transform_point(b_in_a_, vec3(p)) : vec3(p));
    };
    const auto middle = [&](bool of_b) { return place(of_b, (of_b ? b : a).center); };
    const bool b_is_smaller = b.radius < a.radius;
    const auto small = float(std::min(a.radius, b.radius)), large = float(std::max(a.radius, b.radius));
    // Both, or the smaller one and what is near it.
    const bool shows_both = large < 4.0f * small;
    const float apart = glm::length(middle(true) - middle(false));
    const vec3 center = shows_both ? 0.5f * (middle(false) + middle(true)) : middle(b_is_smaller);
    const float radius = shows_both ? 0.8f * (0.5f * apart + large) : 1.5f * small;
    OrbitView view("solids", size, orbit_, center, radius, shows_both ? 1.25f * radius : 4.0f * small);
    view.title("the solids, in A's orientation");
    const auto edge = [&](bool of_b, std::uint32_t index, ImU32 color, float width) {
        const Polyhedron& p = of_b ? b : a;
        const auto& ends = p.edges[index].vertices;
        view.line(place(of_b, p.vertices[ends[0]]), place(of_b, p.vertices[ends[1]]), color, width);
    };
    const auto face = [&](bool of_b, std::uint32_t index, ImU32 color, float width) {
        for (const std::uint32_t e : (of_b ? b : a).edges_of_face(index)) edge(of_b, e, color, width);
    };
    for (const bool of_b : {false, true}) {
        const ImU32 color = of_b ? color_b : color_a;
        const DrawMesh& surface = (of_b ? pair_->solid_b : pair_->solid_a)->surface;
        const bool is_scenery = (of_b ? b : a).radius > 8.0 * double(small);  // filled, it would cover all
        for (const DrawTriangle& t : surface.triangles) {
            if (is_scenery) break;
            vec3 at[3];
            for (int i = 0; i < 3; ++i) at[i] = place(of_b, glm::dvec3(surface.positions[t.v[i]]));
            view.triangle(at[0], at[1], at[2], with_alpha(color, 40), true);
        }
        for (std::uint32_t e = 0; e < (of_b ? b : a).edges.size(); ++e) edge(of_b, e, with_alpha(color, 130), 1.0f);
    }
    const auto found_now = [&](const std::vector<FeatureSteps::Found>& list, const auto& draw) {
        for (const FeatureSteps::Found& f : list) {
            if (f.stop == stop_) draw(f);
        }
    };
    found_now(steps_->edges, [&](const FeatureSteps::Found& f) {
        edge(false, f.of_a, crossing_color, 2.4f);
        edge(true, f.of_b, crossing_color, 2.4f);
    });
    found_now(steps_->a_vertices, [&](const FeatureSteps::Found& f) {
        view.point(place(false, a.vertices[f.of_a]), 8.0f, node_color);
        face(true, f.of_b, node_color, 2.0f);
    });
    found_now(steps_->b_vertices, [&](const FeatureSteps::Found& f) {
        face(false, f.of_a, node_color, 2.0f);
        view.point(place(true, b.vertices[f.of_b]), 8.0f, node_color);
    });
    if (const OverlayStep* const e = event(); e != nullptr && e->kind != OverlayStepKind::second_round) {
        if (e->kind == OverlayStepKind::node_passed)
            face(e->of_b, e->index, event_color, 2.6f);
        else
            edge(e->of_b, e->index, event_color, 3.4f);
    }
    view.finish();
}

}  // namespace talus::samples
