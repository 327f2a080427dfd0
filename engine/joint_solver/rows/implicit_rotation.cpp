#include "engine/joint_solver/rows/implicit_rotation.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns the stiffness that a force f (or an impulse) at an arm r gives a body against rotation. When the body and
/// the arm rotate by w, the moment changes by
///
///     (w x r) x f = -K w,    with the symmetric K = (f . r) 1 - (r f^T + f r^T) / 2
///
/// Only the positive part of K is returned. K has three principal values: 0 along the bisector of r and f, f . r along
/// n = r x f, and (|f| |r| + f . r) / 2 perpendicular to both.
dmat3 rotation_stiffness(const dvec3& r, const dvec3& f) {
    const double size_r = std::sqrt(glm::dot(r, r)), size_f = std::sqrt(glm::dot(f, f)), along = glm::dot(r, f);
    if (size_r * size_f <= 0.0 || along <= -0.999 * size_r * size_f) return dmat3(0.0);
    const dvec3 u = r / size_r, v = f / size_f, middle = u + v, across = u - v;
    const double n = std::max(along, 0.0), e = 0.5 * (size_r * size_f + along);
    const double middle2 = glm::dot(middle, middle), across2 = glm::dot(across, across);
    dmat3 k = dmat3(n) - (n / middle2) * glm::outerProduct(middle, middle);
    if (across2 > 1e-12) k += ((e - n) / across2) * glm::outerProduct(across, across);
    return k;
}

double trace(const dmat3& m) { return m[0][0] + m[1][1] + m[2][2]; }

/// Returns the inverse inertia of a link about its pivot.
dmat3 response_about_pivot(const Link& link) {
    const dvec3& r = link.pivot;
    const dmat3 moved = link.mass * (dmat3(glm::dot(r, r)) - glm::outerProduct(r, r));
    return glm::inverse(glm::inverse(link.inverse_inertia) + moved);
}

/// Adds a force f (or an impulse) at an arm r to the `swing` of a link with a pivot: the trace of I^-1 K, if that is
/// positive, with the whole K (see rotation_stiffness()). The positive part of K also resists rotation about the arm
/// itself, which does not move the force's point. A thin body has little inertia about that axis, and would count as
/// too fast.
void add_swing_about_pivot(Link& link, const dvec3& r, const dvec3& f) {
    const dmat3& response = link.pivot_response;
    link.swing += std::max(0.0, glm::dot(f, r) * trace(response) - glm::dot(f, response * r));
}

}  // namespace

void integrate_implicitly(Articulations& s, Articulation& a) {
    const double h = s.substep, most = settings::joint_turn_rate * settings::joint_turn_rate;
    bool any = false;
    a.implicit = false;
    for (Link& link : s.links_of(a)) {
        const dmat3& i = link.inverse_inertia;
        link.implicit = false;
        link.maybe_implicit = link.dynamic && h * link.max_stiffness * (i[0][0] + i[1][1] + i[2][2]) > most;
        link.stiffness = dmat3(0.0);
        link.pivot = dvec3(0.0);
        any = any || link.maybe_implicit;
    }
    if (!any) return;
    for (const SolverJoint& joint : s.joints_of(a)) {
        if (joint.kind == JointKind::gear) continue;
        Link &link_a = s.links[joint.link[0]], &link_b = s.links[joint.link[1]];
        if (link_a.maybe_implicit)
            link_a.stiffness += rotation_stiffness(joint.pose.arm_a + joint.pose.apart, -joint.load);
        if (link_b.maybe_implicit) link_b.stiffness += rotation_stiffness(joint.pose.arm_b, joint.load);
        if (!joint.anchored) continue;
        if (!link_a.dynamic) link_b.pivot = joint.pose.arm_b;
        if (!link_b.dynamic) link_a.pivot = joint.pose.arm_a + joint.pose.apart;
    }
    bool pivots = false;
    for (Link& link : s.links_of(a)) {
        link.pivots = link.maybe_implicit && link.pivot != dvec3(0.0) && !link.locked;
        link.swing = 0.0;
        if (link.pivots) link.pivot_response = response_about_pivot(link);
        pivots = pivots || link.pivots;
    }
    if (pivots) {
        for (const SolverJoint& joint : s.joints_of(a)) {
            if (joint.kind == JointKind::gear) continue;
            Link &link_a = s.links[joint.link[0]], &link_b = s.links[joint.link[1]];
            if (link_a.pivots) add_swing_about_pivot(link_a, joint.pose.arm_a + joint.pose.apart, -joint.load);
            if (link_b.pivots) add_swing_about_pivot(link_b, joint.pose.arm_b, joint.load);
        }
    }
    for (Link& link : s.links_of(a)) {
        if (!link.maybe_implicit) continue;
        const dmat3 g = h * link.inverse_inertia * link.stiffness;
        const double swing = link.pivots ? h * link.swing : trace(g);  // at least the largest (omega h)^2
        link.implicit = swing > most;
        if (!link.implicit) continue;
        a.implicit = true;
        const double share = std::min(1.0, swing / most - 1.0);
        link.swing_damping = glm::inverse(dmat3(1.0) + share * g);
        const dmat3 slowed = link.swing_damping * link.inverse_inertia;
        link.inverse_inertia = 0.5 * (slowed + glm::transpose(slowed));  // symmetric except for rounding
    }
}

}  // namespace talus
