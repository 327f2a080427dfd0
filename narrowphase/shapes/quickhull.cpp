#include "narrowphase/shapes/quickhull.h"

#include "common/assert.h"
#include "narrowphase/shapes/exact_sign.h"
#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <queue>

namespace talus::hull_builder {
namespace {

using glm::dvec3;
using std::int64_t;

constexpr int grid_bits = 30;

/// Heights computed in double are off by less than this, in tolerance units: coordinates are at most 1e6 units (an
/// extent over its tolerance), their products round at 2^-53.
constexpr double height_noise = 1e-9;

/// The double estimate of the determinant is off by less than this, in grid units: normals of 2^61 and offsets of 2^30
/// make products of 2^91, and a dozen roundings at 2^-53 of that.
constexpr double determinant_noise = 17592186044416.0;  // 2^44

Error refuse(ErrorCode code, const char* format, double value = 0.0) {
    char text[256];
    std::snprintf(text, sizeof text, format, value);
    return {code, text};
}

struct Facet {
    Index vertex[3];
    Index neighbour[3];
    int64_t normal[3];  ///< exact, in grid units: twice the area
    dvec3 plane;        ///< height over the facet = dot(plane, point) - offset, in tolerance units
    double offset;
    Index first_point;  ///< head of the list of points from which this facet is visible
    Index farthest;
    double farthest_height;
    std::uint32_t stamp;  ///< counts the reuses of this slot
    std::uint32_t visit;
    bool alive;
};

class Quickhull {
public:
    Quickhull(const Cloud& cloud, std::span<const Index> subset, double tolerance)
        : cloud_(cloud),
          subset_(subset),
          tolerance_(tolerance),
          next_point_(cloud.grid.size(), none),
          facet_from_(cloud.grid.size(), none) {}

    Error start();
    void grow();
    TriangleMesh mesh() const;

private:
    struct Pending {
        double height;
        Index facet;
        std::uint32_t stamp;
        /// The queue returns the largest: the farthest first, the lower facet among equals.
        bool operator<(const Pending& other) const {
            return height != other.height ? height < other.height : facet > other.facet;
        }
    };
    struct HorizonEdge {
        Index from, to;          ///< as in the visible facet
        Index outside;           ///< the facet across
        std::uint32_t its_edge;  ///< which edge of `outside` it is
    };

    /// Four points, and how far they reach.
    struct Span {
        Index ends[2] = {none, none}, beside = none, above = none;
        double length = 0.0, width = 0.0, height = 0.0;
    };

    Span span(const dvec3& scale) const;
    Index add_facet(Index a, Index b, Index c);
    int exact_side(const Facet& facet, Index point) const;
    double height(const Facet& facet, Index point) const {
        return glm::dot(facet.plane, cloud_.points[point]) - facet.offset;
    }
    void give(Index facet, Index point, double point_height);
    void queue(Index facet);
    void insert(Index facet, Index point);
    void find_visible(Index seed, Index point);
    void make_cone(Index point);
    void hand_on_points(Index inserted);
    bool revive_parked_points();

