#include <talus/narrowphase/mapping_solid.h>

#include "common/number_text.h"
#include "narrowphase/shapes/moments.h"
#include "narrowphase/shapes/size_limits.h"
#include "narrowphase/support/ready_mappings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

namespace talus {
namespace {

using detail::text;
using std::numbers::pi;

/// The meshes of directions: this level is where the integration starts and where the mapping is checked, 642 points.
constexpr int first_level = 3;
/// The finest level, 163,842 points.
constexpr int last_level = 7;
/// A sampled point may be farther along another sample's direction than that sample by this * size. Larger: dents are
/// missed. Smaller: mappings that compute in float are refused.
constexpr double farther_than_farthest = 1e-5;
/// A solid must fill this part of its box. A needle of 1:1000 along the diagonal of its box fills 2e-6.
constexpr double least_filling = 1e-9;
/// The thinnest ellipsoid, as a part of its largest radius.
constexpr float thinnest_ellipsoid = 1e-3f;
/// The inset of an ellipsoid's core, as a part of the largest ball that fits everywhere inside its surface. With all of
/// it the core would have a sharp edge where the surface is most strongly curved.
constexpr double ellipsoid_inset = 0.9;
constexpr int deepest_sum = 4;
constexpr float largest_exponent = 16.0f;
constexpr float rounded_up = 1.0f + 4e-7f;

/// The one class that is a MappingSolid.
struct MappingSolidData final : MappingSolid {};

Error refuse(ErrorCode code, const std::string& what) { return {code, what}; }

/// A sphere of directions: an icosahedron whose triangles are divided into four, again and again. Made in double with
/// square roots only, so that it is the same everywhere.
struct DirectionMesh {
    std::vector<dvec3> directions;  ///< unit
    std::vector<std::array<std::uint32_t, 3>> triangles;

    DirectionMesh() {
        const double g = 0.5 * (1.0 + std::sqrt(5.0)), scale = 1.0 / std::sqrt(1.0 + g * g), a = scale, b = g * scale;
        directions = {{-a, b, 0},  {a, b, 0},  {-a, -b, 0}, {a, -b, 0}, {0, -a, b},  {0, a, b},
                      {0, -a, -b}, {0, a, -b}, {b, 0, -a},  {b, 0, a},  {-b, 0, -a}, {-b, 0, a}};
        triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    }

    void refine() {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
        const auto middle = [&](std::uint32_t i, std::uint32_t j) {
            const auto [at, is_new] =
                middles.try_emplace(std::minmax(i, j), static_cast<std::uint32_t>(directions.size()));
            if (is_new) {
                const dvec3 sum = directions[i] + directions[j];
                directions.push_back(sum / std::sqrt(glm::dot(sum, sum)));
            }
            return at->second;
        };
        std::vector<std::array<std::uint32_t, 3>> finer;
        finer.reserve(4 * triangles.size());
        for (const auto& [i, j, k] : triangles) {
            const std::uint32_t ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
            finer.insert(finer.end(), {{i, ij, ki}, {j, jk, ij}, {k, ki, jk}, {ij, jk, ki}});
        }
        triangles = std::move(finer);
    }
};

/// The meshes up to the first level.
const std::array<DirectionMesh, first_level + 1>& coarse_meshes() {
    static const std::array<DirectionMesh, first_level + 1> meshes = [] {
        std::array<DirectionMesh, first_level + 1> made;
        for (std::size_t i = 1; i < made.size(); ++i) {
            made[i] = made[i - 1];
            made[i].refine();
        }
        return made;
    }();
    return meshes;
}

/// What is integrated over a polyhedron of support points.
struct Integral {
    Moments moments;  ///< about the box's middle
    double area = 0.0;

    /// Extrapolates to mesh width 0 from this and a mesh of twice the width: the error falls with its square.
    Integral extrapolated(const Integral& coarse) const {
        Integral r = *this;
        r.moments.volume += (moments.volume - coarse.moments.volume) / 3.0;
        r.moments.first += (moments.first - coarse.moments.first) / 3.0;
        r.moments.second += (moments.second - coarse.moments.second) * (1.0 / 3.0);
        r.area += (area - coarse.area) / 3.0;
        return r;
    }
};

/// Samples one set: the mapping's, with the radius swept around it.
class Sampler {
public:
    Sampler(const SupportMapping& mapping, double radius) : mapping_(mapping), radius_(radius) {}

