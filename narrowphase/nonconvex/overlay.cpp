#include "narrowphase/nonconvex/overlay.h"

#include "narrowphase/casts/double_rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;

using std::numbers::pi;
constexpr double turn = 2.0 * pi;
/// The largest table of signs, in bytes. A larger one does not fit into the processor's caches; then the grid is used.
constexpr std::size_t most_signs = std::size_t(1) << 15;

/// The greatest slack for the walk, rad. With a larger one, a node beyond the tip of a pointed region can count as in
/// it although it is in no region beside that one, so that no walk comes by.
constexpr double walk_slack = 1e-4;

/// A node this near to an arc may be on either side of it, but for rounding, in the connected sweep, rad.
constexpr double order_rounding = 1e-9;

// ---- Longitudes, for the sweep -------------------------------------------------------------------------------------

double longitude(const dvec3& v) { return std::atan2(v.y, v.x); }

/// The difference of two longitudes, in [-pi, pi].
double turned_by(double to, double from) {
    const double d = to - from;
    return d > pi ? d - turn : d < -pi ? d + turn : d;
}

/// An interval from a longitude eastward; the whole circle if `length` is a turn.
struct Meridians {
    double west, length;
};

constexpr Meridians all_around{-pi, turn};

/// Returns the longitudes within an angle of a point.
Meridians meridians_near(const dvec3& v, double slack) {
    const double r = std::sqrt(v.x * v.x + v.y * v.y);
    if (r <= 2.0 * slack) return all_around;
    const double spread = std::asin(std::min(1.0, slack / r)) + 1e-9;
    return {longitude(v) - spread, 2.0 * spread};
}

Meridians meridians_of(const dvec3& from, const dvec3& to, const dvec3& axis, double slack) {
    // A pole within reach of the arc's great circle may lie on the arc. Otherwise the arc is monotone in longitude.
    const double pole = std::abs(axis.z);
    const double r = std::sqrt(std::max(0.0, std::min(from.x * from.x + from.y * from.y, to.x * to.x + to.y * to.y)));
    const double nearest = std::min(r, pole);  // lower bound of the distance to a pole
    if (nearest <= 2.0 * slack) return all_around;
    const double spread = std::asin(std::min(1.0, slack / nearest)) + 1e-9;
    const double a = longitude(from), d = turned_by(longitude(to), a);
    return {(d < 0.0 ? a + d : a) - spread, std::abs(d) + 2.0 * spread};
}

/// An arc of B, mirrored, in A's frame.
struct PlacedArc {
    dvec3 from, to, axis, middle;
    double half_angle;
};

PlacedArc place(const OrientationArc& arc, const glm::dmat3& rotation) {
    // Mirroring at the centre does not change the sense of an arc about its axis.
    return {-(rotation * arc.from), -(rotation * arc.to), rotation * arc.axis, -(rotation * arc.middle),
            arc.half_angle};
}

/// For an arc of A and one of B, the cosines of each edge with the normals of the other's two faces. They tell on which
/// side of one arc's great circle the ends of the other arc lie.
struct ArcSides {
    double a[2];  ///< the ends of A's arc, against the circle of B's
    double b[2];
};

/// Returns whether a point is within the slack of an arc.
template <class Arc>
bool near_arc(const Arc& arc, const dvec3& point, double slack) {
    const double aside = glm::dot(point, arc.axis);
    if (std::abs(aside) > slack) return false;
    const double chord2 = slack * slack + 1e-15;
    const auto near = [&](const dvec3& end) { return glm::dot(end - point, end - point) <= chord2; };
    return glm::dot(point, arc.middle) >= std::cos(arc.half_angle) * std::sqrt(1.0 - aside * aside) || near(arc.from) ||
           near(arc.to);
}

/// Returns whether two arcs cross, or come within the slack of each other. To cross, each must have its ends on either
/// side of the other's great circle. Then the points where they cross those circles are the same or opposite; the order
/// of the sides tells which. If an end is within the slack of a circle, the signs mean nothing; but then arcs that
/// cross have an end near the other arc, too.
bool arcs_cross(const OrientationArc& a, const PlacedArc& b, double slack, ArcSides& s) {
    s.a[0] = glm::dot(a.from, b.axis), s.a[1] = glm::dot(a.to, b.axis);
    if ((s.a[0] > slack && s.a[1] > slack) || (s.a[0] < -slack && s.a[1] < -slack)) return false;
    s.b[0] = glm::dot(b.from, a.axis), s.b[1] = glm::dot(b.to, a.axis);
    if ((s.b[0] > slack && s.b[1] > slack) || (s.b[0] < -slack && s.b[1] < -slack)) return false;
    const double nearest =
        std::min(std::min(std::abs(s.a[0]), std::abs(s.a[1])), std::min(std::abs(s.b[0]), std::abs(s.b[1])));
    if (nearest > slack) return (s.a[1] > 0.0) != (s.b[1] > 0.0);
    return near_arc(a, b.from, slack) || near_arc(a, b.to, slack) || near_arc(b, a.from, slack) ||
           near_arc(b, a.to, slack);
}

