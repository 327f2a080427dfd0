#pragma once
/// The files that a run writes while it goes on, whoever runs it: begin() before the first step, after_step() after each,
/// finish() after the last.
///
/// Another kind of file is: a name in OutputFiles, a writer in Outputs, and a line in each of the three functions.

#include "samples/scenes/scene.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace talus::samples {

/// Paths; empty: not written.
struct OutputFiles {
    std::string csv;     ///< what each frame cost, one row per frame
    std::string trace;   ///< the same as events, for Perfetto and speedscope
    std::string report;  ///< the same as a page with plots and tables
    std::string record;  ///< poses, contacts and profiles: recording.h
    std::string replay;  ///< the same as a page that plays them
    std::string hashes;  ///< a hash after each stage of each step: stage_hashes.h

    bool any() const {
        return !csv.empty() || !trace.empty() || !report.empty() || !record.empty() || !replay.empty() ||
               !hashes.empty();
    }
};

/// A line a file: its name, and what opens it.
std::string describe(const OutputFiles& files);

/// What is run, and how.
struct RunFacts {
    const Scene& scene;
    const SceneData& data;  ///< outlives the run
    std::uint64_t seed = 1;
    float jitter = 0.0f;  ///< m
    int steps = 0;        ///< that are planned; 0: not known
    int threads = 1;
    WorldDef def;                    ///< of the world
    std::span<const BodyId> bodies;  ///< of the world, parallel to data.bodies
};

/// "off", "stages" or "pairs".
const char* name_of(Timing timing);

class Outputs {
public:
    explicit Outputs(OutputFiles files);
    Outputs(Outputs&&) noexcept;
    ~Outputs();

    /// Opens the files, so that a wrong path does not cost a run. Before the first step.
    Error begin(const RunFacts& facts, const World& world);

    /// After every step; `wall_ms` is what it took, the scene's own doings included.
    Error after_step(const World& world, double wall_ms);

    /// Ends the files. What was not finished may lack its end.
    Error finish(const World& world);

    /// What is worth saying of the files, after finish(): what it is about, and a few words.
    const std::vector<std::pair<std::string, std::string>>& notes() const { return notes_; }

private:
    Error finish_recording(const World& world);

    struct Writers;
    OutputFiles files_;
    std::unique_ptr<Writers> writers_;
    std::vector<std::pair<std::string, std::string>> notes_;
};

}  // namespace talus::samples
