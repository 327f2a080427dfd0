#pragma once
/// The frame of each program's main(): arguments go in, and whatever is thrown ends as a sentence and an exit code.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

namespace talus::samples {

inline constexpr int exit_by_exception = 1;

/// Makes the system back this much of the stack with memory now: when there is none left, a call that needs more stack
/// would end the program by a signal, where `new` throws.
[[gnu::noinline]] inline void reserve_stack() {
    constexpr std::size_t size = 512 * 1024, page = 4096;
    [[maybe_unused]] volatile char stack[size];
    for (std::size_t i = 0; i < size; i += page) stack[i] = 0;
}

/// Gives what program(arguments) returns, or 1 and a sentence on stderr when it throws. Talus itself throws only when
/// memory or threads run out.
template <class Program>
int run_program(const char* name, int argc, char** argv, Program&& program) {
    try {
        reserve_stack();
        return program(std::vector<std::string_view>(argv + std::min(argc, 1), argv + argc));
    } catch (const std::bad_alloc&) {
        // fputs, as printf may need memory itself.
        for (const char* part : {name, ": out of memory: this needs more than the system gives to the program.\n"})
            std::fputs(part, stderr);
    } catch (const std::system_error& error) {
        for (const char* part : {name, ": the system refused what this needs: ", error.what(), ".\n"})
            std::fputs(part, stderr);
    } catch (const std::exception& error) {
        for (const char* part : {name, ": ", error.what(), ".\n"}) std::fputs(part, stderr);
    }
    return exit_by_exception;
}

}  // namespace talus::samples
