#include "samples/window/renderer/camera.h"

#include "samples/render/origin.h"

#include <glm/gtc/matrix_transform.hpp>

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr float steepest = 1.55f;   // rad: never quite straight up or down
constexpr float quickness = 14.0f;  // 1/s: of the glide

}  // namespace

vec3 CameraView::ray(const glm::vec2& pixel) const {
    const float scale = 2.0f * tangent / static_cast<float>(height);
    const float x = (pixel.x - 0.5f * static_cast<float>(width)) * scale;
    const float y = (0.5f * static_cast<float>(height) - pixel.y) * scale;
    return glm::normalize(forward + x * right + y * up);
}

bool CameraView::project(const dvec3& point, glm::vec2& pixel) const {
    const vec3 d(point - eye);
    const float depth = glm::dot(d, forward);
    if (depth < 1e-3f) return false;
    pixel.x = 0.5f * static_cast<float>(width) + focal() * glm::dot(d, right) / depth;
    pixel.y = 0.5f * static_cast<float>(height) - focal() * glm::dot(d, up) / depth;
    return true;
}

vec3 CameraRig::forward(const State& state) {
    return {std::cos(state.pitch) * std::sin(state.yaw), std::sin(state.pitch),
            -std::cos(state.pitch) * std::cos(state.yaw)};
}

dvec3 CameraRig::eye(const State& state) const {
    return mode_ == CameraMode::fly ? state.pivot : state.pivot - dvec3(forward(state) * state.distance);
}

void CameraRig::set(const Camera& camera) {
    const vec3 look(camera.target - camera.eye);
    goal_.distance = std::max(0.01f, glm::length(look));
    const vec3 to = look / goal_.distance;
    goal_.yaw = std::atan2(to.x, -to.z);
    goal_.pitch = std::clamp(std::asin(std::clamp(to.y, -1.0f, 1.0f)), -steepest, steepest);
    goal_.pivot = mode_ == CameraMode::fly ? camera.eye : camera.target;
    fov_degrees_ = camera.vertical_fov_degrees;
    settle();
}

void CameraRig::set_mode(CameraMode mode) {
    if (mode == mode_) return;
    for (State* state : {&goal_, &now_}) {
        const dvec3 way(forward(*state) * state->distance);
        state->pivot += mode == CameraMode::fly ? -way : way;
    }
    mode_ = mode;
}

void CameraRig::turn(float yaw, float pitch) {
    goal_.yaw += yaw;
    goal_.pitch = std::clamp(goal_.pitch + pitch, -steepest, steepest);
}

void CameraRig::pan(float right, float up) {
    const vec3 ahead = forward(goal_);
    const vec3 side = glm::normalize(glm::cross(ahead, vec3(0, 1, 0)));
    goal_.pivot += dvec3(right * side + up * glm::cross(side, ahead));
}

void CameraRig::fly(const vec3& way) {
    const vec3 ahead = forward(goal_);
    const vec3 side = glm::normalize(glm::cross(ahead, vec3(0, 1, 0)));
    // Orbiting, one walks over the ground.
    const vec3 onward = mode_ == CameraMode::fly ? ahead : glm::cross(vec3(0, 1, 0), side);
    goal_.pivot += dvec3(way.x * side + way.y * vec3(0, 1, 0) + way.z * onward);
}

void CameraRig::zoom(float factor) {
    if (mode_ == CameraMode::fly) {
        goal_.pivot += dvec3(forward(goal_) * (goal_.distance * (1.0f - factor)));
    } else {
        goal_.distance = std::clamp(goal_.distance * factor, 0.02f, 20000.0f);
    }
}

void CameraRig::frame(const dvec3& center, float radius) {
    const float half_view = 0.5f * fov_degrees_ * 0.017453293f;
    goal_.distance = std::max(0.05f, 1.25f * radius / std::sin(half_view));
    goal_.pivot = mode_ == CameraMode::fly ? center - dvec3(forward(goal_) * goal_.distance) : center;
}

void CameraRig::settle() { now_ = goal_; }

void CameraRig::update(float seconds) {
    const float part = 1.0f - std::exp(-quickness * std::clamp(seconds, 0.0f, 1.0f));
    now_.pivot += double{part} * (goal_.pivot - now_.pivot);
    now_.yaw += part * (goal_.yaw - now_.yaw);
    now_.pitch += part * (goal_.pitch - now_.pitch);
    now_.distance *= std::pow(goal_.distance / now_.distance, part);
}

CameraView CameraRig::view(int width, int height) const {
    CameraView view;
    view.width = std::max(1, width);
    view.height = std::max(1, height);
    view.forward = forward(now_);
    view.right = glm::normalize(glm::cross(view.forward, vec3(0, 1, 0)));
    view.up = glm::cross(view.right, view.forward);
    view.eye = eye(now_);
    view.distance = now_.distance;
    view.target = view.eye + dvec3(view.forward * now_.distance);
    view.origin = picture_origin(view.eye);
    // Scenes are framed for 16:9. In a narrower view they stay whole, and there is more sky.
    const float aspect = static_cast<float>(view.width) / static_cast<float>(view.height);
    view.tangent = std::tan(0.5f * fov_degrees_ * 0.017453293f) * std::clamp(16.0f / 9.0f / aspect, 1.0f, 2.0f);
    const float nearest = std::clamp(0.01f * now_.distance, 0.005f, 1.0f);
    const glm::mat4 projection = glm::perspective(2.0f * std::atan(view.tangent), aspect, nearest, 40000.0f * nearest);
    view.view_projection =
        projection * glm::lookAt(view.from_origin(view.eye), view.from_origin(view.target), vec3(0, 1, 0));
    return view;
}

}  // namespace talus::samples
