#include "engine/mesh_contacts/solid_contacts.h"

#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>
#include "common/stopwatch.h"
#include "engine/mesh_contacts/choose_points.h"
#include "engine/settings.h"
#include "narrowphase/ladder/relative_motion.h"
#include "narrowphase/nonconvex/node_pairs.h"
#include "narrowphase/nonconvex/seen_sides.h"
#include "narrowphase/shapes/shape_measures.h"
#include "narrowphase/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

/// Returns whether all pairs of triangles of two surfaces are few.
bool are_few(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b <= settings::few_solid_pairs; }

float largest(const vec3& v) { return std::max({v.x, v.y, v.z}); }

/// Returns the radius of a ball around the origin that holds the box, m.
float radius_of(const Aabb& box) {
    return std::sqrt(length_squared(glm::max(absolute(box.lower), absolute(box.upper))));
}

/// A point of a patch, for choose_lasting_points().
struct PatchPoint {
    vec3 on_mesh, on_other;
    float separation;
    std::uint32_t id;
};

}  // namespace

vec3 inner_point(const TriangleSet& solid) {
    const SetTriangle t = solid.triangle(0);
    return (t.points[0] + t.points[1] + t.points[2]) / 3.0f - 0.25f * solid.solid_thickness() * t.normal;
}

std::shared_ptr<const TriangleSet> surface_of(const Shape& shape) {
    std::vector<vec3> vertices;
    std::vector<std::uint32_t> indices;
    if (shape.type == ShapeType::box && shape.radius == 0.0f) {
        const vec3& h = shape.half_extents;
        for (int k = 0; k < 8; ++k)
            vertices.push_back({(k & 1) != 0 ? h.x : -h.x, (k & 2) != 0 ? h.y : -h.y, (k & 4) != 0 ? h.z : -h.z});
        indices = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    } else if (shape.type == ShapeType::hull && shape.radius == 0.0f) {
        vertices = shape.hull->vertices;
        for (const HullFace& face : shape.hull->faces) {
            for (std::uint32_t k = 2; k < face.count; ++k) {
                for (const std::uint32_t corner : {0u, k - 1, k})
                    indices.push_back(shape.hull->face_vertices[face.first + corner]);
            }
        }
    }
    if (indices.empty()) return nullptr;
    const auto made = make_mesh({.vertices = vertices, .indices = indices, .solid = true});
    return made ? *made : nullptr;
}

bool meets_by_features(const ShapePool& shapes, const BodyStore& bodies, std::uint32_t shape, std::uint32_t mesh,
                       std::uint32_t mesh_body) {
    const TriangleSet& set = *shapes.defs[mesh].mesh;
    if (const TriangleSet* const own = shapes.defs[shape].mesh.get()) return own->is_solid() || set.is_solid();
    return set.is_solid() && bodies[mesh_body].is_dynamic();
}

/// Sets MeshContact::way_out to the area vector of the curves in which two solids cross: in that direction the volume of
/// the overlap falls fastest, and the direction stays the same from step to step. Sets nothing if one solid goes through
/// the other from side to side, since the vector is about zero then.
static void set_way_along_area(const detail::CrossingCurve& overlap, float size, MeshContact& m) {
    const float area = std::sqrt(length_squared(overlap.area));
    if (!(area > settings::least_overlap_area * overlap.length * overlap.length)) return;
    m.way_out = overlap.area / area;
    m.overlap_middle = overlap.middle;
    m.overlap_depth = settings::solid_recovery * size;
}

/// Where the two shapes of a pair are in this step, A the mesh, and how they move.
struct SolidContacts::Placement {
    Transform b_in_a;
    float radius_a, radius_b;  ///< of spheres around the origins of their frames, m
    float size;                ///< half of the longest side of the smaller one's box, m
    float ahead;               ///< the most that points of the two are expected to move past each other in the step, m
    /// How far they may rotate in the step if an impact turns all of their motion into rotation, rad.
    float turn_ahead;

    float motion_since(const Transform& pose) const {
        return radius_b < radius_a
                   ? detail::motion_bound(pose, b_in_a, radius_b)
                   : detail::motion_bound(relative(pose, Transform{}), relative(b_in_a, Transform{}), radius_a);
    }
    float turned_since(const Transform& pose) const {
        const quat q = multiply(conjugate(pose.rotation), b_in_a.rotation);
        return 2.0f * std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    }
    /// Points of a separation up to this count, m: if one of the two is stopped by a third one, they may overlap for a
    /// step.
    float margin() const { return tolerance::contact_margin * size + std::min(ahead, tolerance::contact_reach * size); }
    /// Overlaps up to this depth count wherever they are; deeper ones only between parts inside of the other solid, m.
    float shallow() const { return settings::solid_depth * size; }
    /// MeshContact::seen_depth of surfaces that do not cross: they overlap by rounding at most, and by what they move.
    float apart_depth() const { return settings::solid_room * size; }
    /// How far the two may turn while they move by at most `reach`, rad.
    float most_turn(float reach) const {
        return std::min(reach / std::max(std::min(radius_a, radius_b), 1e-6f), tolerance::feature_most_turn);
    }
};

