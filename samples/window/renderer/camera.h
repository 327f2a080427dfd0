#pragma once
/// The eye: it orbits a point, or flies.

#include "samples/scenes/scene.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

namespace talus::samples {

/// The camera of one frame, as matrices.
struct CameraView {
    dvec3 eye{0.0}, target{0.0};  ///< world, m
    dvec3 origin{0.0};            ///< near the eye (picture_origin); what OpenGL draws is relative to it
    vec3 forward{0, 0, -1}, right{1, 0, 0}, up{0, 1, 0};
    float distance = 10.0f;  ///< from the eye to what it looks at, m
    float tangent = 0.36f;   ///< of half the vertical field of view
    int width = 1, height = 1;
    glm::mat4 view_projection{1.0f};  ///< of points relative to the origin

    vec3 from_origin(const dvec3& point) const { return vec3(point - origin); }
    /// From the eye through a pixel (0, 0: upper left corner); unit.
    vec3 ray(const glm::vec2& pixel) const;
    /// Where a point appears, pixels; false behind the eye.
    bool project(const dvec3& point, glm::vec2& pixel) const;
    /// Pixels that 1 m takes at distance 1 m.
    float focal() const { return 0.5f * static_cast<float>(height) / tangent; }
};

enum class CameraMode { orbit, fly };

/// Moves are goals; update() glides there.
class CameraRig {
public:
    void set(const Camera& camera);  ///< at once
    void set_mode(CameraMode mode);
    CameraMode mode() const { return mode_; }

    void turn(float yaw, float pitch);              ///< rad: around the target, or of the head
    void pan(float right, float up);                ///< m
    void fly(const vec3& way);                      ///< m: right, up, forward
    void zoom(float factor);                        ///< of the distance; when flying, forward by as much
    void frame(const dvec3& center, float radius);  ///< shows a ball, from the side it looks from now
    void settle();                                  ///< is at the goal at once
    void update(float seconds);

    CameraView view(int width, int height) const;
    float distance() const { return goal_.distance; }

private:
    struct State {
        dvec3 pivot{0.0};  ///< the target; the eye when flying
        float yaw = 0.0f, pitch = 0.0f;
        float distance = 10.0f;
    };
    static vec3 forward(const State& state);
    dvec3 eye(const State& state) const;

    CameraMode mode_ = CameraMode::orbit;
    State goal_, now_;
    float fov_degrees_ = 40.0f;
};

}  // namespace talus::samples
