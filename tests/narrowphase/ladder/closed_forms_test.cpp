/// The closed forms compared with the oracle, with GJK + EPA, and with results computed by hand. Random pairs of every
/// kind that has a closed form, in both orders; then poses for the special cases: touching, parallel, collinear,
/// concentric, contained, needles, and one shape a hundred thousand times as large as the other.
///
/// TALUS_CLOSED_FORMS_POSES and _SEED change the run, TALUS_CLOSED_FORMS_REPORT=1 prints the errors by kind of pair.

#include "tests/narrowphase/ladder/random_pairs.h"
#include "tests/narrowphase/oracle/judge.h"
#include "tests/support/environment.h"

#include "narrowphase/analytic/box_axes.h"
#include "narrowphase/analytic/closed_forms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

using namespace talus;
using oracle::dmat3;
using oracle::dvec3;
using test::from_environment;
using test::Random;

#ifdef NDEBUG
constexpr int default_poses = 1000;
#else
constexpr int default_poses = 200;
#endif

struct Piece {
    Shape shape;
    oracle::Solid solid;
};

Piece make_piece(const Shape& shape) {
    REQUIRE_MESSAGE(!check(shape), check(shape).message);
    return {shape, oracle::make_solid(shape)};
}

Piece random_piece(Random& random, ShapeType type, double size) {
    for (;;) {
        const Shape shape = test::random_shape(random, type, size, nullptr);
        if (!check(shape)) return make_piece(shape);  // a random radius may be too small
    }
}

/// Needles and plates of 1:10,000 and shapes as they come.
Piece hard_piece(Random& random, ShapeType type, double size) {
    const auto side = [&] {
        const double thin = random.scale(1e-4, 1.0);
        return static_cast<float>(std::max(2e-6, random.chance(0.5) ? size : size * thin));
    };
    const float s = static_cast<float>(std::max(size, 2e-6)), p = side(), q = side();
    switch (type) {
        case ShapeType::capsule:
            return make_piece(random.chance(0.2) ? capsule(0.0f, s) : capsule(p, q));
        case ShapeType::segment: {
            const vec3 u = test::narrow(random.direction()) * s;
            return make_piece(random.chance(0.5)
                                  ? segment({0.0f, -s, 0.0f}, {0.0f, s, 0.0f}, random.chance(0.5) ? 0.0f : p)
                                  : segment(u, -u, random.chance(0.5) ? 0.0f : p));
        }
        case ShapeType::triangle: {
            const float x = static_cast<float>(size * random.between(-2.0, 2.0));
            const vec3 u = test::narrow(random.direction()) * s, v = any_perpendicular(u / s) * p;
            return make_piece(random.chance(0.5) ? triangle({-s, 0.0f, 0.0f}, {s, 0.0f, 0.0f}, {x, 0.0f, p})
                                                 : triangle(-u, u, x / s * u + v, random.chance(0.5) ? 0.0f : q));
        }
        case ShapeType::box:
            return make_piece(box({p, q, s}));
        case ShapeType::cylinder:
            return make_piece(cylinder(p, q));
        case ShapeType::cone:
            return make_piece(cone(p, q));
        default:
            return make_piece(sphere(s));
    }
}

SeparationResult as_separation(const ClosedForm& c) {
    SeparationResult r;
    r.separation = c.separation;
    r.normal = c.normal;
    r.point_a = c.point_a;
    r.point_b = c.point_b;
    return r;
}

/// GJK and EPA directly, because `separation` may use a closed form itself.
double by_gjk_and_epa(const Shape& a, const Shape& b, const MatrixTransform& f) {
    SimplexCache cache;
    const GjkResult g = gjk(a, b, f, cache);
    const double radii = double(a.radius) + double(b.radius);
    if (g.status != GjkStatus::overlapping) return double(g.distance) - radii;
    return -double(epa(a, b, f, cache).depth) - radii;
}

/// Pairs seen, the largest errors, and what went wrong with the first few that failed.
struct Tally {
    long poses = 0, apart = 0, shallow = 0, deep = 0, failures = 0, undecided = 0, decided_apart = 0;
    double error = 0.0, normal_loss = 0.0, angle = 0.0, witness = 0.0, from_general = 0.0, from_swapped = 0.0;
};

/// A function that computes a pair's separation; it returns false if it gives only a lower bound.
using Answer = bool (*)(const Shape&, const Shape&, const MatrixTransform&, ClosedForm&);

