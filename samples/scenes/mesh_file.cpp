#include "samples/scenes/mesh_file.h"

#ifdef TALUS_WITH_ASSIMP
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#endif

#include <fstream>

namespace talus::samples {

namespace {

Error refuse(const std::string& path, const std::string& why) {
    return {ErrorCode::bad_argument, "Mesh file '" + path + "': " + why};
}

#ifdef TALUS_WITH_ASSIMP

void gather(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, std::vector<vec3>& out) {
    const aiMatrix4x4 pose = parent * node.mTransformation;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
        const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
        for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
            const aiVector3D v = pose * mesh.mVertices[i];
            out.emplace_back(v.x, v.y, v.z);
        }
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) gather(scene, *node.mChildren[i], pose, out);
}

#endif

}  // namespace

Result<std::vector<vec3>> read_mesh_vertices(const std::string& path) {
    if (!std::ifstream(path).good()) return refuse(path, "cannot be opened; check the path and its permissions.");
#ifdef TALUS_WITH_ASSIMP
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(path, aiProcess_JoinIdenticalVertices);
    if (!scene || !scene->mRootNode) {
        return refuse(path, std::string("is not a mesh that assimp can read (") + importer.GetErrorString() + ").");
    }
    std::vector<vec3> vertices;
    gather(*scene, *scene->mRootNode, aiMatrix4x4(), vertices);
    if (vertices.size() < 4) return refuse(path, "holds fewer than four vertices, which enclose no volume.");
    return vertices;
#else
    return refuse(path, "this program was built without assimp; install libassimp-dev and build again.");
#endif
}

}  // namespace talus::samples
