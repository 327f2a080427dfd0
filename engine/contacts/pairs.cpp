/// Stage `pairs`: broadphase events become pairs, pairs of bodies become contacts of their shapes.

#include <talus/stopwatch.h>
#include "engine/settings.h"
#include "engine/world/world_state.h"
#include "narrowphase/ladder/relative_motion.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// What rolls, rolls on this radius, m; 0 for what has corners.
float rolling_radius(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
        case ShapeType::capsule:
            return shape.radius;
        case ShapeType::cylinder:
        case ShapeType::cone:
            return shape.half_extents.x;
        default:
            return 0.0f;
    }
}

}  // namespace

void World::State::update_pairs(const Jobs& jobs) {
    begun.clear();
    hits.clear();
    ended.clear();
    ended.swap(ended_at_next_step);
    broken.clear();
    broken.swap(broken_outside_step);
    any_through = false;
    Stopwatch clock(def.timing != Timing::off);
    broadphase.update(jobs);
    profile.broadphase = clock.lap();
    profile.narrowphase.clock_reads += clock.reads();
    for (const ProxyPair& pair : broadphase.ended()) {
        const std::uint32_t a = proxy_body[pair.a], b = proxy_body[pair.b];
        if (a == null_index || b == null_index) continue;  // removed: its pairs went with it
        const std::uint32_t p = contacts.find_pair(bodies, a, b);
        if (p != null_index) drop_pair(p, ended);
    }
    std::size_t kept = 0;
    for (const CompoundPair& compound : compound_pairs) {
        const Pair& pair = contacts.pairs[compound.pair];
        if (pair.in_use && pair.compound) compound_pairs[kept++] = compound;
    }
    compound_pairs.resize(kept);  // before their slots are taken by others
    for (const ProxyPair& pair : broadphase.begun()) begin_pair(proxy_body[pair.a], proxy_body[pair.b]);
    end_far_contacts();
    begin_near_contacts(jobs);
    settle_carried();
    for (CompoundPair& compound : compound_pairs) {
        const Pair& pair = contacts.pairs[compound.pair];
        if (pair.collision_disabled) continue;
        if (awake.contains(pair.body[0]) || awake.contains(pair.body[1])) update_compound_pair(compound);
    }
}

void World::State::begin_pair(std::uint32_t a, std::uint32_t b) {
    const Body &body_a = bodies[a], &body_b = bodies[b];
    if (!body_a.is_dynamic() && !body_b.is_dynamic()) return;
    const std::uint32_t p = contacts.begin_pair(bodies, a, b);
    contacts.pairs[p].collision_disabled = joints.disables_collision(a, b);
    if (!contacts.pairs[p].collision_disabled) expect_contacts(p);
}

bool World::State::are_far(const ContactBodies& pair) const {
    const Ball &a = balls[pair.a], &b = balls[pair.b];
    const float reach = a.reach + b.reach;
    return length_squared(b.center - a.center) > reach * reach;
}

void World::State::expect_contacts(std::uint32_t p) {
    if (def.enable_skip) {
        contacts.set_far(p, true);
    } else {
        begin_contacts(p);
    }
}

