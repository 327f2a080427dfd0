#pragma once
/// Internal: values as bytes, for saved worlds.
///
/// Numbers are little-endian and have no padding, so the bytes are the same on every platform. A struct says once which
/// fields it has, for both directions:
///
///     template <class Bytes>
///     void visit_fields(Bytes& bytes, Filter& filter) {
///         auto& [category, mask, group] = filter;   // names all fields: a new one does not compile until it is here
///         bytes(category, mask, group);
///     }
///
/// A class with private data has a member `template <class Bytes> void visit_fields(Bytes&)` in place of it.
///
/// A ByteReader believes nothing: after the first value that cannot be right it has failed, and all further values are
/// left as they are. It never allocates more than the bytes that are left can fill.

#include <talus/aabb.h>
#include <talus/math.h>
#include "common/assert.h"
#include "common/bit_cast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace talus {

/// The greatest value of an enumeration. Each one that is saved needs it.
template <class E>
inline constexpr E last_value = E{};

namespace detail {

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T, class Bytes>
concept has_member_fields = requires(T& value, Bytes& bytes) {
    value.visit_fields(bytes);
};

/// Turns numbers into little-endian ones, and back.
template <class T>
T little_endian(T x) {
    if constexpr (std::endian::native == std::endian::little) {
        return x;
    } else {
        auto bytes = detail::bit_cast<std::array<std::byte, sizeof(T)>>(x);
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
        return detail::bit_cast<T>(bytes);
    }
}

}  // namespace detail

/// What the visit of a value has in common for both directions.
template <class Bytes, class T>
void visit_value(Bytes& bytes, T& value) {
    if constexpr (detail::has_member_fields<T, Bytes>) {
        value.visit_fields(bytes);
    } else {
        visit_fields(bytes, value);
    }
}

namespace detail {

/// The type as which a value is stored, if it is stored as one number: bool as a byte, an enumeration as its number.
template <class T>
struct Stored {
    using type = T;
};
template <>
struct Stored<bool> {
    using type = std::uint8_t;
};
template <class T>
requires std::is_enum_v<T>
struct Stored<T> {
    using type = std::underlying_type_t<T>;
};
template <class T>
inline constexpr bool is_scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Returns what is wrong with a number for a value of type T, or null.
template <class T>
const char* problem_of_number(typename Stored<T>::type x) {
    if constexpr (std::is_same_v<T, bool>) {
        return x <= 1 ? nullptr : "a flag is neither 0 nor 1";
    } else if constexpr (std::is_enum_v<T>) {
        return x <= static_cast<typename Stored<T>::type>(last_value<T>) ? nullptr
                                                                         : "an enumeration has an unknown value";
    } else if constexpr (std::is_floating_point_v<T>) {
        return x == x ? nullptr : "a number is NaN";
    } else {
        return nullptr;
    }
}

/// Values without lists and pointers. Their fields need at most sizeof(T) bytes.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T>;

}  // namespace detail

/// Writes the fields of values that contain no lists, into memory that is large enough: sizeof(T) for each.
class FieldWriter {
public:
    static constexpr bool reads = false;

    explicit FieldWriter(std::byte* at) : at_(at) {}
    template <class... T>
    void operator()(const T&... values) {
        std::byte* at = at_;  // stores to memory cannot change this one
        ((at = put(at, values)), ...);
        at_ = at;
    }
    std::byte* at() const { return at_; }

private:
    template <class T>
    static std::byte* put(std::byte* at, const T& value) {
        if constexpr (detail::is_scalar<T>) {
            const auto x = detail::little_endian(static_cast<typename detail::Stored<T>::type>(value));
            std::memcpy(at, &x, sizeof x);
            return at + sizeof x;
        } else {
            FieldWriter fields(at);
            visit_value(fields, const_cast<T&>(value));
            return fields.at_;
        }
    }

    std::byte* at_;
};

/// Reads them, from memory that is large enough.
class FieldReader {
public:
    static constexpr bool reads = true;

    explicit FieldReader(const std::byte* at) : at_(at) {}
    template <class... T>
    void operator()(T&... values) {
        (take(values), ...);
    }
    const std::byte* at() const { return at_; }
    bool failed() const { return problem_ != nullptr; }
    const char* problem() const { return problem_; }
    bool expect(bool ok, const char* problem) {
        if (!ok && problem_ == nullptr) problem_ = problem;
        return ok;
    }

private:
    template <class T>
    void take(T& value) {
        if constexpr (detail::is_scalar<T>) {
            typename detail::Stored<T>::type x;
            std::memcpy(&x, at_, sizeof x);
            at_ += sizeof x;
            x = detail::little_endian(x);
            if (const char* const problem = detail::problem_of_number<T>(x)) {
                expect(false, problem);
            } else {
                value = static_cast<T>(x);
            }
        } else {
            visit_value(*this, value);
        }
    }

