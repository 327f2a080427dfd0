#pragma once
/// Sweep and prune over fattened boxes, with a persistent pair table.
///
/// Boxes in, pair begin/end events out; it knows nothing of shapes or bodies. The idea is to pay for what moved:
///
/// - Each proxy keeps a *fat* box, larger than the tight one it was given and stretched along its expected motion. Only
///   a proxy whose tight box left its fat box is *dirty*: it gets a new fat box and is swept again. A resting pile of
///   any size costs one containment test a body.
/// - The boxes stand in two grids of sorted columns (column_grid.h). Those that moved lately are in the small
///   `restless` grid, which is sorted afresh whenever some of them moved; all others, whether fixed, asleep or just at
///   rest, stand in the `settled` grid, which is left alone until enough has changed. Entries of proxies that went
///   elsewhere stay behind there and are recognised by the proxy's `home`.
/// - update() looks up the dirty boxes in both grids (or sweeps a whole level at once where many are dirty) and
///   compares with the pair table (pair_table.h): both cost only the dirty boxes and their pairs.
///
/// Measured beside Bullet's dynamic tree (btDbvtBroadphase) on ten thousand boxes: all flying about freely, a twentieth
/// of its time, move() included; a dense crowd of which every box moves, 4 to 5 overlaps each, an eighth; a tower, a
/// thirtieth; all at rest, 10 ns a box.
///
/// All state is in index-only arrays: a copy behaves to the same bits as the original. Distinct objects are
/// independent; const functions may run on many threads at once.

#include <talus/aabb.h>
#include <talus/broadphase/column_grid.h>
#include <talus/broadphase/pair_table.h>
#include <talus/broadphase/proxy.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace talus {

struct ProxyDef {
    Aabb box;                     ///< tight, finite, m
    std::uint32_t user_data = 0;  ///< the owner's index
    Filter filter{};
    bool moving = true;  ///< false: fixed or asleep; two still proxies never begin a pair
};

/// How much larger than the tight box a fat box is. Larger: fewer sweeps, more pairs that do not touch. In a dense
/// crowd of 10,000 that drifts, margins of 2, 5 and 10% give 26, 30 and 37 thousand pairs; 2, 4 and 8 steps ahead give
/// 27, 30 and 39. A still proxy's box is not fattened at all: it has nowhere to go.
struct FatBoxSettings {
    float margin = 0.03f;             ///< on each side, part of the box's edge along that axis
    float margin_of_longest = 0.01f;  ///< but at least this part of its longest edge: thin things tilt
    float min_margin = 1e-4f;         ///< and at least this, m
    float max_margin = 0.1f;          ///< never more than this, m: a platform of 100 m needs no more than a crate
    float steps_ahead = 4.0f;         ///< the box is stretched along this many steps of its expected motion...
    float max_stretch = 1.0f;    ///< ...but not by more than this part of its longest edge, or one step if that is more
    float shrink_factor = 3.0f;  ///< a fat box that reaches further out than this times what it needs is made anew, > 1
};
inline constexpr FatBoxSettings fat_box_settings{};

