#include "samples/window/renderer/gl_scene.h"

#include "samples/window/renderer/gl_shaders.h"

#include <glm/gtc/matrix_transform.hpp>
#include <glm/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus::samples {

namespace {

constexpr float ground_size = 20.0f;  // fixed bodies with a larger radius are ground, as in samples/render, m
constexpr int shared_from = 8;        // uses of a hull from which on it is drawn instanced
constexpr int flag_selected = 4;

}  // namespace

Quality Quality::of_this_machine() {
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string name = renderer ? renderer : "";
    for (const char* software : {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software"}) {
        if (name.find(software) != std::string::npos) return Quality::software();
    }
    return full();
}

Result<SceneRenderer> SceneRenderer::make(const Quality& quality) {
    SceneRenderer renderer;
    if (Error error = renderer.set_quality(quality)) return error;
    glBindTexture(GL_TEXTURE_2D, renderer.instance_texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return renderer;
}

Error SceneRenderer::set_quality(const Quality& quality) {
    const std::string defines = quality.lean ? "#define LEAN\n" : "";
    const std::string light(shaders::light_functions);
    const std::string fragment = light + std::string(shaders::part_fragment);
    const std::string vertex = light + std::string(shaders::part_vertex);
    Result<GlProgram> solid = GlProgram::make(defines + (quality.lean ? "#define SIMPLE\n" : ""), vertex, fragment);
    if (!solid) return solid.error();
    Result<GlProgram> ground = GlProgram::make(defines + "#define GROUND\n", vertex, fragment);
    if (!ground) return ground.error();
    Result<GlProgram> glass = GlProgram::make(defines + "#define GLASS\n", vertex, fragment);
    if (!glass) return glass.error();
    Result<GlProgram> depth = GlProgram::make(defines + "#define DEPTH_ONLY\n", vertex, shaders::nothing_fragment);
    if (!depth) return depth.error();
    Result<GlProgram> edges = GlProgram::make(defines + "#define DEPTH_ONLY\n", vertex, shaders::edge_fragment);
    if (!edges) return edges.error();
    Result<GlProgram> sky =
        GlProgram::make(defines, light + std::string(shaders::sky_vertex), light + std::string(shaders::sky_fragment));
    if (!sky) return sky.error();
    solid_program_ = std::move(*solid);
    ground_program_ = std::move(*ground);
    glass_program_ = std::move(*glass);
    depth_program_ = std::move(*depth);
    edge_program_ = std::move(*edges);
    sky_program_ = std::move(*sky);
    quality_ = quality;
    return {};
}

void SceneRenderer::clear() {
    bodies_.clear();
    hulls_.clear();
    meshes_changed_ = true;
}

void SceneRenderer::add_body(std::span<const ShapeDef> shapes, BodyType type, bool glass) {
    Body body;
    body.glass = glass;
    for (const ShapeDef& def : shapes) {
        Part part;
        part.shape = def.mesh ? PartShape{} : part_shape(def.shape);
        part.pose = {transform_point(def.pose, part.shape.pose.position),
                     multiply(def.pose.rotation, part.shape.pose.rotation)};
        part.radius = reach_of(def);
        body.radius = std::max(body.radius, glm::length(def.pose.position) + part.radius);
        if (!part.shape.is_unit) {
            part.geometry = def;
            meshes_changed_ = true;
        }
        if (!def.mesh && def.shape.type == ShapeType::hull && def.shape.hull && def.shape.radius == 0.0f) {
            const auto same = std::find_if(hulls_.begin(), hulls_.end(),
                                           [&](const SharedHull& h) { return h.hull == def.shape.hull; });
            part.mesh = static_cast<int>(same - hulls_.begin());
            if (same == hulls_.end()) hulls_.push_back({def.shape.hull, 0, {}});
            ++hulls_[static_cast<std::size_t>(part.mesh)].uses;
        }
        body.parts.push_back(std::move(part));
    }
    const bool flat =
        std::none_of(shapes.begin(), shapes.end(), [](const ShapeDef& def) { return def.mesh != nullptr; });
    body.ground = type == BodyType::fixed && flat && body.radius > ground_size;
    bodies_.push_back(std::move(body));
}

void SceneRenderer::remove_body(std::size_t body) {
    for (const Part& part : bodies_[body].parts) {
        if (part.shape.is_unit) continue;
        meshes_changed_ = true;
        if (part.mesh >= 0) --hulls_[static_cast<std::size_t>(part.mesh)].uses;
    }
    bodies_.erase(bodies_.begin() + static_cast<std::ptrdiff_t>(body));
}

void SceneRenderer::build_meshes() {
    meshes_changed_ = false;
    meshes_.clear();
    for (SharedHull& hull : hulls_) {
        hull.range = {};
        if (hull.uses >= shared_from) hull.range = meshes_.add(triangulate(talus::hull(hull.hull)));
    }
    for (std::size_t layer = 0; layer < layer_count; ++layer) {
        const MeshRange begin = meshes_.next();
        batch_size_[layer] = 0;
        for (Body& body : bodies_) {
            if (layer_of(body) != layer) continue;
            for (Part& part : body.parts) {
                if (part.shape.is_unit || is_shared(part)) continue;
                part.slot = batch_size_[layer]++;
                part.range = meshes_.add_to_batch(triangulate(part.geometry), part.slot);
            }
        }
        batch_[layer] = meshes_.since(begin);
    }
}

int SceneRenderer::fineness(const Part& part, float pixels) const {
    if (part.shape.unit == UnitMesh::box) return 0;
    if (quality_.lean) return pixels < 12.0f ? 0 : pixels < 70.0f ? 1 : 2;
    return pixels < 9.0f ? 0 : pixels < 60.0f ? 1 : 2;
}

void SceneRenderer::gather(const Frame& frame) {
    const std::size_t units = unit_mesh_count * fineness_count;
    const std::size_t meshes = units + hulls_.size();
    buckets_.resize(layer_count * meshes);
    for (auto& bucket : buckets_) bucket.clear();
    for (std::size_t layer = 0; layer < layer_count; ++layer) batched_[layer].resize(batch_size_[layer]);

    const float focal = frame.view.focal();
    const vec3 eye = frame.view.from_origin(frame.view.eye);
    const std::size_t count = std::min({bodies_.size(), frame.poses.size(), frame.looks.size()});
    // Where a processor draws, near ones first: what they hide is not shaded.
    order_.clear();
    near_first_.clear();
    for (std::size_t b = 0; b < count; ++b) {
        order_.emplace_back(glm::dot(vec3(frame.poses[b].position - frame.view.eye), frame.view.forward),
                            static_cast<std::uint32_t>(b));
    }
    if (quality_.lean) std::sort(order_.begin(), order_.end());
    for (const auto& [body_depth, b] : order_) {
        const Body& body = bodies_[b];
        const Transform pose = relative_to(frame.view.origin, frame.poses[b]);
        const BodyLook& look = frame.looks[b];
        if (look.hidden) {
            for (const Part& part : body.parts) {
                if (!part.shape.is_unit && !is_shared(part)) batched_[layer_of(body)][part.slot] = Instance{};
            }
            continue;
        }
        const int flags = look.selected ? flag_selected : 0;
        const std::size_t layer = layer_of(body), drawn_in = frame.wireframe ? glass_layer : layer;
        for (const Part& part : body.parts) {
            const quat q = multiply(pose.rotation, part.pose.rotation);
            const Instance instance{transform_point(pose, part.pose.position),
                                    part.radius,
                                    {q.x, q.y, q.z, q.w},
                                    part.shape.scale,
                                    part.shape.stretch,
                                    look.color,
                                    static_cast<float>(flags)};
            std::size_t mesh = units + static_cast<std::size_t>(part.mesh);
            if (part.shape.is_unit) {
                // What lies behind the eye may throw shadows: as if it were near.
                const float depth = std::max(1e-3f, glm::dot(instance.position - eye, frame.view.forward));
                const int fine = fineness(part, focal * part.radius / depth);
                mesh = static_cast<std::size_t>(part.shape.unit) * fineness_count + static_cast<std::size_t>(fine);
            } else if (!is_shared(part)) {
                batched_[layer][part.slot] = instance;
                if (quality_.lean && layer == solid_layer) {
                    const auto corners = meshes_.corners(part.range);
                    near_first_.insert(near_first_.end(), corners.begin(), corners.end());
                }
                continue;
            }
            buckets_[drawn_in * meshes + mesh].push_back(instance);
        }
    }

    instances_.clear();
    for (auto& calls : calls_) calls.clear();
    const auto add = [&](std::size_t layer, const MeshRange& range, std::span<const Instance> instances, bool batch) {
        if (instances.empty() || range.count == 0) return;
        calls_[layer].push_back({range, static_cast<std::uint32_t>(instances_.size()),
                                 batch ? 1u : static_cast<std::uint32_t>(instances.size())});
        instances_.insert(instances_.end(), instances.begin(), instances.end());
    };
    for (std::size_t layer = 0; layer < layer_count; ++layer) {
        for (std::size_t mesh = 0; mesh < meshes; ++mesh) {
            const MeshRange range = mesh < units ? meshes_.unit(static_cast<UnitMesh>(mesh / fineness_count),
                                                                static_cast<int>(mesh % fineness_count))
                                                 : hulls_[mesh - units].range;
            add(layer, range, buckets_[layer * meshes + mesh], false);
        }
        if (count == bodies_.size()) add(frame.wireframe ? glass_layer : layer, batch_[layer], batched_[layer], true);
    }
    if (instances_.empty()) return;
    constexpr std::size_t texels = sizeof(Instance) / sizeof(glm::vec4), row = shaders::instance_row / texels;
    const std::size_t rows = (instances_.size() + row - 1) / row;
    instances_.resize(rows * row);
    glBindTexture(GL_TEXTURE_2D, instance_texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, shaders::instance_row, static_cast<GLsizei>(rows), 0, GL_RGBA, GL_FLOAT,
                 instances_.data());
}

void SceneRenderer::issue(const GlProgram& program, std::span<const Call> calls, MeshPart part) {
    const bool lines = part == MeshPart::edges || part == MeshPart::sides;
    for (const Call& call : calls) {
        const auto [first, count] = meshes_.find(call.range, part);
        program.set("base", static_cast<int>(call.base));
        glDrawElementsInstanced(lines ? GL_LINES : GL_TRIANGLES, static_cast<GLsizei>(count), GL_UNSIGNED_INT,
                                reinterpret_cast<const void*>(sizeof(std::uint32_t) * first),
                                static_cast<GLsizei>(call.instances));
        ++draw_calls_;
    }
}

bool SceneRenderer::make_shadow_map() {
    const int size = std::max(1, quality_.shadow_size);
    if (shadow_size_ == size) return false;
    shadow_size_ = size;
    glBindTexture(GL_TEXTURE_2D, shadow_texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_texture_, 0);
    constexpr GLenum nothing[] = {GL_NONE};
    glDrawBuffers(1, nothing);
    glReadBuffer(GL_NONE);
    return true;
}

void SceneRenderer::cast_shadows(const Frame& frame) {
    const int size = shadow_size_;
    // The map covers what casts shadows around what one looks at: not a body that fell off the world.
    const float reach = 2.5f * frame.view.distance;
    const vec3 target = frame.view.from_origin(frame.view.target);
    bool any = false;
    Aabb box{target, target};
    const std::size_t count = std::min(bodies_.size(), frame.poses.size());
    for (std::size_t b = 0; b < count; ++b) {
        const Body& body = bodies_[b];
        const vec3 at = frame.view.from_origin(frame.poses[b].position);
        if (body.ground || body.glass || glm::distance(at, target) > reach) continue;
        const Aabb around = expand(Aabb{at, at}, std::min(body.radius, reach));
        box = any ? merge(box, around) : around;
        any = true;
    }
    // In steps, so that shadows keep their texels while the casters move.
    const float wanted = std::max(0.1f, glm::length(half_extents(box)));
    const float radius = std::exp2(std::ceil(4.0f * std::log2(wanted)) / 4.0f);
    shadow_texel_ = 2.0f * radius / static_cast<float>(size);
    const vec3 right = any_perpendicular(frame.to_sun), up = glm::cross(frame.to_sun, right);
    vec3 middle = center(box);
    for (const vec3& axis : {right, up}) {
        const double step = 8.0 * double{shadow_texel_};
        const double at = glm::dot(frame.view.origin + dvec3(middle), dvec3(axis));
        middle += axis * static_cast<float>(std::round(at / step) * step - at);
    }
    const glm::mat4 look = glm::lookAt(middle + frame.to_sun * (3.0f * radius), middle, up);
    const glm::mat4 from_sun = glm::ortho(-radius, radius, -radius, radius, 0.0f, 6.0f * radius) * look;
    // Clip space to texture space, less the bias of two texels along the light.
    const float bias = 2.0f * shadow_texel_ / (6.0f * radius);
    to_shadow_ = glm::translate(glm::mat4(1.0f), vec3(0.5f, 0.5f, 0.5f - bias)) *
                 glm::scale(glm::mat4(1.0f), vec3(0.5f)) * from_sun;
    shadow_origin_ = frame.view.origin;

    glBindFramebuffer(GL_FRAMEBUFFER, shadow_target_);
    glViewport(0, 0, size, size);
    glClear(GL_DEPTH_BUFFER_BIT);
    depth_program_.use();
    depth_program_.set("instances", 0);
    depth_program_.set("view_projection", from_sun);
    issue(depth_program_, calls_[solid_layer], MeshPart::bare);
}

void SceneRenderer::use_part_program(const GlProgram& program, const Frame& frame) const {
    program.use();
    program.set("instances", 0);
    program.set("shadow", 1);
    program.set("view_projection", frame.view.view_projection);
    program.set("pixels", frame.view.focal());
    program.set("to_shadow", to_shadow_);
    program.set("shadow_texel", shadow_texel_);
    program.set("eye", frame.view.from_origin(frame.view.eye));
    program.set("target", frame.view.from_origin(frame.view.target));
    program.set("reach", 2.0f * frame.view.distance);
    program.set("to_sun", frame.to_sun);
}

void SceneRenderer::draw(const Frame& frame) {
    draw_calls_ = 0;
    GLint target = 0, viewport[4] = {};
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    glGetIntegerv(GL_VIEWPORT, viewport);
    if (meshes_changed_) build_meshes();
    meshes_.bind();
    gather(frame);

    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glEnable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    const bool is_new = make_shadow_map();
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, instance_texture_);
    if (frame.shadows && quality_.shadow_size > 0) {
        // Where they are dear, every other frame, unless something was put elsewhere.
        const bool may_wait =
            quality_.lean && frame.continues && !is_new && shadows_cast_ && shadow_origin_ == frame.view.origin;
        shadows_waited_ = may_wait && !shadows_waited_;
        if (!shadows_waited_) cast_shadows(frame);
        shadows_cast_ = true;
    } else {
        shadows_cast_ = false;
        to_shadow_ = glm::mat4(0.0f);  // everything is outside of the map
        to_shadow_[3] = glm::vec4(2.0f, 2.0f, 0.0f, 1.0f);
    }

    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(target));
    glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
    glClear(GL_DEPTH_BUFFER_BIT);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, shadow_texture_);
    glActiveTexture(GL_TEXTURE0);
    for (const auto& [program, calls] :
         {std::pair(&solid_program_, &calls_[solid_layer]), {&ground_program_, &calls_[ground_layer]}}) {
        use_part_program(*program, frame);
        if (program == &solid_program_ && !near_first_.empty() && !frame.wireframe) {
            // The batch is the last of the calls.
            issue(*program, std::span(*calls).first(calls->size() - 1));
            Call batch = calls->back();
            batch.range = {0, static_cast<std::uint32_t>(near_first_.size()), 0, 0};
            meshes_.bind_corners(near_first_);
            issue(*program, {&batch, 1});
            meshes_.bind();
        } else {
            issue(*program, *calls);
        }
    }

    // The sky, where nothing was drawn.
    sky_program_.use();
    sky_program_.set("to_world", glm::inverse(frame.view.view_projection));
    glBindVertexArray(no_vertices_);
    glDrawArrays(GL_TRIANGLES, 0, quality_.lean ? shaders::lean_sky_vertices : shaders::sky_vertices);
    ++draw_calls_;

    if (!calls_[glass_layer].empty()) {
        // A processor would shade every pixel behind glass once more for a tint that one hardly sees.
        const bool lines = quality_.lean && !frame.wireframe;
        const GlProgram& program = lines ? edge_program_ : glass_program_;
        meshes_.bind();
        use_part_program(program, frame);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDepthMask(GL_FALSE);
        issue(program, calls_[glass_layer],
              frame.wireframe ? MeshPart::sides
              : lines         ? MeshPart::edges
                              : MeshPart::surface);
        glDepthMask(GL_TRUE);
        glDisable(GL_BLEND);
    }
    glDisable(GL_CULL_FACE);
    glBindVertexArray(0);
}

}  // namespace talus::samples
