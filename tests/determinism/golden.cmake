# Scenes end in the bits of tests/determinism/golden.txt, stepped by one thread and by two.
#
#   cmake -DRUNNER=talus-samples -P golden.cmake
#       a line of golden.txt is: scene, steps, hash
#   cmake "-DRUNNER=qemu-aarch64;-L;FOLDER;talus-samples" [-DSTEPS=120] [-DTHREADS=1] -P golden.cmake
#       the same for a program of another platform: only the lines of so many steps, by so many threads
#   cmake -DRUNNER=talus-samples -DUPDATE=ON -P golden.cmake
#       writes the hashes anew. A commit that does so says in its message what has changed and why. To see where two
#       builds part: talus-samples --hash-stages FILE with each, then --compare-hashes
#
# Worlds that are saved after 60 steps give the files of saved.txt (a line: scene, SHA-256), byte for byte, and go on from them
# to the hash of 120 steps: so a file that one platform saved goes on alike on every other.

if(NOT THREADS)
  set(THREADS 1 2)
endif()
set(golden ${CMAKE_CURRENT_LIST_DIR}/golden.txt)
file(STRINGS ${golden} lines)
set(failures "")
set(updated "")
foreach(line ${lines})
  if(line MATCHES "^#")
    string(APPEND updated "${line}\n")
    continue()
  endif()
  if(NOT line MATCHES "^([a-z_0-9]+) ([0-9]+) ([0-9a-f]+)$")
    message(FATAL_ERROR "${golden}: not a scene, a number of steps and a hash: ${line}")
  endif()
  set(scene ${CMAKE_MATCH_1})
  set(steps ${CMAKE_MATCH_2})
  set(expected ${CMAKE_MATCH_3})
  if(STEPS AND NOT steps EQUAL STEPS)
    continue()
  endif()
  list(GET THREADS 0 first)
  foreach(threads ${THREADS})
    execute_process(COMMAND ${RUNNER} --scene ${scene} --steps ${steps} --threads ${threads} --timing off --hash
      RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
    if(result OR NOT text MATCHES "hash ([0-9a-f]+)[\r\n]*$")
      message(FATAL_ERROR "${scene} did not run (${result}): ${text}${errors}")
    endif()
    set(hash ${CMAKE_MATCH_1})
    if(threads EQUAL first)
      string(APPEND updated "${scene} ${steps} ${hash}\n")
      if(UPDATE)
        set(expected ${hash})
      endif()
    endif()
    if(NOT hash STREQUAL expected)
      string(APPEND failures "${scene}, ${steps} steps, ${threads} threads: ${hash}, not ${expected}\n")
    endif()
  endforeach()
endforeach()

set(saved ${CMAKE_CURRENT_LIST_DIR}/saved.txt)
set(saved_text "# Scene, SHA-256 of its world as --save writes it after 60 steps: golden.cmake.\n")
string(RANDOM LENGTH 8 name)
get_filename_component(folder ${CMAKE_CURRENT_LIST_DIR}/../../build ABSOLUTE)
file(MAKE_DIRECTORY ${folder})
set(file ${folder}/saved-${name}.world)
file(STRINGS ${saved} lines REGEX "^[a-z]")
foreach(line ${lines})
  string(REGEX REPLACE "([a-z_0-9]+) ([0-9a-f]+)" "\\1" scene "${line}")
  set(expected ${CMAKE_MATCH_2})
  execute_process(COMMAND ${RUNNER} --scene ${scene} --steps 60 --timing off --save ${file}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  if(result)
    message(FATAL_ERROR "${scene} could not be saved: ${errors}")
  endif()
  file(SHA256 ${file} sum)
  string(APPEND saved_text "${scene} ${sum}\n")
  if(NOT UPDATE AND NOT sum STREQUAL expected)
    string(APPEND failures "${scene}, saved after 60 steps: SHA-256 ${sum}, not ${expected}\n")
  endif()
  execute_process(COMMAND ${RUNNER} --scene ${scene} --steps 120 --timing off --resume ${file} --hash
    OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  string(REGEX MATCH "hash ([0-9a-f]+)[\r\n]*$" ignored "${text}")
  if(NOT updated MATCHES "\n${scene} 120 ${CMAKE_MATCH_1}\n")
    string(APPEND failures "${scene}, loaded after 60 steps, goes on to another hash: ${text}${errors}\n")
  endif()
endforeach()
file(REMOVE ${file})

if(failures)
  message(FATAL_ERROR "${failures}")
endif()
if(UPDATE)
  file(WRITE ${golden} "${updated}")
  file(WRITE ${saved} "${saved_text}")
endif()
