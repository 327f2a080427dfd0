#pragma once
/// Internal: EPA's expanding polytope, a closed triangle mesh inside A - B that grows towards its surface.
///
/// Memory is fixed: about 110 kB on the stack, of which only the used part is touched. A new vertex replaces the faces
/// that are visible from it. It is joined to the border of the hole that they leave, the horizon; a depth-first walk
/// over neighbours finds the horizon in order. Because of rounding, the visible faces may not be one connected region.
/// Then the horizon is not one loop, `expand` returns false, and EPA ends with the best result so far. So a broken mesh
/// is never used again.

#include "narrowphase/gjk/simplex.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

/// A triangle of the polytope, counter-clockwise seen from outside.
struct Face {
    dvec3 normal;   ///< outward, unit; zero on a degenerate triangle, which is never picked and never visible
    double offset;  ///< of its plane from the origin, negative when the origin is outside
    std::uint16_t vertex[3];
    std::uint16_t neighbour[3];      ///< the face across edge i, which runs from vertex i to vertex i + 1
    std::uint8_t neighbour_edge[3];  ///< the number of that edge in the neighbour
};

constexpr int after(int i) { return i == 2 ? 0 : i + 1; }

/// The expanding polytope. Faces are stored in slots. A slot's key is its face's offset, or infinity if the slot is
/// free, so that the nearest face is found by one scan over an array.
class Polytope {
public:
    static constexpr int max_vertices = 512;
    static constexpr int max_faces = 2 * max_vertices;  // a closed triangle mesh of V vertices has 2 V - 4 faces

    SimplexVertex vertices[max_vertices];
    int vertex_count = 0;
    double scale = 0.0;  ///< largest coordinate, for rounding

    const Face& face(int f) const { return faces_[f]; }
    double key(int f) const { return key_[f]; }
    int slots() const { return slots_; }
    bool in_use(int f) const { return faces_[f].vertex[0] != dead; }
    bool torn() const { return torn_; }  ///< an expansion failed half-way: the faces must not be used

    void start(const SimplexVertex (&tetrahedron)[4]) {
        for (int i = 0; i < 4; ++i) add_vertex(tetrahedron[i]);
        const dvec3& d = vertices[3].w;
        const dvec3 n = glm::cross(vertices[1].w - vertices[0].w, vertices[2].w - vertices[0].w);
        if (glm::dot(n, d - vertices[0].w) > 0.0) std::swap(vertices[1], vertices[2]);
        // The base 0 1 2 now faces away from 3; each side shares one edge with it.
        add_face(0, 1, 2);
        add_face(1, 0, 3);
        add_face(2, 1, 3);
        add_face(0, 2, 3);
        link(0, 0, 1, 0);
        link(0, 1, 2, 0);
        link(0, 2, 3, 0);
        link(1, 1, 3, 2);
        link(1, 2, 2, 1);
        link(2, 2, 3, 1);
    }

    /// True if every face so far had the origin strictly behind it. Then the mesh is star-shaped around the origin,
    /// convex or not, and no point outside it is nearer to the origin than the nearest face's plane.
    bool is_star() const { return least_offset_ > 0.0; }

    /// Takes the mesh of an earlier pose of the same shapes, with its vertices at the present pose.
    void restart(const MinkowskiDifference& difference, const PolytopeCache& cache) {
        for (int i = 0; i < cache.vertex_count; ++i) add_vertex(difference.vertex(cache.a[i], cache.b[i]));
        for (int f = 0; f < cache.face_count; ++f) {
            const PolytopeCache::Face& face = cache.face[f];
            add_face(face.vertex[0], face.vertex[1], face.vertex[2]);
            for (int e = 0; e < 3; ++e) {
                faces_[f].neighbour[e] = face.neighbour[e];
                faces_[f].neighbour_edge[e] = face.neighbour_edge[e];
            }
        }
    }

    /// Stores the mesh in `cache`; leaves the cache empty if the mesh is too large for it.
    void store(const MinkowskiDifference& difference, PolytopeCache& cache) const {
        const int faces = slots_ - free_count_;
        cache.vertex_count = 0;
        if (torn_ || !is_star() || vertex_count > PolytopeCache::max_vertices || faces > PolytopeCache::max_faces)
            return;
        std::uint8_t place[PolytopeCache::max_faces + 64];  // the cached face of each slot; few slots are free
        if (slots_ > static_cast<int>(sizeof place)) return;
        int next = 0;
        for (int f = 0; f < slots_; ++f) {
            if (faces_[f].vertex[0] != dead) place[f] = static_cast<std::uint8_t>(next++);
        }
        for (int f = 0; f < slots_; ++f) {
            if (faces_[f].vertex[0] == dead) continue;
            PolytopeCache::Face& to = cache.face[place[f]];
            for (int e = 0; e < 3; ++e) {
                to.vertex[e] = static_cast<std::uint8_t>(faces_[f].vertex[e]);
                to.neighbour[e] = place[faces_[f].neighbour[e]];
                to.neighbour_edge[e] = faces_[f].neighbour_edge[e];
            }
        }
        for (int i = 0; i < vertex_count; ++i) difference.store(vertices[i], cache.a[i], cache.b[i]);
        cache.vertex_count = static_cast<std::uint8_t>(vertex_count);
        cache.face_count = static_cast<std::uint8_t>(faces);
    }

