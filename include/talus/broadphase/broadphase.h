#pragma once
/// Sweep and prune over fat AABBs, with persistent pairs.
///
/// The input is boxes; the output is which pairs of boxes began or ended. The broadphase knows nothing of shapes or
/// bodies, and can be used without the engine. Its cost depends on what moved:
///
/// - Each proxy keeps a *fat* box: larger than the tight box that the user gave, and stretched along the expected
///   motion. Only a proxy whose tight box left its fat box gets a new fat box and is compared with its neighbours
///   again. A proxy at rest costs one containment test per step.
/// - The fat boxes are stored in two grids of columns. The *restless* grid holds the boxes that changed lately; it is
///   sorted again after each step in which one of them changed (15 ns per box). The *settled* grid holds all others and
///   is built again only when enough of them have changed.
/// - update() looks up each changed box in both grids and compares the result with the proxy's pairs so far.
/// - Rays and moving boxes walk through the same columns. A large batch of casts builds a tree of boxes first.
///
/// Boxes, points and casts are in the world, in double (math.h), and so are all tests that decide a result: two boxes
/// that are apart by one unit of the grid are no pair, however far away they are. Inside, boxes are stored in float, as
/// seen from an origin in each crowd, to be searched eight numbers at a time; what that finds is tested in double. So a
/// world that is moved by a multiple of the grid, within 2^24 m of the origin, has the same fat boxes, moved, and the
/// same pairs, visits, fractions and distances, to the bit. It costs the same, too, and so do crowds that are far
/// apart, up to eight of them. Farther out, and for positions that are not on the grid, results are exact up to the
/// rounding of a difference of two doubles; overlaps are always exact.
///
/// `talus-profile broadphase` compares it with the three broadphases of Bullet; docs/benchmarks.md has the table.
///
/// A refused call returns false or `null_proxy`, changes nothing, and sets last_error() to what was wrong. A copy and
/// the original give the same bits. A moved-from broadphase is empty and can be used again. Distinct objects are
/// independent; const functions may run on many threads at once.

#include <talus/aabb.h>
#include <talus/broadphase/box_cast.h>
#include <talus/broadphase/proxy.h>
#include <talus/function_ref.h>
#include <talus/jobs.h>
#include <talus/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace talus {

namespace detail {
struct BroadphaseBytes;
}

/// Neighbouring cells of one column of a grid, for debug drawing.
struct CellRun {
    WorldAabb box;                 ///< around the cells, m; along the axis without cells, around the level
    std::uint32_t level = 0;       ///< the levels of a crowd follow each other, from small boxes to large ones
    std::uint32_t sweep_axis = 0;  ///< the axis along which the column runs: 0, 1, 2 for x, y, z
    std::uint32_t boxes = 0;       ///< number of boxes whose lower corners are in these cells
};

/// A set of boxes, and the pairs of them that overlap.
class Broadphase {
public:
    Broadphase() noexcept;                         ///< empty; allocates nothing
    Broadphase(const Broadphase&);                 ///< a copy behaves to the same bits
    Broadphase(Broadphase&&) noexcept;             ///< leaves the other one empty
    Broadphase& operator=(const Broadphase&);      ///< a copy behaves to the same bits
    Broadphase& operator=(Broadphase&&) noexcept;  ///< leaves the other one empty
    ~Broadphase();

