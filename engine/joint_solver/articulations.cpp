#include "engine/joint_solver/articulations.h"

namespace talus {

std::size_t Articulations::bytes() const {
    const auto size_of = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
    return size_of(articulations) + size_of(joints) + size_of(links) + size_of(articulation_of_link) +
           size_of(link_of_slot) + size_of(couplings) + size_of(hub_couplings) + matrix.bytes() + size_of(active) +
           size_of(rows) + size_of(taken_impulses) + size_of(layouts) + size_of(nodes) + size_of(jacobians) +
           size_of(responses) + size_of(residuals) + size_of(changes) + size_of(velocities);
}

}  // namespace talus
