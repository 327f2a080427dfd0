#include "samples/runner/outputs/stage_hashes.h"

#include "samples/runner/command_line.h"

#include <talus/profiling/stages.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

namespace talus::samples {

namespace {

struct Line {
    std::uint64_t step = 0;
    std::array<std::uint64_t, stages.size()> hashes{};
};

Result<std::vector<Line>> read_lines(const std::string& path) {
    std::ifstream file(path);
    if (!file) return refuse("Cannot read '" + path + "'.");
    std::vector<Line> lines;
    for (std::string text; std::getline(file, text);) {
        std::istringstream in(text);
        Line line;
        in >> line.step >> std::hex;
        for (std::uint64_t& hash : line.hashes) in >> hash;
        if (in.fail()) {
            return refuse("Line " + std::to_string(lines.size() + 1) + " of '" + path +
                          "' is not a step and its hashes; write the file with --hash-stages.");
        }
        lines.push_back(line);
    }
    if (lines.empty()) return refuse("'" + path + "' holds no step; write the file with --hash-stages.");
    return lines;
}

}  // namespace

std::string stage_hash_line(const FrameProfile& profile) {
    std::string line = std::to_string(profile.frame);
    for (const Stage& stage : stages) {
        char text[24];
        std::snprintf(text, sizeof text, " %016" PRIx64, profile.hashes.*stage.hash);
        line += text;
    }
    return line + '\n';
}

Result<HashComparison> compare_stage_hashes(const std::string& first, const std::string& second) {
    const Result<std::vector<Line>> a = read_lines(first), b = read_lines(second);
    if (!a) return a.error();
    if (!b) return b.error();
    for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
        const Line &x = (*a)[i], &y = (*b)[i];
        for (std::size_t k = 0; k < stages.size(); ++k) {
            if (x.step == y.step && x.hashes[k] == y.hashes[k]) continue;
            return HashComparison{false, "The first difference is in step " + std::to_string(x.step) +
                                             ", after stage " + stages[k].name + "."};
        }
    }
    if (a->size() == b->size()) return HashComparison{true, "All " + std::to_string(a->size()) + " steps are equal."};
    return HashComparison{false, "The first " + std::to_string(std::min(a->size(), b->size())) +
                                     " steps are equal; the files have " + std::to_string(a->size()) + " and " +
                                     std::to_string(b->size()) + "."};
}

}  // namespace talus::samples
