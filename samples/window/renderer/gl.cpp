#include "samples/window/renderer/gl.h"

#include <glm/gtc/type_ptr.hpp>

#include <string>

namespace talus::samples {

namespace {

#ifdef __EMSCRIPTEN__
constexpr std::string_view precision =
    "\nprecision highp float; precision highp int; precision highp sampler2D; precision highp sampler2DShadow;\n";
#else
constexpr std::string_view precision = "\n";
#endif

template <void (*Generate)(GLsizei, GLuint*)>
GLuint generate() {
    GLuint name = 0;
    Generate(1, &name);
    return name;
}

std::string log_of(GLuint object, void (*parameter)(GLuint, GLenum, GLint*),
                   void (*log)(GLuint, GLsizei, GLsizei*, GLchar*)) {
    GLint length = 0;
    parameter(object, GL_INFO_LOG_LENGTH, &length);
    std::string text(static_cast<std::size_t>(length > 1 ? length : 1), '\0');
    log(object, length, nullptr, text.data());
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
}

Result<GLuint> compile(GLenum kind, std::string_view defines, std::string_view source) {
    const GLchar* texts[] = {shader_version.data(), precision.data(), defines.data(), source.data()};
    const GLint lengths[] = {static_cast<GLint>(shader_version.size()), static_cast<GLint>(precision.size()),
                             static_cast<GLint>(defines.size()), static_cast<GLint>(source.size())};
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 4, texts, lengths);
    glCompileShader(shader);
    GLint good = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good == GL_TRUE) return shader;
    const std::string words = log_of(shader, glGetShaderiv, glGetShaderInfoLog);
    glDeleteShader(shader);
    return Error{ErrorCode::bad_argument, "the graphics driver cannot compile a shader: " + words};
}

}  // namespace

GlBuffer make_buffer() { return GlBuffer(generate<glGenBuffers>()); }
GlVertexArray make_vertex_array() { return GlVertexArray(generate<glGenVertexArrays>()); }
GlTexture make_texture() { return GlTexture(generate<glGenTextures>()); }
GlFramebuffer make_framebuffer() { return GlFramebuffer(generate<glGenFramebuffers>()); }
GlRenderbuffer make_renderbuffer() { return GlRenderbuffer(generate<glGenRenderbuffers>()); }

Result<GlProgram> GlProgram::make(std::string_view defines, std::string_view vertex, std::string_view fragment) {
    const Result<GLuint> first = compile(GL_VERTEX_SHADER, defines, vertex);
    if (!first) return first.error();
    const Result<GLuint> second = compile(GL_FRAGMENT_SHADER, defines, fragment);
    if (!second) {
        glDeleteShader(*first);
        return second.error();
    }
    GlProgram program;
    program.name_ = GlName<gl_delete::program>(glCreateProgram());
    for (const GLuint shader : {*first, *second}) {
        glAttachShader(program.name_, shader);
        glDeleteShader(shader);  // that is, as soon as the program goes
    }
    glLinkProgram(program.name_);
    GLint good = GL_FALSE;
    glGetProgramiv(program.name_, GL_LINK_STATUS, &good);
    if (good != GL_TRUE) {
        return Error{ErrorCode::bad_argument, "the graphics driver cannot link a program: " +
                                                  log_of(program.name_, glGetProgramiv, glGetProgramInfoLog)};
    }
    return program;
}

void GlProgram::set(const char* uniform, int value) const { glUniform1i(glGetUniformLocation(name_, uniform), value); }
void GlProgram::set(const char* uniform, float value) const {
    glUniform1f(glGetUniformLocation(name_, uniform), value);
}
void GlProgram::set(const char* uniform, const vec3& value) const {
    glUniform3f(glGetUniformLocation(name_, uniform), value.x, value.y, value.z);
}
void GlProgram::set(const char* uniform, const glm::mat4& value) const {
    glUniformMatrix4fv(glGetUniformLocation(name_, uniform), 1, GL_FALSE, glm::value_ptr(value));
}

}  // namespace talus::samples
