"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

const stageColors = ["#7f9cc0", "#e07b39", "#b07aa1", "#4e9f86", "#d4a72c", "#9a8478", "#b9bfc9"];

// ---- Numbers as people read them

const group = value => Math.round(value).toLocaleString("en-US");

/// Three digits that count.
function digits(value) {
  if (value === 0) return "0";
  if (value >= 99.95) return group(value);
  if (value >= 9.995) return value.toFixed(1);
  if (value >= 0.01) return value.toFixed(2);
  return value.toPrecision(1);
}

/// [number, unit] of microseconds.
function time(us) {
  if (us >= 999.5e3) return [digits(us / 1e6), "s"];
  if (us >= 999.5) return [digits(us / 1e3), "ms"];
  if (us >= 0.9995 || us === 0) return [digits(us), "µs"];
  return [digits(us * 1e3), "ns"];
}
const timeText = us => time(us).join(" ");

function percent(part, whole) {
  if (!(whole > 0)) return "-";
  const share = 100 * part / whole;
  return share > 0 && share < 0.05 ? "< 0.1%" : share.toFixed(share >= 99.95 ? 0 : 1) + "%";
}

const sum = list => list.reduce((a, b) => a + b, 0);

// ---- Making elements: text is always text

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "style" || name === "dataset") Object.assign(made[name], value);
    else made[name] = value;
  }
  made.append(...children.filter(child => child !== null));
  return made;
}
const swatch = color => element("span", {className: "swatch", style: {background: color}});
const cell = (value, properties) => element("td", properties, value);

function fillTable(id, headings, rows) {
  const head = element("tr", {}, ...headings.map(([text, left]) => element("th", {className: left ? "left" : ""}, text)));
  byId(id).replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
}

const meter = (share, color) => element("div", {className: "meter"},
  element("i", {style: {width: `${100 * Math.min(1, share || 0)}%`, background: color || "var(--bar)"}}));

// ---- What the plots show, all three the same frames

const points = data.plot.frame.length;
const view = {first: 0, last: points};  // points, the last one not included
let marked = null;   // number of the marked frame
let hover = null;    // point under the pointer
let fullHeight = false;
const plots = [];

/// The point that a frame belongs to.
function pointOf(frame) {
  if (!points) return null;
  return Math.max(0, Math.min(points - 1, Math.floor((frame - firstFrame) / data.framesPerPoint)));
}
const firstFrame = points ? data.firstFrame : 0;

class Plot {
  /// format(value) is for one value, tick(value, step) for an axis.
  constructor(id, names, colors, series, format, tick, lines) {
    this.canvas = byId(id + "-plot");
    this.names = names;
    this.colors = colors;
    this.series = series;
    this.format = format;
    this.tick = tick;
    this.lines = lines || [];  // [label, value]
    this.hidden = new Set();
    this.timed = format === timeText;
    this.drag = null;
    this.makeLegend(byId(id + "-legend"));
    this.listen();
    plots.push(this);
  }

