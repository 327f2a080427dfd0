#include "narrowphase/nonconvex/connected_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace talus {

namespace {

using glm::dvec2;
using Index = std::uint32_t;

using std::numbers::pi;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr Index nothing = ~Index(0);

/// Arcs whose heights differ by less than this, relative to themselves, are as high as each other everywhere: parallel
/// edges between parallel faces.
constexpr double same_height = 1e-12;

/// Longitudes within this of the meridian count as reached, rad.
constexpr double reached = 1e-9;

/// The meridian that sweeps.
struct Meridian {
    double longitude;
    dvec2 direction;

    explicit Meridian(double l) : longitude(l), direction(std::cos(l), std::sin(l)) {}
    double height(const dvec2& g) const { return g.x * direction.x + g.y * direction.y; }
    double slope(const dvec2& g) const { return g.y * direction.x - g.x * direction.y; }
};

double size(const dvec2& g) { return std::abs(g.x) + std::abs(g.y); }

/// Returns the longitude at which a lower arc passes a higher one, after the meridian; `never` if not before the end of
/// the sweep. `g` is the higher one's height minus the lower one's, `scale` the size of one of them.
double passes_at(const dvec2& g, double scale, const Meridian& now) {
    if (size(g) <= same_height * (1.0 + scale)) return never;
    // Overdue, by rounding.
    if (now.height(g) < 0.0 && now.slope(g) < 0.0) return now.longitude;
    // The difference falls through zero where the direction is a quarter turn ahead of g.
    const double at = std::atan2(g.x, -g.y);
    if (at >= now.longitude) return at;
    return now.slope(g) < 0.0 && now.longitude - at < reached ? now.longitude : never;
}

/// A kinetic tournament: which of some arcs is the highest, or the lowest.
class Tournament {
public:
    /// sign: 1 for the highest, -1 for the lowest.
    void start(double sign, std::size_t slots) {
        sign_ = sign;
        leaves_ = 1;
        while (leaves_ < slots) leaves_ *= 2;
        nodes_.assign(2 * leaves_, {nothing, never});
    }
    std::size_t slots() const { return leaves_; }
    Index winner() const { return nodes_[1].arc; }
    double next_change() const { return nodes_[1].change; }

    void set_leaf(std::size_t slot, Index arc) { nodes_[leaves_ + slot] = {arc, never}; }

    template <class Heights>
    void play_all(const Heights& heights, const Meridian& now, std::size_t& tests) {
        for (std::size_t n = leaves_; n-- > 1;) play(n, heights, now, tests);
    }
    template <class Heights>
    void set(std::size_t slot, Index arc, const Heights& heights, const Meridian& now, std::size_t& tests) {
        set_leaf(slot, arc);
        for (std::size_t n = (leaves_ + slot) / 2; n >= 1; n /= 2) play(n, heights, now, tests);
    }
    /// Plays all games again whose result has changed.
    template <class Heights>
    void advance(const Heights& heights, const Meridian& now, std::size_t& tests) {
        if (next_change() <= now.longitude) advance(1, heights, now, tests);
    }

private:
    struct Node {
        Index arc;
        double change;  ///< the first change of a result in this subtree
    };

    template <class Heights>
    void advance(std::size_t n, const Heights& heights, const Meridian& now, std::size_t& tests) {
        if (n >= leaves_ || nodes_[n].change > now.longitude) return;
        advance(2 * n, heights, now, tests);
        advance(2 * n + 1, heights, now, tests);
        play(n, heights, now, tests);
    }

    template <class Heights>
    void play(std::size_t n, const Heights& heights, const Meridian& now, std::size_t& tests) {
        const Node &x = nodes_[2 * n], &y = nodes_[2 * n + 1];
        const double below = std::min(x.change, y.change);
        if (x.arc == nothing || y.arc == nothing) {
            nodes_[n] = {x.arc == nothing ? y.arc : x.arc, below};
            return;
        }
        ++tests;
        const dvec2 &gx = heights(x.arc), &gy = heights(y.arc);
        const dvec2 g = sign_ * (gx - gy);
        // Where they are level but for rounding, the one that rises is next. (If the other one was chosen, its fall
        // would already be due, again and again.)
        const double ahead = now.height(g), level = same_height * (1.0 + size(gx) + size(gy));
        const bool first = std::abs(ahead) > level ? ahead > 0.0 : now.slope(g) >= 0.0;
        nodes_[n] = {first ? x.arc : y.arc, std::min(below, passes_at(first ? g : -g, size(gx), now))};
    }

