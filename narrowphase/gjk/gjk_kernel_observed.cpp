/// GJK's kernel with an observer, compiled for any processor, with the same bits as the other two.

#define TALUS_LANES lanes_observed
#include "narrowphase/gjk/gjk_kernel_impl.h"

void talus::detail::gjk_kernel_observed(const KernelQuery& query, const unsigned short* cached_a,
                                        const unsigned short* cached_b, int count, KernelAnswer& answer,
                                        GjkObserver& observer) {
    using namespace TALUS_LANES;
    if (is_small_hull(query.a) && is_small_hull(query.b)) {
        Search<true, Watched>(query, {&observer}).run(cached_a, cached_b, count, answer);
    } else {
        Search<false, Watched>(query, {&observer}).run(cached_a, cached_b, count, answer);
    }
}
