"""The player's page in a browser: what it shows is what was recorded, and hands find the worst pair.

usage: replay_test.py TALUS_SAMPLES
"""

import pathlib
import subprocess
import sys
import tempfile

from chromium import Picture, expect, run

RUNNER = sys.argv[1]
WIDTH, HEIGHT = 1100, 720


def talus(*arguments):
    done = subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == 0, f"talus-samples {arguments}: {done.stderr}")
    return done.stdout


def poses(file, frame):
    lines = talus("--from", file, "--poses", frame).splitlines()
    return [[float(word) for word in line.split()[1:]] for line in lines if line.startswith("body ")]


def farthest(a, b):
    expect(len(a) == len(b) and len(a) > 0, f"as many bodies: {len(a)} and {len(b)}")
    return max(abs(x - y) / max(1.0, abs(x)) for p, q in zip(a, b) for x, y in zip(p, q))


def open_page(page, path):
    page.open(path)
    page.wait_for("!!window.replay || !document.getElementById('problem').hidden")
    expect(page.evaluate("document.getElementById('problem').hidden"),
           page.evaluate("document.getElementById('problem').textContent"))


def shown(page):
    """The picture, when the camera stands still and all is drawn."""
    page.wait_for("!replay.flight && !replay.dirty && replay.shownFrame === replay.frame")
    page.settle()
    return Picture(page.screenshot())


def frame(page):
    return page.evaluate("replay.frame")


