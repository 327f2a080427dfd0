#include <talus/profiling/terminal.h>

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace talus {

bool is_terminal(std::FILE* stream) {
    const char* term = std::getenv("TERM");
    return isatty(fileno(stream)) == 1 && term && *term && std::string_view(term) != "dumb";
}

bool wants_colors(std::FILE* stream) {
    const char* no_color = std::getenv("NO_COLOR");
    return is_terminal(stream) && !(no_color && *no_color);
}

}  // namespace talus
