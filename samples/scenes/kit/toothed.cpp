#include "samples/scenes/kit/toothed.h"

#include "samples/scenes/kit/parts.h"

namespace talus::samples {

static constexpr float pi = 3.14159265f;
static constexpr float pitch = tooth_pitch, tooth_depth = 0.15f;  // m

BodyDef toothed_wheel(int teeth, bool turned) {
    const float radius = pitch_radius(teeth);
    BodyDef wheel;
    ShapeDef disc;
    disc.shape = cylinder(tooth_depth, radius - 0.35f * pitch);
    disc.pose.rotation = turn({1, 0, 0}, 0.5f * pi);
    disc.filter = {1, 0, 0};
    wheel.shapes.push_back(disc);
    for (int k = 0; k < teeth; ++k) {
        float angle = 2.0f * pi * (static_cast<float>(k) + (turned ? 0.5f : 0.0f)) / static_cast<float>(teeth);
        if (angle > pi) angle -= 2.0f * pi;
        ShapeDef tooth = disc;
        tooth.shape = box({0.35f * pitch, 0.22f * pitch, tooth_depth});
        tooth.pose.rotation = turn({0, 0, 1}, angle);
        tooth.pose.position = rotate(tooth.pose.rotation, {radius - 0.1f * pitch, 0.0f, 0.0f});
        wheel.shapes.push_back(tooth);
    }
    return wheel;
}

BodyDef toothed_rack(int teeth) {
    BodyDef rack;
    const auto count = static_cast<float>(teeth);
    ShapeDef bar;
    bar.shape = box({0.5f * pitch * count, 0.1f, tooth_depth});
    bar.filter = {1, 0, 0};
    bar.pose.position = {0.0f, 0.17f, 0.0f};
    rack.shapes.push_back(bar);
    for (int k = 0; k < teeth; ++k) {
        ShapeDef tooth = bar;
        tooth.shape = box({0.22f * pitch, 0.35f * pitch, tooth_depth});
        tooth.pose.position = {pitch * (static_cast<float>(k) - 0.5f * count + 0.5f), 0.02f, 0.0f};
        rack.shapes.push_back(tooth);
    }
    return rack;
}

}  // namespace talus::samples