  makeLegend(legend) {
    this.names.forEach((name, i) => {
      if (!this.series[i].some(value => value > 0)) return;
      const button = element("button", {type: "button"}, swatch(this.colors[i]), name);
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        if (!this.hidden.delete(i)) this.hidden.add(i);
        button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
        this.sums = null;
        this.draw();
      });
      legend.append(button);
    });
  }

  /// Heights of the stacks of what is not hidden.
  stacks() {
    if (!this.sums) {
      this.sums = new Float64Array(points);
      this.series.forEach((values, k) => {
        if (!this.hidden.has(k)) values.forEach((value, i) => this.sums[i] += value);
      });
    }
    return this.sums;
  }

  /// The height of the plot in its unit: all of it, or without the few peaks that would press the rest flat.
  top() {
    const stacks = this.stacks(), all = [], calm = [];
    for (let i = view.first; i < view.last; ++i) {
      all.push(stacks[i]);
      if (!this.isPale(i)) calm.push(stacks[i]);
    }
    const visible = (calm.length && !fullHeight ? calm : all).sort((a, b) => a - b);
    const highest = visible.at(-1) || 0;
    const usual = visible[Math.floor(0.98 * (visible.length - 1))] || 0;
    const tall = !fullHeight && visible.length >= 20 && highest > 2.2 * usual && usual > 0;
    const value = (tall ? 1.35 * usual : 1.06 * highest) || 1;
    return {value, cut: all.some(height => height > value)};
  }

  /// Of a frame that the system interrupted times say little.
  isPale(point) { return this.timed && data.plot.interruptions[point] > 0; }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.left = 64;
    this.right = this.width - 88;
    this.upper = this === plots[0] ? 28 : 10;  // the first has the marked frame's label above it
    this.lower = this.height - 22;
  }

  x(point) { return this.left + (point - view.first) / (view.last - view.first) * (this.right - this.left); }

  pointAt(x) {
    const share = (x - this.left) / (this.right - this.left);
    return Math.max(view.first, Math.min(view.last - 1, view.first + Math.floor(share * (view.last - view.first))));
  }

  draw() {
    this.resize();
    const style = getComputedStyle(document.documentElement);
    const color = name => style.getPropertyValue(name).trim();
    const g = this.context;
    const {value: top, cut} = this.top();
    const y = value => this.lower - Math.min(1, value / top) * (this.lower - this.upper);
    g.clearRect(0, 0, this.width, this.height);
    g.font = `11.5px ${getComputedStyle(document.body).fontFamily}`;
    g.textBaseline = "middle";

    // Grid and its labels.
    const step = niceStep(top / Math.max(2, Math.floor((this.lower - this.upper) / 42)));
    g.textAlign = "right";
    for (let tick = 0; tick <= top * 1.0001; tick += step) {
      const at = Math.round(y(tick)) + 0.5;
      g.fillStyle = color("--grid");
      g.fillRect(this.left, at - 0.5, this.right - this.left, 1);
      g.fillStyle = color("--quiet");
      g.fillText(this.tick(tick, step), this.left - 8, at);
    }
    this.drawFrameLabels(g, color);

    // One stack a point, or, where points are closer than pixels, the highest of those in a pixel.
    const sums = this.stacks();
    const count = view.last - view.first;
    const columns = Math.min(count, Math.max(1, Math.floor(this.right - this.left)));
    const peaks = [];
    for (let c = 0; c < columns; ++c) {
      const from = view.first + Math.floor(c * count / columns);
      const to = Math.max(from + 1, view.first + Math.floor((c + 1) * count / columns));
      let point = from;
      for (let i = from + 1; i < to; ++i) {
        const calmer = this.isPale(point) - this.isPale(i);
        if (calmer > 0 || (calmer === 0 && sums[i] > sums[point])) point = i;
      }
      const wide = (this.right - this.left) / columns;
      const x0 = this.left + c * wide;
      const gap = wide >= 6 ? 1 : 0;
      let below = 0;
      g.globalAlpha = this.isPale(point) ? 0.3 : 1;
      for (let k = 0; k < this.series.length; ++k) {
        const value = this.hidden.has(k) ? 0 : this.series[k][point];
        if (!(value > 0)) continue;
        const y0 = y(below), y1 = y(below + value);
        g.fillStyle = this.colors[k];
        g.fillRect(x0, y1, wide - gap + (gap ? 0 : 0.25), y0 - y1);
        below += value;
      }
      g.globalAlpha = 1;
      if (below > top && !this.isPale(point)) peaks.push([x0 + wide / 2, this.hidden.size ? below : sums[point]]);
    }
    if (cut) this.drawPeaks(g, color, peaks);

    this.drawLines(g, color, y, top);
    const markedPoint = marked === null ? null : pointOf(marked);
    if (hover !== null && hover >= view.first && hover < view.last) {
      g.fillStyle = color("--text");
      g.globalAlpha = 0.12;
      const x0 = this.x(hover), x1 = this.x(hover + 1);
      g.fillRect(x0 - (x1 - x0 < 3 ? 1 : 0), this.upper, Math.max(3, x1 - x0), this.lower - this.upper);
      g.globalAlpha = 1;
    }
    if (markedPoint !== null && markedPoint >= view.first && markedPoint < view.last) this.drawMark(g, color, markedPoint);
    if (this.drag && this.drag.moved) {
      g.fillStyle = color("--accent");
      g.globalAlpha = 0.18;
      const [a, b] = [this.drag.from, this.drag.to].sort((p, q) => p - q);
      g.fillRect(a, this.upper, b - a, this.lower - this.upper);
      g.globalAlpha = 1;
    }
  }

  drawFrameLabels(g, color) {
    const span = (view.last - view.first) * data.framesPerPoint;
    const step = Math.max(1, niceStep(span / Math.max(2, Math.floor((this.right - this.left) / 90))));
    const frameAt = point => firstFrame + point * data.framesPerPoint;
    g.fillStyle = color("--quiet");
    g.textAlign = "center";
    const begin = Math.ceil(frameAt(view.first) / step) * step;
    for (let frame = begin; frame < frameAt(view.last); frame += step) {
      const x = this.x((frame - firstFrame) / data.framesPerPoint + 0.5 / data.framesPerPoint);
      g.fillRect(Math.round(x), this.lower, 1, 4);
      g.fillText(group(frame), x, this.lower + 13);
    }
  }

  /// Stacks that go beyond the top end in a mark there; the highest says how high.
  drawPeaks(g, color, peaks) {
    if (!peaks.length) return;
    g.fillStyle = color("--mark");
    for (const [x] of peaks) {
      g.beginPath();
      g.moveTo(x - 4, this.upper);
      g.lineTo(x + 4, this.upper);
      g.lineTo(x, this.upper - 6);
      g.fill();
    }
    const [x, value] = peaks.reduce((a, b) => b[1] > a[1] ? b : a);
    const text = this.format(value);
    const near = x + 10 + g.measureText(text).width < this.right;
    g.textAlign = near ? "left" : "right";
    const at = x + (near ? 8 : -8), wide = g.measureText(text).width;
    g.fillStyle = color("--panel");
    g.globalAlpha = 0.8;
    g.fillRect(near ? at - 2 : at - wide - 2, this.upper, wide + 4, 15);
    g.globalAlpha = 1;
    g.fillStyle = color("--mark");
    g.fillText(text, at, this.upper + 8);
  }

  drawLines(g, color, y, top) {
    let above = this.lower + 100;
    g.textAlign = "left";
    for (const [label, value] of this.lines) {  // from low to high: labels move up to stay apart
      if (value > top || this.hidden.size) continue;
      const at = Math.round(y(value)) + 0.5;
      g.strokeStyle = color("--text");
      g.globalAlpha = 0.6;
      g.setLineDash([5, 4]);
      g.beginPath();
      g.moveTo(this.left, at);
      g.lineTo(this.right, at);
      g.stroke();
      g.setLineDash([]);
      g.globalAlpha = 1;
      above = Math.min(at, above - 14);
      g.fillStyle = color("--quiet");
      g.fillText(`${label} ${timeText(value)}`, this.right + 4, above);
    }
  }

  drawMark(g, color, point) {
    const x0 = this.x(point), x1 = this.x(point + 1), x = (x0 + x1) / 2;
    g.strokeStyle = g.fillStyle = color("--mark");
    g.lineWidth = 1.5;
    if (x1 - x0 > 5) g.strokeRect(x0 - 1, this.upper, x1 - x0 + 1, this.lower - this.upper);
    else g.fillRect(x - 0.75, this.upper, 1.5, this.lower - this.upper);
    g.lineWidth = 1;
    if (this !== plots[0]) return;
    const text = `frame ${group(marked)}`;
    const wide = g.measureText(text).width + 12;
    const left = Math.min(Math.max(this.left, x - wide / 2), this.right - wide);
    g.beginPath();
    g.roundRect(left, this.upper - 27, wide, 18, 4);
    g.fill();
    g.fillStyle = color("--panel");
    g.textAlign = "center";
    g.fillText(text, left + wide / 2, this.upper - 17.5);
  }

  listen() {
    const canvas = this.canvas;
    const place = event => event.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = {from: place(event), to: place(event), moved: false};
    });
    canvas.addEventListener("pointermove", event => {
      const x = place(event);
      if (this.drag) {
        this.drag.to = Math.max(this.left, Math.min(this.right, x));
        if (Math.abs(x - this.drag.from) > 4) this.drag.moved = true;
      }
      hover = points && x >= this.left && x <= this.right ? this.pointAt(x) : null;
      showTooltip(this, event);
      drawAll();
    });
    canvas.addEventListener("pointerup", event => {
      const drag = this.drag;
      this.drag = null;
      if (drag && points) {
        if (drag.moved) zoom(this.pointAt(Math.min(drag.from, drag.to)), this.pointAt(Math.max(drag.from, drag.to)) + 1);
        else if (place(event) >= this.left && place(event) <= this.right) mark(data.plot.frame[this.pointAt(place(event))]);
      }
      drawAll();
    });
    canvas.addEventListener("pointercancel", () => { this.drag = null; drawAll(); });
    canvas.addEventListener("pointerleave", () => { hover = null; byId("tooltip").hidden = true; drawAll(); });
    canvas.addEventListener("dblclick", () => zoom(0, points));
    canvas.addEventListener("keydown", event => {
      const steps = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (event.key === "Escape") zoom(0, points);
      if (!steps || !points) return;
      event.preventDefault();
      const from = marked === null ? view.first - (steps > 0 ? 1 : 0) : pointOf(marked);
      mark(data.plot.frame[Math.max(0, Math.min(points - 1, from + steps))]);
    });
  }
}