/// Far pairs of awake bodies that came near get their contacts; the others count as skipped. None does once skipping is
/// switched off.
void World::State::begin_near_contacts(const Jobs& jobs) {
    constexpr std::size_t least_pairs = 4096;
    awake.compact();
    const bool few = are_few_awake();
    const std::size_t count = contacts.far.size();
    const auto tasks = few ? std::size_t{1} : static_cast<std::size_t>(jobs.tasks_for(count, least_pairs));
    if (near_tasks.size() < tasks) near_tasks.resize(tasks);
    const auto ask = [&](NearTask& task, std::uint32_t p) {
        if (def.enable_skip && are_far(contacts.far[p])) {
            ++task.far;
        } else {
            task.near.push_back(p);
        }
    };
    jobs.for_each(static_cast<int>(tasks), [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        NearTask& task = near_tasks[k];
        task.near.clear();
        task.far = 0;
        if (few) {
            for_each_awake_pair([&](std::uint32_t p) {
                if (contacts.far[p].a != null_index) ask(task, p);
            });
            std::sort(task.near.begin(), task.near.end());
            return;
        }
        const std::size_t last = count * (k + 1) / tasks;
        for (std::size_t p = count * k / tasks; p < last; ++p) {
            const ContactBodies& pair = contacts.far[p];
            if (pair.a == null_index || !(awake.contains(pair.a) || awake.contains(pair.b))) continue;
            ask(task, static_cast<std::uint32_t>(p));
        }
    });
    for (std::size_t k = 0; k < tasks; ++k) {
        if (profiling_compiled_in) profile.narrowphase.pairs[static_cast<std::size_t>(Rung::skip)] += near_tasks[k].far;
        for (const std::uint32_t p : near_tasks[k].near) {
            contacts.set_far(p, false);
            begin_contacts(p);
        }
    }
}

/// Contacts of pairs that are far again end; some of them in each step.
void World::State::end_far_contacts() {
    if (!def.enable_skip || are_few_awake()) return;
    constexpr std::uint32_t share = 16;
    for (auto c = static_cast<std::uint32_t>(profile.frame % share); c < contacts.bodies.size(); c += share) {
        const ContactBodies& pair = contacts.bodies[c];
        if (pair.a == null_index || contacts.records[c].state != PairState::separated || !are_far(pair)) continue;
        const ContactState& state = contacts.states[c];
        const std::uint32_t p = state.pair;
        if (state.touching || state.modified || contacts.pairs[p].compound) continue;
        remove_contact(c);
        contacts.set_far(p, true);
    }
}

void World::State::begin_contacts(std::uint32_t p) {
    const std::uint32_t a = contacts.pairs[p].body[0], b = contacts.pairs[p].body[1];
    const Body &body_a = bodies[a], &body_b = bodies[b];
    const bool is_simple = body_a.shape_count == 1 && body_b.shape_count == 1 &&
                           !shapes.defs[body_a.first_shape].mesh && !shapes.defs[body_b.first_shape].mesh;
    if (is_simple) {
        if (may_touch(body_a.first_shape, body_b.first_shape))
            add_contact(p, body_a.first_shape, a, body_b.first_shape, b);
    } else {
        const auto is_its = [&](const CompoundPair& compound) { return compound.pair == p; };
        const auto its = contacts.pairs[p].compound  // already: a joint between the two went
                             ? std::find_if(compound_pairs.begin(), compound_pairs.end(), is_its)
                             : compound_pairs.insert(compound_pairs.end(), CompoundPair{.pair = p});
        contacts.pairs[p].compound = true;
        update_compound_pair(*its);
    }
}

void World::State::update_contacts_of(std::uint32_t a, std::uint32_t b) {
    if (a == null_index || b == null_index) return;
    const std::uint32_t p = contacts.find_pair(bodies, a, b);
    if (p == null_index) return;
    Pair& pair = contacts.pairs[p];
    if (pair.collision_disabled == joints.disables_collision(a, b)) return;
    pair.collision_disabled = !pair.collision_disabled;
    if (!pair.collision_disabled) {
        expect_contacts(p);
        return;
    }
    contacts.set_far(p, false);
    end_contacts(p, carried);  // the joint may be gone again before the step
}

std::uint32_t World::State::add_contact(std::uint32_t pair, std::uint32_t shape_a, std::uint32_t body_a,
                                        std::uint32_t shape_b, std::uint32_t body_b) {
    const ShapeDef &a = shapes.defs[shapes.shape_of(shape_a)], &b = shapes.defs[shapes.shape_of(shape_b)];
    const std::uint32_t c = contacts.add_contact(pair, colliders, shape_a, body_a, shape_b, body_b);
    ContactState& state = contacts.states[c];
    mix_materials(c);
    state.sensor = a.sensor || b.sensor;
    state.hit_events = a.hit_events || b.hit_events;
    state.modifiable = a.modify_contacts || b.modify_contacts;
    return c;
}

