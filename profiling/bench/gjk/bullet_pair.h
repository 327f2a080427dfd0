#pragma once
/// Distance and depth of two hulls by Bullet's btGjkPairDetector, with its EPA for overlaps, without margins: what
/// `talus-profile gjk` compares Talus with.

#include "profiling/bench/gjk/gjk_poses.h"

#include <memory>

namespace talus::profiling {

class BulletPair {
public:
    virtual ~BulletPair() = default;

    /// Returns the separation at pose number `pose` (negative: overlap); infinite where Bullet gives no answer. Each query is cold: the pair
    /// detector has no warm start.
    virtual float query(std::size_t pose) = 0;
};

#ifdef TALUS_WITH_BULLET
std::unique_ptr<BulletPair> make_bullet_pair(const PosedPair& pair);
#else
inline std::unique_ptr<BulletPair> make_bullet_pair(const PosedPair&) { return nullptr; }
#endif

}  // namespace talus::profiling
