/// The contacts of solids of any shape against the oracle over all pairs of triangles: in random poses in which they
/// are within the margin of each other, just touch, or overlap a little.
///
/// Where they are apart:
///     - the smallest separation is the distance of the surfaces, and no contact has a smaller one;
///     - each place at which the distance has a local minimum within the margin has a contact, or, where faces are
///       parallel, is among contacts that face alike;
///     - no normal brings the surfaces together near its contact, and it is a normal of what is there.
/// Where they overlap, by having been moved on from where they just touched:
///     - when B is moved by as little as all contacts ask for, the surfaces part;
///     - that is no farther than back to where they touched, or no contact asks for more than that.
///
/// A world with two such bodies must have these contacts, too: the deepest one, and for each a patch that faces alike.
///
/// TALUS_NONCONVEX_SCALE multiplies the poses: 20 makes 200,000. TALUS_CONTACT_ORACLE_REPORT=1 prints the table,
/// TALUS_CONTACT_ORACLE_PAIR and _POSE choose one pair and one pose of it.

#include "tests/narrowphase/nonconvex/contact_oracle.h"
#include "engine/settings.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/nonconvex/feature_contacts.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/tolerances.h"
#include "samples/scenes/kit/screw_thread.h"
#include "samples/scenes/kit/solids.h"
#include "tests/narrowphase/nonconvex/nonconvex_solids.h"

#include <talus/engine/world.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;
using glm::dvec3;

namespace {

// ---- solids ---------------------------------------------------------------------------------------------------------

/// A solid of which only the surface is used: make_nonconvex() has no part in this.
struct Subject {
    std::string name;
    samples::MeshFile mesh;
    std::shared_ptr<const TriangleSet> set;
    float size = 0.0f;    ///< half of the longest side of its box, m
    float radius = 0.0f;  ///< around the origin of its frame, m

    const SurfaceFeatures& features() const { return *set->solid_features(); }
};

Subject subject(std::string name, samples::MeshFile mesh, const vec3& scale = vec3(1.0f)) {
    for (vec3& v : mesh.vertices) v *= scale;
    const auto made = make_mesh({.vertices = mesh.vertices, .indices = mesh.triangles, .solid = true});
    REQUIRE_MESSAGE(bool(made), name << ": " << made.error().message);
    const Aabb box = (*made)->bounds();
    const vec3 half = half_extents(box), far = glm::max(absolute(box.lower), absolute(box.upper));
    return {std::move(name), std::move(mesh), *made, std::max({half.x, half.y, half.z}),
            std::sqrt(length_squared(far))};
}

/// Two pieces of a puzzle: cubes in a lattice, with notches.
samples::MeshFile burr(std::initializer_list<int> missing) {
    constexpr int n = 6;
    std::array<bool, std::size_t{n} * n * n> filled{};
    for (int x = 0; x < n; ++x) {
        for (const int y : {2, 3}) {
            for (const int z : {2, 3}) filled[static_cast<std::size_t>((z * n + y) * n + x)] = true;
        }
    }
    for (const int k : missing) filled[static_cast<std::size_t>(k)] = false;
    return samples::cubes(filled, n, 0.33f, 0.004f);
}

std::vector<Subject> subjects() {
    std::vector<Subject> all;
    for (NonconvexSolid& each : nonconvex_solids()) all.push_back(subject(each.name, std::move(each.mesh)));
    all.push_back(subject("box", samples::box_solid({1.0f, 0.6f, 0.4f})));
    all.push_back(subject("bar", samples::box_solid({1.0f, 0.05f, 0.03f})));
    all.push_back(subject("ring", samples::ring(0.75f, 0.25f, 14, 7)));
    all.push_back(subject("small ring", samples::ring(0.75f, 0.25f, 10, 6), vec3(0.5f)));
    all.push_back(subject("thin frame", samples::square_frame(), {1.0f, 1.0f, 0.15f}));
    all.push_back(subject("small u prism", samples::u_prism(), vec3(0.4f)));
    all.push_back(subject("burr of 2", burr({92, 93, 128, 129})));
    all.push_back(subject("burr of 3", burr({92, 93, 86, 122})));
    // A blade: sharp edges and a sharp notch.
    const samples::OutlinePoint blade[] = {{-1.0f, -0.2f}, {0.0f, 0.1f}, {1.0f, -0.3f}, {0.2f, 0.5f}, {-0.1f, 0.45f}};
    all.push_back(subject("blade", samples::prism(blade, 1.2f)));
    const samples::ScrewThread thread{.root = 0.45f,
                                      .crest = 0.62f,
                                      .pitch = 0.4f,
                                      .foot = 0.2f,
                                      .top = 0.1f,
                                      .around = 12,
                                      .first = -18,
                                      .last = 18,
                                      .lower = -0.95f,
                                      .upper = 0.95f};
    all.push_back(subject("bolt", samples::bolt(thread, 0.85f, 0.3f)));
    return all;
}

/// Each solid with itself and with one other.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(std::size_t count) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(i, i), pairs.emplace_back(i, (8 * i + 3) % count);
    return pairs;
}

