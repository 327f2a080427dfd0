#include "samples/runner/command_line.h"

#include "samples/runner/nearest.h"
#include "samples/scenes/scene.h"

#include <algorithm>
#include <filesystem>

namespace talus::samples {

bool parse_size(std::string_view text, int least_width, int least_height, int& width, int& height) {
    const std::size_t x = text.find('x');
    int w = 0, h = 0;
    if (x == std::string_view::npos || !parse(text.substr(0, x), w, least_width, 8192) ||
        !parse(text.substr(x + 1), h, least_height, 8192)) {
        return false;
    }
    width = w;
    height = h;
    return true;
}

std::string set_on_off(bool& out, std::string_view text) {
    if (text != "on" && text != "off") return "is 'on' or 'off'";
    out = text == "on";
    return {};
}

Error refuse(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }

Error check_scene(const std::string& name) {
    if (find_scene(name)) return {};
    std::vector<std::string_view> names;
    for (const Scene& scene : all_scenes()) names.push_back(scene.name);
    return refuse("There is no scene '" + name + "'." + did_you_mean(name, names) + " --list shows them all.");
}

Error refuse_unknown(std::string_view name, const std::vector<std::string_view>& names) {
    if (!name.starts_with("-"))
        return refuse("'" + std::string(name) + "' is no option; a scene is named by --scene NAME.");
    return refuse("There is no option '" + std::string(name) + "'." + did_you_mean(name, names) +
                  " --help shows them all.");
}

Result<std::vector<std::string_view>> take_values(const OptionText& option, std::string_view argument,
                                                  std::span<const std::string_view> arguments, std::size_t& next) {
    const std::size_t equals = argument.find('=');
    const std::string name(argument.substr(0, equals));
    std::vector<std::string_view> values;
    if (equals != std::string_view::npos) values.push_back(argument.substr(equals + 1));
    const auto is_value = [&] { return next < arguments.size() && !arguments[next].starts_with("--"); };
    if (option.takes == Takes::none) {
        if (!values.empty()) return refuse(name + " takes no value.");
    } else if (option.takes == Takes::many) {
        while (is_value()) values.push_back(arguments[next++]);
    } else if (values.empty() && is_value()) {
        values.push_back(arguments[next++]);
    }
    const bool wants = option.takes == Takes::one || option.takes == Takes::many;
    if (wants && (values.empty() || values[0].empty())) return refuse(name + " wants a value: " + option.value + ".");
    return values;
}

std::string option_text(const OptionText& option, std::size_t column) {
    std::string line = "  " + std::string(option.name) + (*option.value ? " " : "") + option.value;
    line.resize(std::max(line.size() + 1, column), ' ');
    for (const char* c = option.help; *c; ++c) {
        line += *c;
        if (*c == '\n') line.append(column, ' ');
    }
    const std::string heading = *option.group ? std::string("\n") + option.group + ":\n" : std::string();
    return heading + line + "\n";
}

std::vector<std::string> fetched_meshes() {
    std::vector<std::string> files;
    for (const char* folder : {"meshes", TALUS_MESH_FOLDER}) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            if (entry.path().extension() == ".off" && !entry.path().stem().empty())
                files.push_back(entry.path().string());
        }
        if (!files.empty()) break;
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace talus::samples
