/// Swept boxes and the nearest boxes, in every state of a broadphase, against brute force.

#include "oracle.h"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

using namespace talus;
using namespace talus::test;

namespace {

// Separating axes (Ericson 2005, 5.3.3) in long double, of the centre's segment and the box grown by the half edges: independent of the
// library's slabs. `slack` widens the box (m).
bool cast_meets(const BoxCast& cast, float fraction, const Aabb& box, long double slack) {
    using Real = long double;
    Real h[3], m[3], d[3];
    for (int i = 0; i < 3; ++i) {
        const Real p = Real{cast.center[i]}, q = p + Real{cast.translation[i]} * Real{fraction};
        const Real lower = Real{box.lower[i]} - Real{cast.half[i]}, upper = Real{box.upper[i]} + Real{cast.half[i]};
        h[i] = (upper - lower) / 2 + slack;
        m[i] = (p + q) / 2 - (lower + upper) / 2;
        d[i] = (q - p) / 2;
        if (std::abs(m[i]) > h[i] + std::abs(d[i])) return false;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (std::abs(m[j] * d[k] - m[k] * d[j]) > h[j] * std::abs(d[k]) + h[k] * std::abs(d[j])) return false;
    }
    return true;
}

struct World {
    std::string name;
    int count;
    float size;
    vec3 offset, flatten;
    float max_half;
};
const World worlds[] = {
    {"crowd", 400, 8.0f, vec3(0.0f), vec3(1.0f), 0.7f},
    {"sparse", 800, 100.0f, vec3(0.0f), vec3(1.0f), 1.0f},
    {"plane far away", 500, 40.0f, vec3(10000.0f, -3000.0f, -10000.0f), vec3(1.0f, 0.01f, 1.0f), 0.7f},
    {"tower", 300, 150.0f, vec3(0.0f), vec3(0.005f, 1.0f, 0.005f), 0.6f},
    {"one point", 60, 0.0f, vec3(3.0f), vec3(1.0f), 0.6f},
    {"few", 12, 3.0f, vec3(0.0f), vec3(1.0f), 0.7f},
    {"screws", 300, 0.02f, vec3(0.5f), vec3(1.0f), 0.001f},
};

// A broadphase that goes through all mixtures of boxes that are pending, restless, settled and out of date in either grid.
class Life {
public:
    Life(const World& world, std::uint64_t seed) : world(world), random(seed) {
        for (int i = 0; i < world.count; ++i) add();
    }
    // Boxes rest for long enough to settle, then some leave, come and go.
    void next() {
        const int phase = frame_++ % 6;
        if (phase == 0) {
            for (int rest = 0; rest < 70; ++rest) {  // one keeps the others' refreshes going
                move(0);
                broadphase.update();
            }
        }
        for (ProxyIndex p = 0; p < alive.size(); ++p) {
            if (!alive[p]) continue;
            if (p > 0 && random.chance(0.02f)) {
                broadphase.remove(p);
                alive[p] = false;
            } else if (random.chance(phase == 3 ? 0.6f : 0.1f)) {
                move(p);
            }
        }
        for (int i = 0; i < world.count / 50; ++i) add();
        if (phase == 1 || phase == 4) broadphase.refresh();
        if (phase == 2 || phase == 4) broadphase.update();
    }
    vec3 position() { return world.offset + world.flatten * random.point(-world.size, world.size); }

    const World& world;
    Random random;
    Broadphase broadphase;
    std::vector<bool> alive;

private:
    void add() {
        vec3 half = random.point(0.02f * world.max_half, world.max_half);
        if (random.chance(0.02f)) half = vec3(world.size + world.max_half, 0.1f * world.max_half, world.size);
        if (random.chance(0.03f)) half.y = 0.0f;
        const ProxyIndex p = broadphase.add({.box = box_at(position(), half), .moving = random.chance(0.7f)});
        if (p == alive.size()) alive.push_back(true);
        alive[p] = true;
        broadphase_index(p);
    }
    void broadphase_index(ProxyIndex p) { REQUIRE(broadphase.user_data(p) == 0); }
    void move(ProxyIndex p) {
        broadphase.move(p, box_at(position(), random.point(0.0f, world.max_half)), vec3(0.0f));
    }
    int frame_ = 0;
};

}  // namespace