    double sign_ = 1.0;
    std::size_t leaves_ = 1;
    std::vector<Node> nodes_;  ///< a heap; the leaves are its second half
};

/// Arcs of one colour that follow each other on the meridian, in an order that is not known.
struct Run {
    bool blue = false;
    Index below = nothing, above = nothing;  ///< neighbouring runs
    std::vector<Index> members;              ///< by slot; nothing: a free one
    std::vector<Index> free_slots;
    std::size_t size = 0;
    Tournament highest, lowest;
    double next = never;  ///< as it is in the queue
};

class ConnectedSweep {
public:
    ConnectedSweep(const SweptGraph& red, const SweptGraph& blue, const ConnectedSweepReport& report)
        : graphs_{&red, &blue}, report_(report), reds_(static_cast<Index>(red.arcs.size())) {
        run_of_.assign(red.arcs.size() + blue.arcs.size(), nothing);
        slot_of_.assign(run_of_.size(), 0);
    }

    ConnectedSweepCounts run() {
        start();
        const std::vector<NodeEvent> events = node_events();
        for (const NodeEvent& e : events) {
            process_until(e.longitude);
            now_ = Meridian(e.longitude);
            if (report_.node) report_.node(e.blue, e.node, e.longitude);
            pass_node(e);
        }
        process_until(pi);
        return counts_;
    }

private:
    struct NodeEvent {
        double longitude;
        Index node;
        bool blue;
    };

    bool is_blue(Index arc) const { return arc >= reds_; }
    const SweptArc& arc(Index a) const { return is_blue(a) ? graphs_[1]->arcs[a - reds_] : graphs_[0]->arcs[a]; }
    const dvec2& height(Index a) const { return arc(a).height; }
    auto heights() const {
        return [this](Index a) -> const dvec2& { return height(a); };
    }

    // ---- Runs ----

    Index new_run(bool blue, Index below) {
        Index r;
        if (free_runs_.empty()) {
            r = static_cast<Index>(runs_.size());
            runs_.emplace_back();
        } else {
            r = free_runs_.back();
            free_runs_.pop_back();
        }
        // The lists keep their memory.
        Run& run = runs_[r];
        run.size = 0;
        run.next = never;
        run.blue = blue;
        run.below = below;
        run.above = below == nothing ? first_run_ : runs_[below].above;
        if (below == nothing) {
            first_run_ = r;
        } else {
            runs_[below].above = r;
        }
        if (run.above != nothing) runs_[run.above].below = r;
        run.highest.start(1.0, 1);
        run.lowest.start(-1.0, 1);
        run.members.assign(1, nothing);
        run.free_slots.assign(1, 0);
        return r;
    }

    void remove_run(Index r) {
        unqueue(r);
        Run& run = runs_[r];
        if (run.below != nothing) {
            runs_[run.below].above = run.above;
        } else {
            first_run_ = run.above;
        }
        if (run.above != nothing) runs_[run.above].below = run.below;
        free_runs_.push_back(r);
    }

    void add(Index r, Index a) {
        Run& run = runs_[r];
        if (run.free_slots.empty()) grow(run);
        const Index slot = run.free_slots.back();
        run.free_slots.pop_back();
        run.members[slot] = a;
        ++run.size;
        run_of_[a] = r;
        slot_of_[a] = slot;
        run.highest.set(slot, a, heights(), now_, counts_.tournament_tests);
        run.lowest.set(slot, a, heights(), now_, counts_.tournament_tests);
    }

    void grow(Run& run) {
        const std::size_t before = run.members.size(), after = 2 * before;
        run.members.resize(after, nothing);
        for (std::size_t s = after; s-- > before;) run.free_slots.push_back(static_cast<Index>(s));
        for (Tournament* t : {&run.highest, &run.lowest}) {
            t->start(t == &run.highest ? 1.0 : -1.0, after);
            for (std::size_t s = 0; s < before; ++s) t->set_leaf(s, run.members[s]);
            t->play_all(heights(), now_, counts_.tournament_tests);
        }
    }

