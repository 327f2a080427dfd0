#include "samples/window/renderer/gl_canvas.h"

#include <algorithm>
#include <cstring>

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
    x_ = x, y_ = y;
    glBindFramebuffer(GL_FRAMEBUFFER, target_);
    glViewport(0, 0, width, height);
    if (width == width_ && height == height_ && samples == samples_) return;
    width_ = width, height_ = height, samples_ = samples;
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, depth_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_);
}

void GlCanvas::end() {
    if (in_use_) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target_);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        glBlitFramebuffer(0, 0, width_, height_, x_, y_, x_ + width_, y_ + height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

Image read_pixels(int width, int height) {
    Image image;
    image.width = width;
    image.height = height;
    const std::size_t row = 3 * static_cast<std::size_t>(width);
    std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height));
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
    image.rgb.resize(upside_down.size());
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
        std::memcpy(&image.rgb[y * row], &upside_down[(static_cast<std::size_t>(height) - 1 - y) * row], row);
    }
    return image;
}

}  // namespace talus::samples
