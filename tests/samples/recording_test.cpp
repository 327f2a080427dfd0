/// Recordings: what is read is what was run, to within what the recording says of itself; and whatever a file holds,
/// reading it ends well.
#include "samples/recording/recording.h"
#include "samples/recording/page/page.h"
#include "samples/recording/streams.h"
#include "samples/scenes/kit/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace talus;
using namespace talus::samples;

namespace {

/// A world as it was at a frame.
struct Truth {
    std::uint32_t step = 0;
    std::map<std::uint64_t, WorldTransform> poses;  // by handle
    std::map<std::uint64_t, bool> awake;
    std::vector<Contact> contacts;
};

std::uint64_t key_of(BodyId id) { return (std::uint64_t{id.generation} << 32) | id.slot; }

Truth truth_of(const World& world, std::uint32_t step) {
    Truth truth;
    truth.step = step;
    for (const BodyId id : world.bodies()) {
        truth.poses[key_of(id)] = world.transform(id);
        truth.awake[key_of(id)] = world.type(id) != BodyType::fixed && world.is_awake(id);
    }
    truth.contacts = world.contacts();
    return truth;
}

struct Run {
    std::string bytes;
    std::vector<Truth> frames;
    std::vector<FrameProfile> profiles;
};

/// Records a scene, and keeps what it should say.
Run record(const char* name, int steps, const RecordingOptions& options = {}) {
    const Result<SceneData> scene = find_scene(name)->make({});
    REQUIRE(scene);
    World world = make_world(*scene);
    Recorder recorder;
    REQUIRE_FALSE(recorder.begin(world, name, *scene, options));
    Run run;
    run.frames.push_back(truth_of(world, 0));
    const int every =
        std::max(1, static_cast<int>(std::round(1.0 / (static_cast<double>(scene->dt) * options.poses_per_second))));
    for (int step = 1; step <= steps; ++step) {
        REQUIRE(step_scene(world, *scene, step - 1));
        recorder.after_step(world);
        run.profiles.push_back(world.profile());
        if (step % every == 0 || step == steps) run.frames.push_back(truth_of(world, static_cast<std::uint32_t>(step)));
    }
    Result<std::string> bytes = recorder.finish(world);
    REQUIRE(bytes);
    CHECK_FALSE(recorder.active());
    run.bytes = std::move(*bytes);
    return run;
}

Recording reading(const std::string& bytes) {
    Result<Recording> recording = Recording::read(bytes);
    INFO(recording.error().message);
    REQUIRE(recording);
    return std::move(*recording);
}

double angle_between(const quat& a, const quat& b) {
    // By the chord of the rotations of three axes: another way than the recorder's.
    double most = 0.0;
    for (const vec3 axis : {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)}) {
        most = std::max(most, glm::length(glm::dvec3(rotate(a, axis)) - glm::dvec3(rotate(b, axis))));
    }
    return 2.0 * std::asin(std::min(1.0, 0.5 * most));
}

