#pragma once
/// What the library is built with: options of CMake, in CMakeLists.txt at the top.

namespace talus {

#if defined(TALUS_WITHOUT_JOINTS)
inline constexpr bool with_joints = false;
#else
inline constexpr bool with_joints = true;
#endif

#if defined(TALUS_WITHOUT_MESHES)
inline constexpr bool with_meshes = false;
#else
inline constexpr bool with_meshes = true;
#endif

}  // namespace talus
