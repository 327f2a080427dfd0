#pragma once
/// Contact events: which contacts began and ended to touch in a step, as the user reads them after it.
///
///     removals between steps ──> next_step ──┐
///     changed shapes, joints ──> if_changed ─┤ settle_changes(): contacts that still exist go on
///     stage pairs: lost pairs ───────────────┴──> ended()
///     stage publish: contacts that touch, or no longer do, impacts of swept bodies ──> begun(), ended()
///
/// A shape touches a mesh while it touches one of its triangles: to the user that is one contact. A contact that becomes one of
/// the other kind, sensor or solid, ends in one step and begins in the next.

#include "engine/contacts/contact_world.h"
#include "engine/continuous/ccd_sweep.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class ContactEvents {
public:
    /// When a contact that is removed is reported as ended.
    enum class When : std::uint8_t {
        now,        ///< within a step
        next_step,  ///< between two steps
        if_changed  ///< by the next step, unless the same two shapes have a contact of the same kind then
    };

    /// The events of the last step are dropped; those of removals since then are this step's.
    void begin_step();
    /// Reports the contact or mesh contact as ended.
    void end(const ContactEvent& event, When when);
    /// Decides about events noted as if_changed. Contacts that go on are appended to `touching`.
    void settle_changes(const ContactWorld& world, std::vector<std::uint32_t>& touching);

    /// Notes whether a contact touches. Events of contacts with triangles come from report_mesh_contacts().
    void set_touching(const ContactWorld& world, std::uint32_t contact, bool now);
    void report_mesh_contacts(const ContactWorld& world);
    /// What a swept body has hit is a contact from now on, to be found ended by the next step; if there is no contact that could
    /// go on, or it is a sensor, it has begun and ended. Contacts that begin so are appended to `touching`.
    void report_impact(const ContactWorld& world, const Impact& impact, std::vector<std::uint32_t>& touching);
    /// Contacts that were held back may begin in the next step.
    void end_step(const ContactWorld& world);

    std::span<const ContactEvent> begun() const { return begun_; }
    std::span<const ContactEvent> ended() const { return ended_; }

private:
    void report_impact_on_mesh(const ContactWorld& world, const Impact& impact, std::uint32_t mesh_contact);
    std::vector<ContactEvent>::iterator find_ended(const ContactEvent& event);

    std::vector<ContactEvent> begun_, ended_;
    std::vector<ContactEvent> next_step_, if_changed_;
    /// What does not begin in this step: contacts, some of which may be gone by the end of the step, and mesh contacts.
    std::vector<std::uint32_t> held_back_contacts_, held_back_mesh_contacts_;
};

}  // namespace talus