/// 1, 2 or 5 times a power of ten, not below the value.
function niceStep(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return power * [1, 2, 5, 10].find(n => n * power >= value * 0.9999);
}

let asked = false;
function drawAll() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    for (const plot of plots) plot.draw();
  });
}

function showRange() {
  const whole = view.first === 0 && view.last === points;
  const last = view.last === points ? firstFrame + data.frames - 1 : firstFrame + view.last * data.framesPerPoint - 1;
  const first = firstFrame + view.first * data.framesPerPoint;
  byId("range").textContent = !points ? "no frames" : whole ? `${group(data.frames)} frames`
    : `frames ${group(first)} to ${group(last)} of ${group(data.frames)}`;
  byId("reset").disabled = whole;
  Object.assign(byId("plots").dataset, {first, last});
}

function zoom(first, last) {
  const least = Math.min(points, 5);
  if (last - first < least) {
    first = Math.max(0, Math.min(points - least, Math.round((first + last - least) / 2)));
    last = first + least;
  }
  view.first = first;
  view.last = last;
  hover = null;
  byId("tooltip").hidden = true;
  showRange();
  drawAll();
}

/// Marks a frame in plots and lists, and brings it into view.
function mark(frame) {
  marked = frame;
  byId("plots").dataset.marked = frame;
  const point = pointOf(frame), span = view.last - view.first;
  if (point < view.first || point >= view.last) {
    const first = Math.max(0, Math.min(points - span, Math.round(point - span / 2)));
    zoom(first, first + span);
  }
  for (const row of document.querySelectorAll("#worst-frames tbody tr"))
    row.classList.toggle("marked", Number(row.dataset.frame) === frame);
  drawAll();
}

