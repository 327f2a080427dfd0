#include <talus/narrowphase/epa.h>

#include <talus/narrowphase/minkowski.h>

#include <cmath>

namespace talus {

namespace {

using namespace detail;

constexpr int max_vertices = 128;
constexpr int max_faces = 2 * max_vertices;  // a closed triangle mesh of V vertices has 2 V - 4 faces

/// A triangle of the growing polytope, counter-clockwise seen from outside.
struct Face {
    dvec3 normal;  ///< outward, unit; zero on a sliver, which is never picked and never seen
    double offset; ///< of its plane from the origin, negative when the origin is outside
    std::uint8_t vertex[3];
    std::uint8_t neighbour[3];      ///< the face across edge i, which runs from vertex i to vertex i + 1
    std::uint8_t neighbour_edge[3]; ///< and that edge's number over there
};

constexpr int after(int i) { return i == 2 ? 0 : i + 1; }

/// The expanding polytope. Faces live in slots; a slot's key is its face's offset, infinite when the slot is free, so that picking
/// the nearest face is one scan over a flat array.
class Polytope {
public:
    SimplexVertex vertices[max_vertices];
    int vertex_count = 0;
    double scale = 0.0;  ///< largest coordinate, for rounding

    const Face& face(int f) const { return faces_[f]; }
    double key(int f) const { return key_[f]; }
    int slots() const { return slots_; }
    bool torn() const { return torn_; }  ///< an expansion failed half-way: its faces are not to be used

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

    /// The face nearest to the origin, ties to the lowest slot; -1 when there is none.
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

    /// Replaces every face that sees `w` by a fan from w to the horizon. False when that cannot be done: no memory, or a
    /// horizon that rounding has torn; the polytope is then spent.
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
            // The rim must be one closed loop, in order.
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
        std::uint8_t face, edge;  ///< of the face outside the horizon
    };

    int add_vertex(const SimplexVertex& v) {
        const dvec3 m = glm::abs(v.w);
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
        face.vertex[0] = static_cast<std::uint8_t>(i);
        face.vertex[1] = static_cast<std::uint8_t>(j);
        face.vertex[2] = static_cast<std::uint8_t>(k);
        const dvec3 ab = b - a, ac = c - a;
        const dvec3 n = glm::cross(ab, ac);
        const double nn = glm::dot(n, n);
        constexpr double flat = tolerance::simplex_flatness * tolerance::simplex_flatness;
        if (nn > flat * glm::dot(ab, ab) * glm::dot(ac, ac)) {
            face.normal = n * (1.0 / std::sqrt(nn));
            face.offset = glm::dot(face.normal, a);
            key_[f] = face.offset;
        } else {
            face.normal = dvec3(0.0);
            face.offset = 0.0;
            key_[f] = std::numeric_limits<double>::infinity();
        }
        return f;
    }

    void remove(int f) {
        key_[f] = std::numeric_limits<double>::infinity();
        faces_[f].vertex[0] = dead;
        free_[free_count_++] = static_cast<std::uint8_t>(f);
    }

    void link(int f, int e, int g, int h) {
        faces_[f].neighbour[e] = static_cast<std::uint8_t>(g);
        faces_[f].neighbour_edge[e] = static_cast<std::uint8_t>(h);
        faces_[g].neighbour[h] = static_cast<std::uint8_t>(f);
        faces_[g].neighbour_edge[h] = static_cast<std::uint8_t>(e);
    }

    /// Depth-first over the faces that see w, entered across `edge`: the horizon comes out in order.
    bool cross(int f, int edge, const dvec3& w) {
        Face& face = faces_[f];
        if (face.vertex[0] == dead) return true;
        if (glm::dot(face.normal, w) - face.offset <= tolerance::epa_visible * scale) {
            if (horizon_count_ == max_faces) return false;
            horizon_[horizon_count_++] = {static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(edge)};
            return true;
        }
        remove(f);
        const int e1 = after(edge), e2 = after(e1);
        return cross(face.neighbour[e1], face.neighbour_edge[e1], w) && cross(face.neighbour[e2], face.neighbour_edge[e2], w);
    }

