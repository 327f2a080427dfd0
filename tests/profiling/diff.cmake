# `talus-profile diff` says what got slower, and its exit code says whether that is too much.
#   -DPROFILE=talus-profile  -DSAMPLES=talus-samples  -DWORK=a folder to write to

file(MAKE_DIRECTORY ${WORK})

# A table of 120 frames, all of so many microseconds but for some in the last digit.
function(write file us)
  set(text "frame,total_us,solve_us\n")
  foreach(frame RANGE 1 120)
    math(EXPR digit "(${frame} * 7) % 10")
    string(APPEND text "${frame},${us}.${digit},${us}.${digit}\n")
  endforeach()
  file(WRITE ${WORK}/${file} ${text})
endfunction()

# expect(code text argument...): the exit code of `talus-profile diff argument...`, and what it must say.
function(expect code text)
  execute_process(COMMAND ${PROFILE} diff ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE got OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  string(FIND "${out}${err}" "${text}" at)
  if(NOT got EQUAL code OR at EQUAL -1)
    message(FATAL_ERROR "talus-profile diff ${ARGN}: exit code ${got}, not ${code}, or no '${text}' in\n${out}\n${err}")
  endif()
endfunction()

write(before.csv 1000)
write(after.csv 1200)
file(WRITE ${WORK}/broken.csv "frame,total_us\n1,fast\n")
file(WRITE ${WORK}/other.csv "scene,bodies\n1,2\n")
expect(0 "No difference beyond noise" before.csv before.csv)
expect(0 "20.0% slower" before.csv after.csv)
expect(0 "16.7% faster" after.csv before.csv --fail-above 0)
expect(0 "20.0% slower" before.csv after.csv --fail-above 25)
expect(1 "more than 5%" before.csv after.csv --fail-above 5)
expect(0 "usage: talus-profile diff" --help)
expect(2 "two files" before.csv)
expect(2 "two files" before.csv after.csv after.csv)
expect(2 "--fail-above wants" before.csv after.csv --fail-above)
expect(2 "--fail-above wants" before.csv after.csv --fail-above much)
expect(2 "no option '--fial'" before.csv after.csv --fial 5)
expect(2 "Cannot read 'missing.csv'" before.csv missing.csv)
expect(2 "line 2, column 'total_us': 'fast'" before.csv broken.csv)
expect(2 "talus-samples --csv" other.csv before.csv)

# Two runs of one scene do the same work, whatever they cost; with other sub-steps they don't.
foreach(run IN ITEMS first second third)
  set(more)
  if(run STREQUAL third)
    set(more --substeps 6)
  endif()
  execute_process(COMMAND ${SAMPLES} --scene pyramid10 --steps 90 --csv ${WORK}/${run}.csv ${more} OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
expect(0 "The work is the same in every frame" first.csv second.csv)
expect(0 "other work, a frame" first.csv third.csv)
