#include "samples/ledger/ledger.h"

#include <talus/engine/pair_info.h>
#include "engine/settings.h"
#include "samples/ledger/joint_work.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::samples {

namespace {

LedgerEnergy energy(const World& world, const LedgerStep& step, std::span<const LedgerStep::Body> bodies,
                    std::span<const LedgerStep::Joint> joints) {
    LedgerEnergy e;
    for (const LedgerStep::Body& s : bodies) {
        if (!s.present || s.type != BodyType::dynamic) continue;
        e.kinetic += s.kinetic;
        e.potential -= s.mass * s.gravity_scale * glm::dot(step.gravity(), s.center);
    }
    e.springs = spring_energy(world, joints);
    return e;
}

}  // namespace

std::string LedgerReport::complaint() const {
    char text[256] = "";
    if (not_finite) {
        std::snprintf(text, sizeof text, "a body's state is no number at step %d", steps - 1);
    } else if (worst.failed) {
        std::snprintf(text, sizeof text,
                      "%.3g J appear in step %d (%.3g of what went through) in a group of %zu bodies", worst.joules,
                      worst.step, worst.share, worst.body_count);
    } else if (gained > allowed) {
        std::snprintf(text, sizeof text, "%.3g J appear in %d steps, of %.3g J put in", gained, steps, budget);
    } else if (momentum_failed) {
        std::snprintf(text, sizeof text, "a free group's momentum changes by %.3g of its bodies' in step %d",
                      worst_momentum, momentum_step);
    } else if (angular_failed) {
        std::snprintf(text, sizeof text, "a free group's angular momentum changes by %.3g of its bodies' in step %d",
                      worst_angular, angular_step);
    }
    return text;
}

void Ledger::before(const World& world, float dt) {
    step_.begin(world, dt);
    max_speed_ = static_cast<double>(world.settings().max_speed);
    double kinetic = 0.0;
    for (const LedgerStep::Body& s : step_.bodies_before()) kinetic += s.present ? s.kinetic : 0.0;
    if (report_.steps == 0) {
        report_.start = energy(world, step_, step_.bodies_before(), step_.joints_before());
        given_ = kinetic;
    } else {
        given_ += std::max(0.0, kinetic - last_total_);  // by impulses, new bodies and the like
    }
}

void Ledger::after(const World& world) {
    step_.end(world);
    for (const JointId id : world.joints()) {
        const BodyId a = world.body_a(id), b = world.body_b(id);
        if (a && b) step_.unite(a.slot, b.slot);
    }
    for (const JointEvent& e : world.joints_broken()) {
        if (e.body_a && e.body_b && world.is_valid(e.body_a) && world.is_valid(e.body_b))
            step_.unite(e.body_a.slot, e.body_b.slot);
    }
    contact_work_.read(world, step_);

    contact_work_.add(world, tolerance_, step_);
    add_joint_work(world, tolerance_, step_);
    add_bodies(world);
    judge(world);
}

