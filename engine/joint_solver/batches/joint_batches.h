#pragma once
/// Batches of articulations with equal layout, which are solved side by side: one articulation per lane.
///
/// Games have many copies of one ragdoll, rope or car. Their joints have the same rows and the same tree, so each
/// operation of a pass can be done for four or eight of them at once, and the memory that a pass needs lies close
/// together. The only articulation of its layout takes a batch of its own, with idle lanes. Solved alone, it would take
/// less time if its joints have many rows, as a car's have. But then its motion would change (by rounding) whenever a
/// second articulation of its layout wakes up, however far away.
///
/// The passes (batch_passes.h) are those of passes/, with the same results up to rounding. They do not know everything:
/// articulations with loops, locked bodies, gears, drives or hubs are solved alone. Other parts of the engine read and
/// change the rows of single articulations, for example those of stiff groups. Then the articulation leaves its batch
/// (leave_batch), and comes back in the next relax pass, which evaluates all rows anew.
/// Which articulations are in a batch depends only on the state of the world, so results are the same for any number of
/// threads.

#include <talus/jobs.h>
#include "engine/joint_solver/batches/batch_data.h"
#include "engine/joint_solver/joint_cost.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace talus {

struct Articulations;
struct Articulation;
class JointStore;

/// What articulations of a batch have in common.
struct BatchLayout {
    std::vector<std::uint8_t> dynamic;  ///< by link
    std::vector<BatchJointLayout> joints;
    std::vector<BatchRowLayout> rows;
    std::vector<BatchBlock> blocks;
    std::vector<std::uint32_t> updates, order;
    std::uint32_t value_count = 0;   ///< numbers in the matrix
    std::uint32_t record_count = 0;  ///< rows with a BatchRow
    std::uint32_t number = 0;        ///< of the layout, in the order in which they were first needed
    bool bounded = false, springs = false;
};

/// Where the articulation of a lane is solved: in its batch; alone until the next relax pass; alone for the rest of the
/// step.
enum class BatchPlace : std::uint8_t { batch, away, left };

struct JointBatch {
    const BatchLayout* layout = nullptr;
    const BatchKernel* kernel = nullptr;  ///< has as many lanes as the batch
    std::array<std::uint32_t, most_batch_lanes> articulations{};
    std::uint32_t count = 0;  ///< articulations
    std::array<BatchPlace, most_batch_lanes> places{};
    std::uint32_t first_body = 0;       ///< in JointBatches::bodies
    std::uint32_t first_in_matrix = 0;  ///< in JointBatches::in_matrix
    std::size_t records = 0;            ///< in JointBatches::records
    JointPass factored = JointPass::none;
    bool impulses_noted = false;  ///< note_batch_impulses() was called in this sub-step
    std::uint8_t refused = 0;     ///< one bit per lane (JointBatchView)
    std::uint8_t floating = 0;    ///< one bit per lane (Articulation::floating)
    // By lane, for the articulation: see hand_over() in joint_batches.cpp.
    std::array<double, most_batch_lanes> open{};
    std::array<std::uint32_t, most_batch_lanes> rounds{}, factorizations{};
    JointCost cost;  ///< only its time
};

/// Memory for what a pass over one batch needs only while it runs. As many passes may run at the same time as there
/// are workspaces; each takes one that is free.
class BatchWorkspaces {
public:
    BatchWorkspaces() = default;
    // A copy gets workspaces of its own.
    BatchWorkspaces(const BatchWorkspaces&) {}
    BatchWorkspaces& operator=(const BatchWorkspaces&) { return *this; }

    /// Makes room for `count` workspaces of `size` chunks each. No pass may be running.
    void reserve(std::size_t count, std::size_t size);
    /// Calls run(workspace).
    template <class Run>
    void with_one(Run&& run) {
        std::size_t i = 0;
        while (spaces_[i].taken.exchange(true, std::memory_order_acquire)) i = i + 1 < count_ ? i + 1 : 0;
        run(spaces_[i].chunks.data());
        spaces_[i].taken.store(false, std::memory_order_release);
    }
    std::size_t bytes() const;

private:
    struct Workspace {
        std::vector<BatchChunk> chunks;
        std::atomic<bool> taken{false};
    };
    std::unique_ptr<Workspace[]> spaces_;
    std::size_t count_ = 0;
};

/// The records of all batches. A copy has none: they are packed again when it steps.
struct BatchMemory {
    std::vector<BatchChunk> records;
    bool packed = false;  ///< the records hold the definitions of JointBatches::last_members

    BatchMemory() = default;
    BatchMemory(const BatchMemory&) {}
    BatchMemory& operator=(const BatchMemory&) {
        packed = false;
        return *this;
    }
};

/// Layouts by signature.
struct BatchLayouts : std::map<std::vector<std::uint32_t>, std::shared_ptr<const BatchLayout>> {
    BatchLayouts() = default;
    BatchLayouts(const BatchLayouts&) = default;
    /// Does not allocate if both have the same layouts, as a world and its copy usually do.
    BatchLayouts& operator=(const BatchLayouts& other) {
        if (*this != other) map::operator=(other);
        return *this;
    }
};

/// All batches of a step.
struct JointBatches : BatchMemory {
    struct Member {
        const BatchLayout* layout;
        std::uint32_t articulation;
        bool operator==(const Member&) const = default;
    };
    std::vector<JointBatch> batches;
    std::vector<BatchBodies> bodies;       ///< by batch and link
    std::vector<std::uint32_t> in_matrix;  ///< by batch and joint, twice (JointBatchView)
    BatchWorkspaces workspaces;
    BatchLayouts layouts;                       ///< kept across steps
    std::vector<std::uint32_t> signature;       ///< scratch
    std::vector<Member> members, last_members;  ///< of this step and of the last one, in the order of the lanes

    std::size_t bytes() const;
};

/// Puts the active articulations that fit into batches, and evaluates their rows; none if not `enabled`. At most
/// jobs.threads passes may run at the same time afterwards.
void form_batches(Articulations& s, bool enabled, const Jobs& jobs);

/// Notes which articulations float. Call it after find_contact_groups().
void note_floating(Articulations& s);

/// Runs a pass over a batch, and over the articulations that have left it.
void solve_batch(Articulations& s, JointBatch& batch);
void relax_batch(Articulations& s, JointBatch& batch);

/// Takes an articulation out of its batch, if it is in one, and evaluates its rows. It comes back in the next relax pass
/// if `place` is `away`.
void leave_batch(Articulations& s, Articulation& a, BatchPlace place = BatchPlace::away);

/// See drive_work() in joint_energy.h. `a` is in a batch.
double batch_drive_work(Articulations& s, const Articulation& a);

// Contacts that are solved through joints (contacts/contact_groups.h). `a` is in a batch.
/// See freeze_capped_drives() in active_rows.h; limits stay as they are.
void freeze_batch_drives(Articulations& s, const Articulation& a);
/// Sets the velocities of `a` to those that pushes on its links give it at rest.
void respond_in_batch(Articulations& s, const Articulation& a, std::span<const BatchPush> pushes);
/// Applies pushes after solve_batch(), and lets the joints transmit them.
void push_batch(Articulations& s, JointBatch& batch, std::span<const BatchPush> pushes);

/// Writes the results of articulations in batches to their joints (store_results() in joint_reports.h), and counts the
/// cost of all batches.
void store_batches(Articulations& s, JointStore& joints, float step, const Jobs& jobs);

/// See note_impulses() in joint_reports.h, for the articulations in batches.
void note_batch_impulses(Articulations& s);

}  // namespace talus
