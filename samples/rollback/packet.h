#pragma once
/// What is in a datagram. There are three kinds of packets:
///
///     Update    each frame, both ways: inputs and hashes that the other has not acknowledged yet, and acknowledgements
///     Chunk     to a peer that joins late: a piece of the saved game
///     ChunkAck  from that peer: the pieces that it has
///
/// Every packet begins with a magic number, the session's number, its kind and its sender. Numbers are little-endian.
///
/// A socket hands over what anybody has sent. So the functions that read packets accept a datagram only if its length is
/// exactly right and each number is in its range; everything else gives nothing. They cannot tell whether a number that
/// is in range is true: Session and transfer.h check that against what they know. A sender that knows the session's
/// number can still lie. Games that are played by strangers need authentication (DTLS, for example) below all this.

#include "samples/rollback/game.h"

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples::rollback {

/// Most frames that a peer plays beyond the last frame whose inputs it has from both players. So no rollback is deeper.
inline constexpr int max_rollback = 8;
inline constexpr int max_input_delay = 8;  ///< frames

/// Most inputs, and most hashes, that an honest peer has not got acknowledged. In words: a peer is at most max_rollback
/// frames ahead of the other's inputs, and so is the other one; each sends inputs for frames that are up to
/// max_input_delay ahead of its own.
inline constexpr int max_unacknowledged = 2 * (max_rollback + max_input_delay);

inline constexpr int max_frame = 1 << 30;  ///< no game lasts as long

enum class PacketKind : std::uint8_t { update = 1, chunk, chunk_ack };

/// A frame's number is the number of frames played before it. The hash of frame f is that of the state before frame f.
struct Update {
    std::uint32_t sequence = 0;    ///< number of the sender's datagram: one that is not greater than the last is late
    int frame = 0;                 ///< the frame that the sender plays next
    float frame_advantage = 0.0f;  ///< frames by which the sender thinks it is ahead; see TimeSync
    int input_ack = 0;             ///< the sender has all inputs of frames before this one
    int hash_ack = 0;              ///< the sender has all hashes of frames before this one
    int first_input = 0;           ///< frame of the first input
    std::vector<Input> inputs{};   ///< the sender's own
    int first_hash = 0;            ///< frame of the first hash
    std::vector<std::uint64_t> hashes{};  ///< of frames that are confirmed: no rollback can change them
};

inline constexpr std::size_t chunk_size = 1024;                     ///< bytes
inline constexpr std::size_t max_saved_size = 64u * 1024u * 1024u;  ///< bytes of a saved game

struct Chunk {
    int frame = 0;           ///< the frame at which the game was saved
    std::uint32_t size = 0;  ///< of the whole saved game, bytes
    std::uint32_t index = 0;
    std::string bytes{};  ///< chunk_size of them, except in the last chunk
};

inline constexpr std::size_t chunk_window = 256;  ///< chunks that may be on the way at a time

struct ChunkAck {
    std::uint32_t first_missing = 0;        ///< all chunks before this one have arrived
    std::bitset<chunk_window> following{};  ///< which chunks have arrived, from first_missing on
};

/// Who sends, and in which session. A packet of another session is ignored, also one of an earlier run on this port.
struct Sender {
    std::uint32_t session = 0;
    int player = 0;
};

std::string write(const Sender& sender, const Update& packet);
std::string write(const Sender& sender, const Chunk& packet);
std::string write(const Sender& sender, const ChunkAck& packet);

/// Returns the kind of a datagram from this sender; nothing if it is not from there.
std::optional<PacketKind> kind_of(const Sender& sender, std::string_view datagram);
std::optional<Update> read_update(const Sender& sender, std::string_view datagram);
std::optional<Chunk> read_chunk(const Sender& sender, std::string_view datagram);
std::optional<ChunkAck> read_chunk_ack(const Sender& sender, std::string_view datagram);

}  // namespace talus::samples::rollback
