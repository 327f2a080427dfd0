#pragma once
/// `talus-profile papers --faces`: the appendix of Liu et al., faces and edges from a vertex set, beside quickhull.

#include "profiling/bench/papers/papers.h"

namespace talus::profiling {

int print_faces(const PapersOptions& options);

}  // namespace talus::profiling
