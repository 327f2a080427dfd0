#pragma once
/// Draws bodies: a sun with a shadow map, a sky from all sides, a floor that melts into the horizon.
///
/// Each frame, a texture goes to the graphics card that has four texels for each part of each body: its instance. The
/// shaders find an instance by its number (OpenGL 3.3 has no base instance, and WebGL 2 no buffer textures). Then the
/// renderer makes one draw call per mesh, and one per batch (gl_meshes.h), for the shadows and for the picture. OpenGL
/// leaves out what is outside of the view.

#include "samples/scenes/scene.h"
#include "samples/window/renderer/camera.h"
#include "samples/window/renderer/gl_meshes.h"

#include <span>

namespace talus::samples {

/// How much the picture may cost.
struct Quality {
    bool lean = false;       ///< simpler shaders, coarser meshes: for processors that do a graphics card's work
    int shadow_size = 2048;  ///< texels a side; 0: no shadows
    int samples = 4;         ///< a pixel; 0: edges are not smoothed

    static Quality full() { return {}; }
    static Quality software() { return {true, 1024, 0}; }
    /// By what the current context calls its renderer.
    static Quality of_this_machine();
};

/// What changes from frame to frame in how a body looks.
struct BodyLook {
    vec3 color{0.5f};  ///< linear light
    bool selected = false;
    bool hidden = false;
};

class SceneRenderer {
public:
    static Result<SceneRenderer> make(const Quality& quality);

    /// Again with shaders and buffers for this quality; keeps the bodies.
    Error set_quality(const Quality& quality);
    const Quality& quality() const { return quality_; }

    // Bodies, by number from 0 on.
    void clear();
    void add_body(std::span<const ShapeDef> shapes, BodyType type, bool glass);
    void remove_body(std::size_t body);  ///< later ones move down by one
    std::size_t body_count() const { return bodies_.size(); }

    struct Frame {
        const CameraView& view;
        std::span<const WorldTransform> poses;  ///< one per body
        std::span<const BodyLook> looks;        ///< one per body
        vec3 to_sun{0.0f, 1.0f, 0.0f};          ///< unit
        bool wireframe = false;
        bool shadows = true;
        bool continues = false;  ///< a little later than the one before, and alike
    };
    /// Into the framebuffer that is bound, over the viewport.
    void draw(const Frame& frame);

    std::size_t draw_calls() const { return draw_calls_; }  ///< of the last draw()

private:
    struct Instance {
        vec3 position;  ///< from the view's origin
        float radius;
        glm::vec4 rotation;  ///< x, y, z, w
        vec3 scale;
        float stretch;
        vec3 color;
        float flags;
    };
    static_assert(sizeof(Instance) == 64);

    struct Part {
        PartShape shape;
        Transform pose;          ///< of the mesh in the body's frame
        int mesh = -1;           ///< of hulls: which of `hulls_`; of triangles -1
        MeshRange range;         ///< in its batch
        std::uint32_t slot = 0;  ///< in its batch, unless it is a unit mesh or a shared hull
        float radius = 0.0f;     ///< of a ball around the mesh's origin, m
        ShapeDef geometry;       ///< of hulls, triangles and meshes
    };
    struct Body {
        std::vector<Part> parts;
        float radius = 0.0f;  ///< of a ball around the body's origin that holds it, m
        bool ground = false, glass = false;
    };
    struct SharedHull {
        std::shared_ptr<const Hull> hull;
        int uses = 0;
        MeshRange range;  ///< empty: in a batch
    };
    struct Call {
        MeshRange range;
        std::uint32_t base = 0, instances = 0;
    };

    /// Drawn one after the other, each with its own program.
    enum Layer : std::size_t { solid_layer, ground_layer, glass_layer, layer_count };
    static std::size_t layer_of(const Body& body) {
        return body.glass ? glass_layer : body.ground ? ground_layer : solid_layer;
    }
    bool is_shared(const Part& part) const {
        return part.mesh >= 0 && hulls_[static_cast<std::size_t>(part.mesh)].range.count > 0;
    }
    int fineness(const Part& part, float pixels) const;

    void use_part_program(const GlProgram& program, const Frame& frame) const;
    void build_meshes();
    void gather(const Frame& frame);
    bool make_shadow_map();  ///< true when it was not there in this size
    void cast_shadows(const Frame& frame);
    void issue(const GlProgram& program, std::span<const Call> calls, MeshPart part = MeshPart::surface);

    Quality quality_;
    GlProgram solid_program_, ground_program_, glass_program_, depth_program_, edge_program_, sky_program_;
    MeshStore meshes_;
    std::vector<Body> bodies_;
    std::vector<SharedHull> hulls_;
    bool meshes_changed_ = true;
    MeshRange batch_[layer_count];
    std::uint32_t batch_size_[layer_count]{};  ///< instances

    std::vector<std::vector<Instance>> buckets_;  ///< by mesh
    std::vector<Instance> batched_[layer_count];
    std::vector<Instance> instances_;
    std::vector<std::pair<float, std::uint32_t>> order_;  ///< bodies by depth
    std::vector<std::uint32_t> near_first_;               ///< corners of the solid batch, by depth
    std::vector<Call> calls_[layer_count];
    std::size_t draw_calls_ = 0;

    GlTexture instance_texture_ = make_texture(), shadow_texture_ = make_texture();
    GlFramebuffer shadow_target_ = make_framebuffer();
    GlVertexArray no_vertices_ = make_vertex_array();
    glm::mat4 to_shadow_{1.0f};
    dvec3 shadow_origin_{0.0};     ///< of the view that to_shadow_ was made for
    float shadow_texel_ = 0.0f;    ///< m
    bool shadows_cast_ = false;    ///< in the last frame, or in the one before
    bool shadows_waited_ = false;  ///< those of the last frame are older than it
    int shadow_size_ = 0;
};

}  // namespace talus::samples
