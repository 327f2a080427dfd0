# 10,000 frames of talus-rollback: 20% of the datagrams are lost, the others are delayed by up to 100 ms, and all confirmed
# frames have equal hashes on both peers. docs/rollback.md shows the last one.
#
#   cmake -DPROGRAM=talus-rollback -DSOURCE=. -P rollback_frames.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --fast --frames 10000 --loss 0.2 --jitter-ms 100
  RESULT_VARIABLE failed OUTPUT_VARIABLE printed ERROR_VARIABLE error)
if(error MATCHES "UDP: the system refused")
  message("skipped: ${error}")
  return()
endif()
message("${printed}${error}")
string(REGEX MATCH "both peers had the same hash in every confirmed frame, [0-9a-f]+" end "${printed}")
if(failed OR NOT end OR NOT printed MATCHES "confirmed frames compared +10001 +10001\n")
  message(FATAL_ERROR "not every frame was compared, or some were not equal (${failed})")
endif()
file(READ ${SOURCE}/docs/rollback.md page)
string(FIND "${page}" "${end}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "docs/rollback.md shows another last hash; replace the table there by what is printed above")
endif()
