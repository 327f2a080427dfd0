/// World::save() and World::load().
///
///     "TALUSWLD" | version | checksum of the rest | place of the table | state, system by system | table
///
/// The table has the hulls and meshes.
///
/// Each system says itself which of its data continue from step to step (visit_fields()). What follows from other data
/// is not saved: it is derived when a world is loaded. Nothing that was read is used before it is checked
/// (world_problem.cpp), so that bytes of any origin can be loaded.

#include <talus/engine/world.h>
#include "engine/state/byte_changes.h"
#include "engine/state/fields.h"

#include <utility>

namespace talus {

namespace {

constexpr std::array<std::uint8_t, 8> magic{'T', 'A', 'L', 'U', 'S', 'W', 'L', 'D'},
    changes_magic{'T', 'A', 'L', 'U', 'S', 'C', 'H', 'G'};
/// To be increased with each change of the format.
constexpr std::uint32_t version = 8;

/// Places of what follows the magic number and the version.
constexpr std::size_t checksum_at = sizeof magic + sizeof version, table_at = checksum_at + 8, state_at = table_at + 8;

}  // namespace

template <class Bytes>
void World::State::visit_fields(Bytes& bytes) {
    bytes(def, profile.frame, any_locked, bodies);
    shapes.visit_fields(bytes, colliders);
    bytes(proxies, kinematic_targets, sleeping, joints, contacts, body_pairs, mesh_contacts, active_contacts,
          modified_contacts, edges, indices, islands, stiff_groups, substeps, continuous, contact_events, hit_events,
          joint_events, moved_bodies);
}

std::size_t World::State::saved_size() const {
    std::size_t live = 0;
    for (const ContactBodies& contact : contacts.bodies) live += contact.a != null_index;
    return 4096 + std::size_t{bodies.slot_count()} * (sizeof(Body) + 100) + shapes.defs.size() * 400 + live * 500 +
           contacts.pairs.size() * 64 + std::size_t{joints.slot_count()} * sizeof(Joint) +
           contacts.mesh_contacts.size() * sizeof(MeshContact);
}

Result<std::vector<std::byte>> World::save(const Assets& assets) const {
    State& s = *state_;
    if (s.callbacks.count != 0)
        return Error{ErrorCode::bad_argument,
                     "save: the world is within step() or draw(); save it before or after that."};
    AssetWriter table(assets);
    ByteWriter bytes;
    bytes.reserve(s.saved_size());
    bytes.assets = &table;
    bytes(magic, version, std::uint64_t{0}, std::uint64_t{0});
    s.visit_fields(bytes);
    s.joint_solver.visit_fields(bytes, s.joints, s.bodies);
    if (table.lacks_name()) {
        return Error{ErrorCode::bad_argument,
                     std::string("save: ") + table.lacks_name() + "; add it to `assets`, by a name."};
    }
    bytes.replace(table_at, static_cast<std::uint64_t>(bytes.size()));
    table.write(bytes);
    bytes.replace(checksum_at, checksum_of(bytes.written().subspan(table_at)));
    return bytes.take();
}

Result<World> World::load(std::span<const std::byte> bytes, const Assets& assets) {
    const auto refused = [](std::string why) {
        return Error{ErrorCode::bad_data, "load: the saved world is refused: " + std::move(why) + "."};
    };
    ByteReader header(bytes);
    std::array<std::uint8_t, 8> found{};
    std::uint32_t found_version = 0;
    std::uint64_t checksum = 0, table_begin = 0;
    header(found, found_version, checksum, table_begin);
    if (header.failed() || found != magic) return refused("the bytes do not begin like one");
    if (found_version != version)
        return Error{ErrorCode::bad_data, "load: the world has the format " + std::to_string(found_version) +
                                              "; this version of Talus reads the format " + std::to_string(version) +
                                              "."};
    if (checksum != checksum_of(bytes.subspan(table_at)) || table_begin < state_at || table_begin > bytes.size())
        return refused("the bytes are damaged, or not complete");

    AssetReader table(assets);
    const auto state_end = static_cast<std::size_t>(table_begin);
    ByteReader table_reader(bytes.subspan(state_end));
    if (Error error = table.read(table_reader)) {
        error.message = "load: " + error.message;
        return error;
    }
    if (table_reader.failed()) return refused(table_reader.problem());
    if (table_reader.left() != 0) return refused("something follows after its end");
    ByteReader reader(bytes.subspan(state_at, state_end - state_at));
    reader.assets = &table;
    World world(WorldDef{.handle_tag = 1});  // until it has read its own
    State& s = *world.state_;
    s.visit_fields(reader);
    if (reader.failed()) return refused(reader.problem());
    if (World(s.def).last_error()) return refused("a setting of the world is out of range");
    if (const char* const problem = s.problem_of_stores()) return refused(problem);
    if (const char* const problem = s.problem_of_results()) return refused(problem);
    s.joint_solver.visit_fields(reader, s.joints, s.bodies);
    if (reader.failed()) return refused(reader.problem());
    if (reader.left() != 0) return refused("something follows after its end");
    return world;
}

// "TALUSCHG" | version | checksums of `since`, of the result, and of the changes | size of the result | changes

/// Whether changes make more bytes than they should, by copying the same ones again and again. Otherwise a few bytes
/// from elsewhere could fill the memory. The size has 64 bits on every platform; one with 32 cannot have so many bytes.
static bool grows_too_much(std::span<const std::byte> since, std::span<const std::byte> changes, std::uint64_t size) {
    return size != static_cast<std::size_t>(size) || size / 64 > since.size() + changes.size();
}

Result<std::vector<std::byte>> World::save_changes(std::span<const std::byte> since, const Assets& assets) const {
    const Result<std::vector<std::byte>> now = save(assets);
    if (!now) return now.error();
    ByteWriter changes;
    write_changes(changes, since, *now);
    if (grows_too_much(since, changes.written(), now->size())) {
        changes = ByteWriter{};
        write_changes(changes, {}, *now);  // all of it
    }
    ByteWriter bytes;
    bytes(changes_magic, version, checksum_of(since), checksum_of(*now), checksum_of(changes.written()),
          static_cast<std::uint64_t>(now->size()));
    bytes.raw(changes.written().data(), changes.size());
    return bytes.take();
}

Result<std::vector<std::byte>> World::apply_changes(std::span<const std::byte> since,
                                                    std::span<const std::byte> changes) {
    const auto refused = [](const char* why) {
        return Error{ErrorCode::bad_data, std::string("apply_changes: ") + why + "."};
    };
    ByteReader reader(changes);
    std::array<std::uint8_t, 8> found{};
    std::uint32_t found_version = 0;
    std::uint64_t of_since = 0, of_result = 0, of_changes = 0, size = 0;
    reader(found, found_version, of_since, of_result, of_changes, size);
    if (reader.failed() || found != changes_magic) return refused("the bytes are no changes of a saved world");
    if (found_version != version) return refused("the changes are those of another version's format");
    if (of_changes != checksum_of(changes.last(reader.left()))) return refused("the changes are damaged");
    if (of_since != checksum_of(since)) return refused("the changes belong to other bytes than `since`");
    if (grows_too_much(since, changes, size)) return refused("the changes claim to be those of a far larger world");
    std::vector<std::byte> result;
    talus::apply_changes(reader, since, static_cast<std::size_t>(size), result);
    if (reader.failed() || reader.left() != 0 || of_result != checksum_of(result))
        return refused("the changes are damaged");
    return result;
}

}  // namespace talus