/// The two surfaces of a pair, A that of the mesh.
struct SolidContacts::Surfaces : Placement {
    const TriangleSet &a, &b;
    const detail::SurfaceFeatures &features_a, &features_b;
};

/// The direction in which a point's depth in a solid falls fastest.
struct WayOut {
    vec3 direction;  ///< unit
    float depth;     ///< distance of the point from the surface, m; negative: the point is outside
};

static WayOut way_out_of(const TriangleSet& solid, const vec3& point, bool inside) {
    const NearestOnTriangles at = nearest(solid, point);
    if (!(at.distance > tolerance::feature_level * largest(half_extents(solid.bounds()))))
        return {solid.triangle(at.triangle).normal, 0.0f};
    const float sign = inside ? 1.0f : -1.0f;
    return {sign / at.distance * (at.point - point), sign * at.distance};
}

/// Sets MeshContact::way_out for two solids of which one goes through the other from side to side (`crosses`), or is
/// wholly inside of it: the middle of the smaller solid leaves the larger one on the shortest path.
void SolidContacts::set_way_to_surface(const Surfaces& s, bool crosses, MeshContact& m) {
    if (!s.a.is_solid() || !s.b.is_solid()) return;
    const bool b_is_smaller = s.radius_b <= s.radius_a;
    const TriangleSet &outer = b_is_smaller ? s.a : s.b, &inner = b_is_smaller ? s.b : s.a;
    const Transform in_outer = b_is_smaller ? s.b_in_a : relative(s.b_in_a, Transform{});
    const MatrixTransform place = to_matrix_transform(in_outer);
    const vec3 middle = transform_point(place, center(inner.bounds()));
    const bool middle_inside = detail::is_inside(outer, middle);
    WayOut way{};
    if (crosses) {
        way = way_out_of(outer, middle, middle_inside);
    } else {
        const vec3 corner = transform_point(place, inner.points(0)[0]);
        if (!detail::is_inside(outer, corner)) return;
        way = way_out_of(outer, middle_inside ? middle : corner, true);
    }
    m.way_out = b_is_smaller ? way.direction : -rotate(s.b_in_a.rotation, way.direction);
    m.overlap_middle = b_is_smaller ? middle : transform_point(s.b_in_a, middle);
    m.overlap_depth = std::max(way.depth + std::min(s.radius_a, s.radius_b), settings::solid_recovery * s.size);
}

/// Sets MeshContact::way_out for a solid that is wholly behind a mesh that is no solid: back to its own side.
void SolidContacts::set_way_back(const Surfaces& s, MeshContact& m) {
    const vec3 place = transform_point(s.b_in_a, inner_point(s.b)), way = m.side_point - place;
    const float distance = std::sqrt(length_squared(way));
    if (!(distance > 0.0f)) return;
    m.way_out = way / distance;
    m.overlap_middle = place;
    m.overlap_depth = distance + s.radius_b;
}

/// Returns whether a point beside the middle of a curve in which two solids cross is inside of both, by more than they
/// overlap where they just touch.
static bool overlaps_there(const TriangleSet& a, const TriangleSet& b, const Transform& b_in_a,
                           const detail::CrossingCurve& curve, float beside) {
    const float area = std::sqrt(length_squared(curve.area));
    if (!(area > 0.0f)) return false;
    const auto is_in_both = [&](const vec3& p) {
        return detail::is_inside(a, p) && detail::is_inside(b, inverse_transform_point(b_in_a, p));
    };
    const vec3 step = beside / area * curve.area;
    return is_in_both(curve.middle + step) || is_in_both(curve.middle - step);
}

/// Returns the sum of the curves in which two surfaces cross where no contact point tells of an overlap. If the two touch
/// elsewhere, curves that are small or without an overlap, as by rounding, do not count.
detail::CrossingCurve SolidContacts::unresolved(const Surfaces& s, const detail::SurfaceOverlap& overlap,
                                                std::span<const detail::FeaturePoint> points, bool touches) {
    detail::CrossingCurve sum;
    const float close = settings::solid_touch * s.size;
    for (const detail::CrossingCurve& curve : overlap.curves) {
        const float extent = 2.0f * largest(half_extents(curve.box));
        if (touches && extent < settings::solid_least_curve * s.size) continue;
        const Aabb around = expand(curve.box, settings::solid_curve_room * extent);
        const bool is_resolved =
            touches && std::any_of(points.begin(), points.end(), [&](const detail::FeaturePoint& p) {
                return p.separation < close && contains(around, Aabb{p.on_a, p.on_a});
            });
        if (is_resolved || (touches && !overlaps_there(s.a, s.b, s.b_in_a, curve, close))) continue;
        sum.add(curve);
    }
    return sum;
}

