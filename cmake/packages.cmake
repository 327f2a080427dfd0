# The packages that samples, tests and profiling programs need. Whatever lacks one is left out; the others are built.

# talus_skip(SENTENCE): says that something is left out, now and at the end of test.sh.
function(talus_skip sentence)
  message(STATUS "Talus: ${sentence}")
  set_property(GLOBAL APPEND PROPERTY talus_skipped "${sentence}")
endfunction()

# talus_write_skipped(): writes the sentences to skipped.txt in the build folder, one per line.
function(talus_write_skipped)
  get_property(sentences GLOBAL PROPERTY talus_skipped)
  list(JOIN sentences "\n" text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/skipped.txt CONTENT "${text}\n" @ONLY)
endfunction()

if(EMSCRIPTEN)
  include(cmake/web.cmake)
elseif(TALUS_BUILD_SAMPLES OR TALUS_BUILD_TESTS OR TALUS_BUILD_PROFILING)
  find_package(assimp QUIET)
  if(NOT TARGET assimp::assimp)
    talus_skip("assimp is not installed, so samples cannot read meshes (Debian: libassimp-dev)")
  endif()

  find_path(TALUS_STB_INCLUDE_DIR stb/stb_image_write.h)
  mark_as_advanced(TALUS_STB_INCLUDE_DIR)
  if(NOT TALUS_STB_INCLUDE_DIR)
    talus_skip("stb is not installed, so samples cannot write pictures (Debian: libstb-dev)")
  endif()

  find_package(ZLIB QUIET)
  if(NOT ZLIB_FOUND)
    talus_skip("zlib is not installed, so samples cannot record (Debian: zlib1g-dev)")
  endif()

  find_package(TBB QUIET)
  if(NOT TARGET TBB::tbb)
    talus_skip("oneTBB is not installed, so there is no example that runs on it (Debian: libtbb-dev)")
  endif()

  find_package(glfw3 QUIET)
  find_package(OpenGL QUIET COMPONENTS OpenGL)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui)
  endif()
  if(NOT (TARGET glfw AND TARGET OpenGL::OpenGL AND TARGET PkgConfig::IMGUI))
    talus_skip("GLFW, OpenGL or Dear ImGui is not installed, so there is no talus-window \
(Debian: libglfw3-dev libimgui-dev libgl-dev pkg-config)")
  endif()
endif()

if(TALUS_BUILD_TESTS OR TALUS_BUILD_PROFILING)
  find_package(Bullet QUIET MODULE)
  if(NOT BULLET_FOUND)
    talus_skip("Bullet is not installed, so there are no comparisons with it (Debian: libbullet-dev)")
  endif()
endif()

if(TALUS_BUILD_TESTS)
  find_package(doctest QUIET)
  talus_host_headers(doctest::doctest doctest doctest.h)
  if(NOT TARGET doctest::doctest)
    talus_skip("doctest is not installed, so there are no tests (Debian: doctest-dev)")
  endif()
  if(NOT TALUS_PROFILING)
    talus_skip("TALUS_PROFILING is OFF, so there are no tests: they compare counts that only profiling takes")
  endif()
endif()
