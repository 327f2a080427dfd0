#include "samples/recording/recording.h"

#include "samples/recording/contact_codec.h"
#include "samples/recording/file_format.h"
#include "samples/recording/profile_codec.h"

#include <talus/profiling/statistics.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace talus::samples {

namespace {

constexpr std::uint32_t nobody = 0xffffffffu;
constexpr std::size_t none = ~std::size_t{0};

Error refuse(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }
Error damaged(const std::string& what) { return refuse("This recording is damaged: " + what + "."); }

/// A segment, unpacked.
struct Segment {
    std::size_t index = none;
    std::vector<SegmentPose> poses;  // body by body, each with its frames
    struct Body {
        std::uint32_t number, first, count;  // frames of the recording
        std::size_t poses;
    };
    std::vector<Body> bodies;
    bool has_contacts = false;
    ContactTracks contacts;
};

}  // namespace

struct Recording::State {
    std::string bytes;
    FileHead head;
    std::vector<RecordedBody> bodies;
    std::vector<RecordedStep> steps;
    std::vector<double> times;                  // of frames, s
    std::vector<std::uint32_t> segment_starts;  // frames; one more than segments
    std::vector<std::string_view> pose_blocks, contact_blocks;
    Segment current;

    Error open(std::string contents);
    bool unpack_poses(std::size_t index);
    bool unpack_contacts();
    std::size_t segment_of(std::size_t frame) const {
        const auto after = std::upper_bound(segment_starts.begin(), segment_starts.end(), frame);
        return static_cast<std::size_t>(after - segment_starts.begin()) - 1;
    }
    /// The calm step of the largest value above 0, or if none is calm any; the number of steps if there is none.
    template <class Value>
    std::size_t worst(Value&& value) const {
        std::size_t worst = steps.size();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!(value(steps[i]) > 0.0)) continue;
            const auto calm = [&](std::size_t step) { return is_calm(steps[step].profile); };
            if (worst == steps.size() || is_worse(calm(i), value(steps[i]), calm(worst), value(steps[worst])))
                worst = i;
        }
        return worst;
    }
    /// Makes the segment of this frame the current one.
    void seek(std::size_t frame) {
        const std::size_t index = segment_of(frame);
        if (current.index != index) unpack_poses(index);
    }
};

bool Recording::State::unpack_poses(std::size_t index) {
    current.index = none;
    current.has_contacts = false;
    current.bodies.clear();
    const std::uint32_t begin = segment_starts[index], end = segment_starts[index + 1];
    std::size_t total = 0;
    for (std::uint32_t number = 0; number < bodies.size(); ++number) {
        const std::uint32_t first = std::max(begin, bodies[number].first_frame);
        const std::uint32_t last = std::min(end, bodies[number].end_frame);
        if (first >= last) continue;
        current.bodies.push_back({number, first, last - first, total});
        total += last - first;
    }
    std::string storage;
    std::vector<std::string_view> streams;
    if (!unpack(pose_blocks[index], pose_stream_count, storage, streams)) return false;
    if (total > largest_segment || current.bodies.size() > streams[0].size()) return false;
    current.poses.assign(total, {});
    PoseReader reader(head.scale, streams);
    for (const Segment::Body& body : current.bodies) {
        reader.body({&current.poses[body.poses], body.count});
        if (!reader.ok()) return false;
    }
    if (!reader.at_end()) return false;
    current.index = index;
    return true;
}

bool Recording::State::unpack_contacts() {
    if (current.has_contacts) return true;
    const std::uint32_t begin = segment_starts[current.index];
    const std::uint32_t frames = segment_starts[current.index + 1] - begin;
    if (!read_contacts(contact_blocks[current.index], frames, static_cast<std::uint32_t>(bodies.size()),
                       current.contacts))
        return false;
    for (const ContactTracks::Pair& pair : current.contacts.pairs) {
        for (const std::uint32_t number : {pair.body_a, pair.body_b}) {  // both are there all the time
            const RecordedBody& body = bodies[number];
            if (begin + pair.first < body.first_frame || begin + pair.first + pair.count > body.end_frame) return false;
        }
    }
    current.has_contacts = true;
    return true;
}