// ---- Overlaying ----------------------------------------------------------------------------------------------------

class Overlay {
public:
    Overlay(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
            OverlayScratch& scratch, ApplicableContacts& out)
        : a_(a),
          b_(b),
          rotation_(rotation),
          inverse_(glm::transpose(rotation)),
          slack_(slack),
          scratch_(scratch),
          out_(out) {
        scratch_.arc_tests = scratch_.region_tests = 0;
        scratch_.connected = {};
        scratch_.walked = false;
        clear();
    }

    void run(OverlayMethod method) {
        if (method == OverlayMethod::walk) {
            if (slack_ <= walk_slack && can_walk(a_) && can_walk(b_) && walk()) {
                scratch_.walked = true;
                return;
            }
            clear();
            method = OverlayMethod::signs;
        }
        if (method == OverlayMethod::sweep) {
            sweep(scratch_.parts);
        } else if (method == OverlayMethod::connected_sweep) {
            sweep_connected();
        } else if (method == OverlayMethod::signs &&
                   std::max(a_.edges * b_.nodes.size(), b_.edges * a_.nodes.size()) <= most_signs) {
            by_signs();
        } else if (method != OverlayMethod::every_pair && slack_ <= grid_slack) {
            by_grid();
        } else {
            every_pair();
        }
    }

private:
    void clear() {
        out_.a_vertices.clear();
        out_.b_vertices.clear();
        out_.edges.clear();
    }

    dvec3 b_node_in_a(Index i) const { return -(rotation_ * b_.nodes[i]); }
    dvec3 a_node_in_b(Index i) const { return -(inverse_ * a_.nodes[i]); }

    void test_arcs(Index i, Index j, const PlacedArc& placed) { find_crossing(i, j, placed); }

    bool find_crossing(Index i, Index j, const PlacedArc& placed) {
        ++scratch_.arc_tests;
        ArcSides sides;
        const bool cross = arcs_cross(a_.arcs[i], placed, slack_, sides);
        if (scratch_.trace) {
            tell(OverlayStepKind::arcs_tested, false, a_.arcs[i].edge, b_.arcs[j].edge);
            if (cross) tell(OverlayStepKind::arcs_cross, false, a_.arcs[i].edge, b_.arcs[j].edge);
        }
        if (!cross) return false;
        const auto upright = [](double cosine) { return static_cast<float>(std::abs(cosine)); };
        out_.edges.push_back(
            {i, j, {upright(sides.b[0]), upright(sides.b[1]), upright(sides.a[0]), upright(sides.a[1])}});
        return true;
    }

    bool test_region_of_a(Index region, Index face, const dvec3& node) {
        ++scratch_.region_tests;
        if (!node_in_region(a_, a_.regions[region], node, slack_)) return false;
        out_.a_vertices.push_back({region, face});
        if (scratch_.trace) tell(OverlayStepKind::node_in_region, true, face, a_.regions[region].vertex);
        return true;
    }

    bool test_region_of_b(Index region, Index face, const dvec3& node) {
        ++scratch_.region_tests;
        if (!node_in_region(b_, b_.regions[region], node, slack_)) return false;
        out_.b_vertices.push_back({region, face});
        if (scratch_.trace) tell(OverlayStepKind::node_in_region, false, face, b_.regions[region].vertex);
        return true;
    }

    void tell(OverlayStepKind kind, bool of_b, Index index, Index other) {
        scratch_.trace->steps.push_back({kind, of_b, index, other, longitude_});
    }

    // The walk, for convex shapes: the arcs of each do not cross each other, and the regions tile the sphere. All edges
    // have arcs and all vertices have regions, with the same indices.

    static bool can_walk(const OrientationGraph& g) {
        return g.links.convex && g.regions.size() == g.links.regions.size();
    }

    static Index other_end(const FaceOrientationGraph& links, Index arc, Index region) {
        const std::array<Index, 2>& r = links.arcs[arc].regions;
        return r[0] == region ? r[1] : r[0];
    }

