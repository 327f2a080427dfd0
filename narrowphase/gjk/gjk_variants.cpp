#include <talus/narrowphase/gjk_variants.h>

#include "narrowphase/papers/simplex.h"
#include "narrowphase/papers/support_search.h"
#include "narrowphase/shapes/usable.h"

#include <glm/mat3x3.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace talus {

namespace {

using glm::dmat3;
using glm::dvec3;
using papers::SupportSearch;
using papers::Vertex;

/// v nearer to the origin than this * (farthest vertex so far) counts as the origin.
constexpr double touching = 1e-12;

/// The same if the search cannot find a nearer v.
constexpr double nearly_touching = 1e-7;

/// A gap |v| - v.w / |v| below this * (farthest vertex so far) is rounding.
constexpr double rounding = 1e-13;

/// If a search ends for another reason than the bound, a gap above this * |v| shows that v is not the closest point.
constexpr double close_gap = 1e-6;

/// A gap below this * (farthest vertex) does not show that: so near to contact, v's direction is rounding in its
/// weights.
constexpr double contact_gap = 1e-9;

std::uint64_t pair_of(const Vertex& v) { return std::uint64_t{v.index_a} << 16 | v.index_b; }

/// Detects cycles of any length (Brent 1980): it remembers a state, each time for twice as many steps.
class CycleWatch {
public:
    bool comes_back(const papers::Simplex& s) {
        std::array<std::uint64_t, 3> state{};  // polygons have two vertices; the third stays 0
        for (int i = 0; i < 3 && i < s.count; ++i) state[static_cast<std::size_t>(i)] = pair_of(s.vertex[i]);
        std::sort(state.begin(), state.end());
        if (steps_ > 0 && state == remembered_) return true;
        if (++steps_ >= until_) {
            remembered_ = state;
            until_ *= 2;
        }
        return false;
    }

private:
    std::array<std::uint64_t, 3> remembered_{};
    int steps_ = 0, until_ = 1;
};

std::span<const std::uint16_t> stored(const SimplexCache& cache, const std::uint16_t (&indices)[4]) {
    return {indices, std::min<std::size_t>(cache.count, 4)};
}

class Query {
public:
    Query(const PolytopeGraph& a, const PolytopeGraph& b, const MatrixTransform& b_in_a, const GjkMethods& methods,
          GjkVariantMemory& memory)
        : a_(a),
          b_(b),
          rotation_(b_in_a.rotation),
          position_(b_in_a.position),
          methods_(methods),
          in_plane_(a.planar && b.planar && rotation_[0].z == 0.0 && rotation_[1].z == 0.0 && position_.z == 0.0),
          memory_(memory),
          search_a_(a, methods.support, memory.support_a, stored(memory.simplex, memory.simplex.a)),
          search_b_(b, methods.support, memory.support_b, stored(memory.simplex, memory.simplex.b)) {}

    GjkVariantResult run() {
        start();
        if (discards()) complete();
        result_.end = discards() && s_.count < kept() ? GjkEnd::flat_start : search();
        conclude();
        return result_;
    }

private:
    bool discards() const { return methods_.simplex == SimplexMethod::discard_and_add; }

    /// The number of vertices that discard-and-add always keeps.
    int kept() const { return in_plane_ ? 2 : 3; }

    Vertex vertex(std::uint16_t index_a, std::uint16_t index_b) const {
        const dvec3 a(a_.vertices[index_a]);
        return {a - (rotation_ * dvec3(b_.vertices[index_b]) + position_), a, index_a, index_b};
    }

    /// S_K(d) = S_A(d) - S_B(-d).
    Vertex support(const dvec3& d) {
        const dvec3 d_in_b(-glm::dot(rotation_[0], d), -glm::dot(rotation_[1], d), -glm::dot(rotation_[2], d));
        const std::uint16_t index_a = search_a_(d);
        return vertex(index_a, search_b_(d_in_b));
    }

    /// Returns the direction from the centroid of A - B to the origin, not zero.
    dvec3 between_centroids() const {
        const dvec3 d = rotation_ * b_.centroid + position_ - a_.centroid;
        return glm::dot(d, d) > 0.0 ? d : dvec3(0.0, 1.0, 0.0);
    }

    // --- The first simplex ---

