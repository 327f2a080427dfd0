"""Drives a headless Chromium, so that tests can open Talus's pages and use them as a person would.

It needs Python's standard library and the package chromium, nothing else: commands and answers of the DevTools protocol
go through two pipes (--remote-debugging-pipe), as JSON, each ended by a zero byte. WebGL is drawn by the processor, so
that no GPU is needed.

    def test(page):
        page.open("report.html")
        page.click("#worst tr:nth-child(2)")
        expect(page.evaluate("document.title") == "Talus", "the title is the program's")
        page.screenshot("report.png")
        expect(not page.errors, f"no errors: {page.errors}")

    run(test)

run() ends the program: 0 when the test passed, 1 when it failed (with what went wrong), 77 when there is no Chromium,
which ctest calls skipped. Coordinates are CSS pixels from the window's upper left corner. A page that hangs ends the
test, after Chromium(seconds=...).
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

SKIPPED = 77  # what ctest is told in SKIP_RETURN_CODE

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--disable-default-apps", "--disable-extensions", "--mute-audio", "--password-store=basic",
         "--force-color-profile=srgb"]

# Keys that have names, by what DOM events call them: (code, Windows' virtual key, text).
KEYS = {
    "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""), "Home": ("Home", 36, ""), "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""), "PageDown": ("PageDown", 34, ""), "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " "), "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
}

MODIFIERS = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}


class NoChromium(Exception):
    """There is no browser to test with."""


def find_chromium():
    """The browser's path: $CHROMIUM, or the first of the usual names that is installed."""
    named = os.environ.get("CHROMIUM")
    for name in [named] if named else ["chromium", "chromium-browser", "google-chrome"]:
        path = shutil.which(name)
        if path:
            return path
    raise NoChromium(f"Chromium is not installed{f' at $CHROMIUM ({named})' if named else ''}; "
                     "install the package chromium (Debian), or set CHROMIUM to a browser's path.")


