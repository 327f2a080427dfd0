#pragma once
/// Where the 3D picture is drawn: straight into the window, or with several samples a pixel that end() joins.

#include "samples/render/image.h"
#include "samples/window/renderer/gl.h"

namespace talus::samples {

class GlCanvas {
public:
    /// Binds what is to be drawn into, for a rectangle of the window (x and y of its lower left corner), and sets the
    /// viewport. `samples` 0: the window itself.
    void begin(int x, int y, int width, int height, int samples);
    /// The picture is in the window's back buffer, which is bound.
    void end();

private:
    GlFramebuffer target_ = make_framebuffer();
    GlRenderbuffer color_ = make_renderbuffer(), depth_ = make_renderbuffer();
    int right_ = 0, top_ = 0, samples_ = 0;  ///< of the buffers, which begin at the window's corner
    bool in_use_ = false;
};

/// What the window's back buffer shows.
Image read_pixels(int width, int height);

}  // namespace talus::samples
