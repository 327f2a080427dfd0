#include "engine/state/byte_changes.h"

#include <algorithm>
#include <bit>

namespace talus {

namespace {

using Bytes = std::span<const std::byte>;

/// A shorter copy is not worth its numbers.
constexpr std::size_t least_copy = 8;
/// Length of the blocks by which moved parts are found, and how many bytes may differ in place before they are looked for.
constexpr std::size_t block = 16, patience = 48;

std::uint64_t word_at(Bytes bytes, std::size_t at) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    return word;
}

std::size_t length_of_match(Bytes a, std::size_t at_a, Bytes b, std::size_t at_b) {
    const std::size_t most = std::min(a.size() - at_a, b.size() - at_b);
    std::size_t length = 0;
    while (length + 8 <= most && word_at(a, at_a + length) == word_at(b, at_b + length)) length += 8;
    while (length < most && a[at_a + length] == b[at_b + length]) ++length;
    return length;
}

/// Finds where a block of bytes occurs in a string, among the blocks at multiples of their length.
class BlockIndex {
public:
    explicit BlockIndex(Bytes text) : text_(text) {}

    /// Returns a place at which `wanted`, starting at `at`, begins with a block of the text; its size if there is none.
    std::size_t find(Bytes wanted, std::size_t at) {
        if (places_.empty()) build();
        const std::uint32_t place = places_[slot_of(wanted, at)];
        const bool found = place != none &&
                           std::equal(wanted.begin() + static_cast<std::ptrdiff_t>(at),
                                      wanted.begin() + static_cast<std::ptrdiff_t>(at + block), text_.begin() + place);
        return found ? place : text_.size();
    }

private:
    static constexpr std::uint32_t none = ~0u;

    void build() {
        places_.assign(std::bit_ceil(2 * (text_.size() / block) + 2), none);
        // The first of equal blocks stays.
        for (std::size_t at = text_.size() / block * block; at >= block; at -= block)
            places_[slot_of(text_, at - block)] = static_cast<std::uint32_t>(at - block);
    }
    std::size_t slot_of(Bytes bytes, std::size_t at) const {
        const std::uint64_t mixed =
            (word_at(bytes, at) ^ (word_at(bytes, at + 8) * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
        return static_cast<std::size_t>(mixed >> 32) & (places_.size() - 1);
    }

    Bytes text_;
    std::vector<std::uint32_t> places_;
};

void write_number(ByteWriter& bytes, std::uint64_t number) {
    while (number >= 128) {
        bytes(static_cast<std::uint8_t>(number | 128));
        number >>= 7;
    }
    bytes(static_cast<std::uint8_t>(number));
}

std::uint64_t read_number(ByteReader& bytes) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 63 && !bytes.failed(); shift += 7) {
        std::uint8_t part = 0;
        bytes(part);
        number |= std::uint64_t{part & 127u} << shift;
        if (part < 128) return number;
    }
    bytes.fail("a number is too long");
    return 0;
}

/// Signed numbers near 0 become small ones.
std::uint64_t folded(std::int64_t x) {
    return static_cast<std::uint64_t>(x) << 1 ^ static_cast<std::uint64_t>(x >> 63);
}
std::int64_t unfolded(std::uint64_t x) { return static_cast<std::int64_t>(x >> 1) ^ -static_cast<std::int64_t>(x & 1); }

}  // namespace

void write_changes(ByteWriter& bytes, Bytes before, Bytes after) {
    BlockIndex index(before);
    std::size_t at = 0, expected = 0;  // the place in `before` that would follow if nothing had shifted
    while (at < after.size()) {
        // How many bytes are new, and where the copy after them comes from.
        std::size_t fresh = 0, from = before.size(), length = 0;
        for (; at + fresh < after.size(); ++fresh) {
            const std::size_t here = at + fresh;
            if (expected + fresh < before.size()) {
                length = length_of_match(before, expected + fresh, after, here);
                if (length >= least_copy || (length > 0 && here + length == after.size())) {
                    from = expected + fresh;
                    break;
                }
            }
            if (fresh < patience || here + block > after.size()) continue;
            from = index.find(after, here);
            if (from == before.size()) continue;
            length = length_of_match(before, from, after, here);
            break;
        }
        write_number(bytes, fresh);
        bytes.raw(after.data() + at, fresh);
        at += fresh;
        if (at == after.size()) break;
        write_number(bytes, length);
        write_number(bytes, folded(static_cast<std::int64_t>(from) - static_cast<std::int64_t>(expected + fresh)));
        at += length;
        expected = from + length;
    }
}

void apply_changes(ByteReader& bytes, Bytes before, std::size_t size, std::vector<std::byte>& after) {
    const std::size_t end = after.size() + size;
    std::size_t expected = 0;
    while (after.size() < end) {
        const std::uint64_t claimed = read_number(bytes);
        if (!bytes.expect(claimed <= end - after.size() && claimed <= bytes.left(), "a run is too long")) return;
        const auto fresh = static_cast<std::size_t>(claimed);
        const std::size_t begin = after.size();
        after.resize(begin + fresh);
        bytes.raw(after.data() + begin, fresh);
        if (after.size() == end) return;
        const std::uint64_t length = read_number(bytes);
        const std::int64_t from = static_cast<std::int64_t>(expected + fresh) + unfolded(read_number(bytes));
        if (bytes.failed()) return;
        const bool fits = length > 0 && length <= end - after.size() && from >= 0 &&
                          static_cast<std::uint64_t>(from) <= before.size() &&
                          length <= before.size() - static_cast<std::uint64_t>(from);
        if (!bytes.expect(fits, "a run copies what is not there")) return;
        const auto first = before.begin() + static_cast<std::ptrdiff_t>(from);
        after.insert(after.end(), first, first + static_cast<std::ptrdiff_t>(length));
        expected = static_cast<std::size_t>(from) + static_cast<std::size_t>(length);
    }
}

}  // namespace talus