    /// Follows all arcs of B through the regions of A, from node to node, and finds the crossings and the regions that
    /// B's nodes lie in; then the regions of A's nodes. Returns false if rounding has led it astray.
    bool walk() {
        const FaceOrientationGraph &la = a_.links, &lb = b_.links;
        std::vector<std::vector<Index>>&regions_of = scratch_.regions_of_node, &crossed = scratch_.crossed_by;
        start_lists(regions_of, b_.nodes.size());
        start_lists(crossed, a_.edges);
        std::vector<Index>&region_stamps = scratch_.stamps, &arc_stamps = scratch_.arc_stamps, &path = scratch_.reached;
        region_stamps.assign(la.regions.size(), 0);
        arc_stamps.assign(la.arcs.size(), 0);
        std::vector<bool>& followed = scratch_.followed;
        followed.assign(lb.arcs.size(), false);

        find_first_node();
        std::vector<Index>& queue = scratch_.queue;
        queue.assign(1, 0);
        for (std::size_t q = 0; q < queue.size(); ++q) {
            const Index node = queue[q];
            for (const Index arc : lb.arcs_of_node(node)) {
                if (followed[arc]) continue;
                followed[arc] = true;
                const PlacedArc placed = place(b_.arcs[arc], rotation_);
                path = regions_of[node];
                for (const Index r : path) region_stamps[r] = arc + 1;
                for (std::size_t i = 0; i < path.size(); ++i) {
                    const Index region = path[i];
                    if (scratch_.trace) tell(OverlayStepKind::region_entered, true, arc, region);
                    for (const Index e : la.arcs_of_region(region)) {
                        if (arc_stamps[e] == arc + 1) continue;
                        arc_stamps[e] = arc + 1;
                        if (!find_crossing(e, arc, placed)) continue;
                        crossed[e].push_back(arc);
                        const Index next = other_end(la, e, region);
                        if (region_stamps[next] == arc + 1) continue;
                        region_stamps[next] = arc + 1;
                        path.push_back(next);
                    }
                }
                const Index to = lb.arcs[arc].nodes[lb.arcs[arc].nodes[0] == node ? 1 : 0];
                if (!regions_of[to].empty()) continue;
                const dvec3 direction = b_node_in_a(to);
                for (const Index r : path) {
                    if (test_region_of_a(r, to, direction)) regions_of[to].push_back(r);
                }
                if (regions_of[to].empty()) return false;
                queue.push_back(to);
            }
        }
        return queue.size() == b_.nodes.size() && find_nodes_of_a();
    }

    static void start_lists(std::vector<std::vector<Index>>& lists, std::size_t size) {
        if (lists.size() < size) lists.resize(size);
        for (std::vector<Index>& list : lists) list.clear();
    }

