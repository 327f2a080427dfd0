#pragma once
/// The world of the C API, and how its functions call the engine.

#include "bindings/c/convert.h"

#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

namespace talus::c {

/// A contact modifier of the caller's.
struct ModifierCall {
    TalusContactModifier modifier;
    void* user;
};

/// What the C API refused before C++ saw it. Queries on one world may be refused in several threads.
class Refusal {
public:
    Refusal() = default;
    void set(const Error& error) {
        const std::scoped_lock lock(mutex_);
        write(error, &error_);
    }
    void set(const TalusError& error) {
        const std::scoped_lock lock(mutex_);
        error_ = error;
    }
    TalusError get() const {
        const std::scoped_lock lock(mutex_);
        return error_;
    }

private:
    mutable std::mutex mutex_;
    TalusError error_{};
};

inline constexpr TalusError out_of_memory{TALUS_OUT_OF_MEMORY, "the system has no more memory"};
inline constexpr TalusError foreign_exception{TALUS_BAD_ARGUMENT, "a function that the caller passed has thrown"};

}  // namespace talus::c

struct TalusWorld {
    talus::World world{};
    mutable talus::c::Refusal refusal{};
    /// Shared by copies of the world. The engine's modifier points to it.
    std::shared_ptr<talus::c::ModifierCall> modifier{};
};

namespace talus::c {

/// Calls f(engine's world, error) and returns its result. If f sets the error or throws, the world remembers that as
/// its last error, and the result is zeros; so it is without a world.
template <class World, class F>
auto call(World* world, F f) noexcept {
    using Result = std::invoke_result_t<F, decltype((world->world)), Error&>;
    if (world == nullptr) return Result{};
    const auto refused = [&](const auto& error) {
        world->world.clear_error();  // so that the last error is this one
        world->refusal.set(error);
        return Result{};
    };
    try {
        Error error;
        Result result = f(world->world, error);
        return error ? refused(error) : result;
    } catch (const std::bad_alloc&) {
        return refused(out_of_memory);
    } catch (...) {
        return refused(foreign_exception);
    }
}

/// Calls f(error), which makes something, and returns its result. If f sets the error or throws, `*out` says so, and
/// the result is zeros. Without an error `*out` is cleared.
template <class F>
auto make(TalusError* out, F f) noexcept {
    using Result = std::invoke_result_t<F, Error&>;
    try {
        Error error;
        Result result = f(error);
        write(error, out);
        return error ? Result{} : std::move(result);
    } catch (const std::bad_alloc&) {
        if (out != nullptr) *out = out_of_memory;
    } catch (...) {
        if (out != nullptr) *out = foreign_exception;
    }
    return Result{};
}

/// Writes the first `capacity` elements of a list, converted, and returns how many it has.
template <class List, class Out>
std::size_t write_list(const List& list, Out* out, std::size_t capacity) {
    std::size_t i = 0;
    for (const auto& element : list) {
        if (out == nullptr || i == capacity) break;
        out[i++] = to_c(element);
    }
    return list.size();
}

}  // namespace talus::c
