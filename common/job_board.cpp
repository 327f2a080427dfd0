#include "common/job_board.h"

#include "common/thread_clock.h"

#include <algorithm>
#include <cstddef>

namespace talus {

namespace {

// The job in one word, so that a thread that takes a task knows that its job is still under way: the number of the
// job, the number of its tasks, and how many of them have been taken.
constexpr std::uint64_t one_job = 1ull << 32, one_of_count = 1ull << 16, low_half = 0xffff;
constexpr std::uint64_t closing = ~0ull;
constexpr int most_tasks = low_half - 1;

int count_of(std::uint64_t offer) { return static_cast<int>((offer >> 16) & low_half); }
bool has_task(std::uint64_t offer) { return static_cast<int>(offer & low_half) < count_of(offer); }
// Only as many threads come as there are tasks, the first ones; the others sleep on.
bool concerns(std::uint64_t offer, int worker) {
    return offer == closing || (has_task(offer) && count_of(offer) > worker + 1);
}

template <class Condition>
void spin_while(Condition&& condition, std::int64_t ns) {
    constexpr int spins = 64;  // between two reads of the clock: about a microsecond
    const std::int64_t start = wall_clock_ns();
    do {
        for (int i = 0; i < spins; ++i) {
            if (!condition()) return;
            pause_briefly();
        }
    } while (wall_clock_ns() - start < ns);
}

}  // namespace

JobBoard::JobBoard(int workers, bool caller_sleeps)
    : worker_count_(workers),
      caller_sleeps_(caller_sleeps),
      workers_(std::make_unique<Worker[]>(static_cast<std::size_t>(workers))) {}

void JobBoard::run(int count, Jobs::Task task, void* data) {
    for (int first = 0; first < count; first += most_tasks)
        run_some(first, std::min(count - first, most_tasks), task, data);
}

void JobBoard::run_some(int first, int count, Jobs::Task task, void* data) {
    task_ = task;
    data_ = data;
    first_ = first;
    left_.store(count, std::memory_order_relaxed);
    number_ += one_job;
    make_offer(number_ + static_cast<std::uint64_t>(count) * one_of_count);
    help();
    const auto is_left = [this] { return left_.load() != 0; };
    spin_while(is_left, 50000);  // not longer: the caller may keep the system from running the thread it waits for
    while (is_left()) {
        if (caller_sleeps_) {
            caller_.sleep_while(is_left);
        } else {
            pause_briefly();
        }
    }
}

void JobBoard::make_offer(std::uint64_t offer) {
    offer_.store(offer);
    for (int i = 0; i < worker_count_; ++i) {
        if (concerns(offer, i)) workers_[static_cast<std::size_t>(i)].sleeper.wake();
    }
}

// Takes tasks until all of them are taken. Returns how many it did.
std::uint32_t JobBoard::help() {
    std::uint32_t done = 0;
    std::uint64_t offer = offer_.load(std::memory_order_acquire);
    while (offer != closing && has_task(offer)) {
        if (!offer_.compare_exchange_weak(offer, offer + 1, std::memory_order_acq_rel)) continue;
        task_(data_, first_ + static_cast<int>(offer & low_half));
        ++done;
        if (left_.fetch_sub(1) == 1) caller_.wake();
        offer = offer_.load(std::memory_order_acquire);
    }
    return done;
}

void JobBoard::work(int worker) {
    const auto is_idle = [&] { return !concerns(offer_.load(), worker); };
    while (true) {
        // The next job comes within 10 to 100 microseconds, and waking a thread takes about 10.
        spin_while(is_idle, 300000);
        if (is_idle()) {
            workers_[static_cast<std::size_t>(worker)].sleeper.sleep_while(is_idle);
        } else if (offer_.load() == closing) {
            return;
        } else {
            tasks_of_workers_.fetch_add(help(), std::memory_order_relaxed);
        }
    }
}

void JobBoard::close() { make_offer(closing); }

Jobs JobBoard::jobs() {
    return {threads(),
            [](void* host, int count, Jobs::Task task, void* data) {
                static_cast<JobBoard*>(host)->run(count, task, data);
            },
            this};
}

}  // namespace talus
