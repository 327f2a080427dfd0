#include "tests/fuzz/bytes.h"
#include "tests/fuzz/solids.h"
#include "tests/fuzz/targets.h"
#include "tests/narrowphase/hard/adversarial_proof.h"
#include "tests/narrowphase/oracle/judge.h"

#include <talus/narrowphase/collide.h>
#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/separation.h>
#include <talus/narrowphase/support_mapping.h>
#include "narrowphase/ladder/contact_margin.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace talus::fuzz {

namespace {

using glm::dmat3;
using glm::dvec3;

constexpr int max_poses = 6;

/// Poses beyond this are asked for numbers that are numbers, and no more: their answers have no room left in a float.
constexpr float far_away = 1e7f;

/// What Talus promises: aspect ratios and size ratios up to these. Beyond them answers must still be numbers, with a
/// unit normal, and no more is asked of them.
constexpr double promised_aspect = 1.01e4, promised_ratio = 1.01e5;

/// Cap hits are complaints while the pair is one that games have.
constexpr double ordinary_ratio = 1e3;

/// Inputs whose first byte has this as its high half go to the support mappings.
constexpr int mappings_only = 13;

/// Polytopes of more features than this are too slow to search for rivals.
constexpr std::size_t most_features = 60 * 60;

std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

/// Longest over shortest side, of the shape itself.
double aspect(const Shape& shape) {
    const Aabb box = bounds(shape);
    const dvec3 h = dvec3(box.upper) - dvec3(box.lower);
    const double least = std::min({h.x, h.y, h.z}), most = std::max({h.x, h.y, h.z});
    if (shape.type == ShapeType::segment) return 1.0;  // a line on purpose
    if (shape.type == ShapeType::triangle) {           // its longest edge over its height
        const dvec3 p(shape.points[0]), q(shape.points[1]), r(shape.points[2]);
        const double longest = std::max({glm::length(q - p), glm::length(r - p), glm::length(r - q)});
        return longest * longest / glm::length(glm::cross(q - p, r - p));
    }
    return most / std::max(least, 1e-30);
}

class Pair {
public:
    Pair(const Shape& a, const Shape& b) : a_(a), b_(b), solid_a_(make_solid(a)), solid_b_(make_solid(b)) {
        const double ratio = std::max(solid_a_.size, solid_b_.size) / std::min(solid_a_.size, solid_b_.size);
        const double longest = std::max(aspect(a), aspect(b));
        ordinary_ = std::max(ratio, longest) <= ordinary_ratio;
        promised_ = ratio <= promised_ratio && longest <= promised_aspect;
        const bool curved = solid_a_.is_curved() || solid_b_.is_curved();
        searchable_ = !curved && solid_a_.edges.size() * solid_b_.edges.size() <= most_features;
    }

    std::string complaint;

