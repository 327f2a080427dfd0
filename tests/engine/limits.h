#pragma once
/// The limits in docs/limits.md, for the tests that measure them.
///
/// The first cell of a row in that table is its name, the second one its limit: "at most 15 mm", "at least 0.99". A
/// test measures a value and calls hold(name, measured). limits_test.cpp checks that each row has such a test.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace talus::test {

struct LimitRow {
    std::string name, limit;  ///< the first two cells
    double number = 0.0;      ///< the number in the limit
    bool is_upper = true;     ///< "at most", not "at least"
};

/// Returns the table's rows. Tests run in the project's folder.
inline std::vector<LimitRow> limit_rows() {
    std::ifstream file("docs/limits.md");
    REQUIRE_MESSAGE(file.good(), "docs/limits.md cannot be read: tests run in the project's folder");
    std::vector<LimitRow> rows;
    for (std::string line; std::getline(file, line);) {
        const std::size_t end = line.find(" | ");
        if (!line.starts_with("| ") || end == std::string::npos) continue;
        LimitRow row;
        row.name = line.substr(2, end - 2);
        row.limit = line.substr(end + 3, line.find(" | ", end + 3) - end - 3);
        const std::string most = "at most ", least = "at least ";
        row.is_upper = row.limit.starts_with(most);
        if (!row.is_upper && !row.limit.starts_with(least)) continue;  // the heading
        row.number = std::strtod(row.limit.c_str() + (row.is_upper ? most : least).size(), nullptr);
        rows.push_back(row);
    }
    return rows;
}

/// Checks a measured value against the document, in the unit that it names, and prints both.
inline void hold(const std::string& name, double measured) {
    for (const LimitRow& row : limit_rows()) {
        if (row.name != name) continue;
        MESSAGE(name, ": measured ", measured, ", documented ", row.limit);
        CHECK((row.is_upper ? measured <= row.number : measured >= row.number));
        return;
    }
    FAIL_CHECK("docs/limits.md has no row '", name, "'; measured ", measured);
}

}  // namespace talus::test
