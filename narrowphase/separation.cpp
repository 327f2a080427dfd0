#include <talus/narrowphase/epa.h>

namespace talus {

SeparationResult separation(const Shape& a, const Shape& b, const Frame& b_in_a, SimplexCache& cache,
                            float max_separation) {
    SeparationResult result;
    const float radii = a.radius + b.radius;
    result.gjk = gjk(a, b, b_in_a, cache, max_separation + radii);
    float core_separation = result.gjk.distance;
    vec3 on_a = result.gjk.point_a;
    result.normal = result.gjk.normal;
    result.beyond_limit = result.gjk.status == GjkStatus::beyond_limit;
    if (result.gjk.status == GjkStatus::overlapping) {
        // GJK calls everything overlapping whose distance is too short to carry a normal: there is no gap between the
        // two.
        result.epa = epa(a, b, b_in_a, cache);
        result.used_epa = true;
        result.normal = result.epa.normal;
        core_separation = -result.epa.depth;
        on_a = result.epa.point_a;
    }
    result.separation = core_separation - radii;
    result.point_a = on_a + a.radius * result.normal;
    result.point_b = result.point_a + result.separation * result.normal;
    return result;
}

}  // namespace talus
