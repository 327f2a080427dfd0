#pragma once
/// One step as the ledger sees it: the bodies and joints before and after it, how the bodies moved, and the groups of
/// bodies that touched each other or were jointed in it. Each group has an account of the work that was done on it.
///
/// All places are relative to an origin near the bodies, in the world's axes, so that the books of a world are the same
/// to the bit wherever it is.

#include <talus/engine/world.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace talus::samples {

class LedgerStep {
public:
    /// A body before or after the step.
    struct Body {
        BodyId id;
        BodyType type = BodyType::fixed;
        bool present = false, awake = false;
        dvec3 center{0.0};  ///< from origin(), m
        dvec3 velocity{0.0}, spin{0.0};
        WorldTransform pose;  ///< its position from origin()
        double mass = 0.0, gravity_scale = 1.0;
        glm::dmat3 inertia{0.0};
        double kinetic = 0.0;
        // Read before the step only.
        std::uint8_t locks = 0;
        bool damped = false;
        double max_speed = 0.0, max_spin = 0.0;
        dvec3 force{0.0}, torque{0.0};
    };
    /// How a body moved in the step.
    struct Displacement {
        dvec3 move{0.0};  ///< of the centre of mass, m
        dvec3 turn{0.0};  ///< rad
    };
    /// A joint before or after the step.
    struct Joint {
        JointId id;
        JointKind kind = JointKind::ball;
        double coordinates[6] = {}, speeds[6] = {};  ///< by JointAxis
    };
    struct Group {
        double before = 0.0, after = 0.0;  ///< kinetic energy
        double risen = 0.0;                ///< potential energy in gravity: after the step minus before it
        double ahead = 0.0;                ///< energy that forces add in half a sub-step: at the end minus at the start
        double work = 0.0, work_in = 0.0;  ///< the sum of all work, and the sum of all work above 0
        double rounding = 0.0, weight = 0.0, mass = 0.0;
        double exchanged = 0.0;  ///< impulses between its bodies times the distances of these bodies, kg m^2/s
        double open = 0.0;       ///< by how much a joint was apart, m
        double twisted = 0.0;    ///< bound of the angular momentum from joints whose anchors lie apart, kg m^2/s
        std::uint32_t first = 0xffffffffu, count = 0;
        bool anchored = false, touched = false, broke = false;
    };

    /// Reads the world just before a step of `dt` seconds.
    void begin(const World& world, float dt);
    /// Reads the world just after the step. From then on each body is a group of its own, until unite().
    void end(const World& world);

    double dt() const { return dt_; }
    const dvec3& gravity() const { return gravity_; }
    /// Where the world's first body was when begin() first met one, world, m.
    dvec3 origin() const { return origin_.value_or(dvec3(0.0)); }
    /// Returns a point of the world as seen from origin().
    dvec3 from_origin(const dvec3& point) const { return point - origin(); }
    /// Bodies by the slot of their BodyId, less than slots(). `present` is false where there is none.
    std::uint32_t slots() const { return static_cast<std::uint32_t>(before_.size()); }
    const Body& before(std::uint32_t slot) const { return before_[slot]; }
    const Body& after(std::uint32_t slot) const { return after_[slot]; }
    const Displacement& displacement(std::uint32_t slot) const { return displacements_[slot]; }
    /// Returns the displacement in the step (m) of that point of the body that is at `point` (from origin()) after the
    /// step.
    dvec3 displacement_at(std::uint32_t slot, const dvec3& point) const;
    std::span<const Body> bodies_before() const { return before_; }
    std::span<const Body> bodies_after() const { return after_; }
    /// In the order of their slots.
    std::span<const Joint> joints_before() const { return joints_before_; }
    std::span<const Joint> joints_after() const { return joints_after_; }

    /// Makes one group of the groups of two bodies, if both are dynamic.
    void unite(std::uint32_t a, std::uint32_t b);
    /// The slot that stands for the group of a body.
    std::uint32_t root(std::uint32_t slot);
    Group& group(std::uint32_t root) { return groups_[root]; }
    Group& group_of(std::uint32_t slot) { return groups_[root(slot)]; }
    /// Notes that something touched the groups of two bodies. If one of the two is not dynamic, it anchors the other one's
    /// group.
    void mark_touched(std::uint32_t a, std::uint32_t b);
    /// Adds work, J, to the group of whichever of the two is dynamic. The work may have been more by `slack`.
    void add_work(std::uint32_t a, std::uint32_t b, double joules, double slack = 0.0);

private:
    double dt_ = 0.0;
    dvec3 gravity_{0.0};
    std::optional<dvec3> origin_;
    std::vector<Body> before_, after_;
    std::vector<Displacement> displacements_;
    std::vector<Joint> joints_before_, joints_after_;
    std::vector<std::uint32_t> parent_;
    std::vector<Group> groups_;  ///< by root
};

inline double square(double x) { return x * x; }

dvec3 rotated(const quat& rotation, const dvec3& v);

/// The rotation vector that takes `from` to `to`, the shorter way round, rad.
dvec3 rotation_between(const quat& from, const quat& to);

}  // namespace talus::samples
