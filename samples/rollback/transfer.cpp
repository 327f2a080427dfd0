#include "samples/rollback/transfer.h"

#include <algorithm>
#include <utility>

namespace talus::samples::rollback {

namespace {

constexpr std::size_t chunks_per_frame = 16;  // 1 MB/s at 60 frames per second

Sender other_than(const Sender& self) { return {self.session, 1 - self.player}; }

std::size_t chunks_of(std::size_t size) { return (size + chunk_size - 1) / chunk_size; }

void skip_arrived(const std::vector<bool>& arrived, std::size_t& first_missing) {
    while (first_missing < arrived.size() && arrived[first_missing]) ++first_missing;
}

}  // namespace

GameSender::GameSender(std::string saved, int frame, const Sender& self)
    : saved_(std::move(saved)), frame_(frame), self_(self), arrived_(chunks_of(saved_.size())) {}

bool GameSender::receive(std::string_view datagram) {
    const std::optional<ChunkAck> ack = read_chunk_ack(other_than(self_), datagram);
    if (!ack || ack->first_missing > arrived_.size()) return false;
    std::fill_n(arrived_.begin(), ack->first_missing, true);
    const std::size_t shown = std::min(chunk_window, arrived_.size() - ack->first_missing);
    for (std::size_t i = 0; i < shown; ++i) {
        if (ack->following[i]) arrived_[ack->first_missing + i] = true;
    }
    skip_arrived(arrived_, first_missing_);
    return true;
}

std::vector<std::string> GameSender::datagrams() {
    // Only as far as the receiver's acknowledgements reach.
    const std::size_t end = std::min(first_missing_ + chunk_window, arrived_.size());
    std::vector<std::string> out;
    for (std::size_t looked_at = first_missing_; looked_at < end && out.size() < chunks_per_frame;
         ++looked_at, ++next_) {
        if (next_ < first_missing_ || next_ >= end) next_ = first_missing_;
        if (arrived_[next_]) continue;
        out.push_back(write(self_, Chunk{.frame = frame_,
                                         .size = static_cast<std::uint32_t>(saved_.size()),
                                         .index = static_cast<std::uint32_t>(next_),
                                         .bytes = saved_.substr(next_ * chunk_size, chunk_size)}));
    }
    return out;
}

bool GameReceiver::receive(std::string_view datagram) {
    const std::optional<Chunk> chunk = read_chunk(other_than(self_), datagram);
    if (!chunk) return false;
    if (arrived_.empty()) {
        saved_.resize(chunk->size);
        arrived_.resize(chunks_of(chunk->size));
        frame_ = chunk->frame;
    }
    if (chunk->size != saved_.size() || chunk->frame != frame_) return false;
    if (!arrived_[chunk->index]) {
        saved_.replace(chunk->index * chunk_size, chunk->bytes.size(), chunk->bytes);
        arrived_[chunk->index] = true;
        skip_arrived(arrived_, first_missing_);
    }
    return true;
}

std::string GameReceiver::datagram() const {
    ChunkAck ack;
    ack.first_missing = static_cast<std::uint32_t>(first_missing_);
    for (std::size_t i = 0; i < chunk_window && first_missing_ + i < arrived_.size(); ++i)
        ack.following[i] = arrived_[first_missing_ + i];
    return write(self_, ack);
}

}  // namespace talus::samples::rollback