    /// Returns the point of the set that is farthest along d (not zero).
    dvec3 point(const dvec3& d) const {
        const dvec3 p = mapping_.support(d);
        return radius_ > 0.0 ? p + d * (radius_ / std::sqrt(glm::dot(d, d))) : p;
    }

    /// Finds the box. False: a point is not finite.
    bool find_box() {
        for (int i = 0; i < 3; ++i) {
            dvec3 d(0.0);
            d[i] = 1.0;
            const dvec3 high = point(d), low = point(-d);
            if (!is_finite(high) || !is_finite(low)) return false;
            upper[i] = high[i];
            lower[i] = low[i];
        }
        middle = 0.5 * (lower + upper);
        half = 0.5 * (upper - lower);
        return true;
    }

    /// Samples along the mesh's directions, divided by the box's sides: so the samples of a long or flat set are spread
    /// evenly over its surface. False: a point is not finite.
    bool sample(const DirectionMesh& mesh) {
        for (std::size_t i = points.size(); i < mesh.directions.size(); ++i) {
            points.push_back(point(direction(mesh, i)));
            if (!is_finite(points.back())) return false;
        }
        return true;
    }
    dvec3 direction(const DirectionMesh& mesh, std::size_t i) const { return mesh.directions[i] / half; }

    Integral integrate(const DirectionMesh& mesh) const {
        Integral r;
        for (const auto& [i, j, k] : mesh.triangles) {
            const dvec3 a = points[i] - middle, b = points[j] - middle, c = points[k] - middle;
            r.moments.add_tetrahedron(a, b, c);
            const dvec3 across = glm::cross(b - a, c - a);
            r.area += 0.5 * std::sqrt(glm::dot(across, across));
        }
        return r;
    }