function showTooltip(plot, event) {
  const tooltip = byId("tooltip");
  if (hover === null || (plot.drag && plot.drag.moved)) {
    tooltip.hidden = true;
    return;
  }
  const rows = [];
  for (let k = plot.series.length - 1; k >= 0; --k) {
    const value = plot.series[k][hover];
    if (value > 0 && !plot.hidden.has(k)) {
      rows.push(element("tr", {}, element("td", {}, swatch(plot.colors[k]), plot.names[k]),
        cell(plot.format(value))));
    }
  }
  const title = `frame ${group(data.plot.frame[hover])}`;
  tooltip.replaceChildren(
    element("div", {className: "top"}, element("span", {}, title),
      element("span", {}, plot.format(plot.stacks()[hover]))),
    element("table", {}, element("tbody", {}, ...rows)));
  if (data.plot.interruptions[hover] > 0)
    tooltip.append(element("div", {className: "quiet"}, "the system gave the processor to others meanwhile"));
  if (data.framesPerPoint > 1)
    tooltip.append(element("div", {className: "quiet"}, `the dearest of ${data.framesPerPoint} frames`));
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  const right = event.clientX + 18 + box.width < innerWidth;
  tooltip.style.left = `${right ? event.clientX + 18 : Math.max(4, event.clientX - 18 - box.width)}px`;
  tooltip.style.top = `${Math.max(4, Math.min(innerHeight - box.height - 4, event.clientY - 20))}px`;
}

