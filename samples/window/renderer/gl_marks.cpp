#include "samples/window/renderer/gl_marks.h"

#include "samples/window/renderer/gl_shaders.h"

#include <cstddef>

namespace talus::samples {

Result<GlMarks> GlMarks::make() {
    GlMarks marks;
    Result<GlProgram> program = GlProgram::make("", shaders::mark_vertex, shaders::mark_fragment);
    if (!program) return program.error();
    marks.program_ = std::move(*program);
    glBindVertexArray(marks.array_);
    glBindBuffer(GL_ARRAY_BUFFER, marks.buffer_);
    const auto offset = [](std::size_t bytes) { return reinterpret_cast<const void*>(bytes); };
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), offset(offsetof(Vertex, position)));
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex), offset(offsetof(Vertex, color)));
    glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, sizeof(Vertex), offset(offsetof(Vertex, size)));
    for (GLuint i = 0; i < 3; ++i) glEnableVertexAttribArray(i);
    glBindVertexArray(0);
    return marks;
}

void GlMarks::line(const dvec3& from, const dvec3& to, Color color) {
    for (const dvec3& p : {from, to}) lines_.push_back({vec3(p - origin_), color, 1.0f});
}

void GlMarks::point(const dvec3& at, float pixels, Color color) {
    points_.push_back({vec3(at - origin_), color, pixels});
}

void GlMarks::triangle(const dvec3& a, const dvec3& b, const dvec3& c, Color color) {
    for (const dvec3& p : {a, b, c}) triangles_.push_back({vec3(p - origin_), color, 1.0f});
}

void GlMarks::text(const dvec3& at, std::string_view text, Color color) {
    texts_.push_back({at, std::string(text), color});
}

void GlMarks::clear(const dvec3& origin) {
    origin_ = origin;
    lines_.clear();
    points_.clear();
    triangles_.clear();
    texts_.clear();
}

void GlMarks::draw(const CameraView& view, float hidden_strength) {
    all_.clear();
    all_.insert(all_.end(), triangles_.begin(), triangles_.end());
    all_.insert(all_.end(), lines_.begin(), lines_.end());
    all_.insert(all_.end(), points_.begin(), points_.end());
    if (all_.empty()) return;
    glBindVertexArray(array_);
    upload(GL_ARRAY_BUFFER, buffer_, std::span<const Vertex>(all_), GL_STREAM_DRAW);
    program_.use();
    program_.set("view_projection", view.view_projection);
    program_.set("near", 30.0f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
#ifdef GL_PROGRAM_POINT_SIZE  // WebGL always lets shaders say it
    glEnable(GL_PROGRAM_POINT_SIZE);
#endif
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_FALSE);
    const auto triangles = static_cast<GLsizei>(triangles_.size()), lines = static_cast<GLsizei>(lines_.size()),
               points = static_cast<GLsizei>(points_.size());
    for (const bool hidden : {true, false}) {
        glDepthFunc(hidden ? GL_GREATER : GL_LEQUAL);
        program_.set("strength", hidden ? hidden_strength : 1.0f);
        program_.set("round_points", 0);
        if (triangles > 0) glDrawArrays(GL_TRIANGLES, 0, triangles);
        if (lines > 0) glDrawArrays(GL_LINES, triangles, lines);
        program_.set("round_points", 1);
        if (points > 0) glDrawArrays(GL_POINTS, triangles + lines, points);
    }
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
#ifdef GL_PROGRAM_POINT_SIZE
    glDisable(GL_PROGRAM_POINT_SIZE);
#endif
    glBindVertexArray(0);
}

}  // namespace talus::samples
