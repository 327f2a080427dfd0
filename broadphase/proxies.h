#pragma once
/// All proxies: their boxes, filters and flags, by index.
///
/// Goes in: what the user adds, removes, moves and changes. Kept across frames: the fat boxes, and which of them are in
/// which grid. Comes out, until the next update: the proxies to be put into a grid (`pending`) and to be compared with
/// their neighbours (`dirty`). The caller has checked indices and boxes (broadphase.cpp).

#include <talus/broadphase/proxy.h>
#include <talus/jobs.h>
#include "common/lanes/processor.h"
#include "common/scratch.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {
class ByteReader;
class ByteWriter;
}  // namespace talus

namespace talus::detail {

/// Where the current box of a proxy is. An entry for the proxy in a grid that is not its home is out of date.
enum class Home : std::uint8_t {
    none,     // the proxy does not exist
    pending,  // the box changed since the last refresh: it is in no grid yet
    restless,
    settled,
};

/// The flags of a proxy that the inner loops need, in one byte.
struct ProxyFlags {
    Home home : 2 = Home::none;
    bool moving : 1 = false;
    bool dirty : 1 = false;            // in Proxies::dirty()
    bool stretched : 1 = false;        // the fat box has more than the margins of a proxy at rest
    bool restless_member : 1 = false;  // the grids list it as a member of the restless one
};

class Proxies {
public:
    /// Makes room for `more` proxies. Grows by factors: many small batches must not copy everything each time.
    void reserve(std::size_t more);
    ProxyIndex add(const ProxyDef& def);
    void remove(ProxyIndex proxy);
    void move(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement);
    void move(std::span<const ProxyIndex> proxies, std::span<const WorldAabb> tight,
              std::span<const vec3> displacements, const Jobs& jobs);
    /// Returns whether move() would keep the fat box.
    bool keeps_box(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) const {
        // Not contains_wide(): it would wait for the stores of a box that was just written.
        return contains(boxes_[proxy], tight) && (!flags_[proxy].stretched || fits_well(proxy, tight, displacement));
    }
    void set_moving(ProxyIndex proxy, bool moving);
    void set_filter(ProxyIndex proxy, const Filter& filter);

    std::size_t size() const { return flags_.size(); }  ///< indices given out, removed ones included
    std::size_t count() const { return count_; }        ///< proxies that exist
    bool exists(ProxyIndex proxy) const { return proxy < flags_.size() && flags_[proxy].home != Home::none; }
    const ProxyFlags& flags(ProxyIndex proxy) const { return flags_[proxy]; }
    std::span<const ProxyFlags> flags() const { return flags_; }  ///< by proxy
    std::span<const WorldAabb> boxes() const { return boxes_; }   ///< the fat ones, by proxy
    const WorldAabb& box(ProxyIndex proxy) const { return boxes_[proxy]; }
    const Filter& filter(ProxyIndex proxy) const { return owners_[proxy].filter; }
    std::uint32_t user_data(ProxyIndex proxy) const { return owners_[proxy].user_data; }
    void prefetch_box(ProxyIndex proxy) const { detail::prefetch(&boxes_[proxy]); }
    void prefetch_filter(ProxyIndex proxy) const { detail::prefetch(&owners_[proxy]); }

    /// Proxies whose home is `pending`, and some that were removed since they were entered.
    std::span<const ProxyIndex> pending() const { return pending_; }
    void clear_pending() { pending_.clear(); }
    void set_home(ProxyIndex proxy, Home home) { flags_[proxy].home = home; }
    void set_restless_member(ProxyIndex proxy, bool member) { flags_[proxy].restless_member = member; }

    /// Proxies to be compared with their neighbours in this update, removed ones included.
    std::span<const ProxyIndex> dirty() const { return dirty_; }
    bool filters_changed() const { return filters_changed_; }  ///< since the last update
    void begin_update() { ++update_count_; }
    /// No proxy is dirty any more, and the indices of removed ones are free.
    void end_update();

    std::size_t bytes() const;

    // See broadphase_bytes.h.
    template <class Bytes>
    void visit_fields(Bytes& bytes);
    struct Owner {
        Filter filter;
        std::uint32_t user_data = 0;
    };

private:
    struct Task {
        std::vector<ProxyIndex> leaving;  ///< the proxies that got new fat boxes
    };
    struct Memory {
        std::vector<Task> tasks;
    };

    void restore(ByteReader& bytes);
    void mark_dirty(ProxyIndex proxy);
    void mark_pending(ProxyIndex proxy);
    bool fits_well(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) const;
    void renew_box(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement);

    // By proxy index.
    std::vector<Owner> owners_;
    std::vector<ProxyFlags> flags_;
    std::vector<WorldAabb> boxes_;

    std::vector<ProxyIndex> free_;     // a heap, lowest first
    std::vector<ProxyIndex> removed_;  // since the last update: not free before the next one
    std::size_t count_ = 0;
    std::vector<ProxyIndex> pending_, dirty_;
    std::uint32_t update_count_ = 0;
    bool filters_changed_ = false;
    Scratch<Memory> scratch_;
};

/// Returns whether the box is finite and lower <= upper on each axis.
bool is_box(const WorldAabb& box);

}  // namespace talus::detail
