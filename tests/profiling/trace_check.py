"""Traces of real runs are JSON that viewers can lay out: python3 trace_check.py TALUS_SAMPLES FOLDER

Each span has what Chrome's trace event format asks for (ph, pid, tid, name, ts, dur); on a track spans nest or follow each
other; stages lie in their step and fill it but for 3% (in the median: a frame may be interrupted between two reads of the
clock); rungs lie in their stage; steps do not overlap and are as many as the run has.
"""

import json
import pathlib
import subprocess
import sys

STAGES = {"pairs", "collide", "graph", "solve", "continuous", "finish", "publish"}


def expect(condition, what):
    if not condition:
        raise SystemExit(f"not so: {what}")


def check(events, steps):
    tracks = {}
    for event in events:
        expect({"ph", "pid", "tid", "name"} <= event.keys(), f"fields of {event}")
        expect(event["ph"] in "XCiM", f"a phase viewers know: {event}")
        if event["ph"] == "M":
            continue
        expect(isinstance(event["ts"], (int, float)) and event["ts"] >= 0, f"a time: {event}")
        if event["ph"] == "X":
            expect(event["dur"] >= 0, f"a length: {event}")
            tracks.setdefault(event["tid"], []).append(event)
        elif event["ph"] == "C":
            expect(event["args"] and all(isinstance(v, (int, float)) for v in event["args"].values()), f"{event}")
        else:
            expect(event["s"] in "gpt", f"a mark's scope: {event}")
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    expect(sorted(names.values()) == ["narrowphase", "step"], f"two tracks: {names}")
    expect(sum(event["name"] == "frame" for event in events) == steps, "a mark a frame")

    of = {names[tid]: spans for tid, spans in tracks.items()}
    starts = [span["ts"] for span in of["step"] if span["name"] == "step"]
    expect(len(starts) == steps, f"{len(starts)} steps, not {steps}")
    expect(starts == sorted(starts), "steps come in order")
    missing = []
    for spans in of.values():
        open_spans = []
        # As viewers do it: in floating point, without a tolerance.
        for span in sorted(spans, key=lambda s: (s["ts"], -s["dur"])):
            begin = span["ts"]
            end = begin + span["dur"]
            while open_spans and open_spans[-1][0] <= begin:
                open_spans.pop()
            expect(not open_spans or end <= open_spans[-1][0], f"{span} ends in {open_spans[-1:]}")
            if span["name"] == "step":
                expect(not open_spans, f"nothing is around a step: {span}")
                missing.append([end - begin, end - begin])
            elif span["name"] in STAGES and spans is of["step"]:
                expect([name for _, name in open_spans] == ["step"], f"{span} is in its step")
                missing[-1][1] -= end - begin
            elif span["name"] != "collide":
                expect([name for _, name in open_spans] == ["collide"], f"{span} is in the narrowphase")
                expect(span["dur"] > 0, f"{span}")
            if end > begin:
                open_spans.append((end, span["name"]))
    # 0.2 us are the clock's. A stage that is left out is missing in all steps; on a busy machine, others take the
    # processor between stages in some.
    shares = sorted(max(0, rest - 0.2) / whole for whole, rest in missing)
    share = shares[len(shares) // 10]
    expect(share <= 0.03, f"stages fill their step but for {share}")
    rungs = {span["name"] for span in of.get("narrowphase", [])} - {"collide"}
    return rungs


def main():
    samples, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trace.json"
    for scene, steps, more, wanted in [
            ("hullpile", 120, [], {"skip, reuse", "cached axis", "warm GJK", "cold GJK", "cold EPA"}),
            ("tumble", 60, ["--threads", "3", "--timing", "pairs"], {"warm GJK", "cold GJK"}),
            ("falling_box", 1, [], set()), ("bullets", 60, [], set())]:
        command = [samples, "--scene", scene, "--steps", str(steps), "--trace", str(path), *more]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rungs = check(json.loads(path.read_text()), steps)
        expect(wanted <= rungs, f"{scene} has rungs {wanted}, found {rungs}")
        print(f"{scene}: {path.stat().st_size} bytes, {len(rungs)} passes")


main()
