#include <talus/narrowphase/manifold.h>

#include <talus/narrowphase/mapping_solid.h>
#include "common/assert.h"
#include "common/lanes/lanes.h"
#include "narrowphase/manifold/clip.h"
#include "narrowphase/manifold/deepest_points.h"
#include "narrowphase/manifold/large_round.h"
#include "narrowphase/manifold/manifold_unchecked.h"
#include "narrowphase/manifold/projected_feature.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/mapping_feature.h"
#include "narrowphase/support/supporting_feature.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace talus {

namespace {

using detail::Candidate;
using detail::Candidates;
using detail::FeatureSearch;
using detail::ProjectedFeature;
using detail::SupportingFeature;
using detail::View;

float largest(const vec3& v) { return std::max(v.x, std::max(v.y, v.z)); }

/// Returns about half the longest side of the shape, m.
float reach_of(const Shape& shape) {
    const auto span = [&](int i) { return 0.5f * largest(absolute(shape.points[i] - shape.points[0])); };
    switch (shape.type) {
        case ShapeType::segment:
            return span(1) + shape.radius;
        case ShapeType::triangle:
            return std::max(span(1), span(2)) + shape.radius;
        case ShapeType::hull:
            return largest(half_extents(shape.hull->bounds)) + shape.radius;
        case ShapeType::mapping:
            return largest(half_extents(shape.mapping->bounds));
        default:
            return largest(shape.half_extents) + shape.radius;
    }
}

/// Returns the length over which a wrong normal has an effect, m: a round surface bends away from a face within a
/// fraction of its radius.
float roundness_of(const Shape& shape, float reach) {
    if (shape.radius > 0.0f) return shape.radius;
    if (shape.type == ShapeType::cylinder || shape.type == ShapeType::cone) {
        return std::min(shape.half_extents.x, shape.half_extents.y);
    }
    return reach;
}

vec3 sane_normal(const vec3& normal, const vec3& fallback) {
    for (const vec3& v : {normal, fallback}) {
        const float size = largest(absolute(v));
        if (!(size > 0.0f) || !is_finite(v)) continue;
        const vec3 scaled = v / size;
        return scaled / std::sqrt(length_squared(scaled));
    }
    return {0.0f, 1.0f, 0.0f};
}

/// Finds two axes that make a right-handed frame with the unit vector n, without a root (Duff et al. 2017, "Building an
/// orthonormal basis, revisited"). If n is an axis of the coordinate system, so are they.
void contact_plane(const vec3& n, vec3& u, vec3& v) {
    const float sign = std::copysign(1.0f, n.z);
    const float a = -1.0f / (sign + n.z);
    const float b = n.x * n.y * a;
    u = vec3(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
    v = vec3(b, sign + n.y * n.y * a, -n.y);
}

/// The two features that touch, and the normal.
struct Choice {
    vec3 normal;  ///< A's frame
    const SupportingFeature *a, *b;
    FaceOwner owner;
};

/// Chooses the normal and the features. Features are searched for only when they are needed, and each only once.
class Chooser {
public:
    Chooser(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal, float least_separation,
            const FaceHints& hints)
        : a_(a), b_(b), pose_(b_in_a), normal_(normal), least_separation_(least_separation), hints_(hints) {}

    Choice choose() {
        // The shape that gave the last normal is tried first, so that of two equally good faces the same one is kept.
        const bool b_first = hints_.owner == FaceOwner::b;
        if (b_first ? try_b() || try_a() : try_a() || try_b()) return choice_;
        return without_face();
    }

    Choice without_face() { return {normal_, &along_a(), &along_b(), FaceOwner::none}; }

private:
    /// Returns the features along the given normal.
    const SupportingFeature& along_a() {
        if (!has_along_a_) find(along_a_, a_, normal_, hints_.vertex_a);
        has_along_a_ = true;
        return along_a_.feature;
    }
    const SupportingFeature& along_b() {
        if (!has_along_b_) find(along_b_, b_, normal_in_b(), hints_.vertex_b);
        has_along_b_ = true;
        return along_b_.feature;
    }
    static void find(FeatureSearch& search, const Shape& shape, const vec3& d, std::uint16_t hint) {
        search.start(shape, d, hint);
        search.finish(shape, d);
    }
    vec3 normal_in_b() const { return transpose_mul(pose_.rotation, -normal_); }

    // Finds a face of `shape` along d to be tried as reference. The last frame's face of a hull needs no search,
    // because the plane of a face is always a support plane.
    template <class Along, class Accept>
    static bool try_face(const Shape& shape, const vec3& d, std::uint32_t hint, std::uint16_t vertex_hint,
                         SupportingFeature& hinted, Along along, Accept accept) {
        bool tried_hint = false;
        if (shape.type == ShapeType::hull && hint < shape.hull->faces.size() &&
            glm::dot(shape.hull->faces[hint].normal, d) >= tolerance::face_alignment) {
            detail::set_hull_face(*shape.hull, hint, hinted);
            hinted.offset += shape.radius;
            hinted.ids[0] = vertex_hint;
            if (accept(hinted)) return true;
            tried_hint = true;
        }
        const SupportingFeature& face = along();
        return face.has_face() && glm::dot(face.normal, d) >= tolerance::face_alignment &&
               !(tried_hint && face.face == hint) && accept(face);
    }

    bool try_a() {
        return try_face(
            a_, normal_, hints_.a, hints_.vertex_a, hinted_, [&]() -> const SupportingFeature& { return along_a(); },
            [&](const SupportingFeature& face) {
                const vec3 d = transpose_mul(pose_.rotation, -face.normal);
                search_.start(b_, d, hints_.vertex_b);
                const float separation = glm::dot(face.normal, pose_.position) - search_.height - face.offset;
                if (!(separation >= least_separation_)) return false;
                search_.finish(b_, d);
                choice_ = {face.normal, &face, &search_.feature, FaceOwner::a};
                return true;
            });
    }

    bool try_b() {
        return try_face(
            b_, normal_in_b(), hints_.b, hints_.vertex_b, hinted_,
            [&]() -> const SupportingFeature& { return along_b(); },
            [&](const SupportingFeature& face) {
                const vec3 d = -(pose_.rotation * face.normal);
                search_.start(a_, d, hints_.vertex_a);
                const float separation = glm::dot(d, pose_.position) - face.offset - search_.height;
                if (!(separation >= least_separation_)) return false;
                search_.finish(a_, d);
                choice_ = {d, &search_.feature, &face, FaceOwner::b};
                return true;
            });
    }

    const Shape &a_, &b_;
    const MatrixTransform& pose_;
    const vec3 normal_;
    const float least_separation_;
    const FaceHints& hints_;
    bool has_along_a_ = false, has_along_b_ = false;
    FeatureSearch along_a_, along_b_;
    FeatureSearch search_;  ///< of the shape that is not the reference
    SupportingFeature hinted_;
    Choice choice_;
};

/// The contact plane with the two projections on it. Its origin is the witness point on A, which keeps coordinates
/// small.
class Contact {
public:
    Contact(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& origin)
        : a_(a), b_(b), pose_(b_in_a), origin_(origin) {}

    void place(const Choice& choice) {
        n_ = choice.normal;
        contact_plane(n_, u_, v_);
        View view{{{u_.x, v_.x, n_.x}, {u_.y, v_.y, n_.y}, {u_.z, v_.z, n_.z}}, {}, false};
        view.origin = -view.turn(origin_);
        detail::project(a_, *choice.a, view, projected_a);
        const mat3& r = pose_.rotation;
        const View view_b{
            {view.turn(r[0]), view.turn(r[1]), view.turn(r[2])}, view.turn(pose_.position - origin_), true};
        detail::project(b_, *choice.b, view_b, projected_b);
    }

    /// Makes the manifold points of up to four candidates, one per lane; lanes beyond `count` are not written.
    void write_points(const int* chosen, int count, ManifoldPoint* points) const {
        static_assert(sizeof(ManifoldPoint) == 8 * sizeof(float) && sizeof(Candidate) == 4 * sizeof(float));
        Float4 row[4];
        for (int i = 0; i < 4; ++i) std::memcpy(&row[i], &candidates.items[chosen[i < count ? i : 0]], sizeof row[i]);
        transpose(row[0], row[1], row[2], row[3]);
        const Float4 x = row[0], y = row[1], id = row[3];
        const Float4 height_a = projected_a.h0 + projected_a.gx * x + projected_a.gy * y;
        const Float4 height_b = projected_b.h0 + projected_b.gx * x + projected_b.gy * y;
        Vec3Lanes<Float4> a, b;
        const auto place = [&](int axis, Float4& on_a, Float4& on_b) {
            const Float4 foot = origin_[axis] + u_[axis] * x + v_[axis] * y;
            on_a = foot + n_[axis] * height_a;
            on_b = (foot - pose_.position[axis]) + n_[axis] * height_b;
        };
        place(0, a.x, b.x);
        place(1, a.y, b.y);
        place(2, a.z, b.z);
        const mat3& r = pose_.rotation;
        Float4 bx = r[0].x * b.x + r[0].y * b.y + r[0].z * b.z;
        Float4 by = r[1].x * b.x + r[1].y * b.y + r[1].z * b.z;
        Float4 bz = r[2].x * b.x + r[2].y * b.y + r[2].z * b.z;
        Float4 first[4] = {a.x, a.y, a.z, bx}, second[4] = {by, bz, height_b - height_a, id};
        transpose(first[0], first[1], first[2], first[3]);
        transpose(second[0], second[1], second[2], second[3]);
        for (int i = 0; i < count; ++i) {  // eight numbers per point, in the order of its members
            char* point = reinterpret_cast<char*>(&points[i]);
            std::memcpy(point, &first[i], 16);
            std::memcpy(point + 16, &second[i], 16);
        }
    }

    /// Adds points of a round shape that lies on a face: those around the support point of a mapping, or the corners of a
    /// rounded box or hull, which are spheres. A point counts if it is over the face, within `margin` (m) of it, and
    /// farther than `distance` (m) from the manifold's points. With one or two points alone, a small body would rock from
    /// one side to the other in each step.
    void add_round_points(const Choice& choice, float margin, float distance, Manifold& manifold) const {
        const bool on_a = choice.owner == FaceOwner::a;
        const Shape& round = on_a ? b_ : a_;
        const ProjectedFeature& face = on_a ? projected_a : projected_b;
        if (!face.has_area()) return;
        const vec3 down = on_a ? transpose_mul(pose_.rotation, -n_) : n_;
        vec3 points[detail::max_projected_corners];
        int count = 0;
        if (round.type == ShapeType::mapping && manifold.count == 1) {
            vec3 around[detail::most_points_around];
            count = detail::mapping_points_around(*round.mapping, down, around);
            std::copy(around, around + count, points);
        } else if (round.radius > 0.0f && (round.type == ShapeType::box || round.type == ShapeType::hull)) {
            count = rounded_corners(round, down, points);
        }
        ManifoldPoint found[std::size(points)];
        int near = 0;
        for (int i = 0; i < count; ++i) {
            const vec3 p = (on_a ? transform_point(pose_, points[i]) : points[i]) - origin_;
            const float x = glm::dot(u_, p), y = glm::dot(v_, p), height = glm::dot(n_, p);
            const float on_face = face.height(x, y), separation = on_a ? height - on_face : on_face - height;
            const auto is_here = [&](const ManifoldPoint& other) {
                return length_squared((on_a ? other.on_b : other.on_a) - points[i]) <= distance * distance;
            };
            if (separation > margin || !is_over(face, x, y) ||
                std::any_of(manifold.points, manifold.points + manifold.count, is_here))
                continue;
            const vec3 foot = origin_ + x * u_ + y * v_ + on_face * n_;
            const auto in_b = [&](const vec3& q) { return transpose_mul(pose_.rotation, q - pose_.position); };
            found[near++] = {on_a ? foot : points[i], on_a ? points[i] : in_b(foot), separation,
                             static_cast<std::uint32_t>(i + 1)};
        }
        detail::add_deepest({found, static_cast<std::size_t>(near)}, manifold);
    }

    ProjectedFeature projected_a, projected_b;
    Candidates candidates;

private:
    /// Finds the lowest points of the spheres at the corners of a rounded box or hull: those of the face that faces down most.
    static int rounded_corners(const Shape& shape, const vec3& down, vec3* points) {
        Shape core = shape;
        core.radius = 0.0f;
        const detail::SupportingFeature face = detail::supporting_feature(core, down, 0);
        if (!face.has_face()) return 0;
        detail::FeatureCorner corners[detail::max_projected_corners];
        const int count = detail::corners_of(core, face, face.normal, corners);
        for (int i = 0; i < count; ++i) points[i] = corners[i].at + shape.radius * down;
        return count;
    }

    static bool is_over(const ProjectedFeature& face, float x, float y) {
        if (face.kind == detail::SupportingFeatureKind::disc)
            return (x - face.cx) * (x - face.cx) + (y - face.cy) * (y - face.cy) <= face.radius * face.radius;
        for (int i = 0; i < face.count; ++i) {
            const float ex = face.x[i + 1] - face.x[i], ey = face.y[i + 1] - face.y[i];
            if (ex * (y - face.y[i]) - ey * (x - face.x[i]) < 0.0f) return false;
        }
        return true;
    }

    const Shape &a_, &b_;
    const MatrixTransform& pose_;
    const vec3 origin_;
    vec3 n_, u_, v_;
};

/// Picks up to four of the candidates: the deepest, the farthest from it, the one farthest from the line of these two,
/// and the one farthest outside the triangle of these three. A later candidate replaces an earlier one only if it is
/// better by a margin, so that noise does not change the choice. Points that add less than `merge` (m) to the spread
/// are not picked. The indices are in ascending order.
class Reduction {
public:
    Reduction(const Candidates& candidates, float deeper, float merge)
        : c_(candidates.items), n_(candidates.count), merge_(merge) {
        if (n_ <= max_manifold_points && are_distinct()) {
            for (; count < n_; ++count) chosen[count] = count;
            return;
        }
        int deepest = 0;
        for (int i = 1; i < n_; ++i) {
            if (c_[i].separation < c_[deepest].separation - deeper) deepest = i;
        }
        take(deepest);
        const Candidate p0 = c_[deepest];
        const int second = farthest(merge * merge, tolerance::farther * tolerance::farther,
                                    [&](const Candidate& p) { return squared_distance(p, p0); });
        if (second < 0) return;
        take(second);
        const Side side01(p0, c_[second]);
        const int third = farthest(merge, tolerance::farther, [&](const Candidate& p) { return std::abs(side01(p)); });
        if (third < 0) return;
        take(third);
        // The triangle runs counter-clockwise if its third corner is left of the first side: then right is outside.
        const float outside = side01(c_[third]) > 0.0f ? -1.0f : 1.0f;
        const Side side12(c_[second], c_[third]), side20(c_[third], p0);
        const int fourth = farthest(merge, tolerance::farther, [&](const Candidate& p) {
            return std::max(outside * side01(p), std::max(outside * side12(p), outside * side20(p)));
        });
        if (fourth >= 0) take(fourth);
    }

    int count = 0;
    int chosen[max_manifold_points];

private:
    /// Returns the signed distance from the line through two points, m: positive on its left.
    struct Side {
        Side(const Candidate& from, const Candidate& to) : x(from.x), y(from.y), ex(to.x - from.x), ey(to.y - from.y) {
            const float scale = 1.0f / std::sqrt(ex * ex + ey * ey);
            ex *= scale, ey *= scale;
        }
        float operator()(const Candidate& p) const { return ex * (p.y - y) - ey * (p.x - x); }
        float x, y, ex, ey;
    };

    static float squared_distance(const Candidate& p, const Candidate& q) {
        return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
    }

    bool are_distinct() const {
        for (int i = 1; i < n_; ++i) {
            for (int j = 0; j < i; ++j) {
                if (!(squared_distance(c_[i], c_[j]) > merge_ * merge_)) return false;
            }
        }
        return true;
    }

    /// Returns the candidate with the largest measure above `bar`, -1 if there is none.
    template <class Measure>
    int farthest(float bar, float factor, Measure measure) const {
        int best = -1;
        for (int i = 0; i < n_; ++i) {
            const float m = measure(c_[i]);
            if (m > bar) {
                bar = m * factor;
                best = i;
            }
        }
        return best;
    }

    void take(int index) {
        int at = count++;
        for (; at > 0 && chosen[at - 1] > index; --at) chosen[at] = chosen[at - 1];
        chosen[at] = index;
    }

    const Candidate* c_;
    const int n_;
    const float merge_;
};

/// Makes the ids of a manifold distinct: features of large hulls may have the same 16-bit code.
void keep_ids_distinct(Manifold& manifold) {
    for (int i = 1; i < manifold.count; ++i) {
        for (int j = 0; j < i;) {
            if (manifold.points[i].id == manifold.points[j].id) {
                ++manifold.points[i].id;
                j = 0;
            } else {
                ++j;
            }
        }
    }
}

}  // namespace

Manifold make_manifold(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& normal,
                       const vec3& on_a, const vec3& on_b, float margin, FaceHints& hints) {
    if (!detail::is_usable(a, b, b_in_a) || !is_finite(on_a) || !is_finite(on_b) || !is_finite(margin)) return {};
    return detail::make_manifold_unchecked(a, b, b_in_a, normal, on_a, on_b, margin, hints);
}

Manifold detail::make_manifold_unchecked(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
                                         const vec3& normal, const vec3& on_a, const vec3& on_b, float margin,
                                         FaceHints& hints) {
    TALUS_ASSERT(is_usable(a, b, b_in_a) && is_finite(on_a) && is_finite(on_b));
    vec3 n = normal;
    if (!(std::abs(length_squared(n) - 1.0f) <= tolerance::unit_length)) n = sane_normal(normal, b_in_a.position);

    const auto add_witness = [&](Manifold& m) {
        const vec3 in_b = transpose_mul(b_in_a.rotation, on_b - b_in_a.position);
        const float separation = glm::dot(on_b - on_a, m.normal);
        if (separation <= margin && is_finite(in_b)) m.points[m.count++] = {on_a, in_b, separation, 0};
    };
    Manifold result;
    result.normal = n;
    if (a.type == ShapeType::sphere || b.type == ShapeType::sphere) {
        hints = {};
        add_witness(result);
        add_corners_on_large_round(a, b, b_in_a, margin, result);
        return result;
    }

    const float reach_a = reach_of(a), reach_b = reach_of(b);
    const float size = std::min(reach_a, reach_b);
    const float roundness = std::min(roundness_of(a, reach_a), roundness_of(b, reach_b));
    const vec3& at = b_in_a.position;
    const float away = largest(vec3(std::abs(at.x), std::abs(at.y), std::abs(at.z)));
    const float noise = tolerance::coordinate_noise * (std::max(reach_a, reach_b) + away);
    const float separation = glm::dot(on_b - on_a, n);
    const float least_separation = separation - (tolerance::face_preference * roundness + noise);
    const float boundary = tolerance::contact_boundary * size + noise;

    Chooser chooser(a, b, b_in_a, n, least_separation, hints);
    Choice choice = chooser.choose();
    Contact contact(a, b, b_in_a, on_a);
    contact.place(choice);
    Candidates& candidates = contact.candidates;
    detail::overlap(contact.projected_a, contact.projected_b, boundary, margin, candidates);
    if (candidates.count == 0) {
        // The shapes touch beside the face, or between two edges of faces whose projections only meet in a line.
        if (choice.owner != FaceOwner::none) {
            choice = chooser.without_face();
            contact.place(choice);
            detail::overlap(contact.projected_a, contact.projected_b, boundary, margin, candidates);
        }
        if (candidates.count == 0)
            detail::overlap_of_nearest_edges(contact.projected_a, contact.projected_b, boundary, margin, candidates);
    }
    hints = {choice.a->face, choice.b->face, choice.owner, choice.a->ids[0], choice.b->ids[0]};
    result.normal = choice.normal;
    result.face_owner = choice.owner;
    if (candidates.count == 0) {
        add_witness(result);
        return result;
    }

    const Reduction reduction(candidates, tolerance::deeper * size, 2.0f * boundary);
    // If the deepest place is not on the features, the witness pair becomes a point, too.
    float deepest = margin;
    for (int i = 0; i < candidates.count; ++i) deepest = std::min(deepest, candidates.items[i].separation);
    const float witness = glm::dot(on_b - on_a, choice.normal);
    result.overlaps = deepest <= witness + tolerance::missed_depth * size + noise;
    if (!result.overlaps) add_witness(result);
    const int count = std::min(reduction.count, max_manifold_points - result.count);
    contact.write_points(reduction.chosen, count, result.points + result.count);
    result.count += count;
    if (result.count <= 2 && choice.owner != FaceOwner::none)
        contact.add_round_points(choice, margin, 2.0f * boundary, result);
    add_corners_on_large_round(a, b, b_in_a, margin, result);
    keep_ids_distinct(result);
    return result;
}

}  // namespace talus