void Ledger::add_bodies(const World& world) {
    // Sub-steps move bodies with the velocity of their end. In flight that is the true one of their middle: by their end
    // forces have half a sub-step more to add, which a falling body has still to get and a rising one to lose. What was
    // turned round by a bounce without loss seems to gain that. (Where a contact held a body, its velocity is the true one.)
    const double half = 0.5 * step_.dt() / static_cast<double>(std::max(1u, world.profile().substeps));
    for (std::uint32_t i = 0; i < step_.slots(); ++i) {
        const LedgerStep::Body &s = step_.before(i), &e = step_.after(i);
        if (!s.present || !e.present || s.type != BodyType::dynamic) continue;
        if (!s.awake && !e.awake) continue;
        LedgerStep::Group& group = step_.group_of(i);
        ++group.count;
        group.first = std::min(group.first, i);
        group.before += s.kinetic;
        group.after += e.kinetic;
        const dvec3 pull = s.force + s.mass * s.gravity_scale * step_.gravity();
        group.ahead += half * (glm::dot(pull, e.velocity - s.velocity) + glm::dot(s.torque, e.spin - s.spin));
        const double weight = s.mass * std::abs(s.gravity_scale) * glm::length(step_.gravity());
        const double risen = -s.mass * s.gravity_scale * glm::dot(step_.gravity(), e.center - s.center);
        group.risen += risen;
        const double pushed = glm::dot(s.force, step_.displacement(i).move);
        // How far a body has turned that spins up within the step its poses do not tell.
        const double turned = std::max(glm::dot(s.torque, step_.displacement(i).turn),
                                       0.5 * step_.dt() * glm::dot(s.torque, s.spin + e.spin));
        const double slack = 0.5 * step_.dt() * glm::length(s.torque) * glm::length(e.spin - s.spin) +
                             0.5 * glm::length(s.torque) * glm::length(step_.displacement(i).turn) *
                                 std::min(1.0, glm::length(step_.displacement(i).turn));
        group.work += pushed + turned + slack;
        group.work_in += std::max(0.0, pushed) + std::max(0.0, turned + slack);
        group.rounding +=
            tolerance_.position * (weight + glm::length(s.force)) * (glm::length(step_.displacement(i).move) + 1.0) +
            0.5 * s.mass * square(tolerance_.speed);
        group.weight += weight;
        group.mass += s.mass;
        const double limit = std::min(max_speed_, s.max_speed);
        // A group that falls asleep loses its motion; forces that joints had in this step are not told any more.
        group.broke = group.broke || (s.awake && !e.awake);
        // No body turns farther in a sub-step: what spins faster is stopped down to that.
        const double most_spin =
            std::min(s.max_spin, 0.5 * static_cast<double>(settings::max_rotation_per_substep) / half);
        group.anchored = group.anchored || s.locks != 0 || s.damped || !s.awake || !e.awake ||
                         glm::length(e.velocity) > 0.999 * limit || glm::length(s.velocity) > 0.999 * limit ||
                         glm::length(e.spin) > 0.999 * most_spin || glm::length(s.spin) > 0.999 * most_spin;
    }
}

/// Potential energy that a group got by being pushed out of overlaps that were gone before they bore anything: such
/// contacts are not listed; or by its joints' coming together, for which no force is reported. No more than the weight
/// lifted by the deepest overlap that the step began with, or by as much as its joints were apart.
double Ledger::lifted_out(const World& world, std::uint32_t group) {
    double deepest = step_.group(group).open, lifted = 0.0;
    for (const PairInfo& pair : world.pairs()) {
        if (!pair.active || pair.separation >= 0.0f) continue;
        for (const BodyId id : {pair.body_a, pair.body_b}) {
            if (step_.before(id.slot).type == BodyType::dynamic && step_.root(id.slot) == group)
                deepest = std::max(deepest, -static_cast<double>(pair.separation));
        }
    }
    for (const Contact& c : contact_work_.last_contacts()) {
        for (const BodyId id : {c.body_a, c.body_b}) {
            if (step_.before(id.slot).type != BodyType::dynamic || step_.root(id.slot) != group) continue;
            for (int i = 0; i < c.point_count; ++i)
                deepest = std::max(deepest, -static_cast<double>(c.points[i].separation));
        }
    }
    if (deepest == 0.0) return 0.0;
    for (std::uint32_t i = 0; i < step_.slots(); ++i) {
        const LedgerStep::Body &s = step_.before(i), &e = step_.after(i);
        if (!s.present || !e.present || s.type != BodyType::dynamic || step_.root(i) != group) continue;
        const dvec3 beyond = step_.displacement(i).move - 0.5 * step_.dt() * (s.velocity + e.velocity);
        lifted += std::max(0.0, -s.mass * s.gravity_scale * glm::dot(step_.gravity(), beyond));
    }
    return std::min(lifted, deepest * step_.group(group).weight);
}

