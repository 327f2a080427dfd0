#include <talus/profiling/statistics.h>

#include <algorithm>
#include <cmath>

namespace talus {

double take_quantile(std::vector<double>& values, double q) {
    if (values.empty()) return 0.0;
    const double rank = std::ceil(q * static_cast<double>(values.size())) - 1.0;
    const auto index = static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
}

}  // namespace talus