    /// Returns the face nearest to the origin, ties to the lowest slot; -1 if there is none.
    int nearest() const {
        int best = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < slots_; ++i) {
            if (key_[i] < least) {
                least = key_[i];
                best = i;
            }
        }
        return best;
    }

    /// Returns the distance of the nearest face that does not lie in the plane with this normal (unit).
    double nearest_beside(const dvec3& normal) const {
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < slots_; ++i) {
            if (key_[i] < least && glm::dot(faces_[i].normal, normal) < 1.0 - tolerance::epa_same_facet)
                least = key_[i];
        }
        return least;
    }

    /// Replaces the faces that are visible from `w` by a fan from w to the horizon. Returns false if there is no
    /// memory, or if rounding has broken the horizon; then the polytope cannot be expanded any more.
    bool expand(int seed, const SimplexVertex& w) {
        if (vertex_count == max_vertices) return false;
        torn_ = true;
        const int apex = add_vertex(w);
        horizon_count_ = 0;
        remove(seed);
        for (int e = 0; e < 3; ++e) {
            if (!cross(faces_[seed].neighbour[e], faces_[seed].neighbour_edge[e], w.w)) return false;
        }
        if (horizon_count_ < 3) return false;
        int first = -1, last = -1;
        for (int i = 0; i < horizon_count_; ++i) {
            const Edge& edge = horizon_[i];
            const Face& outside = faces_[edge.face];
            const int from = outside.vertex[after(edge.edge)], to = outside.vertex[edge.edge];
            // The horizon must be one closed loop, in order.
            if (last >= 0 && faces_[last].vertex[1] != from) return false;
            const int f = add_face(from, to, apex);
            if (f < 0) return false;
            link(f, 0, edge.face, edge.edge);
            if (last >= 0) {
                link(last, 1, f, 2);
            } else {
                first = f;
            }
            last = f;
        }
        if (faces_[last].vertex[1] != faces_[first].vertex[0]) return false;
        link(last, 1, first, 2);
        torn_ = false;
        return true;
    }

private:
    struct Edge {
        std::uint16_t face;
        std::uint8_t edge;  ///< of the face outside the horizon
    };

    int add_vertex(const SimplexVertex& v) {
        const dvec3 m = absolute(v.w);
        scale = std::max(scale, std::max(std::max(m.x, m.y), m.z));
        vertices[vertex_count] = v;
        return vertex_count++;
    }

    int add_face(int i, int j, int k) {
        int f = 0;
        if (free_count_ > 0) {
            f = free_[--free_count_];
        } else if (slots_ < max_faces) {
            f = slots_++;
        } else {
            return -1;
        }
        const dvec3 &a = vertices[i].w, &b = vertices[j].w, &c = vertices[k].w;
        Face& face = faces_[f];
        face.vertex[0] = static_cast<std::uint16_t>(i);
        face.vertex[1] = static_cast<std::uint16_t>(j);
        face.vertex[2] = static_cast<std::uint16_t>(k);
        const dvec3 ab = b - a, ac = c - a;
        const dvec3 n = glm::cross(ab, ac);
        const double nn = glm::dot(n, n);
        constexpr double flat = tolerance::simplex_flatness * tolerance::simplex_flatness;
        if (nn > flat * glm::dot(ab, ab) * glm::dot(ac, ac)) {
            face.normal = n * (1.0 / std::sqrt(nn));
            face.offset = glm::dot(face.normal, a);
            key_[f] = face.offset;
            least_offset_ = std::min(least_offset_, face.offset);
        } else {
            face.normal = dvec3(0.0);
            face.offset = 0.0;
            key_[f] = std::numeric_limits<double>::infinity();
            least_offset_ = 0.0;
        }
        return f;
    }

    void remove(int f) {
        key_[f] = std::numeric_limits<double>::infinity();
        faces_[f].vertex[0] = dead;
        free_[free_count_++] = static_cast<std::uint16_t>(f);
    }

    void link(int f, int e, int g, int h) {
        faces_[f].neighbour[e] = static_cast<std::uint16_t>(g);
        faces_[f].neighbour_edge[e] = static_cast<std::uint8_t>(h);
        faces_[g].neighbour[h] = static_cast<std::uint16_t>(f);
        faces_[g].neighbour_edge[h] = static_cast<std::uint8_t>(e);
    }

    /// Walks depth-first over the faces that are visible from w, and appends the edges of the horizon in order. Enters
    /// face f across `edge`.
    bool cross(int f, int edge, const dvec3& w) {
        Face& face = faces_[f];
        if (face.vertex[0] == dead) return true;
        if (glm::dot(face.normal, w) - face.offset <= tolerance::epa_visible * scale) {
            if (horizon_count_ == max_faces) return false;
            horizon_[horizon_count_++] = {static_cast<std::uint16_t>(f), static_cast<std::uint8_t>(edge)};
            return true;
        }
        remove(f);
        const int e1 = after(edge), e2 = after(e1);
        return cross(face.neighbour[e1], face.neighbour_edge[e1], w) &&
               cross(face.neighbour[e2], face.neighbour_edge[e2], w);
    }

    static constexpr std::uint16_t dead = 0xffff;  // no vertex has this number
    Face faces_[max_faces];
    double key_[max_faces];
    std::uint16_t free_[max_faces];
    Edge horizon_[max_faces];
    int slots_ = 0, free_count_ = 0, horizon_count_ = 0;
    /// The least offset of all faces that were ever added; 0 once one was degenerate.
    double least_offset_ = std::numeric_limits<double>::infinity();
    bool torn_ = false;
};

}  // namespace talus::detail
