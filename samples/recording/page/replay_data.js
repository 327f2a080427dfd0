// Reads a recording in the browser: what samples/recording/*.cpp write, unpacked as it is needed. docs/recording.md has
// the format. The arithmetic of poses is the writer's, operation by operation.
"use strict";

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength); }
  u8() { return this.bytes[this.at++]; }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  u64() { return this.u32() + 4294967296 * this.u32(); }
  vec3() { return [this.f32(), this.f32(), this.f32()]; }
  varint() {
    let value = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  signed() { return unzigzag(this.varint()); }
  text() {
    const length = this.varint();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

const unzigzag = v => v % 2 === 0 ? v / 2 : -(v + 1) / 2;

// ---- Residuals: see streams.h

const STREAMS = 14, OVERFLOW = 255, TURN_MARK = 4294967295;
const streamOf = expected => expected >= 4096 ? STREAMS - 1 : 32 - Math.clz32(expected);

class Residuals {
  constructor(streams, first) {
    this.streams = [];
    for (let i = 0; i < STREAMS; ++i) this.streams.push(new Reader(streams[first + i]));
    this.noise = streams[first + STREAMS];
    this.bit = 0;
    this.overflow = new Reader(streams[first + STREAMS + 1]);
    this.escaped = false;
  }
  next(stream, mark) {
    const bits = stream > 6 ? stream - 6 : 0;
    let low = 0;
    for (let i = 0; i < bits; ++i, ++this.bit) low |= ((this.noise[this.bit >> 3] >> (this.bit & 7)) & 1) << i;
    let high = this.streams[stream].u8();
    if (high === OVERFLOW) {
      const more = this.overflow.varint();
      this.escaped = more === mark;
      if (this.escaped) return 0;
      high += more;
    }
    return unzigzag(high * (1 << bits) + low);
  }
}

// ---- Poses: see pose_codec.cpp

function product(a, b, out) {
  const w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w;
  out[1] = x;
  out[2] = y;
  out[3] = z;
}
function conjugate(q, out) {
  out[0] = q[0];
  for (let i = 1; i < 4; ++i) out[i] = -q[i];
}
function makeUnit(q) {
  const s = 1 / Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (let i = 0; i < 4; ++i) q[i] *= s;
}

function leastMissed(missed, ways) {
  let best = 0;
  for (let way = 1; way < ways; ++way) if (missed[way] < missed[best]) best = way;
  return best;
}
const addMiss = (missed, way, miss) => { missed[way] = Math.floor(0.5 * missed[way]) + Math.min(miss, 1e12); };

function predictPosition(way, last, before, earlier, out) {
  for (let i = 0; i < 3; ++i) {
    const v = last[i] - before[i];
    out[i] = way === 0 ? last[i] : way === 1 ? last[i] + Math.floor(0.5 * v) : way === 2 ? last[i] + v
      : last[i] + 2 * v - (before[i] - earlier[i]);
  }
}

// All three ways.
function predictRotations(last, before, guesses, work) {
  const [standing, half, on] = guesses;
  conjugate(before, work);
  product(last, work, work);
  product(work, last, on);
  for (let i = 0; i < 4; ++i) {
    standing[i] = last[i];
    half[i] = on[i] + last[i];
  }
  makeUnit(half);
  makeUnit(on);
}

function readRotation(reader, bits) {
  const first = reader.varint(), largest = first % 4;
  const others = [unzigzag(Math.floor(first / 4)), reader.signed(), reader.signed()];
  const step = 1 / 2 ** (bits + 1), q = [0, 0, 0, 0];
  let left = 1;
  for (let i = 0, k = 0; i < 4; ++i) {
    if (i === largest) continue;
    q[i] = others[k++] * step;
    left -= q[i] * q[i];
  }
  q[largest] = Math.sqrt(left > 0 ? left : 0);
  makeUnit(q);
  return q;
}

const RUNG_STREAMS = 10, POSE_STREAMS = 2 + 2 * (STREAMS + 2) + RUNG_STREAMS;

// All poses of a segment: for each body that is there a range of frames.
class SegmentPoses {
  constructor(head, bodies, begin, end, streams) {
    this.begin = begin;
    this.end = end;
    this.start = new Int32Array(bodies.length);  // where a body's pose in the first frame is, or would be
    const present = [];
    let total = 0;
    for (let body = 0; body < bodies.length; ++body) {
      const first = Math.max(begin, bodies[body].first), last = Math.min(end, bodies[body].end);
      if (first >= last) continue;
      this.start[body] = total - (first - begin);
      present.push([first, last - first, total]);
      total += last - first;
    }
    this.positions = new Float32Array(3 * total);
    this.rotations = new Float32Array(4 * total);  // x, y, z, w
    this.awake = new Uint8Array(total);
    this.rung = new Uint8Array(total);
    const runs = new Reader(streams[0]), keys = new Reader(streams[1]);
    const moves = new Residuals(streams, 2), turns = new Residuals(streams, 2 + STREAMS + 2);
    const rungs = [];
    for (let i = 0; i < RUNG_STREAMS; ++i) rungs.push(new Reader(streams[2 + 2 * (STREAMS + 2) + i]));
    for (const [, count, offset] of present) this.read(head, count, offset, runs, keys, moves, turns, rungs);
  }

  index(body, frame) { return this.start[body] + (frame - this.begin); }
  bytes() { return 30 * this.awake.length; }

  read(head, count, offset, runs, keys, moves, turns, rungs) {
    const {step, bits} = head, turnSteps = 2 ** bits, awake = this.awake;
    const first = runs.varint();
    let toggles = Math.floor(first / 4), state = first & 1, at = 0;
    for (; toggles > 0; --toggles) {
      for (const stop = at + runs.varint(); at < stop; ++at) awake[offset + at] = state;
      state ^= 1;
    }
    for (; at < count; ++at) awake[offset + at] = state;
    let nudged = null;
    if (first & 2) {
      nudged = new Set();
      let frame = 0;
      for (let n = runs.varint(); n > 0; --n) nudged.add(frame += runs.varint());
    }
    let last = [keys.signed(), keys.signed(), keys.signed()], before = last.slice(), earlier = last.slice(), now = [0, 0, 0];
    const rest = () => {
      for (let k = 0; k < 3; ++k) before[k] = earlier[k] = last[k];
    };
    let q = readRotation(keys, bits), qBefore = q.slice(), qNext = [0, 0, 0, 0];
    const qGuesses = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], work = [0, 0, 0, 0], d = [0, 0, 0, 0];
    let rung = keys.u8();
    const moveMisses = [0, 0, 0, 0], turnMisses = [0, 0, 0], guess = [0, 0, 0], v = [0, 0, 0];
    const set = i => {
      for (let k = 0; k < 3; ++k) this.positions[3 * i + k] = last[k] * step;
      this.rotations[4 * i] = q[1];
      this.rotations[4 * i + 1] = q[2];
      this.rotations[4 * i + 2] = q[3];
      this.rotations[4 * i + 3] = q[0];
      this.rung[i] = rung;
    };
    set(offset);
    for (let i = 1; i < count; ++i) {
      if (!awake[offset + i] && !awake[offset + i - 1] && !(nudged && nudged.has(i))) {
        rest();
        for (let k = 0; k < 4; ++k) qBefore[k] = q[k];
        set(offset + i);
        continue;
      }
      let way = leastMissed(moveMisses, 4), stream = streamOf(moveMisses[way]);
      predictPosition(way, last, before, earlier, guess);
      for (let k = 0; k < 3; ++k) now[k] = guess[k] + moves.next(stream, -1);
      for (way = 0; way < 4; ++way) {
        predictPosition(way, last, before, earlier, guess);
        addMiss(moveMisses, way, Math.abs(now[0] - guess[0]) + Math.abs(now[1] - guess[1]) + Math.abs(now[2] - guess[2]));
      }
      [earlier, before, last, now] = [before, last, now, earlier];

      way = leastMissed(turnMisses, 3);
      stream = streamOf(turnMisses[way]);
      turns.escaped = false;
      for (let k = 0; k < 3 && !turns.escaped; ++k) v[k] = turns.next(stream, TURN_MARK);
      if (turns.escaped) {
        q = readRotation(turns.overflow, bits);
        qBefore = q.slice();
      } else {
        d[1] = v[0] / turnSteps;
        d[2] = v[1] / turnSteps;
        d[3] = v[2] / turnSteps;
        const left = 1 - d[1] * d[1] - d[2] * d[2] - d[3] * d[3];
        d[0] = Math.sqrt(left > 0 ? left : 0);
        predictRotations(q, qBefore, qGuesses, work);
        product(qGuesses[way], d, qNext);
        makeUnit(qNext);
        for (way = 0; way < 3; ++way) {
          conjugate(qGuesses[way], work);
          product(work, qNext, work);
          addMiss(turnMisses, way, Math.floor((Math.abs(work[1]) + Math.abs(work[2]) + Math.abs(work[3])) * turnSteps));
        }
        [qBefore, q, qNext] = [q, qNext, qBefore];
      }
      rung = rungs[rung].u8();
      set(offset + i);
    }
  }
}

// ---- Contacts: see contact_codec.cpp

class SegmentContacts {
  constructor(begin, streams) {
    this.begin = begin;
    const pairs = [], points = [];
    const meta = new Reader(streams[0]);
    let a = 0, b = 0, normals = 0, values = 0;
    while (meta.at < meta.bytes.length) {
      const ahead = meta.varint(), other = meta.varint();
      b = ahead === 0 ? b + other : other;
      a += ahead;
      const first = meta.varint(), count = meta.varint();
      const pair = {a, b, first, count, normals, points: points.length, pointCount: meta.varint()};
      for (let p = 0; p < pair.pointCount; ++p) {
        const some = meta.varint();
        const from = some > 0 ? meta.varint() : 0;
        points.push({first: first + from, count: some || count, values});
        values += some || count;
      }
      normals += count;
      pairs.push(pair);
    }
    this.pairs = pairs;
    this.points = points;
    this.normals = new Int8Array(2 * normals);
    this.places = new Int32Array(3 * values);
    this.impulses = new Uint8Array(values);
    const directions = new Reader(streams[1]), places = new Reader(streams[2]);
    const turns = new Residuals(streams, 3), moves = new Residuals(streams, 3 + STREAMS + 2);
    const pushes = new Residuals(streams, 3 + 2 * (STREAMS + 2));
    const fade = (recent, change) => Math.floor(recent / 2) + Math.min(change, 1 << 30);
    for (const pair of pairs) {
      const n = [directions.u8() - 127, directions.u8() - 127];
      for (let i = 0, recent = 0; i < pair.count; ++i) {
        let sum = 0;
        for (let k = 0; i > 0 && k < 2; ++k) {
          const change = turns.next(streamOf(recent), -1);
          n[k] += change;
          sum += Math.abs(change);
        }
        recent = fade(recent, sum);
        this.normals[2 * (pair.normals + i)] = n[0];
        this.normals[2 * (pair.normals + i) + 1] = n[1];
      }
      for (let p = pair.points; p < pair.points + pair.pointCount; ++p) {
        const point = points[p], place = [places.signed(), places.signed(), places.signed()];
        let impulse = places.u8(), moved = 0, pushed = 0;
        for (let i = 0; i < point.count; ++i) {
          const at = point.values + i;
          if (i > 0) {
            let sum = 0;
            for (let k = 0; k < 3; ++k) {
              const change = moves.next(streamOf(moved), -1);
              place[k] += change;
              sum += Math.abs(change);
            }
            moved = fade(moved, sum);
            const change = pushes.next(streamOf(pushed), -1);
            impulse += change;
            pushed = fade(pushed, Math.abs(change));
          }
          this.places[3 * at] = place[0];
          this.places[3 * at + 1] = place[1];
          this.places[3 * at + 2] = place[2];
          this.impulses[at] = impulse;
        }
      }
    }
  }
  bytes() { return 13 * this.impulses.length + 2 * this.normals.length; }
}

const impulseOf = code => code <= 0 ? 0 : 2 ** ((code - 1) / 6 - 20);

function directionOf(u, v) {
  u /= 127;
  v /= 127;
  let x = u, y = v;
  const z = 1 - Math.abs(u) - Math.abs(v);
  if (z < 0) {
    x = (1 - Math.abs(v)) * (u < 0 ? -1 : 1);
    y = (1 - Math.abs(u)) * (v < 0 ? -1 : 1);
  }
  const s = 1 / Math.hypot(x, y, z);
  return [x * s, y * s, z * s];
}

// ---- The file

const SHAPES = ["sphere", "capsule", "segment", "triangle", "box", "cylinder", "cone", "hull", "mesh"];
const TYPES = ["fixed", "kinematic", "dynamic"];
const NOBODY = 4294967295;
const CACHE_BYTES = 384e6;  // of unpacked segments; older ones are unpacked anew

// Thirteen bits are two of 91 characters; any part can be read without what is before it.
class Text {
  constructor(text, byteCount) {
    this.text = text;
    this.size = byteCount;
    this.value = new Uint8Array(128);
    let n = 0;
    for (let c = 33; c <= 126; ++c) if (c !== 34 && c !== 38 && c !== 60) this.value[c] = n++;
    this.line = text.indexOf("\n");
    if (this.line < 0) this.line = text.length + 2;
  }
  bytes(from, count) {
    const out = new Uint8Array(count), {text, value, line} = this;
    let pair = Math.floor(from * 8 / 13), bits = 13 * (pair + 1) - 8 * from, at = 2 * pair + Math.floor(2 * pair / line);
    const next = () => {
      if (text.charCodeAt(at) === 10) ++at;
      const v = value[text.charCodeAt(at)] + 91 * value[text.charCodeAt(at + 1)];
      at += 2;
      return v;
    };
    let held = next() >> (13 - bits);
    for (let i = 0; i < count; ++i) {
      if (bits < 8) {
        held |= next() << bits;
        bits += 13;
      }
      out[i] = held & 255;
      held >>= 8;
      bits -= 8;
    }
    return out;
  }
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The streams of a block.
async function unpack(bytes) {
  const all = await inflate(bytes), reader = new Reader(all), lengths = [];
  for (let n = reader.varint(); n > 0; --n) lengths.push(reader.varint());
  return lengths.map(length => {
    reader.at += length;
    return all.subarray(reader.at - length, reader.at);
  });
}

class Recording {
  static async open(text, byteCount, facts) {
    const recording = new Recording();
    await recording.read(new Text(text, byteCount), facts);
    return recording;
  }

  async read(text, facts) {
    this.text = text;
    this.facts = facts;
    this.blocks = {HEAD: [], BODY: [], PROF: [], POSE: [], CONT: []};
    for (let at = 12; at < text.size;) {
      const reader = new Reader(text.bytes(at, 8));
      const kind = String.fromCharCode(reader.u8(), reader.u8(), reader.u8(), reader.u8()), size = reader.u32();
      this.blocks[kind].push([at + 8, size]);
      at += 8 + size;
    }
    this.readHead(new Reader((await unpack(this.block("HEAD", 0)))[0]));
    this.readBodies(await unpack(this.block("BODY", 0)));
    this.readProfile(await unpack(this.block("PROF", 0)));
    this.segments = this.segmentFrames.map(() => null);
    this.pending = new Map();
    this.uses = 0;
  }

  block(kind, index) { return this.text.bytes(...this.blocks[kind][index]); }

  readHead(r) {
    this.scene = r.text();
    this.dt = r.f32();
    this.origin = [r.f64(), r.f64(), r.f64()];  // in the world, m; all positions below are relative to it
    this.camera = {eye: r.vec3(), target: r.vec3(), fov: r.f32()};
    this.step = r.f64();
    this.bits = r.u8();
    this.contactStep = r.f64();
    this.error = {};
    for (const name of ["maxPosition", "meanPosition", "maxAngle", "meanAngle", "maxSurface", "maxContact", "maxNormal", "maxImpulse"]) {
      this.error[name] = r.f64();
    }
    this.error.poses = r.u64();
    this.frameSteps = [];
    for (let n = r.varint(), step = 0; n > 0; --n) this.frameSteps.push(step += r.varint());
    this.segmentFrames = [];
    this.segmentStarts = [0];
    for (let n = r.varint(); n > 0; --n) {
      this.segmentFrames.push(r.varint());
      this.segmentStarts.push(this.segmentStarts.at(-1) + this.segmentFrames.at(-1));
    }
    this.frameCount = this.frameSteps.length;
  }

  readBodies(streams) {
    const [counts, hullIn, low, high, faces, shapeIn, bodyIn] = streams.map(stream => new Reader(stream));
    const hullCount = counts.varint(), shapeCount = counts.varint(), bodyCount = counts.varint();
    this.hulls = [];
    for (let h = 0; h < hullCount; ++h) {
      const count = hullIn.varint(), lower = hullIn.vec3(), size = hullIn.vec3(), points = [], corners = [];
      for (let i = 0; i < count; ++i) {
        const p = [0, 0, 0];
        for (let k = 0; k < 3; ++k) p[k] = lower[k] + size[k] * ((low.u8() | (high.u8() << 8)) / 65535);
        points.push(p);
      }
      for (let f = hullIn.varint(); f > 0; --f) {
        const face = [];
        for (let n = faces.varint(); n > 0; --n) face.push(faces.varint());
        corners.push(face);
      }
      this.hulls.push({points, faces: corners});
    }
    this.shapes = [];
    for (let s = 0; s < shapeCount; ++s) {
      const shape = {type: SHAPES[shapeIn.u8()], radius: 0};
      if (shape.type === "hull" || shape.type === "mesh") {
        shape.hull = shapeIn.varint();
        if (shape.type === "mesh") shape.twoSided = shapeIn.u8() !== 0;
      } else {
        shape.radius = shapeIn.f32();
        if (shape.type === "segment" || shape.type === "triangle") {
          shape.points = [shapeIn.vec3(), shapeIn.vec3()];
          if (shape.type === "triangle") shape.points.push(shapeIn.vec3());
        } else {
          shape.half = shapeIn.vec3();
        }
      }
      this.shapes.push(shape);
    }
    this.bodies = [];
    for (let b = 0; b < bodyCount; ++b) {
      const body = {slot: bodyIn.varint(), generation: bodyIn.varint(), type: TYPES[bodyIn.u8()], glass: bodyIn.u8() !== 0,
        color: [bodyIn.u8(), bodyIn.u8(), bodyIn.u8()], first: bodyIn.varint(), end: 0, parts: []};
      body.end = body.first + bodyIn.varint();
      for (let n = bodyIn.varint(); n > 0; --n) {
        const part = {shape: bodyIn.varint(), position: [0, 0, 0], rotation: [0, 0, 0, 1]};
        if (bodyIn.u8()) {
          part.position = bodyIn.vec3();
          const w = bodyIn.f32();
          part.rotation = [...bodyIn.vec3(), w];
        }
        body.parts.push(part);
      }
      this.bodies.push(body);
    }
  }

  // Columns by name: times in us, counts.
  readProfile(streams) {
    const rows = new Reader(streams[0]).varint(), places = this.facts.profile, bits = new DataView(new ArrayBuffer(4));
    const column = (name, more = 0) => {
      const reader = new Reader(streams[1 + places[name] + more]), out = new Float64Array(rows);
      for (let i = 0, now = 0; i < rows; ++i) out[i] = now += reader.signed();
      return out;
    };
    const times = (name, more) => column(name, more).map(v => v / 16);
    this.stepCount = rows;
    this.profile = {rungUs: [], rungPairs: []};
    for (const name of ["total", "pairs", "collide", "graph", "solve", "continuous", "finish", "publish", "slowest_us"]) {
      this.profile[name] = times(name);
    }
    for (const name of ["slowest_a", "slowest_b", "slowest_rung", "bodies", "awake_bodies", "convex_pairs", "touching_pairs",
      "contact_points", "interruptions"]) {
      this.profile[name] = column(name);
    }
    for (const name of ["slowest_a", "slowest_b"]) {
      this.profile[name] = this.profile[name].map(v => v < 0 ? NOBODY : v);
    }
    for (let i = 0; i < this.facts.rungs.length; ++i) {
      this.profile.rungUs.push(times("rung_us", i));
      this.profile.rungPairs.push(column("rung_pairs", i));
    }
    this.stepTimes = new Float64Array(rows + 1);
    column("dt").forEach((v, i) => {
      bits.setUint32(0, v);
      this.stepTimes[i + 1] = this.stepTimes[i] + bits.getFloat32(0);
    });
    this.frameTimes = this.frameSteps.map(step => this.stepTimes[step]);
    this.duration = this.frameTimes.at(-1);
  }

  // The last frame that is not later.
  frameAt(time) {
    let low = 0, high = this.frameCount;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.frameTimes[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }
  segmentOf(frame) {
    let low = 0, high = this.segmentFrames.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.segmentStarts[middle] <= frame) low = middle; else high = middle;
    }
    return low;
  }

  // The segment if it is unpacked, or null, and then it will be soon.
  ready(index, contacts = false) {
    const segment = this.segments[index];
    if (segment && (!contacts || segment.contacts)) {
      segment.used = ++this.uses;
      return segment;
    }
    this.load(index, contacts);
    return null;
  }

  load(index, contacts = false) {
    const key = `${index} ${contacts}`;
    if (!this.pending.has(key)) {
      this.pending.set(key, this.unpackSegment(index, contacts).finally(() => this.pending.delete(key)));
    }
    return this.pending.get(key);
  }

  async unpackSegment(index, contacts) {
    let segment = this.segments[index];
    if (!segment) {
      const streams = await unpack(this.block("POSE", index));
      const poses = new SegmentPoses(this, this.bodies, this.segmentStarts[index], this.segmentStarts[index + 1], streams);
      segment = this.segments[index] || {poses, contacts: null};
      this.segments[index] = segment;
    }
    if (contacts && !segment.contacts) {
      segment.contacts = new SegmentContacts(this.segmentStarts[index], await unpack(this.block("CONT", index)));
    }
    segment.used = ++this.uses;
    this.forget(index);
    return segment;
  }

  // Drops what was not used for longest while there is too much.
  forget(keep) {
    const size = segment => segment.poses.bytes() + (segment.contacts ? segment.contacts.bytes() : 0);
    let total = 0;
    for (const segment of this.segments) if (segment) total += size(segment);
    while (total > CACHE_BYTES) {
      let oldest = -1;
      this.segments.forEach((segment, i) => {
        if (segment && i !== keep && (oldest < 0 || segment.used < this.segments[oldest].used)) oldest = i;
      });
      if (oldest < 0) return;
      total -= size(this.segments[oldest]);
      this.segments[oldest] = null;
    }
  }

  present(body, frame) { return this.bodies[body].first <= frame && frame < this.bodies[body].end; }

  // Poses of all bodies in the world at a frame, for those who ask: [[number, x, y, z, w, x, y, z, awake], ...].
  async poses(frame) {
    const {poses} = await this.load(this.segmentOf(frame)), out = [];
    for (let body = 0; body < this.bodies.length; ++body) {
      if (!this.present(body, frame)) continue;
      const i = poses.index(body, frame), q = poses.rotations;
      const place = this.origin.map((from, k) => from + poses.positions[3 * i + k]);
      out.push([body, ...place, q[4 * i + 3], q[4 * i], q[4 * i + 1], q[4 * i + 2],
        poses.awake[i]]);
    }
    return out;
  }
}
