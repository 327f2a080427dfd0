# talus-docs: the API reference, in docs/html of the build folder. A public name without a comment is an error.

find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  add_custom_target(talus-docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/docs
    COMMAND ${CMAKE_COMMAND} -E env TALUS_VERSION=${PROJECT_VERSION} TALUS_DOCS=${PROJECT_BINARY_DIR}/docs
      $<TARGET_FILE:Doxygen::doxygen> docs/Doxyfile
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
endif()