bool by_closed_form(const Shape& a, const Shape& b, const MatrixTransform& f, ClosedForm& c) {
    c = closed_form(a, b, f);
    return true;
}

bool by_separating_axes(const Shape& a, const Shape& b, const MatrixTransform& f, ClosedForm& c) {
    const ByAxes axes = by_axes(a, b, f);
    c = axes.answer;
    return axes.status == AxesStatus::exact;
}

class Examiner {
public:
    explicit Examiner(std::uint64_t seed, Answer by = by_closed_form) : random(seed), answer_(by) {}

    oracle::SignedDistance ask(const Piece& a, const Piece& b, const MatrixTransform& f) {
        const oracle::Pose pose(f);
        const double smaller = std::min(a.solid.size, b.solid.size);
        oracle::SignedDistance truth = oracle::signed_distance(a.solid, b.solid, pose, 1e-7 * smaller);
        // If cores nearly touch, the oracle's directions are accurate to about 1e-8, times the size of the larger
        // shape.
        const double reach = std::max({a.solid.size, b.solid.size, glm::length(pose.position)});
        const double cores = truth.separation + a.solid.radius + b.solid.radius;
        if (std::abs(cores) < 1e-6 * reach) truth.error = std::max(truth.error, 3e-8 * reach);
        ClosedForm c;
        if (!answer_(a.shape, b.shape, f, c)) {
            ++tally.undecided;
            const bool below = double(c.separation) <=
                               truth.separation + 1e-6 * std::abs(truth.separation) + 1e-6 * smaller + truth.error;
            if (!below || !(cores > -1e-6 * reach)) report(a, b, f, "no lower bound", truth);
            return truth;
        }
        tally.decided_apart += int(truth.separation > 0.0);
        const test::Verdict v = test::judge(a.solid, b.solid, pose, truth, as_separation(c));
        ++tally.poses;
        (std::abs(truth.separation) < 0.05 * smaller ? tally.shallow
         : truth.separation > 0.0                    ? tally.apart
                                                     : tally.deep)++;
        tally.error = std::max(tally.error, v.error);
        tally.normal_loss = std::max(tally.normal_loss, v.normal_loss);
        tally.angle = std::max(tally.angle, v.angle);
        tally.witness = std::max(tally.witness, v.witness_error);
        if (!v.complaint.empty()) report(a, b, f, v.complaint, truth);
        // Closed forms must be more accurate than the general bound: only rounding is allowed.
        const double scale = std::abs(truth.separation) + smaller;
        if (v.error * smaller > 1e-6 * smaller + 3e-7 * scale + 1e-9 * reach + truth.error)
            report(a, b, f, "separation is off by " + std::to_string(v.error * 1e6) + " millionths", truth);

        // GJK's distance between the cores is a float, whose rounding is all that is left when large radii come off.
        const double general = by_gjk_and_epa(a.shape, b.shape, f);
        const double apart = std::abs(general - double(c.separation));
        tally.from_general = std::max(tally.from_general, apart / std::max(smaller, 1e-3 * reach));
        if (apart > std::max(test::separation_tolerance * smaller, 16.0 * 0x1p-24 * reach))
            report(a, b, f, "GJK and EPA say " + std::to_string(general), truth);
        return truth;
    }

    /// The same pair in the other order. Only for poses whose inverse is exact: rotations by multiples of 90 degrees.
    void ask_swapped(const Piece& a, const Piece& b, const MatrixTransform& f) {
        const MatrixTransform back{-transpose_mul(f.rotation, f.position), glm::transpose(f.rotation)};
        ClosedForm c, d;
        if (!answer_(a.shape, b.shape, f, c) || !answer_(b.shape, a.shape, back, d)) return;
        const double smaller = std::min(a.solid.size, b.solid.size);
        const double apart = std::abs(double(c.separation) - double(d.separation)) / smaller;
        tally.from_swapped = std::max(tally.from_swapped, apart);
        if (apart > 1e-6 + 3e-7 * std::abs(double(c.separation)) / smaller)
            report(a, b, f, "swapped it is " + std::to_string(d.separation), {});
    }

