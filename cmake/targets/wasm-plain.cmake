# WebAssembly without SIMD, by Debian's emscripten; programs run in Node (test.sh --target wasm-plain).
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)  # else it says that it is an x86
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Exceptions of WebAssembly cost nothing until one is thrown; emscripten's own would lead each call through JavaScript.
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions ${simd}")
# Memory grows as worlds do. Files are those of the host, not of a file system in memory. The program is read as a file:
# asynchronously, this emscripten would fetch it from the network, because Node has fetch() since version 18.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sALLOW_MEMORY_GROWTH=1 -sNODERAWFS=1 -sTOTAL_STACK=1MB -sWASM_ASYNC_COMPILATION=0")
# Emscripten's tools need modules of Node that Debian installs there. A Node that is not Debian's looks elsewhere.
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
