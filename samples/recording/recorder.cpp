#include "samples/recording/contact_codec.h"
#include "samples/recording/file_format.h"
#include "samples/recording/profile_codec.h"
#include "samples/recording/recording.h"
#include "samples/render/mesh.h"
#include "samples/render/origin.h"
#include "samples/render/shading.h"

#include <algorithm>
#include <cmath>

namespace talus::samples {

namespace {

constexpr std::uint32_t nobody = 0xffffffffu;
constexpr double steps_a_radius = 1000.0;  // positions are rounded to that part of a small body's radius ...
constexpr double finest_step = 1e-6, coarsest_step = 0.01;  // ... within these, m
constexpr double contact_steps = 4.0;                       // contact points are rounded to so many of them
constexpr std::uint32_t fixed_color = 0xc9c8c4, kinematic_color = 0xa08f7a;  // as in samples/render

std::uint32_t to_srgb(const vec3& linear) {
    std::uint32_t color = 0;
    for (int i = 0; i < 3; ++i) {
        const float l = std::clamp(linear[i], 0.0f, 1.0f);
        const float s = l <= 0.0031308f ? 12.92f * l : 1.055f * std::pow(l, 1.0f / 2.4f) - 0.055f;
        color = (color << 8) | static_cast<std::uint32_t>(s * 255.0f + 0.5f);
    }
    return color;
}

/// 1, 2 or 5 times a power of ten, not above x.
double round_down(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    return x >= 5.0 * power ? 5.0 * power : x >= 2.0 * power ? 2.0 * power : power;
}

double radius_of(std::span<const ShapeDef> shapes) {
    double radius = 0.0;
    for (const ShapeDef& part : shapes) {
        radius = std::max(radius, static_cast<double>(glm::length(part.pose.position) + reach_of(part)));
    }
    return radius;
}

/// From the sizes of what moves: a thousandth of a small body; a large one's rim turns in steps no longer. The origin is
/// near the first body.
PoseScale choose_scale(const World& world) {
    std::vector<double> radii, all;
    for (const BodyId id : world.bodies()) {
        const double radius = radius_of(world.shapes(id));
        all.push_back(radius);
        if (world.type(id) != BodyType::fixed) radii.push_back(radius);
    }
    if (radii.empty()) radii = all;
    PoseScale scale;
    if (radii.empty()) return scale;
    scale.origin = picture_origin(world.position(world.bodies().front()));
    std::sort(radii.begin(), radii.end());
    const double small = radii[radii.size() / 10], large = radii[radii.size() - 1 - radii.size() / 10];
    scale.step = round_down(std::clamp(small / steps_a_radius, finest_step, coarsest_step));
    const double turns = std::ceil(std::log2(std::max(1.0, 2.0 * large / scale.step)));
    scale.bits = std::clamp(static_cast<int>(turns), PoseScale::min_bits + 2, PoseScale::max_bits);
    return scale;
}

/// The turn from b to a.
glm::dquat turn_between(const glm::dquat& a, const glm::dquat& b) {
    const glm::dquat turn = a * glm::conjugate(b);
    return turn / glm::length(turn);
}

bool same_shapes(std::span<const ShapeDef> now, const std::vector<RecordedShape>& then) {
    if (now.size() != then.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const Shape &a = now[i].shape, &b = then[i].shape;
        if (a.type != b.type || a.radius != b.radius || a.half_extents != b.half_extents || a.hull != b.hull ||
            a.mapping != b.mapping || now[i].mesh != then[i].mesh || a.points[0] != b.points[0] ||
            a.points[1] != b.points[1] || a.points[2] != b.points[2] || now[i].pose.position != then[i].pose.position ||
            now[i].pose.rotation != then[i].pose.rotation) {
            return false;
        }
    }
    return true;
}

}  // namespace

struct Recorder::State {
    RecordingOptions options;
    FileHead head;
    std::uint32_t steps_a_frame = 1;
    std::uint32_t frames_a_segment = 1;
    std::vector<std::uint32_t> glass_slots;

    std::vector<RecordedBody> bodies;
    std::vector<std::vector<TruePose>> poses;  // of this segment, one list per body
    std::vector<double> radii;                 // a body
    std::vector<std::uint32_t> number_of_slot;
    std::vector<std::uint32_t> last_seen;  // frame, a body
    std::vector<std::uint32_t> present;    // numbers of bodies of the last frame
    std::size_t dynamic_count = 0;

    std::uint32_t segment_start = 0;  // frame
    std::vector<std::vector<TrueContact>> contacts;
    std::vector<ProfileRow> rows;
    std::vector<std::string> pose_blocks, contact_blocks;
    double position_sum = 0.0, angle_sum = 0.0;

    std::uint32_t frame_count() const { return static_cast<std::uint32_t>(head.frame_steps.size()); }