    Random random;
    Tally tally;

private:
    void report(const Piece& a, const Piece& b, const MatrixTransform& f, const std::string& complaint,
                const oracle::SignedDistance& truth) {
        ++tally.failures;
        if (++printed_ > 10) return;
        ClosedForm c;
        answer_(a.shape, b.shape, f, c);
        FAIL_CHECK(name_of(a.shape.type), " and ", name_of(b.shape.type), ": ", complaint, "; got ", c.separation,
                   " along (", c.normal.x, ", ", c.normal.y, ", ", c.normal.z, "), truth ", truth.separation,
                   " along (", truth.normal.x, ", ", truth.normal.y, ", ", truth.normal.z, ")\n",
                   test::reproduce(a.shape, b.shape, f));
    }

    Answer answer_;
    int printed_ = 0;
};

std::string line(const std::string& name, const Tally& t) {
    char text[300];
    std::snprintf(
        text, sizeof text,
        "%-18s poses %6ld (apart %5ld shallow %5ld deep %5ld) failures %4ld  error %.1e normal loss %.1e angle "
        "%.1e witness %.1e general %.1e swapped %.1e\n",
        name.c_str(), t.poses, t.apart, t.shallow, t.deep, t.failures, t.error, t.normal_loss, t.angle, t.witness,
        t.from_general, t.from_swapped);
    return text;
}

/// Calls visit(a, b) for each ordered pair of types that has a closed form.
template <class Visit>
void for_each_pair(Visit visit) {
    for (int i = 0; i < shape_type_count; ++i) {
        for (int j = 0; j < shape_type_count; ++j) {
            if (has_closed_form(ShapeType(i), ShapeType(j))) visit(ShapeType(i), ShapeType(j));
        }
    }
}

dvec3 support_of(const Piece& p, const dvec3& u) { return oracle::core_support(p.solid, u) + p.solid.radius * u; }

/// B beside A, touching to within a twentieth, or inside it.
void scenario(Examiner& e, const Piece& a, const Piece& b) {
    Random& random = e.random;
    const mat3 turn = test::mixed_turn(random);
    const dmat3 rotation(turn);
    const double smaller = std::min(a.solid.size, b.solid.size);
    const auto support_b = [&](const dvec3& u) { return rotation * support_of(b, u * rotation); };

    const dvec3 u = random.chance(0.3) ? dvec3(test::quarter_turns(random)[0]) : random.direction();
    const double gap = std::pow(random.unit(), 3.0) * 2.0 * std::max(a.solid.size, b.solid.size);
    const bool shifted = random.chance(0.5);
    const double shift = shifted ? random.between(0.0, 1.0) * a.solid.size : 0.0;
    const dvec3 touching = support_of(a, u) - support_b(-u);
    const dvec3 middles = a.solid.center - rotation * b.solid.center;
    const dvec3 beside = middles + u * glm::dot(u, touching - middles) + shift * dvec3(any_perpendicular(vec3(u)));
    const dvec3 apart = (shifted ? beside : touching) + gap * u;
    const MatrixTransform f{vec3(apart), turn};
    const oracle::SignedDistance truth = e.ask(a, b, f);

    // Straight back along the normal, until it touches.
    const double target = random.chance(0.15) ? 0.0 : random.between(-0.05, 0.05) * smaller;
    e.ask(a, b, {vec3(apart + truth.normal * (target - truth.separation)), turn});

    const double kind = random.unit();
    const dvec3 v = random.direction(), w = random.direction();
    const double into_a = random.between(0.0, 0.9), into_b = random.between(0.0, 0.9);
    dvec3 deep = a.solid.center + into_a * (oracle::core_support(a.solid, v) - a.solid.center) -
                 rotation * (b.solid.center + into_b * (oracle::core_support(b.solid, w) - b.solid.center));
    if (kind < 0.15) deep = dvec3(0.0);
    if (kind >= 0.15 && kind < 0.3) deep = middles;
    e.ask(a, b, {vec3(deep), turn});

    const mat3 quarter = test::quarter_turns(random);
    for (const dvec3& p : {apart, deep}) e.ask_swapped(a, b, {vec3(p), quarter});
}

