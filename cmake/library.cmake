# talus_public_headers(TARGET header...): what users of TARGET include: talus/x.h is include/talus/x.h. (File sets would do
# this, but need CMake 3.23.)
function(talus_public_headers target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES TALUS_HEADERS "${ARGN}" EXPORT_PROPERTIES TALUS_HEADERS)
endfunction()

# talus_library(NAME [UNITE]
#   SOURCES file...         .cpp files, below the folder of the CMakeLists.txt that calls this
#   HEADERS header...       public headers, by the path that users write: talus/NAME/x.h is include/talus/NAME/x.h
#   [LIBRARIES library...]  libraries that NAME and all its users link, besides talus_common
# )
# The static library talus_NAME. Its private headers are beside its .cpp files.
# UNITE: if TALUS_UNITE is on, as in the presets of clang-tidy and the sanitizers and in tests/package, eight sources are
# compiled at a time: clang-tidy takes an eighth of its time then, and clang three fifths. Unnamed namespaces of sources
# that are neighbours must not have the same names in them.
function(talus_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITE" "" "SOURCES;HEADERS;LIBRARIES")
  add_library(talus_${name} STATIC ${arg_SOURCES})
  talus_public_headers(talus_${name} ${arg_HEADERS})
  target_include_directories(talus_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(talus_${name} PUBLIC talus_common PRIVATE $<BUILD_INTERFACE:talus_options>)
  target_link_libraries(talus_${name} PUBLIC ${arg_LIBRARIES})
  # glm would convert doubles to floats without a word: places in the world must not become floats by oversight.
  target_compile_definitions(talus_${name} PRIVATE GLM_FORCE_EXPLICIT_CTOR)
  talus_precompile(talus_${name})
  # A kernel's file defines the types of one instruction set, and then includes the kernel's code.
  set(kernels ${arg_SOURCES})
  list(FILTER kernels INCLUDE REGEX "_kernel_")
  if(arg_UNITE AND TALUS_UNITE)
    set_target_properties(talus_${name} PROPERTIES UNITY_BUILD ON)
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  talus_small_download(talus_${name} ${kernels})
endfunction()

# talus_leave_out(TARGET REGEX file DEFINITION): compiles `file` in place of the sources that match REGEX, and all others with
# DEFINITION: a library without one of its parts.
function(talus_leave_out target regex file definition)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX ${regex})
  set_target_properties(${target} PROPERTIES SOURCES "${sources};${file}")
  target_compile_definitions(${target} PRIVATE ${definition})
endfunction()

# talus_embed(TARGET file...): makes each text file a constant of TARGET's: "page.html" is
# `extern const std::string_view page_html` in namespace talus::embedded, declared by the code that reads it.
function(talus_embed target)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    set(source ${PROJECT_BINARY_DIR}/embedded/${name}.cpp)
    add_custom_command(OUTPUT ${source} DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUTPUT=${source}
        -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
    target_sources(${target} PRIVATE ${source})
  endforeach()
endfunction()
