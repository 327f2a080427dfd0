#pragma once
/// The orientation graphs of two solids on one unit sphere, and the sweep over both, arc by arc (feature_steps.h).
///
/// A's graph is drawn as it is, B's mirrored, both in A's orientation. So a face and a vertex can touch first where a
/// node lies in a region, and two edges where arcs cross. The pole of the sweep points up. Beside the sphere stand the
/// two solids, turned alike. Arcs of concave edges are not drawn: these edges touch nothing first.

#include "samples/runner/outputs/feature_steps.h"
#include "samples/window/renderer/orbit_view.h"

#include <talus/engine/body.h>
#include <talus/ids.h>

#include <optional>
#include <string>

namespace talus::samples {

class FeatureStepper {
public:
    struct Side {
        BodyId body;
        std::string name;
        ShapeDef shape;
    };
    /// Starts at the last stop.
    void set(Side a, Side b);
    void clear() { pair_.reset(); }
    bool empty() const { return !pair_; }
    BodyId body_a() const { return pair_->a.body; }
    BodyId body_b() const { return pair_->b.body; }

    /// Takes the bodies' present poses. The sweep is made anew if one has turned relative to the other. It stays at its
    /// end, or where the meridian stands.
    void follow(const WorldTransform& a, const WorldTransform& b);

    void show();

    // For scripts.
    void go_to(std::size_t stop);  ///< the slider
    std::size_t stop() const { return stop_; }
    const FeatureSteps* steps() const { return steps_ ? &*steps_ : nullptr; }

private:
    /// Drawing and sweeping in each frame is quick enough up to this many edges of a solid.
    static constexpr std::size_t most_edges = 800;

    struct Pair {
        Side a, b;
        Result<SolidShape> solid_a, solid_b;
    };
    struct SphereDrawing;

    std::string why_not() const;  ///< empty: the overlay can be shown
    const OverlayStep* event() const;
    std::string describe() const;
    void show_counts() const;
    void show_controls();
    void show_sphere(ImVec2 size);
    void show_solids(ImVec2 size);

    std::optional<Pair> pair_;
    Transform b_in_a_;                   ///< shape B in shape A's frame
    glm::dmat3 rotation_{1.0};           ///< its rotation
    std::optional<FeatureSteps> steps_;  ///< nothing: not computed, see why_not()
    std::size_t stop_ = 0;
    float playing_ = -1.0f;  ///< stops passed by while it plays; negative: it does not
    Orbit orbit_;
};

}  // namespace talus::samples
