#include <talus/engine/debug_draw.h>

#include "engine/debug_draw/parts.h"
#include "engine/world/error_text.h"
#include "engine/world/world_state.h"

namespace talus {

Color color_of(Rung rung) {
    switch (rung) {
        case Rung::skip:
            return {148, 163, 184};
        case Rung::reuse:
            return {45, 160, 110};
        case Rung::closed_form:
            return {38, 166, 190};
        case Rung::axis_separated:
            return {70, 120, 220};
        case Rung::axis_touching:
            return {124, 92, 214};
        case Rung::warm_gjk:
            return {222, 184, 40};
        case Rung::cold_gjk:
            return {232, 126, 36};
        case Rung::warm_epa:
            return {222, 92, 140};
        case Rung::cold_epa:
            return {200, 36, 44};
        case Rung::features:
            return {150, 60, 170};
    }
    return {};
}

const char* title_of(Rung rung) {
    switch (rung) {
        case Rung::skip:
            return "skip";
        case Rung::reuse:
            return "reuse";
        case Rung::closed_form:
            return "closed form";
        case Rung::axis_separated:
            return "axis, separated";
        case Rung::axis_touching:
            return "axis, touching";
        case Rung::warm_gjk:
            return "warm GJK";
        case Rung::cold_gjk:
            return "cold GJK";
        case Rung::warm_epa:
            return "warm EPA";
        case Rung::cold_epa:
            return "cold EPA";
        case Rung::features:
            return "features";
    }
    return "";
}

/// Returns a colour for a number. The hues of consecutive numbers are a golden section of the circle apart, so a few
/// consecutive numbers have different hues.
Color color_of_number(std::uint32_t number) {
    const std::uint32_t hue = 6 * (number * 40503u & 0xffffu);  // 16 bits after the point
    const std::uint32_t sector = hue >> 16, part = hue & 0xffffu;
    const std::uint32_t high = number % 3 == 0 ? 236 : number % 3 == 1 ? 212 : 188, low = high * 9 / 20;
    const auto rising = static_cast<std::uint8_t>(low + ((high - low) * part >> 16));
    const auto falling = static_cast<std::uint8_t>(high - ((high - low) * part >> 16));
    const auto h = static_cast<std::uint8_t>(high), l = static_cast<std::uint8_t>(low);
    switch (sector) {
        case 0:
            return {h, rising, l};
        case 1:
            return {falling, h, l};
        case 2:
            return {l, h, rising};
        case 3:
            return {l, falling, h};
        case 4:
            return {rising, l, h};
        default:
            return {h, l, falling};
    }
}

bool World::draw(DebugDraw& out, const DebugDrawOptions& options) const {
    using namespace debug_draw;
    const State& s = *state_;
    if (!s.accept("draw",
                  check_enumerator("outline_color", options.outline_color, OutlineColor::island, "OutlineColor")))
        return false;
    const RunningCallbacks::Scope running(s.callbacks);
    if (options.columns) draw_columns(out, options, s.proxies.broadphase());
    if (options.outlines || options.boxes || options.fat_boxes || options.centers_of_mass || options.inertia_axes ||
        options.velocities) {
        const BodyPart part{s.bodies, s.shapes, s.colliders, s.proxies.broadphase(), s.awake()};
        for (std::uint32_t slot = 0; slot < s.bodies.slot_count(); ++slot) {
            if (s.bodies[slot].in_use) part.draw(out, options, slot, s.island_of(slot));
        }
    }
    if (options.pair_rungs) s.draw_pair_rungs(out, options.region);
    if (options.contact_points || options.contact_normals || options.contact_impulses || options.feature_ids ||
        options.manifold_areas) {
        for (const Contact& contact : contacts()) draw_contact(out, options, contact);
    }
    if (options.joints) {
        for (std::uint32_t slot = 0; slot < s.joints.slot_count(); ++slot) {
            if (s.joints[slot].in_use) draw_joint(out, options, s.joints, s.bodies, slot);
        }
    }
    return true;
}

/// Draws a line for each contact that was tested, coloured by its rung: from the centre of the smaller shape to the
/// centre of the larger one. The end is clamped to the part of the larger box in which the smaller box fits, so that
/// the lines of bodies on a floor do not all end at the floor's middle.
void World::State::draw_pair_rungs(DebugDraw& out, const WorldAabb& region) const {
    for (const std::uint32_t c : active_contacts.active()) {
        const PairRecord& record = contacts.records[c];
        const bool is_there = contacts.bodies[c].a != null_index && record.state != PairState::unknown;
        if (!is_there || record.rung == Rung::skip) continue;
        const debug_draw::Pen pen(out, colliders.poses[record.b].position);
        const Aabb& small = shapes.boxes[record.b];
        const Aabb large = displaced(shapes.boxes[record.a], vec3(colliders.poses[record.a].position - pen.origin()));
        const vec3 from = center(small), room = glm::max(half_extents(large) - half_extents(small), vec3(0.0f));
        const vec3 to = glm::clamp(from, center(large) - room, center(large) + room);
        const Aabb box{glm::min(from, to), glm::max(from, to)};
        if (overlaps(translated(box, pen.origin()), region)) pen.line(from, to, color_of(record.rung));
    }
}

}  // namespace talus