    /// Finds A's regions around B's first node: climbs along A's edges to a vertex that is highest in its direction.
    void find_first_node() {
        const FaceOrientationGraph& la = a_.links;
        const dvec3 node = b_node_in_a(0);
        Index v = 0;
        for (bool climbing = true; climbing;) {
            climbing = false;
            double most = slack_;
            const OrientationRegion& r = a_.regions[v];
            for (Index k = r.first; k < r.first + r.count; ++k) {
                const double rise = glm::dot(a_.directions[k], node);
                if (rise <= most) continue;
                most = rise, climbing = true;
                v = other_end(la, a_.edge_of[k], r.vertex);
            }
        }
        // With ties, the regions beside it, too.
        std::vector<Index>& reached = scratch_.reached;
        const auto reach = [&](Index r) {
            if (scratch_.stamps[r] != 0) return;
            scratch_.stamps[r] = 1;
            reached.push_back(r);
        };
        reached.clear();
        reach(v);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const Index region = reached[i];
            if (!test_region_of_a(region, 0, node)) continue;
            scratch_.regions_of_node[0].push_back(region);
            for (const Index e : la.arcs_of_region(region)) {
                if (std::abs(glm::dot(node, a_.arcs[e].axis)) <= slack_) reach(other_end(la, e, region));
            }
        }
        std::fill(scratch_.stamps.begin(), scratch_.stamps.end(), 0);
    }

    /// An arc of A that is crossed ends in a region beside an arc that crosses it; one that is not lies in one region,
    /// so its nodes are in the same one.
    bool find_nodes_of_a() {
        const FaceOrientationGraph &la = a_.links, &lb = b_.links;
        std::vector<std::vector<Index>>&regions_of = scratch_.regions_of_node, &crossed = scratch_.crossed_by;
        start_lists(regions_of, a_.nodes.size());
        std::vector<Index>&stamps = scratch_.stamps, &queue = scratch_.queue;
        stamps.assign(lb.regions.size(), 0);
        queue.clear();
        for (Index node = 0; node < a_.nodes.size(); ++node) {
            const dvec3 direction = a_node_in_b(node);
            for (const Index e : la.arcs_of_node(node)) {
                for (const Index g : crossed[e]) {
                    for (const Index r : lb.arcs[g].regions) {
                        if (stamps[r] == node + 1) continue;
                        stamps[r] = node + 1;
                        if (test_region_of_b(r, node, direction)) regions_of[node].push_back(r);
                    }
                }
            }
            if (!regions_of[node].empty()) queue.push_back(node);
        }
        for (std::size_t q = 0; q < queue.size(); ++q) {
            for (const Index e : la.arcs_of_node(queue[q])) {
                const Index to = la.arcs[e].nodes[la.arcs[e].nodes[0] == queue[q] ? 1 : 0];
                if (!crossed[e].empty() || !regions_of[to].empty()) continue;
                const dvec3 direction = a_node_in_b(to);
                for (const Index r : regions_of[queue[q]]) {
                    if (test_region_of_b(r, to, direction)) regions_of[to].push_back(r);
                }
                if (regions_of[to].empty()) return false;
                queue.push_back(to);
            }
        }
        return queue.size() == a_.nodes.size();
    }

    void every_pair() {
        for (Index j = 0; j < b_.arcs.size(); ++j) {
            const PlacedArc placed = place(b_.arcs[j], rotation_);
            for (Index i = 0; i < a_.arcs.size(); ++i) test_arcs(i, j, placed);
        }
        for (Index f = 0; f < b_.nodes.size(); ++f) {
            const dvec3 node = b_node_in_a(f);
            for (Index i = 0; i < a_.regions.size(); ++i) test_region_of_a(i, f, node);
        }
        for (Index f = 0; f < a_.nodes.size(); ++f) {
            const dvec3 node = a_node_in_b(f);
            for (Index i = 0; i < b_.regions.size(); ++i) test_region_of_b(i, f, node);
        }
    }

    void by_grid() {
        scratch_.stamps.assign(a_.arcs.size(), 0);
        for (Index j = 0; j < b_.arcs.size(); ++j) {
            const OrientationArc& arc = b_.arcs[j];
            const PlacedArc placed = place(arc, rotation_);
            for (Index k = 0; k < arc.samples; ++k) {
                for (const Index i : a_.arc_grid.at(-(rotation_ * b_.samples[arc.first_sample + k]))) {
                    if (scratch_.stamps[i] == j + 1) continue;
                    scratch_.stamps[i] = j + 1;
                    test_arcs(i, j, placed);
                }
            }
        }
        for (Index f = 0; f < b_.nodes.size(); ++f) {
            const dvec3 node = b_node_in_a(f);
            for (const Index i : a_.region_grid.at(node)) test_region_of_a(i, f, node);
        }
        for (Index f = 0; f < a_.nodes.size(); ++f) {
            const dvec3 node = a_node_in_b(f);
            for (const Index i : b_.region_grid.at(node)) test_region_of_b(i, f, node);
        }
    }

    /// Makes the table of signs. For each node (row) and each edge of the other: 1 if the edge's direction is along the
    /// node's, -1 if against it, 0 if it is within the slack of being at right angles.
    template <class Node>
    void fill_signs(std::size_t nodes, Node&& node, const OrientationGraph& edges,
                    std::vector<std::int8_t>& signs) const {
        const std::size_t n = edges.edges;
        signs.resize(nodes * n);
        const auto slack = static_cast<float>(slack_ + float_rounding);
        const float *x = edges.axes[0].data(), *y = edges.axes[1].data(), *z = edges.axes[2].data();
        for (std::size_t f = 0; f < nodes; ++f) {
            const vec3 v(node(static_cast<Index>(f)));
            std::int8_t* row = signs.data() + f * n;
            for (std::size_t e = 0; e < n; ++e) {
                const float along = v.x * x[e] + v.y * y[e] + v.z * z[e];
                row[e] = static_cast<std::int8_t>((along > slack) - (along < -slack));
            }
        }
    }

    /// Returns whether no edge of the region has a direction along the node's.
    static bool may_hold(const OrientationGraph& graph, const OrientationRegion& region, const std::int8_t* row) {
        for (Index k = region.first; k < region.first + region.count; ++k) {
            if (row[graph.edge_of[k]] == graph.leaves[k]) return false;
        }
        return true;
    }

    void by_signs() {
        std::vector<std::int8_t>&of_b_nodes = scratch_.signs_a, &of_a_nodes = scratch_.signs_b;
        fill_signs(
            b_.nodes.size(), [&](Index f) { return b_node_in_a(f); }, a_, of_b_nodes);
        fill_signs(
            a_.nodes.size(), [&](Index f) { return a_node_in_b(f); }, b_, of_a_nodes);
        for (Index j = 0; j < b_.arcs.size(); ++j) {
            const OrientationArc& arc = b_.arcs[j];
            const std::int8_t* from = of_b_nodes.data() + arc.faces[0] * a_.edges;
            const std::int8_t* to = of_b_nodes.data() + arc.faces[1] * a_.edges;
            const PlacedArc placed = place(arc, rotation_);
            for (Index i = 0; i < a_.arcs.size(); ++i) {
                const Index edge = a_.arcs[i].edge;
                const int b0 = from[edge], b1 = to[edge];
                // A's nodes are mirrored in that table, so its signs are the opposite of those in arcs_cross.
                const int a0 = of_a_nodes[a_.arcs[i].faces[0] * b_.edges + arc.edge];
                const int a1 = of_a_nodes[a_.arcs[i].faces[1] * b_.edges + arc.edge];
                // Without branches, except one that is hardly ever taken.
                const int apart = int(b0 * b1 > 0) | int(a0 * a1 > 0) | (int(a0 * b0 != 0) & int(a1 * b1 < 0));
                if (apart) continue;
                test_arcs(i, j, placed);
            }
        }
        for (Index f = 0; f < b_.nodes.size(); ++f) {
            const dvec3 node = b_node_in_a(f);
            const std::int8_t* row = of_b_nodes.data() + f * a_.edges;
            for (Index i = 0; i < a_.regions.size(); ++i) {
                if (may_hold(a_, a_.regions[i], row)) test_region_of_a(i, f, node);
            }
        }
        for (Index f = 0; f < a_.nodes.size(); ++f) {
            const dvec3 node = a_node_in_b(f);
            const std::int8_t* row = of_a_nodes.data() + f * b_.edges;
            for (Index i = 0; i < b_.regions.size(); ++i) {
                if (may_hold(b_, b_.regions[i], row)) test_region_of_b(i, f, node);
            }
        }
    }

    // The sweep: all features as intervals of longitude, red ones of A and blue ones of B. Their ends are visited from
    // west to east.

    enum class Kind : std::uint8_t { arc, node, region };

    struct Interval {
        Meridians span;
        Index index;
        Kind kind;
        bool blue;
    };

    struct Event {
        double at;
        Index interval;
        bool west;
    };

    struct Swept {
        std::vector<Interval> intervals;
        std::vector<PlacedArc> blue_arcs;
        std::vector<dvec3> blue_nodes, red_nodes;  ///< in the other's frame
        std::array<std::vector<Index>, 6> active;  ///< by kind and colour
        std::vector<Index> position;               ///< of each feature in its active list, or none
    };
    static constexpr Index inactive = ~Index(0);

    /// Returns the longitudes of a region, in A's frame; `place` maps the graph's frame to it, and `pole` is A's z axis
    /// in the graph's frame.
    template <class Place>
    Meridians region_span(const OrientationGraph& graph, const OrientationRegion& region, Place&& place,
                          const dvec3& pole) const {
        const std::span<const dvec3> corners = graph.links.corners_of(region.vertex);
        if (scratch_.region_spans_by_arcs && corners.size() >= 3) {
            if (node_in_region(graph, region, pole, slack_) || node_in_region(graph, region, -pole, slack_))
                return all_around;
            return span_of_corners(corners, place);
        }
        if (region.cap_cosine <= whole_sphere) return all_around;
        // As in node_in_region, where the slack is one of cosines.
        return meridians_near(place(region.center), std::acos(std::clamp(region.cap_cosine - slack_, -1.0, 1.0)));
    }

    /// If no pole is inside, the bounding arcs are monotone in longitude, so that the corners tell the longitudes. The
    /// slack moves a corner outward by more, the sharper it is.
    template <class Place>
    Meridians span_of_corners(std::span<const dvec3> corners, Place&& place) const {
        const std::size_t n = corners.size();
        dvec3 middle(0.0);
        for (const dvec3& c : corners) middle += c;
        const double from = longitude(place(middle));
        double west = 0.0, east = 0.0;
        dvec3 before = glm::cross(corners[n - 1], corners[0]);
        for (std::size_t k = 0; k < n; ++k) {
            const dvec3 after = glm::cross(corners[k], corners[(k + 1) % n]);
            const double lengths = detail::length(before) * detail::length(after);
            // The sine of half the angle of the corner, from the inward normals of the sides there.
            const double sine2 = lengths > 1e-12 ? 0.5 * (1.0 + glm::dot(before, after) / lengths) : 0.0;
            before = after;
            if (sine2 < 1e-6) return all_around;
            const dvec3 c = place(corners[k]);
            const double r = std::sqrt(c.x * c.x + c.y * c.y), grown = slack_ / std::sqrt(sine2);
            if (r <= 2.0 * grown) return all_around;
            const double spread = std::asin(std::min(1.0, grown / r)) + 1e-9, at = turned_by(longitude(c), from);
            west = std::min(west, at - spread);
            east = std::max(east, at + spread);
        }
        return {from + west, std::min(east - west, turn)};
    }

    std::vector<Index>& active_list(Swept& s, Kind kind, bool blue) {
        return s.active[2 * static_cast<std::size_t>(kind) + blue];
    }

    void meet(Swept& s, const Interval& f, Kind other) {
        for (const Index k : active_list(s, other, !f.blue)) {
            const Interval& g = s.intervals[k];
            const Interval& red = f.blue ? g : f;
            const Interval& blue = f.blue ? f : g;
            if (f.kind == Kind::arc) {
                test_arcs(red.index, blue.index, s.blue_arcs[blue.index]);
            } else if (red.kind == Kind::region) {
                test_region_of_a(red.index, blue.index, s.blue_nodes[blue.index]);
            } else {
                test_region_of_b(blue.index, red.index, s.red_nodes[red.index]);
            }
        }
    }

    void activate(Swept& s, Index k) {
        std::vector<Index>& list = active_list(s, s.intervals[k].kind, s.intervals[k].blue);
        s.position[k] = static_cast<Index>(list.size());
        list.push_back(k);
    }

    void deactivate(Swept& s, Index k) {
        if (s.position[k] == inactive) return;
        std::vector<Index>& list = active_list(s, s.intervals[k].kind, s.intervals[k].blue);
        list[s.position[k]] = list.back();
        s.position[list.back()] = s.position[k];
        list.pop_back();
        s.position[k] = inactive;
    }

    /// Lists features as intervals of longitude, in A's frame.
    Swept all_intervals(OverlayParts parts) {
        Swept s;
        if (parts != OverlayParts::regions) add_arcs(s);
        if (parts != OverlayParts::arcs) add_regions(s);
        s.position.assign(s.intervals.size(), inactive);
        return s;
    }

    void add_arcs(Swept& s) {
        for (Index i = 0; i < a_.arcs.size(); ++i) {
            const OrientationArc& arc = a_.arcs[i];
            s.intervals.push_back({meridians_of(arc.from, arc.to, arc.axis, slack_), i, Kind::arc, false});
        }
        for (Index j = 0; j < b_.arcs.size(); ++j) {
            const PlacedArc p = place(b_.arcs[j], rotation_);
            s.blue_arcs.push_back(p);
            s.intervals.push_back({meridians_of(p.from, p.to, p.axis, slack_), j, Kind::arc, true});
        }
    }

    /// Regions of A with nodes of B, and regions of B with nodes of A; all in A's frame.
    void add_regions(Swept& s) {
        const auto same = [](const dvec3& v) { return v; };
        const auto mirrored = [this](const dvec3& v) { return -(rotation_ * v); };
        for (Index i = 0; i < a_.regions.size(); ++i) {
            const OrientationRegion& r = a_.regions[i];
            s.intervals.push_back({region_span(a_, r, same, dvec3(0, 0, 1)), i, Kind::region, false});
        }
        for (Index f = 0; f < b_.nodes.size(); ++f) {
            s.blue_nodes.push_back(b_node_in_a(f));
            s.intervals.push_back({meridians_near(s.blue_nodes.back(), slack_), f, Kind::node, true});
        }
        for (Index i = 0; i < b_.regions.size(); ++i) {
            const OrientationRegion& r = b_.regions[i];
            s.intervals.push_back({region_span(b_, r, mirrored, -(inverse_ * dvec3(0, 0, 1))), i, Kind::region, true});
        }
        for (Index f = 0; f < a_.nodes.size(); ++f) {
            s.red_nodes.push_back(a_node_in_b(f));
            s.intervals.push_back({meridians_near(a_.nodes[f], slack_), f, Kind::node, false});
        }
    }

    void sweep(OverlayParts parts) {
        Swept s = all_intervals(parts);
        std::vector<Event> events;
        std::vector<Index> endless;
        for (Index k = 0; k < s.intervals.size(); ++k) {
            const Meridians& m = s.intervals[k].span;
            if (m.length >= turn) {
                endless.push_back(k);
                continue;
            }
            const double west = m.west < -pi ? m.west + turn : m.west, east = west + m.length;
            events.push_back({west, k, true});
            events.push_back({east > pi ? east - turn : east, k, false});
        }
        std::sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
            return x.at != y.at ? x.at < y.at : x.west != y.west ? x.west : x.interval < y.interval;
        });

        const auto start = [&](Index k) {
            const Interval& f = s.intervals[k];
            meet(s, f, f.kind == Kind::arc ? Kind::arc : f.kind == Kind::node ? Kind::region : Kind::node);
        };
        for (const Index k : endless) start(k), activate(s, k);
        // In the first round, a feature across the first meridian ends before it starts, and is not active then. In the
        // second round no feature becomes active: those that start are tested with those that are still active.
        for (const Event& e : events) {
            tell_event(s, e);
            if (e.west) {
                start(e.interval);
                activate(s, e.interval);
            } else {
                deactivate(s, e.interval);
            }
        }
        for (const Index k : endless) deactivate(s, k);
        if (scratch_.trace) tell(OverlayStepKind::second_round, false, 0, 0);
        for (const Event& e : events) {
            tell_event(s, e);
            if (!e.west) {
                deactivate(s, e.interval);
            } else if (s.position[e.interval] == inactive) {
                start(e.interval);
            }
        }
    }

    void tell_event(const Swept& s, const Event& e) {
        if (!scratch_.trace) return;
        longitude_ = e.at;
        const Interval& f = s.intervals[e.interval];
        const OrientationGraph& graph = f.blue ? b_ : a_;
        if (f.kind == Kind::arc) {
            tell(e.west ? OverlayStepKind::arc_begins : OverlayStepKind::arc_ends, f.blue, graph.arcs[f.index].edge, 0);
        } else if (f.kind == Kind::node && e.west) {
            tell(OverlayStepKind::node_passed, f.blue, f.index, 0);
        }
    }

    // The connected sweep.

    /// Frames to try, until one has poles that are near no great circle of an arc. They are aligned with nothing.
    static constexpr int sweep_frames = 4;
    static glm::dmat3 sweep_frame(int attempt) {
        return to_matrix(glm::normalize(glm::dquat(0.7431, 0.3517, -0.2389 + 0.1371 * attempt, 0.5166)));
    }

    /// Lists the pairs of an arc of one and an arc that ends within the slack of it: the connected sweep sees only
    /// those that cross. Returns false if an end is so near that rounding could change the order of its arcs.
    bool list_near_pairs(std::vector<std::array<Index, 2>>& near) const {
        const auto list = [&](const OrientationGraph& nodes, const OrientationGraph& arcs, const glm::dmat3& to_arcs,
                              bool nodes_of_a) {
            for (Index n = 0; n < nodes.nodes.size(); ++n) {
                const dvec3 node = -(to_arcs * nodes.nodes[n]);
                for (const Index i : arcs.arc_grid.at(node)) {
                    if (!near_arc(arcs.arcs[i], node, slack_)) continue;
                    if (near_arc(arcs.arcs[i], node, order_rounding)) return false;
                    for (const Index e : nodes.links.arcs_of_node(n)) {
                        const Index j = nodes.arc_of_edge[e];
                        if (j != nowhere) near.push_back(nodes_of_a ? std::array{j, i} : std::array{i, j});
                    }
                }
            }
            return true;
        };
        return list(b_, a_, rotation_, false) && list(a_, b_, inverse_, true);
    }

    /// Returns false if an arc passes too near to a pole.
    template <class Place>
    static bool add_swept(const OrientationGraph& graph, Place&& place, SweptGraph& out) {
        for (const dvec3& n : graph.nodes) {
            const dvec3 v = place(n);
            out.nodes.push_back({longitude(v), v.z / std::sqrt(v.x * v.x + v.y * v.y)});
        }
        constexpr double least = 1e-6;
        for (const OrientationArc& arc : graph.arcs) {
            // Mirroring at the centre does not change the sense of an arc about its axis, or its great circle.
            const dvec3 from = place(arc.from), to = place(arc.to), axis = glm::cross(from, to);
            const double length = detail::length(axis);
            if (std::abs(axis.z) <= least * length) return false;
            const bool eastward = axis.z > 0.0;
            const Index west = arc.faces[eastward ? 0 : 1], east = arc.faces[eastward ? 1 : 0];
            out.arcs.push_back({west, east, out.nodes[west].longitude, out.nodes[east].longitude,
                                glm::dvec2(-axis.x / axis.z, -axis.y / axis.z)});
        }
        return true;
    }

    void sweep_connected() {
        std::vector<std::array<Index, 2>> near;
        glm::dmat3 frame;
        SweptGraph red, blue;
        bool found = false;
        if (slack_ <= grid_slack && list_near_pairs(near)) {
            for (int attempt = 0; attempt < sweep_frames && !found; ++attempt) {
                frame = sweep_frame(attempt);
                red = {}, blue = {};
                found = add_swept(
                            a_, [&](const dvec3& v) { return frame * v; }, red) &&
                        add_swept(
                            b_, [&](const dvec3& v) { return -(frame * (rotation_ * v)); }, blue);
            }
        }
        if (!found) {
            sweep(scratch_.parts);
            return;
        }
        if (scratch_.parts != OverlayParts::arcs) sweep(OverlayParts::regions);
        if (scratch_.parts == OverlayParts::regions) return;
        if (scratch_.trace) {
            scratch_.trace->pole = glm::transpose(frame) * dvec3(0, 0, 1);
            scratch_.trace->zero = glm::transpose(frame) * dvec3(1, 0, 0);
            scratch_.trace->steps.clear();  // of the regions, about another pole
        }
        ConnectedSweepReport report;
        report.cross = [&](Index i, Index j, double at) {
            longitude_ = at;
            find_crossing(i, j, place(b_.arcs[j], rotation_));
        };
        if (scratch_.trace) {
            report.node = [&](bool is_blue, Index node, double at) {
                longitude_ = at;
                tell(OverlayStepKind::node_passed, is_blue, node, 0);
            };
            report.end = [&](bool is_blue, Index arc, bool begins, double at) {
                longitude_ = at;
                tell(begins ? OverlayStepKind::arc_begins : OverlayStepKind::arc_ends, is_blue,
                     (is_blue ? b_ : a_).arcs[arc].edge, 0);
            };
        }
        scratch_.connected = connected_sweep(red, blue, report);
        for (const auto& [i, j] : near) find_crossing(i, j, place(b_.arcs[j], rotation_));
        if (!near.empty()) {
            const auto before = [](const EdgeOnEdge& x, const EdgeOnEdge& y) {
                return x.arc_a != y.arc_a ? x.arc_a < y.arc_a : x.arc_b < y.arc_b;
            };
            const auto same = [](const EdgeOnEdge& x, const EdgeOnEdge& y) {
                return x.arc_a == y.arc_a && x.arc_b == y.arc_b;
            };
            std::sort(out_.edges.begin(), out_.edges.end(), before);
            out_.edges.erase(std::unique(out_.edges.begin(), out_.edges.end(), same), out_.edges.end());
        }
        if (!scratch_.trace) return;
        for (const VertexOnFace& c : out_.a_vertices)
            tell(OverlayStepKind::node_in_region, true, c.face, a_.regions[c.region].vertex);
        for (const VertexOnFace& c : out_.b_vertices)
            tell(OverlayStepKind::node_in_region, false, c.face, b_.regions[c.region].vertex);
    }

    const OrientationGraph &a_, &b_;
    const glm::dmat3& rotation_;
    glm::dmat3 inverse_;
    double slack_;
    double longitude_ = 0.0;  ///< of the sweep, for the trace
    OverlayScratch& scratch_;
    ApplicableContacts& out_;
};

}  // namespace

