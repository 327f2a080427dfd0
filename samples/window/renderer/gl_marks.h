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

    void line(const dvec3& from, const dvec3& to, Color color) override;
    void point(const dvec3& at, float pixels, Color color) override;
    void triangle(const dvec3& a, const dvec3& b, const dvec3& c, Color color) override;
    void text(const dvec3& at, std::string_view text, Color color) override;

    /// Draws what came since clear() over the picture whose depths are bound; what is hidden there with this strength.
    void draw(const CameraView& view, float hidden_strength = 0.2f);
    /// `origin` is that of the view in which draw() will show what comes.
    void clear(const dvec3& origin);

    struct Text {
        dvec3 at;  ///< world
        std::string text;
        Color color;
    };
    const std::vector<Text>& texts() const { return texts_; }

private:
    struct Vertex {
        vec3 position;  ///< from the origin
        Color color;
        float size;
    };
    static_assert(sizeof(Vertex) == 20);

    GlProgram program_;
    GlBuffer buffer_ = make_buffer();
    GlVertexArray array_ = make_vertex_array();
    dvec3 origin_{0.0};
    std::vector<Vertex> lines_, points_, triangles_, all_;
    std::vector<Text> texts_;
};

}  // namespace talus::samples
