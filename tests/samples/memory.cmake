# A program that runs out of memory ends with a sentence and exit code 1, never by a signal, wherever memory ends.
#   -DPROGRAM=path  -DNAME=as it calls itself  -DARGUMENTS=of a run that needs much more memory than --help

# run(limit argument...): sets `code`, and `said` on stderr, of the program in so many KiB of address space.
function(run limit)
  execute_process(COMMAND sh -c "ulimit -v ${limit}; ulimit -c 0; exec \"$@\"" sh ${PROGRAM} ${ARGN}
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
  set(code "${code}" PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

separate_arguments(arguments UNIX_COMMAND "${ARGUMENTS}")

# Below, the system cannot even load the program.
set(limit 4096)
set(code 127)
while(NOT code EQUAL 0)
  math(EXPR limit "${limit} + 512")
  if(limit GREATER 2000000)
    message(FATAL_ERROR "${NAME} --help: ${code} ${said}")
  endif()
  run(${limit} --help)
endwhile()

set(refused 0)
set(code 1)
while(NOT code EQUAL 0)
  math(EXPR limit "${limit} * 103 / 100")
  run(${limit} ${arguments})
  if(code EQUAL 1 AND said MATCHES "^${NAME}: [^\n]*[.]\n$")
    math(EXPR refused "${refused} + 1")
  elseif(NOT code EQUAL 0)
    message(FATAL_ERROR "${NAME} ${ARGUMENTS} in ${limit} KiB: exit code ${code}, and it said:\n${said}")
  endif()
  if(limit GREATER 4000000)
    message(FATAL_ERROR "${NAME} ${ARGUMENTS} does not run in ${limit} KiB: ${said}")
  endif()
endwhile()
if(refused LESS 3)
  message(FATAL_ERROR "${NAME} ${ARGUMENTS} needs too little memory for this test: refused ${refused} times")
endif()
message(STATUS "${NAME} ${ARGUMENTS}: refused ${refused} times, runs in ${limit} KiB")