    /// The number of the body with this handle, or nobody.
    std::uint32_t find(BodyId id) const {
        const std::uint32_t number = id.slot < number_of_slot.size() ? number_of_slot[id.slot] : nobody;
        return number != nobody && bodies[number].id == id ? number : nobody;
    }
    std::uint32_t add(const World& world, BodyId id);
    void take_frame(const World& world);
    void take_contacts(const World& world);
    void close_segment();
};

std::uint32_t Recorder::State::add(const World& world, BodyId id) {
    RecordedBody body;
    body.id = id;
    body.type = world.type(id);
    for (const ShapeDef& part : world.shapes(id)) body.shapes.push_back({part.shape, part.pose, part.mesh});
    body.color = body.type == BodyType::fixed       ? fixed_color
                 : body.type == BodyType::kinematic ? kinematic_color
                                                    : to_srgb(body_color(dynamic_count++));
    body.glass = frame_count() == 0 && std::find(glass_slots.begin(), glass_slots.end(), id.slot) != glass_slots.end();
    body.first_frame = frame_count();
    const auto number = static_cast<std::uint32_t>(bodies.size());
    if (id.slot >= number_of_slot.size()) number_of_slot.resize(id.slot + 1, nobody);
    number_of_slot[id.slot] = number;
    radii.push_back(radius_of(world.shapes(id)));
    bodies.push_back(std::move(body));
    poses.emplace_back();
    last_seen.push_back(0);
    return number;
}

void Recorder::State::take_frame(const World& world) {
    const std::uint32_t frame = frame_count();
    std::vector<std::uint32_t> now;
    for (const BodyId id : world.bodies()) {
        std::uint32_t number = find(id);
        if (number != nobody &&
            (bodies[number].type != world.type(id) || !same_shapes(world.shapes(id), bodies[number].shapes))) {
            number = nobody;  // it is drawn as another body from now on
        }
        if (number == nobody) number = add(world, id);
        const bool awake = bodies[number].type != BodyType::fixed && world.is_awake(id);
        poses[number].push_back({world.transform(id), awake, no_rung});
        last_seen[number] = frame;
        now.push_back(number);
    }
    for (const std::uint32_t number : present) {
        if (last_seen[number] != frame) bodies[number].end_frame = frame;
    }
    present = std::move(now);

    if (options.rungs) {
        for (const PairInfo& pair : world.pairs()) {
            if (!pair.active) continue;
            for (const BodyId id : {pair.body_a, pair.body_b}) {
                const std::uint32_t number = find(id);
                if (number == nobody || !poses[number].back().awake) continue;
                std::uint8_t& dearest = poses[number].back().rung;
                const auto rung = static_cast<std::uint8_t>(pair.rung);
                if (dearest == no_rung || rung > dearest) dearest = rung;
            }
        }
    }
    if (options.contacts) take_contacts(world);
    head.frame_steps.push_back(static_cast<std::uint32_t>(rows.size()));
    const std::size_t frames = head.frame_steps.size() - segment_start;
    if (frames >= frames_a_segment || (frames + 1) * bodies.size() > largest_segment) close_segment();
}

void Recorder::State::take_contacts(const World& world) {
    std::vector<TrueContact>& out = contacts.emplace_back();
    for (const Contact& contact : world.contacts()) {
        TrueContact taken;
        taken.body_a = find(contact.body_a);
        taken.body_b = find(contact.body_b);
        if (taken.body_a == nobody || taken.body_b == nobody) continue;
        taken.shape_a = contact.shape_a;
        taken.shape_b = contact.shape_b;
        const std::uint32_t carrier = carried_by_b(bodies[taken.body_a].type) ? taken.body_b : taken.body_a;
        const WorldTransform& pose = poses[carrier].back().pose;
        taken.normal = inverse_rotate(pose.rotation, contact.normal);
        taken.point_count = contact.point_count;
        for (int i = 0; i < contact.point_count; ++i) {
            taken.points[i] = {contact.points[i].id, inverse_transform_point(pose, contact.points[i].position),
                               contact.points[i].normal_impulse};
        }
        out.push_back(taken);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const TrueContact& a, const TrueContact& b) { return a.key() < b.key(); });
}

