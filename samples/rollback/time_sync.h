#pragma once
/// Time synchronisation: which of two peers is ahead, and how much it slows down.
///
/// Both peers play 60 frames per second, but they do not begin at the same moment, and no two clocks run at exactly the
/// same rate. Without a correction, the peer that is ahead predicts all inputs of the other, rolls back whenever they
/// change, and has to wait in the end, while the peer that is behind never predicts anything.
///
/// Each peer compares its own frame with the frame that arrives in each datagram:
///
///     advantage of A = frame of A - frame of B + delay from B to A, in frames
///     advantage of B = frame of B - frame of A + delay from A to B
///
/// and tells the other the mean. Half of the difference of the two means is A's lead over B. If both directions have the
/// same mean delay, the delays cancel, so nobody has to measure them or to compare clocks.

#include <algorithm>

namespace talus::samples::rollback {

class TimeSync {
public:
    /// A datagram has arrived: its sender was about to play `other_frame`, while this peer is about to play `own_frame`.
    void add_frames(int own_frame, int other_frame) {
        const float sample = static_cast<float>(own_frame - other_frame);
        advantage_ = has_sample_ ? advantage_ + weight * (sample - advantage_) : sample;
        has_sample_ = true;
    }
    /// The newest mean that the other has sent.
    void set_other_advantage(float advantage) { other_advantage_ = advantage; }

    float advantage() const { return advantage_; }
    /// Frames by which this peer is ahead of the other; negative if it is behind.
    float lead() const { return 0.5f * (advantage_ - other_advantage_); }
    /// Returns the factor by which this peer lengthens its frames. Only the peer that is ahead does.
    double slow_down() const {
        const float excess = lead() - tolerated_lead;
        return 1.0 + static_cast<double>(std::clamp(excess * slow_down_per_frame, 0.0f, max_slow_down));
    }

private:
    /// Weight of a new sample in the mean. Smaller: less noise from the jitter, but a later answer to a change.
    static constexpr float weight = 0.04f;
    static constexpr float tolerated_lead = 0.5f;  ///< frames; smaller: noise slows down both peers
    /// A lead shrinks to a third in 1 / this many frames. Larger: faster, but the mean must be quicker than that.
    static constexpr float slow_down_per_frame = 0.03f;
    static constexpr float max_slow_down = 0.1f;  ///< larger: visible as slow motion

    float advantage_ = 0.0f;
    float other_advantage_ = 0.0f;
    bool has_sample_ = false;
};

}  // namespace talus::samples::rollback