class Chromium:
    """A browser with one page. A context manager: with Chromium() as page."""

    def __init__(self, width=1280, height=800, seconds=120):
        """`seconds`: of the whole test; what takes longer raises TimeoutError."""
        self.errors = []    # what the console was told as errors, and uncaught exceptions
        self.console = []   # everything the console was told: (level, text)
        self.requests = []  # addresses that the page asked for, other than those of the page itself (file: and data:)
        self._deadline = time.monotonic() + seconds
        self._number = 0
        self._buffer = b""
        self._events = []
        self._session = None
        self._folder = tempfile.mkdtemp(prefix="talus-chromium-")
        self._process = None
        try:
            self._start()
            target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
            self._session = self._send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self._send(domain + ".enable")
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- The page

    def open(self, where):
        """Opens a file (a path) or an address, and waits until it has loaded."""
        address = str(where)
        if "://" not in address and not address.startswith(("about:", "data:")):
            path = pathlib.Path(address).resolve()
            if not path.is_file():
                raise FileNotFoundError(path)
            address = path.as_uri()
        self._events.clear()
        answer = self._send("Page.navigate", {"url": address})
        if "errorText" in answer:
            raise RuntimeError(f"cannot open {address}: {answer['errorText']}")
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._receive()

    def evaluate(self, expression):
        """The value of a JavaScript expression; of a promise, what it becomes. An exception there is one here."""
        answer = self._send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True,
                                                 "userGesture": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{_exception_text(answer['exceptionDetails'])}\n  in {expression}")
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=20):
        """Waits until the expression is true (and gives its value)."""
        end = time.monotonic() + seconds
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"never true in {seconds} s: {expression}; errors: {self.errors}")
            time.sleep(0.03)

    def settle(self):
        """Waits until the page has drawn twice, so that what was asked for is on the screen."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    # ---- A person's hands

    def move(self, x, y, buttons=0):
        self._mouse("mouseMoved", x, y, buttons=buttons)

    def click(self, where, button="left", count=1, modifiers=()):
        """`where`: a selector, whose element is scrolled into view and hit in its middle, or (x, y)."""
        x, y = self.center(where)
        self._mouse("mouseMoved", x, y)
        for event in ("mousePressed", "mouseReleased"):
            self._mouse(event, x, y, button=button, clickCount=count, modifiers=_modifiers(modifiers),
                        buttons=1 if event == "mousePressed" and button == "left" else 0)

    def hover(self, where):
        x, y = self.center(where)
        self._mouse("mouseMoved", x, y)

    def drag(self, start, end, steps=8, button="left", modifiers=()):
        """Presses at `start`, moves to `end`, releases: (x, y) both."""
        flags = _modifiers(modifiers)
        buttons = {"left": 1, "right": 2, "middle": 4}[button]
        self._mouse("mouseMoved", *start)
        self._mouse("mousePressed", *start, button=button, clickCount=1, buttons=buttons, modifiers=flags)
        for i in range(1, steps + 1):
            x = start[0] + (end[0] - start[0]) * i / steps
            y = start[1] + (end[1] - start[1]) * i / steps
            self._mouse("mouseMoved", x, y, button=button, buttons=buttons, modifiers=flags)
        self._mouse("mouseReleased", *end, button=button, clickCount=1, modifiers=flags)

    def scroll(self, where, dy, dx=0):
        """Turns the wheel there; dy > 0 moves the page up, as to read on."""
        x, y = self.center(where)
        self._mouse("mouseWheel", x, y, deltaX=dx, deltaY=dy)

    def press(self, key, modifiers=()):
        """One key by its DOM name: "a", "?", "ArrowLeft", "Escape", " "."""
        code, number, text = KEYS.get(key, ("Key" + key.upper() if key.isalpha() else "", ord(key[0].upper()), key))
        keys = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": _modifiers(modifiers)}
        if text:
            keys["text"] = text
        self._send("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", **keys})
        keys.pop("text", None)
        self._send("Input.dispatchKeyEvent", {"type": "keyUp", **keys})

    def type(self, text):
        for letter in text:
            self.press(letter)

    def center(self, where):
        """The middle of a selector's first element, scrolled into view, or the point itself."""
        if not isinstance(where, str):
            return where
        box = self.box(where, scroll=True)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def box(self, selector, scroll=False):
        """Where an element is in the window: x, y, width, height."""
        box = self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            if ({json.dumps(scroll)}) element.scrollIntoView({{block: "nearest", behavior: "instant"}});
            const box = element.getBoundingClientRect();
            return {{x: box.x, y: box.y, width: box.width, height: box.height}};
        }})()""")
        if box is None:
            raise LookupError(f"nothing on the page is {selector}")
        return box

    # ---- The window

    def resize(self, width, height, scale=1):
        """The window's size in CSS pixels; `scale` device pixels in one of them."""
        self._send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": scale,
                                                          "mobile": False})

    def color_scheme(self, scheme):
        """What the system is said to prefer: "light", "dark", or "" for nothing."""
        self._send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def screenshot(self, path=None, whole=False):
        """The window (or the `whole` page, however long) as PNG, also written to `path`."""
        self.settle()
        png = base64.b64decode(self._send("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole,
                                                                     **self._clip(whole)})["data"])
        if path:
            pathlib.Path(path).write_bytes(png)
        return png

    def _clip(self, whole):
        if not whole:
            return {}
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    # ---- The process and its pipes

    def _start(self):
        # The browser reads commands from descriptor 3 and writes answers to 4. Both pipes are moved beyond those first,
        # so that putting one there does not cover the other.
        command_out, command_in = os.pipe()
        answer_out, answer_in = os.pipe()
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (command_out, answer_in)]
        os.set_blocking(answer_out, False)

        def place():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        log = open(os.path.join(self._folder, "log"), "wb")
        self._process = subprocess.Popen(
            [find_chromium(), *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={self._folder}/profile",
             "--window-size=1280,800", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=place, pass_fds=(3, 4),
            start_new_session=True, env={**os.environ, "HOME": self._folder})
        log.close()
        for end in (command_out, answer_in, *theirs):
            os.close(end)
        self._in, self._out = command_in, answer_out

    def _send(self, method, parameters=None):
        """Sends a command and gives its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._in, data):]
        except BrokenPipeError:
            raise RuntimeError("Chromium has ended: " + self._log()) from None
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]

    def _receive(self):
        """The next message, an answer or an event; events are noted."""
        while b"\0" not in self._buffer:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise TimeoutError(f"the time of the test is over; errors: {self.errors}")
            chunk = os.read(self._out, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium has ended: " + self._log())
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self._note(message["method"], message["params"])
            self._events.append(message)
        return message

    def _note(self, method, event):
        if method == "Runtime.exceptionThrown":
            self.errors.append(_exception_text(event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            text = " ".join(str(part.get("value", part.get("description", ""))) for part in event["args"])
            self.console.append((event["type"], text))
            if event["type"] in ("error", "assert"):
                self.errors.append(text)
        elif method == "Log.entryAdded":
            entry = event["entry"]
            self.console.append((entry["level"], entry["text"]))
            if entry["level"] == "error":
                self.errors.append(f"{entry['text']} {entry.get('url', '')}".strip())
        elif method == "Inspector.targetCrashed":
            raise RuntimeError("the page crashed")
        elif method == "Network.requestWillBeSent":
            address = event["request"]["url"]
            if not address.startswith(("file:", "data:", "blob:", "about:")):
                self.requests.append(address)

    def _log(self):
        try:
            return pathlib.Path(self._folder, "log").read_text(errors="replace")[-2000:]
        except OSError:
            return ""

    def _mouse(self, event, x, y, **more):
        self._send("Input.dispatchMouseEvent", {"type": event, "x": x, "y": y, **more})

    def close(self):
        """Ends the browser, by its own command if it still listens, and removes its files."""
        if self._process:
            try:
                self._session = None
                self._deadline = time.monotonic() + 5
                self._send("Browser.close")
                self._process.wait(5)
            except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
                pass
            try:
                os.killpg(self._process.pid, signal.SIGKILL)  # its own session: it and its children, nobody else
            except ProcessLookupError:
                pass
            self._process.wait()
            os.close(self._in)
            os.close(self._out)
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)


def _modifiers(names):
    return sum(MODIFIERS[name] for name in names)


def _exception_text(details):
    thrown = details.get("exception", {})
    text = thrown.get("description") or str(thrown.get("value", "")) or details.get("text", "")
    return f"{text} ({details.get('url', '')}:{details.get('lineNumber', 0) + 1})"


# ---- Pictures


class Picture:
    """A PNG's pixels, as far as browsers write them: 8 bits a channel, RGB or RGBA, not interlaced."""

    def __init__(self, png):
        if png[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError("not a PNG")
        at, data = 8, b""
        while at < len(png):
            length, kind = struct.unpack(">I4s", png[at:at + 8])
            body = png[at + 8:at + 8 + length]
            at += length + 12
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
                if depth != 8 or color not in (2, 6) or interlace:
                    raise ValueError("a PNG of another kind than browsers write")
                self.channels = 3 if color == 2 else 4
            elif kind == b"IDAT":
                data += body
        self._rows = self._unfilter(zlib.decompress(data))

    def _unfilter(self, data):
        size, n = self.width * self.channels, self.channels
        rows, above = [], bytearray(size)
        for y in range(self.height):
            start = y * (size + 1)
            kind, row = data[start], bytearray(data[start + 1:start + 1 + size])
            if kind == 1:
                for i in range(n, size):
                    row[i] = (row[i] + row[i - n]) & 255
            elif kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            elif kind == 3:
                for i in range(size):
                    row[i] = (row[i] + ((row[i - n] if i >= n else 0) + above[i]) // 2) & 255
            elif kind == 4:
                for i in range(size):
                    a, b, c = (row[i - n] if i >= n else 0), above[i], (above[i - n] if i >= n else 0)
                    p = a + b - c
                    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                    row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
            rows.append(row)
            above = row
        return rows

    def at(self, x, y):
        """(red, green, blue), 0 to 255."""
        row, i = self._rows[y], x * self.channels
        return row[i], row[i + 1], row[i + 2]

    def colors(self, x=0, y=0, width=None, height=None, step=1):
        """How many pixels have which colour in a rectangle, each `step`-th in both directions looked at."""
        counts = {}
        for j in range(int(y), min(self.height, int(y + (height or self.height))), step):
            for i in range(int(x), min(self.width, int(x + (width or self.width))), step):
                color = self.at(i, j)
                counts[color] = counts.get(color, 0) + 1
        return counts

    def difference(self, other, step=1):
        """Share of pixels, 0 to 1, that differ from another picture of this size by more than 8 in a channel."""
        if (self.width, self.height) != (other.width, other.height):
            return 1.0
        count = differ = 0
        for y in range(0, self.height, step):
            for x in range(0, self.width, step):
                count += 1
                differ += any(abs(a - b) > 8 for a, b in zip(self.at(x, y), other.at(x, y)))
        return differ / count


# ---- Tests


def expect(condition, what):
    """Fails the test with a sentence (put the values into it) unless the condition holds."""
    if not condition:
        raise AssertionError(f"not so: {what}")


def run(test, width=1280, height=800, seconds=120):
    """Calls test(page) with a fresh browser, then ends the program with ctest's exit code."""
    try:
        find_chromium()
    except NoChromium as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    code = 0
    try:
        with Chromium(width, height, seconds) as page:
            try:
                test(page)
            except BaseException:
                for level, text in page.console:
                    print(f"console {level}: {text}")
                for text in page.errors:
                    print(f"error: {text}")
                raise
    except Exception:
        traceback.print_exc(file=sys.stdout)
        code = 1
    print("failed" if code else "passed")
    sys.exit(code)
