#include "engine/contact_solver/lever_motion.h"

#include "engine/settings.h"
#include "narrowphase/nonconvex/surface_walk.h"
#include "narrowphase/support/surface_curvature.h"

#include <glm/vec2.hpp>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using detail::PlaneTensor;
using glm::dvec2;

dvec2 operator*(const PlaneTensor& t, const dvec2& v) { return {t.xx * v.x + t.xy * v.y, t.xy * v.x + t.yy * v.y}; }
PlaneTensor operator+(const PlaneTensor& s, const PlaneTensor& t) { return {s.xx + t.xx, s.xy + t.xy, s.yy + t.yy}; }

vec3 operator*(const SolverMass& mass, const vec3& moment) {
    const float* const i = mass.inverse_inertia;  // xx, yy, zz, xy, xz, yz
    return {i[0] * moment.x + i[3] * moment.y + i[4] * moment.z, i[3] * moment.x + i[1] * moment.y + i[5] * moment.z,
            i[4] * moment.x + i[5] * moment.y + i[2] * moment.z};
}

/// The contact of one step. Vectors are in world axes.
class Levers {
public:
    Levers(const Manifold& manifold, const float* impulses, const LeverSide& a, const LeverSide& b, float time)
        : manifold_(manifold),
          a_(a),
          b_(b),
          turn_a_(time * load3(a.velocity.angular)),
          turn_b_(time * load3(b.velocity.angular)),
          step_a_(time * load3(a.velocity.linear)),
          step_b_(time * load3(b.velocity.linear)),
          normal_(rotate(a.pose.rotation, manifold.normal)),
          line_(line_of(manifold, a.pose.rotation)) {
        for (int i = 0; i < manifold.count; ++i) load_ += impulses[i];
        vec3 on_a(0.0f), on_b(0.0f);
        float sum = 0.0f;
        for (int i = 0; i < manifold.count; ++i) {
            const ManifoldPoint& p = manifold.points[i];
            const float near = p.separation <= settings::most_carried_gap ? 1.0f : 0.0f;
            const float weight = load_ > 0.0f ? impulses[i] : near;
            sum += weight;
            if (impulses[i] > impulses[loaded_]) loaded_ = i;
            on_a += weight * p.on_a;
            on_b += weight * p.on_b;
        }
        touches_ = sum > 0.0f;
        if (!touches_) return;
        loaded_on_a_ = on_a / sum;
        loaded_on_b_ = on_b / sum;
        const vec3 from_a = vec3(a.pose.position - a.center) + rotate(a.pose.rotation, loaded_on_a_);
        const vec3 from_b = vec3(b.pose.position - b.center) + rotate(b.pose.rotation, loaded_on_b_);
        const vec3 apart(b.center - a.center);
        arm_a_ = 0.5f * (from_a + from_b + apart);
        half_gap_ = 0.5f * glm::dot(from_b + apart - from_a, normal_);
        arm_b_ = arm_a_ - apart;
        with_a_ = step_a_ + glm::cross(turn_a_, arm_a_);
        with_b_ = step_b_ + glm::cross(turn_b_, arm_b_);
    }

    /// Whether the shapes touch, and a load that they do not have yet would not be a blow.
    bool rests(const LeverStep& step) const {
        if (!touches_ || load_ > 0.0f) return touches_;
        return std::abs(glm::dot(with_b_ - with_a_, normal_)) < step.time * step.least_blow;
    }

    /// Finds how they move. Returns false if that does not follow from the shapes.
    bool move() {
        // Of the outward normal of either shape, as seen from it, if the other one touches with a face.
        const vec3 change = glm::cross(turn_b_, normal_) - glm::cross(turn_a_, normal_);
        const vec3 over_a = over_facets(a_, &ManifoldPoint::on_a, normal_, change),
                   over_b = over_facets(b_, &ManifoldPoint::on_b, -normal_, change);
        const bool a_rolls = over_a != vec3(0.0f), b_rolls = over_b != vec3(0.0f);
        if (on_face(FaceOwner::a, a_, normal_) && !a_rolls) {
            tilt_ = glm::cross(turn_a_, normal_);
            moved_ = with_b_ + rolled(b_, loaded_on_b_, -normal_, change) + over_b;
            line_turn_ = turn_of_line(b_, &ManifoldPoint::on_b, -normal_, change);
            weight_a_ = 0.0f;
        } else if (on_face(FaceOwner::b, b_, -normal_) && !b_rolls) {
            tilt_ = glm::cross(turn_b_, normal_);
            moved_ = with_a_ + rolled(a_, loaded_on_a_, normal_, change) + over_a;
            line_turn_ = turn_of_line(a_, &ManifoldPoint::on_a, normal_, change);
            weight_a_ = 1.0f;
        } else {
            return !a_rolls && !b_rolls && move_between_curves();
        }
        return true;
    }

