#pragma once
/// Distance and depth of two hulls by Bullet's btGjkPairDetector, with its EPA for overlaps, without margins: what
/// `talus-profile gjk` compares Talus with.

#include "profiling/bench/gjk/gjk_poses.h"

#include <memory>

namespace talus::profiling {

class BulletPair {
public:
    explicit BulletPair(const PosedPair& pair);
    ~BulletPair();
    BulletPair(BulletPair&&) noexcept;

    /// Separation at pose number `pose` (negative: overlap); infinite where Bullet gives no answer. It starts from
    /// nothing each time: the pair detector has no warm start.
    float query(std::size_t pose);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace talus::profiling