SolidContacts::WayBefore SolidContacts::way_before(const Placement& s, const MeshContact& m) {
    if (!m.is_recovering) return {};
    if (s.radius_b <= s.radius_a)
        return {m.way_out, m.overlap_depth - glm::dot(s.b_in_a.position - m.seen_pose.position, m.way_out)};
    const Transform then = relative(m.seen_pose, Transform{}), now = relative(s.b_in_a, Transform{});  // of A in B
    const vec3 in_b = rotate(then.rotation, m.way_out);
    return {inverse_rotate(now.rotation, in_b), m.overlap_depth + glm::dot(now.position - then.position, in_b)};
}

/// Looks for the direction in which two surfaces part whose overlap no contact point resolves: after a fast impact, or
/// because the user has put them there. `overlap`: what is known of the curves in which they cross. `before`: the way that
/// was found last.
void SolidContacts::find_way_out(const Surfaces& s, bool may_cross, std::optional<detail::SurfaceOverlap>& overlap,
                                 std::span<const detail::FeaturePoint> points, const WayBefore& before,
                                 MeshContact& m) {
    // Faces that just touch cross each other, too, by rounding.
    const bool touches = !points.empty() && points.back().separation < settings::solid_touch * s.size;
    if (touches && !(may_cross && s.a.is_solid() && s.b.is_solid())) return;
    if (may_cross && !overlap)
        overlap = detail::find_overlap(s.features_a, s.features_b, to_matrix_transform(s.b_in_a), 0.0f);
    const bool crosses = may_cross && overlap->crosses;
    detail::CrossingCurve curve;
    if (crosses) curve = unresolved(s, *overlap, points, touches);
    if (touches && curve.length == 0.0f) return;
    if (crosses) set_way_along_area(curve, s.size, m);
    if (m.way_out == vec3(0.0f)) set_way_to_surface(s, crosses, m);
    if (!crosses && m.pressed_through) set_way_back(s, m);
    keep_way(s, before, m);
}

/// Where two ways out are about as short, the two shapes would be pushed to and fro for ever.
void SolidContacts::keep_way(const Placement& s, const WayBefore& before, MeshContact& m) {
    if (!(glm::dot(m.way_out, before.direction) < 0.0f)) return;
    m.way_out = before.direction;
    m.overlap_depth = std::max(before.depth, settings::solid_recovery * s.size);
}

/// Adds the point of MeshContact::way_out, if there is one.
void SolidContacts::push_out(const Placement& s, MeshContact& m, std::vector<detail::FeaturePoint>& points) {
    m.is_recovering = m.way_out != vec3(0.0f);
    if (!m.is_recovering) return;
    const vec3 on_b = m.overlap_middle - m.overlap_depth * m.way_out;
    points.push_back({m.overlap_middle, transform_point(relative(s.b_in_a, Transform{}), on_b), m.way_out,
                      -m.overlap_depth, 0x9e3779b9u});
}

/// Collects the features of a mesh that is no solid, within a distance of the shape, m. A two-sided one is seen from
/// `side`.
void SolidContacts::collect(const Surfaces& s, Known& known, const Transform& b_in_a, float around, const vec3& side) {
    if (known.around == around) return;
    known.around = around;
    if (s.a.is_solid()) return;
    std::vector<std::uint32_t> triangles;
    s.a.find(transform_box(to_matrix_transform(b_in_a), expand(s.b.bounds(), around)), triangles);
    detail::keep_near(s.a, triangles, s.b, relative(b_in_a, Transform{}), around);
    if (s.a.is_two_sided())
        known.of_mesh.collect(s.a, triangles, detail::seen_from_behind(s.a, triangles, side));
    else
        known.of_mesh.collect(s.a, triangles);
}

/// Looks how far the two surfaces are from each other, and decides what is searched until they have moved by
/// MeshContact::reach. Returns whether they may cross. `overlap`: how they do, if that had to be found.
bool SolidContacts::look_around(const Surfaces& s, Known& known, float margin, float depth, MeshContact& m,
                                std::optional<detail::SurfaceOverlap>& overlap) {
    const auto grain_of = [&](const TriangleSet& set) {
        return set.solid_features() != nullptr ? set.solid_features()->grain : s.size;
    };
    const float grain = std::sqrt(grain_of(s.a) * grain_of(s.b));
    const float most_reach =
        std::min((settings::solid_most_reach + settings::solid_reach) * s.size, settings::solid_grains_reach * grain);
    const float ahead = settings::solid_steps_ahead * s.ahead;
    const bool is_fast = s.ahead > most_reach;
    const float near = is_fast ? 0.0f : std::min(ahead + settings::solid_reach * s.size, most_reach);
    const float far = std::min(ahead, settings::solid_far_reach * s.size) + settings::solid_far_least * s.size;
    m.seen_pose = s.b_in_a;
    m.seen_margin = is_fast ? margin : settings::solid_margin_ahead * margin;
    m.seen_turn = std::min(settings::solid_margin_ahead * s.turn_ahead, tolerance::feature_most_turn_ahead);
    m.way_out = vec3(0.0f);
    const float counts = std::max(m.seen_margin, depth) + settings::solid_room * s.size;
    // Solids have their features at hand. Of other surfaces, more is collected only if nothing was near before.
    const bool at_hand = s.a.is_solid();
    known.around = -1.0f;
    m.seen_side = m.sensor ? transform_point(s.b_in_a, inner_point(s.b)) : m.side_point;
    collect(s, known, s.b_in_a, counts + (at_hand || m.was_far ? std::max(far, near) : near), m.seen_side);
    const float apart =
        detail::NodePairs(s.features_a, s.features_b, to_matrix_transform(s.b_in_a)).distance_bound(known.around);
    m.was_far = apart > counts + near;
    m.reach = m.was_far ? apart - counts : near;
    m.near_margin = std::min(m.seen_margin, std::max(apart, 0.0f) + tolerance::contact_margin * s.size +
                                                settings::solid_grains_behind * grain);
    bool may_cross = apart <= 0.0f;
    if (may_cross && depth > s.shallow()) {
        overlap = detail::find_overlap(s.features_a, s.features_b, to_matrix_transform(s.b_in_a), depth);
        may_cross = overlap->crosses;
    }
    m.seen_depth = may_cross ? depth : s.apart_depth();
    known.pose = m.seen_pose;
    known.reach = -1.0f;
    return may_cross;
}

