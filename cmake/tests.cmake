# Functions that add tests.

if(NOT CMAKE_CROSSCOMPILING)
  include(doctest)
endif()

# talus_tests(NAME [LIBRARIES library...] SOURCES file...): the program talus-tests-NAME; each of its test cases is a
# test of ctest's. Its label is NAME, or NAME_slow if it is in doctest's suite "slow": cases that take more than six
# seconds with the address sanitizer, which the presets of clang and the sanitizers leave out. A test whose name matches
# no case would pass by running nothing, so that counts as failure. (CMake splits names at semicolons: use none.) A test
# that prints MESSAGE("skipped: why") counts as skipped.
function(talus_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;SOURCES")
  # The thread sanitizer's preset runs the test cases with "thread" or "fibers" in their names. So it does not need the
  # files whose test cases never mention these words.
  if(TALUS_SANITIZE STREQUAL "thread")
    foreach(source ${arg_SOURCES})
      file(STRINGS ${source} cases REGEX "TEST_CASE")
      file(STRINGS ${source} words REGEX "thread|fibers")
      if(cases AND NOT words)
        list(REMOVE_ITEM arg_SOURCES ${source})
      endif()
    endforeach()
  endif()
  add_executable(talus-tests-${name} ${arg_SOURCES})
  target_include_directories(talus-tests-${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(talus-tests-${name} PRIVATE ${arg_LIBRARIES} talus_options talus_tests_main)
  # The tests' own code, not what they test: it compiles in 60% of the time (in 30% under sanitizers), and they run as
  # fast.
  target_compile_options(talus-tests-${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
  talus_precompile(talus-tests-${name} <doctest/doctest.h>)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(properties TIMEOUT 600 FAIL_REGULAR_EXPRESSION "test cases: +0 [|]" SKIP_REGULAR_EXPRESSION "MESSAGE: skipped: ")
  # TEST_SPEC is made a pattern of names; what follows the first word are further options of the program.
  doctest_discover_tests(talus-tests-${name} TEST_PREFIX ${name}/ WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    TEST_SPEC * --test-suite-exclude=slow PROPERTIES LABELS ${name} ${properties})
  doctest_discover_tests(talus-tests-${name} TEST_PREFIX ${name}/ WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    TEST_SPEC * --test-suite=slow PROPERTIES LABELS ${name}_slow ${properties})
endfunction()

# talus_script_test(NAME SCRIPT argument...): runs tests/SCRIPT by cmake -P. These tests build and run whole programs, so
# their label is `long` unless it is changed.
function(talus_script_test name script)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DGENERATOR=${CMAKE_GENERATOR} ${ARGN}
    -P ${PROJECT_SOURCE_DIR}/tests/${script})
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 900)
endfunction()

# talus_python_test(NAME LABEL SCRIPT argument...): runs tests/SCRIPT; skipped where there is no python3.
function(talus_python_test name label script)
  set(python "command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }; exec python3 \"$@\"")
  add_test(NAME ${name} COMMAND sh -c "${python}" sh ${PROJECT_SOURCE_DIR}/tests/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()
