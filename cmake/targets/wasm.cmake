# WebAssembly with SIMD128, by Debian's emscripten; programs run in Node (test.sh --target wasm).
set(simd -msimd128)
include(${CMAKE_CURRENT_LIST_DIR}/wasm-plain.cmake)
