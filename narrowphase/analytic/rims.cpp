#include "narrowphase/analytic/rims.h"

#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::detail {

namespace {

/// A cylinder or cone, or without a radius the line of a capsule or an edge, and what it shows along a direction. A's
/// frame.
struct Facing {
    dvec3 middle{0.0}, axis{0.0};  ///< axis: unit
    double half = 0.0;             ///< half the height, m
    double low = 0.0, high = 0.0;  ///< radii at the ends of the axis, m
    /// Half the length of a line of the side, m, and the sine of the angle by which it leans: the axis has the same
    /// component along all normals of the side.
    double half_line = 0.0, sine = 0.0;

    int rim = 0;          ///< 1 or -1: the rim at this end of the axis; 0: a line of the side, at right angles to n
    dvec3 out{0.0};       ///< unit, from the axis towards the point shown; zero if n is along the axis
    double radius = 0.0;  ///< of the circle that has the point shown, m
    double bend = 0.0;    ///< second derivative of that circle's height as n turns along it, m

    double cosine() const { return half_line > 0.0 ? half / half_line : 1.0; }

    /// Notes what it shows at first.
    void look(const dvec3& direction) {
        const double along = glm::dot(direction, axis) - sine;
        rim = std::abs(along) < tolerance::rim_side ? 0 : along < 0.0 ? -1 : 1;
    }

    /// Shows the side if the direction has passed from the rim's normals to the other rim's.
    void look_again(const dvec3& direction) {
        if (rim * (glm::dot(direction, axis) - sine) < 0.0) rim = 0;
    }

    /// Returns the point that it shows; of a side's line the middle. False: a cap shows.
    bool show(const dvec3& direction, dvec3& point) {
        radius = rim < 0 ? low : rim > 0 ? high : 0.5 * (low + high);
        point = middle + (rim * half) * axis;
        out = dvec3(0.0);
        bend = 0.0;
        const dvec3 across = direction - glm::dot(direction, axis) * axis;
        const double across2 = glm::dot(across, across);
        if (!(across2 > tolerance::rim_cap * tolerance::rim_cap)) return radius == 0.0;
        const double scale = 1.0 / std::sqrt(across2);
        out = scale * across;
        bend = scale * radius;
        point += radius * out;
        return true;
    }

    /// The direction of the side's line that shows, from low to high. Unit.
    dvec3 line() const { return cosine() * axis - sine * out; }
    /// Moves the point shown along that line.
    void move_along(double way) {
        radius -= way * sine;
        bend = radius / cosine();
    }
    /// The direction in which the point moves as n turns along the rim, and n's own as it turns about the axis.
    dvec3 along_rim() const { return glm::cross(axis, out); }
};

/// A cylinder or cone about the y axis.
Facing round_side(double half, double low, double high) {
    Facing f;
    f.axis.y = 1.0;
    f.half = half;
    f.low = low;
    f.high = high;
    const double narrowing = 0.5 * (low - high);
    f.half_line = std::sqrt(half * half + narrowing * narrowing);
    if (f.half_line > 0.0) f.sine = narrowing / f.half_line;
    return f;
}

Facing line_between(const dvec3& p, const dvec3& q) {
    const dvec3 along = q - p;
    const double length = std::sqrt(glm::dot(along, along));
    Facing f;
    f.middle = 0.5 * (p + q);
    f.axis = length > 0.0 ? along / length : dvec3(0.0, 1.0, 0.0);
    f.half = f.half_line = 0.5 * length;
    return f;
}

bool has_edges(ShapeType type) {
    return type == ShapeType::box || type == ShapeType::triangle || type == ShapeType::hull;
}

/// A polytope's vertex, in its own frame.
struct Corner {
    dvec3 point{0.0};
    std::uint16_t index = 0;
};

/// Calls visit(other end) for each edge of a polytope at one of its vertices.
template <class Visit>
void for_each_edge(const Core& core, const Corner& corner, const Visit& visit) {
    if (core.type == ShapeType::box) {
        for (int i = 0; i < 3; ++i) {
            Corner other = corner;
            other.point[i] = -other.point[i];
            visit(other);
        }
        return;
    }
    const auto visit_vertex = [&](std::uint16_t i) { visit(Corner{dvec3(core.points[i]), i}); };
    if (core.type == ShapeType::triangle) {
        visit_vertex(corner.index == 2 ? 0 : static_cast<std::uint16_t>(corner.index + 1));
        visit_vertex(corner.index == 0 ? 2 : static_cast<std::uint16_t>(corner.index - 1));
    } else {
        const HullData& hull = *core.hull;
        for (std::uint32_t i = hull.vertex_first[corner.index]; i < hull.vertex_first[corner.index + 1u]; ++i)
            visit_vertex(hull.vertex_neighbours[i]);
    }
}

/// A core and what it shows.
struct Shown : Facing {
    const Core& core;
    const dmat3& rotation;  ///< to A's frame
    const dvec3& position;
    Corner low_end, high_end;  ///< of a polytope's edge

