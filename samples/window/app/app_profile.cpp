/// The profile panel and the stepper in the window: what they are fed, and what they ask for.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <algorithm>

namespace talus::samples {

namespace {

bool same_pair(const PairInfo& pair, const SlowestPair& wanted) {
    return pair.body_a == wanted.body_a && pair.body_b == wanted.body_b && pair.shape_a == wanted.shape_a &&
           pair.shape_b == wanted.shape_b && pair.triangle == wanted.triangle;
}

const PairInfo* find_pair(const std::vector<PairInfo>& pairs, const SlowestPair& wanted) {
    const auto at = std::find_if(pairs.begin(), pairs.end(), [&](const PairInfo& p) { return same_pair(p, wanted); });
    return at == pairs.end() ? nullptr : &*at;
}

/// The pair as the last step tested it.
std::shared_ptr<const PairQuery> query(const App& app, const SlowestPair& wanted) {
    const std::vector<PairInfo> pairs = app.simulation.world().pairs();
    const PairInfo* pair = find_pair(pairs, wanted);
    if (!pair) return {};
    const PairInfo* before = find_pair(app.simulation.pairs_before(), wanted);
    std::optional<PairQuery> found = query_of(app.simulation.world(), *pair, before ? before->simplex : SimplexCache{});
    if (!found) return {};
    return std::make_shared<const PairQuery>(std::move(*found));
}

}  // namespace

bool App::watches_pairs() const {
    return (panels.right && panels.right_tab == "profile") || (panels.left && panels.left_tab == "pair");
}

void App::after_step(double wall_ms) {
    const FrameProfile& profile = simulation.world().profile();
    ProfiledFrame frame{.profile = profile, .wall_ms = wall_ms};
    if (const SlowestPair& pair = profile.slowest; pair.body_a) {
        const World& world = simulation.world();
        frame.slowest_poses = PairPoses{world.transform(pair.body_a), world.transform(pair.body_b)};
        if (simulation.keep_pairs) frame.slowest = query(*this, pair);
    }
    history.add(std::move(frame));
    if (outputs) {
        if (const Error error = outputs->after_step(simulation.world(), simulation.step_ms())) {
            say(error.message);
            outputs.reset();
        }
    }
}

std::string App::name_of_body(BodyId body) const {
    if (replay) {
        const auto number = replay->number_of(body);
        return number ? "body " + std::to_string(*number) : "a body that is gone";
    }
    const auto index = simulation.index_of(body);
    return index ? "body " + std::to_string(*index) : "a body that is gone";
}

std::optional<App::MarkedBody> App::marked_body(bool is_a) const {
    const SlowestPair& pair = marked->pair;
    const BodyId body = is_a ? pair.body_a : pair.body_b;
    const std::uint32_t shape = is_a ? pair.shape_a : pair.shape_b;
    MarkedBody found{};
    const auto take = [&](const WorldTransform& pose, const auto& shapes, BodyType type, const PairInfo* info) {
        found.pose = pose;
        found.type = type;
        if (shape >= shapes.size()) return false;
        ShapeDef def;
        def.shape = shapes[shape].shape;
        def.mesh = shapes[shape].mesh;
        def.pose = shapes[shape].pose;
        const ConvexPart part = info ? convex_part(def, *info) : convex_part(def, pair.triangle);
        found.shape = part.shape;
        found.shape_pose = part.pose;
        if (pair.rung == Rung::features && def.mesh && def.mesh->is_solid()) {
            found.mesh = def.mesh;
            found.shape_pose = def.pose;
        }
        return true;
    };
    if (replay) {
        const auto number = replay->number_of(body);
        if (!number || *number >= shown.size()) return {};
        const RecordedBody& recorded = replay->recording().bodies()[*number];
        if (!take(shown[*number], recorded.shapes, recorded.type, nullptr)) return {};
    } else {
        const World& world = simulation.world();
        const auto index = simulation.index_of(body);
        if (!index || *index >= shown.size()) return {};
        const std::vector<PairInfo> all = world.pairs();
        if (!take(shown[*index], world.shapes(body), world.type(body), find_pair(all, pair))) return {};
    }
    if (paused && marked->poses) {
        const WorldTransform& then = is_a ? marked->poses->a : marked->poses->b;
        const vec3& center = found.shape_pose.position;
        found.moved_on = glm::distance(transform_point(then, center), transform_point(found.pose, center)) > 1e-3;
        found.pose = then;
    }
    return found;
}

void App::show_pair(const PairInFrame& pair) {
    marked = pair;
    // The smaller one, and as much of the other as is near it.
    std::optional<MarkedBody> smaller;
    float radius = 0.0f;
    bool moved_on = false;
    for (const bool is_a : {true, false}) {
        const std::optional<MarkedBody> body = marked_body(is_a);
        moved_on |= body && body->moved_on;
        const float its = body ? std::max(0.1f, body->reach()) : 0.0f;
        if (!body || (smaller && its >= radius)) continue;
        smaller = body;
        radius = its;
    }
    if (!smaller) return say("That pair is gone");
    if (moved_on) say("Shown where frame " + std::to_string(pair.frame) + " left them; since then they moved on");
    camera.frame(transform_point(smaller->pose, smaller->shape_pose.position), 2.2f * radius);
}

Error App::show_pair_of(std::size_t a, std::size_t b) {
    const auto wrong = [](std::string why) { return Error{ErrorCode::bad_argument, std::move(why)}; };
    const auto ids = simulation.ids();
    if (std::max(a, b) >= ids.size())
        return wrong("the scene has " + std::to_string(ids.size()) + " bodies, from 0 on");
    const std::vector<PairInfo> all = simulation.world().pairs();
    const PairInfo* dearest = nullptr;
    for (const PairInfo& pair : all) {
        const bool wanted =
            (pair.body_a == ids[a] && pair.body_b == ids[b]) || (pair.body_a == ids[b] && pair.body_b == ids[a]);
        if (wanted && (!dearest || pair.microseconds > dearest->microseconds)) dearest = &pair;
    }
    if (!dearest)
        return wrong("after " + std::to_string(simulation.step_number()) + " steps these two are not near each other");
    look_at_scene(*this);
    show_pair(in_frame(*dearest, simulation.world().profile().frame));
    return {};
}

void App::show_worst() {
    if (history.empty()) return say("No step was made yet");
    set_paused(true);
    const ProfiledFrame& frame = history[history.worst(find_frame_column("step")->value)];
    panels.right = true;
    panels.right_tab = "profile";
    profile_panel.select(frame.profile.frame);
    if (replay) {
        if (const auto time = replay->time_of(frame.profile.frame)) replay->go_to(*time);
    }
    look_at_scene(*this);
    if (!frame.profile.slowest.body_a) return say("No pair was timed by itself in the worst frame");
    show_pair({frame.profile.slowest, frame.profile.frame, frame.slowest_poses});
}

void App::step_through_pair(const PairInFrame& pair, std::shared_ptr<const PairQuery> known) {
    if (replay) return say("A recording has no simplices: run the scene to step through a pair");
    if (pair.pair.rung == Rung::features) return step_through_features(pair);
    if (!known) known = query(*this, pair.pair);
    if (!known) return say("That pair is gone");
    marked = pair;
    feature_stepper.clear();
    stepper.set(*known, name_of_body(pair.pair.body_a), name_of_body(pair.pair.body_b));
    panels.left = true;
    panels.left_tab = "pair";
}

void App::step_through_features(const PairInFrame& pair) {
    const auto side = [&](BodyId body, std::uint32_t shape) -> std::optional<FeatureStepper::Side> {
        const auto shapes = simulation.world().shapes(body);
        if (shape >= shapes.size()) return {};
        return FeatureStepper::Side{body, name_of_body(body), shapes[shape]};
    };
    std::optional<FeatureStepper::Side> a = side(pair.pair.body_a, pair.pair.shape_a),
                                        b = side(pair.pair.body_b, pair.pair.shape_b);
    if (!a || !b) return say("That pair is gone");
    marked = pair;
    stepper.clear();
    feature_stepper.set(std::move(*a), std::move(*b));
    follow_features();
    panels.left = true;
    panels.left_tab = "pair";
}

void App::follow_features() {
    const auto a = simulation.index_of(feature_stepper.body_a()), b = simulation.index_of(feature_stepper.body_b());
    if (paused && marked && marked->poses)
        feature_stepper.follow(marked->poses->a, marked->poses->b);
    else if (a && b)
        feature_stepper.follow(simulation.poses()[*a], simulation.poses()[*b]);
}

void App::step_through_dearest() {
    const PairInfo* dearest = nullptr;
    const std::vector<PairInfo> all = simulation.world().pairs();
    for (const PairInfo& pair : all) {
        if (pair.active && (!dearest || pair.rung > dearest->rung)) dearest = &pair;
    }
    if (dearest) step_through_pair(in_frame(*dearest, simulation.world().profile().frame));
}

void draw_profile_panel(App& app) {
    ProfileContext context;
    const bool pairs = app.paused && !app.replay;
    if (pairs) app.pairs = app.simulation.world().pairs();
    context.pairs = pairs ? &app.pairs : nullptr;
    context.name_of = [&app](BodyId body) { return app.name_of_body(body); };
    context.timing = app.simulation.wishes().def.timing;
    context.frozen = app.paused;
    ProfileActions actions;
    const auto before = app.profile_panel.selected();
    app.profile_panel.show(app.history, context, actions);
    if (app.replay && app.profile_panel.selected() && app.profile_panel.selected() != before) {
        app.set_paused(true);
        if (const auto time = app.replay->time_of(*app.profile_panel.selected())) app.replay->go_to(*time);
    }
    if (app.replay) actions.timing.reset();
    if (actions.timing) {
        Wishes wishes = app.simulation.wishes();
        wishes.def.timing = *actions.timing;
        app.simulation.set_wishes(wishes);
    }
    if (actions.freeze) app.set_paused(*actions.freeze);
    if (actions.fly_to) {
        app.set_paused(true);
        app.show_pair(*actions.fly_to);
    }
    if (actions.step_pair) {
        app.set_paused(true);
        app.step_through_pair(*actions.step_pair, actions.query);
    }
}

void draw_pair_panel(App& app) {
    const bool has_features = !app.feature_stepper.empty();
    if (app.stepper.empty() && !has_features) {
        ui::muted_text(
            "GJK and EPA of one pair, step by step, or how the features of two solids are found that can touch first: "
            "choose a pair in the profile or a contact of the selected body, or take the one whose test was dearest in "
            "the last step.");
        ImGui::Dummy({0, 4});
        if (ImGui::Button("The dearest pair")) {
            app.set_paused(true);
            app.step_through_dearest();
        }
        return;
    }
    if (app.marked) {
        if (ImGui::SmallButton("Show in the scene")) app.show_pair(*app.marked);
        ImGui::SameLine();
        if (ImGui::SmallButton("Another pair")) {
            app.stepper.clear();
            app.feature_stepper.clear();
            return;
        }
    }
    if (has_features) {
        app.follow_features();
        app.feature_stepper.show();
    } else {
        app.stepper.show();
    }
}

}  // namespace talus::samples
