#include "samples/runner/nearest.h"

#include <algorithm>
#include <vector>

namespace talus::samples {

namespace {

/// Restricted Damerau-Levenshtein distance, three rows of the table at a time.
std::size_t changes(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
    std::string_view best;
    std::size_t fewest = 0;
    for (const std::string_view name : names) {
        const std::size_t n = changes(word, name);
        if (2 * n > std::max(word.size(), name.size())) continue;
        if (best.empty() || n < fewest) best = name, fewest = n;
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
    const std::string_view name = nearest_name(word, names);
    return name.empty() ? "" : " Did you mean '" + std::string(name) + "'?";
}

}  // namespace talus::samples
