#pragma once
/// The open set of convex shapes: anything that can say which of its points is farthest along a direction.
///
/// /// `Shape` is the closed set that bodies are made of. This is the open set: images under any affine map, Minkowski
/// sums, hulls of collections, point clouds that span no volume, and sets that users write themselves. All of them can
/// be composed (Jovanoski 2008, section 4). Distance, depth, ray casts and shape casts work on all of them:
///
///     auto egg  = affine_image(ShapeSupport(sphere(1.0f)), dmat3(scale), dvec3(0, 2, 0));
///     auto slab = minkowski_sum(PointCloud(corners), ShapeSupport(sphere(0.1f)));     // a rounded hull
///     SeparationResult r = separation(egg, slab);
///
/// **Who owns what.** Combinators keep their operands *by value*: a composition is one object without pointers and
/// without heap, that can be copied, moved and returned, and that the compiler can see through. Only `SupportView`,
/// `CollectionHull` and `PointCloud` refer to memory that they do not own, which must outlive them; they take no
/// temporaries.
///
/// **Bad input** has an answer: a null hull, a negative size, a map with a coefficient that is not finite (or beyond
/// 1e12), an empty collection, an empty cloud, a cloud with a point that is not finite, is the single point at the
/// origin, and `valid()` says false.

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

    /// A point of the set that is farthest along `direction` (any length but zero).
    virtual dvec3 support(const dvec3& direction) const = 0;

    /// True when every support point is one of finitely many: then distance and depth are exact, not to a tolerance.
    virtual bool is_polytope() const { return false; }
};

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
    explicit ShapeSupport(Shape shape);

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override;
    const Shape& shape() const { return shape_; }  ///< a sphere of radius 0 if not valid
    bool valid() const { return valid_; }

private:
    Shape shape_;
    bool valid_;
};

/// The convex hull of a set of points, which need not span a volume, nor be distinct: one point, a line, a polygon, a
/// cloud (section 4.1). Looks at the caller's points; a linear search, ties to the lowest index. For solid clouds of
/// more than a few dozen points a `Hull` is faster.
class PointCloud final : public SupportMapping {
public:
    explicit PointCloud(std::span<const vec3> points);
    explicit PointCloud(std::vector<vec3>&&) = delete;  // would be gone before it is asked

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override { return true; }
    bool valid() const { return !points_.empty(); }

private:
    std::span<const vec3> points_;
};

/// A reference to another mapping: for operands that are large, or known by their base class only.
class SupportView final : public SupportMapping {
public:
    explicit SupportView(const SupportMapping& of) : of_(&of) {}
    explicit SupportView(const SupportMapping&&) = delete;

    dvec3 support(const dvec3& direction) const override { return of_->support(direction); }
    bool is_polytope() const override { return of_->is_polytope(); }

private:
    const SupportMapping* of_;
};

/// T(A) for T(x) = linear x + offset: s(v) = T(s_A(linear^T v)) (section 4.2, Theorem 2). `linear` is any 3x3 matrix:
/// mirrored, sheared, or singular, which flattens A onto a plane, a line or a point.
template <Mapping M>
class AffineImage final : public SupportMapping {
public:
    AffineImage(M of, const dmat3& linear, const dvec3& offset)
        : of_(std::move(of)), valid_(detail::is_usable(linear, offset)) {
        if (!valid_) return;
        linear_ = linear;
        offset_ = offset;
    }

    dvec3 support(const dvec3& v) const override {
        dvec3 inner(glm::dot(linear_[0], v), glm::dot(linear_[1], v), glm::dot(linear_[2], v));
        // Across a flattened image all of A is equally far, so that any point will do.
        if (inner == dvec3(0.0)) inner.y = 1.0;
        return linear_ * of_.support(inner) + offset_;
    }
    bool is_polytope() const override { return of_.is_polytope() || linear_ == dmat3(0.0); }
    bool valid() const { return valid_; }

private:
    M of_;
    dmat3 linear_{0.0};
    dvec3 offset_{0.0};
    bool valid_;
};

