# talus-profile's smaller commands run, and their CSV files have the columns and rows that the tables promise. Timings are
# not looked at.  -DPROFILE=talus-profile  -DWORK=a folder to write to  -DBULLET=whether talus-profile was built with Bullet

file(MAKE_DIRECTORY ${WORK})

# expect(FILE rows header argument...): talus-profile with these arguments writes this header and so many full rows to FILE.
function(expect file rows header)
  set(csv ${WORK}/${file})
  file(REMOVE ${csv})
  execute_process(COMMAND ${PROFILE} ${ARGN} --csv ${csv} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0 OR NOT err STREQUAL "")
    message(FATAL_ERROR "talus-profile ${ARGN}: exit code ${code}\n${out}\n${err}")
  endif()
  file(STRINGS ${csv} lines)
  list(POP_FRONT lines first)
  if(NOT first STREQUAL header)
    message(FATAL_ERROR "${file} starts with\n${first}\nand not with\n${header}")
  endif()
  list(LENGTH lines count)
  if(NOT count EQUAL rows)
    message(FATAL_ERROR "${file} has ${count} rows, not ${rows}:\n${out}")
  endif()
  string(REGEX REPLACE "[^,]" "" commas "${header}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[^,]" "" found "${line}")
    if(NOT found STREQUAL commas OR line MATCHES "nan|inf")
      message(FATAL_ERROR "${file}: a row that does not fit its header, or is not finite:\n${line}")
    endif()
  endforeach()
endfunction()

expect(gjk.csv 18  # six tables of three sizes
  "table,vertices_a,vertices_b,queries,talus_ns,bullet_ns,times_faster,bar,iterations,support_evaluations,warm_share,capped,talus_max_error,bullet_max_error,bullet_failures"
  gjk --quick)
# 4 simplex x 4 support x 2 start x 2 stop methods work without a memory; and Talus, and Bullet if it is there.
set(paper_rows 65)
if(BULLET)
  set(paper_rows 66)
endif()
expect(papers.csv ${paper_rows}
  "table,vertices_a,vertices_b,simplex,support,start,stop,queries,ns,failed_ns,iterations,support_evaluations,dot_products,failures,max_error"
  gjk --papers --quick --table static --vertices 8/8)
set(scene_columns "scene,bodies,steps,threads,talus_ms,bullet_ms,ratio,talus_broad_ms,bullet_broad_ms,broad_ratio,talus_collide_ms,bullet_narrow_ms,narrow_ratio,talus_solve_ms,bullet_solve_ms,solve_ratio,talus_pairs_ms,talus_rest_ms,talus_bytes,bullet_bytes,talus_max_penetration_m,bullet_max_penetration_m,talus_mean_penetration_m,bullet_mean_penetration_m,talus_lost,bullet_lost,figure,talus_figure,bullet_figure")
expect(scenes.csv 1 ${scene_columns} scenes --scene falling_box --steps 60 --repeats 1)
# Two threads; figures; joints: balls with cones and hinges with limits, in Bullet too.
expect(threads.csv 3 ${scene_columns} scenes --scene pyramid10 --scene ragdolls --scene bridge --steps 30 --repeats 1 --threads 2)
expect(broadphase.csv 22  # six cases of motion, two at rest, two of threads, nine pathologies, three of rays
  "table,case,boxes,score,unit,bar,right,overlaps,uniform_overlaps,talus_pairs,talus_mean_ms,talus_ms,dbvt_ms,deferred_ms,sap_ms,uniform_ms,talus_bytes,dbvt_bytes,deferred_bytes,sap_bytes,uniform_bytes"
  broadphase --quick)

