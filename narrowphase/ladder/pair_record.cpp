#include <talus/narrowphase/pair_record.h>

#include "common/assert.h"
#include "common/bit_cast.h"
#include "narrowphase/ladder/pair_sizes.h"
#include "narrowphase/shapes/usable.h"

namespace talus {

double microseconds_of(const PairRecord& record) {
    return static_cast<double>(detail::bit_cast<float>(std::uint32_t{record.cost} << 16));
}

PairRecord make_pair(const Colliders& colliders, std::uint32_t i, std::uint32_t j) {
    TALUS_ASSERT(i < colliders.shapes.size() && j < colliders.shapes.size());
    TALUS_ASSERT(detail::is_usable(colliders.shapes[i]) && detail::is_usable(colliders.shapes[j]));
    const float ri = bounding_radius(colliders.shapes[i]), rj = bounding_radius(colliders.shapes[j]);
    PairRecord record;
    const bool swap = ri < rj || (ri == rj && i > j);
    record.a = swap ? j : i;
    record.b = swap ? i : j;
    detail::update_sizes(colliders, record);
    return record;
}

}  // namespace talus
