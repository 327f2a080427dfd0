#pragma once
/// Checks results of `separation` without a search, by two simple bounds, for runs of millions of pairs.
///
///     s(n) of the answer's own normal        <=  truth  <=        distance of its two witness points
///     (the support plane proves it)                               (they are points of the shapes)
///
/// If the cores are apart, a result within the tolerance of both bounds is proved right. For cores that overlap there
/// is no such upper bound: only a search (`rival`) can prove that no other direction has a smaller depth. The tolerance
/// is a ten-thousandth of the smaller shape, or the precision of float coordinates.

#include "tests/narrowphase/oracle/oracle.h"

#include <talus/narrowphase/separation.h>

#include <string>

namespace talus::test {

/// Largest |coordinate| of either shape in A's frame, radii included, m.
double largest_coordinate(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose);

/// Allowed error of distance and depth, m: max(1e-4 of the smaller shape's bounding radius, 16 * 2^-24 of the largest
/// coordinate in the pair's frame).
double allowed_error(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose);

/// Whether the cores overlap, so that `separation` is a depth: EPA's, or that of an ellipsoid, which the oracle takes as
/// a core without a radius.
bool cores_overlap(const oracle::Solid& a, const oracle::Solid& b, const SeparationResult& answer);

struct Proof {
    std::string complaint;          ///< empty: nothing is wrong as far as the bounds can tell
    std::string witness_complaint;  ///< the same for the witness points alone
    bool proved = false;            ///< the answer lies between two bounds less than the allowed error apart
    double error = 0.0;             ///< of the separation against its own bounds, m
};

/// Checks numbers, normal, witness points and both bounds of a result computed without a limit.
Proof prove(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose, const SeparationResult& answer,
            double allowed);

/// For overlapping cores: a direction, if one is found, along which the shapes are farther apart (or less deep) than
/// `bound` by more than `allowed`. Exhaustive over features for polytopes of few vertices, branch and bound for curved
/// cores; `separation` of the result is that direction's.
struct Rival {
    bool found = false;
    bool searched_all = true;  ///< false: the search gave up before it had proved that there is none
    oracle::SignedDistance best;
};
Rival rival(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose, double bound, double allowed);

}  // namespace talus::test
