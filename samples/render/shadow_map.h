#pragma once

#include "samples/render/view.h"

namespace talus::samples {

/// Heights of what the sun sees first, over a square across the sun's direction.
class ShadowMap {
public:
    /// Covers a ball around `center`; whatever lies outside is in the light.
    ShadowMap(const vec3& to_sun, const vec3& center, float radius);

    void add(const Model& model, const MatrixTransform& pose);

    /// 0 in shadow to 1 in the light, soft over a few texels.
    float light(const vec3& point, const vec3& normal) const;

private:
    vec3 to_map(const vec3& point) const;  // texel x, texel y, height in m

    vec3 forward_, right_, up_, center_;
    float texel_;  // m
    std::vector<float> height_;
};

}  // namespace talus::samples
