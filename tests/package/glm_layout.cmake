# A program that is compiled with another layout of glm's types than Talus must not link, and the linker's message must name
# the cause. With the same layout it links.
#
#   cmake -DCOMPILER=... -DLIBRARIES=libtalus.a,... -DSOURCE=. -DWORK=. -P glm_layout.cmake

string(REPLACE "," ";" LIBRARIES "${LIBRARIES}")
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/game.cpp "#include <talus/talus.h>
int main() {
    talus::World world;
    world.add_body({.shape = talus::sphere(0.5f)});
    return world.step(1.0f / 60.0f) ? 0 : 1;
}
")
foreach(macro "" GLM_FORCE_QUAT_DATA_WXYZ)
  set(option "")
  if(macro)
    set(option -D${macro})
  endif()
  execute_process(
    COMMAND ${COMPILER} -std=c++20 ${option} -I${SOURCE}/include ${WORK}/game.cpp -o ${WORK}/game ${LIBRARIES} -pthread
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(macro AND NOT failed)
    message(SEND_ERROR "${macro}: the program links")
  elseif(macro AND NOT output MATCHES "the_glm_of_talus")
    message(SEND_ERROR "${macro}: the message does not name the cause:\n${output}")
  elseif(NOT macro AND failed)
    message(SEND_ERROR "without a macro, the program does not link:\n${output}")
  endif()
endforeach()
