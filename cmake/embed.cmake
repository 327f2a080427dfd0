# Writes a text file as a C++ source that holds it: see talus_embed in library.cmake.
#
#   cmake -DNAME=page_html -DFILE=page.html -DOUTPUT=page_html.cpp -P embed.cmake

file(READ ${FILE} text HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${text}")
string(LENGTH "${text}" digits)
math(EXPR size "${digits} / 2")
file(WRITE ${OUTPUT} "#include <string_view>
namespace talus::embedded {
static constexpr char bytes[] = {${bytes}};
extern const std::string_view ${NAME};
const std::string_view ${NAME}(bytes, ${size});
}
")
