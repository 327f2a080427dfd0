#pragma once
/// Sweep and prune over fattened boxes, with a persistent pair table.
///
/// Boxes in, pair begin/end events out; it knows nothing of shapes or bodies. Each proxy keeps a fat box, larger than
/// the tight one it was given; only proxies whose tight box left their fat box are swept again, so a resting pile costs
/// nothing. Still proxies (fixed or asleep) are kept apart: they are neither re-sorted nor swept against each other.

#include <talus/aabb.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Which layers a thing belongs to and which it meets. Two things meet when each one's mask holds a category of the
/// other; unless they share a non-zero group: then a positive group always meets, a negative one never.
struct Filter {
    std::uint32_t category = 1;
    std::uint32_t mask = 0xffffffffu;
    std::int32_t group = 0;
    friend bool operator==(const Filter&, const Filter&) = default;
};

inline bool should_collide(const Filter& a, const Filter& b) {
    if (a.group != 0 && a.group == b.group) return a.group > 0;
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

using ProxyIndex = std::uint32_t;

/// A pair of proxies, a < b.
struct ProxyPair {
    ProxyIndex a, b;
    friend bool operator==(const ProxyPair&, const ProxyPair&) = default;
    friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;
};

struct ProxyDef {
    Aabb box;                     ///< tight, finite, m
    std::uint32_t user_data = 0;  ///< the owner's index
    Filter filter;
    bool moving = true;           ///< false: fixed or asleep; two still proxies never begin a pair
};

class Broadphase {
public:
    /// Adds a proxy; its index is the lowest free one. Pairs appear at the next update().
    ProxyIndex add(const ProxyDef& def);
    /// Adds many at once: out[i] receives the index of defs[i].
    void add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out);
    /// Removes a proxy. Its pairs end at the next update() (reported with the old index, before that is handed out again).
    void remove(ProxyIndex proxy);

    /// The proxy's new tight box, and how far it is expected to move in the next step (m). Cheap when the box is still
    /// inside its fat box; otherwise the fat box is rebuilt, stretched along the displacement, and the proxy is re-swept.
    void move(ProxyIndex proxy, const Aabb& tight, const vec3& displacement);

    /// Going still keeps existing pairs; starting to move re-sweeps the proxy.
    void set_moving(ProxyIndex proxy, bool moving);
    /// Pairs that the new filter forbids end, pairs that it allows begin, at the next update().
    void set_filter(ProxyIndex proxy, const Filter& filter);

    /// Brings the pair table up to date. Afterwards begun() and ended() hold what changed since the last update, each sorted
    /// by (a, b); ended() comes before begun() in meaning. The set of pairs is exactly: fat boxes overlap, filters agree, and
    /// at least one was moving when they began. No pair is ever dropped.
    void update();
    std::span<const ProxyPair> begun() const;
    std::span<const ProxyPair> ended() const;

    std::size_t pair_count() const;
    std::size_t proxy_count() const;
    const Aabb& fat_box(ProxyIndex proxy) const;
    std::uint32_t user_data(ProxyIndex proxy) const;

    /// Calls visit(user_data) for each proxy whose fat box overlaps `box`, in ascending proxy index.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const;

    /// Calls visit(user_data, max_fraction) for each proxy whose fat box the segment origin + t * translation, 0 <= t <=
    /// max_fraction, enters; the returned float is the new max_fraction (smaller to clip the ray, same to go on).
    template <class Visit>
    void ray_cast(const vec3& origin, const vec3& translation, Visit&& visit) const;

    std::size_t bytes() const;  ///< heap memory held
};

}  // namespace talus
