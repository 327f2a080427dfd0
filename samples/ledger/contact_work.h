#pragma once
/// The work that is put into a step through contacts: by kinematic bodies, by belts, and by pushing out overlap
/// (samples/ledger/ledger.h says how each counts).

#include "samples/ledger/ledger_step.h"
#include "samples/ledger/ledger_tolerance.h"

#include <span>
#include <vector>

namespace talus::samples {

/// Keeps the contacts of the step before: their overlaps are those at the start of this step.
class ContactWork {
public:
    /// Reads the contacts after a step and makes groups of bodies that touched each other in it.
    void read(const World& world, LedgerStep& step);
    /// Adds what contacts did in the step to the groups. Call it after all groups are made.
    void add(const World& world, const LedgerTolerance& tolerance, LedgerStep& step);

    /// The contacts after the step before.
    std::span<const Contact> last_contacts() const { return last_contacts_; }

private:
    struct TouchedPair;
    void add_contact(const World& world, const Contact& contact, const LedgerTolerance& tolerance, LedgerStep& step);
    static void add_kinematic_surfaces(const TouchedPair& pair, const LedgerTolerance& tolerance, LedgerStep& step);
    static void add_belts(const TouchedPair& pair, LedgerStep& step);
    void add_lost_overlap(const TouchedPair& pair, LedgerStep& step);
    void add_begun_contacts(const World& world, LedgerStep& step) const;
    void add_ended_contacts(const World& world, LedgerStep& step) const;
    const Contact* last_contact(const Contact& contact);

    std::vector<Contact> contacts_, last_contacts_;
    std::size_t next_last_ = 0;            ///< where last_contact() goes on in last_contacts_
    std::vector<ContactEvent> on_meshes_;  ///< contacts with meshes that began and have not ended
};

}  // namespace talus::samples
