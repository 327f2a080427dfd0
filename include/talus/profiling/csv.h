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

/// What docs/csv.md says of a column.
struct CsvColumn {
    std::string name;     ///< as in csv_header()
    std::string unit;     ///< empty for counts
    std::string meaning;  ///< one sentence
};

/// What csv_header() names, explained.
std::vector<CsvColumn> csv_columns();

/// Writes a header, then one row per frame.
class CsvWriter {
public:
    Error open(const std::string& path);    ///< empties the file or makes it, and writes the header
    void add(const FrameProfile& profile);  ///< writes the row of a frame
    Error close();                          ///< says whether all of it was written

private:
    OutputFile file_;
};

}  // namespace talus
