#pragma once
/// A set of proxies that is emptied in constant time.

#include <talus/broadphase/proxy.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace talus::detail {

/// Two disjoint sets: the members that were added, and those of them, or others, that have been seen since. Each proxy
/// has the number of the round in which it was last marked; a new round makes all earlier marks out of date.
class Marks {
public:
    /// The two sets. A local variable: then a loop keeps it in registers.
    class Round {
    public:
        Round(std::uint32_t* marks, std::uint32_t now) : marks_(marks), now_(now) {}
        bool has(ProxyIndex p) const { return marks_[p] >= now_; }
        void add(ProxyIndex p) const { marks_[p] = now_; }
        bool is_seen(ProxyIndex p) const { return marks_[p] == now_ + 1; }
        void see(ProxyIndex p) const { marks_[p] = now_ + 1; }
        /// 0: added and not seen. 1: seen. Larger: neither.
        std::uint32_t of(ProxyIndex p) const { return marks_[p] - now_; }

    private:
        std::uint32_t* marks_;
        std::uint32_t now_;
    };

    /// Makes room for proxies below `count`, for the rounds that follow.
    void start(std::size_t count) {
        if (now_ > 0x7fffffffu) {
            std::fill(marks_.begin(), marks_.end(), 0u);
            now_ = 1;
        }
        if (marks_.size() < count) marks_.resize(count, 0);
    }
    /// Empties both sets. Only the round of the last call is valid.
    Round next_round() {
        now_ += 2;
        return {marks_.data(), now_};
    }
    std::size_t bytes() const { return marks_.capacity() * sizeof(std::uint32_t); }

private:
    std::vector<std::uint32_t> marks_;
    std::uint32_t now_ = 1;
};

}  // namespace talus::detail
