# Builds the outside project beside this file and runs its programs: a crate that falls 9.5 m must lie on the floor at
# the end.
#
#   cmake -DHOW=add_subdirectory -DSOURCE=... -DWORK=... -DGENERATOR=... -DCOMPILER=... -DLAUNCHER=... -DWERROR=... -P outside.cmake
#   cmake -DHOW=find_package     -DBUILT=... (the build tree to install from) and the same others
#
# With add_subdirectory Talus is compiled again, as the main build does not compile it: by COMPILER, eight sources at a
# time, without what is compiled for AVX2 and without profiling. The runner is built, too: same_bits.cmake compares its
# bits with the main build's.

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
set(targets first_program narrowphase_only broadphase_only)
if(HOW STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${WORK}/prefix)
  set(options -DCMAKE_PREFIX_PATH=${WORK}/prefix -DFIRST_PROGRAM_C=${SOURCE}/bindings/c/examples/first_program.c)
  list(APPEND targets headers first_program_c first_program_c_shared)
else()
  set(options -DTALUS_SOURCE=${SOURCE} -DTALUS_WERROR=${WERROR} -DTALUS_AVX=OFF -DTALUS_PROFILING=OFF
    -DTALUS_BUILD_SAMPLES=ON -DTALUS_UNITE=ON)
  list(APPEND targets talus-samples)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=Release ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build -j 2 --target ${targets})

run(${WORK}/build/narrowphase_only)
message("${output}")
run(${WORK}/build/broadphase_only)
message("${output}")
if(HOW STREQUAL "find_package")
  foreach(program first_program_c first_program_c_shared)
    run(${WORK}/build/${program})
    if(NOT output MATCHES "^0\\.(49[5-9]|500)\n$")
      message(FATAL_ERROR "${program}: the crate ends at ${output}")
    endif()
  endforeach()
endif()
run(${WORK}/build/first_program)
string(REGEX MATCH "[^\n]+\n$" rest_height "${output}")
string(STRIP "${rest_height}" rest_height)
message("${output}the crate ends at ${rest_height} m, expected 0.495 to 0.5")
if(NOT rest_height MATCHES "^0\\.(49[5-9]|500)$")
  message(FATAL_ERROR "the crate is not at rest on the floor")
endif()
