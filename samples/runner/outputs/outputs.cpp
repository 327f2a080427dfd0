#include "samples/runner/outputs/outputs.h"

#include "samples/recording/page/page.h"
#include "samples/recording/recording.h"
#include "samples/runner/outputs/stage_hashes.h"

#include <talus/profiling/csv.h>
#include <talus/profiling/machine.h>
#include <talus/profiling/report.h>
#include <talus/profiling/trace.h>

#include <cstdio>
#include <fstream>

namespace talus::samples {

namespace {

std::string text_of(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

Error cannot_write(const std::string& path) {
    return {ErrorCode::bad_argument, "Cannot write '" + path + "'; check that its folder exists and is writable."};
}

/// Opens a file that is written in one piece at the end.
Error open_for_later(std::ofstream& file, const std::string& path) {
    if (path.empty()) return {};
    file.open(path, std::ios::binary);
    return file ? Error{} : cannot_write(path);
}

Error write_all(std::ofstream& file, const std::string& path, std::string_view text) {
    if (path.empty()) return {};
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    return file ? Error{} : Error{ErrorCode::bad_argument, "Writing '" + path + "' failed; is the disk full?"};
}

/// The command that opens the window on a frame of the same run.
std::string look_command(const RunFacts& facts) {
    std::string command = std::string("./run.sh --window --scene ") + facts.scene.name;
    if (facts.seed != 1) command += " --seed " + std::to_string(facts.seed);
    if (facts.jitter != 0.0f) command += " --jitter " + text_of("%g", static_cast<double>(facts.jitter));
    if (!facts.def.allow_sleep) command += " --sleep off";
    return command + " --at {frame} --pause --panel profile --pair {body_a},{body_b}";
}

ReportFacts report_facts(const RunFacts& facts) {
    ReportFacts report;
    report.title = facts.scene.name;
    report.subtitle = facts.scene.summary;
    report.look = look_command(facts);
    const auto fact = [&](const char* name, std::string value) { report.facts.emplace_back(name, std::move(value)); };
    fact("step", text_of("%.4g ms", 1e3 * static_cast<double>(facts.data.dt)) + ", " +
                     std::to_string(facts.data.substeps) + " sub-steps");
    fact("bodies", std::to_string(facts.data.bodies.size()));
    fact("seed", std::to_string(facts.seed));
    if (facts.jitter != 0.0f) fact("jitter", text_of("%g m", static_cast<double>(facts.jitter)));
    fact("sleep", facts.def.allow_sleep ? "on" : "off");
    fact("threads", std::to_string(facts.threads));
    fact("timing", name_of(facts.def.timing));
    fact("processor", processor_name());
    fact("kernels", kernel_name());
    fact("compiler", compiler_name());
    return report;
}

}  // namespace

std::string describe(const OutputFiles& files) {
    std::string text;
    const auto line = [&](const std::string& path, const char* opens) {
        if (!path.empty()) text += "  wrote " + path + " (" + opens + ")\n";
    };
    line(files.csv, "compare two: talus-profile diff A.csv B.csv");
    line(files.trace, "opens in ui.perfetto.dev and speedscope.app");
    line(files.report, "opens in a browser");
    line(files.hashes, "compare two: talus-samples --compare-hashes A B");
    return text;
}

const char* name_of(Timing timing) {
    switch (timing) {
        case Timing::off:
            return "off";
        case Timing::stages:
            return "stages";
        case Timing::pairs:
            return "pairs";
    }
    return "";
}

struct Outputs::Writers {
    CsvWriter csv;
    TraceWriter trace;
    ReportWriter report;
    Recorder recorder;
    std::ofstream record, replay, hashes;
    std::string hash_lines;
};

Outputs::Outputs(OutputFiles files) : files_(std::move(files)), writers_(std::make_unique<Writers>()) {}
Outputs::Outputs(Outputs&&) noexcept = default;
Outputs::~Outputs() = default;

Error Outputs::begin(const RunFacts& facts, const World& world) {
    if (!files_.csv.empty()) {
        if (Error error = writers_->csv.open(files_.csv)) return error;
    }
    if (!files_.trace.empty()) {
        if (Error error = writers_->trace.open(files_.trace, std::string("talus ") + facts.scene.name)) return error;
    }
    if (!files_.report.empty()) {
        if (Error error = writers_->report.open(files_.report, report_facts(facts))) return error;
    }
    if (Error error = open_for_later(writers_->hashes, files_.hashes)) return error;
    if (!files_.record.empty() || !files_.replay.empty()) {
        if (Error error = writers_->recorder.begin(world, facts.scene.name, facts.data)) return error;
        if (Error error = open_for_later(writers_->record, files_.record)) return error;
        if (Error error = open_for_later(writers_->replay, files_.replay)) return error;
    }
    return {};
}

Error Outputs::after_step(const World& world, double) {
    if (!files_.csv.empty()) writers_->csv.add(world.profile());
    if (!files_.trace.empty()) writers_->trace.add(world.profile());
    if (!files_.report.empty()) writers_->report.add(world.profile(), &world);
    if (!files_.hashes.empty()) writers_->hash_lines += stage_hash_line(world.profile());
    writers_->recorder.after_step(world);
    return {};
}

Error Outputs::finish(const World& world) {
    if (Error error = writers_->csv.close()) return error;
    if (Error error = writers_->trace.close()) return error;
    if (Error error = writers_->report.close()) return error;
    if (Error error = write_all(writers_->hashes, files_.hashes, writers_->hash_lines)) return error;
    return writers_->recorder.active() ? finish_recording(world) : Error{};
}

Error Outputs::finish_recording(const World& world) {
    Result<std::string> bytes = writers_->recorder.finish(world);
    if (!bytes) return bytes.error();
    if (Error error = write_all(writers_->record, files_.record, *bytes)) return error;
    const Result<Recording> recording = Recording::read(std::move(*bytes));
    if (!recording) return recording.error();
    notes_ = describe(*recording);
    if (files_.replay.empty()) return {};
    const std::string page = replay_page(*recording);
    notes_.emplace_back("page", text_of("%.2f MB", 1e-6 * static_cast<double>(page.size())));
    return write_all(writers_->replay, files_.replay, page);
}

}  // namespace talus::samples
