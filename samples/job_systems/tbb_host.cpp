#include "samples/job_systems/tbb_host.h"

#include "samples/job_systems/tbb_jobs.h"

#include <tbb/global_control.h>
#include <tbb/task_group.h>

#if defined(TALUS_TSAN_TBB)
#include <sanitizer/tsan_interface.h>

// Nor does it see why oneTBB may free its own memory: the last of its threads frees the mask of processors that an
// earlier one compared. So the calls of the C library in oneTBB are not checked.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so"; }
#endif

namespace talus::samples {

namespace {

// The thread sanitizer does not see how oneTBB orders the work of its threads, because the library is not compiled with
// the sanitizer. So the files that include its headers are not, either, and tell the sanitizer which order there is:
// what a thread did before publish(x) is known to a thread after see(x).
#if defined(TALUS_TSAN_TBB)
void publish(void* x) { __tsan_release(x); }
void see(void* x) { __tsan_acquire(x); }
#else
void publish(void*) {}
void see(void*) {}
#endif

class TbbHost : public Host {
public:
    explicit TbbHost(int threads)
        : allowed_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
          arena_(threads),
          jobs_(jobs_of(arena_)) {}

    Jobs jobs() override { return {jobs_.threads, run, this}; }
    void run_jobs(std::span<const std::function<void()>> functions) override {
        char order = 0;
        publish(&order);
        arena_.execute([&] {
            tbb::task_group group;
            for (const std::function<void()>& function : functions) {
                group.run([&] {
                    see(&order);
                    function();
                    publish(&order);
                });
            }
            group.wait();
        });
        see(&order);
    }

private:
    struct Call {
        Jobs::Task task;
        void* data;
    };
    static void run(void* self, int count, Jobs::Task task, void* data) {
        const Jobs& jobs = static_cast<TbbHost*>(self)->jobs_;
        Call call{task, data};
        publish(&call);
        const auto run_task = [](void* seen, int index) {
            see(seen);
            const Call& of = *static_cast<Call*>(seen);
            of.task(of.data, index);
            publish(seen);
        };
        jobs.run(jobs.host, count, run_task, &call);
        see(&call);
    }

    tbb::global_control allowed_;  // otherwise oneTBB starts no more threads than there are processors
    tbb::task_arena arena_;
    Jobs jobs_;
};

}  // namespace

std::unique_ptr<Host> make_tbb_host(int threads) { return std::make_unique<TbbHost>(threads); }

}  // namespace talus::samples
