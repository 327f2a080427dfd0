/// Open support mappings: compositions compared with the oracle on the equivalent shapes, and flat, thin and coincident
/// sets compared with an oracle that uses only points.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"

#include <talus/narrowphase/support_mapping.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace talus;
using test::Random;
using test::somewhere;

namespace {

// ---- An oracle for the hulls of two point sets, of any dimension ----------------------------------------------------
//
// Apart: the closest points lie in simplices spanned by vertices, so the distance is the least over all points against
// all triangles and all edges against all edges; simplices inside the hulls do no harm. Together: the depth is the
// least overlap along the normals of all triangles and of all pairs of edges.

using Points = std::vector<dvec3>;

dvec3 nearest_on_segment(const dvec3& p, const dvec3& a, const dvec3& b) {
    const dvec3 ab = b - a;
    const double ll = glm::dot(ab, ab), t = ll > 0.0 ? std::clamp(glm::dot(p - a, ab) / ll, 0.0, 1.0) : 0.0;
    return a + t * ab;
}

double point_to_triangle(const dvec3& p, const dvec3& a, const dvec3& b, const dvec3& c) {
    const dvec3 n = glm::cross(b - a, c - a);
    double best = std::min({length(p - nearest_on_segment(p, a, b)), length(p - nearest_on_segment(p, b, c)),
                            length(p - nearest_on_segment(p, c, a))});
    const double nn = glm::dot(n, n);
    if (nn > 0.0) {
        const bool inside = glm::dot(glm::cross(b - a, p - a), n) >= 0.0 &&
                            glm::dot(glm::cross(c - b, p - b), n) >= 0.0 &&
                            glm::dot(glm::cross(a - c, p - c), n) >= 0.0;
        if (inside) best = std::min(best, std::abs(glm::dot(p - a, n)) / std::sqrt(nn));
    }
    return best;
}

double segment_to_segment(const dvec3& a, const dvec3& b, const dvec3& c, const dvec3& d) {
    double best = std::min({length(a - nearest_on_segment(a, c, d)), length(b - nearest_on_segment(b, c, d)),
                            length(c - nearest_on_segment(c, a, b)), length(d - nearest_on_segment(d, a, b))});
    const dvec3 u = b - a, v = d - c, n = glm::cross(u, v);
    const double nn = glm::dot(n, n);
    if (nn > 0.0) {
        const double s = glm::dot(glm::cross(c - a, v), n) / nn, t = glm::dot(glm::cross(c - a, u), n) / nn;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
            best = std::min(best, std::abs(glm::dot(c - a, n)) / std::sqrt(nn));
    }
    return best;
}

double gap_along(const Points& a, const Points& b, const dvec3& n) {
    double high = -1e300, low = 1e300;
    for (const dvec3& p : a) high = std::max(high, glm::dot(p, n));
    for (const dvec3& p : b) low = std::min(low, glm::dot(p, n));
    return low - high;
}

double signed_distance(const Points& a, const Points& b) {
    double distance = 1e300, best = -1e300;
    double size = 0.0;
    for (const dvec3& p : a) size = std::max(size, length(p - a[0]));
    for (const dvec3& p : b) size = std::max(size, length(p - b[0]));
    const auto try_normal = [&](const dvec3& n) {
        const double l = length(n);
        if (l > 1e-9 * size * size) best = std::max({best, gap_along(a, b, n / l), gap_along(a, b, -n / l)});
    };
    const auto triangles = [&](const Points& points, const Points& others) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = i; j < points.size(); ++j) {
                for (std::size_t k = j; k < points.size(); ++k) {
                    for (const dvec3& p : others) {
                        distance = std::min(distance, point_to_triangle(p, points[i], points[j], points[k]));
                    }
                    if (i < j && j < k) try_normal(glm::cross(points[j] - points[i], points[k] - points[i]));
                }
            }
        }
    };
    triangles(a, b);
    triangles(b, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = i; j < a.size(); ++j) {
            for (std::size_t k = 0; k < b.size(); ++k) {
                for (std::size_t l = k; l < b.size(); ++l) {
                    distance = std::min(distance, segment_to_segment(a[i], a[j], b[k], b[l]));
                    try_normal(glm::cross(a[j] - a[i], b[l] - b[k]));
                }
            }
        }
    }
    // Sets in one plane or line have no depth, and their simplices find what they have of distance.
    return best > -1e299 && best < -1e-12 * size ? best : distance;
}

