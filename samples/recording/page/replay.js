// The player: time, camera, panels and the plot of costs under the timeline.
"use strict";

const $ = id => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const STAGES = [["pairs", "#7fa6c9"], ["collide", "#4f9a94"], ["graph", "#a9b45f"], ["solve", "#d9a05b"], ["continuous", "#c4705a"],
  ["finish", "#8c7fae"], ["publish", "#b98a9c"]];
const AWAKE = "#d99a45", ASLEEP = "#7d93a8", FIXED = "#c9c8c4", NO_PATH = "#b3bac0";
const PAIR_COLORS = ["#e8513c", "#2f7fd1"];
const INTERRUPTED = "other programs took the processor";
const PLOT_LEFT = 46, SPIKE_REACH = 6;  // CSS pixels
const PLAY_ICON = '<svg viewBox="0 0 16 16"><path d="M4 2v12l10-6z"/></svg>';
const PAUSE_ICON = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';

const digits = v => v >= 1000 ? Math.round(v).toLocaleString("en") : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2);
const micro = us => us >= 1000 ? `${(us / 1000).toFixed(us >= 10000 ? 1 : 2)} ms` : `${digits(us)} \u00b5s`;
const milli = m => m >= 1 ? `${m.toPrecision(3)} m` : m >= 1e-3 ? `${(1e3 * m).toPrecision(3)} mm` : m >= 1e-6 ? `${(1e3 * m).toPrecision(2)} mm` : `${(1e6 * m).toPrecision(2)} \u00b5m`;
const degrees = rad => `${(rad * 180 / Math.PI).toPrecision(2)}\u00b0`;
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

class Player {
  constructor(recording, view) {
    this.recording = recording;
    this.view = view;
    this.time = 0;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.color = "body";
    this.contacts = {points: false, normals: false, impulses: false};
    this.plot = "rungs";
    this.followed = -1;
    this.marked = null;   // {step, a, b, rung, us}
    this.shownFrame = -1;
    this.dirty = true;
    this.slow = 0;
    this.colors = recording.bodies.map(body => body.color.map(linear));
    this.palette = {awake: linearHex(AWAKE), asleep: linearHex(ASLEEP), fixed: linearHex(FIXED), none: linearHex(NO_PATH),
      rungs: recording.facts.rungs.map(rung => linearHex(rung.color)), pair: PAIR_COLORS.map(linearHex)};
    this.resetCamera();
    this.makePanels();
    this.listen();
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.setPlaying(false);
    this.choose();
    requestAnimationFrame(now => this.tick(now));
    this.unpackAhead();
  }

  // ---- Time

