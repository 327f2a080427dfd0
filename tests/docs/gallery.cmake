# docs/scenes.md shows every scene that the runner lists, in the runner's words, with a picture that exists, and no other.
#
#   cmake -DRUNNER=talus-samples -DSOURCE=. -P gallery.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${RUNNER} --list OUTPUT_VARIABLE list RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${RUNNER} --list failed: ${failed}")
endif()
file(READ ${SOURCE}/docs/scenes.md gallery)

# Lists of CMake's part at semicolons.
foreach(text list gallery)
  string(REPLACE ";" "<semicolon>" ${text} "${${text}}")
endforeach()

set(again "run docs/make_pictures.sh SCENE")
string(REGEX MATCHALL "[^\n]+" lines "${list}")
set(scenes "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z0-9_]+) +(.*)$" matched "${line}")
  set(scene ${CMAKE_MATCH_1})
  set(summary "${CMAKE_MATCH_2}")
  list(APPEND scenes ${scene})
  string(FIND "${gallery}" "\n### ${scene}\n\n${summary}\n\n![${scene}](pictures/${scene}.png)\n" at)
  if(at EQUAL -1)
    message(SEND_ERROR "docs/scenes.md does not show ${scene} as --list names it: ${again}")
  endif()
  if(NOT EXISTS ${SOURCE}/docs/pictures/${scene}.png)
    message(SEND_ERROR "docs/pictures/${scene}.png is missing: ${again}")
  endif()
endforeach()

list(LENGTH scenes count)
if(count LESS 10)
  message(SEND_ERROR "the runner lists ${count} scenes only")
endif()
string(REGEX MATCHALL "\n### [a-z0-9_]+" shown "${gallery}")
foreach(heading IN LISTS shown)
  string(REPLACE "\n### " "" scene "${heading}")
  if(NOT scene IN_LIST scenes)
    message(SEND_ERROR "docs/scenes.md shows ${scene}, which is no scene")
  endif()
endforeach()
