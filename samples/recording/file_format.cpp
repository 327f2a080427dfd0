#include "samples/recording/file_format.h"

#include <talus/narrowphase/mapping_solid.h>
#include <talus/narrowphase/triangles/mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace talus::samples {

namespace {

void write_vec3(ByteWriter& out, const vec3& v) {
    for (int i = 0; i < 3; ++i) out.f32(v[i]);
}
vec3 read_vec3(ByteReader& in) {
    const float x = in.f32(), y = in.f32(), z = in.f32();
    return {x, y, z};
}

/// A recording's own numbers for corners: 16 bits an axis of the box around them.
constexpr float grid = 65535.0f;

/// In a file a shape's type is its ShapeType, or this: a mesh. It has the number of ShapeType::mapping, which a file
/// does not have: see polyhedron_for().
constexpr std::uint8_t mesh_type = static_cast<std::uint8_t>(ShapeType::mapping);

/// A file has no mappings, and no rounded boxes and hulls. They are recorded as polyhedra of support points, which lie
/// on the surface; between them the polyhedron is inside. Null for other shapes.
std::shared_ptr<const Hull> polyhedron_for(const Shape& shape) {
    const bool rounded = (shape.type == ShapeType::box || shape.type == ShapeType::hull) && shape.radius > 0.0f;
    if (!rounded && shape.type != ShapeType::mapping) return nullptr;
    const ShapeSupport surface(shape);
    const dvec3 half(half_extents(bounds(shape)));
    constexpr int cells = 6;  // directions through the cells of a cube's sides
    std::vector<vec3> points;
    for (int side = 0; side < 6; ++side) {
        for (int i = 0; i < cells; ++i) {
            for (int j = 0; j < cells; ++j) {
                dvec3 d(0.0);
                d[side / 2] = side % 2 == 0 ? 1.0 : -1.0;
                d[(side / 2 + 1) % 3] = (2.0 * i + 1.0) / cells - 1.0;
                d[(side / 2 + 2) % 3] = (2.0 * j + 1.0) / cells - 1.0;
                points.push_back(vec3(surface.support(d / half)));
            }
        }
    }
    const auto made = make_hull(points);
    return made ? *made : nullptr;
}

/// Hulls and meshes: corners and faces.
struct SolidStreams {
    ByteWriter solids, low, high, faces;

    template <class Corners>
    void write_corners(const Corners& corners, const Aabb& box) {
        const vec3 lower = box.lower, size = box.upper - box.lower;
        solids.varint(corners.size());
        write_vec3(solids, lower);
        write_vec3(solids, size);
        for (const vec3& v : corners) {
            for (int i = 0; i < 3; ++i) {
                const float at = size[i] > 0.0f ? (v[i] - lower[i]) / size[i] : 0.0f;
                const auto step = static_cast<unsigned>(std::clamp(at * grid + 0.5f, 0.0f, grid));
                low.u8(static_cast<std::uint8_t>(step));
                high.u8(static_cast<std::uint8_t>(step >> 8));
            }
        }
    }
    void write(const Hull& hull) {
        write_corners(hull.vertices, hull.bounds);
        solids.varint(hull.faces.size());
        for (const HullFace& face : hull.faces) {
            faces.varint(face.count);
            for (std::uint32_t i = 0; i < face.count; ++i) faces.varint(hull.face_vertices[face.first + i]);
        }
    }
    /// Equal corners become one.
    void write(const TriangleSet& mesh) {
        std::map<std::array<float, 3>, std::uint32_t> numbers;
        std::vector<vec3> corners;
        ByteWriter triangles;
        std::uint32_t count = 0;
        for (std::uint32_t t = 0; t < mesh.size(); ++t) {
            if (mesh.is_hole(t)) continue;
            ++count;
            triangles.varint(3);
            for (const vec3& p : mesh.triangle(t).points) {
                const auto [at, fresh] =
                    numbers.try_emplace({p.x, p.y, p.z}, static_cast<std::uint32_t>(corners.size()));
                if (fresh) corners.push_back(p);
                triangles.varint(at->second);
            }
        }
        write_corners(corners, mesh.bounds());
        solids.varint(count);
        faces.raw(triangles.bytes());
    }
};

/// One of them as the file has it.
struct Solid {
    std::vector<vec3> corners;
    std::vector<std::uint32_t> triangles;  ///< its faces as fans, three corners each
    std::shared_ptr<const Hull> hull;      ///< once a shape has asked for it
};

struct SolidReaders {
    ByteReader solids, low, high, faces;

