#pragma once
/// A peer: one player's computer. It owns a socket, and plays the game with the peer at the other end.

#include "samples/rollback/network_model.h"
#include "samples/rollback/session.h"
#include "samples/rollback/transfer.h"
#include "samples/rollback/udp_socket.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace talus::samples::rollback {

struct PeerOptions {
    SessionOptions session;
    int frames = 1000;          ///< length of the game
    std::uint64_t seed = 1;     ///< of the two players' inputs
    NetworkConditions network;  ///< what happens to the datagrams of this peer
    /// The second player joins in the middle: player 0 plays alone until then, and player 1 does not build the game
    /// but receives it as bytes.
    bool join_late = false;
    double start = 0.0;        ///< time of the first frame, s
    double clock_drift = 0.0;  ///< this peer's clock runs faster by this fraction: 0.001 is 0.1%
};

class Peer {
public:
    Peer(PeerOptions options, UdpSocket socket);

    int player() const { return options_.session.self.player; }
    std::uint16_t port() const { return socket_.port(); }
    void connect(const Endpoint& other) { other_ = other; }  ///< names the other peer; call it before run()

    /// Returns the time at which run() has something to do next, s.
    double next_event() const;
    /// Does what is due at the time `now`, s: sends datagrams and, if it is time for the next frame, receives and plays.
    void run(double now);

    bool has_finished() const;                                                  ///< all frames are played and compared
    bool is_done() const;                                                       ///< finished, or failed
    std::optional<Desync> desync() const;                                       ///< the frame at which the peers differ
    const std::string& problem() const { return problem_; }                     ///< empty, or why the peer gave up
    const Session* session() const { return session_ ? &*session_ : nullptr; }  ///< null before both play
    const NetworkModel& network() const { return network_; }
    int first_frame() const { return first_frame_; }  ///< the first frame that both play

private:
    void begin_session(Game game, int frame);
    void receive(double now);
    bool receive_one(std::string_view datagram);
    void play_alone();
    void play();
    void load_game();
    void send_due(double now);

    PeerOptions options_;
    UdpSocket socket_;
    Endpoint other_;
    NetworkModel network_;
    double next_frame_;
    std::optional<double> last_heard_;

    // What the peer is doing. A peer that has one of the first three has no session yet.
    std::optional<Game> alone_;             ///< plays alone; stands still while sender_ sends it
    std::optional<GameSender> sender_;      ///< sends the game to a player who joins late
    std::optional<GameReceiver> receiver_;  ///< joins late, and receives the game
    std::optional<Session> session_;        ///< plays with the other

    int first_frame_ = 0;
    std::string problem_;
};

/// Runs peers until all are done. They then answer for one second more, because the other may have missed the last
/// datagrams. With `virtual_time`, the clock jumps to the next event instead of waiting for it; datagrams go through the
/// sockets as ever.
void run(std::span<Peer> peers, bool virtual_time);

}  // namespace talus::samples::rollback
