# Runs scenes and compares the hashes of all poses and velocities that they end with.
#
#   cmake -DRUNNER=... -P same_bits.cmake
#       a run and its repetition agree; another seed or one step more gives another hash
#   cmake -DRUNNER=... -DOTHER_COMPILER=... -DSOURCE=... -DWORK=... -DGENERATOR=... -DWERROR=... -P same_bits.cmake
#       builds the runner by the other compiler too, without what is compiled for AVX2 and without profiling: both agree in every scene that needs no files,
#       and the other has the hashes of golden.txt, too

function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(result)
    list(JOIN ARGN " " command)
    message("${text}${errors}")
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# The last line of a run with --hash holds its hash.
function(hash_of output runner)
  run(text ${runner} ${ARGN} --hash)
  string(REGEX MATCH "[^\n]*\n*$" last_line "${text}")
  if(last_line MATCHES "^hash ([0-9a-f]+)\n*$")
    set(${output} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    message(FATAL_ERROR "${runner} ${ARGN} --hash: no hash in its last line:\n${text}")
  endif()
endfunction()

set(failures "")

if(NOT OTHER_COMPILER)
  hash_of(first ${RUNNER} --scene mixed --steps 40 --seed 5)
  hash_of(again ${RUNNER} --scene mixed --steps 40 --seed 5)
  hash_of(seeded ${RUNNER} --scene mixed --steps 40 --seed 6)
  hash_of(longer ${RUNNER} --scene mixed --steps 41 --seed 5)
  message("mixed, 40 steps, seed 5: ${first}\nagain:                   ${again}")
  message("seed 6:                  ${seeded}\n41 steps:                ${longer}")
  if(NOT first STREQUAL again)
    string(APPEND failures "Two equal runs differ.\n")
  endif()
  if(first STREQUAL seeded)
    string(APPEND failures "The seed makes no difference.\n")
  endif()
  if(first STREQUAL longer)
    string(APPEND failures "A further step makes no difference.\n")
  endif()
else()
  run(ignored ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${OTHER_COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DTALUS_WERROR=${WERROR} -DTALUS_HAS_AVX2=OFF -DTALUS_BUILD_TESTS=OFF -DTALUS_BUILD_PROFILING=OFF
    -DTALUS_PROFILING=OFF)
  run(ignored ${CMAKE_COMMAND} --build ${WORK} -j 2 --target talus-samples)

  run(listing ${RUNNER} --list)
  string(REGEX MATCHALL "(^|\n)[a-z_0-9]+" scenes "${listing}")
  list(TRANSFORM scenes STRIP)
  list(REMOVE_ITEM scenes real_things nonconvex)
  list(LENGTH scenes count)
  if(count LESS 10)
    message(FATAL_ERROR "only ${count} scenes in the list:\n${listing}")
  endif()
  foreach(scene ${scenes})
    hash_of(ours ${RUNNER} --scene ${scene} --steps 120)
    hash_of(theirs ${WORK}/talus-samples --scene ${scene} --steps 120)
    message("${scene}: ${ours} ${theirs}")
    if(NOT ours STREQUAL theirs)
      string(APPEND failures "${scene} differs between the compilers.\n")
    endif()
  endforeach()
  run(ignored ${CMAKE_COMMAND} -DRUNNER=${WORK}/talus-samples -P ${CMAKE_CURRENT_LIST_DIR}/golden.cmake)
endif()

if(failures)
  message(FATAL_ERROR "${failures}")
endif()
