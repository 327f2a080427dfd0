#include "profiling/bench/papers/papers_faces.h"

#include "profiling/bench/gjk/gjk_poses.h"
#include "profiling/bench/measure.h"

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/papers/faces_from_vertices.h>

#include <cmath>
#include <cstdio>

namespace talus::profiling {

namespace {

/// A prism over a regular polygon: two faces with half of the vertices each, so that nearly a quarter of all triples
/// are parts of a face.
std::vector<vec3> prism(int vertices) {
    std::vector<vec3> points;
    for (int i = 0; i < vertices / 2; ++i) {
        const double angle = 6.283185307179586 * i / (vertices / 2);
        const vec3 p(static_cast<float>(std::cos(angle)), 0.0f, static_cast<float>(std::sin(angle)));
        points.push_back(p - vec3(0.0f, 1.0f, 0.0f));
        points.push_back(p + vec3(0.0f, 1.0f, 0.0f));
    }
    return points;
}

/// False when a method refuses the points.
bool print_rows(const char* name, const PapersOptions& options, const std::vector<int>& sizes,
                std::vector<vec3> (*make)(int vertices, std::uint64_t seed)) {
    std::printf("%-18s %8s %8s %8s | %12s %12s | %8s %10s\n", name, "edges", "faces", "its own", "appendix, us",
                "make_hull,us", "ratio", "growth n^x");
    double last_us = 0.0;
    int last_n = 0;
    for (const int n : sizes) {
        const std::vector<vec3> points = make(n, options.seed);
        const auto faces = faces_from_vertices(points);
        const auto hull = make_hull(points);
        if (!faces || !hull) {
            std::fprintf(stderr, "talus-profile: %s\n", (faces ? hull.error() : faces.error()).message.c_str());
            return false;
        }
        std::vector<double> slow, fast;
        // The longest take from a tenth of a second to one, which one pass tells well enough.
        const int repeats = n >= 256 && !options.full ? 1 : options.repeats;
        for (int i = 0; i < repeats; ++i) {
            slow.push_back(1e-3 * time_of(1, [&] { (void)faces_from_vertices(points); }));
            fast.push_back(1e-3 * time_of(1, [&] { (void)make_hull(points); }));
        }
        const double us = median(slow);
        std::printf("%-18d %8zu %8zu %8zu | %12.1f %12.1f | %8.2f ", n, faces->edges.size(), faces->faces.size(),
                    (*hull)->faces.size(), us, median(fast), us / median(fast));
        if (last_n > 0)
            std::printf("%10.2f\n", std::log(us / last_us) / std::log(static_cast<double>(n) / last_n));
        else
            std::printf("%10s\n", "-");
        last_us = us;
        last_n = n;
    }
    std::printf("\n");
    return true;
}

}  // namespace

int print_faces(const PapersOptions& options) {
    std::fputs(R"(Faces and edges from a vertex set (Liu et al., section 4.2 and appendix)
Theirs: 'a few hours to half-day' for hundreds of vertices on a 400 MHz Pentium II, in MATLAB. Ours: the same method in
C++, beside Talus's quickhull, which makes mass properties and search tables as well. O(n^3) triples; most that are no
faces fail early, so that n^4 shows where faces have many corners. 'its own': faces by make_hull; they may differ where
two faces are one within the tolerance.

)",
               stdout);
    const std::vector<int> sizes =
        options.quick ? std::vector<int>{8, 16, 32} : std::vector<int>{8, 16, 32, 64, 128, 256, 512};
    const std::vector<int> prisms =
        options.quick ? std::vector<int>{8, 16, 32} : std::vector<int>{8, 16, 32, 64, 128, 256};
    const bool good = print_rows("points on a ball", options, sizes,
                                 [](int n, std::uint64_t seed) {
                                     samples::Random random(seed);
                                     return ball_hull(random, n).hull->vertices;
                                 }) &&
                      print_rows("prisms", options, prisms, [](int n, std::uint64_t) { return prism(n); });
    return good ? 0 : 1;
}

}  // namespace talus::profiling