// ---- poses ----------------------------------------------------------------------------------------------------------

enum class Kind { apart, touching, overlapping };

/// A pose of B in A's frame, in float.
struct Posed {
    Transform pose;
    Kind kind = Kind::apart;
    dvec3 back{0.0};  ///< moved by this, they just touch, m
    OracleSurface b;
};

glm::dquat oracle_rotation(const quat& q) { return glm::normalize(glm::dquat(q.w, q.x, q.y, q.z)); }

dvec3 any_point(Random& random, const Aabb& box) {
    const dvec3 low(box.lower), size = dvec3(box.upper) - low;
    const double x = random.unit(), y = random.unit(), z = random.unit();
    return low + dvec3(x, y, z) * size;
}

dvec3 face_normal(const samples::MeshFile& mesh, std::size_t face) {
    const auto at = [&](std::size_t k) { return dvec3(mesh.vertices[mesh.triangles[3 * face + k]]); };
    return glm::normalize(glm::cross(at(1) - at(0), at(2) - at(0)));
}

/// Any rotation; one that is aligned with the axes; one that lays a face of B on a face of A; and nearly these.
quat orientation(Random& random, const Subject& a, const Subject& b) {
    const double kind = random.unit();
    glm::dquat q = glm::angleAxis(random.between(0.0, 3.14), random.direction());
    if (kind < 0.4) return quat(q);
    if (kind < 0.65) {
        const double h = std::sqrt(0.5);
        const glm::dquat quarter[] = {{1, 0, 0, 0}, {h, h, 0, 0}, {h, 0, h, 0}, {h, 0, 0, h}};
        const int first = random.below(4), second = random.below(4);
        q = quarter[first] * quarter[second];
    } else {
        const dvec3 up = face_normal(a.mesh, random.below(a.mesh.triangles.size() / 3));
        const dvec3 down = q * face_normal(b.mesh, random.below(b.mesh.triangles.size() / 3));
        const dvec3 axis = glm::cross(down, -up);
        const double sine = glm::length(axis), cosine = glm::dot(down, -up);
        if (sine > 1e-9) q = glm::angleAxis(std::atan2(sine, cosine), axis / sine) * q;
    }
    if (random.chance(0.4)) q = glm::angleAxis(random.scale(1e-5, 0.06), random.direction()) * q;
    return quat(q);
}

bool overlaps_or_is_inside(const OracleSurface& a, const OracleSurface& b) {
    return triangles_cross(a, b) || std::abs(a.winding(b.triangles()[0][0])) > 0.5 ||
           std::abs(b.winding(a.triangles()[0][0])) > 0.5;
}

