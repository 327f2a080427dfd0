/// The distance between two convex shapes, with nothing but the narrowphase.

#include <talus/narrowphase/separation.h>
#include <cmath>
#include <cstdio>

int main() {
    const talus::Shape cube = talus::box({1, 1, 1});
    const talus::Shape ball = talus::sphere(0.5f);
    talus::MatrixTransform ball_in_cube;
    ball_in_cube.position = {3, 0, 0};
    talus::SimplexCache cache;
    const float gap = talus::separation(cube, ball, ball_in_cube, cache).separation;
    std::printf("a gap of %.4f m, expected 1.5\n", gap);
    return std::abs(gap - 1.5f) < 1e-4f ? 0 : 1;
}
