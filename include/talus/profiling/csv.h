#pragma once
/// Frame profiles as a table: one row per frame, one column per number. docs/csv.md lists the columns.

#include <talus/engine/profile.h>
#include <talus/profiling/output_file.h>

#include <string>
#include <vector>

namespace talus {

/// The names, comma-separated, with a newline.
std::string csv_header();

/// One frame's values in the same order, with a newline. Nine digits; what is not finite is written as 0.
std::string csv_row(const FrameProfile& profile);

struct CsvColumn {
    std::string name, unit, meaning;  ///< the unit is empty for counts
};

/// What csv_header() names, explained.
std::vector<CsvColumn> csv_columns();

/// Writes a header, then one row per frame.
class CsvWriter {
public:
    Error open(const std::string& path);
    void add(const FrameProfile& profile);
    Error close();  ///< says whether all of it was written

private:
    OutputFile file_;
};

}  // namespace talus