// ---- The parts of the page

function showHead() {
  byId("title").textContent = data.title;
  byId("subtitle").textContent = data.subtitle;
  byId("untimed").hidden = Boolean(data.timed) || !data.frames;
  byId("facts").replaceChildren(...data.facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function showCards() {
  const collide = data.stageSums[data.stageNames.indexOf("collide")];
  const all = sum(data.rungPairs);
  const cards = [
    ["step, median", time(data.total.p50), "p50", data.total.p50],
    ["step, p95", time(data.total.p95), "p95", data.total.p95],
    ["step, p99", time(data.total.p99), "p99", data.total.p99],
    ["step, worst", time(data.total.max), "max", data.total.max],
    ["collide", data.total.sum > 0 ? [(100 * collide / data.total.sum).toFixed(0), "% of a step"] : ["-", ""], "share",
      data.total.sum > 0 ? collide / data.total.sum : 0],
    ["without GJK, EPA", all ? [(100 * withoutTests() / all).toFixed(1), "% of pairs"] : ["-", ""], "cached",
      all ? withoutTests() / all : 0],
    ["GJK iterations", data.gjkQueries ? [digits(data.gjkIterations / data.gjkQueries), "a call"] : ["-", ""], "gjk",
      data.gjkQueries ? data.gjkIterations / data.gjkQueries : 0],
    ["EPA calls", data.frames ? [digits(data.epaQueries / data.frames), "a frame"] : ["-", ""], "epa",
      data.frames ? data.epaQueries / data.frames : 0],
  ];
  byId("cards").replaceChildren(...cards.map(([name, [value, unit], id, exact]) =>
    element("div", {className: "card"}, element("span", {}, name),
      element("b", {id: "card-" + id, dataset: {value: exact}}, value, element("small", {}, unit)))));
}

const rungPairs = name => data.rungPairs[data.rungNames.indexOf(name)];
const withoutTests = () =>
  ["skip", "reuse", "closed_form", "axis_separated", "axis_touching"].reduce((all, name) => all + rungPairs(name), 0);

function clickable(row, act) {
  row.tabIndex = 0;
  row.addEventListener("click", act);
  row.addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act();
    }
  });
  return row;
}

function showWorstFrames() {
  const worst = data.worstFrames.length ? data.worstFrames[0].total : 1;
  fillTable("worst-frames", [["frame", true], ["step"], ["", true], ["contacts"], ["cold GJK"], ["EPA"]],
    data.worstFrames.map(frame => {
      const parts = frame.stages.map((us, k) => element("i", {
        title: `${data.stageNames[k]} ${timeText(us)}`,
        style: {width: `${100 * us / worst}%`, background: stageColors[k]},
      }));
      const row = element("tr", {dataset: {frame: frame.frame, total: frame.total}},
        cell(group(frame.frame)), cell(timeText(frame.total)),
        cell(element("div", {className: "stack"}, ...parts), {className: "wide"}),
        cell(group(frame.contacts)), cell(group(frame.cold)), cell(group(frame.epa)));
      return clickable(row, () => {
        mark(frame.frame);
        byId("plots").scrollIntoView({block: "nearest", behavior: "smooth"});
      });
    }));
}

