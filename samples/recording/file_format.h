#pragma once
/// The parts of a recording's file: docs/recording.md describes them byte by byte.
///
///     "TALUSREC", version, then blocks: four letters, length, contents
///     HEAD   what was recorded, how exact it is, the frames and segments
///     BODY   shapes and bodies
///     PROF   profiles of all steps
///     POSE   poses of a segment         one of each
///     CONT   contacts of a segment      for each segment

#include "samples/recording/pose_codec.h"
#include "samples/recording/recording.h"

namespace talus::samples {

inline constexpr std::string_view file_magic = "TALUSREC";
inline constexpr std::uint32_t file_version = 4;
inline constexpr std::size_t largest_segment = std::size_t{1}
                                               << 24;   ///< frames times bodies: what a reader unpacks at once
inline constexpr std::uint32_t longest_segment = 4096;  ///< frames

struct FileHead {
    std::string scene;
    float dt = 0.0f;
    Camera camera;
    PoseScale scale;
    double contact_step = 0.0;  ///< m
    RecordingError error;
    std::vector<std::uint32_t> frame_steps;     ///< so many steps were done at each frame, ascending
    std::vector<std::uint32_t> segment_frames;  ///< frames of each segment
};

std::string write_head(const FileHead& head);
bool read_head(std::string_view block, FileHead& out);

std::string write_bodies(const std::vector<RecordedBody>& bodies);
/// An Error for shapes that are none, and for bodies that are not within so many frames.
Error read_bodies(std::string_view block, std::size_t frames, std::vector<RecordedBody>& out);

/// The body that carries the points of a contact of two: A, or B when A is fixed.
inline bool carried_by_b(BodyType a) { return a == BodyType::fixed; }

}  // namespace talus::samples