    /// Adds a proxy and returns its index, the lowest that is free. Its pairs begin at the next update(). Returns
    /// null_proxy if the box is not finite or lower > upper on an axis.
    ProxyIndex add(const ProxyDef& def);
    /// Adds all or none: out[i] is the index of defs[i]. Returns false, and sets every `out` to null_proxy, if add()
    /// would refuse one of them or if `out` is shorter than `defs`.
    bool add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out);
    /// Removes a proxy. Its pairs end at the next update(), which reports them with the old index; the index becomes
    /// free only then. Returns false if there is no such proxy.
    bool remove(ProxyIndex proxy);
    /// Removes all or none. Returns false if one of them does not exist or is given twice.
    bool remove(std::span<const ProxyIndex> proxies);
    /// Returns whether the proxy exists: it was added and has not been removed since. (An index that was removed and
    /// given to a later proxy is valid again.)
    bool is_valid(ProxyIndex proxy) const;

    /// Sets the tight box of a proxy and its expected displacement in the next step (m). If the tight box is still
    /// inside the fat box, this is one containment test. Otherwise the proxy gets a new fat box, stretched along the
    /// displacement, and its pairs are found again at the next update(). Returns false if there is no such proxy, if
    /// the box is not finite or lower > upper on an axis, or if the displacement is not finite.
    bool move(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement);
    /// The same for many: proxies[i] to tight[i], with displacements[i]. Returns false, and moves none, if the three
    /// lengths differ. For speed, nothing else is checked, except by assertions in Debug builds: each proxy must exist
    /// and occur once, and the move() above must accept each box and displacement. Where the input may be bad, call
    /// the move() above.
    bool move(std::span<const ProxyIndex> proxies, std::span<const WorldAabb> tight,
              std::span<const vec3> displacements, const Jobs& jobs = {});
    /// Returns whether move() with these arguments would keep the proxy's fat box, and so change nothing. Any number of
    /// threads may ask while nothing changes, so that only the other proxies have to be moved. The proxy must exist
    /// (asserted in Debug builds); a box that is not finite is not kept.
    bool keeps_box(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) const;

    /// Sets whether a proxy moves. If it stops, it keeps its pairs. If it starts, its pairs are found again at the next
    /// update(). Returns false if there is no such proxy.
    bool set_moving(ProxyIndex proxy, bool moving);
    /// Sets a proxy's filter. At the next update(), the pairs that it forbids end, and those that it allows begin.
    /// Returns false if there is no such proxy.
    bool set_filter(ProxyIndex proxy, const Filter& filter);

    /// Brings the pairs up to date. Afterwards begun() and ended() hold what changed since the last update, each sorted
    /// by (a, b). No pair is in both.
    ///
    /// A pair begins at an update at which the two fat boxes overlap, the filters agree and at least one of the two
    /// proxies is moving. It ends at the first update at which the boxes do not overlap, the filters disagree or one of
    /// the proxies has been removed. So a pair goes on when its two proxies stop moving, and two proxies that never
    /// move have no pair. The number of pairs has no limit. What was changed and changed back between two updates has
    /// no effect.
    ///
    /// The result has the same bits for any number of threads.
    void update(const Jobs& jobs = {});
    std::span<const ProxyPair> begun() const;  ///< the pairs that began at the last update
    std::span<const ProxyPair> ended() const;  ///< the pairs that ended at the last update

    /// Optional. Puts the boxes that were added or moved since the last update() into the grids now. Otherwise update()
    /// does it, at the same cost, and until then each query tests these boxes one by one. Call it once after the moves
    /// of a step if many queries follow before the next update().
    void refresh(const Jobs& jobs = {});

    std::size_t pair_count() const;   ///< at the last update
    std::size_t proxy_count() const;  ///< proxies that exist
    /// Returns the fat box of a proxy. A removed proxy keeps it until its index is given to another one. For an index
    /// that was never given out it is zero.
    const WorldAabb& fat_box(ProxyIndex proxy) const;
    /// Returns the user data of a proxy. A removed proxy keeps it until its index is given to another one. 0 for an
    /// index that was never given out.
    std::uint32_t user_data(ProxyIndex proxy) const;

    // Queries. All of them see the proxies as they are now, including those added or moved since the last update(), and
    // test the fat boxes. They may run on many threads at once while nothing changes, and from within a visitor.

    /// Calls visit(user_data) for each proxy whose box overlaps `box`, in ascending order of the proxy indices. `box`
    /// may be a point. A box with NaN or lower > upper overlaps nothing.
    template <class Visit>
    void query(const WorldAabb& box, Visit&& visit) const {
        for_each_overlap(box, [&visit](std::uint32_t user_data) { visit(user_data); });
    }

    /// Calls visit(user_data, max_fraction) once for each proxy whose box the cast touches up to max_fraction. The
    /// float that `visit` returns is the new max_fraction: return a smaller one to shorten the cast, the same one to go
    /// on, a negative one to stop. The order of the visits is only roughly that along the cast, and it depends on
    /// earlier moves. To find a first hit that does not depend on the order, break ties of equal fractions by an index,
    /// and round up each fraction that `visit` returns: otherwise boxes at exactly the same distance are not visited. A
    /// cast with NaN, an infinity or a negative size touches nothing.
    template <class Visit>
    void cast(const BoxCast& cast, Visit&& visit) const {
        run_cast(cast,
                 [&visit](std::uint32_t user_data, float max_fraction) { return visit(user_data, max_fraction); });
    }
    /// The same for a ray: the segment from origin to origin + translation.
    template <class Visit>
    void ray_cast(const dvec3& origin, const vec3& translation, Visit&& visit) const {
        cast(BoxCast{origin, translation}, visit);
    }
    /// Many casts, one after the other: calls visit(index of the cast, user_data, max_fraction). Each cast visits the
    /// same proxies as if it were alone, perhaps in another order. Many casts are faster together: they share a tree of
    /// the boxes that is built for them.
    template <class Visit>
    void cast(std::span<const BoxCast> casts, Visit&& visit) const {
        run_casts(casts, [&visit](std::size_t i, std::uint32_t user_data, float max_fraction) {
            return visit(i, user_data, max_fraction);
        });
    }

    /// Calls visit(user_data, distance, max_distance) for the proxies whose boxes are within max_distance (m) of the
    /// point, in ascending order of distance and, at equal distances, of the proxy indices. A distance beyond float
    /// counts as the largest float. The float that `visit` returns is the new max_distance; a negative one stops. For
    /// the k nearest boxes, return max_distance on the first k - 1 calls and then a negative number. If the point is
    /// not finite, or max_distance is NaN or negative, nothing is visited.
    template <class Visit>
    void nearest(const dvec3& point, float max_distance, Visit&& visit) const {
        run_nearest(point, max_distance, [&visit](std::uint32_t user_data, float distance, float max) {
            return visit(user_data, distance, max);
        });
    }

    /// For debug drawing: the occupied cells of the settled grid (`settled` is true) or of the restless grid. Boxes
    /// that were added or moved since the last refresh() or update() are in neither.
    std::vector<CellRun> cell_runs(bool settled) const;

    std::size_t bytes() const;  ///< heap memory held by its arrays

    /// The error of the last refused call; its code is `none` if there was none.
    const Error& last_error() const;

private:
    struct State;
    friend struct detail::BroadphaseBytes;

    const State& state() const;
    State& state_to_change();
    void for_each_overlap(const WorldAabb& box, FunctionRef<void(std::uint32_t)> visit) const;
    void run_cast(const BoxCast& cast, FunctionRef<float(std::uint32_t, float)> visit) const;
    void run_casts(std::span<const BoxCast> casts, FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const;
    void run_nearest(const dvec3& point, float max_distance,
                     FunctionRef<float(std::uint32_t, float, float)> visit) const;

    std::unique_ptr<State> state_;  ///< null while nothing has been added
};

}  // namespace talus
