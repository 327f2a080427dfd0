#include <talus/narrowphase/nonconvex/motion.h>

#include "narrowphase/nonconvex/event_stream.h"
#include "narrowphase/nonconvex/overlay.h"
#include "narrowphase/nonconvex/paper_pairs.h"
#include "narrowphase/nonconvex/relative_motion.h"
#include "narrowphase/nonconvex/sinusoid.h"

#include <algorithm>
#include <unordered_map>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;
using Index = std::uint32_t;

/// Within this of a level the sign at the start counts as a tie, because the sign that follows is not known. A tie is
/// looked at by itself.
constexpr double level_rounding = 1e-12;

/// What the signs tell about a pair.
enum class Verdict : std::uint8_t {
    no,   ///< they contradict it
    tie,  ///< some are within the slack; the others do not contradict it
    yes,  ///< all prove it
};

std::uint64_t key_of(const EdgeFacePair& p) { return (std::uint64_t(p.edge) << 32) | p.face; }

/// A set that is a dense list, for loops, with an index for changes. Its order depends on the changes only.
template <class Item>
class DenseSet {
public:
    const std::vector<Item>& items() const { return items_; }
    bool has(const Item& item) const { return places_.count(key_of(item)) != 0; }
    void clear() { items_.clear(), places_.clear(); }
    bool insert(const Item& item) {
        if (!places_.emplace(key_of(item), static_cast<Index>(items_.size())).second) return false;
        items_.push_back(item);
        return true;
    }
    bool erase(const Item& item) {
        const auto found = places_.find(key_of(item));
        if (found == places_.end()) return false;
        const Index place = found->second;
        places_.erase(found);
        if (place + 1 != items_.size()) {
            items_[place] = items_.back();
            places_[key_of(items_[place])] = place;
        }
        items_.pop_back();
        return true;
    }

private:
    std::vector<Item> items_;
    std::unordered_map<std::uint64_t, Index> places_;
};

/// Edge-face pairs of one kind, each with the number of contacts that it detects.
class CountedPairs {
public:
    explicit CountedPairs(std::vector<EdgeFacePair>& list) : list_(list) {}

    void clear() { list_.clear(), entries_.clear(); }
    void add(const EdgeFacePair& p) {
        const auto [entry, fresh] = entries_.try_emplace(key_of(p), Entry{static_cast<Index>(list_.size()), 0});
        if (fresh) list_.push_back(p);
        ++entry->second.count;
    }
    void remove(const EdgeFacePair& p) {
        const auto found = entries_.find(key_of(p));
        if (--found->second.count != 0) return;
        const Index place = found->second.place;
        entries_.erase(found);
        if (place + 1 != list_.size()) {
            list_[place] = list_.back();
            entries_[key_of(list_[place])].place = place;
        }
        list_.pop_back();
    }

private:
    struct Entry {
        Index place, count;
    };
    std::vector<EdgeFacePair>& list_;
    std::unordered_map<std::uint64_t, Entry> entries_;
};

/// A sign that changes: of an edge of one polyhedron with a node of the other.
struct Failure {
    double time;
    Index edge, face;
    std::uint8_t table;  ///< 0: edges of A with nodes of B; 1: edges of B with nodes of A
    std::int8_t sign;    ///< from then on

    bool operator<(const Failure& o) const {
        if (time != o.time) return time < o.time;
        if (table != o.table) return table < o.table;
        return face != o.face ? face < o.face : edge < o.edge;
    }
};

}  // namespace

struct MovingContacts::State {
    const NonconvexShape &a, &b;
    CheckedMotion motion;
    detail::SinCos end{0.0, 1.0};  ///< of the angle at time 1
    double slack = 0.0;
    double time = 0.0;

    /// As in overlay.cpp: for each node (row; B's are mirrored and in A's frame) and each edge of the other, 1 if the
    /// edge's direction is along the node's, -1 if against it, 0 if it is within the slack of being at right angles.
    std::array<std::vector<std::int8_t>, 2> signs;
    std::vector<Failure> schedule;
    std::size_t next = 0;

    DenseSet<FeaturePair> present, ties;
    EdgeFaceCandidates candidates;
    CountedPairs a_edges{candidates.a_edges}, b_edges{candidates.b_edges};
    Work work;
    /// If set, gets the changes of what signs do not contradict; then no lists of pairs are kept.
    std::vector<ApplicabilityEvent>* record = nullptr;

    struct Affected {
        FeaturePair pair;
        Verdict before;
    };
    std::vector<Affected> affected;

    State(const NonconvexShape& shape_a, const NonconvexShape& shape_b) : a(shape_a), b(shape_b) {}

