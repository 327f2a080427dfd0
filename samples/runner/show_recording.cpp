#include "samples/runner/show_recording.h"

#include "samples/recording/page/page.h"
#include "samples/recording/recording.h"

#include <cstdio>
#include <fstream>

namespace talus::samples {

namespace {

template <class... Values>
std::string format(const char* how, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, how, values...);
    return text;
}

/// Number, position (m), rotation (w first), whether it is awake.
std::string pose_lines(const Recording& recording, std::size_t frame) {
    std::vector<RecordedState> states;
    recording.states(frame, states);
    std::string text;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!states[i].present) continue;
        const dvec3& p = states[i].pose.position;
        const quat& q = states[i].pose.rotation;
        const auto wide = [](float v) { return static_cast<double>(v); };
        text += format("body %zu %.9f %.9f %.9f %.9g %.9g %.9g %.9g %d\n", i, p.x, p.y, p.z, wide(q.w), wide(q.x),
                       wide(q.y), wide(q.z), states[i].awake ? 1 : 0);
    }
    return text;
}

}  // namespace

Result<std::string> show_recording(const Options& options) {
    const Result<Recording> recording = Recording::load(options.from);
    if (!recording) return recording.error();
    std::string text = recording->scene() + ", " + std::to_string(recording->step_count()) + " steps\n\n";
    auto lines = describe(*recording);
    if (!options.files.replay.empty()) {
        const std::string page = replay_page(*recording);
        std::ofstream file(options.files.replay, std::ios::binary);
        if (!(file << page).flush()) {
            return Error{ErrorCode::bad_argument,
                         "Cannot write '" + options.files.replay + "'; check that its folder exists and is writable."};
        }
        lines.emplace_back("page", format("%.2f MB", 1e-6 * static_cast<double>(page.size())));
    }
    for (const auto& [what, words] : lines) text += format("  %-22s", what.c_str()) + words + "\n";
    if (options.poses) text += pose_lines(*recording, static_cast<std::size_t>(*options.poses));
    return text;
}

}  // namespace talus::samples
