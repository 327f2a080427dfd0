#pragma once
/// Errors of the World's calls: "CALL: WHAT is VALUE; it must be ALLOWED."
///
/// The checks here and in body_setup.h and joint_checks.h return the first error that they find, or an empty one. Their
/// messages begin with the name of the argument, and callers put before it what they know: the path to a field, and
/// the call (State::accept). Text is made only after a check has failed: a passed check costs its comparisons.

#include <talus/engine/body.h>
#include <talus/engine/joints/joint.h>
#include <talus/ids.h>
#include <talus/math.h>
#include <talus/result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace talus {

std::string text(float x);         ///< the shortest text that names it and no other float
std::string text(const vec3& v);   ///< (x, y, z)
std::string text(const dvec3& v);  ///< likewise
std::string text(const quat& q);   ///< (w, x, y, z)
std::string text(const mat3& m);   ///< its columns
std::string text(const BodyId&);   ///< "null" or "slot 3, generation 1"
std::string text(const JointId&);  ///< likewise
/// The text of a handle that a world with this tag was given: " of another world" follows if the tags differ.
std::string handle_text(const BodyId&, std::uint32_t world_tag);
std::string handle_text(const JointId&, std::uint32_t world_tag);  ///< likewise
/// Enumerators by their number, because one that is out of range has no name.
template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) std::string text(T x) {
    return std::to_string(static_cast<long long>(x));
}

std::string_view name_of(BodyType type);   ///< for example "kinematic"
std::string_view name_of(JointKind kind);  ///< for example "six_dof"
std::string_view name_of(JointAxis axis);  ///< for example "move_x"

/// Returns "WHAT is VALUE; it must be ALLOWED."
Error out_of_range(ErrorCode code, std::string_view what, std::string_view value, std::string_view allowed);

/// Puts a path such as "material." before the message, if there is an error.
inline Error within(std::string_view path, Error error) {
    if (error) error.message.insert(0, path);
    return error;
}
/// Puts "LIST[INDEX]" and `link` before the message, if there is an error.
Error within(std::string_view list, std::size_t index, std::string_view link, Error error);

/// Returns the first of the errors that is one.
template <class... More>
Error first_of(Error error, More... more) {
    if constexpr (sizeof...(more) > 0) {
        if (!error) return first_of(std::move(more)...);
    }
    return error;
}

// Checks of one number each. `unit` may be empty. NaN and infinity give not_finite, numbers out of range bad_size.

/// The error of an argument that must be finite and is not.
template <class T>
Error not_finite(std::string_view what, const T& value, std::string_view unit) {
    return out_of_range(ErrorCode::not_finite, what, text(value),
                        unit.empty() ? "finite" : "finite (" + std::string(unit) + ")");
}
template <class T>
Error check_finite(const char* what, const T& value, const char* unit) {
    return is_finite(value) ? Error{} : not_finite(what, value, unit);
}
Error check_at_least_zero(const char* what, float x, const char* unit);  ///< finite and >= 0
Error check_fraction(const char* what, float x, const char* allowed);    ///< 0 to 1, which `allowed` says
/// >= 0 or infinity, which means `no_limit`: "no cap".
Error check_cap(const char* what, float x, const char* unit, const char* no_limit);
Error check_gravity_scale(const char* what, float x);
Error check_speed_limit(const char* what, float x, const char* unit);  ///< > 0 or infinity; else bad_size
/// A position in the world: finite, and within 1e18 m of the origin along each axis, so that floats can hold differences.
Error check_position(const char* what, const dvec3& position);
/// A position in a body's frame: finite, and as near to its origin as a shape's own points must be (size_limits.h).
Error check_place(const char* what, const vec3& position, const char* origin = "the body's origin");
inline constexpr std::string_view unit_quaternion = "a unit quaternion (w, x, y, z), or one that can be normalised";
/// A quaternion that can be normalised: finite, and longer than 1e-6. One that is not finite gives not_finite.
Error check_rotation(const char* what, const quat& q, ErrorCode too_long = ErrorCode::bad_argument);
/// An enumerator up to `last`, of the enumeration `name`.
template <class Enum>
Error check_enumerator(const char* what, Enum value, Enum last, const char* name) {
    if (value <= last) return {};
    return out_of_range(ErrorCode::bad_argument, what, text(value),
                        "a value of " + std::string(name) + " (0 to " + text(last) + ")");
}

}  // namespace talus
