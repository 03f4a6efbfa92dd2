#!/usr/bin/env bash
# One ticket in thirty has a QR code that a reader for browsers does not read from a faultless picture, nor when it is
# told to try harder.
#
# Tried: @zxing/library 0.21.3, qrcode-reader 1.0.4 and jsqr 1.4.0, from npm, on Node.js 20; zxing-cpp 3.1.1, from
# PyPI, on Python 3. The codes are drawn by qrcode 1.5.4, from npm.
# Input: 400 codes of 26 letters of A to Z and 2 to 7, at level Q, straight, black on white, of ten dots a module with a
# margin of four modules.
# Expected: each is read as its text.
# Seen: jsqr and zxing-cpp read all. @zxing/library does not read 14, with its hint TRY_HARDER or without. With
# PURE_BARCODE, which is for such pictures alone and not for photos, it reads all. qrcode-reader does not read those and
# five more. They are the same ones each time, so that a picture from a phone fails again whenever it is sent again.
# A camera that moves sees a code at many angles, and a trial at a door seldom shows it. The package has an open issue
# about it (zxing-js/library, 653).
#
# What follows: our door reads by the browser or by ZXing in C++. A program that takes tickets as pictures is tried with
# some hundreds of codes instead of one, and by @zxing/library tries PURE_BARCODE after TRY_HARDER.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check zxing-cpp==3.1.1 pillow==13.0.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @zxing/library@0.21.3 qrcode-reader@1.0.4 jsqr@1.4.0 qrcode@1.5.4
cat >read.js <<'END'
const { createHash } = require("node:crypto");
const { writeFileSync } = require("node:fs");
const ZXing = require("@zxing/library");
const jsQr = require("jsqr");
const QrCodes = require("qrcode");
const QrReader = require("qrcode-reader");
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const [DOTS, MARGIN] = [10, 4];
const draw = (text) => {
  const { modules } = QrCodes.create(text, { errorCorrectionLevel: "Q" });
  const side = (modules.size + 2 * MARGIN) * DOTS;
  const grey = new Uint8ClampedArray(side * side).fill(255);
  for (let place = 0; place < grey.length; place += 1) {
    const [row, column] = [Math.floor(place / side), place % side].map((dot) => Math.floor(dot / DOTS) - MARGIN);
    const isInside = Math.min(row, column) >= 0 && Math.max(row, column) < modules.size;
    if (isInside && modules.get(row, column)) grey[place] = 0;
  }
  return { side, grey };
};
const zxing = (hint) => ({ side, grey }) => {
  const source = new ZXing.RGBLuminanceSource(grey, side, side);
  const hints = new Map(hint === undefined ? [] : [[hint, true]]);
  return new ZXing.QRCodeReader().decode(new ZXing.BinaryBitmap(new ZXing.HybridBinarizer(source)), hints).getText();
};
const coloured = ({ side, grey }) => {
  const data = new Uint8ClampedArray(4 * grey.length).fill(255);
  grey.forEach((value, place) => data.fill(value, 4 * place, 4 * place + 3));
  return { width: side, height: side, data };
};
const readers = {
  "@zxing/library": zxing(),
  "@zxing/library, TRY_HARDER": zxing(ZXing.DecodeHintType.TRY_HARDER),
  "@zxing/library, PURE_BARCODE": zxing(ZXing.DecodeHintType.PURE_BARCODE),
  "qrcode-reader": (picture) => {
    const reader = new QrReader();
    let text;
    reader.callback = (_, found) => (text = found?.result);
    reader.decode(coloured(picture));
    return text;
  },
  jsqr: (picture) => {
    const { width, height, data } = coloured(picture);
    return (jsQr.default ?? jsQr)(data, width, height)?.data;
  },
};
const unread = Object.fromEntries(Object.keys(readers).map((name) => [name, []]));
for (let number = 1; number <= 400; number += 1) {
  const bytes = createHash("sha256").update(`Ticket ${number}`).digest().subarray(0, 26);
  const text = Array.from(bytes, (byte) => LETTERS[byte % 32]).join("");
  const picture = draw(text);
  const head = `P5 ${picture.side} ${picture.side} 255\n`;
  writeFileSync(`${text}.pgm`, Buffer.concat([Buffer.from(head), Buffer.from(picture.grey)]));
  for (const [name, read] of Object.entries(readers)) {
    let found;
    try {
      found = read(picture);
    } catch {
      // Not read.
    }
    if (found !== text) unread[name].push(number);
  }
}
for (const [name, numbers] of Object.entries(unread)) console.log(`${name}: ${numbers.length}:`, ...numbers);
END
cat >read.py <<'END'
from pathlib import Path

import zxingcpp
from PIL import Image

pictures = sorted(Path().glob("*.pgm"))
unread = [each for each in pictures if [code.text for code in zxingcpp.read_barcodes(Image.open(each))] != [each.stem]]
print(f"zxing-cpp: {len(unread)} of {len(pictures)}")
END
seen=$(node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "@zxing/library: 14: 61 82 85 94 111 168 182 195 217 220 231 250 282 285
@zxing/library, TRY_HARDER: 14: 61 82 85 94 111 168 182 195 217 220 231 250 282 285
@zxing/library, PURE_BARCODE: 0:
qrcode-reader: 19: 61 82 85 94 95 111 118 168 181 182 195 217 220 231 232 250 282 285 314
jsqr: 0:
zxing-cpp: 0 of 400" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
