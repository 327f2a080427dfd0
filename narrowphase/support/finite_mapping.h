#pragma once
/// Internal: a user's support mapping, watched for numbers that are not finite.
///
/// A NaN would pass through GJK and come out as a distance or as a hit. Queries on mappings therefore search this
/// wrapper, and ask it at the end. It costs a virtual call and a comparison per support point.

#include <talus/narrowphase/support_mapping.h>

#include <cmath>

namespace talus::detail {

class FiniteMapping final : public SupportMapping {
public:
    explicit FiniteMapping(const SupportMapping& of) : of_(of) {}  ///< `of` must outlive it

    /// Returns the mapping's point, or the origin if a coordinate is not finite.
    dvec3 support(const dvec3& direction) const override {
        const dvec3 p = of_.support(direction);
        if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) [[likely]]
            return p;
        valid_ = false;
        return dvec3(0.0);
    }
    bool is_polytope() const override { return of_.is_polytope(); }

    /// Returns whether all points so far were finite.
    bool is_valid() const { return valid_; }

private:
    const SupportMapping& of_;
    mutable bool valid_ = true;
};

}  // namespace talus::detail
