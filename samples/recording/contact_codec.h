#pragma once
/// Contacts over a segment: frames between two key frames.
///
/// Contacts that last are what there is most of, so they are written as tracks: a pair of shapes over the frames in
/// which it touches, and in it each feature's point over the frames in which it is there. Points and normals are given
/// in the frame of the body that carries them (A, or B where A is fixed), where those of resting bodies stand still. A
/// value stays as it was until it is more than a step off, so that solver noise costs nothing.

#include "samples/recording/streams.h"

#include <talus/math.h>

#include <array>
#include <cstdint>
#include <vector>

namespace talus::samples {

/// Numbers of steps for directions and impulses, for which all recordings use the same.
std::array<int, 2> code_direction(const vec3& unit);  ///< octahedral, each within +-127: to about a degree
vec3 direction_of(const std::array<int, 2>& code);
double code_impulse(double impulse);  ///< not rounded; 0 (below 1e-6 N s) to 255: logarithmic, 12% a step
double impulse_of(int code);

/// A touching pair of shapes in a frame, as the writer knows it.
struct TrueContact {
    struct Point {
        std::uint32_t id = 0;
        vec3 position{0.0f};  ///< in the carrier's frame
        float impulse = 0.0f;
    };
    std::uint32_t body_a = 0, body_b = 0, shape_a = 0, shape_b = 0;
    vec3 normal{0.0f};  ///< in the carrier's frame
    int point_count = 0;
    Point points[4];

    auto key() const { return std::array<std::uint32_t, 4>{body_a, body_b, shape_a, shape_b}; }
};

/// What a segment's contacts are to a reader.
struct ContactTracks {
    struct Value {
        std::int32_t steps[3];  ///< in the carrier's frame
        std::uint8_t impulse;   ///< coded
    };
    struct Point {
        std::uint32_t first, count;  ///< frames of the segment
        std::size_t values;          ///< its first among `values`, then one per frame
    };
    struct Pair {
        std::uint32_t body_a, body_b;
        std::uint32_t first, count;  ///< frames of the segment
        std::size_t normals;         ///< its first among `normals`, then one per frame
        std::size_t points, point_count;
    };
    std::vector<Pair> pairs;  ///< by bodies, then by first frame
    std::vector<Point> points;
    std::vector<Value> values;
    std::vector<std::array<std::int8_t, 2>> normals;
};

inline constexpr std::size_t contact_stream_count = 3 + 3 * ResidualReader::count;

/// How far the written contacts are from the true ones.
struct ContactError {
    double position = 0;  ///< m
    double normal = 0;    ///< rad
    double impulse = 0;   ///< relative
};

/// A block of the contacts of all frames of a segment; each frame's are sorted by their keys.
std::string write_contacts(const std::vector<std::vector<TrueContact>>& frames, double step, ContactError& error);

/// Its tracks. False for anything that write_contacts() could not have written for so many frames and bodies.
bool read_contacts(std::string_view block, std::uint32_t frames, std::uint32_t bodies, ContactTracks& out);

}  // namespace talus::samples
