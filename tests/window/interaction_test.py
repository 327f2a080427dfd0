"""Drives talus-window by keys and mouse, as a user would, and asks it what happened.

  python3 tests/window/interaction_test.py build/release/talus-window
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import display

WIDTH, HEIGHT = 1280, 720
SOLIDS = "26,17"  # of the scene solid_heap, after 60 steps


def check(what, good):
    if not good:
        raise AssertionError(f"{what}: no")
    print(f"  {what}")


def choose_pause_step(program, screen, hand):
    """The picker finds a scene by its name; pause, step, restart; the camera flies; help opens and closes."""
    window = display.Window(program, screen, "--scene", "falling_box", "--size", f"{WIDTH}x{HEIGHT}")
    try:
        hand.move(700, 300)
        window.wait("the window shows its scene", lambda now: now["scene"] == "falling_box")
        hand.key("o")
        window.wait("O opens the scenes", lambda now: now["scenes"] == "1")
        hand.write("stack20")
        hand.key("Return")
        window.wait("Enter opens the scene that was typed",
                    lambda now: now["scene"] == "stack20" and now["scenes"] == "0")
        hand.key("space")
        window.wait("Space pauses", lambda now: now["paused"] == "1")
        hand.key("r")
        window.wait("R begins anew", lambda now: now["step"] == "0")
        for step in ("1", "2"):
            hand.key("n")
            window.wait(f"N makes step {step}", lambda now, step=step: now["step"] == step)
        hand.key("c")
        window.wait("C lets the camera fly", lambda now: now["camera"] == "fly")
        hand.key("F1")
        window.wait("F1 shows help", lambda now: now["help"] == "1")
        hand.key("Escape")
        window.wait("Escape closes it", lambda now: now["help"] == "0")
        hand.key("b")
        window.wait("B shoots a ball", lambda now: now["bodies"] == "22")
        close(hand)
        check("it ends with 0", window.finish() == 0)
        check("it says what it showed last", window.end["scene"] == ["stack20"] and window.end["bodies"] == ["22"])
        config = open(os.path.join(window.home.name, "talus", "window.ini")).read()
        check("it remembers the scene and the camera", "scene = stack20" in config and "camera = fly" in config)
    finally:
        window.stop()


def find_the_worst(program, screen, hand):
    """X pauses, opens the profile at the worst frame and marks its slowest pair; so does it in a recording."""
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "run.talus")
        size = ["--size", f"{WIDTH}x{HEIGHT}", "--no-config"]
        scene = ["--scene", "dominoes", "--at", "120"]
        window = display.Window(program, screen, *scene, "--record", recording, *size)
        try:
            hand.move(640, 300)
            window.wait("the window shows its scene", lambda now: now["scene"] == "dominoes")
            hand.key("x")
            window.wait("X pauses and marks a pair", lambda now: now["paused"] == "1" and "," in now["marked"])
            hand.key("Escape")
            window.wait("Escape unmarks it", lambda now: now["marked"] == "none")
            close(hand)
            check("it ends with 0", window.finish() == 0)
        finally:
            window.stop()
        window = display.Window(program, screen, "--replay", recording, "--pause", *size)
        try:
            window.wait("the recording is shown from its beginning", lambda now: now["time"] == "0.000")
            hand.key("x")
            window.wait("X goes to its worst frame", lambda now: float(now["time"]) > 0.0 and "," in now["marked"])
            close(hand)
            check("it ends with 0", window.finish() == 0)
        finally:
            window.stop()
        window = display.Window(program, screen, "--replay", recording, "--at", "60", "--pause", *size)
        try:
            window.wait("the recording is shown at a second", lambda now: now["time"] == "1.000")
            hand.key("g")
            window.wait("G makes it a scene again", lambda now: "time" not in now and int(now["step"]) > 0)
            step = window.now["step"]
            close(hand)
            check("it ends with 0", window.finish() == 0)
            resumed = window.end["hash"]
        finally:
            window.stop()
        window = display.Window(program, screen, *scene[:2], "--at", step, "--pause", "--frames", "2", *size)
        try:
            check("it ends with 0", window.finish() == 0)
            check("the scene goes on with the bits of the run that was recorded", window.end["hash"] == resumed)
        finally:
            window.stop()
        window = display.Window(program, screen, "--replay", recording, "--seed", "7", "--jitter", "0.1", "--pause", *size)
        try:
            window.wait("the recording is shown", lambda now: "time" in now)
            hand.key("g")
            window.wait("other bodies are put where the recording has them", lambda now: "time" not in now)
            close(hand)
            check("it ends with 0", window.finish() == 0)
        finally:
            window.stop()
        window = display.Window(program, screen, *scene, "--pause", "--pair", "1,2", *size)
        try:
            window.wait("--pair marks the two", lambda now: sorted(now["marked"].split(",")) == ["1", "2"])
            close(hand)
            check("it ends with 0", window.finish() == 0)
        finally:
            window.stop()
        window = display.Window(program, screen, *scene, "--pair", "1,9", *size)
        try:
            check("--pair of two that are far apart fails", window.finish() == 1)
        finally:
            window.stop()


def drag(program, screen, hand):
    """A body that is dragged follows the mouse, and is let go; Del deletes it."""
    arguments = ["--scene", "falling_box", "--at", "200", "--panel", "none", "--size", f"{WIDTH}x{HEIGHT}",
                 "--no-config"]
    window = display.Window(program, screen, *arguments)
    try:
        hand.move(40, 400)
        window.wait("the window shows its scene", lambda now: now["scene"] == "falling_box")
        window.wait("it tells where the box is", lambda now: "at1" in now)
        x, y = (float(part) for part in window.now["at1"].split(","))
        hand.move(x, y)
        hand.button(1, True)
        window.wait("pressing the button on the box takes it",
                    lambda now: now["holds"] == "1" and now["selected"] == "1")
        hand.move(x + 60, y - 120)
        hand.move(x + 120, y - 240)
        window.wait("the box follows the mouse", lambda now: near(now["at1"], x + 120, y - 240, 60))
        hand.button(1, False)
        window.wait("letting go releases it", lambda now: now["holds"] == "0")
        window.wait("it falls", lambda now: float(now["at1"].split(",")[1]) > y - 200)
        hand.key("Delete")
        window.wait("Del deletes it", lambda now: now["bodies"] == "1" and now["selected"] == "none")
        close(hand)
        check("it ends with 0", window.finish() == 0)
    finally:
        window.stop()


def play(program, screen, hand):
    """A recording is made, and played: scrubbed with the mouse, frame by frame with N."""
    with tempfile.TemporaryDirectory() as folder:
        recording, rows = os.path.join(folder, "run.talus"), os.path.join(folder, "run.csv")
        size = ["--size", f"{WIDTH}x{HEIGHT}", "--no-config"]
        window = display.Window(program, screen, "--scene", "dominoes", "--at", "120", "--frames", "2", "--pause",
                                "--record", recording, "--csv", rows, *size)
        try:
            check("a run writes its files and ends with 0", window.finish() == 0)
            lines = open(rows).read().splitlines()
            check("its CSV has one row per step", len(lines) == 121)
        finally:
            window.stop()
        window = display.Window(program, screen, "--replay", recording, "--pause", "--panel", "none", *size)
        try:
            hand.move(640, 300)
            window.wait("the recording is shown from its beginning",
                        lambda now: now["scene"] == "dominoes" and now["time"] == "0.000")
            hand.key("n")
            window.wait("N goes to its next frame", lambda now: 0.0 < float(now["time"]) < 0.1)
            hand.move(WIDTH / 2, HEIGHT - 28 - 50)
            hand.button(1, True)
            window.wait("a click in the middle of the timeline goes to the middle",
                        lambda now: 0.9 < float(now["time"]) < 1.1)
            hand.button(1, False)
            hand.key("space")
            window.wait("Space plays it to the end",
                        lambda now: float(now["time"]) > 1.99 and now["paused"] == "1")
            close(hand)
            check("it ends with 0", window.finish() == 0)
        finally:
            window.stop()


def sweep_features(program, screen, hand):
    """The sweep over the features of two solids: stepped by its buttons, played, and made anew while the world runs."""
    arguments = ["--scene", "solid_heap", "--at", "60", "--pause", "--panel", "pair", "--pair", SOLIDS, "--pair-step",
                 "20", "--size", f"{WIDTH}x{HEIGHT}", "--no-config"]
    window = display.Window(program, screen, *arguments)
    y = 189
    back, on, end, play = (62, y), (95, y), (129, y), (169, y)

    def click(at):
        hand.move(*at)
        hand.button(1, True)
        hand.button(1, False)

    def step(now):
        return now.get("sweep", "/").split("/")

    try:
        window.wait("the sweep stands at step 20", lambda now: step(now)[0] == "20")
        applicable = window.now["applicable"]
        check("some features can touch first", int(applicable) > 0)
        click(on)
        window.wait("a click goes on", lambda now: step(now)[0] == "21")
        click(back)
        window.wait("and back", lambda now: step(now)[0] == "20")
        click(play)
        window.wait("it plays", lambda now: int(step(now)[0]) > 22)
        click(end)
        window.wait("and ends", lambda now: step(now)[0] == step(now)[1])
        hand.move(900, 400)
        hand.key("space")
        window.wait("while the world runs, the overlay follows the solids",
                    lambda now: now["paused"] == "0" and now["applicable"] != applicable)
        check("it stays at its end", step(window.now)[0] == step(window.now)[1])
        close(hand)
        check("it ends with 0", window.finish() == 0)
    finally:
        window.stop()
    arguments = ["--scene", "solid_heap", "--at", "70", "--pause", "--panel", "body", "--select", "9", "--size",
                 f"{WIDTH}x{HEIGHT}", "--no-config"]
    window = display.Window(program, screen, *arguments)
    try:
        window.wait("a solid is selected", lambda now: now["selected"] == "9" and "sweep" not in now)
        click((1240, 422))
        window.wait("a click beside its second contact opens the sweep of that pair",
                    lambda now: "sweep" in now and "9" in now["marked"].split(","))
        close(hand)
        check("it ends with 0", window.finish() == 0)
    finally:
        window.stop()


def near(text, x, y, pixels):
    at = [float(part) for part in text.split(",")]
    return abs(at[0] - x) < pixels and abs(at[1] - y) < pixels


def close(hand):
    hand.chord("Control_L", "q")


def main():
    program = sys.argv[1]
    with display.Display(WIDTH, HEIGHT) as screen:
        hand = display.Hand(screen)
        for test in (choose_pause_step, find_the_worst, sweep_features, drag, play):
            print(test.__doc__)
            test(program, screen, hand)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as wrong:
        print(f"failed: {wrong}")
        sys.exit(1)