    static bool is_finite(const dvec3& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

    dvec3 lower{0.0}, upper{0.0}, middle{0.0}, half{0.0};
    std::vector<dvec3> points;

private:
    const SupportMapping& mapping_;
    double radius_;
};

/// Returns what is wrong with the box of a set.
Error check_box(const Sampler& s) {
    for (int i = 0; i < 3; ++i) {
        const std::string along =
            std::string("mapping: its set is ") + text(2.0 * s.half[i]) + " m wide along " + "xyz"[i];
        if (!(s.half[i] >= double(smallest_size)))
            return refuse(ErrorCode::degenerate_shape,
                          along + "; it must enclose volume (at least 2e-6 m along each axis), or support() is wrong.");
        if (!(std::max(std::abs(s.lower[i]), std::abs(s.upper[i])) <= double(largest_size)))
            return refuse(ErrorCode::bad_size, along + "; it must lie within 1e6 m of the origin.");
    }
    return {};
}

/// Checks that each sample is farthest along its own direction.
Error check_convex(const Sampler& s, const DirectionMesh& mesh) {
    const double size = std::max({s.half.x, s.half.y, s.half.z});
    for (std::size_t i = 0; i < s.points.size(); ++i) {
        dvec3 d = s.direction(mesh, i);
        d /= std::sqrt(glm::dot(d, d));
        const double own = glm::dot(d, s.points[i]) + farther_than_farthest * size;
        for (const dvec3& p : s.points) {
            if (glm::dot(d, p) <= own) continue;
            return refuse(ErrorCode::degenerate_shape,
                          "mapping: along " + text(d) + " its point " + text(s.points[i]) + " is not the farthest: " +
                              text(p) + " is. The set must be convex, and support() must return its farthest point.");
        }
    }
    return {};
}

/// Returns the radius of a ball around the origin that holds the set, m. A point at distance R is seen as far as R
/// along its own direction, and as far as R cos(a) along one that is off by the angle a.
double ball_around(const Sampler& s, const DirectionMesh& mesh) {
    double most = 0.0, cosine = 1.0;
    for (const dvec3& d : mesh.directions) most = std::max(most, glm::dot(d, s.point(d)));
    for (const auto& [i, j, k] : mesh.triangles) {
        // No direction of a triangle is farther from its corners than the circle through them has its middle.
        const dvec3 &a = mesh.directions[i], &b = mesh.directions[j], &c = mesh.directions[k];
        const dvec3 n = glm::cross(b - a, c - a);
        cosine = std::min(cosine, std::abs(glm::dot(n, a)) / std::sqrt(glm::dot(n, n)));
    }
    const dvec3 far = glm::max(absolute(s.lower), absolute(s.upper));
    return std::min(most / cosine, std::sqrt(glm::dot(far, far)));
}

Error check_volume(const VolumeProperties& given, const Aabb& box) {
    const mat3& m = given.unit_inertia;
    bool finite = is_finite(given.volume) && is_finite(given.centroid);
    for (int i = 0; i < 3; ++i) finite = finite && is_finite(m[i]);
    if (!finite) return refuse(ErrorCode::not_finite, "mapping: a number of `volume` is not finite.");
    if (!(given.volume > 0.0f))
        return refuse(ErrorCode::bad_size,
                      "mapping: volume.volume is " + text(given.volume) + "; it must be > 0 (m^3).");
    if (given.centroid != glm::clamp(given.centroid, box.lower, box.upper))
        return refuse(ErrorCode::bad_argument,
                      "mapping: volume.centroid is " + text(given.centroid) + "; it must lie inside the set.");
    const dmat3 d(m);
    const double first = d[0][0], second = d[0][0] * d[1][1] - d[0][1] * d[1][0], trace = d[0][0] + d[1][1] + d[2][2];
    // No principal moment may be greater than the sum of the other two, so the covariance is positive definite, too.
    const dmat3 c = 0.5 * trace * dmat3(1.0) - d;
    const bool is_solid = first > 0.0 && second > 0.0 && glm::determinant(d) > 0.0 && c[0][0] > 0.0 &&
                          c[0][0] * c[1][1] - c[0][1] * c[1][0] > 0.0 && glm::determinant(c) > 0.0;
    const bool symmetric = m[0][1] == m[1][0] && m[0][2] == m[2][0] && m[1][2] == m[2][1];
    if (is_solid && symmetric) return {};
    return refuse(
        ErrorCode::bad_argument,
        "mapping: volume.unit_inertia is not that of a solid; it must be symmetric and positive definite, and no "
        "principal moment may be greater than the sum of the other two.");
}

/// Fills in what a sampled set tells. `exact`: the given or closed-form volume, or null.
Error measure(MappingSolid& solid, const VolumeProperties* exact, float volume_error) {
    Sampler sampler(*solid.mapping, double(solid.radius));
    const auto not_finite = [] {
        return refuse(ErrorCode::not_finite, "mapping: support() returned a coordinate that is not finite.");
    };
    if (!sampler.find_box()) return not_finite();
    if (Error error = check_box(sampler)) return error;
    solid.bounds = {vec3(sampler.lower), vec3(sampler.upper)};
    solid.bounds.lower -= 1.2e-7f * absolute(solid.bounds.lower);  // for the rounding to float
    solid.bounds.upper += 1.2e-7f * absolute(solid.bounds.upper);
    if (exact != nullptr) {
        if (Error error = check_volume(*exact, solid.bounds)) return error;
    }

    Integral last, best;                 // of the finest mesh, and extrapolated from it and the one before
    double changes[2] = {1e300, 1e300};  // of the extrapolated volume, at the last two refinements
    const auto integrate = [&](const DirectionMesh& mesh, bool first) {
        const Integral now = sampler.integrate(mesh), better = first ? now : now.extrapolated(last);
        changes[0] = changes[1];
        changes[1] = std::abs(better.moments.volume - best.moments.volume);
        last = now;
        best = better;
    };
    for (const DirectionMesh& mesh : coarse_meshes()) {
        if (!sampler.sample(mesh)) return not_finite();
        integrate(mesh, &mesh == coarse_meshes().data());
    }
    const DirectionMesh& checked = coarse_meshes().back();
    if (solid.kind == MappingKind::user) {
        if (Error error = check_convex(sampler, checked)) return error;
    }
    if (solid.bounding_radius == 0.0f)
        solid.bounding_radius = static_cast<float>(ball_around(sampler, checked)) * rounded_up;

    // A refinement may happen to change nothing. So the one before counts, too; on a smooth surface it changes 16 times
    // as much, on one with edges four times.
    const auto error_of = [&] { return std::max(changes[1], 0.25 * changes[0]) / best.moments.volume; };
    if (exact == nullptr && error_of() > double(volume_error)) {
        DirectionMesh mesh = checked;
        for (int level = first_level + 1; error_of() > double(volume_error) && level <= last_level; ++level) {
            mesh.refine();
            if (!sampler.sample(mesh)) return not_finite();
            integrate(mesh, false);
        }
    }
    const Moments& m = best.moments;
    const dvec3 box = 2.0 * sampler.half;
    if (!(m.volume > least_filling * box.x * box.y * box.z))
        return refuse(ErrorCode::degenerate_shape, "mapping: its set encloses no volume.");
    solid.thickness = static_cast<float>(6.0 * m.volume / best.area);
    if (exact != nullptr) {
        solid.volume = exact->volume;
        solid.centroid = exact->centroid;
        solid.unit_inertia = exact->unit_inertia;
    } else {
        solid.volume = static_cast<float>(m.volume);
        solid.centroid = vec3(sampler.middle + m.center());
        solid.unit_inertia = round_inertia(m.inertia() * (1.0 / m.volume));
        solid.volume_error = static_cast<float>(error_of());
    }
    double inner = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < checked.directions.size(); ++i) {
        dvec3 d = sampler.direction(checked, i);
        d /= std::sqrt(glm::dot(d, d));
        inner = std::min(inner, glm::dot(d, sampler.points[i] - dvec3(solid.centroid)));
    }
    solid.inner_radius = static_cast<float>(std::max(inner, 0.0));
    return {};
}

Error check_radii(const char* name, const vec3& radii, float thinnest) {
    const auto sentence = [&](int i, const char* allowed) {
        return std::string(name) + ": the radius along " + "xyz"[i] + " is " + text(radii[i]) + "; " + allowed;
    };
    for (int i = 0; i < 3; ++i) {
        if (!is_finite(radii[i])) return refuse(ErrorCode::not_finite, sentence(i, "give a finite number of metres."));
        if (!(radii[i] >= smallest_size) || !(radii[i] <= largest_size))
            return refuse(ErrorCode::bad_size, sentence(i, "give a number from 1e-6 to 1e6 (m)."));
    }
    const float least = std::min({radii.x, radii.y, radii.z}), most = std::max({radii.x, radii.y, radii.z});
    if (least >= thinnest * most) return {};
    return refuse(ErrorCode::bad_size, std::string(name) + ": its radii are " + text(radii) +
                                           "; the smallest must be at least 1e-3 of the largest.");
}

/// How deep convex sums are nested in the shape.
int depth_of(const Shape& shape) {
    if (shape.type != ShapeType::mapping || !shape.mapping) return 0;
    int deepest = 0;
    for (const Shape& part : shape.mapping->parts) deepest = std::max(deepest, 1 + depth_of(part));
    return deepest;
}

/// Finishes a solid of the library's own.
Result<Shape> finished(const std::shared_ptr<MappingSolidData>& solid, const VolumeProperties* exact) {
    solid->is_polytope = solid->mapping->is_polytope();
    if (Error error = measure(*solid, exact, MappingDef{}.volume_error)) return error;
    return mapping_shape(solid);
}

}  // namespace

Result<std::shared_ptr<const MappingSolid>> make_mapping_solid(std::shared_ptr<const SupportMapping> mapping,
                                                               const MappingDef& def) {
    if (!mapping) return refuse(ErrorCode::bad_argument, "make_mapping_solid: the mapping is null.");
    const auto wrong = [](const char* what, float value, const char* allowed) {
        return refuse(is_finite(value) ? ErrorCode::bad_size : ErrorCode::not_finite,
                      std::string("make_mapping_solid: ") + what + " is " + text(value) + "; " + allowed);
    };
    const float r = def.radius;
    if (r != 0.0f && !(r >= smallest_size && r <= largest_size))
        return wrong("radius", r, "it must be 0 or from 1e-6 to 1e6 (m).");
    if (!(def.volume_error >= 1e-6f && def.volume_error <= 0.1f))
        return wrong("volume_error", def.volume_error, "it must be from 1e-6 to 0.1.");
    if (def.bounding_radius && !(*def.bounding_radius >= smallest_size && *def.bounding_radius <= 2.0f * largest_size))
        return wrong("bounding_radius", *def.bounding_radius, "it must be from 1e-6 to 2e6 (m).");

    const auto solid = std::make_shared<MappingSolidData>();
    solid->mapping = mapping;
    solid->radius = r;
    solid->is_polytope = mapping->is_polytope();
    if (def.bounding_radius) solid->bounding_radius = *def.bounding_radius;
    if (Error error = measure(*solid, def.volume ? &*def.volume : nullptr, def.volume_error)) return error;
    const vec3 far = glm::max(absolute(solid->bounds.lower), absolute(solid->bounds.upper));
    const float least = std::max({far.x, far.y, far.z});
    if (def.bounding_radius && *def.bounding_radius < least * (1.0f - 1e-6f))
        return wrong("bounding_radius", *def.bounding_radius, "it is less than the set reaches along an axis.");
    solid->mapping = std::make_shared<detail::GuardedMapping>(std::move(mapping), 2.0 * double(solid->bounding_radius),
                                                              dvec3(solid->centroid));
    return std::shared_ptr<const MappingSolid>(solid);
}

Result<Shape> ellipsoid(const vec3& radii) {
    if (Error error = check_radii("ellipsoid", radii, thinnest_ellipsoid)) return error;
    const dvec3 r(radii);
    const double least = std::min({r.x, r.y, r.z}), most = std::max({r.x, r.y, r.z});
    const auto solid = std::make_shared<MappingSolidData>();
    solid->kind = MappingKind::ellipsoid;
    solid->radii = radii;
    solid->radius = static_cast<float>(ellipsoid_inset * least * least / most);
    solid->mapping = std::make_shared<detail::EllipsoidCore>(r, double(solid->radius));
    solid->bounding_radius = static_cast<float>(most) * rounded_up;
    VolumeProperties exact;
    exact.volume = static_cast<float>(4.0 / 3.0 * pi * r.x * r.y * r.z);
    const dvec3 s = 0.2 * r * r;
    for (int i = 0; i < 3; ++i) exact.unit_inertia[i][i] = static_cast<float>(s[(i + 1) % 3] + s[(i + 2) % 3]);
    return finished(solid, &exact);
}

Result<Shape> superellipsoid(const vec3& radii, float around, float along) {
    if (Error error = check_radii("superellipsoid", radii, thinnest_ellipsoid)) return error;
    for (const float exponent : {around, along}) {
        if (!(exponent >= 1.0f && exponent <= largest_exponent))
            return refuse(is_finite(exponent) ? ErrorCode::bad_argument : ErrorCode::not_finite,
                          "superellipsoid: an exponent is " + text(exponent) + "; it must be from 1 to 16.");
    }
    const auto solid = std::make_shared<MappingSolidData>();
    solid->kind = MappingKind::superellipsoid;
    solid->radii = radii;
    solid->exponents = {around, along, 0.0f};
    solid->mapping = std::make_shared<detail::SuperellipsoidCore>(dvec3(radii), double(around), double(along));
    return finished(solid, nullptr);
}

Result<Shape> convex_sum(const Shape& a, const Shape& b) {
    for (const Shape* shape : {&a, &b}) {
        if (Error error = check(*shape))
            return refuse(error.code, std::string("convex_sum: ") + (shape == &a ? "a: " : "b: ") + error.message);
    }
    if (1 + std::max(depth_of(a), depth_of(b)) > deepest_sum)
        return refuse(ErrorCode::too_complex, "convex_sum: sums are nested more than 4 deep.");
    const auto solid = std::make_shared<MappingSolidData>();
    solid->kind = MappingKind::convex_sum;
    solid->parts = {a, b};
    solid->radius = a.radius + b.radius;
    solid->mapping = std::make_shared<detail::SumCore>(a, b);
    return finished(solid, nullptr);
}

}  // namespace talus
