#include <talus/narrowphase/nonconvex/motion.h>

#include "narrowphase/nonconvex/edge_face.h"
#include "narrowphase/nonconvex/event_stream.h"
#include "narrowphase/nonconvex/interference_at.h"
#include "narrowphase/nonconvex/relative_motion.h"
#include "narrowphase/nonconvex/sinusoid.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;
using Index = std::uint32_t;

constexpr double forever = std::numeric_limits<double>::infinity();

/// In radii of the smaller polyhedron, if the user gives none. Larger: contacts are reported earlier. Smaller: more
/// steps.
constexpr double default_tolerance = 1e-5;

/// Steps that one pair may take. Only features that stay between half the tolerance and the tolerance apart, and do not
/// come nearer, need more than some dozens.
constexpr std::size_t most_steps = 4096;

/// A basic contact function at a time: its value (m), its derivative (m per unit of time).
struct ValueAndSlope {
    double value, slope;
};

/// Returns how long |f| stays above `level`, if it is above now and |f''| is at most `bend`: the first root of the
/// parabola with that second derivative.
double safe_step(const ValueAndSlope& f, double bend, double level) {
    const double gap = std::abs(f.value) - level;
    if (!(gap > 0.0)) return 0.0;
    const double slope = f.value >= 0.0 ? f.slope : -f.slope;
    const double root = std::sqrt(slope * slope + 2.0 * bend * gap);
    if (slope > 0.0) return bend > 0.0 ? (slope + root) / bend : forever;
    return root - slope > 0.0 ? 2.0 * gap / (root - slope) : forever;
}

/// The basic contact functions of two polyhedra along a motion.
class ContactFunctions {
public:
    ContactFunctions(const Polyhedron& a, const Polyhedron& b, const CheckedMotion& motion)
        : a_(a), b_(b), checked_(motion), m_(motion.motion), speed_(detail::length(m_.displacement)) {
        for (const dvec3& v : b.vertices) {
            arms_.push_back(motion.start * (v - m_.center));
            radii_.push_back(detail::length(glm::cross(m_.axis, arms_.back())));
        }
        for (Index f = 0; f < b.faces.size(); ++f) {
            double most = 0.0;
            for (const Index e : b.edges_of_face(f)) {
                for (const Index v : b.edges[e].vertices) most = std::max(most, radii_[v]);
            }
            face_radii_.push_back(most);
        }
    }

    /// The functions of one pair.
    struct Followed {
        FeaturePair pair;
        double bend;   ///< bound of the second derivative
        double speed;  ///< bound of the speed of the points of B's feature

        // Vertex with face: value = constant + rate t + turn(angle) - t pull(angle).
        double constant = 0.0, rate = 0.0;
        Sinusoid turn{}, pull{};
        // Edges: value = (point of B's line - point of A's line) . (direction x direction).
        dvec3 from{0.0}, direction{0.0};       ///< A's line
        dvec3 arm{0.0}, other_direction{0.0};  ///< B's line at time 0, from the centre of rotation
    };

    Followed follow(const FeaturePair& p) const {
        const double w = m_.angle;
        Followed f{};
        f.pair = p;
        if (p.kind == FeaturePairKind::b_vertex) {
            const PolyhedronFace& face = a_.faces[p.a];
            f.constant = glm::dot(face.normal, m_.position) - face.offset;
            f.rate = glm::dot(face.normal, m_.displacement);
            f.turn = RotatingVector(arms_[p.b], m_.axis).dot(face.normal, glm::dot(face.normal, m_.axis));
            f.bend = w * w * f.turn.amplitude();
            f.speed = speed_ + w * radii_[p.b];
        } else if (p.kind == FeaturePairKind::a_vertex) {
            const PolyhedronFace& face = b_.faces[p.b];
            const RotatingVector normal(checked_.start * face.normal, m_.axis);
            const dvec3 u = a_.vertices[p.a] - m_.position;
            f.constant = glm::dot(face.normal, m_.center) - face.offset;
            f.turn = normal.dot(u, glm::dot(u, m_.axis));
            f.pull = normal.dot(m_.displacement, glm::dot(m_.displacement, m_.axis));
            f.bend = w * (w * f.turn.amplitude() + (2.0 + w) * f.pull.amplitude());
            f.speed = speed_ + w * face_radii_[p.b];
        } else {
            const PolyhedronEdge &ea = a_.edges[p.a], &eb = b_.edges[p.b];
            f.direction = ea.direction;
            f.other_direction = checked_.start * eb.direction;
            // Of each line the point nearest to the centre of rotation: that makes the bound small.
            const dvec3& p0 = a_.vertices[ea.vertices[0]];
            f.from = p0 + glm::dot(m_.position - p0, ea.direction) * ea.direction;
            const dvec3& arm = arms_[eb.vertices[0]];
            f.arm = arm - glm::dot(arm, f.other_direction) * f.other_direction;
            const double radius = detail::length(glm::cross(m_.axis, f.arm));
            const double apart = detail::length(m_.position - f.from) + speed_ + detail::length(f.arm);
            f.bend = w * (w * radius + 2.0 * (speed_ + w * radius) + w * apart);
            f.speed = speed_ + w * std::max(radii_[eb.vertices[0]], radii_[eb.vertices[1]]);
        }
        return f;
    }