# A mesh that cannot be read, or that no experiment takes, was ignored and gave exit code 0.
foreach(what "papers;--nonconvex;--quick;--mesh;no_such_file.off" "papers;--stop;--quick;--mesh;no_such_file.off")
  execute_process(COMMAND ${PROFILE} ${what} RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
  if(NOT code EQUAL 2 OR NOT said MATCHES "--mesh.*no_such_file.off")
    message(FATAL_ERROR "talus-profile ${what}: exit code ${code}, not 2:\n${said}")
  endif()
endforeach()

# Scenes with parts that Bullet's world would lack are not compared, and the reason is named.
if(BULLET)
  foreach(what "conveyor;surface velocities of belts .first: body 1" "terrain;rolling resistance .first: body 1" "gears;collision filters.*gears .first: joint 2"
      "car;wheels .first: joint")
    list(GET what 0 scene)
    list(GET what 1 missing)
    execute_process(COMMAND ${PROFILE} scenes --scene ${scene} --steps 2 --repeats 1 RESULT_VARIABLE code OUTPUT_VARIABLE out)
    if(NOT code EQUAL 0 OR NOT out MATCHES "${scene} +is left out: Bullet's world would lack [^\n]*${missing}")
      message(FATAL_ERROR "talus-profile scenes --scene ${scene} does not say that Bullet lacks ${missing}:\n${out}")
    endif()
  endforeach()
endif()

# Few poses and many poses at once.
execute_process(COMMAND ${PROFILE} papers --quick --full RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
if(NOT code EQUAL 2 OR NOT said MATCHES "--quick and --full")
  message(FATAL_ERROR "talus-profile papers --quick --full: exit code ${code}, not 2:\n${said}")
endif()

# What it does not understand it refuses, with a sentence.
foreach(arguments "gjk;--table;nothing" "gjk;--vertices;3/8" "gjk;--poses;0" "gjk;--csv" "scenes;--scene;nothing" "scenes;--threads;0"
    "broadphase;--case;nothing" "broadphase;--boxes;0" "meshes;--nothing" "meshes;--steps;0" "papers;--nothing" "papers;--repeats;0" "nothing")
  execute_process(COMMAND ${PROFILE} ${arguments} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 2 OR NOT err MATCHES "was given .*; it must be |needs a value: |there is no (option|command) ")
    message(FATAL_ERROR "talus-profile ${arguments}: exit code ${code}, not 2, or no word of what is allowed\n${out}\n${err}")
  endif()
endforeach()

execute_process(COMMAND ${PROFILE} scenes --rungs --scene falling_box --steps 60 --repeats 1 RESULT_VARIABLE code
  OUTPUT_VARIABLE out)
if(NOT code EQUAL 0 OR NOT out MATCHES "all rungs.*without skip.*without reuse.*without axis.*without warm GJK.*without any")
  message(FATAL_ERROR "talus-profile scenes --rungs: exit code ${code}\n${out}")
endif()

execute_process(COMMAND ${PROFILE} meshes --quick RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code EQUAL 0 OR NOT out MATCHES "10082 [|]" OR NOT out MATCHES "bumpy ground")
  message(FATAL_ERROR "talus-profile meshes --quick: exit code ${code}\n${out}\n${err}")
endif()
execute_process(COMMAND ${PROFILE} papers --quick RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code EQUAL 0 OR NOT err STREQUAL "" OR out MATCHES "[^a-z](nan|inf)[^a-z]")
  message(FATAL_ERROR "talus-profile papers --quick: exit code ${code}\n${out}\n${err}")
endif()
foreach(table "Table 2 of Liu" "Table 3 of Liu" "hierarchy +log n" "their share" "recurring vertex" "EPA iter" "brent" "points on a ball"
    "both, tracking.*Cameron, track.*orig., tracking.*Talus, warm" "failed ns" "exponent" "Liu et al., 3.1" "estimate, all faces"
    "parallel twins +production" "links +7 " "obstacles +2 " "aside +0 " "folded, all vertices" "B paper, %: .* up to 160 edges")
  if(NOT out MATCHES "${table}")
    message(FATAL_ERROR "talus-profile papers --quick does not print the table with \"${table}\":\n${out}")
  endif()
endforeach()
