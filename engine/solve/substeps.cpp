#include "engine/solve/substeps.h"

#include "engine/contact_solver/contact_solver.h"
#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

void Substeps::choose(const SolverContacts& contacts, std::span<const std::uint32_t> contact_counts, Islands& islands,
                      float dt, const WorldDef& settings) {
    const float wanted_substep = std::min(dt, settings::longest_plain_step) / static_cast<float>(settings.substeps);
    const float remembered = usual_length_ * std::max(0.0f, 1.0f - settings::forget_substep * dt);
    usual_length_ = std::max(wanted_substep, remembered);
    contact_hertz_ = ContactSolver::usual_hertz(usual_length_, settings.contact_rate);
    crowded_.find(contacts, contact_counts);
    slender_.find({contacts, crowded_, settings.gravity, contact_hertz_, dt}, islands);
    const float hard = slender_.most_hardness();
    const float needed = hard > 1.0f ? dt * contact_hertz_ * std::sqrt(hard) / settings::slender_rate : 0.0f;
    count_ = std::max(1, static_cast<int>(std::ceil(std::max(dt / usual_length_, needed) - settings::substep_slack)));
}

}  // namespace talus
