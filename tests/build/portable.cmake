# Nothing in the libraries makes the bits of a step depend on the system or the processor.
#
#   cmake -DSOURCE=. -P portable.cmake
#
# - Intrinsics and macros of instruction sets are in common/lanes, and in the files that are compiled for one of them.
# - The step calls no function of libm but those that are exact everywhere (square roots, rounding to whole numbers).

cmake_minimum_required(VERSION 3.25)

cmake_path(ABSOLUTE_PATH SOURCE)

file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/common/*.h ${SOURCE}/common/*.cpp ${SOURCE}/broadphase/*.h
  ${SOURCE}/broadphase/*.cpp ${SOURCE}/narrowphase/*.h ${SOURCE}/narrowphase/*.cpp ${SOURCE}/engine/*.h
  ${SOURCE}/engine/*.cpp ${SOURCE}/include/*.h)
list(LENGTH files count)
if(count LESS 300)
  message(FATAL_ERROR "found only ${count} sources in ${SOURCE}")
endif()

set(instructions "_mm(256|512)?_[a-z]|__builtin_ia32|[a-z]+mmintrin[.]h|arm_neon[.]h|__SSE|__ARM_NEON|wasm_(v128|[fi][0-9]+x[0-9]+)_|wasm_simd128")
set(libm "std::(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|log|log2|log10|pow|cbrt|hypot|fma)[(]")
# What no step calls: drawing, the methods of the papers, and the preparation of nonconvex polyhedra.
set(outside_the_step "^(engine/debug_draw|narrowphase/nonconvex|narrowphase/papers)/")

set(failures "")
function(refuse file pattern why)
  file(STRINGS ${SOURCE}/${file} lines REGEX "${pattern}")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^ *//")
      string(STRIP "${line}" line)
      set(failures "${failures}${file}: ${why}: ${line}\n" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
foreach(file ${files})
  if(NOT file MATCHES "^common/lanes/|_avx(2|512)[.]cpp$")
    refuse(${file} "${instructions}" "instruction sets belong into common/lanes")
  endif()
  if(NOT file MATCHES "${outside_the_step}")
    refuse(${file} "${libm}" "its last bit differs between systems")
  endif()
endforeach()
if(failures)
  message(FATAL_ERROR "${failures}")
endif()
