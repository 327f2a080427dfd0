#include "samples/window/simulation/switches.h"

namespace talus::samples {

std::span<const DrawSwitch> draw_switches() {
    using S = DrawSwitches;
    static constexpr DrawSwitch all[] = {
        {"bodies", "Bodies", "The bodies themselves; without them, marks alone.", "Bodies",
         [](S& s) -> bool& { return s.bodies; }},
        {"wireframe", "Wireframe", "Triangles as lines, so that one sees through.", "Bodies",
         [](S& s) -> bool& { return s.wireframe; }},
        {"shadows", "Shadows", "The sun's shadows.", "Bodies", [](S& s) -> bool& { return s.shadows; }},
        {"outlines", "Outlines", "The shapes' edges, as the engine has them.", "Bodies",
         [](S& s) -> bool& { return s.debug.outlines; }},
        {"centers", "Mass centres", "A mark at each dynamic body's centre of mass.", "Bodies",
         [](S& s) -> bool& { return s.debug.centers_of_mass; }},
        {"axes", "Inertia axes", "Principal axes, as long as the radii of gyration.", "Bodies",
         [](S& s) -> bool& { return s.debug.inertia_axes; }},
        {"velocities", "Velocities", "Where centres of mass go, and the spin.", "Bodies",
         [](S& s) -> bool& { return s.debug.velocities; }},
        {"joints", "Joints", "Frames, anchors and limits; red: a limit that holds.", "Bodies",
         [](S& s) -> bool& { return s.debug.joints; }},
        {"contacts", "Points", "Contact points: red when new, green when they went on.", "Contacts",
         [](S& s) -> bool& { return s.debug.contact_points; }},
        {"normals", "Normals", "From body A to body B.", "Contacts",
         [](S& s) -> bool& { return s.debug.contact_normals; }},
        {"impulses", "Impulses", "Along the normal, and friction's.", "Contacts",
         [](S& s) -> bool& { return s.debug.contact_impulses; }},
        {"features", "Feature ids", "Which features of the two shapes make the point.", "Contacts",
         [](S& s) -> bool& { return s.debug.feature_ids; }},
        {"manifolds", "Manifold areas", "The polygon of a manifold's points.", "Contacts",
         [](S& s) -> bool& { return s.debug.manifold_areas; }},
        {"rungs", "Pair rungs", "A line for each pair, coloured by how it was settled.", "Narrowphase",
         [](S& s) -> bool& { return s.debug.pair_rungs; }},
        {"boxes", "Boxes", "Tight boxes around the bodies.", "Broadphase", [](S& s) -> bool& { return s.debug.boxes; }},
        {"fat", "Fat boxes", "The boxes that the broadphase sorts.", "Broadphase",
         [](S& s) -> bool& { return s.debug.fat_boxes; }},
        {"columns", "Columns", "Cells of the broadphase's grid, and the way they are swept.", "Broadphase",
         [](S& s) -> bool& { return s.debug.columns; }},
    };
    return all;
}

}  // namespace talus::samples
