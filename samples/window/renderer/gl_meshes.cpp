#include "samples/window/renderer/gl_meshes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>

namespace talus::samples {

namespace {

constexpr int slices_of[fineness_count] = {8, 16, 32};

Shape unit_shape(UnitMesh mesh) {
    switch (mesh) {
        case UnitMesh::box:
            return box(vec3(1.0f));
        case UnitMesh::sphere:
            return sphere(1.0f);
        case UnitMesh::capsule:
            return capsule(1.0f, 1.0f);
        case UnitMesh::cylinder:
            return cylinder(1.0f, 1.0f);
        case UnitMesh::cone:
            return cone(1.0f, 1.0f);
    }
    return {};
}

std::int8_t to_signed_byte(float x) {
    return static_cast<std::int8_t>(std::lround(127.0f * std::clamp(x, -1.0f, 1.0f)));
}

struct VertexHash {
    std::size_t operator()(const MeshVertex& v) const noexcept {
        return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&v), sizeof v});
    }
};
struct VertexEqual {
    bool operator()(const MeshVertex& a, const MeshVertex& b) const noexcept {
        return std::memcmp(&a, &b, sizeof a) == 0;
    }
};

}  // namespace

MeshStore::MeshStore() {
    for (int m = 0; m < unit_mesh_count; ++m) {
        for (int f = 0; f < fineness_count; ++f) {
            const auto mesh = static_cast<UnitMesh>(m);
            units_[static_cast<std::size_t>(m)][static_cast<std::size_t>(f)] =
                append(triangulate(unit_shape(mesh), slices_of[f]), 0, mesh);
        }
    }
    unit_vertices_ = vertices_.size();
    unit_indices_ = indices_.size();
    unit_edges_ = edges_.size();
}

void MeshStore::clear() {
    vertices_.resize(unit_vertices_);
    indices_.resize(unit_indices_);
    bare_.resize(unit_indices_);
    edges_.resize(unit_edges_);
    changed_ = true;
}

MeshRange MeshStore::append(const DrawMesh& mesh, std::uint32_t slot, UnitMesh kind) {
    const MeshRange begin = next();
    std::set<std::pair<std::uint32_t, std::uint32_t>> sides;  // two triangles share one
    std::unordered_map<MeshVertex, std::uint32_t, VertexHash, VertexEqual> known, corners;
    for (const DrawTriangle& triangle : mesh.triangles) {
        for (int corner = 0; corner < 3; ++corner) {
            vec3 p = mesh.positions[triangle.v[corner]];
            const vec3 n = mesh.normals[triangle.v[corner]];
            MeshVertex vertex{};
            if (kind == UnitMesh::capsule && std::abs(p.y) > 0.5f) {
                const float end = p.y > 0.0f ? 1.0f : -1.0f;
                p.y -= end;
                vertex.normal[3] = to_signed_byte(end);
            }
            for (int i = 0; i < 3; ++i) {
                vertex.position[i] = p[i] + 0.0f;  // turns -0 into 0, so that equal vertices have equal bits
                vertex.normal[i] = to_signed_byte(n[i]);
                // Side i is opposite corner i: the weight of corner i is 0 there.
                const bool zero = (triangle.edges & (1 << i)) != 0 && corner != i;
                vertex.edge[i] = zero ? 0 : 255;
            }
            vertex.edge[3] = triangle.tone != 0 ? 255 : 0;
            vertex.slot = slot;
            const auto [place, is_new] = known.try_emplace(vertex, static_cast<std::uint32_t>(vertices_.size()));
            if (is_new) vertices_.push_back(vertex);
            indices_.push_back(place->second);
            MeshVertex bare = vertex;  // with nothing but its place
            std::fill(bare.normal, bare.normal + 3, std::int8_t{0});
            std::fill(bare.edge, bare.edge + 4, std::uint8_t{1});
            const auto [bare_place, first] = corners.try_emplace(bare, static_cast<std::uint32_t>(vertices_.size()));
            if (first) vertices_.push_back(bare);
            bare_.push_back(bare_place->second);
        }
        const std::uint32_t* ends = &bare_[bare_.size() - 3];
        for (int i = 0; i < 3; ++i) {
            if ((triangle.edges & (1 << i)) == 0) continue;
            const std::uint32_t a = ends[(i + 1) % 3], b = ends[(i + 2) % 3];
            if (!sides.insert(std::minmax(a, b)).second) continue;
            edges_.push_back(a);
            edges_.push_back(b);
        }
    }
    changed_ = true;
    return since(begin);
}

