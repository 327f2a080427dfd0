#pragma once
/// Two polyhedra that move without rotation: everything that depends on their orientation alone is computed once (the
/// preprocessing of Jimenez and Torras 1999, section 5, which they do once and do not count).
///
/// An edge and a face meet if the displacement between the two polyhedra lies in a prism: the face, extruded along the
/// edge. It lies within three pairs of parallel planes. One is parallel to the face, the others are parallel to the
/// edge. A query compares the displacement with these planes for eight pairs at a time, in float and rounded outward.
/// Pairs for which it lies between all of them are compared with the planes through the edges of the face, too; only
/// those that are left are tested exactly.

#include <talus/narrowphase/nonconvex/interference.h>

#include <array>
#include <vector>

namespace talus {

/// Tells whether two shapes touch as they move without rotation.
class TranslatingPair {
public:
    /// Keeps references, so the shapes must outlive it.
    TranslatingPair(const NonconvexShape& a, const NonconvexShape& b) : a_(a), b_(b) {}

    /// Finds the pairs of edges and faces that can touch first at the relative orientation of two poses, and prepares
    /// them. Returns false if a shape is not made by make_nonconvex or a pose is not finite.
    bool prepare(const Transform& pose_a, const Transform& pose_b);
    /// The same with these pairs, which may be any: `test` tells whether one of them meets. Returns false, too, if one
    /// does not exist.
    bool prepare(const Transform& pose_a, const Transform& pose_b, const EdgeFaceCandidates& pairs);

    /// Returns disjoint or boundaries_meet for A and B at these positions of their frames, with the rotations that were
    /// prepared. After the first `prepare` it returns the same as first_contact. bad_input if nothing is prepared or a
    /// position is not finite.
    InterferenceResult test(const vec3& position_a, const vec3& position_b) const;

    std::size_t size() const { return pairs_.size(); }  ///< pairs that are prepared

private:
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t slabs = 3;
    /// Three intervals for each of eight pairs: low <= axis . displacement <= high.
    struct alignas(16) Block {
        float axis[slabs][3][lanes];
        float low[slabs][lanes], high[slabs][lanes];
    };
    /// Boxes around the prisms of each of eight blocks.
    struct alignas(16) Boxes {
        float low[3][lanes], high[3][lanes];
    };
    /// low <= axis . displacement <= high.
    struct Slab {
        vec3 axis;
        float low, high;
    };
    /// A pair; the edge is A's or B's.
    struct Pair {
        EdgeFacePair pair;
        bool edge_of_a;
        std::uint32_t first_side, sides;  ///< into sides_
    };

    bool start(const Transform& pose_a, const Transform& pose_b);
    struct Prepared;
    Prepared prepare_pair(const EdgeFacePair& pair, bool edge_of_a,
                          const std::array<std::vector<glm::dvec3>, 2>& points) const;
    void add_blocks(const EdgeFaceCandidates& pairs);
    void fill_blocks(const std::vector<Prepared>& prepared);
    bool meets_in_blocks(std::size_t first, std::size_t last, const vec3& displacement,
                         const glm::dvec3& position) const;
    bool meets(const Pair& pair, const vec3& displacement, const glm::dvec3& position) const;

    const NonconvexShape &a_, &b_;
    bool ready_ = false;
    glm::dmat3 to_a_{1.0};      ///< from the world's axes to A's
    glm::dmat3 rotation_{1.0};  ///< of B in A's frame
    double band_ = 0.0;         ///< m
    std::vector<Pair> pairs_;   ///< in the order of the blocks
    std::vector<Slab> sides_;   ///< parallel to the edge of a pair and to an edge of its face
    std::vector<Block> blocks_;
    std::vector<Boxes> boxes_;
    ContactScratch scratch_;
};

}  // namespace talus
