#include "samples/render/image.h"

#include <fstream>

#ifdef TALUS_WITH_STB
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
#endif

namespace talus::samples {

Error write_png(const Image& image, const std::string& path) {
#ifdef TALUS_WITH_STB
    std::ofstream file(path, std::ios::binary);
    if (!file)
        return {ErrorCode::bad_argument, "Cannot write '" + path + "'; check that its folder exists and is writable."};
    const auto write = [](void* out, void* data, int size) {
        static_cast<std::ofstream*>(out)->write(static_cast<const char*>(data), size);
    };
    const int encoded =
        stbi_write_png_to_func(write, &file, image.width, image.height, 3, image.rgb.data(), image.width * 3);
    file.close();
    if (!encoded || !file) return {ErrorCode::bad_argument, "Writing '" + path + "' failed; is the disk full?"};
    return {};
#else
    (void)image;
    return {ErrorCode::bad_argument,
            "Cannot write '" + path + "': this program was built without stb; install libstb-dev and build again."};
#endif
}

}  // namespace talus::samples
