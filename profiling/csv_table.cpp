#include <talus/profiling/csv_table.h>
#include "common/number_text.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace talus {

namespace {

Error refuse(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }

/// Takes the text up to the next `end`, or all of it, off its front.
std::string_view take(std::string_view& text, char end) {
    const std::size_t length = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

std::string_view take_line(std::string_view& text) {
    std::string_view line = take(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::size_t fields_of(std::string_view line) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

/// As much of it as fits in a sentence.
std::string in_quotes(std::string_view text) {
    return "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "") + "'";
}

}  // namespace

const std::vector<double>* CsvTable::find(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& name) {
    if (text.empty()) return refuse(name + " is empty.");
    CsvTable table;
    std::string_view header = take_line(text);
    for (std::size_t left = fields_of(header); left > 0; --left) {
        const std::string_view field = take(header, ',');
        if (field.empty())
            return refuse(name + ", line 1: column " + std::to_string(table.names.size() + 1) + " has no name.");
        if (table.find(field)) return refuse(name + ", line 1: two columns are called " + in_quotes(field) + ".");
        table.names.emplace_back(field);
        table.columns.emplace_back();
    }
    for (std::size_t number = 2; !text.empty(); ++number) {
        std::string_view line = take_line(text);
        if (line.empty() && text.empty()) break;
        const std::string where = name + ", line " + std::to_string(number);
        if (fields_of(line) != table.names.size()) {
            return refuse(where + " has " + std::to_string(fields_of(line)) + " values, not " +
                          std::to_string(table.names.size()) + " as there are columns; was the run cut short?");
        }
        for (std::size_t i = 0; i < table.names.size(); ++i) {
            const std::string_view field = take(line, ',');
            double value = 0.0;
            if (!detail::parse_number(field, value) || !std::isfinite(value)) {
                return refuse(where + ", column " + in_quotes(table.names[i]) + ": " + in_quotes(field) +
                              " is not a finite number.");
            }
            table.columns[i].push_back(value);
        }
    }
    if (table.rows() == 0) return refuse(name + " has no rows below its header.");
    return table;
}

Result<CsvTable> read_csv(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return refuse("Cannot read '" + path + "'; check its name.");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad()) return refuse("Reading '" + path + "' failed.");
    return parse_csv(text, path);
}

}  // namespace talus
