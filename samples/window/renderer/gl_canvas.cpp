#include "samples/window/renderer/gl_canvas.h"

#include <algorithm>
#include <vector>

namespace talus::samples {

void GlCanvas::begin(int x, int y, int width, int height, int samples) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    samples = std::min(samples, static_cast<int>(most));
    in_use_ = samples > 1;
    if (!in_use_) {
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(x, y, width, height);
        return;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, target_);
    glViewport(x, y, width, height);
    if (x + width == right_ && y + height == top_ && samples == samples_) return;
    right_ = x + width, top_ = y + height, samples_ = samples;
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGB8, right_, top_);
    glBindRenderbuffer(GL_RENDERBUFFER, depth_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, right_, top_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_);
}

void GlCanvas::end() {
    if (in_use_) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target_);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        // WebGL joins samples only between equal rectangles.
        glBlitFramebuffer(0, 0, right_, top_, 0, 0, right_, top_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

Image read_pixels(int width, int height) {
    Image image;
    image.width = width;
    image.height = height;
    const auto columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
    std::vector<std::uint8_t> upside_down(4 * columns * rows);
    glReadBuffer(GL_BACK);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
    image.rgb.reserve(3 * columns * rows);
    for (std::size_t y = rows; y-- > 0;) {
        for (std::size_t x = 0; x < columns; ++x) {
            const std::uint8_t* pixel = &upside_down[4 * (y * columns + x)];
            image.rgb.insert(image.rgb.end(), pixel, pixel + 3);
        }
    }
    return image;
}

}  // namespace talus::samples
