#pragma once
/// Names for the hulls, mapping solids, meshes and height fields that a game has anyway, so that saved worlds need not
/// contain them.

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/triangles/triangle_set.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace talus {

/// A table of hulls, mapping solids and sets of triangles by name, for World::save() and World::load(). A saved world
/// names what is in the table, and contains everything else.
///
///     talus::Assets assets;
///     assets.add("terrain", terrain);
///     const auto bytes = world.save(assets);          // later, perhaps on another machine:
///     auto world = talus::World::load(*bytes, assets);
///
/// A name also stands for the content: load() refuses a world whose "terrain" was another one.
class Assets {
public:
    /// Adds a hull. Returns false, and adds nothing, if `hull` is null, or if the name is empty or used already. An asset
    /// may have several names; a saved world then has the first one.
    bool add(std::string name, std::shared_ptr<const Hull> hull);
    /// Adds a mesh or a height field, likewise. A set of a class of your own must be added, because World::save() cannot
    /// write it; its content is not compared then.
    bool add(std::string name, std::shared_ptr<const TriangleSet> set);

    /// Adds a mapping solid, likewise. One of make_mapping_solid(), which has a mapping of your own, must be added, and
    /// so must a sum with such a part; World::save() writes the others by value.
    bool add(std::string name, std::shared_ptr<const MappingSolid> mapping);

    /// An entry of the table: one of `hull`, `set` and `mapping` is not null.
    struct Asset {
        std::shared_ptr<const Hull> hull{};        ///< the hull, if it is one
        std::shared_ptr<const TriangleSet> set{};  ///< the mesh or height field, if it is one
        std::uint64_t checksum = 0;                ///< of the content; 0 for a set or mapping of a class of your own
        std::shared_ptr<const MappingSolid> mapping{};  ///< the mapping solid, if it is one
    };
    /// Returns the entry with that name, or null.
    const Asset* find(std::string_view name) const;
    /// Returns the name of a hull, a mapping solid or a set of triangles of the table, or an empty one.
    std::string_view name_of(const void* asset) const;

private:
    bool put(std::string name, Asset asset);

    std::map<std::string, Asset, std::less<>> by_name_;
    std::map<const void*, std::string> name_of_;
};

}  // namespace talus
