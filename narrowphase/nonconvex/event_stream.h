#pragma once
/// Internal: the events of a motion, from time to time.

#include <talus/narrowphase/nonconvex/motion.h>

#include <span>
#include <vector>

namespace talus {

/// A key of a pair, for hashes.
inline std::uint64_t key_of(const FeaturePair& p) {
    return (std::uint64_t(p.kind) << 62) | (std::uint64_t(p.a) << 31) | std::uint64_t(p.b);
}

/// The applicability of pairs along a motion. It keeps no list of pairs.
class EventStream {
public:
    EventStream(const NonconvexShape& a, const NonconvexShape& b, const RelativeMotion& motion);
    ~EventStream();

    /// Returns the events up to a time since the last call; the first call begins with the pairs that are applicable at
    /// time 0. Valid until the next call. Empty for a motion that is out of range.
    std::span<const ApplicabilityEvent> advance(double time);

private:
    MovingContacts contacts_;
    std::vector<ApplicabilityEvent> events_;
    bool usable_ = false, fresh_ = true;
};

}  // namespace talus
