#pragma once
/// Poses of bodies over a segment: frames between two key frames.
///
/// Positions are whole multiples of a step, counted from an origin near the bodies. Each is predicted from the body's
/// last poses in several ways (standing, half its velocity, its velocity, its acceleration), of which the one that was
/// nearest lately is taken; reader and writer both know which, so that the choice costs nothing. What is written is the
/// difference, in steps. Rotations alike: predicted from the last spin, the difference is the vector part of a
/// quaternion in steps of 2^-bits.
///
/// Bodies stand one after the other, each with all its frames: what comes to rest gives long runs of zeros, and what
/// sleeps is not written at all. The writer reads along what it writes, so errors do not add up.
///
/// Only + - * / sqrt and floor of doubles are used, in the same order here and in the page's replay.js.

#include "samples/recording/streams.h"

#include <talus/math.h>

#include <array>
#include <vector>

namespace talus::samples {

struct PoseScale {
    dvec3 origin{0.0};   ///< world, m
    double step = 1e-3;  ///< of positions, m
    int bits = 12;       ///< of rotations: the vector part of a quaternion in steps of 2^-bits

    static constexpr int min_bits = 8, max_bits = 20;
    bool valid() const {
        // Where bodies may be; false for NaN, too.
        const bool near = glm::all(glm::lessThanEqual(glm::abs(origin), dvec3(1e18)));
        return near && step >= 1e-9 && step <= 1e3 && bits >= min_bits && bits <= max_bits;
    }
};

/// A pose as it is coded.
struct CodedPose {
    std::array<double, 3> steps{};        ///< from the origin, whole numbers
    std::array<double, 4> q{1, 0, 0, 0};  ///< unit, w first
};

/// The body's pose as a recording gives it, on the grid (talus/math.h).
WorldTransform decoded(const CodedPose& pose, const PoseScale& scale);

/// A body in a frame of a segment, as the writer knows it.
struct TruePose {
    WorldTransform pose;
    bool awake = false;
    std::uint8_t rung = 0xff;
};

/// ...and as the reader gets it.
struct SegmentPose {
    CodedPose pose;
    bool awake = false;
    std::uint8_t rung = 0xff;
};

inline constexpr int rung_stream_count = 10;  ///< nine rungs and none

/// Streams of a segment's poses.
inline constexpr std::size_t pose_stream_count = 2 + 2 * ResidualReader::count + rung_stream_count;

class PoseWriter {
public:
    explicit PoseWriter(const PoseScale& scale) : scale_(scale) {}
    /// All frames of the segment in which a body is there; `read` is what a reader will get for each.
    void body(std::span<const TruePose> frames, std::vector<CodedPose>& read);
    std::string finish() const;  ///< a block of all bodies so far

private:
    PoseScale scale_;
    ByteWriter runs_, keys_;
    ResidualWriter positions_, rotations_;
    std::array<ByteWriter, rung_stream_count> rungs_;
};

class PoseReader {
public:
    PoseReader(const PoseScale& scale, const std::vector<std::string_view>& streams);
    /// The next body, which is there for `out.size()` frames, at least 1.
    void body(std::span<SegmentPose> out);
    bool ok() const;
    bool at_end() const;

private:
    bool read_states(std::span<SegmentPose> out, std::vector<char>& moved);

    PoseScale scale_;
    ByteReader runs_, keys_;
    ResidualReader positions_, rotations_;
    std::array<ByteReader, rung_stream_count> rungs_;
};

}  // namespace talus::samples