/// Compares the result with the points: the distance, the bound that the normal proves, and the witness points.
void check_answer(const SeparationResult& r, const Points& a, const Points& b, const std::string& what,
                  double tolerance = 2e-6) {
    double size = 0.0;
    for (const dvec3& p : a) size = std::max(size, length(p - a[0]));
    for (const dvec3& p : b) size = std::max(size, length(p - b[0]));
    double reach = size;
    for (const Points* points : {&a, &b}) {
        for (const dvec3& p : *points) reach = std::max(reach, length(p));
    }
    const double allowed = tolerance * std::max(size, 1e-3 * reach) + 3e-7 * reach, truth = signed_distance(a, b);
    const dvec3 n(r.normal);
    INFO(what, ": ", r.separation, " should be ", truth, ", normal ", n.x, " ", n.y, " ", n.z, " proves ",
         gap_along(a, b, n), ", size ", size, " reach ", reach);
    CHECK(std::abs(double(r.separation) - truth) <= allowed);
    CHECK(std::abs(length(n) - 1.0) <= 1e-5);
    CHECK(gap_along(a, b, n) >= truth - allowed - 3e-7 * reach);
    CHECK(length(dvec3(r.point_b) - dvec3(r.point_a) - double(r.separation) * n) <= allowed);
    // The witness points belong to their sets (as far as distance is concerned: outside by nothing).
    CHECK(signed_distance(a, {dvec3(r.point_a)}) <= allowed);
    CHECK(signed_distance(b, {dvec3(r.point_b)}) <= allowed);
}

Points transformed(const Points& points, const dmat3& m, const dvec3& c) {
    Points out;
    for (const dvec3& p : points) out.push_back(m * p + c);
    return out;
}

Points sums(const Points& a, const Points& b, double sign = 1.0) {
    Points out;
    for (const dvec3& p : a) {
        for (const dvec3& q : b) out.push_back(p + sign * q);
    }
    return out;
}

/// A random map of rank 0 to 3, mirrored every other time.
dmat3 any_matrix(Random& random, int rank) {
    const dmat3 left(test::any_turn(random)), right(test::any_turn(random));
    dmat3 scale(0.0);
    for (int i = 0; i < rank; ++i) {
        const double factor = random.scale(0.05, 3.0);
        scale[i][i] = random.chance(0.5) ? -factor : factor;
    }
    return random.chance(0.3) ? scale : left * scale * right;
}

/// Polytopes with few vertices, as a shape and as points.
struct Sample {
    Shape shape;
    Points points;
};

Sample any_polytope(Random& random) {
    Sample s;
    const int kind = random.below(4);
    if (kind == 0) {
        const float x = static_cast<float>(random.scale(0.1, 1.0)), y = static_cast<float>(random.scale(0.1, 1.0));
        s.shape = box({x, y, 0.4f});
        s.points = oracle::make_solid(s.shape).vertices;
    } else if (kind == 1) {
        const vec3 p = somewhere(random, 0.0, 1.0), q = somewhere(random, 1.1, 2.0);
        s.shape = segment(p, q);
    } else if (kind == 2) {
        vec3 p[3];
        for (vec3& q : p) q = somewhere(random, 0.3, 1.0);
        s.shape = triangle(p[0], p[1], p[2]);
    } else {
        std::vector<vec3> points;
        const int count = 5 + random.below(4);
        for (int i = 0; i < count; ++i) points.push_back(somewhere(random, 0.5, 1.0));
        auto made = make_hull(points);
        if (!made) return any_polytope(random);
        s.shape = hull(*made);
    }
    s.points = oracle::make_solid(s.shape).vertices;
    return s;
}