/// Finds the pairs of features for what look_around() has decided. `overlap`: what it has found.
void SolidContacts::find_candidates(const Surfaces& s, Known& known, const MeshContact& m, detail::FeatureLimits limits,
                                    std::optional<detail::SurfaceOverlap>& overlap) {
    const bool is_here = known.pose.position == m.seen_pose.position && known.pose.rotation == m.seen_pose.rotation;
    if (is_here && known.reach == m.reach) return;
    if (!is_here) known.around = -1.0f;  // what was collected there
    known.reach = m.reach;
    known.pose = m.seen_pose;
    known.candidates.clear();
    if (m.was_far) return;
    collect(s, known, m.seen_pose, std::max(m.seen_margin, m.seen_depth) + m.reach + limits.room, m.seen_side);
    const MatrixTransform b_in_a = to_matrix_transform(m.seen_pose);
    limits.depth = std::min(m.seen_depth, s.shallow()) + m.reach;
    known.candidates.find(s.features_a, s.features_b, b_in_a, m.near_margin, limits);
    if (!(m.seen_depth > s.shallow())) return;
    // It names its faces by their places among those that were collected then.
    const bool is_known = overlap && s.a.is_solid();
    if (!is_known) overlap = detail::find_overlap(s.features_a, s.features_b, b_in_a, m.seen_depth);
    limits.depth = m.seen_depth + m.reach;
    known.candidates.add_overlapping(s.features_a, overlap->faces_a, s.features_b, overlap->faces_b, b_in_a,
                                     m.near_margin, limits);
}

/// Finds the contact points of a pair. Changes nothing but what belongs to the pair, so that pairs can be worked on at
/// the same time.
void SolidContacts::find(const ContactWorld& world, const Task& task, std::vector<detail::FeaturePoint>& points) {
    points.clear();
    const ShapePool& shapes = world.shapes;
    const Colliders& colliders = world.colliders;
    MeshContact& m = world.contacts.mesh_contacts[task.mesh_contact];
    Known& known = known_[task.mesh_contact];
    const std::uint32_t versions = colliders.versions[m.mesh] + colliders.versions[m.shape];
    if (known.mesh != m.mesh || known.shape != m.shape || known.versions != versions) {
        known = Known{};
        known.mesh = m.mesh, known.shape = m.shape, known.versions = versions;
        if (!shapes.defs[m.shape].mesh) known.own_set = surface_of(shapes.defs[m.shape].shape);
    }
    const ShapeDef& def = shapes.defs[m.shape];
    const TriangleSet& a = *shapes.defs[m.mesh].mesh;
    const TriangleSet* const b = known.own_set ? known.own_set.get() : def.mesh.get();
    const Aabb &box_a = a.bounds(), &box_b = shapes.locals[m.shape].box;
    const PredictedMotion &of_a = colliders.motions[m.mesh], &of_b = colliders.motions[m.shape];
    const float ahead =
        std::sqrt(length_squared(of_b.displacement - of_a.displacement)) + of_a.rotation_reach + of_b.rotation_reach;
    const auto turn_ahead = [&](std::uint32_t slot) {
        const Body& body = world.bodies[slot];
        return body.is_dynamic() ? std::min(ahead / body.gyration, tolerance::feature_most_turn_ahead) : 0.0f;
    };
    const Placement placement{relative(colliders.poses[m.mesh], colliders.poses[m.shape]),
                              radius_of(box_a),
                              radius_of(box_b),
                              std::min(largest(half_extents(box_a)), largest(half_extents(box_b))),
                              ahead,
                              std::max(turn_ahead(m.mesh_body), turn_ahead(m.shape_body))};
    if (b == nullptr)
        find_with_round(placement, a, def.shape, known, m, points);
    else
        find_with_surface({placement, a, *b, a.is_solid() ? *a.solid_features() : known.of_mesh, *b->solid_features()},
                          world, task.mesh_contact, known, points);
}