function showWorstPairs() {
  const note = byId("pairs-note");
  if (!data.worstPairs.length) {
    note.textContent = "No pair was timed singly in this run.";
    return;
  }
  note.textContent = "Of the pairs that were timed singly, each in its worst frame: those that nothing was known of, or that are deep; " +
    "all with --timing pairs. Bodies are named by slot, shapes by type and index.";
  const rows = data.worstPairs.map(pair => {
    const side = k => [`${pair.bodies[k]}`, element("span", {className: "quiet"}, ` ${pair.types[k] || "shape"}` +
      (pair.shapes[k] ? ` ${pair.shapes[k]}` : ""))];
    const row = element("tr", {dataset: {frame: pair.frame, us: pair.us}}, cell(timeText(pair.us)),
      element("td", {className: "left"}, swatch(data.rungColors[pair.rung]), data.rungTitles[pair.rung]),
      element("td", {className: "left"}, ...side(0)), element("td", {className: "left"}, ...side(1)),
      cell(group(pair.frame)), cell(group(pair.times), {title: "so many frames had it as their slowest pair"}));
    return clickable(row, () => {
      rows.forEach(other => other.classList.toggle("marked", other === row));
      showCommand(pair);
      mark(pair.frame);
    });
  });
  fillTable("worst-pairs", [["time", true], ["rung", true], ["body", true], ["body", true], ["frame"], ["slowest in"]], rows);
  rows[0].classList.add("marked");
  showCommand(data.worstPairs[0]);
}

function showCommand(pair) {
  if (!data.look) return;
  byId("look").hidden = false;
  byId("command").textContent = data.look.replaceAll("{frame}", pair.frame)
    .replaceAll("{body_a}", pair.bodies[0]).replaceAll("{body_b}", pair.bodies[1]);
}

function copyCommand() {
  const done = () => {
    byId("copy").textContent = "Copied";
    setTimeout(() => byId("copy").textContent = "Copy", 1500);
  };
  const range = document.createRange();
  range.selectNodeContents(byId("command"));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  if (document.execCommand("copy")) done();
}

function showStages() {
  const rows = data.stageNames.map((name, k) => {
    const us = data.stageSums[k];
    return element("tr", {dataset: {us}}, element("td", {}, swatch(stageColors[k]), name),
      cell(meter(us / data.total.sum, stageColors[k]), {className: "wide"}), cell(percent(us, data.total.sum)),
      cell(timeText(us / (data.timedFrames || 1))));
  });
  rows.push(element("tr", {className: "sum"}, cell("step"), cell(""), cell(""),
    cell(timeText(data.total.sum / (data.timedFrames || 1)))));
  fillTable("stages", [["stage", true], [""], ["share"], ["mean per frame"]], rows);
  byId("stages-note").textContent = data.total.sum > 0
    ? `The broadphase is ${percent(data.broadphaseSum, data.total.sum)} of a step, within pairs and finish. ` +
      `Taking the times was ${percent(data.timingSum, data.total.sum)} of it.` : "";
}

function showRungs() {
  const all = sum(data.rungPairs), allTime = sum(data.passSums);
  const rows = data.rungNames.map((name, r) => {
    const pairs = data.rungPairs[r];
    const row = element("tr", {dataset: {rung: name, pairs}}, element("td", {}, swatch(data.rungColors[r]), data.rungTitles[r]),
      cell(meter(pairs / all, data.rungColors[r]), {className: "wide"}), cell(percent(pairs, all)),
      cell(digits(pairs / (data.frames || 1))));
    const pass = data.passRungs.findIndex(rungs => rungs.includes(r));
    const rungs = data.passRungs[pass];
    if (rungs[0] === r) {
      const us = data.passSums[pass], settled = sum(rungs.map(k => data.timedRungPairs[k]));
      const shared = {rowSpan: rungs.length};
      row.append(cell(timeText(us / (data.timedFrames || 1)), shared), cell(settled ? timeText(us / settled) : "-", shared),
        cell(percent(us, allTime), shared));
    }
    return row;
  });
  fillTable("rungs", [["rung", true], [""], ["pairs"], ["a frame"], ["time a frame"], ["a pair"], ["of time"]], rows);
}

