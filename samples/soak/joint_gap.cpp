#include "samples/soak/joint_gap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::samples {

namespace {

/// Whether the limits of a six-dof joint keep its swing well below half a turn. There its rotations are not defined: a
/// small rotation changes all three coordinates by up to a full turn.
bool swing_ends(const World& world, JointId joint) {
    constexpr float most = 1.5f;  // rad
    for (const JointAxis axis : {JointAxis::turn_y, JointAxis::turn_z}) {
        const JointLimit limit = world.joint_limit(joint, axis);
        if (limit.lower < -most || limit.upper > most) return false;
    }
    return true;
}

/// The range in which an axis of a joint is locked; without ends if it is not locked.
JointLimit lock_of(const World& world, JointId joint, int i) {
    const auto axis = static_cast<JointAxis>(i);
    constexpr JointLimit locked{0.0f, 0.0f};
    switch (world.kind(joint)) {
        case JointKind::ball:
            return i < 3 ? locked : JointLimit{};
        case JointKind::hinge:
            return i != 3 ? locked : JointLimit{};
        case JointKind::slider:
            return i != 0 ? locked : JointLimit{};
        case JointKind::wheel:
            return i == 0 || i == 2 || i == 5 ? locked : JointLimit{};
        case JointKind::fixed:
            return world.joint_stiffness(joint, axis) > 0.0f ? JointLimit{} : locked;  // a soft weld
        case JointKind::distance:
            return i == 0 ? world.joint_limit(joint) : JointLimit{};
        case JointKind::six_dof: {
            if (i >= 3 && !swing_ends(world, joint)) return {};
            const JointLimit limit = world.joint_limit(joint, axis);
            return limit.lower == limit.upper ? limit : JointLimit{};
        }
        default:
            return {};
    }
}

constexpr double longest_slide = 2.0;                  ///< m
constexpr double whole_turn = 2.0 * std::numbers::pi;  ///< rad

}  // namespace

JointGap joint_gap(const World& world, JointId joint) {
    if (world.kind(joint) == JointKind::gear) return {};
    double sums[2] = {};  // squares of violations along axes, and about axes
    for (int i = 0; i < 6; ++i) {
        const JointLimit lock = lock_of(world, joint, i);
        auto q = static_cast<double>(world.joint_coordinate(joint, static_cast<JointAxis>(i)));
        if (lock.lower == -unlimited && lock.upper == unlimited) {
            if (i < 3 && std::abs(q) > longest_slide) return {};
            continue;
        }
        if (i >= 3) q -= whole_turn * std::round((q - static_cast<double>(lock.lower)) / whole_turn);
        const double below = static_cast<double>(lock.lower) - q, above = q - static_cast<double>(lock.upper);
        const double beyond = std::isnan(q) ? q : std::max({below, above, 0.0});
        sums[i / 3] += beyond * beyond;
    }
    return {std::sqrt(sums[0]), std::sqrt(sums[1])};
}

}  // namespace talus::samples