/// An ellipsoid by its own formula: s(d) = S^2 d / |S d|.
class Ellipsoid final : public SupportMapping {
public:
    Ellipsoid(const dvec3& half_axes, const dvec3& center) : axes_(half_axes), center_(center) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 scaled = axes_ * d;
        return center_ + axes_ * scaled / length(scaled);
    }

private:
    dvec3 axes_, center_;
};

/// |x/a|^p + |y/b|^p + |z/c|^p <= 1 with p = 4: s(d) is where the gradient of that is d.
class Superellipsoid final : public SupportMapping {
public:
    explicit Superellipsoid(const dvec3& half_axes) : axes_(half_axes) {}
    dvec3 support(const dvec3& d) const override {
        const dvec3 g = axes_ * d / length(d);
        dvec3 p;
        double sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            p[i] = std::copysign(std::cbrt(std::abs(g[i])), g[i]);
            sum += p[i] * p[i] * p[i] * p[i];
        }
        return axes_ * p / std::sqrt(std::sqrt(sum));
    }

private:
    dvec3 axes_;
};

const dmat3 unturned(1.0);
const dmat3 onto_xz(dvec3(1, 0, 0), dvec3(0, 0, 0), dvec3(0, 0, 1));  ///< flattens along y

}  // namespace

TEST_CASE("the support mapping of a shape is the shape with its radius" * doctest::test_suite("slow")) {
    Random random(31);
    for (int i = 0; i < 4000; ++i) {
        const auto type = static_cast<ShapeType>(i % shape_type_count);
        auto pooled = make_hull(test::hull_points(random, 1.0));
        REQUIRE(pooled);
        const Shape shape = test::random_shape(random, type, 1.0, *pooled);
        const ShapeSupport mapping(shape);
        const dvec3 direction = random.direction(), d = direction * random.scale(1e-30, 1e30);
        const dvec3 p = mapping.support(d);
        const oracle::Solid solid = oracle::make_solid(shape);
        const double truth = glm::dot(oracle::core_support(solid, d), d) / length(d) + solid.radius;
        INFO(name_of(type), " ", i, " reaches ", glm::dot(p, d) / length(d), " should be ", truth);
        CHECK(std::abs(glm::dot(p, d) / length(d) - truth) <= 1e-12);
        CHECK(oracle::distance_outside(solid, p) <= 1e-9);
        CHECK(mapping.is_polytope() == (shape.radius == 0.0f && !solid.is_curved()));
    }
}

TEST_CASE("directions of any length give the same support point of a ball") {
    const ShapeSupport ball(sphere(2.0f));
    for (double l : {1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e160, 1e300}) {
        const dvec3 p = ball.support(dvec3(0.6, 0.0, 0.8) * l);
        INFO("length ", l, " gives ", p.x, " ", p.y, " ", p.z);
        CHECK(length(p - dvec3(1.2, 0.0, 1.6)) <= 1e-14);
    }
}

TEST_CASE("separation of posed shapes as mappings agrees with the oracle on the shapes") {
    Random random(32);
    int deep = 0, apart = 0;
    for (int i = 0; i < 600; ++i) {
        auto pooled = make_hull(test::hull_points(random, 1.0));
        REQUIRE(pooled);
        const auto type_a = static_cast<ShapeType>(random.below(shape_type_count));
        const auto type_b = static_cast<ShapeType>(random.below(shape_type_count));
        const Shape a = test::random_shape(random, type_a, 1.0, *pooled);
        const Shape b = test::random_shape(random, type_b, random.scale(0.3, 1.0), *pooled);
        const vec3 position = somewhere(random, 0.0, 2.5);
        const MatrixTransform f{position, test::mixed_turn(random)};
        const auto truth = oracle::signed_distance(oracle::make_solid(a), oracle::make_solid(b), oracle::Pose(f), 1e-5);
        const SeparationResult r = separation(ShapeSupport(a), posed(ShapeSupport(b), f));
        INFO(test::reproduce(a, b, f), r.separation, " should be ", truth.separation, " to ", truth.error);
        CHECK(r.separation >= truth.separation - 2e-5);
        CHECK(r.separation <= truth.separation + truth.error + 2e-5);
        CHECK(std::abs(glm::length(r.normal) - 1.0f) <= 1e-5f);
        CHECK(r.used_epa == (r.gjk.status == GjkStatus::overlapping));
        (truth.separation < 0.0 ? deep : apart)++;
    }
    CHECK(deep > 100);
    CHECK(apart > 100);
}