/// Runs `make(random, type)` pairs of all kinds through the scenario.
template <class Make>
void examine_all(std::uint64_t stream, long poses, Make make) {
    Tally total;
    std::string table;
    for_each_pair([&](ShapeType type_a, ShapeType type_b) {
        const auto seed = static_cast<std::uint64_t>(from_environment("TALUS_CLOSED_FORMS_SEED", 1)) * 2 + stream;
        Examiner e(seed * 64 + static_cast<std::uint64_t>(type_a) * 8 + static_cast<std::uint64_t>(type_b));
        while (e.tally.poses < poses) make(e, type_a, type_b);
        const Tally& t = e.tally;
        table += line(std::string(name_of(type_a)) + "-" + std::string(name_of(type_b)), t);
        CHECK(8 * t.apart > t.poses);
        CHECK(8 * t.shallow > t.poses);
        const bool thin = type_a == ShapeType::segment || type_b == ShapeType::segment;
        CHECK((thin ? 100 : 8) * t.deep > t.poses);
        total.poses += t.poses;
        total.failures += t.failures;
    });
    if (total.failures > 0 || from_environment("TALUS_CLOSED_FORMS_REPORT", 0) != 0) MESSAGE("\n", table);
    CHECK(total.failures == 0);
    CHECK(total.poses > 24 * poses);
}

}  // namespace

TEST_CASE("closed forms agree with the oracle and with GJK and EPA on random pairs in both orders" *
          doctest::test_suite("slow")) {
    examine_all(0, from_environment("TALUS_CLOSED_FORMS_POSES", default_poses),
                [](Examiner& e, ShapeType type_a, ShapeType type_b) {
                    const double size_a = e.random.scale(0.1, 10.0);
                    const double size_b = size_a * e.random.scale(0.1, 10.0);
                    const Piece a = random_piece(e.random, type_a, size_a);
                    const Piece b = random_piece(e.random, type_b, size_b);
                    scenario(e, a, b);
                });
}

TEST_CASE("closed forms hold for needles and plates and for sizes a hundred thousand times apart" *
          doctest::test_suite("slow")) {
    examine_all(1, from_environment("TALUS_CLOSED_FORMS_POSES", default_poses) / 4,
                [](Examiner& e, ShapeType type_a, ShapeType type_b) {
                    const double size_a = e.random.scale(0.1, 1000.0);
                    const double ratio = e.random.chance(0.3) ? 1.0 : e.random.scale(1e-5, 1.0);
                    const bool a_larger = e.random.chance(0.5);
                    const Piece a = hard_piece(e.random, type_a, a_larger ? size_a : size_a * ratio);
                    const Piece b = hard_piece(e.random, type_b, a_larger ? size_a * ratio : size_a);
                    scenario(e, a, b);
                });
}

TEST_CASE("separating axes give the depth of what overlaps a box and never more than the distance of what does not") {
    const ShapeType box = ShapeType::box, triangle = ShapeType::triangle;
    const ShapeType pairs[3][2] = {{box, box}, {box, triangle}, {triangle, box}};
    for (int i = 0; i < 6; ++i) {
        const bool hard = i >= 3;
        const ShapeType type_a = pairs[i % 3][0], type_b = pairs[i % 3][1];
        REQUIRE(has_axes(type_a, type_b));
        Examiner e(static_cast<std::uint64_t>(i), by_separating_axes);
        const long poses = from_environment("TALUS_CLOSED_FORMS_POSES", default_poses) * 2;
        while (e.tally.poses < poses) {
            double size_a = e.random.scale(0.1, hard ? 1000.0 : 10.0);
            double size_b = size_a * e.random.scale(hard ? 1e-5 : 0.1, hard ? 1.0 : 10.0);
            if (e.random.chance(0.5)) std::swap(size_a, size_b);
            const Piece a = (hard ? hard_piece : random_piece)(e.random, type_a, size_a);
            const Piece b = (hard ? hard_piece : random_piece)(e.random, type_b, size_b);
            scenario(e, a, b);
        }
        const Tally& t = e.tally;
        if (t.failures > 0 || from_environment("TALUS_CLOSED_FORMS_REPORT", 0) != 0)
            MESSAGE(line(std::string(name_of(type_a)) + "-" + std::string(name_of(type_b)), t), "undecided ",
                    t.undecided);
        CHECK(t.failures == 0);
        CHECK(5 * t.deep > t.poses);
        CHECK(50 * t.decided_apart > t.poses);
    }
}