    /// Cold, warm from the pose before, from rubbish, with a limit; then the manifold.
    void ask(const MatrixTransform& frame, Bytes& bytes) {
        frame_ = frame;
        SimplexCache cold;
        const SeparationResult r = separation(a_, b_, frame, cold);
        const vec3 away = glm::abs(frame.position);
        if (std::max({away.x, away.y, away.z}) > far_away) {
            numbers(r, "far away");
            return;
        }
        const oracle::Pose pose(frame);
        allowed_ = test::allowed_error(solid_a_, solid_b_, pose);
        judge(r, pose, "cold");
        if (!promised_) return;
        if (searchable_ && !(!r.used_epa && complaint.empty())) {
            const test::Rival rival = test::rival(solid_a_, solid_b_, pose, r.separation, allowed_);
            if (rival.found)
                complain("cold: separation " + number(r.separation) + " should be " + number(rival.best.separation));
        }
        around(r, pose);

        SimplexCache rubbish;
        rubbish.count = static_cast<std::uint8_t>(bytes.below(6));
        for (int i = 0; i < 4; ++i) {
            rubbish.a[i] = static_cast<std::uint16_t>(bytes.bits(2));
            rubbish.b[i] = static_cast<std::uint16_t>(bytes.bits(2));
        }
        const SeparationResult warm = separation(a_, b_, frame, stale_);
        const SeparationResult other = separation(a_, b_, frame, rubbish);
        judge(warm, pose, "warm");
        judge(other, pose, "from rubbish");
        agree(warm, r, "warm");
        agree(other, r, "from rubbish");
        stale_ = cold;
        const SeparationResult deep = separation(a_, b_, frame, deep_stale_);
        judge(deep, pose, "with the last polytope");
        agree(deep, r, "with the last polytope");
        const SeparationResult open = separation(ShapeSupport(a_), posed(ShapeSupport(b_), frame));
        judge_open(open, "as mappings");
        // Radii are round surfaces here, of which EPA's memory may not hold enough for more than this (tolerances.h).
        const bool round = solid_a_.is_curved() || solid_b_.is_curved() || a_.radius + b_.radius > 0.0f;
        const double size = std::max(std::min(solid_a_.size, solid_b_.size), -double(r.separation));
        const double spent = round ? tolerance::epa_gap_spent * size : 0.0;
        agree(open, r, "as mappings", open.used_epa ? spent : 0.0);

        const double limit = std::max(0.0, static_cast<double>(r.separation)) * 2.0 * bytes.unit();
        SimplexCache fresh;
        const SeparationResult limited = separation(a_, b_, frame, fresh, static_cast<float>(limit));
        if (!numbers(limited, "with a limit")) return;
        const bool honest = limited.beyond_limit ? limited.separation >= limit - allowed_ &&
                                                       limited.separation <= r.separation + 2.0 * allowed_
                                                 : std::abs(limited.separation - r.separation) <= 2.0 * allowed_;
        if (!honest)
            complain("limit " + number(limit) + " gives " + number(limited.separation) + " for " +
                     number(r.separation));

        const float margin = static_cast<float>(bytes.unit() * 0.1 * std::min(solid_a_.size, solid_b_.size));
        FaceHints hints{static_cast<std::uint16_t>(bytes.bits(2)), static_cast<std::uint16_t>(bytes.bits(2)),
                        static_cast<FaceOwner>(bytes.below(3))};
        check_manifold(make_manifold(a_, b_, frame, r.normal, r.point_a, r.point_b, margin, hints), r.separation,
                       margin, "make_manifold");
    }

    /// What holds for any manifold of a pair `separation` apart.
    void check_manifold(const Manifold& m, double separation, double margin, const std::string& how) {
        if (m.count < 0 || m.count > max_manifold_points) return complain(how + ": count " + std::to_string(m.count));
        const double size = std::min(solid_a_.size, solid_b_.size);
        if (separation < margin - 2.0 * allowed_ && m.count == 0)
            complain(how + ": no point for a pair " + number(separation) + " apart, margin " + number(margin));
        if (m.count > 0 && !(std::abs(glm::length(dvec3(m.normal)) - 1.0) < 1e-4))
            complain(how + ": normal of length " + number(glm::length(dvec3(m.normal))));
        const oracle::Pose pose(frame_);
        for (int i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            if (!is_finite(p.on_a) || !is_finite(p.on_b) || !is_finite(p.separation))
                return complain(how + ": a point that is not finite");
            for (int j = 0; j < i; ++j) {
                if (m.points[j].id == p.id) complain(how + ": an id twice");
            }
            // Between the anchors lies the separation, along the normal; a witness pair (id 0) is as good as it was
            // given.
            const dvec3 between = pose.position + pose.rotation * dvec3(p.on_b) - dvec3(p.on_a);
            const double along = glm::dot(between, dvec3(m.normal));
            if (std::abs(along - p.separation) > 2.0 * allowed_)
                complain(how + ": anchors " + number(along) + " apart, separation " + number(p.separation));
            const double aside = glm::length(between - along * dvec3(m.normal));
            if (p.id != 0 && aside > 2.0 * allowed_) complain(how + ": anchors " + number(aside) + " off the normal");
            // Anchors on the surfaces: see tolerances.h for what faces and rounded edges may be off by.
            const double slack = 2.0 * allowed_ + 2e-2 * size;
            if (oracle::distance_outside(solid_a_, dvec3(p.on_a)) > slack)
                complain(how + ": an anchor " + number(oracle::distance_outside(solid_a_, dvec3(p.on_a))) +
                         " outside of A");
            if (oracle::distance_outside(solid_b_, dvec3(p.on_b)) > slack)
                complain(how + ": an anchor " + number(oracle::distance_outside(solid_b_, dvec3(p.on_b))) +
                         " outside of B");
        }
    }