    bool read(Solid& solid) {
        const std::uint64_t count = solids.varint();
        const vec3 lower = read_vec3(solids), size = read_vec3(solids);
        if (count > 0xffffffffu || 3 * count > low.left() || !is_finite(lower) || !is_finite(size)) return false;
        solid.corners.resize(static_cast<std::size_t>(count));
        for (vec3& corner : solid.corners) {
            for (int i = 0; i < 3; ++i) {
                const unsigned low_byte = low.u8(), high_byte = high.u8();
                corner[i] = lower[i] + size[i] * (static_cast<float>(low_byte | (high_byte << 8)) / grid);
            }
        }
        const std::uint64_t face_count = solids.varint();
        if (face_count > faces.left()) return false;
        for (std::uint64_t f = 0; f < face_count; ++f) {
            const std::size_t corners = faces.count();
            if (corners < 3) return false;
            const std::uint32_t first = faces.below(count);
            std::uint32_t last = faces.below(count);
            for (std::size_t i = 2; i < corners; ++i) {
                const std::uint32_t next = faces.below(count);
                solid.triangles.insert(solid.triangles.end(), {first, last, next});
                last = next;
            }
        }
        return solids.ok() && low.ok() && high.ok() && faces.ok();
    }
};

void write_pose(ByteWriter& out, const Transform& pose) {
    write_vec3(out, pose.position);
    out.f32(pose.rotation.w);
    out.f32(pose.rotation.x);
    out.f32(pose.rotation.y);
    out.f32(pose.rotation.z);
}

Transform read_pose(ByteReader& in) {
    Transform pose;
    pose.position = read_vec3(in);
    const float w = in.f32(), x = in.f32(), y = in.f32(), z = in.f32();
    pose.rotation = quat(w, x, y, z);
    const float length = w * w + x * x + y * y + z * z;
    if (!is_finite(pose.position) || !(length > 0.5f && length < 2.0f)) in.fail();
    return pose;
}

void write_shape(ByteWriter& out, const RecordedShape& recorded, std::uint32_t solid) {
    const Shape& shape = recorded.shape;
    out.u8(recorded.mesh ? mesh_type : static_cast<std::uint8_t>(shape.type));
    if (recorded.mesh) {
        out.varint(solid);
        out.u8(recorded.mesh->is_two_sided() ? 1 : recorded.mesh->is_solid() ? 2 : 0);
        return;
    }
    switch (shape.type) {
        case ShapeType::hull:
            out.varint(solid);
            break;
        case ShapeType::segment:
        case ShapeType::triangle:
            out.f32(shape.radius);
            for (int i = 0; i < (shape.type == ShapeType::triangle ? 3 : 2); ++i) write_vec3(out, shape.points[i]);
            break;
        default:
            out.f32(shape.radius);
            write_vec3(out, shape.half_extents);
    }
}

/// Where the corners' rounding has closed a mesh's triangles, they are missing.
Error read_shape(ByteReader& in, std::vector<Solid>& solids, RecordedShape& out) {
    const Error wrong{ErrorCode::bad_argument, "its table of shapes is damaged"};
    const std::uint8_t type = in.u8();
    if (!in.ok() || type > mesh_type) return wrong;
    if (type == mesh_type) {
        const std::uint32_t index = in.below(solids.size());
        const std::uint8_t kind = in.u8();
        if (!in.ok() || kind > 2) return wrong;
        const Solid& solid = solids[index];
        MeshDef def{.vertices = solid.corners, .indices = solid.triangles, .two_sided = kind == 1, .solid = kind == 2};
        auto made = make_mesh(def);
        if (!made && def.solid) {  // a solid that the rounding of its corners has opened
            def.solid = false;
            made = make_mesh(def);
        }
        if (!made) return made.error();
        out.mesh = *made;
        return {};
    }
    Shape& shape = out.shape;
    shape.type = static_cast<ShapeType>(type);
    switch (shape.type) {
        case ShapeType::hull: {
            const std::uint32_t index = in.below(solids.size());
            if (!in.ok()) return wrong;
            Solid& solid = solids[index];
            if (!solid.hull) {  // from its corners alone: its faces are for the page
                const auto made = make_hull(solid.corners);
                if (!made) return made.error();
                solid.hull = *made;
            }
            shape = hull(solid.hull);
            break;
        }
        case ShapeType::segment:
        case ShapeType::triangle:
            shape.radius = in.f32();
            for (int i = 0; i < (shape.type == ShapeType::triangle ? 3 : 2); ++i) shape.points[i] = read_vec3(in);
            break;
        default:
            shape.radius = in.f32();
            shape.half_extents = read_vec3(in);
    }
    return in.ok() ? check(shape) : wrong;
}

}  // namespace

