#pragma once
/// Tables of numbers as CSV, read back: what CsvWriter wrote, or another program with the same idea.

#include <talus/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// A table of numbers with named columns.
struct CsvTable {
    std::vector<std::string> names;            ///< of the columns, all different
    std::vector<std::vector<double>> columns;  ///< parallel to names; equally long, all finite

    /// The length of each column.
    std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
    /// The column of that name, or nullptr.
    const std::vector<double>* find(std::string_view name) const;
};

/// A header line of names, then lines of as many numbers, separated by commas. Refused with a sentence that says where:
/// a file that cannot be read or has no rows, names that are missing or double, and what is not a finite number.
Result<CsvTable> read_csv(const std::string& path);

/// The same from text; `name` is what errors call it.
Result<CsvTable> parse_csv(std::string_view text, const std::string& name);

}  // namespace talus