    const Cloud& cloud_;
    std::span<const Index> subset_;
    double tolerance_;
    std::vector<Facet> facets_;
    std::vector<Index> free_;
    std::vector<Index> next_point_;  ///< by point: the next in its facet's list
    std::vector<Index> facet_from_;  ///< by vertex: the new facet whose horizon edge starts there
    std::priority_queue<Pending> pending_;
    std::vector<Index> visible_, cone_, stack_;
    std::vector<HorizonEdge> horizon_;
    std::uint32_t visit_ = 0;
};

Index Quickhull::add_facet(Index a, Index b, Index c) {
    Index id;
    if (free_.empty()) {
        id = static_cast<Index>(facets_.size());
        facets_.push_back({});
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Facet& f = facets_[id];
    const std::uint32_t stamp = f.stamp + 1;
    f = {.vertex = {a, b, c},
         .neighbour = {none, none, none},
         .normal = {},
         .plane = dvec3(0.0),
         .offset = 0.0,
         .first_point = none,
         .farthest = none,
         .farthest_height = 0.0,
         .stamp = stamp,
         .visit = 0,
         .alive = true};

    const Cloud::GridPoint &p = cloud_.grid[a], &q = cloud_.grid[b], &r = cloud_.grid[c];
    const int64_t ux = int64_t{q.x} - p.x, uy = int64_t{q.y} - p.y, uz = int64_t{q.z} - p.z;
    const int64_t vx = int64_t{r.x} - p.x, vy = int64_t{r.y} - p.y, vz = int64_t{r.z} - p.z;
    f.normal[0] = uy * vz - uz * vy;
    f.normal[1] = uz * vx - ux * vz;
    f.normal[2] = ux * vy - uy * vx;

    const dvec3& s = cloud_.grid_step;
    const dvec3 n =
        dvec3(double(f.normal[0]), double(f.normal[1]), double(f.normal[2])) * dvec3(s.y * s.z, s.z * s.x, s.x * s.y);
    const double thickness = std::abs(n.x) + std::abs(n.y) + std::abs(n.z);
    TALUS_ASSERT(thickness > 0.0);
    f.plane = n / thickness;
    f.offset = glm::dot(f.plane, cloud_.points[a]);
    return id;
}

/// Returns +1 above the facet, -1 below, 0 on its plane; exact.
int Quickhull::exact_side(const Facet& facet, Index point) const {
    const Cloud::GridPoint &p = cloud_.grid[point], &a = cloud_.grid[facet.vertex[0]];
    const int64_t d[3] = {int64_t{p.x} - a.x, int64_t{p.y} - a.y, int64_t{p.z} - a.z};
    const int64_t* n = facet.normal;
    const double estimate = double(n[0]) * double(d[0]) + double(n[1]) * double(d[1]) + double(n[2]) * double(d[2]);
    if (estimate > determinant_noise) return 1;
    if (estimate < -determinant_noise) return -1;
    return detail::sign_of_dot(n, d);
}

void Quickhull::give(Index facet, Index point, double point_height) {
    Facet& f = facets_[facet];
    next_point_[point] = f.first_point;
    f.first_point = point;
    const bool farther = f.farthest == none || point_height > f.farthest_height ||
                         (point_height == f.farthest_height && point < f.farthest);
    if (!farther) return;
    f.farthest = point;
    f.farthest_height = point_height;
}

void Quickhull::queue(Index facet) {
    const Facet& f = facets_[facet];
    if (f.farthest != none && f.farthest_height > tolerance_) pending_.push({f.farthest_height, facet, f.stamp});
}

/// Returns the ends of the longest axis, the point farthest from their line, and the point farthest from the plane of
/// these three. `scale` converts tolerance units to the unit in which lengths are measured, along each axis.
Quickhull::Span Quickhull::span(const dvec3& scale) const {
    const auto at = [&](Index i) { return cloud_.points[i] * scale; };
    dvec3 lower = at(subset_[0]), upper = lower;
    Index lowest[3], highest[3];
    std::fill_n(lowest, 3, subset_[0]);
    std::fill_n(highest, 3, subset_[0]);
    for (Index i : subset_) {
        const dvec3 p = at(i);
        for (int k = 0; k < 3; ++k) {
            if (p[k] < lower[k]) lower[k] = p[k], lowest[k] = i;
            if (p[k] > upper[k]) upper[k] = p[k], highest[k] = i;
        }
    }
    const dvec3 extent = upper - lower;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;

    Span result{.ends = {lowest[axis], highest[axis]}};
    const auto farthest = [&](Index& point, auto distance) {
        double most = -1.0;
        for (Index i : subset_) {
            const double d = distance(at(i));
            if (d > most) most = d, point = i;
        }
        return most;
    };
    const dvec3 origin = at(result.ends[0]), line = at(result.ends[1]) - origin;
    result.length = std::sqrt(glm::dot(line, line));
    if (!(result.length > 0.0)) return result;
    result.width = farthest(result.beside, [&](const dvec3& p) {
        const dvec3 n = glm::cross(line, p - origin);
        return std::sqrt(glm::dot(n, n)) / result.length;
    });
    const dvec3 normal = glm::cross(line, at(result.beside) - origin);
    const double area = std::sqrt(glm::dot(normal, normal));
    if (!(area > 0.0)) return result;
    result.height =
        farthest(result.above, [&](const dvec3& p) { return std::abs(glm::dot(normal, p - origin)) / area; });
    return result;
}

/// The first tetrahedron.
Error Quickhull::start() {
    const Error flat{
        ErrorCode::degenerate_shape,
        "hull: the points lie on one plane to within rounding; give points that span a volume, or use triangles."};
    const Error thin{
        ErrorCode::degenerate_shape,
        "hull: the points lie on one line to within rounding; give points that span a volume, or use a segment."};
    if (subset_.size() < 4) return flat;

    // Flatness is tested in metres and in tolerance units, because rounding may be coarse along one axis and fine along
    // another.
    const Span metres = span(cloud_.tolerance), units = span(dvec3(1.0));
    const double flat_height = flat_of_extent * cloud_.extent;
    if (!(metres.length > flat_height) || !(units.length > flat_tolerances)) return flat;
    if (!(metres.width > flat_height) || !(units.width > flat_tolerances)) return thin;
    if (!(metres.height > flat_height) || !(units.height > flat_tolerances)) return flat;

    const Index a = units.ends[0], b = units.ends[1], c = units.beside, d = units.above;
    const Index base = add_facet(a, b, c);
    const int side = exact_side(facets_[base], d);
    if (side == 0) return flat;
    facets_.clear();
    const Index p = side > 0 ? b : a, q = side > 0 ? a : b;  // so that d lies below (p, q, c)
    add_facet(p, q, c);
    add_facet(q, p, d);
    add_facet(c, q, d);
    add_facet(p, c, d);
    static constexpr Index neighbours[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (Index i = 0; i < 4; ++i) std::copy_n(neighbours[i], 3, facets_[i].neighbour);

    cone_ = {0, 1, 2, 3};
    for (Index i : subset_) {
        if (i == a || i == b || i == c || i == d) continue;
        next_point_[i] = stack_.empty() ? none : stack_.back();
        stack_.push_back(i);
    }
    Facet& carrier = facets_.emplace_back();  // an unused facet whose list has all other points
    carrier.first_point = stack_.empty() ? none : stack_.back();
    visible_ = {4};
    stack_.clear();
    hand_on_points(none);
    return {};
}

/// Marks the facets that are visible from `point`, from `seed` outwards, and collects the edges of the horizon. Because
/// the tests are exact, the horizon is one closed loop that visits each of its vertices once.
void Quickhull::find_visible(Index seed, Index point) {
    visible_.clear();
    horizon_.clear();
    ++visit_;
    stack_.assign(1, seed);
    facets_[seed].visit = visit_;
    while (!stack_.empty()) {
        const Index id = stack_.back();
        stack_.pop_back();
        visible_.push_back(id);
        facets_[id].alive = false;
        for (std::uint32_t e = 0; e < 3; ++e) {
            const Index across = facets_[id].neighbour[e];
            Facet& g = facets_[across];
            if (g.visit == visit_) continue;
            if (exact_side(g, point) > 0) {
                g.visit = visit_;
                stack_.push_back(across);
                continue;
            }
            const Index from = facets_[id].vertex[e], to = facets_[id].vertex[(e + 1) % 3];
            const std::uint32_t its_edge = g.vertex[0] == to ? 0 : g.vertex[1] == to ? 1 : 2;
            TALUS_ASSERT(g.vertex[its_edge] == to && g.vertex[(its_edge + 1) % 3] == from);
            horizon_.push_back({from, to, across, its_edge});
        }
    }
}

/// Joins the horizon to the new vertex.
void Quickhull::make_cone(Index point) {
    cone_.clear();
    for (const HorizonEdge& edge : horizon_) {
        const Index id = add_facet(edge.from, edge.to, point);
        facets_[id].neighbour[0] = edge.outside;
        facets_[edge.outside].neighbour[edge.its_edge] = id;
        TALUS_ASSERT(facet_from_[edge.from] == none);
        facet_from_[edge.from] = id;
        cone_.push_back(id);
    }
    for (const Index id : cone_) {
        const Index next = facet_from_[facets_[id].vertex[1]];
        TALUS_ASSERT(next != none);
        facets_[id].neighbour[1] = next;
        facets_[next].neighbour[2] = id;
    }
    for (const HorizonEdge& edge : horizon_) facet_from_[edge.from] = none;
}

/// Gives the points of the removed facets to the new ones. A point above a visible facet is either inside the new hull
/// or above one of the new facets (they lie between the facets on either side of the horizon), so no point is lost.
/// Points within the tolerance stay in the lists, because they may be farther outside of a later facet.
void Quickhull::hand_on_points(Index inserted) {
    for (const Index dead : visible_) {
        for (Index point = facets_[dead].first_point, next; point != none; point = next) {
            next = next_point_[point];
            if (point == inserted) continue;
            double best = -height_noise;
            Index owner = none;
            for (const Index id : cone_) {
                const double h = height(facets_[id], point);
                if (h > best) best = h, owner = id;
            }
            if (owner != none) give(owner, point, best);
        }
        facets_[dead].first_point = none;
        free_.push_back(dead);
    }
    for (const Index id : cone_) queue(id);
}

void Quickhull::insert(Index facet, Index point) {
    find_visible(facet, point);
    make_cone(point);
    hand_on_points(point);
}

/// Checks the points that stayed in the lists. Such a point is within the tolerance of its own facet, but may be higher
/// above another facet that is visible from it. Gives each to the facet that it is highest above. Returns true if some
/// point must become a vertex after all.
bool Quickhull::revive_parked_points() {
    struct Move {
        Index point, from, to;
        double height;
    };
    std::vector<Move> moves;
    const Index count = static_cast<Index>(facets_.size());
    for (Index id = 0; id < count; ++id) {
        if (!facets_[id].alive) continue;
        for (Index point = facets_[id].first_point; point != none; point = next_point_[point]) {
            Move best{point, id, none, tolerance_};
            ++visit_;
            stack_.assign(1, id);
            facets_[id].visit = visit_;
            while (!stack_.empty()) {
                const Facet& f = facets_[stack_.back()];
                stack_.pop_back();
                for (const Index across : f.neighbour) {
                    Facet& g = facets_[across];
                    if (g.visit == visit_) continue;
                    g.visit = visit_;
                    const double h = height(g, point);
                    if (h > 0.0) stack_.push_back(across);
                    if (h > best.height) best.to = across, best.height = h;
                }
            }
            if (best.to != none) moves.push_back(best);
        }
    }
    for (const Move& move : moves) {
        Index* link = &facets_[move.from].first_point;
        while (*link != move.point) link = &next_point_[*link];
        *link = next_point_[move.point];
        give(move.to, move.point, move.height);
        queue(move.to);
    }
    return !moves.empty();
}

void Quickhull::grow() {
    do {
        while (!pending_.empty()) {
            const Pending top = pending_.top();
            pending_.pop();
            const Facet& f = facets_[top.facet];
            if (f.alive && f.stamp == top.stamp && f.farthest_height == top.height) insert(top.facet, f.farthest);
        }
    } while (revive_parked_points());
}

TriangleMesh Quickhull::mesh() const {
    std::vector<Index> number(facets_.size(), none);
    Index count = 0;
    for (std::size_t i = 0; i < facets_.size(); ++i) {
        if (facets_[i].alive) number[i] = count++;
    }
    TriangleMesh result;
    result.reserve(count);
    const dvec3& s = cloud_.grid_step;
    const dvec3 half_cofactors = 0.5 * dvec3(s.y * s.z, s.z * s.x, s.x * s.y);
    for (const Facet& f : facets_) {
        if (!f.alive) continue;
        Triangle& t = result.emplace_back();
        std::copy_n(f.vertex, 3, t.vertex);
        for (int e = 0; e < 3; ++e) t.neighbour[e] = number[f.neighbour[e]];
        t.area = dvec3(double(f.normal[0]), double(f.normal[1]), double(f.normal[2])) * half_cofactors;
    }
    return result;
}

}  // namespace

Result<Cloud> make_cloud(std::span<const vec3> points) {
    if (points.size() < 4)
        return refuse(ErrorCode::degenerate_shape, "hull: %g points cannot span a volume; give at least 4.",
                      double(points.size()));
    if (points.size() >= none)
        return refuse(ErrorCode::too_complex, "hull: %g points are more than the builder counts; thin them out first.",
                      double(points.size()));

    dvec3 lower(points[0]), upper(points[0]);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            if (!is_finite(points[i][k]))
                return refuse(ErrorCode::not_finite,
                              "hull: point %.0f has a coordinate that is not a finite number; leave it out.",
                              double(i));
        }
        lower = glm::min(lower, dvec3(points[i]));
        upper = glm::max(upper, dvec3(points[i]));
    }

