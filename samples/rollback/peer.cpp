#include "samples/rollback/peer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace talus::samples::rollback {

namespace {

constexpr double longest_silence = 10.0;  // s without a valid datagram from a peer that was there
constexpr double longest_wait = 60.0;     // s until the other must have started
constexpr double longest_delay = 0.25;    // s by which a peer may be behind its clock; beyond, it gives up the time
constexpr double answering_time = 1.0;    // s after the end
constexpr int most_datagrams_per_frame = 256;  // so that a flood of them cannot stop the game

}  // namespace

Peer::Peer(PeerOptions options, UdpSocket socket)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      network_(options_.network, options_.seed + static_cast<std::uint64_t>(player())),
      next_frame_(options_.start) {
    if (!options_.join_late)
        begin_session(make_game(), 0);
    else if (player() == 0)
        alone_ = make_game();
    else
        receiver_.emplace(options_.session.self);
}

void Peer::begin_session(Game game, int frame) {
    first_frame_ = frame;
    session_.emplace(std::move(game), frame, options_.session);
}

double Peer::next_event() const { return std::min(next_frame_, network_.next_delivery()); }

bool Peer::has_finished() const { return session_ && session_->is_settled(options_.frames) && !session_->desync(); }
bool Peer::is_done() const { return has_finished() || desync() || !problem_.empty(); }
std::optional<Desync> Peer::desync() const { return session_ ? session_->desync() : std::nullopt; }

// ---- A frame ---------------------------------------------------------------------------------------------------------

void Peer::run(double now) {
    if (now >= next_frame_) {
        receive(now);
        double frame_time = dt;
        if (sender_) {
            for (std::string& datagram : sender_->datagrams()) network_.send(now, std::move(datagram));
        } else if (alone_) {
            play_alone();
        } else if (receiver_) {
            network_.send(now, receiver_->datagram());
        } else {
            play();
            network_.send(now, session_->datagram());
            frame_time = session_->frame_time();
        }
        next_frame_ = std::max(next_frame_ + frame_time / (1.0 + options_.clock_drift), now - longest_delay);
    }
    send_due(now);
}

void Peer::send_due(double now) {
    while (const std::optional<std::string> datagram = network_.deliver(now)) socket_.send(other_, *datagram);
}

void Peer::play() {
    session_->correct();
    if (session_->desync() || session_->frame() == options_.frames) return;
    session_->advance(random_input(options_.seed, player(), session_->frame()));
}

void Peer::play_alone() {
    if (first_frame_ + 1 == options_.frames) {
        problem_ = "nobody joined the game";
        return;
    }
    Inputs inputs;
    inputs[0] = random_input(options_.seed, 0, first_frame_);
    advance(*alone_, inputs);
    ++first_frame_;
}

// ---- What arrives ----------------------------------------------------------------------------------------------------

void Peer::receive(double now) {
    for (int i = 0; i < most_datagrams_per_frame; ++i) {
        const std::optional<std::string_view> datagram = socket_.receive();
        if (!datagram) break;
        if (receive_one(*datagram)) last_heard_ = now;
    }
    const double silence = last_heard_ ? now - *last_heard_ : now - options_.start;
    const bool expects_other = sender_ || !alone_;
    if (expects_other && !is_done() && silence > (last_heard_ ? longest_silence : longest_wait))
        problem_ = "the other peer is silent";
}

bool Peer::receive_one(std::string_view datagram) {
    const Sender other{options_.session.self.session, 1 - player()};
    if (sender_) {
        // An update means that the other plays already, so it says the same as an acknowledgement of all chunks.
        const bool plays = read_update(other, datagram).has_value();
        if (!plays && !sender_->receive(datagram)) return false;
        if (plays || sender_->is_done()) {
            sender_.reset();
            begin_session(std::move(*alone_), first_frame_);
            alone_.reset();
        }
        return true;
    }
    if (alone_) {  // a request for the game
        if (!read_chunk_ack(other, datagram)) return false;
        Result<std::string> saved = save(*alone_);
        if (saved)
            sender_.emplace(std::move(*saved), first_frame_, options_.session.self);
        else
            problem_ = saved.error().message;
        return true;
    }
    if (receiver_) {
        if (!receiver_->receive(datagram)) return false;
        if (receiver_->is_done()) load_game();
        return true;
    }
    return session_->receive(datagram);
}

void Peer::load_game() {
    Result<Game> game = load(receiver_->saved());
    if (!game) {
        problem_ = game.error().message;
        return;
    }
    begin_session(std::move(*game), receiver_->frame());
    receiver_.reset();
}

// ---- The loop --------------------------------------------------------------------------------------------------------

void run(std::span<Peer> peers, bool virtual_time) {
    const auto begin = std::chrono::steady_clock::now();
    double now = 0.0, end = std::numeric_limits<double>::infinity();
    while (now < end) {
        double next = std::numeric_limits<double>::infinity();
        for (const Peer& peer : peers) next = std::min(next, peer.next_event());
        if (virtual_time) {
            now = std::max(now, next);
        } else {
            std::this_thread::sleep_until(begin + std::chrono::duration<double>(next));
            now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }
        for (Peer& peer : peers) peer.run(now);
        const bool all_done = std::all_of(peers.begin(), peers.end(), [](const Peer& peer) { return peer.is_done(); });
        if (all_done) end = std::min(end, now + answering_time);
    }
}

}  // namespace talus::samples::rollback