bool World::State::may_touch(std::uint32_t shape_a, std::uint32_t shape_b) const {
    const ShapeDef &a = shapes.defs[shapes.shape_of(shape_a)], &b = shapes.defs[shapes.shape_of(shape_b)];
    return should_collide(a.filter, b.filter) && !(a.sensor && b.sensor);
}

void World::State::remove_contact(std::uint32_t c) {
    const PairRecord& record = contacts.records[c];
    for (const std::uint32_t slot : {record.a, record.b}) {
        if (shapes.is_triangle(slot)) shapes.release(slot, 1, colliders);
    }
    contacts.remove_contact(c);
}

void World::State::end_contacts(std::uint32_t p, std::vector<ContactEvent>& events) {
    contacts.pairs[p].compared = false;
    for_each_patch(contacts, p, [&](std::uint32_t k) {
        if (contacts.patches[k].touching) events.push_back(event_of_patch(k));
        contacts.patches[k].touching = false;
        contacts.patches[k].box = MeshPatch{}.box;
    });
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].touching && contacts.states[c].patch == null_index) events.push_back(event_of(c));
        remove_contact(c);
    });
}

void World::State::mix_materials(std::uint32_t c) {
    const PairRecord& record = contacts.records[c];
    const Shape &shape_a = colliders.shapes[record.a], &shape_b = colliders.shapes[record.b];
    const Material &a = shapes.material(record.a), &b = shapes.material(record.b);
    ContactState& state = contacts.states[c];
    state.friction = mixed_friction(a, b);
    state.restitution = mixed_restitution(a, b);
    // A round surface that overlaps by the slop, as it may, touches with a patch: without it a ball spinning on the
    // spot would spin for ever. Uniform pressure on a disc of radius R gives friction a mean lever of 2/3 R.
    const float round_radius = std::max(shape_a.radius, shape_b.radius);
    state.patch_arm = (2.0f / 3.0f) * std::sqrt(2.0f * round_radius * state.slop);
    const float radius_a = rolling_radius(shape_a), radius_b = rolling_radius(shape_b);
    const float radius =
        radius_a > 0.0f && radius_b > 0.0f ? std::min(radius_a, radius_b) : std::max(radius_a, radius_b);
    state.rolling_arm = std::max(a.rolling_resistance, b.rolling_resistance) * radius;
    state.special_surface =
        state.rolling_arm > 0.0f || !shapes.surfaces[record.a].is_plain() || !shapes.surfaces[record.b].is_plain();
}

/// How far two shapes of the pair may have come towards each other since their bodies stood as `compound` says, and how
/// far they may come in this step, m.
float World::State::compound_motion(const CompoundPair& compound) const {
    const Pair& pair = contacts.pairs[compound.pair];
    float motion =
        std::sqrt(length_squared(bodies[pair.body[1]].center - bodies[pair.body[0]].center - compound.between));
    for (int i = 0; i < 2; ++i) {
        const Body& body = bodies[pair.body[i]];
        motion += detail::motion_bound({.rotation = compound.rotations[i]}, {.rotation = body.rotation}, body.radius);
        float reach = 0.0f;
        for (std::uint32_t k = body.first_shape; k < body.first_shape + body.shape_count; ++k)
            reach = std::max(reach, colliders.sweeps[k].reach);
        motion += reach;
    }
    return motion;
}

