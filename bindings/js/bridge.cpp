// What talus.mjs needs besides the C API: functions of the library that call JavaScript, and lists of handles as numbers.

#include <talus/c/talus.h>

#include <cstring>

#define TALUS_FROM_JS(name) extern "C" __attribute__((import_module("talus"), import_name(#name))) void
#define TALUS_TO_JS extern "C" __attribute__((used, visibility("default")))

// talus.mjs finds the function to call by itself: it knows which world steps or draws.
TALUS_FROM_JS(modify) js_modify(TalusContactModification* contact, void* user);
TALUS_FROM_JS(line) js_line(void* user, TalusDVec3 from, TalusDVec3 to, TalusColor color);
TALUS_FROM_JS(point) js_point(void* user, TalusDVec3 at, float pixels, TalusColor color);
TALUS_FROM_JS(triangle) js_triangle(void* user, TalusDVec3 a, TalusDVec3 b, TalusDVec3 c, TalusColor color);
TALUS_FROM_JS(text) js_text(void* user, TalusDVec3 at, const char* text, TalusColor color);

/// Sets or removes the contact modifier that calls JavaScript.
TALUS_TO_JS bool talus_js_modify_contacts(TalusWorld* world, bool on) {
    return talus_world_set_contact_modifier(world, on ? js_modify : nullptr, nullptr);
}

/// Draws with JavaScript's functions.
TALUS_TO_JS bool talus_js_draw(const TalusWorld* world, const TalusDebugDrawOptions* options) {
    const TalusDebugDraw draw{nullptr, js_line, js_point, js_triangle, js_text};
    return talus_world_draw(world, &draw, options);
}

// A handle has the inverted slot in its lower 32 bits and the generation in its upper 32 bits. As a number of JavaScript it
// is generation * 2^21 + slot + 1, which a double holds exactly. Memory ends before a world has 2^21 - 1 bodies or joints;
// a handle that is beyond that, and a number that is no handle, become null.

namespace {

constexpr uint64_t slots = 1u << 21;

}  // namespace

/// Replaces handles by numbers, in place.
TALUS_TO_JS void talus_js_pack(void* list, size_t count) {
    char* at = static_cast<char*>(list);
    for (size_t i = 0; i < count; ++i, at += 8) {
        uint64_t handle;
        std::memcpy(&handle, at, 8);
        const uint64_t slot = -static_cast<uint32_t>(handle);
        const double number = slot > 0 && slot < slots ? static_cast<double>((handle >> 32) * slots + slot) : 0;
        std::memcpy(at, &number, 8);
    }
}

/// Replaces numbers by handles, in place.
TALUS_TO_JS void talus_js_unpack(void* list, size_t count) {
    char* at = static_cast<char*>(list);
    for (size_t i = 0; i < count; ++i, at += 8) {
        double number;
        std::memcpy(&number, at, 8);
        const bool in_range = number > 0 && number < 9007199254740992.0;  // 2^53
        const uint64_t whole = in_range ? static_cast<uint64_t>(number) : 0;
        const bool is_handle = static_cast<double>(whole) == number;
        const auto slot = static_cast<uint32_t>(whole % slots);
        const uint64_t handle = is_handle ? (whole / slots << 32) | static_cast<uint32_t>(-slot) : 0;
        std::memcpy(at, &handle, 8);
    }
}
