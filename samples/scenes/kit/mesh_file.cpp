#include "samples/scenes/kit/mesh_file.h"

#ifdef TALUS_WITH_ASSIMP
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#endif

#include <array>
#include <fstream>
#include <map>

namespace talus::samples {

namespace {

Error refuse(const std::string& path, const std::string& why) {
    return {ErrorCode::bad_argument, "Mesh file '" + path + "': " + why};
}

using Faces = std::vector<std::array<std::uint32_t, 3>>;  // by their vertices

/// Gives vertices at the same place the same index.
class Welder {
public:
    explicit Welder(MeshFile& mesh) : mesh_(mesh) {}

    void add_triangle(const std::array<vec3, 3>& p) {
        if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) return;
        for (const vec3& v : p) mesh_.triangles.push_back(index_of(v));
    }

private:
    std::uint32_t index_of(const vec3& v) {
        const auto next = static_cast<std::uint32_t>(mesh_.vertices.size());
        const auto [place, is_new] = index_.try_emplace({v.x + 0.0f, v.y + 0.0f, v.z + 0.0f}, next);  // -0 is 0
        if (is_new) mesh_.vertices.push_back(v);
        return place->second;
    }

    MeshFile& mesh_;
    std::map<std::array<float, 3>, std::uint32_t> index_;
};

#ifdef TALUS_WITH_ASSIMP

/// Calls visit(mesh, its pose) for each mesh of the scene, parents first.
template <class Visit>
void for_each_mesh(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, Visit&& visit) {
    const aiMatrix4x4 pose = parent * node.mTransformation;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) visit(*scene.mMeshes[node.mMeshes[m]], pose);
    for (unsigned i = 0; i < node.mNumChildren; ++i) for_each_mesh(scene, *node.mChildren[i], pose, visit);
}

vec3 placed(const aiMatrix4x4& pose, const aiVector3D& v) {
    const aiVector3D p = pose * v;
    return vec3(p.x, p.y, p.z);
}

/// Calls visit(vertices of a mesh, its faces) for each mesh of the file, or says why it cannot be read.
template <class Visit>
Error read_meshes(const std::string& path, Visit&& visit) {
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(path, aiProcess_JoinIdenticalVertices | aiProcess_Triangulate);
    if (!scene || !scene->mRootNode) {
        return refuse(path, std::string("is not a mesh that assimp can read (") + importer.GetErrorString() + ").");
    }
    std::vector<vec3> points;
    Faces faces;
    for_each_mesh(*scene, *scene->mRootNode, aiMatrix4x4(), [&](const aiMesh& mesh, const aiMatrix4x4& pose) {
        points.clear();
        faces.clear();
        for (unsigned i = 0; i < mesh.mNumVertices; ++i) points.push_back(placed(pose, mesh.mVertices[i]));
        for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
            const aiFace& face = mesh.mFaces[i];
            if (face.mNumIndices == 3) faces.push_back({face.mIndices[0], face.mIndices[1], face.mIndices[2]});
        }
        visit(points, faces);
    });
    return {};
}

#else

/// The same without assimp, as in a browser: of OFF files, whose faces it splits into fans of triangles.
template <class Visit>
Error read_meshes(const std::string& path, Visit&& visit) {
    std::ifstream file(path);
    std::string word;
    std::size_t vertex_count = 0, face_count = 0, edge_count = 0;
    if (!(file >> word >> vertex_count >> face_count >> edge_count) || word != "OFF")
        return refuse(path, "is not an OFF file, and this program was built without assimp, which reads others.");
    std::vector<vec3> points;
    for (std::size_t i = 0; i < vertex_count; ++i) {
        vec3 p;
        if (!(file >> p.x >> p.y >> p.z)) return refuse(path, "ends among its vertices.");
        points.push_back(p);
    }
    Faces faces;
    for (std::size_t i = 0; i < face_count; ++i) {
        std::size_t corners = 0;
        std::uint32_t first = 0, before = 0, corner = 0;
        if (!(file >> corners)) return refuse(path, "ends among its faces.");
        for (std::size_t k = 0; k < corners; ++k) {
            if (!(file >> corner) || corner >= points.size()) return refuse(path, "has a face without a vertex.");
            if (k == 0) first = corner;
            if (k >= 2) faces.push_back({first, before, corner});
            before = corner;
        }
        std::getline(file, word);  // its colour
    }
    visit(points, faces);
    return {};
}

#endif

/// Calls visit(vertices, faces) for each mesh of the file; it fills `out`, which must hold a solid then.
template <class Visit>
Error fill(MeshFile& out, const std::string& path, Visit&& visit) {
    if (!std::ifstream(path).good()) return refuse(path, "cannot be opened; check the path and its permissions.");
    if (Error error = read_meshes(path, visit)) return error;
    if (out.vertices.size() < 4) return refuse(path, "holds fewer than four vertices, which enclose no volume.");
    return {};
}

}  // namespace

Result<std::vector<vec3>> read_mesh_vertices(const std::string& path) {
    MeshFile out;
    const auto add = [&](const std::vector<vec3>& points, const Faces&) {
        out.vertices.insert(out.vertices.end(), points.begin(), points.end());
    };
    if (Error error = fill(out, path, add)) return error;
    return std::move(out.vertices);
}

Result<MeshFile> read_mesh(const std::string& path) {
    MeshFile out;
    Welder weld(out);
    const auto add = [&](const std::vector<vec3>& points, const Faces& faces) {
        for (const auto& [a, b, c] : faces) weld.add_triangle({points[a], points[b], points[c]});
    };
    if (Error error = fill(out, path, add)) return error;
    return out;
}

}  // namespace talus::samples