TEST_CASE("separating axes stop at a limit that is exceeded and only then") {
    Random random(12);
    int beyond = 0, within = 0;
    for (int i = 0; i < 4000; ++i) {
        const Piece a = random_piece(random, ShapeType::box, 1.0);
        const Piece b = random_piece(random, random.chance(0.5) ? ShapeType::box : ShapeType::triangle, 1.0);
        const double away = random.between(0.5, 3.0), limit = random.between(-0.5, 1.0);
        const MatrixTransform f{test::narrow(random.direction() * away), test::mixed_turn(random)};
        const ByAxes free = by_axes(a.shape, b.shape, f);
        const ByAxes limited = by_axes(a.shape, b.shape, f, static_cast<float>(limit));
        if (limited.status == AxesStatus::beyond_limit) {
            ++beyond;
            CHECK(limited.answer.separation >= static_cast<float>(limit));
            CHECK(limited.answer.separation <= free.answer.separation + 1e-6f);
            CHECK(oracle::separation_along(a.solid, b.solid, oracle::Pose(f), dvec3(limited.answer.normal)) ==
                  doctest::Approx(double(limited.answer.separation)).epsilon(1e-5));
        } else {
            ++within;
            CHECK(limited.status == free.status);
            CHECK(limited.answer.separation == free.answer.separation);
            CHECK(limited.answer.point_a == free.answer.point_a);
        }
    }
    CHECK(beyond > 500);
    CHECK(within > 500);
}

namespace {

const mat3 upright(1.0f);
/// A rotation by 90 degrees about z: y becomes x.
const mat3 lying(vec3(0, -1, 0), vec3(1, 0, 0), vec3(0, 0, 1));

void check_answer(const ClosedForm& c, float separation, const vec3& normal) {
    CAPTURE(c.separation);
    CAPTURE(c.normal.x);
    CAPTURE(c.normal.y);
    CAPTURE(c.normal.z);
    CHECK(c.separation == doctest::Approx(double(separation)).epsilon(1e-6));
    CHECK(length_squared(c.normal - normal) < 1e-12f);
}

}  // namespace

TEST_CASE("which pairs have closed forms does not depend on their order") {
    int count = 0;
    for (int i = 0; i < shape_type_count; ++i) {
        for (int j = 0; j < shape_type_count; ++j) {
            const bool has = has_closed_form(ShapeType(i), ShapeType(j));
            CHECK(has == has_closed_form(ShapeType(j), ShapeType(i)));
            count += int(has);
        }
    }
    CHECK(count == 25);
    static_assert(has_closed_form(ShapeType::box, ShapeType::capsule));
    static_assert(!has_closed_form(ShapeType::box, ShapeType::box));
}

TEST_CASE("a sphere whose centre is on the core of the other shape is pushed out along a fixed axis") {
    const Shape ball = sphere(0.25f);
    const MatrixTransform here{vec3(0.0f), upright};
    check_answer(closed_form(ball, sphere(0.5f), here), -0.75f, {0, 1, 0});
    // Across the capsule's axis, whichever way that looks.
    for (const mat3& turn : {upright, lying}) {
        const ClosedForm c = closed_form(ball, capsule(1.0f, 0.5f), {vec3(0.0f), turn});
        CHECK(c.separation == -0.75f);
        CHECK(glm::dot(c.normal, turn[1]) == 0.0f);
        CHECK(length_squared(c.normal) == doctest::Approx(1.0));
    }
    // From a box's centre to its nearest faces: a tie goes to the lowest axis, and to its positive side.
    check_answer(closed_form(box({3, 1, 2}), ball, here), -1.25f, {0, 1, 0});
    check_answer(closed_form(box({1, 1, 1}), ball, here), -1.25f, {1, 0, 0});
    check_answer(closed_form(box({2, 1, 1}), ball, {{0, -0.5f, 0}, upright}), -0.75f, {0, -1, 0});
    // On a face, on an edge, on a corner.
    check_answer(closed_form(box({1, 2, 3}), ball, {{0, 2, 0}, upright}), -0.25f, {0, 1, 0});
    check_answer(closed_form(box({1, 2, 3}), ball, {{1, 2, 0}, upright}), -0.25f, {1, 0, 0});
    check_answer(closed_form(box({1, 2, 3}), ball, {{-1, -2, -3}, upright}), -0.25f, {-1, 0, 0});
    // In the middle of a cylinder the side or the cap, on a cone's rim and apex its side.
    check_answer(closed_form(cylinder(2.0f, 1.0f), ball, here), -1.25f, {1, 0, 0});
    check_answer(closed_form(cylinder(1.0f, 2.0f), ball, here), -1.25f, {0, 1, 0});
    check_answer(closed_form(cylinder(1.0f, 1.0f), ball, {{0, -0.5f, 0}, upright}), -0.75f, {0, -1, 0});
    const float slant = std::sqrt(5.0f);
    check_answer(closed_form(cone(1.0f, 1.0f), ball, {{0, 1, 0}, upright}), -0.25f, {2 / slant, 1 / slant, 0});
    check_answer(closed_form(cone(1.0f, 1.0f), ball, {{0, -0.75f, 0}, upright}), -0.5f, {0, -1, 0});
    const Shape flat = triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 2});
    check_answer(closed_form(flat, ball, here), -0.25f, {0, -1, 0});
    check_answer(closed_form(flat, ball, {{0, 0.125f, 0}, upright}), -0.125f, {0, 1, 0});
}