    const std::byte* at_;
    const char* problem_ = nullptr;
};

class AssetWriter;
class AssetReader;

class ByteWriter {
public:
    static constexpr bool reads = false;
    AssetWriter* assets = nullptr;  ///< where hulls and meshes go

    template <class... T>
    void operator()(const T&... values) {
        (put(values), ...);
    }
    void raw(const void* from, std::size_t count) {
        if (count == 0) return;
        std::memcpy(room_for(count), from, count);
        used_ += count;
    }
    /// Makes room for so many bytes at once. It is no limit.
    void reserve(std::size_t count) { bytes_.reserve(count); }
    std::size_t size() const { return used_; }
    std::span<const std::byte> written() const { return {bytes_.data(), used_}; }
    /// Overwrites bytes that were written.
    template <class T>
    void replace(std::size_t at, const T& value) {
        FieldWriter(bytes_.data() + at)(value);
    }
    std::vector<std::byte> take() {
        bytes_.resize(used_);
        return std::move(bytes_);
    }

private:
    template <class T>
    void put(const T& value) {
        if constexpr (detail::is_plain<T>) {
            FieldWriter fields(room_for(sizeof(T)));
            fields(value);
            TALUS_ASSERT(fields.at() - (bytes_.data() + used_) <= static_cast<std::ptrdiff_t>(sizeof(T)));
            used_ = static_cast<std::size_t>(fields.at() - bytes_.data());
        } else {
            visit_value(*this, const_cast<T&>(value));
        }
    }
    std::byte* room_for(std::size_t count) {
        if (count > bytes_.size() - used_) grow(count);
        return bytes_.data() + used_;
    }

    void grow(std::size_t count) {
        constexpr std::size_t block = 65536;
        const std::size_t needed = used_ + count;
        if (needed > bytes_.capacity()) bytes_.reserve(std::max(2 * bytes_.capacity(), needed + 1024));
        bytes_.resize(std::min(bytes_.capacity(), needed + block));
    }

    std::vector<std::byte> bytes_;
    std::size_t used_ = 0;
};

