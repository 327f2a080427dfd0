#include "samples/rollback/network_model.h"

#include <utility>

namespace talus::samples::rollback {

double NetworkModel::random() {  // splitmix64 (Steele, Lea and Flood 2014)
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void NetworkModel::send(double now, std::string datagram) {
    ++sent_;
    const bool lost = random() < conditions_.loss;
    const double delay = random() * conditions_.jitter_ms / 1000.0;
    if (lost)
        ++lost_;
    else
        on_the_way_.emplace(now + delay, std::move(datagram));
}

std::optional<std::string> NetworkModel::deliver(double now) {
    if (next_delivery() > now) return std::nullopt;
    const auto next = on_the_way_.begin();
    std::string datagram = std::move(next->second);
    on_the_way_.erase(next);
    return datagram;
}

}  // namespace talus::samples::rollback
