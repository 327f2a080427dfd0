#include "samples/window/simulation/resume.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

Error refuse(const std::string& why) { return {ErrorCode::bad_argument, why}; }

bool is_where_recorded(const Simulation& simulation, const Recording& recording,
                       std::span<const RecordedState> states) {
    const double tolerance = 1.01 * recording.error().max_position + 1e-9;
    const auto poses = simulation.poses();
    if (poses.size() != states.size()) return false;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!states[i].present || !(glm::distance(poses[i].position, states[i].pose.position) <= tolerance))
            return false;
    }
    return true;
}

/// Returns the rotation vector from a to b, rad.
vec3 rotation_vector(const quat& a, const quat& b) {
    quat q = multiply(b, quat(a.w, -a.x, -a.y, -a.z));
    if (q.w < 0.0f) q = -q;
    const vec3 axis(q.x, q.y, q.z);
    const float sine = glm::length(axis);
    return sine > 1e-7f ? axis * (2.0f * std::atan2(sine, q.w) / sine) : 2.0f * axis;
}

}  // namespace

Result<bool> resume(Simulation& simulation, const Recording& recording, std::size_t frame) {
    const Scene* scene = find_scene(recording.scene());
    if (!scene) return refuse("There is no scene '" + recording.scene() + "' with which this recording could go on");
    if (Error error = simulation.load(*scene, simulation.wishes())) return error;
    for (std::uint32_t i = 0; i < recording.step_of(frame); ++i) {
        if (Error error = simulation.step()) return error;
    }
    std::vector<RecordedState> states, before;
    recording.states(frame, states);
    if (is_where_recorded(simulation, recording, states)) return true;

    if (Error error = simulation.restart()) return error;
    const std::size_t earlier = frame - std::min<std::size_t>(frame, 1);
    recording.states(earlier, before);
    if (simulation.ids().size() > states.size())
        return refuse("This recording has other bodies than the scene '" + recording.scene() + "'");
    const auto seconds = static_cast<float>(recording.time_of(frame) - recording.time_of(earlier));
    World& world = simulation.world();
    for (std::size_t i = 0; i < simulation.ids().size(); ++i) {
        const BodyId body = simulation.ids()[i];
        if (!states[i].present || world.type(body) == BodyType::fixed) continue;
        world.set_transform(body, states[i].pose.position, states[i].pose.rotation);
        if (seconds <= 0.0f || !before[i].present) continue;
        world.set_linear_velocity(body, vec3(states[i].pose.position - before[i].pose.position) / seconds);
        world.set_angular_velocity(body, rotation_vector(before[i].pose.rotation, states[i].pose.rotation) / seconds);
    }
    simulation.refresh();
    return false;
}

}  // namespace talus::samples
