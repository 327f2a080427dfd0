#include <talus/profiling/terminal.h>

#include <cstdlib>
#include <string_view>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace talus {

bool is_terminal(std::FILE* stream) {
#if defined(_WIN32)
    return _isatty(_fileno(stream)) != 0;
#else
    const char* term = std::getenv("TERM");
    return isatty(fileno(stream)) == 1 && term && *term && std::string_view(term) != "dumb";
#endif
}

bool wants_colors(std::FILE* stream) {
    const char* no_color = std::getenv("NO_COLOR");
    return is_terminal(stream) && !(no_color && *no_color);
}

}  // namespace talus