    std::int8_t& sign(int table, Index face, Index edge) {
        return signs[table][std::size_t(face) * (table == 0 ? a : b).graph->edges + edge];
    }

    static Verdict vertex_verdict(const OrientationGraph& graph, Index vertex, const std::int8_t* row) {
        const OrientationRegion& r = graph.regions[graph.region_of_vertex[vertex]];
        Verdict verdict = Verdict::yes;
        for (Index k = r.first; k < r.first + r.count; ++k) {
            const int s = row[graph.edge_of[k]] * graph.leaves[k];
            if (s > 0) return Verdict::no;
            if (s == 0) verdict = Verdict::tie;
        }
        return verdict;
    }

    Verdict edges_verdict(Index edge_a, Index edge_b) {
        const std::array<Index, 2>&fa = a.polyhedron.edges[edge_a].faces, &fb = b.polyhedron.edges[edge_b].faces;
        const int b0 = sign(0, fb[0], edge_a), b1 = sign(0, fb[1], edge_a);
        const int a0 = sign(1, fa[0], edge_b), a1 = sign(1, fa[1], edge_b);
        if (b0 * b1 > 0 || a0 * a1 > 0) return Verdict::no;
        // Arcs that cross have one of two patterns of signs.
        const bool one = a0 >= 0 && a1 <= 0 && b0 >= 0 && b1 <= 0, other = a0 <= 0 && a1 >= 0 && b0 <= 0 && b1 >= 0;
        const int decided_a = a0 * a1, decided_b = b0 * b1;
        if (one || other) return decided_a * decided_b != 0 ? Verdict::yes : Verdict::tie;
        // Otherwise they can come within the slack only with an end of one near an end of the other.
        return decided_a == 0 && decided_b == 0 ? Verdict::tie : Verdict::no;
    }

    Verdict verdict(const FeaturePair& p) {
        switch (p.kind) {
            case FeaturePairKind::a_vertex:
                return vertex_verdict(*a.graph, p.a, &sign(0, p.b, 0));
            case FeaturePairKind::b_vertex:
                return vertex_verdict(*b.graph, p.b, &sign(1, p.a, 0));
            default:
                return edges_verdict(p.a, p.b);
        }
    }

    /// Returns whether a pair is applicable at the present rotation, by the overlay's own test.
    bool applicable(const FeaturePair& p, const dmat3& rotation) const {
        const OrientationGraph &ga = *a.graph, &gb = *b.graph;
        switch (p.kind) {
            case FeaturePairKind::a_vertex:
                return node_in_region(ga, ga.regions[ga.region_of_vertex[p.a]], -(rotation * gb.nodes[p.b]), slack);
            case FeaturePairKind::b_vertex:
                return node_in_region(gb, gb.regions[gb.region_of_vertex[p.b]],
                                      -(glm::transpose(rotation) * ga.nodes[p.a]), slack);
            default:
                return arcs_cross(ga, ga.arc_of_edge[p.a], gb, gb.arc_of_edge[p.b], rotation, slack);
        }
    }

    void set_present(const FeaturePair& p, bool is) {
        if (!(is ? present.insert(p) : present.erase(p))) return;
        ++work.changes;
        const auto count = [is](CountedPairs& pairs, const EdgeFacePair& q) { is ? pairs.add(q) : pairs.remove(q); };
        paper_edge_faces(*a.graph, *b.graph, a.polyhedron, b.polyhedron, p,
                         [&](bool of_a, const EdgeFacePair& q) { count(of_a ? a_edges : b_edges, q); });
    }

    void change(const FeaturePair& p, Verdict before, Verdict after) {
        if (before == after) return;
        if (record) {
            if ((before == Verdict::no) != (after == Verdict::no)) record->push_back({time, p, after != Verdict::no});
            return;
        }
        if (after == Verdict::tie) {
            ties.insert(p);
            return;  // resolve_ties decides
        }
        if (before == Verdict::tie) ties.erase(p);
        set_present(p, after == Verdict::yes);
    }

    void resolve_ties() {
        if (ties.items().empty()) return;
        const dmat3 rotation = motion.rotation_at(time);
        for (const FeaturePair& p : ties.items()) set_present(p, applicable(p, rotation));
        work.pairs += ties.items().size();
    }

    bool start(const RelativeMotion& m) {
        present.clear(), ties.clear(), a_edges.clear(), b_edges.clear(), schedule.clear();
        next = 0, time = 0.0, work = {};
        motion = CheckedMotion(m);
        if (!motion.usable || !a.graph || !b.graph || a.polyhedron.faces.empty() || b.polyhedron.faces.empty()) {
            motion.usable = false;
            return false;
        }
        slack = overlay_slack(*a.graph, *b.graph, 0.0);
        end = detail::sin_cos(motion.motion.angle);
        schedule_certificates();
        find_pairs();
        resolve_ties();
        return true;
    }

