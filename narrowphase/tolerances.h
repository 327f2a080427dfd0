#pragma once
/// Every tolerance of the narrowphase: its name, its unit, and what happens when it is changed.
///
/// GJK, EPA and ray casts compute their simplices in double from float data. A cross product or a determinant of float
/// points is then accurate to about 1e-15 of its terms. So a few small relative tolerances are enough here, while
/// computing in float needs larger, absolute ones, which fail on small and on large shapes. In scalar code a double
/// costs no more than a float.

namespace talus::tolerance {

// --- GJK, EPA, ray casts --------------------------------------------------------------------------------------------

/// GJK stops when |v| - u <= this * min(|v|, size of the smaller shape), where v is the closest point of the simplex
/// and u the proved lower bound (Jovanoski 2008, section 2). Relative to |v| because the normal's error is about sqrt(2
/// gap / |v|): with 1e-6 at most 1.4 mrad, and on curved shapes only (polytopes end at their exact feature). Ten times
/// smaller costs a pair of cylinders about 1.7 iterations.
inline constexpr double gjk_gap = 1e-6;

/// The gap is never required to be smaller than this * |v|, which is about the precision of the result's float.
inline constexpr double gjk_gap_floor = 1e-7;

/// Cores nearer than this * (largest coordinate of the simplex) count as touching: GJK returns `overlapping`, and EPA
/// finds the normal. It is a thousand times the rounding of double, so that the normal of a separated pair is accurate
/// to about 1e-3 rad even at this distance.
inline constexpr double gjk_touching = 1e-12;

/// If rounding ends GJK, the simplex's own direction is the normal if its support plane proves all but this share of
/// the distance. Otherwise the best support plane found is the result.
inline constexpr double gjk_stuck = 1e-3;

/// The greatest number of support pairs in GJK (status iteration_cap). Polytopes need 4 to 10, curved shapes close to
/// contact up to 30, which a lower cap would cut off.
inline constexpr int gjk_max_iterations = 96;

/// A triangle whose smallest sine is below this is treated as its three edges, a tetrahedron whose volume is below this
/// times the product of its edges as its four faces. Larger: thin but good simplices lose their interior. Smaller:
/// normals are noise.
inline constexpr double simplex_flatness = 1e-10;

/// EPA stops when the support plane is within this * (size of the smaller shape) of the nearest face. Polytopes end at
/// an exact face anyway; larger values would accept a neighbouring face's normal.
inline constexpr double epa_gap = 1e-9;

/// The same if a shape has a rim, for which there is no exact last face. EPA ends this near to the least depth, and a
/// descent over the surface (epa_slide.h) then finds the local minimum. So this bounds how much smaller another local
/// minimum can be. Ten times smaller triples the iterations.
inline constexpr double epa_gap_curved = 5e-5;

/// If memory runs out on a rim and the bounds differ by less than this * (size, or depth), the minimum that the descent
/// found counts as converged. Coaxial cylinders, which have the same depth in a whole circle of directions, end like
/// this.
inline constexpr double epa_gap_spent = 5e-3;

/// The descent starts from a point that is epa_slide_push * size off the surface, and runs GJK to epa_slide_gap * that
/// distance. Its normals are accurate to about the root of twice that gap (5e-5 rad), its witness points to the depth
/// times that. 1e-11 costs a quarter more without an effect that the tests could see.
inline constexpr double epa_slide_push = 1e-1;
inline constexpr double epa_slide_gap = 1e-9;

/// The descent ends when a step moves its point by less than epa_slide_offset * size along the surface (the accuracy of
/// the witness points), when two steps gain less than epa_slide_progress * size, or after epa_max_slides steps.
inline constexpr double epa_slide_offset = 2e-5;
inline constexpr double epa_slide_progress = 1e-7;
inline constexpr int epa_max_slides = 12;

/// First bracket of the descent's line searches (the tangent of an angle, about rad), and the relative width at which
/// they end.
inline constexpr double epa_slide_first_turn = 1e-3;

/// A search along rims (analytic/rims.h) begins with a side or an edge if that is at right angles to the first normal
/// to this (sine), else with a rim. Larger: sides are taken that are left again at once (0.2: a fifth more time for two
/// cylinders). Smaller: sides of turning bodies are found a step later.
inline constexpr double rim_side = 1e-2;

/// The search ends if a cap faces along the normal to this (sine). Smaller: the normal of a cylinder that lies flat is
/// sought on its rim, whose bend grows without bound there. Larger: more tilted cylinders are left to GJK and EPA.
inline constexpr double rim_cap = 1e-3;

/// The search ends if the axes of two sides are parallel to this (sine): the place where the sides cross is then known
/// to a thousand times the rounding only. Larger: more lying cylinders are left to GJK and EPA.
inline constexpr double rim_parallel = 1e-3;

/// The greatest number of steps of the search. Two or three are usual; more are needed to go from edge to edge.
inline constexpr int rim_steps = 10;

/// A contact that follows a rim may be this * size deeper than along its last normal, for the rounding of both. Larger:
/// another, deeper minimum may be taken. Smaller: rounding refuses contacts, which then cost GJK and EPA.
inline constexpr float rim_rise = 1e-4f;

/// Faces whose normals differ by less than the root of twice this (rad: 4.5e-4) count as one facet.
inline constexpr double epa_same_facet = 1e-7;

/// If the witness points of a polytope's depth miss their support plane by more than this * (size of the smaller
/// shape), a descent finds them again. This happens on the thin triangles of a needle-like difference, which do not
/// contain the projection of the origin.
inline constexpr double epa_witness = 1e-6;

/// If memory ran out on a rim, the descent is run from this many further faces, too.
inline constexpr int epa_rivals = 4;

/// A Minkowski difference thinner than this * (its largest coordinate) has no interior: EPA returns depth 0 and the
/// normal of its plane.
inline constexpr double epa_flatness = 1e-11;

/// A face is visible from a new vertex if the vertex lies more than this * (largest coordinate) above it. Zero would
/// let rounding split coplanar faces into thin triangles; much more would leave dents.
inline constexpr double epa_visible = 1e-13;

/// Hulls whose largest coordinate exceeds this * (size of the smaller shape) are scanned in double. The float scan may
/// return a vertex that is up to about 2e-7 of that coordinate short of the farthest one, and that error should stay
/// below 1e-5 of the smaller shape.
inline constexpr double float_scan_ratio = 32.0;

/// A ray or a moving shape within this * (size of the smaller shape) of the surface has hit it. On curved surfaces the
/// normal is accurate to the root of this; 1e-7 would save a tenth of the support pairs there.
inline constexpr double cast_surface = 1e-9;

/// A ray or shape within this * (length of the motion and distance at the start), their rounding, has hit it, too.
inline constexpr double cast_rounding = 1e-15;

/// A plane ends GJK's search and moves the cast forward if it proves this share of the simplex's distance. Support
/// pairs per cast: two boxes 8.2 at 0, 6.8 at 0.3 to 1; two cylinders 45 at 0.01, 53 at 0.1, 69 at 0.5.
inline constexpr double cast_share = 0.4;
inline constexpr double cast_share_curved = 0.01;

/// The greatest number of planes that clip a ray or a moving shape (status iteration_cap). Only casts that graze a
/// curved surface need more than about ten; each clip then halves the distance that is left.
inline constexpr int cast_max_clips = 128;

/// Cores farther apart than this * size at the end of a cast (because of radii or a target distance) define the normal.
/// For nearer ones it is the normal of the last plane that clipped the motion.
inline constexpr double cast_normal_distance = 1e-6;

/// A ray's hit on a sphere is off by about 2e-16 * the distance of the ray's origin. If the radius is smaller than this
/// * that distance, the hit does not give the normal; the ray's distance from the centre does. Larger: more spheres use
/// the second way, which is as exact and slower. Smaller: normals that are rounding noise, or NaN for a radius of 0.
inline constexpr double cast_sphere_radius = 1e-13;

/// Interval halving and Brent's methods end at this fraction of the motion, the resolution of a float near 1.
inline constexpr double swept_resolution = 0x1p-24;

/// The greatest number of distance queries in these methods. Brent's worst cases need fewer than 100.
inline constexpr int swept_max_queries = 200;

/// The greatest number of distance queries in a time of impact query (status iteration_cap). Three or four are usual.
/// Only shapes that rotate by many turns per step near each other need more than twenty.
inline constexpr int toi_max_queries = 64;

/// The greatest number of times at which the gap along one axis is computed between two distance queries.
inline constexpr int toi_axis_looks = 6;

/// An axis is given up once no more than this share of the gap is left: then a distance query for a new axis pays.
inline constexpr double toi_axis_spent = 0.1;

/// The gap is next computed this much later than it is expected to close, so that it has closed by then.
inline constexpr double toi_overshoot = 1.1;

/// If an axis that rotates with a feature reaches this share of the time that the speed of the closest points predicts,
/// the axis that is fixed in the world is not tried.
inline constexpr double toi_good_step = 0.5;

/// A core whose points are all within this * (its size) of its axis of rotation counts as not rotating.
inline constexpr double toi_no_ring = 1e-9;

/// Vertices at which a climb may end more than this * (size of the hull) short of the farthest vertex get more
/// neighbours. Larger: planes that count as support planes are none (2.6e-4 m off on a hull of 1.3 m). Smaller: corners
/// of large flat faces, whose float coordinates are never quite coplanar, become neighbours without need.
inline constexpr double climb_loss = 1e-5;

// --- Contact manifolds ----------------------------------------------------------------------------------------------
// In fractions of the pair's size (the longest half side of the smaller shape) unless said otherwise.

/// A face whose normal is within 15 degrees (cosine) of the given one is a candidate for the manifold's normal. Larger:
/// more faces are tested in vain. Smaller: an axis kept through a frame of fast motion is not corrected by the face
/// that it came from.
inline constexpr float face_alignment = 0.9659f;

/// The candidate's normal is used if it separates the shapes as well as the given one, to within this * (size, or
/// radius of the rounder shape). This is the largest error in depth that the change may cause. Zero: rounding decides
/// between a face and an edge axis. Larger: capsules near the edge of a box get the face's normal (now up to 2.6
/// degrees off).
inline constexpr float face_preference = 1e-3f;

/// Corners this far outside the other shape's face still count as inside, so that boxes stacked edge on edge keep their
/// corners from frame to frame. Contact points may lie this far (times 1.4 along diagonals) outside a face.
inline constexpr float contact_boundary = 5e-4f;

/// Rounding of the pair's coordinates, a fraction of the largest of them; it is added to the two tolerances above.
inline constexpr float coordinate_noise = 4e-7f;

/// Faces more than 60 degrees (cosine) off the normal make no manifold; edges or vertices do. Steeper faces would
/// amplify the rounding of heights by more than 1.7.
inline constexpr float steepest_face = 0.5f;

/// Faces of rounded triangles are used up to 2.6 degrees (cosine), beyond that their edges: the face misses the round
/// corner by up to radius * (1 - this). For hulls whose face is farther off than this, a level edge is looked for.
inline constexpr float rounded_face = 0.999f;

/// An edge or side line steeper than 45 degrees (sine) is represented by its nearer end alone.
inline constexpr float steepest_edge = 0.7072f;

/// The same for capsules and rounded edges (sine: 2.9 degrees): points between the ends lie up to 1.3e-3 radii below
/// the surface.
inline constexpr float steepest_round_edge = 0.05f;

/// If an edge of a hull is this level (sine: 2.9 degrees), only its own two faces may be used, not the other faces at
/// the support vertex.
inline constexpr float level_edge = 0.05f;

/// A cap tilted by less than this (sine) gets fixed rim points, others get rim points that start at the lowest one.
/// Smaller: points of a resting cylinder wander with the noise. Larger: a rocking cylinder rolls on a polygon, up to
/// 3e-4 radii off its lowest point.
inline constexpr float flat_rim = 1e-3f;

/// Lines that cross at less than 2.9 degrees (sine) count as parallel and touch along a stretch, others in a point.
inline constexpr float parallel_lines = 0.05f;

/// The stretch reaches as far as the lines are within this * (sum of the radii of curvature) of each other. Points are
/// then off the surfaces by at most 8e-4 radii.
inline constexpr float parallel_offset = 0.04f;

/// A ball or cylinder is large for bodies if its radius is more than this * their size. Larger: bodies rock on it for
/// ever. Smaller: bodies that could roll over it rock on their corners.
inline constexpr float large_round = 40.0f;
/// Cosine of the greatest angle between its normal and that of a face that lies on it, and of a corner.
inline constexpr float large_round_face = 0.999f;
/// Corners deeper than this * the body's size do not count: the normal there is another one.
inline constexpr float large_round_depth = 0.1f;
/// All corners of a face touch if their separations differ by at most this * the body's size. Larger: bodies sink by as
/// much. Smaller: they rock.
inline constexpr float large_round_flat = 6e-3f;

/// The angle (rad) by which the directions are tilted that look for the facets of a support mapping. Larger: small facets
/// are not seen, because the directions lead to their neighbours. Smaller: a body that rocks on its facet touches with an
/// edge or corner alone.
inline constexpr double mapping_tilt = 0.03;
/// Where it finds no plane, half of it is tried, and so on down to this angle. Larger: nearly flat places are points.
inline constexpr double mapping_small_tilt = 1e-3;

/// The angle (rad) by which normals are tilted to measure radii of curvature (surface_curvature.h). Larger: the radii of
/// a superellipsoid are those of its neighbourhood. Smaller: faces and edges are less flat beside round shapes.
inline constexpr double curvature_probe = 1e-3;

/// A surface with a radius of curvature of more than this * size counts as flat where the tilts above find it so.
/// Larger: facets and lines narrower than twice this * tilt * size (0.18 of the size at the first look) are not seen.
/// Smaller: gently curved surfaces become facets.
inline constexpr double mapping_radius = 3.0;

/// The tilt (rad) of the directions that look for the far side of a flat part at whose round edge a mapping touches, and how
/// far it must be, in sizes. Smaller tilt: superellipsoids of some centimetres rattle for ever, and sink (at 0.09, 38 of 720
/// by more than a twentieth of their size; at 0.12, none). Larger tilt, or nearer: more of the curved ones stay awake.
inline constexpr double mapping_far_tilt = 0.12, mapping_far = 0.8;

/// The surface may lie this * size off the plane of its facet. Larger: gently curved surfaces become facets. Smaller:
/// superellipsoids with exponents of 4 and more rock for ever, and sink.
inline constexpr double mapping_flatness = 3e-3;
/// The same for lines of a surface that is round across them. Larger: a body that is also curved along the line rolls as if
/// it were not, and gains speed.
inline constexpr double mapping_straightness = 1e-3;
/// Lines with a radius across of at most this * size are edges. Larger: see mapping_straightness. Smaller: heaps of
/// superellipsoids with exponents of 8 and more rock on their edges.
inline constexpr double mapping_edge = 0.2;

/// The deepest candidate is kept; a later one replaces an earlier one only if it is deeper by this.
inline constexpr float deeper = 1e-4f;

/// The same for the farthest candidate, as a factor. Larger: steadier points, whose spread is smaller by up to that.
inline constexpr float farther = 1.01f;

/// The witness pair joins the manifold if it is deeper than all points of the overlap by more than this.
inline constexpr float missed_depth = 1e-3f;

/// A given normal whose squared length differs from 1 by more than this is normalised again.
inline constexpr float unit_length = 1e-5f;

// --- The coherence ladder -------------------------------------------------------------------------------------------
// The size of a pair is the radius of its smaller shape: the least of their bounding radii and of the half diagonals of
// their boxes. Its thickness is the size, or the thickness of the thinner shape if that is less
// (`PairRecord::thickness`).

/// A touching pair that moved less than this * thickness keeps its manifold, with the anchors fixed in the bodies.
/// Larger: fewer tests, and stacks are more stable, because fixed anchors do not wander; but sliding contacts lag
/// behind their true place.
///
/// On a round surface the contact point moves over the body. An anchor that stayed behind would give the normal force a
/// lever that drives the rolling. So the anchors of round shapes follow the normal where reuse.h knows how, and their
/// manifolds are reused up to `reuse_motion_round`. (At three times that, the scenes `mixed` and `terrain` take as long.)
/// Contacts of edges, whose normal rotates with both bodies, are reused up to `reuse_motion_edges`: at a fifth of that a
/// settling pile of hulls needs 1.7 times as many calls of EPA.
inline constexpr float reuse_motion = 0.02f;
inline constexpr float reuse_motion_edges = 0.005f;
inline constexpr float reuse_motion_round = 0.001f;

/// The points of a round surface move as it rolls if this * thickness is the most by which they are not where it is
/// nearest to the other shape.
inline constexpr float rolling_point = 1e-3f;
/// A contact point on a face follows the shape that rolls there as soon as it is behind by this * thickness. Larger: the
/// normal force drives the rolling by this much of a slope. Zero: rounding moves the point off the face in time.
inline constexpr float rolling_step = 1e-6f;
/// A normal that is tilted by less than this (sine) is one of a cylinder's side, not of its rim.
inline constexpr float rolling_side = 1e-3f;
/// A sphere rolls on a round surface while their manifold is reused if the square of the cosine between its normal and
/// the line from axis to axis is at least this.
inline constexpr float rolling_normal = 1.0f - 1e-5f;
/// That line must be longer than this * thickness, so that its direction changes little.
inline constexpr float rolling_axes_apart = 0.2f;

/// A cap whose axis is within 2.6 degrees (cosine) of the normal lies flat, else the contact is on the side or the rim.
inline constexpr float flat_cap = 0.999f;

/// A contact on a known face, no deeper than this * thickness, is made from the face without GJK and EPA. Larger: fewer
/// calls of EPA, and a normal that may be out of date for deeper overlaps.
inline constexpr float axis_depth = 0.02f;

/// The same for contacts of one or two points: an edge or a corner that overlaps by more may have a smaller depth
/// through another face. At a quarter of it the narrowphase of the scene `mixed` costs 6% more.
inline constexpr float axis_depth_of_edges = 0.004f;

/// Points closer than this * size belong to the manifold before they touch. Larger: more points, and fewer contacts
/// that are found late; too large, and shapes collide around corners.
inline constexpr float contact_margin = 0.02f;

/// The margin is larger by the distance that the two shapes may approach each other before the next test, up to this *
/// size. Zero: fast pairs overlap by the motion of a step before they are found (a tumbling pile of hulls: 14 cm at
/// 0.1, 4 cm at 0.5). Large values make fast shapes collide around corners.
///
/// The approach is the sum of both displacements towards each other, not their difference, because a third body may
/// stop one of the two. With the relative displacement instead, eight boxes that fall at 2 m/s with gaps of 3 cm land
/// 15 cm inside each other, not 4 mm.
inline constexpr float contact_reach = 0.5f;

// ---- nonconvex/feature_contacts
// ---------------------------------------------------------------------------------------

/// How far a normal may lead out of a vertex's region, as a cosine. Larger: a vertex that is lifted off keeps its
/// contact longer, and more pairs are evaluated. Smaller: a box that lies on a face rocks, because its vertices have
/// contacts by turns.
inline constexpr float feature_slack = 0.1f;
/// Cosine of the largest angle between the faces of a vertex that is nearly flat: no contact normal of it leads into the
/// surface. Larger: some vertices that feature_slack calls flat have contacts from inside. Smaller than about 0: vertices
/// of thin edges lose contacts.
inline constexpr float feature_nearly_flat = 0.9f;
/// The same as feature_slack for the arcs of edges.
inline constexpr float feature_edge_slack = 0.05f;
/// The most that two surfaces may rotate between two searches for candidates, rad.
inline constexpr float feature_most_turn = 0.12f;
/// The largest FeatureLimits::turn_ahead, rad. Larger: contact points at vertices that never touch. Smaller: a bar that
/// lands on one of its edges rolls over the next edge instead of coming to lie on its side.
inline constexpr float feature_most_turn_ahead = 0.7f;
/// Sine of the angle between two edges up to which they count as parallel.
inline constexpr float feature_parallel = 0.02f;
/// Sine of the angle between two edges from which on the place is known at which they cross, to 1e-7 / this. Larger: two
/// edges that cross at less have contacts only where their common part ends, although they are nearer to each other in
/// between. Smaller: the place, and with it the normal, is rounding.
inline constexpr float feature_crossing = 1e-3f;
/// A segment does not pass through a face along which it goes, up to this angle (sine). Smaller: overlaps that are deep
/// along a face are lost by rounding, as of a box whose side is upright on another box. Larger: a thin wall that is hit
/// at a grazing angle does not count.
inline constexpr float feature_along_face = 1e-3f;
/// The same as feature_slack and feature_edge_slack where a surface touches the round part of a shape: each place of a
/// flat face has another normal there, and only one of them touches. Larger: a box on a ball of 20 m rocks on its
/// corners for ever. Smaller: a ball that rolls over an edge has no contact for a step, by rounding.
inline constexpr float round_slack = 2e-4f;
/// Slope up to which an edge counts as level beside a round shape: its nearest place is one of its ends then. Larger: a bar
/// on a large ball has no contact in its middle. Smaller: that place is rounding.
inline constexpr float round_level = 1e-4f;
/// How far an edge's end may be off a plane to count as level, in lengths of the edge.
inline constexpr float feature_level = 1e-4f;
/// Cosine between the normals of two contacts that are pushed apart in the same way.
inline constexpr float feature_same_way = 0.99f;
/// Cosine between the normals of two faces that are one for a vertex that is over both.
inline constexpr float feature_same_normal = 0.99999f;

/// If a pair overlaps by more than this * size and its test finds one or two points only, it also keeps the points of
/// its last test at which it still overlaps by as much. Larger: jammed bodies rock about changing points and keep
/// overlaps up to that (cylinders 100 mm without this). Smaller: resting contacts on edges keep points that they have
/// left.
inline constexpr float deep_contact = 0.01f;
/// Such an old point is kept only if it is farther from the new points than this * size: a nearer one is the same
/// point.
inline constexpr float deep_points_apart = 0.1f;
/// It is kept only if its two anchors have moved apart along the surfaces by less than this * the overlap.
inline constexpr float deep_points_drift = 0.5f;

/// Two shapes that are farther apart than `contact_margin` get a manifold of their faces only if their nearest points
/// are expected to close this share of the gap by the next test. Otherwise their contact is that one pair of points. In
/// the scene `tumble` that saves a sixth of the narrowphase. At 0.5, a shape that other bodies push to twice its speed
/// still gets its manifold in time.
inline constexpr float expected_contact = 0.5f;
/// They get one, too, if the gap is less than their displacements plus this share of what their rotations may add.
inline constexpr float expected_turning = 0.5f;

/// Two faces that overlap in depth by less than `sliver_depth`, and face each other along a strip narrower than this *
/// size, make no contact yet. Otherwise a box that slides over level tiles, and penetrates them a little, would be
/// stopped by the side of the next tile. Only if `CollideSettings::drop_slivers` is set, and only if the strip is
/// narrower than half of the thinner shape.
inline constexpr float sliver_contact = 0.01f;

/// Both faces must be aligned with the normal within the angle of this cosine (0.8 degrees): a tilted rim or edge that
/// touches a face in a line or point is a true contact.
inline constexpr float sliver_alignment = 0.9999f;

/// The greatest depth of such a contact, times size. It must exceed the penetration of resting bodies, so that by then
/// the overlap across the strip is the smaller one.
inline constexpr float sliver_depth = 0.002f;

// --- Triangles of surfaces (surface_contact.h) ----------------------------------------------------------------------

/// A normal whose cosine with the triangle's face normal is at least this (0.08 degrees) is along the face, and valid
/// whatever the neighbours are. A smaller difference is noise.
inline constexpr float surface_face = 1.0f - 1e-6f;

/// A neighbour rises over a contact's plane if its corner is above the plane by more than this * its distance. Then the
/// normal is not valid for the surface. Larger: contacts with the inner edges of level floors get through, tilted by up
/// to as much (rad). Smaller: rounding of normals (1e-4 near touching) rejects contacts with edges that stick out by as
/// little; the contacts of the face then replace them.
inline constexpr float surface_rise = 1e-3f;

/// A normal that points to the back of a one-sided triangle by no more than this (sine) is along the surface: an edge
/// that is hit from its side. Smaller: rounding decides whether a sheet's edge stops a box that slides into it.
inline constexpr float surface_edge_on = 1e-3f;

/// A neighbour that falls away by less than this (rad) counts as level for shapes that come in fast: if one comes in
/// just at the edge, either face may stop it. Larger: a shape that passes a ridge may be stopped by a face beside which
/// it is, by up to this much of the face's size.
inline constexpr float surface_level = 0.05f;

/// If a shape touched a triangle along a normal whose cosine with the face normal is at least this, the same side of
/// the triangle still pushes it out once its centre is behind. Smaller: a shape that rolls over a sharp ridge could be
/// caught by the side that it came from.
inline constexpr float surface_held = 0.7f;

/// Triangles of a mesh become one facet if they lie in one plane to this * the size of the shape (half the longest side
/// of its box). Larger: gentle slopes become facets, and shapes bump over the steps between them. Smaller: rounding in
/// the data of a flat floor prevents facets.
inline constexpr float facet_flatness = 1e-4f;
/// The same as a part of the coordinates, which are rounded.
inline constexpr float facet_rounding = 4e-7f;

/// Where two surfaces meet, a normal belongs to one of them only if the other does not rise there. A one-sided triangle
/// counts if its front faces along the normal, or away from it by no more than this (sine). Smaller: steep walls at a
/// seam do not count. Larger: walls count that the shape passes through from behind.
inline constexpr float seam_behind = 0.1f;

/// GJK goes on until it has proved this * size more gap than the margin, so that the pair can be skipped for a while.
inline constexpr float skip_reserve = 0.25f;

}  // namespace talus::tolerance
