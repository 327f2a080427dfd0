"""Pictures of talus-window against those kept in references/, with a tolerance.

  python3 tests/window/screenshots_test.py build/release/talus-window            compares
  python3 tests/window/screenshots_test.py build/release/talus-window --update   takes the references anew
  --only NAME: that one. --out FOLDER: where the full pictures go (default: a folder that is deleted again)

References are 480 x 270, halved from the window's 960 x 540: sharp enough to see what went missing, coarse enough for
another version of Mesa or of the fonts.
"""

import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import display
import png

HERE = os.path.dirname(os.path.abspath(__file__))
MEAN, CLEAR = 1.2, 0.012  # mean difference of a channel, share of clearly different pixels: a panel left empty is more

PICTURES = {
    "hullpile": "--scene hullpile --at 200",
    "pyramid": "--scene pyramid40 --at 60 --draw contacts,normals --panel draw",
    "ragdolls": "--scene ragdolls --at 70 --draw joints --panel none --color sleep",
    "rungs": "--scene tumble --at 120 --draw rungs --color rung --panel draw",
    "islands": "--scene dominoes --at 150 --color island --draw outlines --panel none",
    "broadphase": "--scene shapes --at 25 --draw boxes,fat,columns,no-shadows --panel none",
    "body": "--scene t_handle --at 40 --select 0 --panel body --draw centers,axes,velocities",
    "settings": "--scene arch --at 30 --panel settings",
    "profile": "--scene drum --at 60 --panel profile",
    "pair": "--scene tumble --at 60 --panel pair",
    "features": "--scene solid_heap --at 90 --panel pair --pair-step 31",
    "scenes": "--scene falling_box --panel scenes",
    "help": "--scene falling_box --panel help",
    "replay": "--replay {recording} --at 70 --panel profile --draw contacts",
    "lean": "--scene shapes --at 40 --quality low --panel none",
}


def take(program, screen, name, folder):
    path = os.path.join(folder, name + ".png")
    recording = os.path.join(folder, "explosion.talus")
    if "{recording}" in PICTURES[name]:
        run(program, screen, folder, "--scene", "explosion", "--at", "120", "--record", recording,
            "--screenshot", os.path.join(folder, "recorded.png"))
    run(program, screen, folder, *PICTURES[name].format(recording=recording).split(), "--screenshot", path)
    return png.halved(png.read(path))


def run(program, screen, folder, *arguments):
    command = [program, "--no-config", "--still", "--size", "960x540", *arguments]
    done = subprocess.run(command, env=screen.environment(folder), capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--out")
    options = parser.parse_args()
    names = [options.only] if options.only else list(PICTURES)
    failed = []
    with tempfile.TemporaryDirectory() as scratch, display.Display() as screen:
        folder = options.out or scratch
        os.makedirs(folder, exist_ok=True)
        for name in names:
            image = take(options.program, screen, name, folder)
            reference = os.path.join(HERE, "references", name + ".png")
            if options.update:
                png.write(reference, image)
                print(f"{name}: written, {os.path.getsize(reference)} bytes")
                continue
            mean, clear = png.difference(image, png.read(reference))
            good = mean <= MEAN and clear <= CLEAR
            print(f"{name}: mean difference {mean:.2f} of 255, {100 * clear:.2f}% of pixels clearly different"
                  f"{'' if good else '  <-- too much'}")
            if not good:
                failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}. Look at them with --out FOLDER; if they are right, take them with --update.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
