# run.sh and test.sh answer --help and --list before anything is built or installed, with what the built programs say.
#
#   cmake -DRUNNER=talus-samples -DWINDOW=talus-window -DSOURCE=. -DWORK=... -P scripts.cmake
#   cmake -DRUNNER=... -DWINDOW=... -DSOURCE=. -DUPDATE=ON -P scripts.cmake     writes docs/help anew
# WINDOW may be empty.

cmake_minimum_required(VERSION 3.25)

# output(NAME command...): what it prints, and nothing but success.
function(output name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE error)
  if(failed OR error)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} failed (${failed}): ${text}${error}")
  endif()
  set(${name} "${text}" PARENT_SCOPE)
endfunction()

set(programs ${RUNNER} ${WINDOW})
if(UPDATE)
  foreach(program ${programs})
    cmake_path(GET program FILENAME name)
    output(help ${program} --help)
    file(WRITE ${SOURCE}/docs/help/${name}.txt "${help}")
  endforeach()
  return()
endif()

# A clone without a build, as far as the scripts need it.
file(REMOVE_RECURSE ${WORK})
file(COPY ${SOURCE}/run.sh ${SOURCE}/test.sh DESTINATION ${WORK})
file(COPY ${SOURCE}/cmake/setup.sh DESTINATION ${WORK}/cmake)
file(COPY ${SOURCE}/docs/scenes.md ${SOURCE}/docs/help DESTINATION ${WORK}/docs)

output(help ${WORK}/test.sh --help)
if(NOT help MATCHES "runs all tests.*--sanitize.*--tsan")
  message(SEND_ERROR "./test.sh --help prints\n${help}")
endif()

foreach(program ${programs})
  set(window "")
  if(program STREQUAL "${WINDOW}")
    set(window --window)
  endif()
  cmake_path(GET program FILENAME name)
  output(expected ${program} --help)
  output(help ${WORK}/run.sh ${window} --help)
  string(FIND "${help}" "${expected}" at)
  if(at EQUAL -1 OR NOT help MATCHES "run[.]sh SCENE.*--profile COMMAND")
    message(SEND_ERROR "./run.sh ${window} --help does not print what ${name} --help prints: docs/help/${name}.txt is out of date; "
      "write it anew by\n  cmake -DRUNNER=${RUNNER} -DWINDOW=${WINDOW} -DSOURCE=. -DUPDATE=ON -P tests/build/scripts.cmake")
  endif()
endforeach()

# The same lines; the gallery's order is its own.
foreach(list program script)
  if(list STREQUAL "program")
    output(text ${RUNNER} --list)
  else()
    output(text ${WORK}/run.sh --list)
  endif()
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(SORT lines)
  list(LENGTH lines count)
  set(${list} "${lines}")
endforeach()
if(count LESS 10 OR NOT program STREQUAL script)
  message(SEND_ERROR "./run.sh --list does not list what talus-samples lists: see the test docs/gallery\n${script}\n${program}")
endif()
if(EXISTS ${WORK}/build)
  message(SEND_ERROR "--help or --list has made a build folder")
endif()
