/// talus-soak: random worlds of everything under checks of energy, momentum, escapes, events and bits (docs/soak.md).

#include "samples/program.h"
#include "samples/runner/command_line.h"
#include "samples/soak/joint_world.h"
#include "samples/soak/random_world.h"
#include "samples/soak/shrink.h"
#include "samples/soak/tally.h"

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace {

using namespace talus;
using namespace talus::samples;

constexpr int exit_failed = 1, exit_usage = 2;
constexpr int most_threads = 64;
constexpr double shrink_seconds = 60.0;  ///< for a world

struct Options {
    bool help = false, list = false, shrink = true;
    std::uint64_t first = 1, count = 0;  ///< 0: no end
    double minutes = 0.0;                ///< 0: no end
    std::uint64_t body_steps = 0;        ///< 0: no end
    std::uint64_t steps = 0;             ///< of worlds; 0: no end
    int threads = 1;
    bool joint_worlds = false;  ///< joint_world() instead of random_world()
    int compare_every = -1;     ///< SoakOptions::compare_every; -1: as the worlds have it
    std::uint32_t features = soak_all;
    std::uint32_t checks = SoakOptions{}.checks, noted = 0;
    double gain = LedgerTolerance{}.step_gain;
    std::string out = ".";
    int most_files = 20;
    std::vector<std::string> files;
};

std::string set_seeds(Options& o, Values v) {
    const std::size_t colon = v[0].find(':');
    const bool good =
        parse(v[0].substr(0, colon), o.first, std::uint64_t{0}, ~std::uint64_t{0}) &&
        (colon == std::string_view::npos ? (o.count = 1, true)
                                         : parse(v[0].substr(colon + 1), o.count, std::uint64_t{1}, ~std::uint64_t{0}));
    return good ? "" : "wants FIRST or FIRST:COUNT";
}

/// "a,b,c" of names, as the bits that `find` gives them.
template <class Find>
std::string read_names(std::string_view text, std::uint32_t& bits, Find&& find) {
    bits = 0;
    while (!text.empty()) {
        const std::string_view name = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        const std::uint32_t bit = find(name);
        if (bit == 0)
            return "names something that there is not, '" + std::string(name) + "'; --list shows what there is";
        bits |= bit;
    }
    return {};
}
std::uint32_t feature_of(std::string_view name) {
    for (const SoakFeatureName& f : soak_feature_names()) {
        if (name == f.name) return f.feature;
    }
    return 0;
}
std::uint32_t check_of(std::string_view name) {
    for (int i = 0; i < soak_check_count; ++i) {
        if (name == name_of(static_cast<SoakCheck>(i))) return 1u << i;
    }
    return 0;
}

constexpr OptionSpec<Options> specs[] = {
    {"How many worlds", "--seeds", Takes::one, "FIRST:COUNT", "these; FIRST alone is one world", set_seeds},
    {"", "--seed-from", Takes::one, "TEXT", "begin at a seed made from a text, such as the name of a commit",
     [](Options& o, Values v) { return o.first = seed_from(v[0]), std::string(); }},
    {"", "--minutes", Takes::one, "N", "as many as are done in this time",
     [](Options& o, Values v) { return parse(v[0], o.minutes, 0.001, 1e6) ? std::string() : "wants minutes"; }},
    {"", "--body-steps", Takes::one, "N", "until so many bodies have made a step",
     [](Options& o, Values v) {
         return parse(v[0], o.body_steps, std::uint64_t{1}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--steps", Takes::one, "N", "until worlds have made so many steps",
     [](Options& o, Values v) {
         return parse(v[0], o.steps, std::uint64_t{1}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--threads", Takes::one, "N", "worlds side by side; default 1",
     [](Options& o, Values v) {
         return parse(v[0], o.threads, 1, most_threads) ? std::string() : "wants a whole number from 1 to 64";
     }},

    {"What worlds have, and what is checked", "--worlds", Takes::one, "all|joints",
     "worlds of everything, or worlds made mostly of joints;\ndefault: all",
     [](Options& o, Values v) {
         if (v[0] != "all" && v[0] != "joints") return std::string("wants all or joints");
         return o.joint_worlds = v[0] == "joints", std::string();
     }},
    {"", "--only", Takes::one, "NAMES", "features, their names separated by commas",
     [](Options& o, Values v) { return read_names(v[0], o.features, feature_of); }},
    {"", "--without", Takes::one, "NAMES", "all features but these",
     [](Options& o, Values v) {
         std::uint32_t bits = 0;
         std::string wrong = read_names(v[0], bits, feature_of);
         o.features &= ~bits;
         return wrong;
     },
     true},
    {"", "--checks", Takes::one, "NAMES", "checks; without it, all of them",
     [](Options& o, Values v) { return read_names(v[0], o.checks, check_of); }},
    {"", "--note", Takes::one, "NAMES",
     "checks that only count what they find: the world runs on, is\nnot written, and does not count as failed",
     [](Options& o, Values v) { return read_names(v[0], o.noted, check_of); }},
    {"", "--compare", Takes::one, "N",
     "the check `hash`: step each world a second time, on two\nthreads, and compare the two every N steps; 0: do not.\n"
     "Default: 8 for worlds of joints, otherwise 0",
     [](Options& o, Values v) {
         return parse(v[0], o.compare_every, 0, 1'000'000) ? std::string() : "wants a whole number";
     }},
    {"", "--gain", Takes::one, "SHARE",
     "share of the energy that goes through a step that may\nappear in it; default 0.01",
     [](Options& o, Values v) { return parse(v[0], o.gain, 0.0, 1e9) ? std::string() : "wants a share, 0 or more"; }},
    {"", "--list", Takes::none, "", "name the features and the checks, and stop",
     [](Options& o, Values) { return o.list = true, std::string(); }},

    {"What to do with a world that fails", "--out", Takes::one, "FOLDER",
     "write it to this folder, shrunk; default: this one",
     [](Options& o, Values v) { return o.out = v[0], std::string(); }},
    {"", "--files", Takes::one, "N", "write at most this many files per check; default 20",
     [](Options& o, Values v) {
         return parse(v[0], o.most_files, 0, 1'000'000) ? std::string() : "wants a whole number";
     }},
    {"", "--shrink", Takes::one, "on|off", "shrink for at most a minute per world; default on",
     [](Options& o, Values v) { return set_on_off(o.shrink, v[0]); }},
    {"", "--help", Takes::none, "", "this text", [](Options& o, Values) { return o.help = true, std::string(); }},
};

int complain(const Error& error, int code) {
    std::fprintf(stderr, "talus-soak: %s\n", error.message.c_str());
    return code;
}

SoakOptions checks_of(const Options& options) {
    SoakOptions checks;
    checks.checks = options.checks;
    checks.noted = options.noted;
    checks.tolerance.step_gain = options.gain;
    checks.compare_every = options.compare_every >= 0 ? options.compare_every : options.joint_worlds ? 8 : 0;
    return checks;
}

int run_files(const Options& options) {
    int code = 0;
    for (const std::string& path : options.files) {
        const Result<WorldText> text = read_world_text(path);
        if (!text) return complain(text.error(), exit_failed);
        const SoakOutcome outcome = run_soak(*text, checks_of(options));
        if (outcome.failure) {
            std::printf("%s: %s, step %d: %s\n", path.c_str(), name_of(outcome.failure->check), outcome.failure->step,
                        outcome.failure->what.c_str());
            code = exit_failed;
        } else {
            std::printf("%s: ok, hash %016" PRIx64 "\n", path.c_str(), outcome.hash);
        }
    }
    return code;
}

// ---- A crash names its seed, and so does who is stopped ------------------------------------------------------------------------------------------

std::atomic<std::uint64_t> running[most_threads];  ///< the seed of each thread's world; 0: none

extern "C" void say_what_runs(int signal) {
    for (const std::atomic<std::uint64_t>& seed : running) {
        if (seed != 0)
            std::fprintf(stderr, "talus-soak: signal %d in the world of seed %" PRIu64 "\n", signal, seed.load());
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void name_seeds_at_the_end() {
    for (const int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTERM}) {
        // Sanitizers have handlers of their own, which say more.
        const auto before = std::signal(signal, say_what_runs);
        if (before != SIG_DFL) std::signal(signal, before);
    }
}

/// Refuses a folder of --out that is not there, or in which no file can be written.
Error check_folder(const std::string& folder) {
    const std::string begin = "--out was given '" + folder + "'; it must be a folder ";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) return refuse(begin + "that exists.");
    const std::filesystem::path probe = std::filesystem::path(folder) / "soak-can-write.tmp";
    const bool can_write = static_cast<bool>((std::ofstream(probe) << "can it be written?\n").flush());
    std::filesystem::remove(probe, ignored);
    return can_write ? Error{} : refuse(begin + "in which files can be written.");
}

// ---- Soak ------------------------------------------------------------------------------------------------------------

int soak(const Options& options) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto minutes = [&] { return std::chrono::duration<double>(Clock::now() - start).count() / 60.0; };
    std::atomic<std::uint64_t> next{0}, body_steps{0}, steps{0};
    SoakTally tally;
    std::uint64_t files[soak_check_count] = {};
    std::mutex talking;
    const SoakOptions soak_options = checks_of(options);
    name_seeds_at_the_end();
    const auto work = [&](int thread) {
        struct Named {  // until the thread ends, however it does
            std::atomic<std::uint64_t>& seed;
            ~Named() { seed = 0; }
        } now{running[thread]};
        while (true) {
            if (options.minutes > 0.0 && minutes() >= options.minutes) return;
            if (options.body_steps > 0 && body_steps.load() >= options.body_steps) return;
            if (options.steps > 0 && steps.load() >= options.steps) return;
            const std::uint64_t number = next++;
            if (options.count > 0 && number >= options.count) return;
            const std::uint64_t seed = options.first + number;
            now.seed = seed;
            const WorldText world =
                options.joint_worlds ? joint_world(seed, options.features) : random_world(seed, options.features);
            const SoakOutcome outcome = run_soak(world, soak_options);
            body_steps += outcome.body_steps;
            steps += static_cast<std::uint64_t>(outcome.steps);
            std::uint64_t before = 0;
            {
                const std::lock_guard lock(talking);
                tally.add(seed, outcome);
                if (!outcome.failure) continue;
                const SoakFailure& failure = *outcome.failure;
                before = files[static_cast<int>(failure.check)]++;
                std::printf("seed %" PRIu64 ": %s, step %d: %s\n", seed, name_of(failure.check), failure.step,
                            failure.what.c_str());
                std::fflush(stdout);
            }
            if (before >= static_cast<std::uint64_t>(options.most_files)) continue;
            const SoakFailure& failure = *outcome.failure;
            WorldText small = options.shrink ? shrink(world, failure, soak_options, shrink_seconds) : world;
            small.remarks.push_back("from seed " + std::to_string(seed));
            const std::string path =
                options.out + "/soak-" + name_of(failure.check) + "-" + std::to_string(seed) + ".txt";
            const Error unwritten = write_world_text(small, path);
            const std::lock_guard lock(talking);
            if (unwritten) {
                std::fprintf(stderr, "talus-soak: the world of seed %" PRIu64 " is not saved: %s\n", seed,
                             unwritten.message.c_str());
                continue;
            }
            std::printf("  %zu bodies, %zu joints, %zu changes, %d steps: %s\n", small.bodies.size(),
                        small.joints.size(), small.changes.size(), small.steps, path.c_str());
            std::fflush(stdout);
        }
    };
    std::exception_ptr exception;  // one of those that threads threw
    const auto guarded_work = [&](int thread) {
        try {
            work(thread);
        } catch (...) {
            const std::lock_guard lock(talking);
            exception = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(options.threads));
    for (int i = 1; i < options.threads; ++i) others.emplace_back(guarded_work, i);
    guarded_work(0);
    for (std::thread& thread : others) thread.join();
    if (exception) std::rethrow_exception(exception);

    std::printf("%s", tally.table(soak_options).c_str());
    if (options.joint_worlds) std::printf("%s\n", tally.joint_line().c_str());
    std::printf("from seed %" PRIu64 ", %.1f minutes; failed: %" PRIu64 " of %" PRIu64 " worlds\n", options.first,
                minutes(), tally.failed(), tally.worlds());
    return tally.failed() == 0 ? 0 : exit_failed;
}

int run(const std::vector<std::string_view>& given) {
    Options options;
    std::vector<std::string_view> arguments;
    for (std::size_t i = 0; i < given.size(); ++i) {
        // What is no option and no option's value is a file.
        const std::string_view argument = given[i];
        const bool is_value =
            i > 0 && given[i - 1].starts_with("--") && given[i - 1].find('=') == std::string_view::npos;
        if (!argument.starts_with("-") && !is_value)
            options.files.emplace_back(argument);
        else
            arguments.push_back(argument);
    }
    if (Error error = read_arguments<Options>(arguments, specs, options)) return complain(error, exit_usage);
    if (options.help) {
        std::printf(
            "talus-soak: random worlds under checks of energy, momentum, escapes, events and bits.\n\n"
            "usage: talus-soak [options]        new worlds\n"
            "       talus-soak FILE...          worlds that it wrote\n%s\n"
            "Without --seeds, --minutes, --body-steps and --steps it makes 100 worlds. Exit code: 0; 1 when a world "
            "failed; 2 "
            "for invalid options.\n",
            options_text<Options>(specs, 22).c_str());
        return 0;
    }
    if (options.list) {
        std::printf("features:");
        for (const SoakFeatureName& f : soak_feature_names()) std::printf(" %s", f.name);
        std::printf("\nchecks:");
        for (int i = 0; i < soak_check_count; ++i) std::printf(" %s", name_of(static_cast<SoakCheck>(i)));
        std::printf("\n");
        return 0;
    }
    if (!options.files.empty()) return run_files(options);
    if (options.count == 0 && options.minutes <= 0.0 && options.body_steps == 0 && options.steps == 0)
        options.count = 100;
    if (options.most_files > 0) {
        if (Error error = check_folder(options.out)) return complain(error, exit_usage);
    }
    return soak(options);
}

}  // namespace

int main(int argc, char** argv) { return talus::samples::run_program("talus-soak", argc, argv, run); }