    /// Fills the tables of signs and schedules their changes. A first pass in float finds the signs that cannot change,
    /// because a rotation moves unit vectors by no more than the chord of its angle.
    void schedule_certificates() {
        using std::numbers::pi;
        const double angle = motion.motion.angle;
        const double chord = angle >= pi ? 2.0 : 2.0 * detail::sin_cos(0.5 * angle).sine;
        const auto reach = static_cast<float>(slack + chord + float_rounding);
        for (int table = 0; table < 2; ++table) {
            const OrientationGraph& edges = *(table == 0 ? a : b).graph;
            const OrientationGraph& nodes = *(table == 0 ? b : a).graph;
            const std::size_t n = edges.edges;
            signs[table].resize(nodes.nodes.size() * n);
            const float *x = edges.axes[0].data(), *y = edges.axes[1].data(), *z = edges.axes[2].data();
            std::vector<RotatingVector> of_b_edges;
            std::vector<double> along_of_edge;
            if (table == 0) {
                for (const PolyhedronEdge& e : a.polyhedron.edges)
                    along_of_edge.push_back(glm::dot(e.direction, motion.motion.axis));
            } else {
                for (const PolyhedronEdge& e : b.polyhedron.edges)
                    of_b_edges.emplace_back(motion.start * e.direction, motion.motion.axis);
            }
            for (Index f = 0; f < nodes.nodes.size(); ++f) {
                const dvec3& node = nodes.nodes[f];
                const vec3 v(table == 0 ? -(motion.start * node) : -(glm::transpose(motion.start) * node));
                std::int8_t* row = signs[table].data() + f * n;
                for (std::size_t e = 0; e < n; ++e) {
                    const float along = v.x * x[e] + v.y * y[e] + v.z * z[e];
                    row[e] = static_cast<std::int8_t>((along > reach) - (along < -reach));
                }
                const RotatingVector of_b_node(motion.start * node, motion.motion.axis);
                const double along_of_node = glm::dot(node, motion.motion.axis);
                for (Index e = 0; e < n; ++e) {
                    if (row[e] != 0) continue;
                    const Sinusoid f_of_angle = table == 0
                                                    ? of_b_node.dot(-a.polyhedron.edges[e].direction, -along_of_edge[e])
                                                    : of_b_edges[e].dot(-node, -along_of_node);
                    row[e] = first_sign(f_of_angle);
                    if (angle > 0.0) schedule_changes(f_of_angle, static_cast<std::uint8_t>(table), e, f);
                }
            }
        }
        std::sort(schedule.begin(), schedule.end());
        work.certificates = schedule.size();
    }

    std::int8_t first_sign(const Sinusoid& f) const {
        const double v = f.a + f.b, level = slack + level_rounding;
        return static_cast<std::int8_t>((v > level) - (v < -level));
    }

    /// Schedules the crossings of +-slack. Most certificates pass neither level, which the values and slopes at both
    /// ends of the motion tell without a root.
    void schedule_changes(const Sinusoid& f, std::uint8_t table, Index edge, Index face) {
        const double angle = motion.motion.angle;
        const double first = f.a + f.b, last = f.at(end);
        double least = std::min(first, last), most = std::max(first, last);
        const double rises_first = f.c, rises_last = f.slope(end);
        if (angle >= std::numbers::pi || (rises_first <= 0.0 && rises_last >= 0.0)) least = f.a - f.amplitude();
        if (angle >= std::numbers::pi || (rises_first >= 0.0 && rises_last <= 0.0)) most = f.a + f.amplitude();
        const auto add = [&](double at, int sign) {
            if (at > 0.0 && at <= angle) {
                schedule.push_back({std::min(at / angle, 1.0), edge, face, table, static_cast<std::int8_t>(sign)});
            }
        };
        const auto crosses = [&](double level) {
            return least <= level + level_rounding && most >= level - level_rounding;
        };
        if (crosses(slack)) {
            if (const Crossings c = crossings(f, slack); c.any) add(c.up, 1), add(c.down, 0);
        }
        if (crosses(-slack)) {
            if (const Crossings c = crossings(f, -slack); c.any) add(c.up, 0), add(c.down, -1);
        }
    }

