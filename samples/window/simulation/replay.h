#pragma once
/// A recording that is played in the window in place of a simulation (--replay).

#include "samples/recording/recording.h"
#include "samples/window/renderer/gl_scene.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::samples {

struct DrawSwitches;
class GlMarks;

class Replay {
public:
    static Result<Replay> load(const std::string& path);

    const Recording& recording() const { return recording_; }
    double time() const { return time_; }  ///< s
    double duration() const { return recording_.duration(); }
    bool at_end() const { return time_ >= duration(); }
    void go_to(double time);        ///< clamped
    void go_by_frames(int frames);  ///< from frame to frame
    /// Where the step of this FrameProfile::frame ended; nothing when it is not in there.
    std::optional<double> time_of(std::uint64_t frame) const;
    const FrameProfile* profile() const;  ///< of the newest step by now, or null before the first

    std::optional<std::size_t> number_of(BodyId body) const;  ///< of the recorded body that had this handle

    /// The renderer gets the bodies; once.
    void add_bodies(SceneRenderer& renderer) const;
    /// Poses and colours now.
    void look(const DrawSwitches& switches, std::span<const std::size_t> marked, std::vector<WorldTransform>& poses,
              std::vector<BodyLook>& looks) const;
    void draw_contacts(const DrawSwitches& switches, GlMarks& marks) const;
    const std::vector<float>& step_costs() const { return costs_; }  ///< one per step: us, or pairs tested
    bool timed() const { return timed_; }                            ///< whether they are times

private:
    explicit Replay(Recording recording);

    Recording recording_;
    double time_ = 0;
    std::vector<float> costs_;
    bool timed_ = false;
    mutable std::vector<RecordedState> states_;
    mutable std::vector<RecordedContact> contacts_;
};

}  // namespace talus::samples