  get frame() { return this.recording.frameAt(this.time + 1e-9); }
  setTime(time) {
    this.time = clamp(time, 0, this.recording.duration);
    this.dirty = true;
  }
  setFrame(frame) { this.setTime(this.recording.frameTimes[clamp(frame, 0, this.recording.frameCount - 1)]); }
  stepBy(frames) {
    this.setPlaying(false);
    this.setFrame(this.frame + frames);
  }
  setPlaying(playing) {
    if (playing && this.time >= this.recording.duration - 1e-9) this.setTime(0);
    this.playing = playing;
    $("play").innerHTML = playing ? PAUSE_ICON : PLAY_ICON;
    this.dirty = true;
  }
  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = String(speed);
  }

  // Shows a frame, and says how long that took: to have its poses (and contacts), and to draw them, ms.
  async seek(frame) {
    const start = performance.now();
    this.setPlaying(false);
    this.setFrame(frame);
    const wanted = this.frame, contacts = this.contactsShown();
    const index = this.recording.segmentOf(wanted);
    if (!this.recording.ready(index, contacts)) await this.recording.load(index, contacts);
    const ready = performance.now();
    this.draw();
    this.view.gl.finish();
    return {data: ready - start, draw: performance.now() - ready};
  }

  // Unpacks all that fits, in order, while nothing else is to do: poses, then contacts.
  async unpackAhead() {
    const {recording} = this;
    let bytes = 0;
    for (const contacts of [false, true]) {
      for (let i = 0; i < recording.segmentFrames.length && bytes < 0.8 * CACHE_BYTES; ++i) {
        const segment = await recording.load(i, contacts);
        bytes += (contacts ? segment.contacts : segment.poses).bytes();
        this.dirty = true;
        await new Promise(done => setTimeout(done, 5));
      }
    }
  }

  tick(now) {
    const elapsed = (now - (this.last ?? now)) / 1000, passed = Math.min(0.1, elapsed);
    this.last = now;
    if (this.playing) {
      let time = this.time + passed * this.speed;
      if (time >= this.recording.duration) {
        if (this.loop && this.recording.duration > 0) time = 0;
        else this.setPlaying(false);
      }
      this.setTime(time);
      this.judgeSpeed(passed);
    }
    if (this.moveCamera(Math.min(1, elapsed))) this.dirty = true;
    if (this.dirty) this.draw();
    requestAnimationFrame(next => this.tick(next));
  }

  // Leaves out dimmed corners, then shadows, where drawing is slow.
  judgeSpeed(passed) {
    this.slow = passed > 0.045 ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow > 12 && this.view.quality > 0) {
      --this.view.quality;
      this.slow = 0;
    }
  }

  // ---- Drawing

  contactsShown() { return this.contacts.points || this.contacts.normals || this.contacts.impulses; }

  draw() {
    const {recording, view} = this, frame = this.frame, times = recording.frameTimes;
    const next = Math.min(frame + 1, recording.frameCount - 1);
    const now = recording.ready(recording.segmentOf(frame), this.contactsShown());
    const then = recording.ready(recording.segmentOf(next));
    if (!now || !then) {  // when it is there, this is called again
      recording.load(recording.segmentOf(now ? next : frame), !now && this.contactsShown()).then(() => { this.dirty = true; });
      this.dirty = false;
      this.drawPanels(frame);
      return;
    }
    if (next === frame + 1) recording.ready(recording.segmentOf(Math.min(frame + 20, recording.frameCount - 1)));
    const t = next > frame ? clamp((this.time - times[frame]) / (times[next] - times[frame]), 0, 1) : 0;
    this.place(now.poses, then.poses, frame, next, t < 1e-6 ? 0 : t);
    this.follow();
    this.clearSight();
    view.clearStrokes();
    if (this.contactsShown() && now.contacts) this.strokeContacts(now.contacts, frame);
    view.dim = this.marked !== null && this.marked.a !== NOBODY;
    view.resize();
    view.covered = innerHeight - $("dock").getBoundingClientRect().top;
    view.draw(this.camera());
    this.dirty = false;
    this.shownFrame = frame;
    this.drawPanels(frame);
    this.drawMark();
  }

  place(now, then, frame, next, t) {
    const {recording, view, palette} = this, {bodies} = recording;
    for (let b = 0; b < bodies.length; ++b) {
      if (!recording.present(b, frame)) {
        view.setBody(b, false, 0, 0, 0, 0, 0, 0, 1, palette.fixed, false);
        continue;
      }
      const i = now.index(b, frame), p = now.positions, q = now.rotations;
      let px = p[3 * i], py = p[3 * i + 1], pz = p[3 * i + 2];
      let qx = q[4 * i], qy = q[4 * i + 1], qz = q[4 * i + 2], qw = q[4 * i + 3];
      if (t > 0 && now.awake[i] && recording.present(b, next)) {
        const j = then.index(b, next), r = then.positions, s = then.rotations;
        const sign = qx * s[4 * j] + qy * s[4 * j + 1] + qz * s[4 * j + 2] + qw * s[4 * j + 3] < 0 ? -t : t;
        px += (r[3 * j] - px) * t;
        py += (r[3 * j + 1] - py) * t;
        pz += (r[3 * j + 2] - pz) * t;
        qx = qx * (1 - t) + s[4 * j] * sign;
        qy = qy * (1 - t) + s[4 * j + 1] * sign;
        qz = qz * (1 - t) + s[4 * j + 2] * sign;
        qw = qw * (1 - t) + s[4 * j + 3] * sign;
        const scale = 1 / Math.hypot(qx, qy, qz, qw);
        qx *= scale;
        qy *= scale;
        qz *= scale;
        qw *= scale;
      }
      let color = this.colors[b], marked = false;
      const fixed = bodies[b].type === "fixed";
      if (this.color === "sleep" && !fixed) color = now.awake[i] ? palette.awake : palette.asleep;
      if (this.color === "rung" && !fixed) color = palette.rungs[now.rung[i]] ?? palette.none;
      if (this.marked && (b === this.marked.a || b === this.marked.b) && !(view.flags[b] & FLAG.ground)) {
        color = palette.pair[b === this.marked.a ? 0 : 1];
        marked = true;
      }
      if (b === this.followed && !this.marked) marked = true;
      view.setBody(b, true, px, py, pz, qx, qy, qz, qw, color, marked);
    }
  }

  // Leaves out what stands between the eye and the marked pair.
  clearSight() {
    if (!this.marked || this.marked.a === NOBODY || this.marked.b === NOBODY) return;
    const {view} = this, d = view.bodyData, {eye} = this.camera(), pair = [this.marked.a, this.marked.b];
    for (const b of pair) {
      const way = sub(this.pose(b).position, eye), far = norm(way), ahead = scaled(way, 1 / (far || 1));
      const clear = Math.min(view.radii[b], 4 * view.middling);
      for (let i = 0; i < view.radii.length; ++i) {
        if (pair.includes(i) || view.flags[i] & (FLAG.ground | FLAG.glass)) continue;
        const to = [d[12 * i] - eye[0], d[12 * i + 1] - eye[1], d[12 * i + 2] - eye[2]], along = dot(to, ahead);
        if (along > far || along < -view.radii[i]) continue;
        const aside = norm(sub(to, scaled(ahead, along)));
        if (aside < 0.85 * clear * Math.max(0.2, along / far) + 0.8 * view.radii[i]) d[12 * i + 3] = 0;
      }
    }
  }

  pose(b) {
    const d = this.view.bodyData, i = 12 * b;
    return {position: [d[i], d[i + 1], d[i + 2]], rotation: [d[i + 4], d[i + 5], d[i + 6], d[i + 7]]};
  }

  strokeContacts(contacts, frame) {
    const {recording, view} = this, at = frame - contacts.begin, size = 0.55 * view.middling, ratio = view.ratio || 1;
    // As large as a dot on the bodies, within what one can see.
    const lens = view.lens(this.camera()), pixels = 0.5 * view.canvas.clientHeight * view.middling / (lens.spread[1] * lens.distance);
    const dotSize = clamp(0.16 * pixels, 2, 7) * ratio, lineSize = clamp(0.04 * pixels, 1, 2) * ratio;
    const rows = [];
    for (const pair of contacts.pairs) {
      if (at < pair.first || at >= pair.first + pair.count) continue;
      const carrier = recording.bodies[pair.a].type === "fixed" ? pair.b : pair.a, pose = this.pose(carrier);
      const n = 2 * (pair.normals + at - pair.first);
      const normal = turned(pose.rotation, directionOf(contacts.normals[n], contacts.normals[n + 1]));
      for (let p = pair.points; p < pair.points + pair.pointCount; ++p) {
        const point = contacts.points[p];
        if (at < point.first || at >= point.first + point.count) continue;
        const v = point.values + at - point.first, step = recording.contactStep;
        const local = [contacts.places[3 * v] * step, contacts.places[3 * v + 1] * step, contacts.places[3 * v + 2] * step];
        rows.push([add(pose.position, turned(pose.rotation, local)), normal, impulseOf(contacts.impulses[v])]);
      }
    }
    if (this.contacts.impulses && !this.impulseScale && rows.length > 0) {
      const sorted = rows.map(row => row[2]).sort((a, b) => a - b), high = sorted[Math.floor(0.95 * (sorted.length - 1))];
      if (high > 0) this.impulseScale = 1.4 * view.middling / high;
    }
    const red = [0.86, 0.24, 0.18], blue = [0.16, 0.42, 0.78], amber = [0.95, 0.62, 0.1];
    for (const [place, normal, impulse] of rows) {
      if (this.contacts.impulses && impulse > 0) {
        const length = Math.min(impulse * (this.impulseScale || 0), 8 * view.middling);
        view.stroke(place, add(place, scaled(normal, length)), amber, 1.8 * lineSize);
      }
      if (this.contacts.normals) view.stroke(place, add(place, scaled(normal, size)), blue, lineSize);
      if (this.contacts.points) view.stroke(place, place, red, dotSize);
    }
    this.contactCount = rows.length;
  }

  // ---- Camera: round a target

  resetCamera() {
    const {eye, target, fov} = this.recording.camera, away = sub(eye, target), distance = norm(away) || 1;
    this.look = {target: target.slice(), yaw: Math.atan2(away[0], away[2]), pitch: Math.asin(clamp(away[1] / distance, -1, 1)), distance};
    this.fov = fov;
    this.flight = null;
    this.followed = -1;
    this.held = new Set();
    this.dirty = true;
  }
  camera() {
    const {target, yaw, pitch, distance} = this.look, out = Math.cos(pitch) * distance;
    return {eye: add(target, [Math.sin(yaw) * out, Math.sin(pitch) * distance, Math.cos(yaw) * out]), target, fov: this.fov};
  }
  turn(dx, dy) {
    this.look.yaw -= dx * 0.006;
    this.look.pitch = clamp(this.look.pitch + dy * 0.006, -1.5, 1.5);
    this.flight = null;
    this.dirty = true;
  }
  pan(dx, dy) {
    const {right, up, distance, spread} = this.view.lens(this.camera()), scale = 2 * distance * spread[1] / this.view.canvas.clientHeight;
    this.look.target = add(this.look.target, add(scaled(right, -dx * scale), scaled(up, dy * scale)));
    this.followed = -1;
    this.flight = null;
    this.dirty = true;
  }
  zoom(factor) {
    this.look.distance = clamp(this.look.distance * factor, 0.05 * this.view.middling, 1e5);
    if (this.flight) this.flight.to.distance = this.look.distance;
    this.dirty = true;
  }
  flyTo(target, distance) {
    this.flight = {from: {...this.look}, to: {target, distance, pitch: clamp(this.look.pitch, 0.25, 1.2)}, t: 0};
  }
  // True while it moves by itself.
  moveCamera(passed) {
    if (this.flight) {
      const flight = this.flight, {from, to} = flight;
      flight.t = Math.min(1, flight.t + passed / 0.6);
      const s = flight.t * flight.t * (3 - 2 * flight.t);
      this.look.target = lerp(from.target, to.target, s);
      this.look.distance = from.distance * (to.distance / from.distance) ** s;
      this.look.pitch = from.pitch + (to.pitch - from.pitch) * s;
      if (flight.t >= 1) this.flight = null;
      return true;
    }
    if (this.held.size === 0) return false;
    const {right, up, forward} = this.view.lens(this.camera()), far = this.look.distance * passed;
    const flat = normalized([forward[0], 0, forward[2]]);
    const ways = {w: flat, s: scaled(flat, -1), a: scaled(right, -1), d: right, e: up, q: scaled(up, -1)};
    for (const key of this.held) if (ways[key]) this.look.target = add(this.look.target, scaled(ways[key], far));
    this.followed = -1;
    return true;
  }
  follow() {
    if (this.followed < 0 || this.flight) return;
    if (!this.recording.present(this.followed, this.frame)) {
      this.followed = -1;
      return;
    }
    this.look.target = this.pose(this.followed).position;
  }

  // ---- The pair that took longest

  stepOfFrame(frame) { return this.recording.frameSteps[frame] - 1; }  // the last step before it, -1: none
  // The first frame that shows a step's end.
  frameOfStep(step) {
    let frame = this.recording.frameAt(this.recording.stepTimes[step + 1]);
    while (frame > 0 && this.recording.frameSteps[frame - 1] >= step + 1) --frame;
    while (frame + 1 < this.recording.frameCount && this.recording.frameSteps[frame] < step + 1) ++frame;
    return frame;
  }
  pairOf(step) {
    const p = this.recording.profile;
    if (step < 0) return null;
    return {step, a: p.slowest_a[step], b: p.slowest_b[step], rung: p.slowest_rung[step], us: p.slowest_us[step]};
  }

  async markStep(step) {
    if (step < 0 || step >= this.recording.stepCount) return;
    this.setPlaying(false);
    const frame = this.frameOfStep(step);
    this.setFrame(frame);
    this.marked = this.pairOf(step);
    this.followed = -1;
    await this.recording.load(this.recording.segmentOf(frame));
    this.draw();
    const {a, b} = this.marked ?? {a: NOBODY, b: NOBODY};
    if (a !== NOBODY && b !== NOBODY) {
      const sizes = [a, b].map(body => this.view.radii[body]), places = [a, b].map(body => this.pose(body).position);
      const small = sizes[0] < sizes[1] ? 0 : 1, large = 1 - small;
      const middle = sizes[large] > 5 * sizes[small] ? places[small] : lerp(places[small], places[large], 0.5);
      this.flyTo(middle, 8 * Math.max(sizes[small], Math.min(sizes[large], 2 * sizes[small])));
    }
    this.dirty = true;
  }
  unmark() {
    this.marked = null;
    this.dirty = true;
  }
  markWorst() {
    const values = this.plotValues();
    const {interruptions} = this.recording.profile;
    const calm = i => interruptions[i] === 0;  // one that the system interrupted only if it interrupted all
    let worst = 0;
    for (let i = 1; i < values.length; ++i)
      if (calm(i) !== calm(worst) ? calm(i) : values[i] > values[worst]) worst = i;
    if (values.length > 0) this.markStep(worst);
  }

  drawMark() {
    const label = $("mark"), {marked, view} = this;
    label.hidden = !marked || marked.a === NOBODY || marked.b === NOBODY;
    if (label.hidden) return;
    const small = view.radii[marked.a] < view.radii[marked.b] ? marked.a : marked.b;
    const lens = view.lens(this.camera()), place = add(this.pose(small).position, [0, 1.25 * Math.min(view.radii[small], GROUND_RADIUS), 0]);
    const [x, y, w] = [0, 1, 3].map(row => lens.matrix[row] * place[0] + lens.matrix[4 + row] * place[1] + lens.matrix[8 + row] * place[2] + lens.matrix[12 + row]);
    label.hidden = w <= 0;
    label.style.left = `${(0.5 + 0.5 * x / w) * view.canvas.clientWidth}px`;
    label.style.top = `${(0.5 - 0.5 * y / w) * view.canvas.clientHeight}px`;
    label.innerHTML = `<b>${this.recording.facts.rungs[marked.rung].title}</b> ${micro(marked.us)}`;
  }

  // ---- Panels

  bodyName(b) {
    const body = this.recording.bodies[b], kinds = [...new Set(body.parts.map(part => this.recording.shapes[part.shape].type))];
    return `${body.type === "fixed" ? "fixed " : ""}${body.parts.length > 1 ? "compound" : kinds[0] ?? "body"} ${b}`;
  }

  makePanels() {
    const {recording} = this, {error, profile} = recording;
    $("name").textContent = recording.scene;
    const [before = 0, after = 0] = recording.frameSteps, every = after - before > 1 ? `, one every ${after - before} steps` : "";
    $("what").textContent = `${recording.bodies.length.toLocaleString("en")} bodies, ${recording.stepCount} steps of ${(1e3 * recording.dt).toPrecision(3)} ms in ${recording.frameCount} frames${every}`;
    $("scrub").max = recording.frameCount - 1;
    $("note").textContent = `Poses are within ${milli(error.maxPosition)} and ${degrees(error.maxAngle)} of the true ones (mean ${milli(error.meanPosition)}); no point of a body is drawn more than ${milli(error.maxSurface)} from where it was`
      + (error.maxContact > 0 ? `, no contact more than ${milli(error.maxContact)}.` : ".");
    for (const speed of SPEEDS) $("speed").add(new Option(`${speed}\u00d7`, String(speed)));
    $("speed").value = "1";
    $("numbers").tBodies[0].innerHTML = ["frame", "step", "this step", "awake", "pairs", "contact points"]
      .map(name => `<tr><td>${name}</td><td></td></tr>`).join("");
    this.numberCells = [...$("numbers").querySelectorAll("td:last-child")];
    $("key").innerHTML = [[AWAKE, "awake"], [ASLEEP, "asleep"], [FIXED, "fixed"]]
      .map(([color, name]) => `<span><span class="swatch" style="background:${color}"></span>${name}</span>`).join("");
    const noTimes = !profile.total.some(v => v > 0);
    $("worst").disabled = recording.stepCount === 0 || noTimes;
    this.makeRows();
  }

  // A row a rung, or a stage.
  makeRows() {
    const rows = this.plot === "rungs" ? this.recording.facts.rungs.map(rung => [rung.title, rung.color]) : STAGES;
    $("rungs").tBodies[0].innerHTML = rows.map(([name, color]) =>
      `<tr><td><span class="swatch" style="background:${color}"></span>${name}</td><td></td><td></td></tr>`).join("");
    this.rungRows = [...$("rungs").rows];
    const heading = $("rungs").previousElementSibling;
    heading.innerHTML = this.plot === "rungs" ? "Pairs by rung<span>pairs</span><span>\u00b5s</span>" : "Stages of the step<span>%</span><span>\u00b5s</span>";
  }

  drawPanels(frame) {
    const {recording} = this, {profile} = recording, step = this.marked ? this.marked.step : this.stepOfFrame(frame);
    const cells = this.numberCells;
    cells[0].textContent = `${frame} of ${recording.frameCount - 1}`;
    cells[1].textContent = step < 0 ? "before the first" : `${step + 1} of ${recording.stepCount}`;
    const value = (name, write) => step < 0 ? "\u2013" : write(profile[name][step]);
    cells[2].textContent = value("total", micro);
    $("key").hidden = this.color !== "sleep";
    cells[3].innerHTML = step < 0 ? "\u2013" : `${profile.awake_bodies[step].toLocaleString("en")} of ${profile.bodies[step].toLocaleString("en")}`;
    cells[4].textContent = value("convex_pairs", v => v.toLocaleString("en"));
    cells[5].textContent = value("contact_points", v => v.toLocaleString("en"));
    this.rungRows.forEach((row, i) => {
      const us = step < 0 ? 0 : this.plot === "rungs" ? profile.rungUs[i][step] : profile[STAGES[i][0]][step];
      const first = step < 0 ? 0 : this.plot === "rungs" ? profile.rungPairs[i][step] : 100 * us / Math.max(1e-9, profile.total[step]);
      row.cells[1].textContent = this.plot === "rungs" ? first.toLocaleString("en") : first.toFixed(1);
      row.cells[2].textContent = us > 0 ? digits(us) : "\u2013";
      row.classList.toggle("none", first === 0 && us === 0);
    });
    const pair = this.pairOf(step), known = pair && pair.a !== NOBODY && pair.b !== NOBODY;
    $("pair").disabled = !known;
    $("pair").innerHTML = known ? `${this.bodyName(pair.a)} and ${this.bodyName(pair.b)}<small><span class="swatch" style="background:${recording.facts.rungs[pair.rung].color}"></span>${recording.facts.rungs[pair.rung].title}, ${micro(pair.us)}${profile.interruptions[step] > 0 ? `<br>${INTERRUPTED}: ${profile.interruptions[step]}\u00d7` : ""}</small>`
      : "<small>no pair was timed singly</small>";
    $("scrub").value = frame;
    $("clock").innerHTML = `${this.time.toFixed(2)} s <small>of ${recording.duration.toFixed(2)} s</small>`;
    this.drawPlot();
  }

  choose() {
    for (const button of document.querySelectorAll("[data-color]")) button.setAttribute("aria-pressed", button.dataset.color === this.color);
    for (const button of document.querySelectorAll("[data-contact]")) button.setAttribute("aria-pressed", this.contacts[button.dataset.contact]);
    for (const button of document.querySelectorAll("[data-plot]")) button.setAttribute("aria-pressed", button.dataset.plot === this.plot);
    $("loop").setAttribute("aria-pressed", this.loop);
    this.dirty = true;
  }
  setPlot(plot) {
    this.plot = plot;
    this.picture = null;
    this.makeRows();
    this.choose();
  }
  setTheme(theme) {
    this.view.theme = document.documentElement.dataset.theme = theme;
    this.picture = null;
    this.dirty = true;
  }
  toggleContacts() {
    const on = !this.contactsShown();
    this.contacts = {points: on, normals: on, impulses: false};
    this.choose();
  }

  // ---- The plot

  layers() {
    const {profile, facts} = this.recording;
    return this.plot === "rungs" ? facts.rungs.map((rung, i) => [rung.color, profile.rungUs[i], rung.title])
      : STAGES.map(([name, color]) => [color, profile[name], name]);
  }
  // The system gave the processor to others: such a step's times say little, and are drawn pale.
  isPale(step) { return this.recording.profile.interruptions[step] > 0; }
  // Whether a step stands before another where both want the place: by its cost, pale ones last.
  isAbove(step, other) {
    const values = this.plotValues(), calmer = this.isPale(other) - this.isPale(step);
    return calmer !== 0 ? calmer > 0 : values[step] > values[other];
  }
  // What the height of the stack is at each step, us.
  plotValues() {
    this.sums ??= {};
    if (!this.sums[this.plot]) {
      const sum = new Float64Array(this.recording.stepCount);
      for (const [, values] of this.layers()) for (let i = 0; i < sum.length; ++i) sum[i] += values[i];
      this.sums[this.plot] = sum;
    }
    return this.sums[this.plot];
  }
  plotX(time) { return PLOT_LEFT + (this.plotWidth - PLOT_LEFT - 6) * time / (this.recording.duration || 1); }
  plotTime(x) { return clamp((x - PLOT_LEFT) / (this.plotWidth - PLOT_LEFT - 6), 0, 1) * this.recording.duration; }

  // The highest step near a place of the plot.
  spikeNear(x) {
    const values = this.plotValues(), times = this.recording.stepTimes;
    let best = -1;
    for (let i = 0; i < values.length; ++i) {
      const away = Math.abs(this.plotX(0.5 * (times[i] + times[i + 1])) - x);
      if (away <= SPIKE_REACH && (best < 0 || this.isAbove(i, best))) best = i;
    }
    if (best >= 0 || values.length === 0) return best;
    return clamp(this.recording.frameSteps[this.recording.frameAt(this.plotTime(x))], 0, values.length - 1);
  }

  drawPlot() {
    const canvas = $("cost"), ratio = Math.min(devicePixelRatio || 1, 2), width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      this.picture = null;
    }
    this.plotWidth = width;
    if (!this.picture) this.picture = this.paintPlot(canvas.width, canvas.height, ratio, width, height);
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement), x = this.plotX(this.time);
    context.fillStyle = style.getPropertyValue("--playhead");
    context.fillRect(x - 0.75, 0, 1.5, height);
    context.beginPath();
    context.moveTo(x - 5, 0);
    context.lineTo(x + 5, 0);
    context.lineTo(x, 6);
    context.fill();
    if (this.marked) {
      const times = this.recording.stepTimes, at = this.plotX(0.5 * (times[this.marked.step] + times[this.marked.step + 1]));
      context.strokeStyle = style.getPropertyValue("--accent");
      context.lineWidth = 1.5;
      context.strokeRect(at - 4, 7, 8, height - 8);
    }
  }

  paintPlot(pixelWidth, pixelHeight, ratio, width, height) {
    const picture = document.createElement("canvas");
    picture.width = pixelWidth;
    picture.height = pixelHeight;
    const context = picture.getContext("2d"), values = this.plotValues(), style = getComputedStyle(document.documentElement);
    context.scale(ratio, ratio);
    const calm = values.filter((_, i) => !this.isPale(i)), sorted = [...(calm.length ? calm : values)].sort((a, b) => a - b), most = sorted.at(-1) || 1, usual = sorted[Math.floor(0.98 * (sorted.length - 1))] || most;
    const top = most > 6 * usual ? 3 * usual : 1.06 * most, floor = height - 2, scale = (floor - 8) / top;
    const round = 10 ** Math.floor(Math.log10(top / 2)), unit = [5, 2, 1].map(v => v * round).find(v => v <= top / 2) || round;
    context.font = `11px ${style.fontFamily || "system-ui, sans-serif"}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let v = unit; v < top; v += unit) {
      context.fillStyle = style.getPropertyValue("--grid");
      context.fillRect(PLOT_LEFT, Math.round(floor - v * scale), width - PLOT_LEFT - 6, 1);
      context.fillStyle = style.getPropertyValue("--faint");
      context.fillText(micro(v).replace(/\.0+(?= )/, ""), PLOT_LEFT - 6, floor - v * scale);
    }
    context.fillStyle = style.getPropertyValue("--grid");
    context.fillRect(PLOT_LEFT, floor, width - PLOT_LEFT - 6, 1);

    // Where several steps fall on a pixel, the dearest of them stands there.
    const {stepTimes} = this.recording, layers = this.layers(), fine = 1 / ratio, columns = new Map();
    for (let i = 0; i < values.length; ++i) {
      const column = Math.floor(this.plotX(stepTimes[i]) / fine);
      if (!columns.has(column) || this.isAbove(i, columns.get(column))) columns.set(column, i);
    }
    for (const i of columns.values()) {
      const from = this.plotX(stepTimes[i]), to = Math.max(from + fine, this.plotX(stepTimes[i + 1]));
      let low = 0;
      context.globalAlpha = this.isPale(i) ? 0.3 : 1;
      for (const [color, of] of layers) {
        const h = Math.min(of[i], top - low) * scale;
        if (h <= 0) continue;
        context.fillStyle = color;
        context.fillRect(from, floor - low * scale - h, to - from, h);
        low += of[i];
        if (low >= top) break;
      }
      context.globalAlpha = 1;
      if (values[i] > top && !this.isPale(i)) {  // higher than the plot
        context.fillStyle = style.getPropertyValue("--accent");
        context.beginPath();
        context.moveTo(from - 4, 8);
        context.lineTo(from + 4, 8);
        context.lineTo(from, 1);
        context.fill();
      }
    }
    return picture;
  }

  showTip(x) {
    const tip = $("tip"), step = this.spikeNear(x);
    tip.hidden = step < 0 || x < PLOT_LEFT;
    if (tip.hidden) return;
    const {profile, facts} = this.recording;
    const parts = this.layers().map(([color, values, name]) => [values[step], color, name]).sort((a, b) => b[0] - a[0]).slice(0, 4).filter(part => part[0] > 0);
    const pair = this.pairOf(step);
    tip.innerHTML = `<div><b>step ${step + 1}</b><span>${micro(profile.total[step])}</span></div>`
      + parts.map(([us, color, name]) => `<div><span><span class="swatch" style="background:${color}"></span>${name}</span><span>${micro(us)}</span></div>`).join("")
      + (pair.a !== NOBODY ? `<div><span>slowest pair: ${facts.rungs[pair.rung].title}</span><span>${micro(pair.us)}</span></div>` : "")
      + (profile.interruptions[step] > 0 ? `<div><span>${INTERRUPTED}</span><span>${profile.interruptions[step]}\u00d7</span></div>` : "");
    tip.style.left = `${clamp(x - tip.offsetWidth / 2, 0, this.plotWidth - tip.offsetWidth)}px`;
  }

  // ---- Hands

  listen() {
    const on = (id, kind, act) => $(id).addEventListener(kind, act);
    on("first", "click", () => this.stepBy(-1e9));
    on("back", "click", () => this.stepBy(-1));
    on("play", "click", () => this.setPlaying(!this.playing));
    on("on", "click", () => this.stepBy(1));
    on("last", "click", () => this.stepBy(1e9));
    on("speed", "change", () => { this.speed = Number($("speed").value); $("speed").blur(); });
    on("loop", "click", () => { this.loop = !this.loop; this.choose(); });
    on("worst", "click", () => this.markWorst());
    on("pair", "click", () => this.markStep(this.marked ? this.marked.step : this.stepOfFrame(this.frame)));
    on("theme", "click", () => this.setTheme(this.view.theme === "dark" ? "light" : "dark"));
    on("help", "click", () => $("keys").showModal());
    on("scrub", "input", () => { this.setPlaying(false); this.marked = null; this.setFrame(Number($("scrub").value)); });
    on("keys", "click", event => { if (event.target === $("keys")) $("keys").close(); });
    for (const button of document.querySelectorAll("[data-color]")) {
      button.addEventListener("click", () => { this.color = button.dataset.color; this.choose(); });
    }
    for (const button of document.querySelectorAll("[data-contact]")) {
      button.addEventListener("click", () => { this.contacts[button.dataset.contact] = !this.contacts[button.dataset.contact]; this.choose(); });
    }
    for (const button of document.querySelectorAll("[data-plot]")) button.addEventListener("click", () => this.setPlot(button.dataset.plot));
    addEventListener("resize", () => { this.dirty = true; });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => this.setTheme(event.matches ? "dark" : "light"));
    this.listenToPlot($("cost"));
    this.listenToScene($("scene"));
    addEventListener("keydown", event => this.key(event));
    addEventListener("keyup", event => this.held.delete(event.key.toLowerCase()));
    addEventListener("blur", () => this.held.clear());
  }

  listenToPlot(canvas) {
    let start = null, moved = false;
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      start = event.offsetX;
      moved = false;
    });
    canvas.addEventListener("pointermove", event => {
      if (start === null) {
        this.showTip(event.offsetX);
        return;
      }
      if (Math.abs(event.offsetX - start) > 4) moved = true;
      if (!moved) return;
      $("tip").hidden = true;
      this.setPlaying(false);
      this.marked = null;
      this.setFrame(this.recording.frameAt(this.plotTime(event.offsetX)));
    });
    canvas.addEventListener("pointerup", event => {
      if (start !== null && !moved) this.markStep(this.spikeNear(event.offsetX));
      start = null;
    });
    canvas.addEventListener("pointercancel", () => { start = null; });
    canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  }

  listenToScene(canvas) {
    const pointers = new Map();
    let moved = false, spread = 0;
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (pointers.size === 1) moved = false;
      spread = 0;
      canvas.classList.add("turning");
    });
    canvas.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const dx = event.offsetX - before[0], dy = event.offsetY - before[1];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread > 0 && now > 0) this.zoom(spread / now);
        spread = now;
        this.pan(dx / 2, dy / 2);
      } else if (event.buttons & 6 || event.shiftKey) {
        this.pan(dx, dy);
      } else {
        this.turn(dx, dy);
      }
    });
    const up = event => {
      if (!pointers.delete(event.pointerId)) return;
      spread = 0;
      canvas.classList.remove("turning");
      if (!moved && event.type === "pointerup" && event.button === 0 && pointers.size === 0) this.clickAt(event.offsetX, event.offsetY);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(Math.exp(clamp(event.deltaY, -300, 300) * (event.deltaMode === 1 ? 0.04 : 0.0015)));
    }, {passive: false});
  }

  clickAt(x, y) {
    const body = this.view.pick(this.camera(), x, y);
    if (this.marked) this.unmark();
    this.followed = body >= 0 && this.recording.bodies[body].type !== "fixed" ? body : -1;
    if (this.followed >= 0) this.flyTo(this.pose(body).position, this.look.distance);
    this.dirty = true;
  }

  key(event) {
    if ($("keys").open || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      " ": () => this.setPlaying(!this.playing), ArrowLeft: () => this.stepBy(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.stepBy(event.shiftKey ? 10 : 1), Home: () => this.stepBy(-1e9), End: () => this.stepBy(1e9),
      "[": () => this.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
      "]": () => this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
      l: () => { this.loop = !this.loop; this.choose(); }, x: () => this.markWorst(), p: () => $("pair").click(),
      c: () => this.toggleContacts(), g: () => this.setPlot(this.plot === "rungs" ? "stages" : "rungs"),
      1: () => { this.color = "body"; this.choose(); }, 2: () => { this.color = "sleep"; this.choose(); },
      3: () => { this.color = "rung"; this.choose(); }, t: () => $("theme").click(), h: () => $("help").click(), "?": () => $("help").click(),
      r: () => { this.resetCamera(); this.unmark(); }, "+": () => this.zoom(0.85), "=": () => this.zoom(0.85), "-": () => this.zoom(1 / 0.85),
      Escape: () => { this.followed = -1; this.unmark(); },
    };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ("wasdqe".includes(key)) this.held.add(key);
    else if (acts[key]) acts[key]();
    else return;
    if (key.startsWith("Arrow") || key === "Home" || key === "End" || !key.trim() || key === "x") this.marked = key === "x" ? this.marked : null;
    event.preventDefault();
    if (document.activeElement instanceof HTMLButtonElement || document.activeElement === $("scrub")) document.activeElement.blur();
  }
}

function complain(text) {
  $("problem").textContent = text;
  $("problem").hidden = false;
}

(async () => {
  const holder = $("recording");
  if (typeof DecompressionStream === "undefined") {
    complain("This browser cannot unpack the recording: it has no DecompressionStream. Chrome and Edge have it since version 80, Safari since 16.4, Firefox since 113.");
    return;
  }
  if (!document.createElement("canvas").getContext("webgl2")) {
    complain("This browser cannot draw the recording: WebGL2 is missing or switched off. Try a current Chrome, Edge, Firefox or Safari, with hardware acceleration allowed.");
    return;
  }
  try {
    const recording = await Recording.open(holder.textContent, Number(holder.dataset.bytes), JSON.parse($("facts").textContent));
    window.replay = new Player(recording, new View($("scene"), recording));
  } catch (error) {
    complain(`The recording cannot be shown: ${error.message}`);
    throw error;
  }
})();
