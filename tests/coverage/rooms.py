"""Prints docs/COVERAGE.md from the summary of cargo-llvm-cov: the lines and functions of each room.

    python3 tests/coverage/rooms.py SUMMARY
"""

import collections
import datetime
import json
import os
import sys

HEAD = """# Coverage

What the tests run of the program's own lines, room by room: written by `make coverage` on {day}. It counts the tests of
`make test` and the long ones, in the processes that end by themselves; what a killed process ran is not counted. There
is no target: a line that ran may still be wrong ([mutants](MUTANTS.md) say more), and one that did not run is a place to look.

| Room | Lines | Run | Functions | Run |
|---|---:|---:|---:|---:|"""


def share(counts):
    """The counted and the share of them that ran, as two cells."""
    n, n_run = counts
    return f"{n:,} | {100 * n_run / n:.1f} %" if n else "0 | -"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    sources = os.path.join(os.getcwd(), "src") + os.sep
    rooms = collections.defaultdict(lambda: {"lines": [0, 0], "functions": [0, 0]})
    for entry in files:
        # A crate of the workspace names its files from its own folder.
        filename = os.path.normpath(entry["filename"])
        if not filename.startswith(sources):
            continue
        room, *rest = filename.removeprefix(sources).split(os.sep)
        for name in (f"`{room}/`" if rest else "`src/`", "**all**"):
            for kind, counts in rooms[name].items():
                counts[0] += entry["summary"][kind]["count"]
                counts[1] += entry["summary"][kind]["covered"]
    assert rooms, f"no file of {sources} was counted"
    print(HEAD.format(day=f"{datetime.date.today():%-d %B %Y}"))
    for name, counted in sorted(rooms.items(), key=lambda room: (room[0] == "**all**", room[0])):
        print(f"| {name} | {share(counted['lines'])} | {share(counted['functions'])} |")


main()
