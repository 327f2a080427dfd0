#pragma once
/// What the command lines of the sample programs share: options as a table, from which arguments are read and the help
/// is written.

#include <talus/result.h>
#include "common/number_text.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus::samples {

/// What was given to an option: one string at least where it takes one.
using Values = std::span<const std::string_view>;

/// How many values an option takes.
enum class Takes { none, one, maybe_one, many };

/// An option but for what it sets.
struct OptionText {
    const char* group;  ///< a heading of the help that begins here, or nothing
    std::string_view name;
    Takes takes;
    const char* value;  ///< how help names it
    const char* help;   ///< lines after the first are indented by options_text()
    bool repeatable;    ///< whether it may be given several times; an option without a value always may
};

template <class Options>
struct OptionSpec : OptionText {
    /// The string is what was wrong with the values, or empty.
    using Setter = std::string (*)(Options&, Values);

    constexpr OptionSpec(const char* heading, std::string_view spelling, Takes values, const char* placeholder,
                         const char* explanation, Setter setter, bool may_repeat = false)
        : OptionText{heading, spelling, values, placeholder, explanation, may_repeat || values == Takes::none},
          set(setter) {}

    Setter set;
};

inline constexpr int max_steps = 10'000'000;

/// False unless the whole text is a number from low to high.
template <class Number>
bool parse(std::string_view text, Number& out, Number low, Number high) {
    Number value{};
    if (!detail::parse_number(text, value) || !(value >= low && value <= high)) return false;
    out = value;
    return true;
}

/// WIDTHxHEIGHT, each from its least to 8192; false for anything else.
bool parse_size(std::string_view text, int least_width, int least_height, int& width, int& height);

/// "on" or "off": what is wrong with it, or empty.
std::string set_on_off(bool& out, std::string_view text);

Error refuse(std::string message);

/// Unless there is such a scene, a sentence that names the nearest one.
Error check_scene(const std::string& name);

/// A sentence about an option that is none of these: it names the nearest.
Error refuse_unknown(std::string_view name, const std::vector<std::string_view>& names);

/// The values of an option that was named by `argument` (--name or --name=value), from the arguments that follow.
Result<std::vector<std::string_view>> take_values(const OptionText& option, std::string_view argument,
                                                  std::span<const std::string_view> arguments, std::size_t& next);

/// Reads the arguments (without the program's name) into the options. Refused with a sentence: unknown options (the
/// nearest one is named), missing values, an option that is given twice and is not repeatable, and what `set` refuses.
/// `given_names` gets the names of the options that were given.
template <class Options>
Error read_arguments(std::span<const std::string_view> arguments, std::span<const OptionSpec<Options>> specs,
                     Options& options, std::vector<std::string_view>* given_names = nullptr) {
    std::vector<std::string_view> used;
    for (std::size_t next = 0; next < arguments.size();) {
        const std::string_view argument = arguments[next++];
        const std::string_view given = argument.substr(0, argument.find('='));
        const std::string_view name = given == "-h" ? "--help" : given;
        const OptionSpec<Options>* found = nullptr;
        std::vector<std::string_view> names;
        for (const OptionSpec<Options>& spec : specs) {
            if (spec.name == name) found = &spec;
            names.push_back(spec.name);
        }
        if (!found) return refuse_unknown(given, names);
        const Result<std::vector<std::string_view>> values = take_values(*found, argument, arguments, next);
        if (!values) return values.error();
        if (!found->repeatable && std::find(used.begin(), used.end(), found->name) != used.end())
            return refuse(std::string(given) + " is given twice; it is allowed once.");
        used.push_back(found->name);
        const std::string wrong = found->set(options, *values);
        if (!wrong.empty())
            return refuse(std::string(given) + " " + wrong + "; it was given '" + std::string((*values)[0]) + "'.");
    }
    if (given_names) *given_names = std::move(used);
    return {};
}

/// A line of the help, with its heading before it; texts begin at this column.
std::string option_text(const OptionText& option, std::size_t column);

template <class Options>
std::string options_text(std::span<const OptionSpec<Options>> specs, std::size_t column) {
    std::string text;
    for (const OptionSpec<Options>& spec : specs) text += option_text(spec, column);
    return text;
}

/// What samples/fetch_meshes.sh fetched, by name: into meshes/ here, or into the source tree that this was built from.
std::vector<std::string> fetched_meshes();

}  // namespace talus::samples
