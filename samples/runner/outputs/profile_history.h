#pragma once
/// The profiles of the last frames, and what they say together: what a typical frame cost, a bad one, and the worst.

#include "samples/runner/outputs/pair_steps.h"

#include <talus/engine/profile.h>
#include <talus/profiling/stages.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace talus::samples {

/// Where the bodies of a pair were after a step.
struct PairPoses {
    WorldTransform a, b;
};

struct ProfiledFrame {
    FrameProfile profile;
    double wall_ms = 0.0;  ///< from one picture to the next, or whatever the caller measures; 0: not measured
    // Of profile.slowest, if somebody kept them.
    std::optional<PairPoses> slowest_poses{};
    std::shared_ptr<const PairQuery> slowest{};  ///< as it was tested in that frame: it can be stepped through later
};

/// A figure of a frame.
struct FrameColumn {
    std::string_view name, unit;
    double (*value)(const ProfiledFrame&);
};

/// Times of the step, of its stages and between pictures (us), and counts.
std::span<const FrameColumn> frame_columns();
/// The one of this name, or nullptr.
const FrameColumn* find_frame_column(std::string_view name);

/// The stages of the step (<talus/profiling/stages.h>), and the rest of the total as the last: they add up to it.
inline constexpr int rest_stage = static_cast<int>(stages.size()), stage_count = rest_stage + 1;
std::string_view stage_name(int stage);
std::array<double, stage_count> stage_times(const FrameProfile& profile);  ///< us

/// The last frames, at most `capacity` of them.
class ProfileHistory {
public:
    explicit ProfileHistory(std::size_t capacity = 600);

    void add(ProfiledFrame frame);
    void clear();

    std::size_t capacity() const { return capacity_; }
    std::size_t size() const { return frames_.size(); }
    bool empty() const { return frames_.empty(); }
    const ProfiledFrame& operator[](std::size_t i) const;  ///< 0 is the oldest
    const ProfiledFrame& newest() const { return (*this)[size() - 1]; }
    /// Where the frame of this number is, if it is still there.
    std::optional<std::size_t> find(std::uint64_t frame) const;

    struct Percentiles {
        double p50 = 0.0, p95 = 0.0, p99 = 0.0, max = 0.0;
    };
    /// By the nearest rank over the frames that the system did not interrupt, or over all if it interrupted each; zeros
    /// when there are none.
    Percentiles percentiles(double (*value)(const ProfiledFrame&)) const;
    /// The frame where the value is greatest, the oldest of equals; 0 when there are none. One that the system
    /// interrupted only if it interrupted all of them.
    std::size_t worst(double (*value)(const ProfiledFrame&)) const;
    /// Its narrowphases added up.
    NarrowphaseProfile narrowphase() const;

private:
    std::size_t capacity_, first_ = 0;
    std::vector<ProfiledFrame> frames_;  ///< a ring once it is full
};

}  // namespace talus::samples
