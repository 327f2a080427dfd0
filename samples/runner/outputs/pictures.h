#pragma once
/// The pictures that a run takes: one at a step (--png, --at), or one every so many steps for an animation (--frames).

#include "samples/render/renderer.h"
#include "samples/runner/options.h"

#include <optional>

namespace talus::samples {

class Pictures {
public:
    /// `options` must outlive it; `steps` is the last step.
    Pictures(const Options& options, const SceneData& scene, int steps);

    /// Makes the folder and tries the files, so that a wrong path does not cost a run.
    Error begin() const;

    /// After this many steps: takes those that are due.
    Error after_step(int step, const World& world, std::span<const BodyId> ids) const;

    /// Where --frames puts its picture: FOLDER/000042.png.
    static std::string frame_path(const std::string& folder, int step);

private:
    const Options& options_;
    int at_;
    std::optional<Renderer> renderer_;  ///< if there is anything to take
};

}  // namespace talus::samples
