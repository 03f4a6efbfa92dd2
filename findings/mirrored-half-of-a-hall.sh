#!/usr/bin/env bash
# The mirrored half of a hall lies on top of the other half for a reader of DXF drawings, which leaves out that it is
# mirrored.
#
# Tried: dxf-parser 1.1.2 and dxf 5.3.1, from npm, on Node.js 20.
# Input: a seat as a circle at 5 and 2, and a copy of it mirrored at the middle of the hall, as the command MIRROR of
# CAD programs leaves it: the centre 5 and 2 with the extrusion 0, 0, -1.
# Expected: the mirrored seat stands at -5 and 2, or the extrusion is told: coordinates of a circle are in the system
# of its extrusion, whose x axis points the other way here (Autodesk's DXF reference, Object Coordinate Systems).
# Seen: dxf draws it at -5. dxf-parser says 5 and 2 for both seats, and nothing about the extrusion, so that no
# program behind it can do better.
#
# What follows: a seat plan is read from a CSV or a grid. Who makes a CSV out of a drawing with such a package
# exports it without mirrored objects; two seats at one point are refused with their line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund dxf-parser@1.1.2 dxf@5.3.1
# A value a line, behind its group code: layer, centre, radius and extrusion of each circle.
seat=(0 CIRCLE 8 SEATS 10 5.0 20 2.0 30 0.0 40 0.25)
printf '%s\n' 0 SECTION 2 ENTITIES "${seat[@]}" "${seat[@]}" 210 0.0 220 0.0 230 -1.0 0 ENDSEC 0 EOF >hall.dxf
cat >read.js <<'END'
const text = require("node:fs").readFileSync("hall.dxf", "utf8");
const { Helper } = require("dxf");
const DxfParser = require("dxf-parser");
const middle = (points) => (Math.min(...points) + Math.max(...points)) / 2;
for (const { vertices } of new Helper(text).toPolylines().polylines) {
  console.log("dxf", middle(vertices.map(([x]) => x)).toFixed(1));
}
for (const seat of new (DxfParser.default ?? DxfParser)().parseSync(text).entities) {
  console.log("dxf-parser", seat.center.x, JSON.stringify(seat).includes("extrusion"));
}
END
seen=$(node read.js)
printf '%s\n' "$seen"
[[ $seen == "dxf 5.0
dxf -5.0
dxf-parser 5 false
dxf-parser 5 false" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
