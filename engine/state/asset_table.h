#pragma once
/// The hulls, mapping solids and sets of triangles of a saved world: each occurs once, by its content or by the name
/// that the user has given to it (Assets). Elsewhere in the bytes it is a number; 0 stands for none.

#include <talus/engine/assets.h>
#include <talus/result.h>
#include "common/bytes.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace talus {

enum class AssetKind : std::uint8_t { set, hull, mapping };
template <>
inline constexpr AssetKind last_value<AssetKind> = AssetKind::mapping;

class AssetWriter {
public:
    explicit AssetWriter(const Assets& named) : named_(named) {}

    template <class Asset>
    void visit(ByteWriter& bytes, const std::shared_ptr<const Asset>& asset) {
        bytes(asset == nullptr ? 0u : number_of(*asset));
    }
    /// Writes the table. Call it after all visits.
    void write(ByteWriter& bytes) const;
    /// What cannot be saved because it has no name, for a message; null if all can: a set of triangles or a mapping of
    /// a class of the user.
    const char* lacks_name() const { return lacks_name_; }

private:
    struct Entry {
        std::string name;  ///< if empty, `content` counts
        std::uint64_t checksum = 0;
        std::vector<std::byte> content;
        AssetKind kind = AssetKind::set;
    };
    std::uint32_t number_of(const Hull& hull);
    std::uint32_t number_of(const MappingSolid& mapping);
    std::uint32_t number_of(const TriangleSet& set);
    template <class Asset, class Write>
    std::uint32_t number_of(const Asset& asset, AssetKind kind, Write&& write);

    const Assets& named_;
    std::vector<Entry> entries_;
    std::unordered_map<const void*, std::uint32_t> numbers_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_by_checksum_;
    const char* lacks_name_ = nullptr;
};

class AssetReader {
public:
    explicit AssetReader(const Assets& named) : named_(named) {}

    /// Reads the table. Returns an error if an asset is missing or another one; if something else is wrong, `bytes` fail.
    Error read(ByteReader& bytes);
    void visit(ByteReader& bytes, std::shared_ptr<const Hull>& hull) {
        if (const Assets::Asset* const asset = find(bytes)) hull = asset->hull;
    }
    void visit(ByteReader& bytes, std::shared_ptr<const MappingSolid>& mapping) {
        if (const Assets::Asset* const asset = find(bytes)) mapping = asset->mapping;
    }
    void visit(ByteReader& bytes, std::shared_ptr<const TriangleSet>& set) {
        if (const Assets::Asset* const asset = find(bytes)) set = asset->set;
    }

private:
    const Assets::Asset* find(ByteReader& bytes) const;

    const Assets& named_;
    std::vector<Assets::Asset> assets_;
};

/// A hull, a mapping solid or a set of triangles as a field.
template <class Asset>
void visit_fields(ByteWriter& bytes, std::shared_ptr<const Asset>& asset) {
    if (bytes.assets == nullptr) {
        bytes(0u);  // only its size is asked for
    } else {
        bytes.assets->visit(bytes, asset);
    }
}
template <class Asset>
void visit_fields(ByteReader& bytes, std::shared_ptr<const Asset>& asset) {
    bytes.assets->visit(bytes, asset);
}

}  // namespace talus
