#include <talus/profiling/csv.h>
#include <talus/profiling/csv_table.h>

#include "tests/profiling/profiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

using namespace talus;

namespace {

/// docs/csv.md as it should be.
std::string manual() {
    std::string text =
        "# Columns of the CSV files\n"
        "\n"
        "`talus-samples --scene NAME --csv FILE` writes a header line and one row per frame; `talus::CsvWriter`\n"
        "(`<talus/profiling/csv.h>`) does the same in your own program, `talus::read_csv` reads such a file, and\n"
        "`talus-profile diff A.csv B.csv` compares two. Numbers are finite, have up to nine digits and a decimal "
        "point.\n"
        "\n"
        "The code writes this page, and a test compares the two: with `TALUS_UPDATE_DOCS=1` in its environment it "
        "rewrites "
        "the\n"
        "page.\n"
        "\n"
        "| column | unit | meaning |\n"
        "|---|---|---|\n";
    for (const CsvColumn& column : csv_columns())
        text += "| `" + column.name + "` | " + column.unit + " | " + column.meaning + " |\n";
    return text;
}

CsvTable parsed(const std::string& text) {
    const Result<CsvTable> table = parse_csv(text, "it");
    REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
    return *table;
}

std::string refusal(const std::string& text) {
    const Result<CsvTable> table = parse_csv(text, "it");
    return table ? "" : table.error().message;
}

}  // namespace

TEST_CASE("no two columns share a name and each is explained") {
    std::set<std::string> names;
    for (const CsvColumn& column : csv_columns()) {
        CAPTURE(column.name);
        CHECK(names.insert(column.name).second);
        CHECK(!column.meaning.empty());
        CHECK(column.name.find_first_of(", \n|") == std::string::npos);
        CHECK((column.unit == "us") == (column.name.ends_with("_us") || column.name.starts_with("us_")));
    }
    CHECK(names.size() > 150);
    CHECK(csv_header().starts_with("frame,total_us,pairs_us,"));
}