void SolidContacts::find_with_surface(const Surfaces& s, const ContactWorld& world, std::uint32_t mesh_contact,
                                      Known& known, std::vector<detail::FeaturePoint>& points) {
    MeshContact& m = world.contacts.mesh_contacts[mesh_contact];
    const float margin = s.margin();
    // They overlap by little more than in the last step, and by what they have moved since. If they are new, the overlap
    // is not known yet.
    float deepest = 0.0f;
    std::vector<std::uint32_t> had;
    for_each_contact_of_mesh(world.contacts, mesh_contact, [&](std::uint32_t c) {
        const Manifold& manifold = world.contacts.caches[c].manifold;
        for (int i = 0; i < manifold.count; ++i) had.push_back(manifold.points[i].id);
        for (int i = 0; i < manifold.count && !m.is_recovering; ++i)
            deepest = std::max(deepest, -manifold.points[i].separation);
    });
    const bool is_new = !(m.reach >= 0.0f);
    const auto thickness_of = [&](const TriangleSet& set) { return set.is_solid() ? set.solid_thickness() : s.size; };
    const float thickness = std::min(thickness_of(s.a), thickness_of(s.b));
    const float most_depth = are_few(s.a.size(), s.b.size()) ? settings::few_solid_most_depth * s.size
                                                             : std::max(settings::solid_most_depth * s.size,
                                                                        settings::solid_thick_depth * thickness);
    // Continuous collision lets a thin body in by less than half of its thickness, at one end while the other one rests.
    const bool is_thin = thickness < settings::solid_most_depth * s.size;
    const float least_depth = std::max(s.shallow(), is_thin ? settings::solid_thin_depth * thickness : 0.0f);
    const float expected = settings::solid_depth_ahead * deepest + (is_new ? 0.0f : s.motion_since(m.last_pose));
    const float depth_now = m.is_recovering ? most_depth : std::clamp(expected, least_depth, most_depth);
    // The candidates hold for depths up to seen_depth + reach. A small solid can sink deeper than that into what it
    // lies on.
    const bool holds = !is_new && s.motion_since(m.seen_pose) <= m.reach && margin <= m.seen_margin &&
                       expected <= m.seen_depth + m.reach && s.turn_ahead <= m.seen_turn &&
                       (m.was_far || s.turned_since(m.seen_pose) <= s.most_turn(m.reach));
    std::optional<detail::SurfaceOverlap> overlap;
    const WayBefore before = way_before(s, m);
    const bool may_cross = !holds && look_around(s, known, margin, depth_now, m, overlap);
    m.last_pose = s.b_in_a;
    detail::FeatureLimits limits;
    limits.reach = m.reach;
    limits.turn = s.most_turn(m.reach);
    limits.turn_ahead = m.seen_turn;
    limits.room = settings::solid_room * s.size;
    limits.sure = settings::solid_sure_depth * s.size;
    find_candidates(s, known, m, limits, overlap);
    const MatrixTransform b_in_a = to_matrix_transform(s.b_in_a);
    if (known.candidates.size() != 0) {
        limits.turn_ahead = s.turn_ahead;
        limits.depth = std::min(depth_now, m.seen_depth + m.reach);
        limits.had = had;
        known.candidates.evaluate(s.features_a, s.features_b, b_in_a, std::min(margin, m.near_margin), limits, points);
    }
    if (!holds) find_way_out(s, may_cross, overlap, points, before, m);
    // While the two are pushed apart as a whole, contacts of deep features may have a wrong direction.
    if (m.way_out != vec3(0.0f))
        std::erase_if(points, [&](const detail::FeaturePoint& p) { return p.separation < -s.shallow(); });
    push_out(s, m, points);
}

/// Sets MeshContact::way_out for a shape that overlaps a solid where no features touch: the middle of the smaller one of
/// the two leaves the larger one on the shortest path.
static void set_way_from_round(const TriangleSet& solid, const Shape& shape, const Transform& shape_in_solid,
                               float solid_radius, float shape_radius, float size, MeshContact& m) {
    const MatrixTransform place = to_matrix_transform(shape_in_solid);
    const vec3 middle = transform_point(place, vec3(detail::inside_of(shape)));
    const vec3 inner = inner_point(solid);
    const auto from_shape = [&](const vec3& point) {
        return detail::distance_from_shape(shape, inverse_transform_point(shape_in_solid, point));
    };
    const detail::ShapeDistance of_inner = from_shape(inner);
    const bool is_in = detail::is_inside(solid, middle);
    if (!(of_inner.separation < 0.0f) && !is_in && !overlaps(solid, shape, place)) return;
    m.overlap_depth = settings::solid_recovery * size;
    if (solid_radius <= shape_radius) {
        const vec3 own_middle = center(solid.bounds());
        const detail::ShapeDistance of_middle = from_shape(own_middle);
        m.way_out = -(place.rotation * of_middle.normal);
        m.overlap_middle = own_middle;
        m.overlap_depth += std::max({-of_inner.separation, -of_middle.separation, 0.0f});
    } else {
        const WayOut way = way_out_of(solid, middle, is_in);
        m.way_out = way.direction;
        m.overlap_middle = middle;
        if (is_in) m.overlap_depth = way.depth + std::min(shape_radius, size);
    }
}

