// Draws a recording's bodies with WebGL2: lit, with shadows and dimmed corners, like the pictures of samples/render.
//
// Poses of all bodies go into one texture each frame. A shape's triangles find their body through their item (a shape of
// a body: its place in the body, its size), so that all spheres are one instanced draw, and all hulls of which there
// is one of a kind are one plain draw.
"use strict";

// ---- Vectors (arrays of 3), quaternions (x, y, z, w), matrices (column by column)

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]);
const normalized = a => scaled(a, 1 / (norm(a) || 1));
const lerp = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
function turned(q, v) {
  const u = [q[0], q[1], q[2]], t = scaled(cross(u, v), 2);
  return add(add(v, scaled(t, q[3])), cross(u, t));
}

function multiplied(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; ++c) {
    for (let r = 0; r < 4; ++r) {
      let sum = 0;
      for (let k = 0; k < 4; ++k) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}
function lookFrom(eye, right, up, back) {
  return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}
// The view's centre stands `rise` above the picture's (a half of its height is 1).
function perspective(spread, rise, near, far) {
  const d = near - far;
  return new Float32Array([1 / spread[0], 0, 0, 0, 0, 1 / spread[1], 0, 0, 0, -rise, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}

// ---- Meshes: [position, normal, edge, shift, tone] a corner. An edge is 0 along a side that is drawn as a line.

const FLOATS = 11;

class Mesh {
  constructor() { this.data = []; }
  // Bit i of `edges`: the side opposite corner i is a line.
  triangle(p, n, edges, tone = 0, shift = [0, 0, 0]) {
    for (let i = 0; i < 3; ++i) {
      this.data.push(...p[i], ...n[i]);
      for (let j = 0; j < 3; ++j) this.data.push(edges & (1 << j) ? (i === j ? 1 : 0) : 1);
      this.data.push(shift[i], tone);
    }
  }
  polygon(corners, normal, lines) {
    const last = corners.length - 1;
    for (let i = 1; i < last; ++i) {
      const edges = (lines[i] ? 1 : 0) | (i === 1 && lines[0] ? 4 : 0) | (i + 1 === last && lines[last] ? 2 : 0);
      this.triangle([corners[0], corners[i], corners[i + 1]], [normal, normal, normal], edges);
    }
  }
  // Between two rings of a surface of revolution: {radius, y, out, up, shift}.
  band(low, high, slices, edges, flip) {
    const around = s => [Math.cos(2 * Math.PI * s / slices), Math.sin(2 * Math.PI * s / slices)];
    const place = (ring, [c, s]) => [c * ring.radius, ring.y, s * ring.radius];
    const normal = (ring, [c, s]) => [c * ring.out, ring.up, s * ring.out];
    for (let s = 0; s < slices; ++s) {
      const a = around(s), b = around(s + 1), tone = (Math.floor(4 * s / slices) & 1) ^ flip;
      if (low.radius > 0) {
        this.triangle([place(low, a), place(high, b), place(low, b)], [normal(low, a), normal(high, b), normal(low, b)],
          edges & 1 ? 2 : 0, tone, [low.shift, high.shift, low.shift]);
      }
      if (high.radius > 0) {
        this.triangle([place(low, a), place(high, a), place(high, b)], [normal(low, a), normal(high, a), normal(high, b)],
          edges & 2 ? 1 : 0, tone, [low.shift, high.shift, high.shift]);
      }
    }
  }
  disc(y, up, slices) {
    const n = [0, up ? 1 : -1, 0];
    for (let s = 0; s < slices; ++s) {
      const at = t => [Math.cos(2 * Math.PI * t / slices), y, Math.sin(2 * Math.PI * t / slices)];
      const rim = up ? [at(s + 1), at(s)] : [at(s), at(s + 1)];
      this.triangle([[0, y, 0], ...rim], [n, n, n], 1, Math.floor(4 * s / slices) & 1);
    }
  }
}

function ballMesh(slices, capsule) {
  const mesh = new Mesh(), rings = slices / 4;
  const ring = i => {
    const angle = 0.5 * Math.PI * i / rings, out = Math.abs(i) === rings ? 0 : Math.cos(angle), up = Math.sin(angle);
    return {radius: out, y: up, out, up, shift: 0};
  };
  for (let i = -rings; i < rings; ++i) {
    const side = capsule ? (i < 0 ? -1 : 1) : 0;
    mesh.band({...ring(i), shift: side}, {...ring(i + 1), shift: side}, slices, 0, i < 0 ? 0 : 1);
  }
  if (capsule) {
    const rim = shift => ({radius: 1, y: 0, out: 1, up: 0, shift});
    mesh.band(rim(-1), rim(0), slices, 0, 0);
    mesh.band(rim(0), rim(1), slices, 0, 1);
  }
  return mesh;
}

function boxMesh() {
  const mesh = new Mesh();
  for (let axis = 0; axis < 3; ++axis) {
    for (const side of [-1, 1]) {
      const n = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0];
      n[axis] = side;
      u[(axis + 1) % 3] = 1;
      v[(axis + 2) % 3] = side;
      const corner = (a, b) => add(n, add(scaled(u, a), scaled(v, b)));
      mesh.polygon([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], n, [true, true, true, true]);
    }
  }
  return mesh;
}

function roundMesh(slices, cone) {
  const mesh = new Mesh();
  mesh.disc(-1, false, slices);
  if (cone) {  // unit cone: the slope's normal, made right by the size of each
    mesh.band({radius: 1, y: -1, out: 2, up: 1, shift: 0}, {radius: 0, y: 1, out: 2, up: 1, shift: 0}, slices, 1, 0);
  } else {
    mesh.band({radius: 1, y: -1, out: 1, up: 0, shift: 0}, {radius: 1, y: 1, out: 1, up: 0, shift: 0}, slices, 3, 0);
    mesh.disc(1, true, slices);
  }
  return mesh;
}

const SMOOTH_COSINE = 0.966;  // faces that meet at less than 15 degrees show no line

function hullMesh(hull, twoSided) {
  const mesh = new Mesh(), {points, faces} = hull;
  const normals = faces.map(face => {
    let sum = [0, 0, 0];
    for (let i = 1; i + 1 < face.length; ++i) {
      sum = add(sum, cross(sub(points[face[i]], points[face[0]]), sub(points[face[i + 1]], points[face[0]])));
    }
    return normalized(sum);
  });
  const owner = new Map();
  const key = (a, b) => a * 4294967296 + b;
  faces.forEach((face, f) => face.forEach((v, i) => owner.set(key(v, face[(i + 1) % face.length]), f)));
  faces.forEach((face, f) => {
    const lines = face.map((v, i) => {
      const other = owner.get(key(face[(i + 1) % face.length], v));
      return other === undefined || dot(normals[f], normals[other]) < SMOOTH_COSINE;
    });
    const corners = face.map(v => points[v]);
    mesh.polygon(corners, normals[f], lines);
    if (twoSided) mesh.polygon([corners[0], ...corners.slice(1).reverse()], scaled(normals[f], -1), lines.slice().reverse());
  });
  return mesh;
}

function triangleMesh(points, radius) {
  const mesh = new Mesh(), normal = normalized(cross(sub(points[1], points[0]), sub(points[2], points[0])));
  const lift = scaled(normal, radius), lines = radius === 0, all = [lines, lines, lines];
  mesh.polygon(points.map(p => add(p, lift)), normal, all);
  mesh.polygon([points[0], points[2], points[1]].map(p => sub(p, lift)), scaled(normal, -1), all);
  return mesh;
}

// The quaternion that turns y to this direction.
function fromY(to) {
  if (to[1] < -0.9999) return [1, 0, 0, 0];
  const q = [to[2], 0, -to[0], 1 + to[1]], s = 1 / Math.hypot(...q);
  return q.map(v => v * s);
}

function composed(part, local) {  // part of a body, and a pose in the part
  const [ax, ay, az, aw] = part.rotation, [bx, by, bz, bw] = local.rotation;
  return {position: add(part.position, turned(part.rotation, local.position)),
    rotation: [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
      aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]};
}

// What a shape is drawn by: [name of a mesh, local pose, scale, shift] a piece.
function pieces(shape, number) {
  const here = {position: [0, 0, 0], rotation: [0, 0, 0, 1]}, r = shape.radius;
  const rod = (a, b, radius) => {
    const along = sub(b, a), length = norm(along);
    return ["capsule", {position: scaled(add(a, b), 0.5), rotation: fromY(scaled(along, 1 / (length || 1)))},
      [radius, radius, radius], 0.5 * length];
  };
  switch (shape.type) {
    case "sphere": return [["sphere", here, [r, r, r], 0]];
    case "capsule": return [["capsule", here, [r, r, r], shape.half[1]]];
    case "box": return [["box", here, shape.half, 0]];
    case "cylinder": return [["cylinder", here, shape.half, 0]];
    case "cone": return [["cone", here, shape.half, 0]];
    case "segment": return [rod(shape.points[0], shape.points[1], Math.max(r, 0.01))];
    case "triangle": {
      const list = [[`triangle ${number}`, here, [1, 1, 1], 0]];
      for (let i = 0; i < 3 && r > 0; ++i) list.push(rod(shape.points[i], shape.points[(i + 1) % 3], r));
      return list;
    }
    default: return [[`${shape.twoSided ? "sheet" : "hull"} ${shape.hull}`, here, [1, 1, 1], 0]];
  }
}

function shapeRadius(recording, shape) {
  switch (shape.type) {
    case "sphere": return shape.radius;
    case "capsule": return shape.radius + shape.half[1];
    case "box": case "cylinder": case "cone": return norm(shape.type === "box" ? shape.half : [shape.half[0], shape.half[1], 0]);
    case "segment": case "triangle": return shape.radius + Math.max(...shape.points.map(norm));
    default: {
      const hull = recording.hulls[shape.hull];
      return hull.radius ??= hull.points.reduce((most, p) => Math.max(most, norm(p)), 0);
    }
  }
}

// ---- Shaders

const TEXELS = 1024;  // a row of the textures of bodies and items

const FETCH = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D uBodies, uItems;
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec3 aEdge;
layout(location = 3) in vec2 aShiftTone;
layout(location = 4) in float aItem;
vec4 texel(sampler2D map, int i) { return texelFetch(map, ivec2(i % ${TEXELS}, i / ${TEXELS}), 0); }
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
int body;
vec3 world, normal;
vec4 look;   // colour; marked
vec4 state;  // position; visible, + 2: casts no shadow
void place() {
  int item = int(aItem + 0.5);
  vec4 at = texel(uItems, 3 * item), turning = texel(uItems, 3 * item + 1), size = texel(uItems, 3 * item + 2);
  body = int(at.w + 0.5);
  state = texel(uBodies, 3 * body);
  vec4 rotation = texel(uBodies, 3 * body + 1);
  look = texel(uBodies, 3 * body + 2);
  vec3 local = aPosition * size.xyz + vec3(0.0, aShiftTone.x * size.w, 0.0);
  world = state.xyz + turn(rotation, at.xyz + turn(turning, local));
  normal = turn(rotation, turn(turning, aNormal / size.xyz));
}
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
`;

const SKY = `
uniform vec3 uHorizon, uZenith, uGround;
vec3 sky(vec3 d) {
  return d.y >= 0.0 ? mix(uHorizon, uZenith, 1.0 - exp(-2.2 * d.y)) : mix(uHorizon, uGround, 1.0 - exp(2.5 * d.y));
}
vec3 toDisplay(vec3 c) {
  vec3 x = max(c, 0.0);
  vec3 bent = mix(x, 0.6 + 0.4 * (1.0 - exp(-(x - 0.6) / 0.4)), step(0.6, x));
  return mix(12.92 * bent, 1.055 * pow(bent, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, bent));
}
`;

const SHADERS = {
  body: [FETCH + `
uniform mat4 uView;
uniform float uGlass;
out vec3 vWorld, vNormal, vEdge;
flat out vec4 vLook;
flat out float vTone, vFixed;
void main() {
  place();
  vWorld = world;
  vNormal = normal;
  vEdge = aEdge;
  vTone = aShiftTone.y;
  vLook = look;
  int flags = int(state.w + 0.5);
  vFixed = float(flags & 12);
  bool glass = (flags & 16) != 0;
  gl_Position = (flags & 1) == 0 || glass != (uGlass > 0.5) ? NOWHERE : uView * vec4(world, 1.0);
}`, `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 vWorld, vNormal, vEdge;
flat in vec4 vLook;
flat in float vTone, vFixed;
uniform vec3 uEye, uSun, uTarget;
uniform vec4 uHaze;  // distance at which the floor is gone, size of a pixel at depth 1, darkness of floors, unused
uniform sampler2DShadow uShadow;
uniform sampler2D uOpen;
uniform mat4 uToShadow;
uniform vec3 uShadowSize;  // texel in m, 1 / texels, on
uniform vec2 uPixels;
uniform float uGlass, uXray, uDim, uLine;
out vec4 color;
${SKY}
float sunAt(vec3 p, vec3 n) {
  if (uShadowSize.z < 0.5) return 1.0;
  vec3 m = (uToShadow * vec4(p + n * (2.0 * uShadowSize.x), 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(m.xy, vec2(0.002))) || any(greaterThan(m.xy, vec2(0.998))) || m.z > 1.0) return 1.0;
  float lit = 0.0;
  for (int j = -1; j <= 1; ++j) for (int i = -1; i <= 1; ++i)
    lit += texture(uShadow, vec3(m.xy + vec2(i, j) * 1.2 * uShadowSize.y, m.z - 0.0006));
  return lit / 9.0;
}
float lines() {
  vec3 away = vEdge / max(fwidth(vEdge), vec3(1e-6));
  float nearest = min(away.x, min(away.y, away.z));
  return 1.0 - smoothstep(uLine - 0.5, uLine + 0.7, nearest);
}
void main() {
  vec3 n = normalize(vNormal), toEye = normalize(uEye - vWorld);
  float line = lines();
  if (uGlass > 0.5) {
    color = vLook.a > 0.5 ? vec4(toDisplay(vLook.rgb), 0.12 + 0.7 * line) : vec4(vec3(0.49, 0.55, 0.6), 0.03 + 0.38 * line);
    return;
  }
  vec3 albedo = vLook.rgb;
  float marked = vLook.a;
  if (uXray > 0.5) {
    if (marked < 0.5) discard;
    color = vec4(toDisplay(albedo * (0.55 + 0.45 * max(0.0, dot(n, toEye)))), 0.25);
    return;
  }
  if (vTone > 0.5) albedo *= 0.72;
  bool ground = vFixed > 6.0;
  if (vFixed > 2.0) {
    albedo *= uHaze.z;
    vec2 foot = fwidth(vWorld.xz);
    if (n.y > 0.999) {
      vec2 cell = floor(vWorld.xz);
      float contrast = clamp(1.6 - 2.0 * max(foot.x, foot.y), 0.0, 1.0);
      albedo *= 1.0 + 0.09 * contrast * (mod(cell.x + cell.y, 2.0) < 0.5 ? 1.0 : -1.0);
    }
  }
  albedo *= 1.0 - 0.45 * line;
  float dimmed = uDim * (1.0 - step(0.5, marked));
  albedo = mix(albedo, vec3(dot(albedo, vec3(0.3, 0.5, 0.2))) * 0.45, 0.8 * dimmed);
  float facing = max(0.0, dot(n, uSun)), sun = facing > 0.0 ? sunAt(vWorld, n) : 0.0;
  float open = texture(uOpen, gl_FragCoord.xy / uPixels).r;
  vec3 sunColor = vec3(1.42, 1.30, 1.12);
  vec3 ambient = mix(vec3(0.34, 0.31, 0.28), vec3(0.44, 0.52, 0.62), 0.5 + 0.5 * n.y) * open;
  vec3 light = albedo * (sunColor * facing * sun + ambient);
  float gloss = pow(max(0.0, dot(n, normalize(uSun + toEye))), 40.0);
  light += sunColor * (0.05 * gloss * sun);
  if (marked > 0.5) light += albedo * 0.25;
  if (ground) {
    float f = clamp((length((vWorld - uTarget).xz) / uHaze.x - 0.35) / 0.65, 0.0, 1.0);
    light = mix(light, sky(-toEye), f * f * (3.0 - 2.0 * f));
  }
  color = vec4(toDisplay(light), 1.0);
}`],

  depth: [FETCH + `
uniform mat4 uView;
uniform int uWanted;  // bits that must be 0
void main() {
  place();
  int flags = int(state.w + 0.5);
  gl_Position = (flags & 1) == 0 || (flags & uWanted) != 0 ? NOWHERE : uView * vec4(world, 1.0);
}`, `#version 300 es
precision mediump float;
void main() {}`],

  pick: [FETCH + `
uniform mat4 uView;
flat out int vBody;
void main() {
  place();
  int flags = int(state.w + 0.5);
  vBody = body + 1;
  gl_Position = (flags & 1) == 0 || (flags & 16) != 0 ? NOWHERE : uView * vec4(world, 1.0);
}`, `#version 300 es
precision highp float;
flat in int vBody;
out vec4 color;
void main() { color = vec4(vBody & 255, (vBody >> 8) & 255, (vBody >> 16) & 255, 255) / 255.0; }`],

  sky: [`#version 300 es
out vec2 vAt;
void main() {
  vAt = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  gl_Position = vec4(vAt, 1.0, 1.0);
}`, `#version 300 es
precision highp float;
in vec2 vAt;
uniform vec3 uRight, uUp, uForward;
uniform vec2 uSpread;
uniform float uRise;
out vec4 color;
${SKY}
void main() {
  vec3 d = normalize(uForward + uRight * (vAt.x * uSpread.x) + uUp * ((vAt.y - uRise) * uSpread.y));
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) / 255.0;
  color = vec4(toDisplay(sky(d)) + noise, 1.0);
}`],

  // How open each surface is: places around it, in the half space it faces, that something hides from the eye.
  open: [`#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`, `#version 300 es
precision highp float;
uniform highp sampler2D uDepth;
uniform vec2 uSize, uSpread;
uniform vec3 uNearFarRadius;
uniform float uRise;
out vec4 color;
float far(vec2 at) {
  float z = texture(uDepth, at).r * 2.0 - 1.0, n = uNearFarRadius.x, f = uNearFarRadius.y;
  return 2.0 * n * f / (f + n - z * (f - n));
}
vec3 view(vec2 at) { return vec3((at * 2.0 - 1.0 - vec2(0.0, uRise)) * uSpread, -1.0) * far(at); }
void main() {
  vec2 at = gl_FragCoord.xy / uSize, one = 1.0 / uSize;
  vec3 p = view(at);
  if (-p.z > 0.95 * uNearFarRadius.y) { color = vec4(1.0); return; }
  vec3 r = view(at + vec2(one.x, 0.0)) - p, l = p - view(at - vec2(one.x, 0.0));
  vec3 u = view(at + vec2(0.0, one.y)) - p, d = p - view(at - vec2(0.0, one.y));
  vec3 n = normalize(cross(abs(r.z) < abs(l.z) ? r : l, abs(u.z) < abs(d.z) ? u : d));
  vec3 s = normalize(abs(n.x) < 0.7 ? cross(n, vec3(1, 0, 0)) : cross(n, vec3(0, 1, 0))), t = cross(n, s);
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float radius = uNearFarRadius.z, open = 0.0, turned = 0.3926991 * float((cell.x + 4 * cell.y) * 7 % 16);
  for (int i = 0; i < 12; ++i) {
    float down = (float(i) + 0.5) / 12.0, a = 2.3999632 * float(i) + turned;
    float distance = radius * (0.15 + 0.85 * float((i * 7 + cell.x + cell.y) % 12) / 11.0);
    vec3 q = p + distance * ((cos(a) * s + sin(a) * t) * sqrt(down) + n * sqrt(1.0 - 0.9 * down));
    vec2 on = (q.xy / (-q.z * uSpread) + vec2(0.0, uRise)) * 0.5 + 0.5;
    float behind = -q.z - far(on);
    open += behind < 0.04 * radius ? 1.0 : clamp((behind - radius) / radius, 0.0, 1.0);
  }
  color = vec4(open / 12.0, clamp(-p.z / uNearFarRadius.y, 0.0, 1.0), 0.0, 1.0);
}`],

  blur: [`#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`, `#version 300 es
precision highp float;
uniform sampler2D uRaw;
uniform highp sampler2D uDepth;
uniform vec2 uNearFar;
out vec4 color;
float far(ivec2 at) {
  float z = texelFetch(uDepth, at, 0).r * 2.0 - 1.0, n = uNearFar.x, f = uNearFar.y;
  return 2.0 * n * f / (f + n - z * (f - n));
}
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(uRaw, 0) - 1;
  float depth = far(here), sum = 0.0, count = 0.0;
  for (int j = -2; j < 2; ++j) for (int i = -2; i < 2; ++i) {
    ivec2 at = clamp(here + ivec2(i, j), ivec2(0), last);
    if (abs(far(at) - depth) > 0.03 * depth) continue;
    sum += texelFetch(uRaw, at, 0).r;
    count += 1.0;
  }
  color = vec4(sum / max(1.0, count));
}`],

  // Lines and dots of a width in pixels.
  stroke: [`#version 300 es