TEST_CASE("any affine image of a polytope is the hull of its vertices' images") {
    Random random(33);
    int deep = 0, apart = 0, flat = 0;
    for (int i = 0; i < 1500; ++i) {
        const Sample a = any_polytope(random), b = any_polytope(random);
        const int rank_a = random.chance(0.5) ? 3 : random.below(4), rank_b = random.chance(0.5) ? 3 : random.below(4);
        const dmat3 ma = any_matrix(random, rank_a), mb = any_matrix(random, rank_b);
        const dvec3 cb(somewhere(random, 0.0, 2.0));
        const Points pa = transformed(a.points, ma, dvec3(0.0)), pb = transformed(b.points, mb, cb);
        const SeparationResult r =
            separation(affine_image(ShapeSupport(a.shape), ma), affine_image(ShapeSupport(b.shape), mb, cb));
        check_answer(
            r, pa, pb,
            "pair " + std::to_string(i) + " of ranks " + std::to_string(rank_a) + " and " + std::to_string(rank_b));
        (r.separation < 0.0f ? deep : apart)++;
        if (rank_a < 3 && rank_b < 3) ++flat;
    }
    CHECK(deep > 100);
    CHECK(apart > 400);
    CHECK(flat > 200);
}

TEST_CASE("Minkowski sums of polytopes and their mirror images are the hulls of sums of vertices") {
    Random random(34);
    for (int i = 0; i < 300; ++i) {
        const vec3 p = somewhere(random, 0.2, 1.0), q = somewhere(random, 0.2, 1.0), r = somewhere(random, 0.2, 1.0);
        const Shape t = triangle(p, q, r);
        const Shape s = segment(vec3(0.1f, 0.2f, 0.3f), somewhere(random, 1.0, 1.5));
        const Points pt = oracle::make_solid(t).vertices, ps = oracle::make_solid(s).vertices;
        const Sample other = any_polytope(random);
        const dvec3 away(somewhere(random, 0.0, 3.0));
        const auto b = affine_image(ShapeSupport(other.shape), unturned, away);
        const Points pb = transformed(other.points, unturned, away);
        check_answer(separation(minkowski_sum(ShapeSupport(t), ShapeSupport(s)), b), sums(pt, ps), pb,
                     "sum " + std::to_string(i));
        check_answer(separation(minkowski_sum(ShapeSupport(t), mirror_image(ShapeSupport(s))), b), sums(pt, ps, -1.0),
                     pb, "difference " + std::to_string(i));
        check_answer(separation(mirror_image(mirror_image(ShapeSupport(t))), b), pt, pb, "twice mirrored");
    }
}

TEST_CASE("distance from A - B to the origin is the distance from A to B") {
    Random random(35);
    const std::vector<vec3> origin(1, vec3(0.0f));
    for (int i = 0; i < 200; ++i) {
        const Sample a = any_polytope(random), b = any_polytope(random);
        const MatrixTransform f{somewhere(random, 0.0, 2.5), test::any_turn(random)};
        const auto placed = posed(ShapeSupport(b.shape), f);
        const SeparationResult direct = separation(ShapeSupport(a.shape), placed);
        const SeparationResult folded =
            separation(minkowski_sum(ShapeSupport(a.shape), mirror_image(placed)), PointCloud(origin));
        INFO(i, ": ", direct.separation, " and ", folded.separation);
        CHECK(std::abs(direct.separation - folded.separation) <= 2e-6f);
    }
}

