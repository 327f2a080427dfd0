#pragma once
/// A file that is written piece by piece; what went wrong is told once, at its end.

#include <talus/result.h>

#include <fstream>
#include <string>
#include <string_view>

namespace talus {

/// Collects the errors of all its writes until close().
class OutputFile {
public:
    /// Empties the file or makes it. An Error says what to do when that cannot be.
    Error open(const std::string& path);
    /// From a successful open() to close().
    bool is_open() const { return file_.is_open(); }
    /// Appends the text. close() reports a failure.
    void write(std::string_view text) { file_.write(text.data(), static_cast<std::streamsize>(text.size())); }
    /// Closes it: an Error when anything could not be written. Nothing when it is closed already.
    Error close();

private:
    std::string path_;
    std::ofstream file_;
};

/// Appends a number as text that reads back to 9 digits, and 0 for what is not finite: JSON and CSV have no NaN.
void append_number(std::string& text, double value);

/// Appends text in quotation marks as JSON wants it, and safe within a page's `<script>`.
void append_json(std::string& text, std::string_view value);

}  // namespace talus
