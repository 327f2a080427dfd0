#include <talus/profiling/report.h>

#include "tests/profiling/profiles.h"

#include <doctest/doctest.h>

using namespace talus;

// The page itself is opened and used by tests/pages/report_test.py.

namespace {

std::string report_of(const std::vector<FrameProfile>& frames, const ReportFacts& facts = {}) {
    const ScratchFolder folder;
    ReportWriter writer;
    REQUIRE(!writer.open(folder.path("a.html"), facts));
    for (const FrameProfile& frame : frames) writer.add(frame);
    REQUIRE(!writer.close());
    return text_of(folder.path("a.html"));
}

/// What the page's script reads.
std::string data_of(const std::string& page) {
    const std::string mark = "id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    return page.substr(begin, page.find("</script>", begin) - begin);
}

/// The text between a key of the data and the bracket that closes its list.
std::string list_of(const std::string& data, const std::string& key) {
    const std::size_t begin = data.find("\"" + key + "\":[");
    REQUIRE_MESSAGE(begin != std::string::npos, key);
    return data.substr(begin + key.size() + 3, data.find(']', begin) - begin - key.size() - 3);
}

}  // namespace

TEST_CASE("a report is one page that holds its data and asks for nothing") {
    ReportFacts facts;
    facts.title = "a <b> & \"c\"";
    facts.facts = {{"seed", "1"}, {"trap", "</script>{{css}}"}};
    facts.look = "show --at {frame}";
    const std::string page = report_of({made_up_frame(1, 100.0), made_up_frame(2, 300.0)}, facts);
    CHECK(says(page, "<title>a &lt;b&gt; &amp; \"c\" - Talus profile</title>"));
    CHECK(!says(page, "{{title}}"));
    CHECK(!says(page, "{{data}}"));
    CHECK(!says(page, "src="));
    CHECK(!says(page, "http:"));
    CHECK(!says(page, "https:"));
    const std::string data = data_of(page);
    CHECK(data.ends_with("}"));
    CHECK(says(data, "\\u003c/script\\u003e{{css}}"));
    CHECK(says(data, "\"frames\":2"));
    CHECK(says(data, R"("p50":100,"p95":300,"p99":300,"max":300,"sum":400)"));
    CHECK(says(data, "\"look\":\"show --at {frame}\""));
    CHECK(list_of(data, "total").starts_with("[100,300"));
}

TEST_CASE("a report of no frames is still a page") { CHECK(says(data_of(report_of({})), "\"frames\":0")); }

TEST_CASE("a long run makes a small page that keeps the dearest of the frames it leaves out") {
    std::vector<FrameProfile> frames;
    for (std::uint64_t i = 1; i <= 10'001; ++i)
        frames.push_back(made_up_frame(i, i == 7'777    ? 5000.0
                                          : i == 10'001 ? 4000.0
                                                        : 1000.0 + static_cast<double>(i % 7)));
    const std::string page = report_of(frames), data = data_of(page);
    MESSAGE("bytes: ", page.size());
    CHECK(page.size() < 700'000);
    CHECK(says(data, "\"frames\":10001"));
    CHECK(says(data, "\"framesPerPoint\":4"));
    const std::string shown = "," + list_of(data, "frame").substr(1) + ",";
    CHECK(std::count(shown.begin(), shown.end(), ',') - 1 == 2501);
    CHECK(says(shown, ",7777,"));
    CHECK(says(shown, ",10001,"));
    CHECK(says(data, R"("p50":1003,)"));
    CHECK(says(data, R"("max":5000)"));
    const std::string worst = data.substr(data.find("\"worstFrames\""));
    CHECK(says(worst, R"([{"frame":7777,"total":5000)"));
    CHECK(worst.find("\"frame\":10001") < worst.find("\"frame\":6,"));
}

TEST_CASE("the worst pairs are listed once each with their worst frame") {
    std::vector<FrameProfile> frames;
    for (std::uint64_t i = 1; i <= 40; ++i) {
        frames.push_back(made_up_frame(i, 100.0));
        const auto other = static_cast<std::uint32_t>(i % 20);
        frames.back().slowest = {BodyId{1, 1}, BodyId{other + 2, 1}, 0, other, Rung::warm_gjk, static_cast<double>(i)};
    }
    const std::string data = data_of(report_of(frames));
    const std::string worst = data.substr(data.find("\"worstPairs\""));
    CHECK(says(worst,
               R"([{"us":40,"frame":40,"rung":5,"times":2,"bodies":[1,2],"shapes":[0,0],"types":["",""]},{"us":39,)"));
    CHECK(says(worst, "\"us\":31,"));
    CHECK(!says(worst, "\"us\":30,"));
    CHECK(!says(worst, "\"us\":20,"));
}

TEST_CASE("frames that the system interrupted and their pairs stand behind all others") {
    std::vector<FrameProfile> frames;
    for (std::uint64_t i = 1; i <= 12; ++i) {
        frames.push_back(made_up_frame(i, 100.0 + static_cast<double>(i)));
        const auto other = static_cast<std::uint32_t>(i % 6);  // each pair twice: a calm frame, then an interrupted one
        frames.back().slowest = {BodyId{1, 1}, BodyId{other + 2, 1}, 0, 0, Rung::cold_epa, static_cast<double>(i)};
        if (i > 6) frames.back().interruptions = 1;
    }
    const std::string data = data_of(report_of(frames));
    CHECK(says(data, "\"interrupted\":6"));
    CHECK(says(data, "\"frames\":12"));
    CHECK(says(data, "\"timedFrames\":6"));
    CHECK(says(data, R"("p50":103,"p95":106,"p99":106,"max":106,"sum":621)"));  // 101 to 106
    const std::string pairs = data.substr(data.find("\"worstPairs\""));
    CHECK(says(pairs, R"([{"us":6,"frame":6,)"));
    CHECK(!says(pairs, "\"us\":12,"));
    const std::string worst = data.substr(data.find("\"worstFrames\""), data.find("\"worstPairs\""));
    CHECK(worst.find("\"frame\":6,") < worst.find("\"frame\":1,"));
    CHECK(worst.find("\"frame\":1,") < worst.find("\"frame\":12,"));
}

TEST_CASE("a report of interrupted frames alone shows their times") {
    std::vector<FrameProfile> frames{made_up_frame(1, 100.0), made_up_frame(2, 300.0)};
    for (FrameProfile& frame : frames) frame.interruptions = 3;
    const std::string data = data_of(report_of(frames));
    CHECK(says(data, "\"timedFrames\":2"));
    CHECK(says(data, R"("max":300,"sum":400)"));
}

TEST_CASE("a report that cannot be written says so") {
    ReportWriter writer;
    CHECK(says(writer.open("no/such/folder/a.html", {}).message, "Cannot write"));
    if (std::filesystem::exists("/dev/full")) {
        REQUIRE(!writer.open("/dev/full", {}));
        writer.add(made_up_frame(1, 1.0));
        CHECK(says(writer.close().message, "disk full"));
    }
}
