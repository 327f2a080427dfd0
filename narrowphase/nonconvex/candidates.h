#pragma once
/// Internal: chooses few edge-face pairs that detect all contacts that an orientation allows (overlay.h; Jimenez and
/// Torras 1999, section 3).
///
/// If a vertex comes to touch a face, its edges meet the face, too: a pair of any of them with the face detects the
/// contact. Two edges that have just crossed meet both faces of each other: any one of four pairs detects the contact.
/// Before the contact, such a pair is no farther apart than the features that touch. So one pair can serve several
/// contacts: an edge and a face detect contacts of the edge's ends with that face, and contacts of the edge with all
/// edges around the face,
///
///                    g2
///              +-----------+          (e, f) for       v on f
///              |  f    v---+---- e                     e with g1, with g2, with g3, with g4
///           g1 |           | g3       where the orientation allows them
///              +-----------+
///                    g4
///
/// and the choice of pairs is a set cover. It is made greedily, by votes. Each contact votes for all pairs that detect
/// it. Then each vertex contact takes the pair with most votes, and so does each edge contact of which no pair has been
/// taken yet. That leaves about two thirds of the pairs that the contacts would take each by itself. Pairs whose edge
/// is nearly parallel to the face are left out, because they would detect a deeper contact late.

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/overlay.h"

namespace talus {

/// Memory that find_candidates works in. Keep it between calls, so that they allocate nothing.
struct CandidateScratch {
    ApplicableContacts contacts;
    OverlayScratch overlay;
    std::array<std::vector<std::uint8_t>, 2> votes;  ///< edges of one x faces of the other
    std::vector<std::uint32_t> start;
    std::vector<EdgeFacePair> unordered;
};

/// Finds the edge-face pairs that can touch first if the rotation of B in A's frame differs from `rotation` by less
/// than `slack` (rad). All methods find the same pairs.
void find_candidates(const OrientationGraph& a, const OrientationGraph& b, const glm::dmat3& rotation, double slack,
                     OverlayMethod method, CandidateScratch& scratch, EdgeFaceCandidates& out);

}  // namespace talus