    static constexpr std::uint8_t dead = 255;  // no vertex has this number
    Face faces_[max_faces];
    double key_[max_faces];
    std::uint8_t free_[max_faces];
    Edge horizon_[max_faces];
    int slots_ = 0, free_count_ = 0, horizon_count_ = 0;
    bool torn_ = false;
};

/// Farthest support point from the affine hull so far, over the given directions: `height` measures it.
template <class Height>
bool extend(const MinkowskiDifference& difference, std::initializer_list<dvec3> directions, int& supports, double least,
            SimplexVertex& out, const Height& height) {
    double most = least;
    bool found = false;
    for (const dvec3& d : directions) {
        const SimplexVertex v = difference.support(d, 0, 0);
        ++supports;
        const double h = height(v.w);
        if (h > most) {
            most = h;
            out = v;
            found = true;
        }
    }
    return found;
}

/// What the affine hull of the Minkowski difference is: a solid, or a flat that has no inside.
struct Start {
    int dimension = 0;
    SimplexVertex vertex[4];
    dvec3 normal{0.0, 1.0, 0.0};  ///< unit and at right angles to the flat when dimension < 3
};

/// A tetrahedron from what GJK left: keeps the most independent of its vertices, then adds support points at right angles to
/// them until there are four, or until the difference proves flat.
Start complete(const MinkowskiDifference& difference, const Simplex& simplex, int& supports) {
    Start s;
    SimplexVertex pool[4];
    int count = simplex.count;
    std::copy_n(simplex.vertex, count, pool);
    if (count == 0) {
        pool[count++] = difference.support(dvec3(0.0, 1.0, 0.0), 0, 0);
        ++supports;
    }
    double scale = 0.0;
    for (int i = 0; i < count; ++i) scale = std::max(scale, std::sqrt(glm::dot(pool[i].w, pool[i].w)));

    s.vertex[0] = pool[--count];
    const dvec3& p = s.vertex[0].w;
    // Moves the pool's best point into the simplex if it is clearly off the flat so far.
    const auto take = [&](double least, SimplexVertex& out, const auto& height) {
        int best = -1;
        for (int i = 0; i < count; ++i) {
            const double h = height(pool[i].w);
            if (h > least) {
                least = h;
                best = i;
            }
        }
        if (best < 0) return false;
        out = pool[best];
        pool[best] = pool[--count];
        return true;
    };

    // The extent of the whole difference decides what counts as flat, not that of a simplex which may be tiny.
    const dvec3 x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), z(0.0, 0.0, 1.0);
    constexpr double poor = 1e-3;  // of the extent: below it a point of the pool is not worth keeping
    const auto from_point = [&](const dvec3& w) { return std::sqrt(glm::dot(w - p, w - p)); };
    if (!take(poor * difference.size, s.vertex[1], from_point)) {
        if (!extend(difference, {x, -x, y, -y, z, -z}, supports, tolerance::epa_flatness * scale, s.vertex[1], from_point)) {
            return s;
        }
    }
    const double length = from_point(s.vertex[1].w);
    scale = std::max(scale, length);
    const dvec3 along = (s.vertex[1].w - p) / length;
    s.dimension = 1;

    const auto from_line = [&](const dvec3& w) {
        const dvec3 c = glm::cross(w - p, along);
        return std::sqrt(glm::dot(c, c));
    };
    const dvec3 lean = glm::abs(along);
    const dvec3 axis = lean.x <= lean.y && lean.x <= lean.z ? x : lean.y <= lean.z ? y : z;
    dvec3 u = glm::cross(along, axis);
    u /= std::sqrt(glm::dot(u, u));
    const dvec3 v = glm::cross(along, u);
    s.normal = u;
    if (!take(poor * std::min(difference.size, length), s.vertex[2], from_line)) {
        if (!extend(difference, {u, -u, v, -v}, supports, tolerance::epa_flatness * scale, s.vertex[2], from_line)) return s;
    }
    dvec3 n = glm::cross(along, s.vertex[2].w - p);
    const double width = std::sqrt(glm::dot(n, n));
    scale = std::max(scale, width);
    n /= width;
    s.normal = n;
    s.dimension = 2;

    const auto from_plane = [&](const dvec3& w) { return std::abs(glm::dot(w - p, n)); };
    if (!take(poor * std::min(difference.size, width), s.vertex[3], from_plane)) {
        if (!extend(difference, {n, -n}, supports, tolerance::epa_flatness * scale, s.vertex[3], from_plane)) return s;
    }
    s.dimension = 3;
    return s;
}

/// A face, or what was one, as the answer: three vertices and its normal.
struct Answer {
    dvec3 normal{0.0};
    double depth = std::numeric_limits<double>::infinity();  ///< the support plane's offset: an upper bound of the depth
    std::uint8_t vertex[3] = {};
};