    void drop(Index a) {
        Run& run = runs_[run_of_[a]];
        const Index slot = slot_of_[a];
        run.members[slot] = nothing;
        run.free_slots.push_back(slot);
        --run.size;
        run_of_[a] = nothing;
        run.highest.set(slot, nothing, heights(), now_, counts_.tournament_tests);
        run.lowest.set(slot, nothing, heights(), now_, counts_.tournament_tests);
    }

    /// Moves all arcs of the smaller run into the other; both have the same colour. Returns the run that is left.
    Index merge(Index x, Index y) {
        const Index into = runs_[x].size >= runs_[y].size ? x : y, from = into == x ? y : x;
        for (std::size_t s = 0; s < runs_[from].members.size(); ++s) {
            if (runs_[from].members[s] != nothing) add(into, runs_[from].members[s]);
        }
        remove_run(from);
        return into;
    }

    /// If a run has become empty, removes it, and merges those below and above it. Returns a run that is left there.
    Index tidy(Index r) {
        if (runs_[r].size != 0) return r;
        const Index below = runs_[r].below, above = runs_[r].above;
        remove_run(r);
        return below != nothing && above != nothing ? merge(below, above) : below != nothing ? below : above;
    }

    /// Queues the runs from the one below a run to the one above another again.
    void queue_around(Index first, Index last) {
        if (first == nothing) return;
        if (runs_[first].below != nothing) first = runs_[first].below;
        if (runs_[last].above != nothing) last = runs_[last].above;
        for (Index r = first;; r = runs_[r].above) {
            queue(r);
            if (r == last) return;
        }
    }

    // ---- The queue: for each run, when its top or bottom changes, or its top meets the bottom of the next run. ----

    void unqueue(Index r) {
        if (runs_[r].next < never) queue_.erase({runs_[r].next, r});
        runs_[r].next = never;
    }

    void queue(Index r) {
        unqueue(r);
        Run& run = runs_[r];
        double next = std::min(run.highest.next_change(), run.lowest.next_change());
        if (run.above != nothing) next = std::min(next, meets_above(r));
        if (next > pi) return;
        run.next = next;
        queue_.insert({next, r});
    }

    /// Returns when the top of a run passes the bottom of the next one.
    double meets_above(Index r) {
        const Index top = runs_[r].highest.winner(), bottom = runs_[runs_[r].above].lowest.winner();
        if (top == nothing || bottom == nothing) return never;
        ++counts_.purple_tests;
        return passes_at(height(bottom) - height(top), size(height(top)), now_);
    }

    void process_until(double longitude) {
        while (!queue_.empty() && queue_.begin()->first <= longitude) {
            const auto [at, r] = *queue_.begin();
            now_ = Meridian(std::max(now_.longitude, at));
            Run& run = runs_[r];
            run.highest.advance(heights(), now_, counts_.tournament_tests);
            run.lowest.advance(heights(), now_, counts_.tournament_tests);
            if (run.above != nothing) {
                Run& above = runs_[run.above];
                above.highest.advance(heights(), now_, counts_.tournament_tests);
                above.lowest.advance(heights(), now_, counts_.tournament_tests);
                if (meets_above(r) <= now_.longitude) {
                    cross(r);
                    continue;
                }
                queue(run.above);
            }
            queue(r);
            if (run.below != nothing) queue(run.below);
        }
    }

    /// The top of a run crosses the bottom of the next one.
    void cross(Index r) {
        const Index above = runs_[r].above;
        const Index top = runs_[r].highest.winner(), bottom = runs_[above].lowest.winner();
        const Index red = is_blue(top) ? bottom : top, blue = is_blue(top) ? top : bottom;
        report_.cross(red, blue - reds_, now_.longitude);
        const bool blue_top = runs_[r].blue;
        drop(top), drop(bottom);
        // In between, from below: the bottom of the upper run, then the top of the lower one.
        const Index lower = new_run(!blue_top, r);
        add(lower, bottom);
        add(new_run(blue_top, lower), top);
        tidy(r);
        tidy(above);
        queue_around(run_of_[bottom], run_of_[top]);
    }

    // ---- Nodes ----