TEST_CASE("the manual of the columns is that of the code") {
    const char* path = "docs/csv.md";
    if (std::getenv("TALUS_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << manual();
    CHECK(text_of(path) == manual());
}

TEST_CASE("a row holds what the profile says under the names of the header") {
    FrameProfile p;
    p.frame = 41;
    p.total = 1234.5;
    p.continuous = 2.25;
    p.broadphase = 17.5;
    p.timing = 0.125;
    p.swept_bodies = 3;
    p.impacts = 2;
    p.slabs = 4;
    p.narrowphase.pairs[static_cast<std::size_t>(Rung::warm_gjk)] = 7;
    p.narrowphase.microseconds[static_cast<std::size_t>(Rung::cold_epa)] = 8.5;
    p.narrowphase.clock_reads = 99;
    p.narrowphase.epa_histogram[15] = 6;
    p.narrowphase.features = {500, 400, 30, 20, 10};
    const auto box = static_cast<std::size_t>(ShapeType::box), hull = static_cast<std::size_t>(ShapeType::hull);
    p.narrowphase.tested_by_shapes[box][hull] = 12;
    p.narrowphase.microseconds_by_shapes[box][hull] = 3.75;
    p.slowest = {BodyId{5, 1}, BodyId{9, 2}, 1, 2, Rung::cold_epa, 44.5};
    const CsvTable table = parsed(csv_header() + csv_row(p) + csv_row({}));
    REQUIRE(table.rows() == 2);
    const auto value = [&](const char* name, std::size_t row = 0) {
        const std::vector<double>* column = table.find(name);
        REQUIRE_MESSAGE(column != nullptr, name);
        return (*column)[row];
    };
    CHECK(value("frame") == 41);
    CHECK(value("total_us") == 1234.5);
    CHECK(value("continuous_us") == 2.25);
    CHECK(value("broadphase_us") == 17.5);
    CHECK(value("timing_us") == 0.125);
    CHECK(value("clock_reads") == 99);
    CHECK(value("swept_bodies") == 3);
    CHECK(value("impacts") == 2);
    CHECK(value("slabs") == 4);
    CHECK(value("warm_gjk_pairs") == 7);
    CHECK(value("cold_epa_us") == 8.5);
    CHECK(value("epa_60") == 6);
    CHECK(value("solid_node_pairs") == 500);
    CHECK(value("solid_feature_pairs") == 400);
    CHECK(value("solid_near_pairs") == 30);
    CHECK(value("solid_candidates") == 20);
    CHECK(value("solid_points") == 10);
    CHECK(value("tested_box_hull") == 12);
    CHECK(value("us_box_hull") == 3.75);
    CHECK(value("slowest_us") == 44.5);
    CHECK(value("slowest_rung") == static_cast<double>(Rung::cold_epa));
    CHECK(value("slowest_body_a") == 5);
    CHECK(value("slowest_body_b") == 9);
    CHECK(value("slowest_shape_a") == 1);
    CHECK(value("slowest_shape_b") == 2);
    CHECK(value("slowest_body_a", 1) == -1);
    CHECK(value("slowest_rung", 1) == -1);
    CHECK(value("slowest_us", 1) == 0);
}

TEST_CASE("a number that is none is written as zero") {
    FrameProfile p;
    p.kinetic_energy = std::numeric_limits<double>::quiet_NaN();
    p.max_penetration = std::numeric_limits<float>::infinity();
    const CsvTable table = parsed(csv_header() + csv_row(p));
    CHECK((*table.find("kinetic_energy_j"))[0] == 0.0);
    CHECK((*table.find("max_penetration_m"))[0] == 0.0);
}

TEST_CASE("a file that was written is read back and one that was not says so") {
    const ScratchFolder folder;
    CsvWriter writer;
    REQUIRE(!writer.open(folder.path("a.csv")));
    for (std::uint64_t i = 1; i <= 3; ++i) writer.add(made_up_frame(i, 100.0 * static_cast<double>(i)));
    CHECK(!writer.close());
    CHECK(!writer.close());
    const Result<CsvTable> table = read_csv(folder.path("a.csv"));
    REQUIRE_MESSAGE(static_cast<bool>(table), table.error().message);
    CHECK(*table->find("frame") == std::vector<double>{1, 2, 3});
    CHECK(*table->find("total_us") == std::vector<double>{100, 200, 300});

    CHECK(says(writer.open(folder.path("no/a.csv")).message, "folder exists"));
    if (std::filesystem::exists("/dev/full")) {
        REQUIRE(!writer.open("/dev/full"));
        writer.add({});
        CHECK(says(writer.close().message, "disk full"));
    }
    CHECK(says(read_csv(folder.path("b.csv")).error().message, "Cannot read"));
}

TEST_CASE("tables are read with either line ending and with or without the last") {
    for (const char* text : {"a,b\n1,2\n-3,4e2\n", "a,b\r\n1,2\r\n-3,4e2\r\n", "a,b\n1,2\n-3,4e2"}) {
        CAPTURE(text);
        const CsvTable table = parsed(text);
        CHECK(table.names == std::vector<std::string>{"a", "b"});
        CHECK(table.rows() == 2);
        CHECK(*table.find("a") == std::vector<double>{1, -3});
        CHECK(*table.find("b") == std::vector<double>{2, 400});
        CHECK(table.find("c") == nullptr);
    }
}

TEST_CASE("a table that is none is refused with the line and the column") {
    CHECK(says(refusal(""), "it is empty"));
    CHECK(says(refusal("a,b\n"), "no rows"));
    CHECK(says(refusal("a,,b\n1,2,3\n"), "column 2 has no name"));
    CHECK(says(refusal("a,b,a\n1,2,3\n"), "two columns are called 'a'"));
    CHECK(says(refusal("a,b\n1,2\n1\n"), "line 3 has 1 values, not 2"));
    CHECK(says(refusal("a,b\n1,2\n\n1,2\n"), "line 3 has 1 values"));
    CHECK(says(refusal("a,b\n1,2,3\n"), "line 2 has 3 values"));
    CHECK(says(refusal("a,b\n1,x\n"), "line 2, column 'b': 'x' is not a finite number"));
    CHECK(says(refusal("a,b\n1,\n"), "column 'b': ''"));
    CHECK(says(refusal("a,b\n1,2x\n"), "'2x'"));
    CHECK(says(refusal("a,b\n1,nan\n"), "'nan'"));
    CHECK(says(refusal("a,b\ninf,1\n"), "column 'a'"));
    CHECK(says(refusal("a\n" + std::string(1000, '7') + "x\n"), "..."));
    CHECK(refusal("a\n" + std::string(1000, '7') + "x\n").size() < 200);
}
