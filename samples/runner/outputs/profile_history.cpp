#include "samples/runner/outputs/profile_history.h"

#include <talus/profiling/statistics.h>

#include <algorithm>

namespace talus::samples {

namespace {

constexpr FrameColumn columns[] = {
    {"step", "us", [](const ProfiledFrame& f) { return f.profile.total; }},
    {"wall", "us", [](const ProfiledFrame& f) { return 1000.0 * f.wall_ms; }},
    {"collide", "us", [](const ProfiledFrame& f) { return f.profile.collide; }},
    {"pairs", "us", [](const ProfiledFrame& f) { return f.profile.pairs; }},
    {"broadphase", "us", [](const ProfiledFrame& f) { return f.profile.broadphase; }},
    {"graph", "us", [](const ProfiledFrame& f) { return f.profile.graph; }},
    {"solve", "us", [](const ProfiledFrame& f) { return f.profile.solve; }},
    {"continuous", "us", [](const ProfiledFrame& f) { return f.profile.continuous; }},
    {"finish", "us", [](const ProfiledFrame& f) { return f.profile.finish; }},
    {"publish", "us", [](const ProfiledFrame& f) { return f.profile.publish; }},
    {"slowest pair", "us", [](const ProfiledFrame& f) { return f.profile.slowest.microseconds; }},
    {"timing", "us", [](const ProfiledFrame& f) { return f.profile.timing; }},
    {"shape pairs", "", [](const ProfiledFrame& f) { return double(f.profile.convex_pairs); }},
    {"contact points", "", [](const ProfiledFrame& f) { return double(f.profile.contact_points); }},
    {"awake bodies", "", [](const ProfiledFrame& f) { return double(f.profile.awake_bodies); }},
};

}  // namespace

std::span<const FrameColumn> frame_columns() { return columns; }

const FrameColumn* find_frame_column(std::string_view name) {
    const auto found = std::find_if(std::begin(columns), std::end(columns),
                                    [&](const FrameColumn& column) { return column.name == name; });
    return found != std::end(columns) ? &*found : nullptr;
}

std::string_view stage_name(int stage) { return stage < rest_stage ? stages[std::size_t(stage)].name : "rest"; }

std::array<double, stage_count> stage_times(const FrameProfile& p) {
    std::array<double, stage_count> times{};
    double sum = 0.0;
    for (std::size_t i = 0; i < stages.size(); ++i) sum += times[i] = p.*stages[i].microseconds;
    times[rest_stage] = std::max(0.0, p.total - sum);
    return times;
}

ProfileHistory::ProfileHistory(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void ProfileHistory::add(ProfiledFrame frame) {
    if (frames_.size() < capacity_) {
        frames_.push_back(std::move(frame));
        return;
    }
    frames_[first_] = std::move(frame);
    first_ = (first_ + 1) % capacity_;
}

void ProfileHistory::clear() {
    frames_.clear();
    first_ = 0;
}

const ProfiledFrame& ProfileHistory::operator[](std::size_t i) const { return frames_[(first_ + i) % frames_.size()]; }

std::optional<std::size_t> ProfileHistory::find(std::uint64_t frame) const {
    for (std::size_t i = 0; i < size(); ++i) {
        if ((*this)[i].profile.frame == frame) return i;
    }
    return std::nullopt;
}

ProfileHistory::Percentiles ProfileHistory::percentiles(double (*value)(const ProfiledFrame&)) const {
    std::vector<double> values;
    values.reserve(size());
    for (const ProfiledFrame& frame : frames_) {
        if (is_calm(frame.profile)) values.push_back(value(frame));
    }
    if (values.empty()) {
        for (const ProfiledFrame& frame : frames_) values.push_back(value(frame));
    }
    return {take_quantile(values, 0.5), take_quantile(values, 0.95), take_quantile(values, 0.99),
            take_quantile(values, 1.0)};
}

std::size_t ProfileHistory::worst(double (*value)(const ProfiledFrame&)) const {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < size(); ++i) {
        const ProfiledFrame &frame = (*this)[i], &other = (*this)[worst];
        if (is_worse(is_calm(frame.profile), value(frame), is_calm(other.profile), value(other))) worst = i;
    }
    return worst;
}

NarrowphaseProfile ProfileHistory::narrowphase() const {
    NarrowphaseProfile sum;
    for (const ProfiledFrame& frame : frames_) sum += frame.profile.narrowphase;
    return sum;
}

}  // namespace talus::samples