    std::vector<NodeEvent> node_events() {
        std::vector<NodeEvent> events;
        for (const bool blue : {false, true}) {
            const SweptGraph& g = *graphs_[blue];
            starting_[blue].assign(g.nodes.size(), {});
            ending_[blue].assign(g.nodes.size(), {});
            const Index first = blue ? reds_ : 0;
            for (Index i = 0; i < g.arcs.size(); ++i) {
                starting_[blue][g.arcs[i].west_node].push_back(first + i);
                ending_[blue][g.arcs[i].east_node].push_back(first + i);
            }
            for (Index n = 0; n < g.nodes.size(); ++n) {
                if (!starting_[blue][n].empty() || !ending_[blue][n].empty())
                    events.push_back({g.nodes[n].longitude, n, blue});
            }
        }
        std::sort(events.begin(), events.end(), [](const NodeEvent& x, const NodeEvent& y) {
            return x.longitude != y.longitude ? x.longitude < y.longitude
                   : x.blue != y.blue         ? x.blue < y.blue
                                              : x.node < y.node;
        });
        return events;
    }

    /// Puts the arcs across the first meridian into runs.
    void start() {
        now_ = Meridian(-pi);
        std::vector<Index> across;
        for (Index a = 0; a < run_of_.size(); ++a) {
            if (arc(a).east < arc(a).west) across.push_back(a);
        }
        std::sort(across.begin(), across.end(),
                  [&](Index x, Index y) { return now_.height(height(x)) < now_.height(height(y)); });
        Index last = nothing;
        for (const Index a : across) {
            if (last == nothing || runs_[last].blue != is_blue(a)) last = new_run(is_blue(a), last);
            add(last, a);
        }
        for (Index r = first_run_; r != nothing; r = runs_[r].above) queue(r);
    }

    void pass_node(const NodeEvent& e) {
        const std::vector<Index>&starting = starting_[e.blue][e.node], &ending = ending_[e.blue][e.node];
        if (!starting.empty()) {
            const Index r = ending.empty() ? find_run(e) : run_of_[ending[0]];
            for (const Index a : starting) {
                add(r, a);
                if (report_.end) report_.end(e.blue, e.blue ? a - reds_ : a, true, e.longitude);
            }
            if (ending.empty()) queue_around(r, r);
        }
        Index left = nothing;
        for (const Index a : ending) {
            const Index r = run_of_[a];
            drop(a);
            if (report_.end) report_.end(e.blue, e.blue ? a - reds_ : a, false, e.longitude);
            left = tidy(r);
        }
        queue_around(left, left);
    }

    /// Returns the run of a node where all arcs start: one of its colour, or a new one.
    Index find_run(const NodeEvent& e) {
        ++counts_.searches;
        const double at = graphs_[e.blue]->nodes[e.node].height;
        Index below = nothing;
        for (Index r = first_run_; r != nothing; below = r, r = runs_[r].above) {
            ++counts_.searched_runs;
            Run& run = runs_[r];
            run.highest.advance(heights(), now_, counts_.tournament_tests);
            run.lowest.advance(heights(), now_, counts_.tournament_tests);
            if (now_.height(height(run.highest.winner())) < at) continue;
            if (run.blue == e.blue) return r;
            if (now_.height(height(run.lowest.winner())) < at) return split(r, at, e.blue);
            break;  // between `below` and r
        }
        if (below != nothing && runs_[below].blue == e.blue) return below;
        return new_run(e.blue, below);
    }

    /// Cuts a run at a height, and returns a new run of the other colour between the two parts.
    Index split(Index r, double at, bool blue) {
        ++counts_.splits;
        std::vector<Index> upper;
        for (const Index a : runs_[r].members) {
            if (a != nothing && now_.height(height(a)) >= at) upper.push_back(a);
        }
        for (const Index a : upper) drop(a);
        const Index middle = new_run(blue, r);
        const Index top = new_run(!blue, middle);
        for (const Index a : upper) add(top, a);
        queue(r), queue(top);
        return middle;
    }

    std::array<const SweptGraph*, 2> graphs_;
    const ConnectedSweepReport& report_;
    Index reds_;  ///< arcs are numbered red ones first
    Meridian now_{-pi};
    std::vector<Run> runs_;
    std::vector<Index> free_runs_;
    Index first_run_ = nothing;  ///< the southernmost
    std::vector<Index> run_of_, slot_of_;
    std::array<std::vector<std::vector<Index>>, 2> starting_, ending_;  ///< arcs by node
    std::set<std::pair<double, Index>> queue_;
    ConnectedSweepCounts counts_;
};

}  // namespace

ConnectedSweepCounts connected_sweep(const SweptGraph& red, const SweptGraph& blue,
                                     const ConnectedSweepReport& report) {
    return ConnectedSweep(red, blue, report).run();
}

}  // namespace talus
