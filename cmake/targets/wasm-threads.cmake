# WebAssembly with SIMD128 and shared memory, by Debian's emscripten: for the package of bindings/js only, because the
# programs of tests and samples would need emscripten's own threads.
set(simd "-msimd128 -pthread")
include(${CMAKE_CURRENT_LIST_DIR}/wasm-plain.cmake)
