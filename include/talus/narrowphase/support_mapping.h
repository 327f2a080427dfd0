#pragma once
/// The open set of convex shapes: any object that can return its farthest point along a direction.
///
/// Beside the named shapes this is the open set (mapping_solid.h makes bodies of it): images under any affine map,
/// Minkowski sums, hulls of collections, point clouds that span no volume, and sets that users write themselves. All of
/// them can be composed (Jovanoski 2008, section 4). Distance, depth, ray casts and shape casts work on all of them:
///
///     auto egg  = affine_image(ShapeSupport(sphere(1.0f)), dmat3(scale), dvec3(0, 2, 0));
///     auto slab = minkowski_sum(PointCloud(corners), ShapeSupport(sphere(0.1f)));     // a rounded hull
///     SeparationResult r = separation(egg, slab);
///
/// **Ownership.** Combinators keep their operands *by value*. A composition is one object without pointers and heap
/// memory; it can be copied, moved and returned, and the compiler can inline it. Only `SupportView`, `CollectionHull`
/// and `PointCloud` refer to memory that they do not own, which must outlive them; they take no temporaries.
///
/// **Bad input** gives the single point at the origin, and `valid()` returns false. Bad input is: a null hull, a
/// negative size, a map with a coefficient that is not finite or beyond 1e12, an empty collection, an empty cloud, and
/// a cloud with a point that is not finite.

#include <talus/narrowphase/separation.h>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <concepts>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace talus {

using glm::dmat3;
using glm::dvec3;

/// A convex set, given by its support mapping. In double, so that compositions do not lose precision.
class SupportMapping {
public:
    virtual ~SupportMapping() = default;

    /// Returns a point of the set that is farthest along `direction` (any length except zero). A query that gets a
    /// coordinate that is not finite reports bad input.
    virtual dvec3 support(const dvec3& direction) const = 0;

    /// Returns true if there are only finitely many support points: then distance and depth are exact, not to a
    /// tolerance.
    virtual bool is_polytope() const { return false; }
};

/// A class derived from SupportMapping.
template <class T>
concept Mapping = std::derived_from<T, SupportMapping>;

/// Returns the signed distance between two convex sets in one frame, as `separation` of shapes does, without a cache.
SeparationResult separation(const SupportMapping& a, const SupportMapping& b,
                            float max_separation = std::numeric_limits<float>::infinity());

namespace detail {
/// Finite, and small enough that compositions of them stay finite.
bool is_usable(const dmat3& linear, const dvec3& offset);
}  // namespace detail

/// A Shape in its own frame, radius included: the exact primitives of section 4.1. Hulls are searched in double.
class ShapeSupport final : public SupportMapping {
public:
    explicit ShapeSupport(Shape shape);  ///< keeps a copy of the shape

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override;
    const Shape& shape() const { return shape_; }  ///< a sphere of radius 0 if not valid
    bool valid() const { return valid_; }  ///< false: the shape had no hull, or a size was negative or not finite

private:
    Shape shape_;
    bool valid_;
};

/// The convex hull of a set of points, which need not span a volume, nor be distinct: one point, a line, a polygon, a
/// cloud (section 4.1). Refers to the caller's points. The search is linear, and ties go to the lowest index. For solid
/// clouds of more than a few dozen points a `Hull` is faster.
class PointCloud final : public SupportMapping {
public:
    explicit PointCloud(std::span<const vec3> points);  ///< the points must outlive the cloud, m
    explicit PointCloud(std::vector<vec3>&&) = delete;  // the vector would be gone before the cloud is used

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override { return true; }
    bool valid() const { return !points_.empty(); }  ///< false: there were no points, or one was not finite

private:
    std::span<const vec3> points_;
};

/// A reference to another mapping: for operands that are large, or known by their base class only.
class SupportView final : public SupportMapping {
public:
    explicit SupportView(const SupportMapping& of) : of_(&of) {}  ///< `of` must outlive the view
    explicit SupportView(const SupportMapping&&) = delete;

    dvec3 support(const dvec3& direction) const override { return of_->support(direction); }
    bool is_polytope() const override { return of_->is_polytope(); }

private:
    const SupportMapping* of_;
};

/// The image of a set A under the affine map T(x) = linear x + offset: s(v) = T(s_A(linear^T v)) (section 4.2, Theorem
/// 2). `linear` is any 3x3 matrix. It may mirror or shear. A singular matrix flattens A onto a plane, a line or a
/// point.
template <Mapping M>
class AffineImage final : public SupportMapping {
public:
    /// The image of `of`; the offset is in m.
    AffineImage(M of, const dmat3& linear, const dvec3& offset)
        : of_(std::move(of)), valid_(detail::is_usable(linear, offset)) {
        if (!valid_) return;
        linear_ = linear;
        offset_ = offset;
    }

    dvec3 support(const dvec3& v) const override {
        dvec3 inner(glm::dot(linear_[0], v), glm::dot(linear_[1], v), glm::dot(linear_[2], v));
        // The image is flat across v, so all its points are equally far along v and any of them will do.
        if (inner == dvec3(0.0)) inner.y = 1.0;
        return linear_ * of_.support(inner) + offset_;
    }
    bool is_polytope() const override { return of_.is_polytope() || linear_ == dmat3(0.0); }
    bool valid() const { return valid_; }  ///< false: a coefficient of the map was not finite or beyond 1e12

private:
    M of_;
    dmat3 linear_{0.0};
    dvec3 offset_{0.0};
    bool valid_;
};

