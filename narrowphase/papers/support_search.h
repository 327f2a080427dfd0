#pragma once
/// Internal: the support searches of gjk_variants.h on one polytope.

#include <talus/narrowphase/gjk_variants.h>

#include <span>

namespace talus::papers {

using glm::dvec3;

inline double along(const dvec3& direction, const vec3& p) {
    return direction.x * double(p.x) + direction.y * double(p.y) + direction.z * double(p.z);
}

class SupportSearch {
public:
    /// `last` is the vertex to start climbing from; `stored` (SupportMethod::neighbours) the last call's supporting
    /// vertices. Numbers out of range count as 0.
    SupportSearch(const PolytopeGraph& graph, SupportMethod method, std::uint16_t last,
                  std::span<const std::uint16_t> stored);

    /// Returns the vertex farthest along `direction` (not zero, in the polytope's frame).
    std::uint16_t operator()(const dvec3& direction);

    std::uint16_t last() const { return last_; }
    int searches() const { return searches_; }
    int dot_products() const { return dot_products_; }

private:
    std::uint16_t scan(const dvec3& direction);
    /// Climbs from `from`, whose dot product is `most`; also along the artificial neighbours if `artificial`.
    std::uint16_t climb(const dvec3& direction, std::uint16_t from, double most, bool artificial);
    std::uint16_t from_stored(const dvec3& direction);

    const PolytopeGraph& graph_;
    SupportMethod method_;
    std::uint16_t last_;
    /// The stored vertices, then their neighbours, each once.
    std::uint16_t candidates_[64];
    int candidate_count_ = 0;
    int stored_count_ = 0;  ///< also 0 if the array has no room for all neighbours
    int searches_ = 0;
    int dot_products_ = 0;
};

}  // namespace talus::papers