/// B is moved until it touches A, from outside or from within a hole of it; then along what it touches, until it touches
/// something else, too: an edge comes to lie in a notch, two rings interlock.
Posed any_pose(Random& random, const Subject& a, const OracleSurface& surface_a, const Subject& b) {
    const double size = double{std::min(a.size, b.size)}, far = 4.0 * double{a.size + b.size};
    const double margin = double{tolerance::contact_margin} * size;
    for (;;) {
        const quat rotation = orientation(random, a, b);
        const OracleSurface at_origin(b.mesh, dvec3(0.0), oracle_rotation(rotation));
        const dvec3 middle = 0.5 * (at_origin.box().lower + at_origin.box().upper);
        dvec3 way = random.direction(), position = any_point(random, a.set->bounds()) - middle;
        if (random.chance(0.3)) way = face_normal(a.mesh, random.below(a.mesh.triangles.size() / 3)) * -1.0;
        bool is_inside = random.chance(0.5);
        for (int attempt = 0; attempt < 6 && is_inside; ++attempt) {
            if (!overlaps_or_is_inside(surface_a, at_origin.moved(position))) break;
            position = any_point(random, a.set->bounds()) - middle;
            is_inside = attempt < 5;
        }
        if (!is_inside) position -= far * way;
        std::optional<double> length = way_to_touch(surface_a, at_origin.moved(position), way);
        if (!length) continue;
        position += *length * way;
        for (int slides = random.below(3); slides > 0; --slides) {
            const dvec3 off = position - random.scale(1e-5, 0.3) * margin * way;
            const OracleSurface moved = at_origin.moved(off);
            if (triangles_cross(surface_a, moved)) break;
            const auto minima = local_minima(surface_a, moved, margin);
            if (minima.empty()) break;
            const auto nearest = std::min_element(minima.begin(), minima.end(),
                                                  [](const auto& x, const auto& y) { return x.distance < y.distance; });
            const dvec3 any = random.direction(), along = any - glm::dot(any, nearest->normal) * nearest->normal;
            const dvec3 next = glm::normalize(along);
            length = way_to_touch(surface_a, moved, next);
            if (!length || *length > far) break;
            way = next;
            position = off + *length * way;
        }
        Posed result;
        const double kind = random.unit();
        double deeper = -margin * random.scale(1e-3, 1.0);
        if (kind > 0.4) deeper = size * random.scale(2e-4, 1e-2), result.kind = Kind::overlapping;
        if (kind > 0.85) deeper = size * random.between(-1e-6, 1e-6), result.kind = Kind::touching;
        result.pose = {vec3(position + deeper * way), rotation};
        result.back = position - dvec3(result.pose.position);
        result.b = at_origin.moved(dvec3(result.pose.position));
        // Between parallel faces, the way is blocked by what is beside it, within rounding.
        if (triangles_cross(surface_a, at_origin.moved(position - 1e-6 * size * way))) continue;
        const bool crosses = triangles_cross(surface_a, result.b);
        if (result.kind == Kind::apart && crosses) continue;
        if (result.kind == Kind::overlapping && !crosses) continue;
        return result;
    }
}

// ---- what is examined -----------------------------------------------------------------------------------------------

/// The contact points of two solids as the engine finds them (SolidContacts::find) for bodies at rest that are new to
/// each other at `found_at` and have moved since.
std::vector<FeaturePoint> contacts_of_engine(const Subject& a, const Subject& b, const Transform& found_at,
                                             const Transform& now) {
    const float size = std::min(a.size, b.size), margin = tolerance::contact_margin * size;
    const bool few = std::uint64_t{a.set->size()} * b.set->size() <= settings::few_solid_pairs;
    const float thickness = std::min(a.set->solid_thickness(), b.set->solid_thickness());
    const float most_depth = few ? settings::few_solid_most_depth * size
                                 : std::max(settings::solid_most_depth * size, settings::solid_thick_depth * thickness);
    const bool is_thin = thickness < settings::solid_most_depth * size;
    const float least_depth =
        std::max(settings::solid_depth * size, is_thin ? settings::solid_thin_depth * thickness : 0.0f);
    const float grain = std::sqrt(a.features().grain * b.features().grain);
    const float near =
        std::min({settings::solid_reach * size, (settings::solid_most_reach + settings::solid_reach) * size,
                  settings::solid_grains_reach * grain});
    const float seen_margin = settings::solid_margin_ahead * margin;
    const float counts = std::max(seen_margin, least_depth) + settings::solid_room * size;
    const float around = counts + std::max(settings::solid_far_least * size, near);
    const MatrixTransform first = to_matrix_transform(found_at);
    const float apart = NodePairs(a.features(), b.features(), first).distance_bound(around);
    const float reach = apart > counts + near ? apart - counts : near;
    const float near_margin = std::min(
        seen_margin, std::max(apart, 0.0f) + tolerance::contact_margin * size + settings::solid_grains_behind * grain);
    const float seen_depth = apart > 0.0f ? 0.0f : std::clamp(0.0f, least_depth, most_depth);
    FeatureLimits limits;
    limits.reach = reach;
    limits.turn = std::min(reach / std::max(std::min(a.radius, b.radius), 1e-6f), tolerance::feature_most_turn);
    limits.room = settings::solid_room * size;
    limits.sure = settings::solid_sure_depth * size;
    limits.depth = std::min(seen_depth, settings::solid_depth * size) + reach;
    FeatureCandidates candidates;
    candidates.find(a.features(), b.features(), first, near_margin, limits);
    const float moved = b.radius < a.radius
                            ? motion_bound(found_at, now, b.radius)
                            : motion_bound(relative(found_at, Transform{}), relative(now, Transform{}), a.radius);
    REQUIRE(moved <= reach);
    std::vector<FeaturePoint> points;
    limits.depth = std::min(std::clamp(moved, least_depth, most_depth), seen_depth + reach);
    candidates.evaluate(a.features(), b.features(), to_matrix_transform(now), std::min(margin, near_margin), limits,
                        points);
    return points;
}