    /// Limits their motion to that by which the load changes the rotation of a body by no more than all of it. Returns
    /// false if the normal would change by far.
    bool limit(const LeverStep& step) {
        if (!(length_squared(tilt_) < settings::lever_tilt * settings::lever_tilt)) return false;
        const float impulse = step.substeps * load_;
        const auto spin2 = [&](const LeverSide& side, const vec3& arm, const vec3& moved) {
            return length_squared(side.mass * (impulse * (glm::cross(moved, normal_) + glm::cross(arm, tilt_))));
        };
        const float gained =
            step.time * step.time * std::max(spin2(a_, arm_a_, moved_ - step_a_), spin2(b_, arm_b_, moved_ - step_b_));
        const float had = std::max(length_squared(turn_a_), length_squared(turn_b_));
        if (gained <= had) return true;
        const float part = std::sqrt(had / gained);
        for (vec3* const motion : {&turn_a_, &turn_b_, &line_turn_, &step_a_, &step_b_, &moved_, &tilt_})
            *motion *= part;
        return true;
    }

    void put(LeverMotion& out) const {
        const auto row = [](float* to, const vec3& v) {
            store3(to, v);
            to[3] = 0.0f;
        };
        const vec3 turn = weight_a_ * turn_a_ + (1.0f - weight_a_) * turn_b_ + line_turn_;
        const vec3 rest = moved_ - glm::cross(turn, arm_a_);
        row(out.turn, turn);
        row(out.shift_a, rest - step_a_);
        row(out.shift_b, rest - step_b_);
        row(out.tilt, tilt_);
    }

private:
    bool on_face(FaceOwner owner, const LeverSide& side, const vec3& out) const {
        if (manifold_.face_owner != FaceOwner::none) return manifold_.face_owner == owner;
        return detail::is_across_face(side.shape, inverse_rotate(side.pose.rotation, out));
    }

    /// The line of points at the ends of an edge or of a side, or of its parts on several triangles; zero if they are not
    /// on one line.
    static vec3 line_of(const Manifold& manifold, const quat& rotation) {
        vec3 longest(0.0f);
        for (int i = 1; i < manifold.count; ++i) {
            const vec3 between = manifold.points[i].on_a - manifold.points[0].on_a;
            const vec3 flat = between - glm::dot(between, manifold.normal) * manifold.normal;
            if (length_squared(flat) > length_squared(longest)) longest = flat;
        }
        const float length = std::sqrt(length_squared(longest));
        if (!(length > 0.0f)) return vec3(0.0f);
        const vec3 along = longest / length, across = glm::cross(manifold.normal, along);
        for (int i = 1; i < manifold.count; ++i) {
            const vec3 between = manifold.points[i].on_a - manifold.points[0].on_a;
            if (!(std::abs(glm::dot(between, across)) <= settings::lever_line * length)) return vec3(0.0f);
        }
        return rotate(rotation, along);
    }
    /// Whether the points are those of a part of a plane. They are corners.
    bool is_flat() const { return manifold_.count > 2 && line_ == vec3(0.0f); }

    /// Returns how far the contact moves over the surface of a shape on a face of the other one, if the shape's outward
    /// normal changes by `change` as seen from the shape.
    vec3 rolled(const LeverSide& side, const vec3& on_shape, const vec3& out, const vec3& change) const {
        const vec3 by_radius = (side.shape.radius + half_gap_) * change;
        if (is_flat() || !detail::has_curved_core(side.shape.type)) return by_radius;
        const vec3& ends = line_;
        const quat& q = side.pose.rotation;
        const vec3 moved =
            rotate(q, detail::moved_over_core(side.shape, on_shape, inverse_rotate(q, out),
                                              inverse_rotate(q, change - glm::dot(change, ends) * ends)));
        return by_radius + moved - glm::dot(moved, ends) * ends;
    }

    /// Returns the same for a hull or a solid that rolls over several of its facets; zero if it does not.
    vec3 over_facets(const LeverSide& side, vec3 ManifoldPoint::*on_shape, const vec3& out, const vec3& change) const {
        const quat& q = side.pose.rotation;
        const vec3 own = inverse_rotate(q, out), by = inverse_rotate(q, change);
        if (side.shape.type == ShapeType::hull) return rotate(q, detail::moved_over_facets(side.shape, own, by));
        if (side.solid == nullptr || manifold_.count == 0) return vec3(0.0f);
        detail::SurfaceWalk walk(*side.solid, manifold_.points[loaded_].*on_shape,
                                 settings::lever_place * side.solid->grain);
        if (!walk.is_on_surface()) return vec3(0.0f);
        return rotate(q, detail::moved_over_facets([&](const vec3& way) { return walk.farthest(way); }, own, by));
    }

    /// Returns by how much the line of two points turns about the normal, besides the rotation of the body: the base of a
    /// cone that rolls on its side rolls farther than its tip.
    vec3 turn_of_line(const LeverSide& side, vec3 ManifoldPoint::*on_shape, const vec3& out, const vec3& change) const {
        if (manifold_.count != 2 || side.shape.type != ShapeType::cone) return vec3(0.0f);
        const auto& p = manifold_.points;
        const vec3 between = rotate(side.pose.rotation, p[1].*on_shape - p[0].*on_shape);
        const vec3 farther = rolled(side, p[1].*on_shape, out, change) - rolled(side, p[0].*on_shape, out, change);
        const float length2 = length_squared(between);
        return length2 > 0.0f ? glm::dot(glm::cross(normal_, between), farther) / length2 * normal_ : vec3(0.0f);
    }

