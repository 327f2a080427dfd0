#include "engine/state/asset_table.h"

#include "narrowphase/shapes/hull_bytes.h"
#include "narrowphase/shapes/mapping_bytes.h"
#include "narrowphase/triangles/triangle_bytes.h"

#include <algorithm>

namespace talus {

// ---- the user's table -----------------------------------------------------------------------------------------------

bool Assets::put(std::string name, Asset asset) {
    const void* const key = asset.hull      ? static_cast<const void*>(asset.hull.get())
                            : asset.mapping ? static_cast<const void*>(asset.mapping.get())
                                            : asset.set.get();
    if (key == nullptr || name.empty() || by_name_.contains(name)) return false;
    name_of_.try_emplace(key, name);
    by_name_.emplace(std::move(name), std::move(asset));
    return true;
}

bool Assets::add(std::string name, std::shared_ptr<const Hull> hull) {
    ByteWriter bytes;
    if (hull) detail::write_hull(bytes, *hull);
    return put(std::move(name), {std::move(hull), nullptr, checksum_of(bytes.written()), nullptr});
}

bool Assets::add(std::string name, std::shared_ptr<const TriangleSet> set) {
    ByteWriter bytes;
    const bool is_ours = set != nullptr && detail::write_triangles(bytes, *set);
    return put(std::move(name), {nullptr, std::move(set), is_ours ? checksum_of(bytes.written()) : 0, nullptr});
}

bool Assets::add(std::string name, std::shared_ptr<const MappingSolid> mapping) {
    ByteWriter bytes;
    const bool is_ours = mapping != nullptr && detail::write_mapping(bytes, *mapping);
    return put(std::move(name), {nullptr, nullptr, is_ours ? checksum_of(bytes.written()) : 0, std::move(mapping)});
}

const Assets::Asset* Assets::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
}

std::string_view Assets::name_of(const void* asset) const {
    const auto found = name_of_.find(asset);
    return found == name_of_.end() ? std::string_view{} : found->second;
}

// ---- writing --------------------------------------------------------------------------------------------------------

template <class Asset, class Write>
std::uint32_t AssetWriter::number_of(const Asset& asset, AssetKind kind, Write&& write) {
    const auto [known, is_new] = numbers_.try_emplace(&asset, static_cast<std::uint32_t>(entries_.size() + 1));
    if (!is_new) return known->second;
    Entry entry{std::string(named_.name_of(&asset)), 0, {}, kind};
    if (!entry.name.empty()) {
        entry.checksum = named_.find(entry.name)->checksum;
    } else {
        ByteWriter content;
        if (!write(content)) {
            lacks_name_ = kind == AssetKind::mapping ? "a shape has a support mapping of a class of your own"
                                                     : "a shape has a set of triangles of a class of your own";
        }
        entry.content = content.take();
        entry.checksum = checksum_of(entry.content);
        // The same content may be there as another object.
        const auto [first, last] = numbers_by_checksum_.equal_range(entry.checksum);
        for (auto other = first; other != last; ++other) {
            const Entry& same = entries_[other->second - 1];
            if (same.kind == kind && same.content == entry.content) return known->second = other->second;
        }
        numbers_by_checksum_.emplace(entry.checksum, known->second);
    }
    entries_.push_back(std::move(entry));
    return known->second;
}

std::uint32_t AssetWriter::number_of(const Hull& hull) {
    return number_of(hull, AssetKind::hull, [&](ByteWriter& content) {
        detail::write_hull(content, hull);
        return true;
    });
}

std::uint32_t AssetWriter::number_of(const TriangleSet& set) {
    return number_of(set, AssetKind::set, [&](ByteWriter& content) { return detail::write_triangles(content, set); });
}

std::uint32_t AssetWriter::number_of(const MappingSolid& mapping) {
    return number_of(mapping, AssetKind::mapping,
                     [&](ByteWriter& content) { return detail::write_mapping(content, mapping); });
}

void AssetWriter::write(ByteWriter& bytes) const {
    bytes(static_cast<std::uint32_t>(entries_.size()));
    for (const Entry& entry : entries_) {
        bytes(entry.kind, entry.name);
        if (entry.name.empty()) {
            bytes.raw(entry.content.data(), entry.content.size());
        } else {
            bytes(entry.checksum);
        }
    }
}

// ---- reading --------------------------------------------------------------------------------------------------------

Error AssetReader::read(ByteReader& bytes) {
    std::uint32_t count = 0;
    bytes(count);
    for (std::uint32_t i = 0; i < count && !bytes.failed(); ++i) {
        AssetKind kind = AssetKind::set;
        std::string name;
        bytes(kind, name);
        if (bytes.failed()) break;
        if (name.empty()) {
            Assets::Asset asset;
            if (kind == AssetKind::hull) {
                asset.hull = detail::read_hull(bytes);
            } else if (kind == AssetKind::mapping) {
                asset.mapping = detail::read_mapping(bytes);
            } else {
                asset.set = detail::read_triangles(bytes);
            }
            assets_.push_back(std::move(asset));
            continue;
        }
        std::uint64_t checksum = 0;
        bytes(checksum);
        if (bytes.failed()) break;
        const Assets::Asset* const asset = named_.find(name);
        const char* const what = kind == AssetKind::hull      ? "hull"
                                 : kind == AssetKind::mapping ? "mapping solid"
                                                              : "mesh or height field";
        const bool found = asset != nullptr && (kind == AssetKind::hull      ? asset->hull != nullptr
                                                : kind == AssetKind::mapping ? asset->mapping != nullptr
                                                                             : asset->set != nullptr);
        if (!found)
            return {ErrorCode::bad_argument,
                    std::string("the world needs a ") + what + " with the name \"" + name + "\"; add it to `assets`."};
        if (asset->checksum != checksum)
            return {ErrorCode::bad_argument,
                    "the world was saved with another \"" + name + "\" than the one in `assets`."};
        assets_.push_back(*asset);
    }
    return {};
}

const Assets::Asset* AssetReader::find(ByteReader& bytes) const {
    std::uint32_t number = 0;
    bytes(number);
    if (bytes.failed() || !bytes.expect(number <= assets_.size(), "there is no such hull or mesh") || number == 0)
        return nullptr;
    return &assets_[number - 1];
}

}  // namespace talus
