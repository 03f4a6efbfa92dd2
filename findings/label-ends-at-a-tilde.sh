#!/usr/bin/env bash
# A label of "Doors 19:00~21:00" ends after 19:00, because two writers of ZPL send the tilde as it is.
#
# Tried: jszpl 2.0.1, from npm, and zpl 0.1.13, from PyPI, on Python 3; their labels are drawn by zpl-renderer-js
# 3.4.0, from npm, on Node.js 20.
# Input: a text with a tilde between two times, as they are written in Korea and Japan, by each package's call for
# text.
# Expected: the tilde is sent as _7E behind ^FH, or refused: the data of ^FD is any character but ^ and ~, which begin
# commands wherever they stand, and ^FH is how they are printed (Zebra's ZPL II programming guide, ^FD and ^FH).
# Seen: both send the text unchanged. What is drawn is the same, point by point, as of a label whose text ends before
# the tilde. With ^FH and _7E in the same label the whole text is drawn.
#
# What follows: a program that prints our titles, venues and times on labels writes ^, ~ and _ as _5E, _7E and _5F
# behind ^FH in every text. Our own tickets are PDF files and pictures, in which no letter is a command.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check zpl==0.1.13
npm init -y >/dev/null
npm install --silent --no-audit --no-fund jszpl@2.0.1 zpl-renderer-js@3.4.0
cat >write.py <<'END'
import zpl

label = zpl.Label(20, 60)
label.origin(2, 2)
label.write_text("Doors 19:00~21:00", char_height=4, char_width=4)
label.endorigin()
print(label.dumpZPL())
END
venv/bin/python write.py >zpl.txt
cat >draw.js <<'END'
const { readFileSync } = require("node:fs");
const { Label, PrintDensity, PrintDensityName, Text } = require("jszpl");
const { ready } = require("zpl-renderer-js");
const label = new Label();
label.printDensity = new PrintDensity(PrintDensityName["8dpmm"]);
[label.width, label.height] = [60, 20];
const text = new Text();
text.text = "Doors 19:00~21:00";
label.content.push(text);
(async () => {
  const { api } = await ready;
  const draw = (written) => api.zplToBase64Async(written, 60, 20, 8);
  for (const [name, written] of Object.entries({ jszpl: label.generateZPL(), zpl: readFileSync("zpl.txt", "utf8") })) {
    const drawn = await draw(written);
    const cut = await draw(written.replace("~21:00", ""));
    const whole = await draw(written.replace("^FDDoors 19:00~", "^FH^FDDoors 19:00_7E"));
    console.log(name, written.match(/\^FDDoors.*?\^FS/)[0], drawn === cut, drawn === whole);
  }
  process.exit();
})();
END
seen=$(node draw.js)
printf '%s\n' "$seen"
[[ $seen == "jszpl ^FDDoors 19:00~21:00^FS true false
zpl ^FDDoors 19:00~21:00^FS true false" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
