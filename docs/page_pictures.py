"""Photographs FOLDER/report.html and FOLDER/replay.html as FOLDER/report.png and FOLDER/replay.png, for make_pictures.sh.

usage: page_pictures.py FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "pages"))
from chromium import Chromium

folder = pathlib.Path(sys.argv[1])
with Chromium(1280, 900) as page:
    page.open(folder / "report.html")
    page.click("#worst-frames tbody tr:nth-child(1)")
    page.evaluate("scrollTo(0, 0)")
    page.settle()
    page.screenshot(folder / "report.png")

    page.resize(1280, 800)
    page.open(folder / "replay.html")
    page.wait_for("!!window.replay")
    page.click("#worst")
    page.wait_for("replay.marked !== null && !replay.flight && !replay.dirty && replay.shownFrame === replay.frame")
    page.move(640, 20)
    page.settle()
    page.screenshot(folder / "replay.png")