/// The same for a solid and a shape that is no polyhedron.
void SolidContacts::find_with_round(const Placement& s, const TriangleSet& solid, const Shape& shape, Known& known,
                                    MeshContact& m, std::vector<detail::FeaturePoint>& points) {
    const float margin = s.margin();
    const bool holds = m.reach >= 0.0f && s.motion_since(m.seen_pose) <= m.reach && margin <= m.seen_margin;
    const WayBefore before = way_before(s, m);
    m.last_pose = s.b_in_a;
    if (!holds) {
        const float most_reach = (settings::solid_most_reach + settings::solid_reach) * s.size;
        const bool is_fast = s.ahead > most_reach;
        m.reach = is_fast
                      ? 0.0f
                      : std::min(settings::solid_steps_ahead * s.ahead + settings::solid_reach * s.size, most_reach);
        m.seen_pose = s.b_in_a;
        m.seen_margin = is_fast ? margin : settings::solid_margin_ahead * margin;
        m.way_out = vec3(0.0f);
    }
    const bool is_here = known.pose.position == m.seen_pose.position && known.pose.rotation == m.seen_pose.rotation;
    if (!is_here || known.reach != m.reach) {
        known.pose = m.seen_pose;
        known.reach = m.reach;
        known.round.find(solid, shape, to_matrix_transform(m.seen_pose), m.seen_margin + m.reach);
    }
    m.was_far = known.round.size() == 0;
    detail::FeatureLimits limits;
    limits.turn_ahead = s.turn_ahead;
    limits.room = settings::solid_room * s.size;
    limits.sure = settings::solid_sure_depth * s.size;
    known.round.evaluate(solid, shape, to_matrix_transform(s.b_in_a), margin, limits, points);
    const bool touches = !points.empty() && points.back().separation < settings::solid_touch * s.size;
    if (!holds && !touches) {
        set_way_from_round(solid, shape, s.b_in_a, s.radius_a, s.radius_b, s.size, m);
        keep_way(s, before, m);
    }
    push_out(s, m, points);
}

/// Returns whose face gives a patch its normal.
FaceOwner SolidContacts::face_owner_of(const Patch& patch) {
    for (const detail::FeaturePoint& p : patch.points) {
        if (p.face_owner != FaceOwner::none && glm::dot(p.normal, patch.normal) >= tolerance::feature_same_normal)
            return p.face_owner;
    }
    return FaceOwner::none;
}

/// A body that rolls over fine facets touches at another corner before the step ends. Without a contact there it would
/// turn about the old one until the next step, and then be lifted out: a ball of 64 facets gained speed. So up to two of
/// the points that touch next, while the bodies rotate as they do, take the places of points that do not touch in this
/// step. `rise(point)`: by how much the separation of a point grows in the step, m. The first one chosen is the deepest.
template <class Rise>
static int take_next_points(std::span<const PatchPoint> points, const Rise& rise, float slop, std::size_t* chosen,
                            int count) {
    const PatchPoint& deepest = points[chosen[0]];
    const float least = settings::next_point_gap * slop, rise_of_deepest = rise(deepest);
    const auto gap = [&](std::size_t i) { return points[i].separation - deepest.separation; };
    // When a point is as deep as the deepest one, in steps; 1: not in this step.
    const auto touches_at = [&](std::size_t i) {
        const float closing = rise_of_deepest - rise(points[i]);
        return gap(i) < closing ? gap(i) / closing : 1.0f;
    };
    // If the bodies fall onto each other, all points approach. The impact then changes the rotation.
    const auto stays_apart = [&](std::size_t i) {
        return touches_at(i) == 1.0f && !(points[i].separation < -rise(points[i]));
    };
    for (int round = 0; round < 2; ++round) {
        std::size_t next = points.size();
        float soonest = 1.0f;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (!(gap(i) > least && touches_at(i) < soonest) || std::find(chosen, chosen + count, i) != chosen + count)
                continue;
            soonest = touches_at(i);
            next = i;
        }
        if (next == points.size()) break;
        if (count < max_manifold_points) {
            chosen[count++] = next;
            continue;
        }
        const auto gap_if_apart = [&](std::size_t i) { return stays_apart(i) ? gap(i) : 0.0f; };
        std::size_t* const last = std::max_element(chosen + 1, chosen + count, [&](std::size_t x, std::size_t y) {
            return gap_if_apart(x) < gap_if_apart(y);
        });
        if (!(gap(next) < gap_if_apart(*last))) break;
        *last = next;
    }
    return count;
}

