#include "samples/window/simulation/stepper.h"

#include "samples/render/mesh.h"
#include "samples/window/panels/plot.h"

#include <talus/narrowphase/support.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus::samples {

namespace {

using plot::format;
using plot::meters;
using plot::with_alpha;

constexpr ImU32 simplex_color = IM_COL32(126, 178, 232, 255), before_color = IM_COL32(150, 158, 168, 190);
constexpr ImU32 newest_color = IM_COL32(240, 150, 62, 255), closest_color = IM_COL32(112, 208, 150, 255);
constexpr ImU32 direction_color = IM_COL32(228, 208, 116, 255), origin_color = IM_COL32(240, 244, 248, 255);
constexpr ImU32 color_a = plot::to_imgui(color_of_a), color_b = plot::to_imgui(color_of_b);

bool has_rim(const Shape& shape) { return shape.type == ShapeType::cylinder || shape.type == ShapeType::cone; }

const char* name_of(GjkStatus status) {
    switch (status) {
        case GjkStatus::separated:
            return "separated";
        case GjkStatus::overlapping:
            return "overlapping";
        case GjkStatus::beyond_limit:
            return "farther apart than asked for";
        case GjkStatus::iteration_cap:
            return "stopped at the iteration cap";
        case GjkStatus::bad_input:
            return "refused: bad input";
    }
    return "";
}

/// Evenly over the sphere, along a spiral (the golden angle; Swinbank and Purser 2006).
vec3 spiral_direction(int i, int count) {
    const float y = 1.0f - (2.0f * float(i) + 1.0f) / float(count), r = std::sqrt(std::max(0.0f, 1.0f - y * y));
    const float angle = 2.3999632f * float(i);
    return {r * std::cos(angle), y, r * std::sin(angle)};
}

/// The ball around points: their box's middle, and the farthest of them from there.
void enclose(const std::vector<vec3>& points, vec3& center, float& radius) {
    vec3 low(std::numeric_limits<float>::infinity()), high = -low;
    for (const vec3& p : points) {
        low = glm::min(low, p);
        high = glm::max(high, p);
    }
    center = 0.5f * (low + high);
    radius = 1e-6f;
    for (const vec3& p : points) radius = std::max(radius, glm::length(p - center));
}

void draw_origin(OrbitView& view, float size) {
    view.line({-size, 0, 0}, {size, 0, 0}, IM_COL32(214, 106, 106, 150));
    view.line({0, -size, 0}, {0, size, 0}, IM_COL32(116, 190, 116, 150));
    view.line({0, 0, -size}, {0, 0, size}, IM_COL32(112, 142, 220, 150));
    view.point({0, 0, 0}, 9.0f, origin_color, true);
    view.point({0, 0, 0}, 3.5f, origin_color);
    view.label({0, 0, 0}, "origin", origin_color);
}

void draw_surface(OrbitView& view, const Shape& shape, const Transform& pose, ImU32 color) {
    const DrawMesh mesh = triangulate(shape);
    std::vector<vec3> at;
    at.reserve(mesh.positions.size());
    for (const vec3& p : mesh.positions) at.push_back(transform_point(pose, p));
    for (const DrawTriangle& t : mesh.triangles) {
        view.triangle(at[t.v[0]], at[t.v[1]], at[t.v[2]], with_alpha(color, 40), true);
        for (int i = 0; i < 3; ++i) {
            if ((t.edges >> i & 1) != 0)
                view.line(at[t.v[(i + 1) % 3]], at[t.v[(i + 2) % 3]], with_alpha(color, 130), 1.0f);
        }
    }
    // What GJK sees of a round shape is its core.
    if (shape.type == ShapeType::sphere) view.point(pose.position, 6.0f, color);
    if (shape.type == ShapeType::capsule)
        view.line(transform_point(pose, core_point(shape, 0)), transform_point(pose, core_point(shape, 1)), color,
                  2.0f);
}

}  // namespace

