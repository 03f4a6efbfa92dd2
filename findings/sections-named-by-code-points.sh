#!/usr/bin/env bash
# The Hangul name of a section in a DXF drawing of an older version is read as \U+ac1d\U+c11d by five readers, also by
# the package that wrote it.
#
# Tried: ezdxf 1.4.5, from PyPI, on Python 3; dxf-parser 1.1.2, dxf 5.3.1, dxf-json 0.14.1 and
# @mlightcad/dxf-json 1.2.8, from npm, on Node.js 20.
# Input: the text "객석 A" in a drawing of version R2000, which ezdxf writes, and in one of R2010.
# Expected: "객석 A" from both. Before R2007 a DXF file is in a code page, and a letter that this lacks is written as
# \U+ and its code point (LibreDWG's manual, 7.5).
# Seen: all five read the drawing of R2010 rightly and leave the code points of R2000 as they are. ezdxf decodes them
# by a call of its own, ezdxf.decode_dxf_unicode, or by ezdxf.recover; the four for JavaScript have no such call.
#
# What follows: a seat plan is read from a CSV, in which such a name would be a section's name, as long as it is. A
# drawing is saved as R2007 or newer before a CSV is made out of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ezdxf==1.4.5 &
npm init -y >/dev/null
npm install --silent --no-audit --no-fund dxf-parser@1.1.2 dxf@5.3.1 dxf-json@0.14.1 @mlightcad/dxf-json@1.2.8
wait $!
cat >draw.py <<'END'
import ezdxf

for version in ("R2000", "R2010"):
    drawing = ezdxf.new(version)
    drawing.modelspace().add_text("객석 A")
    drawing.saveas(f"{version}.dxf")
    again = next(iter(ezdxf.readfile(f"{version}.dxf").modelspace())).dxf.text
    print(version, "ezdxf", again, "=", ezdxf.decode_dxf_unicode(again))
END
cat >read.mjs <<'END'
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const Parser = require("dxf-parser");
const { Helper } = require("dxf");
const json = await import("dxf-json");
const fork = await import("@mlightcad/dxf-json");
const readers = {
  "dxf-parser": (text) => new (Parser.default ?? Parser)().parseSync(text).entities[0].text,
  dxf: (text) => new Helper(text).parsed.entities[0].string,
  "dxf-json": (text) => new json.DxfParser().parseSync(text).entities[0].text,
  "@mlightcad/dxf-json": (text) => new fork.DxfParser().parseSync(text).entities[0].text,
};
for (const version of ["R2000", "R2010"]) {
  const text = readFileSync(`${version}.dxf`, "utf8");
  for (const [name, read] of Object.entries(readers)) console.log(version, name, read(text));
}
END
seen=$(PYTHONUTF8=1 venv/bin/python draw.py && node read.mjs)
printf '%s\n' "$seen"
[[ $seen == "R2000 ezdxf \U+ac1d\U+c11d A = 객석 A
R2010 ezdxf 객석 A = 객석 A
R2000 dxf-parser \U+ac1d\U+c11d A
R2000 dxf \U+ac1d\U+c11d A
R2000 dxf-json \U+ac1d\U+c11d A
R2000 @mlightcad/dxf-json \U+ac1d\U+c11d A
R2010 dxf-parser 객석 A
R2010 dxf 객석 A
R2010 dxf-json 객석 A
R2010 @mlightcad/dxf-json 객석 A" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