/// A contact in double.
struct Found {
    dvec3 on_a, on_b;  ///< A's frame
    dvec3 normal;
    double separation;
};

enum Failure {
    not_nearest,
    missed_corner,
    missed_minimum,
    missed_parallel,
    overlap_without_cause,
    bad_points,
    bad_normal,
    no_way_out,
    too_deep,
    not_in_world,
    not_finite,
    failures
};

constexpr const char* failure_names[failures] = {"nearest", "corner",  "minimum",  "parallel", "no cause", "points",
                                                 "normal",  "way out", "too deep", "world",    "NaN"};

struct Tally {
    std::string name;
    long poses = 0, apart = 0, touching = 0, overlapping = 0, contacts = 0, minima = 0, parallel = 0, normals = 0;
    long covered = 0;  ///< minima that have no contact of their own
    long unclear = 0;  ///< overlapping poses with a way out along features that have not touched, but are as near
    long unfit = 0;    ///< overlapping poses whose contacts cannot all be satisfied at once
    long worlds = 0;
    long failed[failures] = {};
    double worst_distance = 0.0;  ///< difference of the smallest separation and the distance, in sizes
    double worst_tilt = 0.0;

    void add(const Tally& other) {
        poses += other.poses, apart += other.apart, touching += other.touching, overlapping += other.overlapping;
        contacts += other.contacts, minima += other.minima, parallel += other.parallel, normals += other.normals;
        covered += other.covered, unclear += other.unclear, unfit += other.unfit, worlds += other.worlds;
        for (int k = 0; k < failures; ++k) failed[k] += other.failed[k];
        worst_distance = std::max(worst_distance, other.worst_distance);
        worst_tilt = std::max(worst_tilt, other.worst_tilt);
    }
};

/// Whether a point is in the convex hull of points, seen along a normal, to a tolerance: there is no line with all of
/// them on one side and it on the other.
bool is_among(const dvec3& p, const std::vector<dvec3>& points, const dvec3& normal, double tolerance) {
    const dvec3 other = std::abs(normal.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0);
    const dvec3 x = glm::normalize(glm::cross(other, normal)), y = glm::cross(normal, x);
    constexpr int directions = 180;
    for (int k = 0; k < directions; ++k) {
        const double angle = 2.0 * 3.14159265358979 * k / directions;
        const dvec3 d = std::cos(angle) * x + std::sin(angle) * y;
        double most = -1e300;
        for (const dvec3& q : points) most = std::max(most, glm::dot(q - p, d));
        if (most < -tolerance) return false;
    }
    return true;
}

/// The shortest motion t with normal . t >= least - separation for all contacts (Hildreth 1957). `fits`: there is one.
dvec3 least_motion(const std::vector<Found>& contacts, double least, double tolerance, bool& fits) {
    std::vector<double> shares(contacts.size());
    dvec3 t(0.0);
    double lacking = 0.0;
    for (int round = 0; round < 4000; ++round) {
        lacking = 0.0;
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            const double lacks = least - contacts[k].separation - glm::dot(contacts[k].normal, t);
            lacking = std::max(lacking, lacks);
            const double share = std::max(shares[k] + lacks, 0.0);
            t += (share - shares[k]) * contacts[k].normal;
            shares[k] = share;
        }
        if (lacking < 0.1 * tolerance) break;
    }
    fits = lacking <= tolerance;
    return t;
}

class Examination {
public:
    Examination(const Subject& a, const Subject& b)
        : a_(a),
          b_(b),
          surface_a_(a.mesh, dvec3(0.0), glm::dquat(1, 0, 0, 0)),
          size_(double{std::min(a.size, b.size)}),
          margin_(double{tolerance::contact_margin} * size_),
          rounding_(1e-5 * size_ + 2e-6 * double{std::max(a.size, b.size)}) {
        tally.name = a.name + ", " + b.name;
    }

