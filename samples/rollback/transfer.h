#pragma once
/// A saved game over datagrams, for a player who joins late: chunks one way, acknowledgements the other way.
///
/// The receiver asks by acknowledging nothing. Each frame it says which chunks it has; each frame the sender sends some
/// that are not acknowledged, in turn. So it does not matter which datagrams are lost. Nothing but the chunks' place in
/// the saved game is checked here: load() checks the bytes themselves.

#include "samples/rollback/packet.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples::rollback {

class GameSender {
public:
    /// `saved` is the game before the frame `frame`.
    GameSender(std::string saved, int frame, const Sender& self);

    /// Takes a datagram. Returns false if it is not a valid acknowledgement.
    bool receive(std::string_view datagram);
    bool is_done() const { return first_missing_ == arrived_.size(); }  ///< whether all chunks have arrived
    /// Returns the datagrams to send in this frame.
    std::vector<std::string> datagrams();

private:
    std::string saved_;
    int frame_;
    Sender self_;
    std::vector<bool> arrived_;      ///< by chunk
    std::size_t first_missing_ = 0;  ///< all chunks before this one have arrived
    std::size_t next_ = 0;           ///< where this frame's chunks begin
};

class GameReceiver {
public:
    explicit GameReceiver(const Sender& self) : self_(self) {}

    /// Takes a datagram. Returns false if it is not a valid chunk of the game whose chunk came first.
    bool receive(std::string_view datagram);
    bool is_done() const { return !arrived_.empty() && first_missing_ == arrived_.size(); }
    /// Returns the acknowledgement to send in this frame.
    std::string datagram() const;

    const std::string& saved() const { return saved_; }  ///< the saved game, once is_done()
    int frame() const { return frame_; }                 ///< the frame before which it was saved

private:
    Sender self_;
    std::string saved_;
    int frame_ = 0;
    std::vector<bool> arrived_;
    std::size_t first_missing_ = 0;
};

}  // namespace talus::samples::rollback
