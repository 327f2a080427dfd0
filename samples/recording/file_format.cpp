#include "samples/recording/file_format.h"

#include <algorithm>
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

/// A recording's own numbers for hulls: 16 bits an axis of the box around the vertices.
constexpr float grid = 65535.0f;

struct HullStreams {
    ByteWriter low, high, faces;
};

void write_hull(ByteWriter& out, HullStreams& streams, const Hull& hull) {
    const vec3 lower = hull.bounds.lower, size = hull.bounds.upper - hull.bounds.lower;
    out.varint(hull.vertices.size());
    write_vec3(out, lower);
    write_vec3(out, size);
    for (const vec3& v : hull.vertices) {
        for (int i = 0; i < 3; ++i) {
            const float at = size[i] > 0.0f ? (v[i] - lower[i]) / size[i] : 0.0f;
            const auto step = static_cast<unsigned>(std::clamp(at * grid + 0.5f, 0.0f, grid));
            streams.low.u8(static_cast<std::uint8_t>(step));
            streams.high.u8(static_cast<std::uint8_t>(step >> 8));
        }
    }
    out.varint(hull.faces.size());
    for (const HullFace& face : hull.faces) {
        streams.faces.varint(face.count);
        for (std::uint32_t i = 0; i < face.count; ++i) streams.faces.varint(hull.face_vertices[face.first + i]);
    }
}

struct HullReaders {
    ByteReader low, high, faces;
};

/// Its faces are for the page; here the hull is built from its vertices.
Result<std::shared_ptr<const Hull>> read_hull(ByteReader& in, HullReaders& streams) {
    const Error wrong{ErrorCode::bad_argument, "a hull of the recording is damaged"};
    const std::uint64_t vertices = in.varint();
    const vec3 lower = read_vec3(in), size = read_vec3(in);
    if (vertices > Hull::max_vertices || 3 * vertices > streams.low.left() || !is_finite(lower) || !is_finite(size))
        return wrong;
    std::vector<vec3> points(vertices);
    for (vec3& point : points) {
        for (int i = 0; i < 3; ++i) {
            const unsigned low = streams.low.u8(), high = streams.high.u8();
            point[i] = lower[i] + size[i] * (static_cast<float>(low | (high << 8)) / grid);
        }
    }
    const std::uint64_t faces = in.varint();
    if (faces > streams.faces.left()) return wrong;
    for (std::uint64_t f = 0; f < faces; ++f) {
        const std::size_t corners = streams.faces.count();
        if (corners < 3) return wrong;
        for (std::size_t i = 0; i < corners; ++i) streams.faces.below(vertices);
    }
    if (!in.ok() || !streams.low.ok() || !streams.high.ok() || !streams.faces.ok()) return wrong;
    return make_hull(points);
}

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

void write_shape(ByteWriter& out, const Shape& shape, std::uint32_t hull_index) {
    out.u8(static_cast<std::uint8_t>(shape.type));
    switch (shape.type) {
        case ShapeType::hull:
            out.varint(hull_index);
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

Shape read_shape(ByteReader& in, const std::vector<std::shared_ptr<const Hull>>& hulls) {
    Shape shape;
    const std::uint8_t type = in.u8();
    if (type >= shape_type_count) in.fail();
    if (!in.ok()) return shape;
    shape.type = static_cast<ShapeType>(type);
    switch (shape.type) {
        case ShapeType::hull: {
            const std::uint32_t index = in.below(hulls.size());
            if (in.ok()) shape = hull(hulls[index]);
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
    return shape;
}

}  // namespace

std::string write_head(const FileHead& head) {
    ByteWriter out;
    out.text(head.scene);
    out.f32(head.dt);
    write_vec3(out, head.camera.eye);
    write_vec3(out, head.camera.target);
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
    out.camera.eye = read_vec3(in);
    out.camera.target = read_vec3(in);
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
    // Each hull once, each shape once.
    HullStreams hull_streams;
    ByteWriter hulls, shapes, out;
    std::map<const Hull*, std::uint32_t> hull_numbers;
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
        for (const RecordedShape& part : body.shapes) {
            std::uint32_t hull_number = 0;
            if (const Hull* hull = part.shape.hull.get()) {
                const auto [at, fresh] =
                    hull_numbers.try_emplace(hull, static_cast<std::uint32_t>(hull_numbers.size()));
                if (fresh) write_hull(hulls, hull_streams, *hull);
                hull_number = at->second;
            }
            ByteWriter shape;
            write_shape(shape, part.shape, hull_number);
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
    counts.varint(hull_numbers.size());
    counts.varint(shape_numbers.size());
    counts.varint(bodies.size());
    const std::string_view streams[] = {
        counts.bytes(), hulls.bytes(), hull_streams.low.bytes(), hull_streams.high.bytes(), hull_streams.faces.bytes(),
        shapes.bytes(), out.bytes()};
    return pack(streams);
}

Error read_bodies(std::string_view block, std::size_t frames, std::vector<RecordedBody>& out) {
    const Error wrong{ErrorCode::bad_argument, "its table of bodies is damaged"};
    std::string storage;
    std::vector<std::string_view> streams;
    if (!unpack(block, 7, storage, streams)) return wrong;
    ByteReader counts(streams[0]), hull_in(streams[1]), shape_in(streams[5]), in(streams[6]);
    HullReaders hull_readers{ByteReader(streams[2]), ByteReader(streams[3]), ByteReader(streams[4])};
    const std::uint64_t hull_count = counts.varint(), shape_count = counts.varint(), body_count = counts.varint();
    if (!counts.ok() || hull_count > hull_in.left() || shape_count > shape_in.left() || body_count > in.left())
        return wrong;

    std::vector<std::shared_ptr<const Hull>> hulls;
    for (std::uint64_t i = 0; i < hull_count; ++i) {
        Result<std::shared_ptr<const Hull>> hull = read_hull(hull_in, hull_readers);
        if (!hull) return hull.error();
        hulls.push_back(*hull);
    }
    std::vector<Shape> shapes;
    for (std::uint64_t i = 0; i < shape_count; ++i) {
        shapes.push_back(read_shape(shape_in, hulls));
        if (!shape_in.ok()) return wrong;
        if (Error error = check(shapes.back())) return error;
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
            RecordedShape part;
            if (in.u8() != 0) part.pose = read_pose(in);
            if (!in.ok()) return wrong;
            part.shape = shapes[shape];
            body.shapes.push_back(part);
        }
        out.push_back(std::move(body));
    }
    if (!in.ok() || !in.at_end() || !hull_in.at_end() || !shape_in.at_end()) return wrong;
    return {};
}

}  // namespace talus::samples