    void find_pairs() {
        const OrientationGraph &ga = *a.graph, &gb = *b.graph;
        const auto look = [&](const FeaturePair& p, Verdict v) {
            if (v != Verdict::no) change(p, Verdict::no, v);
        };
        for (Index f = 0; f < gb.nodes.size(); ++f) {
            const std::int8_t* row = &sign(0, f, 0);
            for (const OrientationRegion& r : ga.regions)
                look({FeaturePairKind::a_vertex, r.vertex, f}, vertex_verdict(ga, r.vertex, row));
        }
        for (Index f = 0; f < ga.nodes.size(); ++f) {
            const std::int8_t* row = &sign(1, f, 0);
            for (const OrientationRegion& r : gb.regions)
                look({FeaturePairKind::b_vertex, f, r.vertex}, vertex_verdict(gb, r.vertex, row));
        }
        for (const OrientationArc& arc_b : gb.arcs) {
            for (const OrientationArc& arc_a : ga.arcs)
                look({FeaturePairKind::edges, arc_a.edge, arc_b.edge}, edges_verdict(arc_a.edge, arc_b.edge));
        }
        work.changes = 0;
    }

    void add_affected(const FeaturePair& p) { affected.push_back({p, verdict(p)}); }

    void fail(const Failure& c) {
        std::int8_t& sign_now = sign(c.table, c.face, c.edge);
        if (sign_now == c.sign) return;
        affected.clear();
        const bool of_a = c.table == 0;
        const NonconvexShape &edges = of_a ? a : b, &faces = of_a ? b : a;
        for (const Index v : edges.polyhedron.edges[c.edge].vertices) {
            if (edges.graph->region_of_vertex[v] == nowhere) continue;
            add_affected(of_a ? FeaturePair{FeaturePairKind::a_vertex, v, c.face}
                              : FeaturePair{FeaturePairKind::b_vertex, c.face, v});
        }
        if (edges.graph->arc_of_edge[c.edge] != nowhere) {
            for (const Index g : faces.polyhedron.edges_of_face(c.face)) {
                if (faces.graph->arc_of_edge[g] == nowhere) continue;
                add_affected(of_a ? FeaturePair{FeaturePairKind::edges, c.edge, g}
                                  : FeaturePair{FeaturePairKind::edges, g, c.edge});
            }
        }
        sign_now = c.sign;
        for (const Affected& p : affected) change(p.pair, p.before, verdict(p.pair));
        ++work.certificates;
        work.pairs += affected.size();
    }

    void advance(double to) {
        work = {};
        if (!motion.usable || !(to >= time)) return;
        to = std::min(to, 1.0);
        for (; next < schedule.size() && schedule[next].time <= to; ++next) {
            time = schedule[next].time;
            fail(schedule[next]);
        }
        time = to;
        resolve_ties();
    }
};

MovingContacts::MovingContacts(const NonconvexShape& a, const NonconvexShape& b)
    : state_(std::make_unique<State>(a, b)) {}
MovingContacts::~MovingContacts() = default;
MovingContacts::MovingContacts(MovingContacts&&) noexcept = default;

bool MovingContacts::start(const RelativeMotion& motion) { return state_->start(motion); }
void MovingContacts::advance(double time) { state_->advance(time); }
const std::vector<FeaturePair>& MovingContacts::pairs() const { return state_->present.items(); }
const EdgeFaceCandidates& MovingContacts::candidates() const { return state_->candidates; }
const MovingContacts::Work& MovingContacts::work() const { return state_->work; }

EventStream::EventStream(const NonconvexShape& a, const NonconvexShape& b, const RelativeMotion& motion)
    : contacts_(a, b) {
    contacts_.state_->record = &events_;
    usable_ = contacts_.start(motion);
}
EventStream::~EventStream() = default;

std::span<const ApplicabilityEvent> EventStream::advance(double time) {
    if (!usable_) return {};
    if (!fresh_) events_.clear();
    fresh_ = false;
    contacts_.advance(time);
    return events_;
}

std::vector<ApplicabilityEvent> applicability_events(const NonconvexShape& a, const NonconvexShape& b,
                                                     const RelativeMotion& motion) {
    EventStream stream(a, b, motion);
    const std::span<const ApplicabilityEvent> events = stream.advance(1.0);
    return {events.begin(), events.end()};
}

std::vector<Isoapplicability> isoapplicability(const NonconvexShape& a, const NonconvexShape& b,
                                               const RelativeMotion& motion) {
    std::vector<Isoapplicability> intervals;
    std::unordered_map<std::uint64_t, std::size_t> open;
    for (const ApplicabilityEvent& e : applicability_events(a, b, motion)) {
        if (e.applicable) {
            open[key_of(e.pair)] = intervals.size();
            intervals.push_back({e.pair, e.time, 1.0});
        } else if (const auto found = open.find(key_of(e.pair)); found != open.end()) {
            intervals[found->second].to = e.time;
            open.erase(found);
        }
    }
    return intervals;
}

}  // namespace talus
