// What talus.mjs needs besides the C API: functions of the library that call JavaScript, lists of handles as numbers,
// and threads that are workers of JavaScript's.

#include "common/job_board.h"

#include <talus/c/talus.h>

#include <cstdlib>
#include <cstring>

#define TALUS_FROM_JS(name) extern "C" __attribute__((import_module("talus"), import_name(#name))) void
#define TALUS_TO_JS extern "C" __attribute__((used, visibility("default")))

// talus.mjs finds the function to call by itself: it knows which world steps or draws.
TALUS_FROM_JS(modify) js_modify(TalusContactModification* contact, void* user);
TALUS_FROM_JS(line) js_line(void* user, TalusDVec3 from, TalusDVec3 to, TalusColor color);
TALUS_FROM_JS(point) js_point(void* user, TalusDVec3 at, float pixels, TalusColor color);
TALUS_FROM_JS(triangle) js_triangle(void* user, TalusDVec3 a, TalusDVec3 b, TalusDVec3 c, TalusColor color);
TALUS_FROM_JS(text) js_text(void* user, TalusDVec3 at, const char* text, TalusColor color);

/// Sets or removes the contact modifier that calls JavaScript.
TALUS_TO_JS bool talus_js_modify_contacts(TalusWorld* world, bool on) {
    return talus_world_set_contact_modifier(world, on ? js_modify : nullptr, nullptr);
}

/// Draws with JavaScript's functions.
TALUS_TO_JS bool talus_js_draw(const TalusWorld* world, const TalusDebugDrawOptions* options) {
    const TalusDebugDraw draw{nullptr, js_line, js_point, js_triangle, js_text};
    return talus_world_draw(world, &draw, options);
}

// A handle has the inverted slot in its lower 32 bits and the generation in its upper 32 bits. As a number of
// JavaScript it is generation * 2^21 + slot + 1, which a double holds exactly. Memory ends before a world has 2^21 - 1
// bodies or joints; a handle that is beyond that, and a number that is no handle, become null.

namespace {

constexpr uint64_t slots = 1u << 21;

}  // namespace

/// Replaces handles by numbers, in place.
TALUS_TO_JS void talus_js_pack(void* list, size_t count) {
    char* at = static_cast<char*>(list);
    for (size_t i = 0; i < count; ++i, at += 8) {
        uint64_t handle;
        std::memcpy(&handle, at, 8);
        const uint64_t slot = 0u - static_cast<uint32_t>(handle);
        const double number = slot > 0 && slot < slots ? static_cast<double>((handle >> 32) * slots + slot) : 0;
        std::memcpy(at, &number, 8);
    }
}

/// Replaces numbers by handles, in place.
TALUS_TO_JS void talus_js_unpack(void* list, size_t count) {
    char* at = static_cast<char*>(list);
    for (size_t i = 0; i < count; ++i, at += 8) {
        double number;
        std::memcpy(&number, at, 8);
        const bool in_range = number > 0 && number < 9007199254740992.0;  // 2^53
        const uint64_t whole = in_range ? static_cast<uint64_t>(number) : 0;
        const bool is_handle = static_cast<double>(whole) == number;
        const auto slot = static_cast<uint32_t>(whole % slots);
        const uint64_t handle = is_handle ? (whole / slots << 32) | static_cast<uint32_t>(-slot) : 0;
        std::memcpy(at, &handle, 8);
    }
}

#if defined(__wasm_atomics__)

// A worker loads this module once more, on the memory of the first one. It has a stack of its own, whose top talus.mjs
// sets before it calls anything here. emscripten would start threads by JavaScript of its own, while the thread that
// wants them waits: in a browser's main thread, which starts them when it is idle, that never ends. So these here are
// started before the first step, and a step does not wait for them: a JobBoard.

extern "C" void* emscripten_tls_init();
extern "C" void _emscripten_thread_init(void* self, int is_browsers_main, int is_emscriptens_main, int can_sleep,
                                        int profile);

/// To be called first of all in each thread. `worker`: false in the thread that loads the module first. `can_sleep`:
/// false in a browser's main thread.
///
/// The first thread keeps its thread-local variables where the module puts them, at address 0. In one of them the
/// unwinder writes which `catch` an exception has reached, and clang 14 reads it at that address in every thread. So
/// only the first thread can tell exceptions by their types; what runs in workers has `catch (...)` only.
TALUS_TO_JS void talus_js_begin_thread(bool worker, bool can_sleep) {
    if (worker) emscripten_tls_init();
    // What emscripten's C library knows of a thread. All that it reads for a thread that it has not started may be
    // zero.
    _emscripten_thread_init(std::calloc(1, 1024), !can_sleep, 0, can_sleep, 0);
}

/// Returns a board for this thread and so many workers, which stays for ever, and fills `jobs` for talus_world_step().
TALUS_TO_JS talus::JobBoard* talus_js_make_board(int workers, bool can_sleep, TalusJobs* jobs) {
    auto* board = new talus::JobBoard(workers, can_sleep);
    const talus::Jobs host = board->jobs();
    *jobs = {host.threads, host.run, host.host, false, false};
    return board;
}

/// Returns how many tasks workers have done.
TALUS_TO_JS double talus_js_tasks_of_workers(const talus::JobBoard* board) {
    return static_cast<double>(board->tasks_of_workers());
}

/// Takes tasks. Does not return: a worker is ended from outside.
TALUS_TO_JS void talus_js_work(talus::JobBoard* board, int worker) { board->work(worker); }

#endif