double overlay_slack(const OrientationGraph& a, const OrientationGraph& b, double slack) {
    return slack + applicable_slack + a.skew + b.skew;
}

bool arcs_cross(const OrientationGraph& a, std::uint32_t arc_a, const OrientationGraph& b, std::uint32_t arc_b,
                const glm::dmat3& rotation, double slack) {
    ArcSides sides;
    return arcs_cross(a.arcs[arc_a], place(b.arcs[arc_b], rotation), slack, sides);
}

OverlayTrace trace_overlay(const NonconvexShape& a, const NonconvexShape& b, const glm::dquat& rotation,
                           OverlayMethod method) {
    OverlayTrace trace;
    const double length2 =
        rotation.w * rotation.w + rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z;
    if (!a.graph || !b.graph || !(std::abs(length2 - 1.0) < 1e-6)) return trace;
    OverlayScratch scratch;
    scratch.trace = &trace;
    ApplicableContacts contacts;
    find_applicable(*a.graph, *b.graph, to_matrix(glm::normalize(rotation)), 0.0, method, scratch, contacts);
    return trace;
}

void find_applicable(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, OverlayScratch& scratch, ApplicableContacts& out) {
    Overlay(a, b, rotation, overlay_slack(a, b, slack), scratch, out).run(method);
}

}  // namespace talus
