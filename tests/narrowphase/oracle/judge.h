#pragma once
/// Compares one result of `separation` with the oracle's, describes what is wrong with it, and prints code that
/// reproduces it.

#include "tests/narrowphase/oracle/oracle.h"

#include <talus/narrowphase/separation.h>

#include <string>

namespace talus::test {

/// The errors that Talus allows, in bounding radii of the smaller shape (its core's centre to its farthest surface
/// point).
inline constexpr double separation_tolerance = 1e-4;
/// If the cores are apart, the best normal is unique, and Talus's normal may differ from it by this angle (rad). Beside
/// a curved surface GJK stops at a relative gap of 1e-6, which bounds the angle to sqrt(2e-6).
inline constexpr double normal_tolerance = 1e-3, curved_normal_tolerance = 2e-3;
/// This holds for cores at least this far apart (radii). For nearer and overlapping cores, the separation along Talus's
/// normal is compared with the best.
inline constexpr double normal_distance = 1e-3;

struct Verdict {
    std::string complaint;       ///< empty: nothing wrong
    double error = 0.0;          ///< |separation - truth|, in radii of the smaller shape
    double normal_loss = 0.0;    ///< best s minus s of Talus's normal, same unit
    double angle = 0.0;          ///< between the normals where the cores are apart, else 0, rad
    double witness_error = 0.0;  ///< largest of the witness points' errors, same unit
};

/// `truth` is the oracle's answer for this pair and pose, to `truth.error`.
Verdict judge(const oracle::Solid& a, const oracle::Solid& b, const oracle::Pose& pose,
              const oracle::SignedDistance& truth, const SeparationResult& answer);

/// C++ that builds the pair and its pose again, floats in hex: paste it into a test.
std::string reproduce(const Shape& a, const Shape& b, const MatrixTransform& b_in_a);

}  // namespace talus::test
