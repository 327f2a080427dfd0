#include "narrowphase/nonconvex/candidates.h"

#include <algorithm>
#include <span>

namespace talus {

namespace {

using glm::dvec3;
using Index = std::uint32_t;

/// A pair can detect a contact if the cosine between its edge and the face's normal is at least this fraction of the
/// best pair's.
constexpr double upright_enough = 0.5;

/// The largest table of votes, in bytes. A larger one costs more than the tests that it saves; then each contact takes
/// its best pair.
constexpr std::size_t most_votes = std::size_t(1) << 21;

/// Votes of a pair, and whether it has been taken: by a vertex contact, or by an edge contact.
constexpr std::uint8_t vote_mask = 0x3f, by_vertex = 0x80, by_edges = 0x40;

/// Pairs of one kind: edges of one polyhedron with faces of the other.
class Ballot {
public:
    Ballot(const OrientationGraph& edges, const OrientationGraph& faces, bool vote, std::vector<std::uint8_t>& votes,
           std::vector<EdgeFacePair>& out)
        : faces_(faces.nodes.size()), votes_(votes), out_(out) {
        votes_.assign(vote ? edges.edges * faces_ : 0, 0);
        out_.clear();
    }

    void vote(const EdgeFacePair& p) {
        std::uint8_t& v = at(p);
        v = static_cast<std::uint8_t>(v + ((v & vote_mask) < vote_mask));
    }
    int votes(const EdgeFacePair& p) { return votes_.empty() ? 0 : at(p) & vote_mask; }
    bool taken_by_vertex(const EdgeFacePair& p) { return !votes_.empty() && (at(p) & by_vertex); }

    void take(const EdgeFacePair& p, std::uint8_t by) {
        if (!votes_.empty()) {
            std::uint8_t& v = at(p);
            const bool taken = v & (by_vertex | by_edges);
            v |= by;
            if (taken) return;
        }
        out_.push_back(p);
    }

private:
    std::uint8_t& at(const EdgeFacePair& p) { return votes_[p.edge * faces_ + p.face]; }

    std::size_t faces_;
    std::vector<std::uint8_t>& votes_;
    std::vector<EdgeFacePair>& out_;
};

/// A pair that detects a contact.
struct Detection {
    Ballot* ballot;
    EdgeFacePair pair;
    double upright;
};

class CandidateChooser {
public:
    CandidateChooser(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, bool vote,
                     CandidateScratch& scratch, EdgeFaceCandidates& out)
        : a_(a),
          b_(b),
          rotation_(rotation),
          contacts_(scratch.contacts),
          a_edges_(a, b, vote, scratch.votes[0], out.a_edges),
          b_edges_(b, a, vote, scratch.votes[1], out.b_edges) {}

    void vote() {
        each_vertex([&](std::span<const Detection> detections) { vote_for(detections); });
        each_edge_pair([&](std::span<const Detection> detections) { vote_for(detections); });
    }

    void take() {
        each_vertex([&](std::span<const Detection> detections) { take_best(detections, by_vertex); });
        each_edge_pair([&](std::span<const Detection> detections) {
            for (const Detection& c : detections) {
                if (c.ballot->taken_by_vertex(c.pair)) return;
            }
            take_best(detections, by_edges);
        });
    }

private:
    /// Drops the pairs whose edge is too nearly parallel to the face, compared with the best. There must be at least
    /// one.
    static std::span<Detection> upright_ones(std::span<Detection> detections) {
        double most = detections[0].upright;
        for (const Detection& c : detections) most = std::max(most, c.upright);
        const double enough = most - (1.0 - upright_enough) * std::abs(most);
        std::size_t n = 0;
        for (const Detection& c : detections) {
            if (c.upright >= enough) detections[n++] = c;
        }
        return detections.first(n);
    }

    static void vote_for(std::span<const Detection> detections) {
        for (const Detection& c : detections) c.ballot->vote(c.pair);
    }

    static void take_best(std::span<const Detection> detections, std::uint8_t by) {
        const Detection* best = &detections[0];
        int most = best->ballot->votes(best->pair);
        for (const Detection& c : detections.subspan(1)) {
            const int votes = c.ballot->votes(c.pair);
            if (votes > most || (votes == most && c.upright > best->upright)) best = &c, most = votes;
        }
        best->ballot->take(best->pair, by);
    }

    template <class Do>
    void each_vertex(Do&& act) {
        for (const VertexOnFace& c : contacts_.a_vertices) {
            act(vertex_detections(a_, c, -(rotation_ * b_.nodes[c.face]), a_edges_));
        }
        const glm::dmat3 inverse = glm::transpose(rotation_);
        for (const VertexOnFace& c : contacts_.b_vertices) {
            act(vertex_detections(b_, c, -(inverse * a_.nodes[c.face]), b_edges_));
        }
    }

    std::span<Detection> vertex_detections(const OrientationGraph& graph, const VertexOnFace& c, const dvec3& into_face,
                                           Ballot& ballot) {
        const OrientationRegion& r = graph.regions[c.region];
        detections_.clear();
        for (Index k = r.first; k < r.first + r.count; ++k) {
            detections_.push_back({&ballot, {graph.edge_of[k], c.face}, -glm::dot(graph.directions[k], into_face)});
        }
        return upright_ones(detections_);
    }

    template <class Do>
    void each_edge_pair(Do&& act) {
        for (const EdgeOnEdge& c : contacts_.edges) {
            const OrientationArc &a = a_.arcs[c.arc_a], &b = b_.arcs[c.arc_b];
            Detection detections[] = {{&a_edges_, {a.edge, b.faces[0]}, double(c.upright[0])},
                                      {&a_edges_, {a.edge, b.faces[1]}, double(c.upright[1])},
                                      {&b_edges_, {b.edge, a.faces[0]}, double(c.upright[2])},
                                      {&b_edges_, {b.edge, a.faces[1]}, double(c.upright[3])}};
            act(upright_ones(detections));
        }
    }

    const OrientationGraph &a_, &b_;
    const glm::dmat3& rotation_;
    const ApplicableContacts& contacts_;
    Ballot a_edges_, b_edges_;
    std::vector<Detection> detections_;  ///< of a vertex
};

/// Sorts the pairs by edges, and keeps each once.
void order(std::vector<EdgeFacePair>& pairs, std::size_t edges, bool distinct, CandidateScratch& scratch) {
    if (!distinct) {
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        return;
    }
    std::vector<std::uint32_t>& start = scratch.start;
    start.assign(edges + 1, 0);
    for (const EdgeFacePair& p : pairs) ++start[p.edge + 1];
    for (std::size_t e = 0; e < edges; ++e) start[e + 1] += start[e];
    scratch.unordered = pairs;
    for (const EdgeFacePair& p : scratch.unordered) pairs[start[p.edge]++] = p;
}

}  // namespace

void find_candidates(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, CandidateScratch& scratch, EdgeFaceCandidates& out) {
    find_applicable(a, b, rotation, slack, method, scratch.overlay, scratch.contacts);
    const bool vote = std::max(a.edges * b.nodes.size(), b.edges * a.nodes.size()) <= most_votes;
    CandidateChooser chooser(a, b, rotation, vote, scratch, out);
    if (vote) chooser.vote();
    chooser.take();
    order(out.a_edges, a.edges, vote, scratch);
    order(out.b_edges, b.edges, vote, scratch);
}

}  // namespace talus
