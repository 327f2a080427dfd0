/// Computes the hash of the bodies (World::hash), and the hash of bodies, pairs, contacts and impulses
/// (FrameProfile::hashes).

#include "common/bit_cast.h"
#include "engine/world/world_state.h"

namespace talus {

namespace {

/// FNV-1a over 32-bit words.
class Hash {
public:
    void mix(std::uint32_t word) { value_ = (value_ ^ word) * 1099511628211ull; }
    void mix(float x) { mix(detail::bit_cast<std::uint32_t>(x)); }
    void mix(const vec3& v) {
        for (int i = 0; i < 3; ++i) mix(v[i]);
    }
    void mix(const dvec3& v) {
        for (int i = 0; i < 3; ++i) {
            const auto bits = detail::bit_cast<std::uint64_t>(v[i]);
            mix(static_cast<std::uint32_t>(bits)), mix(static_cast<std::uint32_t>(bits >> 32));
        }
    }
    void mix(const Body& body) {
        mix(body.center);
        mix(body.rotation.w), mix(body.rotation.x), mix(body.rotation.y), mix(body.rotation.z);
        mix(body.linear_velocity);
        mix(body.angular_velocity);
    }
    void mix(const Manifold& manifold) {
        mix(manifold.normal);
        for (int i = 0; i < manifold.count; ++i) {
            mix(manifold.points[i].on_a);
            mix(manifold.points[i].on_b);
            mix(manifold.points[i].separation);
        }
    }
    void mix(const ContactState& state) {
        for (int i = 0; i < state.point_count; ++i) mix_impulse(state.impulses[i]), mix_impulse(state.step_impulses[i]);
        for (int i = 0; i < 3; ++i) mix_impulse(state.friction_impulse[i]), mix_impulse(state.rolling_impulse[i]);
        mix_impulse(state.twist_impulse);
        mix(static_cast<std::uint32_t>(state.touching));
    }
    /// Treats 0 and -0 as equal, because the sign of a zero impulse depends on which contacts share a record of lanes.
    void mix_impulse(float x) { mix(x + 0.0f); }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace

std::uint64_t World::hash() const {
    Hash hash;
    for (std::uint32_t slot = 0; slot < state_->bodies.slot_count(); ++slot) {
        if (state_->bodies[slot].in_use) hash.mix(state_->bodies[slot]);
    }
    return hash.value();
}

std::uint64_t World::State::state_hash() const {
    Hash hash;
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
        if (!bodies[slot].in_use) continue;
        hash.mix(slot);
        hash.mix(bodies[slot]);
        hash.mix(static_cast<std::uint32_t>(awake().contains(slot)));
    }
    for (const Pair& pair : contacts.pairs) {
        if (pair.in_use) hash.mix(pair.body[0]), hash.mix(pair.body[1]);
    }
    for (std::uint32_t c = 0; c < contacts.bodies.size(); ++c) {
        if (contacts.bodies[c].a == null_index) continue;
        hash.mix(contacts.records[c].a);
        hash.mix(contacts.records[c].b);
        if (contacts.has_manifold(c)) hash.mix(contacts.manifold(c));
        hash.mix(contacts.states[c]);
    }
    for (const ConstraintGraph::Edge& edge : edges) hash.mix(edge.contact), hash.mix(edge.link);
    return hash.value();
}

}  // namespace talus