/// Poses and who is there and awake at all frames, against the truth; gives the largest distance.
double check_poses(const Recording& recording, const std::vector<Truth>& frames) {
    REQUIRE(recording.frame_count() == frames.size());
    double most = 0.0, most_angle = 0.0, sum = 0.0;
    std::size_t poses = 0;
    std::vector<RecordedState> states;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        CHECK(recording.step_of(f) == frames[f].step);
        recording.states(f, states);
        REQUIRE(states.size() == recording.bodies().size());
        std::size_t present = 0;
        for (std::size_t b = 0; b < states.size(); ++b) {
            if (!states[b].present) continue;
            ++present;
            const auto at = frames[f].poses.find(key_of(recording.bodies()[b].id));
            REQUIRE(at != frames[f].poses.end());
            const double distance = glm::distance(states[b].pose.position, at->second.position);
            most = std::max(most, distance);
            most_angle = std::max(most_angle, angle_between(states[b].pose.rotation, at->second.rotation));
            sum += distance;
            ++poses;
            if (states[b].awake != frames[f].awake.at(key_of(recording.bodies()[b].id))) {
                INFO("frame " << f << ", body " << b);
                CHECK(states[b].awake == frames[f].awake.at(key_of(recording.bodies()[b].id)));
            }
        }
        CHECK(present == frames[f].poses.size());
    }
    const RecordingError& error = recording.error();
    CHECK(error.poses == poses);
    CHECK(error.max_position == doctest::Approx(most).epsilon(1e-9));
    CHECK(error.mean_position ==
          doctest::Approx(sum / static_cast<double>(std::max<std::size_t>(1, poses))).epsilon(1e-9));
    CHECK(most_angle <= error.max_angle + 2e-6);  // floats of the rotated axes
    CHECK(most_angle >= 0.75 * error.max_angle - 2e-6);
    CHECK(error.max_surface >= error.max_position);
    return most;
}

}  // namespace

TEST_CASE("a recording's poses are as far from the true ones as it says, in scenes of all kinds") {
    for (const char* name :
         {"shapes", "dominoes", "ragdolls", "bighulls44", "drum", "t_handle", "conveyor", "bullets"}) {
        CAPTURE(name);
        const Run run = record(name, 90);
        const Recording recording = reading(run.bytes);
        CHECK(recording.scene() == name);
        const double most = check_poses(recording, run.frames);
        INFO("largest distance, m: " << most);
        CHECK(most > 0.0);
        CHECK(most < 5e-3);
    }
}

TEST_CASE("a recording has the contacts of each frame, to within what it says") {
    const Run run = record("bighulls44", 150);
    const Recording recording = reading(run.bytes);
    std::vector<RecordedContact> contacts;
    std::size_t points = 0;
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
        recording.contacts(f, contacts);
        REQUIRE(contacts.size() == run.frames[f].contacts.size());
        std::map<std::pair<std::uint64_t, std::uint64_t>, const Contact*> wanted;
        for (const Contact& c : run.frames[f].contacts) wanted[{key_of(c.body_a), key_of(c.body_b)}] = &c;
        for (const RecordedContact& c : contacts) {
            const auto at =
                wanted.find({key_of(recording.bodies()[c.body_a].id), key_of(recording.bodies()[c.body_b].id)});
            REQUIRE(at != wanted.end());
            REQUIRE(c.point_count == at->second->point_count);
            CHECK(glm::length(c.normal - at->second->normal) <=
                  static_cast<float>(recording.error().max_normal + recording.error().max_angle) + 1e-4f);
            for (int i = 0; i < c.point_count; ++i) {
                // In whichever order: the nearest of the true ones.
                double nearest = 1e9;
                double impulse = 0.0;
                for (int j = 0; j < at->second->point_count; ++j) {
                    const ContactPoint& p = at->second->points[j];
                    const double d = glm::distance(p.position, c.points[i].position);
                    if (d < nearest) impulse = static_cast<double>(p.normal_impulse);
                    nearest = std::min(nearest, d);
                }
                CHECK(nearest < recording.error().max_contact + recording.error().max_surface + 1e-5);
                if (nearest < 1e-3 && impulse > 1e-3 && at->second->point_count == 1) {
                    CHECK(std::abs(static_cast<double>(c.points[i].impulse) / impulse - 1.0) <=
                          recording.error().max_impulse + 1e-6);
                }
                ++points;
            }
        }
    }
    INFO("points compared: " << points);
    CHECK(points > 5000);
    CHECK(recording.error().max_normal < 0.06);
    CHECK(recording.error().max_impulse < 0.2);
}

