#include "samples/scenes/kit/screw_thread.h"

#include "samples/scenes/kit/parts.h"

#include <numbers>
#include <utility>

namespace talus::samples {

namespace {

using Index = std::uint32_t;

/// Builds a surface of rings of corners, which are numbered by their angle.
class Builder {
public:
    explicit Builder(int around) : around_(around) {}

    Index add(const vec3& v) {
        mesh_.vertices.push_back(v);
        return static_cast<Index>(mesh_.vertices.size() - 1);
    }
    Index add(float radius, int corner, float z) {
        vec3 v = on_circle(radius, angle(corner));
        v.z = z;
        return add(v);
    }
    /// A ring of corners; the first one.
    Index add_ring(float radius, float z) {
        const auto first = static_cast<Index>(mesh_.vertices.size());
        for (int k = 0; k < around_; ++k) add(radius, k, z);
        return first;
    }
    /// A ring on a hexagon.
    Index add_hexagon(float radius, float z) {
        const auto first = static_cast<Index>(mesh_.vertices.size());
        const int side = around_ / 6;
        for (int k = 0; k < around_; ++k) {
            const int corner = k - k % side;
            const vec3 from = on_circle(radius, angle(corner)), to = on_circle(radius, angle(corner + side));
            const vec3 at = glm::mix(from, to, static_cast<float>(k % side) / static_cast<float>(side));
            add({at.x, at.y, z});
        }
        return first;
    }
    Index at(Index ring, int corner) const { return ring + static_cast<Index>(wrapped(corner)); }

    void triangle(Index a, Index b, Index c) {
        if (turned_over_) std::swap(b, c);
        mesh_.triangles.insert(mesh_.triangles.end(), {a, b, c});
    }
    void quad(Index a, Index b, Index c, Index d) {
        triangle(a, b, c);
        triangle(a, c, d);
    }
    /// The surface between two rings: seen from its front, corners go to the right and `upper` is above `lower`.
    void strip(Index lower, Index upper) {
        for (int k = 0; k < around_; ++k) quad(at(lower, k), at(lower, k + 1), at(upper, k + 1), at(upper, k));
    }
    void disc(Index ring, float z, bool faces_up) {
        const Index middle = add({0.0f, 0.0f, z});
        for (int k = 0; k < around_; ++k)
            triangle(middle, at(ring, faces_up ? k : k + 1), at(ring, faces_up ? k + 1 : k));
    }
    /// The cylinder with its ridge; its lower and upper ring.
    std::pair<Index, Index> add_thread(const ScrewThread& thread);

    MeshFile mesh() && { return std::move(mesh_); }

private:
    int wrapped(int corner) const { return ((corner % around_) + around_) % around_; }
    float angle(int corner) const {
        const float part = static_cast<float>(wrapped(corner)) / static_cast<float>(around_);
        return 2.0f * std::numbers::pi_v<float> * (part > 0.5f ? part - 1.0f : part);
    }

