# The code in docs/bindings.md, docs/joints.md, docs/large_worlds.md, docs/saving.md, docs/rollback.md and
# docs/threads.md is code that is compiled and run: each block is part of one of the files below. Only indentation and
# blank lines may differ. What the example programs print is on the pages, too.
#
#   cmake -DRAGDOLL=talus-ragdoll -DVEHICLE=talus-vehicle -DSAVE_GAME=talus-save-game -DREWIND=talus-rewind
#     -DLARGE_WORLD=talus-large-world -DSOURCE=. -DWORK=. -P snippets.cmake

cmake_minimum_required(VERSION 3.25)

# Reads a file without indentation, blank lines and the spaces before comments.
function(read_text path out)
  file(READ ${SOURCE}/${path} text)
  string(REGEX REPLACE "[ \t]*\n[ \t\n]*" "\n" text "${text}")
  string(REGEX REPLACE "  +//" " //" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# check_page(PAGE least number of blocks, source files...): of C++, or of LANGUAGE if that is set
function(check_page page least)
  if(NOT LANGUAGE)
    set(LANGUAGE cpp)
  endif()
  string(LENGTH "\n```${LANGUAGE}\n" before)
  math(EXPR before "${before} - 1")  # from the line break on
  set(code "")
  foreach(file ${ARGN})
    read_text(${file} text)
    string(APPEND code "\n${text}")
  endforeach()
  read_text(${page} rest)
  set(count 0)
  while(TRUE)
    string(FIND "${rest}" "\n```${LANGUAGE}\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR begin "${begin} + ${before}")  # at the end of that line
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" end)
    math(EXPR length "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${length} block)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(SUBSTRING "${rest}" 4 -1 rest)
    math(EXPR count "${count} + 1")
    string(FIND "${code}" "${block}" at)
    if(at EQUAL -1)
      message(SEND_ERROR "${page} has code that is in no compiled file:${block}")
    endif()
  endwhile()
  message("${page}: ${count} blocks of code")
  if(count LESS ${least})
    message(SEND_ERROR "${page} has only ${count} blocks of code")
  endif()
endfunction()

# check_output(PAGE program [argument])
function(check_output page)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed RESULT_VARIABLE failed)
  file(READ ${SOURCE}/${page} text)
  string(FIND "${text}" "\n```\n${printed}```\n" at)
  if(failed OR at EQUAL -1)
    message(SEND_ERROR "${page} does not show what ${ARGN} prints (${failed}):\n${printed}")
  endif()
endfunction()

check_page(docs/joints.md 8 samples/joints/ragdoll.cpp samples/joints/vehicle.cpp tests/samples/joint_guide_test.cpp)
check_output(docs/joints.md ${RAGDOLL})
check_output(docs/joints.md ${VEHICLE})
check_page(docs/saving.md 3 samples/save_game/save_game.cpp samples/save_game/rewind.cpp
  tests/engine/state/save_load_test.cpp)
check_output(docs/saving.md ${SAVE_GAME} ${WORK}/saved_game.talus)
check_output(docs/saving.md ${REWIND})
check_page(docs/large_worlds.md 1 samples/large_world/large_world.cpp)
check_output(docs/large_worlds.md ${LARGE_WORLD})
check_page(docs/threads.md 7 samples/job_systems/plain_pool_jobs.cpp samples/job_systems/tbb_jobs.cpp
  samples/job_systems/fiber_jobs.cpp tests/samples/job_systems_test.cpp tests/engine/world/views_test.cpp)
check_page(docs/rollback.md 10 samples/rollback/game.h samples/rollback/game.cpp samples/rollback/session.cpp
  samples/rollback/time_sync.h samples/rollback/peer.cpp)
set(LANGUAGE c)
check_page(docs/bindings.md 1 bindings/c/examples/first_program.c)
