#include "samples/soak/soak.h"

#include <talus/thread_pool.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <tuple>

namespace talus::samples {

namespace {

/// Two shapes as events name them, whichever of them comes first: a change of shapes may turn them round.
using Side = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Touch = std::pair<Side, Side>;
template <class Event>
Touch touch(const Event& e) {
    const Side a{e.body_a.slot, e.body_a.generation, e.shape_a}, b{e.body_b.slot, e.body_b.generation, e.shape_b};
    return std::minmax(a, b);
}

/// A host that runs the tasks one after the other, the last one first.
void run_backwards(void*, int count, Jobs::Task task, void* data) {
    for (int i = count - 1; i >= 0; --i) task(data, i);
}

class Run {
public:
    Run(const WorldText& text, const SoakOptions& options)
        : text_(text), options_(options), world_(make_text_world(text)), script_(text), ledger_(options.tolerance) {}

    SoakOutcome run() {
        for (step_ = 0; step_ < text_.steps && !outcome_.failure && !stopped_; ++step_) step();
        outcome_.hash = world_.hash();
        if (wants(SoakCheck::hash) && !outcome_.failure && !stopped_) {
            --step_;
            expect(hash_of_another_run() == outcome_.hash, SoakCheck::hash, "the same world run again has other bits");
        }
        return outcome_;
    }

private:
    bool wants(SoakCheck check) const { return (options_.checks >> static_cast<int>(check) & 1u) != 0; }
    void fail(SoakCheck check, const std::string& what) {
        if (outcome_.failure || !wants(check)) return;
        std::optional<SoakFailure>& found = outcome_.found[static_cast<int>(check)];
        if (!found) found = SoakFailure{check, step_, what};
        if ((options_.noted & bit_of(check)) == 0) outcome_.failure = found;
    }
    void expect(bool truth, SoakCheck check, const char* otherwise) {
        if (!truth) fail(check, otherwise);
    }
    std::string name(BodyId id) const {
        for (const TextBody& body : text_.bodies) {
            if (script_.body(body.number) == id) return "body " + std::to_string(body.number);
        }
        return "a body";
    }

    std::uint64_t hash_of_another_run() const {
        World world = make_text_world(text_);
        TextRun script(text_);
        for (int i = 0; i < text_.steps; ++i) {
            script.prepare(world, i);
            world.step(script.dt(i));
        }
        return world.hash();
    }

    void step() {
        note_centers();
        script_.prepare(world_, step_);
        note_bodies_put_outside();
        if (!script_.refusal().empty()) fail(SoakCheck::refused, script_.refusal());
        const float dt = script_.dt(step_);
        // Now and then the same step again, by a copy and cut into several tasks: on threads, or the last task first.
        constexpr int seldom = 16;
        const bool again = wants(SoakCheck::hash) && step_ % seldom == seldom - 1;
        std::optional<World> copy;
        if (again) copy = world_;
        const bool books = wants(SoakCheck::energy) || wants(SoakCheck::momentum);
        if (books) ledger_.before(world_, dt);
        if (!world_.step(dt)) {
            fail(SoakCheck::refused, "the step is refused: " + world_.last_error().message);
            stopped_ = true;  // every further step would be refused, too
            return;
        }
        if (copy) {
            Jobs jobs{2 + step_ / seldom % 3, run_backwards, nullptr};
            if (step_ / seldom % 2 == 1) {
                if (!pool_) pool_.emplace(3);
                jobs = pool_->jobs();
                jobs.all_threads = true;
            }
            copy->step(dt, jobs);
            expect(copy->hash() == world_.hash(), SoakCheck::hash,
                   "a copy that steps on several threads has other bits");
            expect(std::ranges::equal(world_.contacts_begun(), copy->contacts_begun()) &&
                       std::ranges::equal(world_.contacts_ended(), copy->contacts_ended()),
                   SoakCheck::hash, "a copy that steps on several threads has other events");
        }
        check_bodies();
        check_joints();
        check_events();
        if (!books || outcome_.failure) return;
        ledger_.after(world_);
        const LedgerReport& report = ledger_.report();
        outcome_.steepest_gain = report.steepest;
        if (report.gained > report.allowed && report.budget > 0.0)
            outcome_.gained = std::max(outcome_.gained, report.gained / report.budget);
        if (report.not_finite) fail(SoakCheck::finite, report.complaint());
        if (report.worst.failed || report.gained > report.allowed) {
            std::string bodies;
            for (const BodyId id : report.worst.bodies) bodies += (bodies.empty() ? ": " : ", ") + name(id);
            fail(SoakCheck::energy, report.complaint() + bodies);
        }
        if (report.momentum_failed || report.angular_failed) {
            std::string bodies;
            for (const BodyId id : report.momentum_failed ? report.momentum_bodies : report.angular_bodies)
                bodies += (bodies.empty() ? ": " : ", ") + name(id);
            char share[128];
            std::snprintf(share, sizeof share, "%s of a free group changes by %.2g of its bodies'",
                          report.momentum_failed ? "momentum" : "angular momentum",
                          report.momentum_failed ? report.worst_momentum : report.worst_angular);
            fail(SoakCheck::momentum, share + bodies);
        }
    }

