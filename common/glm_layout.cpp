#include <talus/math.h>

namespace talus::detail {

template <std::size_t quat_x, std::size_t quat_size, std::size_t vec3_size, std::size_t vec3_alignment,
          std::size_t mat3_size>
const char GlmLayout<quat_x, quat_size, vec3_size, vec3_alignment, mat3_size>::the_glm_of_talus = 0;

template struct GlmLayout<offsetof(glm::quat, x), sizeof(glm::quat), sizeof(glm::vec3), alignof(glm::vec3),
                          sizeof(glm::mat3)>;

}  // namespace talus::detail
