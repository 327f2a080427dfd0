#pragma once
/// A file that is written piece by piece; close() reports errors of all writes.

#include <talus/result.h>

#include <fstream>
#include <string>
#include <string_view>

namespace talus {

/// A file that is open for writing, or none.
class OutputFile {
public:
    /// Creates the file, or empties it. The error says why that failed and what to do.
    Error open(const std::string& path);
    bool is_open() const { return file_.is_open(); }  ///< whether open() succeeded and close() was not called since
    /// Appends text. Errors are reported by close().
    void write(std::string_view text) { file_.write(text.data(), static_cast<std::streamsize>(text.size())); }
    /// Closes the file. Returns an error if any part could not be written; none if the file is closed already.
    Error close();

private:
    std::string path_;
    std::ofstream file_;
};

/// Appends a number with 9 digits; 0 for a value that is not finite, because JSON and CSV have no NaN.
void append_number(std::string& text, double value);

/// Appends text as a JSON string, escaped so that it is safe within a script element of a page.
void append_json(std::string& text, std::string_view value);

}  // namespace talus