    void start() {
        StartMethod how = methods_.start;
        if (how != StartMethod::arbitrary && memory_.simplex.count == 0) how = StartMethod::centroids;
        const auto pose = [&](unsigned index_a, unsigned index_b) {
            s_.vertex[s_.count++] = vertex(static_cast<std::uint16_t>(index_a < a_.vertices.size() ? index_a : 0),
                                           static_cast<std::uint16_t>(index_b < b_.vertices.size() ? index_b : 0));
        };
        switch (how) {
            case StartMethod::arbitrary:
                pose(0, 0);
                break;
            case StartMethod::centroids:
                // The paper says eta = centroid of K1 minus centroid of K2, and in words "the vector pointing from the
                // centroid to the origin", which is the opposite. The words are right: the origin's side is near.
                s_.vertex[s_.count++] = support(between_centroids());
                break;
            case StartMethod::last_support_pair:
                pose(memory_.support_a, memory_.support_b);
                break;
            case StartMethod::last_simplex:
                for (int i = 0; i < std::min<int>(memory_.simplex.count, 4); ++i) {
                    pose(memory_.simplex.a[i], memory_.simplex.b[i]);
                }
                break;
        }
    }

    /// Adds the vertex if it makes the simplex span one dimension more.
    void widen(const Vertex& v) {
        if (s_.count == 1 && v.w == s_.vertex[0].w) return;
        if (s_.count == 2 && papers::is_flat(s_.vertex[1].w - s_.vertex[0].w, v.w - s_.vertex[0].w)) return;
        s_.vertex[s_.count++] = v;
    }

    /// For discard-and-add: the first simplex becomes a triangle (or stays a tetrahedron); in the plane, a segment (or
    /// stays a triangle).
    void complete() {
        if (in_plane_) s_.count = std::min(s_.count, 3);
        if (s_.count == 4 && papers::is_flat(s_)) s_.count = 3;
        if (s_.count == 4) return;
        const int given = s_.count;
        s_.count = std::min(given, 1);
        for (int i = 1; i < given; ++i) widen(Vertex(s_.vertex[i]));
        if (methods_.start != StartMethod::arbitrary) {
            const dvec3 d = between_centroids(), size = absolute(d);
            const dvec3 least_axis = in_plane_                              ? dvec3(0, 0, 1)
                                     : size.x <= size.y && size.x <= size.z ? dvec3(1, 0, 0)
                                     : size.y <= size.z                     ? dvec3(0, 1, 0)
                                                                            : dvec3(0, 0, 1);
            const dvec3 e = glm::cross(d, least_axis), f = glm::cross(d, e);
            for (const dvec3& across : {e, -e, f, -f, -d}) {
                if (s_.count < kept() && glm::dot(across, across) > 0.0) widen(support(across));
            }
        }
        // Fixed vertices, taken from the two lists in opposite orders, so that neighbours by number are not paired.
        const std::size_t na = a_.vertices.size(), nb = b_.vertices.size();
        for (std::size_t i = 1; s_.count < kept() && i < na + nb; ++i) {
            widen(vertex(static_cast<std::uint16_t>(i % na), static_cast<std::uint16_t>((nb - i % nb) % nb)));
        }
    }

    // --- The loop (Jovanoski section 2, Liu et al. figures 1 and 7) ---

    /// Sets v to the closest point of the simplex, which had `previous` vertices (0: none) before the last one was
    /// added. Returns false if the method detects that it is stuck.
    bool reduce(int previous) {
        switch (methods_.simplex) {
            case SimplexMethod::johnson:
                papers::johnson(s_);
                return true;
            case SimplexMethod::voronoi:
                papers::voronoi(s_);
                return true;
            case SimplexMethod::production:
                return papers::production(s_, previous);
            case SimplexMethod::discard_and_add:
                break;
        }
        if (s_.count > kept()) {
            const papers::Refined refined = in_plane_ ? papers::refine_set_in_plane(s_) : papers::refine_set(s_);
            if (refined == papers::Refined::encloses) return true;
            if (refined == papers::Refined::flat) {
                s_.count = kept();
                return false;
            }
        }
        in_plane_ ? papers::nu_compute_in_plane(s_) : papers::nu_compute(s_);
        return true;
    }

