#include "samples/window/simulation/replay.h"

#include "samples/render/shading.h"
#include "samples/window/renderer/gl_marks.h"
#include "samples/window/simulation/switches.h"

#include <algorithm>
#include <numeric>

namespace talus::samples {

Replay::Replay(Recording recording) : recording_(std::move(recording)) {
    for (std::size_t i = 0; i < recording_.step_count(); ++i) {
        const FrameProfile& profile = recording_.step(i).profile;
        timed_ = timed_ || profile.total > 0.0;
        costs_.push_back(static_cast<float>(profile.total));
    }
    if (timed_) return;
    // A run without timing: the pairs that were not skipped tell as much of its course.
    for (std::size_t i = 0; i < recording_.step_count(); ++i) {
        const auto& pairs = recording_.step(i).profile.narrowphase.pairs;
        costs_[i] = static_cast<float>(std::accumulate(pairs.begin() + 1, pairs.end(), 0u));
    }
}

Result<Replay> Replay::load(const std::string& path) {
    Result<Recording> recording = Recording::load(path);
    if (!recording) return recording.error();
    return Replay(std::move(*recording));
}

void Replay::go_to(double time) { time_ = std::clamp(time, 0.0, duration()); }

void Replay::go_by_frames(int frames) {
    const auto now = static_cast<long>(recording_.frame_at(time_ + 1e-9));
    const long to = std::clamp(now + frames, 0L, static_cast<long>(recording_.frame_count()) - 1);
    time_ = recording_.time_of(static_cast<std::size_t>(to));
}

std::optional<double> Replay::time_of(std::uint64_t frame) const {
    for (std::size_t i = 0; i < recording_.step_count(); ++i) {
        if (recording_.step(i).profile.frame == frame) return recording_.step(i).time;
    }
    return std::nullopt;
}

const FrameProfile* Replay::profile() const {
    const FrameProfile* found = nullptr;
    // Steps are even in time but for changes of their length: begin near the end of what is possible.
    std::size_t low = 0, high = recording_.step_count();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (recording_.step(middle).time <= time_ + 1e-9) {
            found = &recording_.step(middle).profile;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return found;
}

std::optional<std::size_t> Replay::number_of(BodyId body) const {
    const std::vector<RecordedBody>& bodies = recording_.bodies();
    for (std::size_t i = bodies.size(); i-- > 0;) {  // the newest that had it
        if (bodies[i].id == body) return i;
    }
    return std::nullopt;
}

void Replay::add_bodies(SceneRenderer& renderer) const {
    renderer.clear();
    for (const RecordedBody& body : recording_.bodies()) {
        std::vector<ShapeDef> shapes;
        for (const RecordedShape& shape : body.shapes) {
            ShapeDef def;
            def.shape = shape.shape;
            def.mesh = shape.mesh;
            def.pose = shape.pose;
            shapes.push_back(std::move(def));
        }
        renderer.add_body(shapes, body.type, body.glass);
    }
}

void Replay::look(const DrawSwitches& switches, std::span<const std::size_t> marked, std::vector<WorldTransform>& poses,
                  std::vector<BodyLook>& looks) const {
    recording_.states_at(time_, states_);
    const std::vector<RecordedBody>& bodies = recording_.bodies();
    poses.resize(bodies.size());
    looks.resize(bodies.size());
    static const vec3 asleep = linear_color(0x7d8fa6), awake = linear_color(0xe0a458), nothing = linear_color(0x8f979e);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const RecordedState& state = states_[i];
        poses[i] = state.pose;
        vec3 color = linear_color(bodies[i].color);
        if (bodies[i].type != BodyType::fixed && switches.color_by == ColorBy::sleep)
            color = state.awake ? awake : asleep;
        if (bodies[i].type != BodyType::fixed && switches.color_by == ColorBy::rung) {
            color = nothing;
            if (state.rung < rung_count) {
                const Color c = color_of(static_cast<Rung>(state.rung));
                color = linear_color((static_cast<unsigned>(c.r) << 16) | (static_cast<unsigned>(c.g) << 8) | c.b);
            }
        }
        looks[i] = {color, std::find(marked.begin(), marked.end(), i) != marked.end(), !state.present};
    }
}

void Replay::draw_contacts(const DrawSwitches& switches, GlMarks& marks) const {
    const DebugDrawOptions& draw = switches.debug;
    if (!draw.contact_points && !draw.contact_normals && !draw.contact_impulses) return;
    recording_.contacts(recording_.frame_at(time_ + 1e-9), contacts_);
    constexpr Color green{70, 190, 100}, white{235, 238, 242}, amber{240, 170, 60};
    for (const RecordedContact& contact : contacts_) {
        for (int i = 0; i < contact.point_count; ++i) {
            const RecordedContactPoint& point = contact.points[i];
            if (draw.contact_points) marks.point(point.position, 6.0f, green);
            const auto arrow = [&](float length, Color color) {
                marks.line(point.position, displaced(point.position, contact.normal * length), color);
            };
            if (draw.contact_normals) arrow(draw.normal_length, white);
            if (draw.contact_impulses) arrow(point.impulse * draw.impulse_scale, amber);
        }
    }
}

}  // namespace talus::samples
