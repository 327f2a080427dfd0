#include "tests/fuzz/bytes.h"
#include "tests/fuzz/targets.h"

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/ray_cast.h>
#include <talus/narrowphase/separation.h>
#include <talus/talus.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus::fuzz {

namespace {

/// A user's mapping that may be wrong: the hull of a few points and balls, each point moved by a lie.
class Liar final : public SupportMapping {
public:
    Liar(std::vector<vec3> points, float radius, double lie) : points_(std::move(points)), radius_(radius), lie_(lie) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 n = d / std::sqrt(glm::dot(d, d));
        dvec3 best(0.0);
        double most = -1e300;
        for (const vec3& p : points_) {
            if (glm::dot(n, dvec3(p)) > most) most = glm::dot(n, dvec3(p)), best = dvec3(p);
        }
        best += double(radius_) * n;
        return n.x * n.y > 0.3 ? best * (1.0 - lie_) : best;
    }

private:
    std::vector<vec3> points_;
    float radius_;
    double lie_;
};

/// What a maker says: a shape, or in `complaint` that it refused without a reason.
Shape made(const Result<Shape>& result, Bytes& bytes, std::string& complaint) {
    if (result) {
        if (check(*result)) complaint = "a maker made a shape that check() refuses: " + check(*result).message;
        return *result;
    }
    if (result.error().message.empty()) complaint = "a maker refused without a reason";
    return sphere(bytes.size());
}

Shape read_solid(Bytes& bytes, std::string& complaint) {
    const float scale = bytes.size();
    const auto length = [&] { return scale * (0.001f + float(bytes.unit())); };
    switch (bytes.below(6)) {
        case 0: {
            const float x = length(), y = length();
            return made(ellipsoid({x, y, length()}), bytes, complaint);
        }
        case 1: {
            const float x = length(), y = length(), z = length();
            const float around = 1.0f + 16.0f * float(bytes.unit()), along = 1.0f + 16.0f * float(bytes.unit());
            return made(superellipsoid({x, y, z}, around, along), bytes, complaint);
        }
        case 2: {
            const Shape sharp = rounded(read_shape(bytes), length());
            return check(sharp) ? sphere(scale) : sharp;
        }
        case 3: {
            const Shape a = read_shape(bytes), b = read_shape(bytes);
            return made(convex_sum(a, b), bytes, complaint);
        }
        case 4: {
            const std::vector<vec3> points = read_cloud(bytes, 8);
            const float radius = bytes.below(2) == 0 ? 0.0f : length();
            const double lie = bytes.below(2) == 0 ? 0.0 : bytes.unit();
            const auto solid = make_mapping_solid(std::make_shared<Liar>(points, radius, lie), {.volume_error = 0.01f});
            if (solid) return mapping_shape(*solid);
            if (solid.error().message.empty()) complaint = "make_mapping_solid refused without a reason";
            return sphere(scale);
        }
        default:
            return read_shape(bytes);
    }
}

bool is_lie(const Shape& shape) { return shape.mapping && shape.mapping->kind == MappingKind::user; }

/// The gap between the two along n, from their public support mappings.
double gap_along(const ShapeSupport& a, const ShapeSupport& b, const MatrixTransform& frame, const dvec3& n) {
    const dmat3 r(frame.rotation);
    const dvec3 low = r * b.support(-(n * r)) + dvec3(frame.position);
    return glm::dot(n, low) - glm::dot(n, a.support(n));
}

std::string check_pair(const Shape& a, const Shape& b, const MatrixTransform& frame) {
    SimplexCache cache;
    const ShapeSupport of_a(a), of_b(b);
    for (int again = 0; again < 2; ++again) {
        const SeparationResult r = separation(a, b, frame, cache);
        if (!is_finite(r.separation) || !is_finite(r.normal) || !is_finite(r.point_a) || !is_finite(r.point_b))
            return "separation: a number is not finite";
        const double ra = double(bounding_radius(a)), rb = double(bounding_radius(b)), size = std::min(ra, rb);
        const double reach = ra + rb + glm::length(dvec3(frame.position));
        if (is_lie(a) || is_lie(b) || reach > 1e3 * size) continue;  // no promise
        const double allowed = 2e-3 * size + 1e-5 * reach;
        const double along = gap_along(of_a, of_b, frame, glm::normalize(dvec3(r.normal)));
        if (std::abs(along - double(r.separation)) > allowed)
            return "separation " + std::to_string(r.separation) + ", but along its normal " + std::to_string(along);
        for (int i = 0; i < 98; ++i) {
            dvec3 n(i % 5 - 2, i / 5 % 5 - 2, i / 25 % 4 - 1.5);
            n /= glm::length(n);
            if (const double gap = gap_along(of_a, of_b, frame, n); gap > double(r.separation) + allowed)
                return "separation " + std::to_string(r.separation) + ", but apart by " + std::to_string(gap);
        }
        FaceHints hints;
        const Manifold m = make_manifold(a, b, frame, r.normal, r.point_a, r.point_b, float(0.02 * size), hints);
        for (int i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            if (!is_finite(p.on_a) || !is_finite(p.on_b) || !is_finite(p.separation))
                return "make_manifold: a number is not finite";
        }
    }
    return {};
}

}  // namespace

std::string fuzz_mapping(Input input) {
    Bytes bytes(input);
    std::string complaint;
    const Shape a = read_solid(bytes, complaint), b = read_solid(bytes, complaint);
    if (!complaint.empty()) return complaint;
    const Transform pose = bytes.pose(bounding_radius(a) + bounding_radius(b));
    complaint = check_pair(a, b, to_matrix_transform(pose));
    if (!complaint.empty()) return complaint;
    const RayHit hit = ray_cast(a, pose.position, -2.0f * pose.position);
    if (!is_finite(hit.fraction) || !is_finite(hit.normal)) return "ray_cast: a number is not finite";

    // In a world, one on the other.
    if (!is_solid(a) || !is_solid(b)) return {};
    World world;
    BodyDef below{.type = BodyType::fixed, .shape = a};
    BodyDef above{.shape = b, .position = dvec3(pose.position), .rotation = pose.rotation};
    world.add_body(below);
    const BodyId id = world.add_body(above);
    if (id.is_null()) return world.last_error().message.empty() ? "add_body refused without a reason" : "";
    for (int i = 0; i < 5; ++i) world.step(1.0f / 60.0f);
    const WorldTransform t = world.transform(id);
    if (!is_finite(t.position) || !is_finite(world.linear_velocity(id)) || !is_finite(world.angular_velocity(id)))
        return "the world: a number is not finite";
    return {};
}

}  // namespace talus::fuzz
