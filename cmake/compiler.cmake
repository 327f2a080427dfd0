# How everything here is compiled.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CCACHE_DISABLE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Programs and libraries are at the top of the build folder, whichever folder their sources are in.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# The shared library for other languages is made of the static ones (bindings/c), and shows only what its header declares.
# That costs the others nothing: 0.1% of the instructions of a pyramid's steps.
if(NOT EMSCRIPTEN)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Sanitizers print lines of the source; the rest of -g takes a fifth of the time to compile.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(debug_lines -gline-tables-only)
else()
  set(debug_lines -g1)
endif()
if(TALUS_SANITIZE)
  add_compile_options(-fsanitize=${TALUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer ${debug_lines})
  add_link_options(-fsanitize=${TALUS_SANITIZE})
endif()
# Without trace-cmp: telling the fuzzer the operands of each comparison takes half of a step's time, and helps to guess magic
# numbers, of which the inputs have few.
if(TALUS_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

# talus_options: how we compile our own files. Without errno a square root is one instruction, with the same bits.
# -Wsign-conversion is what clang adds to g++'s -Wconversion; it is left out of both. -Wrestrict is wrong about
# std::string's operator+ in g++ 12 (GCC's bug 105651).
add_library(talus_options INTERFACE)
target_compile_options(talus_options INTERFACE -fno-math-errno -Wall -Wextra -Wconversion -Wno-sign-conversion
  $<$<NOT:$<BOOL:${TALUS_UNITE}>>:-Wshadow>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${TALUS_WERROR}>:-Werror>)

# With -march=native and the like, g++ 12 fuses products of quaternions in spite of -ffp-contract=off: multiply-adds of which
# it adds every other one and subtracts the rest. That would change the bits of the step. In the files of others it may: a
# file with intrinsics of these sets would not compile.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86|x86)$")
  target_compile_options(talus_options INTERFACE -mno-fma -mno-fma4 -mno-avx512f)
endif()

# talus_precompile(TARGET header...): lets clang compile glm, and the headers of the standard library that nearly all files
# include, once per target; that saves two fifths of its time. Not g++: it would gain less, and warns of its own library's
# code in such headers. The sources include what they use all the same: g++ needs it.
function(talus_precompile target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)  # ccache is quicker still
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <memory> <optional>
      <span> <string> <utility> <vector> <talus/math.h> ${ARGN})
  endif()
endfunction()

# talus_small_download(TARGET kernel...): a browser loads the library before anything moves. So there all but the kernels is
# compiled without unrolled loops, which makes it smaller at no cost. (-Os would inline none of what a step's loops call:
# steps would take six times as long.)
function(talus_small_download target)
  if(EMSCRIPTEN AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O3 -fno-unroll-loops -fno-vectorize)
    if(ARGN)
      set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -funroll-loops -fvectorize)
    endif()
  endif()
endfunction()

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mavx2 TALUS_HAS_AVX2)
check_cxx_compiler_flag("-mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512" TALUS_HAS_AVX512)

# g++ for Windows aligns the stack to 16 bytes and yet moves wider vectors as if they were aligned (GCC's bug 54412). The
# assembler makes such moves unaligned ones, which cost the same on aligned addresses.
set(wide_moves "")
if(MINGW AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(wide_moves -Wa,-muse-unaligned-vector-move)
endif()

# talus_avx2_sources(TARGET file...): compiles these files for AVX2 on x86-64, whatever the rest is compiled for; the
# library picks at run time. They include neither glm nor the standard library: the linker could keep the inline
# functions of these files for everybody.
function(talus_avx2_sources target)
  if(TALUS_AVX AND TALUS_HAS_AVX2 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(${target} PRIVATE TALUS_AVX2)
    if(ARGN)
      set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-mavx2;-mno-fma;${wide_moves}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()

# talus_avx512_sources(TARGET file...): the same for AVX-512. Without TALUS_HAS_AVX2 it does nothing. AVX-512 has fused
# multiply-add of its own, which -mno-fma does not switch off, or only together with AVX-512.
function(talus_avx512_sources target)
  if(TALUS_AVX AND TALUS_HAS_AVX2 AND TALUS_HAS_AVX512 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(${target} PRIVATE TALUS_AVX512)
    if(ARGN)
      set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512dq;-mavx512vl;-ffp-contract=off;-mprefer-vector-width=512;-Wno-psabi;${wide_moves}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()
