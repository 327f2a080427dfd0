# Two processes of talus-rollback play with each other in real time: one player hosts, the other joins late. Each ends with
# exit code 0 only if it has compared the hashes of all frames.
#
#   cmake -DPROGRAM=talus-rollback -P rollback_processes.cmake

cmake_minimum_required(VERSION 3.25)

# Ports that Linux does not give to programs that ask for any free one.
set(both "--frames 240 --loss 0.2 --jitter-ms 100 --join-late")
execute_process(
  COMMAND sh -c "\"$0\" --peer 0 --port 27431 --to 27432 ${both} & \"$0\" --peer 1 --port 27432 --to 27431 ${both}
    second=$?; wait $!; echo \"exit codes: $? $second\"" ${PROGRAM}
  OUTPUT_VARIABLE printed ERROR_VARIABLE error TIMEOUT 120)
if(error MATCHES "UDP: the system refused")
  message("skipped: ${error}")
  return()
endif()
string(REGEX MATCHALL "same hash in every confirmed frame, [0-9a-f]+" ends "${printed}")
list(LENGTH ends count)
list(REMOVE_DUPLICATES ends)
list(LENGTH ends different)
if(NOT printed MATCHES "exit codes: 0 0" OR NOT count EQUAL 2 OR NOT different EQUAL 1)
  message(FATAL_ERROR "${error}${printed}")
endif()
