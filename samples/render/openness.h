#pragma once

#include "samples/render/view.h"

namespace talus::samples {

/// How much of the sky each pixel's surface sees past what stands near it: 0 in a tight corner, 1 in the open. From
/// depths alone (Mittring 2007, section 8.5.4.3): 16 places within `radius` (m) above the surface, each open unless
/// something hides it. Sixteen rotations of the places alternate over 4 x 4 pixels, and a blur of 4 x 4 over equal
/// depths takes that pattern out.
class Openness {
public:
    Openness(const View& view, const Surfaces& surfaces, float radius);

    float at(int x, int y) const { return value_[index(std::min(x, width_ - 1), std::min(y, height_ - 1))]; }

private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    int width_, height_;  // pixels
    std::vector<float> value_;
};

}  // namespace talus::samples
