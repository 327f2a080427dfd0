#include "profiling/bench/scenes/diff_command.h"

#include <talus/profiling/diff.h>
#include <talus/profiling/terminal.h>

#include <charconv>
#include <cstdio>
#include <optional>

namespace talus::profiling {

namespace {

constexpr const char* help =
    "usage: talus-profile diff BEFORE.csv AFTER.csv [--fail-above PERCENT]\n"
    "\n"
    "Compares two runs of one scene, written by talus-samples --scene NAME --csv FILE:\n"
    "what got slower or faster, where, and whether there was more work or the same\n"
    "work took longer.\n"
    "\n"
    "  --fail-above PERCENT  exit with 1 when the median step got slower by more than\n"
    "                        this, and by more than noise\n"
    "\n"
    "Times are medians, us per frame. Noise is three standard deviations of the change,\n"
    "estimated by drawing frames again. Only changes beyond that and 2% count. To see\n"
    "changes of a few percent, run both builds by turns on an idle machine.\n"
    "\n"
    "Exit code: 0; 1 by --fail-above; 2 for invalid arguments or files.\n";

int complain(const std::string& sentence) {
    std::fprintf(stderr, "talus-profile diff: %s\n", sentence.c_str());
    return 2;
}

}  // namespace

int run_diff(const std::vector<std::string_view>& arguments) {
    std::vector<std::string> files;
    std::optional<double> fail_above;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::printf("%s", help);
            return 0;
        }
        if (argument == "--fail-above") {
            const std::string_view text = i + 1 < arguments.size() ? arguments[++i] : std::string_view();
            double percent = 0.0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
            if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0.0 && percent < 1e6))
                return complain("--fail-above wants percent, 0 or more, such as 5.");
            fail_above = percent;
        } else if (argument.starts_with("-") && argument.size() > 1) {
            return complain("There is no option '" + std::string(argument) + "'; --help shows them all.");
        } else {
            files.emplace_back(argument);
        }
    }
    if (files.size() != 2) return complain("It wants two files: BEFORE.csv AFTER.csv; --help says more.");

    const Result<CsvTable> before = read_csv(files[0]), after = read_csv(files[1]);
    if (!before) return complain(before.error().message);
    if (!after) return complain(after.error().message);
    const Result<ProfileDiff> diff = diff_profiles(*before, *after);
    if (!diff) return complain(diff.error().message);
    std::printf("%s", describe(*diff, files[0], files[1], wants_colors(stdout)).c_str());

    const Compared& median = diff->totals.front();
    if (!fail_above || !(median.percent() > *fail_above) || !(median.change() > median.noise)) return 0;
    std::fflush(stdout);
    std::fprintf(stderr, "talus-profile diff: the median step is %.1f%% slower, more than %g%%.\n", median.percent(),
                 *fail_above);
    return 1;
}

}  // namespace talus::profiling
