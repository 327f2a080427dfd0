# Builds the outside project beside this file and runs its programs: a crate that falls 9.5 m must lie on the floor at
# the end.
#
#   cmake -DHOW=add_subdirectory -DSOURCE=... -DWORK=... -DGENERATOR=... -DCOMPILER=... -P outside.cmake
#   cmake -DHOW=find_package     -DBUILT=... (the build tree to install from) and the same others

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    list(JOIN ARGN " " command)
    message("${output}")
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(HOW STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${WORK}/prefix)
  set(option -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  set(option -DTALUS_SOURCE=${SOURCE})
endif()
# Debug is the type that the main build does not cover, and the quicker one to build, more so without symbols.
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 ${option})
run(${CMAKE_COMMAND} --build ${WORK}/build -j 2)

run(${WORK}/build/narrowphase_only)
message("${output}")
run(${WORK}/build/broadphase_only)
message("${output}")
run(${WORK}/build/first_program)
string(REGEX MATCH "[^\n]+\n$" rest_height "${output}")
string(STRIP "${rest_height}" rest_height)
message("${output}the crate ends at ${rest_height} m, expected 0.495 to 0.5")
if(NOT rest_height MATCHES "^0\\.(49[5-9]|500)$")
  message(FATAL_ERROR "the crate is not at rest on the floor")
endif()
