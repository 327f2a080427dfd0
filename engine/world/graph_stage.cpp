/// Stage `graph`: makes coloured edges between solver indices from the touching contacts, and wakes the islands that
/// awake bodies touch.

#include "engine/constraints/contact_edges.h"
#include "engine/world/world_state.h"

namespace talus {

/// Replaces manifolds for this step: leaves out edges where another mesh goes on, merges mesh contacts, and lets the
/// user's modifier change contacts.
void World::State::replace_manifolds() {
    const ContactWorld world = contact_world();
    seams.remove_points(world, active_contacts.touching(), mesh_contacts.lost_loads());
    merged_contacts.merge(world, active_contacts.touching(), active_contacts.last_touching(),
                          mesh_contacts.lost_loads());
    mesh_contacts.lost_loads().clear();
    modified_contacts.apply(world, active_contacts.touching());
}

/// Wakes the islands that an awake body touches, or has a joint with.
void World::State::wake_touched() {
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies joined = joints.bodies(j);
        if (joined.b == null_index || awake().contains(joined.a) == awake().contains(joined.b)) continue;
        wake(awake().contains(joined.a) ? joined.b : joined.a);
    }
    for (const std::uint32_t c : active_contacts.touching()) {
        if (contacts.states[c].sensor) continue;
        const ContactBodies& pair = contacts.bodies[c];
        if (!awake().contains(pair.a)) wake(pair.a);
        if (!awake().contains(pair.b)) wake(pair.b);
    }
}

void World::State::build_graph(float dt, const Jobs& jobs) {
    replace_manifolds();
    const std::size_t awake_before = awake().size();
    wake_touched();
    if (awake().size() != awake_before) {
        // A woken island takes part in the step with the manifolds with which it fell asleep.
        sleeping.compact();
        active_contacts.add_woken(contact_world(), awake());
        replace_manifolds();
    }

    find_edges(contact_view(), active_contacts.touching(), edges, jobs);
    body_pairs.clear_edge_counts(contacts);
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.pair != null_index) ++contacts.pairs[edge.pair].edges;
    }
    indices.clear(bodies.slot_count(), awake());
    indices.add_contacts(edges);
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies joined = joints.bodies(j);
        if (joined.b != null_index) indices.add_joint(joined.a, joined.b);
    }
    indices.assign(bodies, awake(), jobs);
    substep_contacts.find_fast(indices, bodies, contacts, edges, dt);
    const bool any_joints = joints.live_count() != 0;
    for (ConstraintGraph::Edge& edge : edges) {
        if (any_joints) {
            edge.jointed = (edge.pushes_a && indices.has_joint(edge.a)) || (edge.pushes_b && indices.has_joint(edge.b));
        }
        edge.a = indices.of(edge.a);
        edge.b = indices.of(edge.b);
    }

    const auto color_contacts = [&] {
        graph.build(edges, indices.slabs(), indices.slab_groups());
        for (std::size_t i = 0; i < edges.size(); ++i) contacts.states[edges[i].contact].color = graph.edge_colors()[i];
    };
    const bool in_groups = indices.slab_group_count() > 1;
    if (in_groups) {
        // Neither of the two reads data that the other one writes.
        jobs.for_each(2, [&](int i) { i == 0 ? color_contacts() : join_islands(dt); });
    } else {
        join_islands(dt);
        color_contacts();
    }
    profile.colors = graph.color_count();
    profile.slabs = in_groups ? indices.slab_count() : 1;
    hit_events.note_approaches(contact_view(), edges, def.hit_speed);
}

/// Joins bodies with contacts or joints between them to islands, and chooses the groups that are solved directly.
void World::State::join_islands(float dt) {
    islands.reset(indices.size());
    for (const ConstraintGraph::Edge& edge : edges) {
        if (edge.pushes_a && edge.pushes_b) islands.join(edge.a, edge.b);
    }
    joint_edges.clear();
    for (std::uint32_t j = 0; j < joints.slot_count(); ++j) {
        const JointBodies joined = joints.bodies(j);
        if (joined.b == null_index) continue;
        const auto index_of = [&](std::uint32_t slot) { return bodies[slot].is_dynamic() ? indices.of(slot) : 0; };
        const std::uint32_t a = index_of(joined.a), b = index_of(joined.b);
        if (a != 0 || b != 0) joint_edges.push_back({a, b, joints[j].kind != JointKind::gear});
        if (a != 0 && b != 0) islands.join(a, b);
    }
    stiff_groups.find({edges, indices.slots(), indices.movable_end(), bodies, contacts, colliders}, edges, joint_edges,
                      def.gravity, dt, dt / static_cast<float>(def.substeps), islands);
}

}  // namespace talus