    GjkEnd search() {
        reduce(0);
        double farthest2 = 0.0;
        for (int i = 0; i < s_.count; ++i) farthest2 = std::max(farthest2, glm::dot(s_.vertex[i].w, s_.vertex[i].w));
        Vertex w{};
        CycleWatch cycle;
        for (;;) {
            if (s_.encloses || s_.vv <= touching * touching * farthest2) return GjkEnd::origin_in_simplex;
            if (result_.iterations == gjk_variant_max_iterations) return GjkEnd::cap;

            const Vertex before = w;
            w = support(-s_.y);
            ++result_.iterations;
            farthest2 = std::max(farthest2, glm::dot(w.w, w.w));
            const double v = std::sqrt(s_.vv), along = glm::dot(s_.y, w.w) / std::sqrt(glm::dot(s_.y, s_.y));
            mu_ = std::max(mu_, along);

            bool recurs = result_.iterations > 1 && pair_of(w) == pair_of(before);
            for (int i = 0; i < s_.count; ++i) recurs = recurs || pair_of(w) == pair_of(s_.vertex[i]);
            if (methods_.stop == StopMethod::bound && v - mu_ <= methods_.gap * v) return GjkEnd::bound;
            if (methods_.stop == StopMethod::recurring_vertex && recurs) {
                // A vertex of the simplex recurs only if v is the closest point. The vertex found just before may recur
                // because discard-and-add has discarded it.
                if (v - along <= std::max(close_gap * v, contact_gap * std::sqrt(farthest2))) {
                    return GjkEnd::recurring_vertex;
                }
                return give_up(discards() ? GjkEnd::cycle : GjkEnd::stuck);
            }
            if (v - along <= rounding * std::sqrt(farthest2)) return GjkEnd::rounding;

            const papers::Simplex old = s_;
            s_.vertex[s_.count++] = w;
            // If a plane has separated the origin from A - B, only rounding can make it appear inside.
            const bool reduced = reduce(old.count) && !(s_.encloses && mu_ > rounding * std::sqrt(farthest2));
            const bool nearer = reduced && (s_.encloses || discards() || s_.vv < old.vv);
            if (!nearer) {
                s_ = old;
                return give_up(discards() ? GjkEnd::flat_set : GjkEnd::stuck);
            }
            if (discards() && !s_.encloses && cycle.comes_back(s_)) return give_up(GjkEnd::cycle);
        }
    }

    /// Returns how the search ended if no nearer v was found: `failure`, unless v is the closest point all the same.
    GjkEnd give_up(GjkEnd failure) const {
        double farthest2 = 0.0;
        for (int i = 0; i < s_.count; ++i) farthest2 = std::max(farthest2, glm::dot(s_.vertex[i].w, s_.vertex[i].w));
        const double v = std::sqrt(s_.vv), farthest = std::sqrt(farthest2);
        if (mu_ > 0.0 && v - mu_ <= std::max(close_gap * v, contact_gap * farthest)) return GjkEnd::rounding;
        if (mu_ <= rounding * farthest && v <= nearly_touching * farthest) return GjkEnd::origin_in_simplex;
        return failure;
    }

    // --- The result ---

    void conclude() {
        GjkVariantResult& r = result_;
        switch (r.end) {
            case GjkEnd::bound:
            case GjkEnd::recurring_vertex:
            case GjkEnd::rounding:
                r.status = GjkVariantStatus::separated;
                break;
            case GjkEnd::origin_in_simplex:
                r.status = GjkVariantStatus::overlapping;
                break;
            case GjkEnd::cap:
                r.status = GjkVariantStatus::iteration_cap;
                break;
            case GjkEnd::cycle:
            case GjkEnd::flat_set:
            case GjkEnd::flat_start:
            case GjkEnd::stuck:
                r.status = GjkVariantStatus::failed;
                break;
        }
        if (r.end == GjkEnd::flat_start) papers::johnson(s_);  // so that there is an upper bound all the same
        const bool apart = r.status != GjkVariantStatus::overlapping;
        std::uint16_t on_a[4], on_b[4];
        std::size_t carriers = 0;
        for (int i = 0; i < s_.count; ++i) {
            r.point_a += s_.weight[i] * s_.vertex[i].a;
            if (!(s_.weight[i] > 0.0)) continue;
            on_a[carriers] = s_.vertex[i].index_a;
            on_b[carriers++] = s_.vertex[i].index_b;
        }
        r.point_b = r.point_a - s_.v;
        if (apart) {
            r.distance = std::sqrt(s_.vv);
            r.lower_bound = std::min(mu_, r.distance);
            r.feature_a = closest_feature({on_a, carriers});
            r.feature_b = closest_feature({on_b, carriers});
            r.feature_of_difference = static_cast<FeatureKind>(carriers);
        }
        r.support_evaluations = search_a_.searches() + search_b_.searches();
        r.dot_products = search_a_.dot_products() + search_b_.dot_products();
        remember();
    }

