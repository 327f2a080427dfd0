#include <talus/narrowphase/papers/penetration_estimate.h>

#include "narrowphase/papers/simplex.h"
#include "narrowphase/shapes/usable.h"
#include "narrowphase/support/minkowski.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

using detail::MinkowskiDifference;
using detail::SimplexVertex;
using glm::dvec3;

/// A direction whose support plane may bound the depth, with the distance of the simplex's face there; 0: no face.
struct CandidatePlane {
    dvec3 normal;  ///< unit
    double offset;
    std::uint16_t hint_a, hint_b;  ///< a vertex of the face
};

/// At most four faces, or both sides along each of three axes.
struct CandidatePlanes {
    CandidatePlane plane[6];
    int count = 0;

    void add(const dvec3& direction, double offset, const SimplexVertex& near) {
        const double length = std::sqrt(glm::dot(direction, direction));
        if (length > 0.0) plane[count++] = {direction / length, offset, near.index_a, near.index_b};
    }
    void add_both_sides(const dvec3& direction, const SimplexVertex& near) {
        add(direction, 0.0, near);
        add(-direction, 0.0, near);
    }
};

dvec3 least_axis(const dvec3& d) {
    const dvec3 size = absolute(d);
    return size.x <= size.y && size.x <= size.z ? dvec3(1, 0, 0) : size.y <= size.z ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
}

bool is_flat(const SimplexVertex (&v)[4]) {
    papers::Simplex s;
    for (int i = 0; i < 4; ++i) s.vertex[i].w = v[i].w;
    return papers::is_flat(s);
}

/// The four faces of a tetrahedron that is not flat, in ascending order of their signed distance: negative if the
/// origin is outside.
CandidatePlanes faces_of(const SimplexVertex (&v)[4]) {
    CandidatePlanes planes;
    for (int rest = 0; rest < 4; ++rest) {
        const dvec3 &a = v[(rest + 1) % 4].w, &b = v[(rest + 2) % 4].w, &c = v[(rest + 3) % 4].w;
        dvec3 normal = glm::cross(b - a, c - a);
        if (glm::dot(normal, v[rest].w - a) > 0.0) normal = -normal;
        planes.add(normal, glm::dot(normal, a) / std::sqrt(glm::dot(normal, normal)), v[(rest + 1) % 4]);
    }
    std::stable_sort(planes.plane, planes.plane + planes.count,
                     [](const CandidatePlane& x, const CandidatePlane& y) { return x.offset < y.offset; });
    return planes;
}

/// Directions at right angles to what the first `count` vertices span: a triangle has two, a segment four here, a
/// point six.
CandidatePlanes across(const SimplexVertex (&v)[4], int count) {
    CandidatePlanes planes;
    dvec3 edge(0.0), normal(0.0);  // the longest edge, and the normal of the widest triangle
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            const dvec3 ij = v[j].w - v[i].w;
            if (glm::dot(ij, ij) > glm::dot(edge, edge)) edge = ij;
            for (int k = j + 1; k < count; ++k) {
                const dvec3 ik = v[k].w - v[i].w, n = glm::cross(ij, ik);
                if (!papers::is_flat(ij, ik) && glm::dot(n, n) > glm::dot(normal, normal)) normal = n;
            }
        }
    }
    if (glm::dot(normal, normal) > 0.0) {
        planes.add_both_sides(normal, v[0]);
    } else if (glm::dot(edge, edge) > 0.0) {
        const dvec3 first = glm::cross(edge, least_axis(edge));
        planes.add_both_sides(first, v[0]);
        planes.add_both_sides(glm::cross(edge, first), v[0]);
    } else {
        for (const dvec3& axis : {dvec3(1, 0, 0), dvec3(0, 1, 0), dvec3(0, 0, 1)}) planes.add_both_sides(axis, v[0]);
    }
    return planes;
}

}  // namespace

PenetrationEstimate penetration_estimate(const Shape& a, const Shape& b, const MatrixTransform& b_in_a,
                                         const SimplexCache& simplex, EstimateFaces faces) {
    PenetrationEstimate result;
    if (!detail::is_usable(a, b, b_in_a)) {
        result.status = EstimateStatus::bad_input;
        return result;
    }
    const MinkowskiDifference difference(a, b, b_in_a);
    const int count = std::clamp<int>(simplex.count, 1, 4);
    SimplexVertex v[4];
    for (int i = 0; i < count; ++i) v[i] = difference.vertex(simplex.a[i], simplex.b[i]);
    const bool solid = count == 4 && !is_flat(v);
    const CandidatePlanes planes = solid ? faces_of(v) : across(v, count);
    result.lower = solid && planes.count == 4 ? std::max(0.0, planes.plane[0].offset) : 0.0;

    // A face only bounds what its support plane can give, so faces farther than the best plane are left out. Without a
    // tetrahedron no direction is nearer than another, and `nearest` has to try all.
    result.upper = std::numeric_limits<double>::infinity();
    for (int i = 0; i < planes.count; ++i) {
        const CandidatePlane& candidate = planes.plane[i];
        if (i > 0 && (candidate.offset >= result.upper || (solid && faces == EstimateFaces::nearest))) break;
        const double distance =
            glm::dot(candidate.normal, difference.support(candidate.normal, candidate.hint_a, candidate.hint_b).w);
        result.support_evaluations += 2;
        if (distance < result.upper) {
            result.upper = distance;
            result.normal = candidate.normal;
        }
    }
    if (result.upper < 0.0) {
        result.status = EstimateStatus::apart;
        result.upper = result.lower = 0.0;
    }
    result.lower = std::min(result.lower, result.upper);
    return result;
}

}  // namespace talus
