# Object files contain no fused multiply-adds.
#
#   cmake -DOBJDUMP=objdump -DOBJECTS=a.o,b.o -P unfused.cmake

cmake_minimum_required(VERSION 3.25)

string(REPLACE "," ";" objects "${OBJECTS}")
foreach(object IN LISTS objects)
  execute_process(COMMAND ${OBJDUMP} -d ${object} RESULT_VARIABLE failed OUTPUT_VARIABLE code)
  if(failed OR NOT code MATCHES "vmul[ps][ds]")
    message(FATAL_ERROR "${object} is not compiled for AVX")
  endif()
  if(code MATCHES "vfn?m(add|sub)[a-z0-9]+[^\n]*")
    message(FATAL_ERROR "${object} has a fused multiply-add: ${CMAKE_MATCH_0}")
  endif()
endforeach()
