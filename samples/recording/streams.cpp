#include "samples/recording/streams.h"

#ifdef TALUS_WITH_ZLIB
#include <zlib.h>
#endif

namespace talus::samples {

#ifdef TALUS_WITH_ZLIB

namespace {

constexpr int level = 9, window_bits = 15, memory_level = 9;  // the best that zlib offers: it is a small part of a run
constexpr std::size_t largest_ratio = 1032;                   // deflate's own: 258 bytes from two bits
constexpr std::size_t largest_block = std::size_t{1} << 30;

Bytef* input(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

}  // namespace

bool can_compress() { return true; }

std::string pack(std::span<const std::string_view> streams) {
    ByteWriter header;
    header.varint(streams.size());
    for (const std::string_view stream : streams) header.varint(stream.size());

    std::string out;
    char buffer[1 << 14];
    z_stream z{};
    deflateInit2(&z, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
    const auto feed = [&](std::string_view bytes, int flush) {
        z.next_in = input(bytes);
        z.avail_in = static_cast<uInt>(bytes.size());
        do {
            z.next_out = reinterpret_cast<Bytef*>(buffer);
            z.avail_out = sizeof buffer;
            deflate(&z, flush);
            out.append(buffer, sizeof buffer - z.avail_out);
        } while (z.avail_out == 0);
    };
    feed(header.bytes(), Z_NO_FLUSH);
    constexpr std::size_t worth_own_codes = 400;  // a set of codes takes some 60 bytes
    for (const std::string_view stream : streams) {
        if (!stream.empty()) feed(stream, stream.size() >= worth_own_codes ? Z_BLOCK : Z_NO_FLUSH);
    }
    feed({}, Z_FINISH);
    deflateEnd(&z);
    return out;
}

bool unpack(std::string_view block, std::size_t count, std::string& storage, std::vector<std::string_view>& streams) {
    streams.clear();
    storage.clear();
    const std::size_t most = std::min(largest_block, largest_ratio * block.size() + 1024);
    z_stream z{};
    if (inflateInit2(&z, window_bits) != Z_OK) return false;
    z.next_in = input(block);
    z.avail_in = static_cast<uInt>(block.size());
    int status = Z_OK;
    while (status == Z_OK && storage.size() < most) {
        const std::size_t done = storage.size();
        storage.resize(std::min(most, std::max<std::size_t>(4 * block.size(), 2 * done) + 1024));
        z.next_out = reinterpret_cast<Bytef*>(storage.data() + done);
        z.avail_out = static_cast<uInt>(storage.size() - done);
        status = inflate(&z, Z_NO_FLUSH);
        storage.resize(storage.size() - z.avail_out);
    }
    inflateEnd(&z);
    if (status != Z_STREAM_END || z.avail_in != 0) return false;

    ByteReader reader(storage);
    if (reader.count() != count) return false;
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < count; ++i) lengths.push_back(reader.count());
    for (const std::size_t length : lengths) streams.push_back(reader.raw(length));
    return reader.ok() && reader.at_end();
}

#else

bool can_compress() { return false; }
std::string pack(std::span<const std::string_view>) { return {}; }
bool unpack(std::string_view, std::size_t, std::string&, std::vector<std::string_view>&) { return false; }

#endif

}  // namespace talus::samples
