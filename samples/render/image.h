#pragma once

#include <talus/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

/// 8-bit sRGB, rows from the top, three bytes per pixel.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    const std::uint8_t* pixel(int x, int y) const {
        return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
    }
};

/// An Error that is false, or why the file could not be written.
Error write_png(const Image& image, const std::string& path);

}  // namespace talus::samples
