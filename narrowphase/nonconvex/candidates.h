#pragma once
/// Internal: from the contacts that an orientation allows (overlay.h) to the edge-face pairs that tell of all of them
/// (Jimenez and Torras 1999, section 3), and to few.
///
/// A vertex that comes to touch a face drags its edges into it: any one of them will do. Two edges that have just
/// crossed pierce both faces of each other: any one of four pairs will do. Before, such a pair is no farther apart than
/// the contact that it stands for. So pairs can be shared: an edge with a face stands for its ends on that face and for
/// all edges around it,
///
///                    g2
///              +-----------+          (e, f) for       v on f
///              |  f    v---+---- e                     e with g1, with g2, with g3, with g4
///           g1 |           | g3       where the orientation allows them
///              +-----------+
///                    g4
///
/// and which pairs to take is a set cover. It is chosen greedily by votes: each contact votes for all pairs that would
/// do for it; vertices then take the pair of most votes, and edges do where none of theirs is taken already. That
/// leaves about two thirds of the pairs that the contacts would take each by itself. Pairs whose edge lies too flat on
/// the face do not stand for election: they would tell late of a contact that goes deeper.

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/overlay.h"

namespace talus {

/// What find_candidates works with; keep it between calls, so that they allocate nothing.
struct CandidateScratch {
    ApplicableContacts contacts;
    OverlayScratch overlay;
    std::array<std::vector<std::uint8_t>, 2> votes;  ///< edges of one x faces of the other
    std::vector<std::uint32_t> start;
    std::vector<EdgeFacePair> unordered;
};

/// The edge-face pairs of what can touch first, with B turned by `rotation` in A's frame, and by less than `slack`
/// (rad) from there. The method makes no difference to the pairs.
void find_candidates(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, CandidateScratch& scratch, EdgeFaceCandidates& out);

}  // namespace talus