void Recorder::State::close_segment() {
    const std::uint32_t frames = frame_count() - segment_start;
    if (frames == 0) return;
    PoseWriter writer(head.scale);
    std::vector<CodedPose> read;
    RecordingError& error = head.error;
    for (std::size_t number = 0; number < bodies.size(); ++number) {
        std::vector<TruePose>& truth = poses[number];
        if (truth.empty()) continue;
        writer.body(truth, read);
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const WorldTransform shown = decoded(read[i], head.scale);
            const glm::dquat turn = turn_between(glm::dquat(shown.rotation), glm::dquat(truth[i].pose.rotation));
            const double distance = glm::distance(shown.position, truth[i].pose.position);
            const double half_sine = std::min(1.0, glm::length(dvec3(turn.x, turn.y, turn.z)));
            const double angle = 2.0 * std::asin(half_sine);
            error.max_position = std::max(error.max_position, distance);
            error.max_angle = std::max(error.max_angle, angle);
            error.max_surface = std::max(error.max_surface, distance + 2.0 * half_sine * radii[number]);
            position_sum += distance;
            angle_sum += angle;
            ++error.poses;
        }
        truth.clear();
    }
    pose_blocks.push_back(writer.finish());
    ContactError contact_error;
    contact_blocks.push_back(write_contacts(contacts, head.contact_step, contact_error));
    error.max_contact = std::max(error.max_contact, contact_error.position);
    error.max_normal = std::max(error.max_normal, contact_error.normal);
    error.max_impulse = std::max(error.max_impulse, contact_error.impulse);
    contacts.clear();
    head.segment_frames.push_back(frames);
    segment_start = frame_count();
}

Recorder::Recorder() : state_(std::make_unique<State>()) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

Error Recorder::begin(const World& world, std::string name, const SceneData& scene, const RecordingOptions& options) {
    if (!can_compress()) {
        return {ErrorCode::bad_argument,
                "This program was built without zlib, so it cannot record; install zlib1g-dev and build again."};
    }
    if (!(options.poses_per_second > 0.0) || !(options.key_seconds > 0.0))
        return {ErrorCode::bad_argument,
                "A recording takes more than 0 poses a second, and more than 0 s from key to key."};
    state_ = std::make_unique<State>();
    State& s = *state_;
    s.options = options;
    s.head.scene = std::move(name);
    s.head.dt = scene.dt;
    s.head.camera = scene.camera;
    s.head.scale = choose_scale(world);
    s.head.contact_step = contact_steps * s.head.scale.step;
    const double every = std::round(1.0 / (static_cast<double>(scene.dt) * options.poses_per_second));
    s.steps_a_frame = static_cast<std::uint32_t>(std::clamp(every, 1.0, 1e6));
    const double frames = options.key_seconds / (static_cast<double>(scene.dt) * s.steps_a_frame);
    s.frames_a_segment = static_cast<std::uint32_t>(std::clamp(std::round(frames), 1.0, double{longest_segment}));
    const std::vector<BodyId> ids = world.bodies();
    for (const std::uint32_t i : scene.glass) {
        if (i < ids.size()) s.glass_slots.push_back(ids[i].slot);
    }
    s.take_frame(world);
    return {};
}

bool Recorder::active() const { return state_->frame_count() > 0; }

void Recorder::after_step(const World& world, float dt) {
    State& s = *state_;
    if (!active()) return;
    ProfileRow row;
    row.dt = dt > 0.0f ? dt : s.head.dt;
    row.profile = world.profile();
    s.rows.push_back(row);
    if (s.rows.size() % s.steps_a_frame == 0) s.take_frame(world);
    const SlowestPair& slowest = row.profile.slowest;
    s.rows.back().slowest_a = s.find(slowest.body_a);
    s.rows.back().slowest_b = s.find(slowest.body_b);
}

Result<std::string> Recorder::finish(const World& world) {
    State& s = *state_;
    if (!active()) return Error{ErrorCode::bad_argument, "There is no recording to finish; call begin() first."};
    if (s.head.frame_steps.back() != s.rows.size()) s.take_frame(world);
    s.close_segment();
    for (const std::uint32_t number : s.present) s.bodies[number].end_frame = s.frame_count();
    RecordingError& error = s.head.error;
    if (error.poses > 0) {
        error.mean_position = s.position_sum / static_cast<double>(error.poses);
        error.mean_angle = s.angle_sum / static_cast<double>(error.poses);
    }
    ByteWriter out;
    out.raw(file_magic);
    out.u32(file_version);
    const auto block = [&](std::string_view kind, const std::string& contents) {
        out.raw(kind);
        out.u32(static_cast<std::uint32_t>(contents.size()));
        out.raw(contents);
    };
    block("HEAD", write_head(s.head));
    block("BODY", write_bodies(s.bodies));
    block("PROF", write_profiles(s.rows));
    for (std::size_t i = 0; i < s.pose_blocks.size(); ++i) {
        block("POSE", s.pose_blocks[i]);
        block("CONT", s.contact_blocks[i]);
    }
    const RecordingError kept = error;
    state_ = std::make_unique<State>();
    state_->head.error = kept;
    return out.bytes();
}

const RecordingError& Recorder::error() const { return state_->head.error; }
std::size_t Recorder::frame_count() const { return state_->frame_count(); }

}  // namespace talus::samples
