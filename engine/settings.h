#pragma once
/// Every tolerance of the engine: name, unit, and what changes when it does. Those of the narrowphase are in
/// narrowphase/tolerances.h.

#include <cstdint>

namespace talus::settings {

/// Penetration that the solver leaves alone, m. Larger: contacts break and form less often; smaller: visible overlap
/// shrinks, resting contacts flicker.
inline constexpr float linear_slop = 0.0005f;
/// ... and never more than this * bounding radius of the smaller shape, for things of a few centimetres and less.
inline constexpr float relative_slop = 0.002f;
/// ... nor more than this times the thickness of the thinner one. Larger: sheets of a millimetre sink into each other.
inline constexpr float thin_slop = 0.02f;

/// A step that is longer than this (s) has proportionally more sub-steps than WorldDef says: a sub-step of 1/16 s alone
/// would let what rests fall by 4 cm. Larger: less work in long steps; at constant steps of 1/30 s with sub-steps twice
/// as long, all houses of cards fall.
inline constexpr float longest_plain_step = 1.0f / 60.0f;
/// Where steps differ, sub-steps are kept as long as the longest of late, which is forgotten at this rate (1/s). Their
/// length sets the stiffness of contacts, so that it must not jump: what stands would sink and be thrown up again (a
/// tower of 30 at 4e6 J with steps of 1/30 and 1/120 s by turns). Larger: after a switch to shorter steps contacts
/// stiffen sooner; at 10 and more such a tower trembles again.
inline constexpr float forget_substep = 0.5f;
/// Sub-steps that are more than so many times as long as the last start from no more than so many times its impulses.
inline constexpr float most_load_growth = 4.0f;
/// A contact point with a larger separation than this (m) at the start of a step is not warm started: its last impulse
/// was a blow that has separated the bodies. Smaller: a body that hovers above its support loses its load in each step.
/// Infinity: the impulse is applied with the present lever arms and taken back with later ones, and a body that touches
/// nothing gains 1% of its speed.
inline constexpr float most_carried_gap = 4.0f * linear_slop;
/// Steps up to this part of a sub-step longer than a whole number of them do not get one more.
inline constexpr float substep_slack = 0.25f;

/// Contact stiffness, Hz, over the usual sub-step rate: at 60 Hz and 4 sub-steps 60 Hz. A soft contact is a spring: at
/// 30 Hz a jittered tower of 20 sags by 11 cm and buckles, at 60 Hz by 3.5 cm and stands. Above a quarter of the rate,
/// sweeps that have not converged feed energy into what stands. More sub-steps make stiffer contacts: at 1 ms and 4
/// sub-steps a plate that rolls on 25 balls is 10 times nearer to the closed form than it is at 60 Hz.
inline constexpr float contact_rate = 0.25f;
inline constexpr float max_contact_hertz = 1000.0f;
/// Contacts of bodies that joints hold are so many times stiffer: they are often those of a light limb between the
/// ground and all that hangs on it. At 1, joints of ragdolls that fall on each other open by up to 12 cm (20 starts),
/// and a light foot that lands hard leaves its leg by 5 cm; at 2 by 6 and 1.4 cm; at 6 by 6 and 12 cm.
inline constexpr float jointed_contact_stiffening = 2.0f;
/// A contact of a stiff group (stiff_groups.h) works off this part of its overlap in a sub-step, and leaves this part
/// of the slop.
inline constexpr float stiff_push = 0.25f;
inline constexpr float stiff_slop = 0.5f;
/// An island is a stiff group if some contact bears so many times the mass of the lighter of its two bodies: the first
/// number for islands of no more than stiff_width bodies a level of support, the second one for wider ones, where loads
/// have many ways and direct solves cost more. Smaller: more islands are solved directly, at several times the cost.
inline constexpr float stiff_load = 5.0f;
inline constexpr float stiff_width = 3.0f;
inline constexpr float stiff_load_wide = 40.0f;
/// An island of bodies that were awake before, whose masses alone do not make it one, and which was none in the last
/// step, is looked at every so many steps. Larger: towers give way for longer before they are solved directly; smaller:
/// heaps that are none cost more.
inline constexpr std::uint32_t stiff_look_every = 4;
/// Of more bodies than this, it is looked at every so many steps, a multiple of stiff_look_every. A pyramid of 820
/// costs 2.7% more where that is 4.
inline constexpr std::uint32_t stiff_large = 400, stiff_look_every_large = 32;
/// Blows are solved directly (is_crushed, group_search.cpp) in islands of at most this many bodies. Larger: falling
/// heaps cost more. 0: a box that falls by 1 m onto a plate of 5 cm and a tenth of its mass penetrates 89% of the plate
/// (0.7% at 24).
inline constexpr std::uint32_t stiff_struck_bodies = 24;
/// Levels of support count in islands whose touching bodies move no faster than this against each other, m/s. Larger:
/// what tumbles is taken for towers, and costs as much as they do.
inline constexpr float stiff_calm = 1.0f;
/// An island is left to the sweeps if its factors take more products of two 6 x 6 blocks than this, or if it has more
/// contacts than the second number, each of which takes a kilobyte. A chain of 1,000 bodies takes 1,000 products, a wall
/// of 20 courses and 490 bricks 22,000. Larger: denser groups are solved directly, such as a pyramid of 650 boxes under
/// 1,000 times the mass of one; each of their steps costs more.
inline constexpr std::uint64_t stiff_most_products = 150'000;
inline constexpr std::uint32_t stiff_most_contacts = 20'000;
/// Work that a group may take in a step, in products of blocks (some 40 ns each); then it gives nothing in the passes that
/// are left, and is left to the sweeps as below. Larger: the worst step takes longer (heaps of 500 bodies of 5 to 30 cm:
/// 170 ms); smaller: two jittered towers of 50 side by side, which use up 1.2 million in a step whose active rows are
/// not found, fall.
inline constexpr std::uint64_t stiff_most_work = 4'000'000;
/// An island that was too much work is not looked at for so many steps, unless it gets smaller by a tenth. Larger: one
/// that has lost some contacts is left to the sweeps for longer; smaller: the search costs more.
inline constexpr std::uint32_t stiff_refused_for = 60;
/// The weight of a row over the mass that its contact bears. Larger: impulses converge in fewer sub-steps, and the set
/// of active rows is harder to find (two towers of 50 side by side: at 100 not always). Smaller: what has not converged
/// creeps (the top of a tower of 100 is off by 14 mm after a minute at 30, by .2 mm here).
inline constexpr float stiff_weight = 60.0f;
/// The weight of a rigid row of a joint over the mass of all bodies of its group. Smaller: contacts are found for joints
/// that give way; larger: rounding, which grows with it and the ratio of masses.
inline constexpr float stiff_joint_weight = 1e4f;
/// A row that would change sides by less than this speed, m/s, stays where it is.
inline constexpr double stiff_tolerance = 2e-6;
/// The search for the active rows ends when a round changes no body by more energy than it has at this speed, m/s,
inline constexpr double stiff_speed = 3e-5;
/// or after so many rounds; those with limits of friction that stay are made so many times at most.
inline constexpr int stiff_rounds = 20;
inline constexpr int stiff_limit_rounds = 4;
/// Where impulses change by more than this part of them, as in a blow, up to so many more proximal steps are made when
/// relaxing. Without them a row of elastic balls gains 2e-4 of its energy.
inline constexpr double stiff_blow = 0.1;
inline constexpr int stiff_blow_rounds = 3;
/// Solves per pass until no joint row of the group exceeds its bounds; after that many the group's result is dropped.
/// Smaller: more groups are left to the sweeps.
inline constexpr int stiff_bound_rounds = 4;
/// A group's result is dropped if its impulses leave more than this part of the group's energy unexplained. Larger:
/// momentum appears from nowhere (17 N s on a body of 14 kg at 1). Smaller: more blows are left to the sweeps.
inline constexpr double stiff_unexplained = 0.01;
/// The contacts of an island with a greater sway than this (slender_islands.h) get stiffer until it is the second
/// number. A pyramid with a base of 40 has 2.9, of 60 10, of 100 46; a wall of 60 courses 20. Larger first number: high
/// walls lean out of their plane (without it the pyramid of 60 falls after 2,460 steps, that of 80 after 1,380);
/// smaller: what stands on tilt_stiffening costs more. Larger second number: the same (with 3.3 the wall of 60 is .4 m
/// out of its plane after 2,000 steps, with 1.65 less than 1 mm); smaller: more sub-steps.
inline constexpr float slender_sway = 3.3f;
inline constexpr float slender_kept_sway = 1.65f;
/// ... and by up to so many times. Larger: still higher walls stand, in steps that take longer (12 times as many
/// sub-steps with this).
inline constexpr float slender_most = 64.0f;
/// Stiffness of such contacts, Hz, over the rate of the sub-steps that are made for them. Larger: fewer sub-steps, and
/// sweeps that have not converged feed energy into what stands, so that single boxes of a pyramid walk (with a base of
/// 100 at 0.25, as usual contacts have it, some tremble at 0.2 m/s).
inline constexpr float slender_rate = 1.0f / 6.0f;
/// ... and they leave this part of the slop, which adds up over the courses. Larger: the pyramid of 100 sags by 6 cm at 1,
/// by 4 at 0.5, by 2.6 here, and its flanks lean in by twice as much.
inline constexpr float slender_slop = 0.25f;
/// Smaller islands, and levels whose lever against tilting is less than this part of the mean radius of their bodies, are
/// no matter of this. Larger: walls of thin plates are left alone; smaller: columns of balls in a tube cost as much as
/// walls.
inline constexpr std::uint32_t slender_least_bodies = 20;
inline constexpr float slender_least_lever = 0.05f;
/// Islands are looked at so often, in steps, and those at once of which more than half has just been put there.
/// Larger: what grows or is built slowly leans for longer; smaller: heaps cost more (a pyramid of 820 boxes 1.4% at 16).
inline constexpr std::uint32_t slender_look_every = 64;
/// How fast contacts get stiffer and softer again, as parts of their stiffness in a second. Larger: overlap throws up
/// what stands on it; smaller: what has become slender leans meanwhile.
inline constexpr float slender_harden = 3.0f;
inline constexpr float slender_soften = 0.5f;
/// Damping ratio of that spring. At 10 the row is nearly rigid, and warm-started sweeps that have not converged feed
/// energy into big pyramids (one of 820 boxes sways for ever at 2 and above, comes to rest in 20 s at 1, in 10 s at
/// 0.7).
inline constexpr float contact_damping_ratio = 0.7f;
/// Boxes of the shapes of two compounds are compared again when the two have moved by this share of the smaller one's
/// radius. At 0 in each step, which takes 5 of 9 ms with 50 bowls of 17 hulls in each other; larger: more pairs of shapes
/// that are not near are asked for their distance.
inline constexpr float compound_slack = 0.02f;
/// ... and when they were not for so many steps, shapes whose boxes alone are near have no contact until then. Fewer:
/// what moves slowly finds the distances of such shapes anew too often.
inline constexpr std::uint32_t compound_calm_steps = 8;

/// Where two bodies, one of them a compound, have more contacts than this, all of them together are as stiff as so
/// many. Larger: of 15 bowls that lie in each other, made of 25 hulls each, none comes to rest in 30 s at 8, all in 10
/// s at 4, most of them in 3 s at 2.
inline constexpr std::uint32_t full_stiffness_contacts = 2;
/// A body on which more contact points push along one direction than this has softer contacts, all of them together as
/// stiff as so many (crowded_contacts.h): boxes in a column have 8, bricks in a wall 16, in a block in bond both ways
/// 32. Larger: such blocks shake for ever (at 20 those of 4 x 4 x 20 and 7 x 7 x 7 boxes, at 24 most of them); smaller:
/// high walls and pyramids get softer, and lean.
inline constexpr float crowded_points = 16.0f;
/// ... of contacts that have so many points at least, faces on faces. Smaller: houses of cards tremble.
inline constexpr std::uint32_t crowded_face = 3;
/// ... and that has more contacts than this. Smaller: bricks in walls whose densities differ get soft, and the points of
/// all that lies on three others are counted.
inline constexpr std::uint32_t crowded_contacts = 4;
/// Contacts with fixed and kinematic bodies are this much stiffer, so that what stands on the ground gets the last
/// word.
inline constexpr float fixed_contact_stiffening = 2.0f;
/// Contacts of four points, all pressed, are stiffer against tilting than against load by up to this part of their
/// stiffness, or walls one box thick bend out of their plane and fall: of 100 rows after 700 steps at 4 sub-steps, of
/// 40 never. It comes in linearly from the first to the full load, the mean overlap over the points' lever. At 3 parts,
/// or for light contacts too, pyramids tremble and houses of cards fall; from loads of .003 and .006 on, the 100 rows
/// lean by 2 to 4 m in 1,000 steps, here by 0.7 to 0.8.
inline constexpr float tilt_stiffening = 2.0f;
inline constexpr float tilt_first_load = 0.002f;
inline constexpr float tilt_full_load = 0.004f;
/// Sweeps that have not converged, as while things are set down on each other, make friction swing from sub-step to
/// sub-step. Between bodies that can be pushed, where it is more than the one part of its limit, it is therefore warm
/// started with its last warm start plus the other part of what it was changed by; what rests gets all of it anyhow. At
/// 1 and 1, 5 of 124 jittered houses of cards slide apart within 1.5 s of being set up, here none. Faces on faces
/// (those with a tilt_rate) are left out: pyramids with a base of 100 would lean by up to 1.3 m in 1,000 steps, not
/// 0.8; and so are fixed bodies: a cone set down askew would topple.
inline constexpr float friction_near_limit = 0.5f;
inline constexpr float friction_follows = 0.5f;
/// From this depth on, m, a contact gets stiffer: its compliance falls with the 16th power of the depth. What a soft
/// contact bears is limited otherwise, as the speed at which it pushes is: by the effective mass of the two bodies
/// times 1,100 m/s^2. In a heap the chains that carry it go through light bodies, too, and these were pressed into
/// their neighbours, each pushing as hard as it could (of 2,000 mixed bodies that fell from 30 m some pairs lay up to
/// 204 mm in each other in the end). Larger: heaps keep deeper overlaps; smaller: houses of cards fall while they are
/// set down (at 3 mm).
inline constexpr float stiffer_depth = 7.0f * linear_slop;
/// ... where four points are all pressed: faces on faces carry stacks, and those need a stiffness that is the same for
/// each of their points and from course to course. At 5 mm a pyramid with a base of 100, whose lowest course overlaps
/// by as much, leans by 1.8 m instead of 0.7 in 1,000 steps.
inline constexpr float stiffer_face_depth = 40.0f * linear_slop;
/// ... and at most this times the thickness of the thinner shape (narrowphase/shape.h; for a flat box, three times its
/// least width). Larger: sheets that are dropped on each other sink in. A pack of 20 panels of 2.4 x 1.2 m x 18 mm,
/// dropped with gaps of 10 cm, is 356 mm high here and 308 mm without this limit, of 360.
inline constexpr float stiffer_face_share = 0.04f;
/// Fastest speed at which overlap is pushed out, m/s. Higher: deep overlaps resolve sooner, and explode: of 50 boxes
/// put in one place the fastest leaves at 22 m/s with 3 here, at 13 m/s with 1.
inline constexpr float max_push_speed = 1.0f;

/// Beyond these, products of the solver would leave the floats. Heavier bodies are refused (kg); faster belts run (m/s)
/// and rougher surfaces rub at just so much: what has a friction of a million sticks.
inline constexpr float largest_mass = 1e15f;
inline constexpr float largest_surface_speed = 1e6f;
inline constexpr float largest_friction = 1e6f;

/// A push at a point does not move a body with locked axes where it would move it by less than this part of what its
/// mass alone would give way without them: a turn about an axis that the push passes at a hundredth of the body's radius
/// of gyration, or a way that is 0.6 degrees from being at right angles to the push. The impulse that stops an approach
/// is the inverse of the response, and so has no end: a ball that could only turn, pushed along its radius, got 1e16 N s
/// for a response that was rounding (at 1e-10). Larger: doors and lifts give way to fewer pushes. The
/// locks and limits of joints are left out there, too: with anchors 5 cm apart across the plane of their bodies,
/// one of three small trees of such joints pulled with more than 1e9 N.
inline constexpr float locked_response = 1e-4f;
/// The normal of bodies that are locked to a plane or a line is replaced if its part in there is shorter than this
/// (locked_contacts.cpp). Larger: contacts of shapes that slope across the plane are replaced without need; smaller: the
/// solver has to push bodies apart by many times the depth of their overlap.
inline constexpr float plane_normal = 0.5f;
/// ... and if the overlap across the plane is more than this part of the thinner shape's thickness. Larger: bodies that are
/// slightly offset across the plane can stay in each other; smaller: layers that are meant to touch collide.
inline constexpr float plane_layers = 0.1f;
/// Shapes are stretched until their overlap across the plane is this many times the smaller one's size. Larger: EPA has
/// longer shapes to search; smaller: a way out that leaves the plane can still be the shortest.
inline constexpr float plane_stretch = 4.0f;

/// How much a load may grow in a sub-step beyond doubling before it counts as a blow, as an acceleration of the
/// contact's effective mass, m/s^2 (solver_kernel_contacts.h, note_blows). Gravity gives a body that is set down 10.
/// Larger: more of a slow impact is taken for a load and pushes again; smaller: a load that grows is found more slowly.
inline constexpr float blow_rate = 15.0f;
/// A contact is struck where a point takes that much more than a load may grow, as above, m/s^2: its points are solved
/// together, and it is found anew before if it has moved (stale_slide). Smaller: of 160 jittered houses of cards 25
/// lose a card while they are set down at 15, and 7 here; larger: impacts make energy and spin.
inline constexpr float strike_rate = 45.0f;
/// Most sweeps over the points of a struck manifold, and the change of speed that ends them, m/s. Fewer or larger:
/// boxes that land flat leave spinning; more or smaller: impacts cost more.
inline constexpr int strike_sweeps = 16;
inline constexpr float strike_accuracy = 0.005f;

/// Most sweeps over the normals and friction of a contact after it was relaxed, and the speed at which a point that
/// pushes has to move off for them, m/s. Fewer or larger: what has just landed gains energy (solver_kernel_contacts.h,
/// settle); of 400 random plain worlds 22 gain 1% in a step at 2 sweeps, 18 here.
inline constexpr int settle_sweeps = 4;
inline constexpr float settle_lift = 0.02f;

/// Contacts of an island may give it this part of its kinetic energy in a sub-step, and what makes all of it this fast,
/// m/s; beyond that their impulses are scaled down (energy_bound.cpp). Larger: more energy appears where sweeps have not
/// converged (of 400 random plain worlds 24 gain 1% in a step at 0.01, 18 here); 0: rounding counts.
inline constexpr float energy_gain = 0.001f;
inline constexpr float energy_speed = 0.005f;
/// Larger islands are not bounded, unless ... Larger: pyramids fall; smaller: heaps of a few bodies may gain energy.
inline constexpr std::uint32_t energy_most_bodies = 32;
/// ... they gain more than this part of their kinetic energy in a sub-step, and than what makes all of them this fast,
/// m/s. Larger: crowds that are thrown about may gain energy; smaller: large heaps that come to rest lose support.
inline constexpr double energy_large_gain = 0.01;
inline constexpr double energy_large_speed = 0.1;

/// The carried impulse of a contact in an island that kinematic bodies push is at most the momentum of all of its bodies at
/// this part of the greatest speed, and this many times their weight (driven_loads.cpp). Larger: crushed bodies leave
/// faster (of 200 groups of 8 that were crushed at 3 m/s, 14 had a body faster than 10 m/s at 0.5, 43 at 2, 107 at 10, 163
/// without a limit); smaller: presses bear less, and so do wedges and levers on lifts.
inline constexpr float driven_load = 0.5f;
inline constexpr float driven_weight = 10.0f;

/// A change of the velocity of a jointed body within a sub-step counts as a turn, not as a blow, up to this many times the
/// change that its forces alone make, and this part of its speed (find_gains, solver_kernel_motion.h). Larger: blows on
/// limits can add energy; smaller: short pendulums lose energy.
inline constexpr float energy_pulled = 4.0f;
inline constexpr float energy_turned = 0.15f;

/// An island that a kinematic body drives may gain the energy that its bodies have at this many times the kinematic body's
/// speed. Larger: crushed bodies that joints hold can leave faster; smaller: long levers move slower than they are driven.
inline constexpr double energy_driven_speed = 10.0;

/// Bodies that float and push each other get back the angular momentum that a sub-step has changed by more than this part
/// of what they have (island_momentum.cpp). Larger: they lose as much; smaller: rounding counts.
inline constexpr double momentum_share = 1e-5;

/// Approach speed below which nothing bounces: m/s, and m/s^2 times a sub-step where those are short, as gravity gives
/// what rests that much less speed in them. Lower: small bounces go on longer before they rest. With 0.5 m/s at
/// sub-steps of 0.25 ms as well, 216 elastic balls lose 70 J of 80,000 in four seconds instead of 0.4.
inline constexpr float restitution_threshold = 0.5f;
inline constexpr float restitution_rate = 120.0f;
/// A contact without a load hands a blow on from this part of that speed, if nothing is lost at it (restitution 1; from
/// 0.5 down all of it, linearly). Larger: what is slower is shared out as if there were no restitution, by each contact
/// of a row (at 1 the last of 10 balls leaves with 86 to 99% of the speed that came, at 0.01 and less with all of it).
inline constexpr float knock_share = 0.001f;
/// ... and a contact has no load that bears less than what stops this part of that speed. Larger: what rests in a heap
/// of elastic things is shaken off by small blows.
inline constexpr float knock_load = 0.02f;
/// Passes over what bounces. With one those balls lose 100 to 200 J, with two up to 130, with four 1 to 4; Newton's
/// cradle swings right from two on.
inline constexpr int restitution_passes = 8;

/// A body that gets nowhere at more than this mean speed (m/s; centre plus turning) for `time_to_sleep` (s), together
/// with its whole island, sleeps. It may tremble meanwhile, up to `tremble` times that speed.
inline constexpr float sleep_speed = 0.05f;
inline constexpr float time_to_sleep = 0.5f;
inline constexpr float tremble = 3.0f;

/// Nothing in rigid contact stops a ball that rolls to and fro in a hollow of a pile, or a cylinder that wobbles on its
/// rim, and one such body keeps the whole pile awake. So a touching body that may sleep, whose centre and surface
/// stayed slower than these speeds (m/s) for `time_to_settle` (s) within `settle_room` of its thickness (and its
/// radius) of one place, has its turning braked like dry rolling resistance, by this much at its surface (m/s^2): a
/// viscous brake would let what tips over creep on for ever. So has a limb that swings in a joint without friction (a
/// ragdoll's head, 7 of 80 times for more than 20 s), its way as well, where what it hangs from lies on something and
/// is not tied to anything: a clock on a wall goes on. A ball that rolls away is left alone, and so are bodies that may
/// not sleep.
inline constexpr float settle_speed = 0.5f;
inline constexpr float settle_spin = 1.0f;
inline constexpr float time_to_settle = 2.0f;
inline constexpr float settle_room = 3.0f;
inline constexpr float settle_deceleration = 0.2f;

/// Contacts of a shape with triangles of a mesh whose normals agree to this cosine (1 degree) are solved as one. Larger
/// angles: fewer contacts on round surfaces, along normals that are off by as much.
inline constexpr float merged_normal = 0.99985f;
/// Points of such a contact are at least this * the pair's size apart.
inline constexpr float merged_point_distance = 0.01f;
/// What moves by less than this * slop in a step is held by points that touch; what is faster, by all that it may come
/// to in the step. Larger: fast thin bodies get through; smaller: what rocks on bumpy ground comes to rest later.
inline constexpr float slow_approach = 10.0f;
/// The points of the last step stay those of such a contact while the deepest point is deeper than they are by no more
/// than this * slop, and while they span this part of what the best points span. Smaller depth, larger part: points
/// change more often, and what rests on a slope creeps (at 0 and 1 by up to 3 mm per minute); of 120 boxes on bumpy
/// ground 4 move by up to 1.6 mm per minute with these, with a part of 0.9 some 6 by up to 110 mm.
inline constexpr float kept_point_depth = 0.5f;
inline constexpr float kept_point_span = 0.5f;
/// Where they change all the same, points that bore a load count as if they were so many times as far off.
inline constexpr float kept_point_weight = 2.0f;

/// A contact with a triangle that is new bears what one of the same shape bore whose triangle was left, if their
/// normals agree to this cosine (18 degrees).
inline constexpr float passed_on_normal = 0.95f;

/// The box of a shape on a mesh whose triangles have contacts reaches so many sizes (half the longest side of its box)
/// farther than the shape and its way. Larger: the mesh is asked less often, and more triangles are kept that nothing
/// comes near.
inline constexpr float mesh_contact_margin = 0.15f;

/// The middle of a shape is looked at again, as to whether it got through a mesh, when it has moved by as much as it
/// was away from the mesh, or by this * size. Larger: more triangles are looked at, less often.
inline constexpr float side_probe = 0.5f;
/// A shape that was pressed through a mesh is known to belong to a place so many sizes in front of the mesh, and what
/// passes by an edge within that goes through it. Smaller: rounding lets it slip through seams.
inline constexpr float side_gap = 1e-3f;
/// Surfaces along which that place is moved in a step, one after the other: the walls of a corner.
inline constexpr int side_rounds = 4;

/// A body that moves in a step by more than this * inner radius (of a ball inside of it) is swept (swept_bodies.h).
/// Larger: fewer sweeps; from 1 on, what moves by less can get through a wall. At 0.5 the narrowphase's margin still
/// sees what the others meet.
inline constexpr float continuous_motion = 0.5f;
/// It is held up where it overlaps something by more than this, m, but at most this * inner radius. Smaller: what
/// slides over tiles is held up by seams as soon as it sinks in by so much; larger: visible overlaps of what is fast.
inline constexpr float continuous_depth = 2.0f * linear_slop;
inline constexpr float continuous_relative_depth = 0.25f;
/// ... of a body that joints hold this * inner radius. Larger: joints part less as one of two bodies is stopped, and
/// rest deeper.
inline constexpr float continuous_jointed_depth = 0.1f;
/// However often a sweep meets a fixed or kinematic obstacle in which the body is already, it lets the body in by no more
/// than this * inner radius in all. Without it joints that want a body behind a wall, or a heavy body on a light one,
/// press it through by continuous_depth per step (5 of 400 worlds of the soak lost a body so). Larger: such bodies are
/// seen deeper in walls; from 1 on they get out.
inline constexpr float continuous_deepest = 0.75f;
/// ... or by this, m. Larger: needles may get into walls of twice this thickness and out at their back; smaller: needles
/// that spin on a floor lose steps.
inline constexpr float continuous_deepest_least = 4.0f * linear_slop;
/// A body that is in as deep as that slides and turns there, but goes down by no more than this * continuous_depth per
/// step. Smaller: rounding makes it lose steps; larger: it is pressed through in so many steps.
inline constexpr float continuous_drop = 1e-3f;
/// Bodies that a contact of the step finds in a fixed or kinematic one by more than this * inner radius (and what
/// contacts let rest) are swept as well, however slow they are. Larger: with continuous_motion they might get through
/// before they are; smaller: light bodies under heavy ones cost a sweep each step.
inline constexpr float continuous_pressed = 0.25f;
inline constexpr float continuous_pressed_least = 2.0f * linear_slop;  ///< ... and by more than this, m
/// Impacts of one body in one step; what meets more loses the rest of the step. A ball of 1 cm that bounces at 1,000
/// m/s between walls 1 m apart needs 17.
inline constexpr int continuous_impacts = 8;
/// Joints that a step's last sub-step leaves open by more than this, m, are closed at its end, as are all those of an
/// articulation that had an impact (opened_joints.h). Larger: joints are seen open by as much, since contacts and
/// joints may differ by joint_contact_speed (8 mm on stairs without it); smaller: more articulations are closed (of
/// ragdolls that tumble down stairs the first 100 steps cost 2% more at 2 mm, 4% at 1).
inline constexpr double joint_closing_least = 1e-3;
/// ... until they are open by less than this, m.
inline constexpr double joint_closing_gap = 1e-4;
/// Joints that were open by more than this when the step began, m, are not closed. Larger: what the user has put apart jumps
/// together by as much; smaller: joints that an obstacle keeps open stay open for longer.
inline constexpr double joint_closing_most = 0.05;
/// Solves by Newton's method, at most, and how far a link turns in one, rad. Fewer or smaller: joints that an impact
/// has opened by half a metre stay open (at 8 solves by up to 0.5 m, 40 m/s at 30 Hz); larger turns: the solves do not
/// converge, as joints are not straight that far.
inline constexpr int joint_closing_solves = 24;
inline constexpr double joint_closing_turn = 0.5;
/// Links whose solve turns them farther than that turn less easily in the next one, down to this; the ease comes back
/// by this factor per solve.
inline constexpr double joint_closing_least_ease = 1e-3;
inline constexpr double joint_closing_ease_growth = 4.0;
/// Rounds of closing and sweeping. Fewer: links that meet something as their joints are closed leave these open.
inline constexpr int joint_closing_rounds = 8;
/// After so many steps in a row in which the joints of a loop, or of bodies with locked axes, could not be closed, they are
/// left open. Smaller: loops that an obstacle keeps open stay open for longer; larger: joints that contradict each other
/// are closed in vain, at four times the cost of a step.
inline constexpr int joint_closing_tries = 8;
/// Links that were swept go to where joints want them in this last part of the step, in which obstacles hardly move.
inline constexpr float joint_closing_time = 1.0f / 1024.0f;
/// Planes that have stopped such a link let it in by this part of the depth at which it was stopped. From 1 on it is
/// stopped at once again.
inline constexpr float joint_closing_depth = 0.9f;
/// Rounds of sequential impulses at an impact.
inline constexpr int continuous_rounds = 8;
/// Joint anchors nearer than this have no direction between them (m): a distance joint that short takes A's x axis for
/// it.
inline constexpr double joint_point_length = 1e-7;
/// Slack of rigid joint rows, as a part of the row's own response to impulse: in articulations without loops, in those
/// with (redundant rows have no unique impulses without it; at 1e-4 a hanging bridge creeps at 1 cm/s), and of drives,
/// which may meet limits.
inline constexpr double joint_slack = 1e-10;
inline constexpr double joint_slack_looped = 1e-6;
inline constexpr double joint_slack_drive = 1e-4;
/// How fast joints that were pulled or put apart close, m/s and rad/s: faster would fling about what is attached.
inline constexpr double joint_push_speed = 3.0;
inline constexpr double joint_turn_speed = 6.0;
inline constexpr double joint_push_share = 0.2;  ///< ... and by this part of what is left, in a sub-step
/// Of redundant rows (redundant_rows.h): pushes of contradicting joints keep their proportion up to so many times the
/// way of a sub-step (larger: one body far away slows all that its loops hold); all pushes together may be so many
/// times the energy that they would have row by row (smaller: large nets sag, larger: what is nearly redundant jumps),
/// or make all that joints hold go this fast, m/s.
inline constexpr double joint_push_farthest = 100.0;
inline constexpr double joint_push_gain = 100.0;
inline constexpr double joint_quiet_push = 0.1;
/// If a push turns a row by more than this, rad, the slack of the rows grows with that angle (push_together(),
/// redundant_rows.h). Smaller: loops that are nearly closed pay for two more factorisations; larger: chains that are a
/// little too short tremble.
inline constexpr double joint_crooked = 2e-4;
/// Joints that are apart by less than this part of the way that they may close in a sub-step (1 um) wait until it is
/// more.
inline constexpr double joint_least_push = 8e-5;
/// What bends ways may make kinetic energy this many times as large within the sub-step (a link that turns by 1 rad in
/// it: 1.3), and the relax pass must bring the gain back to this part. Smaller: loops that turn fast lose energy.
inline constexpr double joint_bend_gain = 1.5;
inline constexpr double joint_energy_gain = 0.001;
/// Links that swing faster in their joints than this a sub-step (rad) are integrated implicitly, which damps them;
/// above 2 a chain under load would explode.
inline constexpr double joint_turn_rate = 0.7;
/// The mean spin of such a link, which is not damped, is a running mean in which the last sub-step has this share.
/// Larger: chains that heavy weights snap taut open wider (by 68 mm at 0.25, 30 mm at 0.125); smaller: heavy pendulums on
/// light rods lose energy (in 10 s 0.7% at 0.25, 1.1% at 0.125, 2.9% at 0.06, without the next setting).
inline constexpr double joint_usual_spin = 0.125;
/// A link whose mean spin turns it by this in a sub-step (rad), or by more, has all of its spin slowed; the slower the
/// mean spin is, the more of it is left. Larger: a chain of 100 links that whips round a ball of 100,000 links' mass opens
/// by 0.4 m and gains energy (measured without this limit); smaller: heavy pendulums lose more energy (in 10 s 2.0% at
/// 0.1, 2.8% at 0.07, 4.3% at 0.05).
inline constexpr double joint_steady_turn = 0.07;
/// What of a load is remembered from sub-step to sub-step when it eases; less: jerking loads may find their chain
/// unprepared.
inline constexpr double joint_load_memory = 0.9;
/// Kinetic energy that joints may add in a pass, as if all that they hold went this fast (m/s) more. Smaller would slow
/// down strong motors.
inline constexpr double joint_gain_speed = 10.0;
/// A limit or motor at its bound is let go when it would move off it faster than this, m/s or rad/s. 0 would let
/// rounding decide.
inline constexpr double joint_release_speed = 1e-7;
/// Speeds below this that joints leave, m/s and rad/s, are their rounding, and become zero. At 0 the products of such
/// speeds are denormal numbers wherever things move in a plane: processors take a hundred times as long for those.
inline constexpr double joint_least_speed = 1e-12;
/// Newton rounds go on while anchors would miss each other by more than this over a sub-step, m/s and rad/s; one round
/// is enough for what missed by less than joint_quick before it, where no limits and motors may come in. Larger: light
/// links between heavy bodies tremble.
inline constexpr double joint_tolerance = 1e-4;
inline constexpr double joint_quick = 1e-2;
/// Where joints leave a contact to change the speed of what they hold by more than this, m/s, it is solved through the
/// joints, in so many rounds of so many sweeps at most, or until these change speeds by less than the tolerance, m/s.
/// Larger: joints open by that speed times a sub-step at impacts (at 2 m/s ragdolls' by 24 mm, at 1 m/s by 16);
/// smaller: more solves (of ragdolls falling downstairs 9% of the step at 1 m/s, 50% at 0.1).
inline constexpr double joint_contact_speed = 1.0;
/// ... or by more than this share of the speed at which what touches moves, down to the least, m/s: half of what
/// gravity gives in a sub-step. Larger: what rests on limits or on many links trembles (of 40 cars at the end of their
/// travel all at 1 m/s, seven at 0.3, none at 0.1; a chain on the ground keeps one link awake at 0.1); smaller: more
/// solves.
inline constexpr double joint_contact_motion = 0.3, joint_contact_least = 0.02;
inline constexpr double joint_contact_share = 0.5;  ///< ... of it by a point alone, for that to take part
inline constexpr int joint_contact_rounds = 4;
inline constexpr int joint_contact_sweeps = 32;
inline constexpr double joint_contact_tolerance = 1e-3;
/// Joints and passes over what bounces, by turns, after a bounce of something that joints hold. At 0 cradles of balls
/// on rods gain 15% of their energy, or lose 80%, at 1 they lose 4% in 20 s where their rods are short, at 2 half of
/// it.
inline constexpr int joint_bounces = 2;
/// Contacts that give less than this part of what they would without joints are left alone: what joints hold fast needs
/// impulses without bounds. Smaller: light things between heavy ones are held together, too.
inline constexpr double joint_contact_give = 1e-3;
/// Rounds of the active set in a pass. Fewer: a ragdoll that hits many limits at once may pass one of them for a
/// sub-step.
inline constexpr int joint_rounds = 8;
/// Springs that turn their phase by no more than this in a sub-step (rad) lose no energy but by their damping ratio;
/// stiffer ones, by implicit Euler, lose more. Larger: fewer stiff springs in parallel are stable.
inline constexpr double slow_spring_turn = 0.25;

/// Bodies are stopped from turning more than this in one sub-step, rad: a turn by more looks like one the other way to
/// whatever they touch. At 60 Hz and 4 sub-steps 720 rad/s.
inline constexpr float max_rotation_per_substep = 3.0f;
/// ... and those that joints hold this: joints solve how far their bodies turn.
inline constexpr float max_joint_rotation = 1.5f;
/// A body that nothing touches, without torque and damping, turns by up to this in one go, rad: sub-steps of a step are
/// joined. Larger: the error of its energy grows (2e-4 at 0.5, free_rotation.h); smaller: more work (with every sub-step
/// followed, 5% more instructions for a rain of 1,000 hulls).
inline constexpr double free_turn = 0.25;
/// A body's contacts are found anew within a step when it has turned by this times its least radius of gyration over
/// its reach, rad (substep_contacts.cpp): a cube at 0.24 rad, a stick 1 m long and 2 cm thick at 0.007. Larger: levers
/// and inertia of thin bodies in motion contradict each other, and they take up energy; smaller: more contacts are
/// found anew.
inline constexpr float stale_turn = 0.5f;
/// ... and so many times earlier if it bounces. At 1 a stick without losses in a room gains 1 to 10% at an impact.
inline constexpr float bouncing_strictness = 16.0f;
/// A contact is found anew before it is struck (by more than strike_rate) when its surfaces have moved along each other
/// by this share of the smaller body's inner radius (of a compound, least radius of gyration if that is more) since it
/// was found. Larger: impacts of bodies that pass each other act beside where they touch, which makes energy and
/// angular momentum; smaller: more contacts are found anew.
inline constexpr float stale_slide = 0.03f;
/// ... and if the product of that way and the speed of the blow is more than this times the product of their least
/// values: a slow blow that is a little off makes next to no energy. Smaller: more contacts are found anew (at 1 a closed
/// box with 400 tumbling bodies takes 4% more instructions); larger: more energy is made. Of 3,000 random plain worlds 32
/// gain energy at 1, and 37 here.
inline constexpr float stale_strike = 4.0f;

}  // namespace talus::settings
