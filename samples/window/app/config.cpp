#include "samples/window/app/config.h"

#include "common/number_text.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace talus::samples {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string config_path() {
    const char* base = std::getenv("XDG_CONFIG_HOME");
    if (base && *base) return std::string(base) + "/talus/window.ini";
    const char* home = std::getenv("HOME");
    if (home && *home) return std::string(home) + "/.config/talus/window.ini";
    return {};
}

Config Config::load(const std::string& path) {
    Config config;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos || trimmed(line).starts_with("#")) continue;
        config.values_[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
    }
    return config;
}

Error Config::save(const std::string& path) const {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    std::ofstream file(path);
    file << "# What talus-window remembers. It is written anew each time the window closes.\n";
    for (const auto& [name, value] : values_) file << name << " = " << value << "\n";
    if (!file.flush()) return {ErrorCode::bad_argument, "Cannot write the settings to '" + path + "'."};
    return {};
}

std::string Config::text(const std::string& name, std::string_view otherwise) const {
    const auto at = values_.find(name);
    return at == values_.end() ? std::string(otherwise) : at->second;
}

double Config::number(const std::string& name, double otherwise, double low, double high) const {
    double out = 0;
    return detail::parse_number(text(name), out) && out >= low && out <= high ? out : otherwise;
}

bool Config::flag(const std::string& name, bool otherwise) const {
    const std::string value = text(name);
    return value == "yes" ? true : value == "no" ? false : otherwise;
}

void Config::set(const std::string& name, double value) { values_[name] = detail::text(value); }

}  // namespace talus::samples
