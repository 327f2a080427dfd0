#pragma once
/// A reference to a function that is called before the caller returns. It takes the place of a template parameter,
/// without instantiating the function for each callable.

#include <memory>
#include <type_traits>
#include <utility>

namespace talus {

/// See the specialisation for function signatures.
template <class Signature>
class FunctionRef;

/// Refers to a callable that must outlive it; two pointers, no allocation.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
    /// Refers to `f`.
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
          }) {}

    /// Calls the callable.
    R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
    void* object_;
    R (*call_)(void*, Args...);
};

}  // namespace talus