    void complain(const std::string& what) {
        if (++complaints_ > 12) return;
        if (complaint.empty()) complaint = test::reproduce(a_, b_, frame_);
        complaint += what + " (allowed " + number(allowed_) + ")\n";
    }

    const oracle::Solid& solid_a() const { return solid_a_; }
    const oracle::Solid& solid_b() const { return solid_b_; }
    double allowed() const { return allowed_; }
    bool promised() const { return promised_; }

private:
    bool numbers(const SeparationResult& r, const std::string& how) {
        const bool nan = std::isnan(r.separation) || std::isnan(glm::dot(r.normal, r.normal)) ||
                         std::isnan(r.point_a.x + r.point_a.y + r.point_a.z);
        if (nan)
            complain(how + ": not a number");
        else if (!(std::abs(glm::length(dvec3(r.normal)) - 1.0) <= 1e-5))
            complain(how + ": normal of length " + number(glm::length(dvec3(r.normal))));
        return !nan;
    }

    /// Of mappings only the answer is held against the shapes: what their own simplices did is told otherwise.
    void judge_open(const SeparationResult& r, const std::string& how) {
        if (!numbers(r, how)) return;
        const double s = oracle::separation_along(solid_a_, solid_b_, oracle::Pose(frame_), dvec3(r.normal));
        if (std::abs(s - r.separation) > allowed_)
            complain(how + ": separation " + number(r.separation) + ", but along its own normal it is " + number(s));
    }

    void judge(const SeparationResult& r, const oracle::Pose& pose, const std::string& how) {
        if (!numbers(r, how) || !promised_) return;
        const test::Proof proof = test::prove(solid_a_, solid_b_, pose, r, allowed_);
        if (!proof.complaint.empty()) complain(how + ": " + proof.complaint);
        if (!proof.witness_complaint.empty()) complain(how + ": " + proof.witness_complaint);
        if (!r.used_epa && !proof.proved && r.gjk.status != GjkStatus::iteration_cap)
            complain(how + ": separation " + number(r.separation) + " is " + number(proof.error) + " off its bounds");
        const bool wrong = !complaint.empty();  // then say this too
        if ((ordinary_ || wrong) && r.gjk.status == GjkStatus::iteration_cap) complain(how + ": GJK hit its cap");
        if ((ordinary_ || wrong) && r.used_epa && r.epa.status == EpaStatus::out_of_memory)
            complain(how + ": EPA ran out of memory");
    }

    /// No direction near the answer's normal is better: true of the nearest separating plane and of the shallowest.
    void around(const SeparationResult& r, const oracle::Pose& pose) {
        const dvec3 n(r.normal), u(any_perpendicular(r.normal)), v = glm::cross(n, u);
        for (const double turn : {1e-1, 1e-2, 1e-3}) {
            for (const dvec3& d : {u, -u, v, -v}) {
                const double s = oracle::separation_along(solid_a_, solid_b_, pose, n + turn * d);
                if (s > r.separation + allowed_)
                    return complain("cold: separation " + number(r.separation) + " but " + number(s) +
                                    " after a turn of " + number(turn));
            }
        }
    }