    /// How far outside of the room a body's centre of mass is, m.
    float outside(BodyId id) const {
        const vec3 out = glm::abs(world_.center_of_mass(id) - vec3(0, text_.room.y, 0)) - text_.room;
        return std::max({out.x, out.y, out.z});
    }
    bool checks_escapes() const { return wants(SoakCheck::escape) && text_.room != vec3(0.0f) && text_.def.continuous; }

    /// Where bodies are before this step's changes.
    void note_centers() {
        centers_.clear();
        if (!checks_escapes() || text_.changes.empty()) return;
        for (const TextBody& body : text_.bodies) {
            const BodyId id = script_.body(body.number);
            centers_.push_back(id && world_.is_valid(id) ? world_.center_of_mass(id) : vec3(0.0f));
        }
    }

    /// A body has not escaped whose centre a change puts outside of the room (another shape, another place), or that
    /// went there while it was kinematic. It does not count until it has been inside again.
    void note_bodies_put_outside() {
        for (std::size_t i = 0; i < centers_.size(); ++i) {
            const BodyId id = script_.body(text_.bodies[i].number);
            if (!id || !world_.is_valid(id)) continue;
            const bool moved = world_.type(id) == BodyType::kinematic || world_.center_of_mass(id) != centers_[i];
            if (!(outside(id) > 0.0f))
                put_outside_.erase(text_.bodies[i].number);
            else if (moved)
                put_outside_.insert(text_.bodies[i].number);
        }
    }

