#pragma once
/// GJK and EPA of one pair, step by step: the simplex or the polytope in the Minkowski difference, the support points on
/// both shapes, and the two bounds that close.
///
/// What is shown is what the frame did (pair_steps.h says how that is known), or the same pair from nothing. The
/// stepper draws into the ImGui window that is open, from about 420 by 420 pixels on.

#include "samples/runner/outputs/pair_steps.h"
#include "samples/window/renderer/orbit_view.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace talus::samples {

/// Of a pair's two shapes, in the stepper and in the scene.
inline constexpr Color color_of_a{70, 170, 214}, color_of_b{196, 120, 220};

/// A line with the names of two bodies, in these colours.
void show_pair_names(const std::string& name_a, const std::string& name_b);

class Stepper {
public:
    /// The names are the bodies'. Starts at the last step.
    void set(const PairQuery& query, std::string name_a, std::string name_b);
    void clear() { query_.reset(); }
    bool empty() const { return query_ == nullptr; }

    void show();

    // For scripts: the buttons.
    std::size_t moments() const { return moments_.size(); }
    std::size_t moment() const { return moment_; }
    void go_to(std::size_t moment);
    void set_from_nothing(bool from_nothing);  ///< else from where the frame started
    Orbit orbit;

private:
    /// What is shown at one place of the slider.
    struct Moment {
        enum Kind : std::uint8_t { gjk_start, gjk_step, epa_step, epa_flat } kind;
        std::size_t part, step;
    };
    using Edges = std::vector<std::pair<vec3, vec3>>;

    void trace();
    void sample_difference();
    void show_controls();
    struct DifferenceDrawing;
    void show_difference(ImVec2 size);
    void show_shapes(ImVec2 size);
    void show_bounds(float height);
    std::string describe(const Moment& moment) const;
    std::string verdict() const;
    std::string vertex_name(const TraceVertex& vertex) const;
    const TraceSimplex& simplex_before(const Moment& moment) const;

    std::shared_ptr<const PairQuery> query_;
    std::string name_a_, name_b_;
    PairSteps steps_;
    bool from_nothing_ = false;
    int iterations_in_frame_ = 0;  ///< of GJK, from where the frame started
    bool near_ = false;            ///< the view fits what happens around the origin, not the whole difference
    std::vector<Moment> moments_;
    std::size_t moment_ = 0;
    Orbit shapes_orbit_;

    std::vector<vec3> difference_points_;  ///< of the whole difference's surface
    Edges difference_edges_;
    vec3 center_{0.0f}, near_center_{0.0f}, shapes_center_{0.0f};
    float radius_ = 1.0f, near_radius_ = 1.0f, shapes_radius_ = 1.0f;
};

}  // namespace talus::samples
