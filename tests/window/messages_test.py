"""What talus-window says when it is asked for what cannot be, and how it ends.

  python3 tests/window/messages_test.py build/release/talus-window
"""

import os
import subprocess
import sys
import tempfile

FAILED, USAGE = 1, 2

CASES = [
    ("--scene stack2O", USAGE, "Did you mean 'stack20'?"),
    ("--scen stack20", USAGE, "Did you mean '--scene'?"),
    ("--draw contact", USAGE, "Did you mean 'contacts'?"),
    ("--panel profle", USAGE, "Did you mean 'profile'?"),
    ("--size 10x10", USAGE, "wants WIDTHxHEIGHT"),
    ("--at -3", USAGE, "wants a whole number"),
    ("--at 1e3", USAGE, "wants a whole number"),
    ("--threads 0", USAGE, "1 to 64"),
    ("--frames", USAGE, "wants a value"),
    ("--pause=now", USAGE, "takes no value"),
    ("--color red", USAGE, "is one of body sleep island rung"),
    ("--pair 12", USAGE, "wants the numbers of two bodies"),
    ("--pair 12,x", USAGE, "wants the numbers of two bodies"),
    ("--pair-step 0", USAGE, "wants a whole number from 1 on"),
    ("--pair-step 3", USAGE, "add --panel pair"),
    ("--replay a.talus --pair 1,2", USAGE, "leave out --replay"),
    ("--worst", USAGE, "make some steps before"),
    ("stack20", USAGE, "a scene is named by --scene NAME"),
    ("--screenshot a.png --fps", USAGE, "don't go together"),
    ("--replay a.talus --scene stack20", USAGE, "leave out --scene"),
    ("--replay a.talus --csv a.csv", USAGE, "nothing to write"),
    ("--scene stack20", FAILED, "xvfb-run"),
]


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "XDG_CONFIG_HOME": home}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)

        def run(*arguments):
            return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=60,
                                  cwd=home)

        for arguments, code, words in CASES:
            done = run(*arguments.split())
            good = done.returncode == code and words in done.stderr and done.stderr.startswith("talus-window: ")
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {arguments}: {done.returncode}, {done.stderr.strip()}")
        for arguments, words in (("--help", "usage: talus-window"), ("--list", "tumble")):
            done = run(arguments)
            good = done.returncode == 0 and words in done.stdout and not done.stderr
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {arguments}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