    Shown(const Core& its_core, const dmat3& to_a, const dvec3& place, std::uint16_t hint)
        : core(its_core), rotation(to_a), position(place), low_end{dvec3(0.0), hint} {}

    /// Shows what is farthest along a direction: of a polytope the edge at the farthest vertex that is most nearly at
    /// right angles to the direction.
    void show_farthest(const dvec3& direction) {
        if (has_edges(core.type)) {
            const dvec3 own = direction * rotation;
            low_end.point = support_point(core, own, low_end.index);
            show_edge(low_end, -std::numeric_limits<double>::infinity(),
                      [&](const dvec3& along) { return -std::abs(glm::dot(along, own)); });
        } else if (core.type == ShapeType::segment) {
            set(line_between(dvec3(core.points[0]), dvec3(core.points[1])));
        } else {
            const bool thin = core.type == ShapeType::capsule;
            set(round_side(core.half.y, thin ? 0.0 : core.half.x,
                           core.type == ShapeType::cylinder ? core.half.x : 0.0));
        }
        look(direction);
    }

    /// At the end of a polytope's edge, shows the edge there whose direction (unit) has the greatest score, if that is
    /// more than `least`. Returns whether it is.
    template <class Score>
    bool turn_to_edge(double least, const Score& score) {
        return has_edges(core.type) && rim != 0 &&
               show_edge(rim < 0 ? low_end : high_end, least,
                         [&](const dvec3& along) { return score(rotation * along); });
    }

private:
    void set(const Facing& own) {
        static_cast<Facing&>(*this) = own;
        middle = rotation * own.middle + position;
        axis = rotation * own.axis;
        axis /= std::sqrt(glm::dot(axis, axis));
    }

    /// Shows the edge at a corner whose direction (unit, own frame) has the greatest score, if that is more than
    /// `least`.
    template <class Score>
    bool show_edge(const Corner from, double least, const Score& score) {
        double most = least;
        Corner to;
        for_each_edge(core, from, [&](const Corner& other) {
            const dvec3 along = other.point - from.point;
            const double s = score(along / std::sqrt(glm::dot(along, along)));
            if (!(s > most)) return;
            most = s;
            to = other;
        });
        if (!(most > least)) return false;
        low_end = from;
        high_end = to;
        set(line_between(low_end.point, high_end.point));
        return true;
    }
};

/// One search for the normal n.
struct NormalSearch {
    const MinkowskiDifference& difference;
    Shown a, b;  ///< b shows itself along -n
    dvec3 n;     ///< unit
    dvec3 on_a{0.0};
    double depth = 0.0;