TEST_CASE("a recording has the profile of every step, so that no spike is lost between frames") {
    const Run run = record("bighulls44", 75);
    const Recording recording = reading(run.bytes);
    REQUIRE(recording.step_count() == 75);
    double most = 0.0;
    for (std::size_t i = 0; i < 75; ++i) {
        const FrameProfile &read = recording.step(i).profile, &truth = run.profiles[i];
        constexpr double half_tick = 0.5 / 16.0 + 1e-9;
        CHECK(std::abs(read.total - truth.total) <= half_tick);
        CHECK(std::abs(read.solve - truth.solve) <= half_tick);
        CHECK(std::abs(read.slowest.microseconds - truth.slowest.microseconds) <= half_tick);
        CHECK(read.slowest.rung == truth.slowest.rung);
        CHECK(read.frame == truth.frame);
        CHECK(read.awake_bodies == truth.awake_bodies);
        CHECK(read.interruptions == truth.interruptions);
        CHECK(read.narrowphase.pairs == truth.narrowphase.pairs);
        CHECK(read.narrowphase.gjk_histogram == truth.narrowphase.gjk_histogram);
        CHECK(read.narrowphase.tested_by_shapes == truth.narrowphase.tested_by_shapes);
        CHECK(read.kinetic_energy == doctest::Approx(truth.kinetic_energy).epsilon(1e-4));
        CHECK(recording.step(i).time == doctest::Approx(static_cast<double>(i + 1) / 60.0));
        if (!truth.slowest.body_a.is_null()) {
            REQUIRE(recording.step(i).slowest_a < recording.bodies().size());
            CHECK(recording.bodies()[recording.step(i).slowest_a].id == truth.slowest.body_a);
            CHECK(read.slowest.body_b == truth.slowest.body_b);
        }
        if (truth.interruptions == 0) most = std::max(most, read.total);
    }
    if (most == 0.0) return;  // a busy machine: no step was left alone
    CHECK(recording.step(recording.worst_step()).profile.total == most);
}

TEST_CASE("a recording has what the search for contacts of solids looked at") {
    const Run run = record("solid_gears", 40);
    const Recording recording = reading(run.bytes);
    std::uint64_t candidates = 0;
    for (std::size_t i = 0; i < recording.step_count(); ++i) {
        const FeatureCounts &read = recording.step(i).profile.narrowphase.features,
                            &truth = run.profiles[i].narrowphase.features;
        CHECK(read.node_pairs == truth.node_pairs);
        CHECK(read.pairs == truth.pairs);
        CHECK(read.nearby == truth.nearby);
        CHECK(read.candidates == truth.candidates);
        CHECK(read.points == truth.points);
        candidates += read.candidates;
    }
    CHECK(candidates > 0);
}

TEST_CASE("bodies that come, go, change, are teleported or reuse a slot are as they were") {
    SceneData scene;
    scene.bodies.push_back({.type = BodyType::fixed, .shape = box({20, 1, 20}), .position = {0, -1, 0}});
    scene.bodies.push_back({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 0.5f, 0}});
    scene.bodies.push_back({.shape = sphere(0.5f), .position = {3, 4, 0}});
    World world = make_world(scene);
    const std::vector<BodyId> first = world.bodies();
    Recorder recorder;
    RecordingOptions options;
    options.poses_per_second = 60.0;
    options.key_seconds = 0.25;
    REQUIRE_FALSE(recorder.begin(world, "by hand", scene, options));
    std::vector<Truth> frames{truth_of(world, 0)};
    std::vector<BodyId> spawned;
    Random random(3);
    for (std::uint32_t step = 1; step <= 240; ++step) {
        if (step % 20 == 5) {
            spawned.push_back(
                world.add_body({.shape = capsule(0.3f, 0.2f),
                                .position = {random.between(-5.0f, 5.0f), 6.0f, random.between(-5.0f, 5.0f)},
                                .rotation = random.rotation()}));
        }
        if (step % 37 == 0 && !spawned.empty()) {
            world.remove_body(spawned.front());
            spawned.erase(spawned.begin());
            spawned.push_back(world.add_body({.shape = cone(0.4f, 0.3f), .position = {0, 9, 0}}));  // in the same slot
        }
        if (step == 50) world.set_transform(first[2], {-8, 2, 1}, random.rotation());      // far, turned anyhow
        if (step == 90) world.set_shape(first[1], 0, box({0.7f, 0.5f, 0.5f}));             // another body from here on
        if (step == 130) world.set_transform(first[0], {0, -1.25f, 0}, quat(1, 0, 0, 0));  // the floor itself
        if (step == 170) world.set_type(first[2], BodyType::fixed);
        REQUIRE(world.step(scene.dt));
        recorder.after_step(world);
        frames.push_back(truth_of(world, step));
    }
    const Result<std::string> bytes = recorder.finish(world);
    REQUIRE(bytes);
    const Recording recording = reading(*bytes);
    CHECK(check_poses(recording, frames) < 2e-3);
    std::size_t boxes = 0, cones = 0;
    for (const RecordedBody& body : recording.bodies()) {
        REQUIRE(body.shapes.size() == 1);
        boxes += body.shapes[0].shape.type == ShapeType::box && body.id == first[1];
        cones += body.shapes[0].shape.type == ShapeType::cone;
        CHECK(body.first_frame < body.end_frame);
    }
    CHECK(boxes == 2);
    CHECK(cones == 6);
}