    void agree(const SeparationResult& r, const SeparationResult& cold, const std::string& how, double more = 0.0) {
        if (std::abs(r.separation - cold.separation) > 2.0 * allowed_ + more)
            complain(how + ": " + number(r.separation) + ", cold: " + number(cold.separation));
    }

    const Shape &a_, &b_;
    oracle::Solid solid_a_, solid_b_;
    bool ordinary_ = false, promised_ = false, searchable_ = false;
    MatrixTransform frame_;
    double allowed_ = 0.0;
    SimplexCache stale_;
    SeparationCache deep_stale_;
    int complaints_ = 0;
};

/// Distance and depth of mappings composed from shapes, judged by what the mappings themselves say: the normal's
/// support planes stand where the answer has them, no normal near it is better, and the witness points lie on the
/// planes.
std::string ask_mappings(const SupportMapping& a, const SupportMapping& b) {
    const auto box = [](const SupportMapping& m, dvec3& middle, dvec3& half) {
        for (int i = 0; i < 3; ++i) {
            dvec3 d(0.0);
            d[i] = 1.0;
            const double high = m.support(d)[i], low = m.support(-d)[i];
            middle[i] = 0.5 * (high + low), half[i] = 0.5 * (high - low);
        }
    };
    dvec3 middle_a(0.0), half_a(0.0), middle_b(0.0), half_b(0.0);
    box(a, middle_a, half_a);
    box(b, middle_b, half_b);
    const double size_a = glm::length(half_a), size_b = glm::length(half_b), size = std::min(size_a, size_b);
    const double reach = std::max({glm::length(middle_a), glm::length(middle_b), size_a, size_b});
    const SeparationResult r = separation(a, b);
    const dvec3 n(r.normal), on_a(r.point_a), on_b(r.point_b);
    if (!is_finite(r.separation) || !is_finite(r.point_a) || !is_finite(r.point_b)) return "mappings: not finite\n";
    if (!(std::abs(glm::length(n) - 1.0) <= 1e-5)) return "mappings: normal of length " + number(glm::length(n)) + "\n";
    if (std::max(size_a, size_b) > ordinary_ratio * size || reach > far_away) return {};
    const double allowed = std::max(1e-4 * size, 16.0 * 0x1p-24 * reach);
    const auto along = [&](const dvec3& d) {
        return (glm::dot(d, b.support(-d)) - glm::dot(d, a.support(d))) / glm::length(d);
    };
    std::string complaint;
    const auto expect = [&](const char* what, double value, double wanted) {
        if (std::abs(value - wanted) <= allowed) return;
        complaint += std::string("mappings: ") + what + " " + number(value) + " should be " + number(wanted) +
                     ", separation " + number(r.separation) + " normal " + number(n.x) + " " + number(n.y) + " " +
                     number(n.z) + " (allowed " + number(allowed) + ")\n";
    };
    expect("gap along the normal", along(n), r.separation);
    expect("height of the witness on A", glm::dot(n, on_a), glm::dot(n, a.support(n)));
    expect("height of the witness on B", glm::dot(n, on_b), glm::dot(n, b.support(-n)));
    expect("distance of the witnesses' difference from separation * normal",
           glm::length(on_b - on_a - double(r.separation) * n), 0.0);
    const dvec3 u(any_perpendicular(r.normal)), v = glm::cross(n, u);
    for (const double turn : {1e-1, 1e-2, 1e-3}) {
        for (const dvec3& d : {u, -u, v, -v}) {
            const double s = along(n + turn * d);
            if (s > r.separation + allowed) expect("separation after a turn", r.separation, s);
        }
    }
    return complaint;
}

dmat3 read_linear(Bytes& bytes) {
    const auto factor = [&] {
        const int kind = bytes.byte();
        return (kind & 1 ? -1.0 : 1.0) * (kind & 2 ? std::ldexp(1.0, (kind >> 2) % 7 - 3) : 1.0);
    };
    dmat3 linear(dmat3(glm::mat3_cast(bytes.rotation())));
    for (int i = 0; i < 3; ++i) linear[i] *= factor();
    return linear * dmat3(glm::mat3_cast(bytes.rotation()));
}

/// An ellipsoid-like image and a rounded sum of two shapes, and each against a hull of both.
std::string fuzz_mappings(const Shape& a, const Shape& b, Bytes& bytes) {
    const float reach = bounding_radius(a) + bounding_radius(b);
    const auto image = affine_image(ShapeSupport(a), read_linear(bytes), dvec3(bytes.point(reach)));
    const auto sum = minkowski_sum(ShapeSupport(b), mirror_image(affine_image(ShapeSupport(a), read_linear(bytes))));
    const auto both = hull_of(posed(ShapeSupport(a), to_matrix_transform(bytes.pose(reach))), ShapeSupport(b));
    const auto moved =
        swept(affine_image(ShapeSupport(b), read_linear(bytes), dvec3(bytes.point(reach))), dvec3(bytes.point(reach)));
    std::string complaint = ask_mappings(image, sum);
    if (complaint.empty()) complaint = ask_mappings(image, both);
    if (complaint.empty()) complaint = ask_mappings(moved, sum);
    return complaint.empty() ? complaint : test::reproduce(a, b, {}) + complaint;
}

/// The batch interface on the same path, under every combination of its settings, each with records of its own.
class Batch {
public:
    Batch(const Shape& a, const Shape& b, float reach) {
        colliders_.resize(2);
        colliders_.shapes = {a, b};
        colliders_.motions[0].rotation_reach = colliders_.motions[0].max_displacement = reach;
        for (Track& t : tracks_) t.record = make_pair(colliders_, 0, 1);
    }

