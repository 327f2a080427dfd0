#pragma once
/// Bolts and nuts whose threads fit into each other: closed surfaces about z, without libm.

#include "samples/scenes/kit/mesh_file.h"

namespace talus::samples {

/// A right-handed thread: a ridge with the profile of a trapezoid winds about a cylinder. At angle 0 the middle of the
/// ridge is at a multiple of the pitch; a thread fits into another one if they are half a pitch apart.
///
///           crest
///            __    top
///           /  \ .
///     _____/    \_____    foot
///           root
///     ---------------> z
struct ScrewThread {
    float root;       ///< radius of the cylinder, m
    float crest;      ///< radius at the top of the ridge, m; smaller than `root`: an internal thread
    float pitch;      ///< rise of the ridge per turn, m
    float foot;       ///< width of the ridge along z at `root`, less than the pitch, m
    float top;        ///< width of the ridge along z at `crest`, m
    int around;       ///< corners per turn, a multiple of 6
    int first, last;  ///< the corners at which the ridge begins and ends; its middle is at z = pitch * corner / around
    float lower,
        upper;  ///< ends of the cylinder along z, m; the ridge ends `pitch - foot / 2` above and `foot / 2` below

    /// The thread of a nut for this one as a bolt's: a ridge of `turns` turns, `radial` and `axial` (m) apart from it.
    ScrewThread fitting(int turns, float radial, float axial) const;
};

/// A threaded shaft on a head with six sides whose corners are at `head_radius`, m.
MeshFile bolt(const ScrewThread& thread, float head_radius, float head_height);

/// A nut with six sides whose corners are at `radius`, m; `thread` is internal.
MeshFile nut(const ScrewThread& thread, float radius);

}  // namespace talus::samples
