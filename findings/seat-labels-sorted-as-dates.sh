#!/usr/bin/env bash
# Seat labels of three numbers are sorted as dates by natural-sort packages for JavaScript.
#
# Tried: natural-orderby 5.0.0 and javascript-natural-sort 0.7.1, from npm, on Node.js 20.
# Input: labels of the form BLOCK-ROW-SEAT, as arenas print them, and labels with an E in the middle.
# Expected: the first number decides, so 4-1-9 stands before 12-1-1, and block 1 before block 2.
# Seen: both read 12-1-1 as a date of 2001 and put it before 4-1-9, a date of 2009; both read 1E9 as a thousand
# millions and put it behind 10A1. natural-compare 1.4.0 sorts both as expected.
#
# What follows: the order of seats is a rule of our own with tests of its own, and no page sorts labels by such
# a package.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund natural-orderby@5.0.0 javascript-natural-sort@0.7.1 natural-compare@1.4.0
cat >sort.js <<'END'
const byOrderby = require("natural-orderby").compare();
const byNaturalSort = require("javascript-natural-sort");
const byCompare = require("natural-compare");
for (const [name, by] of Object.entries({ byOrderby, byNaturalSort, byCompare })) {
  console.log(name, ["4-1-9", "5-1-9", "12-1-1"].sort(by).join(" "), "|", ["1E9", "2A1", "10A1"].sort(by).join(" "));
}
END
seen=$(node sort.js)
printf '%s\n' "$seen"
[[ $seen == "byOrderby 12-1-1 4-1-9 5-1-9 | 2A1 10A1 1E9
byNaturalSort 12-1-1 4-1-9 5-1-9 | 2A1 10A1 1E9
byCompare 4-1-9 5-1-9 12-1-1 | 1E9 2A1 10A1" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
