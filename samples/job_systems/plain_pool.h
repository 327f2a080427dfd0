#pragma once
/// A plain thread pool, as many programs have one: a queue of functions, a mutex, a condition variable. It knows nothing
/// of Talus; plain_pool_jobs.h is the adapter.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace talus::samples {

/// Threads that run functions in the order in which they were submitted.
class PlainPool {
public:
    explicit PlainPool(int workers);
    ~PlainPool();  ///< runs what is still in the queue, then ends the threads
    PlainPool(const PlainPool&) = delete;
    PlainPool& operator=(const PlainPool&) = delete;

    /// Adds a function to the queue. It must not throw.
    void submit(std::function<void()> function);
    int workers() const { return static_cast<int>(threads_.size()); }

private:
    void work();
    void close();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace talus::samples
