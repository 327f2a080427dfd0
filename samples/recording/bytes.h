#pragma once
/// Numbers as bytes: what the parts of a recording are written with and read by.
///
/// Little-endian. A varint holds seven bits per byte, lowest first, the top bit set on all bytes but the last; signed
/// numbers are zigzagged first (0, -1, 1, -2, ... become 0, 1, 2, 3, ...), so that small ones of both signs are short.

#include "common/bit_cast.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace talus::samples {

inline std::uint64_t zigzag(std::int64_t v) {
    return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
    return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

class ByteWriter {
public:
    void u8(std::uint8_t v) { bytes_.push_back(static_cast<char>(v)); }
    void u32(std::uint32_t v) {
        for (int i = 0; i < 32; i += 8) u8(static_cast<std::uint8_t>(v >> i));
    }
    void u64(std::uint64_t v) {
        for (int i = 0; i < 64; i += 8) u8(static_cast<std::uint8_t>(v >> i));
    }
    void f32(float v) { u32(detail::bit_cast<std::uint32_t>(v)); }
    void f64(double v) { u64(detail::bit_cast<std::uint64_t>(v)); }
    void varint(std::uint64_t v) {
        for (; v >= 128; v >>= 7) u8(static_cast<std::uint8_t>(v | 128));
        u8(static_cast<std::uint8_t>(v));
    }
    void signed_varint(std::int64_t v) { varint(zigzag(v)); }
    void text(std::string_view v) {
        varint(v.size());
        bytes_ += v;
    }
    void raw(std::string_view v) { bytes_ += v; }

    const std::string& bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    void clear() { bytes_.clear(); }

private:
    std::string bytes_;
};

/// Reading past the end gives zeros, and ok() says so from then on.
class ByteReader {
public:
    ByteReader() = default;
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    bool ok() const { return ok_; }
    bool at_end() const { return at_ == bytes_.size(); }
    std::size_t left() const { return bytes_.size() - at_; }
    void fail() { ok_ = false; }

    std::uint8_t u8() {
        if (at_ == bytes_.size()) {
            ok_ = false;
            return 0;
        }
        return static_cast<std::uint8_t>(bytes_[at_++]);
    }
    std::uint32_t u32() {
        std::uint32_t v = 0;
        for (int i = 0; i < 32; i += 8) v |= std::uint32_t{u8()} << i;
        return v;
    }
    std::uint64_t u64() {
        std::uint64_t v = 0;
        for (int i = 0; i < 64; i += 8) v |= std::uint64_t{u8()} << i;
        return v;
    }
    float f32() { return detail::bit_cast<float>(u32()); }
    double f64() { return detail::bit_cast<double>(u64()); }
    std::uint64_t varint() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint8_t b = u8();
            v |= std::uint64_t{b & 127u} << shift;
            if (b < 128) return v;
        }
        ok_ = false;
        return 0;
    }
    std::int64_t signed_varint() { return unzigzag(varint()); }
    /// A count of things that take at least `least` bytes each here: more than fit are refused.
    std::size_t count(std::size_t least = 1) {
        const std::uint64_t n = varint();
        if (n > left() / least) {
            ok_ = false;
            return 0;
        }
        return static_cast<std::size_t>(n);
    }
    /// A number below `end`.
    std::uint32_t below(std::uint64_t end) {
        const std::uint64_t n = varint();
        if (n >= end) {
            ok_ = false;
            return 0;
        }
        return static_cast<std::uint32_t>(n);
    }
    std::string_view raw(std::size_t size) {
        if (size > left()) {
            ok_ = false;
            return {};
        }
        const std::string_view part = bytes_.substr(at_, size);
        at_ += size;
        return part;
    }
    std::string_view text() { return raw(count()); }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

/// Bits in the order in which they come, from the lowest of each byte on.
class BitWriter {
public:
    void bits(std::uint64_t v, int count) {
        for (int i = 0; i < count; ++i) {
            if (used_ == 0) bytes_.push_back('\0');
            if ((v >> i) & 1u) bytes_.back() = static_cast<char>(bytes_.back() | (1 << used_));
            used_ = (used_ + 1) & 7;
        }
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    int used_ = 0;
};

class BitReader {
public:
    BitReader() = default;
    explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t bits(int count) {
        std::uint64_t v = 0;
        for (int i = 0; i < count; ++i, ++at_) {
            if (at_ / 8 >= bytes_.size()) {
                ok_ = false;
                return 0;
            }
            v |= std::uint64_t{(static_cast<std::uint8_t>(bytes_[at_ / 8]) >> (at_ % 8)) & 1u} << i;
        }
        return v;
    }
    bool ok() const { return ok_; }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

}  // namespace talus::samples
