#include <talus/profiling/output_file.h>
#include "common/number_text.h"

#include <cmath>

namespace talus {

Error OutputFile::open(const std::string& path) {
    path_ = path;
    file_.close();
    file_.clear();
    file_.open(path, std::ios::binary);
    if (file_) return {};
    file_.close();
    return {ErrorCode::bad_argument, "Cannot write '" + path + "'; check that its folder exists and is writable."};
}

Error OutputFile::close() {
    if (!file_.is_open()) return {};
    file_.close();
    if (file_) return {};
    return {ErrorCode::bad_argument, "Writing '" + path_ + "' failed; is the disk full?"};
}

void append_number(std::string& text, double value) {
    detail::append_general(text, std::isfinite(value) ? value : 0.0, 9);
}

void append_json(std::string& text, std::string_view value) {
    constexpr char hex[] = "0123456789abcdef";
    text += '"';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
            text += "\\u00";
            text += hex[byte >> 4];
            text += hex[byte & 15];
        } else {
            text += c;
        }
    }
    text += '"';
}

}  // namespace talus
