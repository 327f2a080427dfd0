#pragma once
/// Profiles and files for tests of what writes them.

#include <talus/engine/profile.h>
#include <talus/profiling/parts.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace talus {

/// A step of so many microseconds in all, spread over stages and rungs, `number`-th of a run of equal ones.
inline FrameProfile made_up_frame(std::uint64_t number, double total) {
    FrameProfile p;
    p.frame = number;
    p.start = 1e6 + 1e4 * static_cast<double>(number);
    p.total = total;
    double left = total;
    for (const Stage& stage : stages) {
        p.*stage.microseconds = stage.microseconds == &FrameProfile::publish ? left : 0.3 * left;
        left -= p.*stage.microseconds;
    }
    for (std::size_t i = 0; i < rung_count; ++i) p.narrowphase.pairs[i] = 10;
    for (const Pass& pass : passes) p.narrowphase.microseconds[static_cast<std::size_t>(pass.booked)] = p.collide / 8.0;
    p.narrowphase.gjk_queries = 20;
    p.narrowphase.gjk_iterations = 40;
    p.narrowphase.gjk_histogram[2] = 20;
    return p;
}

/// A fresh folder, removed with all that is in it.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("talus-profiling-" + std::to_string(std::random_device{}()))) {
        std::filesystem::create_directory(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string path(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

inline std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace talus