class ByteReader {
public:
    static constexpr bool reads = true;
    AssetReader* assets = nullptr;  ///< where hulls and meshes come from

    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class... T>
    void operator()(T&... values) {
        (take(values), ...);
    }
    bool raw(void* to, std::size_t count) {
        if (failed() || count > left()) return fail("it ends too early");
        if (count != 0) std::memcpy(to, bytes_.data() + at_, count);
        at_ += count;
        return true;
    }
    std::size_t left() const { return bytes_.size() - at_; }
    bool failed() const { return problem_ != nullptr; }
    /// What is wrong with the bytes, as the end of a sentence; null if nothing is.
    const char* problem() const { return problem_; }
    /// Notes the first thing that is wrong. Returns false.
    bool fail(const char* problem) {
        if (!failed()) problem_ = problem;
        return false;
    }
    /// Fails unless `ok`. Returns `ok`.
    bool expect(bool ok, const char* problem) { return ok || fail(problem); }

private:
    template <class T>
    void take(T& value) {
        if (failed()) return;
        if constexpr (detail::is_plain<T>) {
            if (left() >= sizeof(T)) {
                read_fields(value, bytes_.data() + at_);
                return;
            }
            // Near the end: a value may need less than sizeof(T) bytes. Those that it should not have read are zero.
            std::array<std::byte, sizeof(T)> rest{};
            if (left() != 0) std::memcpy(rest.data(), bytes_.data() + at_, left());
            const std::size_t before = at_;
            read_fields(value, rest.data());
            if (at_ > bytes_.size()) {
                at_ = before;
                fail("it ends too early");
            }
        } else {
            visit_value(*this, value);
        }
    }
    template <class T>
    void read_fields(T& value, const std::byte* from) {
        FieldReader fields(from);
        fields(value);
        at_ += static_cast<std::size_t>(fields.at() - from);
        if (fields.failed()) fail(fields.problem());
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    const char* problem_ = nullptr;
};

// ---- types of the library and of glm --------------------------------------------------------------------------------

template <class Bytes, class T, glm::qualifier Q>
void visit_fields(Bytes& bytes, glm::vec<3, T, Q>& v) {
    bytes(v.x, v.y, v.z);
}
template <class Bytes, class T, glm::qualifier Q>
void visit_fields(Bytes& bytes, glm::qua<T, Q>& q) {
    bytes(q.w, q.x, q.y, q.z);
}
template <class Bytes, class T, glm::qualifier Q>
void visit_fields(Bytes& bytes, glm::mat<3, 3, T, Q>& m) {
    bytes(m[0], m[1], m[2]);
}
template <class Bytes, class Vec>
void visit_fields(Bytes& bytes, BasicAabb<Vec>& box) {
    auto& [lower, upper] = box;
    bytes(lower, upper);
}
template <class Bytes>
void visit_fields(Bytes& bytes, Transform& pose) {
    auto& [position, rotation] = pose;
    bytes(position, rotation);
}
template <class Bytes>
void visit_fields(Bytes& bytes, WorldTransform& pose) {
    auto& [position, rotation] = pose;
    bytes(position, rotation);
}
template <class Bytes, class T, std::size_t n>
void visit_fields(Bytes& bytes, std::array<T, n>& list) {
    for (T& value : list) bytes(value);
}
template <class Bytes, class T, std::size_t n>
void visit_fields(Bytes& bytes, T (&list)[n]) {
    for (T& value : list) bytes(value);
}

/// Returns the number of bytes of a value; of the empty one, if values differ.
template <class T>
std::size_t least_bytes() {
    static const std::size_t size = [] {
        ByteWriter writer;
        writer(T{});
        return writer.size();
    }();
    return size;
}

/// Reads or writes the number of elements of a list, and gives the list that size.
template <class Bytes, class List>
void visit_size(Bytes& bytes, List& list, std::size_t element_bytes) {
    auto count = static_cast<std::uint32_t>(list.size());
    bytes(count);
    if constexpr (Bytes::reads) {
        if (bytes.failed() || !bytes.expect(count <= bytes.left() / std::max<std::size_t>(element_bytes, 1),
                                            "a list is longer than the rest of the bytes"))
            count = 0;
        list.clear();
        list.resize(count);
    }
}

template <class Bytes, class T>
void visit_fields(Bytes& bytes, std::vector<T>& list) {
    if constexpr (detail::is_number<T> && std::endian::native == std::endian::little) {
        visit_size(bytes, list, sizeof(T));
        bytes.raw(list.data(), list.size() * sizeof(T));
        if constexpr (Bytes::reads && std::is_floating_point_v<T>) {
            for (const T x : list) bytes.expect(x == x, "a number is NaN");
        }
    } else {
        std::size_t element_bytes = 1;
        if constexpr (std::is_default_constructible_v<T>) {
            if constexpr (Bytes::reads) element_bytes = least_bytes<T>();
        }
        visit_size(bytes, list, element_bytes);
        for (T& value : list) bytes(value);
    }
}
template <class Bytes>
void visit_fields(Bytes& bytes, std::string& text) {
    visit_size(bytes, text, 1);
    bytes.raw(text.data(), text.size());
}

/// Reads or writes lists that belong together, of `size` elements each: the number is not saved again.
template <class Bytes, class T>
void visit_parallel(Bytes& bytes, std::size_t size, std::vector<T>& list) {
    if constexpr (Bytes::reads) {
        list.clear();
        if (bytes.failed() || !bytes.expect(size <= bytes.left() / std::max<std::size_t>(least_bytes<T>(), 1),
                                            "a list is longer than the rest of the bytes"))
            return;
        list.resize(size);
    }
    for (T& value : list) bytes(value);
}

/// Returns a number that tells whether bytes are damaged: a 64-bit FNV-1a over words of eight bytes, in four lanes.
inline std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    constexpr std::uint64_t prime = 1099511628211ull;
    const auto mix = [](std::uint64_t sum, std::uint64_t word) {
        sum = (sum ^ word) * prime;
        return sum ^ sum >> 29;
    };
    std::uint64_t sums[4] = {14695981039346656037ull, 1, 2, 3};
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) {
        std::uint64_t words[4];
        std::memcpy(words, bytes.data() + at, 32);
        for (int lane = 0; lane < 4; ++lane) sums[lane] = mix(sums[lane], detail::little_endian(words[lane]));
    }
    std::uint64_t sum = bytes.size();
    for (const std::uint64_t lane : sums) sum = mix(sum, lane);
    for (; at < bytes.size(); ++at) sum = mix(sum, static_cast<std::uint64_t>(bytes[at]));
    return sum;
}

}  // namespace talus