/// Momentum of the bodies of a group, and what gravity and the user's forces gave it in the step.
struct Ledger::Momentum {
    dvec3 center{0.0}, end{0.0}, velocity{0.0}, end_velocity{0.0}, impulse{0.0}, spun{0.0};
    double momentum = 0.0, angular = 0.0, rounding = 0.0;
};

/// By root slot; only of groups that nothing anchors.
std::vector<Ledger::Momentum> Ledger::momenta() {
    std::vector<Momentum> sums(step_.slots());
    const auto for_each_free = [&](auto&& visit) {
        for (std::uint32_t i = 0; i < step_.slots(); ++i) {
            const LedgerStep::Body &s = step_.before(i), &e = step_.after(i);
            if (!s.present || !e.present || s.type != BodyType::dynamic || (!s.awake && !e.awake)) continue;
            const std::uint32_t r = step_.root(i);
            if (!step_.group(r).anchored) visit(s, e, i, sums[r], step_.group(r));
        }
    };
    for_each_free([&](const LedgerStep::Body& s, const LedgerStep::Body& e, std::uint32_t, Momentum& sum,
                      const LedgerStep::Group& group) {
        sum.center += s.mass / group.mass * s.center;
        sum.end += s.mass / group.mass * e.center;
        sum.velocity += s.mass / group.mass * s.velocity;
        sum.end_velocity += s.mass / group.mass * e.velocity;
        sum.impulse += step_.dt() * (s.force + s.mass * s.gravity_scale * step_.gravity());
        sum.momentum += s.mass * std::max(glm::length(s.velocity), glm::length(e.velocity));
    });
    for_each_free([&](const LedgerStep::Body& s, const LedgerStep::Body& e, std::uint32_t, Momentum& sum,
                      const LedgerStep::Group&) {
        const dvec3 arm = s.center - sum.center, end_arm = e.center - sum.end;
        const dvec3 orbit = glm::cross(arm, s.mass * (s.velocity - sum.velocity)),
                    end_orbit = glm::cross(end_arm, s.mass * (e.velocity - sum.end_velocity));
        const dvec3 spin = s.inertia * s.spin, end_spin = e.inertia * e.spin;
        sum.spun += end_orbit + end_spin - orbit - spin;
        sum.spun -= step_.dt() * (s.torque + glm::cross(0.5 * (arm + end_arm),
                                                        s.force + s.mass * s.gravity_scale * step_.gravity()));
        sum.angular +=
            std::max(glm::length(orbit), glm::length(end_orbit)) + std::max(glm::length(spin), glm::length(end_spin));
        // The solver's velocities are floats of the world, however slowly the bodies move against each other.
        const double gyration = std::sqrt((s.inertia[0][0] + s.inertia[1][1] + s.inertia[2][2]) / (3.0 * s.mass));
        const double fastest = std::max(glm::length(s.velocity), glm::length(e.velocity)) +
                               gyration * std::max(glm::length(s.spin), glm::length(e.spin));
        sum.rounding += s.mass * (glm::length(arm) + gyration) * (tolerance_.speed + tolerance_.float_share * fastest);
    });
    return sums;
}

/// The bodies of a group that gained most, at most LedgerGain::most_named.
std::vector<BodyId> Ledger::members(std::uint32_t group) {
    std::vector<std::pair<double, std::uint32_t>> gains;
    for (std::uint32_t i = 0; i < step_.slots(); ++i) {
        if (!step_.before(i).present || step_.before(i).type != BodyType::dynamic || step_.root(i) != group) continue;
        gains.push_back({step_.before(i).kinetic - step_.after(i).kinetic, i});
    }
    std::sort(gains.begin(), gains.end());
    std::vector<BodyId> ids;
    for (std::size_t i = 0; i < gains.size() && i < LedgerGain::most_named; ++i)
        ids.push_back(step_.before(gains[i].second).id);
    return ids;
}

