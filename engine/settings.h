#pragma once
/// Every tolerance of the engine: its meaning, its unit, and the effect of a larger and of a smaller value. The
/// tolerances of the narrowphase are in narrowphase/tolerances.h. Where a comment gives the result of other values,
/// "here" means with the present value.

#include <cstddef>
#include <cstdint>

namespace talus::settings {

/// Penetration that the solver does not remove, m. Larger: more visible overlap. Smaller: contacts of resting bodies
/// flicker, that is, end and begin again.
inline constexpr float linear_slop = 0.0005f;
/// Upper limit of the slop as a fraction of the smaller shape's bounding radius. It applies to objects of a few
/// centimetres and less. Larger: small objects overlap visibly. Smaller: their contacts flicker.
inline constexpr float relative_slop = 0.002f;
/// Upper limit of the slop as a fraction of the thinner shape's thickness. Larger: sheets of a millimetre sink into
/// each other. Smaller: their contacts flicker.
inline constexpr float thin_slop = 0.02f;

/// Range of a step, s. A shorter or longer one is refused. Smaller lower limit: the squares of rates per sub-step leave
/// the range of floats, and below 1e-44 s the length of a sub-step rounds to 0. Larger upper limit:
/// more sub-steps in one step than the 240 that a step of 1 s has by default.
inline constexpr float shortest_step = 1e-9f, longest_step = 1.0f;
/// Longest step that has the number of sub-steps in WorldDef, s. A longer step has proportionally more: in one sub-step
/// of 1/16 s, resting bodies would fall by 4 cm. Larger: less work in long steps, and less stability: at constant steps
/// of 1/30 s with sub-steps twice as long, all houses of cards fall.
inline constexpr float longest_plain_step = 1.0f / 60.0f;
/// Decay rate of the usual length of sub-steps, 1/s. If steps differ in length, sub-steps are as long as the longest
/// recent one; the remembered length decays at this rate. The length must not jump, because it determines the stiffness
/// of contacts: resting bodies would sink and be thrown up again (a tower of 30 reached 4e6 J when steps of 1/30 and
/// 1/120 s alternated). Larger: contacts stiffen sooner after a switch to shorter steps; at 10 and more, such a tower
/// trembles again.
inline constexpr float forget_substep = 0.5f;
/// Largest factor by which a longer sub-step scales up the impulses of the last one for warm starting. Larger: after a
/// very short step, loads that are no longer right are pushed harder. Smaller: resting bodies sink after a switch to
/// longer steps.
inline constexpr float most_load_growth = 4.0f;
/// Largest separation, at the start of a step, at which a contact point is warm started, m. If the separation is
/// larger, the last impulse was a blow that has separated the bodies. Smaller: a body that hovers above its support
/// loses its load in each step. Infinity: the impulse is applied with the present lever arms and taken back with later
/// ones, and a body that touches nothing gains 1% of its speed.
inline constexpr float most_carried_gap = 4.0f * linear_slop;
/// How far a step may exceed a whole number of sub-steps without getting one more, in sub-steps. Larger: sub-steps may
/// be longer than usual by a larger part. Smaller: small differences between steps add sub-steps.
inline constexpr float substep_slack = 0.25f;

/// Speed of a body's surface by its rotation below which the levers of its contacts stay as they are in a step, m/s
/// (lever_motion.h). Larger: slow rocking gains energy up to that speed. Smaller: more work in heaps that are nearly at
/// rest.
inline constexpr float lever_speed = 0.01f;
/// Rotation of a body, from the start of a step to the mean time of its sub-steps' starts, from which on the levers of its
/// contacts stay as they are, rad. Larger: levers of bodies that spin fast are moved far. Smaller: bodies that roll faster
/// gain energy.
inline constexpr float lever_turn = 0.2f;
/// Rotation of a contact's normal in that time from which on its levers and its normal stay as they are, rad. Larger:
/// balls that fly over the edges of rough ground get into it. Smaller: small round bodies that roll on each other gain
/// energy.
inline constexpr float lever_tilt = 0.1f;
/// How much farther apart than the deepest point of a solid's contact a point must be to count as one that touches next,
/// in slops. Larger: wheels of fine facets roll on one corner. Smaller: solids at rest get other points by turns.
inline constexpr float next_point_gap = 0.2f;
/// How far the points of a contact may be off a line to count as on one, in lengths of that. Larger: the narrow face of a
/// plank counts as an edge. Smaller: a cylinder on several triangles counts as a face.
inline constexpr float lever_line = 1e-3f;
/// How far a contact point may be off a solid's surface to be found on it, in edges of its mean face. Smaller: points are
/// lost to rounding.
inline constexpr float lever_place = 1e-3f;
/// Upper limit of the frequency of contact springs (WorldDef::contact_rate), Hz. At 30 Hz a jittered tower of 20 sags by
/// 11 cm and buckles; at 60 Hz, the default of a step of 1/60 s, it sags by 3.5 cm and stands. More sub-steps make stiffer
/// contacts: at 1 ms and 4 sub-steps, a plate that rolls on 25 balls is 10 times nearer to the closed form than at 60 Hz.
/// The limit applies to very short sub-steps. Larger: very short sub-steps make stiffer
/// contacts.
inline constexpr float max_contact_hertz = 1000.0f;
/// Factor on the stiffness of contacts of jointed bodies. Such a contact is often between the ground and a light limb
/// that carries all other bodies. At 1, joints of ragdolls that fall on each other open by up to 12 cm (20 starts), and
/// a light foot that lands hard leaves its leg by 5 cm. At 2 it is 6 and 1.4 cm, at 6 it is 6 and 12 cm.
inline constexpr float jointed_contact_stiffening = 2.0f;
/// Fraction of its overlap that a contact of a stiff group (stiff_groups.h) removes per sub-step. Larger: overlap
/// disappears sooner, and bodies leave it faster. Smaller: it lasts longer.
inline constexpr float stiff_push = 0.25f;
/// Fraction of the slop that such a contact does not remove. Larger: the overlaps of a tower's levels add up to more.
/// Smaller: contacts flicker.
inline constexpr float stiff_slop = 0.5f;
/// Load at which an island becomes a stiff group: some contact carries this many times the mass of the lighter of its
/// two bodies. Smaller: more islands are solved directly, at several times the cost. Larger: towers give way further.
inline constexpr float stiff_load = 5.0f;
/// Maximum number of bodies per level of support for which `stiff_load` holds. Wider islands need `stiff_load_wide`,
/// because their loads have many paths and their direct solves cost more. Larger: more heaps and walls are solved
/// directly.
inline constexpr float stiff_width = 3.0f;
/// The load, as above, at which a wider island becomes a stiff group. Smaller: more heaps are solved directly.
inline constexpr float stiff_load_wide = 40.0f;
/// Steps between two searches for large loads in an island of bodies that were awake before and no stiff group: if its
/// masses alone do not make it one, or if it is larger than `stiff_large` and its last search found nothing. Larger:
/// towers give way for longer before they are solved directly. Smaller: heaps that are no groups cost more.
inline constexpr std::uint32_t stiff_look_every = 4;
/// Number of bodies above which an island is searched less often, and the number of steps between its searches, a
/// multiple of `stiff_look_every`. A pyramid of 820 boxes costs 2.7% more if the latter is 4. Larger number of steps:
/// large towers give way for longer.
inline constexpr std::uint32_t stiff_large = 400, stiff_look_every_large = 32;
/// Maximum number of bodies of an island in which blows are solved directly (is_crushed, group_search.cpp). Larger:
/// falling heaps cost more. At 0, a box that falls by 1 m onto a plate of 5 cm and a tenth of its mass penetrates 89%
/// of the plate (0.7% at 24).
inline constexpr std::uint32_t stiff_struck_bodies = 24;
/// Largest relative speed of touching bodies in an island whose levels of support count, m/s. Larger: tumbling bodies
/// are treated as towers, and cost as much. Smaller: a tower that was hit is left to the iterations.
inline constexpr float stiff_calm = 1.0f;
/// Maximum number of products of two 6 x 6 blocks in the factorisation of a stiff group. A chain of 1,000 bodies takes
/// 1,000 products, a wall of 20 courses and 490 bricks 22,000. An island that needs more is left to the iterations.
/// Larger: denser groups are solved directly, such as a pyramid of 650 boxes under 1,000 times the mass of one, and
/// each of their steps costs more.
inline constexpr std::uint64_t stiff_most_products = 150'000;
/// Maximum number of contacts of a stiff group. Each takes a kilobyte. Larger: more memory.
inline constexpr std::uint32_t stiff_most_contacts = 20'000;
/// Maximum work of a group in one step, in products of blocks (about 40 ns each). A group that needs more gives no
/// impulses in the remaining passes of the step, and is refused for `stiff_refused_for` steps. Larger: the worst step
/// takes longer (heaps of 500 bodies of 5 to 30 cm: 170 ms). Smaller: two jittered towers of 50 side by side fall; they
/// use up to 1.2 million in a step whose active rows are not found.
inline constexpr std::uint64_t stiff_most_work = 4'000'000;
/// Least principal moment of inertia, as a fraction of the body's largest one, with which a body can be in a stiff
/// group. An island with a thinner body (a rod of 100 m and a radius of 0.4 mm) is treated like one that is too much
/// work. Smaller: the group's matrix, in double, has no digit left of the least moment, and impulses grow from 1e13 to
/// 1e34 N s in a step.
inline constexpr float stiff_least_moment = 1e-10f;
/// Number of steps for which an island that was too much work is not searched again, unless it gets smaller by a tenth.
/// Larger: an island that has lost some contacts is left to the iterations for longer. Smaller: the search costs more.
inline constexpr std::uint32_t stiff_refused_for = 60;
/// Weight of a contact row, as a multiple of the mass that its contact carries. Larger: impulses converge in fewer
/// sub-steps, but the set of active rows is harder to find (two towers of 50 side by side: at 100 not always). Smaller:
/// impulses that have not converged let bodies creep (after a minute the top of a tower of 100 is off by 14 mm at 30,
/// by 0.2 mm here).
inline constexpr float stiff_weight = 60.0f;
/// Weight of a rigid joint row, as a multiple of the mass of all bodies of its group. Smaller: contacts are solved as
/// if joints gave way. Larger: more rounding error, which grows with this weight and the mass ratio.
inline constexpr float stiff_joint_weight = 1e4f;
/// Speed by which a row must violate its bound before it changes between active and inactive, m/s. Larger: rows stay in
/// a wrong state. Smaller: rounding makes rows change back and forth.
inline constexpr double stiff_tolerance = 2e-6;
/// Accuracy of the search for the active rows, m/s: it ends when a round changes no body by more than its kinetic
/// energy at this speed. Larger: impulses are less exact. Smaller: more rounds.
inline constexpr double stiff_speed = 3e-5;
/// Maximum number of rounds of that search. Fewer: it ends more often without a result. More: the worst step costs
/// more.
inline constexpr int stiff_rounds = 20;
/// Maximum number of repetitions of that search with constant friction limits, which are updated in between. Fewer:
/// friction may not fit the normal impulses. More: the worst step costs more.
inline constexpr int stiff_limit_rounds = 4;
/// Relative change of impulses (as in a blow) above which the relax pass makes additional proximal steps. Without them
/// a row of elastic balls gains 2e-4 of its energy. Smaller: more passes make them.
inline constexpr double stiff_blow = 0.1;
/// Maximum number of these additional steps. Fewer: blows gain energy. More: blows cost more.
inline constexpr int stiff_blow_rounds = 3;
/// Maximum number of solves per pass until all joint rows of the group are within their bounds. If some are not, the
/// group's result is dropped. Smaller: more groups are left to the iterations. Larger: the worst step costs more.
inline constexpr int stiff_bound_rounds = 4;
/// Largest part of a group's energy that its impulses may leave unexplained; beyond it the group's result is dropped.
/// Larger: momentum appears from nowhere (17 N s on a body of 14 kg at 1). Smaller: more blows are left to the
/// iterations.
inline constexpr double stiff_unexplained = 0.01;
/// Sway (slender_islands.h) above which the contacts of an island get stiffer. Pyramids with a base of 40, 60 and 100
/// have a sway of 2.9, 10 and 46; a wall of 60 courses has 20. Larger: high walls lean out of their plane (without
/// stiffening, the pyramid of 60 falls after 2,460 steps, that of 80 after 1,380). Smaller: islands that
/// tilt_stiffening keeps upright cost more.
inline constexpr float slender_sway = 3.3f;
/// Sway to which the stiffer contacts bring such an island. Larger: high walls lean out of their plane (after 2,000
/// steps the wall of 60 is 0.4 m out of its plane at 3.3, less than 1 mm at 1.65). Smaller: more sub-steps.
inline constexpr float slender_kept_sway = 1.65f;
/// Largest factor by which these contacts get stiffer. Larger: still higher walls stand, but steps take longer (the
/// present value allows 12 times as many sub-steps).
inline constexpr float slender_most = 64.0f;
/// Stiffness of such contacts: the frequency of their springs over the rate of the sub-steps that are made for them.
/// Larger: fewer sub-steps, but iterations that have not converged feed energy into resting bodies, and single boxes of
/// a pyramid move (with a base of 100 at 0.25, the rate of usual contacts, some tremble at 0.2 m/s). Smaller: more
/// sub-steps.
inline constexpr float slender_rate = 1.0f / 6.0f;
/// Fraction of the slop that such contacts do not remove. It adds up over the courses. Larger: the pyramid of 100 sags
/// by 6 cm at 1, by 4 at 0.5, by 2.6 here, and its flanks lean in by twice as much.
inline constexpr float slender_slop = 0.25f;
/// Minimum number of bodies of an island for this stiffening. Smaller: small islands cost more.
inline constexpr std::uint32_t slender_least_bodies = 20;
/// Smallest lever of a level against tilting that counts, as a fraction of the mean radius of its bodies. Larger: walls
/// of thin plates are ignored. Smaller: stacks of balls in a tube cost as much as walls.
inline constexpr float slender_least_lever = 0.05f;
/// Number of steps after which the sway of an island is computed again. If more than half of an island has just been
/// added, it is computed at once. Larger: walls that grow or are built slowly lean for longer. Smaller: heaps cost more
/// (a pyramid of 820 boxes 1.4% at 16).
inline constexpr std::uint32_t slender_look_every = 64;
/// Rates at which these contacts get stiffer and softer again, as fractions of their stiffness per second. Larger:
/// overlap throws up the bodies that lie on it. Smaller: an island that has become slender leans meanwhile.
inline constexpr float slender_harden = 3.0f;
inline constexpr float slender_soften = 0.5f;
/// Damping ratio of a soft contact's spring. Larger: at 10 the row is nearly rigid, and warm-started iterations that
/// have not converged feed energy into large pyramids. A pyramid of 820 boxes sways for ever at 2 and above, and comes
/// to rest in 20 s at 1, in 10 s at 0.7.
inline constexpr float contact_damping_ratio = 0.7f;
/// Distance, as a fraction of the smaller compound's radius, that two compounds may move before the boxes of their
/// shapes are compared again. At 0 they are compared in each step, which takes 5 of 9 ms for 50 nested bowls of 17
/// hulls. Larger: the distance of more shape pairs that are not near is computed.
inline constexpr float compound_slack = 0.02f;
/// Number of steps without such a comparison after which shapes whose boxes alone are near have no contact until the
/// next comparison. Fewer: slow bodies compute the distances of such shapes again too often. More: distances of shapes
/// that are not near are computed for longer.
inline constexpr std::uint32_t compound_calm_steps = 8;

/// Number of contacts between two bodies, one of them a compound, above which their contacts share stiffness: all of
/// them together are then as stiff as this many. Larger: nested bodies take longer to come to rest (of 15 nested bowls
/// of 25 hulls, none rests after 30 s at 8, all after 10 s at 4, most after 3 s at 2).
inline constexpr std::uint32_t full_stiffness_contacts = 2;
/// Number of contact points that push a body along one direction, above which its contacts get softer: all of them
/// together are then as stiff as this many (crowded_contacts.h). Boxes in a column have 8, bricks in a wall 16, boxes
/// in a block with bond in both directions 32. Larger: such blocks shake for ever (at 20 those of 4 x 4 x 20 and 7 x 7
/// x 7 boxes, at 24 most of them). Smaller: high walls and pyramids get softer, and lean.
inline constexpr float crowded_points = 16.0f;
/// Minimum number of points of a contact that counts for `crowded_points`: only contacts of faces on faces do. Smaller:
/// houses of cards tremble.
inline constexpr std::uint32_t crowded_face = 3;
/// Number of contacts that a body must exceed to be crowded. Smaller: bricks get soft in walls whose densities differ,
/// and the points of each body that lies on three others are counted.
inline constexpr std::uint32_t crowded_contacts = 4;
/// Factor on the stiffness of contacts with fixed and kinematic bodies, so that contacts with the ground dominate the
/// result. Smaller: bodies sink into the ground under high stacks.
inline constexpr float fixed_contact_stiffening = 2.0f;
/// Largest additional stiffness against tilting of a contact of four points that are all pressed, as a multiple of its
/// stiffness. Without it, walls one box thick bend out of their plane and fall: a wall of 100 rows after 700 steps at 4
/// sub-steps, one of 40 never. Larger: at 3, pyramids tremble and houses of cards fall; the same happens if light
/// contacts get it.
inline constexpr float tilt_stiffening = 2.0f;
/// Loads at which that additional stiffness begins and at which it is complete; it is linear between them. The load is
/// measured by the mean overlap over the lever of the points. Larger: with 0.003 and 0.006, the wall of 100 rows leans
/// by 2 to 4 m in 1,000 steps, here by 0.7 to 0.8.
inline constexpr float tilt_first_load = 0.002f;
inline constexpr float tilt_full_load = 0.004f;
/// Fraction of its limit above which friction between two movable bodies is warm started with less than its impulse.
/// Iterations that have not converged, as while bodies are set down on each other, make friction swing from sub-step to
/// sub-step. Above this fraction, the next warm start gets the impulse of the last warm start plus `friction_follows`
/// times the change that the sub-step has made. Resting bodies still reach the whole impulse. At 1 and 1, 5 of 124
/// jittered houses of cards slide apart within 1.5 s, here none. Contacts of faces on faces (those with a tilt_rate)
/// are exempt: pyramids with a base of 100 would lean by up to 1.3 m in 1,000 steps instead of 0.8. Contacts with fixed
/// bodies are exempt too: a cone that is set down askew would topple.
inline constexpr float friction_near_limit = 0.5f;
inline constexpr float friction_follows = 0.5f;
/// Depth above which a contact gets stiffer, m: its compliance falls with the 16th power of the depth. Without this, a
/// soft contact carries at most the effective mass of the two bodies times 1,100 m/s^2, because the speed at which it
/// pushes is limited. The contact chains that carry a heap go through light bodies too, and these were pressed into
/// their neighbours, each pushing as hard as it could (after a fall of 2,000 mixed bodies from 30 m, some pairs
/// overlapped by up to 204 mm). Larger: heaps keep deeper overlaps. Smaller: houses of cards fall while they are set
/// down (at 3 mm).
inline constexpr float stiffer_depth = 7.0f * linear_slop;
/// The same depth for a contact of four points that are all pressed, m. Contacts of faces on faces carry stacks, which
/// need a stiffness that is the same for each point and from course to course. Smaller: at 5 mm a pyramid with a base
/// of 100, whose lowest course overlaps by as much, leans by 1.8 m instead of 0.7 in 1,000 steps.
inline constexpr float stiffer_face_depth = 40.0f * linear_slop;
/// Upper limit of that depth, as a fraction of the thinner shape's thickness (narrowphase/shape.h; for a flat box,
/// three times its least width). Larger: sheets that are dropped on each other sink in. A pack of 20 panels of 2.4 x
/// 1.2 m x 18 mm, dropped with gaps of 10 cm, is 356 mm high here and 308 mm without this limit; the panels alone are
/// 360 mm.
inline constexpr float stiffer_face_share = 0.04f;
/// Fastest speed at which overlap is pushed out, m/s. Larger: deep overlaps are removed sooner but explosively: the
/// fastest of 50 boxes that start in one place leaves at 22 m/s with 3, at 13 m/s with 1.
inline constexpr float max_push_speed = 1.0f;

/// Largest mass of a body, kg. A heavier body is refused. Larger: the solver's products exceed the range of floats.
inline constexpr float largest_mass = 1e15f;
/// Largest limit of the speed of a world's bodies, m/s, largest component of its gravity, m/s^2, and largest factor by
/// which a body changes it. More is refused. Larger: the squares of speeds exceed the range of floats.
inline constexpr float largest_max_speed = 1e15f, largest_gravity = 1e15f, largest_gravity_scale = 1e6f;
/// Of a position in the world along each axis, m: floats can hold differences, and their squares.
inline constexpr double largest_position = 1e18;
/// Largest speed of a surface (a belt), m/s. A faster surface runs at this speed. Larger: as above.
inline constexpr float largest_surface_speed = 1e6f;
/// Largest coefficient of friction. A larger one counts as this one; bodies stick at it anyway. Larger: as above.
inline constexpr float largest_friction = 1e6f;

/// Smallest response of a body with locked axes to a push at a point, as a fraction of what its mass alone would give
/// without locks. A contact does not push where both of its bodies respond less than this. Examples at the limit: a
/// rotation about an axis that the push passes at a hundredth of the body's radius of gyration; a displacement that is
/// 0.6 degrees from perpendicular to the push. The impulse that stops an approach is the inverse of the response and
/// has no upper limit: at 1e-10 a ball that could only rotate got 1e16 N s from a push along its radius, because its
/// response was rounding. Locks and limits of joints ignore such responses as well: with anchors 5 cm apart across the
/// plane of their bodies, one of three small trees of such joints pulled with more than 1e9 N. Larger: doors and lifts
/// give way to fewer pushes.
inline constexpr float locked_response = 1e-4f;
/// The same for impacts that continuous collision finds, whose normals do not keep to the plane of a body that is locked
/// to one. At the limit a displacement is 6 degrees from perpendicular to the push: along such a surface the body moves
/// on, and is left to its contacts. Smaller: a plate that turns inside a locked box of 6.5 t pushed it nearly along its
/// locked axis by 1e8 N s, whose small parts that are not along it threw the box at 8 m/s. Larger: locked bodies get
/// into steep surfaces.
inline constexpr float locked_impact_response = 1e-2f;
/// Smallest length of a contact normal's part inside the plane or line to which its bodies are locked. A normal with a
/// shorter part is replaced (planar_contacts.h). Larger: contacts of shapes that slope across the plane are replaced
/// without need. Smaller: the solver has to push bodies apart by many times their overlap.
inline constexpr float plane_normal = 0.5f;
/// Overlap across the plane above which such a normal is replaced, as a fraction of the thinner shape's thickness.
/// Larger: bodies that are slightly offset across the plane can stay inside each other. Smaller: layers that are meant
/// to touch collide.
inline constexpr float plane_layers = 0.1f;
/// Overlap across the plane to which the shapes are stretched, as a multiple of the smaller one's size. Larger: EPA has
/// longer shapes to search. Smaller: a direction that leaves the plane can still be the shortest way out.
inline constexpr float plane_stretch = 4.0f;

/// Growth of a load per sub-step, beyond doubling, above which it counts as a blow: an acceleration of the contact's
/// effective mass, m/s^2 (solver_kernel_contacts.h, note_blows). Gravity gives 10 to a body that is set down. Larger:
/// more of a slow impact is treated as a load and pushes again. Smaller: a load that grows is found more slowly.
inline constexpr float blow_rate = 15.0f;
/// The same growth at one point above which its contact is struck, m/s^2. The points of a struck contact are solved
/// together, and the contact is tested again beforehand if it has moved (stale_slide). Smaller: of 160 jittered houses
/// of cards, 25 lose a card while they are set down at 15, and 7 here. Larger: impacts add energy and angular velocity.
inline constexpr float strike_rate = 45.0f;
/// Maximum number of iterations over the points of a struck manifold. Fewer: boxes that land flat leave with an angular
/// velocity. More: impacts cost more.
inline constexpr int strike_sweeps = 16;
/// Change of speed that ends these iterations, m/s. Larger and smaller act as fewer and more iterations.
inline constexpr float strike_accuracy = 0.005f;

/// Maximum number of additional iterations over the normals and friction of a contact after its relaxation. Fewer:
/// bodies that have just landed gain energy (solver_kernel_contacts.h, settle); of 400 random plain worlds, 22 gain 1%
/// in a step at 2 iterations, 18 here. More: landings cost more.
inline constexpr int settle_sweeps = 4;
/// Speed at which a pushing point must separate for these iterations, m/s. Larger acts as fewer iterations.
inline constexpr float settle_lift = 0.02f;

/// Fraction of an island's kinetic energy that its contacts may add in a sub-step, in addition to that of
/// `energy_speed`. If they add more, their impulses are scaled down (energy_bound.h). Larger: more energy appears
/// where iterations have not converged (of 400 random plain worlds, 24 gain 1% in a step at 0.01, 18 here). At 0,
/// rounding counts as a gain.
inline constexpr float energy_gain = 0.001f;
/// Energy that contacts may add in addition: the kinetic energy of all bodies of the island at this speed, m/s. Larger
/// and smaller act like those of `energy_gain`.
inline constexpr float energy_speed = 0.005f;
/// Maximum number of bodies of an island with this bound. Larger: pyramids fall. Smaller: heaps of a few bodies may
/// gain energy.
inline constexpr std::uint32_t energy_most_bodies = 32;
/// Fraction of its kinetic energy that a larger island may gain in a sub-step, in addition to that of
/// `energy_large_speed`. If it gains more, it is bounded too. Larger: crowds that are thrown about may gain energy.
/// Smaller: large heaps that come to rest lose support.
inline constexpr double energy_large_gain = 0.01;
/// Energy that a larger island may gain in addition: the kinetic energy of all its bodies at this speed, m/s. Larger
/// and smaller act like those of `energy_large_gain`.
inline constexpr double energy_large_speed = 0.1;

/// Limit of the carried impulse of a contact in an island that kinematic bodies push: the momentum of all its bodies at
/// this fraction of the greatest speed, plus the part that `driven_weight` gives (driven_loads.cpp). Larger: crushed
/// bodies leave faster (of 200 groups of 8 that were crushed at 3 m/s, 14 had a body faster than 10 m/s at 0.5, 43 at
/// 2, 107 at 10, 163 without a limit). Smaller: presses carry less, and so do wedges and levers on lifts.
inline constexpr float driven_load = 0.5f;
/// The other part of that limit: this many times the impulse of the bodies' weight in a sub-step. Larger and smaller
/// act like those of `driven_load`.
inline constexpr float driven_weight = 10.0f;

/// Largest change of a jointed body's velocity per sub-step that counts as a rotation of the velocity and not as a
/// blow: `energy_pulled` times the change that its forces alone make, and `energy_turned` times its speed (find_gains,
/// solver_kernel_motion.h). Larger: blows on limits can add energy. Smaller: short pendulums lose energy.
inline constexpr float energy_pulled = 4.0f;
inline constexpr float energy_turned = 0.15f;

/// Energy that an island may gain from a kinematic body that drives it: the kinetic energy of its bodies at this many
/// times the kinematic body's speed. Larger: crushed jointed bodies can leave faster. Smaller: long levers move slower
/// than they are driven.
inline constexpr double energy_driven_speed = 10.0;

/// Change of a floating island's angular momentum per sub-step above which it is corrected, as a fraction of its
/// bodies' momenta (island_momentum.h). Larger: such islands lose as much. Smaller: rounding counts as a change.
inline constexpr double momentum_share = 1e-5;

/// Smallest approach speed that bounces, m/s. In short sub-steps it is less: `restitution_rate`, m/s^2, times the
/// sub-step, because gravity adds less speed to resting bodies per sub-step. Smaller: small bounces go on longer. With
/// 0.5 m/s in sub-steps of 0.25 ms as well, 216 elastic balls lose 70 J of 80,000 in four seconds instead of 0.4.
inline constexpr float restitution_threshold = 0.5f;
inline constexpr float restitution_rate = 120.0f;
/// Smallest fraction of that speed at which a contact without a load passes a blow on, at a restitution of 1. The
/// fraction rises linearly with falling restitution, to the whole speed at 0.5 and below. Larger: slower blows are
/// shared out by each contact of a row as if there were no restitution (at 1 the last of 10 balls leaves with 86 to 99%
/// of the incoming speed, at 0.01 and less with all of it).
inline constexpr float knock_share = 0.001f;
/// Load below which a contact counts as unloaded: the impulse that stops this fraction of that speed. Larger: small
/// blows shake off bodies that rest in a heap of elastic ones.
inline constexpr float knock_load = 0.02f;
/// Number of passes over contacts that bounce. Fewer: those 216 balls lose 100 to 200 J with one pass, up to 130 with
/// two, 1 to 4 with four. Newton's cradle is right from two passes on.
inline constexpr int restitution_passes = 8;

/// Momentary speed that a body may have while it stays in place, as a multiple of WorldDef::sleep_speed. Smaller:
/// trembling bodies stay awake.
inline constexpr float tremble = 3.0f;

/// Brake for bodies that would move in place for ever. Rigid contacts do not stop a ball that rolls back and forth in a
/// hollow of a pile, or a cylinder that wobbles on its rim, and one such body keeps the whole pile awake. The brake
/// slows the rotation like dry rolling resistance, by `settle_deceleration` at the body's surface (m/s^2). (A viscous
/// brake would let a body that tips over creep for ever.) It acts on a touching body that may sleep and that has moved
/// for `time_to_settle` (s) slower than `settle_speed` at its centre and `settle_spin` at its surface (m/s), within
/// `settle_room` times its thickness, and its radius, of one place. It also brakes the rotation and the displacement of
/// a limb that swings in a frictionless joint, if the body that carries the limb lies on something and is tied to
/// nothing: a clock on a wall goes on. (A ragdoll's head swung for more than 20 s 7 of 80 times.) A ball that rolls
/// away is not braked, nor is a body that may not sleep. Larger speeds, room or deceleration, or a shorter time:
/// motions stop that should be seen. Smaller: piles stay awake longer.
inline constexpr float settle_speed = 0.5f;
inline constexpr float settle_spin = 1.0f;
inline constexpr float time_to_settle = 2.0f;
inline constexpr float settle_room = 3.0f;
inline constexpr float settle_deceleration = 0.2f;

/// Cosine of the largest angle between normals of contacts that are solved as one, 1 degree: the contacts of a shape
/// with triangles of a mesh. Larger angle: fewer contacts on round surfaces, along normals that are off by as much.
/// Smaller: more contacts on them.
inline constexpr float merged_normal = 0.99985f;
/// Smallest distance between points of such a contact, as a fraction of the shape pair's size. Larger: small shapes get
/// fewer points. Smaller: points that add nothing.
inline constexpr float merged_point_distance = 0.01f;
/// Motion per step, as a multiple of the slop, up to which a merged contact chooses its points from those that touch.
/// In a faster motion it chooses from all points that may touch within the step. Larger: fast thin bodies get through.
/// Smaller: bodies that rock on bumpy ground come to rest later.
inline constexpr float slow_approach = 10.0f;
/// Conditions on which such a contact keeps the points of the last step. The deepest point may be deeper than they are
/// by at most `kept_point_depth` times the slop, and they must span at least the fraction `kept_point_span` of what the
/// best points span. Smaller depth, larger fraction: points change more often, and bodies on a slope creep (at 0 and 1
/// by up to 3 mm per minute). Of 120 boxes on bumpy ground, 4 move by up to 1.6 mm per minute here, and about 6 by up
/// to 110 mm with a fraction of 0.9.
inline constexpr float kept_point_depth = 0.5f;
inline constexpr float kept_point_span = 0.5f;
/// Factor on the distance score of points that carried a load, where points are chosen again. Larger: loaded points are
/// kept although others span more. Smaller: points change more often.
inline constexpr float kept_point_weight = 2.0f;

/// Cosine of the largest angle (18 degrees) between the normals of a contact that ends and a contact that begins, both
/// of one shape with triangles of one mesh, at which the new contact takes over the impulse of the old one. Larger
/// angle: impulses push in wrong directions. Smaller: a load is lost where a body moves from triangle to triangle.
inline constexpr float passed_on_normal = 0.95f;

/// Margin of the box within which a shape has contacts with a mesh's triangles, in sizes (half the longest side of its
/// box). The box contains the shape and its motion in the step. Larger: the mesh is queried less often, and more
/// triangles are kept that no shape comes near.
inline constexpr float mesh_contact_margin = 0.15f;

/// How far solids that are not convex may move until their features are searched again: for so many steps at their
/// present velocity, but no farther than solid_most_reach * the smaller one's size, and by solid_reach * that size.
/// Larger: searched less often, more candidates are evaluated.
inline constexpr float solid_steps_ahead = 2.0f;
inline constexpr float solid_reach = 0.02f;
inline constexpr float solid_most_reach = 0.03f;
/// But no farther than this * the mean edge of their faces (SurfaceFeatures::grain). Those that move by more in a step
/// are searched in each step. Larger: the features of fine surfaces have candidates all around.
inline constexpr float solid_grains_reach = 0.25f;
/// Solids are searched for this * the contact margin at that time, because it grows as they become faster.
inline constexpr float solid_margin_ahead = 1.2f;
/// Only features are searched that are no farther behind the nearest ones than this * that edge, and by the contact
/// margin at rest. Larger: more candidates. Smaller: solids that turn about their first contact overlap for a step.
inline constexpr float solid_grains_behind = 0.25f;
/// solid_most_reach and solid_reach while nothing is within that distance.
inline constexpr float solid_far_reach = 0.3f;
inline constexpr float solid_far_least = 0.04f;
/// The overlap that is always looked for, in sizes of the smaller one. Deeper ones are looked for only among the parts
/// of each that are inside of the other one. Larger: features that have never touched count as overlapping. Smaller: a
/// contact that was missed once is lost.
inline constexpr float solid_depth = 0.02f;
/// The largest overlap that features tell, in the same sizes. Deeper ones are pushed out as a whole. Larger: of more
/// features the direction is wrong; with 0.12, a heap of solids of thousands of triangles does not come to rest.
inline constexpr float solid_most_depth = 0.06f;
/// It is at least this * the thickness of the thinner one, so that rings and rods that a heavy load presses into each
/// other do not lose their contacts.
inline constexpr float solid_thick_depth = 0.75f;
/// The expected overlap of two solids is this * the deepest one of the last step, plus the distance that they have moved
/// since. Deeper features do not count. 1: a solid of 1 cm that stands on three points loses all three at once by
/// rounding. Larger: see solid_most_depth.
inline constexpr float solid_depth_ahead = 1.25f;
/// Of thin solids, overlaps of this * their thickness are always looked for: continuous collision lets one end of a bar
/// in by half of its thickness while the other one rests. Smaller: it hangs there, and its velocity grows.
inline constexpr float solid_thin_depth = 2.0f;
/// solid_most_depth for solids whose numbers of triangles have at most the product few_solid_pairs. Only contacts of such
/// pairs are found again within a step. Larger: heaps of solids of thousands of triangles take twice the time while they
/// fall.
inline constexpr float few_solid_most_depth = 2.0f;
inline constexpr std::uint64_t few_solid_pairs = 300000;
/// Overlaps deeper than this, in the same sizes, count only if nothing is between the two features but the inside of
/// both. Smaller: more of them are looked at.
inline constexpr float solid_sure_depth = 0.005f;
/// Features of two solids touch if they are as near as this, in the same sizes. Where features touch, no overlap is
/// pushed out as a whole. Smaller: faces that just touch are thrown apart. Larger: deep overlaps stay if other features
/// are near.
inline constexpr float solid_touch = 1e-3f;
/// Curves in which two solids cross are those of an overlap if they are larger than this, in the same sizes. Smaller:
/// surfaces that lie on each other count, too. Larger: tips that are caught stay caught.
inline constexpr float solid_least_curve = 0.04f;
/// A contact point belongs to such a curve up to this beside its box, in the longest side of the box. Larger: overlaps
/// beside a contact stay. Smaller: contacts beside their curve are pushed out a second time.
inline constexpr float solid_curve_room = 0.25f;
/// The overlap with which two solids are pushed apart that overlap deeper than their features tell, in sizes.
inline constexpr float solid_recovery = 0.05f;
/// The least area of the curve in which their boundaries cross, over the square of its length (0.08 for a circle), at
/// which they are. Larger: one that goes halfway through the other stays there. Smaller: one that goes through it from
/// side to side is pushed in directions that are not known.
inline constexpr float least_overlap_area = 0.005f;
/// By how much a point of such a solid may be beside a face that it touches, in sizes.
inline constexpr float solid_room = 1e-4f;
/// Cosine of the largest angle (8 degrees) between the normals of points that belong to one patch. Larger angle: a
/// curved contact is solved as if it were flat. Smaller: more contacts for the solver.
inline constexpr float patch_normal = 0.99f;
/// The same for the places where a round shape rolls over the faces of a solid. Larger angle: a ball in a tube of 64
/// facets sinks into the next facet, and is thrown out of it.
inline constexpr float rolling_patch_normal = 0.9999f;
/// The most patches that two shapes have; shallower ones beyond are left out.
inline constexpr std::size_t most_patches = 16;

/// The most parts in which the path of a fast solid is searched. Fewer: more pairs of features in each, and in fast
/// rotation thin edges are passed through; one that moves by more than half of that many thicknesses in a step can jump
/// over a round shape.
inline constexpr float most_solid_places = 256.0f;
/// The deepest contacts at the start of a step that a sweep of a solid looks for, in depths at which features hit. Larger:
/// more pairs of features. Smaller: bodies that are pressed into others go through.
inline constexpr float solid_deepest = 4.0f;
/// The same for a round shape. Larger: solids get through thin discs. Smaller: solids that are pressed into such a shape
/// lose parts of their steps.
inline constexpr float solid_deepest_in_round = 2.0f;
/// The greatest depth at which a solid hits a wall, in thicknesses of that. Larger: solids are pushed out at the back of
/// thin walls.
inline constexpr float solid_wall_depth = 0.24f;
/// Motion per step above which a solid is swept if it is near a thin wall, in the same thicknesses. Larger: solids that
/// fall over push an edge through a plate of 2 mm. Smaller: more sweeps.
inline constexpr float solid_wall_motion = 0.5f;
/// How far points may be from a straight line within a part, in depths at which features hit. Larger: solids that spin
/// pass through thin edges. Smaller: more parts.
inline constexpr float solid_straight = 0.5f;
/// The least part of a step for which such a body moves, even if it hits something earlier. Larger: a body that hits an
/// obstacle in many steps gets into it.
inline constexpr float least_solid_motion = 0.02f;
/// An upper limit of that motion, in inner radii. Larger: thin fast bodies are pushed through obstacles. Smaller: more
/// bodies are held in place for many steps.
inline constexpr float least_solid_way = 0.2f;
/// The most boxes and hulls whose surfaces are kept from step to step for sweeps of solids. Larger: more memory. Smaller:
/// surfaces are made again, which takes up to a millisecond per surface.
inline constexpr std::size_t most_swept_surfaces = 256;
/// Number of bisections between the last place where such a body is clear of a round shape and the first one where it is
/// not. Fewer: it stops earlier.
inline constexpr int solid_bisections = 6;

/// Two meshes meet at a seam where they miss each other by less than this * the size of the shape that touches them.
/// Larger: low steps from one mesh to the next do not stop shapes. Smaller: shapes hit the borders of tiles that do not
/// quite fit.
inline constexpr float seam_tolerance = 2e-3f;
/// The same as a part of the coordinates, which are rounded.
inline constexpr float seam_rounding = 1e-6f;

/// Cosine of the largest angle (0.26 degrees) between the normals of two facets that count as one and the same.
inline constexpr float same_facet_normal = 1.0f - 1e-5f;

/// Largest motion of a shape's centre, in sizes, after which the engine checks again whether the centre has passed
/// through a mesh. It checks again earlier if the centre was nearer to the mesh than this. Larger: more triangles are
/// checked, less often.
inline constexpr float side_probe = 0.5f;
/// Distance in front of the mesh, in sizes, of the place that the engine keeps for a shape that was pressed through. A
/// motion that passes an edge within this distance goes through it. Smaller: rounding lets it slip through seams.
inline constexpr float side_gap = 1e-3f;
/// Maximum number of surfaces along which that place is moved in a step, one after the other, such as the walls of a
/// corner. Fewer: the place falls behind in corners.
inline constexpr int side_rounds = 4;

/// Motion per step above which a body is swept (swept_bodies.h), as a multiple of its inner radius (the radius of a
/// sphere inside it). Larger: fewer sweeps; from 1 on, slower bodies can get through a wall. At 0.5, the narrowphase's
/// margin still finds what slower bodies hit.
inline constexpr float continuous_motion = 0.5f;
/// Overlap at which a sweep stops a body, m. Smaller: seams stop a body that slides over tiles as soon as it sinks in
/// by as much. Larger: visible overlaps of fast bodies.
inline constexpr float continuous_depth = 2.0f * linear_slop;
/// Upper limit of that overlap, in inner radii. Larger: visible overlaps of small fast bodies. Smaller: seams stop
/// them.
inline constexpr float continuous_relative_depth = 0.25f;
/// Overlap at which a sweep stops a jointed body, in inner radii. Larger: joints open less when one of two bodies
/// is stopped, and bodies rest deeper.
inline constexpr float continuous_jointed_depth = 0.1f;
/// Largest depth, in inner radii, to which repeated sweeps let a body into a fixed or kinematic obstacle in which it
/// already is. Without this limit, joints that pull a body behind a wall, or a heavy body on a light one, press it
/// through by continuous_depth per step (5 of 400 worlds of the soak lost a body). Larger: such bodies are seen deeper
/// in walls; from 1 on they get out.
inline constexpr float continuous_deepest = 0.75f;
/// The same depth for bodies with a small inner radius, m. Larger: needles may get into walls of twice this thickness
/// and out at the back. Smaller: needles that spin on a floor lose part of their steps.
inline constexpr float continuous_deepest_least = 4.0f * linear_slop;
/// Fraction of continuous_depth by which a body at that depth may still sink per step. It slides and rotates there
/// without limit. Smaller: rounding makes it lose part of its steps. Larger: it is pressed through after as many steps.
inline constexpr float continuous_drop = 1e-3f;
/// Depth in a fixed or kinematic body, in inner radii and beyond the overlap that contacts allow, above which a body is
/// swept however slow it is. The depth is that of a contact of this step. Larger: together with continuous_motion,
/// bodies might get through before they are swept. Smaller: light bodies under heavy ones cost a sweep in each step.
inline constexpr float continuous_pressed = 0.25f;
/// Smallest value of that depth, m. Larger and smaller act as above.
inline constexpr float continuous_pressed_least = 2.0f * linear_slop;
/// Maximum number of impacts of one body in one step. A body with more loses the rest of the step. A ball of 1 cm that
/// bounces at 1,000 m/s between walls 1 m apart needs 17. Larger: such bodies cost more. Smaller: more bodies lose
/// time.
inline constexpr int continuous_impacts = 8;
/// Opening of joints above which they are closed at the end of a step, m. All joints of an articulation that had an
/// impact are closed too (opened_joints.h). Larger: joints are seen open by as much, because contacts and joints may
/// differ by joint_contact_speed (8 mm on stairs without closing). Smaller: more articulations are closed (the first
/// 100 steps of ragdolls that tumble down stairs cost 2% more at 2 mm, 4% at 1 mm).
inline constexpr double joint_closing_least = 1e-3;
/// Opening at which closing ends, m. Larger: joints stay open by as much. Smaller: more solves.
inline constexpr double joint_closing_gap = 1e-4;
/// Opening at the start of a step above which a joint is not closed, m. Larger: bodies that the user has put apart jump
/// together by as much. Smaller: joints that an obstacle keeps open stay open for longer.
inline constexpr double joint_closing_most = 0.05;
/// Maximum number of solves by Newton's method when joints are closed. Fewer: joints that an impact has opened by half
/// a metre stay open (with 8 solves by up to 0.5 m, at 40 m/s and 30 Hz).
inline constexpr int joint_closing_solves = 24;
/// Largest rotation of a link in one of these solves, rad. Smaller acts as fewer solves. Larger: the solves do not
/// converge, because joints are not linear that far.
inline constexpr double joint_closing_turn = 0.5;
/// Smallest ease of rotation of a link, a factor on its inverse inertia. If a solve rotates a link farther than that,
/// its ease is reduced for the next solve. Larger: the solves may not converge. Smaller: such a link hardly rotates any
/// more.
inline constexpr double joint_closing_least_ease = 1e-3;
/// Factor per solve by which the ease returns. Larger: the link may rotate too far again. Smaller: more solves.
inline constexpr double joint_closing_ease_growth = 4.0;
/// Maximum number of rounds of closing and sweeping. Fewer: joints stay open if their links hit something while the
/// joints are closed.
inline constexpr int joint_closing_rounds = 8;
/// Number of consecutive steps in which the joints of a loop, or of bodies with locked axes, could not be closed, after
/// which they are left open. Smaller: loops that an obstacle keeps open stay open for longer. Larger: contradictory
/// joints are closed in vain, at four times the cost of a step.
inline constexpr int joint_closing_tries = 8;
/// Last fraction of the step in which swept links move to where joints want them. Obstacles hardly move in it. Larger:
/// they move more. Smaller: less resolution in time.
inline constexpr float joint_closing_time = 1.0f / 1024.0f;
/// Fraction of the depth at which planes have stopped such a link. They let the link in again up to this fraction. From
/// 1 on it is stopped again at once. Smaller: joints close less.
inline constexpr float joint_closing_depth = 0.9f;
/// Number of rounds of sequential impulses at an impact. Fewer: impacts of several bodies are less exact. More: impacts
/// cost more.
inline constexpr int continuous_rounds = 8;
/// Distance below which two joint anchors have no direction between them, m. A distance joint that is shorter uses A's
/// x axis. Smaller: rounding decides the direction.
inline constexpr double joint_point_length = 1e-7;
/// Softness of rigid joint rows in articulations without loops, as a fraction of the row's own response to an impulse.
/// Larger: joints give way. Smaller: rounding counts.
inline constexpr double joint_slack = 1e-10;
/// The same with loops, where redundant rows have no unique impulses without softness. Larger: at 1e-4 a hanging bridge
/// creeps at 1 cm/s. Smaller: impulses of redundant rows become rounding.
inline constexpr double joint_slack_looped = 1e-6;
/// The same for drives, which may meet limits. Larger: drives give way.
inline constexpr double joint_slack_drive = 1e-4;
/// Largest speeds at which open joints close, m/s and rad/s. Larger: attached bodies are flung about. Smaller: joints
/// stay open for longer.
inline constexpr double joint_push_speed = 3.0;
inline constexpr double joint_turn_speed = 6.0;
/// Fraction of the remaining error that such a joint closes per sub-step. Larger and smaller act as above.
inline constexpr double joint_push_share = 0.2;
/// Pushes of contradictory joints (redundant_rows.h) keep their proportion up to this multiple of the displacement that
/// a sub-step allows. Larger: one body far away slows down everything that its loops contain.
inline constexpr double joint_push_farthest = 100.0;
/// Largest energy of all pushes together, as a multiple of the sum of the energies that they would have row by row.
/// Smaller: large nets sag. Larger: nearly redundant joints jump.
inline constexpr double joint_push_gain = 100.0;
/// Energy that pushes may have in addition: the kinetic energy of all bodies of the articulation at this speed, m/s.
/// Larger and smaller act like those of `joint_push_gain`.
inline constexpr double joint_quiet_push = 0.1;
/// Rotation of a row by a push above which the softness of the rows grows with that angle, rad (push_together(),
/// redundant_rows.h). Smaller: loops that are nearly closed pay for two more factorisations. Larger: chains that are a
/// little too short tremble.
inline constexpr double joint_crooked = 2e-4;
/// Smallest opening at which joints are pushed, as a fraction of the displacement that a sub-step allows (1 um).
/// Larger: joints stay open by more. Smaller: rounding pushes.
inline constexpr double joint_least_push = 8e-5;
/// Largest factor by which the bend (redundant_rows.h) may increase the kinetic energy of an articulation within the
/// sub-step. For a link that rotates by 1 rad it is 1.3. Smaller: loops that rotate fast lose energy. Larger: more
/// energy must be removed afterwards.
inline constexpr double joint_bend_gain = 1.5;
/// Largest fraction of kinetic energy that remains of this gain after the relax pass. Smaller: loops that rotate fast
/// lose energy. Larger: they may gain it.
inline constexpr double joint_energy_gain = 0.001;
/// Rotation of a link in its joints per sub-step above which the link is integrated implicitly, which damps it, rad.
/// Larger: above 2, a chain under load explodes. Smaller: more links are damped.
inline constexpr double joint_turn_rate = 0.7;
/// Weight of the last sub-step in the running mean of such a link's angular velocity. The mean is not damped. Larger:
/// chains that heavy weights snap taut open wider (by 68 mm at 0.25, 30 mm at 0.125). Smaller: heavy pendulums on light
/// rods lose energy (in 10 s 0.7% at 0.25, 1.1% at 0.125, 2.9% at 0.06, without the next setting).
inline constexpr double joint_usual_spin = 0.125;
/// Mean rotation per sub-step from which on all of a link's angular velocity is damped, rad. Below it, a part of the
/// mean is exempt, and the slower the mean rotation is, the larger this part. Larger: a chain of 100 links that whips
/// round a ball of 100,000 links' mass opens by 0.4 m and gains energy (measured without this limit). Smaller: heavy
/// pendulums lose more energy (in 10 s 2.0% at 0.1, 2.8% at 0.07, 4.3% at 0.05).
inline constexpr double joint_steady_turn = 0.07;
/// Fraction of a joint's load that is remembered from sub-step to sub-step while it decreases. Smaller: a load that
/// jerks may find its chain unprepared. Larger: past loads stiffen joints for longer.
inline constexpr double joint_load_memory = 0.9;
/// Kinetic energy that joints may add in a pass, expressed as an increase of all bodies' speed, m/s. Smaller: strong
/// motors are slowed down. Larger: errors may add more energy.
inline constexpr double joint_gain_speed = 10.0;
/// Speed at which a limit or motor at its bound must move away from it to be released, m/s or rad/s. At 0, rounding
/// would decide. Larger: limits hold bodies that move away slowly.
inline constexpr double joint_release_speed = 1e-7;
/// Smallest speed that joints leave, m/s and rad/s. A smaller one is rounding and becomes zero. At 0, products of such
/// speeds are denormal numbers wherever bodies move in a plane, and processors take a hundred times as long for those.
/// Larger: slow motions stop.
inline constexpr double joint_least_speed = 1e-12;
/// Error at which Newton's method ends, m/s and rad/s: the speed at which anchors would miss each other over a
/// sub-step. Larger: light links between heavy bodies tremble. Smaller: more rounds.
inline constexpr double joint_tolerance = 1e-4;
/// Error before a round, as above, up to which this round is the last one. It applies only if no limits and motors may
/// become active. Larger: joints are less exact. Smaller: more rounds.
inline constexpr double joint_quick = 1e-2;
/// Largest change that contacts may make to the speeds that joints have left, m/s. If they would change more, contacts
/// are solved through the joints. Larger: joints open at impacts by that speed times a sub-step (ragdolls' by 24 mm at
/// 2 m/s, by 16 at 1 m/s). Smaller: more solves (of the step of ragdolls that fall down stairs, 9% at 1 m/s, 50% at
/// 0.1).
inline constexpr double joint_contact_speed = 1.0;
/// The same limit for slow bodies, as a fraction of the speed at which touching bodies move; and its least value, m/s,
/// half of the speed that gravity adds in a sub-step. Larger: bodies that rest on limits or on many links tremble (of
/// 40 cars at the end of their travel all at 1 m/s, seven at 0.3, none at 0.1; a chain on the ground keeps one link
/// awake at 0.1). Smaller: more solves.
inline constexpr double joint_contact_motion = 0.3, joint_contact_least = 0.02;
/// Fraction of that limit by which one contact point must change a speed to take part in the solve. Larger: fewer
/// points take part. Smaller: more solves.
inline constexpr double joint_contact_share = 0.5;
/// Maximum number of rounds in which contacts are solved through joints, and of iterations per round. Fewer: contacts
/// and joints differ by more. More: impacts cost more.
inline constexpr int joint_contact_rounds = 4;
inline constexpr int joint_contact_sweeps = 32;
/// Change of speeds that ends these iterations, m/s. Larger: contacts and joints differ by as much. Smaller: more
/// iterations.
inline constexpr double joint_contact_tolerance = 1e-3;
/// Number of times that joints and restitution passes alternate after a bounce of a jointed body. At 0, cradles of
/// balls on rods gain 15% of their energy or lose 80%. At 1, they lose 4% in 20 s if their rods are short; at 2, half
/// of that.
inline constexpr int joint_bounces = 2;
/// Smallest response of a contact through joints, as a fraction of its response without them. A contact with less is
/// left out, because impulses against bodies that joints hold firmly have no upper limit. Smaller: light bodies between
/// heavy ones are held together, too. Larger: more contacts are left out.
inline constexpr double joint_contact_give = 1e-3;
/// Number of rounds of the active-set method in a pass. Fewer: a ragdoll that hits many limits at once may pass one of
/// them for a sub-step.
inline constexpr int joint_rounds = 8;
/// Phase per sub-step up to which a spring loses energy only by its damping ratio, rad. A stiffer spring is integrated
/// by implicit Euler and loses more. Larger: fewer stiff springs in parallel are stable. Smaller: more springs lose
/// energy.
inline constexpr double slow_spring_turn = 0.25;

/// Rounds for the angular velocity of a jointed body at the middle of a sub-step (middle_spin.h). Fewer: bodies that
/// rotate freely on ball joints lose or gain energy. More: joints take longer.
inline constexpr int middle_spin_rounds = 4;
/// Half the rotation per sub-step up to which two rounds are enough, rad: 10 rad/s at 60 Hz and 4 sub-steps. Smaller:
/// joints take longer. Larger: plates on ball joints lose energy (by the cube of it: 7% in 10 s at 0.1).
inline constexpr float middle_spin_slow = 0.02f;
/// Half the rotation per sub-step from which on only the first round is used, rad: 240 rad/s at 60 Hz and 4 sub-steps.
/// At 1 rad the rounds no longer converge. Larger: heavily loaded chains that are whipped open (by 0.9 m at 1 rad).
/// Smaller: tops and plates gain energy.
inline constexpr float middle_spin_angle = 0.5f;

/// Largest rotation of a body in one sub-step, rad: 720 rad/s at 60 Hz and 4 sub-steps. Faster angular velocities are
/// reduced. Larger: above half a turn, a rotation looks to touching bodies like one in the opposite direction.
inline constexpr float max_rotation_per_substep = 3.0f;
/// The same for jointed bodies, whose rotations joints solve, rad. Larger: the joints' solves do not converge.
inline constexpr float max_joint_rotation = 1.5f;
/// Largest rotation per step after an impact of continuous collision, rad. Larger: a sweep may not reach the end of the
/// path, and the angle overflows for bodies with very little inertia. Smaller, such as the two limits above: rods that
/// rotate fast penetrate walls, because the impact's impulse separates them only with the whole angular velocity. The
/// next step applies the two limits above.
inline constexpr float max_path_rotation = 1000.0f;
/// Largest rotation per integration step of a body without contacts and torque, rad. Sub-steps with less are
/// joined. Larger: its energy is less exact (2e-4 at 0.5, free_rotation.h). Smaller: more work (if no sub-steps are
/// joined, 5% more instructions for a rain of 1,000 hulls).
inline constexpr double free_turn = 0.25;
/// Rotation after which a body's contacts are tested again within a step, as a multiple of its least radius of gyration
/// over its bounding radius (substep_contacts.h): 0.24 rad for a cube, 0.007 rad for a stick 1 m long and 2 cm thick.
/// Larger: levers and inertia of thin moving bodies do not fit each other, and the bodies gain energy. Smaller: more
/// contacts are tested again.
inline constexpr float stale_turn = 0.5f;
/// Factor by which that rotation is smaller for bodies that bounce. At 1, a stick without losses in a closed box gains
/// 1 to 10% of its energy at an impact. Larger: more contacts are tested again.
inline constexpr float bouncing_strictness = 16.0f;
/// Tangential displacement of its surfaces after which a contact is tested again before it is struck (by more than
/// strike_rate), as a fraction of the smaller body's inner radius. (For a compound, the least radius of gyration counts
/// if it is larger.) Larger: impacts of bodies that pass each other act beside the place where they touch, which adds
/// energy and angular momentum. Smaller: more contacts are tested again.
inline constexpr float stale_slide = 0.03f;
/// Smallest product of that displacement and the speed of the blow, as a multiple of the product of their own least
/// values. A slow blow at a slightly wrong place adds almost no energy. Smaller: more contacts are tested again (at 1,
/// a closed box with 400 tumbling bodies takes 4% more instructions). Larger: more energy is added (of 3,000 random
/// plain worlds 32 gain energy at 1, 37 here).
inline constexpr float stale_strike = 4.0f;

}  // namespace talus::settings