    void step(const Transform& pose_a, const Transform& pose_b, bool jump, Pair& pair) {
        colliders_.poses = {{pose_a.position, pose_a.rotation}, {pose_b.position, pose_b.rotation}};
        if (jump) ++colliders_.versions[0];
        const std::uint32_t active[1] = {0};
        PairRecord record = make_pair(colliders_, 0, 1);
        const Shape &a = colliders_.shapes[record.a], &b = colliders_.shapes[record.b];
        const MatrixTransform frame =
            to_matrix_transform(relative(colliders_.poses[record.a], colliders_.poses[record.b]));
        SimplexCache none;
        const SeparationResult r = separation(a, b, frame, none);
        const double size = static_cast<double>(record.size), margin = detail::contact_margin(colliders_, record);
        // What a rung may be off by: a reused manifold by the motion it was reused over, a kept axis by its depth.
        const bool round = pair.solid_a().is_curved() || pair.solid_b().is_curved() || a.radius + b.radius > 0.0f;
        const double loose = 2.0 * pair.allowed() + 3e-3 * size +
                             (round ? 1.5e-3 * std::max(pair.solid_a().size, pair.solid_b().size) : 0.0);
        for (std::size_t i = 0; i < std::size(tracks_); ++i) {
            Track& t = tracks_[i];
            CollideSettings settings;
            settings.skip = (i & 1) != 0, settings.reuse = (i & 2) != 0;
            settings.axis = (i & 4) != 0, settings.warm_gjk = (i & 8) != 0;
            NarrowphaseProfile profile;
            collide(colliders_, {&t.record, 1}, {&t.cache, 1}, active, settings, scratch_, profile);
            const Manifold& m = t.cache.manifold;
            const std::string how = "collide with settings " + std::to_string(i) + ", " + name_of(t.record.rung);
            const double stale = t.record.rung == Rung::reuse ? 2.0 * static_cast<double>(t.record.reuse_motion)
                                 : t.record.rung == Rung::axis_touching
                                     ? static_cast<double>(tolerance::axis_depth) * size
                                     : 0.0;
            if (t.record.state == PairState::unknown) pair.complain(how + ": state unknown");
            if (t.record.state == PairState::touching && m.count == 0)
                pair.complain(how + ": touching without a point");
            // A hit always yields a contact.
            if (r.separation < -loose - stale && m.count == 0)
                pair.complain(how + ": no contact at a separation of " + number(r.separation));
            if (r.separation > margin + loose + stale && m.count != 0)
                pair.complain(how + ": a contact at a separation of " + number(r.separation));
            double least = 1e30;
            for (int k = 0; k < m.count; ++k) {
                const ManifoldPoint& p = m.points[k];
                if (!is_finite(p.on_a) || !is_finite(p.on_b) || !is_finite(p.separation))
                    return pair.complain(how + ": a point that is not finite");
                for (int j = 0; j < k; ++j) {
                    if (m.points[j].id == p.id) pair.complain(how + ": an id twice");
                }
                least = std::min(least, static_cast<double>(p.separation));
            }
            if (m.count == 0) continue;
            if (!(std::abs(glm::length(dvec3(m.normal)) - 1.0) < 1e-4)) pair.complain(how + ": normal not unit");
            // The deepest point is as deep as the pair, or no deeper by more than the rung's staleness.
            if (least < r.separation - loose - stale)
                pair.complain(how + ": deepest point " + number(least) + ", separation " + number(r.separation));
            if (r.separation < 0.0f && least > r.separation + loose + stale)
                pair.complain(how + ": deepest point only " + number(least) + ", separation " + number(r.separation));
        }
    }

private:
    struct Track {
        PairRecord record;
        PairCache cache;
    };
    Colliders colliders_;
    std::array<Track, 16> tracks_;
    CollideScratch scratch_;
};

}  // namespace