    ValueAndSlope value(const Followed& f, double t) const {
        const double w = m_.angle;
        const detail::SinCos angle = detail::sin_cos(w * t);
        if (f.pair.kind != FeaturePairKind::edges) {
            const double pull = f.pull.at(angle);
            return {f.constant + f.rate * t + f.turn.at(angle) - t * pull,
                    f.rate + w * f.turn.slope(angle) - pull - t * w * f.pull.slope(angle)};
        }
        const dvec3 arm = turned(f.arm, angle), other = turned(f.other_direction, angle);
        const dvec3 between = checked_.center_at(t) + arm - f.from, normal = glm::cross(f.direction, other);
        const dvec3 moving = m_.displacement + w * glm::cross(m_.axis, arm);
        const dvec3 turning = glm::cross(f.direction, w * glm::cross(m_.axis, other));
        return {glm::dot(between, normal), glm::dot(moving, normal) + glm::dot(between, turning)};
    }

    /// Returns the nearest points of the two features, A's first, in A's frame.
    std::array<dvec3, 2> nearest(const FeaturePair& p, double t) const {
        const dvec3 center = checked_.center_at(t);
        const detail::SinCos angle = detail::sin_cos(m_.angle * t);
        if (p.kind == FeaturePairKind::b_vertex) {
            const dvec3 v = center + turned(arms_[p.b], angle);
            return {nearest_on_face(v, a_, p.a), v};
        }
        if (p.kind == FeaturePairKind::a_vertex) {
            const dmat3 rotation = checked_.rotation_at(t);
            const dvec3& v = a_.vertices[p.a];
            const dvec3 in_b = glm::transpose(rotation) * (v - center) + m_.center;
            return {v, center + rotation * (nearest_on_face(in_b, b_, p.b) - m_.center)};
        }
        const auto& [a0, a1] = a_.edges[p.a].vertices;
        const auto& [b0, b1] = b_.edges[p.b].vertices;
        return nearest_on_segments(a_.vertices[a0], a_.vertices[a1], center + turned(arms_[b0], angle),
                                   center + turned(arms_[b1], angle));
    }

private:
    dvec3 turned(const dvec3& v, const detail::SinCos& angle) const {
        const dvec3 along = glm::dot(m_.axis, v) * m_.axis;
        return along + angle.cosine * (v - along) + angle.sine * glm::cross(m_.axis, v);
    }

    const Polyhedron &a_, &b_;
    const CheckedMotion& checked_;
    const RelativeMotion& m_;
    double speed_;
    std::vector<dvec3> arms_;         ///< B's vertices from the centre of rotation, at time 0, in A's frame
    std::vector<double> radii_;       ///< their distances from the axis
    std::vector<double> face_radii_;  ///< the largest of each face
};

/// Follows pairs through parts of the motion, up to the first contact so far.
class ContactSearch {
public:
    ContactSearch(const ContactFunctions& functions, double tolerance, ContactTime& out)
        : functions_(functions), tolerance_(tolerance), out_(out) {}

    /// Follows a pair from a time on. Returns the time up to which it does not touch: `to` or later, or that of the
    /// first contact.
    double follow(const FeaturePair& pair, double from, double to) {
        const double end = std::min(to, first_);
        double t = from;
        if (t > end || (t == end && first_ <= 1.0)) return t;
        ++out_.pairs;
        const ContactFunctions::Followed f = functions_.follow(pair);
        for (std::size_t step = 0; step < most_steps; ++step) {
            ++out_.steps;
            // Three quarters: where this ends, features that meet head-on are within the tolerance.
            double safe = safe_step(functions_.value(f, t), f.bend, 0.75 * tolerance_);
            if (t + safe > end) return t + safe;
            const auto [p, q] = functions_.nearest(f.pair, t);
            const double distance = detail::length(q - p);
            if (distance <= tolerance_) {
                first_ = t;
                out_.status = ToiStatus::hit;
                out_.pair = f.pair;
                out_.distance = distance;
                out_.point = 0.5 * (p + q);
                return t;
            }
            safe = std::max(safe, f.speed > 0.0 ? (distance - 0.5 * tolerance_) / f.speed : forever);
            if (t + safe > end) return t + safe;
            t += safe;
        }
        first_ = t;
        out_.status = ToiStatus::iteration_cap;
        return t;
    }

