#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// The bodies that take part in the step: dynamic bodies that are not asleep, and kinematic bodies that move. Holds a
/// list, and a flag per body slot. An erased body stays in the list until compact(), so that the list keeps its order.
class AwakeSet {
public:
    bool contains(std::uint32_t slot) const { return slot < flags_.size() && flags_[slot] == Flag::awake; }

    /// Whether a body is in list(): also true for one that was erased after the last compact().
    bool is_listed(std::uint32_t slot) const { return slot < flags_.size() && flags_[slot] != Flag::out; }

    void insert(std::uint32_t slot) {
        if (slot >= flags_.size()) flags_.resize(slot + 1, Flag::out);
        if (flags_[slot] == Flag::out) list_.push_back(slot);
        if (flags_[slot] != Flag::awake) ++count_;
        flags_[slot] = Flag::awake;
    }

    void erase(std::uint32_t slot) {
        if (!contains(slot)) return;
        flags_[slot] = Flag::leaving;
        --count_;
    }

    /// Removes the erased bodies from the list.
    void compact() {
        if (count_ == list_.size()) return;
        std::size_t kept = 0;
        for (const std::uint32_t slot : list_) {
            if (flags_[slot] == Flag::awake) {
                list_[kept++] = slot;
            } else {
                flags_[slot] = Flag::out;
            }
        }
        list_.resize(kept);
    }

    /// Valid after compact() until the next insert or erase.
    std::span<const std::uint32_t> list() const { return list_; }
    std::size_t size() const { return count_; }
    /// For saved worlds (common/bytes.h). An erased body keeps its place in the list here, too.
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(list_);
        if constexpr (Bytes::reads) leaving_.resize(list_.size());
        for (std::size_t i = 0; i < list_.size(); ++i) {
            bool leaves = !Bytes::reads && flags_[list_[i]] == Flag::leaving;
            bytes(leaves);
            if constexpr (Bytes::reads) leaving_[i] = leaves;
        }
    }
    /// Derives the rest of a set that was read, for so many body slots. Returns false if it cannot be right.
    bool restore(std::size_t slots) {
        flags_.assign(slots, Flag::out);
        count_ = 0;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const std::uint32_t slot = list_[i];
            if (slot >= slots || flags_[slot] != Flag::out) return false;
            flags_[slot] = leaving_[i] ? Flag::leaving : Flag::awake;
            count_ += !leaving_[i];
        }
        leaving_ = {};
        return true;
    }
    std::size_t bytes() const { return flags_.capacity() + list_.capacity() * sizeof(std::uint32_t); }

private:
    enum class Flag : std::uint8_t { out, awake, leaving };
    std::vector<Flag> flags_;
    std::vector<std::uint32_t> list_;
    std::size_t count_ = 0;
    std::vector<bool> leaving_;  ///< between visit_fields() and restore(): by place in the list
};

}  // namespace talus
