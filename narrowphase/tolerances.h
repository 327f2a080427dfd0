#pragma once
/// Every tolerance of the narrowphase: its name, its unit, and what happens when it is changed.
///
/// GJK, EPA and ray casts do their simplex arithmetic in double on float data: a cross product or a determinant of
/// points that were floats is then good to about 1e-15 of its terms, and what other engines pay in epsilons (absolute
/// ones fail on small and on large shapes) shrinks to the few relative numbers below. On scalar code a double costs
/// what a float does.

namespace talus::tolerance {

// --- GJK, EPA, ray casts --------------------------------------------------------------------------------------------

/// GJK stops when |v| - u <= this * min(|v|, size of the smaller shape), u the proved lower bound (Jovanoski 2008,
/// section 2). Relative to |v| because the normal's error is about sqrt(2 gap / |v|): 1e-6 is at most 1.4 mrad, on
/// curved shapes only (polytopes end at their exact feature). Ten times smaller costs a pair of cylinders about 1.7
/// iterations.
inline constexpr double gjk_gap = 1e-6;

/// ... but never finer than this * |v|, about what the float that carries the answer can hold.
inline constexpr double gjk_gap_floor = 1e-7;

/// Cores nearer than this * (largest coordinate of the simplex) count as touching: GJK says `overlapping` and EPA names
/// the normal. Three decades above the rounding of double, so that a separated answer has a normal good to about 1e-3
/// rad even here.
inline constexpr double gjk_touching = 1e-12;

/// Where rounding ends GJK, the simplex's own direction is the normal if its support plane proves the distance to
/// within this share of it, else the best plane met is the answer.
inline constexpr double gjk_stuck = 1e-3;

/// GJK gives up (status iteration_cap) after so many support pairs. Polytopes need 4 to 10, curved shapes close to
/// contact up to 30; a lower cap loses those.
inline constexpr int gjk_max_iterations = 96;

/// A triangle whose smallest sine is below this is searched as its three edges, a tetrahedron whose volume is below
/// this times the product of its edges as its four faces. Larger: thin but good simplices lose their inside. Smaller:
/// normals of noise.
inline constexpr double simplex_flatness = 1e-10;

/// EPA stops when the support plane is within this * (size of the smaller shape) of the nearest face. Polytopes end at
/// an exact face anyhow; larger values would take a neighbouring face's normal for good enough.
inline constexpr double epa_gap = 1e-9;

/// The same where a rim takes part, which has no last face: there EPA ends this near to the depth, which then slides
/// down to the minimum. So this bounds what a rival elsewhere could be better by; ten times smaller triples the
/// iterations.
inline constexpr double epa_gap_curved = 5e-5;

/// When memory runs out over a rim with less than this * (size, or depth) left to prove, the minimum that the slide
/// found counts as the answer. Coaxial cylinders, as deep in one direction as in the next, end like this.
inline constexpr double epa_gap_spent = 5e-3;

/// The slide stands epa_slide_push * size off the surface and runs GJK to epa_slide_gap * that distance. Its normals
/// are good to about the root of twice that (5e-5 rad), its witness points to the depth times that. 1e-11 costs a
/// quarter more and gained nothing that the tests could see.
inline constexpr double epa_slide_push = 1e-1;
inline constexpr double epa_slide_gap = 1e-9;

/// The slide ends when a step moves its point by less than this * size along the surface (witness points are good to
/// this), when two steps gain less than epa_slide_progress * size, or after so many steps.
inline constexpr double epa_slide_offset = 2e-5;
inline constexpr double epa_slide_progress = 1e-7;
inline constexpr int epa_max_slides = 12;

/// First bracket of the line searches, and how finely they end (a ratio of sides, about rad).
inline constexpr double epa_slide_first_turn = 1e-3;

/// Faces whose normals differ by less than the root of twice this (rad: 4.5e-4) count as one facet.
inline constexpr double epa_same_facet = 1e-7;

/// Witness points of a polytope's depth that miss their support plane by more than this * (size of the smaller shape)
/// are found again by a slide: slivers of a needle-like difference, whose triangles do not hold the point below the
/// origin.
inline constexpr double epa_witness = 1e-6;

/// Where memory ran out over a rim, so many more starts are slid down from.
inline constexpr int epa_rivals = 4;

/// A Minkowski difference thinner than this * (its largest coordinate) has no inside: EPA answers depth 0 and its
/// plane's normal.
inline constexpr double epa_flatness = 1e-11;

/// A face counts as seen from a new vertex when that lies more than this * (largest coordinate) above it. Zero would
/// let rounding cut coplanar faces to slivers; much more would leave dents.
inline constexpr double epa_visible = 1e-13;

/// Hulls whose largest coordinate exceeds this * (size of the smaller shape) are scanned in double: the float scan
/// picks vertices that are short by up to about 2e-7 of that coordinate, which should stay under 1e-5 of the smaller
/// shape.
inline constexpr double float_scan_ratio = 32.0;

/// A ray or a moving shape that has come within this * (size of the smaller shape) of the surface has hit it. On curved
/// surfaces that makes normals good to its root; 1e-7 saves a tenth of the support pairs there.
inline constexpr double cast_surface = 1e-9;

/// ... or within this * (the way it goes and the distance it starts from), their rounding.
inline constexpr double cast_rounding = 1e-15;

/// A plane ends GJK's search and moves the cast up when it proves this much of the distance that the simplex still has.
/// Support pairs a cast: two boxes 8.2 at 0, 6.8 at 0.3 to 1; two cylinders 45 at 0.01, 53 at 0.1, 69 at 0.5.
inline constexpr double cast_share = 0.4;
inline constexpr double cast_share_curved = 0.01;

/// Planes a ray or a moving shape is clipped by before its place counts as grazing the surface (iteration_cap). Only
/// casts that touch a curved surface at a grazing angle need more than about ten; each clip then halves what is left.
inline constexpr int cast_max_clips = 128;

/// Cores farther apart than this * size at the end of a cast (because of radii or a target distance) name the normal
/// between them; nearer ones leave it to the last plane that clipped the way.
inline constexpr double cast_normal_distance = 1e-6;

/// Interval halving and Brent's methods end at this much of the motion, what a float holds of times near 1.
inline constexpr double swept_resolution = 0x1p-24;

/// ... or after so many values of the distance. Brent's worst cases need fewer than 100.
inline constexpr int swept_max_queries = 200;

/// Distance queries of a time of impact before it gives up (iteration_cap). Three or four are usual; only shapes that
/// spin by many turns a step within each other's reach need more than twenty.
inline constexpr int toi_max_queries = 64;

/// Rounds of looking at one axis between two distance queries, at most.
inline constexpr int toi_axis_looks = 6;

/// ... which end once no more than this much of the gap is left: then a new axis is worth its query.
inline constexpr double toi_axis_spent = 0.1;

/// A look goes this much farther than where the gap is expected to end, so that it ends up on the other side.
inline constexpr double toi_overshoot = 1.1;

/// An axis that turns with a feature and gets this far (of the way that the speed of the closest points promises) makes
/// the axis at rest needless.
inline constexpr double toi_good_step = 0.5;

/// A core that is nowhere farther from its axis of rotation than this * (its size) does not turn.
inline constexpr double toi_no_ring = 1e-9;

/// Vertices at which a climb may end more than this * (size of the hull) short of the farthest vertex get more
/// neighbours. Larger: planes that are called support planes and are none (2.6e-4 m off on a hull of 1.3 m). Smaller:
/// the corners of large flat faces, whose float coordinates are never quite flat, see each other for nothing.
inline constexpr double climb_loss = 1e-5;

// --- Contact manifolds ----------------------------------------------------------------------------------------------
// In fractions of the pair's size (the longest half side of the smaller shape) unless said otherwise.

/// A face whose normal is within 15 degrees (cosine) of the given one is asked for the manifold's normal. Larger: more
/// faces are asked in vain. Smaller: an axis carried over a fast frame is not corrected by the face that it came from.
inline constexpr float face_alignment = 0.9659f;

/// ... and gets it when it separates the shapes as well as the given normal, to within this * (size, or radius of the
/// rounder shape). It is the largest error in depth that the change may cause. Zero: rounding decides between a face
/// and an edge axis. Larger: capsules near the edge of a box feel the face's normal (now to 2.6 degrees).
inline constexpr float face_preference = 1e-3f;

/// Corners this far outside the other shape's face still count as inside, so that boxes stacked edge on edge keep their
/// corners from frame to frame. Contact points may stand this far (times 1.4 along diagonals) off a face's border.
inline constexpr float contact_boundary = 5e-4f;

/// Rounding of the pair's coordinates, a fraction of the largest of them: added to both of the above.
inline constexpr float coordinate_noise = 4e-7f;

/// Faces more than 60 degrees (cosine) off the normal make no manifold; edges or vertices do. Steeper ones would blow
/// up the rounding of heights by more than 1.7.
inline constexpr float steepest_face = 0.5f;

/// Faces of rounded triangles are taken up to 2.6 degrees (cosine), beyond that their edges: the face misses the round
/// corner by up to radius * (1 - this). Hulls whose face is farther off than this are asked for a level edge.
inline constexpr float rounded_face = 0.999f;

/// An edge or side line steeper than 45 degrees (sine) is represented by its nearer end alone.
inline constexpr float steepest_edge = 0.7072f;

/// The same for capsules and rounded edges (sine: 2.9 degrees): points between the ends lie up to 1.3e-3 radii below
/// the surface.
inline constexpr float steepest_round_edge = 0.05f;

/// An edge of a hull this level (sine: 2.9 degrees) decides which of the faces at the support vertex may be taken: one
/// of its own two.
inline constexpr float level_edge = 0.05f;

/// A cap tilted by less than this (sine) shows fixed rim points, else ones that start at its lowest point. Smaller:
/// points of a resting cylinder wander with the noise. Larger: a rocking one stands on a polygon, up to 3e-4 radius off
/// its lowest point.
inline constexpr float flat_rim = 1e-3f;

/// Lines that cross at less than 2.9 degrees (sine) are parallel and touch along a stretch, the others in a point.
inline constexpr float parallel_lines = 0.05f;

/// The stretch reaches as far as the lines are within this * (sum of the radii of curvature) of each other. Points are
/// then off the surfaces by at most 8e-4 radii.
inline constexpr float parallel_offset = 0.04f;

/// Of the candidates the deepest is kept, but a later one must be deeper by this to replace an earlier one.
inline constexpr float deeper = 1e-4f;

/// ... and farther out by this factor. Larger: steadier, and up to so much less spread.
inline constexpr float farther = 1.01f;

/// The witness pair joins the manifold when it is deeper than all points of the overlap by more than this.
inline constexpr float missed_depth = 1e-3f;

/// Squared length of the given normal may differ from 1 by this before it is normalised again.
inline constexpr float unit_length = 1e-5f;

// --- The coherence ladder -------------------------------------------------------------------------------------------
// The size of a pair is the radius of its smaller shape: the least of their bounding radii and half diagonals of their
// boxes. Its thinness is that, or the thickness of the thinner shape where that is less (`PairRecord::thin`).

/// A touching pair that moved less than this * thinness keeps its manifold, anchors fixed in the bodies. Larger: fewer
/// tests, and stacks stand better (fixed anchors do not wander); too large and sliding contacts lag behind their true
/// place. On a round surface the contact point wanders over the body, and an anchor that stays behind gives the normal
/// force a lever that drives the rolling on, from nothing up to this much a frame: so round contacts that are cheap to
/// test again (closed forms, and those on a flat face) are not reused at all, and the others, which only EPA can
/// answer, up to `reuse_motion_round`. Contacts of edges, whose normal turns with both bodies, are reused up to
/// `reuse_motion_edges`: at a fifth of that a settling pile of hulls asks EPA 1.7 times as often.
inline constexpr float reuse_motion = 0.02f;
inline constexpr float reuse_motion_edges = 0.005f;
inline constexpr float reuse_motion_round = 0.001f;

/// A cap whose axis is within 2.6 degrees (cosine) of the normal lies flat, else the contact is on the side or the rim.
inline constexpr float flat_cap = 0.999f;

/// A contact on a known face, no deeper than this * thinness, is taken from the face without asking GJK and EPA.
/// Larger: fewer EPA calls, and a normal that may be stale for deep pairs.
inline constexpr float axis_depth = 0.02f;

/// ... or than this * thinness in one or two points: an edge or a corner that has sunk in deeper may have a shorter way
/// out by another face. At a quarter of it the narrowphase of `mixed` costs 6% more.
inline constexpr float axis_depth_of_edges = 0.004f;

/// Points closer than this * size belong to the manifold before they touch. Larger: more points and fewer surprises;
/// too large and shapes feel each other around corners.
inline constexpr float contact_margin = 0.02f;

/// ... and, beyond that, nearer than the two may come along the direction between them before the next test, up to
/// this * size. Zero would let fast pairs overlap by a step's motion before they are noticed (a tumbling pile of hulls:
/// 14 cm at 0.1, 4 cm at 0.5); large values make fast shapes feel each other around corners. One of the two may be
/// stopped by a third: what falls on what falls as fast counts. Going by how they move against each other instead,
/// eight boxes that fall at 2 m/s with gaps of 3 cm land 15 cm inside each other, not 4 mm.
inline constexpr float contact_reach = 0.5f;

/// A pair that overlaps by more than this * size and is tested to one or two points keeps those of its last test, too,
/// at which it still overlaps by as much. Larger: jammed bodies rock about changing points and stay in each other by up
/// to so much (cylinders by 100 mm without this); smaller: resting contacts on edges are tested to points that they
/// have left.
inline constexpr float deep_contact = 0.01f;
/// ... if they are farther from the new points than this * size: nearer ones are the same points.
inline constexpr float deep_points_apart = 0.1f;
/// ... and the two places have drifted apart, along the surfaces, by less than this * the overlap.
inline constexpr float deep_points_drift = 0.5f;

/// Apart by more than `contact_margin`, two shapes get a manifold of their faces only if their nearest points are going
/// to close this share of the gap by the next test; others, held by that one pair of points, wait. In `tumble` that
/// saves a sixth of the narrowphase. At 0.5, one that others push on to twice its speed still finds its points there.
inline constexpr float expected_contact = 0.5f;
/// ... or unless the shapes close the gap by the way they go and this share of what their turning may add.
inline constexpr float expected_turning = 0.5f;

/// Two faces that have hardly met, and face each other along a strip narrower than this * size, are no contact yet: a
/// box that slides over level tiles, sunk in by a little, would else be stopped by the side of the next tile. Only
/// where `CollideSettings::drop_slivers` asks for it, and not where the strip is half of a thin shape's whole width or
/// more.
inline constexpr float sliver_contact = 0.01f;

/// ... if both faces look along the normal within the angle of this cosine (0.8 degrees): a tilted rim or edge that
/// touches a face in a line or point is an honest contact.
inline constexpr float sliver_alignment = 0.9999f;

/// "Hardly met" is an overlap below this * size. It must exceed what things sink in at rest, so that by then the
/// overlap across the strip is the smaller one.
inline constexpr float sliver_depth = 0.002f;

// --- Triangles of surfaces (surface_contact.h)
// ------------------------------------------------------------------------

/// A normal whose cosine with that of the triangle's face is at least this (0.08 degrees) is along the face, and good
/// whatever the neighbours do. What tells them apart is noise below.
inline constexpr float surface_face = 1.0f - 1e-6f;

/// A neighbour whose corner is above a contact's plane by more than this * its distance rises over it: the normal is
/// not the surface's. Larger: contacts with the inner edges of level floors get through, tilted by up to as much (rad).
/// Smaller: rounding of normals (1e-4 near touching) takes contacts from edges that stick out by as little; the face's
/// stand in for them.
inline constexpr float surface_rise = 1e-3f;

/// A neighbour that falls away by less than this (rad) is as good as level to what comes in fast: where it comes in
/// just at the edge, either face holds it. Larger: what passes a ridge may be held by up to this much of a face's own
/// size beside it.
inline constexpr float surface_level = 0.05f;

/// What touched a triangle along a normal whose cosine with the face's is at least this is still held off by that side
/// of it once its middle is behind. Smaller: what rolls over a sharp ridge could be caught by the side that it came
/// from.
inline constexpr float surface_held = 0.7f;

/// GJK goes on until it has proved this * size more gap than the margin, so that the pair can be skipped for a while.
inline constexpr float skip_reserve = 0.25f;

}  // namespace talus::tolerance
