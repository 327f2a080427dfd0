#pragma once
/// A bad network: it loses datagrams and delays the others, so that some overtake others. It stands between a peer and
/// its socket, because a loopback interface does neither.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace talus::samples::rollback {

struct NetworkConditions {
    double loss = 0.0;       ///< probability that a datagram is lost, 0 to 1
    double jitter_ms = 0.0;  ///< a datagram is delayed by a random time from 0 to this
};

/// One direction of the network. The same seed and the same calls give the same losses and delays.
class NetworkModel {
public:
    NetworkModel(const NetworkConditions& conditions, std::uint64_t seed) : conditions_(conditions), random_(seed) {}

    /// Takes a datagram at the time `now`, s: loses it, or keeps it until its delay has passed.
    void send(double now, std::string datagram);
    /// Returns the next datagram whose delay has passed by `now`, or nothing.
    std::optional<std::string> deliver(double now);
    /// Returns the time of the next delivery, s; infinity if no datagram is on its way.
    double next_delivery() const {
        return on_the_way_.empty() ? std::numeric_limits<double>::infinity() : on_the_way_.begin()->first;
    }

    std::uint64_t sent() const { return sent_; }  ///< datagrams given to send(), lost ones included
    std::uint64_t lost() const { return lost_; }

private:
    double random();  ///< in [0, 1)

    NetworkConditions conditions_;
    std::uint64_t random_;
    std::multimap<double, std::string> on_the_way_;  ///< by the time of delivery
    std::uint64_t sent_ = 0, lost_ = 0;
};

}  // namespace talus::samples::rollback
