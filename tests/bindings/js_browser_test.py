"""The package for JavaScript in a browser: python3 js_browser_test.py PACKAGE [THREE [PICTURE]]

PACKAGE is the package's folder (bindings/js/package.sh makes it). THREE is the folder of three.js's npm package;
without it, the example that draws with three.js is not tried. PICTURE is where a picture of that example goes.
"""

import functools
import http.server
import pathlib
import re
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "pages"))
from chromium import Picture, expect, run

PACKAGE = pathlib.Path(sys.argv[1]).resolve()
THREE = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None

CRATE = """(async () => {
    const { load } = await import('/talus.mjs');
    const talus = await load(%s);
    const world = new talus.World();
    world.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
    const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 10, 0] });
    for (let i = 0; i < 240; ++i) world.step(1 / 60);
    return [world.position(crate)[1], world.hash()];
})()"""

# The crate once more, beside a wall that gives the threads something to do. The waits give the workers the time to come.
THREADS = """(async () => {
    const { load } = await import(new URL('talus.mjs', location.href).href);
    const talus = await load({ threads: 3 });
    const wall = new talus.World();
    wall.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
    for (let i = 0; i < 600; ++i) {
        wall.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [i % 30, 0.6 + 1.1 * Math.floor(i / 30), 0] });
    }
    for (let i = 0; i < 100; ++i) {
        wall.step(1 / 60);
        await new Promise((done) => setTimeout(done, 1));
    }
    const world = new talus.World();
    world.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
    const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 10, 0] });
    for (let i = 0; i < 240; ++i) world.step(1 / 60);
    return [talus.threads, talus.tasksOfWorkers(), world.hash()];
})()"""

WORKER = """new Promise((done, failed) => {
    const code = `import { load } from '${location.origin}/talus.mjs';
    const talus = await load();
    const world = new talus.World();
    world.addBody({ shape: talus.sphere(1) });
    postMessage(world.bodyCount());`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => failed(new Error(event.message));
})"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the package, and three.js in place of the address that the example gets it from. What is below /alone/ is
    the package once more, with the headers that let threads share memory."""

    extensions_map = {".mjs": "text/javascript", ".js": "text/javascript", ".html": "text/html", ".wasm": "application/wasm"}

    def do_GET(self):
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
            return None
        if self.path != "/examples/three.html":
            return super().do_GET()
        page = (PACKAGE / "examples/three.html").read_text(encoding="utf-8")
        body = re.sub(r"https://unpkg.com/three@[\d.]+", "/three", page).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def end_headers(self):
        if self.path.startswith("/alone/"):
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def translate_path(self, path):
        path = path.removeprefix("/alone")
        if path.startswith("/three/") and THREE:
            return str(THREE / path[len("/three/"):])
        return super().translate_path(path)

    def log_message(self, *_):
        pass


def test(page):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PACKAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"

    page.open(f"{site}/README.md")
    height, bits = page.evaluate(CRATE % "")
    print(f"The crate rests at {height:.3f} m; the hash is {bits}.")
    expect(abs(height - 0.5) < 0.005, f"the crate rests on the floor: {height}")
    expect(page.evaluate(CRATE % "{ simd: false }") == [height, bits], "both modules give the same bits")
    expect(page.evaluate(CRATE % "{ wasm: 'talus-simd.wasm' }") == [height, bits], "an address is relative to the page")
    expect(page.evaluate(WORKER) == 1, "a worker can load the package")
    expect(page.evaluate(THREADS) == [1, 0, bits], "without the headers there is one thread")
    page.open(f"{site}/alone/README.md")
    threads, tasks, hash_of_threads = page.evaluate(THREADS)
    print(f"On {threads} threads, workers did {tasks} tasks.")
    expect(threads == 3 and hash_of_threads == bits, f"three threads give the same bits: {threads}, {hash_of_threads}")
    expect(tasks > 0, "workers take part")
    expect(not page.errors, f"no errors: {page.errors}")

    if THREE:
        page.open(f"{site}/examples/three.html")
        page.wait_for("document.querySelector('canvas') !== null")
        early = Picture(page.screenshot())
        page.evaluate("new Promise((done) => setTimeout(done, 2000))")
        late = Picture(page.screenshot(sys.argv[3] if len(sys.argv) > 3 else None))
        expect(not page.errors, f"no errors: {page.errors}")
        colors = late.colors(step=4)  # boxes have strong colours, the floor a greyish green one, and the sky is blue
        boxes = sum(n for color, n in colors.items() if max(color) - min(color) > 60)
        floor = sum(n for (red, green, blue), n in colors.items() if green > red and green > blue and green - red < 60)
        print(f"Of every sixteenth pixel, {boxes} show boxes and {floor} the floor.")
        expect(boxes > 500 and floor > 500, f"boxes and a floor are drawn: {boxes}, {floor} pixels")
        expect(early.difference(late, step=4) > 0.001, "the boxes move")
    server.shutdown()


run(test, seconds=300)