    MeshFile mesh_;
    int around_;
    bool turned_over_ = false;
};

std::pair<Index, Index> Builder::add_thread(const ScrewThread& t) {
    const int first = t.first, last = t.last, n = around_;
    const auto middle = [&](int k) { return t.pitch * static_cast<float>(k) / static_cast<float>(n); };
    // Four lines wind up: where the ridge ends that is a turn below, the ridge's lower foot, and both edges of its top.
    const auto below_first = static_cast<Index>(mesh_.vertices.size());
    for (int k = first; k <= last + n; ++k) add(t.root, k, middle(k - n) + 0.5f * t.foot);
    const auto ridge_first = static_cast<Index>(mesh_.vertices.size());
    for (int k = first; k <= last; ++k) {
        add(t.root, k, middle(k) - 0.5f * t.foot);
        add(t.crest, k, middle(k) - 0.5f * t.top);
        add(t.crest, k, middle(k) + 0.5f * t.top);
    }
    const auto below = [&](int k) { return below_first + static_cast<Index>(k - first); };
    const auto ridge = [&](int k, Index line) { return ridge_first + 3 * static_cast<Index>(k - first) + line; };
    turned_over_ = t.crest < t.root;
    for (int k = first; k < last; ++k) {
        quad(below(k), below(k + 1), ridge(k + 1, 0), ridge(k, 0));
        quad(ridge(k, 0), ridge(k + 1, 0), ridge(k + 1, 1), ridge(k, 1));
        quad(ridge(k, 1), ridge(k + 1, 1), ridge(k + 1, 2), ridge(k, 2));
        quad(ridge(k, 2), ridge(k + 1, 2), below(k + 1 + n), below(k + n));
    }
    quad(ridge(first, 0), ridge(first, 1), ridge(first, 2), below(first + n));
    quad(below(last + n), ridge(last, 2), ridge(last, 1), ridge(last, 0));

    // Where the ridge begins and ends, corners of three lines are one above the other.
    const Index lower = add_ring(t.root, t.lower), upper = add_ring(t.root, t.upper);
    for (int k = 0; k + 1 < n; ++k)
        quad(at(lower, first + k), at(lower, first + k + 1), below(first + k + 1), below(first + k));
    Index apex = below(first + n - 1);
    triangle(apex, at(lower, first - 1), at(lower, first));
    triangle(apex, at(lower, first), below(first));
    triangle(apex, below(first), ridge(first, 0));
    triangle(apex, ridge(first, 0), below(first + n));
    for (int k = 1; k < n; ++k)
        quad(below(last + k), below(last + k + 1), at(upper, last + k + 1), at(upper, last + k));
    apex = below(last + 1);
    triangle(apex, at(upper, last + 1), at(upper, last));
    triangle(apex, at(upper, last), below(last + n));
    triangle(apex, below(last + n), ridge(last, 0));
    triangle(apex, ridge(last, 0), below(last));
    turned_over_ = false;
    return {lower, upper};
}

}  // namespace

ScrewThread ScrewThread::fitting(int turns, float radial, float axial) const {
    ScrewThread nut = *this;
    nut.root = crest + radial;
    nut.crest = root + radial;
    // The groove of this thread, along z: it widens with the radius.
    const float widening = (foot - top) / (crest - root);
    const auto groove = [&](float radius) { return pitch - foot + widening * (radius - root); };
    nut.foot = groove(nut.root) - 2.0f * axial;
    nut.top = groove(nut.crest) - 2.0f * axial;
    nut.first = -(turns * around / 2);
    nut.last = nut.first + turns * around;
    const float half = 0.5f * pitch * static_cast<float>(turns), edge = 0.05f * pitch;
    nut.lower = -half - pitch + 0.5f * nut.foot - edge;
    nut.upper = half + 0.5f * nut.foot + edge;
    return nut;
}

MeshFile bolt(const ScrewThread& thread, float head_radius, float head_height) {
    Builder builder(thread.around);
    const auto [lower, upper] = builder.add_thread(thread);
    builder.disc(upper, thread.upper, true);
    const Index shoulder = builder.add_hexagon(head_radius, thread.lower);
    const Index base = builder.add_hexagon(head_radius, thread.lower - head_height);
    builder.strip(shoulder, lower);
    builder.strip(base, shoulder);
    builder.disc(base, thread.lower - head_height, false);
    return std::move(builder).mesh();
}

MeshFile nut(const ScrewThread& thread, float radius) {
    Builder builder(thread.around);
    const auto [lower, upper] = builder.add_thread(thread);
    const Index below = builder.add_hexagon(radius, thread.lower), above = builder.add_hexagon(radius, thread.upper);
    builder.strip(lower, below);
    builder.strip(below, above);
    builder.strip(above, upper);
    return std::move(builder).mesh();
}

}  // namespace talus::samples
