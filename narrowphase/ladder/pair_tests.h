#pragma once
/// Internal: the tests that settle a pair, one per rung of the ladder (collide.h says when each is used).
///
/// Each test ends in one of three ways: it records that the two shapes are separated, it records their contact
/// (contact_outcome.h), or it puts the pair on the list of a later rung.

#include "narrowphase/ladder/collide_call.h"

namespace talus::detail {

/// Settles a pair whose signed distance has a closed form.
void run_closed_form(const CollideCall& call, const PairTest& test);

/// Tries the face that the last EPA found, at its new pose. A bound can prove that no other direction has a smaller
/// depth. In shallow contacts the difference is within the error that the cached axis may have; in 99.9% of those in
/// the scenes `tumble` and `tumble8` no direction has a smaller depth at all. A pair that this does not settle goes on
/// to the axis test.
void try_epa_face(const CollideCall& call, const PairTest& test);

/// Tries the axis of the last test: one support pair gives the signed separation along it. The axis of a shallow
/// contact with a cylinder or cone is followed to where it is now (analytic/rims.h). In the scene `mixed` that settles
/// four fifths of the pairs that would need EPA.
void try_axis(const CollideCall& call, const PairTest& test);

/// Runs GJK, from the cached simplex or from nothing. Boxes are tested by their separating axes before a cold GJK.
/// Overlapping cores are queued for EPA.
void run_gjk(const CollideCall& call, const PairTest& test, Rung rung);

/// Runs EPA on overlapping cores; for boxes, the separating axes instead.
void run_epa(const CollideCall& call, const PairTest& test);

}  // namespace talus::detail