Error Recording::State::open(std::string contents) {
    bytes = std::move(contents);
    ByteReader in(bytes);
    if (in.raw(file_magic.size()) != file_magic)
        return refuse("This is no recording of Talus: it does not begin with TALUSREC.");
    const std::uint32_t version = in.u32();
    if (in.ok() && version != file_version) {
        return refuse("This recording has version " + std::to_string(version) + ", and this program reads version " +
                      std::to_string(file_version) + "; record it again.");
    }
    if (!can_compress())
        return refuse(
            "This program was built without zlib, so it cannot read recordings; install zlib1g-dev and build again.");
    const auto block = [&](std::string_view kind) {
        if (in.raw(4) != kind) in.fail();
        return in.raw(in.u32());
    };
    const std::string_view head_block = block("HEAD"), body_block = block("BODY"), profile_block = block("PROF");
    if (!in.ok()) return damaged("it ends too early");
    if (!read_head(head_block, head)) return damaged("its head does not unpack to what it should");
    if (Error error = read_bodies(body_block, head.frame_steps.size(), bodies)) return damaged(error.message);
    std::vector<ProfileRow> rows;
    if (!read_profiles(profile_block, static_cast<std::uint32_t>(bodies.size()), rows))
        return damaged("its profiles do not unpack to what they should");
    if (head.frame_steps.back() > rows.size()) return damaged("it has frames of steps that it has not");

    double time = 0.0;
    std::vector<double> step_times{0.0};
    for (const ProfileRow& row : rows) {
        time += static_cast<double>(row.dt);
        step_times.push_back(time);
        RecordedStep step{time, row.profile, row.slowest_a, row.slowest_b};
        if (row.slowest_a != nobody) step.profile.slowest.body_a = bodies[row.slowest_a].id;
        if (row.slowest_b != nobody) step.profile.slowest.body_b = bodies[row.slowest_b].id;
        steps.push_back(step);
    }
    for (const std::uint32_t step : head.frame_steps) times.push_back(step_times[step]);

    segment_starts.push_back(0);
    for (const std::uint32_t frames : head.segment_frames) {
        pose_blocks.push_back(block("POSE"));
        contact_blocks.push_back(block("CONT"));
        segment_starts.push_back(segment_starts.back() + frames);
    }
    if (!in.ok() || !in.at_end()) return damaged("it ends too early, or goes on after its end");
    for (std::size_t i = 0; i < pose_blocks.size(); ++i) {
        if (!unpack_poses(i) || !unpack_contacts()) {
            return damaged("poses or contacts from frame " + std::to_string(segment_starts[i]) +
                           " on do not unpack to what they should");
        }
    }
    return {};
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

Result<Recording> Recording::read(std::string bytes) {
    auto state = std::make_unique<State>();
    if (Error error = state->open(std::move(bytes))) return error;
    return Recording(std::move(state));
}

Result<Recording> Recording::load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream contents;
    contents << file.rdbuf();  // of a directory, too, that fails without an exception
    if (!file || !contents) return refuse("Cannot read '" + path + "'; check that it exists and is readable.");
    Result<Recording> recording = read(std::move(contents).str());
    if (!recording) return refuse("'" + path + "': " + recording.error().message);
    return recording;
}

const std::string& Recording::scene() const { return state_->head.scene; }
float Recording::dt() const { return state_->head.dt; }
const Camera& Recording::camera() const { return state_->head.camera; }
const RecordingError& Recording::error() const { return state_->head.error; }
const std::vector<RecordedBody>& Recording::bodies() const { return state_->bodies; }
std::string_view Recording::bytes() const { return state_->bytes; }
std::size_t Recording::frame_count() const { return state_->times.size(); }

std::uint32_t Recording::step_of(std::size_t frame) const {
    return state_->head.frame_steps[std::min(frame, frame_count() - 1)];
}
double Recording::time_of(std::size_t frame) const { return state_->times[std::min(frame, frame_count() - 1)]; }
double Recording::duration() const { return state_->times.back(); }

std::size_t Recording::frame_at(double time) const {
    const auto after = std::upper_bound(state_->times.begin(), state_->times.end(), time);
    return after == state_->times.begin() ? 0 : static_cast<std::size_t>(after - state_->times.begin()) - 1;
}

void Recording::states(std::size_t frame, std::vector<RecordedState>& out) const {
    State& s = *state_;
    frame = std::min(frame, frame_count() - 1);
    s.seek(frame);
    out.assign(s.bodies.size(), {});
    for (const Segment::Body& body : s.current.bodies) {
        if (frame < body.first || frame >= body.first + body.count) continue;
        const SegmentPose& pose = s.current.poses[body.poses + (frame - body.first)];
        out[body.number] = {decoded(pose.pose, s.head.scale), true, pose.awake, pose.rung};
    }
}

