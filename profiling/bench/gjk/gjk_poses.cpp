#include "profiling/bench/gjk/gjk_poses.h"

#include <talus/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::profiling {

namespace {

using samples::Random;

float separation_of(const PosedPair& pair, const Transform& pose) {
    SimplexCache cold;
    return separation(pair.a, pair.b, to_matrix_transform(pose), cold).separation;
}

/// A random orientation in a random direction, at the separation asked for. Moving B outwards by x changes the
/// separation by x or a little less, so a few corrections are enough.
Transform place(const PosedPair& pair, Random& random, float target, const Motion& motion) {
    Transform pose;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const vec3 direction = random.direction();
        pose.rotation = random.rotation();
        float away = 2.0f + target;
        for (int i = 0; i < 20; ++i) {
            pose.position = away * direction;
            const float error = target - separation_of(pair, pose);
            if (std::abs(error) < 0.002f) return pose;
            away += error;
        }
        const float s = separation_of(pair, pose);
        if (s >= motion.least && s <= motion.most) return pose;
    }
    return pose;  // only where separations are wrong, which the errors will show
}

/// One step of the walk; steps that leave the range of separations are drawn again.
Transform walk(const PosedPair& pair, Random& random, const Transform& from, const Motion& motion) {
    const float half_angle = 0.5f * motion.degrees * 3.14159265f / 180.0f;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const vec3 shift = motion.step * random.direction();
        const vec3 axis = std::sin(half_angle) * random.direction();
        const quat turn(std::cos(half_angle), axis.x, axis.y, axis.z);
        const Transform pose{from.position + shift, normalized(multiply(turn, from.rotation))};
        const float s = separation_of(pair, pose);
        if (s >= motion.least && s <= motion.most) return pose;
    }
    return from;
}

}  // namespace

Shape ball_hull(Random& random, int vertices) {
    std::vector<vec3> points(static_cast<std::size_t>(vertices));
    for (;;) {
        for (vec3& p : points) p = random.direction();
        // Two points may fall together within the hull builder's tolerance; then others are drawn.
        const auto made = make_hull(points);
        if (made && (*made)->vertices.size() == points.size()) return hull(*made);
    }
}

std::vector<PosedPair> make_pairs(int vertices_a, int vertices_b, const Motion& motion, int pairs, int poses,
                                  std::uint64_t seed) {
    const int length = motion.path > 0 ? std::min(motion.path, poses) : poses;
    const int walks = (poses + length - 1) / length;
    std::vector<PosedPair> result;
    Random random(seed);
    for (int i = 0; i < pairs; ++i) {
        const Shape a = ball_hull(random, vertices_a);
        const Shape b = ball_hull(random, vertices_b);
        // Walks start spread over the whole range, because a fine one does not come far.
        const float range = motion.most - motion.least;
        const float start = motion.least + range * (static_cast<float>(i) + 0.5f) / static_cast<float>(pairs);
        for (int w = 0; w < walks; ++w) {
            PosedPair pair{a, b, {}};
            Transform pose;
            for (int k = 0; k <= length; ++k) {
                if (k > 0 && motion.tracked()) {
                    pose = walk(pair, random, pose, motion);
                } else if (motion.start > 0.0f) {
                    pose.position = motion.start * random.direction();
                    pose.rotation = random.rotation();
                } else {
                    pose = place(pair, random, motion.tracked() ? start : random.between(motion.least, motion.most),
                                 motion);
                }
                pair.poses.push_back(to_matrix_transform(pose));
            }
            result.push_back(std::move(pair));
        }
    }
    return result;
}

}  // namespace talus::profiling
