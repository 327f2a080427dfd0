#include "engine/joint_solver/rows/joint_poses.h"

#include "engine/bodies/free_turn.h"
#include "engine/bodies/middle_spin.h"

namespace talus {

namespace {

/// Returns r m r^T of a symmetric m.
dmat3 rotated(const dmat3& r, const dmat3& m) {
    const dmat3 left = r * m;
    dmat3 result;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k <= i; ++k) {
            result[i][k] = left[0][i] * r[0][k] + left[1][i] * r[1][k] + left[2][i] * r[2][k];
            result[k][i] = result[i][k];
        }
    }
    return result;
}

/// Returns an upper bound of the length of v.
double bound_of(const dvec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

}  // namespace

void read_pose(Articulations& s, Link& link) {
    if (link.solver == 0) return;
    link.displacement = dvec3(load3(s.motions.bodies[link.solver].displacement));
    link.orientation = Orientation(s.motions.rotation(link.solver));
}

void update_inertia(Articulations& s, Link& link) {
    if (link.solver == 0) return;
    if (link.inertia_rotates) {
        link.rotation = to_matrix(dquat(s.motions.motions->turn(link.solver)));
        link.true_inverse_inertia = rotated(link.rotation, link.start_inverse_inertia);
    }
    link.inverse_inertia = link.true_inverse_inertia;
    link.max_stiffness = 0.0;
}

void update_pose(Articulations& s, SolverJoint& joint) {
    if (joint.kind == JointKind::gear) return;
    Link &link_a = s.links[joint.link[0]], &link_b = s.links[joint.link[1]];
    const dvec3 centers = joint.center_offset + link_b.displacement - link_a.displacement;
    joint.pose = joint_pose(joint.frame_a, link_a.orientation, joint.frame_b, link_b.orientation, centers, joint.parts);
    if (joint.kind == JointKind::distance)
        joint.pose.a[0] = link_a.orientation.axes * joint.frame_a.orientation.axes[0];
    JointParts parts = joint.parts;
    joint.beyond_locks = joint.locks_swing && !nearly_locked(joint.pose, joint.locks_twist);
    if (joint.beyond_locks) {
        parts = {};
        joint.pose = joint_pose(joint.frame_a, link_a.orientation, joint.frame_b, link_b.orientation, centers, parts);
    }
    joint.coordinates = coordinates(joint.kind, joint.pose, joint.angle, parts);
    if (parts.twist) joint.angle = joint.coordinates[3];

    if (glm::dot(joint.new_load, joint.new_load) > glm::dot(joint.load, joint.load))
        joint.load = link_a.orientation.axes * joint.new_load;
    const double pull = bound_of(joint.load);
    link_a.max_stiffness += bound_of(joint.pose.arm_a + joint.pose.apart) * pull;
    link_b.max_stiffness += bound_of(joint.pose.arm_b) * pull;
}

void predict_poses(Articulations& s, Articulation& a) {
    const double h = s.substep;
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        Link& link = s.links[l];
        if (link.solver == 0) continue;
        const double* const v = s.velocity_of(l);
        const dvec3 velocity(v[0], v[1], v[2]);
        dvec3 angular_velocity(v[4], v[5], v[6]);
        link.next_displacement = link.displacement + h * velocity;
        if (link.inertia_rotates) {
            const dvec3 start = angular_velocity;
            const auto round = [&](const dvec3& w) {
                const dvec3 momentum = link.rotation * (link.start_inertia * (w * link.rotation));
                return start +
                       stretched_half(h, glm::dot(w, w)) * (link.true_inverse_inertia * glm::cross(momentum, w));
            };
            const dvec3 first = round(start);
            const double share = later_rounds(h, glm::dot(start, start));
            angular_velocity = first;
            const int rounds = needs_more_rounds(h, glm::dot(start, start)) ? settings::middle_spin_rounds : 2;
            for (int i = 1; i < rounds; ++i) angular_velocity = first + share * (round(angular_velocity) - first);
        }
        link.next_orientation = Orientation(integrate_rotation(link.orientation.rotation, h * angular_velocity));
    }
    for (SolverJoint& joint : s.joints_of(a)) {
        if (joint.kind == JointKind::gear) continue;
        const Link &link_a = s.links[joint.link[0]], &link_b = s.links[joint.link[1]];
        const JointParts parts = joint.beyond_locks ? JointParts{} : joint.next_parts;
        joint.next_pose = joint_pose(joint.frame_a, link_a.next_orientation, joint.frame_b, link_b.next_orientation,
                                     joint.center_offset + link_b.next_displacement - link_a.next_displacement, parts);
        joint.next_coordinates = coordinates(joint.kind, joint.next_pose, joint.angle, parts);
        if (!joint.anchored || link_a.solver == 0) continue;
        // The distance between the anchors is taken relative to A, because links that swing about one point rotate
        // together. With the present matrix, Newton's method then converges for rotations of 1 rad and more; along the
        // world's axes it does not. If B is not dynamic, or nothing holds the articulation, Newton's method converges
        // better along the world's axes. With the axes of A, a plate that was body A of a hinge to the world, oblique
        // to it, slowed down from 30 rad/s on, and two boxes that were welded to an L slowed down from 80 rad/s on.
        // Then the two axes along which a hinge measures its tilt must not rotate about the hinge either.
        JointPose& next = joint.next_pose;
        if (link_b.dynamic && !a.floating) {
            next.apart = link_a.orientation.axes * (next.apart * link_a.next_orientation.axes);
        } else if (joint.locks_swing && !joint.locks_twist && !joint.beyond_locks) {
            next.a[1] = glm::cross(joint.pose.a[2], next.a[0]);
            next.a[2] = glm::cross(next.a[0], joint.pose.a[1]);
        }
    }
}

}  // namespace talus
