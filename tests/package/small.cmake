# Builds Talus without joints, meshes and what is compiled for AVX, and installs it. It must give the bits of the main build,
# refuse what it has not got, and make programs of the size that docs/platforms.md states.
#
#   cmake -DSOURCE=... -DBUILT=... (the main build tree) -DWORK=... -DGENERATOR=... -DCOMPILER=... -DLAUNCHER=... -DSTRIP=...
#     -DWERROR=... -P small.cmake
#
# It is built beside the main build tree, not below: so ccache, for which the sources are at the same relative paths, has
# most of its object files already.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${output}\nfailed (${result}): ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILT}-small -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=Release -DTALUS_WERROR=${WERROR} -DTALUS_BUILD_TESTS=OFF
  -DTALUS_BUILD_SAMPLES=OFF -DTALUS_BUILD_PROFILING=OFF -DTALUS_BUILD_C=OFF
  -DTALUS_JOINTS=OFF -DTALUS_MESHES=OFF -DTALUS_AVX=OFF)
run(${CMAKE_COMMAND} --build ${BUILT}-small -j 2)

foreach(library full small)
  set(tree ${BUILT})
  if(library STREQUAL "small")
    set(tree ${BUILT}-small)
  endif()
  run(${CMAKE_COMMAND} --install ${tree} --prefix ${WORK}/${library}/prefix)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/${library}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/${library}/prefix)
  run(${CMAKE_COMMAND} --build ${WORK}/${library}/build --target first_program small)
  run(${WORK}/${library}/build/small ${WORK}/world)
  message("${library}:\n${output}")
  set(output_${library} "${output}")

  run(${STRIP} ${WORK}/${library}/build/first_program -o ${WORK}/${library}/stripped)
  file(SIZE ${WORK}/${library}/stripped size_${library})
endforeach()

if(NOT output_full MATCHES "^([0-9a-f]+) 1 1\nmesh: taken\njoint: taken\nsaved world: taken\n$")
  message(FATAL_ERROR "the full library refuses something")
endif()
if(NOT output_small STREQUAL "${CMAKE_MATCH_1} 1 1
mesh: add_body: mesh is set; this library was built without meshes (TALUS_MESHES=OFF).
joint: add_joint: this library was built without joints (TALUS_JOINTS=OFF).
saved world: load: the saved world is refused: it has joints, and this library was built without them.
")
  message(FATAL_ERROR "the small library has other bits, or refuses the wrong things")
endif()

file(READ ${SOURCE}/docs/platforms.md text)
foreach(row "full;all of it" "small;without joints, meshes and AVX")
  list(GET row 0 library)
  list(GET row 1 name)
  string(REGEX MATCH "\\| ${name} \\| ([0-9]+)\\.([0-9][0-9]) MB" found "${text}")
  set(stated ${CMAKE_MATCH_1}${CMAKE_MATCH_2}0000)
  message("${name}: ${size_${library}} bytes; docs/platforms.md says ${stated}")
  math(EXPR difference "100 * (${size_${library}} - ${stated}) / ${stated}")
  if(NOT found OR difference GREATER 3 OR difference LESS -3)
    message(FATAL_ERROR "docs/platforms.md is wrong by more than 3%")
  endif()
endforeach()
