#pragma once
/// Pictures of a scene, without a window system or a graphics card.
///
/// A plain software renderer: triangles into a buffer of surface samples (depth, normal, body; 2 x 2 a pixel), then
/// light for each sample: a sun with a shadow map, a sky from all sides dimmed in corners, a floor that melts into the
/// horizon. A 1280 x 720 picture takes about a second. It is how a headless machine looks at what it simulated; it is
/// not an engine part.

#include "samples/render/image.h"
#include "samples/render/view.h"
#include "samples/scenes/scene.h"

namespace talus::samples {

struct PictureOptions {
    int width = 1280, height = 720;  ///< pixels, 1 to 8192 each
};

/// Where the scene puts its bodies at first: one pose a body.
std::vector<WorldTransform> initial_poses(const SceneData& scene);

/// Where they are in a world that make_world made.
std::vector<WorldTransform> current_poses(const World& world, std::span<const BodyId> ids);

class Renderer {
public:
    /// Triangulates each body once; keeps nothing of `scene` but its camera.
    explicit Renderer(const SceneData& scene);

    /// The bodies at these poses (one per body; a body without a pose is not drawn), seen by the scene's camera.
    Image draw(std::span<const WorldTransform> poses, const PictureOptions& options = {}) const;

    struct Thing {
        Model model;       ///< in the body's frame
        vec3 color{0.0f};  ///< linear light
        bool fixed = false;
        bool mesh = false;
        bool glass = false;
    };

private:
    std::vector<Thing> things_;
    Camera camera_;
};

}  // namespace talus::samples