precision highp float;
layout(location = 0) in vec3 aFrom;
layout(location = 1) in vec3 aTo;
layout(location = 2) in vec4 aColor;
layout(location = 3) in float aWidth;
uniform mat4 uView;
uniform vec2 uPixels;
out vec2 vAt;
flat out vec4 vColor;
flat out vec2 vSize;  // half width, length
void main() {
  vec4 a = uView * vec4(aFrom, 1.0), b = uView * vec4(aTo, 1.0);
  a.z -= 0.0015 * a.w;
  b.z -= 0.0015 * b.w;
  vec2 pa = a.xy / a.w * 0.5 * uPixels, pb = b.xy / b.w * 0.5 * uPixels;
  vec2 along = pb - pa;
  float length_ = length(along);
  vec2 x = length_ > 1e-3 ? along / length_ : vec2(1, 0), y = vec2(-x.y, x.x);
  float half_ = 0.5 * aWidth, pad = half_ + 1.0;
  bool end = (gl_VertexID & 1) == 1;
  float side = gl_VertexID >= 2 ? 1.0 : -1.0;
  vec2 offset = x * (end ? pad : -pad) + y * (side * pad);
  vec4 base = end ? b : a;
  gl_Position = a.w <= 0.0 || b.w <= 0.0 ? vec4(2, 2, 2, 1) : base + vec4(offset / (0.5 * uPixels) * base.w, 0, 0);
  vAt = vec2(end ? length_ + pad : -pad, side * pad);
  vColor = aColor;
  vSize = vec2(half_, length_);
}`, `#version 300 es
precision highp float;
in vec2 vAt;
flat in vec4 vColor;
flat in vec2 vSize;
uniform float uAlpha;
out vec4 color;
void main() {
  float away = length(vec2(vAt.x - clamp(vAt.x, 0.0, vSize.y), vAt.y)) - vSize.x;
  color = vec4(vColor.rgb, vColor.a * uAlpha * clamp(0.5 - away, 0.0, 1.0));
}`],
};

const linear = byte => { const s = byte / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
const linearHex = hex => [16, 8, 0].map(shift => linear((parseInt(hex.slice(1), 16) >> shift) & 255));

const SKIES = {
  light: {horizon: "#dfe6ea", zenith: "#7fa3c4", ground: "#c3c8c9", floor: 1},
  dark: {horizon: "#333b43", zenith: "#151a20", ground: "#2a3036", floor: 0.42},
};
const GROUND_RADIUS = 20;  // fixed bodies with a larger radius are ground, which casts no shadow, m
const FLAG = {visible: 1, noShadow: 2, fixed: 4, ground: 8, glass: 16};

class View {
  constructor(canvas, recording) {
    this.canvas = canvas;
    this.recording = recording;
    const gl = this.gl = canvas.getContext("webgl2", {antialias: true, alpha: false, powerPreference: "high-performance"});
    if (!gl) throw new Error("WebGL2 is missing");
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(SHADERS)) this.programs[name] = this.compile(name, vertex, fragment);
    this.theme = "light";
    this.quality = 2;  // 2: shadows and dimmed corners, 1: shadows, 0: neither
    this.sunFrom(recording.camera);
    this.build();
    this.strokes = new Float32Array(0);
    this.strokeCount = 0;
    this.strokeBuffer = gl.createBuffer();
    this.strokeArray = gl.createVertexArray();
    gl.bindVertexArray(this.strokeArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.strokeBuffer);
    [[3, 0], [3, 12], [4, 24], [1, 40]].forEach(([size, offset], i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, size, gl.FLOAT, false, 44, offset);
      gl.vertexAttribDivisor(i, 1);
    });
    this.emptyArray = gl.createVertexArray();
    this.makeShadowMap();
    this.white = this.texture(1, 1, gl.R8, gl.RED, gl.UNSIGNED_BYTE, new Uint8Array([255]));
    this.pickTarget = this.target(3, 3, false);
    this.dim = false;
    this.covered = 0;  // height at the bottom that something lies over, CSS pixels
  }

  compile(name, vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(`the shader ${name} does not compile: ${gl.getShaderInfoLog(shader)}`);
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
      const info = gl.getActiveUniform(program, i);
      uniforms[info.name] = gl.getUniformLocation(program, info.name);
    }
    return {program, uniforms};
  }

  texture(width, height, format, layout, type, data = null) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, layout, type, data);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
    return texture;
  }

  // A place to draw to: colour (or none) and depth as textures.
  target(width, height, depthOnly, color = null) {
    const gl = this.gl, frame = gl.createFramebuffer(), out = {frame, width, height};
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    if (!depthOnly) {
      const [format, layout] = color || [gl.RGBA8, gl.RGBA];
      out.color = this.texture(width, height, format, layout, gl.UNSIGNED_BYTE);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, out.color, 0);
    }
    if (!color) {
      out.depth = this.texture(width, height, gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, out.depth, 0);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return out;
  }

  release(target) {
    for (const texture of [target.color, target.depth]) if (texture) this.gl.deleteTexture(texture);
    this.gl.deleteFramebuffer(target.frame);
  }

  makeShadowMap() {
    const gl = this.gl;
    this.shadow = this.target(2048, 2048, true);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.depth);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  }

  // The sun stands behind the left shoulder of the recording's camera.
  sunFrom(camera) {
    const forward = normalized(sub(camera.target, camera.eye));
    const right = normalized(cross(forward, Math.abs(forward[1]) > 0.999 ? [0, 0, 1] : [0, 1, 0]));
    const ahead = normalized(cross([0, 1, 0], right));
    this.sun = normalized(sub(sub([0, 1.25, 0], scaled(right, 0.75)), scaled(ahead, 0.45)));
  }

  // Items and meshes of all bodies of the recording.
  build() {
    const {gl, recording} = this, {bodies, shapes} = recording;
    this.radii = new Float32Array(bodies.length);
    this.flags = new Uint8Array(bodies.length);
    const items = [], users = new Map();  // mesh -> items
    bodies.forEach((body, b) => {
      for (const part of body.parts) {
        const shape = shapes[part.shape];
        this.radii[b] = Math.max(this.radii[b], norm(part.position) + shapeRadius(recording, shape));
        for (const [mesh, local, scale, shift] of pieces(shape, part.shape)) {
          const pose = composed(part, local);
          if (!users.has(mesh)) users.set(mesh, []);
          users.get(mesh).push(items.length);
          items.push([...pose.position, b, ...pose.rotation, ...scale, shift]);
        }
      }
      const fixed = body.type === "fixed", ground = fixed && this.radii[b] > GROUND_RADIUS;
      this.flags[b] = FLAG.visible | (fixed ? FLAG.fixed : 0) | (ground ? FLAG.ground | FLAG.noShadow : 0)
        | (body.glass ? FLAG.glass | FLAG.noShadow : 0);
    });
    this.itemMap = this.dataTexture(new Float32Array(items.flat()), 3 * items.length);
    this.bodyData = new Float32Array(4 * TEXELS * Math.max(1, Math.ceil(3 * bodies.length / TEXELS)));
    this.bodyMap = this.dataTexture(this.bodyData, 3 * bodies.length);

    const rounds = ["sphere", "capsule", "cylinder", "cone"].reduce((n, name) => n + (users.get(name)?.length ?? 0), 0);
    const slices = rounds < 300 ? 32 : rounds < 1200 ? 24 : 16;
    const makers = {sphere: () => ballMesh(slices, false), capsule: () => ballMesh(slices, true), box: boxMesh,
      cylinder: () => roundMesh(slices, false), cone: () => roundMesh(slices, true)};
    this.draws = [];
    const single = [];
    let corners = 0;
    for (const [name, list] of users) {
      const [kind, number] = name.split(" ");
      const mesh = makers[kind] ? makers[kind]() : kind === "hull" || kind === "sheet" ? hullMesh(recording.hulls[number], kind === "sheet")
        : triangleMesh(shapes[number].points, shapes[number].radius);
      if (mesh.data.length === 0) continue;
      if (list.length > 2) {
        this.draws.push(this.instances(new Float32Array(mesh.data), new Float32Array(list)));
      } else {
        for (const item of list) {
          single.push([mesh.data, item]);
          corners += mesh.data.length / FLOATS;
        }
      }
    }
    if (single.length > 0) this.draws.push(this.merged(single, corners));
    const moving = [...bodies.keys()].filter(b => bodies[b].type !== "fixed").map(b => this.radii[b]).sort((a, b) => a - b);
    this.middling = moving.length ? moving[moving.length >> 1] : 0.5;
  }

  dataTexture(data, texels) {
    const gl = this.gl, rows = Math.max(1, Math.ceil(texels / TEXELS)), full = new Float32Array(4 * TEXELS * rows);
    full.set(data.subarray(0, Math.min(data.length, full.length)));
    return this.texture(TEXELS, rows, gl.RGBA32F, gl.RGBA, gl.FLOAT, full);
  }

  attributes(data, stride) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    [[3, 0], [3, 12], [3, 24], [2, 36]].forEach(([size, offset], i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, size, gl.FLOAT, false, stride, offset);
    });
    gl.enableVertexAttribArray(4);
  }

  instances(data, items) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.attributes(data, 4 * FLOATS);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, items, gl.STATIC_DRAW);
    gl.vertexAttribPointer(4, 1, gl.FLOAT, false, 4, 0);
    gl.vertexAttribDivisor(4, 1);
    return {array, corners: data.length / FLOATS, count: items.length};
  }

  merged(list, corners) {
    const gl = this.gl, wide = FLOATS + 1, data = new Float32Array(corners * wide), array = gl.createVertexArray();
    let to = 0;
    for (const [mesh, item] of list) {
      for (let from = 0; from < mesh.length; from += FLOATS, to += wide) {
        for (let k = 0; k < FLOATS; ++k) data[to + k] = mesh[from + k];
        data[to + FLOATS] = item;
      }
    }
    gl.bindVertexArray(array);
    this.attributes(data, 4 * wide);
    gl.vertexAttribPointer(4, 1, gl.FLOAT, false, 4 * wide, 4 * FLOATS);
    return {array, corners, count: 0};
  }

  // A body's pose (x, y, z, and x, y, z, w of its rotation) and its colour, linear; marked ones stand out.
  setBody(b, visible, px, py, pz, qx, qy, qz, qw, color, marked) {
    const d = this.bodyData, i = 12 * b;
    d[i] = px;
    d[i + 1] = py;
    d[i + 2] = pz;
    d[i + 3] = visible ? this.flags[b] : 0;
    d[i + 4] = qx;
    d[i + 5] = qy;
    d[i + 6] = qz;
    d[i + 7] = qw;
    d[i + 8] = color[0];
    d[i + 9] = color[1];
    d[i + 10] = color[2];
    d[i + 11] = marked ? 1 : 0;
  }

  clearStrokes() { this.strokeCount = 0; }
  stroke(a, b, color, width) {
    if (11 * (this.strokeCount + 1) > this.strokes.length) {
      const more = new Float32Array(Math.max(4096 * 11, 2 * this.strokes.length));
      more.set(this.strokes);
      this.strokes = more;
    }
    this.strokes.set([a[0], a[1], a[2], b[0], b[1], b[2], color[0], color[1], color[2], 1, width], 11 * this.strokeCount++);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height || !this.half) {
      this.canvas.width = width;
      this.canvas.height = height;
      for (const target of [this.half, this.raw, this.open]) if (target) this.release(target);
      const w = Math.max(1, width >> 1), h = Math.max(1, height >> 1), gl = this.gl;
      this.half = this.target(w, h, true);
      this.raw = this.target(w, h, false, [gl.RGBA8, gl.RGBA]);
      this.open = this.target(w, h, false, [gl.RGBA8, gl.RGBA]);
      gl.bindTexture(gl.TEXTURE_2D, this.open.color);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    }
    this.ratio = ratio;
  }

  lens(camera) {
    const {width, height} = this.canvas, free = Math.max(0.3, 1 - this.covered / (this.canvas.clientHeight || 1)), forward = normalized(sub(camera.target, camera.eye));
    const right = normalized(cross(forward, Math.abs(forward[1]) > 0.9999 ? [0, 0, 1] : [0, 1, 0])), up = cross(right, forward);
    const distance = norm(sub(camera.target, camera.eye)), fov = camera.fov * Math.PI / 180;
    const near = 0.02 * distance, far = 60 * distance + 4 * GROUND_RADIUS;
    const half = Math.tan(0.5 * fov) / free, spread = [half * width / height, half], rise = 1 - free;
    const look = lookFrom(camera.eye, right, up, scaled(forward, -1));
    return {forward, right, up, distance, near, far, spread, rise, matrix: multiplied(perspective(spread, rise, near, far), look)};
  }

  use(name, values) {
    const gl = this.gl, {program, uniforms} = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) {
      const at = uniforms[key];
      if (at === undefined) continue;
      if (typeof value === "number") gl.uniform1f(at, value);
      else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else gl[`uniform${value.length}fv`](at, value);
    }
    ["uBodies", "uItems", "uShadow", "uOpen", "uDepth", "uRaw"].forEach((key, unit) => {
      if (uniforms[key] !== undefined) gl.uniform1i(uniforms[key], unit);
    });
    return uniforms;
  }
  bind(unit, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, texture);
  }
  drawBodies() {
    const gl = this.gl;
    for (const draw of this.draws) {
      gl.bindVertexArray(draw.array);
      if (draw.count > 0) gl.drawArraysInstanced(gl.TRIANGLES, 0, draw.corners, draw.count);
      else gl.drawArrays(gl.TRIANGLES, 0, draw.corners);
    }
  }
  onto(target) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target ? target.frame : null);
    gl.viewport(0, 0, target ? target.width : this.canvas.width, target ? target.height : this.canvas.height);
  }

  // The ball that the shadow map covers.
  shadowBall(camera, distance) {
    let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let b = 0; b < this.radii.length; ++b) {
      const flags = this.bodyData[12 * b + 3];
      if (!(flags & FLAG.visible) || flags & FLAG.noShadow) continue;
      for (let k = 0; k < 3; ++k) {
        const at = this.bodyData[12 * b + k];
        low[k] = Math.min(low[k], at - this.radii[b]);
        high[k] = Math.max(high[k], at + this.radii[b]);
      }
    }
    if (!(low[0] <= high[0])) return {center: camera.target, radius: 1};
    let center = scaled(add(low, high), 0.5), radius = 0.5 * norm(sub(high, low));
    if (radius > 2.5 * distance) {
      center = camera.target;
      radius = 2.5 * distance;
    }
    return {center, radius: 1.15 ** Math.ceil(Math.log(radius) / Math.log(1.15))};
  }

  // Sun's view of that ball; the map moves by whole texels, so that shadows don't swim.
  shadowMatrix(ball) {
    const back = this.sun, right = normalized(cross([0, 1, 0], back)), up = cross(back, right);
    const texel = 2 * ball.radius / this.shadow.width, snap = v => Math.round(v / texel) * texel;
    const center = [snap(dot(ball.center, right)), snap(dot(ball.center, up)), dot(ball.center, back)];
    const s = 1 / ball.radius;
    return new Float32Array([right[0] * s, up[0] * s, -back[0] * s, 0, right[1] * s, up[1] * s, -back[1] * s, 0,
      right[2] * s, up[2] * s, -back[2] * s, 0, -center[0] * s, -center[1] * s, center[2] * s, 1]);
  }

  draw(camera) {
    const gl = this.gl, lens = this.lens(camera), sky = SKIES[this.theme];
    this.bind(0, this.bodyMap);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXELS, this.bodyData.length / 4 / TEXELS, gl.RGBA, gl.FLOAT, this.bodyData);
    this.bind(1, this.itemMap);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);

    const ball = this.shadowBall(camera, lens.distance), toShadow = this.shadowMatrix(ball);
    if (this.quality > 0) {
      this.onto(this.shadow);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(2, 4);
      gl.uniform1i(this.use("depth", {uView: toShadow}).uWanted, FLAG.noShadow);
      this.drawBodies();
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    if (this.quality > 1) {
      this.onto(this.half);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.uniform1i(this.use("depth", {uView: lens.matrix}).uWanted, FLAG.glass);
      this.drawBodies();
      gl.disable(gl.DEPTH_TEST);
      gl.bindVertexArray(this.emptyArray);
      this.onto(this.raw);
      this.bind(4, this.half.depth);
      this.use("open", {uRise: lens.rise, uSize: [this.half.width, this.half.height], uSpread: lens.spread,
        uNearFarRadius: [lens.near, lens.far, this.middling]});
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      this.onto(this.open);
      this.bind(5, this.raw.color);
      this.use("blur", {uNearFar: [lens.near, lens.far]});
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.DEPTH_TEST);
    }

    this.onto(null);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const skies = {uHorizon: linearHex(sky.horizon), uZenith: linearHex(sky.zenith), uGround: linearHex(sky.ground)};
    gl.depthMask(false);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.emptyArray);
    this.use("sky", {...skies, uRight: lens.right, uUp: lens.up, uForward: lens.forward, uSpread: lens.spread, uRise: lens.rise});
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
    gl.enable(gl.DEPTH_TEST);

    this.bind(2, this.shadow.depth);
    this.bind(3, this.quality > 1 ? this.open.color : this.white);
    const pixels = [this.canvas.width, this.canvas.height], focal = 0.5 * pixels[1] / lens.spread[1];
    const values = {...skies, uView: lens.matrix, uEye: camera.eye, uTarget: camera.target, uSun: this.sun,
      uHaze: [Math.max(2 * lens.distance, 25), 1 / focal, sky.floor, 0], uToShadow: toShadow,
      uShadowSize: [2 * ball.radius / this.shadow.width, 1 / this.shadow.width, this.quality > 0 ? 1 : 0],
      uPixels: pixels, uDim: this.dim ? 1 : 0, uLine: Math.min(1.1 * this.ratio, 0.02 * this.middling * focal / lens.distance),
      uGlass: 0, uXray: 0};
    this.use("body", values);
    this.drawBodies();

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    if (this.dim) {  // what is marked shows through what hides it
      this.use("body", {...values, uXray: 1});
      gl.depthFunc(gl.GREATER);
      this.drawBodies();
      gl.depthFunc(gl.LESS);
    }
    if (this.flags.some(flags => flags & FLAG.glass)) {
      this.use("body", {...values, uGlass: 1, uLine: 0.5 * values.uLine});
      this.drawBodies();
    }
    this.drawStrokes(lens, pixels);
    gl.depthMask(true);
  }

  drawStrokes(lens, pixels) {
    if (this.strokeCount === 0) return;
    const gl = this.gl;
    gl.bindVertexArray(this.strokeArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.strokeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.strokes.subarray(0, 11 * this.strokeCount), gl.DYNAMIC_DRAW);
    gl.disable(gl.CULL_FACE);
    for (const [through, alpha] of [[true, 0.2], [false, 1]]) {  // contacts lie between bodies: faint behind them
      gl.depthFunc(through ? gl.GREATER : gl.LESS);
      this.use("stroke", {uView: lens.matrix, uPixels: pixels, uAlpha: alpha});
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.strokeCount);
    }
    gl.depthFunc(gl.LESS);
    gl.enable(gl.CULL_FACE);
  }

  // The body at a place of the canvas (CSS pixels), or -1.
  pick(camera, x, y) {
    const gl = this.gl, lens = this.lens(camera), w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    const zoom = new Float32Array([w / 3, 0, 0, 0, 0, h / 3, 0, 0, 0, 0, 1, 0, (w - 2 * x) / 3, (2 * y - h) / 3, 0, 1]);
    this.onto(this.pickTarget);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.bind(0, this.bodyMap);
    this.bind(1, this.itemMap);
    this.use("pick", {uView: multiplied(zoom, lens.matrix)});
    this.drawBodies();
    const pixel = new Uint8Array(4);
    gl.readPixels(1, 1, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    this.onto(null);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }
}