    bool run() {
        const double allowed = tolerance::epa_slide_offset * difference.size;
        a.show_farthest(n);
        b.show_farthest(-n);
        for (int i = 0; i < tolerance::rim_steps; ++i) {
            if (!turn_across_sides()) return false;
            dvec3 on_b;
            if (!a.show(n, on_a) || !b.show(-n, on_b)) return false;
            dvec3 w = on_a - on_b;
            if (leave_sides(w)) continue;
            depth = glm::dot(n, w);
            const dvec3 off = w - depth * n;
            if (glm::dot(off, off) <= allowed * allowed) {
                on_a -= 0.5 * off;
                // What shows along n need not be what is farthest along it.
                const SimplexVertex farthest = difference.support(n, a.low_end.index, b.low_end.index);
                if (glm::dot(n, farthest.w) <= depth + allowed) return true;
                show_farther(a, n);
                show_farther(b, -n);
            } else if (!turn_against(off)) {
                return false;
            } else {
                a.look_again(n);
                b.look_again(-n);
            }
        }
        return false;
    }

    /// Makes n a unit vector at right angles to the sides that are shown.
    bool turn_across_sides() {
        if (a.rim == 0 && b.rim == 0) {
            // Where two circles of the sphere cross: x a.axis + y b.axis +- z across.
            const dvec3 across = glm::cross(a.axis, b.axis);
            const double cosine = glm::dot(a.axis, b.axis), sine2 = glm::dot(across, across);
            constexpr double parallel2 = tolerance::rim_parallel * tolerance::rim_parallel;
            if (!(sine2 > parallel2)) return false;
            const double x = (a.sine + cosine * b.sine) / sine2, y = -(b.sine + cosine * a.sine) / sine2;
            const dvec3 level = x * a.axis + y * b.axis;
            const double rest2 = 1.0 - glm::dot(level, level);
            if (!(rest2 > 0.0)) return false;
            const double z = std::sqrt(rest2 / sine2);
            n = level + (glm::dot(across, n) < 0.0 ? -z : z) * across;
        } else if (a.rim == 0) {
            n = across_side(a, n);
        } else if (b.rim == 0) {
            n = -across_side(b, -n);
        }
        const double nn = glm::dot(n, n);
        if (!(nn > 0.0)) return false;
        n /= std::sqrt(nn);
        return true;
    }

    /// Returns the normal of the side nearest to a direction.
    static dvec3 across_side(const Facing& side, const dvec3& direction) {
        const dvec3 across = direction - glm::dot(direction, side.axis) * side.axis;
        if (side.sine == 0.0) return across;
        return side.sine * side.axis + (side.cosine() / std::sqrt(glm::dot(across, across))) * across;
    }

    /// Moves the points of sides along their lines until they face each other. `w`: the difference of A's point and
    /// B's. If a line is too short for that, its rim is shown: then returns true.
    bool leave_sides(dvec3& w) {
        if (a.rim != 0 && b.rim != 0) return false;
        double along_a = 0.0, along_b = 0.0;
        const dvec3 line_a = a.line(), line_b = b.line();
        const double wa = glm::dot(w, line_a), wb = glm::dot(w, line_b);
        if (a.rim == 0 && b.rim == 0) {
            const double ab = glm::dot(line_a, line_b), sine2 = 1.0 - ab * ab;
            along_a = (ab * wb - wa) / sine2;
            along_b = (wb - ab * wa) / sine2;
        } else if (a.rim == 0) {
            along_a = -wa;
        } else {
            along_b = wb;
        }
        const bool past_a = std::abs(along_a) > a.half_line, past_b = std::abs(along_b) > b.half_line;
        if (past_a) a.rim = along_a < 0.0 ? -1 : 1;
        if (past_b) b.rim = along_b < 0.0 ? -1 : 1;
        if (past_a || past_b) return true;
        if (a.rim == 0) a.move_along(along_a);
        if (b.rim == 0) b.move_along(along_b);
        on_a += along_a * line_a;
        w += along_a * line_a - along_b * line_b;
        return false;
    }

    /// Shows what is farther along a direction: at the end of an edge the one that leads farther.
    static void show_farther(Shown& side, const dvec3& direction) {
        if (!side.turn_to_edge(0.0, [&](const dvec3& along) { return glm::dot(along, direction); }))
            side.show_farthest(direction);
    }

