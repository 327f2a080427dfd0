/// GJK's kernel and the scan of a hull, compiled for any processor.

#define TALUS_LANES lanes_base
#include "narrowphase/gjk/gjk_kernel_impl.h"

void talus::detail::gjk_kernel_base(const KernelQuery& query, const unsigned short* cached_a,
                                    const unsigned short* cached_b, int count, KernelAnswer& answer) {
    TALUS_LANES::run_kernel(query, cached_a, cached_b, count, answer);
}

int talus::detail::scan_hull_base(const HullView& hull, const float* d) {
    return TALUS_LANES::scan(hull, TALUS_LANES::load3(d));
}
