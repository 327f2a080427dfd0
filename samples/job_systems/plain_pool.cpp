#include "samples/job_systems/plain_pool.h"

#include <utility>

namespace talus::samples {

PlainPool::PlainPool(int workers) {
    try {
        for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
    } catch (...) {
        close();
        throw;
    }
}

PlainPool::~PlainPool() { close(); }

void PlainPool::submit(std::function<void()> function) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(function));
    }
    changed_.notify_one();
}

void PlainPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        const std::function<void()> function = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        function();
        lock.lock();
    }
}

void PlainPool::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

}  // namespace talus::samples
