#include "narrowphase/nonconvex/overlay.h"

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

/// The largest error of cosines of unit vectors in float.
constexpr double float_rounding = 1e-6;

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
        scratch_.tests = 0;
        out_.a_vertices.clear();
        out_.b_vertices.clear();
        out_.edges.clear();
    }

    void run(OverlayMethod method) {
        if (method == OverlayMethod::sweep) {
            sweep();
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
    dvec3 b_node_in_a(Index i) const { return -(rotation_ * b_.nodes[i]); }
    dvec3 a_node_in_b(Index i) const { return -(inverse_ * a_.nodes[i]); }

    void test_arcs(Index i, Index j, const PlacedArc& placed) {
        ++scratch_.tests;
        ArcSides sides;
        if (!arcs_cross(a_.arcs[i], placed, slack_, sides)) return;
        const auto upright = [](double cosine) { return static_cast<float>(std::abs(cosine)); };
        out_.edges.push_back(
            {i, j, {upright(sides.b[0]), upright(sides.b[1]), upright(sides.a[0]), upright(sides.a[1])}});
    }

    void test_region_of_a(Index region, Index face, const dvec3& node) {
        ++scratch_.tests;
        if (node_in_region(a_, a_.regions[region], node, slack_)) out_.a_vertices.push_back({region, face});
    }

    void test_region_of_b(Index region, Index face, const dvec3& node) {
        ++scratch_.tests;
        if (node_in_region(b_, b_.regions[region], node, slack_)) out_.b_vertices.push_back({region, face});
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

    /// Returns the longitudes of a region, by its cap.
    Meridians region_span(const dvec3& center, double cap_cosine) const {
        if (cap_cosine <= whole_sphere) return all_around;
        return meridians_near(center, std::acos(std::min(1.0, cap_cosine)) + slack_);
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

    /// Lists all features as intervals of longitude, in A's frame.
    Swept all_intervals() {
        Swept s;
        for (Index i = 0; i < a_.arcs.size(); ++i) {
            const OrientationArc& arc = a_.arcs[i];
            s.intervals.push_back({meridians_of(arc.from, arc.to, arc.axis, slack_), i, Kind::arc, false});
        }
        for (Index j = 0; j < b_.arcs.size(); ++j) {
            const PlacedArc p = place(b_.arcs[j], rotation_);
            s.blue_arcs.push_back(p);
            s.intervals.push_back({meridians_of(p.from, p.to, p.axis, slack_), j, Kind::arc, true});
        }
        // Regions of A with nodes of B, and regions of B with nodes of A; all in A's frame.
        for (Index i = 0; i < a_.regions.size(); ++i) {
            const OrientationRegion& r = a_.regions[i];
            s.intervals.push_back({region_span(r.center, r.cap_cosine), i, Kind::region, false});
        }
        for (Index f = 0; f < b_.nodes.size(); ++f) {
            s.blue_nodes.push_back(b_node_in_a(f));
            s.intervals.push_back({meridians_near(s.blue_nodes.back(), slack_), f, Kind::node, true});
        }
        for (Index i = 0; i < b_.regions.size(); ++i) {
            const OrientationRegion& r = b_.regions[i];
            s.intervals.push_back({region_span(-(rotation_ * r.center), r.cap_cosine), i, Kind::region, true});
        }
        for (Index f = 0; f < a_.nodes.size(); ++f) {
            s.red_nodes.push_back(a_node_in_b(f));
            s.intervals.push_back({meridians_near(a_.nodes[f], slack_), f, Kind::node, false});
        }
        s.position.assign(s.intervals.size(), inactive);
        return s;
    }

    void sweep() {
        Swept s = all_intervals();
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
            if (e.west) {
                start(e.interval);
                activate(s, e.interval);
            } else {
                deactivate(s, e.interval);
            }
        }
        for (const Index k : endless) deactivate(s, k);
        for (const Event& e : events) {
            if (!e.west) {
                deactivate(s, e.interval);
            } else if (s.position[e.interval] == inactive) {
                start(e.interval);
            }
        }
    }

    const OrientationGraph &a_, &b_;
    const glm::dmat3& rotation_;
    glm::dmat3 inverse_;
    double slack_;
    OverlayScratch& scratch_;
    ApplicableContacts& out_;
};

}  // namespace

void find_applicable(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, OverlayScratch& scratch, ApplicableContacts& out) {
    Overlay(a, b, rotation, slack + applicable_slack + a.skew + b.skew, scratch, out).run(method);
}

}  // namespace talus