/// Energy that the group with this root got from nowhere.
void Ledger::judge_energy(const World& world, std::uint32_t r, int step) {
    const LedgerStep::Group& group = step_.group(r);
    const double rounding = group.rounding + tolerance_.energy * (group.before + group.after + group.work_in);
    double excess = group.after + std::min(0.0, group.ahead) + group.risen - group.before - group.work - rounding;
    if (!(excess > 0.0) || group.broke) return;  // nor if it is no number
    report_.gained += excess;
    const double through = group.before + group.work_in + std::max(0.0, -group.risen);
    const double allowed =
        tolerance_.step_gain * through + (group.touched ? 0.1 * tolerance_.height * group.weight : 0.0);
    if (excess > 0.1 * allowed) {
        const double lifted = lifted_out(world, r);
        report_.gained -= std::min(excess, lifted);
        excess -= lifted;
    }
    const bool failed = excess > allowed;
    if (const double share = excess / std::max(through, 1e-30); failed && share > report_.steepest) {
        report_.steepest = share;
        report_.steepest_step = step;
    }
    if ((failed && !report_.worst.failed) || (failed == report_.worst.failed && excess > report_.worst.joules))
        report_.worst = {excess, excess / std::max(through, 1e-30), step, members(r), group.count, failed};
}

/// Momentum that the free group with this root got from nowhere.
void Ledger::judge_momentum(const Momentum& sum, std::uint32_t r, int step) {
    const LedgerStep::Group& group = step_.group(r);
    const double slip = glm::length(group.mass * (sum.end_velocity - sum.velocity) - sum.impulse);
    const double scale = sum.momentum + glm::length(sum.impulse);
    if (scale > 0.0 && slip > report_.worst_momentum * scale) {
        report_.worst_momentum = slip / scale;
        report_.momentum_step = step;
        report_.momentum_bodies = members(r);
        report_.momentum_failed = report_.worst_momentum > tolerance_.momentum;
    }
    const double twist = std::max(0.0, glm::length(sum.spun) - group.twisted - sum.rounding),
                 turning = sum.angular + group.exchanged;
    if (turning > 0.0 && twist > report_.worst_angular * turning) {
        report_.worst_angular = twist / turning;
        report_.angular_step = step;
        report_.angular_bodies = members(r);
        report_.angular_failed = report_.worst_angular > tolerance_.angular_momentum;
    }
}

void Ledger::judge(const World& world) {
    const int step = report_.steps++;
    const std::vector<Momentum> sums = momenta();
    double risen = 0.0, touched_weight = 0.0;
    for (std::uint32_t r = 0; r < step_.slots(); ++r) {
        const LedgerStep::Group& group = step_.group(r);
        if (group.count == 0) continue;
        if (!std::isfinite(group.after) || !std::isfinite(group.risen)) {
            report_.not_finite = true;
            continue;
        }
        risen += group.risen;
        report_.work += group.work_in;
        if (group.touched) touched_weight += group.weight;
        judge_energy(world, r, step);
        if (!group.anchored) judge_momentum(sums[r], r, step);
    }
    potential_change_ += risen;
    released_ = std::max(released_, -potential_change_);
    highest_ = std::max(highest_, potential_change_);
    report_.fallen = std::max(report_.fallen, highest_ - potential_change_);
    height_allowance_ = std::max(height_allowance_, touched_weight * tolerance_.height);
    report_.end = energy(world, step_, step_.bodies_after(), step_.joints_after());
    last_total_ = report_.end.kinetic;
    report_.budget = given_ + report_.work + released_;
    report_.allowed = tolerance_.total_gain * report_.budget + height_allowance_;
}

bool step(World& world, float dt, Ledger& ledger, const Jobs& jobs) {
    ledger.before(world, dt);
    if (!world.step(dt, jobs)) return false;
    ledger.after(world);
    return true;
}

}  // namespace talus::samples
