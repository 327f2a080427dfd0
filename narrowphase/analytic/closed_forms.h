#pragma once
/// Pairs of shapes whose signed distance has a closed form: no iterations, no cache, and one path for pairs that are
/// apart, touch or overlap.
///
/// Points and segments against the cores around them (Ericson 2005, sections 5.1 and 5.2, in other words): a point
/// against everything but hulls; a segment against segments, triangles and boxes, where an overlap is settled by the
/// few planes that can be facets of the Minkowski difference. All in double, and free of scale: what would cancel is
/// computed by cross products, and directions between cores that all but touch give way to a normal across them.
///
/// Kept because they win. Instructions a call (callgrind; g++ 12 -O3; 64 random pairs of sizes 0.5 to 2 at 8 poses
/// each; the dearer of the two orders) against GJK + EPA with an empty cache, and with that of the last pose, 0.01
/// sizes and half a degree away; "overlap" is that of the cores where they have an inside:
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
/// In time 8 to 80 ns, against 65 to 220 where the cores are apart and 4,400 deep inside a cylinder. With the larger
/// core as A, in its own frame, it is cheaper: box-sphere takes 174 to 207. Not here: cylinders, cones and hulls
/// against anything but a sphere, which would end in root finding or a search; a sphere against a hull, the same.

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

/// True for the pairs of the table above, in either order.
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

/// The signed distance of a pair that `has_closed_form` (others get a meaningless one). Exact to a few roundings
/// of the answer's floats, as B stands: `b_in_a.rotation` is used as it is, rounded or not. Where the best normal is
/// not unique, one that is as good is given: concentric spheres part along +y of A, a centre inside a box leaves by the
/// nearest face (lowest axis first, positive side first), parallel lines touch in the middle of the stretch they share.
/// Never NaN for shapes that pass `check` at finite poses.
ClosedForm closed_form(const Shape& a, const Shape& b, const Frame& b_in_a);

/// The manifold of one pair of points, id 0, if it is within `margin` (m): all there is with a sphere (make_manifold's
/// answer, in 6 ns against 17), and enough for shapes that are not about to meet. Written in place, and only as far as
/// it goes: points beyond `count` keep what they held. `overlaps` is false and no face owns the normal.
inline void one_point_manifold(const ClosedForm& contact, const Frame& b_in_a, float margin, Manifold& manifold) {
    manifold.normal = contact.normal;
    manifold.face_owner = FaceOwner::none;
    manifold.overlaps = false;
    manifold.count = contact.separation <= margin ? 1 : 0;
    if (manifold.count == 0) return;
    manifold.points[0] = {contact.point_a, transpose_mul(b_in_a.rotation, contact.point_b - b_in_a.position),
                          contact.separation, 0};
}

}  // namespace talus
