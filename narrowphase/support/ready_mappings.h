#pragma once
/// Internal: the cores of the library's own mapping solids (mapping_solid.h).

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/support_mapping.h>

namespace talus::detail {

/// Returns x to the power of y for x >= 0, to 1e-14 of the result, without libm. 0 to a power > 0 is 0.
double power(double x, double y);

/// An ellipsoid around the origin without the ball of radius `inset` that is swept around it. The ball must fit inside
/// the surface everywhere: then the shrunken set is convex, and its sum with the ball is the ellipsoid exactly.
class EllipsoidCore final : public SupportMapping {
public:
    EllipsoidCore(const dvec3& radii, double inset) : squares_(radii * radii), inset_(inset) {}
    dvec3 support(const dvec3& d) const override;

private:
    dvec3 squares_;
    double inset_;
};

/// See `superellipsoid`. Its support point is the gradient of the dual norm, whose exponents are conjugate to those of
/// the surface: 1/r + 1/r' = 1.
class SuperellipsoidCore final : public SupportMapping {
public:
    SuperellipsoidCore(const dvec3& radii, double around, double along);
    dvec3 support(const dvec3& d) const override;

private:
    /// The farthest point of |u|^e + |v|^e <= 1 along (u, v) >= 0, and its height.
    struct Corner {
        double u, v, height;
    };
    static Corner corner(double u, double v, double exponent);

    dvec3 radii_;
    double around_, along_;
};

/// The sum of the cores of two shapes; their radii are those of the solid.
class SumCore final : public SupportMapping {
public:
    SumCore(const Shape& a, const Shape& b);
    dvec3 support(const dvec3& d) const override { return a_.support(d) + b_.support(d); }
    bool is_polytope() const override { return a_.is_polytope() && b_.is_polytope(); }

private:
    ShapeSupport a_, b_;
};

/// A user's mapping, kept alive, and watched during the steps: a point that is not finite, or outside `reach` of the
/// origin, is replaced by `inside`.
class GuardedMapping final : public SupportMapping {
public:
    GuardedMapping(std::shared_ptr<const SupportMapping> of, double reach, const dvec3& inside)
        : of_(std::move(of)), reach2_(reach * reach), inside_(inside), is_polytope_(of_->is_polytope()) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 p = of_->support(d);
        return glm::dot(p, p) <= reach2_ ? p : inside_;
    }
    bool is_polytope() const override { return is_polytope_; }
    const std::shared_ptr<const SupportMapping>& of() const { return of_; }

private:
    std::shared_ptr<const SupportMapping> of_;
    double reach2_;
    dvec3 inside_;
    bool is_polytope_;
};

}  // namespace talus::detail
