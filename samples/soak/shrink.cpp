#include "samples/soak/shrink.h"

#include <algorithm>
#include <chrono>

namespace talus::samples {

namespace {

/// Tries smaller and simpler worlds, and keeps those that fail the same check.
class Shrinker {
public:
    Shrinker(const WorldText& text, const SoakFailure& failure, const SoakOptions& options, double seconds)
        : best_(text),
          last_(failure),
          failure_(failure),
          options_(options),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
        best_.steps = failure.step + 1;
        options_.checks = bit_of(failure.check);
    }

    WorldText run(int steps) {
        WorldText alone = best_;  // under this check alone it may fail later, or not at all
        alone.steps = steps;
        if (!fails(alone)) return best_;
        best_ = alone;
        do {
            smaller_ = false;
            smaller_ = thin_out(&WorldText::changes) || smaller_;
            smaller_ = thin_out(&WorldText::joints) || smaller_;
            smaller_ = thin_out(&WorldText::bodies) || smaller_;
            for (std::size_t i = 0; i < best_.bodies.size(); ++i) {
                drop_shapes(i);
                simplify_body(i);
                for (std::size_t k = 0; k < best_.bodies[i].shapes.size(); ++k) {
                    simplify_shape(i, k);
                    if (best_.bodies[i].shapes[k].kind == "hull") drop_vertices(i, k);
                }
            }
            for (std::size_t i = 0; i < best_.joints.size(); ++i) simplify_joint(i);
            simplify_world();
        } while (smaller_ && Clock::now() < end_);
        best_.remarks = {std::string(name_of(last_.check)) + ", step " + std::to_string(last_.step) + ": " +
                         last_.what};
        return best_;
    }

private:
    using Clock = std::chrono::steady_clock;

    /// Whether the candidate fails. A world of which something is left out may fail by another, smaller fault: it has to
    /// gain at least half as much energy.
    bool fails(WorldText& candidate) {
        if (Clock::now() >= end_) return false;
        const SoakOutcome outcome = run_soak(candidate, options_);
        const bool first = !began_;
        began_ = true;
        if (!outcome.failure || outcome.steepest_gain < least_gain_) return false;
        if (first && failure_.check == SoakCheck::energy) least_gain_ = 0.5 * outcome.steepest_gain;
        last_ = *outcome.failure;
        candidate.steps = last_.step + 1;
        return true;
    }

    /// Keeps the change if the world still fails.
    bool attempt(auto&& change) {
        WorldText candidate = best_;
        change(candidate);
        drop_dangling(candidate);
        if (!fails(candidate)) return false;
        best_ = std::move(candidate);
        return true;
    }
    void simplify(auto&& change) { smaller_ = attempt(change) || smaller_; }

    bool must_stay(const auto& item) const {
        if constexpr (requires { item.shapes; })
            return failure_.check == SoakCheck::escape && item.def.type == BodyType::fixed;
        return false;
    }

    /// Leaves out runs of a list of things, ever shorter ones.
    bool thin_out(auto WorldText::*list) {
        bool any = false;
        for (std::size_t length = std::max<std::size_t>(1, (best_.*list).size() / 2);; length /= 2) {
            for (std::size_t first = 0; first < (best_.*list).size();) {
                const std::size_t before = (best_.*list).size();
                const bool gone = attempt([&](WorldText& w) {
                                      std::size_t at = 0;
                                      std::erase_if(w.*list, [&](const auto& item) {
                                          const bool in_run = at >= first && at < first + length;
                                          ++at;
                                          return in_run && !must_stay(item);
                                      });
                                  }) &&
                                  (best_.*list).size() < before;
                any = any || gone;
                if (!gone) first += length;
            }
            if (length <= 1) break;
        }
        return any;
    }

    void drop_shapes(std::size_t i) {
        while (best_.bodies[i].shapes.size() > 1) {
            const std::size_t before = best_.bodies[i].shapes.size();
            for (std::size_t k = 0; k < best_.bodies[i].shapes.size() && best_.bodies[i].shapes.size() == before; ++k)
                simplify([&](WorldText& w) {
                    w.bodies[i].shapes.erase(w.bodies[i].shapes.begin() + static_cast<std::ptrdiff_t>(k));
                });
            if (best_.bodies[i].shapes.size() == before) break;
        }
    }

    void simplify_body(std::size_t i) {
        const BodyDef plain;
        const auto reset = [&](auto BodyDef::*member) {
            if (best_.bodies[i].def.*member == plain.*member) return;
            simplify([&](WorldText& w) { w.bodies[i].def.*member = plain.*member; });
        };
        reset(&BodyDef::linear_velocity);
        reset(&BodyDef::angular_velocity);
        // The frames of its joints would no longer fit.
        const std::uint32_t number = best_.bodies[i].number;
        const auto holds = [&](const TextJoint& joint) { return joint.a == number || joint.b == number; };
        if (std::none_of(best_.joints.begin(), best_.joints.end(), holds)) reset(&BodyDef::rotation);
        reset(&BodyDef::linear_damping);
        reset(&BodyDef::angular_damping);
        reset(&BodyDef::max_speed);
        reset(&BodyDef::max_spin);
        reset(&BodyDef::gravity_scale);
        reset(&BodyDef::locks);
        reset(&BodyDef::continuous);
        reset(&BodyDef::allow_sleep);
        reset(&BodyDef::user_data);
        if (best_.bodies[i].from != 0) simplify([&](WorldText& w) { w.bodies[i].from = 0; });
    }

