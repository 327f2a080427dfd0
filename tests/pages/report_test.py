"""The report of a run, opened and used: python3 report_test.py TALUS_SAMPLES FOLDER

Its numbers are those of the CSV that the same run wrote.
"""

import csv
import math
import pathlib
import subprocess
import sys

from chromium import Picture, expect, run

SAMPLES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
STEPS = 300


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)


def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(q * len(ordered)) - 1)]


def test(page):
    FOLDER.mkdir(parents=True, exist_ok=True)
    report, table = FOLDER / "report.html", FOLDER / "report.csv"
    subprocess.run([SAMPLES, "--scene", "hullpile", "--steps", str(STEPS), "--sleep", "off", "--seed", "7",
                    "--report", str(report), "--csv", str(table)], check=True, stdout=subprocess.DEVNULL)
    with open(table, newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    # It opens, in light and in dark, wide and narrow, and is no empty page.
    page.color_scheme("light")
    page.open(report)
    pictures = {}
    for scheme in ("light", "dark"):
        page.color_scheme(scheme)
        for width in (1280, 800):
            page.resize(width, 900)
            pictures[scheme, width] = Picture(page.screenshot(FOLDER / f"report-{scheme}-{width}.png"))
            wide = page.evaluate("document.documentElement.scrollWidth")
            expect(wide == width, f"nothing stands out at {width} pixels: {wide}")
    page.color_scheme("light")
    page.resize(1280, 900)
    corner = {scheme: pictures[scheme, 1280].at(3, 890) for scheme in ("light", "dark")}
    expect(min(corner["light"]) > 200 and max(corner["dark"]) < 60, f"light and dark: {corner}")
    expect("hullpile" in page.evaluate("document.title"), "the title names the scene")

    # Its numbers are those of the table.
    # Times are those of the frames that the system left alone, if there are any.
    timed = [row for row in rows if row["interruptions"] == 0] or rows
    totals = [row["total_us"] for row in timed]
    expect(len(rows) == STEPS, f"rows: {len(rows)}")
    for card, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)):
        shown = float(page.evaluate(f"document.getElementById('card-{card}').dataset.value"))
        expect(near(shown, quantile(totals, q)), f"{card}: {shown} and {quantile(totals, q)}")
    share = float(page.evaluate("document.getElementById('card-share').dataset.value"))
    expect(near(share, sum(row["collide_us"] for row in timed) / sum(totals)), f"narrowphase: {share}")
    stages = page.evaluate("[...document.querySelectorAll('#stages tbody tr[data-us]')].map(row => [row.cells[0].textContent, Number(row.dataset.us)])")
    expect(len(stages) == 7, f"stages: {stages}")
    for name, us in stages:
        expect(near(us, sum(row[name + "_us"] for row in timed)), f"{name}: {us}")
    rungs = page.evaluate("[...document.querySelectorAll('#rungs tbody tr')].map(row => [row.dataset.rung, Number(row.dataset.pairs)])")
    expect(len(rungs) == 10, f"rungs: {rungs}")
    for name, pairs in rungs:
        expect(pairs == sum(row[name + "_pairs"] for row in rows), f"{name}: {pairs}")
    for method, step in (("gjk", 1), ("epa", 4)):
        counts = page.evaluate(f"[...document.querySelectorAll('#{method}-histogram div')].map(bar => Number(bar.dataset.count))")
        expect(counts == [sum(row[f"{method}_{step * i}"] for row in rows) for i in range(16)], f"{method}: {counts}")
    worst = page.evaluate("[...document.querySelectorAll('#worst-frames tbody tr')].map(row => [Number(row.dataset.frame), Number(row.dataset.total)])")
    # Frames that the system interrupted stand behind all others.
    wanted = sorted(rows, key=lambda row: (row["interruptions"] > 0, -row["total_us"]))[:10]
    expect([frame for frame, _ in worst] == [row["frame"] for row in wanted], f"worst frames: {worst}")
    slowest = max(rows, key=lambda row: (row["interruptions"] == 0, row["slowest_us"]))
    pair = page.evaluate("(() => { const row = document.querySelector('#worst-pairs tbody tr'); return [Number(row.dataset.frame), Number(row.dataset.us), [...row.cells].map(cell => cell.textContent)]; })()")
    expect(pair[0] == slowest["frame"] and near(pair[1], slowest["slowest_us"]), f"the worst pair: {pair}")
    expect(pair[2][2].split() == [str(int(slowest["slowest_body_a"])), "hull"] or "box" in pair[2][2], f"{pair}")

    # A click on a worst frame marks it, in the lists and in the plots.
    plot = page.box("#stage-plot")
    before = Picture(page.screenshot())
    page.click("#worst-frames tbody tr:nth-child(2)")
    page.wait_for(f"document.getElementById('plots').dataset.marked === '{worst[1][0]}'")
    page.evaluate("scrollTo(0, 0)")
    page.settle()
    page.move(5, 5)
    after = Picture(page.screenshot(FOLDER / "report-marked.png"))
    expect(page.evaluate("document.querySelectorAll('#worst-frames tr.marked').length") == 1, "one row is marked")
    expect(before.difference(after, step=2) > 0.0005, "the mark is drawn")
    colors = after.colors(plot["x"], plot["y"], plot["width"], plot["height"])
    expect(len(colors) > 6, f"the plot has colours: {len(colors)}")
    pink = sum(count for (r, g, b), count in colors.items() if r > 180 and g < 90 and 80 < b < 140)
    expect(pink > 300, f"the mark is seen: {pink} pixels")

    # Dragging zooms, a double click goes back, and so does the button; zooms can be repeated down to a few frames.
    def span():
        return tuple(int(page.evaluate(f"document.getElementById('plots').dataset.{end}")) for end in ("first", "last"))

    expect(span() == (1, STEPS), f"the whole run: {span()}")
    y = plot["y"] + plot["height"] / 2
    page.drag((plot["x"] + 300, y), (plot["x"] + 600, y))
    first = span()
    expect(1 < first[0] < first[1] < STEPS, f"a part of it: {first}")
    expect("of 300" in page.evaluate("document.getElementById('range').textContent"), "it says which")
    page.screenshot(FOLDER / "report-zoomed.png")
    for _ in range(6):
        page.drag((plot["x"] + 300, y), (plot["x"] + 320, y))
    deep = span()
    expect(deep[1] - deep[0] + 1 == 5 and first[0] <= deep[0] and deep[1] <= first[1], f"five frames: {deep}")
    page.click("#reset")
    expect(span() == (1, STEPS), f"back: {span()}")
    page.drag((plot["x"] + 600, y), (plot["x"] + 300, y))
    expect(span()[0] > 1, "from right to left, too")
    page.click((plot["x"] + 400, y), count=1)
    page.click((plot["x"] + 400, y), count=2)
    expect(span() == (1, STEPS), f"double click: {span()}")

    # The pointer tells a frame's parts; a click and the arrow keys mark frames.
    page.move(plot["x"] + 400, y)
    page.wait_for("!document.getElementById('tooltip').hidden")
    told = page.evaluate("document.getElementById('tooltip').innerText")
    expect("frame" in told and "collide" in told and "solve" in told, f"told: {told}")
    page.click((plot["x"] + 400, y))
    marked = int(page.evaluate("document.getElementById('plots').dataset.marked"))
    page.press("ArrowRight")
    expect(int(page.evaluate("document.getElementById('plots').dataset.marked")) == marked + 1, "the next frame")

    # A name hides its part; peaks can be shown in full; the worst pair's command names its frame.
    page.click("#stage-legend button:nth-child(2)")
    hidden = Picture(page.screenshot())
    page.click("#stage-legend button:nth-child(2)")
    expect(Picture(page.screenshot()).difference(hidden, step=2) > 0.002, "a hidden stage is not drawn")
    page.click("#full")
    expect(page.evaluate("document.getElementById('full').ariaPressed") == "true", "full height")
    page.click("#worst-pairs tbody tr:nth-child(3)")
    command = page.evaluate("document.getElementById('command').textContent")
    frame = page.evaluate("document.querySelector('#worst-pairs tbody tr:nth-child(3)').dataset.frame")
    pair = [page.evaluate(f"document.querySelector('#worst-pairs tbody tr:nth-child(3)').cells[{cell}].textContent").split()[0]
            for cell in (2, 3)]
    wanted = f"./run.sh --window --scene hullpile --seed 7 --sleep off --at {frame} --pause --panel profile --pair {','.join(pair)}"
    expect(command == wanted, f"the command: {command}")

    # The theme is the system's until someone chooses.
    page.evaluate("scrollTo(0, 0)")
    page.click("#theme")
    expect(max(Picture(page.screenshot()).at(3, 890)) < 60, "the button makes it dark")
    page.click("#theme")
    expect(min(Picture(page.screenshot()).at(3, 890)) > 200, "and light")
    expect(page.errors == [], f"no errors: {page.errors}")
    expect(page.requests == [], f"nothing is asked of the net: {page.requests}")

    # Short runs and runs of scenes where little happens are pages, too.
    for scene, steps in (("falling_box", 1), ("sparse10k", 3), ("falling_box", 200)):
        subprocess.run([SAMPLES, "--scene", scene, "--steps", str(steps), "--report", str(report)], check=True,
                       stdout=subprocess.DEVNULL)
        page.open(report)
        page.click("#worst-frames tbody tr:first-child")
        page.screenshot(FOLDER / f"report-{scene}-{steps}.png", whole=True)
        text = page.evaluate("document.body.innerText")
        expect("NaN" not in text and "undefined" not in text and "Infinity" not in text, f"{scene}: {text}")
        expect(page.errors == [], f"no errors in {scene}: {page.errors}")


run(test, seconds=240)
