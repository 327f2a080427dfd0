# For the sample window as a page (run.sh --web): what it links in a browser. GLFW and OpenGL are emscripten's own; zlib
# and Dear ImGui are compiled from sources that cmake/setup.sh fetches into build/source.

enable_language(C)
set(sources ${PROJECT_SOURCE_DIR}/build/source)

if(EXISTS ${sources}/zlib/zlib.h)
  add_library(zlib STATIC EXCLUDE_FROM_ALL ${sources}/zlib/adler32.c ${sources}/zlib/crc32.c ${sources}/zlib/deflate.c
    ${sources}/zlib/inffast.c ${sources}/zlib/inflate.c ${sources}/zlib/inftrees.c ${sources}/zlib/trees.c
    ${sources}/zlib/zutil.c)
  target_include_directories(zlib SYSTEM PUBLIC ${sources}/zlib)
  target_compile_options(zlib PRIVATE -w)
  add_library(ZLIB::ZLIB ALIAS zlib)
  set(ZLIB_FOUND TRUE)
endif()

if(EXISTS ${sources}/imgui/imgui.h)
  add_library(imgui STATIC EXCLUDE_FROM_ALL ${sources}/imgui/imgui.cpp ${sources}/imgui/imgui_draw.cpp
    ${sources}/imgui/imgui_tables.cpp ${sources}/imgui/imgui_widgets.cpp ${sources}/imgui/backends/imgui_impl_glfw.cpp
    ${sources}/imgui/backends/imgui_impl_opengl3.cpp)
  target_include_directories(imgui SYSTEM PUBLIC ${sources}/imgui)
  target_compile_definitions(imgui PUBLIC IMGUI_IMPL_OPENGL_ES3 IMGUI_DISABLE_DEMO_WINDOWS)
  target_compile_options(imgui PRIVATE -w)
  add_library(PkgConfig::IMGUI ALIAS imgui)

  add_library(glfw INTERFACE)
  target_link_options(glfw INTERFACE -sUSE_GLFW=3)
  add_library(OpenGL::OpenGL INTERFACE IMPORTED)
  target_link_options(OpenGL::OpenGL INTERFACE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
endif()
