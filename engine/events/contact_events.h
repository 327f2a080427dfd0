#pragma once
/// Contact events: the contacts that began and ended to touch in a step, as the user reads them after it.
///
///     removals between steps ──> next_step ──┐
///     changed shapes, joints ──> if_changed ─┤ settle_changes(): contacts that still exist go on
///     stage pairs: removed pairs ────────────┴──> ended()
///     stage publish: contacts that begin or end to touch, impacts of swept bodies ──> begun(), ended()
///
/// A shape touches a mesh while it touches one of its triangles; to the user that is one contact. A contact of a shape
/// that becomes a sensor, or stops being one, ends in one step and begins again in the next.

#include <talus/jobs.h>
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
        if_changed  ///< in the next step, unless the same two shapes have a contact of the same kind then
    };

    /// Drops the events of the last step. Removals since then become events of this step.
    void begin_step();
    /// Reports the contact or mesh contact as ended.
    void end(const ContactEvent& event, When when);
    /// Decides about the events noted as if_changed: the contact goes on, or has ended. Contacts that go on are
    /// appended to `touching`.
    void settle_changes(const ContactWorld& world, std::vector<std::uint32_t>& touching);

    /// After the solve: decides which contacts have begun or ended to touch. A contact begins when the surfaces overlap or an
    /// impulse acts, and ends when neither is the case. `touching` are the contacts with a manifold in this step,
    /// `last_touching` those of the last step.
    void find_changes(const ContactWorld& world, std::span<const std::uint32_t> touching,
                      std::span<const std::uint32_t> last_touching, const Jobs& jobs);
    /// Sets whether a contact touches, and reports the change. For contacts with triangles, report_mesh_contacts() does
    /// that.
    void set_touching(const ContactWorld& world, std::uint32_t contact, bool now);
    /// Reports the mesh contacts that have begun or ended to touch.
    void report_mesh_contacts(const ContactWorld& world);
    /// Reports an impact of a swept body. Its contact begins, and the next step decides whether it ends. For a sensor,
    /// and if the two shapes have no contact in the table, it begins and ends in this step. Contacts that begin are
    /// appended to `touching`.
    void report_impact(const ContactWorld& world, const Impact& impact, std::vector<std::uint32_t>& touching);
    /// Lets contacts that were held back in this step begin in the next one.
    void end_step(const ContactWorld& world);

    std::span<const ContactEvent> begun() const { return begun_; }
    std::span<const ContactEvent> ended() const { return ended_; }

    /// For saved worlds (common/bytes.h).
    template <class Bytes>
    void visit_fields(Bytes& bytes) {
        bytes(begun_, ended_, next_step_, if_changed_, held_back_contacts_, held_back_mesh_contacts_);
    }
    /// Returns whether what was read names only bodies, shapes and contacts that may exist.
    bool fit(const ContactView& world) const;

private:
    void report_impact_on_mesh(const ContactWorld& world, const Impact& impact, std::uint32_t mesh_contact);
    std::vector<ContactEvent>::iterator find_ended(const ContactEvent& event);

    std::vector<ContactEvent> begun_, ended_;
    std::vector<ContactEvent> next_step_, if_changed_;
    /// Contacts and mesh contacts that do not begin in this step. Some of the contacts may be removed before its end.
    std::vector<std::uint32_t> held_back_contacts_, held_back_mesh_contacts_;
    std::vector<std::vector<std::uint32_t>> changed_;  ///< scratch: the contacts that a thread has found
};

}  // namespace talus
