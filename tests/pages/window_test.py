"""Opens the sample window as a page (run.sh --web) in Chromium, and uses it by mouse, keys and fingers.

  python3 tests/pages/window_test.py build/wasm/page [scenes|hands|recording ...]

What the page shows it says in the console, because of `print-state` in its address, as talus-window does.
"""

import os
import pathlib
import sys
import tempfile
import threading
import time

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parents[1] / "samples/window/page")]
from chromium import expect, run
from serve import make_server

PAGE = sys.argv[1]


class Window:
    """The page, and what it said last of itself."""

    def __init__(self, page, address, folder=PAGE, **options):
        self.page = page
        self._server = make_server(folder)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        words = "&".join(f"{name.replace('_', '-')}={value}" for name, value in options.items())
        page.open("about:blank")  # the page before says no more
        page.console.clear()
        page.open(f"http://127.0.0.1:{self._server.server_port}/{address}?print-state&{words}")

    @property
    def now(self):
        lines = [text for _, text in self.page.console if text.startswith("now ")]
        return dict(word.split("=", 1) for word in lines[-1].split()[1:]) if lines else {}

    def wait(self, what, holds, seconds=60):
        end = time.monotonic() + seconds
        while True:
            self.page.evaluate("1")  # takes in what the console was told
            now = self.now
            if now and holds(now):
                return print(f"  {what}", flush=True)
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s until {what}; the page says {now}; console: {self.page.console[-5:]}")
            time.sleep(0.02)

    def key(self, key, **more):
        self.page.press(key, **more)

    def close(self):
        expect(not self.page.errors, f"no errors: {self.page.errors}")
        warnings = [text for level, text in self.page.console if level == "warning"]
        expect(not warnings, f"no warnings: {warnings[:5]}")
        self._server.shutdown()


def scenes(page):
    """Every scene opens, and steps."""
    page.resize(400, 300)
    window = Window(page, "index.html", scene="falling_box", panel="none")
    window.wait("the page shows a scene", lambda now: now["scene"] == "falling_box")
    names = [line.split()[1] for line in (here.parents[1] / "docs/scenes.md").read_text().splitlines()
             if line.startswith("### ")]
    expect(len(names) > 20, "docs/scenes.md lists the scenes")
    for name in names:
        window.key("o")
        window.wait("O opens the scenes", lambda now: now["scenes"] == "1")
        page.type(name)
        window.key("Enter")
        window.wait(f"{name} opens", lambda now, name=name: now["scene"] == name and now["scenes"] == "0")
        page.wait_for(f"document.title === '{name} - Talus' && location.search === '?scene={name}&panel=none'")
        window.key(" ")
        window.wait(f"{name} steps", lambda now: now["paused"] == "1" and int(now["step"]) >= 0)
        before = int(window.now["step"])
        window.key("n")
        window.wait("N makes a step", lambda now, before=before: now["step"] == str(before + 1))
        window.key(" ")
        window.wait("it goes on", lambda now: now["paused"] == "0")
    window.close()


