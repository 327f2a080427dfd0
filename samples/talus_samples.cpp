/// talus-samples: runs sample scenes without a window, and says what each cost.

#include "samples/program.h"
#include "samples/runner/command_line.h"
#include "samples/runner/ledger_run.h"
#include "samples/runner/outputs/progress.h"
#include "samples/runner/outputs/report.h"
#include "samples/runner/outputs/stage_hashes.h"
#include "samples/runner/show_recording.h"

#include <talus/profiling/terminal.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace {

using namespace talus;
using namespace talus::samples;

constexpr int exit_failed = 1, exit_usage = 2;

/// Wraps text in a terminal's codes, for terminals.
std::string styled(std::FILE* stream, const char* code, const std::string& text) {
    return wants_colors(stream) ? code + text + "\033[0m" : text;
}
constexpr const char *bold = "\033[1m", *dim = "\033[2m", *red = "\033[31m";

int complain(const Error& error, int code) {
    std::fprintf(stderr, "%s %s\n", styled(stderr, red, "talus-samples:").c_str(), error.message.c_str());
    return code;
}

void list() {
    for (const Scene& scene : all_scenes()) std::printf("%-12s %s\n", scene.name, scene.summary);
}

void print_hash(std::uint64_t hash) { std::printf("hash %016" PRIx64 "\n", hash); }

int run_one(const Options& options) {
    const Scene& scene = *chosen_scene(options);
    Progress progress;
    const Result<Summary> summary =
        run_scene(scene, options, [&](int done, int steps) { progress.show(scene.name, done, steps); });
    progress.clear();
    if (!summary) return complain(summary.error(), exit_failed);
    const std::string text = describe(*summary), title = text.substr(0, text.find('\n'));
    std::printf("%s%s", styled(stdout, bold, title).c_str(), text.substr(title.size()).c_str());
    if (options.files.any()) std::printf("\n%s", describe(options.files).c_str());
    if (options.hash) print_hash(summary->hash);
    return 0;
}

int run_all(const Options& options) {
    Progress progress;
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a over the scenes' hashes
    int code = 0;
    std::string figures;
    std::printf("%s", styled(stdout, bold, table_header()).c_str());
    int number = 0;
    for (const Scene& scene : all_scenes()) {
        const std::string what =
            std::string(scene.name) + " (" + std::to_string(++number) + "/" + std::to_string(all_scenes().size()) + ")";
        const Result<Summary> summary =
            run_scene(scene, options, [&](int done, int steps) { progress.show(what, done, steps); });
        progress.clear();
        if (!summary) {
            std::printf("%-12s %s %s\n", scene.name, styled(stdout, red, "not run:").c_str(),
                        summary.error().message.c_str());
            code = exit_failed;
            continue;
        }
        std::printf("%s", table_row(*summary).c_str());
        std::fflush(stdout);
        char name[16];
        std::snprintf(name, sizeof name, "%-13s", scene.name);
        figures += figure_lines(*summary, name);
        for (int i = 0; i < 64; i += 8) hash = (hash ^ ((summary->hash >> i) & 255u)) * 1099511628211ull;
    }
    std::printf("%s", styled(stdout, dim, table_legend()).c_str());
    std::printf("\nWhat scenes measure on their bodies, by formulas of their own:\n%s", figures.c_str());
    if (options.hash) print_hash(hash);
    return code;
}

/// One scene under the ledger, or all of them.
int keep_books(const Options& options) {
    Progress progress;
    int code = 0;
    std::printf("%s", styled(stdout, bold, ledger_header()).c_str());
    const Scene* const chosen = chosen_scene(options);
    for (const Scene& scene : chosen ? std::span(chosen, 1) : all_scenes()) {
        const Result<LedgerReport> report =
            run_ledger(scene, options, [&](int done, int steps) { progress.show(scene.name, done, steps); });
        progress.clear();
        if (!report) {
            std::printf("%-12s %s %s\n", scene.name, styled(stdout, red, "not run:").c_str(),
                        report.error().message.c_str());
            code = exit_failed;
            continue;
        }
        std::printf("%s", ledger_line(scene.name, *report).c_str());
        std::fflush(stdout);
        if (!report->ok()) code = exit_failed;
    }
    return code;
}

int run(const std::vector<std::string_view>& arguments) {
    Result<Options> options = parse_options(arguments);
    if (!options) return complain(options.error(), exit_usage);
    if (options->help) {
        std::printf("%s", help_text().c_str());
        return 0;
    }
    if (options->list) {
        list();
        return 0;
    }
    if (!options->from.empty()) {
        const Result<std::string> text = show_recording(*options);
        if (!text) return complain(text.error(), exit_failed);
        std::printf("%s", text->c_str());
        return 0;
    }
    if (!options->compared.empty()) {
        const Result<HashComparison> comparison = compare_stage_hashes(options->compared[0], options->compared[1]);
        if (!comparison) return complain(comparison.error(), exit_failed);
        std::printf("%s\n", comparison->text.c_str());
        return comparison->equal ? 0 : exit_failed;
    }
    for (const std::string& path : options->meshes) {
        if (!std::ifstream(path))
            return complain(refuse("--mesh was given '" + path + "', which cannot be read."), exit_usage);
    }
    if (options->meshes.empty()) options->meshes = fetched_meshes();
    if (options->ledger) return keep_books(*options);
    return chosen_scene(*options) ? run_one(*options) : run_all(*options);
}

}  // namespace

int main(int argc, char** argv) { return run_program("talus-samples", argc, argv, run); }
