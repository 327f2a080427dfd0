#pragma once
/// What happens to two bodies when a CCD sweep finds that one hits the other.
///
///     path and hit  --respond()-->  new velocities and paths of both bodies, an entry in the list of impacts
///
/// Both bodies get the impulses of the impact (impact_impulses.h) on the velocities that they have at that time. If one
/// of them is jointed, its whole articulation responds: each link goes on along a straight line with its new velocity,
/// and the joints that this opens are closed at the end of the stage (opened_joints.h). Nothing is kept here.

#include "engine/continuous/ccd_sweep.h"
#include "engine/continuous/impact_energy.h"
#include "engine/continuous/impact_impulses.h"
#include "engine/continuous/opened_joints.h"

#include <cstdint>
#include <vector>

namespace talus {

class ImpactResponse {
public:
    ImpactResponse(const ContinuousInput& in, ContinuousOutput& out, const CcdSweep& sweep, Paths& deflected,
                   ImpactEnergies& energies, OpenedJoints& opened_joints, std::vector<Impact>& impacts)
        : in_(in),
          out_(out),
          sweep_(sweep),
          deflected_(deflected),
          energies_(energies),
          opened_joints_(opened_joints),
          impacts_(impacts) {}

    /// Applies an impact to a body and the one that it hits. Afterwards `path` begins at the impact. If the other body
    /// is dynamic and got an impulse, it has a new path in `deflected`, and the result is true. `budget` is the energy
    /// budget of a body without joints. A contact that the user's modifier disables is only noted in `scratch`.
    bool respond(Path& path, const SweepHit& hit, SweepScratch& scratch, EnergyBudget& budget);

private:
    struct AtImpact;

    AtImpact state_at_impact(Path& path, const SweepHit& hit);
    bool find_points(const Path& path, const SweepHit& hit, AtImpact& at, SweepScratch& scratch);
    void find_velocities(const Path& path, const SweepHit& hit, AtImpact& at);
    float solve_jointed(std::uint32_t slot, std::uint32_t other_slot, AtImpact& at);
    float affordable_part(std::uint32_t slot, const AtImpact& at, const ImpactBody& other_before,
                          const EnergyBudget& budget);
    void account_for_work(std::uint32_t slot, std::uint32_t other_slot, const AtImpact& at,
                          const ImpactBody& mover_before, const ImpactBody& other_before, EnergyBudget& budget);
    void go_on(Path& path, const SweepHit& hit, const AtImpact& at);
    ImpactBody impact_body(std::uint32_t slot, const Transform& pose, const vec3& linear_velocity,
                           const vec3& angular_velocity) const;
    bool in_free_flight(std::uint32_t slot) const;
    void move_links(std::uint32_t slot, const ImpactBody& velocities, const ImpactBody& on_path, float rest);
    void lift(Path& path, vec3 by, float rest);
    void deflect(Path path, float time, const ImpactBody& after);

    const ContinuousInput& in_;
    ContinuousOutput& out_;
    const CcdSweep& sweep_;
    Paths& deflected_;
    ImpactEnergies& energies_;
    OpenedJoints& opened_joints_;
    std::vector<Impact>& impacts_;
};

}  // namespace talus