TEST_CASE("hulls of collections and swept sets are the hulls of all points in them" * doctest::test_suite("slow")) {
    Random random(36);
    for (int i = 0; i < 300; ++i) {
        const Sample parts[3] = {any_polytope(random), any_polytope(random), any_polytope(random)};
        const dvec3 shift(somewhere(random, 0.5, 2.0)), away(somewhere(random, 0.0, 4.0));
        Points all = parts[0].points;
        for (const dvec3& p : transformed(parts[1].points, unturned, shift)) all.push_back(p);
        const auto moved = affine_image(ShapeSupport(parts[1].shape), unturned, shift);
        const auto b = affine_image(ShapeSupport(parts[2].shape), unturned, away);
        const Points pb = transformed(parts[2].points, unturned, away);
        check_answer(separation(hull_of(ShapeSupport(parts[0].shape), moved), b), all, pb, "hull " + std::to_string(i));

        const ShapeSupport first(parts[0].shape);
        const std::vector<const SupportMapping*> list = {&first, nullptr, &moved};
        const CollectionHull collection(list);
        CHECK(collection.valid());
        CHECK(collection.is_polytope());
        check_answer(separation(collection, SupportView(b)), all, pb, "collection " + std::to_string(i));

        Points both = parts[0].points;
        for (const dvec3& p : transformed(parts[0].points, unturned, shift)) both.push_back(p);
        check_answer(separation(swept(first, shift), b), both, pb, "swept " + std::to_string(i));
        check_answer(separation(hull_of(first, affine_image(first, unturned, shift)), b), both, pb, "swept as a hull");
    }
}

TEST_CASE("point clouds of every dimension") {
    Random random(37);
    // On a grid, so that lines and planes are exact in float, and points coincide often.
    const auto on_grid = [&random](int steps) {
        const int x = random.below(2 * steps + 1), y = random.below(2 * steps + 1), z = random.below(2 * steps + 1);
        return vec3(float(x - steps), float(y - steps), float(z - steps)) / 8.0f;
    };
    for (int i = 0; i < 800; ++i) {
        const auto cloud = [&](int dimension, const vec3& at) {
            std::vector<vec3> points;
            const int count = 1 + random.below(7);
            const vec3 u = on_grid(8), v = on_grid(8);
            for (int k = 0; k < count; ++k) {
                const vec3 p = on_grid(8);
                points.push_back(dimension == 3   ? at + p
                                 : dimension == 2 ? at + p.x * u + p.y * v
                                 : dimension == 1 ? at + p.x * u
                                                  : at);
                if (random.chance(0.2)) points.push_back(points.back());
            }
            return points;
        };
        const int da = random.below(4), db = random.below(4);
        const vec3 at = random.chance(0.3) ? vec3(0.0f) : on_grid(10);
        const std::vector<vec3> a = cloud(da, vec3(0.0f)), b = cloud(db, at);
        Points pa, pb;
        for (const vec3& p : a) pa.emplace_back(p);
        for (const vec3& p : b) pb.emplace_back(p);
        check_answer(
            separation(PointCloud(a), PointCloud(b)), pa, pb,
            "clouds " + std::to_string(i) + " of dimensions " + std::to_string(da) + " and " + std::to_string(db));
    }
}

TEST_CASE("flat sets in one plane and identical sets touch with depth zero") {
    const std::vector<vec3> square = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    const std::vector<vec3> shifted = {{0, 0, 0}, {2, 0, 0.5f}, {0.5f, 0, 2}};
    const std::vector<vec3> line = {{-1, 0, 0}, {1, 0, 0}}, point = {{0.25f, 0, 0.5f}}, corner = {{1, 0, 1}};
    const PointCloud sets[] = {PointCloud(square), PointCloud(shifted), PointCloud(line), PointCloud(point),
                               PointCloud(corner)};
    const std::vector<vec3>* points[] = {&square, &shifted, &line, &point, &corner};
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            Points a, b;
            for (const vec3& p : *points[i]) a.emplace_back(p);
            for (const vec3& p : *points[j]) b.emplace_back(p);
            check_answer(separation(sets[i], sets[j]), a, b, "flat " + std::to_string(i) + " and " + std::to_string(j));
        }
    }
    // The same solid twice: the depth is the least width.
    const ShapeSupport brick(box({1, 0.5f, 2}));
    const SeparationResult same = separation(brick, brick);
    INFO("depth ", same.separation, " along ", same.normal.x, " ", same.normal.y, " ", same.normal.z);
    CHECK(std::abs(same.separation + 1.0f) <= 1e-6f);
    CHECK(std::abs(std::abs(same.normal.y) - 1.0f) <= 1e-5f);
}

