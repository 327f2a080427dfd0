#pragma once
/// Hands results of one thread over to others that read them at any time.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace talus {

/// The latest T that one thread has published, for readers on any threads. A reader keeps what it got for as long as it
/// likes, unchanged, and neither side waits for the other. Objects that nobody reads any more are used again, so that
/// their memory is kept: with one reader there are two or three of them.
template <class T>
class Latest {
public:
    /// Calls fill(T& next, const T& latest) and publishes `next`. It may contain anything that was published earlier.
    /// Only one thread at a time may call this.
    template <class Fill>
    void publish(Fill&& fill) {
        std::unique_ptr<T> next = stock_->take();
        fill(*next, *get());
        std::shared_ptr<const T> published(next.release(), [stock = stock_](const T* used) { stock->put_back(used); });
        const std::scoped_lock lock(mutex_);
        latest_.swap(published);
    }
    /// Returns what was published last; before that an empty T. Never null.
    std::shared_ptr<const T> get() const {
        const std::scoped_lock lock(mutex_);
        return latest_;
    }

private:
    class Stock {
    public:
        std::unique_ptr<T> take() {
            const std::scoped_lock lock(mutex_);
            if (free_.empty()) {
                free_.reserve(++made_);  // so that put_back() needs no memory
                return std::make_unique<T>();
            }
            std::unique_ptr<T> object = std::move(free_.back());
            free_.pop_back();
            return object;
        }
        void put_back(const T* used) {
            const std::scoped_lock lock(mutex_);
            free_.emplace_back(const_cast<T*>(used));
        }

    private:
        std::mutex mutex_;
        std::vector<std::unique_ptr<T>> free_;
        std::size_t made_ = 0;
    };

    std::shared_ptr<Stock> stock_ = std::make_shared<Stock>();
    mutable std::mutex mutex_;
    std::shared_ptr<const T> latest_ = std::make_shared<const T>();
};

}  // namespace talus
