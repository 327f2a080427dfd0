#include "samples/render/openness.h"

namespace talus::samples {

namespace {

constexpr int places = 16, rotations = 16;
constexpr float same_depth = 0.03f;   // relative: the blur does not cross a larger step
constexpr float own_surface = 0.03f;  // of the radius: what hides a place by less may be the surface itself

/// Offsets in the frame of a normal along z, inside the unit hemisphere.
struct Offsets {
    vec3 at[rotations][places];

    Offsets() {
        for (int r = 0; r < rotations; ++r) {
            for (int i = 0; i < places; ++i) {
                // A golden-angle spiral from the pole down, at distances that a stride of 7 mixes.
                const float down = (static_cast<float>(i) + 0.5f) / places;
                const float angle =
                    2.3999632f * static_cast<float>(i) + 0.3926991f * static_cast<float>(r * 7 % rotations);
                const float distance = 0.15f + 0.85f * static_cast<float>((i * 7 + r) % places) / (places - 1);
                const float out = std::sqrt(down), up = std::sqrt(1.0f - 0.9f * down);
                at[r][i] = distance * vec3(std::cos(angle) * out, std::sin(angle) * out, up);
            }
        }
    }
};

}  // namespace

Openness::Openness(const View& view, const Surfaces& surfaces, float radius)
    : width_(view.width / per_pixel), height_(view.height / per_pixel) {
    static const Offsets offsets;
    const auto surface = [&](int x, int y) -> const Surface& {
        return surfaces[static_cast<std::size_t>(y * per_pixel) * static_cast<std::size_t>(view.width) +
                        static_cast<std::size_t>(x * per_pixel)];
    };
    const auto is_open = [&](const vec3& place) {
        const vec3 q = view.to_view(place);
        if (q.z <= view.near_depth) return 1.0f;
        const ScreenPoint p = view.project(q);
        if (!(p.x >= 0 && p.y >= 0 && p.x < width_ * per_pixel && p.y < height_ * per_pixel)) return 1.0f;
        const Surface& there = surface(static_cast<int>(p.x) / per_pixel, static_cast<int>(p.y) / per_pixel);
        if (there.thing == nothing) return 1.0f;
        const float behind = q.z - 1.0f / there.nearness;
        if (behind < own_surface * radius) return 1.0f;
        return std::clamp((behind - radius) / radius, 0.0f, 1.0f);  // what hides it from far in front is not near
    };

    std::vector<float> raw(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 1.0f);
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            const Surface& s = surface(x, y);
            if (s.thing == nothing) continue;
            const vec3 point = view.eye + view.ray(x * per_pixel, y * per_pixel) / s.nearness;
            const vec3 u = any_perpendicular(s.normal), v = glm::cross(s.normal, u);
            float open = 0.0f;
            for (const vec3& o : offsets.at[(x & 3) + 4 * (y & 3)]) {
                open += is_open(point + radius * (o.x * u + o.y * v + o.z * s.normal));
            }
            raw[index(x, y)] = open / places;
        }
    }

    value_.resize(raw.size());
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            const float here = surface(x, y).nearness;
            float sum = 0.0f, count = 0.0f;
            for (int j = -2; j < 2; ++j) {
                for (int i = -2; i < 2; ++i) {
                    const int nx = std::clamp(x + i, 0, width_ - 1), ny = std::clamp(y + j, 0, height_ - 1);
                    if (std::abs(surface(nx, ny).nearness - here) > same_depth * here) continue;
                    sum += raw[index(nx, ny)];
                    count += 1.0f;
                }
            }
            value_[index(x, y)] = sum / count;
        }
    }
}

}  // namespace talus::samples
