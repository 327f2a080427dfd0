#pragma once
/// std::ranges::equal, which clang's standard library lacks before version 15.

#include <algorithm>

namespace talus::test {

template <class A, class B>
bool same_elements(const A& a, const B& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace talus::test
