#pragma once
/// Seeded pairs of kinds that geometry code often fails on: every family of shapes (`Family`) in every relative
/// position (`Meeting`), over all kinds of shapes. Affine images of polytopes are among the hulls.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/oracle.h"

#include <vector>

namespace talus::test {

enum class Family : std::uint8_t {
    plain,       ///< sizes 0.1 to 10 m, ratios to 1:4
    slender,     ///< needles and plates, aspect ratios to 1:10,000
    unequal,     ///< size ratios to 1:100,000
    scaled,      ///< plain pairs of 1 mm or of 1 km
    far_poses,   ///< plain pairs 10 km from the world's origin, posed by the engine's relative()
    far_points,  ///< hulls, triangles and segments whose own points are up to 10 km from their own origin
};
inline constexpr int family_count = 6;
inline constexpr const char* family_names[family_count] = {"plain",  "slender",   "unequal",
                                                           "scaled", "far poses", "far points"};

enum class Meeting : std::uint8_t {
    loose,       ///< turned and placed at random, apart or overlapping
    faces,       ///< a face of each parallel to the other's: apart, touching, or overlapping, by down to 1e-8 sizes
    edges,       ///< the same with an edge of each, parallel or crossing
    vertices,    ///< the same with a vertex of each on one line
    concentric,  ///< centres on each other, or nearly
    contained,   ///< one's centre inside of the other
};
inline constexpr int meeting_count = 6;
inline constexpr const char* meeting_names[meeting_count] = {"loose",    "faces",      "edges",
                                                             "vertices", "concentric", "contained"};

struct Piece {
    Shape shape;
    oracle::Solid solid;
};

/// A pair, its pose, and one small motion (a hundredth of the smaller size and half a degree, at most) further on.
struct AdversarialPair {
    Piece a, b;
    MatrixTransform frame, nudged;
};

class PairSource {
public:
    explicit PairSource(std::uint64_t seed);

    AdversarialPair next(Family family, Meeting meeting, ShapeType type_a, ShapeType type_b);

private:
    Piece make(Family family, ShapeType type, double size);
    Piece from_pool(Family family, double size);
    glm::dmat3 rotation();
    glm::dvec3 direction(const oracle::Solid& solid, Meeting meeting);
    MatrixTransform pose(Family family, const glm::dvec3& position, const glm::dmat3& rotation);

    Random random_;
    std::vector<Piece> plain_, slender_;  ///< hulls of size 1, built once; scaled ones are made of their vertices
};

}  // namespace talus::test
