#include "samples/runner/options.h"

#include "samples/runner/nearest.h"

#include <doctest/doctest.h>

#include <vector>

using namespace talus;
using namespace talus::samples;

namespace {

Result<Options> parse(const std::vector<std::string_view>& arguments) { return parse_options(arguments); }

std::string refusal(const std::vector<std::string_view>& arguments) {
    const Result<Options> options = parse(arguments);
    return options ? "" : options.error().message;
}

bool says(const std::string& sentence, const char* what) { return sentence.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("the nearest name is the one with the fewest changes") {
    const std::vector<std::string_view> names = {"stack20", "pyramid10", "pyramid40", "drum", "top"};
    CHECK(nearest_name("stak20", names) == "stack20");
    CHECK(nearest_name("satck20", names) == "stack20");
    CHECK(nearest_name("pyramid4", names) == "pyramid40");
    CHECK(nearest_name("pyramid", names) == "pyramid10");
    CHECK(nearest_name("drumm", names) == "drum");
    CHECK(nearest_name("xylophone", names) == "");
    CHECK(nearest_name("", names) == "");
    CHECK(nearest_name("top", {}) == "");
}

TEST_CASE("options are read with either spelling of their values") {
    const Result<Options> options =
        parse({"--scene",        "stack20",  "--steps=30", "--seed",   "18446744073709551615",
               "--jitter=0.02",  "--sleep",  "off",        "--csv",    "a.csv",
               "--trace=a.json", "--report", "a.html",     "--timing", "stages",
               "--png=b.png",    "--at",     "7",          "--size",   "640x360",
               "--frames",       "movie",    "--every",    "5",        "--hash"});
    REQUIRE_MESSAGE(static_cast<bool>(options), options.error().message);
    CHECK(options->scene == "stack20");
    CHECK(options->steps == 30);
    CHECK(options->seed == ~std::uint64_t{0});
    CHECK(options->jitter == 0.02f);
    CHECK(!options->sleep);
    CHECK(options->files.csv == "a.csv");
    CHECK(options->files.trace == "a.json");
    CHECK(options->files.report == "a.html");
    CHECK(options->timing == Timing::stages);
    CHECK(options->png == "b.png");
    CHECK(options->at == 7);
    CHECK(options->frames == "movie");
    CHECK(options->every == 5);
    CHECK(options->width == 640);
    CHECK(options->height == 360);
    CHECK(options->hash);
}

TEST_CASE("without options there are defaults") {
    const Result<Options> options = parse({});
    REQUIRE(static_cast<bool>(options));
    CHECK(options->scene.empty());
    CHECK(!options->steps);
    CHECK(options->seed == 1);
    CHECK(options->jitter == 0.0f);
    CHECK(options->sleep);
    CHECK(options->width == 1280);
    CHECK(options->timing == Timing::pairs);
    CHECK(!options->files.any());
}

TEST_CASE("a recording can be read instead of running a scene") {
    const Result<Options> options = parse({"--from", "a.talus", "--replay-html", "a.html", "--poses", "7"});
    REQUIRE_MESSAGE(static_cast<bool>(options), options.error().message);
    CHECK(options->from == "a.talus");
    CHECK(options->files.replay == "a.html");
    CHECK(*options->poses == 7);
}

TEST_CASE("jitter alone is one centimetre and leaves the next option alone") {
    CHECK(parse({"--jitter"})->jitter == 0.01f);
    const Result<Options> options = parse({"--jitter", "--hash"});
    REQUIRE(static_cast<bool>(options));
    CHECK(options->jitter == 0.01f);
    CHECK(options->hash);
}

TEST_CASE("a mesh option takes files up to the next option") {
    const Result<Options> options = parse({"--mesh", "a.off", "b.obj", "--hash", "--mesh", "c.ply"});
    REQUIRE_MESSAGE(static_cast<bool>(options), options.error().message);
    CHECK(options->meshes == std::vector<std::string>{"a.off", "b.obj", "c.ply"});
    CHECK(options->hash);
}

TEST_CASE("what makes no sense on the command line is refused with a sentence") {
    CHECK(says(refusal({"--scen", "stack20"}), "'--scene'"));
    CHECK(says(refusal({"--frobnicate"}), "no option '--frobnicate'"));
    CHECK(says(refusal({"--scene", "stak20"}), "'stack20'"));
    CHECK(says(refusal({"--scene", "qqqqqqqqqqqq"}), "--list"));
    CHECK(says(refusal({"stack20"}), "--scene"));
    CHECK(says(refusal({"--scene"}), "NAME"));
    CHECK(says(refusal({"--mesh"}), "FILE"));
    CHECK(says(refusal({"--steps", "0"}), "'0'"));
    CHECK(says(refusal({"--steps", "12x"}), "'12x'"));
    CHECK(says(refusal({"--steps", "-5"}), "'-5'"));
    CHECK(says(refusal({"--substeps", "65"}), "'65'"));
    CHECK(says(refusal({"--threads", "0"}), "'0'"));
    CHECK(says(refusal({"--seed", "-1"}), "'-1'"));
    CHECK(says(refusal({"--jitter=nan"}), "'nan'"));
    CHECK(says(refusal({"--jitter=inf"}), "'inf'"));
    CHECK(says(refusal({"--sleep", "maybe"}), "'maybe'"));
    CHECK(says(refusal({"--size", "100"}), "'100'"));
    CHECK(says(refusal({"--size", "100x"}), "'100x'"));
    CHECK(says(refusal({"--size", "99999x10"}), "'99999x10'"));
    CHECK(says(refusal({"--hash=yes"}), "no value"));
    CHECK(says(refusal({"--csv", "a.csv"}), "--scene"));
    CHECK(says(refusal({"--png", "a.png"}), "--scene"));
    CHECK(says(refusal({"--trace", "a.json"}), "--trace needs a scene"));
    CHECK(says(refusal({"--record", "a.talus"}), "--record needs a scene"));
    CHECK(says(refusal({"--replay-html", "a.html"}), "--replay-html needs a scene"));
    CHECK(says(refusal({"--from", "a.talus", "--scene", "top"}), "leave out --scene"));
    CHECK(says(refusal({"--scene", "top", "--scene", "wall"}), "--scene is given twice"));
    CHECK(says(refusal({"--scene", "top", "--scene=top"}), "--scene is given twice"));
    CHECK(says(refusal({"--scene", "top", "--mesh", "a.off"}),
               "'top' takes no meshes; real_things, nonconvex, solids and bowl do"));
    CHECK(says(refusal({"--from", "a.talus", "--steps", "5"}), "leave out --steps"));
    CHECK(says(refusal({"--from", "a.talus", "--csv", "a.csv"}), "leave out --csv"));
    CHECK(says(refusal({"--compare-hashes", "a", "b", "--scene", "top"}), "leave out --scene"));
    CHECK(refusal({"--scene", "nonconvex", "--mesh", "a.off", "--hash", "--hash"}).empty());
    CHECK(says(refusal({"--poses", "3"}), "add --from FILE"));
    CHECK(says(refusal({"--from", "a.talus", "--poses", "-1"}), "'-1'"));
    CHECK(says(refusal({"--hash-stages", "a.txt"}), "--hash-stages needs a scene"));
    CHECK(says(refusal({"--compare-hashes", "a.txt"}), "wants two files"));
    CHECK(says(refusal({"--report", "a.html"}), "--report needs a scene"));
    CHECK(says(refusal({"--scene", "top", "--report", "a.html", "--timing", "off"}), "leave out --timing off"));
    CHECK(says(refusal({"--scene", "top", "--timing", "on"}), "'on'"));
    CHECK(says(refusal({"--scene", "top", "--at", "3"}), "--png"));
    CHECK(says(refusal({"--frames", "movie"}), "--frames needs a scene"));
    CHECK(says(refusal({"--scene", "top", "--every", "3"}), "add --frames"));
    CHECK(says(refusal({"--scene", "top", "--frames", "movie", "--every", "0"}), "'0'"));
    CHECK(says(refusal({"--scene", "top", "--png", "a.png", "--at", "9", "--steps", "3"}), "beyond"));
}

TEST_CASE("the help names every option") {
    const std::string help = help_text();
    for (const char* option :
         {"--list",   "--scene",  "--steps", "--substeps", "--threads",     "--seed", "--jitter", "--sleep",
          "--mesh",   "--timing", "--csv",   "--record",   "--replay-html", "--from", "--poses",  "--trace",
          "--report", "--png",    "--at",    "--frames",   "--every",       "--size", "--hash",   "--help"}) {
        CHECK_MESSAGE(says(help, option), option);
    }
    std::size_t start = 0;
    while (start < help.size()) {
        const std::size_t end = help.find('\n', start);
        CHECK_MESSAGE(end - start <= 80, help.substr(start, end - start));
        start = end + 1;
    }
}
