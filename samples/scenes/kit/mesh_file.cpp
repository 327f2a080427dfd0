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

/// Gives vertices at the same place the same index.
class Welder {
public:
    explicit Welder(std::vector<vec3>& vertices) : vertices_(vertices) {}

    std::uint32_t operator()(const vec3& v) {
        const auto next = static_cast<std::uint32_t>(vertices_.size());
        const auto [place, is_new] = index_.try_emplace({v.x + 0.0f, v.y + 0.0f, v.z + 0.0f}, next);  // -0 is 0
        if (is_new) vertices_.push_back(v);
        return place->second;
    }

private:
    std::vector<vec3>& vertices_;
    std::map<std::array<float, 3>, std::uint32_t> index_;
};

void add_triangles(const aiMesh& mesh, const aiMatrix4x4& pose, Welder& weld, std::vector<std::uint32_t>& triangles) {
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
        const aiFace& face = mesh.mFaces[i];
        if (face.mNumIndices != 3) continue;
        std::array<vec3, 3> p;
        for (unsigned k = 0; k < 3; ++k) p[k] = placed(pose, mesh.mVertices[face.mIndices[k]]);
        if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) continue;
        for (const vec3& v : p) triangles.push_back(weld(v));
    }
}

#endif

}  // namespace

namespace {

/// Calls use(scene) with what assimp reads from the file, or says why it cannot.
template <class Use>
Error with_scene(const std::string& path, [[maybe_unused]] Use&& use) {
    if (!std::ifstream(path).good()) return refuse(path, "cannot be opened; check the path and its permissions.");
#ifdef TALUS_WITH_ASSIMP
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(path, aiProcess_JoinIdenticalVertices | aiProcess_Triangulate);
    if (!scene || !scene->mRootNode) {
        return refuse(path, std::string("is not a mesh that assimp can read (") + importer.GetErrorString() + ").");
    }
    use(*scene);
    return {};
#else
    return refuse(path, "this program was built without assimp; install libassimp-dev and build again.");
#endif
}

}  // namespace

Result<std::vector<vec3>> read_mesh_vertices(const std::string& path) {
    std::vector<vec3> vertices;
    Error error = with_scene(path, [&]([[maybe_unused]] const auto& scene) {
#ifdef TALUS_WITH_ASSIMP
        for_each_mesh(scene, *scene.mRootNode, aiMatrix4x4(), [&](const aiMesh& mesh, const aiMatrix4x4& pose) {
            for (unsigned i = 0; i < mesh.mNumVertices; ++i) vertices.push_back(placed(pose, mesh.mVertices[i]));
        });
#endif
    });
    if (error) return error;
    if (vertices.size() < 4) return refuse(path, "holds fewer than four vertices, which enclose no volume.");
    return vertices;
}

Result<MeshFile> read_mesh(const std::string& path) {
    MeshFile out;
    Error error = with_scene(path, [&]([[maybe_unused]] const auto& scene) {
#ifdef TALUS_WITH_ASSIMP
        Welder weld(out.vertices);
        for_each_mesh(scene, *scene.mRootNode, aiMatrix4x4(), [&](const aiMesh& mesh, const aiMatrix4x4& pose) {
            add_triangles(mesh, pose, weld, out.triangles);
        });
#endif
    });
    if (error) return error;
    if (out.vertices.size() < 4) return refuse(path, "holds fewer than four vertices, which enclose no volume.");
    return out;
}

}  // namespace talus::samples
