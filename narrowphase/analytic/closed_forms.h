#pragma once
/// Pairs of shapes whose signed distance has a closed form: no iterations, no cache, and one method for pairs that are
/// apart, touch or overlap.
///
/// The closed forms are those of a point with any core except hulls, and of a segment with segments, triangles and
/// boxes (Ericson 2005, sections 5.1 and 5.2). If a segment overlaps the other core, the depth follows from the few
/// planes that can be facets of the Minkowski difference. All is computed in double and independent of scale: cross
/// products replace differences that would cancel, and if cores nearly touch, the normal is one across both features,
/// not the direction between the nearest points.
///
/// They are used because they are faster. Instructions per call (callgrind; g++ 12 -O3; 64 random pairs of sizes 0.5 to
/// 2 at 8 poses each; the more expensive of the two orders) compared with GJK + EPA with an empty cache (cold), and
/// with the cache of the last pose, 0.01 sizes and half a degree away (warm). "overlap" means that the cores overlap,
/// if they have an interior:
///
///                       apart: closed   cold    warm      overlap: closed    cold    warm
///     sphere-sphere            133       999     893              133         999     893
///     sphere-capsule           209      1178     997              212        1445    1143
///     sphere-segment           273      1274    1040              276        1558    1186
///     sphere-triangle          482      1407    1110              451        2096    1484
///     sphere-box               384      1370    1103              414        7299    6347
///     sphere-cylinder          384      1276    1729              370       48714   44303
///     sphere-cone              434      1232    1509              415       41511   36019
///     capsule-capsule          348      1410    1091              343        1975    1497
///     capsule-segment          417      1560    1137              408        2122    1536
///     segment-segment          449      1728    1196              435        2271    1576
///     capsule-triangle         915      1884    1258              919        5226    3937
///     segment-triangle         975      2102    1296              961        5359    4032
///     capsule-box              652      1867    1256              956       10197    9315
///     segment-box              646      2416    1383              988        9396    8171
///
/// They take 8 to 80 ns, compared with 65 to 220 if the cores are apart, and 4,400 far inside a cylinder. With the
/// larger core as A, in its own frame, it is cheaper: box-sphere takes 174 to 207 instructions. Other pairs have no
/// closed form: cylinders and cones with shapes other than spheres, and hulls with any shape, need root finding or a
/// search.

#include <talus/narrowphase/manifold.h>
#include <talus/narrowphase/shape.h>

#include <cstdint>

namespace talus {

/// The signed distance of two shapes, radii included.
struct ClosedForm {
    float separation = 0.0f;  ///< negative when penetrating, m
    vec3 normal{0.0f};        ///< unit, from A to B, in A's frame
    vec3 point_a{0.0f};       ///< on A's surface; point_b = point_a + separation * normal
    vec3 point_b{0.0f};       ///< on B's surface, in A's frame
};

/// Returns whether the pair is in the table above, in either order.
constexpr bool has_closed_form(ShapeType a, ShapeType b) {
    const ShapeType lower = a < b ? a : b, higher = a < b ? b : a;
    switch (lower) {
        case ShapeType::sphere:
            return higher <= ShapeType::cone;
        case ShapeType::capsule:
        case ShapeType::segment:
            return higher == ShapeType::capsule || higher == ShapeType::segment || higher == ShapeType::triangle ||
                   higher == ShapeType::box;
        default:
            return false;
    }
}

/// Returns the signed distance of a pair for which `has_closed_form` is true (other pairs give a meaningless result).
/// It is exact to a few roundings of the result's floats; `b_in_a.rotation` is used as it is, even if it is not quite
/// orthonormal. If the best normal is not unique, one of the best is returned: concentric spheres are separated along
/// +y of A; a centre inside a box leaves by the nearest face (lowest axis first, positive side first); parallel lines
/// touch in the middle of the stretch that they share. Never returns NaN for shapes that pass `check` at finite poses.
ClosedForm closed_form(const Shape& a, const Shape& b, const MatrixTransform& b_in_a);

/// Makes the manifold of one pair of points, with id 0, if it is within `margin` (m). For a sphere this is the whole
/// contact (the same as make_manifold's, in 6 ns instead of 17), and it is enough for shapes that are not about to
/// meet. Points beyond `count` are not written. `overlaps` is false, and no face owns the normal.
inline void one_point_manifold(const ClosedForm& contact, const MatrixTransform& b_in_a, float margin,
                               Manifold& manifold) {
    manifold.normal = contact.normal;
    manifold.face_owner = FaceOwner::none;
    manifold.overlaps = false;
    manifold.count = contact.separation <= margin ? 1 : 0;
    if (manifold.count == 0) return;
    manifold.points[0] = {contact.point_a, transpose_mul(b_in_a.rotation, contact.point_b - b_in_a.position),
                          contact.separation, 0};
}

}  // namespace talus