void Recording::states_at(double time, std::vector<RecordedState>& out) const {
    const std::size_t frame = frame_at(time);
    states(frame, out);
    if (!(time > time_of(frame)) || frame + 1 >= frame_count()) return;
    std::vector<RecordedState> next;
    states(frame + 1, next);
    const auto t = static_cast<float>((time - time_of(frame)) / (time_of(frame + 1) - time_of(frame)));
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!out[i].present || !next[i].present) continue;
        WorldTransform& pose = out[i].pose;
        pose.position = displaced(pose.position, t * vec3(next[i].pose.position - pose.position));
        const quat to =
            glm::dot(pose.rotation, next[i].pose.rotation) < 0.0f ? -next[i].pose.rotation : next[i].pose.rotation;
        pose.rotation = normalized(pose.rotation * (1.0f - t) + to * t);
    }
}

void Recording::contacts(std::size_t frame, std::vector<RecordedContact>& out) const {
    State& s = *state_;
    out.clear();
    frame = std::min(frame, frame_count() - 1);
    std::vector<RecordedState> now;
    states(frame, now);
    s.unpack_contacts();
    const ContactTracks& tracks = s.current.contacts;
    const auto at = static_cast<std::uint32_t>(frame - s.segment_starts[s.current.index]);
    for (const ContactTracks::Pair& pair : tracks.pairs) {
        if (at < pair.first || at - pair.first >= pair.count) continue;
        const WorldTransform& carrier = now[carried_by_b(s.bodies[pair.body_a].type) ? pair.body_b : pair.body_a].pose;
        const auto& direction = tracks.normals[pair.normals + (at - pair.first)];
        RecordedContact contact;
        contact.body_a = pair.body_a;
        contact.body_b = pair.body_b;
        contact.normal = rotate(carrier.rotation, direction_of({direction[0], direction[1]}));
        for (std::size_t i = pair.points; i < pair.points + pair.point_count && contact.point_count < 4; ++i) {
            const ContactTracks::Point& point = tracks.points[i];
            if (at < point.first || at - point.first >= point.count) continue;
            const ContactTracks::Value& value = tracks.values[point.values + (at - point.first)];
            vec3 local;
            for (int k = 0; k < 3; ++k) local[k] = static_cast<float>(value.steps[k] * s.head.contact_step);
            contact.points[contact.point_count++] = {transform_point(carrier, local),
                                                     static_cast<float>(impulse_of(value.impulse))};
        }
        out.push_back(contact);
    }
}

std::size_t Recording::step_count() const { return state_->steps.size(); }
const RecordedStep& Recording::step(std::size_t index) const { return state_->steps[index]; }

std::size_t Recording::worst_step() const {
    return state_->worst([](const RecordedStep& step) { return step.profile.total; });
}

std::size_t Recording::worst_pair_step() const {
    return state_->worst(
        [](const RecordedStep& step) { return step.slowest_a == nobody ? 0.0 : step.profile.slowest.microseconds; });
}

std::vector<std::pair<std::string, std::string>> describe(const Recording& recording) {
    std::vector<std::pair<std::string, std::string>> lines;
    const auto line = [&](const char* what, const char* words, auto... values) {
        char text[160];
        std::snprintf(text, sizeof text, words, values...);
        lines.emplace_back(what, text);
    };
    const RecordingError& e = recording.error();
    constexpr double degrees = 57.29577951308232;
    line("recording", "%.2f MB: %zu frames of %zu bodies, %.2f s", 1e-6 * static_cast<double>(recording.bytes().size()),
         recording.frame_count(), recording.bodies().size(), recording.duration());
    line("its poses are off by", "at most %.3g mm and %.3g degrees, mean %.3g mm and %.3g degrees",
         1e3 * e.max_position, degrees * e.max_angle, 1e3 * e.mean_position, degrees * e.mean_angle);
    line("its surfaces by", "at most %.3g mm", 1e3 * e.max_surface);
    if (e.max_contact > 0.0) {
        line("its contacts by", "at most %.3g mm, their normals by %.2g degrees, their impulses by %.0f%%",
             1e3 * e.max_contact, degrees * e.max_normal, 100.0 * e.max_impulse);
    }
    return lines;
}

}  // namespace talus::samples