function showHistogram(id, counts, label, note) {
  const all = sum(counts), highest = Math.max(...counts);
  byId(id + "-note").textContent = note;
  byId(id + "-histogram").replaceChildren(...(all === 0 ? [element("p", {className: "quiet"}, "none in this run")]
    : counts.map((count, i) => element("div", {title: `${group(count)} calls, ${percent(count, all)}`, dataset: {count}},
      element("em", {}, count / all >= 0.001 ? (100 * count / all).toFixed(count / all >= 0.0995 ? 0 : 1) + "%" : ""),
      element("i", {style: {height: count ? `max(2px, ${78 * count / highest}%)` : "0"}}),
      element("span", {}, label(i, counts.length))))));
}

function showHits() {
  const all = sum(data.rungPairs);
  const warmGjk = rungPairs("warm_gjk"), coldGjk = rungPairs("cold_gjk");
  const warmEpa = rungPairs("warm_epa"), coldEpa = rungPairs("cold_epa");
  const axis = rungPairs("axis_separated") + rungPairs("axis_touching");
  const still = rungPairs("skip") + rungPairs("reuse");
  const rates = [
    ["settled without GJK or EPA", withoutTests(), all, "of all active pairs"],
    ["skipped or reused", still, all, "pairs that had hardly moved, or were too far apart"],
    ["settled by the last axis", axis, axis + warmGjk + coldGjk + warmEpa + coldEpa, "of the pairs that had to be tested"],
    ["GJK that started warm", warmGjk, warmGjk + coldGjk, "of the pairs that GJK settled"],
    ["EPA spared by the last face", warmEpa, warmEpa + coldEpa, "of the deep pairs"],
  ];
  fillTable("hits", [["hit rate", true], [""], [""], ["pairs"]], rates.map(([name, part, whole, title]) =>
    element("tr", {title}, cell(name), cell(meter(part / whole), {className: "wide"}), cell(percent(part, whole)),
      cell(`${group(part)} of ${group(whole)}`, {className: "quiet"}))));
  const frames = data.frames || 1;
  const counters = [
    ["GJK calls", data.gjkQueries], ["GJK out of iterations", data.gjkCapHits], ["EPA calls", data.epaQueries],
    ["EPA out of memory", data.epaCapHits], ["support points searched", data.supportEvaluations],
    ["manifolds built", data.manifoldsBuilt],
  ];
  if (data.solidNodePairs > 0) {
    counters.push(["solids: pairs of nodes tested", data.solidNodePairs], ["solids: pairs of features in leaves", data.solidFeaturePairs],
      ["solids: near pairs of features", data.solidNearPairs], ["solids: candidates, by orientation", data.solidCandidates],
      ["solids: contact points", data.solidPoints]);
  }
  fillTable("counters", [["count", true], ["a frame"], ["whole run"]], counters.map(([name, count]) =>
    element("tr", {dataset: {count}}, cell(name), cell(digits(count / frames)), cell(group(count)))));
}

function showShapes() {
  const tests = sum(data.shapes.map(row => row[2])), us = sum(data.shapes.map(row => row[3]));
  const byCost = [...data.shapes].sort((a, b) => b[3] - a[3] || b[2] - a[2]);
  fillTable("shapes", [["shapes", true], [""], ["tests"], ["of tests"], ["timed"], ["of time"]], byCost.map(([a, b, count, spent]) =>
    element("tr", {dataset: {count, us: spent}}, cell(`${a}, ${b}`),
      cell(meter(us > 0 ? spent / us : count / tests), {className: "wide"}), cell(group(count)), cell(percent(count, tests)),
      cell(timeText(spent)), cell(percent(spent, us)))));
  if (!byCost.length) byId("shapes").replaceChildren(element("caption", {className: "quiet"}, "no pair had to be tested"));
}