    void check_bodies() {
        const float world_limit = world_.settings().max_speed;
        for (const TextBody& body : text_.bodies) {
            const BodyId id = script_.body(body.number);
            if (!id || !world_.is_valid(id)) continue;
            const BodyType type = world_.type(id);
            if (type == BodyType::fixed) continue;
            ++outcome_.body_steps;
            if (!world_.is_awake(id)) continue;
            const Transform pose = world_.transform(id);
            const vec3 v = world_.linear_velocity(id), w = world_.angular_velocity(id), c = world_.center_of_mass(id);
            const quat& q = pose.rotation;
            if (!is_finite(pose.position) || !is_finite(c) || !is_finite(v) || !is_finite(w) ||
                !(std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0f) < 1e-5f)) {
                fail(SoakCheck::finite, name(id) + " has a pose or velocity that is no number");
                return;
            }
            if (type != BodyType::dynamic) continue;
            const std::uint8_t locks = world_.locks(id);
            for (int i = 0; i < 3; ++i) {
                if ((locks >> i & 1) != 0 && v[i] != 0.0f)
                    fail(SoakCheck::limits, name(id) + " moves along a locked axis");
                if ((locks >> i & 8) != 0 && w[i] != 0.0f)
                    fail(SoakCheck::limits, name(id) + " turns about a locked axis");
            }
            const float most = std::min(world_limit, world_.max_speed(id));
            if (std::sqrt(glm::dot(v, v)) > 1.0001f * most)
                fail(SoakCheck::limits, name(id) + " is at " + std::to_string(std::sqrt(glm::dot(v, v))) +
                                            " m/s, faster than its limit of " + std::to_string(most));
            if (std::sqrt(glm::dot(w, w)) > 1.0001f * world_.max_spin(id))
                fail(SoakCheck::limits, name(id) + " spins at " + std::to_string(std::sqrt(glm::dot(w, w))) +
                                            " rad/s, faster than its limit of " + std::to_string(world_.max_spin(id)));
            if (!checks_escapes() || put_outside_.contains(body.number)) continue;
            const float farthest = outside(id);
            if (farthest > 0.02f)
                fail(SoakCheck::escape, name(id) + " is " + std::to_string(farthest) + " m outside the room");
        }
    }

    void check_joints() {
        for (const JointId id : world_.joints()) {
            const vec3 f = world_.joint_force(id), t = world_.joint_torque(id);
            expect(is_finite(f) && is_finite(t), SoakCheck::finite, "a joint's force is no number");
            constexpr float most = 1e14f;
            expect(!(glm::dot(f, f) > most * most), SoakCheck::force, "a joint's force is above 1e14 N");
        }
    }

    void check_events() {
        for (const ContactEvent& e : world_.contacts_begun()) {
            expect(touching_.insert(touch(e)).second, SoakCheck::events, "a contact begins twice");
            expect(e.normal_impulse >= 0.0f && std::isfinite(e.normal_impulse), SoakCheck::events,
                   "an event's impulse is negative, or no number");
            expect(world_.is_valid(e.body_a) && world_.is_valid(e.body_b), SoakCheck::events,
                   "a contact begins with a stale handle");
        }
        for (const ContactEvent& e : world_.contacts_ended())
            expect(touching_.erase(touch(e)) == 1, SoakCheck::events, "a contact ends that never began");
        for (const HitEvent& e : world_.contacts_hit())
            expect(is_finite(e.point) && is_finite(e.normal) && e.normal_impulse >= 0.0f && world_.is_valid(e.body_a) &&
                       world_.is_valid(e.body_b),
                   SoakCheck::events, "a hit has something that is no number, or a stale handle");
        for (const JointEvent& e : world_.joints_broken())
            expect(!world_.is_valid(e.joint), SoakCheck::events, "a broken joint is still there");
        for (const Contact& c : world_.contacts()) {
            expect(touching_.contains(touch(c)), SoakCheck::events, "a contact is listed that never began");
            for (int i = 0; i < std::clamp(c.point_count, 0, 4); ++i)
                expect(is_finite(c.points[i].position) && std::isfinite(c.points[i].normal_impulse) &&
                           c.points[i].normal_impulse >= 0.0f,
                       SoakCheck::events, "a contact pulls, or by no number");
        }
        for (const Touch& t : touching_) {
            const BodyId a{std::get<0>(t.first), std::get<1>(t.first)}, b{std::get<0>(t.second), std::get<1>(t.second)};
            expect(world_.is_valid(a) && world_.is_valid(b), SoakCheck::events,
                   "a contact of a body that is gone never ends");
        }
    }

    const WorldText& text_;
    const SoakOptions& options_;
    World world_;
    TextRun script_;
    Ledger ledger_;
    std::optional<ThreadPool> pool_;
    std::set<Touch> touching_;
    std::vector<vec3> centers_;            ///< by place among the bodies; empty where nobody asks
    std::set<std::uint32_t> put_outside_;  ///< numbers of bodies
    int step_ = 0;
    bool stopped_ = false;
    SoakOutcome outcome_;
};

}  // namespace