    Cloud cloud;
    const dvec3 extent = upper - lower, reach = glm::max(absolute(lower), absolute(upper));
    const double farthest = std::max({reach.x, reach.y, reach.z});
    if (farthest > double(largest_size))
        return refuse(ErrorCode::bad_size,
                      "hull: a point has the coordinate %.8g m; keep points within 1e6 m of the origin.", farthest);
    cloud.extent = std::max({extent.x, extent.y, extent.z});
    if (cloud.extent == 0.0)
        return refuse(ErrorCode::degenerate_shape, "hull: all points are the same; give points that span a volume.");
    if (cloud.extent < double(smallest_size))
        return refuse(ErrorCode::bad_size,
                      "hull: the points span %.8g m, too small to compute with; give at least 1e-6 m.", cloud.extent);
    dvec3 step;  // of the grid, m: a power of two, so that coordinates which are short in binary stay exact
    for (int k = 0; k < 3; ++k) {
        int exponent = 0;
        std::frexp(extent[k], &exponent);
        step[k] = std::ldexp(1.0, exponent - grid_bits);
    }
    cloud.tolerance = tolerance_of_extent * extent + tolerance_of_coordinate * reach;
    for (int k = 0; k < 3; ++k) {
        if (extent[k] <= std::max(flat_of_extent * cloud.extent, flat_tolerances * cloud.tolerance[k]))
            return refuse(ErrorCode::degenerate_shape,
                          "hull: the points are flat to within rounding, %g m thick; give points that span a volume, "
                          "nearer to the origin, or use triangles.",
                          extent[k]);
    }
    cloud.grid_step = step / cloud.tolerance;
    const dvec3 middle = 0.5 * (lower + upper);
    cloud.grid.reserve(points.size());
    cloud.points.reserve(points.size());
    const auto nearest = [](double x) { return static_cast<std::int32_t>(x < 0.0 ? x - 0.5 : x + 0.5); };
    for (const vec3& p : points) {
        const dvec3 q = (dvec3(p) - middle) / step;
        const Cloud::GridPoint g{nearest(q.x), nearest(q.y), nearest(q.z)};
        cloud.grid.push_back(g);
        cloud.points.push_back(dvec3(g.x, g.y, g.z) * cloud.grid_step);
    }
    return cloud;
}

Result<TriangleMesh> quickhull(const Cloud& cloud, std::span<const Index> subset, double tolerance) {
    Quickhull builder(cloud, subset, tolerance);
    if (Error error = builder.start()) return error;
    builder.grow();
    return builder.mesh();
}

}  // namespace talus::hull_builder