std::string fuzz_collide(Input input) {
    Bytes bytes(input);
    const int flags = bytes.byte();
    const Shape a = read_shape(bytes), b = read_shape(bytes);
    Pair pair(a, b);
    if (flags >> 4 == mappings_only) return pair.promised() ? fuzz_mappings(a, b, bytes) : std::string();
    const float size_a = bounding_radius(a), size_b = bounding_radius(b);
    const float reach = (flags & 1) != 0 ? 0.1f * std::min(size_a, size_b) : 0.0f;
    Batch batch(a, b, reach);

    // The first pose is anywhere; later ones are small motions, slides along the axis between, or jumps.
    const float scale = (flags & 2) != 0 ? std::min(size_a, size_b) : size_a + size_b;
    Transform pose_a = (flags & 4) != 0 ? bytes.pose(1e4f) : Transform{};
    Transform pose_b;
    for (int i = 0; i < max_poses && (i == 0 || !bytes.empty()) && pair.complaint.empty(); ++i) {
        const int kind = bytes.below(8);
        bool jump = i == 0;
        if (i == 0 || kind == 0) {
            pose_b = multiply(pose_a, bytes.pose(scale));
            pose_b.rotation = normalized(pose_b.rotation);
            jump = jump || bytes.below(2) == 0;
        } else if (kind < 4) {
            pose_b.position += 0.01f * std::min(size_a, size_b) * vec3(bytes.cube());
            const vec3 w = 0.01f * vec3(bytes.cube());
            pose_b.rotation = normalized(multiply(quat(1.0f, w.x, w.y, w.z), pose_b.rotation));
        } else if (kind < 6) {
            pose_b.position += (pose_b.position - pose_a.position) * static_cast<float>(bytes.unit() - 0.5);
        } else {
            pose_b.position += 0.1f * std::min(size_a, size_b) * vec3(bytes.cube());
        }
        pair.ask(to_matrix_transform(relative(pose_a, pose_b)), bytes);
        const vec3 away = glm::abs(pose_b.position - pose_a.position);
        if (std::max({away.x, away.y, away.z}) > far_away) break;
        if (pair.complaint.empty() && pair.promised()) batch.step(pose_a, pose_b, jump, pair);
    }
    return pair.complaint;
}

}  // namespace talus::fuzz
