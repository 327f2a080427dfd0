#include <talus/profiling/trace.h>

#include "tests/profiling/profiles.h"

#include <doctest/doctest.h>

#include <limits>

using namespace talus;

// Whole traces of whole runs are read by tests/profiling/trace_check.py.

namespace {

std::string trace_of(const std::vector<FrameProfile>& frames) {
    const ScratchFolder folder;
    TraceWriter writer;
    REQUIRE(!writer.open(folder.path("a.json"), "a \"title\"\n</script>"));
    for (const FrameProfile& frame : frames) writer.add(frame);
    REQUIRE(!writer.close());
    return text_of(folder.path("a.json"));
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("a trace has the step and its stages at the times of the frame") {
    FrameProfile first = made_up_frame(1, 100.0), second = made_up_frame(2, 200.0);
    second.start = first.start + 16666.5;
    const std::string text = trace_of({first, second});
    CHECK(says(text, R"("name":"step","ts":0,"dur":100)"));
    CHECK(says(text, R"("name":"step","ts":16666.5,"dur":200)"));
    CHECK(says(text, R"("name":"pairs","ts":16666.5,"dur":60)"));
    CHECK(count(text, "\"name\":\"collide\"") == 4);  // in two frames on two tracks
    CHECK(count(text, "\"name\":\"cold GJK\"") == 2);
    CHECK(says(text, R"(a \"title\"\u000a\u003c/script\u003e)"));
}

TEST_CASE("a frame without a start follows the one before it") {
    FrameProfile first = made_up_frame(1, 100.0), second = made_up_frame(2, 50.0);
    first.start = second.start = 0.0;
    CHECK(says(trace_of({first, second}), R"("name":"step","ts":100,"dur":50)"));
}

TEST_CASE("the slowest pair is told at the mark of its frame and spans have no arguments") {
    FrameProfile frame = made_up_frame(1, 100.0);
    CHECK(!says(trace_of({frame}), "slowest"));
    frame.slowest = {BodyId{5, 1}, BodyId{9, 2}, 1, 2, Rung::cold_epa, 44.5};
    CHECK(says(trace_of({frame}), R"("slowest_us":44.5,"slowest_rung":"cold_epa","slowest_body_a":5,)"
                                  R"("slowest_shape_a":1,"slowest_body_b":9,"slowest_shape_b":2)"));
    CHECK(!says(trace_of({frame}), R"("dur":100,"args")"));
}

TEST_CASE("counters are written when they change") {
    FrameProfile a = made_up_frame(1, 100.0), b = made_up_frame(2, 100.0), c = made_up_frame(3, 100.0);
    c.contact_points = 5;
    const std::string text = trace_of({a, b, c});
    CHECK(count(text, "\"name\":\"contact points\"") == 2);
    CHECK(count(text, "\"name\":\"pairs by rung\"") == 1);
}

TEST_CASE("a trace holds no number that JSON does not know") {
    FrameProfile frame = made_up_frame(1, std::numeric_limits<double>::quiet_NaN());
    frame.solve = std::numeric_limits<double>::infinity();
    frame.timing = -std::numeric_limits<double>::infinity();
    const std::string text = trace_of({frame, made_up_frame(2, 10.0)});
    CHECK(!says(text, "nan"));
    CHECK(!says(text, "inf"));
    CHECK(says(text, "\"name\":\"step\""));
}

TEST_CASE("a trace of no frames is complete and a folder that is missing is told") {
    CHECK(trace_of({}).ends_with("]\n"));
    TraceWriter writer;
    CHECK(says(writer.open("no/such/folder/a.json", "").message, "Cannot write 'no/such/folder/a.json'"));
    CHECK(!writer.close());
}
