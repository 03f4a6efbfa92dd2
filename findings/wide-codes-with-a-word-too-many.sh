#!/usr/bin/env bash
# A wide PDF417 code of 79 or 80 letters is read by neither of two readers, and one of 78 or 81 letters by both.
#
# Tried: pdf417-generator 1.1.1 on a canvas of @napi-rs/canvas 1.1.1, from npm, on Node.js 20; what it draws is read by
# @zxing/library 0.21.3, from npm, and by zxing-cpp 3.1.1, from PyPI, on Python 3.
# Input: texts of 1 to 150 letters, as codes of twice and of eight times their height, the first of which is the
# package's default and the second a shape for a wristband or a stub.
# Expected: each is read as its text. The first word of a PDF417 code says how many words of data it has (ISO/IEC
# 15438), and as many are drawn.
# Seen: all are read at twice the height. At eight times, ten of the 150 are read by neither reader, always two lengths
# that follow each other. There, as its source shows, the package takes off a row that it needs: the code of 79
# letters has 48 places for 49 words and says that 42 are data, where 41 are. No error comes, and it looks like others.
#
# What follows: the code of a ticket is a QR code, which has one shape. A program that prints codes of its own on
# wristbands or stubs reads each of them once before it is handed out, and not one sample of its layout.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check zxing-cpp==3.1.1 pillow==13.0.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund pdf417-generator@1.1.1 @napi-rs/canvas@1.1.1 @zxing/library@0.21.3
cat >draw.js <<'END'
const { writeFileSync } = require("node:fs");
const { createCanvas } = require("@napi-rs/canvas");
const { BinaryBitmap, HybridBinarizer, PDF417Reader, RGBLuminanceSource } = require("@zxing/library");
const { PDF417 } = require("pdf417-generator");
// A code of four dots a module on white paper.
const draw = (text, ratio) => {
  const code = createCanvas(1, 1);
  PDF417.draw(text, code, ratio);
  const paper = createCanvas(code.width * 4 + 80, code.height * 4 + 80);
  const context = paper.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, paper.width, paper.height);
  context.imageSmoothingEnabled = false;
  context.drawImage(code, 40, 40, code.width * 4, code.height * 4);
  return paper;
};
const read = (paper) => {
  const { data, width, height } = paper.getContext("2d").getImageData(0, 0, paper.width, paper.height);
  const grey = Uint8ClampedArray.from({ length: width * height }, (_, place) => data[4 * place]);
  try {
    const source = new RGBLuminanceSource(grey, width, height);
    return new PDF417Reader().decode(new BinaryBitmap(new HybridBinarizer(source))).getText();
  } catch {
    return undefined;
  }
};
for (const ratio of [2, 8]) {
  const unread = [];
  for (let letters = 1; letters <= 150; letters += 1) {
    const text = "A".repeat(letters);
    const paper = draw(text, ratio);
    writeFileSync(`${ratio}-${letters}.png`, paper.toBuffer("image/png"));
    if (read(paper) !== text) unread.push(letters);
  }
  console.log(`@zxing/library, ${ratio}:`, ...unread);
}
END
cat >read.py <<'END'
import zxingcpp
from PIL import Image


def read(ratio, letters):
    return [code.text for code in zxingcpp.read_barcodes(Image.open(f"{ratio}-{letters}.png").convert("L"))]


for ratio in (2, 8):
    unread = [letters for letters in range(1, 151) if read(ratio, letters) != ["A" * letters]]
    print(f"zxing-cpp, {ratio}:", *unread)
END
seen=$(node draw.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "@zxing/library, 2:
@zxing/library, 8: 79 80 93 94 109 110 127 128 145 146
zxing-cpp, 2:
zxing-cpp, 8: 79 80 93 94 109 110 127 128 145 146" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}
