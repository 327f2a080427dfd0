#pragma once
/// The window, OpenGL and Dear ImGui: on a desktop, or in a browser, where the window is a page's canvas.

#include <talus/result.h>

struct GLFWwindow;

namespace talus::samples {

struct WindowSize {
    int width = 1, height = 1;  ///< in the window's units, in which the mouse and the panels count
    float density = 1.0f;       ///< pixels per unit: more than 1 on dense screens
};
WindowSize window_size(GLFWwindow* window);

class Platform {
public:
    Platform() = default;
    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;
    ~Platform();

    /// Refused, with what helps: no display, no OpenGL. `wait`: frames wait for the screen.
    Error open(int width, int height, bool wait);
    /// After this, panels may be drawn.
    void begin_panels();
    /// Calls run_frame() for each frame until it returns false. In a browser it returns at once: the browser goes on
    /// calling, for as long as the page is open.
    void run(bool (*run_frame)());

    GLFWwindow* window = nullptr;

private:
    bool glfw_ = false, imgui_ = false;
};

}  // namespace talus::samples
