#include "samples/render/shading.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

float linear_channel(float s) { return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f); }
float srgb_channel(float l) { return l <= 0.0031308f ? 12.92f * l : 1.055f * std::pow(l, 1.0f / 2.4f) - 0.055f; }

// Neighbours differ in hue and a little in lightness; none is loud.
constexpr unsigned palette[] = {0x5b8aa8, 0xd9a05b, 0x7fa278, 0xc4705a, 0x8c7fae, 0xe0c48a, 0x4f9a94,
                                0xb98a9c, 0x9aa7b5, 0xa9b45f, 0x6f7fb8, 0xd08f72, 0x77b5c9};

}  // namespace

vec3 linear_color(unsigned srgb) {
    const auto channel = [&](int shift) { return linear_channel(static_cast<float>((srgb >> shift) & 255u) / 255.0f); };
    return {channel(16), channel(8), channel(0)};
}

vec3 body_color(std::size_t index) {
    // Steps through the palette; each round starts elsewhere, so that neither rows nor columns line up.
    constexpr std::size_t count = std::size(palette);
    const std::size_t round = index / count;
    const std::size_t pick = (index * 5 + round * 3) % count;
    const float lightness = 0.9f + 0.2f * static_cast<float>((index * 29) % 16) / 15.0f;
    return linear_color(palette[pick]) * lightness;
}

vec3 sky(const vec3& direction) {
    static const vec3 horizon = linear_color(0xdfe6ea), zenith = linear_color(0x7fa3c4),
                      ground = linear_color(0xc3c8c9);
    const float up = direction.y;
    if (up >= 0.0f) return glm::mix(horizon, zenith, 1.0f - std::exp(-2.2f * up));
    return glm::mix(horizon, ground, 1.0f - std::exp(2.5f * up));
}

float checker(float x, float z, float footprint) {
    const auto even = [](float v) { return static_cast<float>(static_cast<long>(std::floor(v)) & 1); };
    const float a = even(x), b = even(z);
    const float contrast = std::clamp(1.6f - 2.0f * footprint, 0.0f, 1.0f);
    return 1.0f + 0.09f * contrast * (a == b ? 1.0f : -1.0f);
}

vec3 shade(const Light& light, const vec3& albedo, const vec3& normal, const vec3& to_eye, float sun, float open) {
    static const vec3 sun_color(1.42f, 1.30f, 1.12f);
    static const vec3 sky_color(0.44f, 0.52f, 0.62f), ground_color(0.34f, 0.31f, 0.28f);
    const float facing = std::max(0.0f, glm::dot(normal, light.to_sun));
    const vec3 ambient = glm::mix(ground_color, sky_color, 0.5f + 0.5f * normal.y) * open;
    vec3 out = albedo * (sun_color * (facing * sun) + ambient);
    // A faint gloss, so that round things look round.
    const vec3 half = glm::normalize(light.to_sun + to_eye);
    const float gloss = std::pow(std::max(0.0f, glm::dot(normal, half)), 40.0f);
    out += sun_color * (0.05f * gloss * sun * (facing > 0.0f ? 1.0f : 0.0f));
    return out;
}

vec3 to_display(const vec3& linear) {
    vec3 out;
    for (int i = 0; i < 3; ++i) {
        // Straight up to 0.6, then bending towards 1.
        const float x = std::max(0.0f, linear[i]);
        const float bent = x <= 0.6f ? x : 0.6f + 0.4f * (1.0f - std::exp(-(x - 0.6f) / 0.4f));
        out[i] = srgb_channel(bent);
    }
    return out;
}

}  // namespace talus::samples