/// Other faces that the depth may still lie behind, each as far as can be from the normals before it: fills answers[1...] and
/// returns how many.
int find_rivals(const MinkowskiDifference& difference, const Polytope& polytope, double below,
                 Answer (&answers)[1 + tolerance::epa_rivals]) {
    if (polytope.torn()) return 0;
    int count = 1;
    for (; count <= tolerance::epa_rivals; ++count) {
        double least = 1.0 - 1e-3;
        int pick = -1;
        for (int f = 0; f < polytope.slots(); ++f) {
            if (!(polytope.key(f) < below)) continue;
            double closest = -1.0;
            for (int i = 0; i < count; ++i) closest = std::max(closest, glm::dot(answers[i].normal, polytope.face(f).normal));
            if (closest < least) {
                least = closest;
                pick = f;
            }
        }
        if (pick < 0) break;
        answers[count].normal = polytope.face(pick).normal;
        answers[count].depth = glm::dot(answers[count].normal, difference.support(answers[count].normal, 0, 0).w);
        std::copy_n(polytope.face(pick).vertex, 3, answers[count].vertex);
    }
    return count - 1;
}

/// Slides the answer down to the local minimum of the depth: for rims, which have no last face to end at.
///
/// Let p = depth * normal, pushed out of A - B by a little, and q the point of A - B nearest to p, with normal m. Because p lies
/// outside the old support plane, the support plane at q is nearer to the origin than the old one, unless m is the old
/// normal: so m is a better answer, and GJK finds q. Where the depth hardly depends on the direction, m lies only a little
/// farther that way; that is so between nearly coaxial rims, where the normals of least depth lie on a circle about an axis: then
/// line searches turn the normal on along the step's great circle, and about the rims' axes.
class Slide {
public:
    Slide(const MinkowskiDifference& difference, const Polytope& polytope, const Answer& start)
        : difference_(difference), centre_(difference.position), push_(tolerance::epa_slide_push * difference.size) {
        difference_.gap = tolerance::epa_slide_gap;
        for (int i = 0; i < 3; ++i) simplex_.vertex[i] = polytope.vertices[start.vertex[i]];
        simplex_.count = 3;
    }

    /// Improves `best` and returns true, unless nothing can be found out (the witness points are then not to be used).
    bool run(Answer& best) {
        const double size = difference_.size;
        double last_turn = 0.0;
        int idle = 0;
        for (int i = 0; i < tolerance::epa_max_slides && idle < 2; ++i) {
            const dvec3 from = best.normal;
            const double before = best.depth;
            if (!step(best)) return false;
            const dvec3 move = best.normal - from;
            const double turn = std::sqrt(glm::dot(move, move));
            if (turn * (best.depth + push_) <= tolerance::epa_slide_offset * size) return true;  // q belongs to the answer
            const bool slow = turn > 0.25 * last_turn;
            last_turn = turn;
            if (i > 0 && slow) {
                turn_about(glm::cross(from, best.normal) / turn, best);
                if (has_rim(difference_.core_a.type)) turn_about(dvec3(0.0, 1.0, 0.0), best);
                if (has_rim(difference_.core_b.type)) turn_about(difference_.rotation[1], best);
            }
            idle = before - best.depth > tolerance::epa_slide_progress * size ? 0 : idle + 1;
        }
        return step(best);
    }

    dvec3 on_a() const { return simplex_.on_a(); }
    dvec3 nearest() const { return simplex_.closest() + shift_; }  ///< q
    int supports() const { return supports_; }

private:
    /// From p over q to its normal.
    bool step(Answer& best) {
        const dvec3 p = (best.depth + push_) * best.normal;
        for (int i = 0; i < simplex_.count; ++i) simplex_.vertex[i].w -= p - shift_;
        shift_ = p;
        difference_.position = centre_ + p;
        reduce(simplex_, 0);
        const Search search = find_closest(difference_, simplex_, std::numeric_limits<double>::infinity());
        supports_ += search.iterations;
        if (search.outcome == Outcome::overlapping || !(search.lower_bound > 0.0)) return false;
        const dvec3 m = search.axis / std::sqrt(glm::dot(search.axis, search.axis));
        const double depth = glm::dot(m, p) - search.lower_bound;
        if (depth < best.depth) {
            best.normal = m;
            best.depth = depth;
        }
        return true;
    }