    void examine(Random& random, std::uint64_t number, bool in_world) {
        number_ = number;
        posed_ = any_pose(random, a_, surface_a_, b_);
        ++tally.poses;
        Transform found_at = posed_.pose;
        if (random.chance(0.5)) {  // the candidates were found a little earlier
            const double reach =
                std::min({0.02 * size_, 0.25 * std::sqrt(double{a_.features().grain} * double{b_.features().grain})});
            const double share = 0.45 * random.unit() * reach;
            found_at.position += vec3(share * random.direction());
            const double lever = double{a_.radius + b_.radius} + glm::length(dvec3(posed_.pose.position));
            const double angle = 0.45 * reach / lever * random.unit();
            found_at.rotation = quat(glm::angleAxis(angle, random.direction()) * oracle_rotation(posed_.pose.rotation));
        }
        const std::vector<FeaturePoint> points = contacts_of_engine(a_, b_, found_at, posed_.pose);
        contacts_.clear();
        for (const FeaturePoint& p : points) {
            const dvec3 on_b = dvec3(posed_.pose.position) + oracle_rotation(posed_.pose.rotation) * dvec3(p.on_b);
            contacts_.push_back({dvec3(p.on_a), on_b, dvec3(p.normal), double{p.separation}});
            const double length = glm::length(contacts_.back().normal);
            if (!(std::abs(length - 1.0) < 1e-5) || !std::isfinite(p.separation)) return fail(not_finite, 0.0, {});
        }
        tally.contacts += static_cast<long>(contacts_.size());
        if (posed_.kind == Kind::apart)
            examine_apart();
        else
            examine_overlap();
        examine_points();
        if (in_world) examine_world();
    }

    Tally tally;
    std::vector<std::string> details;

private:
    void fail(Failure failure, double value, const dvec3& where) {
        ++tally.failed[failure];
        std::ostringstream out;
        out.precision(9);
        const vec3& p = posed_.pose.position;
        const quat& q = posed_.pose.rotation;
        out << tally.name << " #" << number_ << ' ' << failure_names[failure] << ' ' << value / size_ << " at ("
            << where.x << ' ' << where.y << ' ' << where.z << ") kind " << static_cast<int>(posed_.kind) << " back "
            << glm::length(posed_.back) / size_ << ": position " << p.x << ' ' << p.y << ' ' << p.z << " rotation "
            << q.w << ' ' << q.x << ' ' << q.y << ' ' << q.z;
        details.push_back(out.str());
    }

    void examine_apart() {
        ++tally.apart;
        const std::vector<LocalMinimum> minima = local_minima(surface_a_, posed_.b, margin_);
        double distance = margin_;
        bool is_corner = false;
        for (const LocalMinimum& m : minima) {
            if (m.distance < distance) distance = m.distance, is_corner = m.of_a + m.of_b < 2;
        }
        if (number_ % 8 == 0) {  // the oracle against itself
            const double plain = distance_of(surface_a_, posed_.b, margin_);
            CHECK(std::abs(plain - distance) < 1e-7 * size_);
        }
        double least = margin_;
        dvec3 at(0.0);
        for (const Found& c : contacts_) {
            if (c.separation < least) least = c.separation, at = c.on_a;
        }
        const double difference = least - distance;
        tally.worst_distance = std::max(tally.worst_distance, std::abs(difference) / size_);
        if (difference > allowed_ && !is_corner) fail(not_nearest, difference, {});
        if (difference < -allowed_) fail(overlap_without_cause, difference, at);
        for (const LocalMinimum& m : minima) {
            if (m.distance > margin_ - 2.0 * rounding_) continue;
            ++(m.is_strict ? tally.minima : tally.parallel);
            bool has_own = false;
            std::vector<dvec3> alike;
            for (const Found& c : contacts_) {
                const double along = glm::dot(c.normal, m.normal);
                if (along > 0.999 && std::abs(c.separation - m.distance) < allowed_) {
                    alike.push_back(c.on_a);
                    has_own =
                        has_own || std::max(glm::length(c.on_a - m.on_a), glm::length(c.on_b - m.on_b)) < 2e-3 * size_;
                } else if (m.distance < 0.5 * allowed_ && std::abs(c.separation) < allowed_) {
                    // Where several features touch within settings::solid_room, one contact is enough.
                    has_own = has_own || glm::length(c.on_a - m.on_a) < 0.05 * size_;
                }
            }
            if (has_own) continue;
            // A face's corner that is hollow, and beyond which the surface rises past an edge of the other one, has that
            // edge's contact.
            for (const Found& c : contacts_) {
                const double along = glm::dot(c.normal, m.normal);
                if (!m.is_strict && along > 0.3 && c.separation < m.distance + allowed_) alike.push_back(c.on_a);
            }
            if (!alike.empty() && is_among(m.on_a, alike, m.normal, 2e-3 * size_)) {
                tally.covered += m.is_strict ? 1 : 0;
                continue;
            }
            fail(m.of_a + m.of_b < 2 ? missed_corner
                 : m.is_strict       ? missed_minimum
                                     : missed_parallel,
                 m.distance, m.on_a);
            details.back() += " dims " + std::to_string(m.of_a) + std::to_string(m.of_b);
        }
    }

