#pragma once
/// Debug drawing by OpenGL: marks are collected over a frame and drawn with three calls. What bodies hide shines
/// through. Text is kept for whoever draws text.

#include "samples/window/renderer/camera.h"
#include "samples/window/renderer/gl.h"

#include <talus/engine/debug_draw.h>

#include <string>
#include <vector>

namespace talus::samples {

class GlMarks : public DebugDraw {
public:
    static Result<GlMarks> make();

    void line(const vec3& from, const vec3& to, Color color) override;
    void point(const vec3& at, float pixels, Color color) override;
    void triangle(const vec3& a, const vec3& b, const vec3& c, Color color) override;
    void text(const vec3& at, std::string_view text, Color color) override;

    /// Draws what came since clear() over the picture whose depths are bound; what is hidden there with this strength.
    void draw(const CameraView& view, float hidden_strength = 0.2f);
    void clear();

    struct Text {
        vec3 at;
        std::string text;
        Color color;
    };
    const std::vector<Text>& texts() const { return texts_; }

private:
    struct Vertex {
        vec3 position;
        Color color;
        float size;
    };
    static_assert(sizeof(Vertex) == 20);

    GlProgram program_;
    GlBuffer buffer_ = make_buffer();
    GlVertexArray array_ = make_vertex_array();
    std::vector<Vertex> lines_, points_, triangles_, all_;
    std::vector<Text> texts_;
};

}  // namespace talus::samples