def check_poses(page, folder, scene, steps):
    """Poses in the page are those of the reader in C++."""
    file, html = folder / f"{scene}.talus", folder / f"{scene}.html"
    talus("--scene", scene, "--steps", steps, "--record", file, "--replay-html", html)
    open_page(page, html)
    count = page.evaluate("replay.recording.frameCount")
    expect(count == steps // 2 + 1, f"frames of {scene}: {count}")
    for at in (0, 1, 59, 60, 61, count // 2, count - 1):
        at = min(at, count - 1)
        far = farthest(poses(file, at), page.evaluate(f"replay.recording.poses({at})"))
        expect(far < 2e-6, f"{scene}, frame {at}: poses are {far} apart")
    return html


def test(page):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for scene, steps in (("shapes", 60), ("ragdolls", 180), ("drum", 40)):
            check_poses(page, folder, scene, steps)
        html = check_poses(page, folder, "bighulls44", 240)
        last = page.evaluate("replay.recording.frameCount") - 1
        expect(page.requests == [], f"asks nobody for anything: {page.requests}")

        # A recorded file gives the same page.
        again = folder / "again.html"
        talus("--from", folder / "bighulls44.talus", "--replay-html", again)
        expect(again.read_bytes() == html.read_bytes(), "a page made from the recording is the page of the run")

        # What is seen.
        start = shown(page)
        colors = start.colors(0, 100, 700, 350, step=5)
        expect(len(colors) > 200, f"bodies on a floor have many colours: {len(colors)}")
        page.evaluate("replay.seek(90)")
        expect(frame(page) == 90, "seek goes to its frame")
        middle = shown(page)
        expect(start.difference(middle, step=5) > 0.02, "another frame is another picture")
        page.evaluate("replay.seek(0)")
        expect(start.difference(shown(page), step=5) < 0.01, "the same frame is the same picture")

        # From here on pictures need not be fine: this browser draws on the processor.
        page.evaluate("replay.view.quality = 0, replay.dirty = true")

        # Play, and time goes on.
        page.press(" ")
        page.wait_for("replay.frame >= 3")
        page.press(" ")
        expect(not page.evaluate("replay.playing"), "space stops it")
        expect(3 <= frame(page) <= last, f"it has played: {frame(page)}")

        # Step and scrub.
        page.evaluate("replay.seek(20)")
        page.press("ArrowRight")
        expect(frame(page) == 21, f"a frame on: {frame(page)}")
        page.click("#back")
        page.click("#back")
        expect(frame(page) == 19, f"two back: {frame(page)}")
        page.press("End")
        expect(frame(page) == last, f"the last: {frame(page)}")
        page.press("Home")
        expect(frame(page) == 0, f"the first: {frame(page)}")
        box = page.evaluate("(({left, top, width, height}) => [left, top, width, height])"
                            "(document.getElementById('cost').getBoundingClientRect())")
        across = lambda step: box[0] + page.evaluate(  # the middle of a step in the plot
            f"replay.plotX((replay.recording.stepTimes[{step}] + replay.recording.stepTimes[{step + 1}]) / 2)")
        y = box[1] + 0.6 * box[3]
        page.drag((across(10), y), (across(150), y))
        expect(abs(frame(page) - 75) <= 1, f"a drag in the plot scrubs: {frame(page)}")
        expect(page.evaluate("replay.marked") is None, "and marks nothing")
        page.evaluate("document.getElementById('scrub').value = 33;"
                      "document.getElementById('scrub').dispatchEvent(new Event('input'))")
        expect(frame(page) == 33, f"so does the slider: {frame(page)}")

        # A spike: the frame after it, and its pair.
        page.evaluate("replay.seek(0)")
        spike = page.evaluate("""(() => {
            const {profile} = replay.recording, values = [...replay.plotValues()];
            const known = values.map((v, i) => profile.slowest_a[i] < 1e9 && !replay.isPale(i) ? v : 0);
            return known.indexOf(Math.max(...known));
        })()""")
        page.click((across(spike), y))
        page.wait_for("replay.marked !== null && !replay.flight")
        marked = page.evaluate("replay.marked")
        near = page.evaluate(f"replay.spikeNear({across(spike) - box[0]})")
        expect(marked["step"] == near, f"the highest step within reach: {marked['step']}, {near}")
        expect(page.evaluate("replay.plotValues()[replay.marked.step]") >= page.evaluate(f"replay.plotValues()[{spike}]"),
               "no lower than what was clicked")
        steps = page.evaluate("replay.recording.frameSteps")
        expect(steps[frame(page)] >= marked["step"] + 1 > (steps[frame(page) - 1] if frame(page) else -1),
               f"the frame shows the step's end: frame {frame(page)}, step {marked['step']}")
        expect(marked["us"] > 0 and marked["a"] != marked["b"], f"a pair: {marked}")
        text = page.evaluate("document.getElementById('pair').textContent + document.getElementById('mark').textContent")
        expect(str(marked["a"]) in text and str(marked["b"]) in text, f"it is named: {text}")
        picture = shown(page)
        red = sum(n for (r, g, b), n in picture.colors(0, 60, 820, 420, step=3).items() if r > 150 and g < 110 and b < 110)
        blue = sum(n for (r, g, b), n in picture.colors(0, 60, 820, 420, step=3).items() if b > 140 and r < 90)
        # One of them may be hidden by the other, or be the glass of the box.
        expect(red > 40 or blue > 40, f"the pair stands out: {red} red, {blue} blue samples")
        page.press("Escape")
        expect(page.evaluate("replay.marked") is None, "Escape unmarks")
        page.press("r")
        page.click("#worst")
        page.wait_for("replay.marked !== null")
        most = page.evaluate("""(() => {  // of the steps that the system did not interrupt, if there are any
            const {interruptions} = replay.recording.profile, values = [...replay.plotValues()];
            const calm = values.filter((_, i) => interruptions[i] === 0);
            return Math.max(...(calm.length ? calm : values));
        })()""")
        expect(page.evaluate("replay.plotValues()[replay.marked.step]") == most, "the button goes to the worst step")
        page.press("r")

        # Colours, contacts, camera, follow, themes.
        page.evaluate("replay.seek(119)")
        page.press("Escape")
        plain = shown(page)
        for key, what in (("2", "sleep"), ("3", "rung")):
            page.press(key)
            expect(page.evaluate("replay.color") == what, f"{key} colours by {what}")
            expect(plain.difference(shown(page), step=5) > 0.05, f"colours by {what} are others")
        page.press("1")
        page.press("c")
        page.wait_for("replay.contactCount > 100")
        expect(plain.difference(shown(page), step=3) > 0.005, "contacts are drawn")
        page.press("c")
        page.drag((400, 300), (520, 330))
        expect(plain.difference(shown(page), step=5) > 0.1, "a drag turns the camera")
        distance = page.evaluate("replay.look.distance")
        page.scroll((400, 300), -300)
        page.wait_for(f"replay.look.distance < {distance}")
        page.press("r")
        place = page.evaluate("""(() => {
            const {view} = replay, lens = view.lens(replay.camera());
            for (let y = 150; y < 450; y += 10) for (let x = 150; x < 800; x += 10) {
                const body = view.pick(replay.camera(), x, y);
                if (body >= 0 && replay.recording.bodies[body].type === "dynamic") return [x, y, body];
            }
        })()""")
        expect(place is not None, "a body can be picked")
        page.click((place[0], place[1]))
        page.wait_for(f"replay.followed === {place[2]} && !replay.flight")
        page.press("ArrowLeft")
        page.settle()
        target = page.evaluate("replay.look.target")
        body = next(p for p in page.evaluate(f"replay.recording.poses({frame(page)})") if p[0] == place[2])
        expect(max(abs(a - b) for a, b in zip(target, body[1:4])) < 1e-3, "the camera goes with the body")
        page.color_scheme("dark")
        page.wait_for("replay.view.theme === 'dark'")
        dark = shown(page).colors(20, HEIGHT - 60, 300, 40, step=4)
        expect(max(dark, key=dark.get)[0] < 90, "dark when the system is")
        page.press("h")
        expect(page.evaluate("document.getElementById('keys').open"), "help opens")
        page.press("Escape")

        # What the page says of its exactness is what the runner says.
        note = page.evaluate("document.getElementById('note').textContent")
        expect("mm" in note and "true ones" in note, note)
        expect(page.errors == [], f"no errors: {page.errors}")

        # A browser without what the page needs is told so.
        broken = folder / "broken.html"
        broken.write_text(html.read_text().replace("<head>", "<head><script>delete window.DecompressionStream</script>", 1))
        page.open(broken)
        page.wait_for("!document.getElementById('problem').hidden")
        expect("DecompressionStream" in page.evaluate("document.getElementById('problem').textContent"), "it says what is missing")
        blind = folder / "blind.html"
        blind.write_text(html.read_text().replace(
            "<head>", "<head><script>HTMLCanvasElement.prototype.getContext = () => null</script>", 1))
        page.open(blind)
        page.wait_for("!document.getElementById('problem').hidden")
        expect("WebGL2" in page.evaluate("document.getElementById('problem').textContent"), "it says what is missing")


run(test, WIDTH, HEIGHT, seconds=280)