    void remember() {
        memory_.support_a = search_a_.last();
        memory_.support_b = search_b_.last();
        memory_.simplex.count = result_.status == GjkVariantStatus::failed ? 0 : static_cast<std::uint8_t>(s_.count);
        for (int i = 0; i < s_.count; ++i) {
            memory_.simplex.a[i] = s_.vertex[i].index_a;
            memory_.simplex.b[i] = s_.vertex[i].index_b;
        }
    }

    const PolytopeGraph& a_;
    const PolytopeGraph& b_;
    dmat3 rotation_;  ///< of B in A's frame
    dvec3 position_;
    const GjkMethods& methods_;
    bool in_plane_;  ///< both are polygons in the plane z = 0
    GjkVariantMemory& memory_;
    SupportSearch search_a_, search_b_;
    papers::Simplex s_;
    double mu_ = 0.0;  ///< the greatest lower bound proved
    GjkVariantResult result_;
};

}  // namespace

GjkVariantResult gjk_variant(const PolytopeGraph& a, const PolytopeGraph& b, const MatrixTransform& b_in_a,
                             const GjkMethods& methods, GjkVariantMemory& memory) {
    const bool exist = static_cast<int>(methods.simplex) < simplex_method_count &&
                       static_cast<int>(methods.support) < support_method_count &&
                       static_cast<int>(methods.start) < start_method_count &&
                       static_cast<int>(methods.stop) < stop_method_count;
    const bool has_gap = std::isfinite(methods.gap) && methods.gap >= 0.0;
    if (!exist || !has_gap || a.vertices.empty() || b.vertices.empty() || !detail::is_usable(b_in_a)) {
        GjkVariantResult refused;
        refused.status = GjkVariantStatus::bad_input;
        return refused;
    }
    return Query(a, b, b_in_a, methods, memory).run();
}

const char* name_of(SimplexMethod method) {
    switch (method) {
        case SimplexMethod::johnson:
            return "johnson";
        case SimplexMethod::voronoi:
            return "voronoi";
        case SimplexMethod::discard_and_add:
            return "discard_and_add";
        case SimplexMethod::production:
            return "production";
    }
    return "";
}

const char* name_of(SupportMethod method) {
    switch (method) {
        case SupportMethod::linear:
            return "linear";
        case SupportMethod::hill_climbing:
            return "hill_climbing";
        case SupportMethod::neighbours:
            return "neighbours";
        case SupportMethod::hierarchical:
            return "hierarchical";
        case SupportMethod::artificial_neighbours:
            return "artificial_neighbours";
    }
    return "";
}

const char* name_of(StartMethod method) {
    switch (method) {
        case StartMethod::arbitrary:
            return "arbitrary";
        case StartMethod::centroids:
            return "centroids";
        case StartMethod::last_support_pair:
            return "last_support_pair";
        case StartMethod::last_simplex:
            return "last_simplex";
    }
    return "";
}

const char* name_of(StopMethod method) { return method == StopMethod::bound ? "bound" : "recurring_vertex"; }

const char* name_of(GjkVariantStatus status) {
    switch (status) {
        case GjkVariantStatus::separated:
            return "separated";
        case GjkVariantStatus::overlapping:
            return "overlapping";
        case GjkVariantStatus::iteration_cap:
            return "iteration_cap";
        case GjkVariantStatus::failed:
            return "failed";
        case GjkVariantStatus::bad_input:
            return "bad_input";
    }
    return "";
}

const char* name_of(GjkEnd end) {
    switch (end) {
        case GjkEnd::bound:
            return "bound";
        case GjkEnd::recurring_vertex:
            return "recurring_vertex";
        case GjkEnd::rounding:
            return "rounding";
        case GjkEnd::origin_in_simplex:
            return "origin_in_simplex";
        case GjkEnd::cap:
            return "cap";
        case GjkEnd::cycle:
            return "cycle";
        case GjkEnd::flat_set:
            return "flat_set";
        case GjkEnd::flat_start:
            return "flat_start";
        case GjkEnd::stuck:
            return "stuck";
    }
    return "";
}

}  // namespace talus
