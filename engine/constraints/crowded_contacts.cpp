#include "engine/constraints/crowded_contacts.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Returns an upper bound of the largest eigenvalue: the 8-norm of the eigenvalues. It is exact if all normals are
/// parallel, and up to 15% too large if the eigenvalues are equal.
float most_along_one_direction(const glm::dmat3& sum) {
    const glm::dmat3 square = sum * sum, fourth = square * square;
    double eighth = 0.0;
    for (int i = 0; i < 3; ++i) eighth += glm::dot(fourth[i], fourth[i]);
    return static_cast<float>(std::sqrt(std::sqrt(std::sqrt(eighth))));
}

}  // namespace

void CrowdedContacts::find(const SolverContacts& in, std::span<const std::uint32_t> loads) {
    crowding_.clear();
    // Reserves twice the space, so that a steady step in which a body gets crowded allocates nothing.
    for (std::vector<float>* const by_index : {&crowding_, &inverse_masses_}) {
        if (by_index->capacity() < in.movable_end) by_index->reserve(2 * std::size_t{in.movable_end});
    }
    if (sum_of_.capacity() < in.movable_end) sum_of_.reserve(2 * std::size_t{in.movable_end});
    const auto has_many = [&](std::uint32_t slot) {
        return slot != null_index && loads[slot] > settings::crowded_contacts + 1;
    };
    if (std::none_of(in.slots.begin(), in.slots.begin() + in.movable_end, has_many)) return;
    inverse_masses_.assign(in.movable_end, 0.0f);
    for (std::uint32_t i = 0; i < in.movable_end; ++i) {
        if (in.slots[i] != null_index) inverse_masses_[i] = in.bodies[in.slots[i]].inverse_mass;
    }
    // Calls visit(edge, body, weight of the edge's points for that body) for both bodies of each contact of faces.
    const auto for_each_face = [&](auto&& visit) {
        for (const ConstraintGraph::Edge& edge : in.edges) {
            if (edge.point_count < settings::crowded_face) continue;
            const float a = edge.pushes_a ? inverse_masses_[edge.a] : 0.0f;
            const float b = edge.pushes_b ? inverse_masses_[edge.b] : 0.0f;
            const float twice = 2.0f / (a + b);
            float points = static_cast<float>(edge.point_count);
            const std::uint32_t sharing = edge.pair != null_index ? in.contacts.pairs[edge.pair].edges : 0;
            if (sharing > settings::full_stiffness_contacts)
                points *= static_cast<float>(settings::full_stiffness_contacts) / static_cast<float>(sharing);
            if (edge.pushes_a) visit(edge, edge.a, points * (edge.pushes_b ? twice * a : 1.0f));
            if (edge.pushes_b) visit(edge, edge.b, points * (edge.pushes_a ? twice * b : 1.0f));
        }
    };
    // The weight of all points of a body, whatever their normals, is an upper bound of that along any one direction. So
    // few bodies need their matrix.
    crowding_.assign(in.movable_end, 0.0f);
    for_each_face([&](const ConstraintGraph::Edge&, std::uint32_t i, float weight) { crowding_[i] += weight; });
    sums_.assign(1, glm::dmat3(0.0));  // stands for all other bodies
    for (std::uint32_t i = 0; i < in.movable_end; ++i) {
        if (crowding_[i] <= settings::crowded_points || !has_many(in.slots[i])) continue;
        if (sums_.size() == 1) sum_of_.assign(in.movable_end, 0);
        sum_of_[i] = static_cast<std::uint32_t>(sums_.size());
        sums_.emplace_back(0.0);
    }
    if (sums_.size() == 1) {
        crowding_.clear();
        return;
    }
    for_each_face([&](const ConstraintGraph::Edge& edge, std::uint32_t i, float weight) {
        if (sum_of_[i] == 0) return;
        const WorldTransform& pose = in.colliders.poses[in.contacts.records[edge.contact].a];
        const glm::dvec3 normal(rotate(pose.rotation, in.contacts.manifold(edge.contact).normal));
        sums_[sum_of_[i]] += static_cast<double>(weight) * glm::outerProduct(normal, normal);
    });
    bool any = false;
    for (std::uint32_t i = 0; i < in.movable_end; ++i) {
        crowding_[i] = sum_of_[i] != 0 ? most_along_one_direction(sums_[sum_of_[i]]) : 0.0f;
        any = any || crowding_[i] > settings::crowded_points;
    }
    if (!any) crowding_.clear();
}

float CrowdedContacts::share(const ConstraintGraph::Edge& edge) const {
    const float a = edge.pushes_a ? crowding_[edge.a] : 0.0f, b = edge.pushes_b ? crowding_[edge.b] : 0.0f;
    return settings::crowded_points / std::max({a, b, settings::crowded_points});
}

}  // namespace talus