/// The Minkowski sum A + B, all sums of a point of A and a point of B: s(v) = s_A(v) + s_B(v) (section 4.3).
template <Mapping A, Mapping B>
class MinkowskiSum final : public SupportMapping {
public:
    MinkowskiSum(A a, B b) : a_(std::move(a)), b_(std::move(b)) {}  ///< the sum of a and b

    dvec3 support(const dvec3& v) const override { return a_.support(v) + b_.support(v); }
    bool is_polytope() const override { return a_.is_polytope() && b_.is_polytope(); }

private:
    A a_;
    B b_;
};

/// The set -A, which is A mirrored in the origin: s(v) = -s_A(-v) (section 4.3).
template <Mapping M>
class MirrorImage final : public SupportMapping {
public:
    explicit MirrorImage(M of) : of_(std::move(of)) {}  ///< the mirror image of `of`

    dvec3 support(const dvec3& v) const override { return -of_.support(-v); }
    bool is_polytope() const override { return of_.is_polytope(); }

private:
    M of_;
};

/// The volume that a set A sweeps while it moves by `motion`. A point is farthest along v either at its start or at its
/// end, and the sign of v . motion says which (Ericson, "The GJK algorithm", section 4, after Xavier 1997).
template <Mapping M>
class SweptSupport final : public SupportMapping {
public:
    /// The volume that `of` sweeps while it moves by `motion` (m).
    SweptSupport(M of, const dvec3& motion) : of_(std::move(of)), valid_(detail::is_usable(dmat3(0.0), motion)) {
        if (valid_) motion_ = motion;
    }

    dvec3 support(const dvec3& v) const override {
        const dvec3 at_start = of_.support(v);
        return glm::dot(v, motion_) > 0.0 ? at_start + motion_ : at_start;
    }
    bool is_polytope() const override { return of_.is_polytope(); }
    bool valid() const { return valid_; }  ///< false: the motion was not finite or beyond 1e12; it counts as zero

private:
    M of_;
    dvec3 motion_{0.0};
    bool valid_;
};

/// The convex hull of the union of several sets that are known at compile time. Its support point is the farthest of
/// their support points (section 4.4); ties go to the first set.
template <Mapping... Ms>
requires(sizeof...(Ms) > 0) class UnionHull final : public SupportMapping {
public:
    explicit UnionHull(Ms... of) : of_(std::move(of)...) {}  ///< the hull of all these sets

    dvec3 support(const dvec3& v) const override {
        dvec3 best = std::get<0>(of_).support(v);
        double most = glm::dot(v, best);
        const auto offer = [&](const dvec3& p) {
            const double along = glm::dot(v, p);
            if (along > most) {
                most = along;
                best = p;
            }
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (offer(std::get<I + 1>(of_).support(v)), ...); }
        (std::make_index_sequence<sizeof...(Ms) - 1>());
        return best;
    }
    bool is_polytope() const override {
        return std::apply([](const Ms&... m) { return (m.is_polytope() && ...); }, of_);
    }

private:
    std::tuple<Ms...> of_;
};

/// The convex hull of the union of any number of sets, which it does not own.
class CollectionHull final : public SupportMapping {
public:
    /// The hull of these sets. The pointers and the sets must outlive it; null pointers are ignored.
    explicit CollectionHull(std::span<const SupportMapping* const> of);
    explicit CollectionHull(std::vector<const SupportMapping*>&&) = delete;

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override;
    bool valid() const { return valid_; }  ///< false: there were no sets

private:
    std::span<const SupportMapping* const> of_;
    bool valid_ = false;
};

// Functions that make the combinators above and deduce their types. (With deduction by the constructors,
// `MirrorImage(MirrorImage(m))` would be a copy.)

/// Returns the image of `of` under the map linear x + offset.
template <Mapping M>
AffineImage<M> affine_image(M of, const dmat3& linear, const dvec3& offset = dvec3(0.0)) {
    return AffineImage<M>(std::move(of), linear, offset);
}

/// Returns the set `of` at a pose, whose matrix is used as it is.
template <Mapping M>
AffineImage<M> posed(M of, const MatrixTransform& pose) {
    return AffineImage<M>(std::move(of), dmat3(pose.rotation), dvec3(pose.position));
}

/// Returns the Minkowski sum of a and b.
template <Mapping A, Mapping B>
MinkowskiSum<A, B> minkowski_sum(A a, B b) {
    return MinkowskiSum<A, B>(std::move(a), std::move(b));
}

/// Returns the set `of`, mirrored in the origin.
template <Mapping M>
MirrorImage<M> mirror_image(M of) {
    return MirrorImage<M>(std::move(of));
}

/// Returns the volume that `of` sweeps while it moves by `motion` (m).
template <Mapping M>
SweptSupport<M> swept(M of, const dvec3& motion) {
    return SweptSupport<M>(std::move(of), motion);
}

/// Returns the convex hull of the union of these sets.
template <Mapping... Ms>
UnionHull<Ms...> hull_of(Ms... of) {
    return UnionHull<Ms...>(std::move(of)...);
}

}  // namespace talus
