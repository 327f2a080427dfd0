#pragma once
/// Several streams of bytes as one compressed block.
///
/// Deflate has no contexts: it codes a byte by how frequent that byte is in its neighbourhood. So what is distributed
/// alike goes into a stream of its own (the residuals of bodies that move wildly, those of bodies nearly at rest), the
/// streams stand one behind the other, and a new set of codes begins with each of them. That gains most of what an
/// adaptive arithmetic coder would, and a browser can unpack it by itself.
///
///     block = varint n, n x varint length, stream 0, stream 1, ... stream n - 1, in the zlib format (RFC 1950)

#include "samples/recording/bytes.h"

#include <talus/result.h>

#include <algorithm>
#include <bit>
#include <span>

namespace talus::samples {

/// Whether the program was built with zlib, without which there are no recordings.
bool can_compress();

/// The streams as one block.
std::string pack(std::span<const std::string_view> streams);

/// A block's streams, which point into `storage`. Exactly `count` of them, or a refusal; nothing is unpacked beyond
/// what deflate can make of so many bytes.
bool unpack(std::string_view block, std::size_t count, std::string& storage, std::vector<std::string_view>& streams);

/// Residuals in streams by how large they are expected to be.
///
/// A residual is zigzagged and its lowest bits, which are noise when it is large, go to a stream of bits; what remains
/// is a byte of the stream of its expectation, 255 and a varint in the stream of overflows when it takes more.
inline constexpr int residual_streams = 14;
inline constexpr std::uint8_t overflow_mark = 255;

/// The stream for residuals that are expected to be about this large in sum: its number of bits.
inline int residual_stream(std::uint64_t expected) {
    return std::min(residual_streams - 1, static_cast<int>(std::bit_width(expected)));
}
/// So many low bits are noise there.
inline int noise_bits(int stream) { return std::max(0, stream - 6); }

class ResidualWriter {
public:
    void residual(int stream, std::int64_t v) {
        const int noise = noise_bits(stream);
        const std::uint64_t z = zigzag(v);
        noise_.bits(z, noise);
        const std::uint64_t high = z >> noise;
        if (high < overflow_mark) {
            streams_[stream].u8(static_cast<std::uint8_t>(high));
        } else {
            streams_[stream].u8(overflow_mark);
            overflow.varint(high - overflow_mark);
        }
    }
    /// Instead of a residual: read as one with this overflow, which no residual has.
    void escape(int stream, std::uint64_t mark) {
        noise_.bits(0, noise_bits(stream));
        streams_[stream].u8(overflow_mark);
        overflow.varint(mark);
    }
    void add_to(std::vector<std::string_view>& streams) const {
        for (const ByteWriter& stream : streams_) streams.push_back(stream.bytes());
        streams.push_back(noise_.bytes());
        streams.push_back(overflow.bytes());
    }

    ByteWriter overflow;

private:
    ByteWriter streams_[residual_streams];
    BitWriter noise_;
};

class ResidualReader {
public:
    static constexpr std::size_t count = residual_streams + 2;

    explicit ResidualReader(const std::string_view* streams)
        : overflow(streams[residual_streams + 1]), noise_(streams[residual_streams]) {
        for (int i = 0; i < residual_streams; ++i) streams_[i] = ByteReader(streams[i]);
    }
    /// `escaped` is set, and 0 returned, where escape(mark) was written.
    std::int64_t residual(int stream, std::uint64_t mark, bool& escaped) {
        const int noise = noise_bits(stream);
        const std::uint64_t low = noise_.bits(noise);
        std::uint64_t high = streams_[stream].u8();
        if (high == overflow_mark) {
            const std::uint64_t more = overflow.varint();
            escaped = more == mark;
            if (escaped) return 0;
            if (more >= std::uint64_t{1} << 51) overflow.fail();
            high += more;
        }
        return unzigzag((high << noise) | low);
    }
    bool ok() const {
        for (const ByteReader& stream : streams_) {
            if (!stream.ok()) return false;
        }
        return overflow.ok() && noise_.ok();
    }
    /// Nothing is left of the streams of bytes.
    bool at_end() const {
        for (const ByteReader& stream : streams_) {
            if (!stream.at_end()) return false;
        }
        return overflow.at_end();
    }

    ByteReader overflow;

private:
    ByteReader streams_[residual_streams];
    BitReader noise_;
};

}  // namespace talus::samples
