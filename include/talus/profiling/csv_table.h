#pragma once
/// Reads tables of numbers from CSV files, those of CsvWriter and others of the same form.

#include <talus/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// A table of numbers with named columns.
struct CsvTable {
    std::vector<std::string> names;            ///< of the columns, all different
    std::vector<std::vector<double>> columns;  ///< parallel to names; equally long, all finite

    /// Returns the length of each column.
    std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
    /// Returns the column of that name, or nullptr.
    const std::vector<double>* find(std::string_view name) const;
};

/// Reads a header line of names and then lines of as many numbers, separated by commas. Refuses a file that cannot be
/// read or has no rows, missing or repeated names, and values that are not finite numbers; the error says in which
/// line.
Result<CsvTable> read_csv(const std::string& path);

/// The same from text; errors call it `name`.
Result<CsvTable> parse_csv(std::string_view text, const std::string& name);

}  // namespace talus