    /// Least depth over the normals that a turn about the (nearly) unit vector u makes of best.normal: c u + r (e + x t) / sqrt(1 + x^2), e
    /// radial, t tangential. The slope in x is w.(t - x e), up to a positive factor, w the support point: its root is bracketed,
    /// then found by false position.
    void turn_about(const dvec3& u, Answer& best) {
        const double c = glm::dot(best.normal, u) / glm::dot(u, u);
        dvec3 e = best.normal - c * u;
        const double r = std::sqrt(glm::dot(e, e));
        if (!(r > tolerance::epa_slide_first_turn)) return;
        e /= r;
        dvec3 t = glm::cross(u, e);
        difference_.position = centre_;
        const auto slope = [&](double x) {
            const dvec3 n = c * u + (r / std::sqrt(1.0 + x * x)) * (e + x * t);
            const SimplexVertex v = difference_.support(n, 0, 0);
            ++supports_;
            const double depth = glm::dot(n, v.w);
            if (depth < best.depth) {
                best.normal = n;
                best.depth = depth;
            }
            return glm::dot(v.w, t - x * e);
        };
        double low = 0.0, at_low = slope(0.0);
        if (at_low > 0.0) {
            t = -t;
            at_low = -at_low;
        }
        double high = tolerance::epa_slide_first_turn, at_high = slope(high);
        while (at_high < 0.0 && high < 8.0) {
            low = high;
            at_low = at_high;
            high *= 8.0;
            at_high = slope(high);
        }
        if (!(at_low < 0.0 && at_high > 0.0)) return;
        int side = 0;  // Illinois: an end that stays twice counts half
        for (int i = 0; i < tolerance::epa_max_slides && high - low > tolerance::epa_slide_first_turn * high; ++i) {
            const double x = (low * at_high - high * at_low) / (at_high - at_low);
            const double at_x = slope(x);
            if (at_x < 0.0) {
                low = x;
                at_low = at_x;
                if (side < 0) at_high *= 0.5;
                side = -1;
            } else {
                high = x;
                at_high = at_x;
                if (side > 0) at_low *= 0.5;
                side = 1;
            }
        }
    }

    MinkowskiDifference difference_;  ///< its B stands moved by p
    dvec3 centre_;                    ///< where B stands unmoved
    double push_;
    dvec3 shift_{0.0};                ///< p
    Simplex simplex_;                 ///< relative to p
    int supports_ = 0;
};

/// Barycentric coordinates of the origin's projection onto the triangle's plane.
dvec3 project_origin(const dvec3& a, const dvec3& b, const dvec3& c) {
    const dvec3 ab = b - a, ac = c - a, n = glm::cross(ab, ac);
    const double nn = glm::dot(n, n);
    if (!(nn > 0.0)) return dvec3(1.0, 0.0, 0.0);
    const double wc = -glm::dot(glm::cross(n, ab), a) / nn;
    const double wb = -glm::dot(glm::cross(ac, n), a) / nn;
    return dvec3(1.0 - wb - wc, wb, wc);
}

/// A facet of a polytope is cut into triangles of one plane, all equally near: walks to the one that holds the origin's
/// projection, so that the witness points lie inside it.
int walk_to_projection(const Polytope& polytope, int f, double slack) {
    for (int step = 0; step < max_faces; ++step) {
        const Face& face = polytope.face(f);
        const dvec3 weight = project_origin(polytope.vertices[face.vertex[0]].w, polytope.vertices[face.vertex[1]].w,
                                            polytope.vertices[face.vertex[2]].w);
        const int least = weight.x <= weight.y && weight.x <= weight.z ? 0 : weight.y <= weight.z ? 1 : 2;
        if (weight[least] >= 0.0) return f;
        const int across = face.neighbour[after(least)];  // the edge opposite to that vertex
        const Face& next = polytope.face(across);
        if (glm::dot(next.normal, next.normal) == 0.0 || next.offset > face.offset + slack) return f;
        f = across;
    }
    return f;
}

EpaResult flat_answer(const MinkowskiDifference& difference, const Simplex& simplex, const Start& start) {
    // Nothing to expand: the origin lies in the flat (GJK said so), and the flat's normal separates at once.
    EpaResult result;
    result.status = EpaStatus::flat;
    const double side = glm::dot(start.normal, difference.between_middles());
    result.normal = vec3(side < 0.0 ? -start.normal : start.normal);
    const dvec3 on_a = simplex.count > 0 ? simplex.on_a() : start.vertex[0].a;
    result.point_a = result.point_b = vec3(on_a);
    result.face.count = static_cast<std::uint8_t>(start.dimension + 1);
    for (int i = 0; i <= start.dimension; ++i) difference.store(start.vertex[i], result.face, i);
    return result;
}

}  // namespace

