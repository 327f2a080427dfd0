#pragma once
/// Bodies of the open set: a support mapping (support_mapping.h) with what a body needs beside it: bounds, mass
/// properties and thickness.
///
///     world.add_body({.shape = *talus::ellipsoid({0.5f, 0.3f, 0.4f}), .position = {0, 2, 0}});
///     world.add_body({.shape = *talus::convex_sum(talus::box({1, 1, 0.1f}), talus::cone(0.2f, 0.1f))});
///
///     auto solid = talus::make_mapping_solid(std::make_shared<Lens>(...));       // class Lens : SupportMapping
///     if (solid) world.add_body({.shape = talus::mapping_shape(*solid)});
///
/// A solid is made once, then immutable. Shapes share it through `std::shared_ptr<const MappingSolid>`. The makers
/// check the mapping and integrate its mass properties, which takes milliseconds; a step only calls `support()`.
///
/// **Rules for a mapping of your own.** `support()` must be a pure function: the same direction gives the same point,
/// on each thread at the same time, for as long as a shape has it. Its point may jump where the surface has a facet,
/// but it has to be a farthest point everywhere. For bits that are the same on all machines it must use neither libm
/// functions (except sqrt) nor fused multiply-add.
///
/// **Cost.** A smooth body is cheapest if a ball fits everywhere inside its surface: then the mapping can be that of
/// the body shrunk by this ball, and MappingDef::radius is the ball's. Resting contacts then are a distance of the
/// shrunken bodies, and the depth is not searched. (`ellipsoid` is made like this; the surface is the same to
/// rounding.)

#include <talus/aabb.h>
#include <talus/narrowphase/mass_properties.h>
#include <talus/narrowphase/shape.h>
#include <talus/narrowphase/support_mapping.h>
#include <talus/result.h>

#include <memory>
#include <optional>
#include <vector>

namespace talus {

/// How a solid was made. Solids of the library's own makers are saved by value.
enum class MappingKind : std::uint8_t {
    user,            ///< make_mapping_solid(); saved by its name in Assets only
    ellipsoid,       ///< `radii`
    superellipsoid,  ///< `radii` and `exponents`
    convex_sum,      ///< `parts`
};

/// Volume, centroid and inertia of a solid, for mappings whose mass properties have a closed form.
struct VolumeProperties {
    float volume = 0.0f;      ///< m^3
    vec3 centroid{0.0f};      ///< m
    mat3 unit_inertia{0.0f};  ///< about the centroid, for a solid of mass 1, m^2
};

/// What make_mapping_solid() may be told beside the mapping.
struct MappingDef {
    float radius = 0.0f;  ///< of a ball that is swept around the mapping's set, m; 0 or from 1e-6 to 1e6
    /// Radius of a ball around the origin that holds the solid, m. By default it is that of the box around the solid.
    std::optional<float> bounding_radius{};
    /// Volume, centroid and inertia, `radius` included. By default they are integrated.
    std::optional<VolumeProperties> volume{};
    /// The integration ends when the estimated error of the volume is below this part of it, 1e-6 to 0.1.
    float volume_error = 1e-4f;
};

/// A support mapping as a solid. Only the makers below make one. Lengths and masses include `radius`.
struct MappingSolid {
    MappingKind kind = MappingKind::user;           ///< how it was made
    std::shared_ptr<const SupportMapping> mapping;  ///< of the core, in the shape's frame, m
    float radius = 0.0f;                            ///< swept around the core, m; Shape::radius is the same
    bool is_polytope = false;                       ///< SupportMapping::is_polytope of the core
    Aabb bounds;                                    ///< the box around the solid, m
    float bounding_radius = 0.0f;                   ///< of a ball around the origin that holds the solid, m
    float inner_radius = 0.0f;  ///< of a ball around the centroid inside the solid, m (of 642 sampled directions)
    float thickness = 0.0f;     ///< as `thickness` of a Shape: 6 volume / surface area, m
    float volume = 0.0f;        ///< m^3
    vec3 centroid{0.0f};        ///< m
    mat3 unit_inertia{0.0f};    ///< about the centroid, for a solid of mass 1, m^2
    /// The estimated error of `volume`, as a part of it: 0 if it has a closed form or was given. The centroid's error
    /// is about this part of the size, that of the inertia about twice this part of it.
    float volume_error = 0.0f;
    vec3 radii{0.0f};          ///< ellipsoid, superellipsoid: half axes, m
    vec3 exponents{0.0f};      ///< superellipsoid: (around y, along y, unused)
    std::vector<Shape> parts;  ///< convex_sum: the two shapes

    MappingSolid(const MappingSolid&) = delete;
    MappingSolid& operator=(const MappingSolid&) = delete;

protected:
    MappingSolid() = default;
    ~MappingSolid() = default;
};

/// Makes a solid of a mapping. The mapping is sampled in 642 directions, and refused if a point is not finite, if it is
/// not farthest along its direction (another point of the samples is farther by more than 1e-5 of the size: then the
/// set is not convex, or `support()` is wrong), or if the set is too small, too large or flat, like a Hull. What the
/// samples miss is not found.
///
/// The volume, centroid and inertia are those of a polyhedron of support points, extrapolated from two mesh widths
/// (Richardson 1911) and refined until `volume_error` is met, or up to 163,842 points. The stated error is the change
/// of the extrapolated volume at the last refinement, or a quarter of the one before, if that is more. Cost: 642 to
/// 163,842 calls of `support()`.
///
/// Errors: a null mapping, a number of `def` out of its range, a given inertia that is not that of a solid, and what is
/// said above.
Result<std::shared_ptr<const MappingSolid>> make_mapping_solid(std::shared_ptr<const SupportMapping> mapping,
                                                               const MappingDef& def = {});

/// Returns the shape of a solid. A null one gives a shape that `check` refuses.
Shape mapping_shape(std::shared_ptr<const MappingSolid> solid);

/// Returns an ellipsoid around the origin. Its mass properties have closed forms. Radii: from 1e-6 to 1e6 m, the
/// smallest at least 1e-3 of the largest.
Result<Shape> ellipsoid(const vec3& radii);

/// Returns the superellipsoid ((|x/a|^r + |z/c|^r)^(t/r) + |y/b|^t) <= 1 around the origin, where `radii` are (a, b,
/// c), `around` is r and `along` is t. 2 and 2 is an ellipsoid; large exponents come near to a box, 2 and 4 is a
/// superegg about y, 1 and 1 is an octahedron with sharp edges (1 is allowed, and makes no polytope of it). Exponents:
/// 1 to 16. The volume has no closed form without libm, so it is integrated. Its powers are computed without libm, to
/// 1e-14.
Result<Shape> superellipsoid(const vec3& radii, float around, float along);

/// Returns the Minkowski sum of two shapes: all sums of a point of `a` and a point of `b`. The radii of both are added.
/// A shape may be flat (a segment, a triangle), but the sum must enclose volume. Sums may be nested up to 4 deep.
Result<Shape> convex_sum(const Shape& a, const Shape& b);

}  // namespace talus
