#pragma once
/// An array that grows by blocks of a fixed size, which never move. A std::vector that outgrows its memory copies all
/// elements into twice as much, whose pages the system must clear: for 4,000 contacts that took a millisecond within
/// one step. An element costs one more load than that of a vector.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace talus {

template <class T>
class PagedArray {
public:
    static constexpr unsigned page_bits = 8;
    static constexpr std::size_t page_size = std::size_t{1} << page_bits;  ///< elements per block

    PagedArray() = default;
    PagedArray(const PagedArray& other) { *this = other; }
    PagedArray(PagedArray&&) = default;
    PagedArray& operator=(const PagedArray& other) {
        if (this == &other) return *this;
        resize(other.size_);
        for (std::size_t i = 0; i < size_; ++i) (*this)[i] = other[i];
        return *this;
    }
    PagedArray& operator=(PagedArray&&) = default;

    std::size_t size() const { return size_; }
    /// Elements that are added are T().
    void resize(std::size_t size) {
        add_pages(size);
        for (std::size_t i = size; i < size_; ++i) (*this)[i] = T();  // all beyond the end are
        size_ = size;
    }
    T& emplace_back() {
        resize(size_ + 1);
        return (*this)[size_ - 1];
    }
    T& operator[](std::size_t i) { return element(starts(), i); }
    const T& operator[](std::size_t i) const { return element(starts(), i); }

    /// By block: the address that the array's first element would have if the blocks before were in front of this one.
    const std::uintptr_t* starts() const { return starts_.data(); }
    /// Returns element i, given starts().
    static T& element(const std::uintptr_t* starts, std::size_t i) {
        return *reinterpret_cast<T*>(starts[i >> page_bits] + i * sizeof(T));
    }
    std::size_t bytes() const {
        return pages_.size() * page_size * sizeof(T) + pages_.capacity() * sizeof(pages_[0]) +
               starts_.capacity() * sizeof(starts_[0]);
    }

private:
    void add_pages(std::size_t size) {
        while (pages_.size() * page_size < size) {
            const std::size_t before = pages_.size() * page_size * sizeof(T);
            pages_.push_back(std::make_unique<T[]>(page_size));
            starts_.push_back(reinterpret_cast<std::uintptr_t>(pages_.back().get()) - before);
        }
    }

    std::vector<std::unique_ptr<T[]>> pages_;
    std::vector<std::uintptr_t> starts_;
    std::size_t size_ = 0;
};

}  // namespace talus
