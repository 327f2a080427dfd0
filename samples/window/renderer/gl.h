#pragma once
/// OpenGL as the C library of the system exports it: on Linux libGL has all of 3.3, so nothing is loaded at run time; in
/// a browser it is WebGL 2. The renderer uses what both have. And what needs its end said in OpenGL, as values that say
/// it themselves.

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#endif
#include <GL/gl.h>
#include <GL/glext.h>
#endif

#include <talus/result.h>

#include <glm/mat4x4.hpp>

#include <talus/math.h>

#include <span>
#include <string_view>
#include <utility>

namespace talus::samples {

/// The first line of each shader.
#ifdef __EMSCRIPTEN__
inline constexpr std::string_view shader_version = "#version 300 es";
#else
inline constexpr std::string_view shader_version = "#version 330 core";
#endif

/// A name that OpenGL gave, and the function that takes it back.
template <void (*Delete)(GLuint)>
class GlName {
public:
    GlName() = default;
    explicit GlName(GLuint name) : name_(name) {}
    GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0u)) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlName() {
        if (name_ != 0) Delete(name_);
    }
    operator GLuint() const { return name_; }

private:
    GLuint name_ = 0;
};

namespace gl_delete {
inline void buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void texture(GLuint name) { glDeleteTextures(1, &name); }
inline void framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void renderbuffer(GLuint name) { glDeleteRenderbuffers(1, &name); }
inline void program(GLuint name) { glDeleteProgram(name); }
}  // namespace gl_delete

using GlBuffer = GlName<gl_delete::buffer>;
using GlVertexArray = GlName<gl_delete::vertex_array>;
using GlTexture = GlName<gl_delete::texture>;
using GlFramebuffer = GlName<gl_delete::framebuffer>;
using GlRenderbuffer = GlName<gl_delete::renderbuffer>;

GlBuffer make_buffer();
GlVertexArray make_vertex_array();
GlTexture make_texture();
GlFramebuffer make_framebuffer();
GlRenderbuffer make_renderbuffer();

/// Vertex and fragment shader, compiled and linked.
class GlProgram {
public:
    GlProgram() = default;
    /// `defines` goes before both sources, behind their #version. Refused: what the driver cannot compile, with its
    /// words.
    static Result<GlProgram> make(std::string_view defines, std::string_view vertex, std::string_view fragment);

    void use() const { glUseProgram(name_); }
    // Of the program in use; names that the compiler found unused are ignored.
    void set(const char* uniform, int value) const;
    void set(const char* uniform, float value) const;
    void set(const char* uniform, const vec3& value) const;
    void set(const char* uniform, const glm::mat4& value) const;

private:
    GlName<gl_delete::program> name_;
};

/// Fills the buffer anew, without waiting for what still reads its old bytes.
template <class T>
void upload(GLenum target, const GlBuffer& buffer, std::span<const T> data, GLenum usage) {
    glBindBuffer(target, buffer);
    glBufferData(target, static_cast<GLsizeiptr>(data.size_bytes()), data.data(), usage);
}

}  // namespace talus::samples
