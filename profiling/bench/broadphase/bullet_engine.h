#pragma once
/// Bullet's broadphases for `talus-profile broadphase`.

#include "profiling/bench/broadphase/broadphase_engines.h"

namespace talus::profiling {

#ifdef TALUS_WITH_BULLET
/// An engine of one of Bullet's kinds, without boxes yet.
std::unique_ptr<BoxEngine> make_bullet_engine(EngineKind kind, const BoxWorld& world);
#else
inline std::unique_ptr<BoxEngine> make_bullet_engine(EngineKind, const BoxWorld&) { return nullptr; }
#endif

}  // namespace talus::profiling
