/// talus-samples: runs sample scenes without a window, and says what each cost.

#include "samples/runner/report.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>

namespace {

using namespace talus;
using namespace talus::samples;

constexpr int exit_failed = 1, exit_usage = 2;

/// One line on a terminal that follows the run; nothing when the output goes elsewhere.
class Progress {
public:
    void show(const char* scene, int done, int steps) {
        if (!terminal_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        std::fprintf(stderr, "\r\033[K%s %d/%d", scene, done, steps);
        std::fflush(stderr);
    }
    void clear() {
        if (terminal_) std::fprintf(stderr, "\r\033[K");
    }

private:
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    std::chrono::steady_clock::time_point last_{};
};

/// What samples/fetch_meshes.sh fetched, by name: into meshes/ here, or into the source tree that this was built from.
std::vector<std::string> fetched_meshes() {
    std::vector<std::string> files;
    for (const char* folder : {"meshes", TALUS_MESH_FOLDER}) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            if (entry.path().extension() == ".off" && !entry.path().stem().empty())
                files.push_back(entry.path().string());
        }
        if (!files.empty()) break;
    }
    std::sort(files.begin(), files.end());
    return files;
}

int complain(const Error& error, int code) {
    std::fprintf(stderr, "talus-samples: %s\n", error.message.c_str());
    return code;
}

void list() {
    for (const Scene& scene : all_scenes()) std::printf("%-12s %s\n", scene.name, scene.summary);
}

void print_hash(std::uint64_t hash) { std::printf("hash %016" PRIx64 "\n", hash); }

int run_one(const Options& options) {
    const Scene& scene = *find_scene(options.scene);
    Progress progress;
    const Result<Summary> summary =
        run_scene(scene, options, [&](int done, int steps) { progress.show(scene.name, done, steps); });
    progress.clear();
    if (!summary) return complain(summary.error(), exit_failed);
    std::printf("%s", describe(*summary).c_str());
    if (options.hash) print_hash(summary->hash);
    return 0;
}

int run_all(const Options& options) {
    Progress progress;
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a over the scenes' hashes
    int code = 0;
    std::string figures;
    std::printf("%s", table_header().c_str());
    for (const Scene& scene : all_scenes()) {
        const Result<Summary> summary =
            run_scene(scene, options, [&](int done, int steps) { progress.show(scene.name, done, steps); });
        progress.clear();
        if (!summary) {
            std::printf("%-12s not run: %s\n", scene.name, summary.error().message.c_str());
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
    std::printf("%s", table_legend().c_str());
    std::printf("\nWhat scenes measure on their bodies, by formulas of their own:\n%s", figures.c_str());
    if (options.hash) print_hash(hash);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
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
    if (options->meshes.empty()) options->meshes = fetched_meshes();
    return options->scene.empty() ? run_all(*options) : run_one(*options);
}
