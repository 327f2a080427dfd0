#pragma once
/// The profile as a panel: where the last frames' time went, frame by frame and added up; the worst frame, its slowest
/// pair, and the way to that pair.
///
/// What the user asks for stands in ProfileActions afterwards; the caller does it. The panel draws into the ImGui window
/// that is open, from 400 pixels of width on.

#include "samples/runner/outputs/profile_history.h"

#include <talus/engine/pair_info.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::samples {

struct ProfileContext {
    const std::vector<PairInfo>* pairs = nullptr;  ///< of the newest frame, or null
    std::function<std::string(BodyId)> name_of;    ///< empty: by the slot
    Timing timing = Timing::stages;                ///< that is set
    bool frozen = false;                           ///< the simulation stands still
};

/// A pair, where a frame left it.
struct PairInFrame {
    SlowestPair pair;
    std::uint64_t frame;             ///< of the profile
    std::optional<PairPoses> poses;  ///< nothing: not known any more
};

inline PairInFrame in_frame(const PairInfo& pair, std::uint64_t frame) {
    return {
        {pair.body_a, pair.body_b, pair.shape_a, pair.shape_b, pair.rung, pair.microseconds, pair.triangle}, frame, {}};
}

/// Empty where nothing was asked for.
struct ProfileActions {
    std::optional<Timing> timing;            ///< to be set
    std::optional<bool> freeze;              ///< to stand still, or to go on
    std::optional<PairInFrame> fly_to;       ///< with the camera, and to mark
    std::optional<PairInFrame> step_pair;    ///< through its GJK and EPA...
    std::shared_ptr<const PairQuery> query;  ///< ...as its frame tested it; null: as it was tested last
};

class ProfilePanel {
public:
    void show(const ProfileHistory& history, const ProfileContext& context, ProfileActions& actions);

    /// The frame that is looked at, by FrameProfile::frame; nothing: the newest.
    std::optional<std::uint64_t> selected() const { return selected_; }
    void select(std::optional<std::uint64_t> frame) { selected_ = frame; }

private:
    struct View;  ///< what all parts of one call share
    struct NotableFrames;

    void show_header(const View& view, ProfileActions& actions);
    void show_percentiles(const View& view);
    void show_plots(const View& view);
    void show_frame(const View& view, ProfileActions& actions);
    void show_choices(const View& view, const NotableFrames& of);
    void show_pair_of_frame(const View& view, ProfileActions& actions);
    void show_slowest_pairs(const View& view, ProfileActions& actions);
    void show_rungs(const View& view);
    void show_histograms(const View& view);
    void show_shape_pairs(const View& view);
    void show_joints(const View& view);

    std::optional<std::uint64_t> selected_;
    bool over_all_ = true;  ///< tables show all frames, not the one that is looked at
};

}  // namespace talus::samples
