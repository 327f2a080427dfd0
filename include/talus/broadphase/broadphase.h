#pragma once
/// Sweep and prune over fattened boxes, with persistent pairs.
///
/// Boxes in, pair begin/end events out; it knows nothing of shapes or bodies. The idea is to pay for what moved:
///
/// - Each proxy keeps a *fat* box, larger than the tight one it was given and stretched along its expected motion. Only
///   a proxy whose tight box left its fat box is *dirty*: it gets a new fat box and is swept again. A resting pile of
///   any size costs one containment test a body.
/// - The boxes stand in two grids of columns (column_grid.h). Those that moved lately are in the `restless` grid, which
///   is sorted afresh whenever some of them moved: a counting sort, 15 ns a box. All others, whether fixed, asleep or
///   just at rest, stand in the `settled` grid, which is left alone until enough has changed. Entries of proxies that
///   went elsewhere stay behind there and are recognised by the proxy's `home`.
/// - update() looks each dirty box up in both grids and compares what it finds with its list of partners
///   (pair_lists.h): both cost only the dirty boxes and their pairs, and each dirty box is a piece of work of its own,
///   for whatever thread.
/// - Rays and swept boxes walk through the same columns (column_cast.cpp); for a large batch of them it pays to build a
///   tree of boxes first (box_tree.h).
///
/// `talus-profile broadphase` measures it beside Bullet's three; the README has its table.
///
/// All state is in index-only arrays: a copy behaves to the same bits as the original. Distinct objects are
/// independent; const functions may run on many threads at once.

#include <talus/aabb.h>
#include <talus/broadphase/column_grid.h>
#include <talus/broadphase/pair_lists.h>
#include <talus/broadphase/proxy.h>
#include <talus/broadphase/scratch.h>
#include <talus/function_ref.h>
#include <talus/jobs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

struct ProxyDef {
    Aabb box;                     ///< tight, finite, m
    std::uint32_t user_data = 0;  ///< the owner's index
    Filter filter{};
    bool moving = true;  ///< false: fixed or asleep; two still proxies never begin a pair
};

/// How much larger than the tight box a fat box is. Larger: fewer sweeps, more pairs that do not touch. A sweep costs
/// 300 ns with all that belongs to it, a pair that does not touch some 7 ns a step, a pair that begins and ends about
/// 400. In a crowd whose boxes tremble by up to 5% of their edges a step, a part of 0.24, 0.18 and 0.12 is dirty with
/// (margin, ahead, behind) of (3%, 3, 1), (5%, 2, 1) and these, at 3.3, 3.3 and 3.9 pairs a box; when they fly on by as
/// much, 0.22, 0.26 and 0.20 at 3.1, 3.2 and 3.6. Whole steps of tumble, hullpile and mixed differ by 1% between them.
/// A still proxy's box is not fattened at all: it has nowhere to go.
struct FatBoxSettings {
    float margin = 0.05f;             ///< on each side, part of the box's edge along that axis
    float margin_of_longest = 0.01f;  ///< but at least this part of its longest edge: thin things tilt
    float min_margin = 1e-4f;         ///< and at least this, m
    float max_margin = 0.1f;          ///< never more than this, m: a platform of 100 m needs no more than a crate
    float steps_ahead = 3.0f;         ///< the box is stretched along this many steps of its expected motion...
    float steps_behind = 2.0f;        ///< ...and against this many: what trembles comes back
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
    void remove(std::span<const ProxyIndex> proxies);

    /// The proxy's new tight box, and how far it is expected to move in the next step (m). Cheap when the box is still
    /// inside its fat box; otherwise the fat box is rebuilt, stretched along the displacement, and the proxy is
    /// re-swept.
    void move(ProxyIndex proxy, const Aabb& tight, const vec3& displacement);
    /// Many at once, no proxy twice: proxies[i] to tight[i], expected to move by displacements[i].
    void move(std::span<const ProxyIndex> proxies, std::span<const Aabb> tight, std::span<const vec3> displacements,
              const Jobs& jobs = {});

    /// Going still keeps existing pairs; starting to move re-sweeps the proxy.
    void set_moving(ProxyIndex proxy, bool moving);
    /// Pairs that the new filter forbids end, pairs that it allows begin, at the next update().
    void set_filter(ProxyIndex proxy, const Filter& filter);

    /// Brings the pairs up to date. Afterwards begun() and ended() hold what changed since the last update, each
    /// sorted by (a, b); ended() comes before begun() in meaning. The set of pairs is exactly: fat boxes overlap,
    /// filters agree, and at least one was moving when they began. No pair is ever dropped.
    ///
    /// In full: a pair begins at an update at which its boxes overlap, its filters agree and one of the two is moving;
    /// it ends at the first update at which its boxes are apart, its filters disagree or one of the two is gone. So a
    /// pair whose proxies both went still stays until then; woken proxies keep their pairs and find those with still
    /// neighbours that they did not have; two proxies that were still all the time, fixed ones for instance, never have
    /// one. What happened between two updates leaves no trace but its result.
    ///
    /// On several threads the results are the same bits.
    void update(const Jobs& jobs = {});
    std::span<const ProxyPair> begun() const { return begun_; }
    std::span<const ProxyPair> ended() const { return ended_; }

    /// Optional: takes the boxes that were added or moved since the last update into the grids now. update() would do
    /// it otherwise, at the same cost; until then questions look at those boxes one by one. Worth calling once after
    /// the moves of a step when many questions follow before the next update().
    void refresh(const Jobs& jobs = {});

    std::size_t pair_count() const { return pairs_.size(); }
    std::size_t proxy_count() const { return proxy_count_; }
    const Aabb& fat_box(ProxyIndex proxy) const { return boxes_[proxy]; }
    std::uint32_t user_data(ProxyIndex proxy) const { return proxies_[proxy].user_data; }

