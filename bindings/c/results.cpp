// What the last step did and cost; drawing.

#include "bindings/c/world_handle.h"

using namespace talus;
using c::body_from;
using c::call;
using c::from;
using c::to_c;

size_t talus_world_contacts_begun(const TalusWorld* world, TalusContactEvent* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.contacts_begun(), out, capacity); });
}
size_t talus_world_contacts_ended(const TalusWorld* world, TalusContactEvent* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.contacts_ended(), out, capacity); });
}
size_t talus_world_contacts_hit(const TalusWorld* world, TalusHitEvent* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.contacts_hit(), out, capacity); });
}
size_t talus_world_moved_bodies(const TalusWorld* world, TalusMovedBody* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.moved_bodies(), out, capacity); });
}
size_t talus_world_moved_poses(const TalusWorld* world, TalusDVec3 origin, float* poses, TalusBodyId* bodies,
                               size_t capacity) {
    return call(world, [&](const World& w, Error&) {
        const std::span<const MovedBody> moved = w.moved_bodies();
        for (size_t i = 0; i < moved.size() && i < capacity; ++i) {
            if (poses != nullptr) c::write_pose(moved[i].pose, from(origin), poses + 7 * i);
            if (bodies != nullptr) bodies[i] = to_c(moved[i].body);
        }
        return moved.size();
    });
}
size_t talus_world_joints_broken(const TalusWorld* world, TalusJointEvent* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.joints_broken(), out, capacity); });
}
size_t talus_world_contacts_of(const TalusWorld* world, TalusBodyId body, TalusContact* out, size_t capacity) {
    return call(world,
                [&](const World& w, Error&) { return c::write_list(w.contacts(body_from(body)), out, capacity); });
}
size_t talus_world_contacts(const TalusWorld* world, TalusContact* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.contacts(), out, capacity); });
}
size_t talus_world_pairs(const TalusWorld* world, TalusPairInfo* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.pairs(), out, capacity); });
}
uint32_t talus_world_island(const TalusWorld* world, TalusBodyId body) {
    return call(world, [&](const World& w, Error&) { return w.island(body_from(body)); });
}
size_t talus_world_bodies(const TalusWorld* world, TalusBodyId* out, size_t capacity) {
    return call(world, [&](const World& w, Error&) { return c::write_list(w.bodies(), out, capacity); });
}
size_t talus_world_body_count(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return w.body_count(); });
}
size_t talus_world_awake_body_count(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return w.awake_body_count(); });
}
uint64_t talus_world_hash(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) { return w.hash(); });
}

// ---- Profile --------------------------------------------------------------------------------------------------------

static_assert(TALUS_RUNG_COUNT == rung_count);

const char* talus_rung_name(int32_t rung) {
    return rung >= 0 && rung < rung_count ? name_of(static_cast<Rung>(rung)) : nullptr;
}

TalusProfile talus_world_profile(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) {
        const FrameProfile& f = w.profile();
        TalusProfile p{};
        p.frame = f.frame;
        p.start = f.start;
        p.total = f.total;
        p.pairs = f.pairs;
        p.collide = f.collide;
        p.graph = f.graph;
        p.solve = f.solve;
        p.continuous = f.continuous;
        p.finish = f.finish;
        p.publish = f.publish;
        p.broadphase = f.broadphase;
        p.bodies = f.bodies;
        p.awake_bodies = f.awake_bodies;
        p.broadphase_pairs = f.broadphase_pairs;
        p.convex_pairs = f.convex_pairs;
        p.touching_pairs = f.touching_pairs;
        p.contact_points = f.contact_points;
        p.renewed_contacts = f.renewed_contacts;
        p.stiff_groups = f.stiff_groups;
        p.stiff_work = f.stiff_work;
        p.substeps = f.substeps;
        p.swept_bodies = f.swept_bodies;
        p.impacts = f.impacts;
        p.islands = f.islands;
        p.colors = f.colors;
        p.slabs = f.slabs;
        p.max_penetration = f.max_penetration;
        p.mean_penetration = f.mean_penetration;
        p.kinetic_energy = f.kinetic_energy;
        const NarrowphaseProfile& n = f.narrowphase;
        for (std::size_t i = 0; i < rung_count; ++i) p.rungs[i] = {n.pairs[i], n.microseconds[i]};
        p.gjk_queries = n.gjk_queries;
        p.gjk_iterations = n.gjk_iterations;
        p.gjk_cap_hits = n.gjk_cap_hits;
        p.epa_queries = n.epa_queries;
        p.epa_iterations = n.epa_iterations;
        p.epa_cap_hits = n.epa_cap_hits;
        p.support_evaluations = n.support_evaluations;
        p.manifolds_built = n.manifolds_built;
        const FeatureCounts& of = n.features;
        p.features = {of.node_pairs, of.pairs, of.nearby, of.candidates, of.points};
        for (std::size_t i = 0; i < 16; ++i) {
            p.gjk_histogram[i] = n.gjk_histogram[i];
            p.epa_histogram[i] = n.epa_histogram[i];
        }
        const JointProfile& j = f.joints;
        p.joints = {j.articulations,
                    j.joints,
                    j.rows,
                    j.factorizations,
                    j.rounds,
                    j.passes_alone,
                    j.microseconds,
                    j.coupled_microseconds,
                    to_c(j.slowest_body),
                    j.slowest_microseconds};
        p.slowest = {to_c(f.slowest.body_a), to_c(f.slowest.body_b), f.slowest.shape_a,
                     f.slowest.shape_b,      f.slowest.triangle,     static_cast<std::int32_t>(f.slowest.rung),
                     f.slowest.microseconds};
        const StageSpans& s = f.span;
        p.span = {s.total, s.pairs, s.collide, s.graph, s.solve, s.continuous, s.finish, s.publish};
        const StageHashes& h = f.hashes;
        p.hashes = {h.pairs, h.collide, h.graph, h.solve, h.continuous, h.finish, h.publish};
        p.timing = f.timing;
        p.interruptions = f.interruptions;
        return p;
    });
}

