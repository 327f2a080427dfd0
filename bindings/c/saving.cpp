// Worlds as bytes.

#include "bindings/c/world_handle.h"

#include <cstdlib>

using namespace talus;
using c::make;

struct TalusAssets {
    Assets assets;
};

namespace {

Assets none;

const Assets& table(const TalusAssets* assets) { return assets != nullptr ? assets->assets : none; }

std::span<const std::byte> bytes_from(const uint8_t* bytes, std::size_t size, const char* name, Error& error) {
    if (size > 0) c::need(bytes, name, error);
    if (error) return {};
    return {reinterpret_cast<const std::byte*>(bytes), size};
}

/// Returns the bytes of a result in memory of their own, or none and the error.
TalusBytes take(const Result<std::vector<std::byte>>& result, Error& error) {
    if (!result) {
        error = result.error();
        return {};
    }
    auto* data = static_cast<uint8_t*>(std::malloc(result->size()));
    if (data == nullptr) throw std::bad_alloc();
    std::memcpy(data, result->data(), result->size());
    return {data, result->size()};
}

}  // namespace

void talus_bytes_free(TalusBytes bytes) { std::free(bytes.data); }

TalusBytes talus_world_save(const TalusWorld* world, const TalusAssets* assets, TalusError* error) {
    return make(error, [&](Error& e) {
        c::need(world, "the world", e);
        return e ? TalusBytes{} : take(world->world.save(table(assets)), e);
    });
}

TalusWorld* talus_world_load(const uint8_t* bytes, size_t size, const TalusAssets* assets, TalusError* error) {
    return make(error, [&](Error& e) -> TalusWorld* {
        const auto given = bytes_from(bytes, size, "bytes", e);
        if (e) return nullptr;
        auto world = World::load(given, table(assets));
        if (!world) {
            e = world.error();
            return nullptr;
        }
        return new TalusWorld{std::move(*world)};
    });
}

TalusBytes talus_world_save_changes(const TalusWorld* world, const uint8_t* since, size_t size,
                                    const TalusAssets* assets, TalusError* error) {
    return make(error, [&](Error& e) {
        c::need(world, "the world", e);
        const auto before = bytes_from(since, size, "since", e);
        return e ? TalusBytes{} : take(world->world.save_changes(before, table(assets)), e);
    });
}

TalusBytes talus_world_apply_changes(const uint8_t* since, size_t size, const uint8_t* changes, size_t changes_size,
                                     TalusError* error) {
    return make(error, [&](Error& e) {
        const auto before = bytes_from(since, size, "since", e);
        const auto difference = bytes_from(changes, changes_size, "changes", e);
        return e ? TalusBytes{} : take(World::apply_changes(before, difference), e);
    });
}

TalusAssets* talus_assets_create(void) {
    return make(nullptr, [](Error&) { return new TalusAssets{}; });
}
void talus_assets_destroy(TalusAssets* assets) { delete assets; }
bool talus_assets_add_hull(TalusAssets* assets, const char* name, const TalusHull* hull) {
    return make(nullptr, [&](Error&) {
        return assets != nullptr && name != nullptr && hull != nullptr && assets->assets.add(name, hull->hull);
    });
}
bool talus_assets_add_mesh(TalusAssets* assets, const char* name, const TalusMesh* mesh) {
    return make(nullptr, [&](Error&) {
        return assets != nullptr && name != nullptr && mesh != nullptr && assets->assets.add(name, mesh->set);
    });
}
