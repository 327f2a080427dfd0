/// The inspector of the selected body.

#include "samples/window/app/app.h"
#include "samples/window/panels/ui_panels.h"
#include "samples/window/panels/ui_style.h"

#include <cstdio>
#include <optional>

namespace talus::samples {

namespace {

std::string text_of(const dvec3& v, const char* unit) {
    char text[96];
    std::snprintf(text, sizeof text, "%.3f  %.3f  %.3f %s", v.x, v.y, v.z, unit);
    return text;
}

std::string size_of(const Shape& shape) {
    char text[96] = "";
    const auto d = [](float x) { return static_cast<double>(x); };
    switch (shape.type) {
        case ShapeType::sphere:
            std::snprintf(text, sizeof text, "radius %.3g m", d(shape.radius));
            break;
        case ShapeType::capsule:
            std::snprintf(text, sizeof text, "radius %.3g, length %.3g m", d(shape.radius),
                          d(2 * shape.half_extents.y + 2 * shape.radius));
            break;
        case ShapeType::box:
            std::snprintf(text, sizeof text, "%.3g x %.3g x %.3g m", d(2 * (shape.half_extents.x + shape.radius)),
                          d(2 * (shape.half_extents.y + shape.radius)), d(2 * (shape.half_extents.z + shape.radius)));
            break;
        case ShapeType::cylinder:
        case ShapeType::cone:
            std::snprintf(text, sizeof text, "radius %.3g, height %.3g m", d(shape.half_extents.x),
                          d(2 * shape.half_extents.y));
            break;
        case ShapeType::hull:
            if (shape.hull)
                std::snprintf(text, sizeof text, "%zu vertices, %zu faces", shape.hull->vertices.size(),
                              shape.hull->faces.size());
            break;
        case ShapeType::mapping: {
            const vec3 size = 2.0f * half_extents(bounds(shape));
            std::snprintf(text, sizeof text, "%.3g x %.3g x %.3g m", d(size.x), d(size.y), d(size.z));
            break;
        }
        case ShapeType::segment:
        case ShapeType::triangle:
            if (shape.radius > 0) std::snprintf(text, sizeof text, "radius %.3g m", d(shape.radius));
            break;
    }
    return text;
}

const char* name_of_kind(JointKind kind) {
    constexpr const char* names[] = {"ball",        "hinge", "slider", "fixed", "distance",
                                     "six degrees", "wheel", "gear",   "motor"};
    return names[static_cast<int>(kind)];
}

std::string body_name(const App& app, BodyId id) {
    const auto index = app.simulation.index_of(id);
    return index ? "body " + std::to_string(*index) : std::string("the hand");
}

void select_button(App& app, BodyId id, int row) {
    const auto index = app.simulation.index_of(id);
    ImGui::PushID(row);
    if (index && ImGui::Selectable(body_name(app, id).c_str(), false)) app.select(id);
    if (!index) ImGui::TextUnformatted("the hand");
    ImGui::PopID();
}

void step_through(App& app, BodyId a, BodyId b) {
    const auto number_a = app.simulation.index_of(a), number_b = app.simulation.index_of(b);
    if (!number_a || !number_b) return;
    app.set_paused(true);
    if (const Error error = app.show_pair_of(*number_a, *number_b)) return app.say(error.message);
    app.step_through_pair(*app.marked);
}

void draw_contacts(App& app, BodyId body) {
    const World& world = app.simulation.world();
    const std::vector<Contact> contacts = world.contacts(body);
    ui::heading(("Contacts: " + std::to_string(contacts.size())).c_str());
    if (contacts.empty()) return;
    if (!ImGui::BeginTable("contacts", 5, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) return;
    ImGui::TableSetupColumn("with", 0, 1.5f);
    ImGui::TableSetupColumn("points", 0, 0.9f);
    ImGui::TableSetupColumn("mm", 0, 1.0f);
    ImGui::TableSetupColumn("N s", 0, 1.0f);
    ImGui::TableSetupColumn("##steps", 0, 1.1f);
    ImGui::TableHeadersRow();
    int row = 0;
    std::optional<BodyId> stepped;
    for (const Contact& contact : contacts) {
        if (row >= 12) break;
        float deepest = 1e9f, impulse = 0.0f;
        for (int i = 0; i < contact.point_count; ++i) {
            deepest = std::min(deepest, contact.points[i].separation);
            impulse += contact.points[i].normal_impulse;
        }
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const BodyId other = contact.body_a == body ? contact.body_b : contact.body_a;
        select_button(app, other, row++);
        ImGui::TableNextColumn();
        ImGui::Text("%d", contact.point_count);
        ImGui::TableNextColumn();
        ImGui::Text("%.2f", 1e3 * static_cast<double>(deepest));
        ImGui::TableNextColumn();
        ImGui::Text("%.4g", static_cast<double>(impulse));
        ImGui::TableNextColumn();
        ImGui::PushID(row);
        if (ImGui::SmallButton("steps")) stepped = other;
        ImGui::PopID();
        ui::tooltip("How the pair is tested, step by step");
    }
    ImGui::EndTable();
    if (stepped) step_through(app, body, *stepped);
    if (contacts.size() > 12) ui::muted_text("and " + std::to_string(contacts.size() - 12) + " more");
}

void draw_joints(App& app, BodyId body) {
    const World& world = app.simulation.world();
    const std::vector<JointId> joints = world.joints(body);
    if (joints.empty()) return;
    ui::heading(("Joints: " + std::to_string(joints.size())).c_str());
    if (!ImGui::BeginTable("joints", 3, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) return;
    ImGui::TableSetupColumn("kind");
    ImGui::TableSetupColumn("with");
    ImGui::TableSetupColumn("N");
    ImGui::TableHeadersRow();
    int row = 100;
    for (const JointId joint : joints) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(name_of_kind(world.kind(joint)));
        ImGui::TableNextColumn();
        select_button(app, world.body_a(joint) == body ? world.body_b(joint) : world.body_a(joint), row++);
        ImGui::TableNextColumn();
        ImGui::Text("%.4g", static_cast<double>(glm::length(world.joint_force(joint))));
    }
    ImGui::EndTable();
}

}  // namespace

void draw_body_panel(App& app) {
    const World& world = app.simulation.world();
    const BodyId body = app.selected;
    const auto index = app.simulation.index_of(body);
    if (app.replay) {
        ui::muted_text("A recording plays: it keeps poses and contacts, not masses and velocities.");
        return;
    }
    if (!index) {
        ImGui::Dummy({0, 4});
        ui::muted_text(
            "Click a body to select it; hold the button to drag it on a spring, let go to throw it. Del deletes it.");
        return;
    }
    constexpr const char* types[] = {"fixed", "kinematic", "dynamic"};
    const BodyType type = world.type(body);
    ui::heading(("Body " + std::to_string(*index)).c_str());
    ui::fact("type", types[static_cast<int>(type)] +
                         std::string(world.is_awake(body) || type == BodyType::fixed ? "" : ", asleep"));
    if (type == BodyType::dynamic) ui::fact("mass", format("%.4g kg", static_cast<double>(world.mass(body))));
    ui::fact("position", text_of(world.position(body), "m"));
    if (type != BodyType::fixed) {
        const vec3 velocity = world.linear_velocity(body), spin = world.angular_velocity(body);
        ui::fact("velocity", text_of(velocity, "m/s"));
        ui::fact("speed", format("%.3f m/s", static_cast<double>(glm::length(velocity))));
        ui::fact("spin", text_of(spin, "rad/s"));
        if (type == BodyType::dynamic) {
            const double energy = 0.5 * static_cast<double>(world.mass(body) * length_squared(velocity) +
                                                            glm::dot(spin, world.inertia(body) * spin));
            ui::fact("kinetic energy", format("%.4g J", energy));
            const std::uint32_t island = world.island(body);
            ui::fact("island", island == no_island ? "none" : std::to_string(island));
        }
    }

    const std::span<const ShapeDef> shapes = world.shapes(body);
    ui::heading(shapes.size() == 1 ? "Shape" : ("Shapes: " + std::to_string(shapes.size())).c_str());
    for (std::size_t i = 0; i < std::min<std::size_t>(shapes.size(), 6); ++i) {
        if (shapes[i].mesh) {
            ui::fact("mesh", std::to_string(shapes[i].mesh->size()) + " triangles");
        } else {
            ui::fact(name_of(shapes[i].shape.type).data(), size_of(shapes[i].shape));
        }
        if (shapes.size() == 1) {
            ui::fact("friction", format("%.2f", static_cast<double>(shapes[i].material.friction)));
            ui::fact("restitution", format("%.2f", static_cast<double>(shapes[i].material.restitution)));
        }
    }
    draw_contacts(app, body);
    draw_joints(app, body);
    ImGui::Dummy({0, 6});
    if (ImGui::Button("Show (F)")) app.frame_selection();
    ImGui::SameLine();
    if (ImGui::Button("Delete (Del)")) app.delete_selected();
}

}  // namespace talus::samples
