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

}  // namespace talus::samples