std::string write_head(const FileHead& head) {
    ByteWriter out;
    out.text(head.scene);
    out.f32(head.dt);
    const dvec3& origin = head.scale.origin;
    for (int i = 0; i < 3; ++i) out.f64(origin[i]);
    write_vec3(out, vec3(head.camera.eye - origin));
    write_vec3(out, vec3(head.camera.target - origin));
    out.f32(head.camera.vertical_fov_degrees);
    out.f64(head.scale.step);
    out.u8(static_cast<std::uint8_t>(head.scale.bits));
    out.f64(head.contact_step);
    const RecordingError& e = head.error;
    for (const double v : {e.max_position, e.mean_position, e.max_angle, e.mean_angle, e.max_surface, e.max_contact,
                           e.max_normal, e.max_impulse}) {
        out.f64(v);
    }
    out.u64(e.poses);
    out.varint(head.frame_steps.size());
    std::uint32_t last = 0;
    for (const std::uint32_t step : head.frame_steps) {
        out.varint(step - last);
        last = step;
    }
    out.varint(head.segment_frames.size());
    for (const std::uint32_t frames : head.segment_frames) out.varint(frames);
    const std::string_view streams[] = {out.bytes()};
    return pack(streams);
}

bool read_head(std::string_view block, FileHead& out) {
    std::string storage;
    std::vector<std::string_view> streams;
    if (!unpack(block, 1, storage, streams)) return false;
    ByteReader in(streams[0]);
    out.scene = in.text();
    out.dt = in.f32();
    dvec3& origin = out.scale.origin;
    for (int i = 0; i < 3; ++i) origin[i] = in.f64();
    out.camera.eye = origin + dvec3(read_vec3(in));
    out.camera.target = origin + dvec3(read_vec3(in));
    out.camera.vertical_fov_degrees = in.f32();
    out.scale.step = in.f64();
    out.scale.bits = in.u8();
    out.contact_step = in.f64();
    RecordingError& e = out.error;
    for (double* v : {&e.max_position, &e.mean_position, &e.max_angle, &e.mean_angle, &e.max_surface, &e.max_contact,
                      &e.max_normal, &e.max_impulse}) {
        *v = in.f64();
        if (!(*v >= 0.0 && *v < 1e30)) return false;
    }
    e.poses = in.u64();
    std::uint64_t step = 0;
    for (std::size_t n = in.count(), i = 0; i < n; ++i) {
        const std::uint64_t ahead = in.varint();
        step += ahead;
        if (step > 0xffffffffu || ahead > 0xffffffffu || (i > 0) != (ahead > 0)) return false;
        out.frame_steps.push_back(static_cast<std::uint32_t>(step));
    }
    std::uint64_t frames = 0;
    for (std::size_t n = in.count(); n > 0; --n) {
        const std::uint32_t count = in.below(longest_segment + 1);
        if (count == 0) return false;
        frames += count;
        out.segment_frames.push_back(count);
    }
    const float fov = out.camera.vertical_fov_degrees;
    return in.ok() && in.at_end() && !out.frame_steps.empty() && frames == out.frame_steps.size() && out.dt > 0.0f &&
           out.dt <= 1.0f && is_finite(out.camera.eye) && is_finite(out.camera.target) && fov > 0.0f && fov < 180.0f &&
           out.scale.valid() && out.contact_step > 0.0 && out.contact_step < 1e6;
}