    void examine_overlap() {
        ++(posed_.kind == Kind::touching ? tally.touching : tally.overlapping);
        // Back where they touched, no contact overlaps.
        double deepest = 0.0, depth = 0.0;
        dvec3 at(0.0);
        for (const Found& c : contacts_) {
            const double then = c.separation + glm::dot(c.normal, posed_.back);
            if (then < deepest) deepest = then, depth = -c.separation, at = c.on_a;
        }
        const bool all_have_touched = deepest >= -allowed_;
        bool fits = false;
        const double apart = 0.5 * allowed_;
        dvec3 out = least_motion(contacts_, apart, 0.5 * apart, fits);
        if (!fits) ++tally.unfit;
        const double way = glm::length(posed_.back);
        const bool is_short = fits && glm::length(out) <= 1.02 * way + 4.0 * apart;
        // Features that overlap by no more than that may have been the ones that touched.
        if (!all_have_touched && !is_short) {
            if (depth <= 1.02 * way + 4.0 * apart)
                ++tally.unclear;
            else
                fail(too_deep, deepest, at);
        }
        if (!fits) return;  // in a notch that is as wide as what is in it
        // A corner that is deep in one side of a notch is not over the other side before it is out of the first.
        Transform pose = posed_.pose;
        for (int step = 0; step < 3; ++step) {
            pose.position += vec3(out);
            const OracleSurface b = posed_.b.moved(dvec3(pose.position) - dvec3(posed_.pose.position));
            if (!triangles_cross(surface_a_, b)) return;
            std::vector<Found> contacts;
            for (const FeaturePoint& p : contacts_of_engine(a_, b_, pose, pose))
                contacts.push_back({{}, {}, dvec3(p.normal), double{p.separation}});
            out = least_motion(contacts, (step + 2) * apart, 0.5 * apart, fits);
            if (!fits) return;
        }
        fail(no_way_out, glm::length(dvec3(pose.position) - dvec3(posed_.pose.position)), {});
    }

    /// Each contact: its points, and what is near them.
    void examine_points() {
        for (const Found& c : contacts_) {
            if (glm::length(c.on_b - c.on_a - c.separation * c.normal) > allowed_) fail(bad_points, 1.0, c.on_a);
            const double depth = std::max(-c.separation, 0.0);
            // Beyond hollow edges, overlapping points may be off the surfaces by the depth.
            const double off = std::max(surface_a_.distance_to(c.on_a, size_), posed_.b.distance_to(c.on_b, size_));
            if (off > 2.0 * depth + 5.0 * allowed_) fail(bad_points, off, c.on_a);
            // Overlapping ones are examined if they are those that touched.
            if (off > allowed_ ||
                (depth > allowed_ && std::abs(c.separation + glm::dot(c.normal, posed_.back)) > allowed_))
                continue;
            const double radius = 1e-3 * size_;
            const OracleSurface near_a = surface_a_.part(c.on_a, radius), near_b = posed_.b.part(c.on_b, radius);
            if (near_a.triangles().empty() || near_b.triangles().empty()) continue;
            ++tally.normals;
            const bool hollow = is_hollow(near_a) || is_hollow(near_b);
            if (!hollow) {
                const double tilt =
                    std::max(tilt_of(surface_a_, c.on_a, c.normal), tilt_of(posed_.b, c.on_b, -c.normal));
                tally.worst_tilt = std::max(tally.worst_tilt, tilt);
                if (tilt > 0.12) fail(bad_normal, tilt * size_, c.on_a);
            }
            // One step along the normal.
            const dvec3 out = (depth + radius) * c.normal;
            const double before = distance_of(near_a, near_b, size_);
            const double after = distance_of(near_a, near_b.moved(out), 4.0 * size_);
            // In an acute notch, one side comes nearer as B moves away from the other one.
            const double falls = hollow ? 0.5 * radius : 1e-9;
            if (c.separation > allowed_ ? after < before - falls : !hollow && !(after > 0.0))
                fail(bad_normal, after - before, c.on_a);
        }
    }

