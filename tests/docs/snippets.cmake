# The C++ code in docs/joints.md is code that is compiled and run: each block is part of one of the files below. Only
# indentation and blank lines may differ. What the two example programs print is on the page, too.
#
#   cmake -DRAGDOLL=talus-ragdoll -DVEHICLE=talus-vehicle -DSOURCE=. -P snippets.cmake

cmake_minimum_required(VERSION 3.25)

# Reads a file without indentation, blank lines and the spaces before comments.
function(read_text path out)
  file(READ ${SOURCE}/${path} text)
  string(REGEX REPLACE "[ \t]*\n[ \t\n]*" "\n" text "${text}")
  string(REGEX REPLACE "  +//" " //" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(code "")
foreach(file samples/joints/ragdoll.cpp samples/joints/vehicle.cpp tests/samples/joint_guide_test.cpp)
  read_text(${file} text)
  string(APPEND code "\n${text}")
endforeach()

read_text(docs/joints.md rest)
set(count 0)
while(TRUE)
  string(FIND "${rest}" "\n```cpp\n" begin)
  if(begin EQUAL -1)
    break()
  endif()
  math(EXPR begin "${begin} + 7")  # at the end of that line
  string(SUBSTRING "${rest}" ${begin} -1 rest)
  string(FIND "${rest}" "\n```" end)
  math(EXPR length "${end} + 1")
  string(SUBSTRING "${rest}" 0 ${length} block)
  string(SUBSTRING "${rest}" ${end} -1 rest)
  string(SUBSTRING "${rest}" 4 -1 rest)
  math(EXPR count "${count} + 1")
  string(FIND "${code}" "${block}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "docs/joints.md has code that is in no compiled file:${block}")
  endif()
endwhile()
message("${count} blocks of code")
if(count LESS 8)
  message(SEND_ERROR "docs/joints.md has only ${count} blocks of C++ code")
endif()

file(READ ${SOURCE}/docs/joints.md page)
foreach(program ${RAGDOLL} ${VEHICLE})
  execute_process(COMMAND ${program} OUTPUT_VARIABLE printed RESULT_VARIABLE failed)
  string(FIND "${page}" "\n```\n${printed}```\n" at)
  if(failed OR at EQUAL -1)
    message(SEND_ERROR "docs/joints.md does not show what ${program} prints (${failed}):\n${printed}")
  endif()
endforeach()
