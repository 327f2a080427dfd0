#include "samples/runner/outputs/pictures.h"

#include "samples/runner/command_line.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace talus::samples {

namespace {}  // namespace

Pictures::Pictures(const Options& options, const SceneData& scene, int steps)
    : options_(options), at_(options.at.value_or(steps)) {
    if (!options.png.empty() || !options.frames.empty()) renderer_.emplace(scene);
}

std::string Pictures::frame_path(const std::string& folder, int step) {
    char name[24];
    std::snprintf(name, sizeof name, "%06d.png", step);
    return (std::filesystem::path(folder) / name).string();
}

Error Pictures::begin() const {
    if (!options_.png.empty() && !std::ofstream(options_.png, std::ios::binary | std::ios::app))
        return refuse("Cannot write '" + options_.png + "'; check that its folder exists and is writable.");
    if (options_.frames.empty()) return {};
    std::error_code failed;
    std::filesystem::create_directories(options_.frames, failed);
    if (failed || !std::ofstream(frame_path(options_.frames, 0), std::ios::binary | std::ios::app))
        return refuse("Cannot write into the folder '" + options_.frames + "'; give one that is writable.");
    return {};
}

Error Pictures::after_step(int step, const World& world, std::span<const BodyId> ids) const {
    const bool of_step = !options_.png.empty() && step == at_;
    const bool of_frames = !options_.frames.empty() && step % options_.every == 0;
    if (!of_step && !of_frames) return {};
    const Image image = renderer_->draw(current_poses(world, ids), {options_.width, options_.height});
    if (of_frames) {
        if (Error error = write_png(image, frame_path(options_.frames, step))) return error;
    }
    return of_step ? write_png(image, options_.png) : Error{};
}

}  // namespace talus::samples