TEST_CASE("between frames poses are between, and any time is answered") {
    const Run run = record("falling_box", 60);
    const Recording recording = reading(run.bytes);
    std::vector<RecordedState> before, after, between;
    const double half = 0.5 * (recording.time_of(10) + recording.time_of(11));
    recording.states(10, before);
    recording.states(11, after);
    recording.states_at(half, between);
    for (std::size_t b = 0; b < between.size(); ++b) {
        const dvec3 middle = midway(before[b].pose.position, after[b].pose.position);
        CHECK(glm::distance(between[b].pose.position, middle) < 1e-5);
        CHECK(std::abs(length_squared(
                           vec3(between[b].pose.rotation.x, between[b].pose.rotation.y, between[b].pose.rotation.z)) +
                       between[b].pose.rotation.w * between[b].pose.rotation.w - 1.0f) < 1e-5f);
    }
    CHECK(recording.frame_at(half) == 10);
    CHECK(recording.frame_at(-1.0) == 0);
    CHECK(recording.frame_at(1e9) == recording.frame_count() - 1);
    recording.states_at(-5.0, between);
    recording.states(0, before);
    CHECK(between[1].pose.position == before[1].pose.position);
    recording.states_at(1e9, between);
    recording.states(1'000'000, after);
    CHECK(between[1].pose.position == after[1].pose.position);
}

TEST_CASE("what sleeps costs next to nothing") {
    const std::size_t short_run = record("pyramid10", 600).bytes.size();
    const Run run = record("pyramid10", 1800);
    std::size_t bodies = 0, asleep = 0;
    for (const auto& [id, awake] : run.frames.back().awake) {
        ++bodies;
        asleep += !awake;
    }
    REQUIRE(asleep == bodies);
    // Ten key frames more of each body, and the profiles of 1,200 steps more.
    const std::size_t more = run.bytes.size() - short_run;
    INFO("20 s of sleep take " << more << " bytes for " << bodies << " bodies");
    CHECK(more < 10 * bodies * 20 + 1200 * 25);
}

TEST_CASE("a recording is small") {
    const Run run = record("bighulls44", 240);
    const double a_body_a_second = static_cast<double>(run.bytes.size()) / 206.0 / 4.0;
    INFO("bytes of a body of a pile in a second of 30 frames with contacts: " << a_body_a_second);
    CHECK(a_body_a_second < 500.0);
}

