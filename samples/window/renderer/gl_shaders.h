#pragma once
/// The shaders' sources. The light is that of samples/render/shading.cpp, so that the window and the pictures of the
/// headless runner look alike.
///
/// Compiled with LEAN defined, they take one (filtered) look at the shadow map instead of nine, leave out the gloss, and
/// bend simpler curves: for OpenGL that a processor computes.

#include <string_view>

namespace talus::samples::shaders {

/// Texels in a row of `instances`; part_vertex below has this number, too, as a mask and a shift.
inline constexpr int instance_row = 1024;

/// A part of a body: its instance is four texels of `instances` (gl_scene.h, Instance).
inline constexpr std::string_view part_vertex = R"(
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_normal;   // w: which end of a capsule this belongs to, -1, 0 or 1
layout(location = 2) in vec4 a_edge;     // xyz: 0 at the sides that are drawn as lines; w: tone
layout(location = 3) in uint a_slot;     // of meshes that stand in one batch
uniform sampler2D instances;
uniform int base;
uniform mat4 view_projection;
uniform float pixels;                    // of 1 m at distance 1 m

#ifndef DEPTH_ONLY
uniform mat4 to_shadow;
uniform vec3 eye;
uniform float shadow_texel;              // m
out vec4 v_edge;
out float v_width;
out vec4 v_shadow;
#ifdef SIMPLE
uniform vec3 to_sun;
out vec3 v_lit, v_shaded;                // what is shown in the sun, and without it
#else
out vec3 v_position;
out vec3 v_normal;
flat out vec4 v_color;                   // w: flags
flat out float v_radius;
#endif
#endif

vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }

void main() {
    int at = 4 * (base + gl_InstanceID + int(a_slot));
    ivec2 texel = ivec2(at & 1023, at >> 10);
    vec4 place = texelFetch(instances, texel, 0), rotation = texelFetch(instances, texel + ivec2(1, 0), 0),
         size = texelFetch(instances, texel + ivec2(2, 0), 0), look = texelFetch(instances, texel + ivec2(3, 0), 0);
    vec3 local = a_position * size.xyz;
    local.y += a_normal.w * size.w;
    vec3 world = place.xyz + turn(rotation, local);
    gl_Position = view_projection * vec4(world, 1.0);
#ifndef DEPTH_ONLY
    vec3 normal = turn(rotation, normalize(a_normal.xyz / size.xyz));
    v_edge = a_edge;
    v_width = min(1.1, 0.02 * min(place.w, 5.0) * pixels / max(1e-3, gl_Position.w));
    v_shadow = to_shadow * vec4(world + normal * (2.5 * shadow_texel), 1.0);
#ifdef SIMPLE
    vec3 albedo = look.rgb * (a_edge.w > 0.5 ? 0.72 : 1.0);
    vec3 ambient = albedo * ambient_light(normal);
    vec3 lit = ambient + albedo * sun_light * max(0.0, dot(normal, to_sun));
    float selected = (int(look.w) & 4) != 0 ? 0.5 : 0.0;
    v_lit = to_display(mix(lit, vec3(1.0, 0.45, 0.05), selected));
    v_shaded = to_display(mix(ambient, vec3(1.0, 0.45, 0.05), selected));
#else
    v_normal = normal;
    v_position = world;
    v_color = look;
    v_radius = place.w;
#endif
#endif
}
)";

inline constexpr std::string_view nothing_fragment = "void main() {}\n";

/// Glass as its edges alone.
inline constexpr std::string_view edge_fragment = R"(
out vec4 out_color;
void main() { out_color = vec4(0.35, 0.42, 0.48, 0.6); }
)";