    // Questions: all see the proxies as they are now, those added or moved since the last update() too; may be asked
    // from many threads at once while nothing changes, and from within a visit. Boxes are the fat ones.

    /// Calls visit(user_data) for each proxy whose box overlaps `box` (a point is a box), in ascending proxy index. A
    /// box with NaN or lower > upper meets nothing.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const {
        for_each_overlap(box, [&visit](std::uint32_t user_data) { visit(user_data); });
    }

    /// Calls visit(user_data, max_fraction) for each proxy whose box is entered by the cast up to max_fraction; the
    /// returned float is the new max_fraction (smaller to clip the cast, same to go on, negative to stop). Each proxy
    /// is visited once, in an order that is only roughly that of the way and depends on what moved before: so break
    /// ties of equal fractions by an index, and round a fraction that you answer up, not down, if what is exactly as
    /// near is to be visited, too. A cast with NaN, an infinity or a negative size meets nothing.
    template <class Visit>
    void cast(const BoxCast& cast, Visit&& visit) const {
        run_cast(cast,
                 [&visit](std::uint32_t user_data, float max_fraction) { return visit(user_data, max_fraction); });
    }
    /// The same for a ray: the segment origin + t * translation, t from 0 to 1.
    template <class Visit>
    void ray_cast(const vec3& origin, const vec3& translation, Visit&& visit) const {
        cast(BoxCast{origin, translation}, visit);
    }
    /// Many casts: visit(index of the cast, user_data, max_fraction), one cast after the other. Each meets what it
    /// would meet alone, perhaps in another order. Quicker than one by one where there are many: they share a tree of
    /// the boxes, built for them.
    template <class Visit>
    void cast(std::span<const BoxCast> casts, Visit&& visit) const {
        run_casts(casts, [&visit](std::size_t i, std::uint32_t user_data, float max_fraction) {
            return visit(i, user_data, max_fraction);
        });
    }

    /// Calls visit(user_data, distance, max_distance) for the proxies whose boxes are within max_distance (m) of the
    /// point, by ascending distance, equal ones by index; the returned float is the new max_distance. For the k
    /// nearest, answer max_distance k - 1 times and then a negative number, which stops.
    template <class Visit>
    void nearest(const vec3& point, float max_distance, Visit&& visit) const {
        run_nearest(point, max_distance, [&visit](std::uint32_t user_data, float distance, float max) {
            return visit(user_data, distance, max);
        });
    }

    /// Where the boxes stand in the grid of those that moved lately, or in that of the settled ones, but for those that
    /// the next refresh takes in: for looking.
    std::vector<CellRun> cell_runs(bool settled) const;

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
    };
    /// What the inner loops ask of a proxy, in a byte.
    struct Flags {
        Home home : 2 = Home::none;
        bool moving : 1 = false;
        bool dirty : 1 = false;            // in dirty_
        bool stretched : 1 = false;        // its fat box reaches further than at rest
        bool restless_member : 1 = false;  // in restless_members_
    };
    /// What a task of its own needs, and what it has found.
    struct Task {
        FoundProxies found;
        Marks marks;
        std::vector<ProxyIndex> order, left;
        std::vector<PairKey> begun, ended, sort;
        std::vector<PairKey> halves;  // of ended pairs, for the lists of proxies that are not dirty
    };
    struct Memory {
        std::vector<Task> tasks;
        std::vector<ProxyIndex> settled, joining, merged;
    };

    void mark_dirty(ProxyIndex proxy);
    void mark_pending(ProxyIndex proxy);
    bool may_keep_box(ProxyIndex proxy, const Aabb& tight, const vec3& displacement) const;
    void renew_box(ProxyIndex proxy, const Aabb& tight, const vec3& displacement);
    void settle_idle(const Jobs& jobs);
    bool is_idle(ProxyIndex proxy) const;
    void compare_all(Task& task, int index, int count);
    void compare(ProxyIndex proxy, Task& task);
    void find_all(const Aabb& box, FoundProxies& found, std::vector<ProxyIndex>& ids) const;
    void for_each_overlap(const Aabb& box, FunctionRef<void(std::uint32_t)> visit) const;
    void run_cast(const BoxCast& cast, FunctionRef<float(std::uint32_t, float)> visit) const;
    void run_casts(std::span<const BoxCast> casts, FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const;
    void run_nearest(const vec3& point, float max_distance,
                     FunctionRef<float(std::uint32_t, float, float)> visit) const;

    // By proxy index.
    std::vector<Proxy> proxies_;
    std::vector<Flags> flags_;
    std::vector<std::uint32_t> moved_at_;  // refresh count when the box last changed
    std::vector<Aabb> boxes_;              // fat
    std::vector<ProxyIndex> free_;         // a heap, lowest first
    std::vector<ProxyIndex> removed_;      // since the last update; not free before the next one
    std::size_t proxy_count_ = 0;

    std::vector<ProxyIndex> pending_;           // home is pending (or was: removed since)
    std::vector<ProxyIndex> dirty_;             // to be swept at the next update (or removed since)
    std::vector<ProxyIndex> restless_members_;  // ascending
    bool members_left_ = false;                 // some of them have been removed
    ColumnGrid restless_, settled_;
    std::uint32_t refresh_count_ = 0, update_count_ = 0;
    std::uint32_t checked_at_ = 0;  // refresh count when idle ones were last counted
    std::size_t idle_work_ = 0;     // entries of the restless grid sorted for nothing since the last settling

    PairLists pairs_;
    bool filters_changed_ = false;  // since the last update
    std::vector<ProxyPair> begun_, ended_;
    Scratch<Memory> scratch_;
};

}  // namespace talus