/// Sets the manifold of a patch from its points. `reach` as for choose_points().
void SolidContacts::set_manifold(const ContactWorld& world, const Patch& patch, float reach) {
    PairRecord& record = world.contacts.records[patch.contact];
    Manifold& manifold = world.contacts.caches[patch.contact].manifold;
    std::vector<PatchPoint> candidates;
    for (const detail::FeaturePoint& p : patch.points) candidates.push_back({p.on_a, p.on_b, p.separation, p.id});
    std::size_t chosen[max_manifold_points];
    ContactState& state = world.contacts.states[patch.contact];
    const detail::FeaturePoint& deepest_point = patch.points.front();
    const MeshContact& m = world.contacts.mesh_contacts[state.mesh_contact];
    const Materials before = materials_at(world.shapes, m, state.triangle_a, state.triangle_b);
    state.triangle_a = deepest_point.triangles[0];
    state.triangle_b = world.shapes.defs[record.b].mesh ? deepest_point.triangles[1] : no_triangle;
    state.rolls = patch.rolls;
    if (!(patch.materials == before)) world.mix_materials(patch.contact);
    int count = choose_lasting_points(candidates, patch.normal, record.size, reach, state, chosen);
    const WorldTransform &pose_a = world.colliders.poses[record.a], &pose_b = world.colliders.poses[record.b];
    const PredictedMotion &of_a = world.colliders.motions[record.a], &of_b = world.colliders.motions[record.b];
    const vec3 normal = rotate(pose_a.rotation, patch.normal);
    const auto rise = [&](const PatchPoint& p) {
        const vec3 way_a = of_a.displacement + glm::cross(of_a.rotation, rotate(pose_a.rotation, p.on_mesh)),
                   way_b = of_b.displacement + glm::cross(of_b.rotation, rotate(pose_b.rotation, p.on_other));
        return glm::dot(normal, way_b - way_a);
    };
    count = take_next_points(candidates, rise, state.slop, chosen, count);
    manifold.normal = patch.normal;
    manifold.count = count;
    manifold.face_owner = face_owner_of(patch);
    manifold.overlaps = true;
    for (int i = 0; i < count; ++i) {
        const PatchPoint& p = candidates[chosen[i]];
        manifold.points[i] = {p.on_mesh, p.on_other, p.separation, p.id};
    }
    record.state = PairState::touching;
    record.rung = Rung::features;
}

/// Returns the materials of two triangles, by their numbers in the sets.
SolidContacts::Materials SolidContacts::materials_at(const ShapePool& shapes, const MeshContact& m,
                                                     std::uint32_t of_mesh, std::uint32_t of_shape) {
    const auto number = [&](std::uint32_t shape, std::uint32_t triangle) -> std::uint32_t {
        const ShapeDef& def = shapes.defs[shape];
        if (triangle == no_triangle || !def.mesh || def.mesh_materials.empty()) return null_index;
        return def.mesh->triangle(triangle).material;
    };
    return {number(m.mesh, of_mesh), number(m.shape, of_shape)};
}

/// Sorts the points of a pair into patches: those that the pair has, if the points face as they do, and new ones. No
/// more than `most` of them get points, the deepest ones first.
std::vector<SolidContacts::Patch> SolidContacts::patches_of(const ContactWorld& world, std::uint32_t mesh_contact,
                                                            std::span<const detail::FeaturePoint> points,
                                                            std::size_t most) {
    std::vector<Patch> patches;
    const ContactTable& contacts = world.contacts;
    const MeshContact& m = contacts.mesh_contacts[mesh_contact];
    for_each_contact_of_mesh(contacts, mesh_contact, [&](std::uint32_t c) {
        const ContactState& state = contacts.states[c];
        patches.push_back({contacts.caches[c].manifold.normal,
                           materials_at(world.shapes, m, state.triangle_a, state.triangle_b),
                           state.rolls,
                           c,
                           {}});
    });
    // The deepest points come last. Patches that have had points until now, but have none here, do not count.
    std::size_t used = 0;
    for (auto p = points.rbegin(); p != points.rend(); ++p) {
        Patch* best = nullptr;
        float nearest = p->rolls ? settings::rolling_patch_normal : settings::patch_normal;
        const Materials materials = materials_at(world.shapes, m, p->triangles[0], p->triangles[1]);
        for (Patch& patch : patches) {
            const float facing = glm::dot(patch.normal, p->normal);
            if (facing >= nearest && patch.materials == materials && patch.rolls == p->rolls)
                nearest = facing, best = &patch;
        }
        if (best == nullptr || best->points.empty()) {
            if (used == most) continue;
            ++used;
            if (best == nullptr) best = &patches.emplace_back(Patch{p->normal, materials, p->rolls, null_index, {}});
            best->normal = p->normal;  // of its deepest point
        }
        best->points.push_back(*p);
    }
    return patches;
}

/// Returns the distance up to which points of a pair may touch in the step (`reach` of choose_points()), m.
static float touching_reach(const ContactWorld& world, const MeshContact& m, float slop) {
    const float ahead =
        world.colliders.motions[m.mesh].max_displacement + world.colliders.motions[m.shape].max_displacement;
    return slop + std::max(ahead - settings::slow_approach * slop, 0.0f);
}

bool SolidContacts::can_find_again(const ShapePool& shapes, const MeshContact& m) {
    const TriangleSet* const shape = shapes.defs[m.shape].mesh.get();  // boxes and hulls have none, and few triangles
    return shape == nullptr || are_few(shapes.defs[m.mesh].mesh->size(), shape->size());
}

void SolidContacts::begin_again(std::size_t tasks) { at_least(found_, tasks); }

