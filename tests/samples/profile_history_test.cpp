// What the window says about the last frames.

#include "samples/runner/outputs/profile_history.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace talus;
using namespace talus::samples;

namespace {

double total_of(const ProfiledFrame& frame) { return frame.profile.total; }

void add(ProfileHistory& history, std::uint64_t frame, double total) {
    FrameProfile profile;
    profile.frame = frame;
    profile.total = total;
    history.add({.profile = profile, .wall_ms = 0.001 * total});
}

}  // namespace

TEST_CASE("an empty history has no worst frame and its percentiles are zero") {
    const ProfileHistory history(4);
    CHECK(history.empty());
    CHECK(history.capacity() == 4);
    CHECK(history.worst(total_of) == 0);
    CHECK(history.percentiles(total_of).max == 0.0);
    CHECK(!history.find(0));
}

TEST_CASE("percentiles are those of the nearest rank") {
    ProfileHistory history(100);
    for (int i = 0; i < 100; ++i) add(history, std::uint64_t(i), double((i * 37) % 100 + 1));  // 1 to 100, shuffled
    const ProfileHistory::Percentiles p = history.percentiles(total_of);
    CHECK(p.p50 == 50.0);
    CHECK(p.p95 == 95.0);
    CHECK(p.p99 == 99.0);
    CHECK(p.max == 100.0);
    ProfileHistory one(100);
    add(one, 0, 7.0);
    CHECK(one.percentiles(total_of).p50 == 7.0);
    CHECK(one.percentiles(total_of).p99 == 7.0);
}

TEST_CASE("a full history forgets its oldest frames and keeps their order") {
    ProfileHistory history(5);
    for (int i = 0; i < 13; ++i) {
        add(history, std::uint64_t(100 + i), i == 3 ? 1000.0 : double(i));
        REQUIRE(history.size() == std::size_t(std::min(i + 1, 5)));
        for (std::size_t k = 0; k < history.size(); ++k)
            CHECK(history[k].profile.frame == std::uint64_t(100 + i) + 1 - history.size() + k);
        CHECK(history.newest().profile.frame == std::uint64_t(100 + i));
    }
    CHECK(history.percentiles(total_of).max == 12.0);  // not the thousand of frame 103
    CHECK(!history.find(107));
    REQUIRE(history.find(110));
    CHECK(history[*history.find(110)].profile.frame == 110);
    history.clear();
    CHECK(history.empty());
    add(history, 7, 1.0);
    CHECK(history.newest().profile.frame == 7);
}

TEST_CASE("the worst frame is the one of the greatest value and of equals the oldest") {
    ProfileHistory history(4);
    for (const double total : {9.0, 2.0, 5.0, 1.0, 5.0}) add(history, history.size(), total);  // the 9 has gone
    CHECK(history.worst(total_of) == 1);
    CHECK(history[history.worst(total_of)].profile.total == 5.0);
}

TEST_CASE("a frame that the system interrupted is the worst only if all were interrupted") {
    ProfileHistory history(8);
    const auto add_frame = [&](double total, std::uint32_t interruptions) {
        FrameProfile profile;
        profile.frame = history.size() + 1;
        profile.total = total;
        profile.interruptions = interruptions;
        history.add({.profile = profile, .wall_ms = 1e-3 * total});
    };
    add_frame(7.0, 1);
    add_frame(9.0, 2);
    CHECK(history.worst(total_of) == 1);
    add_frame(3.0, 0);
    CHECK(history.worst(total_of) == 2);
    add_frame(4.0, 0);
    add_frame(8.0, 1);
    CHECK(history.worst(total_of) == 3);
}

TEST_CASE("percentiles leave out frames that the system interrupted unless it interrupted all") {
    ProfileHistory history(8);
    const auto add_frame = [&](double total, std::uint32_t interruptions) {
        FrameProfile profile;
        profile.total = total;
        profile.interruptions = interruptions;
        history.add({.profile = profile});
    };
    add_frame(7.0, 1);
    CHECK(history.percentiles(total_of).max == 7.0);
    add_frame(3.0, 0);
    add_frame(4.0, 0);
    CHECK(history.percentiles(total_of).max == 4.0);
    CHECK(history.percentiles(total_of).p50 == 3.0);
}

TEST_CASE("the stages of a real step add up to it and every column reads its own figure") {
    World world;
    world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {0, -1, 0}});
    for (int i = 0; i < 5; ++i) world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 0.5f + float(i), 0}});
    ProfileHistory history(10);
    std::uint64_t pairs = 0;
    for (int i = 0; i < 20; ++i) {
        world.step(1.0f / 60.0f);
        history.add({.profile = world.profile(), .wall_ms = 2.5});
        if (i >= 10) pairs += world.profile().narrowphase.pairs[std::size_t(Rung::reuse)];
    }
    const FrameProfile& last = world.profile();
    double sum = 0.0;
    for (const double time : stage_times(last)) {
        CHECK(time >= 0.0);
        sum += time;
    }
    CHECK(last.total > 0.0);
    CHECK(sum == doctest::Approx(last.total));
    CHECK(pairs > 0);
    CHECK(history.narrowphase().pairs[std::size_t(Rung::reuse)] == pairs);

    FrameProfile distinct;
    distinct.total = 1, distinct.collide = 2, distinct.pairs = 3, distinct.broadphase = 4, distinct.graph = 5;
    distinct.solve = 6, distinct.continuous = 7, distinct.finish = 8, distinct.publish = 9, distinct.timing = 10;
    distinct.slowest.microseconds = 11, distinct.convex_pairs = 12, distinct.contact_points = 13;
    distinct.awake_bodies = 14;
    const ProfiledFrame frame{distinct, 0.015, {}};
    double columns = 0.0;
    for (const FrameColumn& column : frame_columns()) columns += column.value(frame);
    CHECK(columns == doctest::Approx(120.0));  // 1 to 15, each once
    REQUIRE(find_frame_column("collide") != nullptr);
    CHECK(find_frame_column("collide")->value(frame) == 2.0);
    CHECK(find_frame_column("") == nullptr);
}
