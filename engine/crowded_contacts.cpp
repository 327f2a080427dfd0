#include <talus/engine/crowded_contacts.h>

#include <talus/engine/settings.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

void add_outer(glm::dmat3& sum, float weight, const vec3& n) {
    const glm::dvec3 d(n);
    sum += static_cast<double>(weight) * glm::outerProduct(d, d);
}

/// The largest eigenvalue, or up to 15% more where others are as large: the 8-norm of all.
float largest_sum(const glm::dmat3& sum) {
    const glm::dmat3 square = sum * sum, fourth = square * square;
    double squares = 0.0;
    for (int i = 0; i < 3; ++i) squares += glm::dot(fourth[i], fourth[i]);
    return static_cast<float>(std::sqrt(std::sqrt(std::sqrt(squares))));
}

}  // namespace

void CrowdedContacts::find(std::span<const ConstraintGraph::Edge> edges, std::span<const std::uint32_t> slots,
                           std::uint32_t held_end, const BodyStore& bodies, const ContactTable& contacts, const Colliders& colliders,
                           std::span<const std::uint32_t> loads) {
    crowding_.clear();
    // Room for twice as many at once, so that a steady step in which a body gets crowded allocates nothing.
    for (std::vector<float>* const by_index : {&crowding_, &inverse_masses_}) {
        if (by_index->capacity() < held_end) by_index->reserve(2 * std::size_t{held_end});
    }
    const auto has_many = [&](std::uint32_t slot) {
        return slot != null_index && loads[slot] > settings::crowded_contacts + 1;
    };
    if (std::none_of(slots.begin(), slots.begin() + held_end, has_many)) return;
    inverse_masses_.assign(held_end, 0.0f);
    for (std::uint32_t i = 0; i < held_end; ++i) {
        if (slots[i] != null_index) inverse_masses_[i] = bodies[slots[i]].inverse_mass;
    }
    crowding_.assign(held_end, 0.0f);
    const auto for_each_face = [&](auto&& visit) {
        for (const ConstraintGraph::Edge& edge : edges) {
            if (edge.point_count < settings::crowded_face) continue;
            const float a = edge.pushes_a ? inverse_masses_[edge.a] : 0.0f;
            const float b = edge.pushes_b ? inverse_masses_[edge.b] : 0.0f;
            const float twice = 2.0f / (a + b);
            float points = static_cast<float>(edge.point_count);
            const std::uint32_t sharing = edge.pair != null_index ? contacts.pairs[edge.pair].edges : 0;
            if (sharing > settings::full_stiffness_contacts)
                points *= static_cast<float>(settings::full_stiffness_contacts) / static_cast<float>(sharing);
            if (edge.pushes_a) visit(edge, edge.a, points * (edge.pushes_b ? twice * a : 1.0f));
            if (edge.pushes_b) visit(edge, edge.b, points * (edge.pushes_a ? twice * b : 1.0f));
        }
    };
    // All points together, whatever their directions: no direction has more.
    for_each_face([&](const ConstraintGraph::Edge&, std::uint32_t i, float weight) { crowding_[i] += weight; });
    sums_.clear();
    for (std::uint32_t i = 0; i < held_end; ++i) {
        if (crowding_[i] <= settings::crowded_points || !has_many(slots[i])) {
            crowding_[i] = 0.0f;
            continue;
        }
        sums_.push_back({});
        crowding_[i] = static_cast<float>(sums_.size());
    }
    if (!sums_.empty()) {
        for_each_face([&](const ConstraintGraph::Edge& edge, std::uint32_t i, float weight) {
            if (crowding_[i] == 0.0f) return;
            const Transform& pose = colliders.poses[contacts.records[edge.contact].a];
            const vec3 n = rotate(pose.rotation, contacts.caches[edge.contact].manifold.normal);
            add_outer(sums_[static_cast<std::size_t>(crowding_[i]) - 1], weight, n);
        });
    }
    bool any = false;
    for (float& crowding : crowding_) {
        if (crowding == 0.0f) continue;
        crowding = largest_sum(sums_[static_cast<std::size_t>(crowding) - 1]);
        any = any || crowding > settings::crowded_points;
    }
    if (!any) crowding_.clear();
}

float CrowdedContacts::share(const ConstraintGraph::Edge& edge) const {
    const float a = edge.pushes_a ? crowding_[edge.a] : 0.0f, b = edge.pushes_b ? crowding_[edge.b] : 0.0f;
    return settings::crowded_points / std::max({a, b, settings::crowded_points});
}

}  // namespace talus