/// A + B, all sums of a point of A and a point of B: s(v) = s_A(v) + s_B(v) (section 4.3).
template <Mapping A, Mapping B>
class MinkowskiSum final : public SupportMapping {
public:
    MinkowskiSum(A a, B b) : a_(std::move(a)), b_(std::move(b)) {}

    dvec3 support(const dvec3& v) const override { return a_.support(v) + b_.support(v); }
    bool is_polytope() const override { return a_.is_polytope() && b_.is_polytope(); }

private:
    A a_;
    B b_;
};

/// -A, mirrored in the origin: s(v) = -s_A(-v) (section 4.3).
template <Mapping M>
class MirrorImage final : public SupportMapping {
public:
    explicit MirrorImage(M of) : of_(std::move(of)) {}

    dvec3 support(const dvec3& v) const override { return -of_.support(-v); }
    bool is_polytope() const override { return of_.is_polytope(); }

private:
    M of_;
};

/// /// The volume that A sweeps while it moves by `motion`. A point is farthest along v either at its start or at its
/// end, and the sign of v . motion says which (Ericson, "The GJK algorithm", section 4, after Xavier 1997).
template <Mapping M>
class SweptSupport final : public SupportMapping {
public:
    SweptSupport(M of, const dvec3& motion) : of_(std::move(of)), valid_(detail::is_usable(dmat3(0.0), motion)) {
        if (valid_) motion_ = motion;
    }

    dvec3 support(const dvec3& v) const override {
        const dvec3 at_start = of_.support(v);
        return glm::dot(v, motion_) > 0.0 ? at_start + motion_ : at_start;
    }
    bool is_polytope() const override { return of_.is_polytope(); }
    bool valid() const { return valid_; }  ///< false: the motion was not finite, and the set stands still

private:
    M of_;
    dvec3 motion_{0.0};
    bool valid_;
};

/// The convex hull of the union of several sets, known at compile time: the farthest of their support points (section
/// 4.4), ties to the first.
template <Mapping... Ms>
requires(sizeof...(Ms) > 0) class UnionHull final : public SupportMapping {
public:
    explicit UnionHull(Ms... of) : of_(std::move(of)...) {}

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

/// The same for any number of sets, not owned; null pointers are passed over.
class CollectionHull final : public SupportMapping {
public:
    explicit CollectionHull(std::span<const SupportMapping* const> of);
    explicit CollectionHull(std::vector<const SupportMapping*>&&) = delete;

    dvec3 support(const dvec3& direction) const override;
    bool is_polytope() const override;
    bool valid() const { return valid_; }

private:
    std::span<const SupportMapping* const> of_;
    bool valid_ = false;
};

// The combinators by name: CollectionHull and friends are constructed, these are deduced (a deduced
// `MirrorImage(MirrorImage(m))` would be a copy).

template <Mapping M>
AffineImage<M> affine_image(M of, const dmat3& linear, const dvec3& offset = dvec3(0.0)) {
    return AffineImage<M>(std::move(of), linear, offset);
}

/// A placed by a pose; the matrix is taken as it is.
template <Mapping M>
AffineImage<M> posed(M of, const Frame& pose) {
    return AffineImage<M>(std::move(of), dmat3(pose.rotation), dvec3(pose.position));
}

template <Mapping A, Mapping B>
MinkowskiSum<A, B> minkowski_sum(A a, B b) {
    return MinkowskiSum<A, B>(std::move(a), std::move(b));
}

template <Mapping M>
MirrorImage<M> mirror_image(M of) {
    return MirrorImage<M>(std::move(of));
}

template <Mapping M>
SweptSupport<M> swept(M of, const dvec3& motion) {
    return SweptSupport<M>(std::move(of), motion);
}

template <Mapping... Ms>
UnionHull<Ms...> hull_of(Ms... of) {
    return UnionHull<Ms...>(std::move(of)...);
}

}  // namespace talus
