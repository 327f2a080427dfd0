#include "engine/world/error_text.h"

#include "common/number_text.h"
#include "engine/handles.h"
#include "engine/settings.h"
#include "narrowphase/shapes/size_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace talus {

std::string text(float x) { return detail::text(x); }
std::string text(const vec3& v) { return detail::text(v); }
std::string text(const dvec3& v) { return detail::text(v); }

std::string text(const quat& q) {
    return "(" + text(q.w) + ", " + text(q.x) + ", " + text(q.y) + ", " + text(q.z) + ")";
}

std::string text(const mat3& m) { return "(" + text(m[0]) + ", " + text(m[1]) + ", " + text(m[2]) + ")"; }

template <class Id>
static std::string text_of_handle(const Id& id) {
    if (id.is_null()) return "null";
    return "slot " + text(id.slot) + ", generation " + text(handles::use_of(id.generation));
}

std::string text(const BodyId& id) { return text_of_handle(id); }
std::string text(const JointId& id) { return text_of_handle(id); }

template <class Id>
static std::string text_with_owner(const Id& id, std::uint32_t world_tag) {
    const bool own = id.is_null() || handles::tag_of(id.generation) == world_tag;
    return text(id) + (own ? "" : " of another world");
}

std::string handle_text(const BodyId& id, std::uint32_t world_tag) { return text_with_owner(id, world_tag); }
std::string handle_text(const JointId& id, std::uint32_t world_tag) { return text_with_owner(id, world_tag); }

template <std::size_t count, class Enum>
static std::string_view name_in(const std::string_view (&names)[count], Enum value) {
    const auto index = static_cast<std::size_t>(value);
    return index < count ? names[index] : "unknown";
}

std::string_view name_of(BodyType type) {
    constexpr std::string_view names[] = {"fixed", "kinematic", "dynamic"};
    return name_in(names, type);
}

std::string_view name_of(JointKind kind) {
    constexpr std::string_view names[] = {"ball",    "hinge", "slider", "fixed", "distance",
                                          "six_dof", "wheel", "gear",   "motor"};
    return name_in(names, kind);
}

std::string_view name_of(JointAxis axis) {
    constexpr std::string_view names[] = {"move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z", "main"};
    return name_in(names, axis);
}

Error out_of_range(ErrorCode code, std::string_view what, std::string_view value, std::string_view allowed) {
    std::string message(what);
    message.append(" is ").append(value).append("; it must be ").append(allowed).append(".");
    return {code, std::move(message)};
}

Error within(std::string_view list, std::size_t index, std::string_view link, Error error) {
    if (!error) return error;
    return within(std::string(list) + "[" + text(index) + "]" + std::string(link), std::move(error));
}

static std::string with_unit(const char* range, const char* unit) {
    return *unit == '\0' ? range : std::string(range) + " (" + unit + ")";
}

Error check_at_least_zero(const char* what, float x, const char* unit) {
    if (is_finite(x) && x >= 0.0f) return {};
    return out_of_range(is_finite(x) ? ErrorCode::bad_size : ErrorCode::not_finite, what, text(x),
                        with_unit("finite and >= 0", unit));
}

Error check_fraction(const char* what, float x, const char* allowed) {
    if (x >= 0.0f && x <= 1.0f) return {};
    return out_of_range(is_finite(x) ? ErrorCode::bad_size : ErrorCode::not_finite, what, text(x), allowed);
}

Error check_cap(const char* what, float x, const char* unit, const char* no_limit) {
    if (x >= 0.0f) return {};
    return out_of_range(std::isnan(x) ? ErrorCode::not_finite : ErrorCode::bad_size, what, text(x),
                        with_unit(">= 0", unit) + "; infinity means " + no_limit);
}

Error check_gravity_scale(const char* what, float x) {
    if (Error error = check_finite(what, x, "")) return error;
    if (std::abs(x) <= settings::largest_gravity_scale) return {};
    return out_of_range(ErrorCode::bad_argument, what, text(x), "from -1e6 to 1e6");
}

Error check_speed_limit(const char* what, float x, const char* unit) {
    if (x > 0.0f) return {};
    return out_of_range(ErrorCode::bad_size, what, text(x), with_unit("> 0", unit) + "; infinity means no limit");
}

Error check_position(const char* what, const dvec3& position) {
    const dvec3 far = absolute(position);
    if (is_finite(position) && std::max({far.x, far.y, far.z}) <= settings::largest_position) return {};
    return out_of_range(is_finite(position) ? ErrorCode::bad_size : ErrorCode::not_finite, what, text(position),
                        "finite and within 1e18 of the world's origin along each axis (m)");
}

Error check_place(const char* what, const vec3& position, const char* origin) {
    const vec3 far = absolute(position);
    if (is_finite(position) && std::max({far.x, far.y, far.z}) <= largest_size) return {};
    return out_of_range(is_finite(position) ? ErrorCode::bad_size : ErrorCode::not_finite, what, text(position),
                        "finite and within 1e6 of " + std::string(origin) + " along each axis (m)");
}

Error check_rotation(const char* what, const quat& q, ErrorCode too_long) {
    const float n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (n2 > 1e-12f && is_finite(n2)) return {};
    const ErrorCode code = !is_finite(q) ? ErrorCode::not_finite : n2 > 1.0f ? too_long : ErrorCode::bad_argument;
    return out_of_range(code, what, text(q), unit_quaternion);
}

}  // namespace talus
