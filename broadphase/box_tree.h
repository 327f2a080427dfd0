#pragma once
/// A tree of boxes for many casts at once: built in one go, never changed.
///
/// A node's children hold equal shares of its boxes, as cutting in halves across the widest axis gives them, so what
/// lies far out or close together costs nothing. Boxes much larger than the rest would widen all nodes above them: they
/// have trees of their own.
///
/// Worth building when so many casts follow that they gain more than it costs. Measured (talus-profile broadphase
/// --case rays-batch, ten thousand boxes): 70 ns a box to build, and a ray takes half the time that it takes through
/// the grid of columns; between two towns 10 km apart a tenth.

#include <talus/broadphase/column_grid.h>

#include <span>
#include <vector>

namespace talus {

class BoxTree {
public:
    void clear() { items_.clear(); }
    void add(ProxyIndex proxy, const Aabb& box);
    /// To be called when all boxes have been added; `boxes` are those, by proxy.
    void build(std::span<const Aabb> boxes);

    /// Visits the boxes that the cast enters with visit(proxy, max_fraction), once each, nodes by where they are
    /// entered.
    void cast(BoxCast& cast, FunctionRef<float(ProxyIndex, float)> visit) const;

private:
    struct Item {
        float center[3];
        ProxyIndex id;
    };
    static void cut(std::span<Item> items, std::size_t count, int axis);
    unsigned build(std::span<Item> items, std::span<const Aabb> boxes, BoxLanes& bounds);

    std::vector<Item> items_;
    std::vector<detail::BoxNode> nodes_;
    std::vector<unsigned> roots_;
};

}  // namespace talus