TEST_CASE("curved shapes composed from others are those shapes") {
    // A disc is a flattened sphere; a cylinder is the hull of two discs, or a swept disc; a cone is the hull of a disc
    // and a point; a capsule is the sum of a segment and a sphere, a rounded box that of a box and a sphere.
    Random random(38);
    const float r = 0.6f, h = 0.8f;
    const auto disc = affine_image(ShapeSupport(sphere(r)), onto_xz, dvec3(0, -double(h), 0));
    const auto cylinder_1 = hull_of(disc, affine_image(disc, unturned, dvec3(0, 2.0 * double(h), 0)));
    const auto cylinder_2 = swept(disc, dvec3(0, 2.0 * double(h), 0));
    const std::vector<vec3> apex = {{0, h, 0}};
    const auto cone_1 = hull_of(disc, PointCloud(apex));
    const auto capsule_1 = minkowski_sum(ShapeSupport(segment({0, -h, 0}, {0, h, 0})), ShapeSupport(sphere(r)));
    const auto rounded =
        minkowski_sum(ShapeSupport(triangle({-1, 0, 0}, {1, 0, 0}, {0, 1, 0})), ShapeSupport(sphere(0.2f)));
    struct Case {
        const SupportMapping* mapping;
        Shape shape;
    };
    const Case cases[] = {{&cylinder_1, cylinder(h, r)},
                          {&cylinder_2, cylinder(h, r)},
                          {&cone_1, cone(h, r)},
                          {&capsule_1, capsule(h, r)},
                          {&rounded, triangle({-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0.2f)}};
    int deep = 0;
    for (int i = 0; i < 300; ++i) {
        const Case& c = cases[i % 5];
        const Sample other = any_polytope(random);
        const vec3 position = somewhere(random, 0.0, 2.2);
        const MatrixTransform f{position, test::any_turn(random)};
        const auto truth = oracle::signed_distance(oracle::make_solid(c.shape), oracle::make_solid(other.shape),
                                                   oracle::Pose(f), 1e-5);
        const SeparationResult got = separation(*c.mapping, posed(ShapeSupport(other.shape), f));
        INFO("case ", i, " ", test::reproduce(c.shape, other.shape, f), got.separation, " should be ", truth.separation,
             " to ", truth.error);
        CHECK_FALSE(c.mapping->is_polytope());
        CHECK(got.separation >= truth.separation - 5e-5);
        CHECK(got.separation <= truth.separation + truth.error + 5e-5);
        if (truth.separation < 0.0) ++deep;
    }
    CHECK(deep > 60);
}

TEST_CASE("ellipsoids by their own formula and as images of a ball are one set") {
    Random random(39);
    for (int i = 0; i < 300; ++i) {
        const double ax = random.scale(0.1, 2.0), ay = random.scale(0.1, 2.0), az = random.scale(0.1, 2.0);
        const dvec3 axes(ax, ay, az), center(somewhere(random, 0.0, 2.0));
        const Ellipsoid own(axes, center);
        dmat3 m(0.0);
        for (int k = 0; k < 3; ++k) m[k][k] = axes[k];
        const auto image = affine_image(ShapeSupport(sphere(1.0f)), m, center);
        const Sample other = any_polytope(random);
        const SeparationResult p = separation(ShapeSupport(other.shape), own);
        const SeparationResult q = separation(ShapeSupport(other.shape), image);
        INFO(i, ": ", p.separation, " and ", q.separation);
        CHECK(std::abs(p.separation - q.separation) <= 5e-5f);
    }
    // On an axis the answer is in closed form, apart and overlapping.
    const SeparationResult apart = separation(Ellipsoid({1, 2, 0.5}, {0, 0, 0}), Ellipsoid({3, 1, 1}, {5, 0, 0}));
    CHECK(std::abs(apart.separation - 1.0f) <= 1e-5f);
    CHECK(apart.normal.x > 0.9999f);
    const SeparationResult deep = separation(Ellipsoid({1, 2, 3}, {0, 0, 0}), Ellipsoid({1, 2, 3}, {1.5, 0, 0}));
    INFO("depth ", deep.separation);
    CHECK(std::abs(deep.separation + 0.5f) <= 5e-4f);
}

TEST_CASE("a superellipsoid keeps its distance from a plane, a ball and a copy of itself") {
    const Superellipsoid pillow({1.0, 0.5, 2.0});
    const auto floor = affine_image(ShapeSupport(box({10, 1, 10})), unturned, dvec3(0, -2.0, 0));
    CHECK(std::abs(separation(floor, pillow).separation - 0.5f) <= 1e-5f);
    // Along the diagonal of the unit one, |x|^4 summed is 1 at x = 3^(-1/4) each.
    const Superellipsoid even({1.0, 1.0, 1.0});
    const double corner = std::sqrt(3.0) * std::pow(3.0, -0.25);
    const dvec3 diagonal = dvec3(3.0) / std::sqrt(3.0);
    const auto ball = affine_image(ShapeSupport(sphere(1.0f)), unturned, diagonal);
    const SeparationResult r = separation(even, ball);
    INFO(r.separation, " should be ", 3.0 - 1.0 - corner);
    CHECK(std::abs(double(r.separation) - (2.0 - corner)) <= 1e-5);
    CHECK(glm::dot(dvec3(r.normal), diagonal / 3.0) > 0.9999);
    const auto twin = affine_image(even, unturned, 2.0 * corner * diagonal / 3.0 + 0.25 * diagonal / 3.0);
    CHECK(std::abs(double(separation(even, twin).separation) - 0.25) <= 1e-5);
}

TEST_CASE("unusable input makes a mapping the point at the origin") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const ShapeSupport cube(box({1, 1, 1}));
    for (double bad : {nan, inf, -inf, 1e13}) {
        dmat3 m(1.0);
        m[1][2] = bad;
        const auto image = affine_image(cube, m, dvec3(3.0));
        CHECK_FALSE(image.valid());
        CHECK(image.support(dvec3(1, 2, 3)) == dvec3(0.0));
        CHECK_FALSE(affine_image(cube, unturned, dvec3(0, bad, 0)).valid());
        CHECK_FALSE(swept(cube, dvec3(bad, 0, 0)).valid());
        CHECK(swept(cube, dvec3(bad, 0, 0)).support(dvec3(1.0)) == dvec3(1.0));
        const SeparationResult r = separation(image, affine_image(cube, unturned, dvec3(3, 0, 0)));
        CHECK(std::abs(r.separation - 2.0f) <= 1e-6f);
    }
    const float bad = std::numeric_limits<float>::quiet_NaN();
    const std::vector<vec3> none, broken = {{1, 2, 3}, {4, bad, 5}};
    CHECK_FALSE(PointCloud(none).valid());
    CHECK_FALSE(PointCloud(broken).valid());
    CHECK(PointCloud(broken).support(dvec3(1, 0, 0)) == dvec3(0.0));
    const std::vector<const SupportMapping*> nothing = {nullptr, nullptr};
    CHECK_FALSE(CollectionHull(nothing).valid());
    CHECK(CollectionHull(nothing).support(dvec3(1, 0, 0)) == dvec3(0.0));
    CHECK(CollectionHull(nothing).is_polytope());
}

TEST_CASE("a composition owns its operands") {
    const auto make = [] {
        auto cloud_free =
            affine_image(minkowski_sum(ShapeSupport(box({1, 1, 1})), ShapeSupport(sphere(0.5f))), dmat3(2.0));
        return hull_of(mirror_image(cloud_free), swept(cloud_free, dvec3(1, 0, 0)));
    };
    const auto made = make();
    const auto copy = made;
    CHECK(std::abs(copy.support(dvec3(1, 0, 0)).x - 4.0) <= 1e-12);
    CHECK(std::abs(copy.support(dvec3(-1, 0, 0)).x + 3.0) <= 1e-12);
}