/// What part_fragment and the sky share.
inline constexpr std::string_view light_functions = R"(
const vec3 horizon = vec3(0.7379, 0.7913, 0.8228), zenith = vec3(0.2122, 0.3663, 0.5520), below = vec3(0.5457, 0.5776, 0.5841);
const vec3 sun_light = vec3(1.42, 1.30, 1.12);
vec3 ambient_light(vec3 normal) { return mix(vec3(0.34, 0.31, 0.28), vec3(0.44, 0.52, 0.62), 0.5 + 0.5 * normal.y); }
vec3 sky(vec3 direction) {
    float up = direction.y;
    return up >= 0.0 ? mix(horizon, zenith, 1.0 - exp(-2.2 * up)) : mix(horizon, below, 1.0 - exp(2.5 * up));
}
vec3 to_display(vec3 x) {
    x = max(x, 0.0);
#ifdef LEAN
    // The same curves within a hundredth, without powers and logarithms.
    vec3 t = max(x - 0.6, 0.0) * 2.5;
    vec3 bent = min(x, 0.6) + 0.4 - 0.4 / (1.0 + t * (1.0 + t * 0.55));
    return 1.138 * sqrt(bent) - 0.138 * bent;
#else
    vec3 bent = mix(x, 0.6 + 0.4 * (1.0 - exp((0.6 - x) / 0.4)), step(0.6, x));
    return mix(12.92 * bent, 1.055 * pow(bent, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, bent));
#endif
}
)";

/// Compiled three times: for bodies, with GROUND for the floor, with GLASS for what is seen through. (A processor
/// computes both sides of a branch, so there is none.) Where a processor draws, bodies get SIMPLE: light at the corners,
/// and between them but a look at the shadow map and the lines.
inline constexpr std::string_view part_fragment = R"(
uniform sampler2DShadow shadow;
uniform vec3 to_sun;
uniform vec3 eye;
uniform vec3 target;
uniform float reach;      // m from the target at which the floor is gone
uniform float pixels;
in vec4 v_edge;
in float v_width;
in vec4 v_shadow;
#ifdef SIMPLE
in vec3 v_lit, v_shaded;
#else
in vec3 v_position;
in vec3 v_normal;
flat in vec4 v_color;
flat in float v_radius;
#endif
out vec4 out_color;

float lit() {
    vec2 from_middle = abs(v_shadow.xy - 0.5);
    if (max(from_middle.x, from_middle.y) > 0.5) return 1.0;  // around the map there is light
#ifdef LEAN
    return texture(shadow, v_shadow.xyz);
#else
    float sum = 0.0;
    vec2 texel = 1.0 / vec2(textureSize(shadow, 0));
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
            sum += texture(shadow, vec3(v_shadow.xy + vec2(i, j) * 1.2 * texel, v_shadow.z));
    return sum / 9.0;
#endif
}

float on_line() {
    vec3 d = v_edge.xyz / max(fwidth(v_edge.xyz), 1e-6);
    return clamp(v_width + 0.5 - min(d.x, min(d.y, d.z)), 0.0, min(1.0, 2.0 * v_width));
}

#ifdef SIMPLE
void main() { out_color = vec4(mix(v_shaded, v_lit, lit()) * (1.0 - 0.25 * on_line()), 1.0); }
#elif defined(GLASS)
void main() {
    vec3 tint = (int(v_color.w) & 4) != 0 ? vec3(1.0, 0.55, 0.1) : vec3(0.35, 0.42, 0.48);
    float line = on_line();
    out_color = vec4(mix(vec3(0.95), tint, line), 0.05 + 0.4 * line);
}
#else
void main() {
    int flags = int(v_color.w);
    vec3 normal = normalize(v_normal);
    vec3 away = v_position - eye;
    vec3 albedo = v_color.rgb;
#ifdef GROUND
    float far = inversesqrt(dot(away, away));
    vec3 direction = away * far;
    float footprint = 1.0 / (far * pixels * max(0.05, -direction.y));
    float contrast = normal.y > 0.999 ? clamp(1.6 - 2.0 * footprint, 0.0, 1.0) : 0.0;
    vec2 cell = fract(0.5 * floor(v_position.xz));
    albedo *= 1.0 + 0.09 * contrast * (cell.x == cell.y ? 1.0 : -1.0);
#else
    albedo *= (v_edge.w > 0.5 ? 0.72 : 1.0);
#endif
    float line = on_line();
    albedo *= 1.0 - 0.45 * line;

    float facing = max(0.0, dot(normal, to_sun));
    float sun = facing * lit();
    vec3 color = albedo * (sun_light * sun + ambient_light(normal));
#ifndef LEAN
    float gloss = pow(max(0.0, dot(normal, normalize(to_sun - normalize(away)))), 40.0);
    color += sun_light * (0.05 * gloss * (facing > 0.0 ? sun / facing : 0.0));
#endif
#ifdef GROUND
    float f = clamp((length(v_position.xz - target.xz) / min(reach, 0.65 * v_radius) - 0.35) / 0.65, 0.0, 1.0);
    color = mix(color, sky(direction), f * f * (3.0 - 2.0 * f));
#else
    float rim = 1.0 - abs(dot(normal, away)) * inversesqrt(dot(away, away));
    color = mix(color, vec3(1.0, 0.45, 0.05), (flags & 4) != 0 ? max(0.42 + 0.4 * rim * rim, line) : 0.0);
#endif
    out_color = vec4(to_display(color), 1.0);
}
#endif
)";

