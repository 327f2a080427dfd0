#include "samples/rollback/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace talus::samples::rollback {

namespace {

/// Adds the time of its scope to a cost.
class Timed {
public:
    explicit Timed(SessionCosts::Cost& cost) : cost_(cost) {}
    ~Timed() {
        cost_.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
        ++cost_.count;
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    SessionCosts::Cost& cost_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

Session::Session(Game game, int first_frame, SessionOptions options)
    : options_(std::move(options)),
      game_(std::move(game)),
      first_frame_(first_frame),
      frame_(first_frame),
      copies_(static_cast<std::size_t>(std::max(options_.copies, max_rollback))),
      own_end_(first_frame + options_.input_delay),  // the first inputs are played after the delay; before, no buttons
      other_end_(first_frame),
      input_acked_(first_frame),
      confirmed_(first_frame),
      other_hash_end_(first_frame),
      compared_end_(first_frame),
      hash_acked_(first_frame) {
    own_hashes_[confirmed_] = hash(game_);
}

// ---- What arrives ----------------------------------------------------------------------------------------------------

bool Session::is_possible(const Update& update) const {
    const int input_end = update.first_input + static_cast<int>(update.inputs.size());
    const int hash_end = update.first_hash + static_cast<int>(update.hashes.size());
    // The other plays at most max_rollback frames beyond our inputs, and confirms no frame beyond them.
    return update.first_input <= other_end_ && input_end <= own_end_ + max_rollback + max_input_delay &&
           update.frame <= own_end_ + max_rollback && update.first_hash <= other_hash_end_ &&
           hash_end <= own_end_ + 1 && update.input_ack <= own_end_ && update.hash_ack <= confirmed_ + 1;
}

bool Session::receive(std::string_view datagram) {
    const Sender other{options_.self.session, 1 - options_.self.player};
    const std::optional<Update> update = read_update(other, datagram);
    if (!update || !is_possible(*update)) {
        ++counts_.ignored;
        return false;
    }
    ++counts_.received;
    const bool late = update->sequence <= newest_sequence_;
    if (late)
        ++counts_.late;
    else
        time_sync_.set_other_advantage(update->frame_advantage);
    newest_sequence_ = std::max(newest_sequence_, update->sequence);
    time_sync_.add_frames(frame_, update->frame);

    input_acked_ = std::max(input_acked_, update->input_ack);
    hash_acked_ = std::max(hash_acked_, update->hash_ack);
    for (std::size_t i = 0; i < update->inputs.size(); ++i) {
        const int frame = update->first_input + static_cast<int>(i);
        if (frame < other_end_) continue;  // it has arrived before
        if (frame < frame_ && !first_wrong_ && other_input(frame) != update->inputs[i]) first_wrong_ = frame;
        other_input(frame) = update->inputs[i];
        other_end_ = frame + 1;
    }
    for (std::size_t i = 0; i < update->hashes.size(); ++i) {
        const int frame = update->first_hash + static_cast<int>(i);
        if (frame < other_hash_end_) continue;
        other_hashes_[frame] = update->hashes[i];
        other_hash_end_ = frame + 1;
    }
    return true;
}

// ---- Playing ---------------------------------------------------------------------------------------------------------

bool Session::must_wait() const {
    // The last two are for a peer that sends inputs and acknowledges nothing. One that keeps to the rules never gets there.
    return !has_heard_other() || frame_ - other_end_ >= max_rollback || own_end_ - input_acked_ >= max_unacknowledged ||
           confirmed_ + 1 - hash_acked_ >= max_unacknowledged;
}

bool Session::advance(Input input) {
    correct();
    if (must_wait()) {
        if (has_heard_other()) ++counts_.stalls;
        return false;
    }
    own_input(own_end_) = input;
    ++own_end_;
    if (frame_ >= other_end_) ++counts_.frames_predicted;
    copy_game();
    step();
    return true;
}

void Session::copy_game() {
    const Timed timed(costs_.copy);
    copy_of(frame_) = game_;  // allocates only if a list is longer than ever before
}

void Session::step() {
    if (frame_ >= other_end_) other_input(frame_) = other_input(other_end_ - 1);  // the prediction: the same buttons
    const Timed timed(costs_.step);
    options_.play_frame(game_, frame_, inputs_[frame_]);
    ++frame_;
}

void Session::roll_back() {
    const int present = frame_;
    frame_ = *first_wrong_;
    first_wrong_.reset();
    ++counts_.rollbacks;
    counts_.deepest = std::max(counts_.deepest, present - frame_);
    counts_.frames_again += static_cast<std::uint64_t>(present - frame_);
    {
        const Timed timed(costs_.restore);
        game_ = copy_of(frame_);
    }
    step();
    while (frame_ < present) {
        copy_game();
        step();
    }
}

void Session::correct() {
    if (first_wrong_) roll_back();
    confirm();
    compare();
}

// ---- Hashes ----------------------------------------------------------------------------------------------------------

const Game* Session::game_before(int frame) const {
    if (frame == frame_) return &game_;
    const int copies = static_cast<int>(copies_.size());
    if (frame > frame_ || frame < std::max(first_frame_, frame_ - copies)) return nullptr;
    return &copies_[static_cast<std::size_t>(frame % copies)];
}

void Session::confirm() {
    while (confirmed_ < std::min(frame_, other_end_)) {
        ++confirmed_;
        const Timed timed(costs_.hash);
        own_hashes_[confirmed_] = hash(*game_before(confirmed_));
    }
}

void Session::compare() {
    for (; compared_end_ < std::min(confirmed_ + 1, other_hash_end_); ++compared_end_) {
        const std::uint64_t own = own_hashes_[compared_end_], other = other_hashes_[compared_end_];
        if (own != other && !desync_) desync_ = Desync{compared_end_, own, other};
        ++counts_.frames_compared;
    }
}

// ---- What is sent ----------------------------------------------------------------------------------------------------

std::string Session::datagram() {
    Update update;
    update.sequence = next_sequence_++;
    update.frame = frame_;
    update.frame_advantage = time_sync_.advantage();
    update.input_ack = other_end_;
    update.hash_ack = other_hash_end_;
    update.first_input = input_acked_;
    for (int frame = input_acked_; frame < own_end_; ++frame) update.inputs.push_back(own_input(frame));
    update.first_hash = hash_acked_;
    for (int frame = hash_acked_; frame <= confirmed_; ++frame) update.hashes.push_back(own_hashes_[frame]);
    return write(options_.self, update);
}

double Session::frame_time() const {
    return options_.time_sync ? dt * time_sync_.slow_down() : static_cast<double>(dt);
}

}  // namespace talus::samples::rollback