TEST_CASE("a recording of nothing, and one without a step, are recordings too") {
    SceneData scene;
    World world = make_world(scene);
    Recorder recorder;
    CHECK_FALSE(recorder.finish(world));
    REQUIRE_FALSE(recorder.begin(world, "", scene));
    const Result<std::string> none = recorder.finish(world);
    REQUIRE(none);
    const Recording recording = reading(*none);
    CHECK(recording.frame_count() == 1);
    CHECK(recording.bodies().empty());
    CHECK(recording.duration() == 0.0);
    CHECK(recording.worst_pair_step() == 0);
    CHECK(reading(record("falling_box", 1).bytes).frame_count() == 2);

    RecordingOptions options;
    options.poses_per_second = 0.0;
    CHECK(recorder.begin(world, "", scene, options));
    CHECK_FALSE(recorder.active());
}

namespace {

/// Uses everything of a recording, so that a wrong index shows.
void walk(const Recording& recording) {
    std::vector<RecordedState> states;
    std::vector<RecordedContact> contacts;
    double sum = 0.0;
    const std::size_t frames = recording.frame_count();
    for (std::size_t i = 0; i < frames; ++i) {
        const std::size_t frame = i % 2 ? frames - 1 - i / 2 : i / 2;  // jumps to and fro
        recording.states(frame, states);
        for (const RecordedState& state : states) sum += state.pose.position.x;
        recording.contacts(frame, contacts);
        for (const RecordedContact& contact : contacts) {
            sum += states[contact.body_a].pose.position.y + states[contact.body_b].pose.position.y;
            CHECK(contact.point_count <= 4);
        }
    }
    for (std::size_t i = 0; i < recording.step_count(); ++i) sum += recording.step(i).profile.total;
    CHECK_FALSE(replay_page(recording).empty());
    CHECK(sum == sum + 0.0 * sum);
}

struct Block {
    std::string kind, contents;
};

std::uint32_t read_u32(const std::string& bytes, std::size_t at) {
    std::uint32_t v = 0;
    for (std::size_t i = 0; i < 4; ++i) v |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return v;
}

std::vector<Block> blocks_of(const std::string& bytes) {
    std::vector<Block> blocks;
    for (std::size_t at = 12; at < bytes.size();) {
        const std::uint32_t size = read_u32(bytes, at + 4);
        blocks.push_back({bytes.substr(at, 4), bytes.substr(at + 8, size)});
        at += 8 + size;
    }
    return blocks;
}

std::string file_of(const std::string& start, const std::vector<Block>& blocks) {
    ByteWriter out;
    out.raw(start);
    for (const Block& block : blocks) {
        out.raw(block.kind);
        out.u32(static_cast<std::uint32_t>(block.contents.size()));
        out.raw(block.contents);
    }
    return out.bytes();
}

/// The streams of a block, however many.
std::vector<std::string> streams_of(const std::string& block) {
    std::string storage;
    std::vector<std::string_view> streams;
    for (std::size_t count = 1; count < 400; ++count) {
        if (unpack(block, count, storage, streams)) return {streams.begin(), streams.end()};
    }
    FAIL("a block has no streams");
    return {};
}

std::string packed(const std::vector<std::string>& streams) {
    const std::vector<std::string_view> views(streams.begin(), streams.end());
    return pack(views);
}

}  // namespace

TEST_CASE("a file that is cut, changed or none at all gives an error that says so") {
    const Run run = record("shapes", 40);
    for (std::size_t length = 0; length < run.bytes.size(); length += 1 + length / 40) {
        const Result<Recording> cut = Recording::read(run.bytes.substr(0, length));
        CHECK_FALSE(cut);
        CHECK(cut.error().message.size() > 20);
    }
    CHECK_FALSE(Recording::read(run.bytes + "x"));
    std::string other_version = run.bytes;
    other_version[8] = 9;
    const Result<Recording> other = Recording::read(other_version);
    REQUIRE_FALSE(other);
    CHECK(other.error().message.find("version 9") != std::string::npos);
    const Result<Recording> missing = Recording::load("no/such/file.talus");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("no/such/file.talus") != std::string::npos);
    CHECK_FALSE(Recording::load("."));
}