TEST_CASE("capsules that are parallel or collinear or cross each other's middle touch where they should") {
    const Shape rod = capsule(1.0f, 0.25f);
    // Side by side, overlapping from -0.5 to 1: the middle of that.
    const ClosedForm beside = closed_form(rod, rod, {{1, 0.5f, 0}, upright});
    check_answer(beside, 0.5f, {1, 0, 0});
    CHECK(beside.point_a.y == doctest::Approx(0.25));
    // End to end, touching and overlapping.
    check_answer(closed_form(rod, rod, {{0, 2.5f, 0}, upright}), 0.0f, {0, 1, 0});
    const ClosedForm along = closed_form(rod, rod, {{0, 1.5f, 0}, upright});
    CHECK(along.separation == -0.5f);
    CHECK(along.normal.y == 0.0f);
    CHECK(along.point_a.y == doctest::Approx(0.75));
    check_answer(closed_form(rod, rod, {{0, 0, 0}, lying}), -0.5f, {0, 0, -1});
    check_answer(closed_form(rod, rod, {{0, 0, 0.25f}, lying}), -0.25f, {0, 0, 1});
    // Without a cylindrical part they are spheres.
    const Shape ball = capsule(0.0f, 0.5f);
    check_answer(closed_form(ball, ball, {{0, 0, 0}, lying}), -1.0f, {0, 1, 0});
    check_answer(closed_form(ball, rod, {{2, 0.5f, 0}, upright}), 1.25f, {1, 0, 0});
    check_answer(closed_form(rod, ball, {{2, 0.5f, 0}, upright}), 1.25f, {1, 0, 0});
    check_answer(closed_form(box({1, 1, 1}), ball, {{0, 1.25f, 0}, upright}), -0.25f, {0, 1, 0});
    check_answer(closed_form(box({1, 1, 1}), ball, {{0, 0.75f, 0}, upright}), -0.75f, {0, 1, 0});
}

TEST_CASE("a capsule lying on a box touches in the middle of what they share") {
    const Shape table = box({2, 1, 2}), rod = capsule(1.0f, 0.25f);
    const ClosedForm on_top = closed_form(table, rod, {{1.5f, 1.5f, 0}, lying});
    check_answer(on_top, 0.25f, {0, 1, 0});
    CHECK(on_top.point_a.x == doctest::Approx(1.25));
    const ClosedForm sunk = closed_form(table, rod, {{1.5f, 0.875f, 0}, lying});
    check_answer(sunk, -0.375f, {0, 1, 0});
    CHECK(sunk.point_a.x == doctest::Approx(1.25));
    // Its axis through the table's edge: out along the diagonal would cost more than the face.
    check_answer(closed_form(table, rod, {{2, 1, 0}, mat3(vec3(1, 0, 0), vec3(0, 0, 1), vec3(0, -1, 0))}), -0.25f,
                 {1, 0, 0});
}

