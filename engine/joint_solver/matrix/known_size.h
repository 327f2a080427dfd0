#pragma once
/// Internal: loops over a small number that is known at compile time. For files that are compiled for wide registers, in
/// a namespace of each (TALUS_LANES).

namespace talus::TALUS_LANES {

/// A number that is known at compile time, so that loops over it are unrolled. It is used for the sizes of nearly all
/// joints.
template <unsigned number>
struct Known {
    static constexpr unsigned value = number;
};
struct Unknown {
    unsigned value;
};

/// Calls loop(size).
template <class Loop>
static inline __attribute__((always_inline)) void for_size(unsigned size, Loop&& loop) {
    switch (size) {
        case 1:
            return loop(Known<1>{});
        case 2:
            return loop(Known<2>{});
        case 3:
            return loop(Known<3>{});
        case 4:
            return loop(Known<4>{});
        case 5:
            return loop(Known<5>{});
        case 6:
            return loop(Known<6>{});
        case 7:
            return loop(Known<7>{});
        default:
            return loop(Unknown{size});
    }
}

}  // namespace talus::TALUS_LANES
