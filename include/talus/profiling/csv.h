#pragma once
/// Frame profiles as a table: one row per frame, one column per number. docs/csv.md lists the columns.

#include <talus/engine/profile.h>
#include <talus/profiling/output_file.h>

#include <string>
#include <vector>

namespace talus {

/// Returns the names of the columns, comma-separated, with a newline.
std::string csv_header();

/// Returns one frame's values in the same order, with a newline. Nine digits; values that are not finite are written as
/// 0.
std::string csv_row(const FrameProfile& profile);

/// The description of a column, as in docs/csv.md.
struct CsvColumn {
    std::string name;     ///< as in csv_header()
    std::string unit;     ///< empty for counts
    std::string meaning;  ///< one sentence
};

/// Returns the descriptions of the columns, in the order of csv_header().
std::vector<CsvColumn> csv_columns();

/// Writes a header, then one row per frame.
class CsvWriter {
public:
    Error open(const std::string& path);    ///< creates the file, or empties it, and writes the header
    void add(const FrameProfile& profile);  ///< writes the row of a frame
    Error close();                          ///< returns an error if any part could not be written

private:
    OutputFile file_;
};

}  // namespace talus