void SolidContacts::find_again(const ContactWorld& world, const Task& task, std::size_t index) {
    find(world, task, found_[index]);
}

void SolidContacts::put_again(const ContactWorld& world, const Task& task, std::size_t index) {
    ContactTable& contacts = world.contacts;
    std::size_t most = 0;
    for_each_contact_of_mesh(contacts, task.mesh_contact, [&](std::uint32_t) { ++most; });
    std::vector<Patch> patches = patches_of(world, task.mesh_contact, found_[index], most);
    // A patch that is new takes the contact of a patch that has lost its points.
    const auto is_free = [](const Patch& each) { return each.points.empty() && each.contact != null_index; };
    for (Patch& patch : patches) {
        if (patch.contact == null_index && !patch.points.empty())
            std::swap(patch.contact, std::find_if(patches.begin(), patches.end(), is_free)->contact);
    }
    for (const Patch& patch : patches) {
        if (patch.contact == null_index) continue;
        if (patch.points.empty())
            contacts.caches[patch.contact].manifold.count = 0;
        else
            set_manifold(
                world, patch,
                touching_reach(world, contacts.mesh_contacts[task.mesh_contact], contacts.states[patch.contact].slop));
    }
}

/// Sorts the points of a pair into patches, and gives each patch a contact.
void SolidContacts::apply(const ContactWorld& world, const Task& task, std::span<const detail::FeaturePoint> points) {
    ContactTable& contacts = world.contacts;
    const MeshContact& m = contacts.mesh_contacts[task.mesh_contact];
    std::vector<Patch> patches = patches_of(world, task.mesh_contact, points, settings::most_patches);
    const auto used = std::count_if(patches.begin(), patches.end(), [](const Patch& p) { return !p.points.empty(); });
    for (Patch& patch : patches) {
        if (patch.points.empty()) {
            world.remove_contact(patch.contact);
            continue;
        }
        if (patch.contact == null_index) {
            PairRecord record;
            record.a = m.mesh;
            record.b = m.shape;
            const Aabb &a = world.shapes.locals[m.mesh].box, &b = world.shapes.locals[m.shape].box;
            record.radius_a = radius_of(a);
            record.radius_b = radius_of(b);
            record.size = std::min(largest(half_extents(a)), largest(half_extents(b)));
            const auto thickness = [&](std::uint32_t slot) {
                const ShapeDef& def = world.shapes.defs[slot];
                if (!def.mesh) return talus::thickness(def.shape);
                return def.mesh->is_solid() ? def.mesh->solid_thickness() : std::numeric_limits<float>::infinity();
            };
            record.thickness = std::min({record.size, thickness(m.mesh), thickness(m.shape)});
            record.stamp = world.colliders.versions[m.mesh] + world.colliders.versions[m.shape];
            patch.contact = world.add_contact(task.pair, record, m.mesh_body, m.shape_body);
            contacts.put_in_mesh_contact(patch.contact, task.mesh_contact);
        }
        contacts.states[patch.contact].of_compound = used > 1;
        set_manifold(world, patch, touching_reach(world, m, contacts.states[patch.contact].slop));
        carry_over(contacts.states[patch.contact], contacts.caches[patch.contact].manifold, 0.0f);
    }
}

void SolidContacts::collide(const ContactWorld& world, std::span<const Task> tasks, const Jobs& jobs, bool timed,
                            NarrowphaseProfile& profile) {
    if (tasks.empty()) return;
    at_least(known_, world.contacts.mesh_contacts.size());
    at_least(found_, tasks.size());
    constexpr std::size_t least_pairs = 4;
    const auto parts = static_cast<std::size_t>(jobs.tasks_for(tasks.size(), least_pairs));
    times_.assign(parts, 0.0);
    jobs.for_each_part(tasks.size(), parts, [&](std::size_t k, std::size_t first, std::size_t last) {
        Stopwatch watch(timed);
        for (std::size_t i = first; i < last; ++i) find(world, tasks[i], found_[i]);
        times_[k] = watch.lap();
    });
    Stopwatch watch(timed);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        apply(world, tasks[i], found_[i]);
        if constexpr (!profiling_compiled_in) continue;
        Known& known = known_[tasks[i].mesh_contact];
        profile.features += known.candidates.take_counts();
        profile.features += known.round.take_counts();
        profile.features.points += found_[i].size();
    }
    double& sum = profile.microseconds[static_cast<std::size_t>(Rung::features)];
    sum += watch.lap();
    for (const double time : times_) sum += time;
    if (timed) profile.clock_reads += 2 * parts + 2;
}

std::size_t SolidContacts::bytes() const {
    std::size_t sum = known_.capacity() * sizeof(Known) + found_.capacity() * sizeof(found_[0]);
    for (const Known& each : known_) {
        sum += each.of_mesh.bytes() + each.candidates.bytes() + each.round.bytes() +
               (each.own_set ? each.own_set->bytes() : 0);
    }
    for (const auto& each : found_) sum += each.capacity() * sizeof(detail::FeaturePoint);
    return sum;
}

}  // namespace talus