std::string write_bodies(const std::vector<RecordedBody>& bodies) {
    // Each hull and mesh once, each shape once.
    SolidStreams streams_of_solids;
    ByteWriter shapes, out;
    std::map<const void*, std::uint32_t> solid_numbers;
    std::map<std::pair<const void*, std::array<float, 4>>, std::shared_ptr<const Hull>> polyhedra;
    std::map<std::string, std::uint32_t> shape_numbers;
    for (const RecordedBody& body : bodies) {
        out.varint(body.id.slot);
        out.varint(body.id.generation);
        out.u8(static_cast<std::uint8_t>(body.type));
        out.u8(body.glass ? 1 : 0);
        for (int shift = 16; shift >= 0; shift -= 8) out.u8(static_cast<std::uint8_t>(body.color >> shift));
        out.varint(body.first_frame);
        out.varint(body.end_frame - body.first_frame);
        out.varint(body.shapes.size());
        for (RecordedShape part : body.shapes) {
            const Shape& s = part.shape;
            const void* const solid_of =
                s.mapping ? static_cast<const void*>(s.mapping.get()) : static_cast<const void*>(s.hull.get());
            const vec3& half = s.half_extents;
            const auto [known, is_new] = polyhedra.try_emplace({solid_of, {s.radius, half.x, half.y, half.z}}, nullptr);
            if (is_new && !part.mesh) known->second = polyhedron_for(s);
            if (known->second) part.shape = hull(known->second);
            std::uint32_t solid = 0;
            const auto number = [&](const auto* of) {
                const auto [at, fresh] =
                    solid_numbers.try_emplace(of, static_cast<std::uint32_t>(solid_numbers.size()));
                if (fresh) streams_of_solids.write(*of);
                solid = at->second;
            };
            if (part.mesh) {
                number(part.mesh.get());
            } else if (part.shape.hull) {
                number(part.shape.hull.get());
            }
            ByteWriter shape;
            write_shape(shape, part, solid);
            const auto [at, fresh] =
                shape_numbers.try_emplace(shape.bytes(), static_cast<std::uint32_t>(shape_numbers.size()));
            if (fresh) shapes.raw(shape.bytes());
            out.varint(at->second);
            const bool moved = part.pose.position != vec3(0.0f) || part.pose.rotation != quat(1.0f, 0.0f, 0.0f, 0.0f);
            out.u8(moved ? 1 : 0);
            if (moved) write_pose(out, part.pose);
        }
    }
    ByteWriter counts;
    counts.varint(solid_numbers.size());
    counts.varint(shape_numbers.size());
    counts.varint(bodies.size());
    const std::string_view streams[] = {counts.bytes(),
                                        streams_of_solids.solids.bytes(),
                                        streams_of_solids.low.bytes(),
                                        streams_of_solids.high.bytes(),
                                        streams_of_solids.faces.bytes(),
                                        shapes.bytes(),
                                        out.bytes()};
    return pack(streams);
}

Error read_bodies(std::string_view block, std::size_t frames, std::vector<RecordedBody>& out) {
    const Error wrong{ErrorCode::bad_argument, "its table of bodies is damaged"};
    std::string storage;
    std::vector<std::string_view> streams;
    if (!unpack(block, 7, storage, streams)) return wrong;
    ByteReader counts(streams[0]), shape_in(streams[5]), in(streams[6]);
    SolidReaders solid_in{ByteReader(streams[1]), ByteReader(streams[2]), ByteReader(streams[3]),
                          ByteReader(streams[4])};
    const std::uint64_t solid_count = counts.varint(), shape_count = counts.varint(), body_count = counts.varint();
    if (!counts.ok() || solid_count > solid_in.solids.left() || shape_count > shape_in.left() || body_count > in.left())
        return wrong;

    std::vector<Solid> solids(static_cast<std::size_t>(solid_count));
    for (Solid& solid : solids) {
        if (!solid_in.read(solid)) return {ErrorCode::bad_argument, "a hull or mesh of the recording is damaged"};
    }
    std::vector<RecordedShape> shapes(static_cast<std::size_t>(shape_count));
    for (RecordedShape& shape : shapes) {
        if (Error error = read_shape(shape_in, solids, shape)) return error;
    }
    for (std::uint64_t i = 0; i < body_count; ++i) {
        RecordedBody body;
        body.id.slot = in.below(0xffffffffu);
        body.id.generation = in.below(std::uint64_t{1} << 32);
        const std::uint8_t type = in.u8();
        body.glass = in.u8() != 0;
        body.color = 0;
        for (int c = 0; c < 3; ++c) body.color = (body.color << 8) | in.u8();
        const std::uint64_t first = in.varint(), count = in.varint();
        if (!in.ok() || type > static_cast<std::uint8_t>(BodyType::dynamic) || first >= frames || count == 0 ||
            count > frames - first) {
            return wrong;
        }
        body.type = static_cast<BodyType>(type);
        body.first_frame = static_cast<std::uint32_t>(first);
        body.end_frame = static_cast<std::uint32_t>(first + count);
        for (std::size_t n = in.count(2); n > 0; --n) {
            const std::uint32_t shape = in.below(shapes.size());
            if (!in.ok()) return wrong;
            RecordedShape part = shapes[shape];
            if (in.u8() != 0) part.pose = read_pose(in);
            if (!in.ok()) return wrong;
            body.shapes.push_back(part);
        }
        out.push_back(std::move(body));
    }
    if (!in.ok() || !in.at_end() || !solid_in.solids.at_end() || !shape_in.at_end()) return wrong;
    return {};
}

}  // namespace talus::samples