    void simplify_shape(std::size_t i, std::size_t k) {
        const ShapeDef s = best_.bodies[i].shapes[k].def;  // a copy: what fails again replaces `best_`
        const Material& m = s.material;
        const auto part = [&](bool differs, auto&& change) {
            if (differs) simplify([&](WorldText& w) { change(w.bodies[i].shapes[k].def); });
        };
        part(m.restitution != 0.0f, [](ShapeDef& d) { d.material.restitution = 0.0f; });
        part(m.friction != Material{}.friction, [](ShapeDef& d) { d.material.friction = Material{}.friction; });
        part(m.rolling_resistance != 0.0f, [](ShapeDef& d) { d.material.rolling_resistance = 0.0f; });
        part(m.grip_across != 1.0f, [](ShapeDef& d) { d.material.grip_across = 1.0f; });
        part(m.surface_velocity != vec3(0.0f), [](ShapeDef& d) { d.material.surface_velocity = vec3(0.0f); });
        part(s.density != 1000.0f, [](ShapeDef& d) { d.density = 1000.0f; });
        part(s.hit_events, [](ShapeDef& d) { d.hit_events = false; });
        part(s.modify_contacts, [](ShapeDef& d) { d.modify_contacts = false; });
        part(s.filter.category != 1 || s.filter.mask != ~0u, [](ShapeDef& d) { d.filter = {}; });
    }

    void drop_vertices(std::size_t i, std::size_t k) {
        for (std::size_t p = 0; p + 12 < best_.bodies[i].shapes[k].numbers.size();) {
            TextShape fewer = best_.bodies[i].shapes[k];
            const auto point = fewer.numbers.begin() + static_cast<std::ptrdiff_t>(p);
            fewer.numbers.erase(point, point + 3);
            const bool gone = shape_flaw(fewer).empty() &&  // the points may all be in a plane now
                              attempt([&](WorldText& w) { w.bodies[i].shapes[k] = fewer; });
            if (!gone) p += 3;
        }
    }

    void simplify_joint(std::size_t i) {
        const TextJoint j = best_.joints[i];
        if (j.motor.max_force > 0.0f) simplify([&](WorldText& w) { w.joints[i].motor = {}; });
        if (j.spring.hertz > 0.0f) simplify([&](WorldText& w) { w.joints[i].spring = {.hertz = 0.0f}; });
        if (j.limit.lower != -unlimited) simplify([&](WorldText& w) { w.joints[i].limit = {}; });
        if (j.second.lower != -unlimited && j.second.lower != j.second.upper)
            simplify([&](WorldText& w) { w.joints[i].second = {0.0f, 0.0f}; });
        if (j.servo.hertz > 0.0f) simplify([&](WorldText& w) { w.joints[i].servo = {.hertz = 0.0f}; });
        if (j.angular_hertz >= 0.0f) simplify([&](WorldText& w) { w.joints[i].angular_hertz = -1.0f; });
        if (j.drive.max_force > 0.0f || j.drive.max_torque > 0.0f)
            simplify([&](WorldText& w) { w.joints[i].drive = {}; });
        for (std::size_t k = 0; k < 6; ++k) {
            if (j.axis_motors[k].max_force > 0.0f) simplify([&](WorldText& w) { w.joints[i].axis_motors[k] = {}; });
            if (j.axis_springs[k].hertz > 0.0f)
                simplify([&](WorldText& w) { w.joints[i].axis_springs[k] = {.hertz = 0.0f}; });
            if (j.axes[k].lower != j.axes[k].upper) simplify([&](WorldText& w) { w.joints[i].axes[k] = {0.0f, 0.0f}; });
        }
        if (j.cone != unlimited) simplify([&](WorldText& w) { w.joints[i].cone = unlimited; });
        if (j.options.break_force != unlimited || j.options.break_torque != unlimited)
            simplify(
                [&](WorldText& w) { w.joints[i].options.break_force = w.joints[i].options.break_torque = unlimited; });
        // A body that no longer collides with the wall on which it hangs gets out for no fault of anybody.
        if (j.options.collide_connected && failure_.check != SoakCheck::escape)
            simplify([&](WorldText& w) { w.joints[i].options.collide_connected = false; });
    }

    void simplify_world() {
        const WorldDef plain;
        if (best_.origin != dvec3(0.0)) simplify([](WorldText& w) { w.origin = dvec3(0.0); });
        if (best_.dts.size() > 1 || best_.dts[0] != 1.0f / 60.0f)
            simplify([](WorldText& w) { w.dts = {1.0f / 60.0f}; });
        if (best_.dts.size() > 1) simplify([](WorldText& w) { w.dts.resize(1); });
        if (best_.def.substeps != plain.substeps) simplify([&](WorldText& w) { w.def.substeps = plain.substeps; });
        if (best_.def.max_speed != plain.max_speed) simplify([&](WorldText& w) { w.def.max_speed = plain.max_speed; });
        if (!best_.def.allow_sleep) simplify([](WorldText& w) { w.def.allow_sleep = true; });
        if (!best_.def.continuous) simplify([](WorldText& w) { w.def.continuous = true; });
        if (!best_.def.enable_joint_batches) simplify([](WorldText& w) { w.def.enable_joint_batches = true; });
        if (best_.modifier) simplify([](WorldText& w) { w.modifier = false; });
    }

    WorldText best_;
    SoakFailure last_;
    const SoakFailure failure_;
    SoakOptions options_;
    const Clock::time_point end_;
    bool began_ = false;
    double least_gain_ = 0.0;
    bool smaller_ = false;
};

}  // namespace

WorldText shrink(const WorldText& text, const SoakFailure& failure, const SoakOptions& options, double seconds) {
    return Shrinker(text, failure, options, seconds).run(text.steps);
}

}  // namespace talus::samples
