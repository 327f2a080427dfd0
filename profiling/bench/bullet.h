#pragma once
/// Bullet in talus-profile. Only files *bullet*.cpp include Bullet's headers. In a build without Bullet they are not
/// compiled, TALUS_WITH_BULLET is not defined, and tables print "-" in Bullet's columns.

namespace talus::profiling {

#ifdef TALUS_WITH_BULLET
inline constexpr bool with_bullet = true;
#else
inline constexpr bool with_bullet = false;
#endif

/// Printed with every table that compares times with Bullet's.
inline constexpr const char* bullet_note =
    with_bullet
        ? R"(Debian's Bullet has no SSE code on Linux: LinearMath/btScalar.h turns it on for Windows and macOS only. Talus uses AVX2
where the processor has it.
)"
        : R"(This talus-profile was built without Bullet, so Bullet's columns are empty. To have them, install it (Debian:
libbullet-dev), configure and build again.
)";

}  // namespace talus::profiling