    /// Neither shape touches with a face. Returns false at a corner on an edge, or two edges along one line: the normal may
    /// turn to any side.
    bool move_between_curves() {
        const vec3 n = normal_, size = absolute(n);
        const vec3 axis = size.x <= size.y && size.x <= size.z ? vec3(1, 0, 0)
                          : size.y <= size.z                   ? vec3(0, 1, 0)
                                                               : vec3(0, 0, 1);
        const vec3 ends = line_, across = glm::cross(n, axis);
        const vec3 t1 = ends != vec3(0.0f) ? ends : across / std::sqrt(length_squared(across)), t2 = glm::cross(n, t1);
        const auto radii = [&](const LeverSide& side, const vec3& out) -> PlaneTensor {
            const double r = side.shape.radius;
            const quat& q = side.pose.rotation;
            if (is_flat()) return {r, 0.0, r};
            const vec3 own = inverse_rotate(q, out), x = inverse_rotate(q, t1), y = inverse_rotate(q, t2);
            const PlaneTensor core = ends == vec3(0.0f)
                                         ? detail::core_curvature(side.shape, own, x, y)
                                         : PlaneTensor{0.0, 0.0, detail::core_curvature_along(side.shape, own, y)};
            return core + PlaneTensor{r, 0.0, r};
        };
        const auto flat = [&](const vec3& v) { return dvec2(glm::dot(v, t1), glm::dot(v, t2)); };
        const auto in_world = [&](const dvec2& v) {
            return static_cast<float>(v.x) * t1 + static_cast<float>(v.y) * t2;
        };
        const PlaneTensor own_radii[2] = {radii(a_, n), radii(b_, -n)}, own_sum = own_radii[0] + own_radii[1];
        const dvec2 own_a = flat(glm::cross(turn_a_, n)), own_b = flat(glm::cross(turn_b_, n));
        moved_ = 0.5f * (with_a_ + with_b_);
        weight_a_ = 0.5f;
        const double trace = own_sum.xx + own_sum.yy, own_det = own_sum.xx * own_sum.yy - own_sum.xy * own_sum.xy;
        const double gap = 2.0 * double{half_gap_};
        constexpr double least_gaps = 4.0;
        if (trace <= least_gaps * std::abs(gap)) {  // two corners; patches of solids count as such
            tilt_ = in_world(0.5 * (own_a + own_b));
            return true;
        }
        constexpr double least = 1e-9;
        if (own_det <= std::max(least * trace, least_gaps * std::abs(gap)) * trace) return false;
        const PlaneTensor half{0.5 * gap, 0.0, 0.5 * gap};
        const PlaneTensor of_a = own_radii[0] + half, of_b = own_radii[1] + half, sum = of_a + of_b;
        const double det = sum.xx * sum.yy - sum.xy * sum.xy;
        const dvec2 pull = flat(with_b_ - with_a_) + of_a * own_a + of_b * own_b;
        const dvec2 tilt = dvec2(sum.yy * pull.x - sum.xy * pull.y, sum.xx * pull.y - sum.xy * pull.x) / det;
        tilt_ = in_world(tilt);
        moved_ += 0.5f * in_world(of_a * (tilt - own_a) - of_b * (tilt - own_b));
        return true;
    }

    const Manifold& manifold_;
    const LeverSide &a_, &b_;
    vec3 turn_a_, turn_b_, step_a_, step_b_;  // rotations, rad, and displacements of the centres of mass, m
    vec3 normal_;
    vec3 line_;          // see line_of()
    float load_ = 0.0f;  // N s
    int loaded_ = 0;     // the point with the most of it
    bool touches_ = false;
    vec3 loaded_on_a_{0.0f}, loaded_on_b_{0.0f};  // where the load is, or would be, in the shapes' frames
    float half_gap_ = 0.0f;  // half of the distance between the surfaces there, m: the levers end midway between them
    vec3 arm_a_{0.0f}, arm_b_{0.0f};    // its levers
    vec3 with_a_{0.0f}, with_b_{0.0f};  // by how much the bodies carry it along, m
    vec3 moved_{0.0f}, tilt_{0.0f};     // by how much it moves, m, and the normal changes
    vec3 line_turn_{0.0f};              // see turn_of_line()
    float weight_a_ = 0.5f;             // of A's rotation, for other points of the contact
};

}  // namespace

bool find_lever_motion(const Manifold& manifold, const float* impulses, const LeverSide& a, const LeverSide& b,
                       const LeverStep& step, LeverMotion& out) {
    Levers levers(manifold, impulses, a, b, step.time);
    if (!levers.rests(step) || !levers.move() || !levers.limit(step)) return false;
    levers.put(out);
    return true;
}

}  // namespace talus