/// To compare all boxes of two compounds in each step takes most of a step in which 50 bowls of 17 hulls lie in each
/// other. So boxes are grown by some slack when they are compared, and compared anew once motion has used it up. What
/// moves faster than that is compared in each step, without any.
void World::State::update_compound_pair(CompoundPair& compound) {
    const Pair& pair = contacts.pairs[compound.pair];
    const Body &a = bodies[pair.body[0]], &b = bodies[pair.body[1]];
    if (pair.compared && compound_motion(compound) <= compound.slack) {
        if (++compound.steps == settings::compound_calm_steps) end_apart_contacts(compound);
        return;
    }
    compound.steps = 0;
    compound.between = b.center - a.center;
    compound.rotations[0] = a.rotation;
    compound.rotations[1] = b.rotation;
    compound.slack = settings::compound_slack * std::min(a.radius, b.radius);
    const auto is_mesh = [](const ShapeDef& shape) { return shape.mesh != nullptr; };
    const auto has_mesh = [&](const Body& body) {
        const auto first = shapes.defs.begin() + body.first_shape;
        return std::any_of(first, first + body.shape_count, is_mesh);  // its triangles are looked for in each step
    };
    const bool worth_it = !has_mesh(a) && !has_mesh(b) && compound_motion(compound) <= 0.5f * compound.slack;
    compare_boxes(compound.pair, worth_it ? compound.slack : 0.0f);
    contacts.pairs[compound.pair].compared = worth_it;
}

/// Ends the contacts of shapes that cannot meet before the boxes are compared again: most boxes of bowls in each other
/// overlap, though few of their walls are near.
void World::State::end_apart_contacts(const CompoundPair& compound) {
    for_each_contact(contacts, compound.pair, [&](std::uint32_t c) {
        const ContactState& state = contacts.states[c];
        const PairRecord& record = contacts.records[c];
        if (record.state != PairState::separated || state.touching || state.modified || state.held_back) return;
        const Transform b_in_a = relative(colliders.poses[record.a], colliders.poses[record.b]);
        const float motion = detail::motion_bound(record.reference, b_in_a, record.radius_b) + 2.0f * compound.slack;
        if (motion < record.distance - contact_margin(colliders, record)) remove_contact(c);
    });
}

/// A contact stays while the two shapes' boxes, grown by what they may move in this step and by the slack, overlap.
void World::State::compare_boxes(std::uint32_t p, float slack) {
    const std::uint32_t slot_a = contacts.pairs[p].body[0], slot_b = contacts.pairs[p].body[1];
    const Body &a = bodies[slot_a], &b = bodies[slot_b];
    const auto near = [&](std::uint32_t i, std::uint32_t j) {
        return overlaps(expand(shapes.world_boxes[i], colliders.sweeps[i].reach + colliders.sweeps[j].reach + slack),
                        shapes.world_boxes[j]);
    };
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].patch != null_index || near(contacts.records[c].a, contacts.records[c].b)) return;
        if (contacts.states[c].touching) ended.push_back(event_of(c));
        remove_contact(c);
    });
    // Which pairs of shapes have one already: to walk the pair's contacts for each would take most of the step where
    // compounds of many shapes lie in each other.
    known_contacts.assign(std::size_t{a.shape_count} * b.shape_count, 0);
    const auto known = [&](std::uint32_t i, std::uint32_t j) -> std::uint8_t& {
        return known_contacts[std::size_t{i - a.first_shape} * b.shape_count + (j - b.first_shape)];
    };
    for_each_contact(contacts, p, [&](std::uint32_t c) {
        if (contacts.states[c].patch != null_index) return;
        const PairRecord& record = contacts.records[c];
        const bool in_order = contacts.bodies[c].a == slot_a;
        known(in_order ? record.a : record.b, in_order ? record.b : record.a) = 1;
    });
    for (std::uint32_t i = a.first_shape; i < a.first_shape + a.shape_count; ++i) {
        for (std::uint32_t j = b.first_shape; j < b.first_shape + b.shape_count; ++j) {
            if (shapes.defs[j].mesh) {
                update_patch(p, i, slot_a, j, slot_b);
                continue;
            }
            if (shapes.defs[i].mesh) {
                update_patch(p, j, slot_b, i, slot_a);
                continue;
            }
            if (!near(i, j)) continue;
            if (known(i, j) != 0 || !may_touch(i, j)) continue;
            contacts.states[add_contact(p, i, slot_a, j, slot_b)].of_compound = true;
        }
    }
}

void World::State::drop_pair(std::uint32_t p, std::vector<ContactEvent>& events) {
    end_contacts(p, events);
    contacts.end_pair(bodies, p);
}

}  // namespace talus