class Broadphase {
public:
    /// Adds a proxy; its index is the lowest free one. Pairs appear at the next update().
    ProxyIndex add(const ProxyDef& def);
    /// Adds many at once: out[i] receives the index of defs[i].
    void add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out);
    /// Removes a proxy. Its pairs end at the next update() (reported with the old index, before that is handed out
    /// again).
    void remove(ProxyIndex proxy);

    /// The proxy's new tight box, and how far it is expected to move in the next step (m). Cheap when the box is still
    /// inside its fat box; otherwise the fat box is rebuilt, stretched along the displacement, and the proxy is
    /// re-swept.
    void move(ProxyIndex proxy, const Aabb& tight, const vec3& displacement);

    /// Going still keeps existing pairs; starting to move re-sweeps the proxy.
    void set_moving(ProxyIndex proxy, bool moving);
    /// Pairs that the new filter forbids end, pairs that it allows begin, at the next update().
    void set_filter(ProxyIndex proxy, const Filter& filter);

    /// Brings the pair table up to date. Afterwards begun() and ended() hold what changed since the last update, each
    /// sorted by (a, b); ended() comes before begun() in meaning. The set of pairs is exactly: fat boxes overlap,
    /// filters agree, and at least one was moving when they began. No pair is ever dropped.
    ///
    /// In full: a pair begins at an update at which its boxes overlap, its filters agree and one of the two is moving;
    /// it ends at the first update at which its boxes are apart, its filters disagree or one of the two is gone. So a
    /// pair whose proxies both went still stays until then; woken proxies keep their pairs and find those with still
    /// neighbours that they did not have; two proxies that were still all the time, fixed ones for instance, never have
    /// one. What happened between two updates leaves no trace but its result.
    void update();
    std::span<const ProxyPair> begun() const { return begun_; }
    std::span<const ProxyPair> ended() const { return ended_; }

    /// Optional: takes the boxes that were added or moved since the last update into the grids now. update() would do
    /// it otherwise, at the same cost; until then query() and ray_cast() look at those boxes one by one. Worth calling
    /// once after the moves of a step when many rays follow before the next update().
    void refresh();

    std::size_t pair_count() const { return pairs_.size(); }
    std::size_t proxy_count() const { return proxy_count_; }
    const Aabb& fat_box(ProxyIndex proxy) const { return boxes_[proxy]; }
    std::uint32_t user_data(ProxyIndex proxy) const { return proxies_[proxy].user_data; }

    /// Calls visit(user_data) for each proxy whose fat box overlaps `box`, in ascending proxy index. Sees all proxies
    /// as they are now, those added or moved since the last update() too. A box with NaN or lower > upper meets
    /// nothing.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const {
        for (const ProxyIndex proxy : find_all(box)) visit(proxies_[proxy].user_data);
    }

    /// Calls visit(user_data, max_fraction) for each proxy whose fat box is entered by the segment origin + t *
    /// translation, t from 0 to max_fraction, which starts at 1; the returned float is the new max_fraction (smaller to
    /// clip the ray, same to go on, negative to stop). Each proxy is visited once, in an order that is only roughly
    /// that of the ray and depends on what moved before: so break ties of equal fractions by an index. Sees all proxies
    /// as they are now.
    template <class Visit>
    void ray_cast(const vec3& origin, const vec3& translation, Visit&& visit) const {
        cast(
            origin, translation,
            [](void* v, std::uint32_t user_data, float max_fraction) -> float {
                return (*static_cast<std::remove_reference_t<Visit>*>(v))(user_data, max_fraction);
            },
            const_cast<void*>(static_cast<const void*>(&visit)));
    }

    std::size_t bytes() const;  ///< heap memory held

private:
    /// Where a proxy's current box is to be found; entries for it anywhere else are out of date.
    enum class Home : std::uint8_t {
        none,     // no such proxy
        pending,  // changed since the last refresh: in no grid yet
        restless,
        settled,
    };
    struct Proxy {
        Filter filter;
        std::uint32_t user_data = 0;
        std::uint32_t moved_at = 0;  // refresh count when its box last changed
        Home home = Home::none;
        bool moving = false;
        bool dirty = false;  // in dirty_
    };
    /// Working memory of one call. It is not state: a copy starts with none.
    struct Scratch {
        Scratch() = default;
        Scratch(const Scratch&) {}
        Scratch(Scratch&&) = default;
        Scratch& operator=(const Scratch&) { return *this; }
        Scratch& operator=(Scratch&&) = default;

        FoundPairs found;
        std::vector<PairTable::Key> begun, ended, sort;
        std::vector<std::uint8_t> changed;
        std::vector<std::uint32_t> dirty_in_level;
        ColumnGrid::BuildScratch build;
    };

    void mark_dirty(ProxyIndex proxy);
    void mark_pending(ProxyIndex proxy);
    bool may_pair(ProxyIndex a, ProxyIndex b) const;  // exist, overlap and agree
    void find_ended();
    void find_begun();
    void find_begun_in(const ColumnGrid& grid, Home home);
    void drain(FoundPairs& found, Home home, bool swept);
    std::vector<ProxyIndex> find_all(const Aabb& box) const;
    void cast(const vec3& origin, const vec3& translation, RayVisit visit, void* context) const;

    // By proxy index.
    std::vector<Proxy> proxies_;
    std::vector<Aabb> boxes_;          // fat
    std::vector<ProxyIndex> free_;     // a heap, lowest first
    std::vector<ProxyIndex> removed_;  // since the last update; not free before the next one
    std::size_t proxy_count_ = 0;

    std::vector<ProxyIndex> pending_;  // home is pending (or was: removed since)
    std::vector<ProxyIndex> dirty_;    // to be swept at the next update (or removed since)
    std::vector<ProxyIndex> restless_members_;
    ColumnGrid restless_, settled_;
    std::uint32_t refresh_count_ = 0;
    std::size_t idle_work_ = 0;  // entries of the restless grid sorted for nothing since the last settling

    PairTable pairs_;
    std::vector<ProxyPair> begun_, ended_;
    Scratch scratch_;
};

}  // namespace talus