TEST_CASE("no change to a file's bytes or to what they unpack to makes reading it fail badly") {
    RecordingOptions options;
    options.key_seconds = 0.5;
    const Run run = record("ragdolls", 60, options);
    const std::string start = run.bytes.substr(0, 12);
    const std::vector<Block> blocks = blocks_of(run.bytes);
    REQUIRE(file_of(start, blocks) == run.bytes);
    Random random(17);
    std::size_t refused = 0, read = 0;
    const auto attempt = [&](const std::string& bytes) {
        const Result<Recording> recording = Recording::read(bytes);
        if (!recording) {
            ++refused;
            CHECK(recording.error().message.size() > 20);
        } else {
            ++read;
            walk(*recording);
        }
    };
    const auto mutate = [&](std::string& bytes) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
        switch (random.below(5)) {
            case 0:
                bytes[at] = static_cast<char>(random.below(256));
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
                break;
            case 2:
                bytes.erase(at, 1 + random.below(3));
                break;
            case 3:
                bytes.insert(at, 1, static_cast<char>(random.below(256)));
                break;
            default:
                bytes[at] = random.below(2) ? '\xff' : '\0';
        }
    };

    for (int i = 0; i < 150; ++i) {  // of the file: deflate's own check finds nearly all
        std::string bytes = run.bytes;
        mutate(bytes);
        attempt(bytes);
    }
    std::vector<std::vector<std::string>> streams;
    for (const Block& block : blocks) streams.push_back(streams_of(block.contents));
    for (int i = 0; i < 500; ++i) {  // of the contents: these have to be checked by ours
        const std::size_t chosen = random.below(static_cast<std::uint32_t>(blocks.size()));
        std::vector<std::string> changed = streams[chosen];
        for (int k = 0, n = 1 + static_cast<int>(random.below(3)); k < n; ++k) {
            std::string& stream = changed[random.below(static_cast<std::uint32_t>(changed.size()))];
            if (!stream.empty()) mutate(stream);
        }
        std::vector<Block> damaged = blocks;
        damaged[chosen].contents = packed(changed);
        attempt(file_of(start, damaged));
    }
    INFO("refused " << refused << ", read " << read);
    CHECK(refused > 200);
    CHECK(read > 20);  // many a pose may be another
}

TEST_CASE("the page's text holds the bytes, in characters that mean nothing to HTML") {
    Random random(5);
    for (const std::size_t size : {0u, 1u, 2u, 12u, 13u, 1000u, 60000u}) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random.below(256));
        const std::string text = to_text(bytes);
        std::string back;
        unsigned held = 0, bits = 0;
        std::string letters;
        for (char c = '!'; c <= '~'; ++c) {
            if (c != '"' && c != '&' && c != '<') letters += c;
        }
        std::string plain;
        for (const char c : text) {
            if (c != '\n') plain += c;
        }
        REQUIRE(plain.size() % 2 == 0);
        for (std::size_t i = 0; i < plain.size(); i += 2) {
            const std::size_t low = letters.find(plain[i]), high = letters.find(plain[i + 1]);
            REQUIRE(low != std::string::npos);
            REQUIRE(high != std::string::npos);
            held |= static_cast<unsigned>(low + letters.size() * high) << bits;
            for (bits += 13; bits >= 8; bits -= 8, held >>= 8) back += static_cast<char>(held & 255u);
        }
        back.resize(size);
        CHECK(back == bytes);
        if (size == 60000) CHECK(text.size() < 1.24 * 60000);
    }
    const std::string page = replay_page(reading(record("falling_box", 4).bytes));
    CHECK(page.find("http://") == std::string::npos);
    CHECK(page.find("https://") == std::string::npos);
    CHECK(page.find("/*FACTS*/") == std::string::npos);
    CHECK(page.find("<!--RECORDING-->") == std::string::npos);
}