void show_pair_names(const std::string& name_a, const std::string& name_b) {
    ImGui::PushStyleColor(ImGuiCol_Text, color_a);
    ImGui::TextUnformatted(name_a.c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(0, 6);
    ImGui::TextUnformatted("and");
    ImGui::SameLine(0, 6);
    ImGui::PushStyleColor(ImGuiCol_Text, color_b);
    ImGui::TextUnformatted(name_b.c_str());
    ImGui::PopStyleColor();
}

void Stepper::set(const PairQuery& query, std::string name_a, std::string name_b) {
    query_ = std::make_shared<PairQuery>(query);
    name_a_ = std::move(name_a);
    name_b_ = std::move(name_b);
    from_nothing_ = false;
    near_ = false;
    orbit = shapes_orbit_ = {};
    trace();
    sample_difference();
}

void Stepper::set_from_nothing(bool from_nothing) {
    if (empty() || from_nothing == from_nothing_) return;
    from_nothing_ = from_nothing;
    trace();
}

void Stepper::go_to(std::size_t moment) {
    if (!moments_.empty()) moment_ = std::min(moment, moments_.size() - 1);
}

void Stepper::trace() {
    steps_ = from_nothing_ ? step_through_from(*query_, {}) : step_through(*query_);
    if (!from_nothing_) iterations_in_frame_ = int(steps_.gjk.result.iterations);
    moments_.clear();
    const GjkTrace& gjk = steps_.gjk;
    for (std::size_t p = 0; p < gjk.parts.size(); ++p) {
        const std::size_t end = p + 1 < gjk.parts.size() ? gjk.parts[p + 1].first_step : gjk.steps.size();
        if (gjk.parts[p].warm) moments_.push_back({Moment::gjk_start, p, 0});
        for (std::size_t i = gjk.parts[p].first_step; i < end; ++i) moments_.push_back({Moment::gjk_step, p, i});
    }
    if (steps_.epa) {
        for (std::size_t p = 0; p < steps_.epa->parts.size(); ++p) {
            const std::size_t count = steps_.epa->parts[p].steps.size();
            if (count == 0) moments_.push_back({Moment::epa_flat, p, 0});
            for (std::size_t i = 0; i < count; ++i) moments_.push_back({Moment::epa_step, p, i});
        }
    }
    moment_ = moments_.empty() ? 0 : moments_.size() - 1;
}

void Stepper::sample_difference() {
    const Shape &a = query_->a, &b = query_->b;
    const MatrixTransform b_in_a = to_matrix_transform(query_->pair.b_in_a);
    // Points on rims are all different ones.
    const int directions = has_rim(a) || has_rim(b) ? 1000 : 420;
    difference_points_.clear();
    difference_edges_.clear();
    for (int i = 0; i < directions; ++i) {
        const vec3 d = spiral_direction(i, directions);
        const vec3 on_b = support(b, -transpose_mul(b_in_a.rotation, d)).point;
        const vec3 w = support(a, d).point - transform_point(b_in_a, on_b);
        const auto same = [&](const vec3& p) { return p == w; };
        if (std::none_of(difference_points_.begin(), difference_points_.end(), same)) difference_points_.push_back(w);
    }
    // Of a polytope these are its corners, and their hull has its edges. Of something round the hull is too fine a net.
    const bool polytope = !has_rim(a) && !has_rim(b);
    if (const auto hull = make_hull(difference_points_); polytope && hull) {
        const Hull& h = **hull;
        for (std::uint32_t v = 0; v < h.vertices.size(); ++v) {
            for (std::uint32_t k = h.vertex_first[v]; k < h.vertex_first[v + 1]; ++k) {
                if (h.vertex_neighbours[k] > v)
                    difference_edges_.emplace_back(h.vertices[v], h.vertices[h.vertex_neighbours[k]]);
            }
        }
    }
    std::vector<vec3> all = difference_points_;
    all.emplace_back(0.0f);
    enclose(all, center_, radius_);

    std::vector<vec3> corners;
    const Aabb box_a = bounds(a), box_b = bounds(b);
    for (int i = 0; i < 8; ++i) {
        const auto corner = [&](const Aabb& box) {
            return vec3((i & 1) ? box.upper.x : box.lower.x, (i & 2) ? box.upper.y : box.lower.y,
                        (i & 4) ? box.upper.z : box.lower.z);
        };
        corners.push_back(corner(box_a));
        corners.push_back(transform_point(b_in_a, corner(box_b)));
    }
    enclose(corners, shapes_center_, shapes_radius_);
    shapes_radius_ *= 0.88f;  // of boxes around shapes the corners are mostly air

    double reach = 0.0;
    if (steps_.epa)
        reach = 1.5 * double(steps_.epa->result.depth);
    else if (!steps_.gjk.steps.empty())
        reach = 1.2 * steps_.gjk.steps.back().simplex.distance;
    near_radius_ = std::max(float(reach), 0.1f * radius_);
    near_center_ = vec3(0.0f);
    if (!steps_.epa && !steps_.gjk.steps.empty()) near_center_ = 0.5f * vec3(steps_.gjk.steps.back().simplex.closest);
}

std::string Stepper::vertex_name(const TraceVertex& vertex) const {
    const auto side = [](const Shape& shape, std::uint16_t index) -> std::string {
        if (shape.type == ShapeType::sphere) return "c";
        if (has_rim(shape)) return "rim";
        return format("v%d", int(index));
    };
    return side(query_->a, vertex.index_a) + " / " + side(query_->b, vertex.index_b);
}

const TraceSimplex& Stepper::simplex_before(const Moment& moment) const {
    const GjkPart& part = steps_.gjk.parts[moment.part];
    return moment.step == part.first_step ? part.start : steps_.gjk.steps[moment.step - 1].simplex;
}

std::string Stepper::describe(const Moment& moment) const {
    const GjkTrace& gjk = steps_.gjk;
    const bool last = &moment == &moments_.back();
    switch (moment.kind) {
        case Moment::gjk_start: {
            const GjkPart& part = gjk.parts[moment.part];
            if (part.start.count == 0)
                return "Start: the cached simplex has gone stale, its points no longer make one. GJK begins from "
                       "nothing.";
            const std::string from =
                moment.part == 0 ? "the last frame's simplex" : "where the kernel was in doubt, the plain loop goes on";
            return format("Start: %s, %d of its points where the shapes stand now; at most %s apart.", from.c_str(),
                          part.start.count, meters(part.start.distance).c_str());
        }
        case Moment::gjk_step: {
            const GjkStep& step = gjk.steps[moment.step];
            std::string text = format("GJK %zu: support pair %s, simplex of %d", moment.step + 1,
                                      vertex_name(step.newest).c_str(), step.simplex.count);
            if (step.simplex.encloses)
                text += ", the origin is inside";
            else
                text += format(", distance between %s and %s", meters(step.lower_bound).c_str(),
                               meters(step.upper_bound).c_str());
            if (moment.step + 1 == gjk.steps.size())
                text += format(": %s.", name_of(gjk.result.status));
            else
                text += ".";
            return text;
        }
        case Moment::epa_step: {
            const EpaPart& part = steps_.epa->parts[moment.part];
            const EpaStep& step = part.steps[moment.step];
            std::string text = format("EPA %zu: %zu faces, support pair %s beyond the nearest; depth between %s and %s",
                                      moment.step + 1, step.faces.size(), vertex_name(step.newest).c_str(),
                                      meters(step.lower_bound).c_str(), meters(step.upper_bound).c_str());
            if (!last) return text + ".";
            const EpaResult& result = steps_.epa->result;
            text += result.status == EpaStatus::converged ? ": converged" : ": out of memory";
            const double slid = double(result.depth) - step.upper_bound;
            if (slid < -1e-6 * double(radius_)) text += format(", slid on to %s", meters(result.depth).c_str());
            return text + ".";
        }
        case Moment::epa_flat:
            return "EPA: the difference is flat, there is nothing to expand; its plane's normal separates.";
    }
    return {};
}

std::string Stepper::verdict() const {
    const auto frame = static_cast<unsigned long long>(query_->frame);
    if (from_nothing_) {
        return format("From nothing: %d iterations of GJK. From where the frame started: %d.",
                      int(steps_.gjk.result.iterations), iterations_in_frame_);
    }
    const std::string rung = title_of(query_->pair.rung);
    switch (steps_.replayed) {
        case Replayed::same: {
            std::string text =
                format("What frame %llu did: done again, it leaves the simplex that the frame left.", frame);
            if (std::isfinite(steps_.max_distance))
                text += " It ends once a support plane proves that the two are farther apart than the frame cared for.";
            return text;
        }
        case Replayed::different:
            return format("Not what frame %llu did: the pair or its start has changed since.", frame);
        case Replayed::not_run:
            if (query_->pair.rung == Rung::warm_epa)
                return format("Frame %llu slid the last EPA's face to its place (%s). This is the long way.", frame,
                              rung.c_str());
            return format(
                "Frame %llu settled the pair without GJK (%s). This is the query that it saved, where the pair was "
                "last tested.",
                frame, rung.c_str());
    }
    return {};
}

void Stepper::show() {
    if (empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
        ImGui::TextWrapped("Pick a pair in the profile panel: its GJK and EPA are shown here, iteration by iteration.");
        ImGui::PopStyleColor();
        return;
    }
    plot::swatch(plot::to_imgui(color_of(query_->pair.rung)));
    show_pair_names(name_a_, name_b_);
    ImGui::SameLine(0, 12);
    ImGui::PushStyleColor(ImGuiCol_Text, plot::muted);
    ImGui::TextUnformatted(
        format("frame %llu, %s", static_cast<unsigned long long>(query_->frame), title_of(query_->pair.rung)).c_str());
    ImGui::TextWrapped("%s", verdict().c_str());
    ImGui::PopStyleColor();
    if (moments_.empty()) return;

    show_controls();
    ImGui::TextWrapped("%s", describe(moments_[moment_]).c_str());

    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float gap = 8.0f, plot_height = std::clamp(0.24f * room.y, 84.0f, 150.0f);
    if (room.x >= 640.0f) {
        const float height = std::max(160.0f, room.y - plot_height - gap - 4.0f),
                    left = std::floor(0.56f * (room.x - gap));
        show_difference({left, height});
        ImGui::SameLine(0, gap);
        show_shapes({room.x - left - gap, height});
    } else {
        const float height = std::max(300.0f, room.y - plot_height - gap - 4.0f);
        show_difference({room.x, std::floor(0.56f * (height - gap))});
        show_shapes({room.x, std::floor(0.44f * (height - gap))});
    }
    show_bounds(plot_height);
}

void Stepper::show_controls() {
    std::size_t at = plot::step_buttons(moment_, moments_.size());
    constexpr const char* starts[] = {"as in the frame", "from nothing"};
    constexpr const char* fits[] = {"all", "near the origin"};
    float choices = 34.0f;
    for (const char* text : {starts[0], starts[1], fits[0], fits[1]})
        choices += ImGui::CalcTextSize(text).x + 2.0f * ImGui::GetStyle().FramePadding.x + 1.0f;
    const float room = ImGui::GetContentRegionAvail().x;
    const bool one_line = room - choices > 110.0f;
    at = plot::step_slider(at, moments_.size(), one_line ? room - choices : room);
    go_to(at);
    if (one_line) ImGui::SameLine(0, 12);
    ImGui::AlignTextToFramePadding();
    if (const auto start = plot::choice("start", starts, from_nothing_ ? 1 : 0)) set_from_nothing(*start == 1);
    ImGui::SameLine(0, 12);
    if (const auto fit = plot::choice("fit", fits, near_ ? 1 : 0)) {
        near_ = *fit == 1;
        orbit.zoom = 1.0f;
    }
}

/// Draws one moment into the picture of the Minkowski difference.
struct Stepper::DifferenceDrawing {
    const Stepper& own;
    OrbitView& view;
    float radius;    ///< of the picture
    bool rims_only;  ///< of both shapes, whose points have no numbers

    void draw(const Moment& moment) {
        if (moment.kind == Moment::gjk_start) draw_simplex(own.steps_.gjk.parts[moment.part].start, nullptr);
        if (moment.kind == Moment::gjk_step) draw_gjk_step(moment);
        if (moment.kind == Moment::epa_step) draw_epa_step(moment);
    }

private:
    static vec3 at(const TraceVertex& v) { return vec3(v.w); }
    void name_vertex(const TraceVertex& v) {
        if (!rims_only) view.label(at(v), own.vertex_name(v), simplex_color);
    }
    void draw_simplex(const TraceSimplex& s, const TraceVertex* newest);
    void draw_support(const glm::dvec3& direction, const TraceVertex& newest);
    void draw_gjk_step(const Moment& moment);
    void draw_epa_step(const Moment& moment);
};

void Stepper::DifferenceDrawing::draw_simplex(const TraceSimplex& s, const TraceVertex* newest) {
    for (int i = 0; i < s.count; ++i) {
        for (int k = i + 1; k < s.count; ++k) {
            view.line(at(s.vertex[i]), at(s.vertex[k]), simplex_color, 1.8f);
            for (int m = k + 1; m < s.count; ++m)
                view.triangle(at(s.vertex[i]), at(s.vertex[k]), at(s.vertex[m]), with_alpha(simplex_color, 58), true);
        }
        view.point(at(s.vertex[i]), 7.5f, simplex_color);
        if (newest == nullptr || s.vertex[i].w != newest->w) name_vertex(s.vertex[i]);
    }
    if (s.count > 0 && !s.encloses) {
        view.line(vec3(0.0f), vec3(s.closest), closest_color, 1.8f);
        view.point(vec3(s.closest), 8.0f, closest_color);
        view.label(0.5f * vec3(s.closest), meters(s.distance), closest_color);
    }
}

/// The plane across `direction` through the support point: nothing of the difference lies beyond it.
void Stepper::DifferenceDrawing::draw_support(const glm::dvec3& direction, const TraceVertex& newest) {
    const vec3 n(glm::normalize(direction));
    view.disc(n * glm::dot(n, at(newest)), n, 0.3f * radius, with_alpha(direction_color, 110),
              with_alpha(direction_color, 18));
    view.point(at(newest), 9.0f, newest_color);
    view.label(at(newest), own.vertex_name(newest), newest_color);
}

void Stepper::DifferenceDrawing::draw_gjk_step(const Moment& moment) {
    const GjkStep& step = own.steps_.gjk.steps[moment.step];
    const TraceSimplex& before = own.simplex_before(moment);
    for (int i = 0; i < before.count; ++i) {
        for (int k = i + 1; k < before.count; ++k)
            view.dashed(at(before.vertex[i]), at(before.vertex[k]), before_color);
        view.point(at(before.vertex[i]), 5.0f, before_color);
    }
    const vec3 tail = before.count > 0 ? vec3(before.closest) : vec3(0.0f);
    view.arrow(tail, tail + 0.32f * radius * vec3(glm::normalize(step.direction)), direction_color);
    draw_simplex(step.simplex, &step.newest);
    draw_support(step.direction, step.newest);
}

void Stepper::DifferenceDrawing::draw_epa_step(const Moment& moment) {
    const EpaPart& part = own.steps_.epa->parts[moment.part];
    const EpaStep& step = part.steps[moment.step];
    std::vector<char> used(step.vertex_count, 0);
    for (std::size_t f = 0; f < step.faces.size(); ++f) {
        const TraceFace& face = step.faces[f];
        const bool nearest = f == step.nearest;
        vec3 corner[3];
        for (int i = 0; i < 3; ++i) {
            corner[i] = at(part.vertices[face.vertex[i]]);
            used[face.vertex[i]] = std::max(used[face.vertex[i]], char(nearest ? 2 : 1));
        }
        view.triangle(corner[0], corner[1], corner[2],
                      nearest ? with_alpha(newest_color, 120) : with_alpha(simplex_color, 34), !nearest);
        for (int i = 0; i < 3; ++i) {
            if (nearest || face.vertex[i] < face.vertex[(i + 1) % 3])
                view.line(corner[i], corner[(i + 1) % 3], nearest ? newest_color : with_alpha(simplex_color, 170),
                          nearest ? 2.0f : 1.2f);
        }
    }
    const bool few = step.vertex_count <= 8;
    for (std::size_t i = 0; i < step.vertex_count; ++i) {
        if (used[i] == 0) continue;
        view.point(at(part.vertices[i]), 6.0f, simplex_color);
        if ((few || used[i] == 2) && part.vertices[i].w != step.newest.w) name_vertex(part.vertices[i]);
    }
    const TraceFace& nearest = step.faces[step.nearest];
    const vec3 n(nearest.normal);
    view.arrow(vec3(0.0f), n * float(glm::dot(nearest.normal, step.newest.w)), direction_color);
    draw_support(nearest.normal, step.newest);
    view.point(n * float(nearest.offset), 6.0f, closest_color);
    if (own.moment_ + 1 == own.moments_.size()) {
        const EpaResult& result = own.steps_.epa->result;
        view.line(vec3(0.0f), result.depth * result.normal, closest_color, 2.4f);
        view.label(0.5f * result.depth * result.normal, "depth " + meters(result.depth), closest_color);
    }
}

void Stepper::show_difference(ImVec2 size) {
    const vec3 center = near_ ? near_center_ : center_;
    const float radius = near_ ? near_radius_ : radius_;
    OrbitView view("difference", size, orbit, center, radius, 2.0f * radius_);
    view.title("Minkowski difference A - B");
    for (const auto& [p, q] : difference_edges_) view.line(p, q, IM_COL32(150, 164, 180, 38));
    for (const vec3& p : difference_points_) view.point(p, 2.2f, IM_COL32(160, 174, 190, 90));
    draw_origin(view, 0.12f * radius);
    DifferenceDrawing{*this, view, radius, has_rim(query_->a) && has_rim(query_->b)}.draw(moments_[moment_]);
    view.finish();
}

void Stepper::show_shapes(ImVec2 size) {
    OrbitView view("shapes", size, shapes_orbit_, shapes_center_, shapes_radius_, shapes_radius_);
    view.title("in the frame of A");
    draw_surface(view, query_->a, Transform{}, color_a);
    draw_surface(view, query_->b, query_->pair.b_in_a, color_b);

    const auto pair = [&](const TraceVertex& v, ImU32 color, float pixels, float width) {
        view.point(vec3(v.on_a), pixels, color);
        view.point(vec3(v.on_b), pixels, color);
        view.dashed(vec3(v.on_a), vec3(v.on_b), with_alpha(color, width > 1.2f ? 220 : 130), width);
    };
    const Moment& moment = moments_[moment_];
    const auto simplex = [&](const TraceSimplex& s) {
        for (int i = 0; i < s.count; ++i) pair(s.vertex[i], simplex_color, 6.5f, 1.2f);
    };
    if (moment.kind == Moment::gjk_start) simplex(steps_.gjk.parts[moment.part].start);
    if (moment.kind == Moment::gjk_step) {
        simplex(steps_.gjk.steps[moment.step].simplex);
        pair(steps_.gjk.steps[moment.step].newest, newest_color, 8.0f, 1.8f);
    }
    if (moment.kind == Moment::epa_step) {
        const EpaPart& part = steps_.epa->parts[moment.part];
        const EpaStep& step = part.steps[moment.step];
        for (const std::uint16_t v : step.faces[step.nearest].vertex) pair(part.vertices[v], simplex_color, 6.5f, 1.2f);
        pair(step.newest, newest_color, 8.0f, 1.8f);
    }
    if (moment_ + 1 == moments_.size()) {
        const vec3 a = steps_.epa ? steps_.epa->result.point_a : steps_.gjk.result.point_a;
        const vec3 b = steps_.epa ? steps_.epa->result.point_b : steps_.gjk.result.point_b;
        view.line(a, b, closest_color, 2.4f);
        view.point(a, 8.0f, closest_color);
        view.point(b, 8.0f, closest_color);
        const double radii = double(query_->a.radius) + double(query_->b.radius);
        const double separation =
            (steps_.epa ? -double(steps_.epa->result.depth) : double(steps_.gjk.result.distance)) - radii;
        view.label(0.5f * (a + b), (separation < 0.0 ? "depth " : "gap ") + meters(std::abs(separation)),
                   closest_color);
    }
    view.finish();
}

void Stepper::show_bounds(float height) {
    const Moment& now = moments_[moment_];
    const bool deep = now.kind == Moment::epa_step || now.kind == Moment::epa_flat;
    plot::Bounds bounds;
    bounds.lower_color = direction_color;
    bounds.upper_color = deep ? newest_color : closest_color;
    std::size_t first = moments_.size();
    for (std::size_t i = 0; i < moments_.size(); ++i) {
        const Moment& m = moments_[i];
        const bool m_deep = m.kind == Moment::epa_step || m.kind == Moment::epa_flat;
        if (m_deep != deep) continue;
        if (first == moments_.size()) first = i;
        const std::size_t place = i - first;
        if (place == 0 || moments_[i - 1].part != m.part) bounds.new_start.push_back(place);
        double lower = 0.0, upper = std::numeric_limits<double>::infinity();
        if (m.kind == Moment::gjk_start) {
            upper = steps_.gjk.parts[m.part].start.distance;
            if (!std::isfinite(upper)) lower = upper;  // stale: nothing is known
        } else if (m.kind == Moment::gjk_step) {
            lower = steps_.gjk.steps[m.step].lower_bound;
            upper = steps_.gjk.steps[m.step].upper_bound;
        } else if (m.kind == Moment::epa_step) {
            lower = steps_.epa->parts[m.part].steps[m.step].lower_bound;
            upper = steps_.epa->parts[m.part].steps[m.step].upper_bound;
        } else {
            upper = 0.0;
        }
        bounds.lower.push_back(lower);
        bounds.upper.push_back(upper);
    }
    bounds.at = moment_ - first;
    const ImVec2 size{ImGui::GetContentRegionAvail().x, height}, from = ImGui::GetCursorScreenPos();
    if (const auto clicked = plot::bounds("bounds", size, bounds)) go_to(first + *clicked);
    // Names, right-aligned in the corner.
    const char* what = deep ? "depth:" : "distance:";
    float x = from.x + size.x - 12.0f;
    const auto word = [&](const char* text, ImU32 color) {
        x -= ImGui::CalcTextSize(text).x;
        plot::corner_text({x, from.y + 5.0f}, text, color);
        x -= 8.0f;
    };
    word("lower bound", bounds.lower_color);
    word("upper bound", bounds.upper_color);
    word(what, plot::muted);
}

}  // namespace talus::samples