TEST_CASE("a normal between cores that all but touch is as good as one from farther away") {
    // Some ten-millionths beside the box's edge, where a hundred kilometres of line leave little of that direction.
    const Piece brick = make_piece(box({1, 1, 1}));
    const float c = 0.70710677f;
    for (int i = 0; i < 200; ++i) {
        const float length = 1e5f + 977.0f * static_cast<float>(i), beside = 0x1p-22f * static_cast<float>(1 + i % 7);
        const Piece line = make_piece(segment({0, -1e4f, 0}, {0, length, 0}));
        const MatrixTransform f{{1.0f + beside, 1.0f, 0.0f}, mat3(vec3(c, c, 0), vec3(c, -c, 0), vec3(0, 0, -1))};
        const ClosedForm apart = closed_form(brick.shape, line.shape, f);
        CHECK(std::abs(apart.separation) < 2e-6f);
        const double s = oracle::separation_along(brick.solid, line.solid, oracle::Pose(f), dvec3(apart.normal));
        CHECK(s > -0.05);  // a float's rounding at that distance
    }
}

TEST_CASE("the edge of a box that dips into a triangle touches where the two meet and not in its own middle") {
    const vec3 middle = vec3(1, 1, 0.75f) - vec3(0.0625f, 0.0625f, 0), u(2, -2, 0), w(0, 0, 0.125f);
    const vec3 n = vec3(1, 1, 0) / std::sqrt(2.0f);
    const Shape brick = box({1, 1, 1}), plate = triangle(middle + u - w, middle - u - w, middle + w);
    for (const bool box_first : {true, false}) {
        const ByAxes r = box_first ? by_axes(brick, plate, {{}, upright}) : by_axes(plate, brick, {{}, upright});
        CHECK(r.status == AxesStatus::exact);
        check_answer(r.answer, -0.0625f * std::sqrt(2.0f), box_first ? n : -n);
        CHECK(r.answer.point_a.z > 0.65f);
        CHECK(r.answer.point_a.z < 0.85f);
    }
}

TEST_CASE("closed forms of any finite pose are finite") {
    Random random(77);
    for_each_pair([&](ShapeType type_a, ShapeType type_b) {
        for (int i = 0; i < 500; ++i) {
            const double size_a = random.scale(2e-6, 3e5), size_b = random.scale(2e-6, 3e5);
            const Piece a{hard_piece(random, type_a, size_a)}, b{hard_piece(random, type_b, size_b)};
            const double far = random.chance(0.5) ? 0.0 : random.scale(1e-38, 1e30);
            const MatrixTransform f{test::narrow(random.direction() * far), test::mixed_turn(random)};
            const ClosedForm c = closed_form(a.shape, b.shape, f);
            const bool good = is_finite(c.separation) && is_finite(c.point_a) && is_finite(c.point_b) &&
                              std::abs(length_squared(c.normal) - 1.0f) < 1e-5f;
            CHECK_MESSAGE(good, test::reproduce(a.shape, b.shape, f));
            if (!good) return;
        }
    });
}

TEST_CASE("the manifold of a sphere is the one point that make_manifold gives") {
    Random random(78);
    int within = 0, beyond = 0;
    for_each_pair([&](ShapeType type_a, ShapeType type_b) {
        if (type_a != ShapeType::sphere && type_b != ShapeType::sphere) return;
        for (int i = 0; i < 200; ++i) {
            const Piece a = random_piece(random, type_a, 1.0), b = random_piece(random, type_b, 1.0);
            const double away = random.between(0.0, 3.0);
            const MatrixTransform f{test::narrow(random.direction() * away), test::mixed_turn(random)};
            const ClosedForm c = closed_form(a.shape, b.shape, f);
            const float margin = 0.2f;
            FaceHints hints;
            const Manifold expected = make_manifold(a.shape, b.shape, f, c.normal, c.point_a, c.point_b, margin, hints);
            Manifold got;
            got.count = 4;
            got.overlaps = true;
            got.face_owner = FaceOwner::b;
            got.points[0].id = 99;
            one_point_manifold(c, f, margin, got);
            if (std::abs(c.separation - margin) < 1e-5f) continue;
            REQUIRE(got.count == expected.count);
            CHECK(got.normal == expected.normal);
            CHECK(got.face_owner == expected.face_owner);
            CHECK(got.overlaps == expected.overlaps);
            ++(got.count == 1 ? within : beyond);
            if (got.count == 0) continue;
            CHECK(got.points[0].id == expected.points[0].id);
            CHECK(got.points[0].on_a == expected.points[0].on_a);
            CHECK(got.points[0].on_b == expected.points[0].on_b);
            CHECK(got.points[0].separation == doctest::Approx(double(expected.points[0].separation)).epsilon(1e-5));
        }
    });
    CHECK(within > 500);
    CHECK(beyond > 500);
}
