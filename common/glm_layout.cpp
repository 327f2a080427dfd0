#include <talus/math.h>

namespace talus::detail {

template <>
const char UsedGlmLayout::the_glm_of_talus = 0;

}  // namespace talus::detail
