"""What the other tests of pages rely on: the browser draws WebGL2, and hands see, do and are told what they should."""

import pathlib
import sys
import tempfile

from chromium import Picture, expect, run

PAGE = """<!doctype html><meta charset="utf-8"><title>A page</title>
<style>body { margin: 0; background: white } @media (prefers-color-scheme: dark) { body { background: black } }</style>
<canvas id="scene" width="200" height="100" style="display: block"></canvas>
<button id="button">press</button><input id="input"><div style="height: 3000px"></div>
<script>
const gl = document.getElementById("scene").getContext("webgl2");
gl.clearColor(0, 0.5, 1, 1);
gl.clear(gl.COLOR_BUFFER_BIT);
const compile = (type, text) => { const s = gl.createShader(type); gl.shaderSource(s, text); gl.compileShader(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, compile(gl.VERTEX_SHADER, `#version 300 es
  void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0, 0.0, 1.0); }`));
gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `#version 300 es
  precision mediump float; out vec4 color; void main() { color = vec4(1.0, 0.0, 0.0, 1.0); }`));
gl.linkProgram(program);
gl.useProgram(program);
gl.drawArrays(gl.TRIANGLES, 0, 3);
const seen = [];
for (const kind of ["mousedown", "mousemove", "mouseup", "click", "keydown", "wheel"]) {
  addEventListener(kind, event => seen.push({kind, x: event.clientX, y: event.clientY, key: event.key, shift: event.shiftKey}));
}
</script>"""


def test(page):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a page.html")
        path.write_text(PAGE)
        page.open(path)

        expect(page.evaluate("document.title") == "A page", "the page is the one that was asked for")
        expect(page.evaluate("Promise.resolve({a: [1, 2]})") == {"a": [1, 2]}, "promises are waited for")
        picture = Picture(page.screenshot())
        expect((picture.width, picture.height) == (1280, 800), f"the window has its size: {picture.width}")
        expect(picture.at(150, 20) == (255, 0, 0), f"a triangle is drawn by WebGL2: {picture.at(150, 20)}")
        expect(picture.at(40, 80) == (0, 128, 255), f"on its background: {picture.at(40, 80)}")
        expect(picture.at(900, 700) == (255, 255, 255), f"light: {picture.at(900, 700)}")
        page.color_scheme("dark")
        expect(Picture(page.screenshot()).at(900, 700) == (0, 0, 0), "dark")
        page.resize(640, 480)
        small = Picture(page.screenshot())
        expect((small.width, small.height) == (640, 480), f"another size: {small.width}x{small.height}")
        expect(Picture(page.screenshot(whole=True)).height > 3000, "the whole page is longer than the window")

        page.evaluate("seen.length = 0")
        page.click("#button")
        kinds = [event["kind"] for event in page.evaluate("seen")]
        expect(kinds == ["mousemove", "mousedown", "mouseup", "click"], f"a click is all of these: {kinds}")
        page.click("#input")
        page.type("Ab 1?")
        page.press("Backspace")
        expect(page.evaluate("document.getElementById('input').value") == "Ab 1", "keys write")
        page.evaluate("seen.length = 0")
        page.drag((10, 20), (110, 70), modifiers=["shift"])
        seen = page.evaluate("seen")
        expect([seen[0]["x"], seen[0]["y"], seen[-1]["x"], seen[-1]["y"]] == [10, 20, 110, 70], f"from, to: {seen}")
        expect(any(event["kind"] == "mousedown" and event["shift"] for event in seen), "with a key held")
        page.scroll((300, 300), 500)
        page.wait_for("scrollY > 100")
        page.press("ArrowLeft")
        expect(page.evaluate("seen.at(-1).key") == "ArrowLeft", "keys with names")

        expect(page.errors == [], f"nothing has gone wrong so far: {page.errors}")
        page.evaluate("console.error('told so'), setTimeout(() => undefined_thing(), 0), 1")
        page.settle()
        page.wait_for("true")
        expect(len(page.errors) == 2, f"errors are collected: {page.errors}")
        expect("told so" in page.errors[0] and "undefined_thing" in page.errors[1], f"as they are: {page.errors}")
        page.evaluate("fetch('http://127.0.0.1:9/').catch(() => 0)")
        expect(page.requests == ["http://127.0.0.1:9/"], f"what a page asks the net for is noted: {page.requests}")
        try:
            page.evaluate("nothing.like.it")
            expect(False, "an exception there is one here")
        except RuntimeError as error:
            expect("nothing is not defined" in str(error), str(error))


run(test, seconds=60)
