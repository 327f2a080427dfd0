#pragma once
/// What the window remembers from one time to the next: a text file of `name = value` lines.

#include <talus/result.h>

#include <map>
#include <string>
#include <string_view>

namespace talus::samples {

class Config {
public:
    /// Nothing in it when there is no such file. Lines that say nothing are passed over.
    static Config load(const std::string& path);
    Error save(const std::string& path) const;

    std::string text(const std::string& name, std::string_view otherwise = "") const;
    double number(const std::string& name, double otherwise, double low, double high) const;
    bool flag(const std::string& name, bool otherwise) const;
    void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
    void set(const std::string& name, double value);
    void set(const std::string& name, bool value) { values_[name] = value ? "yes" : "no"; }

private:
    std::map<std::string, std::string> values_;
};

/// $XDG_CONFIG_HOME/talus/window.ini, or ~/.config/talus/window.ini; empty when there is neither.
std::string config_path();

}  // namespace talus::samples