    /// Whether a part of a surface is not convex.
    bool is_hollow(const OracleSurface& part) const {
        for (const OracleTriangle& t : part.triangles()) {
            const dvec3 across = glm::cross(t[1] - t[0], t[2] - t[0]);
            const double area = glm::length(across);
            if (!(area > 1e-14 * size_ * size_)) continue;
            for (const OracleTriangle& other : part.triangles()) {
                for (const dvec3& p : other) {
                    if (glm::dot(across / area, p - t[0]) > 1e-6 * size_) return true;
                }
            }
        }
        return false;
    }

    /// How far the edges and sides of the triangles at a point lead over a plane through it, as a sine.
    double tilt_of(const OracleSurface& surface, const dvec3& point, const dvec3& normal) const {
        double most = 0.0;
        OracleBox box;
        box.add(point);
        surface.for_each_near(box, 0.1 * allowed_, [&](std::size_t t) {
            const OracleTriangle& triangle = surface.triangles()[t];
            if (OracleSurface({triangle}).distance_to(point, size_) > 0.1 * allowed_) return;
            for (const dvec3& corner : triangle) {
                const dvec3 d = corner - point;
                if (glm::length(d) > 0.02 * size_)  // the point is rounded
                    most = std::max(most, (glm::dot(d, normal) - 0.1 * allowed_) / glm::length(d));
            }
        });
        return most;
    }

    /// Two bodies in a world.
    void examine_world() {
        ++tally.worlds;
        World world(WorldDef{.gravity = vec3(0.0f)});
        ShapeDef of_a, of_b;
        of_a.mesh = a_.set;
        of_b.mesh = b_.set;
        of_a.modify_contacts = true;  // the modifier sees all that is found
        const BodyId a = world.add_body({.shapes = {of_a}});
        world.add_body({.shapes = {of_b}, .position = dvec3(posed_.pose.position), .rotation = posed_.pose.rotation});
        std::vector<ContactModification> seen;
        world.set_contact_modifier(
            [](ContactModification& contact, void* all) {
                static_cast<std::vector<ContactModification>*>(all)->push_back(contact);
            },
            &seen);
        REQUIRE(world.step(1e-5f));
        double least = margin_;
        std::vector<Found> patches;
        for (const ContactModification& c : seen) {
            const dvec3 normal = dvec3(c.normal) * (c.body_a == a ? 1.0 : -1.0);
            if (!(std::abs(glm::length(normal) - 1.0) < 1e-5)) return fail(not_finite, 0.0, {});
            double deepest = 1e300;
            for (int k = 0; k < c.point_count; ++k) deepest = std::min(deepest, double{c.points[k].separation});
            patches.push_back({{}, {}, normal, deepest});
            least = std::min(least, deepest);
        }
        if (!seen.empty() && seen.front().body_a != a) {  // the world takes them in the other order: ties may differ
            const Transform a_in_b = relative(posed_.pose, Transform{});
            contacts_.clear();
            for (const FeaturePoint& p : contacts_of_engine(b_, a_, a_in_b, a_in_b)) {
                const dvec3 normal = oracle_rotation(posed_.pose.rotation) * dvec3(p.normal);
                contacts_.push_back({dvec3(p.on_b), {}, -normal, double{p.separation}});
            }
        }
        double expected = margin_;
        for (const Found& c : contacts_) expected = std::min(expected, c.separation);
        if (expected > margin_ - 2.0 * rounding_) return;
        if (std::abs(expected - least) > 2.0 * allowed_) return fail(not_in_world, least - expected, {});
        if (patches.size() >= settings::most_patches) return;
        for (const Found& c : contacts_) {
            const bool has_patch = std::any_of(patches.begin(), patches.end(), [&](const Found& patch) {
                return glm::dot(patch.normal, c.normal) > 0.989 && patch.separation < c.separation + 2.0 * allowed_;
            });
            if (!has_patch && c.separation < margin_ - 2.0 * rounding_) fail(not_in_world, c.separation, c.on_a);
        }
    }