def hands(page):
    """Dragging, shooting, the camera, the profile, the worst frame, the stepper, and fingers."""
    page.resize(1100, 700)
    window = Window(page, "index.html", scene="falling_box", at="200", panel="none")
    window.wait("the page shows its scene", lambda now: now["scene"] == "falling_box" and "at1" in now)
    x, y = (float(part) for part in window.now["at1"].split(","))
    page.move(x, y)
    page.settle()
    page._mouse("mousePressed", x, y, button="left", clickCount=1, buttons=1)
    window.wait("pressing the button on the box takes it", lambda now: now["holds"] == "1" and now["selected"] == "1")
    page.move(x + 60, y - 120, buttons=1)
    page.move(x + 120, y - 240, buttons=1)
    window.wait("the box follows the mouse", lambda now: near(now["at1"], x + 120, y - 240, 60))
    page._mouse("mouseReleased", x + 120, y - 240, button="left", clickCount=1)
    window.wait("letting go releases it", lambda now: now["holds"] == "0")
    window.key("b")
    window.wait("B shoots a ball", lambda now: now["bodies"] == "3")
    window.key("v")
    window.wait("V adds a body", lambda now: now["bodies"] == "4")
    far = float(window.now["distance"])
    page.scroll((550, 350), -100)
    window.wait("a notch of the wheel goes nearer", lambda now: abs(float(now["distance"]) / far - 0.88) < 0.01)
    window.key("c")
    window.wait("C lets the camera fly", lambda now: now["camera"] == "fly")
    window.key("r")
    window.wait("R begins anew", lambda now: now["bodies"] == "2")
    page.screenshot(folder() / "hands.png")
    window.close()

    # What needs pairs: the profile, its worst frame, the steps of GJK and EPA.
    window = Window(page, "index.html", scene="tumble", at="60", panel="profile")
    window.wait("a scene with pairs", lambda now: now["scene"] == "tumble")
    window.key("x")
    window.wait("X pauses and marks a pair", lambda now: now["paused"] == "1" and "," in now["marked"])
    page.screenshot(folder() / "worst.png")
    window.close()
    window = Window(page, "index.html", scene="tumble", at="60", panel="pair", pause="")
    window.wait("the stepper of a pair", lambda now: now["paused"] == "1" and now["marked"] != "none")
    page.screenshot(folder() / "stepper.png")
    window.close()

    # A phone of 2 pixels per unit: the box is dragged by a finger; two fingers zoom.
    page._send("Emulation.setDeviceMetricsOverride", {"width": 480, "height": 800, "deviceScaleFactor": 2, "mobile": True})
    page._send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    window = Window(page, "index.html", scene="falling_box", at="200", panel="none")
    window.wait("the page on a phone", lambda now: now["scene"] == "falling_box" and "at1" in now)
    expect(page.evaluate("document.getElementById('canvas').width") == 960, "the canvas has the screen's pixels")
    x, y = (float(part) for part in window.now["at1"].split(","))
    touch(page, "touchStart", (x, y))
    window.wait("a finger takes the box", lambda now: now["holds"] == "1")
    for part in range(1, 5):
        touch(page, "touchMove", (x + 10 * part, y - 40 * part))
    window.wait("the box follows the finger", lambda now: near(now["at1"], x + 40, y - 160, 60))
    touch(page, "touchEnd")
    window.wait("lifting it lets go", lambda now: now["holds"] == "0")
    window.key(" ")
    window.wait("paused", lambda now: now["paused"] == "1")
    page.settle()
    far = float(window.now["distance"])
    touch(page, "touchStart", (200, 300), (280, 300))
    for part in range(1, 9):
        touch(page, "touchMove", (200 - 15 * part, 300), (280 + 15 * part, 300))
    touch(page, "touchEnd")
    window.wait("two fingers that spread to four times as much go nearer by as much",
                lambda now: abs(float(now["distance"]) - far / 4) < 0.03 * far)
    page.screenshot(folder() / "phone.png")
    bodies = int(window.now["bodies"])
    touch(page, "touchStart", (458, 22))
    touch(page, "touchEnd")
    page.settle()
    page.screenshot(folder() / "menu.png")
    touch(page, "touchStart", (400, 100))
    touch(page, "touchEnd")
    window.wait("the menu adds a body", lambda now: int(now["bodies"]) == bodies + 1)
    window.close()


def recording(page):
    """A recording plays, by its address and when it is dropped; it goes on as a scene; what cannot be opened says why."""
    runner = os.environ.get("TALUS_SAMPLES")
    expect(runner, "TALUS_SAMPLES names talus-samples, which writes the recording")
    page.resize(900, 600)
    with tempfile.TemporaryDirectory() as where:
        for name in os.listdir(PAGE):
            os.symlink(os.path.abspath(os.path.join(PAGE, name)), os.path.join(where, name))
        file = os.path.join(where, "run.talus")
        expect(os.spawnv(os.P_WAIT, runner, [runner, "--scene", "dominoes", "--steps", "120", "--record", file]) == 0,
               "a recording is written")
        window = Window(page, "index.html", where, replay="run.talus", at="60", pause="")
        window.wait("the recording is shown at a second", lambda now: now.get("time") == "1.000")
        page.screenshot(folder() / "replay.png")
        window.key("g")
        window.wait("G makes it a scene again", lambda now: "time" not in now and now["step"] == "60")
        page.evaluate("""(async () => {
            const data = new DataTransfer();
            data.items.add(new File([await (await fetch('run.talus')).blob()], 'run.talus'));
            window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        })()""")
        window.wait("a recording that is dropped plays", lambda now: "time" in now)
        window.close()
    window = Window(page, "index.html", scene="falling_box", threads="8", csv="x.csv")
    window.wait("options that a page cannot follow do nothing", lambda now: now["scene"] == "falling_box")
    window.close()
    window = Window(page, "index.html", help="")
    page.wait_for("document.getElementById('notice').textContent.includes('--scene NAME')")
    window.close()
    window = Window(page, "index.html", scene="nothing_such")
    page.wait_for("document.getElementById('notice').textContent.includes('nothing_such')")
    page.errors.clear()
    page.console.clear()
    window.close()


def near(at, x, y, reach):
    place = [float(part) for part in at.split(",")]
    return abs(place[0] - x) <= reach and abs(place[1] - y) <= reach


def touch(page, kind, *points):
    page._send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i}
                                                                          for i, (x, y) in enumerate(points)]})


def folder():
    """Where pictures of the page go: $TALUS_PICTURES, or nowhere that stays."""
    named = os.environ.get("TALUS_PICTURES")
    return pathlib.Path(named) if named else pathlib.Path(tempfile.gettempdir())


def test(page):
    for name in sys.argv[2:] or ["scenes", "hands", "recording"]:
        print(name, flush=True)
        globals()[name](page)


if __name__ == "__main__":
    run(test, seconds=900)
