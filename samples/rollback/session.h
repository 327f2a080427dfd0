#pragma once
/// Rollback: two peers play one game without waiting for each other's inputs.
///
/// Each frame, a peer plays its own input and a prediction of the other's: that the other still presses the same
/// buttons. It keeps a copy of the game from before each of the last frames. When the real input of a frame arrives and
/// differs from the prediction, the peer restores the copy of that frame and plays all frames since then again:
///
///     frame                10   11   12   13   14
///     the other's input    A    A    A*   A*   A*    *: predicted. A is the last input that has arrived.
///     now arrive                     A    B          The prediction for 12 was right, the one for 13 was wrong:
///     played again                        B    B*    the copy from before 13 is restored, 13 and 14 are played again.
///
/// A frame is confirmed when it was played with the real inputs of both. Nothing can change it any more, so both peers
/// must have the same bits: each sends the hash of every confirmed frame, and compares it with the other's.
///
/// - Input delay: an input is played some frames after the key was pressed. Inputs that arrive within that time need no
///   prediction.
/// - A peer that would have to predict more than max_rollback frames stalls: it plays nothing until inputs arrive.
/// - Each datagram contains all inputs and hashes that the other has not acknowledged yet. So a lost datagram needs no
///   special treatment: the next one contains the same.
///
/// A session does not know sockets or clocks: datagrams go in and come out as bytes.

#include "samples/rollback/game.h"
#include "samples/rollback/packet.h"
#include "samples/rollback/time_sync.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples::rollback {

/// Most frames from one whose hashes are compared to the one that is played next: the other's hash of a frame is sent up
/// to max_rollback frames after that frame, with its inputs for max_input_delay frames more, and this peer plays at most
/// max_rollback frames beyond those.
inline constexpr int desync_copies = 2 * max_rollback + max_input_delay;

/// The function that plays a frame of the game.
using PlayFrame = std::function<void(Game& game, int frame, const Inputs& inputs)>;

struct SessionOptions {
    Sender self;          ///< the session's number, and which player this peer is
    int input_delay = 2;  ///< frames, 0 to max_input_delay; the two peers may have different ones
    bool time_sync = true;
    /// Copies of the game, at least max_rollback. With desync_copies, the game of a frame whose hashes differ is still
    /// there when that is found.
    int copies = max_rollback;
    PlayFrame play_frame = [](Game& game, int, const Inputs& inputs) { advance(game, inputs); };
};

/// A frame at which the two peers have different hashes. All frames before it were equal.
struct Desync {
    int frame = 0;
    std::uint64_t own_hash = 0, other_hash = 0;
};

struct SessionCounts {
    std::uint64_t received = 0;          ///< valid datagrams
    std::uint64_t late = 0;              ///< of these, how many were overtaken by a later one
    std::uint64_t ignored = 0;           ///< datagrams that were not valid
    std::uint64_t frames_predicted = 0;  ///< frames that were first played with a predicted input
    std::uint64_t rollbacks = 0;
    int deepest = 0;                    ///< frames that the deepest rollback went back
    std::uint64_t frames_again = 0;     ///< frames that were played again in rollbacks
    std::uint64_t stalls = 0;           ///< times that advance() played nothing
    std::uint64_t frames_compared = 0;  ///< confirmed frames whose hashes were compared
};

/// Seconds spent on each kind of work, and how often.
struct SessionCosts {
    struct Cost {
        double seconds = 0.0;
        std::uint64_t count = 0;
        double microseconds() const { return count == 0 ? 0.0 : 1e6 * seconds / static_cast<double>(count); }
    };
    Cost step, copy, restore, hash;
};

class Session {
public:
    /// Begins with the same game on both peers, before the frame `first_frame`.
    Session(Game game, int first_frame, SessionOptions options);

    /// Takes a datagram from the network. Returns false if it is not a valid one of the other peer; it is then ignored.
    bool receive(std::string_view datagram);
    /// Rolls back if inputs that have arrived differ from what was predicted. Then compares hashes.
    void correct();
    /// Plays the next frame. `input` is what the player presses now; it is played input_delay frames later. Returns false
    /// if the peer must wait for the other; then it has played nothing, and the input is not used.
    bool advance(Input input);
    /// Returns the datagram to send now.
    std::string datagram();
    /// Returns the time from this frame to the next one, s: dt, or more if this peer is ahead.
    double frame_time() const;

    int frame() const { return frame_; }  ///< the frame that is played next
    bool has_heard_other() const { return counts_.received > 0; }
    /// Returns whether the hashes of this frame and all before it were compared, and the other knows all of ours.
    bool is_settled(int frame) const { return compared_end_ > frame && hash_acked_ > frame; }
    const std::optional<Desync>& desync() const { return desync_; }

    const Game& game() const { return game_; }  ///< at present: what the player sees. Some inputs in it are predicted.
    /// Returns the game before a frame; null if there is no copy of it any more.
    const Game* game_before(int frame) const;

    const SessionCounts& counts() const { return counts_; }
    const SessionCosts& costs() const { return costs_; }
    const TimeSync& time_sync() const { return time_sync_; }

private:
    /// A ring of values by frame, long enough for every frame that the other peer may still ask about.
    template <class Value>
    class ByFrame {
    public:
        Value& operator[](int frame) { return values_[static_cast<unsigned>(frame) % values_.size()]; }
        const Value& operator[](int frame) const { return values_[static_cast<unsigned>(frame) % values_.size()]; }

    private:
        std::array<Value, 2 * max_unacknowledged> values_{};
    };

    Input& own_input(int frame) { return inputs_[frame][static_cast<std::size_t>(options_.self.player)]; }
    Input& other_input(int frame) { return inputs_[frame][static_cast<std::size_t>(1 - options_.self.player)]; }
    Game& copy_of(int frame) { return copies_[static_cast<std::size_t>(frame) % copies_.size()]; }

    bool is_possible(const Update& update) const;
    bool must_wait() const;
    void copy_game();
    void step();
    void roll_back();
    void confirm();
    void compare();

    SessionOptions options_;
    Game game_;
    int first_frame_;
    int frame_;
    std::vector<Game> copies_;  ///< a ring by frame: the game before each of the last frames

    ByFrame<Inputs> inputs_;          ///< the other's inputs from other_end_ on are predictions
    int own_end_;                     ///< own inputs are known for frames before this one
    int other_end_;                   ///< the other's inputs have arrived for frames before this one
    int input_acked_;                 ///< the other has all own inputs before this frame
    std::optional<int> first_wrong_;  ///< the first frame that was played with a wrong prediction

    int confirmed_;                      ///< the last confirmed frame
    ByFrame<std::uint64_t> own_hashes_;  ///< of frames up to confirmed_
    ByFrame<std::uint64_t> other_hashes_;
    int other_hash_end_;  ///< the other's hashes have arrived for frames before this one
    int compared_end_;    ///< hashes were compared for frames before this one
    int hash_acked_;      ///< the other has all own hashes before this frame
    std::optional<Desync> desync_;

    TimeSync time_sync_;
    std::uint32_t next_sequence_ = 1;
    std::uint32_t newest_sequence_ = 0;  ///< of the other's datagrams
    SessionCounts counts_;
    SessionCosts costs_;
};

}  // namespace talus::samples::rollback