    const Subject &a_, &b_;
    OracleSurface surface_a_;
    double size_, margin_;
    double rounding_;                ///< of float, m
    double allowed_ = 2e-4 * size_;  ///< twice settings::solid_room
    std::uint64_t number_ = 0;
    Posed posed_;
    std::vector<Found> contacts_;
};

std::string table_of(const std::vector<Tally>& all) {
    std::ostringstream out;
    out << std::left << std::setw(34) << "pair" << std::right;
    const char* const columns[] = {"poses",   "apart", "touch",   "overlap", "contacts", "minima",
                                   "covered", "flat",  "unclear", "unfit",   "worlds"};
    for (const char* name : columns) out << std::setw(9) << name;
    for (const char* name : failure_names) out << std::setw(9) << name;
    out << std::setw(10) << "distance" << std::setw(8) << "tilt" << '\n';
    for (const Tally& t : all) {
        out << std::left << std::setw(34) << t.name << std::right;
        for (const long n : {t.poses, t.apart, t.touching, t.overlapping, t.contacts, t.minima, t.covered, t.parallel,
                             t.unclear, t.unfit, t.worlds})
            out << std::setw(9) << n;
        for (const long n : t.failed) out << std::setw(9) << n;
        out << std::setw(10) << std::setprecision(2) << t.worst_distance << std::setw(8) << t.worst_tilt << '\n';
    }
    return out.str();
}

}  // namespace

TEST_CASE("contacts of solids are those that all pairs of triangles tell" * doctest::test_suite("slow")) {
    const std::vector<Subject> all = subjects();
    const auto pairs = pairs_of(all.size());
    const long poses = 10000L * nonconvex_scale() / static_cast<long>(pairs.size());
    const long only_pair = from_environment("TALUS_CONTACT_ORACLE_PAIR", -1),
               only_pose = from_environment("TALUS_CONTACT_ORACLE_POSE", -1),
               to_print = from_environment("TALUS_CONTACT_ORACLE_FAILURES", 20);
    std::vector<Tally> tallies;
    Tally sum;
    sum.name = "all";
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        if (only_pair >= 0 && pair != static_cast<std::size_t>(only_pair)) continue;
        Examination examination(all[pairs[pair].first], all[pairs[pair].second]);
        for (long k = 0; k < poses; ++k) {
            if (only_pose >= 0 && k != only_pose) continue;
            Random random(0x2545f4914f6cdd1dULL * (pair + 1) + static_cast<std::uint64_t>(k));
            examination.examine(random, static_cast<std::uint64_t>(k), k % 4 == 0);
        }
        tallies.push_back(examination.tally);
        sum.add(examination.tally);
        for (std::size_t k = 0; k < examination.details.size() && k < static_cast<std::size_t>(to_print); ++k)
            MESSAGE("pair " << pair << ": " << examination.details[k]);
    }
    tallies.push_back(sum);
    if (from_environment("TALUS_CONTACT_ORACLE_REPORT", 0) != 0) MESSAGE("\n" << table_of(tallies));
    // What is known (docs/nonconvex.md, "The contacts of solids"): one in so many; 0: none.
    const long overlapping = sum.touching + sum.overlapping;
    const struct {
        Failure failure;
        long of, one_in;
    } known[] = {{not_nearest, sum.apart, 0},
                 {missed_corner, sum.minima, 150},
                 {missed_minimum, sum.minima, 20000},
                 {missed_parallel, sum.parallel, 5000},
                 {overlap_without_cause, sum.apart, 1500},
                 {bad_points, sum.contacts, 0},
                 {bad_normal, sum.contacts, 0},
                 {no_way_out, overlapping, 20000},
                 {too_deep, overlapping, 500},
                 {not_in_world, sum.worlds, 0},
                 {not_finite, sum.contacts, 0}};
    for (const auto& each : known) {
        const long most = each.one_in == 0 ? 0 : 3 + each.of / each.one_in;  // a few by chance
        CHECK_MESSAGE(sum.failed[each.failure] <= most, failure_names[each.failure]);
    }
    if (only_pair >= 0) return;
    CHECK(sum.apart > poses * 10);
    CHECK(overlapping > poses * 10);
    CHECK(sum.unclear + sum.unfit < overlapping / 500);
}