    double first() const { return first_; }

private:
    const ContactFunctions& functions_;
    double tolerance_;
    double first_ = forever;
    ContactTime& out_;
};

/// The pairs that are applicable at present, each with the time up to which it does not touch.
class OpenPairs {
public:
    struct Open {
        FeaturePair pair;
        double safe;
    };
    std::vector<Open>& list() { return list_; }
    void add(const FeaturePair& p, double time) {
        if (places_.emplace(key_of(p), list_.size()).second) list_.push_back({p, time});
    }
    const Open* find(const FeaturePair& p) const {
        const auto found = places_.find(key_of(p));
        return found == places_.end() ? nullptr : &list_[found->second];
    }
    void remove(const FeaturePair& p) {
        const auto found = places_.find(key_of(p));
        const std::size_t place = found->second;
        places_.erase(found);
        if (place + 1 != list_.size()) {
            list_[place] = list_.back();
            places_[key_of(list_[place].pair)] = place;
        }
        list_.pop_back();
    }

private:
    std::vector<Open> list_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// Returns a time before which the bounding spheres are farther apart than the tolerance; more than 1 if they never
/// meet.
double spheres_meet(const Polyhedron& a, const Polyhedron& b, const CheckedMotion& checked, double tolerance) {
    const RelativeMotion& m = checked.motion;
    const dvec3 arm = b.center - m.center;
    const double speed = detail::length(m.displacement) + m.angle * detail::length(arm);
    const double reach = a.radius + b.radius + tolerance;
    double t = 0.0;
    while (t <= 1.0) {
        const dvec3 center = checked.center_at(t) + checked.rotation_at(t) * arm;
        const double gap = detail::length(center - a.center) - reach;
        // Steps that are shorter than a hundredth are left to the search.
        if (!(gap > 0.01 * speed)) return t;
        t += speed > 0.0 ? gap / speed : 2.0;
    }
    return t;
}

/// Returns the part of a motion from a time to its end.
RelativeMotion rest_of(const CheckedMotion& checked, const RelativePlace& place, double time) {
    RelativeMotion rest = checked.motion;
    rest.rotation = place.rotation;
    rest.position = checked.center_at(time);
    rest.displacement *= 1.0 - time;
    rest.angle *= 1.0 - time;
    return rest;
}

/// The search goes through the motion in so many parts, and ends with the part of the first contact.
constexpr int parts = 16;

}  // namespace

ContactTime time_of_contact(const NonconvexShape& a, const NonconvexShape& b, const RelativeMotion& motion,
                            double tolerance) {
    ContactTime out;
    const CheckedMotion checked(motion);
    if (!checked.usable || !a.graph || !b.graph || a.polyhedron.faces.empty() || b.polyhedron.faces.empty() ||
        !(tolerance >= 0.0 && tolerance < forever)) {
        out.status = ToiStatus::bad_input;
        return out;
    }
    const Polyhedron &pa = a.polyhedron, &pb = b.polyhedron;
    if (tolerance == 0.0) tolerance = default_tolerance * std::min(pa.radius, pb.radius);
    tolerance = std::max(tolerance, pa.tolerance + pb.tolerance);

    out.time = 1.0;
    const double start = spheres_meet(pa, pb, checked, tolerance);
    if (start > 1.0) return out;
    const RelativePlace place = place_at(motion, start);
    const auto initial = [&] {
        out = {};
        out.status = ToiStatus::initially_overlapping;
        return out;
    };
    if (start == 0.0 && interference_at(pa, pb, place, DistanceKind::none).relation != Interference::disjoint)
        return initial();

    const CheckedMotion rest(rest_of(checked, place, start));
    const ContactFunctions functions(pa, pb, rest);
    ContactSearch search(functions, tolerance, out);
    EventStream stream(a, b, rest.motion);
    OpenPairs open;
    for (int part = 1; part <= parts && search.first() > 1.0; ++part) {
        const double end = static_cast<double>(part) / parts;
        for (const ApplicabilityEvent& e : stream.advance(end)) {
            if (e.applicable) {
                open.add(e.pair, e.time);
            } else if (const OpenPairs::Open* o = open.find(e.pair)) {
                if (o->safe <= e.time) search.follow(e.pair, o->safe, e.time);
                open.remove(e.pair);
            }
        }
        for (OpenPairs::Open& o : open.list()) {
            if (o.safe <= end) o.safe = search.follow(o.pair, o.safe, end);
        }
    }
    if (search.first() > 1.0) return out;
    if (search.first() == 0.0 && start == 0.0 && out.status == ToiStatus::hit) return initial();
    out.time = start + search.first() * (1.0 - start);
    if (out.status != ToiStatus::hit) out.distance = 0.0;
    return out;
}

}  // namespace talus
