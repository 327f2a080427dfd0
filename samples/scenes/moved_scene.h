#pragma once
/// A scene in another place of the world.

#include "samples/scenes/scene.h"

namespace talus::samples {

/// Returns the scene, displaced by `by` (m). Its figures, and what it does by itself, see the bodies as if they were
/// where the scene was made for.
SceneData moved(SceneData scene, const dvec3& by);

}  // namespace talus::samples