const char* name_of(SoakCheck check) {
    constexpr const char* check_names[soak_check_count] = {"energy", "momentum", "escape",  "finite", "events",
                                                           "hash",   "limits",   "refused", "force"};
    return check_names[static_cast<int>(check)];
}

SoakOutcome run_soak(const WorldText& text, const SoakOptions& options) { return Run(text, options).run(); }

WorldText shrink(const WorldText& text, const SoakFailure& failure, const SoakOptions& options,
                 std::uint64_t body_steps) {
    WorldText best = text;
    best.steps = failure.step + 1;
    SoakOptions same = options;
    same.checks = 1u << static_cast<int>(failure.check);
    SoakFailure last = failure;
    std::uint64_t spent = 0;
    // A world of which something is left out may fail by another, smaller fault: it has to gain half as much energy.
    double least_gain = 0.0;
    const auto fails = [&](WorldText& candidate) {
        if (spent >= body_steps) return false;
        const SoakOutcome outcome = run_soak(candidate, same);
        constexpr std::uint64_t price_of_a_run = 200;  // building its meshes and the like
        const bool first = spent == 0;
        spent += outcome.body_steps + price_of_a_run;
        if (!outcome.failure || outcome.steepest_gain < least_gain) return false;
        if (first && failure.check == SoakCheck::energy) least_gain = 0.5 * outcome.steepest_gain;
        last = *outcome.failure;
        candidate.steps = last.step + 1;
        return true;
    };
    const auto attempt = [&](auto&& change) {
        WorldText candidate = best;
        change(candidate);
        if (!fails(candidate)) return false;
        best = std::move(candidate);
        return true;
    };
    {
        WorldText alone = best;  // under this check alone it may fail later, or not at all
        alone.steps = text.steps;
        if (!fails(alone)) return best;
        best = alone;
    }
    const auto must_stay = [&](const auto& item) {
        if constexpr (requires { item.shapes; })
            return failure.check == SoakCheck::escape && item.def.type == BodyType::fixed;
        return false;
    };
    // Runs of a list of things are left out, ever shorter ones.
    const auto thin_out = [&](auto WorldText::*list) {
        bool any = false;
        for (std::size_t length = std::max<std::size_t>(1, (best.*list).size() / 2);; length /= 2) {
            for (std::size_t first = 0; first < (best.*list).size();) {
                const std::size_t before = (best.*list).size();
                const bool gone = attempt([&](WorldText& w) {
                                      std::size_t at = 0;
                                      std::erase_if(w.*list, [&](const auto& item) {
                                          const bool in_run = at >= first && at < first + length;
                                          ++at;
                                          return in_run && !must_stay(item);
                                      });
                                  }) &&
                                  (best.*list).size() < before;
                any = any || gone;
                if (!gone) first += length;
            }
            if (length <= 1) break;
        }
        return any;
    };
    for (bool smaller = true; smaller && spent < body_steps;) {
        smaller = false;
        smaller = thin_out(&WorldText::changes) || smaller;
        smaller = thin_out(&WorldText::joints) || smaller;
        smaller = thin_out(&WorldText::bodies) || smaller;
        const auto simplify = [&](auto&& change) { smaller = attempt(change) || smaller; };
        for (std::size_t i = 0; i < best.bodies.size(); ++i) {
            while (best.bodies[i].shapes.size() > 1) {
                const std::size_t before = best.bodies[i].shapes.size();
                for (std::size_t k = 0; k < best.bodies[i].shapes.size() && best.bodies[i].shapes.size() == before; ++k)
                    simplify([&](WorldText& w) {
                        w.bodies[i].shapes.erase(w.bodies[i].shapes.begin() + static_cast<std::ptrdiff_t>(k));
                    });
                if (best.bodies[i].shapes.size() == before) break;
            }
            const BodyDef plain;
            const auto reset = [&](auto BodyDef::*member) {
                if (best.bodies[i].def.*member == plain.*member) return;
                simplify([&](WorldText& w) { w.bodies[i].def.*member = plain.*member; });
            };
            reset(&BodyDef::linear_velocity);
            reset(&BodyDef::angular_velocity);
            // The frames of its joints would no longer fit.
            const std::uint32_t number = best.bodies[i].number;
            const auto holds = [&](const TextJoint& joint) { return joint.a == number || joint.b == number; };
            if (std::ranges::none_of(best.joints, holds)) reset(&BodyDef::rotation);
            reset(&BodyDef::linear_damping);
            reset(&BodyDef::angular_damping);
            reset(&BodyDef::max_speed);
            reset(&BodyDef::max_spin);
            reset(&BodyDef::gravity_scale);
            reset(&BodyDef::locks);
            reset(&BodyDef::continuous);
            reset(&BodyDef::allow_sleep);
            reset(&BodyDef::user_data);
            if (best.bodies[i].from != 0) simplify([&](WorldText& w) { w.bodies[i].from = 0; });
            for (std::size_t k = 0; k < best.bodies[i].shapes.size(); ++k) {
                const ShapeDef s = best.bodies[i].shapes[k].def;  // a copy: what fails again replaces `best`
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
                if (best.bodies[i].shapes[k].kind == "hull") {
                    for (std::size_t p = 0; p + 12 < best.bodies[i].shapes[k].numbers.size();) {
                        const bool gone = attempt([&](WorldText& w) {
                            auto& n = w.bodies[i].shapes[k].numbers;
                            n.erase(n.begin() + static_cast<std::ptrdiff_t>(p),
                                    n.begin() + static_cast<std::ptrdiff_t>(p + 3));
                        });
                        if (!gone) p += 3;
                    }
                }
            }
        }
        for (std::size_t i = 0; i < best.joints.size(); ++i) {
            const TextJoint j = best.joints[i];
            if (j.motor.max_force > 0.0f) simplify([&](WorldText& w) { w.joints[i].motor = {}; });
            if (j.spring.hertz > 0.0f) simplify([&](WorldText& w) { w.joints[i].spring = {.hertz = 0.0f}; });
            if (j.limit.lower != -unlimited) simplify([&](WorldText& w) { w.joints[i].limit = {}; });
            if (j.cone != unlimited) simplify([&](WorldText& w) { w.joints[i].cone = unlimited; });
            if (j.options.break_force != unlimited)
                simplify([&](WorldText& w) { w.joints[i].options.break_force = unlimited; });
            // A body that no longer collides with the wall on which it hangs gets out for no fault of anybody.
            if (j.options.collide_connected && failure.check != SoakCheck::escape)
                simplify([&](WorldText& w) { w.joints[i].options.collide_connected = false; });
        }
        const WorldDef plain;
        if (best.dts.size() > 1 || best.dts[0] != 1.0f / 60.0f) simplify([](WorldText& w) { w.dts = {1.0f / 60.0f}; });
        if (best.dts.size() > 1) simplify([](WorldText& w) { w.dts.resize(1); });
        if (best.def.substeps != plain.substeps) simplify([&](WorldText& w) { w.def.substeps = plain.substeps; });
        if (best.def.max_speed != plain.max_speed) simplify([&](WorldText& w) { w.def.max_speed = plain.max_speed; });
        if (!best.def.allow_sleep) simplify([](WorldText& w) { w.def.allow_sleep = true; });
        if (!best.def.continuous) simplify([](WorldText& w) { w.def.continuous = true; });
        if (best.modifier) simplify([](WorldText& w) { w.modifier = false; });
    }
    best.remarks = {std::string(name_of(last.check)) + ", step " + std::to_string(last.step) + ": " + last.what};
    return best;
}

}  // namespace talus::samples