EpaResult epa(const Shape& a, const Shape& b, const Frame& b_in_a, const SimplexCache& cache) {
    const MinkowskiDifference difference(a, b, b_in_a);
    Simplex simplex;
    load(difference, cache, simplex);
    int supports = 0;
    const Start start = complete(difference, simplex, supports);
    if (start.dimension < 3) {
        EpaResult result = flat_answer(difference, simplex, start);
        result.support_evaluations = static_cast<std::uint16_t>(2 * supports);
        return result;
    }

    Polytope polytope;
    polytope.start(start.vertex);
    const bool curved = has_rim(a.type) || has_rim(b.type);
    const double gap = difference.size * (curved ? tolerance::epa_gap_curved : tolerance::epa_gap);
    Answer best;
    double proved = 0.0;  // the nearest face's distance: a lower bound of the depth
    bool converged = false;
    int iterations = 0;
    for (;;) {
        const int f = polytope.nearest();
        if (f < 0) break;
        const Face& face = polytope.face(f);
        const SimplexVertex& last = polytope.vertices[polytope.vertex_count - 1];
        const SimplexVertex w = difference.support(face.normal, last.index_a, last.index_b);
        ++iterations;
        const double height = glm::dot(face.normal, w.w);
        proved = face.offset;
        const double slack = std::max(gap, 8.0 * tolerance::epa_visible * polytope.scale);
        converged = height - proved <= slack;
        if (height < best.depth || converged) {
            const int g = converged ? walk_to_projection(polytope, f, slack) : f;
            best.normal = face.normal;
            best.depth = height;
            std::copy_n(polytope.face(g).vertex, 3, best.vertex);
        }
        converged = converged || best.depth - proved <= slack;
        if (converged || !polytope.expand(f, w)) break;
    }
    supports += iterations;

    const SimplexVertex* corner[3];
    for (int i = 0; i < 3; ++i) corner[i] = &polytope.vertices[best.vertex[i]];
    dvec3 on_a, w;  // the deepest point as seen from A, and as a point of A - B
    bool slid = false;
    if (curved) {
        // Where memory ran out the depth is almost the same over many normals (a ring of them, mostly): slide from all around.
        Answer starts[1 + tolerance::epa_rivals] = {best};
        const int count = converged ? 1 : 1 + find_rivals(difference, polytope, best.depth - gap, starts);
        for (int i = 0; i < count; ++i) {
            Slide slide(difference, polytope, starts[i]);
            if (slide.run(starts[i]) && (!slid || starts[i].depth < best.depth)) {
                best = starts[i];
                slid = true;
                on_a = slide.on_a();
                w = slide.nearest();
            }
            supports += slide.supports();
        }
        converged = converged || (slid && best.depth - proved <= tolerance::epa_gap_spent * std::max(difference.size, best.depth));
    }
    if (!slid) {
        dvec3 weight = glm::max(project_origin(corner[0]->w, corner[1]->w, corner[2]->w), dvec3(0.0));
        weight /= weight.x + weight.y + weight.z;
        on_a = weight.x * corner[0]->a + weight.y * corner[1]->a + weight.z * corner[2]->a;
        w = weight.x * corner[0]->w + weight.y * corner[1]->w + weight.z * corner[2]->w;
    }

    EpaResult result;
    result.status = converged ? EpaStatus::converged : EpaStatus::out_of_memory;
    result.iterations = static_cast<std::uint16_t>(iterations);
    result.support_evaluations = static_cast<std::uint16_t>(2 * supports);
    const double depth = std::max(best.depth, 0.0);
    // w may lie up to the gap below its support plane: share the difference between the two bodies.
    const dvec3 point_a = on_a + 0.5 * (depth * best.normal - w);
    result.depth = static_cast<float>(depth);
    result.normal = vec3(best.normal);
    result.point_a = vec3(point_a);
    result.point_b = vec3(point_a - depth * best.normal);
    result.face.count = 3;
    for (int i = 0; i < 3; ++i) difference.store(*corner[i], result.face, i);
    return result;
}

}  // namespace talus
