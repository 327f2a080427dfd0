#pragma once
/// Internal: a broadphase as bytes: its proxies and pairs. The grids are built again from the boxes.

#include <talus/broadphase/broadphase.h>
#include "common/bytes.h"

namespace talus {

template <class Bytes>
void visit_fields(Bytes& bytes, Filter& filter) {
    auto& [category, mask, group] = filter;
    bytes(category, mask, group);
}

namespace detail {

struct BroadphaseBytes {
    static void write(ByteWriter& bytes, const Broadphase& broadphase);
    /// Reads into an empty broadphase. If the bytes fail, it must not be used.
    static void read(ByteReader& bytes, Broadphase& broadphase);
};

}  // namespace detail
}  // namespace talus
