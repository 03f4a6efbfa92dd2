#!/usr/bin/env bash
# The box around a section with a round edge is too large in one package that measures outlines, and moved in another.
#
# Tried: svg-path-bounds 1.0.2, svg-path-bounding-box 1.0.4 and svg-path-bbox 2.1.0, from npm, on Node.js 20;
# svgelements 1.9.6, from PyPI, on Python 3.
# Input: an edge as the curve C, one as Q, and a wave as Q and T, each 100 wide and from 0 to 0 in height.
# Expected: y from 0 to 75, from 0 to 50, and from -25 to 25: a curve begins and ends on its outer points, and its
# control points draw it towards them without being on it (SVG 2, 9.3.6 and 9.3.7).
# Seen: svgelements and svg-path-bbox say so. svg-path-bounds measures the control points too: 100 for 75, 66.67 for
# 50, 33.33 for 25. svg-path-bounding-box is right about single curves and takes the wave for one of -6.16 to 30.65.
#
# What follows: our map is laid out by the places of seats alone, which are points. A program that takes the middle
# of a section from a drawing takes it from its seats.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check svgelements==1.9.6 &
npm init -y >/dev/null
npm install --silent --no-audit --no-fund svg-path-bounds@1.0.2 svg-path-bounding-box@1.0.4 svg-path-bbox@2.1.0
wait $!
cat >measure.js <<'END'
const bounds = require("svg-path-bounds");
const { svgPathBbox } = require("svg-path-bbox");
const boundingBox = require("svg-path-bounding-box");
const packages = {
  "svg-path-bbox": (path) => svgPathBbox(path),
  "svg-path-bounds": (path) => bounds(path),
  "svg-path-bounding-box": (path) => {
    const { minX, minY, maxX, maxY } = (boundingBox.default ?? boundingBox)(path);
    return [minX, minY, maxX, maxY];
  },
};
for (const [name, measure] of Object.entries(packages)) {
  const boxes = process.argv.slice(2).map(measure);
  console.log(name, ...boxes.map(([, top, , bottom]) => `${(top + 0).toFixed(2)}..${bottom.toFixed(2)}`));
}
END
cat >measure.py <<'END'
import sys

from svgelements import Path

boxes = [Path(path).bbox() for path in sys.argv[1:]]
print("svgelements", *(f"{top + 0:.2f}..{bottom:.2f}" for _, top, _, bottom in boxes))
END
paths=('M0 0C0 100 100 100 100 0Z' 'M0 0Q50 100 100 0Z' 'M0 0Q25 50 50 0T100 0')
seen=$(venv/bin/python measure.py "${paths[@]}" && node measure.js "${paths[@]}")
printf '%s\n' "$seen"
[[ $seen == "svgelements 0.00..75.00 0.00..50.00 -25.00..25.00
svg-path-bbox 0.00..75.00 0.00..50.00 -25.00..25.00
svg-path-bounds 0.00..100.00 0.00..66.67 -33.33..33.33
svg-path-bounding-box 0.00..75.00 0.00..50.00 -6.16..30.65" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
