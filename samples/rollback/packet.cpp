#include "samples/rollback/packet.h"

#include "samples/recording/bytes.h"

#include <algorithm>
#include <cmath>

namespace talus::samples::rollback {

namespace {

constexpr std::uint32_t magic = 0x31425254u;  // "TRB1"; another format has another number

// An advantage is written in 1/256 of a frame. Peers are never this far apart, except before they have met.
constexpr float max_advantage = 64.0f, advantage_scale = 256.0f;

void write_header(ByteWriter& out, const Sender& sender, PacketKind kind) {
    out.u32(magic);
    out.u32(sender.session);
    out.u8(static_cast<std::uint8_t>(kind));
    out.u8(static_cast<std::uint8_t>(sender.player));
}

/// Reads the header; fails if it is not one of this sender. The kind is checked by the callers.
PacketKind read_header(ByteReader& in, const Sender& sender) {
    if (in.u32() != magic) in.fail();
    if (in.u32() != sender.session) in.fail();
    const std::uint8_t kind = in.u8();
    if (in.u8() != sender.player) in.fail();
    return static_cast<PacketKind>(kind);
}

bool begins(ByteReader& in, const Sender& sender, PacketKind kind) {
    const PacketKind found = read_header(in, sender);
    return in.ok() && found == kind;
}

int read_frame(ByteReader& in) {
    const std::uint32_t frame = in.u32();
    if (frame >= static_cast<std::uint32_t>(max_frame)) in.fail();
    return static_cast<int>(frame & 0x3fffffffu);
}

std::size_t read_count(ByteReader& in) {
    const std::size_t count = in.u8();
    if (count > max_unacknowledged) in.fail();
    return in.ok() ? count : 0;
}

}  // namespace

std::string write(const Sender& sender, const Update& packet) {
    ByteWriter out;
    write_header(out, sender, PacketKind::update);
    out.u32(packet.sequence);
    out.u32(static_cast<std::uint32_t>(packet.frame));
    const float advantage = std::clamp(packet.frame_advantage, -max_advantage, max_advantage);
    out.u32(static_cast<std::uint32_t>(std::lround((advantage + max_advantage) * advantage_scale)));
    out.u32(static_cast<std::uint32_t>(packet.input_ack));
    out.u32(static_cast<std::uint32_t>(packet.hash_ack));
    out.u32(static_cast<std::uint32_t>(packet.first_input));
    out.u8(static_cast<std::uint8_t>(packet.inputs.size()));
    for (const Input input : packet.inputs) out.u8(input.buttons);
    out.u32(static_cast<std::uint32_t>(packet.first_hash));
    out.u8(static_cast<std::uint8_t>(packet.hashes.size()));
    for (const std::uint64_t hash : packet.hashes) out.u64(hash);
    return out.bytes();
}

std::optional<Update> read_update(const Sender& sender, std::string_view datagram) {
    ByteReader in(datagram);
    if (!begins(in, sender, PacketKind::update)) return std::nullopt;
    Update packet;
    packet.sequence = in.u32();
    packet.frame = read_frame(in);
    const std::uint32_t advantage = in.u32();
    if (advantage > static_cast<std::uint32_t>(2.0f * max_advantage * advantage_scale)) in.fail();
    packet.frame_advantage = static_cast<float>(advantage) / advantage_scale - max_advantage;
    packet.input_ack = read_frame(in);
    packet.hash_ack = read_frame(in);
    packet.first_input = read_frame(in);
    packet.inputs.resize(read_count(in));
    for (Input& input : packet.inputs) input.buttons = in.u8();
    packet.first_hash = read_frame(in);
    packet.hashes.resize(read_count(in));
    for (std::uint64_t& hash : packet.hashes) hash = in.u64();
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return packet;
}

std::string write(const Sender& sender, const Chunk& packet) {
    ByteWriter out;
    write_header(out, sender, PacketKind::chunk);
    out.u32(static_cast<std::uint32_t>(packet.frame));
    out.u32(packet.size);
    out.u32(packet.index);
    out.raw(packet.bytes);
    return out.bytes();
}

std::optional<Chunk> read_chunk(const Sender& sender, std::string_view datagram) {
    ByteReader in(datagram);
    if (!begins(in, sender, PacketKind::chunk)) return std::nullopt;
    Chunk packet;
    packet.frame = read_frame(in);
    packet.size = in.u32();
    packet.index = in.u32();
    if (!in.ok() || packet.size > max_saved_size) return std::nullopt;
    const std::size_t begin = packet.index * chunk_size;
    if (begin >= packet.size || in.left() != std::min(chunk_size, packet.size - begin)) return std::nullopt;
    packet.bytes = in.raw(in.left());
    return packet;
}

std::string write(const Sender& sender, const ChunkAck& packet) {
    ByteWriter out;
    write_header(out, sender, PacketKind::chunk_ack);
    out.u32(packet.first_missing);
    for (std::size_t i = 0; i < chunk_window; i += 8) {
        std::uint8_t byte = 0;
        for (std::size_t bit = 0; bit < 8; ++bit) byte |= static_cast<std::uint8_t>(packet.following[i + bit] << bit);
        out.u8(byte);
    }
    return out.bytes();
}

std::optional<ChunkAck> read_chunk_ack(const Sender& sender, std::string_view datagram) {
    ByteReader in(datagram);
    if (!begins(in, sender, PacketKind::chunk_ack)) return std::nullopt;
    ChunkAck packet;
    packet.first_missing = in.u32();
    for (std::size_t i = 0; i < chunk_window; i += 8) {
        const std::uint8_t byte = in.u8();
        for (std::size_t bit = 0; bit < 8; ++bit) packet.following[i + bit] = ((byte >> bit) & 1u) != 0;
    }
    if (!in.ok() || !in.at_end() || packet.first_missing > max_saved_size / chunk_size) return std::nullopt;
    return packet;
}

std::optional<PacketKind> kind_of(const Sender& sender, std::string_view datagram) {
    ByteReader in(datagram);
    const PacketKind kind = read_header(in, sender);
    if (!in.ok()) return std::nullopt;
    return kind;
}

}  // namespace talus::samples::rollback
