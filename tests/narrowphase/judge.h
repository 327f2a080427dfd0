#pragma once
/// Holds one answer of `separation` against the oracle, and says in words what is wrong with it and how to get it again.

#include "tests/narrowphase/oracle.h"

#include <talus/narrowphase/epa.h>

#include <string>

namespace talus::test {

/// What Talus promises, in bounding radii of the smaller shape (its core's centre to its farthest surface point).
inline constexpr double separation_tolerance = 1e-4;
/// A normal that loses more than this many radii of separation against the best one ...
inline constexpr double tied_normal_loss = 1e-5;
/// ... must point where the best one points, to this angle (rad), unless the oracle met a rival elsewhere that is as good.
inline constexpr double normal_tolerance = 1e-3;

struct Verdict {
    std::string complaint;       ///< empty: nothing wrong
    double error = 0.0;          ///< |separation - truth|, in radii of the smaller shape
    double normal_loss = 0.0;    ///< best s minus s of Talus's normal, same unit
    double angle = 0.0;          ///< between the normals where the best is unique, else 0, rad
    double witness_error = 0.0;  ///< largest of the witness points' errors, same unit
};

/// `truth` is the oracle's answer for this pair and pose, to `truth.error`.
Verdict judge(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose, const oracle::SignedDistance& truth,
              const SeparationResult& answer);

/// C++ that builds the pair and its pose again, floats in hex: paste it into a test.
std::string reproduce(const Shape& a, const Shape& b, const Frame& b_in_a);

}  // namespace talus::test
