#include "samples/window/app/platform.h"

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_style.h"
#include "samples/window/renderer/gl.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#include <emscripten/html5.h>
#endif

#include <algorithm>
#include <cmath>

namespace talus::samples {

WindowSize window_size(GLFWwindow* window) {
    WindowSize size;
    glfwGetWindowSize(window, &size.width, &size.height);
#ifdef __EMSCRIPTEN__
    // Here GLFW counts in the canvas's pixels, of which page.js makes as many as the screen has, but at most 2 per unit.
    size.density = std::clamp(static_cast<float>(emscripten_get_device_pixel_ratio()), 1.0f, 2.0f);
    for (int* pixels : {&size.width, &size.height})
        *pixels = static_cast<int>(std::lround(static_cast<float>(*pixels) / size.density));
#else
    int pixels = 0, ignored = 0;
    glfwGetFramebufferSize(window, &pixels, &ignored);
    if (size.width > 0) size.density = static_cast<float>(pixels) / static_cast<float>(size.width);
#endif
    return size;
}

Error Platform::open(int width, int height, bool wait) {
    glfwSetErrorCallback([](int, const char*) {});
    if (!glfwInit()) {
        return {ErrorCode::bad_argument,
                "no display: it takes a desktop (X11 or Wayland). Without one, as under ssh, try "
                "'xvfb-run -a talus-window ...', or talus-samples, which needs no window."};
    }
    glfw_ = true;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_ALPHA_BITS, 0);  // a page would shine through
    glfwWindowHint(GLFW_DEPTH_BITS, 24);
    window = glfwCreateWindow(width, height, "Talus", nullptr, nullptr);
    if (!window) {
#ifdef __EMSCRIPTEN__
        return {ErrorCode::bad_argument, "this browser has no WebGL 2, or has it switched off."};
#else
        const char* why = nullptr;
        glfwGetError(&why);
        return {ErrorCode::bad_argument,
                "no OpenGL 3.3 here" + (why ? " (" + std::string(why) + ")" : std::string()) +
                    ". Update the graphics driver, or let the processor draw: LIBGL_ALWAYS_SOFTWARE=1 "
                    "talus-window ..."};
#endif
    }
    glfwMakeContextCurrent(window);
#ifndef __EMSCRIPTEN__  // where frames come with the screen's, and a page has the size that it has
    glfwSwapInterval(wait ? 1 : 0);
    glfwSetWindowSizeLimits(window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
#else
    static_cast<void>(wait);
#endif
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    apply_style(window_size(window).density);
    watch_keys(window);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init(shader_version.data());
    imgui_ = true;
    return {};
}

Platform::~Platform() {
    if (imgui_) {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    if (window) glfwDestroyWindow(window);
    if (glfw_) glfwTerminate();
}

void Platform::begin_panels() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
#ifdef __EMSCRIPTEN__
    const WindowSize size = window_size(window);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
    io.DisplayFramebufferScale = {size.density, size.density};
    if (ImGui::IsMousePosValid(&io.MousePos))
        io.MousePos = {io.MousePos.x / size.density, io.MousePos.y / size.density};
#endif
    ImGui::NewFrame();
}

void Platform::run(bool (*run_frame)()) {
#ifdef __EMSCRIPTEN__
    static bool (*the_frame)() = nullptr;
    the_frame = run_frame;
    emscripten_set_main_loop(
        [] {
            if (!the_frame()) emscripten_cancel_main_loop();
        },
        0, false);
#else
    while (run_frame()) {}
#endif
}

}  // namespace talus::samples