/// A triangle over all; LEAN: a grid whose corners have the sky's colours.
inline constexpr std::string_view sky_vertex = R"(
uniform mat4 to_world;
vec3 ray(vec2 corner) {
    vec4 near = to_world * vec4(corner, -1.0, 1.0), far = to_world * vec4(corner, 1.0, 1.0);
    return far.xyz / far.w - near.xyz / near.w;
}
#ifdef LEAN
out vec3 v_color;
void main() {
    const int columns = 16, rows = 40;
    int cell = gl_VertexID / 6, corner = gl_VertexID % 6;
    ivec2 place = ivec2(cell % columns, cell / columns);
    place += ivec2(corner == 1 || corner == 3 || corner == 4 ? 1 : 0, corner == 2 || corner == 4 || corner == 5 ? 1 : 0);
    vec2 at = 2.0 * vec2(place) / vec2(columns, rows) - 1.0;
    gl_Position = vec4(at, 1.0, 1.0);
    v_color = to_display(sky(normalize(ray(at))));
}
#else
out vec3 v_ray;
void main() {
    vec2 corner = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);
    gl_Position = vec4(corner, 1.0, 1.0);
    v_ray = ray(corner);
}
#endif
)";
inline constexpr int sky_vertices = 3, lean_sky_vertices = 6 * 16 * 40;

inline constexpr std::string_view sky_fragment = R"(
out vec4 out_color;
#ifdef LEAN
in vec3 v_color;
void main() { out_color = vec4(v_color, 1.0); }
#else
in vec3 v_ray;
void main() { out_color = vec4(to_display(sky(normalize(v_ray))), 1.0); }
#endif
)";

/// Lines, points and triangles of the debug drawing.
inline constexpr std::string_view mark_vertex = R"(
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec4 a_color;
layout(location = 2) in float a_size;
uniform mat4 view_projection;
uniform float near;                      // m: points farther off than this get smaller
out vec4 v_color;
void main() {
    gl_Position = view_projection * vec4(a_position, 1.0);
    gl_PointSize = max(min(a_size, 3.5), a_size * min(1.0, near / max(1e-3, gl_Position.w)));
    // What is nearly white would be lost before the sky.
    float light = dot(a_color.rgb, vec3(0.3, 0.59, 0.11));
    v_color = vec4(a_color.rgb * (1.0 - 0.55 * smoothstep(0.6, 1.0, light)), a_color.a);
}
)";

inline constexpr std::string_view mark_fragment = R"(
uniform float strength;
uniform int round_points;
in vec4 v_color;
out vec4 out_color;
void main() {
    float alpha = v_color.a * strength;
    vec3 color = v_color.rgb;
    if (round_points != 0) {
        vec2 d = 2.0 * gl_PointCoord - 1.0;
        float r = dot(d, d);
        if (r > 1.0) discard;
        if (r > 0.55) color *= 0.6;
    }
    out_color = vec4(color, alpha);
}
)";

}  // namespace talus::samples::shaders
