#pragma once
/// A guard against an error of LLVM 14 for WebAssembly (emscripten 3.1.6).
///
/// There, a vector of copies of a number from memory becomes one instruction that reads the memory. But the compiler
/// forgets that it reads, and puts it where the vector is needed, even if the number has been overwritten by then. So
///
///     const float x = *p;
///     *p = 0.0f;
///     return Float4{x, x, x, x};
///
/// returns zeros. The compiler makes such vectors of scalar code, too, such as `v = matrix * v` of doubles in memory:
/// it writes z first, and multiplies the new z by the third column. Therefore it is told not to do so
/// (common/CMakeLists.txt). Where a number may be overwritten, the functions below hide that it comes from memory.
///
/// As lane_bits.h, this header includes nothing, and its functions are static.

namespace talus::detail {

/// Returns x.
template <class Number>
[[gnu::always_inline]] static inline Number in_register(Number x) {
#if defined(__wasm_simd128__)
    if (!__builtin_constant_p(x)) __asm__("" : "+r"(x));
#endif
    return x;
}

/// Returns the three-vector v.
template <class Vector>
[[gnu::always_inline]] static inline Vector in_registers(const Vector& v) {
    return Vector(in_register(v.x), in_register(v.y), in_register(v.z));
}

}  // namespace talus::detail
