#pragma once
/// What a fiber is made of: a stack, and switching from one stack to another. The sanitizers must be told of each
/// switch, because they keep notes of each stack.

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TALUS_TSAN_FIBERS
#endif
#if __has_feature(address_sanitizer)
#define TALUS_ASAN_FIBERS
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TALUS_TSAN_FIBERS
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TALUS_ASAN_FIBERS
#endif
#if defined(TALUS_TSAN_FIBERS)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(TALUS_ASAN_FIBERS)
#include <sanitizer/common_interface_defs.h>
#endif

namespace talus::samples {

/// Memory for a stack, above a page that must not be touched. The system provides memory only for pages that are used.
class StackMemory {
public:
    explicit StackMemory(std::size_t size) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        size_ = (size + page_ - 1) / page_ * page_;
        void* const memory = mmap(nullptr, page_ + size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        memory_ = static_cast<std::byte*>(memory);
        if (mprotect(memory_, page_, PROT_NONE) != 0) {
            munmap(memory_, page_ + size_);
            throw std::bad_alloc();
        }
    }
    ~StackMemory() { munmap(memory_, page_ + size_); }
    StackMemory(const StackMemory&) = delete;
    StackMemory& operator=(const StackMemory&) = delete;

    std::byte* begin() const { return memory_ + page_; }
    std::size_t size() const { return size_; }
    /// The number of bytes that were ever used. Memory that was not used is zero, and a stack grows downwards.
    std::size_t used() const {
        std::size_t unused = 0;
        while (unused < size_ && begin()[unused] == std::byte{0}) ++unused;
        return size_ - unused;
    }

private:
    std::size_t page_, size_ = 0;
    std::byte* memory_ = nullptr;
};

/// A stack that is not running now, and the place in its code at which it was left.
class SavedStack {
public:
    /// The stack of this thread, which the first switch will leave.
    SavedStack() {
#if defined(TALUS_TSAN_FIBERS)
        tsan_ = __tsan_get_current_fiber();
#endif
    }
    /// A new stack. The first switch to it calls start(high, low), which must not return.
    SavedStack(const StackMemory& memory, void (*start)(unsigned, unsigned), unsigned high, unsigned low)
        : bottom_(memory.begin()), size_(memory.size()) {
        getcontext(&context_);
        context_.uc_stack.ss_sp = memory.begin();
        context_.uc_stack.ss_size = memory.size();
        context_.uc_link = nullptr;
        makecontext(&context_, reinterpret_cast<void (*)()>(start), 2, high, low);
#if defined(TALUS_TSAN_FIBERS)
        tsan_ = __tsan_create_fiber(0);
        owned_ = true;
#endif
    }
    ~SavedStack() {
#if defined(TALUS_TSAN_FIBERS)
        if (owned_) __tsan_destroy_fiber(tsan_);
#endif
    }
    SavedStack(const SavedStack&) = delete;
    SavedStack& operator=(const SavedStack&) = delete;

    /// Goes on with stack `to`. Returns when somebody switches to this stack again, maybe on another thread.
    void switch_to(SavedStack& to) {
#if defined(TALUS_ASAN_FIBERS)
        void* fake_stack = nullptr;
        __sanitizer_start_switch_fiber(&fake_stack, to.bottom_, to.size_);
#endif
        to.from_ = this;
#if defined(TALUS_TSAN_FIBERS)
        __tsan_switch_to_fiber(to.tsan_, 0);
#endif
        swapcontext(&context_, &to.context_);
#if defined(TALUS_ASAN_FIBERS)
        arrive(fake_stack);
#endif
    }
    /// To be called first of all on a new stack.
    void begin() {
#if defined(TALUS_ASAN_FIBERS)
        arrive(nullptr);
#endif
    }

private:
#if defined(TALUS_ASAN_FIBERS)
    /// Notes where the stack is from which the switch came: nobody else knows that of a thread's own stack.
    void arrive(void* fake_stack) { __sanitizer_finish_switch_fiber(fake_stack, &from_->bottom_, &from_->size_); }
#endif

    ucontext_t context_{};
    SavedStack* from_ = nullptr;  // whose switch led here
    const void* bottom_ = nullptr;
    std::size_t size_ = 0;
#if defined(TALUS_TSAN_FIBERS)
    void* tsan_ = nullptr;
    bool owned_ = false;
#endif
};

}  // namespace talus::samples