MeshStore::Indices MeshStore::find(const MeshRange& mesh, MeshPart part) const {
    const std::size_t triangles = indices_.size() + bare_.size();
    switch (part) {
        case MeshPart::surface:
            return {mesh.first, mesh.count};
        case MeshPart::bare:
            return {indices_.size() + mesh.first, mesh.count};
        case MeshPart::edges:
            return {triangles + mesh.first_line, mesh.line_count};
        case MeshPart::sides:
            return {triangles + edges_.size() + 2 * std::size_t{mesh.first}, 2 * std::size_t{mesh.count}};
    }
    return {0, 0};
}

void MeshStore::bind() {
    glBindVertexArray(array_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_);
    if (!changed_) return;
    changed_ = false;
    upload(GL_ARRAY_BUFFER, vertex_buffer_, std::span<const MeshVertex>(vertices_), GL_STATIC_DRAW);
    std::vector<std::uint32_t> all = indices_;
    all.insert(all.end(), bare_.begin(), bare_.end());
    all.insert(all.end(), edges_.begin(), edges_.end());
    for (std::size_t i = 0; i < indices_.size(); i += 3) {
        const std::uint32_t *v = &indices_[i], sides[] = {v[0], v[1], v[1], v[2], v[2], v[0]};
        all.insert(all.end(), std::begin(sides), std::end(sides));
    }
    upload(GL_ELEMENT_ARRAY_BUFFER, index_buffer_, std::span<const std::uint32_t>(all), GL_STATIC_DRAW);
    const auto offset = [](std::size_t bytes) { return reinterpret_cast<const void*>(bytes); };
    constexpr GLsizei stride = sizeof(MeshVertex);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, offset(offsetof(MeshVertex, position)));
    glVertexAttribPointer(1, 4, GL_BYTE, GL_TRUE, stride, offset(offsetof(MeshVertex, normal)));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride, offset(offsetof(MeshVertex, edge)));
    glVertexAttribIPointer(3, 1, GL_UNSIGNED_INT, stride, offset(offsetof(MeshVertex, slot)));
    for (GLuint i = 0; i < 4; ++i) glEnableVertexAttribArray(i);
}

void MeshStore::bind_corners(std::span<const std::uint32_t> corners) {
    upload(GL_ELEMENT_ARRAY_BUFFER, corner_buffer_, corners, GL_STREAM_DRAW);
}

PartShape part_shape(const Shape& shape) {
    PartShape part;
    part.is_unit = true;
    const float h = shape.half_extents.y, r = shape.half_extents.x;
    switch (shape.type) {
        case ShapeType::sphere:
            part.unit = UnitMesh::sphere;
            part.scale = vec3(shape.radius);
            break;
        case ShapeType::capsule:
            part.unit = UnitMesh::capsule;
            part.scale = vec3(shape.radius);
            part.stretch = h;
            break;
        case ShapeType::segment: {
            part.unit = UnitMesh::capsule;
            part.scale = vec3(std::max(shape.radius, 0.01f));
            const vec3 along = shape.points[1] - shape.points[0];
            const float length = std::sqrt(length_squared(along));
            part.stretch = 0.5f * length;
            part.pose.position = 0.5f * (shape.points[0] + shape.points[1]);
            if (length > 0.0f) {
                // The half-way quaternion from y to the segment; upside down, any axis across does.
                const vec3 to = along / length;
                part.pose.rotation =
                    to.y > -0.999f ? normalized(quat(1.0f + to.y, to.z, 0.0f, -to.x)) : quat(0.0f, 1.0f, 0.0f, 0.0f);
            }
            break;
        }
        case ShapeType::box:
            part.unit = UnitMesh::box;
            part.scale = shape.half_extents;
            part.is_unit = shape.radius == 0.0f;
            break;
        case ShapeType::cylinder:
            part.unit = UnitMesh::cylinder;
            part.scale = vec3(r, h, r);
            break;
        case ShapeType::cone:
            part.unit = UnitMesh::cone;
            part.scale = vec3(r, h, r);
            break;
        case ShapeType::triangle:
        case ShapeType::hull:
        case ShapeType::mapping:
            part.is_unit = false;
            break;
    }
    return part;
}

}  // namespace talus::samples