TalusMemory talus_world_memory(const TalusWorld* world) {
    return call(world, [](const World& w, Error&) {
        const MemoryStats m = w.memory();
        return TalusMemory{m.bodies, m.shapes, m.broadphase, m.contacts, m.joints,
                           m.solver, m.hulls,  m.meshes,     m.total()};
    });
}

// ---- Drawing --------------------------------------------------------------------------------------------------------

namespace {

/// Passes figures to the caller's functions.
class Drawing final : public DebugDraw {
public:
    explicit Drawing(const TalusDebugDraw& to) : to_(to) {}

    void line(const dvec3& a, const dvec3& b, Color color) override {
        if (to_.line != nullptr) to_.line(to_.user, to_c(a), to_c(b), colored(color));
    }
    void point(const dvec3& at, float pixels, Color color) override {
        if (to_.point != nullptr) to_.point(to_.user, to_c(at), pixels, colored(color));
    }
    void triangle(const dvec3& a, const dvec3& b, const dvec3& c, Color color) override {
        if (to_.triangle != nullptr) to_.triangle(to_.user, to_c(a), to_c(b), to_c(c), colored(color));
    }
    void text(const dvec3& at, std::string_view text, Color color) override {
        if (to_.text != nullptr) to_.text(to_.user, to_c(at), std::string(text).c_str(), colored(color));
    }

private:
    static TalusColor colored(Color c) { return {c.r, c.g, c.b, c.a}; }
    const TalusDebugDraw& to_;
};

}  // namespace

TalusDebugDrawOptions talus_debug_draw_options(void) {
    const DebugDrawOptions o;
    TalusDebugDrawOptions options{};
    options.size = sizeof options;
    options.outline_color = static_cast<TalusOutlineColor>(o.outline_color);
    options.normal_length = o.normal_length;
    options.impulse_scale = o.impulse_scale;
    options.velocity_scale = o.velocity_scale;
    options.region = to_c(o.region);
    return options;
}

bool talus_world_draw(const TalusWorld* world, const TalusDebugDraw* draw, const TalusDebugDrawOptions* given) {
    return call(world, [&](const World& w, Error& e) {
        c::need(draw, "draw", e);
        const TalusDebugDrawOptions o = c::sized(given, talus_debug_draw_options(), "talus_debug_draw_options", e);
        const auto outline = c::enum_from<OutlineColor>(o.outline_color, 3, "outline_color", e);
        if (e) return false;
        Drawing drawing(*draw);
        return w.draw(drawing, {.outlines = c::flag(o.outlines),
                                .outline_color = outline,
                                .boxes = c::flag(o.boxes),
                                .fat_boxes = c::flag(o.fat_boxes),
                                .columns = c::flag(o.columns),
                                .contact_points = c::flag(o.contact_points),
                                .contact_normals = c::flag(o.contact_normals),
                                .contact_impulses = c::flag(o.contact_impulses),
                                .feature_ids = c::flag(o.feature_ids),
                                .manifold_areas = c::flag(o.manifold_areas),
                                .centers_of_mass = c::flag(o.centers_of_mass),
                                .inertia_axes = c::flag(o.inertia_axes),
                                .joints = c::flag(o.joints),
                                .velocities = c::flag(o.velocities),
                                .pair_rungs = c::flag(o.pair_rungs),
                                .normal_length = o.normal_length,
                                .impulse_scale = o.impulse_scale,
                                .velocity_scale = o.velocity_scale,
                                .region = from(o.region)});
    });
}