    /// Two rims that overlap and have no minimum together: as n turns against `off`, the depth falls until a side or an
    /// edge is at right angles to n. Shows the first one. False: there is none.
    bool show_side(const dvec3& off) {
        // The tangent of the angle until then is 1 / soon.
        double soon = 0.0;
        Shown* first = nullptr;
        // One of the two is round. The other one, which may have edges, comes last, because it changes with them.
        for (Shown* side : {has_edges(a.core.type) ? &b : &a, has_edges(a.core.type) ? &a : &b}) {
            const dvec3 direction = side == &a ? n : -n, turning = side == &a ? -off : off;
            // How fast the angle to the side's normals falls, and how large it is. (An edge that n has just left is at
            // right angles to it, and leads back.)
            const auto soon_at = [&](const dvec3& axis, double sine) {
                const double falls = glm::dot(turning, axis), rest = std::abs(glm::dot(direction, axis) - sine);
                return falls > 0.0 ? falls / std::max(rest, tolerance::rim_parallel) : 0.0;
            };
            if (has_edges(side->core.type)) {
                if (!side->turn_to_edge(soon, [&](const dvec3& along) { return soon_at(along, 0.0); })) continue;
                soon = soon_at(side->axis, 0.0);
                first = side;
            } else if (const double s = soon_at(static_cast<double>(-side->rim) * side->axis, -side->rim * side->sine);
                       s > soon) {
                soon = s;
                first = side;
            }
        }
        if (first == nullptr) return false;
        first->rim = 0;
        return true;
    }

    /// A step of Newton's method against `off`, the part of w across n. False: the depth has no minimum here.
    bool turn_against(const dvec3& off) {
        const dvec3 ta = a.along_rim(), tb = b.along_rim();
        if (a.rim == 0 && b.rim == 0) return false;
        if (a.rim == 0 || b.rim == 0) {
            const dvec3& e = a.rim == 0 ? ta : tb;
            const double ea = glm::dot(e, ta), eb = glm::dot(e, tb);
            const double bend = a.bend * ea * ea + b.bend * eb * eb - depth;
            if (!(bend > 0.0)) return false;
            n -= (glm::dot(off, e) / bend) * e;
            return true;
        }
        // In the plane across n, along a rim and across it.
        const dvec3& t = a.radius > 0.0 ? ta : tb;
        const dvec3 u = glm::cross(n, t);
        const double at = glm::dot(ta, t), au = glm::dot(ta, u), bt = glm::dot(tb, t), bu = glm::dot(tb, u);
        const double tt = a.bend * at * at + b.bend * bt * bt - depth, tu = a.bend * at * au + b.bend * bt * bu,
                     uu = a.bend * au * au + b.bend * bu * bu - depth;
        const double determinant = tt * uu - tu * tu;
        if (!(tt > 0.0) || !(determinant > 0.0)) return show_side(off);
        const double off_t = glm::dot(off, t), off_u = glm::dot(off, u);
        n -= ((uu * off_t - tu * off_u) * t + (tt * off_u - tu * off_t) * u) / determinant;
        return true;
    }
};

}  // namespace

bool has_rim_contact(ShapeType a, ShapeType b) {
    if (a == ShapeType::mapping || b == ShapeType::mapping) return false;
    return (has_rim(a) && b != ShapeType::sphere) || (has_rim(b) && a != ShapeType::sphere);
}

bool rim_contact(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& near,
                 const SimplexCache& hints, ClosedForm& contact) {
    const MinkowskiDifference difference(a, b, b_in_a);
    const dvec3 n(near), origin(0.0);
    const dmat3 unturned(1.0);
    NormalSearch search{difference, Shown(difference.core_a, unturned, origin, hints.a[0]),
                        Shown(difference.core_b, difference.rotation, difference.position, hints.b[0]),
                        n / std::sqrt(glm::dot(n, n))};
    if (!search.run()) return false;
    const dvec3 on_b = search.on_a - search.depth * search.n;
    contact.normal = vec3(search.n);
    contact.separation = static_cast<float>(-search.depth - double(a.radius) - double(b.radius));
    contact.point_a = vec3(search.on_a + double(a.radius) * search.n);
    contact.point_b = vec3(on_b - double(b.radius) * search.n);
    return true;
}

}  // namespace talus::detail
