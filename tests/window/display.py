"""A display of one's own for the window: Xvfb, and a hand on its keyboard and mouse (by the X test extension)."""

import ctypes
import ctypes.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77  # what ctest takes for "not run here"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Display:
    """Xvfb on a free display number, as long as the `with` lasts."""

    def __init__(self, width=1280, height=720):
        self.size = (width, height)

    def __enter__(self):
        if not shutil.which("Xvfb"):
            skip("there is no Xvfb here (Debian: xvfb)")
        read_end, write_end = os.pipe()
        width, height = self.size
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            self.server.kill()
            self.server.wait()
            skip("Xvfb does not start here")
        self.name = f":{number}"
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def environment(self, home):
        """For programs on this display: software OpenGL, and settings of their own."""
        return {**os.environ, "DISPLAY": self.name, "LIBGL_ALWAYS_SOFTWARE": "1",
                # In a build with the address sanitizer: Mesa keeps some kilobytes to the end.
                "ASAN_OPTIONS": "detect_leaks=0", "XDG_CONFIG_HOME": home,
                "WAYLAND_DISPLAY": ""}


class Hand:
    """Keys and mouse of a display."""

    def __init__(self, display):
        x11, xtst = ctypes.util.find_library("X11"), ctypes.util.find_library("Xtst")
        if not x11 or not xtst:
            skip("there is no libX11 or libXtst here (Debian: libxtst6)")
        self.x, self.test = ctypes.CDLL(x11), ctypes.CDLL(xtst)
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XStringToKeysym.restype = ctypes.c_ulong
        self.x.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(display.name.encode()))
        if not self.display:
            raise RuntimeError(f"cannot reach the display {display.name}")

    def key(self, name):
        code = self.x.XKeysymToKeycode(self.display, self.x.XStringToKeysym(name.encode()))
        if code == 0:
            raise RuntimeError(f"this keyboard has no key {name}")
        for down in (1, 0):
            self.test.XTestFakeKeyEvent(self.display, code, down, 0)
        self.x.XSync(self.display, 0)

    def chord(self, held, name):
        codes = [self.x.XKeysymToKeycode(self.display, self.x.XStringToKeysym(key.encode())) for key in (held, name)]
        for code, down in ((codes[0], 1), (codes[1], 1), (codes[1], 0), (codes[0], 0)):
            self.test.XTestFakeKeyEvent(self.display, code, down, 0)
        self.x.XSync(self.display, 0)

    def write(self, text):
        for letter in text:
            self.key({"_": "underscore", " ": "space"}.get(letter, letter))

    def move(self, x, y):
        self.test.XTestFakeMotionEvent(self.display, -1, int(x), int(y), 0)
        self.x.XSync(self.display, 0)

    def button(self, number, down):
        self.test.XTestFakeButtonEvent(self.display, number, 1 if down else 0, 0)
        self.x.XSync(self.display, 0)


class Window:
    """talus-window, and what it says of itself (--print-state)."""

    def __init__(self, program, display, *arguments):
        self.home = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([program, "--print-state", *arguments], stdout=subprocess.PIPE, text=True,
                                        env=display.environment(self.home.name))
        self.now, self.end, self.changed = {}, {}, threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            with self.changed:
                if words and words[0] == "now":
                    self.now = dict(word.split("=", 1) for word in words[1:])
                elif words:
                    self.end[words[0]] = words[1:]
                self.changed.notify_all()

    def wait(self, what, holds, seconds=60):
        """Until `holds(now)`; fails with what the window said last."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.now and holds(self.now), seconds):
                raise AssertionError(f"waited {seconds} s until {what}; the window says {self.now}")
        print(f"  {what}")

    def finish(self, seconds=60):
        code = self.process.wait(seconds)
        self.reader.join(seconds)
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.home.cleanup()
