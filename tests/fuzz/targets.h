#pragma once
/// The fuzz targets: bytes in, a complaint out (empty: nothing is wrong). libFuzzer runs them through
/// driver/libfuzzer.cpp, the ordinary tests replay the inputs of past failures (corpus/TARGET/*) with replay_test.cpp.
///
/// To fuzz:
///     cmake --preset fuzz && cmake --build build/asan -t talus-fuzz-collide
///     build/asan/talus-fuzz-collide -max_len=300 -max_total_time=3600 WORK_FOLDER tests/fuzz/corpus/collide
/// A finding is written to crash-*: fix it, then keep the file (minimized: -minimize_crash=1) in the corpus. With
/// -fork=1 -ignore_crashes=1 it goes on after a finding. CI runs each target for a minute (.ci/run fuzz).

#include <cstdint>
#include <span>
#include <string>

namespace talus::fuzz {

using Input = std::span<const std::uint8_t>;

/// Two shapes and a path of poses: separation (cold, warm, from rubbish, with a limit, as open support mappings),
/// make_manifold, and the batch collide under all its settings; or separation of affine images, sums and hulls of the
/// two.
std::string fuzz_collide(Input input);
/// Points: make_hull refuses with a reason, or the hull is closed, convex, and holds the points.
std::string fuzz_hull(Input input);
/// Rays, shapes that move along a line (and the papers' swept tests of them), and shapes that move and turn: no contact
/// before the one that is reported, and that one is a contact.
std::string fuzz_cast(Input input);
/// Calls of a broadphase in any order, on it and on a copy: after each update the pairs are those of brute force, and
/// so are the answers of queries, casts and the nearest.
std::string fuzz_broadphase(Input input);
/// Calls of a world in any order with any numbers: every refusal changes nothing and has a reason, all that a step
/// leaves is finite and adds up, events say what touches and which joints are left, and a copy that steps on several
/// threads has the same bits.
std::string fuzz_world(Input input);

/// Triangles of any quality: make_mesh and make_nonconvex refuse with a reason, or boxes, rays, casts and nearest points
/// of the mesh are those of brute force, and the solid answers with numbers.
std::string fuzz_mesh(Input input);

/// Saved worlds with damaged bytes, as if their checksum were right: load() refuses them with a reason, or the world
/// steps, has the same bits as its copy, and can be saved and loaded again.
std::string fuzz_load(Input input);

/// Ellipsoids, superellipsoids, sums, rounded shapes, and mappings that lie: makers refuse with a reason, or the
/// shapes' separation is proved by their support points, and a world with them keeps finite numbers.
std::string fuzz_mapping(Input input);

struct Target {
    const char* name;  ///< of its corpus folder
    std::string (*run)(Input);
};
inline constexpr Target targets[] = {
    {"collide", fuzz_collide}, {"hull", fuzz_hull}, {"cast", fuzz_cast}, {"broadphase", fuzz_broadphase},
    {"world", fuzz_world},     {"mesh", fuzz_mesh}, {"load", fuzz_load}, {"mapping", fuzz_mapping}};

}  // namespace talus::fuzz