function showJoints() {
  const {articulations, joints, rows, factorizations, rounds, passesAlone, timedJoints, us, coupledUs, slowestUs, slowestBody} = data.joints;
  byId("joints-panel").hidden = articulations === 0;
  if (articulations === 0) return;
  const frames = data.frames || 1, timedFrames = data.timedFrames || 1;
  const lines = [
    ["articulations", digits(articulations / frames), "a frame"],
    ["joints", digits(joints / frames), "a frame"],
    ["rows", digits(rows / frames), "a frame"],
    ["factorisations", digits(factorizations / articulations), "an articulation and frame"],
    ["rounds", digits(rounds / articulations), "an articulation and frame"],
    ["passes solved alone", digits(passesAlone / articulations), "an articulation and frame"],
    ["time", timeText(us / timedFrames), "a frame"],
    ["time", timedJoints ? timeText(us / timedJoints) : "-", "a joint and frame"],
    ["contacts solved with joints", timeText(coupledUs / timedFrames), "a frame"],
  ];
  if (slowestUs > 0) lines.push(["slowest articulation", timeText(slowestUs), `that of body ${slowestBody}`]);
  fillTable("joints", [["", true], [""], ["", true]], lines.map(([name, value, unit]) =>
    element("tr", {}, cell(name), cell(value), cell(unit, {className: "quiet"}))));
}

// ---- Light and dark

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : prefersDark.matches;
}
function showTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  drawAll();
}
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
prefersDark.addEventListener("change", showTheme);

// ---- All of it

showHead();
showCards();
showWorstFrames();
showWorstPairs();
showStages();
showRungs();
const perCall = (iterations, calls) => calls ? `${digits(iterations / calls)} a call, ${group(calls)} calls` : "";
showHistogram("gjk", data.gjkHistogram, (i, n) => i + (i === n - 1 ? "+" : ""), perCall(data.gjkIterations, data.gjkQueries));
showHistogram("epa", data.epaHistogram, (i, n) => 4 * i + (i === n - 1 ? "+" : ""), perCall(data.epaIterations, data.epaQueries));
showHits();
showJoints();
showShapes();
if (data.interrupted && data.timed)
  byId("interrupted").textContent = `During ${group(data.interrupted)} pale frames the system gave the processor to others: ` +
    (data.interrupted < data.frames ? "they are left out of all times here, and come last in the lists. " : "times say little here. ");
if (data.framesPerPoint > 1)
  byId("binned").textContent = `Each point is the dearest of ${data.framesPerPoint} frames; the numbers below are of all frames.`;

/// All ticks of an axis have one unit and as many decimals as tell them apart.
function timeTick(us, step) {
  const [scale, unit] = step >= 500e3 ? [1e6, "s"] : step >= 200 ? [1e3, "ms"] : step >= 0.2 ? [1, "µs"] : [1e-3, "ns"];
  return us === 0 ? "0" : `${+(us / scale).toPrecision(6)} ${unit}`;
}
new Plot("stage", data.stageNames, stageColors, data.plot.stages, timeText, timeTick,
  [["p50", data.total.p50], ["p95", data.total.p95], ["p99", data.total.p99]]);
new Plot("pass", data.passNames, data.passColors, data.plot.passes, timeText, timeTick);
new Plot("rung", data.rungTitles, data.rungColors, data.plot.rungs, group, group);

byId("copy").addEventListener("click", copyCommand);
byId("reset").addEventListener("click", () => zoom(0, points));
byId("full").addEventListener("click", () => {
  fullHeight = !fullHeight;
  byId("full").setAttribute("aria-pressed", String(fullHeight));
  drawAll();
});
addEventListener("resize", drawAll);
showRange();
showTheme();
