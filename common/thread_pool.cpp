#include <talus/thread_pool.h>

#include "common/job_board.h"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace talus {

class ThreadPool::Threads {
public:
    explicit Threads(int threads) : board(std::clamp(threads, 1, max_threads) - 1) {
        try {
            threads_.reserve(static_cast<std::size_t>(board.threads() - 1));
            for (int i = 0; i + 1 < board.threads(); ++i) threads_.emplace_back([this, i] { board.work(i); });
        } catch (...) {
            close();
            throw;
        }
    }
    ~Threads() { close(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    JobBoard board;

private:
    void close() {
        board.close();
        for (std::thread& thread : threads_) thread.join();
    }

    std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(int threads) : threads_(std::make_unique<Threads>(threads)) {}
ThreadPool::~ThreadPool() = default;

Jobs ThreadPool::jobs() { return threads_->board.jobs(); }

}  // namespace talus
